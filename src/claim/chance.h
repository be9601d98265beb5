/*
 * Chance: what is claimed of P, E, Var and Cov, and the law of a result. Weights depend on normal
 * parameters (random.h); integrals over one or two of them are enclosed (ball/expectation.h), and
 * in a limit the normal line falls into intervals on each of which the limit is one and the same.
 */
#ifndef QKV_CLAIM_CHANCE_H
#define QKV_CLAIM_CHANCE_H

#include "ball/expectation.h"
#include "claim/compare.h"

/* A number known up to an interval; exact where it is rational and known as such. */
typedef struct qkv__likely {
    bool exact;
    qkv__rational value;
    double lower, upper; /* rounded outward */
} qkv__likely;

/* P(...), E(...), E[...], Var(...), Cov(...): the arguments, and what is given. */
typedef struct qkv__chance_call {
    char kind; /* P, E, V or C; 0: it is no such call */
    size_t count;
    const qkv__node *argument[2];
    const qkv__node *given; /* NULL: nothing */
} qkv__chance_call;

qkv__chance_call qkv__chance_read(const qkv__node *node);

/* Whether an expression or proposition has P, E, Var or Cov in it. */
bool qkv__speaks_of_chance(const qkv__node *node);

/* A call of them with too many or too few arguments, and what is expected; NULL: none. */
const qkv__node *qkv__chance_miscounted(const qkv__node *node, const char **expected);

/* Whether they are all P(x ~ y), which is about limits and tends to nothing itself. */
bool qkv__chance_is_settled(const qkv__node *node);

/* A comparison of numbers with P, E, Var or Cov in them. */
qkv__verdict qkv__compare_chance(qkv__situation *s, const qkv__node *comparison);

/* The value of such an expression, as far as integrals and limits tell. */
bool qkv__chance_evaluate(qkv__situation *s, const qkv__node *node, qkv__likely *result);

/* What two intervals say of a comparison: proved, refuted or undecided. */
qkv__verdict qkv__chance_judge(qkv__likely x, qkv__likely y, qkv__comparison comparison);

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

/* x ~ y with something random in it: for all stretches. */
qkv__verdict qkv__decide_random_limit(qkv__situation *s, const qkv__value *x, const qkv__gap *gaps,
                                      size_t count);

/* `law of x`: the outcomes in the limit with their probabilities, or mean and variance. */
void qkv__law(qkv__model *model, const qkv__node *expression,
              const qkv__circumstances *circumstances, qkv__finding *finding);

#endif
