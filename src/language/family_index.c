/* Which indexes a family has. Knows declarations and definitions by their syntax; nothing of
 * values. What is not plain from the text has no range here. */
#include "language/family_index.h"

#include <assert.h>
#include <string.h>

#include "language/builtin.h"
#include "language/tree.h"
#include "language/write.h"

enum { DEPTH = 16 }; /* of definitions in definitions */

typedef struct look {
    qkv__arena *arena;
    const qkv__statement *first; /* of the problem */
} look;

static const qkv__node *range_of(const look *l, const qkv__node *node, int depth);
static void visit(const look *l, const qkv__node *node, const char *name, int depth,
                  qkv__family_index *found);

/* ---- Ranges and sets ----------------------------------------------------------------------- */

static qkv__node *new_node(const look *l, qkv__node_kind kind, const qkv__node *like, size_t count)
{
    qkv__node *node = qkv__arena_take(l->arena, sizeof *node);
    const qkv__node **child = qkv__arena_array(l->arena, count, sizeof *child);
    if (node == NULL || (child == NULL && count > 0)) return NULL;
    *node = (qkv__node){.kind = kind,
                        .text = "",
                        .place = like->place,
                        .count = count,
                        .child = child,
                        .depth = count == 0 ? 1 : 2};
    return node;
}

static const qkv__node *whole(const look *l, const qkv__node *like, size_t value)
{
    qkv__node *node = new_node(l, QKV__NODE_NUMBER, like, 0);
    if (node != NULL) node->value = qkv__rational_whole((int64_t)value);
    return node;
}

/* 1..count */
static const qkv__node *range_to(const look *l, const qkv__node *like, size_t count)
{
    const qkv__node *ends[2] = {whole(l, like, 1), whole(l, like, count)};
    qkv__node *range = new_node(l, QKV__NODE_RANGE, like, 2);
    if (count == 0 || range == NULL || ends[0] == NULL || ends[1] == NULL) return NULL;
    memcpy((const qkv__node **)(uintptr_t)range->child, ends, sizeof ends);
    return range;
}

/* k[1..n], u[a, b, c] */
static const qkv__node *declared_range(const look *l, const qkv__node *declared)
{
    assert(declared->kind == QKV__NODE_INDEX);
    if (declared->count == 2 && declared->child[1]->kind == QKV__NODE_RANGE)
        return declared->child[1];
    qkv__node *set = new_node(l, QKV__NODE_SET, declared, declared->count - 1);
    if (set == NULL) return NULL;
    assert(set->child != NULL);
    memcpy((const qkv__node **)(uintptr_t)set->child, declared->child + 1,
           set->count * sizeof *set->child);
    return set;
}

/* ---- What a name stands for ---------------------------------------------------------------- */

/* keys k = [[1, 0], [0, 1]], keys k[i] ~ normal(mu[i], I) */
static const qkv__node *stated_range(const look *l, const qkv__node *node, int depth)
{
    assert(node->kind == QKV__NODE_COMPARE);
    const qkv__node *target = node->child[0], *stated = node->child[1];
    if (node->comparison == QKV__EQUAL && stated->kind == QKV__NODE_LIST)
        return range_to(l, node, stated->table != NULL ? stated->table->rows : stated->count);
    if (node->comparison == QKV__DISTRIBUTED && target->kind == QKV__NODE_INDEX &&
        target->count == 2 && target->child[1]->kind == QKV__NODE_RANGE)
        return target->child[1]; /* keys k[1..n] ~ normal(0, I) */
    if (node->comparison != QKV__DISTRIBUTED || target->kind != QKV__NODE_INDEX ||
        target->child[1]->kind != QKV__NODE_NAME)
        return NULL;
    qkv__family_index mean = {0};
    visit(l, stated, target->child[1]->text, depth + 1, &mean);
    return mean.another != NULL ? NULL : mean.range;
}

/* The name of a family that a node of a statement brings; NULL: none. */
static const char *family_name(const qkv__statement *s, const qkv__node *node)
{
    if (s->kind != QKV__STATEMENT_FAMILY && s->kind != QKV__STATEMENT_DEFINE) return NULL;
    if (node->kind == QKV__NODE_COMPARE) node = node->child[0];
    if (node->kind == QKV__NODE_INDEX) node = node->child[0];
    return node->kind == QKV__NODE_NAME ? node->text : NULL;
}

static const qkv__node *range_of_name(const look *l, const char *name, int depth)
{
    const qkv__node *found = NULL;
    size_t members = 0; /* x[1] = ..., x[2] = ... */
    for (const qkv__statement *s = l->first; s != NULL; s = s->next) {
        if (s->kind == QKV__STATEMENT_PROBLEM && s != l->first) break;
        size_t count = s->kind == QKV__STATEMENT_DEFINE && s->count > 0 ? 1 : s->count;
        for (size_t i = 0; i < count; i++) {
            const qkv__node *node = s->node[i];
            const char *known = family_name(s, node);
            if (known == NULL || strcmp(known, name) != 0) continue;
            if (s->kind == QKV__STATEMENT_DEFINE)
                found = node->kind == QKV__NODE_INDEX ? range_to(l, node, ++members)
                                                      : range_of(l, s->node[1], depth + 1);
            else if (node->kind == QKV__NODE_INDEX)
                found = declared_range(l, node);
            else if (node->kind == QKV__NODE_COMPARE && found == NULL)
                found = stated_range(l, node, depth + 1);
        }
    }
    return found;
}

static const qkv__node *range_of(const look *l, const qkv__node *node, int depth)
{
    if (depth > DEPTH) return NULL;
    switch (node->kind) {
    case QKV__NODE_NAME: return range_of_name(l, node->text, depth);
    case QKV__NODE_LIST:
        return qkv__list_is_family(node) ? node->child[0]->child[1]->child[1] : NULL;
    case QKV__NODE_MEMBER: /* c.weight: one for each key */
    case QKV__NODE_NEGATE:
    case QKV__NODE_WITH: return range_of(l, node->child[0], depth + 1);
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_MULTIPLY:
    case QKV__NODE_DIVIDE:
        for (size_t i = 0; i < node->count; i++) {
            const qkv__node *range = range_of(l, node->child[i], depth + 1);
            if (range != NULL) return range;
        }
        return NULL;
    case QKV__NODE_CALL:
        if (qkv__builtin_of(node) == QKV__BUILTIN_SELF_ATTEND && node->count > 0)
            return range_of(l, node->child[0], depth + 1);
        if (qkv__builtin_of(node) == QKV__BUILTIN_ATTEND && node->count > 1)
            return range_of(l, node->child[1], depth + 1);
        return NULL;
    default: return NULL;
    }
}

/* ---- Where an index is used ---------------------------------------------------------------- */

static bool is_same(const qkv__node *x, const qkv__node *y)
{
    qkv__text one = {0}, other = {0};
    qkv__node_write(x, &one);
    qkv__node_write(y, &other);
    bool same = one.data != NULL && other.data != NULL && strcmp(one.data, other.data) == 0;
    qkv__text_free(&one);
    qkv__text_free(&other);
    return same;
}

static void note(qkv__family_index *found, const qkv__node *family, const qkv__node *range)
{
    if (range == NULL || found->another != NULL) return;
    if (found->range == NULL)
        *found = (qkv__family_index){.range = range, .family = family};
    else if (!is_same(found->range, range))
        found->another = family;
}

static void visit(const look *l, const qkv__node *node, const char *name, int depth,
                  qkv__family_index *found)
{
    for (size_t i = 1; node->kind == QKV__NODE_INDEX && i < node->count; i++)
        if (qkv__node_is(node->child[i], name)) {
            const qkv__node *family = node->child[0];
            while (family->kind == QKV__NODE_INDEX) family = family->child[0];
            note(found, family, range_of(l, family, depth));
        }
    for (size_t i = 0; i < node->count; i++) visit(l, node->child[i], name, depth, found);
}

/* The last problem of a document, or the whole of it. */
static look look_from(qkv__arena *arena, const qkv__statement *first)
{
    look l = {arena, first};
    for (const qkv__statement *s = first; s != NULL; s = s->next)
        if (s->kind == QKV__STATEMENT_PROBLEM) l.first = s;
    return l;
}

qkv__family_index qkv__family_index_of(qkv__arena *arena, const qkv__statement *first,
                                       const qkv__node *body, const char *name)
{
    look l = look_from(arena, first);
    qkv__family_index found = {0};
    visit(&l, body, name, 0, &found);
    if (found.another != NULL) found.range = NULL;
    return found;
}

const qkv__node *qkv__family_range(qkv__arena *arena, const qkv__statement *first,
                                   const qkv__node *family)
{
    look l = {arena, first};
    while (family->kind == QKV__NODE_INDEX) family = family->child[0];
    return range_of(&l, family, 0);
}
