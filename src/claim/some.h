/* Claims that some member of a family does: `exists j in 1..n: p`, which is read as
 * `not (for all j in 1..n: not p)`. */
#ifndef QKV_CLAIM_SOME_H
#define QKV_CLAIM_SOME_H

#include "claim/premise/situation.h"

/* Whether `wanted` holds for some index of the domain, whatever the rest: proved or undecided.
 * `decide` is asked about single members and about sums. */
qkv__verdict qkv__decide_some(qkv__situation *s, const qkv__node *domain, const qkv__node *wanted,
                              qkv__verdict (*decide)(qkv__situation *, const qkv__node *));

#endif
