/*
 * The vector type of the sampler's kernels on a CUDA device: one lane per thread. Like its siblings
 * ../lanes_*.h, of which it has what ../normal_template.h needs. Every operation on reals is one
 * that IEEE 754 rounds correctly; files that include it are compiled with -fmad=false, so that none
 * are contracted, and give the CPU's bits.
 */
#ifndef QKV_LAB_CUDA_LANES_CUDA_H
#define QKV_LAB_CUDA_LANES_CUDA_H

#include <cstdint>

#define LANE_FUNCTION static __device__ __forceinline__
#define LANE_TABLE static __constant__ const

typedef double reals;
typedef uint64_t words;
typedef bool mask;

LANE_FUNCTION reals real_all(double a)
{
    return a;
}

LANE_FUNCTION reals real_add(reals a, reals b)
{
    return a + b;
}

LANE_FUNCTION reals real_subtract(reals a, reals b)
{
    return a - b;
}

LANE_FUNCTION reals real_multiply(reals a, reals b)
{
    return a * b;
}

LANE_FUNCTION reals real_divide(reals a, reals b)
{
    return a / b;
}

LANE_FUNCTION reals real_root(reals a)
{
    return __dsqrt_rn(a);
}

LANE_FUNCTION reals real_max(reals a, reals b)
{
    return a > b ? a : b;
}

LANE_FUNCTION words word_all(uint64_t a)
{
    return a;
}

LANE_FUNCTION words word_add(words a, words b)
{
    return a + b;
}

LANE_FUNCTION words word_and(words a, words b)
{
    return a & b;
}

LANE_FUNCTION words word_or(words a, words b)
{
    return a | b;
}

LANE_FUNCTION words word_xor(words a, words b)
{
    return a ^ b;
}

LANE_FUNCTION words word_xor3(words a, words b, words c)
{
    return a ^ b ^ c;
}

/* (a & b) | c */
LANE_FUNCTION words word_and_or(words a, words b, words c)
{
    return (a & b) | c;
}

LANE_FUNCTION words word_left(words a, int bits)
{
    return a << bits;
}

LANE_FUNCTION words word_right(words a, int bits)
{
    return a >> bits;
}

/* The product of the low halves; the high halves do not matter. */
LANE_FUNCTION words word_multiply_low(words a, words b)
{
    return static_cast<uint64_t>(static_cast<uint32_t>(a)) * static_cast<uint32_t>(b);
}

LANE_FUNCTION words real_bits(reals a)
{
    return static_cast<words>(__double_as_longlong(a));
}

LANE_FUNCTION reals real_from_bits(words a)
{
    return __longlong_as_double(static_cast<long long>(a));
}

/* Whether the bit of value 2 is set. */
LANE_FUNCTION mask mask_second_bit(words a)
{
    return (a & 2) != 0;
}

/* a where the mask holds, b elsewhere. */
LANE_FUNCTION reals real_select(mask chosen, reals a, reals b)
{
    return chosen ? a : b;
}

#endif
