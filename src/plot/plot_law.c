/* The law of the weight of a key of uncertain length: its density over samples of it. */
#include <math.h>

#include <qkv/law.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "figure/make.h"
#include "plot/plot.h"

enum { BINS = 50, CURVE = 401 };

/* Samples of the weight of k_a under q = beta (mu_a + mu_b). */
static qkv_status draw_weights(const qkv__plot *plot, double beta, double **rows, qkv_error *error)
{
    const qkv_lab_quantity quantity = {.kind = QKV_LAB_WEIGHT};
    size_t n = qkv__plot_pooled(plot->keys[0]);
    double coefficients[3] = {beta, beta, n > 2 ? qkv__plot_rest_score(plot->keys[0], 0) : 0};
    qkv__draw_request request = {.keys = n,
                                 .heads = 1,
                                 .coefficients = coefficients,
                                 .noise = plot->options.noise,
                                 .quantity_count = 1,
                                 .quantities = &quantity,
                                 .seed = plot->options.seed};
    return qkv__plot_draw(&request, (size_t)plot->options.samples, rows, error);
}

/* Closer together near 0 and 1, where the density is steep. */
static void add_density(qkv_figure *figure, qkv_logit_normal weight)
{
    double x[CURVE], y[CURVE];
    for (int i = 0; i < CURVE; i++) {
        x[i] = 0.5 - 0.5 * cos(acos(-1) * i / (CURVE - 1));
        y[i] = qkv_logit_normal_density(weight, x[i]);
    }
    qkv_figure_line(
        figure, x, y, CURVE,
        &(qkv_style){.ink = QKV_INK_SECOND, .dash = QKV_DASH_SOLID, .label = "exact density"});
}

static void add_panel(qkv_figure *figure, const qkv__plot *plot, double beta, const qkv_law *law,
                      const double *rows)
{
    double edges[BINS + 1], heights[BINS], top = 0, modes[2];
    qkv__text title = {0}, note = {0};
    qkv__plot_histogram(rows, 1, (size_t)plot->options.samples, 0, 1, BINS, edges, heights);
    for (int i = 0; i < BINS; i++) top = fmax(top, heights[i]);
    size_t peaks = qkv_logit_normal_modes(law->weight, modes);
    qkv__text_format(&title, "β = %s: %s", qkv__plot_number(beta).text,
                     law->weight.scale == 0 ? "always the same"
                     : peaks == 2           ? "two peaks"
                                            : "one peak");
    double between = qkv_logit_normal_between(law->weight, 0.1, 0.9);
    bool nearly = between > 0.9999 && between < 1; /* the digits that follow tell nobody anything */
    qkv__text_format(&note, "%s%s between 0.1 and 0.9", nearly ? "over " : "",
                     qkv__plot_percent(nearly ? 0.9999 : between).text);
    qkv_panel panel = qkv_panel_default();
    panel.title = title.data;
    panel.note = note.data;
    panel.x = (qkv_axis){.label = "weight of k_{a}", .low = 0, .high = 1};
    panel.y = (qkv_axis){.label = "density", .low = 0, .high = 1.1 * top};
    qkv_figure_panel(figure, &panel);
    qkv_figure_bars(figure, edges, heights, BINS,
                    &(qkv_style){.ink = QKV_INK_FIRST, .label = "samples"});
    if (law->weight.scale > 0) add_density(figure, law->weight);
    qkv__figure_said(figure, &title);
    qkv__figure_said(figure, &note);
}

static qkv_status add_beta(qkv_figure *figure, const qkv__plot *plot, double beta, qkv_error *error)
{
    qkv_law_options options = qkv_law_default();
    qkv_law law;
    double *rows = NULL;
    options.keys = plot->keys[0];
    options.beta = beta;
    options.noise = plot->options.noise;
    qkv_status status = qkv_law_compute(&options, &law, error);
    if (status == QKV_OK) status = draw_weights(plot, beta, &rows, error);
    if (status == QKV_OK) add_panel(figure, plot, beta, &law, rows);
    qkv__free(rows);
    return status;
}

qkv_status qkv_plot_law(const qkv_plot_options *options, qkv_figure **figure, qkv_error *error)
{
    static const qkv__plot_own own = {.title = "One head tosses a coin",
                                      .keys = {2},
                                      .key_count = 1,
                                      .one_keys = true,
                                      .betas = {0.5, 2, 4, 10},
                                      .beta_count = 4};
    qkv__plot plot;
    qkv_figure *made = NULL;
    qkv__text text = {0};
    qkv_status status = qkv__plot_take(options, &own, &plot, error);
    if (status != QKV_OK) return status;
    qkv__text_format(&text,
                     "The weight of k_{a} under q = β (μ_{a} + μ_{b}), %zu keys, where k_{a} = ε "
                     "μ_{a} with ε ~ N(1,\u00a0%s). %llu sample%s per panel.",
                     plot.keys[0], qkv__plot_number(plot.options.noise).text,
                     (unsigned long long)plot.options.samples,
                     plot.options.samples == 1 ? "" : "s");
    status = qkv__plot_begin(&plot, &text, plot.beta_count == 1 ? 1 : 2, 160, &made, error);
    for (size_t i = 0; i < plot.beta_count && status == QKV_OK; i++)
        status = add_beta(made, &plot, plot.betas[i], error);
    qkv__text_free(&text);
    return qkv__plot_end(status, made, figure);
}
