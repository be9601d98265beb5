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

#endif
