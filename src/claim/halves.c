/* A conjunction by its two sides, an implication by its contrapositive, two quotients as equal by
 * what is above and below. Knows what propositions are made of; nothing of how engines decide them.
 */
#include "claim/halves.h"

#include <string.h>

#include "claim/model/compose.h"
#include "language/chance_call.h"
#include "language/tree.h"

/* A node with another last child, the body of a quantifier or the conclusion; NULL: there is none.
 */
static const qkv__node *with_last(qkv__arena *arena, const qkv__node *node, const qkv__node *body)
{
    enum { MOST = 9 };
    const qkv__node *child[MOST];
    if (body == NULL || node->count > MOST) return NULL;
    memcpy(child, node->child, (node->count - 1) * sizeof *child);
    child[node->count - 1] = body;
    return qkv__node_like(arena, node, node->kind, child, node->count);
}

/* for all i: (p and q) and r implies (p and q) are conjunctions too: the side of one that comes
 * from p, 0, or from q, 1. NULL: it is none, or memory ran out. */
static const qkv__node *half_of(qkv__arena *arena, const qkv__node *node, int side)
{
    if (node->kind == QKV__NODE_AND) return node->child[side];
    if (node->kind != QKV__NODE_FOR_ALL && node->kind != QKV__NODE_IMPLIES) return NULL;
    return with_last(arena, node, half_of(arena, node->child[node->count - 1], side));
}

/* What holds exactly where a comparison of values does not; NULL: there is none. */
static const qkv__node *opposite(qkv__arena *arena, const qkv__node *node)
{
    qkv__comparison other;
    if (node->kind != QKV__NODE_COMPARE || node->comparison >= QKV__NEAR ||
        !qkv__comparison_opposite(node->comparison, &other))
        return NULL;
    qkv__node *made = qkv__node_like(arena, node, QKV__NODE_COMPARE, node->child, node->count);
    if (made != NULL) made->comparison = other;
    return made;
}

/* Whether comparisons mean what they say: neither "in the limit" nor "up to the tolerance". */
static bool is_plain(const qkv__circumstances *circumstances)
{
    for (size_t i = 0; i < circumstances->count; i++)
        if (circumstances->item[i].kind == QKV__CONDITION_LIMIT ||
            circumstances->item[i].kind == QKV__CONDITION_WITHIN)
            return false;
    return true;
}

/* not q implies not p, for p implies q; NULL: it is no implication between plain comparisons. */
static const qkv__node *contrapositive(qkv__arena *arena, const qkv__node *node,
                                       const qkv__circumstances *circumstances)
{
    if (node->kind == QKV__NODE_FOR_ALL)
        return with_last(arena, node,
                         contrapositive(arena, node->child[node->count - 1], circumstances));
    if (node->kind != QKV__NODE_IMPLIES || !is_plain(circumstances) || qkv__speaks_of_chance(node))
        return NULL;
    const qkv__node *premise = opposite(arena, node->child[1]);
    const qkv__node *conclusion = opposite(arena, node->child[0]);
    if (premise == NULL || conclusion == NULL) return NULL;
    return qkv__node_pair(arena, node, QKV__NODE_IMPLIES, premise, conclusion);
}

/* Adds what was found of one side to what was found of the other. */
static void join(qkv__text *text, const qkv__text *other, const char *between)
{
    if (other->length == 0) return;
    if (text->length > 0 && strstr(text->data, other->data) != NULL) return;
    if (text->length > 0) qkv__text_append(text, between, strlen(between));
    qkv__text_append(text, other->data, other->length);
}

static void replace(qkv__finding *finding, qkv__finding by)
{
    qkv__finding_free(finding);
    *finding = by;
}

static bool decide_conjunction(qkv__model *model, const qkv__node *const *half,
                               const qkv__circumstances *circumstances,
                               const qkv__halves_deciders *deciders, qkv__finding *finding)
{
    qkv__finding both = {.engine = ""};
    bool proved = true;
    for (int side = 0; side < 2; side++) {
        qkv__finding one = {.engine = ""};
        deciders->again(model, half[side], circumstances, &one);
        if (one.verdict == QKV__REFUTED) {
            qkv__finding_free(&both);
            replace(finding, one);
            return true;
        }
        proved = proved && one.verdict == QKV__PROVED;
        if (proved && (side == 0 || strcmp(one.engine, "exact") != 0)) both.engine = one.engine;
        join(&both.found, &one.found, "; ");
        join(&both.reason, &one.reason, " ");
        qkv__finding_free(&one);
    }
    both.verdict = QKV__PROVED;
    if (proved)
        replace(finding, both);
    else
        qkv__finding_free(&both);
    return proved;
}

static bool decide_contrapositive(qkv__model *model, const qkv__node *contrary,
                                  const qkv__circumstances *circumstances,
                                  const qkv__halves_deciders *deciders, qkv__finding *finding)
{
    qkv__finding one = {.engine = ""};
    deciders->lemma(model, contrary, circumstances, &one);
    const bool proved = one.verdict == QKV__PROVED;
    if (proved)
        replace(finding, one);
    else
        qkv__finding_free(&one);
    return proved;
}

/* A side of an equation, a name as what it stands for; NULL: it is no quotient. */
static const qkv__node *quotient(qkv__model *model, const qkv__node *side,
                                 const qkv__circumstances *circumstances)
{
    if (side->kind == QKV__NODE_NAME && circumstances->count == 0)
        side = qkv__compose_unfolded(model, NULL, side);
    return side == NULL || side->kind != QKV__NODE_DIVIDE ? NULL : side;
}

/* x/y = u/w where x = u and y = w. */
static bool decide_quotients(qkv__model *model, const qkv__node *node,
                             const qkv__circumstances *circumstances,
                             const qkv__halves_deciders *deciders, qkv__finding *finding)
{
    qkv__arena *arena = &model->algebra.arena;
    if (node->kind != QKV__NODE_COMPARE || node->comparison != QKV__EQUAL ||
        !is_plain(circumstances) || qkv__speaks_of_chance(node))
        return false;
    const qkv__node *left = quotient(model, node->child[0], circumstances);
    const qkv__node *right = left == NULL ? NULL : quotient(model, node->child[1], circumstances);
    qkv__finding both = {.engine = "exact"};
    bool proved = right != NULL;
    for (size_t i = 0; proved && i < 2; i++) {
        const qkv__node *pair[] = {left->child[i], right->child[i]};
        qkv__node *same = qkv__node_like(arena, node, QKV__NODE_COMPARE, pair, 2);
        qkv__finding one = {.engine = ""};
        if (same != NULL) deciders->again(model, same, circumstances, &one);
        proved = same != NULL && one.verdict == QKV__PROVED;
        if (proved && strcmp(one.engine, "exact") != 0) both.engine = one.engine;
        join(&both.reason, &one.reason, " ");
        qkv__finding_free(&one);
    }
    both.verdict = QKV__PROVED;
    if (proved) {
        qkv__text_format(&both.reason, " So are the quotients.");
        replace(finding, both);
    } else {
        qkv__finding_free(&both);
    }
    return proved;
}

bool qkv__halves_decide(qkv__model *model, const qkv__node *proposition,
                        const qkv__circumstances *circumstances,
                        const qkv__halves_deciders *deciders, qkv__finding *finding)
{
    qkv__arena *arena = &model->algebra.arena;
    const qkv__node *half[2] = {half_of(arena, proposition, 0), half_of(arena, proposition, 1)};
    if (half[0] != NULL && half[1] != NULL)
        return decide_conjunction(model, half, circumstances, deciders, finding);
    if (decide_quotients(model, proposition, circumstances, deciders, finding)) return true;
    const qkv__node *contrary = contrapositive(arena, proposition, circumstances);
    return contrary != NULL &&
           decide_contrapositive(model, contrary, circumstances, deciders, finding);
}
