/*
 * `find` statements: the least parameter from which on a condition holds, queries, matrices.
 *
 *     find least beta: 1 - c.weight[a] - c.weight[b] <= tau
 *     find M: M*(va + vb) = va      for all s, t
 *     find K, Q, V: z[1] ~ u[b] - u[c] and z[2] ~ u[b]
 *
 * An answer is checked by the other engines before it is given; a refutation is a proof that there
 * is none.
 */
#ifndef QKV_CLAIM_FIND_H
#define QKV_CLAIM_FIND_H

#include "claim/premise/finding.h"

/* PROVED: found and checked, by asking `again`; REFUTED: proved that there is none; else undecided.
 */
void qkv__find(qkv__model *model, const qkv__statement *statement,
               const qkv__circumstances *circumstances, qkv__decider *again, qkv__finding *finding);

/*
 * Appends from when on a ratio is at most a tolerance, for the reasons of other verdicts:
 *
 *     at most 1 % from beta = ln(99*(n - 2)/2) on, 5.99 at n = 10
 *
 * Bounds are those that the model has now. Numbers are rounded up, so that the sentence is true.
 * False, and nothing appended, when there is no such beta or none was found.
 */
bool qkv__find_least_sentence(qkv__model *model, qkv__ratio leak, int parameter,
                              qkv__rational tolerance, qkv__text *text);

#endif
