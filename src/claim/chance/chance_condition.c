/*
 * Conditions on random numbers. A condition changes the law that P and E speak of, so that none may
 * be left out, as it may where a claim is meant for all that is free. Bounds of a normal parameter
 * with a law of its own are taken as such (chance.c); any other condition on what is random leaves
 * the claim to samples. Knows conditions and laws; decides nothing.
 */
#include <assert.h>
#include <string.h>

#include "claim/chance/chance_part.h"
#include "claim/model/evaluate.h"
#include "claim/model/random_declare.h"
#include "claim/model/random_parameters.h"
#include "claim/model/random_still.h"
#include "claim/premise/gap.h"
#include "language/tree.h"

/* Whether a ratio is random in one normal parameter alone, and a bound of it is known. */
static bool is_bound(const qkv__situation *s, qkv__ratio ratio)
{
    const qkv__model *model = s->model;
    int found = -1;
    for (int p = 0; p < (int)model->algebra.parameter_count; p++) {
        if (!qkv__ratio_depends_on(ratio, p) || !qkv__random_is(model, p)) continue;
        if (found >= 0 || qkv__random_product(model, p) != NULL) return false;
        found = p;
    }
    if (found < 0) return true; /* nothing random */
    const qkv__parameter *known = &model->algebra.parameter[found];
    return known->lower.known || known->upper.known;
}

/* x - y where both are numbers; false where that is not known. */
static bool difference_of(qkv__situation *s, const qkv__node *node, qkv__ratio *difference)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__value x, y;
    return qkv__model_value(s->model, node->child[0], s->locals, &x) &&
           qkv__model_value(s->model, node->child[1], s->locals, &y) &&
           x.kind == QKV__VALUE_SCALAR && y.kind == QKV__VALUE_SCALAR &&
           qkv__surd_difference(s, x.scalar, y.scalar, difference);
}

/* A range, 0 .. 1, has both ends for sides. */
static bool is_harmless(qkv__situation *s, const qkv__node *node)
{
    qkv__ratio difference;
    if (node->kind == QKV__NODE_NAME || qkv__random_is_met(s->model, node) ||
        qkv__situation_is_index(s, node))
        return true;
    if (node->kind == QKV__NODE_AND)
        return is_harmless(s, node->child[0]) && is_harmless(s, node->child[1]);
    if (node->kind != QKV__NODE_COMPARE) return false;
    if (node->comparison == QKV__IN && node->child[1]->kind == QKV__NODE_RANGE) {
        for (int i = 0; i < 2; i++) {
            const qkv__node *sides[] = {node->child[0], node->child[1]->child[i]};
            qkv__node side = *node;
            side.child = sides;
            if (!difference_of(s, &side, &difference) || !is_bound(s, difference)) return false;
        }
        return true;
    }
    return difference_of(s, node, &difference) && is_bound(s, difference);
}

/* Whether a random number is bounded or replaced: by a condition of the claim, or a premise. */
static bool is_any_bounded(qkv__situation *s)
{
    for (size_t i = 0; i < s->model->chance_count; i++) {
        const qkv__parameter *known = &s->model->algebra.parameter[s->model->chance[i].parameter];
        if (known->lower.known || known->upper.known) return true;
    }
    return qkv__chance_is_replaced(s);
}

bool qkv__chance_is_conditioned(qkv__situation *s)
{
    if (!qkv__random_is_declared(s->model->statements)) return false;
    if (s->supposed && is_any_bounded(s)) return true;
    bool noisy = s->model->noisy, harmless = true;
    s->model->noisy = s->limit_count == 0;
    for (size_t i = 0; i < s->circumstances->count && harmless; i++)
        if (qkv__circumstance_is_premise(&s->circumstances->item[i]))
            harmless = is_harmless(s, s->circumstances->item[i].node);
    for (size_t i = 0; i < s->model->premise_count && harmless; i++)
        harmless = is_harmless(s, s->model->premise[i]);
    s->model->noisy = noisy;
    return !harmless;
}
