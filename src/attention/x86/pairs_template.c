/*
 * The kernels in pairs: queries, keys and values are bf16, and the CPU multiplies pairs of such
 * numbers at once. Queries lie side by side in the lanes of vectors. Compiled by the files
 * x86/pairs_*.c, which bring the products. It knows the rows of one task and nothing of threads.
 *
 * A tile is up to VECTORS vectors of rows. It walks over the keys in blocks of BLOCK keys that
 * begin at multiples of BLOCK. With c = scale log2(e), scores s_j of the block and a row's state
 * (h, l, o), h near the highest c s_j so far:
 *
 *     h' = h, or max_j c s_j if that is more than h + SLACK
 *     p_j = 2^(c s_j - h') rounded to bf16,  f = 2^(h - h')
 *     l  = l f + sum_j p_j,      o   = o f + sum_j p_j v_j
 *
 * Scores are the product of keys (block, width) and transposed queries (width, rows); outputs that
 * of transposed values (width, block) and p (block, rows). Both sum over pairs; l sums the rounded
 * p, so that what rounding does to all weights alike drops out of o / l.
 *
 * After each SEGMENT keys the state is merged into a total and begins anew. The total is the same
 * whether one worker walks over all segments or several share them.
 *
 * Why a row's bits do not depend on its surroundings: lanes do not meet, blocks and segments lie at
 * fixed keys, and a masked key has p_j = +0, which adds nothing; a block or a segment without a
 * key to look at multiplies by exactly 1 and adds 0. Where that fails because a value is not
 * finite, the row is done again alone, with masked values taken as 0.
 */
#include <math.h>

#include "attention/kernel.h"
#include "attention/x86/pairs_rows.h"

#define KERNEL_CAREFUL qkv__kernel_portable_f32

enum {
    /* Of numbers of 2 bytes for each number of the width, and of 2 for each of the value width. */
    TASK_NUMBERS = TILES * TILE + BLOCK,
    VALUE_NUMBERS = 4 * TILES * TILE + BLOCK,
};

static bool workspace_bytes(const qkv__problem *problem, size_t *bytes)
{
    const size_t width = problem->query.shape[QKV__WIDTH];
    const size_t value_width = problem->value.shape[QKV__WIDTH];
    const size_t limit = SIZE_MAX / 16 / (TASK_NUMBERS + VALUE_NUMBERS);
    size_t careful;
    if (width > limit || value_width > limit || !KERNEL_CAREFUL.workspace(problem, &careful))
        return false;
    *bytes =
        round_up(sizeof(bench), 64) + SLOTS * BLOCK * TILE * (sizeof(float) + sizeof(uint16_t)) +
        2 * (TASK_NUMBERS * round_up(width, PART) + VALUE_NUMBERS * round_up(value_width, PART));
    if (*bytes < careful) *bytes = careful;
    return true;
}

/* ---- Memory ------------------------------------------------------------------------------ */

/* Cuts the next `bytes` off the memory. */
static void *take(unsigned char **memory, size_t bytes)
{
    void *start = *memory;
    *memory += bytes;
    return start;
}

static bool is_staged(const qkv__rows *rows)
{
    const qkv__head *head = rows->heads + qkv__rows_head(rows);
    return head->softcap > 0.0 || !(head->scale > 0.0) || head->mask.data != NULL ||
           head->slope != 0.0;
}

static bench *lay_out(void *workspace, const qkv__rows *rows)
{
    const double log2_e = 0x1.71547652b82fep+0;
    const qkv__head *head = rows->heads;
    bench *b = workspace;
    b->width = head->width;
    b->value_width = head->value_width;
    b->padded = round_up(b->width, PART);
    b->value_padded = round_up(b->value_width, PART);
    b->alone = false;
    b->exact = head->log_sum_exp.data != NULL;
    b->staged = is_staged(rows);
    b->c = (float)(b->staged ? log2_e : head->scale * log2_e);
    b->unit = b->staged ? b->c : 1.0f;
    unsigned char *memory = (unsigned char *)workspace + round_up(sizeof(bench), 64);
    for (size_t i = 0; i < SLOTS; i++) {
        b->slots[i].score = take(&memory, BLOCK * TILE * sizeof(float));
        b->slots[i].weight = take(&memory, BLOCK / 2 * TILE * sizeof(uint32_t));
    }
    b->key = take(&memory, BLOCK * b->padded * sizeof(uint16_t));
    b->value = take(&memory, BLOCK * b->value_padded * sizeof(uint16_t));
    for (size_t i = 0; i < TILES; i++) {
        tile *t = &b->tiles[i];
        t->pairs = take(&memory, TILE * b->padded * sizeof(uint16_t));
        t->output = take(&memory, TILE * b->value_padded * sizeof(float));
        t->total = take(&memory, TILE * b->value_padded * sizeof(float));
    }
    return b;
}

/* ---- Results ------------------------------------------------------------------------------ */

/* h as a natural logarithm. */
static double natural_high(const bench *b, const tile *t, size_t lane)
{
    return (double)t->before.high[lane] * (double)b->unit * M_LN2;
}

/*
 * Divides by l; a row that looks at nothing becomes 0. A row is broken where a number is not
 * finite, and where there are keys to look at but none has a weight: scores that no float can
 * tell apart.
 */
static void divide(const bench *b, tile *t, bool *broken)
{
    float scale[TILE], whole[TILE];
    for (size_t lane = 0; lane < t->columns; lane++)
        share_with_sink(t, lane, natural_high(b, t, lane), &scale[lane], &whole[lane]);
    for (size_t lane = 0; lane < t->columns; lane += LANES) {
        const __m512 multiplier = _mm512_loadu_ps(scale + lane);
        const __m512 divisor = _mm512_loadu_ps(whole + lane);
        __m512 probe = _mm512_setzero_ps(); /* sums of zeros, NaN where a number is not finite */
        for (size_t d = 0; d < b->value_width; d++) {
            float *at = t->total + d * t->columns + lane;
            /* + 0: a zero has no sign, however many segments it went through */
            const __m512 unsigned_zero = _mm512_add_ps(_mm512_loadu_ps(at), _mm512_setzero_ps());
            const __m512 value = _mm512_div_ps(_mm512_mul_ps(unsigned_zero, multiplier), divisor);
            probe = _mm512_fmadd_ps(value, _mm512_setzero_ps(), probe);
            _mm512_storeu_ps(at, value);
        }
        const unsigned finite = _mm512_cmp_ps_mask(probe, _mm512_setzero_ps(), _CMP_EQ_OQ);
        for (size_t i = 0; i < LANES; i++) {
            const float sum = t->before.sum[lane + i];
            broken[lane + i] = (finite >> i & 1) == 0 || !isfinite(sum) ||
                               (sum == 0 && !b->staged && t->past[lane + i] > 0);
        }
    }
}

/* ln(exp(sink) + sum_j exp(s_j)) from h and the exact sum. */
static double log_sum_exp(const bench *b, const tile *t, size_t lane)
{
    const double sum = t->before.aside[lane] == 0
                           ? -INFINITY
                           : natural_high(b, t, lane) + log((double)t->before.aside[lane]);
    return add_sink(sum, t->head[lane]->sink);
}

/* Up to 16 numbers of a row of the output. */
static void store_part(const qkv__matrix *m, size_t row, size_t at, size_t count, __m512 numbers)
{
    const ptrdiff_t base = (ptrdiff_t)row * m->row + (ptrdiff_t)at * m->column;
    const __mmask16 there = (__mmask16)(0xffffu >> (LANES - count));
    if (m->type == QKV_BF16 && m->column == 1) {
        _mm256_mask_storeu_epi16((uint16_t *)m->data + base, there,
                                 (__m256i)_mm512_cvtneps_pbh(numbers));
    } else if (m->type == QKV_F32 && m->column == 1) {
        _mm512_mask_storeu_ps((float *)m->data + base, there, numbers);
    } else {
        float copy[LANES];
        _mm512_storeu_ps(copy, numbers);
        for (size_t i = 0; i < count; i++)
            qkv__store(m->type, m->data, base + (ptrdiff_t)i * m->column, (double)copy[i]);
    }
}

/* The rows of 16 lanes that are not broken. */
static void store_lanes(const bench *b, const tile *t, size_t lane, const bool *broken)
{
    const size_t rows = at_most(t->rows - lane, LANES);
    for (size_t d = 0; d < b->value_width; d += LANES) {
        __m512i v[LANES];
        for (size_t i = 0; i < LANES; i++)
            v[i] = _mm512_loadu_si512(t->total + (d + i) * t->columns + lane);
        turn(v);
        for (size_t i = 0; i < rows; i++)
            if (!broken[lane + i])
                store_part(&t->head[lane + i]->output, t->query[lane + i], d,
                           at_most(b->value_width - d, LANES), (__m512)v[i]);
    }
    for (size_t i = lane; i < lane + rows; i++) {
        const qkv__matrix *to = &t->head[i]->log_sum_exp, *part = &t->head[i]->level;
        const ptrdiff_t row = (ptrdiff_t)t->query[i];
        if (to->data != NULL && !broken[i])
            qkv__store(to->type, to->data, row * to->row, log_sum_exp(b, t, i));
        if (part->data != NULL && !broken[i])
            store_level(part, row, natural_high(b, t, i), (double)t->before.sum[i]);
    }
}

static void store_rows(const bench *b, const tile *t, const bool *broken)
{
    for (size_t lane = 0; lane < t->columns; lane += LANES) store_lanes(b, t, lane, broken);
}

#include "attention/task.h"

const qkv__kernel KERNEL = {
    .name = KERNEL_NAME,
    .compute = QKV_F32,
    .only = QKV_BF16,
    .features = KERNEL_FEATURES,
    .rows = TILES * TILE,
    .grain = TILE,
    .segment = SEGMENT,
    .workspace = workspace_bytes,
    .forward = forward,
    .partial_bytes = partial_bytes,
    .partial = partial,
    .merge = merge,
    .gradient = &qkv__gradient_avx512_f32, /* which widens bf16 */
};
