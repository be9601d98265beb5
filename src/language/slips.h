/*
 * Slips that a careful reader would notice: a name that is defined twice or used before its
 * definition, a ragged list, vectors of different width put together. They are mistakes in the
 * text, since any verdict would be about something that nobody meant.
 */
#ifndef QKV_LANGUAGE_SLIPS_H
#define QKV_LANGUAGE_SLIPS_H

#include "language/syntax.h"

/* A name that a problem declares, defines or picks. */
typedef struct qkv__known_name {
    const char *name;
    const qkv__statement *statement;
    const qkv__node *node; /* of the statement */
} qkv__known_name;

/* All such names of a problem, in order. */
typedef struct qkv__names {
    const qkv__statement *first; /* of the problem */
    size_t count, capacity;
    qkv__known_name *item;
} qkv__names;

/* Collects the names of the problem that begins with a statement; false without memory. */
bool qkv__names_collect(const qkv__statement *first, qkv__arena *arena, qkv__names *names);

/* Whether a bound runs over a range that a letter of the problem, which is a number, takes values
 * in: for all t in 1..2, where g = t + 1. The statement that has the letter; NULL: an index. */
const qkv__statement *qkv__bound_is_number(const qkv__statement *first, const qkv__node *bound);

typedef struct qkv__slip {
    const qkv__node *node; /* where */
    char message[160];
} qkv__slip;

/* The first slip of a statement; false where there is none. The circumstances of a claim or a
 * question; NULL for other statements. */
bool qkv__slip_find(const qkv__names *names, const qkv__statement *statement,
                    const qkv__circumstances *circumstances, qkv__slip *slip);

#endif
