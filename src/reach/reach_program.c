/*
 * The linear program behind copy and subset, solved by CLP. Knows nothing of proofs: what comes
 * out is a candidate.
 *
 * With s the first member, v_i = k_s - k_i and the others l = the keys that are not members:
 *
 *     maximise t  subject to  v_l . q >= t for every other l,  v_r . q = 0 for every member r,
 *                             |q_x| <= 1
 *
 * and its dual, which is the one that is solved, because its basis has d + 1 rows however many
 * keys there are:
 *
 *     minimise sum_x (p_x + m_x)  subject to  sum_l lambda_l v_l + sum_r nu_r v_r - p + m = 0,
 *                                             sum_l lambda_l = 1,  lambda, p, m >= 0,  nu free
 *
 * The optimum is the same number. If it is 0, lambda and nu are a certificate; if not, the row
 * prices are a direction.
 */
#include "reach/reach_part.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include <coin/Clp_C_Interface.h>

#include "base/error.h"

/* CLP's own tolerance is 1e-7; margins below this part of the largest difference are lost on it. */
static const double SOLVER_TOLERANCE = 1e-9;

/* The program, column after column, in the form that CLP takes. Columns: one a key but s, in the
 * order of the keys, then p, then m. Rows: coordinates, then the sum of lambda. */
typedef struct program {
    int columns, rows;
    CoinBigIndex *start;
    int *row;
    double *value, *lower, *upper, *cost, *right;
} program;

double qkv__reach_largest(const qkv__reach_problem *problem, size_t count, const size_t *index)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double *key = qkv__reach_key(problem, index == NULL ? i : index[i]);
        for (size_t x = 0; x < problem->width; x++) largest = fmax(largest, fabs(key[x]));
    }
    return largest;
}

/* A power of two near 1 / max |k_s - k_i|: the solver's tolerances are absolute. */
static double scale_of(const qkv__reach_face *face)
{
    const qkv__reach_problem *problem = face->problem;
    const double *first = qkv__reach_key(problem, face->members[0]);
    double largest = 0.0;
    for (size_t i = 0; i < problem->count * problem->width; i++)
        largest = fmax(largest, fabs(first[i % problem->width] - problem->keys[i]));
    int exponent;
    frexp(largest, &exponent);
    return ldexp(1.0, -exponent);
}

static bool take_program(program *made, size_t columns, size_t rows, size_t entries,
                         qkv__arena *scratch)
{
    *made = (program){.columns = (int)columns, .rows = (int)rows};
    made->start = qkv__arena_array(scratch, columns + 1, sizeof *made->start);
    made->row = qkv__arena_array(scratch, entries, sizeof *made->row);
    made->value = qkv__arena_array(scratch, entries, sizeof *made->value);
    made->lower = qkv__arena_array(scratch, columns, sizeof *made->lower);
    made->upper = qkv__arena_array(scratch, columns, sizeof *made->upper);
    made->cost = qkv__arena_array(scratch, columns, sizeof *made->cost);
    made->right = qkv__arena_array(scratch, rows, sizeof *made->right);
    return !scratch->failed;
}

/* The column of lambda_i or nu_i; returns where the next one starts. */
static CoinBigIndex add_key(program *made, const qkv__reach_face *face, size_t i, int column,
                            double scale, CoinBigIndex at)
{
    const qkv__reach_problem *problem = face->problem;
    const double *first = qkv__reach_key(problem, face->members[0]);
    const double *key = qkv__reach_key(problem, i);
    made->start[column] = at;
    for (size_t x = 0; x < problem->width; x++) {
        made->row[at] = (int)x;
        made->value[at++] = (first[x] - key[x]) * scale;
    }
    made->upper[column] = DBL_MAX;
    if (face->is_member[i]) {
        made->lower[column] = -DBL_MAX;
        return at;
    }
    made->row[at] = made->rows - 1;
    made->value[at++] = 1.0;
    return at;
}

static void fill_program(program *made, const qkv__reach_face *face, double scale)
{
    CoinBigIndex at = 0;
    int column = 0, width = made->rows - 1;
    for (size_t i = 0; i < face->problem->count; i++)
        if (i != face->members[0]) at = add_key(made, face, i, column++, scale, at);
    for (int slack = 0; slack < 2 * width; slack++) {
        const bool below = slack < width;
        made->start[column] = at;
        made->row[at] = below ? slack : slack - width;
        made->value[at++] = below ? -1.0 : 1.0;
        made->upper[column] = DBL_MAX;
        made->cost[column++] = 1.0;
    }
    made->start[column] = at;
    made->right[width] = 1.0;
}

/* q is minus the row prices; c_l = lambda_l, and sum nu_r (k_s - k_r) + k_s spreads over the
 * members as c_r = nu_r, c_s = -1 - sum nu_r. */
static void read_solution(Clp_Simplex *model, const qkv__reach_face *face, double *query,
                          double *multipliers)
{
    const double *price = Clp_dualRowSolution(model), *amount = Clp_primalColumnSolution(model);
    for (size_t x = 0; x < face->problem->width; x++) query[x] = -price[x];
    size_t first = face->members[0];
    multipliers[first] = -1.0;
    for (size_t i = 0; i < face->problem->count; i++) {
        if (i == first) continue;
        multipliers[i] = face->is_member[i] ? *amount : fmax(*amount, 0.0);
        if (face->is_member[i]) multipliers[first] -= *amount;
        amount++;
    }
}

static bool solve(const program *made, const qkv__reach_face *face, double *query,
                  double *multipliers)
{
    Clp_Simplex *model = Clp_newModel();
    if (model == NULL) return false;
    Clp_setLogLevel(model, 0);
    Clp_loadProblem(model, made->columns, made->rows, made->start, made->row, made->value,
                    made->lower, made->upper, made->cost, made->right, made->right);
    Clp_setPrimalTolerance(model, SOLVER_TOLERANCE);
    Clp_setDualTolerance(model, SOLVER_TOLERANCE);
    Clp_primal(model, 0);
    bool optimal = Clp_status(model) == 0;
    if (optimal) read_solution(model, face, query, multipliers);
    Clp_deleteModel(model);
    return optimal;
}

qkv_status qkv__reach_program(const qkv__reach_face *face, double *query, double *multipliers,
                              bool *solved, qkv_error *error)
{
    size_t count = face->problem->count, width = face->problem->width;
    if (width + 1 > (INT_MAX - 2 * width) / (count + 2))
        return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                         "%zu keys in %zu dimensions: the linear program has more than %d entries",
                         count, width, INT_MAX);
    qkv__arena scratch = {0};
    program made;
    bool taken = take_program(&made, count - 1 + 2 * width, width + 1,
                              (count - 1) * (width + 1) + 2 * width, &scratch);
    if (taken) {
        fill_program(&made, face, scale_of(face));
        *solved = solve(&made, face, query, multipliers);
    }
    qkv_status status = taken ? QKV_OK : qkv__reach_no_memory(&scratch, error);
    qkv__arena_free(&scratch);
    return status;
}
