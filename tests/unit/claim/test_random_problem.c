/*
 * The assignment's random problem as a whole, by four ways that know nothing of each other: the
 * document's exact law with integrals by balls (qkv_sample's exact numbers, qkv_check's verdicts),
 * the proved bounds of the closed laws (qkv_law_enclose), quadrature in doubles (qkv_law_compute),
 * and the sampler, with scores drawn from their law and with keys drawn entry by entry. Doubles lie
 * in enclosures, enclosures of one number meet, sample intervals hold them, limits are approached
 * as fast as a proved remainder says. The grid is the large one where all
 * cases are asked for.
 *
 * Sample intervals fail with a probability of 1e-6 each; seeds are fixed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/check.h"

#include <qkv/qkv.h>

#include "support/cases.h"

static bool large; /* the grid */

static const double stated_error = 1e-12; /* of qkv/law.h */

/* ---- The grid ------------------------------------------------------------------------------- */

typedef struct point {
    size_t keys;
    double beta, noise;
    const char *beta_text, *noise_text; /* the same, for documents */
} point;

typedef void at_point(const point *p);

static void each_point(at_point *act)
{
    static const size_t keys[] = {2, 10, 3, 100};
    static const struct {
        double value;
        const char *text;
    } betas[] = {{0.5, "1/2"}, {10, "10"}, {2, "2"}, {5, "5"}, {40, "40"}, {1000, "1000"}},
      noises[] = {{0.5, "1/2"}, {0.125, "1/8"}, {2, "2"}};
    size_t key_count = large ? 4 : 3, beta_count = large ? 6 : 3, noise_count = large ? 3 : 2;
    for (size_t n = 0; n < key_count; n++)
        for (size_t b = 0; b < beta_count; b++)
            for (size_t s = 0; s < noise_count; s++)
                act(&(point){keys[n], betas[b].value, noises[s].value, betas[b].text,
                             noises[s].text});
}

static qkv_law_options options_at(const point *p, qkv_design design)
{
    qkv_law_options o = qkv_law_default();
    o.design = design;
    o.keys = p->keys;
    o.beta = p->beta;
    o.noise = p->noise;
    return o;
}

/* ---- Intervals ------------------------------------------------------------------------------ */

typedef struct interval {
    double low, high;
} interval;

static interval of_bounds(qkv_bounds b)
{
    return (interval){b.lower, b.upper};
}

static interval of_summary(qkv_lab_summary s)
{
    return (interval){s.low, s.high};
}

static void check_meet(interval x, interval y, const char *what, const point *p)
{
    if (!(x.low <= y.high && y.low <= x.high))
        fail_msg("%s: [%.17g, %.17g] and [%.17g, %.17g] have nothing in common at n = %zu, beta = "
                 "%g, noise = %g",
                 what, x.low, x.high, y.low, y.high, p->keys, p->beta, p->noise);
}

/* `slack`: what rounding in the sampler's doubles may move. */
static void check_holds(interval outer, interval inner, double slack, const char *what,
                        const point *p)
{
    if (!(outer.low <= inner.low + slack && inner.high - slack <= outer.high))
        fail_msg("%s: [%.17g, %.17g] does not hold [%.17g, %.17g] at n = %zu, beta = %g, noise = "
                 "%g",
                 what, outer.low, outer.high, inner.low, inner.high, p->keys, p->beta, p->noise);
}

static void check_value(double value, interval in, const char *what, const point *p)
{
    check_holds((interval){in.low - stated_error, in.high + stated_error}, (interval){value, value},
                0, what, p);
}

static interval scaled(interval x, double factor)
{
    return factor >= 0 ? (interval){x.low * factor, x.high * factor}
                       : (interval){x.high * factor, x.low * factor};
}

/* E(xy) - E(x) E(y), for x and y in [0, 1]. */
static interval covariance_of(interval product, interval x, interval y)
{
    return (interval){product.low - x.high * y.high, product.high - x.low * y.low};
}

/* ---- What the designs are -------------------------------------------------------------------- */

/* Part j of the direction v - w: 1 for the noisy key 0, minus the others' parts in its head. */
static double direction(const point *p, qkv_design design, size_t j)
{
    double many = (double)p->keys - 2, own = exp(-p->beta);
    if (j == 0) return 1;
    if (design == QKV_DESIGN_HEADS) return -1 / ((double)p->keys - 1);
    return -(j == 1 ? 1 : own) / (1 + many * own);
}

/* The closed forms of the catalogue: P(|a - 1/2| <= delta) for one head, P(a < 1 - tau) for the
 * head of key 0, by the error function alone. */
static double chance_between(const point *p, double delta)
{
    double m = -log1p(((double)p->keys - 2) * exp(-p->beta)), s = p->beta * sqrt(2 * p->noise);
    double high = (log((1 + 2 * delta) / (1 - 2 * delta)) - m) / s;
    double low = (log((1 - 2 * delta) / (1 + 2 * delta)) - m) / s;
    return 0.5 * (erf(high) - erf(low));
}

static double chance_of_failure(const point *p, double tau)
{
    double margin = log(((double)p->keys - 1) * (1 - tau) / tau);
    return 0.5 * erfc((1 - margin / p->beta) / sqrt(2 * p->noise));
}

/* ---- Documents: exact laws, balls and samples ------------------------------------------------ */

static const char *const head = "given   n >= 2, alpha > 0, beta > 0\n"
                                "means   mu[1..n] orthonormal\n"
                                "values  v[1..n] orthonormal\n"
                                "pick    a, b distinct in 1..n\n"
                                "keys    k[i] ~ normal(mu[i], alpha*I)\n";

static void write_document(const point *p, const char *claims, char *text, size_t room)
{
    int length = snprintf(text, room,
                          "%skeys    k[a] ~ normal(mu[a], alpha*I + %s*mu[a]*mu[a]')\n"
                          "single  = attend(beta*(mu[a] + mu[b]), k, v)\n"
                          "heads   = mean(attend(beta*mu[a], k, v), attend(beta*mu[b], k, v))\n"
                          "immune  = attend(-beta*sum(mu[i] for i not in {a, b}), k, v)\n"
                          "%s",
                          head, p->noise_text, claims);
    assert_true(length > 0 && (size_t)length < room);
}

static interval exact_of(const qkv_sample_number *number, const char *what, const point *p)
{
    if (!number->has_exact)
        fail_msg("%s: no exact law at n = %zu, beta = %g", what, p->keys, p->beta);
    interval found = {number->exact_low, number->exact_high};
    check_holds((interval){number->low, number->high}, found, 1e-13, what, p);
    return found;
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

/* Weight of key 0 in the whole output: mean and variance from the law of the head that feels it. */
static void check_design(const qkv_samples *samples, const point *p, qkv_design design)
{
    qkv_law_options o = options_at(p, design);
    qkv_law law;
    qkv_law_bounds bounds;
    qkv_error error;
    const char *name = qkv_design_name(design);
    check_ok(qkv_law_compute(&o, &law, &error), &error);
    check_ok(qkv_law_enclose(&o, &bounds, &error), &error);
    const qkv_sample_row *row = find_row(samples, name, "weight[a]");
    interval mean = exact_of(&row->mean, name, p), variance = exact_of(&row->variance, name, p);
    /* The other head gives key 0 what it gives every key but its own: 1/(e^beta + n - 1). */
    double rest = design == QKV_DESIGN_HEADS ? 0.5 / (exp(p->beta) + (double)p->keys - 1) : 0;
    interval expected = scaled(of_bounds(bounds.mean), law.share);
    expected.low += rest - 1e-15, expected.high += rest + 1e-15;
    check_meet(mean, expected, "E of the weight", p);
    check_meet(variance, of_bounds(bounds.covariance), "Var of the weight", p);
    check_value(law.share * law.mean + rest, mean, "E of the weight in doubles", p);
    check_value(law.covariance, variance, "Var of the weight in doubles", p);
    const qkv_sample_row *second = find_row(samples, name, "weight[b]");
    double part = direction(p, design, 1);
    interval other = exact_of(&second->variance, name, p);
    check_value(law.covariance * part * part, other, "Var of the other weight", p);
}

static void documents_agree(const point *p)
{
    char text[4096], at[128];
    write_document(p,
                   "claim: P(single.weight[a] in 1/4 .. 3/4) >= 0\n"
                   "claim: P(heads.head[1].weight[a] < 0.99) >= 0\n",
                   text, sizeof text);
    snprintf(at, sizeof at, "n = %zu, beta = %s, alpha = 0", p->keys, p->beta_text);
    qkv_sample_options options = qkv_sample_options_default();
    qkv_samples *samples = NULL;
    qkv_error error;
    options.at = at;
    options.samples = large ? 400000 : 100000;
    check_ok(qkv_sample("test.qkv", text, strlen(text), &options, &samples, &error), &error);
    check_design(samples, p, QKV_DESIGN_SINGLE);
    check_design(samples, p, QKV_DESIGN_HEADS);
    check_design(samples, p, QKV_DESIGN_IMMUNE);
    const qkv_sample_row *row = find_row(samples, "", "P(single.weight[a] in 1/4..3/4)");
    check_value(chance_between(p, 0.25), exact_of(&row->mean, "P between", p), "P between", p);
    row = find_row(samples, "", "P(heads.head[1].weight[a] < 0.99)");
    interval failure = exact_of(&row->mean, "P of failure", p);
    check_value(chance_of_failure(p, 0.01), failure, "P of failure", p);
    qkv_samples_free(&samples);
}

static void test_documents(void **state)
{
    (void)state;
    each_point(documents_agree);
}

/* ---- The sampler, by scores and by keys ------------------------------------------------------ */

enum { WATCHED = 3, PRODUCTS = WATCHED * (WATCHED + 1) / 2, KEYS_AT_MOST = 128 };

typedef struct experiment {
    qkv_lab_noise noises[KEYS_AT_MOST];
    double coefficients[2 * KEYS_AT_MOST];
    qkv_lab_model model;
    qkv_lab_quantity quantities[WATCHED + PRODUCTS + 2];
    size_t watched, count; /* keys 0, 1 and 2 where there are so many; quantities */
    size_t felt, second;   /* weights of the heads' own keys */
} experiment;

static void make_experiment(experiment *x, const point *p, qkv_design design, double alpha)
{
    size_t n = p->keys, heads = design == QKV_DESIGN_HEADS ? 2 : 1;
    memset(x, 0, sizeof *x);
    x->model = qkv_lab_model_default();
    x->model.keys = n;
    x->model.heads = heads;
    x->model.coefficients = x->coefficients;
    x->model.noises = x->noises;
    for (size_t i = 0; i < n; i++) {
        x->noises[i] = (qkv_lab_noise){.alpha = alpha, .stretch = i == 0 ? p->noise : 0};
        if (design == QKV_DESIGN_IMMUNE) x->coefficients[i] = i < 2 ? 0 : -p->beta;
    }
    if (design != QKV_DESIGN_IMMUNE) x->coefficients[0] = p->beta;
    if (design == QKV_DESIGN_SINGLE) x->coefficients[1] = p->beta;
    if (design == QKV_DESIGN_HEADS) x->coefficients[n + 1] = p->beta;
    x->watched = n < WATCHED ? n : WATCHED;
    for (size_t i = 0; i < x->watched; i++)
        x->quantities[x->count++] = (qkv_lab_quantity){.kind = QKV_LAB_OUTPUT, .index = i};
    for (size_t i = 0; i < x->watched; i++)
        for (size_t j = i; j < x->watched; j++)
            x->quantities[x->count++] =
                (qkv_lab_quantity){.kind = QKV_LAB_PRODUCT, .index = i, .other = j};
    x->felt = x->count;
    x->quantities[x->count++] = (qkv_lab_quantity){.kind = QKV_LAB_WEIGHT};
    x->second = x->count;
    x->quantities[x->count++] =
        (qkv_lab_quantity){.kind = QKV_LAB_WEIGHT, .index = 1, .head = heads - 1};
}

/* Events: |a - 1/2| <= 1/4 as two inequalities, and a head that fails its wanted keys less. */
typedef struct watch {
    double above[16], below[16];
    qkv_lab_inequality between[2], low[2];
    qkv_lab_event events[2];
} watch;

static qkv_lab_sampler *run_experiment(const experiment *x, watch *w, double wanted, bool full,
                                       uint64_t count)
{
    qkv_lab_options options = qkv_lab_options_default();
    qkv_lab_sampler *sampler = NULL;
    qkv_error error;
    memset(w, 0, sizeof *w);
    w->above[x->felt] = w->below[x->second] = 1;
    w->between[0] = (qkv_lab_inequality){w->above, QKV_LAB_GREATER_OR_EQUAL, 0.25};
    w->between[1] = (qkv_lab_inequality){w->above, QKV_LAB_LESS_OR_EQUAL, 0.75};
    w->low[0] = (qkv_lab_inequality){w->above, QKV_LAB_GREATER_OR_EQUAL, 0.99 * wanted};
    w->low[1] = (qkv_lab_inequality){w->below, QKV_LAB_GREATER_OR_EQUAL, 0.99 * wanted};
    w->events[0] = (qkv_lab_event){2, w->between};
    w->events[1] = (qkv_lab_event){2, w->low}; /* no head fails */
    options.quantities = x->quantities;
    options.quantity_count = x->count;
    options.events = w->events;
    options.event_count = 2;
    options.full_keys = full;
    options.no_covariance = true;
    check_ok(qkv_lab_sampler_create(&x->model, &options, &sampler, &error), &error);
    check_ok(qkv_lab_sampler_run(sampler, count, &error), &error);
    return sampler;
}

static interval chance_in(const qkv_lab_sampler *sampler, size_t event)
{
    qkv_lab_interval p = qkv_lab_probability_interval(qkv_lab_sampler_event(sampler, event),
                                                      qkv_lab_sampler_accepted(sampler), 1e-6);
    return (interval){p.low, p.high};
}

/* All covariances of the watched entries of c: covariance * d_i d_j. */
static void check_covariances(const qkv_lab_sampler *sampler, const experiment *x, const point *p,
                              qkv_design design, interval covariance)
{
    size_t product = x->watched;
    for (size_t i = 0; i < x->watched; i++)
        for (size_t j = i; j < x->watched; j++, product++) {
            interval e = of_summary(qkv_lab_sampler_summary(sampler, product));
            interval sampled = covariance_of(e, of_summary(qkv_lab_sampler_summary(sampler, i)),
                                             of_summary(qkv_lab_sampler_summary(sampler, j)));
            double factor = direction(p, design, i) * direction(p, design, j);
            check_holds(sampled, scaled(covariance, factor), 1e-12, "Cov of c", p);
        }
}

static void check_experiment(const point *p, qkv_design design, bool full)
{
    experiment *x = malloc(sizeof *x);
    watch w;
    qkv_law_options o = options_at(p, design);
    qkv_law law;
    qkv_law_bounds bounds;
    qkv_error error;
    double wanted = design == QKV_DESIGN_HEADS ? 1 : 0.5;
    assert_non_null(x);
    check_ok(qkv_law_compute(&o, &law, &error), &error);
    check_ok(qkv_law_enclose(&o, &bounds, &error), &error);
    make_experiment(x, p, design, 0);
    uint64_t count =
        full ? (large ? 2000000 : 200000) / (p->keys * p->keys) + 2000 : (large ? 1000000 : 200000);
    qkv_lab_sampler *sampler = run_experiment(x, &w, wanted, full, count);
    interval felt = of_summary(qkv_lab_sampler_summary(sampler, x->felt));
    check_holds(felt, of_bounds(bounds.mean), 1e-12, full ? "mean, keys" : "mean, scores", p);
    check_covariances(sampler, x, p, design, of_bounds(bounds.covariance));
    double between = qkv_logit_normal_between(law.weight, 0.25, 0.75);
    interval sampled = chance_in(sampler, 0), kept = chance_in(sampler, 1);
    check_holds(sampled, (interval){between, between}, stated_error, "P between", p);
    check_holds((interval){1 - kept.high, 1 - kept.low}, of_bounds(bounds.failure), 1e-12,
                "failure", p);
    check_value(law.mean, of_bounds(bounds.mean), "mean in doubles", p);
    check_value(law.covariance, of_bounds(bounds.covariance), "covariance in doubles", p);
    check_value(law.failure, of_bounds(bounds.failure), "failure in doubles", p);
    if (design == QKV_DESIGN_SINGLE)
        check_value(chance_between(p, 0.25), (interval){between, between}, "P between", p);
    qkv_lab_sampler_free(&sampler);
    free(x);
}

static void samplers_agree(const point *p)
{
    for (int design = QKV_DESIGN_SINGLE; design <= QKV_DESIGN_IMMUNE; design++) {
        check_experiment(p, (qkv_design)design, false);
        check_experiment(p, (qkv_design)design, true);
    }
}

static void test_samplers(void **state)
{
    (void)state;
    each_point(samplers_agree);
}

/* ---- Noise in every direction ---------------------------------------------------------------- */

/* For two keys the difference of scores is all that counts: k_a.q - k_b.q has the variance beta^2
 * (s + 4 alpha) for one head, and beta^2 (s + 2 alpha) for the head of key 0. */
static void two_noisy_keys(const point *p)
{
    static const double alphas[] = {0.01, 0.25};
    if (p->keys != 2) return;
    for (size_t i = 0; i < 2; i++)
        for (int design = QKV_DESIGN_SINGLE; design <= QKV_DESIGN_HEADS; design++)
            for (int full = 0; full < 2; full++) {
                qkv_law_options o = options_at(p, (qkv_design)design);
                qkv_law_bounds bounds;
                qkv_error error;
                watch w;
                experiment *x = malloc(sizeof *x);
                assert_non_null(x);
                o.noise += (design == QKV_DESIGN_SINGLE ? 4 : 2) * alphas[i];
                check_ok(qkv_law_enclose(&o, &bounds, &error), &error);
                make_experiment(x, p, (qkv_design)design, alphas[i]);
                qkv_lab_sampler *sampler = run_experiment(x, &w, 1, full, 200000);
                interval felt = of_summary(qkv_lab_sampler_summary(sampler, x->felt));
                check_holds(felt, of_bounds(bounds.mean), 1e-12, "mean with noise", p);
                if (design == QKV_DESIGN_SINGLE)
                    check_covariances(sampler, x, p, QKV_DESIGN_SINGLE,
                                      of_bounds(bounds.covariance));
                qkv_lab_sampler_free(&sampler);
                free(x);
            }
}

/* For more of them no integral is known here: scores and keys are two ways to one number. */
static void modes_agree(const point *p)
{
    for (int design = QKV_DESIGN_SINGLE; design <= QKV_DESIGN_IMMUNE; design++) {
        watch w;
        experiment *x = malloc(sizeof *x);
        assert_non_null(x);
        make_experiment(x, p, (qkv_design)design, 0.02);
        uint64_t count = 400000 / (p->keys * p->keys) + 2000;
        qkv_lab_sampler *scores = run_experiment(x, &w, 0.5, false, 100000);
        qkv_lab_sampler *keys = run_experiment(x, &w, 0.5, true, count);
        for (size_t i = 0; i < x->count; i++)
            check_meet(of_summary(qkv_lab_sampler_summary(scores, i)),
                       of_summary(qkv_lab_sampler_summary(keys, i)), "scores and keys", p);
        for (size_t i = 0; i < 2; i++)
            check_meet(chance_in(scores, i), chance_in(keys, i), "events of scores and keys", p);
        qkv_lab_sampler_free(&scores);
        qkv_lab_sampler_free(&keys);
        free(x);
    }
}

static void test_noise_in_every_direction(void **state)
{
    (void)state;
    each_point(two_noisy_keys);
    each_point(modes_agree);
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static double density(double x)
{
    return exp(-x * x / 2) / sqrt(2 * acos(-1.0));
}

static double below(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

/*
 * With t = location/scale, E a = Phi(t) - pi^2/(6 scale^2) t phi(t) + R1, |R1| <= 1.043/scale^4,
 * and E a^2 = Phi(t) - phi(t)/scale - pi^2/(6 scale^2) t phi(t) + R2, |R2| <= 0.7194/scale^3: the
 * sigmoid and its square are distribution functions, of a logistic number and of the larger one of
 * two.
 */
static void moments_approach(qkv_design design, size_t keys, double noise)
{
    const double pi = acos(-1.0);
    for (double beta = 4; beta <= 1e6; beta *= 5) {
        point p = {.keys = keys, .beta = beta, .noise = noise};
        qkv_law_options o = options_at(&p, design);
        qkv_law law;
        qkv_law_bounds b;
        qkv_error error;
        check_ok(qkv_law_compute(&o, &law, &error), &error);
        check_ok(qkv_law_enclose(&o, &b, &error), &error);
        double s = law.weight.scale, t = law.weight.location / s;
        double second = pi * pi / (6 * s * s) * t * density(t), first = below(t) - second;
        double room = 1.043 / (s * s * s * s) + stated_error;
        double room2 = 0.7194 / (s * s * s) + stated_error;
        check_meet((interval){first - room, first + room}, of_bounds(b.mean), "E a", &p);
        interval square = {b.variance.lower + b.mean.lower * b.mean.lower,
                           b.variance.upper + b.mean.upper * b.mean.upper};
        double expected = below(t) - density(t) / s - second;
        check_meet((interval){expected - room2, expected + room2}, square, "E a^2", &p);
        check_value(law.mean, of_bounds(b.mean), "E a", &p);
    }
}

/* What the exact engine says of the limits: proved within 1e-9, refuted 1e-6 beside it. */
static void check_limits(size_t keys, double noise, const char *noise_text)
{
    point p = {.keys = keys, .noise = noise, .noise_text = noise_text};
    char text[4096], claims[2048];
    double stays = below(1 / sqrt(noise));
    snprintf(claims, sizeof claims,
             "at n = %zu:\n"
             "  as alpha -> 0 then beta -> inf:\n"
             "    claim: E(heads.head[1].weight[a]) = %.12f within 1e-9\n"
             "    claim: Var(heads.weight[a]) = %.12f within 1e-9\n"
             "    claim: P(heads ~ 1/2*(v[a] + v[b])) = %.12f within 1e-9\n"
             "    claim: E(single.weight[a]) = 1/2\n"
             "    claim: Var(single.weight[a]) = 1/4\n"
             "    claim: P(single ~ v[a]) = 1/2\n"
             "    claim: immune ~ 1/2*(v[a] + v[b])\n"
             "    claim: E(heads.head[1].weight[a]) = %.12f within 1e-9\n"
             "    claim: Var(single.weight[a]) = 0.250001 within 1e-9\n"
             "    claim: P(single ~ v[b]) = 0.499999 within 1e-9\n",
             keys, stays, stays * (1 - stays) / 4, stays, stays + 1e-6);
    write_document(&p, claims, text, sizeof text);
    qkv_report *report = NULL;
    qkv_error error;
    check_ok(qkv_check("test.qkv", text, strlen(text), &report, &error), &error);
    assert_int_equal(qkv_report_complaint_count(report), 0);
    assert_int_equal(qkv_report_claim_count(report), 10);
    for (size_t i = 0; i < 10; i++) {
        const qkv_claim *claim = qkv_report_claim(report, i);
        if (claim->verdict != (i < 7 ? QKV_PROVED : QKV_REFUTED))
            fail_msg("n = %zu: %s: %s: %s", keys, claim->claim, qkv_verdict_name(claim->verdict),
                     claim->found);
    }
    qkv_report_free(&report);
    /* At a large beta the laws are there but for L/beta times a density below 0.6/sqrt(noise). */
    qkv_law_options o = options_at(&p, QKV_DESIGN_HEADS);
    qkv_law law;
    o.beta = 1e6;
    check_ok(qkv_law_compute(&o, &law, &error), &error);
    double near = (log((double)keys) + 1) * 1e-6 / sqrt(noise);
    check_holds((interval){stays - near, stays + near}, (interval){law.mean, law.mean}, 0, "E", &p);
    p.beta = 1e6;
    check_experiment(&p, QKV_DESIGN_HEADS, false);
    check_experiment(&p, QKV_DESIGN_SINGLE, false);
}

static void test_limits(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } noises[] = {{0.5, "1/2"}, {2, "2"}, {0.125, "1/8"}};
    static const size_t keys[] = {3, 10, 100};
    for (size_t s = 0; s < (large ? 3 : 1); s++)
        for (size_t n = 0; n < (large ? 3 : 2); n++) {
            check_limits(keys[n], noises[s].value, noises[s].text);
            moments_approach(QKV_DESIGN_SINGLE, keys[n], noises[s].value);
            moments_approach(QKV_DESIGN_HEADS, keys[n], noises[s].value);
        }
}

int main(void)
{
    large = all_cases();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_samplers),
        cmocka_unit_test(test_noise_in_every_direction),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests_name("random problem", tests, NULL, NULL);
}
