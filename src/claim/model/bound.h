/* What is known of parameters. */
#ifndef QKV_CLAIM_BOUND_H
#define QKV_CLAIM_BOUND_H

#include "claim/model/model.h"

/* Takes a proposition such as n >= 3 or beta > 0 as a bound; false when it is none. */
bool qkv__model_bound(qkv__model *model, const qkv__node *proposition, qkv__failure *failure);

/* Narrows what a parameter may be; a weaker bound than the one known changes nothing. */
void qkv__parameter_narrow(qkv__parameter *parameter, qkv__comparison comparison,
                           qkv__rational value);

/* What is known of a number that turns out to count. */
void qkv__parameter_counts(qkv__parameter *parameter);

/* Keeps a premise that is more than a bound; false when there is no room, or for NULL. */
bool qkv__model_add_premise(qkv__model *model, const qkv__node *premise);

/* left < right and the like, in the model's arena; NULL: no memory. */
const qkv__node *qkv__model_comparison(qkv__model *model, const qkv__node *left,
                                       qkv__comparison comparison, const qkv__node *right);

#endif
