/*
 * The gradients with respect to what options add to the scores (a mask, ALiBi's slopes, sinks),
 * against central differences in f64, and against identities: the gradients of a row's scores and
 * of its sink sum to 0, and a mask that is the product of slopes and distances has the slopes'
 * gradient. Each test runs once per kernel.
 */
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/tensors.h"

enum { BATCH = 2, HEADS = 4, GROUPS = 2, QUERIES = 5, KEYS = 7, WIDTH = 3, VALUE_WIDTH = 2 };

typedef struct example {
    qkv_view operand[3]; /* q, k, v */
    qkv_view weight;     /* the loss is the sum of weight * output */
    qkv_view output;
    qkv_attention_options options;
    double slopes[HEADS], sinks[HEADS], slopes_gradient[HEADS], sinks_gradient[HEADS];
} example;

/* The options point into the example, which must not be moved. */
static void make_example(example *e, const char *kernel, qkv_type type, size_t keys,
                         random_source *source)
{
    *e = (example){.operand = {make_tensor4(type, BATCH, HEADS, QUERIES, WIDTH),
                               make_tensor4(type, BATCH, GROUPS, keys, WIDTH),
                               make_tensor4(type, BATCH, GROUPS, keys, VALUE_WIDTH)},
                   .weight = make_tensor4(type, BATCH, HEADS, QUERIES, VALUE_WIDTH),
                   .output = make_tensor4(type, BATCH, HEADS, QUERIES, VALUE_WIDTH),
                   .options = qkv_attention_default(),
                   .slopes = {0.1, 0.2, 0.3, 0.4},
                   .sinks = {0.5, -1, 0, 2}};
    for (int i = 0; i < 3; i++) fill_random(&e->operand[i], 1.0, source);
    fill_random(&e->weight, 1.0, source);
    e->options.kernel = kernel;
    e->options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
}

static void free_example(example *e)
{
    for (int i = 0; i < 3; i++) free(e->operand[i].data);
    free(e->weight.data), free(e->output.data);
}

static double loss(const example *e)
{
    double sum = 0.0;
    qkv_error error;
    check_ok(qkv_attention(&e->operand[0], &e->operand[1], &e->operand[2], &e->output, &e->options,
                           &error),
             &error);
    for (size_t i = 0; i < qkv_view_count(&e->output); i++)
        sum += ((double *)e->output.data)[i] * ((double *)e->weight.data)[i];
    return sum;
}

static void differentiate(const example *e)
{
    qkv_error error;
    check_ok(qkv_attention_gradient(&e->operand[0], &e->operand[1], &e->operand[2], &e->weight,
                                    NULL, NULL, NULL, &e->options, &error),
             &error);
}

/* See test_gradient.c for the error of a central difference. */
static void compare(const example *e, double *x, const double *gradient, size_t count,
                    const char *what)
{
    const double h = 1e-5, allowed = 1e-8;
    for (size_t i = 0; i < count; i++) {
        const double kept = x[i];
        if (isinf(kept)) {
            assert_true(gradient[i] == 0.0);
            continue;
        }
        x[i] = kept + h;
        const double above = loss(e);
        x[i] = kept - h;
        const double below = loss(e);
        x[i] = kept;
        const double difference = fabs((above - below) / (2 * h) - gradient[i]);
        if (!(difference < allowed)) fail_msg("%s %zu differs by %g", what, i, difference);
    }
}

/* A mask of some of the shapes that broadcast to (batch, heads, queries, keys). */
static void mask_differences(const char *kernel)
{
    static const size_t shapes[][4] = {{BATCH, HEADS, QUERIES, KEYS},
                                       {1, HEADS, QUERIES, KEYS},
                                       {BATCH, 1, 1, KEYS},
                                       {1, 1, QUERIES, KEYS},
                                       {1, HEADS, 1, 1},
                                       {BATCH, HEADS, QUERIES, 1},
                                       {1, 1, 1, 1}};
    random_source source = {.state = 71};
    for (size_t n = 0; n < sizeof shapes / sizeof shapes[0]; n++) {
        example e;
        make_example(&e, kernel, QKV_F64, KEYS, &source);
        qkv_view mask = make_tensor(QKV_F64, 4, shapes[n]);
        qkv_view gradient = make_tensor(QKV_F64, 4, shapes[n]);
        fill_random(&mask, 1.0, &source), fill_value(&gradient, NAN);
        if (n < 2) set(&mask, 0, 1, 2, 3, -INFINITY);
        if (n == 1) e.options.causal = true;
        if (n == 2) e.options.softcap = 1.2, e.options.sinks = e.sinks;
        if (n == 4) e.options.dropout = 0.3, e.options.seed = 5, e.options.sinks = e.sinks;
        if (n == 5) e.options.sinks = e.sinks;
        e.options.mask = mask, e.options.mask_gradient = gradient;
        differentiate(&e);
        compare(&e, mask.data, gradient.data, qkv_view_count(&mask), "mask");
        free_example(&e), free(mask.data), free(gradient.data);
    }
}

static void number_differences(const char *kernel)
{
    random_source source = {.state = 72};
    static const size_t lengths[BATCH] = {KEYS - 2, 0};
    for (int n = 0; n < 4; n++) {
        example e;
        make_example(&e, kernel, QKV_F64, KEYS, &source);
        e.options.alibi_slopes = e.slopes, e.options.alibi_slopes_gradient = e.slopes_gradient;
        e.options.sinks = e.sinks, e.options.sinks_gradient = e.sinks_gradient;
        if (n == 1) e.options.causal = true, e.options.softcap = 0.9;
        if (n == 2) e.options.key_lengths = lengths;
        if (n == 3) e.options.dropout = 0.5;
        differentiate(&e);
        compare(&e, e.slopes, e.slopes_gradient, HEADS, "slope");
        compare(&e, e.sinks, e.sinks_gradient, HEADS, "sink");
        free_example(&e);
    }
}

static void packed_differences(const char *kernel)
{
    static const size_t query_starts[] = {0, 2, QUERIES}, key_starts[] = {0, 4, KEYS};
    random_source source = {.state = 73};
    example e;
    make_example(&e, kernel, QKV_F64, KEYS, &source);
    for (int i = 0; i < 3; i++) e.operand[i].shape[0] = 1;
    e.weight.shape[0] = e.output.shape[0] = 1;
    e.options.sequences = 2;
    e.options.query_starts = query_starts, e.options.key_starts = key_starts;
    qkv_view mask = make_tensor(QKV_F64, 3, (size_t[]){HEADS, QUERIES, KEYS});
    qkv_view gradient = make_tensor(QKV_F64, 3, (size_t[]){HEADS, QUERIES, KEYS});
    fill_random(&mask, 1.0, &source);
    e.options.mask = mask, e.options.mask_gradient = gradient;
    e.options.sinks = e.sinks, e.options.sinks_gradient = e.sinks_gradient;
    e.options.alibi_slopes = e.slopes, e.options.alibi_slopes_gradient = e.slopes_gradient;
    differentiate(&e);
    compare(&e, mask.data, gradient.data, qkv_view_count(&mask), "mask");
    compare(&e, e.slopes, e.slopes_gradient, HEADS, "slope");
    compare(&e, e.sinks, e.sinks_gradient, HEADS, "sink");
    free_example(&e), free(mask.data), free(gradient.data);
}

/* With 700 keys, in several stretches, and any number of threads: a full mask's gradient sums over
 * a row to minus the sink's, and its sum with the distances is minus the slopes' gradient. */
static void sums(const char *kernel)
{
    enum { MANY = 700 };
    random_source source = {.state = 74};
    example e;
    make_example(&e, kernel, QKV_F64, MANY, &source);
    qkv_view mask = make_tensor4(QKV_F64, BATCH, HEADS, QUERIES, MANY);
    qkv_view gradient = make_tensor4(QKV_F64, BATCH, HEADS, QUERIES, MANY);
    qkv_view again = make_tensor4(QKV_F64, BATCH, HEADS, QUERIES, MANY);
    fill_random(&mask, 1.0, &source);
    e.options.mask = mask, e.options.mask_gradient = gradient;
    e.options.sinks = e.sinks, e.options.sinks_gradient = e.sinks_gradient;
    e.options.alibi_slopes = e.slopes, e.options.alibi_slopes_gradient = e.slopes_gradient;
    e.options.dropout = 0.1;
    e.options.threads = 1;
    differentiate(&e);
    for (size_t h = 0; h < HEADS; h++) {
        double row = 0.0, distances = 0.0;
        for (size_t b = 0; b < BATCH; b++)
            for (size_t i = 0; i < QUERIES; i++)
                for (size_t j = 0; j < MANY; j++) {
                    row += get(&gradient, b, h, i, j);
                    distances -=
                        get(&gradient, b, h, i, j) * fabs((double)i + MANY - QUERIES - (double)j);
                }
        assert_true(fabs(row + e.sinks_gradient[h]) < 1e-12);
        assert_true(fabs(distances - e.slopes_gradient[h]) < 1e-9);
    }
    double slopes[HEADS], sinks[HEADS];
    memcpy(slopes, e.slopes_gradient, sizeof slopes), memcpy(sinks, e.sinks_gradient, sizeof sinks);
    e.options.mask_gradient = again;
    e.options.threads = 5;
    differentiate(&e);
    assert_true(same_bits(&gradient, &again));
    assert_memory_equal(slopes, e.slopes_gradient, sizeof slopes);
    assert_memory_equal(sinks, e.sinks_gradient, sizeof sinks);
    free_example(&e), free(mask.data), free(gradient.data), free(again.data);
}

/* The gradient of a mask of f16, rounded once from that of an f64 mask of the same numbers. */
static void narrow(const char *kernel)
{
    random_source source = {.state = 75};
    example e;
    make_example(&e, kernel, QKV_F64, KEYS, &source);
    qkv_view half = make_tensor(QKV_F16, 2, (size_t[]){QUERIES, KEYS});
    qkv_view wide = make_tensor(QKV_F64, 2, half.shape), got = make_tensor(QKV_F16, 2, half.shape);
    qkv_view full = make_tensor(QKV_F64, 2, half.shape),
             rounded = make_tensor(QKV_F16, 2, half.shape);
    fill_random(&half, 1.0, &source);
    qkv_view_copy(&half, &wide, NULL);
    e.options.mask = half, e.options.mask_gradient = got;
    differentiate(&e);
    e.options.mask = wide, e.options.mask_gradient = full;
    differentiate(&e);
    qkv_view_copy(&full, &rounded, NULL);
    assert_true(same_bits(&got, &rounded));
    free_example(&e), free(half.data), free(wide.data), free(got.data), free(full.data);
    free(rounded.data);
}

static void errors(const char *kernel)
{
    random_source source = {.state = 76};
    qkv_error error;
    example e;
    make_example(&e, kernel, QKV_F64, KEYS, &source);
    qkv_view mask = make_tensor(QKV_BOOL, 2, (size_t[]){QUERIES, KEYS});
    qkv_view gradient = make_tensor(QKV_F64, 2, (size_t[]){QUERIES, KEYS});
    e.options.mask_gradient = gradient;
    const qkv_view *q = &e.operand[0], *k = &e.operand[1], *v = &e.operand[2], *g = &e.weight;
#define TRY() qkv_attention_gradient(q, k, v, g, NULL, NULL, NULL, &e.options, &error)
    check_error(TRY(), QKV_ERROR_ARGUMENT, &error, "mask_gradient is set, but mask is not");
    e.options.mask = mask;
    check_error(TRY(), QKV_ERROR_ARGUMENT, &error, "mask is of type bool; expected numbers");
    e.options.mask = gradient;
    e.options.mask_gradient.shape[1] = 2;
    check_error(TRY(), QKV_ERROR_SHAPE, &error, "mask_gradient has shape (5, 2); expected (5, 7)");
    e.options.mask_gradient = (qkv_view){0};
    e.options.sinks_gradient = e.sinks_gradient;
    check_error(TRY(), QKV_ERROR_ARGUMENT, &error, "sinks_gradient is set, but sinks is NULL");
    e.options.sinks_gradient = NULL, e.options.alibi_slopes_gradient = e.slopes_gradient;
    check_error(TRY(), QKV_ERROR_ARGUMENT, &error, "but alibi_slopes is NULL");
#undef TRY
    free_example(&e), free(mask.data), free(gradient.data);
}

static void test_mask(void **state)
{
    (void)state, each_kernel_of_doubles(mask_differences);
}

static void test_numbers(void **state)
{
    (void)state, each_kernel_of_doubles(number_differences);
}

static void test_packed(void **state)
{
    (void)state, each_kernel_of_doubles(packed_differences);
}

static void test_sums(void **state)
{
    (void)state, each_kernel_of_doubles(sums);
}

static void test_narrow(void **state)
{
    (void)state, each_kernel_of_doubles(narrow);
}

static void test_errors(void **state)
{
    (void)state, each_kernel_of_doubles(errors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mask), cmocka_unit_test(test_numbers), cmocka_unit_test(test_packed),
        cmocka_unit_test(test_sums), cmocka_unit_test(test_narrow),  cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests_name("gradient_bias", tests, NULL, NULL);
}
