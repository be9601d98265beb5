/*
 * The kernels of the gradient against its definition, over random problems with random options,
 * and what they promise: what is masked changes no bit, nor do threads, nor whether the forward
 * call's results are given, nor which gradients are asked for; memory is linear in the length.
 */
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/cases.h"
#include "support/tensors.h"

enum { HEADS_AT_MOST = 6 };

static const qkv_type types[] = {QKV_F64, QKV_F32, QKV_F16, QKV_BF16};

static bool is_definition(const char *kernel)
{
    return strcmp(kernel, "reference") == 0 || strcmp(kernel, "portable") == 0;
}

typedef struct shape {
    qkv_type type;
    size_t batch, groups, heads, queries, keys, width, value_width;
} shape;

typedef struct problem {
    qkv_view operand[4]; /* q, k, v, g */
    qkv_view mask;
    size_t lengths[2];
    double numbers[HEADS_AT_MOST];
    qkv_attention_options options;
} problem;

static problem make_problem(const shape *s, random_source *source)
{
    problem p = {.operand = {make_tensor4(s->type, s->batch, s->heads, s->queries, s->width),
                             make_tensor4(s->type, s->batch, s->groups, s->keys, s->width),
                             make_tensor4(s->type, s->batch, s->groups, s->keys, s->value_width),
                             make_tensor4(s->type, s->batch, s->heads, s->queries, s->value_width)},
                 .options = qkv_attention_default()};
    for (int i = 0; i < 4; i++) fill_random(&p.operand[i], 1.0, source);
    return p;
}

static void free_problem(problem *p)
{
    for (int i = 0; i < 4; i++) free(p->operand[i].data);
    free(p->mask.data);
}

/* dq, dk and dv of a kernel, in scattered memory. */
typedef struct gradients {
    qkv_view of[3];
} gradients;

static gradients make_gradients(const problem *p, random_source *source)
{
    gradients result;
    for (int i = 0; i < 3; i++) result.of[i] = make_scattered(&p->operand[i], source);
    return result;
}

static void free_gradients(gradients *g)
{
    for (int i = 0; i < 3; i++) free(g->of[i].data);
}

static void differentiate(const problem *p, const char *kernel, const gradients *g)
{
    qkv_error error;
    qkv_attention_options options = p->options;
    options.kernel = kernel;
    check_ok(qkv_attention_gradient(&p->operand[0], &p->operand[1], &p->operand[2], &p->operand[3],
                                    &g->of[0], &g->of[1], &g->of[2], &options, &error),
             &error);
}

static bool same_gradients(const gradients *a, const gradients *b)
{
    return same_bits(&a->of[0], &b->of[0]) && same_bits(&a->of[1], &b->of[1]) &&
           same_bits(&a->of[2], &b->of[2]);
}

/* ---- Against the definition ---------------------------------------------------------------- */

static void choose_options(problem *p, const shape *s, random_source *source)
{
    qkv_attention_options *o = &p->options;
    o->scale = random_below(source, 2) ? 0.0 : random_uniform(source) - 0.3;
    if (random_below(source, 10) == 0) o->scale = QKV_SCALE_ZERO;
    if (random_below(source, 10) == 0) o->scale = 1e-35;
    o->softcap = random_below(source, 4) ? 0.0 : 1.0 + 5.0 * random_uniform(source);
    o->causal = random_below(source, 3) == 0;
    o->alignment = (qkv_alignment)(1 + random_below(source, 2));
    o->window = random_below(source, 3) == 0;
    if (o->window) o->window_left = random_below(source, s->keys + 2);
    if (o->window) o->window_right = random_below(source, s->queries + 2);
    for (size_t h = 0; h < s->heads; h++) p->numbers[h] = random_uniform(source);
    if (random_below(source, 3) == 0) o->alibi_slopes = p->numbers;
    if (random_below(source, 3) == 0) o->sinks = p->numbers;
    for (size_t b = 0; b < s->batch; b++) p->lengths[b] = random_below(source, s->keys + 1);
    if (random_below(source, 3) == 0) o->key_lengths = p->lengths;
    qkv_type type = random_below(source, 2) ? QKV_BOOL : QKV_F16;
    p->mask = make_tensor4(type, s->batch, 1, s->queries, s->keys);
    fill_random(&p->mask, 1.0, source);
    for (size_t i = 0; i < qkv_view_count(&p->mask); i++)
        if (random_below(source, 4) == 0)
            set(&p->mask, i / (s->queries * s->keys), 0, i / s->keys % s->queries, i % s->keys,
                type == QKV_BOOL ? 0.0 : -INFINITY);
    if (random_below(source, 2)) o->mask = p->mask;
}

/* Scores here stay under 32, so that a weight has a relative error of some 32 * width * 2^-24 (or
 * 2^-53). A dq is a mean of products of width + value_width terms under 4^3; a dk or dv may have a
 * weight of 1 for every query, in each head of the group. */
static double tolerance(const shape *s)
{
    double unit = s->type == QKV_F64 ? 0x1p-53 : 0x1p-24;
    double own = s->type == QKV_F16 ? 0x1p-10 : s->type == QKV_BF16 ? 0x1p-7 : 0.0;
    double size = 4.0 * sqrt((double)(s->queries * s->heads)) * sqrt((double)(s->value_width + 1));
    return size * (32.0 * (double)(s->width + s->value_width + 8) * unit + own);
}

static void compare(const shape *s, int number, random_source *source)
{
    problem p = make_problem(s, source);
    choose_options(&p, s, source);
    gradients right = make_gradients(&p, source), ours = make_gradients(&p, source);
    differentiate(&p, "reference", &right);
    for (size_t k = 0; k < qkv_kernel_count(); k++) {
        if (!kernel_takes(qkv_kernel_name(k), s->type)) continue;
        differentiate(&p, qkv_kernel_name(k), &ours);
        for (int i = 0; i < 3; i++) {
            double difference = largest_difference(&right.of[i], &ours.of[i]);
            if (!(difference <= tolerance(s)))
                fail_msg("d%c of kernel %s differs by %g in problem %d", "qkv"[i],
                         qkv_kernel_name(k), difference, number);
        }
    }
    free_gradients(&right), free_gradients(&ours), free_problem(&p);
}

static void test_agreement(void **state)
{
    random_source source = {.state = 61};
    (void)state;
    for (int n = 0; n < (int)cases_of(QKV_EMULATED ? 60 : 300); n++) {
        const bool large = n % 30 == 29;
        shape s = {.type = types[n % 4], .batch = 1 + random_below(&source, 2)};
        s.groups = 1 + random_below(&source, 2);
        s.heads = s.groups * (1 + random_below(&source, 3));
        s.queries = 1 + random_below(&source, large ? 300 : 70);
        s.keys = 1 + random_below(&source, large ? 700 : 150);
        s.width = 1 + random_below(&source, 70);
        s.value_width = 1 + random_below(&source, 70);
        compare(&s, n, &source);
    }
}

/* Sizes of zero, which leave zeros or nothing to write. */
static void test_empty(void **state)
{
    random_source source = {.state = 62};
    (void)state;
    for (int n = 0; n < 4 * 5; n++) {
        shape s = {types[n % 4], 2, 2, 4, 50, 70, 5, 3};
        if (n / 4 == 0) s.queries = 0;
        if (n / 4 == 1) s.keys = 0;
        if (n / 4 == 2) s.width = 0;
        if (n / 4 == 3) s.value_width = 0;
        if (n / 4 == 4) s.batch = 0;
        problem p = make_problem(&s, &source);
        gradients right = make_gradients(&p, &source), ours = make_gradients(&p, &source);
        differentiate(&p, "reference", &right);
        for (size_t k = 0; k < qkv_kernel_count(); k++) {
            if (!kernel_takes(qkv_kernel_name(k), s.type)) continue;
            differentiate(&p, qkv_kernel_name(k), &ours);
            for (int i = 0; i < 3; i++)
                assert_true(largest_difference(&right.of[i], &ours.of[i]) <= tolerance(&s));
        }
        free_gradients(&right), free_gradients(&ours), free_problem(&p);
    }
}

/* ---- Promises ------------------------------------------------------------------------------ */

/* Many stretches of keys, few heads: threads must take turns. */
static void threads(const char *kernel)
{
    random_source source = {.state = 63};
    for (int t = 0; t < 4; t++) {
        if (!kernel_takes(kernel, types[t])) continue;
        const bool slow = is_definition(kernel);
        shape s = {types[t], 1, 1, 2, slow ? 60 : 300, slow ? 90 : 1500, 17, 33};
        problem p = make_problem(&s, &source);
        p.options.causal = t % 2 != 0;
        p.options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
        gradients one = make_gradients(&p, &source), other = make_gradients(&p, &source);
        p.options.threads = 1;
        differentiate(&p, kernel, &one);
        for (int n = 2; n < 10; n += 3) {
            p.options.threads = n;
            differentiate(&p, kernel, &other);
            assert_true(same_gradients(&one, &other));
        }
        free_gradients(&one), free_gradients(&other), free_problem(&p);
    }
}

/* The forward call's output in the type of the sums and its log-sum-exp in f64 change no bit,
 * wherever they lie. */
static void given(const char *kernel)
{
    if (!kernel_takes(kernel, QKV_F32)) return; /* its forward call has no output in f32 */
    random_source source = {.state = 64};
    static const double sinks[] = {0.5, -1.0, 2.0, 0.0};
    for (int t = 0; t < 4; t++) {
        if (!kernel_takes(kernel, types[t])) continue;
        shape s = {types[t], 2, 2, 4, 70, 100, 9, 5};
        qkv_error error;
        problem p = make_problem(&s, &source);
        gradients one = make_gradients(&p, &source), other = make_gradients(&p, &source);
        p.options.sinks = sinks;
        differentiate(&p, kernel, &one);
        qkv_view dense = make_tensor4(t == 0 ? QKV_F64 : QKV_F32, 2, 4, 70, 5);
        qkv_view sums = make_tensor(QKV_F64, 3, (size_t[]){2, 4, 70});
        qkv_view output = make_scattered(&dense, &source);
        qkv_attention_options options = p.options;
        options.kernel = kernel;
        options.log_sum_exp = sums;
        check_ok(
            qkv_attention(&p.operand[0], &p.operand[1], &p.operand[2], &output, &options, &error),
            &error);
        p.options.given_output = output;
        p.options.given_log_sum_exp = sums;
        differentiate(&p, kernel, &other);
        assert_true(same_gradients(&one, &other));
        free(dense.data), free(sums.data), free(output.data);
        free_gradients(&one), free_gradients(&other), free_problem(&p);
    }
}

/* What is given is used: with the log-sum-exp larger by ln 2 all weights are half as large, and
 * each dv, a sum of 20 terms under 4, with them. */
static void given_used(const char *kernel)
{
    if (is_definition(kernel) || !kernel_takes(kernel, QKV_F32)) return;
    random_source source = {.state = 65};
    shape s = {QKV_F32, 1, 1, 1, 20, 100, 4, 4};
    problem p = make_problem(&s, &source);
    gradients one = make_gradients(&p, &source), other = make_gradients(&p, &source);
    qkv_view output = make_tensor4(QKV_F32, 1, 1, 20, 4);
    qkv_view sums = make_tensor(QKV_F64, 3, (size_t[]){1, 1, 20});
    qkv_attention_options options = p.options;
    options.kernel = kernel;
    options.log_sum_exp = sums;
    qkv_attention(&p.operand[0], &p.operand[1], &p.operand[2], &output, &options, NULL);
    p.options.given_output = output;
    p.options.given_log_sum_exp = sums;
    differentiate(&p, kernel, &one);
    for (size_t i = 0; i < 20; i++) ((double *)sums.data)[i] += log(2.0);
    differentiate(&p, kernel, &other);
    for (size_t j = 0; j < 100; j++)
        for (size_t i = 0; i < 4; i++)
            assert_true(fabs(2.0 * get(&other.of[2], 0, 0, j, i) - get(&one.of[2], 0, 0, j, i)) <
                        20 * 4 * 0x1p-22);
    free(output.data), free(sums.data);
    free_gradients(&one), free_gradients(&other), free_problem(&p);
}

/* A scale so small that scores vanish, beside a sink that takes all the weight: gradients of 0. And
 * scores far beyond what an exponent holds, of which the largest two share the weight. */
static void extremes(const char *kernel)
{
    static const double sinks[] = {200.0, 2000.0}; /* the second has no exponential in a double */
    random_source source = {.state = 71};
    for (int n = 0; n < 8; n++) {
        const int t = n % 4;
        if (!kernel_takes(kernel, types[t])) continue;
        shape s = {types[t], 1, 1, 1, 20, 100, 4, 4};
        problem p = make_problem(&s, &source);
        gradients g = make_gradients(&p, &source);
        p.options.sinks = sinks + n / 4;
        p.options.scale = 1e-40;
        differentiate(&p, kernel, &g);
        for (size_t i = 0; i < 400; i++)
            for (int which = 1; which < 3; which++)
                assert_true(fabs(get(&g.of[which], 0, 0, i / 4, i % 4)) < 1e-30);
        p.options.sinks = NULL;
        p.options.scale = 1.0;
        fill_value(&p.operand[0], 200.0), fill_value(&p.operand[1], 1.0);
        fill_value(&p.operand[3], 0.5);
        for (size_t i = 0; i < 4; i++)
            set(&p.operand[1], 0, 0, 7, i, 200.0), set(&p.operand[1], 0, 0, 90, i, 200.0);
        differentiate(&p, kernel, &g);
        for (size_t i = 0; i < 400; i++)
            assert_true(get(&g.of[2], 0, 0, i / 4, i % 4) ==
                        (i / 4 == 7 || i / 4 == 90 ? 20 * 0.5 * 0.5 : 0.0));
        free_gradients(&g), free_problem(&p);
    }
}

/* Each of the seven ways to ask for some of the gradients. */
static void some(const char *kernel)
{
    if (!kernel_takes(kernel, QKV_F32)) return;
    random_source source = {.state = 66};
    shape s = {QKV_F32, 1, 2, 4, 60, 300, 20, 12};
    problem p = make_problem(&s, &source);
    gradients all = make_gradients(&p, &source);
    p.options.kernel = kernel;
    differentiate(&p, kernel, &all);
    for (int set = 0; set < 8; set++) {
        gradients few = make_gradients(&p, &source);
        const qkv_view *ask[3];
        qkv_error error;
        for (int i = 0; i < 3; i++) ask[i] = set >> i & 1 ? &few.of[i] : NULL;
        check_ok(qkv_attention_gradient(&p.operand[0], &p.operand[1], &p.operand[2], &p.operand[3],
                                        ask[0], ask[1], ask[2], &p.options, &error),
                 &error);
        for (int i = 0; i < 3; i++) assert_true(ask[i] == NULL || same_bits(&all.of[i], ask[i]));
        free_gradients(&few);
    }
    free_gradients(&all), free_problem(&p);
}

/* A key that nobody looks at and a query that looks at nothing may hold anything, g of that query
 * too: no bit changes, and their own gradients are zero. */
static void poison(const char *kernel)
{
    enum { LENGTH = 130, HIDDEN = 77, BLIND = 51 };
    static const double poisons[] = {NAN, INFINITY, -INFINITY};
    random_source source = {.state = 67};
    for (int t = 0; t < 8; t++) {
        if (!kernel_takes(kernel, types[t % 4])) continue;
        shape s = {types[t % 4], 1, 1, 2, LENGTH, LENGTH, 6, 5};
        problem p = make_problem(&s, &source);
        gradients clean = make_gradients(&p, &source), dirty = make_gradients(&p, &source);
        p.mask = make_tensor(t < 4 ? QKV_BOOL : QKV_F32, 2, (size_t[]){LENGTH, LENGTH});
        for (size_t i = 0; i < LENGTH * LENGTH; i++) {
            const bool look = i % LENGTH != HIDDEN && i / LENGTH != BLIND;
            set(&p.mask, i / LENGTH, i % LENGTH, 0, 0, t < 4 ? look : look ? 0.5 : -INFINITY);
        }
        p.options.mask = p.mask;
        differentiate(&p, kernel, &clean);
        for (int n = 0; n < 3; n++) {
            for (int which = 0; which < 4; which++)
                for (size_t h = 0; h < (which % 3 == 0 ? 2 : 1); h++)
                    set(&p.operand[which], 0, h, which % 3 == 0 ? BLIND : HIDDEN, (size_t)n,
                        poisons[(n + which) % 3]);
            differentiate(&p, kernel, &dirty);
            assert_true(same_gradients(&clean, &dirty));
        }
        for (size_t i = 0; i < 5; i++) {
            assert_true(get(&clean.of[0], 0, 0, BLIND, i) == 0.0);
            assert_true(get(&clean.of[1], 0, 0, HIDDEN, i) == 0.0);
            assert_true(get(&clean.of[2], 0, 0, HIDDEN, i) == 0.0);
        }
        free_gradients(&clean), free_gradients(&dirty), free_problem(&p);
    }
}

/* What is not finite and looked at reaches the same numbers as by the definition. */
static void strange(const char *kernel)
{
    enum { LENGTH = 120, BAD = 70 };
    random_source source = {.state = 68};
    for (int n = 0; n < 24; n++) {
        if (!kernel_takes(kernel, types[n % 4])) continue;
        shape s = {types[n % 4], 1, 1, 2, LENGTH, LENGTH, 4, 4};
        problem p = make_problem(&s, &source);
        gradients right = make_gradients(&p, &source), ours = make_gradients(&p, &source);
        p.options.causal = true;
        if (n % 3 == 0) p.options.softcap = 3.0;
        set(&p.operand[n / 4 % 4], 0, 0, BAD, 2, n < 12 ? NAN : INFINITY);
        differentiate(&p, "reference", &right);
        differentiate(&p, kernel, &ours);
        for (int which = 0; which < 3; which++)
            for (size_t h = 0; h < (which == 0 ? 2 : 1); h++)
                for (size_t i = 0; i < LENGTH * 4; i++) {
                    double a = get(&right.of[which], 0, h, i / 4, i % 4);
                    double b = get(&ours.of[which], 0, h, i / 4, i % 4);
                    if (isfinite(a) != isfinite(b))
                        fail_msg("kernel %s, case %d: d%c(%zu, %zu) of head %zu is %g; by the "
                                 "definition it is %g",
                                 kernel, n, "qkv"[which], i / 4, i % 4, h, b, a);
                }
        free_gradients(&right), free_gradients(&ours), free_problem(&p);
    }
}

/* 100,000 queries over as many keys, of which a window keeps the time short: a score matrix would
 * be 40 GB, and the process may have one gigabyte. */
static void memory(const char *kernel)
{
    enum { TOKENS = 100000 };
    if (is_definition(kernel) || !kernel_takes(kernel, QKV_F32)) return; /* or too slow */
#if QKV_SANITIZED
    return; /* the sanitizer itself reserves terabytes of addresses */
#endif
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {.rlim_cur = 1u << 30, .rlim_max = 1u << 30};
        setrlimit(RLIMIT_AS, &limit);
        random_source source = {.state = 69};
        shape s = {QKV_F32, 1, 1, 1, TOKENS, TOKENS, 8, 8};
        problem p = make_problem(&s, &source);
        p.options.window = true;
        p.options.window_left = 8;
        p.options.threads = QKV_EMULATED ? 1 : 2; /* qemu dies of a thread started behind a fork */
        p.options.kernel = kernel;
        const qkv_view *x = p.operand;
        _exit(qkv_attention_gradient(x, x + 1, x + 2, x + 3, x, x + 1, x + 2, &p.options, NULL) !=
              QKV_OK);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_given_errors(void **state)
{
    random_source source = {.state = 70};
    (void)state;
    shape s = {QKV_F32, 1, 1, 2, 5, 6, 3, 4};
    problem p = make_problem(&s, &source);
    const qkv_view *x = p.operand;
    qkv_view output = make_tensor4(QKV_F32, 1, 2, 5, 4);
    qkv_view sums = make_tensor(QKV_F32, 3, (size_t[]){1, 2, 5});
    qkv_error error;
    p.options.given_output = output;
    check_error(
        qkv_attention_gradient(x, x + 1, x + 2, x + 3, NULL, NULL, NULL, &p.options, &error),
        QKV_ERROR_ARGUMENT, &error, "given_output is set, but not given_log_sum_exp");
    p.options.given_log_sum_exp = output;
    check_error(
        qkv_attention_gradient(x, x + 1, x + 2, x + 3, NULL, NULL, NULL, &p.options, &error),
        QKV_ERROR_SHAPE, &error, "given_log_sum_exp has shape (1, 2, 5, 4); expected (1, 2, 5)");
    p.options.given_log_sum_exp = sums;
    p.options.given_output.shape[3] = 3;
    check_error(
        qkv_attention_gradient(x, x + 1, x + 2, x + 3, NULL, NULL, NULL, &p.options, &error),
        QKV_ERROR_SHAPE, &error, "given_output has shape (1, 2, 5, 3); expected (1, 2, 5, 4)");
    p.options.given_output.shape[3] = 4;
    p.options.given_output.type = QKV_BOOL;
    check_error(
        qkv_attention_gradient(x, x + 1, x + 2, x + 3, NULL, NULL, NULL, &p.options, &error),
        QKV_ERROR_TYPE, &error, "given_output has type bool");
    p.options.given_output.rank = 0;
    check_error(
        qkv_attention_gradient(x, x + 1, x + 2, x + 3, NULL, NULL, NULL, &p.options, &error),
        QKV_ERROR_ARGUMENT, &error, "given_log_sum_exp is set, but not given_output");
    p.options = qkv_attention_default();
    p.options.kernel = "none";
    check_error(
        qkv_attention_gradient(x, x + 1, x + 2, x + 3, NULL, NULL, NULL, &p.options, &error),
        QKV_ERROR_ARGUMENT, &error, "kernel \"none\" is not known");
    free(output.data), free(sums.data), free_problem(&p);
}

static qkv_view rows_of(qkv_view view, size_t begin, size_t count)
{
    const ptrdiff_t size = (ptrdiff_t)qkv_type_size(view.type);
    view.data = (char *)view.data + (ptrdiff_t)begin * view.stride[2] * size;
    view.shape[2] = count;
    return view;
}

/* dq of a row does not depend on the rows beside it: not on how many keys they look at, nor where
 * these begin, nor how large their scores are. */
static void row_alone(const char *kernel)
{
    for (int n = 0; n < 8; n++) {
        random_source source = {.state = 77};
        const shape s = {types[n % 4], 1, 1, 1, 300, 300, 17, 9};
        if (!kernel_takes(kernel, s.type)) continue;
        problem p = make_problem(&s, &source);
        for (size_t i = 0; i < s.width; i++) set(&p.operand[0], 0, 0, 90, i, 3e4);
        gradients together = make_gradients(&p, &source), memory = make_gradients(&p, &source);
        p.options.causal = true;
        p.options.alignment = QKV_ALIGN_BOTTOM_RIGHT;
        p.options.window = n >= 4;
        p.options.window_left = n >= 4 ? 100 : 0;
        differentiate(&p, kernel, &together);
        for (size_t row = 40; row < 300; row += is_definition(kernel) ? 123 : 5) {
            problem one = p;
            gradients alone;
            for (int i = 0; i < 4; i++) {
                const bool key = i == 1 || i == 2;
                const size_t begin = key ? 0 : row, count = key ? row + 1 : 1;
                one.operand[i] = rows_of(p.operand[i], begin, count);
                if (i < 3) alone.of[i] = rows_of(memory.of[i], begin, count);
            }
            differentiate(&one, kernel, &alone);
            const qkv_view right = rows_of(together.of[0], row, 1);
            if (!same_bits(&right, &alone.of[0]))
                fail_msg("dq of row %zu is another alone: problem %d, kernel %s", row, n, kernel);
        }
        free_gradients(&together), free_gradients(&memory), free_problem(&p);
    }
}

static void each_kernel(void (*body)(const char *))
{
    for (size_t i = 0; i < qkv_kernel_count(); i++) body(qkv_kernel_name(i));
}

static void test_threads(void **state)
{
    (void)state, each_kernel(threads);
}

static void test_given(void **state)
{
    (void)state, each_kernel(given);
}

static void test_given_used(void **state)
{
    (void)state, each_kernel(given_used);
}

static void test_extremes(void **state)
{
    (void)state, each_kernel(extremes);
}

static void test_some(void **state)
{
    (void)state, each_kernel(some);
}

static void test_poison(void **state)
{
    (void)state, each_kernel(poison);
}

static void test_strange(void **state)
{
    (void)state, each_kernel(strange);
}

static void test_row_alone(void **state)
{
    (void)state, each_kernel(row_alone);
}

static void test_memory(void **state)
{
    (void)state, each_kernel(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreement),    cmocka_unit_test(test_empty),
        cmocka_unit_test(test_threads),      cmocka_unit_test(test_given),
        cmocka_unit_test(test_given_used),   cmocka_unit_test(test_some),
        cmocka_unit_test(test_extremes),     cmocka_unit_test(test_poison),
        cmocka_unit_test(test_strange),      cmocka_unit_test(test_memory),
        cmocka_unit_test(test_given_errors), cmocka_unit_test(test_row_alone),
    };
    return cmocka_run_group_tests_name("gradient_kernels", tests, NULL, NULL);
}
