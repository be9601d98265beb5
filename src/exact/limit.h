/*
 * Limits of quotients of forms as one parameter grows without bound, the others held fixed. A term
 * with a larger exponent wins, then one with a higher power; terms that tie share, in the exact
 * proportion of their coefficients.
 */
#ifndef QKV_EXACT_LIMIT_H
#define QKV_EXACT_LIMIT_H

#include "exact/ratio.h"
#include "exact/sign.h"

typedef enum qkv__limit_kind {
    QKV__LIMIT_UNKNOWN, /* which term wins depends on what is not known of the other parameters */
    QKV__LIMIT_FINITE,
    QKV__LIMIT_PLUS_INFINITY,
    QKV__LIMIT_MINUS_INFINITY,
} qkv__limit_kind;

typedef struct qkv__limit {
    qkv__limit_kind kind;
    qkv__ratio value; /* FINITE: free of the parameter */
} qkv__limit;

qkv__limit qkv__ratio_limit(qkv__algebra *algebra, qkv__ratio ratio, int parameter);

/*
 * The sign that a ratio has from some value of the parameter on, whatever allowed values the others
 * have; that value may depend on them. POSITIVE, NEGATIVE, or ZERO for the zero ratio; UNKNOWN when
 * that is not proved, or when the parameter has an upper bound.
 */
qkv__sign qkv__ratio_eventual_sign(qkv__algebra *algebra, qkv__ratio ratio, int parameter);

/*
 * The part of a form that grows fastest in the parameter: growth and power times a coefficient
 * that is free of it. False when that cannot be told, or for the zero form.
 */
typedef struct qkv__leading {
    const qkv__form *growth;      /* the part of the exponent that depends on the parameter */
    int power;                    /* of the parameter, in halves */
    const qkv__form *coefficient; /* what multiplies e^growth * parameter^(power/2) */
} qkv__leading;

bool qkv__form_leading(qkv__algebra *algebra, const qkv__form *form, int parameter,
                       qkv__leading *leading);

/* The terms of an exponent that depend on the parameter, or those that do not. */
const qkv__form *qkv__exponent_part(qkv__algebra *algebra, const qkv__form *exponent, int parameter,
                                    bool depending);

#endif
