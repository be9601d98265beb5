/* What the files of the chance engine share. */
#ifndef QKV_CLAIM_CHANCE_PART_H
#define QKV_CLAIM_CHANCE_PART_H

#include "claim/chance/chance.h"

/* A comparison by formulas in the parameters; false: there are none, or they do not decide it. */
bool qkv__chance_by_formula(qkv__situation *s, const qkv__node *comparison, qkv__verdict *verdict);

/* ---- Normal numbers ------------------------------------------------------------------------ */

/* A normal number that is above 0, at 0 and below 0 just where f is, with mean and variance. */
bool qkv__chance_normal(qkv__situation *s, qkv__ratio f, qkv__ratio *normal, qkv__ratio *mean,
                        qkv__ratio *variance);

/* P(L > 0) and so on, of a normal number L; exact where it is a half, 0 or 1. */
bool qkv__chance_of_normal(qkv__situation *s, qkv__ratio mean, qkv__ratio variance,
                           qkv__event event, qkv__likely *result);

/* The same for f of which one side of 0 is certain, or that is not random. */
bool qkv__chance_is_certain(qkv__situation *s, qkv__ratio f, qkv__event event, qkv__likely *result);

/* P(f[0] > 0 and f[1] > 0) where both are as above, and uncorrelated or fully correlated. */
bool qkv__chance_of_both(qkv__situation *s, const qkv__ratio f[2], const qkv__event event[2],
                         qkv__likely *result);

/* Ratios (at most two) of many normal numbers as ratios of one, a new parameter with this law, at
 * numbers. False, and all as it was, where they depend on more than one. */
bool qkv__chance_merge(qkv__situation *s, qkv__ratio *f, size_t count, qkv__normal *normal);

/* E|f| of a normal number f, at numbers. */
bool qkv__chance_mean_size(qkv__situation *s, qkv__ratio f, qkv__likely *result);

/* What is not random, in numbers: over all that the parameters may be. */
bool qkv__chance_number(qkv__situation *s, qkv__ratio ratio, qkv__likely *result);

/* Whether something is known of random numbers that is more than a bound of one normal parameter:
 * what is asked of P and E is then asked of another law. */
bool qkv__chance_is_conditioned(qkv__situation *s);

/* Whether a premise put something else in the place of a random number. What stands there then is
 * no letter that is fixed, and its law is not known. */
bool qkv__chance_is_replaced(qkv__situation *s);

/* P of a proposition, and of f > 0 and so on. */
bool qkv__chance_of_event(qkv__situation *s, const qkv__node *node, qkv__likely *result);
bool qkv__chance_probability(qkv__situation *s, qkv__ratio f, qkv__event event,
                             qkv__likely *result);

/* P of an event about the order of numbers that may change places (chance_order.c), as a formula.
 */
bool qkv__chance_of_order(qkv__situation *s, const qkv__node *event, qkv__ratio *chance);

/* ---- Limits -------------------------------------------------------------------------------- */

/* An interval of the normal line on which limits are one and the same. Ends that are not known are
 * infinite; the ends themselves have no probability. */
typedef struct qkv__stretch {
    qkv__bound lower, upper;
} qkv__stretch;

enum { QKV__STRETCHES = 24 };

typedef struct qkv__partition {
    int parameter; /* -1: nothing random takes part; then there is one stretch */
    qkv__normal normal;
    size_t count;
    qkv__stretch stretch[QKV__STRETCHES];
} qkv__partition;

/* Where the limits of some ratios change, along the one normal parameter that they depend on,
 * within the bounds that it has. False: more than one, or the places are no rational numbers. */
bool qkv__partition_make(qkv__situation *s, const qkv__ratio *ratios, size_t count,
                         qkv__partition *partition);

/* Of neighbouring stretches, given the bounds that the parameter has; exact where it can be. */
qkv__likely qkv__partition_probability(const qkv__partition *partition, size_t first, size_t last);

/* Narrows the parameter to a stretch; restore the situation behind it. */
void qkv__partition_enter(qkv__situation *s, const qkv__partition *partition, size_t stretch);

/* ---- chance_bound.c ------------------------------------------------------------------ */

/* A comparison from which this one follows, whatever the law is, and the lemma that says so; NULL:
 * none. */
const qkv__node *qkv__chance_sufficient(qkv__situation *s, const qkv__node *comparison,
                                        const char **lemma);

#endif
