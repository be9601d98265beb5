/* Derivatives by the product rule. Exact; knows nothing of intervals. */
#include "ball/derivative.h"

#include <assert.h>

/* (c p^(k/2))' e^g = c k/2 p^(k/2 - 1) e^g */
static const qkv__form *of_power(qkv__algebra *algebra, const qkv__term *term, int parameter)
{
    assert(qkv__is_parameter(algebra, parameter));
    qkv__term derived = *term;
    qkv__rational half = qkv__rational_make(term->power[parameter], 2);
    derived.coefficient = qkv__rational_multiply(term->coefficient, half);
    derived.power[parameter] = (int16_t)(term->power[parameter] - 2);
    return qkv__form_term(algebra, &derived);
}

/* c p^(k/2) e^g g' */
static const qkv__form *of_exponential(qkv__algebra *algebra, const qkv__term *term, int parameter)
{
    const qkv__form *inner = qkv__form_derivative(algebra, term->exponent, parameter);
    return qkv__form_multiply(algebra, qkv__form_term(algebra, term), inner);
}

static const qkv__form *of_term(qkv__algebra *algebra, const qkv__term *term, int parameter)
{
    assert(qkv__is_parameter(algebra, parameter));
    const qkv__form *sum = qkv__form_whole(algebra, 0);
    if (term->power[parameter] != 0) sum = of_power(algebra, term, parameter);
    if (!qkv__form_depends_on(term->exponent, parameter)) return sum;
    return qkv__form_add(algebra, sum, of_exponential(algebra, term, parameter));
}

/* Halves first: adding term after term would take memory by the square of their number. */
static const qkv__form *of_terms(qkv__algebra *algebra, const qkv__term *terms, size_t count,
                                 int parameter)
{
    if (count == 0) return qkv__form_whole(algebra, 0);
    if (count == 1) return of_term(algebra, terms, parameter);
    size_t half = count / 2;
    const qkv__form *left = of_terms(algebra, terms, half, parameter);
    return qkv__form_add(algebra, left, of_terms(algebra, terms + half, count - half, parameter));
}

const qkv__form *qkv__form_derivative(qkv__algebra *algebra, const qkv__form *form, int parameter)
{
    assert(qkv__is_parameter(algebra, parameter));
    return form == NULL ? NULL : of_terms(algebra, form->term, form->count, parameter);
}
