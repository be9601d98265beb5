/* Declarations of what is drawn. Knows syntax; nothing of values or probabilities. */
#include "language/law.h"

#include <assert.h>
#include <string.h>

#include "language/tree.h"
#include "language/write.h"

/* N is a letter that documents use for numbers: these names mean laws only behind '~'. */
static const struct {
    const char *name;
    qkv__law_kind kind;
    size_t values;
    qkv__law_needs needs;
} laws[] = {
#define LAW(id, name, values, needs, form) {name, QKV__LAW_##id, values, QKV__NEEDS_##needs},
#define SYNONYM(id, name, values, needs) {name, QKV__LAW_##id, values, QKV__NEEDS_##needs},
#include "language/law.def"
};

const char *qkv__law_forms(void)
{
    static const char forms[] =
#define LAW(id, name, values, needs, form) " or " form
#include "language/law.def"
        ;
    return forms + sizeof " or " - 1;
}

static bool read_target(const qkv__node *target, qkv__drawn *law)
{
    law->single = target->kind == QKV__NODE_NAME;
    if (law->single) return law->name = target->text, true;
    if (target->kind != QKV__NODE_INDEX || target->count < 2 || target->count > 3 ||
        target->child[0]->kind != QKV__NODE_NAME)
        return false;
    law->name = target->child[0]->text;
    for (size_t i = 1; i < target->count; i++) {
        const qkv__node *part = target->child[i];
        if (part->kind == QKV__NODE_RANGE && i + 1 == target->count)
            law->range = part;
        else if (part->kind == QKV__NODE_NAME && i == 1)
            law->index = part;
        else
            return false;
    }
    return true;
}

bool qkv__law_read(const qkv__node *declared, qkv__drawn *law)
{
    if (declared->kind != QKV__NODE_COMPARE || declared->comparison != QKV__DISTRIBUTED)
        return false;
    const qkv__node *call = declared->child[1];
    *law = (qkv__drawn){.kind = QKV__LAW_NORMAL};
    if (call->kind != QKV__NODE_CALL || !read_target(declared->child[0], law)) return false;
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        if (strcmp(laws[i].name, call->text) != 0 || laws[i].values != call->count) continue;
        law->kind = laws[i].kind;
        law->value = call->child;
        law->count = call->count;
        law->needs = laws[i].needs;
        return law->single || law->kind == QKV__LAW_NORMAL;
    }
    return false;
}

bool qkv__law_is_of_number(const qkv__statement *statement)
{
    return statement->kind == QKV__STATEMENT_FAMILY && strcmp(statement->text, "scalar") == 0;
}

bool qkv__law_is_of_object(const qkv__statement *statement)
{
    return qkv__law_is_of_number(statement) ||
           (statement->kind == QKV__STATEMENT_FAMILY && strcmp(statement->text, "vector") == 0);
}

static bool is_same(const qkv__node *x, const qkv__node *y)
{
    qkv__text one = {0}, other = {0};
    qkv__node_write(x, &one);
    qkv__node_write(y, &other);
    bool same = one.data != NULL && other.data != NULL && !one.failed && !other.failed &&
                strcmp(one.data, other.data) == 0;
    qkv__text_free(&one);
    qkv__text_free(&other);
    return same;
}

/* The range of a family, or that of a pick; NULL: neither. */
static const qkv__node *range_of(const qkv__statement *s)
{
    qkv__drawn law;
    const qkv__node *node = s->count == 0 ? NULL : s->node[0];
    if (s->kind == QKV__STATEMENT_PICK) {
        node = s->node[s->count - 1];
        return node->kind == QKV__NODE_RANGE ? node : NULL;
    }
    if (s->kind != QKV__STATEMENT_FAMILY) return NULL;
    assert(node != NULL); /* what it declares */
    if (node->kind == QKV__NODE_COMPARE) return qkv__law_read(node, &law) ? law.range : NULL;
    return node->kind == QKV__NODE_INDEX && node->count == 2 &&
                   node->child[1]->kind == QKV__NODE_RANGE
               ? node->child[1]
               : NULL;
}

const qkv__node *qkv__law_common_range(const qkv__statement *first)
{
    const qkv__node *found = NULL;
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s)) {
        const qkv__node *range = range_of(s);
        if (range == NULL) continue;
        if (found != NULL && !is_same(found, range)) return NULL;
        found = range;
    }
    return found;
}

static bool is_indexed_by(const qkv__node *node, const void *index)
{
    return node->kind == QKV__NODE_INDEX && node->count == 2 && qkv__node_is(node->child[1], index);
}

const qkv__node *qkv__law_indexed_by(const qkv__node *node, const char *index)
{
    const qkv__node *found = qkv__node_find(node, is_indexed_by, index);
    return found == NULL ? NULL : found->child[0];
}

bool qkv__law_is_same_dimension(const qkv__node *x, const qkv__node *y)
{
    if (x->kind != y->kind || x->count > 0) return false;
    return x->kind == QKV__NODE_NUMBER ? qkv__rational_compare(x->value, y->value) == 0
                                       : strcmp(x->text, y->text) == 0;
}

const qkv__node *qkv__law_dimension(const qkv__statement *statement)
{
    for (size_t i = 0; statement->kind == QKV__STATEMENT_FAMILY && i < statement->count; i++)
        if (statement->node[i]->kind == QKV__NODE_CALL &&
            strcmp(statement->node[i]->text, "dimension") == 0)
            return statement->node[i]->child[0];
    return NULL;
}

bool qkv__law_measures(const qkv__statement *first, const qkv__node *vector)
{
    if (vector->kind != QKV__NODE_INDEX || vector->count != 2) return false;
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s)) {
        const qkv__node *dimension = qkv__law_dimension(s);
        if (dimension != NULL && strcmp(s->text, "values") != 0 &&
            qkv__law_is_same_dimension(dimension, vector->child[1]))
            return true;
    }
    return false;
}
