/* Another letter for a limit, put into trees. Knows what trees mean; decides nothing. */
#include "claim/turn.h"

#include <assert.h>
#include <string.h>

#include "language/tree.h"

typedef struct turn {
    qkv__arena *arena;
    const char *name;
    const qkv__node *letter, *value;
    bool inverse; /* T = 1/t; else beta = -t */
    bool below;   /* T -> 0-: T = -1/t */
    bool stuck;
} turn;

/* ---- Which limit --------------------------------------------------------------------------- */

static bool is_zero(const qkv__node *node)
{
    return node->kind == QKV__NODE_NUMBER && qkv__rational_is_zero(node->value);
}

static bool is_limit_down(const qkv__circumstance *c)
{
    if (c->kind != QKV__CONDITION_LIMIT) return false;
    const qkv__node *to = c->node->child[1];
    return to->kind == QKV__NODE_NEGATE && to->child[0]->kind == QKV__NODE_INFINITY;
}

bool qkv__turn_is_needed(const qkv__circumstances *circumstances)
{
    for (size_t i = 0; i < circumstances->count; i++)
        if (is_limit_down(&circumstances->item[i])) return true;
    return false;
}

/* T > 0 */
static bool says_positive(const qkv__node *node, const char *name)
{
    if (node == NULL) return false;
    if (node->kind == QKV__NODE_AND)
        return says_positive(node->child[0], name) || says_positive(node->child[1], name);
    if (node->kind != QKV__NODE_COMPARE) return false;
    return (node->comparison == QKV__GREATER && qkv__node_is(node->child[0], name) &&
            is_zero(node->child[1])) ||
           (node->comparison == QKV__LESS && is_zero(node->child[0]) &&
            qkv__node_is(node->child[1], name));
}

static bool is_positive(const qkv__model *model, const qkv__statement *claim,
                        const qkv__circumstances *circumstances, const char *name)
{
    for (size_t i = 0; i < circumstances->count; i++)
        if (qkv__circumstance_is_premise(&circumstances->item[i]) &&
            says_positive(circumstances->item[i].node, name))
            return true;
    for (const qkv__statement *s = model->statements; s != NULL && s != claim;
         s = qkv__statement_after(s))
        for (size_t i = 0; s->kind == QKV__STATEMENT_GIVEN && i < s->count; i++)
            if (says_positive(s->node[i], name)) return true;
    return false;
}

/* The one limit that is to be turned; NULL: there is none, or there are two. */
static const qkv__node *limit_to_turn(const qkv__model *model, const qkv__statement *claim,
                                      const qkv__circumstances *circumstances, turn *t)
{
    const qkv__node *found = NULL;
    for (size_t i = 0; i < circumstances->count; i++) {
        const qkv__circumstance *c = &circumstances->item[i];
        const bool down = is_limit_down(c);
        if (c->kind != QKV__CONDITION_LIMIT || c->node->child[0]->kind != QKV__NODE_NAME) continue;
        const char *name = c->node->child[0]->text;
        const bool from_below = c->node->text[0] == '-';
        if (!down && (!is_zero(c->node->child[1]) ||
                      (!from_below && !is_positive(model, claim, circumstances, name))))
            continue;
        if (found != NULL) return NULL;
        found = c->node;
        t->name = name;
        t->inverse = !down;
        t->below = !down && from_below;
    }
    return found;
}

/* ---- Trees --------------------------------------------------------------------------------- */

/* Whether something stands under a name in a tree: x, x(y), k_x, sum(y for x in S). */
static bool uses(const qkv__node *node, const void *name)
{
    const char *below = node->kind == QKV__NODE_NAME ? strchr(node->text, '_') : NULL;
    return strcmp(node->text, name) == 0 || (below != NULL && strcmp(below + 1, name) == 0);
}

/* Where nothing can be put in place of the letter: x[T], 1..T, T(x + 1), A^T, sum(x for T in S). */
static bool resists(const qkv__node *node, const void *data)
{
    const char *name = data;
    const char *below = node->kind == QKV__NODE_NAME ? strchr(node->text, '_') : NULL;
    if (below != NULL && strcmp(below + 1, name) == 0) return true;
    if (node->kind == QKV__NODE_CALL && strcmp(node->text, name) == 0) return true;
    if (qkv__node_binds(node, name)) return true;
    if (node->kind == QKV__NODE_POWER && qkv__node_is(node->child[1], name) &&
        node->child[0]->kind != QKV__NODE_NUMBER && !qkv__node_is(node->child[0], "e"))
        return true;
    const bool place = node->kind == QKV__NODE_INDEX || node->kind == QKV__NODE_RANGE ||
                       node->kind == QKV__NODE_SET || node->kind == QKV__NODE_WITH ||
                       node->kind == QKV__NODE_EXISTS;
    for (size_t i = node->kind == QKV__NODE_INDEX ? 1 : 0; place && i < node->count; i++)
        if (qkv__node_names(node->child[i], name)) return true;
    if (node->kind == QKV__NODE_CALL &&
        (strcmp(node->text, "d") == 0 || strcmp(node->text, "grad") == 0)) /* d(x, T) */
        return true;
    return node->kind == QKV__NODE_INDEX && qkv__node_is(node->child[0], name);
}

/* A bound of the letter as one of the new one, which is positive: t > 1/c for 1/t < c, t > -c for
 * -t < c. NULL: it is no such bound, or memory ran out. */
static const qkv__node *turn_bound(turn *t, const qkv__node *node)
{
    qkv__rational c;
    if (node->kind != QKV__NODE_COMPARE || node->comparison < QKV__LESS ||
        node->comparison > QKV__GREATER_OR_EQUAL)
        return NULL;
    const bool first = qkv__node_is(node->child[0], t->name);
    if (!qkv__node_is_number(node->child[first ? 1 : 0], &c) ||
        (!first && !qkv__node_is(node->child[1], t->name)))
        return NULL;
    qkv__comparison comparison = qkv__comparison_mirror(node->comparison);
    if (t->inverse) {
        if (t->below) { /* -1/t < c is 1/t > -c */
            c = qkv__rational_negate(c);
            comparison = qkv__comparison_mirror(comparison);
        }
        /* 1/t > c, where c is not positive, holds for all that is meant */
        if (qkv__rational_sign(c) < 0) return NULL;
        const qkv__comparison seen = first ? comparison : qkv__comparison_mirror(comparison);
        const bool upper = seen == QKV__GREATER || seen == QKV__GREATER_OR_EQUAL;
        if (qkv__rational_is_zero(c) && upper) return NULL; /* 1/t < 0: never */
        if (qkv__rational_is_zero(c))
            comparison = first ? QKV__GREATER : QKV__LESS; /* t > 0 */
        else
            c = qkv__rational_divide(qkv__rational_whole(1), c);
    } else {
        c = qkv__rational_negate(c);
    }
    if (qkv__rational_is_lost(c)) return NULL;
    const qkv__node *number;
    if (qkv__rational_sign(c) < 0) {
        const qkv__node *size =
            qkv__node_number(t->arena, qkv__rational_negate(c), node->child[0]->place);
        const qkv__node like = {.place = node->place, .text = ""};
        number = qkv__node_like(t->arena, &like, QKV__NODE_NEGATE, &size, 1);
    } else {
        number = qkv__node_number(t->arena, c, node->child[0]->place);
    }
    qkv__node *made = qkv__node_pair(t->arena, node, QKV__NODE_COMPARE, first ? t->letter : number,
                                     first ? number : t->letter);
    if (made != NULL) made->comparison = comparison;
    return made;
}

static const qkv__node *replace(const qkv__node *node, void *context)
{
    turn *t = context;
    if (qkv__node_is(node, t->name)) return t->value;
    const qkv__node *bound = turn_bound(t, node);
    return bound != NULL ? bound : qkv__node_changed(t->arena, node, replace, t);
}

/* In what is claimed, the sides of a comparison alone: the claim is told in the limit, and a bound
 * would be turned round. */
static const qkv__node *replace_claimed(const qkv__node *node, void *context)
{
    turn *t = context;
    switch (node->kind) {
    case QKV__NODE_AND:
    case QKV__NODE_OR:
    case QKV__NODE_NOT:
    case QKV__NODE_FOR_ALL: return qkv__node_changed(t->arena, node, replace_claimed, t);
    case QKV__NODE_COMPARE: return qkv__node_changed(t->arena, node, replace, t);
    default: return replace(node, t);
    }
}

/* ---- Statements ---------------------------------------------------------------------------- */

static const qkv__statement *turn_statement(turn *t, const qkv__statement *s,
                                            const qkv__statement *rest)
{
    qkv__statement *made = qkv__arena_take(t->arena, sizeof *made);
    const qkv__node **node = qkv__arena_array(t->arena, s->count + 1, sizeof *node);
    if (made == NULL || node == NULL) return t->stuck = true, NULL;
    *made = *s;
    made->node = node;
    made->next = rest;
    made->conditions = NULL;
    made->written = NULL;
    const bool declares = s->kind == QKV__STATEMENT_OBJECT || s->kind == QKV__STATEMENT_PICK;
    for (size_t i = 0; i < s->count; i++) {
        const bool declared = declares && qkv__node_is(s->node[i], t->name);
        const bool target = s->kind == QKV__STATEMENT_DEFINE && i == 0;
        const bool drawn =
            s->node[i]->kind == QKV__NODE_COMPARE && s->node[i]->comparison == QKV__DISTRIBUTED;
        if (qkv__node_has(s->node[i], resists, t->name) ||
            ((target || drawn) && qkv__node_names(s->node[i], t->name)) ||
            (declared && strcmp(s->text, "scalar") != 0))
            t->stuck = true;
        node[i] = declared ? t->letter : replace(s->node[i], t);
        if (node[i] == NULL) t->stuck = true;
    }
    return made;
}

/* Declarations in front of the claim, and picks, which are meant for the whole problem. */
static bool is_kept(const qkv__statement *s, const qkv__statement *claim, bool behind)
{
    if (s->kind == QKV__STATEMENT_PICK || s == claim) return true;
    return !behind && s->kind != QKV__STATEMENT_BLOCK && !qkv__statement_is_entry(s);
}

static bool is_within(const qkv__statement *block, const qkv__statement *claim)
{
    for (const qkv__statement *s = block->inside; s != NULL; s = s->next)
        if (s == claim || is_within(s, claim)) return true;
    return false;
}

/* The statements from one on, in the new letter. */
static const qkv__statement *turn_statements(turn *t, const qkv__statement *s,
                                             const qkv__statement *claim,
                                             const qkv__statement *turned_claim, bool behind)
{
    if (s == NULL || t->stuck) return NULL;
    const bool here = s == claim || is_within(s, claim);
    const qkv__statement *rest =
        turn_statements(t, qkv__statement_after(s), claim, turned_claim, behind || here);
    if (here) {
        qkv__statement *made = qkv__arena_take(t->arena, sizeof *made);
        if (made == NULL) return t->stuck = true, NULL;
        *made = *turned_claim;
        made->next = rest;
        return made;
    }
    return is_kept(s, claim, behind) ? turn_statement(t, s, rest) : rest;
}

/* ---- A letter that nothing else has -------------------------------------------------------- */

static bool is_used(const qkv__model *model, const qkv__node *proposition,
                    const qkv__circumstances *circumstances, const char *name)
{
    for (const qkv__statement *s = model->statements; s != NULL; s = qkv__statement_after(s))
        for (size_t i = 0; i < s->count; i++)
            if (qkv__node_has(s->node[i], uses, name)) return true;
    for (size_t i = 0; i < circumstances->count; i++)
        if (circumstances->item[i].node != NULL &&
            qkv__node_has(circumstances->item[i].node, uses, name))
            return true;
    return qkv__node_has(proposition, uses, name);
}

static const char *free_letter(const qkv__model *model, const qkv__node *proposition,
                               const qkv__circumstances *circumstances)
{
    static const char *const letters[] = {"t", "s", "r", "u", "w", "z", "y", "x", "h", "g"};
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (!is_used(model, proposition, circumstances, letters[i])) return letters[i];
    return NULL;
}

/* ---- Claims -------------------------------------------------------------------------------- */

/* What the old letter is: 1/t, -1/t or -t. */
static const qkv__node *value_of(turn *t, qkv__place place)
{
    const qkv__node like = {.place = place, .text = ""};
    const qkv__node *one = qkv__node_number(t->arena, qkv__rational_whole(1), place);
    const qkv__node *value =
        t->inverse ? qkv__node_pair(t->arena, &like, QKV__NODE_DIVIDE, one, t->letter) : t->letter;
    if (t->inverse && !t->below) return value;
    return qkv__node_like(t->arena, &like, QKV__NODE_NEGATE, &value, 1);
}

static bool turn_circumstances(turn *t, const qkv__circumstances *circumstances,
                               const qkv__node *limit, qkv__circumstances *turned)
{
    *turned = *circumstances;
    turned->count = 0;
    for (size_t i = 0; i < circumstances->count; i++) {
        qkv__circumstance c = circumstances->item[i];
        if (c.node == limit)
            c.node = qkv__node_grows(t->arena, t->letter->text, limit->place);
        else if (c.node != NULL && qkv__node_has(c.node, resists, t->name))
            return false;
        else if (c.node != NULL)
            c.node = replace(c.node, t);
        if (c.node == NULL && circumstances->item[i].node != NULL) return false;
        turned->item[turned->count++] = c;
    }
    if (!t->inverse) return true;
    /* The old letter has one sign all the way, and so has the new one. */
    const qkv__node like = {.place = limit->place, .text = "", .comparison = QKV__GREATER};
    const qkv__node *positive =
        qkv__node_pair(t->arena, &like, QKV__NODE_COMPARE, t->letter,
                       qkv__node_number(t->arena, qkv__rational_whole(0), limit->place));
    return positive != NULL && qkv__circumstances_put(turned, QKV__CONDITION_RANGE, positive);
}

bool qkv__turn(const qkv__model *model, qkv__arena *arena, const qkv__statement *claim,
               const qkv__node *proposition, const qkv__circumstances *circumstances,
               qkv__turned *turned)
{
    assert(claim->kind == QKV__STATEMENT_CLAIM);
    turn t = {.arena = arena};
    const qkv__node *limit = limit_to_turn(model, claim, circumstances, &t);
    const char *letter = limit == NULL ? NULL : free_letter(model, proposition, circumstances);
    if (letter == NULL || model->chance_count > 0 || model->noise != 0 || model->scale_count > 0 ||
        qkv__node_has(proposition, resists, t.name) ||
        qkv__node_has_kind(proposition, QKV__NODE_EXISTS))
        return false;
    t.letter = qkv__node_name(arena, letter, limit->place);
    if (t.letter == NULL || (t.value = value_of(&t, limit->place)) == NULL) return false;
    const qkv__node **node = qkv__arena_array(arena, 1, sizeof *node);
    if (node == NULL || (node[0] = replace_claimed(proposition, &t)) == NULL ||
        !turn_circumstances(&t, circumstances, limit, &turned->circumstances))
        return false;
    qkv__statement own = *claim;
    own.node = node;
    own.count = 1;
    own.conditions = NULL;
    own.written = NULL;
    turned->name = t.name;
    turned->letter = letter;
    turned->value = t.value;
    turned->first = turn_statements(&t, model->statements, claim, &own, false);
    turned->claim = turned->first;
    while (turned->claim != NULL && turned->claim->kind != QKV__STATEMENT_CLAIM)
        turned->claim = turned->claim->next;
    return !t.stuck && turned->claim != NULL;
}
