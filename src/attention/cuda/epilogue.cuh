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

/* What a thread's sums of one row are multiplied by, and the row's log-sum-exp. A sink is one more
 * score (in base 2) that has a weight and no value. */
struct row_end {
    float factor, log_sum_exp;

    __device__ __forceinline__ row_end(float highest, float total, float scale, float sink)
    {
        float base = highest == -INFINITY ? -INFINITY : highest * scale;
        float share = 1.0f; /* of the sums, on the final scale */
        total = row_sum(total);
        if (sink > -INFINITY) {
            const float top = fmaxf(base, sink);
            share = exponential2(base - top);
            total = fmaf(total, share, exponential2(sink - top));
            base = top;
        }
        /* No key was seen: zeros, not 0 / 0. NaN is not equal to 0 and stays. */
        factor = total == 0.0f ? 0.0f : share / total;
        log_sum_exp = total == 0.0f ? -INFINITY : (base + log2f(total)) * natural_of_base_2;
    }
};

/* Swizzled address of a 16-byte unit in a panelled tile of `Lines` rows. */
template <int Lines>
__device__ __forceinline__ uint32_t unit_address(uint32_t base, int row, int unit)
{
    return base + unit / 8 * (Lines * line_bytes) + row * line_bytes +
           ((unit % 8 ^ (row & 7)) << 4);
}

/*
 * A warp's 16 rows: through shared memory, so that whole lines go to the device's memory. `row` is
 * the warp's first row in the tile, of which `rows` exist. `to` points at the tile's first row.
 */
template <class Element, int Width, int Lines>
__device__ __forceinline__ void store_rows(const float (&sum)[Width / 2], const row_end (&end)[2],
                                           uint32_t stage, Element *to, int64_t stride, int row,
                                           int rows)
{
    const int lane = threadIdx.x % 32, matrix = lane / 8;
    const int mine = row + matrix % 2 * 8 + lane % 8;
#pragma unroll
    for (int j = 0; j < Width / 8; j += 2) {
        uint32_t pair[4];
#pragma unroll
        for (int i = 0; i < 4; i++) { /* columns j and j + 1, each of both rows */
            const int first = 4 * (j + i / 2) + 2 * (i % 2);
            const float factor = end[i % 2].factor;
            pair[i] = pack(Element(), sum[first] * factor, sum[first + 1] * factor);
        }
        matrix_store(unit_address<Lines>(stage, mine, j + matrix / 2), pair[0], pair[1], pair[2],
                     pair[3]);
    }
    __syncwarp();
    constexpr int units = Width / 8; /* of 16 bytes in a row */
#pragma unroll 4
    for (int i = 0; i < 16 * units / 32; i++) {
        const int number = lane + 32 * i, line = row + number / units, unit = number % units;
        uint4 data;
        asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(data.x), "=r"(data.y), "=r"(data.z), "=r"(data.w)
                     : "r"(unit_address<Lines>(stage, line, unit)));
        if (line < rows) *reinterpret_cast<uint4 *>(to + line * stride + unit * 8) = data;
    }
}

} // namespace qkv
#endif
