/* What the gradient needs of the definition: one row of weights. */
#ifndef QKV_ATTENTION_REFERENCE_H
#define QKV_ATTENTION_REFERENCE_H

#include "attention/problem.h"

typedef struct qkv__reference_row {
    double log_sum_exp, entropy;
    double high, sum; /* the highest score, and the sum of weights relative to it */
} qkv__reference_row;

/*
 * The weights of query i over head->keys keys; -infinity, not 0, marks a masked key, so that its
 * value is not even multiplied by zero. Score matrices that the head asks for are written.
 */
qkv__reference_row qkv__reference_weights(const qkv__head *head, size_t i, double *weights);

#endif
