/*
 * Choosing cases: small and plain ones first, then random ones, larger with the level. Everything
 * chosen is an exact rational, so that right angles and unit lengths are exact. Deterministic: the
 * random numbers are a function of a seed and a counter. Knows nothing of verdicts.
 */
#include <assert.h>
#include <string.h>

#include "claim/search/search_part.h"
#include "language/law.h"
#include "replay/names.h"

enum {
    ATTEMPTS = 12, /* to fill one unknown so that its premises hold */
    LARGEST_SIZE = QKV__BENCH_LARGEST,
    LONGER = 6,  /* families whose members are on one line */
    MANY = 1024, /* values, which get no slots */
};

/* ---- Random numbers ------------------------------------------------------------------------ */

/* SplitMix64's mixing of a counter (Steele, Lea and Flood 2014). */
size_t qkv__search_draw(qkv__replay *replay, size_t limit)
{
    uint64_t z = replay->seed + UINT64_C(0x9e3779b97f4a7c15) * ++replay->counter;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (size_t)((z ^ z >> 31) % limit);
}

static qkv__rational whole(int64_t value)
{
    return qkv__rational_whole(value);
}

/* ---- Parameters ---------------------------------------------------------------------------- */

bool qkv__bounds_allow(const qkv__unknown *u, qkv__rational value)
{
    if (qkv__rational_is_lost(value)) return false;
    int lower = u->lower.known ? qkv__rational_compare(value, u->lower.value) : 1;
    int upper = u->upper.known ? qkv__rational_compare(value, u->upper.value) : -1;
    if (u->whole && !qkv__rational_is_whole(value)) return false;
    if (u->is_size && value.numerator < 1) return false;
    if (u->in_size && u->whole && value.numerator < 0) return false;
    return (lower > 0 || (lower == 0 && !u->lower.strict)) &&
           (upper < 0 || (upper == 0 && !u->upper.strict));
}

/* Whether a size may be large: families over it are at right angles, or values, and so need no
 * coordinates. */
static bool may_be_large(const qkv__replay *replay, const qkv__unknown *size)
{
    bool some = false;
    if (!replay->far_sizes || !size->is_size) return false;
    for (size_t i = 0; i < replay->unknown_count; i++) {
        const qkv__unknown *u = &replay->unknown[i];
        if (u->kind == QKV__UNKNOWN_PARAMETER || u->kind == QKV__UNKNOWN_INDEX) continue;
        if (u->kind != QKV__UNKNOWN_FAMILY || u->names != NULL || u->dimension != NULL)
            return false;
        if (!u->orthogonal && (!u->holds_values || u->norm != NULL)) return false;
        some = some || u->orthogonal;
    }
    return some;
}

/* Whole numbers from the least on; lost when there is none or it is out of all proportion. */
static qkv__rational choose_whole(qkv__replay *replay, const qkv__unknown *u, int level)
{
    const int64_t far = INT64_C(1) << 53; /* sizes beyond are of no use, and sums stay in range */
    int64_t least = u->is_size ? 1 : 0;
    if (u->lower.known) {
        int64_t near = u->lower.value.numerator / u->lower.value.denominator;
        if (near < -far || near > far) return QKV__RATIONAL_LOST;
        least = u->in_size && near < 0 ? 0 : near;
        near = least;
        while (!qkv__bounds_allow(u, whole(least)) && least < near + 2) least++;
    } else if (u->upper.known && !qkv__bounds_allow(u, whole(least))) {
        least = u->upper.value.numerator / u->upper.value.denominator;
        if (least < -far || least > far) return QKV__RATIONAL_LOST;
        least -= level + 1;
    }
    if (level == 3 && may_be_large(replay, u) && replay->counter % 4 == 0) {
        static const int64_t sizes[] = {20, 40, 2000, 20000};
        qkv__rational large = whole(sizes[replay->counter / 4 % 4]);
        if (qkv__bounds_allow(u, large)) return large;
    }
    size_t most = level >= 2 && qkv__search_draw(replay, 4) == 0 ? 12 : (size_t)level + 1;
    if (replay->on_line) most += LONGER; /* members are cheap, and bounds fail for many */
    qkv__rational value = whole(least + (int64_t)qkv__search_draw(replay, most));
    if (!qkv__bounds_allow(u, value)) value = whole(least);
    return qkv__bounds_allow(u, value) ? value : QKV__RATIONAL_LOST;
}

/* Ends of the range and what lies near them. */
static size_t near_bounds(const qkv__unknown *u, qkv__rational *list)
{
    static const qkv__rational steps[] = {{0, 1}, {1, 1}, {1, 2}, {10, 1}, {1, 10}, {100, 1}};
    size_t count = 0;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (u->lower.known) list[count++] = qkv__rational_add(u->lower.value, steps[i]);
        if (u->upper.known) list[count++] = qkv__rational_subtract(u->upper.value, steps[i]);
    }
    if (u->lower.known && u->upper.known)
        list[count++] = qkv__rational_multiply(qkv__rational_add(u->lower.value, u->upper.value),
                                               qkv__rational_make(1, 2));
    return count;
}

/* Two digits anywhere in the range, of any magnitude from a thousandth to thousands. */
static qkv__rational draw_real(qkv__replay *replay, const qkv__unknown *u)
{
    static const qkv__rational units[] = {{1, 1000}, {1, 100}, {1, 10}, {1, 1}, {10, 1}, {100, 1}};
    qkv__rational digits = whole(1 + (int64_t)qkv__search_draw(replay, 99));
    qkv__rational size = qkv__rational_multiply(digits, units[qkv__search_draw(replay, 6)]);
    if (u->lower.known && u->upper.known)
        return qkv__rational_add(
            u->lower.value,
            qkv__rational_multiply(qkv__rational_subtract(u->upper.value, u->lower.value),
                                   qkv__rational_multiply(digits, units[1])));
    if (u->lower.known) return qkv__rational_add(u->lower.value, size);
    if (u->upper.known) return qkv__rational_subtract(u->upper.value, size);
    return qkv__search_draw(replay, 2) == 0 ? size : qkv__rational_negate(size);
}

/* A size is made of it: mostly whole, sometimes a half or a third. */
static qkv__rational choose_for_size(qkv__replay *replay, const qkv__unknown *u, int level)
{
    static const int64_t parts[] = {1, 1, 1, 2, 2, 3};
    int64_t part = parts[qkv__search_draw(replay, level == 0 ? 5 : 6)];
    int64_t steps = (int64_t)qkv__search_draw(replay, 4 + 2 * (size_t)level) - 1;
    qkv__rational from = u->lower.known ? u->lower.value : whole(0);
    if (!u->lower.known && u->upper.known) from = qkv__rational_subtract(u->upper.value, whole(4));
    int64_t near = from.numerator / from.denominator;
    qkv__rational value = qkv__rational_add(whole(near), qkv__rational_make(steps, part));
    return qkv__bounds_allow(u, value) ? value : from;
}

static qkv__rational choose_real(qkv__replay *replay, const qkv__unknown *u, int level)
{
    static const qkv__rational simple[] = {
        {1, 1},  {0, 1},  {2, 1},  {-1, 1}, {1, 2},   {3, 1},   {-2, 1},  {-1, 2},   {5, 1},
        {10, 1}, {-3, 1}, {1, 10}, {20, 1}, {-10, 1}, {100, 1}, {1, 100}, {-100, 1}, {1000, 1}};
    static const size_t first[] = {4, 8, 12, 18};
    enum { MOST = 13 + 18 };
    assert(level >= 0 && (size_t)level < sizeof first / sizeof first[0]);
    qkv__rational list[MOST];
    size_t count = near_bounds(u, list), allowed = 0;
    if (level > 0 && qkv__search_draw(replay, 2) == 0) {
        qkv__rational drawn = draw_real(replay, u);
        if (qkv__bounds_allow(u, drawn)) return drawn;
    }
    for (size_t i = 0; i < first[level]; i++) list[count++] = simple[i];
    for (size_t i = 0; i < count; i++)
        if (qkv__bounds_allow(u, list[i])) list[allowed++] = list[i];
    return allowed == 0 ? QKV__RATIONAL_LOST : list[qkv__search_draw(replay, allowed)];
}

static bool choose_parameters(qkv__replay *replay, int level)
{
    for (size_t i = 0; i < replay->unknown_count; i++) {
        qkv__unknown *u = &replay->unknown[i];
        if (u->kind != QKV__UNKNOWN_PARAMETER && u->kind != QKV__UNKNOWN_INDEX) continue;
        if (replay->slot_count == QKV__REPLAY_SLOTS) return false;
        u->offset = replay->slot_count++;
        u->rows = u->columns = 1;
        if (u->kind == QKV__UNKNOWN_INDEX) continue;
        qkv__rational value = u->whole     ? choose_whole(replay, u, level)
                              : u->in_size ? choose_for_size(replay, u, level)
                                           : choose_real(replay, u, level);
        bool large = u->whole && u->lower.known && u->lower.value.numerator > QKV__REPLAY_SLOTS;
        if (qkv__rational_is_lost(value) && large)
            return qkv__bench_fail(&replay->bench, QKV__OBSTACLE_ROOM);
        if (qkv__rational_is_lost(value)) return false;
        replay->slot[u->offset] = value;
    }
    return true;
}

/* x of x^2. */
static int squared_parameter(const qkv__replay *replay, const qkv__node *node)
{
    bool square = node->kind == QKV__NODE_POWER && node->child[0]->kind == QKV__NODE_NAME &&
                  node->child[1]->kind == QKV__NODE_NUMBER &&
                  qkv__rational_compare(node->child[1]->value, whole(2)) == 0;
    int index =
        square ? qkv__replay_unknown_named(replay, node->child[0]->text, replay->statement_count)
               : -1;
    return index >= 0 && replay->unknown[index].kind == QKV__UNKNOWN_PARAMETER ? index : -1;
}

/* x^2 + y^2 = 1 has rational points: (2t, 1 - t^2)/(1 + t^2). */
static void fill_circle(qkv__replay *replay, const qkv__node *node)
{
    if (node->kind == QKV__NODE_AND || node->kind == QKV__NODE_IMPLIES) {
        fill_circle(replay, node->child[0]);
        if (node->kind == QKV__NODE_AND) fill_circle(replay, node->child[1]);
    }
    if (node->kind != QKV__NODE_COMPARE || node->comparison != QKV__EQUAL ||
        node->child[0]->kind != QKV__NODE_ADD || node->child[1]->kind != QKV__NODE_NUMBER ||
        qkv__rational_compare(node->child[1]->value, whole(1)) != 0)
        return;
    int x = squared_parameter(replay, node->child[0]->child[0]);
    int y = squared_parameter(replay, node->child[0]->child[1]);
    if (x < 0 || y < 0) return;
    qkv__rational t = qkv__rational_make((int64_t)qkv__search_draw(replay, 41) - 20,
                                         1 + (int64_t)qkv__search_draw(replay, 20));
    qkv__rational square = qkv__rational_multiply(t, t);
    qkv__rational below = qkv__rational_add(whole(1), square);
    replay->slot[replay->unknown[x].offset] = qkv__rational_divide(qkv__rational_add(t, t), below);
    replay->slot[replay->unknown[y].offset] =
        qkv__rational_divide(qkv__rational_subtract(whole(1), square), below);
}

/* ---- Sizes --------------------------------------------------------------------------------- */

static bool size_of(qkv__replay *replay, const qkv__unknown *u, const qkv__node *node,
                    int64_t least, size_t *size)
{
    qkv__scene scene = {.replay = replay, .position = u->position};
    qkv__rational number;
    if (!qkv__replay_number(&scene, node, &number)) return false;
    if (!qkv__rational_is_whole(number) || number.numerator < least)
        return qkv__bench_fail(&replay->bench, QKV__OBSTACLE_VAGUE);
    if (number.numerator > LARGEST_SIZE) return qkv__bench_fail(&replay->bench, QKV__OBSTACLE_ROOM);
    *size = (size_t)number.numerator;
    return true;
}

/* A family may be empty: k[1..n-1] at n = 1. */
static bool count_members(qkv__replay *replay, qkv__unknown *u)
{
    if (u->names == NULL) return size_of(replay, u, u->declared->child[1]->child[1], 0, &u->rows);
    u->rows = u->declared->count - 1;
    return true;
}

/* Random claims are meant for values in general position. */
static bool is_general(const qkv__replay *replay, const qkv__unknown *u)
{
    return (replay->random || replay->generic) && u->holds_values;
}

/* A width for vectors that say nothing of theirs: small, or one that occurs in the problem. */
static size_t draw_width(qkv__replay *replay, int level)
{
    size_t choices[QKV__REPLAY_WIDTHS + QKV__UNKNOWNS], count = 0;
    for (size_t i = 0; i < replay->width_count; i++) choices[count++] = replay->width[i];
    for (size_t i = 0; level > 0 && i < replay->unknown_count; i++) {
        const qkv__unknown *u = &replay->unknown[i];
        if (u->kind == QKV__UNKNOWN_PARAMETER && u->is_size)
            choices[count++] = (size_t)replay->slot[u->offset].numerator;
    }
    bool occurs = count > 0 && qkv__search_draw(replay, 4) == 0;
    if (occurs || (level == 0 && count > 0)) return choices[qkv__search_draw(replay, count)];
    if (level > 0 && qkv__search_draw(replay, 8) == 0)
        return 4; /* where halves make unit vectors */
    return 1 + qkv__search_draw(replay, (size_t)level + 1);
}

/* A dimension that is a name of its own is no smaller than a family at right angles. */
static void raise_dimension(qkv__replay *replay, const qkv__unknown *family, int level)
{
    if (family->dimension->kind != QKV__NODE_NAME) return;
    int index = qkv__replay_unknown_named(replay, family->dimension->text, replay->statement_count);
    if (index < 0 || replay->unknown[index].kind != QKV__UNKNOWN_PARAMETER) return;
    qkv__rational *slot = &replay->slot[replay->unknown[index].offset];
    qkv__rational least = whole((int64_t)family->rows);
    if (qkv__rational_compare(*slot, least) >= 0) return;
    qkv__rational more =
        whole((int64_t)(family->rows + qkv__search_draw(replay, (size_t)level + 1)));
    *slot = qkv__bounds_allow(&replay->unknown[index], more) ? more : least;
}

/* What keys or a vector that are drawn say of the dimension of all; NULL: nothing. */
static const qkv__node *dimension_beside(const qkv__replay *replay, size_t statement)
{
    const qkv__statement *s = replay->statement[statement];
    qkv__drawn law;
    if (s->kind != QKV__STATEMENT_FAMILY || strcmp(s->text, "values") == 0) return NULL;
    return qkv__law_read(s->node[0], &law) ? qkv__law_dimension(s) : NULL;
}

/* The dimension by what is drawn: no smaller than a family at right angles needs it. */
static bool choose_drawn_width(qkv__replay *replay, int level)
{
    for (size_t s = 0; s < replay->statement_count; s++) {
        qkv__unknown drawn = {.position = s, .dimension = dimension_beside(replay, s)};
        if (drawn.dimension == NULL) continue;
        for (size_t i = 0; i < replay->unknown_count; i++) {
            const qkv__unknown *u = &replay->unknown[i];
            if (u->kind != QKV__UNKNOWN_FAMILY || !u->orthogonal || u->holds_values) continue;
            drawn.rows = u->rows;
            raise_dimension(replay, &drawn, level);
        }
        if (!size_of(replay, &drawn, drawn.dimension, 1, &replay->dimension)) return false;
    }
    return true;
}

/* Families at right angles need as many dimensions as members. A dimension that is declared is that
 * of all values, or of all other vectors. */
static bool choose_widths(qkv__replay *replay, int level, bool one_width)
{
    replay->dimension = replay->listed[0] > 0 ? replay->listed[0] : draw_width(replay, level);
    replay->value_dimension = replay->listed[1] > 0 ? replay->listed[1] : draw_width(replay, level);
    bool products = false;
    for (size_t i = 0; i < replay->premise_count; i++)
        products = products || qkv__search_has_products(replay->premise[i].node);
    if (products && replay->listed[0] == 0 && qkv__search_draw(replay, 4) > 0)
        replay->dimension = 8 + 4 * qkv__search_draw(replay, 3); /* room for any lengths */
    for (size_t i = 0; i < replay->unknown_count; i++) {
        qkv__unknown *u = &replay->unknown[i];
        if (u->kind != QKV__UNKNOWN_FAMILY) continue;
        if (!count_members(replay, u)) return false;
        size_t *width = u->holds_values ? &replay->value_dimension : &replay->dimension;
        bool open = u->dimension == NULL && replay->listed[u->holds_values] == 0;
        if (u->orthogonal && open && *width < u->rows) *width = u->rows;
        if (u->spherical && open && is_general(replay, u) && *width < 2) *width = 2;
        if (u->orthogonal && u->dimension != NULL) raise_dimension(replay, u, level);
    }
    if (!choose_drawn_width(replay, level)) return false;
    for (size_t i = 0; i < replay->unknown_count; i++) {
        const qkv__unknown *u = &replay->unknown[i];
        size_t *width = u->holds_values ? &replay->value_dimension : &replay->dimension;
        if (u->kind == QKV__UNKNOWN_FAMILY && u->dimension != NULL &&
            !size_of(replay, u, u->dimension, 1, width))
            return false;
    }
    if (one_width && replay->value_dimension > replay->dimension)
        replay->dimension = replay->value_dimension;
    if (one_width) replay->value_dimension = replay->dimension;
    return true;
}

static bool set_shape(qkv__replay *replay, qkv__unknown *u)
{
    const qkv__node *declared = u->declared;
    size_t sizes = u->kind == QKV__UNKNOWN_FAMILY || declared->kind != QKV__NODE_INDEX
                       ? 0
                       : declared->count - 1;
    switch (u->kind) {
    case QKV__UNKNOWN_VECTOR:
        u->rows = replay->dimension;
        u->columns = 1;
        break;
    case QKV__UNKNOWN_FAMILY:
        u->columns = u->holds_values ? replay->value_dimension : replay->dimension;
        if (u->dimension != NULL && !size_of(replay, u, u->dimension, 1, &u->columns)) return false;
        if (u->orthogonal && u->columns < u->rows)
            return qkv__bench_fail(&replay->bench, QKV__OBSTACLE_VAGUE);
        break;
    default: break;
    }
    if (sizes >= 1 && !size_of(replay, u, declared->child[1], 1, &u->rows)) return false;
    if (sizes >= 2 && !size_of(replay, u, declared->child[2], 1, &u->columns)) return false;
    if (u->kind == QKV__UNKNOWN_PERMUTATION) u->columns = u->rows;
    /* Too many values for slots: a few unit vectors, and 0 for the others. */
    bool many = u->holds_values && !u->orthogonal && u->norm == NULL && u->names == NULL &&
                u->rows > MANY && u->columns <= QKV__REPLAY_SIDE;
    const bool wide = u->columns > QKV__REPLAY_SIDE ||
                      replay->slot_count + u->rows * u->columns > QKV__REPLAY_SLOTS / 2;
    u->axes = (u->orthogonal && wide) || many;
    bool fits = (u->columns <= QKV__REPLAY_SIDE || u->axes) && u->columns <= LARGEST_SIZE &&
                u->rows <= LARGEST_SIZE &&
                replay->slot_count + qkv__unknown_slots(u) <= QKV__REPLAY_SLOTS;
    if (!fits) return qkv__bench_fail(&replay->bench, QKV__OBSTACLE_ROOM);
    u->offset = replay->slot_count;
    replay->slot_count += qkv__unknown_slots(u);
    return true;
}

/* ---- Indices ------------------------------------------------------------------------------- */

static bool index_collides(const qkv__replay *replay, size_t at, int64_t value)
{
    const qkv__unknown *u = &replay->unknown[at];
    for (size_t i = 0; i < at; i++) {
        const qkv__unknown *other = &replay->unknown[i];
        if (u->distinct && other->kind == QKV__UNKNOWN_INDEX && other->statement == u->statement &&
            replay->slot[other->offset].numerator == value)
            return true;
    }
    return false;
}

/* for i not in {a, b}, for i in {a, b}: flags of the numbers that are left. */
static bool index_outside(qkv__replay *replay, const qkv__unknown *u, size_t count, bool *allowed)
{
    qkv__scene scene = {.replay = replay, .position = replay->statement_count};
    const qkv__node *sets[] = {u->outside, u->also_outside};
    for (size_t s = 0; s < 2; s++) {
        const qkv__node *over = sets[s];
        size_t listed = over == NULL ? 0 : over->kind == QKV__NODE_SET ? over->count : 1;
        for (size_t i = 0; i < listed; i++) {
            size_t member;
            if (!qkv__replay_member(&scene, over->kind == QKV__NODE_SET ? over->child[i] : over,
                                    NULL, count, &member))
                return false;
            if (member < count) allowed[member] = false;
        }
    }
    if (u->inside == NULL) return true;
    bool *listed = qkv__arena_array(&replay->bench.arena, count, sizeof *listed);
    if (listed == NULL) return qkv__bench_fail(&replay->bench, QKV__OBSTACLE_ROOM);
    for (size_t i = 0; i < count; i++) listed[i] = false;
    for (size_t i = 0; i < u->inside->count; i++) {
        size_t member;
        if (!qkv__replay_member(&scene, u->inside->child[i], NULL, count, &member)) return false;
        if (member < count) listed[member] = true;
    }
    for (size_t i = 0; i < count; i++) allowed[i] = allowed[i] && listed[i];
    return true;
}

/* The first that is left, mostly, so that a is 1 and b is 2. */
static bool choose_index(qkv__replay *replay, size_t at, int level)
{
    qkv__unknown *u = &replay->unknown[at];
    size_t count, first, left = 0;
    if (!size_of(replay, u, u->declared->child[1], 1, &count) ||
        !size_of(replay, u, u->declared->child[0], 1, &first))
        return false;
    bool *allowed = qkv__arena_array(&replay->bench.arena, count, sizeof *allowed);
    if (allowed == NULL) return qkv__bench_fail(&replay->bench, QKV__OBSTACLE_ROOM);
    for (size_t i = 0; i < count; i++)
        allowed[i] = i + 1 >= first && !index_collides(replay, at, (int64_t)i + 1);
    if (!index_outside(replay, u, count, allowed)) return false;
    for (size_t i = 0; i < count; i++) left += allowed[i];
    if (left == 0) return qkv__bench_fail(&replay->bench, QKV__OBSTACLE_VAGUE);
    size_t skip =
        qkv__search_draw(replay, 4) < (size_t)(4 - level) ? 0 : qkv__search_draw(replay, left);
    for (size_t i = 0; i < count; i++)
        if (allowed[i] && skip-- == 0) {
            replay->slot[u->offset] = whole((int64_t)i + 1);
            break;
        }
    return true;
}

/* ---- Vectors and matrices ------------------------------------------------------------------ */

typedef enum pattern {
    ZERO,
    ONES,      /* all 1 */
    CORNER,    /* a 1 in the first place */
    DIAGONAL,  /* 1 along the diagonal: unit vectors, the identity */
    SHIFTED,   /* columns of the identity, beginning anywhere */
    PLACED,    /* one number anywhere */
    EQUAL,     /* the same row throughout */
    OPPOSITE,  /* a row and its opposite in turn */
    FAR,       /* one row far away */
    RISING,    /* 1, 2, 3 ... along the diagonal */
    SHUFFLED,  /* a 1 in every row, each in another column where there are enough */
    BITS,      /* 0 and 1 */
    SIGNED,    /* -2 to 2 */
    SYMMETRIC, /* 0, 1 and 2, mirrored */
    UNITS,     /* rows of length 1 */
    FRACTIONS, /* halves and quarters */
    LARGE,     /* magnitudes up to 1000 */
    PATTERNS,
} pattern;

static qkv__rational small_number(qkv__replay *replay)
{
    return whole((int64_t)qkv__search_draw(replay, 5) - 2);
}

static qkv__rational large_number(qkv__replay *replay)
{
    static const int64_t sizes[] = {0, 1, 3, 10, 30, 100, 1000};
    int64_t size = sizes[qkv__search_draw(replay, sizeof sizes / sizeof sizes[0])];
    return whole(qkv__search_draw(replay, 2) == 0 ? size : -size);
}

typedef struct frame {
    size_t rows, columns, shift, place;
    qkv__rational far;
} frame;

static qkv__rational entry_of(qkv__replay *replay, pattern kind, const frame *f, size_t i, size_t j)
{
    bool diagonal = i == j;
    switch (kind) {
    case ONES: return whole(1);
    case CORNER: return whole(i == 0 && j == 0);
    case DIAGONAL: return whole(diagonal);
    case SHIFTED: return whole(i == j + f->shift);
    case PLACED: return i * f->columns + j == f->place ? f->far : whole(0);
    case RISING: return whole(diagonal ? (int64_t)i + 1 : 0);
    case FAR: return i == f->shift && j == 0 ? f->far : whole(0);
    case BITS: return whole((int64_t)qkv__search_draw(replay, 2));
    case SYMMETRIC: return whole((int64_t)qkv__search_draw(replay, 3));
    case EQUAL:
    case OPPOSITE:
    case SIGNED: return small_number(replay);
    case FRACTIONS:
        if (f->place % 2 == 0)
            return qkv__rational_make((int64_t)qkv__search_draw(replay, 5) - 2, 2);
        return qkv__rational_make((int64_t)qkv__search_draw(replay, 17) - 8, 4);
    case LARGE: return large_number(replay);
    default: return whole(0);
    }
}

static void shuffle(qkv__replay *replay, bool simple, size_t count, size_t *order)
{
    for (size_t i = 0; i < count; i++) order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t k = simple ? (i == 2 ? 0 : i - 1) : qkv__search_draw(replay, i);
        size_t kept = order[i - 1];
        order[i - 1] = order[k];
        order[k] = kept;
    }
}

/* Unit vectors of the axes as rows, as far as there are axes. */
static void fill_axes(qkv__replay *replay, bool simple, size_t rows, size_t columns,
                      qkv__rational *entry)
{
    size_t order[QKV__REPLAY_SIDE];
    shuffle(replay, simple, columns, order);
    for (size_t i = 0; i < rows * columns; i++) entry[i] = whole(0);
    for (size_t i = 0; i < rows && i < columns; i++) entry[i * columns + order[i]] = whole(1);
}

/* Rows at right angles and of length 1: axes, with signs, and a plane turned by the angle of the
 * 3-4-5 triangle. */
static void fill_orthonormal(qkv__replay *replay, int level, const qkv__unknown *u,
                             qkv__rational *entry)
{
    bool plain = qkv__search_draw(replay, 4) < (size_t)(4 - level);
    for (size_t i = 0; i < u->rows * u->columns; i++)
        entry[i] = whole(i % u->columns == i / u->columns);
    if (plain) return;
    fill_axes(replay, false, u->rows, u->columns, entry);
    for (size_t i = 0; i < u->rows * u->columns; i++)
        if (qkv__search_draw(replay, 2) == 0 && entry[i].numerator != 0) entry[i] = whole(-1);
    if (u->columns < 2 || qkv__search_draw(replay, 2) == 0) return;
    size_t a = qkv__search_draw(replay, u->columns);
    size_t b = (a + 1 + qkv__search_draw(replay, u->columns - 1)) % u->columns;
    qkv__rational c = qkv__rational_make(3, 5), s = qkv__rational_make(4, 5);
    for (size_t i = 0; i < u->rows; i++) { /* entries are 0 and +-1, so that nothing is lost */
        qkv__rational x = entry[i * u->columns + a], y = entry[i * u->columns + b];
        entry[i * u->columns + a] =
            qkv__rational_subtract(qkv__rational_multiply(c, x), qkv__rational_multiply(s, y));
        entry[i * u->columns + b] =
            qkv__rational_add(qkv__rational_multiply(s, x), qkv__rational_multiply(c, y));
    }
}

/* Rows of length 1, each by itself: an axis, two sides of the 3-4-5 triangle, four halves. */
static void fill_units(qkv__replay *replay, const qkv__unknown *u, qkv__rational *entry)
{
    for (size_t i = 0; i < u->rows * u->columns; i++) entry[i] = whole(0);
    for (size_t i = 0; i < u->rows; i++) {
        qkv__rational *row = entry + i * u->columns;
        size_t a = qkv__search_draw(replay, u->columns), b = (a + 1) % u->columns;
        size_t kind = qkv__search_draw(replay, 4);
        int64_t sign = qkv__search_draw(replay, 3) == 0 ? -1 : 1;
        bool halves = kind == 0 && u->columns >= 4, turned = kind == 1 && u->columns >= 2;
        row[a] = turned ? qkv__rational_make(3 * sign, 5) : whole(sign);
        if (turned) row[b] = qkv__rational_make(4, 5);
        for (size_t j = 0; halves && j < 4; j++)
            row[(a + j) % u->columns] = qkv__rational_make(j == 0 ? sign : 1, 2);
    }
}

/* Points that stereographic projection takes to unit vectors: 0 and 1 to axes, 1/2 to 4/5 and 3/5.
 */
static void fill_sphere(qkv__replay *replay, const qkv__unknown *u, int level, qkv__rational *entry)
{
    static const qkv__rational points[] = {{0, 1}, {0, 1}, {1, 1}, {-1, 1}, {1, 2},  {-1, 2},
                                           {2, 1}, {1, 3}, {3, 5}, {4, 5},  {-3, 5}, {-4, 5}};
    size_t count = level == 0 ? 4 : sizeof points / sizeof points[0];
    for (size_t i = 0; i < u->rows * u->columns; i++) {
        bool last = i % u->columns == u->columns - 1;
        bool any = is_general(replay, u) || (level > 1 && qkv__search_draw(replay, 2) == 0);
        entry[i] = points[qkv__search_draw(replay, count)];
        if (any)
            entry[i] = qkv__rational_make((int64_t)qkv__search_draw(replay, 81) - 40,
                                          1 + (int64_t)qkv__search_draw(replay, 20));
        if (last) entry[i] = whole(qkv__search_draw(replay, 2) == 0 ? 1 : -1);
    }
}

static void fill_pattern(qkv__replay *replay, pattern kind, const qkv__unknown *u,
                         qkv__rational *entry)
{
    static const int64_t far[] = {1, 2, -1, 10, 100, 1000, -100};
    frame f = {.rows = u->rows, .columns = u->columns, .shift = qkv__search_draw(replay, u->rows)};
    f.place = qkv__search_draw(replay, u->rows * u->columns);
    f.far = whole(far[qkv__search_draw(replay, kind == FAR ? 7 : 3)]);
    if (kind == SHUFFLED && u->columns <= QKV__REPLAY_SIDE) {
        fill_axes(replay, false, u->rows, u->columns, entry);
        return;
    }
    if (kind == UNITS) {
        fill_units(replay, u, entry);
        return;
    }
    for (size_t i = 0; i < u->rows; i++)
        for (size_t j = 0; j < u->columns; j++)
            entry[i * u->columns + j] = entry_of(replay, kind, &f, i, j);
    bool repeats = kind == EQUAL || kind == OPPOSITE;
    for (size_t i = 1; repeats && i < u->rows; i++)
        for (size_t j = 0; j < u->columns; j++)
            entry[i * u->columns + j] =
                kind == OPPOSITE && i % 2 == 1 ? qkv__rational_negate(entry[j]) : entry[j];
    for (size_t i = 0; kind == SYMMETRIC && i < u->rows && i < u->columns; i++)
        for (size_t j = 0; j < i; j++) entry[i * u->columns + j] = entry[j * u->columns + i];
}

/* What premises tie is often a length: then unit vectors are tried more often. */
static void fill(qkv__replay *replay, const qkv__unknown *u, int level, bool tied)
{
    static const qkv__rational factors[] = {{1, 1},  {1, 1},   {1, 1},    {1, 1},  {1, 1},
                                            {10, 1}, {100, 1}, {1000, 1}, {1, 10}, {1, 100}};
    qkv__rational *entry = replay->slot + u->offset;
    if (u->rows == 0 || u->axes) return;
    if (u->kind == QKV__UNKNOWN_PERMUTATION) {
        fill_axes(replay, level == 0 || qkv__search_draw(replay, 3) != 0, u->rows, u->rows, entry);
        return;
    }
    if (u->orthogonal) {
        fill_orthonormal(replay, level, u, entry);
        return;
    }
    if (replay->on_line && !is_general(replay, u) && qkv__search_fill_line(replay, u, entry))
        return;
    if (u->spherical) {
        fill_sphere(replay, u, level, entry);
        return;
    }
    if (is_general(replay, u)) {
        for (size_t i = 0; i < u->rows * u->columns; i++)
            entry[i] = whole((int64_t)qkv__search_draw(replay, 199) - 99);
        return;
    }
    pattern kind = (pattern)qkv__search_draw(replay, level == 0 ? BITS : PATTERNS);
    if (tied && qkv__search_draw(replay, 3) == 0) kind = UNITS;
    fill_pattern(replay, kind, u, entry);
    qkv__rational factor = factors[qkv__search_draw(replay, level == 0 ? 6 : 10)];
    for (size_t i = 0; kind != LARGE && kind != UNITS && i < u->rows * u->columns; i++)
        entry[i] = qkv__rational_multiply(entry[i], factor);
}

/* ---- A case -------------------------------------------------------------------------------- */

/* Fills one unknown until the premises hold that it completes; what still does not may be solved
 * for. */
static void fill_until_good(qkv__replay *replay, size_t at, uint64_t filled, int level)
{
    uint64_t bit = UINT64_C(1) << at;
    bool tied = false;
    for (size_t i = 0; i < replay->premise_count; i++)
        tied = tied || ((replay->premise[i].unknowns & bit) != 0 &&
                        (replay->premise[i].unknowns & ~(filled | bit)) == 0);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        fill(replay, &replay->unknown[at], level, tied);
        if (!tied || qkv__replay_premises_hold(replay, filled | bit, bit)) return;
    }
}

/* One unknown as far out as the numbers of the claim and beyond, or as small as they are. Of the
 * counter, so that claims without such numbers are tried as they are. */
static void go_far(qkv__replay *replay, const qkv__mentioned *mentioned)
{
    const qkv__rational *scale = mentioned->scale;
    if (mentioned->scale_count == 0 || replay->unknown_count == 0 || replay->counter % 3 != 0)
        return;
    const size_t turn = (size_t)(replay->counter / 3);
    const qkv__unknown *u = &replay->unknown[turn % replay->unknown_count], *owner;
    const qkv__rational factor = scale[turn / replay->unknown_count % mentioned->scale_count];
    for (size_t i = 0; i < qkv__unknown_slots(u); i++) {
        qkv__rational *slot = &replay->slot[u->offset + i];
        qkv__rational value = qkv__rational_multiply(*slot, factor);
        if (!u->spherical && qkv__slot_is_free(replay, u->offset + i, &owner) &&
            qkv__bounds_allow(u, value))
            *slot = value;
    }
}

/* One parameter at a number of the claim, which may be where something vanishes. */
static void go_to(qkv__replay *replay, const qkv__mentioned *mentioned)
{
    const qkv__unknown *owner;
    if (mentioned->count == 0 || replay->unknown_count == 0 || replay->counter % 3 != 1) return;
    const size_t turn = (size_t)(replay->counter / 3);
    const qkv__unknown *u = &replay->unknown[turn % replay->unknown_count];
    const qkv__rational value = mentioned->number[turn / replay->unknown_count % mentioned->count];
    if (u->kind == QKV__UNKNOWN_PARAMETER && qkv__slot_is_free(replay, u->offset, &owner) &&
        qkv__bounds_allow(u, value))
        replay->slot[u->offset] = value;
}

bool qkv__search_choose(qkv__replay *replay, int level, bool one_width)
{
    uint64_t filled = 0;
    replay->slot_count = 0;
    replay->draw = (qkv__replay_draw){.seed = qkv__search_draw(replay, SIZE_MAX)};
    qkv__replay_begin_case(replay);
    qkv__mentioned mentioned = {.count = 0};
    if (level > 0) qkv__search_mentioned(replay, &mentioned);
    replay->on_line = qkv__search_takes_line(replay, level);
    if (!choose_parameters(replay, level)) return false;
    go_to(replay, &mentioned);
    for (size_t i = 0; i < replay->premise_count; i++) fill_circle(replay, replay->premise[i].node);
    fill_circle(replay, replay->proposition);
    if (!choose_widths(replay, level, one_width)) return false;
    for (size_t i = 0; i < replay->unknown_count; i++) {
        qkv__unknown *u = &replay->unknown[i];
        bool simple = u->kind == QKV__UNKNOWN_PARAMETER || u->kind == QKV__UNKNOWN_INDEX;
        if (simple) filled |= UINT64_C(1) << i;
        if (u->kind == QKV__UNKNOWN_INDEX && u->outside == NULL && u->inside == NULL &&
            !choose_index(replay, i, level))
            return false;
        if (!simple && !set_shape(replay, u)) return false;
    }
    for (size_t i = 0; i < replay->unknown_count;
         i++) { /* once those are there that it may not be */
        const qkv__unknown *u = &replay->unknown[i];
        if (u->kind == QKV__UNKNOWN_INDEX && (u->outside != NULL || u->inside != NULL) &&
            !choose_index(replay, i, level))
            return false;
    }
    for (size_t i = 0; i < replay->unknown_count; i++) {
        if ((filled >> i & 1) != 0) continue;
        fill_until_good(replay, i, filled, level);
        filled |= UINT64_C(1) << i;
    }
    go_far(replay, &mentioned);
    qkv__search_give_products(replay);
    qkv__search_tie(replay);
    return true;
}

bool qkv__slot_is_free(const qkv__replay *replay, size_t slot, const qkv__unknown **owner)
{
    for (size_t i = 0; i < replay->unknown_count; i++) {
        const qkv__unknown *u = &replay->unknown[i];
        if (slot < u->offset || slot >= u->offset + qkv__unknown_slots(u)) continue;
        *owner = u;
        if (u->spherical) return (slot - u->offset) % u->columns != u->columns - 1;
        return u->kind != QKV__UNKNOWN_INDEX && u->kind != QKV__UNKNOWN_PERMUTATION &&
               !u->is_size && !u->in_size && !u->whole && !u->orthogonal;
    }
    return false;
}
