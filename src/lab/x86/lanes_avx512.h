/*
 * Eight lanes for CPUs with AVX-512 F and DQ. See lanes_portable.h, whose
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

enum { LANES = 8 };

typedef __m512d reals;
typedef __m512i words;
typedef uint64_t word_vector __attribute__((vector_size(64)));
typedef __mmask8 mask;

/* ---- Reals ----------------------------------------------------------------------------------- */

static inline reals real_load(const double *from)
{
    return _mm512_loadu_pd(from);
}

static inline void real_store(double *to, reals a)
{
    _mm512_storeu_pd(to, a);
}

static inline reals real_all(double a)
{
    return _mm512_set1_pd(a);
}

static inline reals real_add(reals a, reals b)
{
    return _mm512_add_pd(a, b);
}

static inline reals real_subtract(reals a, reals b)
{
    return _mm512_sub_pd(a, b);
}

static inline reals real_multiply(reals a, reals b)
{
    return _mm512_mul_pd(a, b);
}

static inline reals real_divide(reals a, reals b)
{
    return _mm512_div_pd(a, b);
}

static inline reals real_root(reals a)
{
    return _mm512_sqrt_pd(a);
}

static inline reals real_max(reals a, reals b)
{
    return _mm512_max_pd(a, b);
}

static inline reals real_min(reals a, reals b)
{
    return _mm512_min_pd(a, b);
}

/* ---- Words of 64 bits ------------------------------------------------------------------------ */

static inline words word_all(uint64_t a)
{
    return _mm512_set1_epi64((long long)a);
}

static inline words word_count_from(uint64_t first)
{
    return _mm512_add_epi64(word_all(first), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
}

static inline words word_add(words a, words b)
{
    return _mm512_add_epi64(a, b);
}

static inline words word_and(words a, words b)
{
    return _mm512_and_si512(a, b);
}

static inline words word_or(words a, words b)
{
    return _mm512_or_si512(a, b);
}

static inline words word_xor(words a, words b)
{
    return _mm512_xor_si512(a, b);
}

static inline words word_xor3(words a, words b, words c)
{
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

static inline words word_and_or(words a, words b, words c)
{
    return _mm512_ternarylogic_epi64(a, b, c, 0xea);
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
    return _mm512_mul_epu32(a, b);
}

static inline words real_bits(reals a)
{
    return _mm512_castpd_si512(a);
}

static inline reals real_from_bits(words a)
{
    return _mm512_castsi512_pd(a);
}

/* ---- Masks ----------------------------------------------------------------------------------- */

static inline mask mask_all(void)
{
    return 0xff;
}

static inline mask mask_less(reals a, reals b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}

static inline mask mask_less_or_equal(reals a, reals b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}

static inline mask mask_and(mask a, mask b)
{
    return (mask)(a & b);
}

static inline mask mask_second_bit(words a)
{
    return _mm512_test_epi64_mask(a, word_all(2));
}

static inline reals real_select(mask chosen, reals a, reals b)
{
    return _mm512_mask_blend_pd(chosen, b, a);
}

#endif
