/*
 * Reading stored numbers 16 at a time, for the AVX-512 kernel in single precision: widening them
 * to f32, and turning 16 rows of keys so that keys lie in lanes. See lanes_decode.h.
 */
#ifndef QKV_ATTENTION_X86_LANES_WIDE_AVX512_F32_H
#define QKV_ATTENTION_X86_LANES_WIDE_AVX512_F32_H

#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include <qkv/tensor.h>

#include "attention/lanes_product.h"

#define LANES_WIDE /* says to the template that this file is there */

/* Whether lanes_widen reads numbers of this type. */
static inline bool lanes_widens(qkv_type type)
{
    return type == QKV_F32 || type == QKV_F16 || type == QKV_BF16 || type == QKV_I8;
}

/* LANES numbers of one of those types, which is a constant where this is inlined. */
static inline lanes lanes_widen(const qkv_type type, const unsigned char *from)
{
    if (type == QKV_F16) return (lanes)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)from));
    if (type == QKV_BF16) {
        const __m512i words = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)from));
        return (lanes)_mm512_slli_epi32(words, 16);
    }
    if (type == QKV_I8)
        return (lanes)_mm512_cvtepi32_ps(
            _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)from)));
    return (lanes)_mm512_loadu_ps(from);
}

/* LANES numbers, rounded to nearest even, as numbers of one of the types QKV_F32, QKV_F16 and
 * QKV_BF16, which is a constant where this is inlined. A NaN has no digits but the first: see
 * plain_nan. */
static inline void lanes_narrow(const qkv_type type, lanes value, unsigned char *to)
{
    if (type == QKV_F32) {
        _mm512_storeu_ps(to, (__m512)value);
        return;
    }
    if (type == QKV_F16) {
        const __m256i words = _mm512_cvtps_ph((__m512)value, _MM_FROUND_TO_NEAREST_INT);
        _mm256_storeu_si256((__m256i *)to, words);
        return;
    }
    const __m512i bits = _mm512_castps_si512((__m512)value);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i sum = _mm512_add_epi32(_mm512_add_epi32(bits, odd), _mm512_set1_epi32(0x7fff));
    _mm256_storeu_si256((__m256i *)to, _mm512_cvtepi32_epi16(_mm512_srli_epi32(sum, 16)));
}

typedef __m512i lane_units; /* 16 units of four bytes, which hold one, two or four numbers */

/*
 * 64 bytes of each of 16 rows, `row_bytes` apart, turned: unit[u] has the rows' units number u side
 * by side. Pairs of rows are interleaved by units, then by two units, which turns the squares of 4
 * by 4 inside the quarters of vectors; the last two steps turn the square of quarters.
 */
static inline __attribute__((always_inline)) void
lanes_turn(const unsigned char *from, ptrdiff_t row_bytes, lane_units unit[16])
{
    __m512i half[16];
    UNROLLED (quarter, 4) {
        const size_t i = 4 * quarter;
        __asm__("" : "+r"(from)); /* or the compiler keeps 16 addresses in its few registers */
        const __m512i first = _mm512_loadu_si512(from);
        const __m512i second = _mm512_loadu_si512(from + row_bytes);
        const __m512i third = _mm512_loadu_si512(from + 2 * row_bytes);
        const __m512i fourth = _mm512_loadu_si512(from + 3 * row_bytes);
        const __m512i a = _mm512_unpacklo_epi32(first, second);
        const __m512i b = _mm512_unpackhi_epi32(first, second);
        const __m512i c = _mm512_unpacklo_epi32(third, fourth);
        const __m512i d = _mm512_unpackhi_epi32(third, fourth);
        half[i] = _mm512_unpacklo_epi64(a, c);
        half[i + 1] = _mm512_unpackhi_epi64(a, c);
        half[i + 2] = _mm512_unpacklo_epi64(b, d);
        half[i + 3] = _mm512_unpackhi_epi64(b, d);
        from += 4 * row_bytes;
    }
    UNROLLED (i, 4) {
        const __m512i a = _mm512_shuffle_i32x4(half[i], half[i + 4], 0x88);
        const __m512i b = _mm512_shuffle_i32x4(half[i], half[i + 4], 0xdd);
        const __m512i c = _mm512_shuffle_i32x4(half[i + 8], half[i + 12], 0x88);
        const __m512i d = _mm512_shuffle_i32x4(half[i + 8], half[i + 12], 0xdd);
        unit[i] = _mm512_shuffle_i32x4(a, c, 0x88);
        unit[i + 4] = _mm512_shuffle_i32x4(b, d, 0x88);
        unit[i + 8] = _mm512_shuffle_i32x4(a, c, 0xdd);
        unit[i + 12] = _mm512_shuffle_i32x4(b, d, 0xdd);
    }
}

/* The numbers in 16 units: the first of each, and so on. */
static inline __attribute__((always_inline)) void lanes_part(const qkv_type type, lane_units unit,
                                                             lanes part[4])
{
    if (type == QKV_F32) {
        part[0] = (lanes)unit;
    } else if (type == QKV_BF16) {
        part[0] = (lanes)_mm512_slli_epi32(unit, 16);
        part[1] = (lanes)_mm512_and_si512(unit, _mm512_set1_epi32((int)0xffff0000u));
    } else if (type == QKV_I8) {
        UNROLLED (i, 4)
            part[i] = (lanes)_mm512_cvtepi32_ps(
                _mm512_srai_epi32(_mm512_slli_epi32(unit, 24 - 8 * (unsigned)i), 24));
    } else if (type == QKV_F16) {
        const __m512i even_odd =
            _mm512_set_epi16(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1, //
                             30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
        const __m512i parted = _mm512_permutexvar_epi16(even_odd, unit);
        part[0] = (lanes)_mm512_cvtph_ps(_mm512_castsi512_si256(parted));
        part[1] = (lanes)_mm512_cvtph_ps(_mm512_extracti64x4_epi64(parted, 1));
    }
}

#endif
