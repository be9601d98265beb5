/* Thresholds in numbers: by the ball's bisection, written in decimals that are true. Knows nothing
 * of who asks, nor of how conditions are read. */
#include "claim/threshold/threshold_number.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "ball/witness.h"
#include "claim/model/evaluate.h"
#include "claim/threshold/threshold.h"

enum { SHORT_DIGITS = 3, LOWEST_STEPS = 10 };

/* ---- Numbers in decimals ------------------------------------------------------------- */

/* The least number of so many digits that is not below the value, and what one more in its last
 * digit is; false for numbers too large or too small to care. */
bool qkv__decimal_round_up(qkv__rational value, int digits, qkv__rational *rounded,
                           qkv__rational *unit)
{
    double near = qkv__rational_approximate(value);
    int exponent = near == 0 ? 0 : (int)floor(log10(fabs(near))) - digits + 1;
    if (abs(exponent) > 15) return false;
    qkv__rational ten = qkv__rational_whole(10);
    *unit = qkv__rational_power(ten, exponent);
    double count = near / qkv__rational_approximate(*unit);
    if (!(fabs(count) < 1e15)) return false;
    int64_t n = (int64_t)ceil(count) + 1;
    *rounded = qkv__rational_multiply(qkv__rational_whole(n), *unit);
    for (int i = 0; i < 4; i++) { /* the double may be off by one in its last digit */
        qkv__rational lower = qkv__rational_subtract(*rounded, *unit);
        if (qkv__rational_is_lost(lower)) return false;
        if (qkv__rational_compare(lower, value) >= 0) *rounded = lower;
    }
    return qkv__rational_compare(*rounded, value) >= 0;
}

void qkv__digits_write(qkv__rational value, int digits, qkv__text *text)
{
    qkv__text_format(text, "%.*g", digits, qkv__rational_approximate(value));
}

/* ---- What is not in the bounds ------------------------------------------------------- */

/* Whether a parameter is one that a constraint speaks of. */
static bool is_constrained(const qkv__least_task *l, int parameter)
{
    for (size_t i = 0; i < l->count; i++)
        if (qkv__ratio_depends_on(l->constraint[i].value, parameter)) return true;
    return false;
}

static bool shares_parameter(const qkv__least_task *l, qkv__surd x)
{
    for (int p = 0; p < (int)l->algebra->parameter_count; p++)
        if (is_constrained(l, p) &&
            (qkv__ratio_depends_on(x.factor, p) || qkv__ratio_depends_on(x.radicand, p)))
            return true;
    return false;
}

/* Whether a premise that is no bound may exclude what the constraints allow. */
static bool is_relevant(const qkv__least_task *l, const qkv__node *premise)
{
    if (premise->kind != QKV__NODE_COMPARE) return true;
    for (int i = 0; i < 2; i++) {
        qkv__value value;
        if (!qkv__model_value(l->model, premise->child[i], NULL, &value) ||
            value.kind != QKV__VALUE_SCALAR || shares_parameter(l, value.scalar))
            return true;
    }
    return false;
}

bool qkv__least_is_bounded(const qkv__least_task *l)
{
    const qkv__model *model = l->model;
    for (size_t i = 0; i < model->premise_count; i++)
        if (is_relevant(l, model->premise[i])) return false;
    for (const qkv__spread *s = model->space.spreads; s != NULL; s = s->next)
        if (is_constrained(l, s->parameter)) return false;
    /* Inner products and lengths that are given: not all numbers have such vectors. */
    for (const qkv__given_product *g = model->space.given; g != NULL; g = g->next)
        for (int p = 0; p < (int)l->algebra->parameter_count; p++)
            if (is_constrained(l, p) && (qkv__ratio_depends_on(g->value, p) ||
                                         qkv__ratio_depends_on(g->x.family->same, p) ||
                                         qkv__ratio_depends_on(g->y.family->same, p)))
                return false;
    for (int p = 0; p < (int)l->algebra->parameter_count; p++)
        if (l->algebra->parameter[p].generic && is_constrained(l, p)) return false;
    return !l->premised;
}

bool qkv__least_has_products(const qkv__least_task *l)
{
    for (const qkv__unknown_product *u = l->model->space.unknown; u != NULL; u = u->next)
        if (is_constrained(l, u->parameter)) return true;
    return false;
}

/* ---- What the parameters may be ------------------------------------------------------ */

static bool is_fixed(const qkv__algebra *algebra, int p)
{
    assert(qkv__is_parameter(algebra, p));
    const qkv__parameter *known = &algebra->parameter[p];
    return known->prime != 0 ||
           (known->lower.known && known->upper.known &&
            qkv__rational_compare(known->lower.value, known->upper.value) == 0);
}

/* Whether all but the parameter asked for are numbers. */
bool qkv__least_others_are_fixed(const qkv__least_task *l)
{
    for (size_t i = 0; i < l->count; i++)
        for (int p = 0; p < (int)l->algebra->parameter_count; p++)
            if (p != l->parameter && qkv__ratio_depends_on(l->constraint[i].value, p) &&
                !is_fixed(l->algebra, p))
                return false;
    return true;
}

/* " at n = 10", of those that are numbers and occur. */
void qkv__least_write_fixed(const qkv__least_task *l, const char *before, qkv__text *text)
{
    bool first = true;
    for (int p = 0; p < (int)l->algebra->parameter_count; p++) {
        bool occurs = false;
        for (size_t i = 0; i < l->count; i++)
            occurs = occurs || qkv__ratio_depends_on(l->constraint[i].value, p);
        if (!occurs || p == l->parameter || l->algebra->parameter[p].prime != 0 ||
            !is_fixed(l->algebra, p))
            continue;
        qkv__text_format(text, "%s%s = ", first ? before : ", ", l->algebra->parameter[p].name);
        qkv__rational_write(l->algebra->parameter[p].lower.value, text);
        first = false;
    }
}

/* ---- The ball ------------------------------------------------------------------------ */

/* One constraint. Without a lower bound of the parameter one is tried that is low enough to see
 * the constraint fail: the threshold does not depend on it. */
qkv__least qkv__least_of(const qkv__least_task *l, qkv__ratio value, qkv__least_result *result)
{
    qkv__box box;
    qkv__least outcome = QKV__LEAST_UNKNOWN;
    if (!qkv__box_of_algebra(l->algebra, &box)) return outcome;
    if (box.range[l->parameter].lower.known)
        return qkv__ball_least(l->algebra, value, l->parameter, &box, 0, result);
    for (int step = 0; step < LOWEST_STEPS; step++) {
        int64_t lower = step == 0 ? 0 : -(INT64_C(1) << (2 * step));
        qkv__range *range = &box.range[l->parameter];
        range->lower = (qkv__bound){.known = true, .value = qkv__rational_whole(lower)};
        if (range->upper.known &&
            qkv__rational_compare(range->upper.value, range->lower.value) <= 0)
            continue;
        outcome = qkv__ball_least(l->algebra, value, l->parameter, &box, 0, result);
        if (outcome != QKV__LEAST_ALWAYS) return outcome;
    }
    return QKV__LEAST_UNKNOWN;
}

/* ---- For other verdicts -------------------------------------------------------------- */

static int sign_at(const qkv__least_task *l, qkv__point *point, qkv__rational place)
{
    const qkv__ratio value = l->constraint[0].value;
    point->value[l->parameter] = place;
    return qkv__form_sign_at(l->algebra, value.numerator, point) *
           qkv__form_sign_at(l->algebra, value.denominator, point);
}

/*
 * A number that is hardly above a threshold which is known to be there: the constraint holds
 * exactly from it on, so that its sign at points is enough. All but the parameter and the letter is
 * fixed.
 */
static bool from_when_on(const qkv__least_task *l, int letter, qkv__rational value,
                         qkv__rational *from)
{
    enum { DOUBLINGS = 40, HALVINGS = 16 };
    const qkv__algebra *algebra = l->algebra;
    const qkv__bound *lower = &algebra->parameter[l->parameter].lower;
    qkv__rational low = lower->known ? lower->value : qkv__rational_whole(0), high = low;
    qkv__point point;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        point.value[p] = algebra->parameter[p].lower.value;
    point.value[letter] = value;
    int sign = sign_at(l, &point, low);
    if (sign >= 0) return false; /* the threshold lies below what is allowed */
    for (int i = 0; i < DOUBLINGS && sign < 0; i++) {
        low = high;
        high = qkv__rational_add(high, qkv__rational_whole(INT64_C(1) << i));
        sign = sign_at(l, &point, high);
    }
    if (sign < 0) return false;
    for (int i = 0; i < HALVINGS && sign != 0; i++) {
        qkv__rational middle =
            qkv__rational_multiply(qkv__rational_add(low, high), qkv__rational_make(1, 2));
        sign = sign_at(l, &point, middle);
        *(sign > 0 ? &high : &low) = middle;
    }
    *from = high;
    return sign != 0 && !qkv__rational_is_lost(high);
}

/* The threshold at n = 10 for the one letter left, where 10 is allowed. */
static void write_example(qkv__least_task *l, qkv__text *text)
{
    int letter = -1;
    for (int p = 0; p < (int)l->algebra->parameter_count; p++)
        if (p != l->parameter && qkv__ratio_depends_on(l->constraint[0].value, p) &&
            !is_fixed(l->algebra, p)) {
            if (letter >= 0 || !l->algebra->parameter[p].whole) return;
            letter = p;
        }
    if (letter < 0) return;
    qkv__parameter kept = l->algebra->parameter[letter];
    qkv__rational ten = qkv__rational_whole(10), up, unit;
    bool allowed = (!kept.lower.known || qkv__rational_compare(kept.lower.value, ten) <= 0) &&
                   (!kept.upper.known || qkv__rational_compare(kept.upper.value, ten) >= 0);
    if (!allowed) return;
    qkv__rational from;
    if (!from_when_on(l, letter, ten, &from) ||
        !qkv__decimal_round_up(from, SHORT_DIGITS, &up, &unit))
        return;
    qkv__text_format(text, ", ");
    qkv__digits_write(up, SHORT_DIGITS, text);
    qkv__text_format(text, " at %s = 10", kept.name);
}

/* "under 1 %" or "at most 1/300" */
static void write_tolerance(qkv__rational tolerance, qkv__text *text)
{
    qkv__rational percent = qkv__rational_multiply(tolerance, qkv__rational_whole(100));
    qkv__text_format(text, "at most ");
    if (qkv__rational_is_whole(percent) && percent.numerator > 0)
        qkv__text_format(text, "%lld %%", (long long)percent.numerator);
    else
        qkv__rational_write(tolerance, text);
}

bool qkv__find_least_sentence(qkv__model *model, qkv__ratio leak, int parameter,
                              qkv__rational tolerance, qkv__text *text)
{
    assert(qkv__is_parameter(&model->algebra, parameter));
    qkv__algebra *algebra = &model->algebra;
    qkv__least_task *l = qkv__arena_take(&algebra->arena, sizeof *l);
    qkv__threshold threshold;
    qkv__least_result result;
    qkv__rational up, unit;
    if (l == NULL || parameter < 0) return false;
    *l = (qkv__least_task){.model = model,
                           .algebra = algebra,
                           .parameter = parameter,
                           .name = algebra->parameter[parameter].name,
                           .count = 1};
    l->constraint[0].value =
        qkv__ratio_subtract(algebra, qkv__ratio_constant(algebra, tolerance), leak);
    if (qkv__ratio_is_lost(l->constraint[0].value) || algebra->parameter[parameter].whole ||
        !qkv__least_is_bounded(l) || qkv__least_has_products(l))
        return false;
    bool fixed = qkv__least_others_are_fixed(l);
    if (fixed && (qkv__least_of(l, l->constraint[0].value, &result) != QKV__LEAST_FOUND ||
                  !qkv__decimal_round_up(result.verified, SHORT_DIGITS, &up, &unit)))
        return false;
    if (!fixed && !qkv__threshold_solve(algebra, l->constraint[0].value, parameter, &threshold))
        return false;
    write_tolerance(tolerance, text);
    qkv__text_format(text, " once %s >= ", l->name);
    if (fixed) {
        qkv__digits_write(up, SHORT_DIGITS, text);
        qkv__least_write_fixed(l, " at ", text);
        return true;
    }
    qkv__threshold_write(algebra, &threshold, text);
    write_example(l, text);
    return true;
}
