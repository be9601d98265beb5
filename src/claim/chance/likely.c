/* Numbers known up to an interval. Every operation on ends is rounded to the next double outward,
 * which covers the half unit that IEEE arithmetic may be off. */
#include "claim/chance/likely.h"

#include <math.h>

static double down(double x)
{
    return nextafter(x, -INFINITY);
}

static double up(double x)
{
    return nextafter(x, INFINITY);
}

qkv__likely qkv__likely_between(double lower, double upper)
{
    return (qkv__likely){.lower = lower, .upper = upper};
}

qkv__likely qkv__likely_rational(qkv__rational value)
{
    double near = qkv__rational_approximate(value);
    double off = fabs(near) * 0x1p-51; /* numerator, denominator and quotient are rounded */
    qkv__likely x = {
        .exact = true, .value = value, .lower = down(near - off), .upper = up(near + off)};
    bool binary = (value.denominator & (value.denominator - 1)) == 0; /* a power of 2 */
    if (binary && value.numerator > -(INT64_C(1) << 52) && value.numerator < INT64_C(1) << 52)
        x.lower = x.upper = near;
    return x;
}

/* Exact where both are and the result fits; else the interval. */
static qkv__likely settle(qkv__likely x, qkv__likely y, qkv__rational value, qkv__likely interval)
{
    if (x.exact && y.exact && !qkv__rational_is_lost(value)) return qkv__likely_rational(value);
    return interval;
}

qkv__likely qkv__likely_add(qkv__likely x, qkv__likely y)
{
    return settle(x, y, qkv__rational_add(x.value, y.value),
                  qkv__likely_between(down(x.lower + y.lower), up(x.upper + y.upper)));
}

qkv__likely qkv__likely_subtract(qkv__likely x, qkv__likely y)
{
    return settle(x, y, qkv__rational_subtract(x.value, y.value),
                  qkv__likely_between(down(x.lower - y.upper), up(x.upper - y.lower)));
}

qkv__likely qkv__likely_multiply(qkv__likely x, qkv__likely y)
{
    double a = x.lower * y.lower, b = x.lower * y.upper, c = x.upper * y.lower,
           d = x.upper * y.upper;
    qkv__likely interval =
        qkv__likely_between(down(fmin(fmin(a, b), fmin(c, d))), up(fmax(fmax(a, b), fmax(c, d))));
    if (isnan(a) || isnan(b) || isnan(c) || isnan(d))
        interval = qkv__likely_between(-INFINITY, INFINITY);
    return settle(x, y, qkv__rational_multiply(x.value, y.value), interval);
}

qkv__likely qkv__likely_divide(qkv__likely x, qkv__likely y)
{
    if (y.lower <= 0.0 && y.upper >= 0.0) return qkv__likely_between(-INFINITY, INFINITY);
    qkv__likely inverse = qkv__likely_between(down(1.0 / y.upper), up(1.0 / y.lower));
    qkv__likely plain = x;
    plain.exact = false;
    return settle(x, y, qkv__rational_divide(x.value, y.value),
                  qkv__likely_multiply(plain, inverse));
}

qkv__likely qkv__likely_root(qkv__likely x)
{
    if (x.upper < 0.0) return qkv__likely_between(-INFINITY, INFINITY);
    double lower = x.lower <= 0.0 ? 0.0 : fmax(0.0, down(sqrt(x.lower)));
    return qkv__likely_between(lower, up(sqrt(x.upper)));
}

qkv__likely qkv__likely_size(qkv__likely x)
{
    if (x.exact)
        return qkv__likely_rational(qkv__rational_sign(x.value) < 0 ? qkv__rational_negate(x.value)
                                                                    : x.value);
    if (x.lower >= 0.0) return x;
    if (x.upper <= 0.0) return qkv__likely_between(-x.upper, -x.lower);
    return qkv__likely_between(0.0, fmax(-x.lower, x.upper));
}

qkv__likely qkv__likely_positive_part(qkv__likely x)
{
    bool negative = x.exact ? qkv__rational_sign(x.value) <= 0 : x.upper <= 0.0;
    return negative ? qkv__likely_rational(qkv__rational_whole(0)) : qkv__likely_not_negative(x);
}

qkv__likely qkv__likely_not_negative(qkv__likely x)
{
    if (!x.exact && x.lower < 0.0) x.lower = 0.0;
    return x;
}

qkv__verdict qkv__chance_judge(qkv__likely x, qkv__likely y, qkv__comparison comparison)
{
    int order = x.exact && y.exact  ? qkv__rational_compare(x.value, y.value)
                : x.upper < y.lower ? -1
                : x.lower > y.upper ? 1
                                    : 2;
    bool at_most = order == 2 && x.upper <= y.lower, at_least = order == 2 && x.lower >= y.upper;
    switch (comparison) {
    case QKV__EQUAL:
    case QKV__NEAR: return order == 0 ? QKV__PROVED : order == 2 ? QKV__UNDECIDED : QKV__REFUTED;
    case QKV__NOT_EQUAL:
        return order == 0 ? QKV__REFUTED : order == 2 ? QKV__UNDECIDED : QKV__PROVED;
    case QKV__LESS_OR_EQUAL:
        return at_most || order == -1 || order == 0 ? QKV__PROVED
               : order == 1                         ? QKV__REFUTED
                                                    : QKV__UNDECIDED;
    case QKV__LESS:
        return order == -1                            ? QKV__PROVED
               : at_least || order == 0 || order == 1 ? QKV__REFUTED
                                                      : QKV__UNDECIDED;
    case QKV__GREATER_OR_EQUAL: return qkv__chance_judge(y, x, QKV__LESS_OR_EQUAL);
    case QKV__GREATER: return qkv__chance_judge(y, x, QKV__LESS);
    default: return QKV__UNDECIDED;
    }
}

void qkv__likely_write(qkv__likely x, qkv__text *text)
{
    enum { DIGITS = 6 };
    double middle = 0.5 * (x.lower + x.upper), radius = 0.5 * (x.upper - x.lower);
    if (x.exact) {
        qkv__text_format(text, "%lld", (long long)x.value.numerator);
        if (x.value.denominator != 1)
            qkv__text_format(text, "/%lld", (long long)x.value.denominator);
    } else if (radius <= 0.5e-6 * fabs(middle)) {
        qkv__text_format(text, "%.*g", DIGITS, middle);
    } else {
        qkv__text_format(text, "%.*g to %.*g", DIGITS, x.lower, DIGITS, x.upper);
    }
}
