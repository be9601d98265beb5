/*
 * Softmax over exact scores: which keys share the largest, which scores are equal, and balls
 * around the weights at any precision.
 *
 * Scores may grow without bound, as s_i = ... + b^2 x_i + b y_i + z_i for b -> infinity does. Then
 * the weights have limits: the keys with the largest x, among them those with the largest y, share
 * by the softmax of their z, and all other weights vanish.
 *
 * Equal scores are told exactly, and that decides equality of weights: the exponentials of distinct
 * rationals are linearly independent over the rationals (Lindemann, Weierstrass), so that a sum of
 * rational multiples of weights is zero only if it is zero on each set of keys of equal score.
 */
#ifndef QKV_BALL_SOFTMAX_H
#define QKV_BALL_SOFTMAX_H

#include "ball/grid.h"

typedef struct qkv__softmax {
    size_t count;        /* keys */
    size_t active_count; /* of those whose weight does not vanish */
    size_t *order;       /* the active keys, largest score first */
    size_t *class_of;    /* the number of the key's score among the distinct ones, from the
                          * largest; SIZE_MAX where the weight vanishes */
    size_t class_count;  /* 1: the weights are 1/active_count, and 0 */
    qkv__grid *score;    /* count x 1 */
    slong precision;     /* of the weights so far; 0: none yet */
    arb_ptr weight;      /* count */
} qkv__softmax;

/* levels: one column each, those that grow fastest first; score: what does not grow, which the
 * softmax takes over, also when it fails. NULL: no memory. */
qkv__softmax *qkv__softmax_make(qkv__grid *const *level, size_t level_count, qkv__grid *score);
void qkv__softmax_free(qkv__softmax *softmax);

/* Balls around all weights, of about that many bits. */
arb_srcptr qkv__softmax_weights(qkv__softmax *softmax, slong precision);

/* A ball around the sum of weight times value in one column. */
void qkv__softmax_combine(qkv__softmax *softmax, const qkv__grid *values, size_t column,
                          slong precision, arb_t sum);

#endif
