/*
 * The gradient's kernel for Hopper (sm_90a).
 *
 * A block of threads has 128 keys and values of one key head, in shared memory all the time, and
 * goes over all tiles of 64 queries that look at them, from the last to the first. Everything is
 * transposed, so that products lie as the matrix unit likes them; with P the weights, G the
 * gradient of the output, D the row's mean of dP and c the log-sum-exp in base 2:
 *
 *     S' = K Q'      P' = 2^(scale S' - c)        dV += P' G
 *     dP' = V G'     dS' = P' (dP' - D)           dK += dS' Q      dQ += dS K
 *
 * Two warpgroups have 64 keys each; they hold dK and dV in registers, and neither waits for the
 * other. A third one makes dQ from the dS that both leave in shared memory. Of the fourth, one warp
 * asks the copy engine for queries; two or three others take turns at adding dQ to the sums in
 * memory, 64 columns at a time.
 *
 *     loader    Q G | Q G | ...                             full[stage] ->   <- empty[stage]
 *     keys 0    S0 weights dP0 dV0 dS0 S1 dK0 weights dP1 dV1   score_full ->   <- score_empty
 *     keys 1       S0 weights dP0 dV0 dS0 S1 dK0 weights dP1
 *     queries                            dQ0                dQ1   sum_full ->   <- sum_empty
 *     adders                                 + dQ0              + dQ1
 *
 * The order of sums is fixed: blocks of keys take turns at each tile of queries, in the order of
 * the keys. All blocks of a head walk over the tiles in the same order (a tile of each query head
 * of the group, then the tiles before it), each a little behind the one before; a block only waits
 * for blocks that were begun earlier, so that all come to an end. The first one stores, so that
 * nothing has to be cleared.
 *
 * Where sequences differ in length or lie one after the other, they are in a list. A block then
 * takes its sequence to shared memory, and keys past its end are cleared there, whatever they hold.
 * With a soft cap t = tanh(scale S / cap), dS gets a factor 1 - t^2, which is kept in f16.
 *
 * With dropout, which keeps the weights M P and multiplies them by f, dV += (M P)' G and
 * dS' = (M P)' dP' - P' D / f, both to be multiplied by f at the end: D / f is what the rows are
 * given, and f is in the scale. Sequences are listed then too, for their numbers.
 */
#ifndef QKV_ATTENTION_CUDA_GRADIENT_CUH
#define QKV_ATTENTION_CUDA_GRADIENT_CUH

#include <type_traits>

#include "dropout.cuh"
#include "epilogue.cuh"
#include "gradient_call.h"
#include "load.cuh"
#include "matrix.cuh"
#include "softmax.cuh"

namespace qkv
{

/* One kernel's shape. Registers: 65,536 for all threads of a block, 512 for one of each group. */
/* What a call needs beyond the plain kernel. */
enum gradient_kind {
    gradient_plain,
    gradient_listed,
    gradient_capped, /* and listed, as the next */
    gradient_dropped
};

/* dQ goes to memory in pieces of a panel's columns, for which there is room twice. */
constexpr int pieces = 2;
static_assert(QKV__CUDA_GRADIENT_PIECE == panel_columns, "a product's columns");

template <class Element_, int Width_, int Stages_, int ScoreStages_, bool Grouped_,
          gradient_kind Kind_>
struct gradient_shape {
    using Element = Element_;
    static constexpr int Width = Width_;
    static constexpr bool Grouped = Grouped_; /* several query heads share a key head */
    static constexpr bool Listed = Kind_ != gradient_plain, Capped = Kind_ == gradient_capped;
    static constexpr bool Dropped = Kind_ == gradient_dropped;
    static constexpr int Keys = QKV__CUDA_GRADIENT_KEYS, Queries = QKV__CUDA_GRADIENT_QUERIES;
    static constexpr int Panels = Width / panel_columns;
    static constexpr int Stages = Stages_;           /* tiles of queries in flight */
    static constexpr int ScoreStages = ScoreStages_; /* tiles of dS */
    /* Threads that take turns at adding pieces: while one is being read, another is waited for
     * until all see it, which takes as long. */
    static constexpr int Adders = Panels + 1;

    static constexpr int Threads = 512;
    static constexpr int KeyBytes = Keys * Width * 2, QueryBytes = Queries * Width * 2;
    static constexpr int ScoreBytes = Keys * Queries * 2;
    static constexpr int PieceBytes = Queries * panel_columns * 4; /* of dQ on its way to memory */
    static constexpr int RowBytes = Queries * 4;
    static constexpr int ValueOffset = KeyBytes;
    static constexpr int QueryOffset = ValueOffset + KeyBytes;
    static constexpr int GradientOffset = QueryOffset + Stages * QueryBytes;
    static constexpr int ScoreOffset = GradientOffset + Stages * QueryBytes;
    static constexpr int SumOffset = ScoreOffset + ScoreStages * ScoreBytes;
    static constexpr int LogOffset = SumOffset + pieces * PieceBytes;
    static constexpr int MeanOffset = LogOffset + Stages * RowBytes;
    static constexpr int SignalOffset = MeanOffset + Stages * RowBytes;
    static constexpr int SharedBytes = SignalOffset + 256;
    static constexpr int HelperRegisters = 32, QueryRegisters = 64, KeyRegisters = 208;
    /* Whether dK reads dS from shared memory, which leaves registers for the next weights to be
     * made under it. Narrow ones have registers enough. */
    static constexpr bool Shared = Width == 128 && !Dropped;
    /* Whether dV may be at work while dS is made; with dropout its factor is in dS's registers. */
    static constexpr int Pending = !Dropped;
    static_assert(HelperRegisters + QueryRegisters + 2 * KeyRegisters <= 512, "registers");
    static_assert(SharedBytes <= 227 * 1024, "a multiprocessor has no more");
};

/* A block of keys, and the tiles of queries that it meets in each of `group` heads. */
struct gradient_work {
    int batch, key_head, block;
    int begin, end;
    int low, high; /* from begin <= low up to high <= end no query is masked */
};

__device__ __forceinline__ gradient_work gradient_find(const qkv__cuda_gradient &p, int number)
{
    const int full = p.section * p.blocks;
    const int section = number / full, within = number % full;
    const int first = section * p.section, size = min(p.section, p.units - first);
    const int unit = first + within % size, key_heads = p.heads / p.group;
    gradient_work work;
    work.block = within / size;
    work.batch = unit / key_heads;
    work.key_head = unit % key_heads;
    const qkv__cuda_span tiles = qkv__cuda_tiles_of_block(&p.positions, work.block);
    work.begin = tiles.begin;
    work.end = max(tiles.begin, tiles.end);
    const qkv__cuda_span whole = qkv__cuda_whole_tiles(&p.positions, work.block);
    work.high = max(min(whole.end, work.end), work.begin);
    work.low = min(max(whole.begin, work.begin), work.high);
    return work;
}

/* The last sequence that does not begin behind a number: of a block, or of a tile. */
__device__ __forceinline__ int find_listed(const qkv__cuda_gradient &p, int number,
                                           int32_t qkv__cuda_gradient_sequence::*start)
{
    int low = 0, high = p.listed - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (p.sequences[middle].*start <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The same of a listed sequence: its blocks in order, each of all key heads. */
__device__ __forceinline__ gradient_work gradient_find_listed(const qkv__cuda_gradient &p,
                                                              const qkv__cuda_gradient_sequence &of,
                                                              int number)
{
    const int key_heads = p.heads / p.group, within = number - of.block * key_heads;
    gradient_work work;
    work.block = within / key_heads;
    work.batch = of.batch;
    work.key_head = within % key_heads;
    const qkv__cuda_span tiles = qkv__cuda_tiles_of_block(&of.positions, work.block);
    const bool there = work.block * QKV__CUDA_GRADIENT_KEYS < of.positions.keys;
    work.begin = there ? tiles.begin : 0;
    work.end = there ? max(tiles.begin, tiles.end) : 0;
    const qkv__cuda_span whole = qkv__cuda_whole_tiles(&of.positions, work.block);
    work.high = max(min(whole.end, work.end), work.begin);
    work.low = min(max(whole.begin, work.begin), work.high);
    return work;
}

/* The tiles of a block in their order: each of all query heads of the group, from the last one on.
 * All roles walk alike. */
template <class Shape, class Body>
__device__ __forceinline__ void each_tile(const qkv__cuda_gradient &p, const gradient_work &work,
                                          Body body)
{
    if constexpr (Shape::Grouped) {
        for (int tile = work.end - 1; tile >= work.begin; tile--) {
#pragma unroll 1
            for (int i = 0; i < p.group; i++) body(tile, work.key_head * p.group + i);
        }
    } else {
        for (int i = 0; i < p.group; i++) {
#pragma unroll 1
            for (int tile = work.end - 1; tile >= work.begin; tile--)
                body(tile, work.key_head * p.group + i);
        }
    }
}

/* Behind the tiles. Whoever ends with a buffer arrives with each of its warps. */
template <int Stages, int ScoreStages, int Adders> struct gradient_signals {
    uint64_t key_full, value_full;
    uint64_t query_full[Stages], gradient_full[Stages], empty[Stages];
    uint64_t score_full[ScoreStages], score_empty[ScoreStages];
    uint64_t sum_full[Adders], sum_empty[pieces]; /* each adder has its own */
    uint64_t key_raw, value_raw; /* of a listed sequence, before what is past its end is cleared */
    int number;                  /* of the block of keys */
    qkv__cuda_gradient_sequence sequence; /* of a list */

    __device__ __forceinline__ void init()
    {
        barrier_init(&key_full, 1);
        barrier_init(&value_full, 1);
        barrier_init(&key_raw, 1);
        barrier_init(&value_raw, 1);
        for (int i = 0; i < Stages; i++) {
            barrier_init(&query_full[i], 1);
            barrier_init(&gradient_full[i], 1);
            barrier_init(&empty[i], 8);
        }
        for (int i = 0; i < ScoreStages; i++) {
            barrier_init(&score_full[i], 8);
            barrier_init(&score_empty[i], 4);
        }
        for (int i = 0; i < Adders; i++) barrier_init(&sum_full[i], 4);
        for (int i = 0; i < pieces; i++) barrier_init(&sum_empty[i], 1);
        barrier_init_end();
    }
};

template <class Shape> struct gradient_memory {
    using signals_type = gradient_signals<Shape::Stages, Shape::ScoreStages, Shape::Adders>;
    uint8_t *key, *value, *query, *gradient, *score, *sum;
    float *row_log, *row_mean;
    signals_type *signals;

    /* `base` is a multiple of 1,024, as the swizzle wants it. */
    __device__ __forceinline__ gradient_memory(uint8_t *base)
    {
        static_assert(sizeof *signals <= 256, "the room behind the tiles");
        key = base;
        value = base + Shape::ValueOffset;
        query = base + Shape::QueryOffset;
        gradient = base + Shape::GradientOffset;
        score = base + Shape::ScoreOffset;
        sum = base + Shape::SumOffset;
        row_log = reinterpret_cast<float *>(base + Shape::LogOffset);
        row_mean = reinterpret_cast<float *>(base + Shape::MeanOffset);
        signals = reinterpret_cast<signals_type *>(base + Shape::SignalOffset);
    }

    /* The block's sequence, and where it lies in the views and among the tiles. */
    __device__ __forceinline__ const qkv__cuda_positions &
    positions(const qkv__cuda_gradient &p) const
    {
        if constexpr (Shape::Listed) return signals->sequence.positions;
        return p.positions;
    }
    __device__ __forceinline__ int first_query() const
    {
        return Shape::Listed ? signals->sequence.query : 0;
    }
    __device__ __forceinline__ int first_key() const
    {
        return Shape::Listed ? signals->sequence.key : 0;
    }
    __device__ __forceinline__ int first_tile() const
    {
        return Shape::Listed ? signals->sequence.tile : 0;
    }
};

/* ---- The copy engine ---------------------------------------------------------------------- */

__device__ __forceinline__ void load_bytes(void *target, const void *source, int bytes,
                                           uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(target)),
                 "l"(source), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

/* Shared memory to memory, as it is or added number by number. */
__device__ __forceinline__ void store_floats(float *target, const void *source, int bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(target),
                 "r"(shared_address(source)), "r"(bytes)
                 : "memory");
}
__device__ __forceinline__ void add_floats(float *target, const void *source, int bytes)
{
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(target),
        "r"(shared_address(source)), "r"(bytes)
        : "memory");
}

/* One thread. */
template <class Shape>
__device__ __forceinline__ void load_queries(const gradient_memory<Shape> &memory,
                                             const qkv__cuda_gradient &p, const gradient_work &work,
                                             const CUtensorMap *query, const CUtensorMap *key,
                                             const CUtensorMap *value, const CUtensorMap *gradient)
{
    auto *signals = memory.signals;
    const int key_row = work.block * Shape::Keys + memory.first_key();
    uint64_t *const key_full = Shape::Listed ? &signals->key_raw : &signals->key_full;
    uint64_t *const value_full = Shape::Listed ? &signals->value_raw : &signals->value_full;
    if (work.begin == work.end) return; /* nothing may be on its way when the block ends */
    barrier_expect(key_full, Shape::KeyBytes);
    load_rows<Shape::Width, Shape::Keys>(memory.key, key, key_full, key_row, work.key_head,
                                         work.batch);
    ring<Shape::Stages> at;
    bool first = true;
    each_tile<Shape>(p, work, [&](int tile, int head) {
        const int s = at.stage, row = tile * Shape::Queries + memory.first_query();
        const int64_t rows = static_cast<int64_t>(work.batch * p.heads + head) * p.tiles;
        const int64_t place = (rows + memory.first_tile() + tile) * Shape::Queries;
        barrier_wait(&signals->empty[s], at.phase ^ 1);
        barrier_expect(&signals->query_full[s], Shape::QueryBytes + Shape::RowBytes);
        load_rows<Shape::Width, Shape::Queries>(memory.query + s * Shape::QueryBytes, query,
                                                &signals->query_full[s], row, head, work.batch);
        load_bytes(memory.row_log + s * Shape::Queries, p.row_log + place, Shape::RowBytes,
                   &signals->query_full[s]);
        if (first) { /* what is needed later is asked for later */
            barrier_expect(value_full, Shape::KeyBytes);
            load_rows<Shape::Width, Shape::Keys>(memory.value, value, value_full, key_row,
                                                 work.key_head, work.batch);
            first = false;
        }
        barrier_expect(&signals->gradient_full[s], Shape::QueryBytes + Shape::RowBytes);
        load_rows<Shape::Width, Shape::Queries>(memory.gradient + s * Shape::QueryBytes, gradient,
                                                &signals->gradient_full[s], row, head, work.batch);
        load_bytes(memory.row_mean + s * Shape::Queries, p.row_mean + place, Shape::RowBytes,
                   &signals->gradient_full[s]);
        at.advance();
    });
}

/* A warp, for a listed sequence: clears the keys and values past its end as soon as they are there.
 */
template <class Shape>
__device__ __forceinline__ void clear_keys(const gradient_memory<Shape> &memory,
                                           const qkv__cuda_gradient &p, const gradient_work &work)
{
    auto *signals = memory.signals;
    const int lane = threadIdx.x % 32;
    const int there = memory.positions(p).keys - work.block * Shape::Keys;
    if (work.begin == work.end) return;
#pragma unroll
    for (int which = 0; which < 2; which++) {
        uint8_t *lines = which == 0 ? memory.key : memory.value;
        barrier_wait(which == 0 ? &signals->key_raw : &signals->value_raw, 0);
        for (int panel = 0; panel < Shape::Panels; panel++)
            for (int row = there + lane / 8; row < Shape::Keys; row += 4) /* a line has 8 units */
                *reinterpret_cast<uint4 *>(lines + (panel * Shape::Keys + row) * line_bytes +
                                           lane % 8 * 16) = make_uint4(0, 0, 0, 0);
        shared_publish();
        __syncwarp();
        if (lane == 0) barrier_arrive(which == 0 ? &signals->key_full : &signals->value_full);
    }
}

/* ---- Sums of dQ ----------------------------------------------------------------------------- */

__device__ __forceinline__ uint32_t read_turn(const uint32_t *turn)
{
    uint32_t value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(turn) : "memory");
    return value;
}

__device__ __forceinline__ void pass_turn(uint32_t *turn, uint32_t to)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(turn), "r"(to) : "memory");
}

/* Orders the copy engine's accesses to memory with a thread's own. */
__device__ __forceinline__ void memory_publish()
{
    asm volatile("fence.proxy.async.global;" ::: "memory");
}

/* Piece number `piece` of the block, one of a tile's. The thread waits for its turn before it waits
 * for dQ: a look at the turn takes as long as a fifth of a tile. The shared memory is free as soon
 * as it was read; the turn is passed on when the sums are in memory. */
template <class Shape>
__device__ __forceinline__ void add_piece(const gradient_memory<Shape> &memory, float *to,
                                          uint32_t *turn, uint32_t own, int piece)
{
    auto *signals = memory.signals;
    const void *from = memory.sum + piece % pieces * Shape::PieceBytes;
    while (own > 0 && read_turn(turn) != own) {
    }
    memory_publish();
    barrier_wait(&signals->sum_full[piece % Shape::Adders], piece / Shape::Adders & 1);
    if (own == 0)
        store_floats(to, from, Shape::PieceBytes);
    else
        add_floats(to, from, Shape::PieceBytes);
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    barrier_arrive(&signals->sum_empty[piece % pieces]);
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    memory_publish();
    pass_turn(turn, own + 1);
}

/* One thread of `Adders`. */
template <class Shape>
__device__ __forceinline__ void add_sums(const gradient_memory<Shape> &memory,
                                         const qkv__cuda_gradient &p, const gradient_work &work,
                                         int adder)
{
    int piece = 0;
    each_tile<Shape>(p, work, [&](int tile, int head) {
        const int64_t number = static_cast<int64_t>(work.batch * p.heads + head) * p.tiles +
                               memory.first_tile() + tile;
        const uint32_t own =
            work.block - qkv__cuda_blocks_of_tile(&memory.positions(p), tile).begin;
        for (int panel = 0; panel < Shape::Panels; panel++, piece++)
            if (piece % Shape::Adders == adder)
                add_piece<Shape>(
                    memory, p.sums + (number * Shape::Panels + panel) * (Shape::PieceBytes / 4),
                    p.turns + number * Shape::Panels + panel, own, piece);
    });
}

/* A warpgroup: dQ of each tile, from the dS of both others. A thread's sums lie in memory in
 * fours, all threads' first fours, then their second ones, and so on: no matter to anyone but
 * gradient_rows.cuh, which reads them the same way. */
template <class Shape>
__device__ __forceinline__ void multiply_queries(const gradient_memory<Shape> &memory, int steps)
{
    using Element = typename Shape::Element;
    auto *signals = memory.signals;
    const bool leader = threadIdx.x % 32 == 0;
    const uint32_t keys = factor_lower(shared_address(memory.key), 16);
    const uint32_t scores = factor_lower(shared_address(memory.score), 16);
    float sum[panel_columns / 2];
    ring<Shape::ScoreStages> at;
    ring<pieces> out;
    ring<Shape::Adders> adder;
    if (steps > 0) barrier_wait(&signals->key_full, 0);
#pragma unroll 1
    for (int i = 0; i < steps; i++, at.advance()) {
        barrier_wait(&signals->score_full[at.stage], at.phase);
        const uint32_t left = scores + at.stage * (Shape::ScoreBytes / 16);
#pragma unroll
        for (int panel = 0; panel < Shape::Panels; panel++, out.advance(), adder.advance()) {
            const uint32_t right = keys + panel * Shape::Keys * line_bytes / 16;
            float4 *to = reinterpret_cast<float4 *>(memory.sum + out.stage * Shape::PieceBytes) +
                         threadIdx.x % 128;
            products_begin();
#pragma unroll
            for (int step = 0; step < Shape::Keys / 16; step++) /* 16 keys are 16 lines */
                qkv__wgmma_columns(Element(), sum, factor_of(left + step * line_bytes),
                                   factor_of(right + step * line_bytes), step > 0);
            products_commit();
            products_wait<0>();
            if (panel == Shape::Panels - 1 && leader)
                barrier_arrive(&signals->score_empty[at.stage]);
            barrier_wait(&signals->sum_empty[out.stage], out.phase ^ 1);
#pragma unroll
            for (int j = 0; j < 8; j++)
                to[128 * j] =
                    make_float4(sum[4 * j], sum[4 * j + 1], sum[4 * j + 2], sum[4 * j + 3]);
            shared_publish();
            __syncwarp();
            if (leader) barrier_arrive(&signals->sum_full[adder.stage]);
        }
    }
}

/* ---- Keys -------------------------------------------------------------------------------------
 */

/* Weights of queries that may not look at a thread's two keys become 0. `first` and `last` are the
 * first and the last query, in the tile, that look at the first key; the second one is 8 further.
 * Of the keys from this one on only `there` exist. */
template <int Count>
__device__ __forceinline__ void mask_queries(uint32_t (&weight)[Count], int first, int last,
                                             int there)
{
    const int own = threadIdx.x % 4 * 2;
#pragma unroll
    for (int row = 0; row < 2; row++) {
        const int low = first + 8 * row - own;
        const int high = 8 * row < there ? last + 8 * row - own : -1 - own;
#pragma unroll
        for (int i = row; i < Count; i += 2) {
            const int column = 4 * (i - row); /* and the next */
            if (column < low || column > high) weight[i] &= 0xFFFF0000u;
            if (column + 1 < low || column + 1 > high) weight[i] &= 0x0000FFFFu;
        }
    }
}

/* dS' of 64 keys by 64 queries, from packed fragments to swizzled lines of 64 queries. */
__device__ __forceinline__ void store_scores(uint32_t target, const uint32_t (&packed)[16])
{
    const int lane = threadIdx.x % 32, part = lane / 8, low = lane % 8;
    const uint32_t line = target + (threadIdx.x % 128 / 32 * 16 + part % 2 * 8 + low) * line_bytes;
#pragma unroll
    for (int c = 0; c < 8; c += 2)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                         line + ((c + part / 2 ^ low) << 4)),
                     "r"(packed[2 * c]), "r"(packed[2 * c + 1]), "r"(packed[2 * c + 2]),
                     "r"(packed[2 * c + 3])
                     : "memory");
}

/* The end of a warp's 16 keys. */
template <class Element, int Width>
__device__ __forceinline__ void store_keys(const qkv__cuda_operand &to,
                                           const float (&sum)[Width / 2], float factor, int batch,
                                           int head, int row, int past)
{
    if (to.data == nullptr) return;
    Element *base = static_cast<Element *>(to.data) + batch * to.batch + head * to.head +
                    static_cast<int64_t>(row) * to.row;
#pragma unroll
    for (int i = 0; i < 2; i++)
        store_row<Element, Width>(sum, i, factor, base + 8 * i * to.row, row + 8 * i < past);
}

/* A warpgroup with 64 keys. */
template <class Shape>
__device__ __forceinline__ void walk(const gradient_memory<Shape> &memory,
                                     const qkv__cuda_gradient &p, const gradient_work &work)
{
    using Element = typename Shape::Element;
    constexpr int count = Shape::Queries / 2;
    auto *signals = memory.signals;
    const int own = uniform(threadIdx.x / 128 - 2);
    const bool leader = threadIdx.x % 32 == 0;
    const int row = work.block * Shape::Keys + own * 64 + threadIdx.x % 128 / 32 * 16 +
                    threadIdx.x % 32 / 4; /* of the key, and 8 below it */
    const uint32_t keys = factor_lower(shared_address(memory.key) + own * 64 * line_bytes, 16);
    const uint32_t values = factor_lower(shared_address(memory.value) + own * 64 * line_bytes, 16);
    const uint32_t scores = shared_address(memory.score) + own * 64 * line_bytes;
    const uint32_t score_base = factor_lower(scores, 16);
    constexpr int panel_bytes = Shape::Queries * line_bytes;
    const uint32_t query_base = factor_lower(shared_address(memory.query), panel_bytes);
    const uint32_t gradient_base = factor_lower(shared_address(memory.gradient), panel_bytes);

    /* S', then dP' in the same registers: there is no room for both. */
    float key_sum[Shape::Width / 2], value_sum[Shape::Width / 2], score[count];
    uint32_t weight[count / 2], packed[count / 2];
    [[maybe_unused]] uint32_t slope[Shape::Capped ? count / 2 : 1]; /* 1 - t^2, in f16 */
#pragma unroll
    for (int i = 0; i < Shape::Width / 2; i++) key_sum[i] = value_sum[i] = 0.0f;
    ring<Shape::Stages> at;
    uint32_t number = 0;
    int left = p.group * (work.end - work.begin);

    auto issue_scores = [&] {
        barrier_wait(&signals->query_full[at.stage], at.phase);
        multiply_keys<Element, Shape::Width, Shape::Keys, Shape::Queries>(
            score, keys, query_base + at.stage * (Shape::QueryBytes / 16));
    };
    /* Begins with the scores of its tile and ends with those of the next. Of the products before,
     * the last dK may still be at work. */
    auto step = [&](int tile, int head, bool masked) {
        const int stage = at.stage;
        const uint32_t queries = query_base + stage * (Shape::QueryBytes / 16);
        const uint32_t gradients = gradient_base + stage * (Shape::QueryBytes / 16);
        const float *logs = memory.row_log + stage * Shape::Queries + threadIdx.x % 4 * 2;
        uint32_t kept = 0;
        if constexpr (Shape::Dropped)
            kept = kept_rows(p.dropout, tile * Shape::Queries, row - threadIdx.x % 32 / 4, head,
                             signals->sequence.number);
        if constexpr (Shape::Capped) /* tanh, as cap_scores has it */
#pragma unroll
            for (int i = 0; i < count; i++)
                score[i] = 1.0f - 2.0f * reciprocal(exponential2(score[i] * p.cap_twice) + 1.0f);
        if constexpr (Shape::Capped)
#pragma unroll
            for (int i = 0; i < count; i += 2)
                slope[i / 2] = pack(__half(), fmaf(-score[i], score[i], 1.0f),
                                    fmaf(-score[i + 1], score[i + 1], 1.0f));
#pragma unroll
        for (int i = 0; i < count; i += 4) {
            const float2 log = *reinterpret_cast<const float2 *>(logs + 2 * i);
            const float x = exponential2(fmaf(score[i], p.scale_2, -log.x));
            const float y = exponential2(fmaf(score[i + 1], p.scale_2, -log.y));
            weight[i / 2] = pack(Element(), x, y);
            const float z = exponential2(fmaf(score[i + 2], p.scale_2, -log.x));
            const float w = exponential2(fmaf(score[i + 3], p.scale_2, -log.y));
            weight[i / 2 + 1] = pack(Element(), z, w);
        }
        /* A loop between the exponentials and the end of dK, under which they run: without it the
         * compiler would wait first. */
        if constexpr (Shape::Shared) barrier_wait(&signals->gradient_full[stage], at.phase);
        products_wait<0>(); /* dK of the last tile */
        __syncwarp();       /* all lanes have read its logarithms and means */
        if (leader && number > 0)
            barrier_arrive(&signals->empty[(stage + Shape::Stages - 1) % Shape::Stages]);
        if (masked) {
            const qkv__cuda_positions &of = memory.positions(p);
            const int shift = row - of.offset - tile * Shape::Queries;
            mask_queries(weight, shift - of.right, shift + of.left, of.keys - row);
        }
        if constexpr (Shape::Dropped) /* dS needs all weights: dV's go into its registers */
#pragma unroll
            for (int i = 0; i < count; i += 2)
                packed[i / 2] = weight[i / 2] & ((is_kept(kept, i) ? 0xFFFFu : 0u) |
                                                 (is_kept(kept, i + 1) ? 0xFFFF0000u : 0u));
        if constexpr (!Shape::Shared) barrier_wait(&signals->gradient_full[stage], at.phase);
        multiply_keys<Element, Shape::Width, Shape::Keys, Shape::Queries>(score, values, gradients);
        products_begin();
        multiply_values<Element, Shape::Width, Shape::Queries, 0, Shape::Queries / 16>(
            value_sum, Shape::Dropped ? packed : weight, gradients);
        products_commit();
        products_wait<Shape::Pending>(); /* dP */
        const float *means = memory.row_mean + stage * Shape::Queries + threadIdx.x % 4 * 2;
#pragma unroll
        for (int i = 0; i < count; i += 4) {
            const float2 mean = *reinterpret_cast<const float2 *>(means + 2 * i);
            const float2 above = unpack(Element(), weight[i / 2]);
            const float2 below = unpack(Element(), weight[i / 2 + 1]);
            if constexpr (Shape::Capped) {
                const float2 upper = unpack(__half(), slope[i / 2]);
                const float2 lower = unpack(__half(), slope[i / 2 + 1]);
                packed[i / 2] = pack(Element(), above.x * (score[i] - mean.x) * upper.x,
                                     above.y * (score[i + 1] - mean.y) * upper.y);
                packed[i / 2 + 1] = pack(Element(), below.x * (score[i + 2] - mean.x) * lower.x,
                                         below.y * (score[i + 3] - mean.y) * lower.y);
                continue;
            }
            if constexpr (Shape::Dropped) {
                const float2 upper = unpack(Element(), packed[i / 2]);
                const float2 lower = unpack(Element(), packed[i / 2 + 1]);
                packed[i / 2] = pack(Element(), fmaf(upper.x, score[i], -above.x * mean.x),
                                     fmaf(upper.y, score[i + 1], -above.y * mean.y));
                packed[i / 2 + 1] = pack(Element(), fmaf(lower.x, score[i + 2], -below.x * mean.x),
                                         fmaf(lower.y, score[i + 3], -below.y * mean.y));
                continue;
            }
            packed[i / 2] =
                pack(Element(), above.x * (score[i] - mean.x), above.y * (score[i + 1] - mean.y));
            packed[i / 2 + 1] = pack(Element(), below.x * (score[i + 2] - mean.x),
                                     below.y * (score[i + 3] - mean.y));
        }
        const int buffer = number % Shape::ScoreStages;
        barrier_wait(&signals->score_empty[buffer], (number / Shape::ScoreStages & 1) ^ 1);
        store_scores(scores + buffer * Shape::ScoreBytes, packed);
        shared_publish();
        if constexpr (Shape::Shared) /* all four warps have stored */
            asm volatile("bar.sync %0, 128;" ::"r"(1 + own) : "memory");
        else
            __syncwarp();
        if (leader) barrier_arrive(&signals->score_full[buffer]);
        number++;
        /* Behind the last tile its own scores are computed again, and thrown away. */
        if (--left > 0) at.advance();
        issue_scores();
        products_begin();
        if constexpr (Shape::Shared) {
#pragma unroll
            for (int i = 0; i < Shape::Queries / 16;
                 i++) /* 16 queries: 32 bytes of dS', 16 lines */
                qkv__wgmma_rows(Element(), key_sum,
                                factor_of(score_base + buffer * (Shape::ScoreBytes / 16) + 2 * i),
                                factor_of(queries + i * line_bytes), 1);
        } else {
            multiply_values<Element, Shape::Width, Shape::Queries, 0, Shape::Queries / 16>(
                key_sum, packed, queries);
        }
        products_commit();
        products_wait<1>(); /* the scores */
    };

    if (left > 0) {
        barrier_wait(&signals->key_full, 0);
        issue_scores();
        barrier_wait(&signals->value_full, 0);
        products_wait<0>();
    }
    each_tile<Shape>(p, work, [&](int tile, int head) {
        step(tile, head, tile >= work.high || tile < work.low);
    });
    products_wait<0>();
    const int first = memory.first_key();
    const int past = Shape::Listed ? signals->sequence.rows : p.positions.keys;
    store_keys<Element, Shape::Width>(p.dv, value_sum, Shape::Dropped ? p.kept_factor : 1.0f,
                                      work.batch, work.key_head, first + row, first + past);
    store_keys<Element, Shape::Width>(p.dk, key_sum, p.scale, work.batch, work.key_head,
                                      first + row, first + past);
}

template <class Shape>
__global__ void __launch_bounds__(Shape::Threads, 1)
    gradient_kernel(const __grid_constant__ CUtensorMap query,
                    const __grid_constant__ CUtensorMap key,
                    const __grid_constant__ CUtensorMap value,
                    const __grid_constant__ CUtensorMap gradient,
                    const __grid_constant__ qkv__cuda_gradient p)
{
    extern __shared__ __align__(1024) uint8_t shared[]; /* known at compile time: no registers */
    const gradient_memory<Shape> memory(shared);
    if (threadIdx.x == 0) {
        if (shared_address(shared) % 1024 != 0) __trap();
        memory.signals->number = static_cast<int>(atomicAdd(p.counter, 1u));
        if constexpr (Shape::Listed)
            memory.signals->sequence =
                p.sequences[find_listed(p, memory.signals->number / (p.heads / p.group),
                                        &qkv__cuda_gradient_sequence::block)];
        prefetch_map(&query);
        prefetch_map(&key);
        prefetch_map(&value);
        prefetch_map(&gradient);
        memory.signals->init();
    }
    __syncthreads();
    const gradient_work work =
        Shape::Listed ? gradient_find_listed(p, memory.signals->sequence, memory.signals->number)
                      : gradient_find(p, memory.signals->number);
    const int role = threadIdx.x / 128;
    if (role == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Shape::HelperRegisters));
        const int warp = threadIdx.x / 32;
        if (Shape::Listed && warp == 2) clear_keys<Shape>(memory, p, work);
        if (threadIdx.x == 0)
            load_queries<Shape>(memory, p, work, &query, &key, &value, &gradient);
        else if (threadIdx.x % 32 == 0 && warp <= Shape::Adders)
            add_sums<Shape>(memory, p, work, warp - 1);
    } else if (role == 1) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Shape::QueryRegisters));
        multiply_queries<Shape>(memory, p.group * (work.end - work.begin));
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Shape::KeyRegisters));
        walk<Shape>(memory, p, work);
    }
}

} // namespace qkv
#endif
