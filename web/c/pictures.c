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

/* Densities of the weight that is watched, bin by bin: of the samples, and exact. */
typedef struct law_bins {
    double edges[PLAY_BINS + 1], samples[PLAY_BINS], exact[PLAY_BINS], most;
} law_bins;

static bool fill_bins(const play_scene *s, law_bins *bins)
{
    double counts[PLAY_BINS + 2], drawn = (double)qkv_lab_sampler_drawn(play_sampler());
    if (!play_histogram(counts)) return false;
    counts[PLAY_BINS] += counts[PLAY_BINS + 1]; /* a weight that rounds to 1 */
    bins->most = 1;
    for (int i = 0; i <= PLAY_BINS; i++) bins->edges[i] = i / (double)PLAY_BINS;
    for (int i = 0; i < PLAY_BINS; i++) {
        double share = 0;
        if (s->has_law && s->law.scale > 0)
            share = qkv_logit_normal_cdf(s->law, bins->edges[i + 1]) -
                    qkv_logit_normal_cdf(s->law, bins->edges[i]);
        bins->exact[i] = share * PLAY_BINS;
        bins->samples[i] = drawn > 0 ? counts[i + 1] * PLAY_BINS / drawn : 0;
        bins->most = fmax(bins->most, fmax(bins->exact[i], bins->samples[i]));
    }
    return true;
}

static void begin_law_panel(qkv_figure *figure, const play_scene *s, double top)
{
    qkv_panel panel = qkv_panel_default();
    char label[64], key[32];
    name_key(key, sizeof key, "k", s->watched);
    snprintf(label, sizeof label,
             s->heads > 1 ? "weight of %s in head %zu (line: exact)" : "weight of %s (line: exact)",
             key, s->head + 1);
    panel.x.label = label;
    panel.x.high = 1;
    panel.y.label = "density";
    panel.y.high = top;
    qkv_figure_panel(figure, &panel);
}

/* The exact density: a line straight up where the weight is the same whatever is drawn. */
static void add_density(qkv_figure *figure, const play_scene *s, double top)
{
    enum { CURVE = 301 };
    double x[CURVE], y[CURVE];
    const qkv_style exact = {.ink = QKV_INK_TEXT, .dash = QKV_DASH_SOLID};
    if (s->law.scale == 0) {
        double weight = qkv_logit_normal_mean(s->law);
        qkv_figure_line(figure, (double[]){weight, weight}, (double[]){0, top}, 2, &exact);
        return;
    }
    for (int i = 0; i < CURVE; i++) {
        x[i] = 0.5 - 0.5 * cos(acos(-1) * i / (CURVE - 1));
        y[i] = qkv_logit_normal_density(s->law, x[i]);
    }
    qkv_figure_line(figure, x, y, CURVE, &exact);
}

/* Single draws, whose weights are in numbers(): a tick each, with a gap to the next. */
static void add_ticks(qkv_figure *figure, double top, size_t count)
{
    enum { MOST = 200 };
    const qkv_style tick = {.ink = QKV_INK_FIRST, .dash = QKV_DASH_SOLID, .opacity = 0.6};
    double x[3 * MOST], y[3 * MOST];
    if (count > MOST) count = MOST;
    if (count > page_number_count()) count = page_number_count();
    for (size_t i = 0; i < count; i++)
        for (size_t part = 0; part < 3; part++) {
            x[3 * i + part] = page_numbers()[i];
            y[3 * i + part] = (double[]){0, top / 4, NAN}[part];
        }
    if (count > 0) qkv_figure_line(figure, x, y, 3 * count, &tick);
}

/* The weight that is watched: a histogram of its samples, single draws, and its law. */
static void add_law(qkv_figure *figure, const play_scene *s, size_t singles)
{
    law_bins bins;
    if (!fill_bins(s, &bins)) return;
    double top = 1.1 * bins.most;
    begin_law_panel(figure, s, top);
    qkv_figure_bars(figure, bins.edges, bins.samples, PLAY_BINS,
                    &(qkv_style){.ink = QKV_INK_FIRST});
    add_ticks(figure, top, singles);
    if (s->has_law) add_density(figure, s, top);
}

/* numbers(): the weights of `singles` single draws. */
PAGE_EXPORT("play_law_picture")
bool play_law_picture(bool dark, double width, double height, size_t singles)
{
    if (play_sampler() == NULL) return page_fail("there is no scene");
    qkv_figure *figure = begin(NULL, NULL, dark, width, height);
    if (figure == NULL) return false;
    add_law(figure, play_current(), singles);
    return page_answer_figure(&figure);
}
