/*
 * Averages over the unmarked keys whose scores differ, by their weights: of a number or a vector
 * that is one thing for each of them, such as k[i].p or k[i]. The generic key is not among them
 * (see qkv__spread). An average of what is linear in the members of families is the same of the
 * families' averages; of anything else it is lost.
 */
#ifndef QKV_EXACT_AVERAGE_H
#define QKV_EXACT_AVERAGE_H

#include "exact/space.h"

/* The set of the keys that a generic score is of; NULL where that is not plain. */
const qkv__index_set *qkv__score_set(const qkv__space *space, qkv__ratio score);

/* The number b for which the exponentials of the others' scores sum to as many times e^b: that of
 * the attention with these scores. Lost where there is none. */
qkv__ratio qkv__average_exponent(qkv__space *space, qkv__ratio score);

/* By the weights of these scores. Lost, or NULL, where the average is not known. */
qkv__ratio qkv__average_number(qkv__space *space, qkv__ratio score, qkv__ratio number);
const qkv__vector *qkv__average_vector(qkv__space *space, qkv__ratio score,
                                       const qkv__vector *vector);

#endif
