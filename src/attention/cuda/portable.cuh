/*
 * What kernels for every option share: numbers of any type, where rows are, and the score of one
 * pair. Plain arithmetic in f32, or in f64 for f64.
 */
#ifndef QKV_ATTENTION_CUDA_PORTABLE_CUH
#define QKV_ATTENTION_CUDA_PORTABLE_CUH

#include "dropout.cuh"
#include "portable.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace qkv
{

/* As qkv_type. */
enum { none = 0, f64 = 1, f32 = 2, f16 = 3, bf16 = 4, boolean = 5, i8 = 6, e4m3 = 7 };

constexpr int64_t no_place = INT64_MIN;
constexpr int warps = 4;   /* in a block, each with a row of its own */
constexpr int columns = 8; /* of a result per lane; wider ones take more blocks */

__device__ __forceinline__ float read_eight(const void *data, int64_t at)
{
    const __nv_fp8_storage_t bits = static_cast<const __nv_fp8_storage_t *>(data)[at];
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(bits, __NV_E4M3)));
}

__device__ __forceinline__ double read_number(int type, const void *data, int64_t at)
{
    switch (type) {
    case f64: return static_cast<const double *>(data)[at];
    case f32: return static_cast<const float *>(data)[at];
    case f16: return __half2float(static_cast<const __half *>(data)[at]);
    case bf16: return __bfloat162float(static_cast<const __nv_bfloat16 *>(data)[at]);
    case boolean: return static_cast<const unsigned char *>(data)[at] != 0 ? 1.0 : 0.0;
    case i8: return static_cast<const signed char *>(data)[at];
    case e4m3: return read_eight(data, at);
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
    case e4m3: return read_eight(data, at);
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

/* The same for keys, values and their scales, which may be in pages. Negative where the table names
 * no page: such a row counts as zeros. */
__device__ __forceinline__ int64_t key_place(const qkv__cuda_portable &p,
                                             const qkv__cuda_operand &of, int64_t batch,
                                             int64_t head, int64_t row)
{
    if (p.page_table == nullptr) return place(of, batch, head, row);
    const int64_t page = p.page_table[batch * p.page_columns + row / p.page_size];
    if (page < 0 || page >= p.pages) return no_place;
    return place(of, page, head, row % p.page_size);
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
    int64_t number;                            /* of the sequence */
    qkv__cuda_sequence_table sequence;
    int64_t begin, end; /* keys that it may look at by position */
};

template <class Real> struct score {
    Real raw, capped, masked;
};

/* An entry of the mask. Finite entries stay finite. */
template <class Real>
__device__ __forceinline__ Real read_mask(const qkv__cuda_portable &p, int64_t entry)
{
    Real mask;
    read(p.mask.type, p.mask.data, entry, &mask);
    if (sizeof(Real) == 4 && p.mask.type == f64 && isinf(mask)) {
        const double whole = read_number(f64, p.mask.data, entry);
        if (isfinite(whole)) mask = whole < 0.0 ? -3.402823466e38 : 3.402823466e38;
    }
    return mask;
}

/* -infinity where the query may not look, without reading the key. */
template <class Real>
__device__ __forceinline__ score<Real> score_of(const qkv__cuda_portable &p, const place_of_row &at,
                                                int64_t key, bool needed)
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
            const Real mask = read_mask<Real>(p, entry);
            if (p.mask.type == boolean)
                added = mask != Real(0) ? added : nothing;
            else
                added += mask;
        }
    }
    if (added == nothing && !needed) return {nothing, nothing, nothing};
    const int64_t query = place(p.query, at.batch, at.head, at.row);
    const int64_t base = key_place(p, p.key, at.batch, at.key_head, row);
    Real dot = 0;
    for (int64_t t = 0; t < p.width && base != no_place; t++) {
        Real x, y;
        read(p.query.type, p.query.data, query + t * p.query.column, &x);
        read(p.key.type, p.key.data, base + t * p.key.column, &y);
        dot = fma(x, y, dot);
    }
    if (p.key_scale.data != nullptr && base != no_place) {
        Real scale;
        read(p.key_scale.type, p.key_scale.data,
             key_place(p, p.key_scale, at.batch, at.key_head, row), &scale);
        dot *= scale;
    }
    score<Real> s;
    s.raw = static_cast<Real>(p.scale) * dot;
    const Real cap = static_cast<Real>(p.softcap);
    s.capped = cap > Real(0) ? cap * tanh(s.raw / cap) : s.raw;
    s.masked = added == nothing ? nothing : s.capped + added;
    return s;
}

/* The last sequence that does not begin behind a row; `start` says whether of queries or keys. */
__device__ __forceinline__ int64_t find_sequence(const qkv__cuda_portable &p, int64_t batch,
                                                 int64_t row,
                                                 int64_t qkv__cuda_sequence_table::*start)
{
    if (!p.packed) return batch;
    int64_t low = 0, high = p.sequences - 1;
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (p.table[middle].*start <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Keys that it may look at by position. */
__device__ __forceinline__ void find_range(const qkv__cuda_portable &p, place_of_row *at)
{
    const int64_t position = at->index + at->sequence.offset;
    const int64_t past = position + p.right + 1;
    at->begin = position > p.left ? position - p.left : 0;
    at->end = past < at->sequence.keys ? past : at->sequence.keys;
}

__device__ __forceinline__ place_of_row find_row(const qkv__cuda_portable &p, int64_t number)
{
    place_of_row at;
    at.row = number % p.length;
    at.head = number / p.length % p.heads;
    at.batch = number / p.length / p.heads;
    at.key_head = at.head / p.group;
    at.number = find_sequence(p, at.batch, at.row, &qkv__cuda_sequence_table::query);
    at.sequence = p.table[at.number];
    at.index = at.row - at.sequence.query;
    find_range(p, &at);
    return at;
}

} // namespace qkv
#endif
