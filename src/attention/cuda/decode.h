/* One query, or a few, over long caches: parameters and launches. Tensor maps are CUDA's. */
#ifndef QKV_ATTENTION_CUDA_DECODE_H
#define QKV_ATTENTION_CUDA_DECODE_H

#include <cuda.h>
#include <cuda_runtime.h>

#include "params.h"
#include "shapes.h"

typedef struct qkv__cuda_decode {
    qkv__cuda_operand query, output, log_sum_exp;
    qkv__cuda_operand key_scale, value_scale; /* of fp8: one per head, or per row (or page row) */
    int32_t key_heads, group, batches;
    int32_t queries, rows;         /* of a sequence; and of a key head: group * queries */
    int32_t split, splits;         /* keys in a split (twice of a long range); splits at most */
    int32_t units;                 /* batches * key_heads * splits */
    int32_t left, right;           /* a query at position p looks at keys p - left to p + right */
    qkv__cuda_range range;         /* of every batch, without a table */
    const qkv__cuda_range *ranges; /* one a batch, or NULL */
    const int32_t *page_table;     /* a row of page_columns numbers a batch; NULL: not in pages */
    int32_t page_columns, page_size;
    int32_t pages;          /* batches, where there are none */
    float scale, cap_scale; /* as in qkv__cuda_forward */
    const float *sinks;
    float *partial;       /* of each unit: sums of its rows; highest score and total of each */
    int32_t whole;        /* key heads, the first, that have a block for all of their splits */
    int32_t first_blocks; /* that begin together */
    int32_t let_in;       /* chunks of a unit that are left when the next kernel may begin */
    bool apart;           /* half a chunk at a time: gives back sooner, but reads memory worse */
    bool clustered;       /* the blocks of a head are a cluster, which adds its splits up */
} qkv__cuda_decode;

typedef struct qkv__cuda_decode_call {
    CUtensorMap key, value;
    qkv__cuda_decode parameters;
    bool half;  /* f16, not bf16 */
    bool eight; /* keys and values in fp8 */
    int width;  /* of keys */
    unsigned blocks;
    bool alone;          /* each has its multiprocessor to itself */
    unsigned merge_rows; /* of outputs, whose splits are added up */
    unsigned multiprocessors;
    cudaStream_t stream;
} qkv__cuda_decode_call;

/* Keys of a chunk, whose rows have `row` bytes: 32 KB, from 64 to 256 of them. */
constexpr int decode_chunk(int row)
{
    return row > 256 ? 64 : row > 128 ? 128 : 256;
}

/* Keys that come in one piece at most where they are in pages. */
constexpr int decode_box(int chunk)
{
    return chunk < QKV__CUDA_DECODE_BOX ? chunk : QKV__CUDA_DECODE_BOX;
}

/* By the width of keys. Values have the same, but 128 with keys of 192. */
extern "C" cudaError_t qkv__cuda_decode_64(const qkv__cuda_decode_call *call);
extern "C" cudaError_t qkv__cuda_decode_128(const qkv__cuda_decode_call *call);
extern "C" cudaError_t qkv__cuda_decode_192(const qkv__cuda_decode_call *call);
extern "C" cudaError_t qkv__cuda_decode_256(const qkv__cuda_decode_call *call);

/* Of fp8 with a scale for each row: widths 64, 128 and 256. */
extern "C" cudaError_t qkv__cuda_decode_scaled(const qkv__cuda_decode_call *call);

#endif
