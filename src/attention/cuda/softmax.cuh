/*
 * The running softmax of two rows per thread. Scores are kept as the products give them; the scale,
 * in base 2, goes into the multiply-add before each exponential.
 */
#ifndef QKV_ATTENTION_CUDA_SOFTMAX_CUH
#define QKV_ATTENTION_CUDA_SOFTMAX_CUH

#include <cstdint>

#include "matrix.cuh"

namespace qkv
{

__device__ __forceinline__ float exponential2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ float reciprocal(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* Over the four lanes that share a row. */
__device__ __forceinline__ float row_max(float x)
{
    x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
    return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}

__device__ __forceinline__ float row_sum(float x)
{
    x += __shfl_xor_sync(~0u, x, 1);
    return x + __shfl_xor_sync(~0u, x, 2);
}

/* Over the eight lanes that share a column. */
__device__ __forceinline__ float column_max(float x)
{
    x = fmaxf(x, __shfl_xor_sync(~0u, x, 4));
    x = fmaxf(x, __shfl_xor_sync(~0u, x, 8));
    return fmaxf(x, __shfl_xor_sync(~0u, x, 16));
}

__device__ __forceinline__ float column_sum(float x)
{
    x += __shfl_xor_sync(~0u, x, 4);
    x += __shfl_xor_sync(~0u, x, 8);
    return x + __shfl_xor_sync(~0u, x, 16);
}

/* scores <- tanh(scores * scale), as 1 - 2 / (exp(2 x) + 1): absolute error about 2^-23, where the
 * device's own tanh has 2^-11. The cap itself is in the scale of the softmax. */
template <int Count> __device__ __forceinline__ void cap_scores(float (&score)[Count], float scale)
{
    const float twice = 2.0f * 1.4426950408889634f * scale;
#pragma unroll
    for (int i = 0; i < Count; i++) {
        const float x = score[i] * twice;
        score[i] = 1.0f - 2.0f * reciprocal(exponential2(x) + 1.0f);
    }
}

struct softmax {
    float highest[2] = {-INFINITY, -INFINITY}; /* score so far, not scaled */
    float total[2] = {0.0f, 0.0f};             /* of this thread's weights */
    float factor[2];                           /* for what was summed before the last block */
    bool moved;                                /* whether any factor of the warp is not 1 */

    /* Scores of a block become its weights. */
    template <int Count> __device__ __forceinline__ void take(float (&score)[Count], float scale)
    {
        bool moves = false;
#pragma unroll
        for (int row = 0; row < 2; row++) {
            float high = highest[row];
#pragma unroll
            for (int j = 2 * row; j < Count; j += 4)
                high = fmaxf(high, fmaxf(score[j], score[j + 1]));
            high = row_max(high);
            moves |= high != highest[row];
            /* A row that has seen nothing yet: its differences must not be infinity - infinity. */
            const float base = high == -INFINITY ? 0.0f : high * scale;
            factor[row] = exponential2(fmaf(highest[row], scale, -base));
            highest[row] = high;
            float sum = 0.0f;
#pragma unroll
            for (int j = 2 * row; j < Count; j += 4) {
                score[j] = exponential2(fmaf(score[j], scale, -base));
                score[j + 1] = exponential2(fmaf(score[j + 1], scale, -base));
                sum += score[j] + score[j + 1];
            }
            total[row] = fmaf(total[row], factor[row], sum);
        }
        moved = __any_sync(~0u, moves);
    }

    /* Outputs of earlier blocks, on the new scale. To look whether there is anything to do pays
     * only for some kernels. */
    template <bool Looks, int Count>
    __device__ __forceinline__ void rescale(float (&output)[Count]) const
    {
        if (Looks && !moved) return;
#pragma unroll
        for (int i = 0; i < Count; i += 4) {
            output[i] *= factor[0];
            output[i + 1] *= factor[0];
            output[i + 2] *= factor[1];
            output[i + 3] *= factor[1];
        }
    }
};

/* Weights as the left factor of the product with the values. */
template <class Element, int Count>
__device__ __forceinline__ void pack_weights(uint32_t (&packed)[Count / 2],
                                             const float (&weight)[Count])
{
#pragma unroll
    for (int i = 0; i < Count; i += 2) packed[i / 2] = pack(Element(), weight[i], weight[i + 1]);
}

} // namespace qkv
#endif
