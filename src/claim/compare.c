/* Comparisons to verdicts: limits by leading terms, equality by normal forms, order by signs; the
 * exact engine first, then the ball. Knows values and engines; nothing of how propositions are put
 * together. */
#include <string.h>

#include "ball/enclosure.h"
#include "ball/sign.h"
#include "claim/decide_words.h"
#include "claim/design.h"
#include "claim/evaluate.h"
#include "claim/situation.h"
#include "exact/limit.h"
#include "exact/sign.h"

enum { COMPONENTS = 128 };

/* One number that must vanish, or have a sign: a coefficient of a difference. */
typedef struct component {
    qkv__ratio difference;
    qkv__symbol symbol; /* whose coefficient; family NULL for a plain number */
} component;

/* ---- Signs over all that is allowed ------------------------------------------------- */

static bool sign_over_box(qkv__situation *s, qkv__ratio ratio, qkv__sign_result *result)
{
    qkv__box box;
    *result = (qkv__sign_result){.sign = QKV__SIGN_UNKNOWN};
    if (!qkv__box_of_algebra(&s->model->algebra, &box)) return false;
    qkv__ball_sign(&s->model->algebra, ratio, &box, 0, result);
    return true;
}

/* ---- Differences --------------------------------------------------------------------- */

static bool is_plain(qkv__surd x)
{
    qkv__rational one;
    return qkv__ratio_is_constant(x.radicand, &one) && one.numerator == one.denominator;
}

static bool is_not_negative(qkv__situation *s, qkv__ratio ratio)
{
    qkv__sign_result result;
    qkv__sign sign = qkv__ratio_sign(&s->model->algebra, ratio);
    if (sign == QKV__SIGN_UNKNOWN && sign_over_box(s, ratio, &result)) sign = result.sign;
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE || sign == QKV__SIGN_ZERO;
}

/* A root under the premises: parameters replaced, and taken where it comes out. Where what replaces
 * a parameter has no root itself, all of it goes under one: f sqrt(r) = sqrt(f^2 r) for f >= 0. */
static qkv__surd resolve(qkv__situation *s, qkv__surd x)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__surd resolved = {qkv__situation_apply(s, x.factor), qkv__situation_apply(s, x.radicand)};
    if (qkv__ratio_is_lost(resolved.factor) && is_not_negative(s, x.factor)) {
        qkv__ratio square = qkv__ratio_power(algebra, x.factor, 2);
        resolved.factor = qkv__ratio_whole(algebra, 1);
        resolved.radicand =
            qkv__situation_apply(s, qkv__ratio_multiply(algebra, square, x.radicand));
    }
    qkv__ratio root = qkv__ratio_root(algebra, resolved.radicand);
    if (qkv__ratio_is_lost(root)) return resolved;
    return (qkv__surd){qkv__ratio_multiply(algebra, resolved.factor, root),
                       qkv__ratio_whole(algebra, 1)};
}

/* Two surds as one plain difference with the same sign, where both are known not to be negative:
 * that of their squares. */
bool qkv__surd_difference(qkv__situation *s, qkv__surd x, qkv__surd y, qkv__ratio *difference)
{
    qkv__algebra *algebra = &s->model->algebra;
    x = resolve(s, x);
    y = resolve(s, y);
    if (is_plain(x) && is_plain(y)) {
        *difference = qkv__ratio_subtract(algebra, x.factor, y.factor);
        return true;
    }
    if (!is_not_negative(s, x.factor) || !is_not_negative(s, y.factor)) return false;
    qkv__ratio left =
        qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, x.factor, 2), x.radicand);
    qkv__ratio right =
        qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, y.factor, 2), y.radicand);
    *difference = qkv__ratio_subtract(algebra, left, right);
    return true;
}

/* A sum over the rest is zero where there is no rest: its coefficient counts times its size. */
static bool add_vector_components(qkv__situation *s, const qkv__vector *difference,
                                  component *components, size_t *count)
{
    if (difference == NULL || difference->count > COMPONENTS) return false;
    for (size_t i = 0; i < difference->count; i++) {
        qkv__symbol symbol = difference->component[i].symbol;
        qkv__ratio factor = difference->component[i].factor;
        if (symbol.member == QKV__REST)
            factor = qkv__ratio_multiply(&s->model->algebra, factor,
                                         qkv__rest_size(&s->model->algebra, symbol.family->set));
        if (qkv__ratio_is_lost(factor)) return false;
        components[(*count)++] = (component){factor, symbol};
    }
    return true;
}

/* A family of numbers against a list, mark by mark. */
static bool add_list_components(qkv__situation *s, const qkv__value *x, const qkv__value *y,
                                component *components, size_t *count)
{
    const qkv__numbers *numbers = x->numbers;
    if (y->count != numbers->set->mark_count || y->count > COMPONENTS) return false;
    for (size_t i = 0; i < y->count; i++) {
        qkv__ratio entry;
        if (!qkv__value_as_ratio(&y->element[i], &entry)) return false;
        components[(*count)++] = (component){
            qkv__ratio_subtract(&s->model->algebra, numbers->mark[i], entry), {NULL, 0}};
    }
    return true;
}

/* The factor of two symbols in a sum of outer products. */
static qkv__ratio outer_factor(qkv__space *space, const qkv__matrix_sum *m, qkv__symbol left,
                               qkv__symbol right)
{
    qkv__ratio sum = qkv__ratio_whole(space->algebra, 0);
    for (size_t i = 0; i < m->count; i++) {
        qkv__ratio part = qkv__ratio_multiply(
            space->algebra, m->outer[i].factor,
            qkv__ratio_multiply(space->algebra, qkv__vector_factor(space, m->outer[i].left, left),
                                qkv__vector_factor(space, m->outer[i].right, right)));
        sum = qkv__ratio_add(space->algebra, sum, part);
    }
    return sum;
}

/* Matrices x y' + ... are equal if the factors of all pairs of symbols are; sums over the rest and
 * the identity have no place in such a table, since they are no symbols of their own. */
static bool add_matrix_components(qkv__situation *s, const qkv__value *x, const qkv__value *y,
                                  component *components, size_t *count)
{
    qkv__space *space = &s->model->space;
    qkv__value difference;
    qkv__failure failure;
    if (!qkv__value_add(space, x, y, true, &difference, &failure)) return false;
    const qkv__matrix_sum *m = difference.matrix;
    if (!qkv__ratio_is_zero(m->identity)) return false;
    for (size_t i = 0; i < m->count; i++)
        for (size_t a = 0; a < m->outer[i].left->count; a++)
            for (size_t b = 0; b < m->outer[i].right->count; b++) {
                qkv__symbol left = m->outer[i].left->component[a].symbol;
                qkv__symbol right = m->outer[i].right->component[b].symbol;
                if (*count == COMPONENTS || left.member < 0 || right.member < 0) return false;
                components[(*count)++] = (component){outer_factor(space, m, left, right), left};
            }
    return true;
}

/* What must vanish for x = y; one number for scalars, one a symbol for vectors. */
static bool raw_differences(qkv__situation *s, const qkv__value *x, const qkv__value *y,
                            component *components, size_t *count)
{
    const qkv__vector *u, *v;
    *count = 0;
    if (qkv__value_as_vector(x, &u) && qkv__value_as_vector(y, &v))
        return add_vector_components(s, qkv__vector_subtract(&s->model->space, u, v), components,
                                     count);
    if (x->kind == QKV__VALUE_MATRIX && y->kind == QKV__VALUE_MATRIX)
        return add_matrix_components(s, x, y, components, count);
    if (x->kind == QKV__VALUE_NUMBERS && y->kind == QKV__VALUE_LIST)
        return add_list_components(s, x, y, components, count);
    if (x->kind != QKV__VALUE_SCALAR || y->kind != QKV__VALUE_SCALAR) return false;
    components[0] = (component){.symbol = {NULL, 0}};
    *count = 1;
    return qkv__surd_difference(s, x->scalar, y->scalar, &components[0].difference) &&
           !qkv__ratio_is_lost(components[0].difference);
}

static bool differences(qkv__situation *s, const qkv__value *x, const qkv__value *y,
                        component *components, size_t *count)
{
    if (!raw_differences(s, x, y, components, count)) return false;
    for (size_t i = 0; i < *count; i++) {
        components[i].difference = qkv__situation_apply(s, components[i].difference);
        if (qkv__ratio_is_lost(components[i].difference)) return false;
    }
    return true;
}

/* ---- Limits -------------------------------------------------------------------------- */

/* The limit as one parameter tends to a number where the ratio is continuous. */
static qkv__limit limit_at_point(qkv__algebra *algebra, qkv__ratio ratio, qkv__passage passage)
{
    qkv__limit limit = {QKV__LIMIT_UNKNOWN, ratio};
    qkv__ratio value = qkv__ratio_substitute(algebra, ratio, passage.parameter,
                                             qkv__form_constant(algebra, passage.point));
    if (qkv__ratio_is_lost(value) || qkv__form_is_zero(value.denominator)) return limit;
    qkv__sign below = qkv__form_sign(algebra, value.denominator);
    if (below != QKV__SIGN_POSITIVE && below != QKV__SIGN_NEGATIVE) return limit;
    return (qkv__limit){QKV__LIMIT_FINITE, value};
}

/* The limit in all the parameters, one after the other. */
static qkv__limit limit_of(qkv__situation *s, qkv__ratio ratio)
{
    qkv__limit limit = {QKV__LIMIT_FINITE, ratio};
    for (size_t i = 0; i < s->limit_count && limit.kind == QKV__LIMIT_FINITE; i++)
        limit = s->limit[i].infinite
                    ? qkv__ratio_limit(&s->model->algebra, limit.value, s->limit[i].parameter)
                    : limit_at_point(&s->model->algebra, limit.value, s->limit[i]);
    return limit;
}

/* "c -> 1/2*v[a] + 1/2*v[b]", or what of it is finite. */
static void write_limit(qkv__situation *s, const qkv__value *value, qkv__text *text)
{
    qkv__space *space = &s->model->space;
    const qkv__vector *vector;
    qkv__ratio ratio;
    if (qkv__value_as_ratio(value, &ratio)) {
        qkv__limit limit = limit_of(s, qkv__situation_apply(s, ratio));
        if (limit.kind == QKV__LIMIT_FINITE) qkv__ratio_write(space->algebra, limit.value, text);
        if (limit.kind == QKV__LIMIT_PLUS_INFINITY) qkv__text_format(text, "inf");
        if (limit.kind == QKV__LIMIT_MINUS_INFINITY) qkv__text_format(text, "-inf");
        return;
    }
    if (value->kind == QKV__VALUE_NUMBERS) { /* weights in a row: [1, 0, 0] */
        for (size_t i = 0; i < value->numbers->set->mark_count; i++) {
            qkv__value entry = qkv__value_scalar(space, value->numbers->mark[i]);
            qkv__text_format(text, i == 0 ? "[" : ", ");
            write_limit(s, &entry, text);
        }
        qkv__text_format(text, "]");
    }
    if (!qkv__value_as_vector(value, &vector)) return;
    const qkv__vector *sum = qkv__vector_zero(space);
    for (size_t i = 0; i < vector->count; i++) {
        qkv__limit limit = limit_of(s, qkv__situation_apply(s, vector->component[i].factor));
        if (limit.kind != QKV__LIMIT_FINITE) return;
        const qkv__symbol symbol = vector->component[i].symbol;
        sum = qkv__vector_add(
            space, sum,
            qkv__vector_scale(space, qkv__vector_symbol(space, symbol.family, symbol.member),
                              limit.value));
    }
    qkv__vector_write(space, sum, text);
}

/* What is known of a number, such as a limit, being 0. */
typedef enum nullity {
    NULLITY_OPEN,
    NULLITY_ZERO,
    NULLITY_SOMEWHERE_OTHER, /* for some of what is free, it is another number */
    NULLITY_NEVER,           /* whatever is free, it is another number */
} nullity;

static nullity nullity_of(qkv__situation *s, qkv__ratio ratio)
{
    if (qkv__ratio_is_zero(ratio)) return NULLITY_ZERO;
    qkv__sign_result result;
    qkv__sign sign = qkv__ratio_sign(&s->model->algebra, ratio);
    if (!sign_over_box(s, ratio, &result)) return NULLITY_OPEN;
    bool never = sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NEGATIVE ||
                 result.sign == QKV__SIGN_POSITIVE || result.sign == QKV__SIGN_NEGATIVE;
    bool positive = result.has_positive && qkv__situation_admits(s, ratio, &result.positive);
    bool negative = result.has_negative && qkv__situation_admits(s, ratio, &result.negative);
    if (!positive && !negative) return NULLITY_OPEN;
    return never ? NULLITY_NEVER : NULLITY_SOMEWHERE_OTHER;
}

/* The factor of a parameter in an exponent; false where it is anything but linear. */
static bool exponent_slope(qkv__algebra *algebra, const qkv__term *term, int parameter,
                           qkv__rational *slope)
{
    *slope = qkv__rational_whole(0);
    if (term->power[parameter] != 0) return false;
    if (term->exponent == NULL || !qkv__form_depends_on(term->exponent, parameter)) return true;
    const qkv__form *zero = qkv__form_whole(algebra, 0), *one = qkv__form_whole(algebra, 1);
    const qkv__form *rest = qkv__form_substitute(algebra, term->exponent, parameter, zero);
    const qkv__form *step = qkv__form_subtract(
        algebra, qkv__form_substitute(algebra, term->exponent, parameter, one), rest);
    const qkv__form *line =
        step == NULL ? NULL
                     : qkv__form_add(algebra, rest,
                                     qkv__form_multiply(algebra, step,
                                                        qkv__form_parameter(algebra, parameter)));
    return qkv__form_is_constant(step, slope) && qkv__form_equal(term->exponent, line);
}

/* Whether every exponential of a slack is at its largest in the leading part of a denominator of
 * positive terms: then nothing grows as the slack does. */
static bool is_even_in(qkv__situation *s, qkv__ratio ratio, int slack)
{
    qkv__algebra *algebra = &s->model->algebra;
    const qkv__form *parts[] = {ratio.numerator, ratio.denominator};
    qkv__leading leading;
    qkv__rational slope, most = qkv__rational_whole(-1000000);
    bool reached = false;
    for (int i = 0; i < 2; i++)
        for (size_t t = 0; t < parts[i]->count; t++) {
            if (!exponent_slope(algebra, &parts[i]->term[t], slack, &slope)) return false;
            if (qkv__rational_compare(slope, most) > 0) most = slope;
        }
    if (qkv__form_sign(algebra, ratio.denominator) != QKV__SIGN_POSITIVE ||
        !qkv__form_leading(algebra, ratio.denominator, s->limit[0].parameter, &leading))
        return false;
    for (size_t t = 0; t < leading.coefficient->count; t++) {
        const qkv__form *term = qkv__form_term(algebra, &leading.coefficient->term[t]);
        if (qkv__form_sign(algebra, term) != QKV__SIGN_POSITIVE) return false;
        if (!exponent_slope(algebra, &leading.coefficient->term[t], slack, &slope)) return false;
        reached = reached || qkv__rational_compare(slope, most) == 0;
    }
    return reached;
}

/* A limit under a premise must not depend on by how much the premise is more than met: the slack
 * may grow together with the parameter. */
static bool tends_evenly(qkv__situation *s, qkv__ratio difference)
{
    for (int p = 0; p < (int)s->model->algebra.parameter_count; p++)
        if (qkv__parameter_set_has(s->slacks, p) && qkv__ratio_depends_on(difference, p) &&
            (s->limit_count != 1 || !s->limit[0].infinite || !is_even_in(s, difference, p)))
            return false;
    return true;
}

/* What the limits of all components being 0 comes to: the claim x ~ y. */
static nullity limits_vanish(qkv__situation *s, const component *components, size_t count)
{
    nullity all = NULLITY_ZERO;
    for (size_t i = 0; i < count; i++) {
        qkv__limit limit = limit_of(s, components[i].difference);
        nullity one = limit.kind == QKV__LIMIT_UNKNOWN            ? NULLITY_OPEN
                      : limit.kind == QKV__LIMIT_FINITE           ? nullity_of(s, limit.value)
                      : s->weakened || !qkv__situation_is_free(s) ? NULLITY_OPEN
                                                                  : NULLITY_NEVER;
        if (one == NULLITY_ZERO && !tends_evenly(s, components[i].difference)) one = NULLITY_OPEN;
        if (one == NULLITY_NEVER || all == NULLITY_NEVER)
            all = NULLITY_NEVER;
        else if (one == NULLITY_SOMEWHERE_OTHER || all == NULLITY_SOMEWHERE_OTHER)
            all = NULLITY_SOMEWHERE_OTHER;
        else if (one == NULLITY_OPEN)
            all = NULLITY_OPEN;
    }
    return all;
}

static qkv__verdict decide_limit(qkv__situation *s, const qkv__value *x,
                                 const component *components, size_t count)
{
    nullity all = limits_vanish(s, components, count);
    qkv__situation_begin_found(s);
    qkv__text_format(&s->finding->found, "-> ");
    write_limit(s, x, &s->finding->found);
    if (all == NULLITY_OPEN)
        return qkv__situation_undecided(s, "which term grows fastest depends on what is not known");
    qkv__explain_limit(s, x);
    s->finding->uniform = all != NULLITY_SOMEWHERE_OTHER;
    return qkv__situation_conclude(s, all == NULLITY_ZERO ? QKV__PROVED : QKV__REFUTED, "exact");
}

/* ---- Equality and order -------------------------------------------------------------- */

static void write_value(qkv__situation *s, const qkv__value *value, qkv__text *text)
{
    qkv__ratio ratio;
    const qkv__vector *vector;
    if (qkv__value_as_ratio(value, &ratio))
        qkv__ratio_write(&s->model->algebra, ratio, text);
    else if (qkv__value_as_vector(value, &vector))
        qkv__vector_write(&s->model->space, vector, text);
}

/* Both sides, where they are plain numbers: 2 of them, else 0. */
static size_t plain_sides(const qkv__value *x, const qkv__value *y, qkv__side sides[2])
{
    return qkv__value_as_ratio(x, &sides[0].plain) && qkv__value_as_ratio(y, &sides[1].plain) ? 2
                                                                                              : 0;
}

/* A point where the sign is proved, and that can be had. */
static const qkv__point *real_point(qkv__situation *s, qkv__ratio ratio,
                                    const qkv__sign_result *result, bool positive, bool negative)
{
    if (positive && result->has_positive && qkv__situation_admits(s, ratio, &result->positive))
        return &result->positive;
    if (negative && result->has_negative && qkv__situation_admits(s, ratio, &result->negative))
        return &result->negative;
    return NULL;
}

static qkv__verdict decide_equal(qkv__situation *s, const qkv__value *x, const qkv__value *y,
                                 const component *components, size_t count)
{
    bool all = true;
    qkv__side sides[2];
    for (size_t i = 0; i < count; i++) all = all && qkv__ratio_is_zero(components[i].difference);
    qkv__situation_begin_found(s);
    write_value(s, x, &s->finding->found);
    if (all) {
        qkv__situation_say(s, "Both sides are the same expression.");
        return qkv__situation_conclude(s, QKV__PROVED, "exact");
    }
    for (size_t i = 0; i < count; i++) {
        qkv__sign_result result;
        if (!sign_over_box(s, components[i].difference, &result)) continue;
        const qkv__point *point = real_point(s, components[i].difference, &result, true, true);
        if (point == NULL) continue;
        qkv__counterexample(s, components[i].difference, point, sides, plain_sides(x, y, sides),
                            components[i].symbol);
        return qkv__situation_conclude(s, QKV__REFUTED, "ball");
    }
    return qkv__situation_undecided(
        s, "the normal forms differ, but no point was found where the values do");
}

/* x != y: of numbers a sign, of vectors some component that never vanishes. */
static qkv__verdict decide_unequal(qkv__situation *s, const qkv__value *x,
                                   const component *components, size_t count)
{
    bool all = true;
    qkv__situation_begin_found(s);
    write_value(s, x, &s->finding->found);
    for (size_t i = 0; i < count; i++) {
        if (nullity_of(s, components[i].difference) == NULLITY_NEVER) {
            qkv__situation_say(s, "The difference is never 0.");
            return qkv__situation_conclude(s, QKV__PROVED, "ball");
        }
        all = all && qkv__ratio_is_zero(components[i].difference);
    }
    if (all && !s->weakened) {
        qkv__situation_say(s, "Both sides are the same expression.");
        return qkv__situation_conclude(s, QKV__REFUTED, "exact");
    }
    return qkv__situation_undecided(s, "whether the sides ever meet could not be told");
}

/* Whether the sign is one that the comparison with zero allows, or proves wrong. */
static qkv__verdict judge_sign(qkv__sign sign, qkv__comparison comparison)
{
    bool positive = sign == QKV__SIGN_POSITIVE, negative = sign == QKV__SIGN_NEGATIVE;
    bool zero = sign == QKV__SIGN_ZERO;
    bool not_negative = positive || zero || sign == QKV__SIGN_NONNEGATIVE;
    bool not_positive = negative || zero || sign == QKV__SIGN_NONPOSITIVE;
    switch (comparison) {
    case QKV__GREATER: return positive ? QKV__PROVED : not_positive ? QKV__REFUTED : QKV__UNDECIDED;
    case QKV__GREATER_OR_EQUAL:
        return not_negative ? QKV__PROVED : negative ? QKV__REFUTED : QKV__UNDECIDED;
    case QKV__LESS: return negative ? QKV__PROVED : not_negative ? QKV__REFUTED : QKV__UNDECIDED;
    case QKV__LESS_OR_EQUAL:
        return not_positive ? QKV__PROVED : positive ? QKV__REFUTED : QKV__UNDECIDED;
    case QKV__NOT_EQUAL:
        return positive || negative ? QKV__PROVED : zero ? QKV__REFUTED : QKV__UNDECIDED;
    default: return QKV__UNDECIDED;
    }
}

/* A witness that contradicts the comparison. */
static const qkv__point *contradiction(qkv__situation *s, qkv__ratio difference,
                                       const qkv__sign_result *result, qkv__comparison comparison)
{
    bool wants_positive = comparison == QKV__GREATER || comparison == QKV__GREATER_OR_EQUAL;
    bool wants_negative = comparison == QKV__LESS || comparison == QKV__LESS_OR_EQUAL;
    return real_point(s, difference, result, wants_negative, wants_positive);
}

/* A sign that holds for all parameters refutes if there is anything it holds for. */
static bool is_refuted_by_sign(qkv__situation *s, qkv__ratio difference,
                               const qkv__sign_result *result, qkv__verdict verdict)
{
    if (verdict != QKV__REFUTED) return false;
    if (real_point(s, difference, result, true, true) != NULL) return true;
    qkv__rational number;
    return qkv__ratio_is_constant(difference, &number) && !s->weakened &&
           s->substitution_count == 0;
}

static qkv__verdict decide_order(qkv__situation *s, const qkv__value *x, const qkv__value *y,
                                 qkv__ratio difference, qkv__comparison comparison)
{
    qkv__sign_result result;
    qkv__side sides[2];
    qkv__verdict verdict = judge_sign(qkv__ratio_sign(&s->model->algebra, difference), comparison);
    qkv__situation_begin_found(s);
    write_value(s, x, &s->finding->found);
    if (verdict == QKV__PROVED) {
        qkv__situation_say(s, "The difference has this sign for all parameters.");
        return qkv__situation_conclude(s, verdict, "exact");
    }
    if (!sign_over_box(s, difference, &result))
        return qkv__situation_undecided(s, "the conditions exclude each other");
    const qkv__point *point = contradiction(s, difference, &result, comparison);
    if (is_refuted_by_sign(s, difference, &result, verdict)) {
        if (point != NULL)
            qkv__counterexample(s, difference, point, sides, plain_sides(x, y, sides),
                                (qkv__symbol){NULL, 0});
        qkv__situation_say(s, "The difference has the other sign for all parameters.");
        s->finding->uniform = true;
        return qkv__situation_conclude(s, verdict, "exact");
    }
    if (point != NULL) {
        qkv__counterexample(s, difference, point, sides, plain_sides(x, y, sides),
                            (qkv__symbol){NULL, 0});
        return qkv__situation_conclude(s, QKV__REFUTED, "ball");
    }
    verdict = judge_sign(result.sign, comparison);
    if (verdict == QKV__REFUTED && !is_refuted_by_sign(s, difference, &result, verdict))
        verdict = QKV__UNDECIDED;
    if (verdict == QKV__UNDECIDED)
        return qkv__situation_undecided(s, "the sign of the difference could not be enclosed");
    qkv__situation_say(s, "Enclosed over the whole range.");
    return qkv__situation_conclude(s, verdict, "ball");
}

/* x <= y as beta -> inf: from some beta on, by the limit of the difference. */
static qkv__verdict decide_eventual_order(qkv__situation *s, const qkv__value *x,
                                          qkv__ratio difference, qkv__comparison comparison)
{
    qkv__limit limit = limit_of(s, difference);
    qkv__sign sign = limit.kind == QKV__LIMIT_PLUS_INFINITY    ? QKV__SIGN_POSITIVE
                     : limit.kind == QKV__LIMIT_MINUS_INFINITY ? QKV__SIGN_NEGATIVE
                     : limit.kind == QKV__LIMIT_FINITE
                         ? qkv__ratio_sign(&s->model->algebra, limit.value)
                         : QKV__SIGN_UNKNOWN;
    qkv__situation_begin_found(s);
    qkv__text_format(&s->finding->found, "-> ");
    write_limit(s, x, &s->finding->found);
    if (sign != QKV__SIGN_POSITIVE && sign != QKV__SIGN_NEGATIVE) sign = QKV__SIGN_UNKNOWN;
    qkv__verdict verdict = judge_sign(sign, comparison);
    if (verdict == QKV__REFUTED && (s->weakened || s->substitution_count > 0))
        verdict = QKV__UNDECIDED;
    if (verdict == QKV__UNDECIDED)
        return qkv__situation_undecided(s, "the limit alone does not decide the inequality");
    qkv__situation_say(s,
                       "The limit of the difference has a sign, so it has it from somewhere on.");
    return qkv__situation_conclude(s, verdict, "exact");
}

/* ---- Comparisons --------------------------------------------------------------------- */

qkv__verdict qkv__verdict_both(qkv__verdict a, qkv__verdict b)
{
    if (a == QKV__REFUTED || b == QKV__REFUTED) return QKV__REFUTED;
    if (a == QKV__UNDECIDED || b == QKV__UNDECIDED) return QKV__UNDECIDED;
    return a == QKV__SUPPORTED || b == QKV__SUPPORTED ? QKV__SUPPORTED : QKV__PROVED;
}

/* x ~ y within t: -t <= x - y <= t for a number; |x - y| <= t for vectors whose norms are known. */
static qkv__verdict decide_within(qkv__situation *s, const qkv__value *x, const qkv__value *y)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__value difference, size;
    qkv__failure failure = {0};
    qkv__value tolerance = qkv__value_scalar(&s->model->space, s->tolerance);
    qkv__ratio ratio;
    if (!qkv__value_add(&s->model->space, x, y, true, &difference, &failure))
        return qkv__situation_failed(s, &failure, NULL);
    if (qkv__value_as_ratio(&difference, &ratio)) {
        ratio = qkv__situation_apply(s, ratio);
        qkv__verdict above = decide_order(
            s, x, y, qkv__ratio_subtract(algebra, ratio, s->tolerance), QKV__LESS_OR_EQUAL);
        if (above == QKV__REFUTED) return above;
        qkv__finding_free(s->finding); /* the same is found once more */
        return qkv__verdict_both(above,
                                 decide_order(s, x, y, qkv__ratio_add(algebra, ratio, s->tolerance),
                                              QKV__GREATER_OR_EQUAL));
    }
    if (!qkv__value_size(&s->model->space, &difference, &size, &failure))
        return qkv__situation_failed(s, &failure, NULL);
    if (!qkv__surd_difference(s, size.scalar, tolerance.scalar, &ratio))
        return qkv__situation_undecided(s, "a norm of unknown sign");
    return decide_order(s, x, y, qkv__situation_apply(s, ratio), QKV__LESS_OR_EQUAL);
}

static bool has_coordinates(const qkv__vector *vector)
{
    for (size_t i = 0; i < vector->count; i++)
        if (strcmp(vector->component[i].symbol.family->name, "axis") != 0) return false;
    return true;
}

/* Beside a vector 0 is the zero vector; beside a vector of coordinates a list of numbers is one,
 * and a number one of width 1. */
static void match_kinds(qkv__situation *s, const qkv__value *x, qkv__value *y)
{
    const qkv__vector *vector;
    qkv__failure failure = {0};
    qkv__ratio number;
    if (!qkv__value_as_vector(x, &vector)) return;
    qkv__value single = *y, list = {.kind = QKV__VALUE_LIST, .count = 1, .element = &single};
    if (qkv__value_as_ratio(y, &number) && qkv__ratio_is_zero(number))
        *y = qkv__value_vector(qkv__vector_zero(&s->model->space));
    else if (has_coordinates(vector) &&
             (y->kind == QKV__VALUE_SCALAR || y->kind == QKV__VALUE_LIST) &&
             qkv__model_coordinates(s->model, y->kind == QKV__VALUE_LIST ? y : &list, &vector,
                                    &failure))
        *y = qkv__value_vector(vector);
}

static qkv__verdict incomparable(qkv__situation *s, const qkv__node *node, const qkv__value *x,
                                 const qkv__value *y)
{
    bool scalars = x->kind == QKV__VALUE_SCALAR && y->kind == QKV__VALUE_SCALAR;
    const qkv__vector *u, *v;
    bool matrices = x->kind == QKV__VALUE_MATRIX && y->kind == QKV__VALUE_MATRIX;
    if (scalars || matrices || (qkv__value_as_vector(x, &u) && qkv__value_as_vector(y, &v)))
        return qkv__situation_undecided(s, "the difference is beyond the exact engine");
    qkv__failure failure = {0};
    qkv__fail_value(&failure, QKV__TROUBLE_TEXT, "cannot compare %s with %s",
                    qkv__value_kind_name(x->kind), qkv__value_kind_name(y->kind));
    return qkv__situation_failed(s, &failure, node);
}

/* x <= y for a norm y and a number x of unknown sign: x^2 <= y^2 proves it, since x <= |x|; a point
 * where x^2 > y^2 refutes it if x is positive there. */
static qkv__verdict decide_below_norm(qkv__situation *s, const qkv__node *node, const qkv__value *x,
                                      const qkv__value *y, qkv__comparison comparison)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__surd number = resolve(s, x->scalar), norm = resolve(s, y->scalar);
    if ((comparison != QKV__LESS && comparison != QKV__LESS_OR_EQUAL) || !is_plain(number) ||
        !is_not_negative(s, norm.factor) || s->limit_count > 0)
        return incomparable(s, node, x, y);
    qkv__ratio square =
        qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, norm.factor, 2), norm.radicand);
    qkv__ratio difference =
        qkv__ratio_subtract(algebra, qkv__ratio_power(algebra, number.factor, 2), square);
    qkv__scope scope = qkv__situation_open(s);
    s->weakened = true;
    qkv__verdict verdict = decide_order(s, x, y, difference, comparison);
    qkv__situation_close(s, &scope);
    if (verdict == QKV__PROVED) return verdict;
    qkv__finding_free(s->finding);
    if (qkv__situation_assume_sign(s, number.factor, QKV__GREATER) != QKV__PREMISE_TAKEN)
        return qkv__situation_undecided(s, "a number of unknown sign against a norm");
    return decide_order(s, x, y, qkv__situation_apply(s, difference), comparison);
}

static qkv__verdict decide_embedded(qkv__situation *s, const qkv__node *node, qkv__value x,
                                    qkv__value y)
{
    component components[COMPONENTS + 1];
    size_t count;
    bool near = node->comparison == QKV__NEAR, equal = node->comparison == QKV__EQUAL;
    match_kinds(s, &x, &y);
    match_kinds(s, &y, &x);
    if ((near || equal) && s->has_tolerance) return decide_within(s, &x, &y);
    if (near && s->limit_count == 0)
        return qkv__situation_ill_posed(s, node,
                                        "'~' needs 'as beta -> inf' or 'within' a tolerance");
    qkv__situation_embed(s, &x, &y);
    if (!differences(s, &x, &y, components, &count)) {
        if (x.kind != QKV__VALUE_SCALAR || y.kind != QKV__VALUE_SCALAR || equal || near)
            return incomparable(s, node, &x, &y);
        bool mirror = node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL;
        return decide_below_norm(s, node, mirror ? &y : &x, mirror ? &x : &y,
                                 mirror ? qkv__comparison_mirror(node->comparison)
                                        : node->comparison);
    }
    if (near || (s->limit_count > 0 && equal)) return decide_limit(s, &x, components, count);
    if (equal) return decide_equal(s, &x, &y, components, count);
    if (node->comparison == QKV__NOT_EQUAL && s->limit_count == 0)
        return decide_unequal(s, &x, components, count);
    if (count != 1 || x.kind != QKV__VALUE_SCALAR)
        return qkv__situation_ill_posed(s, node, "only numbers can be ordered");
    if (s->limit_count > 0)
        return decide_eventual_order(s, &x, components[0].difference, node->comparison);
    return decide_order(s, &x, &y, components[0].difference, node->comparison);
}

static qkv__verdict decide_values(qkv__situation *s, const qkv__node *node, qkv__value x,
                                  qkv__value y)
{
    qkv__scope scope = qkv__situation_open(s);
    qkv__verdict verdict = decide_embedded(s, node, x, y);
    qkv__situation_close(s, &scope);
    return verdict;
}

/* x in l .. u */
static qkv__verdict decide_interval(qkv__situation *s, const qkv__node *node)
{
    const qkv__node *range = node->child[1];
    qkv__comparison comparisons[] = {QKV__GREATER_OR_EQUAL, QKV__LESS_OR_EQUAL};
    qkv__verdict verdict = QKV__PROVED;
    for (int i = 0; i < 2; i++) {
        const qkv__node *children[] = {node->child[0], range->child[i]};
        qkv__node part = *node;
        part.comparison = comparisons[i];
        part.child = children;
        qkv__value x, y;
        qkv__failure failure = {0};
        const qkv__node *culprit;
        if (!qkv__model_evaluate(s->model, children[0], s->locals, &x, &failure, &culprit) ||
            !qkv__model_evaluate(s->model, children[1], s->locals, &y, &failure, &culprit))
            return qkv__situation_failed(s, &failure, culprit);
        verdict = qkv__verdict_both(verdict, decide_values(s, &part, x, y));
        if (verdict == QKV__REFUTED) return verdict;
    }
    return verdict;
}

qkv__verdict qkv__compare(qkv__situation *s, const qkv__node *node)
{
    qkv__value x, y;
    qkv__failure failure = {0};
    const qkv__node *culprit = node;
    if (node->comparison == QKV__IN && node->child[1]->kind == QKV__NODE_RANGE)
        return decide_interval(s, node);
    if (qkv__model_is_symbolic(s->model, node)) {
        if (node->comparison != QKV__EQUAL)
            return qkv__situation_undecided(s,
                                            "of symbolic matrices only equations can be decided");
        qkv__decide_words(s->model, node, s->finding);
        return s->finding->verdict;
    }
    if (!qkv__model_evaluate(s->model, node->child[0], s->locals, &x, &failure, &culprit) ||
        !qkv__model_evaluate(s->model, node->child[1], s->locals, &y, &failure, &culprit))
        return qkv__situation_failed(s, &failure, culprit);
    if (node->comparison == QKV__IN && y.kind == QKV__VALUE_HULL)
        return qkv__situation_undecided(s, "convex hulls are not supported yet");
    return decide_values(s, node, x, y);
}

/* not (x ~ y): the limit, if there is one, is always another. */
qkv__verdict qkv__compare_not_near(qkv__situation *s, const qkv__node *node)
{
    component components[COMPONENTS + 1];
    size_t count;
    qkv__value x, y;
    qkv__failure failure = {0};
    const qkv__node *culprit = node;
    if (s->limit_count == 0 || s->has_tolerance)
        return qkv__situation_undecided(s, "'not ~' is decided in a limit alone");
    if (!qkv__model_evaluate(s->model, node->child[0], s->locals, &x, &failure, &culprit) ||
        !qkv__model_evaluate(s->model, node->child[1], s->locals, &y, &failure, &culprit))
        return qkv__situation_failed(s, &failure, culprit);
    match_kinds(s, &x, &y);
    match_kinds(s, &y, &x);
    if (!differences(s, &x, &y, components, &count)) return incomparable(s, node, &x, &y);
    nullity all = limits_vanish(s, components, count);
    qkv__situation_begin_found(s);
    qkv__text_format(&s->finding->found, "-> ");
    write_limit(s, &x, &s->finding->found);
    if (all == NULLITY_NEVER) return qkv__situation_conclude(s, QKV__PROVED, "exact");
    if (all == NULLITY_ZERO && !s->weakened)
        return qkv__situation_conclude(s, QKV__REFUTED, "exact");
    return qkv__situation_undecided(s, "whether the limit is another depends on what is not known");
}
