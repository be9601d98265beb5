/*
 * Comparisons with the largest or the smallest of many numbers, rewritten as statements about all
 * of them. What is made is for a proof alone: where it does not hold, the comparison still may.
 */
#ifndef QKV_CLAIM_EXTREMES_H
#define QKV_CLAIM_EXTREMES_H

#include "claim/model/model.h"

/* max(x for i in S) <= y as: for all i in S: x <= y. NULL where the comparison is no such one. */
const qkv__node *qkv__extreme_as_all(qkv__model *model, const qkv__node *comparison);

/* A comparison with max(x for i in S) in it as: (for all i in S: x <= t) implies the same with t,
 * for a number t of which nothing else is known. NULL where there is none, or no room. */
const qkv__node *qkv__extreme_as_bound(qkv__model *model, const qkv__node *comparison);

/* Whether what the extreme is taken of has sums, or functions of the document, in which its index
 * may meet another one: then the index may stand for all only case by case. */
bool qkv__extreme_mixes(const qkv__model *model, const qkv__node *node);

#endif
