/*
 * Moments and probabilities that qkv check finds in closed form, against keys drawn here one by
 * one: the claim that a formula is what the draws say must be proved, and the claim that it is
 * another number refuted. The draws know nothing of normal laws but how to make one. Seeded;
 * margins are six standard errors, which a correct formula misses once in 10^9 times.
 */
#include "support/check.h"

#include <math.h>
#include <stdio.h>

#include <qkv/qkv.h>

#include "support/random.h"

enum { KEYS = 4, WIDTH = 5, DRAWS = 200000 };

/* The third mean is not orthogonal to the first. Where vectors are confined to a dimension nothing
 * is refuted unless they are orthogonal, so that there are two sets of means. */
enum { SKEW, STRAIGHT };

static const char *const declarations[] = {
    "means   mu[1..4] norm 1\n"
    "pick    a, b, c, f distinct in 1..4\n"
    "given   mu[a].mu[b] = 0, mu[a].mu[c] = 3/5, mu[b].mu[c] = 0, mu[a].mu[f] = 0\n"
    "given   mu[b].mu[f] = 0, mu[c].mu[f] = 0\n",
    "means   mu[1..4] orthonormal, dimension 5\n"
    "pick    a, b, c, f distinct in 1..4\n"};

static const char *const document = "given   alpha > 0, beta > 0\n"
                                    "%s"
                                    "values  v[1..4]\n"
                                    "keys    k[i] ~ normal(mu[i], alpha*I)\n"
                                    "keys    k[a] ~ normal(mu[a], alpha*I + 1/2*mu[a]*mu[a]')\n"
                                    "one = attend(beta*(mu[b] + mu[f]), k, v)\n"
                                    "claim: %s = %.9f within %.9f  at alpha = 1/4, beta = 3/2\n";

static const double alpha = 0.25, beta = 1.5;
static const double all_means[2][KEYS][WIDTH] = {{{1}, {0, 1}, {0.6, 0, 0.8}, {0, 0, 0, 1}},
                                                 {{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}}};
static const double (*means)[WIDTH]; /* those that are in use */

static double dot(const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < WIDTH; i++) sum += x[i] * y[i];
    return sum;
}

typedef double drawn(double k[KEYS][WIDTH]);

static double product(double k[KEYS][WIDTH])
{
    return dot(k[0], k[1]);
}

static double square(double k[KEYS][WIDTH])
{
    return dot(k[0], k[0]);
}

static double score(double k[KEYS][WIDTH])
{
    return dot(k[2], means[0]) + dot(k[2], means[2]);
}

static double mixed(double k[KEYS][WIDTH])
{
    return dot(k[2], means[0]) * dot(k[2], means[2]) * dot(k[0], k[2]);
}

static double fourth(double k[KEYS][WIDTH])
{
    double x = dot(k[1], k[2]);
    return x * x;
}

static double size(double k[KEYS][WIDTH])
{
    return fabs(dot(k[0], means[0]) - dot(k[1], means[1]) - 0.5);
}

static double both(double k[KEYS][WIDTH])
{
    return dot(k[1], means[0]) > 0.2 && dot(k[2], means[1]) < 0.3;
}

static double apart(double k[KEYS][WIDTH])
{
    return dot(k[0], means[0]) > dot(k[2], means[2]) + 0.5;
}

static double twice(double k[KEYS][WIDTH])
{
    double q[WIDTH] = {0, 1, 0, 1}; /* the common sum divides out */
    return beta * dot(k[1], q) > log(2) + beta * dot(k[3], q);
}

static const struct {
    int kind;
    const char *expression;
    drawn *draw;
    bool variance;
} cases[] = {
    {SKEW, "E(k[a].k[b])", product, false},
    {STRAIGHT, "Var(k[a].k[b])", product, true},
    {STRAIGHT, "E(|k[a]|^2)", square, false},
    {STRAIGHT, "Var(|k[a]|^2)", square, true},
    {SKEW, "Var(k[c].mu[a] + k[c].mu[c])", score, true},
    {SKEW, "E((k[c].mu[a])*(k[c].mu[c])*(k[a].k[c]))", mixed, false},
    {STRAIGHT, "E((k[b].k[c])^2)", fourth, false},
    {SKEW, "E(|k[a].mu[a] - k[b].mu[b] - 1/2|)", size, false},
    {SKEW, "P(k[b].mu[a] > 0.2 and k[c].mu[b] < 0.3)", both, false},
    {SKEW, "P(k[a].mu[a] > k[c].mu[c] + 1/2)", apart, false},
    {STRAIGHT, "P(one.weight[b] > 2*one.weight[f])", twice, false},
};

enum { CASES = sizeof cases / sizeof cases[0] };

/* Box and Muller's method. */
static double draw_normal(random_source *source)
{
    double radius = sqrt(-2 * log(1 - random_uniform(source)));
    return radius * cos(2 * acos(-1.0) * random_uniform(source));
}

static void draw_keys(random_source *source, double k[KEYS][WIDTH])
{
    for (int i = 0; i < KEYS; i++) {
        double along = i == 0 ? sqrt(0.5) * draw_normal(source) : 0;
        for (int r = 0; r < WIDTH; r++)
            k[i][r] = means[i][r] * (1 + along) + sqrt(alpha) * draw_normal(source);
    }
}

/* Means and variances of all cases, with their standard errors. */
static void draw_all(double *estimate, double *error)
{
    static double sum[CASES][5];
    random_source source = {.state = 77};
    for (int n = 0; n < 2 * DRAWS; n++) {
        double k[KEYS][WIDTH];
        means = all_means[n % 2];
        draw_keys(&source, k);
        for (size_t i = 0; i < CASES; i++) {
            if (cases[i].kind != n % 2) continue;
            double x = cases[i].draw(k);
            for (int p = 1; p <= 4; p++) sum[i][p] += pow(x, p) / DRAWS;
        }
    }
    for (size_t i = 0; i < CASES; i++) {
        double m = sum[i][1], v = sum[i][2] - m * m;
        double fourth_moment =
            sum[i][4] - 4 * m * sum[i][3] + 6 * m * m * sum[i][2] - 3 * m * m * m * m;
        estimate[i] = cases[i].variance ? v : m;
        error[i] = sqrt((cases[i].variance ? fourth_moment - v * v : v) / DRAWS);
    }
}

static void test_formulas(void **state)
{
    (void)state;
    double estimate[CASES], error[CASES];
    draw_all(estimate, error);
    for (size_t i = 0; i < CASES; i++)
        for (int off = 0; off < 2; off++) {
            char text[4096];
            qkv_report *report = NULL;
            qkv_error failure;
            snprintf(text, sizeof text, document, declarations[cases[i].kind], cases[i].expression,
                     estimate[i] + 20 * off * error[i], 6 * error[i]);
            check_ok(qkv_check("test.qkv", text, strlen(text), &report, &failure), &failure);
            assert_int_equal(qkv_report_complaint_count(report), 0);
            const qkv_claim *claim = qkv_report_claim(report, 0);
            /* A number that is off is refuted, where an example of the means can be found. */
            qkv_verdict expected = off ? QKV_REFUTED : QKV_PROVED;
            bool left_open = off && cases[i].kind == SKEW && claim->verdict == QKV_UNDECIDED;
            if (left_open) expected = QKV_UNDECIDED;
            if (claim->verdict != expected || strcmp(claim->engine, "sample") == 0)
                fail_msg("%s: %s by \"%s\": %s, %s", claim->claim, qkv_verdict_name(claim->verdict),
                         claim->engine, claim->found, claim->reason);
            qkv_report_free(&report);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formulas)};
    return cmocka_run_group_tests_name("moment", tests, NULL, NULL);
}
