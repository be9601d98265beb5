/*
 * The gradient for every option, type and stride. Two kernels, one warp per row: first a warp has
 * one query, and finds its dq and what the keys need of it; then a warp has one key, and finds its
 * dk and dv. Lanes have the other side's rows for scores, and columns for sums. Every score is
 * computed at least twice, but no sum has more than one owner: the order of all sums is fixed, and
 * masked keys are not touched. With r the raw score, s the capped one, a the weight:
 *
 *     ds = a (d g . v - sum of d a g . v) (1 - (s / cap)^2) scale
 *     dq = sum of ds k     dk = sum of ds q     dv = sum of d a g
 *
 * where d is the factor of dropout, 1 without it. gradient_bias.cu has what is added to scores.
 */
#include "gradient_pair.cuh"

namespace qkv
{

/* From the forward call's results, or else from the scores. */
template <class Real>
__device__ __forceinline__ kept_row<Real> keep_row(const qkv__cuda_portable_gradient &p,
                                                   const place_of_row &at)
{
    const int lane = threadIdx.x % 32;
    const int64_t gradient = place(p.gradient, at.batch, at.head, at.row);
    kept_row<Real> kept;
    if (p.log_sum_exp.data != nullptr) {
        read(p.log_sum_exp.type, p.log_sum_exp.data,
             place(p.log_sum_exp, at.batch, at.head, at.row), &kept.high);
        kept.share = 1;
        kept.mean = p.call.value_width == 0
                        ? Real(0)
                        : dot_gradient<Real>(p, gradient, p.output,
                                             place(p.output, at.batch, at.head, at.row));
        return kept;
    }
    const Real sink =
        p.call.sinks == nullptr ? Real(-INFINITY) : static_cast<Real>(p.call.sinks[at.head]);
    Real high = -INFINITY;
    for (int64_t key = at.begin + lane; key < at.end; key += 32)
        high = fmax(high, score_of<Real>(p.call, at, key, false).masked);
    high = fmax(warp_max(high), sink);
    if (high == Real(-INFINITY)) high = 0;
    Real total = 0, mean = 0;
    for (int64_t key = at.begin + lane; key < at.end; key += 32) {
        const Real masked = score_of<Real>(p.call, at, key, false).masked;
        if (masked == Real(-INFINITY)) continue;
        const Real weight = exp(masked - high);
        const int64_t value = place(p.call.value, at.batch, at.key_head, at.sequence.key + key);
        total += weight;
        const Real factor = dropout_factor<Real>(p.call.dropout, at.index, key, at.head, at.number);
        mean = fma(weight * factor, dot_gradient<Real>(p, gradient, p.call.value, value), mean);
    }
    total = warp_sum(total) + (sink == Real(-INFINITY) ? Real(0) : exp(sink - high));
    mean = warp_sum(mean);
    kept.high = high;
    kept.share = total == Real(0) ? Real(0) : Real(1) / total;
    kept.mean = mean * kept.share;
    return kept;
}

/* sum += factor * row, for the columns of this lane. */
template <class Real>
__device__ __forceinline__ void add_row(Real (&sum)[columns], Real factor,
                                        const qkv__cuda_operand &from, int64_t row, int64_t width)
{
#pragma unroll
    for (int i = 0; i < columns; i++) {
        const int64_t column = (blockIdx.y * columns + i) * 32 + threadIdx.x % 32;
        if (column >= width) continue;
        Real x;
        read(from.type, from.data, row + column * from.column, &x);
        sum[i] = fma(factor, x, sum[i]);
    }
}

template <class Real>
__device__ __forceinline__ void write_row(const qkv__cuda_operand &to, int64_t row,
                                          const Real (&sum)[columns], int64_t width)
{
    if (to.data == nullptr) return;
#pragma unroll
    for (int i = 0; i < columns; i++) {
        const int64_t column = (blockIdx.y * columns + i) * 32 + threadIdx.x % 32;
        if (column < width) write(to, row + column * to.column, sum[i]);
    }
}

template <class Real>
__global__ void __launch_bounds__(32 * warps)
    gradient_of_queries(const __grid_constant__ qkv__cuda_portable_gradient p)
{
    const int lane = threadIdx.x % 32;
    const int64_t rows = p.call.batch * p.call.heads * p.call.length;
    const int64_t number = static_cast<int64_t>(blockIdx.x) * warps + threadIdx.x / 32;
    if (number >= rows) return;
    const place_of_row at = find_row(p.call, number);
    kept_row<Real> kept = keep_row<Real>(p, at);
    kept.far = 0;
    kept_row<Real> *to = static_cast<kept_row<Real> *>(p.kept) + number;
    if (lane == 0 && blockIdx.y == 0) *to = kept;
    if (p.dq.data == nullptr && p.slope_sums == nullptr) return;
    Real sum[columns] = {};
    double far = 0.0;
    for (int64_t start = at.begin; start < at.end; start += 32) {
        pair_result<Real> own = {false, Real(0), Real(0), Real(0)};
        if (start + lane < at.end) own = find_pair<Real>(p, at, start + lane, kept);
        far += own.added * fabs(static_cast<double>(at.index + at.sequence.offset - start - lane));
        for (unsigned left = __ballot_sync(~0u, own.seen); left != 0; left &= left - 1) {
            const int other = __ffs(left) - 1;
            add_row(sum, __shfl_sync(~0u, own.change, other), p.call.key,
                    place(p.call.key, at.batch, at.key_head, at.sequence.key + start + other),
                    p.call.width);
        }
    }
    write_row(p.dq, place(p.dq, at.batch, at.head, at.row), sum, p.call.width);
    far = warp_sum(far);
    if (lane == 0 && blockIdx.y == 0) to->far = static_cast<Real>(far);
}

template <class Real>
__global__ void __launch_bounds__(32 * warps)
    gradient_of_keys(const __grid_constant__ qkv__cuda_portable_gradient p)
{
    const int lane = threadIdx.x % 32;
    const int64_t number = static_cast<int64_t>(blockIdx.x) * warps + threadIdx.x / 32;
    if (number >= p.call.batch * p.key_heads * p.key_length) return;
    const int64_t row = number % p.key_length;
    place_of_row at;
    at.key_head = number / p.key_length % p.key_heads;
    at.batch = number / p.key_length / p.key_heads;
    at.number = find_sequence(p.call, at.batch, row, &qkv__cuda_sequence_table::key);
    at.sequence = p.call.table[at.number];
    const int64_t key = row - at.sequence.key;
    /* The queries that stand where they may look at it; none for a key that does not exist. */
    const int64_t from = key - p.call.right - at.sequence.offset;
    const int64_t past = key + p.call.left - at.sequence.offset + 1;
    const int64_t begin = from > 0 ? from : 0;
    const int64_t end = key >= at.sequence.keys      ? 0
                        : past < at.sequence.queries ? past
                                                     : at.sequence.queries;
    Real key_sum[columns] = {}, value_sum[columns] = {};
    for (int64_t i = 0; i < p.call.group; i++) {
        at.head = at.key_head * p.call.group + i;
        if (at.head >= p.call.heads) break;
        for (int64_t start = begin; start < end; start += 32) {
            pair_result<Real> own = {false, Real(0), Real(0), Real(0)};
            at.index = start + lane;
            at.row = at.sequence.query + at.index;
            if (at.index < end) {
                find_range(p.call, &at);
                own = find_pair<Real>(
                    p, at, key,
                    static_cast<const kept_row<Real> *>(
                        p.kept)[(at.batch * p.call.heads + at.head) * p.call.length + at.row]);
            }
            for (unsigned left = __ballot_sync(~0u, own.seen); left != 0; left &= left - 1) {
                const int other = __ffs(left) - 1;
                const int64_t query = at.sequence.query + start + other;
                add_row(key_sum, __shfl_sync(~0u, own.change, other), p.call.query,
                        place(p.call.query, at.batch, at.head, query), p.call.width);
                add_row(value_sum, __shfl_sync(~0u, own.weight, other), p.gradient,
                        place(p.gradient, at.batch, at.head, query), p.call.value_width);
            }
        }
    }
    write_row(p.dk, place(p.dk, at.batch, at.key_head, row), key_sum, p.call.width);
    write_row(p.dv, place(p.dv, at.batch, at.key_head, row), value_sum, p.call.value_width);
}

/* Enough blocks for `rows` rows of a result that is `width` wide. */
static dim3 grid_of(int64_t rows, int64_t width)
{
    const int64_t across = 32 * columns;
    return dim3(static_cast<unsigned>((rows + warps - 1) / warps),
                static_cast<unsigned>(width == 0 ? 1 : (width + across - 1) / across));
}

template <class Real>
static cudaError_t launch(const qkv__cuda_portable_gradient *p, cudaStream_t stream)
{
    const int64_t rows = p->call.batch * p->call.heads * p->call.length;
    const int64_t keys = p->call.batch * p->key_heads * p->key_length;
    const int64_t widest =
        p->call.width > p->call.value_width ? p->call.width : p->call.value_width;
    if (rows > 0)
        gradient_of_queries<Real><<<grid_of(rows, p->call.width), 32 * warps, 0, stream>>>(*p);
    if (keys > 0 && (p->dk.data != nullptr || p->dv.data != nullptr))
        gradient_of_keys<Real><<<grid_of(keys, widest), 32 * warps, 0, stream>>>(*p);
    const cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) return status;
    return qkv__cuda_portable_sums_launch(p, sizeof(Real) == sizeof(double), stream);
}

} // namespace qkv

extern "C" cudaError_t qkv__cuda_portable_gradient_launch(const qkv__cuda_portable_gradient *p,
                                                          bool wide, cudaStream_t stream)
{
    return wide ? qkv::launch<double>(p, stream) : qkv::launch<float>(p, stream);
}
