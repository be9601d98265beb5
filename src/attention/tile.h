/*
 * A tile of rows, for the kernels that lay queries side by side in the lanes of vectors: which rows
 * stand in which lanes, which keys they may look at, the state of their softmax, and how that is
 * put together from segments. It knows nothing of the products, nor of how queries are stored.
 *
 * The includer defines REAL, and as constants LANES (of a vector), TILE (rows of a tile, a multiple
 * of LANES), TILES (of a task), BLOCK (keys) and START (a tile's keys begin at a multiple of it;
 * those left out are masked, and would have added zeros).
 */
#ifndef QKV_ATTENTION_TILE_H
#define QKV_ATTENTION_TILE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "attention/kernel.h"

/* h and l of the rows of a tile. */
typedef struct state {
    _Alignas(64) REAL high[TILE];
    REAL sum[TILE];
    /* For the log-sum-exp alone: what rounding took from l, or the sum of weights that went into
     * products with fewer digits. */
    REAL aside[TILE];
} state;

/* The rows of a tile, side by side. Matrices have `columns` numbers a row. */
typedef struct tile {
    size_t rows, columns;           /* columns: rows, up to a multiple of LANES */
    size_t begin, end;              /* keys that some row may look at by position */
    size_t inner, inner_end;        /* keys that all rows may look at by position */
    size_t first[TILE], past[TILE]; /* keys of each row */
    const qkv__head *head[TILE];    /* each row's head, and its query there; NULL: no row */
    size_t query[TILE];
    union {               /* the queries: */
        REAL *transposed; /* (width, columns), or */
        uint32_t *pairs;  /* (padded width / 2, columns), two numbers of bf16 each */
    };
    REAL *output;      /* (value width, columns): o of the segment */
    REAL *total;       /* and of the segments before */
    state now, before; /* of the segment, and of the segments before */
    bool begun;        /* whether there were segments before */
} tile;

static inline size_t round_up(size_t value, size_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

static inline size_t at_most(size_t value, size_t limit)
{
    return value < limit ? value : limit;
}

/* ---- Rows --------------------------------------------------------------------------------- */

static inline void place_row(tile *t, size_t lane, const qkv__head *head, size_t query)
{
    t->head[lane] = head;
    t->query[lane] = query;
    qkv__head_range(head, query, &t->first[lane], &t->past[lane]);
    if (t->first[lane] >= t->past[lane]) t->first[lane] = t->past[lane] = 0;
    if (t->first[lane] < t->begin) t->begin = t->first[lane];
    if (t->past[lane] > t->end) t->end = t->past[lane];
    if (t->first[lane] > t->inner) t->inner = t->first[lane];
    if (t->past[lane] < t->inner_end) t->inner_end = t->past[lane];
}

/* Gives each row its lane; the lanes beyond them look at everything and belong to nobody. */
static inline void place_rows(tile *t, const qkv__rows *rows)
{
    t->rows = rows->end - rows->begin;
    t->columns = round_up(t->rows, LANES);
    t->begin = t->inner_end = SIZE_MAX;
    t->end = t->inner = 0;
    t->begun = false;
    qkv__rows left = *rows;
    const qkv__head *head;
    size_t begin, end, lane = 0;
    while (qkv__rows_next(&left, &head, &begin, &end))
        for (size_t query = begin; query < end; query++) place_row(t, lane++, head, query);
    for (; lane < t->columns; lane++) {
        t->head[lane] = NULL;
        t->first[lane] = 0;
        t->past[lane] = SIZE_MAX;
    }
    if (t->begin > t->end) t->begin = t->end;
    t->begin = t->begin / START * START;
}

/* ---- Keys --------------------------------------------------------------------------------- */

/* Which keys of the block at `first` a tile looks at: offsets begin to end - 1, none if equal. */
static inline void tile_range(const tile *t, size_t first, size_t *begin, size_t *end)
{
    *begin = t->begin < first ? 0 : at_most(t->begin - first, BLOCK);
    *end = t->end < first ? 0 : at_most(t->end - first, BLOCK);
    if (*end < *begin) *end = *begin;
}

/* How many keys of the block at `first` any of the tiles looks at, from the first on. */
static inline size_t tiles_range(const tile *tiles, size_t number, size_t first)
{
    size_t count = 0;
    for (size_t i = 0; i < number; i++) {
        size_t begin, end;
        tile_range(&tiles[i], first, &begin, &end);
        if (end > begin && end > count) count = end;
    }
    return count;
}

/* ---- Segments ----------------------------------------------------------------------------- */

/* o has that many numbers a row. */
static inline void begin_state(tile *t, size_t value_width)
{
    memset(t->output, 0, value_width * t->columns * sizeof(REAL));
    for (size_t i = 0; i < t->columns; i++) {
        t->now.high[i] = (REAL)-INFINITY;
        t->now.sum[i] = t->now.aside[i] = 0;
    }
}

static inline void copy_state(state *to, const state *from, size_t columns)
{
    memcpy(to->high, from->high, columns * sizeof(REAL));
    memcpy(to->sum, from->sum, columns * sizeof(REAL));
    memcpy(to->aside, from->aside, columns * sizeof(REAL));
}

/* The first segment is the total. False for the others, which are to be merged into it. */
static inline bool begin_total(tile *t)
{
    if (t->begun) return false;
    REAL *output = t->output;
    t->output = t->total;
    t->total = output;
    copy_state(&t->before, &t->now, t->columns);
    t->begun = true;
    return true;
}

/* A part is what a segment says of the rows, tile by tile: h, l, what is kept aside, and o. */
static inline size_t part_numbers(size_t columns, size_t value_width)
{
    return columns * (value_width + 3);
}

/* Writes a tile's part; returns where the next begins. */
static inline REAL *save_part(const tile *t, size_t value_width, REAL *to)
{
    const size_t columns = t->columns;
    memcpy(to, t->now.high, columns * sizeof(REAL));
    memcpy(to + columns, t->now.sum, columns * sizeof(REAL));
    memcpy(to + 2 * columns, t->now.aside, columns * sizeof(REAL));
    memcpy(to + 3 * columns, t->output, value_width * columns * sizeof(REAL));
    return to + part_numbers(columns, value_width);
}

static inline const REAL *restore_part(tile *t, size_t value_width, const REAL *from)
{
    const size_t columns = t->columns;
    memcpy(t->now.high, from, columns * sizeof(REAL));
    memcpy(t->now.sum, from + columns, columns * sizeof(REAL));
    memcpy(t->now.aside, from + 2 * columns, columns * sizeof(REAL));
    memcpy(t->output, from + 3 * columns, value_width * columns * sizeof(REAL));
    return from + part_numbers(columns, value_width);
}

/* ---- Results ------------------------------------------------------------------------------ */

/* What o of a row is multiplied by, and then divided by: l, with the sink's share in it. `high` is
 * h as a natural logarithm; a row that looks at nothing is divided by 1. */
static inline void share_with_sink(const tile *t, size_t lane, double high, REAL *scale,
                                   REAL *whole)
{
    const double sink = t->head[lane] == NULL ? -INFINITY : t->head[lane]->sink;
    const REAL sum = t->before.sum[lane];
    *scale = 1;
    *whole = sum == 0 ? 1 : sum;
    if (sink == -INFINITY || sum == 0) return;
    /* In double precision: once a row. */
    const double highest = high > sink ? high : sink, factor = exp(high - highest);
    *scale = (REAL)factor;
    *whole = (REAL)((double)sum * factor + exp(sink - highest));
}

/* ln(exp(sum) + exp(sink)) */
static inline double add_sink(double sum, double sink)
{
    if (sink == -INFINITY) return sum;
    const double larger = sum > sink ? sum : sink;
    return larger + log(exp(sum - larger) + exp(sink - larger));
}

/* h, as a natural logarithm, and l: of the rounded weights where there are such, by which o is
 * divided. */
static inline void store_level(const qkv__matrix *m, ptrdiff_t row, double high, double sum)
{
    double *to = (double *)m->data + row * m->row;
    to[0] = high;
    to[m->column] = sum;
}

/* Rows to be done again, because a number in them is not finite. */
typedef struct broken_rows {
    size_t count;
    const qkv__head *head[TILES * TILE];
    size_t query[TILES * TILE];
} broken_rows;

static inline void note_broken(broken_rows *rows, const tile *t, const bool *broken)
{
    for (size_t lane = 0; lane < t->rows; lane++)
        if (broken[lane]) {
            rows->head[rows->count] = t->head[lane];
            rows->query[rows->count++] = t->query[lane];
        }
}

#endif
