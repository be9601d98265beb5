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

#include "ball/expectation.h"
#include "claim/premise/situation.h"

/* Reads a declaration of random keys. */
bool qkv__random_declare(qkv__model *model, const qkv__node *declaration, qkv__failure *failure,
                         const qkv__node **culprit);

/* Whether some statement of a problem, from `first` on, declares random keys. */
bool qkv__random_is_declared(const qkv__statement *first);

/* Whether the conditions let all noise in every direction vanish before anything else happens:
 * limits alpha -> 0 that come first, or alpha = 0. Where it vanishes in a limit, what is asked may
 * not measure it: Var(k[b].mu[b])/alpha does. NULL: nothing is asked. */
bool qkv__random_is_still(qkv__model *model, const qkv__circumstances *circumstances,
                          const qkv__node *asked);

/* Whether a condition is about such noise alone, and met by a still model. */
bool qkv__random_is_met(const qkv__model *model, const qkv__node *condition);

/* Takes such a condition: alpha = 0 makes it a number wherever else it stands. */
void qkv__random_meet(qkv__model *model, const qkv__node *condition);

/* The law of a parameter; false when it is none of chance, or its variance is no number. */
bool qkv__random_law(const qkv__situation *s, int parameter, qkv__normal *normal);

/* Whether a parameter is random: a normal number of its own, an inner product with noise, or what
 * random scores of many keys come to together. */
bool qkv__random_is(const qkv__model *model, int parameter);

/* The inner product with noise that a parameter stands for; NULL: it is none. */
const qkv__unknown_product *qkv__random_product(const qkv__model *model, int parameter);

/* Whether a ratio depends on a random parameter. */
bool qkv__random_touches(const qkv__model *model, qkv__ratio ratio);

/* Whether a proposition may be about something random: all but comparisons of numbers that are not.
 */
bool qkv__random_is_about(const qkv__situation *s, const qkv__node *proposition);

/* Whether a vector has noise in every direction in it. */
bool qkv__random_is_noisy(const qkv__vector *vector);

#endif
