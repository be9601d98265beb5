/*
 * The tiles of attention/x86/pairs_tiles.h without AMX: the same names, the arithmetic of the
 * manual in AVX-512, so that the kernel that uses them can be tested on any CPU that has vdpbf16ps.
 * The caller has set the mode in which subnormal numbers are flushed.
 */
#ifndef TESTS_KERNELS_TILES_EMULATED_H
#define TESTS_KERNELS_TILES_EMULATED_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* NaN until they are configured, so that a missing configuration shows. */
static _Thread_local __m512i tile_register[8][16];

static void tiles_fill(int byte)
{
    memset(tile_register, byte, sizeof tile_register);
}

static inline void tiles_begin(void)
{
    tiles_fill(0);
}

static inline void tiles_end(void)
{
    tiles_fill(0xff);
}

static inline void tile_zero(int sum)
{
    memset(tile_register[sum], 0, sizeof tile_register[sum]);
}

static inline void tile_load(int number, const void *from, size_t bytes)
{
    for (size_t i = 0; i < 16; i++)
        tile_register[number][i] = _mm512_loadu_si512((const unsigned char *)from + i * bytes);
}

static inline void tile_store(int sum, void *to, size_t bytes)
{
    for (size_t i = 0; i < 16; i++)
        _mm512_storeu_si512((unsigned char *)to + i * bytes, tile_register[sum][i]);
}

/* The first and the second numbers of pairs. */
static inline __m512 tile_first(__m512i pairs)
{
    return (__m512)_mm512_slli_epi32(pairs, 16);
}

static inline __m512 tile_second(__m512i pairs)
{
    return (__m512)_mm512_and_si512(pairs, _mm512_set1_epi32((int)0xffff0000u));
}

static inline void tile_multiply(int sum)
{
    const __m512i *left = tile_register[4 + sum / 2], *right = tile_register[6 + sum % 2];
    for (size_t row = 0; row < 16; row++) {
        __m512 even = _mm512_setzero_ps(), odd = _mm512_setzero_ps();
        for (size_t k = 0; k < 16; k++) {
            const __m512i pair = _mm512_permutexvar_epi32(_mm512_set1_epi32((int)k), left[row]);
            even = _mm512_fmadd_ps(tile_first(pair), tile_first(right[k]), even);
            odd = _mm512_fmadd_ps(tile_second(pair), tile_second(right[k]), odd);
        }
        tile_register[sum][row] =
            (__m512i)_mm512_add_ps((__m512)tile_register[sum][row], _mm512_add_ps(even, odd));
    }
}

#endif
