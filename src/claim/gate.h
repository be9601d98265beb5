/*
 * The gate that every verdict passes: the second reading of the document must agree with it. What
 * an engine refuted must fail on a concrete instance; what it proved must hold on all that are
 * tried.
 */
#ifndef QKV_CLAIM_GATE_H
#define QKV_CLAIM_GATE_H

#include "claim/premise/finding.h"

/* Takes a verdict back where the readings disagree, or where a refutation has no instance. Says in
 * the finding how many instances were replayed: 0 where a claim is beyond the second reading. */
void qkv__gate(qkv__model *model, const qkv__node *proposition,
               const qkv__circumstances *circumstances, qkv__finding *finding);

/* A question that a part of it refutes, in which nothing that is asked for stands. */
void qkv__gate_part(qkv__model *model, const qkv__circumstances *circumstances,
                    qkv__finding *finding);

#endif
