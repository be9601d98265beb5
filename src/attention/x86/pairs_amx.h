/*
 * The products of the kernels in pairs by AMX, whose tiles work beside the vector units: while the
 * vectors turn one block of scores into weights, the tiles make the scores of the next block and
 * multiply the weights of the one before by values. Which instructions wait for which is left to
 * the CPU; here they only stand close enough together for it to see both.
 *
 * Keys are left factors as they lie in the caller's memory. Values are transposed, a block at a
 * time for all tiles of the task. Queries and weights are right factors: pairs by rows.
 *
 * The includer brings the tiles: pairs_tiles.h, or what stands in for them.
 */
#ifndef QKV_ATTENTION_PAIRS_AMX_H
#define QKV_ATTENTION_PAIRS_AMX_H

enum { VECTORS = 2, TILES = 16, BLOCK = 256, STEP = 32, START = 32, SLOTS = 2 };

#include "attention/x86/pairs_rows.h"

enum {
    SIDE = 16,            /* rows and columns of a tile's sums */
    SQUARE = SIDE * PART, /* numbers of a left factor */
    LEFT = 4,             /* tiles 4 and 5, */
    RIGHT = 6,            /* and 6 and 7 */
    UNIT = 8,             /* keys whose weights are made in one go */
};

/* What one tile of rows does with one block of keys. */
typedef struct item {
    tile *rows; /* NULL: nothing */
    slot *slot;
    size_t first, begin, end; /* keys first + begin to first + end - 1, of the block at first */
    size_t count;             /* end - begin, up to a multiple of STEP */
} item;

/* Keys of a block: the first `whole` where they lie, those behind in memory of the worker's. */
typedef struct key_block {
    const uint16_t *data, *rest;
    ptrdiff_t row;
    size_t whole;
} key_block;

/* ---- Weights, in units that stand between the tiles' instructions ------------------------- */

typedef struct background {
    const bench *b;
    item item;
    size_t lane, key;          /* where the next unit is */
    size_t units, steps, owed; /* units / steps of them are done a step */
    sums all;
} background;

static background begin_background(const bench *b, item of, size_t steps)
{
    background w = {.b = b, .item = of, .steps = steps, .all = no_sums()};
    if (of.rows != NULL) w.units = of.rows->columns / LANES * (of.count / UNIT);
    return w;
}

static inline __attribute__((always_inline)) void weigh_unit(background *w, const bool exact)
{
    const size_t columns = w->item.rows->columns;
    const slot *s = w->item.slot;
    const float *score = s->score + w->key * columns + w->lane;
    uint32_t *weight = s->weight + w->key / 2 * columns + w->lane;
    const __m512 c = _mm512_set1_ps(w->b->c), addend = _mm512_load_ps(s->addend + w->lane);
    const __m512i order = interleaving();
    sums all = w->all;
#pragma GCC unroll 4
    for (size_t i = 0; i < UNIT / 2; i++)
        _mm512_storeu_si512(weight + i * columns, weigh_pair(score + 2 * i * columns, columns, c,
                                                             addend, order, exact, i % 2, &all));
    w->all = all;
}

static inline void next_unit(background *w)
{
    if (w->b->exact)
        weigh_unit(w, true);
    else
        weigh_unit(w, false);
    if ((w->key += UNIT) < w->item.count) return;
    add_sums(&w->item.rows->now, w->lane, w->item.slot->factor, &w->all);
    w->all = no_sums();
    w->key = 0;
    w->lane += LANES;
}

/* The share of one step. */
static inline void work_on(background *w)
{
    for (w->owed += w->units; w->owed >= w->steps; w->owed -= w->steps) next_unit(w);
}

static void end_background(background *w)
{
    while (w->item.rows != NULL && w->lane < w->item.rows->columns) next_unit(w);
}

/* ---- Products ----------------------------------------------------------------------------- */

/* The sums of left by right tiles (1 or 2, constants) take the product of what is loaded. */
static inline __attribute__((always_inline)) void multiply_tiles(const int left, const int right)
{
    tile_multiply(0);
    if (right == 2) tile_multiply(1);
    if (left == 2) tile_multiply(2);
    if (left == 2 && right == 2) tile_multiply(3);
}

/* The right factors of 16 rows of pairs. */
static inline __attribute__((always_inline)) void load_right(const int right, const uint32_t *pairs,
                                                             size_t columns)
{
    tile_load(RIGHT, pairs, columns * sizeof *pairs);
    if (right == 2) tile_load(RIGHT + 1, pairs + SIDE, columns * sizeof *pairs);
}

static inline __attribute__((always_inline)) void store_sums(const int left, const int right,
                                                             float *to, size_t columns)
{
    const size_t bytes = columns * sizeof *to;
    tile_store(0, to, bytes);
    if (right == 2) tile_store(1, to + SIDE, bytes);
    if (left == 2) tile_store(2, to + SIDE * columns, bytes);
    if (left == 2 && right == 2) tile_store(3, to + SIDE * columns + SIDE, bytes);
}

static inline __attribute__((always_inline)) void load_sums(const int left, const int right,
                                                            const float *from, size_t columns)
{
    const size_t bytes = columns * sizeof *from;
    tile_load(0, from, bytes);
    if (right == 2) tile_load(1, from + SIDE, bytes);
    if (left == 2) tile_load(2, from + SIDE * columns, bytes);
    if (left == 2 && right == 2) tile_load(3, from + SIDE * columns + SIDE, bytes);
}

/* Scores of STEP keys: (STEP, columns). */
static inline __attribute__((always_inline)) void score_step(const int right, const bench *b,
                                                             const tile *t, const uint16_t *key,
                                                             ptrdiff_t row, float *score,
                                                             background *work)
{
    const size_t bytes = (size_t)(row * (ptrdiff_t)sizeof *key);
    for (int i = 0; i < 4; i++) tile_zero(i);
    for (size_t d = 0; d < b->padded; d += PART) {
        tile_load(LEFT, key + d, bytes);
        load_right(right, t->pairs + d / 2 * t->columns, t->columns);
        tile_load(LEFT + 1, key + SIDE * row + (ptrdiff_t)d, bytes);
        multiply_tiles(2, right);
        work_on(work);
    }
    store_sums(2, right, score, t->columns);
}

/* The largest scores of an item so far, and those of STEP more keys. */
static inline void add_top(slot *s, size_t columns, const float *score)
{
    for (size_t lane = 0; lane < columns; lane += LANES)
        _mm512_store_ps(s->top + lane, _mm512_max_ps(_mm512_load_ps(s->top + lane),
                                                     highest_score(score + lane, columns, STEP)));
}

/* Scores of an item, with the work of another between; leaves their maxima too, a step behind the
 * products so as not to wait for them. */
static inline __attribute__((always_inline)) void
multiply_keys(const int right, const bench *b, item of, key_block key, background *work)
{
    const tile *t = of.rows;
    const size_t columns = t->columns;
    float *score = of.slot->score;
    for (size_t lane = 0; lane < columns; lane += LANES)
        _mm512_store_ps(of.slot->top + lane, _mm512_set1_ps(-INFINITY));
    for (size_t j = 0; j < of.count; j += STEP, score += STEP * columns) {
        const size_t at = of.begin + j;
        const uint16_t *from = at < key.whole ? key.data + (ptrdiff_t)at * key.row : key.rest;
        score_step(right, b, t, from, at < key.whole ? key.row : (ptrdiff_t)b->padded, score, work);
        if (j > 0) add_top(of.slot, columns, score - STEP * columns);
    }
    add_top(of.slot, columns, score - STEP * columns);
}

/* 16 or 32 rows of o, `depth` of the value's width, from o itself and the weights of an item. */
static inline __attribute__((always_inline)) void multiply_values_at(const int left,
                                                                     const int right,
                                                                     const bench *b, item of,
                                                                     size_t d, background *work)
{
    const size_t columns = of.rows->columns, tiles = b->value_padded / SIDE;
    const uint16_t *value = b->value + (of.begin / STEP * tiles + d / SIDE) * SQUARE;
    float *output = of.rows->output + d * columns;
    load_sums(left, right, output, columns);
    for (size_t j = 0; j < of.count; j += STEP, value += tiles * SQUARE) {
        tile_load(LEFT, value, PART * sizeof *value);
        load_right(right, of.slot->weight + j / 2 * columns, columns);
        if (left == 2) tile_load(LEFT + 1, value + SQUARE, PART * sizeof *value);
        multiply_tiles(left, right);
        work_on(work);
    }
    store_sums(left, right, output, columns);
}

static inline __attribute__((always_inline)) void multiply_values(const int right, const bench *b,
                                                                  item of, background *work)
{
    size_t d = 0;
    for (; d + SIDE < b->value_width; d += 2 * SIDE) multiply_values_at(2, right, b, of, d, work);
    if (d < b->value_width) multiply_values_at(1, right, b, of, d, work);
}

/* ---- Blocks ------------------------------------------------------------------------------- */

/* Keys of the block at `first`, of which `count` are needed: in place while STEP of them can be
 * read so, or else copied, with zeros behind the last. */
static key_block load_keys(const bench *b, const qkv__head *head, size_t first, size_t count)
{
    const qkv__matrix *m = &head->key;
    const bool dense = m->column == 1 && m->data != NULL && b->width % PART == 0;
    key_block key = {.rest = b->key, .row = (ptrdiff_t)b->padded};
    if (dense) {
        key.data = (const uint16_t *)m->data + (ptrdiff_t)first * m->row;
        key.row = m->row;
        key.whole = at_most(head->keys - first, BLOCK) / STEP * STEP;
    }
    const size_t end = round_up(count, STEP);
    for (size_t j = key.whole; j < end; j++)
        for (size_t d = 0; d < b->width; d += PART)
            _mm512_storeu_si512(b->key + (j - key.whole) * b->padded + d,
                                load_unless(first + j >= head->keys, m, first + j, d, b->width));
    if (!dense) key.data = b->key, key.whole = BLOCK;
    return key;
}

/* Transposes 32 columns of the values of STEP keys, which become two tiles: `even` and `odd` are
 * those of keys 2 i and 2 i + 1. */
static inline void turn_values(const __m512i even[SIDE], const __m512i odd[SIDE], uint16_t *to)
{
    for (size_t half = 0; half < 2; half++) {
        __m512i v[SIDE];
        for (size_t i = 0; i < SIDE; i++) /* columns 0-3, 8-11, 16-19, 24-27, and the others */
            v[i] = half == 0 ? _mm512_unpacklo_epi16(even[i], odd[i])
                             : _mm512_unpackhi_epi16(even[i], odd[i]);
        turn(v);
        for (size_t i = 0; i < SIDE; i++)
            _mm512_storeu_si512(to + (i / 4 * 8 + half * 4 + i % 4) * PART, v[i]);
    }
}

/* The values of STEP keys, `row` the first, in columns d to d + 31. `there` has a bit for each key
 * whose values count. */
static void load_value_step(const bench *b, const qkv__matrix *value, size_t row, uint32_t there,
                            size_t d, uint16_t *to)
{
    __m512i even[SIDE], odd[SIDE];
    if (there == 0xffffffffu && value->column == 1 && d + PART <= b->value_width) {
        const uint16_t *from = (const uint16_t *)value->data + (ptrdiff_t)row * value->row + d;
        for (size_t i = 0; i < SIDE; i++, from += 2 * value->row) {
            even[i] = _mm512_loadu_si512(from);
            odd[i] = _mm512_loadu_si512(from + value->row);
        }
    } else {
        for (size_t i = 0; i < SIDE; i++) {
            const bool first = (there >> 2 * i & 1) != 0, second = (there >> 2 * i & 2) != 0;
            even[i] = load_unless(!first, value, row + 2 * i, d, b->value_width);
            odd[i] = load_unless(!second, value, row + 2 * i + 1, d, b->value_width);
        }
    }
    turn_values(even, odd, to);
}

/* The first `count` values of the block at `first`, transposed, and zeros behind them. */
static void load_values(const bench *b, const qkv__matrix *value, size_t first, size_t count)
{
    for (size_t j = 0; j < count; j += STEP) {
        const uint32_t there = 0xffffffffu >> (STEP - at_most(count - j, STEP));
        for (size_t d = 0; d < b->value_width; d += PART)
            load_value_step(b, value, first + j, there, d,
                            b->value + j * b->value_padded + d / SIDE * SQUARE);
    }
}

/* o = o f, if f is not 1 for all rows. */
static void rescale(const bench *b, item of)
{
    const size_t columns = of.rows->columns;
    for (size_t lane = 0; lane < columns; lane += LANES) {
        const __m512 f = _mm512_load_ps(of.slot->factor + lane);
        if (_mm512_cmp_ps_mask(f, _mm512_set1_ps(1.0f), _CMP_NEQ_UQ) == 0) continue;
        for (size_t at = lane; at < b->value_width * columns; at += columns)
            _mm512_storeu_ps(of.rows->output + at,
                             _mm512_mul_ps(_mm512_loadu_ps(of.rows->output + at), f));
    }
}

/* ---- The walk ----------------------------------------------------------------------------- */

#include "attention/x86/pairs_amx_few.h"

/* The items of a segment, block by block, in each of them tile by tile. */
typedef struct course {
    bench *b;
    const qkv__head *head;
    size_t tiles, first, end, next; /* the block, where the segment ends, and the next tile */
    size_t number;                  /* of items so far */
    bool few;                       /* one tile, of 16 rows at most */
    key_block key;                  /* of the block */
    size_t key_first, value_first;  /* the blocks that are loaded; SIZE_MAX: none */
} course;

static item next_item(course *c)
{
    for (; c->first < c->end; c->first += BLOCK, c->next = 0)
        while (c->next < c->tiles) {
            item it = {.rows = &c->b->tiles[c->next++], .first = c->first};
            tile_range(it.rows, it.first, &it.begin, &it.end);
            if (it.begin == it.end) continue;
            it.count = round_up(it.end - it.begin, STEP);
            it.slot = &c->b->slots[c->number++ % SLOTS];
            return it;
        }
    return (item){.rows = NULL};
}

/* Scores of an item, up to the maxima, while another's weights are made. */
static void make_scores(course *c, item of, background *work)
{
    if (of.rows == NULL) return;
    tile *t = of.rows;
    const size_t first = of.first + of.begin, count = of.end - of.begin;
    if (c->key_first != of.first) {
        c->key = load_keys(c->b, c->head, of.first, block_count(c->b, c->tiles, of.first));
        c->key_first = of.first;
    }
    if (c->few)
        for (size_t j = 0; j < of.count; j += STEP)
            fetch_step(&c->head->key, first + j + of.count, c->b->width);
    if (t->columns > LANES)
        multiply_keys(2, c->b, of, c->key, work);
    else
        multiply_keys(1, c->b, of, c->key, work);
    if (!finish_scores(c->b, t, of.slot->score, first, count)) return;
    for (size_t lane = 0; lane < t->columns; lane += LANES)
        _mm512_store_ps(of.slot->top + lane,
                        highest_score(of.slot->score + lane, t->columns, of.count));
}

static void use_weights(course *c, item of, background *work)
{
    if (of.rows == NULL) return;
    if (c->few) {
        use_few(c->b, &c->head->value, of, work);
        return;
    }
    if (c->value_first != of.first) {
        load_values(c->b, &c->head->value, of.first, block_count(c->b, c->tiles, of.first));
        c->value_first = of.first;
    }
    if (of.rows->columns > LANES)
        multiply_values(2, c->b, of, work);
    else
        multiply_values(1, c->b, of, work);
}

static void raise_item(const bench *b, item of)
{
    for (size_t lane = 0; lane < of.rows->columns; lane += LANES)
        raise_high(b, of.rows, of.slot, lane, of.count, _mm512_load_ps(of.slot->top + lane));
}

/* Steps that the tiles take for an item, in one of the two products. */
static size_t steps_of(size_t width, item of)
{
    return of.rows == NULL ? 0 : of.count / STEP * ((width + PART - 1) / PART);
}

/* The weights of `now`, beside the scores of `next` and the outputs of `before`. */
static void walk_items(course *c, item before, item now, item next)
{
    const size_t steps = steps_of(c->b->width, next) + steps_of(c->b->value_width, before);
    raise_item(c->b, now);
    background work = begin_background(c->b, now, steps);
    make_scores(c, next, &work);
    use_weights(c, before, &work);
    end_background(&work);
    if (c->few)
        rescale_few(c->b, now);
    else
        rescale(c->b, now);
}

/* One row, whose masked values count as 0: its scores are needed before its values. */
static void walk_alone(course *c)
{
    const item nothing = {.rows = NULL};
    for (item now = next_item(c); now.rows != NULL; now = next_item(c)) {
        background idle = begin_background(c->b, nothing, 1);
        make_scores(c, now, &idle);
        walk_items(c, nothing, now, nothing);
        use_weights(c, now, &idle);
    }
}

/* Each item's weights, beside the products of those before and behind it. */
static void walk_side_by_side(course *c)
{
    item before = {.rows = NULL}, now = next_item(c);
    background idle = begin_background(c->b, before, 1);
    make_scores(c, now, &idle);
    while (now.rows != NULL) {
        const item next = next_item(c);
        walk_items(c, before, now, next);
        before = now;
        now = next;
    }
    use_weights(c, before, &idle);
}

/* All tiles over the blocks of one segment. */
static void walk_segment(bench *b, size_t tiles, const qkv__head *head, size_t begin, size_t end)
{
    course c = {.b = b, .head = head, .tiles = tiles, .first = begin, .end = end};
    c.key_first = c.value_first = SIZE_MAX;
    c.few = tiles == 1 && b->tiles[0].columns == LANES;
    for (size_t i = 0; i < tiles; i++) begin_segment(b, &b->tiles[i]);
    if (b->alone)
        walk_alone(&c);
    else
        walk_side_by_side(&c);
    if (c.few) turn_outputs(b, &b->tiles[0]);
}

static inline void begin_products(void)
{
    tiles_begin();
}

static inline void end_products(void)
{
    tiles_end();
}

#endif
