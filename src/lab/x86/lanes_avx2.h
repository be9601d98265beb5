/*
 * Four lanes for CPUs with AVX2. See lanes_portable.h, whose
 * functions these are.
 */
#ifndef QKV_LAB_LANES_H
#define QKV_LAB_LANES_H

#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LANE_FUNCTION static inline
#define LANE_TABLE static const

enum { LANES = 4 };

typedef __m256d reals;
typedef __m256i words;
typedef uint64_t word_vector __attribute__((vector_size(32)));
typedef __m256d mask; /* all bits of a lane alike, or the top one alone */

/* ---- Reals ----------------------------------------------------------------------------------- */

static inline reals real_load(const double *from)
{
    return _mm256_loadu_pd(from);
}

static inline void real_store(double *to, reals a)
{
    _mm256_storeu_pd(to, a);
}

static inline reals real_all(double a)
{
    return _mm256_set1_pd(a);
}

static inline reals real_add(reals a, reals b)
{
    return _mm256_add_pd(a, b);
}

static inline reals real_subtract(reals a, reals b)
{
    return _mm256_sub_pd(a, b);
}

static inline reals real_multiply(reals a, reals b)
{
    return _mm256_mul_pd(a, b);
}

static inline reals real_divide(reals a, reals b)
{
    return _mm256_div_pd(a, b);
}

static inline reals real_root(reals a)
{
    return _mm256_sqrt_pd(a);
}

static inline reals real_max(reals a, reals b)
{
    return _mm256_max_pd(a, b);
}

static inline reals real_min(reals a, reals b)
{
    return _mm256_min_pd(a, b);
}

/* ---- Words of 64 bits ------------------------------------------------------------------------ */

static inline words word_all(uint64_t a)
{
    return _mm256_set1_epi64x((long long)a);
}

static inline words word_count_from(uint64_t first)
{
    return _mm256_add_epi64(word_all(first), _mm256_set_epi64x(3, 2, 1, 0));
}

static inline words word_add(words a, words b)
{
    return _mm256_add_epi64(a, b);
}

static inline words word_and(words a, words b)
{
    return _mm256_and_si256(a, b);
}

static inline words word_or(words a, words b)
{
    return _mm256_or_si256(a, b);
}

static inline words word_xor(words a, words b)
{
    return _mm256_xor_si256(a, b);
}

static inline words word_xor3(words a, words b, words c)
{
    return word_xor(word_xor(a, b), c);
}

static inline words word_and_or(words a, words b, words c)
{
    return word_or(word_and(a, b), c);
}

static inline words word_left(words a, int bits)
{
    return (words)((word_vector)a << bits);
}

static inline words word_right(words a, int bits)
{
    return (words)((word_vector)a >> bits);
}

static inline words word_multiply_low(words a, words b)
{
    return _mm256_mul_epu32(a, b);
}

static inline words real_bits(reals a)
{
    return _mm256_castpd_si256(a);
}

static inline reals real_from_bits(words a)
{
    return _mm256_castsi256_pd(a);
}

/* ---- Masks ----------------------------------------------------------------------------------- */

static inline mask mask_all(void)
{
    return _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
}

static inline mask mask_less(reals a, reals b)
{
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}

static inline mask mask_less_or_equal(reals a, reals b)
{
    return _mm256_cmp_pd(a, b, _CMP_LE_OQ);
}

static inline mask mask_and(mask a, mask b)
{
    return _mm256_and_pd(a, b);
}

static inline mask mask_second_bit(words a)
{
    return (mask)((word_vector)a << 62);
}

static inline reals real_select(mask chosen, reals a, reals b)
{
    return _mm256_blendv_pd(b, a, chosen);
}

#endif
