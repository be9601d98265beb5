/*
 * What the kernels for few queries share: which split of which head a unit is, and how parts of a
 * row are added up, always in the same order: those of warps, then those of splits.
 */
#ifndef QKV_ATTENTION_CUDA_DECODE_MERGE_CUH
#define QKV_ATTENTION_CUDA_DECODE_MERGE_CUH

#include "decode.h"
#include "epilogue.cuh"
#include "load.cuh"
#include "shapes.h"
#include "softmax.cuh"

namespace qkv
{

constexpr int warps = 4;          /* consumers */
constexpr int piece_columns = 64; /* of a row, that a warp adds up, two a lane */
constexpr int together = 16;      /* splits that it adds up at a time */

/* A row of the outputs. */
template <class Element_, int Width_> struct decode_row {
    using Element = Element_;
    static constexpr int Width = Width_;
};

__device__ __forceinline__ void consumers_wait()
{
    asm volatile("bar.sync 1, %0;" ::"n"(32 * warps) : "memory");
}

/* What a block has: one split of a key head, or all of them. */
struct span {
    int head; /* of all batches */
    int first, count;
};

__device__ __forceinline__ span find_span(const qkv__cuda_decode &p, int block)
{
    if (block < p.whole) return {block, 0, p.splits};
    const int unit = block - p.whole;
    return {p.whole + unit / p.splits, unit % p.splits, 1};
}

/* One split of one key head. */
struct unit {
    int batch, head, split;
    int begin, end;    /* keys of it that some query may look at */
    int first, splits; /* the first split of the head that has keys, and how many have */
    qkv__cuda_range range;
    bool active;
};

/* Keys that a query may look at. */
__device__ __forceinline__ int range_begin(const qkv__cuda_decode &p, const unit &u, int query)
{
    return max(0, u.range.offset + query - p.left);
}
__device__ __forceinline__ int range_end(const qkv__cuda_decode &p, const unit &u, int query)
{
    return min(u.range.keys, u.range.offset + query + p.right + 1);
}

__device__ __forceinline__ unit find_unit(const qkv__cuda_decode &p, int head, int split_number)
{
    unit u;
    u.split = split_number;
    u.batch = head / p.key_heads;
    u.head = head - u.batch * p.key_heads;
    u.range = p.ranges == nullptr ? p.range : p.ranges[u.batch];
    const int split = u.range.keys < QKV__CUDA_DECODE_LONG ? p.split : 2 * p.split;
    const int begin = range_begin(p, u, 0), end = range_end(p, u, p.queries - 1);
    const bool any = begin < end;
    u.first = any ? begin / split : 0;
    u.splits = any ? (end - 1) / split + 1 - u.first : 1; /* none: one that writes zeros */
    u.begin = max(begin, u.split * split);
    u.end = min(end, (u.split + 1) * split);
    u.active = u.split >= u.first && u.split < u.first + u.splits;
    return u;
}

/* Columns of a row over some keys, relative to the highest score among them. */
template <int Columns> struct decode_sum {
    float sum[Columns] = {}, high = -INFINITY, total = 0.0f;

    /* What comes behind it. */
    __device__ __forceinline__ void add(const decode_sum &other, float scale)
    {
        const float next = fmaxf(high, other.high), base = next == -INFINITY ? 0.0f : next * scale;
        const float old = exponential2(fmaf(high, scale, -base));
        const float share = exponential2(fmaf(other.high, scale, -base));
        high = next;
        total = fmaf(total, old, other.total * share);
#pragma unroll
        for (int i = 0; i < Columns; i++) sum[i] = fmaf(sum[i], old, other.sum[i] * share);
    }
};

/* The warps' parts of one row, in order: of a column and of the total. */
template <class Shape>
__device__ __forceinline__ decode_sum<1> add_parts(const float *from, int column, float scale)
{
    constexpr int stride = Shape::PartFloats;
    decode_sum<1> result;
#pragma unroll
    for (int w = 0; w < warps; w++)
        result.high = fmaxf(result.high, from[w * stride + Shape::Width]);
    const float base = result.high == -INFINITY ? 0.0f : result.high * scale;
#pragma unroll
    for (int w = 0; w < warps; w++) {
        const float share = exponential2(fmaf(from[w * stride + Shape::Width], scale, -base));
        result.sum[0] = fmaf(share, from[w * stride + column], result.sum[0]);
        result.total = fmaf(share, from[w * stride + Shape::Width + 1], result.total);
    }
    return result;
}

/* One number of the output of a row, and with the first its log-sum-exp: as row_end, for a total
 * that is complete already. */
template <class Element>
__device__ __forceinline__ void write_output(const qkv__cuda_decode &p, const unit &u, int row,
                                             int column, float sum, float high, float total)
{
    const int64_t head = static_cast<int64_t>(u.head) * p.group + row / p.queries;
    const int batch = u.batch, query = row % p.queries;
    const float sink = p.sinks == nullptr ? -INFINITY : p.sinks[head];
    float base = high == -INFINITY ? -INFINITY : high * p.scale, share = 1.0f;
    if (sink > -INFINITY) {
        const float top = fmaxf(base, sink);
        share = exponential2(base - top);
        total = fmaf(total, share, exponential2(sink - top));
        base = top;
    }
    const float value = total == 0.0f ? 0.0f : sum * (share / total);
    static_cast<Element *>(p.output.data)[batch * p.output.batch + head * p.output.head +
                                          query * p.output.row + column * p.output.column] =
        static_cast<Element>(value);
    if (column == 0 && p.log_sum_exp.data != nullptr)
        store_number(p.log_sum_exp,
                     batch * p.log_sum_exp.batch + head * p.log_sum_exp.head +
                         query * p.log_sum_exp.row,
                     total == 0.0f ? -INFINITY : (base + log2f(total)) * natural_of_base_2);
}

/* Floats that a unit leaves in memory: sums of its rows, then the two numbers of each. */
__device__ __forceinline__ int unit_floats(int rows, int width)
{
    constexpr int line = QKV__CUDA_DECODE_LINE;
    return (rows * (width + 2) + line - 1) / line * line;
}

/* Lines written so stay in the second-level cache until they are read, so that they need not be
 * written to memory in between: that costs ten times their share of its time. */
__device__ __forceinline__ void store_lasting(float *to, float value)
{
    asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(to), "f"(value), "l"(leave_last)
                 : "memory");
}

/* A split's columns of a piece, and its highest score and total. */
constexpr int sent_floats = piece_columns + 2;

/* One column to the block of the cluster that adds up its piece. Pieces go to the blocks in turn;
 * in a block's room for them, they are in order, each with all splits. */
template <class Shape>
__device__ __forceinline__ void send_column(const qkv__cuda_decode &p, const unit &u, int item,
                                            const decode_sum<1> &part, const float *room,
                                            const uint64_t *arrived)
{
    const int piece = item / piece_columns, column = item % piece_columns;
    const int block = piece % p.splits;
    const int at = (piece / p.splits * p.splits + u.split) * sent_floats;
    const uint32_t to = address_in(room + at, block), barrier = address_in(arrived, block);
    send(to + column * 4, part.sum[0], barrier);
    if (column == 0) send(to + piece_columns * 4, part.high, barrier);
    if (column == 0) send(to + piece_columns * 4 + 4, part.total, barrier);
}

/* One column of a row of a unit that is not the only one: to memory, where another kernel adds the
 * units up; to another block; or, where this block has the whole head, to what the units before
 * have left in `kept`, which is this thread's alone. After the last one, to the outputs. */
template <class Shape>
__device__ __forceinline__ void end_column(const qkv__cuda_decode &p, const unit &u,
                                           const span &mine, int item, const decode_sum<1> &part,
                                           float *kept, const uint64_t *arrived)
{
    const int row = item / Shape::Width, column = item % Shape::Width;
    if (p.clustered) {
        send_column<Shape>(p, u, item, part, kept, arrived);
        return;
    }
    if (mine.count == 1) {
        const int64_t number = static_cast<int64_t>(mine.head) * p.splits + u.split;
        float *to = p.partial + number * unit_floats(p.rows, Shape::Width);
        float *end = to + p.rows * Shape::Width + 2 * row;
        store_lasting(to + item, part.sum[0]);
        if (column == 0) store_lasting(end, part.high);
        if (column == 0) store_lasting(end + 1, part.total);
        return;
    }
    const int items = p.rows * Shape::Width;
    decode_sum<1> all = part;
    if (u.split != u.first) {
        all.sum[0] = kept[item];
        all.high = kept[items + item];
        all.total = kept[2 * items + item];
        all.add(part, p.scale);
    }
    if (u.split == u.first + u.splits - 1) {
        write_output<typename Shape::Element>(p, u, row, column, all.sum[0], all.high, all.total);
        return;
    }
    kept[item] = all.sum[0];
    kept[items + item] = all.high;
    kept[2 * items + item] = all.total;
}

/* The warps' parts added up. Some columns at a time, so that they do not wait for each other. */
template <class Shape>
__device__ __forceinline__ void end_unit(const qkv__cuda_decode &p, const unit &u, const span &mine,
                                         const float *parts, float *kept, const uint64_t *arrived)
{
    constexpr int ahead = 4, threads = 32 * warps;
    const int items = p.rows * Shape::Width;
    for (int first = threadIdx.x; first < items; first += ahead * threads) {
        decode_sum<1> part[ahead];
#pragma unroll
        for (int n = 0; n < ahead; n++) {
            const int item = first + n * threads;
            if (item < items)
                part[n] = add_parts<Shape>(parts + item / Shape::Width * Shape::PartRow,
                                           item % Shape::Width, p.scale);
        }
#pragma unroll
        for (int n = 0; n < ahead; n++) {
            const int item = first + n * threads;
            if (item >= items) break;
            if (u.splits == 1)
                write_output<typename Shape::Element>(p, u, item / Shape::Width,
                                                      item % Shape::Width, part[n].sum[0],
                                                      part[n].high, part[n].total);
            else
                end_column<Shape>(p, u, mine, item, part[n], kept, arrived);
        }
    }
}

/* Two numbers that another block has written, which nobody needs again: to this block's shared
 * memory (near), or to the device's. */
template <bool Near> __device__ __forceinline__ float2 load_pair(const float *from)
{
    if (Near) return *reinterpret_cast<const float2 *>(from);
    float2 pair;
    asm volatile("ld.global.cg.L2::cache_hint.v2.f32 {%0, %1}, [%2], %3;"
                 : "=f"(pair.x), "=f"(pair.y)
                 : "l"(from), "l"(leave_first)
                 : "memory");
    return pair;
}

/* At most 16 splits, `stride` apart, one after the other as decode_sum::add does, but all are asked
 * for at once: columns 2 * lane and the next. `ends` is the highest score and the total of the
 * first. Lane s finds what split s, and what is before it, is multiplied by. */
template <bool Near>
__device__ __forceinline__ decode_sum<2> take_splits(const float *columns, const float *ends,
                                                     int64_t stride, int count, float scale)
{
    const int lane = threadIdx.x % 32;
    const float2 end =
        lane < count ? load_pair<Near>(ends + lane * stride) : make_float2(-INFINITY, 0.0f);
    float2 x[together];
#pragma unroll
    for (int s = 0; s < together; s++) { /* without branches between them */
        if (s % 8 == 0 && s >= count) break;
        x[s] = load_pair<Near>(columns + min(s, count - 1) * stride);
    }
    float high = end.x; /* of this split and those before */
#pragma unroll
    for (int step = 1; step < together; step *= 2) {
        const float before = __shfl_up_sync(~0u, high, step);
        if (lane >= step) high = fmaxf(high, before);
    }
    const float before = __shfl_up_sync(~0u, high, 1),
                base = high == -INFINITY ? 0.0f : high * scale;
    const float old = exponential2(fmaf(before, scale, -base));
    const float share = exponential2(fmaf(end.x, scale, -base)), total = end.y * share;
    decode_sum<2> all;
    all.total = __shfl_sync(~0u, end.y, 0);
    all.sum[0] = x[0].x;
    all.sum[1] = x[0].y;
#pragma unroll
    for (int s = 1; s < together; s++) {
        if (s >= count) break;
        const float factor = __shfl_sync(~0u, old, s), own = __shfl_sync(~0u, share, s);
        all.total = fmaf(all.total, factor, __shfl_sync(~0u, total, s));
        all.sum[0] = fmaf(all.sum[0], factor, x[s].x * own);
        all.sum[1] = fmaf(all.sum[1], factor, x[s].y * own);
    }
    all.high = __shfl_sync(~0u, high, count - 1);
    return all;
}

/* The pieces of this block of the cluster, of a head with several splits: a warp for each. */
template <class Shape>
__device__ __forceinline__ void end_cluster(const qkv__cuda_decode &p, const unit &u,
                                            const float *room, uint64_t *arrived)
{
    const int pieces = p.rows * Shape::Width / piece_columns, lane = threadIdx.x % 32;
    const int mine = (pieces - u.split + p.splits - 1) / p.splits;
    if (u.splits == 1 || threadIdx.x >= 32 * warps) return;
    if (threadIdx.x == 0) barrier_expect(arrived, mine * u.splits * sent_floats * 4);
    for (int i = threadIdx.x / 32; i < mine; i += warps) {
        barrier_wait_cluster(arrived, 0);
        const float *from = room + (i * p.splits + u.first) * sent_floats;
        const decode_sum<2> all = take_splits<true>(from + 2 * lane, from + piece_columns,
                                                    sent_floats, u.splits, p.scale);
        const int item = (i * p.splits + u.split) * piece_columns + 2 * lane;
        for (int n = 0; n < 2; n++)
            write_output<typename Shape::Element>(p, u, item / Shape::Width,
                                                  item % Shape::Width + n, all.sum[n], all.high,
                                                  all.total);
    }
}

/* The kernel after this one may be brought to the multiprocessors. */
__device__ __forceinline__ void next_kernel_may_start()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/* Until the kernel before this one has ended. */
__device__ __forceinline__ void wait_for_kernel_before()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

/* ---- The merge -------------------------------------------------------------------------------
 *
 * Blocks of few threads and registers, so that one has room on a multiprocessor beside the readers
 * and waits there for their end. A piece is 64 columns of a row of the outputs, two a lane.
 */

constexpr int merge_warps = 8;

/* A piece of a row that has several splits: which, and where its parts are. */
template <class Row> struct merge_piece {
    unit u;
    int row, column;
    const float *first;
    int64_t stride;

    __device__ __forceinline__ merge_piece(const qkv__cuda_decode &p, int number)
    {
        constexpr int pieces = Row::Width / piece_columns;
        const int whole = number / pieces, head = p.whole + whole / p.rows;
        row = whole % p.rows;
        column = number % pieces * piece_columns + threadIdx.x % 32 * 2;
        u = find_unit(p, head, 0);
        stride = unit_floats(p.rows, Row::Width);
        first = p.partial + (static_cast<int64_t>(head) * p.splits + u.first) * stride;
    }

    __device__ __forceinline__ decode_sum<2> take(const qkv__cuda_decode &p, int split) const
    {
        const float *from = first + split * stride;
        return take_splits<false>(from + row * Row::Width + column,
                                  from + p.rows * Row::Width + 2 * row, stride,
                                  min(together, u.splits - split), p.scale);
    }

    __device__ __forceinline__ void write(const qkv__cuda_decode &p, const decode_sum<2> &all) const
    {
        for (int i = 0; i < 2; i++)
            write_output<typename Row::Element>(p, u, row, column + i, all.sum[i], all.high,
                                                all.total);
    }
};

template <class Row> __device__ __forceinline__ int merge_pieces(const qkv__cuda_decode &p)
{
    return (p.batches * p.key_heads - p.whole) * p.rows * (Row::Width / piece_columns);
}

/* At most 16 splits: a warp has a piece. Its bits are those of decode_merge_many. */
template <class Row>
__global__ void __launch_bounds__(32 * merge_warps, 4)
    decode_merge_few(const __grid_constant__ qkv__cuda_decode p)
{
    const int step = gridDim.x * merge_warps, all = merge_pieces<Row>(p);
    int i = blockIdx.x + gridDim.x * (threadIdx.x / 32); /* few: on as many multiprocessors */
    next_kernel_may_start();
    merge_piece<Row> piece(p, min(i, all - 1)); /* tables of ranges are there already */
    wait_for_kernel_before();
    for (; i < all; i += step, piece = merge_piece<Row>(p, min(i, all - 1)))
        if (piece.u.splits > 1) /* others are written already */
            piece.write(p, piece.take(p, 0));
}

/* A block has a piece: warp w adds up splits 16 w to 16 w + 15, those 128 behind them, and so on;
 * then the warps' sums are added, always in that order. */
template <class Row>
__global__ void __launch_bounds__(32 * merge_warps, 4)
    decode_merge_many(const __grid_constant__ qkv__cuda_decode p)
{
    __shared__ decode_sum<2> parts[merge_warps][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    next_kernel_may_start();
    wait_for_kernel_before();
    for (int i = blockIdx.x; i < merge_pieces<Row>(p); i += gridDim.x) {
        const merge_piece<Row> piece(p, i);
        if (piece.u.splits == 1) continue;
        decode_sum<2> own;
        for (int s = warp * together; s < piece.u.splits; s += merge_warps * together) {
            const decode_sum<2> next = piece.take(p, s);
            if (s < merge_warps * together)
                own = next;
            else
                own.add(next, p.scale);
        }
        parts[warp][lane] = own;
        __syncthreads();
        if (warp == 0) {
            for (int w = 1; w < merge_warps && w * together < piece.u.splits; w++)
                own.add(parts[w][lane], p.scale);
            piece.write(p, own);
        }
        __syncthreads(); /* parts are read */
    }
}

} // namespace qkv
#endif
