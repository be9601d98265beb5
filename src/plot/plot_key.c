/* The key of uncertain length beside its mean. */
#include <math.h>

#include "base/memory.h"
#include "base/text.h"
#include "figure/make.h"
#include "plot/plot.h"

static const double alpha = 0.005; /* in every direction: so that the cloud can be seen */

enum { CLOUD = 400, CURVE = 241 };

static double normal_density(double x, double variance)
{
    return exp(-(x - 1) * (x - 1) / (2 * variance)) / sqrt(2 * acos(-1) * variance);
}

/* P(eps < 0) for eps ~ N(1, variance). */
static double backwards(double variance)
{
    return variance > 0 ? erfc(1 / sqrt(2 * variance)) / 2 : 0;
}

/* Samples of (k_a . mu_a, k_a . mu_b): the scores of two heads whose queries are the means. */
static qkv_status draw_cloud(const qkv__plot *plot, double **rows, qkv_error *error)
{
    const double coefficients[4] = {1, 0, 0, 1};
    const qkv_lab_quantity quantities[2] = {{.kind = QKV_LAB_SCORE, .head = 0},
                                            {.kind = QKV_LAB_SCORE, .head = 1}};
    qkv__draw_request request = {.keys = 2,
                                 .heads = 2,
                                 .coefficients = coefficients,
                                 .noise = plot->options.noise,
                                 .alpha = alpha,
                                 .quantity_count = 2,
                                 .quantities = quantities,
                                 .seed = plot->options.seed};
    return qkv__plot_draw(&request, CLOUD, rows, error);
}

/* Points on the two sides of 0, in different ink. */
static void add_cloud(qkv_figure *figure, const double *rows)
{
    double x[2][CLOUD], y[2][CLOUD];
    size_t count[2] = {0, 0};
    for (size_t i = 0; i < CLOUD; i++) {
        int side = rows[2 * i] < 0;
        x[side][count[side]] = rows[2 * i];
        y[side][count[side]++] = rows[2 * i + 1];
    }
    qkv_figure_points(
        figure, x[0], y[0], count[0],
        &(qkv_style){.label = "k_{a}, sampled", .ink = QKV_INK_FIRST, .size = 4, .opacity = 0.6});
    if (count[1] == 0) return;
    qkv_figure_points(figure, x[1], y[1], count[1],
                      &(qkv_style){.label = "k_{a} that points the other way",
                                   .ink = QKV_INK_SECOND,
                                   .marker = QKV_MARKER_TRIANGLE,
                                   .size = 5});
}

static void add_plane(qkv_figure *figure, const double *rows, double low, double high)
{
    qkv_panel panel = qkv_panel_default();
    panel.x = (qkv_axis){.label = "along μ_{a}", .low = low, .high = high};
    panel.y = (qkv_axis){.label = "along μ_{b}", .low = -0.6, .high = 1.2};
    panel.title = "The key k_{a} and the means";
    panel.square = true;
    qkv_figure_panel(figure, &panel);
    add_cloud(figure, rows);
    qkv_figure_arrow(figure, 0, 0, 1, 0, &(qkv_style){.width = 3});
    qkv_figure_arrow(figure, 0, 0, 0, 1, &(qkv_style){.width = 3, .ink = QKV_INK_QUIET});
    qkv_figure_text(figure, 1, 0, "μ_{a}", &(qkv_style){.size = 15, .shift_x = 8, .shift_y = -34});
    qkv_figure_text(figure, 0, 1, "μ_{b}",
                    &(qkv_style){.size = 15, .shift_x = 16, .shift_y = 4, .ink = QKV_INK_QUIET});
}

/* The area under the density between two numbers. */
static void add_area(qkv_figure *figure, double noise, double from, double to,
                     const qkv_style *style)
{
    double x[CURVE], low[CURVE] = {0}, high[CURVE];
    qkv__plot_grid(from, to, false, x, CURVE);
    for (int i = 0; i < CURVE; i++) high[i] = normal_density(x[i], noise);
    qkv_figure_band(figure, x, low, high, CURVE, style);
}

/* Without variance there is no density: all of the law is at 1. */
static void add_certainty(qkv_figure *figure, double low, double high)
{
    const double x[2] = {1, 1}, y[2] = {0, 1};
    qkv_panel panel = qkv_panel_default();
    panel.title = "The law of ε, its length along μ_{a}";
    panel.note = "ε is 1, always.";
    panel.x = (qkv_axis){.label = "ε", .low = low, .high = high};
    panel.y = (qkv_axis){.label = "probability", .low = 0, .high = 1.25};
    qkv_figure_panel(figure, &panel);
    qkv_figure_line(figure, x, y, 2, &(qkv_style){.ink = QKV_INK_FIRST, .width = 3});
    qkv_figure_points(figure, x + 1, y + 1, 1, &(qkv_style){.ink = QKV_INK_FIRST, .size = 9});
}

/* A law much narrower than the plane has a range of its own. */
static void add_law(qkv_figure *figure, double noise, double low, double high)
{
    double x[CURVE], y[CURVE], spread = sqrt(noise);
    if (noise < 1e-3) low = 1 - 5 * spread, high = 1 + 5 * spread;
    int decimals = spread < 0.1 ? 1 - (int)floor(log10(spread)) : 2;
    qkv__digits from = qkv__plot_digits(1 - 1.959964 * spread, decimals),
                to = qkv__plot_digits(1 + 1.959964 * spread, decimals);
    qkv__text note = {0};
    qkv__text_format(&note, "95 %% of ε lie between %s and %s, and no number is impossible.",
                     from.text, to.text);
    qkv_panel panel = qkv_panel_default();
    panel.title = "The law of ε, its length along μ_{a}";
    panel.note = note.data;
    panel.x = (qkv_axis){.label = "ε", .low = low, .high = high};
    panel.y = (qkv_axis){.label = "density", .low = 0, .high = 1.25 * normal_density(1, noise)};
    qkv_figure_panel(figure, &panel);
    add_area(figure, noise, fmax(low, 1 - 1.959964 * spread), fmin(high, 1 + 1.959964 * spread),
             &(qkv_style){.ink = QKV_INK_FIRST, .opacity = 0.2, .label = "the middle 95 %"});
    if (low < 0)
        add_area(figure, noise, low, 0, &(qkv_style){.ink = QKV_INK_SECOND, .opacity = 0.6});
    qkv__plot_grid(low, high, false, x, CURVE);
    for (int i = 0; i < CURVE; i++) y[i] = normal_density(x[i], noise);
    qkv_figure_line(figure, x, y, CURVE, &(qkv_style){.ink = QKV_INK_FIRST});
    qkv_figure_rule_x(figure, 1, "μ_{a}", &(qkv_style){.ink = QKV_INK_TEXT});
    qkv__digits share = qkv__plot_percent(backwards(noise));
    qkv__figure_said(figure, &note);
    qkv__text_format(&note, "%s below 0", share.text);
    if (low < 0)
        qkv_figure_text(figure, low / 2, 0.45 * normal_density(1, noise), note.data,
                        &(qkv_style){.ink = QKV_INK_SECOND});
    qkv__figure_said(figure, &note);
}

static void say(double noise, qkv__text *text)
{
    double share = backwards(noise);
    if (noise == 0) {
        qkv__text_format(text, "k_{a} = μ_{a}, and noise of variance 0.005 in every direction. The "
                               "variance of ε is 0: no length is uncertain.");
        return;
    }
    qkv__text_format(text,
                     "k_{a} = ε μ_{a} with ε ~ N(1,\u00a0%s), and noise of variance 0.005 in every "
                     "direction. ",
                     qkv__plot_number(noise).text);
    if (share < 1e-12)
        qkv__text_format(text, "That ε is below 0 is hardly possible.");
    else
        qkv__text_format(text, "%s of all ε are below 0: such keys point away from their mean.",
                         qkv__plot_percent(share).text);
}

qkv_status qkv_plot_key(const qkv_plot_options *options, qkv_figure **figure, qkv_error *error)
{
    static const qkv__plot_own own = {.title = "A key of uncertain length"};
    qkv__plot plot;
    qkv_figure *made = NULL;
    qkv__text text = {0};
    double *rows = NULL;
    qkv_status status = qkv__plot_take(options, &own, &plot, error);
    if (status != QKV_OK) return status;
    double noise = plot.options.noise, spread = sqrt(fmax(noise, 1e-3) + alpha);
    double low = fmin(1 - 3.5 * spread, -0.5), high = 1 + 3.5 * spread;
    if (noise == 0 && plot.options.title == own.title) plot.options.title = "A key of known length";
    say(noise, &text);
    status = draw_cloud(&plot, &rows, error);
    if (status == QKV_OK) status = qkv__plot_begin(&plot, &text, 1, 235, &made, error);
    if (status == QKV_OK) {
        add_plane(made, rows, low, high);
        if (noise > 0)
            add_law(made, noise, low, high);
        else
            add_certainty(made, low, high);
    }
    qkv__text_free(&text);
    qkv__free(rows);
    return qkv__plot_end(status, made, figure);
}
