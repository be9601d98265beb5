/*
 * The products of the kernels in pairs by vdpbf16ps: each number of a result is a chain of these
 * instructions, one for each pair along the sum, with rows in lanes and keys or values read one
 * pair at a time for all lanes. Keys are read in place, values interleaved a block at a time.
 */
#ifndef QKV_ATTENTION_PAIRS_DOT_H
#define QKV_ATTENTION_PAIRS_DOT_H

#include <assert.h>

enum { VECTORS = 3, TILES = 4, BLOCK = 256, STEP = 2, START = 8, SLOTS = 1 };

#include "attention/x86/pairs_few.h"
#include "attention/x86/pairs_rows.h"

enum { PANEL = 8 }; /* rows of a product by VECTORS vectors fit into the registers */

/* A matrix of pairs that are read one by one: pair (i, k) is at data + i * row + k * column. */
typedef struct broadcast {
    const uint16_t *data;
    ptrdiff_t row, column;
} broadcast;

static inline __m512i all_lanes(const uint16_t *pair)
{
    int bits;
    memcpy(&bits, pair, sizeof bits);
    return _mm512_set1_epi32(bits);
}

/*
 * c (rows, vectors * LANES) = factor * c + a (rows, depth pairs) b (depth pairs, vectors * LANES),
 * where factor is one number per column; without factor c is overwritten. rows and vectors are
 * constants where this is inlined: rows * vectors registers hold the sums.
 */
static inline __attribute__((always_inline)) void
multiply_panel(const size_t rows, const size_t vectors, size_t depth, broadcast a,
               const uint32_t *b, size_t columns, float *c, const float *factor)
{
    __m512 sum[PANEL][VECTORS];
#pragma GCC unroll 8
    for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (size_t j = 0; j < vectors; j++) sum[i][j] = _mm512_setzero_ps();
    for (const uint16_t *x = a.data; depth > 0; depth--, b += columns, x += a.column) {
        __m512i right[VECTORS];
#pragma GCC unroll 4
        for (size_t j = 0; j < vectors; j++) right[j] = _mm512_loadu_si512(b + j * LANES);
#pragma GCC unroll 8
        for (size_t i = 0; i < rows; i++) {
            const __m512i left = all_lanes(x + (ptrdiff_t)i * a.row);
#pragma GCC unroll 4
            for (size_t j = 0; j < vectors; j++)
                sum[i][j] = _mm512_dpbf16_ps(sum[i][j], as_bf16(right[j]), as_bf16(left));
        }
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (size_t j = 0; j < vectors; j++) {
            float *to = c + i * columns + j * LANES;
            if (factor != NULL)
                sum[i][j] = _mm512_fmadd_ps(_mm512_loadu_ps(to),
                                            _mm512_loadu_ps(factor + j * LANES), sum[i][j]);
            _mm512_storeu_ps(to, sum[i][j]);
        }
}

/* All rows, in panels of as many as the registers hold. */
static inline __attribute__((always_inline)) void
multiply_vectors(size_t rows, const size_t vectors, size_t depth, broadcast a, const uint32_t *b,
                 size_t columns, float *c, const float *factor)
{
    size_t i = 0;
#pragma GCC unroll 4
    for (size_t panel = PANEL; panel > 0; panel /= 2)
        for (; i + panel <= rows; i += panel) {
            const broadcast part = {a.data + (ptrdiff_t)i * a.row, a.row, a.column};
            multiply_panel(panel, vectors, depth, part, b, columns, c + i * columns, factor);
        }
}

/* c (rows, columns) = factor * c + a (rows, depth pairs) b (depth pairs, columns); without factor
 * c is overwritten. */
static void multiply(size_t rows, size_t columns, size_t depth, broadcast a, const uint32_t *b,
                     float *c, const float *factor)
{
    static_assert(VECTORS == 3, "a tile is one, two or three vectors");
    if (columns == 3 * LANES)
        multiply_vectors(rows, 3, depth, a, b, columns, c, factor);
    else if (columns == 2 * LANES)
        multiply_vectors(rows, 2, depth, a, b, columns, c, factor);
    else
        multiply_vectors(rows, 1, depth, a, b, columns, c, factor);
}

/* ---- Blocks ------------------------------------------------------------------------------- */

/* Keys first to first + count - 1: in place if they can be read so, or else copied. */
static broadcast load_keys(const bench *b, const qkv__matrix *key, size_t first, size_t count)
{
    if (key->column == 1 && b->width % 2 == 0 && key->data != NULL)
        return (broadcast){(const uint16_t *)key->data + (ptrdiff_t)first * key->row, key->row, 2};
    for (size_t j = 0; j < count; j++)
        for (size_t d = 0; d < b->width; d += PART)
            _mm512_storeu_si512(b->key + j * b->padded + d, load_part(key, first + j, d, b->width));
    return (broadcast){b->key, (ptrdiff_t)b->padded, 2};
}

/* Values begin to end - 1 of the block at `first`, two keys interleaved; those of which the score,
 * for a row alone, is -infinity become 0. */
static void load_values(const bench *b, const qkv__matrix *value, size_t first, size_t begin,
                        size_t end, const float *score, size_t columns)
{
    const __m512i front = interleaving_front(), back = interleaving_back();
    for (size_t j = begin; j < end; j += 2) {
        const bool hidden = is_hidden(score, columns, j - begin);
        const bool next_hidden = j + 1 == end || is_hidden(score, columns, j + 1 - begin);
        uint16_t *to = b->value + j * b->value_padded;
        for (size_t d = 0; d < b->value_width; d += PART, to += 2 * PART) {
            const __m512i even = load_unless(hidden, value, first + j, d, b->value_width);
            const __m512i odd = load_unless(next_hidden, value, first + j + 1, d, b->value_width);
            _mm512_storeu_si512(to, _mm512_permutex2var_epi16(even, front, odd));
            _mm512_storeu_si512(to + PART, _mm512_permutex2var_epi16(even, back, odd));
        }
    }
}

/* Turns the scores of one vector of rows into p, whose sums it returns. */
static inline __attribute__((always_inline)) sums
weigh(const bench *b, size_t columns, const slot *s, size_t lane, size_t count, const bool exact)
{
    const float *score = s->score + lane;
    uint32_t *weight = s->weight + lane;
    const __m512 c = _mm512_set1_ps(b->c), addend = _mm512_load_ps(s->addend + lane);
    const __m512i order = interleaving();
    sums all = no_sums();
    for (; count >= 4; count -= 4, score += 4 * columns, weight += 2 * columns)
#pragma GCC unroll 2
        for (size_t i = 0; i < 2; i++)
            _mm512_storeu_si512(weight + i * columns, weigh_pair(score + 2 * i * columns, columns,
                                                                 c, addend, order, exact, i, &all));
    if (count > 0)
        _mm512_storeu_si512(weight, weigh_pair(score, columns, c, addend, order, exact, 0, &all));
    return all;
}

/* The softmax of one vector of rows over a block. */
static void soften(const bench *b, tile *t, slot *s, size_t lane, size_t count)
{
    raise_high(b, t, s, lane, count, highest_score(s->score + lane, t->columns, count));
    const sums all = b->exact ? weigh(b, t->columns, s, lane, count, true)
                              : weigh(b, t->columns, s, lane, count, false);
    add_sums(&t->now, lane, s->factor, &all);
}

/* The keys of the block at `first` that a tile looks at. */
static void walk_block(bench *b, tile *t, broadcast key, const qkv__head *head, size_t first)
{
    slot *s = &b->slots[0];
    size_t begin, end;
    tile_range(t, first, &begin, &end);
    if (begin == end) return;
    const size_t count = end - begin, padded = round_up(count, STEP);
    const broadcast value = {b->value + begin * b->value_padded, 2,
                             (ptrdiff_t)(2 * b->value_padded)};
    key.data += (ptrdiff_t)begin * key.row;
    multiply(count, t->columns, (b->width + 1) / 2, key, t->pairs, s->score, NULL);
    finish_scores(b, t, s->score, first + begin, count);
    if (b->alone) load_values(b, &head->value, first, begin, end, s->score, t->columns);
    for (size_t lane = 0; lane < t->columns; lane += LANES) soften(b, t, s, lane, padded);
    multiply(b->value_width, t->columns, padded / 2, value, s->weight, t->output, s->factor);
}

/* The same for a tile of few rows. */
static void walk_few(bench *b, tile *t, const qkv__head *head, size_t first)
{
    slot *s = &b->slots[0];
    size_t begin, end;
    tile_range(t, first, &begin, &end);
    if (begin == end) return;
    const size_t count = end - begin;
    multiply_few_keys(b, t, s, &head->key, first + begin, count);
    finish_scores(b, t, s->score, first + begin, count);
    soften(b, t, s, 0, round_up(count, STEP));
    multiply_few_values(b, t, s, &head->value, first + begin, count);
}

/* All tiles over the blocks of one segment. */
static void walk_segment(bench *b, size_t tiles, const qkv__head *head, size_t begin, size_t end)
{
    for (size_t i = 0; i < tiles; i++) begin_segment(b, &b->tiles[i]);
    for (size_t first = begin; first < end; first += BLOCK) {
        const size_t count = block_count(b, tiles, first);
        if (count == 0) continue;
        if (tiles == 1 && b->tiles[0].rows <= FEW) {
            walk_few(b, &b->tiles[0], head, first);
            continue;
        }
        const broadcast key = load_keys(b, &head->key, first, count);
        if (!b->alone) load_values(b, &head->value, first, 0, count, NULL, 0);
        for (size_t i = 0; i < tiles; i++) walk_block(b, &b->tiles[i], key, head, first);
    }
}

/* The products need nothing set up. */
static inline void begin_products(void)
{
}

static inline void end_products(void)
{
}

#endif
