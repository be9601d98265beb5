/* Bounds of forms by bounds of their terms. Knows nothing of signs, proofs or claims. */
#include "ball/evaluate.h"

#include <assert.h>

/* ---- The domain ---------------------------------------------------------------------------- */

static void set_range(qkv__interval *range, const qkv__parameter *parameter, const qkv__range *ends,
                      slong precision)
{
    if (parameter->prime != 0) {
        qkv__interval_set_logarithm(range, parameter->prime, precision);
        return;
    }
    qkv__interval lower, upper;
    qkv__interval_init(&lower);
    qkv__interval_init(&upper);
    qkv__interval_set_everything(&lower);
    qkv__interval_set_everything(&upper);
    if (ends->lower.known) qkv__interval_set_rational(&lower, ends->lower.value, precision);
    if (ends->upper.known) qkv__interval_set_rational(&upper, ends->upper.value, precision);
    qkv__interval_span(range, &lower, &upper);
    qkv__interval_clear(&lower);
    qkv__interval_clear(&upper);
}

void qkv__domain_init(qkv__domain *domain, const qkv__algebra *algebra, const qkv__box *box,
                      slong precision)
{
    domain->count = algebra->parameter_count;
    domain->precision = precision;
    domain->point = true;
    for (size_t p = 0; p < domain->count; p++) {
        qkv__interval_init(&domain->range[p]);
        set_range(&domain->range[p], &algebra->parameter[p], &box->range[p], precision);
        domain->fixed[p] = qkv__box_is_fixed(algebra, box, (int)p);
        domain->point = domain->point && domain->fixed[p];
    }
}

void qkv__domain_clear(qkv__domain *domain)
{
    for (size_t p = 0; p < domain->count; p++) qkv__interval_clear(&domain->range[p]);
}

static void copy_domain(qkv__domain *copy, const qkv__domain *domain)
{
    copy->count = domain->count;
    copy->precision = domain->precision;
    copy->point = domain->point;
    for (size_t p = 0; p < domain->count; p++) {
        qkv__interval_init(&copy->range[p]);
        qkv__interval_set(&copy->range[p], &domain->range[p]);
        copy->fixed[p] = domain->fixed[p];
    }
}

/* ---- Terms by plain interval arithmetic ------------------------------------------------------ */

static bool is_covered(const qkv__term *term, const qkv__domain *domain)
{
    for (size_t p = domain->count; p < QKV__PARAMETERS; p++)
        if (term->power[p] != 0) return false;
    return true;
}

/* value * the product of p^((power - divisor)/2); the divisor may be NULL */
static void multiply_powers(qkv__interval *value, const int16_t *power, const int16_t *divisor,
                            const qkv__domain *domain)
{
    qkv__interval factor;
    qkv__interval_init(&factor);
    for (size_t p = 0; p < domain->count; p++) {
        int halves = power[p] - (divisor == NULL ? 0 : divisor[p]);
        if (halves == 0) continue;
        qkv__interval_power(&factor, &domain->range[p], halves, domain->precision);
        qkv__interval_multiply(value, value, &factor, domain->precision);
    }
    qkv__interval_clear(&factor);
}

/* A form without exponentials. */
static void evaluate_polynomial(const qkv__form *form, const qkv__domain *domain,
                                qkv__interval *value)
{
    qkv__interval part;
    qkv__interval_init(&part);
    qkv__interval_set_rational(value, qkv__rational_whole(0), domain->precision);
    for (size_t i = 0; i < form->count; i++) {
        if (!is_covered(&form->term[i], domain) || form->term[i].exponent != NULL) {
            qkv__interval_set_everything(value);
            break;
        }
        qkv__interval_set_rational(&part, form->term[i].coefficient, domain->precision);
        multiply_powers(&part, form->term[i].power, NULL, domain);
        qkv__interval_add(value, value, &part, domain->precision);
    }
    qkv__interval_clear(&part);
}

static void evaluate_term(const qkv__term *term, const qkv__domain *domain, qkv__interval *value)
{
    if (!is_covered(term, domain)) {
        qkv__interval_set_everything(value);
        return;
    }
    qkv__interval_set_rational(value, term->coefficient, domain->precision);
    multiply_powers(value, term->power, NULL, domain);
    if (term->exponent == NULL) return;
    qkv__interval exponent;
    qkv__interval_init(&exponent);
    evaluate_polynomial(term->exponent, domain, &exponent);
    qkv__interval_exponential(&exponent, &exponent, domain->precision);
    qkv__interval_multiply(value, value, &exponent, domain->precision);
    qkv__interval_clear(&exponent);
}

/* ---- Slopes -------------------------------------------------------------------------------- */

/*
 * The size of a term, S = product of p^(k_p/2) e^g, changes with p >= 0 by
 *
 *     p S'/S = k_p/2 + p g' = k_p/2 + sum over g's terms of (power of p)/2 * the term,
 *
 * whose sign is wanted over the whole domain. As it stands it may be infinity - infinity, so it is
 * also tried divided by each of its own monomials, which are positive.
 */
static void slope_divided(const qkv__term *term, int p, const int16_t *divisor,
                          const qkv__domain *domain, qkv__interval *slope)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    static const int16_t constant[QKV__PARAMETERS];
    qkv__interval part, factor;
    qkv__interval_init(&part);
    qkv__interval_init(&factor);
    qkv__interval_set_rational(slope, qkv__rational_make(term->power[p], 2), domain->precision);
    if (term->power[p] != 0) multiply_powers(slope, constant, divisor, domain);
    for (size_t i = 0; i < term->exponent->count; i++) {
        const qkv__term *inner = &term->exponent->term[i];
        if (inner->power[p] == 0) continue;
        qkv__interval_set_rational(&part, inner->coefficient, domain->precision);
        multiply_powers(&part, inner->power, divisor, domain);
        qkv__interval_set_rational(&factor, qkv__rational_make(inner->power[p], 2),
                                   domain->precision);
        qkv__interval_multiply(&part, &part, &factor, domain->precision);
        qkv__interval_add(slope, slope, &part, domain->precision);
    }
    qkv__interval_clear(&factor);
    qkv__interval_clear(&part);
}

/* 1: does not fall, -1: does not rise, 0: not known. */
static int direction(const qkv__interval *slope)
{
    return arf_sgn(slope->lower) >= 0 ? 1 : arf_sgn(slope->upper) <= 0 ? -1 : 0;
}

/* Division by a monomial keeps the sign only where none of its parameters is negative. */
static bool is_positive_monomial(const int16_t *power, const qkv__domain *domain)
{
    for (size_t p = 0; p < domain->count; p++)
        if (power[p] != 0 && arf_sgn(domain->range[p].lower) < 0) return false;
    return true;
}

static int slope_direction(const qkv__term *term, int p, const qkv__domain *domain)
{
    qkv__interval slope;
    qkv__interval_init(&slope);
    slope_divided(term, p, NULL, domain, &slope);
    int found = direction(&slope);
    for (size_t i = 0; found == 0 && i < term->exponent->count; i++) {
        const int16_t *divisor = term->exponent->term[i].power;
        if (!is_positive_monomial(divisor, domain)) continue;
        slope_divided(term, p, divisor, domain, &slope);
        found = direction(&slope);
    }
    qkv__interval_clear(&slope);
    return found;
}

/* ---- Terms where they are largest and smallest --------------------------------------- */

static bool has_negative_power(const qkv__term *term, int p)
{
    assert(p >= 0 && p < QKV__PARAMETERS);
    if (term->power[p] < 0) return true;
    for (size_t i = 0; term->exponent != NULL && i < term->exponent->count; i++)
        if (term->exponent->term[i].power[p] < 0) return true;
    return false;
}

/* Whether the term is defined at the end that a direction leads to: infinity is no number, and 0
 * has no negative powers. */
static bool reaches_end(const qkv__term *term, int p, const arf_t end)
{
    return arf_is_finite(end) && !(arf_is_zero(end) && has_negative_power(term, p));
}

/* Narrows the domain to the end of every parameter towards which the term's size grows (toward =
 * 1) or shrinks (-1). Each step keeps the extreme in the domain that is left. */
static void narrow_towards(const qkv__term *term, int toward, qkv__domain *domain)
{
    assert(toward == 1 || toward == -1);
    for (size_t p = 0; p < domain->count; p++) {
        qkv__interval *range = &domain->range[p];
        if (domain->fixed[p] || arf_sgn(range->lower) < 0 || arf_equal(range->lower, range->upper))
            continue;
        int way = toward * slope_direction(term, (int)p, domain);
        if (way > 0 && reaches_end(term, (int)p, range->upper)) arf_set(range->lower, range->upper);
        if (way < 0 && reaches_end(term, (int)p, range->lower)) arf_set(range->upper, range->lower);
    }
}

/* The term's values over the part of the domain where its size is extreme. */
static void evaluate_extreme(const qkv__term *term, int toward, const qkv__domain *domain,
                             qkv__interval *value)
{
    assert(toward == 1 || toward == -1);
    qkv__domain part;
    copy_domain(&part, domain);
    narrow_towards(term, toward, &part);
    evaluate_term(term, &part, value);
    qkv__domain_clear(&part);
}

/* Whether plain interval arithmetic is already as good as can be: a single power product, or e to
 * one. */
static bool is_plain(const qkv__term *term)
{
    if (term->exponent == NULL) return true;
    if (term->exponent->count > 1) return false;
    for (int p = 0; p < QKV__PARAMETERS; p++)
        if (term->power[p] != 0) return false;
    return true;
}

/* Sizes are positive, so that a positive term is largest where its size is, and a negative one
 * smallest. That holds only for parameters that are never negative; others are left alone, and
 * then the sign of the size is not known: the plain bounds stand. */
static void sharpen(const qkv__term *term, const qkv__domain *domain, qkv__interval *value)
{
    if (!is_covered(term, domain) || !is_positive_monomial(term->power, domain)) return;
    qkv__interval large, small;
    qkv__interval_init(&large);
    qkv__interval_init(&small);
    evaluate_extreme(term, 1, domain, &large);
    evaluate_extreme(term, -1, domain, &small);
    if (qkv__rational_sign(term->coefficient) > 0)
        qkv__interval_span(&large, &small, &large);
    else
        qkv__interval_span(&large, &large, &small);
    qkv__interval_meet(value, value, &large);
    qkv__interval_clear(&large);
    qkv__interval_clear(&small);
}

void qkv__evaluate(const qkv__form *form, const qkv__domain *domain, qkv__interval *value)
{
    qkv__interval part;
    qkv__interval_init(&part);
    qkv__interval_set_rational(value, qkv__rational_whole(0), domain->precision);
    for (size_t i = 0; i < form->count; i++) {
        evaluate_term(&form->term[i], domain, &part);
        if (!domain->point && !is_plain(&form->term[i])) sharpen(&form->term[i], domain, &part);
        qkv__interval_add(value, value, &part, domain->precision);
    }
    qkv__interval_clear(&part);
}
