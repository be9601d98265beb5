/*
 * Claims that follow from others of the same engines: both of p and q, each by the engine that can
 * decide it, and p implies q from its contrapositive. `p iff q` is two implications, of which one
 * often needs another engine than the other.
 */
#ifndef QKV_CLAIM_HALVES_H
#define QKV_CLAIM_HALVES_H

#include "claim/premise/finding.h"

/* Who is asked: `again` about a part, `lemma` about a contrapositive. Neither looks for examples.
 */
typedef struct qkv__halves_deciders {
    qkv__decider *again, *lemma;
} qkv__halves_deciders;

/* Whether the claim is decided; then the finding says how. Else the finding is left as it was. */
bool qkv__halves_decide(qkv__model *model, const qkv__node *proposition,
                        const qkv__circumstances *circumstances,
                        const qkv__halves_deciders *deciders, qkv__finding *finding);

#endif
