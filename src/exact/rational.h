/*
 * Exact rational numbers with 64-bit numerators and denominators. A result that does not fit is
 * "lost" and stays lost through every further operation, so that only the end needs a check; what
 * is lost decides nothing. No floating point in this room.
 */
#ifndef QKV_EXACT_RATIONAL_H
#define QKV_EXACT_RATIONAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

typedef struct qkv__rational {
    int64_t numerator;
    int64_t denominator; /* positive, without a common factor; 0: lost */
} qkv__rational;

#define QKV__RATIONAL_LOST ((qkv__rational){0, 0})

qkv__rational qkv__rational_make(int64_t numerator, int64_t denominator); /* lost for x/0 */
qkv__rational qkv__rational_whole(int64_t value);

qkv__rational qkv__rational_add(qkv__rational a, qkv__rational b);
qkv__rational qkv__rational_subtract(qkv__rational a, qkv__rational b);
qkv__rational qkv__rational_multiply(qkv__rational a, qkv__rational b);
qkv__rational qkv__rational_divide(qkv__rational a, qkv__rational b); /* lost for b = 0 */
qkv__rational qkv__rational_negate(qkv__rational a);
qkv__rational qkv__rational_power(qkv__rational a, int64_t exponent);

static inline bool qkv__rational_is_lost(qkv__rational a)
{
    return a.denominator == 0;
}

static inline bool qkv__rational_is_zero(qkv__rational a)
{
    return a.denominator != 0 && a.numerator == 0;
}

static inline bool qkv__rational_is_whole(qkv__rational a)
{
    return a.denominator == 1;
}

/* -1, 0 or 1; 0 for what is lost, which callers must ask about first. */
int qkv__rational_sign(qkv__rational a);

/* The sign of a - b, never lost: both must not be. */
int qkv__rational_compare(qkv__rational a, qkv__rational b);

/* The greatest whole number that divides both, not negative; |a| for b = 0. */
int64_t qkv__common_divisor(int64_t a, int64_t b);

/* "-3/4", "5". */
void qkv__rational_write(qkv__rational a, qkv__text *text);

#endif
