/* Interval arithmetic by ends. Sums, products and quotients are rounded by arf's directed modes;
 * powers and exponentials, monotone between their ends, are bounded by arb at the ends. */
#include "ball/interval.h"

#include <assert.h>

#include "ball/fraction.h"

/* ---- Setting ------------------------------------------------------------------------------- */

void qkv__interval_init(qkv__interval *x)
{
    arf_init(x->lower);
    arf_init(x->upper);
}

void qkv__interval_clear(qkv__interval *x)
{
    arf_clear(x->lower);
    arf_clear(x->upper);
}

void qkv__interval_set(qkv__interval *x, const qkv__interval *y)
{
    arf_set(x->lower, y->lower);
    arf_set(x->upper, y->upper);
}

void qkv__interval_set_everything(qkv__interval *x)
{
    arf_neg_inf(x->lower);
    arf_pos_inf(x->upper);
}

void qkv__interval_set_rational(qkv__interval *x, qkv__rational value, slong precision)
{
    qkv__arf_set_int64(x->lower, value.numerator);
    qkv__arf_set_int64(x->upper, value.numerator);
    if (value.denominator == 1) return;
    qkv__arf_div_int64(x->lower, x->lower, value.denominator, precision, ARF_RND_FLOOR);
    qkv__arf_div_int64(x->upper, x->upper, value.denominator, precision, ARF_RND_CEIL);
}

/* Arb's bounds of a ball without a meaning are no numbers: then nothing is known. */
static void set_lower(arf_t end, const arb_t ball, slong precision)
{
    arb_get_lbound_arf(end, ball, precision);
    if (arf_is_nan(end) || arf_is_pos_inf(end)) arf_neg_inf(end);
}

static void set_upper(arf_t end, const arb_t ball, slong precision)
{
    arb_get_ubound_arf(end, ball, precision);
    if (arf_is_nan(end) || arf_is_neg_inf(end)) arf_pos_inf(end);
}

static void set_ball(qkv__interval *x, const arb_t ball, slong precision)
{
    set_lower(x->lower, ball, precision);
    set_upper(x->upper, ball, precision);
}

void qkv__interval_set_logarithm(qkv__interval *x, int64_t value, slong precision)
{
    arb_t ball;
    arb_init(ball);
    qkv__arb_log_int64(ball, value, precision);
    set_ball(x, ball, precision);
    arb_clear(ball);
}

/* ---- Sets ---------------------------------------------------------------------------------- */

void qkv__interval_span(qkv__interval *z, const qkv__interval *x, const qkv__interval *y)
{
    arf_set(z->lower, x->lower);
    arf_set(z->upper, y->upper);
}

void qkv__interval_join(qkv__interval *z, const qkv__interval *x, const qkv__interval *y)
{
    assert(arf_cmp(x->lower, x->upper) <= 0 && arf_cmp(y->lower, y->upper) <= 0);
    arf_min(z->lower, x->lower, y->lower);
    arf_max(z->upper, x->upper, y->upper);
}

void qkv__interval_meet(qkv__interval *z, const qkv__interval *x, const qkv__interval *y)
{
    arf_max(z->lower, x->lower, y->lower);
    arf_min(z->upper, x->upper, y->upper);
}

int qkv__interval_sign(const qkv__interval *x)
{
    assert(arf_cmp(x->lower, x->upper) <= 0);
    return arf_sgn(x->lower) > 0 ? 1 : arf_sgn(x->upper) < 0 ? -1 : 0;
}

bool qkv__interval_is_finite(const qkv__interval *x)
{
    return arf_is_finite(x->lower) && arf_is_finite(x->upper);
}

bool qkv__interval_is_narrow(const qkv__interval *x, slong bits)
{
    if (!qkv__interval_is_finite(x)) return false;
    if (arf_equal(x->lower, x->upper)) return true;
    if (qkv__interval_sign(x) == 0) return false;
    arf_t width;
    arf_init(width);
    arf_sub(width, x->upper, x->lower, 64, ARF_RND_UP);
    arf_mul_2exp_si(width, width, bits);
    bool narrow = arf_cmpabs(width, x->lower) <= 0 && arf_cmpabs(width, x->upper) <= 0;
    arf_clear(width);
    return narrow;
}

/* ---- Arithmetic ---------------------------------------------------------------------------- */

/* A lower end is never +infinity nor an upper one -infinity, so that no sum is without meaning. */
void qkv__interval_add(qkv__interval *z, const qkv__interval *x, const qkv__interval *y,
                       slong precision)
{
    assert(arf_cmp(x->lower, x->upper) <= 0 && arf_cmp(y->lower, y->upper) <= 0);
    arf_add(z->lower, x->lower, y->lower, precision, ARF_RND_FLOOR);
    arf_add(z->upper, x->upper, y->upper, precision, ARF_RND_CEIL);
}

/* An infinite end stands for arbitrarily large numbers, and 0 times each of these is 0. */
static void multiply_ends(arf_t z, const arf_t x, const arf_t y, slong precision, arf_rnd_t round)
{
    if (arf_is_zero(x) || arf_is_zero(y))
        arf_zero(z);
    else
        arf_mul(z, x, y, precision, round);
}

/* The extreme of the four products of ends is at the end of the product. */
static void multiply_any(qkv__interval *z, const qkv__interval *x, const qkv__interval *y,
                         slong precision)
{
    const arf_struct *left[2] = {x->lower, x->upper}, *right[2] = {y->lower, y->upper};
    arf_t product;
    arf_init(product);
    arf_pos_inf(z->lower);
    arf_neg_inf(z->upper);
    for (int i = 0; i < 4; i++) {
        multiply_ends(product, left[i / 2], right[i % 2], precision, ARF_RND_FLOOR);
        arf_min(z->lower, z->lower, product);
        multiply_ends(product, left[i / 2], right[i % 2], precision, ARF_RND_CEIL);
        arf_max(z->upper, z->upper, product);
    }
    arf_clear(product);
}

void qkv__interval_multiply(qkv__interval *z, const qkv__interval *x, const qkv__interval *y,
                            slong precision)
{
    assert(arf_cmp(x->lower, x->upper) <= 0 && arf_cmp(y->lower, y->upper) <= 0);
    qkv__interval product;
    qkv__interval_init(&product);
    if (arf_sgn(x->lower) >= 0 && arf_sgn(y->lower) >= 0) {
        multiply_ends(product.lower, x->lower, y->lower, precision, ARF_RND_FLOOR);
        multiply_ends(product.upper, x->upper, y->upper, precision, ARF_RND_CEIL);
    } else {
        multiply_any(&product, x, y, precision);
    }
    arf_swap(z->lower, product.lower);
    arf_swap(z->upper, product.upper);
    qkv__interval_clear(&product);
}

/* 1/y for a y without 0: 1/infinity is the end 0. */
static void invert(qkv__interval *z, const qkv__interval *y, slong precision)
{
    qkv__interval inverse;
    qkv__interval_init(&inverse);
    if (!arf_is_inf(y->upper)) arf_ui_div(inverse.lower, 1, y->upper, precision, ARF_RND_FLOOR);
    if (!arf_is_inf(y->lower)) arf_ui_div(inverse.upper, 1, y->lower, precision, ARF_RND_CEIL);
    arf_swap(z->lower, inverse.lower);
    arf_swap(z->upper, inverse.upper);
    qkv__interval_clear(&inverse);
}

void qkv__interval_divide(qkv__interval *z, const qkv__interval *x, const qkv__interval *y,
                          slong precision)
{
    assert(arf_cmp(x->lower, x->upper) <= 0 && arf_cmp(y->lower, y->upper) <= 0);
    if (qkv__interval_sign(y) == 0) {
        qkv__interval_set_everything(z);
        return;
    }
    qkv__interval inverse;
    qkv__interval_init(&inverse);
    invert(&inverse, y, precision);
    qkv__interval_multiply(z, x, &inverse, precision);
    qkv__interval_clear(&inverse);
}

void qkv__interval_exponential(qkv__interval *z, const qkv__interval *x, slong precision)
{
    assert(arf_cmp(x->lower, x->upper) <= 0);
    arb_t ball;
    arb_init(ball);
    bool single = arf_equal(x->lower, x->upper), unbounded = arf_is_inf(x->upper);
    if (!unbounded) {
        arb_set_arf(ball, x->upper);
        arb_exp(ball, ball, precision);
        if (single) set_lower(z->lower, ball, precision);
        set_upper(z->upper, ball, precision);
    }
    if (arf_is_inf(x->lower)) {
        arf_zero(z->lower);
    } else if (!single) {
        arb_set_arf(ball, x->lower);
        arb_exp(ball, ball, precision);
        set_lower(z->lower, ball, precision);
    }
    if (unbounded) arf_pos_inf(z->upper);
    if (arf_sgn(z->lower) < 0) arf_zero(z->lower);
    arb_clear(ball);
}

/* ---- Powers -------------------------------------------------------------------------------- */

/* The power of one end, for positive powers; infinite ends keep or lose their sign. */
static void power_of_end(qkv__interval *z, const arf_t end, int halves, slong precision)
{
    qkv__interval_set_everything(z);
    if (arf_is_inf(end)) {
        bool negative = arf_sgn(end) < 0 && halves % 4 != 0;
        (negative ? arf_neg_inf : arf_pos_inf)(z->lower);
        (negative ? arf_neg_inf : arf_pos_inf)(z->upper);
        return;
    }
    arb_t ball;
    arb_init(ball);
    arb_set_arf(ball, end);
    if (halves % 2 != 0) arb_sqrt(ball, ball, precision);
    arb_pow_ui(ball, ball, (ulong)(halves % 2 != 0 ? halves : halves / 2), precision);
    set_ball(z, ball, precision);
    arb_clear(ball);
}

/* Positive powers rise or fall between ends of one sign, and odd ones everywhere; an even power of
 * a range with 0 within has its least value there. */
static void positive_power(qkv__interval *z, const qkv__interval *x, int halves, slong precision)
{
    assert(halves > 0);
    qkv__interval low, high;
    bool straddles = arf_sgn(x->lower) < 0 && arf_sgn(x->upper) > 0;
    qkv__interval_init(&low);
    qkv__interval_init(&high);
    power_of_end(&low, x->lower, halves, precision);
    power_of_end(&high, x->upper, halves, precision);
    qkv__interval_join(z, &low, &high);
    if (straddles && halves % 4 == 0) arf_zero(z->lower);
    if ((halves % 4 == 0 || arf_sgn(x->lower) >= 0) && arf_sgn(z->lower) < 0) arf_zero(z->lower);
    qkv__interval_clear(&low);
    qkv__interval_clear(&high);
}

/* 1/y for a y >= 0 whose end 0, if it is one, is not among the points. */
static void invert_nonnegative(qkv__interval *z, slong precision)
{
    bool touches = arf_is_zero(z->lower);
    if (touches) arf_set(z->lower, z->upper); /* for a moment, so that it can be inverted */
    invert(z, z, precision);
    if (touches) arf_pos_inf(z->upper);
}

void qkv__interval_power(qkv__interval *z, const qkv__interval *x, int halves, slong precision)
{
    assert(arf_cmp(x->lower, x->upper) <= 0);
    qkv__interval power;
    bool nonnegative = arf_sgn(x->lower) >= 0, touches = arf_is_zero(x->upper);
    qkv__interval_init(&power);
    if (halves == 0) {
        qkv__interval_set_rational(&power, qkv__rational_whole(1), precision);
    } else if ((!nonnegative && halves % 2 != 0) || (halves < 0 && touches)) {
        qkv__interval_set_everything(&power); /* no root, or no inverse */
    } else if (halves >= 0) {
        positive_power(&power, x, halves, precision);
    } else if (nonnegative) {
        positive_power(&power, x, -halves, precision);
        invert_nonnegative(&power, precision);
    } else {
        positive_power(&power, x, -halves, precision);
        if (arf_sgn(x->upper) < 0 && qkv__interval_sign(&power) != 0)
            invert(&power, &power, precision);
        else
            qkv__interval_set_everything(&power);
    }
    arf_swap(z->lower, power.lower);
    arf_swap(z->upper, power.upper);
    qkv__interval_clear(&power);
}
