/* What the files that find thresholds share: the conditions of a question as numbers that must not
 * be negative, and thresholds in decimals. */
#ifndef QKV_CLAIM_FIND_LEAST_H
#define QKV_CLAIM_FIND_LEAST_H

#include "ball/least.h"
#include "claim/find/find_part.h"

enum { QKV__CONSTRAINTS = 64 };

/* value >= 0, or > 0. */
typedef struct qkv__constraint {
    qkv__ratio value;
    bool strict;
} qkv__constraint;

/* From which value of the parameter on do all constraints hold? */
typedef struct qkv__least_task {
    qkv__question *question;
    qkv__algebra *algebra;
    int parameter;
    const char *name; /* of the parameter */
    size_t count;
    qkv__constraint constraint[QKV__CONSTRAINTS];
    bool loose[QKV__CONSTRAINTS]; /* it holds just below the threshold as well */
} qkv__least_task;

/* The question's proposition as constraints, for every index that it is meant for; false when it is
 * no such thing, and then the question says why. */
bool qkv__least_collect(qkv__least_task *task);

/* Whether bounds are all that is known of the parameters of the constraints: no premise that is no
 * bound, no score that is another one for each key. Else a threshold that is found need not be the
 * least one, or may hide the parameter. */
bool qkv__least_is_bounded(const qkv__least_task *task);

/* Whether inner products are among the parameters, which not all numbers can be at once. */
bool qkv__least_has_products(const qkv__least_task *task);

/* The sign over everything that the parameters may be, by algebra or by enclosures. */
qkv__sign qkv__sign_of_ratio(qkv__algebra *algebra, qkv__ratio ratio);

static inline bool qkv__sign_is_not_negative(qkv__sign sign)
{
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE || sign == QKV__SIGN_ZERO;
}

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

#endif
