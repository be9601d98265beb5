/* Questions about trees: which names and numbers they mention, what a comparison is the other way
 * round. Knows syntax alone, nothing of what it means. */
#include "language/tree.h"

#include <assert.h>
#include <string.h>

#include "language/family_index.h"

/* ---- Names and statements ---------------------------------------------------------------- */

const char *qkv__unknown_name(const qkv__node *unknown)
{
    if (unknown->kind == QKV__NODE_CALL && unknown->count == 1) unknown = unknown->child[0];
    if (unknown->kind == QKV__NODE_INDEX) unknown = unknown->child[0];
    return unknown->text;
}

bool qkv__node_mentions(const qkv__node *node, const char *name)
{
    assert(node != NULL && name != NULL);
    if ((node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL) &&
        strcmp(node->text, name) == 0)
        return true;
    /* u[c]: an index is a mark of its set, not the thing of that name */
    size_t count = node->kind == QKV__NODE_INDEX ? 1 : node->count;
    for (size_t i = 0; i < count; i++)
        if (qkv__node_mentions(node->child[i], name)) return true;
    return false;
}

bool qkv__node_indexes(const qkv__node *node, const char *name)
{
    for (size_t i = 0; i < node->count; i++)
        if ((i > 0 && node->kind == QKV__NODE_INDEX && qkv__node_is(node->child[i], name)) ||
            qkv__node_indexes(node->child[i], name))
            return true;
    return false;
}

bool qkv__node_has_index(const qkv__node *node, const char *name)
{
    const char *line = node->kind == QKV__NODE_NAME ? strchr(node->text, '_') : NULL;
    if (line != NULL && strcmp(line + 1, name) == 0) return true; /* k_i */
    if (node->kind == QKV__NODE_NAME && strcmp(node->text, name) == 0) return true;
    for (size_t i = 0; i < node->count; i++)
        if (qkv__node_has_index(node->child[i], name)) return true;
    return false;
}

bool qkv__node_is(const qkv__node *node, const char *name)
{
    return node->kind == QKV__NODE_NAME && strcmp(node->text, name) == 0;
}

bool qkv__node_is_word(const qkv__node *node)
{
    return node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL;
}

const char *qkv__bound_name(const qkv__node *bound)
{
    return qkv__unknown_name(bound->kind == QKV__NODE_COMPARE ? bound->child[0] : bound);
}

bool qkv__node_binds(const qkv__node *node, const char *name)
{
    if (node->kind == QKV__NODE_SUM) return strcmp(node->text, name) == 0;
    if (node->kind != QKV__NODE_FOR_ALL && node->kind != QKV__NODE_EXISTS) return false;
    for (size_t i = 0; i + 1 < node->count; i++)
        if (strcmp(qkv__bound_name(node->child[i]), name) == 0) return true;
    return false;
}

bool qkv__node_is_domain(const qkv__node *node)
{
    return node->kind == QKV__NODE_COMPARE &&
           (node->comparison == QKV__IN || node->comparison == QKV__NOT_IN ||
            node->comparison == QKV__NOT_EQUAL);
}

bool qkv__is_index_domain(const qkv__node *node)
{
    return qkv__node_is_domain(node) && node->child[0]->kind == QKV__NODE_NAME;
}

const char *qkv__statement_name(const qkv__statement *statement)
{
    const qkv__node *node = statement->count > 0 ? statement->node[0] : NULL;
    if (node != NULL && node->kind == QKV__NODE_COMPARE) node = node->child[0];
    if (node != NULL && node->kind == QKV__NODE_INDEX) node = node->child[0];
    return node == NULL ? "" : node->text;
}

const qkv__statement *qkv__statement_after(const qkv__statement *statement)
{
    const qkv__statement *next = statement->next;
    return next == NULL || next->kind == QKV__STATEMENT_PROBLEM ? NULL : next;
}

size_t qkv__list_width(const qkv__node *list)
{
    if (list->kind != QKV__NODE_LIST) return 0;
    if (list->table != NULL) return list->table->flat ? 1 : list->table->columns;
    if (list->count == 0 || qkv__list_is_family(list)) return 0;
    return list->child[0]->kind == QKV__NODE_LIST ? list->child[0]->count : 1;
}

bool qkv__circumstances_put(qkv__circumstances *circumstances, qkv__condition_kind kind,
                            const qkv__node *node)
{
    if (circumstances->count == QKV__CIRCUMSTANCES) return false;
    circumstances->item[circumstances->count++] =
        (qkv__circumstance){.kind = kind, .node = node, .text = ""};
    return true;
}

void qkv__circumstances_add(qkv__circumstances *circumstances, const qkv__condition *conditions)
{
    bool room = true;
    for (const qkv__condition *c = conditions; c != NULL; c = c->next) {
        for (size_t i = 0; i < c->count && room; i++)
            room = qkv__circumstances_put(circumstances, c->kind, c->node[i]);
        if (c->kind == QKV__CONDITION_EXPECT && room) {
            room = qkv__circumstances_put(circumstances, c->kind, NULL);
            if (room) circumstances->item[circumstances->count - 1].text = c->text;
        }
    }
    if (!room) circumstances->too_many = true;
}

bool qkv__circumstance_is_premise(const qkv__circumstance *circumstance)
{
    return circumstance->kind == QKV__CONDITION_RANGE || circumstance->kind == QKV__CONDITION_AT ||
           circumstance->kind == QKV__CONDITION_GIVEN;
}

bool qkv__statement_is_entry(const qkv__statement *statement)
{
    return statement->kind == QKV__STATEMENT_CLAIM || statement->kind == QKV__STATEMENT_FIND ||
           statement->kind == QKV__STATEMENT_LAW;
}

/* ---- Walks ------------------------------------------------------------------------------- */

const qkv__node *qkv__node_find(const qkv__node *node, qkv__tree_test *test, const void *context)
{
    const qkv__node *found = test(node, context) ? node : NULL;
    for (size_t i = 0; i < node->count && found == NULL; i++)
        found = qkv__node_find(node->child[i], test, context);
    return found;
}

bool qkv__node_has(const qkv__node *node, qkv__tree_test *test, const void *context)
{
    return qkv__node_find(node, test, context) != NULL;
}

static bool is_name(const qkv__node *node, const void *name)
{
    return qkv__node_is(node, name);
}

bool qkv__node_names(const qkv__node *node, const char *name)
{
    return qkv__node_has(node, is_name, name);
}

static bool is_kind(const qkv__node *node, const void *kind)
{
    return node->kind == *(const qkv__node_kind *)kind;
}

bool qkv__node_has_kind(const qkv__node *node, qkv__node_kind kind)
{
    return qkv__node_has(node, is_kind, &kind);
}

static bool compares(const qkv__node *node, const void *comparison)
{
    return node->kind == QKV__NODE_COMPARE &&
           node->comparison == *(const qkv__comparison *)comparison;
}

bool qkv__node_has_comparison(const qkv__node *node, qkv__comparison comparison)
{
    return qkv__node_has(node, compares, &comparison);
}

static bool calls(const qkv__node *node, const void *function)
{
    return qkv__builtin_of(node) == *(const qkv__builtin *)function;
}

const qkv__node *qkv__node_find_call(const qkv__node *node, qkv__builtin function)
{
    return qkv__node_find(node, calls, &function);
}

/* A walk that follows definitions. */
typedef struct pursuit {
    const qkv__statement *first;
    qkv__tree_test *test;
    const void *context;
    int depth; /* of definitions in definitions */
} pursuit;

static bool rests(const qkv__node *node, const void *context)
{
    enum { DEEPEST = 16 };
    pursuit p = *(const pursuit *)context;
    if (p.depth++ > DEEPEST || p.test(node, p.context)) return true;
    if (!qkv__node_is_word(node)) return false;
    for (const qkv__statement *s = p.first; s != NULL; s = qkv__statement_after(s))
        if (s->kind == QKV__STATEMENT_DEFINE && strcmp(qkv__statement_name(s), node->text) == 0 &&
            qkv__node_has(s->node[1], rests, &p))
            return true;
    return false;
}

bool qkv__node_rests_on(const qkv__statement *first, const qkv__node *node, qkv__tree_test *test,
                        const void *context)
{
    const pursuit p = {.first = first, .test = test, .context = context};
    return qkv__node_has(node, rests, &p);
}

static qkv__node *copy_of(qkv__arena *arena, const qkv__node *node, const qkv__node ***child)
{
    qkv__node *copy = qkv__arena_take(arena, sizeof *copy);
    *child = qkv__arena_array(arena, node->count, sizeof **child);
    if (copy == NULL || *child == NULL) return NULL;
    memcpy(*child, node->child, node->count * sizeof **child);
    *copy = *node;
    copy->child = *child;
    return copy;
}

const qkv__node *qkv__node_changed(qkv__arena *arena, const qkv__node *node,
                                   qkv__tree_change *change, void *context)
{
    qkv__node *copy = NULL;
    const qkv__node **child = NULL;
    for (size_t i = 0; i < node->count; i++) {
        const qkv__node *made = change(node->child[i], context);
        if (made == node->child[i]) continue;
        if (copy == NULL) copy = copy_of(arena, node, &child);
        if (copy == NULL || made == NULL || made->depth >= QKV__TREE_DEPTH) return NULL;
        child[i] = made;
        if (copy->depth <= made->depth) copy->depth = made->depth + 1;
    }
    return copy == NULL ? node : copy;
}

bool qkv__node_is_number(const qkv__node *node, qkv__rational *number)
{
    qkv__rational x, y;
    if (node->kind == QKV__NODE_NUMBER) {
        *number = node->value;
    } else if (node->kind == QKV__NODE_NEGATE) {
        if (!qkv__node_is_number(node->child[0], &x)) return false;
        *number = qkv__rational_negate(x);
    } else {
        if (node->kind != QKV__NODE_DIVIDE || !qkv__node_is_number(node->child[0], &x) ||
            !qkv__node_is_number(node->child[1], &y) || qkv__rational_is_zero(y))
            return false;
        *number = qkv__rational_divide(x, y);
    }
    return !qkv__rational_is_lost(*number);
}

/* ---- Making ------------------------------------------------------------------------------ */

qkv__node *qkv__node_like(qkv__arena *arena, const qkv__node *like, qkv__node_kind kind,
                          const qkv__node *const *child, size_t count)
{
    qkv__node *node = qkv__arena_take(arena, sizeof *node);
    const qkv__node **own = qkv__arena_array(arena, count + 1, sizeof *own);
    if (node == NULL || own == NULL) return NULL;
    *node = *like;
    node->kind = kind;
    node->count = count;
    node->child = own;
    node->depth = 1;
    node->table = NULL;
    for (size_t i = 0; i < count; i++) {
        own[i] = child[i];
        if (own[i] == NULL || own[i]->depth + 1 >= QKV__TREE_DEPTH) return NULL;
        if (own[i]->depth >= node->depth) node->depth = own[i]->depth + 1;
    }
    return node;
}

qkv__node *qkv__node_pair(qkv__arena *arena, const qkv__node *like, qkv__node_kind kind,
                          const qkv__node *first, const qkv__node *second)
{
    const qkv__node *child[] = {first, second};
    return qkv__node_like(arena, like, kind, child, 2);
}

const qkv__node *qkv__node_name(qkv__arena *arena, const char *name, qkv__place place)
{
    const qkv__node like = {.place = place, .text = name};
    return qkv__node_like(arena, &like, QKV__NODE_NAME, NULL, 0);
}

const qkv__node *qkv__node_number(qkv__arena *arena, qkv__rational value, qkv__place place)
{
    const qkv__node like = {.place = place, .text = "", .value = value};
    return qkv__node_like(arena, &like, QKV__NODE_NUMBER, NULL, 0);
}

const qkv__node *qkv__node_grows(qkv__arena *arena, const char *name, qkv__place place)
{
    const qkv__node like = {.place = place, .text = "", .comparison = QKV__TENDS_TO};
    const qkv__node infinity = {.place = place, .text = "inf"};
    return qkv__node_pair(arena, &like, QKV__NODE_COMPARE, qkv__node_name(arena, name, place),
                          qkv__node_like(arena, &infinity, QKV__NODE_INFINITY, NULL, 0));
}

/* ---- Comparisons ------------------------------------------------------------------------- */

qkv__comparison qkv__comparison_mirror(qkv__comparison comparison)
{
    switch (comparison) {
    case QKV__LESS: return QKV__GREATER;
    case QKV__LESS_OR_EQUAL: return QKV__GREATER_OR_EQUAL;
    case QKV__GREATER: return QKV__LESS;
    case QKV__GREATER_OR_EQUAL: return QKV__LESS_OR_EQUAL;
    default: return comparison;
    }
}

bool qkv__comparison_opposite(qkv__comparison comparison, qkv__comparison *other)
{
    static const struct {
        qkv__comparison one, other;
    } pairs[] = {{QKV__EQUAL, QKV__NOT_EQUAL},
                 {QKV__LESS, QKV__GREATER_OR_EQUAL},
                 {QKV__GREATER, QKV__LESS_OR_EQUAL},
                 {QKV__IN, QKV__NOT_IN}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (pairs[i].one == comparison) return *other = pairs[i].other, true;
        if (pairs[i].other == comparison) return *other = pairs[i].one, true;
    }
    return false;
}

/* ---- Numbers among indices --------------------------------------------------------------- */

typedef struct collection {
    int64_t most;
    int64_t *number; /* in order */
    size_t count, capacity;
} collection;

static void add(collection *c, const qkv__node *node)
{
    int64_t value = node->value.numerator;
    if (node->kind != QKV__NODE_NUMBER || node->value.denominator != 1 || value < 1 ||
        value > c->most)
        return;
    size_t kept = c->count < c->capacity ? c->count : c->capacity, at = 0;
    while (at < kept && c->number[at] < value) at++;
    if (at < kept && c->number[at] == value) return;
    c->count++;
    if (at == c->capacity) return;
    if (kept == c->capacity) kept--;
    memmove(c->number + at + 1, c->number + at, (kept - at) * sizeof *c->number);
    c->number[at] = value;
}

/* i in {3, 8}, i != 3 */
static void add_members(collection *c, const qkv__node *set)
{
    add(c, set);
    for (size_t i = 0; set->kind == QKV__NODE_SET && i < set->count; i++) add(c, set->child[i]);
}

static void walk_node(collection *c, const qkv__node *node)
{
    for (size_t i = 1; node->kind == QKV__NODE_INDEX && i < node->count; i++)
        add(c, node->child[i]);
    if (node->kind == QKV__NODE_COMPARE &&
        (node->comparison == QKV__IN || node->comparison == QKV__NOT_IN ||
         node->comparison == QKV__NOT_EQUAL))
        add_members(c, node->child[1]);
    for (size_t i = 0; i < node->count; i++) walk_node(c, node->child[i]);
}

static void walk_statements(collection *c, const qkv__statement *first, bool inside)
{
    for (const qkv__statement *s = first; s != NULL; s = s->next) {
        if (!inside && s != first && s->kind == QKV__STATEMENT_PROBLEM) break;
        for (size_t i = 0; i < s->count; i++) walk_node(c, s->node[i]);
        for (const qkv__condition *d = s->conditions; d != NULL; d = d->next)
            for (size_t i = 0; i < d->count; i++) walk_node(c, d->node[i]);
        walk_statements(c, s->inside, true);
    }
}

size_t qkv__mentioned_numbers(const qkv__statement *first, int64_t most, int64_t *number,
                              size_t capacity)
{
    collection c = {.most = most, .number = number, .capacity = capacity};
    walk_statements(&c, first, false);
    return c.count;
}
