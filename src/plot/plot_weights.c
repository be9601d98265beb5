/* Weights against beta, without noise: a copy, an average, a weighted subset. With m keys wanted
 * out of n, orthonormal, and E = e^beta:
 *
 *     q = beta (sum of the wanted keys)                  a = E/(m E + n - m) each
 *     q = sum of (beta + ln w_i) k_i over the wanted     a_i = w_i E/(E + n - m)
 */
#include <math.h>

#include "base/text.h"
#include "figure/make.h"
#include "plot/plot.h"

enum {
    CURVE = 161,
    PARTS = 3,
    SIDES = 60,  /* pixels of a panel beside its frame */
    NUMBER = 28, /* of a number above its mark, with the space between two of them */
    LINE = 13,   /* of a row of numbers */
};

static const double parts[PARTS] = {0.5, 0.3, 0.2};

/* The weight of one of m keys, and of all that are wanted under the second query. */
static double equal_weight(double beta, double n, double m)
{
    return 1 / (m + (n - m) * exp(-beta));
}

/* The least beta at which other keys get at most the tolerance: n - m of them against `mass` E. */
static double least_beta(double n, double m, double mass, double tolerance)
{
    return fmax(0, log((n - m) * (1 - tolerance) / (mass * tolerance)));
}

static double far_end(const qkv__plot *plot)
{
    double end = 2;
    for (size_t i = 0; i < plot->key_count; i++)
        end = fmax(end, least_beta((double)plot->keys[i], 1, 1, plot->options.tolerance));
    return 2 * ceil((end + 0.6) / 2);
}

/* The mark of the least beta, and its number so far above it, or below; 0: none. */
static void add_least(qkv_figure *figure, double beta, double weight, qkv_ink ink, double above)
{
    qkv_figure_points(figure, &beta, &weight, 1, &(qkv_style){.ink = ink, .size = 9});
    if (above != 0)
        qkv_figure_text(figure, beta, weight, qkv__plot_digits(beta, 1).text,
                        &(qkv_style){.ink = ink, .size = 11, .shift_y = -above});
}

/* In which row above the curves each number stands, so that none runs into another; returns how
 * many rows there are. Neighbours take turns where they can. */
static size_t arrange(const qkv__plot *plot, double end, size_t m, size_t rows[QKV__PLOT_LIST])
{
    double beta[QKV__PLOT_LIST];
    double apart = NUMBER / (qkv__plot_panel_width(plot, 3) - SIDES) * end;
    size_t count = 2;
    for (size_t k = 0; k < plot->key_count; k++) {
        beta[k] = least_beta((double)plot->keys[k], (double)m, (double)m, plot->options.tolerance);
        bool taken = true;
        for (size_t turn = 0; taken; turn++) {
            rows[k] = turn < 2 ? (k + turn) % 2 : turn;
            taken = false;
            for (size_t i = 0; i < k; i++)
                taken = taken || (rows[i] == rows[k] && fabs(beta[i] - beta[k]) < apart);
        }
        count = rows[k] + 1 > count ? rows[k] + 1 : count;
    }
    return count;
}

/* m = 1 is a copy, m = 2 an average: a curve for each number of keys. */
static void add_equal(qkv_figure *figure, const qkv__plot *plot, double end, size_t m)
{
    double x[CURVE], y[CURVE];
    qkv_panel panel = qkv_panel_default();
    panel.title = m == 1 ? "Copy: q = β k_{a}" : "Average: q = β (k_{a} + k_{b})";
    panel.note = m == 1 ? "weight of k_{a}" : "weight of k_{a}, and of k_{b}";
    panel.x = (qkv_axis){.label = "β", .low = 0, .high = end};
    size_t rows[QKV__PLOT_LIST];
    panel.y =
        (qkv_axis){.low = 0, .high = (1 + 0.075 * (double)arrange(plot, end, m, rows)) / (double)m};
    qkv_figure_panel(figure, &panel);
    qkv__plot_grid(0, end, false, x, CURVE);
    for (size_t k = 0; k < plot->key_count; k++) {
        double n = (double)plot->keys[k];
        qkv__text label = {0};
        qkv__text_format(&label, "n = %zu", plot->keys[k]);
        qkv_ink ink = (qkv_ink)(k + 1);
        for (int i = 0; i < CURVE; i++) y[i] = equal_weight(x[i], n, fmin(n, (double)m));
        qkv_figure_line(figure, x, y, CURVE, &(qkv_style){.ink = ink, .label = label.data});
        qkv__figure_said(figure, &label);
        double beta = least_beta(n, (double)m, (double)m, plot->options.tolerance);
        if (n > (double)m)
            add_least(figure, beta, equal_weight(beta, n, (double)m), ink,
                      10 + LINE * (double)rows[k]);
    }
}

/* The first number of keys that leaves others beside the three. */
static double subset_keys(const qkv__plot *plot)
{
    for (size_t i = 0; i < plot->key_count; i++)
        if (plot->keys[i] > PARTS) return (double)plot->keys[i];
    return 10;
}

static void add_subset(qkv_figure *figure, const qkv__plot *plot, double end)
{
    double x[CURVE], y[CURVE], n = subset_keys(plot);
    qkv__text note = {0};
    qkv__text_format(&note, "weights of three out of %s keys", qkv__plot_digits(n, 0).text);
    qkv_panel panel = qkv_panel_default();
    panel.title = "Subset: q = Σ (β + ln w_{i}) k_{i}";
    panel.note = note.data;
    panel.x = (qkv_axis){.label = "β", .low = 0, .high = end};
    panel.y = (qkv_axis){.low = 0, .high = 1.15};
    qkv_figure_panel(figure, &panel);
    qkv__figure_said(figure, &note);
    double beta = least_beta(n, PARTS, 1, plot->options.tolerance);
    qkv__plot_grid(0, end, false, x, CURVE);
    for (int p = 0; p < PARTS; p++) {
        for (int i = 0; i < CURVE; i++) y[i] = parts[p] / (1 + (n - PARTS) * exp(-x[i]));
        qkv_style style = {.ink = QKV_INK_TEXT, .dash = QKV_DASH_SOLID};
        qkv_figure_line(figure, x, y, CURVE, &style);
        qkv_figure_text(figure, end, parts[p],
                        p == 0   ? "w = 0.5"
                        : p == 1 ? "0.3"
                                 : "0.2",
                        &(qkv_style){.anchor = QKV_ANCHOR_END, .shift_y = -6, .shift_x = -2});
        add_least(figure, beta, parts[p] * (1 - plot->options.tolerance), QKV_INK_TEXT,
                  p == 0 ? -17 : 0); /* above it is the curve's name */
    }
    for (int i = 0; i < CURVE; i++) y[i] = (n - PARTS) / (exp(x[i]) + n - PARTS);
    qkv_figure_line(figure, x, y, CURVE,
                    &(qkv_style){.ink = QKV_INK_QUIET,
                                 .dash = QKV_DASH_DOT,
                                 .label = "all other keys together"});
}

qkv_status qkv_plot_weights(const qkv_plot_options *options, qkv_figure **figure, qkv_error *error)
{
    static const qkv__plot_own own = {
        .title = "How large must β be?", .keys = {3, 10, 100, 1000}, .key_count = 4};
    qkv__plot plot;
    qkv_figure *made = NULL;
    qkv__text text = {0};
    qkv_status status = qkv__plot_take(options, &own, &plot, error);
    if (status != QKV_OK) return status;
    double end = far_end(&plot);
    qkv__text_format(&text,
                     "Weights of n orthonormal keys, by their closed forms. A marker is at the "
                     "least β that leaves at most %s to the keys that are not wanted.",
                     qkv__plot_percent(plot.options.tolerance).text);
    status = qkv__plot_begin(&plot, &text, 3, 230, &made, error);
    if (status == QKV_OK) {
        add_equal(made, &plot, end, 1);
        add_equal(made, &plot, end, 2);
        add_subset(made, &plot, end);
    }
    qkv__text_free(&text);
    return qkv__plot_end(status, made, figure);
}
