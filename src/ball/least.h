/*
 * Thresholds: the least value b of one parameter from which on a ratio is never negative, as in
 * "the least beta with 1 - weight <= 1/100".
 */
#ifndef QKV_BALL_LEAST_H
#define QKV_BALL_LEAST_H

#include "ball/enclosure.h"
#include "ball/sign.h"

typedef enum qkv__least {
    QKV__LEAST_UNKNOWN = 0,
    QKV__LEAST_FOUND,  /* b lies in the enclosure */
    QKV__LEAST_ALWAYS, /* never negative in the whole box */
    QKV__LEAST_NEVER,  /* negative from some value on, to the upper end of the box */
} qkv__least;

/*
 * When found, both are proved: f >= 0 everywhere from `verified` on, and f < 0 somewhere at
 * `violated`. So b is above `violated` and at most `verified`; for a whole parameter b is
 * `verified` once they are neighbours.
 */
typedef struct qkv__least_result {
    qkv__least outcome;
    bool narrow; /* the relative width is about 10^-12, or b is a whole number */
    qkv__rational violated, verified;
    qkv__enclosure enclosure; /* of b */
} qkv__least_result;

/* Other parameters may be fixed or range over the box: then f >= 0 is meant for all of them.
 * effort: evaluations for each of about 60 proofs, 0 for QKV__SIGN_EFFORT. Returns result->outcome.
 */
qkv__least qkv__ball_least(const qkv__algebra *algebra, qkv__ratio f, int parameter,
                           const qkv__box *box, size_t effort, qkv__least_result *result);

#endif
