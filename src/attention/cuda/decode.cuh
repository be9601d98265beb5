/*
 * One query, or a few, over a long cache of keys and values, for Hopper.
 *
 * The work is memory's: each key and value is read once. Keys are cut into splits of a fixed size,
 * which depends on nothing but the number of keys, so that a row's bits do not depend on the
 * batch. A unit is one split of one key head; blocks of threads stay and go from unit to unit. A
 * producer keeps the copy engine busy, several chunks of 128 keys or values (256 in fp8) ahead and
 * into the next unit; eight warps have 16 (32) keys of each chunk, with all queries of all heads of
 * the group as rows of one mma.sync: one or both halves of its 16 rows. A second, small kernel adds
 * the splits up, in order: fences and flags at the end of every unit cost half of the bandwidth.
 *
 * Keys and values may be in pages: then each lane of the producer asks for the rows of one page.
 * They may be in fp8: bytes become f16, exactly, on their way into the products.
 */
#ifndef QKV_ATTENTION_CUDA_DECODE_CUH
#define QKV_ATTENTION_CUDA_DECODE_CUH

#include "decode.h"

#include <type_traits>

#include "decode_merge.cuh"
#include "eight.cuh"
#include "epilogue.cuh"
#include "load.cuh"
#include "matrix.cuh"
#include "mma.cuh"
#include "shapes.h"
#include "softmax.cuh"

namespace qkv
{

/* KeyWidth and Width: of keys and of values. Halves: of the rows of a product, 8 each, that are in
 * use. Several: more than one query. Stored: Element, or eight for fp8. */
template <class Element_, class Stored_, int KeyWidth_, int Width_, int Halves_, bool Several_>
struct decode_shape {
    using Element = Element_;
    using Stored = Stored_;
    using Row = decode_row<Element_, Width_>;
    static constexpr bool Eight = std::is_same<Stored, eight>::value;
    /* What is multiplied: what bytes become at the least cost. */
    using Product = typename std::conditional<Eight, __half, Element>::type;
    static constexpr int KeyWidth = KeyWidth_, Width = Width_, Halves = Halves_;
    static constexpr bool Several = Several_;
    static constexpr int KeyRow = KeyWidth * sizeof(Stored), ValueRow = Width * sizeof(Stored);
    /* 16s of keys that a warp has of a chunk: where rows are short, more of them hide each other's
     * latency and share the rescaling of the sums. */
    static constexpr int Steps = Eight ? 2 : 1, Chunk = 16 * warps * Steps;
    static constexpr int KeyBytes = Chunk * KeyRow, ValueBytes = Chunk * ValueRow;
    static constexpr int StageBytes = KeyBytes > ValueBytes ? KeyBytes : ValueBytes;
    static constexpr int PartFloats = 8 * Halves * (Width + 2); /* sums, highest and total */
    static constexpr int PartSets = Halves == 1 ? 2 : 1; /* two: one is read while one is written */
    static constexpr int PartBytes = warps * PartFloats * 4,
                         Room = 226 * 1024 - PartSets * PartBytes;
    static constexpr int Most = 192 * 1024; /* more in flight brings nothing */
    static constexpr int Stages = (Room < Most ? Room : Most) / StageBytes;
    static constexpr int PartOffset = Stages * StageBytes;
    static constexpr int BarrierOffset = PartOffset + PartSets * PartBytes;
    static constexpr int SharedBytes = BarrierOffset + 2 * Stages * 8;
    static_assert(Stages >= 2 && SharedBytes <= 227 * 1024, "a multiprocessor has no more");
};

__device__ __forceinline__ void consumers_wait()
{
    asm volatile("bar.sync 1, 256;" ::: "memory");
}

/* A warp's part of a unit: this thread has rows lane / 4 and 8 below it, and of 8 columns j the
 * pair lane mod 4. Row r is query r mod `queries` of head r / `queries` of the group. */
template <class Shape> struct decode_state {
    using Element = typename Shape::Element;
    using Product = typename Shape::Product;
    static constexpr int Halves = Shape::Halves;
    /* Loads that are on their way together, each of two units of a row. */
    static constexpr int Most = Halves == 1 ? 4 : 2, Pairs = Shape::ValueRow / 32;
    static constexpr int Ahead = Most < Pairs ? Most : Pairs;
    float sum[Shape::Width / 8][4], highest[Halves], total[Halves];
    uint32_t query[Shape::KeyWidth / 16][4];
    uint32_t weight[Shape::Steps][4];       /* of the last keys, 16 each */
    float score_scale[Halves], value_scale; /* of fp8 */
    bool cut;                               /* some query may not look at some of the last keys */

    __device__ __forceinline__ void load_query(const qkv__cuda_decode &p, const unit &u)
    {
        /* A lane has two pairs of 16 columns: 8 apart, or, where bytes are keys, side by side. */
        constexpr int step = Shape::Eight ? 4 : 2, apart = Shape::Eight ? 2 : 8;
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int row = lane / 4 + 8 * half;
            const bool there = half < Halves && row < p.rows;
            const Element *from =
                static_cast<const Element *>(p.query.data) + u.batch * p.query.batch +
                static_cast<int64_t>(u.head * p.group + row / p.queries) * p.query.head +
                row % p.queries * p.query.row;
#pragma unroll
            for (int i = 0; i < Shape::KeyWidth / 16; i++) {
                const int column = 16 * i + lane % 4 * step;
                query[i][half] = query[i][half + 2] = 0;
                if (there) {
                    query[i][half] = *reinterpret_cast<const uint32_t *>(from + column);
                    query[i][half + 2] = *reinterpret_cast<const uint32_t *>(from + column + apart);
                }
            }
        }
        if constexpr (Shape::Eight) {
            const float key_scale = load_scale(p.key_scale, u.batch, u.head);
            value_scale = load_scale(p.value_scale, u.batch, u.head);
#pragma unroll
            for (int half = 0; half < Halves; half++)
                score_scale[half] = key_scale * narrow_query(Element(), half);
        }
    }

    /* Queries in f16 as they are: nothing to be done. */
    __device__ __forceinline__ float narrow_query(__half, int)
    {
        return 1.0f;
    }

    /*
     * A row of queries from bf16 to f16, times the power of two that brings its largest number to
     * 2^14; returns the inverse. What f16 cannot hold then is under 2^-39 of the largest, far under
     * what sums in f32 keep.
     */
    __device__ __forceinline__ float narrow_query(__nv_bfloat16, int half)
    {
        float largest = 0.0f;
#pragma unroll
        for (int i = 0; i < Shape::KeyWidth / 16; i++)
#pragma unroll
            for (int n = half; n < 4; n += 2) {
                const float2 pair = unpack(__nv_bfloat16(), query[i][n]);
                largest = fmaxf(largest, fmaxf(fabsf(pair.x), fabsf(pair.y)));
            }
        const int exponent = __float_as_int(row_max(largest)) >> 23;
        /* Biased by 127, as is the power's: 14 + 127 - exponent + 127. */
        const int power = exponent == 0 || exponent == 255 ? 127 : min(268 - exponent, 253);
        const float factor = __int_as_float(power << 23);
#pragma unroll
        for (int i = 0; i < Shape::KeyWidth / 16; i++)
#pragma unroll
            for (int n = half; n < 4; n += 2) {
                const float2 pair = unpack(__nv_bfloat16(), query[i][n]);
                query[i][n] = pack(__half(), pair.x * factor, pair.y * factor);
            }
        return __int_as_float((254 - power) << 23);
    }

    __device__ __forceinline__ void begin()
    {
#pragma unroll
        for (int i = 0; i < Shape::Width / 8; i++)
            sum[i][0] = sum[i][1] = sum[i][2] = sum[i][3] = 0;
#pragma unroll
        for (int half = 0; half < Halves; half++) {
            highest[half] = -INFINITY;
            total[half] = 0.0f;
        }
    }

    /* Products of all queries with 16 keys, in lines from `line` on of a chunk. */
    __device__ __forceinline__ void make_scores(uint32_t keys, int line, float (&score)[2][4])
    {
        const int lane = threadIdx.x % 32, row = line + lane % 8 + lane / 16 * 8;
        constexpr int units = Shape::KeyRow / 16;
        /* Some loads at a time, so that they do not wait for each other. */
#pragma unroll
        for (int i = 0; i < units / 2; i += Ahead) {
            uint32_t four[Ahead][4]; /* keys 0 to 7, then 8 to 15, each of two units of columns */
#pragma unroll
            for (int n = 0; n < Ahead; n++)
                load_matrices(four[n], line_address<Shape::KeyRow, Shape::Chunk>(
                                           keys, row, 2 * (i + n) + lane / 8 % 2));
#pragma unroll
            for (int n = 0; n < Ahead; n++) {
                if constexpr (Shape::Eight) { /* a unit is 16 columns, a lane's four side by side */
#pragma unroll
                    for (int m = 0; m < 4; m++) {
                        const wide_pairs key = widen(four[n][m]);
                        multiply(Product(), score[m / 2], query[2 * (i + n) + m % 2], key.low,
                                 key.high);
                    }
                } else {
                    multiply(Element(), score[0], query[i + n], four[n][0], four[n][1]);
                    multiply(Element(), score[1], query[i + n], four[n][2], four[n][3]);
                }
            }
        }
    }

    /* The weights of the warp's keys, the first of which is `first`. */
    __device__ __forceinline__ void take_keys(const qkv__cuda_decode &p, const unit &u,
                                              uint32_t keys, int line, int first)
    {
        constexpr int count = 4 * Shape::Steps; /* scores of a row */
        const int lane = threadIdx.x % 32, past = first + 16 * Shape::Steps;
        float score[Shape::Steps][2][4] = {};
#pragma unroll
        for (int n = 0; n < Shape::Steps; n++) make_scores(keys, line + 16 * n, score[n]);
        cut = Shape::Several ? first < range_begin(p, u, p.queries - 1) || past > range_end(p, u, 0)
                             : first < u.begin || past > u.end;
        const int key = first + lane % 4 * 2;
        float factor[2] = {1.0f, 1.0f};
#pragma unroll
        for (int half = 0; half < Halves; half++) {
            float s[count];
#pragma unroll
            for (int i = 0; i < count; i++)
                s[i] = score[i / 4][i % 4 / 2][2 * half + i % 2] *
                       (Shape::Eight ? score_scale[half] : 1.0f);
            if (p.cap_scale != 0.0f) cap_scores(s, p.cap_scale);
            if (cut) {
                const int own = Shape::Several ? (lane / 4 + 8 * half) % p.queries : 0;
                const int low = Shape::Several ? range_begin(p, u, own) : u.begin;
                const int high = Shape::Several ? range_end(p, u, own) : u.end;
#pragma unroll
                for (int i = 0; i < count; i++) {
                    const int mine = key + i / 2 * 8 + i % 2;
                    if (mine < low || mine >= high) s[i] = -INFINITY;
                }
            }
            float high = s[0];
#pragma unroll
            for (int i = 1; i < count; i++) high = fmaxf(high, s[i]);
            high = fmaxf(highest[half], row_max(high));
            const float base = high == -INFINITY ? 0.0f : high * p.scale;
            factor[half] = exponential2(fmaf(highest[half], p.scale, -base));
            highest[half] = high;
            float sum_of_four[Shape::Steps], all = 0.0f;
#pragma unroll
            for (int i = 0; i < count; i++) s[i] = exponential2(fmaf(s[i], p.scale, -base));
#pragma unroll
            for (int n = 0; n < Shape::Steps; n++) {
                sum_of_four[n] = (s[4 * n] + s[4 * n + 1]) + (s[4 * n + 2] + s[4 * n + 3]);
                all = n == 0 ? sum_of_four[0] : all + sum_of_four[n];
                weight[n][half] = pack(Product(), s[4 * n], s[4 * n + 1]);
                weight[n][half + 2] = pack(Product(), s[4 * n + 2], s[4 * n + 3]);
                if (Halves == 1) weight[n][1] = weight[n][3] = 0;
            }
            total[half] = fmaf(total[half], factor[half], all);
        }
        if (__any_sync(~0u, factor[0] != 1.0f || factor[1] != 1.0f)) rescale(factor);
    }

    __device__ __forceinline__ void rescale(const float (&factor)[2])
    {
#pragma unroll
        for (int j = 0; j < Shape::Width / 8; j++) {
            sum[j][0] *= factor[0];
            sum[j][1] *= factor[0];
            if (Halves == 2) {
                sum[j][2] *= factor[1];
                sum[j][3] *= factor[1];
            }
        }
    }

    /* Adds the values of a unit of columns for keys 0 to 7 and 8 to 15 of step `n`, `low` and
     * `high`, to the sums from number `at` on. Of a unit of bytes each pair is split: one product
     * has the even columns, the next the odd ones. */
    __device__ __forceinline__ void add_unit(float (*at)[4], int n, uint32_t low, uint32_t high)
    {
        if constexpr (Shape::Eight) {
            const wide_pairs above = widen(__byte_perm(low, 0, 0x3120));
            const wide_pairs below = widen(__byte_perm(high, 0, 0x3120));
            multiply(Product(), at[0], weight[n], above.low, below.low);
            multiply(Product(), at[1], weight[n], above.high, below.high);
        } else {
            multiply(Product(), at[0], weight[n], low, high);
        }
    }

    /* The values of the warp's keys. */
    __device__ __forceinline__ void take_values(const qkv__cuda_decode &p, const unit &u,
                                                uint32_t values, int line, int first)
    {
        const int row = line + threadIdx.x % 8 + threadIdx.x / 8 % 2 * 8;
        if (cut) {
            const int key = first + threadIdx.x % 4 * 2;
            for (int n = 0; n < Shape::Steps; n++) {
                if (Shape::Several)
                    for (int q = 0; q < p.queries; q++)
                        add_query(p, u, values, row + 16 * n, key + 16 * n, q, n);
                else
                    add_values<true>(u, values, row + 16 * n, key + 16 * n, n);
            }
            return;
        }
#pragma unroll
        for (int n = 0; n < Shape::Steps; n++) add_values<false>(u, values, row + 16 * n, 0, n);
    }

    /* 16 of them, without those that the one query does not look at. */
    template <bool Cut>
    __device__ __forceinline__ void add_values(const unit &u, uint32_t values, int row, int key,
                                               int step)
    {
        constexpr int units = Shape::ValueRow / 16, sums = Shape::Eight ? 2 : 1;
#pragma unroll
        for (int j = 0; j < units / 2; j += Ahead) {
            uint32_t four[Ahead][4]; /* keys 0 to 7 and 8 to 15 of a unit, then of the next */
#pragma unroll
            for (int n = 0; n < Ahead; n++)
                load_turned(four[n], line_address<Shape::ValueRow, Shape::Chunk>(
                                         values, row, 2 * (j + n) + threadIdx.x % 32 / 16));
#pragma unroll
            for (int n = 0; n < Ahead; n++) {
                if (Cut) clear(four[n], key, u.begin, u.end);
                add_unit(sum + 2 * sums * (j + n), step, four[n][0], four[n][1]);
                add_unit(sum + 2 * sums * (j + n) + sums, step, four[n][2], four[n][3]);
            }
        }
    }

    /* Values of keys that a query does not look at may be anything, and 0 * NaN is NaN: such keys
     * are cleared for one query at a time, and only its rows get the sums. */
    __device__ __forceinline__ void add_query(const qkv__cuda_decode &p, const unit &u,
                                              uint32_t values, int row, int key, int q, int step)
    {
        constexpr int units = Shape::ValueRow / 16, sums = Shape::Eight ? 2 : 1;
        const int lane = threadIdx.x % 32, low = range_begin(p, u, q), high = range_end(p, u, q);
        const bool own[2] = {lane / 4 % p.queries == q, (lane / 4 + 8) % p.queries == q};
#pragma unroll
        for (int j = 0; j < units / 2; j++) {
            uint32_t four[4];
            load_turned(
                four, line_address<Shape::ValueRow, Shape::Chunk>(values, row, 2 * j + lane / 16));
            clear(four, key, low, high);
#pragma unroll
            for (int n = 0; n < 2; n++) {
                float part[sums][4] = {};
                add_unit(part, step, four[2 * n], four[2 * n + 1]);
#pragma unroll
                for (int i = 0; i < 4 * sums; i++)
                    if (i % 4 < 2 * Halves && own[i % 4 / 2])
                        sum[sums * (2 * j + n) + i / 4][i % 4] += part[i / 4][i % 4];
            }
        }
    }

    __device__ __forceinline__ void clear(uint32_t (&four)[4], int key, int low, int high)
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int mine = key + i % 2 * 8;
            if (mine < low || mine >= high) four[i] &= 0xffff0000u;
            if (mine + 1 < low || mine + 1 >= high) four[i] &= 0x0000ffffu;
        }
    }

    /* Into the warp's part in shared memory. */
    __device__ __forceinline__ void end(float *part)
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int half = 0; half < Halves; half++) {
            const float all = row_sum(total[half]);
            float *to = part + (lane / 4 + 8 * half) * (Shape::Width + 2);
#pragma unroll
            for (int j = 0; j < Shape::Width / 8; j++) {
                /* As add_unit has put them: even and odd columns apart, or side by side. */
                const int first =
                    Shape::Eight ? j / 2 * 16 + lane % 4 * 4 + j % 2 : 8 * j + lane % 4 * 2;
                const float scale = Shape::Eight ? value_scale : 1.0f;
                to[first] = sum[j][2 * half] * scale;
                to[first + (Shape::Eight ? 2 : 1)] = sum[j][2 * half + 1] * scale;
            }
            if (lane % 4 == 0) {
                to[Shape::Width] = highest[half];
                to[Shape::Width + 1] = all;
            }
        }
    }
};

/* ---- The producer ---------------------------------------------------------------------------
 */

/* A box of rows of `Row` bytes, into a stage from line `line` on. */
template <class Shape, int Row>
__device__ __forceinline__ void load_chunk(uint8_t *target, const CUtensorMap *map,
                                           uint64_t *barrier, int line, int row, int head,
                                           int batch)
{
    constexpr int across = Row < line_bytes ? Row : line_bytes;
#pragma unroll
    for (int panel = 0; panel < Row / across; panel++)
        load_box(target + panel * Shape::Chunk * line_bytes + line * across, map, barrier,
                 panel * across / static_cast<int>(sizeof(typename Shape::Stored)), row, head,
                 batch);
}

/* One thread, a chunk at a time. */
template <class Shape>
__device__ __forceinline__ void produce(const CUtensorMap *key, const CUtensorMap *value,
                                        const qkv__cuda_decode &p, uint8_t *shared, uint64_t *full,
                                        uint64_t *empty)
{
    ring<Shape::Stages> at;
    for (int number = blockIdx.x; number < p.units; number += gridDim.x) {
        const unit u = find_unit(p, number);
        if (!u.active) continue;
        for (int row = u.begin / Shape::Chunk * Shape::Chunk; row < u.end; row += Shape::Chunk) {
            barrier_wait(empty + at.stage, at.phase ^ 1);
            barrier_expect(full + at.stage, Shape::KeyBytes);
            load_chunk<Shape, Shape::KeyRow>(shared + at.stage * Shape::StageBytes, key,
                                             full + at.stage, 0, row, u.head, u.batch);
            at.advance();
            barrier_wait(empty + at.stage, at.phase ^ 1);
            barrier_expect(full + at.stage, Shape::ValueBytes);
            load_chunk<Shape, Shape::ValueRow>(shared + at.stage * Shape::StageBytes, value,
                                               full + at.stage, 0, row, u.head, u.batch);
            at.advance();
        }
    }
}

/* One warp: a lane for each page of a chunk, or for 128 rows of a larger page. Pages behind a
 * sequence's end, and page numbers that are none, arrive as zeros. */
template <class Shape>
__device__ __forceinline__ void produce_pages(const CUtensorMap *key, const CUtensorMap *value,
                                              const qkv__cuda_decode &p, uint8_t *shared,
                                              uint64_t *full, uint64_t *empty)
{
    const int lane = threadIdx.x % 32, rows = min(p.page_size, QKV__CUDA_DECODE_BOX),
              line = lane * rows;
    ring<Shape::Stages> at;
    for (int number = blockIdx.x; number < p.units; number += gridDim.x) {
        const unit u = find_unit(p, number);
        if (!u.active) continue;
        const int32_t *table = p.page_table + static_cast<int64_t>(u.batch) * p.page_columns;
        for (int row = u.begin / Shape::Chunk * Shape::Chunk; row < u.end; row += Shape::Chunk) {
            const int mine = row + line;
            const bool there = line < Shape::Chunk && mine < u.end;
            const int page = there ? __ldg(table + mine / p.page_size) : -1;
#pragma unroll
            for (int which = 0; which < 2; which++, at.advance()) {
                uint8_t *to = shared + at.stage * Shape::StageBytes;
                barrier_wait(empty + at.stage, at.phase ^ 1);
                if (lane == 0)
                    barrier_expect(full + at.stage,
                                   which == 0 ? Shape::KeyBytes : Shape::ValueBytes);
                __syncwarp();
                if (line < Shape::Chunk && which == 0)
                    load_chunk<Shape, Shape::KeyRow>(to, key, full + at.stage, line,
                                                     mine % p.page_size, u.head, page);
                else if (line < Shape::Chunk)
                    load_chunk<Shape, Shape::ValueRow>(to, value, full + at.stage, line,
                                                       mine % p.page_size, u.head, page);
            }
        }
    }
}

template <class Shape>
__global__ void __launch_bounds__(32 * (warps + 1), 1)
    decode(const __grid_constant__ CUtensorMap key, const __grid_constant__ CUtensorMap value,
           const __grid_constant__ qkv__cuda_decode p)
{
    extern __shared__ __align__(1024) uint8_t shared[];
    uint64_t *full = reinterpret_cast<uint64_t *>(shared + Shape::BarrierOffset);
    uint64_t *empty = full + Shape::Stages;
    float *parts = reinterpret_cast<float *>(shared + Shape::PartOffset);
    if (threadIdx.x == 0) {
        for (int i = 0; i < Shape::Stages; i++) {
            barrier_init(full + i, 1);
            barrier_init(empty + i, warps);
        }
        barrier_init_end();
    }
    __syncthreads();
    wait_for_kernel_before(); /* all above lies under its end */
    ring<Shape::Stages> at;
    const int warp = threadIdx.x / 32;
    if (warp == warps) { /* the producer */
        if (p.page_table != nullptr)
            produce_pages<Shape>(&key, &value, p, shared, full, empty);
        else if (threadIdx.x % 32 == 0)
            produce<Shape>(&key, &value, p, shared, full, empty);
        next_kernel_may_start();
        return;
    }
    /* The next unit that has work, or none. */
    int number = blockIdx.x;
    auto next_unit = [&](unit &u) {
        for (; number < p.units; number += gridDim.x) {
            u = find_unit(p, number);
            if (u.active) return true;
        }
        return false;
    };
    decode_state<Shape> state;
    unit u, following;
    bool more = next_unit(u);
    if (more) state.load_query(p, u);
    for (; more; u = following) {
        state.begin();
        for (int row = u.begin / Shape::Chunk * Shape::Chunk; row < u.end; row += Shape::Chunk) {
            const uint32_t base = shared_address(shared);
            const int line = 16 * Shape::Steps * warp, first = row + line;
            barrier_wait(full + at.stage, at.phase);
            state.take_keys(p, u, base + at.stage * Shape::StageBytes, line, first);
            __syncwarp();
            if (threadIdx.x % 32 == 0) barrier_arrive(empty + at.stage);
            at.advance();
            barrier_wait(full + at.stage, at.phase);
            state.take_values(p, u, base + at.stage * Shape::StageBytes, line, first);
            __syncwarp();
            if (threadIdx.x % 32 == 0) barrier_arrive(empty + at.stage);
            at.advance();
        }
        number += gridDim.x;
        more = next_unit(following);
        if (more) state.load_query(p, following);   /* on its way while this unit ends */
        if (Shape::PartSets == 1) consumers_wait(); /* the parts of the unit before are read */
        state.end(parts + warp * Shape::PartFloats);
        consumers_wait(); /* all parts are written, and those two units before are read */
        end_unit<Shape>(p, u, parts);
        if (Shape::PartSets == 2) {
            float *const first = reinterpret_cast<float *>(shared + Shape::PartOffset);
            parts = parts == first ? first + Shape::PartBytes / 4 : first;
        }
    }
    next_kernel_may_start();
}

/* ---- Launches --------------------------------------------------------------------------------
 */

template <class Shape> static cudaError_t launch_shape(const qkv__cuda_decode_call *call)
{
    const auto kernel = decode<Shape>;
    const cudaError_t status = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::SharedBytes);
    if (status != cudaSuccess) return status;
    /* Each kernel may be brought to the multiprocessors while the one before it ends; it waits for
     * that end before it touches memory. */
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(call->blocks);
    config.blockDim = dim3(32 * (warps + 1));
    config.dynamicSmemBytes = Shape::SharedBytes;
    config.stream = call->stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    const cudaError_t started =
        cudaLaunchKernelEx(&config, kernel, call->key, call->value, call->parameters);
    if (started != cudaSuccess || call->parameters.splits == 1) return started;
    const unsigned rows = static_cast<unsigned>(call->parameters.batches) *
                          static_cast<unsigned>(call->parameters.key_heads) *
                          static_cast<unsigned>(call->parameters.rows);
    using Row = typename Shape::Row;
    const bool few = call->parameters.splits <= together;
    config.gridDim = dim3(rows);
    config.blockDim = dim3(few ? Row::Width : 32 * merge_warps);
    config.dynamicSmemBytes = 0;
    return cudaLaunchKernelEx(&config, few ? decode_merge_few<Row> : decode_merge_many<Row>,
                              call->parameters);
}

template <class Element, class Stored, int KeyWidth, int Width>
static cudaError_t launch_stored(const qkv__cuda_decode_call *call)
{
    const qkv__cuda_decode &p = call->parameters;
    if (p.queries == 1 && p.rows <= 8)
        return launch_shape<decode_shape<Element, Stored, KeyWidth, Width, 1, false>>(call);
    if (p.rows <= 8)
        return launch_shape<decode_shape<Element, Stored, KeyWidth, Width, 1, true>>(call);
    return launch_shape<decode_shape<Element, Stored, KeyWidth, Width, 2, true>>(call);
}

template <int KeyWidth, int Width>
static cudaError_t launch_decode(const qkv__cuda_decode_call *call)
{
    if constexpr (KeyWidth == Width)
        if (call->eight)
            return call->half ? launch_stored<__half, eight, KeyWidth, Width>(call)
                              : launch_stored<__nv_bfloat16, eight, KeyWidth, Width>(call);
    return call->half ? launch_stored<__half, __half, KeyWidth, Width>(call)
                      : launch_stored<__nv_bfloat16, __nv_bfloat16, KeyWidth, Width>(call);
}

} // namespace qkv
#endif
