/* Keys and values in order, in the query's type: the copies that other kernels then read. */
#ifndef QKV_ATTENTION_CUDA_ORDER_H
#define QKV_ATTENTION_CUDA_ORDER_H

#include <cuda_runtime.h>

#include "params.h"

typedef struct qkv__cuda_order {
    qkv__cuda_operand from;  /* (batch, heads, rows, width), or a pool of pages */
    qkv__cuda_operand scale; /* one number per row; no data: all 1 */
    void *to;                /* (batch, heads, rows, width), dense */
    int64_t batches, heads, rows;
    int32_t width;             /* a multiple of 8 */
    int32_t half;              /* to f16, not to bf16 */
    int32_t wide;              /* eight numbers of a row can be read at once */
    const int32_t *page_table; /* NULL: not in pages */
    int64_t page_columns, page_size, pages;
} qkv__cuda_order;

extern "C" cudaError_t qkv__cuda_order_launch(const qkv__cuda_order *call, cudaStream_t stream);

#endif
