/*
 * Claims in numbers to draw: curves are held against formulas worked out here, weights against the
 * softmax, histograms against the normal law, and places of marks against logarithms.
 */
#include <math.h>
#include <string.h>

#include "support/check.h"

#include <qkv/claim.h>
#include <qkv/plot.h>

#include "base/memory.h"

static qkv_report *explain(const char *text)
{
    qkv_report *report = NULL;
    qkv_error error;
    check_ok(qkv_explain("test.qkv", text, strlen(text), NULL, &report, &error), &error);
    assert_int_equal(qkv_report_complaint_count(report), 0);
    return report;
}

static const qkv_scene *scene_of(const qkv_report *report, size_t claim, qkv_scene_kind kind)
{
    const qkv_scene *scene = qkv_report_claim(report, claim)->scene;
    assert_non_null(scene);
    assert_int_equal(scene->kind, kind);
    assert_true(scene->panel_count > 0);
    return scene;
}

#define ORTHONORMAL                                                                                \
    "given n >= 3, beta > 0\n"                                                                     \
    "keys k[1..n] orthonormal\n"                                                                   \
    "values v[1..n]\n"                                                                             \
    "pick a, b distinct in 1..n\n"                                                                 \
    "c = attend(beta*(k[a] + k[b]), k, v)\n"

/* ---- Curves ------------------------------------------------------------------------------ */

static void test_sides_are_the_formulas(void **state)
{
    (void)state;
    qkv_report *report = explain(ORTHONORMAL "claim: c.weight[a] = 1/n + beta/100\n");
    const qkv_scene_panel *panel = scene_of(report, 0, QKV_SCENE_CURVES)->panels;
    assert_string_equal(qkv_report_claim(report, 0)->scene->at, "n = 10");
    assert_string_equal(panel->x_label, "beta");
    assert_int_equal(panel->series_count, 2);
    for (size_t s = 0; s < 2; s++) {
        assert_int_equal(panel->series[s].claimed, s == 1);
        assert_true(panel->series[s].count >= 2);
        for (size_t i = 0; i < panel->series[s].count; i++) {
            double beta = panel->series[s].x[i], weight = exp(beta) / (8 + 2 * exp(beta));
            double expected = s == 0 ? weight : 0.1 + beta / 100;
            assert_true(fabs(panel->series[s].y[i] - expected) < 1e-12);
        }
    }
    qkv_report_free(&report);
}

static void test_large_exponents_do_not_overflow(void **state)
{
    (void)state;
    qkv_report *report =
        explain(ORTHONORMAL "claim: c.weight[a] >= 0.49 for beta >= 5000, n = 10\n");
    const qkv_scene_panel *panel = scene_of(report, 0, QKV_SCENE_CURVES)->panels;
    const qkv_scene_series *s = &panel->series[0];
    assert_true(s->x[s->count - 1] >= 5000 && s->y[s->count - 1] == 0.5);
    assert_int_equal(panel->rule_count, 1);
    assert_true(panel->rules[0].at == 5000);
    assert_string_equal(panel->rules[0].label, "beta >= 5000");
    qkv_report_free(&report);
}

/* A claim at one n is seen among others that the problem allows, and marked. */
/* What grows without bound is drawn where it begins, not where it has left all numbers. */
static void test_growth_is_seen(void **state)
{
    (void)state;
    qkv_report *report = explain(ORTHONORMAL "claim: e^beta*c.weight[a]/c.weight[b] = e^beta\n");
    const qkv_scene_panel *panel = scene_of(report, 0, QKV_SCENE_CURVES)->panels;
    const qkv_scene_series *series = &panel->series[0];
    assert_true(series->x[series->count - 1] <= 20);
    for (size_t i = 0; i < series->count; i++) assert_true(isfinite(series->y[i]));
    qkv_report_free(&report);
}

static void test_axis_keeps_to_the_problem(void **state)
{
    (void)state;
    qkv_report *report = explain("given n >= 4\n"
                                 "keys k[1..n] orthonormal\n"
                                 "values v[1..n]\n"
                                 "pick a, b distinct in 1..n\n"
                                 "c = attend(k[a] + k[b], k, v)\n"
                                 "claim: c.weight[a] <= 0.2 at n = 10\n");
    const qkv_scene_panel *panel = scene_of(report, 0, QKV_SCENE_CURVES)->panels;
    assert_string_equal(panel->x_label, "n");
    assert_true(panel->series[0].x[0] == 4);
    assert_int_equal(panel->rule_count, 1);
    assert_true(panel->rules[0].at == 10);
    qkv_report_free(&report);
}

/* Coefficients of vectors, and the limit on the right. */
static void test_vectors_by_coefficients(void **state)
{
    (void)state;
    qkv_report *report = explain(ORTHONORMAL "claim: c ~ 2/3 v[a] as beta -> inf\n");
    const qkv_scene_panel *panel = scene_of(report, 0, QKV_SCENE_CURVES)->panels;
    size_t claimed = 0;
    for (size_t s = 0; s < panel->series_count; s++) {
        const qkv_scene_series *series = &panel->series[s];
        double last = series->y[series->count - 1], beta = series->x[series->count - 1];
        double total = 8 + 2 * exp(beta);
        claimed += series->claimed;
        if (series->claimed) assert_true(last == (series->group == 0 ? 2.0 / 3 : 0));
        if (!series->claimed && strcmp(series->label, "v[a]") == 0)
            assert_true(fabs(last - exp(beta) / total) < 1e-12);
        if (!series->claimed && strcmp(series->label, "each remaining v[i]") == 0)
            assert_true(fabs(last - 1 / total) < 1e-12);
    }
    assert_int_equal(claimed, 3);
    qkv_report_free(&report);
}

static void test_least_is_marked(void **state)
{
    (void)state;
    qkv_report *report =
        explain(ORTHONORMAL "find least beta: 1 - c.weight[a] - c.weight[b] <= 0.01 for n = 30\n");
    const qkv_scene_panel *panel = scene_of(report, 0, QKV_SCENE_CURVES)->panels;
    assert_int_equal(panel->rule_count, 1);
    assert_true(fabs(panel->rules[0].at - log(99.0 * 28 / 2)) < 1e-9);
    qkv_report_free(&report);
}

/* ---- Weights ----------------------------------------------------------------------------- */

static void test_numbers_as_bars(void **state)
{
    (void)state;
    qkv_report *report = explain("keys k = [[1, 0], [0, 1], [1, 1]]\n"
                                 "values v[1..3]\n"
                                 "q = [2, 1]\n"
                                 "c = attend(q, k, v)\n"
                                 "claim: c = v[3]\n");
    const qkv_scene_panel *panel = scene_of(report, 0, QKV_SCENE_BARS)->panels;
    const double scores[] = {2, 1, 3};
    double sum = exp(2) + exp(1) + exp(3);
    assert_int_equal(panel->name_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(fabs(panel->series[0].y[i] - exp(scores[i]) / sum) < 1e-12);
    assert_true(panel->series[1].claimed);
    for (size_t i = 0; i < 3; i++) assert_true(panel->series[1].y[i] == (i == 2));
    qkv_report_free(&report);
}

static void test_self_attention_as_rows(void **state)
{
    (void)state;
    qkv_report *report = explain("given beta > 0\n"
                                 "vectors u[a,b,c] orthogonal, norm beta\n"
                                 "x[1] = u[a]; x[2] = u[b]; x[3] = u[c] + u[a]\n"
                                 "z = self_attend(x)\n"
                                 "claim: z[1] ~ x[1] as beta -> inf\n");
    const qkv_scene_panel *panel = scene_of(report, 0, QKV_SCENE_HEAT)->panels;
    assert_int_equal(panel->series_count, 3);
    assert_int_equal(panel->name_count, 3);
    for (size_t i = 0; i < 3; i++) {
        double sum = 0;
        for (size_t j = 0; j < 3; j++) sum += panel->series[i].y[j];
        assert_true(fabs(sum - 1) < 1e-12);
    }
    assert_true(panel->series[0].y[0] == panel->series[0].y[2]); /* u[a].u[a] both times */
    qkv_report_free(&report);
}

/* ---- What is random ---------------------------------------------------------------------- */

#define RANDOM                                                                                     \
    "given n >= 3, alpha > 0, beta > 0\n"                                                          \
    "means mu[1..n] orthonormal\n"                                                                 \
    "values v[1..n]\n"                                                                             \
    "pick a, b distinct in 1..n\n"                                                                 \
    "keys k[i] ~ normal(mu[i], alpha*I)\n"                                                         \
    "keys k[a] ~ normal(mu[a], alpha*I + 1/2*mu[a]*mu[a]')\n"                                      \
    "c = attend(beta*(mu[a] + mu[b]), k, v)\n"

/* P(eps < 0) for eps ~ N(1, 1/2) is erfc(1)/2; the share of 4096 samples is within 5 deviations. */
static void test_law_of_the_number_under_P(void **state)
{
    (void)state;
    qkv_report *report = explain(RANDOM "claim: P(k[a].mu[a] < 0) <= 0.1 at alpha = 0\n");
    const qkv_scene *scene = scene_of(report, 0, QKV_SCENE_LAW);
    const qkv_scene_panel *panel = scene->panels;
    const qkv_scene_series *s = &panel->series[0];
    double all = 0, below = 0.005, exact = erfc(1) / 2;
    for (size_t i = 0; i < s->count; i++) {
        double width = s->x[i + 1] - s->x[i], part = -s->x[i] / width;
        all += s->y[i] * width;
        below += s->y[i] * width * (part < 0 ? 0 : part > 1 ? 1 : part);
    }
    double deviation = sqrt(exact * (1 - exact) / (double)scene->samples);
    assert_true(all > 0.985 && all < 0.995);                 /* one in a hundred is left out */
    assert_true(fabs(below - exact) < 5 * deviation + 0.01); /* a bin is cut in two by a line */
    assert_string_equal(panel->x_label, "k[a].mu[a]");
    assert_int_equal(panel->series_count, 2);
    const qkv_scene_series *density = &panel->series[1];
    assert_true(density->line);
    for (size_t i = 0; i < density->count; i++) {
        double off = density->x[i] - 1;
        assert_true(fabs(density->y[i] - exp(-off * off) / sqrt(acos(-1))) < 1e-6);
    }
    assert_int_equal(panel->rule_count, 1);
    assert_true(panel->rules[0].at == 0);
    qkv_report_free(&report);
}

/* The mean of a weight that is seldom large, by the histogram's middles and by a sum over eps. */
static void test_law_has_its_mean(void **state)
{
    (void)state;
    qkv_report *report =
        explain(RANDOM "claim: E(c.weight[a]) <= 1 at alpha = 0, n = 10, beta = 3\n");
    const qkv_scene *scene = scene_of(report, 0, QKV_SCENE_LAW);
    const qkv_scene_series *s = &scene->panels[0].series[0];
    double seen = 0, exact = 0, step = 0.01;
    for (size_t i = 0; i < s->count; i++)
        seen += s->y[i] * (s->x[i + 1] - s->x[i]) * (s->x[i + 1] + s->x[i]) / 2;
    for (double z = -8; z < 8; z += step) {
        double score = 3 * (1 + sqrt(0.5) * z), density = exp(-z * z / 2) / sqrt(2 * acos(-1));
        exact += step * density * exp(score) / (exp(score) + exp(3) + 8);
    }
    double deviation = 0.5 / sqrt((double)scene->samples); /* that of a number in 0 .. 1 at most */
    assert_true(fabs(seen - exact) < 5 * deviation + (s->x[1] - s->x[0]) / 2);
    qkv_report_free(&report);
}

/* One head: what a does not get, b does, but for the other keys, which get little. */
static void test_outputs_fall_on_a_side(void **state)
{
    (void)state;
    qkv_report *report =
        explain(RANDOM "claim: c ~ 1/2 (v[a] + v[b]) as alpha -> 0 then beta -> inf\n");
    const qkv_scene_panel *panel = scene_of(report, 0, QKV_SCENE_FALL)->panels;
    const qkv_scene_series *s = &panel->series[0];
    size_t left = 0, right = 0;
    assert_string_equal(panel->names[0], "a");
    assert_string_equal(panel->names[1], "b");
    assert_int_equal(panel->name_count, 3);
    for (size_t i = 0; i < s->count; i++) {
        assert_true(s->x[i] >= 0 && s->y[i] >= 0 && s->x[i] + s->y[i] <= 1 + 1e-12);
        left += s->x[i] < 0.1;
        right += s->x[i] > 0.9;
    }
    assert_true(left > s->count / 5 && right > s->count / 5);
    qkv_report_free(&report);
}

/* Samples that a condition leaves out would be drawn all the same: then rather nothing is. */
static void test_no_picture_under_conditions(void **state)
{
    (void)state;
    qkv_report *report = explain(
        RANDOM "claim: P(c.weight[a] < 0.9 given k[a].mu[a] > 0) <= 0.3 at alpha = 0, n = 3, "
               "beta = 2\n"
               "claim: c ~ v[a] given k[a].mu[a] > 1 as alpha -> 0 then beta -> inf\n");
    for (size_t i = 0; i < 2; i++) assert_null(qkv_report_claim(report, i)->scene);
    qkv_report_free(&report);
}

/* ---- None, and the rest ------------------------------------------------------------------ */

static void test_no_picture_for_what_is_arbitrary(void **state)
{
    (void)state;
    qkv_report *report = explain("given n >= 2\n"
                                 "keys k[1..n]\n"
                                 "values v[1..n]\n"
                                 "vector q\n"
                                 "pick a in 1..n\n"
                                 "c = attend(q, k, v)\n"
                                 "claim: c.weight[a] < 1\n"
                                 "claim: exists t: attend(t, k, v) ~ v[a]\n");
    qkv_figure *figure = NULL;
    qkv_error error;
    for (size_t i = 0; i < 2; i++) assert_null(qkv_report_claim(report, i)->scene);
    assert_int_equal(qkv_plot_claim(NULL, qkv_report_claim(report, 0), &figure, &error),
                     QKV_ERROR_ARGUMENT);
    assert_string_equal(error.message, "no picture fits the claim on line 7");
    qkv_report_free(&report);
}

/* Every kind becomes a picture, and without memory there is an error and nothing is kept. */
static void test_pictures(void **state)
{
    static const char *const texts[] = {
        ORTHONORMAL "claim: c ~ v[a] as beta -> inf\n",
        RANDOM "claim: Var(c.weight[a]) <= 0.1 at alpha = 0, n = 3, beta = 2\n",
        RANDOM "law of c as alpha -> 0 then beta -> inf\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        qkv_report *report = explain(texts[i]);
        qkv_figure *figure = NULL;
        qkv_picture picture = {.data = NULL};
        qkv_error error;
        const qkv_claim *claim = qkv_report_claim(report, 0);
        check_ok(qkv_plot_claim(NULL, claim, &figure, &error), &error);
        check_ok(qkv_figure_render(figure, QKV_PICTURE_SVG, 0, &picture, &error), &error);
        assert_true(picture.length < 200000);
        qkv_picture_free(&picture);
        qkv_figure_free(&figure);
        long live = qkv__memory_live();
        qkv_status status = QKV_ERROR_MEMORY;
        for (long countdown = 0; status != QKV_OK; countdown++) {
            qkv__memory_fail_after(countdown);
            status = qkv_plot_claim(NULL, claim, &figure, &error);
            qkv__memory_fail_after(-1);
            assert_true(status == QKV_OK || status == QKV_ERROR_MEMORY);
            if (status != QKV_OK) assert_int_equal(qkv__memory_live(), live);
        }
        qkv_figure_free(&figure);
        qkv_report_free(&report);
    }
}

static void test_memory(void **state)
{
    const char *text = RANDOM "claim: P(c.weight[a] < 0.9) <= 0.1 at alpha = 0, n = 3, beta = 2\n"
                              "claim: c ~ v[a] as alpha -> 0 then beta -> inf\n";
    (void)state;
    long live = qkv__memory_live();
    qkv_status status = QKV_ERROR_MEMORY;
    for (long countdown = 0; status != QKV_OK; countdown += 1 + countdown / 40) {
        qkv_report *report = NULL;
        qkv_error error;
        qkv__memory_fail_after(countdown);
        status = qkv_explain("test.qkv", text, strlen(text), NULL, &report, &error);
        qkv__memory_fail_after(-1);
        assert_true(status == QKV_OK || status == QKV_ERROR_MEMORY);
        qkv_report_free(&report);
        assert_int_equal(qkv__memory_live(), live);
        if (countdown > 1000000) fail_msg("it never has enough");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sides_are_the_formulas),
        cmocka_unit_test(test_large_exponents_do_not_overflow),
        cmocka_unit_test(test_axis_keeps_to_the_problem),
        cmocka_unit_test(test_growth_is_seen),
        cmocka_unit_test(test_vectors_by_coefficients),
        cmocka_unit_test(test_least_is_marked),
        cmocka_unit_test(test_numbers_as_bars),
        cmocka_unit_test(test_self_attention_as_rows),
        cmocka_unit_test(test_law_of_the_number_under_P),
        cmocka_unit_test(test_law_has_its_mean),
        cmocka_unit_test(test_outputs_fall_on_a_side),
        cmocka_unit_test(test_no_picture_under_conditions),
        cmocka_unit_test(test_no_picture_for_what_is_arbitrary),
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
