/*
 * Sampling documents. Intervals hold the exact law where there is one, and integrals that are
 * computed here by another method where there is none; nothing depends on threads; what is drawn
 * is what was tabulated; failures say what is wrong; running out of memory does no harm.
 */
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/qkv.h>

#include "base/memory.h"

#define HEAD                                                                                       \
    "given   n >= 2, alpha > 0, beta > 0\n"                                                        \
    "means   mu[1..n] orthonormal, dimension d\n"                                                  \
    "values  v[1..n] orthonormal\n"                                                                \
    "pick    a, b distinct in 1..n\n"                                                              \
    "keys    k[i] ~ normal(mu[i], alpha*I)\n"

static const char *const document =
    "problem \"uncertain length\"\n" HEAD
    "keys    k[a] ~ normal(mu[a], alpha*I + 1/2*mu[a]*mu[a]')\n"
    "single  = attend(beta*(mu[a] + mu[b]), k, v)\n"
    "two     = mean(attend(beta*mu[a], k, v), attend(beta*mu[b], k, v))\n"
    "at n = 10, beta = 10, alpha = 0.01:\n"
    "    claim: P(two.head[1].weight[a] < 0.99) <= 0.1\n"
    "    claim: P(single.weight[a] > 0.9 given k[a].mu[a] > 0) <= 0.1\n";

static qkv_samples *sample(const char *text, const char *at, uint64_t count, int threads)
{
    qkv_samples *samples = NULL;
    qkv_error error;
    qkv_sample_options options = qkv_sample_options_default();
    options.at = at;
    options.samples = count;
    options.threads = threads;
    check_ok(qkv_sample("test.qkv", text, strlen(text), &options, &samples, &error), &error);
    return samples;
}

static const qkv_sample_row *find_row(const qkv_samples *samples, const char *result,
                                      const char *quantity)
{
    for (size_t i = 0; i < qkv_samples_row_count(samples); i++) {
        const qkv_sample_row *row = qkv_samples_row(samples, i);
        if (strcmp(row->result, result) == 0 && strcmp(row->quantity, quantity) == 0) return row;
    }
    fail_msg("no row %s %s", result, quantity);
    return NULL;
}

static void check_inside(double x, const qkv_sample_number *number, double width)
{
    if (!(number->low <= x && x <= number->high))
        fail_msg("%.9g is not from %.9g to %.9g", x, number->low, number->high);
    if (!(number->high - number->low <= width))
        fail_msg("from %.9g to %.9g is wider than %g", number->low, number->high, width);
}

/* ---- The exact law -------------------------------------------------------------------------- */

static void exact_law_is_inside(void **state)
{
    (void)state;
    static const char *const at[] = {"n = 10, beta = 10, alpha = 0", "n = 3, beta = 2, alpha = 0",
                                     "n = 10, beta = 100, alpha = 1e-14"};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        qkv_samples *samples = sample(document, at[i], 200000, 0);
        assert_int_equal(qkv_samples_drawn(samples), 200000);
        assert_int_equal(qkv_samples_row_count(samples), 8);
        assert_string_equal(qkv_samples_exact_at(samples), "alpha = 0");
        size_t exact = 0;
        for (size_t r = 0; r < qkv_samples_row_count(samples); r++) {
            const qkv_sample_row *row = qkv_samples_row(samples, r);
            const qkv_sample_number *numbers[] = {&row->mean, &row->variance};
            for (int k = 0; k < (row->is_event ? 1 : 2); k++) {
                if (!numbers[k]->has_exact) continue;
                exact++;
                check_inside(0.5 * (numbers[k]->exact_low + numbers[k]->exact_high), numbers[k],
                             0.03);
            }
        }
        assert_true(exact >= 12);
        qkv_samples_free(&samples);
    }
}

/* ---- Other integrals ------------------------------------------------------------------------ */

/* Moments of 1/(1 + e^-x), x normal with mean m and variance s^2, by Simpson's rule. */
static void logistic_moments(double m, double s, double *mean, double *variance)
{
    enum { STEPS = 4000 };
    double first = 0.0, second = 0.0, h = 20.0 / STEPS;
    for (int i = 0; i <= STEPS; i++) {
        double z = -10.0 + h * i, factor = i == 0 || i == STEPS ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
        double density = factor * h / 3.0 * exp(-0.5 * z * z) / sqrt(2.0 * acos(-1.0));
        double weight = 1.0 / (1.0 + exp(-(m + s * z)));
        first += density * weight;
        second += density * weight * weight;
    }
    *mean = first;
    *variance = second - first * first;
}

/* Of two keys the first one's weight is the logistic function of the difference of scores, which is
 * normal: its variance is what both keys' covariances make of the query. */
static void two_keys_are_logistic(void **state)
{
    (void)state;
    static const struct {
        const char *declarations, *at;
        double mean, deviation;
    } cases[] = {
        {HEAD "c = attend(beta*(mu[a] + mu[b]), k, v)\n", "n = 2, beta = 3, alpha = 0.04", 0.0,
         3.0 * 0.4},
        {HEAD "c = attend(beta*mu[a], k, v)\n", "n = 2, beta = 3, alpha = 0.04, d = 50", 3.0,
         3.0 * 0.2 * 1.4142135623730951},
        {HEAD "c = attend(beta*(mu[a] - mu[b]), k, v, scale = 1/2)\n",
         "n = 2, beta = 2, alpha = 0.09", 2.0, 0.6},
        {HEAD "keys k[a] ~ normal(mu[a], alpha*I + 2*(mu[a] + mu[b])*(mu[a] + mu[b])')\n"
              "c = attend(beta*mu[b], k, v)\n",
         "n = 2, beta = 1, alpha = 0.5", -1.0, 1.7320508075688772},
        {"given n >= 2, alpha > 0, beta > 0\nmeans mu[1..n] orthogonal, norm 2\nvalues v[1..n]\n"
         "pick a, b distinct in 1..n\nkeys k[i] ~ normal(mu[i], alpha*I)\n"
         "c = attend(beta*mu[a], k, v)\n",
         "n = 2, beta = 1/2, alpha = 1/4", 2.0, 0.70710678118654752},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double mean, variance;
        qkv_samples *samples = sample(cases[i].declarations, cases[i].at, 300000, 0);
        const qkv_sample_row *row = find_row(samples, "c", "weight[a]");
        logistic_moments(cases[i].mean, cases[i].deviation, &mean, &variance);
        check_inside(mean, &row->mean, 0.012);
        check_inside(variance, &row->variance, 0.012);
        const qkv_sample_row *other = find_row(samples, "c", "weight[b]");
        check_inside(1.0 - mean, &other->mean, 0.012);
        qkv_samples_free(&samples);
    }
}

/* ---- Bits ----------------------------------------------------------------------------------- */

static void threads_change_nothing(void **state)
{
    (void)state;
    qkv_samples *one = sample(document, NULL, 50001, 1);
    for (int threads = 2; threads <= 5; threads++) {
        qkv_samples *many = sample(document, NULL, 50001, threads);
        for (size_t i = 0; i < qkv_samples_row_count(one); i++) {
            const qkv_sample_row *x = qkv_samples_row(one, i), *y = qkv_samples_row(many, i);
            assert_memory_equal(&x->mean.value, &y->mean.value, 3 * sizeof(double));
            if (!x->is_event)
                assert_memory_equal(&x->variance.value, &y->variance.value, 3 * sizeof(double));
        }
        qkv_samples_free(&many);
    }
    qkv_samples_free(&one);
}

/* The samples themselves have the means that were tabulated. */
static void draws_are_what_was_tabulated(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    qkv_samples *samples = sample(document, NULL, COUNT, 1);
    size_t rows = qkv_samples_row_count(samples);
    double *numbers = malloc(COUNT * rows * sizeof *numbers);
    qkv_error error;
    assert_non_null(numbers);
    check_ok(qkv_samples_draw(samples, 0, COUNT, numbers, &error), &error);
    for (size_t r = 0; r < rows; r++) {
        double sum = 0.0, count = 0.0;
        for (size_t i = 0; i < COUNT; i++) {
            double x = numbers[i * rows + r];
            if (isnan(x)) continue;
            sum += x;
            count += 1.0;
        }
        assert_true(fabs(sum / count - qkv_samples_row(samples, r)->mean.value) < 1e-12);
    }
    for (size_t i = 0; i < COUNT; i++) /* two: weights of a, b and the others sum to 1 */
        assert_true(fabs(numbers[i * rows + 3] + numbers[i * rows + 4] + numbers[i * rows + 5] -
                         1.0) < 1e-12);
    double again;
    double *row = malloc(rows * sizeof *row);
    assert_non_null(row);
    check_ok(qkv_samples_draw(samples, 1234, 1, row, &error), &error);
    again = row[0];
    assert_true(again == numbers[1234 * rows]);
    free(row);
    free(numbers);
    qkv_samples_free(&samples);
}

static bool stop_soon(uint64_t done, uint64_t total, void *context)
{
    (void)total;
    return done < *(const uint64_t *)context;
}

static void progress_stops(void **state)
{
    (void)state;
    uint64_t enough = 30000;
    qkv_samples *samples = NULL;
    qkv_error error;
    qkv_sample_options options = qkv_sample_options_default();
    options.progress = stop_soon;
    options.context = &enough;
    check_ok(qkv_sample("test.qkv", document, strlen(document), &options, &samples, &error),
             &error);
    assert_true(qkv_samples_drawn(samples) >= enough && qkv_samples_drawn(samples) < 100000);
    qkv_samples_free(&samples);
}

/* ---- Verdicts ------------------------------------------------------------------------------- */

/* Claims on either side of the truth, a margin away from it, come out on their side; what is the
 * truth itself is never refuted. */
static void verdicts_are_true(void **state)
{
    (void)state;
    static const struct {
        double beta, alpha;
    } cases[] = {{2, 0.09}, {3, 0.01}, {20, 0.04}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double mean, variance, beta = cases[i].beta, alpha = cases[i].alpha;
        char text[2048];
        logistic_moments(0.0, 2.0 * beta * sqrt(alpha), &mean, &variance);
        snprintf(text, sizeof text,
                 HEAD "c = attend(beta*(mu[a] + mu[b]), k, v)\n"
                      "at n = 2, beta = %g, alpha = %g:\n"
                      "    claim: Var(c.weight[a]) < %.6f\n"
                      "    claim: Var(c.weight[a]) < %.6f\n"
                      "    claim: Var(c.weight[a]) > %.6f\n"
                      "    claim: Var(c.weight[a]) > %.6f\n"
                      "    claim: Var(c.weight[a]) = %.6f within 0.01\n"
                      "    claim: Var(c.weight[a]) = %.6f within 0.001\n"
                      "    claim: Var(c.weight[a]) <= %.9f\n",
                 beta, alpha, variance + 0.02, variance - 0.02, variance - 0.02, variance + 0.02,
                 variance, variance + 0.01, variance);
        static const qkv_verdict expected[] = {QKV_SUPPORTED, QKV_REFUTED,   QKV_SUPPORTED,
                                               QKV_REFUTED,   QKV_SUPPORTED, QKV_REFUTED};
        qkv_report *report = NULL;
        qkv_error error;
        check_ok(qkv_check("test.qkv", text, strlen(text), &report, &error), &error);
        assert_int_equal(qkv_report_claim_count(report), 7);
        for (size_t k = 0; k < 7; k++) {
            const qkv_claim *claim = qkv_report_claim(report, k);
            if (k < 6) {
                if (claim->verdict != expected[k])
                    fail_msg("%s: %s, %s", claim->claim, qkv_verdict_name(claim->verdict),
                             claim->found);
                assert_string_equal(claim->engine, "sample");
            } else {
                assert_int_equal(claim->verdict, QKV_UNDECIDED);
            }
        }
        qkv_report_free(&report);
    }
}

/* ---- Failures ------------------------------------------------------------------------------- */

static void failures_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *text, *at, *problem, *words;
    } cases[] = {
        {"given n >= 3\nkeys k[1..n] orthonormal\n", "n = 3", NULL, "no keys are random"},
        {document, "n = 10, alpha = 0.1", NULL, "needs a number for beta"},
        {document, "n = 10, beta = 1, alpha = 0.1, d = 4", NULL, "4 dimensions"},
        {document, "n = 1, beta = 1, alpha = 0.1", NULL, "contradicts"},
        {document, "n = 10, beta = 1, alpha = -1", NULL, "contradicts"},
        {document, "n = 100000, beta = 1, alpha = 1", NULL, "from 1 to 1024"},
        {document, "n = 10,", NULL, "at: "},
        {document, "n", NULL, "at: "},
        {document, NULL, "another", "no problem \"another\""},
        {HEAD, "n = 3", NULL, "needs a number for alpha"},
        {HEAD, "n = 3, alpha = 1", NULL, "no result over random keys"},
        {"keys k[i] ~ normal(mu[i], I)\n", NULL, NULL, "line 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        qkv_samples *samples = NULL;
        qkv_error error;
        qkv_sample_options options = qkv_sample_options_default();
        options.at = cases[i].at;
        options.problem = cases[i].problem;
        options.samples = 1000;
        check_error(qkv_sample("test.qkv", cases[i].text, strlen(cases[i].text), &options, &samples,
                               &error),
                    QKV_ERROR_ARGUMENT, &error, cases[i].words);
        assert_null(samples);
    }
}

static void memory_may_run_out(void **state)
{
    (void)state;
    long live = qkv__memory_live();
    qkv_status status = QKV_ERROR_MEMORY;
    size_t failures = 0;
    static const char text[] = HEAD "c = attend(mu[a] + mu[b], k, v)\n"
                                    "claim: P(c.weight[a] > 1/2) > 0\n";
    qkv_sample_options options = qkv_sample_options_default();
    options.samples = 100;
    options.threads = 1;
    options.at = "n = 3, alpha = 1";
    for (long countdown = 0; countdown < 100000; countdown += 1 + countdown / 20) {
        qkv_samples *samples = NULL;
        qkv_error error;
        qkv__memory_fail_after(countdown);
        status = qkv_sample("test.qkv", text, strlen(text), &options, &samples, &error);
        qkv__memory_fail_after(-1);
        if (status != QKV_OK) failures++;
        qkv_samples_free(&samples);
        assert_int_equal(qkv__memory_live(), live);
    }
    assert_int_equal(status, QKV_OK);
    assert_true(failures > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_law_is_inside),    cmocka_unit_test(two_keys_are_logistic),
        cmocka_unit_test(threads_change_nothing), cmocka_unit_test(draws_are_what_was_tabulated),
        cmocka_unit_test(progress_stops),         cmocka_unit_test(verdicts_are_true),
        cmocka_unit_test(failures_are_told),      cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
