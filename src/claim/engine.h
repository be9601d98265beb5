/* The choice of an engine. */
#ifndef QKV_CLAIM_ENGINE_H
#define QKV_CLAIM_ENGINE_H

#include "claim/premise/situation.h"

/* The verdict on a comparison, by the strongest engine that can take it. */
qkv__verdict qkv__compare(qkv__situation *s, const qkv__node *comparison);

#endif
