/* One query and one key in the gradient, as the kernels for every option compute them. */
#ifndef QKV_ATTENTION_CUDA_GRADIENT_PAIR_CUH
#define QKV_ATTENTION_CUDA_GRADIENT_PAIR_CUH

#include "portable.cuh"

namespace qkv
{

/* What is kept of a query: its weights are share * exp(score - high). `far` is the sum of its
 * scores' gradients times their distances, where the gradient of slopes is wanted. */
template <class Real> struct kept_row {
    Real high, share, mean, far;
};

/* g . row, of the values or of the output. */
template <class Real>
__device__ __forceinline__ Real dot_gradient(const qkv__cuda_portable_gradient &p, int64_t gradient,
                                             const qkv__cuda_operand &other, int64_t row)
{
    Real dot = 0;
    for (int64_t t = 0; t < p.call.value_width; t++) {
        Real x, y;
        read(p.gradient.type, p.gradient.data, gradient + t * p.gradient.column, &x);
        read(other.type, other.data, row + t * other.column, &y);
        dot = fma(x, y, dot);
    }
    return dot;
}

/* One pair, all 0 where the query does not look: the factor of g in dv, and the gradients of the
 * masked score, to which masks and slopes are added, and of the product q . k. */
template <class Real> struct pair_result {
    bool seen;
    Real weight, added, change;
};

template <class Real>
__device__ __forceinline__ pair_result<Real> find_pair(const qkv__cuda_portable_gradient &p,
                                                       const place_of_row &at, int64_t key,
                                                       const kept_row<Real> &kept)
{
    const score<Real> s = score_of<Real>(p.call, at, key, false);
    if (s.masked == Real(-INFINITY)) return {false, Real(0), Real(0), Real(0)};
    const int64_t gradient = place(p.gradient, at.batch, at.head, at.row);
    const int64_t value = place(p.call.value, at.batch, at.key_head, at.sequence.key + key);
    const Real product = dot_gradient<Real>(p, gradient, p.call.value, value);
    const Real weight = exp(s.masked - kept.high) * kept.share;
    const Real cap = static_cast<Real>(p.call.softcap);
    const Real slope = cap > Real(0) ? Real(1) - (s.capped / cap) * (s.capped / cap) : Real(1);
    const Real factor = dropout_factor<Real>(p.call.dropout, at.index, key, at.head, at.number);
    const Real added = weight * (factor * product - kept.mean);
    return {true, weight * factor, added, added * slope * static_cast<Real>(p.call.scale)};
}

} // namespace qkv
#endif
