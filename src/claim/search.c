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
    CLIMB = 160,        /* changes tried on the case that came nearest */
    SHAPE_TRIES = 24,   /* before all vectors get one width */
    LARGEST = 1000000,  /* numerators and denominators when climbing */
};

/* Reals touched in all: what bounds the time of a claim with large vectors. */
static const size_t OPERATIONS = 4000000;

typedef struct search {
    qkv__replay replay;
    qkv__kept_case nearest, best;
    size_t wanted, met, drawn, missed, shape_failures, undefined, too_large;
    size_t successes;
    bool one_width, unable;
    bool equations; /* a counterexample must satisfy some */
} search;

/* ---- Trying -------------------------------------------------------------------------------- */

static void take_success(search *s)
{
    size_t weight = qkv__search_shrink(&s->replay, OPERATIONS);
    if (weight == SIZE_MAX) return;
    s->successes++;
    if (weight >= s->best.weight) return;
    qkv__case_keep(&s->replay, &s->best);
    s->best.weight = weight;
}

/* Counts what came of a case; true for a counterexample. */
static bool take_case(search *s, qkv__judgement judgement, double margin)
{
    qkv__obstacle obstacle = s->replay.bench.obstacle;
    if (judgement == QKV__CASE_VOID && obstacle == QKV__OBSTACLE_UNABLE) s->unable = true;
    if (judgement == QKV__CASE_VOID && obstacle == QKV__OBSTACLE_SHAPE) s->shape_failures++;
    if (judgement == QKV__CASE_VOID && obstacle == QKV__OBSTACLE_UNDEFINED) s->undefined++;
    if (judgement == QKV__CASE_VOID && obstacle == QKV__OBSTACLE_ROOM) s->too_large++;
    if (judgement == QKV__CASE_MISSED) s->missed++;
    if (judgement == QKV__CASE_HOLDS) s->met++;
    if (judgement == QKV__CASE_REFUTES) return true;
    if (judgement != QKV__CASE_VOID && margin < s->nearest.margin) {
        qkv__case_keep(&s->replay, &s->nearest);
        s->nearest.margin = margin;
    }
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

/* Another number in one place: something near, something simple, or what stands elsewhere. */
static qkv__rational vary(search *s, qkv__rational x)
{
    qkv__replay *replay = &s->replay;
    static const qkv__rational factors[] = {{-1, 1}, {2, 1}, {1, 2}, {10, 1}, {1, 10}, {0, 1}};
    static const qkv__rational steps[] = {{1, 1},  {-1, 1},  {1, 2},  {-1, 2},
                                          {1, 10}, {-1, 10}, {10, 1}, {-10, 1}};
    size_t how = qkv__search_draw(replay, 3);
    if (how == 0) return qkv__rational_multiply(x, factors[qkv__search_draw(replay, 6)]);
    if (how == 1) return qkv__rational_add(x, steps[qkv__search_draw(replay, 8)]);
    return replay->slot[qkv__search_draw(replay, replay->slot_count)];
}

/* Changes the nearest case number by number while that brings it nearer. */
static void climb(search *s)
{
    qkv__replay *replay = &s->replay;
    if (s->nearest.margin == INFINITY) return;
    qkv__case_restore(replay, &s->nearest);
    double reached = s->nearest.margin;
    for (int i = 0; i < CLIMB && replay->slot_count > 0; i++) {
        const qkv__unknown *owner;
        size_t slot = qkv__search_draw(replay, replay->slot_count);
        const qkv__rational before = replay->slot[slot];
        double margin = INFINITY;
        if (!qkv__slot_is_free(replay, slot, &owner)) continue;
        qkv__rational after = vary(s, before);
        if (qkv__rational_is_lost(after) || llabs(after.numerator) > LARGEST ||
            after.denominator > LARGEST ||
            (owner->kind == QKV__UNKNOWN_PARAMETER && !qkv__bounds_allow(owner, after)))
            continue;
        replay->slot[slot] = after;
        if (take_case(s, qkv__replay_judge(replay, &margin), margin)) {
            take_success(s);
            return;
        }
        if (margin <= reached)
            reached = margin;
        else
            replay->slot[slot] = before;
    }
}

static bool go_on(const search *s, size_t drawn)
{
    return !s->unable && s->drawn < drawn && s->successes < SUCCESSES &&
           s->replay.bench.operations < OPERATIONS;
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
    int64_t range = ranges[qkv__search_draw(&s->replay, 4)];
    for (size_t i = 0; i < u->rows * u->columns; i++) {
        qkv__rational *at = &s->replay.slot[u->offset + i];
        *at = qkv__rational_whole((int64_t)qkv__search_draw(&s->replay, (size_t)range) - range / 2);
        if (u->kind == QKV__UNKNOWN_PARAMETER && !qkv__bounds_allow(u, *at)) return false;
    }
    bool same = qkv__replay_judge(&s->replay, &margin) == QKV__CASE_REFUTES;
    if (same) qkv__search_write_comparison(&s->replay, &now);
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
    hide_idle(s);
    qkv__replay_judge(&s->replay, &margin);
    qkv__search_write(&s->replay, text);
    return true;
}

/* ---- Limits -------------------------------------------------------------------------------- */

/* A limit has no margin to climb along: instances are drawn, level by level. */
static bool run_limit(search *s, qkv__text *text)
{
    for (size_t i = 0; i < s->replay.limit_count; i++) /* sizes do not go far along a path */
        if (s->replay.unknown[s->replay.limit[i].unknown].is_size) s->unable = true;
    for (int level = 0; level < LEVELS && !s->unable; level++) {
        size_t met = s->wanted * (size_t)(level + 1) / LEVELS;
        size_t drawn = DRAWN_FOR_EACH * met;
        while (go_on(s, drawn) && s->met < met) {
            s->drawn++;
            if (!qkv__search_choose(&s->replay, level, s->one_width)) {
                take_case(s, QKV__CASE_VOID, INFINITY);
            } else if (take_case(s, qkv__replay_judge_limit(&s->replay), INFINITY)) {
                qkv__search_write(&s->replay, text);
                return true;
            }
            if (!s->one_width && s->shape_failures == s->drawn && s->drawn == SHAPE_TRIES)
                s->one_width = true;
        }
    }
    return false;
}

/* ---- The door ------------------------------------------------------------------------------ */

qkv__search_report qkv__search_instances(qkv__model *model, const qkv__node *proposition,
                                         const qkv__circumstances *circumstances, size_t tries,
                                         qkv__text *text)
{
    qkv__search_report report = {.able = false};
    search *s = qkv__allocate_zero(sizeof *s);
    if (s == NULL) return report;
    s->wanted = tries;
    if (qkv__replay_read(&s->replay, model->statements, proposition, circumstances)) {
        report.found = s->replay.limit_count > 0 ? run_limit(s, text) : run(s, text);
        report.able = !s->unable && s->too_large < s->drawn;
        report.met = s->met;
        report.undefined = s->missed == 0 ? s->undefined : 0;
        /* One case, however often, is one. */
        if (s->replay.unknown_count == 0 && s->met > 1) report.met = 1;
    }
    qkv__bench_free(&s->replay.bench);
    qkv__arena_free(&s->replay.arena);
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

static bool has_limit(const qkv__circumstances *circumstances)
{
    for (size_t i = 0; i < circumstances->count; i++)
        for (const qkv__condition *c = circumstances->lists[i]; c != NULL; c = c->next)
            if (c->kind == QKV__CONDITION_LIMIT) return true;
    return false;
}

void qkv__search(qkv__model *model, const qkv__node *proposition,
                 const qkv__circumstances *circumstances, qkv__finding *finding)
{
    qkv__text text = {0};
    if (has_limit(circumstances)) return; /* seen along a path, and no more than that */
    qkv__search_report report =
        qkv__search_instances(model, proposition, circumstances, TRIES, &text);
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
