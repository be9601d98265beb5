/* Rationals by 128-bit intermediates, which hold any product or sum of products of two 64-bit
 * numbers; what does not come back into 64 bits after cancelling is lost. */
#include "exact/rational.h"

#include <assert.h>

#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 wide;
#else
#error "exact rationals need a 128-bit integer type"
#endif

static wide magnitude(wide value)
{
    return value < 0 ? -value : value;
}

/* By halving and subtracting, which takes no division. */
static uint64_t small_common_divisor(uint64_t a, uint64_t b)
{
    if (a == 0 || b == 0) return a | b;
    int twos = __builtin_ctzll(a | b);
    a >>= __builtin_ctzll(a);
    while (b != 0) {
        b >>= __builtin_ctzll(b);
        uint64_t smaller = a < b ? a : b;
        b = a < b ? b - a : a - b;
        a = smaller;
    }
    return a << twos;
}

/* Of two numbers that are not negative; in 64 bits as soon as they fit, which takes a tenth of the
 * time. */
static wide greatest_common_divisor(wide a, wide b)
{
    while (b != 0) {
        if (a <= INT64_MAX && b <= INT64_MAX)
            return (wide)small_common_divisor((uint64_t)a, (uint64_t)b);
        wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* INT64_MIN is left out so that every numerator has a negative. */
static qkv__rational reduce(wide numerator, wide denominator)
{
    if (denominator == 0) return QKV__RATIONAL_LOST;
    if (denominator < 0) {
        numerator = -numerator;
        denominator = -denominator;
    }
    wide divisor =
        denominator == 1 ? 1 : greatest_common_divisor(magnitude(numerator), denominator);
    assert(divisor > 0);
    if (divisor != 1) {
        bool small = magnitude(numerator) <= INT64_MAX && denominator <= INT64_MAX;
        numerator = small ? (int64_t)numerator / (int64_t)divisor : numerator / divisor;
        denominator = small ? (int64_t)denominator / (int64_t)divisor : denominator / divisor;
    }
    if (magnitude(numerator) > INT64_MAX || denominator > INT64_MAX) return QKV__RATIONAL_LOST;
    return (qkv__rational){(int64_t)numerator, (int64_t)denominator};
}

qkv__rational qkv__rational_make(int64_t numerator, int64_t denominator)
{
    return reduce(numerator, denominator);
}

qkv__rational qkv__rational_whole(int64_t value)
{
    return reduce(value, 1);
}

qkv__rational qkv__rational_add(qkv__rational a, qkv__rational b)
{
    assert(a.denominator >= 0 && b.denominator >= 0);
    if (qkv__rational_is_lost(a) || qkv__rational_is_lost(b)) return QKV__RATIONAL_LOST;
    if (a.denominator == b.denominator)
        return reduce((wide)a.numerator + b.numerator, a.denominator);
    return reduce((wide)a.numerator * b.denominator + (wide)b.numerator * a.denominator,
                  (wide)a.denominator * b.denominator);
}

qkv__rational qkv__rational_negate(qkv__rational a)
{
    return (qkv__rational){-a.numerator, a.denominator};
}

qkv__rational qkv__rational_subtract(qkv__rational a, qkv__rational b)
{
    return qkv__rational_add(a, qkv__rational_negate(b));
}

qkv__rational qkv__rational_multiply(qkv__rational a, qkv__rational b)
{
    assert(a.denominator >= 0 && b.denominator >= 0);
    if (qkv__rational_is_lost(a) || qkv__rational_is_lost(b)) return QKV__RATIONAL_LOST;
    int64_t product;
    if (a.denominator == 1 && b.denominator == 1 && /* most are whole */
        !__builtin_mul_overflow(a.numerator, b.numerator, &product) && product != INT64_MIN)
        return (qkv__rational){product, 1};
    return reduce((wide)a.numerator * b.numerator, (wide)a.denominator * b.denominator);
}

qkv__rational qkv__rational_divide(qkv__rational a, qkv__rational b)
{
    assert(a.denominator >= 0 && b.denominator >= 0);
    if (qkv__rational_is_lost(a) || qkv__rational_is_lost(b)) return QKV__RATIONAL_LOST;
    return reduce((wide)a.numerator * b.denominator, (wide)a.denominator * b.numerator);
}

qkv__rational qkv__rational_power(qkv__rational a, int64_t exponent)
{
    qkv__rational result = qkv__rational_whole(1);
    if (exponent == INT64_MIN) return QKV__RATIONAL_LOST; /* has no negative */
    if (exponent < 0) {
        a = qkv__rational_divide(result, a);
        exponent = -exponent;
    }
    /* Squaring; a base that is lost on the way matters only if it is still needed. */
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1) result = qkv__rational_multiply(result, a);
        if (exponent > 1) a = qkv__rational_multiply(a, a);
    }
    return result;
}

int qkv__rational_sign(qkv__rational a)
{
    return (a.numerator > 0) - (a.numerator < 0);
}

int qkv__rational_compare(qkv__rational a, qkv__rational b)
{
    assert(!qkv__rational_is_lost(a) && !qkv__rational_is_lost(b));
    wide left = (wide)a.numerator * b.denominator, right = (wide)b.numerator * a.denominator;
    return (left > right) - (left < right);
}

int64_t qkv__common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

void qkv__rational_write(qkv__rational a, qkv__text *text)
{
    qkv__text_format(text, "%lld", (long long)a.numerator);
    if (a.denominator != 1) qkv__text_format(text, "/%lld", (long long)a.denominator);
}
