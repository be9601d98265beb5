/* Making equations hold: what enters one linearly is solved for, exactly, a slot at a time. Knows
 * instances; nothing of how they were chosen. */
#include "claim/search/search_part.h"

#include <assert.h>

enum { ROUNDS = 12, SLOTS_TRIED = 16 };

/* The first entry in which the sides differ, exactly; *entry is SIZE_MAX where none does. */
static bool residual(qkv__replay *replay, const qkv__node *node, size_t position, size_t from,
                     size_t *entry, qkv__rational *value)
{
    assert(node->kind == QKV__NODE_COMPARE);
    qkv__scene scene = {.replay = replay, .position = position};
    qkv__case_value x, y, left, right;
    qkv__replay_begin_case(replay);
    if (!qkv__replay_evaluate(&scene, node->child[0], &x) ||
        !qkv__replay_evaluate(&scene, node->child[1], &y) ||
        !qkv__case_align(&replay->bench, &x, &y, &left, &right))
        return false;
    for (*entry = from; *entry < left.rows * left.columns; ++*entry) {
        *value = qkv__rational_subtract(left.entry[*entry].exact, right.entry[*entry].exact);
        if (qkv__rational_is_lost(*value)) return false;
        if (value->numerator != 0 || from > 0) return true;
    }
    *entry = SIZE_MAX;
    return true;
}

/* Sets one slot so that one entry vanishes, if it enters linearly. */
static bool solve_for(qkv__replay *replay, const qkv__node *node, size_t position, size_t slot,
                      size_t entry, qkv__rational at_start)
{
    const qkv__unknown *owner;
    qkv__rational start = replay->slot[slot], shifted, after;
    size_t same;
    if (!qkv__slot_is_free(replay, slot, &owner)) return false;
    replay->slot[slot] = qkv__rational_add(start, qkv__rational_whole(1));
    /* Entries before this one vanish; asked from it on, it is found even if it vanishes now. */
    bool good = residual(replay, node, position, entry, &same, &shifted);
    if (good && same != entry) shifted = qkv__rational_whole(0);
    qkv__rational slope = good ? qkv__rational_subtract(shifted, at_start) : QKV__RATIONAL_LOST;
    qkv__rational root = qkv__rational_subtract(start, qkv__rational_divide(at_start, slope));
    if (owner->kind == QKV__UNKNOWN_PARAMETER && !qkv__bounds_allow(owner, root))
        root = QKV__RATIONAL_LOST;
    replay->slot[slot] = qkv__rational_is_lost(root) ? start : root;
    if (!qkv__rational_is_lost(root) && residual(replay, node, position, 0, &same, &after) &&
        (same == SIZE_MAX || same > entry))
        return true;
    replay->slot[slot] = start;
    return false;
}

static bool solve_equation(qkv__replay *replay, const qkv__node *node, size_t position)
{
    for (int round = 0; round < ROUNDS; round++) {
        size_t entry, tried;
        qkv__rational value;
        if (!residual(replay, node, position, 0, &entry, &value)) return false;
        if (entry == SIZE_MAX) return true;
        size_t start = qkv__search_draw(replay, replay->slot_count);
        for (tried = 0; tried < SLOTS_TRIED && tried < replay->slot_count; tried++) {
            size_t slot = (start + tried) % replay->slot_count;
            if (solve_for(replay, node, position, slot, entry, value)) break;
        }
        if (tried == SLOTS_TRIED || tried == replay->slot_count) return false;
    }
    return false;
}

/* Equations that must hold so that a proposition is true, or false, as wanted; false when one of
 * them cannot be solved. Where there is a choice, nothing is done. */
static bool solve_node(qkv__replay *replay, const qkv__node *node, size_t position, bool wanted)
{
    bool pair = node->kind == (wanted ? QKV__NODE_AND : QKV__NODE_OR);
    qkv__comparison equation = wanted ? QKV__EQUAL : QKV__NOT_EQUAL;
    if (node->kind == QKV__NODE_NOT) return solve_node(replay, node->child[0], position, !wanted);
    if (node->kind == QKV__NODE_EXISTS && wanted)
        return solve_node(replay, node->child[node->count - 1], position, wanted);
    if (pair || (!wanted && node->kind == QKV__NODE_IMPLIES)) {
        bool first = pair ? wanted : true;
        return solve_node(replay, node->child[0], position, first) &&
               solve_node(replay, node->child[1], position, wanted);
    }
    if (node->kind != QKV__NODE_COMPARE || node->comparison != equation) return true;
    return solve_equation(replay, node, position);
}

bool qkv__search_solve(qkv__replay *replay)
{
    if (replay->slot_count == 0) return true;
    for (size_t i = 0; i < replay->premise_count; i++)
        if (!solve_node(replay, replay->premise[i].node, replay->premise[i].position, true))
            return false;
    return replay->tolerance != NULL ||
           solve_node(replay, replay->proposition, replay->statement_count, false);
}
