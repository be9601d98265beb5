/* The kernel that takes every option: its parameters and its launch. */
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
    int64_t width, value_width, padded;  /* padded: keys of the view, or 0 when packed */
    int64_t left, right, sequences;
    int32_t packed;
    double scale, softcap;
    const struct qkv__cuda_sequence_table *table;
    const double *sinks, *slopes;
} qkv__cuda_portable;

extern "C" cudaError_t qkv__cuda_portable_launch(const qkv__cuda_portable *p, bool wide,
                                                 cudaStream_t stream);

#endif
