/*
 * The gradient against central differences in f64, for every option that changes it, and its own
 * promises: masked rows and keys get zeros, bits do not depend on threads. Each test runs once a
 * kernel. test_gradient_kernels.c holds kernels against the definition.
 */
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

#include "support/tensors.h"

enum { BATCH = 2, HEADS = 4, GROUPS = 2, QUERIES = 5, KEYS = 7, WIDTH = 3, VALUE_WIDTH = 2 };

typedef struct example {
    qkv_view operand[3];  /* q, k, v */
    qkv_view gradient[3]; /* of each */
    qkv_view weight;      /* the loss is the sum of weight * output */
    qkv_view output;
    qkv_attention_options options;
} example;

static example make_example(const char *kernel, qkv_type type, random_source *source)
{
    example e = {.operand = {make_tensor4(type, BATCH, HEADS, QUERIES, WIDTH),
                             make_tensor4(type, BATCH, GROUPS, KEYS, WIDTH),
                             make_tensor4(type, BATCH, GROUPS, KEYS, VALUE_WIDTH)},
                 .weight = make_tensor4(type, BATCH, HEADS, QUERIES, VALUE_WIDTH),
                 .output = make_tensor4(type, BATCH, HEADS, QUERIES, VALUE_WIDTH),
                 .options = qkv_attention_default()};
    for (int i = 0; i < 3; i++) {
        fill_random(&e.operand[i], 1.0, source);
        e.gradient[i] = make_scattered(&e.operand[i], source);
    }
    fill_random(&e.weight, 1.0, source);
    e.options.kernel = kernel;
    return e;
}

static void free_example(example *e)
{
    for (int i = 0; i < 3; i++) free(e->operand[i].data), free(e->gradient[i].data);
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

static void differentiate(example *e)
{
    qkv_error error;
    check_ok(qkv_attention_gradient(&e->operand[0], &e->operand[1], &e->operand[2], &e->weight,
                                    &e->gradient[0], &e->gradient[1], &e->gradient[2], &e->options,
                                    &error),
             &error);
}

/* A central difference of step h errs by h^2/6 times a third derivative (here under 100) and by
 * rounding, 2^-52 / h times the loss (under 100). */
static void compare_with_differences(example *e)
{
    const double h = 1e-5, allowed = 1e-8;
    differentiate(e);
    for (int which = 0; which < 3; which++) {
        double *x = e->operand[which].data;
        size_t count = qkv_view_count(&e->operand[which]);
        qkv_view flat = make_tensor(QKV_F64, 4, e->gradient[which].shape);
        qkv_view_copy(&e->gradient[which], &flat, NULL);
        for (size_t i = 0; i < count; i++) {
            double kept = x[i];
            x[i] = kept + h;
            double above = loss(e);
            x[i] = kept - h;
            double below = loss(e);
            x[i] = kept;
            double difference = fabs((above - below) / (2 * h) - ((double *)flat.data)[i]);
            if (!(difference < allowed))
                fail_msg("operand %d element %zu differs by %g", which, i, difference);
        }
        free(flat.data);
    }
}

static void differences(const char *kernel)
{
    static const double slopes[HEADS] = {0.1, 0.2, 0.3, 0.4}, sinks[HEADS] = {0.5, -1, 0, 2};
    static const size_t lengths[BATCH] = {KEYS - 2, 0};
    random_source source = {.state = 51};
    for (int n = 0; n < 7; n++) {
        example e = make_example(kernel, QKV_F64, &source);
        qkv_view mask = make_tensor(QKV_F64, 2, (size_t[]){QUERIES, KEYS});
        fill_random(&mask, 1.0, &source);
        set(&mask, 1, 2, 0, 0, -INFINITY);
        if (n == 1) e.options.scale = 1.3;
        if (n == 2 || n == 6) e.options.softcap = 1.2;
        if (n == 3) e.options.causal = true, e.options.alignment = QKV_ALIGN_TOP_LEFT;
        if (n == 4 || n == 6) e.options.mask = mask;
        if (n == 5 || n == 6) {
            e.options.alibi_slopes = slopes;
            e.options.sinks = sinks;
            e.options.key_lengths = lengths;
            e.options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
        }
        compare_with_differences(&e);
        free_example(&e), free(mask.data);
    }
}

static void packed(const char *kernel)
{
    static const size_t query_starts[] = {0, 2, QUERIES}, key_starts[] = {0, 4, KEYS};
    random_source source = {.state = 52};
    example e = make_example(kernel, QKV_F64, &source);
    for (int i = 0; i < 3; i++) e.operand[i].shape[0] = e.gradient[i].shape[0] = 1;
    e.weight.shape[0] = e.output.shape[0] = 1;
    e.options.sequences = 2;
    e.options.query_starts = query_starts;
    e.options.key_starts = key_starts;
    compare_with_differences(&e);
    free_example(&e);
}

/* A masked key gets zeros and may hold NaN; a row without keys gets zeros. */
static void masked(const char *kernel)
{
    random_source source = {.state = 53};
    example e = make_example(kernel, QKV_F32, &source);
    qkv_view mask = make_tensor(QKV_BOOL, 2, (size_t[]){QUERIES, KEYS});
    for (size_t i = 0; i < QUERIES * KEYS; i++)
        ((unsigned char *)mask.data)[i] = i / KEYS != 1 && i % KEYS != 3;
    e.options.mask = mask;
    for (size_t g = 0; g < GROUPS; g++) {
        set(&e.operand[1], 0, g, 3, 0, NAN);
        set(&e.operand[2], 0, g, 3, 1, INFINITY);
    }
    differentiate(&e);
    for (size_t h = 0; h < HEADS; h++)
        for (size_t d = 0; d < WIDTH; d++) {
            assert_true(get(&e.gradient[0], 0, h, 1, d) == 0.0);
            assert_true(fabs(get(&e.gradient[0], 0, h, 0, d)) < 100.0);
            assert_true(get(&e.gradient[1], 0, h / 2, 3, d) == 0.0);
        }
    free_example(&e), free(mask.data);
}

static void threads(const char *kernel)
{
    random_source source = {.state = 54};
    example e = make_example(kernel, QKV_F32, &source);
    e.options.threads = 1;
    differentiate(&e);
    example other = e;
    for (int i = 0; i < 3; i++) other.gradient[i] = make_scattered(&e.operand[i], &source);
    other.options.threads = 5;
    differentiate(&other);
    for (int i = 0; i < 3; i++) {
        assert_true(same_bits(&e.gradient[i], &other.gradient[i]));
        free(other.gradient[i].data);
    }
    free_example(&e);
}

static void errors(const char *kernel)
{
    random_source source = {.state = 55};
    qkv_error error;
    example e = make_example(kernel, QKV_F64, &source);
    qkv_status status =
        qkv_attention_gradient(&e.operand[0], &e.operand[1], &e.operand[2], &e.weight,
                               &e.gradient[1], NULL, NULL, &e.options, &error);
    check_error(status, QKV_ERROR_SHAPE, &error, "query_gradient has shape (2, 2, 7, 3)");
    status = qkv_attention_gradient(&e.operand[0], &e.operand[1], &e.operand[2], NULL, NULL, NULL,
                                    NULL, &e.options, &error);
    check_error(status, QKV_ERROR_ARGUMENT, &error, "output_gradient is NULL");
    qkv_view narrow = e.weight;
    narrow.shape[3] = 1;
    status = qkv_attention_gradient(&e.operand[0], &e.operand[1], &e.operand[2], &narrow, NULL,
                                    NULL, NULL, NULL, &error);
    check_error(status, QKV_ERROR_SHAPE, &error, "output_gradient has width 1; expected 2");
    free_example(&e);
}

/* The gradient of the plain sum of outputs may be a single 1, broadcast. Result views that the
 * options ask for belong to the forward call. */
static void broadcast(const char *kernel)
{
    random_source source = {.state = 56};
    example e = make_example(kernel, QKV_F64, &source);
    double one = 1.0;
    fill_value(&e.weight, 1.0);
    differentiate(&e);
    example other = e;
    for (int i = 0; i < 3; i++) other.gradient[i] = make_scattered(&e.operand[i], &source);
    other.weight.data = &one;
    memset(other.weight.stride, 0, sizeof other.weight.stride);
    other.options.weights = (qkv_view){.rank = 1, .type = QKV_BOOL};
    differentiate(&other);
    for (int i = 0; i < 3; i++) {
        assert_true(same_bits(&e.gradient[i], &other.gradient[i]));
        free(other.gradient[i].data);
    }
    free_example(&e);
}

/* Without query heads nobody looks at the keys: their gradients are zero, not what was there. */
static void no_heads(const char *kernel)
{
    double k[] = {1, 2, 3, 4}, dk[] = {7, 7, 7, 7};
    qkv_view none = qkv_view_dense(QKV_F64, NULL, 3, (size_t[]){0, 1, 2});
    qkv_view key = qkv_view_dense(QKV_F64, k, 3, (size_t[]){2, 1, 2});
    qkv_view result = qkv_view_dense(QKV_F64, dk, 3, (size_t[]){2, 1, 2});
    qkv_error error;
    qkv_attention_options options = qkv_attention_default();
    options.kernel = kernel;
    check_ok(
        qkv_attention_gradient(&none, &key, &key, &none, NULL, &result, NULL, &options, &error),
        &error);
    for (int i = 0; i < 4; i++) assert_true(dk[i] == 0.0);
}

static void test_differences(void **state)
{
    (void)state, each_kernel_of_doubles(differences);
}

static void test_packed(void **state)
{
    (void)state, each_kernel_of_doubles(packed);
}

static void test_masked(void **state)
{
    (void)state, each_kernel_of_doubles(masked);
}

static void test_threads(void **state)
{
    (void)state, each_kernel_of_doubles(threads);
}

static void test_errors(void **state)
{
    (void)state, each_kernel_of_doubles(errors);
}

static void test_broadcast(void **state)
{
    (void)state, each_kernel_of_doubles(broadcast);
}

static void test_no_heads(void **state)
{
    (void)state, each_kernel_of_doubles(no_heads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_differences), cmocka_unit_test(test_packed),
        cmocka_unit_test(test_masked),      cmocka_unit_test(test_threads),
        cmocka_unit_test(test_errors),      cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_no_heads),
    };
    return cmocka_run_group_tests_name("gradient", tests, NULL, NULL);
}
