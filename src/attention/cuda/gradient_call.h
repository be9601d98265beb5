/* One launch of the gradient's kernels for Hopper: tensor maps, parameters, and which variant. */
#ifndef QKV_ATTENTION_CUDA_GRADIENT_CALL_H
#define QKV_ATTENTION_CUDA_GRADIENT_CALL_H

#include <cuda.h>
#include <cuda_runtime.h>

#include "gradient_range.h"
#include "params.h"

/* Blocks of keys are numbered so that those of one head come in the order of its keys: a block only
 * waits for blocks that were begun before it. */
typedef struct qkv__cuda_gradient {
    qkv__cuda_positions positions;                /* of all sequences, without a list */
    const qkv__cuda_gradient_sequence *sequences; /* a list, or NULL */
    int32_t listed, packed;                       /* how many; and one after the other */
    int32_t heads, group;  /* query heads, and how many of them share a key head */
    int32_t units;         /* key heads times batches */
    int32_t section;       /* units whose blocks take turns */
    int32_t tiles, blocks; /* of queries in a query head, of keys in a key head; with a
                              list, blocks of all sequences */
    float scale, scale_2;  /* of a score, and the same in base 2; of a capped one */
    float kept_factor;     /* of weights that dropout keeps; in `scale` too */
    float mean_factor;     /* of row_mean: its inverse */
    float cap_twice;       /* with a cap c: 2 scale / c in base 2 */
    qkv__cuda_operand output, log_sum_exp; /* of the forward call */
    qkv__cuda_operand gradient;            /* the loss's, in the output */
    qkv__cuda_operand dq, dk, dv;          /* no data: not wanted */
    qkv__cuda_dropout dropout;
    int32_t plain; /* output is of the gradient's type, and aligned */

    /* In the workspace. Rows are padded to whole tiles: (batch, head, tiles * 64). */
    float *row_log, *row_mean; /* log-sum-exp in base 2 (+infinity: no weight), g . output */
    const float *sinks;        /* one a query head, in base 2; NULL: their gradient is not wanted */
    double *sink_sums;         /* the caller's */
    float *sums;               /* of dq, tile by tile, as its threads hold it */
    uint32_t *turns;           /* one a piece of a tile: the block that may add to its dq */
    uint32_t *counter;         /* the next block of keys to be taken */
} qkv__cuda_gradient;

typedef struct qkv__cuda_gradient_call {
    CUtensorMap query, key, value, gradient;
    qkv__cuda_gradient parameters;
    bool half;   /* f16, not bf16 */
    bool capped; /* a soft cap: always with a list */
    cudaStream_t stream;
} qkv__cuda_gradient_call;

extern "C" {
cudaError_t qkv__cuda_gradient_64(const qkv__cuda_gradient_call *call);
cudaError_t qkv__cuda_gradient_128(const qkv__cuda_gradient_call *call);
/* With a list of sequences. */
cudaError_t qkv__cuda_gradient_listed_64(const qkv__cuda_gradient_call *call);
cudaError_t qkv__cuda_gradient_listed_128(const qkv__cuda_gradient_call *call);
/* With dropout: always with a list, and without a cap. */
cudaError_t qkv__cuda_gradient_dropped_64(const qkv__cuda_gradient_call *call);
cudaError_t qkv__cuda_gradient_dropped_128(const qkv__cuda_gradient_call *call);
/* The gradient of the sinks, one number for each head: minus the sum, over all rows, of the sink's
 * weight times row_mean. The weight comes from row_log. */
cudaError_t qkv__cuda_gradient_sinks(const qkv__cuda_gradient *p, cudaStream_t stream);
}

#endif
