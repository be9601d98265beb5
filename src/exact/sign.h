/*
 * The sign of a form over everything its parameters may be, proved by algebra alone.
 *
 * Every parameter with a lower bound L is written L + y, y >= 0 (between two bounds:
 * (L + U y)/(1 + y)), and every exponential e^(m/D) of a monomial m is treated as a variable of
 * its own, of which it is known only that it is positive and, where m >= b >= 0, at least
 * 1 + b/D + (b/D)^2/2. If all coefficients of the polynomial in the y have one sign, so has the
 * form. The test is sufficient, not necessary: UNKNOWN says nothing.
 */
#ifndef QKV_EXACT_SIGN_H
#define QKV_EXACT_SIGN_H

#include "exact/ratio.h"

typedef enum qkv__sign {
    QKV__SIGN_UNKNOWN,
    QKV__SIGN_ZERO,
    QKV__SIGN_POSITIVE,
    QKV__SIGN_NEGATIVE,
    QKV__SIGN_NONNEGATIVE,
    QKV__SIGN_NONPOSITIVE,
} qkv__sign;

qkv__sign qkv__form_sign(qkv__algebra *algebra, const qkv__form *form);

/* The sign of a quotient; UNKNOWN where the denominator may vanish. */
qkv__sign qkv__ratio_sign(qkv__algebra *algebra, qkv__ratio ratio);

qkv__sign qkv__sign_negate(qkv__sign sign);
qkv__sign qkv__sign_multiply(qkv__sign a, qkv__sign b);

#endif
