/*
 * Expectations of polynomials in random parameters, exactly. Knows the laws of parameters; nothing
 * of propositions, and no floating point.
 *
 * A term of the polynomial is a number times powers of normal parameters eps, which are independent
 * of all else, times inner products x.y of which one side or both are noise. Powers of eps follow
 * from E eps^k = m E eps^(k-1) + (k-1) v E eps^(k-2).
 *
 * Inner products with noise follow from Isserlis's theorem (1918): the expectation of a product of
 * centred jointly normal numbers is the sum over all ways to pair them of the products of the
 * pairs' covariances. For standard noise, E z z' = I, pairing two z joins the inner products that
 * they stand in: (x.z)(z.y) becomes x.y, and z.z alone becomes the trace of I, the dimension. So
 * the expectation is a sum over pairings of equal noise, each a product of inner products of fixed
 * vectors and of dimensions. Noise of different keys is independent: it is never paired. The sum
 * over the rest of the keys pairs with itself as many times as there are such keys, and once with
 * any one of them.
 *
 * The length |z| of standard noise is independent of its direction z/|z|. So for T of degree D in z
 *
 *     E T |z|^m = E T * E |z|^(D + m) / E |z|^D,
 *
 * and E |z|^(2k + 2) = (d + 2k) E |z|^(2k): this is how vectors of length 1 are averaged.
 */
#include "claim/chance/moment.h"

#include <assert.h>
#include <string.h>

#include "claim/model/evaluate.h"
#include "claim/model/random_number.h"
#include "claim/chance/number_law.h"
#include "claim/model/random_parameters.h"
#include "language/law.h"
#include "language/tree.h"

enum { FACTORS = 12, WORK = 20000 };

/* An inner product under way; a side that is noise waits to be paired. */
typedef struct edge {
    qkv__symbol side[2];
} edge;

/* Powers of lengths of noise that are no polynomials: |z|^power. */
typedef struct lengths {
    size_t count;
    qkv__symbol symbol[FACTORS];
    int power[FACTORS];
} lengths;

typedef struct pairing {
    qkv__situation *s;
    size_t left; /* pairings that may still be made */
    bool failed;
} pairing;

qkv__ratio qkv__moment_apply(const qkv__situation *s, qkv__ratio f)
{
    qkv__ratio applied = qkv__situation_apply(s, f);
    return qkv__ratio_is_lost(applied) && s->substitution_count == 0 ? f : applied;
}

/* ---- Parameters ---------------------------------------------------------------------- */

/* Whether something is given of a random parameter: then its law is another. That a square is not
 * negative is no such thing. */
static bool is_given(const qkv__situation *s, int parameter)
{
    assert(qkv__is_parameter(&s->model->algebra, parameter));
    const qkv__parameter *known = &s->model->algebra.parameter[parameter];
    const qkv__unknown_product *u = qkv__random_product(s->model, parameter);
    bool square = u != NULL && qkv__symbol_equal(u->x, u->y) && !known->upper.known &&
                  known->lower.known && qkv__rational_is_zero(known->lower.value);
    return !square && (known->lower.known || known->upper.known);
}

/* Whether something is given of any inner product with noise: others are correlated with it. */
static bool is_any_given(const qkv__situation *s)
{
    for (int p = 0; p < (int)s->model->algebra.parameter_count; p++)
        if (qkv__random_product(s->model, p) != NULL && is_given(s, p)) return true;
    return false;
}

static qkv__ratio product_of(qkv__situation *s, qkv__symbol x, qkv__symbol y)
{
    qkv__space *space = &s->model->space;
    return qkv__vector_dot(space, qkv__vector_symbol(space, x.family, x.member),
                           qkv__vector_symbol(space, y.family, y.member));
}

/* How often one noise pairs with another: E z w' = count * I. */
static qkv__ratio pairs(qkv__situation *s, qkv__symbol z, qkv__symbol w)
{
    qkv__algebra *algebra = &s->model->algebra;
    bool z_sum = z.member == QKV__REST, w_sum = w.member == QKV__REST;
    if (z.family != w.family || !z.family->noise) return qkv__ratio_whole(algebra, 0);
    if (z_sum && w_sum) return qkv__rest_size(algebra, z.family->set);
    if (z_sum || w_sum)
        return qkv__ratio_whole(algebra, (z_sum ? w : z).member == QKV__GENERIC ? 1 : 0);
    return qkv__ratio_whole(algebra, z.member == w.member ? 1 : 0);
}

/* d of `dimension d`, or of vector q[d] ~ ...; NULL: the statement says nothing of it. */
static const qkv__node *dimension_in(const qkv__statement *st)
{
    return strcmp(st->text, "values") == 0 ? NULL : qkv__law_dimension(st);
}

/* The dimension of all vectors but values; all that name one name the same. */
static bool dimension_of(qkv__situation *s, qkv__ratio *dimension)
{
    const qkv__node *found = s->model->frames[0].dimension, *culprit;
    qkv__failure failure = {0};
    qkv__value value;
    for (const qkv__statement *st = s->model->statements; st != NULL;
         st = qkv__statement_after(st)) {
        const qkv__node *named = dimension_in(st);
        if (named == NULL) continue;
        if (found != NULL && !qkv__law_is_same_dimension(found, named)) return false;
        found = named;
    }
    return found != NULL &&
           qkv__model_evaluate(s->model, found, NULL, &value, &failure, &culprit) &&
           qkv__value_as_ratio(&value, dimension);
}

/* ---- Pairings ------------------------------------------------------------------------ */

static bool find_noise(const edge *edges, size_t count, size_t *at, int *side)
{
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
            if (edges[i].side[k].family->noise) return *at = i, *side = k, true;
    return false;
}

static qkv__ratio pair_up(pairing *p, const edge *edges, size_t count);

/* One noise side and another, paired: the two products become one, or a circle. */
static qkv__ratio join(pairing *p, const edge *edges, size_t count, size_t at, int side,
                       size_t with, int other)
{
    qkv__algebra *algebra = &p->s->model->algebra;
    edge rest[FACTORS];
    size_t kept = 0;
    qkv__ratio factor = pairs(p->s, edges[at].side[side], edges[with].side[other]), dimension;
    if (qkv__ratio_is_zero(factor)) return factor;
    for (size_t i = 0; i < count; i++)
        if (i != at && i != with) rest[kept++] = edges[i];
    if (at != with) {
        rest[kept++] = (edge){{edges[at].side[1 - side], edges[with].side[1 - other]}};
    } else {
        p->failed = p->failed || !dimension_of(p->s, &dimension);
        if (p->failed) return factor;
        factor = qkv__ratio_multiply(algebra, factor, dimension);
    }
    return qkv__ratio_multiply(algebra, factor, pair_up(p, rest, kept));
}

/* The expectation of a product of inner products. */
static qkv__ratio pair_up(pairing *p, const edge *edges, size_t count)
{
    qkv__algebra *algebra = &p->s->model->algebra;
    size_t at;
    int side;
    qkv__ratio sum = qkv__ratio_whole(algebra, 0), product = qkv__ratio_whole(algebra, 1);
    p->failed = p->failed || p->left == 0;
    if (p->failed) return sum;
    p->left--;
    if (!find_noise(edges, count, &at, &side)) {
        for (size_t i = 0; i < count; i++)
            product = qkv__ratio_multiply(algebra, product,
                                          product_of(p->s, edges[i].side[0], edges[i].side[1]));
        return product;
    }
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
            if (edges[i].side[k].family->noise && (i > at || (i == at && k > side)))
                sum = qkv__ratio_add(algebra, sum, join(p, edges, count, at, side, i, k));
    return sum;
}

/* ---- Terms --------------------------------------------------------------------------- */

static bool is_noise(qkv__symbol x)
{
    return x.family->noise && x.member != QKV__REST;
}

/* (z.z)^(power/2), where that is no polynomial. */
static bool take_length(const qkv__unknown_product *u, int power, lengths *taken)
{
    if (u == NULL || !qkv__symbol_equal(u->x, u->y) || !is_noise(u->x) || taken->count == FACTORS)
        return false;
    taken->symbol[taken->count] = u->x;
    taken->power[taken->count++] = power;
    return true;
}

/* How often noise stands in the inner products; -1 where a sum over keys holds it as well. */
static int degree_in(qkv__symbol z, const edge *edges, size_t count)
{
    int degree = 0;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++) {
            const qkv__symbol side = edges[i].side[k];
            if (side.family == z.family && side.member == QKV__REST) return -1;
            degree += qkv__symbol_equal(side, z);
        }
    return degree;
}

/* The factors E |z|^(D + m)/E |z|^D of all lengths; `mean` is that of the inner products. Where it
 * is 0, so is all, if there is an expectation: D + m >= 0 is enough for that. */
static bool apply_lengths(qkv__situation *s, const lengths *taken, const edge *edges, size_t count,
                          qkv__ratio *mean)
{
    qkv__algebra *algebra = &s->model->algebra;
    const bool zero = qkv__ratio_is_zero(*mean);
    qkv__ratio dimension;
    if (taken->count > 0 && !zero && !dimension_of(s, &dimension)) return false;
    for (size_t i = 0; i < taken->count; i++) {
        const int degree = degree_in(taken->symbol[i], edges, count);
        const int left = degree + taken->power[i];
        if (degree < 0 || left < 0) return false;
        if (zero) continue;
        if (degree % 2 != 0 || left % 2 != 0 || left > degree) return false;
        for (int k = left; k < degree; k += 2)
            *mean = qkv__ratio_divide(
                algebra, *mean, qkv__ratio_add(algebra, dimension, qkv__ratio_whole(algebra, k)));
    }
    return !qkv__ratio_is_lost(*mean);
}

/* The random factors of a term: powers of normal numbers multiply into *mean, inner products and
 * lengths are collected. The term without them is left in *plain. */
static bool take_apart(qkv__situation *s, qkv__term *plain, qkv__ratio *mean, edge *edges,
                       size_t *count, lengths *taken)
{
    qkv__model *model = s->model;
    *count = taken->count = 0;
    for (int p = 0; p < (int)model->algebra.parameter_count; p++) {
        if (!qkv__random_is(model, p)) continue;
        int power = plain->power[p] / 2;
        if (plain->power[p] == 0) continue;
        const qkv__chance *chance = qkv__random_chance(model, p);
        const qkv__unknown_product *u = qkv__random_product(model, p);
        if (is_given(s, p)) return false;
        if (plain->power[p] < 0 || plain->power[p] % 2 != 0) {
            if (chance != NULL || is_any_given(s) || !take_length(u, plain->power[p], taken))
                return false;
            plain->power[p] = 0;
            continue;
        }
        plain->power[p] = 0;
        if (chance != NULL) {
            if (power > 2 * FACTORS) return false;
            *mean = qkv__ratio_multiply(&model->algebra, *mean,
                                        qkv__law_power_mean(&model->algebra, chance, power));
        } else if (u != NULL && *count + (size_t)power <= FACTORS && !is_any_given(s)) {
            for (int k = 0; k < power; k++) edges[(*count)++] = (edge){{u->x, u->y}};
        } else {
            return false;
        }
    }
    return true;
}

static bool is_random_exponent(const qkv__situation *s, const qkv__form *exponent)
{
    for (int p = 0; exponent != NULL && p < (int)s->model->algebra.parameter_count; p++)
        if (qkv__form_depends_on(exponent, p) && qkv__random_is(s->model, p)) return true;
    return false;
}

static bool is_normal(qkv__situation *s, int p);
static bool is_linear(qkv__situation *s, const qkv__form *form);

/* E f e^L, where L is linear in normal numbers: their law with the weight e^L/E e^L is the law of
 * the same numbers moved by their covariances with L, and E e^L = e^(mean + variance/2). */
static bool tilted_mean(qkv__situation *s, const qkv__term *term, qkv__ratio *mean)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__term plain = *term;
    plain.exponent = NULL;
    qkv__ratio tilt = qkv__ratio_of_form(algebra, term->exponent), centre, spread;
    qkv__ratio moved = qkv__ratio_of_form(algebra, qkv__form_term(algebra, &plain));
    if (!is_linear(s, term->exponent) || !qkv__moment_normal(s, tilt, &centre, &spread))
        return false;
    const int count = (int)algebra->parameter_count;
    for (int p = 0; p < count; p++) {
        if (term->power[p] == 0 || !qkv__random_is(s->model, p)) continue;
        qkv__ratio alone = qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, p)), shift;
        qkv__rational below;
        if (!is_normal(s, p) || !qkv__moment_covariance(s, alone, tilt, &shift) ||
            !qkv__form_is_constant(shift.denominator, &below))
            return false;
        qkv__ratio there = qkv__ratio_add(algebra, alone, shift);
        moved = qkv__ratio_substitute(
            algebra, moved, p,
            qkv__form_scale(algebra, there.numerator,
                            qkv__rational_divide(qkv__rational_whole(1), below)));
    }
    qkv__ratio half = qkv__ratio_divide(algebra, spread, qkv__ratio_whole(algebra, 2));
    qkv__ratio factor = qkv__ratio_exponential(algebra, qkv__ratio_add(algebra, centre, half));
    if (qkv__ratio_is_lost(factor) || !qkv__moment_mean(s, moved, mean)) return false;
    *mean = qkv__ratio_multiply(algebra, *mean, factor);
    return !qkv__ratio_is_lost(*mean);
}

/* E e^(slope*x) times the rest, where x is uniform and stands in the exponent alone. */
static bool uniform_exponent_mean(qkv__situation *s, const qkv__term *term,
                                  const qkv__chance *chance, qkv__ratio slope, qkv__ratio rest,
                                  qkv__ratio *mean)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__term plain = *term;
    qkv__ratio factor;
    plain.exponent = NULL;
    if (term->power[chance->parameter] != 0 || is_given(s, chance->parameter) ||
        qkv__random_touches(s->model, slope) ||
        !qkv__law_exponential_mean(algebra, chance, slope, &factor))
        return false;
    qkv__ratio others =
        qkv__ratio_multiply(algebra, qkv__ratio_of_form(algebra, qkv__form_term(algebra, &plain)),
                            qkv__ratio_exponential(algebra, rest));
    if (qkv__ratio_is_lost(others) || !qkv__moment_mean(s, others, mean)) return false;
    *mean = qkv__ratio_multiply(algebra, *mean, factor);
    return !qkv__ratio_is_lost(*mean);
}

static bool exponent_mean(qkv__situation *s, const qkv__term *term, qkv__ratio *mean)
{
    qkv__ratio slope, rest;
    const qkv__chance *uniform = qkv__law_linear_uniform(
        s, qkv__ratio_of_form(&s->model->algebra, term->exponent), &slope, &rest);
    return uniform != NULL ? uniform_exponent_mean(s, term, uniform, slope, rest, mean)
                           : tilted_mean(s, term, mean);
}

static bool term_mean(qkv__situation *s, const qkv__term *term, qkv__ratio *mean)
{
    if (is_random_exponent(s, term->exponent)) return exponent_mean(s, term, mean);

    qkv__algebra *algebra = &s->model->algebra;
    qkv__term plain = *term;
    edge edges[FACTORS];
    size_t count;
    lengths taken;
    pairing p = {.s = s, .left = WORK};
    *mean = qkv__ratio_whole(algebra, 1);
    if (!take_apart(s, &plain, mean, edges, &count, &taken)) return false;
    qkv__ratio products = pair_up(&p, edges, count);
    if (p.failed || !apply_lengths(s, &taken, edges, count, &products)) return false;
    *mean = qkv__ratio_multiply(algebra, *mean, products);
    *mean = qkv__ratio_multiply(algebra, *mean,
                                qkv__ratio_of_form(algebra, qkv__form_term(algebra, &plain)));
    return !p.failed && !qkv__ratio_is_lost(*mean);
}

/* What is 1 with probability p and else 0: E f = p E f(1) + (1 - p) E f(0). */
static bool two_sided_mean(qkv__situation *s, qkv__ratio f, const qkv__chance *chance,
                           qkv__ratio *mean)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__ratio part[2],
        chances[2] = {qkv__ratio_subtract(algebra, qkv__ratio_whole(algebra, 1), chance->mean),
                      chance->mean};
    if (is_given(s, chance->parameter)) return false;
    *mean = qkv__ratio_whole(algebra, 0);
    for (int i = 0; i < 2; i++) {
        qkv__ratio there =
            qkv__ratio_substitute(algebra, f, chance->parameter, qkv__form_whole(algebra, i));
        if (!qkv__moment_mean(s, there, &part[i])) return false;
        *mean = qkv__ratio_add(algebra, *mean, qkv__ratio_multiply(algebra, chances[i], part[i]));
    }
    *mean = qkv__situation_apply(s, *mean);
    return !qkv__ratio_is_lost(*mean);
}

bool qkv__moment_mean(qkv__situation *s, qkv__ratio f, qkv__ratio *mean)
{
    qkv__algebra *algebra = &s->model->algebra;
    const qkv__chance *chance;
    if (qkv__ratio_is_lost(f)) return false;
    if (qkv__law_is_discrete(s, f, &chance)) return two_sided_mean(s, f, chance, mean);
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__form_depends_on(f.denominator, p) && qkv__random_is(s->model, p)) return false;
    *mean = qkv__ratio_whole(algebra, 0);
    for (size_t i = 0; i < f.numerator->count; i++) {
        qkv__ratio part;
        if (!term_mean(s, &f.numerator->term[i], &part)) return false;
        *mean = qkv__ratio_add(algebra, *mean, part);
    }
    *mean = qkv__ratio_divide(algebra, *mean, qkv__ratio_of_form(algebra, f.denominator));
    *mean = qkv__situation_apply(s, *mean);
    return !qkv__ratio_is_lost(*mean);
}

bool qkv__moment_covariance(qkv__situation *s, qkv__ratio f, qkv__ratio g, qkv__ratio *covariance)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__ratio product, first, second;
    if (!qkv__moment_mean(s, f, &first) || !qkv__moment_mean(s, g, &second) ||
        !qkv__moment_mean(s, qkv__ratio_multiply(algebra, f, g), &product))
        return false;
    *covariance =
        qkv__ratio_subtract(algebra, product, qkv__ratio_multiply(algebra, first, second));
    return !qkv__ratio_is_lost(*covariance);
}

/* ---- Vectors ------------------------------------------------------------------------- */

/* Noise has the mean 0, if its coefficient is not random itself. */
bool qkv__moment_vector(qkv__situation *s, const qkv__vector *x, const qkv__vector **mean)
{
    qkv__space *space = &s->model->space;
    *mean = qkv__vector_zero(space);
    for (size_t i = 0; x != NULL && i < x->count; i++) {
        qkv__symbol symbol = x->component[i].symbol;
        qkv__ratio factor = qkv__moment_apply(s, x->component[i].factor);
        if (symbol.family->noise && qkv__random_touches(s->model, factor)) return false;
        if (symbol.family->noise) continue;
        if (!qkv__moment_mean(s, factor, &factor)) return false;
        *mean = qkv__vector_add(
            space, *mean,
            qkv__vector_scale(space, qkv__vector_symbol(space, symbol.family, symbol.member),
                              factor));
    }
    return x != NULL && *mean != NULL;
}

/* E|x|^2 - |E x|^2 */
bool qkv__moment_spread(qkv__situation *s, const qkv__vector *x, qkv__ratio *variance)
{
    qkv__space *space = &s->model->space;
    const qkv__vector *mean;
    qkv__ratio square;
    if (!qkv__moment_vector(s, x, &mean) ||
        !qkv__moment_mean(s, qkv__moment_apply(s, qkv__vector_dot(space, x, x)), &square))
        return false;
    qkv__ratio centre = qkv__situation_apply(s, qkv__vector_dot(space, mean, mean));
    *variance = qkv__ratio_subtract(space->algebra, square, centre);
    return !qkv__ratio_is_lost(*variance);
}

/* ---- Normal laws --------------------------------------------------------------------- */

/* Whether a parameter is normal: not an inner product of two noises, nor what sums of exponentials
 * leave. */
static bool is_normal(qkv__situation *s, int p)
{
    const qkv__unknown_product *u = qkv__random_product(s->model, p);
    if (!qkv__random_is(s->model, p) || is_given(s, p)) return false;
    const qkv__chance *chance = qkv__random_chance(s->model, p);
    return (chance != NULL && chance->law == QKV__LAW_NORMAL) ||
           (u != NULL && u->x.family->noise != u->y.family->noise && !is_any_given(s));
}

bool qkv__moment_of_parameter(qkv__situation *s, int parameter, qkv__ratio *mean)
{
    qkv__algebra *algebra = &s->model->algebra;
    return is_normal(s, parameter) &&
           qkv__moment_mean(s, qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, parameter)),
                            mean);
}

bool qkv__moment_of_parameters(qkv__situation *s, int p, int q, qkv__ratio *covariance)
{
    qkv__algebra *algebra = &s->model->algebra;
    return is_normal(s, p) && is_normal(s, q) &&
           qkv__moment_covariance(s, qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, p)),
                                  qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, q)),
                                  covariance);
}

/* At most one random parameter a term, and it to the first power; none in an exponent. */
static bool is_linear(qkv__situation *s, const qkv__form *form)
{
    for (size_t i = 0; i < form->count; i++) {
        int degree = 0;
        if (is_random_exponent(s, form->term[i].exponent)) return false;
        for (int p = 0; p < (int)s->model->algebra.parameter_count; p++) {
            if (form->term[i].power[p] == 0 || !qkv__random_is(s->model, p)) continue;
            if (!is_normal(s, p) || form->term[i].power[p] != 2) return false;
            degree++;
        }
        if (degree > 1) return false;
    }
    return true;
}

bool qkv__moment_normal(qkv__situation *s, qkv__ratio f, qkv__ratio *mean, qkv__ratio *variance)
{
    return !qkv__ratio_is_lost(f) && is_linear(s, f.numerator) && qkv__moment_mean(s, f, mean) &&
           qkv__moment_covariance(s, f, f, variance);
}

/* ---- Signs --------------------------------------------------------------------------- */

/* Whether a product of noise with other noise changes its sign with the one, and is almost never 0.
 */
static bool is_balanced_product(const qkv__unknown_product *u)
{
    return u != NULL && is_noise(u->x) && is_noise(u->y) && !qkv__symbol_equal(u->x, u->y);
}

bool qkv__moment_is_balanced(qkv__situation *s, qkv__ratio f)
{
    qkv__algebra *algebra = &s->model->algebra;
    if (qkv__ratio_is_lost(f) || f.numerator->count != 1 || is_any_given(s)) return false;
    qkv__term rest = f.numerator->term[0];
    size_t products = 0;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        if (!qkv__random_is(s->model, p)) continue;
        if (qkv__form_depends_on(f.denominator, p)) return false;
        const qkv__unknown_product *u = qkv__random_product(s->model, p);
        const bool length = u != NULL && qkv__symbol_equal(u->x, u->y) && is_noise(u->x);
        const bool once = rest.power[p] == 2 && is_balanced_product(u) && products == 0;
        if (rest.power[p] != 0 && !length && !once) return false;
        products += once;
        rest.power[p] = 0; /* lengths are positive */
    }
    const qkv__sign sign =
        qkv__sign_multiply(qkv__form_sign(algebra, qkv__form_term(algebra, &rest)),
                           qkv__form_sign(algebra, f.denominator));
    return products == 1 && !is_random_exponent(s, rest.exponent) &&
           (sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NEGATIVE);
}
