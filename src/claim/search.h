/*
 * Counterexamples to claims that no other engine could take: the free vectors, matrices and
 * parameters are filled with small numbers, and the claim is evaluated with error bounds. One
 * failure refutes; none supports, with the number of tries. Never a proof.
 */
#ifndef QKV_CLAIM_SEARCH_H
#define QKV_CLAIM_SEARCH_H

#include "claim/decide.h"

/* Leaves the finding alone where the claim is not of a kind that can be tried. */
void qkv__search(qkv__model *model, const qkv__node *proposition,
                 const qkv__circumstances *circumstances, qkv__finding *finding);

#endif
