/* Parameters and their bounds, and premises that are more than bounds. Knows nothing of vectors. */
#include "claim/model/bound.h"

#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/model/model.h"
#include "language/tree.h"

/* The whole number next to a bound, inside of it: n < 2 is n <= 1, n > 5/2 is n >= 3. */
static void round_bound(qkv__bound *bound, int64_t inward)
{
    if (!bound->known || qkv__rational_is_lost(bound->value)) return;
    bool whole = qkv__rational_is_whole(bound->value);
    int64_t below = bound->value.numerator / bound->value.denominator;
    if (!whole && bound->value.numerator < 0) below--; /* division goes towards 0 */
    if (whole && !bound->strict) return;
    qkv__rational next = whole ? qkv__rational_add(bound->value, qkv__rational_whole(inward))
                               : qkv__rational_whole(inward > 0 ? below + 1 : below);
    if (qkv__rational_is_lost(next)) return; /* the bound stays strict: it is as true */
    bound->value = next;
    bound->strict = false;
}

/* What is known of a number that turns out to count. */
void qkv__parameter_counts(qkv__parameter *parameter)
{
    parameter->whole = true;
    round_bound(&parameter->lower, 1);
    round_bound(&parameter->upper, -1);
}

/* Of two bounds on the same side the one that leaves less; direction is 1 for lower ones. */
static qkv__bound stronger(qkv__bound x, qkv__bound y, int direction)
{
    if (!x.known) return y;
    int order = direction * qkv__rational_compare(x.value, y.value);
    if (order == 0) x.strict = x.strict || y.strict;
    return order >= 0 ? x : y;
}

void qkv__parameter_narrow(qkv__parameter *parameter, qkv__comparison comparison,
                           qkv__rational value)
{
    bool strict = comparison == QKV__LESS || comparison == QKV__GREATER;
    qkv__bound bound = {.known = true, .strict = strict, .value = value};
    bool lower = comparison != QKV__LESS && comparison != QKV__LESS_OR_EQUAL;
    bool upper = comparison != QKV__GREATER && comparison != QKV__GREATER_OR_EQUAL;
    if (lower) parameter->lower = stronger(parameter->lower, bound, 1);
    if (upper) parameter->upper = stronger(parameter->upper, bound, -1);
    if (parameter->whole && comparison != QKV__EQUAL) { /* n > 2 is n >= 3 */
        round_bound(&parameter->lower, 1);
        round_bound(&parameter->upper, -1);
    }
}

bool qkv__model_bound(qkv__model *model, const qkv__node *proposition, qkv__failure *failure)
{
    const qkv__node *culprit;
    qkv__value value;
    qkv__ratio ratio;
    qkv__rational number;
    if (proposition->kind == QKV__NODE_AND)
        return qkv__model_bound(model, proposition->child[0], failure) &&
               qkv__model_bound(model, proposition->child[1], failure);
    if (proposition->kind != QKV__NODE_COMPARE || proposition->comparison > QKV__GREATER_OR_EQUAL ||
        proposition->comparison == QKV__NOT_EQUAL)
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "expected a bound such as n >= 3");
    const qkv__node *left = proposition->child[0], *right = proposition->child[1];
    qkv__comparison comparison = proposition->comparison;
    if (left->kind != QKV__NODE_NAME) {
        const qkv__node *other = left;
        left = right;
        right = other;
        comparison = qkv__comparison_mirror(comparison);
    }
    /* A name that is defined is no parameter: what is said of it is a premise. */
    if (left->kind != QKV__NODE_NAME || qkv__model_find(model, NULL, left->text) != NULL ||
        !qkv__model_evaluate(model, right, NULL, &value, failure, &culprit) ||
        !qkv__value_as_ratio(&value, &ratio) || !qkv__ratio_is_constant(ratio, &number))
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT,
                               "expected a name compared with a number");
    int parameter = qkv__model_parameter(model, left->text);
    if (parameter < 0) return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "too many parameters");
    qkv__parameter_narrow(&model->algebra.parameter[parameter], comparison, number);
    return true;
}

const qkv__node *qkv__model_comparison(qkv__model *model, const qkv__node *left,
                                       qkv__comparison comparison, const qkv__node *right)
{
    const qkv__node like = {.place = left->place, .text = "", .comparison = comparison};
    return qkv__node_pair(&model->algebra.arena, &like, QKV__NODE_COMPARE, left, right);
}

bool qkv__model_add_premise(qkv__model *model, const qkv__node *premise)
{
    if (premise == NULL || model->premise_count == sizeof model->premise / sizeof model->premise[0])
        return false;
    model->premise[model->premise_count++] = premise;
    return true;
}
