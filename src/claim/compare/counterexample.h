/* Counterexamples in words. */
#ifndef QKV_CLAIM_COUNTEREXAMPLE_H
#define QKV_CLAIM_COUNTEREXAMPLE_H

#include "claim/premise/situation.h"

/* Tells of a point at which a difference has the wrong sign: as simple a one as there is, and both
 * sides at it where they are numbers; else whose factors differ (family NULL: the sides). */
void qkv__counterexample(qkv__situation *s, qkv__ratio difference, const qkv__point *found,
                         const qkv__value *left, const qkv__value *right, qkv__symbol symbol);

#endif
