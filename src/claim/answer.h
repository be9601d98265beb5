/*
 * Answers of `exists`, `find` and `law`, read again: what is printed is put in and tried on
 * concrete instances by the second reading of the document. An answer that fails there, or that no
 * case allows, is taken back.
 */
#ifndef QKV_CLAIM_ANSWER_H
#define QKV_CLAIM_ANSWER_H

#include "claim/premise/finding.h"

/* Whether a claim is about sums of weights alone. Exact engines have one formula for weights,
 * whatever the number of keys: it may be decided where there are too many keys to be tried. */
bool qkv__is_of_weights(const qkv__node *proposition);

/* exists q: p was answered with a q. */
void qkv__answer_of_exists(qkv__model *model, const qkv__node *exists,
                           const qkv__circumstances *circumstances, qkv__finding *finding);

void qkv__answer_of_find(qkv__model *model, const qkv__statement *statement,
                         const qkv__circumstances *circumstances, qkv__finding *finding);
void qkv__answer_of_law(qkv__model *model, const qkv__statement *statement,
                        const qkv__circumstances *circumstances, qkv__finding *finding);

#endif
