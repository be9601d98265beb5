/*
 * Products on Hopper's matrix unit, and the layout of their sums.
 *
 * A warpgroup of 128 threads has 64 rows; thread t holds, of row 16 (t / 32) + (t mod 32) / 4 and
 * of the row 8 below it, columns 8 j + 2 (t mod 4) and the next. Sum 4 j + 2 r + e is row r, column
 * e of them. Packed in pairs, sums of one product are the left factor of the next as they are.
 */
#ifndef QKV_ATTENTION_CUDA_MATRIX_CUH
#define QKV_ATTENTION_CUDA_MATRIX_CUH

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "load.cuh"
#include <wgmma.h> /* written by wgmma.py in the build folder */

namespace qkv
{

/*
 * A factor in shared memory: a descriptor of two words. Swizzled lines of 128 bytes; eight lines
 * are 1,024 bytes, the stride from one group of rows to the next, in the upper word; `leading` is
 * the stride to the next 64 columns, which only a factor stored by columns of the product uses. The
 * lower word moves with the address, in units of 16 bytes, so that each product costs an addition.
 * All threads of a warp must have the same, and the compiler must see that they do (see uniform):
 * otherwise each product waits for four copies from register to register.
 */
constexpr uint32_t factor_upper = 1u << 30 | 8 * line_bytes >> 4;

__device__ __forceinline__ uint32_t factor_lower(uint32_t address, uint32_t leading)
{
    return address >> 4 | leading >> 4 << 16;
}

__device__ __forceinline__ uint64_t factor_of(uint32_t lower)
{
    return static_cast<uint64_t>(factor_upper) << 32 | lower;
}

/* The same number in all lanes of a warp, which the compiler then knows: descriptors that follow
 * from it need no copies from register to register. */
__device__ __forceinline__ int uniform(int x)
{
    return __shfl_sync(~0u, x, 0);
}

/* Registers written before this are seen by products issued after it. */
__device__ __forceinline__ void products_begin()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void products_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Until all but the last `Pending` groups of products are done. */
template <int Pending> __device__ __forceinline__ void products_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

__device__ __forceinline__ uint32_t pack(__nv_bfloat16, float low, float high)
{
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

__device__ __forceinline__ uint32_t pack(__half, float low, float high)
{
    uint32_t pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

__device__ __forceinline__ float2 unpack(__nv_bfloat16, uint32_t pair)
{
    return make_float2(__uint_as_float(pair << 16), __uint_as_float(pair & 0xFFFF0000u));
}

__device__ __forceinline__ float2 unpack(__half, uint32_t pair)
{
    return __half22float2(*reinterpret_cast<const __half2 *>(&pair));
}

/* Scores of 64 queries and `Keys` keys, queries in shared memory: sum = Q K'. `Lines` is the
 * number of rows in a panel of queries, `KeyLines` in one of keys; factors are given by their
 * lower words. */
template <class Element, int Width, int Lines, int Keys, int KeyLines = Keys>
__device__ __forceinline__ void multiply_keys(float (&sum)[Keys / 2], uint32_t queries,
                                              uint32_t keys)
{
    products_begin();
#pragma unroll
    for (int step = 0; step < Width / 16; step++) {
        const int panel = step / 4, column = step % 4 * 32; /* bytes of 16 columns */
        qkv__wgmma_scores(
            Element(), sum, factor_of(queries + (panel * Lines * line_bytes + column) / 16),
            factor_of(keys + (panel * KeyLines * line_bytes + column) / 16), step > 0);
    }
    products_commit();
}

/* The first `Count` numbers of an array in registers. */
template <int Count, int All> __device__ __forceinline__ float (&first_of(float (&x)[All]))[Count]
{
    static_assert(Count <= All, "part of it");
    return reinterpret_cast<float(&)[Count]>(x);
}

/* Outputs += weights * values, weights packed in registers: steps of 16 keys from `From` up to
 * `To`, between products_begin and products_commit. */
template <class Element, int Width, int Keys, int From, int To>
__device__ __forceinline__ void
multiply_values(float (&sum)[Width / 2], const uint32_t (&weights)[Keys / 4], uint32_t values)
{
#pragma unroll
    for (int step = From; step < To; step++) /* 16 keys are 16 lines */
        qkv__wgmma_outputs(Element(), sum, weights + 4 * step,
                           factor_of(values + step * line_bytes), 1);
}

} // namespace qkv
#endif
