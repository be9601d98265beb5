/* Some member does: a member that is named does, or all of them do on average. Knows index sets and
 * premises; which engine decides is left to the caller. */
#include "claim/some.h"

#include <assert.h>

#include "claim/model/evaluate.h"
#include "claim/model/index_set.h"
#include "language/chance_call.h"
#include "language/tree.h"

typedef struct some_question {
    const qkv__node *wanted;
    qkv__verdict (*decide)(qkv__situation *, const qkv__node *);
    bool found; /* a named member does */
    bool all;   /* all that were asked do */
} some_question;

/* One member. That one of the rest does proves nothing yet, since there may be no rest. */
static bool ask_member(qkv__situation *s, void *context)
{
    some_question *q = context;
    assert(s->locals != NULL && s->locals->value.kind == QKV__VALUE_INDEX);
    qkv__scope scope = qkv__situation_open(s);
    s->weakened = true;
    bool proved = q->decide(s, q->wanted) == QKV__PROVED;
    qkv__situation_close(s, &scope);
    q->found = proved && s->locals->value.member != QKV__GENERIC;
    q->all = q->all && proved;
    if (!proved && s->finding->culprit == NULL) qkv__finding_free(s->finding);
    return !q->found && s->finding->culprit == NULL;
}

/* Whether the domain has a member, whatever the parameters. */
static bool has_member(qkv__situation *s, const qkv__node *domain)
{
    qkv__index_set *set;
    qkv__failure failure = {0};
    bool left_out[QKV__MARKS + 1];
    const qkv__node *culprit;
    qkv__evaluation e = {
        .model = s->model, .locals = s->locals, .failure = &failure, .culprit = &culprit};
    if (!qkv__evaluate_domain(&e, domain, &set, left_out)) return false;
    for (size_t i = 0; i < set->mark_count; i++)
        if (!left_out[i]) return true;
    return !left_out[QKV__MARKS] && qkv__set_has_rest(s->model, set);
}

static qkv__node *make(qkv__situation *s, const qkv__node *like, qkv__node_kind kind,
                       const char *text, const qkv__node *left, const qkv__node *right)
{
    const qkv__node named = {.place = like->place, .text = text};
    const qkv__node *child[] = {left, right};
    return qkv__node_like(&s->model->algebra.arena, &named, kind, child, right == NULL ? 1 : 2);
}

/* x >= y for some index, if the sum of x - y over all of them is not negative. */
static qkv__verdict decide_on_average(qkv__situation *s, const qkv__node *domain,
                                      const some_question *q)
{
    const qkv__node *compare = q->wanted;
    bool less = compare->comparison == QKV__LESS || compare->comparison == QKV__LESS_OR_EQUAL;
    bool strict = compare->comparison == QKV__LESS || compare->comparison == QKV__GREATER;
    const qkv__node *zero =
        qkv__node_number(&s->model->algebra.arena, qkv__rational_whole(0), compare->place);
    if (zero == NULL) return QKV__UNDECIDED;
    qkv__node *margin = make(s, compare, QKV__NODE_SUBTRACT, "", compare->child[less ? 1 : 0],
                             compare->child[less ? 0 : 1]);
    qkv__node *sum = make(s, compare, QKV__NODE_SUM, domain->child[0]->text, margin, domain);
    qkv__node *total = make(s, compare, QKV__NODE_COMPARE, "",
                            make(s, compare, QKV__NODE_CALL, "sum", sum, NULL), zero);
    if (total == NULL) return QKV__UNDECIDED;
    total->comparison = strict ? QKV__GREATER : QKV__GREATER_OR_EQUAL;
    qkv__scope scope = qkv__situation_open(s);
    s->weakened = true;
    qkv__verdict verdict = q->decide(s, total);
    qkv__situation_close(s, &scope);
    qkv__finding_free(s->finding);
    if (verdict != QKV__PROVED) return QKV__UNDECIDED;
    qkv__situation_say(s, "It holds on average over the indexes, and so for one of them.");
    return qkv__situation_conclude(s, QKV__PROVED, "exact");
}

static bool is_inequality(const qkv__node *node)
{
    return node->kind == QKV__NODE_COMPARE &&
           (node->comparison == QKV__LESS || node->comparison == QKV__LESS_OR_EQUAL ||
            node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL);
}

qkv__verdict qkv__decide_some(qkv__situation *s, const qkv__node *domain, const qkv__node *wanted,
                              qkv__verdict (*decide)(qkv__situation *, const qkv__node *))
{
    assert(qkv__node_is_domain(domain));
    qkv__failure failure = {0};
    some_question q = {.wanted = wanted, .decide = decide, .all = true};
    if (s->limit_count > 0 || s->has_tolerance || qkv__speaks_of_chance(wanted))
        return qkv__situation_undecided(s, "'exists' over indexes in a limit is not decided");
    bool asked = qkv__situation_each_index(s, domain, ask_member, &q, &failure);
    if (q.found) return QKV__PROVED;
    if (!asked && failure.trouble != QKV__TROUBLE_NONE)
        return qkv__situation_failed(s, &failure, domain);
    if (s->finding->culprit != NULL) return QKV__UNDECIDED;
    if (q.all && has_member(s, domain)) return QKV__PROVED;
    qkv__finding_free(s->finding);
    if (is_inequality(wanted) && has_member(s, domain) &&
        decide_on_average(s, domain, &q) == QKV__PROVED)
        return QKV__PROVED;
    return qkv__situation_undecided(s, "no single member is certain to do it");
}
