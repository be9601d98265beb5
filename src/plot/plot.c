/* The pictures' common ground; see plot.h. Draws nothing itself. */
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "figure/make.h"

/* ---- Options ----------------------------------------------------------------------------- */

qkv_plot_options qkv_plot_default(void)
{
    return (qkv_plot_options){.struct_size = sizeof(qkv_plot_options), .noise = 0.5};
}

static qkv_status take_keys(const qkv_plot_options *o, const qkv__plot_own *own, qkv__plot *plot,
                            qkv_error *error)
{
    if (o->key_count > QKV__PLOT_LIST || (o->key_count > 0 && o->keys == NULL))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "options.key_count is %zu; expected at most %d",
                         o->key_count, QKV__PLOT_LIST);
    if (own->one_keys && o->key_count > 1)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "options.key_count is %zu; expected 1: the picture has one number of keys",
                         o->key_count);
    plot->key_count = o->key_count > 0 ? o->key_count : own->key_count;
    memcpy(plot->keys, o->key_count > 0 ? o->keys : own->keys,
           plot->key_count * sizeof *plot->keys);
    for (size_t i = 0; i < plot->key_count; i++)
        if (plot->keys[i] < 2 || plot->keys[i] > 1000000)
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "options.keys[%zu] is %zu; expected 2 to 1000000", i, plot->keys[i]);
    return QKV_OK;
}

static qkv_status take_betas(const qkv_plot_options *o, const qkv__plot_own *own, qkv__plot *plot,
                             qkv_error *error)
{
    if (o->beta_count > QKV__PLOT_LIST || (o->beta_count > 0 && o->betas == NULL))
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "options.beta_count is %zu; expected at most %d", o->beta_count,
                         QKV__PLOT_LIST);
    if (own->one_beta && o->beta_count > 1)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "options.beta_count is %zu; expected 1: the picture has one beta",
                         o->beta_count);
    plot->beta_count = o->beta_count > 0 ? o->beta_count : own->beta_count;
    memcpy(plot->betas, o->beta_count > 0 ? o->betas : own->betas,
           plot->beta_count * sizeof *plot->betas);
    for (size_t i = 0; i < plot->beta_count; i++)
        if (!(plot->betas[i] > 0 && plot->betas[i] <= 1e6))
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "options.betas[%zu] is %g; expected a number above 0, at most 1e6", i,
                             plot->betas[i]);
    return QKV_OK;
}

static qkv_status check_numbers(const qkv_plot_options *o, qkv_error *error)
{
    if (!(o->noise >= 0 && o->noise <= 1e6))
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "options.noise is %g; expected a variance from 0 to 1e6", o->noise);
    if (o->tolerance != 0 && !(o->tolerance > 0 && o->tolerance < 1))
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "options.tolerance is %g; expected a number above 0 and below 1",
                         o->tolerance);
    if (o->samples > 100000000)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "options.samples is %llu; expected at most 100000000",
                         (unsigned long long)o->samples);
    return QKV_OK;
}

qkv_status qkv__plot_take(const qkv_plot_options *options, const qkv__plot_own *own,
                          qkv__plot *plot, qkv_error *error)
{
    *plot = (qkv__plot){.options = qkv_plot_default()};
    qkv_plot_options *o = &plot->options;
    qkv_status status = QKV_OK;
    if (options != NULL)
        status = qkv__options_take(o, sizeof *o, options, "options", "qkv_plot_default", error);
    if (status == QKV_OK) status = take_keys(o, own, plot, error);
    if (status == QKV_OK) status = take_betas(o, own, plot, error);
    if (status == QKV_OK) status = check_numbers(o, error);
    if (o->tolerance == 0) o->tolerance = own->tolerance > 0 ? own->tolerance : 0.01;
    if (o->samples == 0) o->samples = 100000;
    if (o->title == NULL) o->title = own->title;
    return status;
}

bool qkv__plot_is_narrow(const qkv__plot *plot)
{
    return plot->options.width > 0 && plot->options.width < 420; /* 0: the figure's own */
}

double qkv__plot_panel_width(const qkv__plot *plot, size_t columns)
{
    enum { OWN = 720 }; /* what a figure has by itself: see figure.h */
    double width = plot->options.width > 0 ? plot->options.width : OWN;
    return qkv__plot_is_narrow(plot) ? width : width / (double)columns;
}

qkv_status qkv__plot_begin(const qkv__plot *plot, const qkv__text *subtitle, size_t columns,
                           double panel_height, qkv_figure **figure, qkv_error *error)
{
    qkv_figure_options options = qkv_figure_default();
    if (subtitle->failed) return qkv__fail_memory(error, 0);
    options.title = plot->options.title;
    options.subtitle = subtitle->data;
    options.theme = plot->options.theme;
    options.width = plot->options.width;
    options.columns = qkv__plot_is_narrow(plot) ? 1 : columns;
    options.panel_height = panel_height;
    return qkv_figure_create(&options, figure, error);
}

qkv_status qkv__plot_end(qkv_status status, qkv_figure *made, qkv_figure **figure)
{
    if (status == QKV_OK)
        *figure = made;
    else
        qkv_figure_free(&made);
    return status;
}

/* ---- Numbers ----------------------------------------------------------------------------- */

qkv__digits qkv__plot_digits(double value, int decimals)
{
    qkv__digits digits = {""};
    /* The text has its room already, and takes no memory. */
    qkv__text text = {digits.text, 0, sizeof digits.text, false};
    qkv__figure_label(&text, value, decimals);
    return digits;
}

qkv__digits qkv__plot_number(double value)
{
    enum { SIGNIFICANT = 15 }; /* every decimal fraction of so many comes back as it was */
    double size = fabs(value);
    int exponent = size > 0 && isfinite(size) ? (int)floor(log10(size)) : 0;
    int decimals = SIGNIFICANT - 1 - exponent;
    if (!isfinite(value) || exponent < -4 || exponent >= 6)
        return qkv__plot_digits(value, decimals);
    qkv__digits digits = {""};
    qkv__text text = {digits.text, 0, sizeof digits.text, false};
    qkv__figure_number(&text, value, decimals);
    return digits;
}

/* Two digits of what is there, or of what is missing from all of it. */
qkv__digits qkv__plot_percent(double part)
{
    double percent = 100 * part;
    qkv__digits digits = {""};
    qkv__text text = {digits.text, 0, sizeof digits.text, false};
    if (percent > 99 && percent < 100)
        qkv__figure_number(&text, percent, (int)fmin(1 - floor(log10(100 - percent)), 12));
    else
        qkv__figure_label(&text, percent,
                          percent >= 10 || !(percent > 0) ? 0 : 1 - (int)floor(log10(percent)));
    size_t length = strlen(digits.text);
    snprintf(digits.text + length, sizeof digits.text - length, " %%");
    return digits;
}

void qkv__plot_grid(double low, double high, bool logarithmic, double *grid, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double part = (double)i / (double)(count - 1);
        grid[i] = logarithmic ? low * pow(high / low, part) : low + part * (high - low);
    }
}

/* ---- Samples ----------------------------------------------------------------------------- */

static qkv_status draw_rows(qkv_lab_sampler *sampler, size_t quantities, size_t count,
                            double **rows, qkv_error *error)
{
    size_t bytes;
    if (!qkv__size_multiply(count, quantities * sizeof(double), &bytes))
        return qkv__fail_memory(error, SIZE_MAX);
    double *made = qkv__allocate(bytes);
    if (made == NULL) return qkv__fail_memory(error, bytes);
    qkv_status status = qkv_lab_sampler_draw(sampler, 0, count, made, error);
    if (status == QKV_OK)
        *rows = made;
    else
        qkv__free(made);
    return status;
}

size_t qkv__plot_pooled(size_t keys)
{
    return keys < 3 ? keys : 3;
}

double qkv__plot_rest_score(size_t keys, double score)
{
    return score + log((double)(keys - 2));
}

qkv_status qkv__plot_draw(const qkv__draw_request *request, size_t count, double **rows,
                          qkv_error *error)
{
    qkv_lab_model model = qkv_lab_model_default();
    qkv_lab_options options = qkv_lab_options_default();
    qkv_lab_sampler *sampler = NULL;
    qkv_lab_noise *noises = qkv__allocate_zero(request->keys * sizeof *noises);
    if (noises == NULL) return qkv__fail_memory(error, request->keys * sizeof *noises);
    for (size_t i = 0; i < request->keys; i++) noises[i].alpha = request->alpha;
    noises[0].stretch = request->noise;
    model.keys = request->keys;
    model.heads = request->heads;
    model.coefficients = request->coefficients;
    model.noises = noises;
    options.quantities = request->quantities;
    options.quantity_count = request->quantity_count;
    options.seed = request->seed;
    options.no_covariance = true;
    qkv_status status = qkv_lab_sampler_create(&model, &options, &sampler, error);
    qkv__free(noises);
    if (status == QKV_OK) status = draw_rows(sampler, request->quantity_count, count, rows, error);
    qkv_lab_sampler_free(&sampler);
    return status;
}

void qkv__plot_histogram(const double *numbers, size_t stride, size_t count, double low,
                         double high, size_t bins, double *edges, double *heights)
{
    double width = (high - low) / (double)bins;
    for (size_t i = 0; i <= bins; i++) edges[i] = low + width * (double)i;
    for (size_t i = 0; i < bins; i++) heights[i] = 0;
    for (size_t i = 0; i < count; i++) {
        double at = floor((numbers[i * stride] - low) / width);
        size_t bin = !(at > 0) ? 0 : at >= (double)bins ? bins - 1 : (size_t)at;
        heights[bin] += 1 / ((double)count * width);
    }
}

/* Samples near each other, by a grid. */
void qkv__plot_discs(qkv_figure *figure, const double *x, const double *y, size_t count,
                     qkv_ink ink)
{
    enum { SIDE = 24 };
    static const double whole = 34, least = 2.5; /* pixels across, of all samples and of one */
    struct {
        double x, y, count;
    } near[SIDE][SIDE] = {{{0}}};
    for (size_t i = 0; i < count; i++) {
        size_t row = (size_t)fmin(fmax(y[i] * SIDE, 0), SIDE - 1),
               column = (size_t)fmin(fmax(x[i] * SIDE, 0), SIDE - 1);
        near[row][column].x += x[i];
        near[row][column].y += y[i];
        near[row][column].count++;
    }
    for (size_t r = 0; r < SIDE; r++)
        for (size_t c = 0; c < SIDE; c++) {
            double own = near[r][c].count;
            if (own == 0) continue;
            double place_x = near[r][c].x / own, place_y = near[r][c].y / own;
            qkv_figure_points(figure, &place_x, &place_y, 1,
                              &(qkv_style){.ink = ink,
                                           .marker = QKV_MARKER_DISC,
                                           .size = fmax(whole * sqrt(own / (double)count), least),
                                           .opacity = 0.6});
        }
}
