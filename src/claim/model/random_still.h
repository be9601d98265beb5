/* Noise of random keys that vanishes, in a limit or as given. */
#ifndef QKV_CLAIM_RANDOM_STILL_H
#define QKV_CLAIM_RANDOM_STILL_H

#include "claim/model/model.h"

/* Whether the conditions let all noise in every direction vanish before anything else happens:
 * limits alpha -> 0 that come first, or alpha = 0. Where it vanishes in a limit, what is asked may
 * not measure it: Var(k[b].mu[b])/alpha does. NULL: nothing is asked. */
bool qkv__random_is_still(qkv__model *model, const qkv__circumstances *circumstances,
                          const qkv__node *asked);

/* Whether a condition is about such noise alone, and met by a still model. */
bool qkv__random_is_met(const qkv__model *model, const qkv__node *condition);

/* Takes such a condition: alpha = 0 makes it a number wherever else it stands. */
void qkv__random_meet(qkv__model *model, const qkv__node *condition);

#endif
