/*
 * Chance: what is claimed of P, E, Var and Cov, and the law of a result. Weights depend on normal
 * parameters (random_declare.h); integrals over one or two of them are enclosed
 * (ball/expectation.h), and in a limit the normal line falls into intervals on each of which the
 * limit is one and the same.
 */
#ifndef QKV_CLAIM_CHANCE_H
#define QKV_CLAIM_CHANCE_H

#include "ball/expectation.h"
#include "claim/chance/likely.h"
#include "claim/premise/gap.h"

/* A comparison of numbers with P, E, Var or Cov in them. */
qkv__verdict qkv__compare_chance(qkv__situation *s, const qkv__node *comparison);

/* The comparison with expressions of the same value in place of E, Var and Cov, for others to
 * decide: sines, absolute values and the like of normal numbers have such (chance_function.c). They
 * speak of names that *locals adds to the situation's. NULL: none is known. */
const qkv__node *qkv__chance_without(qkv__situation *s, const qkv__node *comparison,
                                     const qkv__binding **locals);

/* Whether neither chance nor anything random is in a comparison; false also where that is not
 * known. */
bool qkv__chance_is_fixed(qkv__situation *s, const qkv__node *comparison);

/* The value of such an expression, as far as integrals and limits tell. */
bool qkv__chance_evaluate(qkv__situation *s, const qkv__node *node, qkv__likely *result);

/* x ~ y with something random in it: for all stretches. */
qkv__verdict qkv__decide_random_limit(qkv__situation *s, const qkv__value *x, const qkv__gap *gaps,
                                      size_t count);

/* `law of x`: the outcomes in the limit with their probabilities, or mean and variance. */
void qkv__law(qkv__model *model, const qkv__node *expression,
              const qkv__circumstances *circumstances, qkv__finding *finding);

#endif
