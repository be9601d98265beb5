/* Making a counterexample smaller, step by step, for as long as it stays one. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "claim/search/search_part.h"

enum {
    PASSES = 4,      /* over all numbers */
    HEAVY = 1 << 20, /* weight of a difference that four digits do not show */
    PLAIN_DIGITS = 4,
};

/* ---- Keeping cases ------------------------------------------------------------------------- */

void qkv__case_keep(const qkv__replay *replay, qkv__kept_case *kept)
{
    kept->slot_count = replay->slot_count;
    kept->dimension = replay->dimension;
    kept->value_dimension = replay->value_dimension;
    memcpy(kept->slot, replay->slot, replay->slot_count * sizeof kept->slot[0]);
    for (size_t i = 0; i < replay->unknown_count; i++) {
        kept->rows[i] = replay->unknown[i].rows;
        kept->columns[i] = replay->unknown[i].columns;
        kept->offset[i] = replay->unknown[i].offset;
        kept->axes[i] = replay->unknown[i].axes;
    }
}

void qkv__case_restore(qkv__replay *replay, const qkv__kept_case *kept)
{
    replay->slot_count = kept->slot_count;
    replay->dimension = kept->dimension;
    replay->value_dimension = kept->value_dimension;
    memcpy(replay->slot, kept->slot, kept->slot_count * sizeof kept->slot[0]);
    for (size_t i = 0; i < replay->unknown_count; i++) {
        replay->unknown[i].rows = kept->rows[i];
        replay->unknown[i].columns = kept->columns[i];
        replay->unknown[i].offset = kept->offset[i];
        replay->unknown[i].axes = kept->axes[i];
    }
}

/* ---- Weights ------------------------------------------------------------------------------- */

/* 0 costs nothing, 1 little, negative numbers and fractions more. */
static size_t weight_of_number(qkv__rational value)
{
    double size = fabs((double)value.numerator / (double)value.denominator);
    if (value.numerator == 0) return 0;
    return 1 + (size_t)(2.0 * log2(1.0 + size)) + (value.numerator < 0 ? 2 : 0) +
           (value.denominator != 1 ? 4 + (size_t)log2((double)value.denominator) : 0);
}

/* Permutations count by what they move, indices not at all, other entries also by being there. */
static size_t weight_of_unknown(const qkv__replay *replay, const qkv__unknown *u)
{
    size_t weight = 0;
    if (u->kind == QKV__UNKNOWN_INDEX) return 0;
    for (size_t i = 0; i < qkv__unknown_slots(u); i++) {
        bool diagonal = i / u->columns == i % u->columns;
        size_t own = weight_of_number(replay->slot[u->offset + i]);
        if (u->kind == QKV__UNKNOWN_PERMUTATION)
            weight += diagonal ? 0 : own;
        else
            weight += own + 1;
    }
    return weight;
}

static size_t weigh(qkv__replay *replay)
{
    double margin;
    if (qkv__replay_judge(replay, &margin) != QKV__CASE_REFUTES) return SIZE_MAX;
    size_t weight = qkv__search_digits(replay) <= PLAIN_DIGITS ? 0 : HEAVY;
    for (size_t i = 0; i < replay->unknown_count; i++)
        if (replay->unknown[i].shown) weight += weight_of_unknown(replay, &replay->unknown[i]);
    return weight;
}

/* ---- Simpler numbers ----------------------------------------------------------------------- */

/* Tries simpler numbers in one place; keeps what makes a lighter counterexample. */
static void lower_slot(qkv__replay *replay, size_t slot, const qkv__unknown *owner, size_t *weight)
{
    qkv__rational *at = &replay->slot[slot];
    const int64_t part = at->numerator / at->denominator;
    const qkv__rational choices[] = {
        {0, 1},    {1, 1},        {-1, 1},        {2, 1},
        {part, 1}, {part / 2, 1}, {part / 10, 1}, {part - (part > 0) + (part < 0), 1},
        {1, 2}};
    for (size_t c = 0; c < sizeof choices / sizeof choices[0]; c++) {
        const qkv__rational before = *at;
        if (weight_of_number(choices[c]) >= weight_of_number(before)) continue;
        if (owner->kind == QKV__UNKNOWN_PARAMETER && !qkv__bounds_allow(owner, choices[c]))
            continue;
        *at = choices[c];
        size_t lowered = weigh(replay);
        if (lowered < *weight)
            *weight = lowered;
        else
            *at = before;
    }
}

static bool lower_all(qkv__replay *replay, size_t operations, size_t *weight)
{
    size_t before = *weight;
    for (size_t i = 0; i < replay->slot_count && replay->bench.operations < operations; i++) {
        const qkv__unknown *owner;
        if (qkv__slot_is_free(replay, i, &owner)) lower_slot(replay, i, owner, weight);
    }
    return *weight < before;
}

/* Everything negated at once, where minus signs outnumber the others. */
static void negate_all(qkv__replay *replay)
{
    for (size_t i = 0; i < replay->slot_count; i++) {
        const qkv__unknown *owner;
        if (qkv__slot_is_free(replay, i, &owner) && owner->kind != QKV__UNKNOWN_PARAMETER)
            replay->slot[i] = qkv__rational_negate(replay->slot[i]);
    }
}

static void lower_signs(qkv__replay *replay, size_t *weight)
{
    negate_all(replay);
    size_t lowered = weigh(replay);
    if (lowered < *weight)
        *weight = lowered;
    else
        negate_all(replay);
}

/* ---- Fewer members and coordinates --------------------------------------------------------- */

/* What shrinks: a size by its name, or the width of vectors that say nothing of theirs. */
typedef struct axis {
    const qkv__unknown *size; /* a parameter; NULL: a width */
    bool keys, values;        /* of which widths */
} axis;

typedef enum along { NOT_ALONG, ALONG, CANNOT_SAY } along;

/* Whether a size that is written down is this one. */
static along written_along(const axis *a, const qkv__node *node)
{
    if (node->kind == QKV__NODE_NUMBER) return NOT_ALONG;
    if (node->kind != QKV__NODE_NAME) return a->size == NULL ? NOT_ALONG : CANNOT_SAY;
    return a->size != NULL && strcmp(a->size->name, node->text) == 0 ? ALONG : NOT_ALONG;
}

static along rows_along(const axis *a, const qkv__unknown *u)
{
    switch (u->kind) {
    case QKV__UNKNOWN_FAMILY:
        return u->names != NULL ? NOT_ALONG : written_along(a, u->declared->child[1]->child[1]);
    case QKV__UNKNOWN_VECTOR:
        if (u->declared->kind != QKV__NODE_INDEX) return a->keys ? ALONG : NOT_ALONG;
        return written_along(a, u->declared->child[1]);
    case QKV__UNKNOWN_MATRIX: return written_along(a, u->declared->child[1]);
    case QKV__UNKNOWN_PERMUTATION: {
        along found = written_along(a, u->declared->child[1]);
        return found == NOT_ALONG ? NOT_ALONG : CANNOT_SAY; /* it would be none any more */
    }
    default: return NOT_ALONG;
    }
}

static along columns_along(const axis *a, const qkv__unknown *u)
{
    along found = NOT_ALONG;
    if (u->kind == QKV__UNKNOWN_MATRIX) return written_along(a, u->declared->child[2]);
    if (u->kind != QKV__UNKNOWN_FAMILY) return NOT_ALONG;
    if (u->dimension != NULL)
        found = written_along(a, u->dimension);
    else if (u->holds_values ? a->values : a->keys)
        found = ALONG;
    /* Without a coordinate, lengths and right angles are lost. */
    return found == ALONG && (u->orthogonal || u->norm != NULL) ? CANNOT_SAY : found;
}

/* An index behind the member that goes moves up, within its range; that member itself must stay. */
static bool move_index(qkv__replay *replay, const axis *a, const qkv__unknown *u, size_t member)
{
    along found = written_along(a, u->declared->child[1]);
    qkv__rational *at = &replay->slot[u->offset];
    if (found == NOT_ALONG) return true;
    if (found == CANNOT_SAY || at->numerator == (int64_t)member + 1) return false;
    if (at->numerator < (int64_t)member + 1) return true;
    const qkv__node *first = u->declared->child[0];
    if (first->kind != QKV__NODE_NUMBER || at->numerator <= first->value.numerator) return false;
    *at = qkv__rational_whole(at->numerator - 1);
    return true;
}

/* Takes one row or column out of an unknown, in its place. */
static void take_out(qkv__replay *replay, qkv__unknown *u, bool rows, bool columns, size_t member)
{
    qkv__rational *entry = replay->slot + u->offset;
    size_t to = 0;
    for (size_t i = 0; i < u->rows; i++)
        for (size_t j = 0; j < u->columns; j++)
            if (!(rows && i == member) && !(columns && j == member))
                entry[to++] = entry[i * u->columns + j];
    u->rows -= rows;
    u->columns -= columns;
}

/* Removes one member along an axis from everything; false when that cannot be done. Slots are left
 * unused where they were. */
static bool remove_member(qkv__replay *replay, const axis *a, size_t member)
{
    for (size_t i = 0; i < replay->unknown_count; i++) {
        qkv__unknown *u = &replay->unknown[i];
        if (u->kind == QKV__UNKNOWN_INDEX && !move_index(replay, a, u, member)) return false;
        along rows = rows_along(a, u), columns = columns_along(a, u);
        if (rows == CANNOT_SAY || columns == CANNOT_SAY) return false;
        if ((rows == ALONG && u->rows <= 1) || (columns == ALONG && u->columns <= 1)) return false;
        if (rows == ALONG || columns == ALONG)
            take_out(replay, u, rows == ALONG, columns == ALONG, member);
    }
    if (a->keys) replay->dimension--;
    if (a->values) replay->value_dimension--;
    if (a->size == NULL) return true;
    qkv__rational less = qkv__rational_whole(replay->slot[a->size->offset].numerator - 1);
    replay->slot[a->size->offset] = less;
    return qkv__bounds_allow(a->size, less);
}

static bool shorten_axis(qkv__replay *replay, const axis *a, size_t count, qkv__kept_case *kept,
                         size_t *weight)
{
    bool shorter = false;
    for (size_t member = count; count > 1 && member-- > 0;) {
        qkv__case_keep(replay, kept);
        size_t lowered = remove_member(replay, a, member) ? weigh(replay) : SIZE_MAX;
        if (lowered < *weight) {
            *weight = lowered;
            shorter = true;
            if (--count == 1) break;
        } else {
            qkv__case_restore(replay, kept);
        }
    }
    return shorter;
}

static bool shorten_all(qkv__replay *replay, qkv__kept_case *kept, size_t *weight)
{
    enum { LONGEST = 64 };
    const axis widths[] = {{.keys = true, .values = true}, {.keys = true}, {.values = true}};
    bool shorter = false;
    for (size_t i = 0; i < replay->unknown_count; i++) {
        const qkv__unknown *u = &replay->unknown[i];
        axis a = {.size = u};
        if (u->kind != QKV__UNKNOWN_PARAMETER || !u->is_size) continue;
        size_t count = (size_t)replay->slot[u->offset].numerator;
        if (count <= LONGEST) shorter = shorten_axis(replay, &a, count, kept, weight) || shorter;
    }
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        size_t count = widths[i].keys ? replay->dimension : replay->value_dimension;
        if (i == 0 && replay->dimension != replay->value_dimension) continue;
        if (count <= LONGEST)
            shorter = shorten_axis(replay, &widths[i], count, kept, weight) || shorter;
    }
    return shorter;
}

size_t qkv__search_shrink(qkv__replay *replay, size_t operations)
{
    size_t weight = weigh(replay);
    qkv__kept_case *kept = qkv__allocate(sizeof *kept);
    for (int pass = 0; weight != SIZE_MAX && pass < PASSES; pass++) {
        bool lower = lower_all(replay, operations, &weight);
        bool shorter = kept != NULL && shorten_all(replay, kept, &weight);
        if (!lower && !shorter) break;
    }
    if (weight != SIZE_MAX) lower_signs(replay, &weight);
    qkv__free(kept);
    return weight;
}
