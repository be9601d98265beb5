/*
 * Claims about random numbers without P or E in them, which must hold with probability 1: a number
 * that is 0 or 1 is put in both ways, and one that is uniform lies between its ends.
 */
#ifndef QKV_CLAIM_DRAWS_H
#define QKV_CLAIM_DRAWS_H

#include "claim/premise/situation.h"

/* Decides a proposition, or each case of what can be drawn, by `decide`. */
qkv__verdict qkv__decide_draws(qkv__situation *s, const qkv__node *proposition,
                               qkv__verdict (*decide)(qkv__situation *, const qkv__node *));

#endif
