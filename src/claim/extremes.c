/* The largest and the smallest of many. Knows syntax; nothing of values nor of verdicts. */
#include "claim/extremes.h"

#include <assert.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/bound.h"
#include "language/builtin.h"
#include "language/tree.h"

/* max(x for i in S), or a name that was defined as that; NULL: it is neither. */
static const qkv__node *extreme(const qkv__model *model, const qkv__node *node, bool *largest)
{
    if (node->kind == QKV__NODE_NAME) {
        const qkv__binding *binding = qkv__model_find(model, NULL, node->text);
        if (binding == NULL || binding->body == NULL || binding->chance != NULL) return NULL;
        node = binding->body;
    }
    const qkv__builtin function = qkv__builtin_of(node);
    *largest = function == QKV__BUILTIN_MAX;
    if (!*largest && function != QKV__BUILTIN_MIN) return NULL;
    return qkv__call_is_over(node) ? node->child[0] : NULL;
}

static const qkv__node *pair(qkv__model *model, const qkv__node *like, qkv__node_kind kind,
                             const qkv__node *first, const qkv__node *second)
{
    return qkv__node_pair(&model->algebra.arena, like, kind, first, second);
}

/* Whether a name is free in a tree: not only the index of sums within it. k_i names i, too. */
static bool names_free(const qkv__node *node, const char *name)
{
    const size_t length = strlen(name), own = strlen(node->text);
    if (node->kind == QKV__NODE_SUM && strcmp(node->text, name) == 0)
        return names_free(node->child[1]->child[1], name);
    if (qkv__node_is_word(node) && own >= length && strcmp(node->text + own - length, name) == 0 &&
        (own == length || node->text[own - length - 1] == '_'))
        return true;
    for (size_t i = 0; i < node->count; i++)
        if (names_free(node->child[i], name)) return true;
    return false;
}

/* Whether a sum or a function may be taken of another index and of this one. */
static bool mixes(const qkv__node *node, const void *name)
{
    if (node->kind == QKV__NODE_SUM && names_free(node->child[0], name) &&
        strcmp(node->text, name) != 0)
        return true;
    return node->kind == QKV__NODE_CALL && qkv__builtin_of(node) == QKV__BUILTIN_NONE;
}

static bool is_mixed(const qkv__node *node, const void *model)
{
    bool largest;
    const qkv__node *over = extreme(model, node, &largest);
    return over != NULL && qkv__node_has(over->child[0], mixes, over->text);
}

bool qkv__extreme_mixes(const qkv__model *model, const qkv__node *node)
{
    return qkv__node_has(node, is_mixed, model);
}

const qkv__node *qkv__extreme_as_all(qkv__model *model, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE && node->count == 2);
    qkv__comparison comparison = node->comparison;
    if (comparison < QKV__LESS || comparison > QKV__GREATER_OR_EQUAL) return NULL;
    for (int side = 0; side < 2; side++, comparison = qkv__comparison_mirror(comparison)) {
        bool largest, less = comparison == QKV__LESS || comparison == QKV__LESS_OR_EQUAL;
        const qkv__node *over = extreme(model, node->child[side], &largest);
        const qkv__node *other = node->child[1 - side];
        if (over == NULL || largest != less || names_free(other, over->text)) continue;
        return pair(model, node, QKV__NODE_FOR_ALL, over->child[1],
                    qkv__model_comparison(model, over->child[0], comparison, other));
    }
    return NULL;
}

/* An extreme that gives way to a name. */
typedef struct replacement {
    qkv__model *model;
    const qkv__node *name, *over; /* over: what it was the extreme of; NULL: not found yet */
    bool largest;
} replacement;

/* The tree with its first extreme replaced by a name; itself where there is none. What is bound or
 * differentiated is not looked into. */
static const qkv__node *replace(const qkv__node *node, void *context)
{
    replacement *r = context;
    const qkv__builtin function = qkv__builtin_of(node);
    if (r->over != NULL || node->kind == QKV__NODE_SUM || function == QKV__BUILTIN_DERIVATIVE ||
        function == QKV__BUILTIN_GRADIENT)
        return node;
    r->over = extreme(r->model, node, &r->largest);
    if (r->over != NULL) return r->name;
    return qkv__node_changed(&r->model->algebra.arena, node, replace, r);
}

const qkv__node *qkv__extreme_as_bound(qkv__model *model, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE && node->count == 2);
    static const char *const names[] = {"the extreme", "another extreme"};
    qkv__node *name = qkv__arena_take(&model->algebra.arena, sizeof *name);
    if (name == NULL) return NULL;
    *name = (qkv__node){.kind = QKV__NODE_NAME, .place = node->place, .depth = 1};
    for (size_t i = 0; i < 2 && name->text == NULL; i++)
        if (!qkv__node_names(node, names[i])) name->text = names[i];
    if (name->text == NULL) return NULL;
    replacement r = {.model = model, .name = name};
    const qkv__node *rest = replace(node, &r);
    if (r.over == NULL || qkv__model_parameter(model, name->text) < 0) return NULL;
    const qkv__node *bound = qkv__model_comparison(
        model, r.over->child[0], r.largest ? QKV__LESS_OR_EQUAL : QKV__GREATER_OR_EQUAL, name);
    return pair(model, node, QKV__NODE_IMPLIES,
                pair(model, node, QKV__NODE_FOR_ALL, r.over->child[1], bound), rest);
}
