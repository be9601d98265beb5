/*
 * Barriers in shared memory, and the copy engine (TMA) that signals them. A tensor map has the four
 * axes (width, length, heads, batch) of an operand; a box is 64 columns, 128 bytes, by as many
 * rows as a tile has, written in the 128-byte swizzle that the matrix unit reads: the 16-byte
 * unit u of row r lies at unit u ^ (r mod 8). Rows past the end of the length arrive as zeros.
 */
#ifndef QKV_ATTENTION_CUDA_LOAD_CUH
#define QKV_ATTENTION_CUDA_LOAD_CUH

#include <cstdint>
#include <cuda.h>

namespace qkv
{

constexpr int panel_columns = 64; /* columns of a box: what one line of 128 bytes holds */
constexpr int line_bytes = 128;

__device__ __forceinline__ uint32_t shared_address(const void *pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void barrier_init(uint64_t *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(arrivals));
}

/* Makes the barriers known to the copy engine; before the first __syncthreads. */
__device__ __forceinline__ void barrier_init_end()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Arrives, and lets the phase wait for that many bytes of the copy engine's. */
__device__ __forceinline__ void barrier_expect(uint64_t *barrier, int bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
}

__device__ __forceinline__ void barrier_arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
                 : "memory");
}

__device__ __forceinline__ void barrier_wait(uint64_t *barrier, uint32_t phase)
{
    asm volatile("{\n.reg .pred done;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra end;\nbra again;\nend:\n}" ::"r"(shared_address(barrier)),
                 "r"(phase)
                 : "memory");
}

/* How long lines stay in the second-level cache: policies as createpolicy makes them. */
constexpr uint64_t keep_normally = 0x1000000000000000ull, leave_first = 0x12F0000000000000ull,
                   leave_last = 0x14F0000000000000ull;

/* One box to shared memory, which lines of the cache leave as `policy` says. */
__device__ __forceinline__ void load_box(void *target, const CUtensorMap *map, uint64_t *barrier,
                                         int column, int row, int head, int batch, uint64_t policy)
{
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".L2::cache_hint [%0], [%1, {%3, %4, %5, %6}], [%2], %7;" ::"r"(shared_address(target)),
        "l"(map), "r"(shared_address(barrier)), "r"(column), "r"(row), "r"(head), "r"(batch),
        "l"(policy)
        : "memory");
}

/* One box to shared memory. */
__device__ __forceinline__ void load_box(void *target, const CUtensorMap *map, uint64_t *barrier,
                                         int column, int row, int head, int batch)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(shared_address(target)),
                 "l"(map), "r"(shared_address(barrier)), "r"(column), "r"(row), "r"(head),
                 "r"(batch)
                 : "memory");
}

/* All columns of some rows: box by box, each `Rows` lines behind the one before. */
template <int Width, int Rows>
__device__ __forceinline__ void load_rows(uint8_t *target, const CUtensorMap *map,
                                          uint64_t *barrier, int row, int head, int batch)
{
#pragma unroll
    for (int panel = 0; panel < Width / panel_columns; panel++)
        load_box(target + panel * Rows * line_bytes, map, barrier, panel * panel_columns, row, head,
                 batch);
}

/* One box to the second-level cache alone. */
__device__ __forceinline__ void prefetch_box(const CUtensorMap *map, int column, int row, int head,
                                             int batch)
{
    asm volatile(
        "cp.async.bulk.prefetch.tensor.4d.L2.global.tile [%0, {%1, %2, %3, %4}];" ::"l"(map),
        "r"(column), "r"(row), "r"(head), "r"(batch)
        : "memory");
}

template <int Width>
__device__ __forceinline__ void prefetch_rows(const CUtensorMap *map, int row, int head, int batch)
{
#pragma unroll
    for (int panel = 0; panel < Width / panel_columns; panel++)
        prefetch_box(map, panel * panel_columns, row, head, batch);
}

__device__ __forceinline__ void prefetch_map(const CUtensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* What ordinary stores wrote to shared memory is seen by the copy engine and the matrix unit. */
__device__ __forceinline__ void shared_publish()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* ---- Clusters: blocks that see each other's shared memory ----
 */

__device__ __forceinline__ void cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}

__device__ __forceinline__ void cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

/* The address of the same variable in block number `block` of the cluster. */
__device__ __forceinline__ uint32_t address_in(const void *pointer, int block)
{
    uint32_t address;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(address)
        : "r"(shared_address(pointer)), "r"(block));
    return address;
}

/* A number to another block, whose barrier counts its 4 bytes. */
__device__ __forceinline__ void send(uint32_t to, float value, uint32_t barrier)
{
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to),
        "r"(__float_as_uint(value)), "r"(barrier)
        : "memory");
}

/* As barrier_wait, for what other blocks have sent. */
__device__ __forceinline__ void barrier_wait_cluster(uint64_t *barrier, uint32_t phase)
{
    asm volatile("{\n.reg .pred done;\n"
                 "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra end;\nbra again;\nend:\n}" ::"r"(shared_address(barrier)),
                 "r"(phase)
                 : "memory");
}

/* Where a stage of a ring is: its number, and the parity of the round. */
template <int Stages> struct ring {
    int stage = 0;
    uint32_t phase = 0;

    __device__ __forceinline__ void advance()
    {
        if (++stage == Stages) {
            stage = 0;
            phase ^= 1;
        }
    }
};

} // namespace qkv
#endif
