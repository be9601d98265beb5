/* Ranges of power products and of their sums. Knows nothing of signs or proofs. */
#include "ball/span.h"

#include <math.h>

static const qkv__span everything;

static qkv__bound finite(qkv__rational value, bool strict)
{
    if (qkv__rational_is_lost(value)) return (qkv__bound){0};
    return (qkv__bound){.known = true, .strict = strict, .value = value};
}

/* ---- Powers -------------------------------------------------------------------------------- */

static qkv__bound bound_power(const qkv__bound *bound, int exponent)
{
    if (!bound->known) return *bound;
    return finite(qkv__rational_power(bound->value, exponent), bound->strict);
}

static bool lost_end(const qkv__bound *before, const qkv__bound *after)
{
    return before->known && !after->known;
}

static qkv__span rising_power(const qkv__range *range, int exponent)
{
    qkv__span span = {.range = {.lower = bound_power(&range->lower, exponent),
                                .upper = bound_power(&range->upper, exponent)}};
    span.full =
        !lost_end(&range->lower, &span.range.lower) && !lost_end(&range->upper, &span.range.upper);
    return span;
}

static qkv__range mirrored(const qkv__range *range)
{
    qkv__range mirror = {.lower = range->upper, .upper = range->lower};
    mirror.lower.value = qkv__rational_negate(mirror.lower.value);
    mirror.upper.value = qkv__rational_negate(mirror.upper.value);
    return mirror;
}

/* An even power over a range with both signs: from 0 to the larger end's. */
static qkv__span folded_power(const qkv__range *range, int exponent)
{
    qkv__range mirror = mirrored(range);
    qkv__bound left = mirror.upper, right = range->upper, end = right;
    if (left.known && right.known) {
        int order = qkv__rational_compare(left.value, right.value);
        if (order > 0) end = left;
        if (order == 0) end.strict = left.strict && right.strict;
    } else {
        end.known = false;
    }
    qkv__range half = {.lower = finite(qkv__rational_whole(0), false), .upper = end};
    return rising_power(&half, exponent);
}

/* x^-exponent for x > 0. */
static qkv__span falling_power(const qkv__range *range, int exponent)
{
    qkv__span span = rising_power(range, exponent);
    qkv__bound lower = span.range.lower, upper = span.range.upper;
    const qkv__rational one = qkv__rational_whole(1);
    span.range.lower = upper.known ? finite(qkv__rational_divide(one, upper.value), upper.strict)
                                   : finite(qkv__rational_whole(0), true);
    span.range.upper = finite(qkv__rational_divide(one, lower.value), lower.strict);
    return span;
}

/* The root of a number that is a square; else lost. */
static qkv__rational exact_root(qkv__rational value)
{
    int64_t above = (int64_t)sqrtl((long double)value.numerator);
    int64_t below = (int64_t)sqrtl((long double)value.denominator);
    qkv__rational root = qkv__rational_make(above, below);
    qkv__rational square = qkv__rational_multiply(root, root);
    bool exact = !qkv__rational_is_lost(square) && qkv__rational_compare(square, value) == 0;
    return exact ? root : QKV__RATIONAL_LOST;
}

/* The roots of a range of numbers that are not negative. */
static bool root_range(const qkv__range *range, qkv__range *roots)
{
    *roots = *range;
    if (range->lower.known)
        roots->lower = finite(exact_root(range->lower.value), range->lower.strict);
    if (range->upper.known)
        roots->upper = finite(exact_root(range->upper.value), range->upper.strict);
    bool exact = !lost_end(&range->lower, &roots->lower) && !lost_end(&range->upper, &roots->upper);
    if (!roots->lower.known) roots->lower = finite(qkv__rational_whole(0), false);
    return exact;
}

qkv__span qkv__span_of_power(const qkv__range *range, int halves)
{
    bool positive = range->lower.known && qkv__rational_sign(range->lower.value) >= 0;
    bool negative = range->upper.known && qkv__rational_sign(range->upper.value) <= 0;
    qkv__range base = *range;
    bool exact = true;
    if (halves % 2 != 0) {
        if (!positive) return everything;
        exact = root_range(range, &base);
    } else {
        halves /= 2;
    }
    qkv__span span = everything;
    if (halves > 0 && (positive || halves % 2 != 0)) {
        span = rising_power(&base, halves);
    } else if (halves > 0) {
        qkv__range mirror = mirrored(&base);
        span = negative ? rising_power(&mirror, halves) : folded_power(&base, halves);
    } else if (positive) {
        span = falling_power(&base, -halves);
    }
    span.full = span.full && exact;
    return span;
}

/* ---- Products and sums ------------------------------------------------------------------------
 */

/* Ends that are not negative: 0 is left out only where both leave it out, others where one does. */
static qkv__bound multiply_bounds(qkv__bound a, qkv__bound b)
{
    if (!a.known || !b.known) return (qkv__bound){0};
    qkv__rational product = qkv__rational_multiply(a.value, b.value);
    bool zero = qkv__rational_is_zero(product);
    return finite(product, zero ? a.strict && b.strict : a.strict || b.strict);
}

static bool is_nonnegative(const qkv__range *range)
{
    return range->lower.known && qkv__rational_sign(range->lower.value) >= 0;
}

static qkv__range multiply_ranges(const qkv__range *a, const qkv__range *b)
{
    if (!is_nonnegative(a) || !is_nonnegative(b)) return everything.range;
    qkv__range product = {.lower = multiply_bounds(a->lower, b->lower),
                          .upper = multiply_bounds(a->upper, b->upper)};
    if (!product.lower.known) product.lower = finite(qkv__rational_whole(0), false);
    return product;
}

static qkv__range scale_range(const qkv__range *range, qkv__rational factor)
{
    qkv__range scaled = qkv__rational_sign(factor) < 0 ? mirrored(range) : *range;
    qkv__rational size = qkv__rational_sign(factor) < 0 ? qkv__rational_negate(factor) : factor;
    qkv__bound *ends[] = {&scaled.lower, &scaled.upper};
    for (int i = 0; i < 2; i++)
        if (ends[i]->known)
            *ends[i] = finite(qkv__rational_multiply(ends[i]->value, size), ends[i]->strict);
    return scaled;
}

static qkv__bound add_bounds(qkv__bound a, qkv__bound b)
{
    if (!a.known || !b.known) return (qkv__bound){0};
    return finite(qkv__rational_add(a.value, b.value), a.strict || b.strict);
}

static qkv__span span_of_term(const qkv__algebra *algebra, const qkv__term *term,
                              const qkv__box *box)
{
    const qkv__bound one = finite(qkv__rational_whole(1), false);
    qkv__span span = {.range = {.lower = one, .upper = one}, .full = true};
    int factors = 0;
    if (term->exponent != NULL) return everything;
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        if (term->power[p] == 0) continue;
        if (p >= (int)algebra->parameter_count || algebra->parameter[p].prime != 0)
            return everything;
        qkv__span power = qkv__span_of_power(&box->range[p], term->power[p]);
        span.range = factors == 0 ? power.range : multiply_ranges(&span.range, &power.range);
        span.full = ++factors == 1 && power.full && !algebra->parameter[p].whole;
    }
    qkv__range scaled = scale_range(&span.range, term->coefficient);
    if (lost_end(&span.range.lower,
                 qkv__rational_sign(term->coefficient) < 0 ? &scaled.upper : &scaled.lower) ||
        lost_end(&span.range.upper,
                 qkv__rational_sign(term->coefficient) < 0 ? &scaled.lower : &scaled.upper))
        span.full = false;
    span.range = scaled;
    return span;
}

qkv__span qkv__span_of_form(const qkv__algebra *algebra, const qkv__form *form, const qkv__box *box)
{
    const qkv__bound zero = finite(qkv__rational_whole(0), false);
    qkv__span sum = {.range = {.lower = zero, .upper = zero}, .full = true};
    for (size_t i = 0; i < form->count; i++) {
        qkv__span part = span_of_term(algebra, &form->term[i], box);
        sum.range.lower = add_bounds(sum.range.lower, part.range.lower);
        sum.range.upper = add_bounds(sum.range.upper, part.range.upper);
        sum.full = form->count == 1 && part.full;
    }
    return sum;
}
