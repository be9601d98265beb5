/*
 * The outputs of up to 16 rows by AMX, where transposing values, as pairs_amx.h does for many rows,
 * would cost more than all the rest. Here the weights are the left factor, turned because they are
 * few, and the values the right one, two rows of them interleaved: a fifth of the shuffles.
 *
 * Until the segment ends, o lies row by row: (16, padded value_width). Each number sums the same
 * products in the same order as in pairs_amx.h, which includes this, and so has the same bits.
 */
#ifndef QKV_ATTENTION_PAIRS_AMX_FEW_H
#define QKV_ATTENTION_PAIRS_AMX_FEW_H

#include <assert.h>

#include "attention/x86/pairs_rows.h"

enum {
    WIDE = 4 * SIDE, /* columns of o at once: four tiles of sums */
    AHEAD = 64,      /* keys between what is asked for and what is used */
};

/* The memory for values holds the weights of a block, then a step of values. */
static_assert((BLOCK / STEP + WIDE / SIDE) * SQUARE <= BLOCK * PART, "room for both");

/* The weights of one step, a row of the tile for each row. */
static void turn_weights(const uint32_t *weight, uint16_t *to)
{
    __m512i v[LANES];
    for (size_t i = 0; i < LANES; i++) v[i] = _mm512_loadu_si512(weight + i * LANES);
    turn(v);
    for (size_t i = 0; i < LANES; i++) _mm512_storeu_si512(to + i * PART, v[i]);
}

/* 32 columns of the values of a step, from d on, in pairs of keys: two tiles. `there` has a bit for
 * each key whose values count. */
static inline void pair_values(const bench *b, const qkv__matrix *m, size_t key, uint32_t there,
                               size_t d, uint16_t *to)
{
    const __m512i front = interleaving_front(), back = interleaving_back();
    const bool whole = there == 0xffffffffu && m->column == 1 && d + PART <= b->value_width;
    const uint16_t *from = (const uint16_t *)m->data + (ptrdiff_t)key * m->row + (ptrdiff_t)d;
    for (size_t i = 0; i < STEP; i += 2, to += PART) {
        __m512i even, odd;
        if (whole) {
            even = _mm512_loadu_si512(from + (ptrdiff_t)i * m->row);
            odd = _mm512_loadu_si512(from + (ptrdiff_t)(i + 1) * m->row);
        } else {
            even = load_unless((there >> i & 1) == 0, m, key + i, d, b->value_width);
            odd = load_unless((there >> i & 2) == 0, m, key + i + 1, d, b->value_width);
        }
        _mm512_storeu_si512(to, _mm512_permutex2var_epi16(even, front, odd));
        _mm512_storeu_si512(to + SQUARE, _mm512_permutex2var_epi16(even, back, odd));
    }
}

static void fetch_step(const qkv__matrix *m, size_t key, size_t width)
{
    for (size_t i = 0; i < STEP; i++) fetch_row(m, key + i, width);
}

/* 32 or 64 columns of o, `parts` times 32, take the values of one step. */
static inline __attribute__((always_inline)) void
multiply_few(const size_t parts, const uint16_t *weight, const uint16_t *value)
{
#pragma GCC unroll 2
    for (size_t p = 0; p < parts; p++, value += 2 * SQUARE) {
        const int left = (int)p;
        tile_load(LEFT + left, weight, PART * sizeof *weight);
        tile_load(RIGHT, value, PART * sizeof *value);
        tile_load(RIGHT + 1, value + SQUARE, PART * sizeof *value);
        tile_multiply(2 * left);
        tile_multiply(2 * left + 1);
    }
}

/* Which values of the step at offset j of an item count: a bit each. */
static uint32_t there_at(const bench *b, item of, size_t j)
{
    const size_t count = at_most(of.end - j, STEP);
    if (!b->alone) return 0xffffffffu >> (STEP - count);
    uint32_t there = 0;
    for (size_t i = 0; i < count; i++)
        there |= (uint32_t)!is_hidden(of.slot->score, LANES, j - of.begin + i) << i;
    return there;
}

static inline __attribute__((always_inline)) void use_few_at(const size_t parts, const bench *b,
                                                             const qkv__matrix *value, item of,
                                                             size_t d, background *work)
{
    const uint16_t *weight = b->value;
    uint16_t *step = b->value + BLOCK / STEP * SQUARE;
    float *output = of.rows->output + d;
    const size_t bytes = b->value_padded * sizeof *output;
#pragma GCC unroll 4
    for (int i = 0; i < 2 * (int)parts; i++) tile_load(i, output + i * SIDE, bytes);
    for (size_t j = of.begin; j < of.begin + of.count; j += STEP, weight += SQUARE) {
        const uint32_t there = there_at(b, of, j);
        if (d == 0) fetch_step(value, of.first + j + AHEAD, b->value_width);
#pragma GCC unroll 2
        for (size_t p = 0; p < parts; p++)
            pair_values(b, value, of.first + j, there, d + p * PART, step + 2 * p * SQUARE);
        multiply_few(parts, weight, step);
        work_on(work);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 2 * (int)parts; i++) tile_store(i, output + i * SIDE, bytes);
}

/* The outputs of an item. */
static void use_few(const bench *b, const qkv__matrix *value, item of, background *work)
{
    if (b->value_padded == 0) return; /* nor is there room for weights */
    for (size_t j = 0; j < of.count; j += STEP)
        turn_weights(of.slot->weight + j / 2 * LANES, b->value + j / STEP * SQUARE);
    size_t d = 0;
    for (; d + WIDE <= b->value_padded; d += WIDE) use_few_at(2, b, value, of, d, work);
    if (d < b->value_padded) use_few_at(1, b, value, of, d, work);
}

/* o = o f, row by row. */
static void rescale_few(const bench *b, item of)
{
    for (size_t row = 0; row < LANES; row++) {
        const __m512 f = _mm512_set1_ps(of.slot->factor[row]);
        float *output = of.rows->output + row * b->value_padded;
        if (of.slot->factor[row] == 1.0f) continue;
        for (size_t d = 0; d < b->value_padded; d += LANES)
            _mm512_storeu_ps(output + d, _mm512_mul_ps(_mm512_loadu_ps(output + d), f));
    }
}

/* o, with rows in the lanes again. */
static void turn_outputs(const bench *b, const tile *t)
{
    float *rows = (float *)(void *)b->value;
    memcpy(rows, t->output, b->value_padded * LANES * sizeof *rows);
    for (size_t d = 0; d < b->value_padded; d += LANES) {
        __m512i v[LANES];
        for (size_t i = 0; i < LANES; i++)
            v[i] = _mm512_loadu_si512(rows + i * b->value_padded + d);
        turn(v);
        for (size_t i = 0; i < LANES; i++) _mm512_storeu_si512(t->output + (d + i) * LANES, v[i]);
    }
}

#endif
