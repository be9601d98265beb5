/*
 * Thresholds in closed form: from which value of a parameter p on is a ratio not negative, with
 * the other parameters left as letters? An answer exists where the ratio, cleared of denominators,
 * is A + B x or A + B x + C x^2 in one quantity x that grows with p,
 *
 *     x = e^(rate * p^(power/2))    or    x = p^(power/2),
 *
 * and A, B, C have signs that are proved for everything the parameters may be. Then the ratio is
 * not negative exactly where x >= R, and p is a logarithm or a root of R.
 */
#ifndef QKV_CLAIM_THRESHOLD_H
#define QKV_CLAIM_THRESHOLD_H

#include "exact/sign.h"

/* R is (above + sqrt(radicand))/below; radicand NULL for no root. Nothing here depends on p. */
typedef struct qkv__threshold {
    int parameter;
    bool exponential;      /* x is an exponential; else a power of p */
    const qkv__form *rate; /* above 0; exponential alone */
    int power;             /* in halves, above 0 */
    const qkv__form *above, *radicand, *below;
    bool zero;    /* p = 0 is allowed, and the ratio is 0 there whatever R is */
    bool defined; /* R is proved to be positive; else, where it is not, every p does */
} qkv__threshold;

/* The sign of a form over everything that its parameters may be, by algebra or by enclosures. */
qkv__sign qkv__sign_of_form(qkv__algebra *algebra, const qkv__form *form);

/* Whether ratio >= 0 means x >= R. */
bool qkv__threshold_solve(qkv__algebra *algebra, qkv__ratio ratio, int parameter,
                          qkv__threshold *threshold);

/* "ln((n - 2)*(1 - tau)/(2*tau))", readable by the claim language. */
void qkv__threshold_write(qkv__algebra *algebra, const qkv__threshold *threshold, qkv__text *text);

/* The value in floating point where all that it depends on is one number, for comparison with a
 * proved enclosure alone. False where it is not. */
bool qkv__threshold_approximate(qkv__algebra *algebra, const qkv__threshold *threshold,
                                double *value);

#endif
