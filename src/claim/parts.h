/*
 * Comparisons that follow from comparisons of the parts of both sides, one by one: sums from their
 * terms, outputs of attention from the tokens that are looked at. What is made is for a proof
 * alone: where it does not hold, the comparison still may.
 */
#ifndef QKV_CLAIM_PARTS_H
#define QKV_CLAIM_PARTS_H

#include "claim/model/model.h"

/* The proposition from which a comparison follows, and why; NULL: the sides have no such parts. */
const qkv__node *qkv__parts_of_comparison(qkv__model *model, const qkv__binding *locals,
                                          const qkv__node *comparison, const char **why);

#endif
