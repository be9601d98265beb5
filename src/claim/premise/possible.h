/* Whether there are vectors with the inner products that are supposed. */
#ifndef QKV_CLAIM_POSSIBLE_H
#define QKV_CLAIM_POSSIBLE_H

#include "claim/premise/situation.h"

/* Whether no vectors have the inner products that are given and supposed. False where that is not
 * known. */
bool qkv__situation_is_impossible(const qkv__situation *s);

#endif
