/*
 * How keys and values come to a block of the kernel for few queries: a ring of stages in shared
 * memory, which one warp has the copy engine fill with chunks of keys and of values in turn. What
 * is computed from them is not known here.
 */
#ifndef QKV_ATTENTION_CUDA_DECODE_LOAD_CUH
#define QKV_ATTENTION_CUDA_DECODE_LOAD_CUH

#include "decode.h"
#include "decode_merge.cuh"
#include "load.cuh"
#include "shapes.h"

namespace qkv
{

/* The block's shared memory, and where it is in it. */
template <class Shape> struct decode_ring {
    static constexpr int Panels = Shape::Panels; /* of a stage, each with barriers */
    const bool apart; /* each is used on its own; else the barriers of the first are for all */
    uint8_t *stages;
    uint64_t *full, *empty;
    ring<Shape::Stages> at;

    __device__ __forceinline__ decode_ring(uint8_t *shared, bool each)
        : apart(Panels > 1 && each), stages(shared + Shape::StageOffset),
          full(reinterpret_cast<uint64_t *>(shared)), empty(full + Shape::Stages * Panels)
    {
    }
    __device__ __forceinline__ void init() const
    {
        for (int i = 0; i < Shape::Stages * Panels; i++) {
            barrier_init(full + i, 1);
            barrier_init(empty + i, warps);
        }
        barrier_init(arrived(), 1);
        barrier_init_end();
    }
    __device__ __forceinline__ uint8_t *stage() const
    {
        return stages + at.stage * Shape::StageBytes;
    }
    __device__ __forceinline__ uint64_t *arrived() const /* parts of other blocks of a cluster */
    {
        return empty + Shape::Stages * Panels;
    }
    __device__ __forceinline__ float *kept() const
    {
        return reinterpret_cast<float *>(stages + Shape::KeptOffset - Shape::StageOffset);
    }
    __device__ __forceinline__ uint64_t *barrier(int panel) const
    {
        return full + at.stage * Panels + (apart ? panel : 0);
    }
    __device__ __forceinline__ void wait_empty(int panel) const
    {
        if (apart || panel == 0) barrier_wait(empty + at.stage * Panels + panel, at.phase ^ 1);
    }
    __device__ __forceinline__ void wait_full(int panel) const
    {
        if (apart || panel == 0) barrier_wait(barrier(panel), at.phase);
    }
    /* Arrives for the bytes of a panel, or of all. */
    __device__ __forceinline__ void expect(int panel, int bytes) const
    {
        if (apart) barrier_expect(barrier(panel), bytes / Panels);
        if (!apart && panel == 0) barrier_expect(barrier(0), bytes);
    }
    /* A warp has read a panel. */
    __device__ __forceinline__ void release(int panel) const
    {
        if (!apart && panel < Panels - 1) return;
        __syncwarp();
        if (threadIdx.x % 32 == 0) barrier_arrive(empty + at.stage * Panels + (apart ? panel : 0));
    }
};

/* Boxes of rows of `Row` bytes, into a stage from line `line` on: panel `first` of Panels. */
template <class Shape, int Row>
__device__ __forceinline__ void load_panels(const decode_ring<Shape> &ring, const CUtensorMap *map,
                                            int first, int line, int row, int head, int batch,
                                            uint64_t policy)
{
    constexpr int across = Row < line_bytes ? Row : line_bytes,
                  count = Row / across / Shape::Panels;
#pragma unroll
    for (int panel = first * count; panel < (first + 1) * count; panel++)
        load_box(ring.stage() + panel * Shape::Chunk * line_bytes + line * across, map,
                 ring.barrier(first),
                 panel * across / static_cast<int>(sizeof(typename Shape::Stored)), row, head,
                 batch, policy);
}

/* A chunk to the second-level cache alone. */
template <class Shape, int Row>
__device__ __forceinline__ void prefetch_chunk(const CUtensorMap *map, int row, int head, int batch)
{
    constexpr int across = Row < line_bytes ? Row : line_bytes;
#pragma unroll
    for (int panel = 0; panel < Row / across; panel++)
        prefetch_box(map, panel * across / static_cast<int>(sizeof(typename Shape::Stored)), row,
                     head, batch);
}

/*
 * One thread: the first chunks to the second-level cache, while the kernel before ends. This need
 * not wait for it, whatever it writes: the cache has what memory will have. Tables on the device
 * are not read. Only blocks that begin together: later ones ask for their keys at once.
 */
template <class Shape>
__device__ __forceinline__ void prefetch(const CUtensorMap *key, const CUtensorMap *value,
                                         const qkv__cuda_decode &p)
{
    const int ahead = p.clustered ? 2 : 1; /* more cost: they push each other out of the cache */
    if (p.page_table != nullptr || p.ranges != nullptr || blockIdx.x >= p.first_blocks) return;
    const span mine = find_span(p, blockIdx.x);
    const unit u = find_unit(p, mine.head, mine.first);
    int row = u.begin / Shape::Chunk * Shape::Chunk;
    for (int i = 0; i < ahead && u.active && row < u.end; i++, row += Shape::Chunk) {
        prefetch_chunk<Shape, Shape::KeyRow>(key, row, u.head, u.batch);
        prefetch_chunk<Shape, Shape::ValueRow>(value, row, u.head, u.batch);
    }
}

/* One thread, a chunk at a time. Each byte is read once. */
template <class Shape, int Row>
__device__ __forceinline__ void produce_chunk(const CUtensorMap *map, const unit &u, int row,
                                              decode_ring<Shape> &ring)
{
#pragma unroll
    for (int panel = 0; panel < Shape::Panels; panel++) {
        ring.wait_empty(panel);
        ring.expect(panel, Shape::Chunk * Row);
        load_panels<Shape, Row>(ring, map, panel, 0, row, u.head, u.batch, leave_first);
    }
    ring.at.advance();
}

template <class Shape>
__device__ __forceinline__ void produce(const CUtensorMap *key, const CUtensorMap *value,
                                        const unit &u, decode_ring<Shape> &ring)
{
    for (int row = u.begin / Shape::Chunk * Shape::Chunk; row < u.end; row += Shape::Chunk) {
        produce_chunk<Shape, Shape::KeyRow>(key, u, row, ring);
        produce_chunk<Shape, Shape::ValueRow>(value, u, row, ring);
    }
}

/* One warp: a lane for each page of a chunk, or for a box of rows of a larger page. Pages behind a
 * sequence's end, and page numbers that are none, arrive as zeros. Sequences may share pages. */
template <class Shape, int Row>
__device__ __forceinline__ void produce_paged_chunk(const CUtensorMap *map, const unit &u, int line,
                                                    int row, int page, decode_ring<Shape> &ring)
{
#pragma unroll
    for (int panel = 0; panel < Shape::Panels; panel++) {
        ring.wait_empty(panel);
        if (threadIdx.x % 32 == 0) ring.expect(panel, Shape::Chunk * Row);
        __syncwarp();
        if (line < Shape::Chunk)
            load_panels<Shape, Row>(ring, map, panel, line, row, u.head, page, keep_normally);
    }
    ring.at.advance();
}

/* The page of key number `key`, which a lane has at line `line` of a chunk; -1: there is none. */
template <class Shape>
__device__ __forceinline__ int find_page(const qkv__cuda_decode &p, const unit &u,
                                         const int32_t *table, int line, int key)
{
    return line < Shape::Chunk && key < u.end ? __ldg(table + key / p.page_size) : -1;
}

template <class Shape>
__device__ __forceinline__ void produce_pages(const CUtensorMap *key, const CUtensorMap *value,
                                              const qkv__cuda_decode &p, const unit &u,
                                              decode_ring<Shape> &ring)
{
    const int rows = min(p.page_size, Shape::Box), line = threadIdx.x % 32 * rows;
    const int32_t *table = p.page_table + static_cast<int64_t>(u.batch) * p.page_columns;
    const int begin = u.begin / Shape::Chunk * Shape::Chunk;
    int page = find_page<Shape>(p, u, table, line, begin + line);
    for (int row = begin; row < u.end; row += Shape::Chunk) {
        /* Asked for now: it has time until the next chunk. */
        const int next = find_page<Shape>(p, u, table, line, row + Shape::Chunk + line);
        const int first = (row + line) % p.page_size;
        produce_paged_chunk<Shape, Shape::KeyRow>(key, u, line, first, page, ring);
        produce_paged_chunk<Shape, Shape::ValueRow>(value, u, line, first, page, ring);
        page = next;
    }
}

} // namespace qkv
#endif
