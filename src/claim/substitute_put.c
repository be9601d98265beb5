/* A vector put in place of another: its declaration gets a name of its own, a definition takes its
 * place, and what speaks of it goes behind that. Knows statements and trees; nothing of premises,
 * and evaluates nothing. */
#include "claim/substitute_part.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "claim/premise/reach.h"
#include "language/tree.h"
#include "language/write.h"

enum { DEPTH = 16 }; /* of definitions in definitions */

/* ---- Trees --------------------------------------------------------------------------------- */

/* Whether a name is meant somewhere: k, k[a], k_a, sum(x for k in S). */
static bool uses(const qkv__node *node, const void *data)
{
    const char *name = data, *below = strchr(node->text, '_');
    const size_t length = strlen(name);
    if (node->kind == QKV__NODE_NUMBER || node->kind == QKV__NODE_STRING) return false;
    if (strcmp(node->text, name) == 0) return true;
    return node->kind == QKV__NODE_NAME && below != NULL &&
           (strcmp(below + 1, name) == 0 ||
            ((size_t)(below - node->text) == length && strncmp(node->text, name, length) == 0));
}

bool qkv__rewriting_has_name(const qkv__node *node, const char *name)
{
    return qkv__node_has(node, uses, name);
}

typedef struct renaming {
    qkv__rewriting *r;
    const char *name;
    const qkv__node *by;
} renaming;

static const qkv__node *put(const qkv__node *node, void *context)
{
    renaming *n = context;
    if (qkv__node_is(node, n->name)) return n->by;
    return qkv__node_changed(n->r->arena, node, put, n);
}

/* A tree with another in place of a name. */
const qkv__node *qkv__rewriting_with_name(qkv__rewriting *r, const qkv__node *node,
                                          const char *name, const qkv__node *by)
{
    renaming n = {r, name, by};
    const qkv__node *made = node == NULL || by == NULL ? NULL : put(node, &n);
    if (made == NULL) r->failed = true;
    return made;
}

static const qkv__node *pair(qkv__rewriting *r, qkv__node_kind kind, const qkv__node *x,
                             const qkv__node *y)
{
    const qkv__node like = {.place = r->claim->place, .text = ""};
    return qkv__node_pair(r->arena, &like, kind, x, y);
}

static const qkv__node *name_node(qkv__rewriting *r, const char *name)
{
    return qkv__node_name(r->arena, name, r->claim->place);
}

static const qkv__node *number_node(qkv__rewriting *r, qkv__rational value)
{
    if (qkv__rational_is_lost(value)) return NULL;
    if (qkv__rational_sign(value) >= 0) return qkv__node_number(r->arena, value, r->claim->place);
    const qkv__node like = {.place = r->claim->place, .text = ""};
    const qkv__node *size =
        qkv__node_number(r->arena, qkv__rational_negate(value), r->claim->place);
    return qkv__node_like(r->arena, &like, QKV__NODE_NEGATE, &size, 1);
}

/* ---- The problem --------------------------------------------------------------------------- */

static bool is_within(const qkv__statement *block, const qkv__statement *claim)
{
    for (const qkv__statement *s = block->inside; s != NULL; s = s->next)
        if (s == claim || is_within(s, claim)) return true;
    return false;
}

qkv__statement *qkv__rewriting_copy(qkv__rewriting *r, const qkv__statement *s)
{
    qkv__statement *made = qkv__arena_take(r->arena, sizeof *made);
    const qkv__node **node = qkv__arena_array(r->arena, s->count + 1, sizeof *node);
    if (made == NULL || node == NULL) return r->failed = true, NULL;
    for (size_t i = 0; i < s->count; i++) node[i] = s->node[i];
    *made = *s;
    made->node = node;
    made->conditions = NULL;
    made->written = NULL;
    made->next = NULL;
    return made;
}

void qkv__rewriting_insert(qkv__rewriting *r, size_t at, qkv__statement *s)
{
    if (s == NULL || r->count == QKV__REWRITING_STATEMENTS) {
        r->failed = true;
        return;
    }
    memmove(&r->statement[at + 1], &r->statement[at], (r->count - at) * sizeof r->statement[0]);
    r->statement[at] = s;
    r->count++;
}

/* Declarations in front of the claim, and picks, which are meant for the whole problem. */
void qkv__rewriting_gather(qkv__rewriting *r)
{
    bool behind = false;
    for (const qkv__statement *s = r->model->statements; s != NULL && !r->failed;
         s = qkv__statement_after(s)) {
        behind = behind || s == r->claim || is_within(s, r->claim);
        if (s->kind == QKV__STATEMENT_PICK ||
            (!behind && s->kind != QKV__STATEMENT_BLOCK && !qkv__statement_is_entry(s)))
            qkv__rewriting_insert(r, r->count, qkv__rewriting_copy(r, s));
    }
}

/* Whether a node of a statement declares a name. */
static bool declares(const qkv__statement *s, size_t i, const char *name)
{
    const qkv__node *node = s->node[i];
    switch (s->kind) {
    case QKV__STATEMENT_FAMILY:
        while (node->kind == QKV__NODE_INDEX || node->kind == QKV__NODE_COMPARE)
            node = node->child[0];
        return node != s->node[i] && qkv__node_is(node, name);
    case QKV__STATEMENT_OBJECT:
    case QKV__STATEMENT_PICK: return strcmp(qkv__unknown_name(node), name) == 0;
    case QKV__STATEMENT_DEFINE: return i == 0 && qkv__name_is_of(name, qkv__statement_name(s));
    default: return false;
    }
}

/* The statement that declares or defines a name; SIZE_MAX: none does. */
static size_t find_declaration(const qkv__rewriting *r, const char *name, size_t *at)
{
    *at = 0;
    for (size_t s = 0; s < r->count; s++)
        for (*at = 0; *at < r->statement[s]->count; ++*at)
            if (declares(r->statement[s], *at, name)) return s;
    return SIZE_MAX;
}

/* The range of a declared family, whatever marks its name got; NULL: it is none. */
static const qkv__node *range_of(const qkv__rewriting *r, const char *name)
{
    const size_t length = strlen(name);
    for (size_t s = 0; s < r->count; s++)
        for (size_t i = 0;
             r->statement[s]->kind == QKV__STATEMENT_FAMILY && i < r->statement[s]->count; i++) {
            const qkv__node *node = r->statement[s]->node[i];
            if (node->kind != QKV__NODE_INDEX || node->count != 2 ||
                strncmp(node->child[0]->text, name, length) != 0 ||
                strspn(node->child[0]->text + length, "$") != strlen(node->child[0]->text + length))
                continue;
            return node->child[1]->kind == QKV__NODE_RANGE ? node->child[1] : NULL;
        }
    return NULL;
}

/* Whether a name is defined by what was put in already. */
static bool is_own(const qkv__rewriting *r, const char *name)
{
    for (size_t i = 0; i < r->used_count; i++)
        if (strcmp(r->own[i], name) == 0) return true;
    return false;
}

/* ---- What an equation is solved for -------------------------------------------------------- */

/* Whether a node is a declared vector, or a member of a declared family. */
bool qkv__rewriting_is_vector(const qkv__rewriting *r, const qkv__node *node)
{
    size_t at;
    const bool member = node->kind == QKV__NODE_INDEX;
    const qkv__node *word = member ? node->child[0] : node;
    if (word->kind != QKV__NODE_NAME) return false;
    const size_t s = find_declaration(r, word->text, &at);
    if (s == SIZE_MAX) return false;
    if (!member)
        return (r->statement[s]->kind == QKV__STATEMENT_OBJECT &&
                strcmp(r->statement[s]->text, "vector") == 0 &&
                r->statement[s]->node[at]->kind == QKV__NODE_NAME) ||
               (is_own(r, word->text) && range_of(r, word->text) == NULL);
    return node->count == 2 && range_of(r, word->text) != NULL &&
           (node->child[1]->kind == QKV__NODE_NAME || node->child[1]->kind == QKV__NODE_NUMBER) &&
           ((r->statement[s]->kind == QKV__STATEMENT_FAMILY &&
             r->statement[s]->node[at]->kind == QKV__NODE_INDEX) ||
            is_own(r, word->text));
}

bool qkv__rewriting_is_zero(const qkv__node *node)
{
    return node->kind == QKV__NODE_NUMBER && qkv__rational_is_zero(node->value);
}

bool qkv__rewriting_add_terms(qkv__rewriting_terms *sum, const qkv__node *node,
                              qkv__rational factor)
{
    qkv__rational number;
    if (qkv__rewriting_is_zero(node)) return true;
    switch (node->kind) {
    case QKV__NODE_NEGATE:
        return qkv__rewriting_add_terms(sum, node->child[0], qkv__rational_negate(factor));
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
        return qkv__rewriting_add_terms(sum, node->child[0], factor) &&
               qkv__rewriting_add_terms(sum, node->child[1],
                                        node->kind == QKV__NODE_ADD ? factor
                                                                    : qkv__rational_negate(factor));
    case QKV__NODE_MULTIPLY:
        for (size_t at = 0; at < 2; at++)
            if (qkv__node_is_number(node->child[at], &number))
                return qkv__rewriting_add_terms(sum, node->child[1 - at],
                                                qkv__rational_multiply(factor, number));
        break;
    case QKV__NODE_DIVIDE:
        if (qkv__node_is_number(node->child[1], &number) && !qkv__rational_is_zero(number))
            return qkv__rewriting_add_terms(sum, node->child[0],
                                            qkv__rational_divide(factor, number));
        break;
    default: break;
    }
    for (size_t i = 0; i < sum->count; i++)
        if (qkv__node_same_text(sum->term[i].vector, node)) {
            sum->term[i].factor = qkv__rational_add(sum->term[i].factor, factor);
            return !qkv__rational_is_lost(sum->term[i].factor);
        }
    if (sum->count == QKV__REWRITING_TERMS || qkv__rational_is_lost(factor)) return false;
    sum->term[sum->count].factor = factor;
    sum->term[sum->count++].vector = node;
    return true;
}

/* What a vector is by an equation: minus the other terms, divided by its factor; 0 times itself
 * where there are none. NULL: it is in none. */
const qkv__node *qkv__rewriting_solved_for(qkv__rewriting *r, const qkv__rewriting_terms *sum,
                                           size_t which)
{
    const qkv__node *target = sum->term[which].vector, *value = NULL;
    if (qkv__rational_is_zero(sum->term[which].factor)) return NULL;
    for (size_t i = 0; i < sum->count; i++) {
        if (i == which || qkv__rational_is_zero(sum->term[i].factor)) continue;
        const qkv__rational factor = qkv__rational_negate(
            qkv__rational_divide(sum->term[i].factor, sum->term[which].factor));
        const bool plain = factor.numerator == 1 && factor.denominator == 1;
        const qkv__node *one =
            plain ? sum->term[i].vector
                  : pair(r, QKV__NODE_MULTIPLY, number_node(r, factor), sum->term[i].vector);
        if (one == NULL) return NULL;
        value = value == NULL ? one : pair(r, QKV__NODE_ADD, value, one);
        if (value == NULL) return NULL;
    }
    if (value != NULL) return value;
    return pair(r, QKV__NODE_MULTIPLY, number_node(r, qkv__rational_whole(0)), target);
}

/* ---- Putting a vector in ------------------------------------------------------------------- */

/* Whether a definition that a tree speaks of speaks of a name, directly or by way of others. */
static bool rests_on(const qkv__rewriting *r, const qkv__node *node, const char *name, int depth)
{
    if (depth > DEPTH) return true;
    if ((node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL) && !uses(node, name))
        for (size_t s = 0; s < r->count; s++) {
            const qkv__statement *d = r->statement[s];
            if (!qkv__name_is_of(node->text, qkv__statement_name(d)) ||
                (d->kind != QKV__STATEMENT_DEFINE && d->kind != QKV__STATEMENT_FAMILY &&
                 d->kind != QKV__STATEMENT_OBJECT))
                continue;
            for (size_t i = 0; i < d->count; i++) {
                const bool own = declares(d, i, node->text);
                const bool indexed = own && d->node[i]->kind == QKV__NODE_INDEX;
                if ((!own && qkv__rewriting_has_name(d->node[i], name)) ||
                    (!own && rests_on(r, d->node[i], name, depth + 1)))
                    return true;
                for (size_t c = 1; indexed && c < d->node[i]->count; c++) /* of k[1..n] */
                    if (qkv__rewriting_has_name(d->node[i]->child[c], name) ||
                        rests_on(r, d->node[i]->child[c], name, depth + 1))
                        return true;
            }
        }
    for (size_t i = 0; i < node->count; i++)
        if (rests_on(r, node->child[i], name, depth)) return true;
    return false;
}

/* A name with a mark more than there is. */
static const char *fresh_name(qkv__rewriting *r, const char *name)
{
    size_t at;
    qkv__text text = {0};
    qkv__text_format(&text, "%s", name);
    do qkv__text_format(&text, "%c", QKV__REWRITING_MARK);
    while (!text.failed && find_declaration(r, text.data, &at) != SIZE_MAX);
    const char *made = text.failed ? NULL : qkv__arena_text(r->arena, text.data, text.length);
    qkv__text_free(&text);
    if (made == NULL) r->failed = true;
    return made;
}

/* Where a definition of a name by a tree may stand: behind all that the tree speaks of. */
static size_t place_behind(const qkv__rewriting *r, const qkv__node *value, size_t least)
{
    for (size_t s = least; s < r->count; s++)
        for (size_t i = 0; i < r->statement[s]->count; i++) {
            const qkv__statement *d = r->statement[s];
            const qkv__node *node = d->node[i];
            if (d->kind == QKV__STATEMENT_GIVEN || d->kind == QKV__STATEMENT_ASSUME) continue;
            if (d->kind == QKV__STATEMENT_DEFINE && i > 0) continue;
            while (node->kind == QKV__NODE_INDEX || node->kind == QKV__NODE_COMPARE)
                node = node->child[0];
            if (qkv__rewriting_has_name(value, qkv__unknown_name(node))) least = s;
        }
    return least + 1;
}

/* Moves what speaks of a name from the statements behind its declaration up to a definition of it
 * to behind that, and what speaks of what was moved. False: the definition needs some of it. */
static bool move_behind(qkv__rewriting *r, size_t declared, size_t defined, const char *name)
{
    qkv__statement *kept[QKV__REWRITING_STATEMENTS], *moved[QKV__REWRITING_STATEMENTS];
    size_t kept_count = 0, moved_count = 0;
    const qkv__statement *definition = r->statement[defined];
    for (size_t s = declared + 1; s < defined; s++) {
        qkv__statement *d = r->statement[s];
        bool speaks = false;
        for (size_t i = 0; i < d->count; i++) {
            speaks = speaks || qkv__rewriting_has_name(d->node[i], name);
            for (size_t m = 0; m < moved_count; m++)
                speaks =
                    speaks || (moved[m]->kind == QKV__STATEMENT_DEFINE &&
                               qkv__rewriting_has_name(d->node[i], qkv__statement_name(moved[m])));
        }
        if (speaks && d->kind != QKV__STATEMENT_DEFINE && d->kind != QKV__STATEMENT_GIVEN)
            return false;
        if (speaks && d->kind == QKV__STATEMENT_DEFINE &&
            qkv__rewriting_has_name(definition->node[1], qkv__statement_name(d)))
            return false;
        if (speaks)
            moved[moved_count++] = d;
        else
            kept[kept_count++] = d;
    }
    qkv__statement *own = r->statement[defined];
    memcpy(&r->statement[declared + 1], kept, kept_count * sizeof kept[0]);
    r->statement[declared + 1 + kept_count] = own;
    memcpy(&r->statement[declared + 2 + kept_count], moved, moved_count * sizeof moved[0]);
    return true;
}

/* The declaration with another name in place of one. */
static bool rename_declaration(qkv__rewriting *r, size_t declared, size_t at, const char *name,
                               const char *fresh)
{
    qkv__statement *made = qkv__rewriting_copy(r, r->statement[declared]);
    const qkv__node *by = name_node(r, fresh), *node = r->statement[declared]->node[at];
    if (made == NULL || by == NULL) return r->failed = true, false;
    const qkv__node **nodes = (const qkv__node **)(uintptr_t)made->node;
    if (node->kind == QKV__NODE_INDEX) {
        if (qkv__rewriting_has_name(node->child[1], name)) return false;
        nodes[at] = qkv__node_pair(r->arena, node, QKV__NODE_INDEX, by, node->child[1]);
    } else {
        nodes[at] = by;
    }
    if (nodes[at] == NULL) return r->failed = true, false;
    r->statement[declared] = made;
    return true;
}

/* [x for i in 1..n] */
static const qkv__node *listed(qkv__rewriting *r, const char *index, const qkv__node *member,
                               const qkv__node *range)
{
    const qkv__node like = {.place = r->claim->place, .text = index};
    const qkv__node in = {.place = r->claim->place, .text = "", .comparison = QKV__IN};
    const qkv__node *domain =
        qkv__node_pair(r->arena, &in, QKV__NODE_COMPARE, name_node(r, index), range);
    const qkv__node *sum = qkv__node_pair(r->arena, &like, QKV__NODE_SUM, member, domain);
    const qkv__node none = {.place = r->claim->place, .text = ""};
    return sum == NULL ? NULL : qkv__node_like(r->arena, &none, QKV__NODE_LIST, &sum, 1);
}

/* x with x[a] = y */
static const qkv__node *changed(qkv__rewriting *r, const qkv__node *family, const qkv__node *index,
                                const qkv__node *value)
{
    const qkv__node like = {.place = r->claim->place, .text = ""};
    const qkv__node *child[] = {family, pair(r, QKV__NODE_INDEX, family, index), value};
    return qkv__node_like(r->arena, &like, QKV__NODE_WITH, child, 3);
}

static qkv__statement *definition(qkv__rewriting *r, const char *name, const qkv__node *value)
{
    const qkv__node *node[] = {name_node(r, name), value};
    if (node[0] == NULL || value == NULL) return r->failed = true, NULL;
    const qkv__statement s = {.kind = QKV__STATEMENT_DEFINE,
                              .place = r->statement[0]->place,
                              .text = "",
                              .source = "",
                              .count = 2,
                              .node = node};
    return qkv__rewriting_copy(r, &s);
}

/* The value of the family or vector that is put in; *before is a definition that it needs, or NULL.
 * `value` speaks of it by its fresh name. */
static const qkv__node *new_value(qkv__rewriting *r, const qkv__rewriting_equation *e,
                                  const qkv__node *target, const char *fresh,
                                  const qkv__node *value, qkv__statement **before)
{
    *before = NULL;
    if (target->kind == QKV__NODE_NAME) return value;
    const qkv__node *old = name_node(r, fresh);
    if (e->domain == NULL) return changed(r, old, target->child[1], value);
    const qkv__node *all =
        listed(r, target->child[1]->text, value, range_of(r, target->child[0]->text));
    if (e->domain->comparison == QKV__IN) return all;
    const char *name = fresh_name(r, fresh);
    if (name == NULL || all == NULL) return NULL;
    *before = definition(r, name, all);
    return changed(r, name_node(r, name), e->domain->child[1],
                   pair(r, QKV__NODE_INDEX, old, e->domain->child[1]));
}

/* Whether an index is picked from a range. */
static bool is_picked(const qkv__rewriting *r, const qkv__node *index, const qkv__node *range)
{
    for (size_t s = 0; s < r->count; s++) {
        const qkv__statement *pick = r->statement[s];
        if (pick->kind != QKV__STATEMENT_PICK ||
            !qkv__node_same_text(pick->node[pick->count - 1], range))
            continue;
        for (size_t i = 0; i + 1 < pick->count; i++)
            if (qkv__node_is(index, pick->node[i]->text)) return true;
    }
    return false;
}

/* Whether the domains of a premise fit: it is about all members of the family, or all but one. */
static bool domain_fits(const qkv__rewriting *r, const qkv__rewriting_equation *e,
                        const qkv__node *target)
{
    const char *bound = e->domain == NULL ? NULL : e->domain->child[0]->text;
    if (bound == NULL) return true;
    if (target->kind != QKV__NODE_INDEX || !qkv__node_is(target->child[1], bound)) return false;
    const qkv__node *range = range_of(r, target->child[0]->text);
    if (range == NULL || qkv__rewriting_has_name(range, bound)) return false;
    if (e->domain->comparison == QKV__NOT_EQUAL)
        return e->second == NULL && is_picked(r, e->domain->child[1], range);
    return qkv__node_same_text(e->domain->child[1], range);
}

static void tell(const qkv__node *target, const qkv__node *value, qkv__text *told)
{
    qkv__text_format(told, "%s", told->length > 0 ? ", " : "With ");
    qkv__node_write(target, told);
    qkv__text_format(told, " = ");
    if (value->kind == QKV__NODE_MULTIPLY && qkv__rewriting_is_zero(value->child[0]))
        qkv__text_format(told, "0");
    else
        qkv__node_write(value, told);
}

/* The target of an equation defined as its value; false: it cannot be. Nothing is changed then,
 * unless it failed. */
bool qkv__rewriting_put_in(qkv__rewriting *r, const qkv__rewriting_equation *e,
                           const qkv__node *target, const qkv__node *value, qkv__text *told)
{
    size_t at;
    const bool member = target->kind == QKV__NODE_INDEX;
    const char *name = member ? target->child[0]->text : target->text;
    if (!qkv__rewriting_is_vector(r, target) || !domain_fits(r, e, target) ||
        rests_on(r, value, name, 0))
        return false;
    if (e->second != NULL) { /* all are alike: x[1] will do for x[j] */
        const char *bound = e->second->child[0]->text;
        const qkv__node *range = e->second->child[1];
        if (e->second->comparison != QKV__IN || range->kind != QKV__NODE_RANGE ||
            range->child[0]->kind != QKV__NODE_NUMBER || qkv__rewriting_has_name(target, bound))
            return false;
        value = qkv__rewriting_with_name(r, value, bound, range->child[0]);
        if (value == NULL) return false;
    }
    const size_t declared = find_declaration(r, name, &at);
    const char *fresh = fresh_name(r, name);
    const qkv__node *renamed =
        fresh == NULL ? NULL : qkv__rewriting_with_name(r, value, name, name_node(r, fresh));
    if (renamed == NULL || qkv__rewriting_has_name(renamed, name)) return false; /* k_a */
    qkv__statement *before, *own = NULL;
    qkv__statement *kept[QKV__REWRITING_STATEMENTS];
    const size_t kept_count = r->count;
    memcpy(kept, r->statement, kept_count * sizeof kept[0]);
    if (!rename_declaration(r, declared, at, name, fresh)) return false;
    const qkv__node *whole = new_value(r, e, target, fresh, renamed, &before);
    if (whole != NULL) own = definition(r, name, whole);
    if (own == NULL) return r->failed = true, false;
    size_t behind = place_behind(r, whole, declared);
    if (before != NULL) {
        const size_t needed = place_behind(r, before->node[1], declared);
        behind = behind > needed ? behind : needed;
    }
    qkv__rewriting_insert(r, behind, own);
    if (r->failed || !move_behind(r, declared, behind, name)) {
        memcpy(r->statement, kept, kept_count * sizeof kept[0]);
        r->count = kept_count;
        return false;
    }
    for (size_t s = 0; before != NULL && s < r->count; s++)
        if (r->statement[s] == own) {
            qkv__rewriting_insert(r, s, before);
            break;
        }
    tell(target, value, told);
    r->own[r->used_count] = name;
    r->value[r->used_count] = value;
    r->premise[r->used_count] = e->premise->kind == QKV__NODE_AND ? NULL : e->premise;
    r->used[r->used_count++] = e->compare;
    return !r->failed;
}
