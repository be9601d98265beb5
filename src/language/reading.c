/* Indexes and numbers told apart, by syntax alone. Knows where names stand; evaluates nothing. */
#include "language/reading.h"

#include <assert.h>
#include <string.h>

#include "language/builtin.h"
#include "language/family_index.h"
#include "language/names.h"
#include "language/slips.h"
#include "language/tree.h"

/* Names compared with names compared with names: no deeper than this. */
enum { DEPTH = 6 };

typedef struct reader {
    const qkv__names *names;
    const qkv__statement *first, *entry;
    const qkv__circumstances *circumstances;
    const qkv__node *range; /* of the name itself; it does not count as a comparison */
} reader;

/* Where a name was seen. `number`: in an expression, or beside a number; `computed`: the former.
 * `end`: of a range, as a size. `ranged`: itself over 1..n, where n is a size of the problem. */
typedef struct places {
    bool index, number, computed, compared, end, ranged;
} places;

static void look(const reader *r, const qkv__node *node, const char *name, int depth, places *at);
static void look_at_bound(const reader *r, const qkv__node *bound, const char *name, int depth,
                          places *at);

static bool is_picked(const reader *r, const char *name)
{
    for (const qkv__statement *s = r->first; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; s->kind == QKV__STATEMENT_PICK && i + 1 < s->count; i++)
            if (qkv__node_is(s->node[i], name)) return true;
    return false;
}

static places places_of(const reader *r, const char *name, int depth)
{
    places at = {.index = is_picked(r, name)};
    if (depth == DEPTH) return at;
    for (size_t i = 0; i < r->entry->count; i++) look(r, r->entry->node[i], name, depth, &at);
    for (size_t i = 0; r->circumstances != NULL && i < r->circumstances->count; i++) {
        const qkv__node *node = r->circumstances->item[i].node;
        if (node != NULL) look_at_bound(r, node, name, depth, &at);
    }
    return at;
}

/* Whether a tree binds a name: sum(x for i in S), for all i in S. */
static bool binds(const qkv__node *node, const char *name)
{
    if (qkv__node_binds(node, name)) return true;
    for (size_t i = 0; i < node->count; i++)
        if (binds(node->child[i], name)) return true;
    return false;
}

/* Whether a name is picked, or runs over something: a size is no index, though it ends a range. */
static bool may_be_index(const reader *r, const char *name)
{
    for (size_t i = 0; i < r->entry->count; i++)
        if (binds(r->entry->node[i], name)) return true;
    for (size_t i = 0; r->circumstances != NULL && i < r->circumstances->count; i++) {
        const qkv__node *node = r->circumstances->item[i].node;
        if (node != NULL && qkv__is_index_domain(node) && qkv__node_is(node->child[0], name))
            return true;
    }
    return is_picked(r, name);
}

/* f(i), where f(j) = c.weight[j]: what the argument is in the definition. */
static bool look_behind(const reader *r, const qkv__node *call, const char *name, int depth,
                        places *at)
{
    for (const qkv__statement *s = r->first; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind != QKV__STATEMENT_DEFINE || s->node[0]->kind != QKV__NODE_CALL ||
            strcmp(s->node[0]->text, call->text) != 0)
            continue;
        for (size_t i = 0; i < call->count && i < s->node[0]->count; i++) {
            if (qkv__node_is(call->child[i], name))
                look(r, s->node[1], s->node[0]->child[i]->text, depth + 1, at);
            else
                look(r, call->child[i], name, depth, at);
        }
        return true;
    }
    return false;
}

/* ---- Sizes --------------------------------------------------------------------------------- */

static bool is_name(const qkv__node *node, const void *name)
{
    return qkv__node_is(node, name);
}

/* Whether a name stands in a range or in brackets, be it by way of definitions: k[1..n], X[n,d],
 * pick a in 1..n, dimension d. */
static bool ends_range(const reader *r, const qkv__node *node, const char *name)
{
    const bool dimension = node->kind == QKV__NODE_CALL && strcmp(node->text, "dimension") == 0;
    for (size_t i = 0; i < node->count; i++) {
        const bool end =
            node->kind == QKV__NODE_RANGE || (node->kind == QKV__NODE_INDEX && i > 0) || dimension;
        if ((end && qkv__node_rests_on(r->first, node->child[i], is_name, name)) ||
            ends_range(r, node->child[i], name))
            return true;
    }
    return false;
}

static bool declares(const qkv__statement *s)
{
    return s->kind == QKV__STATEMENT_FAMILY || s->kind == QKV__STATEMENT_OBJECT ||
           s->kind == QKV__STATEMENT_PICK;
}

static bool has_size(const reader *r, const qkv__node *node, int depth);

/* Whether a name is a size, or is defined by one. */
static bool is_size(const reader *r, const char *name, int depth)
{
    for (const qkv__statement *s = r->first; s != NULL; s = qkv__statement_after(s)) {
        for (size_t i = 0; declares(s) && i < s->count; i++)
            if (ends_range(r, s->node[i], name)) return true;
        if (s->kind == QKV__STATEMENT_DEFINE && strcmp(qkv__statement_name(s), name) == 0 &&
            has_size(r, s->node[1], depth + 1))
            return true;
    }
    return false;
}

/* Whether an end of a range, such as n - 1, is made of a size of the problem. */
static bool has_size(const reader *r, const qkv__node *node, int depth)
{
    if (depth > DEPTH) return false;
    if (qkv__node_is_word(node) && is_size(r, node->text, depth)) return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_size(r, node->child[i], depth)) return true;
    return false;
}

/* Whether an equation ties what a tree speaks of to a size: m = n, 2*m = n + 1. */
static bool ties(const reader *r, const qkv__node *equation, const qkv__node *node)
{
    if (equation == NULL || equation->kind != QKV__NODE_COMPARE ||
        equation->comparison != QKV__EQUAL || !has_size(r, equation, 0))
        return false;
    if (node->kind == QKV__NODE_NAME && qkv__node_names(equation, node->text)) return true;
    for (size_t i = 0; i < node->count; i++)
        if (ties(r, equation, node->child[i])) return true;
    return false;
}

/* Whether a definition counts up to a name, or has it for a size: sum(x for i in 1..m), ones(m). */
static bool counts_to(const reader *r, const qkv__node *node, const qkv__node *range)
{
    const qkv__builtin function = qkv__builtin_of(node);
    const bool sized = node->kind == QKV__NODE_RANGE || function == QKV__BUILTIN_ONES ||
                       function == QKV__BUILTIN_ZEROS;
    if (range->kind == QKV__NODE_NAME && sized &&
        qkv__node_rests_on(r->first, node, is_name, range->text))
        return true;
    for (size_t i = 0; i < node->count; i++)
        if (counts_to(r, node->child[i], range)) return true;
    for (size_t i = 0; i < range->count; i++)
        if (counts_to(r, node, range->child[i])) return true;
    return false;
}

/* Whether a premise or a definition may make the end of a range a size. */
static bool is_tied(const reader *r, const qkv__node *range)
{
    for (const qkv__statement *s = r->first; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind == QKV__STATEMENT_DEFINE && counts_to(r, s->node[1], range)) return true;
        for (size_t i = 0; i < s->count; i++)
            if ((s->kind == QKV__STATEMENT_GIVEN || s->kind == QKV__STATEMENT_ASSUME) &&
                ties(r, s->node[i], range))
                return true;
    }
    for (size_t i = 0; r->circumstances != NULL && i < r->circumstances->count; i++)
        if (ties(r, r->circumstances->item[i].node, range)) return true;
    return false;
}

/* ---- Places -------------------------------------------------------------------------------- */

/* k_i, a member if k is a family. W_t, where W is none, is a name of its own; where W is defined,
 * it is not known which: then the name is taken for both, and refused. */
static void look_at_subscript(const reader *r, const char *text, const char *index, places *at)
{
    const char *line = strchr(text, '_');
    if (line == NULL || strcmp(line + 1, index) != 0) return;
    for (size_t i = 0; i < r->names->count; i++)
        if (strcmp(r->names->item[i].name, text) == 0) return;
    const qkv__known_name *family = qkv__name_find_family(r->names, text);
    if (family == NULL) return;
    at->index = true;
    if (family->statement->kind == QKV__STATEMENT_DEFINE &&
        family->statement->node[0]->kind != QKV__NODE_INDEX &&
        !qkv__list_is_family(family->statement->node[1]))
        at->computed = true;
}

/* What a name is compared with: i < j makes it an index if j is one, t*d >= m a number. */
static void look_beside(const reader *r, const qkv__node *other, const char *name, int depth,
                        places *at)
{
    if (other->kind == QKV__NODE_NUMBER || qkv__node_is(other, name)) return;
    if (other->kind == QKV__NODE_NAME) {
        const places beside = places_of(r, other->text, depth + 1);
        const bool index =
            may_be_index(r, other->text) && (beside.index || (beside.ranged && !beside.number));
        at->index = at->index || index;
        at->number =
            at->number || (!index && !has_size(r, other, 0) && !may_be_index(r, other->text));
        return;
    }
    if (other->kind < QKV__NODE_NEGATE || other->kind > QKV__NODE_DIVIDE) at->number = true;
    for (size_t i = 0; i < other->count && !at->number; i++) {
        const qkv__node *part = other->child[i];
        places inside = {0};
        look_beside(r, part, name, depth, &inside);
        at->number = inside.number ||
                     (part->kind == QKV__NODE_NAME && places_of(r, part->text, depth + 1).number);
    }
}

/* What a name runs over is said behind the claim and in quantifiers; t in 1..2 within a claim is a
 * comparison. */
static void look_at_bound(const reader *r, const qkv__node *bound, const char *name, int depth,
                          places *at)
{
    const bool ranged = qkv__is_index_domain(bound) && qkv__node_is(bound->child[0], name) &&
                        bound->child[1]->kind == QKV__NODE_RANGE;
    if (ranged)
        at->ranged = at->ranged || has_size(r, bound->child[1], 0);
    else
        look(r, bound, name, depth, at);
}

/* t <= 1; i < j; t in 1..2 */
static void look_at_comparison(const reader *r, const qkv__node *node, const char *name, int depth,
                               places *at)
{
    for (size_t i = 0; i < node->count; i++) {
        const qkv__node *other = node->child[1 - i];
        if (!qkv__node_is(node->child[i], name)) {
            look(r, node->child[i], name, depth, at);
        } else if (node != r->range) {
            at->compared = true;
            if (node->comparison != QKV__IN && node->comparison != QKV__NOT_IN)
                look_beside(r, other, name, depth, at);
        }
    }
}

static void look(const reader *r, const qkv__node *node, const char *name, int depth, places *at)
{
    const bool quantifier = node->kind == QKV__NODE_FOR_ALL || node->kind == QKV__NODE_EXISTS;
    if (depth >= DEPTH) return;
    if (node->kind == QKV__NODE_NAME) look_at_subscript(r, node->text, name, at);
    if (qkv__node_is(node, name)) at->number = at->computed = true;
    if (node->kind == QKV__NODE_CALL && look_behind(r, node, name, depth, at)) return;
    if (node->kind == QKV__NODE_COMPARE && node->count == 2) {
        look_at_comparison(r, node, name, depth, at);
        return;
    }
    for (size_t i = 0; i < node->count; i++) {
        const bool index = (node->kind == QKV__NODE_INDEX && i > 0) || node->kind == QKV__NODE_SET;
        const bool end = node->kind == QKV__NODE_RANGE;
        if (quantifier && i + 1 < node->count) {
            look_at_bound(r, node->child[i], name, depth, at);
        } else if (!index && !end) {
            look(r, node->child[i], name, depth, at);
        } else if (qkv__node_mentions(node->child[i], name)) {
            at->index = at->index || index;
            at->end = at->end || end;
        }
    }
}

static bool is_asked_for(const qkv__statement *entry, const char *name)
{
    for (size_t i = 0; entry->kind == QKV__STATEMENT_FIND && i + 1 < entry->count; i++)
        if (strcmp(qkv__unknown_name(entry->node[i]), name) == 0) return true;
    return false;
}

/* 1..n, 2..5: ends that indexes may have. */
static bool has_ends_of_indexes(const qkv__node *range)
{
    for (size_t i = 0; i < range->count; i++) {
        const qkv__node *end = range->child[i];
        if (end->kind == QKV__NODE_NEGATE || end->kind == QKV__NODE_INFINITY ||
            (end->kind == QKV__NODE_NUMBER &&
             (!qkv__rational_is_whole(end->value) || end->value.numerator < 1)))
            return false;
    }
    return true;
}

qkv__reading qkv__read_range(const qkv__names *names, const qkv__statement *entry,
                             const qkv__circumstances *circumstances, const qkv__node *range,
                             qkv__written written)
{
    assert(qkv__is_index_domain(range));
    const reader r = {names, names->first, entry, circumstances, range};
    const char *name = range->child[0]->text;
    const bool bounded = range->comparison == QKV__IN && range->child[1]->kind == QKV__NODE_RANGE;
    const places at = places_of(&r, name, 0);
    if (at.index) return at.computed ? QKV__READ_BOTH : QKV__READ_INDEX;
    if (at.end) return QKV__READ_SIZE;
    if (is_asked_for(entry, name) || qkv__bound_is_number(names->first, range) != NULL)
        return QKV__READ_NUMBER;
    if (at.ranged)
        return at.number || written == QKV__WRITTEN_GIVEN ? QKV__READ_UNCLEAR : QKV__READ_INDEX;
    if (!at.number && !at.compared) return QKV__READ_NOWHERE;
    if (bounded && is_tied(&r, range->child[1])) return QKV__READ_UNCLEAR;
    if (!bounded || !has_ends_of_indexes(range->child[1]) || written == QKV__WRITTEN_GIVEN)
        return QKV__READ_NUMBER;
    return at.number && written == QKV__WRITTEN_BEHIND ? QKV__READ_NUMBER : QKV__READ_UNCLEAR;
}

/* What may be a range of a number: t in 1..2, t != 2. */
static bool may_bound_number(const qkv__node *node)
{
    return node != NULL && qkv__is_index_domain(node) &&
           (node->comparison == QKV__IN
                ? node->child[1]->kind == QKV__NODE_RANGE
                : node->comparison == QKV__NOT_EQUAL && node->child[1]->kind == QKV__NODE_NUMBER);
}

static qkv__written written_of(const qkv__circumstance *condition)
{
    return condition->kind == QKV__CONDITION_RANGE ? QKV__WRITTEN_BEHIND : QKV__WRITTEN_GIVEN;
}

/* Whether it cannot be told what a range is of. */
static bool is_unclear(const reader *r, const qkv__node *range, qkv__written written,
                       qkv__reading *reading)
{
    if (range == NULL || !qkv__is_index_domain(range)) return false;
    *reading = qkv__read_range(r->names, r->entry, r->circumstances, range, written);
    return *reading == QKV__READ_BOTH || (*reading == QKV__READ_UNCLEAR && may_bound_number(range));
}

/* In the quantifiers of a tree. */
static const qkv__node *unclear_inside(const reader *r, const qkv__node *node,
                                       qkv__reading *reading)
{
    const bool quantifier = node->kind == QKV__NODE_FOR_ALL || node->kind == QKV__NODE_EXISTS;
    const qkv__node *found = NULL;
    for (size_t i = 0; quantifier && i + 1 < node->count; i++)
        if (is_unclear(r, node->child[i], QKV__WRITTEN_AROUND, reading)) return node->child[i];
    for (size_t i = 0; found == NULL && i < node->count; i++)
        found = unclear_inside(r, node->child[i], reading);
    return found;
}

const qkv__node *qkv__unclear_range(const qkv__names *names, const qkv__statement *entry,
                                    const qkv__circumstances *circumstances, qkv__reading *reading)
{
    const reader r = {names, names->first, entry, circumstances, NULL};
    const qkv__node *found = unclear_inside(&r, entry->node[entry->count - 1], reading);
    for (size_t i = 0; found == NULL && i < circumstances->count; i++) {
        const qkv__circumstance *c = &circumstances->item[i];
        if (c->node == NULL) continue;
        if (is_unclear(&r, c->node, written_of(c), reading)) return c->node;
        found = unclear_inside(&r, c->node, reading);
    }
    return found;
}

bool qkv__write_bounds(qkv__arena *arena, const qkv__names *names, const qkv__statement *entry,
                       qkv__circumstances *circumstances)
{
    const qkv__circumstances all = *circumstances;
    bool room = true;
    circumstances->count = 0;
    for (size_t i = 0; i < all.count && room; i++) {
        const qkv__circumstance *c = &all.item[i];
        const qkv__node *ends = may_bound_number(c->node) ? c->node->child[1] : NULL;
        if (ends == NULL || qkv__bound_is_number(names->first, c->node) != NULL ||
            qkv__read_range(names, entry, &all, c->node, written_of(c)) != QKV__READ_NUMBER) {
            circumstances->item[circumstances->count++] = *c;
            continue;
        }
        const bool two = ends->kind == QKV__NODE_RANGE;
        for (size_t side = 0; side < (two ? 2 : 1) && room; side++) {
            qkv__node *bound = qkv__node_pair(arena, c->node, QKV__NODE_COMPARE,
                                              two ? ends->child[side] : ends, c->node->child[0]);
            if (bound == NULL) return false;
            bound->comparison = !two        ? QKV__NOT_EQUAL
                                : side == 0 ? QKV__LESS_OR_EQUAL
                                            : QKV__GREATER_OR_EQUAL;
            room = qkv__circumstances_put(circumstances, c->kind, bound);
        }
    }
    return room;
}
