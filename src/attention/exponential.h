/*
 * e^x for x <= 0, the only half that softmax needs, in plain arithmetic that compilers turn into
 * vector code and that gives the same bits on every machine.
 *
 * x = n ln 2 + r with |r| <= ln(2)/2, and e^r = 1 + (r + r^2 (1/2! + r/3! + ...)) by Taylor's
 * series, cut where the next term is under 1/20 of a unit in the last place (degree 7 in single,
 * 13 in double precision). ln 2 is split so that n times its upper part is exact; what rounding
 * takes from r and from 1 + r is added back at the end, so that the error stays under 0.75 units
 * in the last place. 2^n is applied in two halves, so that results below the normal range round
 * once more at most, and end in zero.
 *
 * n is rounded by adding and taking away 1.5 * 2^(fraction bits), whose last place is 1; the low
 * bits of the sum then hold n as an integer. -infinity gives 0 and NaN gives NaN.
 */
#ifndef QKV_ATTENTION_EXPONENTIAL_H
#define QKV_ATTENTION_EXPONENTIAL_H

#include "base/number.h"

/* 2^n for a whole number n in the normal range. */
static inline float qkv__exp2_whole_f32(float n)
{
    return qkv__float_from_bits((qkv__float_bits(n + 0x1.8p23f) + 127u) << 23);
}

static inline float qkv__exp_f32(float x)
{
    const float magic = 0x1.8p23f;
    x = x < -110.0f ? -110.0f : x; /* e^-110 is under half the smallest float; keeps NaN */
    float n = (x * 0x1.715476p+0f + magic) - magic;
    float upper = x - n * 0x1.62e4p-1f, lower = n * 0x1.7f7d1cp-20f; /* ln 2 in 15 + 24 bits */
    float r = upper - lower, lost = (upper - r) - lower;
    float p = 1.0f / 5040;
    p = p * r + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    float one = 1.0f + r, rest = r - (one - 1.0f);
    p = one + (rest + (r * r * p + lost));
    float half = (n * 0.5f + magic) - magic;
    return p * qkv__exp2_whole_f32(half) * qkv__exp2_whole_f32(n - half);
}

static inline double qkv__exp2_whole_f64(double n)
{
    return qkv__double_from_bits((qkv__double_bits(n + 0x1.8p52) + 1023u) << 52);
}

static inline double qkv__exp_f64(double x)
{
    const double magic = 0x1.8p52;
    x = x < -760.0 ? -760.0 : x;
    double n = (x * 0x1.71547652b82fep+0 + magic) - magic;
    double upper = x - n * 0x1.62e42fefa38p-1, lower = n * 0x1.ef35793c7673p-45; /* 42 + 53 */
    double r = upper - lower, lost = (upper - r) - lower;
    double p = 1.0 / 6227020800;
    p = p * r + 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    double one = 1.0 + r, rest = r - (one - 1.0);
    p = one + (rest + (r * r * p + lost));
    double half = (n * 0.5 + magic) - magic;
    return p * qkv__exp2_whole_f64(half) * qkv__exp2_whole_f64(n - half);
}

#endif
