/*
 * Indexes compared with each other: i = j, i < j, i >= 2. What the model knows of where members
 * stand: those with different names are different, and numbers come in their order.
 */
#ifndef QKV_CLAIM_PREMISE_ORDER_H
#define QKV_CLAIM_PREMISE_ORDER_H

#include "claim/premise/situation.h"

/* Whether both sides of a comparison are indexes, or one of them and the other a whole number.
 * *truth: 1 it holds, -1 it does not, 0 open. */
bool qkv__compares_indexes(const qkv__situation *s, const qkv__node *node, int *truth);

/* Whether the members of a set stand in an order: those of 1..n do, those of u[a, b] do not. */
bool qkv__comparison_has_order(const qkv__situation *s, const qkv__node *node);

#endif
