/* Which engine takes a comparison: chance and samples where it speaks of P and E, words where it
 * has matrices of symbolic size, hulls, else values. Knows the engines by name; nothing of how they
 * decide. */
#include "claim/engine.h"

#include "claim/chance/chance.h"
#include "claim/compare/compare.h"
#include "claim/design/design.h"
#include "claim/model/definition.h"
#include "claim/model/evaluate.h"
#include "claim/premise/gap.h"
#include "claim/premise/ties.h"
#include "claim/sample/sample.h"
#include "claim/words/words_engine.h"
#include "language/chance_call.h"

/* By formulas and integrals; else by samples. */
static qkv__verdict compare_chance(qkv__situation *s, const qkv__node *node)
{
    qkv__told told = {s->finding->found.length, s->finding->reason.length};
    qkv__verdict verdict = qkv__compare_chance(s, node);
    return verdict == QKV__UNDECIDED ? qkv__sample_decide(s, node, told) : verdict;
}

static qkv__verdict compare_words(qkv__situation *s, const qkv__node *node)
{
    if (node->comparison != QKV__EQUAL)
        return qkv__situation_undecided(s, "of symbolic matrices only equations can be decided");
    if (s->has_tolerance && !qkv__is_not_negative(s, s->tolerance))
        return qkv__situation_undecided(s, "a tolerance that may be negative");
    qkv__decide_words(s->model, node, s->circumstances, s->finding);
    if (s->has_tolerance && s->finding->verdict == QKV__REFUTED) { /* they may be near */
        qkv__finding_free(s->finding);
        return qkv__situation_undecided(s, "of matrices nearness is not decided");
    }
    if (s->finding->verdict == QKV__REFUTED && s->weakened) { /* a premise was left out */
        qkv__finding_free(s->finding);
        return qkv__situation_undecided(s, "conditions on matrices are assumptions: say assume");
    }
    return s->finding->verdict;
}

qkv__verdict qkv__compare(qkv__situation *s, const qkv__node *node)
{
    qkv__value x, y;
    qkv__failure failure = {0};
    const qkv__node *culprit = node;
    bool random = s->model->chance_count > 0 || s->model->noise != 0;
    if (s->limit_count > 0 && random && qkv__ties_hold_node(s, node))
        return qkv__situation_undecided(
            s, "a premise makes something in the claim depend on the limit");
    for (size_t l = 0; random && l < s->limit_count; l++) /* noise grows with its dimension */
        if (s->model->algebra.parameter[s->limit[l].parameter].whole)
            return qkv__situation_undecided(
                s, "limits in the number or dimension of random keys are not supported");
    if (qkv__speaks_of_chance(node)) return compare_chance(s, node);
    if (node->comparison == QKV__IN && node->child[1]->kind == QKV__NODE_RANGE)
        return qkv__compare_interval(s, node);
    if (qkv__model_is_symbolic(s->model, node)) return compare_words(s, node);
    if (!qkv__model_evaluate(s->model, node->child[0], s->locals, &x, &failure, &culprit) ||
        !qkv__model_evaluate(s->model, node->child[1], s->locals, &y, &failure, &culprit))
        return qkv__situation_failed(s, &failure, culprit);
    if ((node->comparison == QKV__IN || node->comparison == QKV__NOT_IN) &&
        y.kind == QKV__VALUE_HULL)
        return qkv__decide_hull(s, &x, &y, node->comparison == QKV__NOT_IN);
    return qkv__compare_values(s, node, x, y);
}
