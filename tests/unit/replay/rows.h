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
    const char *instance; /* "n 3 | a 1 | q 2x1 1 -1/2": every unknown, matrices by rows */
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

/* Gives back what a judgement added to the first block of reals. */
static inline void keep_first_block(qkv__bench *bench)
{
    while (bench->block_count > 1) {
        const size_t last = --bench->block_count;
        for (size_t i = 0; i < bench->size[last]; i++) qkv__real_clear(&bench->block[last][i]);
        qkv__free(bench->block[last]);
    }
}

/* Less room may leave a case without a judgement, and no other one. That nothing satisfies an
 * `exists` takes a search: without room for it, nothing is held against the claim. */
static inline bool may_be(const row *r, qkv__judgement judgement)
{
    return judgement == r->expected || judgement == QKV__CASE_VOID ||
           judgement == QKV__CASE_MISSED ||
           (judgement == QKV__CASE_HOLDS && strstr(r->document, "exists") != NULL);
}

/* With room for fewer reals than it takes, and then for fewer bytes, the case is judged as with
 * enough of both, or not at all. */
static inline void check_little_room(qkv__replay *replay, const row *r)
{
    qkv__bench *bench = &replay->bench;
    const size_t size = bench->block_count == 1 ? bench->size[0] : 0;
    bool enough = false;
    for (size_t reals = 0; reals < size && !enough; reals += 1 + reals / 8 * (size_t)cases_step()) {
        bench->size[0] = reals;
        qkv__memory_fail_after(0);
        const qkv__judgement judgement = judge(replay);
        enough = qkv__memory_fail_after(-1) >= 0;
        keep_first_block(bench);
        if (!may_be(r, judgement))
            fail_msg("%s\nat %s, with %zu reals: %s", r->document, r->instance, reals,
                     names[judgement]);
    }
    if (size > 0) bench->size[0] = size;
    for (size_t bytes = 16; bytes < 2048; bytes += 16 * (size_t)cases_step()) {
        bench->arena.limit = bytes;
        const qkv__judgement judgement = judge(replay);
        if (!may_be(r, judgement))
            fail_msg("%s\nat %s, with %zu bytes: %s", r->document, r->instance, bytes,
                     names[judgement]);
    }
    bench->arena.limit = 0;
}

static inline void check_row(const row *r)
{
    qkv__document document;
    qkv__circumstances circumstances = {.count = 0};
    qkv__replay *replay = calloc(1, sizeof *replay);
    const qkv__statement *claim;
    qkv_error error;
    assert_non_null(replay);
    check_ok(qkv__document_read("r.qkv", r->document, strlen(r->document), &document, &error),
             &error);
    if (document.complaint_count > 0)
        fail_msg("%s\n%s", r->document, document.complaint[0].message);
    for (claim = document.first; claim->next != NULL;) claim = claim->next;
    assert_int_equal(claim->kind, QKV__STATEMENT_CLAIM);
    qkv__circumstances_add(&circumstances, claim->conditions);
    if (!qkv__replay_read(replay, document.first, claim->node[0], &circumstances))
        fail_msg("cannot be read:\n%s", r->document);
    take_instance(replay, r->instance);
    replay->effort = 2;
    qkv__judgement judgement = judge(replay);
    if (judgement != r->expected)
        fail_msg("%s\nat %s: %s instead of %s", r->document, r->instance, names[judgement],
                 names[r->expected]);
    check_little_room(replay, r);
    qkv__replay_free(replay);
    free(replay);
    qkv__document_free(&document);
}

static inline void check_rows(const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) check_row(&rows[i]);
}

#define CHECK(rows) check_rows(rows, sizeof(rows) / sizeof *(rows))

#endif
