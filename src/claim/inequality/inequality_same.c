/* Claims about vectors: that two are the same, or that one lies in a hull; and that two numbers are
 * the same once they are multiplied out. Knows nothing of how numbers are compared. */
#include <string.h>

#include "claim/inequality/inequality_part.h"
#include "language/builtin.h"

/* g of sum(g*v[i] for i in 1..n), with all members of a family; NULL: it is none. */
static const qkv__node *coefficient_of(qkv__inequality *q, const qkv__node *sum,
                                       const qkv__node *family)
{
    const qkv__node *over = sum->child[0], *body = over->child[0];
    const qkv__node *range = qkv__tree_family_range(q, family->text);
    const char *own = range == NULL || over->child[1]->kind != QKV__NODE_COMPARE ||
                              over->child[1]->comparison != QKV__IN
                          ? NULL
                          : qkv__tree_text(q, over->child[1]->child[1]);
    const char *all = own == NULL ? NULL : qkv__tree_text(q, range);
    if (all == NULL || strcmp(own, all) != 0 || qkv__tree_size(q, range) == NULL ||
        body->kind != QKV__NODE_MULTIPLY)
        return NULL;
    for (int at = 0; at < 2; at++) {
        const qkv__node *member = body->child[at];
        if (member->kind == QKV__NODE_INDEX && member->count == 2 &&
            member->child[0]->kind == QKV__NODE_NAME &&
            strcmp(member->child[0]->text, family->text) == 0 &&
            member->child[1]->kind == QKV__NODE_NAME &&
            strcmp(member->child[1]->text, over->text) == 0)
            return body->child[1 - at];
    }
    return NULL;
}

static bool is_sum_call(const qkv__node *node)
{
    return node->kind == QKV__NODE_CALL && node->count == 1 && qkv__call_is_over(node) &&
           qkv__builtin_of(node) == QKV__BUILTIN_SUM;
}

bool qkv__inequality_show_in_hull(qkv__inequality *q, const qkv__node *x, const qkv__node *hull)
{
    if (x->kind != QKV__NODE_DIVIDE || !is_sum_call(x->child[0]) || !is_sum_call(x->child[1]) ||
        qkv__builtin_of(hull) != QKV__BUILTIN_HULL || hull->count != 1 ||
        hull->child[0]->kind != QKV__NODE_NAME)
        return false;
    const qkv__node *above = coefficient_of(q, x->child[0], hull->child[0]);
    const qkv__node *whole = x->child[0]->child[0], *divisor = x->child[1]->child[0];
    const char *range = above == NULL ? NULL : qkv__tree_text(q, whole->child[1]->child[1]);
    const char *index = range == NULL ? NULL : qkv__inequality_index(q, range, NULL);
    if (index == NULL || divisor->child[1]->kind != QKV__NODE_COMPARE ||
        divisor->child[1]->comparison != QKV__IN)
        return false;
    const qkv__node *below = qkv__tree_put(q, divisor->child[0], divisor->text, index);
    above = qkv__tree_put(q, above, whole->text, index);
    const char *a = above == NULL ? NULL : qkv__tree_text(q, above);
    const char *b = below == NULL ? NULL : qkv__tree_text(q, below);
    const char *other = qkv__tree_text(q, divisor->child[1]->child[1]);
    if (a == NULL || b == NULL || other == NULL || strcmp(a, b) != 0 || strcmp(range, other) != 0)
        return false;
    return qkv__inequality_show(q, qkv__tree_number(q, 0), above, false);
}

static bool are_same_numbers(qkv__inequality *q, const qkv__node *left, const qkv__node *right)
{
    qkv__ratio x, y, gap;
    return qkv__inequality_number(q, left, &x) && qkv__inequality_number(q, right, &y) &&
           qkv__inequality_reduced(q, qkv__ratio_subtract(&q->algebra, x, y), &gap) &&
           qkv__ratio_is_zero(gap);
}

bool qkv__inequality_show_same(qkv__inequality *q, const qkv__node *left, const qkv__node *right)
{
    qkv__mixture x, y;
    left = qkv__tree_multiplied(q, left);
    right = qkv__tree_multiplied(q, right);
    if (!qkv__inequality_is_vector(q, left) && !qkv__inequality_is_vector(q, right))
        return are_same_numbers(q, left, right);
    if (!qkv__inequality_vector(q, left, &x) || !qkv__inequality_vector(q, right, &y)) return false;
    for (size_t i = 0; i < y.count; i++)
        if (!qkv__mixture_add(q, &x, y.part[i].base,
                              qkv__ratio_negate(&q->algebra, y.part[i].factor)))
            return false;
    qkv__ratio factor;
    for (size_t i = 0; i < x.count; i++)
        if (!qkv__inequality_reduced(q, x.part[i].factor, &factor) || !qkv__ratio_is_zero(factor))
            return false;
    return true;
}
