/*
 * Brings keys or values into order: pages one after the other, numbers of 8 bits times their scales
 * in 16 bits. Every number is read and written once, eight by a thread; kernels that know neither
 * pages nor 8 bits can read the copies.
 */
#include "order.h"

#include "portable.cuh"

namespace
{

using namespace qkv;

/* Where a row of keys, values or scales is; no_place where the table names no page. */
__device__ __forceinline__ int64_t row_place(const qkv__cuda_order &p, const qkv__cuda_operand &of,
                                             int64_t batch, int64_t head, int64_t row)
{
    if (p.page_table == nullptr) return place(of, batch, head, row);
    const int64_t page = p.page_table[batch * p.page_columns + row / p.page_size];
    if (page < 0 || page >= p.pages) return no_place;
    return place(of, page, head, row % p.page_size);
}

/* Eight numbers side by side, of 8 or of 16 bits. */
__device__ __forceinline__ void read_wide(const qkv__cuda_operand &of, int64_t at, float (&x)[8])
{
    if (of.type == f16 || of.type == bf16) {
        const uint4 words =
            *reinterpret_cast<const uint4 *>(static_cast<const __half *>(of.data) + at);
#pragma unroll
        for (int i = 0; i < 8; i++) x[i] = read_single(of.type, &words, i);
        return;
    }
    const uint2 words = *reinterpret_cast<const uint2 *>(static_cast<const char *>(of.data) + at);
#pragma unroll
    for (int i = 0; i < 8; i++) x[i] = read_single(of.type, &words, i);
}

__device__ __forceinline__ uint32_t pack(bool half, float low, float high)
{
    if (half) {
        const __half2 pair = __floats2half2_rn(low, high);
        return *reinterpret_cast<const uint32_t *>(&pair);
    }
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const uint32_t *>(&pair);
}

__global__ void order(const __grid_constant__ qkv__cuda_order p)
{
    const int32_t units = p.width / 8; /* of a row */
    const int64_t count = p.batches * p.heads * p.rows * units;
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step) {
        const int64_t line = i / units, column = i % units * 8;
        const int64_t row = line % p.rows, head = line / p.rows % p.heads;
        const int64_t batch = line / p.rows / p.heads;
        const int64_t at = row_place(p, p.from, batch, head, row);
        float x[8] = {};
        if (at != no_place && p.wide) {
            read_wide(p.from, at + column, x);
        } else if (at != no_place) {
            for (int n = 0; n < 8; n++)
                x[n] = read_single(p.from.type, p.from.data, at + (column + n) * p.from.column);
        }
        if (at != no_place && p.scale.type != none) {
            const float scale =
                read_single(p.scale.type, p.scale.data, row_place(p, p.scale, batch, head, row));
#pragma unroll
            for (int n = 0; n < 8; n++) x[n] *= scale;
        }
        static_cast<uint4 *>(p.to)[i] =
            make_uint4(pack(p.half, x[0], x[1]), pack(p.half, x[2], x[3]), pack(p.half, x[4], x[5]),
                       pack(p.half, x[6], x[7]));
    }
}

} // namespace

extern "C" cudaError_t qkv__cuda_order_launch(const qkv__cuda_order *call, cudaStream_t stream)
{
    constexpr int threads = 256;
    constexpr int64_t most = 16 * 1024; /* blocks: more only wait */
    const int64_t count = call->batches * call->heads * call->rows * (call->width / 8);
    const int64_t blocks = (count + threads - 1) / threads;
    if (blocks == 0) return cudaSuccess;
    order<<<static_cast<unsigned>(blocks < most ? blocks : most), threads, 0, stream>>>(*call);
    return cudaGetLastError();
}
