/* From a polynomial to its Gram matrix, and the exact check. Knows nothing of exponentials. */
#include "ball/gram.h"
#include "ball/fraction.h"

#include <math.h>
#include <string.h>

#include <flint/fmpq_mat.h>

#include "ball/cells.h"
#include "ball/center.h"
#include "base/memory.h"

enum {
    VARIABLES = 7,
    TERMS = 128,    /* of the polynomial */
    MONOMIALS = 24, /* rows of the matrix */
    PAIRS = MONOMIALS * (MONOMIALS + 1) / 2,
    UNKNOWNS = 64,
    BOX = 20000,      /* points in the polytope's box, */
    CANDIDATES = 512, /* and those of them up to its degree */
    SIFTED = 96,      /* and inside of it */
};

typedef struct monomial {
    int16_t degree[VARIABLES];
} monomial;

/* Products of two monomials; those with the same product share one coefficient. */
typedef struct pair {
    int row, column;
    size_t product;
} pair;

typedef struct product {
    monomial value;
    qkv__rational coefficient; /* of the polynomial */
    size_t pivot;              /* the pair that makes up for the others */
    int weight;                /* of all its entries together: 1 on the diagonal, else 2 */
} product;

typedef struct gram {
    const qkv__form *polynomial;
    size_t variables;
    int variable[VARIABLES]; /* parameters of the polynomial */
    size_t count;
    monomial row[CANDIDATES];
    uint32_t parities[VARIABLES]; /* a basis of the terms' parities, by leading bit */
    size_t pair_count, product_count, unknown_count;
    pair pairs[PAIRS];
    product products[PAIRS];
    size_t unknown[UNKNOWNS]; /* pairs that are free */
} gram;

/* ---- Monomials ------------------------------------------------------------------------------ */

static bool find_variables(gram *g)
{
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        if (!qkv__form_depends_on(g->polynomial, p)) continue;
        if (g->variables == VARIABLES) return false;
        g->variable[g->variables++] = p;
    }
    return g->variables > 0;
}

static int degree_of_term(const gram *g, size_t term, size_t variable)
{
    return g->polynomial->term[term].power[g->variable[variable]] / 2;
}

static int functional_of_term(const gram *g, size_t term, const int *functional)
{
    int sum = 0;
    for (size_t v = 0; v < g->variables; v++) sum += functional[v] * degree_of_term(g, term, v);
    return sum;
}

/* Keeps the monomials whose doubles a linear functional does not tell apart from the polytope. */
static void keep_between(gram *g, const int *functional)
{
    int least = functional_of_term(g, 0, functional), most = least;
    for (size_t i = 1; i < g->polynomial->count; i++) {
        int value = functional_of_term(g, i, functional);
        if (value < least) least = value;
        if (value > most) most = value;
    }
    size_t kept = 0;
    for (size_t i = 0; i < g->count; i++) {
        int value = 0;
        for (size_t v = 0; v < g->variables; v++) value += functional[v] * g->row[i].degree[v];
        if (least <= 2 * value && 2 * value <= most) g->row[kept++] = g->row[i];
    }
    g->count = kept;
}

/* All functionals with entries -1, 0, 1. */
static void keep_inside(gram *g)
{
    int functional[VARIABLES];
    for (size_t v = 0; v < g->variables; v++) functional[v] = -1;
    for (size_t v = 0; v < g->variables;) {
        keep_between(g, functional);
        for (v = 0; v < g->variables && functional[v] == 1; v++) functional[v] = -1;
        if (v < g->variables) functional[v]++;
    }
}

/* Half of each variable's least and greatest degree, rounded inward. False when there is nothing
 * between them, or too much. */
static bool halve_degrees(const gram *g, int16_t *least, int16_t *most)
{
    long points = 1;
    for (size_t v = 0; v < g->variables; v++) {
        int low = degree_of_term(g, 0, v), high = low;
        for (size_t i = 1; i < g->polynomial->count; i++) {
            int degree = degree_of_term(g, i, v);
            if (degree < low) low = degree;
            if (degree > high) high = degree;
        }
        least[v] = (int16_t)((low + 1) / 2);
        most[v] = (int16_t)(high / 2);
        if (least[v] > most[v]) return false;
        points *= most[v] - least[v] + 1;
        if (points > BOX) return false;
    }
    return true;
}

static int total_degree(const gram *g)
{
    int total = 0;
    for (size_t i = 0; i < g->polynomial->count; i++) {
        int sum = 0;
        for (size_t v = 0; v < g->variables; v++) sum += degree_of_term(g, i, v);
        if (sum > total) total = sum;
    }
    return total;
}

/* All monomials with half of each variable's degrees, up to half the total degree. */
static bool list_candidates(gram *g)
{
    int16_t least[VARIABLES], most[VARIABLES];
    int total = total_degree(g);
    monomial next = {{0}};
    if (!halve_degrees(g, least, most)) return false;
    memcpy(next.degree, least, g->variables * sizeof *least);
    for (size_t v = 0; v < g->variables;) {
        int sum = 0;
        for (size_t w = 0; w < g->variables; w++) sum += next.degree[w];
        if (2 * sum <= total) {
            if (g->count == CANDIDATES) return false;
            g->row[g->count++] = next;
        }
        for (v = 0; v < g->variables && next.degree[v] == most[v]; v++) next.degree[v] = least[v];
        if (v < g->variables) next.degree[v]++;
    }
    return true;
}

static monomial multiply(const gram *g, const monomial *a, const monomial *b)
{
    monomial both = {{0}};
    for (size_t v = 0; v < g->variables; v++)
        both.degree[v] = (int16_t)(a->degree[v] + b->degree[v]);
    return both;
}

static bool is_same(const monomial *a, const monomial *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* The term that is this monomial, or the number of terms. */
static size_t find_term(const gram *g, const monomial *wanted)
{
    size_t i = 0;
    for (; i < g->polynomial->count; i++) {
        bool same = true;
        for (size_t v = 0; v < g->variables; v++)
            same = same && degree_of_term(g, i, v) == wanted->degree[v];
        if (same) break;
    }
    return i;
}

/* ---- Signs of variables -----------------------------------------------------------------------
 */

static uint32_t parity_of(const gram *g, const monomial *a)
{
    uint32_t parity = 0;
    for (size_t v = 0; v < VARIABLES && v < g->variables; v++)
        parity |= (uint32_t)(a->degree[v] & 1) << v;
    return parity;
}

/* What is left of a parity modulo those of the terms. */
static uint32_t reduce_parity(const gram *g, uint32_t parity)
{
    for (size_t v = g->variables; v-- > 0;)
        if ((parity >> v & 1u) != 0 && g->parities[v] != 0) parity ^= g->parities[v];
    return parity;
}

static void find_parities(gram *g)
{
    for (size_t i = 0; i < g->polynomial->count; i++) {
        uint32_t parity = 0;
        for (size_t v = 0; v < g->variables; v++)
            parity |= (uint32_t)(degree_of_term(g, i, v) & 1) << v;
        parity = reduce_parity(g, parity);
        for (size_t v = g->variables; v-- > 0;)
            if ((parity >> v & 1u) != 0) {
                g->parities[v] = parity;
                break;
            }
    }
}

/* Changes of sign that leave the polynomial as it is keep some monomials apart: their products need
 * not occur. */
static bool may_meet(const gram *g, const monomial *a, const monomial *b)
{
    return reduce_parity(g, parity_of(g, a) ^ parity_of(g, b)) == 0;
}

/* A monomial whose square neither is a term nor can be made up for by other products has nothing
 * on its diagonal, and so no row. */
static bool is_needed(const gram *g, size_t i)
{
    monomial square = multiply(g, &g->row[i], &g->row[i]);
    if (find_term(g, &square) < g->polynomial->count) return true;
    for (size_t j = 0; j < g->count; j++)
        for (size_t k = 0; k < j; k++) {
            monomial other = multiply(g, &g->row[j], &g->row[k]);
            if (is_same(&other, &square) && may_meet(g, &g->row[j], &g->row[k])) return true;
        }
    return false;
}

static void drop_needless(gram *g)
{
    for (size_t i = 0; i < g->count;) {
        if (is_needed(g, i)) {
            i++;
        } else {
            g->row[i] = g->row[--g->count];
            i = 0;
        }
    }
}

/* ---- Equations ------------------------------------------------------------------------------ */

static size_t find_product(gram *g, const monomial *value)
{
    for (size_t i = 0; i < g->product_count; i++)
        if (is_same(&g->products[i].value, value)) return i;
    size_t term = find_term(g, value);
    product *made = &g->products[g->product_count];
    *made = (product){.value = *value, .coefficient = qkv__rational_whole(0)};
    if (term < g->polynomial->count) made->coefficient = g->polynomial->term[term].coefficient;
    made->pivot = g->pair_count;
    return g->product_count++;
}

/* Entries of one product share its coefficient: all but one of them are free. */
static bool list_pairs(gram *g)
{
    for (size_t i = 0; i < g->count; i++)
        for (size_t j = 0; j <= i; j++) {
            if (!may_meet(g, &g->row[i], &g->row[j])) continue;
            monomial value = multiply(g, &g->row[i], &g->row[j]);
            size_t which = find_product(g, &value);
            g->products[which].weight += i == j ? 1 : 2;
            if (g->products[which].pivot != g->pair_count) {
                if (g->unknown_count == UNKNOWNS) return false;
                g->unknown[g->unknown_count++] = g->pair_count;
            }
            g->pairs[g->pair_count++] = (pair){.row = (int)i, .column = (int)j, .product = which};
        }
    return true;
}

static int weight_of(const pair *p)
{
    return p->row == p->column ? 1 : 2;
}

/* Every term must be some product, and what stands on the diagonal alone not negative, or no matrix
 * fits. */
static bool may_fit(const gram *g)
{
    size_t found = 0;
    for (size_t i = 0; i < g->product_count; i++) {
        int sign = qkv__rational_sign(g->products[i].coefficient);
        if (sign < 0 && g->products[i].weight == 1) return false;
        found += sign != 0;
    }
    return found == g->polynomial->count;
}

static bool set_up(gram *g)
{
    if (!find_variables(g) || !list_candidates(g)) return false;
    find_parities(g);
    keep_inside(g);
    if (g->count > SIFTED) return false;
    drop_needless(g);
    return g->count > 0 && g->count <= MONOMIALS && list_pairs(g) && may_fit(g);
}

/* ---- A guess -------------------------------------------------------------------------------- */

static double largest_coefficient(const gram *g)
{
    double most = 0;
    for (size_t i = 0; i < g->polynomial->count; i++)
        most = fmax(most, fabs(qkv__rational_approximate(g->polynomial->term[i].coefficient)));
    return most;
}

/* The matrix with all unknowns 0, in units of the scale. */
static void set_constant(const gram *g, double scale, double *constant)
{
    size_t n = g->count;
    memset(constant, 0, n * n * sizeof *constant);
    for (size_t i = 0; i < g->product_count; i++) {
        const pair *pivot = &g->pairs[g->products[i].pivot];
        double value = qkv__rational_approximate(g->products[i].coefficient) / scale;
        size_t row = (size_t)pivot->row, column = (size_t)pivot->column;
        constant[row * n + column] = constant[column * n + row] = value / weight_of(pivot);
    }
}

static bool guess(const gram *g, double scale, double *values)
{
    double constant[MONOMIALS * MONOMIALS];
    qkv__entry_pair unknown[UNKNOWNS];
    set_constant(g, scale, constant);
    for (size_t k = 0; k < g->unknown_count; k++) {
        const pair *own = &g->pairs[g->unknown[k]];
        const product *shared = &g->products[own->product];
        const pair *pivot = &g->pairs[shared->pivot];
        unknown[k] = (qkv__entry_pair){.row = own->row,
                                       .column = own->column,
                                       .pivot_row = pivot->row,
                                       .pivot_column = pivot->column,
                                       .factor = -(double)weight_of(own) / weight_of(pivot)};
        values[k] = qkv__rational_approximate(shared->coefficient) / scale / shared->weight;
    }
    qkv__pencil pencil = {
        .size = g->count, .constant = constant, .count = g->unknown_count, .unknown = unknown};
    if (g->unknown_count > 0 && !qkv__center_find(&pencil, values)) return false;
    for (size_t k = 0; k < g->unknown_count; k++)
        if (!isfinite(values[k])) return false;
    return isfinite(scale);
}

/* ---- The check ------------------------------------------------------------------------------ */

static void set_entry(fmpq_mat_t matrix, const pair *at, const fmpq_t value)
{
    fmpq_set(fmpq_mat_entry(matrix, at->row, at->column), value);
    fmpq_set(fmpq_mat_entry(matrix, at->column, at->row), value);
}

/* The matrix with the unknowns rounded within the tolerance: the pivots take what is left of their
 * coefficients, so that v' Q v is the polynomial exactly. */
static void set_matrix(const gram *g, const double *values, double scale, double tolerance,
                       fmpq_mat_t matrix)
{
    fmpq_t value, part;
    fmpq_init(value);
    fmpq_init(part);
    fmpq_mat_zero(matrix);
    for (size_t k = 0; k < g->unknown_count; k++) {
        qkv__fmpq_simplest(value, (values[k] - tolerance) * scale, (values[k] + tolerance) * scale);
        set_entry(matrix, &g->pairs[g->unknown[k]], value);
    }
    for (size_t i = 0; i < g->product_count; i++) {
        const pair *pivot = &g->pairs[g->products[i].pivot];
        qkv__fmpq_set_rational(value, g->products[i].coefficient);
        for (size_t k = 0; k < g->unknown_count; k++) {
            const pair *own = &g->pairs[g->unknown[k]];
            if (own->product != i) continue;
            fmpq_mul_si(part, fmpq_mat_entry(matrix, own->row, own->column), weight_of(own));
            fmpq_sub(value, value, part);
        }
        fmpq_div_2exp(value, value, weight_of(pivot) == 2 ? 1 : 0);
        set_entry(matrix, pivot, value);
    }
    fmpq_clear(value);
    fmpq_clear(part);
}

static bool is_zero_row(const fmpq_mat_t a, slong k)
{
    for (slong j = k; j < fmpq_mat_ncols(a); j++)
        if (!fmpq_is_zero(fmpq_mat_entry(a, k, j))) return false;
    return true;
}

/* a - column k times row k over the pivot, for what lies behind k. */
static void eliminate(fmpq_mat_t a, slong k)
{
    slong n = fmpq_mat_nrows(a);
    fmpq_t factor;
    fmpq_init(factor);
    for (slong i = k + 1; i < n; i++) {
        if (fmpq_is_zero(fmpq_mat_entry(a, i, k))) continue;
        fmpq_div(factor, fmpq_mat_entry(a, i, k), fmpq_mat_entry(a, k, k));
        for (slong j = k + 1; j < n; j++)
            fmpq_submul(fmpq_mat_entry(a, i, j), factor, fmpq_mat_entry(a, k, j));
    }
    fmpq_clear(factor);
}

/* Gauss's elimination of a symmetric matrix: semidefinite just when no pivot is negative, and the
 * rows of pivots that are 0 are 0. definite[k]: whether pivot k is positive. */
static bool is_semidefinite(fmpq_mat_t a, bool *definite)
{
    for (slong k = 0; k < fmpq_mat_nrows(a); k++) {
        int sign = fmpq_sgn(fmpq_mat_entry(a, k, k));
        definite[k] = sign > 0;
        if (sign < 0 || (sign == 0 && !is_zero_row(a, k))) return false;
        if (sign > 0) eliminate(a, k);
    }
    return true;
}

static bool is_never_zero(const gram *g, const monomial *a, qkv__parameter_set never_zero)
{
    for (size_t v = 0; v < g->variables; v++)
        if (a->degree[v] != 0 && !qkv__parameter_set_has(never_zero, g->variable[v])) return false;
    return true;
}

/* A block with positive pivots alone is positive where its monomials do not vanish together. */
static bool is_positive(const gram *g, const bool *definite, qkv__parameter_set never_zero)
{
    for (size_t i = 0; i < g->count; i++) {
        if (!is_never_zero(g, &g->row[i], never_zero)) continue;
        bool all = true;
        for (size_t j = 0; j < g->count; j++)
            all = all && (definite[j] || !may_meet(g, &g->row[i], &g->row[j]));
        if (all) return true;
    }
    return false;
}

static qkv__outcome verify(const gram *g, const double *values, double scale, double tolerance,
                           qkv__parameter_set never_zero)
{
    bool definite[MONOMIALS];
    fmpq_mat_t matrix;
    fmpq_mat_init(matrix, (slong)g->count, (slong)g->count);
    set_matrix(g, values, scale, tolerance, matrix);
    qkv__outcome found = QKV__FAILED;
    if (is_semidefinite(matrix, definite))
        found = is_positive(g, definite, never_zero) ? QKV__STRICT : QKV__WEAK;
    fmpq_mat_clear(matrix);
    return found;
}

static qkv__outcome guess_and_verify(const gram *g, qkv__parameter_set never_zero)
{
    static const double tolerances[] = {0.1, 0.03, 1e-2, 1e-3, 1e-4, 1e-6};
    double values[UNKNOWNS] = {0}, scale = largest_coefficient(g);
    if (!guess(g, scale, values)) return QKV__FAILED;
    for (size_t i = 0; i < sizeof tolerances / sizeof tolerances[0]; i++) {
        qkv__outcome found = verify(g, values, scale, tolerances[i], never_zero);
        if (found != QKV__FAILED) return found;
        if (g->unknown_count == 0) break;
    }
    return QKV__FAILED;
}

qkv__outcome qkv__gram_prove(const qkv__form *polynomial, qkv__parameter_set never_zero)
{
    if (!qkv__form_is_polynomial(polynomial) || polynomial->count < 2 || polynomial->count > TERMS)
        return QKV__FAILED;
    gram *g = qkv__allocate(sizeof *g);
    if (g == NULL) return QKV__FAILED;
    memset(g, 0, sizeof *g);
    g->polynomial = polynomial;
    qkv__outcome found = set_up(g) ? guess_and_verify(g, never_zero) : QKV__FAILED;
    qkv__free(g);
    return found;
}
