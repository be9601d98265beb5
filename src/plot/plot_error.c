/* Mean squared errors of the three designs against beta, bias and variance stacked. */
#include <math.h>

#include <qkv/law.h>

#include "base/text.h"
#include "figure/make.h"
#include "plot/plot.h"

enum { CURVE = 121, CROSSINGS = 4 };

static const double lowest_beta = 0.1, highest_beta = 100;

static const qkv_design designs[] = {QKV_DESIGN_SINGLE, QKV_DESIGN_HEADS, QKV_DESIGN_IMMUNE};
static const char *const titles[] = {"One head", "Two heads", "Norm-immune"};
enum { DESIGNS = sizeof designs / sizeof designs[0] };

/* bias^2 and variance of a design at each beta, one behind the other. */
static qkv_status compute_parts(qkv_law_options options, const double *beta, double *parts,
                                qkv_error *error)
{
    qkv_status status = QKV_OK;
    for (int i = 0; i < CURVE && status == QKV_OK; i++) {
        qkv_law law;
        options.beta = beta[i];
        status = qkv_law_compute(&options, &law, error);
        if (status != QKV_OK) break;
        parts[i] = law.bias * law.bias;
        parts[CURVE + i] = fmax(0, law.error - parts[i]);
    }
    return status;
}

static void add_panel(qkv_figure *figure, const double *beta, const double *parts,
                      const double *single, size_t design, size_t keys, bool last)
{
    double total[CURVE];
    const qkv_style styles[] = {
        {.ink = QKV_INK_SECOND, .opacity = 0.75, .label = "bias²"},
        {.ink = QKV_INK_FIRST, .opacity = 0.45, .label = "variance"},
    };
    qkv__text title = {0};
    qkv__text_format(&title, "%s, n = %zu", titles[design], keys);
    qkv_panel panel = qkv_panel_default();
    panel.title = title.data;
    panel.x = (qkv_axis){.kind = QKV_AXIS_LOG, .low = beta[0], .high = beta[CURVE - 1]};
    panel.y = (qkv_axis){.low = 0, .high = 0.6};
    if (last) panel.x.label = "β";
    if (design == 0) panel.y.label = "E |c − average|²";
    qkv_figure_panel(figure, &panel);
    qkv__figure_said(figure, &title);
    qkv_figure_stack(figure, beta, CURVE, parts, 2, styles);
    for (int i = 0; i < CURVE; i++) total[i] = single[i] + single[CURVE + i];
    if (design > 0)
        qkv_figure_line(figure, beta, total, CURVE,
                        &(qkv_style){.ink = QKV_INK_TEXT,
                                     .dash = QKV_DASH_LONG,
                                     .width = 1.25,
                                     .label = "one head, in all"});
}

/* Where one head and two have the same error, within what is drawn. */
typedef struct crossings {
    size_t count;
    double beta[CROSSINGS];
} crossings;

static qkv_status find_crossings(const qkv__plot *plot, size_t keys, crossings *found,
                                 qkv_error *error)
{
    double beta[CROSSINGS];
    size_t count = 0;
    bool first_better;
    qkv_law_options options = qkv_law_default();
    *found = (crossings){.count = 0};
    options.design = QKV_DESIGN_SINGLE;
    options.keys = keys;
    options.noise = plot->options.noise;
    if (options.noise == 0) return QKV_OK;
    qkv_status status = qkv_law_crossings(&options, QKV_DESIGN_HEADS, beta, CROSSINGS, &count,
                                          &first_better, error);
    for (size_t i = 0; i < count && i < CROSSINGS && status == QKV_OK; i++)
        if (beta[i] >= lowest_beta && beta[i] <= highest_beta)
            found->beta[found->count++] = beta[i];
    return status;
}

static void add_crossings(qkv_figure *figure, const crossings *found)
{
    for (size_t i = 0; i < found->count; i++) {
        qkv__text text = {0};
        qkv__text_format(&text, "β = %s", qkv__plot_digits(found->beta[i], 2).text);
        qkv_figure_rule_x(figure, found->beta[i], text.data, &(qkv_style){.ink = QKV_INK_TEXT});
        qkv__figure_said(figure, &text);
    }
}

static qkv_status add_row(qkv_figure *figure, const qkv__plot *plot, size_t keys,
                          const double *beta, const crossings *found, qkv_error *error)
{
    double parts[2 * CURVE], single[2 * CURVE];
    qkv_law_options options = qkv_law_default();
    options.keys = keys;
    options.noise = plot->options.noise;
    qkv_status status = compute_parts(options, beta, single, error);
    for (size_t d = 0; d < DESIGNS && status == QKV_OK; d++) {
        options.design = designs[d];
        status = compute_parts(options, beta, parts, error);
        if (status == QKV_OK)
            add_panel(figure, beta, parts, single, d, keys,
                      keys == plot->keys[plot->key_count - 1]);
        if (status == QKV_OK && d == 1) add_crossings(figure, found);
    }
    return status;
}

/* What the vertical lines are, if there are any: `with` rows of panels have one. */
static void say(const qkv__plot *plot, size_t with, qkv__text *text)
{
    qkv__text_format(text,
                     "Mean squared error of the average of two values against β, for orthonormal "
                     "values and k_{a} = ε μ_{a}, ε ~ N(1,\u00a0%s).",
                     qkv__plot_number(plot->options.noise).text);
    if (with > 0)
        qkv__text_format(text, " At the vertical line%s one head and two are equally good.",
                         with < plot->key_count ? ", where there is one," : "");
}

qkv_status qkv_plot_error(const qkv_plot_options *options, qkv_figure **figure, qkv_error *error)
{
    static const qkv__plot_own own = {
        .title = "Bias and variance against β", .keys = {3, 10, 100, 1000}, .key_count = 4};
    qkv__plot plot;
    qkv_figure *made = NULL;
    qkv__text text = {0};
    double beta[CURVE];
    crossings found[QKV__PLOT_LIST];
    size_t with = 0;
    qkv_status status = qkv__plot_take(options, &own, &plot, error);
    if (status != QKV_OK) return status;
    for (size_t i = 0; i < plot.key_count && status == QKV_OK; i++) {
        status = find_crossings(&plot, plot.keys[i], &found[i], error);
        with += found[i].count > 0;
    }
    if (with > 0 && plot.options.title == own.title)
        plot.options.title = "Two heads are not better at every β";
    say(&plot, with, &text);
    qkv__plot_grid(lowest_beta, highest_beta, true, beta, CURVE);
    if (status == QKV_OK) status = qkv__plot_begin(&plot, &text, DESIGNS, 110, &made, error);
    for (size_t i = 0; i < plot.key_count && status == QKV_OK; i++)
        status = add_row(made, &plot, plot.keys[i], beta, &found[i], error);
    qkv__text_free(&text);
    return qkv__plot_end(status, made, figure);
}
