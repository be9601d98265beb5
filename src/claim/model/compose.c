/* Expressions that engines write. Knows syntax and definitions; nothing of values. */
#include "claim/model/compose.h"

#include <string.h>

#include "claim/model/binding.h"
#include "language/tree.h"

static qkv__node *make(qkv__model *model, qkv__node_kind kind, const char *text,
                       const qkv__node *one, const qkv__node *other, size_t count)
{
    if (one == NULL) return NULL;
    const qkv__node like = {.place = one->place, .text = text};
    const qkv__node *child[] = {one, other};
    return qkv__node_like(&model->algebra.arena, &like, kind, child, count);
}

qkv__node *qkv__compose_unary(qkv__model *model, qkv__node_kind kind, const char *text,
                              const qkv__node *one)
{
    return make(model, kind, text, one, NULL, 1);
}

qkv__node *qkv__compose_binary(qkv__model *model, qkv__node_kind kind, const qkv__node *one,
                               const qkv__node *other)
{
    return make(model, kind, "", one, other, 2);
}

const qkv__node *qkv__compose_number(qkv__model *model, qkv__rational value, qkv__place place)
{
    return qkv__node_number(&model->algebra.arena, value, place);
}

const qkv__node *qkv__compose_name(qkv__model *model, const char *name, qkv__place place)
{
    return qkv__node_name(&model->algebra.arena, name, place);
}

const qkv__node *qkv__compose_square(qkv__model *model, const qkv__node *x)
{
    if (x == NULL) return NULL;
    return qkv__compose_binary(model, QKV__NODE_POWER, x,
                               qkv__compose_number(model, qkv__rational_whole(2), x->place));
}

qkv__node *qkv__compose_like(qkv__model *model, const qkv__node *node,
                             const qkv__node *const *child)
{
    return qkv__node_like(&model->algebra.arena, node, node->kind, child, node->count);
}

const qkv__node *qkv__compose_renamed(qkv__model *model, const qkv__node *node, const char *from,
                                      const char *to)
{
    const bool named = node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_SUM;
    if (node->count == 0 && !(named && strcmp(node->text, from) == 0)) return node;
    const qkv__node **child =
        qkv__arena_array(&model->algebra.arena, node->count + 1, sizeof *child);
    if (child == NULL) return NULL;
    for (size_t i = 0; i < node->count; i++) {
        child[i] = qkv__compose_renamed(model, node->child[i], from, to);
        if (child[i] == NULL) return NULL;
    }
    qkv__node *made = qkv__compose_like(model, node, child);
    if (made != NULL && named && strcmp(node->text, from) == 0) made->text = to;
    return made;
}

/* ---- Definitions --------------------------------------------------------------------- */

/* A model, and a definition in it. */
typedef struct defined {
    const qkv__model *model;
    const qkv__binding *definition;
} defined;

static bool is_defined_again(const qkv__node *node, const void *context)
{
    const defined *d = context;
    if (!qkv__node_is_word(node)) return false;
    const qkv__binding *b = d->model->bindings;
    while (b != NULL && b != d->definition && strcmp(b->name, node->text) != 0) b = b->next;
    return b != NULL && b != d->definition;
}

bool qkv__compose_is_outdated(const qkv__model *model, const qkv__node *node,
                              const qkv__binding *definition)
{
    const defined d = {model, definition};
    return qkv__node_has(node, is_defined_again, &d);
}

/* A call of a function that is written out. */
typedef struct writing {
    qkv__model *model;
    const qkv__node *target, *call;
} writing;

/* The body of a function with the arguments put in; NULL where it binds names of its own. */
static const qkv__node *put_in(const qkv__node *body, void *context)
{
    const writing *w = context;
    for (size_t i = 0; i < w->target->count; i++)
        if (qkv__node_is(body, w->target->child[i]->text)) return w->call->child[i];
    if (body->kind == QKV__NODE_SUM || body->kind >= QKV__NODE_COMPARE) return NULL;
    return qkv__node_changed(&w->model->algebra.arena, body, put_in, context);
}

static const qkv__node *written_out(qkv__model *model, const qkv__statement *function,
                                    const qkv__node *call)
{
    writing w = {model, function->node[0], call};
    return put_in(function->node[1], &w);
}

const qkv__node *qkv__compose_unfolded(qkv__model *model, const qkv__binding *locals,
                                       const qkv__node *node)
{
    enum { DEPTH = 40 };
    for (int i = 0; i < DEPTH && node != NULL; i++) {
        if (node->kind != QKV__NODE_NAME && node->kind != QKV__NODE_CALL) return node;
        const qkv__binding *binding = qkv__model_find(model, locals, node->text);
        if (binding == NULL || binding->chance != NULL) return node;
        const qkv__statement *function = binding->function;
        if (node->kind == QKV__NODE_NAME && binding->body != NULL &&
            !qkv__compose_is_outdated(model, binding->body, binding))
            node = binding->body;
        else if (node->kind == QKV__NODE_CALL && function != NULL &&
                 function->node[0]->count == node->count &&
                 !qkv__compose_is_outdated(model, function->node[1], binding))
            node = written_out(model, function, node);
        else
            return node;
    }
    return node;
}
