/*
 * Keys and values in pages: the operator gives, bit for bit, what it gives on the same keys laid
 * out in order, whatever the size, the order and the type of the pages; what no sequence has is not
 * read; and what does not go together is refused. Each test runs once a kernel.
 */
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "support/tensors.h"

enum { BATCH = 3, GROUP = 2, KV_HEADS = 2, HEADS = GROUP * KV_HEADS, WIDTH = 24, SPARE = 2 };

/* Keys and values in order, and the same in pages. Both share query, output and options. */
typedef struct paged {
    qkv_view q, c;
    qkv_view k, v, key_scales, value_scales;                         /* in order */
    qkv_view key_pool, value_pool, key_scale_pool, value_scale_pool; /* scales only of i8 */
    int32_t *table;
    size_t columns, page_size;
    size_t lengths[BATCH];
} paged;

static void fill(const qkv_view *view, random_source *source)
{
    for (size_t a = 0; a < view->shape[0]; a++)
        for (size_t b = 0; b < view->shape[1]; b++)
            for (size_t c = 0; c < view->shape[2]; c++)
                for (size_t d = 0; d < (view->rank == 4 ? view->shape[3] : 1); d++)
                    set(view, a, b, c, d,
                        view->type == QKV_I8 ? (double)random_below(source, 255) - 127.0
                                             : 2.0 * random_uniform(source) - 1.0);
}

/* The rows of `from` (batch, heads, keys, ...) that a sequence has, where the table puts them. */
static void scatter(const paged *p, const qkv_view *from, const qkv_view *pool)
{
    const size_t numbers = from->rank == 4 ? from->shape[3] : 1;
    for (size_t b = 0; b < BATCH; b++)
        for (size_t h = 0; h < KV_HEADS; h++)
            for (size_t j = 0; j < p->lengths[b]; j++) {
                const size_t page = (size_t)p->table[b * p->columns + j / p->page_size];
                for (size_t d = 0; d < numbers; d++)
                    set(pool, page, h, j % p->page_size, d, get(from, b, h, j, d));
            }
}

/* Pages are dealt in a random order; what no sequence has is NaN, and so is the table's rest. */
static paged make_paged(qkv_type query, qkv_type type, size_t queries, size_t columns,
                        size_t page_size, random_source *source)
{
    const size_t keys = columns * page_size, pages = BATCH * columns + SPARE;
    paged p = {.columns = columns, .page_size = page_size};
    p.q = make_tensor4(query, BATCH, HEADS, queries, WIDTH);
    p.c = make_tensor4(query, BATCH, HEADS, queries, WIDTH);
    p.k = make_tensor4(type, BATCH, KV_HEADS, keys, WIDTH);
    p.v = make_tensor4(type, BATCH, KV_HEADS, keys, WIDTH);
    p.key_pool = make_tensor4(type, pages, KV_HEADS, page_size, WIDTH);
    p.value_pool = make_tensor4(type, pages, KV_HEADS, page_size, WIDTH);
    fill(&p.q, source), fill(&p.k, source), fill(&p.v, source);
    fill_value(&p.key_pool, NAN), fill_value(&p.value_pool, NAN);
    p.table = malloc(pages * sizeof *p.table);
    for (size_t i = 0; i < pages; i++) p.table[i] = (int32_t)i;
    for (size_t i = pages; i-- > 1;) { /* a random order: Fisher and Yates */
        const size_t other = random_below(source, i + 1);
        const int32_t moved = p.table[i];
        p.table[i] = p.table[other], p.table[other] = moved;
    }
    for (size_t b = 0; b < BATCH; b++) p.lengths[b] = keys * b / (BATCH - 1);
    scatter(&p, &p.k, &p.key_pool), scatter(&p, &p.v, &p.value_pool);
    if (type != QKV_I8) return p;
    p.key_scales = make_tensor(QKV_F32, 3, (size_t[]){BATCH, KV_HEADS, keys});
    p.value_scales = make_tensor(QKV_F16, 3, (size_t[]){BATCH, KV_HEADS, keys});
    p.key_scale_pool = make_tensor(QKV_F32, 3, (size_t[]){pages, KV_HEADS, page_size});
    p.value_scale_pool = make_tensor(QKV_F16, 3, (size_t[]){pages, KV_HEADS, page_size});
    fill(&p.key_scales, source), fill(&p.value_scales, source);
    scatter(&p, &p.key_scales, &p.key_scale_pool);
    scatter(&p, &p.value_scales, &p.value_scale_pool);
    return p;
}

static void free_paged(paged *p)
{
    free(p->q.data), free(p->c.data), free(p->k.data), free(p->v.data);
    free(p->key_pool.data), free(p->value_pool.data), free(p->table);
    free(p->key_scales.data), free(p->value_scales.data);
    free(p->key_scale_pool.data), free(p->value_scale_pool.data);
}

static qkv_attention_options with_pages(const paged *p, qkv_attention_options options)
{
    options.page_table = p->table;
    options.page_columns = p->columns;
    options.key_scales = p->key_scale_pool;
    options.value_scales = p->value_scale_pool;
    return options;
}

static qkv_status attend_pages(const paged *p, const qkv_view *c,
                               const qkv_attention_options *options, qkv_error *error)
{
    return qkv_attention(&p->q, &p->key_pool, &p->value_pool, c, options, error);
}

/* Every result of the two calls has the same bits. */
static void compare(const paged *p, qkv_attention_options options)
{
    const size_t rows[] = {BATCH, HEADS, p->q.shape[2], p->k.shape[2]};
    qkv_view c = make_tensor(p->c.type, 4, p->c.shape);
    qkv_view lse[2], weights[2];
    qkv_error error;
    for (int i = 0; i < 2; i++) {
        lse[i] = make_tensor(QKV_F32, 3, rows);
        weights[i] = make_tensor(QKV_F32, 4, rows);
    }
    options.key_lengths = p->lengths;
    qkv_attention_options other = with_pages(p, options);
    options.key_scales = p->key_scales, options.value_scales = p->value_scales;
    options.log_sum_exp = lse[0], options.weights = weights[0];
    other.log_sum_exp = lse[1], other.weights = weights[1];
    check_ok(qkv_attention(&p->q, &p->k, &p->v, &p->c, &options, &error), &error);
    check_ok(attend_pages(p, &c, &other, &error), &error);
    assert_true(same_bits(&p->c, &c));
    assert_true(same_bits(&lse[0], &lse[1]));
    assert_true(same_bits(&weights[0], &weights[1]));
    for (int i = 0; i < 2; i++) free(lse[i].data), free(weights[i].data);
    free(c.data);
}

static void each_kernel(void (*body)(const char *))
{
    for (size_t k = 0; k < qkv_kernel_count(); k++) body(qkv_kernel_name(k));
}

static void same_as_ordered(const char *kernel)
{
    static const size_t shapes[][3] = {{1, 1, 1}, {1, 5, 16}, {3, 9, 7}, {2, 2, 300}, {5, 40, 1}};
    static const qkv_type types[][2] = {{QKV_F64, QKV_F64},   {QKV_F32, QKV_F32},
                                        {QKV_BF16, QKV_BF16}, {QKV_F16, QKV_BF16},
                                        {QKV_F32, QKV_E4M3},  {QKV_F32, QKV_I8}};
    random_source source = {.state = 91};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            if (!kernel_takes(kernel, types[t][0])) continue;
            if (!kernel_takes(kernel, QKV_F32) && types[t][0] != types[t][1]) continue;
            paged p = make_paged(types[t][0], types[t][1], shapes[s][0], shapes[s][1], shapes[s][2],
                                 &source);
            qkv_attention_options options = qkv_attention_default();
            options.kernel = kernel;
            compare(&p, options);
            options.causal = true;
            options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
            options.threads = 2;
            compare(&p, options);
            free_paged(&p);
        }
}

static void test_same_as_ordered(void **state)
{
    (void)state, each_kernel(same_as_ordered);
}

/* Pages as other programs lay them out: (pages, page size, heads, width), with gaps. */
static void test_strides(void **state)
{
    random_source source = {.state = 92};
    paged p = make_paged(QKV_F32, QKV_F32, 2, 6, 10, &source);
    qkv_view pools[] = {p.key_pool, p.value_pool};
    (void)state;
    p.key_pool = make_scattered(&pools[0], &source);
    p.value_pool = make_scattered(&pools[1], &source);
    qkv_view_copy(&pools[0], &p.key_pool, NULL), qkv_view_copy(&pools[1], &p.value_pool, NULL);
    compare(&p, qkv_attention_default());
    free(pools[0].data), free(pools[1].data);
    free_paged(&p);
}

/* Sequences may share pages, as those with a common beginning do. */
static void test_shared_pages(void **state)
{
    random_source source = {.state = 93};
    paged p = make_paged(QKV_F32, QKV_F32, 1, 4, 8, &source);
    qkv_view c = make_tensor(QKV_F32, 4, p.c.shape);
    qkv_attention_options options = with_pages(&p, qkv_attention_default());
    qkv_error error;
    (void)state;
    for (size_t i = 0; i < p.columns; i++) /* all sequences have the last one's, which is full */
        for (size_t b = 0; b < BATCH; b++)
            p.table[b * p.columns + i] = p.table[(BATCH - 1) * p.columns + i];
    for (size_t h = 0; h < HEADS; h++)
        for (size_t d = 0; d < WIDTH; d++)
            for (size_t b = 0; b < BATCH; b++) set(&p.q, b, h, 0, d, get(&p.q, 0, h, 0, d));
    check_ok(attend_pages(&p, &c, &options, &error), &error);
    for (size_t h = 0; h < HEADS; h++)
        for (size_t d = 0; d < WIDTH; d++)
            for (size_t b = 1; b < BATCH; b++) {
                assert_true(isfinite(get(&c, b, h, 0, d)));
                assert_true(get(&c, b, h, 0, d) == get(&c, 0, h, 0, d));
            }
    free(c.data);
    free_paged(&p);
}

/* Entries of the table behind a sequence's keys are not looked at, and no keys need no pages. */
static void test_unused_entries(void **state)
{
    random_source source = {.state = 94};
    paged p = make_paged(QKV_F32, QKV_F32, 1, 4, 8, &source);
    (void)state;
    p.lengths[0] = 0, p.lengths[1] = 9, p.lengths[2] = 32;
    scatter(&p, &p.k, &p.key_pool), scatter(&p, &p.v, &p.value_pool);
    for (size_t i = 0; i < p.columns; i++) p.table[i] = -1;
    p.table[p.columns + 2] = p.table[p.columns + 3] = INT32_MAX;
    compare(&p, qkv_attention_default());
    free_paged(&p);
}

static void expect(const paged *p, const qkv_attention_options *options, qkv_status status,
                   const char *words)
{
    qkv_error error;
    check_error(attend_pages(p, &p->c, options, &error), status, &error, words);
}

static void test_errors(void **state)
{
    random_source source = {.state = 95};
    paged p = make_paged(QKV_F32, QKV_F32, 2, 4, 8, &source), other;
    const size_t starts[] = {0, 2};
    qkv_attention_options good = with_pages(&p, qkv_attention_default()), bad;
    qkv_error error;
    (void)state;
    check_ok(attend_pages(&p, &p.c, &good, &error), &error);
    bad = good, bad.page_table = NULL;
    expect(&p, &bad, QKV_ERROR_ARGUMENT, "page_table is NULL, but page_columns is 4");
    bad = good, bad.page_columns = 0;
    expect(&p, &bad, QKV_ERROR_ARGUMENT, "page_table is set, but page_columns is 0");
    bad = good, bad.page_columns = SIZE_MAX / 4;
    expect(&p, &bad, QKV_ERROR_SHAPE, "pages of 8 keys are too many");
    bad = good, bad.sequences = 1, bad.query_starts = bad.key_starts = starts;
    expect(&p, &bad, QKV_ERROR_UNSUPPORTED, "packed sequences do not take pages");
    bad = good, bad.key_lengths = (size_t[]){0, 0, 33};
    expect(&p, &bad, QKV_ERROR_ARGUMENT, "key_lengths[2] is 33; expected at most 32, the keys");
    p.table[p.columns + 3] = 14;
    expect(&p, &good, QKV_ERROR_ARGUMENT, "page_table[1][3] is 14; expected 0 to 13");
    p.table[p.columns + 3] = -1;
    expect(&p, &good, QKV_ERROR_ARGUMENT, "page_table[1][3] is -1; expected 0 to 13");
    p.table[p.columns + 3] = 0;
    other = p, other.value_pool.shape[0] = 13;
    expect(&other, &good, QKV_ERROR_SHAPE, "value has 13 pages of 8; expected 14 of 8, the key's");
    other = p, other.value_pool.shape[2] = 7;
    expect(&other, &good, QKV_ERROR_SHAPE, "value has 14 pages of 7; expected 14 of 8, the key's");
    const qkv_view rows[] = {
        qkv_view_dense(QKV_F32, p.q.data, 2, (size_t[]){2, WIDTH}),
        qkv_view_dense(QKV_F32, p.key_pool.data, 2, (size_t[]){8, WIDTH}),
        qkv_view_dense(QKV_F32, p.c.data, 2, (size_t[]){2, WIDTH}),
    };
    check_error(qkv_attention(&rows[0], &rows[1], &rows[1], &rows[2], &good, &error),
                QKV_ERROR_SHAPE, &error, "query has rank 2; with a page_table expected 4");
    check_error(qkv_attention_gradient(&p.q, &p.key_pool, &p.value_pool, &p.c, &p.q, NULL, NULL,
                                       &good, &error),
                QKV_ERROR_UNSUPPORTED, &error, "the gradient does not take pages");
    free_paged(&p);
}

/* Any allocation that fails is reported, and nothing is kept. */
static void test_memory(void **state)
{
    random_source source = {.state = 96};
    paged p = make_paged(QKV_F32, QKV_F32, 2, 4, 8, &source);
    qkv_attention_options options = with_pages(&p, qkv_attention_default());
    qkv_error error;
    (void)state;
    check_ok(attend_pages(&p, &p.c, &options, &error), &error);
    const long live = qkv__memory_live();
    qkv__memory_fail_after(0);
    check_error(attend_pages(&p, &p.c, &options, &error), QKV_ERROR_MEMORY, &error, "bytes");
    qkv__memory_fail_after(-1);
    assert_int_equal(qkv__memory_live(), live);
    free_paged(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_ordered), cmocka_unit_test(test_strides),
        cmocka_unit_test(test_shared_pages),    cmocka_unit_test(test_unused_entries),
        cmocka_unit_test(test_errors),          cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
