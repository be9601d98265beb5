/*
 * Pictures of attention: each function makes a figure of figure.h, ready to be rendered.
 *
 *     qkv_plot_options options = qkv_plot_default();
 *     options.theme = QKV_THEME_DARK;
 *     qkv_figure *figure = NULL;
 *     qkv_picture picture;
 *     qkv_error error;
 *     if (qkv_plot_law(&options, &figure, &error) != QKV_OK) ...
 *     if (qkv_figure_render(figure, QKV_PICTURE_SVG, 0, &picture, &error) != QKV_OK) ...
 *
 * options may be NULL everywhere. The caller may add to the figure, and frees it.
 *
 * The first five are about the attention exploration assignment: n keys with orthonormal means, one
 * of which, k_a, has an uncertain length (law.h). Curves are exact; samples come from the lab
 * (lab.h) and are the same for the same seed on every machine. The next three draw any attention,
 * and the last draws a claim of a document (claim.h).
 */
#ifndef QKV_PLOT_H
#define QKV_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <qkv/attention.h>
#include <qkv/claim.h>
#include <qkv/figure.h>
#include <qkv/status.h>
#include <qkv/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Take a struct from qkv_plot_default() and change what you need. Zero, or NULL, means the
 * picture's default, given with each picture; but a noise of 0 is no noise. Arrays are read only
 * during the call.
 */
typedef struct qkv_plot_options {
    size_t struct_size; /* set by qkv_plot_default(): lets the struct grow */

    qkv_theme theme;
    double width;      /* 720 */
    const char *title; /* instead of the default one */

    const size_t *keys; /* numbers of keys, each from 2 to 10^6: one panel or curve per number (at
                           most 6); pictures that take one number use the first */
    size_t key_count;
    const double *betas; /* the same for beta, each above 0, at most 10^6 */
    size_t beta_count;

    double noise;     /* 0.5. The VARIANCE of the length of k_a, at least 0 */
    double tolerance; /* above 0, below 1: 0.01, but 0.1 for qkv_plot_fall */
    uint64_t samples; /* 100000; at most 10^8 */
    uint64_t seed;
} qkv_plot_options;

QKV_API qkv_plot_options qkv_plot_default(void);

/* ---- The assignment ---------------------------------------------------------------------- */

/* The key k_a and its mean mu_a: samples in the plane of mu_a and another mean, and the
 * distribution of its length along mu_a, including the part that points the other way. Takes noise,
 * seed. */
QKV_API qkv_status qkv_plot_key(const qkv_plot_options *options, qkv_figure **figure,
                                qkv_error *error);

/* Weights against beta for a copy of one key, the average of two and a weighted subset (1/2, 3/10
 * and 1/5 of three keys), without noise; the least beta that leaves at most the tolerance to other
 * keys is marked. Takes keys (3, 10, 100, 1000) and tolerance. */
QKV_API qkv_status qkv_plot_weights(const qkv_plot_options *options, qkv_figure **figure,
                                    qkv_error *error);

/* The density of the weight of k_a under a single query, over a histogram of samples, one panel
 * per beta. Takes keys (2), betas (0.5, 2, 4, 10), noise, samples, seed. */
QKV_API qkv_status qkv_plot_law(const qkv_plot_options *options, qkv_figure **figure,
                                qkv_error *error);

/* Where the output falls between v_a, v_b and the mean of the other values, for the three designs
 * of law.h side by side, and how often each fails. Takes keys (10), betas (10), noise, tolerance,
 * samples, seed. */
QKV_API qkv_status qkv_plot_fall(const qkv_plot_options *options, qkv_figure **figure,
                                 qkv_error *error);

/* Mean squared error against beta, bias and variance stacked, one row per number of keys and one
 * column per design, with the values of beta where one head and two are equally good. Takes
 * keys (3, 10, 100, 1000) and noise. */
QKV_API qkv_status qkv_plot_error(const qkv_plot_options *options, qkv_figure **figure,
                                  qkv_error *error);

/* ---- Any attention ----------------------------------------------------------------------- */

/* What is looked at. Give weights, or a query and a key. */
typedef struct qkv_plot_attention {
    const qkv_view *weights; /* (queries, keys) or (heads, queries, keys) */
    const qkv_view *query;   /* (queries, width) or (heads, queries, width) */
    const qkv_view *key;     /* the same for keys; equally many heads, or a divisor */
    const qkv_view *value;   /* (keys, value width): only for qkv_plot_diagram */
    const qkv_attention_options *attention; /* for query and key; its result views and threads
                                               are ignored. NULL: the defaults, and so a
                                               scale of 1/sqrt(width) */

    const char *const *query_names; /* one per query; NULL: those of the keys if there are equally
                                       many, otherwise numbers */
    const char *const *key_names;   /* one per key; NULL: numbers */
    const char *const *axis_names;  /* one per entry of a value; NULL: e_1, e_2, ... */
    const size_t *order;            /* only for qkv_plot_permutation: a permutation of 0 ... n - 1;
                                       token i is then token order[i]. NULL: reversed */
} qkv_plot_attention;

/*
 * Weights as a heat map: queries down, keys across, one panel per head (at most 64), and the
 * entropy of each row in nats, unless several heads have more than 32 rows. If there are too many
 * keys or queries to be seen, a cell shows the largest weight of a block, and the subtitle says so.
 */
QKV_API qkv_status qkv_plot_heat(const qkv_plot_options *options,
                                 const qkv_plot_attention *attention, qkv_figure **figure,
                                 qkv_error *error);

/*
 * Which token attends to which: tokens with their values on the left, arrows as thick as the
 * weights, outputs on the right. At most 12 queries and keys. attention NULL: the assignment's
 * example of K, Q and V made by hand, with tokens of the norm given by the first of betas (3).
 */
QKV_API qkv_status qkv_plot_diagram(const qkv_plot_options *options,
                                    const qkv_plot_attention *attention, qkv_figure **figure,
                                    qkv_error *error);

/*
 * The same tokens in another order: the weights before and after, each computed separately, and how
 * far the second is from the permuted first. Needs equally many queries and keys, at most 64, and
 * one head. attention NULL: six words of a sentence.
 */
QKV_API qkv_status qkv_plot_permutation(const qkv_plot_options *options,
                                        const qkv_plot_attention *attention, qkv_figure **figure,
                                        qkv_error *error);

/* ---- Claims ------------------------------------------------------------------------------ */

/*
 * The figure of a claim: both sides against the parameter of a limit or a threshold, weights, the
 * distribution of a random number, or where random outputs fall; see qkv_scene. The claim comes
 * from qkv_explain. QKV_ERROR_ARGUMENT if it has no figure. Takes theme, width and title; "" is
 * none.
 */
QKV_API qkv_status qkv_plot_claim(const qkv_plot_options *options, const qkv_claim *claim,
                                  qkv_figure **figure, qkv_error *error);

/* ---- The table of plots ------------------------------------------------------------------ */

/* What a plot takes, as bits. */
enum {
    QKV_PLOT_TAKES_KEYS = 1 << 0,
    QKV_PLOT_TAKES_ONE_KEY_COUNT = 1 << 1, /* only the first of keys */
    QKV_PLOT_TAKES_BETAS = 1 << 2,
    QKV_PLOT_TAKES_ONE_BETA = 1 << 3, /* only the first of betas */
    QKV_PLOT_TAKES_NOISE = 1 << 4,
    QKV_PLOT_TAKES_TOLERANCE = 1 << 5,
    QKV_PLOT_TAKES_SAMPLES = 1 << 6,
    QKV_PLOT_TAKES_SEED = 1 << 7,
    QKV_PLOT_TAKES_SCORES = 1 << 8, /* a query and a key, with their attention options and names */
    QKV_PLOT_TAKES_WEIGHTS = 1 << 9,
    QKV_PLOT_TAKES_VALUE = 1 << 10, /* and names of its axes */
    QKV_PLOT_TAKES_ORDER = 1 << 11,
    QKV_PLOT_HAS_EXAMPLE = 1 << 12, /* attention may be NULL */
    QKV_PLOT_FITS_TERMINAL = 1 << 13
};

/* One plot: one of the two functions is NULL. */
typedef struct qkv_plot {
    const char *name;
    qkv_status (*of_laws)(const qkv_plot_options *options, qkv_figure **figure, qkv_error *error);
    qkv_status (*of_attention)(const qkv_plot_options *options, const qkv_plot_attention *attention,
                               qkv_figure **figure, qkv_error *error);
    unsigned takes;
} qkv_plot;

/* All plots except that of a claim. */
QKV_API const qkv_plot *qkv_plots(size_t *count);

#ifdef __cplusplus
}
#endif
#endif
