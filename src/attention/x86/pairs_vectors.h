/*
 * Vectors for the kernels in pairs: exponentials, rounding to pairs of bf16, turning squares of 16
 * numbers. In AVX-512, with its conversions to bf16; it knows nothing of attention.
 *
 * A pair is two bf16 in 32 bits, the first in the low half: neighbours along the axis that a
 * product sums over. A vector holds the pairs of 16 lanes.
 */
#ifndef QKV_ATTENTION_PAIRS_VECTORS_H
#define QKV_ATTENTION_PAIRS_VECTORS_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES = 16 };

/* ---- The mode of the arithmetic ----------------------------------------------------------- */

/*
 * The products flush subnormal numbers whatever the mode is; the rest is brought to the same mode,
 * in which such numbers cost nothing, and to rounding to nearest, whatever the caller uses.
 */
static inline unsigned enter_mode(void)
{
    const unsigned before = _mm_getcsr();
    _mm_setcsr(0x9fc0); /* flush results, flush operands, no exceptions */
    return before;
}

static inline void leave_mode(unsigned before)
{
    _mm_setcsr(before);
}

/* ---- Exponentials ------------------------------------------------------------------------- */

/*
 * 2^x, lane by lane: exactly 1 for 0, 0 below the normal numbers and for -infinity, NaN for NaN.
 * x is cut into floor(x) and the rest r in [0, 1), for which the polynomial has the least relative
 * error (3e-6: a thousandth of what rounding to bf16 brings) among those that give 1 at 0.
 */
static inline __m512 exponential(__m512 x)
{
    enum { FLOOR_QUIETLY = 0x09 };
    const __m512 r = _mm512_reduce_ps(x, FLOOR_QUIETLY);
    __m512 p = _mm512_set1_ps(0x1.b7f754p-7f);
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.abf85ap-5f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.ee2452p-3f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.62d6c6p-1f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f));
    return _mm512_scalef_ps(p, x); /* p 2^floor(x) */
}

/* ---- Pairs -------------------------------------------------------------------------------- */

static inline __m512bh as_bf16(__m512i pairs)
{
    return (__m512bh)pairs;
}

/* The places of 32 numbers a0..a15, b0..b15 in the order a0, b0, a1, b1, ... */
static inline __m512i interleaving(void)
{
    static const uint16_t places[32] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                        21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                        11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    return _mm512_loadu_si512(places);
}

/* The places of pairs of two vectors of 32 numbers, for _mm512_permutex2var_epi16: a0, b0, a1, ...
 * of the first 16 of each, and of the last 16. */
static inline __m512i interleaving_front(void)
{
    return _mm512_add_epi16(interleaving(), _mm512_set1_epi32(LANES << 16));
}

static inline __m512i interleaving_back(void)
{
    return _mm512_add_epi16(interleaving_front(), _mm512_set1_epi16(LANES));
}

/* Pairs of the two vectors' numbers, rounded to nearest even. */
static inline __m512i round_to_pairs(__m512 first, __m512 second, __m512i order)
{
    return _mm512_permutexvar_epi16(order, (__m512i)_mm512_cvtne2ps_pbh(second, first));
}

/* sum + first + second, of pairs */
static inline __m512 add_pairs(__m512 sum, __m512i pairs)
{
    const __m512i ones = _mm512_set1_epi32(0x3f803f80);
    return _mm512_dpbf16_ps(sum, as_bf16(pairs), as_bf16(ones));
}

/* ---- Squares ------------------------------------------------------------------------------ */

/* Rows of 16 become columns. */
static inline void turn(__m512i v[16])
{
    __m512i w[16];
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 2) { /* squares of 2, inside each quarter */
        w[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
        w[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 16;
         i += 4) { /* of 4: v[i + k] has column 4 q + k of rows i.. in quarter q */
        v[i] = _mm512_unpacklo_epi64(w[i], w[i + 2]);
        v[i + 1] = _mm512_unpackhi_epi64(w[i], w[i + 2]);
        v[i + 2] = _mm512_unpacklo_epi64(w[i + 1], w[i + 3]);
        v[i + 3] = _mm512_unpackhi_epi64(w[i + 1], w[i + 3]);
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) { /* quarters change places */
        w[k] = _mm512_shuffle_i32x4(v[k], v[k + 4], 0x88);
        w[k + 4] = _mm512_shuffle_i32x4(v[k + 8], v[k + 12], 0x88);
        w[k + 8] = _mm512_shuffle_i32x4(v[k], v[k + 4], 0xdd);
        w[k + 12] = _mm512_shuffle_i32x4(v[k + 8], v[k + 12], 0xdd);
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        v[k] = _mm512_shuffle_i32x4(w[k], w[k + 4], 0x88);
        v[k + 8] = _mm512_shuffle_i32x4(w[k], w[k + 4], 0xdd);
        v[k + 4] = _mm512_shuffle_i32x4(w[k + 8], w[k + 12], 0x88);
        v[k + 12] = _mm512_shuffle_i32x4(w[k + 8], w[k + 12], 0xdd);
    }
}

#endif
