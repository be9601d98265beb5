/*
 * The definition itself, for every kernel, against formulas worked out on paper: closed forms of
 * softmax over orthonormal keys, each option's own formula, and each kind of mask against the
 * same mask written out as a matrix.
 */
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

#include "support/tensors.h"

/* Runs a test's body once a kernel that takes f64, which the tests here use. */
static void each_kernel(void (*body)(const char *kernel))
{
    for (size_t i = 0; i < qkv_kernel_count(); i++)
        if (kernel_takes(qkv_kernel_name(i), QKV_F64)) body(qkv_kernel_name(i));
}

static qkv_attention_options options_for(const char *kernel)
{
    qkv_attention_options options = qkv_attention_default();
    options.kernel = kernel;
    return options;
}

static qkv_view make_random(qkv_type type, size_t batch, size_t heads, size_t length, size_t width,
                            random_source *source)
{
    qkv_view view = make_tensor4(type, batch, heads, length, width);
    fill_random(&view, 1.0, source);
    return view;
}

/* q = beta (k_a + k_b) over n orthonormal keys: a_a = a_b = e^beta / (n - 2 + 2 e^beta), and the
 * other weights 1 / (n - 2 + 2 e^beta). With scale 1, as the textbook has it. */
static void average_of_two(const char *kernel)
{
    enum { N = 70, A = 3, B = 66 };
    const double beta = 5.0, total = N - 2 + 2 * exp(beta);
    qkv_view q = make_tensor(QKV_F64, 2, (size_t[]){1, N});
    qkv_view k = make_tensor(QKV_F64, 2, (size_t[]){N, N});
    qkv_view c = make_tensor(QKV_F64, 2, (size_t[]){1, N});
    for (size_t i = 0; i < N; i++) set(&k, i, i, 0, 0, 1.0);
    set(&q, 0, A, 0, 0, beta);
    set(&q, 0, B, 0, 0, beta);
    qkv_attention_options options = options_for(kernel);
    qkv_view entropy = make_tensor(QKV_F64, 1, (size_t[]){1});
    qkv_view lse = make_tensor(QKV_F64, 1, (size_t[]){1});
    qkv_view weights = make_tensor(QKV_F64, 2, (size_t[]){1, N});
    options.scale = 1.0;
    options.entropy = entropy;
    options.log_sum_exp = lse;
    options.weights = weights;
    qkv_error error;
    /* With the identity as values, c is the row of weights. */
    check_ok(qkv_attention(&q, &k, &k, &c, &options, &error), &error);
    double big = exp(beta) / total, small = 1.0 / total;
    for (size_t i = 0; i < N; i++) {
        double expected = i == A || i == B ? big : small;
        assert_true(fabs(get(&c, 0, i, 0, 0) - expected) < 1e-15);
        assert_true(fabs(get(&weights, 0, i, 0, 0) - expected) < 1e-15);
    }
    double h = -2 * big * log(big) - (N - 2) * small * log(small);
    assert_true(fabs(get(&entropy, 0, 0, 0, 0) - h) < 1e-13);
    assert_true(fabs(get(&lse, 0, 0, 0, 0) - log(total)) < 1e-14);
    free(q.data), free(k.data), free(c.data), free(entropy.data), free(lse.data);
    free(weights.data);
}

/* Two keys: the weight of the first is the logistic function of the difference of scores. The
 * default scale is 1/sqrt(width), 1 means 1, and QKV_SCALE_ZERO makes weights equal. */
static void scales(const char *kernel)
{
    const double scales[] = {0.0, 1.0, -2.5, QKV_SCALE_ZERO};
    const double effective[] = {1.0 / 2.0, 1.0, -2.5, 0.0};
    double q[] = {1, 2, 3, 4}, k[] = {1, 0, 0, 0, 0, 0, 1, 0}, v[] = {1, 0}, c, raw[2];
    qkv_view query = qkv_view_dense(QKV_F64, q, 2, (size_t[]){1, 4});
    qkv_view key = qkv_view_dense(QKV_F64, k, 2, (size_t[]){2, 4});
    qkv_view value = qkv_view_dense(QKV_F64, v, 2, (size_t[]){2, 1});
    qkv_view output = qkv_view_dense(QKV_F64, &c, 2, (size_t[]){1, 1});
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        qkv_attention_options options = options_for(kernel);
        options.scale = scales[i];
        options.scores_raw = qkv_view_dense(QKV_F64, raw, 2, (size_t[]){1, 2});
        qkv_error error;
        check_ok(qkv_attention(&query, &key, &value, &output, &options, &error), &error);
        assert_true(fabs(c - 1.0 / (1.0 + exp(effective[i] * (3.0 - 1.0)))) < 1e-15);
        assert_true(raw[1] == effective[i] * 3.0); /* zero means zero, not nearly */
    }
}

/* capped = cap tanh(raw / cap), before the mask; a sink takes exp(sink) of the sum. */
static void softcap_and_sinks(const char *kernel)
{
    double q[] = {30.0}, k[] = {1.0, -1.0}, v[] = {1.0, 0.0}, c;
    qkv_view query = qkv_view_dense(QKV_F64, q, 2, (size_t[]){1, 1});
    qkv_view key = qkv_view_dense(QKV_F64, k, 2, (size_t[]){2, 1});
    qkv_view value = qkv_view_dense(QKV_F64, v, 2, (size_t[]){2, 1});
    qkv_view output = qkv_view_dense(QKV_F64, &c, 2, (size_t[]){1, 1});
    double sink[] = {1.25}, lse, entropy;
    qkv_attention_options options = options_for(kernel);
    options.softcap = 2.0;
    options.sinks = sink;
    options.log_sum_exp = qkv_view_dense(QKV_F64, &lse, 1, (size_t[]){1});
    options.entropy = qkv_view_dense(QKV_F64, &entropy, 1, (size_t[]){1});
    qkv_error error;
    check_ok(qkv_attention(&query, &key, &value, &output, &options, &error), &error);
    double s = 2.0 * tanh(15.0), total = exp(s) + exp(-s) + exp(1.25);
    double a = exp(s) / total, b = exp(-s) / total;
    assert_true(fabs(c - a) < 1e-15);
    assert_true(fabs(lse - log(total)) < 1e-15);
    assert_true(fabs(entropy - (-a * log(a) - b * log(b))) < 1e-14);
}

/* ---- Masks by name against masks written out ---------------------------------------------- */

typedef struct mask_case {
    bool causal, window, alibi;
    qkv_alignment alignment;
    ptrdiff_t offset;
    size_t left, right;
} mask_case;

/* What the header says of the masked stage, for query i and key j. */
static double written_out(const mask_case *m, size_t queries, size_t keys, double slope, size_t i,
                          size_t j)
{
    long offset = m->alignment == QKV_ALIGN_BOTTOM_RIGHT ? (long)keys - (long)queries
                  : m->alignment == QKV_ALIGN_OFFSET     ? (long)m->offset
                                                         : 0;
    long distance = (long)i + offset - (long)j; /* > 0: the key lies before the query */
    if (m->causal && distance < 0) return -INFINITY;
    if (m->window && m->left != QKV_UNLIMITED && distance > (long)m->left) return -INFINITY;
    if (m->window && m->right != QKV_UNLIMITED && -distance > (long)m->right) return -INFINITY;
    return m->alibi ? -slope * (double)labs(distance) : 0.0;
}

static void compare_mask(const char *kernel, const mask_case *m, random_source *source)
{
    enum { BATCH = 2, HEADS = 3, WIDTH = 5 };
    size_t queries = 1 + random_below(source, 90), keys = 1 + random_below(source, 150);
    double slopes[HEADS] = {0.5, 0.125, 1.0};
    qkv_view q = make_random(QKV_F64, BATCH, HEADS, queries, WIDTH, source);
    qkv_view k = make_random(QKV_F64, BATCH, HEADS, keys, WIDTH, source);
    qkv_view v = make_random(QKV_F64, BATCH, HEADS, keys, WIDTH, source);
    qkv_view named = make_tensor4(QKV_F64, BATCH, HEADS, queries, WIDTH);
    qkv_view spelled = make_tensor4(QKV_F64, BATCH, HEADS, queries, WIDTH);
    qkv_view mask = make_tensor(QKV_F64, 3, (size_t[]){HEADS, queries, keys});
    for (size_t h = 0; h < HEADS; h++)
        for (size_t i = 0; i < queries; i++)
            for (size_t j = 0; j < keys; j++)
                set(&mask, h, i, j, 0, written_out(m, queries, keys, slopes[h], i, j));
    qkv_attention_options by_name = options_for(kernel), by_mask = options_for(kernel);
    by_name.causal = m->causal;
    by_name.alignment = m->alignment;
    by_name.query_offset = m->alignment == QKV_ALIGN_OFFSET ? m->offset : 0;
    by_name.window = m->window;
    by_name.window_left = m->window ? m->left : 0;
    by_name.window_right = m->window ? m->right : 0;
    by_name.alibi_slopes = m->alibi ? slopes : NULL;
    by_mask.mask = mask;
    qkv_error error;
    check_ok(qkv_attention(&q, &k, &v, &named, &by_name, &error), &error);
    check_ok(qkv_attention(&q, &k, &v, &spelled, &by_mask, &error), &error);
    assert_true(same_bits(&named, &spelled));
    free(q.data), free(k.data), free(v.data), free(named.data), free(spelled.data);
    free(mask.data);
}

static void masks_by_name(const char *kernel)
{
    random_source source = {.state = 11};
    for (int n = 0; n < 60; n++) {
        mask_case m = {.causal = n % 2 == 0,
                       .window = n % 3 == 0,
                       .alibi = n % 5 == 0,
                       .alignment = (qkv_alignment)(1 + random_below(&source, 3)),
                       .offset = (ptrdiff_t)random_below(&source, 200) - 100,
                       .left = n % 4 == 1 ? QKV_UNLIMITED : random_below(&source, 40),
                       .right = n % 7 == 1 ? QKV_UNLIMITED : random_below(&source, 40)};
        compare_mask(kernel, &m, &source);
    }
}

/* A boolean mask is the additive mask of 0 and -infinity; both broadcast like NumPy's arrays. */
static void boolean_and_broadcast(const char *kernel)
{
    enum { BATCH = 2, HEADS = 4, QUERIES = 9, KEYS = 70, WIDTH = 3 };
    const size_t shapes[][4] = {{1, 1, 1, KEYS},           {1, 1, QUERIES, KEYS},
                                {1, HEADS, QUERIES, KEYS}, {BATCH, 1, QUERIES, KEYS},
                                {BATCH, HEADS, 1, 1},      {BATCH, HEADS, QUERIES, KEYS}};
    random_source source = {.state = 12};
    qkv_view q = make_random(QKV_F64, BATCH, HEADS, QUERIES, WIDTH, &source);
    qkv_view k = make_random(QKV_F64, BATCH, 2, KEYS, WIDTH, &source);
    qkv_view v = make_random(QKV_F64, BATCH, 2, KEYS, WIDTH, &source);
    qkv_view results[3];
    for (int i = 0; i < 3; i++) results[i] = make_tensor4(QKV_F64, BATCH, HEADS, QUERIES, WIDTH);
    for (size_t n = 0; n < sizeof shapes / sizeof shapes[0]; n++) {
        int rank = n == 0 ? 1 : n == 1 ? 2 : 4; /* rank 1 (keys) and rank 2 (queries, keys) too */
        qkv_view boolean = make_tensor(QKV_BOOL, rank, shapes[n] + 4 - rank);
        qkv_view additive = make_tensor(QKV_F32, rank, shapes[n] + 4 - rank);
        qkv_view full = make_tensor4(QKV_F64, BATCH, HEADS, QUERIES, KEYS);
        for (size_t i = 0; i < qkv_view_count(&boolean); i++) {
            bool look = random_below(&source, 3) != 0;
            ((unsigned char *)boolean.data)[i] = look ? (unsigned char)(1 + i % 200) : 0;
            ((float *)additive.data)[i] = look ? 0.0f : -INFINITY;
        }
        for (size_t b = 0; b < BATCH; b++)
            for (size_t h = 0; h < HEADS; h++)
                for (size_t i = 0; i < QUERIES; i++)
                    for (size_t j = 0; j < KEYS; j++) {
                        const size_t *s = shapes[n];
                        size_t at =
                            ((b % s[0] * s[1] + h % s[1]) * s[2] + i % s[2]) * s[3] + j % s[3];
                        set(&full, b, h, i, j, (double)((float *)additive.data)[at]);
                    }
        const qkv_view *masks[] = {&boolean, &additive, &full};
        for (int i = 0; i < 3; i++) {
            qkv_attention_options options = options_for(kernel);
            options.mask = *masks[i];
            qkv_error error;
            check_ok(qkv_attention(&q, &k, &v, &results[i], &options, &error), &error);
        }
        assert_true(same_bits(&results[0], &results[1]));
        assert_true(same_bits(&results[0], &results[2]));
        free(boolean.data), free(additive.data), free(full.data);
    }
    free(q.data), free(k.data), free(v.data);
    for (int i = 0; i < 3; i++) free(results[i].data);
}

/* Query head h reads key head h / (H / G): the same as keys repeated head by head. */
static void grouped_heads(const char *kernel)
{
    enum { HEADS = 6, GROUPS = 2, LENGTH = 11, WIDTH = 4 };
    random_source source = {.state = 13};
    qkv_view q = make_random(QKV_F32, 1, HEADS, LENGTH, WIDTH, &source);
    qkv_view k = make_random(QKV_F32, 1, GROUPS, LENGTH, WIDTH, &source);
    qkv_view v = make_random(QKV_F32, 1, GROUPS, LENGTH, WIDTH, &source);
    qkv_view repeated_k = make_tensor4(QKV_F32, 1, HEADS, LENGTH, WIDTH);
    qkv_view repeated_v = make_tensor4(QKV_F32, 1, HEADS, LENGTH, WIDTH);
    for (size_t h = 0; h < HEADS; h++)
        for (size_t i = 0; i < LENGTH; i++)
            for (size_t d = 0; d < WIDTH; d++) {
                set(&repeated_k, 0, h, i, d, get(&k, 0, h / 3, i, d));
                set(&repeated_v, 0, h, i, d, get(&v, 0, h / 3, i, d));
            }
    qkv_view grouped = make_tensor4(QKV_F32, 1, HEADS, LENGTH, WIDTH);
    qkv_view plain = make_tensor4(QKV_F32, 1, HEADS, LENGTH, WIDTH);
    qkv_attention_options options = options_for(kernel);
    qkv_error error;
    check_ok(qkv_attention(&q, &k, &v, &grouped, &options, &error), &error);
    check_ok(qkv_attention(&q, &repeated_k, &repeated_v, &plain, &options, &error), &error);
    assert_true(same_bits(&grouped, &plain));
    free(q.data), free(k.data), free(v.data), free(repeated_k.data), free(repeated_v.data);
    free(grouped.data), free(plain.data);
}

/* Packed sequences and key lengths are the same as one call a sequence. */
static void sequences(const char *kernel)
{
    enum { HEADS = 2, WIDTH = 5, COUNT = 5 };
    const size_t query_starts[COUNT + 1] = {0, 7, 7, 80, 81, 100};
    const size_t key_starts[COUNT + 1] = {0, 3, 70, 143, 143, 300};
    random_source source = {.state = 14};
    qkv_view q = make_random(QKV_F64, 1, HEADS, 100, WIDTH, &source);
    qkv_view k = make_random(QKV_F64, 1, HEADS, 300, WIDTH, &source);
    qkv_view v = make_random(QKV_F64, 1, HEADS, 300, WIDTH, &source);
    qkv_view packed = make_tensor4(QKV_F64, 1, HEADS, 100, WIDTH);
    qkv_view apart = make_tensor4(QKV_F64, 1, HEADS, 100, WIDTH);
    qkv_attention_options options = options_for(kernel);
    options.causal = true;
    options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    qkv_view mask = make_tensor(QKV_F64, 3, (size_t[]){HEADS, 100, 300}); /* packed coordinates */
    qkv_view lse[2] = {make_tensor(QKV_F64, 3, (size_t[]){1, HEADS, 100}),
                       make_tensor(QKV_F64, 3, (size_t[]){1, HEADS, 100})};
    fill_random(&mask, 1.0, &source);
    qkv_attention_options together = options;
    together.mask = mask;
    together.log_sum_exp = lse[0];
    together.sequences = COUNT;
    together.query_starts = query_starts;
    together.key_starts = key_starts;
    qkv_error error;
    check_ok(qkv_attention(&q, &k, &v, &packed, &together, &error), &error);
    for (size_t s = 0; s < COUNT; s++) {
        qkv_view part[4] = {q, k, v, apart};
        for (int i = 0; i < 4; i++) {
            const size_t *starts = i == 0 || i == 3 ? query_starts : key_starts;
            part[i].data = (double *)part[i].data + starts[s] * WIDTH;
            part[i].shape[2] = starts[s + 1] - starts[s];
        }
        qkv_attention_options alone = options;
        alone.mask = mask;
        alone.mask.data = (double *)mask.data + query_starts[s] * 300 + key_starts[s];
        alone.mask.shape[1] = part[0].shape[2], alone.mask.shape[2] = part[1].shape[2];
        alone.log_sum_exp = lse[1];
        alone.log_sum_exp.data = (double *)lse[1].data + query_starts[s];
        alone.log_sum_exp.shape[2] = part[0].shape[2];
        check_ok(qkv_attention(&part[0], &part[1], &part[2], &part[3], &alone, &error), &error);
    }
    assert_true(same_bits(&packed, &apart));
    assert_true(same_bits(&lse[0], &lse[1]));
    free(mask.data), free(lse[0].data), free(lse[1].data);

    /* The same keys with lengths instead: batch 1 of the two sees only its first 31 keys. */
    size_t lengths[] = {31};
    options.key_lengths = lengths;
    fill_value(&packed, NAN);
    check_ok(qkv_attention(&q, &k, &v, &packed, &options, &error), &error);
    k.shape[2] = v.shape[2] = 31;
    options.key_lengths = NULL;
    check_ok(qkv_attention(&q, &k, &v, &apart, &options, &error), &error);
    assert_true(same_bits(&packed, &apart));
    free(q.data), free(k.data), free(v.data), free(packed.data), free(apart.data);
}

/* The four stages of the scores, each by the formula of the header, keys beyond the length too. */
static void stages(const char *kernel)
{
    enum { QUERIES = 3, KEYS = 70, LENGTH = 68, WIDTH = 4 };
    random_source source = {.state = 15};
    size_t lengths[] = {LENGTH};
    qkv_view q = make_random(QKV_F64, 1, 1, QUERIES, WIDTH, &source);
    qkv_view k = make_random(QKV_F64, 1, 1, KEYS, WIDTH, &source);
    qkv_view v = make_random(QKV_F64, 1, 1, KEYS, WIDTH, &source);
    qkv_view c = make_tensor4(QKV_F64, 1, 1, QUERIES, WIDTH);
    qkv_attention_options options = options_for(kernel);
    options.causal = true;
    options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    options.softcap = 1.5;
    options.scale = 0.7;
    options.key_lengths = lengths;
    options.scores_raw = make_tensor4(QKV_F64, 1, 1, QUERIES, KEYS);
    options.scores_capped = make_tensor4(QKV_F64, 1, 1, QUERIES, KEYS);
    options.scores_masked = make_tensor4(QKV_F64, 1, 1, QUERIES, KEYS);
    options.weights = make_tensor4(QKV_F64, 1, 1, QUERIES, KEYS);
    qkv_error error;
    check_ok(qkv_attention(&q, &k, &v, &c, &options, &error), &error);
    for (size_t i = 0; i < QUERIES; i++) {
        double total = 0.0;
        for (size_t j = 0; j < LENGTH; j++) {
            double dot = 0.0;
            for (size_t d = 0; d < WIDTH; d++) dot += get(&q, 0, 0, i, d) * get(&k, 0, 0, j, d);
            double raw = get(&options.scores_raw, 0, 0, i, j);
            double capped = get(&options.scores_capped, 0, 0, i, j);
            double masked = get(&options.scores_masked, 0, 0, i, j);
            bool look = j <= i + LENGTH - QUERIES;
            assert_true(fabs(raw - 0.7 * dot) < 1e-14);
            assert_true(fabs(capped - 1.5 * tanh(0.7 * dot / 1.5)) < 1e-14);
            assert_true(look ? masked == capped : masked == -INFINITY);
            total += exp(masked);
        }
        for (size_t j = 0; j < KEYS; j++) {
            double masked = get(&options.scores_masked, 0, 0, i, j);
            assert_true(fabs(get(&options.weights, 0, 0, i, j) - exp(masked) / total) < 1e-15);
            if (j >= LENGTH) assert_true(get(&options.scores_raw, 0, 0, i, j) == -INFINITY);
        }
    }
    free(q.data), free(k.data), free(v.data), free(c.data), free(options.scores_raw.data);
    free(options.scores_capped.data), free(options.scores_masked.data), free(options.weights.data);
}

/* Rows that are nearly one-hot: scores 0 and -18 in f32. ln(1 + x) must not lose its x. */
static void nearly_one_hot(const char *kernel)
{
    float q = 1.0f, k[] = {0.0f, -18.0f}, v[] = {0.0f, 1.0f}, c;
    double entropy, lse;
    qkv_view query = qkv_view_dense(QKV_F32, &q, 2, (size_t[]){1, 1});
    qkv_view key = qkv_view_dense(QKV_F32, k, 2, (size_t[]){2, 1});
    qkv_view value = qkv_view_dense(QKV_F32, v, 2, (size_t[]){2, 1});
    qkv_view output = qkv_view_dense(QKV_F32, &c, 2, (size_t[]){1, 1});
    qkv_attention_options options = options_for(kernel);
    options.entropy = qkv_view_dense(QKV_F64, &entropy, 1, (size_t[]){1});
    options.log_sum_exp = qkv_view_dense(QKV_F64, &lse, 1, (size_t[]){1});
    qkv_error error;
    check_ok(qkv_attention(&query, &key, &value, &output, &options, &error), &error);
    double x = exp(-18.0), a = x / (1 + x);
    assert_true(fabs(lse / log1p(x) - 1.0) < 8 * 0x1p-24);
    assert_true(fabs(entropy / (-(1 - a) * log1p(-a) - a * log(a)) - 1.0) < 8 * 0x1p-24);
}

static void test_nearly_one_hot(void **state)
{
    (void)state, each_kernel(nearly_one_hot);
}
static void test_average_of_two(void **state)
{
    (void)state, each_kernel(average_of_two);
}
static void test_scales(void **state)
{
    (void)state, each_kernel(scales);
}
static void test_softcap_and_sinks(void **state)
{
    (void)state, each_kernel(softcap_and_sinks);
}
static void test_masks_by_name(void **state)
{
    (void)state, each_kernel(masks_by_name);
}
static void test_boolean(void **state)
{
    (void)state, each_kernel(boolean_and_broadcast);
}
static void test_grouped_heads(void **state)
{
    (void)state, each_kernel(grouped_heads);
}
static void test_sequences(void **state)
{
    (void)state, each_kernel(sequences);
}
static void test_stages(void **state)
{
    (void)state, each_kernel(stages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_average_of_two),    cmocka_unit_test(test_scales),
        cmocka_unit_test(test_softcap_and_sinks), cmocka_unit_test(test_masks_by_name),
        cmocka_unit_test(test_boolean),           cmocka_unit_test(test_grouped_heads),
        cmocka_unit_test(test_sequences),         cmocka_unit_test(test_stages),
        cmocka_unit_test(test_nearly_one_hot),
    };
    return cmocka_run_group_tests_name("definition", tests, NULL, NULL);
}
