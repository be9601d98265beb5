/*
 * Designs against numbers: random whole keys and random weights, the question whether a query can
 * reach them, and an independent answer. The cross entropy -sum w_i ln a_i(q) is convex in q, and
 * its least value is the entropy of w if and only if the weights can come as near to w as one
 * likes; descent finds which.
 */
#include "support/check.h"

#include <math.h>
#include <stdio.h>

#include <qkv/qkv.h>

#include "base/text.h"
#include "support/random.h"

enum { TRIALS = 400, KEYS = 5, WIDTH = 3 };

typedef struct trial {
    size_t count, width;
    int key[KEYS][WIDTH];
    int part[KEYS]; /* weights in proportion */
} trial;

static trial random_trial(random_source *source)
{
    trial t = {.count = 2 + random_below(source, KEYS - 1), .width = 1 + random_below(source, 3)};
    int total = 0;
    for (size_t i = 0; i < t.count; i++) {
        for (size_t c = 0; c < t.width; c++) t.key[i][c] = (int)random_below(source, 5) - 2;
        t.part[i] = random_below(source, 2) == 0 ? 0 : 1 + (int)random_below(source, 3);
        total += t.part[i];
    }
    if (total == 0) t.part[0] = 1;
    return t;
}

/* Half of them are reached by construction: the keys with the largest score in some direction get
 * weights that a second query gives them. Only powers of 2, so that they are rational. */
static void make_reachable(trial *t, random_source *source)
{
    int direction[WIDTH], offset[WIDTH], best = -1000;
    for (size_t c = 0; c < t->width; c++) {
        direction[c] = (int)random_below(source, 3) - 1;
        offset[c] = (int)random_below(source, 3) - 1;
    }
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < t->count; i++) {
            int score = 0, power = 8;
            for (size_t c = 0; c < t->width; c++) {
                score += t->key[i][c] * direction[c];
                power += t->key[i][c] * offset[c];
            }
            if (pass == 0 && score > best) best = score;
            if (pass == 1) t->part[i] = score == best ? 1 << power : 0;
        }
}

static double total_of(const trial *t)
{
    double total = 0;
    for (size_t i = 0; i < t->count; i++) total += t->part[i];
    return total;
}

/* The cross entropy above the entropy, its slope, and its curvature: the covariance of the keys. */
static double excess(const trial *t, const double *query, double *slope,
                     double curvature[WIDTH][WIDTH])
{
    double score[KEYS], weight[KEYS], mean[WIDTH] = {0}, largest = -INFINITY, sum = 0, value = 0;
    for (size_t i = 0; i < t->count; i++) {
        score[i] = 0;
        for (size_t c = 0; c < t->width; c++) score[i] += t->key[i][c] * query[c];
        largest = fmax(largest, score[i]);
    }
    for (size_t i = 0; i < t->count; i++) sum += exp(score[i] - largest);
    for (size_t c = 0; c < t->width; c++) slope[c] = 0;
    for (size_t i = 0; i < t->count; i++) {
        double wanted = t->part[i] / total_of(t);
        weight[i] = exp(score[i] - largest) / sum;
        if (wanted > 0) value += wanted * (log(wanted) - (score[i] - largest - log(sum)));
        for (size_t c = 0; c < t->width; c++) {
            slope[c] += (weight[i] - wanted) * t->key[i][c];
            mean[c] += weight[i] * t->key[i][c];
        }
    }
    for (size_t c = 0; c < t->width; c++)
        for (size_t d = 0; d < t->width; d++) {
            curvature[c][d] = 0;
            for (size_t i = 0; i < t->count; i++)
                curvature[c][d] += weight[i] * (t->key[i][c] - mean[c]) * (t->key[i][d] - mean[d]);
        }
    return value;
}

/* Solves (curvature + ridge) x = slope by elimination; the matrix is positive definite. */
static void solve(double matrix[WIDTH][WIDTH], size_t width, double ridge, const double *slope,
                  double *x)
{
    double a[WIDTH][WIDTH + 1];
    for (size_t r = 0; r < width; r++) {
        for (size_t c = 0; c < width; c++) a[r][c] = matrix[r][c] + (r == c ? ridge : 0.0);
        a[r][width] = slope[r];
    }
    for (size_t p = 0; p < width; p++)
        for (size_t r = p + 1; r < width; r++)
            for (size_t c = width + 1; c-- > p;) a[r][c] -= a[r][p] / a[p][p] * a[p][c];
    for (size_t r = width; r-- > 0;) {
        x[r] = a[r][width];
        for (size_t c = r + 1; c < width; c++) x[r] -= a[r][c] * x[c];
        x[r] /= a[r][r];
    }
}

/* Newton's steps, with a ridge that falls while they help and rises when they do not. */
static double least_excess(const trial *t)
{
    double query[WIDTH] = {0}, slope[WIDTH], curvature[WIDTH][WIDTH], ridge = 1.0;
    double value = excess(t, query, slope, curvature);
    for (int round = 0; round < 2000 && value > 1e-9 && ridge < 1e12; round++) {
        double next[WIDTH], next_slope[WIDTH], next_curvature[WIDTH][WIDTH], step[WIDTH];
        solve(curvature, t->width, ridge, slope, step);
        for (size_t c = 0; c < t->width; c++) next[c] = query[c] - step[c];
        double below = excess(t, next, next_slope, next_curvature);
        if (below < value) {
            value = below;
            memcpy(query, next, sizeof query);
            memcpy(slope, next_slope, sizeof slope);
            memcpy(curvature, next_curvature, sizeof curvature);
            ridge *= 0.2;
        } else {
            ridge *= 5.0;
        }
    }
    return value;
}

static void write_trial(const trial *t, qkv__text *text)
{
    qkv__text_format(text, "problem \"trial\"\nkeys k = [");
    for (size_t i = 0; i < t->count; i++) {
        qkv__text_format(text, "%s[", i == 0 ? "" : ", ");
        for (size_t c = 0; c < t->width; c++)
            qkv__text_format(text, "%s%d", c == 0 ? "" : ", ", t->key[i][c]);
        qkv__text_format(text, "]");
    }
    qkv__text_format(text, "]\nvalues v[1..%zu]\nclaim: exists q: attend(q, k, v) ~ ", t->count);
    for (size_t i = 0, written = 0; i < t->count; i++)
        if (t->part[i] > 0)
            qkv__text_format(text, "%s%d/%d*v[%zu]", written++ == 0 ? "" : " + ", t->part[i],
                             (int)total_of(t), i + 1);
    qkv__text_format(text, "\n");
}

static void test_reachable_weights(void **state)
{
    (void)state;
    random_source source = {20250611};
    size_t proved = 0, refuted = 0;
    for (int n = 0; n < TRIALS; n++) {
        trial t = random_trial(&source);
        if (n % 2 == 0) make_reachable(&t, &source);
        qkv__text text = {0};
        qkv_report *report = NULL;
        qkv_error error;
        write_trial(&t, &text);
        check_ok(qkv_check("trial.qkv", text.data, text.length, &report, &error), &error);
        assert_int_equal(qkv_report_claim_count(report), 1);
        const qkv_claim *claim = qkv_report_claim(report, 0);
        double least = least_excess(&t);
        if (claim->verdict == QKV_PROVED && least > 1e-3)
            fail_msg("proved, but the excess stays at %g:\n%s%s", least, text.data, claim->found);
        if (claim->verdict == QKV_REFUTED && least < 1e-4)
            fail_msg("refuted, but the excess falls to %g:\n%s%s", least, text.data, claim->reason);
        if (n % 2 == 0 && claim->verdict != QKV_PROVED)
            fail_msg("reachable, but %s:\n%s%s", qkv_verdict_name(claim->verdict), text.data,
                     claim->reason);
        proved += claim->verdict == QKV_PROVED;
        refuted += claim->verdict == QKV_REFUTED;
        qkv_report_free(&report);
        qkv__text_free(&text);
    }
    assert_true(proved + refuted > TRIALS * 95 / 100);
    assert_true(refuted > TRIALS / 10);
}

/* How large can one weight be? exp(-excess) of all weight on that key. */
static void test_largest_weight(void **state)
{
    (void)state;
    random_source source = {4711};
    size_t decided = 0;
    for (int n = 0; n < TRIALS; n++) {
        trial t = random_trial(&source);
        size_t key = random_below(&source, t.count);
        int tenths = 1 + (int)random_below(&source, 10);
        static const char *const orders[] = {">", ">=", "=", "~", "<"};
        int order = (int)random_below(&source, 5);
        qkv__text text = {0};
        qkv_report *report = NULL;
        qkv_error error;
        write_trial(&t, &text);
        for (size_t i = 0; i < t.count; i++) t.part[i] = i == key;
        double most = exp(-least_excess(&t)), wanted = tenths / 10.0;
        bool apart = false; /* else the weight is the same for every query */
        for (size_t i = 0; i < t.count; i++)
            for (size_t c = 0; c < t.width; c++) apart = apart || t.key[i][c] != t.key[key][c];
        double least = apart ? 0.0 : 1.0 / (double)t.count;
        qkv__text_format(&text, "claim: exists q: attend(q, k, v).weight[%zu] %s %d/10\n", key + 1,
                         orders[order], tenths);
        check_ok(qkv_check("trial.qkv", text.data, text.length, &report, &error), &error);
        const qkv_claim *claim = qkv_report_claim(report, 1);
        /* Whether it holds with room to spare, and whether it holds at all. */
        bool below = least<wanted - 1e-6, above = most> wanted + 1e-6;
        bool surely = order == 4 ? below : order < 2 ? above : above && below;
        bool not_below = least > wanted + 1e-6, not_above = most < wanted - 1e-6;
        bool surely_not = order == 4 ? not_below : order < 2 ? not_above : not_above || not_below;
        if (claim->verdict == QKV_PROVED && surely_not)
            fail_msg("proved, but the weight lies in (%g, %g):\n%s", least, most, text.data);
        if (claim->verdict == QKV_REFUTED && surely)
            fail_msg("refuted, but the weight lies in (%g, %g):\n%s%s", least, most, text.data,
                     claim->reason);
        decided += claim->verdict == QKV_PROVED || claim->verdict == QKV_REFUTED;
        qkv_report_free(&report);
        qkv__text_free(&text);
    }
    assert_true(decided > TRIALS * 3 / 4);
}

/* A quadratic: a t^2 + b t + c compared with 0, against its discriminant. */
static void test_quadratics(void **state)
{
    (void)state;
    static const char *const orders[] = {"=", "<", ">", "<=", ">="};
    random_source source = {1};
    for (int n = 0; n < TRIALS; n++) {
        int a = (int)random_below(&source, 7) - 3, b = (int)random_below(&source, 7) - 3;
        int c = (int)random_below(&source, 7) - 3, order = (int)random_below(&source, 5);
        int discriminant = b * b - 4 * a * c;
        bool below = a < 0 || (a == 0 && b != 0) || discriminant > 0 || c < 0;
        bool above = a > 0 || (a == 0 && b != 0) || discriminant > 0 || c > 0;
        bool zero = a != 0 ? discriminant >= 0 : b != 0 || c == 0;
        bool exists = order == 0   ? zero
                      : order == 1 ? below
                      : order == 2 ? above
                      : order == 3 ? below || zero
                                   : above || zero;
        char text[160];
        int length = snprintf(text, sizeof text, "claim: exists t: (%d)*t^2 + (%d)*t + (%d) %s 0\n",
                              a, b, c, orders[order]);
        qkv_report *report = NULL;
        qkv_error error;
        check_ok(qkv_check("quadratic.qkv", text, (size_t)length, &report, &error), &error);
        qkv_verdict verdict = qkv_report_claim(report, 0)->verdict;
        if (verdict != (exists ? QKV_PROVED : QKV_REFUTED) && verdict != QKV_UNDECIDED)
            fail_msg("%s: %s", qkv_verdict_name(verdict), text);
        if (verdict == QKV_UNDECIDED && !(order == 0 || discriminant == 0))
            fail_msg("undecided: %s", text);
        qkv_report_free(&report);
    }
}

/* ---- Hulls ---------------------------------------------------------------------------------- */

/* A point of the plane against points: inside if and only if it is in some triangle of them. */
static long side(const int *a, const int *b, const int *c)
{
    return (long)(b[0] - a[0]) * (c[1] - a[1]) - (long)(b[1] - a[1]) * (c[0] - a[0]);
}

static int in_triangle(const int *x, const int *a, const int *b, const int *c)
{
    long d = side(a, b, x), e = side(b, c, x), f = side(c, a, x);
    int inside = (d >= 0 && e >= 0 && f >= 0) || (d <= 0 && e <= 0 && f <= 0);
    for (int i = 0; i < 2; i++) { /* and in the box of the three, for triangles that are lines */
        int low = a[i] < b[i] ? a[i] : b[i], high = a[i] < b[i] ? b[i] : a[i];
        low = c[i] < low ? c[i] : low;
        high = c[i] > high ? c[i] : high;
        inside = inside && low <= x[i] && x[i] <= high;
    }
    return inside;
}

static void test_hulls(void **state)
{
    (void)state;
    random_source source = {77};
    for (int n = 0; n < TRIALS; n++) {
        size_t count = 1 + random_below(&source, 5);
        int point[6][2], inside = 0;
        char text[512];
        int length = snprintf(text, sizeof text, "problem \"hull\"\nvalues v = [");
        for (size_t i = 0; i <= count; i++) {
            for (int c = 0; c < 2; c++) point[i][c] = (int)random_below(&source, 7) - 3;
            if (i < count)
                length += snprintf(text + length, sizeof text - (size_t)length, "%s[%d, %d]",
                                   i == 0 ? "" : ", ", point[i][0], point[i][1]);
        }
        length +=
            snprintf(text + length, sizeof text - (size_t)length,
                     "]\nx = [%d, %d]\nclaim: x in hull(v)\n", point[count][0], point[count][1]);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < count; j++)
                for (size_t k = 0; k < count; k++)
                    inside |= in_triangle(point[count], point[i], point[j], point[k]);
        qkv_report *report = NULL;
        qkv_error error;
        check_ok(qkv_check("hull.qkv", text, (size_t)length, &report, &error), &error);
        qkv_verdict verdict = qkv_report_claim(report, 0)->verdict;
        if (verdict != (inside ? QKV_PROVED : QKV_REFUTED))
            fail_msg("%s, but %s:\n%s", qkv_verdict_name(verdict), inside ? "inside" : "outside",
                     text);
        qkv_report_free(&report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reachable_weights),
        cmocka_unit_test(test_largest_weight),
        cmocka_unit_test(test_quadratics),
        cmocka_unit_test(test_hulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
