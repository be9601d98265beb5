/*
 * A task of a kernel whose rows lie side by side in tiles: take the rows, walk over the segments of
 * the keys, write results, do again what was not finite; or one segment alone, and the merge of
 * all. Included by the templates behind their arithmetic. It knows in which order things happen
 * and nothing of numbers.
 *
 * The includer brings tile.h, SEGMENT (keys), KERNEL_CAREFUL (the kernel that helps where nothing
 * else does), the type `bench` (a worker's memory, with its tiles, value_width and `alone`), and
 *
 *     lay_out          divides the worker's memory
 *     take_queries     loads a tile's queries
 *     enter_mode       sets the mode of the arithmetic; returns the one before, for leave_mode
 *     begin_products   sets the products up for a walk; end_products takes that back
 *     walk_segment     all tiles over the blocks of one segment
 *     end_segment      makes the segment a part of the total
 *     divide           o by l, and says which rows are broken
 *     store_rows       writes those that are not
 */
#ifndef QKV_ATTENTION_TASK_H
#define QKV_ATTENTION_TASK_H

#include <assert.h>

#include "attention/tile.h"

static void take_rows(const bench *b, tile *t, const qkv__rows *rows)
{
    place_rows(t, rows);
    take_queries(b, t);
}

/* Cuts the rows into tiles; returns how many. */
static size_t take_tiles(bench *b, const qkv__rows *rows)
{
    size_t count = 0;
    for (size_t begin = rows->begin; begin < rows->end; begin += TILE)
        take_rows(b, &b->tiles[count++],
                  &(qkv__rows){rows->heads, begin, at_most(begin + TILE, rows->end)});
    return count;
}

static void walk(bench *b, size_t tiles, const qkv__head *head)
{
    size_t begin = SIZE_MAX, end = 0;
    for (size_t i = 0; i < tiles; i++) {
        if (b->tiles[i].begin < begin) begin = b->tiles[i].begin;
        if (b->tiles[i].end > end) end = b->tiles[i].end;
    }
    begin = begin / SEGMENT * SEGMENT;
    begin_products();
    do {
        walk_segment(b, tiles, head, begin, at_most(begin + SEGMENT, end));
        for (size_t i = 0; i < tiles; i++) end_segment(b, &b->tiles[i]);
        begin += SEGMENT;
    } while (begin < end);
    end_products();
}

/* ---- Results ------------------------------------------------------------------------------ */

/* Writes the results of all tiles, and notes what is to be mended. */
static void finish(const bench *b, tile *tiles, size_t count, broken_rows *rows)
{
    rows->count = 0;
    for (size_t i = 0; i < count; i++) {
        bool broken[TILE];
        divide(b, &tiles[i], broken);
        store_rows(b, &tiles[i], broken);
        note_broken(rows, &tiles[i], broken);
    }
}

/* A row alone, without what is masked for it; whether that has helped. */
static bool finish_alone(const qkv__rows *row, void *workspace)
{
    bool broken[TILE];
    const unsigned mode = enter_mode();
    bench *b = lay_out(workspace, row);
    b->alone = true;
    take_tiles(b, row);
    walk(b, 1, row->heads);
    divide(b, &b->tiles[0], broken);
    store_rows(b, &b->tiles[0], broken);
    leave_mode(mode);
    return !broken[0];
}

/* Rows whose sum is not finite: alone, and if that is of no help, by the portable kernel, which
 * divides weights before it uses them. They come last, because that takes the memory. */
static void mend(const broken_rows *rows, void *workspace)
{
    for (size_t i = 0; i < rows->count; i++) {
        const qkv__rows row = {rows->head[i], rows->query[i], rows->query[i] + 1};
        if (!finish_alone(&row, workspace)) KERNEL_CAREFUL.forward(&row, workspace);
    }
}

/* The portable kernel gives whatever else is asked for. */
static void forward_carefully(const qkv__rows *rows, void *workspace)
{
    const size_t step = KERNEL_CAREFUL.rows;
    for (size_t begin = rows->begin; begin < rows->end; begin += step)
        KERNEL_CAREFUL.forward(&(qkv__rows){rows->heads, begin, at_most(begin + step, rows->end)},
                               workspace);
}

/* The output and its log-sum-exp come from here whatever else is asked for, so that their bits do
 * not depend on it. */
static void forward(const qkv__rows *rows, void *workspace)
{
    assert(rows->end > rows->begin && rows->end - rows->begin <= TILES * TILE);
    broken_rows broken;
    if (qkv__head_wants_more(rows->heads)) forward_carefully(rows, workspace);
    const unsigned mode = enter_mode();
    bench *b = lay_out(workspace, rows);
    const size_t tiles = take_tiles(b, rows);
    walk(b, tiles, rows->heads);
    finish(b, b->tiles, tiles, &broken);
    leave_mode(mode);
    mend(&broken, workspace);
}

/* ---- Segments apart ----------------------------------------------------------------------- */

static bool partial_bytes(const qkv__problem *problem, size_t rows, size_t *bytes)
{
    const size_t columns = round_up(rows, LANES);
    const size_t value_width = problem->value.shape[QKV__WIDTH];
    if (value_width > SIZE_MAX / 64 / (columns * sizeof(REAL))) return false;
    *bytes = round_up(part_numbers(columns, value_width) * sizeof(REAL), 64);
    return true;
}

static void partial(const qkv__rows *rows, size_t segment, void *part, void *workspace)
{
    const unsigned mode = enter_mode();
    bench *b = lay_out(workspace, rows);
    const size_t tiles = take_tiles(b, rows), begin = segment * SEGMENT;
    begin_products();
    walk_segment(b, tiles, rows->heads, begin, at_most(begin + SEGMENT, rows->heads[0].keys));
    end_products();
    REAL *to = part;
    for (size_t i = 0; i < tiles; i++) to = save_part(&b->tiles[i], b->value_width, to);
    leave_mode(mode);
}

static void merge(const qkv__rows *rows, const void *parts, size_t bytes, void *workspace)
{
    broken_rows broken;
    const unsigned mode = enter_mode();
    bench *b = lay_out(workspace, rows);
    const size_t tiles = take_tiles(b, rows);
    const size_t segments = (rows->heads[0].keys + SEGMENT - 1) / SEGMENT;
    for (size_t s = 0; s < segments; s++) {
        const void *part = (const unsigned char *)parts + s * bytes;
        const REAL *from = part;
        for (size_t i = 0; i < tiles; i++) {
            from = restore_part(&b->tiles[i], b->value_width, from);
            end_segment(b, &b->tiles[i]);
        }
    }
    finish(b, b->tiles, tiles, &broken);
    leave_mode(mode);
    mend(&broken, workspace);
}

#endif
