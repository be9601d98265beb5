/*
 * The difference of two values under the premises of a claim, as numbers that must vanish or have a
 * sign.
 */
#ifndef QKV_CLAIM_GAP_H
#define QKV_CLAIM_GAP_H

#include "ball/sign.h"
#include "claim/premise/situation.h"

enum { QKV__GAPS = 128 };

/* One number that must vanish, or have a sign: a coefficient of a difference. */
typedef struct qkv__gap {
    qkv__ratio difference; /* under the premises */
    qkv__symbol symbol;    /* whose coefficient; family NULL for a plain number */
    bool squared;          /* a difference of squares: of norms, neither of them negative */
    qkv__ratio square;     /* squared: of the first */
} qkv__gap;

/* What must vanish for x = y; false when that is not known. gaps: QKV__GAPS of them. */
bool qkv__gaps_between(qkv__situation *s, const qkv__value *x, const qkv__value *y, qkv__gap *gaps,
                       size_t *count);

/* Whether one gap that is not 0 makes the values differ for certain: numbers, or coefficients of
 * orthogonal vectors. Arbitrary vectors may cancel each other, or be 0. count >= 1. */
bool qkv__gaps_are_independent(qkv__situation *s, const qkv__gap *gaps, size_t count);

/* Whether one gap that is not 0 somewhere makes the values differ for some vectors: not where sums
 * and averages over the same vectors take part together, nor where inner products were given, by
 * which vectors may depend on each other. */
bool qkv__gaps_are_refutable(qkv__situation *s, const qkv__gap *gaps, size_t count);

/* The square of the length of the difference, where all the inner products in it are known. */
bool qkv__gaps_square(qkv__situation *s, const qkv__gap *gaps, size_t count, qkv__ratio *square);

/* Makes y what it is beside x: 0 is a zero vector, a list of numbers may be coordinates. */
void qkv__match_kinds(qkv__situation *s, const qkv__value *x, qkv__value *y);

bool qkv__has_coordinates(const qkv__vector *vector);

/* No verdict: the engine cannot, or the kinds do not go together. */
qkv__verdict qkv__incomparable(qkv__situation *s, const qkv__node *node, const qkv__value *x,
                               const qkv__value *y);

/* ---- Numbers under the premises ------------------------------------------------------------ */

/* x - y where both are numbers, or a number of the same sign where they are norms. */
bool qkv__surd_difference(qkv__situation *s, qkv__surd x, qkv__surd y, qkv__ratio *difference);

qkv__surd qkv__surd_resolve(qkv__situation *s, qkv__surd x);

bool qkv__surd_is_plain(qkv__surd x);

bool qkv__is_not_negative(qkv__situation *s, qkv__ratio ratio);

/* The sign by the ball, over all that the parameters may be; false: nothing is allowed. */
bool qkv__sign_over_box(qkv__situation *s, qkv__ratio ratio, qkv__sign_result *result);

#endif
