/* Inner products that are unknown, by coordinates. */
#ifndef QKV_CLAIM_EMBED_H
#define QKV_CLAIM_EMBED_H

#include "claim/premise/situation.h"

/* Puts coordinates in place of inner products that are unknown, where lengths are compared. */
void qkv__situation_embed(qkv__situation *s, const qkv__value *x, const qkv__value *y);

#endif
