/*
 * Sums of exponentials in one variable,
 *
 *     D(b) = sum over i of A_i e^(y_i + b x_i)
 *
 * with exact numbers A_i, x_i, y_i, thousands of them: their signs at a point, over a range, and
 * where they turn. What is said is proved.
 *
 * In order of x, such a sum has no more real zeros than its coefficients have changes of sign, and
 * as many up to an even number (Descartes' rule, which holds for real exponents). No change: one
 * sign everywhere. One change: one zero, at which the sign changes.
 */
#ifndef QKV_BALL_EXPONENTIAL_SUM_H
#define QKV_BALL_EXPONENTIAL_SUM_H

#include "ball/box.h"
#include "ball/grid.h"

typedef struct qkv__exponential_sum {
    size_t count;
    fmpq *factor;     /* A_i */
    qkv__grid *slope; /* x_i: one column */
    qkv__grid *rest;  /* y_i */
} qkv__exponential_sum;

/* All factors zero; takes the grids over, also when it fails. False: no memory. */
bool qkv__exponential_sum_make(qkv__exponential_sum *sum, qkv__grid *slope, qkv__grid *rest);
void qkv__exponential_sum_free(qkv__exponential_sum *sum);

enum { QKV__SIGN_OPEN = 2 }; /* where -1, 0 or 1 is not known */

typedef struct qkv__sum_shape {
    int changes;          /* of sign, in order of the slopes */
    int upward, downward; /* the sign for large and for small b; both 0: D is zero */
} qkv__sum_shape;

/* False when a coefficient could not be told from zero, or memory ran out. */
bool qkv__exponential_sum_shape(const qkv__exponential_sum *sum, qkv__sum_shape *shape);

/* -1 or 1 where that is proved at b, else open. */
int qkv__exponential_sum_sign(const qkv__exponential_sum *sum, qkv__rational b);

/* What was seen on a range, whose ends count as belonging to it. */
typedef struct qkv__sum_range {
    int sign; /* -1 or 1: proved for all of the range; else open */
    bool has_positive, has_negative;
    qkv__rational positive, negative; /* points with that sign */
} qkv__sum_range;

/* By cutting the range: within a part, the positive and the negative terms, divided by the term of
 * the largest slope, both fall. */
void qkv__exponential_sum_range(const qkv__exponential_sum *sum, const qkv__range *range,
                                qkv__sum_range *found);

/* Two neighbouring numbers, to about 12 digits, of which the lower has the sign below and the
 * upper the other one: around the only zero of a sum whose sign changes once. False when they are
 * not found between -2^40 and 2^40. */
bool qkv__exponential_sum_turn(const qkv__exponential_sum *sum, const qkv__sum_shape *shape,
                               qkv__rational *below, qkv__rational *above);

#endif
