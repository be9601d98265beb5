/*
 * Limits of attention over any number of keys, of which nothing but premises is known: what the
 * weights tend to follows from how the scores grow, and the claim is asked again with these limits
 * in place of the weights. Five lemmas, for keys, query and values that are held fixed:
 *
 *     the largest score takes all   scores f*g[i] + o(f), f -> inf, g[j] > g[i] for all i != j:
 *                                   weight[j] -> 1, the others -> 0, faster than any power of f
 *     largest scores that tie       the same for m keys whose scores are equal: 1/m each
 *     a score below another         the weight of that key -> 0 likewise, whatever the others do
 *     scores that vanish            every weight -> 1/n
 *     scores that are equal         every weight = 1/n, in a limit or not
 *
 * A sink is one more key, of score `sink` and value 0: it takes all where it exceeds all scores,
 * and it shares where it ties.
 *
 * The number of keys is held fixed too: where it grows, a margin may shrink with it.
 */
#ifndef QKV_CLAIM_LIMITING_H
#define QKV_CLAIM_LIMITING_H

#include "claim/premise/finding.h"

/* Who is asked: `again` for the claim with the limits put in, `lemma`, which looks for no examples,
 * for what a lemma needs, `search`, which looks for nothing else, for an example of a tie. */
typedef struct qkv__limiting_deciders {
    qkv__decider *again, *lemma, *search;
} qkv__limiting_deciders;

/* Whether the claim is decided; then the finding says how. Else the finding is left as it was. */
bool qkv__limiting_decide(qkv__model *model, const qkv__node *proposition,
                          const qkv__circumstances *circumstances,
                          const qkv__limiting_deciders *deciders, qkv__finding *finding);

#endif
