/* The closure of the names in a tree over the statements of a problem. Reads trees; knows nothing
 * of values. */
#include "claim/premise/reach.h"

#include <assert.h>
#include <string.h>

#include "language/builtin.h"
#include "language/tree.h"

enum { DEPTH = 64, SEEN = 256 };

bool qkv__reached_have(const qkv__reached *reached, const char *name)
{
    for (size_t i = 0; i < reached->count; i++)
        if (strcmp(reached->name[i], name) == 0) return true;
    return reached->all;
}

void qkv__reached_add(qkv__reached *reached, const char *name)
{
    if (qkv__reached_have(reached, name)) return;
    if (reached->count == QKV__REACHED)
        reached->all = true;
    else
        reached->name[reached->count++] = name;
}

/* ---- Names ------------------------------------------------------------------------------- */

typedef struct walk {
    const qkv__model *model;
    const qkv__reached *among; /* looks for one of these */
    qkv__reached *into;        /* or adds all to these */
    size_t except;             /* among: but not of so many, the first */
    bool sizes;                /* of families */
    bool laws;                 /* of random keys, with their dimension */
    bool found;
    size_t seen_count; /* names that were walked already, with what was looked at */
    struct {
        const char *name;
        bool sizes, laws;
    } seen[SEEN];
} walk;

static void walk_node(walk *w, const qkv__node *node, int depth);
static void walk_name(walk *w, const char *name, int depth);

static void take_name(walk *w, const char *name)
{
    if (w->among == NULL) {
        qkv__reached_add(w->into, name);
        return;
    }
    bool except = false;
    for (size_t i = 0; i < w->except; i++) except = except || strcmp(w->among->name[i], name) == 0;
    w->found = w->found || (!except && qkv__reached_have(w->among, name));
}

bool qkv__name_is_of(const char *name, const char *declared)
{
    const size_t length = strlen(declared);
    return length > 0 && strncmp(name, declared, length) == 0 &&
           (name[length] == '\0' || name[length] == '_');
}

/* The family of k_a, which is k[a]. */
static void take_subscripted(walk *w, const char *name, int depth)
{
    for (const qkv__statement *s = w->model->statements; s != NULL; s = qkv__statement_after(s)) {
        const char *family = qkv__statement_name(s);
        size_t length = strlen(family);
        if (length > 0 && (s->kind == QKV__STATEMENT_FAMILY || s->kind == QKV__STATEMENT_DEFINE) &&
            strncmp(name, family, length) == 0 && name[length] == '_')
            walk_name(w, family, depth + 1);
    }
}

static void walk_family(walk *w, const qkv__statement *s, int depth)
{
    assert(s->kind == QKV__STATEMENT_FAMILY);
    const qkv__node *target = s->node[0];
    if (target->kind == QKV__NODE_COMPARE) {
        if (w->laws || target->comparison != QKV__DISTRIBUTED)
            walk_node(w, target->child[1], depth + 1);
        return;
    }
    if (w->sizes && target->kind == QKV__NODE_INDEX && target->child[1]->kind == QKV__NODE_RANGE)
        walk_node(w, target->child[1], depth + 1);
    for (size_t i = 1; i < s->count; i++)
        if (s->node[i]->kind == QKV__NODE_CALL &&
            (w->sizes || w->laws || qkv__builtin_of(s->node[i]) == QKV__BUILTIN_NORM))
            walk_node(w, s->node[i]->child[0], depth + 1);
}

static void lose_sight(walk *w)
{
    w->found = true;
    if (w->into != NULL) w->into->all = true;
}

static bool was_seen(walk *w, const char *name)
{
    for (size_t i = 0; i < w->seen_count; i++)
        if (strcmp(w->seen[i].name, name) == 0 && w->seen[i].sizes >= w->sizes &&
            w->seen[i].laws >= w->laws)
            return true;
    if (w->seen_count == SEEN) {
        lose_sight(w);
        return true;
    }
    w->seen[w->seen_count].name = name;
    w->seen[w->seen_count].sizes = w->sizes;
    w->seen[w->seen_count++].laws = w->laws;
    return false;
}

static void walk_name(walk *w, const char *name, int depth)
{
    if (was_seen(w, name)) return;
    take_name(w, name);
    take_subscripted(w, name, depth);
    for (const qkv__statement *s = w->model->statements; s != NULL; s = qkv__statement_after(s)) {
        if (strcmp(qkv__statement_name(s), name) != 0) continue;
        if (s->kind == QKV__STATEMENT_DEFINE) walk_node(w, s->node[1], depth + 1);
        if (s->kind == QKV__STATEMENT_FAMILY) walk_family(w, s, depth);
    }
    for (const qkv__statement *s = w->model->statements; s != NULL; s = qkv__statement_after(s)) {
        for (size_t n = 0; s->kind == QKV__STATEMENT_OBJECT && n < s->count; n++)
            if (s->node[n]->kind == QKV__NODE_INDEX &&
                strcmp(s->node[n]->child[0]->text, name) == 0)
                for (size_t i = 1; i < s->node[n]->count; i++)
                    walk_node(w, s->node[n]->child[i], depth + 1);
    }
}

/* ---- Trees ------------------------------------------------------------------------------- */

/* An index ties nothing. Sums and attention depend on how many members there are, and E(x) on the
 * law of x. */
static void walk_node(walk *w, const qkv__node *node, int depth)
{
    const bool laws = w->laws, sizes = w->sizes;
    if (depth > DEPTH) { /* nobody knows what is further in */
        lose_sight(w);
        return;
    }
    if (qkv__node_is_word(node)) walk_name(w, node->text, depth);
    qkv__builtin_kind kind = qkv__builtin_kind_of(qkv__builtin_of(node));
    if (node->kind == QKV__NODE_SUM || (node->kind == QKV__NODE_CALL && kind == QKV__OF_FAMILY))
        w->sizes = true;
    if (node->kind == QKV__NODE_CALL && kind == QKV__OF_CHANCE) w->laws = w->sizes = true;
    size_t count = node->kind == QKV__NODE_INDEX ? 1 : node->count;
    for (size_t i = 0; i < count; i++)
        if (node->child[i]->kind != QKV__NODE_SET) walk_node(w, node->child[i], depth);
    w->laws = laws;
    w->sizes = sizes;
}

static walk begin(const qkv__model *model, qkv__reach reach)
{
    return (walk){
        .model = model, .sizes = reach != QKV__REACH_STATED, .laws = reach == QKV__REACH_ALL};
}

void qkv__reach_collect(const qkv__model *model, const qkv__node *node, qkv__reach reach,
                        qkv__reached *names)
{
    walk w = begin(model, reach);
    w.into = names;
    walk_node(&w, node, 0);
}

bool qkv__reach_meets(const qkv__model *model, const qkv__node *node, qkv__reach reach,
                      const qkv__reached *names, size_t except)
{
    walk w = begin(model, reach);
    w.among = names;
    w.except = except;
    walk_node(&w, node, 0);
    return w.found;
}

bool qkv__reaches(const qkv__model *model, const qkv__node *node, const char *name)
{
    qkv__reached one = {.count = 1, .name = {name}};
    return qkv__reach_meets(model, node, QKV__REACH_ALL, &one, 0);
}
