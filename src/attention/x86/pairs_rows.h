/*
 * The rows of a task for the kernels in pairs: where they lie, what they may look at, their masks
 * and the state of their softmax. Included by the products (pairs_dot.h, pairs_amx.h), which say
 * how large tiles and blocks are; the task, where the algorithm is told, is in pairs_template.c.
 *
 * The includer defines VECTORS (of rows in a tile), TILES (in a task), BLOCK (keys), STEP (keys
 * that the products take at once, a divisor of BLOCK), START (a tile's keys begin at a multiple of
 * it; those left out are masked, and would have added zeros) and SLOTS (blocks of scores in work).
 */
#ifndef QKV_ATTENTION_PAIRS_ROWS_H
#define QKV_ATTENTION_PAIRS_ROWS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "attention/kernel.h"
#include "attention/x86/pairs_vectors.h"
#include "base/number.h"

#define REAL float
#define REAL_TYPE QKV_F32

enum {
    SEGMENT = 1024,
    TILE = VECTORS * LANES,
    PART = 2 * LANES, /* numbers of a vector of pairs; widths are padded to a multiple */
};

#include "attention/tile.h"

/* How far scores may rise above h before h follows: p is 2^SLACK at most, e^SLACK in staged scores,
 * which bf16 holds as well as 1, and o is hardly ever rescaled. */
#define SLACK 8.0f

/* Scores and weights of a tile over a block. */
typedef struct slot {
    float *score;                    /* (BLOCK, columns): s */
    uint32_t *weight;                /* (BLOCK / 2, columns): p, in pairs of keys */
    _Alignas(64) float top[TILE];    /* the largest s of each row */
    _Alignas(64) float addend[TILE]; /* p = 2^(c s + addend) */
    _Alignas(64) float factor[TILE]; /* f: what o and l of the blocks before are multiplied by */
} slot;

/* A worker's memory. */
typedef struct bench {
    size_t width, value_width;
    size_t padded, value_padded; /* multiples of PART */
    float c;                     /* p = 2^(c s - ...) */
    float unit;                  /* h times unit is a logarithm to base 2 */
    bool staged;                 /* more is done to scores than to scale them, or they are masked */
    bool alone;                  /* one row, of which masked values count as 0 */
    bool exact;                  /* the log-sum-exp is wanted */
    uint16_t *key;   /* (BLOCK, padded): copied where the caller's cannot be read in place */
    uint16_t *value; /* a block, as the products want it */
    slot slots[SLOTS];
    tile tiles[TILES];
} bench;

/* ---- Loading ------------------------------------------------------------------------------ */

/* Numbers at to at + 31 of a row of bf16, zeros from `width` on. */
static inline __m512i load_part(const qkv__matrix *m, size_t row, size_t at, size_t width)
{
    const size_t count = at_most(width - at, PART);
    const uint16_t *from =
        (const uint16_t *)m->data + (ptrdiff_t)row * m->row + (ptrdiff_t)at * m->column;
    if (m->column == 1) return _mm512_maskz_loadu_epi16(0xffffffffu >> (PART - count), from);
    uint16_t copy[PART] = {0};
    for (size_t i = 0; i < count; i++) copy[i] = from[(ptrdiff_t)i * m->column];
    return _mm512_loadu_si512(copy);
}

/* Zeros for a row that is hidden. */
static inline __m512i load_unless(bool hidden, const qkv__matrix *m, size_t row, size_t at,
                                  size_t width)
{
    return hidden ? _mm512_setzero_si512() : load_part(m, row, at, width);
}

/* Whether key j is masked for the row of lane 0, going by its score; never without scores. */
static inline bool is_hidden(const float *score, size_t columns, size_t j)
{
    return score != NULL && score[j * columns] == -INFINITY;
}

/* Asks for a row that will be loaded soon. */
static inline void fetch_row(const qkv__matrix *m, size_t row, size_t width)
{
    const char *from = (const char *)((const uint16_t *)m->data + (ptrdiff_t)row * m->row);
    if (m->column != 1) return;
    for (size_t i = 0; i < width * sizeof(uint16_t); i += 64) _mm_prefetch(from + i, _MM_HINT_T0);
}

/* The queries of 16 lanes, turned; zeros in lanes beyond the rows. */
static void take_vector(const bench *b, tile *t, size_t lane)
{
    for (size_t d = 0; d < b->width; d += PART) {
        __m512i v[LANES];
        for (size_t i = 0; i < LANES; i++)
            v[i] = t->head[lane + i] == NULL
                       ? _mm512_setzero_si512()
                       : load_part(&t->head[lane + i]->query, t->query[lane + i], d, b->width);
        turn(v);
        for (size_t i = 0; i < LANES; i++)
            _mm512_storeu_si512(t->pairs + (d / 2 + i) * t->columns + lane, v[i]);
    }
}

static void take_queries(const bench *b, tile *t)
{
    for (size_t lane = 0; lane < t->rows; lane++)
        fetch_row(&t->head[lane]->query, t->query[lane], b->width);
    for (size_t lane = 0; lane < t->columns; lane += LANES) take_vector(b, t, lane);
}

static void begin_segment(const bench *b, tile *t)
{
    begin_state(t, b->value_padded);
}

/* How many keys of the block at `first` any tile looks at, from the first on. */
static size_t block_count(const bench *b, size_t tiles, size_t first)
{
    return tiles_range(b->tiles, tiles, first);
}

/* ---- What is done to scores --------------------------------------------------------------- */

/* ALiBi for 16 lanes, in double precision: distances may be large. */
static void add_slopes(const tile *t, float *score, size_t lane, size_t first, size_t count)
{
    _Alignas(64) double slope[LANES], position[LANES];
    for (size_t i = 0; i < LANES; i++) {
        const qkv__head *head = t->head[lane + i];
        slope[i] = head == NULL ? 0.0 : head->slope;
        position[i] = head == NULL ? 0.0 : (double)((ptrdiff_t)t->query[lane + i] + head->offset);
    }
    for (size_t j = 0; j < count; j++) {
        const __m512d key = _mm512_set1_pd((double)(first + j));
        __m512d d[2];
        for (int i = 0; i < 2; i++)
            d[i] =
                _mm512_mul_pd(_mm512_abs_pd(_mm512_sub_pd(_mm512_load_pd(position + 8 * i), key)),
                              _mm512_load_pd(slope + 8 * i));
        const __m512 both = _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(d[0])),
                                               _mm512_cvtpd_ps(d[1]), 1);
        float *at = score + j * t->columns + lane;
        _mm512_storeu_ps(at, _mm512_sub_ps(_mm512_loadu_ps(at), both));
    }
}

/* Scale, cap and ALiBi: what comes before masks. */
static void stage_scores(const tile *t, float *score, size_t first, size_t count)
{
    const qkv__head *any = t->head[0];
    const float scale = (float)any->scale, cap = (float)any->softcap;
    bool sloped = false;
    for (size_t i = 0; i < count * t->columns; i++) score[i] *= scale;
    if (cap > 0)
        for (size_t i = 0; i < count * t->columns; i++) score[i] = cap * tanhf(score[i] / cap);
    for (size_t lane = 0; lane < t->rows; lane++) sloped = sloped || t->head[lane]->slope != 0.0;
    for (size_t lane = 0; sloped && lane < t->columns; lane += LANES)
        add_slopes(t, score, lane, first, count);
}

/* 16 entries of a row of a mask as floats. A finite entry of a wider type stays finite: only
 * -infinity itself masks. Entries from `count` on may be anything. */
static __m512 load_mask(const qkv__matrix *m, size_t row, size_t at, size_t count)
{
    const __mmask16 there = (__mmask16)(0xffffu >> (LANES - at_most(count, LANES)));
    const unsigned char *from =
        (const unsigned char *)m->data +
        ((ptrdiff_t)row * m->row + (ptrdiff_t)at * m->column) * (ptrdiff_t)qkv_type_size(m->type);
    if (m->column == 1 && m->type == QKV_F32) return _mm512_maskz_loadu_ps(there, from);
    if (m->column == 1 && m->type == QKV_BF16)
        return (__m512)_mm512_slli_epi32(
            _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, from)), 16);
    if (m->column == 1 && m->type == QKV_BOOL) {
        const __m128i bytes = _mm_maskz_loadu_epi8(there, from);
        return _mm512_maskz_mov_ps(_mm_test_epi8_mask(bytes, bytes), _mm512_set1_ps(1.0f));
    }
    float copy[LANES] = {0};
    for (size_t i = 0; i < at_most(count, LANES); i++) {
        const double entry = qkv__matrix_get(m, row, at + i);
        copy[i] = (float)entry;
        if (isfinite(entry) && isinf(copy[i])) copy[i] = entry < 0 ? -FLT_MAX : FLT_MAX;
    }
    return _mm512_loadu_ps(copy);
}

/* A square of 16 lanes and up to 16 keys. */
static void mask_square(const tile *t, float *score, size_t lane, size_t key, size_t count)
{
    const bool boolean = t->head[0]->mask.type == QKV_BOOL;
    const __m512 hidden = _mm512_set1_ps(boolean ? 0.0f : -INFINITY);
    const __m512 nothing = _mm512_set1_ps(-INFINITY);
    __m512i v[LANES];
    for (size_t i = 0; i < LANES; i++)
        v[i] = t->head[lane + i] == NULL
                   ? _mm512_setzero_si512()
                   : (__m512i)load_mask(&t->head[lane + i]->mask, t->query[lane + i], key, count);
    turn(v);
    for (size_t i = 0; i < at_most(count, LANES); i++) {
        float *at = score + i * t->columns + lane;
        const __m512 entry = (__m512)v[i], s = _mm512_loadu_ps(at);
        const __m512 sum = boolean ? s : _mm512_add_ps(s, entry);
        _mm512_storeu_ps(
            at, _mm512_mask_mov_ps(sum, _mm512_cmp_ps_mask(entry, hidden, _CMP_EQ_OQ), nothing));
    }
}

static void mask_scores(const tile *t, float *score, size_t first, size_t count)
{
    for (size_t lane = 0; lane < t->columns; lane += LANES)
        for (size_t j = 0; j < count; j += LANES)
            mask_square(t, score + j * t->columns, lane, first + j, count - j);
}

/* Rows begin to end - 1 of the scores of 16 lanes get -infinity where a lane may not look,
 * without regard to what was there: it looks at [low, high). */
static void hide_rows(const tile *t, float *score, size_t begin, size_t end, __m512i low,
                      __m512i high)
{
    for (size_t j = begin; j < end; j++) {
        const __m512i row = _mm512_set1_epi32((int)j);
        const __mmask16 hidden =
            _mm512_cmplt_epi32_mask(row, low) | _mm512_cmpge_epi32_mask(row, high);
        _mm512_mask_storeu_ps(score + j * t->columns, hidden, _mm512_set1_ps(-INFINITY));
    }
}

static void hide_positions(const tile *t, float *score, size_t first, size_t count)
{
    const size_t inner = t->inner < first ? 0 : at_most(t->inner - first, count);
    const size_t inner_end = t->inner_end < first ? 0 : at_most(t->inner_end - first, count);
    for (size_t lane = 0; lane < t->columns; lane += LANES) {
        int low[LANES], high[LANES];
        for (size_t i = lane; i < lane + LANES; i++) {
            low[i - lane] = t->first[i] < first ? 0 : (int)at_most(t->first[i] - first, BLOCK);
            high[i - lane] = t->past[i] < first ? 0 : (int)at_most(t->past[i] - first, BLOCK);
        }
        const __m512i begin = _mm512_loadu_si512(low), end = _mm512_loadu_si512(high);
        hide_rows(t, score + lane, 0, inner, begin, end);
        hide_rows(t, score + lane, inner_end > inner ? inner_end : inner, count, begin, end);
    }
}

/* From the product to the scores of the keys first to first + count - 1; those that are there only
 * to make up a whole STEP are hidden. Whether anything was to be done. */
static bool finish_scores(const bench *b, const tile *t, float *score, size_t first, size_t count)
{
    const size_t padded = round_up(count, STEP);
    const bool inside = first >= t->inner && first + count <= t->inner_end;
    if (b->staged) stage_scores(t, score, first, count);
    if (t->head[0]->mask.data != NULL) mask_scores(t, score, first, count);
    if (!inside) hide_positions(t, score, first, count);
    for (size_t i = count * t->columns; i < padded * t->columns; i++) score[i] = -INFINITY;
    return b->staged || !inside || padded > count;
}

/* ---- The streaming softmax ---------------------------------------------------------------- */

/* An h to subtract that is a number even where nothing may be looked at. */
static inline __m512 safe(__m512 high)
{
    return _mm512_max_ps(_mm512_set1_ps(-FLT_MAX), high);
}

/* 2^(unit (h - h')) with h <= h' */
static inline __m512 change(const bench *b, __m512 before, __m512 after)
{
    return exponential(_mm512_mul_ps(_mm512_sub_ps(before, safe(after)), _mm512_set1_ps(b->unit)));
}

/* The largest of the scores of one vector of rows. */
static inline __m512 highest_score(const float *score, size_t columns, size_t count)
{
    __m512 largest[4];
    for (size_t i = 0; i < 4; i++) largest[i] = _mm512_set1_ps(-INFINITY);
    size_t j = 0;
    for (; j + 4 <= count; j += 4)
#pragma GCC unroll 4
        for (size_t i = 0; i < 4; i++)
            largest[i] = _mm512_max_ps(largest[i], _mm512_loadu_ps(score + (j + i) * columns));
    for (; j < count; j++)
        largest[0] = _mm512_max_ps(largest[0], _mm512_loadu_ps(score + j * columns));
    return _mm512_max_ps(_mm512_max_ps(largest[0], largest[1]),
                         _mm512_max_ps(largest[2], largest[3]));
}

/*
 * Brings h of one vector of rows up to date for a block whose largest scores are `top`, and leaves
 * f, and what is to be added to c s.
 *
 * h follows only a score far above it: then o is hardly ever multiplied by f.
 *
 * Plain scores keep h as c s, so that one fused operation leads from a score to the exponent; in
 * staged ones, where masks of -1e30 may be all that a row sees, h is subtracted exactly.
 */
static inline void raise_high(const bench *b, tile *t, slot *s, size_t lane, size_t count,
                              __m512 top)
{
    const __m512 before = _mm512_load_ps(t->now.high + lane);
    if (!b->staged) top = _mm512_mul_ps(top, _mm512_set1_ps(b->c));
    const __m512 reach = _mm512_add_ps(before, _mm512_set1_ps(SLACK));
    const __mmask16 rises = _mm512_cmp_ps_mask(top, reach, _CMP_GT_OQ);
    const __m512 high = _mm512_mask_mov_ps(before, rises, top), shift = safe(high);
    _mm512_store_ps(t->now.high + lane, high);
    _mm512_store_ps(s->factor + lane, change(b, before, high));
    _mm512_store_ps(s->addend + lane,
                    b->staged ? _mm512_setzero_ps() : _mm512_sub_ps(_mm512_setzero_ps(), shift));
    for (size_t j = 0; b->staged && j < count; j++) {
        float *at = s->score + j * t->columns + lane;
        _mm512_storeu_ps(at, _mm512_sub_ps(_mm512_loadu_ps(at), shift));
    }
}

/* Sums of p over keys, for 16 rows: neighbouring pairs of keys go to different ones. */
typedef struct sums {
    __m512 rounded[2], exact[2];
} sums;

/* p of two keys and 16 rows: `score` points at the first key's, the second's lie `columns` on. The
 * sums of that number take them. */
static inline __attribute__((always_inline)) __m512i weigh_pair(const float *score, size_t columns,
                                                                __m512 c, __m512 addend,
                                                                __m512i order, const bool exact,
                                                                const size_t number, sums *all)
{
    const __m512 first = exponential(_mm512_fmadd_ps(_mm512_loadu_ps(score), c, addend));
    const __m512 second = exponential(_mm512_fmadd_ps(_mm512_loadu_ps(score + columns), c, addend));
    const __m512i pairs = round_to_pairs(first, second, order);
    all->rounded[number] = add_pairs(all->rounded[number], pairs);
    if (exact) all->exact[number] = _mm512_add_ps(all->exact[number], _mm512_add_ps(first, second));
    return pairs;
}

static inline sums no_sums(void)
{
    const __m512 zero = _mm512_setzero_ps();
    return (sums){{zero, zero}, {zero, zero}};
}

/* l = l f + sums */
static inline void add_sums(state *s, size_t lane, const float *factor, const sums *all)
{
    const __m512 f = _mm512_load_ps(factor + lane);
    _mm512_store_ps(s->sum + lane,
                    _mm512_fmadd_ps(_mm512_load_ps(s->sum + lane), f,
                                    _mm512_add_ps(all->rounded[0], all->rounded[1])));
    _mm512_store_ps(s->aside + lane, _mm512_fmadd_ps(_mm512_load_ps(s->aside + lane), f,
                                                     _mm512_add_ps(all->exact[0], all->exact[1])));
}

/* ---- Segments ----------------------------------------------------------------------------- */

/* to = to f + from g */
static inline void combine(float *to, __m512 f, const float *from, __m512 g)
{
    _mm512_storeu_ps(
        to, _mm512_fmadd_ps(_mm512_loadu_ps(to), f, _mm512_mul_ps(_mm512_loadu_ps(from), g)));
}

/* h, l and o of a segment are merged into the total. */
static void merge_segment(const bench *b, tile *t)
{
    for (size_t lane = 0; lane < t->columns; lane += LANES) {
        const __m512 before = _mm512_load_ps(t->before.high + lane);
        const __m512 now = _mm512_load_ps(t->now.high + lane), high = _mm512_max_ps(before, now);
        const __m512 f = change(b, before, high), g = change(b, now, high);
        _mm512_store_ps(t->before.high + lane, high);
        combine(t->before.sum + lane, f, t->now.sum + lane, g);
        combine(t->before.aside + lane, f, t->now.aside + lane, g);
        for (size_t at = lane; at < b->value_width * t->columns; at += t->columns)
            combine(t->total + at, f, t->output + at, g);
    }
}

/* The segment is done: it becomes the total, or is merged into it. */
static void end_segment(const bench *b, tile *t)
{
    if (!begin_total(t)) merge_segment(b, t);
}

#endif
