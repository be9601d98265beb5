/* Propositions to verdicts: conditions are taken, what is put together by and, or, not, implies
 * and quantifiers is taken apart, and comparisons are handed on. Knows nothing of documents or of
 * printing. */
#include "claim/decide.h"

#include <string.h>

#include "claim/chance/chance.h"
#include "claim/design/design.h"
#include "claim/model/evaluate.h"
#include "claim/model/random_declare.h"
#include "claim/search/search.h"
#include "claim/premise/situation.h"
#include "claim/table/table.h"
#include "language/chance_call.h"
#include "language/tree.h"

const char *qkv__verdict_name(qkv__verdict verdict)
{
    static const char *const names[] = {"undecided", "proved", "refuted", "supported"};
    return names[verdict];
}

void qkv__finding_free(qkv__finding *finding)
{
    qkv__text_free(&finding->found);
    qkv__text_free(&finding->reason);
}

static qkv__verdict decide(qkv__situation *s, const qkv__node *node);

/* ---- Negation ------------------------------------------------------------------------ */

static const qkv__node *new_node(qkv__situation *s, const qkv__node *like, qkv__node_kind kind,
                                 const qkv__node *const *children, size_t count)
{
    qkv__arena *arena = &s->model->algebra.arena;
    qkv__node *node = qkv__arena_take(arena, sizeof *node);
    const qkv__node **copy = qkv__arena_array(arena, count, sizeof *copy);
    if (node == NULL || copy == NULL) return NULL;
    memcpy(copy, children, count * sizeof *copy);
    *node = *like;
    node->kind = kind;
    node->count = count;
    node->child = copy;
    return node;
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
    qkv__node *made = (qkv__node *)(uintptr_t)new_node(s, like, QKV__NODE_COMPARE, sides, 2);
    if (made != NULL) made->comparison = comparison;
    return made;
}

/* x not in l .. u: x < l or x > u. */
static const qkv__node *outside(qkv__situation *s, const qkv__node *node)
{
    const qkv__node *x = node->child[0], *range = node->child[1], *sides[2];
    sides[0] = comparison_of(s, node, QKV__LESS, x, range->child[0]);
    sides[1] = comparison_of(s, node, QKV__GREATER, x, range->child[1]);
    if (sides[0] == NULL || sides[1] == NULL) return NULL;
    return new_node(s, node, QKV__NODE_OR, sides, 2);
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
    return qkv__situation_undecided(s, "for some of what is free there is none; for all is open");
}

static qkv__verdict decide_not(qkv__situation *s, const qkv__node *node)
{
    const qkv__node *inside = node->child[0];
    if (inside->kind == QKV__NODE_COMPARE && inside->comparison == QKV__NEAR)
        return qkv__compare_not_near(s, inside);
    if (inside->kind == QKV__NODE_EXISTS) return decide_not_exists(s, inside);
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
    bool always = decide(s, premise) == QKV__PROVED;
    qkv__finding_free(s->finding);
    if (always) return decide(s, conclusion);
    return qkv__situation_undecided(s, "the premise is beyond the engines");
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

static qkv__verdict decide_implies(qkv__situation *s, const qkv__node *premise,
                                   const qkv__node *conclusion)
{
    qkv__verdict verdict = QKV__UNDECIDED;
    if (decide_under(s, premise, conclusion, "The premise never holds.", &verdict)) return verdict;
    const qkv__node *other = negate(s, premise), *first = negate(s, conclusion);
    if (s->limit_count == 0 && other != NULL && first != NULL && !is_loose(s, first) &&
        !qkv__speaks_of_chance(premise) &&
        decide_under(s, first, other, "The conclusion always holds.", &verdict))
        return verdict;
    return decide_apart(s, premise, conclusion);
}

/* p or q in a limit: one of them holds in it. Both fail where one fails for every choice of what is
 * free, and the other for some. */
static qkv__verdict decide_or_in_limit(qkv__situation *s, const qkv__node *node)
{
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

static bool ask_index(qkv__situation *s, void *context)
{
    index_question *q = context;
    q->asked = true;
    qkv__verdict verdict =
        q->at > 0 ? decide_all_indices(s, q->at, q->proposition) : decide(s, q->proposition);
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
    if (!q.asked) qkv__situation_say(s, "There is no such index.");
    return q.verdict;
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

static bool is_domain(const qkv__node *node)
{
    return node->kind == QKV__NODE_COMPARE &&
           (node->comparison == QKV__IN || node->comparison == QKV__NOT_IN ||
            node->comparison == QKV__NOT_EQUAL);
}

/* for all vector q, for all permutation R[d]: declared for as long as the claim lasts. A plain
 * name is free anyway, and what is free is meant for all. */
static bool declare_bound(qkv__situation *s, const qkv__node *bound)
{
    const qkv__node *name = bound->kind == QKV__NODE_COMPARE ? bound->child[0] : bound;
    if (name->kind == QKV__NODE_NAME && qkv__model_is_defined(s->model, name->text)) {
        qkv__situation_ill_posed(s, name, "this name is defined above: 'for all' takes a free one");
        return false;
    }
    if (bound->kind != QKV__NODE_CALL) return true;
    const qkv__node *const nodes[] = {bound->child[0]};
    qkv__statement statement = {.kind = QKV__STATEMENT_OBJECT,
                                .place = bound->place,
                                .text = bound->text,
                                .source = "",
                                .count = 1,
                                .node = nodes};
    return qkv__model_declare(s->model, &statement);
}

static qkv__verdict decide_for_all(qkv__situation *s, const qkv__node *node, size_t first)
{
    if (first + 1 == node->count) return decide(s, node->child[first]);
    const qkv__node *bound = node->child[first];
    if (is_domain(bound)) {
        const qkv__node *rest =
            new_node(s, node, QKV__NODE_FOR_ALL, node->child + first + 1, node->count - first - 1);
        return rest == NULL ? qkv__situation_undecided(s, "out of memory")
                            : decide_indices(s, bound, rest);
    }
    if (bound->kind == QKV__NODE_COMPARE) { /* for all beta > 0: p */
        qkv__scope scope = qkv__situation_open(s);
        qkv__verdict verdict = QKV__UNDECIDED;
        if (!declare_bound(s, bound))
            verdict = QKV__UNDECIDED;
        else if (qkv__situation_assume(s, bound) == QKV__PREMISE_TAKEN)
            verdict = decide_for_all(s, node, first + 1);
        else
            qkv__situation_undecided(s, "a bound of 'for all' that cannot be taken");
        qkv__situation_close(s, &scope);
        return verdict;
    }
    qkv__scope scope = qkv__situation_open(s);
    qkv__verdict verdict = declare_bound(s, bound)
                               ? decide_for_all(s, node, first + 1)
                               : qkv__situation_undecided(s, "the name cannot be declared");
    qkv__situation_close(s, &scope);
    return verdict;
}

static bool mentions(const qkv__node *node, const char *name)
{
    if (node->kind == QKV__NODE_NAME && strcmp(node->text, name) == 0) return true;
    for (size_t i = 0; i < node->count; i++)
        if (mentions(node->child[i], name)) return true;
    return false;
}

/* Whether a condition beside `exists q` speaks of q: the two are not the same, and a reader cannot
 * tell. Bounds of numbers, t >= 1, are taken for the unknown. */
static bool is_conditioned(const qkv__situation *s, const qkv__node *unknown)
{
    for (size_t i = 0; i < s->circumstances->count; i++)
        for (const qkv__condition *c = s->circumstances->lists[i]; c != NULL; c = c->next)
            for (size_t n = 0; n < c->count; n++) {
                const qkv__node *node = c->node[n];
                bool bound = node->kind == QKV__NODE_COMPARE && node->comparison != QKV__EQUAL &&
                             node->child[0]->kind == QKV__NODE_NAME;
                if (unknown->kind == QKV__NODE_NAME && !bound && mentions(node, unknown->text))
                    return true;
            }
    return false;
}

static qkv__verdict decide_exists(qkv__situation *s, const qkv__node *node)
{
    for (size_t i = 0; i + 1 < node->count; i++)
        if (is_conditioned(s, node->child[i]))
            return qkv__situation_ill_posed(
                s, node->child[i],
                "a condition behind the claim speaks of what exists: put it inside, with and");
    qkv__design_question question = {.unknown_count = node->count - 1,
                                     .unknown = node->child,
                                     .proposition = node->child[node->count - 1],
                                     .locals = s->locals,
                                     .circumstances = s->circumstances};
    qkv__design(s->model, &question, s->finding);
    /* A premise in place of parameters is not seen there: what fails for some may hold under it. */
    if (s->finding->verdict == QKV__REFUTED && !s->finding->uniform &&
        (s->weakened || s->substitution_count > 0))
        return qkv__situation_conclude(s, QKV__UNDECIDED, "");
    return s->finding->verdict;
}

/* ---- Propositions -------------------------------------------------------------------- */

static qkv__verdict decide(qkv__situation *s, const qkv__node *node)
{
    qkv__verdict first;
    switch (node->kind) {
    case QKV__NODE_COMPARE:
        if (is_interval(node) && node->comparison == QKV__NOT_IN) {
            const qkv__node *either = outside(s, node);
            return either == NULL ? qkv__situation_undecided(s, "out of memory")
                                  : decide_or(s, either);
        }
        return qkv__compare(s, node);
    case QKV__NODE_AND:
        first = decide(s, node->child[0]);
        return first == QKV__REFUTED ? first : qkv__verdict_both(first, decide(s, node->child[1]));
    case QKV__NODE_OR: return decide_or(s, node);
    case QKV__NODE_NOT: return decide_not(s, node);
    case QKV__NODE_IMPLIES: return decide_implies(s, node->child[0], node->child[1]);
    case QKV__NODE_FOR_ALL: return decide_for_all(s, node, 0);
    case QKV__NODE_EXISTS: return decide_exists(s, node);
    default: return qkv__situation_ill_posed(s, node, "expected a proposition here");
    }
}

/* ---- Conditions ---------------------------------------------------------------------- */

/* inf, or what people write for it. */
static bool is_infinity(const qkv__node *node)
{
    return node->kind == QKV__NODE_INFINITY ||
           (node->kind == QKV__NODE_NAME &&
            (strcmp(node->text, "infinity") == 0 || strcmp(node->text, "oo") == 0));
}

static bool take_limit(qkv__situation *s, const qkv__node *node)
{
    qkv__value value;
    qkv__failure failure = {0};
    const qkv__node *culprit;
    qkv__ratio ratio;
    qkv__passage passage = {.infinite = is_infinity(node->child[1])};
    if (node->child[0]->kind == QKV__NODE_NAME &&
        qkv__model_is_defined(s->model, node->child[0]->text)) {
        qkv__situation_ill_posed(s, node->child[0],
                                 "this name is defined above: a limit takes a "
                                 "free one");
        return false;
    }
    passage.parameter = node->child[0]->kind == QKV__NODE_NAME
                            ? qkv__model_parameter(s->model, node->child[0]->text)
                            : -1;
    bool good =
        passage.infinite ||
        (qkv__model_evaluate(s->model, node->child[1], NULL, &value, &failure, &culprit) &&
         qkv__value_as_ratio(&value, &ratio) && qkv__ratio_is_constant(ratio, &passage.point));
    if (!good || passage.parameter < 0 || s->limit_count == QKV__LIMITS) {
        qkv__situation_undecided(s,
                                 "a limit of a parameter to infinity or to a number is expected");
        return false;
    }
    for (size_t i = 0; i < s->limit_count; i++)
        if (s->limit[i].parameter == passage.parameter) {
            qkv__situation_ill_posed(s, node->child[0], "one letter in two limits");
            return false;
        }
    if (s->model->assumption_count > 0 && s->model->algebra.parameter[passage.parameter].whole) {
        qkv__situation_undecided(s,
                                 "what is assumed of matrices may tie their sizes to each other");
        return false;
    }
    s->limit[s->limit_count++] = passage;
    return true;
}

/* Both sides of a comparison mean something; a mistake in them is complained about. */
static bool is_understood(qkv__situation *s, const qkv__node *node)
{
    qkv__value value;
    if (node->kind != QKV__NODE_COMPARE || node->comparison > QKV__GREATER_OR_EQUAL) return true;
    for (size_t i = 0; i < node->count; i++) {
        qkv__failure failure = {0};
        const qkv__node *culprit;
        if (qkv__model_is_symbolic(s->model, node->child[i]) ||
            qkv__model_evaluate(s->model, node->child[i], s->locals, &value, &failure, &culprit) ||
            failure.trouble != QKV__TROUBLE_TEXT)
            continue;
        qkv__situation_failed(s, &failure, culprit);
        return false;
    }
    return true;
}

/* A parameter, or a number that is defined: no index. */
static bool is_quantity(const qkv__situation *s, const char *name)
{
    const qkv__binding *binding = qkv__model_find(s->model, s->locals, name);
    return qkv__parameter_find(&s->model->algebra, name) >= 0 ||
           (binding != NULL && binding->value.kind == QKV__VALUE_SCALAR);
}

/* A number that an index may be; or something else than a number. */
static bool is_whole_number(const qkv__node *node)
{
    return node->kind != QKV__NODE_NUMBER ||
           (qkv__rational_is_whole(node->value) && node->value.numerator >= 1);
}

static bool exclude(qkv__situation *s)
{
    qkv__situation_undecided(s, "the conditions exclude each other: nothing is left to decide");
    s->finding->empty = true;
    return false;
}

static bool add_index(qkv__situation *s, const qkv__node *domain)
{
    for (size_t i = 0; i < s->index_count; i++) /* for i in 1..n, i != a: one index */
        if (strcmp(s->index[i]->child[0]->text, domain->child[0]->text) == 0) {
            if (s->further_count == QKV__INDEXES) break;
            s->further[s->further_count++] = domain;
            return true;
        }
    if (s->index_count == QKV__INDEXES) {
        qkv__situation_undecided(s, "a claim for more indexes than can be held");
        return false;
    }
    s->index[s->index_count++] = domain;
    return true;
}

/* A bound, a premise, an index or a name. */
static bool take_range(qkv__situation *s, const qkv__node *node)
{
    if (node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL)
        return declare_bound(s, node); /* for all v */
    if (is_domain(node) && node->child[0]->kind == QKV__NODE_NAME &&
        node->child[1]->kind != QKV__NODE_LIST) {
        bool range = node->comparison == QKV__IN && node->child[1]->kind == QKV__NODE_RANGE;
        if (node->comparison == QKV__NOT_EQUAL && !is_whole_number(node->child[1]))
            qkv__model_parameter(s->model, node->child[0]->text); /* s != 0: no index */
        if (!is_quantity(s, node->child[0]->text) || (!range && node->comparison != QKV__NOT_EQUAL))
            return add_index(s, node);
    }
    if (qkv__random_is_met(s->model, node)) { /* alpha = 0 in a still model */
        qkv__random_meet(s->model, node);
        return true;
    }
    if (!is_understood(s, node)) return false;
    switch (qkv__situation_assume(s, node)) {
    case QKV__PREMISE_TAKEN: return true;
    case QKV__PREMISE_NOT_TAKEN:
        s->veiled = s->veiled || qkv__random_is_about(s, node);
        return !qkv__situation_leave_out(s, node) || exclude(s);
    case QKV__PREMISE_NEVER: break;
    }
    return exclude(s);
}

static bool take_condition(qkv__situation *s, const qkv__condition *condition)
{
    qkv__value value;
    qkv__failure failure = {0};
    const qkv__node *culprit;
    switch (condition->kind) {
    case QKV__CONDITION_LIMIT:
        for (size_t i = 0; i < condition->count; i++)
            if (!take_limit(s, condition->node[i])) return false;
        return true;
    case QKV__CONDITION_RANGE:
    case QKV__CONDITION_AT:
    case QKV__CONDITION_GIVEN:
        for (size_t i = 0; i < condition->count; i++)
            if (!take_range(s, condition->node[i])) return false;
        return true;
    case QKV__CONDITION_WITHIN:
        if (!qkv__model_evaluate(s->model, condition->node[0], NULL, &value, &failure, &culprit)) {
            qkv__situation_failed(s, &failure, culprit);
            return false;
        }
        s->has_tolerance = qkv__value_as_ratio(&value, &s->tolerance);
        if (!s->has_tolerance) qkv__situation_undecided(s, "a tolerance that is no plain number");
        return s->has_tolerance;
    case QKV__CONDITION_EXPECT: return true;
    }
    return false;
}

/* Evaluates what a proposition speaks of before premises are taken: a premise about every key must
 * meet the scores that it is about. What cannot be evaluated is left to the decision. */
static void touch(qkv__situation *s, const qkv__node *node)
{
    qkv__value value;
    qkv__failure failure = {0};
    const qkv__node *culprit;
    if (node->kind < QKV__NODE_COMPARE) {
        if (!qkv__model_is_symbolic(s->model, node))
            qkv__model_evaluate(s->model, node, NULL, &value, &failure, &culprit);
        return;
    }
    for (size_t i = 0; i < node->count; i++)
        if (node->kind != QKV__NODE_EXISTS) touch(s, node->child[i]);
}

/* A case in which indexes differ from the marked ones is none where there are not so many. */
static bool take_case(qkv__situation *s)
{
    qkv__algebra *algebra = &s->model->algebra;
    for (size_t i = 0; s->model->fixed_count > 0 && i < s->model->set_count; i++) {
        const qkv__index_set *set = s->model->sets[i];
        if (set->axes || qkv__ratio_is_lost(set->size)) continue;
        switch (
            qkv__situation_assume_sign(s, qkv__rest_size(algebra, set), QKV__GREATER_OR_EQUAL)) {
        case QKV__PREMISE_TAKEN: break;
        case QKV__PREMISE_NEVER: return exclude(s);
        case QKV__PREMISE_NOT_TAKEN: s->weakened = true;
        }
    }
    return true;
}

/* Whether parameters may come as near to their limits as one likes. */
static bool limits_are_reached(const qkv__situation *s)
{
    for (size_t i = 0; i < s->limit_count; i++) {
        const qkv__parameter *known = &s->model->algebra.parameter[s->limit[i].parameter];
        if (s->limit[i].infinite && known->upper.known) return false;
        if (s->limit[i].infinite) continue;
        int above =
            known->lower.known ? qkv__rational_compare(known->lower.value, s->limit[i].point) : -1;
        int below =
            known->upper.known ? qkv__rational_compare(known->upper.value, s->limit[i].point) : 1;
        if (above > 0 || below < 0 || (above == 0 && below == 0)) return false;
    }
    return true;
}

/* Whether something is said of a dimension that would else leave room for all vectors. */
static bool is_dimension_known(const qkv__situation *s)
{
    const qkv__model *model = s->model;
    const char *name = model->dimension_name;
    if (name == NULL) return false;
    int parameter = qkv__parameter_find(&model->algebra, name);
    if (parameter >= 0 && model->algebra.parameter[parameter].upper.known) return true;
    for (size_t i = 0; i < model->premise_count; i++)
        if (model->premise[i]->comparison != QKV__GREATER_OR_EQUAL &&
            mentions(model->premise[i], name))
            return true;
    for (size_t i = 0; i < s->circumstances->count; i++)
        for (const qkv__condition *c = s->circumstances->lists[i]; c != NULL; c = c->next)
            for (size_t n = 0; n < c->count; n++)
                if (mentions(c->node[n], name)) return true;
    return false;
}

/* Limits first: a premise may not replace a parameter of which a limit is taken. */
static bool take_conditions(qkv__situation *s)
{
    for (int limits = 1; limits >= 0; limits--)
        for (size_t i = 0; i < s->circumstances->count; i++)
            for (const qkv__condition *c = s->circumstances->lists[i]; c != NULL; c = c->next)
                if ((c->kind == QKV__CONDITION_LIMIT) == (limits == 1) && !take_condition(s, c))
                    return false;
    for (size_t i = 0; i < s->model->premise_count; i++)
        if (!take_range(s, s->model->premise[i])) return false;
    if (!take_case(s)) return false;
    if (qkv__situation_is_impossible(s) || !limits_are_reached(s)) return exclude(s);
    /* Where a statement was not understood, or vectors are confined to a dimension, what fails here
     * may hold there. */
    bool confined = s->model->free_vectors && (s->model->confined || is_dimension_known(s));
    if (confined || s->model->gappy) s->weakened = true;
    return true;
}

/* ---- What has no value --------------------------------------------------------------- */

static bool is_certainly_zero(qkv__situation *s, const qkv__node *node)
{
    qkv__value value;
    qkv__failure failure = {0};
    const qkv__node *culprit;
    qkv__ratio ratio;
    qkv__sign_result result;
    if (!qkv__model_evaluate(s->model, node, s->locals, &value, &failure, &culprit) ||
        !qkv__value_as_ratio(&value, &ratio))
        return false;
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

/* Whether something is divided by 0 under the conditions of a claim, by way of definitions too:
 * algebra would cancel it. */
static bool divides_by_zero(qkv__situation *s, const qkv__node *node, int depth)
{
    enum { DEEPEST = 40 };
    if (depth > DEEPEST) return false;
    if (node->kind == QKV__NODE_DIVIDE && is_certainly_zero(s, node->child[1])) return true;
    for (const qkv__statement *d = s->model->statements; d != NULL; d = d->next) {
        if (node->kind != QKV__NODE_NAME ||
            (d->kind == QKV__STATEMENT_PROBLEM && d != s->model->statements))
            break;
        if (d->kind == QKV__STATEMENT_DEFINE && d->node[0]->kind == QKV__NODE_NAME &&
            strcmp(d->node[0]->text, node->text) == 0 && divides_by_zero(s, d->node[1], depth + 1))
            return true;
    }
    for (size_t i = 0; i < node->count; i++)
        if (divides_by_zero(s, node->child[i], depth + 1)) return true;
    return false;
}

void qkv__decide(qkv__model *model, const qkv__node *proposition,
                 const qkv__circumstances *circumstances, qkv__finding *finding)
{
    if (qkv__table_takes(model, proposition)) {
        qkv__table_decide(model, proposition, circumstances, finding);
        return;
    }
    *finding = (qkv__finding){.engine = ""};
    const qkv__node *expanded = qkv__chance_expand(model, proposition);
    if (expanded != NULL) proposition = expanded;
    model->steps = 0;
    qkv__situation s = {.model = model, .circumstances = circumstances, .finding = finding};
    qkv__memory b = qkv__situation_remember(&s);
    qkv__box box;
    if (model->space.spreads != NULL || model->premise_count > 0 || circumstances->count > 0 ||
        proposition->kind != QKV__NODE_COMPARE)
        touch(&s, proposition);
    bool good = take_conditions(&s);
    if (good && !qkv__box_of_algebra(&model->algebra, &box)) good = exclude(&s);
    if (good) finding->verdict = decide_all_indices(&s, 0, proposition);
    if (s.weakened && finding->verdict == QKV__UNDECIDED)
        qkv__situation_say(&s, "(A condition is beyond the engines and was left out.)");
    if (good && finding->verdict == QKV__PROVED && has_equations(&s) &&
        divides_by_zero(&s, proposition, 0)) {
        qkv__finding_free(finding);
        *finding = (qkv__finding){.engine = ""};
        qkv__situation_undecided(&s, "it has no value there: a division by 0");
    }
    if (finding->culprit != NULL)
        finding->verdict = QKV__UNDECIDED;
    else if (good && finding->verdict == QKV__UNDECIDED && !model->in_case)
        qkv__search(model, proposition, circumstances, finding);
    qkv__situation_forget(&s, &b);
}

void qkv__under_conditions(qkv__model *model, const qkv__circumstances *circumstances,
                           void (*act)(qkv__situation *s, void *data), void *data)
{
    qkv__finding unused = {.engine = ""};
    qkv__situation s = {.model = model, .circumstances = circumstances, .finding = &unused};
    qkv__memory b = qkv__situation_remember(&s);
    take_conditions(&s);
    act(&s, data);
    qkv__situation_forget(&s, &b);
    qkv__finding_free(&unused);
}
