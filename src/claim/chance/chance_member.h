/*
 * Sums over keys that are drawn alike, from a single one of them: E(sum(f(k[i]) for i in 1..n)) is
 * n*E(f(k[i])) for any i, and so is Var, since the keys are independent. Replay sums as it is
 * written.
 */
#ifndef QKV_CLAIM_CHANCE_MEMBER_H
#define QKV_CLAIM_CHANCE_MEMBER_H

#include "claim/model/model.h"

/* A comparison that says the same: for all i in 1..n: the comparison with E(f(k[i])) in the place
 * of such sums. NULL: there are none, or memory ran out. */
const qkv__node *qkv__chance_by_member(qkv__model *model, const qkv__node *comparison,
                                       const qkv__circumstances *circumstances);

#endif
