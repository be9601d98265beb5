/* Walks through expressions with their definitions written out. Knows syntax and bindings, not
 * values. */
#include "claim/model/definition.h"

#include <assert.h>
#include <string.h>

#include "claim/model/binding.h"
#include "language/builtin.h"

/* Nodes of one definition written out, and how deep definitions lead into each other: far more than
 * anyone writes, and quickly walked. */
enum { LONGEST = 20000, DEEPEST = 32 };

typedef struct walk {
    const qkv__model *model;
    qkv__node_test test;          /* NULL: none, the walk only looks for an end */
    const qkv__statement *within; /* whose body is walked; NULL: the expression itself */
    size_t left;                  /* nodes that may still be walked */
    int depth;
} walk;

typedef enum outcome {
    NOTHING,
    FOUND,
    ENDLESS, /* deeper than definitions go without leading to themselves */
    LONG,
} outcome;

static bool is_parameter(const qkv__statement *function, const char *name)
{
    const qkv__node *target = function == NULL ? NULL : function->node[0];
    for (size_t i = 0; target != NULL && target->kind == QKV__NODE_CALL && i < target->count; i++)
        if (target->child[i]->text != NULL && strcmp(target->child[i]->text, name) == 0)
            return true;
    return false;
}

static outcome visit(walk *w, const qkv__node *node);

static outcome visit_body(walk *w, const qkv__statement *definition)
{
    assert(definition->kind == QKV__STATEMENT_DEFINE);
    const qkv__statement *outer = w->within;
    if (w->depth == DEEPEST) return ENDLESS;
    w->within = definition;
    w->depth++;
    outcome result = visit(w, definition->node[1]);
    w->depth--;
    w->within = outer;
    return result;
}

static outcome visit(walk *w, const qkv__node *node)
{
    bool named = (node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL) &&
                 !is_parameter(w->within, node->text);
    const qkv__binding *binding = named ? qkv__model_find(w->model, NULL, node->text) : NULL;
    bool unnamed = node->kind != QKV__NODE_NAME && node->kind != QKV__NODE_CALL;
    outcome result = NOTHING;
    if (w->left == 0) return LONG;
    w->left--;
    if (w->test != NULL && (named || unnamed) && w->test(w->model, node, binding)) return FOUND;
    if (binding != NULL && binding->function != NULL) result = visit_body(w, binding->function);
    for (size_t i = 0; result == NOTHING && i < node->count; i++) result = visit(w, node->child[i]);
    return result;
}

bool qkv__definition_any(const qkv__model *model, const qkv__node *node, qkv__node_test test)
{
    walk w = {.model = model, .test = test, .left = (size_t)LONGEST * 8};
    return visit(&w, node) == FOUND;
}

static bool is_symbolic(const qkv__model *model, const qkv__node *node, const qkv__binding *binding)
{
    (void)model;
    if (binding == NULL && qkv__builtin_kind_of(qkv__builtin_of(node)) == QKV__OF_MATRICES)
        return true;
    return binding != NULL && binding->symbolic != NULL;
}

bool qkv__model_is_symbolic(const qkv__model *model, const qkv__node *node)
{
    return qkv__definition_any(model, node, is_symbolic);
}

/* Older definitions may name the new one: they are walked again. */
bool qkv__definition_bind(qkv__model *model, const qkv__statement *statement)
{
    assert(statement->kind == QKV__STATEMENT_DEFINE);
    const qkv__binding *before = model->bindings;
    const char *name = statement->node[0]->text;
    outcome result = NOTHING;
    if (!qkv__model_bind(model, (qkv__binding){.name = name, .function = statement})) return false;
    for (const qkv__binding *b = model->bindings; result == NOTHING && b != NULL; b = b->next) {
        walk w = {.model = model, .left = LONGEST};
        if (b->function != NULL) result = visit_body(&w, b->function);
    }
    if (result == NOTHING) return true;
    model->bindings = before;
    return qkv__model_complain(
        model, statement->place,
        result == LONG ? "%s is too long when it is written out" : "%s is defined by itself", name);
}

/* ---- Names of numbers of chance, p = P(...)
 * ------------------------------------------------------------- */

/* The nodes around one that bind names of their own: for all p, exists p, a sum over p. */
typedef struct binder {
    const qkv__node *node;
    const struct binder *outer;
} binder;

static bool is_name(const qkv__node *node, const char *name)
{
    while (node->kind != QKV__NODE_NAME && node->count > 0) node = node->child[0];
    return node->kind == QKV__NODE_NAME && strcmp(node->text, name) == 0;
}

static bool binds(const qkv__node *node, const char *name)
{
    bool quantifier = node->kind == QKV__NODE_EXISTS || node->kind == QKV__NODE_FOR_ALL;
    for (size_t i = 0; quantifier && i + 1 < node->count; i++)
        if (is_name(node->child[i], name)) return true;
    return node->kind == QKV__NODE_SUM && strcmp(node->text, name) == 0;
}

/* Whether a binder binds some name of a node: written out under it, the name would mean another. */
static bool captures(const qkv__node *around, const qkv__node *node)
{
    if (node->kind == QKV__NODE_NAME && binds(around, node->text)) return true;
    for (size_t i = 0; i < node->count; i++)
        if (captures(around, node->child[i])) return true;
    return false;
}

/* Whether a name in what a number was defined as means something else by now. */
static bool is_outdated(const qkv__model *model, const qkv__node *node, const qkv__binding *number)
{
    if (node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL)
        for (const qkv__binding *b = model->bindings; b != NULL && b != number; b = b->next)
            if (strcmp(b->name, node->text) == 0) return true;
    for (size_t i = 0; i < node->count; i++)
        if (is_outdated(model, node->child[i], number)) return true;
    return false;
}

static const qkv__node *behind_name(const qkv__model *model, const qkv__node *node,
                                    const binder *around)
{
    if (node->kind != QKV__NODE_NAME) return NULL;
    const qkv__binding *b = qkv__model_find(model, NULL, node->text);
    for (; around != NULL; around = around->outer)
        if (binds(around->node, node->text) ||
            (b != NULL && b->chance != NULL && captures(around->node, b->chance)))
            return NULL;
    return b == NULL || b->chance == NULL || is_outdated(model, b->chance, b) ? NULL : b->chance;
}

static bool has_names(const qkv__model *model, const qkv__node *node, const binder *around)
{
    binder here = {node, around};
    if (behind_name(model, node, around) != NULL) return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_names(model, node->child[i], &here)) return true;
    return false;
}

static const qkv__node *expand(qkv__model *model, const qkv__node *node, const binder *around)
{
    binder here = {node, around};
    const qkv__node *there = behind_name(model, node, around);
    if (there != NULL || !has_names(model, node, around)) return there != NULL ? there : node;
    qkv__node *copy = qkv__arena_take(&model->algebra.arena, sizeof *copy);
    const qkv__node **child = qkv__arena_array(&model->algebra.arena, node->count, sizeof *child);
    if (copy == NULL || child == NULL) return NULL;
    *copy = *node;
    copy->child = child;
    for (size_t i = 0; i < node->count; i++) {
        child[i] = expand(model, node->child[i], &here);
        if (child[i] == NULL) return NULL;
    }
    return copy;
}

const qkv__node *qkv__chance_expand(qkv__model *model, const qkv__node *node)
{
    return expand(model, node, NULL);
}
