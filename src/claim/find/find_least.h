/* What the files that find thresholds share: the conditions of a question as numbers that must not
 * be negative, and thresholds in decimals. */
#ifndef QKV_CLAIM_FIND_LEAST_H
#define QKV_CLAIM_FIND_LEAST_H

#include "claim/find/find_part.h"
#include "claim/threshold/threshold_number.h"

/* The question's proposition as constraints, for every index that it is meant for; false when it is
 * no such thing, and then the question says why. */
bool qkv__least_collect(qkv__least_task *task);

/* The sign over everything that the parameters may be, by algebra or by enclosures. */
qkv__sign qkv__sign_of_ratio(qkv__algebra *algebra, qkv__ratio ratio);

static inline bool qkv__sign_is_not_negative(qkv__sign sign)
{
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE || sign == QKV__SIGN_ZERO;
}

#endif
