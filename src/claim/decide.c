/* Propositions to verdicts: conditions are taken, what is put together by and, or, not, implies
 * and quantifiers is taken apart, and comparisons are handed on. Knows nothing of documents or of
 * printing. */
#include "claim/decide.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "claim/cases.h"
#include "claim/chance/chance.h"
#include "claim/compare/limit_compare.h"
#include "claim/engine.h"
#include "claim/draws.h"
#include "claim/extremes.h"
#include "claim/model/definition.h"
#include "claim/model/evaluate.h"
#include "claim/parts.h"
#include "claim/premise/assume.h"
#include "claim/premise/conditions.h"
#include "claim/premise/gap.h"
#include "claim/premise/order.h"
#include "claim/premise/possible.h"
#include "claim/premise/reach.h"
#include "claim/premise/situation.h"
#include "claim/slopes.h"
#include "claim/some.h"
#include "language/write.h"
#include "language/builtin.h"
#include "language/chance_call.h"
#include "language/tree.h"

static qkv__verdict decide(qkv__situation *s, const qkv__node *node);

/* ---- Negation ------------------------------------------------------------------------ */

static qkv__node *new_node(qkv__situation *s, const qkv__node *like, qkv__node_kind kind,
                           const qkv__node *const *children, size_t count)
{
    return qkv__node_like(&s->model->algebra.arena, like, kind, children, count);
}

static bool is_interval(const qkv__node *node)
{
    return node->kind == QKV__NODE_COMPARE &&
           (node->comparison == QKV__IN || node->comparison == QKV__NOT_IN) &&
           node->child[1]->kind == QKV__NODE_RANGE;
}

static const qkv__node *comparison_of(qkv__situation *s, const qkv__node *like,
                                      qkv__comparison comparison, const qkv__node *left,
                                      const qkv__node *right)
{
    const qkv__node *sides[] = {left, right};
    qkv__node *made = new_node(s, like, QKV__NODE_COMPARE, sides, 2);
    if (made != NULL) made->comparison = comparison;
    return made;
}

/* x not in l .. u: x < l or x > u. */
static const qkv__node *outside(qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    const qkv__node *x = node->child[0], *range = node->child[1], *sides[2];
    sides[0] = comparison_of(s, node, QKV__LESS, x, range->child[0]);
    sides[1] = comparison_of(s, node, QKV__GREATER, x, range->child[1]);
    if (sides[0] == NULL || sides[1] == NULL) return NULL;
    return new_node(s, node, QKV__NODE_OR, sides, 2);
}

/* Whether a part of a claim means "up to the tolerance", or "in the limit": a premise is taken to
 * the letter, so that its negation cannot become one. */
static bool is_loose(const qkv__situation *s, const qkv__node *node)
{
    if (!s->has_tolerance && s->limit_count == 0) return false;
    if (node->kind == QKV__NODE_COMPARE)
        return node->comparison == QKV__EQUAL || node->comparison == QKV__NOT_EQUAL ||
               node->comparison == QKV__NEAR;
    for (size_t i = 0; i < node->count; i++)
        if (is_loose(s, node->child[i])) return true;
    return false;
}

/*
 * The proposition that holds exactly where this one does not, with `not` pushed inward: a claim is
 * meant for all that is free, so that `not p` is no matter of p's verdict. NULL when there is none
 * without `not`.
 */
static const qkv__node *negate(qkv__situation *s, const qkv__node *node)
{
    const qkv__node *both[2];
    qkv__comparison other;
    switch (node->kind) {
    case QKV__NODE_NOT: return node->child[0];
    case QKV__NODE_COMPARE: {
        if (is_interval(node) && node->comparison == QKV__IN) return outside(s, node);
        return qkv__comparison_opposite(node->comparison, &other)
                   ? comparison_of(s, node, other, node->child[0], node->child[1])
                   : NULL;
    }
    case QKV__NODE_AND:
    case QKV__NODE_OR:
        for (int i = 0; i < 2; i++)
            if ((both[i] = negate(s, node->child[i])) == NULL) return NULL;
        return new_node(s, node, node->kind == QKV__NODE_AND ? QKV__NODE_OR : QKV__NODE_AND, both,
                        2);
    case QKV__NODE_IMPLIES:
        if (is_loose(s, node->child[0])) return NULL; /* as a premise it was meant to the letter */
        both[0] = node->child[0];
        both[1] = negate(s, node->child[1]);
        return both[1] == NULL ? NULL : new_node(s, node, QKV__NODE_AND, both, 2);
    default: return NULL;
    }
}

/* not exists: an answer refutes it; that there is none, whatever the rest, proves it. */
static qkv__verdict decide_not_exists(qkv__situation *s, const qkv__node *node)
{
    qkv__verdict verdict = decide(s, node);
    if (verdict == QKV__PROVED) return QKV__REFUTED;
    if (verdict == QKV__REFUTED && s->finding->uniform) return QKV__PROVED;
    return qkv__situation_undecided(
        s, "there is none for some choices of the free variables; whether for all is open");
}

static qkv__verdict decide_not(qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_NOT);
    const qkv__node *inside = node->child[0];
    if (inside->kind == QKV__NODE_COMPARE && inside->comparison == QKV__NEAR)
        return qkv__compare_not_near(s, inside);
    if (inside->kind == QKV__NODE_EXISTS) return decide_not_exists(s, inside);
    if (inside->kind == QKV__NODE_FOR_ALL && inside->count == 2 &&
        qkv__node_is_domain(inside->child[0])) {
        const qkv__node *wanted = negate(s, inside->child[1]);
        if (wanted != NULL) return qkv__decide_some(s, inside->child[0], wanted, decide);
    }
    const qkv__node *negated = negate(s, inside);
    if (negated == NULL) return qkv__situation_undecided(s, "this negation cannot be decided");
    return decide(s, negated);
}

/* ---- Implication --------------------------------------------------------------------- */

/* The conclusion under the premise; false when the premise could not be taken. `never` is what to
 * say where the premise cannot hold. */
static bool decide_under(qkv__situation *s, const qkv__node *premise, const qkv__node *conclusion,
                         const char *never, qkv__verdict *verdict)
{
    qkv__scope scope = qkv__situation_open(s);
    qkv__premise taken = qkv__situation_assume(s, premise);
    if (taken == QKV__PREMISE_TAKEN && qkv__situation_is_impossible(s)) taken = QKV__PREMISE_NEVER;
    if (taken == QKV__PREMISE_NEVER) {
        qkv__situation_say(s, never);
        *verdict = qkv__situation_conclude(s, QKV__PROVED, "exact");
    } else if (taken == QKV__PREMISE_TAKEN) {
        bool outer = s->supposed;
        s->supposed = true;
        *verdict = decide(s, conclusion);
        s->supposed = outer;
    }
    qkv__situation_close(s, &scope);
    return taken != QKV__PREMISE_NOT_TAKEN;
}

/* What the premise is about is beyond the engines: the conclusion may hold all the same, or the
 * premise may always hold. */
static qkv__verdict decide_apart(qkv__situation *s, const qkv__node *premise,
                                 const qkv__node *conclusion)
{
    qkv__scope scope = qkv__situation_open(s);
    bool outer = s->supposed;
    s->supposed = true;
    s->veiled = s->veiled || qkv__random_is_about(s, premise);
    qkv__situation_leave_out(s, premise);
    qkv__verdict verdict = decide(s, conclusion);
    s->supposed = outer;
    qkv__situation_close(s, &scope);
    if (verdict == QKV__PROVED || s->finding->culprit != NULL) return verdict;
    qkv__finding_free(s->finding); /* what it said of a part is not of the whole */
    if (s->limit_count > 0)        /* what holds in the limit need not hold on the way */
        return qkv__situation_undecided(s, "the premise is beyond the engines");
    bool always = decide(s, premise) == QKV__PROVED;
    qkv__finding_free(s->finding);
    if (always) return decide(s, conclusion);
    return qkv__situation_undecided(s, "the premise is beyond the engines");
}

static const char never_holds[] = "The premise never holds.";

bool qkv__says_never(const qkv__finding *finding)
{
    return finding->reason.data != NULL && strstr(finding->reason.data, never_holds) != NULL;
}

void qkv__leave_out_never(qkv__finding *finding)
{
    while (qkv__says_never(finding)) {
        const char *data = finding->reason.data;
        size_t from = (size_t)(strstr(data, never_holds) - data);
        size_t to = from + strlen(never_holds);
        if (data[to] == ' ')
            to++;
        else if (from > 0 && data[from - 1] == ' ')
            from--;
        qkv__text_take_out(&finding->reason, from, to);
    }
}

/* Where more is said of a proof, the premise did hold somewhere: it never does where i is j. */
static void tell_never(qkv__finding *finding)
{
    const size_t once = strlen(never_holds);
    if (finding->verdict == QKV__PROVED && qkv__says_never(finding) &&
        finding->reason.length > once)
        qkv__leave_out_never(finding);
}

static qkv__verdict decide_implies(qkv__situation *s, const qkv__node *premise,
                                   const qkv__node *conclusion)
{
    qkv__verdict verdict = QKV__UNDECIDED;
    if (decide_under(s, premise, conclusion, never_holds, &verdict)) return verdict;
    const qkv__node *other = negate(s, premise), *first = negate(s, conclusion);
    int truth;
    if (s->limit_count == 0 && !qkv__compares_indexes(s, premise, &truth) && other != NULL &&
        first != NULL && !is_loose(s, first) && !is_loose(s, other) &&
        !qkv__speaks_of_chance(premise) &&
        decide_under(s, first, other, "The conclusion always holds.", &verdict))
        return verdict;
    return decide_apart(s, premise, conclusion);
}

/* p or q in a limit: one of them holds in it. Both fail where one fails for every choice of what is
 * free, and the other for some. */
static qkv__verdict decide_or_in_limit(qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_OR);
    bool refuted = true, uniform = false;
    for (int i = 0; i < 2; i++) {
        qkv__finding_free(s->finding); /* what it said of a part is not of the whole */
        s->finding->uniform = false;
        qkv__verdict verdict = decide(s, node->child[i]);
        if (verdict == QKV__PROVED || s->finding->culprit != NULL) return verdict;
        refuted = refuted && verdict == QKV__REFUTED;
        uniform = uniform || (verdict == QKV__REFUTED && s->finding->uniform);
    }
    if (refuted && uniform && !s->weakened)
        return qkv__situation_conclude(s, QKV__REFUTED, "exact");
    qkv__finding_free(s->finding);
    return qkv__situation_undecided(s, "neither side holds by itself");
}

/* p or q: where p does not hold, q must. But P and E are what they are, whether p holds or not. */
static qkv__verdict decide_or(qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_OR);
    qkv__verdict verdict = QKV__UNDECIDED;
    if (s->limit_count > 0) return decide_or_in_limit(s, node);
    for (int i = 0; i < 2; i++) {
        const qkv__node *not_this = negate(s, node->child[i]);
        if (not_this != NULL && !is_loose(s, not_this) &&
            !qkv__speaks_of_chance(node->child[1 - i]) &&
            decide_under(s, not_this, node->child[1 - i], "One side always holds.", &verdict))
            return verdict;
    }
    for (int i = 0; i < 2; i++) {
        qkv__scope scope = qkv__situation_open(s);
        s->weakened = true;
        verdict = decide(s, node->child[i]);
        qkv__situation_close(s, &scope);
        if (verdict == QKV__PROVED || s->finding->culprit != NULL) return verdict;
        qkv__finding_free(s->finding); /* what it said of a part is not of the whole */
    }
    return qkv__situation_undecided(s, "neither side holds by itself");
}

/* ---- Quantifiers --------------------------------------------------------------------- */

typedef struct index_question {
    const qkv__node *proposition;
    size_t at; /* behind the claim: the next of its indexes; else 0 */
    qkv__verdict verdict;
    bool asked; /* there is such an index */
} index_question;

static qkv__verdict decide_all_indices(qkv__situation *s, size_t at, const qkv__node *proposition);

/* What was said of other parts, while one is decided. */
typedef struct said {
    qkv__text reason, found;
} said;

static said set_aside(qkv__situation *s)
{
    said before = {s->finding->reason, s->finding->found};
    s->finding->reason = s->finding->found = (qkv__text){0};
    return before;
}

/* The text that was set aside, in front of the new one. */
static void put_in_front(qkv__text *text, qkv__text before, const char *between)
{
    if (before.length > 0 && text->length > 0) {
        qkv__text_append(&before, between, strlen(between));
        qkv__text_append(&before, text->data, text->length);
    }
    if (before.length > 0) {
        qkv__text_free(text);
        *text = before;
    } else {
        qkv__text_free(&before);
    }
}

/* What refutes a part refutes the whole, and what leaves the first of them open stands for all:
 * what was said of the others is then beside the point. */
static void put_back(qkv__situation *s, said before, qkv__verdict so_far, qkv__verdict verdict)
{
    qkv__finding *finding = s->finding;
    const bool open = verdict != QKV__REFUTED && so_far == QKV__UNDECIDED;
    if (open) {
        qkv__text_free(&finding->reason);
        qkv__text_free(&finding->found);
        finding->reason = before.reason;
        finding->found = before.found;
        return;
    }
    if (verdict == QKV__REFUTED || verdict == QKV__UNDECIDED) {
        qkv__text_free(&before.reason);
        qkv__text_free(&before.found);
        return;
    }
    if (finding->reason.length > 0 && before.reason.length > 0 &&
        strstr(before.reason.data, finding->reason.data) != NULL)
        qkv__text_free(&finding->reason);
    put_in_front(&finding->reason, before.reason, " ");
    put_in_front(&finding->found, before.found, "; ");
}

static bool ask_index(qkv__situation *s, void *context)
{
    index_question *q = context;
    said before = set_aside(s);
    q->asked = true;
    qkv__verdict verdict =
        q->at > 0 ? decide_all_indices(s, q->at, q->proposition) : decide(s, q->proposition);
    put_back(s, before, q->verdict, verdict);
    q->verdict = qkv__verdict_both(q->verdict, verdict);
    return q->verdict != QKV__REFUTED;
}

static qkv__verdict decide_indices(qkv__situation *s, const qkv__node *domain,
                                   const qkv__node *proposition)
{
    qkv__failure failure = {0};
    index_question q = {.proposition = proposition, .verdict = QKV__PROVED};
    if (!qkv__situation_each_index(s, domain, ask_index, &q, &failure) && q.verdict != QKV__REFUTED)
        return qkv__situation_failed(s, &failure, domain);
    if (q.asked) return q.verdict;
    qkv__situation_say(s, "There is no such index.");
    return qkv__situation_conclude(s, QKV__PROVED, "exact");
}

/* The claim for all the indexes that stand behind it. */
static qkv__verdict decide_all_indices(qkv__situation *s, size_t at, const qkv__node *proposition)
{
    if (at == s->index_count) return decide(s, proposition);
    const qkv__node *domain = s->index[at];
    qkv__failure failure = {0};
    index_question q = {.proposition = proposition, .verdict = QKV__PROVED, .at = at + 1};
    if (!qkv__situation_each_index(s, domain, ask_index, &q, &failure) && q.verdict != QKV__REFUTED)
        return qkv__situation_failed(s, &failure, domain);
    if (q.asked) return q.verdict;
    s->finding->empty = true;
    return qkv__situation_undecided(s, "there is no such index: nothing is claimed");
}

static qkv__verdict decide_for_all(qkv__situation *s, const qkv__node *node, size_t first)
{
    assert(node->count >= 1);
    assert(node->kind == QKV__NODE_FOR_ALL);
    if (first + 1 == node->count) return decide(s, node->child[first]);
    const qkv__node *bound = node->child[first];
    if (qkv__node_is_domain(bound)) {
        const qkv__node *rest =
            new_node(s, node, QKV__NODE_FOR_ALL, node->child + first + 1, node->count - first - 1);
        return rest == NULL ? qkv__situation_undecided(s, "out of memory")
                            : decide_indices(s, bound, rest);
    }
    if (bound->kind == QKV__NODE_COMPARE) { /* for all beta > 0: p */
        qkv__scope scope = qkv__situation_open(s);
        qkv__verdict verdict = QKV__UNDECIDED;
        if (!qkv__situation_declare(s, bound))
            verdict = QKV__UNDECIDED;
        else if (qkv__situation_assume(s, bound) == QKV__PREMISE_TAKEN)
            verdict = decide_for_all(s, node, first + 1);
        else
            qkv__situation_undecided(s, "a bound of 'for all' that is not supported");
        qkv__situation_close(s, &scope);
        return verdict;
    }
    qkv__scope scope = qkv__situation_open(s);
    qkv__verdict verdict = qkv__situation_declare(s, bound)
                               ? decide_for_all(s, node, first + 1)
                               : qkv__situation_undecided(s, "the name cannot be declared");
    qkv__situation_close(s, &scope);
    return verdict;
}

/* Whether a condition beside `exists q` speaks of q: the two are not the same, and a reader cannot
 * tell. Bounds of numbers, t >= 1, are taken for the unknown. */
static bool is_conditioned(const qkv__situation *s, const qkv__node *unknown)
{
    for (size_t i = 0; i < s->circumstances->count; i++) {
        const qkv__node *node = s->circumstances->item[i].node;
        bool bound = node != NULL && node->kind == QKV__NODE_COMPARE &&
                     node->comparison != QKV__EQUAL && node->child[0]->kind == QKV__NODE_NAME;
        if (unknown->kind == QKV__NODE_NAME && node != NULL && !bound &&
            qkv__node_names(node, unknown->text))
            return true;
    }
    return false;
}

static qkv__verdict decide_exists(qkv__situation *s, const qkv__node *node)
{
    assert(node->count >= 2);
    assert(node->kind == QKV__NODE_EXISTS);
    for (size_t i = 0; i + 1 < node->count; i++)
        if (is_conditioned(s, node->child[i]))
            return qkv__situation_ill_posed(s, node->child[i],
                                            "a condition after the claim is about the unknown of "
                                            "exists: move it inside, joined by and");
    return qkv__exists(s, node);
}

/* ---- Propositions -------------------------------------------------------------------- */

static qkv__verdict decide_and(qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_AND);
    qkv__verdict first = decide(s, node->child[0]);
    if (first == QKV__REFUTED) return first;
    said before = set_aside(s);
    qkv__verdict second = decide(s, node->child[1]);
    put_back(s, before, first, second);
    return qkv__verdict_both(first, second);
}

/* |x| ~ 0 and |x| = 0 say that of x, whose norm may be beyond the engines. */
static const qkv__node *without_size(qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    const qkv__node *size = node->child[0], *zero = node->child[1];
    bool equal = node->comparison == QKV__EQUAL || node->comparison == QKV__NEAR;
    if (!equal || size->kind != QKV__NODE_SIZE || zero->kind != QKV__NODE_NUMBER ||
        !qkv__rational_is_zero(zero->value) || qkv__model_is_symbolic(s->model, node) ||
        s->model->chance_count > 0 || s->model->noise != 0)
        return node;
    const qkv__node *plain = comparison_of(s, node, node->comparison, size->child[0], zero);
    return plain == NULL ? node : plain;
}

/* Whether a proposition is proved, and by which engine; nothing is told of it. NULL: it is not. */
static const char *prove_quietly(qkv__situation *s, const qkv__node *proposition)
{
    qkv__finding *told = s->finding, quiet = {.engine = ""};
    s->finding = &quiet;
    bool proved = decide(s, proposition) == QKV__PROVED && quiet.culprit == NULL;
    s->finding = told;
    qkv__finding_free(&quiet);
    return proved ? quiet.engine : NULL;
}

/* Whether one index cannot stand for all in a proposition that was made of a comparison: settle.c
 * saw the comparison, and not that. */
static bool needs_cases(const qkv__situation *s, const qkv__node *proposition)
{
    qkv__cases *cases = qkv__allocate(sizeof *cases);
    if (cases == NULL) return true;
    cases->count = 0;
    qkv__cases_of_claim(s->model, proposition, s->circumstances, cases);
    const bool some = cases->count > 0 || cases->too_many || cases->hollow;
    qkv__free(cases);
    return some;
}

/* The engine that proves something from which a comparison follows, and why; NULL: none does. */
static const char *prove_from_others(qkv__situation *s, const qkv__node *node, const char **why)
{
    const bool mixes = qkv__extreme_mixes(s->model, node);
    *why = "It holds whichever of them is the extreme one.";
    const qkv__node *all = qkv__extreme_as_all(s->model, node);
    const char *engine =
        all == NULL || (mixes && needs_cases(s, all)) ? NULL : prove_quietly(s, all);
    if (engine != NULL) return engine;
    const qkv__node *bound = qkv__extreme_as_bound(s->model, node);
    if (bound != NULL && !(mixes && needs_cases(s, bound))) engine = prove_quietly(s, bound);
    if (engine != NULL) return engine;
    const qkv__node *parts = qkv__parts_of_comparison(s->model, s->locals, node, why);
    /* Parts of a mean in a hull speak of the indexes that it speaks of, unless they are bound. */
    const bool same = node->comparison == QKV__IN && parts != NULL &&
                      !qkv__node_has_kind(parts, QKV__NODE_FOR_ALL);
    if (parts != NULL && (same || !needs_cases(s, parts))) engine = prove_quietly(s, parts);
    if (engine != NULL || s->sloping) return engine;
    *why = "By the mean value theorem.";
    s->sloping = true;
    for (size_t way = 0; engine == NULL && way < QKV__SLOPE_WAYS; way++) {
        const qkv__node *slopes = qkv__slope_of_comparison(s->model, s->locals, node, way);
        if (slopes != NULL) engine = prove_quietly(s, slopes);
    }
    s->sloping = false;
    return engine;
}

/* What is left open of a maximum may be proved of all of those that it is taken of, and what is
 * left open of sums and layers of their parts. */
static qkv__verdict decide_comparison(qkv__situation *s, const qkv__node *node)
{
    size_t reason = s->finding->reason.length, found = s->finding->found.length;
    qkv__verdict verdict = qkv__compare(s, node);
    if (verdict != QKV__UNDECIDED || s->finding->culprit != NULL || s->limit_count > 0 ||
        s->has_tolerance || s->model->chance_count > 0 || s->model->noise != 0)
        return verdict;
    const char *why, *engine = prove_from_others(s, node, &why);
    if (engine == NULL) return verdict;
    qkv__text_take_out(&s->finding->reason, reason, s->finding->reason.length);
    qkv__text_take_out(&s->finding->found, found, s->finding->found.length);
    qkv__situation_say(s, why);
    return qkv__situation_conclude(s, QKV__PROVED, engine);
}

/* i < j: by what is known of where the two stand. */
static qkv__verdict decide_indexes(qkv__situation *s, const qkv__node *node, int truth)
{
    const bool equation = node->comparison == QKV__EQUAL || node->comparison == QKV__NOT_EQUAL;
    if (!equation && !qkv__comparison_has_order(s, node))
        return qkv__situation_ill_posed(s, node, "members that have names stand in no order");
    if (truth != 0) qkv__situation_say(s, "It follows from where the indexes stand.");
    if (truth > 0) return qkv__situation_conclude(s, QKV__PROVED, "exact");
    if (truth < 0 && !s->weakened) return qkv__situation_conclude(s, QKV__REFUTED, "exact");
    return qkv__situation_undecided(s, "which of the two indexes comes first is open");
}

static qkv__verdict decide(qkv__situation *s, const qkv__node *node)
{
    int truth;
    switch (node->kind) {
    case QKV__NODE_COMPARE:
        if (qkv__compares_indexes(s, node, &truth)) return decide_indexes(s, node, truth);
        if (is_interval(node) && node->comparison == QKV__NOT_IN) {
            const qkv__node *either = outside(s, node);
            return either == NULL ? qkv__situation_undecided(s, "out of memory")
                                  : decide_or(s, either);
        }
        return decide_comparison(s, without_size(s, node));
    case QKV__NODE_AND: return decide_and(s, node);
    case QKV__NODE_OR: return decide_or(s, node);
    case QKV__NODE_NOT: return decide_not(s, node);
    case QKV__NODE_IMPLIES: {
        qkv__verdict verdict = decide_implies(s, node->child[0], node->child[1]);
        s->finding->uniform = false; /* it holds wherever its premise does not */
        return verdict;
    }
    case QKV__NODE_FOR_ALL: return decide_for_all(s, node, 0);
    case QKV__NODE_EXISTS: return decide_exists(s, node);
    default: return qkv__situation_ill_posed(s, node, "expected a proposition here");
    }
}

/* Whether a condition of the claim is a range of this name: an index, which is no parameter yet. */
static bool is_bound_behind(const qkv__situation *s, const qkv__node *node)
{
    for (size_t i = 0; node->kind == QKV__NODE_NAME && i < s->circumstances->count; i++) {
        const qkv__node *range = s->circumstances->item[i].node;
        if (range != NULL && qkv__is_index_domain(range) &&
            strcmp(range->child[0]->text, node->text) == 0)
            return true;
    }
    return false;
}

/* Evaluates what a proposition speaks of before premises are taken: a premise about every key must
 * meet the scores that it is about. What cannot be evaluated is left to the decision. */
static void touch(qkv__situation *s, const qkv__node *node)
{
    qkv__value value;
    if (node->kind < QKV__NODE_COMPARE) {
        if (!qkv__model_is_symbolic(s->model, node) && !is_bound_behind(s, node))
            qkv__model_value(s->model, node, NULL, &value);
        return;
    }
    for (size_t i = 0; i < node->count; i++)
        if (node->kind != QKV__NODE_EXISTS) touch(s, node->child[i]);
}

/* ---- What has no value --------------------------------------------------------------- */

static bool is_certainly_zero(qkv__situation *s, const qkv__node *node)
{
    qkv__value value;
    qkv__ratio ratio;
    qkv__sign_result result;
    if (!qkv__model_value(s->model, node, s->locals, &value)) return false;
    const qkv__vector *vector;
    if (qkv__value_as_vector(&value, &vector))
        ratio = qkv__vector_dot(&s->model->space, vector, vector);
    else if (!qkv__value_as_ratio(&value, &ratio))
        return false;
    if (qkv__ratio_is_lost(ratio)) return false;
    ratio = qkv__situation_apply(s, ratio);
    return qkv__ratio_is_zero(ratio) ||
           (qkv__sign_over_box(s, ratio, &result) && result.sign == QKV__SIGN_ZERO);
}

/* Whether something may be one number only: t = 0. */
static bool has_equations(const qkv__situation *s)
{
    const qkv__algebra *algebra = &s->model->algebra;
    for (size_t p = 0; p < algebra->parameter_count; p++) {
        const qkv__parameter *known = &algebra->parameter[p];
        if (known->prime == 0 && known->lower.known && known->upper.known &&
            qkv__rational_compare(known->lower.value, known->upper.value) == 0)
            return true;
    }
    return s->substitution_count > 0 || s->circumstances->count > 0;
}

static bool divides_by_zero(qkv__situation *s, const qkv__node *node, int depth);

/* f(t), where f(x) = 1/x: in the body, x is what the argument is. */
static bool function_divides(qkv__situation *s, const qkv__node *call,
                             const qkv__statement *function, int depth)
{
    enum { MOST = 8 };
    const qkv__node *target = function->node[0];
    const qkv__binding *kept = s->locals;
    qkv__binding own[MOST];
    if (target->count != call->count || call->count > MOST) return false;
    for (size_t i = 0; i < call->count; i++) {
        own[i] =
            (qkv__binding){.name = target->child[i]->text, .next = i == 0 ? NULL : &own[i - 1]};
        if (!qkv__model_value(s->model, call->child[i], kept, &own[i].value)) return false;
    }
    s->locals = call->count == 0 ? NULL : &own[call->count - 1];
    bool by_zero = divides_by_zero(s, function->node[1], depth);
    s->locals = kept;
    return by_zero;
}

/* c = ..., x[1] = ..., keys k = [...] */
static bool definition_divides(qkv__situation *s, const qkv__statement *statement, int depth)
{
    if (statement->kind == QKV__STATEMENT_DEFINE)
        return divides_by_zero(s, statement->node[1], depth);
    for (size_t i = 0; statement->kind == QKV__STATEMENT_FAMILY && i < statement->count; i++)
        if (statement->node[i]->kind == QKV__NODE_COMPARE &&
            divides_by_zero(s, statement->node[i]->child[1], depth))
            return true;
    return false;
}

/* Whether something is divided by 0 under the conditions of a claim, by way of definitions too:
 * algebra would cancel it. */
static bool divides_by_zero(qkv__situation *s, const qkv__node *node, int depth)
{
    enum { DEEPEST = 40 };
    if (depth > DEEPEST) return false;
    if (node->kind == QKV__NODE_DIVIDE && is_certainly_zero(s, node->child[1])) return true;
    if (node->kind == QKV__NODE_POWER && is_certainly_zero(s, node->child[1]) &&
        is_certainly_zero(s, node->child[0]))
        return true; /* 0^0 */
    if (node->kind == QKV__NODE_POWER && node->child[1]->kind == QKV__NODE_NEGATE &&
        is_certainly_zero(s, node->child[0]))
        return true; /* 0^-1 */
    if (qkv__builtin_of(node) == QKV__BUILTIN_COS && node->count == 2 &&
        (is_certainly_zero(s, node->child[0]) || is_certainly_zero(s, node->child[1])))
        return true; /* the angle with a vector that is 0 */
    bool named = qkv__node_is_word(node);
    for (const qkv__statement *d = named ? s->model->statements : NULL; d != NULL; d = d->next) {
        if (d->kind == QKV__STATEMENT_PROBLEM && d != s->model->statements) break;
        if (!qkv__name_is_of(node->text, qkv__statement_name(d))) continue;
        bool function = d->kind == QKV__STATEMENT_DEFINE && d->node[0]->kind == QKV__NODE_CALL;
        if (function ? node->kind == QKV__NODE_CALL && function_divides(s, node, d, depth + 1)
                     : definition_divides(s, d, depth + 1))
            return true;
    }
    for (size_t i = 0; i < node->count; i++)
        if (divides_by_zero(s, node->child[i], depth + 1)) return true;
    return false;
}

typedef struct division {
    const qkv__node *node;
    bool by_zero;
} division;

static void look_for_zero(qkv__situation *s, void *data)
{
    division *d = data;
    d->by_zero = has_equations(s) && divides_by_zero(s, d->node, 0);
}

bool qkv__divides_by_zero(qkv__model *model, const qkv__node *node,
                          const qkv__circumstances *circumstances)
{
    division d = {node, false};
    qkv__under_conditions(model, circumstances, look_for_zero, &d);
    return d.by_zero;
}

static qkv__verdict decide_claim(qkv__situation *s, const qkv__node *proposition)
{
    return decide_all_indices(s, 0, proposition);
}

/* Which condition was not used: without it the claim may be another one. */
static void say_left_out(qkv__situation *s)
{
    qkv__text text = {0};
    qkv__text_format(&text, "(The condition ");
    if (s->unused != NULL) qkv__node_write(s->unused, &text);
    qkv__text_format(&text, " is beyond the engines and was left out.)");
    const bool known = s->unused != NULL && !text.failed;
    qkv__situation_say(s,
                       known ? text.data : "(A condition is beyond the engines and was left out.)");
    qkv__text_free(&text);
}

/* Names that are not the document's own are explained where they are told. */
static void explain_names(qkv__situation *s)
{
    static const struct {
        const char *name, *meaning;
    } rows[] = {{"[others]", "([others] stands for all keys without a name, taken together.)"},
                {"slack.", "(A slack, at least 0, is the margin by which a premise holds.)"}};
    const qkv__finding *finding = s->finding;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if ((finding->found.data != NULL && strstr(finding->found.data, rows[i].name) != NULL) ||
            (finding->reason.data != NULL && strstr(finding->reason.data, rows[i].name) != NULL))
            qkv__situation_say(s, rows[i].meaning);
}

bool qkv__decide_exactly(qkv__model *model, const qkv__node *proposition,
                         const qkv__circumstances *circumstances, qkv__finding *finding)
{
    const qkv__node *expanded = qkv__chance_expand(model, proposition);
    if (expanded != NULL) proposition = expanded;
    model->steps = 0;
    qkv__situation s = {.model = model,
                        .circumstances = circumstances,
                        .finding = finding,
                        .decide_random_limit = qkv__decide_random_limit};
    qkv__memory b = qkv__situation_remember(&s);
    qkv__box box;
    if (model->space.spreads != NULL || model->premise_count > 0 || circumstances->count > 0 ||
        proposition->kind != QKV__NODE_COMPARE)
        touch(&s, proposition);
    bool good = qkv__conditions_take(&s);
    if (good && !qkv__box_of_algebra(&model->algebra, &box)) good = qkv__conditions_exclude(&s);
    if (good) finding->verdict = qkv__decide_draws(&s, proposition, decide_claim);
    if (s.weakened && finding->verdict == QKV__UNDECIDED) say_left_out(&s);
    tell_never(finding);
    explain_names(&s);
    if (good && finding->verdict == QKV__PROVED && has_equations(&s) &&
        divides_by_zero(&s, proposition, 0)) {
        qkv__finding_free(finding);
        *finding = (qkv__finding){.engine = ""};
        qkv__situation_undecided(&s, "it has no value there: a division by 0");
    }
    if (finding->culprit != NULL) finding->verdict = QKV__UNDECIDED;
    if (finding->verdict == QKV__UNDECIDED) finding->engine = ""; /* one may have decided a part */
    qkv__situation_forget(&s, &b);
    return !good || finding->verdict != QKV__UNDECIDED || finding->culprit != NULL;
}
