/* Walks through expressions with their definitions written out. Knows syntax and bindings, not
 * values. */
#include "claim/model/definition.h"

#include <assert.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/compose.h"
#include "language/builtin.h"
#include "language/tree.h"

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
    bool named = qkv__node_is_word(node) && !is_parameter(w->within, node->text);
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

static bool binds_it(const qkv__node *name, const void *around)
{
    return name->kind == QKV__NODE_NAME && qkv__node_binds(around, name->text);
}

static const qkv__node *behind_name(const qkv__model *model, const qkv__node *node,
                                    const binder *around)
{
    if (node->kind != QKV__NODE_NAME) return NULL;
    const qkv__binding *b = qkv__model_find(model, NULL, node->text);
    for (; around != NULL; around = around->outer)
        if (qkv__node_binds(around->node, node->text) ||
            (b != NULL && b->chance != NULL && qkv__node_has(b->chance, binds_it, around->node)))
            return NULL;
    return b == NULL || b->chance == NULL || qkv__compose_is_outdated(model, b->chance, b)
               ? NULL
               : b->chance;
}

typedef struct expansion {
    qkv__model *model;
    const binder *around;
} expansion;

static const qkv__node *expand(const qkv__node *node, void *context)
{
    const expansion *e = context;
    const binder here = {node, e->around};
    expansion below = {e->model, &here};
    const qkv__node *there = behind_name(e->model, node, e->around);
    return there != NULL ? there
                         : qkv__node_changed(&e->model->algebra.arena, node, expand, &below);
}

const qkv__node *qkv__chance_expand(qkv__model *model, const qkv__node *node)
{
    expansion e = {model, NULL};
    return expand(node, &e);
}
