/* Boxes and their cuts. Exact: a cut is chosen by floating point but made of rationals, and every
 * comparison is one of rationals. Knows nothing of
 * intervals. */
#include "ball/box.h"

#include <assert.h>
#include <math.h>

/* ---- Rationals ----------------------------------------------------------------------------- */

double qkv__rational_approximate(qkv__rational value)
{
    return (double)value.numerator / (double)value.denominator;
}

qkv__rational qkv__rational_floor(qkv__rational value)
{
    if (qkv__rational_is_lost(value)) return value;
    int64_t quotient = value.numerator / value.denominator;
    if (value.numerator % value.denominator < 0) quotient--;
    return qkv__rational_whole(quotient);
}

qkv__rational qkv__rational_ceiling(qkv__rational value)
{
    return qkv__rational_negate(qkv__rational_floor(qkv__rational_negate(value)));
}

/* A number with few bits is a quotient by a power of two; lost when 62 bits cannot hold it. */
static qkv__rational from_double(double value)
{
    int64_t denominator = 1;
    for (; value != floor(value) && denominator < INT64_C(1) << 61; value *= 2) denominator *= 2;
    if (value != floor(value) || fabs(value) > 0x1p62) return QKV__RATIONAL_LOST;
    return qkv__rational_make((int64_t)value, denominator);
}

static double round_to_bits(double value, int bits)
{
    int exponent;
    double fraction = frexp(value, &exponent);
    return ldexp(nearbyint(ldexp(fraction, bits)), exponent - bits);
}

qkv__rational qkv__rational_between(qkv__rational lower, qkv__rational upper, double fraction)
{
    assert(qkv__rational_compare(lower, upper) <= 0);
    double low = qkv__rational_approximate(lower), high = qkv__rational_approximate(upper);
    double target = low + (high - low) * fraction, slack = (high - low) / 8;
    for (int bits = 2; bits <= 53; bits++) {
        double rounded = round_to_bits(target, bits);
        if (fabs(rounded - target) > slack && bits < 53) continue;
        qkv__rational value = from_double(rounded);
        if (qkv__rational_is_lost(value)) break;
        if (qkv__rational_compare(lower, value) < 0 && qkv__rational_compare(value, upper) < 0)
            return value;
    }
    return QKV__RATIONAL_LOST;
}

/* Down the tree of fractions: the whole part, then the same question for the inverses of what is
 * left. */
qkv__rational qkv__rational_simplest(qkv__rational lower, qkv__rational upper)
{
    assert(qkv__rational_compare(lower, upper) <= 0);
    const qkv__rational one = qkv__rational_whole(1);
    if (qkv__rational_sign(upper) < 0)
        return qkv__rational_negate(
            qkv__rational_simplest(qkv__rational_negate(upper), qkv__rational_negate(lower)));
    if (qkv__rational_sign(lower) <= 0) return qkv__rational_whole(0);
    qkv__rational whole = qkv__rational_floor(lower);
    if (qkv__rational_compare(whole, lower) == 0) return whole;
    qkv__rational next = qkv__rational_add(whole, one);
    if (qkv__rational_is_lost(next) || qkv__rational_compare(next, upper) <= 0) return next;
    qkv__rational low = qkv__rational_divide(one, qkv__rational_subtract(upper, whole));
    qkv__rational high = qkv__rational_divide(one, qkv__rational_subtract(lower, whole));
    if (qkv__rational_is_lost(low) || qkv__rational_is_lost(high)) return QKV__RATIONAL_LOST;
    qkv__rational rest = qkv__rational_simplest(low, high);
    return qkv__rational_add(whole, qkv__rational_divide(one, rest));
}

/* ---- Ranges -------------------------------------------------------------------------------- */

static bool is_lost(qkv__bound bound)
{
    return bound.known && qkv__rational_is_lost(bound.value);
}

static bool is_empty(const qkv__range *range)
{
    if (!range->lower.known || !range->upper.known) return false;
    int order = qkv__rational_compare(range->lower.value, range->upper.value);
    return order > 0 || (order == 0 && (range->lower.strict || range->upper.strict));
}

/* n > 2 is n >= 3 for a whole n, and n >= 5/2 too. */
static void make_whole(qkv__range *range)
{
    const qkv__rational one = qkv__rational_whole(1);
    qkv__bound *lower = &range->lower, *upper = &range->upper;
    if (lower->known) {
        bool step = lower->strict && qkv__rational_is_whole(lower->value);
        lower->value = qkv__rational_ceiling(lower->value);
        if (step) lower->value = qkv__rational_add(lower->value, one);
    }
    if (upper->known) {
        bool step = upper->strict && qkv__rational_is_whole(upper->value);
        upper->value = qkv__rational_floor(upper->value);
        if (step) upper->value = qkv__rational_subtract(upper->value, one);
    }
    lower->strict = upper->strict = false;
}

/* False when the range is empty or lost. */
static bool tidy_range(const qkv__parameter *parameter, qkv__range *range)
{
    if (parameter->prime != 0) return true;
    if (is_lost(range->lower) || is_lost(range->upper)) return false;
    if (parameter->whole) make_whole(range);
    return !is_lost(range->lower) && !is_lost(range->upper) && !is_empty(range);
}

static void raise_lower(qkv__bound *bound, qkv__bound other)
{
    if (!other.known) return;
    int order = bound->known ? qkv__rational_compare(other.value, bound->value) : 1;
    if (order > 0) *bound = other;
    if (order == 0) bound->strict = bound->strict || other.strict;
}

static void lower_upper(qkv__bound *bound, qkv__bound other)
{
    if (!other.known) return;
    int order = bound->known ? qkv__rational_compare(other.value, bound->value) : -1;
    if (order < 0) *bound = other;
    if (order == 0) bound->strict = bound->strict || other.strict;
}

/* ---- Boxes --------------------------------------------------------------------------------- */

bool qkv__box_tidy(const qkv__algebra *algebra, qkv__box *box)
{
    for (size_t p = 0; p < algebra->parameter_count; p++)
        if (!tidy_range(&algebra->parameter[p], &box->range[p])) return false;
    return true;
}

bool qkv__box_of_algebra(const qkv__algebra *algebra, qkv__box *box)
{
    *box = (qkv__box){0};
    for (size_t p = 0; p < algebra->parameter_count; p++)
        box->range[p] = (qkv__range){.lower = algebra->parameter[p].lower,
                                     .upper = algebra->parameter[p].upper};
    return qkv__box_tidy(algebra, box);
}

bool qkv__box_narrow(const qkv__algebra *algebra, qkv__box *box, int parameter, qkv__range range)
{
    if (!qkv__is_parameter(algebra, parameter)) return false;
    if (algebra->parameter[parameter].prime != 0 || is_lost(range.lower) || is_lost(range.upper))
        return false;
    qkv__range narrowed = box->range[parameter];
    raise_lower(&narrowed.lower, range.lower);
    lower_upper(&narrowed.upper, range.upper);
    if (!tidy_range(&algebra->parameter[parameter], &narrowed)) return false;
    box->range[parameter] = narrowed;
    return true;
}

bool qkv__box_fix(const qkv__algebra *algebra, qkv__box *box, int parameter, qkv__rational value)
{
    qkv__bound end = {.known = true, .value = value};
    return qkv__box_narrow(algebra, box, parameter, (qkv__range){.lower = end, .upper = end});
}

bool qkv__box_is_fixed(const qkv__algebra *algebra, const qkv__box *box, int parameter)
{
    assert(qkv__is_parameter(algebra, parameter));
    const qkv__range *range = &box->range[parameter];
    if (algebra->parameter[parameter].prime != 0) return true;
    return range->lower.known && range->upper.known &&
           qkv__rational_compare(range->lower.value, range->upper.value) == 0;
}

bool qkv__box_is_finite(const qkv__algebra *algebra, const qkv__box *box, int parameter)
{
    assert(qkv__is_parameter(algebra, parameter));
    const qkv__range *range = &box->range[parameter];
    return algebra->parameter[parameter].prime != 0 || (range->lower.known && range->upper.known);
}

bool qkv__box_is_nonnegative(const qkv__algebra *algebra, const qkv__box *box, int parameter)
{
    assert(qkv__is_parameter(algebra, parameter));
    const qkv__bound *lower = &box->range[parameter].lower;
    return algebra->parameter[parameter].prime != 0 ||
           (lower->known && qkv__rational_sign(lower->value) >= 0);
}

qkv__parameter_set qkv__form_parameters(const qkv__algebra *algebra, const qkv__form *form)
{
    qkv__parameter_set set = 0;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__form_depends_on(form, p)) set |= (qkv__parameter_set)1 << p;
    return set;
}

/* ---- Cuts ---------------------------------------------------------------------------------- */

/* Where an infinite range is cut that begins at this number: 0, then 4, 16, 64, ... */
static qkv__rational cut_beyond(qkv__rational end)
{
    if (qkv__rational_sign(end) < 0) return qkv__rational_whole(0);
    qkv__rational step = qkv__rational_whole(4);
    if (qkv__rational_compare(end, qkv__rational_whole(1)) < 0) return step;
    return qkv__rational_multiply(qkv__rational_ceiling(end), step);
}

/* Between positive ends far apart the geometric middle, so that scales are halved too. */
static qkv__rational cut_between(qkv__rational lower, qkv__rational upper)
{
    assert(qkv__rational_compare(lower, upper) < 0);
    double low = qkv__rational_approximate(lower), high = qkv__rational_approximate(upper);
    double fraction = 0.5;
    if (low > 0 && high > 16 * low)
        fraction = fmax((sqrt(low * high) - low) / (high - low), 0x1p-8);
    return qkv__rational_between(lower, upper, fraction);
}

static qkv__rational choose_cut(const qkv__range *range)
{
    if (range->lower.known && range->upper.known)
        return cut_between(range->lower.value, range->upper.value);
    if (range->lower.known) return cut_beyond(range->lower.value);
    if (range->upper.known)
        return qkv__rational_negate(cut_beyond(qkv__rational_negate(range->upper.value)));
    return qkv__rational_whole(0);
}

/* Parts of a whole range do not share their cut. */
static bool split_whole(const qkv__range *range, qkv__rational cut, qkv__range *low,
                        qkv__range *high)
{
    if (range->lower.known && range->upper.known && qkv__rational_is_lost(cut))
        cut = range->lower.value; /* neighbours, with nothing between them */
    cut = qkv__rational_floor(cut);
    qkv__rational next = qkv__rational_add(cut, qkv__rational_whole(1));
    if (qkv__rational_is_lost(cut) || qkv__rational_is_lost(next)) return false;
    low->upper = (qkv__bound){.known = true, .value = cut};
    high->lower = (qkv__bound){.known = true, .value = next};
    return !is_empty(low) && !is_empty(high);
}

bool qkv__box_split(const qkv__algebra *algebra, const qkv__box *box, int parameter, qkv__box *low,
                    qkv__box *high)
{
    assert(low != high && box != high);
    assert(qkv__is_parameter(algebra, parameter));
    const qkv__range *range = &box->range[parameter];
    if (qkv__box_is_fixed(algebra, box, parameter)) return false;
    qkv__rational cut = choose_cut(range);
    *low = *box;
    *high = *box;
    if (algebra->parameter[parameter].whole)
        return split_whole(range, cut, &low->range[parameter], &high->range[parameter]);
    if (qkv__rational_is_lost(cut)) return false;
    low->range[parameter].upper = (qkv__bound){.known = true, .value = cut};
    high->range[parameter].lower = (qkv__bound){.known = true, .value = cut};
    return true;
}

static double width_of(const qkv__range *range)
{
    enum { INFINITE_WIDTH = 4 }; /* an infinite range is cut before most others */
    if (!range->lower.known || !range->upper.known) return INFINITE_WIDTH;
    double lower = qkv__rational_approximate(range->lower.value);
    double upper = qkv__rational_approximate(range->upper.value);
    return (upper - lower) / (1 + fmin(fabs(lower), fabs(upper)));
}

int qkv__box_widest(const qkv__algebra *algebra, const qkv__box *box, qkv__parameter_set among)
{
    int widest = -1;
    double most = 0;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        if (!qkv__parameter_set_has(among, p) || qkv__box_is_fixed(algebra, box, p)) continue;
        double width = width_of(&box->range[p]);
        if (widest < 0 || width > most) {
            most = width;
            widest = p;
        }
    }
    return widest;
}
