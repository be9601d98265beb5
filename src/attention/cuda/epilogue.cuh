/* The end of a tile: sums become outputs, rounded once, and the log-sum-exp. */
#ifndef QKV_ATTENTION_CUDA_EPILOGUE_CUH
#define QKV_ATTENTION_CUDA_EPILOGUE_CUH

#include "matrix.cuh"
#include "params.h"
#include "softmax.cuh"

namespace qkv
{

constexpr float natural_of_base_2 = 0.6931471805599453f; /* log(2) */

/* The numbers of qkv_type, which CUDA C cannot read from the public header as constants. */
enum { type_f64 = 1, type_f32 = 2, type_f16 = 3, type_bf16 = 4 };

__device__ __forceinline__ void store_number(const qkv__cuda_operand &to, int64_t offset, float x)
{
    if (to.type == type_f32)
        static_cast<float *>(to.data)[offset] = x;
    else if (to.type == type_f64)
        static_cast<double *>(to.data)[offset] = x;
    else if (to.type == type_f16)
        static_cast<__half *>(to.data)[offset] = __float2half_rn(x);
    else if (to.type == type_bf16)
        static_cast<__nv_bfloat16 *>(to.data)[offset] = __float2bfloat16_rn(x);
}

/* What a thread's sums of one row are multiplied by. A sink is one more score (in base 2) that has
 * a weight and no value. A row's end lies between two tiles, where the matrix unit waits for it: no
 * more is computed than is asked for. */
struct row_end {
    float base, total, factor;

    __device__ __forceinline__ row_end(float highest, float sum, float scale, float sink)
    {
        base = highest == -INFINITY ? -INFINITY : highest * scale;
        float share = 1.0f; /* of the sums, on the final scale */
        total = row_sum(sum);
        if (sink > -INFINITY) {
            const float top = fmaxf(base, sink);
            share = exponential2(base - top);
            total = fmaf(total, share, exponential2(sink - top));
            base = top;
        }
        /* No key was seen: zeros, not 0 / 0. NaN is not equal to 0 and stays. */
        factor = total == 0.0f ? 0.0f : share * reciprocal(total);
    }

    __device__ __forceinline__ float log_sum_exp() const
    {
        return total == 0.0f ? -INFINITY : (base + log2f(total)) * natural_of_base_2;
    }
};

/* Swizzled address of a 16-byte unit in a panelled tile of `Lines` rows. */
template <int Lines>
__device__ __forceinline__ uint32_t unit_address(uint32_t base, int row, int unit)
{
    return base + unit / 8 * (Lines * line_bytes) + row * line_bytes +
           ((unit % 8 ^ (row & 7)) << 4);
}

/* Lanes 0 to 3 of a row hold four words each; lane i gets word i of all of them. */
__device__ __forceinline__ void exchange_words(uint32_t (&word)[4])
{
    const bool odd = threadIdx.x & 1, upper = threadIdx.x & 2;
#pragma unroll
    for (int i = 0; i < 4; i += 2) { /* words i and i + 1 with the neighbour */
        const uint32_t other = __shfl_xor_sync(~0u, odd ? word[i] : word[i + 1], 1);
        word[i] = odd ? other : word[i];
        word[i + 1] = odd ? word[i + 1] : other;
    }
#pragma unroll
    for (int i = 0; i < 2; i++) { /* words i and i + 2 with the lane two further */
        const uint32_t other = __shfl_xor_sync(~0u, upper ? word[i] : word[i + 2], 2);
        word[i] = upper ? other : word[i];
        word[i + 2] = upper ? word[i + 2] : other;
    }
}

/* In one piece: the compiler cuts some of these into four, to save itself a move. */
__device__ __forceinline__ void store_words(void *to, const uint32_t (&word)[4])
{
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(word[0]), "r"(word[1]),
                 "r"(word[2]), "r"(word[3])
                 : "memory");
}

/*
 * One of a thread's two rows, `half` 0 or 1. The four lanes of the row change words with each other
 * so that each stores 16 bytes side by side. All lanes take part; `there` tells whether the row
 * exists.
 */
template <class Element, int Width>
__device__ __forceinline__ void store_row(const float (&sum)[Width / 2], int half, float factor,
                                          Element *to, bool there)
{
#pragma unroll
    for (int j = 0; j < Width / 8; j += 4) { /* 32 columns */
        uint32_t word[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int first = 4 * (j + i) + 2 * half;
            word[i] = pack(Element(), sum[first] * factor, sum[first + 1] * factor);
        }
        exchange_words(word);
        if (there) store_words(to + 8 * (j + threadIdx.x % 4), word);
    }
}

} // namespace qkv
#endif
