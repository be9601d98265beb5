/* A claim taken apart: what it says, and under which conditions. Knows syntax alone. */
#include <string.h>

#include "grade/part.h"
#include "language/tree.h"
#include "language/write.h"

static void put(qkv__statement_form *form, qkv__nodes *nodes, const qkv__node *node)
{
    if (nodes->count == QKV__FORM_ITEMS || node == NULL)
        form->crowded = true;
    else
        nodes->item[nodes->count++] = node;
}

/* i in 1..n, i not in {a, b}, i != j: an index and its set; not c in hull(v). */
static bool is_index_domain(const qkv__node *node)
{
    if (!qkv__node_is_domain(node) || node->child[0]->kind != QKV__NODE_NAME) return false;
    const qkv__node_kind set = node->child[1]->kind;
    return set == QKV__NODE_RANGE || set == QKV__NODE_SET || node->comparison == QKV__NOT_EQUAL;
}

/* p and q are two premises. */
static void put_premise(qkv__statement_form *form, const qkv__node *node)
{
    if (node->kind == QKV__NODE_AND) {
        put_premise(form, node->child[0]);
        put_premise(form, node->child[1]);
    } else {
        put(form, is_index_domain(node) ? &form->domains : &form->premises, node);
    }
}

/* not x < y is x >= y, not not p is p, and not exists q: p is for all q: not p. */
static const qkv__node *push_not(qkv__arena *arena, const qkv__node *node)
{
    const qkv__node *inner = node->child[0];
    qkv__comparison opposite;
    if (inner->kind == QKV__NODE_NOT) return inner->child[0];
    if (inner->kind == QKV__NODE_COMPARE && qkv__comparison_opposite(inner->comparison, &opposite))
        return qkv__grade_tree_compare(arena, opposite, inner->child[0], inner->child[1]);
    if (inner->kind != QKV__NODE_EXISTS || inner->count > QKV__FORM_ITEMS) return NULL;
    const qkv__node *child[QKV__FORM_ITEMS];
    const size_t last = inner->count - 1;
    for (size_t i = 0; i < last; i++) child[i] = inner->child[i];
    const qkv__node *negated = qkv__grade_tree_make(arena, QKV__NODE_NOT, "", 1, &inner->child[last]);
    if (negated == NULL) return NULL;
    const qkv__node *pushed = push_not(arena, negated);
    child[last] = pushed != NULL ? pushed : negated;
    return qkv__grade_tree_make(arena, QKV__NODE_FOR_ALL, "", inner->count, child);
}

static bool binds_indexes_alone(const qkv__node *node)
{
    for (size_t i = 0; i + 1 < node->count; i++)
        if (!is_index_domain(node->child[i])) return false;
    return true;
}

/* Takes conditions off the front of the body, until there are none. */
static void peel(qkv__arena *arena, qkv__statement_form *form)
{
    for (;;) {
        const qkv__node *body = form->body;
        const qkv__node *pushed = body->kind == QKV__NODE_NOT ? push_not(arena, body) : NULL;
        if (body->kind == QKV__NODE_IMPLIES) {
            put_premise(form, body->child[0]);
            form->body = body->child[1];
        } else if (body->kind == QKV__NODE_FOR_ALL && binds_indexes_alone(body)) {
            for (size_t i = 0; i + 1 < body->count; i++) put(form, &form->domains, body->child[i]);
            form->body = body->child[body->count - 1];
        } else if (pushed != NULL) {
            form->body = pushed;
        } else {
            return;
        }
    }
}

/* `for all v` of something declared says nothing. */
static void put_condition(qkv__statement_form *form, const qkv__circumstance *c)
{
    switch (c->kind) {
    case QKV__CONDITION_LIMIT: put(form, &form->limits, c->node); break;
    case QKV__CONDITION_WITHIN: form->within = c->node; break;
    case QKV__CONDITION_EXPECT: form->expected = c->text; break;
    default:
        if (c->node->kind != QKV__NODE_NAME) put_premise(form, c->node);
        break;
    }
}

void qkv__statement_form_read(qkv__arena *arena, const qkv__node *body,
                    const qkv__circumstances *circumstances, qkv__statement_form *form)
{
    *form = (qkv__statement_form){.body = body, .crowded = circumstances->too_many};
    for (size_t i = 0; i < circumstances->count; i++) put_condition(form, &circumstances->item[i]);
    peel(arena, form);
}

/* ---- Meanings ------------------------------------------------------------------------------- */

static bool expand_one(qkv__arena *arena, const qkv__node **node, const qkv__dictionary *dictionary)
{
    if (*node == NULL) return true;
    *node = qkv__grade_tree_expand(arena, *node, dictionary);
    return *node != NULL;
}

static bool expand_nodes(qkv__arena *arena, qkv__nodes *nodes, const qkv__dictionary *dictionary)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (!expand_one(arena, &nodes->item[i], dictionary)) return false;
    return true;
}

bool qkv__statement_form_expand(qkv__arena *arena, qkv__statement_form *form, const qkv__dictionary *dictionary)
{
    return expand_one(arena, &form->body, dictionary) &&
           expand_one(arena, &form->within, dictionary) &&
           expand_nodes(arena, &form->premises, dictionary) &&
           expand_nodes(arena, &form->domains, dictionary) &&
           expand_nodes(arena, &form->limits, dictionary);
}

/* ---- Indexes of the same name --------------------------------------------------------------- */

static bool uses(const qkv__statement_form *form, const char *name)
{
    for (size_t i = 0; i < form->premises.count; i++)
        if (qkv__node_names(form->premises.item[i], name)) return true;
    for (size_t i = 0; i < form->domains.count; i++)
        if (qkv__node_names(form->domains.item[i], name)) return true;
    return qkv__node_names(form->body, name);
}

/* Renames an index, also where it stands as one. */
static const qkv__node *rename_index(qkv__arena *arena, const qkv__node *node, const char *from,
                                     const char *to)
{
    if (node == NULL || !qkv__node_names(node, from)) return node;
    if (node->kind == QKV__NODE_NAME) return qkv__grade_tree_name(arena, to);
    const qkv__node **child = qkv__arena_array(arena, node->count, sizeof *child);
    qkv__node *copy = qkv__arena_take(arena, sizeof *copy);
    if (child == NULL || copy == NULL) return NULL;
    for (size_t i = 0; i < node->count; i++)
        if ((child[i] = rename_index(arena, node->child[i], from, to)) == NULL) return NULL;
    *copy = *node;
    copy->child = child;
    return copy;
}

static void rename_in(qkv__arena *arena, qkv__statement_form *form, const char *from, const char *to)
{
    form->body = rename_index(arena, form->body, from, to);
    for (size_t i = 0; i < form->premises.count; i++)
        form->premises.item[i] = rename_index(arena, form->premises.item[i], from, to);
    for (size_t i = 0; i < form->domains.count; i++)
        form->domains.item[i] = rename_index(arena, form->domains.item[i], from, to);
}

static bool binds_elsewhere(const qkv__node *node, const char *name)
{
    if (node->kind == QKV__NODE_SUM && strcmp(node->text, name) == 0) return true;
    if (node->kind == QKV__NODE_EXISTS || node->kind == QKV__NODE_FOR_ALL) return true;
    for (size_t i = 0; i < node->count; i++)
        if (binds_elsewhere(node->child[i], name)) return true;
    return false;
}

void qkv__statement_form_align(qkv__arena *arena, const qkv__statement_form *model, qkv__statement_form *form)
{
    for (size_t i = 0; i < form->domains.count && i < model->domains.count; i++) {
        const qkv__node *wanted = model->domains.item[i], *had = form->domains.item[i];
        const char *to = wanted->child[0]->text, *from = had->child[0]->text;
        if (strcmp(from, to) == 0 || wanted->comparison != had->comparison) continue;
        if (!qkv__grade_tree_alike(wanted->child[1], had->child[1], false)) continue;
        if (uses(form, to) || binds_elsewhere(form->body, to) || binds_elsewhere(form->body, from))
            continue;
        qkv__statement_form renamed = *form;
        rename_in(arena, &renamed, from, to);
        if (!arena->failed) *form = renamed;
    }
}

/* ---- Comparing ------------------------------------------------------------------------------ */

static bool holds(const qkv__nodes *nodes, const qkv__node *node, bool matrices)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (qkv__grade_tree_alike(nodes->item[i], node, matrices)) return true;
    return false;
}

bool qkv__nodes_alike(const qkv__nodes *one, const qkv__nodes *other, bool ordered, bool matrices)
{
    if (ordered && one->count != other->count) return false;
    for (size_t i = 0; i < one->count; i++)
        if (ordered ? !qkv__grade_tree_alike(one->item[i], other->item[i], matrices)
                    : !holds(other, one->item[i], matrices))
            return false;
    for (size_t i = 0; !ordered && i < other->count; i++)
        if (!holds(one, other->item[i], matrices)) return false;
    return true;
}

bool qkv__statement_form_alike(const qkv__statement_form *one, const qkv__statement_form *other, bool matrices)
{
    if (one->crowded || other->crowded) return false;
    if ((one->within == NULL) != (other->within == NULL)) return false;
    if (one->within != NULL && !qkv__grade_tree_alike(one->within, other->within, matrices)) return false;
    return qkv__nodes_alike(&one->limits, &other->limits, true, matrices) &&
           qkv__nodes_alike(&one->premises, &other->premises, false, matrices) &&
           qkv__nodes_alike(&one->domains, &other->domains, false, matrices) &&
           qkv__grade_tree_alike(one->body, other->body, matrices);
}

/* ---- Writing -------------------------------------------------------------------------------- */

static void write_nodes(const qkv__nodes *nodes, const char *first, const char *next,
                        qkv__text *text)
{
    for (size_t i = 0; i < nodes->count; i++) {
        qkv__text_format(text, "%s", i == 0 ? first : next);
        qkv__node_write(nodes->item[i], text);
    }
}

void qkv__statement_form_write(const qkv__statement_form *form, qkv__text *text)
{
    qkv__text_format(text, ": ");
    qkv__node_write(form->body, text);
    write_nodes(&form->limits, ", as ", " then ", text);
    write_nodes(&form->domains, ", for ", ", ", text);
    write_nodes(&form->premises, ", given ", ", given ", text);
    if (form->within == NULL) return;
    qkv__text_format(text, ", within ");
    qkv__node_write(form->within, text);
}
