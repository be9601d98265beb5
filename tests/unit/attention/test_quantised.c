/*
 * Keys and values of type i8 with scales or of type e4m3, and the caches that make them: the
 * operator gives what it gives on the numbers that they stand for, the promises hold for them too,
 * and what does not go together is refused. Each test runs once a kernel.
 */
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

#include "support/tensors.h"

enum { GROUP = 3, KV_HEADS = 2, HEADS = GROUP * KV_HEADS };

typedef struct operands {
    qkv_view q, k, v, c;
    qkv_attention_options options;
} operands;

/* Runs a test's body once a kernel that takes f32 queries. */
static void each_kernel(void (*body)(const char *))
{
    for (size_t k = 0; k < qkv_kernel_count(); k++)
        if (kernel_takes(qkv_kernel_name(k), QKV_F32)) body(qkv_kernel_name(k));
}

static void fill_bytes(const qkv_view *view, random_source *source)
{
    int8_t *bytes = view->data;
    for (size_t i = 0; i < qkv_view_count(view); i++)
        bytes[i] = (int8_t)(random_below(source, 255) - 127);
}

static qkv_view make_scales(qkv_type type, size_t keys, random_source *source)
{
    qkv_view scales = make_tensor(type, 3, (size_t[]){1, KV_HEADS, keys});
    for (size_t h = 0; h < KV_HEADS; h++)
        for (size_t j = 0; j < keys; j++)
            set(&scales, 0, h, j, 0, (0.2 + random_uniform(source)) / 127.0);
    return scales;
}

static operands make_operands(const char *kernel, qkv_type scales, size_t queries, size_t keys,
                              size_t width, size_t value_width, random_source *source)
{
    operands o = {.q = make_tensor4(QKV_F32, 1, HEADS, queries, width),
                  .k = make_tensor4(QKV_I8, 1, KV_HEADS, keys, width),
                  .v = make_tensor4(QKV_I8, 1, KV_HEADS, keys, value_width),
                  .c = make_tensor4(QKV_F32, 1, HEADS, queries, value_width),
                  .options = qkv_attention_default()};
    o.options.kernel = kernel;
    o.options.key_scales = make_scales(scales, keys, source);
    o.options.value_scales = make_scales(scales, keys, source);
    fill_random(&o.q, 1.0, source);
    fill_bytes(&o.k, source);
    fill_bytes(&o.v, source);
    return o;
}

static void free_operands(operands *o)
{
    free(o->q.data), free(o->k.data), free(o->v.data), free(o->c.data);
    free(o->options.key_scales.data), free(o->options.value_scales.data);
}

static void attend(operands *o)
{
    qkv_error error;
    check_ok(qkv_attention(&o->q, &o->k, &o->v, &o->c, &o->options, &error), &error);
}

/* The numbers that bytes and scales stand for. */
static qkv_view spelled(qkv_type type, const qkv_view *bytes, const qkv_view *scales)
{
    qkv_view full = make_tensor(type, 4, bytes->shape);
    for (size_t h = 0; h < bytes->shape[1]; h++)
        for (size_t j = 0; j < bytes->shape[2]; j++)
            for (size_t d = 0; d < bytes->shape[3]; d++)
                set(&full, 0, h, j, d, get(bytes, 0, h, j, d) * get(scales, 0, h, j, 0));
    return full;
}

static qkv_view widened(qkv_type type, const qkv_view *from)
{
    qkv_view to = make_tensor(type, from->rank, from->shape);
    qkv_view_copy(from, &to, NULL);
    return to;
}

/* ---- What it computes ---------------------------------------------------------------------- */

/* Against the reference in double precision on the numbers spelled out. Scores stay under 8 and
 * values under 1.2, so that the error of a naive loop bounds: (width + keys) roundings. */
static void compare_spelled(const char *kernel, qkv_type scales, size_t queries, size_t keys,
                            size_t width, size_t value_width, random_source *source)
{
    operands o = make_operands(kernel, scales, queries, keys, width, value_width, source);
    attend(&o);
    qkv_view q = widened(QKV_F64, &o.q), c = make_tensor(QKV_F64, 4, o.c.shape);
    qkv_view k = spelled(QKV_F64, &o.k, &o.options.key_scales);
    qkv_view v = spelled(QKV_F64, &o.v, &o.options.value_scales);
    qkv_attention_options reference = qkv_attention_default();
    qkv_error error;
    reference.kernel = "reference";
    check_ok(qkv_attention(&q, &k, &v, &c, &reference, &error), &error);
    qkv_view result = widened(QKV_F64, &o.c);
    assert_true(largest_difference(&c, &result) < 8.0 * (double)(width + 16) * 0x1p-24);

    /* In f64 the bytes are exact, and so is everything but the order of sums. */
    qkv_view wide = make_tensor(QKV_F64, 4, o.c.shape);
    check_ok(qkv_attention(&q, &o.k, &o.v, &wide, &o.options, &error), &error);
    assert_true(largest_difference(&c, &wide) < 8.0 * (double)(width + 16) * 0x1p-53);
    free(q.data), free(k.data), free(v.data), free(c.data), free(result.data), free(wide.data);
    free_operands(&o);
}

static void same_as_spelled(const char *kernel)
{
    static const size_t shapes[][4] = {{1, 1, 1, 1},     {1, 200, 64, 64}, {3, 300, 128, 40},
                                       {2, 77, 80, 7},   {1, 65, 17, 33},  {40, 100, 32, 16},
                                       {1, 1500, 16, 16}};
    random_source source = {.state = 71};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (qkv_type type = QKV_F32; type <= QKV_BF16; type++) /* f64 is not exact in f32 */
            compare_spelled(kernel, type, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3],
                            &source);
}

/* What a plain loop in f32 makes of f32 rows: scores in order, weights divided one by one. */
static void naive_row(const operands *o, const qkv_view *k, const qkv_view *v, size_t h, size_t i,
                      float *output)
{
    const size_t keys = k->shape[2], width = k->shape[3], value_width = v->shape[3], g = h / GROUP;
    float score[300], top = -INFINITY, sum = 0.0f;
    assert_true(keys <= 300);
    for (size_t j = 0; j < keys; j++) {
        score[j] = 0.0f;
        for (size_t d = 0; d < width; d++)
            score[j] += (float)get(&o->q, 0, h, i, d) * (float)get(k, 0, g, j, d);
        score[j] *= (float)(1.0 / sqrt((double)width));
        top = fmaxf(top, score[j]);
    }
    for (size_t j = 0; j < keys; j++) sum += score[j] = expf(score[j] - top);
    for (size_t d = 0; d < value_width; d++) {
        output[d] = 0.0f;
        for (size_t j = 0; j < keys; j++) output[d] += score[j] / sum * (float)get(v, 0, g, j, d);
    }
}

/* The root mean square error is at most that of the plain loop. */
static void no_less_accurate(const char *kernel)
{
    enum { QUERIES = 8, WIDTH_AT_MOST = 128 };
    static const size_t shapes[][3] = {{5, 16, 16}, {60, 64, 64}, {300, 128, 128}, {200, 33, 7}};
    random_source source = {.state = 80};
    for (size_t n = 0; n < sizeof shapes / sizeof shapes[0]; n++) {
        operands o = make_operands(kernel, QKV_F32, QUERIES, shapes[n][0], shapes[n][1],
                                   shapes[n][2], &source);
        qkv_view k = spelled(QKV_F32, &o.k, &o.options.key_scales);
        qkv_view v = spelled(QKV_F32, &o.v, &o.options.value_scales);
        qkv_view q = widened(QKV_F64, &o.q), exact = make_tensor(QKV_F64, 4, o.c.shape);
        qkv_attention_options reference = o.options;
        qkv_error error;
        double own = 0.0, naive = 0.0;
        attend(&o);
        reference.kernel = "reference";
        check_ok(qkv_attention(&q, &o.k, &o.v, &exact, &reference, &error), &error);
        for (size_t h = 0; h < HEADS; h++)
            for (size_t i = 0; i < QUERIES; i++) {
                float plain[WIDTH_AT_MOST];
                naive_row(&o, &k, &v, h, i, plain);
                for (size_t d = 0; d < shapes[n][2]; d++) {
                    const double truth = get(&exact, 0, h, i, d);
                    own += pow(get(&o.c, 0, h, i, d) - truth, 2.0);
                    naive += pow((double)plain[d] - truth, 2.0);
                }
            }
        assert_true(own <= naive);
        free(k.data), free(v.data), free(q.data), free(exact.data);
        free_operands(&o);
    }
}

/* Bytes for keys alone, or for values alone. */
static void mixed(const char *kernel)
{
    random_source source = {.state = 72};
    operands o = make_operands(kernel, QKV_F32, 2, 90, 24, 24, &source), other = o;
    attend(&o);
    other.c = make_tensor(QKV_F32, 4, o.c.shape);
    other.k = spelled(QKV_F32, &o.k, &o.options.key_scales);
    other.options.key_scales = (qkv_view){0};
    attend(&other);
    assert_true(largest_difference(&o.c, &other.c) < 1e-5);
    free(other.k.data);
    other.k = o.k, other.options.key_scales = o.options.key_scales;
    other.v = spelled(QKV_F32, &o.v, &o.options.value_scales);
    other.options.value_scales = (qkv_view){0};
    attend(&other);
    assert_true(largest_difference(&o.c, &other.c) < 1e-5);
    free(other.v.data), free(other.c.data);
    free_operands(&o);
}

/* e4m3 with scales or without, against the same numbers in f64: the bound of compare_spelled, where
 * values are under 2. */
static void same_in_e4m3(const char *kernel)
{
    static const size_t shapes[][3] = {{1, 200, 64}, {3, 77, 40}, {40, 100, 33}, {1, 1500, 16}};
    random_source source = {.state = 81};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int scaled = 0; scaled < 2; scaled++) {
            operands o = make_operands(kernel, QKV_F32, shapes[i][0], shapes[i][1], shapes[i][2],
                                       shapes[i][2], &source);
            qkv_view *views[] = {&o.k, &o.v};
            qkv_view *scales[] = {&o.options.key_scales, &o.options.value_scales};
            for (int n = 0; n < 2; n++) { /* the same bytes would have other numbers in them */
                views[n]->type = QKV_E4M3;
                fill_random(views[n], scaled ? 100.0 : 0.5, &source);
                if (!scaled) fill_value(scales[n], 1.0);
            }
            qkv_view q = widened(QKV_F64, &o.q), c = make_tensor(QKV_F64, 4, o.c.shape);
            qkv_view k = spelled(QKV_F64, &o.k, scales[0]), v = spelled(QKV_F64, &o.v, scales[1]);
            qkv_attention_options reference = qkv_attention_default();
            qkv_error error;
            reference.kernel = "reference";
            check_ok(qkv_attention(&q, &k, &v, &c, &reference, &error), &error);
            free(k.data), free(v.data);
            qkv_view kept[] = {*scales[0], *scales[1]};
            if (!scaled) *scales[0] = *scales[1] = (qkv_view){0};
            attend(&o);
            qkv_view result = widened(QKV_F64, &o.c);
            assert_true(largest_difference(&c, &result) <
                        8.0 * (double)(shapes[i][2] + 16) * 0x1p-24);
            *scales[0] = kept[0], *scales[1] = kept[1];
            free(q.data), free(c.data), free(result.data);
            free_operands(&o);
        }
}

/* ---- Promises ------------------------------------------------------------------------------ */

/* Rows begin to begin + count - 1 of a problem, by themselves. */
static void compare_rows(const operands *o, size_t begin, size_t count, const qkv_view *lse)
{
    operands part = *o;
    const size_t queries = o->q.shape[2], width = o->q.shape[3], value_width = o->c.shape[3];
    part.q.shape[2] = count;
    part.q.data = (float *)o->q.data + begin * width;
    part.c = make_tensor4(QKV_F32, 1, HEADS, count, value_width);
    part.options.log_sum_exp = make_tensor(QKV_F64, 3, (size_t[]){1, HEADS, count});
    part.options.alignment = QKV_ALIGN_OFFSET;
    part.options.query_offset = (ptrdiff_t)(o->k.shape[2] - queries + begin);
    attend(&part);
    for (size_t h = 0; h < HEADS; h++)
        for (size_t i = 0; i < count; i++) {
            for (size_t d = 0; d < value_width; d++)
                assert_true(get(&part.c, 0, h, i, d) == get(&o->c, 0, h, begin + i, d));
            assert_true(get(&part.options.log_sum_exp, 0, h, i, 0) == get(lse, 0, h, begin + i, 0));
        }
    free(part.c.data), free(part.options.log_sum_exp.data);
}

/* As many queries as a kernel may lay out in different ways, over keys of every type. */
static void own_rows(const char *kernel)
{
    enum { QUERIES = 40, KEYS = 1060 };
    static const qkv_type types[] = {QKV_F32, QKV_F16, QKV_BF16, QKV_I8};
    static const size_t widths[] = {64, 40, 33};
    random_source source = {.state = 73};
    for (size_t t = 0; t < 4; t++)
        for (size_t w = 0; w < (strcmp(kernel, "reference") == 0 ? 1 : 3); w++) {
            operands o =
                make_operands(kernel, QKV_F32, QUERIES, KEYS, widths[w], widths[w], &source);
            qkv_view scales[] = {o.options.key_scales, o.options.value_scales},
                     bytes[] = {o.k, o.v};
            if (types[t] != QKV_I8) {
                o.k = spelled(types[t], &bytes[0], &scales[0]);
                o.v = spelled(types[t], &bytes[1], &scales[1]);
                o.options.key_scales = o.options.value_scales = (qkv_view){0};
            }
            o.options.causal = true;
            o.options.softcap = w == 1 ? 5.0 : 0.0;
            o.options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
            o.options.threads = 1;
            qkv_view lse = make_tensor(QKV_F64, 3, (size_t[]){1, HEADS, QUERIES});
            o.options.log_sum_exp = lse;
            attend(&o);
            for (size_t count = 1; count <= 6; count += count > 2 ? 2 : 1)
                compare_rows(&o, 5 * count, count, &lse);
            operands threads = o;
            threads.c = make_tensor(QKV_F32, 4, o.c.shape);
            threads.options.threads = 3;
            attend(&threads);
            assert_true(same_bits(&threads.c, &o.c));
            free(threads.c.data), free(lse.data);
            if (types[t] != QKV_I8) free(o.k.data), free(o.v.data);
            o.k = bytes[0], o.v = bytes[1];
            o.options.key_scales = scales[0], o.options.value_scales = scales[1];
            free_operands(&o);
        }
}

/* Where bytes and scales lie does not matter. */
static void strides(const char *kernel)
{
    random_source source = {.state = 74};
    operands o = make_operands(kernel, QKV_F16, 2, 150, 24, 24, &source), other = o;
    attend(&o);
    qkv_view *views[] = {&other.q, &other.k, &other.v, &other.options.key_scales,
                         &other.options.value_scales};
    for (size_t i = 0; i < 5; i++) {
        qkv_view from = *views[i];
        *views[i] = make_scattered(&from, &source);
        qkv_view_copy(&from, views[i], NULL);
    }
    other.c = make_scattered(&o.c, &source);
    attend(&other);
    assert_true(same_bits(&o.c, &other.c));
    free_operands(&other);
    free_operands(&o);
}

/* A scale of NaN or infinity in a masked row changes no bit; one that is looked at reaches those
 * queries alone that look at it. */
static void poison(const char *kernel)
{
    enum { QUERIES = 4, KEYS = 200, HIDDEN = 37 };
    random_source source = {.state = 75};
    for (int which = 0; which < 4; which++) {
        operands o = make_operands(kernel, QKV_F32, QUERIES, KEYS, 16, 16, &source), other = o;
        qkv_view mask = make_tensor(QKV_BOOL, 2, (size_t[]){QUERIES, KEYS});
        fill_value(&mask, 1.0);
        for (size_t i = 0; i < QUERIES; i += 2) set(&mask, i, HIDDEN, 0, 0, 0.0);
        o.options.mask = mask;
        attend(&o);
        other.options.mask = mask;
        other.c = make_tensor(QKV_F32, 4, o.c.shape);
        qkv_view *scales = which % 2 == 0 ? &o.options.key_scales : &o.options.value_scales;
        set(scales, 0, 1, HIDDEN, 0, which < 2 ? NAN : INFINITY);
        attend(&other);
        for (size_t h = 0; h < HEADS; h++)
            for (size_t i = 0; i < QUERIES; i++)
                for (size_t d = 0; d < 16; d++) {
                    const double before = get(&o.c, 0, h, i, d), now = get(&other.c, 0, h, i, d);
                    const bool sees = h >= GROUP && i % 2 != 0;
                    if (!sees) assert_true(now == before);
                    if (sees && which < 2) assert_true(isnan(now));
                }
        free(mask.data), free(other.c.data);
        free_operands(&o);
    }
}

/* ---- The cache ----------------------------------------------------------------------------- */

static qkv_cache make_cache(qkv_type scales, size_t capacity, size_t width)
{
    return (qkv_cache){.key = make_tensor4(QKV_I8, 1, KV_HEADS, capacity, width),
                       .value = make_tensor4(QKV_I8, 1, KV_HEADS, capacity, width),
                       .key_scales = make_tensor(scales, 3, (size_t[]){1, KV_HEADS, capacity}),
                       .value_scales = make_tensor(scales, 3, (size_t[]){1, KV_HEADS, capacity})};
}

static void free_cache(qkv_cache *cache)
{
    free(cache->key.data), free(cache->value.data);
    free(cache->key_scales.data), free(cache->value_scales.data);
}

/* Bytes times scales are within half a step of what came; the largest of a row is 127 steps. */
static void test_quantised_rows(void **state)
{
    enum { TOKENS = 20, WIDTH = 33 };
    random_source source = {.state = 76};
    (void)state;
    for (qkv_type type = QKV_F64; type <= QKV_BF16; type++) {
        qkv_cache cache = make_cache(type, TOKENS, WIDTH);
        qkv_view k = make_tensor4(QKV_F32, 1, KV_HEADS, TOKENS, WIDTH);
        qkv_view v = make_tensor4(QKV_F64, 1, KV_HEADS, TOKENS, WIDTH);
        qkv_error error;
        fill_random(&k, 3.0, &source), fill_random(&v, 0.01, &source);
        for (size_t d = 0; d < WIDTH; d++) set(&k, 0, 1, 3, d, 0.0);
        check_ok(qkv_cache_append(&cache, &k, &v, &error), &error);
        assert_true(get(&cache.key_scales, 0, 1, 3, 0) == 0.0);
        for (size_t h = 0; h < KV_HEADS; h++)
            for (size_t j = 0; j < TOKENS; j++) {
                const double scale = get(&cache.key_scales, 0, h, j, 0);
                double largest = 0.0;
                for (size_t d = 0; d < WIDTH; d++) {
                    const double byte = get(&cache.key, 0, h, j, d);
                    assert_true(fabs(byte * scale - get(&k, 0, h, j, d)) <= 0.5 * scale);
                    largest = fmax(largest, fabs(byte));
                }
                assert_true(largest == (scale == 0.0 ? 0.0 : 127.0));
            }
        free(k.data), free(v.data);
        free_cache(&cache);
    }
}

/* However the tokens come, the cache attends as the operator does on what it holds. */
static void cache_cuts(const char *kernel)
{
    enum { TOKENS = 140, WIDTH = 24 };
    const size_t cuts[][6] = {{140, 0}, {1, 1, 62, 1, 75, 0}, {70, 70, 0}};
    random_source source = {.state = 77};
    operands o = make_operands(kernel, QKV_F32, TOKENS, TOKENS, WIDTH, WIDTH, &source);
    qkv_view k = spelled(QKV_F32, &o.k, &o.options.key_scales);
    qkv_view v = spelled(QKV_F32, &o.v, &o.options.value_scales);
    qkv_view first = {0};
    for (size_t n = 0; n < 3; n++) {
        qkv_cache cache = make_cache(QKV_F32, TOKENS + 9, WIDTH);
        qkv_attention_options options = qkv_attention_default();
        qkv_view result = make_tensor4(QKV_F32, 1, HEADS, TOKENS, WIDTH);
        options.causal = true;
        options.kernel = kernel;
        for (size_t i = 0, at = 0; cuts[n][i] != 0; at += cuts[n][i++]) {
            qkv_view part[] = {o.q, k, v, result};
            qkv_error error;
            for (int p = 0; p < 4; p++) {
                part[p].data = (float *)part[p].data + at * WIDTH;
                part[p].shape[2] = cuts[n][i];
            }
            check_ok(qkv_cache_append(&cache, &part[1], &part[2], &error), &error);
            check_ok(qkv_cache_attend(&cache, &part[0], &part[3], &options, &error), &error);
        }
        if (n == 0)
            first = result;
        else
            assert_true(same_bits(&first, &result));
        if (n > 0) free(result.data);
        free_cache(&cache);
    }
    free(first.data), free(k.data), free(v.data);
    free_operands(&o);
}

/* What cannot be quantised is refused before anything is written. */
static void test_cache_errors(void **state)
{
    enum { TOKENS = 5, WIDTH = 4 };
    qkv_cache cache = make_cache(QKV_F16, 8, WIDTH), bad;
    qkv_view k = make_tensor4(QKV_F32, 1, KV_HEADS, TOKENS, WIDTH), v = k;
    qkv_error error;
    (void)state;
    v.data = calloc(qkv_view_count(&v), sizeof(float));
    fill_value(&k, 1.0);
    set(&v, 0, 1, 2, 3, NAN);
    check_error(qkv_cache_append(&cache, &k, &v, &error), QKV_ERROR_ARGUMENT, &error,
                "value has a number in token 2 that is not finite or too large for a scale in f16");
    set(&v, 0, 1, 2, 3, 1e30);
    check_error(qkv_cache_append(&cache, &k, &v, &error), QKV_ERROR_ARGUMENT, &error,
                "value has a number in token 2");
    assert_int_equal(cache.length, 0);
    assert_true(get(&cache.key_scales, 0, 0, 0, 0) == 0.0 && get(&cache.key, 0, 0, 0, 0) == 0.0);
    bad = cache, bad.key_scales = (qkv_view){0};
    check_error(qkv_cache_append(&bad, &k, &k, &error), QKV_ERROR_ARGUMENT, &error,
                "cache key_scales is not set; a cache key of type i8 needs it");
    bad = cache, bad.value_scales.shape[2] = 7;
    check_error(qkv_cache_append(&bad, &k, &k, &error), QKV_ERROR_SHAPE, &error,
                "cache value_scales has shape (1, 2, 7); expected the shape of cache value");
    bad = cache, bad.key = k;
    check_error(qkv_cache_append(&bad, &k, &k, &error), QKV_ERROR_ARGUMENT, &error,
                "cache key_scales is set, but cache key has type f32");
    check_error(qkv_cache_append(&cache, &cache.key, &k, &error), QKV_ERROR_TYPE, &error,
                "key has type i8; expected f64, f32, f16 or bf16");
    free(k.data), free(v.data);
    free_cache(&cache);
}

/* Tokens come into a cache of e4m3 as qkv_view_copy rounds them. */
static void test_cache_e4m3(void **state)
{
    enum { TOKENS = 9, WIDTH = 5 };
    random_source source = {.state = 82};
    qkv_view k = make_tensor4(QKV_F32, 1, KV_HEADS, TOKENS, WIDTH);
    qkv_view rounded = make_tensor(QKV_E4M3, 4, k.shape);
    qkv_cache cache = {.key = make_tensor(QKV_E4M3, 4, k.shape),
                       .value = make_tensor(QKV_E4M3, 4, k.shape)};
    qkv_error error;
    (void)state;
    fill_random(&k, 300.0, &source);
    check_ok(qkv_view_copy(&k, &rounded, &error), &error);
    check_ok(qkv_cache_append(&cache, &k, &k, &error), &error);
    assert_true(same_bits(&cache.key, &rounded) && same_bits(&cache.value, &rounded));
    free(k.data), free(rounded.data), free(cache.key.data), free(cache.value.data);
}

/* ---- What is refused ------------------------------------------------------------------------ */

static void expect(const operands *o, qkv_status status, const char *words)
{
    qkv_error error;
    check_error(qkv_attention(&o->q, &o->k, &o->v, &o->c, &o->options, &error), status, &error,
                words);
}

static void test_errors(void **state)
{
    random_source source = {.state = 78};
    operands good = make_operands(NULL, QKV_F32, 2, 9, 4, 4, &source), bad;
    qkv_view full = spelled(QKV_F32, &good.k, &good.options.key_scales);
    qkv_error error;
    (void)state;
    attend(&good);
    bad = good, bad.options.key_scales = (qkv_view){0};
    expect(&bad, QKV_ERROR_ARGUMENT, "key_scales is not set; a key of type i8 needs it");
    bad = good, bad.options.value_scales = (qkv_view){0};
    expect(&bad, QKV_ERROR_ARGUMENT, "value_scales is not set; a value of type i8 needs it");
    bad = good, bad.k = full;
    expect(&bad, QKV_ERROR_ARGUMENT,
           "key_scales is set, but key has type f32; expected i8 or e4m3");
    bad = good, bad.options.key_scales.shape[2] = 8;
    expect(&bad, QKV_ERROR_SHAPE, "key_scales has shape (1, 2, 8); expected (1, 2, 9), one a row");
    bad = good, bad.options.value_scales.rank = 2;
    expect(&bad, QKV_ERROR_SHAPE, "value_scales has shape (1, 2); expected (1, 2, 9)");
    bad = good, bad.options.value_scales.type = QKV_I8;
    expect(&bad, QKV_ERROR_TYPE, "value_scales has type i8; expected f64, f32, f16 or bf16");
    bad = good, bad.options.value_scales.data = NULL;
    expect(&bad, QKV_ERROR_ARGUMENT, "value_scales has 18 elements but its data is NULL");
    bad = good, bad.q.type = QKV_I8;
    expect(&bad, QKV_ERROR_TYPE, "query has type i8; expected f64, f32, f16 or bf16");
    bad = good, bad.c.type = QKV_I8;
    expect(&bad, QKV_ERROR_TYPE, "output has type i8; expected f64, f32, f16 or bf16");
    check_error(qkv_attention_gradient(&good.q, &good.k, &good.v, &good.c, &good.c, NULL, NULL,
                                       &good.options, &error),
                QKV_ERROR_TYPE, &error, "key has type i8; expected f64, f32, f16 or bf16");
    free(full.data);
    free_operands(&good);
}

/* A caller who knows no scales leaves them out by the size of its struct. */
static void test_older_options(void **state)
{
    random_source source = {.state = 79};
    operands o = make_operands(NULL, QKV_F32, 2, 9, 4, 4, &source);
    (void)state;
    o.options.struct_size = offsetof(qkv_attention_options, key_scales);
    expect(&o, QKV_ERROR_ARGUMENT, "key_scales is not set");
    free_operands(&o);
}

/* Into bytes: to nearest even, cut at the ends. */
static void test_conversion(void **state)
{
    static const double numbers[] = {0.5, 1.5,    -0.5, -1.5, 126.5, 127.5,
                                     1e9, -128.5, -1e9, NAN,  -3};
    static const int8_t bytes[] = {0, 2, 0, -2, 126, 127, 127, -128, -128, 0, -3};
    enum { COUNT = sizeof bytes };
    int8_t converted[COUNT];
    double back[COUNT];
    qkv_view from = qkv_view_dense(QKV_F64, (void *)numbers, 1, (size_t[]){COUNT});
    qkv_view to = qkv_view_dense(QKV_I8, converted, 1, (size_t[]){COUNT});
    qkv_view again = qkv_view_dense(QKV_F64, back, 1, (size_t[]){COUNT});
    qkv_error error;
    (void)state;
    check_ok(qkv_view_copy(&from, &to, &error), &error);
    check_ok(qkv_view_copy(&to, &again, &error), &error);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(converted[i], bytes[i]);
        assert_true(back[i] == bytes[i]);
    }
}

static void test_same_as_spelled(void **state)
{
    (void)state, each_kernel(same_as_spelled);
}
static void test_no_less_accurate(void **state)
{
    (void)state, each_kernel(no_less_accurate);
}
static void test_same_in_e4m3(void **state)
{
    (void)state, each_kernel(same_in_e4m3);
}
static void test_mixed(void **state)
{
    (void)state, each_kernel(mixed);
}
static void test_own_rows(void **state)
{
    (void)state, each_kernel(own_rows);
}
static void test_strides(void **state)
{
    (void)state, each_kernel(strides);
}
static void test_poison(void **state)
{
    (void)state, each_kernel(poison);
}
static void test_cache_cuts(void **state)
{
    (void)state, each_kernel(cache_cuts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_spelled), cmocka_unit_test(test_no_less_accurate),
        cmocka_unit_test(test_mixed),           cmocka_unit_test(test_own_rows),
        cmocka_unit_test(test_strides),         cmocka_unit_test(test_poison),
        cmocka_unit_test(test_quantised_rows),  cmocka_unit_test(test_cache_cuts),
        cmocka_unit_test(test_cache_errors),    cmocka_unit_test(test_errors),
        cmocka_unit_test(test_older_options),   cmocka_unit_test(test_conversion),
        cmocka_unit_test(test_same_in_e4m3),    cmocka_unit_test(test_cache_e4m3),
    };
    return cmocka_run_group_tests_name("quantised", tests, NULL, NULL);
}
