/*
 * What a limit does not hold fixed: the names that premises tie to its parameters, directly or by
 * way of one another. Under `given k[a].q = beta` both k and q may change as beta does, and nobody
 * knows how.
 */
#ifndef QKV_CLAIM_TIES_H
#define QKV_CLAIM_TIES_H

#include "claim/premise/reach.h"
#include "claim/premise/situation.h"

typedef struct qkv__ties {
    qkv__reached names; /* all: too many, or two limits tied to each other */
    size_t limits;      /* the parameters of the limits come first */
    bool sizes;         /* all sizes and dimensions are among them */
} qkv__ties;

/* Collects the names; the parameters of the limits are among them. */
void qkv__ties_collect(const qkv__situation *s, qkv__ties *ties);

bool qkv__ties_have(const qkv__ties *ties, const char *name);

/* Whether a vector, other than by a length that is known, may change with the limit. */
bool qkv__ties_hold_symbol(const qkv__situation *s, const qkv__ties *ties, qkv__symbol symbol);

/* Whether an expression speaks of something tied besides the parameters of the limits themselves,
 * in definitions and in the laws of random keys too. */
bool qkv__ties_hold_node(const qkv__situation *s, const qkv__node *node);

/* Whether a number depends on something tied besides the parameters of the limits themselves: on a
 * parameter, or on an inner product of a vector. */
bool qkv__ties_hold_ratio(const qkv__situation *s, const qkv__ties *ties, qkv__ratio ratio);

#endif
