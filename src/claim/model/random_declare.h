/*
 * Random keys: k[i] ~ normal(mu[i], alpha*I + s*mu[i]*mu[i]').
 *
 * Noise along given directions is a normal number each, eps[a] with k[a] = eps[a]*mu[a], a
 * parameter of the algebra: weights are exact expressions in it. Noise in every direction, alpha*I,
 * is a vector of which only inner products are known; as alpha -> 0 it vanishes, and a model may be
 * made without it from the start (`still`): for a fixed query outputs are continuous in the keys.
 */
#ifndef QKV_CLAIM_RANDOM_DECLARE_H
#define QKV_CLAIM_RANDOM_DECLARE_H

#include "claim/model/model.h"

/* Reads a declaration of random keys. */
bool qkv__random_declare(qkv__model *model, const qkv__node *declaration, qkv__failure *failure,
                         const qkv__node **culprit);

/* Whether some statement of a problem, from `first` on, declares random keys. */
bool qkv__random_is_declared(const qkv__statement *first);

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
