/* The kernels that take every option: their parameters and their launch. */
#ifndef QKV_ATTENTION_CUDA_PORTABLE_H
#define QKV_ATTENTION_CUDA_PORTABLE_H

#include <cuda_runtime.h>

#include "params.h"

struct qkv__cuda_sequence_table {
    int64_t query, queries, key, keys, offset; /* as qkv__cuda_sequence of plan.h */
};

typedef struct qkv__cuda_portable {
    qkv__cuda_operand query, key, value, output;
    qkv__cuda_operand key_scale, value_scale; /* of i8; column unused */
    qkv__cuda_operand mask;                   /* row: queries, column: keys */
    qkv__cuda_operand log_sum_exp, entropy;
    qkv__cuda_operand scores_raw, scores_capped, scores_masked, weights;
    int64_t batch, heads, group, length; /* length: queries of the view */
    const int32_t *page_table;           /* with keys and values in pages; else NULL */
    int64_t page_columns, page_size, pages;
    int64_t width, value_width, padded; /* padded: keys of the view, or 0 when packed */
    int64_t left, right, sequences;
    int32_t packed;
    double scale, softcap;
    const struct qkv__cuda_sequence_table *table;
    const double *sinks, *slopes;
    qkv__cuda_dropout dropout;
} qkv__cuda_portable;

/* The gradient. Of `call` it needs no result, and no scale of i8. */
typedef struct qkv__cuda_portable_gradient {
    qkv__cuda_portable call;
    qkv__cuda_operand gradient;            /* the loss's, in the output */
    qkv__cuda_operand output, log_sum_exp; /* of the forward call; no data: not given */
    qkv__cuda_operand dq, dk, dv;          /* no data: not wanted */
    int64_t key_heads, key_length;
    void *kept; /* QKV__CUDA_KEPT numbers a row: (batch, heads, length), f64 for f64, else f32 */
    /* What is added to scores; no data: not wanted. Sums have one number a query head. */
    qkv__cuda_operand mask;
    int64_t mask_shape[4]; /* 1 where the mask is broadcast */
    double *slope_sums, *sink_sums;
} qkv__cuda_portable_gradient;

extern "C" cudaError_t qkv__cuda_portable_launch(const qkv__cuda_portable *p, bool wide,
                                                 cudaStream_t stream);
/* `count` tiles of 64 queries for the longest sequence. */
extern "C" cudaError_t qkv__cuda_tiled_launch(const qkv__cuda_portable *p, unsigned count,
                                              cudaStream_t stream);
/* The same for f32, with products in tf32. */
extern "C" cudaError_t qkv__cuda_tf32_launch(const qkv__cuda_portable *p, unsigned count,
                                             cudaStream_t stream);
/* -sum over all rows of a sink's weight times the row's mean, and of what they keep for slopes. */
extern "C" cudaError_t qkv__cuda_portable_sums_launch(const qkv__cuda_portable_gradient *p,
                                                      bool wide, cudaStream_t stream);
extern "C" cudaError_t qkv__cuda_portable_gradient_launch(const qkv__cuda_portable_gradient *p,
                                                          bool wide, cudaStream_t stream);

#endif
