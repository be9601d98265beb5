/*
 * The products of the kernels in pairs by vdpbf16ps for a handful of rows, which would leave most
 * lanes idle: scores with keys in the lanes, outputs with columns of the values in them. Each
 * number goes through the same chain of instructions as in pairs_dot.h, and so has the same bits.
 * Keys and values are read once, in whole vectors.
 */
#ifndef QKV_ATTENTION_PAIRS_FEW_H
#define QKV_ATTENTION_PAIRS_FEW_H

#include "attention/x86/pairs_rows.h"

enum {
    AHEAD = 32, /* keys between what is asked for and what is used */
    FEW = 8,    /* rows at most */
    FOUR = 4,   /* rows that are turned at once */
    HELD = 16,  /* vectors of sums of outputs in registers */
};

/* Of 16 columns of four rows: 16 rows of four, number 4 q + k in quarter q of v[k]. */
static inline void turn_four(__m512 v[FOUR])
{
    const __m512 a = _mm512_unpacklo_ps(v[0], v[1]), b = _mm512_unpackhi_ps(v[0], v[1]);
    const __m512 c = _mm512_unpacklo_ps(v[2], v[3]), d = _mm512_unpackhi_ps(v[2], v[3]);
    v[0] = (__m512)_mm512_unpacklo_pd((__m512d)a, (__m512d)c);
    v[1] = (__m512)_mm512_unpackhi_pd((__m512d)a, (__m512d)c);
    v[2] = (__m512)_mm512_unpacklo_pd((__m512d)b, (__m512d)d);
    v[3] = (__m512)_mm512_unpackhi_pd((__m512d)b, (__m512d)d);
}

/* Scores of 16 keys, `key` the first, of which `count` are there. */
static inline __attribute__((always_inline)) void score_few(const size_t rows, const bench *b,
                                                            const tile *t, const qkv__matrix *m,
                                                            size_t key, size_t count, float *score)
{
    __m512 sum[FEW];
    for (size_t i = 0; i < LANES; i++) fetch_row(m, key + AHEAD + i, b->width);
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++) sum[r] = _mm512_setzero_ps();
    for (size_t d = 0; d < b->width; d += PART) {
        __m512i v[LANES];
        for (size_t i = 0; i < LANES; i++) v[i] = load_unless(i >= count, m, key + i, d, b->width);
        turn(v);
        const uint32_t *query = t->pairs + d / 2 * t->columns;
#pragma GCC unroll 16
        for (size_t p = 0; p < LANES; p++, query += t->columns)
#pragma GCC unroll 8
            for (size_t r = 0; r < rows; r++)
                sum[r] = _mm512_dpbf16_ps(sum[r], as_bf16(v[p]),
                                          as_bf16(_mm512_set1_epi32((int)query[r])));
    }
#pragma GCC unroll 2
    for (size_t r = 0; r < rows; r += FOUR) {
        _Alignas(64) float turned[FOUR][LANES];
        turn_four(sum + r);
        for (size_t k = 0; k < FOUR; k++) _mm512_store_ps(turned[k], sum[r + k]);
        for (size_t i = 0; i < at_most(count, LANES); i++)
            memcpy(score + i * t->columns + r, &turned[i % FOUR][i / FOUR * FOUR],
                   FOUR * sizeof(float));
    }
}

/* o = o f + sum for 16 columns of the values, d the first, and four rows. */
static inline void add_few(tile *t, size_t d, size_t row, __m512 sum[FOUR], const float *factor)
{
    const __m128 f = _mm_load_ps(factor + row);
    turn_four(sum);
#pragma GCC unroll 4
    for (size_t k = 0; k < FOUR; k++) {
        _Alignas(64) float turned[LANES];
        _mm512_store_ps(turned, sum[k]);
        for (size_t q = 0; q < LANES / FOUR; q++) {
            float *to = t->output + (d + FOUR * q + k) * t->columns + row;
            _mm_storeu_ps(to, _mm_fmadd_ps(_mm_loadu_ps(to), f, _mm_load_ps(turned + FOUR * q)));
        }
    }
}

/* Outputs in `parts` times 32 columns from d on, from `count` keys, `key` the first. Values of keys
 * that are hidden from a row alone are not looked at. */
static inline __attribute__((always_inline)) void weigh_few(const size_t rows, const size_t parts,
                                                            const bench *b, tile *t, const slot *s,
                                                            const qkv__matrix *m, size_t key,
                                                            size_t count, size_t d)
{
    const __m512i front = interleaving_front(), back = interleaving_back();
    const float *score = b->alone ? s->score : NULL;
    __m512 sum[HELD / FOUR][FEW]; /* by columns, then rows */
#pragma GCC unroll 4
    for (size_t i = 0; i < 2 * parts; i++)
#pragma GCC unroll 8
        for (size_t r = 0; r < rows; r++) sum[i][r] = _mm512_setzero_ps();
    for (size_t j = 0; j < count; j += 2) {
        const bool hidden = is_hidden(score, t->columns, j);
        const bool next_hidden = j + 1 == count || is_hidden(score, t->columns, j + 1);
        const uint32_t *weight = s->weight + j / 2 * t->columns;
        if (d == 0) {
            fetch_row(m, key + j + AHEAD, b->value_width);
            fetch_row(m, key + j + 1 + AHEAD, b->value_width);
        }
#pragma GCC unroll 2
        for (size_t i = 0; i < parts; i++) {
            const size_t at = d + i * PART;
            const __m512i even = load_unless(hidden, m, key + j, at, b->value_width);
            const __m512i odd = load_unless(next_hidden, m, key + j + 1, at, b->value_width);
            const __m512i low = _mm512_permutex2var_epi16(even, front, odd);
            const __m512i high = _mm512_permutex2var_epi16(even, back, odd);
#pragma GCC unroll 8
            for (size_t r = 0; r < rows; r++) {
                const __m512i p = _mm512_set1_epi32((int)weight[r]);
                sum[2 * i][r] = _mm512_dpbf16_ps(sum[2 * i][r], as_bf16(p), as_bf16(low));
                sum[2 * i + 1][r] = _mm512_dpbf16_ps(sum[2 * i + 1][r], as_bf16(p), as_bf16(high));
            }
        }
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < 2 * parts; i++)
#pragma GCC unroll 2
        for (size_t r = 0; r < rows; r += FOUR) add_few(t, d + i * LANES, r, sum[i] + r, s->factor);
}

static inline __attribute__((always_inline)) void use_few(const size_t rows, const bench *b,
                                                          tile *t, const slot *s,
                                                          const qkv__matrix *m, size_t key,
                                                          size_t count)
{
    const size_t parts = HELD / 2 / rows;
    size_t d = 0;
    for (; d + parts * PART <= b->value_padded; d += parts * PART)
        weigh_few(rows, parts, b, t, s, m, key, count, d);
    for (; d < b->value_padded; d += PART) weigh_few(rows, 1, b, t, s, m, key, count, d);
}

/* Scores of `count` keys, `key` the first, in the slot. */
static void multiply_few_keys(const bench *b, const tile *t, const slot *s, const qkv__matrix *m,
                              size_t key, size_t count)
{
    for (size_t j = 0; j < count; j += LANES)
        if (t->rows <= FOUR)
            score_few(FOUR, b, t, m, key + j, count - j, s->score + j * t->columns);
        else
            score_few(FEW, b, t, m, key + j, count - j, s->score + j * t->columns);
}

/* Outputs from the weights of `count` keys in the slot. */
static void multiply_few_values(const bench *b, tile *t, const slot *s, const qkv__matrix *m,
                                size_t key, size_t count)
{
    if (t->rows <= FOUR)
        use_few(FOUR, b, t, s, m, key, count);
    else
        use_few(FEW, b, t, s, m, key, count);
}

#endif
