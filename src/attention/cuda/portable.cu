/*
 * The kernel that takes every option, type and stride: a warp has one query, its lanes have keys
 * for the scores and columns for the outputs. Plain arithmetic in f32, or in f64 for f64: exact in
 * that no product is rounded to fewer bits than its type has. Keys are walked twice, for the
 * highest score and the sum, then for the outputs, as in the definition; masked keys are not
 * touched.
 */
#include "portable.cuh"

namespace qkv
{

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
            const Real share =
                __shfl_sync(~0u, weight, other) *
                dropout_factor<Real>(p.dropout, at.index, start + other, at.head, at.number);
            const int64_t row = at.sequence.key + start + other;
            const int64_t base = key_place(p, p.value, at.batch, at.key_head, row);
            Real scale = 1;
            if (base == no_place) continue;
            if (p.value_scale.data != nullptr)
                read(p.value_scale.type, p.value_scale.data,
                     key_place(p, p.value_scale, at.batch, at.key_head, row), &scale);
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
