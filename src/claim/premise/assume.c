/*
 * Premises: a proposition taken as known. A bound of one parameter narrows it; an inequality or
 * equation that is linear in some parameter puts an expression with a slack in its place, so that
 * everything that is then proved or found holds under the premise, and only under it.
 */
#include "claim/premise/assume.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/bound.h"
#include "claim/model/definition.h"
#include "claim/model/evaluate.h"
#include "claim/premise/gap.h"
#include "claim/premise/order.h"
#include "exact/sign.h"
#include "language/tree.h"

/* ---- Parameters and their replacements ----------------------------------------------- */

/* A new number that is not negative: what an inequality leaves open. Where it stands for an
 * unmarked index it is another one for each. */
static int add_slack(qkv__situation *s, bool strict, bool generic, bool whole)
{
    qkv__algebra *algebra = &s->model->algebra;
    char name[32];
    /* A name that no document can have. */
    snprintf(name, sizeof name, "slack.%zu", s->substitution_count + 1);
    int parameter = qkv__model_parameter(s->model, name);
    if (parameter < 0) return -1;
    s->slacks |= (qkv__parameter_set)1 << parameter;
    algebra->parameter[parameter] = (qkv__parameter){
        .name = algebra->parameter[parameter].name,
        .generic = generic,
        .whole = whole,
        .lower = {.known = true, .strict = strict, .value = qkv__rational_whole(0)}};
    return parameter;
}

/* Puts parameter = bound - direction * slack, or the bound itself, in its place. */
static bool replace(qkv__situation *s, int parameter, const qkv__form *bound,
                    qkv__comparison comparison)
{
    assert(qkv__is_parameter(&s->model->algebra, parameter));
    qkv__algebra *algebra = &s->model->algebra;
    if (s->substitution_count == QKV__SUBSTITUTIONS || bound == NULL) return false;
    if (comparison != QKV__EQUAL) {
        bool strict = comparison == QKV__LESS || comparison == QKV__GREATER;
        bool below = comparison == QKV__LESS || comparison == QKV__LESS_OR_EQUAL;
        int slack = add_slack(s, strict, algebra->parameter[parameter].generic,
                              algebra->parameter[parameter].whole);
        if (slack < 0) return false;
        const qkv__form *step = qkv__form_scale(algebra, qkv__form_parameter(algebra, slack),
                                                qkv__rational_whole(below ? -1 : 1));
        bound = qkv__form_add(algebra, bound, step);
        if (bound == NULL) return false;
    }
    s->substitution[s->substitution_count++] = (qkv__substitution){parameter, bound, false};
    return true;
}

/* form = slope * parameter + constant, slope a number that is not 0, constant free of it. */
static bool is_linear(qkv__algebra *algebra, const qkv__form *form, int parameter,
                      qkv__rational *slope, const qkv__form **constant)
{
    const qkv__form *zero = qkv__form_whole(algebra, 0), *one = qkv__form_whole(algebra, 1);
    for (size_t i = 0; i < form->count; i++)
        if (form->term[i].exponent != NULL &&
            qkv__form_depends_on(form->term[i].exponent, parameter))
            return false;
    *constant = qkv__form_substitute(algebra, form, parameter, zero);
    const qkv__form *step =
        qkv__form_subtract(algebra, qkv__form_substitute(algebra, form, parameter, one), *constant);
    if (*constant == NULL || !qkv__form_is_constant(step, slope) || qkv__rational_is_zero(*slope))
        return false;
    const qkv__form *line =
        qkv__form_add(algebra, *constant,
                      qkv__form_scale(algebra, qkv__form_parameter(algebra, parameter), *slope));
    return qkv__form_equal(form, line);
}

enum { KEEPS_ITS_PLACE = -1 }; /* of a parameter that no premise may replace */

/* How glad one is to have a parameter replaced: one without bounds, and a generic one first of all,
 * since it speaks of many. Whole ones, and those of which a limit is taken, keep their place. */
static int preference(const qkv__situation *s, int parameter)
{
    assert(qkv__is_parameter(&s->model->algebra, parameter));
    const qkv__parameter *known = &s->model->algebra.parameter[parameter];
    for (size_t i = 0; i < s->limit_count; i++)
        if (s->limit[i].parameter == parameter) return KEEPS_ITS_PLACE;
    if (known->prime != 0) return KEEPS_ITS_PLACE; /* ln 2 is a number, not a letter */
    if (known->whole) return 0;                    /* only where it stays whole */
    bool bounded = known->lower.known || known->upper.known;
    return (known->generic ? 4 : 0) + (bounded ? 1 : 2);
}

/* ---- Signs --------------------------------------------------------------------------- */

static bool holds(int sign, qkv__comparison comparison)
{
    switch (comparison) {
    case QKV__EQUAL: return sign == 0;
    case QKV__LESS: return sign < 0;
    case QKV__LESS_OR_EQUAL: return sign <= 0;
    case QKV__GREATER: return sign > 0;
    case QKV__GREATER_OR_EQUAL: return sign >= 0;
    default: return false;
    }
}

static qkv__premise narrow(qkv__situation *s, int parameter, qkv__comparison comparison,
                           qkv__rational value)
{
    assert(qkv__is_parameter(&s->model->algebra, parameter));
    qkv__box box;
    if (qkv__rational_is_lost(value)) return QKV__PREMISE_NOT_TAKEN;
    for (size_t i = 0; i < s->limit_count; i++) /* what grows without bound passes every bound */
        if (s->limit[i].infinite && s->limit[i].parameter == parameter &&
            comparison != QKV__GREATER && comparison != QKV__GREATER_OR_EQUAL)
            return QKV__PREMISE_NEVER;
    qkv__parameter *known = &s->model->algebra.parameter[parameter];
    if (!known->narrowed) {
        known->born_lower = known->lower;
        known->born_upper = known->upper;
        known->narrowed = true;
    }
    qkv__parameter_narrow(known, comparison, value);
    s->narrowed |= (qkv__parameter_set)1 << parameter;
    return qkv__box_of_algebra(&s->model->algebra, &box) ? QKV__PREMISE_TAKEN : QKV__PREMISE_NEVER;
}

/*
 * A premise about the generic key holds for every other one: their common number b, which lies
 * between their scores, obeys it too, with a slack of its own. That is so where the score is a
 * multiple of the product in question and of no other that differs from key to key.
 */
static bool replace_spreads(qkv__situation *s, int parameter, const qkv__form *bound,
                            qkv__comparison comparison)
{
    qkv__algebra *algebra = &s->model->algebra;
    for (const qkv__spread *spread = s->model->space.spreads; spread != NULL;
         spread = spread->next) {
        bool known = false;
        for (size_t i = 0; i < s->substitution_count; i++)
            known = known || s->substitution[i].parameter == spread->parameter;
        if (known || !qkv__ratio_depends_on(spread->score, parameter)) continue;
        qkv__rational slope;
        const qkv__form *constant;
        qkv__rational one;
        if (!qkv__form_is_constant(spread->score.denominator, &one) || one.numerator != 1 ||
            one.denominator != 1 ||
            !is_linear(algebra, spread->score.numerator, parameter, &slope, &constant) ||
            qkv__form_is_generic(algebra, constant) || qkv__form_is_generic(algebra, bound))
            return false;
        qkv__ratio moved = qkv__situation_apply(
            s, qkv__ratio_of_form(algebra, qkv__form_add(algebra, constant,
                                                         qkv__form_scale(algebra, bound, slope))));
        if (!qkv__form_is_constant(moved.denominator, &one)) return false;
        bool flipped = qkv__rational_sign(slope) < 0;
        if (!replace(s, spread->parameter, moved.numerator,
                     flipped ? qkv__comparison_mirror(comparison) : comparison))
            return false;
    }
    return true;
}

/* Whether what replaces a whole parameter is whole again: whole parameters alone, whole factors. */
static bool stays_whole(const qkv__algebra *algebra, const qkv__form *form, qkv__rational slope)
{
    if (slope.denominator != 1 || (slope.numerator != 1 && slope.numerator != -1)) return false;
    for (size_t i = 0; i < form->count; i++)
        if (!qkv__rational_is_whole(form->term[i].coefficient)) return false;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__form_depends_on(form, p) && !algebra->parameter[p].whole) return false;
    return qkv__form_is_polynomial(form);
}

bool qkv__situation_contradicts(qkv__situation *s, int parameter)
{
    assert(qkv__is_parameter(&s->model->algebra, parameter));
    qkv__algebra *algebra = &s->model->algebra;
    const qkv__parameter known = algebra->parameter[parameter];
    qkv__ratio now = qkv__situation_apply(
        s, qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, parameter)));
    const qkv__bound *bounds[] = {&known.lower, &known.upper};
    for (int i = 0; i < 2; i++) {
        qkv__sign_result result;
        if (!bounds[i]->known) continue;
        qkv__ratio bound = qkv__ratio_constant(algebra, bounds[i]->value);
        qkv__ratio inside = i == 0 ? qkv__ratio_subtract(algebra, now, bound)
                                   : qkv__ratio_subtract(algebra, bound, now);
        qkv__sign sign = qkv__ratio_sign(algebra, inside);
        if (sign == QKV__SIGN_UNKNOWN && qkv__sign_over_box(s, inside, &result)) sign = result.sign;
        if (sign == QKV__SIGN_NEGATIVE) return true;
        if (bounds[i]->strict && (sign == QKV__SIGN_ZERO || sign == QKV__SIGN_NONPOSITIVE))
            return true;
    }
    return false;
}

/* The best parameter to put something in the place of. */
static qkv__premise replace_best(qkv__situation *s, const qkv__form *form,
                                 qkv__comparison comparison)
{
    qkv__algebra *algebra = &s->model->algebra;
    int best = -1, best_preference = 0;
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        qkv__rational slope;
        const qkv__form *constant;
        int wanted = qkv__form_depends_on(form, p) ? preference(s, p) : KEEPS_ITS_PLACE;
        if (wanted == KEEPS_ITS_PLACE || wanted < best_preference ||
            (wanted == best_preference && wanted > 0) ||
            !is_linear(algebra, form, p, &slope, &constant))
            continue;
        if (algebra->parameter[p].whole && !stays_whole(algebra, form, slope)) continue;
        best = p;
        best_preference = wanted;
    }
    qkv__rational slope;
    const qkv__form *constant;
    if (best < 0 || !is_linear(algebra, form, best, &slope, &constant))
        return QKV__PREMISE_NOT_TAKEN;
    /* A premise for all must be taken for the others of the rest too, which are known by the inner
     * products of the generic one. */
    if (s->for_all && qkv__form_is_generic(algebra, form) &&
        (!algebra->parameter[best].generic || qkv__parameter_set_has(s->slacks, best)))
        return QKV__PREMISE_NOT_TAKEN;
    const qkv__form *bound =
        qkv__form_scale(algebra, constant,
                        qkv__rational_negate(qkv__rational_divide(qkv__rational_whole(1), slope)));
    if (qkv__rational_sign(slope) < 0) comparison = qkv__comparison_mirror(comparison);
    bool good = bound != NULL &&
                (!algebra->parameter[best].generic || !s->for_all ||
                 replace_spreads(s, best, bound, comparison)) &&
                replace(s, best, bound, comparison);
    if (!good) return QKV__PREMISE_NOT_TAKEN;
    return qkv__situation_contradicts(s, best) ? QKV__PREMISE_NEVER : QKV__PREMISE_TAKEN;
}

/* c e^x - d e^y, c and d positive numbers: its sign is that of x - y + ln(c/d). */
static const qkv__form *logarithm_of(qkv__algebra *algebra, const qkv__form *form, bool *negated)
{
    if (form->count != 2) return NULL;
    const qkv__term *first = &form->term[0], *second = &form->term[1];
    int sign = qkv__rational_sign(first->coefficient);
    if (sign == qkv__rational_sign(second->coefficient)) return NULL;
    for (int p = 0; p < QKV__PARAMETERS; p++)
        if (first->power[p] != 0 || second->power[p] != 0) return NULL;
    const qkv__form *zero = qkv__form_whole(algebra, 0);
    qkv__rational quotient =
        qkv__rational_negate(qkv__rational_divide(first->coefficient, second->coefficient));
    const qkv__form *difference =
        qkv__form_subtract(algebra, first->exponent == NULL ? zero : first->exponent,
                           second->exponent == NULL ? zero : second->exponent);
    *negated = sign < 0;
    return qkv__form_add(algebra, difference, qkv__form_logarithm(algebra, quotient));
}

/* A number without parameters, such as sqrt(2) - 1 or ln(3). */
static bool is_known_number(const qkv__algebra *algebra, const qkv__form *form)
{
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (algebra->parameter[p].prime == 0 && qkv__form_depends_on(form, p)) return false;
    return true;
}

static qkv__premise assume_number(qkv__situation *s, const qkv__form *form,
                                  qkv__comparison comparison)
{
    qkv__sign_result result;
    qkv__ratio ratio = qkv__ratio_of_form(&s->model->algebra, form);
    if (!qkv__sign_over_box(s, ratio, &result)) return QKV__PREMISE_NOT_TAKEN;
    if (result.sign != QKV__SIGN_POSITIVE && result.sign != QKV__SIGN_NEGATIVE)
        return QKV__PREMISE_NOT_TAKEN;
    return holds(result.sign == QKV__SIGN_POSITIVE ? 1 : -1, comparison) ? QKV__PREMISE_TAKEN
                                                                         : QKV__PREMISE_NEVER;
}

/* form >= 0 and the like: known already, a bound, or a replacement. */
static qkv__premise assume_form(qkv__situation *s, const qkv__form *form,
                                qkv__comparison comparison)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__rational number, slope;
    const qkv__form *constant;
    bool negated;
    if (form == NULL) return QKV__PREMISE_NOT_TAKEN;
    if (qkv__form_is_constant(form, &number))
        return holds(qkv__rational_sign(number), comparison) ? QKV__PREMISE_TAKEN
                                                             : QKV__PREMISE_NEVER;
    if (is_known_number(algebra, form)) return assume_number(s, form, comparison);
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (!algebra->parameter[p].generic && algebra->parameter[p].prime == 0 &&
            qkv__form_depends_on(form, p) && is_linear(algebra, form, p, &slope, &constant) &&
            qkv__form_is_constant(constant, &number)) {
            qkv__rational bound = qkv__rational_negate(qkv__rational_divide(number, slope));
            return narrow(s, p,
                          qkv__rational_sign(slope) < 0 ? qkv__comparison_mirror(comparison)
                                                        : comparison,
                          bound);
        }
    const qkv__form *logarithm = logarithm_of(algebra, form, &negated);
    if (logarithm != NULL)
        return assume_form(s, logarithm, negated ? qkv__comparison_mirror(comparison) : comparison);
    return replace_best(s, form, comparison);
}

qkv__premise qkv__situation_assume_sign(qkv__situation *s, qkv__ratio ratio,
                                        qkv__comparison comparison)
{
    qkv__algebra *algebra = &s->model->algebra;
    ratio = qkv__situation_apply(s, ratio);
    if (qkv__ratio_is_lost(ratio)) return QKV__PREMISE_NOT_TAKEN;
    switch (qkv__ratio_sign(algebra, qkv__ratio_of_form(algebra, ratio.denominator))) {
    case QKV__SIGN_POSITIVE: break;
    case QKV__SIGN_NEGATIVE: comparison = qkv__comparison_mirror(comparison); break;
    default: return QKV__PREMISE_NOT_TAKEN;
    }
    return assume_form(s, ratio.numerator, comparison);
}

/* ---- Propositions -------------------------------------------------------------------- */

/* Of numbers that are not negative, squares compare like the numbers: |x| = 1 is x.x = 1. */
static qkv__ratio difference_of_squares(qkv__situation *s, qkv__surd x, qkv__surd y)
{
    qkv__algebra *algebra = &s->model->algebra;
    return qkv__ratio_subtract(
        algebra, qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, x.factor, 2), x.radicand),
        qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, y.factor, 2), y.radicand));
}

/* x >= y, or the like. */
static qkv__premise assume_sides(qkv__situation *s, const qkv__node *left,
                                 qkv__comparison comparison, const qkv__node *right)
{
    qkv__value x, y;
    qkv__ratio difference;
    if (!qkv__model_value(s->model, left, s->locals, &x) ||
        !qkv__model_value(s->model, right, s->locals, &y) || x.kind != QKV__VALUE_SCALAR ||
        y.kind != QKV__VALUE_SCALAR || !qkv__surd_difference(s, x.scalar, y.scalar, &difference))
        return QKV__PREMISE_NOT_TAKEN;
    qkv__premise taken = qkv__situation_assume_sign(s, difference, comparison);
    if (taken != QKV__PREMISE_NOT_TAKEN || !qkv__is_not_negative(s, x.scalar.factor) ||
        !qkv__is_not_negative(s, y.scalar.factor))
        return taken;
    return qkv__situation_assume_sign(s, difference_of_squares(s, x.scalar, y.scalar), comparison);
}

static qkv__premise assume_comparison(qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    const qkv__node *x = node->child[0], *y = node->child[1];
    int truth;
    if (qkv__compares_indexes(s, node, &truth))
        return truth == 0  ? QKV__PREMISE_NOT_TAKEN
               : truth > 0 ? QKV__PREMISE_TAKEN
                           : QKV__PREMISE_NEVER;
    if (qkv__model_is_symbolic(s->model, node)) return QKV__PREMISE_NOT_TAKEN;
    if (node->comparison == QKV__IN && y->kind == QKV__NODE_RANGE) {
        qkv__premise above = assume_sides(s, x, QKV__GREATER_OR_EQUAL, y->child[0]);
        return above == QKV__PREMISE_TAKEN ? assume_sides(s, x, QKV__LESS_OR_EQUAL, y->child[1])
                                           : above;
    }
    if (node->comparison > QKV__GREATER_OR_EQUAL || node->comparison == QKV__NOT_EQUAL)
        return QKV__PREMISE_NOT_TAKEN;
    return assume_sides(s, x, node->comparison, y);
}

/* What is to be known may tie things to a limit, whether it is understood or not. */
static void note_premise(qkv__situation *s, const qkv__node *proposition)
{
    if (s->premise_count < QKV__SITUATION_PREMISES) s->premise[s->premise_count] = proposition;
    if (s->premise_count <= QKV__SITUATION_PREMISES) s->premise_count++;
}

bool qkv__situation_leave_out(qkv__situation *s, const qkv__node *proposition)
{
    qkv__value x, y;
    qkv__ratio difference;
    const qkv__comparison comparison = proposition->comparison;
    bool less = comparison == QKV__LESS || comparison == QKV__LESS_OR_EQUAL;
    bool more = comparison == QKV__GREATER || comparison == QKV__GREATER_OR_EQUAL;
    bool strict = comparison == QKV__LESS || comparison == QKV__GREATER;
    s->weakened = true;
    if (s->unused == NULL) s->unused = proposition;
    note_premise(s, proposition);
    if (proposition->kind == QKV__NODE_AND) {
        bool first = qkv__situation_leave_out(s, proposition->child[0]);
        return qkv__situation_leave_out(s, proposition->child[1]) || first;
    }
    if (proposition->kind != QKV__NODE_COMPARE || (!less && !more) ||
        s->left_out_count == QKV__LEFT_OUT || qkv__model_is_symbolic(s->model, proposition) ||
        !qkv__model_value(s->model, proposition->child[0], s->locals, &x) ||
        !qkv__model_value(s->model, proposition->child[1], s->locals, &y) ||
        x.kind != QKV__VALUE_SCALAR || y.kind != QKV__VALUE_SCALAR ||
        !qkv__surd_difference(s, less ? y.scalar : x.scalar, less ? x.scalar : y.scalar,
                              &difference))
        return false;
    s->left_out[s->left_out_count].difference = difference;
    s->left_out[s->left_out_count++].strict = strict;
    qkv__sign_result result;
    qkv__ratio now = qkv__situation_apply(s, difference);
    qkv__sign sign = qkv__ratio_sign(&s->model->algebra, now);
    if (sign == QKV__SIGN_UNKNOWN && qkv__sign_over_box(s, now, &result)) sign = result.sign;
    return sign == QKV__SIGN_NEGATIVE ||
           (strict && (sign == QKV__SIGN_ZERO || sign == QKV__SIGN_NONPOSITIVE));
}

static qkv__premise assume(qkv__situation *s, const qkv__node *proposition);

typedef struct assumption {
    const qkv__node *body;
    qkv__premise outcome;
} assumption;

/* Whether a premise was put into something beside what is the generic member's own. */
static bool touches_others(const qkv__situation *s, size_t substitutions)
{
    const qkv__algebra *algebra = &s->model->algebra;
    for (size_t i = substitutions; i < s->substitution_count; i++) {
        int parameter = s->substitution[i].parameter;
        bool own = algebra->parameter[parameter].generic;
        for (const qkv__spread *b = s->model->space.spreads; b != NULL; b = b->next)
            own = own || b->parameter == parameter;
        if (!own) return true;
    }
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__parameter_set_has(s->narrowed, p) && !algebra->parameter[p].generic) return true;
    return false;
}

/* Where there may be no other member, a premise about all of them says nothing for certain of
 * anything else: it may hold because there is none. */
static bool assume_member(qkv__situation *s, void *context)
{
    assumption *a = context;
    const size_t substitutions = s->substitution_count;
    const qkv__parameter_set narrowed = s->narrowed;
    const qkv__value *index = &s->locals->value;
    s->narrowed = 0; /* what this premise alone narrows */
    a->outcome = assume(s, a->body);
    bool doubtful =
        index->kind == QKV__VALUE_INDEX && index->member == QKV__GENERIC &&
        qkv__ratio_sign(&s->model->algebra, qkv__rest_size(&s->model->algebra, index->set)) !=
            QKV__SIGN_POSITIVE;
    if (doubtful && (a->outcome == QKV__PREMISE_NEVER || touches_others(s, substitutions)))
        a->outcome = QKV__PREMISE_NOT_TAKEN;
    s->narrowed |= narrowed;
    return a->outcome == QKV__PREMISE_TAKEN;
}

/* What holds for the generic member holds for the others of the rest as well. */
static qkv__premise assume_for_all(qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_FOR_ALL);
    qkv__failure failure = {0};
    assumption a = {.body = node->child[node->count - 1], .outcome = QKV__PREMISE_TAKEN};
    if (node->count != 2 || node->child[0]->kind != QKV__NODE_COMPARE)
        return QKV__PREMISE_NOT_TAKEN;
    bool before = s->for_all;
    qkv__scope scope = qkv__situation_open(s);
    s->for_all = true;
    bool all = qkv__situation_each_index(s, node->child[0], assume_member, &a, &failure);
    s->for_all = before;
    if (!all && a.outcome == QKV__PREMISE_TAKEN) a.outcome = QKV__PREMISE_NOT_TAKEN;
    if (a.outcome == QKV__PREMISE_NOT_TAKEN) qkv__situation_close(s, &scope); /* nothing stays */
    return a.outcome;
}

static qkv__premise assume(qkv__situation *s, const qkv__node *proposition)
{
    qkv__premise first;
    switch (proposition->kind) {
    case QKV__NODE_AND:
        first = assume(s, proposition->child[0]);
        return first == QKV__PREMISE_TAKEN ? assume(s, proposition->child[1]) : first;
    case QKV__NODE_COMPARE: return assume_comparison(s, proposition);
    case QKV__NODE_FOR_ALL: return assume_for_all(s, proposition);
    default: return QKV__PREMISE_NOT_TAKEN;
    }
}

qkv__premise qkv__situation_assume(qkv__situation *s, const qkv__node *proposition)
{
    note_premise(s, proposition);
    return assume(s, proposition);
}
