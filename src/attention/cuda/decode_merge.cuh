/*
 * What the kernels for few queries share: which split of which head a unit is, and how parts of a
 * row are added up, always in the same order: those of warps, then those of splits.
 */
#ifndef QKV_ATTENTION_CUDA_DECODE_MERGE_CUH
#define QKV_ATTENTION_CUDA_DECODE_MERGE_CUH

#include "decode.h"
#include "epilogue.cuh"
#include "shapes.h"
#include "softmax.cuh"

namespace qkv
{

constexpr int warps = 4; /* consumers */

/* A row of the outputs. */
template <class Element_, int Width_> struct decode_row {
    using Element = Element_;
    static constexpr int Width = Width_;
};

__device__ __forceinline__ void consumers_wait()
{
    asm volatile("bar.sync 1, %0;" ::"n"(32 * warps) : "memory");
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

__device__ __forceinline__ unit find_unit(const qkv__cuda_decode &p, int number)
{
    unit u;
    u.split = number % p.splits;
    u.head = number / p.splits % p.key_heads;
    u.batch = number / p.splits / p.key_heads;
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

/* The warps' parts of one row, in order: of a column and of the total. */
template <class Shape>
__device__ __forceinline__ float add_parts(const float *from, int column, float scale, float *high,
                                           float *total)
{
    constexpr int stride = Shape::PartFloats;
    float top = -INFINITY, sum = 0.0f, all = 0.0f;
#pragma unroll
    for (int w = 0; w < warps; w++) top = fmaxf(top, from[w * stride + Shape::Width]);
    const float base = top == -INFINITY ? 0.0f : top * scale;
#pragma unroll
    for (int w = 0; w < warps; w++) {
        const float share = exponential2(fmaf(from[w * stride + Shape::Width], scale, -base));
        sum = fmaf(share, from[w * stride + column], sum);
        all = fmaf(share, from[w * stride + Shape::Width + 1], all);
    }
    *high = top;
    *total = all;
    return sum;
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

/* The warps' parts added up: to the outputs, or, of several splits, to the device's memory. */
template <class Shape>
__device__ __forceinline__ void end_unit(const qkv__cuda_decode &p, const unit &u,
                                         const float *parts)
{
    const int64_t head = static_cast<int64_t>(u.batch) * p.key_heads + u.head;
    float *mine = p.partial + (head * p.splits + u.split) * p.rows * (Shape::Width + 2);
    for (int i = threadIdx.x; i < p.rows * Shape::Width; i += 32 * warps) {
        const int row = i / Shape::Width, column = i % Shape::Width;
        float high, total;
        const float sum =
            add_parts<Shape>(parts + row * Shape::PartRow, column, p.scale, &high, &total);
        if (u.splits == 1) {
            write_output<typename Shape::Element>(p, u, row, column, sum, high, total);
            continue;
        }
        float *to = mine + row * (Shape::Width + 2);
        to[column] = sum;
        if (column == 0) {
            to[Shape::Width] = high;
            to[Shape::Width + 1] = total;
        }
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
constexpr int together = 16; /* splits that a warp adds up at a time */
constexpr int piece_columns = 64;

/* Two numbers that another block has written. */
__device__ __forceinline__ float2 load_pair(const float *from)
{
    return __ldcg(reinterpret_cast<const float2 *>(from));
}

/* Splits of one piece, or what they add up to: columns 2 * lane and the next. */
struct decode_sum {
    float sum[2] = {0.0f, 0.0f}, high = -INFINITY, total = 0.0f;

    /* `count` splits, at most 16, `stride` apart, in order: all are asked for at once. `ends` is
     * the highest score and the total of the first of them. */
    __device__ __forceinline__ void take(const float *columns, const float *ends, int64_t stride,
                                         int count, float scale)
    {
        const int lane = threadIdx.x % 32; /* this lane has the ends of split number `lane` */
        const float2 end =
            lane < count ? load_pair(ends + lane * stride) : make_float2(-INFINITY, 0.0f);
        const float top = end.x, all = end.y;
        float2 x[together];
#pragma unroll
        for (int s = 0; s < together; s++)
            x[s] = s < count ? load_pair(columns + s * stride) : make_float2(0.0f, 0.0f);
        high = top;
#pragma unroll
        for (int step = 1; step < together; step *= 2)
            high = fmaxf(high, __shfl_xor_sync(~0u, high, step));
        high = __shfl_sync(~0u, high, 0); /* of the lanes that have splits */
        const float base = high == -INFINITY ? 0.0f : high * scale;
        const float own = exponential2(fmaf(top, scale, -base));
#pragma unroll
        for (int s = 0; s < together; s++) {
            if (s >= count) break;
            const float share = __shfl_sync(~0u, own, s);
            total = fmaf(share, __shfl_sync(~0u, all, s), total);
            sum[0] = fmaf(share, x[s].x, sum[0]);
            sum[1] = fmaf(share, x[s].y, sum[1]);
        }
    }

    /* What comes behind it. */
    __device__ __forceinline__ void add(const decode_sum &other, float scale)
    {
        const float next = fmaxf(high, other.high), base = next == -INFINITY ? 0.0f : next * scale;
        const float old = exponential2(fmaf(high, scale, -base));
        const float share = exponential2(fmaf(other.high, scale, -base));
        high = next;
        total = fmaf(total, old, other.total * share);
#pragma unroll
        for (int i = 0; i < 2; i++) sum[i] = fmaf(sum[i], old, other.sum[i] * share);
    }
};

/* A piece of a row that has several splits: which, and where its parts are. */
template <class Row> struct merge_piece {
    unit u;
    int row, column;
    const float *first;
    int64_t stride;

    __device__ __forceinline__ merge_piece(const qkv__cuda_decode &p, int number)
    {
        constexpr int pieces = Row::Width / piece_columns;
        const int whole = number / pieces, unit_number = whole / p.rows * p.splits;
        row = whole % p.rows;
        column = number % pieces * piece_columns + threadIdx.x % 32 * 2;
        u = find_unit(p, unit_number);
        stride = static_cast<int64_t>(p.rows) * (Row::Width + 2);
        first = p.partial + (unit_number + u.first) * stride + row * (Row::Width + 2);
    }

    __device__ __forceinline__ decode_sum take(const qkv__cuda_decode &p, int split) const
    {
        const float *from = first + split * stride;
        decode_sum result;
        result.take(from + column, from + Row::Width, stride, min(together, u.splits - split),
                    p.scale);
        return result;
    }

    __device__ __forceinline__ void write(const qkv__cuda_decode &p, const decode_sum &all) const
    {
        for (int i = 0; i < 2; i++)
            write_output<typename Row::Element>(p, u, row, column + i, all.sum[i], all.high,
                                                all.total);
    }
};

template <class Row> __device__ __forceinline__ int merge_pieces(const qkv__cuda_decode &p)
{
    return p.batches * p.key_heads * p.rows * (Row::Width / piece_columns);
}

/* At most 16 splits: a warp has a piece. Its bits are those of decode_merge_many. */
template <class Row>
__global__ void __launch_bounds__(32 * merge_warps, 4)
    decode_merge_few(const __grid_constant__ qkv__cuda_decode p)
{
    const int step = gridDim.x * merge_warps;
    next_kernel_may_start();
    wait_for_kernel_before();
    for (int i = blockIdx.x * merge_warps + threadIdx.x / 32; i < merge_pieces<Row>(p); i += step) {
        const merge_piece<Row> piece(p, i);
        if (piece.u.splits == 1) continue; /* written already */
        piece.write(p, piece.take(p, 0));
    }
}

/* A block has a piece: warp w adds up splits 16 w to 16 w + 15, those 128 behind them, and so on;
 * then the warps' sums are added, always in that order. */
template <class Row>
__global__ void __launch_bounds__(32 * merge_warps, 4)
    decode_merge_many(const __grid_constant__ qkv__cuda_decode p)
{
    __shared__ decode_sum parts[merge_warps][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    next_kernel_may_start();
    wait_for_kernel_before();
    for (int i = blockIdx.x; i < merge_pieces<Row>(p); i += gridDim.x) {
        const merge_piece<Row> piece(p, i);
        if (piece.u.splits == 1) continue;
        decode_sum own;
        for (int s = warp * together; s < piece.u.splits; s += merge_warps * together) {
            const decode_sum next = piece.take(p, s);
            if (s < merge_warps * together)
                own = next;
            else
                own.add(next, p.scale);
        }
        parts[warp][lane] = own;
        __syncthreads();
        if (warp == 0) {
            for (int w = 1; w < merge_warps; w++) own.add(parts[w][lane], p.scale);
            piece.write(p, own);
        }
        __syncthreads(); /* parts are read */
    }
}

} // namespace qkv
#endif
