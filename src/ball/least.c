/* Thresholds by bisection: a value where f is negative somewhere, and one from which on it is
 * proved not to be, drawn together. Knows nothing of claims. */
#include "ball/least.h"

#include <math.h>

#include "ball/witness.h"

enum {
    TAIL_STEPS = 24,    /* lower end + 1, 4, 16, ... before the tail is given up */
    BISECTIONS = 120,   /* enough for 41 bits and some misses */
    MISSES = 4,         /* cuts in a row that decide nothing */
    NARROW_BITS = 41,   /* relative width 4.5e-13 */
    SMALLEST_BITS = 58, /* absolute width near 0: what rationals of 64 bits still divide */
};

typedef struct threshold {
    const qkv__algebra *algebra;
    qkv__ratio f;
    int parameter;
    qkv__box box;
    size_t effort;
    bool has_violated, has_verified;
    qkv__rational violated, verified;
} threshold;

/* ---- Asking about a range ------------------------------------------------------------------- */

/* The sign of f where the parameter is at least `from`, and at most `to` if that is known. What a
 * witness says is kept: the greatest value where f was seen to be negative. */
static qkv__sign sign_between(threshold *task, qkv__rational from, qkv__bound to)
{
    qkv__box part = task->box;
    qkv__sign_result result;
    qkv__range range = {.lower = {.known = true, .value = from}, .upper = to};
    if (!qkv__box_narrow(task->algebra, &part, task->parameter, range)) return QKV__SIGN_UNKNOWN;
    qkv__sign sign = qkv__ball_sign(task->algebra, task->f, &part, task->effort, &result);
    if (result.has_negative) {
        qkv__rational seen = result.negative.value[task->parameter];
        if (!task->has_violated || qkv__rational_compare(seen, task->violated) > 0)
            task->violated = seen;
        task->has_violated = true;
    }
    return sign;
}

static bool is_never_negative(qkv__sign sign)
{
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE || sign == QKV__SIGN_ZERO;
}

/* ---- The tail ------------------------------------------------------------------------------- */

/* Where the tail is tried to begin: 4^step beyond the lower end, or ever nearer to a finite upper
 * end, and then at it. */
static qkv__rational tail_start(const threshold *task, int step)
{
    const qkv__range *range = &task->box.range[task->parameter];
    qkv__rational lower = range->lower.value;
    if (!range->upper.known)
        return qkv__rational_add(lower, qkv__rational_whole(INT64_C(1) << (2 * step)));
    if (step == TAIL_STEPS - 1) return range->upper.value;
    qkv__rational start =
        qkv__rational_between(lower, range->upper.value, 1 - ldexp(1, -(step + 1)));
    return task->algebra->parameter[task->parameter].whole ? qkv__rational_ceiling(start) : start;
}

/* Finds a tail without negative values, or shows that there is none. */
static qkv__least find_tail(threshold *task)
{
    qkv__bound to = task->box.range[task->parameter].upper;
    for (int step = 0; step < TAIL_STEPS; step++) {
        qkv__rational from = tail_start(task, step);
        if (qkv__rational_is_lost(from)) continue;
        qkv__sign sign = sign_between(task, from, to);
        if (sign == QKV__SIGN_NEGATIVE) return QKV__LEAST_NEVER;
        if (!is_never_negative(sign)) continue;
        task->verified = from;
        task->has_verified = true;
        return QKV__LEAST_FOUND;
    }
    return QKV__LEAST_UNKNOWN;
}

/* ---- Drawing together ------------------------------------------------------------------------ */

static bool is_narrow(const threshold *task)
{
    qkv__rational gap = qkv__rational_subtract(task->verified, task->violated);
    if (task->algebra->parameter[task->parameter].whole)
        return gap.numerator == 1 && gap.denominator == 1;
    double width =
        qkv__rational_approximate(task->verified) - qkv__rational_approximate(task->violated);
    double size = fabs(qkv__rational_approximate(task->verified));
    return width <= ldexp(size, -NARROW_BITS) || width <= ldexp(1, -SMALLEST_BITS);
}

/* After a miss the next cut is nearer to the verified end, where less has to be proved. */
static qkv__rational next_cut(const threshold *task, int misses)
{
    double fraction = 1 - ldexp(1, -(misses + 1));
    qkv__rational cut = qkv__rational_between(task->violated, task->verified, fraction);
    if (!task->algebra->parameter[task->parameter].whole) return cut;
    qkv__rational next = qkv__rational_add(task->violated, qkv__rational_whole(1));
    cut = qkv__rational_floor(cut);
    return qkv__rational_compare(cut, next) > 0 ? cut : next; /* also where the cut is lost */
}

/* The sign of f at one value of the parameter, where all else is fixed; 0 where it is not known. */
static int sign_at(const threshold *task, qkv__point *point, qkv__rational value)
{
    point->value[task->parameter] = value;
    return qkv__form_sign_at(task->algebra, task->f.numerator, point) *
           qkv__form_sign_at(task->algebra, task->f.denominator, point);
}

/* A guess that costs little: where f changes its sign at points, if it does so but once, a single
 * proof beyond that place will do for all the proofs of the drawing together. */
static void guess(threshold *task)
{
    qkv__point point;
    threshold tried = *task;
    for (int p = 0; p < (int)task->algebra->parameter_count; p++) {
        point.value[p] = task->box.range[p].lower.value;
        if (p != task->parameter && task->algebra->parameter[p].prime == 0 &&
            !qkv__box_is_fixed(task->algebra, &task->box, p) && qkv__ratio_depends_on(task->f, p))
            return;
    }
    for (int i = 0; i < BISECTIONS && !is_narrow(&tried); i++) {
        qkv__rational cut = next_cut(&tried, 0);
        if (qkv__rational_is_lost(cut) || qkv__rational_compare(cut, tried.violated) <= 0) return;
        int sign = sign_at(task, &point, cut);
        if (sign == 0) return;
        *(sign < 0 ? &tried.violated : &tried.verified) = cut;
    }
    qkv__bound to = {.known = true, .value = task->verified};
    bool proved = is_never_negative(sign_between(task, tried.verified, to));
    if (proved) task->verified = tried.verified;
    if (qkv__rational_compare(tried.violated, task->violated) > 0) task->violated = tried.violated;
}

static void draw_together(threshold *task)
{
    int misses = 0;
    for (int i = 0; i < BISECTIONS && misses < MISSES && !is_narrow(task); i++) {
        qkv__rational cut = next_cut(task, misses), before = task->violated;
        if (qkv__rational_is_lost(cut) || qkv__rational_compare(cut, task->violated) <= 0) return;
        qkv__bound to = {.known = true, .value = task->verified};
        bool proved = is_never_negative(sign_between(task, cut, to));
        if (proved) task->verified = cut;
        bool moved = qkv__rational_compare(before, task->violated) != 0;
        misses = proved || moved ? 0 : misses + 1;
    }
}

/* ---- The whole ------------------------------------------------------------------------------ */

static qkv__least find_least(threshold *task)
{
    const qkv__range *range = &task->box.range[task->parameter];
    if (!range->lower.known) return QKV__LEAST_UNKNOWN;
    if (is_never_negative(sign_between(task, range->lower.value, range->upper)))
        return QKV__LEAST_ALWAYS;
    qkv__least tail = find_tail(task);
    if (tail != QKV__LEAST_FOUND) return tail;
    if (!task->has_violated) return QKV__LEAST_UNKNOWN;
    guess(task);
    draw_together(task);
    return QKV__LEAST_FOUND;
}

qkv__least qkv__ball_least(const qkv__algebra *algebra, qkv__ratio f, int parameter,
                           const qkv__box *box, size_t effort, qkv__least_result *result)
{
    threshold task = {
        .algebra = algebra, .f = f, .parameter = parameter, .box = *box, .effort = effort};
    *result = (qkv__least_result){.outcome = QKV__LEAST_UNKNOWN};
    if (!qkv__is_parameter(algebra, parameter)) return result->outcome;
    if (algebra->parameter[parameter].prime != 0 || !qkv__box_tidy(algebra, &task.box))
        return result->outcome;
    result->outcome = find_least(&task);
    if (result->outcome != QKV__LEAST_FOUND) return result->outcome;
    result->violated = task.violated;
    result->verified = task.verified;
    result->narrow = is_narrow(&task);
    bool exact = algebra->parameter[parameter].whole && result->narrow;
    qkv__enclosure_set_rationals(&result->enclosure, exact ? task.verified : task.violated,
                                 task.verified);
    return result->outcome;
}
