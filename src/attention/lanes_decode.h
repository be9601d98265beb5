/*
 * Few queries over many keys: how the kernel in lanes decodes. Included by lanes_template.c, for
 * instruction sets that say how to read stored numbers in vectors (LANES_WIDE).
 *
 * With few rows most lanes would be empty. So here lanes hold keys while scores are made, and
 * columns of the values while outputs are. Keys and values are read in the type that they are
 * stored in and widened in registers; keys are turned there too, so that one number of a query
 * meets the numbers of LANES keys.
 *
 * Every score, weight, sum and output goes through the operations of the other walk in the same
 * order (even and odd terms apart, chunks of the width, sums of weights by fours), so that a row's
 * bits do not tell which of the two was taken.
 *
 * Memory is asked for FEW_AHEAD rows before it is read: rows of keys and values are read in turns
 * that the processor does not foresee.
 */
#ifndef QKV_ATTENTION_LANES_DECODE_H
#define QKV_ATTENTION_LANES_DECODE_H

enum {
    FEW = LANES,                           /* with more rows, queries had better be in lanes */
    FEW_KEYS = 4 * LANES,                  /* with fewer keys too */
    FEW_KEY_PANEL = LANES / 2,             /* rows whose sums over the width are in registers */
    FEW_VALUE_PANEL = 4,                   /* rows whose sums over keys are in registers */
    FEW_BYTES = LANES * (int)sizeof(REAL), /* of a vector: so many numbers, or fewer */
    FEW_AHEAD = 128,                       /* rows from those in work to those asked for */
};

/* ---- Memory -------------------------------------------------------------------------------- */

/* What a walk has in the worker's memory. */
typedef struct few_memory {
    REAL *score;      /* (FEW, BLOCK): s, then p */
    REAL *rest;       /* (LANES, LANES): the end of the width of LANES keys, then zeros */
    REAL *rest_query; /* (FEW_BYTES, LANES): likewise of the queries */
    REAL *output;     /* (FEW, output_stride): o */
    size_t output_stride;
} few_memory;

static size_t few_numbers(size_t keys, size_t value_width)
{
    if (keys < FEW_KEYS) return 0;
    return FEW * BLOCK + LANES * LANES + FEW_BYTES * LANES + FEW * round_up(value_width, LANES);
}

static few_memory few_lay_out(const bench *b)
{
    few_memory m = {.score = b->few, .output_stride = round_up(b->value_width, LANES)};
    m.rest = m.score + FEW * BLOCK;
    m.rest_query = m.rest + LANES * LANES;
    m.output = m.rest_query + FEW_BYTES * LANES;
    return m;
}

static bool few_takes(const bench *b, const tile *t)
{
    return t->rows <= FEW && t->head[0]->keys >= FEW_KEYS && !b->alone && !t->head[0]->dropout.on;
}

/* Bytes of a number, where its type is a constant. */
static inline size_t few_size(const qkv_type type)
{
    return type == REAL_TYPE ? sizeof(REAL) : type == QKV_I8 ? 1 : 2;
}

/* ---- Scores -------------------------------------------------------------------------------- */

/* The type that keys are read in: their own, or that of a copy. */
static qkv_type few_key_type(const qkv__matrix *key)
{
    return key->column == 1 && lanes_widens(key->type) ? key->type : REAL_TYPE;
}

/* LANES keys as they are read: rows of a type with numbers side by side. */
typedef struct few_keys {
    const unsigned char *data;
    ptrdiff_t row_bytes;
    const unsigned char *rest; /* see few_memory */
    const REAL *rest_query;
} few_keys;

/* Sums over the width for LANES keys: even and odd terms apart. */
typedef struct few_sums {
    lanes even[FEW_KEY_PANEL], odd[FEW_KEY_PANEL];
} few_sums;

/* Adds the terms of one vector's bytes of the width; query is (width, LANES). Asks for the rows
 * from `later` on. */
static inline __attribute__((always_inline)) void
few_add_terms(const qkv_type type, const size_t rows, const unsigned char *from,
              ptrdiff_t row_bytes, const unsigned char *later, ptrdiff_t later_bytes,
              const REAL *query, few_sums *sums)
{
    const size_t parts = sizeof(REAL) / few_size(type);
    lane_units unit[LANES];
    lanes_turn(from, row_bytes, unit);
    UNROLLED (u, LANES) {
        lanes part[4];
        __asm__("" : "+r"(later)); /* or the compiler keeps all these addresses */
        __builtin_prefetch(later, 0, 2);
        later += later_bytes;
        lanes_part(type, unit[u], part);
        UNROLLED (n, parts)
            UNROLLED (i, rows) {
                const size_t d = u * parts + n;
                lanes *sum = d % 2 == 0 ? &sums->even[i] : &sums->odd[i];
                *sum = lanes_fma(lanes_all(query[d * LANES + i]), part[n], *sum);
            }
    }
}

/* The products of LANES keys and a constant number of rows, the first of them number `first`. */
static inline __attribute__((always_inline)) void
few_score_panel(const qkv_type type, const size_t rows, size_t first, const few_keys *keys,
                size_t width, const REAL *query, REAL *score)
{
    const size_t size = few_size(type), step = FEW_BYTES / size;
    const ptrdiff_t row_bytes = keys->row_bytes;
    for (size_t begin = 0; begin < width; begin += CHUNK) {
        const size_t end = width - begin < CHUNK ? width : begin + CHUNK;
        few_sums sums;
        UNROLLED (i, rows) sums.even[i] = sums.odd[i] = (lanes){0};
        size_t d = begin;
        for (; d + step <= end; d += step) {
            const unsigned char *from = keys->data + d * size;
            few_add_terms(type, rows, from, row_bytes, from + FEW_AHEAD * row_bytes, row_bytes,
                          query + d * LANES + first, &sums);
        }
        if (d < end)
            few_add_terms(type, rows, keys->rest, FEW_BYTES,
                          keys->data + d * size + FEW_AHEAD * row_bytes, row_bytes,
                          keys->rest_query + first, &sums);
        UNROLLED (i, rows) {
            REAL *to = score + (first + i) * BLOCK;
            const lanes sum = sums.even[i] + sums.odd[i];
            lanes_store(to, begin == 0 ? sum : lanes_load(to) + sum);
        }
    }
}

static inline __attribute__((always_inline)) void few_score_rows(const qkv_type type,
                                                                 const bench *b, const tile *t,
                                                                 const few_keys *keys, REAL *score)
{
    size_t i = 0;
    UNROLLED (halved, 4)
        for (const size_t panel = FEW_KEY_PANEL >> halved; panel > 0 && i + panel <= t->rows;
             i += panel)
            few_score_panel(type, panel, i, keys, b->width, t->transposed, score);
}

/* A function a type, so that the compiler gives each its registers. */
static __attribute__((noinline)) void few_score_real(const bench *b, const tile *t,
                                                     const few_keys *keys, REAL *score)
{
    few_score_rows(REAL_TYPE, b, t, keys, score);
}

static __attribute__((noinline)) void few_score_f16(const bench *b, const tile *t,
                                                    const few_keys *keys, REAL *score)
{
    few_score_rows(QKV_F16, b, t, keys, score);
}

static __attribute__((noinline)) void few_score_bf16(const bench *b, const tile *t,
                                                     const few_keys *keys, REAL *score)
{
    few_score_rows(QKV_BF16, b, t, keys, score);
}

static __attribute__((noinline)) void few_score_i8(const bench *b, const tile *t,
                                                   const few_keys *keys, REAL *score)
{
    few_score_rows(QKV_I8, b, t, keys, score);
}

/* The keys first to first + count - 1, at most LANES of them. They are copied if they are fewer, or
 * if they cannot be read as they lie. */
static void few_take_keys(const bench *b, const qkv__matrix *key, size_t first, size_t count,
                          few_keys *keys)
{
    const qkv_type type = few_key_type(key);
    const bool dense = key->column == 1 && type == key->type;
    const size_t bytes = b->width * qkv_type_size(type);
    keys->row_bytes = key->row * (ptrdiff_t)qkv_type_size(key->type);
    keys->data = (const unsigned char *)key->data + (ptrdiff_t)first * keys->row_bytes;
    if (dense && count == LANES) return;
    unsigned char *copy = (unsigned char *)b->key;
    memset(copy, 0, LANES * bytes);
    for (size_t j = 0; j < count; j++)
        if (dense)
            memcpy(copy + j * bytes, keys->data + (ptrdiff_t)j * keys->row_bytes, bytes);
        else
            load_row(key, first + j, 0, b->width, b->key + j * b->width);
    keys->data = copy;
    keys->row_bytes = (ptrdiff_t)bytes;
}

/* The end of the width, where it does not fill a vector. */
static void few_take_rest(const few_keys *keys, size_t bytes, REAL *rest)
{
    const size_t over = bytes % FEW_BYTES;
    const unsigned char *from = keys->data + (bytes - over);
    for (size_t j = 0; over > 0 && j < LANES; j++)
        memcpy(rest + j * LANES, from + (ptrdiff_t)j * keys->row_bytes, over);
}

/* The products of queries and keys first to first + count - 1. */
static void few_multiply_keys(const bench *b, const tile *t, const few_memory *m,
                              const qkv__matrix *key, size_t first, size_t count)
{
    const qkv_type type = few_key_type(key);
    const size_t bytes = b->width * qkv_type_size(type);
    few_keys keys = {.rest = (const unsigned char *)m->rest, .rest_query = m->rest_query};
    for (size_t j = 0; j < count; j += LANES) {
        REAL *score = m->score + j;
        few_take_keys(b, key, first + j, at_most(count - j, LANES), &keys);
        few_take_rest(&keys, bytes, m->rest);
        if (type == QKV_F16)
            few_score_f16(b, t, &keys, score);
        else if (type == QKV_BF16)
            few_score_bf16(b, t, &keys, score);
        else if (type == QKV_I8)
            few_score_i8(b, t, &keys, score);
        else
            few_score_real(b, t, &keys, score);
    }
}

/* Caps, ALiBi, masks and positions, in the other walk's layout: few blocks need them. */
static void few_mask_scores(bench *b, const tile *t, REAL *score, size_t first, size_t count)
{
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < LANES; i++)
            b->score[j * LANES + i] = i < t->rows ? score[i * BLOCK + j] : 0;
    finish_scores(b, t, first, count);
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < count; j++) score[i * BLOCK + j] = b->score[j * LANES + i];
}

/* All that makes scores of products; behind the last key there is -infinity. */
static void few_finish_scores(bench *b, const tile *t, REAL *score, size_t first, size_t count)
{
    const size_t columns = round_up(count, LANES);
    const REAL *scales = b->key_scales + first % BLOCK;
    if (t->head[0]->key_scale.data != NULL)
        for (size_t i = 0; i < t->rows; i++)
            for (size_t j = 0; j < columns; j += LANES) {
                REAL *at = score + i * BLOCK + j;
                lanes_store(at, lanes_load(at) * lanes_load(scales + j));
            }
    if (scores_unfinished(b, t, first, count)) few_mask_scores(b, t, score, first, count);
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = count; j < columns; j++) score[i * BLOCK + j] = -REAL_INFINITY;
}

/* ---- The streaming softmax ----------------------------------------------------------------- */

typedef REAL quad __attribute__((vector_size(4 * sizeof(REAL))));

/* The largest of a row's scores. */
static REAL few_top(const REAL *score, size_t columns)
{
    REAL each[LANES];
    lanes largest = lanes_load(score);
    for (size_t j = LANES; j < columns; j += LANES)
        largest = lanes_max(largest, lanes_load(score + j));
    lanes_store(each, largest);
    for (size_t half = LANES / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++)
            each[i] = each[i] > each[i + half] ? each[i] : each[i + half];
    return each[0];
}

/* Turns a row's scores into p and returns their sum, every fourth apart as in soften. */
static REAL few_weights(REAL *score, size_t columns, REAL scale, REAL shift)
{
    const exponent c = exponent_make();
    for (size_t j = 0; j < columns; j += LANES)
        lanes_store(score + j, lanes_exp2(lanes_load(score + j) * scale - shift, &c));
    quad sum = {0};
    for (size_t j = 0; j < columns; j += 4) {
        quad p;
        memcpy(&p, score + j, sizeof p);
        sum += p;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* What rounding takes from the sums of p, in the other walk's layout. */
static lanes few_lost(const bench *b, const tile *t, const REAL *p, size_t count)
{
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < LANES; i++)
            b->score[j * LANES + i] = i < t->rows ? p[i * BLOCK + j] : 0;
    return lost_in_sum(b->score, LANES, count);
}

/* Scores into p, for all rows; brings h and l up to date, and gives f. */
static void few_soften(const bench *b, tile *t, REAL *score, size_t count, REAL *f)
{
    const size_t columns = round_up(count, LANES);
    REAL top[LANES], shift[LANES], sum[LANES] = {0};
    for (size_t i = 0; i < LANES; i++)
        top[i] = i < t->rows ? few_top(score + i * BLOCK, columns) : -REAL_INFINITY;
    const exponent c = exponent_make();
    const lanes before = lanes_load(t->now.high);
    const lanes high = lanes_max(before, lanes_load(top) * b->scale);
    const lanes change = lanes_exp2(before - safe(high), &c);
    lanes_store(shift, safe(high));
    for (size_t i = 0; i < t->rows; i++)
        sum[i] = few_weights(score + i * BLOCK, columns, b->scale, shift[i]);
    const lanes all = lanes_load(sum), old = lanes_load(t->now.sum);
    const lanes now = lanes_fma(old, change, all);
    if (b->exact)
        lanes_store(t->now.aside, lanes_fma(lanes_load(t->now.aside), change,
                                            few_lost(b, t, score, count) +
                                                lost_in_update(old, change, all, now)));
    lanes_store(t->now.high, high);
    lanes_store(t->now.sum, now);
    lanes_store(f, change);
}

/* ---- Values -------------------------------------------------------------------------------- */

/* Rows of values as they are read: from one to the next in bytes. */
typedef struct few_values {
    const unsigned char *data;
    ptrdiff_t row;
} few_values;

/*
 * o (rows, vectors * LANES) = f o + p (rows, count) v (count, vectors * LANES), the same sums as
 * those of multiply_panel. type, rows and vectors are constants where this is inlined.
 */
static inline __attribute__((always_inline)) void
few_weigh_panel(const qkv_type type, const size_t rows, const size_t vectors, size_t count,
                const REAL *p, few_values v, REAL *output, size_t stride, const REAL *f)
{
    const size_t vector = LANES * few_size(type);
    lanes even[FEW_VALUE_PANEL][2], odd[FEW_VALUE_PANEL][2];
    UNROLLED (i, rows)
        UNROLLED (j, vectors) even[i][j] = odd[i][j] = (lanes){0};
    const unsigned char *x = v.data;
    for (size_t k = count / 2; k > 0; k--, p += 2, x += 2 * v.row) {
        lanes column[2];
        UNROLLED (line, (vectors * vector + 63) / 64) {
            __builtin_prefetch(x + FEW_AHEAD * v.row + 64 * line, 0, 2);
            __builtin_prefetch(x + (FEW_AHEAD + 1) * v.row + 64 * line, 0, 2);
        }
        UNROLLED (j, vectors) column[j] = lanes_widen(type, x + j * vector);
        UNROLLED (i, rows)
            UNROLLED (j, vectors)
                even[i][j] = lanes_fma(lanes_all(p[i * BLOCK]), column[j], even[i][j]);
        UNROLLED (j, vectors) column[j] = lanes_widen(type, x + v.row + j * vector);
        UNROLLED (i, rows)
            UNROLLED (j, vectors)
                odd[i][j] = lanes_fma(lanes_all(p[i * BLOCK + 1]), column[j], odd[i][j]);
    }
    UNROLLED (i, rows)
        UNROLLED (j, vectors) {
            REAL *to = output + i * stride + j * LANES;
            if (count % 2 != 0)
                even[i][j] = lanes_fma(lanes_all(p[i * BLOCK]), lanes_widen(type, x + j * vector),
                                       even[i][j]);
            even[i][j] += odd[i][j];
            lanes_store(to, lanes_fma(lanes_load(to), lanes_all(f[i]), even[i][j]));
        }
}

/* All rows over one or two vectors of columns. */
static inline __attribute__((always_inline)) void
few_weigh_rows(const qkv_type type, size_t rows, const size_t vectors, size_t count, const REAL *p,
               few_values v, REAL *output, size_t stride, const REAL *f)
{
    size_t i = 0;
    UNROLLED (halved, 3)
        for (const size_t panel = FEW_VALUE_PANEL >> halved; i + panel <= rows; i += panel)
            few_weigh_panel(type, panel, vectors, count, p + i * BLOCK, v, output + i * stride,
                            stride, f + i);
}

static inline __attribute__((always_inline)) void
few_weigh_columns(const qkv_type type, size_t rows, size_t columns, size_t count, const REAL *p,
                  few_values v, REAL *output, size_t stride, const REAL *f)
{
    size_t d = 0;
    for (; d + 2 * LANES <= columns; d += 2 * LANES, v.data += 2 * LANES * few_size(type))
        few_weigh_rows(type, rows, 2, count, p, v, output + d, stride, f);
    for (; d < columns; d += LANES, v.data += LANES * few_size(type))
        few_weigh_rows(type, rows, 1, count, p, v, output + d, stride, f);
}

/* o = f o + p v over columns that are a multiple of LANES. */
static void few_weigh(qkv_type type, size_t rows, size_t columns, size_t count, const REAL *p,
                      few_values v, REAL *output, size_t stride, const REAL *f)
{
    if (type == QKV_F16)
        few_weigh_columns(QKV_F16, rows, columns, count, p, v, output, stride, f);
    else if (type == QKV_BF16)
        few_weigh_columns(QKV_BF16, rows, columns, count, p, v, output, stride, f);
    else if (type == QKV_I8)
        few_weigh_columns(QKV_I8, rows, columns, count, p, v, output, stride, f);
    else
        few_weigh_columns(REAL_TYPE, rows, columns, count, p, v, output, stride, f);
}

/* The values first to first + count - 1. Columns that do not fill a vector, and values that cannot
 * be read as they lie, are copied. */
static void few_multiply_values(const bench *b, const tile *t, const few_memory *m,
                                const qkv__matrix *value, size_t first, size_t count, const REAL *f)
{
    const ptrdiff_t size = (ptrdiff_t)qkv_type_size(value->type);
    const bool in_place = value->column == 1 && lanes_widens(value->type);
    const size_t whole = in_place ? b->value_width / LANES * LANES : 0;
    const size_t rest = b->value_width - whole, padded = round_up(rest, LANES);
    if (whole > 0) {
        const unsigned char *data = value->data;
        data += (ptrdiff_t)first * value->row * size;
        few_weigh(value->type, t->rows, whole, count, m->score,
                  (few_values){data, value->row * size}, m->output, m->output_stride, f);
    }
    if (rest == 0) return;
    for (size_t j = 0; j < count; j++) {
        load_row(value, first + j, whole, rest, b->value + j * padded);
        for (size_t d = rest; d < padded; d++) b->value[j * padded + d] = 0;
    }
    few_weigh(REAL_TYPE, t->rows, padded, count, m->score,
              (few_values){(const unsigned char *)b->value, (ptrdiff_t)(padded * sizeof(REAL))},
              m->output + whole, m->output_stride, f);
}

/* p of keys whose values have a scale: it is theirs from here on. */
static void few_scale_weights(const bench *b, const tile *t, REAL *p, size_t first, size_t count)
{
    const REAL *scales = b->value_scales + first % BLOCK;
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < count; j++) p[i * BLOCK + j] *= scales[j];
}

/* ---- The walk ------------------------------------------------------------------------------ */

/* Queries of the end of the width, where it does not fill a vector of keys' numbers. */
static void few_begin(const bench *b, const tile *t, const few_memory *m, const qkv__matrix *key)
{
    const size_t step = FEW_BYTES / qkv_type_size(few_key_type(key)), over = b->width % step;
    memset(m->output, 0, t->rows * m->output_stride * sizeof(REAL));
    if (over == 0) return;
    memset(m->rest, 0, LANES * LANES * sizeof(REAL));
    memset(m->rest_query, 0, FEW_BYTES * LANES * sizeof(REAL));
    memcpy(m->rest_query, t->transposed + (b->width - over) * LANES, over * LANES * sizeof(REAL));
}

/* A segment whose state has just begun. While it goes on, o's numbers of a row lie together; they
 * are put into their lanes in the end. */
static void few_walk_segment(bench *b, tile *t, const qkv__head *head, size_t begin, size_t end)
{
    const few_memory m = few_lay_out(b);
    REAL f[LANES];
    few_begin(b, t, &m, &head->key);
    for (size_t block = begin; block < end; block += BLOCK) {
        size_t from, past;
        tile_range(t, block, &from, &past);
        const size_t first = block + from, count = past - from;
        if (count == 0) continue;
        load_scales(b, head, first, count);
        if (b->width > 0)
            few_multiply_keys(b, t, &m, &head->key, first, count);
        else
            memset(m.score, 0, t->rows * BLOCK * sizeof(REAL));
        few_finish_scores(b, t, m.score, first, count);
        few_soften(b, t, m.score, count, f);
        if (head->value_scale.data != NULL) few_scale_weights(b, t, m.score, first, count);
        few_multiply_values(b, t, &m, &head->value, first, count, f);
    }
    for (size_t i = 0; i < t->rows; i++)
        for (size_t d = 0; d < b->value_width; d++)
            t->output[d * LANES + i] = m.output[i * m.output_stride + d];
}

#endif
