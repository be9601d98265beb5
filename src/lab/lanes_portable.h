/*
 * The vector type of the sampler's kernels, in its plainest form: one lane, any CPU. Its siblings
 * lanes_avx2.h and lanes_avx512.h have the same functions for 4 and 8 lanes. Every operation on
 * reals is one that IEEE 754 rounds correctly, so that all three give the same bits; max and min
 * give their second argument when the arguments compare equal.
 */
#ifndef QKV_LAB_LANES_H
#define QKV_LAB_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/number.h"

#define LANE_FUNCTION static inline
#define LANE_TABLE static const

enum { LANES = 1 };
typedef double reals;
typedef uint64_t words;
typedef bool mask;

/* ---- Reals ---------------------------------------------------------------------------------- */

static inline reals real_load(const double *from)
{
    return *from;
}

static inline void real_store(double *to, reals a)
{
    *to = a;
}

static inline reals real_all(double a)
{
    return a;
}

static inline reals real_add(reals a, reals b)
{
    return a + b;
}

static inline reals real_subtract(reals a, reals b)
{
    return a - b;
}

static inline reals real_multiply(reals a, reals b)
{
    return a * b;
}

static inline reals real_divide(reals a, reals b)
{
    return a / b;
}

static inline reals real_root(reals a)
{
    return sqrt(a);
}

static inline reals real_max(reals a, reals b)
{
    return a > b ? a : b;
}

static inline reals real_min(reals a, reals b)
{
    return a < b ? a : b;
}

/* ---- Words of 64 bits ----------------------------------------------------------------------- */

static inline words word_all(uint64_t a)
{
    return a;
}

/* first, first + 1, ... */
static inline words word_count_from(uint64_t first)
{
    return first;
}

static inline words word_add(words a, words b)
{
    return a + b;
}

static inline words word_and(words a, words b)
{
    return a & b;
}

static inline words word_or(words a, words b)
{
    return a | b;
}

static inline words word_xor(words a, words b)
{
    return a ^ b;
}

static inline words word_xor3(words a, words b, words c)
{
    return a ^ b ^ c;
}

/* (a & b) | c */
static inline words word_and_or(words a, words b, words c)
{
    return (a & b) | c;
}

static inline words word_left(words a, int bits)
{
    return a << bits;
}

static inline words word_right(words a, int bits)
{
    return a >> bits;
}

/* The product of the low halves; the high halves do not matter. */
static inline words word_multiply_low(words a, words b)
{
    return (a & 0xffffffffu) * (b & 0xffffffffu);
}

static inline words real_bits(reals a)
{
    return qkv__double_bits(a);
}

static inline reals real_from_bits(words a)
{
    return qkv__double_from_bits(a);
}

/* ---- Masks ---------------------------------------------------------------------------------- */

static inline mask mask_all(void)
{
    return true;
}

static inline mask mask_less(reals a, reals b)
{
    return a < b;
}

static inline mask mask_less_or_equal(reals a, reals b)
{
    return a <= b;
}

static inline mask mask_and(mask a, mask b)
{
    return a && b;
}

/* Whether the bit of value 2 is set. */
static inline mask mask_second_bit(words a)
{
    return (a & 2) != 0;
}

/* a where the mask holds, b elsewhere. */
static inline reals real_select(mask chosen, reals a, reals b)
{
    return chosen ? a : b;
}

#endif
