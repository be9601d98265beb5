/* What a claim depends on: the statements in front of it, its unknowns, its premises and limits.
 * Evaluates nothing. */
#include <assert.h>
#include <string.h>

#include "language/builtin.h"
#include "language/law.h"
#include "language/slips.h"
#include "language/tree.h"
#include "language/write.h"
#include "replay/names.h"
#include "replay/replay.h"
#include "replay/walk.h"

static bool depends_on(const qkv__replay *replay, const qkv__node *node, const char *name,
                       size_t position, int depth);

static bool add_premise(qkv__replay *replay, const qkv__node *node, size_t position, bool shown);

/* i < j, i != 2 */
static bool may_compare_indexes(const qkv__node *node)
{
    for (size_t i = 0; node->kind == QKV__NODE_COMPARE && i < node->count; i++)
        if (node->child[i]->kind != QKV__NODE_NAME && node->child[i]->kind != QKV__NODE_NUMBER)
            return false;
    return node->kind == QKV__NODE_COMPARE && node->comparison <= QKV__GREATER_OR_EQUAL;
}

/* Whether an index that is picked or bound stands where a number is meant. */
static bool names_index(const qkv__replay *replay, const qkv__node *node, bool index)
{
    const qkv__node *declared;
    if (may_compare_indexes(node)) return false; /* it has no value beside another number */
    if (node->kind == QKV__NODE_NAME)
        return !index && qkv__replay_index(replay, node->text) >= 0 &&
               qkv__replay_resolve(replay, node->text, replay->statement_count, &declared) < 0;
    bool domain = qkv__is_index_domain(node);
    bool binds = node->kind == QKV__NODE_FOR_ALL || node->kind == QKV__NODE_SUM;
    for (size_t i = 0; i < node->count; i++) {
        const qkv__node *own = node->child[i]; /* for all i in 1..n, i != a: an i of its own */
        if (binds && qkv__is_index_domain(own)) {
            const bool range = own->child[1]->kind == QKV__NODE_RANGE;
            if (range && names_index(replay, own->child[1], false)) return true;
            continue;
        }
        bool place = (node->kind == QKV__NODE_INDEX && i > 0) || node->kind == QKV__NODE_SET;
        if (domain && node->child[i]->kind == QKV__NODE_NAME && i == 0 &&
            node->child[1]->kind == QKV__NODE_NAME)
            return qkv__replay_index(replay, node->child[0]->text) >= 0 ||
                   qkv__replay_index(replay, node->child[1]->text) >= 0;
        if (names_index(replay, node->child[i], place)) return true;
    }
    return false;
}

/* ---- What is random ------------------------------------------------------------------------ */

/* Whether an expression changes from draw to draw. P and E do not. */
static bool is_random_node(const qkv__replay *replay, const qkv__node *node, size_t position)
{
    const qkv__node *declared;
    char family[64];
    bool named = node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL;
    int index = named ? qkv__replay_resolve(replay, node->text, position, &declared) : -1;
    if (index < 0 && node->kind == QKV__NODE_NAME &&
        qkv__replay_subscript(node->text, family, sizeof family) != NULL)
        index = qkv__replay_resolve(replay, family, position, &declared);
    if (index >= 0 && replay->is_random[index]) return true;
    if (index < 0 && qkv__builtin_kind_of(qkv__builtin_of(node)) == QKV__OF_CHANCE) return false;
    for (size_t i = 0; i < node->count; i++)
        if (is_random_node(replay, node->child[i], position)) return true;
    return false;
}

/* Whether a letter stands in the covariance of some key. */
static bool scales_noise(const qkv__replay *replay, const char *name)
{
    for (size_t s = 0; s < replay->statement_count; s++) {
        const qkv__statement *statement = replay->statement[s];
        qkv__drawn law;
        if (statement->kind == QKV__STATEMENT_FAMILY && !qkv__law_is_of_number(statement) &&
            qkv__law_read(statement->node[0], &law) && depends_on(replay, law.value[1], name, s, 0))
            return true;
    }
    return false;
}

static void mark_random(qkv__replay *replay)
{
    const qkv__node *declared;
    for (size_t s = 0; s < qkv__replay_statements(replay); s++) {
        const qkv__statement *statement = replay->statement[s];
        bool *random = &replay->is_random[s];
        qkv__drawn law;
        if (statement->kind == QKV__STATEMENT_FAMILY)
            *random = qkv__law_read(statement->node[0], &law);
        if (statement->kind != QKV__STATEMENT_DEFINE) continue;
        int before = qkv__replay_resolve(replay, qkv__declared_name(statement, statement->node[0]),
                                         s, &declared);
        *random = is_random_node(replay, statement->node[1], s) ||
                  (before >= 0 && replay->is_random[before]);
    }
}

/* ---- Premises ------------------------------------------------------------------------------ */

static bool add_premise(qkv__replay *replay, const qkv__node *node, size_t position, bool shown)
{
    qkv__walk w = {.replay = replay, .shown = shown};
    if (names_index(replay, node, false)) return false; /* an index is no number */
    if (replay->premise_count == QKV__REPLAY_PREMISES ||
        !qkv__walk_node(&w, node, NULL, position, false))
        return false;
    qkv__replay_premise premise = {node, position, w.touched};
    replay->premise[replay->premise_count++] = premise;
    if (!is_random_node(replay, node, position)) return true;
    if (replay->condition_count == QKV__REPLAY_LIMITS) return false;
    replay->condition[replay->condition_count++] = premise;
    return true;
}

/* A further condition on an index: i in 1..n, i != a. */
static bool add_condition(qkv__replay *replay, int index, const qkv__node *node)
{
    assert(index >= 0 && (size_t)index < replay->unknown_count);
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__unknown *u = &replay->unknown[index];
    const qkv__node *over = node->child[1];
    if (over->kind == QKV__NODE_RANGE) { /* the same range says nothing new */
        qkv__text one = {0}, other = {0};
        qkv__node_write(over, &one);
        if (u->declared != NULL) qkv__node_write(u->declared, &other);
        bool same = one.data != NULL && other.data != NULL && strcmp(one.data, other.data) == 0;
        qkv__text_free(&one);
        qkv__text_free(&other);
        return same && node->comparison == QKV__IN;
    }
    if (node->comparison == QKV__IN) return false;
    qkv__walk w = {.replay = replay, .shown = true};
    if (!qkv__walk_domain(&w, node, NULL, replay->statement_count)) return false;
    if (u->outside == NULL)
        u->outside = over;
    else if (u->also_outside == NULL)
        u->also_outside = over;
    else
        return false;
    return true;
}

/* for i != 2: what i runs over is seen where it is used, as in for all i != 2: p. */
static bool wrap_in_for_all(qkv__replay *replay, const qkv__node *domain)
{
    qkv__node *node = qkv__arena_take(&replay->arena, sizeof *node);
    const qkv__node **parts = qkv__arena_array(&replay->arena, 2, sizeof *parts);
    if (node == NULL || parts == NULL) return false;
    parts[0] = domain;
    parts[1] = replay->proposition;
    *node = *replay->proposition;
    node->kind = QKV__NODE_FOR_ALL;
    node->text = "";
    node->count = 2;
    node->child = parts;
    node->depth = replay->proposition->depth + 1;
    replay->proposition = node;
    return true;
}

/* for i not in {a, b}: i is an unknown index of the set that a belongs to. */
static bool add_bound_index(qkv__replay *replay, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__walk w = {.replay = replay, .shown = true};
    size_t position = replay->statement_count;
    const qkv__node *over = node->child[1];
    const char *name = node->child[0]->text;
    bool range = over->kind == QKV__NODE_RANGE;
    int same = qkv__replay_index(replay, name);
    if (same >= 0 && replay->unknown[same].bound) return add_condition(replay, same, node);
    bool inside = !range && node->comparison == QKV__IN && over->kind == QKV__NODE_SET;
    if ((range != (node->comparison == QKV__IN) && !inside) || same >= 0) return false;
    if (!qkv__walk_domain(&w, node, NULL, position)) return false;
    const qkv__node *declared = range ? over : NULL;
    if (!range) {
        const qkv__node *first = over->kind == QKV__NODE_SET ? over->child[0] : over;
        int known = first->kind == QKV__NODE_NAME ? qkv__replay_index(replay, first->text) : -1;
        if (first->kind == QKV__NODE_NUMBER && !inside) return wrap_in_for_all(replay, node);
        if (known < 0) return false;
        declared = replay->unknown[known].declared;
        position = replay->unknown[known].position;
    }
    return qkv__walk_add_unknown(&w, (qkv__unknown){.kind = QKV__UNKNOWN_INDEX,
                                                    .name = name,
                                                    .declared = declared,
                                                    .position = position,
                                                    .bound = true,
                                                    .inside = inside ? over : NULL,
                                                    .outside = range || inside ? NULL : over});
}

/* Whether a name stands in a node, or in what the names in it are defined as. */
static bool depends_on(const qkv__replay *replay, const qkv__node *node, const char *name,
                       size_t position, int depth)
{
    const qkv__node *declared;
    bool named = node->kind == QKV__NODE_NAME || node->kind == QKV__NODE_CALL;
    if (node->kind == QKV__NODE_SUM && strcmp(node->text, name) == 0) /* a name of its own */
        return depends_on(replay, node->child[1]->child[1], name, position, depth + 1);
    if (depth > QKV__REPLAY_DEPTH || (named && strcmp(node->text, name) == 0)) return true;
    int index = named ? qkv__replay_resolve(replay, node->text, position, &declared) : -1;
    if (index >= 0 && replay->statement[index]->kind == QKV__STATEMENT_DEFINE)
        for (size_t s = 0; s <= (size_t)index; s++) { /* x[1] = ..., x[2] = ... make one family */
            const qkv__statement *statement = replay->statement[s];
            if (statement->kind == QKV__STATEMENT_DEFINE &&
                strcmp(qkv__declared_name(statement, statement->node[0]), node->text) == 0 &&
                depends_on(replay, statement->node[1], name, s, depth + 1))
                return true;
        }
    for (size_t i = 0; i < node->count; i++)
        if (depends_on(replay, node->child[i], name, position, depth + 1)) return true;
    return false;
}

/* Whether a name is a size somewhere: 1..m. */
static bool ends_range(const qkv__node *node, const char *name)
{
    for (size_t i = 0; i < node->count; i++)
        if ((node->kind == QKV__NODE_RANGE && qkv__node_mentions(node->child[i], name)) ||
            ends_range(node->child[i], name))
            return true;
    return false;
}

/* What has a range that was not written as bounds of a number is an index, unless it is a size;
 * `i != a` is of one where i stands as an index, or a is picked. */
static bool stands_as_index(const qkv__replay *replay, const qkv__node *domain,
                            const qkv__node *proposition)
{
    const char *name = domain->child[0]->text;
    const qkv__node *over = domain->child[1];
    if (qkv__node_indexes(proposition, name)) return true;
    if (domain->comparison == QKV__NOT_EQUAL)
        return qkv__replay_index(replay, name) >= 0 ||
               (over->kind == QKV__NODE_NAME &&
                qkv__replay_is_picked(replay, over, replay->statement_count));
    return qkv__node_has_index(proposition, name) && !ends_range(proposition, name);
}

/* What stands behind `for`. */
static bool take_range(qkv__replay *replay, const qkv__node *node, const qkv__node *proposition)
{
    const char *kind;
    const qkv__node *declared, *known;
    size_t position = replay->statement_count;
    qkv__walk w = {.replay = replay, .shown = true};
    const bool number =
        replay->statement_count > 0 && qkv__bound_is_number(replay->statement[0], node) != NULL;
    if (qkv__is_index_domain(node) && !number && stands_as_index(replay, node, proposition))
        return add_bound_index(replay, node);
    if (qkv__is_index_domain(node) && !number &&
        !depends_on(replay, proposition, node->child[0]->text, position, 0)) {
        /* An index that stands nowhere, or a number: that is told by what it may not be. */
        const qkv__node *over = node->child[1];
        const qkv__node *first = over->kind == QKV__NODE_SET ? over->child[0] : over;
        bool picked = first->kind == QKV__NODE_NAME &&
                      qkv__replay_is_picked(replay, first, replay->statement_count);
        return picked && node->comparison != QKV__IN && add_bound_index(replay, node);
    }

    if (node->kind == QKV__NODE_NAME) { /* for all v: must be free */
        int index = qkv__replay_resolve(replay, node->text, position, &known);
        return index < 0 || replay->statement[index]->kind != QKV__STATEMENT_DEFINE;
    }
    if (node->kind != QKV__NODE_CALL) return add_premise(replay, node, position, true);
    const char *name = qkv__binding_name(node, &kind, &declared);
    if (qkv__replay_resolve(replay, name, position, &known) >= 0) return false;
    return qkv__walk_add_object(&w, kind, NULL, NULL, declared, position);
}

bool qkv__replay_grow(qkv__replay *replay, const char *name)
{
    int unknown = qkv__replay_unknown_named(replay, name, replay->statement_count);
    if (unknown < 0 || replay->unknown[unknown].kind != QKV__UNKNOWN_PARAMETER ||
        replay->limit_count == QKV__REPLAY_LIMITS)
        return false;
    replay->limit[replay->limit_count++] =
        (qkv__replay_limit){.unknown = unknown, .infinite = true};
    return true;
}

/* as beta -> inf, as beta -> -inf, as t -> -1 */
static bool take_limit(qkv__replay *replay, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__walk w = {.replay = replay};
    const qkv__node *name = node->child[0], *to = node->child[1];
    bool negative = to->kind == QKV__NODE_NEGATE;
    const qkv__node *number = negative ? to->child[0] : to;
    bool infinite = number->kind == QKV__NODE_INFINITY;
    if (replay->limit_count == QKV__REPLAY_LIMITS || name->kind != QKV__NODE_NAME ||
        (!infinite && number->kind != QKV__NODE_NUMBER) ||
        !qkv__walk_node(&w, name, NULL, replay->statement_count, false))
        return false;
    int unknown = qkv__replay_unknown_named(replay, name->text, replay->statement_count);
    if (unknown < 0 || replay->unknown[unknown].kind != QKV__UNKNOWN_PARAMETER) return false;
    replay->limit[replay->limit_count++] = (qkv__replay_limit){
        .node = node,
        .unknown = unknown,
        .infinite = infinite,
        .down = infinite && negative,
        .point = negative ? qkv__rational_negate(number->value) : number->value};
    return true;
}

static bool take_condition(qkv__replay *replay, const qkv__circumstance *condition,
                           const qkv__node *proposition)
{
    const qkv__node *node = condition->node;
    int index = -1;
    switch (condition->kind) {
    case QKV__CONDITION_LIMIT: return take_limit(replay, node);
    case QKV__CONDITION_RANGE: return take_range(replay, node, proposition);
    case QKV__CONDITION_AT:
    case QKV__CONDITION_GIVEN:
        if (replay->without_premises && condition->kind == QKV__CONDITION_GIVEN) return true;
        if (qkv__is_index_domain(node)) index = qkv__replay_index(replay, node->child[0]->text);
        return index >= 0 && replay->unknown[index].bound /* given i != a */
                   ? add_condition(replay, index, node)
                   : add_premise(replay, node, replay->statement_count, true);
    case QKV__CONDITION_WITHIN: replay->tolerance = node; return true;
    case QKV__CONDITION_EXPECT: return true;
    }
    return false;
}

/* Parameters that a size is made of, by way of definitions, do not change while a case lasts. Those
 * in the size of a family are whole numbers. */
static void mark_in_size(qkv__replay *replay, const qkv__node *node, size_t position, bool family,
                         int depth)
{
    const qkv__node *declared;
    int index = node->kind == QKV__NODE_NAME
                    ? qkv__replay_resolve(replay, node->text, position, &declared)
                    : -1;
    if (depth > QKV__REPLAY_DEPTH) return;
    if (index >= 0 && replay->statement[index]->kind == QKV__STATEMENT_DEFINE)
        mark_in_size(replay, replay->statement[index]->node[1], (size_t)index, family, depth + 1);
    int parameter =
        node->kind == QKV__NODE_NAME ? qkv__replay_unknown_named(replay, node->text, position) : -1;
    if (parameter >= 0) {
        replay->unknown[parameter].in_size = true;
        replay->unknown[parameter].whole = replay->unknown[parameter].whole || family;
    }
    for (size_t i = 0; i < node->count; i++)
        mark_in_size(replay, node->child[i], position, family, depth + 1);
}

/* x < y and the like, as a premise. */
static bool add_comparison(qkv__replay *replay, const qkv__node *x, qkv__comparison comparison,
                           const qkv__node *y, size_t position)
{
    qkv__node *node = qkv__arena_take(&replay->arena, sizeof *node);
    const qkv__node **sides = qkv__arena_array(&replay->arena, 2, sizeof *sides);
    if (node == NULL || sides == NULL) return false;
    sides[0] = x;
    sides[1] = y;
    *node = (qkv__node){.kind = QKV__NODE_COMPARE,
                        .text = "",
                        .comparison = comparison,
                        .count = 2,
                        .child = sides,
                        .depth = (x->depth > y->depth ? x->depth : y->depth) + 1};
    return add_premise(replay, node, position, false);
}

/* A norm is positive, a size is not negative: premises. */
static bool add_bound(qkv__replay *replay, const qkv__node *norm, qkv__comparison comparison,
                      int64_t number, size_t position)
{
    qkv__node *bound = qkv__arena_take(&replay->arena, sizeof *bound);
    if (bound == NULL) return false;
    if (norm->kind == QKV__NODE_NUMBER) return true;
    *bound = (qkv__node){
        .kind = QKV__NODE_NUMBER, .text = "", .value = qkv__rational_whole(number), .depth = 1};
    return add_comparison(replay, norm, comparison, bound, position);
}

static bool is_identity(const qkv__node *node)
{
    return node->kind == QKV__NODE_NAME && strcmp(node->text, "I") == 0;
}

/* What a law needs of its letters, without which there is none: a variance that is not negative,
 * a < b, a probability, a rate. */
static bool add_law_bounds(qkv__replay *replay, const qkv__drawn *law, size_t position)
{
    const qkv__node *last = law->value[law->count - 1];
    if (law->needs == QKV__NEEDS_ORDER)
        return add_comparison(replay, law->value[0], QKV__LESS, last, position);
    if (law->needs == QKV__NEEDS_VARIANCE && last->kind == QKV__NODE_MULTIPLY &&
        is_identity(last->child[1])) /* alpha*I; in x*x' there is no such letter */
        last = last->child[0];
    if (last->kind != QKV__NODE_NAME || is_identity(last) ||
        qkv__replay_index(replay, last->text) >= 0)
        return true;
    return add_bound(replay, last,
                     law->needs == QKV__NEEDS_RATE ? QKV__GREATER : QKV__GREATER_OR_EQUAL, 0,
                     position) &&
           (law->needs != QKV__NEEDS_PROBABILITY ||
            add_bound(replay, last, QKV__LESS_OR_EQUAL, 1, position));
}

/* What is a size somewhere is one everywhere, and norms are positive. */
static bool take_sizes(qkv__walk *w, const qkv__statement *statement, size_t position)
{
    bool family = statement->kind == QKV__STATEMENT_FAMILY;
    bool object = statement->kind == QKV__STATEMENT_OBJECT;
    /* Indexes that are picked must be there, whatever speaks of them. */
    if (statement->kind == QKV__STATEMENT_PICK) {
        if (qkv__replay_index(w->replay, statement->node[0]->text) < 0 &&
            !qkv__walk_add_picks(w, statement, position))
            return false;
        mark_in_size(w->replay, statement->node[statement->count - 1], position, false, 0);
        return true;
    }
    qkv__drawn law;
    if (family && qkv__law_read(statement->node[0], &law)) {
        if (!add_law_bounds(w->replay, &law, position)) return false;
        if (law.range != NULL && !qkv__walk_node(w, law.range, NULL, position, true)) return false;
        if (law.range != NULL) mark_in_size(w->replay, law.range, position, true, 0);
    }
    for (size_t i = 0; (family || object) && i < statement->count; i++) {
        const qkv__node *node = statement->node[i];
        bool range = family && node->kind == QKV__NODE_INDEX && node->count == 2 &&
                     node->child[1]->kind == QKV__NODE_RANGE;
        bool norm = family && node->kind == QKV__NODE_CALL && strcmp(node->text, "norm") == 0;
        bool dimension =
            family && node->kind == QKV__NODE_CALL && strcmp(node->text, "dimension") == 0;
        if (dimension && !qkv__walk_node(w, node->child[0], NULL, position, true)) return false;
        if (norm && (!qkv__walk_node(w, node->child[0], NULL, position, false) ||
                     !add_bound(w->replay, node->child[0], QKV__GREATER, 0, position)))
            return false;
        if (range && !qkv__walk_node(w, node->child[1], NULL, position, true)) return false;
        if (range) mark_in_size(w->replay, node->child[1], position, true, 0);
        const qkv__node *end = range ? node->child[1]->child[1] : NULL;
        const qkv__node *defined;
        bool name = range && end->kind == QKV__NODE_NAME;
        bool made = range && end->kind != QKV__NODE_NUMBER &&
                    (!name || qkv__replay_resolve(w->replay, end->text, position, &defined) >= 0);
        /* A size that is made of others must be one: the family is looked at with every case. */
        if (made &&
            (!add_bound(w->replay, end, name ? QKV__GREATER : QKV__GREATER_OR_EQUAL, 0, position) ||
             !qkv__walk_add_family(w, statement, node, position)))
            return false;
        if (object && !qkv__walk_sizes(w, node, position)) return false;
    }
    return true;
}

/* given and assume of the problem hold for every claim, whatever it depends on. */
static bool take_statement(qkv__replay *replay, size_t index)
{
    const qkv__statement *statement = replay->statement[index];
    bool good = true;
    qkv__walk w = {.replay = replay};
    bool premise = !replay->without_premises && (statement->kind == QKV__STATEMENT_GIVEN ||
                                                 statement->kind == QKV__STATEMENT_ASSUME);
    if (premise)
        for (size_t i = 0; good && i < statement->count; i++)
            good = add_premise(replay, statement->node[i], replay->statement_count, false);
    good = good && take_sizes(&w, statement, index);
    /* n vectors at right angles need n dimensions, which may restrict n. */
    if (good && statement->kind == QKV__STATEMENT_FAMILY && replay->has_dimension &&
        statement->node[0]->kind == QKV__NODE_INDEX)
        good = qkv__walk_add_family(&w, statement, statement->node[0], index);
    return good;
}

/* ---- The plan ------------------------------------------------------------------------------ */

static bool is_before(qkv__place a, qkv__place b)
{
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

/* All statements in front of the claim; picks are meant for the whole problem. */
static bool collect(qkv__replay *replay, const qkv__statement *first)
{
    for (const qkv__statement *s = first; s != NULL; s = s->next) {
        if (s != first && s->kind == QKV__STATEMENT_PROBLEM) return true;
        if (!is_before(s->place, replay->place) && s->kind != QKV__STATEMENT_PICK) continue;
        if (s->kind == QKV__STATEMENT_BLOCK || s->count == 0 || qkv__statement_is_entry(s))
            continue;
        if (replay->statement_count == QKV__REPLAY_STATEMENTS) return false;
        replay->statement[replay->statement_count++] = s;
    }
    return true;
}

/* What a premise ties to something that is shown is shown too; a size in common ties nothing. */
static void spread_shown(qkv__replay *replay)
{
    uint64_t shown = 0, sizes = 0, before;
    for (size_t i = 0; i < replay->unknown_count; i++) {
        if (replay->unknown[i].shown) shown |= UINT64_C(1) << i;
        if (replay->unknown[i].is_size) sizes |= UINT64_C(1) << i;
    }
    do {
        before = shown;
        for (size_t i = 0; i < replay->premise_count; i++)
            if ((replay->premise[i].unknowns & shown & ~sizes) != 0)
                shown |= replay->premise[i].unknowns;
    } while (shown != before);
    for (size_t i = 0; i < replay->unknown_count; i++)
        replay->unknown[i].shown = (shown >> i & 1) != 0;
}

/* 1/100, -2: numbers that are written with operators. */
static qkv__rational written_number(const qkv__node *node)
{
    if (node->kind == QKV__NODE_NUMBER) return node->value;
    if (node->kind == QKV__NODE_NEGATE) return qkv__rational_negate(written_number(node->child[0]));
    if (node->kind != QKV__NODE_DIVIDE && node->kind != QKV__NODE_MULTIPLY)
        return QKV__RATIONAL_LOST;
    qkv__rational x = written_number(node->child[0]), y = written_number(node->child[1]);
    if (qkv__rational_is_lost(x) || qkv__rational_is_lost(y)) return QKV__RATIONAL_LOST;
    if (node->kind == QKV__NODE_MULTIPLY) return qkv__rational_multiply(x, y);
    return y.numerator == 0 ? QKV__RATIONAL_LOST : qkv__rational_divide(x, y);
}

/* Whether a bound says more than one that is known; side: 1 for lower ones, -1 for upper ones. */
static bool is_tighter(const qkv__edge *bound, const qkv__edge *known, int side)
{
    int order = known->known ? side * qkv__rational_compare(bound->value, known->value) : 1;
    return order > 0 || (order == 0 && bound->strict);
}

/* for beta >= 20, at n = 10: a name against a number. What is missed here is checked all the same,
 * case by case. */
static void narrow(qkv__replay *replay, const qkv__node *node)
{
    if (node->kind == QKV__NODE_AND) {
        narrow(replay, node->child[0]);
        narrow(replay, node->child[1]);
    }
    if (node->kind != QKV__NODE_COMPARE || node->child[0]->kind != QKV__NODE_NAME) return;
    qkv__rational number = written_number(node->child[1]);
    if (qkv__rational_is_lost(number)) return;
    int index = qkv__replay_unknown_named(replay, node->child[0]->text, replay->statement_count);
    if (index < 0 || replay->unknown[index].kind != QKV__UNKNOWN_PARAMETER) return;
    qkv__unknown *u = &replay->unknown[index];
    bool strict = node->comparison == QKV__LESS || node->comparison == QKV__GREATER;
    bool equal = node->comparison == QKV__EQUAL;
    qkv__edge bound = {.known = true, .strict = strict, .value = number};
    if ((equal || node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL) &&
        is_tighter(&bound, &u->lower, 1))
        u->lower = bound;
    if ((equal || node->comparison == QKV__LESS || node->comparison == QKV__LESS_OR_EQUAL) &&
        is_tighter(&bound, &u->upper, -1))
        u->upper = bound;
}

/* at alpha = 0: keys without noise, whatever the problem says of alpha elsewhere. */
static void drop_bounds_of_noise(qkv__replay *replay)
{
    const char *still = NULL;
    for (size_t i = 0; i < replay->premise_count; i++) {
        const qkv__node *node = replay->premise[i].node;
        if (node->kind == QKV__NODE_COMPARE && node->comparison == QKV__EQUAL &&
            node->child[0]->kind == QKV__NODE_NAME && node->child[1]->kind == QKV__NODE_NUMBER &&
            node->child[1]->value.numerator == 0 && scales_noise(replay, node->child[0]->text))
            still = node->child[0]->text;
    }
    size_t kept = 0;
    for (size_t i = 0; i < replay->premise_count; i++) {
        const qkv__node *node = replay->premise[i].node;
        bool bound = still != NULL && node->kind == QKV__NODE_COMPARE &&
                     node->comparison != QKV__EQUAL && node->child[0]->kind == QKV__NODE_NAME &&
                     strcmp(node->child[0]->text, still) == 0 &&
                     node->child[1]->kind == QKV__NODE_NUMBER;
        if (!bound) replay->premise[kept++] = replay->premise[i];
    }
    replay->premise_count = kept;
}

/* keys k = [[1, 0], [0, 1]], keys k = file("k.npy"): the width; 0: it lists none. */
static size_t listed_width(qkv__replay *replay, const qkv__statement *statement)
{
    const qkv__node *node = statement->node[0];
    if (statement->kind != QKV__STATEMENT_FAMILY || node->kind != QKV__NODE_COMPARE ||
        node->comparison != QKV__EQUAL)
        return 0;
    const qkv__node *list = node->child[1];
    if (qkv__builtin_of(list) == QKV__BUILTIN_FILE) return qkv__replay_file_width(replay, list);
    return qkv__list_width(list);
}

static void note_listed(qkv__replay *replay)
{
    bool differ[2] = {false, false}, needed = false;
    for (size_t i = 0; i < replay->statement_count; i++)
        needed = needed || replay->statement[i]->kind == QKV__STATEMENT_OBJECT ||
                 (replay->statement[i]->kind == QKV__STATEMENT_FAMILY &&
                  replay->statement[i]->node[0]->kind == QKV__NODE_INDEX);
    for (size_t i = 0; i < replay->unknown_count; i++)
        needed = needed || replay->unknown[i].kind >= QKV__UNKNOWN_VECTOR;
    if (!needed) return; /* files need not be read */
    for (size_t i = 0; i < replay->statement_count; i++) {
        size_t width = listed_width(replay, replay->statement[i]);
        size_t values = strcmp(replay->statement[i]->text, "values") == 0;
        if (width == 0) continue;
        differ[values] =
            differ[values] || (replay->listed[values] != 0 && replay->listed[values] != width);
        replay->listed[values] = width;
        replay->has_dimension = true;
    }
    for (size_t i = 0; i < 2; i++)
        if (differ[i]) replay->listed[i] = 0;
}

static bool has_dimension(const qkv__statement *statement)
{
    for (size_t i = 0; statement->kind == QKV__STATEMENT_FAMILY && i < statement->count; i++)
        if (statement->node[i]->kind == QKV__NODE_CALL &&
            strcmp(statement->node[i]->text, "dimension") == 0)
            return true;
    return false;
}

bool qkv__replay_read(qkv__replay *replay, const qkv__statement *first,
                      const qkv__node *proposition, const qkv__circumstances *circumstances)
{
    assert(proposition != NULL && circumstances != NULL);
    replay->proposition = proposition;
    if (replay->place.line == 0) replay->place = proposition->place;
    if (!collect(replay, first)) return false;
    for (const qkv__statement *s = replay->answers; s != NULL; s = s->next) {
        size_t at = replay->statement_count + replay->answer_count;
        if (at == QKV__REPLAY_STATEMENTS || s->kind != QKV__STATEMENT_DEFINE ||
            s->node[0]->kind != QKV__NODE_NAME)
            return false;
        replay->statement[at] = s;
        replay->answer_count++;
    }
    mark_random(replay);
    for (size_t i = 0; i < circumstances->count; i++)
        if (!take_condition(replay, &circumstances->item[i], proposition)) return false;
    qkv__walk w = {.replay = replay, .shown = true};
    if (replay->tolerance != NULL &&
        !qkv__walk_node(&w, replay->tolerance, NULL, replay->statement_count, false))
        return false;
    if (!qkv__walk_node(&w, replay->proposition, NULL, replay->statement_count, false))
        return false;
    for (size_t i = 0; i < replay->statement_count; i++)
        replay->has_dimension = replay->has_dimension || has_dimension(replay->statement[i]);
    note_listed(replay);
    for (size_t i = 0; i < replay->statement_count; i++)
        if (!take_statement(replay, i)) return false;
    drop_bounds_of_noise(replay);
    spread_shown(replay);
    for (size_t i = 0; i < replay->premise_count; i++) narrow(replay, replay->premise[i].node);
    replay->drawn = is_random_node(replay, proposition, replay->statement_count);
    return true;
}
