/*
 * Pictures of attention: what is drawn is held against the operator, run key by key, against the
 * laws, and against samples' own spread; examples against what the assignment says of them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/random.h"

#include <qkv/law.h>
#include <qkv/plot.h>

#include "base/memory.h"
#include "figure/part.h"
#include "plot/plot.h"

static const qkv__panel *panel_at(const qkv_figure *figure, size_t index)
{
    const qkv__panel *panel = figure->panels;
    while (index-- > 0 && panel != NULL) panel = panel->next;
    assert_non_null(panel);
    return panel;
}

/* Mark number `index` of a kind in a panel. */
static const qkv__mark *mark_at(const qkv__panel *panel, qkv__mark_kind kind, size_t index)
{
    for (const qkv__mark *mark = panel->marks; mark != NULL; mark = mark->next)
        if (mark->kind == kind && index-- == 0) return mark;
    fail_msg("there is no such mark");
    return NULL;
}

static size_t count_marks(const qkv__panel *panel, qkv__mark_kind kind)
{
    size_t count = 0;
    for (const qkv__mark *mark = panel->marks; mark != NULL; mark = mark->next)
        count += mark->kind == kind;
    return count;
}

/* A picture is small, and drawn whole. */
static void check_picture(qkv_figure **figure)
{
    qkv_picture picture;
    qkv_error error;
    check_ok(qkv_figure_render(*figure, QKV_PICTURE_SVG, 0, &picture, &error), &error);
    assert_true(picture.length > 1000 && picture.length < 400000);
    assert_null(strstr(picture.data, "nan"));
    assert_null(strstr(picture.data, "inf"));
    qkv_picture_free(&picture);
    qkv_figure_free(figure);
}

/* ---- Weights against beta ---------------------------------------------------------------- */

/* The weights of n orthonormal keys under the query sum_i scores[i] k_i, by the operator. */
static void attend(size_t n, const double *scores, double *weights)
{
    double *k = calloc(n * n, sizeof *k), *v = calloc(n, sizeof *v), c[1];
    for (size_t i = 0; i < n; i++) k[i * n + i] = 1;
    qkv_view query = qkv_view_dense(QKV_F64, (double *)(uintptr_t)scores, 2, (size_t[]){1, n});
    qkv_view key = qkv_view_dense(QKV_F64, k, 2, (size_t[]){n, n});
    qkv_view value = qkv_view_dense(QKV_F64, v, 2, (size_t[]){n, 1});
    qkv_view output = qkv_view_dense(QKV_F64, c, 2, (size_t[]){1, 1});
    qkv_attention_options options = qkv_attention_default();
    qkv_error error;
    options.scale = 1;
    options.weights = qkv_view_dense(QKV_F64, weights, 2, (size_t[]){1, n});
    check_ok(qkv_attention(&query, &key, &value, &output, &options, &error), &error);
    free(k);
    free(v);
}

static void check_curve(const qkv__mark *line, size_t n, size_t wanted, const double *parts,
                        size_t which)
{
    double scores[16], weights[16];
    assert_true(line->count > 50);
    for (size_t i = 0; i < line->count; i += 7) {
        for (size_t k = 0; k < n; k++)
            scores[k] = k >= wanted ? 0 : line->x[i] + (parts == NULL ? 0 : log(parts[k]));
        attend(n, scores, weights);
        assert_true(fabs(weights[which] - line->y[i]) < 1e-14);
    }
}

/* At the marked beta the other keys have exactly the tolerance. */
static void check_least(const qkv__mark *point, size_t n, size_t wanted, double tolerance)
{
    double scores[16] = {0}, weights[16], others = 0;
    for (size_t k = 0; k < wanted; k++) scores[k] = point->x[0];
    attend(n, scores, weights);
    for (size_t k = wanted; k < n; k++) others += weights[k];
    assert_true(fabs(others - tolerance) < 1e-13);
    assert_true(fabs(weights[0] - point->y[0]) < 1e-13);
}

static void weights_are_the_operators(void **state)
{
    (void)state;
    const double parts[] = {0.5, 0.3, 0.2};
    const size_t keys[] = {10, 5};
    qkv_plot_options options = qkv_plot_default();
    qkv_figure *figure = NULL;
    qkv_error error;
    options.keys = keys;
    options.key_count = 2;
    options.tolerance = 0.02;
    check_ok(qkv_plot_weights(&options, &figure, &error), &error);
    for (size_t m = 1; m <= 2; m++)
        for (size_t k = 0; k < 2; k++) {
            check_curve(mark_at(panel_at(figure, m - 1), QKV__MARK_LINE, k), keys[k], m, NULL, 0);
            check_least(mark_at(panel_at(figure, m - 1), QKV__MARK_POINTS, k), keys[k], m, 0.02);
        }
    for (size_t p = 0; p < 3; p++)
        check_curve(mark_at(panel_at(figure, 2), QKV__MARK_LINE, p), 10, 3, parts, p);
    check_curve(mark_at(panel_at(figure, 2), QKV__MARK_LINE, 0), 10, 3, parts, 0);
    check_picture(&figure);
}

/* ---- Laws -------------------------------------------------------------------------------- */

static void histograms_follow_the_law(void **state)
{
    (void)state;
    const double betas[] = {0.5, 1.9, 2.1, 10};
    const size_t keys = 4;
    qkv_plot_options options = qkv_plot_default();
    qkv_figure *figure = NULL;
    qkv_error error;
    options.betas = betas;
    options.beta_count = 4;
    options.keys = &keys;
    options.key_count = 1;
    options.samples = 40000;
    check_ok(qkv_plot_law(&options, &figure, &error), &error);
    for (size_t b = 0; b < 4; b++) {
        const qkv__panel *panel = panel_at(figure, b);
        const qkv__mark *bars = mark_at(panel, QKV__MARK_BARS, 0),
                        *line = mark_at(panel, QKV__MARK_LINE, 0);
        qkv_law_options law_options = qkv_law_default();
        qkv_law law;
        law_options.keys = keys;
        law_options.beta = betas[b];
        check_ok(qkv_law_compute(&law_options, &law, &error), &error);
        double whole = 0;
        for (size_t i = 0; i < bars->count; i++) {
            double share = bars->y[i] * (bars->x[i + 1] - bars->x[i]);
            double chance = qkv_logit_normal_between(law.weight, bars->x[i], bars->x[i + 1]);
            double spread = sqrt(chance * (1 - chance) / 40000); /* of a share of 40000 samples */
            if (!(fabs(share - chance) <= 6 * spread + 1e-4))
                fail_msg("beta %g, bin %zu: %g instead of %g", betas[b], i, share, chance);
            whole += share;
        }
        assert_true(fabs(whole - 1) < 1e-9);
        for (size_t i = 0; i < line->count; i += 13)
            assert_true(line->y[i] == qkv_logit_normal_density(law.weight, line->x[i]));
    }
    check_picture(&figure);
}

static void one_peak_up_to_two(void **state)
{
    (void)state;
    const double betas[] = {1.99, 2.01};
    qkv_plot_options options = qkv_plot_default();
    qkv_figure *figure = NULL;
    qkv_error error;
    options.betas = betas;
    options.beta_count = 2;
    options.samples = 100;
    check_ok(qkv_plot_law(&options, &figure, &error), &error);
    assert_string_equal(panel_at(figure, 0)->options.title, "β = 1.99: one peak");
    assert_string_equal(panel_at(figure, 1)->options.title, "β = 2.01: two peaks");
    check_picture(&figure);
}

/* Shares of failures in notes like "fails in 21 % (exactly 21 %)". */
static void check_failures(size_t keys)
{
    qkv_plot_options options = qkv_plot_default();
    qkv_figure *figure = NULL;
    qkv_error error;
    options.samples = 50000;
    options.keys = &keys;
    options.key_count = 1;
    check_ok(qkv_plot_fall(&options, &figure, &error), &error);
    for (int d = 0; d < 3; d++) {
        qkv_law_options law_options = qkv_law_default();
        qkv_law law;
        law_options.design = (qkv_design)(d + 1);
        law_options.keys = keys;
        law_options.beta = 10;
        law_options.tolerance = 0.1;
        check_ok(qkv_law_compute(&law_options, &law, &error), &error);
        double sampled, told;
        const char *note = panel_at(figure, (size_t)d)->options.note;
        assert_int_equal(sscanf(note, "fails in %lf %% (exactly %lf %%)", &sampled, &told), 2);
        assert_true(fabs(told - 100 * law.failure) <= 0.5);
        /* Six standard deviations of a share, and the rounding of both. */
        assert_true(fabs(sampled - 100 * law.failure) <=
                    600 * sqrt(law.failure * (1 - law.failure) / 50000) + 0.5);
    }
    check_picture(&figure);
}

static void failures_are_those_of_the_law(void **state)
{
    (void)state;
    const size_t keys[] = {2, 3, 10, 300, 20000};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) check_failures(keys[i]);
}

/* Discs in the triangle have their shares of the samples as areas, and the mean that the law says:
 * of the weight of a. Without noise there is one. */
static void outputs_lie_in_the_triangle(void **state)
{
    (void)state;
    qkv_figure *figure = NULL;
    qkv_error error;
    check_ok(qkv_plot_fall(NULL, &figure, &error), &error);
    for (size_t d = 0; d < 3; d++) {
        qkv_law_options options = qkv_law_default();
        qkv_law law;
        double area = 0, mean = 0;
        size_t discs = 0;
        options.design = (qkv_design)(d + 1);
        options.keys = 10;
        options.beta = 10;
        check_ok(qkv_law_compute(&options, &law, &error), &error);
        for (const qkv__mark *m = panel_at(figure, d)->marks; m != NULL; m = m->next) {
            if (m->kind != QKV__MARK_POINTS || m->count == 0 || m->style.ink != QKV_INK_FIRST)
                continue;
            assert_int_equal(m->count, 1);
            double others = m->y[0] / sqrt(0.75), a = 1 - m->x[0] - others / 2; /* v_a: left */
            assert_true(others >= 0 && a >= -1e-12 && a + others <= 1 + 1e-9);
            discs++;
            area += m->style.size * m->style.size;
            mean += m->style.size * m->style.size * a;
        }
        assert_true(d == 2 ? discs == 1 : discs > 8);
        /* Six standard deviations of a mean of 4000 numbers up to 1, and the least size of a disc.
         */
        double expected = d == 1 ? law.mean / 2 : law.mean;
        if (!(fabs(mean / area - expected) < 3 / sqrt(4000) + 0.02))
            fail_msg("design %zu: %g instead of %g", d, mean / area, expected);
        assert_true(fabs(area - 34 * 34) < (double)discs * 2.5 * 2.5 + 1e-6);
    }
    check_picture(&figure);
}

static void errors_stack_up_to_the_law(void **state)
{
    (void)state;
    qkv_figure *figure = NULL;
    qkv_error error;
    const size_t keys[] = {3, 10, 100, 1000};
    /* Row 99 of the statements on the assignment, to two digits: a grid was searched for it. */
    const double published[] = {1.02, 2.15, 3.78, 5.18};
    check_ok(qkv_plot_error(NULL, &figure, &error), &error);
    for (size_t r = 0; r < 4; r++)
        for (size_t d = 0; d < 3; d++) {
            const qkv__panel *panel = panel_at(figure, 3 * r + d);
            const qkv__mark *bias = mark_at(panel, QKV__MARK_BAND, 0),
                            *variance = mark_at(panel, QKV__MARK_BAND, 1);
            qkv_law_options options = qkv_law_default();
            qkv_law law, other;
            options.keys = keys[r];
            options.design = (qkv_design)(d + 1);
            for (size_t i = 0; i < bias->count; i += 10) {
                options.beta = bias->x[i];
                check_ok(qkv_law_compute(&options, &law, &error), &error);
                assert_true(fabs(variance->high[i] - law.error) < 1e-12);
                assert_true(fabs(bias->high[i] - law.bias * law.bias) < 1e-12);
            }
            assert_int_equal(count_marks(panel, QKV__MARK_RULE_X), d == 1);
            if (d != 1) continue;
            options.beta = mark_at(panel, QKV__MARK_RULE_X, 0)->at[0];
            assert_true(fabs(options.beta - published[r]) < 0.05);
            check_ok(qkv_law_compute(&options, &law, &error), &error);
            options.design = QKV_DESIGN_SINGLE;
            check_ok(qkv_law_compute(&options, &other, &error), &error);
            assert_true(fabs(law.error - other.error) < 1e-6);
        }
    check_picture(&figure);
}

static void keys_point_the_other_way(void **state)
{
    (void)state;
    qkv_figure *figure = NULL;
    qkv_error error;
    qkv_plot_options options = qkv_plot_default();
    check_ok(qkv_plot_key(&options, &figure, &error), &error);
    assert_non_null(strstr(figure->options.subtitle, "7.9 % of all ε"));
    const qkv__panel *plane = panel_at(figure, 0);
    size_t ahead = mark_at(plane, QKV__MARK_POINTS, 0)->count;
    size_t back = mark_at(plane, QKV__MARK_POINTS, 1)->count;
    assert_int_equal(ahead + back, 400);
    assert_true(back > 5 && back < 64); /* 31.5 expected, six deviations of 5.4 */
    check_picture(&figure);
    options.noise = 0;
    check_ok(qkv_plot_key(&options, &figure, &error), &error);
    assert_non_null(strstr(figure->options.subtitle, "no length is uncertain"));
    assert_string_equal(panel_at(figure, 1)->options.note, "ε is 1, always.");
    check_picture(&figure);
    options.noise = 1e-6;
    check_ok(qkv_plot_key(&options, &figure, &error), &error);
    assert_string_equal(panel_at(figure, 1)->options.note,
                        "95 % of ε lie between 0.998 and 1.002, and no number is impossible.");
    check_picture(&figure);
}

/* Numbers in text are true: as many digits as tell two apart, and never 0 or all for less. */
static void numbers_are_told_in_full(void **state)
{
    (void)state;
    const struct {
        double value;
        const char *text;
    } numbers[] = {{2, "2"},     {2.0001, "2.0001"}, {1.9999, "1.9999"}, {1e-6, "10⁻⁶"},
                   {0.1, "0.1"}, {0.0003, "0.0003"}, {1e6, "10⁶"},       {123456.5, "123456.5"},
                   {0, "0"},     {-0.5, "-0.5"},     {INFINITY, "∞"},    {NAN, "NaN"}},
      shares[] = {{0, "0 %"},    {1e-12, "10⁻¹⁰ %"}, {0.079, "7.9 %"},  {0.9999999, "99.99999 %"},
                  {0.5, "50 %"}, {1, "100 %"},       {0.0025, "0.25 %"}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        assert_string_equal(qkv__plot_number(numbers[i].value).text, numbers[i].text);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        assert_string_equal(qkv__plot_percent(shares[i].value).text, shares[i].text);
}

/* Without a place where one head and two are equally good, no words speak of one. */
static void errors_without_crossings(void **state)
{
    (void)state;
    const size_t two = 2;
    qkv_figure *figure = NULL;
    qkv_error error;
    qkv_plot_options options = qkv_plot_default();
    options.keys = &two;
    options.key_count = 1;
    check_ok(qkv_plot_error(&options, &figure, &error), &error);
    assert_null(strstr(figure->options.subtitle, "upright"));
    assert_null(strstr(figure->options.title, "not better"));
    check_picture(&figure);
    options.key_count = 0;
    check_ok(qkv_plot_error(&options, &figure, &error), &error);
    assert_non_null(strstr(figure->options.subtitle, "At the vertical line one head"));
    check_picture(&figure);
}

/* ---- Any attention ----------------------------------------------------------------------- */

enum { HEADS = 3, QUERIES = 5, KEYS = 7, WIDTH = 4 };

static void fill(random_source *source, double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) numbers[i] = 4 * random_uniform(source) - 2;
}

static void heat_maps_hold_the_weights(void **state)
{
    (void)state;
    random_source source = {31};
    double q[HEADS * QUERIES * WIDTH], k[HEADS * KEYS * WIDTH], sum;
    fill(&source, q, HEADS * QUERIES * WIDTH);
    fill(&source, k, HEADS * KEYS * WIDTH);
    qkv_view query = qkv_view_dense(QKV_F64, q, 3, (size_t[]){HEADS, QUERIES, WIDTH});
    qkv_view key = qkv_view_dense(QKV_F64, k, 3, (size_t[]){HEADS, KEYS, WIDTH});
    qkv_plot_attention attention = {.query = &query, .key = &key};
    qkv_figure *figure = NULL;
    qkv_error error;
    check_ok(qkv_plot_heat(NULL, &attention, &figure, &error), &error);
    for (size_t h = 0; h < HEADS; h++) {
        char name[32];
        snprintf(name, sizeof name, "head %zu", h);
        assert_string_equal(panel_at(figure, h)->options.title, name);
        const qkv_heat *heat = &mark_at(panel_at(figure, h), QKV__MARK_HEAT, 0)->heat;
        assert_true(heat->rows == QUERIES && heat->columns == KEYS);
        for (size_t i = 0; i < QUERIES; i++) {
            double scores[KEYS], entropy = 0;
            sum = 0;
            for (size_t j = 0; j < KEYS; j++) {
                scores[j] = 0;
                for (size_t x = 0; x < WIDTH; x++)
                    scores[j] += q[(h * QUERIES + i) * WIDTH + x] * k[(h * KEYS + j) * WIDTH + x];
                sum += scores[j] = exp(scores[j] / 2); /* the scale is 1/sqrt(4) */
            }
            for (size_t j = 0; j < KEYS; j++) {
                assert_true(fabs(heat->values[i * KEYS + j] - scores[j] / sum) < 1e-14);
                entropy -= scores[j] / sum * log(scores[j] / sum);
            }
            assert_true(fabs(heat->beside[i] - entropy) < 1e-13);
        }
    }
    check_picture(&figure);
}

/* 300 x 200 weights in blocks: every weight is below its block's, and some block has each largest.
 */
static void large_maps_show_the_largest(void **state)
{
    (void)state;
    enum { ROWS = 300, COLUMNS = 200 };
    random_source source = {32};
    float *w = calloc(ROWS * COLUMNS, sizeof *w);
    float largest = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        w[i] = (float)random_uniform(&source);
        if (w[i] > largest) largest = w[i];
    }
    qkv_view weights = qkv_view_dense(QKV_F32, w, 2, (size_t[]){ROWS, COLUMNS});
    qkv_plot_attention attention = {.weights = &weights};
    qkv_figure *figure = NULL;
    qkv_error error;
    check_ok(qkv_plot_heat(NULL, &attention, &figure, &error), &error);
    const qkv_heat *heat = &mark_at(panel_at(figure, 0), QKV__MARK_HEAT, 0)->heat;
    size_t high = (ROWS + heat->rows - 1) / heat->rows,
           wide = (COLUMNS + heat->columns - 1) / heat->columns;
    double most = 0;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++) {
            double cell = heat->values[i / high * heat->columns + j / wide];
            assert_true((double)w[i * COLUMNS + j] <= cell);
            most = fmax(most, cell);
        }
    assert_true(most == (double)largest);
    assert_non_null(strstr(figure->options.subtitle, "A cell is the largest of 2 × 2 weights."));
    check_picture(&figure);
    free(w);
}

/* 12 heads over 64 tokens: every weight has its cell, of at least four pixels, at any width from
 * the default on. */
static void real_heads_are_not_pooled(void **state)
{
    (void)state;
    enum { COUNT = 12, TOKENS = 64 };
    random_source source = {33};
    float *w = calloc(COUNT * TOKENS * TOKENS, sizeof *w);
    for (int i = 0; i < COUNT * TOKENS * TOKENS; i++) w[i] = (float)random_uniform(&source);
    qkv_view weights = qkv_view_dense(QKV_F32, w, 3, (size_t[]){COUNT, TOKENS, TOKENS});
    qkv_plot_attention attention = {.weights = &weights};
    for (double width = 720; width <= 2000; width += 320) {
        qkv_plot_options options = qkv_plot_default();
        qkv_figure *figure = NULL;
        qkv_picture picture;
        qkv_error error;
        options.width = width;
        check_ok(qkv_plot_heat(&options, &attention, &figure, &error), &error);
        for (size_t h = 0; h < COUNT; h++) {
            const qkv_heat *heat = &mark_at(panel_at(figure, h), QKV__MARK_HEAT, 0)->heat;
            assert_true(heat->rows == TOKENS && heat->columns == TOKENS);
            for (size_t i = 0; i < (size_t)TOKENS * TOKENS; i++)
                assert_true(heat->values[i] == (double)w[h * TOKENS * TOKENS + i]);
        }
        assert_null(strstr(figure->options.subtitle, "largest"));
        check_ok(qkv_figure_render(figure, QKV_PICTURE_SVG, 0, &picture, &error), &error);
        const char *scale = strstr(picture.data, "class=\"heat\"");
        assert_non_null(scale);
        scale = strstr(scale, "scale(");
        assert_non_null(scale);
        assert_true(strtod(scale + strlen("scale("), NULL) >= 4);
        qkv_picture_free(&picture);
        qkv_figure_free(&figure);
    }
    free(w);
}

static void the_example_says_what_it_should(void **state)
{
    (void)state;
    qkv_figure *figure = NULL;
    qkv_error error;
    check_ok(qkv_plot_diagram(NULL, NULL, &figure, &error), &error);
    const qkv__panel *panel = panel_at(figure, 0);
    const char *const outputs[] = {"q_{1} = u_{c}\nc_{1} ≈ u_{b} − u_{c}",
                                   "q_{2} = u_{d}\nc_{2} ≈ u_{b}",
                                   "q_{3} = 0\nc_{3} ≈ 0.67 u_{b} − 0.33 u_{c}"};
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(mark_at(panel, QKV__MARK_BOX, 3 + i)->text, outputs[i]);
    /* One arrow each for the first two, three for the one that looks nowhere. */
    assert_int_equal(count_marks(panel, QKV__MARK_ARROW), 5);
    check_picture(&figure);
    /* At beta = 1 the first output is far from what is wanted: F = e. */
    qkv_plot_options options = qkv_plot_default();
    const double beta = 1;
    options.betas = &beta;
    options.beta_count = 1;
    check_ok(qkv_plot_diagram(&options, NULL, &figure, &error), &error);
    char expected[80];
    double f = exp(1);
    snprintf(expected, sizeof expected, "q_{1} = u_{c}\nc_{1} ≈ %.2f u_{b} − %.2f u_{c}",
             (f + 1) / (f + 2), f / (f + 2));
    assert_string_equal(mark_at(panel_at(figure, 0), QKV__MARK_BOX, 3)->text, expected);
    check_picture(&figure);
}

/* The numbers of a diagram do not overlap each other nor a box, however many arrows there are; the
 * largest weight of every query has its number. Returns how many there are. */
static size_t check_numbers(const qkv_figure *figure, const double *w, size_t n)
{
    enum { SIZE = 12, MOST = 12 * 12, HEADINGS = 2 };
    qkv__arena arena = {0};
    qkv__layout layout;
    double x[MOST], y[MOST], width[MOST];
    const qkv__panel *panel = panel_at(figure, 0);
    assert_true(qkv__figure_layout(figure, &arena, &layout));
    const qkv__panel_place *place = &layout.places[0];
    size_t count = count_marks(panel, QKV__MARK_TEXT) - HEADINGS;
    const qkv__mark *key = mark_at(panel, QKV__MARK_BOX, 0),
                    *query = mark_at(panel, QKV__MARK_BOX, n);
    double begin = qkv__scale_map(&place->x, key->at[0] + key->at[2] / 2),
           end = qkv__scale_map(&place->x, query->at[0] - query->at[2] / 2);
    for (size_t i = 0; i < count; i++) {
        const qkv__mark *mark = mark_at(panel, QKV__MARK_TEXT, HEADINGS + i);
        x[i] = qkv__scale_map(&place->x, mark->at[0]);
        y[i] = qkv__scale_map(&place->y, mark->at[1]);
        width[i] = qkv__figure_measure(mark->text, strlen(mark->text), SIZE, true);
        assert_true(x[i] - width[i] / 2 > begin && x[i] + width[i] / 2 < end);
        for (size_t j = 0; j < i; j++)
            assert_true(fabs(x[i] - x[j]) > (width[i] + width[j]) / 2 || fabs(y[i] - y[j]) > SIZE);
    }
    for (size_t i = 0; i < n; i++) {
        double largest = 0;
        bool found = false;
        for (size_t j = 0; j < n; j++) largest = fmax(largest, w[i * n + j]);
        for (size_t j = 0; j < count; j++)
            found |= strcmp(mark_at(panel, QKV__MARK_TEXT, HEADINGS + j)->text,
                            qkv__plot_digits(largest, 2).text) == 0;
        assert_true(found);
    }
    qkv__arena_free(&arena);
    return count;
}

static void numbers_of_a_diagram_stand_apart(void **state)
{
    (void)state;
    random_source source = {17};
    const double widths[] = {0, 400, 1200};
    for (size_t n = 1; n <= 12; n++)
        for (size_t c = 0; c < 3; c++) {
            double w[12 * 12];
            for (size_t i = 0; i < n; i++) { /* the sizes 1 to 2 n, shuffled by a shift */
                double sum = 0;
                size_t shift = random_below(&source, n);
                for (size_t j = 0; j < n; j++)
                    sum += w[i * n + j] = 1 + (double)((j + shift) % n + n * (j == shift));
                for (size_t j = 0; j < n; j++) w[i * n + j] = floor(w[i * n + j] / sum * 100) / 100;
            }
            qkv_view weights = qkv_view_dense(QKV_F64, w, 2, (size_t[]){n, n});
            qkv_plot_options options = qkv_plot_default();
            qkv_figure *figure = NULL;
            qkv_error error;
            options.width = widths[c];
            check_ok(qkv_plot_diagram(&options, &(qkv_plot_attention){.weights = &weights}, &figure,
                                      &error),
                     &error);
            size_t count = check_numbers(figure, w, n);
            if (c != 1 && n <= 8) assert_int_equal(count, n * n); /* there is room for all */
            check_picture(&figure);
        }
}

static void orders_move_the_picture(void **state)
{
    (void)state;
    random_source source = {33};
    double q[KEYS * WIDTH], k[KEYS * WIDTH];
    size_t order[KEYS] = {3, 6, 0, 2, 5, 1, 4};
    fill(&source, q, KEYS * WIDTH);
    fill(&source, k, KEYS * WIDTH);
    qkv_view query = qkv_view_dense(QKV_F64, q, 2, (size_t[]){KEYS, WIDTH});
    qkv_view key = qkv_view_dense(QKV_F64, k, 2, (size_t[]){KEYS, WIDTH});
    qkv_attention_options causal = qkv_attention_default();
    causal.causal = true;
    qkv_plot_attention attention = {.query = &query, .key = &key, .order = order};
    qkv_figure *figure = NULL;
    qkv_error error;
    check_ok(qkv_plot_permutation(NULL, &attention, &figure, &error), &error);
    assert_non_null(strstr(figure->options.subtitle, "are the same weights, moved"));
    const qkv_heat *before = &mark_at(panel_at(figure, 0), QKV__MARK_HEAT, 0)->heat;
    const qkv_heat *after = &mark_at(panel_at(figure, 1), QKV__MARK_HEAT, 0)->heat;
    for (size_t i = 0; i < KEYS; i++) {
        double exponentials[KEYS], sum = 0;
        for (size_t j = 0; j < KEYS; j++) {
            double score = 0;
            for (size_t x = 0; x < WIDTH; x++) score += q[i * WIDTH + x] * k[j * WIDTH + x];
            sum += exponentials[j] = exp(score / 2);
        }
        for (size_t j = 0; j < KEYS; j++)
            assert_true(fabs(before->values[i * KEYS + j] - exponentials[j] / sum) < 1e-14);
    }
    for (size_t i = 0; i < KEYS; i++)
        for (size_t j = 0; j < KEYS; j++)
            assert_true(fabs(after->values[i * KEYS + j] -
                             before->values[order[i] * KEYS + order[j]]) < 1e-14);
    assert_string_equal(panel_at(figure, 1)->options.x.names[1], "7");
    check_picture(&figure);
    attention.attention = &causal;
    check_ok(qkv_plot_permutation(NULL, &attention, &figure, &error), &error);
    assert_non_null(strstr(figure->options.subtitle, "are not the same weights"));
    check_picture(&figure);
    check_ok(qkv_plot_permutation(NULL, NULL, &figure, &error), &error);
    check_picture(&figure);
    order[0] = 6;
    check_error(qkv_plot_permutation(NULL, &attention, &figure, &error), QKV_ERROR_ARGUMENT, &error,
                "order[1] is 6");
    order[0] = 3;
    assert_null(figure);
}

/* ---- What cannot be ---------------------------------------------------------------------- */

static void refuse(qkv_plot_options options, const char *words)
{
    qkv_figure *figure = NULL;
    qkv_error error;
    check_error(qkv_plot_law(&options, &figure, &error), QKV_ERROR_ARGUMENT, &error, words);
    assert_null(figure);
}

/* A plot is of laws or of attention, draws by itself where the table says so, and refuses to where
 * it does not. */
static void the_table_has_every_plot_once(void **state)
{
    size_t count;
    const qkv_plot *plots = qkv_plots(&count);
    (void)state;
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        qkv_plot_options options = qkv_plot_default();
        qkv_figure *figure = NULL;
        qkv_error error;
        const qkv_plot *plot = &plots[i];
        const bool alone = plot->of_laws != NULL || (plot->takes & QKV_PLOT_HAS_EXAMPLE) != 0;
        options.samples = 1000;
        assert_true((plot->of_laws == NULL) != (plot->of_attention == NULL));
        for (size_t j = 0; j < i; j++) assert_string_not_equal(plot->name, plots[j].name);
        qkv_status status = plot->of_laws != NULL
                                ? plot->of_laws(&options, &figure, &error)
                                : plot->of_attention(&options, NULL, &figure, &error);
        assert_int_equal(status == QKV_OK, alone);
        assert_int_equal(figure != NULL, alone);
        qkv_figure_free(&figure);
    }
}

static void options_are_checked(void **state)
{
    (void)state;
    const size_t one = 1;
    const double zero = 0, many[7] = {1, 1, 1, 1, 1, 1, 1};
    qkv_plot_options o = qkv_plot_default();
    o.keys = &one, o.key_count = 1;
    refuse(o, "options.keys[0] is 1");
    o = qkv_plot_default();
    o.betas = &zero, o.beta_count = 1;
    refuse(o, "options.betas[0] is 0");
    o.betas = many, o.beta_count = 7;
    refuse(o, "options.beta_count is 7");
    o = qkv_plot_default();
    o.noise = -1;
    refuse(o, "options.noise is -1");
    o = qkv_plot_default();
    o.tolerance = 1;
    refuse(o, "options.tolerance is 1");
    o = qkv_plot_default();
    o.struct_size = 1;
    refuse(o, "struct_size is 1");
    o = qkv_plot_default();
    o.width = 1;
    refuse(o, "width is 1");
}

static void attention_is_checked(void **state)
{
    (void)state;
    double numbers[2 * 20 * 2] = {0};
    qkv_view flat = qkv_view_dense(QKV_F64, numbers, 1, (size_t[]){4});
    qkv_view heads = qkv_view_dense(QKV_F64, numbers, 3, (size_t[]){2, 2, 2});
    qkv_view tall = qkv_view_dense(QKV_F64, numbers, 2, (size_t[]){20, 2});
    qkv_view empty = qkv_view_dense(QKV_F64, numbers, 2, (size_t[]){0, 2});
    qkv_figure *figure = NULL;
    qkv_error error;
    check_error(qkv_plot_heat(NULL, &(qkv_plot_attention){.weights = &flat}, &figure, &error),
                QKV_ERROR_SHAPE, &error, "weights has rank 1");
    check_error(qkv_plot_heat(NULL, &(qkv_plot_attention){.query = &heads}, &figure, &error),
                QKV_ERROR_ARGUMENT, &error, "no key");
    check_error(qkv_plot_heat(NULL, &(qkv_plot_attention){.weights = &empty}, &figure, &error),
                QKV_ERROR_SHAPE, &error, "0 queries");
    check_error(qkv_plot_diagram(NULL, &(qkv_plot_attention){.weights = &heads}, &figure, &error),
                QKV_ERROR_SHAPE, &error, "2 heads");
    check_error(qkv_plot_diagram(NULL, &(qkv_plot_attention){.weights = &tall}, &figure, &error),
                QKV_ERROR_SHAPE, &error, "weights has 20 rows");
    check_error(
        qkv_plot_permutation(NULL, &(qkv_plot_attention){.weights = &tall}, &figure, &error),
        QKV_ERROR_ARGUMENT, &error, "no query");
    double odd[4] = {0.5, 0.5, 0.25, INFINITY};
    qkv_view strange = qkv_view_dense(QKV_F64, odd, 2, (size_t[]){2, 2});
    check_error(qkv_plot_heat(NULL, &(qkv_plot_attention){.weights = &strange}, &figure, &error),
                QKV_ERROR_ARGUMENT, &error, "weights: row 1, column 1, counted from 0, is inf;");
    qkv_view two = qkv_view_dense(QKV_F64, odd, 3, (size_t[]){2, 1, 2}); /* heads as well as rows */
    check_error(qkv_plot_heat(NULL, &(qkv_plot_attention){.weights = &two}, &figure, &error),
                QKV_ERROR_ARGUMENT, &error,
                "weights: head 1, row 0, column 1, counted from 0, is inf;");
    assert_null(figure);
    odd[3] = 0.25; /* numbers from 0 to 1 that do not sum to 1 have no entropy */
    check_ok(qkv_plot_heat(NULL, &(qkv_plot_attention){.weights = &strange}, &figure, &error),
             &error);
    const qkv_heat *heat = &mark_at(panel_at(figure, 0), QKV__MARK_HEAT, 0)->heat;
    assert_true(fabs(heat->beside[0] - log(2)) < 1e-15 && isnan(heat->beside[1]));
    assert_non_null(strstr(figure->options.subtitle, "1 row does not sum to 1, and has none."));
    check_picture(&figure);
}

static qkv_status plot_one(int which, qkv_figure **figure, qkv_error *error)
{
    const double beta = 3;
    qkv_plot_options o = qkv_plot_default();
    o.samples = 50;
    o.betas = &beta;
    o.beta_count = 1;
    switch (which) {
    case 0: return qkv_plot_key(&o, figure, error);
    case 1: return qkv_plot_weights(&o, figure, error);
    case 2: return qkv_plot_law(&o, figure, error);
    case 3: return qkv_plot_fall(&o, figure, error);
    case 4: return qkv_plot_diagram(&o, NULL, figure, error);
    case 5: return qkv_plot_permutation(&o, NULL, figure, error);
    default: break;
    }
    double w[4] = {0.5, 0.5, 0.25, 0.75};
    qkv_view weights = qkv_view_dense(QKV_F64, w, 2, (size_t[]){2, 2});
    return qkv_plot_heat(&o, &(qkv_plot_attention){.weights = &weights}, figure, error);
}

/* Either it is told, or the picture is whole. */
static void without_memory_nothing_leaks(void **state)
{
    (void)state;
    long before = qkv__memory_live();
    for (int which = 0; which < 7; which++) {
        qkv_figure *figure = NULL;
        qkv_picture whole, picture = {NULL, 0};
        qkv_error error = {QKV_OK, ""};
        check_ok(plot_one(which, &figure, &error), &error);
        check_ok(qkv_figure_render(figure, QKV_PICTURE_SVG, 0, &whole, &error), &error);
        qkv_figure_free(&figure);
        for (long allocations = 0, good = 0; good < 3; allocations++) {
            qkv__memory_fail_after(allocations);
            qkv_status status = plot_one(which, &figure, &error);
            if (status == QKV_OK)
                status = qkv_figure_render(figure, QKV_PICTURE_SVG, 0, &picture, &error);
            qkv__memory_fail_after(-1);
            assert_true(status == QKV_OK || status == QKV_ERROR_MEMORY);
            good = status == QKV_OK ? good + 1 : 0;
            if (status == QKV_OK) assert_string_equal(picture.data, whole.data);
            qkv_picture_free(&picture);
            qkv_figure_free(&figure);
            assert_int_equal(qkv__memory_live(), before + 1);
            assert_true(allocations < 2000);
        }
        qkv_picture_free(&whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_the_operators),
        cmocka_unit_test(histograms_follow_the_law),
        cmocka_unit_test(one_peak_up_to_two),
        cmocka_unit_test(failures_are_those_of_the_law),
        cmocka_unit_test(outputs_lie_in_the_triangle),
        cmocka_unit_test(errors_stack_up_to_the_law),
        cmocka_unit_test(keys_point_the_other_way),
        cmocka_unit_test(numbers_are_told_in_full),
        cmocka_unit_test(errors_without_crossings),
        cmocka_unit_test(heat_maps_hold_the_weights),
        cmocka_unit_test(real_heads_are_not_pooled),
        cmocka_unit_test(large_maps_show_the_largest),
        cmocka_unit_test(the_example_says_what_it_should),
        cmocka_unit_test(numbers_of_a_diagram_stand_apart),
        cmocka_unit_test(orders_move_the_picture),
        cmocka_unit_test(the_table_has_every_plot_once),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(attention_is_checked),
        cmocka_unit_test(without_memory_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
