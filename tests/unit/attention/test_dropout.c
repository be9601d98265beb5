/*
 * Dropout: outputs are sums of the weights that qkv_dropout_mask keeps, for every kernel, type and
 * way through a kernel; gradients are those of central differences with the mask held; the mask has
 * the share that was asked for, and does not depend on threads or on the rest of the batch.
 */
#include "support/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "support/cases.h"
#include "support/tensors.h"

enum { BATCH = 2, HEADS = 4, GROUPS = 2, WIDTH = 9, VALUE_WIDTH = 5, MANY_ROWS = 100 };

typedef struct example {
    qkv_view q, k, v, c;
    qkv_attention_options options;
} example;

static example make_example(const char *kernel, qkv_type type, size_t queries, size_t keys,
                            random_source *source)
{
    example e = {.q = make_tensor4(type, BATCH, HEADS, queries, WIDTH),
                 .k = make_tensor4(type, BATCH, GROUPS, keys, WIDTH),
                 .v = make_tensor4(type, BATCH, GROUPS, keys, VALUE_WIDTH),
                 .c = make_tensor4(type, BATCH, HEADS, queries, VALUE_WIDTH),
                 .options = qkv_attention_default()};
    fill_random(&e.q, 1.0, source), fill_random(&e.k, 1.0, source), fill_random(&e.v, 1.0, source);
    e.options.kernel = kernel;
    e.options.dropout = 0.25;
    e.options.seed = UINT64_C(0x123456789abcdef);
    return e;
}

static void free_example(example *e)
{
    free(e->q.data), free(e->k.data), free(e->v.data), free(e->c.data);
}

static void attend(const example *e)
{
    qkv_error error;
    check_ok(qkv_attention(&e->q, &e->k, &e->v, &e->c, &e->options, &error), &error);
}

static qkv_view mask_of(const example *e)
{
    qkv_error error;
    qkv_view mask = make_tensor4(QKV_BOOL, BATCH, HEADS, e->q.shape[2], e->k.shape[2]);
    check_ok(qkv_dropout_mask(e->options.dropout, e->options.seed, &mask, &error), &error);
    return mask;
}

/* The output is the sum of what the weights, which come without dropout, and the mask say. Weights
 * and products are rounded in the type of the sums: a few hundred terms of size 1. A sample has a part
 * of the rows, other ones in each head. */
static void compare_with_mask(const example *e)
{
    example whole = *e;
    whole.options.weights = make_tensor4(QKV_F64, BATCH, HEADS, e->q.shape[2], e->k.shape[2]);
    attend(&whole);
    const qkv_view mask = mask_of(e);
    const size_t step = e->q.shape[2] > MANY_ROWS ? (size_t)cases_step() : 1;
    const bool few = step > 1;
    const double share = 1.0 - e->options.dropout, allowed = e->q.type == QKV_F64 ? 1e-13 : 3e-6;
    for (size_t b = 0; b < BATCH; b++)
        for (size_t h = 0; h < HEADS; h++)
            for (size_t i = few ? b * HEADS + h : 0; i < e->q.shape[2]; i += step)
                for (size_t d = 0; d < VALUE_WIDTH; d++) {
                    double sum = 0.0;
                    for (size_t j = 0; j < e->k.shape[2]; j++)
                        sum += get(&mask, b, h, i, j) * get(&whole.options.weights, b, h, i, j) /
                               share * get(&e->v, b, h / 2, j, d);
                    assert_true(fabs(sum - get(&e->c, b, h, i, d)) < allowed);
                }
    free(mask.data), free(whole.options.weights.data);
}

static void outputs(const char *kernel)
{
    static const size_t sizes[][2] = {{1, 1}, {1, 70}, {5, 7}, {130, 200}, {1, 2500}};
    random_source source = {.state = 81};
    for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++)
        for (qkv_type type = QKV_F64; type <= QKV_F32; type++) {
            example e = make_example(kernel, type, sizes[n][0], sizes[n][1], &source);
            compare_with_mask(&e);
            e.options.causal = true, e.options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
            e.options.softcap = 2.0;
            compare_with_mask(&e);
            free_example(&e);
        }
}

/* Other kernels have the same mask, and one thread has the bits of five. */
static void same(const char *kernel)
{
    random_source source = {.state = 82};
    const size_t queries = all_cases() ? 33 : 9;
    example e = make_example(kernel, QKV_F32, queries, 2100, &source), other = e;
    e.options.threads = 1, other.options.threads = 5;
    other.c = make_scattered(&e.c, &source);
    attend(&e), attend(&other);
    assert_true(same_bits(&e.c, &other.c));
    other.options.kernel = "reference";
    attend(&other);
    assert_true(largest_difference(&e.c, &other.c) < 3e-6);
    free_example(&e), free(other.c.data);
}

/* Weights go to all or none: with dropout 1 the output is 0, as are its gradients. */
static void everything(const char *kernel)
{
    random_source source = {.state = 83};
    qkv_error error;
    example e = make_example(kernel, QKV_F32, 5, 7, &source);
    qkv_view dk = make_scattered(&e.k, &source);
    e.options.dropout = 1.0;
    attend(&e);
    check_ok(qkv_attention_gradient(&e.q, &e.k, &e.v, &e.c, NULL, &dk, NULL, &e.options, &error),
             &error);
    for (size_t b = 0; b < BATCH; b++)
        for (size_t i = 0; i < 5; i++)
            for (size_t d = 0; d < VALUE_WIDTH; d++) {
                assert_true(get(&e.c, b, 1, i, d) == 0.0);
                assert_true(get(&dk, b, 1, i, d) == 0.0);
            }
    free_example(&e), free(dk.data);
}

static double loss(const example *e, const qkv_view *weight)
{
    double sum = 0.0;
    attend(e);
    for (size_t i = 0; i < qkv_view_count(weight); i++)
        sum += ((double *)e->c.data)[i] * ((double *)weight->data)[i];
    return sum;
}

/* See test_gradient.c for the error of a central difference. */
static void gradients(const char *kernel)
{
    const double h = 1e-5, allowed = 1e-8;
    const size_t step = 6 * (size_t)cases_step() + 1; /* 7 of them all, and 49 of a sample */
    random_source source = {.state = 84};
    qkv_error error;
    example e = make_example(kernel, QKV_F64, 5, 71, &source);
    qkv_view *operands[] = {&e.q, &e.k, &e.v}, results[3];
    qkv_view weight = make_tensor4(QKV_F64, BATCH, HEADS, 5, VALUE_WIDTH);
    fill_random(&weight, 1.0, &source);
    e.options.softcap = 3.0;
    for (int i = 0; i < 3; i++) results[i] = make_tensor(QKV_F64, 4, operands[i]->shape);
    check_ok(qkv_attention_gradient(&e.q, &e.k, &e.v, &weight, &results[0], &results[1],
                                    &results[2], &e.options, &error),
             &error);
    for (int i = 0; i < 3; i++)
        for (size_t n = 0; n < qkv_view_count(operands[i]); n += step) {
            double *x = (double *)operands[i]->data + n;
            const double kept = *x;
            *x = kept + h;
            const double above = loss(&e, &weight);
            *x = kept - h;
            const double below = loss(&e, &weight);
            *x = kept;
            const double difference =
                fabs((above - below) / (2 * h) - ((double *)results[i].data)[n]);
            if (!(difference < allowed)) fail_msg("%d element %zu is off by %g", i, n, difference);
        }
    for (int i = 0; i < 3; i++) free(results[i].data);
    free_example(&e), free(weight.data);
}

static void each_kernel(void (*body)(const char *))
{
    for (size_t i = 0; i < qkv_kernel_count(); i++)
        if (kernel_takes(qkv_kernel_name(i), QKV_F64)) body(qkv_kernel_name(i));
}

static void test_outputs(void **state)
{
    (void)state, each_kernel(outputs);
}

static void test_same(void **state)
{
    (void)state, each_kernel(same);
}

static void test_everything(void **state)
{
    (void)state, each_kernel(everything);
}

static void test_gradients(void **state)
{
    (void)state, each_kernel(gradients);
}

/* Of n weights n p are dropped, give or take six standard deviations; in each head, and neighbours
 * know nothing of each other. */
static void test_share(void **state)
{
    (void)state;
    enum { ROWS = 300 };
    qkv_view mask = make_tensor4(QKV_BOOL, 2, 2, ROWS, ROWS);
    for (int n = 1; n < 10; n += all_cases() ? 1 : 4) {
        const double p = n / 10.0, count = ROWS * ROWS;
        qkv_error error;
        check_ok(qkv_dropout_mask(p, 7, &mask, &error), &error);
        for (size_t head = 0; head < 4; head++) {
            double dropped = 0.0, pairs = 0.0;
            for (size_t i = 0; i < ROWS; i++)
                for (size_t j = 0; j < ROWS; j++) {
                    const bool here = get(&mask, head / 2, head % 2, i, j) == 0.0;
                    const bool next = get(&mask, head / 2, head % 2, i, (j + 1) % ROWS) == 0.0;
                    dropped += here, pairs += here && next;
                }
            assert_true(fabs(dropped - count * p) < 6 * sqrt(count * p * (1 - p)));
            assert_true(fabs(pairs - count * p * p) < 6 * sqrt(2 * count * p * p));
        }
    }
    free(mask.data);
}

static void test_errors(void **state)
{
    (void)state;
    random_source source = {.state = 85};
    qkv_error error;
    example e = make_example(NULL, QKV_F32, 3, 3, &source);
    static const double wrong[] = {-0.1, 1.5, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        e.options.dropout = wrong[i];
        check_error(qkv_attention(&e.q, &e.k, &e.v, &e.c, &e.options, &error), QKV_ERROR_ARGUMENT,
                    &error, "expected 0 to 1");
        check_error(qkv_dropout_mask(wrong[i], 0, &e.q, &error), QKV_ERROR_TYPE, &error,
                    "expected bool");
    }
    for (size_t i = 0; i < qkv_kernel_count(); i++)
        if (!kernel_takes(qkv_kernel_name(i), QKV_F32)) {
            example narrow = make_example(qkv_kernel_name(i), QKV_BF16, 3, 3, &source);
            check_error(
                qkv_attention(&narrow.q, &narrow.k, &narrow.v, &narrow.c, &narrow.options, &error),
                QKV_ERROR_UNSUPPORTED, &error, "does not take dropout");
            narrow.options.kernel = NULL; /* then another one does it */
            attend(&narrow);
            free_example(&narrow);
        }
    free_example(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outputs),    cmocka_unit_test(test_same),
        cmocka_unit_test(test_everything), cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_share),      cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests_name("dropout", tests, NULL, NULL);
}
