/*
 * The search for a counterexample. Four levels, each with larger and wilder cases than the one
 * before. At each, cases are drawn; from those that came nearest to a counterexample the search
 * descends, changing numbers for as long as that makes the margin smaller by which the claim holds.
 * What is found is made smaller for as long as it stays one, and the simplest of several is shown.
 */
#include "claim/search/search.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "claim/model/table_file.h"
#include "claim/premise/given.h"
#include "claim/search/search_part.h"
#include "language/builtin.h"

enum {
    LEVELS = 4,
    TRIES = 2000,       /* in which the premises hold, before a claim is supported */
    SUPPORT = 100,      /* fewer of them support nothing */
    ODD_DRAWS = 3,      /* a draw may be one of those that have no probability */
    DRAWN_FOR_EACH = 3, /* cases drawn at most for each that is wanted */
    SUCCESSES = 6,      /* of which the simplest is shown */
    STARTS = 6,         /* cases of a level from which one descends */
    FEW = 2,            /* of them, where a verdict is but replayed */
    ROUNDS = 12,        /* over all numbers, with steps of one size */
    SHAPE_TRIES = 24,   /* before all vectors get one width */
    LARGEST = 1000000,  /* numerators and denominators when descending */
};

/* Reals touched in all: what bounds the time of a claim with large vectors. */
static const size_t OPERATIONS = 4000000;

typedef struct search {
    qkv__replay replay;
    size_t start_count;
    size_t operations;         /* when to end a descent */
    size_t budget;             /* of operations, for all */
    bool stirs[QKV__UNKNOWNS]; /* changes of it make a difference to the margin */
    size_t changes, wanted, met, drawn, missed, shape_failures, undefined, too_large;
    size_t met_when_drawn; /* of those that were met: not by changing another */
    size_t odd_draws;      /* draws for which a limit seems to fail */
    size_t successes;
    bool one_width, unable, unseen;
    size_t certain;       /* instances at which the claim holds for certain: with random keys */
    size_t looked, sharp; /* instances of the last effort; those at which the sides of an equation
                             are as near as one can see */
    bool equations;       /* a counterexample must satisfy some */

    /* Large, and not cleared: what was kept counts. */
    qkv__kept_case nearest, best;
    qkv__kept_case start[STARTS]; /* that came nearest, of the level at hand */
} search;

/* ---- Trying -------------------------------------------------------------------------------- */

static void take_success(search *s)
{
    bool large = false; /* too large to be made smaller bit by bit */
    for (size_t i = 0; i < s->replay.unknown_count; i++) large = large || s->replay.unknown[i].axes;
    if (s->unseen || large) { /* that there is one is enough */
        s->successes = SUCCESSES;
        s->best.weight = 0;
        qkv__case_keep(&s->replay, &s->best);
        return;
    }
    size_t weight = qkv__search_shrink(&s->replay, OPERATIONS);
    if (weight == SIZE_MAX) return;
    s->successes++;
    if (weight >= s->best.weight) return;
    qkv__case_keep(&s->replay, &s->best);
    s->best.weight = weight;
}

static void keep_start(search *s, double margin);

/* Counts what came of a case; true for a counterexample. */
static bool take_case(search *s, qkv__judgement judgement, double margin)
{
    qkv__obstacle obstacle = s->replay.bench.obstacle;
    if (judgement == QKV__CASE_VOID && obstacle == QKV__OBSTACLE_UNABLE) s->unable = true;
    if (judgement == QKV__CASE_VOID && obstacle == QKV__OBSTACLE_SHAPE) s->shape_failures++;
    if (judgement == QKV__CASE_VOID && obstacle == QKV__OBSTACLE_UNDEFINED && s->replay.given)
        s->undefined++;
    if (judgement == QKV__CASE_VOID && obstacle == QKV__OBSTACLE_ROOM) s->too_large++;
    if (judgement == QKV__CASE_MISSED) s->missed++;
    if (judgement == QKV__CASE_HOLDS) s->met++, s->met_when_drawn++;
    if (judgement == QKV__CASE_REFUTES) return true;
    if (judgement != QKV__CASE_VOID && margin < INFINITY) keep_start(s, margin);
    return false;
}

static void try_one(search *s, int level)
{
    double margin = INFINITY;
    s->drawn++;
    bool chosen = qkv__search_choose(&s->replay, level, s->one_width);
    if (!chosen) {
        take_case(s, QKV__CASE_VOID, margin);
        return;
    }
    qkv__judgement judgement = qkv__replay_judge(&s->replay, &margin);
    bool open = judgement == QKV__CASE_MISSED || judgement == QKV__CASE_HOLDS;
    if (open && s->equations && qkv__search_solve(&s->replay))
        judgement = qkv__replay_judge(&s->replay, &margin);
    if (take_case(s, judgement, margin)) take_success(s);
}

/* ---- Descending ---------------------------------------------------------------------------- */

/* Judges the case with one number changed, and goes back where that brings it no nearer. True for a
 * counterexample. */
static bool try_change(search *s, size_t slot, qkv__rational after, double *reached)
{
    qkv__replay *replay = &s->replay;
    const qkv__unknown *owner;
    const qkv__rational before = replay->slot[slot];
    double margin = INFINITY;
    if (qkv__rational_is_lost(after) || llabs(after.numerator) > LARGEST ||
        after.denominator > LARGEST || !qkv__slot_is_free(replay, slot, &owner) ||
        (owner->kind == QKV__UNKNOWN_PARAMETER && !qkv__bounds_allow(owner, after)))
        return false;
    replay->slot[slot] = after;
    s->changes++;
    qkv__judgement judgement = qkv__replay_judge(replay, &margin);
    if (judgement == QKV__CASE_REFUTES) return true;
    if (judgement == QKV__CASE_HOLDS) s->met++;
    if (margin != *reached) s->stirs[owner - replay->unknown] = true;
    if (judgement != QKV__CASE_VOID && margin < *reached)
        *reached = margin;
    else
        replay->slot[slot] = before;
    return false;
}

/* Whether an unknown makes no difference, by its first numbers: values where weights are claimed.
 */
static bool is_idle(const search *s, const qkv__unknown *owner, size_t slot)
{
    enum { LOOKED_AT = 3 };
    return slot >= owner->offset + LOOKED_AT && !s->stirs[owner - s->replay.unknown];
}

/* All numbers once, by a step up and down, doubled and halved, and what stands elsewhere. */
static bool sweep(search *s, qkv__rational step, double *reached)
{
    qkv__replay *replay = &s->replay;
    static const qkv__rational factors[] = {{2, 1}, {1, 2}, {-1, 1}, {10, 1}};
    for (size_t slot = 0; slot < replay->slot_count; slot++) {
        const qkv__unknown *owner;
        if (replay->bench.operations >= s->operations) return false;
        if (!qkv__slot_is_free(replay, slot, &owner) || is_idle(s, owner, slot)) continue;
        for (int way = -1; way <= 1; way += 2) {
            qkv__rational change = way < 0 ? qkv__rational_negate(step) : step;
            if (try_change(s, slot, qkv__rational_add(replay->slot[slot], change), reached))
                return true;
        }
        for (size_t i = 0; step.denominator == 1 && i < sizeof factors / sizeof factors[0]; i++)
            if (try_change(s, slot, qkv__rational_multiply(replay->slot[slot], factors[i]),
                           reached))
                return true;
        size_t other = qkv__search_draw(replay, replay->slot_count);
        if (try_change(s, slot, replay->slot[other], reached)) return true;
    }
    return false;
}

/* From one case downhill: smaller steps where larger ones lead no farther. True for a
 * counterexample. */
static bool descend(search *s, const qkv__kept_case *start)
{
    static const qkv__rational steps[] = {{8, 1}, {1, 1}, {1, 4}, {1, 16}, {1, 64}, {1, 256}};
    double reached = start->margin;
    qkv__case_restore(&s->replay, start);
    memset(s->stirs, 0, sizeof s->stirs);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        double before = INFINITY;
        for (int round = 0; round < ROUNDS && reached < before; round++) {
            before = reached;
            if (sweep(s, steps[i], &reached)) return true;
            if (s->replay.bench.operations >= s->operations) return false;
        }
    }
    return false;
}

/* Keeps the cases that came nearest, to descend from. */
static void keep_start(search *s, double margin)
{
    size_t worst = 0;
    if (s->start_count < STARTS) {
        worst = s->start_count++;
    } else {
        for (size_t i = 1; i < STARTS; i++)
            if (s->start[i].margin > s->start[worst].margin) worst = i;
        if (margin >= s->start[worst].margin) return;
    }
    qkv__case_keep(&s->replay, &s->start[worst]);
    s->start[worst].margin = margin;
}

/* The cases of a level that came nearest, each downhill; a share of what may be spent for each. */
static void descend_all(search *s)
{
    const size_t starts = s->wanted < TRIES && s->start_count > FEW ? FEW : s->start_count;
    for (size_t i = 0; i < starts && s->successes == 0 && !s->unable; i++) {
        size_t left =
            OPERATIONS > s->replay.bench.operations ? OPERATIONS - s->replay.bench.operations : 0;
        if (left > 2 * s->budget) left = 2 * s->budget;
        s->operations = s->replay.bench.operations + left / (8 * (starts - i));
        if (descend(s, &s->start[i])) take_success(s);
    }
    s->start_count = 0;
}

/* Each level has a share of what may be spent, so that large cases leave something to the last. */
static bool go_on(const search *s, size_t drawn, int level)
{
    return !s->unable && s->drawn < drawn && s->successes < SUCCESSES &&
           s->replay.bench.operations < s->budget / LEVELS * (size_t)(level + 1);
}

/* One level: a share of the tries; stops early when enough was found. */
static void search_level(search *s, int level)
{
    size_t met = s->wanted * (size_t)(level + 1) / LEVELS;
    size_t drawn = DRAWN_FOR_EACH * met;
    while (go_on(s, drawn, level) && s->met_when_drawn < met) {
        try_one(s, level);
        if (!s->one_width && s->shape_failures == s->drawn && s->drawn == SHAPE_TRIES)
            s->one_width = true;
    }
    bool replays = s->wanted < TRIES && level + 1 < LEVELS; /* from the nearest of all levels */
    bool has_margin = s->replay.proposition->kind != QKV__NODE_EXISTS;
    if (!s->unable && s->successes == 0 && !replays && has_margin) descend_all(s);
}

/* ---- What is shown ------------------------------------------------------------------------- */

/* Whether the comparison is still the same, to the last printed digit, with any other numbers in
 * the place of one unknown. */
static bool stays(search *s, const qkv__unknown *u, const char *before)
{
    static const int64_t ranges[] = {3, 21, 201, 2001};
    qkv__text now = {0};
    double margin;
    int64_t range = ranges[qkv__search_draw(&s->replay, 4)];
    for (size_t i = 0; i < qkv__unknown_slots(u); i++) {
        qkv__rational *at = &s->replay.slot[u->offset + i];
        *at = qkv__rational_whole((int64_t)qkv__search_draw(&s->replay, (size_t)range) - range / 2);
        if (u->kind == QKV__UNKNOWN_PARAMETER && !qkv__bounds_allow(u, *at)) return false;
    }
    bool same = qkv__replay_judge(&s->replay, &margin) == QKV__CASE_REFUTES;
    if (same && s->replay.seen.node != NULL) qkv__search_write_comparison(&s->replay, &now);
    same = same && now.data != NULL && strcmp(now.data, before) == 0;
    qkv__text_free(&now);
    return same;
}

/* Values do not matter where only weights are claimed: what does not matter is not shown. What was
 * hidden keeps its other numbers, since two unknowns may each be idle because the other is 0. */
static void hide_idle(search *s)
{
    enum { VARIANTS = 12 };
    qkv__text before = {0};
    qkv__kept_case *k = &s->nearest;
    qkv__case_keep(&s->replay, k);
    if (s->replay.seen.node != NULL) qkv__search_write_comparison(&s->replay, &before);
    for (size_t i = s->replay.unknown_count; before.data != NULL && i-- > 0;) {
        qkv__unknown *u = &s->replay.unknown[i];
        const qkv__unknown *owner;
        bool idle = u->shown && qkv__slot_is_free(&s->replay, u->offset, &owner);
        for (int v = 0; v < VARIANTS && idle; v++) idle = stays(s, u, before.data);
        if (idle) {
            u->shown = false;
            qkv__case_keep(&s->replay, k);
        }
        qkv__case_restore(&s->replay, k);
    }
    qkv__case_restore(&s->replay, &s->best);
    qkv__text_free(&before);
}

static bool has_equation(const qkv__node *node)
{
    bool found = node->kind == QKV__NODE_COMPARE &&
                 (node->comparison == QKV__EQUAL || node->comparison == QKV__NOT_EQUAL);
    for (size_t i = 0; i < node->count && !found; i++) found = has_equation(node->child[i]);
    return found;
}

static bool run(search *s, qkv__text *text)
{
    double margin;
    s->equations = has_equation(s->replay.proposition);
    for (size_t i = 0; i < s->replay.premise_count && !s->equations; i++)
        s->equations = has_equation(s->replay.premise[i].node);
    s->best.weight = SIZE_MAX;
    for (int level = 0; level < LEVELS && s->successes == 0 && !s->unable; level++)
        search_level(s, level);
    if (s->best.weight == SIZE_MAX) return false;
    qkv__case_restore(&s->replay, &s->best);
    if (qkv__replay_judge(&s->replay, &margin) != QKV__CASE_REFUTES) {
        s->unable = true;
        return false;
    }
    if (s->unseen) return true;
    hide_idle(s);
    qkv__replay_judge(&s->replay, &margin);
    qkv__search_write(&s->replay, text);
    return true;
}

/* ---- Limits -------------------------------------------------------------------------------- */

/* Whether a number stands in a tree that is larger, or smaller, than so much: 1000000, 10^6. */
static bool has_extreme(const qkv__node *node, int64_t large)
{
    const qkv__rational value = node->value;
    enum { LARGE_EXPONENT = 20 };
    if (node->kind == QKV__NODE_POWER) {
        const qkv__node *base = node->child[0], *exponent = node->child[1];
        if (has_extreme(exponent, LARGE_EXPONENT)) return true;
        if (base->kind == QKV__NODE_NUMBER && exponent->kind == QKV__NODE_NUMBER &&
            fabs(qkv__rational_approximate(exponent->value) *
                 log(fabs(qkv__rational_approximate(base->value)))) > log((double)large))
            return true;
    }
    if (node->kind == QKV__NODE_NUMBER && value.numerator != 0 &&
        (llabs(value.numerator) / value.denominator > large ||
         value.denominator / llabs(value.numerator) > large))
        return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_extreme(node->child[i], large)) return true;
    return false;
}

/* Whether no number is so large that a limit would show beyond the end of a path alone: e^660; or
 * beta > 5000, where beta, the last of several, goes to 4096. */
static bool is_tame(const qkv__replay *replay)
{
    enum { LARGE = 20, FAR_ALONE = 1 << 20, FAR_BEHIND_OTHERS = 16 };
    const int64_t far = replay->limit_count > 1 ? FAR_BEHIND_OTHERS : FAR_ALONE;
    if (has_extreme(replay->proposition, far)) return false;
    for (size_t i = 0; i < replay->statement_count; i++)
        for (size_t n = 0; n < replay->statement[i]->count; n++)
            if (has_extreme(replay->statement[i]->node[n], far)) return false;
    for (size_t i = 0; i < replay->unknown_count; i++) {
        const qkv__unknown *u = &replay->unknown[i];
        bool limit = u->kind == QKV__UNKNOWN_INDEX || u->is_size || u->in_size;
        for (size_t l = 0; l < replay->limit_count; l++)
            limit = limit || replay->limit[l].unknown == (int)i;
        for (size_t j = 0; !limit && !u->holds_values && j < qkv__unknown_slots(u); j++) {
            qkv__rational value = replay->slot[u->offset + j];
            if (llabs(value.numerator) > LARGE * value.denominator) return false;
            if (value.numerator != 0 && value.denominator > LARGE * llabs(value.numerator))
                return false;
        }
    }
    return true;
}

/* Whether everything beside a size that tends to infinity is a small number, or a family that can
 * grow with it: keys at right angles, and values. */
static bool can_grow(const qkv__replay *replay)
{
    enum { LARGE = 3 };
    for (size_t i = 0; i < replay->unknown_count; i++) {
        const qkv__unknown *u = &replay->unknown[i];
        const bool limit = replay->limit[0].unknown == (int)i;
        if (u->kind == QKV__UNKNOWN_INDEX || limit || (u->axes && u->dimension == NULL)) continue;
        if (u->kind != QKV__UNKNOWN_PARAMETER || u->is_size || u->in_size) return false;
        const qkv__rational value = replay->slot[u->offset];
        if (llabs(value.numerator) > LARGE * value.denominator) return false;
    }
    return true;
}

/* Every token attends to every other. */
static bool has_self_attention(const qkv__node *node)
{
    if (qkv__builtin_of(node) == QKV__BUILTIN_SELF_ATTEND) return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_self_attention(node->child[i])) return true;
    return false;
}

static bool is_quadratic(const qkv__replay *replay)
{
    if (has_self_attention(replay->proposition)) return true;
    for (size_t i = 0; i < replay->statement_count; i++) {
        const qkv__statement *s = replay->statement[i];
        if (s->kind == QKV__STATEMENT_DEFINE && has_self_attention(s->node[1])) return true;
    }
    return false;
}

/* A size goes some way along a path, of keys one by one: enough to confirm that a limit fails, and
 * too little to say that it does not. */
static void let_grow(search *s)
{
    qkv__replay *replay = &s->replay;
    for (size_t i = 0; i < replay->limit_count; i++) {
        const qkv__unknown *u = &replay->unknown[replay->limit[i].unknown];
        if (!u->is_size && !u->in_size) continue;
        replay->growing = true;
        if (!u->is_size || replay->limit_count > 1 || replay->random || is_quadratic(replay))
            s->unable = true;
    }
}

/* Keys are so many from the first that they have no coordinates. */
static bool choose_for_limit(search *s, int level)
{
    static const qkv__edge many = {.known = true, .value = {1 << 11, 1}};
    qkv__edge *lower = &s->replay.unknown[s->replay.limit[0].unknown].lower;
    const qkv__edge kept = *lower;
    if (s->replay.growing) *lower = many;
    const bool chosen = qkv__search_choose(&s->replay, level, s->one_width);
    *lower = kept;
    return chosen && (!s->replay.growing || can_grow(&s->replay));
}

/* A limit has no margin to climb along: instances are drawn, level by level. */
static bool run_limit(search *s, qkv__text *text)
{
    let_grow(s);
    for (int level = 0; level < LEVELS && !s->unable; level++) {
        size_t met = s->wanted * (size_t)(level + 1) / LEVELS;
        size_t drawn = DRAWN_FOR_EACH * met;
        while (go_on(s, drawn, level) && s->met_when_drawn < met) {
            s->drawn++;
            if (!choose_for_limit(s, level)) {
                take_case(s, QKV__CASE_VOID, INFINITY);
            } else if (take_case(s, qkv__replay_judge_limit(&s->replay), INFINITY) &&
                       is_tame(&s->replay) && (!s->replay.random || ++s->odd_draws == ODD_DRAWS)) {
                if (!s->unseen) qkv__search_write(&s->replay, text);
                return true;
            }
            if (!s->one_width && s->shape_failures == s->drawn && s->drawn == SHAPE_TRIES)
                s->one_width = true;
        }
    }
    return false;
}

/* Numbers close to their limits, or large, and no path. */
static void stay_close(qkv__replay *replay)
{
    static const qkv__rational large = {1 << 8, 1}, little = {1, 1 << 8};
    for (size_t i = 0; i < replay->limit_count; i++) {
        const qkv__replay_limit *limit = &replay->limit[i];
        qkv__unknown *u = &replay->unknown[limit->unknown];
        if (limit->down) {
            const qkv__rational most = qkv__rational_negate(large);
            if (!u->upper.known || qkv__rational_compare(u->upper.value, most) > 0)
                u->upper = (qkv__edge){.known = true, .value = most};
            continue;
        }
        qkv__rational least =
            limit->infinite ? large : qkv__rational_subtract(limit->point, little);
        if (!u->lower.known || qkv__rational_compare(u->lower.value, least) < 0)
            u->lower = (qkv__edge){.known = true, .value = least};
        qkv__rational most = qkv__rational_add(limit->point, little);
        if (!limit->infinite &&
            (!u->upper.known || qkv__rational_compare(u->upper.value, most) > 0))
            u->upper = (qkv__edge){.known = true, .value = most};
    }
    replay->limit_count = 0;
}

/* ---- Random keys --------------------------------------------------------------------------- */

/* Numbers are as near as one can see if, error and all, they differ by less. */
static const double SHARP = 0.01;

/* P and E are sums over draws, which take time: few instances, and more draws where too few left
 * the claim open, above all of a refutation; of a proof, one instance more at each effort, while
 * that is cheap. What seems to fail is looked at again, with more and other draws. */
static bool run_chance(search *s, qkv__text *text)
{
    enum { EFFORTS = 3, INSTANCES = 2, CHOICES = 8, ENOUGH = 20000 };
    const bool limit = s->replay.limit_count > 0;
    const bool proof = s->wanted < TRIES;
    const int efforts = !proof ? EFFORTS + 1 : limit ? 1 : EFFORTS;
    const size_t most = proof ? OPERATIONS / 4 : OPERATIONS;
    double margin;
    for (size_t i = 0; i < s->replay.limit_count; i++) { /* sizes do not go far along a path */
        const qkv__unknown *u = &s->replay.unknown[s->replay.limit[i].unknown];
        if (u->is_size || u->in_size) s->unable = true;
    }
    for (int effort = 0; effort < efforts; effort++) {
        size_t met = s->met + (proof && effort > 0 ? 1 : INSTANCES);
        s->looked = s->sharp = 0;
        if (proof && s->met > 0 && (s->certain == s->met || s->replay.bench.operations > ENOUGH))
            break;
        for (size_t drawn = 0; drawn < CHOICES && s->met < met && !s->unable; drawn++) {
            if (s->replay.bench.operations > most) return false;
            s->drawn++;
            s->replay.effort = effort;
            const int level = 1 + effort < LEVELS ? 1 + effort : LEVELS - 1;
            if (!qkv__search_choose(&s->replay, level, s->one_width)) {
                take_case(s, QKV__CASE_VOID, INFINITY);
                continue;
            }
            qkv__judgement judgement = limit ? qkv__replay_judge_limit(&s->replay)
                                             : qkv__replay_judge(&s->replay, &margin);
            if (judgement == QKV__CASE_HOLDS && s->replay.certain == 1) s->certain++;
            if (judgement == QKV__CASE_HOLDS) s->looked++;
            if (judgement == QKV__CASE_HOLDS && s->replay.certain == 0 && s->replay.blur < SHARP)
                s->sharp++;
            if (!take_case(s, judgement, INFINITY)) continue;
            s->replay.effort = effort + 1;
            if ((limit ? qkv__replay_judge_limit(&s->replay)
                       : qkv__replay_judge(&s->replay, &margin)) != QKV__CASE_REFUTES)
                continue;
            if (!s->unseen) qkv__search_write(&s->replay, text);
            return true;
        }
    }
    return false;
}

/* Whether a family has a size that is more than a sum of letters and numbers, such as n/2: its
 * letters are no longer any whole numbers. */
static bool has_made_size(const qkv__node *node, bool in_range)
{
    if (in_range && node->kind != QKV__NODE_NAME && node->kind != QKV__NODE_NUMBER &&
        node->kind != QKV__NODE_ADD && node->kind != QKV__NODE_SUBTRACT)
        return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_made_size(node->child[i], in_range || node->kind == QKV__NODE_RANGE)) return true;
    return false;
}

static bool is_derived(const qkv__replay *replay)
{
    for (size_t i = 0; i < replay->unknown_count; i++) {
        const qkv__unknown *u = &replay->unknown[i];
        if ((u->in_size && !u->whole) || (u->kind >= QKV__UNKNOWN_MATRIX && !u->shown)) return true;
    }
    for (size_t i = 0; i < replay->statement_count; i++) {
        const qkv__statement *s = replay->statement[i];
        for (size_t k = 0; s->kind == QKV__STATEMENT_FAMILY && k < s->count; k++)
            if (has_made_size(s->node[k], false)) return true;
    }
    return false;
}

/* An equation to the letter: where it fails at all, it fails almost everywhere. */
static bool is_equation(const qkv__replay *replay)
{
    return replay->tolerance == NULL && replay->proposition->kind == QKV__NODE_COMPARE &&
           replay->proposition->comparison == QKV__EQUAL;
}

/* Whether nothing that matters is left to choose: what is random outside P and E is. */
static bool is_one_case(const qkv__replay *replay)
{
    for (size_t i = 0; i < replay->unknown_count; i++) {
        const qkv__unknown *u = &replay->unknown[i];
        if (u->kind == QKV__UNKNOWN_PARAMETER && u->shown &&
            (!u->lower.known || !u->upper.known ||
             qkv__rational_compare(u->lower.value, u->upper.value) != 0))
            return false;
    }
    return !replay->drawn;
}

static qkv__grid *read_file(void *files, const qkv__node *call, bool *flat)
{
    qkv__failure failure = {0};
    return qkv__table_read(files, call, flat, &failure);
}

/* ---- The door ------------------------------------------------------------------------------ */

qkv__search_report qkv__search_instances(qkv__model *model, const qkv__search_question *question,
                                         qkv__text *text)
{
    assert(question->tries > 0);
    assert(question->proposition != NULL && question->circumstances != NULL);
    qkv__search_report report = {.able = false};
    search *s = qkv__allocate(sizeof *s);
    if (s == NULL) return report;
    memset(s, 0, offsetof(search, nearest));
    s->wanted = question->tries;
    s->unseen = text == NULL;
    s->replay.read_file = read_file;
    s->replay.files = model;
    s->budget = OPERATIONS / TRIES * question->tries;
    s->replay.place = question->place;
    s->replay.answers = question->answers;
    s->replay.near_at_all = question->near_at_all;
    s->replay.generic = question->generic;
    s->replay.without_premises = question->without_premises;
    s->replay.proves = question->tries < TRIES;
    if (qkv__replay_read(&s->replay, model->statements, question->proposition,
                         question->circumstances) &&
        (question->growth == NULL || qkv__replay_grow(&s->replay, question->growth)) &&
        !(question->without_random && (s->replay.random || s->replay.existential))) {
        s->replay.far_sizes = question->tries >= TRIES && !is_quadratic(&s->replay);
        if (question->close) stay_close(&s->replay);
        report.found = s->replay.chance            ? run_chance(s, text)
                       : s->replay.limit_count > 0 ? run_limit(s, text)
                                                   : run(s, text);
        report.chance = s->replay.chance;
        report.drawn = s->replay.drawn;
        report.derived = is_derived(&s->replay);
        report.sharp = s->sharp > 0 && s->sharp == s->looked && is_equation(&s->replay);
        report.settled = s->certain > 0 && s->certain == s->met && is_one_case(&s->replay);
        report.able = !s->unable && s->too_large < s->drawn;
        report.too_large = s->drawn > 0 && s->too_large >= s->drawn;
        report.met = s->met;
        report.misshapen = s->drawn > 0 && s->shape_failures == s->drawn;
        report.missed = s->missed;
        report.holed = s->undefined > 0;
        report.undefined = s->met == 0 ? s->undefined : 0;
        /* One case, however often, is one. */
        if (s->replay.unknown_count == 0 && s->met > 1) report.met = 1;
    }
    qkv__replay_free(&s->replay);
    qkv__free(s);
    return report;
}

/* Whether a proposition says of two numbers that they differ: where they look alike nothing is
 * known, and that speaks for nothing. */
static bool is_blurred(const qkv__node *node, bool negated)
{
    bool equal = node->kind == QKV__NODE_COMPARE &&
                 (node->comparison == QKV__EQUAL || node->comparison == QKV__NEAR);
    bool unequal = node->kind == QKV__NODE_COMPARE && node->comparison == QKV__NOT_EQUAL;
    if (negated ? equal : unequal) return true;
    for (size_t i = 0; i < node->count; i++) {
        bool flips = node->kind == QKV__NODE_NOT || (node->kind == QKV__NODE_IMPLIES && i == 0);
        if (is_blurred(node->child[i], flips != negated)) return true;
    }
    return false;
}

void qkv__search(qkv__model *model, const qkv__node *proposition,
                 const qkv__circumstances *circumstances, qkv__finding *finding)
{
    qkv__text text = {0};
    if (qkv__has_limit(circumstances)) return; /* seen along a path, and no more than that */
    qkv__search_report report =
        qkv__search_instances(model,
                              &(qkv__search_question){.proposition = proposition,
                                                      .circumstances = circumstances,
                                                      .without_random = true,
                                                      .tries = TRIES},
                              &text);
    bool found = report.able && report.found && !text.failed;
    if (found || (report.able && report.met >= SUPPORT && !is_blurred(proposition, false))) {
        if (!found) qkv__text_format(&text, "No counterexample in %zu tries.", report.met);
        qkv__text_free(&finding->found);
        qkv__text_free(&finding->reason);
        finding->reason = text;
        finding->engine = "search";
        finding->replayed = report.met + report.found;
        finding->verdict = found ? QKV__REFUTED : QKV__SUPPORTED;
        return;
    }
    qkv__text_free(&text);
}
