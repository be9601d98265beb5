/*
 * What the name in `for t in 1..2` is: an index of a family, or a number. Decided once, by the
 * places where it stands, before anything is evaluated: the engines and the second reading must not
 * guess, each in its own way.
 */
#ifndef QKV_LANGUAGE_READING_H
#define QKV_LANGUAGE_READING_H

#include "language/names.h"

typedef enum qkv__reading {
    QKV__READ_NOWHERE, /* the name stands nowhere else */
    QKV__READ_BOTH,    /* k[t] and t^2: its number is for definitions, g[i] = i^2 for i in 1..n */
    QKV__READ_INDEX,   /* x[t], compared with an index, or t in 1..n where there are n keys */
    QKV__READ_SIZE,    /* at the end of a range: 1..t */
    QKV__READ_NUMBER,  /* in an expression; or its bounds are no index's */
    QKV__READ_UNCLEAR  /* t <= 1 for t in 1..2, or for all t in 1..2: t^2 >= t; and t^2 >= t for
                          t in 1..n where there are n keys */
} qkv__reading;

/* Where a range is written. */
typedef enum qkv__written {
    QKV__WRITTEN_BEHIND, /* p for t in 1..2 */
    QKV__WRITTEN_AROUND, /* for all t in 1..2: p */
    QKV__WRITTEN_GIVEN   /* given t in 1..2 */
} qkv__written;

qkv__reading qkv__read_range(const qkv__names *names, const qkv__statement *entry,
                             const qkv__circumstances *circumstances, const qkv__node *range,
                             qkv__written written);

/* The first range whose name may be either, UNCLEAR, or is both; NULL: there is none. */
const qkv__node *qkv__unclear_range(const qkv__names *names, const qkv__statement *entry,
                                    const qkv__circumstances *circumstances, qkv__reading *reading);

/* Writes ranges of numbers as bounds, which nobody takes for indexes: 1 <= t, t <= 2 for t in 1..2,
 * and 2 != t for t != 2. False where memory or room ran out. */
bool qkv__write_bounds(qkv__arena *arena, const qkv__names *names, const qkv__statement *entry,
                       qkv__circumstances *circumstances);

#endif
