/* Limits of orders as bounds of the letter that grows. Knows what a limit means; nothing of how a
 * claim without one is decided. */
#include "claim/eventually.h"

#include "language/tree.h"

static const int64_t far_out[] = {16, 1 << 20, INT64_C(1) << 60};

/* A claim in a limit, the condition at that place. */
typedef struct question {
    qkv__model *model;
    const qkv__circumstances *circumstances;
    qkv__decider *decide;
    size_t limit;
} question;

/* Whether a proposition holds in a limit where it holds from some number on: orders alone, and all
 * of several. Of p or q one side has to hold by itself, and x ~ y and x = y say more in a limit. */
static bool is_order(const qkv__node *node)
{
    if (node->kind == QKV__NODE_AND) return is_order(node->child[0]) && is_order(node->child[1]);
    if (node->kind == QKV__NODE_FOR_ALL) return is_order(node->child[node->count - 1]);
    return node->kind == QKV__NODE_COMPARE && node->comparison >= QKV__LESS &&
           node->comparison <= QKV__GREATER_OR_EQUAL;
}

/* Which condition is the only limit, of a letter that grows; their count: there is none. */
static size_t growing_limit(const qkv__circumstances *circumstances)
{
    size_t found = circumstances->count;
    for (size_t i = 0; i < circumstances->count; i++) {
        const qkv__circumstance *c = &circumstances->item[i];
        if (c->kind != QKV__CONDITION_LIMIT) continue;
        if (found < circumstances->count || c->node->child[0]->kind != QKV__NODE_NAME ||
            c->node->child[1]->kind != QKV__NODE_INFINITY)
            return circumstances->count;
        found = i;
    }
    return found;
}

/* t >= 16 */
static const qkv__node *bound(qkv__arena *arena, const qkv__node *limit, int64_t least)
{
    const qkv__node like = {.place = limit->place, .text = "", .comparison = QKV__GREATER_OR_EQUAL};
    return qkv__node_pair(arena, &like, QKV__NODE_COMPARE, limit->child[0],
                          qkv__node_number(arena, qkv__rational_whole(least), limit->place));
}

/* What holds exactly where an order of two values does not; NULL: it is several, or no memory. */
static const qkv__node *opposite(qkv__arena *arena, const qkv__node *node)
{
    qkv__comparison other;
    if (node->kind != QKV__NODE_COMPARE || !qkv__comparison_opposite(node->comparison, &other))
        return NULL;
    qkv__node *made = qkv__node_like(arena, node, QKV__NODE_COMPARE, node->child, node->count);
    if (made != NULL) made->comparison = other;
    return made;
}

/* Whether it is proved for all t >= least, where there are any such t. */
static bool holds_far_out(const question *q, const qkv__node *proposition, int64_t least,
                          qkv__verdict verdict, qkv__finding *finding)
{
    const qkv__node *limit = q->circumstances->item[q->limit].node;
    const qkv__node *far = bound(&q->model->algebra.arena, limit, least);
    qkv__circumstances circumstances = *q->circumstances;
    qkv__finding one = {.engine = ""};
    if (far == NULL || proposition == NULL) return false;
    circumstances.item[q->limit] = (qkv__circumstance){.kind = QKV__CONDITION_RANGE, .node = far};
    q->decide(q->model, proposition, &circumstances, &one);
    if (one.verdict != QKV__PROVED || one.empty) {
        qkv__finding_free(&one);
        return false;
    }
    one.verdict = verdict;
    qkv__text_format(&one.reason, "%s%s for all %s >= %lld.", one.reason.length > 0 ? " " : "",
                     verdict == QKV__PROVED ? "It holds" : "The opposite holds",
                     limit->child[0]->text, (long long)least);
    qkv__finding_free(finding);
    *finding = one;
    return true;
}

bool qkv__decide_eventually(qkv__model *model, const qkv__node *proposition,
                            const qkv__circumstances *circumstances, qkv__decider *decide,
                            qkv__finding *finding)
{
    const question q = {model, circumstances, decide, growing_limit(circumstances)};
    if (q.limit == circumstances->count || !is_order(proposition)) return false;
    const qkv__node *contrary = opposite(&model->algebra.arena, proposition);
    for (size_t i = 0; i < sizeof far_out / sizeof far_out[0]; i++)
        if (holds_far_out(&q, proposition, far_out[i], QKV__PROVED, finding) ||
            holds_far_out(&q, contrary, far_out[i], QKV__REFUTED, finding))
            return true;
    return false;
}
