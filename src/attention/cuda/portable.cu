/*
 * The kernel that takes every option, type and stride: a warp has one query, its lanes have keys
 * for the scores and columns for the outputs. Plain arithmetic in f32, or in f64 for f64: exact in
 * that no product is rounded to fewer bits than its type has. Keys are walked twice, for the
 * highest score and the sum, then for the outputs, as in the definition; masked keys are not
 * touched.
 */
#include "portable.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace qkv
{

enum { none = 0, f64 = 1, f32 = 2, f16 = 3, bf16 = 4, boolean = 5, i8 = 6 }; /* as qkv_type */

constexpr int warps = 4;   /* in a block, each with a query of its own */
constexpr int columns = 8; /* of the output a lane; wider values take more blocks */

__device__ __forceinline__ double read_number(int type, const void *data, int64_t at)
{
    switch (type) {
    case f64: return static_cast<const double *>(data)[at];
    case f32: return static_cast<const float *>(data)[at];
    case f16: return __half2float(static_cast<const __half *>(data)[at]);
    case bf16: return __bfloat162float(static_cast<const __nv_bfloat16 *>(data)[at]);
    case boolean: return static_cast<const unsigned char *>(data)[at] != 0 ? 1.0 : 0.0;
    case i8: return static_cast<const signed char *>(data)[at];
    }
    return 0.0;
}

/* The same in f32, without a detour that would cost on devices with few units for f64. */
__device__ __forceinline__ float read_single(int type, const void *data, int64_t at)
{
    switch (type) {
    case f32: return static_cast<const float *>(data)[at];
    case f16: return __half2float(static_cast<const __half *>(data)[at]);
    case bf16: return __bfloat162float(static_cast<const __nv_bfloat16 *>(data)[at]);
    case boolean: return static_cast<const unsigned char *>(data)[at] != 0 ? 1.0f : 0.0f;
    case i8: return static_cast<const signed char *>(data)[at];
    case f64: return static_cast<float>(static_cast<const double *>(data)[at]);
    }
    return 0.0f;
}

__device__ __forceinline__ void read(int type, const void *data, int64_t at, float *to)
{
    *to = read_single(type, data, at);
}
__device__ __forceinline__ void read(int type, const void *data, int64_t at, double *to)
{
    *to = read_number(type, data, at);
}

template <class Real>
__device__ __forceinline__ void write(const qkv__cuda_operand &to, int64_t at, Real x)
{
    switch (to.type) {
    case f64: static_cast<double *>(to.data)[at] = x; break;
    case f32: static_cast<float *>(to.data)[at] = static_cast<float>(x); break;
    /* From double at once: going through float would round twice. */
    case f16: static_cast<__half *>(to.data)[at] = __double2half(x); break;
    case bf16: static_cast<__nv_bfloat16 *>(to.data)[at] = __double2bfloat16(x); break;
    }
}

__device__ __forceinline__ int64_t place(const qkv__cuda_operand &of, int64_t batch, int64_t head,
                                         int64_t row)
{
    return batch * of.batch + head * of.head + row * of.row;
}

template <class Real> __device__ __forceinline__ Real warp_sum(Real x)
{
    for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
    return x;
}

template <class Real> __device__ __forceinline__ Real warp_max(Real x)
{
    for (int step = 16; step > 0; step /= 2) x = fmax(x, __shfl_xor_sync(~0u, x, step));
    return x;
}

/* One query of one head: where its rows are. */
struct place_of_row {
    int64_t batch, head, key_head, row, index; /* row in the view, index in its sequence */
    qkv__cuda_sequence_table sequence;
    int64_t begin, end; /* keys that it may look at by position */
};

template <class Real> struct score {
    Real raw, capped, masked;
};

/* -infinity where the query may not look, without reading the key. */
template <class Real>
__device__ score<Real> score_of(const qkv__cuda_portable &p, const place_of_row &at, int64_t key,
                                bool needed)
{
    const Real nothing = -INFINITY;
    const int64_t row = at.sequence.key + key;
    Real added = nothing;
    if (key >= at.begin && key < at.end) {
        const double slope = p.slopes == nullptr ? 0.0 : p.slopes[at.head];
        const int64_t distance = at.index + at.sequence.offset - key;
        added =
            static_cast<Real>(-slope * static_cast<double>(distance < 0 ? -distance : distance));
        if (p.mask.data != nullptr) {
            const int64_t entry = place(p.mask, at.batch, at.head, at.row) + row * p.mask.column;
            Real mask;
            read(p.mask.type, p.mask.data, entry, &mask);
            /* Finite entries stay finite. */
            if (sizeof(Real) == 4 && p.mask.type == f64 && isinf(mask)) {
                const double whole = read_number(f64, p.mask.data, entry);
                if (isfinite(whole)) mask = whole < 0.0 ? -3.402823466e38 : 3.402823466e38;
            }
            if (p.mask.type == boolean)
                added = mask != Real(0) ? added : nothing;
            else
                added += mask;
        }
    }
    if (added == nothing && !needed) return {nothing, nothing, nothing};
    const int64_t query = place(p.query, at.batch, at.head, at.row);
    const int64_t base = place(p.key, at.batch, at.key_head, row);
    Real dot = 0;
    for (int64_t t = 0; t < p.width; t++) {
        Real x, y;
        read(p.query.type, p.query.data, query + t * p.query.column, &x);
        read(p.key.type, p.key.data, base + t * p.key.column, &y);
        dot = fma(x, y, dot);
    }
    if (p.key_scale.data != nullptr) {
        Real scale;
        read(p.key_scale.type, p.key_scale.data, place(p.key_scale, at.batch, at.key_head, row),
             &scale);
        dot *= scale;
    }
    score<Real> s;
    s.raw = static_cast<Real>(p.scale) * dot;
    const Real cap = static_cast<Real>(p.softcap);
    s.capped = cap > Real(0) ? cap * tanh(s.raw / cap) : s.raw;
    s.masked = added == nothing ? nothing : s.capped + added;
    return s;
}

__device__ place_of_row find_row(const qkv__cuda_portable &p, int64_t number)
{
    place_of_row at;
    at.row = number % p.length;
    at.head = number / p.length % p.heads;
    at.batch = number / p.length / p.heads;
    at.key_head = at.head / p.group;
    int64_t sequence = at.batch;
    if (p.packed) { /* the last sequence that does not begin behind the row */
        int64_t low = 0, high = p.sequences - 1;
        while (low < high) {
            const int64_t middle = (low + high + 1) / 2;
            if (p.table[middle].query <= at.row)
                low = middle;
            else
                high = middle - 1;
        }
        sequence = low;
    }
    at.sequence = p.table[sequence];
    at.index = at.row - at.sequence.query;
    const int64_t position = at.index + at.sequence.offset;
    const int64_t past = position + p.right + 1;
    at.begin = position > p.left ? position - p.left : 0;
    at.end = past < at.sequence.keys ? past : at.sequence.keys;
    return at;
}

template <class Real>
__device__ void write_scores(const qkv__cuda_portable &p, const place_of_row &at, int64_t key,
                             const score<Real> &s)
{
    const qkv__cuda_operand *to[] = {&p.scores_raw, &p.scores_capped, &p.scores_masked};
    const Real value[] = {s.raw, s.capped, s.masked};
    for (int i = 0; i < 3; i++)
        if (to[i]->data != nullptr)
            write(*to[i], place(*to[i], at.batch, at.head, at.row) + key * to[i]->column, value[i]);
}

template <class Real>
__global__ void __launch_bounds__(32 * warps) portable(const qkv__cuda_portable p)
{
    const int lane = threadIdx.x % 32;
    const int64_t rows = p.batch * p.heads * p.length;
    const int64_t number = static_cast<int64_t>(blockIdx.x) * warps + threadIdx.x / 32;
    if (number >= rows) return;
    const place_of_row at = find_row(p, number);
    const bool first = blockIdx.y == 0; /* the others have further columns of the same row */
    const bool wants = p.scores_raw.data != nullptr || p.scores_capped.data != nullptr ||
                       p.scores_masked.data != nullptr || p.weights.data != nullptr;
    const bool needed = first && (p.scores_raw.data != nullptr || p.scores_capped.data != nullptr);
    const int64_t begin = wants ? 0 : at.begin, end = wants ? at.sequence.keys : at.end;

    /* The highest score, then the sum of exponentials. */
    const Real sink = p.sinks == nullptr ? -INFINITY : static_cast<Real>(p.sinks[at.head]);
    Real high = -INFINITY;
    for (int64_t key = begin + lane; key < end; key += 32) {
        const score<Real> s = score_of<Real>(p, at, key, needed);
        high = fmax(high, s.masked);
        if (first && wants) write_scores(p, at, key, s);
    }
    high = fmax(warp_max(high), sink);
    if (high == Real(-INFINITY)) high = 0;
    Real total = 0, sum[columns] = {};
    for (int64_t start = at.begin; start < at.end; start += 32) {
        const int64_t key = start + lane;
        const Real masked =
            key < at.end ? score_of<Real>(p, at, key, false).masked : Real(-INFINITY);
        const bool seen = !(masked == Real(-INFINITY));
        const Real weight = seen ? exp(masked - high) : Real(0);
        total += weight;
        for (unsigned left = __ballot_sync(~0u, seen); left != 0; left &= left - 1) {
            const int other = __ffs(left) - 1;
            const Real share = __shfl_sync(~0u, weight, other);
            const int64_t row = at.sequence.key + start + other;
            const int64_t base = place(p.value, at.batch, at.key_head, row);
            Real scale = 1;
            if (p.value_scale.data != nullptr)
                read(p.value_scale.type, p.value_scale.data,
                     place(p.value_scale, at.batch, at.key_head, row), &scale);
#pragma unroll
            for (int i = 0; i < columns; i++) {
                const int64_t column = (blockIdx.y * columns + i) * 32 + lane;
                if (column >= p.value_width) continue;
                Real v;
                read(p.value.type, p.value.data, base + column * p.value.column, &v);
                sum[i] = fma(share, v * scale, sum[i]);
            }
        }
    }
    total = warp_sum(total) + (sink == Real(-INFINITY) ? Real(0) : exp(sink - high));
    const int64_t output = place(p.output, at.batch, at.head, at.row);
#pragma unroll
    for (int i = 0; i < columns; i++) {
        const int64_t column = (blockIdx.y * columns + i) * 32 + lane;
        if (column < p.value_width)
            write(p.output, output + column * p.output.column,
                  total == Real(0) ? Real(0) : sum[i] / total);
    }
    if (!first) return;
    const Real log_sum_exp = total == Real(0) ? Real(-INFINITY) : high + log(total);
    if (p.log_sum_exp.data != nullptr && lane == 0)
        write(p.log_sum_exp, place(p.log_sum_exp, at.batch, at.head, at.row), log_sum_exp);
    if (p.weights.data == nullptr && p.entropy.data == nullptr && !wants) return;

    Real entropy = 0;
    for (int64_t key = begin + lane; key < end; key += 32) {
        const Real masked = score_of<Real>(p, at, key, false).masked;
        const Real weight = masked == Real(-INFINITY) ? Real(0) : exp(masked - high) / total;
        if (weight != Real(0)) entropy -= weight * (masked - log_sum_exp);
        if (p.weights.data != nullptr)
            write(p.weights, place(p.weights, at.batch, at.head, at.row) + key * p.weights.column,
                  weight);
    }
    entropy = warp_sum(entropy);
    if (p.entropy.data != nullptr && lane == 0)
        write(p.entropy, place(p.entropy, at.batch, at.head, at.row), entropy);
    for (int64_t key = at.sequence.keys + lane; wants && key < p.padded; key += 32) {
        const Real nothing = -INFINITY;
        write_scores(p, at, key, score<Real>{nothing, nothing, nothing});
        if (p.weights.data != nullptr)
            write(p.weights, place(p.weights, at.batch, at.head, at.row) + key * p.weights.column,
                  Real(0));
    }
}

} // namespace qkv

extern "C" cudaError_t qkv__cuda_portable_launch(const qkv__cuda_portable *p, bool wide,
                                                 cudaStream_t stream)
{
    const int64_t rows = p->batch * p->heads * p->length;
    const int64_t across = 32 * qkv::columns;
    const dim3 grid(
        static_cast<unsigned>((rows + qkv::warps - 1) / qkv::warps),
        static_cast<unsigned>(p->value_width == 0 ? 1 : (p->value_width + across - 1) / across));
    if (wide)
        qkv::portable<double><<<grid, 32 * qkv::warps, 0, stream>>>(*p);
    else
        qkv::portable<float><<<grid, 32 * qkv::warps, 0, stream>>>(*p);
    return cudaGetLastError();
}
