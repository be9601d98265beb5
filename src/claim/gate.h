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

/* The same for a question that is refuted: by a part in which nothing that is asked for stands, or
 * because nothing will do for some choice of the rest. */
void qkv__gate_question(qkv__model *model, const qkv__statement *find,
                        const qkv__circumstances *circumstances, qkv__finding *finding);

#endif
