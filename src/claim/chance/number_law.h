/* Laws of random numbers by themselves, exactly: moments of powers and exponentials, events. */
#ifndef QKV_CLAIM_NUMBER_LAW_H
#define QKV_CLAIM_NUMBER_LAW_H

#include "claim/premise/situation.h"

/* E x^power of a number with this law. */
qkv__ratio qkv__law_power_mean(qkv__algebra *algebra, const qkv__chance *chance, int power);

/* E e^(slope*x) of a number that is uniform; false where the slope may be 0. */
bool qkv__law_exponential_mean(qkv__algebra *algebra, const qkv__chance *chance, qkv__ratio slope,
                               qkv__ratio *mean);

/* A uniform number that a form is linear in, with what else is in it: rest + slope*x. */
const qkv__chance *qkv__law_linear_uniform(const qkv__situation *s, qkv__ratio f, qkv__ratio *slope,
                                           qkv__ratio *rest);

/* P of a proposition about numbers that are uniform, or 0 or 1, as a formula; false: unknown. */
bool qkv__law_event(qkv__situation *s, const qkv__node *event, qkv__ratio *chance);

/* Whether a ratio depends on a number that is 0 or 1, and on which. */
bool qkv__law_is_discrete(const qkv__situation *s, qkv__ratio f, const qkv__chance **chance);

#endif
