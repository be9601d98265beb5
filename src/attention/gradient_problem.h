/*
 * A call for the gradient, checked: what every way to compute it begins with, on the CPU and on a
 * device.
 */
#ifndef QKV_ATTENTION_GRADIENT_PROBLEM_H
#define QKV_ATTENTION_GRADIENT_PROBLEM_H

#include "attention/problem.h"

typedef struct qkv__gradient {
    qkv__problem problem; /* its output is g, the gradient that was given */
    qkv_view dq, dk, dv;  /* four axes; rank 0: not wanted */
    /* The forward call's: (batch, heads, queries, value width), (batch, heads, queries). Rank 0:
     * not given. */
    qkv_view output, log_sum_exp;
    bool part; /* those two are of more keys than the problem has, and are given */
    /* What options add to scores: sums in memory of gradient.c's; NULL: not wanted. */
    qkv_view mask_gradient;         /* four axes, of size 1 where the mask is broadcast */
    double *mask_sums;              /* dense, of that shape */
    double *slope_sums, *sink_sums; /* the caller's */
} qkv__gradient;

/* Checks everything but options.kernel and fills *gradient, of which nothing holds when it fails.
 */
qkv_status qkv__gradient_make(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                              const qkv_view *output_gradient, const qkv_view *query_gradient,
                              const qkv_view *key_gradient, const qkv_view *value_gradient,
                              const qkv_attention_options *options, qkv__gradient *gradient,
                              qkv_error *error);

#endif
