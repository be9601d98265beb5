/* One query, or a few, over long caches: parameters and launches. Tensor maps are CUDA's. */
#ifndef QKV_ATTENTION_CUDA_DECODE_H
#define QKV_ATTENTION_CUDA_DECODE_H

#include <cuda.h>
#include <cuda_runtime.h>

#include "params.h"

typedef struct qkv__cuda_decode {
    qkv__cuda_operand query, output, log_sum_exp;
    qkv__cuda_operand key_scale, value_scale; /* of fp8: one a head, rows have stride 0 */
    int32_t key_heads, group, batches;
    int32_t queries, rows;         /* of a sequence; and of a key head: group * queries */
    int32_t split, splits;         /* keys in a split; splits of the longest range */
    int32_t units;                 /* batches * key_heads * splits */
    int32_t left, right;           /* a query at position p looks at keys p - left to p + right */
    qkv__cuda_range range;         /* of every batch, without a table */
    const qkv__cuda_range *ranges; /* one a batch, or NULL */
    const int32_t *page_table;     /* a row of page_columns numbers a batch; NULL: not in pages */
    int32_t page_columns, page_size;
    float scale, cap_scale; /* as in qkv__cuda_forward */
    const float *sinks;
    float *partial; /* of each unit and row: sums, the highest score, the total */
} qkv__cuda_decode;

typedef struct qkv__cuda_decode_call {
    CUtensorMap key, value;
    qkv__cuda_decode parameters;
    bool half;  /* f16, not bf16 */
    bool eight; /* keys and values in fp8 */
    unsigned blocks;
    cudaStream_t stream;
} qkv__cuda_decode_call;

/* By the width of keys. Values have the same, but 128 with keys of 192. */
extern "C" cudaError_t qkv__cuda_decode_64(const qkv__cuda_decode_call *call);
extern "C" cudaError_t qkv__cuda_decode_128(const qkv__cuda_decode_call *call);
extern "C" cudaError_t qkv__cuda_decode_192(const qkv__cuda_decode_call *call);

#endif
