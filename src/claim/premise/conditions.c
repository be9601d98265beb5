/* The conditions of a claim, taken into a situation: limits, ranges, indexes, a tolerance,
 * premises. Knows what conditions mean; nothing of what is claimed under them. */
#include "claim/model/random_parameters.h"
#include "claim/premise/conditions.h"

#include <assert.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/bound.h"
#include "claim/model/definition.h"
#include "claim/model/evaluate.h"
#include "claim/model/family.h"
#include "claim/model/random_still.h"
#include "claim/premise/assume.h"
#include "claim/premise/possible.h"
#include "language/tree.h"

/* ---- What is random ------------------------------------------------------------------ */

static bool is_number(const qkv__situation *s, const qkv__node *node)
{
    qkv__value value;
    if (node->kind == QKV__NODE_RANGE)
        return is_number(s, node->child[0]) && is_number(s, node->child[1]);
    return qkv__model_value(s->model, node, s->locals, &value) && value.kind == QKV__VALUE_SCALAR &&
           !qkv__random_touches(s->model, value.scalar.factor) &&
           !qkv__random_touches(s->model, value.scalar.radicand);
}

bool qkv__random_is_about(const qkv__situation *s, const qkv__node *proposition)
{
    if (s->model->chance_count == 0 && s->model->scale_count == 0) return false;
    bool part = proposition->kind != QKV__NODE_COMPARE;
    for (size_t i = 0; i < proposition->count; i++)
        if (part ? qkv__random_is_about(s, proposition->child[i])
                 : !is_number(s, proposition->child[i]))
            return true;
    return proposition->count == 0;
}

/* ---- Conditions ---------------------------------------------------------------------- */

/* for all vector q, for all permutation R[d]: declared for as long as the claim lasts. A plain
 * name is free anyway, and what is free is meant for all. */
bool qkv__situation_declare(qkv__situation *s, const qkv__node *bound)
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

static bool take_limit(qkv__situation *s, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__value value;
    qkv__ratio ratio;
    qkv__passage passage = {.infinite = node->child[1]->kind == QKV__NODE_INFINITY};
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
    bool good = passage.infinite || (qkv__model_value(s->model, node->child[1], NULL, &value) &&
                                     qkv__value_as_ratio(&value, &ratio) &&
                                     qkv__ratio_is_constant(ratio, &passage.point));
    if (node->child[1]->kind == QKV__NODE_NEGATE &&
        node->child[1]->child[0]->kind == QKV__NODE_INFINITY) {
        qkv__situation_ill_posed(s, node->child[1],
                                 "limits go up: put -t in place of the letter, and take t -> inf");
        return false;
    }
    if (!good || passage.parameter < 0 || s->limit_count == QKV__LIMITS) {
        qkv__situation_undecided(s, "expected a limit of a parameter, to infinity or to a number");
        return false;
    }
    for (size_t i = 0; i < s->limit_count; i++)
        if (s->limit[i].parameter == passage.parameter) {
            qkv__situation_ill_posed(s, node->child[0], "one letter in two limits");
            return false;
        }
    if (!passage.infinite && s->model->algebra.parameter[passage.parameter].whole) {
        qkv__situation_undecided(s, "a whole number can tend only to infinity");
        return false;
    }
    if (s->model->assumption_count > 0 && s->model->algebra.parameter[passage.parameter].whole) {
        qkv__situation_undecided(s, "the assumptions about matrices may tie their sizes together");
        return false;
    }
    s->limit[s->limit_count++] = passage;
    return true;
}

/* Whether a name is an index of the claim's conditions: i of `for i != j`. */
static bool is_index_of_claim(const qkv__situation *s, const qkv__node *node)
{
    for (size_t i = 0; node->kind == QKV__NODE_NAME && i < s->circumstances->count; i++) {
        const qkv__node *domain = s->circumstances->item[i].node;
        if (domain != NULL && qkv__is_index_domain(domain) &&
            strcmp(domain->child[0]->text, node->text) == 0)
            return true;
    }
    return false;
}

/* Both sides of a comparison mean something; a mistake in them is complained about. What is said of
 * one index that stands for all, as k[i].q <= 1 for i != j, is beyond the exact engine. */
static bool is_understood(qkv__situation *s, const qkv__node *node)
{
    qkv__value value;
    if (node->kind != QKV__NODE_COMPARE || node->comparison > QKV__GREATER_OR_EQUAL) return true;
    for (size_t i = 0; i < node->count; i++) {
        qkv__failure failure = {0};
        const qkv__node *culprit;
        if (qkv__model_is_symbolic(s->model, node->child[i]) ||
            qkv__model_evaluate(s->model, node->child[i], s->locals, &value, &failure, &culprit) ||
            failure.trouble != QKV__TROUBLE_TEXT || is_index_of_claim(s, culprit))
            continue;
        qkv__situation_failed(s, &failure, culprit);
        return false;
    }
    return true;
}

/* A parameter, or a number or vector that is declared or defined: no index. */
static bool is_quantity(const qkv__situation *s, const char *name)
{
    const qkv__binding *binding = qkv__model_find(s->model, s->locals, name);
    return qkv__parameter_find(&s->model->algebra, name) >= 0 ||
           (binding != NULL &&
            (binding->value.kind == QKV__VALUE_SCALAR || binding->value.kind == QKV__VALUE_VECTOR));
}

/* A number that an index may be; or something else than a number. */
static bool is_whole_number(const qkv__node *node)
{
    return node->kind != QKV__NODE_NUMBER ||
           (qkv__rational_is_whole(node->value) && node->value.numerator >= 1);
}

bool qkv__conditions_exclude(qkv__situation *s)
{
    qkv__situation_undecided(s, "the conditions exclude each other: nothing is left to decide");
    s->finding->empty = true;
    return false;
}

static bool add_index(qkv__situation *s, const qkv__node *domain)
{
    assert(domain->kind == QKV__NODE_COMPARE);
    for (size_t i = 0; i < s->index_count; i++) /* for i in 1..n, i != a: one index */
        if (strcmp(s->index[i]->child[0]->text, domain->child[0]->text) == 0) {
            if (s->further_count == QKV__INDEXES) break;
            s->further[s->further_count++] = domain;
            return true;
        }
    if (s->index_count == QKV__INDEXES) {
        qkv__situation_undecided(s, "the claim has too many indexes");
        return false;
    }
    s->index[s->index_count++] = domain;
    return true;
}

/* A bound, a premise, an index or a name. */
static bool take_range(qkv__situation *s, const qkv__node *node)
{
    if (qkv__node_is_word(node)) return qkv__situation_declare(s, node); /* for all v */
    if (qkv__node_is_domain(node) && node->child[0]->kind == QKV__NODE_NAME &&
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
        return !qkv__situation_leave_out(s, node) || qkv__conditions_exclude(s);
    case QKV__PREMISE_NEVER: break;
    }
    return qkv__conditions_exclude(s);
}

static bool take_condition(qkv__situation *s, const qkv__circumstance *condition)
{
    qkv__value value;
    qkv__failure failure = {0};
    const qkv__node *culprit;
    switch (condition->kind) {
    case QKV__CONDITION_LIMIT: return take_limit(s, condition->node);
    case QKV__CONDITION_RANGE:
    case QKV__CONDITION_AT:
    case QKV__CONDITION_GIVEN: return take_range(s, condition->node);
    case QKV__CONDITION_WITHIN:
        if (!qkv__model_evaluate(s->model, condition->node, NULL, &value, &failure, &culprit)) {
            qkv__situation_failed(s, &failure, culprit);
            return false;
        }
        s->has_tolerance = qkv__value_as_ratio(&value, &s->tolerance);
        if (!s->has_tolerance) qkv__situation_undecided(s, "the tolerance is not a plain number");
        return s->has_tolerance;
    case QKV__CONDITION_EXPECT: return true;
    }
    return false;
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
        case QKV__PREMISE_NEVER: return qkv__conditions_exclude(s);
        case QKV__PREMISE_NOT_TAKEN: s->weakened = true;
        }
    }
    return true;
}

/* Whether a parameter may be as large as one likes, for all that premises put in place of others.
 */
static bool may_be_large(qkv__situation *s, int parameter)
{
    assert(qkv__is_parameter(&s->model->algebra, parameter));
    static const qkv__rational large = {1 << 20, 1};
    qkv__parameter *known = &s->model->algebra.parameter[parameter];
    const qkv__parameter kept = *known;
    bool contradicted = known->upper.known;
    qkv__parameter_narrow(known, QKV__GREATER_OR_EQUAL, large);
    for (size_t i = 0; i < s->substitution_count && !contradicted; i++)
        contradicted = qkv__situation_contradicts(s, s->substitution[i].parameter);
    s->model->algebra.parameter[parameter] = kept;
    return !contradicted;
}

/* Whether parameters may come as near to their limits as one likes. */
static bool limits_are_reached(qkv__situation *s)
{
    for (size_t i = 0; i < s->limit_count; i++) {
        const qkv__parameter *known = &s->model->algebra.parameter[s->limit[i].parameter];
        if (s->limit[i].infinite && !may_be_large(s, s->limit[i].parameter)) return false;
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
            qkv__node_names(model->premise[i], name))
            return true;
    for (size_t i = 0; i < s->circumstances->count; i++)
        if (s->circumstances->item[i].node != NULL &&
            qkv__node_names(s->circumstances->item[i].node, name))
            return true;
    return false;
}

/* Limits first: a premise may not replace a parameter of which a limit is taken. */
bool qkv__conditions_take(qkv__situation *s)
{
    for (int limits = 1; limits >= 0; limits--)
        for (size_t i = 0; i < s->circumstances->count; i++)
            if ((s->circumstances->item[i].kind == QKV__CONDITION_LIMIT) == (limits == 1) &&
                !take_condition(s, &s->circumstances->item[i]))
                return false;
    for (size_t i = 0; i < s->model->premise_count; i++)
        if (!take_range(s, s->model->premise[i])) return false;
    if (!take_case(s)) return false;
    if (qkv__situation_is_impossible(s) || !limits_are_reached(s))
        return qkv__conditions_exclude(s);
    /* Where a statement was not understood, or vectors are confined to a dimension, what fails here
     * may hold there. */
    for (size_t i = 0; i < 2; i++) {
        const qkv__frames *frames = &s->model->frames[i];
        if (qkv__frames_are_crowded(frames) && (frames->dimension->kind == QKV__NODE_NUMBER ||
                                                s->model->confined || is_dimension_known(s)))
            s->weakened = true;
    }
    if (s->model->gappy) s->weakened = true;
    return true;
}

void qkv__under_conditions(qkv__model *model, const qkv__circumstances *circumstances,
                           void (*act)(qkv__situation *s, void *data), void *data)
{
    qkv__finding unused = {.engine = ""};
    qkv__situation s = {.model = model, .circumstances = circumstances, .finding = &unused};
    qkv__memory b = qkv__situation_remember(&s);
    qkv__conditions_take(&s);
    act(&s, data);
    qkv__situation_forget(&s, &b);
    qkv__finding_free(&unused);
}
