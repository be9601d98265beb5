/*
 * Counterexamples to claims that no other engine could take: the free vectors, matrices and
 * parameters are filled with small numbers, and the claim is evaluated with error bounds. One
 * failure refutes; none supports, with the number of tries. Never a proof.
 *
 * A refutation is certain: every number is an exact rational or enclosed in a ball, assumptions and
 * premises must hold for every number in the balls, and the claim must fail for every one. A case
 * in which something has no value (1/0) counts for nothing. Limits are not tried.
 */
#ifndef QKV_CLAIM_SEARCH_H
#define QKV_CLAIM_SEARCH_H

#include "claim/decide.h"

/* Leaves the finding alone where the claim is not of a kind that can be tried. */
void qkv__search(qkv__model *model, const qkv__node *proposition,
                 const qkv__circumstances *circumstances, qkv__finding *finding);

typedef enum qkv__search_result {
    QKV__SEARCH_UNABLE, /* not of a kind that can be tried, or no memory */
    QKV__SEARCH_NOTHING,
    QKV__SEARCH_FOUND,
} qkv__search_result;

/* The search itself: up to so many cases in which the premises hold are looked at; *met is how many
 * there were. A counterexample is appended to the text, as a sentence. */
qkv__search_result qkv__search_contradiction(qkv__model *model, const qkv__node *proposition,
                                             const qkv__circumstances *circumstances, size_t tries,
                                             size_t *met, qkv__text *text);

#endif
