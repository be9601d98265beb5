/*
 * Gradients of what options add to scores: masks, ALiBi slopes and sinks, after the rows' own
 * kernel. Every number is a sum in f64 with one owner and a fixed order: a thread, a warp or a
 * block adds up all pairs that an entry of the mask was added to, a block the rows of a head.
 */
#include "gradient_call.h"
#include "gradient_pair.cuh"

namespace qkv
{

constexpr int sum_threads = 256; /* of a block */

/* The sum over a block, in its first thread. */
__device__ __forceinline__ double block_sum(double x)
{
    __shared__ double part[sum_threads / 32];
    x = warp_sum(x);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    double sum = 0.0;
    for (int i = 0; i < sum_threads / 32; i++) sum += part[i];
    __syncthreads();
    return sum;
}

/* A block a head. */
template <class Real>
__global__ void __launch_bounds__(sum_threads)
    sums_of_heads(const __grid_constant__ qkv__cuda_portable_gradient p)
{
    const int64_t head = blockIdx.x;
    const double sink = p.sink_sums == nullptr ? -INFINITY : p.call.sinks[head];
    double sink_sum = 0.0, slope_sum = 0.0;
    for (int64_t i = threadIdx.x; i < p.call.batch * p.call.length; i += sum_threads) {
        const int64_t batch = i / p.call.length, row = i % p.call.length;
        const kept_row<Real> kept = static_cast<const kept_row<Real> *>(
            p.kept)[(batch * p.call.heads + head) * p.call.length + row];
        slope_sum -= kept.far;
        if (sink != -INFINITY) sink_sum -= exp(sink - kept.high) * kept.share * kept.mean;
    }
    sink_sum = block_sum(sink_sum);
    slope_sum = block_sum(slope_sum);
    if (threadIdx.x != 0) return;
    if (p.sink_sums != nullptr) p.sink_sums[head] = sink_sum;
    if (p.slope_sums != nullptr) p.slope_sums[head] = slope_sum;
}

/* The same of sinks, from what the kernels for Hopper keep of rows; those that fill up a tile have
 * a log-sum-exp of infinity. */
static __global__ void __launch_bounds__(sum_threads)
    sinks_of_tiles(const __grid_constant__ qkv__cuda_gradient p)
{
    const int64_t head = blockIdx.x,
                  rows = static_cast<int64_t>(p.tiles) * QKV__CUDA_GRADIENT_QUERIES;
    const int64_t batches = p.units / (p.heads / p.group);
    const double sink = p.sinks[head];
    double sum = 0.0;
    for (int64_t i = threadIdx.x; i < batches * rows && sink != -INFINITY; i += sum_threads) {
        const int64_t row = (i / rows * p.heads + head) * rows + i % rows;
        const double mean = static_cast<double>(p.row_mean[row]) * p.kept_factor;
        if (p.row_log[row] != INFINITY) sum -= exp2(sink - p.row_log[row]) * mean;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) p.sink_sums[head] = sum;
}

/* `threads` threads an entry of the mask: 1, 32 or a block. */
template <class Real>
__global__ void __launch_bounds__(sum_threads)
    gradient_of_mask(const __grid_constant__ qkv__cuda_portable_gradient p, int threads)
{
    const int64_t size[4] = {p.call.batch, p.call.heads, p.call.length, p.key_length};
    const int64_t number =
        static_cast<int64_t>(blockIdx.x) * (sum_threads / threads) + threadIdx.x / threads;
    int64_t first[4], count[4], rest = number, pairs = 1;
    for (int axis = 3; axis >= 0; axis--) {
        first[axis] = rest % p.mask_shape[axis];
        rest /= p.mask_shape[axis];
        count[axis] = p.mask_shape[axis] == size[axis] ? 1 : size[axis];
        pairs *= count[axis];
    }
    double sum = 0.0; /* of an entry past the last nothing: rest is not 0 then */
    for (int64_t i = threadIdx.x % threads; i < pairs && rest == 0; i += threads) {
        int64_t at[4], left = i;
        for (int axis = 3; axis >= 0; axis--) {
            at[axis] = first[axis] + left % count[axis];
            left /= count[axis];
        }
        const int64_t row = (at[0] * p.call.heads + at[1]) * p.call.length + at[2];
        const place_of_row place = find_row(p.call, row);
        const int64_t key = at[3] - place.sequence.key;
        if (key < place.begin || key >= place.end) continue;
        sum +=
            find_pair<Real>(p, place, key, static_cast<const kept_row<Real> *>(p.kept)[row]).added;
    }
    if (threads == 32) sum = warp_sum(sum);
    if (threads == sum_threads) sum = block_sum(sum);
    if (rest != 0 || threadIdx.x % threads != 0) return;
    write(p.mask,
          first[0] * p.mask.batch + first[1] * p.mask.head + first[2] * p.mask.row +
              first[3] * p.mask.column,
          sum);
}

template <class Real>
static cudaError_t launch_sums(const qkv__cuda_portable_gradient *p, cudaStream_t stream)
{
    if ((p->slope_sums != nullptr || p->sink_sums != nullptr) && p->call.heads > 0)
        sums_of_heads<Real><<<static_cast<unsigned>(p->call.heads), sum_threads, 0, stream>>>(*p);
    if (p->mask.data != nullptr) {
        const int64_t entries =
            p->mask_shape[0] * p->mask_shape[1] * p->mask_shape[2] * p->mask_shape[3];
        const int64_t pairs = p->call.batch * p->call.heads * p->call.length * p->key_length;
        const int64_t each = pairs / entries;
        const int threads = each < 32 ? 1 : each < 1024 ? 32 : sum_threads;
        const int64_t blocks = (entries * threads + sum_threads - 1) / sum_threads;
        gradient_of_mask<Real>
            <<<static_cast<unsigned>(blocks), sum_threads, 0, stream>>>(*p, threads);
    }
    return cudaGetLastError();
}

} // namespace qkv

extern "C" cudaError_t qkv__cuda_portable_sums_launch(const qkv__cuda_portable_gradient *p,
                                                      bool wide, cudaStream_t stream)
{
    return wide ? qkv::launch_sums<double>(p, stream) : qkv::launch_sums<float>(p, stream);
}

extern "C" cudaError_t qkv__cuda_gradient_sinks(const qkv__cuda_gradient *p, cudaStream_t stream)
{
    qkv::sinks_of_tiles<<<static_cast<unsigned>(p->heads), qkv::sum_threads, 0, stream>>>(*p);
    return cudaGetLastError();
}
