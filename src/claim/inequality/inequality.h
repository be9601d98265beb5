/*
 * Inequalities between norms, inner products, weights and outputs of attention, for any number of
 * keys: proved by a small calculus of lemmas. What a claim speaks of (|x|, x.y, a weight, a largest
 * member, an entropy) becomes atoms, which are numbers; lemmas say what is known of them; and the
 * difference of the two sides is written as a sum of products of known things that are not
 * negative. That sum is the certificate, and is checked exactly.
 *
 * The engine only ever proves. What it does not understand it leaves alone.
 */
#ifndef QKV_CLAIM_INEQUALITY_H
#define QKV_CLAIM_INEQUALITY_H

#include "claim/premise/finding.h"

/* Whether the claim is proved; then the finding says how. Else the finding is left as it was. */
bool qkv__inequality_prove(qkv__model *model, const qkv__node *proposition,
                           const qkv__circumstances *circumstances, qkv__finding *finding);

#endif
