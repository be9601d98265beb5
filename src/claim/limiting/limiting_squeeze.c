/* Limits as the number of keys grows, by a squeeze: 0 <= x <= bound for every number of keys, where
 * the bound tends to 0. A weight is at most e^(2*S)/n, S being the largest size of a score, |scale|
 * times the length of the query times that of a key. Both claims are asked; knows nothing of how
 * they are decided. */
#include <string.h>

#include "claim/limiting/limiting_part.h"
#include "language/builtin.h"
#include "language/tree.h"
#include "language/write.h"

static const qkv__node *multiply(qkv__inequality *q, const qkv__node *x, const qkv__node *y)
{
    return x == NULL || y == NULL ? NULL : qkv__tree_make(q, QKV__NODE_MULTIPLY, "", x, y);
}

/* e^(2*|scale|*|query|*|key|)/n; NULL where keys have no declared length. */
static const qkv__node *bound_of(qkv__inequality *q, const qkv__node *attention)
{
    const qkv__node *size = qkv__tree_size(q, qkv__tree_family_range(q, attention->child[1]->text));
    const qkv__node *first = qkv__tree_number(q, 1);
    const qkv__node *member =
        first == NULL ? NULL : qkv__tree_make(q, QKV__NODE_INDEX, "", attention->child[1], first);
    const qkv__node *key = member == NULL ? NULL : qkv__tree_declared_length(q, member);
    const qkv__node *query = qkv__tree_make(q, QKV__NODE_SIZE, "", attention->child[0], NULL);
    const qkv__node *exponent = multiply(q, qkv__tree_number(q, 2), multiply(q, query, key));
    if (attention->count == 4)
        exponent =
            multiply(q, exponent,
                     qkv__tree_make(q, QKV__NODE_SIZE, "", attention->child[3]->child[0], NULL));
    const qkv__node *base = qkv__tree_make(q, QKV__NODE_NAME, "e", NULL, NULL);
    const qkv__node *power = exponent == NULL || base == NULL
                                 ? NULL
                                 : qkv__tree_make(q, QKV__NODE_POWER, "", base, exponent);
    return power == NULL || size == NULL ? NULL
                                         : qkv__tree_make(q, QKV__NODE_DIVIDE, "", power, size);
}

/* The attention of the first weight in a tree; NULL: there is none. */
static const qkv__node *attention_in(qkv__inequality *q, const qkv__node *node)
{
    const qkv__node *attention, *index;
    if (qkv__tree_is_weight(q, node, &attention, &index)) return attention;
    for (size_t i = 0; i < node->count; i++) {
        attention = attention_in(q, node->child[i]);
        if (attention != NULL) return attention;
    }
    return NULL;
}

static bool is_zero(const qkv__node *node)
{
    return node->kind == QKV__NODE_NUMBER && qkv__rational_is_zero(node->value);
}

static bool holds(qkv__limiting *l, qkv__decider *decider, const qkv__node *proposition,
                  const qkv__circumstances *circumstances)
{
    qkv__finding answer = {.engine = ""};
    if (proposition == NULL) return false;
    decider(l->q->model, proposition, circumstances, &answer);
    const bool proved = answer.verdict == QKV__PROVED;
    qkv__finding_free(&answer);
    return proved;
}

/* The premises without the limit, which is one, as a size grows. */
static bool take_premises(const qkv__circumstances *all, qkv__circumstances *premises,
                          const char **moving)
{
    *moving = NULL;
    if (all->too_many) return false;
    for (size_t i = 0; i < all->count; i++) {
        const qkv__circumstance *item = &all->item[i];
        if (item->kind == QKV__CONDITION_EXPECT) continue;
        if (item->kind == QKV__CONDITION_WITHIN || item->node == NULL) return false;
        if (item->kind != QKV__CONDITION_LIMIT) {
            if (!qkv__circumstances_put(premises, item->kind, item->node)) return false;
            continue;
        }
        if (*moving != NULL || item->node->child[0]->kind != QKV__NODE_NAME ||
            item->node->child[1]->kind != QKV__NODE_INFINITY)
            return false;
        *moving = item->node->child[0]->text;
    }
    return *moving != NULL;
}

bool qkv__limiting_squeeze(qkv__limiting *l, const qkv__node *claim,
                           const qkv__circumstances *circumstances, qkv__finding *finding)
{
    qkv__inequality *q = l->q;
    qkv__circumstances premises = {0};
    const char *moving;
    if (claim->kind != QKV__NODE_COMPARE || claim->comparison != QKV__NEAR ||
        !is_zero(claim->child[1]) || !take_premises(circumstances, &premises, &moving))
        return false;
    const qkv__node *x = qkv__tree_expand(q, claim->child[0]), *zero = claim->child[1];
    const qkv__node *attention = x == NULL ? NULL : attention_in(q, x);
    const qkv__node *bound = attention == NULL ? NULL : bound_of(q, attention);
    if (bound == NULL || bound->child[1]->kind != QKV__NODE_NAME ||
        strcmp(bound->child[1]->text, moving) != 0)
        return false;
    qkv__node *near =
        (qkv__node *)(uintptr_t)qkv__tree_make(q, QKV__NODE_COMPARE, claim->text, bound, zero);
    if (near == NULL) return false;
    near->comparison = QKV__NEAR;
    if (!holds(l, l->deciders->again, near, circumstances) ||
        !holds(l, l->deciders->lemma, qkv__tree_compare(q, zero, x), &premises) ||
        !holds(l, l->deciders->lemma, qkv__tree_compare(q, x, bound), &premises))
        return false;
    /* Of a limit in a size no example can be tried; of the bound some can, under all premises. */
    qkv__finding tried = {.engine = ""};
    l->deciders->search(q->model, qkv__tree_compare(q, x, bound), &premises, &tried);
    const bool confirmed = tried.verdict == QKV__SUPPORTED && tried.replayed > 0;
    const size_t replayed = tried.replayed;
    qkv__finding_free(&tried);
    if (!confirmed) return false;
    qkv__finding_free(finding);
    *finding = (qkv__finding){.verdict = QKV__PROVED, .engine = "exact", .replayed = replayed};
    qkv__text_format(&finding->found, "-> 0");
    qkv__text_format(&finding->reason, "It lies between 0 and ");
    qkv__node_write(bound, &finding->reason);
    qkv__text_format(&finding->reason, " for every %s, by lemmas, and that tends to 0.", moving);
    return true;
}
