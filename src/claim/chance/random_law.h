/* The laws of random parameters. */
#ifndef QKV_CLAIM_RANDOM_LAW_H
#define QKV_CLAIM_RANDOM_LAW_H

#include "ball/expectation.h"
#include "claim/premise/situation.h"

/* The law of a parameter; false when it is none of chance, or its variance is no number. */
bool qkv__random_law(const qkv__situation *s, int parameter, qkv__normal *normal);

#endif
