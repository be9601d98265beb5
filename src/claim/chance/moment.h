/*
 * Moments of random numbers as formulas: means, covariances and laws of what is a polynomial in
 * scores, lengths and inner products of random keys.
 *
 *     E(k[a].k[b]),  Var(k[a].q),  E(|k[a]|^2) = |mu|^2 + alpha*d + s*|mu|^4
 *
 * A random parameter is a normal number of its own (random_declare.h), or an inner product of which
 * at least one side is standard noise z in every direction. Nothing here is numeric.
 */
#ifndef QKV_CLAIM_MOMENT_H
#define QKV_CLAIM_MOMENT_H

#include "claim/premise/situation.h"

/* A ratio under the premises, as qkv__situation_apply has it; as it was where that is lost for a
 * root, sqrt(alpha) at alpha = 1/10, and no premise but fixed numbers is left out by it. */
qkv__ratio qkv__moment_apply(const qkv__situation *s, qkv__ratio f);

/* E f, where f is a polynomial in random parameters of which nothing is given. False for anything
 * else, and where a dimension is needed that no declaration names. */
bool qkv__moment_mean(qkv__situation *s, qkv__ratio f, qkv__ratio *mean);

/* E(fg) - E(f)E(g), likewise. */
bool qkv__moment_covariance(qkv__situation *s, qkv__ratio f, qkv__ratio g, qkv__ratio *covariance);

/* E x for a vector whose coefficients are such polynomials, and E|x - E x|^2. */
bool qkv__moment_vector(qkv__situation *s, const qkv__vector *x, const qkv__vector **mean);
bool qkv__moment_spread(qkv__situation *s, const qkv__vector *x, qkv__ratio *variance);

/* Whether f is a linear combination of jointly normal numbers, hence normal; its law. */
bool qkv__moment_normal(qkv__situation *s, qkv__ratio f, qkv__ratio *mean, qkv__ratio *variance);

/* Mean of one random parameter, and covariance of two, which are jointly normal; false where one is
 * not normal, or something is given of it. */
bool qkv__moment_of_parameter(qkv__situation *s, int parameter, qkv__ratio *mean);
bool qkv__moment_of_parameters(qkv__situation *s, int p, int q, qkv__ratio *covariance);

/* Whether a number has the law of its opposite and is almost never 0: an inner product of two
 * independent vectors of mean 0, times what keeps its sign. */
bool qkv__moment_is_balanced(qkv__situation *s, qkv__ratio f);

#endif
