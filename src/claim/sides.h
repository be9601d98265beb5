/*
 * A premise that two numbers differ, t != 0, taken as two: the claim is decided where the one is
 * less than the other, and where it is greater. Engines take bounds; that numbers differ is none.
 */
#ifndef QKV_CLAIM_SIDES_H
#define QKV_CLAIM_SIDES_H

#include "claim/model/model.h"
#include "claim/premise/finding.h"

/* Such a premise of a claim; NULL: there is none. */
const qkv__node *qkv__premise_with_sides(qkv__model *model, const qkv__node *proposition,
                                         const qkv__circumstances *circumstances);

/* False, and the finding is as before: there is no such premise, or a side of it is left open. */
bool qkv__decide_sides(qkv__model *model, const qkv__node *proposition,
                       const qkv__circumstances *circumstances, qkv__decider *decide,
                       qkv__finding *finding);

#endif
