/* Limits of attention by those of its weights: what a claim is about, whether everything else is
 * held fixed, and the claim asked again. Knows nothing of how it is then decided. */
#include "claim/limiting/limiting.h"

#include <string.h>

#include "base/memory.h"
#include "claim/limiting/limiting_part.h"
#include "claim/model/limits.h"
#include "language/builtin.h"
#include "language/tree.h"
#include "language/write.h"

enum { ARENA = 32 << 20 };

/* ---- What is held fixed -------------------------------------------------------------- */

static bool is_name(const qkv__node *node, const char *name)
{
    return node->kind == QKV__NODE_NAME && strcmp(node->text, name) == 0;
}

static bool is_number(const qkv__node *node, int *sign)
{
    const bool minus = node->kind == QKV__NODE_NEGATE;
    if (minus) node = node->child[0];
    if (node->kind != QKV__NODE_NUMBER) return false;
    *sign = qkv__rational_sign(node->value) * (minus ? -1 : 1);
    return true;
}

/* Takes a bound of the moving parameter by a number, which ties nothing to it. */
static bool take_bound(qkv__limiting *l, const qkv__node *premise)
{
    int sign;
    if (premise->kind == QKV__NODE_AND)
        return take_bound(l, premise->child[0]) && take_bound(l, premise->child[1]);
    if (premise->kind != QKV__NODE_COMPARE || premise->comparison < QKV__LESS ||
        premise->comparison > QKV__GREATER_OR_EQUAL)
        return false;
    const bool first = is_name(premise->child[0], l->moving);
    if (!is_name(premise->child[first ? 0 : 1], l->moving) ||
        !is_number(premise->child[first ? 1 : 0], &sign))
        return false;
    const qkv__comparison comparison =
        first ? premise->comparison : qkv__comparison_mirror(premise->comparison);
    if (comparison == QKV__GREATER || comparison == QKV__GREATER_OR_EQUAL)
        l->positive = l->positive || sign > 0 || (sign == 0 && comparison == QKV__GREATER);
    return true;
}

/* Whether a premise leaves everything but the moving parameter where it is. */
static bool take_premise(qkv__limiting *l, const qkv__node *premise)
{
    if (l->moving == NULL) return true;
    const qkv__node *expanded = qkv__tree_expand(l->q, premise);
    if (expanded == NULL) return false;
    return qkv__limiting_is_fixed(l, expanded) || take_bound(l, expanded);
}

/* The same of the problem: no length, size or dimension is made of the moving parameter. */
static bool take_statement(qkv__limiting *l, const qkv__statement *s)
{
    const bool given = s->kind == QKV__STATEMENT_GIVEN || s->kind == QKV__STATEMENT_ASSUME;
    const bool declared = s->kind == QKV__STATEMENT_FAMILY || s->kind == QKV__STATEMENT_PICK ||
                          (s->kind == QKV__STATEMENT_OBJECT && strcmp(s->text, "scalar") != 0);
    for (size_t i = 0; i < s->count; i++) {
        if (given && !take_premise(l, s->node[i])) return false;
        if (declared && !qkv__limiting_is_fixed(l, s->node[i])) return false;
    }
    return true;
}

static bool take_problem(qkv__limiting *l)
{
    for (const qkv__statement *s = l->q->model->statements; s != NULL; s = qkv__statement_after(s))
        if (!take_statement(l, s)) return false;
    for (size_t i = 0; i < l->q->model->premise_count; i++)
        if (!take_premise(l, l->q->model->premise[i])) return false;
    return true;
}

/* as beta -> inf, as T -> 0: one limit of one letter. */
static bool take_limit(qkv__limiting *l, const qkv__node *limit)
{
    int sign = 1;
    if (l->moving != NULL || limit->child[0]->kind != QKV__NODE_NAME) return false;
    l->moving = limit->child[0]->text;
    l->infinite = limit->child[1]->kind == QKV__NODE_INFINITY;
    l->positive = l->infinite;
    return l->infinite || (is_number(limit->child[1], &sign) && sign == 0);
}

static bool take_conditions(qkv__limiting *l, const qkv__circumstances *circumstances)
{
    if (circumstances->too_many) return false;
    for (size_t i = 0; i < circumstances->count; i++) {
        const qkv__circumstance *item = &circumstances->item[i];
        if (item->kind == QKV__CONDITION_EXPECT) continue;
        if (item->kind == QKV__CONDITION_WITHIN || item->node == NULL) return false;
        if (item->kind == QKV__CONDITION_LIMIT
                ? !take_limit(l, item->node)
                : !qkv__circumstances_put(&l->premises, item->kind, item->node))
            return false;
    }
    for (size_t i = 0; i < l->premises.count; i++) {
        const qkv__node *node = l->premises.item[i].node;
        if (!take_premise(l, node)) return false;
        if (l->premises.item[i].kind == QKV__CONDITION_RANGE && qkv__node_is_domain(node) &&
            node->child[0]->kind == QKV__NODE_NAME) {
            if (l->bound_count == QKV__LIMITING_BOUNDS) return false;
            l->bound[l->bound_count++] = node;
        }
    }
    return true;
}

/* ---- Indexes ------------------------------------------------------------------------- */

static bool is_picked(const qkv__limiting *l, const char *name)
{
    for (const qkv__statement *s = l->q->model->statements; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; s->kind == QKV__STATEMENT_PICK && i + 1 < s->count; i++)
            if (is_name(s->node[i], name)) return true;
    return false;
}

static void take_index(qkv__limiting *l, const qkv__node *index)
{
    if (index->kind == QKV__NODE_NAME ? !is_picked(l, index->text)
                                      : index->kind != QKV__NODE_NUMBER)
        return;
    for (size_t i = 0; i < l->index_count; i++)
        if (qkv__limiting_same(l, l->index[i], index) == 1) return;
    if (l->index_count < QKV__LIMITING_INDEXES) l->index[l->index_count++] = index;
}

/* The indexes that a tree names: the largest score may be that of one of them. */
static void take_indexes(qkv__limiting *l, const qkv__node *node)
{
    if (node->kind == QKV__NODE_INDEX && node->count == 2) take_index(l, node->child[1]);
    for (size_t i = 0; i < node->count; i++) take_indexes(l, node->child[i]);
}

static void take_all_indexes(qkv__limiting *l, const qkv__node *proposition)
{
    for (size_t i = 0; i < l->premises.count; i++) take_indexes(l, l->premises.item[i].node);
    for (const qkv__statement *s = l->q->model->statements; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; s->kind == QKV__STATEMENT_GIVEN && i < s->count; i++)
            take_indexes(l, s->node[i]);
    take_indexes(l, proposition);
}

static bool is_used(const qkv__limiting *l, const char *name, const qkv__node *proposition)
{
    if (qkv__node_names(proposition, name)) return true;
    for (size_t i = 0; i < l->premises.count; i++)
        if (qkv__node_names(l->premises.item[i].node, name)) return true;
    for (const qkv__statement *s = l->q->model->statements; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; !qkv__statement_is_entry(s) && i < s->count; i++)
            if (s->kind == QKV__STATEMENT_PICK || s->kind == QKV__STATEMENT_FAMILY ||
                        s->kind == QKV__STATEMENT_OBJECT
                    ? qkv__node_names(s->node[i], name)
                    : i == 0 && is_name(s->node[i], name))
                return true;
    return false;
}

static bool take_letter(qkv__limiting *l, const qkv__node *proposition)
{
    static const char *const letters[] = {"i", "j", "l", "m", "r"};
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (!is_used(l, letters[i], proposition)) {
            l->letter = letters[i];
            return true;
        }
    return false;
}

/* ---- The claim ----------------------------------------------------------------------- */

/* What the claim is asked as. */
typedef struct question {
    const qkv__node *proposition;
    bool one_way; /* it implies the claim; that it fails says nothing */
} question;

/* x ~ y is x = y of the limits; x < y holds eventually if it holds of them. */
static const qkv__node *rewrite_comparison(qkv__limiting *l, const qkv__node *node, question *asked)
{
    const bool less = node->comparison == QKV__LESS || node->comparison == QKV__LESS_OR_EQUAL;
    const bool more = node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL;
    if (!less && !more && node->comparison != QKV__EQUAL && node->comparison != QKV__NEAR)
        return NULL;
    const qkv__node *x = qkv__limiting_rewrite(l, node->child[0]);
    const qkv__node *y = x == NULL ? NULL : qkv__limiting_rewrite(l, node->child[1]);
    qkv__node *made = y == NULL ? NULL
                                : (qkv__node *)(uintptr_t)qkv__tree_make(l->q, QKV__NODE_COMPARE,
                                                                         node->text, x, y);
    if (made == NULL) return NULL;
    made->comparison = node->comparison;
    if (l->moving == NULL) return made;
    if (less || more) {
        if (!qkv__limiting_is_fixed(l, made)) return NULL;
        made->comparison = less ? QKV__LESS : QKV__GREATER;
        asked->one_way = true;
    }
    return made;
}

static const qkv__node *rewrite_claim(qkv__limiting *l, const qkv__node *node, question *asked)
{
    const qkv__node *x, *y;
    switch (node->kind) {
    case QKV__NODE_COMPARE: return rewrite_comparison(l, node, asked);
    case QKV__NODE_AND:
        x = rewrite_claim(l, node->child[0], asked);
        y = x == NULL ? NULL : rewrite_claim(l, node->child[1], asked);
        return y == NULL ? NULL : qkv__tree_make(l->q, QKV__NODE_AND, "", x, y);
    case QKV__NODE_FOR_ALL:
        if (node->count != 2 || !qkv__node_is_domain(node->child[0]) ||
            node->child[0]->child[0]->kind != QKV__NODE_NAME ||
            !qkv__limiting_is_fixed(l, node->child[0]) || l->bound_count == QKV__LIMITING_BOUNDS)
            return NULL;
        l->bound[l->bound_count++] = node->child[0];
        l->own_count++;
        y = rewrite_claim(l, node->child[1], asked);
        l->bound_count--;
        l->own_count--;
        return y == NULL ? NULL : qkv__tree_make(l->q, QKV__NODE_FOR_ALL, "", node->child[0], y);
    default: return NULL;
    }
}

/* In a limit that nothing moves in any more, x ~ y is x = y. */
static const qkv__node *as_equation(qkv__limiting *l, const qkv__node *node)
{
    const qkv__node *x, *y;
    if (node->kind == QKV__NODE_COMPARE) {
        qkv__node *made = (qkv__node *)(uintptr_t)qkv__tree_make(
            l->q, QKV__NODE_COMPARE, node->text, node->child[0], node->child[1]);
        if (made != NULL)
            made->comparison = node->comparison == QKV__NEAR ? QKV__EQUAL : node->comparison;
        return made;
    }
    const bool both = node->kind == QKV__NODE_AND;
    x = both ? as_equation(l, node->child[0]) : node->child[0];
    y = as_equation(l, node->child[1]);
    return x == NULL || y == NULL ? NULL : qkv__tree_make(l->q, node->kind, node->text, x, y);
}

/* ---- What is told -------------------------------------------------------------------- */

static void tell_shares(const qkv__weights *w, qkv__text *reason)
{
    const size_t parts = w->count + (w->sunk ? 1 : 0);
    qkv__text keys = {0};
    for (size_t i = 0; i < w->count; i++) {
        if (i > 0) qkv__text_format(&keys, "%s", i + 1 < w->count ? ", " : " and ");
        qkv__node_write(w->key[i], &keys);
    }
    if (w->count == 0)
        qkv__text_format(reason, "The sink exceeds all scores by a margin that grows without "
                                 "bound, so all weights tend to 0. ");
    else if (keys.data != NULL && parts == 1)
        qkv__text_format(reason,
                         "The score of key %s exceeds all others%s by a margin that grows without "
                         "bound, so its weight tends to 1 and theirs to 0. ",
                         keys.data, w->sink != NULL ? " and the sink" : "");
    else if (keys.data != NULL)
        qkv__text_format(reason,
                         "%s %s %s the same score%s, which exceeds all others%s by a margin that "
                         "grows without bound, so the weight of %s tends to 1/%zu. ",
                         w->count > 1 ? "Keys" : "Key", keys.data, w->count > 1 ? "have" : "has",
                         w->sunk ? " as the sink" : "",
                         w->sink != NULL && !w->sunk ? " and the sink" : "",
                         w->count > 1 ? "each" : "that key", parts);
    qkv__text_free(&keys);
}

static void tell_lemmas(const qkv__limiting *l, qkv__text *reason)
{
    bool told[QKV__WEIGHTS_EQUAL + 1] = {false};
    for (size_t i = 0; i < l->known_count; i++) {
        const qkv__weights *w = &l->known[i];
        if (told[w->kind]) continue;
        told[w->kind] = true;
        if (w->kind == QKV__WEIGHTS_SHARED) tell_shares(w, reason);
        if (w->kind == QKV__WEIGHTS_EVEN)
            qkv__text_format(reason, "All scores tend to 0, so all weights become equal. ");
        if (w->kind == QKV__WEIGHTS_EQUAL)
            qkv__text_format(reason, l->tied ? "If all scores are equal, so are all weights. "
                                             : "All scores are equal, and so are all weights. ");
    }
    if (l->beaten)
        qkv__text_format(reason, "A key that falls behind another one, or behind the sink, by a "
                                 "margin that grows without bound loses its weight. ");
    if (l->most) qkv__text_format(reason, "Only the keys with the largest score keep any weight. ");
    if (l->total)
        qkv__text_format(reason,
                         "Some score exceeds the sink by a margin that grows without bound, "
                         "so the weights sum to 1 in the limit. ");
    if (l->log_sums)
        qkv__text_format(reason,
                         "The logarithm of n exponentials exceeds the largest exponent by at "
                         "most ln(n). ");
}

static void tell(const qkv__limiting *l, const question *asked, const qkv__finding *answer,
                 qkv__finding *finding)
{
    qkv__finding_free(finding);
    *finding = (qkv__finding){.verdict = answer->verdict, .engine = answer->engine};
    const qkv__node *node = asked->proposition;
    tell_lemmas(l, &finding->reason);
    if (l->moving != NULL && !l->tied && node->kind == QKV__NODE_COMPARE &&
        qkv__limiting_is_fixed(l, node->child[0])) {
        qkv__text_format(&finding->found, "-> ");
        qkv__node_write(node->child[0], &finding->found);
    }
    if (answer->verdict == QKV__REFUTED && answer->reason.length > 0)
        qkv__text_format(&finding->reason, "%s", answer->reason.data);
    while (finding->reason.length > 0 && finding->reason.data[finding->reason.length - 1] == ' ')
        finding->reason.data[--finding->reason.length] = '\0';
}

/* ---- Questions ----------------------------------------------------------------------- */

/* Asks the claim with the limits of weights in it. */
static bool ask(qkv__limiting *l, const qkv__node *claim, const qkv__circumstances *circumstances,
                qkv__finding *finding)
{
    question asked = {0};
    l->identical = true;
    asked.proposition = rewrite_claim(l, claim, &asked);
    if (asked.proposition == NULL || l->put_count == 0) return false;
    const bool fixed = qkv__limiting_is_fixed(l, asked.proposition);
    if (!fixed && l->slow) return false;
    if (l->moving == NULL && !l->identical) return false;
    qkv__circumstances conditions = l->premises;
    for (size_t i = 0; !fixed && i < circumstances->count; i++)
        if (circumstances->item[i].kind == QKV__CONDITION_LIMIT &&
            !qkv__circumstances_put(&conditions, QKV__CONDITION_LIMIT, circumstances->item[i].node))
            return false;
    if (l->moving != NULL && fixed &&
        (asked.proposition = as_equation(l, asked.proposition)) == NULL)
        return false;
    qkv__finding answer = {.engine = ""};
    qkv__decider *again = l->moving == NULL ? l->deciders->lemma : l->deciders->again;
    again(l->q->model, asked.proposition, &conditions, &answer);
    const bool proved = answer.verdict == QKV__PROVED && !l->tied;
    const bool refuted = answer.verdict == QKV__REFUTED && !asked.one_way;
    if (proved || refuted) tell(l, &asked, &answer, finding);
    qkv__finding_free(&answer);
    return proved || refuted;
}

/* (p implies q) is q given p. */
static const qkv__node *take_implication(qkv__limiting *l, const qkv__node *node)
{
    while (node->kind == QKV__NODE_IMPLIES) {
        if (!take_premise(l, node->child[0]) ||
            !qkv__circumstances_put(&l->premises, QKV__CONDITION_GIVEN, node->child[0]))
            return NULL;
        node = node->child[1];
    }
    return node;
}

/* ---- Ties ---------------------------------------------------------------------------- */

/* |x - y| > 10^-18: an example on which that fails has sides that are equal, if they may be. */
static const qkv__node *is_apart(qkv__limiting *l, const qkv__node *comparison)
{
    const qkv__node *difference =
        qkv__tree_make(l->q, QKV__NODE_SUBTRACT, "", comparison->child[0], comparison->child[1]);
    const qkv__node *size =
        difference == NULL ? NULL : qkv__tree_make(l->q, QKV__NODE_SIZE, "", difference, NULL);
    qkv__node *least = (qkv__node *)(uintptr_t)qkv__tree_number(l->q, 1);
    if (least != NULL) least->value = (qkv__rational){1, INT64_C(1000000000000000000)};
    qkv__node *made =
        size == NULL || least == NULL
            ? NULL
            : (qkv__node *)(uintptr_t)qkv__tree_make(l->q, QKV__NODE_COMPARE, "", size, least);
    if (made != NULL) made->comparison = QKV__GREATER;
    return made;
}

/* The example that a search gives, without what it says of the two sides. */
static void tell_example(const qkv__finding *example, qkv__text *reason)
{
    const char *end = example->reason.data == NULL ? NULL : strstr(example->reason.data, ": ");
    if (end != NULL)
        qkv__text_format(reason, " %.*s.", (int)(end - example->reason.data), example->reason.data);
}

/* x < y, x > y or x != y, of sides that are the same where all scores are equal: with all scores
 * equal, which some example must be. */
static bool refute_by_tie(qkv__limiting *l, const qkv__node *claim, qkv__finding *finding)
{
    if (claim->kind != QKV__NODE_COMPARE ||
        (claim->comparison != QKV__LESS && claim->comparison != QKV__GREATER &&
         claim->comparison != QKV__NOT_EQUAL))
        return false;
    l->tied = true;
    const qkv__node *x = qkv__limiting_rewrite(l, claim->child[0]);
    const qkv__node *y = x == NULL ? NULL : qkv__limiting_rewrite(l, claim->child[1]);
    qkv__node *same =
        y == NULL || l->put_count == 0
            ? NULL
            : (qkv__node *)(uintptr_t)qkv__tree_make(l->q, QKV__NODE_COMPARE, "", x, y);
    const qkv__node *apart = is_apart(l, claim);
    if (same == NULL || apart == NULL) return false;
    same->comparison = QKV__EQUAL;
    qkv__finding answer = {.engine = ""}, example = {.engine = ""};
    l->deciders->lemma(l->q->model, same, &l->premises, &answer);
    if (answer.verdict == QKV__PROVED)
        l->deciders->search(l->q->model, apart, &l->premises, &example);
    const bool refuted = example.verdict == QKV__REFUTED && example.replayed > 0;
    if (refuted) {
        qkv__finding_free(finding);
        *finding = (qkv__finding){
            .verdict = QKV__REFUTED, .engine = example.engine, .replayed = example.replayed};
        qkv__text_format(&finding->reason,
                         "If all scores are equal, so are all weights, and both sides are ");
        qkv__node_write(x, &finding->reason);
        qkv__text_format(&finding->reason, ".");
        tell_example(&example, &finding->reason);
    }
    qkv__finding_free(&answer);
    qkv__finding_free(&example);
    return refuted;
}

/* ---- The engine ---------------------------------------------------------------------- */

static bool decide(qkv__limiting *l, const qkv__node *proposition,
                   const qkv__circumstances *circumstances, qkv__finding *finding)
{
    if (!take_conditions(l, circumstances) || !take_problem(l)) return false;
    proposition = take_implication(l, proposition);
    const qkv__node *claim = proposition == NULL ? NULL : qkv__tree_expand(l->q, proposition);
    if (claim == NULL || !take_letter(l, claim)) return false;
    take_all_indexes(l, claim);
    const qkv__limiting before = *l;
    if (ask(l, claim, circumstances, finding)) return true;
    *l = before;
    if (l->moving == NULL) return refute_by_tie(l, claim, finding);
    l->tied = true; /* a special case, which can only refute */
    return ask(l, claim, circumstances, finding);
}

static bool has_limit(const qkv__circumstances *circumstances)
{
    for (size_t i = 0; i < circumstances->count; i++)
        if (circumstances->item[i].kind == QKV__CONDITION_LIMIT) return true;
    return false;
}

bool qkv__limiting_decide(qkv__model *model, const qkv__node *proposition,
                          const qkv__circumstances *circumstances,
                          const qkv__limiting_deciders *deciders, qkv__finding *finding)
{
    if (model->chance_count > 0 || model->noise != 0 || model->scale_count > 0 || model->trying ||
        model->tables != NULL || qkv__limits_spent(model->limits) ||
        (model->in_case && !has_limit(circumstances)))
        return false;
    qkv__inequality *q = qkv__allocate(sizeof *q);
    qkv__limiting *l = qkv__allocate(sizeof *l);
    bool decided = false;
    if (q != NULL && l != NULL) {
        memset(q, 0, sizeof *q);
        memset(l, 0, sizeof *l);
        q->model = model;
        q->claim = proposition;
        q->algebra.arena.limit = ARENA;
        l->q = q;
        l->deciders = deciders;
        decided = decide(l, proposition, circumstances, finding) ||
                  qkv__limiting_squeeze(l, proposition, circumstances, finding);
        qkv__arena_free(&q->algebra.arena);
    }
    qkv__free(l);
    qkv__free(q);
    return decided;
}
