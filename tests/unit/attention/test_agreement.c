/*
 * Every kernel against the reference, over random problems with random options, for the output
 * and its log-sum-exp alone, which is what kernels are quick at, and for everything else that can
 * be asked for.
 */
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

#include "support/cases.h"
#include "support/tensors.h"

enum { PROBLEMS = QKV_EMULATED ? 80 : 400, HEADS_AT_MOST = 6 };

typedef struct results {
    qkv_view output, lse, entropy, stages[4];
} results;

static results make_results(qkv_type type, size_t batch, size_t heads, size_t queries, size_t keys,
                            size_t value_width)
{
    qkv_type wide = type == QKV_F64 ? QKV_F64 : QKV_F32;
    results r = {.output = make_tensor4(type, batch, heads, queries, value_width),
                 .lse = make_tensor(wide, 3, (size_t[]){batch, heads, queries}),
                 .entropy = make_tensor(wide, 3, (size_t[]){batch, heads, queries})};
    for (int i = 0; i < 4; i++) r.stages[i] = make_tensor4(wide, batch, heads, queries, keys);
    return r;
}

static void free_results(results *r)
{
    free(r->output.data), free(r->lse.data), free(r->entropy.data);
    for (int i = 0; i < 4; i++) free(r->stages[i].data);
}

static void run(const qkv_view operands[3], qkv_attention_options options, const char *kernel,
                const results *r, bool everything)
{
    qkv_error error;
    options.kernel = kernel;
    options.log_sum_exp = r->lse;
    if (everything) options.entropy = r->entropy;
    if (everything) options.scores_raw = r->stages[0];
    if (everything) options.scores_capped = r->stages[1];
    if (everything) options.scores_masked = r->stages[2];
    if (everything) options.weights = r->stages[3];
    check_ok(qkv_attention(&operands[0], &operands[1], &operands[2], &r->output, &options, &error),
             &error);
}

/* Tolerances: scores here stay under 32, and with ALiBi (slopes under 1) under 32 and the number of
 * keys, so that a score carries an absolute error of some `largest` * width * 2^-24 (or 2^-53), and
 * a weight or output that many relative. */
static double tolerance(qkv_type type, size_t width, double largest)
{
    double unit = type == QKV_F64 ? 0x1p-53 : 0x1p-24;
    double own = type == QKV_F16 ? 0x1p-10 : type == QKV_BF16 ? 0x1p-7 : 0.0;
    return largest * (double)(width + 8) * unit + 4.0 * own;
}

static void check_same(const qkv_view *a, const qkv_view *b, double allowed, const char *what,
                       const char *kernel, int problem)
{
    double difference = largest_difference(a, b);
    if (!(difference <= allowed))
        fail_msg("%s of kernel %s differs by %g in problem %d", what, kernel, difference, problem);
}

static qkv_attention_options random_options(size_t batch, size_t heads, size_t queries, size_t keys,
                                            qkv_view *mask, size_t *lengths, double *numbers,
                                            random_source *source)
{
    qkv_attention_options o = qkv_attention_default();
    o.scale = random_below(source, 2) ? 0.0 : random_uniform(source);
    o.softcap = random_below(source, 4) ? 0.0 : 1.0 + 5.0 * random_uniform(source);
    o.causal = random_below(source, 3) == 0;
    o.alignment = (qkv_alignment)(1 + random_below(source, 2));
    o.window = random_below(source, 3) == 0;
    if (o.window) o.window_left = random_below(source, keys + 2);
    if (o.window) o.window_right = random_below(source, queries + 2);
    for (size_t h = 0; h < heads; h++) numbers[h] = random_uniform(source);
    if (random_below(source, 3) == 0) o.alibi_slopes = numbers;
    if (random_below(source, 3) == 0) o.sinks = numbers;
    for (size_t b = 0; b < batch; b++) lengths[b] = random_below(source, keys + 1);
    if (random_below(source, 3) == 0) o.key_lengths = lengths;
    *mask = make_tensor4(random_below(source, 2) ? QKV_BOOL : QKV_F16, batch, 1, queries, keys);
    fill_random(mask, 1.0, source);
    for (size_t i = 0; i < qkv_view_count(mask); i++)
        if (random_below(source, 4) == 0)
            set(mask, i / (queries * keys), 0, i / keys % queries, i % keys,
                mask->type == QKV_BOOL ? 0.0 : -INFINITY);
    if (random_below(source, 2)) o.mask = *mask;
    return o;
}

static void test_agreement(void **state)
{
    static const qkv_type types[] = {QKV_F64, QKV_F32, QKV_F16, QKV_BF16};
    random_source source = {.state = 41};
    (void)state;
    for (int n = 0; n < (int)cases_of(PROBLEMS); n++) {
        qkv_type type = types[n % 4];
        size_t batch = 1 + random_below(&source, 2), groups = 1 + random_below(&source, 2);
        size_t heads = groups * (1 + random_below(&source, 3));
        size_t queries = 1 + random_below(&source, 80), keys = 1 + random_below(&source, 200);
        if (n % 9 == 0) queries = 1 + queries / 8, keys *= 15; /* several blocks and segments */
        size_t width = 1 + random_below(&source, 40), value_width = 1 + random_below(&source, 40);
        qkv_view operands[] = {make_tensor4(type, batch, heads, queries, width),
                               make_tensor4(type, batch, groups, keys, width),
                               make_tensor4(type, batch, groups, keys, value_width)};
        for (int i = 0; i < 3; i++) fill_random(&operands[i], 1.0, &source);
        qkv_view mask;
        size_t lengths[2];
        double numbers[HEADS_AT_MOST];
        qkv_attention_options options =
            random_options(batch, heads, queries, keys, &mask, lengths, numbers, &source);
        options.threads = 1 + n / 9 % 3;
        results right = make_results(type, batch, heads, queries, keys, value_width);
        results ours = make_results(type, batch, heads, queries, keys, value_width);
        run(operands, options, "reference", &right, true);
        double largest = 32.0 + (options.alibi_slopes != NULL ? (double)keys : 0.0);
        double allowed = tolerance(type, width, largest);
        double wide = tolerance(type == QKV_F64 ? QKV_F64 : QKV_F32, width, largest);
        for (size_t k = 0; k < qkv_kernel_count(); k++) {
            const char *kernel = qkv_kernel_name(k);
            if (!kernel_takes(kernel, type)) continue;
            run(operands, options, kernel, &ours, false);
            check_same(&right.output, &ours.output, allowed, "output alone", kernel, n);
            check_same(&right.lse, &ours.lse, wide, "log_sum_exp alone", kernel, n);
            run(operands, options, kernel, &ours, true);
            check_same(&right.output, &ours.output, allowed, "output", kernel, n);
            check_same(&right.lse, &ours.lse, wide, "log_sum_exp", kernel, n);
            check_same(&right.entropy, &ours.entropy, 8 * wide, "entropy", kernel, n);
            for (int i = 0; i < 4; i++)
                check_same(&right.stages[i], &ours.stages[i], wide, "a score", kernel, n);
        }
        free_results(&right), free_results(&ours), free(mask.data);
        for (int i = 0; i < 3; i++) free(operands[i].data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_agreement)};
    return cmocka_run_group_tests_name("agreement", tests, NULL, NULL);
}
