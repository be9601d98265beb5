/* Indexes of plain ranges replaced by their numbers. Knows where names stand; evaluates nothing but
 * sums and products of whole numbers. */
#include "language/ranges.h"

#include <string.h>

#include "language/builtin.h"
#include "language/family_index.h"
#include "language/tree.h"

typedef struct writer {
    qkv__arena *arena;
    size_t nodes; /* that were made */
} writer;

/* ---- Where a name stands ------------------------------------------------------------------- */

/* What indexes are compared with: j, 2, j + 1. */
static bool may_be_index(const qkv__node *node)
{
    const bool arithmetic = node->kind == QKV__NODE_ADD || node->kind == QKV__NODE_SUBTRACT ||
                            node->kind == QKV__NODE_MULTIPLY;
    for (size_t i = 0; i < node->count; i++)
        if (!arithmetic || !may_be_index(node->child[i])) return false;
    return arithmetic || node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_NUMBER;
}

/* Whether a child of a node is an index and nothing else: i in x[i], {i, a} and i < j. */
static bool is_index_place(const qkv__node *node, size_t i)
{
    if (node->kind == QKV__NODE_COMPARE && node->count == 2)
        return node->comparison == QKV__IN || node->comparison == QKV__NOT_IN ||
               may_be_index(node->child[1 - i]);
    return (node->kind == QKV__NODE_INDEX && i > 0) || node->kind == QKV__NODE_SET;
}

/* f(i), where f may take an index. */
static bool is_argument(const qkv__node *node)
{
    return node->kind == QKV__NODE_CALL && qkv__builtin_of(node) == QKV__BUILTIN_NONE;
}

/* Whether a name stands for a number somewhere: 1/i, x[i + 1], x[i] <= i. */
static bool stands_as_number(const qkv__node *node, const char *name)
{
    for (size_t i = 0; i < node->count; i++) {
        const qkv__node *child = node->child[i];
        if (!qkv__node_is(child, name)) {
            if (stands_as_number(child, name)) return true;
        } else if (!is_index_place(node, i) && !is_argument(node)) {
            return true;
        }
    }
    return false;
}

/* Whether it stands as an index: x[i], x[i + 1]. */
static bool stands_as_index(const qkv__node *node, const char *name)
{
    for (size_t i = 0; i < node->count; i++) {
        const bool index = (node->kind == QKV__NODE_INDEX && i > 0) || node->kind == QKV__NODE_SET;
        if ((index && qkv__node_names(node->child[i], name)) ||
            stands_as_index(node->child[i], name))
            return true;
    }
    return false;
}

/* Whether it ends a range: 1..i. */
static bool ends_range(const qkv__node *node, const void *name)
{
    return node->kind == QKV__NODE_RANGE && qkv__node_names(node, name);
}

/* Whether a number has to take the place of a name that stands for numbers: it is an index as well,
 * or says how many there are of something. */
static bool wants_number(const qkv__node *node, const char *name)
{
    return stands_as_index(node, name) || qkv__node_has(node, ends_range, name);
}

/* Whether a name cannot be replaced by a number: k_i, i(x + 1), sum(x for i in S). */
static bool resists(const qkv__node *node, const void *name)
{
    const char *below = node->kind == QKV__NODE_NAME ? strchr(node->text, '_') : NULL;
    return (below != NULL && strcmp(below + 1, name) == 0) || qkv__node_binds(node, name) ||
           (node->kind == QKV__NODE_CALL && strcmp(node->text, name) == 0);
}

/* i in 2..5, between whole numbers. */
static bool is_plain_range(const qkv__node *domain)
{
    if (!qkv__is_index_domain(domain) || domain->comparison != QKV__IN ||
        domain->child[1]->kind != QKV__NODE_RANGE)
        return false;
    const qkv__node *const *end = domain->child[1]->child;
    for (size_t i = 0; i < 2; i++)
        if (end[i]->kind != QKV__NODE_NUMBER || !qkv__rational_is_whole(end[i]->value))
            return false;
    return end[0]->value.numerator <= end[1]->value.numerator &&
           end[1]->value.numerator - end[0]->value.numerator < QKV__WRITTEN_OUT;
}

/* ---- Numbers in place of a name ------------------------------------------------------------ */

typedef struct replacement {
    writer *w;
    const char *name;
    int64_t number;
} replacement;

static const qkv__node *write_out(const qkv__node *node, void *context);
static const qkv__node *write_opened(writer *w, const qkv__node *before, const qkv__node *node);

/* i + 1 as 3, where i is 2; a tree that is no whole number, at least 0, stays. */
static const qkv__node *folded(writer *w, const qkv__node *node)
{
    if (node->count != 2 || node->child[0]->kind != QKV__NODE_NUMBER ||
        node->child[1]->kind != QKV__NODE_NUMBER)
        return node;
    const qkv__rational x = node->child[0]->value, y = node->child[1]->value;
    qkv__rational value = QKV__RATIONAL_LOST;
    if (node->kind == QKV__NODE_ADD) value = qkv__rational_add(x, y);
    if (node->kind == QKV__NODE_SUBTRACT) value = qkv__rational_subtract(x, y);
    if (node->kind == QKV__NODE_MULTIPLY) value = qkv__rational_multiply(x, y);
    if (!qkv__rational_is_whole(value) || value.numerator < 0) return node;
    return qkv__node_number(w->arena, value, node->place);
}

static const qkv__node *replace(const qkv__node *node, void *context)
{
    replacement *r = context;
    if (qkv__node_is(node, r->name))
        return qkv__node_number(r->w->arena, qkv__rational_whole(r->number), node->place);
    const qkv__node *made = qkv__node_changed(r->w->arena, node, replace, r);
    if (made == NULL || made == node) return made;
    r->w->nodes += 1 + made->count;
    if (r->w->nodes > QKV__WRITTEN_OUT_NODES) return NULL;
    return write_opened(r->w, node, folded(r->w, made));
}

/* x with a number for the index, and what can then be written out in it. */
static const qkv__node *member_of(writer *w, const qkv__node *x, const char *name, int64_t number)
{
    replacement r = {w, name, number};
    const qkv__node *made = replace(x, &r);
    return made == NULL ? NULL : write_out(made, w);
}

/* ---- Sums ---------------------------------------------------------------------------------- */

/* sum(x for i in 1..3) as x + x + x, max(x for i in 1..3) as max(x, x, x). */
static const qkv__node *write_sum(writer *w, const qkv__node *call)
{
    const qkv__node *sum = call->child[0], *terms[QKV__WRITTEN_OUT];
    const qkv__node *const *end = sum->child[1]->child[1]->child;
    const qkv__builtin function = qkv__builtin_of(call);
    const size_t count = (size_t)(end[1]->value.numerator - end[0]->value.numerator) + 1;
    const bool extreme = function == QKV__BUILTIN_MAX || function == QKV__BUILTIN_MIN;
    for (size_t i = 0; i < count; i++) {
        terms[i] = member_of(w, sum->child[0], sum->text, end[0]->value.numerator + (int64_t)i);
        if (terms[i] == NULL) return NULL;
    }
    if (extreme && count > 1) return qkv__node_like(w->arena, call, call->kind, terms, count);
    const qkv__node like = {.place = call->place, .text = ""};
    const qkv__node *made = terms[0];
    for (size_t i = 1; i < count && made != NULL; i++)
        made = qkv__node_pair(w->arena, &like, QKV__NODE_ADD, made, terms[i]);
    if (function != QKV__BUILTIN_MEAN || made == NULL) return made;
    return qkv__node_pair(
        w->arena, &like, QKV__NODE_DIVIDE, made,
        qkv__node_number(w->arena, qkv__rational_whole((int64_t)count), call->place));
}

/* Whether a call is a sum over a range that can be written out. */
static bool is_plain_sum(const qkv__node *node)
{
    const qkv__builtin function = qkv__builtin_of(node);
    if ((function != QKV__BUILTIN_SUM && function != QKV__BUILTIN_MEAN &&
         function != QKV__BUILTIN_MAX && function != QKV__BUILTIN_MIN) ||
        !qkv__call_is_over(node) || !is_plain_range(node->child[0]->child[1]))
        return false;
    return !qkv__node_has(node->child[0]->child[0], resists, node->child[0]->text);
}

static bool sums_numbers(const qkv__node *node)
{
    if (!is_plain_sum(node)) return false;
    const qkv__node *sum = node->child[0], *body = sum->child[0];
    return qkv__node_is(body, sum->text) || stands_as_number(body, sum->text);
}

/* ---- Quantifiers --------------------------------------------------------------------------- */

/* Whether the name of a bound of a quantifier stands for itself alone, and can be replaced. */
static bool is_replaceable(const qkv__node *quantifier, size_t at)
{
    const qkv__node *bound = quantifier->child[at];
    if (!is_plain_range(bound)) return false;
    const char *name = bound->child[0]->text;
    for (size_t j = 0; j + 1 < quantifier->count; j++)
        if (j != at && strcmp(qkv__bound_name(quantifier->child[j]), name) == 0) return false;
    return !qkv__node_has(quantifier->child[quantifier->count - 1], resists, name);
}

/* Where for all i in 1..3, j in 1..n: p binds an index that is also a number; its count: nowhere.
 */
static size_t bound_to_write(const qkv__node *node)
{
    for (size_t i = 0; node->kind == QKV__NODE_FOR_ALL && i + 1 < node->count; i++) {
        if (!is_replaceable(node, i)) continue;
        const qkv__node *body = node->child[node->count - 1];
        const char *name = node->child[i]->child[0]->text;
        bool number = stands_as_number(body, name);
        for (size_t j = 0; j + 1 < node->count; j++)
            number = number || (j != i && stands_as_number(node->child[j], name));
        if (number && wants_number(body, name)) return i;
    }
    return node->count;
}

/* Members joined by `and`, each made by replacing the index in a tree. */
static const qkv__node *conjunction(writer *w, const qkv__node *p, const qkv__node *range)
{
    const qkv__node *const *end = range->child[1]->child;
    const qkv__node like = {.place = p->place, .text = ""};
    const qkv__node *made = NULL;
    for (int64_t i = end[0]->value.numerator; i <= end[1]->value.numerator; i++) {
        const qkv__node *one = member_of(w, p, range->child[0]->text, i);
        if (one == NULL) return NULL;
        made = made == NULL ? one : qkv__node_pair(w->arena, &like, QKV__NODE_AND, made, one);
        if (made == NULL) return NULL;
    }
    return made;
}

static const qkv__node *write_quantifier(writer *w, const qkv__node *node, size_t at)
{
    enum { MOST = 9 };
    const qkv__node *rest[MOST], *body = node->child[node->count - 1];
    size_t count = 0;
    if (node->count > MOST) return NULL;
    for (size_t i = 0; i < node->count; i++)
        if (i != at) rest[count++] = node->child[i];
    if (count > 1) body = qkv__node_like(w->arena, node, node->kind, rest, count);
    return body == NULL ? NULL : conjunction(w, body, node->child[at]);
}

/* What runs up to an index, j in 1..i, is written out with it: in 1..2 it would be the index of a
 * family of two. */
static const qkv__node *write_opened(writer *w, const qkv__node *before, const qkv__node *node)
{
    if (node == NULL || node->kind != before->kind) return node;
    if (is_plain_sum(node) && !is_plain_range(before->child[0]->child[1]))
        return write_sum(w, node);
    for (size_t i = 0; node->kind == QKV__NODE_FOR_ALL && i + 1 < node->count; i++)
        if (is_replaceable(node, i) && !is_plain_range(before->child[i]) &&
            stands_as_index(node->child[node->count - 1], node->child[i]->child[0]->text))
            return write_quantifier(w, node, i);
    return node;
}

/* ---- Trees --------------------------------------------------------------------------------- */

/* A tree with its ranges written out; NULL: it grows too large, or memory ran out. Outer ranges
 * first: they may be the ends of inner ones. */
static const qkv__node *write_out(const qkv__node *node, void *context)
{
    writer *w = context;
    if (sums_numbers(node)) return write_sum(w, node);
    const size_t at = bound_to_write(node);
    if (at < node->count) return write_quantifier(w, node, at);
    return qkv__node_changed(w->arena, node, write_out, w);
}

/* ---- Statements ---------------------------------------------------------------------------- */

static bool is_premise(const qkv__condition *c)
{
    return c->kind == QKV__CONDITION_RANGE || c->kind == QKV__CONDITION_GIVEN;
}

/* Whether a condition speaks of an index in a way that implies the claim: i < j, k[i].q > 1/i. */
static bool may_imply(const qkv__condition *c, const qkv__node *node)
{
    return is_premise(c) && node->kind == QKV__NODE_COMPARE && node->comparison < QKV__NEAR;
}

/* Whether `for i in 1..4` behind a claim is to be written out. */
static bool is_to_write(const qkv__statement *s, const qkv__node *range)
{
    if (!is_plain_range(range)) return false;
    const char *name = range->child[0]->text;
    const qkv__node *p = s->node[0];
    bool number = stands_as_number(p, name), index = wants_number(p, name);
    if (qkv__node_has(p, resists, name)) return false;
    for (const qkv__condition *c = s->conditions; c != NULL; c = c->next)
        for (size_t i = 0; i < c->count; i++) {
            const qkv__node *node = c->node[i];
            if (node == range ||
                !(qkv__node_names(node, name) || qkv__node_has(node, resists, name)))
                continue;
            if (!may_imply(c, node) || qkv__node_has(node, resists, name)) return false;
            number = number || stands_as_number(node, name);
            index = index || stands_as_index(node, name);
        }
    return number && index;
}

/* The conditions that do not speak of a name; those that do are put in front of the claim. */
static bool take_conditions(qkv__arena *arena, const qkv__condition *conditions,
                            const qkv__node *range, const qkv__node **p,
                            const qkv__condition **kept)
{
    const char *name = range->child[0]->text;
    if (conditions == NULL) return *kept = NULL, true;
    qkv__condition *own = qkv__arena_take(arena, sizeof *own);
    const qkv__node **node = qkv__arena_array(arena, conditions->count + 1, sizeof *node);
    const qkv__condition *rest;
    if (own == NULL || node == NULL || !take_conditions(arena, conditions->next, range, p, &rest))
        return false;
    *own = *conditions;
    own->node = node;
    own->next = rest;
    own->count = 0;
    for (size_t i = conditions->count; i-- > 0;) {
        const qkv__node *c = conditions->node[i];
        if (c == range || !qkv__node_names(c, name)) continue;
        *p = qkv__node_pair(arena, *p, QKV__NODE_IMPLIES, c, *p);
        if (*p == NULL) return false;
    }
    for (size_t i = 0; i < conditions->count; i++)
        if (!qkv__node_names(conditions->node[i], name)) node[own->count++] = conditions->node[i];
    *kept = own->count == 0 && conditions->count > 0 ? rest : own;
    return true;
}

/* The first range behind a claim that is to be written out; NULL: none is. */
static const qkv__node *range_to_write(const qkv__statement *s)
{
    for (const qkv__condition *c = s->conditions; c != NULL; c = c->next)
        for (size_t i = 0; c->kind == QKV__CONDITION_RANGE && i < c->count; i++)
            if (is_to_write(s, c->node[i])) return c->node[i];
    return NULL;
}

/* p for i in 1..4 is p for each of them. What grows too large stays as it is. */
static bool write_claim(writer *w, qkv__statement *s)
{
    const qkv__node *range, **own;
    while (s->kind == QKV__STATEMENT_CLAIM && (range = range_to_write(s)) != NULL) {
        const qkv__node *p = s->node[0];
        const qkv__condition *kept;
        if (!take_conditions(w->arena, s->conditions, range, &p, &kept)) return false;
        const qkv__node *made = conjunction(w, p, range);
        if (made == NULL) return !w->arena->failed;
        own = qkv__arena_array(w->arena, 1, sizeof *own);
        if (own == NULL) return false;
        own[0] = made;
        s->node = own;
        s->conditions = kept;
    }
    return true;
}

/* Nodes with their ranges written out, the array itself where none has any; NULL without memory.
 */
static const qkv__node *const *write_nodes(writer *w, const qkv__node *const *node, size_t count)
{
    const qkv__node **own = NULL;
    for (size_t i = 0; i < count; i++) {
        const qkv__node *made = write_out(node[i], w);
        if (made == NULL && w->arena->failed) return NULL;
        if (made == NULL || made == node[i]) continue;
        if (own == NULL) own = qkv__arena_array(w->arena, count, sizeof *own);
        if (own == NULL) return NULL;
        if (own != node) memcpy(own, node, count * sizeof *own);
        own[i] = made;
        node = own;
    }
    return node;
}

/* Those of a statement, given for all i in 1..3: p; the list itself where nothing changes. */
static bool write_conditions(writer *w, const qkv__condition *first, const qkv__condition **made)
{
    const qkv__condition *rest = NULL;
    if (first == NULL) return *made = NULL, true;
    const qkv__node *const *node = write_nodes(w, first->node, first->count);
    if ((node == NULL && first->count > 0) || !write_conditions(w, first->next, &rest))
        return false;
    *made = first;
    if (node == first->node && rest == first->next) return true;
    qkv__condition *own = qkv__arena_take(w->arena, sizeof *own);
    if (own == NULL) return false;
    *own = *first;
    own->node = node;
    own->next = rest;
    *made = own;
    return true;
}

bool qkv__ranges_write_out(qkv__arena *arena, qkv__statement *statement)
{
    writer w = {.arena = arena};
    const qkv__statement before = *statement;
    if (!write_claim(&w, statement) ||
        !write_conditions(&w, statement->conditions, &statement->conditions))
        return false;
    statement->node = write_nodes(&w, statement->node, statement->count);
    if (statement->node == NULL) return before.node == NULL;
    if (statement->written != NULL) return true; /* growth.h has kept it */
    if (statement->node == before.node && statement->conditions == before.conditions) return true;
    qkv__statement *written = qkv__arena_take(arena, sizeof *written);
    if (written == NULL) return false;
    *written = before;
    statement->written = written;
    return true;
}

/* ---- What is left -------------------------------------------------------------------------- */

static const char *left_in(const qkv__node *node)
{
    const bool over = node->kind == QKV__NODE_CALL && qkv__call_is_over(node);
    const qkv__node *sum = over ? node->child[0] : NULL;
    const char *found = NULL;
    if (sum != NULL && stands_as_number(sum->child[0], sum->text)) return sum->text;
    for (size_t i = 0; node->kind == QKV__NODE_FOR_ALL && i + 1 < node->count; i++) {
        const qkv__node *body = node->child[node->count - 1];
        const char *name = qkv__bound_name(node->child[i]);
        if (stands_as_number(body, name) && stands_as_index(body, name)) return name;
    }
    for (size_t i = 0; found == NULL && i < node->count; i++) found = left_in(node->child[i]);
    return found;
}

const char *qkv__ranges_left(const qkv__statement *statement)
{
    const qkv__node *p = statement->node[statement->count - 1];
    for (const qkv__condition *c = statement->conditions; c != NULL; c = c->next)
        for (size_t i = 0; c->kind == QKV__CONDITION_RANGE && i < c->count; i++) {
            const char *name = qkv__bound_name(c->node[i]);
            if (qkv__is_index_domain(c->node[i]) && stands_as_number(p, name) &&
                stands_as_index(p, name))
                return name;
        }
    return left_in(p);
}
