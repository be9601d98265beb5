/*
 * Normal numbers and exponentials in the kernels' vector type; include a lanes_*.h first, which
 * also says how functions (LANE_FUNCTION) and tables (LANE_TABLE) are declared. Only additions,
 * multiplications, divisions and roots are used, each rounded correctly and none contracted, so
 * that every number of lanes gives the same bits.
 *
 * Normal numbers come in pairs by the method of Box and Muller (1958): for u uniform on (0, 1) and
 * an angle t uniform on the circle, sqrt(-2 ln u) (cos t, sin t) is a pair of independent standard
 * normals. One Philox block of 128 bits makes a pair:
 *
 *     u      64 bits: (word 0 * 2^32 + word 1 + 1/2) / 2^64, so u >= 2^-65 and no |z| exceeds
 *            sqrt(130 ln 2) = 9.493, which a normal number does with probability 2.3e-21;
 *     t      52 bits of words 2 and 3 place it within a quarter turn around 0, two more bits of
 *            word 3 turn it by a half and exchange the two: 2^54 angles at equal distances.
 *
 * For a given radius the angles with z <= x are one arc, whose share of the grid is wrong by at
 * most 2^-53; for a given angle the radii are one interval of u, which rounding u to a double moves
 * by at most 2^-53. So the distribution function is off by at most 2^-52 anywhere. The polynomials
 * and their rounding change a number by less than 1.2e-13 of its size.
 */
#ifndef QKV_LAB_NORMAL_TEMPLATE_H
#define QKV_LAB_NORMAL_TEMPLATE_H

#include "base/philox.h"

typedef struct normal_pair {
    reals first, second;
} normal_pair;

typedef struct word_block {
    words x[4];
} word_block;

/* Coefficients of 1, y, y^2, ... : Chebyshev interpolation in y. Each is cut where its error is
 * small against any statistical one, far above the rounding of doubles but far below what 10^20
 * samples could see. */
LANE_TABLE double log_coefficients[] = {
    /* -4 artanh(s)/s in y = s^2 <= (3 - sqrt 8)^2, within 2.7e-14 of its value */
    -0x1.fffffffffff12p+1, -0x1.55555556716dap+0, -0x1.9999962baa6d7p-1,
    -0x1.24943845d454ep-1, -0x1.c620e12262e86p-2, -0x1.9193ad599876cp-2};
LANE_TABLE double sine_coefficients[] = {
    /* sin(pi x / 2)/x in y = x^2 <= 1/4, within 4.8e-15 */
    0x1.921fb54442cfap+0,  -0x1.4abbce6257a2ap-1, 0x1.466bc67123fa1p-4,
    -0x1.32d2c644adc0bp-8, 0x1.5071ce4b47930p-13, -0x1.dd54805f3f706p-19};
LANE_TABLE double cosine_coefficients[] = {
    /* cos(pi x / 2), likewise, within 7.9e-14 */
    0x1.ffffffffffe0bp-1,  -0x1.3bd3cc9bd2c35p+0, 0x1.03c1f074ded21p-2,
    -0x1.55d3ba300cd50p-6, 0x1.e1e7ccccb387ap-11, -0x1.a0ee132c60c1fp-16};
LANE_TABLE double exp_coefficients[] = {
    /* (e^r - 1)/r for |r| <= ln(2)/2, within 9e-14 */
    0x1.0000000000000p+0,  0x1.fffffffff71b2p-2,  0x1.5555555553b78p-3,
    0x1.555555742d965p-5,  0x1.1111111c478ebp-7,  0x1.6c164de86dafdp-10,
    0x1.a019ada3609f3p-13, 0x1.a15a600528a0fp-16, 0x1.72c72ca338df0p-19};

/* a + b y */
LANE_FUNCTION reals step(reals b, reals y, double a)
{
    return real_add(real_multiply(b, y), real_all(a));
}

/* Six coefficients. Pairs are summed side by side, so that the chain of dependent operations is
 * short. */
LANE_FUNCTION reals polynomial6(const double *c, reals y)
{
    reals y2 = real_multiply(y, y);
    reals low = step(real_all(c[1]), y, c[0]);
    reals middle = step(real_all(c[3]), y, c[2]);
    reals high = step(real_all(c[5]), y, c[4]);
    return real_add(low, real_multiply(y2, real_add(middle, real_multiply(y2, high))));
}

/*
 * Ten rounds of Philox on 64-bit lanes. Multiplication reads the low halves alone, so the high
 * halves may hold anything, and the words that are returned do. Counters of one sample differ in
 * their third word alone, which is the same for all lanes: half of the first two rounds is the same
 * for all blocks of a sample, and a part of the other half is plain arithmetic.
 */
typedef struct philox_start {
    words high;    /* word 1 of the counter */
    words x3;      /* of round 1 */
    words product; /* multiplier 1 times x2, of round 2 */
    uint64_t seed;
} philox_start;

LANE_FUNCTION philox_start philox_begin(words sample, uint32_t stream, uint64_t seed)
{
    words product = word_multiply_low(word_all(QKV__PHILOX_MULTIPLIER_0), sample);
    words x2 = word_xor(word_right(product, 32), word_all(stream ^ (uint32_t)(seed >> 32)));
    return (philox_start){word_right(sample, 32), product,
                          word_multiply_low(word_all(QKV__PHILOX_MULTIPLIER_1), x2), seed};
}

LANE_FUNCTION word_block philox_block(const philox_start *start, uint32_t block)
{
    const words multiplier_0 = word_all(QKV__PHILOX_MULTIPLIER_0);
    const words multiplier_1 = word_all(QKV__PHILOX_MULTIPLIER_1);
    uint32_t key_0 = (uint32_t)start->seed, key_1 = (uint32_t)(start->seed >> 32);
    uint64_t plain = (uint64_t)QKV__PHILOX_MULTIPLIER_1 * block;
    words x0 = word_xor(start->high, word_all((uint32_t)(plain >> 32) ^ key_0));
    key_0 += QKV__PHILOX_WEYL_0;
    key_1 += QKV__PHILOX_WEYL_1;
    words product_0 = word_multiply_low(multiplier_0, x0), product_1 = start->product;
    x0 = word_xor(word_right(product_1, 32), word_all((uint32_t)plain ^ key_0));
    words x2 = word_xor3(word_right(product_0, 32), start->x3, word_all(key_1));
    words x1 = product_1, x3 = product_0;
    for (int round = 2; round < QKV__PHILOX_ROUNDS; round++) {
        key_0 += QKV__PHILOX_WEYL_0;
        key_1 += QKV__PHILOX_WEYL_1;
        product_0 = word_multiply_low(multiplier_0, x0);
        product_1 = word_multiply_low(multiplier_1, x2);
        x0 = word_xor3(word_right(product_1, 32), x1, word_all(key_0));
        x2 = word_xor3(word_right(product_0, 32), x3, word_all(key_1));
        x1 = product_1;
        x3 = product_0;
    }
    return (word_block){{x0, x1, x2, x3}};
}

/* -2 ln u for u in (0, 1]: u = 2^e m with m from sqrt(1/2) to sqrt(2), and ln m = 2 artanh(s) with
 * s = (m - 1)/(m + 1). */
LANE_FUNCTION reals minus_two_log(reals u)
{
    const uint64_t one = UINT64_C(0x3ff0000000000000), root_half = UINT64_C(0x3fe6a09e667f3bcd);
    words shifted = word_add(real_bits(u), word_all(one - root_half));
    words fraction = word_and(shifted, word_all(UINT64_C(0x000fffffffffffff)));
    reals m = real_from_bits(word_add(fraction, word_all(root_half)));
    /* The exponent, moved under that of 2^52, whose last place is 1. */
    reals biased = real_from_bits(word_or(word_right(shifted, 52), real_bits(real_all(0x1p52))));
    reals e = real_subtract(biased, real_all(0x1p52 + 1023.0));
    reals s = real_divide(real_subtract(m, real_all(1.0)), real_add(m, real_all(1.0)));
    reals log_m = real_multiply(s, polynomial6(log_coefficients, real_multiply(s, s)));
    return real_add(real_multiply(e, real_all(-0x1.62e42fefa39efp+0)), log_m); /* -2 ln 2 */
}

LANE_FUNCTION normal_pair normal_from_words(word_block block)
{
    const words low_half = word_all(UINT64_C(0xffffffff));
    /* A word put under the exponent of 2^20 is 2^20 + word 2^-32; likewise for 2^-12. */
    words upper = word_and_or(block.x[0], low_half, real_bits(real_all(0x1p20)));
    words lower = word_and_or(block.x[1], low_half, real_bits(real_all(0x1p-12)));
    reals u = real_add(real_subtract(real_from_bits(upper), real_all(0x1p20)),
                       real_subtract(real_from_bits(lower), real_all(0x1p-12 - 0x1p-65)));
    /* word 2 and the upper 20 bits of word 3, under the exponent of 1. */
    words top = word_and_or(word_left(block.x[2], 20), word_all(UINT64_C(0x000fffffffffffff)),
                            real_bits(real_all(1.0)));
    words angle = word_and_or(word_right(block.x[3], 12), word_all(0xfffff), top);
    reals x = real_subtract(real_from_bits(angle), real_all(1.5)); /* quarter turns around 0 */
    reals y = real_multiply(x, x);
    reals sine = real_multiply(x, polynomial6(sine_coefficients, y));
    reals cosine = polynomial6(cosine_coefficients, y);
    words sign = word_left(block.x[3], 63);
    mask exchange = mask_second_bit(block.x[3]);
    reals radius = real_root(minus_two_log(u));
    reals a = real_multiply(radius, real_from_bits(word_xor(real_bits(cosine), sign)));
    reals b = real_multiply(radius, sine);
    return (normal_pair){real_select(exchange, b, a), real_select(exchange, a, b)};
}

/*
 * e^x for x <= 0, within 4e-14 of its value for x > -1; further down the argument is reduced in one
 * step, which is as if x were rounded once more. e^0 is 1 exactly. What lies below -700, under
 * 1e-304, counts as -700.
 */
LANE_FUNCTION reals exponential(reals x)
{
    const reals magic = real_all(0x1.8p52); /* its last place is 1: adding it rounds */
    x = real_max(x, real_all(-700.0));
    reals moved = real_add(real_multiply(x, real_all(0x1.71547652b82fep+0)), magic); /* 1/ln 2 */
    reals whole = real_subtract(moved, magic);
    reals r = real_subtract(x, real_multiply(whole, real_all(0x1.62e42fefa39efp-1))); /* ln 2 */
    const double *c = exp_coefficients;
    reals r2 = real_multiply(r, r), r4 = real_multiply(r2, r2);
    reals low =
        real_add(step(real_all(c[1]), r, c[0]), real_multiply(r2, step(real_all(c[3]), r, c[2])));
    reals high =
        real_add(step(real_all(c[5]), r, c[4]), real_multiply(r2, step(real_all(c[7]), r, c[6])));
    high = real_add(high, real_multiply(r4, real_all(c[8])));
    reals p = step(real_add(low, real_multiply(r4, high)), r, 1.0);
    /* The low bits of `moved` are the whole number: into the exponent with it. */
    return real_from_bits(word_add(real_bits(p), word_left(real_bits(moved), 52)));
}

#endif
