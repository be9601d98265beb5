/*
 * Quotients of forms: the scalars of claims, such as e^beta/(n - 2 + 2 e^beta). A quotient is kept
 * as it arose, apart from terms that divide out; equality is decided by cross multiplication.
 *
 * A ratio is lost when either part is; dividing by zero gives a lost ratio too.
 */
#ifndef QKV_EXACT_RATIO_H
#define QKV_EXACT_RATIO_H

#include "exact/form.h"

typedef struct qkv__ratio {
    const qkv__form *numerator, *denominator;
} qkv__ratio;

qkv__ratio qkv__ratio_of_form(qkv__algebra *algebra, const qkv__form *form);
qkv__ratio qkv__ratio_whole(qkv__algebra *algebra, int64_t value);
qkv__ratio qkv__ratio_constant(qkv__algebra *algebra, qkv__rational value);

qkv__ratio qkv__ratio_add(qkv__algebra *algebra, qkv__ratio a, qkv__ratio b);
qkv__ratio qkv__ratio_subtract(qkv__algebra *algebra, qkv__ratio a, qkv__ratio b);
qkv__ratio qkv__ratio_multiply(qkv__algebra *algebra, qkv__ratio a, qkv__ratio b);
qkv__ratio qkv__ratio_divide(qkv__algebra *algebra, qkv__ratio a, qkv__ratio b);
qkv__ratio qkv__ratio_negate(qkv__algebra *algebra, qkv__ratio a);
qkv__ratio qkv__ratio_power(qkv__algebra *algebra, qkv__ratio a, int exponent); /* any sign */

/* e^a; lost unless a is a form without exponentials (its denominator a single term). */
qkv__ratio qkv__ratio_exponential(qkv__algebra *algebra, qkv__ratio a);

/* A root where numerator and denominator are single terms with one; else lost. */
qkv__ratio qkv__ratio_root(qkv__algebra *algebra, qkv__ratio a);

/* A parameter replaced by a form in both parts. */
qkv__ratio qkv__ratio_substitute(qkv__algebra *algebra, qkv__ratio a, int parameter,
                                 const qkv__form *replacement);

bool qkv__ratio_is_lost(qkv__ratio a);
bool qkv__ratio_is_zero(qkv__ratio a);
bool qkv__ratio_is_constant(qkv__ratio a, qkv__rational *value);
bool qkv__ratio_depends_on(qkv__ratio a, int parameter);
bool qkv__ratio_is_generic(const qkv__algebra *algebra, qkv__ratio a);

/* Whether a - b is the zero form after cross multiplication; false also when that is lost, and
 * then nothing is known. */
bool qkv__ratio_equal(qkv__algebra *algebra, qkv__ratio a, qkv__ratio b);

/* "e^beta/(2*e^beta + n - 2)" */
void qkv__ratio_write(const qkv__algebra *algebra, qkv__ratio a, qkv__text *text);

#endif
