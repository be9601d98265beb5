/* Rows of the tests of the second reading: a document with one claim, an instance written out by
 * hand, and what is expected of the claim there. */
#ifndef TESTS_UNIT_REPLAY_ROWS_H
#define TESTS_UNIT_REPLAY_ROWS_H

#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>

#include <qkv/qkv.h>

#include "base/memory.h"
#include "language/document.h"
#include "language/tree.h"
#include "replay/replay.h"
#include "support/cases.h"

typedef struct row {
    const char *document;
    const char *instance; /* "n 3 | a 1 | q 2x1 1 -1/2 | k 3x3axes": every unknown,
                              matrices by rows, or as unit vectors */
    qkv__judgement expected;
} row;

#define HOLDS QKV__CASE_HOLDS
#define REFUTES QKV__CASE_REFUTES
#define MISSED QKV__CASE_MISSED
#define NONE QKV__CASE_VOID

/* ---- Instances ----------------------------------------------------------------------------- */

static inline qkv__rational read_number(const char **at)
{
    char *end;
    int64_t numerator = strtoll(*at, &end, 10), denominator = 1;
    assert_true(end != *at);
    if (*end == '/') denominator = strtoll(end + 1, &end, 10);
    *at = end;
    return qkv__rational_make(numerator, denominator);
}

static inline void skip_spaces(const char **at)
{
    while (**at == ' ') ++*at;
}

static inline qkv__unknown *unknown_named(qkv__replay *replay, const char *name, size_t length)
{
    for (size_t i = 0; i < replay->unknown_count; i++)
        if (strlen(replay->unknown[i].name) == length &&
            strncmp(replay->unknown[i].name, name, length) == 0)
            return &replay->unknown[i];
    return NULL;
}

/* One unknown of the instance: its name, its shape where it is no number, its numbers. */
static inline void take_unknown(qkv__replay *replay, const char **at, uint64_t *set)
{
    unsigned rows = 1, columns = 1;
    int length = (int)strcspn(*at, " "), used = 0;
    qkv__unknown *u = unknown_named(replay, *at, (size_t)length);
    if (u == NULL) fail_msg("the claim does not depend on %.*s", length, *at);
    *at += length;
    if (sscanf(*at, " %ux%u%n", &rows, &columns, &used) == 2)
        *at += used;
    else
        rows = columns = 1;
    u->axes = strncmp(*at, "axes", 4) == 0;
    if (u->axes) *at += 4;
    u->rows = rows;
    u->columns = columns;
    u->offset = replay->slot_count;
    for (size_t i = 0; i < qkv__unknown_slots(u); i++) {
        skip_spaces(at);
        replay->slot[replay->slot_count++] = read_number(at);
    }
    skip_spaces(at);
    assert_true(**at == '|' || **at == '\0');
    *set |= UINT64_C(1) << (u - replay->unknown);
}

static inline void take_instance(qkv__replay *replay, const char *instance)
{
    uint64_t set = 0;
    for (const char *at = instance; *at != '\0';) {
        skip_spaces(&at);
        if (*at == '|') {
            at++;
            continue;
        }
        if (*at != '\0') take_unknown(replay, &at, &set);
    }
    for (size_t i = 0; i < replay->unknown_count; i++)
        if ((set >> i & 1) == 0) fail_msg("nothing is said of %s", replay->unknown[i].name);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static const char *const names[] = {"void", "missed", "holds", "refutes"};

static inline qkv__judgement judge(qkv__replay *replay)
{
    double margin;
    return replay->limit_count > 0 ? qkv__replay_judge_limit(replay)
                                   : qkv__replay_judge(replay, &margin);
}

/* Less room may leave a case without a judgement, and no other one. That nothing satisfies an
 * `exists` takes a search, and what is a sum over draws takes many: without room for them, nothing
 * is held against the claim. */
static inline bool may_be(const qkv__replay *replay, const row *r, qkv__judgement judgement)
{
    return judgement == r->expected || judgement == QKV__CASE_VOID ||
           judgement == QKV__CASE_MISSED ||
           (judgement == QKV__CASE_HOLDS && (replay->existential || replay->chance));
}

/* How often a row is judged, given what one judgement costs: at least 4 times. */
static inline size_t tries_of(size_t operations)
{
    const size_t enough = 1600000 / (size_t)cases_step() / (operations + 1);
    return enough < 4 ? 4 : enough;
}

static inline void judge_with_little(qkv__replay *replay, const row *r, size_t room,
                                     const char *unit)
{
    const qkv__judgement judgement = judge(replay);
    if (!may_be(replay, r, judgement))
        fail_msg("%s\nat %s, with %zu %s: %s", r->document, r->instance, room, unit,
                 names[judgement]);
}

/* Reals come from the first block alone, of which so many may be used. */
static inline void judge_with_reals(qkv__replay *replay, const row *r, size_t reals)
{
    qkv__bench *bench = &replay->bench;
    const size_t size = bench->size[0];
    bench->size[0] = reals;
    bench->block_count = QKV__BENCH_BLOCKS;
    judge_with_little(replay, r, reals, "reals");
    bench->block_count = 1;
    bench->size[0] = size;
}

/* Each allocation fails in turn. Derivatives, like FLINT, end the process then. */
static inline void check_no_memory(qkv__replay *replay, const row *r, size_t tries)
{
    const bool ends = strstr(r->document, "d(") != NULL;
    for (size_t count = 0, left = tries; !ends && left > 0; count++, left--) {
        qkv__bench_free(&replay->bench);
        qkv__memory_fail_after((long)count);
        judge_with_little(replay, r, count, "allocations");
        if (qkv__memory_fail_after(-1) >= 0) return;
    }
}

/* With room for fewer reals than it takes, and then for fewer bytes, the case is judged as with
 * enough of both, or not at all. What is cheap is tried with every number of reals. */
static inline void check_little_room(qkv__replay *replay, const row *r)
{
    qkv__bench *bench = &replay->bench;
    const size_t before = bench->operations;
    replay->effort = replay->chance ? 0 : 2;
    judge(replay);
    const size_t cost = bench->operations - before, tries = tries_of(cost);
    const size_t size = bench->block_count == 1 ? bench->size[0] : 0;
    const size_t most = cost < size ? cost : size;
    for (size_t reals = 0; reals < most; reals += 1 + most / tries)
        judge_with_reals(replay, r, reals);
    for (size_t bytes = 16; bytes < 2048; bytes += 16 * (1 + 128 / tries)) {
        bench->arena.limit = bytes;
        judge_with_little(replay, r, bytes, "bytes");
    }
    bench->arena.limit = 0;
    check_no_memory(replay, r, tries);
}

/* What stands around a row: all of it may be left out. */
typedef struct setting {
    const char *answers; /* x = ..., put in for names */
    qkv__replay_reader *read_file;
    size_t dimension; /* of vectors that say nothing of theirs */
    bool near_at_all, without_premises, growing;
    const char *grown; /* a parameter that grows without bound, once all limits are taken */
} setting;

/* A row that is read: what it was read from must outlive the replay. */
typedef struct reading {
    qkv__document document, answers;
    qkv__circumstances circumstances;
    const qkv__statement *claim;
    qkv__replay *replay;
} reading;

static inline void read_text(const char *text, qkv__document *document)
{
    qkv_error error;
    check_ok(qkv__document_read("r.qkv", text, strlen(text), document, &error), &error);
    if (document->complaint_count > 0) fail_msg("%s\n%s", text, document->complaint[0].message);
}

/* Reads a document and makes a replay for the last statement in it, a claim. */
static inline void begin_reading(reading *g, const char *document, const setting *s)
{
    *g = (reading){.circumstances = {.count = 0}};
    read_text(document, &g->document);
    for (g->claim = g->document.first; g->claim->next != NULL;) g->claim = g->claim->next;
    assert_int_equal(g->claim->kind, QKV__STATEMENT_CLAIM);
    qkv__circumstances_add(&g->circumstances, g->claim->conditions);
    g->replay = calloc(1, sizeof *g->replay);
    assert_non_null(g->replay);
    if (s == NULL) return;
    if (s->answers != NULL) {
        read_text(s->answers, &g->answers);
        g->replay->answers = g->answers.first;
    }
    g->replay->read_file = s->read_file;
    g->replay->near_at_all = s->near_at_all;
    g->replay->dimension = s->dimension;
    g->replay->growing = s->growing;
    g->replay->without_premises = s->without_premises;
}

static inline bool read_claim(reading *g, const setting *s)
{
    return qkv__replay_read(g->replay, g->document.first, g->claim->node[0], &g->circumstances) &&
           (s == NULL || s->grown == NULL || qkv__replay_grow(g->replay, s->grown));
}

static inline void end_reading(reading *g)
{
    qkv__replay_free(g->replay);
    free(g->replay);
    qkv__document_free(&g->answers);
    qkv__document_free(&g->document);
}

/* Takes back what was read, but for what was given. */
static inline void forget_reading(qkv__replay *replay)
{
    const qkv__replay given = {.answers = replay->answers,
                               .read_file = replay->read_file,
                               .near_at_all = replay->near_at_all,
                               .dimension = replay->dimension,
                               .growing = replay->growing,
                               .without_premises = replay->without_premises};
    qkv__replay_free(replay);
    *replay = given;
}

/* A claim that can be read with enough memory is judged the same, or not at all, where an
 * allocation fails while it is read, and where it is read with few bytes. */
static inline void check_little_memory(reading *g, const row *r, const setting *s)
{
    bool read = false;
    for (long count = 0; !read; count++) {
        forget_reading(g->replay);
        qkv__memory_fail_after(count);
        const bool good = read_claim(g, s);
        read = qkv__memory_fail_after(-1) >= 0;
        if (read && !good) fail_msg("cannot be read:\n%s", r->document);
    }
    for (size_t bytes = 16; bytes < 1024; bytes += 16 * (size_t)cases_step() / 8 + 16) {
        forget_reading(g->replay);
        g->replay->arena.limit = bytes;
        if (!read_claim(g, s)) continue;
        take_instance(g->replay, r->instance);
        judge_with_little(g->replay, r, bytes, "bytes to read it");
        if (tries_of(g->replay->bench.operations) < 100) break;
    }
}

/* With room for fewer unknowns, or premises, than a claim depends on, it is not read. */
static inline void check_few(reading *g, const row *r, const setting *s)
{
    static const qkv__node nothing = {.kind = QKV__NODE_NUMBER, .text = ""};
    forget_reading(g->replay);
    if (!read_claim(g, s)) fail_msg("cannot be read again:\n%s", r->document);
    const size_t unknowns = g->replay->unknown_count, premises = g->replay->premise_count;
    for (size_t spare = 0; spare <= unknowns; spare++) {
        forget_reading(g->replay);
        g->replay->unknown_count = QKV__UNKNOWNS - spare;
        for (size_t i = 0; i + spare < QKV__UNKNOWNS; i++) g->replay->unknown[i].name = "";
        if (read_claim(g, s) != (spare == unknowns))
            fail_msg("%zu unknowns, and room for %zu:\n%s", unknowns, spare, r->document);
    }
    for (size_t spare = 0; spare < premises; spare++) {
        forget_reading(g->replay);
        g->replay->premise_count = QKV__REPLAY_PREMISES - spare;
        for (size_t i = 0; i + spare < QKV__REPLAY_PREMISES; i++)
            g->replay->premise[i].node = &nothing;
        if (read_claim(g, s))
            fail_msg("%zu premises, and room for %zu:\n%s", premises, spare, r->document);
    }
}

static inline void check_row_with(const row *r, const setting *s)
{
    reading g;
    begin_reading(&g, r->document, s);
    const bool read = read_claim(&g, s);
    if (!read) fail_msg("cannot be read:\n%s", r->document);
    take_instance(g.replay, r->instance);
    g.replay->effort = g.replay->chance ? 1 : 2;
    qkv__judgement judgement = judge(g.replay);
    if (judgement != r->expected && g.replay->chance) { /* more draws tell */
        g.replay->effort = 2;
        judgement = judge(g.replay);
    }
    if (judgement != r->expected)
        fail_msg("%s\nat %s: %s instead of %s", r->document, r->instance, names[judgement],
                 names[r->expected]);
    check_little_room(g.replay, r);
    check_little_memory(&g, r, s);
    check_few(&g, r, s);
    end_reading(&g);
}

static inline void check_row(const row *r)
{
    check_row_with(r, NULL);
}

static inline void check_rows(const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) check_row(&rows[i]);
}

#define CHECK(rows) check_rows(rows, sizeof(rows) / sizeof *(rows))

#endif
