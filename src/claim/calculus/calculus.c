/* Comparisons decided by calculus: both sides translated, premises put in, and then the sign of the
 * difference. Knows nothing of other engines. */
#include "claim/calculus/calculus.h"

#include <assert.h>

#include "claim/calculus/part.h"
#include "claim/premise/ties.h"
#include "language/tree.h"

enum { EFFORT = 100, DEPTH = 4 };

/* beta = ln(n), a premise that the exact engine has no form for: put into a number. */
static qkv__ratio put_equation(qkv__calculus *c, const qkv__node *premise, qkv__ratio x)
{
    qkv__curve value;
    if (premise == NULL || premise->kind != QKV__NODE_COMPARE ||
        premise->comparison != QKV__EQUAL || premise->child[0]->kind != QKV__NODE_NAME)
        return x;
    const int parameter = qkv__parameter_find(c->algebra, premise->child[0]->text);
    if (parameter < 0 || !qkv__calculus_depends(c, x, parameter) ||
        !qkv__calculus_translate(c, premise->child[1], NULL, &value) || value.vector != NULL ||
        qkv__calculus_depends(c, value.number, parameter))
        return x;
    const qkv__ratio put = qkv__calculus_put(c, x, parameter, value.number);
    return qkv__ratio_is_lost(put) ? x : put;
}

static qkv__ratio put_equations(qkv__calculus *c, qkv__ratio x)
{
    const qkv__circumstances *around = c->s->circumstances;
    for (size_t i = 0; i < around->count; i++)
        if (qkv__circumstance_is_premise(&around->item[i]))
            x = put_equation(c, around->item[i].node, x);
    for (size_t i = 0; i < c->s->model->premise_count; i++)
        x = put_equation(c, c->s->model->premise[i], x);
    return x;
}

/* A number under the premises, and under the bounds that follow from where the text has a value. */
static qkv__ratio settle(qkv__calculus *c, qkv__ratio x)
{
    if (c->s->weakened) x = put_equations(c, x);
    x = qkv__calculus_premise(c, x);
    qkv__calculus_narrow(c);
    return qkv__calculus_rewrite(c, x);
}

static bool is_zero_vector(qkv__calculus *c, const qkv__vector *x)
{
    for (size_t i = 0; x != NULL && i < x->count; i++) {
        if (!qkv__ratio_is_zero(settle(c, x->component[i].factor))) return false;
    }
    return x != NULL;
}

static bool prove_order(qkv__calculus *c, qkv__ratio x, qkv__comparison comparison)
{
    return !qkv__calculus_fails(c, x, comparison) && qkv__calculus_prove(c, x, comparison, DEPTH);
}

static bool prove(qkv__calculus *c, qkv__ratio x, qkv__comparison comparison)
{
    if (comparison == QKV__EQUAL)
        return qkv__ratio_is_zero(x) ||
               (qkv__calculus_has_sizes(c, x) && prove_order(c, x, QKV__LESS_OR_EQUAL) &&
                prove_order(c, x, QKV__GREATER_OR_EQUAL));
    if (comparison == QKV__NOT_EQUAL)
        return prove_order(c, x, QKV__GREATER) || prove_order(c, x, QKV__LESS);
    return prove_order(c, x, comparison);
}

/* |x| <= t, or > t for x != 0. */
static bool prove_within(qkv__calculus *c, qkv__ratio x, qkv__comparison comparison)
{
    qkv__ratio tolerance = c->s->tolerance;
    qkv__ratio above = qkv__ratio_subtract(c->algebra, x, tolerance);
    qkv__ratio below = qkv__ratio_add(c->algebra, x, tolerance);
    if (comparison == QKV__NOT_EQUAL)
        return prove(c, above, QKV__GREATER) || prove(c, below, QKV__LESS);
    return prove(c, above, QKV__LESS_OR_EQUAL) && prove(c, below, QKV__GREATER_OR_EQUAL);
}

static bool has_closed(const qkv__calculus *c)
{
    for (size_t i = 0; i < c->domain_count; i++)
        if (c->domain[i].closed) return true;
    return false;
}

static bool decide_in(qkv__calculus *c, const qkv__node *left, const qkv__node *right,
                      qkv__comparison comparison)
{
    qkv__curve x, y;
    const bool order = comparison >= QKV__LESS && comparison <= QKV__GREATER_OR_EQUAL;
    if (!order && comparison != QKV__EQUAL && comparison != QKV__NOT_EQUAL &&
        !(comparison == QKV__NEAR && c->s->has_tolerance))
        return false;
    if (!qkv__calculus_translate(c, left, c->s->locals, &x) ||
        !qkv__calculus_translate(c, right, c->s->locals, &y) ||
        (x.vector == NULL) != (y.vector == NULL))
        return false;
    if (x.vector != NULL)
        return comparison == QKV__EQUAL && !c->s->has_tolerance && !has_closed(c) &&
               is_zero_vector(c, qkv__vector_subtract(c->space, x.vector, y.vector));
    qkv__ratio difference = settle(c, qkv__ratio_subtract(c->algebra, x.number, y.number));
    const bool strict =
        comparison == QKV__LESS || comparison == QKV__GREATER || comparison == QKV__NOT_EQUAL;
    if (strict ? has_closed(c) : !qkv__calculus_is_closed(c)) return false;
    if (c->s->has_tolerance && !order) return prove_within(c, difference, comparison);
    return prove(c, difference, comparison);
}

/* Letters and bounds are of this comparison alone. */
static bool decide(qkv__situation *s, const qkv__node *left, const qkv__node *right,
                   qkv__comparison comparison, bool *letters)
{
    qkv__model *model = s->model;
    qkv__memory memory = qkv__situation_remember(s);
    qkv__calculus c = {
        .s = s, .space = &model->space, .algebra = &model->algebra, .effort = EFFORT};
    const bool proved = decide_in(&c, left, right, comparison);
    *letters = *letters || c.count > 0;
    qkv__situation_forget(s, &memory);
    return proved;
}

/* ---- Limits ------------------------------------------------------------------------------------
 */

static bool is_order(qkv__comparison comparison)
{
    return comparison >= QKV__LESS && comparison <= QKV__GREATER_OR_EQUAL;
}

static bool asks_for_more(qkv__comparison comparison)
{
    return comparison == QKV__GREATER || comparison == QKV__GREATER_OR_EQUAL;
}

static void tell_limit(qkv__calculus *c, const char *value, bool order)
{
    qkv__text_format(&c->s->finding->reason, "The difference tends to %s%s.", value,
                     order ? "" : ", not to 0");
}

/* Without bound: an order holds on that side, and nothing is near. */
static qkv__verdict decide_growth(qkv__calculus *c, qkv__comparison comparison, bool up)
{
    if (is_order(comparison) && asks_for_more(comparison) == up) return QKV__PROVED;
    tell_limit(c, up ? "inf" : "-inf", is_order(comparison));
    return QKV__REFUTED;
}

static qkv__verdict decide_value(qkv__calculus *c, qkv__comparison comparison, qkv__ratio value)
{
    const bool order = is_order(comparison);
    const qkv__comparison strict = asks_for_more(comparison) ? QKV__GREATER : QKV__LESS;
    value = qkv__calculus_rewrite(c, value);
    if (qkv__ratio_is_lost(value)) return QKV__UNDECIDED;
    if (order ? qkv__calculus_prove(c, value, strict, DEPTH) : prove(c, value, QKV__EQUAL))
        return QKV__PROVED;
    if (order ? !qkv__calculus_prove(c, value, qkv__comparison_mirror(strict), DEPTH)
              : !prove(c, value, QKV__NOT_EQUAL))
        return QKV__UNDECIDED;
    qkv__text text = {0};
    qkv__ratio_write(c->algebra, value, &text);
    if (!text.failed) tell_limit(c, text.data, order);
    qkv__text_free(&text);
    return QKV__REFUTED;
}

/* Whether the limit of the difference decides the comparison. */
static qkv__verdict decide_limit(qkv__calculus *c, const qkv__node *node)
{
    const qkv__comparison comparison = node->comparison;
    qkv__curve x, y;
    if ((!is_order(comparison) && comparison != QKV__EQUAL && comparison != QKV__NEAR) ||
        !qkv__calculus_translate(c, node->child[0], c->s->locals, &x) ||
        !qkv__calculus_translate(c, node->child[1], c->s->locals, &y) || x.vector != NULL ||
        y.vector != NULL || has_closed(c))
        return QKV__UNDECIDED;
    const qkv__ratio difference = qkv__ratio_subtract(c->algebra, x.number, y.number);
    const qkv__limit limit = qkv__calculus_tends(c, qkv__calculus_rewrite(c, difference));
    switch (limit.kind) {
    case QKV__LIMIT_UNKNOWN: break;
    case QKV__LIMIT_FINITE: return decide_value(c, comparison, limit.value);
    case QKV__LIMIT_PLUS_INFINITY: return decide_growth(c, comparison, true);
    case QKV__LIMIT_MINUS_INFINITY: return decide_growth(c, comparison, false);
    }
    return QKV__UNDECIDED;
}

/* A limit that nothing but its parameter moves in. */
static bool is_plain_limit(const qkv__situation *s, const qkv__node *node)
{
    return s->limit_count == 1 && !s->has_tolerance && !s->weakened && !s->veiled &&
           s->substitution_count == 0 && s->left_out_count == 0 && !qkv__ties_hold_node(s, node);
}

static qkv__verdict compare_in_limit(qkv__situation *s, const qkv__node *node)
{
    if (!is_plain_limit(s, node)) return QKV__UNDECIDED;
    qkv__memory memory = qkv__situation_remember(s);
    qkv__calculus c = {
        .s = s, .space = &s->model->space, .algebra = &s->model->algebra, .effort = EFFORT};
    const qkv__verdict verdict = decide_limit(&c, node);
    qkv__situation_forget(s, &memory);
    if (verdict == QKV__UNDECIDED) return verdict;
    if (verdict == QKV__PROVED) qkv__situation_say(s, "The limit follows from the leading terms.");
    return qkv__situation_conclude(s, verdict, "ball");
}

qkv__verdict qkv__compare_calculus(qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE && node->count == 2);
    if (s->limit_count > 0) return compare_in_limit(s, node);
    const qkv__node *left = node->child[0], *right = node->child[1];
    bool proved, letters = false;
    if (node->comparison == QKV__IN && right->kind == QKV__NODE_RANGE)
        proved = decide(s, left, right->child[0], QKV__GREATER_OR_EQUAL, &letters) &&
                 decide(s, left, right->child[1], QKV__LESS_OR_EQUAL, &letters);
    else
        proved = decide(s, left, right, node->comparison, &letters);
    if (!proved) return QKV__UNDECIDED;
    qkv__situation_say(s, node->comparison == QKV__EQUAL && !s->has_tolerance
                              ? "Both sides are the same by the rules of the functions in them."
                          : letters ? "The sign follows from the derivative, or from bounds of the "
                                      "functions in it."
                                    : "The sign follows from the derivative.");
    return qkv__situation_conclude(s, QKV__PROVED, "ball");
}
