/*
 * Rows that came out not finite. In a block that a mask cuts, a weight of zero meets a value that
 * the row may not look at, and 0 * NaN is NaN. Such rows are computed again, one warp per row, from
 * the caller's memory and without touching what is masked. Slow, and almost never needed.
 */
#ifndef QKV_ATTENTION_CUDA_REPAIR_CUH
#define QKV_ATTENTION_CUDA_REPAIR_CUH

#include "dropout.cuh"
#include "epilogue.cuh"
#include "schedule.cuh"
#include "softmax.cuh"

namespace qkv
{

/* The bits of numbers of either type; only here, so that no other file needs conversions. */
__device__ __forceinline__ float number_of(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}
__device__ __forceinline__ float number_of(__half x)
{
    return __half2float(x);
}

/* Which of the warp's 16 rows have sums that are not finite: bit r is row r. */
template <int Count> __device__ __forceinline__ unsigned rows_to_repair(const float (&sum)[Count])
{
    float trace[2] = {0.0f, 0.0f}; /* 0 * x is NaN for x that is not finite */
#pragma unroll
    for (int i = 0; i < Count; i++) trace[i / 2 % 2] = fmaf(sum[i], 0.0f, trace[i / 2 % 2]);
    unsigned rows = 0;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const unsigned lanes = __ballot_sync(~0u, !(trace[half] == 0.0f));
        for (int row = 0; row < 8; row++)
            if (lanes >> 4 * row & 15u) rows |= 1u << (row + 8 * half);
    }
    return rows;
}

/* The score of one key in base 2, as the tiles compute it; each lane has a key of its own. */
template <class Shape>
__device__ __forceinline__ float score_again(const qkv__cuda_forward &p,
                                             const typename Shape::Element *query,
                                             const typename Shape::Element *key)
{
    float dot = 0.0f;
#pragma unroll 1
    for (int i = 0; i < Shape::Width; i++) dot = fmaf(number_of(query[i]), number_of(key[i]), dot);
    if (Shape::Capped) {
        float one[1] = {dot};
        cap_scores(one, p.cap_scale);
        dot = one[0];
    }
    return dot * p.scale;
}

template <class Shape>
__device__ __forceinline__ void repair_row(const qkv__cuda_forward &p, const volatile tile &t,
                                           int row)
{
    using Element = typename Shape::Element;
    constexpr int columns = Shape::ValueWidth / 32;
    const int lane = threadIdx.x % 32, position = t.position + row;
    const int begin = max(position - p.left, 0), end = min(position + p.right + 1, t.keys);
    const int64_t at = t.row + row;
    const Element *query = static_cast<const Element *>(p.query.data) + t.batch * p.query.batch +
                           t.head * p.query.head + at * p.query.row;
    const Element *key = static_cast<const Element *>(p.key.data) + t.batch * p.key.batch +
                         t.key_head * p.key.head + t.key * p.key.row;
    const Element *value = static_cast<const Element *>(p.value.data) + t.batch * p.value.batch +
                           t.key_head * p.value.head + t.key * p.value.row;
    const float sink = p.sinks == nullptr ? -INFINITY : p.sinks[t.head];
    float high = sink;
#pragma unroll 1
    for (int first = begin; first < end; first += 32) {
        const int j = min(first + lane, end - 1);
        high = fmaxf(high, score_again<Shape>(p, query, key + j * p.key.row));
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) high = fmaxf(high, __shfl_xor_sync(~0u, high, step));
    if (high == -INFINITY) high = 0.0f;
    float total = 0.0f, sum[columns] = {};
#pragma unroll 1
    for (int first = begin; first < end; first += 32) {
        const int j = first + lane;
        const float score = j < end ? score_again<Shape>(p, query, key + j * p.key.row) : -INFINITY;
        const float weight = exponential2(score - high);
        total += weight;
        float given = weight;
        if constexpr (Shape::Dropped) {
            const auto &of = static_cast<const volatile dropped_tile &>(t);
            given *= dropout_factor<float>(p.dropout, of.first + row, j, of.head, of.sequence);
        }
        /* A score of -infinity is a mask too. */
        for (unsigned left = __ballot_sync(~0u, !(score == -INFINITY)); left != 0;
             left &= left - 1) {
            const int other = __ffs(left) - 1;
            const float share = __shfl_sync(~0u, given, other);
            const Element *from = value + (first + other) * p.value.row + lane;
#pragma unroll
            for (int i = 0; i < columns; i++) sum[i] = fmaf(share, number_of(from[32 * i]), sum[i]);
        }
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) total += __shfl_xor_sync(~0u, total, step);
    if (sink > -INFINITY) total += exponential2(sink - high);
    const float factor = total == 0.0f ? 0.0f : 1.0f / total;
    Element *to = static_cast<Element *>(p.output.data) + t.batch * p.output.batch +
                  t.head * p.output.head + at * p.output.row + lane;
#pragma unroll
    for (int i = 0; i < columns; i++) to[32 * i] = static_cast<Element>(sum[i] * factor);
}

} // namespace qkv
#endif
