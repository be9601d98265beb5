/*
 * Which weights dropout keeps: the words of attention/dropout.h, for the tiles of weights as
 * threads hold them. A random block of four words serves four keys in a row; lanes whose weights it
 * serves share the work and exchange one bit per weight.
 */
#ifndef QKV_ATTENTION_CUDA_DROPOUT_CUH
#define QKV_ATTENTION_CUDA_DROPOUT_CUH

#include "base/philox.h"
#include "params.h"

namespace qkv
{

/* As qkv__philox, of a counter with the number of four keys, the query, the head and the sequence:
 * bit w says whether key w of the four keeps its weight. */
__device__ __forceinline__ uint32_t kept_of_four(const qkv__cuda_dropout &p, uint32_t four,
                                                 uint32_t query, uint32_t head, uint32_t sequence)
{
    uint32_t x[4] = {four, query, head, sequence};
    uint32_t key_0 = p.seed_low, key_1 = p.seed_high;
#pragma unroll
    for (int round = 0; round < QKV__PHILOX_ROUNDS; round++) {
        const uint64_t product_0 = static_cast<uint64_t>(QKV__PHILOX_MULTIPLIER_0) * x[0];
        const uint64_t product_1 = static_cast<uint64_t>(QKV__PHILOX_MULTIPLIER_1) * x[2];
        x[0] = static_cast<uint32_t>(product_1 >> 32) ^ x[1] ^ key_0;
        x[1] = static_cast<uint32_t>(product_1);
        x[2] = static_cast<uint32_t>(product_0 >> 32) ^ x[3] ^ key_1;
        x[3] = static_cast<uint32_t>(product_0);
        key_0 += QKV__PHILOX_WEYL_0;
        key_1 += QKV__PHILOX_WEYL_1;
    }
    uint32_t kept = 0;
#pragma unroll
    for (int w = 0; w < 4; w++) kept |= x[w] >= p.least ? 1u << w : 0u;
    return kept;
}

/* What a single weight is multiplied by. */
template <class Real>
__device__ __forceinline__ Real dropout_factor(const qkv__cuda_dropout &p, int64_t query,
                                               int64_t key, int64_t head, int64_t sequence)
{
    if (!p.on) return Real(1);
    const uint32_t kept =
        kept_of_four(p, static_cast<uint32_t>(key / 4), static_cast<uint32_t>(query),
                     static_cast<uint32_t>(head), static_cast<uint32_t>(sequence));
    return kept >> key % 4 & 1 ? static_cast<Real>(p.factor) : Real(0);
}

/*
 * A thread's weights of a product of 64 keys as columns: two rows, 8 apart, by columns 8 c and the
 * next, c up to 8, counted from twice lane % 4. Two lanes share fours of keys: the even one finds
 * the bits of the upper row, the odd one those of the lower. Bit 4 c + e of `upper` and `lower` is
 * that of column 8 c + e. `query` is the upper row; `key` is a multiple of 4.
 */
struct kept_columns {
    uint32_t upper, lower;

    __device__ __forceinline__ kept_columns(const qkv__cuda_dropout &p, int query, int key,
                                            int head, int sequence)
    {
        const int odd = threadIdx.x % 2;
        const uint32_t four = key / 4 + threadIdx.x % 4 / 2, row = query + 8 * odd;
        uint32_t own = 0;
#pragma unroll
        for (int c = 0; c < 8; c++)
            own |= kept_of_four(p, four + 2 * c, row, head, sequence) << 4 * c;
        const uint32_t other = __shfl_xor_sync(~0u, own, 1);
        upper = (odd ? other : own) >> 2 * odd;
        lower = (odd ? own : other) >> 2 * odd;
    }

    __device__ __forceinline__ bool above(int column) const
    {
        return upper >> (column / 2 * 4 + column % 2) & 1;
    }
    __device__ __forceinline__ bool below(int column) const
    {
        return lower >> (column / 2 * 4 + column % 2) & 1;
    }
};

/* The same of all keys of a block, as they follow each other in a product's sums; what is dropped
 * becomes 0. `key` is the block's first. */
template <int Count>
__device__ __forceinline__ void drop_weights(float (&weight)[Count], const qkv__cuda_dropout &p,
                                             int query, int key, int head, int sequence)
{
#pragma unroll
    for (int first = 0; first < Count; first += 32) {
        const kept_columns kept(p, query, key + 2 * first, head, sequence);
#pragma unroll
        for (int i = 0; i < 32; i += 4)
#pragma unroll
            for (int e = 0; e < 2; e++) {
                if (!kept.above(i / 2 + e)) weight[first + i + e] = 0.0f;
                if (!kept.below(i / 2 + e)) weight[first + i + 2 + e] = 0.0f;
            }
    }
}

/*
 * A thread's weights of a product with 64 queries as columns: two keys, 8 apart, by queries 8 j and
 * the next, j up to 8, counted from twice lane % 4. Four lanes share fours of keys: each finds the
 * bits of 16 queries. Bit 4 n + s is that of number 8 s + n among a product's sums. `key` is the
 * warp's first of 16, `query` the tile's first.
 */
__device__ __forceinline__ uint32_t kept_rows(const qkv__cuda_dropout &p, int query, int key,
                                              int head, int sequence)
{
    const uint32_t lane = threadIdx.x % 32, part = lane / 4 % 4;
    const uint32_t four = key / 4 + lane / 16, first = query + 16 * part + lane % 4 * 2;
    uint32_t own = 0, kept = 0;
#pragma unroll
    for (int n = 0; n < 8; n++)
        own |= kept_of_four(p, four + n / 2 % 2 * 2, first + n / 4 * 8 + n % 2, head, sequence)
               << 4 * n;
#pragma unroll
    for (int s = 0; s < 4; s++)
        kept |= (__shfl_sync(~0u, own, (lane & ~12u) | s << 2) >> part & 0x11111111u) << s;
    return kept;
}

/* Whether number i among a product's sums is kept. */
__device__ __forceinline__ bool is_kept(uint32_t kept, int i)
{
    return kept >> (i % 8 * 4 + i / 8) & 1;
}

} // namespace qkv
#endif
