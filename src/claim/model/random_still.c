/* Noise in every direction that vanishes: whether the conditions of a claim let it, and whether
 * what is asked means the same without it. Knows statements and values; nothing of probabilities.
 */
#include "claim/model/random_parameters.h"
#include "claim/model/random_still.h"

#include <assert.h>
#include <string.h>

#include "claim/model/evaluate.h"
#include "exact/sign.h"
#include "language/tree.h"

/* ---- Noise that vanishes ------------------------------------------------------------- */

static bool is_noise(const qkv__model *model, const qkv__node *node)
{
    int parameter =
        node->kind == QKV__NODE_NAME ? qkv__parameter_find(&model->algebra, node->text) : -1;
    return parameter >= 0 && qkv__parameter_set_has(model->noise, parameter);
}

static bool is_zero(const qkv__node *node)
{
    return node->kind == QKV__NODE_NUMBER && qkv__rational_is_zero(node->value);
}

/* alpha = 0, alpha > 0, alpha < 1/100: what noise that has vanished, or is about to, meets. */
bool qkv__random_is_met(const qkv__model *model, const qkv__node *condition)
{
    if (!model->still || condition->kind != QKV__NODE_COMPARE ||
        !is_noise(model, condition->child[0]) || condition->child[1]->kind != QKV__NODE_NUMBER)
        return false;
    int sign = qkv__rational_sign(condition->child[1]->value);
    switch (condition->comparison) {
    case QKV__EQUAL:
    case QKV__GREATER:
    case QKV__GREATER_OR_EQUAL: return sign == 0;
    case QKV__LESS:
    case QKV__LESS_OR_EQUAL: return sign > 0;
    default: return false;
    }
}

void qkv__random_meet(qkv__model *model, const qkv__node *condition)
{
    assert(condition->kind == QKV__NODE_COMPARE);
    qkv__bound zero = {.known = true, .value = qkv__rational_whole(0)};
    if (condition->comparison != QKV__EQUAL) return;
    int parameter = qkv__parameter_find(&model->algebra, condition->child[0]->text);
    qkv__parameter *known = &model->algebra.parameter[parameter];
    if (!known->lower.known || qkv__rational_sign(known->lower.value) <= 0) known->lower = zero;
    if (!known->upper.known || qkv__rational_sign(known->upper.value) >= 0) known->upper = zero;
}

/* ---- What measures noise ------------------------------------------------------------- */

/* Definitions under way: one that leads to itself says nothing new. */
typedef struct opened {
    const char *name;
    const struct opened *next;
} opened;

/* A walk through what is asked, definitions included, for some parameters. */
typedef struct measure {
    const qkv__model *model;
    qkv__parameter_set of;
    size_t left; /* how many more nodes may be visited before the answer is "unknown" */
} measure;

static bool mentions(measure *m, const qkv__node *node, const opened *names);

static bool part_mentions(measure *m, const qkv__node *node, size_t first, const opened *names)
{
    for (size_t i = first; i < node->count; i++)
        if (mentions(m, node->child[i], names)) return true;
    return false;
}

/* x in x = ..., x[1] = ..., f(x) = ..., keys k[1..n], keys k = ..., keys k[i] ~ ... */
static const char *target_of(const qkv__node *node)
{
    bool named = qkv__node_is_word(node);
    return named || node->count == 0 ? node->text : target_of(node->child[0]);
}

/* Behind the name, of a family; all of norm(x). */
static size_t first_part(const qkv__node *node)
{
    return node->kind == QKV__NODE_CALL ? 0 : 1;
}

static bool is_target(const qkv__statement *s, const char *name)
{
    size_t last = s->kind == QKV__STATEMENT_FAMILY ? s->count : 1;
    for (size_t i = 0; i < last; i++)
        if (strcmp(target_of(s->node[i]), name) == 0) return true;
    return false;
}

/* What a statement says of its name; of keys the mean, since their noise is what vanishes. */
static bool says(measure *m, const qkv__statement *s, const opened *names)
{
    for (size_t i = s->kind == QKV__STATEMENT_DEFINE ? 1 : 0; i < s->count; i++) {
        const qkv__node *node = s->node[i];
        bool drawn = node->kind == QKV__NODE_COMPARE && node->comparison == QKV__DISTRIBUTED;
        if (drawn && node->child[1]->count > 0) {
            if (mentions(m, node->child[1]->child[0], names)) return true;
        } else if (s->kind == QKV__STATEMENT_DEFINE
                       ? mentions(m, node, names)
                       : part_mentions(m, node, first_part(node), names)) {
            return true;
        }
    }
    return false;
}

static bool is_said(measure *m, const qkv__statement *first, const opened *names)
{
    for (const qkv__statement *s = first; s != NULL; s = s->next) {
        bool defines = s->kind == QKV__STATEMENT_DEFINE || s->kind == QKV__STATEMENT_FAMILY;
        if (s->kind == QKV__STATEMENT_PROBLEM && s != first) break;
        if (s->kind == QKV__STATEMENT_BLOCK && is_said(m, s->inside, names)) return true;
        if (defines && is_target(s, names->name) && says(m, s, names)) return true;
    }
    return false;
}

static bool name_mentions(measure *m, const char *name, const opened *names)
{
    int parameter = qkv__parameter_find(&m->model->algebra, name);
    opened this = {name, names};
    if (parameter >= 0 && qkv__parameter_set_has(m->of, parameter)) return true;
    for (; names != NULL; names = names->next)
        if (strcmp(names->name, name) == 0) return false;
    return is_said(m, m->model->statements, &this);
}

static bool mentions(measure *m, const qkv__node *node, const opened *names)
{
    if (m->left == 0) return true;
    m->left--;
    bool named = qkv__node_is_word(node);
    return (named && name_mentions(m, node->text, names)) || part_mentions(m, node, 0, names);
}

/* Whether something that is asked, or given, compares with how wide the noise is. */
static bool measures(const qkv__model *model, qkv__parameter_set of,
                     const qkv__circumstances *circumstances, const qkv__node *asked)
{
    measure m = {.model = model, .of = of, .left = 20000};
    for (size_t i = 0; i < circumstances->count; i++) {
        const qkv__circumstance *c = &circumstances->item[i];
        if (c->kind != QKV__CONDITION_LIMIT && c->node != NULL &&
            !qkv__random_is_met(model, c->node) && mentions(&m, c->node, NULL))
            return true;
    }
    for (size_t i = 0; i < model->premise_count; i++)
        if (!qkv__random_is_met(model, model->premise[i]) && mentions(&m, model->premise[i], NULL))
            return true;
    return model->deferred_count > 0 || mentions(&m, asked, NULL);
}

/* ---- Whether it vanishes ------------------------------------------------------------- */

/* Which parameters are 0, and which tend to 0 before another limit is taken. */
typedef struct vanishing {
    qkv__parameter_set at_zero, to_zero;
    bool first; /* no limit to something else was met */
} vanishing;

static void read_condition(const qkv__model *model, const qkv__circumstance *c, vanishing *v)
{
    bool limit = c->kind == QKV__CONDITION_LIMIT;
    const qkv__node *node = c->node;
    if (node == NULL || node->kind != QKV__NODE_COMPARE) return;
    bool gone = is_zero(node->child[1]) && is_noise(model, node->child[0]);
    if (limit && !gone) v->first = false;
    if (!gone) return;
    qkv__parameter_set one = (qkv__parameter_set)1
                             << qkv__parameter_find(&model->algebra, node->child[0]->text);
    if (limit && v->first) v->to_zero |= one;
    if (!limit && node->comparison == QKV__EQUAL) v->at_zero |= one;
}

/* Whether all noise in every direction is 0 where these parameters are. */
static bool vanishes(qkv__model *model, qkv__parameter_set zero)
{
    qkv__algebra *algebra = &model->algebra;
    if (zero == 0 || model->scale_count == 0 || model->scale_count > QKV__CHANCES) return false;
    for (size_t i = 0; i < model->scale_count; i++) {
        qkv__ratio scale = model->scale[i];
        for (int p = 0; p < (int)algebra->parameter_count; p++)
            if (qkv__parameter_set_has(zero, p))
                scale = qkv__ratio_substitute(algebra, scale, p, qkv__form_whole(algebra, 0));
        if (qkv__ratio_is_lost(scale) || !qkv__ratio_is_zero(scale)) return false;
    }
    return true;
}

/* ---- Conditions that need the noise -------------------------------------------------- */

/* Whether keys that are drawn stand in a node, by way of definitions too. */
static bool names_random(const qkv__model *model, const qkv__node *node, int depth)
{
    enum { DEEPEST = 64 };
    if (depth > DEEPEST) return true;
    bool named = qkv__node_is_word(node);
    for (const qkv__statement *s = model->statements; named && s != NULL;
         s = qkv__statement_after(s)) {
        bool family = s->kind == QKV__STATEMENT_FAMILY && s->node[0]->kind == QKV__NODE_COMPARE &&
                      s->node[0]->comparison == QKV__DISTRIBUTED;
        if ((!family && s->kind != QKV__STATEMENT_DEFINE) ||
            strcmp(target_of(s->node[0]), node->text) != 0)
            continue;
        if (family || names_random(model, s->node[1], depth + 1)) return true;
    }
    for (size_t i = 0; i < node->count; i++)
        if (names_random(model, node->child[i], depth + 1)) return true;
    return false;
}

/* Whether a condition on what is random holds in the limit for certain, or is one on the random
 * numbers that stay: then it means the same without the noise. */
static bool stays_meant(qkv__model *model, const qkv__node *node)
{
    qkv__value x, y;
    qkv__ratio left, right;
    if (!names_random(model, node, 0)) return true;
    if (node->kind == QKV__NODE_AND)
        return stays_meant(model, node->child[0]) && stays_meant(model, node->child[1]);
    if (node->kind != QKV__NODE_COMPARE || node->comparison > QKV__GREATER_OR_EQUAL ||
        !qkv__model_value(model, node->child[0], NULL, &x) ||
        !qkv__model_value(model, node->child[1], NULL, &y) || !qkv__value_as_ratio(&x, &left) ||
        !qkv__value_as_ratio(&y, &right))
        return false;
    qkv__ratio difference = qkv__ratio_subtract(&model->algebra, left, right);
    if (qkv__random_touches(model, difference)) return true;
    qkv__sign sign = qkv__ratio_sign(&model->algebra, difference);
    bool above = node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL;
    bool below = node->comparison == QKV__LESS || node->comparison == QKV__LESS_OR_EQUAL;
    return (above && sign == QKV__SIGN_POSITIVE) || (below && sign == QKV__SIGN_NEGATIVE);
}

/* The premises of implications in what is asked. */
static bool premises_stay(qkv__model *model, const qkv__node *node)
{
    if (node->kind == QKV__NODE_IMPLIES && !stays_meant(model, node->child[0])) return false;
    for (size_t i = 0; i < node->count; i++)
        if (!premises_stay(model, node->child[i])) return false;
    return true;
}

static bool conditions_stay(qkv__model *model, const qkv__circumstances *circumstances)
{
    for (size_t i = 0; i < circumstances->count; i++)
        if (qkv__circumstance_is_premise(&circumstances->item[i]) &&
            !stays_meant(model, circumstances->item[i].node))
            return false;
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s)) {
        for (size_t i = 0; s->kind == QKV__STATEMENT_GIVEN && i < s->count; i++)
            if (!stays_meant(model, s->node[i])) return false;
    }
    return true;
}

bool qkv__random_is_still(qkv__model *model, const qkv__circumstances *circumstances,
                          const qkv__node *asked)
{
    vanishing v = {.first = true};
    for (size_t i = 0; i < circumstances->count; i++)
        read_condition(model, &circumstances->item[i], &v);
    if (vanishes(model, v.at_zero)) return true;
    return vanishes(model, v.at_zero | v.to_zero) &&
           (asked == NULL || !measures(model, v.to_zero, circumstances, asked)) &&
           conditions_stay(model, circumstances) && (asked == NULL || premises_stay(model, asked));
}
