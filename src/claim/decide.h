/*
 * A claim taken apart: its conditions are taken, and what is put together by and, or, not, implies
 * and quantifiers is decided by its parts, down to comparisons.
 */
#ifndef QKV_CLAIM_DECIDE_H
#define QKV_CLAIM_DECIDE_H

#include "claim/premise/finding.h"

/* False: it is open, and the conditions leave it to be tried. */
bool qkv__decide_exactly(qkv__model *model, const qkv__node *proposition,
                         const qkv__circumstances *circumstances, qkv__finding *finding);

/* Whether something is divided by 0 under the conditions, so that nothing is claimed. */
bool qkv__divides_by_zero(qkv__model *model, const qkv__node *node,
                          const qkv__circumstances *circumstances);

/* Whether a proof says that a premise never holds; and without that, which is said of one case. */
bool qkv__says_never(const qkv__finding *finding);
void qkv__leave_out_never(qkv__finding *finding);

#endif
