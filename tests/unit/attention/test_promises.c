/*
 * What attention.h promises, whatever the kernel: distributions, masked rows, NaN where it
 * belongs, no overflow, and bits that depend on nothing but the row. Each test runs once a kernel
 * and type.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "support/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tensors.h"

static const qkv_type types[] = {QKV_F64, QKV_F32, QKV_F16, QKV_BF16};
static const double epsilons[] = {0x1p-52, 0x1p-23, 0x1p-10, 0x1p-7};

/* A problem with the options that the tests vary. */
typedef struct setting {
    const char *kernel;
    qkv_type type;
    double epsilon; /* of the type */
} setting;

static void each_setting(void (*body)(const setting *))
{
    for (size_t k = 0; k < qkv_kernel_count(); k++)
        for (size_t t = 0; t < 4; t++) {
            setting s = {qkv_kernel_name(k), types[t], epsilons[t]};
            if (kernel_takes(s.kernel, s.type)) body(&s);
        }
}

typedef struct operands {
    qkv_view q, k, v, c;
    qkv_attention_options options;
} operands;

static operands make_operands(const setting *s, size_t batch, size_t heads, size_t queries,
                              size_t keys, size_t width, random_source *source)
{
    operands o = {.q = make_tensor4(s->type, batch, heads, queries, width),
                  .k = make_tensor4(s->type, batch, heads, keys, width),
                  .v = make_tensor4(s->type, batch, heads, keys, width),
                  .c = make_tensor4(s->type, batch, heads, queries, width),
                  .options = qkv_attention_default()};
    o.options.kernel = s->kernel;
    fill_random(&o.q, 1.0, source);
    fill_random(&o.k, 1.0, source);
    fill_random(&o.v, 1.0, source);
    fill_value(&o.c, NAN);
    return o;
}

static void free_operands(operands *o)
{
    free(o->q.data), free(o->k.data), free(o->v.data), free(o->c.data);
}

static void attend(operands *o)
{
    qkv_error error;
    check_ok(qkv_attention(&o->q, &o->k, &o->v, &o->c, &o->options, &error), &error);
}

/* Weights are positive and sum to 1 up to the rounding of n additions; with values of 1 the
 * output is 1. */
static void distribution(const setting *s)
{
    enum { QUERIES = 5, KEYS = 131 };
    random_source source = {.state = 21};
    operands o = make_operands(s, 1, 2, QUERIES, KEYS, 7, &source);
    o.options.weights = make_tensor4(QKV_F64, 1, 2, QUERIES, KEYS);
    fill_value(&o.v, 1.0);
    attend(&o);
    double rounding = s->type == QKV_F64 ? 0x1p-53 : 0x1p-24;
    for (size_t h = 0; h < 2; h++)
        for (size_t i = 0; i < QUERIES; i++) {
            double sum = 0.0;
            for (size_t j = 0; j < KEYS; j++) {
                assert_true(get(&o.options.weights, 0, h, i, j) > 0.0);
                sum += get(&o.options.weights, 0, h, i, j);
            }
            assert_true(fabs(sum - 1.0) <= KEYS * rounding);
            assert_true(fabs(get(&o.c, 0, h, i, 0) - 1.0) <= KEYS * rounding + s->epsilon);
        }
    free(o.options.weights.data);
    free_operands(&o);
}

/* Rows without a key: by mask, by position, by a length of 0, by no keys at all. */
static void nothing_to_see(const setting *s)
{
    static const double sinks[] = {1.5, -2.25};
    random_source source = {.state = 22};
    size_t none[] = {0, 0};
    for (int way = 0; way < 4; way++) {
        operands o = make_operands(s, 2, 2, 4, way == 3 ? 0 : 70, 3, &source);
        qkv_view mask = make_tensor(QKV_BOOL, 1, (size_t[]){70});
        if (way == 0) o.options.mask = mask;
        if (way == 1) {
            o.options.causal = true;
            o.options.alignment = QKV_ALIGN_OFFSET;
            o.options.query_offset = -10;
        }
        if (way == 2) o.options.key_lengths = none;
        o.options.log_sum_exp = make_tensor(QKV_F64, 3, (size_t[]){2, 2, 4});
        o.options.entropy = make_tensor(QKV_F64, 3, (size_t[]){2, 2, 4});
        fill_value(&o.k, NAN);
        o.options.sinks = sinks;
        attend(&o);
        for (size_t i = 0; i < 16; i++)
            assert_true(((double *)o.options.log_sum_exp.data)[i] == sinks[i / 4 % 2]);
        o.options.sinks = NULL;
        attend(&o);
        qkv_view entropy = o.options.entropy;
        o.options.entropy = (qkv_view){0}; /* some kernels are quick without it alone */
        fill_value(&o.c, NAN), fill_value(&o.options.log_sum_exp, NAN);
        attend(&o);
        o.options.entropy = entropy;
        for (size_t i = 0; i < qkv_view_count(&o.c); i++)
            assert_true(get(&o.c, i / 24, i / 12 % 2, i / 3 % 4, i % 3) == 0.0);
        for (size_t i = 0; i < 16; i++) {
            assert_true(((double *)o.options.log_sum_exp.data)[i] == -INFINITY);
            assert_true(((double *)o.options.entropy.data)[i] == 0.0);
        }
        free(o.options.log_sum_exp.data), free(o.options.entropy.data), free(mask.data);
        free_operands(&o);
    }
}

/* The ways to hide key HIDDEN, each from the rows that `hidden_from` tells. */
enum { LENGTH = 100, HIDDEN = 37, WIDTH = 6, WAYS = 7 };

static bool hidden_from(int way, size_t row)
{
    if (way == 3) return row < HIDDEN;                         /* causal */
    if (way == 4) return row + 5 < HIDDEN || row > HIDDEN + 9; /* a window */
    if (way == 5) return row % 3 == 0;                         /* a mask with rows of its own */
    return true; /* boolean, additive, by length, another sequence */
}

static void hide(operands *o, int way, qkv_view *mask)
{
    static const size_t lengths[] = {HIDDEN}, query_starts[] = {0, LENGTH, LENGTH};
    static const size_t key_starts[] = {0, HIDDEN, LENGTH};
    size_t shape[] = {way == 5 ? LENGTH : 1, LENGTH};
    *mask = make_tensor(way == 0 ? QKV_BOOL : QKV_F32, 2, shape);
    for (size_t i = 0; i < shape[0]; i++)
        for (size_t j = 0; j < LENGTH; j++) {
            bool look = j != HIDDEN || !hidden_from(way, i);
            set(mask, i, j, 0, 0, way == 0 ? look : look ? 0.25 : -INFINITY);
        }
    if (way < 2 || way == 5) o->options.mask = *mask;
    if (way == 2) o->options.key_lengths = lengths;
    if (way == 3) o->options.causal = true;
    if (way == 4) o->options.window = true, o->options.window_left = 9, o->options.window_right = 5;
    if (way == 6) {
        o->options.sequences = 2;
        o->options.query_starts = query_starts;
        o->options.key_starts = key_starts;
    }
}

/* Two views with the rows of one pattern alone: every third, or a stretch of them, is compared. */
static void compare_hidden(int way, const qkv_view *before, const qkv_view *after)
{
    for (size_t i = 0; i < LENGTH; i++) {
        if (!hidden_from(way, i)) continue;
        qkv_view a = *before, b = *after;
        a.data = (char *)a.data + i * (size_t)a.stride[2] * qkv_type_size(a.type);
        b.data = (char *)b.data + i * (size_t)b.stride[2] * qkv_type_size(b.type);
        a.shape[2] = b.shape[2] = 1;
        assert_true(same_bits(&a, &b));
    }
}

/* What lies in keys that nobody looks at changes no bit, whichever way they are hidden. */
static void poison_way(const setting *s, int way, int plain)
{
    static const double poisons[] = {NAN, INFINITY, -INFINITY}, numbers[] = {0.5};
    random_source source = {.state = 23};
    operands o = make_operands(s, 1, 1, LENGTH, LENGTH, WIDTH, &source);
    qkv_view mask;
    hide(&o, way, &mask);
    o.options.alignment = QKV_ALIGN_TOP_LEFT;
    o.options.alibi_slopes = o.options.sinks = numbers;
    qkv_view results[2][3];
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < 3; n++)
            results[i][n] = make_tensor4(s->type, 1, 1, LENGTH, n == 0 ? WIDTH : 1);
    for (int p = -1; p < 3; p++) { /* -1: clean */
        qkv_view *r = results[p >= 0], lse = r[1], entropy = r[2];
        for (size_t d = 0; p >= 0 && d < WIDTH; d++) {
            set(&o.k, 0, 0, HIDDEN, d, poisons[p]);
            set(&o.v, 0, 0, HIDDEN, d, poisons[((size_t)p + d) % 3]);
        }
        lse.rank = entropy.rank = 3;
        o.options.log_sum_exp = lse;
        o.options.entropy = plain ? (qkv_view){0} : entropy;
        qkv_error error;
        check_ok(qkv_attention(&o.q, &o.k, &o.v, &r[0], &o.options, &error), &error);
        for (int n = 0; n < 3 - plain; n++) compare_hidden(way, &results[0][n], &r[n]);
    }
    for (int i = 0; i < 6; i++) free(results[i / 3][i % 3].data);
    free(mask.data);
    free_operands(&o);
}

/* Alone, which is what kernels are quick at, and with the entropy, which some leave to another. */
static void poison(const setting *s)
{
    for (int way = 0; way < 2 * WAYS; way++) poison_way(s, way / 2, way % 2);
}

/* A NaN in a key or value makes NaN of the rows that look at it, and of no others; a NaN in a
 * query of its own row alone. */
static void own_rows(const setting *s)
{
    enum { TOKENS = 90, BAD = 40, COLUMNS = 3 };
    random_source source = {.state = 24};
    for (int where = 0; where < 3; where++) {
        operands o = make_operands(s, 1, 2, TOKENS, TOKENS, COLUMNS, &source);
        o.options.causal = true;
        qkv_view *bad = where == 0 ? &o.q : where == 1 ? &o.k : &o.v;
        set(bad, 0, 1, BAD, 1, NAN);
        attend(&o);
        for (size_t h = 0; h < 2; h++)
            for (size_t i = 0; i < TOKENS; i++)
                for (size_t d = 0; d < COLUMNS; d++) {
                    bool hit = h == 1 && (where == 0 ? i == BAD : i >= BAD);
                    if (where == 2) hit = hit && d == 1;
                    assert_int_equal(isnan(get(&o.c, 0, h, i, d)), hit);
                }
        free_operands(&o);
    }
}

/* Four keys with scores of size^2, -size^2, size^2 and size^2 / 2: the largest score takes all,
 * equal ones share. */
static void large_scores(const setting *s, double size)
{
    random_source source = {.state = 25};
    operands o = make_operands(s, 1, 1, 1, 4, 1, &source);
    double keys[] = {size, -size, size, size / 2}, values[] = {1.0, 50.0, 3.0, -70.0};
    set(&o.q, 0, 0, 0, 0, size);
    for (size_t j = 0; j < 4; j++) {
        set(&o.k, 0, 0, j, 0, keys[j]);
        set(&o.v, 0, 0, j, 0, values[j]);
    }
    o.options.scale = 1.0;
    attend(&o);
    assert_true(get(&o.c, 0, 0, 0, 0) == 2.0);

    /* A mask of the lowest number is no mask, if it is everywhere: all keys count alike. */
    o.options.mask = make_tensor(QKV_F32, 2, (size_t[]){1, 4});
    fill_value(&o.options.mask, (double)-FLT_MAX);
    set(&o.q, 0, 0, 0, 0, 1.0);
    for (size_t j = 0; j < 4; j++) set(&o.k, 0, 0, j, 0, 0.25 * (double)j);
    attend(&o);
    assert_true(fabs(get(&o.c, 0, 0, 0, 0) + 4.0) <= 8 * s->epsilon);
    free(o.options.mask.data);
    free_operands(&o);
}

/* Scores near the end of the range: 1e300 in f64, 1e36 in f32 and bf16, and 3e5 (beyond f16's
 * largest number, 65504) from all of them. */
static void no_overflow(const setting *s)
{
    large_scores(s, s->type == QKV_F64 ? 1e150 : 548.0);
    for (int i = 0; i < 8 && (s->type == QKV_F32 || s->type == QKV_BF16); i++)
        large_scores(s, 1e18 + 1e17 * i);
}

/* Values near the largest number: their mean is a number too, although their sum is not. */
static void large_values(const setting *s)
{
    enum { KEYS = 130 };
    const double largest[] = {1.5e308, 3e38, 65504.0, 3e38};
    random_source source = {.state = 32};
    operands o = make_operands(s, 1, 1, 3, KEYS, 2, &source);
    for (int t = 0; t < 4; t++)
        if (types[t] == s->type) fill_value(&o.v, largest[t]);
    double value = get(&o.v, 0, 0, 0, 0);
    set(&o.q, 0, 0, 1, 0, 0.0), set(&o.q, 0, 0, 1, 1, 0.0); /* one row of equal weights */
    attend(&o);
    for (size_t i = 0; i < 3; i++) {
        double relative = get(&o.c, 0, 0, i, 0) / value - 1.0;
        assert_true(fabs(relative) <= KEYS * (s->type == QKV_F64 ? 0x1p-53 : 0x1p-24) + s->epsilon);
    }
    free_operands(&o);
}

/* A caller that flushes subnormal numbers to zero, as code built with -ffast-math does, still
 * gets the default scale. */
static void flushed_subnormals(const setting *s)
{
#ifdef __SSE2__
    random_source source = {.state = 33};
    operands o = make_operands(s, 1, 1, 4, 70, 3, &source);
    qkv_view before = make_tensor4(s->type, 1, 1, 4, 3);
    attend(&o);
    qkv_view_copy(&o.c, &before, NULL);
    unsigned state = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(state | 0x8040);
    attend(&o);
    __builtin_ia32_ldmxcsr(state);
    assert_true(largest_difference(&before, &o.c) <= 8 * s->epsilon);
    free(before.data);
    free_operands(&o);
#else
    (void)s;
#endif
}

/* More threads than anyone has, with little memory asked for. */
static void many_threads(const setting *s)
{
    random_source source = {.state = 34};
    operands o = make_operands(s, 1, 40, 70, 70, 8, &source);
    o.options.threads = 100000;
    attend(&o);
    free_operands(&o);
}

/* Threads, strides, the batch and the rows around: none of them changes a bit. */
static void same_everywhere(const setting *s)
{
    enum { BATCH = 3, HEADS = 4, QUERIES = 70, KEYS = 150 };
    random_source source = {.state = 26};
    operands o = make_operands(s, BATCH, HEADS, QUERIES, KEYS, WIDTH, &source);
    o.options.causal = true;
    o.options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    o.options.threads = 1;
    attend(&o);
    operands other = o;
    other.c = make_tensor4(s->type, BATCH, HEADS, QUERIES, WIDTH);
    for (int threads = 2; threads <= 7; threads += 5) {
        other.options.threads = threads;
        fill_value(&other.c, NAN);
        attend(&other);
        assert_true(same_bits(&o.c, &other.c));
    }
    free(other.c.data);

    other.q = make_scattered(&o.q, &source), qkv_view_copy(&o.q, &other.q, NULL);
    other.k = make_scattered(&o.k, &source), qkv_view_copy(&o.k, &other.k, NULL);
    other.v = make_scattered(&o.v, &source), qkv_view_copy(&o.v, &other.v, NULL);
    other.c = make_scattered(&o.c, &source);
    attend(&other);
    assert_true(same_bits(&o.c, &other.c));
    free_operands(&other);

    /* Every row alone, with its batch and head alone: bottom-right alignment is kept by an
     * offset. */
    for (size_t i = 0; i < QUERIES; i += 13) {
        size_t b = i % BATCH, h = i % HEADS;
        other = o;
        other.q.shape[0] = other.k.shape[0] = other.v.shape[0] = other.c.shape[0] = 1;
        other.q.shape[1] = other.k.shape[1] = other.v.shape[1] = other.c.shape[1] = 1;
        other.q.shape[2] = other.c.shape[2] = 1;
        size_t size = qkv_type_size(s->type), head = b * HEADS + h;
        other.q.data = (char *)o.q.data + (head * QUERIES + i) * WIDTH * size;
        other.k.data = (char *)o.k.data + head * KEYS * WIDTH * size;
        other.v.data = (char *)o.v.data + head * KEYS * WIDTH * size;
        qkv_view expected = other.c;
        expected.data = (char *)o.c.data + (head * QUERIES + i) * WIDTH * size;
        other.c = make_tensor4(s->type, 1, 1, 1, WIDTH);
        other.options.alignment = QKV_ALIGN_OFFSET;
        other.options.query_offset = (ptrdiff_t)(KEYS - QUERIES + i);
        attend(&other);
        assert_true(same_bits(&expected, &other.c));
        free(other.c.data);
    }
    free_operands(&o);
}

/* One row of a call, alone, with the options of its head. */
static void compare_row(const operands *o, operands *row, size_t h, size_t i)
{
    const size_t queries = o->q.shape[2], at = h * queries + i;
    qkv_view expected = row->c;
    expected.data = (char *)o->c.data + at * o->c.shape[3] * qkv_type_size(o->c.type);
    fill_value(&row->c, NAN), fill_value(&row->options.log_sum_exp, NAN);
    attend(row);
    assert_true(same_bits(&expected, &row->c));
    if (o->options.log_sum_exp.rank > 0)
        assert_true(((double *)o->options.log_sum_exp.data)[at] ==
                    *(double *)row->options.log_sum_exp.data);
}

/* Head h, query i of a causal problem with its queries at the end. A slope of 0 is none at all. */
static void compare_alone(const operands *o, size_t h, size_t i)
{
    const size_t size = qkv_type_size(o->q.type), width = o->q.shape[3], keys = o->k.shape[2];
    const size_t queries = o->q.shape[2], group = o->q.shape[1] / o->k.shape[1];
    operands row = *o;
    row.q.shape[1] = row.k.shape[1] = row.v.shape[1] = 1;
    row.q.shape[2] = 1;
    row.q.data = (char *)o->q.data + (h * queries + i) * width * size;
    row.k.data = (char *)o->k.data + h / group * keys * width * size;
    row.v.data = (char *)o->v.data + h / group * keys * width * size;
    row.c = make_tensor4(o->q.type, 1, 1, 1, width);
    row.options.log_sum_exp = make_tensor(QKV_F64, 3, (size_t[]){1, 1, 1});
    row.options.alignment = QKV_ALIGN_OFFSET;
    row.options.query_offset = (ptrdiff_t)(keys - queries + i);
    if (o->options.alibi_slopes != NULL) row.options.alibi_slopes += h;
    compare_row(o, &row, h, i);
    if (o->options.alibi_slopes != NULL && o->options.alibi_slopes[h] == 0.0) {
        row.options.alibi_slopes = NULL;
        compare_row(o, &row, h, i);
    }
    free(row.c.data), free(row.options.log_sum_exp.data);
}

/* Enough keys for several blocks and segments, few queries of heads that share keys, so that they
 * are stacked and keys are cut among threads; with and without a window. What the last key holds
 * is no business of the queries before the last. */
static void same_over_long(const setting *s)
{
    enum { HEADS = 4, GROUPS = 2, QUERIES = 9, KEYS = 2600, COLUMNS = 40 };
    random_source source = {.state = 35};
    for (int window = 0; window < 2; window++) {
        operands o = make_operands(s, 1, HEADS, QUERIES, KEYS, COLUMNS, &source);
        o.k.shape[1] = o.v.shape[1] = GROUPS;
        o.options.causal = true;
        o.options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
        o.options.window = window == 1;
        o.options.window_left = window == 1 ? 1300 : 0;
        o.options.threads = 1;
        attend(&o);
        for (size_t i = 0; i < QUERIES; i += 4) compare_alone(&o, i % HEADS, i);
        operands other = o;
        other.c = make_tensor4(s->type, 1, HEADS, QUERIES, COLUMNS);
        other.options.threads = 3;
        attend(&other);
        assert_true(same_bits(&o.c, &other.c));
        set(&o.v, 0, 1, KEYS - 1, 3, INFINITY), set(&o.k, 0, 1, KEYS - 1, 3, NAN);
        attend(&other);
        for (size_t h = 0; h < HEADS; h++)
            for (size_t i = 0; i < QUERIES; i++)
                for (size_t d = 0; d < COLUMNS; d++)
                    if (h < HEADS / GROUPS || i + 1 < QUERIES)
                        assert_true(get(&o.c, 0, h, i, d) == get(&other.c, 0, h, i, d));
                    else
                        assert_true(isnan(get(&other.c, 0, h, i, d)));
        free(other.c.data);
        free_operands(&o);
    }
}

/* Heads that share keys, with ALiBi's slopes and without, side by side: each has the bits that it
 * has alone, and those of the log-sum-exp, which no rounding to a short type hides. */
static void same_beside_slopes(const setting *s)
{
    enum { HEADS = 6, GROUPS = 2, QUERIES = 5, KEYS = 330, COLUMNS = 24 };
    static const double slopes[HEADS] = {0.0, 0.25, 0.0, 0.0, 0.0, 0.0625};
    random_source source = {.state = 36};
    operands o = make_operands(s, 1, HEADS, QUERIES, KEYS, COLUMNS, &source);
    o.k.shape[1] = o.v.shape[1] = GROUPS;
    o.options.causal = true;
    o.options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    o.options.alibi_slopes = slopes;
    o.options.log_sum_exp = make_tensor(QKV_F64, 3, (size_t[]){1, HEADS, QUERIES});
    attend(&o);
    for (size_t i = 0; i < HEADS * QUERIES; i++) compare_alone(&o, i % HEADS, i / HEADS);
    free(o.options.log_sum_exp.data);
    free_operands(&o);
}

/* What else is asked for changes no bit of the output, nor of the log-sum-exp. */
static void same_with_more(const setting *s)
{
    enum { HEADS = 2, QUERIES = 60, KEYS = 170 };
    random_source source = {.state = 38};
    operands o = make_operands(s, 1, HEADS, QUERIES, KEYS, WIDTH, &source), more = o;
    more.c = make_tensor4(s->type, 1, HEADS, QUERIES, WIDTH);
    operands *both[] = {&o, &more};
    for (int i = 0; i < 2; i++)
        both[i]->options.log_sum_exp = make_tensor(QKV_F64, 3, (size_t[]){1, HEADS, QUERIES});
    more.options.entropy = make_tensor(QKV_F64, 3, (size_t[]){1, HEADS, QUERIES});
    more.options.weights = make_tensor4(QKV_F64, 1, HEADS, QUERIES, KEYS);
    attend(&o), attend(&more);
    assert_true(same_bits(&o.c, &more.c));
    assert_true(same_bits(&o.options.log_sum_exp, &more.options.log_sum_exp));
    for (int i = 0; i < 2; i++) free(both[i]->options.log_sum_exp.data);
    free(more.options.entropy.data), free(more.options.weights.data), free(more.c.data);
    free_operands(&o);
}

/* However a cache is cut, the rows come out as from one call without a cache. */
static void cache_cuts(const setting *s)
{
    enum { TOKENS = 140, HEADS = 2 };
    const size_t cuts[][6] = {{1, 1, 62, 1, 75, 0}, {140, 0}, {64, 64, 12, 0}, {70, 70, 0}};
    random_source source = {.state = 27};
    operands o = make_operands(s, 1, HEADS, TOKENS, TOKENS, WIDTH, &source);
    o.options.causal = true;
    attend(&o);
    for (size_t n = 0; n < sizeof cuts / sizeof cuts[0]; n++) {
        qkv_cache cache = {.key = make_tensor4(s->type, 1, HEADS, TOKENS + 9, WIDTH),
                           .value = make_tensor4(s->type, 1, HEADS, TOKENS + 9, WIDTH)};
        fill_value(&cache.key, NAN), fill_value(&cache.value, NAN);
        qkv_view result = make_tensor4(s->type, 1, HEADS, TOKENS, WIDTH);
        for (size_t i = 0, at = 0; cuts[n][i] != 0; at += cuts[n][i++]) {
            qkv_view part[] = {o.q, o.k, o.v, result};
            for (int p = 0; p < 4; p++) {
                part[p].data = (char *)part[p].data + at * WIDTH * qkv_type_size(s->type);
                part[p].shape[2] = cuts[n][i];
            }
            qkv_error error;
            check_ok(qkv_cache_append(&cache, &part[1], &part[2], &error), &error);
            check_ok(qkv_cache_attend(&cache, &part[0], &part[3], &o.options, &error), &error);
        }
        assert_int_equal(cache.length, TOKENS);
        assert_true(same_bits(&o.c, &result));
        free(cache.key.data), free(cache.value.data), free(result.data);
    }
    free_operands(&o);
}

/* 200,000 queries over as many keys: a score matrix would be 160 GB. The process may have one
 * gigabyte. A window keeps the time short. */
static void memory_linear(const setting *s)
{
    enum { TOKENS = 200000 };
    if (s->type != QKV_F32 || strcmp(s->kernel, "reference") == 0) return; /* too slow for it */
#if QKV_SANITIZED
    return; /* the sanitizer itself reserves terabytes of addresses */
#endif
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {.rlim_cur = 1u << 30, .rlim_max = 1u << 30};
        setrlimit(RLIMIT_AS, &limit);
        random_source source = {.state = 28};
        operands o = make_operands(s, 1, 1, TOKENS, TOKENS, 2, &source);
        o.options.window = true;
        o.options.window_left = 8;
        o.options.threads = QKV_EMULATED ? 1 : 2; /* qemu dies of a thread started behind a fork */
        _exit(qkv_attention(&o.q, &o.k, &o.v, &o.c, &o.options, NULL) != QKV_OK);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Rows that lie more than 2^31 elements apart, in address space that is reserved but not used. */
static void far_apart(const setting *s)
{
    enum { ROWS = 3 };
    if (QKV_EMULATED && s->type != QKV_F16) return; /* qemu looks at every page that is reserved */
    const ptrdiff_t stride = (ptrdiff_t)1 << 31 | 6;
    const size_t size = qkv_type_size(s->type), bytes = (size_t)stride * ROWS * size;
    random_source source = {.state = 29};
    operands o = make_operands(s, 1, 1, ROWS, ROWS, WIDTH, &source);
    attend(&o);
    operands wide = o;
    qkv_view *views[] = {&wide.q, &wide.k, &wide.v, &wide.c};
    for (int i = 0; i < 4; i++) {
        void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        assert_true(room != MAP_FAILED);
        qkv_view near = *views[i];
        views[i]->data = room;
        views[i]->stride[2] = stride;
        check_ok(qkv_view_copy(&near, views[i], NULL), &(qkv_error){0});
    }
    attend(&wide);
    assert_true(same_bits(&o.c, &wide.c));
    for (int i = 0; i < 4; i++) munmap(views[i]->data, bytes);
    free_operands(&o);
}

/* Any size may be zero. */
static void empty(const setting *s)
{
    random_source source = {.state = 30};
    for (int axis = 0; axis < 5; axis++) {
        size_t n[] = {2, 2, 3, 3, 3}; /* batch, heads, queries, keys, width */
        n[axis] = 0;
        operands o = make_operands(s, n[0], n[1], n[2], n[3], n[4], &source);
        o.options.log_sum_exp = make_tensor(QKV_F32, 3, (size_t[]){n[0], n[1], n[2]});
        attend(&o);
        for (size_t i = 0; axis == 4 && i < 12; i++) /* all scores 0: three equal weights */
            assert_true(fabs(((double)((float *)o.options.log_sum_exp.data)[i]) - log(3)) < 1e-6);
        free(o.options.log_sum_exp.data);
        free_operands(&o);
    }
}

/* A sequence without keys beside long ones, whose keys are shared among threads. */
static void empty_beside_long(const setting *s)
{
    enum { KEYS = 6000, QUERIES = 2, COLUMNS = 96 };
    random_source source = {.state = 37};
    for (size_t without = 0; without < 2; without++) {
        const size_t lengths[] = {without == 0 ? 0 : KEYS, without == 1 ? 0 : KEYS};
        operands o = make_operands(s, 2, 1, QUERIES, KEYS, COLUMNS, &source);
        o.options.log_sum_exp = make_tensor(QKV_F32, 3, (size_t[]){2, 1, QUERIES});
        o.options.key_lengths = lengths;
        o.options.threads = 2;
        attend(&o);
        for (size_t i = 0; i < QUERIES; i++) {
            const float *sums = o.options.log_sum_exp.data;
            assert_true(sums[without * QUERIES + i] == -INFINITY);
            assert_true(isfinite(sums[(1 - without) * QUERIES + i]));
            for (size_t d = 0; d < COLUMNS; d++) assert_true(get(&o.c, without, 0, i, d) == 0.0);
        }
        free(o.options.log_sum_exp.data);
        free_operands(&o);
    }
}

/* Values without columns: the log-sum-exp is the same as with some. */
static void no_columns(const setting *s)
{
    random_source source = {.state = 38};
    operands o = make_operands(s, 1, 1, 4, 3000, 64, &source);
    qkv_view sums = make_tensor(QKV_F64, 3, (size_t[]){1, 1, 4});
    qkv_view bare = make_tensor(QKV_F64, 3, (size_t[]){1, 1, 4});
    o.options.log_sum_exp = sums;
    attend(&o);
    o.options.log_sum_exp = bare;
    o.v.shape[3] = o.c.shape[3] = 0;
    attend(&o);
    assert_true(same_bits(&sums, &bare));
    free(sums.data), free(bare.data);
    free_operands(&o);
}

static void test_distribution(void **state)
{
    (void)state, each_setting(distribution);
}
static void test_nothing_to_see(void **state)
{
    (void)state, each_setting(nothing_to_see);
}
static void test_poison(void **state)
{
    (void)state, each_setting(poison);
}
static void test_own_rows(void **state)
{
    (void)state, each_setting(own_rows);
}
static void test_no_overflow(void **state)
{
    (void)state, each_setting(no_overflow);
}
static void test_same_everywhere(void **state)
{
    (void)state, each_setting(same_everywhere);
}
static void test_same_over_long(void **state)
{
    (void)state, each_setting(same_over_long);
}
static void test_same_beside_slopes(void **state)
{
    (void)state, each_setting(same_beside_slopes);
}
static void test_same_with_more(void **state)
{
    (void)state, each_setting(same_with_more);
}
static void test_cache_cuts(void **state)
{
    (void)state, each_setting(cache_cuts);
}
static void test_memory_linear(void **state)
{
    (void)state, each_setting(memory_linear);
}
static void test_far_apart(void **state)
{
    (void)state, each_setting(far_apart);
}
static void test_large_values(void **state)
{
    (void)state, each_setting(large_values);
}
static void test_flushed(void **state)
{
    (void)state, each_setting(flushed_subnormals);
}
static void test_many_threads(void **state)
{
    (void)state, each_setting(many_threads);
}
static void test_empty_beside_long(void **state)
{
    (void)state, each_setting(empty_beside_long);
}
static void test_no_columns(void **state)
{
    (void)state, each_setting(no_columns);
}
static void test_empty(void **state)
{
    (void)state, each_setting(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distribution),
        cmocka_unit_test(test_nothing_to_see),
        cmocka_unit_test(test_poison),
        cmocka_unit_test(test_own_rows),
        cmocka_unit_test(test_no_overflow),
        cmocka_unit_test(test_same_everywhere),
        cmocka_unit_test(test_cache_cuts),
        cmocka_unit_test(test_memory_linear),
        cmocka_unit_test(test_far_apart),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_empty_beside_long),
        cmocka_unit_test(test_no_columns),
        cmocka_unit_test(test_large_values),
        cmocka_unit_test(test_flushed),
        cmocka_unit_test(test_many_threads),
        cmocka_unit_test(test_same_over_long),
        cmocka_unit_test(test_same_beside_slopes),
        cmocka_unit_test(test_same_with_more),
    };
    return cmocka_run_group_tests_name("promises", tests, NULL, NULL);
}
