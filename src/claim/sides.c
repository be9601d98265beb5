/* Premises that two numbers differ. Knows where premises stand; nothing of how a side is decided.
 */
#include "claim/sides.h"

#include <assert.h>

#include "claim/model/definition.h"
#include "claim/model/evaluate.h"
#include "language/chance_call.h"
#include "language/tree.h"
#include "language/write.h"

static const qkv__comparison sides[] = {QKV__LESS, QKV__GREATER};

/* Where the premise stands: among the conditions, in a `given`, or in front of `implies`. */
typedef struct place {
    const qkv__node *premise; /* NULL: there is none */
    size_t condition, given;
    bool is_given, is_implied;
} place;

/* Whether a node speaks of an index that a condition binds: its value is another one for each. */
static bool speaks_of_index(const qkv__circumstances *circumstances, const qkv__node *node)
{
    for (size_t i = 0; i < circumstances->count; i++) {
        const qkv__node *domain = circumstances->item[i].node;
        if (domain != NULL && qkv__is_index_domain(domain) &&
            qkv__node_names(node, domain->child[0]->text))
            return true;
    }
    return false;
}

/* Matrices may differ where neither is less than the other, and so may vectors. */
static bool says_numbers_differ(qkv__model *model, const qkv__circumstances *circumstances,
                                const qkv__node *node)
{
    qkv__value value;
    if (node == NULL || node->kind != QKV__NODE_COMPARE || node->comparison != QKV__NOT_EQUAL)
        return false;
    if (qkv__is_index_domain(node) ? qkv__parameter_find(&model->algebra, node->child[0]->text) < 0
                                   : speaks_of_index(circumstances, node))
        return false;
    for (size_t i = 0; i < 2; i++)
        if (qkv__model_is_symbolic(model, node->child[i]) ||
            !qkv__model_value(model, node->child[i], NULL, &value) ||
            value.kind != QKV__VALUE_SCALAR)
            return false;
    return true;
}

static place find_place(qkv__model *model, const qkv__node *proposition,
                        const qkv__circumstances *circumstances)
{
    for (size_t i = 0; i < circumstances->count; i++) {
        const qkv__circumstance *c = &circumstances->item[i];
        const bool premise = c->kind == QKV__CONDITION_RANGE || c->kind == QKV__CONDITION_AT ||
                             c->kind == QKV__CONDITION_GIVEN;
        if (premise && says_numbers_differ(model, circumstances, c->node))
            return (place){.premise = c->node, .condition = i};
    }
    for (size_t i = 0; i < model->premise_count; i++)
        if (says_numbers_differ(model, circumstances, model->premise[i]))
            return (place){.premise = model->premise[i], .given = i, .is_given = true};
    if (proposition->kind == QKV__NODE_IMPLIES &&
        says_numbers_differ(model, circumstances, proposition->child[0]))
        return (place){.premise = proposition->child[0], .is_implied = true};
    return (place){0};
}

const qkv__node *qkv__premise_with_sides(qkv__model *model, const qkv__node *proposition,
                                         const qkv__circumstances *circumstances)
{
    return find_place(model, proposition, circumstances).premise;
}

/* Decides with another premise in its place. */
static bool decide_side(qkv__model *model, const qkv__node *proposition,
                        const qkv__circumstances *circumstances, const place *at,
                        qkv__comparison comparison, qkv__decider *decide, qkv__finding *finding)
{
    qkv__arena *arena = &model->algebra.arena;
    qkv__circumstances own = *circumstances;
    qkv__node *side = qkv__node_like(arena, at->premise, QKV__NODE_COMPARE, at->premise->child,
                                     at->premise->count);
    if (side == NULL) return false;
    side->comparison = comparison;
    if (at->is_implied) {
        const qkv__node *both[] = {side, proposition->child[1]};
        proposition = qkv__node_like(arena, proposition, QKV__NODE_IMPLIES, both, 2);
        if (proposition == NULL) return false;
    } else if (at->is_given) {
        model->premise[at->given] = side;
    } else {
        own.item[at->condition].node = side;
    }
    decide(model, proposition, &own, finding);
    if (at->is_given) model->premise[at->given] = at->premise;
    return true;
}

static bool may_be_split(const qkv__model *model, const qkv__node *proposition,
                         const qkv__circumstances *circumstances)
{
    if (model->chance_count > 0 || model->noise != 0 || qkv__speaks_of_chance(proposition))
        return false; /* under a premise about what is random the law is another one */
    for (size_t i = 0; i < circumstances->count; i++)
        if (circumstances->item[i].kind == QKV__CONDITION_LIMIT) return false;
    return true;
}

/* It holds where t < 0, and where t > 0. */
static void tell_sides(const qkv__node *premise, const bool *met, qkv__finding *finding)
{
    qkv__text text = {0};
    qkv__node side = *premise;
    const qkv__node *turned[] = {premise->child[1], premise->child[0]};
    const bool turn = premise->child[0]->kind == QKV__NODE_NUMBER; /* 0 != t */
    if (turn) side.child = turned;
    qkv__text_format(&text, "It holds");
    for (size_t i = 0; i < 2; i++) {
        if (!met[turn ? 1 - i : i]) continue;
        qkv__text_format(&text, i == 1 && met[0] && met[1] ? ", and where " : " where ");
        side.comparison = sides[i];
        qkv__node_write(&side, &text);
    }
    qkv__text_format(&text, ".");
    qkv__text_free(&finding->found); /* of one side */
    qkv__text_free(&finding->reason);
    finding->reason = text;
}

bool qkv__decide_sides(qkv__model *model, const qkv__node *proposition,
                       const qkv__circumstances *circumstances, qkv__decider *decide,
                       qkv__finding *finding)
{
    assert(finding->verdict == QKV__UNDECIDED);
    bool met[2] = {false, false};
    const place at = find_place(model, proposition, circumstances);
    if (at.premise == NULL || !may_be_split(model, proposition, circumstances)) return false;
    qkv__finding whole = {.engine = "", .empty = true};
    for (size_t i = 0; i < 2; i++) {
        qkv__finding one = {.engine = ""};
        const bool asked =
            decide_side(model, proposition, circumstances, &at, sides[i], decide, &one);
        if (asked && one.empty) { /* nothing is on this side */
            qkv__finding_free(&one);
            continue;
        }
        qkv__finding_free(&whole);
        met[i] = true;
        whole = one;
        whole.uniform = false;
        if (!asked || one.verdict == QKV__UNDECIDED || one.culprit != NULL) break;
        if (one.verdict == QKV__REFUTED) break;
    }
    if (whole.empty || whole.verdict == QKV__UNDECIDED || whole.culprit != NULL) {
        qkv__finding_free(&whole);
        return false;
    }
    if (whole.verdict == QKV__PROVED) tell_sides(at.premise, met, &whole);
    qkv__finding_free(finding);
    *finding = whole;
    return true;
}
