/*
 * Reading stored numbers 8 at a time, for the AVX2 kernel in single precision: widening them to
 * f32, and turning 8 rows of keys so that keys lie in lanes. See lanes_decode.h.
 */
#ifndef QKV_ATTENTION_X86_LANES_WIDE_AVX2_F32_H
#define QKV_ATTENTION_X86_LANES_WIDE_AVX2_F32_H

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
    if (type == QKV_F16) return (lanes)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from));
    if (type == QKV_BF16) {
        const __m256i words = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)from));
        return (lanes)_mm256_slli_epi32(words, 16);
    }
    if (type == QKV_I8)
        return (lanes)_mm256_cvtepi32_ps(
            _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)from)));
    return (lanes)_mm256_loadu_ps((const float *)(const void *)from);
}

/* LANES numbers, rounded to nearest even, as numbers of one of the types QKV_F32, QKV_F16 and
 * QKV_BF16, which is a constant where this is inlined. A NaN has no digits but the first: see
 * plain_nan. */
static inline void lanes_narrow(const qkv_type type, lanes value, unsigned char *to)
{
    if (type == QKV_F32) {
        _mm256_storeu_ps((float *)(void *)to, (__m256)value);
        return;
    }
    if (type == QKV_F16) {
        _mm_storeu_si128((__m128i *)to, _mm256_cvtps_ph((__m256)value, _MM_FROUND_TO_NEAREST_INT));
        return;
    }
    const __m256i bits = _mm256_castps_si256((__m256)value);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i sum = _mm256_add_epi32(_mm256_add_epi32(bits, odd), _mm256_set1_epi32(0x7fff));
    const __m256i high = _mm256_srli_epi32(sum, 16);
    const __m128i words =
        _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1));
    _mm_storeu_si128((__m128i *)to, words);
}

typedef __m256i lane_units; /* 8 units of four bytes, which hold one, two or four numbers */

static inline __m256i lanes_row(const unsigned char *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

/*
 * 32 bytes of each of 8 rows, `row_bytes` apart, turned: unit[u] has the rows' units number u side
 * by side. Pairs of rows are interleaved by units, then by two units, which turns the squares of 4
 * by 4 inside the halves of vectors; the last step turns the square of halves.
 */
static inline __attribute__((always_inline)) void
lanes_turn(const unsigned char *from, ptrdiff_t row_bytes, lane_units unit[8])
{
    __m256i half[8];
    UNROLLED (quarter, 2) {
        const size_t i = 4 * quarter;
        __asm__("" : "+r"(from)); /* or the compiler keeps 8 addresses in its few registers */
        const __m256i first = lanes_row(from), second = lanes_row(from + row_bytes);
        const __m256i third = lanes_row(from + 2 * row_bytes);
        const __m256i fourth = lanes_row(from + 3 * row_bytes);
        const __m256i a = _mm256_unpacklo_epi32(first, second);
        const __m256i b = _mm256_unpackhi_epi32(first, second);
        const __m256i c = _mm256_unpacklo_epi32(third, fourth);
        const __m256i d = _mm256_unpackhi_epi32(third, fourth);
        half[i] = _mm256_unpacklo_epi64(a, c);
        half[i + 1] = _mm256_unpackhi_epi64(a, c);
        half[i + 2] = _mm256_unpacklo_epi64(b, d);
        half[i + 3] = _mm256_unpackhi_epi64(b, d);
        from += 4 * row_bytes;
    }
    UNROLLED (i, 4) {
        unit[i] = _mm256_permute2x128_si256(half[i], half[i + 4], 0x20);
        unit[i + 4] = _mm256_permute2x128_si256(half[i], half[i + 4], 0x31);
    }
}

/* The numbers in 8 units: the first of each, and so on. */
static inline __attribute__((always_inline)) void lanes_part(const qkv_type type, lane_units unit,
                                                             lanes part[4])
{
    if (type == QKV_F32) {
        part[0] = (lanes)unit;
    } else if (type == QKV_BF16) {
        part[0] = (lanes)_mm256_slli_epi32(unit, 16);
        part[1] = (lanes)_mm256_and_si256(unit, _mm256_set1_epi32((int)0xffff0000u));
    } else if (type == QKV_I8) {
        UNROLLED (i, 4)
            part[i] = (lanes)_mm256_cvtepi32_ps(
                _mm256_srai_epi32(_mm256_slli_epi32(unit, 24 - 8 * (int)i), 24));
    } else if (type == QKV_F16) {
        const __m256i even_odd = _mm256_broadcastsi128_si256(
            _mm_set_epi8(15, 14, 11, 10, 7, 6, 3, 2, 13, 12, 9, 8, 5, 4, 1, 0));
        const __m256i parted = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(unit, even_odd), 0xd8);
        part[0] = (lanes)_mm256_cvtph_ps(_mm256_castsi256_si128(parted));
        part[1] = (lanes)_mm256_cvtph_ps(_mm256_extracti128_si256(parted, 1));
    }
}

#endif
