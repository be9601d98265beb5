/* What can be drawn, case by case. Knows laws and names; nothing of how a case is decided. */
#include "claim/draws.h"

#include <assert.h>
#include <string.h>

#include "language/chance_call.h"
#include "language/tree.h"

enum { CASES = 3 }; /* numbers that are 0 or 1 */

static bool is_name(const qkv__node *node, const void *name)
{
    return qkv__node_is(node, name);
}

static bool is_free(const qkv__parameter *known)
{
    return !known->lower.known && !known->upper.known;
}

/* Between the ends of its law, where they are numbers; the ends themselves have no probability. */
static void bound_by_law(qkv__situation *s, const qkv__chance *chance)
{
    qkv__parameter *known = &s->model->algebra.parameter[chance->parameter];
    qkv__rational low = qkv__rational_whole(0), high = qkv__rational_whole(0);
    if (!is_free(known) ||
        (chance->has_low && !qkv__ratio_is_constant(qkv__situation_apply(s, chance->low), &low)) ||
        (chance->has_high && !qkv__ratio_is_constant(qkv__situation_apply(s, chance->high), &high)))
        return;
    known->lower = (qkv__bound){.known = chance->has_low, .strict = true, .value = low};
    known->upper = (qkv__bound){.known = chance->has_high, .strict = true, .value = high};
}

typedef struct drawing {
    const qkv__node *proposition;
    qkv__verdict (*decide)(qkv__situation *, const qkv__node *);
    size_t count;
    int parameter[CASES];
} drawing;

/* Both values of a number that is 0 or 1: proved in all cases, or refuted in one. */
static qkv__verdict decide_cases(qkv__situation *s, const drawing *d, size_t at)
{
    if (at == d->count || at == CASES) return d->decide(s, d->proposition);
    qkv__verdict verdict = QKV__UNDECIDED;
    for (int value = 0; value < 2; value++) {
        qkv__scope scope = qkv__situation_open(s);
        qkv__parameter *known = &s->model->algebra.parameter[d->parameter[at]];
        known->lower = known->upper =
            (qkv__bound){.known = true, .value = qkv__rational_whole(value)};
        qkv__finding_free(s->finding);
        s->finding->found = s->finding->reason = (qkv__text){0};
        verdict = decide_cases(s, d, at + 1);
        qkv__situation_close(s, &scope);
        if (verdict != QKV__PROVED || s->finding->culprit != NULL) return verdict;
    }
    return verdict;
}

qkv__verdict qkv__decide_draws(qkv__situation *s, const qkv__node *proposition,
                               qkv__verdict (*decide)(qkv__situation *, const qkv__node *))
{
    drawing d = {.proposition = proposition, .decide = decide};
    const qkv__model *model = s->model;
    if (model->chance_count == 0 || s->limit_count > 0 || qkv__speaks_of_chance(proposition))
        return decide(s, proposition);
    qkv__scope scope = qkv__situation_open(s);
    for (size_t i = 0; i < model->chance_count; i++) {
        const qkv__chance *chance = &model->chance[i];
        const qkv__parameter *known = &model->algebra.parameter[chance->parameter];
        bound_by_law(s, chance);
        if (chance->law != QKV__LAW_BERNOULLI || !is_free(known) || d.count == CASES ||
            !qkv__node_rests_on(model->statements, proposition, is_name, known->name))
            continue;
        d.parameter[d.count++] = chance->parameter;
    }
    const qkv__verdict verdict = decide_cases(s, &d, 0);
    qkv__situation_close(s, &scope);
    if (verdict == QKV__PROVED && d.count > 0) {
        qkv__text_free(&s->finding->found); /* it is of one case */
        qkv__text_free(&s->finding->reason);
        qkv__situation_say(s, "It holds for 0 and for 1, which is all that can be drawn.");
    }
    return verdict;
}
