/* Exponentials become variables. Knows nothing of signs. */
#include "exact/generators.h"

#include <assert.h>
#include <string.h>

static qkv__generator *find_generator(qkv__rewriting *r, const int16_t *power)
{
    for (size_t i = 0; i < r->count; i++)
        if (memcmp(r->generators[i].power, power, sizeof r->generators[i].power) == 0)
            return &r->generators[i];
    if (r->count == QKV__GENERATORS) return NULL;
    qkv__generator *made = &r->generators[r->count++];
    memcpy(made->power, power, sizeof made->power);
    made->divisor = 1;
    return made;
}

/* Notes the monomials of all exponents, and the least common denominator of each one's factors. */
static bool collect_generators(qkv__rewriting *r, const qkv__form *form)
{
    for (size_t i = 0; i < form->count; i++) {
        const qkv__form *exponent = form->term[i].exponent;
        for (size_t j = 0; exponent != NULL && j < exponent->count; j++) {
            qkv__generator *g = find_generator(r, exponent->term[j].power);
            if (g == NULL) return false;
            int64_t below = exponent->term[j].coefficient.denominator;
            int64_t factor = below / qkv__common_divisor(g->divisor, below);
            if (g->divisor > INT64_MAX / 1024 || factor > 1024) return false;
            g->divisor *= factor;
        }
    }
    return true;
}

/* A lower bound of a product of powers, where every factor has one that is not negative. The bound
 * 0 is left out when no factor can be 0, another one when some factor leaves out its own. */
static qkv__bound monomial_bound(const qkv__algebra *algebra, const int16_t *power)
{
    qkv__bound bound = {.known = true, .value = qkv__rational_whole(1)};
    bool never_zero = true;
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        if (power[p] == 0) continue;
        const qkv__bound *lower = &algebra->parameter[p].lower;
        if (!lower->known || qkv__rational_sign(lower->value) < 0) return (qkv__bound){0};
        qkv__rational least = qkv__rational_whole(0); /* roots and inverses: at least positive */
        if (power[p] > 0 && power[p] % 2 == 0)
            least = qkv__rational_power(lower->value, power[p] / 2);
        bound.value = qkv__rational_multiply(bound.value, least);
        bound.strict = bound.strict || lower->strict;
        never_zero = never_zero && (lower->strict || qkv__rational_sign(lower->value) > 0);
    }
    bound.known = !qkv__rational_is_lost(bound.value);
    if (qkv__rational_is_zero(bound.value)) bound.strict = never_zero;
    return bound;
}

/* The bound of e^(m/D): 1 + x + x^2/2 for m/D >= x >= 0, else 0, which it never reaches. */
static qkv__bound exponential_bound(const qkv__algebra *algebra, const qkv__generator *g)
{
    const qkv__bound zero = {.known = true, .strict = true, .value = qkv__rational_whole(0)};
    qkv__bound bound = monomial_bound(algebra, g->power);
    if (!bound.known) return zero;
    qkv__rational x = qkv__rational_divide(bound.value, qkv__rational_whole(g->divisor));
    qkv__rational square =
        qkv__rational_multiply(qkv__rational_multiply(x, x), qkv__rational_make(1, 2));
    bound.value = qkv__rational_add(qkv__rational_add(qkv__rational_whole(1), x), square);
    if (qkv__rational_is_lost(bound.value)) return zero;
    bound.strict = bound.strict || qkv__rational_sign(x) > 0;
    return bound;
}

static bool add_generator_parameters(qkv__rewriting *r)
{
    for (size_t i = 0; i < r->count; i++) {
        qkv__generator *g = &r->generators[i];
        if (r->scratch.parameter_count == QKV__PARAMETERS) return false;
        g->parameter = (int)r->scratch.parameter_count++;
        r->scratch.parameter[g->parameter] =
            (qkv__parameter){.name = "E", .lower = exponential_bound(r->algebra, g)};
    }
    return true;
}

/* The form with e^(k m / D) written as the k-th power of its variable. */
static const qkv__form *without_exponentials(qkv__rewriting *r, const qkv__form *form)
{
    const qkv__form *sum = qkv__form_whole(r->algebra, 0);
    for (size_t i = 0; i < form->count && sum != NULL; i++) {
        qkv__term term = form->term[i];
        const qkv__form *exponent = term.exponent;
        term.exponent = NULL;
        for (size_t j = 0; exponent != NULL && j < exponent->count; j++) {
            const qkv__generator *g = find_generator(r, exponent->term[j].power);
            assert(g != NULL); /* it was collected */
            qkv__rational k = qkv__rational_multiply(exponent->term[j].coefficient,
                                                     qkv__rational_whole(g->divisor));
            if (!qkv__rational_is_whole(k) || k.numerator > QKV__GENERATOR_DEGREE ||
                k.numerator < -QKV__GENERATOR_DEGREE)
                return NULL;
            term.power[g->parameter] = (int16_t)(2 * k.numerator);
        }
        sum = qkv__form_add(r->algebra, sum, qkv__form_term(r->algebra, &term));
    }
    return sum;
}

const qkv__form *qkv__rewrite(qkv__rewriting *r, qkv__algebra *algebra, const qkv__form *form)
{
    r->algebra = algebra;
    r->scratch = *algebra;
    r->count = 0;
    if (form == NULL || !collect_generators(r, form) || !add_generator_parameters(r)) return NULL;
    return without_exponentials(r, form);
}
