/*
 * Pictures for the page, all by the library's figures: those of plot.h, and those of the playground
 * as it stands. Knows nothing of how they are shown.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/plot.h>

#include "play.h"

/* ---- Those of plot.h ---------------------------------------------------------------------------
 */

/* The plot of that name, if it needs no attention; NULL: there is none. */
static const qkv_plot *plot_named(const char *name)
{
    size_t count;
    const qkv_plot *plots = qkv_plots(&count);
    for (size_t i = 0; i < count; i++) {
        bool alone = plots[i].of_laws != NULL || (plots[i].takes & QKV_PLOT_HAS_EXAMPLE) != 0;
        if (alone && strcmp(plots[i].name, name) == 0) return &plots[i];
    }
    return NULL;
}

/* input(): the name in qkv_plots(), of a plot that needs no attention. numbers(): noise, tolerance
 * (0: the picture's own), samples, then numbers of keys, then betas. */
PAGE_EXPORT("picture")
bool picture(bool dark, double width, size_t key_count, size_t beta_count)
{
    enum { FIXED = 3, MOST = 6 };
    size_t keys[MOST], length;
    qkv_plot_options options = qkv_plot_default();
    qkv_figure *figure = NULL;
    qkv_error error;
    const double *numbers = page_numbers();
    const qkv_plot *plot = plot_named(page_input(&length));
    if (key_count > MOST || beta_count > MOST || plot == NULL ||
        page_number_count() < FIXED + key_count + beta_count)
        return page_fail("there is no such picture");
    for (size_t i = 0; i < key_count; i++) keys[i] = (size_t)numbers[FIXED + i];
    options.theme = dark ? QKV_THEME_DARK : QKV_THEME_LIGHT;
    options.width = width;
    options.noise = numbers[0];
    options.tolerance = numbers[1];
    options.samples = (uint64_t)numbers[2];
    options.keys = key_count > 0 ? keys : NULL;
    options.key_count = key_count;
    options.betas = beta_count > 0 ? numbers + FIXED + key_count : NULL;
    options.beta_count = beta_count;
    qkv_status status = plot->of_laws != NULL ? plot->of_laws(&options, &figure, &error)
                                              : plot->of_attention(&options, NULL, &figure, &error);
    if (status != QKV_OK) return page_fail(error.message);
    return page_answer_figure(&figure);
}

/* ---- Laws as numbers
 * ----------------------------------------------------------------------------- */

/* Leaves mean, variance, covariance, leak, bias, error, failure, location, scale, |q|. */
PAGE_EXPORT("law")
bool law(int design, size_t keys, size_t wanted, double beta, double noise, double tolerance)
{
    qkv_law_options options = qkv_law_default();
    qkv_law found;
    qkv_error error;
    double *to = page_results(10);
    options.design = (qkv_design)design;
    options.keys = keys;
    options.wanted = wanted;
    options.beta = beta;
    options.noise = noise;
    options.tolerance = tolerance;
    if (to == NULL) return page_fail("out of memory");
    if (qkv_law_compute(&options, &found, &error) != QKV_OK) return page_fail(error.message);
    memcpy(to,
           (double[]){found.mean, found.variance, found.covariance, found.leak, found.bias,
                      found.error, found.failure, found.weight.location, found.weight.scale,
                      found.query_norm},
           10 * sizeof *to);
    return true;
}

/* Leaves the first beta where one head for two keys and two heads have the same error. */
PAGE_EXPORT("crossing") bool crossing(size_t keys, double noise)
{
    qkv_law_options options = qkv_law_default();
    qkv_error error;
    size_t count = 0;
    bool first_better;
    double *to = page_results(1);
    options.keys = keys;
    options.noise = noise;
    if (to == NULL) return page_fail("out of memory");
    if (qkv_law_crossings(&options, QKV_DESIGN_HEADS, to, 1, &count, &first_better, &error) !=
        QKV_OK)
        return page_fail(error.message);
    return count > 0 || page_fail("there is no such beta");
}

/* Leaves the density of a logit-normal law at `count` weights, which are in numbers(). */
PAGE_EXPORT("density") bool density(double location, double scale, size_t count)
{
    double *to = page_results(count);
    if (to == NULL || page_number_count() < count) return page_fail("there are no weights");
    for (size_t i = 0; i < count; i++)
        to[i] = qkv_logit_normal_density((qkv_logit_normal){location, scale}, page_numbers()[i]);
    return true;
}

/* ---- The playground
 * -------------------------------------------------------------------------------- */

static qkv_figure *begin(const char *title, const char *subtitle, bool dark, double width,
                         double height)
{
    qkv_figure *figure = NULL;
    qkv_figure_options options = qkv_figure_default();
    qkv_error error;
    options.title = title;
    options.subtitle = subtitle;
    options.theme = dark ? QKV_THEME_DARK : QKV_THEME_LIGHT;
    options.width = width;
    options.panel_height = height;
    if (qkv_figure_create(&options, &figure, &error) != QKV_OK) page_fail(error.message);
    return figure;
}

/* "a", "b", "3", ... */
static void name_key(char *name, size_t size, const char *what, size_t key)
{
    if (key < 2)
        snprintf(name, size, "%s_{%c}", what, (char)('a' + key));
    else
        snprintf(name, size, "%s_{%zu}", what, key + 1);
}

/* The histogram of the weight that is watched, as a density, and its law. */
static void add_law(qkv_figure *figure, const play_scene *s)
{
    enum { CURVE = 301 };
    double counts[PLAY_BINS + 2], edges[PLAY_BINS + 1], heights[PLAY_BINS], top = 0;
    double drawn = (double)qkv_lab_sampler_drawn(play_sampler());
    if (!play_histogram(counts)) return;
    counts[PLAY_BINS] += counts[PLAY_BINS + 1]; /* a weight that rounds to 1 */
    qkv_panel panel = qkv_panel_default();
    char label[64], key[32];
    name_key(key, sizeof key, "k", s->watched);
    snprintf(label, sizeof label, s->heads > 1 ? "weight of %s in head %zu" : "weight of %s", key,
             s->head + 1);
    for (int i = 0; i < PLAY_BINS; i++) {
        edges[i] = i / (double)PLAY_BINS;
        heights[i] = drawn > 0 ? counts[i + 1] * PLAY_BINS / drawn : 0;
        top = fmax(top, heights[i]);
    }
    edges[PLAY_BINS] = 1;
    panel.x.label = label;
    panel.x.high = 1;
    panel.y.label = "density";
    panel.y.high = fmin(fmax(1.2 * top, 2), 12);
    qkv_figure_panel(figure, &panel);
    qkv_figure_bars(figure, edges, heights, PLAY_BINS,
                    &(qkv_style){.label = "samples", .ink = QKV_INK_FIRST});
    if (!s->has_law) return;
    double x[CURVE], y[CURVE];
    const qkv_style exact = {.label = "exact", .ink = QKV_INK_TEXT, .dash = QKV_DASH_SOLID};
    if (s->law.scale == 0) { /* one weight, whatever is drawn */
        double weight = qkv_logit_normal_mean(s->law);
        qkv_figure_line(figure, (double[]){weight, weight}, (double[]){0, panel.y.high}, 2, &exact);
        return;
    }
    for (int i = 0; i < CURVE; i++) {
        x[i] = 0.5 - 0.5 * cos(acos(-1) * i / (CURVE - 1));
        y[i] = qkv_logit_normal_density(s->law, x[i]);
    }
    qkv_figure_line(figure, x, y, CURVE, &exact);
}

PAGE_EXPORT("play_law_picture") bool play_law_picture(bool dark, double width, double height)
{
    if (play_sampler() == NULL) return page_fail("there is no scene");
    qkv_figure *figure = begin(NULL, NULL, dark, width, height);
    if (figure == NULL) return false;
    add_law(figure, play_current());
    return page_answer_figure(&figure);
}
