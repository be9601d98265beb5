/* The names of a problem: what it declares, defines and picks, and where. */
#ifndef QKV_LANGUAGE_NAMES_H
#define QKV_LANGUAGE_NAMES_H

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

/* The name that a node of a statement brings; NULL: none. What refines a family, keys k[a] ~ ...,
 * or adds a member to one, x[2] = ..., brings none. */
const char *qkv__name_brought(const qkv__statement *statement, size_t i);

/* beta, n, C, t1: a letter, perhaps with a digit, or the name of a Greek one. */
bool qkv__is_letter_name(const char *name, size_t length);

bool qkv__stands_before(qkv__place a, qkv__place b);

/* The declaration of a name that a statement sees; NULL: none stands before it. */
const qkv__known_name *qkv__name_find_before(const qkv__names *names, const char *name,
                                             const qkv__statement *statement);

/* The family x of which x_1 is a member; NULL: it is some other name. */
const qkv__known_name *qkv__name_find_family(const qkv__names *names, const char *name);

#endif
