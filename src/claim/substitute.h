/*
 * Premises that say what a vector is: k[a] = k[b], q = 0, v[i] = u for all i. In another problem
 * the vector is declared under a name that nothing else has, and defined as what the premise says:
 *
 *     keys k[1..n]        keys k$[1..n]
 *     given k[a] = k[b]   k = k$ with k$[a] = k$[b]
 *
 * Whatever meets the premise is an instance of that problem, with k$ = k, and all else in it is
 * what it was: what is proved there holds here. It is not so the other way round (k$ may have a
 * length that k has not), so that nothing is refuted there.
 */
#ifndef QKV_CLAIM_SUBSTITUTE_H
#define QKV_CLAIM_SUBSTITUTE_H

#include "base/text.h"
#include "claim/model/model.h"

typedef struct qkv__substituted {
    const qkv__statement *first; /* the statements in front of the claim, and the claim */
    const qkv__statement *claim; /* among them */
    qkv__circumstances circumstances;
} qkv__substituted;

/* How many problems must be looked at, for the ways in which indexes of the claim may coincide with
 * each other and with picked ones; 0: no premise says what a vector is. */
size_t qkv__substitutions(const qkv__model *model, qkv__arena *arena, const qkv__statement *claim,
                          const qkv__node *proposition, const qkv__circumstances *circumstances);

/* One of them. Trees and statements are taken from the arena; what was put in is told. False:
 * nothing could be. */
bool qkv__substitute(const qkv__model *model, qkv__arena *arena, const qkv__statement *claim,
                     const qkv__node *proposition, const qkv__circumstances *circumstances,
                     size_t which, qkv__substituted *made, qkv__text *told);

/* Takes the marks of new names out of a text: k$[a] is told as k[a]. */
void qkv__substitution_unmark(qkv__text *text);

#endif
