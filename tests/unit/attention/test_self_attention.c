/* Self-attention against the same steps done one by one, the combinations of heads, and the
 * theorem that tokens in another order give the same rows in that order. */
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

#include "support/tensors.h"

enum { BATCH = 2, LENGTH = 9, MODEL = 8, HEADS = 4, GROUPS = 2, WIDTH = 3, VALUE_WIDTH = 5 };

static qkv_view random_matrix(size_t rows, size_t columns, random_source *source)
{
    qkv_view m = make_tensor(QKV_F64, 2, (size_t[]){rows, columns});
    fill_random(&m, 0.5, source);
    return m;
}

static qkv_view random_row(size_t columns, random_source *source)
{
    qkv_view row = make_tensor(QKV_F64, 1, (size_t[]){columns});
    fill_random(&row, 0.5, source);
    return row;
}

static qkv_self_attention_weights make_weights(random_source *source)
{
    return (qkv_self_attention_weights){
        .combine = QKV_COMBINE_PROJECT,
        .query = random_matrix(MODEL, HEADS * WIDTH, source),
        .key = random_matrix(MODEL, GROUPS * WIDTH, source),
        .value = random_matrix(MODEL, GROUPS * VALUE_WIDTH, source),
        .output = random_matrix(HEADS * VALUE_WIDTH, 6, source),
        .query_bias = random_row(HEADS * WIDTH, source),
        .key_bias = random_row(GROUPS * WIDTH, source),
        .value_bias = random_row(GROUPS * VALUE_WIDTH, source),
        .output_bias = random_row(6, source),
        .heads = HEADS,
        .kv_heads = GROUPS,
    };
}

/* The same weights for a combination that has no use for W_O. */
static qkv_self_attention_weights without_output(qkv_self_attention_weights w, qkv_combine combine)
{
    w.combine = combine;
    w.output = w.output_bias = (qkv_view){0};
    return w;
}

static void free_weights(qkv_self_attention_weights *w)
{
    free(w->query.data), free(w->key.data), free(w->value.data), free(w->output.data);
    free(w->query_bias.data), free(w->key_bias.data), free(w->value_bias.data);
    free(w->output_bias.data);
}

static qkv_view random_tokens(random_source *source)
{
    qkv_view x = make_tensor(QKV_F64, 3, (size_t[]){BATCH, LENGTH, MODEL});
    fill_random(&x, 1.0, source);
    return x;
}

/* x w + bias for one batch, token and column, the obvious way. */
static double product(const qkv_view *x, size_t b, size_t i, const qkv_view *w,
                      const qkv_view *bias, size_t column)
{
    double sum = get(bias, column, 0, 0, 0);
    for (size_t d = 0; d < w->shape[0]; d++) sum += get(x, b, i, d, 0) * get(w, d, column, 0, 0);
    return sum;
}

/* Heads side by side, by hand: (BATCH, HEADS, LENGTH, VALUE_WIDTH). */
static qkv_view heads_by_hand(const qkv_view *x, const qkv_self_attention_weights *w)
{
    qkv_view q = make_tensor4(QKV_F64, BATCH, HEADS, LENGTH, WIDTH);
    qkv_view k = make_tensor4(QKV_F64, BATCH, GROUPS, LENGTH, WIDTH);
    qkv_view v = make_tensor4(QKV_F64, BATCH, GROUPS, LENGTH, VALUE_WIDTH);
    qkv_view c = make_tensor4(QKV_F64, BATCH, HEADS, LENGTH, VALUE_WIDTH);
    for (size_t b = 0; b < BATCH; b++)
        for (size_t i = 0; i < LENGTH; i++) {
            for (size_t n = 0; n < HEADS * WIDTH; n++)
                set(&q, b, n / WIDTH, i, n % WIDTH, product(x, b, i, &w->query, &w->query_bias, n));
            for (size_t n = 0; n < GROUPS * WIDTH; n++)
                set(&k, b, n / WIDTH, i, n % WIDTH, product(x, b, i, &w->key, &w->key_bias, n));
            for (size_t n = 0; n < GROUPS * VALUE_WIDTH; n++)
                set(&v, b, n / VALUE_WIDTH, i, n % VALUE_WIDTH,
                    product(x, b, i, &w->value, &w->value_bias, n));
        }
    qkv_error error;
    check_ok(qkv_attention(&q, &k, &v, &c, NULL, &error), &error);
    free(q.data), free(k.data), free(v.data);
    return c;
}

static void test_combinations(void **state)
{
    random_source source = {.state = 71};
    qkv_error error;
    (void)state;
    qkv_view x = random_tokens(&source);
    qkv_self_attention_weights w = make_weights(&source);
    qkv_view heads = heads_by_hand(&x, &w);
    const size_t widths[] = {HEADS * VALUE_WIDTH, VALUE_WIDTH, 6};
    for (int combine = 0; combine < 3; combine++) {
        qkv_view out = make_tensor(QKV_F64, 3, (size_t[]){BATCH, LENGTH, widths[combine]});
        qkv_self_attention_weights used =
            combine == QKV_COMBINE_PROJECT ? w : without_output(w, (qkv_combine)combine);
        check_ok(qkv_self_attention(&x, &used, &out, NULL, &error), &error);
        for (size_t b = 0; b < BATCH; b++)
            for (size_t i = 0; i < LENGTH; i++)
                for (size_t n = 0; n < widths[combine]; n++) {
                    double right = 0.0;
                    if (combine == QKV_COMBINE_CONCATENATE)
                        right = get(&heads, b, n / VALUE_WIDTH, i, n % VALUE_WIDTH);
                    for (size_t h = 0; combine == QKV_COMBINE_MEAN && h < HEADS; h++)
                        right += get(&heads, b, h, i, n) / HEADS;
                    if (combine == QKV_COMBINE_PROJECT) right = get(&w.output_bias, n, 0, 0, 0);
                    for (size_t m = 0; combine == QKV_COMBINE_PROJECT && m < widths[0]; m++)
                        right += get(&heads, b, m / VALUE_WIDTH, i, m % VALUE_WIDTH) *
                                 get(&w.output, m, n, 0, 0);
                    assert_true(fabs(get(&out, b, i, n, 0) - right) < 1e-13);
                }
        free(out.data);
    }
    free(x.data), free(heads.data), free_weights(&w);
}

/* Attention of P X is P times attention of X. The keys of a row are summed in another order, so
 * that its last bits may differ: sums of nine terms of size 10 err by under 100 * 2^-53. */
static void test_permutation(void **state)
{
    static const size_t order[LENGTH] = {4, 0, 8, 2, 1, 7, 3, 6, 5};
    random_source source = {.state = 72};
    qkv_error error;
    (void)state;
    qkv_view x = random_tokens(&source), moved = random_tokens(&source);
    qkv_self_attention_weights w = make_weights(&source);
    for (size_t b = 0; b < BATCH; b++)
        for (size_t i = 0; i < LENGTH; i++)
            for (size_t d = 0; d < MODEL; d++) set(&moved, b, i, d, 0, get(&x, b, order[i], d, 0));
    qkv_view out[2];
    qkv_self_attention_weights plain = without_output(w, QKV_COMBINE_CONCATENATE);
    for (int i = 0; i < 2; i++) {
        out[i] = make_tensor(QKV_F64, 3, (size_t[]){BATCH, LENGTH, HEADS * VALUE_WIDTH});
        check_ok(qkv_self_attention(i == 0 ? &x : &moved, &plain, &out[i], NULL, &error), &error);
    }
    for (size_t b = 0; b < BATCH; b++)
        for (size_t i = 0; i < LENGTH; i++)
            for (size_t n = 0; n < HEADS * VALUE_WIDTH; n++)
                assert_true(fabs(get(&out[1], b, i, n, 0) - get(&out[0], b, order[i], n, 0)) <
                            1e-14);
    free(x.data), free(moved.data), free(out[0].data), free(out[1].data), free_weights(&w);
}

/* The assignment's K, Q, V example with identities: with F = e^(beta^2), token 2 of
 * (u_d + u_b, u_a, u_c + u_b) attends to itself with weight F / (F + 2). */
static void test_identity(void **state)
{
    const double beta = 1.5, F = exp(beta * beta);
    double x[3][4] = {{0, beta, 0, beta}, {beta, 0, 0, 0}, {0, beta, beta, 0}}, c[3][4];
    qkv_view view = qkv_view_dense(QKV_F64, x, 2, (size_t[]){3, 4});
    qkv_view out = qkv_view_dense(QKV_F64, c, 2, (size_t[]){3, 4});
    qkv_self_attention_weights identity = {.heads = 1};
    qkv_attention_options options = qkv_attention_default();
    qkv_error error;
    (void)state;
    options.scale = 1.0;
    check_ok(qkv_self_attention(&view, &identity, &out, &options, &error), &error);
    const double right[] = {F * beta / (F + 2), 2 * beta / (F + 2), beta / (F + 2), beta / (F + 2)};
    for (size_t d = 0; d < 4; d++) assert_true(fabs(c[1][d] - right[d]) < 1e-15);
}

/* Matrices wider than a block of columns, by threads, against one product at a time. */
static void test_wide(void **state)
{
    enum { ROWS = 40, INNER = 30, OUTER = 150 };
    random_source source = {.state = 75};
    qkv_error error;
    (void)state;
    qkv_view x = make_tensor(QKV_F64, 2, (size_t[]){ROWS, INNER});
    qkv_view none = make_tensor(QKV_F64, 2, (size_t[]){INNER, OUTER});
    qkv_view value = random_matrix(INNER, OUTER, &source), bias = random_row(OUTER, &source);
    qkv_view out = make_tensor(QKV_F64, 2, (size_t[]){ROWS, OUTER});
    fill_random(&x, 1.0, &source);
    /* Queries of zero look at all tokens alike: every row is the mean of the values. */
    qkv_self_attention_weights w = {
        .query = none, .key = none, .value = value, .value_bias = bias, .heads = 1};
    qkv_attention_options options = qkv_attention_default();
    options.threads = 3;
    check_ok(qkv_self_attention(&x, &w, &out, &options, &error), &error);
    for (size_t n = 0; n < OUTER; n++) {
        double mean = 0.0;
        for (size_t i = 0; i < ROWS; i++) {
            double sum = get(&bias, n, 0, 0, 0);
            for (size_t d = 0; d < INNER; d++) sum += get(&x, i, d, 0, 0) * get(&value, d, n, 0, 0);
            mean += sum / ROWS;
        }
        assert_true(fabs(get(&out, ROWS - 1, n, 0, 0) - mean) < 1e-13);
    }
    free(x.data), free(none.data), free(value.data), free(bias.data), free(out.data);
}

/* f16 in and out, projections kept wider in between: as good as rounding the exact result. */
static void test_half(void **state)
{
    random_source source = {.state = 73};
    qkv_error error;
    (void)state;
    qkv_view x = make_tensor(QKV_F16, 2, (size_t[]){LENGTH, MODEL});
    qkv_view w = make_tensor(QKV_F16, 2, (size_t[]){MODEL, MODEL});
    qkv_view out = make_tensor(QKV_F16, 2, (size_t[]){LENGTH, MODEL});
    qkv_view x64 = make_tensor(QKV_F64, 2, x.shape), w64 = make_tensor(QKV_F64, 2, w.shape);
    qkv_view right = make_tensor(QKV_F64, 2, out.shape);
    fill_random(&x, 1.0, &source), fill_random(&w, 0.5, &source);
    qkv_view_copy(&x, &x64, NULL), qkv_view_copy(&w, &w64, NULL);
    qkv_self_attention_weights weights = {.query = w, .key = w, .value = w, .heads = 2};
    qkv_self_attention_weights weights64 = {.query = w64, .key = w64, .value = w64, .heads = 2};
    check_ok(qkv_self_attention(&x, &weights, &out, NULL, &error), &error);
    check_ok(qkv_self_attention(&x64, &weights64, &right, NULL, &error), &error);
    for (size_t i = 0; i < LENGTH; i++)
        for (size_t d = 0; d < MODEL; d++) {
            double exact = get(&right, i, d, 0, 0);
            assert_true(fabs(get(&out, i, d, 0, 0) - exact) <= 0x1.01p-11 * fabs(exact) + 1e-6);
        }
    free(x.data), free(w.data), free(out.data), free(x64.data), free(w64.data), free(right.data);
}

static void test_errors(void **state)
{
    random_source source = {.state = 74};
    qkv_error error;
    (void)state;
    qkv_view x = random_tokens(&source);
    qkv_view out = make_tensor(QKV_F64, 3, (size_t[]){BATCH, LENGTH, HEADS * VALUE_WIDTH});
    qkv_self_attention_weights all = make_weights(&source), bad;
    qkv_self_attention_weights w = without_output(all, QKV_COMBINE_CONCATENATE);
    check_error(qkv_self_attention(&x, NULL, &out, NULL, &error), QKV_ERROR_ARGUMENT, &error,
                "weights is NULL");
    bad = w, bad.key.shape[0] = 7;
    check_error(qkv_self_attention(&x, &bad, &out, NULL, &error), QKV_ERROR_SHAPE, &error,
                "W_K has shape (7, 6); expected (8, any)");
    bad = w, bad.value_bias.shape[0] = 3;
    check_error(qkv_self_attention(&x, &bad, &out, NULL, &error), QKV_ERROR_SHAPE, &error,
                "W_V bias has shape (3,); expected (10,)");
    bad = w, bad.heads = 5;
    check_error(qkv_self_attention(&x, &bad, &out, NULL, &error), QKV_ERROR_SHAPE, &error,
                "expected x's (2, 9, 8) with width 25");
    bad = w, bad.query.rank = 0;
    check_error(qkv_self_attention(&x, &bad, &out, NULL, &error), QKV_ERROR_ARGUMENT, &error,
                "W_Q has a bias but no matrix");
    bad = w, bad.combine = QKV_COMBINE_PROJECT;
    check_error(qkv_self_attention(&x, &bad, &out, NULL, &error), QKV_ERROR_ARGUMENT, &error,
                "W_O is empty");
    bad = w, bad.combine = QKV_COMBINE_MEAN;
    check_error(qkv_self_attention(&x, &bad, &out, NULL, &error), QKV_ERROR_SHAPE, &error,
                "with width 5");
    bad = all, bad.combine = QKV_COMBINE_MEAN;
    check_error(qkv_self_attention(&x, &bad, &out, NULL, &error), QKV_ERROR_ARGUMENT, &error,
                "W_O is given, but combine does not use it");
    bad = w, bad.value_bias.data = NULL;
    check_error(qkv_self_attention(&x, &bad, &out, NULL, &error), QKV_ERROR_ARGUMENT, &error,
                "W_V bias has 10 elements but its data is NULL");
    qkv_view single = out;
    single.type = QKV_F32;
    check_error(qkv_self_attention(&x, &w, &single, NULL, &error), QKV_ERROR_TYPE, &error,
                "output has type f32 and x f64");
    bad = w, bad.key.type = QKV_F32;
    check_error(qkv_self_attention(&x, &bad, &out, NULL, &error), QKV_ERROR_TYPE, &error,
                "W_K has type f32");
    qkv_view narrow = make_tensor(QKV_F64, 2, (size_t[]){LENGTH, 4});
    check_error(qkv_heads_mean(&x, &narrow, &error), QKV_ERROR_SHAPE, &error,
                "output has shape (9, 4)");
    qkv_view no_heads = make_tensor(QKV_F64, 3, (size_t[]){0, LENGTH, 4});
    check_error(qkv_heads_mean(&no_heads, &narrow, &error), QKV_ERROR_SHAPE, &error,
                "heads has no head to average");
    free(no_heads.data), free(narrow.data), free(x.data), free(out.data), free_weights(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_combinations), cmocka_unit_test(test_permutation),
        cmocka_unit_test(test_identity),     cmocka_unit_test(test_half),
        cmocka_unit_test(test_wide),         cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests_name("self_attention", tests, NULL, NULL);
}
