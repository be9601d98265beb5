/* Trace, determinant, inverse, rank and the largest singular value of concrete matrices, in reals
 * with their errors. Knows nothing of syntax, and nothing of laws between these functions. */
#include "replay/matrix.h"

#include <math.h>
#include <string.h>

enum {
    SQUARINGS = 44, /* of a Gram matrix: the largest eigenvalue is known to ln(side)/2^44 */
    SIDE = 16,      /* rows and columns of what a determinant or a spectral norm is taken of */
    MINORS = 8,     /* rows up to which a determinant is summed over minors */
};

static bool unable(qkv__bench *bench)
{
    return qkv__bench_fail(bench, QKV__OBSTACLE_UNABLE);
}

static bool give_whole(qkv__bench *bench, int64_t number, qkv__case_value *value)
{
    return qkv__case_scalar(bench, qkv__rational_whole(number), value);
}

static bool give(qkv__bench *bench, qkv__real **entry, qkv__case_value *value)
{
    *entry = qkv__bench_take(bench, 1);
    *value = (qkv__case_value){.kind = QKV__CASE_SCALAR, .rows = 1, .columns = 1, .entry = *entry};
    return *entry != NULL;
}

/* A square matrix of a moderate size. */
static bool is_square(qkv__bench *bench, const qkv__case_value *x)
{
    if (x->kind != QKV__CASE_MATRIX) return unable(bench);
    if (x->rows != x->columns) return qkv__bench_fail(bench, QKV__OBSTACLE_SHAPE);
    return x->rows <= SIDE || qkv__bench_fail(bench, QKV__OBSTACLE_ROOM);
}

static qkv__real *copy_entries(qkv__bench *bench, const qkv__case_value *x)
{
    qkv__real *entry = qkv__bench_take(bench, x->rows * x->columns);
    for (size_t i = 0; entry != NULL && i < x->rows * x->columns; i++)
        qkv__real_set(&entry[i], &x->entry[i]);
    return entry;
}

/* ---- Made of numbers ----------------------------------------------------------------------- */

bool qkv__case_constant(qkv__bench *bench, size_t rows, size_t columns, int64_t number,
                        qkv__case_value *value)
{
    const bool vector = columns == 0;
    if (vector) columns = 1;
    if (rows > QKV__BENCH_LARGEST / columns) return qkv__bench_fail(bench, QKV__OBSTACLE_ROOM);
    qkv__real *entry = qkv__bench_take(bench, rows * columns);
    if (entry == NULL) return false;
    for (size_t i = 0; i < rows * columns; i++) qkv__real_set_whole(&entry[i], number);
    *value = (qkv__case_value){.kind = vector ? QKV__CASE_VECTOR : QKV__CASE_MATRIX,
                               .rows = rows,
                               .columns = columns,
                               .entry = entry};
    return true;
}

bool qkv__case_diagonal(qkv__bench *bench, const qkv__case_value *from, qkv__case_value *value)
{
    qkv__case_value x = qkv__case_plain(from);
    const bool vector = x.kind == QKV__CASE_VECTOR;
    const size_t side = x.rows;
    if (!vector && !is_square(bench, &x)) return false;
    if (vector && side > SIDE) return qkv__bench_fail(bench, QKV__OBSTACLE_ROOM);
    if (!qkv__case_constant(bench, side, vector ? side : 0, 0, value)) return false;
    qkv__real *entry = qkv__bench_take(bench, side * value->columns);
    if (entry == NULL) return false;
    for (size_t i = 0; i < side * value->columns; i++) qkv__real_set_whole(&entry[i], 0);
    for (size_t i = 0; i < side; i++)
        qkv__real_set(&entry[vector ? i * (side + 1) : i], &x.entry[vector ? i : i * (side + 1)]);
    value->entry = entry;
    return true;
}

bool qkv__case_trace(qkv__bench *bench, const qkv__case_value *from, qkv__case_value *trace)
{
    qkv__case_value x = qkv__case_plain(from);
    qkv__real *sum;
    if (!is_square(bench, &x) || !give(bench, &sum, trace)) return false;
    qkv__real_set_whole(sum, 0);
    for (size_t i = 0; i < x.rows; i++) qkv__real_add(sum, sum, &x.entry[i * (x.columns + 1)]);
    return true;
}

/* ---- Elimination --------------------------------------------------------------------------- */

typedef enum outcome { DONE, NOTHING, OPEN } outcome;

/* The largest entry of a column, from a row on, that is not 0 for certain. NOTHING: all are 0. */
static outcome find_pivot(const qkv__real *entry, size_t rows, size_t columns, size_t row,
                          size_t column, size_t *pivot)
{
    double largest = -1.0;
    bool open = false;
    for (size_t i = row; i < rows; i++) {
        const qkv__real *x = &entry[i * columns + column];
        const int sign = qkv__real_is_defined(x) ? qkv__real_sign(x) : QKV__SIGN_OPEN;
        const double size = fabs(qkv__real_middle(x));
        open = open || sign == QKV__SIGN_OPEN;
        if (sign == 0 || sign == QKV__SIGN_OPEN || !(size > largest)) continue;
        largest = size;
        *pivot = i;
    }
    return largest >= 0.0 ? DONE : open ? OPEN : NOTHING;
}

static void swap_rows(qkv__real *entry, size_t columns, size_t a, size_t b)
{
    for (size_t j = 0; a != b && j < columns; j++) {
        qkv__real kept = entry[a * columns + j];
        entry[a * columns + j] = entry[b * columns + j];
        entry[b * columns + j] = kept;
    }
}

/* Takes a multiple of the pivot's row from another, so that its entry in the column is 0. */
static void clear_row(qkv__real *entry, size_t columns, size_t pivot, size_t column, size_t row)
{
    qkv__real factor, part;
    qkv__real_init(&factor);
    qkv__real_init(&part);
    qkv__real_divide(&factor, &entry[row * columns + column], &entry[pivot * columns + column]);
    for (size_t j = column + 1; j < columns; j++) {
        qkv__real_multiply(&part, &factor, &entry[pivot * columns + j]);
        qkv__real_subtract(&entry[row * columns + j], &entry[row * columns + j], &part);
    }
    qkv__real_set_whole(&entry[row * columns + column], 0);
    qkv__real_clear(&factor);
    qkv__real_clear(&part);
}

bool qkv__case_rank(qkv__bench *bench, const qkv__case_value *from, qkv__case_value *rank)
{
    qkv__case_value x = qkv__case_plain(from);
    if (x.kind != QKV__CASE_MATRIX && x.kind != QKV__CASE_VECTOR && x.kind != QKV__CASE_COVECTOR)
        return unable(bench);
    qkv__real *entry = copy_entries(bench, &x);
    size_t row = 0, pivot = 0;
    if (entry == NULL) return false;
    for (size_t column = 0; column < x.columns && row < x.rows; column++) {
        const outcome found = find_pivot(entry, x.rows, x.columns, row, column, &pivot);
        if (found == OPEN) return qkv__bench_fail(bench, QKV__OBSTACLE_VAGUE);
        if (found == NOTHING) continue;
        swap_rows(entry, x.columns, row, pivot);
        for (size_t i = row + 1; i < x.rows; i++) clear_row(entry, x.columns, row, column, i);
        bench->operations += x.rows * x.columns;
        row++;
    }
    return give_whole(bench, (int64_t)row, rank);
}

/* [X I] to [I X^-1]. */
static bool invert(qkv__bench *bench, qkv__real *entry, size_t side)
{
    const size_t columns = 2 * side;
    size_t pivot = 0;
    for (size_t k = 0; k < side; k++) {
        const outcome found = find_pivot(entry, side, columns, k, k, &pivot);
        if (found != DONE)
            return qkv__bench_fail(bench, found == NOTHING ? QKV__OBSTACLE_UNDEFINED
                                                           : QKV__OBSTACLE_VAGUE);
        swap_rows(entry, columns, k, pivot);
        for (size_t i = 0; i < side; i++)
            if (i != k) clear_row(entry, columns, k, k, i);
        for (size_t j = columns; j-- > k;)
            qkv__real_divide(&entry[k * columns + j], &entry[k * columns + j],
                             &entry[k * columns + k]);
    }
    bench->operations += 2 * side * side * side;
    return true;
}

bool qkv__case_inverse(qkv__bench *bench, const qkv__case_value *from, qkv__case_value *inverse)
{
    qkv__case_value x = qkv__case_plain(from), one;
    if (x.kind == QKV__CASE_IDENTITY)
        return give_whole(bench, 1, &one) &&
               qkv__case_divide(
                   bench, &one,
                   &(qkv__case_value){
                       .kind = QKV__CASE_SCALAR, .rows = 1, .columns = 1, .entry = x.entry},
                   inverse) &&
               (inverse->kind = QKV__CASE_IDENTITY, true);
    if (!is_square(bench, &x)) return false;
    const size_t side = x.rows;
    qkv__real *work = qkv__bench_take(bench, 2 * side * side);
    qkv__real *entry = qkv__bench_take(bench, side * side);
    if (work == NULL || entry == NULL) return false;
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++) {
            qkv__real_set(&work[i * 2 * side + j], &x.entry[i * side + j]);
            qkv__real_set_whole(&work[i * 2 * side + side + j], i == j);
        }
    if (!invert(bench, work, side)) return false;
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++)
            qkv__real_set(&entry[i * side + j], &work[i * 2 * side + side + j]);
    *inverse =
        (qkv__case_value){.kind = QKV__CASE_MATRIX, .rows = side, .columns = side, .entry = entry};
    return true;
}

/* ---- Determinants -------------------------------------------------------------------------- */

/* Summed over minors, which needs no division: minor[set] is the determinant of the first rows and
 * the columns of a set. */
static bool sum_minors(qkv__bench *bench, const qkv__real *x, size_t side, qkv__real *result)
{
    qkv__real *minor = qkv__bench_take(bench, (size_t)1 << side), part;
    if (minor == NULL) return false;
    qkv__real_init(&part);
    qkv__real_set_whole(&minor[0], 1);
    for (size_t set = 1; set < (size_t)1 << side; set++) {
        size_t rows = 0, above = 0;
        for (size_t j = 0; j < side; j++) rows += set >> j & 1;
        qkv__real_set_whole(&minor[set], 0);
        for (size_t j = side; j-- > 0;) { /* along the last of these rows */
            if ((set >> j & 1) == 0) continue;
            qkv__real_multiply(&part, &x[(rows - 1) * side + j], &minor[set & ~((size_t)1 << j)]);
            if (above % 2 == 0)
                qkv__real_add(&minor[set], &minor[set], &part);
            else
                qkv__real_subtract(&minor[set], &minor[set], &part);
            above++;
        }
    }
    qkv__real_set(result, &minor[((size_t)1 << side) - 1]);
    qkv__real_clear(&part);
    bench->operations += side << side;
    return true;
}

static bool eliminate(qkv__bench *bench, qkv__real *entry, size_t side, qkv__real *result)
{
    bool odd = false;
    size_t pivot = 0;
    qkv__real_set_whole(result, 1);
    for (size_t k = 0; k < side; k++) {
        const outcome found = find_pivot(entry, side, side, k, k, &pivot);
        if (found == OPEN) return qkv__bench_fail(bench, QKV__OBSTACLE_VAGUE);
        if (found == NOTHING) return qkv__real_set_whole(result, 0), true;
        odd ^= pivot != k;
        swap_rows(entry, side, k, pivot);
        for (size_t i = k + 1; i < side; i++) clear_row(entry, side, k, k, i);
        qkv__real_multiply(result, result, &entry[k * side + k]);
    }
    if (odd) qkv__real_negate(result, result);
    bench->operations += side * side * side;
    return true;
}

bool qkv__case_determinant(qkv__bench *bench, const qkv__case_value *from,
                           qkv__case_value *determinant)
{
    qkv__case_value x = qkv__case_plain(from);
    qkv__real *result;
    if (x.kind == QKV__CASE_IDENTITY && x.entry->exact.numerator == 1 &&
        x.entry->exact.denominator == 1)
        return give_whole(bench, 1, determinant);
    if (!is_square(bench, &x) || !give(bench, &result, determinant)) return false;
    if (x.rows <= MINORS) return sum_minors(bench, x.entry, x.rows, result);
    qkv__real *entry = copy_entries(bench, &x);
    return entry != NULL && eliminate(bench, entry, x.rows, result);
}

/* ---- The largest singular value ------------------------------------------------------------ */

static void sum_diagonal(qkv__real *sum, const qkv__real *entry, size_t side)
{
    qkv__real_set_whole(sum, 0);
    for (size_t i = 0; i < side; i++) qkv__real_add(sum, sum, &entry[i * (side + 1)]);
}

static bool is_diagonal(const qkv__real *entry, size_t side)
{
    for (size_t i = 0; i < side * side; i++)
        if (i % (side + 1) != 0 && !qkv__real_is_zero(&entry[i])) return false;
    return true;
}

/* The larger root of the polynomial of a 2 by 2 Gram matrix [a b; b c]: the mean of a + c and the
 * root of (a - c)^2 + 4 b^2. */
static void larger_of_two(qkv__real *result, const qkv__real *entry)
{
    qkv__real part[2], half;
    qkv__real_init(&half);
    for (size_t i = 0; i < 2; i++) qkv__real_init(&part[i]);
    qkv__real_subtract(&part[0], &entry[0], &entry[3]);
    qkv__real_add(&part[1], &entry[1], &entry[2]);
    qkv__real_norm(result, part, 2);
    qkv__real_add(result, result, &entry[0]);
    qkv__real_add(result, result, &entry[3]);
    qkv__real_set_rational(&half, qkv__rational_make(1, 2));
    qkv__real_multiply(result, result, &half);
    qkv__real_clear(&half);
    for (size_t i = 0; i < 2; i++) qkv__real_clear(&part[i]);
}

/*
 * The largest eigenvalue of a Gram matrix S lies between trace/side and trace. Squared again and
 * again, S <- (S/trace)^2, the bounds come together: with t the traces on the way,
 * largest(S_j) = t_j*sqrt(largest(S_(j+1))).
 */
static bool largest_by_squaring(qkv__bench *bench, qkv__real *entry, size_t side, qkv__real *result)
{
    qkv__real *trace = qkv__bench_take(bench, SQUARINGS + 1);
    qkv__real *next = qkv__bench_take(bench, side * side);
    qkv__case_value least;
    if (trace == NULL || next == NULL ||
        !qkv__case_scalar(bench, qkv__rational_make(1, (int64_t)side), &least))
        return false;
    for (size_t k = 0; k < SQUARINGS; k++) {
        sum_diagonal(&trace[k], entry, side);
        const int sign = qkv__real_sign(&trace[k]);
        if (sign == 0) return qkv__real_set_whole(result, 0), true;
        if (sign != 1) return qkv__bench_fail(bench, QKV__OBSTACLE_VAGUE);
        for (size_t i = 0; i < side * side; i++) qkv__real_divide(&entry[i], &entry[i], &trace[k]);
        for (size_t i = 0; i < side; i++)
            for (size_t j = 0; j < side; j++)
                qkv__real_dot(&next[i * side + j], entry + i * side, entry + j, side, side);
        for (size_t i = 0; i < side * side; i++) qkv__real_set(&entry[i], &next[i]);
        bench->operations += side * side * side;
    }
    sum_diagonal(result, entry, side);
    qkv__real_multiply(&trace[SQUARINGS], result, least.entry);
    qkv__real_span(result, &trace[SQUARINGS], result);
    for (size_t k = SQUARINGS; k-- > 0;) {
        qkv__real_root(result, result);
        qkv__real_multiply(result, result, &trace[k]);
    }
    return true;
}

bool qkv__case_spectral(qkv__bench *bench, const qkv__case_value *from, qkv__case_value *norm)
{
    qkv__case_value x = qkv__case_plain(from), turned, gram;
    qkv__real *result;
    if (x.kind == QKV__CASE_VECTOR || x.kind == QKV__CASE_COVECTOR)
        return qkv__case_size(bench, &x, norm);
    if (x.kind != QKV__CASE_MATRIX) return unable(bench);
    if (!qkv__case_transpose(bench, &x, &turned)) return false;
    const bool wide = x.columns > x.rows;
    if (!qkv__case_multiply(bench, wide ? &x : &turned, wide ? &turned : &x, &gram)) return false;
    const size_t side = gram.rows;
    if (side > SIDE) return qkv__bench_fail(bench, QKV__OBSTACLE_ROOM);
    qkv__real *entry = copy_entries(bench, &gram);
    if (entry == NULL || !give(bench, &result, norm)) return false;
    if (is_diagonal(entry, side)) {
        qkv__real_set(result, &entry[0]);
        for (size_t i = 1; i < side; i++) qkv__real_larger(result, result, &entry[i * (side + 1)]);
    } else if (side == 2) {
        larger_of_two(result, entry);
    } else if (!largest_by_squaring(bench, entry, side, result)) {
        return false;
    }
    qkv__real_root(result, result);
    return qkv__real_is_defined(result) || qkv__bench_fail(bench, QKV__OBSTACLE_VAGUE);
}
