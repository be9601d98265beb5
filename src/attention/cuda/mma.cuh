/*
 * Products of one warp, mma.sync, for devices from compute capability 8.0 on: 16 rows by 8 columns,
 * 16 deep. Lane l holds of the sums rows l / 4 and 8 below, columns 2 (l mod 4) and the next.
 */
#ifndef QKV_ATTENTION_CUDA_MMA_CUH
#define QKV_ATTENTION_CUDA_MMA_CUH

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace qkv
{

__device__ __forceinline__ void multiply(__nv_bfloat16, float (&sum)[4], const uint32_t (&left)[4],
                                         uint32_t low, uint32_t high)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(low), "r"(high));
}

__device__ __forceinline__ void multiply(__half, float (&sum)[4], const uint32_t (&left)[4],
                                         uint32_t low, uint32_t high)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(low), "r"(high));
}

/* Four 8 x 8 matrices from shared memory, as they lie or turned. */
__device__ __forceinline__ void load_matrices(uint32_t (&to)[4], uint32_t address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

__device__ __forceinline__ void load_turned(uint32_t (&to)[4], uint32_t address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

/* An 8 x 8 matrix of 16-bit numbers in registers, turned: a lane has two numbers of row lane / 4.
 */
__device__ __forceinline__ uint32_t turn(uint32_t pair)
{
    uint32_t turned;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(pair));
    return turned;
}

} // namespace qkv
#endif
