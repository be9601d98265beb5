/*
 * Thresholds in numbers: from which value of a parameter on some numbers are not negative, in
 * decimals that are true.
 */
#ifndef QKV_CLAIM_THRESHOLD_NUMBER_H
#define QKV_CLAIM_THRESHOLD_NUMBER_H

#include "ball/least.h"
#include "claim/model/model.h"

enum { QKV__CONSTRAINTS = 64 };

/* value >= 0, or > 0. */
typedef struct qkv__constraint {
    qkv__ratio value;
    bool strict;
} qkv__constraint;

/* From which value of the parameter on do all constraints hold? */
typedef struct qkv__least_task {
    qkv__model *model;
    struct qkv__question *question; /* who asks, for the files of find; NULL: nobody */
    bool premised;                  /* some condition is more than a bound, and was not taken */
    qkv__algebra *algebra;
    int parameter;
    const char *name; /* of the parameter */
    size_t count;
    qkv__constraint constraint[QKV__CONSTRAINTS];
    bool loose[QKV__CONSTRAINTS]; /* it holds just below the threshold as well */
} qkv__least_task;

/* Whether bounds are all that is known of the parameters of the constraints: no premise that is no
 * bound, no score that is another one for each key. Else a threshold that is found need not be the
 * least one, or may hide the parameter. */
bool qkv__least_is_bounded(const qkv__least_task *task);

/* Whether inner products are among the parameters, which not all numbers can be at once. */
bool qkv__least_has_products(const qkv__least_task *task);

/* Whether all parameters of the constraints but the one asked for are numbers. */
bool qkv__least_others_are_fixed(const qkv__least_task *task);

/* "n = 10", of those that are numbers; `before` stands in front if there are any. */
void qkv__least_write_fixed(const qkv__least_task *task, const char *before, qkv__text *text);

/* One constraint by the ball. Without a lower bound of the parameter one is tried that is low
 * enough to see the constraint fail: the threshold does not depend on it. */
qkv__least qkv__least_of(const qkv__least_task *task, qkv__ratio value, qkv__least_result *result);

/* The least number of so many digits that is not below the value, and what one more in its last
 * digit is; false for numbers too large or too small to care. */
bool qkv__decimal_round_up(qkv__rational value, int digits, qkv__rational *rounded,
                           qkv__rational *unit);

void qkv__digits_write(qkv__rational value, int digits, qkv__text *text);

/*
 * Appends from when on a ratio is at most a tolerance, for the reasons of other verdicts:
 *
 *     at most 1 % from beta = ln(99*(n - 2)/2) on, 5.99 at n = 10
 *
 * Bounds are those that the model has now. Numbers are rounded up, so that the sentence is true.
 * False, and nothing appended, when there is no such beta or none was found.
 */
bool qkv__find_least_sentence(qkv__model *model, qkv__ratio leak, int parameter,
                              qkv__rational tolerance, qkv__text *text);

#endif
