/* Two values, compared exactly or by balls. */
#ifndef QKV_CLAIM_COMPARE_H
#define QKV_CLAIM_COMPARE_H

#include "claim/premise/situation.h"

/* The verdict on a comparison of two values; the node says which one, and where. */
qkv__verdict qkv__compare_values(qkv__situation *s, const qkv__node *node, qkv__value x,
                                 qkv__value y);

/* x in l .. u: both comparisons. */
qkv__verdict qkv__compare_interval(qkv__situation *s, const qkv__node *node);

#endif
