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

#endif
