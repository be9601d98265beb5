/* Sides of comparisons part by part. Knows syntax; nothing of values nor of verdicts. */
#include "claim/parts.h"

#include <assert.h>
#include <string.h>

#include "claim/model/bound.h"
#include "claim/model/compose.h"
#include "claim/model/evaluate.h"
#include "language/builtin.h"
#include "language/tree.h"
#include "language/write.h"

/* ---- Sums ---------------------------------------------------------------------------- */

/* A side that is a sum over a set, or a matrix that is one times a vector; NULL: it is neither. */
static const qkv__node *sum_of(qkv__model *model, const qkv__binding *locals, const qkv__node *node)
{
    node = qkv__compose_unfolded(model, locals, node);
    if (node != NULL && node->kind == QKV__NODE_MULTIPLY)
        node = qkv__matrix_sum_times(model, locals, node);
    if (node == NULL || qkv__builtin_of(node) != QKV__BUILTIN_SUM || !qkv__call_is_over(node))
        return NULL;
    return node->child[0];
}

/* sum(x for i in S) = sum(y for j in S) if x = y for all of them; likewise <= and >=. */
static const qkv__node *by_terms(qkv__model *model, const qkv__binding *locals,
                                 const qkv__node *node)
{
    if (node->comparison != QKV__EQUAL && node->comparison != QKV__LESS_OR_EQUAL &&
        node->comparison != QKV__GREATER_OR_EQUAL)
        return NULL;
    const qkv__node *left = sum_of(model, locals, node->child[0]);
    const qkv__node *right = left == NULL ? NULL : sum_of(model, locals, node->child[1]);
    if (right == NULL || left->child[1]->comparison != right->child[1]->comparison ||
        !qkv__node_same_text(left->child[1]->child[1], right->child[1]->child[1]))
        return NULL;
    const qkv__node *term = right->child[0];
    if (strcmp(left->text, right->text) != 0) {
        if (qkv__node_names(term, left->text)) return NULL; /* of another thing */
        term = qkv__compose_renamed(model, term, right->text, left->text);
        if (term == NULL) return NULL;
    }
    qkv__node *all =
        qkv__compose_binary(model, QKV__NODE_FOR_ALL, left->child[1],
                            qkv__model_comparison(model, left->child[0], node->comparison, term));
    return all;
}

/* ---- Tokens -------------------------------------------------------------------------- */

/* self_attend(...)[j]: the call and j; NULL: it is none. */
static const qkv__node *token_of(qkv__model *model, const qkv__binding *locals,
                                 const qkv__node *node, int64_t *number)
{
    node = qkv__compose_unfolded(model, locals, node);
    if (node == NULL || node->kind != QKV__NODE_INDEX || node->count != 2 ||
        node->child[1]->kind != QKV__NODE_NUMBER || node->child[1]->value.denominator != 1)
        return NULL;
    *number = node->child[1]->value.numerator;
    const qkv__node *call = qkv__compose_unfolded(model, locals, node->child[0]);
    return call != NULL && qkv__builtin_of(call) == QKV__BUILTIN_SELF_ATTEND && call->count > 0
               ? call
               : NULL;
}

static bool is_causal(const qkv__node *call)
{
    for (size_t i = 1; i < call->count; i++)
        if ((call->child[i]->kind == QKV__NODE_NAME || call->child[i]->kind == QKV__NODE_OPTION) &&
            strcmp(call->child[i]->text, "causal") == 0)
            return true;
    return false;
}

/* The window of a call; false where it is no plain number. 0: there is none. */
static bool window_of(const qkv__node *call, int64_t *window)
{
    *window = 0;
    for (size_t i = 1; i < call->count; i++) {
        const qkv__node *option = call->child[i];
        if (option->kind != QKV__NODE_OPTION || strcmp(option->text, "window") != 0) continue;
        if (option->child[0]->kind != QKV__NODE_NUMBER ||
            option->child[0]->value.denominator != 1 || option->child[0]->value.numerator < 1)
            return false;
        *window = option->child[0]->value.numerator;
    }
    return true;
}

static const qkv__node *member(qkv__model *model, const qkv__node *family, int64_t number)
{
    return qkv__compose_binary(
        model, QKV__NODE_INDEX, family,
        qkv__compose_number(model, qkv__rational_whole(number), family->place));
}

/* Token j of two layers that differ in their tokens alone: the same if those that it looks at are.
 */
static const qkv__node *by_tokens(qkv__model *model, const qkv__binding *locals,
                                  const qkv__node *node)
{
    enum { MOST = 16 };
    int64_t number[2], window;
    if (node->comparison != QKV__EQUAL) return NULL;
    const qkv__node *x = token_of(model, locals, node->child[0], &number[0]);
    const qkv__node *y = x == NULL ? NULL : token_of(model, locals, node->child[1], &number[1]);
    if (y == NULL || number[0] != number[1] || x->count != y->count || !is_causal(x) ||
        !window_of(x, &window) || number[0] > MOST)
        return NULL;
    for (size_t i = 1; i < x->count; i++)
        if (!qkv__node_same_text(x->child[i], y->child[i])) return NULL;
    const int64_t first = window == 0 || number[0] < window ? 1 : number[0] - window + 1;
    const qkv__node *all = NULL;
    for (int64_t i = first; i <= number[0]; i++) {
        const qkv__node *one = member(model, x->child[0], i),
                        *other = member(model, y->child[0], i);
        if (one == NULL || other == NULL) return NULL;
        const qkv__node *same = qkv__model_comparison(model, one, QKV__EQUAL, other);
        all = all == NULL ? same : qkv__compose_binary(model, QKV__NODE_AND, all, same);
        if (all == NULL) return NULL;
    }
    return all;
}

/* ---- Hulls --------------------------------------------------------------------------- */

enum { HULL_TERMS = 8 };

/* A vector as a sum of numbers times vectors, none of them twice. */
typedef struct mixture {
    size_t count;
    struct {
        const qkv__node *factor, *vector;
    } term[HULL_TERMS];
} mixture;

static bool is_number(qkv__model *model, const qkv__binding *locals, const qkv__node *node)
{
    qkv__value value;
    return node->kind == QKV__NODE_NUMBER ||
           (qkv__model_value(model, node, locals, &value) && value.kind == QKV__VALUE_SCALAR);
}

static bool mix(qkv__model *model, const qkv__binding *locals, const qkv__node *node,
                const qkv__node *factor, mixture *sum);

static bool mix_product(qkv__model *model, const qkv__binding *locals, const qkv__node *node,
                        const qkv__node *factor, mixture *sum)
{
    const bool divide = node->kind == QKV__NODE_DIVIDE;
    for (size_t at = divide; at < 2; at++) {
        if (!is_number(model, locals, node->child[at])) continue;
        factor = qkv__compose_binary(model, node->kind, factor, node->child[at]);
        return mix(model, locals, node->child[1 - at], factor, sum);
    }
    return false;
}

static bool mix(qkv__model *model, const qkv__binding *locals, const qkv__node *node,
                const qkv__node *factor, mixture *sum)
{
    if (factor == NULL) return false;
    switch (node->kind) {
    case QKV__NODE_NEGATE:
        return mix(model, locals, node->child[0],
                   qkv__compose_unary(model, QKV__NODE_NEGATE, "", factor), sum);
    case QKV__NODE_ADD:
        return mix(model, locals, node->child[0], factor, sum) &&
               mix(model, locals, node->child[1], factor, sum);
    case QKV__NODE_SUBTRACT:
        return mix(model, locals, node->child[0], factor, sum) &&
               mix(model, locals, node->child[1],
                   qkv__compose_unary(model, QKV__NODE_NEGATE, "", factor), sum);
    case QKV__NODE_MULTIPLY:
    case QKV__NODE_DIVIDE: return mix_product(model, locals, node, factor, sum);
    default: break;
    }
    for (size_t i = 0; i < sum->count; i++)
        if (qkv__node_same_text(sum->term[i].vector, node)) {
            sum->term[i].factor =
                qkv__compose_binary(model, QKV__NODE_ADD, sum->term[i].factor, factor);
            return sum->term[i].factor != NULL;
        }
    if (sum->count == HULL_TERMS) return false;
    sum->term[sum->count].factor = factor;
    sum->term[sum->count++].vector = node;
    return true;
}

static const qkv__node *both(qkv__model *model, const qkv__node *x, const qkv__node *y)
{
    if (x == NULL || y == NULL) return NULL;
    return qkv__compose_binary(model, QKV__NODE_AND, x, y);
}

/* sum(g*x for i in S) with weights g: all x lie in the hull, no g is negative, and the factor of
 * the term is times the sum of all g. NULL: it is no such sum. */
static const qkv__node *terms_in_hull(qkv__model *model, const qkv__node *call,
                                      const qkv__node *hull, const qkv__node **factor)
{
    const qkv__builtin function = qkv__builtin_of(call);
    if ((function != QKV__BUILTIN_SUM && function != QKV__BUILTIN_MEAN) || !qkv__call_is_over(call))
        return NULL;
    const qkv__node *over = call->child[0], *body = over->child[0];
    if (function == QKV__BUILTIN_MEAN)
        return qkv__node_names(hull, over->text)
                   ? NULL
                   : qkv__compose_binary(model, QKV__NODE_FOR_ALL, over->child[1],
                                         qkv__model_comparison(model, body, QKV__IN, hull));
    if (body->kind != QKV__NODE_MULTIPLY || qkv__node_names(hull, over->text)) return NULL;
    const qkv__node *zero = qkv__compose_number(model, qkv__rational_whole(0), call->place);
    for (size_t at = 0; zero != NULL && at < 2; at++) {
        const qkv__node *weight = body->child[at];
        if (qkv__node_has_kind(weight, QKV__NODE_SUM) || !qkv__node_names(weight, over->text) ||
            weight->kind != QKV__NODE_INDEX || weight->child[0]->kind != QKV__NODE_MEMBER)
            continue;
        const qkv__node *part =
            both(model, qkv__model_comparison(model, weight, QKV__GREATER_OR_EQUAL, zero),
                 qkv__model_comparison(model, body->child[1 - at], QKV__IN, hull));
        const qkv__node *children[] = {weight, over->child[1]};
        const qkv__node *sum = qkv__compose_like(model, over, children);
        const qkv__node *whole = sum == NULL ? NULL : qkv__compose_like(model, call, &sum);
        if (part == NULL || whole == NULL) return NULL;
        *factor = qkv__compose_binary(model, QKV__NODE_MULTIPLY, *factor, whole);
        return qkv__compose_binary(model, QKV__NODE_FOR_ALL, over->child[1], part);
    }
    return NULL;
}

/* A mean lies in a hull if what it is of does: weights that are not negative and sum to 1. */
static const qkv__node *by_mean(qkv__model *model, const qkv__binding *locals,
                                const qkv__node *node)
{
    const qkv__node *hull = node->child[1];
    const qkv__node *one = qkv__compose_number(model, qkv__rational_whole(1), node->place);
    const qkv__node *zero = qkv__compose_number(model, qkv__rational_whole(0), node->place);
    mixture sum = {.count = 0};
    if (node->comparison != QKV__IN || qkv__builtin_of(hull) != QKV__BUILTIN_HULL || one == NULL ||
        zero == NULL || !mix(model, locals, node->child[0], one, &sum))
        return NULL;
    const qkv__node *all = NULL, *whole = NULL;
    for (size_t i = 0; i < sum.count; i++) {
        const qkv__node *factor = sum.term[i].factor, *vector = sum.term[i].vector;
        const qkv__node *part =
            both(model, qkv__model_comparison(model, factor, QKV__GREATER_OR_EQUAL, zero),
                 qkv__model_comparison(model, vector, QKV__IN, hull));
        const qkv__node *terms = terms_in_hull(model, vector, hull, &factor);
        if (terms != NULL)
            part =
                both(model,
                     qkv__model_comparison(model, sum.term[i].factor, QKV__GREATER_OR_EQUAL, zero),
                     terms);
        else if (sum.count == 1)
            return NULL; /* it is what was asked */
        all = all == NULL ? part : both(model, all, part);
        whole = whole == NULL ? factor : qkv__compose_binary(model, QKV__NODE_ADD, whole, factor);
        if (all == NULL || whole == NULL) return NULL;
    }
    return both(model, qkv__model_comparison(model, whole, QKV__EQUAL, one), all);
}

const qkv__node *qkv__parts_of_comparison(qkv__model *model, const qkv__binding *locals,
                                          const qkv__node *comparison, const char **why)
{
    assert(comparison->kind == QKV__NODE_COMPARE && comparison->count == 2);
    *why = "The terms of both sums compare like that, one by one.";
    const qkv__node *made = by_terms(model, locals, comparison);
    if (made != NULL) return made;
    *why = "A mean of points of the hull is a point of it.";
    made = by_mean(model, locals, comparison);
    if (made != NULL) return made;
    *why = "The tokens that are looked at are the same.";
    return by_tokens(model, locals, comparison);
}
