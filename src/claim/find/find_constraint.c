/* The conditions of `find least` as numbers that must not be negative: differences, or differences
 * of squares where norms are compared. Knows propositions and values; nothing of thresholds. */
#include "claim/find/find_least.h"

#include <assert.h>
#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/model/random_parameters.h"

static qkv__sign sign_over(qkv__algebra *algebra, qkv__ratio ratio, const qkv__box *box,
                           qkv__sign_result *result)
{
    *result = (qkv__sign_result){.sign = qkv__ratio_sign(algebra, ratio)};
    if (result->sign != QKV__SIGN_UNKNOWN) return result->sign;
    return qkv__ball_sign(algebra, ratio, box, 0, result);
}

qkv__sign qkv__sign_of_ratio(qkv__algebra *algebra, qkv__ratio ratio)
{
    qkv__box box;
    qkv__sign_result result;
    if (!qkv__box_of_algebra(algebra, &box)) return QKV__SIGN_UNKNOWN;
    return sign_over(algebra, ratio, &box, &result);
}

/* ---- Constraints --------------------------------------------------------------------- */

static bool is_plain(qkv__surd x)
{
    qkv__rational one;
    return qkv__ratio_is_constant(x.radicand, &one) && one.numerator == 1 && one.denominator == 1;
}

/* A number with the sign of x - y: their difference, or that of their squares where neither is
 * negative; where one is and the other is not, the sum of their squares, which is 0 only if both
 * are. */
static bool signed_difference(qkv__least_task *l, qkv__surd x, qkv__surd y, qkv__ratio *difference)
{
    qkv__algebra *algebra = l->algebra;
    if (is_plain(x) && is_plain(y)) {
        *difference = qkv__ratio_subtract(algebra, x.factor, y.factor);
        return !qkv__ratio_is_lost(*difference);
    }
    qkv__sign sign_x = qkv__sign_of_ratio(algebra, x.factor),
              sign_y = qkv__sign_of_ratio(algebra, y.factor);
    bool below = sign_x == QKV__SIGN_NEGATIVE && qkv__sign_is_not_negative(sign_y);
    bool above = qkv__sign_is_not_negative(sign_x) && sign_y == QKV__SIGN_NEGATIVE;
    bool both = qkv__sign_is_not_negative(sign_x) && qkv__sign_is_not_negative(sign_y);
    if (!below && !above && !both)
        return qkv__question_open(l->question,
                                  "a norm is compared with something of unknown sign; give bounds "
                                  "for its parameters, such as given beta > 0");
    qkv__ratio square_x =
        qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, x.factor, 2), x.radicand);
    qkv__ratio square_y =
        qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, y.factor, 2), y.radicand);
    *difference = both ? qkv__ratio_subtract(algebra, square_x, square_y)
                       : qkv__ratio_add(algebra, square_x, square_y);
    if (below)
        *difference = qkv__ratio_multiply(algebra, *difference, qkv__ratio_whole(algebra, -1));
    return !qkv__ratio_is_lost(*difference);
}

/* x >= y or x > y */
static bool add_constraint(qkv__least_task *l, const qkv__node *node, const qkv__value *x,
                           const qkv__value *y, bool strict)
{
    qkv__ratio difference = {NULL, NULL};
    if (x->kind != QKV__VALUE_SCALAR || y->kind != QKV__VALUE_SCALAR)
        return qkv__question_complain(l->question, node, "cannot compare %s with %s",
                                      qkv__value_kind_name(x->kind), qkv__value_kind_name(y->kind));
    if (l->count == QKV__CONSTRAINTS) return qkv__question_open(l->question, "too many conditions");
    if (!signed_difference(l, x->scalar, y->scalar, &difference))
        return qkv__question_open(l->question, "the difference is beyond the exact engine");
    if (qkv__random_touches(l->question->model, difference))
        return qkv__question_open(l->question,
                                  "least values of random quantities are not supported");
    l->constraint[l->count++] = (qkv__constraint){difference, strict};
    return true;
}

/* x ~ y within t: |x - y| <= t; of numbers, both x - y <= t and y - x <= t. */
static bool add_tolerance(qkv__least_task *l, const qkv__node *node, const qkv__value *x,
                          const qkv__value *y)
{
    qkv__space *space = &l->question->model->space;
    qkv__value difference, turned, size;
    qkv__value tolerance = qkv__value_scalar(space, l->question->tolerance);
    qkv__failure failure = {0};
    qkv__ratio plain;
    if (!qkv__value_add(space, x, y, true, &difference, &failure) ||
        !qkv__value_add(space, y, x, true, &turned, &failure))
        return qkv__question_fail(l->question, &failure, node), false;
    if (qkv__value_as_ratio(&difference, &plain))
        return add_constraint(l, node, &tolerance, &difference, false) &&
               add_constraint(l, node, &tolerance, &turned, false);
    if (!qkv__value_size(space, &difference, &size, &failure))
        return qkv__question_fail(l->question, &failure, node), false;
    return add_constraint(l, node, &tolerance, &size, false);
}

static bool evaluate(qkv__least_task *l, const qkv__node *node, const qkv__binding *locals,
                     qkv__value *value)
{
    qkv__failure failure = {0};
    const qkv__node *culprit = node;
    if (qkv__model_evaluate(l->question->model, node, locals, value, &failure, &culprit))
        return true;
    qkv__question_fail(l->question, &failure, culprit);
    return false;
}

static bool collect_comparison(qkv__least_task *l, const qkv__node *node,
                               const qkv__binding *locals)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__value x, y;
    bool near = node->comparison == QKV__NEAR || node->comparison == QKV__EQUAL;
    if (node->comparison == QKV__IN && node->child[1]->kind == QKV__NODE_RANGE) {
        qkv__value from, to;
        const qkv__node *range = node->child[1];
        return evaluate(l, node->child[0], locals, &x) &&
               evaluate(l, range->child[0], locals, &from) &&
               evaluate(l, range->child[1], locals, &to) &&
               add_constraint(l, node, &x, &from, false) && add_constraint(l, node, &to, &x, false);
    }
    if (!evaluate(l, node->child[0], locals, &x) || !evaluate(l, node->child[1], locals, &y))
        return false;
    if (near && l->question->has_tolerance) return add_tolerance(l, node, &x, &y);
    switch (node->comparison) {
    case QKV__LESS: return add_constraint(l, node, &y, &x, true);
    case QKV__LESS_OR_EQUAL: return add_constraint(l, node, &y, &x, false);
    case QKV__GREATER: return add_constraint(l, node, &x, &y, true);
    case QKV__GREATER_OR_EQUAL: return add_constraint(l, node, &x, &y, false);
    case QKV__NEAR:
        return qkv__question_complain(l->question, node,
                                      "'~' needs 'within' a tolerance to have a least value");
    default: return qkv__question_open(l->question, "find least takes inequalities, not equations");
    }
}

static bool collect(qkv__least_task *l, const qkv__node *node, const qkv__binding *locals)
{
    if (node->kind == QKV__NODE_AND)
        return collect(l, node->child[0], locals) && collect(l, node->child[1], locals);
    if (node->kind == QKV__NODE_COMPARE) return collect_comparison(l, node, locals);
    return qkv__question_open(l->question, "find least takes inequalities joined by 'and'");
}

/* The constraints of every index that the question is meant for. */
bool qkv__least_collect(qkv__least_task *l)
{
    qkv__model *model = l->question->model;
    const qkv__node *index = l->question->index, *culprit = index;
    qkv__failure failure = {0};
    qkv__evaluation e = {.model = model, .failure = &failure, .culprit = &culprit};
    qkv__index_set *set;
    bool left_out[QKV__MARKS + 1];
    if (index == NULL) return collect(l, l->question->proposition, NULL);
    if (index->child[0]->kind != QKV__NODE_NAME ||
        !qkv__evaluate_domain(&e, index, &set, left_out)) {
        qkv__question_fail(l->question, &failure, culprit);
        return qkv__question_complain(l->question, index, "expected an index and a set");
    }
    qkv__ratio size = qkv__rest_size(&model->algebra, set);
    bool rest = !left_out[QKV__MARKS] && !qkv__ratio_is_zero(size);
    if (rest && qkv__sign_of_ratio(&model->algebra, size) != QKV__SIGN_POSITIVE)
        return qkv__question_open(
            l->question, "there may be no such index; give a lower bound for their number");
    for (int member = rest ? QKV__GENERIC : 0; member < (int)set->mark_count; member++) {
        if (member >= 0 && left_out[member]) continue;
        qkv__binding local = qkv__index_binding(index->child[0]->text, set, member, NULL);
        if (!collect(l, l->question->proposition, &local)) return false;
    }
    return true;
}
