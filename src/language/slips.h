/*
 * Slips that a careful reader would notice: a name that is defined twice or used before its
 * definition, a ragged list, vectors of different width put together. They are mistakes in the
 * text, since any verdict would be about something that nobody meant.
 */
#ifndef QKV_LANGUAGE_SLIPS_H
#define QKV_LANGUAGE_SLIPS_H

#include "language/names.h"

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
