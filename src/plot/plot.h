/* What the pictures share: their options, checked; figures begun alike; samples; numbers in text.
 * Pictures see the lab and the operator through public headers. */
#ifndef QKV_PLOT_PLOT_H
#define QKV_PLOT_PLOT_H

#include <qkv/lab.h>
#include <qkv/plot.h>

#include "base/text.h"

enum { QKV__PLOT_LIST = 6 }; /* numbers in a list of options */

/* Options as they stand, with a picture's own defaults in. */
typedef struct qkv__plot {
    qkv_plot_options options;
    size_t keys[QKV__PLOT_LIST], key_count;
    double betas[QKV__PLOT_LIST];
    size_t beta_count;
} qkv__plot;

typedef struct qkv__plot_own {
    const char *title;
    size_t keys[QKV__PLOT_LIST], key_count;
    double betas[QKV__PLOT_LIST];
    size_t beta_count;
    double tolerance;
    bool one_keys, one_beta; /* it draws one number of keys, or one beta, and takes no more */
} qkv__plot_own;

qkv_status qkv__plot_take(const qkv_plot_options *options, const qkv__plot_own *own,
                          qkv__plot *plot, qkv_error *error);

/* Panels beside each other would have no room for their titles. */
bool qkv__plot_is_narrow(const qkv__plot *plot);

/* The width in pixels of one of several panels side by side, labels included. */
double qkv__plot_panel_width(const qkv__plot *plot, size_t columns);

/* A figure of the options' look; fails where the subtitle is not whole. In a narrow one panels
 * stand below each other, whatever the columns. */
qkv_status qkv__plot_begin(const qkv__plot *plot, const qkv__text *subtitle, size_t columns,
                           double panel_height, qkv_figure **figure, qkv_error *error);

/* Hands the figure over where status is QKV_OK, and frees it otherwise; returns status. */
qkv_status qkv__plot_end(qkv_status status, qkv_figure *made, qkv_figure **figure);

/* A number in text, without a locale: at most `decimals`; 5.98, 0.01, 1000. */
typedef struct qkv__digits {
    char text[40];
} qkv__digits;

qkv__digits qkv__plot_digits(double value, int decimals);

/* A number that was given, with all its digits: 2.0001, 0.5, 10⁻⁶. */
qkv__digits qkv__plot_number(double value);

/* A percentage with two digits that count, of what is there or of what is missing: "7.9 %",
 * "0.25 %", "99.997 %", "100 %". */
qkv__digits qkv__plot_percent(double part);

/* count numbers from low to high, evenly or evenly in their logarithms. */
void qkv__plot_grid(double low, double high, bool logarithmic, double *grid, size_t count);

/* `count` samples of quantities over orthonormal keys of which the first is stretched, and every
 * one has the variance alpha in all directions; rows of quantities, to be freed by qkv__free. */
typedef struct qkv__draw_request {
    size_t keys, heads;
    const double *coefficients; /* heads x keys */
    double noise, alpha;
    size_t quantity_count;
    const qkv_lab_quantity *quantities;
    uint64_t seed;
} qkv__draw_request;

/* n keys of which all but the first two have one score under each head, and no noise: three keys
 * have the same weights for the first two, where the third has the score of the rest and ln(n - 2)
 * more. How many keys that makes, and the coefficient of the third. */
size_t qkv__plot_pooled(size_t keys);
double qkv__plot_rest_score(size_t keys, double score);

qkv_status qkv__plot_draw(const qkv__draw_request *request, size_t count, double **rows,
                          qkv_error *error);

/* Outputs in the triangle that has its corners at (0, 0), (1, 0) and (1/2, height), as discs: the
 * area of a disc is the share of the samples that fell near it. */
void qkv__plot_discs(qkv_figure *figure, const double *x, const double *y, size_t count,
                     qkv_ink ink);

/* Counts of numbers in equal bins from low to high, what lies outside in the first and last, as a
 * density. */
void qkv__plot_histogram(const double *numbers, size_t stride, size_t count, double low,
                         double high, size_t bins, double *edges, double *heights);

#endif
