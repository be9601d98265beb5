/*
 * Vectors on one line, and matrices of one number: where bounds are sharp, one member stands
 * against all others, everything is as long as it may be, and the query points along. No case that
 * is drawn entry by entry looks like that. Knows cases; nothing of verdicts.
 */
#include "claim/search/search_part.h"

#include <string.h>

enum { ONE_IN = 2 /* cases that are on a line */, WILDEST = 3 /* level */ };

/* How the members of a family lie on the line. */
typedef enum order {
    AGAINST, /* one opposite to all others: of two draws the first */
    ALONE,   /* one, and the others 0 */
    ALIKE,   /* all the same */
    GRADED,  /* each ten times shorter than the one before it */
    MIXED,   /* each there, opposite or 0 */
    ORDERS,
} order;

/* A bound is often a parameter, and a vector as long as it sharp. */
static qkv__rational length_on_line(qkv__replay *replay)
{
    static const qkv__rational lengths[] = {{1, 1}, {1, 1}, {1, 2}, {2, 1}, {1, 10}, {10, 1}};
    qkv__rational length = lengths[qkv__search_draw(replay, sizeof lengths / sizeof lengths[0])];
    size_t letters = 0;
    for (size_t i = 0; i < replay->unknown_count; i++) {
        const qkv__unknown *u = &replay->unknown[i];
        if (u->kind != QKV__UNKNOWN_PARAMETER || u->whole || u->is_size) continue;
        letters++;
        if (qkv__search_draw(replay, letters + 1) < letters) length = replay->slot[u->offset];
    }
    return length;
}

static qkv__rational place_on_line(qkv__replay *replay, order kind, size_t row, size_t chosen,
                                   qkv__rational length)
{
    static const qkv__rational tenth = {1, 10};
    if (kind == MIXED)
        return qkv__rational_multiply(
            length, qkv__rational_whole((int64_t)qkv__search_draw(replay, 3) - 1));
    if (kind == AGAINST) return row == chosen ? length : qkv__rational_negate(length);
    if (kind == ALONE && row != chosen) return qkv__rational_whole(0);
    for (size_t i = 0; kind == GRADED && i < row && i < 6; i++)
        length = qkv__rational_multiply(length, tenth);
    return length;
}

bool qkv__search_takes_line(qkv__replay *replay, int level)
{
    return (replay->proves || level == WILDEST) && !replay->chance &&
           qkv__search_draw(replay, ONE_IN) == 0;
}

/* One number anywhere: such matrices hardly ever commute. */
static void fill_spike(qkv__replay *replay, const qkv__unknown *u, qkv__rational *entry)
{
    const size_t count = u->rows * u->columns, at = qkv__search_draw(replay, count);
    for (size_t i = 0; i < count; i++) entry[i] = qkv__rational_whole(0);
    entry[at] = length_on_line(replay);
}

/* A family is on the last axis, a vector mostly. */
static void fill_line(qkv__replay *replay, const qkv__unknown *u, qkv__rational *entry)
{
    const bool family = u->kind == QKV__UNKNOWN_FAMILY;
    const size_t rows = family ? u->rows : 1, columns = family ? u->columns : u->rows;
    const bool aside = !family && qkv__search_draw(replay, 3) == 0;
    const size_t axis = aside ? qkv__search_draw(replay, columns) : columns - 1;
    const size_t chosen = qkv__search_draw(replay, rows);
    const order kind =
        qkv__search_draw(replay, 3) == 0 ? AGAINST : (order)qkv__search_draw(replay, ORDERS);
    qkv__rational length = length_on_line(replay);
    if (qkv__search_draw(replay, 2) == 0) length = qkv__rational_negate(length);
    for (size_t i = 0; i < rows * columns; i++) entry[i] = qkv__rational_whole(0);
    for (size_t i = 0; i < rows; i++) {
        qkv__rational *place = &entry[i * columns + axis];
        *place = place_on_line(replay, kind, i, chosen, length);
        if (u->spherical) *place = qkv__rational_whole(qkv__rational_sign(*place) < 0 ? -1 : 1);
    }
}

bool qkv__search_fill_line(qkv__replay *replay, const qkv__unknown *u, qkv__rational *entry)
{
    const bool vectors = u->kind == QKV__UNKNOWN_FAMILY || u->kind == QKV__UNKNOWN_VECTOR;
    if (u->orthogonal || u->kind == QKV__UNKNOWN_PERMUTATION) return false;
    if (vectors)
        fill_line(replay, u, entry);
    else if (qkv__search_draw(replay, 2) == 0)
        fill_spike(replay, u, entry);
    else
        return false;
    return true;
}

/* ---- Ties ------------------------------------------------------------------------------ */

/* for all i not in {a, b}: p */
static bool spares_some(const qkv__node *node)
{
    return node->kind == QKV__NODE_FOR_ALL && node->child[0]->kind == QKV__NODE_COMPARE &&
           node->child[0]->comparison == QKV__NOT_IN;
}

static bool is_equation(const qkv__node *node)
{
    return node->kind == QKV__NODE_COMPARE && node->comparison == QKV__EQUAL;
}

/* Whether some premise is an equation and another spares a few members: k[a].q = k[b].q, for all i
 * not in {a, b}: k[i].q < k[a].q. */
static bool asks_for_ties(const qkv__replay *replay)
{
    bool equation = false, spares = false;
    for (size_t i = 0; i < replay->premise_count; i++) {
        const qkv__node *node = replay->premise[i].node;
        const bool both = node->kind == QKV__NODE_AND;
        equation = equation || is_equation(node) || (both && is_equation(node->child[0]));
        spares = spares || spares_some(node) || (both && spares_some(node->child[1]));
    }
    return equation && spares;
}

/* The first members like the first, the others opposite; all of them turned round, if asked. */
static void tie_first(qkv__replay *replay, const qkv__unknown *u, size_t tied, bool turned)
{
    qkv__rational *entry = &replay->slot[u->offset];
    for (size_t i = u->rows * u->columns; i-- > 0;) {
        const bool opposite = (i / u->columns >= tied) != turned;
        const qkv__rational x = entry[i % u->columns];
        entry[i] = opposite ? qkv__rational_negate(x) : x;
    }
}

static bool tie_family(qkv__replay *replay, const qkv__unknown *u, uint64_t all)
{
    enum { MOST = 256, MOST_TIED = 3 };
    qkv__rational before[MOST];
    const size_t count = u->rows * u->columns;
    if (count > MOST) return false;
    memcpy(before, &replay->slot[u->offset], count * sizeof *before);
    for (size_t tied = 2; tied <= MOST_TIED && tied <= u->rows; tied++)
        for (int turned = 0; turned < 2; turned++) {
            tie_first(replay, u, tied, turned != 0);
            if (qkv__replay_premises_hold(replay, all, all)) return true;
            memcpy(&replay->slot[u->offset], before, count * sizeof *before);
        }
    return false;
}

void qkv__search_tie(qkv__replay *replay)
{
    const uint64_t all = UINT64_MAX;
    if (!replay->proves || replay->chance || !asks_for_ties(replay) ||
        qkv__replay_premises_hold(replay, all, all))
        return;
    for (size_t i = 0; i < replay->unknown_count; i++) {
        const qkv__unknown *u = &replay->unknown[i];
        if (u->kind == QKV__UNKNOWN_FAMILY && !u->orthogonal && u->rows > 1 && u->columns > 0 &&
            tie_family(replay, u, all))
            return;
    }
}
