/*
 * The kernel in lanes: queries lie side by side in the lanes of vectors, keys and values are read
 * as they lie in the caller's memory, one number at a time for all lanes. Compiled once an
 * instruction set and precision by the files x86/lanes_*.c and arm/lanes_*.c, which say what a
 * vector is. It knows the rows of one task and nothing of threads.
 *
 * A tile is up to VECTORS vectors of rows. It walks over the keys in blocks of BLOCK keys that
 * begin at multiples of BLOCK. With c = log2(e), scores s_j of the block and a row's state (h, l,
 * o), h the highest score so far:
 *
 *     h' = max(h, max_j s_j),    p_j = 2^(c (s_j - h')),  f = 2^(c (h - h'))
 *     l  = l f + sum_j p_j,      o   = o f + sum_j p_j v_j
 *
 * Scores are the product of keys (block, width) and transposed queries (width, rows); outputs that
 * of transposed values (width, block) and p (block, rows), so that neither keys nor values need be
 * packed, and no operation goes across lanes.
 *
 * After each SEGMENT keys the state is merged into a total and begins anew. The total is the same
 * whether one worker walks over all segments or several share them.
 *
 * Why a row's bits do not depend on its surroundings: lanes do not meet, blocks and segments lie at
 * fixed keys, and a masked key has p_j = +0, which adds nothing; a block or a segment without a
 * key to look at multiplies by exactly 1 and adds 0. Where that fails because a value is not
 * finite, the row is done again alone, with masked values taken as 0.
 *
 * Why it is at least as accurate as a naive loop: products are fused into their sums; sums over
 * the width are cut into chunks of CHUNK terms, those over keys into blocks and segments; weights
 * are not divided one by one.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "attention/kernel.h"
#include "attention/lanes_load.h"
#include "attention/lanes_product.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "base/number.h"

#ifdef KERNEL_GRADIENT /* behind this file comes gradient_lanes_template.c */
extern const struct qkv__gradient_kernel KERNEL_GRADIENT;
#endif

enum {
    BLOCK = 128,
    SEGMENT = 1024,
    CHUNK = 64,
    START = 8, /* whole turns of the sums of weights */
    TILE = VECTORS * LANES,
    HANDFUL = LANES < 4 ? LANES : 4, /* rows that are not worth a transposition */
    TILES = 4,                       /* tiles of a task: they share what was loaded of a block */
};

#include "attention/tile.h"
#include "attention/lanes_dropout.h"

/* A worker's memory. */
typedef struct bench {
    size_t width, value_width;
    REAL scale;  /* what scores are still to be multiplied by */
    bool staged; /* scores are scaled first, because more is done to them */
    bool alone;  /* one row, of which masked values count as 0 */
    bool exact;  /* what rounding takes from l is kept: the log-sum-exp needs it, c does not */
    REAL *score; /* (BLOCK, columns): s, then p */
    REAL *stage; /* (BLOCK, columns): a mask */
    REAL *key;   /* (BLOCK, width): copied where the caller's cannot be read in place */
    REAL *value; /* (BLOCK, value_width) */
    REAL *few;   /* what lanes_decode.h needs */
    REAL ones[TILE];
    REAL key_scales[BLOCK + LANES]; /* of the block's keys, if they have scales */
    REAL value_scales[BLOCK];
    tile tiles[TILES];
} bench;

/* Keys of a block and rows of a task that memory is needed for, when there are so many in all. */
static size_t block_keys(size_t keys)
{
    return at_most(BLOCK, round_up(keys, START));
}

static size_t task_columns(size_t rows)
{
    return round_up(at_most(rows, TILES * TILE), LANES);
}

static size_t few_numbers(size_t keys, size_t value_width);

static bool workspace_bytes(const qkv__problem *problem, size_t *bytes)
{
    const size_t width = problem->query.shape[QKV__WIDTH];
    const size_t value_width = problem->value.shape[QKV__WIDTH];
    const size_t limit = SIZE_MAX / 64 / (4 * TILES * TILE * sizeof(REAL));
    size_t careful, rows;
    if (width > limit || value_width > limit || !KERNEL_CAREFUL.workspace(problem, &careful) ||
        !qkv__size_multiply(problem->query.shape[QKV__LENGTH], problem->group, &rows))
        return false;
    const size_t keys = block_keys(problem->key.shape[QKV__LENGTH]), columns = task_columns(rows);
    const size_t numbers = columns * (width + 2 * value_width) + 2 * keys * at_most(columns, TILE) +
                           keys * (round_up(width, 16) + round_up(value_width, 16)) +
                           few_numbers(problem->key.shape[QKV__LENGTH], value_width);
    *bytes = round_up(sizeof(bench), 64) + numbers * sizeof(REAL);
    if (*bytes < careful) *bytes = careful;
    return true;
}

/* ---- Loading ------------------------------------------------------------------------------- */

/* The scales of keys first to first + count - 1, which lie in one block, where there are some. */
static void load_scales(bench *b, const qkv__head *head, size_t first, size_t count)
{
    qkv__matrix key = head->key_scale, value = head->value_scale;
    key.column = key.row, value.column = value.row; /* a row of as many as there are keys */
    if (key.data != NULL) load_row(&key, 0, first, count, b->key_scales + first % BLOCK);
    if (value.data != NULL) load_row(&value, 0, first, count, b->value_scales + first % BLOCK);
}

/* Which matrix of a head. */
typedef enum row_kind { QUERY_ROW, MASK_ROW } row_kind;

static const qkv__matrix *row_matrix(const tile *t, size_t lane, row_kind kind)
{
    return kind == QUERY_ROW ? &t->head[lane]->query : &t->head[lane]->mask;
}

/* Numbers first to first + count - 1 of a row: in place if they can be read so, or else copied. */
static const REAL *read_row(const tile *t, size_t lane, row_kind kind, size_t first, size_t count,
                            REAL *copy)
{
    const qkv__matrix *m = row_matrix(t, lane, kind);
    const size_t row = t->query[lane];
    if (m->type == REAL_TYPE && m->column == 1)
        return (const REAL *)m->data + (ptrdiff_t)row * m->row + (ptrdiff_t)first;
    load_row(m, row, first, count, copy);
    if (kind == MASK_ROW) keep_finite(m, row, first, count, copy);
    return copy;
}

/* The same for a handful of rows that can be read in place, number by number: a transposition would
 * cost more than all else. */
static void load_few(const tile *t, row_kind kind, size_t first, size_t count, REAL *to)
{
    const REAL *rows[HANDFUL];
    ptrdiff_t column[HANDFUL];
    for (size_t lane = 0; lane < HANDFUL; lane++) {
        const size_t row = at_most(lane, t->rows - 1);
        const qkv__matrix *m = row_matrix(t, row, kind);
        column[lane] = m->column;
        rows[lane] = (const REAL *)m->data + (ptrdiff_t)t->query[row] * m->row +
                     (ptrdiff_t)first * m->column;
    }
    for (size_t i = 0; i < count; i++) {
        lanes all = lanes_all(rows[0][(ptrdiff_t)i * column[0]]);
        UNROLLED (lane, HANDFUL) all[lane] = rows[lane][(ptrdiff_t)i * column[lane]];
        lanes_store(to + i * LANES, all);
    }
}

/* Numbers first to first + count - 1 of LANES rows from `lane` on: to (count, columns). Whole
 * squares are read where they lie, if they can be; the rest goes through a copy. */
static void load_lanes(const tile *t, size_t lane, row_kind kind, size_t first, size_t count,
                       REAL *to)
{
    enum { SPAN = 4 * LANES };
    REAL copy[LANES][SPAN];
    const REAL *numbers[LANES];
    const unsigned char *rows[LANES];
    const qkv__matrix *any = row_matrix(t, 0, kind);
    const size_t whole = takes_vectors(any) ? count / LANES * LANES : 0;
    for (size_t i = 0; i < LANES && whole > 0; i++) {
        const size_t row = at_most(lane + i, t->rows - 1);
        rows[i] = row_at(row_matrix(t, row, kind), t->query[row], first);
    }
    if (whole > 0) transpose_rows(any->type, rows, whole, to, t->columns);
    for (size_t begin = whole; begin < count; begin += SPAN) {
        const size_t length = at_most(count - begin, SPAN);
        for (size_t i = 0; i < LANES; i++)
            numbers[i] =
                read_row(t, at_most(lane + i, t->rows - 1), kind, first + begin, length, copy[i]);
        for (size_t part = 0; part < length; part += LANES)
            transpose_square(numbers, part, length, to + (begin + part) * t->columns, t->columns);
    }
}

/*
 * The same of each row of the tile, one row per lane. Lanes beyond the rows hold what the last row
 * does, or the first; nobody looks at them.
 */
static void load_transposed(const tile *t, row_kind kind, size_t first, size_t count, REAL *to)
{
    if (t->rows <= HANDFUL && row_matrix(t, 0, kind)->type == REAL_TYPE) {
        load_few(t, kind, first, count, to);
        return;
    }
    for (size_t lane = 0; lane < t->columns; lane += LANES)
        load_lanes(t, lane, kind, first, count, to + lane);
}

static void take_queries(const bench *b, tile *t)
{
    load_transposed(t, QUERY_ROW, 0, b->width, t->transposed);
}

/* ---- Scores -------------------------------------------------------------------------------- */

static void multiply_keys(bench *b, const tile *t, broadcast key, size_t count)
{
    if (b->width == 0) memset(b->score, 0, count * t->columns * sizeof(REAL));
    for (size_t d = 0; d < b->width; d += CHUNK) {
        const size_t depth = b->width - d < CHUNK ? b->width - d : CHUNK;
        multiply(count, t->columns, depth, (broadcast){key.data + d, key.row, 1},
                 t->transposed + d * t->columns, t->columns, b->score, t->columns,
                 d == 0 ? NULL : b->ones);
    }
}

/* Scale, cap and ALiBi: what comes before masks. */
static void stage_scores(bench *b, const tile *t, size_t first, size_t count)
{
    const qkv__head *any = t->head[0];
    const REAL scale = (REAL)any->scale, cap = (REAL)any->softcap;
    for (size_t i = 0; i < count * t->columns; i += LANES)
        lanes_store(b->score + i, lanes_load(b->score + i) * scale);
    if (cap > 0)
        for (size_t i = 0; i < count * t->columns; i++)
            b->score[i] = cap * REAL_TANH(b->score[i] / cap);
    for (size_t lane = 0; lane < t->rows; lane++) {
        const qkv__head *head = t->head[lane];
        const ptrdiff_t position = (ptrdiff_t)t->query[lane] + head->offset;
        if (head->slope == 0.0) continue;
        for (size_t j = 0; j < count; j++)
            b->score[j * t->columns + lane] -=
                (REAL)(head->slope * fabs((double)(position - (ptrdiff_t)(first + j))));
    }
}

/* a where the lane of `which` is all ones, b where it is 0. */
static inline lanes choose(lane_bits which, lanes a, lanes b)
{
    lane_bits x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x = (x & which) | (y & ~which);
    memcpy(&a, &x, sizeof a);
    return a;
}

static void mask_scores(bench *b, const tile *t, size_t first, size_t count)
{
    const bool boolean = t->head[0]->mask.type == QKV_BOOL;
    const lanes hidden = lanes_all(-REAL_INFINITY), sign = lanes_all(boolean ? 0 : -REAL_INFINITY);
    load_transposed(t, MASK_ROW, first, count, b->stage);
    for (size_t i = 0; i < count * t->columns; i += LANES) {
        const lanes mask = lanes_load(b->stage + i), score = lanes_load(b->score + i);
        lanes_store(b->score + i,
                    choose((lane_bits)(mask == sign), hidden, boolean ? score : score + mask));
    }
}

/* What a row may not look at by position gets -infinity, without regard to what was there. */
static void hide_positions(bench *b, const tile *t, size_t first, size_t count)
{
    REAL begin[TILE], end[TILE]; /* the keys of each row within the block */
    for (size_t lane = 0; lane < t->columns; lane++) {
        const size_t from = t->first[lane] < first ? 0 : t->first[lane] - first;
        const size_t past = t->past[lane] < first ? 0 : t->past[lane] - first;
        begin[lane] = (REAL)(from < count ? from : count);
        end[lane] = (REAL)(past < count ? past : count);
    }
    for (size_t lane = 0; lane < t->columns; lane += LANES) {
        const lanes from = lanes_load(begin + lane), past = lanes_load(end + lane);
        for (size_t j = 0; j < count; j++) {
            REAL *score = b->score + j * t->columns + lane;
            const lanes key = lanes_all((REAL)j);
            lanes_store(score, choose((lane_bits)((key >= from) & (key < past)), lanes_load(score),
                                      lanes_all(-REAL_INFINITY)));
        }
    }
}

/* Whether products are not yet scores. */
static bool scores_unfinished(const bench *b, const tile *t, size_t first, size_t count)
{
    return b->staged || t->head[0]->mask.data != NULL || first < t->inner ||
           first + count > t->inner_end;
}

static void finish_scores(bench *b, const tile *t, size_t first, size_t count)
{
    if (b->staged) stage_scores(b, t, first, count);
    if (t->head[0]->mask.data != NULL) mask_scores(b, t, first, count);
    if (first < t->inner || first + count > t->inner_end) hide_positions(b, t, first, count);
}

/* ---- The streaming softmax ----------------------------------------------------------------- */

/* An h to subtract that is a number even where nothing may be looked at. */
static inline lanes safe(lanes high)
{
    return lanes_max(lanes_all(-REAL_LARGEST), high);
}

/* a + b - sum, where sum is a + b rounded (Knuth). */
static inline lanes lost_in(lanes a, lanes b, lanes sum)
{
    const lanes back = sum - a;
    return (a - (sum - back)) + (b - back);
}

/* What rounding takes from old * change + added. */
static inline lanes lost_in_update(lanes old, lanes change, lanes added, lanes sum)
{
    const lanes product = old * change;
    return lost_in(added, product, sum) + lanes_fma(old, change, -product);
}

/* What rounding takes from the sum of p, in the order in which `soften` adds. */
static lanes lost_in_sum(const REAL *p, size_t columns, size_t count)
{
    lanes sum[4] = {{0}}, lost = {0};
    for (size_t j = 0; j < count; j++) {
        const lanes before = sum[j % 4], term = lanes_load(p + j * columns);
        sum[j % 4] = before + term;
        lost += lost_in(before, term, sum[j % 4]);
    }
    const lanes left = sum[0] + sum[1], right = sum[2] + sum[3];
    return lost + lost_in(sum[0], sum[1], left) + lost_in(sum[2], sum[3], right) +
           lost_in(left, right, left + right);
}

/* Turns the scores of one vector of rows into p, brings h and l up to date, and gives f. */
static void soften(const bench *b, tile *t, size_t lane, size_t count, REAL *f)
{
    const size_t columns = t->columns;
    const exponent c = exponent_make();
    const lanes scale = lanes_all(b->scale);
    REAL *score = b->score + lane;
    lanes largest[4];
    for (size_t i = 0; i < 4; i++) largest[i] = lanes_all(-REAL_INFINITY);
    size_t j = 0;
    for (; j + 4 <= count; j += 4)
#pragma GCC unroll 4
        for (size_t i = 0; i < 4; i++)
            largest[i] = lanes_max(largest[i], lanes_load(score + (j + i) * columns));
    for (; j < count; j++) largest[0] = lanes_max(largest[0], lanes_load(score + j * columns));
    const lanes top = lanes_max(lanes_max(largest[0], largest[1]), //
                                lanes_max(largest[2], largest[3]));

    const lanes before = lanes_load(t->now.high + lane);
    const lanes high = lanes_max(before, top * scale), shift = safe(high);
    const lanes change = lanes_exp2(before - shift, &c);
    lanes sum[4] = {{0}};
    for (j = 0; j + 4 <= count; j += 4)
#pragma GCC unroll 4
        for (size_t i = 0; i < 4; i++) {
            REAL *at = score + (j + i) * columns;
            const lanes p = lanes_exp2(lanes_load(at) * scale - shift, &c);
            sum[i] += p;
            lanes_store(at, p);
        }
    for (size_t i = 0; j < count; i++, j++) {
        const lanes p = lanes_exp2(lanes_load(score + j * columns) * scale - shift, &c);
        sum[i] += p;
        lanes_store(score + j * columns, p);
    }
    const lanes all = (sum[0] + sum[1]) + (sum[2] + sum[3]), old = lanes_load(t->now.sum + lane);
    const lanes now = lanes_fma(old, change, all);
    if (b->exact) {
        const lanes lost =
            lanes_fma(lanes_load(t->now.aside + lane), change,
                      lost_in_sum(score, columns, count) + lost_in_update(old, change, all, now));
        lanes_store(t->now.aside + lane, lost);
    }
    lanes_store(t->now.high + lane, high);
    lanes_store(t->now.sum + lane, now);
    lanes_store(f + lane, change);
}

/* For a row alone: values of keys that are masked for it count as 0. */
static broadcast zero_masked(bench *b, broadcast value, size_t columns, size_t first, size_t count)
{
    for (size_t j = 0; j < count; j++) {
        if (b->score[j * columns] == -REAL_INFINITY) b->value_scales[first % BLOCK + j] = 0;
        for (size_t d = 0; d < b->value_width; d++)
            b->value[j * b->value_width + d] =
                b->score[j * columns] == -REAL_INFINITY
                    ? 0
                    : value.data[(ptrdiff_t)j * value.row + (ptrdiff_t)d];
    }
    return (broadcast){b->value, (ptrdiff_t)b->value_width, 1};
}

/* Multiplies each key's numbers in b->score by its scale. */
static void scale_keys(bench *b, const tile *t, const REAL *scales, size_t count)
{
    for (size_t j = 0; j < count; j++)
        for (size_t i = j * t->columns; i < (j + 1) * t->columns; i += LANES)
            lanes_store(b->score + i, lanes_load(b->score + i) * scales[j]);
}

/* Sets the weights that are dropped to 0, and makes up for them in the others. The stage of masks
 * is free by now. */
static void drop_weights(bench *b, const tile *t, size_t first, size_t count)
{
    find_dropped(t, first, count, b->stage);
    for (size_t i = 0; i < count * t->columns; i += LANES)
        lanes_store(b->score + i, lanes_load(b->score + i) * lanes_load(b->stage + i));
}

/* The keys first to first + count - 1 of a tile. */
static void walk_block(bench *b, tile *t, broadcast key, broadcast value, size_t first,
                       size_t count)
{
    REAL f[TILE];
    multiply_keys(b, t, key, count);
    if (t->head[0]->key_scale.data != NULL) scale_keys(b, t, b->key_scales + first % BLOCK, count);
    if (scores_unfinished(b, t, first, count)) finish_scores(b, t, first, count);
    if (b->alone) value = zero_masked(b, value, t->columns, first, count);
    for (size_t lane = 0; lane < t->columns; lane += LANES) soften(b, t, lane, count, f);
    if (t->head[0]->dropout.on) drop_weights(b, t, first, count);
    if (t->head[0]->value_scale.data != NULL)
        scale_keys(b, t, b->value_scales + first % BLOCK, count);
    multiply(b->value_width, t->columns, count, (broadcast){value.data, 1, value.row}, b->score,
             t->columns, t->output, t->columns, f);
}

/* The segment is done: it becomes the total, or is merged into it. */
static void end_segment(const bench *b, tile *t)
{
    if (begin_total(t)) return;
    for (size_t lane = 0; lane < t->columns; lane += LANES) {
        const exponent c = exponent_make();
        const lanes before = lanes_load(t->before.high + lane),
                    now = lanes_load(t->now.high + lane);
        const lanes highest = lanes_max(before, now), shift = safe(highest);
        const lanes f = lanes_exp2(before - shift, &c), g = lanes_exp2(now - shift, &c);
        const lanes old = lanes_load(t->before.sum + lane),
                    added = lanes_load(t->now.sum + lane) * g;
        const lanes sum = lanes_fma(old, f, added);
        const lanes lost =
            lanes_fma(lanes_load(t->before.aside + lane), f,
                      lanes_load(t->now.aside + lane) * g + lost_in_update(old, f, added, sum));
        lanes_store(t->before.high + lane, highest);
        lanes_store(t->before.sum + lane, sum);
        lanes_store(t->before.aside + lane, lost);
        for (size_t d = 0; d < b->value_width; d++) {
            REAL *total = t->total + d * t->columns + lane;
            const lanes output = lanes_load(t->output + d * t->columns + lane);
            lanes_store(total, lanes_fma(lanes_load(total), f, output * g));
        }
    }
}

#ifdef LANES_WIDE
#include "attention/lanes_decode.h"
#else
static size_t few_numbers(size_t keys, size_t value_width)
{
    (void)keys, (void)value_width;
    return 0;
}
#endif

/* ---- The walk ------------------------------------------------------------------------------ */

static bench *lay_out(void *workspace, const qkv__rows *rows)
{
    const qkv__head *head = rows->heads;
    bench *b = workspace;
    b->width = head->width;
    b->value_width = head->value_width;
    b->alone = false;
    b->exact = head->log_sum_exp.data != NULL;
    b->staged = head->softcap > 0.0 || !(head->scale > 0.0) ||
                rows->heads[qkv__rows_head(rows)].slope != 0.0 ||
                (head->mask.data != NULL && head->mask.type != QKV_BOOL);
    b->scale = b->staged ? 1 : (REAL)head->scale;
    for (size_t i = 0; i < TILE; i++) b->ones[i] = 1;
    REAL *memory = (REAL *)((unsigned char *)workspace + round_up(sizeof(bench), 64));
    const size_t keys = block_keys(head->keys), rows_here = rows->end - rows->begin;
    b->score = memory;
    b->stage = b->score + keys * at_most(task_columns(rows_here), TILE);
    b->key = b->stage + keys * at_most(task_columns(rows_here), TILE);
    b->value = b->key + keys * round_up(b->width, 16);
    b->few = b->value + keys * round_up(b->value_width, 16);
    memory = b->few + few_numbers(head->keys, b->value_width);
    for (size_t i = 0; i * TILE < rows_here; i++) {
        tile *t = &b->tiles[i];
        const size_t columns = round_up(at_most(rows_here - i * TILE, TILE), LANES);
        t->transposed = memory;
        t->output = t->transposed + columns * b->width;
        t->total = t->output + columns * b->value_width;
        memory = t->total + columns * b->value_width;
    }
    return b;
}

static broadcast rows_from(broadcast rows, size_t skip)
{
    return (broadcast){rows.data + (ptrdiff_t)skip * rows.row, rows.row, rows.column};
}

/* All tiles over the blocks of one segment. */
static void walk_segment(bench *b, size_t tiles, const qkv__head *head, size_t begin, size_t end)
{
    for (size_t i = 0; i < tiles; i++) begin_state(&b->tiles[i], b->value_width);
#ifdef LANES_WIDE
    if (tiles == 1 && few_takes(b, &b->tiles[0])) {
        few_walk_segment(b, &b->tiles[0], head, begin, end);
        return;
    }
#endif
    for (size_t first = begin; first < end; first += BLOCK) {
        const size_t count = tiles_range(b->tiles, tiles, first);
        if (count == 0) continue;
        const broadcast key = load_block(&head->key, first, count, b->width, b->key);
        const broadcast value = load_block(&head->value, first, count, b->value_width, b->value);
        load_scales(b, head, first, count);
        for (size_t i = 0; i < tiles; i++) {
            size_t from, past;
            tile_range(&b->tiles[i], first, &from, &past);
            if (from < past)
                walk_block(b, &b->tiles[i], rows_from(key, from), rows_from(value, from),
                           first + from, past - from);
        }
    }
}

/* ---- Results ------------------------------------------------------------------------------- */

/* The same as load_few, back. */
static void store_few(const bench *b, const tile *t, const bool *broken)
{
    for (size_t lane = 0; lane < t->rows; lane++) {
        const qkv__matrix *m = &t->head[lane]->output;
        REAL *to = (REAL *)m->data + (ptrdiff_t)t->query[lane] * m->row;
        for (size_t d = 0; d < b->value_width && !broken[lane]; d++)
            to[(ptrdiff_t)d * m->column] = t->total[d * LANES + lane];
    }
}

/* Numbers of the outputs of LANES rows, from number `first` on: fewer than LANES, or in a type or
 * at strides that vectors are not stored in. */
static void store_part(const bench *b, const tile *t, size_t lane, size_t first,
                       unsigned char *const rows[LANES])
{
    const size_t length = at_most(b->value_width - first, LANES);
    lanes square[LANES] = {{0}};
    for (size_t d = 0; d < length; d++)
        square[d] = lanes_load(t->total + (first + d) * t->columns + lane);
    transpose(square);
    for (size_t i = 0; i < LANES; i++)
        if (rows[i] != NULL)
            store_row(&t->head[lane + i]->output, t->query[lane + i], first, length,
                      (const REAL *)&square[i]);
}

/* The outputs of LANES rows from `lane` on, transposed back square by square. */
static void store_lanes(const bench *b, const tile *t, size_t lane, const bool *broken)
{
    unsigned char *rows[LANES]; /* NULL: nothing is to be written */
    const qkv__matrix *any = &t->head[0]->output;
    const size_t whole = takes_vectors(any) ? b->value_width / LANES * LANES : 0;
    for (size_t i = 0; i < LANES; i++)
        rows[i] = lane + i >= t->rows || broken[lane + i]
                      ? NULL
                      : row_at(&t->head[lane + i]->output, t->query[lane + i], 0);
    if (whole > 0) store_transposed(any->type, t->total + lane, t->columns, whole, rows);
    for (size_t first = whole; first < b->value_width; first += LANES)
        store_part(b, t, lane, first, rows);
}

/* The outputs of the rows that are not broken. */
static void store_outputs(const bench *b, const tile *t, const bool *broken)
{
    if (t->rows <= HANDFUL && t->head[0]->output.type == REAL_TYPE) {
        store_few(b, t, broken);
        return;
    }
    for (size_t lane = 0; lane < t->rows; lane += LANES) store_lanes(b, t, lane, broken);
}

/* What o is multiplied by, and then divided by: l, with the sinks' share in it. */
static void find_divisors(const tile *t, REAL *scale, REAL *whole)
{
    for (size_t lane = 0; lane < t->columns; lane += LANES) {
        const lanes sum = lanes_load(t->before.sum + lane);
        lanes_store(scale + lane, lanes_all(1));
        lanes_store(whole + lane, choose((lane_bits)(sum == 0), lanes_all(1), sum));
    }
    for (size_t lane = 0; lane < t->rows; lane++)
        if (t->head[lane]->sink != -INFINITY)
            share_with_sink(t, lane, (double)t->before.high[lane], &scale[lane], &whole[lane]);
}

/* Divides by l; a row that looks at nothing becomes 0. */
static void divide(const bench *b, tile *t, bool *broken)
{
    REAL scale[TILE], whole[TILE];
    find_divisors(t, scale, whole);
    for (size_t lane = 0; lane < t->columns; lane += LANES) {
        const lanes multiplier = lanes_load(scale + lane), divisor = lanes_load(whole + lane);
        lanes probe = lanes_load(t->before.sum + lane) * 0; /* NaN where a number is not finite */
        for (size_t d = 0; d < b->value_width; d++) {
            REAL *at = t->total + d * t->columns + lane;
            /* + 0: a zero has no sign, however many segments it went through */
            const lanes value = (lanes_load(at) + 0) * multiplier / divisor;
            probe += value * 0;
            lanes_store(at, value);
        }
        REAL probes[LANES];
        lanes_store(probes, probe);
        for (size_t i = 0; lane + i < t->rows && i < LANES; i++)
            broken[lane + i] = !(probes[i] == 0);
    }
}

/* ln(exp(sink) + sum_j exp(s_j)) from h and l. */
static double log_sum_exp(const tile *t, size_t lane)
{
    const double high = (double)t->before.high[lane];
    /* l is 1 and more; what it has beyond 1 may be small and must keep its digits. */
    const double beyond = ((double)t->before.sum[lane] - 1.0) + (double)t->before.aside[lane];
    const double sum = t->before.sum[lane] == 0 ? -INFINITY : high + log1p(beyond);
    return add_sink(sum, t->head[lane]->sink);
}

static void store_rows(const bench *b, const tile *t, const bool *broken)
{
    store_outputs(b, t, broken);
    for (size_t lane = 0; lane < t->rows; lane++) {
        const qkv__matrix *m = &t->head[lane]->log_sum_exp, *part = &t->head[lane]->level;
        const ptrdiff_t row = (ptrdiff_t)t->query[lane];
        if (m->data != NULL && !broken[lane])
            qkv__store(m->type, m->data, row * m->row, log_sum_exp(t, lane));
        if (part->data != NULL && !broken[lane])
            store_level(part, row, (double)t->before.high[lane], (double)t->before.sum[lane]);
    }
}

/* ---- The task ------------------------------------------------------------------------------ */

/* The arithmetic is the caller's, and the products need nothing set up. */
static inline unsigned enter_mode(void)
{
    return 0;
}

static inline void leave_mode(unsigned before)
{
    (void)before;
}

static inline void begin_products(void)
{
}

static inline void end_products(void)
{
}

#include "attention/task.h"

const qkv__kernel KERNEL = {
    .name = KERNEL_NAME,
    .compute = REAL_TYPE,
    .features = KERNEL_FEATURES,
    .rows = TILES * TILE,
    .grain = TILE,
    .segment = SEGMENT,
    .drops = true,
    .workspace = workspace_bytes,
    .forward = forward,
    .partial_bytes = partial_bytes,
    .partial = partial,
    .merge = merge,
#ifdef KERNEL_GRADIENT
    .gradient = &KERNEL_GRADIENT,
#endif
};
