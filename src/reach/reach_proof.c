/*
 * What may be said of a candidate once rounding is accounted for. Knows nothing of the solvers
 * that made it.
 *
 * Three grades. Exact: the candidate was checked in whole numbers, or its inequalities hold with
 * room for the rounding of the check. Enclosed: it solves a linear system whose matrix is proved
 * to have full row rank, so that an exact solution lies in a small box around it, and the
 * inequalities hold on the whole box. Numerical: its residual is what rounding explains.
 */
#include "reach/reach_part.h"

#include <math.h>
#include <string.h>

#include <lapacke.h>

/* ---- Margins ------------------------------------------------------------------------------- */

/* A lower bound of (k_high - k_low) . p over the box around query. Each term has three roundings
 * (difference, product, sums), and an underflow loses less than the least normal number. */
static double margin_between(const qkv__reach_problem *problem, size_t high, size_t low,
                             const double *query, double radius)
{
    const double *a = qkv__reach_key(problem, high), *b = qkv__reach_key(problem, low);
    double sum = 0.0, size = 0.0, length = 0.0;
    for (size_t x = 0; x < problem->width; x++) {
        double difference = a[x] - b[x], product = difference * query[x];
        sum += product;
        size += fabs(product);
        length += fabs(difference);
    }
    double rounding = qkv__reach_rounding(problem->width + 4);
    double error = rounding * size + (double)problem->width * 0x1p-1022;
    double least = sum - error - radius * length * (1.0 + rounding);
    return isfinite(least) ? least : -INFINITY;
}

double qkv__reach_margin(const qkv__reach_face *face, const double *query, double radius)
{
    double least = INFINITY;
    for (size_t i = 0; i < face->problem->count; i++)
        if (!face->is_member[i])
            least = fmin(least, margin_between(face->problem, face->members[0], i, query, radius));
    return least;
}

/* ---- Enclosure of a linear system ----------------------------------------------------------- */

/* R, columns x rows, column after column, with A R near 1: the pseudoinverse by orthogonal
 * factors. False where A has no full row rank to working precision. */
static bool right_inverse(size_t rows, size_t columns, const double *matrix, double *inverse,
                          qkv__arena *scratch)
{
    double *copy = qkv__arena_array(scratch, rows * columns, sizeof *copy);
    if (copy == NULL) return false;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) copy[j * rows + i] = matrix[i * columns + j];
    memset(inverse, 0, columns * rows * sizeof *inverse);
    for (size_t i = 0; i < rows; i++) inverse[i * columns + i] = 1.0;
    return LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', (lapack_int)rows, (lapack_int)columns,
                         (lapack_int)rows, copy, (lapack_int)rows, inverse,
                         (lapack_int)columns) == 0;
}

/* An upper bound of the norm of 1 - A R, the largest sum of |entries| of a row. */
static double defect_of(size_t rows, size_t columns, const double *matrix, const double *inverse)
{
    double largest = 0.0;
    for (size_t i = 0; i < rows; i++) {
        double row = 0.0;
        for (size_t k = 0; k < rows; k++) {
            double sum = i == k ? -1.0 : 0.0, size = 1.0;
            for (size_t j = 0; j < columns; j++) {
                double product = matrix[i * columns + j] * inverse[k * columns + j];
                sum += product;
                size += fabs(product);
            }
            row += fabs(sum) + qkv__reach_rounding(columns + 4) * size;
        }
        largest = fmax(largest, row);
    }
    return largest * (1.0 + qkv__reach_rounding(rows + 4));
}

/* b_i - A_i x, and an upper bound of the size of the exact one. */
static double residual_of(size_t columns, const double *row, double right, const double *solution,
                          double *bound)
{
    double sum = right, size = fabs(right);
    for (size_t j = 0; j < columns; j++) {
        double product = row[j] * solution[j];
        sum -= product;
        size += fabs(product);
    }
    *bound = fabs(sum) + qkv__reach_rounding(columns + 4) * size + (double)columns * 0x1p-1022;
    return sum;
}

/* x + R (b - A x); returns an upper bound of the largest |b - A x| from before. */
static double refine(size_t rows, size_t columns, const double *matrix, const double *right,
                     const double *inverse, double *solution, double *residual)
{
    double largest = 0.0;
    for (size_t i = 0; i < rows; i++) {
        double bound;
        residual[i] = residual_of(columns, matrix + i * columns, right[i], solution, &bound);
        largest = fmax(largest, bound);
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) solution[j] += inverse[i * columns + j] * residual[i];
    return largest;
}

/*
 * If |1 - A R| < 1, A R is invertible and x + R (A R)^-1 (b - A x) solves the system, with
 * |(A R)^-1| <= 1 / (1 - |1 - A R|), all in the norm of largest row sums.
 */
bool qkv__reach_enclose(size_t rows, size_t columns, const double *matrix, const double *right,
                        double *solution, double *radius, qkv__arena *scratch)
{
    if (rows > columns || rows == 0) return false;
    double *inverse = qkv__arena_array(scratch, rows * columns, sizeof *inverse);
    double *residual = qkv__arena_array(scratch, rows, sizeof *residual);
    if (inverse == NULL || residual == NULL) return false;
    if (!right_inverse(rows, columns, matrix, inverse, scratch)) return false;
    double defect = defect_of(rows, columns, matrix, inverse);
    if (!(defect <= 0.5)) return false; /* 1 - defect is then exact */
    for (int pass = 0; pass < 2; pass++)
        refine(rows, columns, matrix, right, inverse, solution, residual);
    double largest = 0.0;
    for (size_t i = 0; i < rows; i++) {
        double bound;
        residual_of(columns, matrix + i * columns, right[i], solution, &bound);
        largest = fmax(largest, bound);
    }
    for (size_t j = 0; j < columns; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < rows; i++) sum += fabs(inverse[i * columns + j]);
        double bound = sum * largest / (1.0 - defect);
        radius[j] = bound * (1.0 + qkv__reach_rounding(rows + 8)) + 0x1p-1022;
    }
    return true;
}

/* ---- Faces --------------------------------------------------------------------------------- */

/* Whether whole . (k_r - k_s) = 0 for every member r, s the first. */
static bool is_constant(const qkv__reach_face *face, const int64_t *whole, int64_t *both,
                        double *values)
{
    size_t width = face->problem->width;
    const double *first = qkv__reach_key(face->problem, face->members[0]);
    for (size_t m = 1; m < face->member_count; m++) {
        const double *key = qkv__reach_key(face->problem, face->members[m]);
        for (size_t x = 0; x < width; x++) {
            both[x] = whole[x];
            both[width + x] = -whole[x];
            values[x] = key[x];
            values[width + x] = first[x];
        }
        if (!qkv__reach_sum_is_zero(2 * width, both, values)) return false;
    }
    return true;
}

/* To sizes of at most 1, by a power of two, which rounds nothing. */
static void scale_down(size_t count, const int64_t *whole, double *values)
{
    int64_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t size = whole[i] < 0 ? -whole[i] : whole[i];
        largest = size > largest ? size : largest;
    }
    int bits = 0;
    while (((int64_t)1 << bits) < largest) bits++;
    for (size_t i = 0; i < count; i++) values[i] = ldexp((double)whole[i], -bits);
}

/* Tries the direction with its common denominator taken out. */
static bool prove_face_exactly(const qkv__reach_face *face, qkv__arena *scratch, double *query,
                               double *margin)
{
    size_t width = face->problem->width;
    int64_t *whole = qkv__arena_array(scratch, 3 * width, sizeof *whole);
    double *values = qkv__arena_array(scratch, 3 * width, sizeof *values);
    if (whole == NULL || values == NULL) return false;
    double largest = 0.0;
    for (size_t x = 0; x < width; x++) largest = fmax(largest, fabs(query[x]));
    for (size_t x = 0; x < width; x++) values[x] = query[x] / largest;
    if (!qkv__reach_whole(width, values, whole)) return false;
    if (!is_constant(face, whole, whole + width, values + width)) return false;
    scale_down(width, whole, values);
    double found = qkv__reach_margin(face, values, 0.0);
    if (!(found > 0.0)) return false;
    memcpy(query, values, width * sizeof *query);
    *margin = found;
    return true;
}

/* k_r . q - c = 0 for the members r, in the unknowns q and c: full row rank means that the members
 * are affinely independent. Keys are scaled by a power of two, to be of the size of the ones. */
static bool prove_face_nearby(const qkv__reach_face *face, qkv__arena *scratch, double *query,
                              double *margin)
{
    size_t rows = face->member_count, width = face->problem->width, columns = width + 1;
    if (rows > columns) return false;
    double *matrix = qkv__arena_array(scratch, rows * columns, sizeof *matrix);
    double *right = qkv__arena_array(scratch, rows, sizeof *right);
    double *solution = qkv__arena_array(scratch, columns, sizeof *solution);
    double *radius = qkv__arena_array(scratch, columns, sizeof *radius);
    if (scratch->failed) return false;
    int exponent;
    frexp(qkv__reach_largest(face->problem, rows, face->members), &exponent);
    for (size_t m = 0; m < rows; m++) {
        const double *key = qkv__reach_key(face->problem, face->members[m]);
        for (size_t x = 0; x < width; x++) matrix[m * columns + x] = ldexp(key[x], -exponent);
        matrix[m * columns + width] = -1.0;
    }
    memcpy(solution, query, width * sizeof *query);
    for (size_t x = 0; x < width; x++) solution[width] += matrix[x] * query[x];
    if (!qkv__reach_enclose(rows, columns, matrix, right, solution, radius, scratch)) return false;
    double widest = 0.0;
    for (size_t x = 0; x < width; x++) widest = fmax(widest, radius[x]);
    double found = qkv__reach_margin(face, solution, widest);
    if (!(found > 0.0)) return false;
    memcpy(query, solution, width * sizeof *query);
    *margin = found;
    return true;
}

/*
 * The score differences on the members, held against d m 2^-52 times their terms: the backward
 * error of a system of that size that was solved by orthogonal factors or a basis (Higham,
 * Accuracy and Stability, theorem 20.3, gamma of rows times columns).
 */
static bool is_nearly_constant(const qkv__reach_face *face, const double *query)
{
    size_t width = face->problem->width;
    const double *first = qkv__reach_key(face->problem, face->members[0]);
    for (size_t m = 1; m < face->member_count; m++) {
        const double *key = qkv__reach_key(face->problem, face->members[m]);
        double sum = 0.0, size = 0.0;
        for (size_t x = 0; x < width; x++) {
            sum += (key[x] - first[x]) * query[x];
            size += (fabs(key[x]) + fabs(first[x])) * fabs(query[x]);
        }
        if (!(fabs(sum) <= qkv__reach_rounding(width * face->member_count + 4) * size))
            return false;
    }
    return true;
}

qkv__reach_proof qkv__reach_prove_face(const qkv__reach_face *face, qkv__arena *scratch,
                                       double *query, double *margin)
{
    double found = qkv__reach_margin(face, query, 0.0);
    *margin = found;
    if (face->member_count == 1 && found > 0.0) return QKV__REACH_EXACT;
    if (face->member_count > 1) {
        if (prove_face_exactly(face, scratch, query, margin)) return QKV__REACH_EXACT;
        if (prove_face_nearby(face, scratch, query, margin)) return QKV__REACH_ENCLOSED;
        if (found > 0.0 && is_nearly_constant(face, query)) return QKV__REACH_NUMERICAL;
    }
    *margin = 0.0;
    return QKV__REACH_NOTHING;
}

/* ---- Dependencies -------------------------------------------------------------------------- */

bool qkv__reach_take_dependency(qkv__reach_dependency *dependency, size_t capacity,
                                qkv__arena *scratch)
{
    *dependency = (qkv__reach_dependency){0};
    dependency->index = qkv__arena_array(scratch, capacity, sizeof *dependency->index);
    dependency->value = qkv__arena_array(scratch, capacity, sizeof *dependency->value);
    dependency->radius = qkv__arena_array(scratch, capacity, sizeof *dependency->radius);
    dependency->is_off = qkv__arena_array(scratch, capacity, sizeof *dependency->is_off);
    return !scratch->failed;
}

/* sum c_i = 0 and sum c_i k_i = 0 in whole numbers, c > 0 off the members. */
static bool prove_dependency_exactly(const qkv__reach_problem *problem, qkv__arena *scratch,
                                     qkv__reach_dependency *dependency)
{
    size_t count = dependency->count;
    int64_t *whole = qkv__arena_array(scratch, count, sizeof *whole);
    double *values = qkv__arena_array(scratch, count, sizeof *values);
    if (whole == NULL || values == NULL) return false;
    if (!qkv__reach_whole(count, dependency->value, whole)) return false;
    for (size_t i = 0; i < count; i++) {
        values[i] = 1.0;
        if (dependency->is_off[i] && whole[i] <= 0) return false;
    }
    if (!qkv__reach_sum_is_zero(count, whole, values)) return false;
    for (size_t x = 0; x < problem->width; x++) {
        for (size_t i = 0; i < count; i++)
            values[i] = qkv__reach_key(problem, dependency->index[i])[x];
        if (!qkv__reach_sum_is_zero(count, whole, values)) return false;
    }
    for (size_t i = 0; i < count; i++) {
        dependency->value[i] = (double)whole[i];
        dependency->radius[i] = 0.0;
    }
    return true;
}

/* Whether all keys of the dependency agree in a coordinate: sum c_i = 0 then settles it. */
static bool agree_in(const qkv__reach_problem *problem, const qkv__reach_dependency *dependency,
                     size_t x)
{
    double first = qkv__reach_key(problem, dependency->index[0])[x];
    for (size_t i = 1; i < dependency->count; i++)
        if (qkv__reach_key(problem, dependency->index[i])[x] != first) return false;
    return true;
}

/* The rows of the system for c: a coordinate each where the keys differ, scaled by a power of two,
 * = 0; the sum off the members = 1; the sum on them = -1. Returns the number of rows. */
static size_t fill_dependency(const qkv__reach_problem *problem,
                              const qkv__reach_dependency *dependency, double *matrix,
                              double *right)
{
    size_t count = dependency->count, rows = 0;
    int exponent;
    frexp(qkv__reach_largest(problem, count, dependency->index), &exponent);
    for (size_t x = 0; x < problem->width; x++) {
        if (agree_in(problem, dependency, x)) continue;
        for (size_t i = 0; i < count; i++)
            matrix[rows * count + i] =
                ldexp(qkv__reach_key(problem, dependency->index[i])[x], -exponent);
        right[rows++] = 0.0;
    }
    for (size_t i = 0; i < count; i++) {
        matrix[rows * count + i] = dependency->is_off[i] ? 1.0 : 0.0;
        matrix[(rows + 1) * count + i] = dependency->is_off[i] ? 0.0 : 1.0;
    }
    right[rows] = 1.0;
    right[rows + 1] = -1.0;
    return rows + 2;
}

static bool prove_dependency_nearby(const qkv__reach_problem *problem, qkv__arena *scratch,
                                    qkv__reach_dependency *dependency)
{
    size_t count = dependency->count;
    double *matrix = qkv__arena_array(scratch, (problem->width + 2) * count, sizeof *matrix);
    double *right = qkv__arena_array(scratch, problem->width + 2, sizeof *right);
    double *solution = qkv__arena_array(scratch, count, sizeof *solution);
    if (scratch->failed) return false;
    size_t rows = fill_dependency(problem, dependency, matrix, right);
    memcpy(solution, dependency->value, count * sizeof *solution);
    if (!qkv__reach_enclose(rows, count, matrix, right, solution, dependency->radius, scratch))
        return false;
    for (size_t i = 0; i < count; i++)
        if (dependency->is_off[i] && !(solution[i] > dependency->radius[i])) return false;
    memcpy(dependency->value, solution, count * sizeof *solution);
    return true;
}

/* c > 0 off the members; |sum c_i k_i| in every coordinate and |sum c_i|, against the same backward
 * error as above. */
static bool is_nearly_dependent(const qkv__reach_problem *problem,
                                const qkv__reach_dependency *dependency)
{
    double allowed = qkv__reach_rounding(problem->width * dependency->count + 4);
    double total = 0.0, sizes = 0.0;
    for (size_t i = 0; i < dependency->count; i++) {
        total += dependency->value[i];
        sizes += fabs(dependency->value[i]);
        if (dependency->is_off[i] && !(dependency->value[i] > 0.0)) return false;
    }
    if (!(fabs(total) <= allowed * sizes)) return false;
    double largest = qkv__reach_largest(problem, dependency->count, dependency->index);
    for (size_t x = 0; x < problem->width; x++) {
        double sum = 0.0;
        for (size_t i = 0; i < dependency->count; i++)
            sum += dependency->value[i] * qkv__reach_key(problem, dependency->index[i])[x];
        if (!(fabs(sum) <= allowed * sizes * largest)) return false;
    }
    return true;
}

qkv__reach_proof qkv__reach_prove_dependency(const qkv__reach_problem *problem, qkv__arena *scratch,
                                             qkv__reach_dependency *dependency)
{
    if (dependency->count < 2) return QKV__REACH_NOTHING;
    if (prove_dependency_exactly(problem, scratch, dependency)) return QKV__REACH_EXACT;
    if (prove_dependency_nearby(problem, scratch, dependency)) return QKV__REACH_ENCLOSED;
    if (is_nearly_dependent(problem, dependency)) return QKV__REACH_NUMERICAL;
    return QKV__REACH_NOTHING;
}
