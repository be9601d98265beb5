/*
 * Exact weights: is K q = ln t + a constant solvable, what is the shortest solution, and if there
 * is none, which dependency of the keys forbids it? Knows nothing of limits and faces.
 *
 * With D_i = k_i - k_1 and b_i = ln(t_i / t_1) the system is D q = b. It is solvable for every
 * target if and only if the keys are affinely independent; else every affine dependency c of the
 * keys demands sum c_i ln t_i = 0.
 */
#include "reach/reach_part.h"

#include <math.h>
#include <string.h>

#include <lapacke.h>

#include "base/error.h"

/* The system and its decomposition D = U diag(s) V'. rows = n - 1, small = min(rows, d). */
typedef struct equations {
    const qkv__reach_problem *problem;
    const double *target;
    size_t rows, width, small;
    double *right;         /* b, rows */
    double *matrix;        /* D, rows x d, row after row */
    double *left, *values; /* U: rows x small, column after column; s */
    double *across;        /* V': small x d, column after column */
} equations;

static bool take_system(equations *made, const qkv__reach_problem *problem, const double *target,
                        qkv__arena *scratch)
{
    size_t rows = problem->count - 1, width = problem->width, small = rows < width ? rows : width;
    *made = (equations){
        .problem = problem, .target = target, .rows = rows, .width = width, .small = small};
    made->right = qkv__arena_array(scratch, rows, sizeof(double));
    made->matrix = qkv__arena_array(scratch, rows * width, sizeof(double));
    made->left = qkv__arena_array(scratch, rows * small, sizeof(double));
    made->values = qkv__arena_array(scratch, small, sizeof(double));
    made->across = qkv__arena_array(scratch, small * width, sizeof(double));
    if (scratch->failed) return false;
    for (size_t i = 0; i < rows; i++) {
        const double *key = qkv__reach_key(problem, i + 1);
        for (size_t x = 0; x < width; x++) made->matrix[i * width + x] = key[x] - problem->keys[x];
        made->right[i] = log(target[i + 1]) - log(target[0]);
    }
    return true;
}

static bool decompose(equations *made, qkv__arena *scratch)
{
    double *copy = qkv__arena_array(scratch, made->rows * made->width, sizeof *copy);
    if (copy == NULL) return false;
    for (size_t i = 0; i < made->rows; i++)
        for (size_t x = 0; x < made->width; x++)
            copy[x * made->rows + i] = made->matrix[i * made->width + x];
    lapack_int rows = (lapack_int)made->rows, small = (lapack_int)made->small;
    return LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', rows, (lapack_int)made->width, copy, rows,
                          made->values, made->left, rows, made->across, small) == 0;
}

/* q = V diag(1/s) U' b over the singular values above the tolerance. */
static void shortest_solution(const equations *made, size_t rank, double *query)
{
    for (size_t x = 0; x < made->width; x++) query[x] = 0.0;
    for (size_t r = 0; r < rank; r++) {
        double along = 0.0;
        for (size_t i = 0; i < made->rows; i++)
            along += made->left[r * made->rows + i] * made->right[i];
        along /= made->values[r];
        for (size_t x = 0; x < made->width; x++)
            query[x] += along * made->across[x * made->small + r];
    }
}

/* Whether D q = b up to the backward error of the decomposition: tolerance |q| for D, and the same
 * multiple of 2^-52 of |b|. */
static bool is_nearly_solved(const equations *made, const double *query, double tolerance)
{
    double norm = 0.0, largest = 0.0, worst = 0.0;
    for (size_t x = 0; x < made->width; x++) norm = hypot(norm, query[x]);
    for (size_t i = 0; i < made->rows; i++) {
        double rest = made->right[i];
        for (size_t x = 0; x < made->width; x++)
            rest -= made->matrix[i * made->width + x] * query[x];
        largest = fmax(largest, fabs(made->right[i]));
        worst = fmax(worst, fabs(rest));
    }
    size_t size = made->rows > made->width ? made->rows : made->width;
    return worst <= tolerance * norm + qkv__reach_rounding(size) * largest;
}

/* ---- Affinely independent keys -------------------------------------------------------------- */

/* k_i . q - c = ln t_i in the unknowns q and c, the keys scaled by a power of two. Full row rank
 * proves that every target is reached; the query is refined. */
static bool prove_solvable(const equations *made, double *query, qkv__arena *scratch)
{
    size_t rows = made->rows + 1, width = made->width, columns = width + 1;
    if (rows > columns) return false;
    double *matrix = qkv__arena_array(scratch, rows * columns, sizeof *matrix);
    double *right = qkv__arena_array(scratch, rows, sizeof *right);
    double *solution = qkv__arena_array(scratch, columns, sizeof *solution);
    double *radius = qkv__arena_array(scratch, columns, sizeof *radius);
    if (scratch->failed) return false;
    int exponent;
    frexp(qkv__reach_largest(made->problem, rows, NULL), &exponent);
    for (size_t i = 0; i < rows; i++) {
        for (size_t x = 0; x < width; x++)
            matrix[i * columns + x] = ldexp(qkv__reach_key(made->problem, i)[x], -exponent);
        matrix[i * columns + width] = -1.0;
        right[i] = log(made->target[i]);
    }
    solution[width] = -right[0];
    for (size_t x = 0; x < width; x++) {
        solution[x] = ldexp(query[x], exponent);
        solution[width] += matrix[x] * solution[x];
    }
    if (!qkv__reach_enclose(rows, columns, matrix, right, solution, radius, scratch)) return false;
    for (size_t x = 0; x < width; x++) query[x] = ldexp(solution[x], -exponent);
    return true;
}

/* ---- Dependent keys ------------------------------------------------------------------------- */

/* D' P = Q (R S; 0 0): the first `rank` pivots are independent differences, and R^-1 S writes the
 * others in them. factor comes back as d x rows, column after column, with R^-1 S in place. */
static bool express_in_pivots(const equations *made, size_t rank, double *factor, lapack_int *pivot,
                              qkv__arena *scratch)
{
    double *scales = qkv__arena_array(scratch, made->small, sizeof *scales);
    if (scales == NULL) return false;
    memcpy(factor, made->matrix, made->rows * made->width * sizeof *factor);
    lapack_int width = (lapack_int)made->width, rows = (lapack_int)made->rows;
    if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, width, rows, factor, width, pivot, scales) != 0)
        return false;
    if (rank == 0) return true;
    return LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'U', 'N', 'N', (lapack_int)rank,
                          rows - (lapack_int)rank, factor, width, factor + rank * made->width,
                          width) == 0;
}

/* b_p - sum z_r b_r for the difference in column p, relative to the size of its terms. */
static double column_mismatch(const equations *made, size_t rank, const double *factor,
                              const lapack_int *pivot, size_t column)
{
    const double *z = factor + column * made->width;
    double sum = made->right[pivot[column] - 1], size = 1.0;
    for (size_t r = 0; r < rank; r++) {
        sum -= z[r] * made->right[pivot[r] - 1];
        size += fabs(z[r]);
    }
    return fabs(sum) / size;
}

/* k_p - k_1 = sum z_r (k_r - k_1) as c_p = 1, c_r = -z_r, c_1 = sum z_r - 1. */
static bool fill_terms(size_t rank, const double *z, const lapack_int *pivot, size_t column,
                       qkv__reach_dependency *dependency, qkv__arena *scratch)
{
    if (!qkv__reach_take_dependency(dependency, rank + 2, scratch)) return false;
    dependency->count = rank + 2;
    dependency->index[0] = (size_t)pivot[column];
    dependency->value[0] = 1.0;
    dependency->is_off[0] = true;
    dependency->index[1] = 0;
    dependency->value[1] = -1.0;
    for (size_t r = 0; r < rank; r++) {
        dependency->index[r + 2] = (size_t)pivot[r];
        dependency->value[r + 2] = -z[r];
        dependency->value[1] += z[r];
    }
    return true;
}

/* The dependency that the target breaks the most. */
static bool find_dependency(const equations *made, size_t rank, qkv__reach_dependency *dependency,
                            qkv__arena *scratch)
{
    double *factor = qkv__arena_array(scratch, made->rows * made->width, sizeof *factor);
    lapack_int *pivot = qkv__arena_array(scratch, made->rows, sizeof *pivot);
    if (scratch->failed || !express_in_pivots(made, rank, factor, pivot, scratch)) return false;
    size_t worst = rank;
    for (size_t column = rank + 1; column < made->rows; column++)
        if (column_mismatch(made, rank, factor, pivot, column) >
            column_mismatch(made, rank, factor, pivot, worst))
            worst = column;
    return fill_terms(rank, factor + worst * made->width, pivot, worst, dependency, scratch);
}

/* sum c_i ln t_i, or 0 where rounding and the radii could explain it. */
static double proved_mismatch(const double *target, const qkv__reach_dependency *dependency)
{
    double sum = 0.0, size = 0.0, spread = 0.0;
    for (size_t i = 0; i < dependency->count; i++) {
        double logarithm = log(target[dependency->index[i]]);
        sum += dependency->value[i] * logarithm;
        size += fabs(dependency->value[i] * logarithm);
        spread += dependency->radius[i] * fabs(logarithm);
    }
    double rounding = qkv__reach_rounding(dependency->count + 4);
    double error = rounding * size + spread * (1.0 + rounding) + 0x1p-1000;
    return fabs(sum) > error ? sum : 0.0;
}

static qkv__reach_status judge_dependent(const equations *made, qkv__reach_answer *answer,
                                         qkv__reach_dependency *dependency, qkv__arena *scratch)
{
    qkv__reach_proof proof = QKV__REACH_NOTHING;
    if (find_dependency(made, answer->rank, dependency, scratch))
        proof = qkv__reach_prove_dependency(made->problem, scratch, dependency);
    if (proof != QKV__REACH_NOTHING) answer->mismatch = proved_mismatch(made->target, dependency);
    if (answer->mismatch != 0.0 && proof >= QKV__REACH_ENCLOSED) {
        answer->exact = proof == QKV__REACH_EXACT;
        return QKV__REACH_IMPOSSIBLE;
    }
    if (answer->mismatch != 0.0) return QKV__REACH_SEEMS_IMPOSSIBLE;
    dependency->count = 0;
    return is_nearly_solved(made, answer->query, answer->tolerance) ? QKV__REACH_SEEMS_REACHABLE
                                                                    : QKV__REACH_UNKNOWN;
}

static qkv__reach_status judge_independent(const equations *made, qkv__reach_answer *answer,
                                           qkv__arena *scratch)
{
    if (prove_solvable(made, answer->query, scratch)) return QKV__REACH_REACHABLE;
    return is_nearly_solved(made, answer->query, answer->tolerance) ? QKV__REACH_SEEMS_REACHABLE
                                                                    : QKV__REACH_UNKNOWN;
}

/* ---- The answer ----------------------------------------------------------------------------- */

/* By the targets themselves: different ones may have the same rounded logarithm. */
static bool is_uniform(const equations *made)
{
    for (size_t i = 0; i < made->rows; i++)
        if (made->target[i + 1] != made->target[0]) return false;
    return true;
}

/* The rank decision: singular values above max(rows, d) 2^-52 s_1. */
static void decide_rank(const equations *made, qkv__reach_answer *answer)
{
    size_t size = made->rows > made->width ? made->rows : made->width;
    answer->singular_count = made->small;
    memcpy(answer->singular_values, made->values, made->small * sizeof(double));
    answer->tolerance = made->small > 0 ? qkv__reach_rounding(size) * made->values[0] : 0.0;
    answer->rank = 0;
    while (answer->rank < made->small && made->values[answer->rank] > answer->tolerance)
        answer->rank++;
}

qkv_status qkv__reach_solve(const qkv__reach_problem *problem, const double *target,
                            qkv__arena *arena, qkv__arena *scratch, qkv__reach_answer *answer,
                            qkv__reach_dependency *dependency, qkv_error *error)
{
    equations made;
    *dependency = (qkv__reach_dependency){0};
    if (!take_system(&made, problem, target, scratch)) return qkv__reach_no_memory(scratch, error);
    answer->query = qkv__arena_array(arena, problem->width, sizeof(double));
    answer->singular_values = qkv__arena_array(arena, made.small, sizeof(double));
    if (arena->failed) return qkv__reach_no_memory(arena, error);
    bool decomposed = made.rows == 0 || decompose(&made, scratch);
    if (decomposed) decide_rank(&made, answer);
    if (is_uniform(&made)) { /* q = 0, whatever the keys */
        answer->status = QKV__REACH_REACHABLE;
        answer->exact = true;
    } else if (decomposed) {
        shortest_solution(&made, answer->rank, answer->query);
        answer->status = answer->rank == made.rows
                             ? judge_independent(&made, answer, scratch)
                             : judge_dependent(&made, answer, dependency, scratch);
    }
    return scratch->failed ? qkv__reach_no_memory(scratch, error) : QKV_OK;
}
