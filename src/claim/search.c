/*
 * The search for a counterexample. Four levels, each with larger and wilder cases than the one
 * before. At each, cases are drawn; then the one that came nearest to a counterexample is changed,
 * number by number, for as long as that brings it nearer. What is found is made smaller for as long
 * as it stays one, and the simplest of several is shown.
 */
#include "claim/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "claim/search_part.h"

enum {
    LEVELS = 4,
    TRIES = 2000,       /* in which the premises hold, before a claim is supported */
    SUPPORT = 100,      /* fewer of them support nothing */
    DRAWN_FOR_EACH = 3, /* cases drawn at most for each that is wanted */
    SUCCESSES = 6,      /* of which the simplest is shown */
    PASSES = 4,         /* over all numbers when making them smaller */
    CLIMB = 160,        /* changes tried on the case that came nearest */
    SHAPE_TRIES = 24,   /* before all vectors get one width */
    HEAVY = 1 << 20,    /* weight of a difference that four digits do not show */
    LARGEST = 1000000,  /* numerators and denominators when climbing */
};

/* Reals touched in all: what bounds the time of a claim with large vectors. */
static const size_t OPERATIONS = 4000000;

/* A case that is kept. */
typedef struct kept {
    size_t slot_count;
    qkv__rational slot[QKV__HUNT_SLOTS];
    size_t rows[QKV__UNKNOWNS], columns[QKV__UNKNOWNS], offset[QKV__UNKNOWNS];
    double margin;
    size_t weight; /* SIZE_MAX: none is kept */
} kept;

typedef struct search {
    qkv__hunt hunt;
    kept nearest, best;
    size_t wanted, met, drawn, shape_failures;
    size_t successes;
    bool one_width, unable;
} search;

/* ---- Keeping cases ------------------------------------------------------------------------- */

static void keep(const qkv__hunt *hunt, kept *k)
{
    k->slot_count = hunt->slot_count;
    memcpy(k->slot, hunt->slot, hunt->slot_count * sizeof k->slot[0]);
    for (size_t i = 0; i < hunt->unknown_count; i++) {
        k->rows[i] = hunt->unknown[i].rows;
        k->columns[i] = hunt->unknown[i].columns;
        k->offset[i] = hunt->unknown[i].offset;
    }
}

static void restore(qkv__hunt *hunt, const kept *k)
{
    hunt->slot_count = k->slot_count;
    memcpy(hunt->slot, k->slot, k->slot_count * sizeof k->slot[0]);
    for (size_t i = 0; i < hunt->unknown_count; i++) {
        hunt->unknown[i].rows = k->rows[i];
        hunt->unknown[i].columns = k->columns[i];
        hunt->unknown[i].offset = k->offset[i];
    }
}

/* ---- Making a counterexample smaller ------------------------------------------------------- */

/* 0 costs nothing, 1 little, negative numbers and fractions more. */
static size_t weight_of_number(qkv__rational value)
{
    double size = fabs((double)value.numerator / (double)value.denominator);
    if (value.numerator == 0) return 0;
    return 1 + (size_t)(2.0 * log2(1.0 + size)) + (value.numerator < 0 ? 2 : 0) +
           (value.denominator != 1 ? 4 + (size_t)log2((double)value.denominator) : 0);
}

static bool is_plain(const qkv__hunt *hunt, const qkv__unknown *u)
{
    (void)hunt;
    return u->kind != QKV__UNKNOWN_INDEX && u->kind != QKV__UNKNOWN_PERMUTATION;
}

/* How much a reader has to take in; SIZE_MAX where the case is no counterexample. */
static size_t weigh(search *s)
{
    qkv__hunt *hunt = &s->hunt;
    double margin;
    if (qkv__hunt_judge(hunt, &margin) != QKV__CASE_REFUTES) return SIZE_MAX;
    size_t weight = qkv__hunt_contrast(hunt) >= 1.0 ? 0 : HEAVY;
    for (size_t i = 0; i < hunt->unknown_count; i++) {
        const qkv__unknown *u = &hunt->unknown[i];
        for (size_t j = 0; u->shown && j < u->rows * u->columns; j++) {
            bool moved = j / u->columns != j % u->columns;
            if (is_plain(hunt, u) || (u->kind == QKV__UNKNOWN_PERMUTATION && moved))
                weight += weight_of_number(hunt->slot[u->offset + j]) + (is_plain(hunt, u) ? 1 : 0);
        }
    }
    return weight;
}

/* Tries simpler numbers in one place; keeps what makes a lighter counterexample. */
static void lower_slot(search *s, size_t slot, const qkv__unknown *owner, size_t *weight)
{
    qkv__rational *at = &s->hunt.slot[slot];
    const qkv__rational from = *at;
    const int64_t part = from.numerator / from.denominator;
    const qkv__rational choices[] = {{0, 1},
                                     {1, 1},
                                     {-1, 1},
                                     {2, 1},
                                     {part, 1},
                                     {part / 2, 1},
                                     {part / 10, 1},
                                     {part - (part > 0) + (part < 0), 1},
                                     {1, 2}};
    for (size_t c = 0; c < sizeof choices / sizeof choices[0]; c++) {
        const qkv__rational before = *at;
        if (weight_of_number(choices[c]) >= weight_of_number(before)) continue;
        if (owner->kind == QKV__UNKNOWN_PARAMETER && !qkv__bounds_allow(owner, choices[c]))
            continue;
        *at = choices[c];
        size_t lowered = weigh(s);
        if (lowered < *weight)
            *weight = lowered;
        else
            *at = before;
    }
}

static size_t lower_all(search *s, size_t weight)
{
    for (int pass = 0; pass < PASSES; pass++) {
        size_t before = weight;
        for (size_t i = 0; i < s->hunt.slot_count && s->hunt.bench.operations < OPERATIONS; i++) {
            const qkv__unknown *owner;
            if (qkv__slot_is_free(&s->hunt, i, &owner)) lower_slot(s, i, owner, &weight);
        }
        if (weight == before) break;
    }
    return weight;
}

static void take_success(search *s)
{
    size_t weight = weigh(s);
    if (weight == SIZE_MAX) return;
    s->successes++;
    weight = lower_all(s, weight);
    if (weight >= s->best.weight) return;
    keep(&s->hunt, &s->best);
    s->best.weight = weight;
}

/* ---- Trying -------------------------------------------------------------------------------- */

/* Counts what came of a case; true for a counterexample. */
static bool take_case(search *s, qkv__judgement judgement, double margin)
{
    qkv__obstacle obstacle = s->hunt.bench.obstacle;
    if (judgement == QKV__CASE_VOID && obstacle == QKV__OBSTACLE_UNABLE) s->unable = true;
    if (judgement == QKV__CASE_VOID && obstacle == QKV__OBSTACLE_SHAPE) s->shape_failures++;
    if (judgement == QKV__CASE_HOLDS) s->met++;
    if (judgement == QKV__CASE_REFUTES) return true;
    if (judgement != QKV__CASE_VOID && margin < s->nearest.margin) {
        keep(&s->hunt, &s->nearest);
        s->nearest.margin = margin;
    }
    return false;
}

static void try_one(search *s, int level)
{
    double margin = INFINITY;
    s->drawn++;
    bool chosen = qkv__hunt_choose(&s->hunt, level, s->one_width);
    if (!chosen) {
        take_case(s, QKV__CASE_VOID, margin);
        return;
    }
    qkv__judgement judgement = qkv__hunt_judge(&s->hunt, &margin);
    if (judgement == QKV__CASE_MISSED && qkv__hunt_solve(&s->hunt))
        judgement = qkv__hunt_judge(&s->hunt, &margin);
    if (take_case(s, judgement, margin)) take_success(s);
}

/* Another number in one place: something near, something simple, or what stands elsewhere. */
static qkv__rational vary(search *s, qkv__rational x)
{
    qkv__hunt *hunt = &s->hunt;
    static const qkv__rational factors[] = {{-1, 1}, {2, 1}, {1, 2}, {10, 1}, {1, 10}, {0, 1}};
    static const qkv__rational steps[] = {{1, 1}, {-1, 1}, {1, 2}, {-1, 2}, {1, 10}, {-1, 10},
                                          {10, 1}, {-10, 1}};
    size_t how = qkv__hunt_draw(hunt, 3);
    if (how == 0) return qkv__rational_multiply(x, factors[qkv__hunt_draw(hunt, 6)]);
    if (how == 1) return qkv__rational_add(x, steps[qkv__hunt_draw(hunt, 8)]);
    return hunt->slot[qkv__hunt_draw(hunt, hunt->slot_count)];
}

/* Changes the nearest case number by number while that brings it nearer. */
static void climb(search *s)
{
    qkv__hunt *hunt = &s->hunt;
    if (s->nearest.margin == INFINITY) return;
    restore(hunt, &s->nearest);
    double reached = s->nearest.margin;
    for (int i = 0; i < CLIMB && hunt->slot_count > 0; i++) {
        const qkv__unknown *owner;
        size_t slot = qkv__hunt_draw(hunt, hunt->slot_count);
        const qkv__rational before = hunt->slot[slot];
        double margin = INFINITY;
        if (!qkv__slot_is_free(hunt, slot, &owner)) continue;
        qkv__rational after = vary(s, before);
        if (qkv__rational_is_lost(after) || llabs(after.numerator) > LARGEST ||
            after.denominator > LARGEST ||
            (owner->kind == QKV__UNKNOWN_PARAMETER && !qkv__bounds_allow(owner, after)))
            continue;
        hunt->slot[slot] = after;
        if (take_case(s, qkv__hunt_judge(hunt, &margin), margin)) {
            take_success(s);
            return;
        }
        if (margin <= reached)
            reached = margin;
        else
            hunt->slot[slot] = before;
    }
}

static bool go_on(const search *s, size_t drawn)
{
    return !s->unable && s->drawn < drawn && s->successes < SUCCESSES &&
           s->hunt.bench.operations < OPERATIONS;
}

/* One level: a share of the tries; stops early when enough was found. */
static void search_level(search *s, int level)
{
    size_t met = s->wanted * (size_t)(level + 1) / LEVELS;
    size_t drawn = DRAWN_FOR_EACH * met;
    s->nearest.margin = INFINITY;
    while (go_on(s, drawn) && s->met < met) {
        try_one(s, level);
        if (!s->one_width && s->shape_failures == s->drawn && s->drawn == SHAPE_TRIES)
            s->one_width = true;
    }
    if (!s->unable && s->successes == 0) climb(s);
}

/* ---- What is shown ------------------------------------------------------------------------- */

/* Whether the comparison is still the same, to the last printed digit, with any other numbers in
 * the place of one unknown. */
static bool stays(search *s, const qkv__unknown *u, const char *before)
{
    static const int64_t ranges[] = {3, 21, 201, 2001};
    qkv__text now = {0};
    double margin;
    int64_t range = ranges[qkv__hunt_draw(&s->hunt, 4)];
    for (size_t i = 0; i < u->rows * u->columns; i++) {
        qkv__rational *at = &s->hunt.slot[u->offset + i];
        *at = qkv__rational_whole((int64_t)qkv__hunt_draw(&s->hunt, (size_t)range) - range / 2);
        if (u->kind == QKV__UNKNOWN_PARAMETER && !qkv__bounds_allow(u, *at)) return false;
    }
    bool same = qkv__hunt_judge(&s->hunt, &margin) == QKV__CASE_REFUTES;
    if (same) qkv__hunt_write_comparison(&s->hunt, &now);
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
    kept *k = &s->nearest;
    keep(&s->hunt, k);
    if (s->hunt.seen.node != NULL) qkv__hunt_write_comparison(&s->hunt, &before);
    for (size_t i = s->hunt.unknown_count; before.data != NULL && i-- > 0;) {
        qkv__unknown *u = &s->hunt.unknown[i];
        const qkv__unknown *owner;
        bool idle = u->shown && qkv__slot_is_free(&s->hunt, u->offset, &owner);
        for (int v = 0; v < VARIANTS && idle; v++) idle = stays(s, u, before.data);
        if (idle) {
            u->shown = false;
            keep(&s->hunt, k);
        }
        restore(&s->hunt, k);
    }
    restore(&s->hunt, &s->best);
    qkv__text_free(&before);
}

static qkv__search_result run(search *s, qkv__text *text)
{
    double margin;
    s->best.weight = SIZE_MAX;
    for (int level = 0; level < LEVELS && s->successes == 0 && !s->unable; level++)
        search_level(s, level);
    if (s->best.weight == SIZE_MAX) return s->unable ? QKV__SEARCH_UNABLE : QKV__SEARCH_NOTHING;
    restore(&s->hunt, &s->best);
    if (qkv__hunt_judge(&s->hunt, &margin) != QKV__CASE_REFUTES) return QKV__SEARCH_UNABLE;
    hide_idle(s);
    qkv__hunt_judge(&s->hunt, &margin);
    qkv__hunt_write(&s->hunt, text);
    return QKV__SEARCH_FOUND;
}

/* ---- The door ------------------------------------------------------------------------------ */

qkv__search_result qkv__search_contradiction(qkv__model *model, const qkv__node *proposition,
                                             const qkv__circumstances *circumstances, size_t tries,
                                             size_t *met, qkv__text *text)
{
    qkv__search_result result = QKV__SEARCH_UNABLE;
    search *s = qkv__allocate_zero(sizeof *s);
    *met = 0;
    if (s == NULL) return result;
    s->wanted = tries;
    if (qkv__hunt_plan(&s->hunt, model, proposition, circumstances)) result = run(s, text);
    *met = s->met;
    qkv__bench_free(&s->hunt.bench);
    qkv__arena_free(&s->hunt.arena);
    qkv__free(s);
    return result;
}

void qkv__search(qkv__model *model, const qkv__node *proposition,
                 const qkv__circumstances *circumstances, qkv__finding *finding)
{
    qkv__text text = {0};
    size_t met;
    qkv__search_result result =
        qkv__search_contradiction(model, proposition, circumstances, TRIES, &met, &text);
    bool found = result == QKV__SEARCH_FOUND && !text.failed;
    if (found || (result == QKV__SEARCH_NOTHING && met >= SUPPORT)) {
        if (!found) qkv__text_format(&text, "No counterexample in %zu tries.", met);
        qkv__text_free(&finding->found);
        qkv__text_free(&finding->reason);
        finding->reason = text;
        finding->engine = "search";
        finding->verdict = found ? QKV__REFUTED : QKV__SUPPORTED;
        return;
    }
    qkv__text_free(&text);
}
