/* The search for witnesses: a few values of each parameter, near its ends and far, and the grid of
 * these or a seeded choice from it. Knows nothing of proofs. */
#include "ball/witness.h"

#include "ball/evaluate.h"

enum {
    VALUES = 9,  /* tried of a parameter */
    POINTS = 81, /* tried in all, */
    FEW_POINTS = 9,
    MANY_TERMS = 64, /* but fewer of forms with more terms than that */
    FIRST_PRECISION = 64,
    LAST_PRECISION = 1024,
};

/* ---- Signs at points ------------------------------------------------------------------------ */

static int sign_at(const qkv__algebra *algebra, const qkv__form *form, const qkv__point *point,
                   bool *zero)
{
    qkv__box box = {0};
    qkv__interval value;
    int sign = 0;
    for (size_t p = 0; p < algebra->parameter_count; p++) {
        qkv__bound end = {.known = true, .value = point->value[p]};
        if (algebra->parameter[p].prime == 0 && qkv__rational_is_lost(end.value)) return 0;
        box.range[p] = (qkv__range){.lower = end, .upper = end};
    }
    qkv__interval_init(&value);
    for (slong bits = FIRST_PRECISION; sign == 0 && bits <= LAST_PRECISION; bits *= 4) {
        qkv__domain domain;
        qkv__domain_init(&domain, algebra, &box, bits);
        qkv__evaluate(form, &domain, &value);
        sign = qkv__interval_sign(&value);
        qkv__domain_clear(&domain);
        *zero = arf_is_zero(value.lower) && arf_is_zero(value.upper);
        if (*zero) break;
    }
    qkv__interval_clear(&value);
    return sign;
}

int qkv__form_sign_at(const qkv__algebra *algebra, const qkv__form *form, const qkv__point *point)
{
    bool zero;
    return sign_at(algebra, form, point, &zero);
}

/* ---- Values of one parameter ----------------------------------------------------------------- */

static bool lies_in(const qkv__parameter *parameter, const qkv__range *range, qkv__rational value)
{
    const qkv__bound *lower = &range->lower, *upper = &range->upper;
    if (qkv__rational_is_lost(value) || (parameter->whole && !qkv__rational_is_whole(value)))
        return false;
    int above = lower->known ? qkv__rational_compare(value, lower->value) : 1;
    int below = upper->known ? qkv__rational_compare(upper->value, value) : 1;
    return (above > 0 || (above == 0 && !lower->strict)) &&
           (below > 0 || (below == 0 && !upper->strict));
}

static void add_value(const qkv__parameter *parameter, const qkv__range *range, qkv__rational value,
                      qkv__rational *values, size_t *count)
{
    if (*count == VALUES || !lies_in(parameter, range, value)) return;
    for (size_t i = 0; i < *count; i++)
        if (qkv__rational_compare(values[i], value) == 0) return;
    values[(*count)++] = value;
}

static size_t values_inside(const qkv__parameter *parameter, const qkv__range *range,
                            qkv__rational *values)
{
    static const double fraction[] = {0.5, 1.0 / 64, 63.0 / 64, 0.25, 0.75, 0.125, 0.875};
    size_t count = 0;
    qkv__rational lower = range->lower.value, upper = range->upper.value;
    add_value(parameter, range, lower, values, &count);
    add_value(parameter, range, upper, values, &count);
    for (size_t i = 0; i < sizeof fraction / sizeof fraction[0]; i++) {
        qkv__rational value = qkv__rational_between(lower, upper, fraction[i]);
        if (parameter->whole) value = qkv__rational_floor(value);
        add_value(parameter, range, value, values, &count);
    }
    return count;
}

/* From an end, or from 0 in both directions. */
static size_t values_beyond(const qkv__parameter *parameter, const qkv__range *range,
                            qkv__rational *values)
{
    static const int step[] = {0, 1, 4, 2, 16, 256, 65536}, parts_of_a_whole = 8;
    bool down = !range->lower.known && range->upper.known;
    qkv__rational from = down                 ? range->upper.value
                         : range->lower.known ? range->lower.value
                                              : qkv__rational_whole(0);
    size_t count = 0;
    for (size_t i = 0; i < sizeof step / sizeof step[0]; i++) {
        qkv__rational far = qkv__rational_whole(down ? -step[i] : step[i]);
        add_value(parameter, range, qkv__rational_add(from, far), values, &count);
        if (!range->lower.known && !range->upper.known)
            add_value(parameter, range, qkv__rational_negate(far), values, &count);
    }
    qkv__rational near = qkv__rational_make(down ? -1 : 1, parts_of_a_whole);
    add_value(parameter, range, qkv__rational_add(from, near), values, &count);
    return count;
}

/* Their number: 0 when no number of the range was found, 1 where the value does not matter. */
static size_t values_of(const qkv__parameter *parameter, const qkv__range *range, bool matters,
                        qkv__rational *values)
{
    size_t count;
    values[0] = QKV__RATIONAL_LOST;
    if (parameter->prime != 0) return 1;
    if (range->lower.known && range->upper.known)
        count = values_inside(parameter, range, values);
    else
        count = values_beyond(parameter, range, values);
    return count > 1 && !matters ? 1 : count;
}

bool qkv__box_middle(const qkv__algebra *algebra, const qkv__box *box, qkv__point *point)
{
    *point = (qkv__point){0};
    for (size_t p = 0; p < algebra->parameter_count; p++) {
        qkv__rational values[VALUES];
        size_t count = values_of(&algebra->parameter[p], &box->range[p], true, values);
        if (count == 0) return false;
        point->value[p] = values[count > 2 ? 2 : count - 1];
    }
    return true;
}

/* ---- Points -------------------------------------------------------------------------------- */

typedef struct grid {
    size_t count[QKV__PARAMETERS];
    qkv__rational value[QKV__PARAMETERS][VALUES];
} grid;

/* The number of points in the grid, or POINTS where there are more. */
static size_t make_grid(const qkv__algebra *algebra, const qkv__form *numerator,
                        const qkv__form *denominator, const qkv__box *box, grid *made)
{
    size_t points = 1;
    for (size_t p = 0; p < algebra->parameter_count; p++) {
        bool matters =
            qkv__form_depends_on(numerator, (int)p) || qkv__form_depends_on(denominator, (int)p);
        made->count[p] = values_of(&algebra->parameter[p], &box->range[p], matters, made->value[p]);
        points *= made->count[p];
        if (points > POINTS) points = POINTS + 1;
    }
    return points;
}

/* Point number i: its digits in the mixed base of the counts, or, from a grid that is too large,
 * digits stirred by a multiplicative hash (Knuth 6.4). */
static void choose_point(const qkv__algebra *algebra, const grid *values, size_t i, bool all,
                         qkv__point *point)
{
    uint64_t state = i;
    *point = (qkv__point){0};
    for (size_t p = 0; p < algebra->parameter_count; p++) {
        if (!all) state = (state + p + 1) * UINT64_C(0x9e3779b97f4a7c15);
        uint64_t digit = (all ? state : state >> 32) % values->count[p];
        if (all) state /= values->count[p];
        point->value[p] = values->value[p][digit];
    }
}

static void try_point(const qkv__algebra *algebra, const qkv__form *numerator,
                      const qkv__form *denominator, const qkv__point *point,
                      qkv__sign_result *result)
{
    bool zero = false;
    int sign = sign_at(algebra, numerator, point, &zero);
    if (denominator != NULL) {
        int below = qkv__form_sign_at(algebra, denominator, point);
        sign *= below;
        zero = zero && below != 0; /* 0/0 is no zero */
    }
    if (zero && !result->has_zero_point) {
        result->has_zero = result->has_zero_point = true;
        result->zero = *point;
    }
    if (sign > 0 && !result->has_positive) {
        result->has_positive = true;
        result->positive = *point;
    }
    if (sign < 0 && !result->has_negative) {
        result->has_negative = true;
        result->negative = *point;
    }
}

void qkv__witness_search(const qkv__algebra *algebra, const qkv__form *numerator,
                         const qkv__form *denominator, const qkv__box *box,
                         qkv__sign_result *result)
{
    grid values;
    size_t points = make_grid(algebra, numerator, denominator, box, &values);
    size_t terms = numerator->count + (denominator == NULL ? 0 : denominator->count);
    size_t most = terms > MANY_TERMS ? FEW_POINTS : POINTS;
    bool all = points <= most;
    for (size_t i = 0; i < points && i < most; i++) {
        qkv__point point;
        choose_point(algebra, &values, i, all, &point);
        try_point(algebra, numerator, denominator, &point, result);
        if (result->has_positive && result->has_negative) return;
    }
}
