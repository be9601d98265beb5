/*
 * What the kernels for few queries share: which split of which head a unit is, how parts of a row
 * are added up, always in the same order, and the second kernel, which does that for the splits.
 */
#ifndef QKV_ATTENTION_CUDA_DECODE_MERGE_CUH
#define QKV_ATTENTION_CUDA_DECODE_MERGE_CUH

#include "decode.h"
#include "epilogue.cuh"
#include "softmax.cuh"

namespace qkv
{

constexpr int warps = 8;        /* consumers */
constexpr int merge_warps = 16; /* of a block that merges many splits */

/* A row of the outputs. */
template <class Element_, int Width_> struct decode_row {
    using Element = Element_;
    static constexpr int Width = Width_;
};

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
    const int begin = range_begin(p, u, 0), end = range_end(p, u, p.queries - 1);
    const bool any = begin < end;
    u.first = any ? begin / p.split : 0;
    u.splits = any ? (end - 1) / p.split + 1 - u.first : 1; /* none: one that writes zeros */
    u.begin = max(begin, u.split * p.split);
    u.end = min(end, (u.split + 1) * p.split);
    u.active = u.split >= u.first && u.split < u.first + u.splits;
    return u;
}

/* The warps' parts of one row, `stride` apart, in order: of a column and of the total. */
template <class Shape, int warps, int stride>
__device__ __forceinline__ float add_parts(const float *from, int column, float scale, float *high,
                                           float *total)
{
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
        const float sum = add_parts<Shape, warps, Shape::PartFloats>(
            parts + row * (Shape::Width + 2), column, p.scale, &high, &total);
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
 */

constexpr int together = 16; /* splits that a thread adds up at a time */

/* Splits of one row, or what they add up to: columns `column`, `column` + 32, ... */
template <int Width, int Columns> struct decode_sum {
    float sum[Columns] = {}, high = -INFINITY, total = 0.0f;

    /* `count` splits, at most 16, `stride` apart, in order: all are asked for at once. */
    __device__ __forceinline__ void take(const float *from, int64_t stride, int count, int column,
                                         float scale)
    {
        float top[together], all[together], x[together][Columns];
#pragma unroll
        for (int s = 0; s < together; s++) {
            const bool there = s < count;
            top[s] = there ? __ldcg(from + s * stride + Width) : -INFINITY;
            all[s] = there ? __ldcg(from + s * stride + Width + 1) : 0.0f;
#pragma unroll
            for (int i = 0; i < Columns; i++)
                x[s][i] = there ? __ldcg(from + s * stride + column + 32 * i) : 0.0f;
        }
#pragma unroll
        for (int s = 0; s < together; s++) high = fmaxf(high, top[s]);
        const float base = high == -INFINITY ? 0.0f : high * scale;
#pragma unroll
        for (int s = 0; s < together; s++) {
            if (s >= count) break;
            const float share = exponential2(fmaf(top[s], scale, -base));
            total = fmaf(share, all[s], total);
#pragma unroll
            for (int i = 0; i < Columns; i++) sum[i] = fmaf(share, x[s][i], sum[i]);
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
        for (int i = 0; i < Columns; i++) sum[i] = fmaf(sum[i], old, other.sum[i] * share);
    }
};

/* A row of the outputs that has several splits: which, and where its parts are. */
struct merge_row {
    unit u;
    int row;
    const float *first;
    int64_t stride;
};

template <class Row>
__device__ __forceinline__ merge_row find_merge_row(const qkv__cuda_decode &p, int number)
{
    merge_row at;
    const int unit_number = number / p.rows * p.splits;
    at.row = number % p.rows;
    at.u = find_unit(p, unit_number);
    at.stride = static_cast<int64_t>(p.rows) * (Row::Width + 2);
    at.first = p.partial + (unit_number + at.u.first) * at.stride + at.row * (Row::Width + 2);
    return at;
}

/* At most 16 splits: one block per row, one thread per column. Its bits are those of decode_merge_many. */
template <class Row>
__global__ void __launch_bounds__(Row::Width)
    decode_merge_few(const __grid_constant__ qkv__cuda_decode p)
{
    const merge_row at = find_merge_row<Row>(p, blockIdx.x);
    /* Even where nothing is to be done: when this kernel has ended, so has the one before. */
    wait_for_kernel_before();
    if (at.u.splits == 1) return; /* written already */
    const int column = threadIdx.x;
    decode_sum<Row::Width, 1> all;
    all.take(at.first, at.stride, at.u.splits, column, p.scale);
    write_output<typename Row::Element>(p, at.u, at.row, column, all.sum[0], all.high, all.total);
}

/* One block per row: warp w adds up splits 16 w to 16 w + 15, those 256 behind them, and so on; then
 * the warps' sums are added, always in that order. */
template <class Row>
__global__ void __launch_bounds__(32 * merge_warps)
    decode_merge_many(const __grid_constant__ qkv__cuda_decode p)
{
    __shared__ float parts[merge_warps * (Row::Width + 2)];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const merge_row at = find_merge_row<Row>(p, blockIdx.x);
    wait_for_kernel_before();
    if (at.u.splits == 1) return;
    decode_sum<Row::Width, Row::Width / 32> own;
    for (int s = warp * together; s < at.u.splits; s += merge_warps * together) {
        decode_sum<Row::Width, Row::Width / 32> next;
        next.take(at.first + s * at.stride, at.stride, min(together, at.u.splits - s), lane,
                  p.scale);
        if (s < merge_warps * together)
            own = next;
        else
            own.add(next, p.scale);
    }
    float *to = parts + warp * (Row::Width + 2);
#pragma unroll
    for (int i = 0; i < Row::Width / 32; i++) to[lane + 32 * i] = own.sum[i];
    if (lane == 0) {
        to[Row::Width] = own.high;
        to[Row::Width + 1] = own.total;
    }
    __syncthreads();
    if (threadIdx.x >= Row::Width) return;
    float high, total;
    const float value =
        add_parts<Row, merge_warps, Row::Width + 2>(parts, threadIdx.x, p.scale, &high, &total);
    write_output<typename Row::Element>(p, at.u, at.row, threadIdx.x, value, high, total);
}

} // namespace qkv
#endif
