/* Random numbers: scalar z ~ normal(m, s^2), uniform(a, b), bernoulli(p). Each is a parameter of
 * the algebra with a law of its own, independent of all others. */
#ifndef QKV_CLAIM_RANDOM_NUMBER_H
#define QKV_CLAIM_RANDOM_NUMBER_H

#include "claim/model/model.h"

bool qkv__random_number_declare(qkv__model *model, const qkv__node *declaration,
                                qkv__failure *failure, const qkv__node **culprit);

/* A letter that a law needs not to be negative is not: otherwise there is no such law. Nothing
 * happens where the node is something else than a letter. */
void qkv__random_give_not_negative(qkv__model *model, const qkv__node *letter);

/* Whether a ratio is seen not to be negative, as a variance must: by its sign, or as a square. */
bool qkv__random_is_not_negative(qkv__algebra *algebra, qkv__ratio value);

/* The law of a parameter; NULL: it has none of its own. */
const qkv__chance *qkv__random_chance(const qkv__model *model, int parameter);

#endif
