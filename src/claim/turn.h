/*
 * Limits that engines do not take, in another letter. As T -> 0+, exponents such as 1/T are beyond
 * the exact engine, and as beta -> -inf everything would have to be said twice. With T = 1/t and
 * beta = -t, in the claim and in all that it rests on, both are limits as t -> inf. The second
 * reading knows nothing of this: it walks towards 0, or towards -inf.
 */
#ifndef QKV_CLAIM_TURN_H
#define QKV_CLAIM_TURN_H

#include "claim/model/model.h"

typedef struct qkv__turned {
    const char *name, *letter;   /* T and t */
    const qkv__statement *first; /* the statements in front of the claim, and the claim */
    const qkv__statement *claim; /* among them */
    qkv__circumstances circumstances;
    const qkv__node *value; /* 1/t: what T is */
} qkv__turned;

/* Whether some limit goes to -inf, which no engine takes. */
bool qkv__turn_is_needed(const qkv__circumstances *circumstances);

/* A claim in another letter. Trees and statements are taken from the arena. False: no limit is one
 * to be turned, or the letter stands where nothing can be put in its place. */
bool qkv__turn(const qkv__model *model, qkv__arena *arena, const qkv__statement *claim,
               const qkv__node *proposition, const qkv__circumstances *circumstances,
               qkv__turned *turned);

#endif
