/* Where outputs fall: three designs side by side, in the triangle of v_a, v_b and the mean of the
 * other values, and along its lower side. */
#include <math.h>
#include <string.h>

#include <qkv/law.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "figure/make.h"
#include "plot/plot.h"

enum { BINS = 41, CLOUD = 4000, QUANTITIES = 4 };

static const qkv_design designs[] = {QKV_DESIGN_SINGLE, QKV_DESIGN_HEADS, QKV_DESIGN_IMMUNE};
enum { DESIGNS = sizeof designs / sizeof designs[0] };

/* Samples of a design: weights of a and b, on average and in the head that each belongs to. */
typedef struct fallen {
    qkv_law law;
    double *rows; /* samples x QUANTITIES */
    size_t count, failures;
} fallen;

static const char *title_of(qkv_design design)
{
    switch (design) {
    case QKV_DESIGN_SINGLE: return "One head: β (μ_{a} + μ_{b})";
    case QKV_DESIGN_HEADS: return "Two heads: β μ_{a}, β μ_{b}";
    case QKV_DESIGN_IMMUNE: break;
    }
    return "Norm-immune: −β Σ others";
}

/* Of the pooled keys; the last one stands for all that are not wanted. */
static void fill_coefficients(qkv_design design, double beta, size_t keys, double *coefficients)
{
    size_t n = qkv__plot_pooled(keys);
    double rest = design == QKV_DESIGN_IMMUNE ? -beta : 0;
    if (design == QKV_DESIGN_SINGLE) coefficients[0] = coefficients[1] = beta;
    if (design == QKV_DESIGN_HEADS) coefficients[0] = coefficients[n + 1] = beta;
    if (n < 3) return;
    coefficients[2] = qkv__plot_rest_score(keys, rest);
    if (design == QKV_DESIGN_HEADS) coefficients[n + 2] = coefficients[2];
}

static qkv_status draw_design(const qkv__plot *plot, qkv_design design, fallen *f, qkv_error *error)
{
    size_t n = qkv__plot_pooled(plot->keys[0]), heads = design == QKV_DESIGN_HEADS ? 2 : 1;
    const qkv_lab_quantity quantities[QUANTITIES] = {
        {.kind = QKV_LAB_OUTPUT, .index = 0},
        {.kind = QKV_LAB_OUTPUT, .index = 1},
        {.kind = QKV_LAB_WEIGHT, .index = 0, .head = 0},
        {.kind = QKV_LAB_WEIGHT, .index = 1, .head = heads - 1},
    };
    double coefficients[6] = {0};
    fill_coefficients(design, plot->betas[0], plot->keys[0], coefficients);
    qkv__draw_request request = {.keys = n,
                                 .heads = heads,
                                 .coefficients = coefficients,
                                 .noise = plot->options.noise,
                                 .quantity_count = QUANTITIES,
                                 .quantities = quantities,
                                 .seed = plot->options.seed};
    f->count = (size_t)plot->options.samples;
    return qkv__plot_draw(&request, f->count, &f->rows, error);
}

/* A head fails when it gives its key less than 1 - tolerance of that key's part. */
static void count_failures(const qkv__plot *plot, qkv_design design, fallen *f)
{
    double part = design == QKV_DESIGN_HEADS ? 1 : 0.5,
           least = (1 - plot->options.tolerance) * part;
    f->failures = 0;
    for (size_t i = 0; i < f->count; i++) {
        const double *row = f->rows + QUANTITIES * i;
        f->failures += row[2] < least || row[3] < least;
    }
}

static qkv_status make_design(const qkv__plot *plot, qkv_design design, fallen *f, qkv_error *error)
{
    qkv_law_options options = qkv_law_default();
    options.design = design;
    options.keys = plot->keys[0];
    options.beta = plot->betas[0];
    options.noise = plot->options.noise;
    options.tolerance = plot->options.tolerance;
    qkv_status status = qkv_law_compute(&options, &f->law, error);
    if (status == QKV_OK) status = draw_design(plot, design, f, error);
    if (status == QKV_OK) count_failures(plot, design, f);
    return status;
}

/* ---- The triangle ------------------------------------------------------------------------ */

static const double height = 0.8660254; /* of a triangle with sides of 1: sqrt(3)/2 */

static void add_outline(qkv_figure *figure)
{
    const double x[] = {0, 1, 0.5, 0}, y[] = {0, 0, height, 0};
    qkv_style style = {.ink = QKV_INK_QUIET, .width = 1};
    qkv_figure_line(figure, x, y, 4, &style);
    qkv_figure_text(figure, 0, 0, "v_{a}", &(qkv_style){.size = 14, .shift_x = -24, .shift_y = 5});
    qkv_figure_text(figure, 1, 0, "v_{b}", &(qkv_style){.size = 14, .shift_x = 24, .shift_y = 5});
    qkv_figure_text(figure, 0.5, height, "mean of the others",
                    &(qkv_style){.ink = QKV_INK_QUIET, .shift_y = -8});
}

static void add_triangle(qkv_figure *figure, qkv_design design, const fallen *f)
{
    double x[CLOUD], y[CLOUD], middle = 0.5, zero = 0;
    size_t count = f->count < CLOUD ? f->count : CLOUD;
    qkv__text note = {0};
    qkv__text_format(&note, "fails in %s (exactly %s)",
                     qkv__plot_percent((double)f->failures / (double)f->count).text,
                     qkv__plot_percent(f->law.failure).text);
    qkv_panel panel = qkv_panel_default();
    panel.title = title_of(design);
    panel.note = note.data;
    panel.x = (qkv_axis){.kind = QKV_AXIS_BLANK, .low = -0.15, .high = 1.15};
    panel.y = (qkv_axis){.kind = QKV_AXIS_BLANK, .low = -0.08, .high = 1};
    panel.square = true;
    qkv_figure_panel(figure, &panel);
    qkv__figure_said(figure, &note);
    add_outline(figure);
    for (size_t i = 0; i < count; i++) {
        const double *row = f->rows + QUANTITIES * i;
        double others = fmax(0, 1 - row[0] - row[1]);
        x[i] = row[1] + others / 2;
        y[i] = others * height;
    }
    qkv__plot_discs(figure, x, y, count, QKV_INK_FIRST);
    qkv_figure_points(figure, NULL, NULL, 0,
                      &(qkv_style){.ink = QKV_INK_FIRST,
                                   .marker = QKV_MARKER_DISC,
                                   .size = 9,
                                   .opacity = 0.6,
                                   .label = "outputs c (area: share of samples)"});
    qkv_figure_points(figure, &middle, &zero, 1,
                      &(qkv_style){.ink = QKV_INK_TEXT,
                                   .marker = QKV_MARKER_RING,
                                   .size = 13,
                                   .label = "the average that is wanted"});
}

static void add_histogram(qkv_figure *figure, fallen *f)
{
    double edges[BINS + 1], heights[BINS];
    qkv_panel panel = qkv_panel_default();
    /* The place along the side from v_a to v_b, at right angles to which the others lie. */
    for (size_t i = 0; i < f->count; i++) {
        double *row = f->rows + QUANTITIES * i;
        row[0] = (1 + row[1] - row[0]) / 2;
    }
    qkv__plot_histogram(f->rows, QUANTITIES, f->count, 0, 1, BINS, edges, heights);
    for (int i = 0; i < BINS; i++) heights[i] /= BINS;
    panel.note = "share of samples";
    panel.x = (qkv_axis){.label = "from v_{a} to v_{b}", .low = 0, .high = 1};
    panel.y = (qkv_axis){.low = 0, .high = 1};
    qkv_figure_panel(figure, &panel);
    qkv_figure_rule_x(figure, 0.5, NULL, &(qkv_style){.ink = QKV_INK_TEXT});
    qkv_figure_bars(figure, edges, heights, BINS,
                    &(qkv_style){.ink = QKV_INK_FIRST, .opacity = 0.7});
}

/* A row of triangles over a row of histograms; one below the other, each with its own. */
static void add_designs(qkv_figure *figure, fallen *all, bool narrow)
{
    for (int i = 0; i < DESIGNS; i++) {
        add_triangle(figure, designs[i], &all[i]);
        if (narrow) add_histogram(figure, &all[i]);
    }
    for (int i = 0; i < DESIGNS && !narrow; i++) add_histogram(figure, &all[i]);
}

qkv_status qkv_plot_fall(const qkv_plot_options *options, qkv_figure **figure, qkv_error *error)
{
    static const qkv__plot_own own = {.title = "Where the output falls",
                                      .keys = {10},
                                      .key_count = 1,
                                      .betas = {10},
                                      .beta_count = 1,
                                      .tolerance = 0.1,
                                      .one_keys = true,
                                      .one_beta = true};
    qkv__plot plot;
    qkv_figure *made = NULL;
    fallen all[DESIGNS] = {{.rows = NULL}};
    qkv__text text = {0};
    qkv_status status = qkv__plot_take(options, &own, &plot, error);
    if (status != QKV_OK) return status;
    qkv__text_format(
        &text,
        "%zu keys, k_{a} = ε μ_{a} with ε ~ N(1,\u00a0%s), β = %s, %llu sample%s. A head "
        "fails when a key that it wants gets less than %s of its part.",
        plot.keys[0], qkv__plot_number(plot.options.noise).text,
        qkv__plot_number(plot.betas[0]).text, (unsigned long long)plot.options.samples,
        plot.options.samples == 1 ? "" : "s", qkv__plot_percent(1 - plot.options.tolerance).text);
    status = qkv__plot_begin(&plot, &text, DESIGNS, 180, &made, error);
    for (int i = 0; i < DESIGNS && status == QKV_OK; i++)
        status = make_design(&plot, designs[i], &all[i], error);
    if (status == QKV_OK) add_designs(made, all, qkv__plot_is_narrow(&plot));
    for (int i = 0; i < DESIGNS; i++) qkv__free(all[i].rows);
    qkv__text_free(&text);
    return qkv__plot_end(status, made, figure);
}
