/*
 * Exponentials as variables: a form in which every e^(k m / D), m a monomial in the parameters, is
 * written as the k-th power of a variable of its own. Of such a variable it is known only that it
 * is positive and, where m >= b >= 0, at least 1 + x + x^2/2 with x = b/D; what is true of the
 * polynomial for all such variables is true of the form.
 */
#ifndef QKV_EXACT_GENERATORS_H
#define QKV_EXACT_GENERATORS_H

#include "exact/form.h"

enum { QKV__GENERATORS = 12, QKV__GENERATOR_DEGREE = 24 };

/* A variable e^(monomial / divisor). Its parameter in the scratch algebra takes its place. */
typedef struct qkv__generator {
    int16_t power[QKV__PARAMETERS]; /* of the monomial, in halves */
    int64_t divisor;
    int parameter;
} qkv__generator;

/* A copy of the algebra in which the form is rewritten without exponentials. */
typedef struct qkv__rewriting {
    qkv__algebra *algebra; /* the one that was asked; memory comes from it */
    qkv__algebra scratch;  /* its parameters, and one more for each generator; no memory */
    qkv__generator generators[QKV__GENERATORS];
    size_t count;
} qkv__rewriting;

/* The form as a polynomial in parameters of r->scratch; NULL when there are too many variables or
 * too high powers. */
const qkv__form *qkv__rewrite(qkv__rewriting *r, qkv__algebra *algebra, const qkv__form *form);

#endif
