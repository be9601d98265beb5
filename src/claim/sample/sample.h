/*
 * The sample engine: claims about P, E, Var and Cov at numbers, where no integral is known: noise
 * in every direction, or many random numbers at once. Samples come from the lab with one seed, the
 * intervals are confidence sequences, and drawing stops as soon as they tell. A verdict is never
 * `proved`; it is wrong with a probability of at most 1e-6.
 */
#ifndef QKV_CLAIM_SAMPLE_H
#define QKV_CLAIM_SAMPLE_H

#include "claim/premise/situation.h"

/* How much was said in the finding before a comparison. */
typedef struct qkv__told {
    size_t found, reason;
} qkv__told;

/* The verdict on a comparison that the other engines left undecided. What they said of it, beyond
 * `told`, gives way to what is found here. */
qkv__verdict qkv__sample_decide(qkv__situation *s, const qkv__node *comparison, qkv__told told);

#endif
