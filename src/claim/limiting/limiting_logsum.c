/*
 * Limits of ln(sum of e^s) over scores s = f*g[i]: it exceeds the largest of them by at most ln n,
 * so that its quotient by f tends to max g[i]; where all scores vanish it tends to ln n. Knows
 * nothing of the claim around it.
 */
#include <string.h>

#include "claim/limiting/limiting_part.h"
#include "language/builtin.h"
#include "language/tree.h"

static bool is_power_of_e(const qkv__node *node)
{
    return (node->kind == QKV__NODE_POWER && node->child[0]->kind == QKV__NODE_NAME &&
            strcmp(node->child[0]->text, "e") == 0) ||
           (qkv__builtin_of(node) == QKV__BUILTIN_EXP && node->count == 1);
}

/* f for i in 1..n: over all members of a family. */
static bool read_over(qkv__limiting *l, const qkv__node *over, bool raised, qkv__logsum *sum)
{
    if (over->kind != QKV__NODE_SUM) return false;
    const qkv__node *body = over->child[0], *domain = over->child[1];
    if (domain->kind != QKV__NODE_COMPARE || domain->comparison != QKV__IN ||
        domain->child[1]->kind != QKV__NODE_RANGE || (raised && !is_power_of_e(body)))
        return false;
    *sum = (qkv__logsum){.index = over->text,
                         .range = domain->child[1],
                         .score = raised ? body->child[body->count - 1] : body};
    return qkv__tree_size(l->q, sum->range) != NULL;
}

bool qkv__limiting_read_logsum(qkv__limiting *l, const qkv__node *node, qkv__logsum *sum)
{
    if (node->kind != QKV__NODE_CALL || node->count != 1) return false;
    const qkv__node *of = node->child[0];
    if (qkv__builtin_of(node) == QKV__BUILTIN_LN)
        return qkv__builtin_of(of) == QKV__BUILTIN_SUM && qkv__call_is_over(of) &&
               read_over(l, of->child[0], true, sum);
    if (qkv__builtin_of(node) != QKV__BUILTIN_LOG_SUM_EXP) return false;
    if (of->kind == QKV__NODE_SUM) return read_over(l, of, false, sum);
    if (of->kind != QKV__NODE_MEMBER || strcmp(of->text, "score") != 0 ||
        !qkv__tree_is_attention(l->q, of->child[0]))
        return false;
    const qkv__node *index = qkv__tree_make(l->q, QKV__NODE_NAME, l->letter, NULL, NULL);
    *sum =
        (qkv__logsum){.attention = of->child[0],
                      .index = l->letter,
                      .range = qkv__tree_family_range(l->q, of->child[0]->child[1]->text),
                      .score = index == NULL ? NULL : qkv__tree_score(l->q, of->child[0], index)};
    return sum->range != NULL && sum->score != NULL;
}

/* ln n, where all scores vanish; NULL: they do not, or it is not known. */
const qkv__node *qkv__limiting_logsum_at_zero(qkv__limiting *l, const qkv__logsum *sum)
{
    qkv__growth growth;
    const qkv__node *size = qkv__tree_size(l->q, sum->range);
    if (l->moving == NULL || size == NULL || !qkv__limiting_growth(l, sum->score, &growth) ||
        !qkv__limiting_is_small(l, growth.degree))
        return NULL;
    return qkv__tree_make(l->q, QKV__NODE_CALL, "ln", size, NULL);
}

/* max(g[i] for i in 1..n), or g[j] where that is known to be the largest, where scores are
 * g[i]*moving^degree and grow; NULL likewise. */
const qkv__node *qkv__limiting_logsum_growth(qkv__limiting *l, const qkv__logsum *sum, int *degree)
{
    qkv__growth growth;
    if (l->moving == NULL || !qkv__limiting_growth(l, sum->score, &growth) ||
        !qkv__limiting_is_large(l, growth.degree) || (growth.degree % 2 != 0 && !l->positive))
        return NULL;
    *degree = growth.degree;
    const qkv__node *largest = qkv__limiting_largest(l, growth.coefficient, sum->index, sum->range);
    if (largest != NULL) return largest;
    const qkv__node *index = qkv__tree_make(l->q, QKV__NODE_NAME, sum->index, NULL, NULL);
    const qkv__node *domain = index == NULL ? NULL : qkv__tree_domain(l->q, index, sum->range);
    const qkv__node *over = domain == NULL ? NULL
                                           : qkv__tree_make(l->q, QKV__NODE_SUM, sum->index,
                                                            growth.coefficient, domain);
    return over == NULL ? NULL : qkv__tree_make(l->q, QKV__NODE_CALL, "max", over, NULL);
}
