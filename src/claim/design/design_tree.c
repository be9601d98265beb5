/* Trees for the designer: definitions written out, copies with other children, and a proposition
 * decided again with its unknowns bound. Knows syntax and bindings; nothing of designs. */
#include <assert.h>
#include <string.h>

#include "claim/design/design_part.h"
#include "claim/model/binding.h"
#include "claim/premise/reach.h"
#include "language/tree.h"

/* How deep definitions lead into each other, and nodes that are walked for all of them. */
enum { EXPANSION_DEPTH = 64, EXPANSION_STEPS = 50000 };

/* ---- Definitions -------------------------------------------------------------------------- */

static bool is_before(qkv__place a, qkv__place b)
{
    return a.line < b.line || (a.line == b.line && a.column <= b.column);
}

/* What is defined at a place of the document: a definition counts from the next statement on, so
 * that x = x + y means the x before. */
typedef struct lookup {
    const char *name;
    qkv__place place;
    const qkv__statement *found, *last; /* the definition that counts; the statement at hand */
} lookup;

static void look_through(const qkv__statement *first, bool inside, lookup *l)
{
    for (const qkv__statement *s = first; s != NULL && is_before(s->place, l->place); s = s->next) {
        if (s->kind == QKV__STATEMENT_PROBLEM && s != first && !inside) break;
        if (l->last != NULL && l->last->kind == QKV__STATEMENT_DEFINE &&
            qkv__node_is(l->last->node[0], l->name))
            l->found = l->last;
        l->last = s;
        if (s->kind == QKV__STATEMENT_BLOCK) look_through(s->inside, true, l);
    }
}

/* The body of what the name meant where it stands; NULL for none. In a function it is what it means
 * where the function is called. */
static const qkv__node *definition(const qkv__design_task *task, const qkv__node *name)
{
    assert(name->kind == QKV__NODE_NAME);
    if (task->model == NULL) return NULL;
    lookup l = {.name = name->text, .place = name->place};
    look_through(task->model->statements, false, &l);
    if (l.last != NULL && l.last->kind == QKV__STATEMENT_DEFINE &&
        l.last->node[0]->kind == QKV__NODE_CALL) {
        l = (lookup){.name = name->text, .place = task->question->proposition->place};
        look_through(task->model->statements, false, &l);
    }
    return l.found == NULL ? NULL : l.found->node[1];
}

/* The last definition of a function above the question; NULL for none. */
static const qkv__statement *function(const qkv__design_task *task, const char *name)
{
    const qkv__statement *found = NULL,
                         *first = task->model == NULL ? NULL : task->model->statements;
    for (const qkv__statement *s = first;
         s != NULL && is_before(s->place, task->question->proposition->place); s = s->next) {
        if (s->kind == QKV__STATEMENT_PROBLEM && s != first) break;
        if (s->kind == QKV__STATEMENT_DEFINE && s->node[0]->kind == QKV__NODE_CALL &&
            strcmp(s->node[0]->text, name) == 0)
            found = s;
    }
    return found;
}

static bool binds_argument(const qkv__node *node, const void *target)
{
    const qkv__node *function = target;
    for (size_t i = 0; i < function->count; i++)
        if (qkv__node_binds(node, function->child[i]->text)) return true;
    return false;
}

/* A call of a function whose body is written out. */
typedef struct writing {
    qkv__arena *arena;
    const qkv__node *target, *call;
} writing;

/* A function's body with its arguments in place of their names. */
static const qkv__node *substitute(const qkv__node *body, void *context)
{
    const writing *w = context;
    for (size_t i = 0; i < w->target->count; i++)
        if (qkv__node_is(body, w->target->child[i]->text)) return w->call->child[i];
    return qkv__node_changed(w->arena, body, substitute, context);
}

static bool is_unknown(const qkv__design_task *task, const char *name)
{
    for (size_t i = 0; i < task->count; i++)
        if (strcmp(task->name[i], name) == 0) return true;
    return false;
}

bool qkv__design_mentions(const qkv__design_task *task, const qkv__node *node)
{
    for (size_t i = 0; i < task->count; i++)
        if (qkv__reaches(task->model, node, task->name[i])) return true;
    return false;
}

/* The names that stand in a tree are plain ones here, be they names, functions or families. */
bool qkv__design_hides(const qkv__design_task *task, const qkv__node *node)
{
    if (qkv__node_is_word(node)) {
        qkv__node name = {.kind = QKV__NODE_NAME, .text = node->text};
        if (!is_unknown(task, node->text) && qkv__design_mentions(task, &name)) return true;
    }
    size_t count = node->kind == QKV__NODE_INDEX ? 1 : node->count;
    for (size_t i = 0; i < count; i++)
        if (qkv__design_hides(task, node->child[i])) return true;
    return false;
}

/* Whether a node binds a name, in sum(x for i in S), that stands in what would be put into it. */
static bool captures(const qkv__node *node, const void *call)
{
    if (node->kind == QKV__NODE_SUM) return qkv__node_names(call, node->text);
    bool quantifier = node->kind == QKV__NODE_FOR_ALL || node->kind == QKV__NODE_EXISTS;
    for (size_t i = 0; quantifier && i + 1 < node->count; i++)
        if (qkv__node_names(call, qkv__bound_name(node->child[i]))) return true;
    return false;
}

/* A bound index by the name of its mark; NULL for the generic one, which has none. */
static const qkv__node *by_mark(qkv__design_task *task, const qkv__binding *local,
                                const qkv__node *node)
{
    if (local->value.member < 0) return NULL;
    return qkv__node_name(&task->model->algebra.arena, local->value.set->mark[local->value.member],
                          node->place);
}

/* Whether a tree refers to something that is defined by a name. */
static bool hides_name(const qkv__design_task *task, const qkv__node *node, const char *name)
{
    bool other = node->kind == QKV__NODE_NAME && strcmp(node->text, name) != 0;
    if (other && qkv__reaches(task->model, node, name)) return true;
    for (size_t i = 0; i < node->count; i++)
        if (hides_name(task, node->child[i], name)) return true;
    return false;
}

/* Whether a node binds a name anew that stands, or would be put in, for something else below. */
static bool is_taken(const qkv__design_task *task, const qkv__node *node)
{
    for (const qkv__binding *b = task->question->locals; b != NULL; b = b->next)
        if (b->value.kind == QKV__VALUE_INDEX &&
            (qkv__node_binds(node, b->name) ||
             (b->value.member >= 0 && qkv__node_binds(node, b->value.set->mark[b->value.member]))))
            return true;
    if (node->kind == QKV__NODE_SUM) return hides_name(task, node->child[0], node->text);
    if (node->kind != QKV__NODE_FOR_ALL && node->kind != QKV__NODE_EXISTS) return false;
    for (size_t i = 0; i + 1 < node->count; i++)
        if (hides_name(task, node->child[node->count - 1], qkv__bound_name(node->child[i])))
            return true;
    return false;
}

/* Definitions that are written out. */
typedef struct expansion {
    qkv__design_task *task;
    int depth, left; /* of definitions in definitions; how many nodes may still come */
} expansion;

static const qkv__node *expand(const qkv__node *node, void *context);

static const qkv__node *expand_below(expansion *e, const qkv__node *body)
{
    e->depth++;
    const qkv__node *expanded = expand(body, e);
    e->depth--;
    return expanded;
}

static const qkv__node *expand_name(expansion *e, const qkv__node *node)
{
    qkv__design_task *task = e->task;
    for (const qkv__binding *b = task->question->locals; b != NULL; b = b->next)
        if (strcmp(b->name, node->text) == 0 && b->value.kind == QKV__VALUE_INDEX)
            return by_mark(task, b, node);
    const qkv__node *body = is_unknown(task, node->text) ? NULL : definition(task, node);
    return body == NULL || !qkv__design_mentions(task, body) ? node : expand_below(e, body);
}

/* NULL if the definitions do not end, a name is bound anew, or memory ran out. */
static const qkv__node *expand(const qkv__node *node, void *context)
{
    expansion *e = context;
    qkv__arena *arena = &e->task->model->algebra.arena;
    if (e->depth > EXPANSION_DEPTH || e->left <= 0) return NULL;
    e->left--;
    if (node->kind == QKV__NODE_NAME) return expand_name(e, node);
    if (node->kind == QKV__NODE_CALL && qkv__design_mentions(e->task, node)) {
        const qkv__statement *f = function(e->task, node->text);
        if (f != NULL && f->node[0]->count == node->count) {
            if (qkv__node_has(f->node[1], captures, node) ||
                qkv__node_has(f->node[1], binds_argument, f->node[0]))
                return NULL;
            writing w = {arena, f->node[0], node};
            const qkv__node *body = substitute(f->node[1], &w);
            return body == NULL ? NULL : expand_below(e, body);
        }
    }
    return is_taken(e->task, node) ? NULL : qkv__node_changed(arena, node, expand, e);
}

const qkv__node *qkv__design_expand(qkv__design_task *task, const qkv__node *node)
{
    expansion e = {.task = task, .left = EXPANSION_STEPS};
    return expand(node, &e);
}

/* ---- Deciding again ----------------------------------------------------------------------- */

qkv__verdict qkv__design_verify(qkv__design_task *task, const qkv__node *proposition,
                                const qkv__value *values, bool grow, bool bare)
{
    qkv__model *model = task->model;
    const qkv__binding *kept = model->bindings;
    qkv__circumstances circumstances = {.count = 0};
    const qkv__circumstances *given = task->question->circumstances;
    for (size_t i = 0; given != NULL && i < given->count; i++) {
        const qkv__circumstance *c = &given->item[i];
        if (c->kind == QKV__CONDITION_EXPECT || (bare && c->kind == QKV__CONDITION_WITHIN))
            continue; /* what a design answers itself */
        qkv__circumstances_put(&circumstances, c->kind, c->node);
    }
    if (grow && !task->has_limit) {
        if (task->growth < 0) return QKV__UNDECIDED;
        const qkv__node *limit =
            qkv__node_grows(&model->algebra.arena, model->algebra.parameter[task->growth].name,
                            task->question->proposition->place);
        if (limit == NULL || !qkv__circumstances_put(&circumstances, QKV__CONDITION_LIMIT, limit))
            return QKV__UNDECIDED;
    }
    bool bound = true;
    for (size_t i = 0; i < task->count && bound; i++)
        bound = qkv__model_bind(model, (qkv__binding){.name = task->name[i], .value = values[i]});
    qkv__finding again;
    qkv__verdict verdict = QKV__UNDECIDED;
    if (bound) {
        bool trying = model->trying;
        model->trying = true;
        task->question->again(model, proposition, &circumstances, &again);
        model->trying = trying;
        verdict = again.culprit == NULL ? again.verdict : QKV__UNDECIDED;
        qkv__finding_free(&again);
    }
    model->bindings = kept;
    return verdict;
}
