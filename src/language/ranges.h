/*
 * Ranges between plain numbers, written out where their index stands for a number or in arithmetic:
 * `y.weight[i][i] >= 1/i for i in 1..4` is four claims joined by `and`, and
 * `sum(i*v[i] for i in 1..3)` is v[1] + 2*v[2] + 3*v[3]. Whoever evaluates trees meets only what
 * they stand for.
 */
#ifndef QKV_LANGUAGE_RANGES_H
#define QKV_LANGUAGE_RANGES_H

#include "language/syntax.h"

/* Members of a range, and nodes of what is written out: more are left as they are. */
enum { QKV__WRITTEN_OUT = 64, QKV__WRITTEN_OUT_NODES = 20000 };

/* Writes the ranges of a statement out, those behind a claim too. What the text says is kept in
 * `written`, where something changed. False without memory. */
bool qkv__ranges_write_out(qkv__arena *arena, qkv__statement *statement);

/* An index of a claim or a question that still stands for a number, as where it runs up to n; NULL:
 * none does. */
const char *qkv__ranges_left(const qkv__statement *statement);

#endif
