/*
 * Samples of the lab on a CUDA device: one thread per sample, whose numbers are a column of shared
 * memory. The operations are those of ../sample_template.c, in the same order, so that the bits are
 * the same; this file is compiled with -fmad=false.
 */
#include <cuda_runtime.h>

#include <cstring>

extern "C" {
#include "base/error.h"
#include "lab/cuda/draw.h"
}
#include "lab/cuda/lanes_cuda.h"
#include "lab/normal_template.h"

namespace
{

enum { score_kind = 2, error_kind = 3, combination_kind = 4, product_kind = 5 }; /* qkv_lab_kind */

/* A thread's numbers: rows are `stride` apart, an odd number, so that rows of one sample lie in
 * different banks. */
struct column {
    double *numbers;
    int stride;

    __device__ __forceinline__ double &operator[](int row) const
    {
        return numbers[row * stride];
    }
};

__device__ __forceinline__ void draw_normals(const qkv__cuda_lab &p, const column &x,
                                             uint64_t sample)
{
    constexpr uint32_t stream = 0; /* QKV__LAB_STREAM_SCORES */
    const philox_start begun = philox_begin(sample, stream, p.seed);
    for (int i = 0; i < p.pairs; i++) {
        const normal_pair pair = normal_from_words(philox_block(&begun, static_cast<uint32_t>(i)));
        x[2 * i] = pair.first;
        x[2 * i + 1] = pair.second;
    }
}

__device__ __forceinline__ void make_scores(const qkv__cuda_lab &p, const column &x)
{
    for (int s = 0; s < p.heads * p.keys; s++) {
        double score = p.score_mean[s];
        const uint32_t end = p.factor_start[s + 1];
        for (uint32_t t = p.factor_start[s]; t < end; t++)
            score = score + p.factor_value[t] * x[static_cast<int>(p.factor_normal[t])];
        x[p.score_row + s] = score;
    }
}

/* Softmax over the keys of a head, up to the last step. */
__device__ __forceinline__ void weigh(const qkv__cuda_lab &p, const column &x, int head)
{
    const int scores = p.score_row + head * p.keys, powers = p.weight_row + head * p.keys;
    double greatest = x[scores], sum = 0.0;
    for (int i = 1; i < p.keys; i++) greatest = real_max(greatest, x[scores + i]);
    for (int i = 0; i < p.keys; i++) {
        const double power = exponential(x[scores + i] - greatest);
        sum = sum + power;
        x[powers + i] = power;
    }
    x[p.share_row + head] = 1.0 / sum;
}

__device__ __forceinline__ void average(const qkv__cuda_lab &p, const column &x)
{
    const double part = 1.0 / static_cast<double>(p.heads);
    for (int i = 0; i < p.keys; i++) {
        double sum = 0.0;
        for (int h = 0; h < p.heads; h++)
            sum = sum + x[p.share_row + h] * x[p.weight_row + h * p.keys + i];
        x[p.mean_row + i] = sum * part;
    }
}

__device__ __forceinline__ void make_outputs(const qkv__cuda_lab &p, const column &x)
{
    for (int h = 0; h < p.heads; h++) weigh(p, x, h);
    if (p.needs_mean && p.heads > 1) average(p, x);
    if (p.needs_weights || p.heads == 1)
        for (int s = 0; s < p.heads * p.keys; s++)
            x[p.weight_row + s] = x[p.weight_row + s] * x[p.share_row + s / p.keys];
    if (!p.needs_output || p.values == nullptr) return;
    for (int j = 0; j < p.outputs; j++) {
        double sum = 0.0;
        for (int i = 0; i < p.keys; i++)
            sum = sum + p.values[i * p.outputs + j] * x[p.mean_row + i];
        x[p.output_row + j] = sum;
    }
}

__device__ __forceinline__ void derive(const qkv__cuda_lab &p, const column &x)
{
    for (int q = 0; q < p.quantities; q++) {
        const qkv__cuda_lab_quantity quantity = p.quantity[q];
        const double *numbers = p.numbers + quantity.numbers;
        double sum = 0.0;
        if (quantity.kind == combination_kind) {
            for (int j = 0; j < quantity.count; j++) sum = sum + numbers[j] * x[p.quantity[j].row];
        } else if (quantity.kind == error_kind) {
            for (int j = 0; j < quantity.count; j++) {
                const double off = x[p.output_row + j] - numbers[j];
                sum = sum + off * off;
            }
        } else if (quantity.kind == product_kind) {
            sum = x[quantity.index] * x[quantity.other];
        } else {
            continue;
        }
        x[quantity.row] = sum;
    }
}

/* The quantities of a warp's samples lie one behind the other: lanes take them in that order. */
__device__ __forceinline__ void store(const qkv__cuda_lab &p, const double *numbers, int stride,
                                      uint64_t sample, uint64_t past)
{
    const int lane = threadIdx.x % 32;
    const uint32_t all = 32u * p.quantities;
    const uint64_t there = past > sample ? past - sample : 0; /* samples of this warp */
    double *to = p.to + (sample - p.first) * p.quantities;
    for (uint32_t i = lane; i < all; i += 32) {
        const uint32_t s = __umulhi(i, p.divider), q = i - s * p.quantities;
        if (s < there) to[i] = numbers[p.quantity[q].row * stride + s];
    }
}

__global__ void draw(const __grid_constant__ qkv__cuda_lab p)
{
    extern __shared__ double shared[];
    const int stride = p.threads + 1, warp = threadIdx.x / 32 * 32;
    const uint64_t begin = p.first + static_cast<uint64_t>(blockIdx.x) * p.threads;
    const column x = {shared + threadIdx.x, stride};
    draw_normals(p, x, begin + threadIdx.x);
    make_scores(p, x);
    make_outputs(p, x);
    derive(p, x);
    __syncwarp();
    store(p, shared + warp, stride, begin + warp, p.first + p.count);
}

/* ---- Sums -------------------------------------------------------------------------------------
 */

__device__ __forceinline__ bool holds(const qkv__cuda_lab &p, const column &x, int event)
{
    bool all = true;
    for (uint32_t e = p.event_start[event]; e < p.event_start[event + 1]; e++) {
        const qkv__cuda_lab_inequality inequality = p.inequality[e];
        double sum = 0.0;
        for (int t = inequality.start; t < inequality.end; t++)
            sum = sum + p.coefficient[t] * x[static_cast<int>(p.term_row[t])];
        all = all && (inequality.strict ? sum < inequality.bound : sum <= inequality.bound);
    }
    return all;
}

/* Whether the sample counts, which events it is in, and its quantities less their origins. */
__device__ __forceinline__ void centre(const qkv__cuda_lab &p, const column &x)
{
    const bool counts = holds(p, x, p.events);
    x[p.accepted_row] = counts ? 1.0 : 0.0;
    for (int e = 0; e < p.events; e++) x[p.event_row + e] = counts && holds(p, x, e) ? 1.0 : 0.0;
    for (int q = 0; q < p.quantities; q++)
        x[p.centred_row + q] = counts ? x[p.quantity[q].row] - p.origin[q] : 0.0;
}

/* A column of a sum takes in every eighth of the block's samples, in order. */
__device__ __forceinline__ double take_in(const qkv__cuda_lab &p, const double *rows, int stride,
                                          qkv__cuda_lab_sum sum, int first, double total)
{
    const double *a = rows + sum.a * stride, *b = rows + sum.b * stride;
    const double *accepted = rows + p.accepted_row * stride;
    for (int x = first; x < p.threads; x += QKV__CUDA_LAB_COLUMNS) {
        const bool counts = accepted[x] > 0.0;
        if (sum.kind == QKV__CUDA_LAB_ADD)
            total = total + a[x];
        else if (sum.kind == QKV__CUDA_LAB_PRODUCT)
            total = total + a[x] * b[x];
        else if (sum.kind == QKV__CUDA_LAB_LEAST)
            total = counts && a[x] < total ? a[x] : total;
        else
            total = counts && a[x] > total ? a[x] : total;
    }
    return total;
}

__device__ __forceinline__ double close(const double *c, int kind)
{
    if (kind == QKV__CUDA_LAB_LEAST)
        return fmin(fmin(fmin(c[0], c[1]), fmin(c[2], c[3])),
                    fmin(fmin(c[4], c[5]), fmin(c[6], c[7])));
    if (kind == QKV__CUDA_LAB_GREATEST)
        return fmax(fmax(fmax(c[0], c[1]), fmax(c[2], c[3])),
                    fmax(fmax(c[4], c[5]), fmax(c[6], c[7])));
    return ((c[0] + c[1]) + (c[2] + c[3])) + ((c[4] + c[5]) + (c[6] + c[7]));
}

/* One block of threads per chunk. */
__global__ void add_up(const __grid_constant__ qkv__cuda_lab p)
{
    extern __shared__ double shared[];
    const int stride = p.threads + 1, all = p.sums * QKV__CUDA_LAB_COLUMNS;
    const uint64_t begin = p.first + static_cast<uint64_t>(blockIdx.x) * QKV__CUDA_LAB_CHUNK;
    double *columns = shared + p.rows * stride;
    const column x = {shared + threadIdx.x, stride};
    for (int i = threadIdx.x; i < all; i += p.threads) {
        const int kind = p.sum[i / QKV__CUDA_LAB_COLUMNS].kind;
        columns[i] = kind == QKV__CUDA_LAB_LEAST      ? INFINITY
                     : kind == QKV__CUDA_LAB_GREATEST ? -INFINITY
                                                      : 0.0;
    }
    for (int done = 0; done < QKV__CUDA_LAB_CHUNK; done += p.threads) {
        draw_normals(p, x, begin + done + threadIdx.x);
        make_scores(p, x);
        make_outputs(p, x);
        derive(p, x);
        centre(p, x);
        __syncthreads();
        for (int i = threadIdx.x; i < all; i += p.threads)
            columns[i] = take_in(p, shared, stride, p.sum[i / QKV__CUDA_LAB_COLUMNS],
                                 i % QKV__CUDA_LAB_COLUMNS, columns[i]);
        __syncthreads();
    }
    for (int s = threadIdx.x; s < p.sums; s += p.threads)
        p.to[static_cast<uint64_t>(blockIdx.x) * p.sums + s] =
            close(columns + s * QKV__CUDA_LAB_COLUMNS, p.sum[s].kind);
}

/* ---- Launches ----------------------------------------------------------------------------------
 */

/* Tables go to the device inside the parameters of a kernel: a copy from the host's memory would
 * wait for the stream. */
struct piece {
    uint32_t count;
    uint32_t word[1000];
};

__global__ void upload(uint32_t *to, const __grid_constant__ piece from)
{
    for (uint32_t i = threadIdx.x; i < from.count; i += blockDim.x) to[i] = from.word[i];
}

} // namespace

qkv_status qkv__cuda_lab_launch(const qkv__cuda_lab *call, const void *tables, size_t bytes,
                                void *workspace, void *stream, qkv_error *error)
{
    const cudaStream_t queue = static_cast<cudaStream_t>(stream);
    const uint32_t *from = static_cast<const uint32_t *>(tables);
    uint32_t *to = static_cast<uint32_t *>(workspace);
    cudaError_t status = cudaSuccess;
    for (size_t done = 0, all = bytes / 4; done < all && status == cudaSuccess;) {
        piece next;
        next.count = static_cast<uint32_t>(all - done < 1000 ? all - done : 1000);
        memcpy(next.word, from + done, next.count * sizeof(uint32_t));
        upload<<<1, 256, 0, queue>>>(to + done, next);
        status = cudaGetLastError();
        done += next.count;
    }
    const size_t columns = static_cast<size_t>(call->sums) * QKV__CUDA_LAB_COLUMNS;
    const size_t room =
        (static_cast<size_t>(call->rows) * (call->threads + 1) + columns) * sizeof(double);
    const size_t blocks =
        call->sums > 0 ? call->count : (call->count + call->threads - 1) / call->threads;
    const auto kernel = call->sums > 0 ? add_up : draw;
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(room));
    if (status == cudaSuccess) {
        kernel<<<static_cast<unsigned>(blocks), call->threads, room, queue>>>(*call);
        status = cudaGetLastError();
    }
    if (status == cudaSuccess) return QKV_OK;
    return qkv__fail(error, QKV_ERROR_DEVICE, "drawing samples: %s", cudaGetErrorString(status));
}
