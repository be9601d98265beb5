/* Which parameters of a model are random. */
#ifndef QKV_CLAIM_RANDOM_PARAMETERS_H
#define QKV_CLAIM_RANDOM_PARAMETERS_H

#include "claim/model/model.h"

/* Whether a parameter is random: a normal number of its own, an inner product with noise, or what
 * random scores of many keys come to together. */
bool qkv__random_is(const qkv__model *model, int parameter);

/* The inner product with noise that a parameter stands for; NULL: it is none. */
const qkv__unknown_product *qkv__random_product(const qkv__model *model, int parameter);

/* Whether a ratio depends on a random parameter. */
bool qkv__random_touches(const qkv__model *model, qkv__ratio ratio);

/* Whether a vector has noise in every direction in it. */
bool qkv__random_is_noisy(const qkv__vector *vector);

#endif
