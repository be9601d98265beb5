/*
 * Laws of weights and designs in double precision: held against plain sums in long double, against
 * identities and proved bounds, against a softmax written out key by key, and against numbers found
 * elsewhere. Random cases are seeded.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/random.h"

#include <qkv/law.h>

static const double stated_error = 1e-12; /* of qkv/law.h */

static void check_near(double found, long double expected, double tolerance, const char *what)
{
    if (!(fabsl(found - expected) <= tolerance))
        fail_msg("%s: %.17g instead of %.17Lg", what, found, expected);
}

static double random_between(random_source *source, double low, double high)
{
    return low + (high - low) * random_uniform(source);
}

/* From low to high, evenly in the logarithm. */
static double random_scale(random_source *source, double low, double high)
{
    return exp(random_between(source, log(low), log(high)));
}

/* ---- Logit-normal --------------------------------------------------------------------------- */

static long double sigmoid(long double x)
{
    return 1 / (1 + expl(-x));
}

/* E a^k by the trapezoidal rule with a step far below the width of the sigmoid. */
static long double moment(qkv_logit_normal law, int k)
{
    long double sum = 0, h = fminl(0.1L, 0.5L / law.scale);
    int count = (int)(12 / h);
    for (int i = -count; i <= count; i++) {
        long double x = h * i;
        sum += expl(-x * x / 2) * powl(sigmoid(law.location + law.scale * x), k);
    }
    return sum * h / sqrtl(2 * acosl(-1.0L));
}

static void moments_agree_with_plain_sums(void **state)
{
    (void)state;
    random_source source = {21};
    for (int i = 0; i < 300; i++) {
        qkv_logit_normal law = {random_between(&source, -30, 30), random_scale(&source, 1e-3, 200)};
        long double mean = moment(law, 1);
        check_near(qkv_logit_normal_mean(law), mean, stated_error, "mean");
        check_near(qkv_logit_normal_variance(law), moment(law, 2) - mean * mean, stated_error,
                   "variance");
    }
}

/* 2 E a - 1 = E (2a - 1)^2 when location = scale^2/2: the density tilted by e^(x/2) is even. */
static void the_tilted_identity(void **state)
{
    (void)state;
    for (double s = 0.05; s < 60; s *= 1.07) {
        qkv_logit_normal law = {s * s / 2, s};
        double mean = qkv_logit_normal_mean(law), variance = qkv_logit_normal_variance(law);
        double square = 4 * variance + (2 * mean - 1) * (2 * mean - 1);
        check_near(2 * mean - 1, square, 4 * stated_error, "2 E a - 1");
    }
    /* Two heads: n = 2 at beta = 4; n = 3 at beta = 2 +- 2 sqrt(1 - ln 2). */
    double root = 2 * sqrt(1 - log(2)), betas[] = {4, 2 + root, 2 - root};
    for (int i = 0; i < 3; i++) {
        qkv_law_options options = qkv_law_default();
        qkv_law law;
        options.design = QKV_DESIGN_HEADS;
        options.keys = i == 0 ? 2 : 3;
        options.beta = betas[i];
        check_ok(qkv_law_compute(&options, &law, NULL), NULL);
        double square = 4 * law.variance + (2 * law.mean - 1) * (2 * law.mean - 1);
        check_near(2 * law.mean - 1, square, 1e-13, "2 E a - 1 of two heads");
    }
}

/* Location 0: the mean is 1/2, and 1/4 - 1/(beta sqrt(pi)) <= Var <= min(1/4, beta^2/32) for scale
 * beta/sqrt(2); for large beta the series in 1/beta^2. */
static void symmetric_laws(void **state)
{
    (void)state;
    const double pi = acos(-1.0);
    double before = 0;
    for (double beta = 0.01; beta < 1e6; beta *= 1.3) {
        qkv_logit_normal law = {0, beta / sqrt(2)};
        double variance = qkv_logit_normal_variance(law), root = beta * sqrt(pi);
        check_near(qkv_logit_normal_mean(law), 0.5, 1e-14, "mean");
        assert_true(variance >= 0.25 - 1 / root - 1e-14);
        assert_true(variance <= fmin(0.25, beta * beta / 32) + 1e-14);
        assert_true(variance > before); /* it grows with the noise */
        before = variance;
        if (beta < 30) continue;
        double square = pi * pi / (beta * beta);
        double series = 0.25 - (1 - square / 3 + 7 * square * square / 30) / root;
        check_near(variance, series, 40 * square * square * square / root + 1e-14, "series");
    }
}

/* E a and E a^2 have expansions in t = location/scale with proved remainders. */
static void expansions_with_proved_remainders(void **state)
{
    (void)state;
    const double pi = acos(-1.0);
    random_source source = {22};
    for (int i = 0; i < 400; i++) {
        double s = random_scale(&source, 0.5, 1000), t = random_between(&source, -4, 4);
        qkv_logit_normal law = {t * s, s};
        double mean = qkv_logit_normal_mean(law), variance = qkv_logit_normal_variance(law);
        double cdf = 0.5 * erfc(-t / sqrt(2)), phi = exp(-t * t / 2) / sqrt(2 * pi);
        double term = pi * pi / (6 * s * s) * t * phi;
        assert_true(fabs(mean - (cdf - term)) <= 1.043 / pow(s, 4) + 1e-14);
        assert_true(fabs(variance + mean * mean - (cdf - phi / s - term)) <=
                    0.7194 / pow(s, 3) + 1e-14);
    }
}

static void chances_and_quantiles(void **state)
{
    (void)state;
    random_source source = {23};
    for (int i = 0; i < 300; i++) {
        qkv_logit_normal law = {random_between(&source, -3, 3), random_scale(&source, 0.1, 5)};
        double p = random_between(&source, 0.001, 0.999);
        double a = qkv_logit_normal_quantile(law, p), low = a * 0.9, high = fmin(1, a * 1.1);
        check_near(qkv_logit_normal_cdf(law, a), p, 1e-12, "cdf(quantile(p))");
        check_near(qkv_logit_normal_between(law, low, high),
                   (long double)qkv_logit_normal_cdf(law, high) - qkv_logit_normal_cdf(law, low),
                   1e-14, "between");
        double h = 1e-5 * a * (1 - a);
        double slope = qkv_logit_normal_between(law, a - h, a + h) / (2 * h);
        check_near(slope / qkv_logit_normal_density(law, a), 1, 1e-4, "density");
    }
    /* P(|a - 1/2| <= d) = erf(ln((1 + 2d)/(1 - 2d))/beta): beta <= 0.145 keeps d = 0.05 at 95%. */
    for (double d = 0.01; d < 0.5; d += 0.03)
        for (double beta = 0.1; beta < 100; beta *= 3)
            check_near(
                qkv_logit_normal_between((qkv_logit_normal){0, beta / sqrt(2)}, 0.5 - d, 0.5 + d),
                erfl(logl((1 + 2 * d) / (1 - 2 * d)) / beta), 1e-13, "P(|a - 1/2| <= d)");
    assert_true(erf(log(1.1 / 0.9) / 0.1447) > 0.95 && erf(log(1.1 / 0.9) / 0.1449) < 0.95);
    check_near(qkv_logit_normal_between((qkv_logit_normal){0, 10 / sqrt(2)}, 0.1, 0.9), 0.2440,
               5e-5, "between 0.1 and 0.9 at beta = 10");
    assert_true(qkv_logit_normal_quantile((qkv_logit_normal){0, 1}, 0) == 0);
    assert_true(qkv_logit_normal_quantile((qkv_logit_normal){0, 1}, 1) == 1);
}

/* A mode has no higher density beside it, and there are two only where a valley lies between. */
static void modes_are_peaks(void **state)
{
    (void)state;
    random_source source = {24};
    for (int i = 0; i < 500; i++) {
        qkv_logit_normal law = {random_between(&source, -2, 2), random_scale(&source, 0.2, 3)};
        double mode[2];
        size_t count = qkv_logit_normal_modes(law, mode);
        assert_in_range(count, 1, 2);
        for (size_t k = 0; k < count; k++) {
            double peak = qkv_logit_normal_density(law, mode[k]),
                   h = 1e-4 * mode[k] * (1 - mode[k]);
            assert_true(peak >= qkv_logit_normal_density(law, mode[k] - h) * (1 - 1e-12));
            assert_true(peak >= qkv_logit_normal_density(law, mode[k] + h) * (1 - 1e-12));
        }
        size_t peaks = 0; /* along a fine grid of logits, before 1 - a loses its digits */
        double last = 0, before = 0;
        for (double x = -14; x <= 14; x += 0.01) {
            double density = qkv_logit_normal_density(law, (double)sigmoid(x));
            if (before > last && before > density) peaks++;
            last = before, before = density;
        }
        if (peaks != count)
            fail_msg("%zu peaks, %zu modes at (%g, %g)", peaks, count, law.location, law.scale);
    }
    double mode[2]; /* location 0: two when scale > sqrt(2), that is beta > 2 */
    assert_int_equal(qkv_logit_normal_modes((qkv_logit_normal){0, 1.4142}, mode), 1);
    assert_int_equal(qkv_logit_normal_modes((qkv_logit_normal){0, 1.4143}, mode), 2);
}

static void laws_at_the_ends(void **state)
{
    (void)state;
    qkv_logit_normal fixed = {1, 0}, wrong = {0, -1};
    double mode[2], weight = (double)sigmoid(1);
    check_near(qkv_logit_normal_mean(fixed), sigmoid(1), 1e-16, "fixed");
    assert_true(qkv_logit_normal_variance(fixed) == 0);
    assert_true(qkv_logit_normal_cdf(fixed, weight + 1e-9) == 1);
    assert_true(qkv_logit_normal_cdf(fixed, weight - 1e-9) == 0);
    assert_int_equal(qkv_logit_normal_modes(fixed, mode), 1);
    assert_true(isnan(qkv_logit_normal_mean(wrong)) && isnan(qkv_logit_normal_variance(wrong)));
    assert_true(isnan(qkv_logit_normal_quantile(wrong, 0.5)));
    assert_int_equal(qkv_logit_normal_modes(wrong, mode), 0);
    assert_true(isnan(qkv_logit_normal_quantile((qkv_logit_normal){0, 1}, 1.5)));
    assert_true(qkv_logit_normal_density((qkv_logit_normal){0, 1}, 0) == 0);
    check_near(qkv_logit_normal_mean((qkv_logit_normal){1e300, 1e300}), 0.841344746068543L, 1e-14,
               "limit");
}

/* ---- Designs, key by key -------------------------------------------------------------------- */

enum { MOST_KEYS = 12 };

/* The weights of all keys in the output for one eps, by softmax over every key. Keys 0 to m - 1 are
 * wanted; the noisy key is number `noisy`. */
static bool output_weights(const qkv_law_options *o, double eps, double *output)
{
    size_t noisy = o->other_noisy ? o->keys - 1 : 0;
    size_t heads = o->design == QKV_DESIGN_HEADS ? o->wanted : 1;
    bool fails = false;
    for (size_t i = 0; i < o->keys; i++) output[i] = 0;
    for (size_t head = 0; head < heads; head++) {
        double weight[MOST_KEYS], sum = 0;
        for (size_t i = 0; i < o->keys; i++) {
            bool named = o->design == QKV_DESIGN_HEADS ? i == head : i < o->wanted;
            double score = o->design == QKV_DESIGN_IMMUNE ? (i < o->wanted ? 0 : -o->beta)
                           : named                        ? o->beta
                                                          : 0;
            sum += weight[i] = exp(i == noisy ? score * eps : score);
        }
        for (size_t i = 0; i < o->keys; i++) {
            bool named = o->design == QKV_DESIGN_HEADS ? i == head : i < o->wanted;
            double part = o->design == QKV_DESIGN_HEADS ? 1 : 1 / (double)o->wanted;
            fails = fails || (named && weight[i] / sum < (1 - o->tolerance) * part);
            output[i] += weight[i] / sum / (double)heads;
        }
    }
    return fails;
}

/* Sums over a fine grid of eps: means to 10^-9 or so, failures to the step of the grid. */
static void designs_agree_with_softmax(void **state)
{
    (void)state;
    random_source source = {25};
    enum { STEPS = 4000 };
    for (int i = 0; i < 90; i++) {
        qkv_law_options o = qkv_law_default();
        qkv_law law;
        qkv_error error;
        o.design = (qkv_design)(1 + i % 3);
        o.keys = 2 + random_below(&source, MOST_KEYS - 1);
        o.wanted = 1 + random_below(&source, o.keys);
        o.other_noisy = o.wanted < o.keys && random_below(&source, 2) == 0;
        o.beta = random_between(&source, 0, 12);
        o.noise = random_between(&source, 0.01, 2);
        o.tolerance = random_between(&source, 0.01, 0.6);
        check_ok(qkv_law_compute(&o, &law, &error), &error);
        double mean[MOST_KEYS] = {0}, square = 0, failure = 0, total = 0, output[MOST_KEYS];
        for (int k = -STEPS; k <= STEPS; k++) {
            double x = 8.0 * k / STEPS, density = exp(-x * x / 2);
            bool fails = output_weights(&o, 1 + sqrt(o.noise) * x, output);
            total += density;
            failure += fails ? density : 0;
            for (size_t j = 0; j < o.keys; j++) {
                double gap = output[j] - (j < o.wanted ? 1 / (double)o.wanted : 0);
                mean[j] += density * gap;
                square += density * gap * gap;
            }
        }
        double bias = 0, leak = 0;
        for (size_t j = 0; j < o.keys; j++) bias += mean[j] / total * (mean[j] / total);
        output_weights(&o, 1, output);
        for (size_t j = o.wanted; j < o.keys; j++) leak += output[j];
        check_near(law.bias, sqrt(bias), 1e-8, "bias");
        check_near(law.error, square / total, 1e-8, "error");
        check_near(law.leak, leak, 1e-12, "leak");
        check_near(law.failure, failure / total, 2e-3, "failure");
    }
}

/* ---- Numbers found elsewhere ---------------------------------------------------------------- */

static qkv_law law_of(qkv_design design, size_t keys, double beta)
{
    qkv_law_options o = qkv_law_default();
    qkv_law law;
    qkv_error error;
    o.design = design;
    o.keys = keys;
    o.beta = beta;
    check_ok(qkv_law_compute(&o, &law, &error), &error);
    return law;
}

static void known_numbers(void **state)
{
    (void)state;
    const qkv_design single = QKV_DESIGN_SINGLE, heads = QKV_DESIGN_HEADS;
    const double p0 = 0.5 * erfc(1);
    /* Isotropic noise alpha without inflation, n = 2: scale = 2 beta sqrt(alpha). */
    static const double isotropic[][3] = {
        {1e-4, 10, 0.0495}, {1e-4, 100, 0.314}, {1e-4, 1000, 0.480}, {1e-6, 10, 0.0050}};
    for (int i = 0; i < 4; i++) {
        qkv_logit_normal law = {0, 2 * isotropic[i][1] * sqrt(isotropic[i][0])};
        check_near(sqrt(qkv_logit_normal_variance(law)), isotropic[i][2], 6e-4, "isotropic");
    }
    check_near(law_of(single, 2, 0.1).variance, 3.1e-4, 5e-6, "Var at beta = 0.1");
    check_near(law_of(single, 2, 10).variance, 0.195320654850187, 1e-14, "Var at beta = 10");
    check_near(law_of(single, 10, 5.98).variance, 0.163, 5e-4, "Var at leak 0.01");
    check_near(law_of(single, 10, 5).leak, 0.0262, 5e-5, "leak of one head");
    check_near(law_of(heads, 10, 5).leak, 0.0508, 5e-5, "leak of two heads");
    check_near(law_of(heads, 5, 50).mean, 0.9152, 2e-3, "E a of a head");
    check_near(law_of(heads, 10, 10).failure, 0.325, 5e-4, "failure");
    check_near(law_of(heads, 10, 100).failure, 0.094, 5e-4, "failure");
    check_near(law_of(heads, 5, 10).failure, 0.2849, 5e-5, "failure");
    check_near(law_of(heads, 5, 50).failure, 0.1066, 5e-5, "failure");
    check_near(law_of(QKV_DESIGN_IMMUNE, 20, 10).mean, 0.499796, 5e-7, "immune");
    assert_true(law_of(QKV_DESIGN_IMMUNE, 20, 10).variance == 0);
    qkv_law limit = law_of(heads, 2, INFINITY), one = law_of(single, 2, INFINITY);
    check_near(limit.variance / one.variance, p0 * (1 - p0) / 0.25, 1e-14, "heads' variance");
    check_near(limit.covariance / one.covariance, 0.0725, 5e-5, "ratio of variances");
    check_near(limit.error / one.error, p0, 1e-14, "ratio of errors");
    check_near(limit.covariance, 0.01812, 5e-6, "p p0/4");
    check_near(limit.mean, 1 - p0, 1e-14, "p");
    check_near(limit.bias, p0 / 2 * sqrt(2), 1e-14, "bias (p0/2)|v_b - v_a|");
    check_near(limit.failure, p0, 1e-15, "never below p0");
    check_near(law_of(single, 7, INFINITY).variance, 0.25, 1e-15, "a coin");
    /* Excess of the failure over p0: e^-1/sqrt(pi) L/beta. */
    double margin = log(9 * 99.0), excess = law_of(heads, 10, 1e5).failure - p0;
    check_near(excess / (margin / 1e5), exp(-1) / sqrt(acos(-1.0)), 1e-3, "0.2076 L/beta");
    /* The noise-free leak of one head is the smaller one at every beta, for n >= 3. */
    for (size_t keys = 3; keys < 200; keys += 13)
        for (double beta = 0.01; beta < 40; beta *= 1.7)
            assert_true(law_of(single, keys, beta).leak < law_of(heads, keys, beta).leak);
}

/* Inflation of any size: the failure's limit is P(Z < -1/sd). */
static void other_noises(void **state)
{
    (void)state;
    for (double noise = 0.05; noise < 20; noise *= 2) {
        qkv_law_options o = qkv_law_default();
        qkv_law law;
        qkv_least_beta least;
        o.design = QKV_DESIGN_HEADS;
        o.keys = 6;
        o.beta = INFINITY;
        o.noise = noise;
        double limit = 0.5 * erfc(1 / sqrt(2 * noise));
        check_ok(qkv_law_compute(&o, &law, NULL), NULL);
        check_near(law.failure, limit, 1e-15, "limit of failures");
        check_ok(qkv_law_least_beta(&o, limit * 0.999, &least, NULL), NULL);
        assert_false(least.exists);
        check_ok(qkv_law_least_beta(&o, limit * 1.001, &least, NULL), NULL);
        assert_true(least.exists && least.beta > 100);
        check_near(least.least_failure, limit, 1e-15, "least failure");
    }
}

/* ---- Choosing beta -------------------------------------------------------------------------- */

/* At the least beta the failure is the one allowed, and a little below it is more. */
static void least_betas_are_least(void **state)
{
    (void)state;
    random_source source = {26};
    size_t found = 0;
    for (int i = 0; i < 150; i++) {
        qkv_law_options o = qkv_law_default();
        qkv_least_beta least;
        qkv_law law;
        qkv_error error;
        double failure = random_between(&source, 0.02, 0.9);
        o.design = (qkv_design)(1 + i % 3);
        o.keys = 2 + random_below(&source, 30);
        o.wanted = 1 + random_below(&source, o.keys < 4 ? o.keys : 4);
        o.other_noisy = o.wanted < o.keys && random_below(&source, 2) == 0;
        o.noise = random_below(&source, 4) == 0 ? 0 : random_between(&source, 0.01, 0.6);
        o.tolerance = random_between(&source, 0.01, 0.5);
        check_ok(qkv_law_least_beta(&o, failure, &least, &error), &error);
        if (!least.exists) {
            assert_true(least.least_failure >= failure);
            o.beta = least.at;
            check_ok(qkv_law_compute(&o, &law, &error), &error);
            check_near(law.failure, least.least_failure, 1e-9, "rarest failure");
            for (o.beta = 0.01; o.beta < 1e5; o.beta *= 1.9) {
                check_ok(qkv_law_compute(&o, &law, &error), &error);
                assert_true(law.failure > failure * (1 - 1e-9));
            }
            continue;
        }
        found++;
        o.beta = least.beta;
        check_ok(qkv_law_compute(&o, &law, &error), &error);
        assert_true(law.failure <= failure * (1 + 1e-9));
        for (double part = 0.05; part < 0.999; part += 0.07) {
            o.beta = least.beta * part;
            check_ok(qkv_law_compute(&o, &law, &error), &error);
            if (least.beta > 0) assert_true(law.failure > failure * (1 - 1e-9));
        }
    }
    assert_true(found > 40);
}

static void known_choices(void **state)
{
    (void)state;
    qkv_law_options o = qkv_law_default();
    qkv_least_beta least;
    o.keys = 10;
    o.design = QKV_DESIGN_HEADS;
    check_ok(qkv_law_least_beta(&o, 0.1, &least, NULL), NULL);
    /* L/(1 - erfcinv(0.2)), erfcinv(0.2) = 0.906193802436823 */
    check_near(least.beta, log(9 * 99.0) / (1 - 0.90619380243682322L), 1e-10, "least beta");
    check_ok(qkv_law_least_beta(&o, 0.0786, &least, NULL), NULL);
    assert_false(least.exists);
    o.design = QKV_DESIGN_IMMUNE;
    check_ok(qkv_law_least_beta(&o, 0.0001, &least, NULL), NULL);
    check_near(least.beta, log(8 * 99.0 / 2), 1e-12, "ln((n - 2)(1 - tau)/(2 tau))");
    o.design = QKV_DESIGN_SINGLE;
    check_ok(qkv_law_least_beta(&o, 0.5, &least, NULL), NULL);
    assert_false(least.exists);
    o.noise = 0;
    check_ok(qkv_law_least_beta(&o, 0.5, &least, NULL), NULL);
    check_near(least.beta, 5.981, 5e-4, "without noise");
}

/* Best errors and equal errors for orthonormal values. The crossings were bracketed elsewhere on a
 * grid with ratio 1.0227: between the number given there and the next. */
static void best_and_equal_errors(void **state)
{
    (void)state;
    static const struct {
        size_t keys;
        double crossing, beta, error;
    } known[] = {{3, 1.02, 0, 0},
                 {10, 2.15, 2.15, 0.147},
                 {100, 3.78, 4.4, 0.224},
                 {1000, 5.18, 6.8, 0.267}};
    const double p0 = 0.5 * erfc(1);
    for (int i = 0; i < 4; i++) {
        qkv_law_options o = qkv_law_default();
        qkv_law law;
        double beta, crossing[4];
        size_t count;
        bool first;
        o.keys = known[i].keys;
        check_ok(qkv_law_crossings(&o, QKV_DESIGN_HEADS, crossing, 4, &count, &first, NULL), NULL);
        assert_true(count == 1 && first);
        assert_true(crossing[0] > known[i].crossing * 0.998);
        assert_true(crossing[0] < known[i].crossing * 1.0227 * 1.005);
        o.beta = crossing[0];
        check_ok(qkv_law_compute(&o, &law, NULL), NULL);
        double error = law.error;
        o.design = QKV_DESIGN_HEADS;
        check_ok(qkv_law_compute(&o, &law, NULL), NULL);
        check_near(law.error, error, 1e-12, "equal errors");
        o.beta = INFINITY;
        check_ok(qkv_law_compute(&o, &law, NULL), NULL);
        check_near(law.error, p0 / 4 * (1 + 1.0 / ((double)o.keys - 1)), 1e-14, "limit");
        o.design = QKV_DESIGN_SINGLE;
        if (known[i].beta == 0) continue;
        check_ok(qkv_law_best_beta(&o, &beta, &law, NULL), NULL);
        check_near(beta, known[i].beta, 0.07, "best beta");
        check_near(law.error, known[i].error, 5e-4, "best error");
    }
    qkv_law_options o = qkv_law_default(); /* n = 2: heads are never worse */
    double crossing[4];
    size_t count;
    bool first;
    check_ok(qkv_law_crossings(&o, QKV_DESIGN_HEADS, crossing, 4, &count, &first, NULL), NULL);
    assert_true(count == 0 && !first);
}

static void wrong_options(void **state)
{
    (void)state;
    qkv_law law;
    qkv_error error;
    qkv_law_options o = qkv_law_default();
    o.keys = 1;
    check_error(qkv_law_compute(&o, &law, &error), QKV_ERROR_ARGUMENT, &error, "keys: got 1");
    o = qkv_law_default(), o.wanted = 3;
    check_error(qkv_law_compute(&o, &law, &error), QKV_ERROR_ARGUMENT, &error, "wanted: got 3");
    o = qkv_law_default(), o.beta = -1;
    check_error(qkv_law_compute(&o, &law, &error), QKV_ERROR_ARGUMENT, &error, "beta: got -1");
    o = qkv_law_default(), o.beta = NAN;
    check_error(qkv_law_compute(&o, &law, &error), QKV_ERROR_ARGUMENT, &error, "beta: got");
    o = qkv_law_default(), o.noise = -0.5;
    check_error(qkv_law_compute(&o, &law, &error), QKV_ERROR_ARGUMENT, &error, "noise: got -0.5");
    o = qkv_law_default(), o.tolerance = 1;
    check_error(qkv_law_compute(&o, &law, &error), QKV_ERROR_ARGUMENT, &error, "tolerance: got 1");
    o = qkv_law_default(), o.other_noisy = true;
    check_error(qkv_law_compute(&o, &law, &error), QKV_ERROR_ARGUMENT, &error, "other_noisy");
    o = qkv_law_default(), o.design = (qkv_design)9;
    check_error(qkv_law_compute(&o, &law, &error), QKV_ERROR_ARGUMENT, &error, "design: got 9");
    o = (qkv_law_options){.keys = 2};
    check_error(qkv_law_compute(&o, &law, &error), QKV_ERROR_ARGUMENT, &error, "struct_size");
    o = qkv_law_default();
    qkv_least_beta least;
    check_error(qkv_law_least_beta(&o, 0, &least, &error), QKV_ERROR_ARGUMENT, &error,
                "failure: got 0");
    assert_null(qkv_design_name((qkv_design)0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_agree_with_plain_sums),
        cmocka_unit_test(the_tilted_identity),
        cmocka_unit_test(symmetric_laws),
        cmocka_unit_test(expansions_with_proved_remainders),
        cmocka_unit_test(chances_and_quantiles),
        cmocka_unit_test(modes_are_peaks),
        cmocka_unit_test(laws_at_the_ends),
        cmocka_unit_test(designs_agree_with_softmax),
        cmocka_unit_test(known_numbers),
        cmocka_unit_test(other_noises),
        cmocka_unit_test(least_betas_are_least),
        cmocka_unit_test(known_choices),
        cmocka_unit_test(best_and_equal_errors),
        cmocka_unit_test(wrong_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
