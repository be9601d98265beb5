/*
 * Newton's method on a logarithmic barrier: with M = Q + sum x_k N_k + s I, minimise
 *
 *     weight * s - log det M
 *
 * for growing weights, so that s falls to minus the largest smallest eigenvalue. Proves nothing.
 */
#include "ball/center.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { ROUNDS = 26, STEPS = 14, HALVINGS = 40 };

/* Everything in one block of memory. */
typedef struct state {
    const qkv__pencil *pencil;
    size_t n, unknowns;                /* unknowns: those of the pencil, and s behind them */
    double weight;                     /* of s */
    double *x, *trial, *step;          /* unknowns each */
    double *matrix, *inverse, *square; /* n x n; the matrix turns into its Cholesky factor */
    double *hessian;                   /* unknowns x unknowns */
} state;

/* ---- Linear algebra ------------------------------------------------------------------------- */

/* The lower factor in place; false when the matrix is not positive definite. */
static bool factorise(double *a, size_t n)
{
    assert(n > 0);
    for (size_t j = 0; j < n; j++) {
        double pivot = a[j * n + j];
        for (size_t k = 0; k < j; k++) pivot -= a[j * n + k] * a[j * n + k];
        if (!(pivot > 0)) return false;
        pivot = a[j * n + j] = sqrt(pivot);
        for (size_t i = j + 1; i < n; i++) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = sum / pivot;
        }
    }
    return true;
}

/* Solves with the factor, in place. */
static void solve(const double *factor, size_t n, double *b)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) b[i] -= factor[i * n + k] * b[k];
        b[i] /= factor[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) b[i] -= factor[k * n + i] * b[k];
        b[i] /= factor[i * n + i];
    }
}

/* ---- The matrix ------------------------------------------------------------------------------ */

static void add_entry(double *a, size_t n, int i, int j, double value)
{
    assert(i >= 0 && j >= 0 && (size_t)i < n && (size_t)j < n);
    a[(size_t)i * n + (size_t)j] += value;
    if (i != j) a[(size_t)j * n + (size_t)i] += value;
}

static void set_matrix(state *s, const double *x)
{
    const qkv__pencil *pencil = s->pencil;
    memcpy(s->matrix, pencil->constant, s->n * s->n * sizeof *s->matrix);
    for (size_t k = 0; k < pencil->count; k++) {
        const qkv__entry_pair *u = &pencil->unknown[k];
        add_entry(s->matrix, s->n, u->row, u->column, x[k]);
        add_entry(s->matrix, s->n, u->pivot_row, u->pivot_column, u->factor * x[k]);
    }
    for (size_t i = 0; i < s->n; i++) s->matrix[i * s->n + i] += x[pencil->count];
}

/* The barrier function at x; infinite where the matrix is not positive definite. Leaves the factor
 * in the matrix. */
static double barrier_at(state *s, const double *x)
{
    set_matrix(s, x);
    if (!factorise(s->matrix, s->n)) return INFINITY;
    double sum = s->weight * x[s->pencil->count];
    for (size_t i = 0; i < s->n; i++) sum -= 2 * log(s->matrix[i * s->n + i]);
    return sum;
}

static void invert(state *s)
{
    for (size_t j = 0; j < s->n; j++) {
        double *row = s->inverse + j * s->n;
        memset(row, 0, s->n * sizeof *row);
        row[j] = 1;
        solve(s->matrix, s->n, row);
    }
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < s->n; j++) {
            double sum = 0;
            for (size_t k = 0; k < s->n; k++)
                sum += s->inverse[i * s->n + k] * s->inverse[k * s->n + j];
            s->square[i * s->n + j] = sum;
        }
}

/* ---- Newton's step --------------------------------------------------------------------------- */

typedef struct entry {
    size_t row, column;
    double value;
} entry;

/* N_k entry by entry, at most four of them. */
static size_t entries_of(const qkv__entry_pair *u, entry found[4])
{
    size_t count = 0;
    size_t r = (size_t)u->row, c = (size_t)u->column;
    size_t pr = (size_t)u->pivot_row, pc = (size_t)u->pivot_column;
    found[count++] = (entry){r, c, 1};
    if (r != c) found[count++] = (entry){c, r, 1};
    found[count++] = (entry){pr, pc, u->factor};
    if (pr != pc) found[count++] = (entry){pc, pr, u->factor};
    return count;
}

/* The trace of A N_k for a symmetric A. */
static double trace_with(const state *s, const double *a, size_t k)
{
    entry of[4];
    size_t count = entries_of(&s->pencil->unknown[k], of);
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += of[i].value * a[of[i].column * s->n + of[i].row];
    return sum;
}

/* The trace of G N_k G N_l, G the inverse. */
static double trace_of_both(const state *s, size_t k, size_t l)
{
    entry a[4], b[4];
    size_t count_a = entries_of(&s->pencil->unknown[k], a);
    size_t count_b = entries_of(&s->pencil->unknown[l], b);
    const double *g = s->inverse;
    double sum = 0;
    for (size_t i = 0; i < count_a; i++)
        for (size_t j = 0; j < count_b; j++)
            sum += a[i].value * b[j].value * g[a[i].column * s->n + b[j].row] *
                   g[b[j].column * s->n + a[i].row];
    return sum;
}

/* Gradient into step, negated, and the Hessian. */
static void set_derivatives(state *s)
{
    size_t count = s->pencil->count, m = s->unknowns;
    double trace = 0, trace_of_square = 0;
    for (size_t i = 0; i < s->n; i++) {
        trace += s->inverse[i * s->n + i];
        trace_of_square += s->square[i * s->n + i];
    }
    for (size_t k = 0; k < count; k++) {
        s->step[k] = trace_with(s, s->inverse, k);
        s->hessian[k * m + count] = s->hessian[count * m + k] = trace_with(s, s->square, k);
        for (size_t l = 0; l <= k; l++)
            s->hessian[k * m + l] = s->hessian[l * m + k] = trace_of_both(s, k, l);
    }
    s->step[count] = trace - s->weight;
    s->hessian[count * m + count] = trace_of_square;
}

/* One step, as long as the function falls. Returns by how much; negative when it broke down. */
static double newton_step(state *s, double *value)
{
    invert(s);
    set_derivatives(s);
    if (!factorise(s->hessian, s->unknowns)) return -1;
    solve(s->hessian, s->unknowns, s->step);
    double length = 1, before = *value;
    for (int i = 0; i < HALVINGS; i++, length /= 2) {
        for (size_t k = 0; k < s->unknowns; k++) s->trial[k] = s->x[k] + length * s->step[k];
        double there = barrier_at(s, s->trial);
        if (!(there < before)) continue;
        memcpy(s->x, s->trial, s->unknowns * sizeof *s->x);
        *value = there;
        return before - there;
    }
    return 0;
}

static bool follow_path(state *s)
{
    static const double enough = -0.02; /* entries are of the size of 1 */
    size_t count = s->pencil->count;
    for (int round = 0; round < ROUNDS; round++, s->weight *= 4) {
        double value = barrier_at(s, s->x), fall = INFINITY;
        if (!isfinite(value)) return round > 0;
        for (int i = 0; i < STEPS && fall > 1e-4; i++) {
            fall = newton_step(s, &value);
            if (fall < 0) return round > 0;
            if (!isfinite(barrier_at(s, s->x))) return round > 0;
        }
        if (s->x[count] < enough) return true;
    }
    return true;
}

bool qkv__center_find(const qkv__pencil *pencil, double *values)
{
    size_t n = pencil->size, m = pencil->count + 1;
    state s = {.pencil = pencil, .n = n, .unknowns = m, .weight = 1};
    double *memory = qkv__allocate((3 * m + 3 * n * n + m * m) * sizeof *memory);
    if (memory == NULL) return false;
    s.x = memory;
    s.trial = s.x + m;
    s.step = s.trial + m;
    s.matrix = s.step + m;
    s.inverse = s.matrix + n * n;
    s.square = s.inverse + n * n;
    s.hessian = s.square + n * n;
    memcpy(s.x, values, pencil->count * sizeof *values);
    s.x[pencil->count] = 0;
    set_matrix(&s, s.x);
    double most = 0;
    for (size_t i = 0; i < n * n; i++) most = fmax(most, fabs(s.matrix[i]));
    s.x[pencil->count] = 1 + (double)n * most; /* then diagonally dominant */
    bool found = follow_path(&s);
    memcpy(values, s.x, pencil->count * sizeof *values);
    qkv__free(memory);
    return found;
}
