/*
 * Row by row, before and after the gradient's kernel for Hopper: what it needs of the forward
 * call's results, and dq from its sums.
 */
#ifndef QKV_ATTENTION_CUDA_GRADIENT_ROWS_CUH
#define QKV_ATTENTION_CUDA_GRADIENT_ROWS_CUH

#include "epilogue.cuh"
#include "gradient_call.h"
#include "repair.cuh"

namespace qkv
{

__device__ __forceinline__ float load_number(const qkv__cuda_operand &from, int64_t offset)
{
    if (from.type == type_f32) return static_cast<const float *>(from.data)[offset];
    if (from.type == type_f64)
        return static_cast<float>(static_cast<const double *>(from.data)[offset]);
    if (from.type == type_f16) return number_of(static_cast<const __half *>(from.data)[offset]);
    return number_of(static_cast<const __nv_bfloat16 *>(from.data)[offset]);
}

/* `Count` numbers side by side, at a multiple of their size, times as many others. */
template <class Element, int Count>
__device__ __forceinline__ float dot_numbers(const Element *a, const Element *b)
{
    using Word = typename std::conditional<Count == 4, uint2, uint32_t>::type;
    const Word left = *reinterpret_cast<const Word *>(a),
               right = *reinterpret_cast<const Word *>(b);
    const Element *x = reinterpret_cast<const Element *>(&left);
    const Element *y = reinterpret_cast<const Element *>(&right);
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < Count; i++) sum = fmaf(number_of(x[i]), number_of(y[i]), sum);
    return sum;
}

constexpr int row_warps = 8; /* of a block that prepares rows */

/* Where a tile of a batch lies: its sequence, the tile's number in it and its first query. */
struct tile_place {
    qkv__cuda_positions positions;
    int tile, query;
};

__device__ __forceinline__ tile_place find_tile(const qkv__cuda_gradient &p, int64_t batch,
                                                int tile)
{
    if (p.sequences == nullptr) return {p.positions, tile, 0};
    const int number = p.packed ? find_listed(p, tile, &qkv__cuda_gradient_sequence::tile)
                                : static_cast<int>(batch);
    const qkv__cuda_gradient_sequence &of = p.sequences[number];
    return {of.positions, tile - of.tile, of.query};
}

/*
 * A warp a row: g . output, times mean_factor, and the log-sum-exp in base 2, which is +infinity
 * (so that no weight is left) for rows that look at nothing and for those that fill up the last
 * tile. Also sets the turns, and the counter, to 0.
 */
template <class Element, int Width>
__global__ void __launch_bounds__(32 * row_warps)
    prepare_rows(const __grid_constant__ qkv__cuda_gradient p)
{
    const int lane = threadIdx.x % 32, padded = p.tiles * QKV__CUDA_GRADIENT_QUERIES;
    const int64_t number = static_cast<int64_t>(blockIdx.x) * row_warps + threadIdx.x / 32;
    const int64_t unit = number / padded;
    const int64_t head = unit % p.heads, batch = unit / p.heads;
    if (batch >= p.units / (p.heads / p.group)) return;
    const tile_place at_tile =
        find_tile(p, batch, static_cast<int>(number % padded) / QKV__CUDA_GRADIENT_QUERIES);
    const int within = at_tile.tile * QKV__CUDA_GRADIENT_QUERIES +
                       static_cast<int>(number % QKV__CUDA_GRADIENT_QUERIES);
    const int row = at_tile.query + within;
    float sum = 0.0f, log = INFINITY;
    if (within < at_tile.positions.queries) {
        constexpr int count = Width / 32;
        const Element *g = static_cast<const Element *>(p.gradient.data) +
                           batch * p.gradient.batch + head * p.gradient.head +
                           row * p.gradient.row + lane * count;
        const int64_t at = batch * p.output.batch + head * p.output.head + row * p.output.row;
        if (p.plain) {
            sum = dot_numbers<Element, count>(
                static_cast<const Element *>(p.output.data) + at + lane * count, g);
        } else {
            for (int i = 0; i < count; i++)
                sum = fmaf(load_number(p.output, at + (lane * count + i) * p.output.column),
                           number_of(g[i]), sum);
        }
        const float natural =
            load_number(p.log_sum_exp, batch * p.log_sum_exp.batch + head * p.log_sum_exp.head +
                                           row * p.log_sum_exp.row);
        if (natural != -INFINITY) log = natural * 1.4426950408889634f;
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (lane != 0) return;
    p.row_log[number] = log;
    p.row_mean[number] = sum * p.mean_factor;
    constexpr int turns = Width / QKV__CUDA_GRADIENT_PIECE;
    if (number % QKV__CUDA_GRADIENT_QUERIES == 0)
        for (int i = 0; i < turns; i++)
            p.turns[number / QKV__CUDA_GRADIENT_QUERIES * turns + i] = 0;
    if (number == 0) *p.counter = 0;
}

/* A block a tile, with the threads of the warpgroup that made its sums. A tile that looks at no key
 * has none. */
template <class Element, int Width>
__global__ void __launch_bounds__(128) finish_queries(const __grid_constant__ qkv__cuda_gradient p)
{
    const int64_t unit = blockIdx.x / p.tiles, head = unit % p.heads, batch = unit / p.heads;
    const tile_place at = find_tile(p, batch, blockIdx.x % p.tiles);
    const qkv__cuda_span blocks = qkv__cuda_blocks_of_tile(&at.positions, at.tile);
    const bool any = blocks.begin < blocks.end;
    const float4 *from =
        reinterpret_cast<const float4 *>(p.sums) +
        static_cast<int64_t>(blockIdx.x) * (QKV__CUDA_GRADIENT_QUERIES * Width / 4) + threadIdx.x;
    float sum[Width / 2];
#pragma unroll
    for (int i = 0; i < Width / 8; i++) {
        const float4 four = any ? from[128 * i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        sum[4 * i] = four.x;
        sum[4 * i + 1] = four.y;
        sum[4 * i + 2] = four.z;
        sum[4 * i + 3] = four.w;
    }
    const int within =
        at.tile * QKV__CUDA_GRADIENT_QUERIES + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    const int row = at.query + within;
    Element *to =
        static_cast<Element *>(p.dq.data) + batch * p.dq.batch + head * p.dq.head + row * p.dq.row;
#pragma unroll
    for (int i = 0; i < 2; i++)
        store_row<Element, Width>(sum, i, p.scale, to + 8 * i * p.dq.row,
                                  within + 8 * i < at.positions.queries);
}

} // namespace qkv
#endif
