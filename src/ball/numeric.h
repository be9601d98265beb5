/*
 * Attention over plain numbers, taken as exact: enclosures of the scores, of the softmax weights
 * and of the weighted sum of values,
 *
 *     s_i = scale * k_i . q        w_i = e^(s_i) / sum_j e^(s_j)        c = sum_i w_i v_i
 *
 * Ten thousand keys of 64 dimensions take a fraction of a second. FLINT takes its memory itself
 * and aborts the process when there is none.
 */
#ifndef QKV_BALL_NUMERIC_H
#define QKV_BALL_NUMERIC_H

#include <stddef.h>

#include <qkv/status.h>

#include "exact/rational.h"

/* lower <= the number <= upper; rounded outward, infinite beyond the doubles. */
typedef struct qkv__bounds {
    double lower, upper;
} qkv__bounds;

/* The scores come from exactly one of: query and keys; scores; exact_scores. */
typedef struct qkv__numeric_input {
    size_t count;                      /* n, the number of keys, at least 1 */
    size_t dimension;                  /* d, of query and keys */
    const double *query;               /* d */
    const double *keys;                /* n x d, row by row */
    const double *scores;              /* n */
    const qkv__rational *exact_scores; /* n */
    qkv__rational scale;               /* of the scores from query and keys; {0, 0} is 1 */
    size_t value_dimension;            /* m; 0: no values */
    const double *values;              /* n x m, row by row */
} qkv__numeric_input;

/* Each may be NULL where it is not wanted. */
typedef struct qkv__numeric_output {
    qkv__bounds *scores;   /* n */
    qkv__bounds *weights;  /* n */
    qkv__bounds *combined; /* m */
} qkv__numeric_output;

/* Errors: no keys, not exactly one source of scores, a number that is not finite, a rational that
 * is lost. */
qkv_status qkv__ball_numeric(const qkv__numeric_input *input, const qkv__numeric_output *output,
                             qkv_error *error);

#endif
