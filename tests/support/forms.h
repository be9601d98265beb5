/* Random forms for tests, and their values in long double. */
#ifndef TESTS_SUPPORT_FORMS_H
#define TESTS_SUPPORT_FORMS_H

#include <math.h>

#include "exact/ratio.h"
#include "support/random.h"

static inline long double form_value(const qkv__algebra *algebra, const qkv__form *form,
                                     const long double *at)
{
    long double sum = 0.0L;
    for (size_t i = 0; i < form->count; i++) {
        const qkv__term *term = &form->term[i];
        long double value =
            (long double)term->coefficient.numerator / (long double)term->coefficient.denominator;
        for (int p = 0; p < (int)algebra->parameter_count; p++)
            if (term->power[p] != 0) value *= powl(at[p], term->power[p] / 2.0L);
        if (term->exponent != NULL) value *= expl(form_value(algebra, term->exponent, at));
        sum += value;
    }
    return sum;
}

static inline long double ratio_value(const qkv__algebra *algebra, qkv__ratio ratio,
                                      const long double *at)
{
    return form_value(algebra, ratio.numerator, at) / form_value(algebra, ratio.denominator, at);
}

/* A polynomial of a few terms with small whole coefficients. */
static inline const qkv__form *random_polynomial(qkv__algebra *algebra, int parameters, int terms,
                                                 random_source *source)
{
    const qkv__form *sum = qkv__form_whole(algebra, 0);
    for (int i = 0; i < terms; i++) {
        int64_t coefficient = (int64_t)random_below(source, 7) - 3;
        const qkv__form *term = qkv__form_whole(algebra, coefficient);
        for (int p = 0; p < parameters; p++)
            term = qkv__form_multiply(algebra, term,
                                      qkv__form_power(algebra, qkv__form_parameter(algebra, p),
                                                      (int)random_below(source, 3)));
        sum = qkv__form_add(algebra, sum, term);
    }
    return sum;
}

/* A sum of polynomials times exponentials of linear forms. */
static inline const qkv__form *random_form(qkv__algebra *algebra, int parameters,
                                           random_source *source)
{
    const qkv__form *sum = qkv__form_whole(algebra, 0);
    int parts = 1 + (int)random_below(source, 3);
    for (int i = 0; i < parts; i++) {
        const qkv__form *exponent = qkv__form_whole(algebra, 0);
        for (int p = 0; p < parameters; p++) {
            qkv__rational factor = qkv__rational_make((int64_t)random_below(source, 5) - 2,
                                                      1 + (int64_t)random_below(source, 2));
            exponent =
                qkv__form_add(algebra, exponent,
                              qkv__form_scale(algebra, qkv__form_parameter(algebra, p), factor));
        }
        const qkv__form *part =
            qkv__form_multiply(algebra, random_polynomial(algebra, parameters, 2, source),
                               qkv__form_exponential(algebra, exponent));
        sum = qkv__form_add(algebra, sum, part);
    }
    return sum;
}

#endif
