/* Intervals as doubles and as decimals, both rounded outward: what is printed holds too. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ball/enclosure.h"

enum {
    DIGITS = 15,           /* of a midpoint: what a double has */
    CHECK_PRECISION = 256, /* to compare decimals of up to 17 digits with doubles */
    NARROW_BITS = 20,      /* narrower than that is midpoint and radius, wider two ends */
};

/* Whether a decimal certainly lies at the bound or outside of it. */
static bool is_outside(const char *decimal, double bound, bool upper)
{
    arb_t printed, exact;
    arb_init(printed);
    arb_init(exact);
    bool readable = arb_set_str(printed, decimal, CHECK_PRECISION) == 0;
    arb_set_d(exact, bound);
    bool outside = readable && (upper ? arb_ge(printed, exact) : arb_le(printed, exact));
    arb_clear(printed);
    arb_clear(exact);
    return outside;
}

/* A bound with few digits: to nearest, else a unit of the last digit further out. */
static void write_bound(double bound, int digits, bool upper, char *text, size_t capacity)
{
    double outward = upper ? INFINITY : -INFINITY;
    if (isinf(bound) || bound == 0) {
        snprintf(text, capacity, "%g", bound == 0 ? 0.0 : bound);
        return;
    }
    double unit = pow(10, floor(log10(fabs(bound))) - digits + 1);
    for (int step = 0; step < 3; step++) {
        snprintf(text, capacity, "%.*g", digits, bound + (upper ? step : -step) * unit);
        if (is_outside(text, bound, upper)) return;
    }
    snprintf(text, capacity, "%.17g", nextafter(bound, outward));
}

/* Three digits of the width are shown. */
static void write_ends(qkv__enclosure *enclosure)
{
    char lower[40], upper[40];
    double size = fmax(fabs(enclosure->lower), fabs(enclosure->upper));
    double width = enclosure->upper - enclosure->lower;
    double shown = isfinite(size / width) ? floor(log10(size / width)) + 3 : 3;
    int digits = (int)fmin(fmax(shown, 3), 17);
    write_bound(enclosure->lower, digits, false, lower, sizeof lower);
    write_bound(enclosure->upper, digits, true, upper, sizeof upper);
    snprintf(enclosure->text, sizeof enclosure->text, "[%s, %s]", lower, upper);
}

/* 0.500 is 0.5; an exponent stays behind. */
static void drop_zeros(char *text)
{
    char *point = strchr(text, '.');
    if (point == NULL) return;
    char *end = point + strspn(point, ".0123456789"), *kept = end;
    while (kept[-1] == '0') kept--;
    if (kept[-1] == '.') kept--;
    memmove(kept, end, strlen(end) + 1);
}

/* Arb writes [1.234 +/- 5.6e-7], or 0.5000 for a number that the decimals give exactly, or
 * [+/- 5.6e-7] when no digit is certain; always an enclosure. */
static void write_ball(qkv__enclosure *enclosure, const qkv__interval *interval)
{
    arb_t ball;
    arb_init(ball);
    arb_set_interval_arf(ball, interval->lower, interval->upper, CHECK_PRECISION);
    char *written = arb_get_str(ball, DIGITS, 0);
    const char *first = written + (written[0] == '[');
    size_t length = strcspn(first, "]");
    bool bare = strncmp(first, "+/-", 3) == 0;
    snprintf(enclosure->text, sizeof enclosure->text, "%s%.*s", bare ? "0 " : "", (int)length,
             first);
    if (written[0] != '[') drop_zeros(enclosure->text);
    flint_free(written);
    arb_clear(ball);
}

void qkv__enclosure_set(qkv__enclosure *enclosure, const qkv__interval *interval)
{
    assert(arf_cmp(interval->lower, interval->upper) <= 0);
    bool in_order = arf_cmp(interval->lower, interval->upper) <= 0;
    *enclosure = (qkv__enclosure){.known = in_order && qkv__interval_is_finite(interval)};
    if (!enclosure->known) return;
    enclosure->lower = arf_get_d(interval->lower, ARF_RND_FLOOR);
    enclosure->upper = arf_get_d(interval->upper, ARF_RND_CEIL);
    if (qkv__interval_is_narrow(interval, NARROW_BITS))
        write_ball(enclosure, interval);
    else
        write_ends(enclosure);
}

void qkv__enclosure_set_rationals(qkv__enclosure *enclosure, qkv__rational lower,
                                  qkv__rational upper)
{
    assert(qkv__rational_compare(lower, upper) <= 0);
    qkv__interval low, high;
    qkv__interval_init(&low);
    qkv__interval_init(&high);
    qkv__interval_set_rational(&low, lower, CHECK_PRECISION);
    qkv__interval_set_rational(&high, upper, CHECK_PRECISION);
    qkv__interval_span(&low, &low, &high);
    qkv__enclosure_set(enclosure, &low);
    qkv__interval_clear(&low);
    qkv__interval_clear(&high);
}
