/*
 * The portable kernel: blocked, with a streaming softmax, in one precision. Compiled twice, by
 * portable_f32.c and portable_f64.c, which define REAL and the names that depend on it. It is
 * written with the compiler's vector types of 16 bytes, which gcc and clang turn into whatever
 * the machine has. It knows one head at a time and nothing of threads.
 *
 * A tile of up to TILE_ROWS queries walks over the keys in blocks of BLOCK_KEYS that begin at
 * multiples of BLOCK_KEYS, whatever the tile. For row i of the tile, with block scores s_j:
 *
 *     m' = max(m, max_j s_j),  p_j = exp(s_j - m'),  f = exp(m - m')
 *     l  = l f + sum_j p_j,    o   = o f + sum_j p_j v_j
 *
 * and in the end c_i = o / l. Why a row's bits do not depend on its surroundings: every row goes
 * through the same operations in the same order, blocks lie at fixed keys, and a masked key has
 * p_j = +0, which adds nothing, not even a sign: o is never -0 behind a block, because the sums
 * added to it start from +0.
 *
 * Why it is at least as accurate as a naive loop: sums are cut into chunks of CHUNK terms, even
 * and odd terms apart, and the chunks added up, so that errors grow with the number of chunks,
 * not of terms; the division by l comes once, behind the sum; and l, whose error every result of
 * the row would share, is summed with its rounding errors kept (Knuth's two-sum).
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "attention/exponential.h"
#include "attention/kernel.h"
#include "base/number.h"

enum {
    TILE_ROWS = 64,
    BLOCK_KEYS = 64,
    CHUNK = 16,
    PANEL_ROWS = 4, /* rows that the innermost loop keeps in registers */
    LANES = 16 / (int)sizeof(REAL),
};

typedef REAL lanes __attribute__((vector_size(16)));

/* Everything a tile needs, laid out in the worker's memory. */
typedef struct tile {
    const qkv__head *head;
    size_t first_row, rows;  /* rows of the head that this tile covers */
    size_t padded_width;     /* of v and o: a multiple of LANES */
    REAL *query;             /* (TILE_ROWS, width) */
    REAL *key;               /* (width, BLOCK_KEYS): transposed */
    REAL *value;             /* (BLOCK_KEYS, padded_width) */
    REAL *output;            /* (TILE_ROWS, padded_width): o */
    REAL *score;             /* (TILE_ROWS, BLOCK_KEYS): s, then p */
    REAL max[TILE_ROWS];     /* m */
    REAL sum[TILE_ROWS];     /* l */
    REAL sum_low[TILE_ROWS]; /* what rounding has taken from l */
    bool redo[TILE_ROWS];    /* o overflowed: weights must be divided before they are used */
    REAL moment[TILE_ROWS];  /* sum_j p_j (s_j - m), for the entropy */
} tile;

static size_t round_up(size_t value, size_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

static bool workspace_bytes(const qkv__problem *problem, size_t *bytes)
{
    const size_t width = problem->query.shape[QKV__WIDTH];
    const size_t value_width = problem->value.shape[QKV__WIDTH];
    const size_t limit = SIZE_MAX / 64 / (4 * TILE_ROWS * sizeof(REAL));
    if (width > limit || value_width > limit) return false;
    const size_t queries = problem->query.shape[QKV__LENGTH];
    const size_t rows = round_up(queries < TILE_ROWS ? queries : TILE_ROWS, PANEL_ROWS);
    const size_t padded = round_up(value_width, LANES);
    const size_t numbers = rows * (width + padded + BLOCK_KEYS) + BLOCK_KEYS * (width + padded);
    *bytes = round_up(sizeof(tile), 64) + numbers * sizeof(REAL);
    return true;
}

static tile *lay_out(void *workspace, const qkv__head *head, size_t row_begin, size_t row_end)
{
    tile *t = workspace;
    t->head = head;
    t->first_row = row_begin;
    t->rows = row_end - row_begin;
    t->padded_width = round_up(head->value_width, LANES);
    const size_t rows = round_up(t->rows, PANEL_ROWS);
    /* In this order each array begins at a multiple of 16 bytes. */
    t->key = (REAL *)((unsigned char *)workspace + round_up(sizeof(tile), 64));
    t->value = t->key + BLOCK_KEYS * head->width;
    t->score = t->value + BLOCK_KEYS * t->padded_width;
    t->output = t->score + rows * BLOCK_KEYS;
    t->query = t->output + rows * t->padded_width;
    return t;
}

/* ---- Between the caller's memory and the tile --------------------------------------------- */

/* `count` elements of a row, from any type and stride. */
static void load_row(const qkv__matrix *m, size_t row, size_t count, REAL *to, size_t step)
{
    const ptrdiff_t base = (ptrdiff_t)row * m->row, stride = m->column;
    if (count == 0) return; /* an empty matrix has no data to point into */
    if (m->type == REAL_TYPE) {
        const REAL *from = (const REAL *)m->data + base;
        for (size_t i = 0; i < count; i++) to[i * step] = from[(ptrdiff_t)i * stride];
    } else {
        for (size_t i = 0; i < count; i++)
            to[i * step] = (REAL)qkv__load(m->type, m->data, base + (ptrdiff_t)i * stride);
    }
}

static void store_row(const qkv__matrix *m, size_t row, size_t first, size_t count,
                      const REAL *from)
{
    const ptrdiff_t base = (ptrdiff_t)row * m->row + (ptrdiff_t)first * m->column;
    for (size_t i = 0; i < count; i++)
        qkv__store(m->type, m->data, base + (ptrdiff_t)i * m->column, (double)from[i]);
}

static void fill_row(const qkv__matrix *m, size_t row, size_t first, size_t count, double value)
{
    if (m->data == NULL) return;
    const ptrdiff_t base = (ptrdiff_t)row * m->row + (ptrdiff_t)first * m->column;
    for (size_t i = 0; i < count; i++)
        qkv__store(m->type, m->data, base + (ptrdiff_t)i * m->column, value);
}

static void load_queries(tile *t)
{
    const size_t width = t->head->width, padded_rows = round_up(t->rows, PANEL_ROWS);
    for (size_t i = 0; i < t->rows; i++)
        load_row(&t->head->query, t->first_row + i, width, t->query + i * width, 1);
    if (width > 0)
        memset(t->query + t->rows * width, 0, (padded_rows - t->rows) * width * sizeof(REAL));
}

/* A row of keys or values, times its scale if it has one. */
static void load_scaled(const qkv__matrix *m, const qkv__matrix *scales, size_t row, size_t count,
                        REAL *to, size_t step)
{
    load_row(m, row, count, to, step);
    if (scales->data == NULL) return;
    const REAL scale = (REAL)qkv__matrix_get(scales, row, 0);
    for (size_t i = 0; i < count; i++) to[i * step] *= scale;
}

static void load_keys(tile *t, size_t first, size_t count)
{
    const size_t width = t->head->width;
    for (size_t j = 0; j < count; j++)
        load_scaled(&t->head->key, &t->head->key_scale, first + j, width, t->key + j, BLOCK_KEYS);
    for (size_t j = count; j < round_up(count, LANES); j++)
        for (size_t d = 0; d < width; d++) t->key[d * BLOCK_KEYS + j] = 0;
}

/* Returns whether all values are finite: only then is 0 times a value 0. */
static bool load_values(tile *t, size_t first, size_t count)
{
    const size_t width = t->head->value_width, padded = t->padded_width;
    REAL probe = 0; /* a sum of zeros, NaN as soon as a value is not finite */
    for (size_t j = 0; j < count; j++) {
        REAL *row = t->value + j * padded;
        load_scaled(&t->head->value, &t->head->value_scale, first + j, width, row, 1);
        for (size_t d = width; d < padded; d++) row[d] = 0;
        for (size_t d = 0; d < width; d++) probe += row[d] * 0;
    }
    return probe == 0;
}

/* ---- Products -------------------------------------------------------------------------- */

/*
 * c (rows, LANES) += a (rows, depth) b (depth, LANES), in chunks; `rows` is a constant where this
 * is inlined. b has `b_stride` numbers a row. Each result is the same sum in the same order
 * whatever `rows` is.
 */
static inline void multiply_panel(size_t rows, size_t depth, const REAL *a, size_t a_stride,
                                  const REAL *b, size_t b_stride, REAL *c, size_t c_stride)
{
    for (size_t begin = 0; begin < depth; begin += CHUNK) {
        const size_t end = begin + CHUNK < depth ? begin + CHUNK : depth;
        lanes even[PANEL_ROWS] = {{0}}, odd[PANEL_ROWS] = {{0}};
        size_t k = begin;
        for (; k + 1 < end; k += 2) {
            lanes b_even, b_odd;
            memcpy(&b_even, b + k * b_stride, sizeof b_even);
            memcpy(&b_odd, b + (k + 1) * b_stride, sizeof b_odd);
            for (size_t i = 0; i < rows; i++) {
                even[i] += a[i * a_stride + k] * b_even;
                odd[i] += a[i * a_stride + k + 1] * b_odd;
            }
        }
        if (k < end) {
            lanes b_even;
            memcpy(&b_even, b + k * b_stride, sizeof b_even);
            for (size_t i = 0; i < rows; i++) even[i] += a[i * a_stride + k] * b_even;
        }
        for (size_t i = 0; i < rows; i++) {
            lanes total;
            memcpy(&total, c + i * c_stride, sizeof total);
            total += even[i] + odd[i];
            memcpy(c + i * c_stride, &total, sizeof total);
        }
    }
}

/* c (rows, columns) += a (rows, depth) b (depth, columns); columns is a multiple of LANES, and
 * c and a have rows up to a multiple of PANEL_ROWS unless rows is 1. */
static void multiply(size_t rows, size_t columns, size_t depth, const REAL *a, size_t a_stride,
                     const REAL *b, size_t b_stride, REAL *c, size_t c_stride)
{
    for (size_t j = 0; j < columns; j += LANES) {
        if (rows == 1) { /* decoding: one query; a panel of four would waste three */
            multiply_panel(1, depth, a, a_stride, b + j, b_stride, c + j, c_stride);
            continue;
        }
        for (size_t i = 0; i < rows; i += PANEL_ROWS)
            multiply_panel(PANEL_ROWS, depth, a + i * a_stride, a_stride, b + j, b_stride,
                           c + i * c_stride + j, c_stride);
    }
}

/* The same for one row whose masked keys must not be touched: some value is not finite. */
static void multiply_unmasked(size_t count, const REAL *weight, const bool *masked,
                              const REAL *value, size_t padded, REAL *output)
{
    for (size_t d = 0; d < padded; d++)
        for (size_t begin = 0; begin < count; begin += CHUNK) {
            const size_t end = begin + CHUNK < count ? begin + CHUNK : count;
            REAL sum[2] = {0, 0}; /* even and odd, as above */
            for (size_t j = begin; j < end; j++)
                if (!masked[j]) sum[(j - begin) % 2] += weight[j] * value[j * padded + d];
            output[d] += sum[0] + sum[1];
        }
}

/* ---- Scores ------------------------------------------------------------------------------ */

static void emit(const qkv__matrix *m, const tile *t, size_t first, size_t count)
{
    if (m->data == NULL) return;
    for (size_t i = 0; i < t->rows; i++)
        store_row(m, t->first_row + i, first, count, t->score + i * BLOCK_KEYS);
}

/* A row of a mask. A finite entry of a wider type stays finite: only -infinity itself masks. */
static void load_mask(const qkv__matrix *m, size_t row, size_t count, REAL *to)
{
    load_row(m, row, count, to, 1);
    for (size_t j = 0; m->type == QKV_F64 && REAL_TYPE != QKV_F64 && j < count; j++) {
        const double entry = qkv__matrix_get(m, row, j);
        if (isfinite(entry) && isinf(to[j])) to[j] = entry < 0 ? -REAL_LARGEST : REAL_LARGEST;
    }
}

/* ALiBi, the mask and the positions, on the scores of one row; what may not be looked at gets
 * -infinity without regard to what was there. */
static void mask_row(const tile *t, size_t i, size_t first, size_t count)
{
    const qkv__head *head = t->head;
    const size_t row = t->first_row + i;
    REAL *score = t->score + i * BLOCK_KEYS;
    size_t begin, end;
    qkv__head_range(head, row, &begin, &end);

    if (head->slope != 0.0)
        for (size_t j = 0; j < count; j++) {
            ptrdiff_t distance = (ptrdiff_t)row + head->offset - (ptrdiff_t)(first + j);
            score[j] -= (REAL)(head->slope * fabs((double)distance));
        }
    if (head->mask.data != NULL) {
        REAL mask[BLOCK_KEYS];
        qkv__matrix part = head->mask;
        part.data = (unsigned char *)part.data +
                    (ptrdiff_t)first * part.column * (ptrdiff_t)qkv_type_size(part.type);
        load_mask(&part, row, count, mask);
        if (part.type == QKV_BOOL)
            for (size_t j = 0; j < count; j++) score[j] = mask[j] != 0 ? score[j] : -REAL_INFINITY;
        else
            for (size_t j = 0; j < count; j++)
                score[j] = mask[j] == -REAL_INFINITY ? -REAL_INFINITY : score[j] + mask[j];
    }
    for (size_t j = 0; j < count && first + j < begin; j++) score[j] = -REAL_INFINITY;
    for (size_t j = end > first ? end - first : 0; j < count; j++) score[j] = -REAL_INFINITY;
    for (size_t j = count; j < round_up(count, LANES); j++) score[j] = -REAL_INFINITY;
}

/* The masked scores of keys first to first + count - 1, writing the stages that are wanted. */
static void score_block(tile *t, size_t first, size_t count, bool write)
{
    const qkv__head *head = t->head;
    const size_t padded_rows = t->rows == 1 ? 1 : round_up(t->rows, PANEL_ROWS);
    const size_t columns = round_up(count, LANES);
    const REAL scale = (REAL)head->scale, cap = (REAL)head->softcap;

    load_keys(t, first, count);
    memset(t->score, 0, padded_rows * BLOCK_KEYS * sizeof(REAL));
    multiply(t->rows, columns, head->width, t->query, head->width, t->key, BLOCK_KEYS, t->score,
             BLOCK_KEYS);
    for (size_t i = 0; i < padded_rows; i++)
        for (size_t j = 0; j < columns; j++) t->score[i * BLOCK_KEYS + j] *= scale;
    if (write) emit(&head->scores_raw, t, first, count);
    if (cap > 0)
        for (size_t i = 0; i < t->rows; i++)
            for (size_t j = 0; j < count; j++) {
                REAL *score = &t->score[i * BLOCK_KEYS + j];
                *score = cap * REAL_TANH(*score / cap);
            }
    if (write) emit(&head->scores_capped, t, first, count);
    for (size_t i = 0; i < t->rows; i++) mask_row(t, i, first, count);
    if (write) emit(&head->scores_masked, t, first, count);
}

/* ---- The streaming softmax ------------------------------------------------------------------ */

/* A maximum to subtract that is a number even where nothing may be looked at. */
static REAL safe(REAL max)
{
    return max == -REAL_INFINITY ? 0 : max;
}

/* high + low += term, exactly but for the rounding of low. */
static void add_exactly(REAL *high, REAL *low, REAL term)
{
    const REAL sum = *high + term, back = sum - *high;
    *low += (*high - (sum - back)) + (term - back);
    *high = sum;
}

/* l of row i += the sum of p; the lanes are summed apart, then added in one fixed order. */
static void add_to_sum(tile *t, size_t i, const REAL *p, size_t columns)
{
    lanes high = {0}, low = {0};
    for (size_t j = 0; j < columns; j += LANES) {
        lanes term;
        memcpy(&term, p + j, sizeof term);
        const lanes sum = high + term, back = sum - high;
        low += (high - (sum - back)) + (term - back);
        high = sum;
    }
    for (int lane = 0; lane < LANES; lane++) {
        add_exactly(&t->sum[i], &t->sum_low[i], high[lane]);
        t->sum_low[i] += low[lane];
    }
}

/* Turns the scores of row i into p, brings m, l and o up to date, and says if any p is not 0. */
static void soften_row(tile *t, size_t i, size_t count)
{
    REAL *score = t->score + i * BLOCK_KEYS, *output = t->output + i * t->padded_width;
    const size_t columns = round_up(count, LANES);
    REAL max = t->max[i];
    for (size_t j = 0; j < columns; j++) max = score[j] > max ? score[j] : max;

    const REAL shift = safe(max);
    if (max > t->max[i]) {
        const REAL factor = REAL_EXP(t->max[i] - shift);
        if (factor != 0) /* else the difference may be infinite, and nothing is left of it */
            t->moment[i] = (t->moment[i] + (t->max[i] - shift) * t->sum[i]) * factor;
        else
            t->moment[i] = 0;
        t->sum[i] *= factor;
        t->sum_low[i] *= factor;
        for (size_t d = 0; d < t->padded_width; d++) output[d] *= factor;
        t->max[i] = max;
    }
    REAL log_ratio[BLOCK_KEYS];
    for (size_t j = 0; j < columns; j++) log_ratio[j] = score[j] - shift;
    for (size_t j = 0; j < columns; j++) score[j] = REAL_EXP(log_ratio[j]);
    add_to_sum(t, i, score, columns);
    if (t->head->entropy.data != NULL) {
        REAL moment = 0;
        for (size_t j = 0; j < count; j++)
            if (score[j] != 0) moment += score[j] * log_ratio[j];
        t->moment[i] += moment;
    }
}

/* Sets the weights of row i that are dropped to 0, and makes up for them in the others. */
static void drop_row(const tile *t, size_t i, size_t first, size_t count, REAL *weight)
{
    const qkv__dropout *dropout = &t->head->dropout;
    for (size_t j = 0; dropout->on && j < count; j++)
        weight[j] *= (REAL)qkv__dropout_factor(dropout, t->first_row + i, first + j);
}

/* o += p v for the block. Where a value is not finite each row skips the keys masked for it:
 * they had the score -infinity, which must be kept aside because p no longer tells. */
static void weigh_values(tile *t, size_t first, size_t count)
{
    const size_t padded = t->padded_width;
    bool masked[TILE_ROWS][BLOCK_KEYS];
    const bool finite = load_values(t, first, count);
    if (!finite)
        for (size_t i = 0; i < t->rows; i++)
            for (size_t j = 0; j < count; j++)
                masked[i][j] = t->score[i * BLOCK_KEYS + j] == -REAL_INFINITY;
    for (size_t i = 0; i < t->rows; i++) {
        soften_row(t, i, count);
        drop_row(t, i, first, count, t->score + i * BLOCK_KEYS);
    }
    if (finite)
        multiply(t->rows, padded, count, t->score, BLOCK_KEYS, t->value, padded, t->output, padded);
    else
        for (size_t i = 0; i < t->rows; i++)
            multiply_unmasked(count, t->score + i * BLOCK_KEYS, masked[i], t->value, padded,
                              t->output + i * padded);
}

/* ---- Results ------------------------------------------------------------------------------- */

/* The sum of exponentials with the sink's, and what brings p on the same footing. */
typedef struct total {
    REAL sum;    /* exp(sink - M) + l exp(m - M), M = max(m, sink) */
    REAL low;    /* what rounding has taken from it */
    REAL factor; /* exp(m - M) */
    REAL max;    /* M */
} total;

static total total_of(const tile *t, size_t i)
{
    const REAL sink = (REAL)t->head->sink;
    total result = {.sum = t->sum[i], .low = t->sum_low[i], .factor = 1, .max = t->max[i]};
    if (sink == -REAL_INFINITY) return result;
    result.max = sink > t->max[i] ? sink : t->max[i];
    result.factor = REAL_EXP(t->max[i] - result.max);
    result.sum = t->sum[i] * result.factor;
    result.low = t->sum_low[i] * result.factor;
    add_exactly(&result.sum, &result.low, REAL_EXP(sink - result.max));
    return result;
}

/* The upper half of a number's digits (Dekker); the product of two halves is exact. */
static REAL upper_half(REAL value)
{
    const REAL big = value * (REAL)REAL_SPLIT;
    return big - (big - value);
}

/*
 * value / (sum + low) with one rounding: the quotient by sum, corrected by what is left over,
 * value - quotient * sum, which Dekker's product gives exactly. Where that overflows the plain
 * quotient stands.
 */
static REAL divide(REAL value, REAL sum, REAL low)
{
    const REAL quotient = value / sum, product = quotient * sum;
    const REAL q1 = upper_half(quotient), q2 = quotient - q1;
    const REAL s1 = upper_half(sum), s2 = sum - s1;
    const REAL error = ((q1 * s1 - product) + q1 * s2 + q2 * s1) + q2 * s2;
    const REAL correction = (((value - product) - error) - quotient * low) / sum;
    return isfinite(correction) ? quotient + correction : quotient;
}

/* ln(sum + low): what rounding took from the sum matters where one weight is nearly 1. */
static REAL log_total(const total *all)
{
    return REAL_LOG(all->sum) + all->low / all->sum;
}

static void finish_row(tile *t, size_t i)
{
    const qkv__head *head = t->head;
    const size_t row = t->first_row + i;
    REAL *output = t->output + i * t->padded_width;
    const total all = total_of(t, i);
    const bool nothing = t->sum[i] == 0;
    t->redo[i] = false;
    for (size_t d = 0; d < head->value_width; d++) {
        t->redo[i] = t->redo[i] || !isfinite(output[d]);
        output[d] = nothing ? 0 : divide(output[d] * all.factor, all.sum, all.low);
    }
    store_row(&head->output, row, 0, head->value_width, output);
    const REAL logarithm = nothing && head->sink == -INFINITY ? -REAL_INFINITY : log_total(&all);
    if (head->log_sum_exp.data != NULL)
        fill_row(&head->log_sum_exp, row, 0, 1, (double)(safe(all.max) + logarithm));
    if (head->level.data != NULL) {
        fill_row(&head->level, row, 0, 1, (double)safe(all.max));
        fill_row(&head->level, row, 1, 1, nothing ? 0.0 : (double)all.sum + (double)all.low);
    }
    /* -sum_j a_j ln a_j with ln a_j = s_j - M - ln(sum) = (s_j - m) + (m - M) - ln(sum) */
    if (head->entropy.data != NULL) {
        const REAL shift = nothing ? 0 : logarithm - (t->max[i] - all.max);
        const REAL entropy = (shift * t->sum[i] - t->moment[i]) * all.factor / all.sum;
        fill_row(&head->entropy, row, 0, 1, nothing ? 0.0 : (double)entropy);
    }
}

/* Turns the scores of row i into weights, and marks the masked ones. */
static void weigh_row(tile *t, size_t i, size_t count, bool *masked)
{
    REAL *score = t->score + i * BLOCK_KEYS;
    const total all = total_of(t, i);
    const REAL shift = safe(all.max);
    for (size_t j = 0; j < count; j++) {
        masked[j] = score[j] == -REAL_INFINITY;
        score[j] = masked[j] ? 0 : REAL_EXP(score[j] - shift) / all.sum;
    }
}

/*
 * A second walk, now that m and l are known: the scores again, and from them the weights. It
 * writes the weights where they are wanted, and mends rows whose sum of undivided values
 * overflowed (or met a NaN or infinity, which then comes out the same again): with weights that
 * sum to 1 it cannot.
 */
static void walk_again(tile *t)
{
    const qkv__head *head = t->head;
    const size_t padded = t->padded_width;
    bool masked[BLOCK_KEYS], any = false;
    for (size_t i = 0; i < t->rows; i++) {
        any = any || t->redo[i];
        if (t->redo[i]) memset(t->output + i * padded, 0, padded * sizeof(REAL));
    }
    for (size_t first = 0; first < head->keys; first += BLOCK_KEYS) {
        const size_t count = head->keys - first < BLOCK_KEYS ? head->keys - first : BLOCK_KEYS;
        score_block(t, first, count, false);
        if (any) load_values(t, first, count);
        for (size_t i = 0; i < t->rows; i++) {
            REAL weight[BLOCK_KEYS];
            weigh_row(t, i, count, masked);
            if (!t->redo[i]) continue;
            memcpy(weight, t->score + i * BLOCK_KEYS, count * sizeof(REAL));
            drop_row(t, i, first, count, weight);
            multiply_unmasked(count, weight, masked, t->value, padded, t->output + i * padded);
        }
        emit(&head->weights, t, first, count);
    }
    for (size_t i = 0; i < t->rows; i++)
        if (t->redo[i])
            store_row(&head->output, t->first_row + i, 0, head->value_width,
                      t->output + i * padded);
}

static void pad_scores(const tile *t)
{
    const qkv__head *head = t->head;
    for (size_t i = t->first_row; i < t->first_row + t->rows; i++) {
        fill_row(&head->scores_raw, i, head->keys, head->padding, -INFINITY);
        fill_row(&head->scores_capped, i, head->keys, head->padding, -INFINITY);
        fill_row(&head->scores_masked, i, head->keys, head->padding, -INFINITY);
        fill_row(&head->weights, i, head->keys, head->padding, 0.0);
    }
}

/* The keys that any row of the tile may look at; all of them where scores are to be written. */
static void tile_range(const tile *t, size_t *begin, size_t *end)
{
    size_t first_begin, first_end, last_begin, last_end;
    qkv__head_range(t->head, t->first_row, &first_begin, &first_end);
    qkv__head_range(t->head, t->first_row + t->rows - 1, &last_begin, &last_end);
    *begin = qkv__head_wants_scores(t->head) ? 0 : first_begin / BLOCK_KEYS * BLOCK_KEYS;
    *end = qkv__head_wants_scores(t->head) ? t->head->keys : last_end;
}

static void forward_rows(const qkv__head *head, size_t row_begin, size_t row_end, void *workspace)
{
    assert(row_end > row_begin && row_end - row_begin <= TILE_ROWS);
    tile *t = lay_out(workspace, head, row_begin, row_end);
    const size_t padded_rows = round_up(t->rows, PANEL_ROWS);
    size_t begin, end;
    tile_range(t, &begin, &end);
    load_queries(t);
    memset(t->output, 0, padded_rows * t->padded_width * sizeof(REAL));
    for (size_t i = 0; i < t->rows; i++) {
        t->max[i] = -REAL_INFINITY;
        t->sum[i] = t->sum_low[i] = t->moment[i] = 0;
    }
    for (size_t first = begin; first < end; first += BLOCK_KEYS) {
        const size_t count = end - first < BLOCK_KEYS ? end - first : BLOCK_KEYS;
        score_block(t, first, count, true);
        weigh_values(t, first, count);
    }
    bool again = head->weights.data != NULL;
    for (size_t i = 0; i < t->rows; i++) {
        finish_row(t, i);
        again = again || t->redo[i];
    }
    if (again) walk_again(t);
    if (head->padding > 0) pad_scores(t);
}

static void forward(const qkv__rows *rows, void *workspace)
{
    qkv__rows left = *rows;
    const qkv__head *head;
    size_t begin, end;
    while (qkv__rows_next(&left, &head, &begin, &end)) forward_rows(head, begin, end, workspace);
}

const qkv__kernel KERNEL = {
    .name = "portable",
    .compute = REAL_TYPE,
    .rows = TILE_ROWS,
    .drops = true,
    .workspace = workspace_bytes,
    .forward = forward,
};
