/*
 * Statistics against plain computations on the same samples, and confidence sequences against their
 * promise: an interval that is looked at many times must not ever miss more often than its error.
 * Coverage is judged by 10,000 seeded repeats; a rate of exactly the nominal error would exceed the
 * limit used, five standard deviations more, with probability 3e-7.
 */
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

#include <qkv/lab.h>

#include "support/cases.h"
#include "support/random.h"

/* ---- Against plain computations -------------------------------------------------------------- */

enum { COUNT = 5003, QUANTITIES = 3, BINS = 10 };

typedef struct fixture {
    qkv_lab_sampler *sampler;
    double rows[COUNT * QUANTITIES];
    bool accepted[COUNT];
    size_t count; /* accepted ones */
} fixture;

static bool in_given(const double *row)
{
    return row[0] - 0.5 * row[2] <= 0.8 && row[1] > 0.0;
}

/* Two keys with noise, one head: both weights, scaled, and a score of either sign. */
static fixture *make_fixture(bool conditional)
{
    static const double scaled[] = {1, 0, -0.5}, second[] = {0, 1, 0}, weights[] = {3, 0};
    static const qkv_lab_inequality both[] = {{scaled, QKV_LAB_LESS_OR_EQUAL, 0.8},
                                              {second, QKV_LAB_GREATER, 0.0}};
    static const qkv_lab_event given = {2, both}, events[] = {{1, &both[0]}, {0, NULL}};
    static const double queries[] = {2, 1};
    const qkv_lab_quantity quantities[QUANTITIES] = {
        {.kind = QKV_LAB_WEIGHT, .bins = BINS, .low = 0.1, .high = 0.9, .quantiles = true},
        {.kind = QKV_LAB_SCORE, .index = 1, .bins = 7, .low = -1, .high = 2, .quantiles = true},
        {.kind = QKV_LAB_COMBINATION, .numbers = weights}};
    qkv_lab_model model = qkv_lab_model_default();
    qkv_lab_options options = qkv_lab_options_default();
    fixture *made = calloc(1, sizeof *made);
    qkv_error error;
    assert_non_null(made);
    model.keys = 2;
    model.noise.alpha = 0.5;
    model.coefficients = queries;
    options.quantities = quantities;
    options.quantity_count = QUANTITIES;
    options.events = events;
    options.event_count = 2;
    if (conditional) options.given = &given;
    check_ok(qkv_lab_sampler_create(&model, &options, &made->sampler, &error), &error);
    check_ok(qkv_lab_sampler_run(made->sampler, COUNT, &error), &error);
    check_ok(qkv_lab_sampler_draw(made->sampler, 0, COUNT, made->rows, &error), &error);
    for (size_t i = 0; i < COUNT; i++) {
        made->accepted[i] = !conditional || in_given(made->rows + i * QUANTITIES);
        made->count += made->accepted[i];
    }
    assert_int_equal(qkv_lab_sampler_drawn(made->sampler), COUNT);
    assert_int_equal(qkv_lab_sampler_accepted(made->sampler), made->count);
    assert_true(made->count > COUNT / 4 && (made->count == COUNT) == !conditional);
    return made;
}

static void free_fixture(fixture *f)
{
    qkv_lab_sampler_free(&f->sampler);
    free(f);
}

static long double mean_of(const fixture *f, size_t q)
{
    long double sum = 0.0L;
    for (size_t i = 0; i < COUNT; i++)
        if (f->accepted[i]) sum += f->rows[i * QUANTITIES + q];
    return sum / (long double)f->count;
}

static void test_moments(void **state)
{
    (void)state;
    for (int conditional = 0; conditional < 2; conditional++) {
        fixture *f = make_fixture(conditional != 0);
        size_t below = 0;
        for (size_t q = 0; q < QUANTITIES; q++) {
            qkv_lab_summary found = qkv_lab_sampler_summary(f->sampler, q);
            double least = INFINITY, greatest = -INFINITY;
            for (size_t i = 0; i < COUNT; i++) {
                if (!f->accepted[i]) continue;
                least = fmin(least, f->rows[i * QUANTITIES + q]);
                greatest = fmax(greatest, f->rows[i * QUANTITIES + q]);
            }
            assert_true(found.least == least && found.greatest == greatest);
            /* 5,003 additions of numbers under 10, each rounded by 2^-53 of the sum */
            assert_true(fabsl(found.mean - mean_of(f, q)) < 1e-12L);
            assert_int_equal(found.count, f->count);
            for (size_t p = 0; p < QUANTITIES; p++) {
                long double sum = 0.0L, x = mean_of(f, q), y = mean_of(f, p);
                for (size_t i = 0; i < COUNT; i++)
                    if (f->accepted[i])
                        sum +=
                            (f->rows[i * QUANTITIES + q] - x) * (f->rows[i * QUANTITIES + p] - y);
                sum /= (long double)(f->count - 1);
                assert_true(fabsl(qkv_lab_sampler_covariance(f->sampler, q, p) - sum) < 1e-11L);
            }
        }
        for (size_t i = 0; i < COUNT; i++)
            below += f->accepted[i] &&
                     f->rows[i * QUANTITIES] - 0.5 * f->rows[i * QUANTITIES + 2] <= 0.8;
        assert_int_equal(qkv_lab_sampler_event(f->sampler, 0), below);
        assert_int_equal(qkv_lab_sampler_event(f->sampler, 1), f->count);
        assert_int_equal(qkv_lab_sampler_event(f->sampler, 2), 0);
        assert_true(isnan(qkv_lab_sampler_covariance(f->sampler, 0, QUANTITIES)));
        free_fixture(f);
    }
}

static void test_histogram(void **state)
{
    fixture *f = make_fixture(true);
    uint64_t counts[BINS + 2], right[BINS + 2] = {0}, sum = 0;
    qkv_error error;
    (void)state;
    check_ok(qkv_lab_sampler_histogram(f->sampler, 0, counts, &error), &error);
    for (size_t i = 0; i < COUNT; i++) {
        double x = f->rows[i * QUANTITIES];
        size_t bin = 0;
        if (!f->accepted[i]) continue;
        while (bin <= BINS && x >= 0.1 + 0.08 * (double)bin - 1e-15) bin++;
        right[bin]++;
    }
    for (size_t b = 0; b < BINS + 2; b++) sum += counts[b];
    assert_memory_equal(counts, right, sizeof counts);
    assert_int_equal(sum, f->count);
    check_error(qkv_lab_sampler_histogram(f->sampler, 2, counts, &error), QKV_ERROR_ARGUMENT,
                &error, "quantity 2 has no histogram");
    free_fixture(f);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The sample of that rank, within a relative error of 2^-10. */
static void test_quantiles(void **state)
{
    static const double levels[] = {0.0, 1e-4, 0.01, 0.25, 0.5, 0.777, 0.99, 1.0};
    fixture *f = make_fixture(true);
    double *sorted = malloc(f->count * sizeof *sorted), value;
    qkv_error error;
    (void)state;
    assert_non_null(sorted);
    for (size_t q = 0; q < 2; q++) {
        size_t filled = 0;
        for (size_t i = 0; i < COUNT; i++)
            if (f->accepted[i]) sorted[filled++] = f->rows[i * QUANTITIES + q];
        qsort(sorted, filled, sizeof *sorted, compare);
        for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
            double rank = fmax(1.0, ceil(levels[l] * (double)filled));
            double right = sorted[(size_t)rank - 1];
            check_ok(qkv_lab_sampler_quantile(f->sampler, q, levels[l], &value, &error), &error);
            assert_true(fabs(value - right) <= 0x1p-10 * fabs(right) + 0x1p-40);
        }
    }
    check_error(qkv_lab_sampler_quantile(f->sampler, 2, 0.5, &value, &error), QKV_ERROR_ARGUMENT,
                &error, "no quantiles were kept of quantity 2");
    check_error(qkv_lab_sampler_quantile(f->sampler, 0, NAN, &value, &error), QKV_ERROR_ARGUMENT,
                &error, "the level is nan");
    free(sorted);
    free_fixture(f);
}

static void test_nothing_drawn(void **state)
{
    static const double queries[] = {1, 0};
    qkv_lab_model model = qkv_lab_model_default();
    qkv_lab_sampler *sampler = NULL;
    qkv_error error;
    (void)state;
    model.keys = 2;
    model.coefficients = queries;
    check_ok(qkv_lab_sampler_create(&model, NULL, &sampler, &error), &error);
    check_ok(qkv_lab_sampler_run(sampler, 0, &error), &error);
    qkv_lab_summary none = qkv_lab_sampler_summary(sampler, 0);
    assert_true(none.count == 0 && isnan(none.mean) && isnan(none.variance) && isnan(none.least));
    assert_true(none.low == 0.0 && none.high == 1.0);
    check_ok(qkv_lab_sampler_run(sampler, 1, &error), &error);
    none = qkv_lab_sampler_summary(sampler, 0);
    assert_true(none.count == 1 && none.mean == none.least && isnan(none.variance));
    assert_true(isnan(qkv_lab_sampler_summary(sampler, 2).mean));
    check_error(qkv_lab_sampler_run(sampler, UINT64_MAX, &error), QKV_ERROR_ARGUMENT, &error,
                "more than can be told apart");
    qkv_lab_sampler_free(&sampler);
    qkv_lab_sampler_free(&sampler);
}

/* ---- Probabilities ----------------------------------------------------------------------------
 */

/* ln M_t(p) of sequence.c, straight from its definition. */
static long double log_martingale(long double p, uint64_t successes, uint64_t trials)
{
    long double s = (long double)successes, f = (long double)(trials - successes);
    long double sum = lgammal(s + 0.5L) + lgammal(f + 0.5L) - lgammal(s + f + 1.0L) -
                      1.14472988584940017414342735135L;
    if (successes > 0) sum -= s * logl(p);
    if (successes < trials) sum -= f * log1pl(-p);
    return sum;
}

static void test_probability_interval(void **state)
{
    static const uint64_t cases[][2] = {{0, 1},      {1, 1},          {3, 10},          {0, 1000},
                                        {999, 1000}, {5, 2000},       {400, 5000},      {500, 1000},
                                        {8, 100000}, {99990, 100000}, {314159, 1000000}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint64_t s = cases[c][0], t = cases[c][1];
        qkv_lab_interval found = qkv_lab_probability_interval(s, t, 1e-6);
        double share = (double)s / (double)t, level = log(1e6);
        assert_true(0.0 <= found.low && found.low <= share && share <= found.high &&
                    found.high <= 1.0);
        /* At the ends the martingale reaches 1/error, up to the room for rounding, and to that of
         * p next to 1. */
        double near_one = 1e-7 + (double)(t - s) * 0x1p-52 / (1.0 - found.high);
        if (s > 0) assert_true(fabsl(log_martingale(found.low, s, t) - level) < 1e-7L);
        if (s < t) assert_true(fabsl(log_martingale(found.high, s, t) - level) < near_one);
        if (s == 0) assert_true(found.low == 0.0);
        if (s == t) assert_true(found.high == 1.0);
        qkv_lab_interval mirrored = qkv_lab_probability_interval(t - s, t, 1e-6);
        assert_true(fabs(mirrored.low - (1.0 - found.high)) < 1e-9);
    }
    qkv_lab_interval huge =
        qkv_lab_probability_interval(UINT64_C(1) << 39, UINT64_C(1) << 40, 1e-6);
    assert_true(huge.low < 0.5 && 0.5 < huge.high && huge.high - huge.low < 1e-5);
    assert_true(qkv_lab_probability_interval(0, 0, 0.05).high == 1.0);
    assert_true(isnan(qkv_lab_probability_interval(2, 1, 0.05).low));
    assert_true(isnan(qkv_lab_probability_interval(1, 1, 0.0).low));
}

/* ---- Coverage under optional stopping ---------------------------------------------------------
 */

enum { REPEATS = 10000, LENGTH = 1000 };
#define NOMINAL 0.05

/* Five standard deviations above what is expected of so many repeats. */
static double misses_at_most(size_t repeats)
{
    return (double)repeats * NOMINAL + 5.0 * sqrt((double)repeats * NOMINAL * (1.0 - NOMINAL));
}

/* Looks after every trial up to 20, then ever more rarely; whoever looks stops when the truth is
 * out. Also how often a textbook's 95 % interval would have excluded the truth at some look. */
static void cover_probability(double p, uint64_t seed, size_t *misses, size_t *textbook)
{
    random_source source = {.state = seed};
    *misses = *textbook = 0;
    for (size_t r = 0; r < cases_of(REPEATS); r++) {
        bool missed = false, naive = false;
        uint64_t successes = 0, look = 1;
        for (uint64_t t = 1; t <= LENGTH; t++) {
            successes += random_uniform(&source) < p;
            if (t < look) continue;
            look = t < 20 ? t + 1 : t + t / 8;
            qkv_lab_interval found = qkv_lab_probability_interval(successes, t, NOMINAL);
            missed |= p < found.low || p > found.high;
            double share = (double)successes / (double)t;
            naive |= t >= 20 && fabs(share - p) > 1.96 * sqrt(p * (1.0 - p) / (double)t);
        }
        *misses += missed;
        *textbook += naive;
    }
}

static void test_coverage_of_probabilities(void **state)
{
    static const double truths[] = {0.5, 0.02};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        size_t misses, textbook;
        cover_probability(truths[i], 100 + i, &misses, &textbook);
        assert_true((double)misses <= misses_at_most(cases_of(REPEATS)));
        assert_true(misses > 0); /* it is not wide for nothing */
        if (i == 0) assert_true((double)textbook > 3.0 * NOMINAL * (double)cases_of(REPEATS));
    }
}

/* Numbers in [-1, 3] with a known mean. */
static double skewed(random_source *source, int kind, double *mean)
{
    double u = random_uniform(source);
    static const double means[] = {0.0, 1.0, 2.6};
    *mean = means[kind];
    if (kind == 0) return 4.0 * u * u * u - 1.0; /* mean 4/4 - 1 */
    if (kind == 1) return u < 0.5 ? -1.0 : 3.0;  /* as wide as can be */
    return u < 0.1 ? -1.0 : 3.0;                 /* 3 - 0.4 */
}

static void test_coverage_of_means(void **state)
{
    static const size_t batches[] = {1, 7, 100};
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        random_source source = {.state = 200 + (uint64_t)kind};
        size_t misses = 0, size = batches[kind];
        double mean = 0.0, width = 0.0;
        for (size_t r = 0; r < cases_of(REPEATS); r++) {
            qkv_lab_sequence sequence = qkv_lab_sequence_start(-1.0, 3.0, NOMINAL);
            bool missed = false;
            for (size_t done = 0; done < LENGTH; done += size) {
                double batch[100], sum = 0.0, spread = 0.0;
                for (size_t i = 0; i < size; i++) sum += batch[i] = skewed(&source, kind, &mean);
                sum /= (double)size;
                for (size_t i = 0; i < size; i++) spread += (batch[i] - sum) * (batch[i] - sum);
                qkv_lab_sequence_add(&sequence, size, sum, spread);
                if (size > 1 || done % 25 == 0) {
                    qkv_lab_interval found = qkv_lab_sequence_interval(&sequence);
                    missed |= mean < found.low || mean > found.high;
                    width = found.high - found.low;
                }
            }
            misses += missed;
        }
        assert_true((double)misses <= misses_at_most(cases_of(REPEATS)));
        assert_true(width < 0.13 * 4.0); /* 4.1 standard errors of the widest to either side */
    }
}

/* The interval narrows with the numbers' spread, not with their range; bounds that are not known
 * give no news, and those that make no sense none at all. */
static void test_sequence(void **state)
{
    qkv_lab_sequence narrow = qkv_lab_sequence_start(0.0, 1.0, 1e-6);
    qkv_lab_sequence wide = narrow, none = qkv_lab_sequence_start(-INFINITY, INFINITY, 1e-6);
    (void)state;
    assert_true(qkv_lab_sequence_interval(&narrow).low == 0.0);
    assert_true(qkv_lab_sequence_interval(&narrow).high == 1.0);
    for (int batch = 0; batch < 1000; batch++) {
        qkv_lab_sequence_add(&narrow, 1000, 0.3, 1000 * 1e-4);
        qkv_lab_sequence_add(&wide, 1000, 0.3, 1000 * 0.21);
        qkv_lab_sequence_add(&none, 1000, 0.3, 1.0);
    }
    qkv_lab_interval a = qkv_lab_sequence_interval(&narrow), b = qkv_lab_sequence_interval(&wide);
    assert_true(b.low < a.low && a.low < 0.3 && 0.3 < a.high && a.high < b.high);
    /* A million numbers with sd 0.458: ten standard errors to either side; with sd 0.01 bets are
     * limited, but still a tenth. */
    assert_true(b.high - b.low < 2.0 * 10.0 * 0.458e-3);
    assert_true(a.high - a.low < 0.1 * (b.high - b.low));
    assert_true(isinf(qkv_lab_sequence_interval(&none).low));
    assert_true(fabs(wide.mean - 0.3) < 1e-12);
    qkv_lab_sequence wrong = qkv_lab_sequence_start(1.0, 0.0, 0.05);
    qkv_lab_sequence_add(&wrong, 5, 0.5, 0.1);
    assert_true(isnan(qkv_lab_sequence_interval(&wrong).low));
    wrong = qkv_lab_sequence_start(0.0, 1.0, 2.0);
    assert_true(isnan(qkv_lab_sequence_interval(&wrong).low));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_nothing_drawn),
        cmocka_unit_test(test_probability_interval),
        cmocka_unit_test(test_coverage_of_probabilities),
        cmocka_unit_test(test_coverage_of_means),
        cmocka_unit_test(test_sequence),
    };
    return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
