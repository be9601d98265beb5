/*
 * The tiles of AMX, as far as the kernel in pairs uses them: eight registers of 16 rows of 64
 * bytes. Tiles 0 to 3 hold sums (16 x 16 floats), 4 and 5 left factors (16 rows of 16 pairs), 6 and
 * 7 right factors (16 pairs by 16 columns); sum 2 i + j belongs to left factor i and right factor
 * j. The numbers of tiles are part of the instructions, so they must be constants where these are
 * inlined.
 *
 * What tile_multiply does to each sum c, for pairs (a_k, a'_k) and (b_k, b'_k) of a row and a
 * column (Intel's manual, volume 2, TDPBF16PS): with fused multiply-adds in single precision,
 * rounded to nearest even, subnormal numbers taken as and flushed to 0,
 *
 *     e = 0,  e = a_k b_k + e for k = 0..15;  o = 0,  o = a'_k b'_k + o;  c = c + (e + o)
 */
#ifndef QKV_ATTENTION_PAIRS_TILES_H
#define QKV_ATTENTION_PAIRS_TILES_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

/* gcc's tile instructions do not tell it which memory they touch: with this before a load and
 * behind a store, it keeps its own accesses on their side. */
static inline void settle(void)
{
    __asm__ volatile("" : : : "memory");
}

/* Operand of ldtilecfg: Intel's manual, volume 1, chapter 18. */
static inline void tiles_begin(void)
{
    struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t row_bytes[16];
        uint8_t rows[16];
    } configuration = {.palette = 1};
    for (int i = 0; i < 8; i++) {
        configuration.rows[i] = 16;
        configuration.row_bytes[i] = 64;
    }
    __asm__ volatile("" : : "r"(&configuration) : "memory");
    _tile_loadconfig(&configuration);
}

static inline void tiles_end(void)
{
    _tile_release();
}

static inline __attribute__((always_inline)) void tile_zero(const int sum)
{
    switch (sum) {
    case 0: _tile_zero(0); break;
    case 1: _tile_zero(1); break;
    case 2: _tile_zero(2); break;
    default: _tile_zero(3); break;
    }
}

/* From rows that lie `bytes` apart. */
static inline __attribute__((always_inline)) void tile_load(const int number, const void *from,
                                                            size_t bytes)
{
    settle();
    switch (number) {
    case 0: _tile_loadd(0, from, bytes); break;
    case 1: _tile_loadd(1, from, bytes); break;
    case 2: _tile_loadd(2, from, bytes); break;
    case 3: _tile_loadd(3, from, bytes); break;
    case 4: _tile_loadd(4, from, bytes); break;
    case 5: _tile_loadd(5, from, bytes); break;
    case 6: _tile_loadd(6, from, bytes); break;
    default: _tile_loadd(7, from, bytes); break;
    }
}

static inline __attribute__((always_inline)) void tile_store(const int sum, void *to, size_t bytes)
{
    switch (sum) {
    case 0: _tile_stored(0, to, bytes); break;
    case 1: _tile_stored(1, to, bytes); break;
    case 2: _tile_stored(2, to, bytes); break;
    default: _tile_stored(3, to, bytes); break;
    }
    settle();
}

/* sum += its left factor times its right factor */
static inline __attribute__((always_inline)) void tile_multiply(const int sum)
{
    switch (sum) {
    case 0: _tile_dpbf16ps(0, 4, 6); break;
    case 1: _tile_dpbf16ps(1, 4, 7); break;
    case 2: _tile_dpbf16ps(2, 5, 6); break;
    default: _tile_dpbf16ps(3, 5, 7); break;
    }
}

#endif
