/*
 * The sampler against the mathematics: closed forms of the assignment's models, agreement of scores
 * drawn from their law with scores of keys drawn entry by entry, and the promise that bits depend
 * on the model, the seed and the number of the sample alone. Statistical tolerances come from
 * confidence sequences of error 1e-6; seeds are fixed.
 */
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

#include <qkv/lab.h>

#include "base/memory.h"
#include "support/random.h"

/* ---- Makers --------------------------------------------------------------------------------- */

static qkv_lab_sampler *make(const qkv_lab_model *model, const qkv_lab_options *options)
{
    qkv_lab_sampler *sampler = NULL;
    qkv_error error;
    check_ok(qkv_lab_sampler_create(model, options, &sampler, &error), &error);
    return sampler;
}

static void run(qkv_lab_sampler *sampler, uint64_t count)
{
    qkv_error error;
    check_ok(qkv_lab_sampler_run(sampler, count, &error), &error);
}

/* Orthonormal means in `width` dimensions, key 0 stretched, all with alpha. */
typedef struct handout {
    qkv_lab_noise noises[16];
    double coefficients[2 * 16];
    qkv_lab_model model;
} handout;

static handout *make_handout(size_t keys, size_t width, double alpha, size_t heads)
{
    handout *made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->model = qkv_lab_model_default();
    made->model.keys = keys;
    made->model.width = width;
    made->model.heads = heads;
    made->model.coefficients = made->coefficients;
    made->model.noises = made->noises;
    for (size_t i = 0; i < keys; i++)
        made->noises[i] = (qkv_lab_noise){.alpha = alpha, .stretch = i == 0 ? 0.5 : 0.0};
    return made;
}

/* One head for both keys, or a head for each. */
static void aim(handout *made, double beta)
{
    bool two = made->model.heads == 2;
    made->coefficients[0] = beta;
    made->coefficients[two ? made->model.keys + 1 : 1] = beta;
}

/* ---- The closed forms of the assignment ------------------------------------------------------ */

/* Var a_a = 0.195320654850187 for n = 2, beta = 10, by rigorous quadrature. Var = E a^2 - 1/4, the
 * mean being 1/2, so the interval for the product decides. */
static void test_single_head(void **state)
{
    handout *one = make_handout(2, 0, 0.0, 1);
    qkv_lab_quantity quantities[] = {{.kind = QKV_LAB_WEIGHT, .index = 0},
                                     {.kind = QKV_LAB_PRODUCT, .index = 0, .other = 0}};
    qkv_lab_options options = qkv_lab_options_default();
    options.quantities = quantities;
    options.quantity_count = 2;
    (void)state;
    aim(one, 10.0);
    qkv_lab_sampler *sampler = make(&one->model, &options);
    assert_int_equal(qkv_lab_sampler_normals(sampler), 1); /* only key a is random */
    run(sampler, 2000000);
    qkv_lab_summary weight = qkv_lab_sampler_summary(sampler, 0);
    qkv_lab_summary square = qkv_lab_sampler_summary(sampler, 1);
    const double variance = 0.195320654850187;
    assert_true(weight.low <= 0.5 && 0.5 <= weight.high && weight.high - weight.low < 0.01);
    assert_true(square.low <= variance + 0.25 && variance + 0.25 <= square.high);
    assert_true(square.high - square.low < 0.01);
    /* The standard error of the variance is sqrt(E(a - 1/2)^4 - Var^2)/sqrt(N) < 0.16/1414. */
    assert_true(fabs(weight.variance - variance) < 5.0 * 0.16 / 1414.0);
    qkv_lab_sampler_free(&sampler);
    free(one);
}

/* P(a_a^(1) < 1 - tau) = erfc(1 - L/beta)/2 with L = ln((n - 1)(1 - tau)/tau), also given that
 * k_a . q_1 > 0; Cov of the heads' weights; the second head's weight is E/(E + n - 1). */
static void test_two_heads(void **state)
{
    static const double only_weight[] = {1, 0, 0}, only_score[] = {0, 0, 1};
    const qkv_lab_inequality low = {only_weight, QKV_LAB_LESS, 0.99};
    const qkv_lab_inequality positive = {only_score, QKV_LAB_GREATER, 0.0};
    const qkv_lab_event events[] = {{1, &low}, {1, &positive}};
    qkv_lab_quantity quantities[] = {{.kind = QKV_LAB_WEIGHT, .index = 0, .head = 0},
                                     {.kind = QKV_LAB_WEIGHT, .index = 1, .head = 1},
                                     {.kind = QKV_LAB_SCORE, .index = 0, .head = 0}};
    handout *two = make_handout(10, 0, 0.0, 2);
    qkv_lab_options options = qkv_lab_options_default();
    options.quantities = quantities;
    options.quantity_count = 3;
    options.events = events;
    options.event_count = 2;
    (void)state;
    aim(two, 10.0);
    double margin = log(9.0 * 0.99 / 0.01), failure = 0.5 * erfc(1.0 - margin / 10.0);
    double negative = 0.5 * erfc(1.0);
    for (int conditional = 0; conditional < 2; conditional++) {
        options.given = conditional ? &events[1] : NULL;
        qkv_lab_sampler *sampler = make(&two->model, &options);
        run(sampler, 1000000);
        uint64_t accepted = qkv_lab_sampler_accepted(sampler);
        double right = conditional ? (failure - negative) / (1.0 - negative) : failure;
        qkv_lab_interval found =
            qkv_lab_probability_interval(qkv_lab_sampler_event(sampler, 0), accepted, 1e-6);
        assert_true(found.low <= right && right <= found.high && found.high - found.low < 0.01);
        found =
            qkv_lab_probability_interval(conditional ? accepted : qkv_lab_sampler_event(sampler, 1),
                                         qkv_lab_sampler_drawn(sampler), 1e-6);
        assert_true(found.low <= 1.0 - negative && 1.0 - negative <= found.high);
        if (conditional) assert_int_equal(qkv_lab_sampler_event(sampler, 1), accepted);
        qkv_lab_summary second = qkv_lab_sampler_summary(sampler, 1);
        double steady = exp(10.0) / (exp(10.0) + 9.0);
        assert_true(fabs(second.least - steady) < 1e-14);
        assert_true(fabs(second.greatest - steady) < 1e-14 && second.variance < 1e-28);
        qkv_lab_sampler_free(&sampler);
    }
    free(two);
}

/* A query orthogonal to the mean whose length is uncertain: a = 1/(2 + (n - 2) e^-beta), always. */
static void test_immune_query(void **state)
{
    handout *one = make_handout(6, 0, 0.0, 1);
    (void)state;
    for (size_t i = 2; i < 6; i++) one->coefficients[i] = -3.0;
    qkv_lab_sampler *sampler = make(&one->model, NULL);
    assert_int_equal(qkv_lab_sampler_normals(sampler), 0);
    run(sampler, 100);
    qkv_lab_summary a = qkv_lab_sampler_summary(sampler, 0);
    assert_true(fabs(a.mean - 1.0 / (2.0 + 4.0 * exp(-3.0))) < 1e-15);
    assert_true(a.variance == 0.0 && a.least == a.greatest);
    qkv_lab_sampler_free(&sampler);
    free(one);
}

/* Without noise a weight is one number: < and > never hold of it, <= and >= always. */
static void test_relations(void **state)
{
    static const double one[] = {1};
    qkv_lab_inequality inequalities[4];
    qkv_lab_event events[4];
    qkv_lab_quantity quantity = {.kind = QKV_LAB_WEIGHT};
    qkv_lab_options options = qkv_lab_options_default();
    handout *still = make_handout(3, 0, 0.0, 1);
    qkv_error error;
    double weight;
    (void)state;
    still->noises[0].stretch = 0.0;
    aim(still, 1.3);
    options.quantities = &quantity;
    options.quantity_count = 1;
    qkv_lab_sampler *sampler = make(&still->model, &options);
    check_ok(qkv_lab_sampler_draw(sampler, 0, 1, &weight, &error), &error);
    qkv_lab_sampler_free(&sampler);
    for (int r = 0; r < 4; r++) {
        inequalities[r] = (qkv_lab_inequality){one, (qkv_lab_relation)r, weight};
        events[r] = (qkv_lab_event){1, &inequalities[r]};
    }
    options.events = events;
    options.event_count = 4;
    sampler = make(&still->model, &options);
    run(sampler, 50);
    assert_int_equal(qkv_lab_sampler_event(sampler, QKV_LAB_LESS), 0);
    assert_int_equal(qkv_lab_sampler_event(sampler, QKV_LAB_LESS_OR_EQUAL), 50);
    assert_int_equal(qkv_lab_sampler_event(sampler, QKV_LAB_GREATER), 0);
    assert_int_equal(qkv_lab_sampler_event(sampler, QKV_LAB_GREATER_OR_EQUAL), 50);
    qkv_lab_sampler_free(&sampler);
    free(still);
}

/* Small noise: sd(a_a) ~ beta sqrt(alpha)/2 without stretch; the variance stays right where naive
 * sums of squares would have lost all digits. */
static void test_small_noise(void **state)
{
    handout *one = make_handout(2, 0, 1e-18, 1);
    (void)state;
    one->noises[0].stretch = 0.0;
    aim(one, 4.0);
    qkv_lab_sampler *sampler = make(&one->model, NULL);
    run(sampler, 200000);
    double right = 4.0 * 1e-9 / 2.0;
    right *= right; /* of N samples, the variance is known to sqrt(2/N) = 0.3 % */
    assert_true(fabs(qkv_lab_sampler_summary(sampler, 0).variance / right - 1.0) < 5 * 0.0032);
    qkv_lab_sampler_free(&sampler);
    free(one);
}

/* ---- Scores and keys ------------------------------------------------------------------------- */

enum { KEYS = 3, WIDTH = 4, HEADS = 2, VALUES = 2, SCORES = KEYS * HEADS };

typedef struct general {
    double means[KEYS * WIDTH], queries[HEADS * WIDTH], values[KEYS * VALUES];
    double diagonal[WIDTH], matrix[WIDTH * WIDTH];
    qkv_lab_noise noises[KEYS];
    qkv_lab_model model;
} general;

/* A model with a covariance of each kind; the matrix is B B' with B of rank 3. */
static void make_general(general *made, bool shared)
{
    random_source source = {.state = 5};
    double b[WIDTH * 3];
    for (size_t i = 0; i < KEYS * WIDTH; i++) made->means[i] = random_bell(&source);
    for (size_t i = 0; i < HEADS * WIDTH; i++) made->queries[i] = random_bell(&source);
    for (size_t i = 0; i < KEYS * VALUES; i++) made->values[i] = random_bell(&source);
    for (size_t i = 0; i < WIDTH; i++) made->diagonal[i] = i == 2 ? 0.0 : random_uniform(&source);
    for (size_t i = 0; i < WIDTH * 3; i++) b[i] = 0.6 * random_bell(&source);
    for (size_t r = 0; r < WIDTH; r++)
        for (size_t c = 0; c < WIDTH; c++) {
            made->matrix[r * WIDTH + c] = 0.0;
            for (size_t k = 0; k < 3; k++)
                made->matrix[r * WIDTH + c] += b[r * 3 + k] * b[c * 3 + k];
        }
    made->noises[0] = (qkv_lab_noise){.alpha = 0.3, .stretch = 0.4};
    made->noises[1] = (qkv_lab_noise){.kind = QKV_LAB_NOISE_DIAGONAL, .entries = made->diagonal};
    made->noises[2] = (qkv_lab_noise){.kind = QKV_LAB_NOISE_MATRIX, .entries = made->matrix};
    made->model = qkv_lab_model_default();
    made->model.keys = KEYS;
    made->model.width = WIDTH;
    made->model.means = made->means;
    made->model.noises = made->noises;
    made->model.shared = shared;
    made->model.heads = HEADS;
    made->model.queries = made->queries;
    made->model.values = made->values;
    made->model.value_width = VALUES;
}

/* q' Sigma_key p, written out. */
static double score_covariance(const general *g, size_t key, const double *q, const double *p)
{
    double sum = 0.0;
    for (size_t r = 0; r < WIDTH; r++)
        for (size_t c = 0; c < WIDTH; c++) {
            double entry = key == 2 ? g->matrix[r * WIDTH + c] : 0.0;
            if (key == 1 && r == c) entry = g->diagonal[r];
            if (key == 0) entry = 0.4 * g->means[r] * g->means[c] + (r == c ? 0.3 : 0.0);
            sum += q[r] * entry * p[c];
        }
    return sum;
}

/* Both modes, independent or not: score (h, i) has mean mu_i . q_h, and scores of one key have
 * covariance q_h' Sigma_i q_g; of different independent keys, none. */
static void test_score_law(void **state)
{
    enum { COUNT = 400000 };
    qkv_lab_quantity quantities[SCORES];
    qkv_lab_options options = qkv_lab_options_default();
    (void)state;
    for (size_t s = 0; s < SCORES; s++)
        quantities[s] =
            (qkv_lab_quantity){.kind = QKV_LAB_SCORE, .head = s / KEYS, .index = s % KEYS};
    options.quantities = quantities;
    options.quantity_count = SCORES;
    for (int mode = 0; mode < 4; mode++) {
        general g;
        make_general(&g, mode / 2 != 0);
        options.full_keys = mode % 2 != 0;
        qkv_lab_sampler *sampler = make(&g.model, &options);
        run(sampler, COUNT);
        for (size_t s = 0; s < SCORES; s++) {
            double mean = 0.0;
            const double *q = g.queries + s / KEYS * WIDTH;
            for (size_t r = 0; r < WIDTH; r++) mean += g.means[s % KEYS * WIDTH + r] * q[r];
            double variance = score_covariance(&g, s % KEYS, q, q);
            qkv_lab_summary found = qkv_lab_sampler_summary(sampler, s);
            assert_true(fabs(found.mean - mean) <= 5.0 * sqrt(variance / COUNT));
            for (size_t t = 0; t < SCORES; t++) {
                const double *p = g.queries + t / KEYS * WIDTH;
                if (s % KEYS != t % KEYS && g.model.shared) continue;
                double right = s % KEYS == t % KEYS ? score_covariance(&g, s % KEYS, q, p) : 0.0;
                double other = score_covariance(&g, t % KEYS, p, p); /* Isserlis: below 2 v w */
                assert_true(fabs(qkv_lab_sampler_covariance(sampler, s, t) - right) <=
                            5.0 * sqrt(2.0 * variance * other / COUNT));
            }
        }
        qkv_lab_sampler_free(&sampler);
    }
}

/* The two modes agree on the output: mean and covariance, within what both sample sizes allow. */
static void test_modes_agree(void **state)
{
    enum { COUNT = 300000 };
    qkv_lab_options options = qkv_lab_options_default();
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        general g;
        make_general(&g, shared != 0);
        qkv_lab_sampler *scores = make(&g.model, &options);
        options.full_keys = true;
        qkv_lab_sampler *keys = make(&g.model, &options);
        options.full_keys = false;
        assert_int_equal(qkv_lab_sampler_normals(keys), shared ? WIDTH : KEYS * WIDTH);
        assert_true(qkv_lab_sampler_normals(scores) <= (shared ? WIDTH : SCORES));
        run(scores, COUNT);
        run(keys, COUNT);
        for (size_t j = 0; j < VALUES; j++) {
            qkv_lab_summary a = qkv_lab_sampler_summary(scores, j);
            qkv_lab_summary b = qkv_lab_sampler_summary(keys, j);
            assert_true(fabs(a.mean - b.mean) <= 5.0 * sqrt(2.0 * a.variance / COUNT));
            assert_true(a.low <= b.high && b.low <= a.high);
            assert_true(a.range_low <= a.least && a.greatest <= a.range_high);
            double range = a.range_high - a.range_low;
            for (size_t k = 0; k < VALUES; k++)
                assert_true(fabs(qkv_lab_sampler_covariance(scores, j, k) -
                                 qkv_lab_sampler_covariance(keys, j, k)) <=
                            5.0 * range * sqrt(a.variance * 2.0 / COUNT) * 2.0);
        }
        qkv_lab_sampler_free(&scores);
        qkv_lab_sampler_free(&keys);
    }
}

/* E |k|^2 = |mu|^2 + trace Sigma; the cosine with the mean is 1 without noise. */
static void test_key_quantities(void **state)
{
    qkv_lab_quantity quantities[] = {{.kind = QKV_LAB_KEY_NORM, .index = 0},
                                     {.kind = QKV_LAB_PRODUCT, .index = 0, .other = 0},
                                     {.kind = QKV_LAB_KEY_COSINE, .index = 1},
                                     {.kind = QKV_LAB_KEY_COSINE, .index = 0}};
    handout *one = make_handout(2, 50, 0.01, 1);
    qkv_lab_options options = qkv_lab_options_default();
    options.quantities = quantities;
    options.quantity_count = 4;
    options.full_keys = true;
    (void)state;
    one->noises[1] = (qkv_lab_noise){.alpha = 0.0};
    aim(one, 1.0);
    qkv_lab_sampler *sampler = make(&one->model, &options);
    run(sampler, 50000);
    qkv_lab_summary square = qkv_lab_sampler_summary(sampler, 1);
    assert_true(fabs(square.mean - (1.0 + 0.5 + 50 * 0.01)) < 5.0 * sqrt(square.variance / 50000));
    assert_true(qkv_lab_sampler_summary(sampler, 2).least == 1.0);
    qkv_lab_summary cosine = qkv_lab_sampler_summary(sampler, 3);
    assert_true(cosine.least < -0.5 && cosine.greatest <= 1.0 && cosine.mean > 0.4);
    qkv_lab_sampler_free(&sampler);
    free(one);
}

/* ---- Bits ------------------------------------------------------------------------------------ */

typedef struct outcome {
    double numbers[64];
    uint64_t counts[40];
} outcome;

static void record(qkv_lab_sampler *sampler, outcome *result)
{
    qkv_error error;
    size_t at = 0;
    memset(result, 0, sizeof *result);
    for (size_t q = 0; q < qkv_lab_sampler_quantities(sampler); q++) {
        qkv_lab_summary summary = qkv_lab_sampler_summary(sampler, q);
        const double found[] = {summary.mean,     summary.variance, summary.least,
                                summary.greatest, summary.low,      summary.high};
        for (size_t i = 0; i < 6; i++) result->numbers[at++] = found[i];
        result->numbers[at++] = qkv_lab_sampler_covariance(sampler, 0, q);
    }
    check_ok(qkv_lab_sampler_quantile(sampler, 0, 0.3, &result->numbers[at], &error), &error);
    check_ok(qkv_lab_sampler_histogram(sampler, 0, result->counts, &error), &error);
    result->counts[20] = qkv_lab_sampler_accepted(sampler);
    result->counts[21] = qkv_lab_sampler_event(sampler, 0);
}

static bool stop_soon(uint64_t done, uint64_t total, void *context)
{
    size_t *calls = context;
    assert_true(done <= total);
    return ++*calls < 2;
}

/* Statistics of 10,007 samples: in one run or in many, stopped and taken up again, on one thread or
 * on five, by any kernel; and single samples drawn from the middle. */
static void test_bits(void **state)
{
    enum { COUNT = 10007, DRAWN = 100 };
    static const double combination[] = {1, -1}, second[] = {0, 1, 0, 0}, target[] = {0.1, 0.2};
    const qkv_lab_inequality half = {second, QKV_LAB_GREATER_OR_EQUAL, 0.1};
    const qkv_lab_event event = {1, &half};
    qkv_lab_quantity quantities[] = {
        {.kind = QKV_LAB_OUTPUT, .index = 0, .bins = 9, .low = -1, .high = 1, .quantiles = true},
        {.kind = QKV_LAB_WEIGHT, .index = 1, .head = QKV_LAB_ALL_HEADS},
        {.kind = QKV_LAB_COMBINATION, .numbers = combination},
        {.kind = QKV_LAB_ERROR, .numbers = target}};
    static double rows[DRAWN * 4], others[DRAWN * 4];
    qkv_error error;
    (void)state;
    for (int mode = 0; mode < 8; mode++) {
        general g;
        outcome right, other;
        memset(&right, 0, sizeof right);
        make_general(&g, mode / 4 != 0);
        for (size_t k = 0; k < qkv_lab_kernel_count(); k++)
            for (int way = 0; way < 4; way++) {
                qkv_lab_options options = qkv_lab_options_default();
                size_t calls = 0;
                options.seed = 99;
                options.full_keys = mode % 2 != 0;
                options.given = mode / 2 % 2 ? &event : NULL;
                options.events = &event;
                options.event_count = 1;
                options.quantities = quantities;
                options.quantity_count = 4;
                options.kernel = qkv_lab_kernel_name(k);
                options.threads = way == 0 ? 1 : way == 3 ? 2 : 5;
                if (way == 3) {
                    options.progress = stop_soon;
                    options.context = &calls;
                }
                qkv_lab_sampler *sampler = make(&g.model, &options);
                for (uint64_t i = 0; way == 2 && i < 7; i++) run(sampler, 300 * i + 1);
                run(sampler, COUNT - qkv_lab_sampler_drawn(sampler));
                if (way == 3) assert_true(qkv_lab_sampler_drawn(sampler) < COUNT);
                /* How far it gets until it is stopped again is the clock's business. */
                while (qkv_lab_sampler_drawn(sampler) < COUNT)
                    run(sampler, COUNT - qkv_lab_sampler_drawn(sampler));
                assert_int_equal(qkv_lab_sampler_drawn(sampler), COUNT);
                record(sampler, k == 0 && way == 0 ? &right : &other);
                if (k + (size_t)way > 0) assert_memory_equal(&right, &other, sizeof right);
                double *drawn = k == 0 && way == 0 ? rows : others;
                if (way % 2 == 0)
                    check_ok(qkv_lab_sampler_draw(sampler, 5000, DRAWN, drawn, &error), &error);
                else /* one by one */
                    for (size_t i = 0; i < DRAWN; i++)
                        check_ok(qkv_lab_sampler_draw(sampler, 5000 + i, 1, drawn + 4 * i, &error),
                                 &error);
                if (k + (size_t)way > 0) assert_memory_equal(rows, others, sizeof rows);
                record(sampler, &other); /* drawing changed no statistics */
                assert_memory_equal(&right, &other, sizeof right);
                qkv_lab_sampler_free(&sampler);
            }
    }
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static void refuse(const qkv_lab_model *model, const qkv_lab_options *options, qkv_status expected,
                   const char *words)
{
    qkv_lab_sampler *sampler = NULL;
    qkv_error error;
    long live = qkv__memory_live();
    check_error(qkv_lab_sampler_create(model, options, &sampler, &error), expected, &error, words);
    assert_null(sampler);
    assert_int_equal(qkv__memory_live(), live);
}

static void test_semidefinite(void **state)
{
    general g;
    (void)state;
    make_general(&g, false);
    g.noises[0].alpha = -0.25;
    refuse(&g.model, NULL, QKV_ERROR_ARGUMENT,
           "key 1 is not positive semidefinite: it has the "
           "eigenvalue -0.25");
    make_general(&g, false);
    g.diagonal[3] = -2.0;
    refuse(&g.model, NULL, QKV_ERROR_ARGUMENT,
           "covariance of key 2 is not positive semidefinite: "
           "it has the eigenvalue -2");
    make_general(&g, false);
    for (size_t i = 0; i < WIDTH * WIDTH; i++) g.matrix[i] = i % (WIDTH + 1) == 0 ? 1.0 : 2.0;
    refuse(&g.model, NULL, QKV_ERROR_ARGUMENT,
           "covariance of key 3 is not positive semidefinite: "
           "it has the eigenvalue -1");
    make_general(&g, false);
    g.matrix[1] += 0.01;
    refuse(&g.model, NULL, QKV_ERROR_ARGUMENT, "key 3 is not symmetric: entry (2, 1) is ");
    make_general(&g, false); /* alpha + stretch |mu|^2 = 0 is allowed, less is not */
    g.means[0] = 2.0;
    g.means[1] = g.means[2] = g.means[3] = 0.0;
    g.noises[0] = (qkv_lab_noise){.alpha = 1.0, .stretch = -0.25};
    qkv_lab_sampler *sampler = make(&g.model, NULL);
    qkv_lab_sampler_free(&sampler);
    g.noises[0].stretch = -0.5;
    refuse(&g.model, NULL, QKV_ERROR_ARGUMENT, "it has the eigenvalue -1");
}

static void test_bad_models(void **state)
{
    general g;
    (void)state;
    make_general(&g, false);
    g.model.keys = 0;
    refuse(&g.model, NULL, QKV_ERROR_SHAPE, "model.keys is 0");
    make_general(&g, false);
    g.model.means = NULL;
    g.model.width = 2;
    refuse(&g.model, NULL, QKV_ERROR_SHAPE, "3 orthonormal means need at least as many dimensions");
    make_general(&g, false);
    g.means[5] = NAN;
    refuse(&g.model, NULL, QKV_ERROR_ARGUMENT, "mean 2 has the entry nan");
    make_general(&g, false);
    g.queries[4] = INFINITY;
    refuse(&g.model, NULL, QKV_ERROR_ARGUMENT, "query 2 has the entry inf");
    make_general(&g, false);
    g.values[1] = NAN;
    refuse(&g.model, NULL, QKV_ERROR_ARGUMENT, "value 1 has the entry nan");
    make_general(&g, false);
    g.diagonal[1] = NAN;
    refuse(&g.model, NULL, QKV_ERROR_ARGUMENT, "the diagonal covariance of key 2");
    make_general(&g, false);
    g.noises[1].entries = NULL;
    refuse(&g.model, NULL, QKV_ERROR_ARGUMENT, "the noise of key 2 has no entries");
    make_general(&g, false);
    g.noises[0].kind = (qkv_lab_noise_kind)9;
    refuse(&g.model, NULL, QKV_ERROR_ARGUMENT, "unknown kind 9");
    make_general(&g, false);
    g.model.coefficients = g.queries;
    refuse(&g.model, NULL, QKV_ERROR_ARGUMENT, "exactly one of");
    make_general(&g, false);
    g.queries[0] = 1e200;
    refuse(&g.model, NULL, QKV_ERROR_ARGUMENT, "the score of key 1 in head 1 is too large");
    make_general(&g, false);
    g.model.value_width = 0;
    refuse(&g.model, NULL, QKV_ERROR_SHAPE, "model.value_width is 0");
    make_general(&g, false);
    g.model.heads = SIZE_MAX / 2;
    refuse(&g.model, NULL, QKV_ERROR_SHAPE, "too many");
    g.model = (qkv_lab_model){.keys = 1};
    refuse(&g.model, NULL, QKV_ERROR_ARGUMENT, "qkv_lab_model_default()");
    refuse(NULL, NULL, QKV_ERROR_ARGUMENT, "model is NULL");
}

static void test_bad_options(void **state)
{
    static const double numbers[] = {NAN, 1.0};
    const qkv_lab_inequality bad = {numbers, QKV_LAB_LESS, 0.0};
    const qkv_lab_event event = {1, &bad};
    const struct {
        qkv_lab_quantity quantity;
        const char *words;
    } cases[] = {
        {{.kind = QKV_LAB_OUTPUT, .index = 2}, "quantity 0: output 2, expected less than 2"},
        {{.kind = QKV_LAB_WEIGHT, .head = 2}, "head 2, expected less than 2"},
        {{.kind = QKV_LAB_SCORE, .index = 3}, "key 3, expected less than 3"},
        {{.kind = QKV_LAB_SCORE, .head = QKV_LAB_ALL_HEADS}, "expected less than 2"},
        {{.kind = QKV_LAB_PRODUCT}, "factor 0, expected less than 0"},
        {{.kind = QKV_LAB_ERROR}, "numbers is NULL"},
        {{.kind = QKV_LAB_ERROR, .numbers = numbers}, "number 0 is nan"},
        {{.kind = QKV_LAB_KEY_NORM}, "set options.full_keys"},
        {{.kind = (qkv_lab_kind)77}, "unknown kind 77"},
        {{.bins = 3}, "a histogram from 0 to 0"},
    };
    general g;
    qkv_lab_options options = qkv_lab_options_default();
    (void)state;
    make_general(&g, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        options.quantities = &cases[i].quantity;
        options.quantity_count = 1;
        refuse(&g.model, &options, QKV_ERROR_ARGUMENT, cases[i].words);
    }
    options = qkv_lab_options_default();
    options.given = &event;
    refuse(&g.model, &options, QKV_ERROR_ARGUMENT, "the coefficient nan of quantity 0");
    options = qkv_lab_options_default();
    options.kernel = "abacus";
    refuse(&g.model, &options, QKV_ERROR_UNSUPPORTED, "'abacus'");
    options = qkv_lab_options_default();
    options.error = 1.0;
    refuse(&g.model, &options, QKV_ERROR_ARGUMENT, "options.error is 1");
    options = qkv_lab_options_default();
    options.threads = -1;
    refuse(&g.model, &options, QKV_ERROR_ARGUMENT, "options.threads is -1");
    options = (qkv_lab_options){.seed = 1};
    refuse(&g.model, &options, QKV_ERROR_ARGUMENT, "qkv_lab_options_default()");
}

/* Each allocation fails once; nothing is lost, and the last try succeeds. */
static void test_memory(void **state)
{
    qkv_lab_quantity quantity = {.bins = 4, .low = 0, .high = 1, .quantiles = true};
    qkv_lab_options options = qkv_lab_options_default();
    general g;
    (void)state;
    options.quantities = &quantity;
    options.quantity_count = 1;
    options.threads = 2;
    make_general(&g, true);
    long live = qkv__memory_live(), failures = 0;
    for (;; failures++) {
        qkv_lab_sampler *sampler = NULL;
        qkv_error error;
        qkv__memory_fail_after(failures);
        qkv_status status = qkv_lab_sampler_create(&g.model, &options, &sampler, &error);
        qkv__memory_fail_after(-1);
        bool made = status == QKV_OK;
        if (!made) check_error(status, QKV_ERROR_MEMORY, &error, "out of memory: ");
        qkv_lab_sampler_free(&sampler);
        assert_int_equal(qkv__memory_live(), live);
        if (made) break;
    }
    assert_true(failures > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_head),  cmocka_unit_test(test_two_heads),
        cmocka_unit_test(test_immune_query), cmocka_unit_test(test_small_noise),
        cmocka_unit_test(test_relations),    cmocka_unit_test(test_score_law),
        cmocka_unit_test(test_modes_agree),  cmocka_unit_test(test_key_quantities),
        cmocka_unit_test(test_bits),         cmocka_unit_test(test_semidefinite),
        cmocka_unit_test(test_bad_models),   cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("sample", tests, NULL, NULL);
}
