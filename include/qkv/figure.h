/*
 * Figures: arrays in, SVG out.
 *
 * A figure is a grid of panels; a panel has two axes and marks on them. Marks go into the most
 * recently added panel:
 *
 *     double beta[3] = {0, 1, 2}, weight[3] = {0.33, 0.42, 0.47};
 *     qkv_figure *figure = NULL;
 *     qkv_figure_options options = qkv_figure_default();
 *     options.title = "Average of two keys";
 *     qkv_error error;
 *     if (qkv_figure_create(&options, &figure, &error) != QKV_OK) ...
 *     qkv_panel panel = qkv_panel_default();
 *     panel.x.label = "β";
 *     panel.y.label = "weight";
 *     qkv_figure_panel(figure, &panel);
 *     qkv_figure_line(figure, beta, weight, 3, &(qkv_style){.label = "n = 3"});
 *
 *     qkv_picture picture;
 *     if (qkv_figure_render(figure, QKV_PICTURE_SVG, 0, &picture, &error) != QKV_OK) ...
 *     fwrite(picture.data, 1, picture.length, stdout);
 *     qkv_picture_free(&picture);
 *     qkv_figure_free(&figure);
 *
 * Arrays and texts are copied. Functions that add something return nothing: the first failure among
 * them (no memory, or an invalid argument) is remembered, and qkv_figure_render reports it.
 *
 * The same calls give the same bytes on every machine, up to the last digit of computed numbers and
 * whatever the locale. Text stays text, in the reader's fonts. There are no ids, so several figures
 * can share one page. Series differ in colour (Okabe and Ito's palette, which colour-blind readers
 * can distinguish) and also in dashes or markers, for printing in grey. Every panel records its
 * scales in attributes:
 *
 *     <g class="panel" data-x="linear 0 12 60 470" data-y="log 0.001 1 250 40">
 *
 * that is kind, low, high, and the coordinates of low and high.
 *
 * Texts are UTF-8. In titles, labels and annotations _{...} is a subscript and ^{...} a power:
 * "k_{a}", "e^{β}". Names along an axis are used verbatim, unless it is marked up.
 *
 * Sections below: the figure; panels and axes; marks; pictures.
 */
#ifndef QKV_FIGURE_H
#define QKV_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The figure -------------------------------------------------------------------------- */

typedef enum qkv_theme {
    QKV_THEME_LIGHT = 0,
    QKV_THEME_DARK = 1,
} qkv_theme;

/* Take a struct from qkv_figure_default(). Zero means the default, given after the field. */
typedef struct qkv_figure_options {
    size_t struct_size; /* set by qkv_figure_default(): lets the struct grow */

    const char *title;       /* above the panels, also for screen readers. None. */
    const char *subtitle;    /* under the title, smaller, wrapped at the figure's width. None. */
    const char *description; /* for screen readers. The subtitle. */
    qkv_theme theme;         /* light */
    double width;            /* of the whole figure, in pixels at natural size: 200 to 4000. 720. */
    double panel_height;     /* of the area between a panel's axes: 20 to 2000. 240. */
    size_t columns;          /* panels per row. 1. */
} qkv_figure_options;

typedef struct qkv_figure qkv_figure;

QKV_API qkv_figure_options qkv_figure_default(void);

/* options may be NULL. The caller frees the figure. */
QKV_API qkv_status qkv_figure_create(const qkv_figure_options *options, qkv_figure **figure,
                                     qkv_error *error);

QKV_API void qkv_figure_free(qkv_figure **figure);

/* ---- Panels and axes --------------------------------------------------------------------- */

typedef enum qkv_axis_kind {
    QKV_AXIS_LINEAR = 0,
    QKV_AXIS_LOG = 1,   /* only for numbers above 0 */
    QKV_AXIS_NAMES = 2, /* rows or columns: number i, from 0, is called names[i] */
    QKV_AXIS_BLANK = 3, /* linear, and not drawn: for diagrams */
} qkv_axis_kind;

typedef struct qkv_axis {
    qkv_axis_kind kind;
    const char *label; /* the quantity, with its unit. None. */

    /* The ends: finite, low < high, and above 0 on a logarithmic axis. Both 0: chosen to fit the
     * marks, rounded to ticks. */
    double low, high;

    /* For QKV_AXIS_NAMES. names may be NULL: then numbers from 1. On a y axis the first is at the
     * top. If names would overlap, some are left out evenly. */
    const char *const *names;
    size_t name_count;
    bool marked_up; /* names have subscripts and powers, as labels have. No. */
} qkv_axis;

/* Take a struct from qkv_panel_default(). */
typedef struct qkv_panel {
    size_t struct_size;
    const char *title; /* None. */
    const char *note;  /* a second line under it, wrapped at the panel's width. None. */
    qkv_axis x, y;
    bool square; /* false. true: one unit of x is as long as one unit of y; the panel shrinks
                    in a direction whose ends are both given or are names */
} qkv_panel;

QKV_API qkv_panel qkv_panel_default(void);

/* Adds a panel to the right of the previous one, or in a new row. At most 64. */
QKV_API void qkv_figure_panel(qkv_figure *figure, const qkv_panel *panel);

/* ---- Marks ------------------------------------------------------------------------------- */

/* Colours by purpose; the six from QKV_INK_FIRST are for series. */
typedef enum qkv_ink {
    QKV_INK_NEXT = 0, /* the next series colour not yet used in this panel */
    QKV_INK_FIRST = 1,
    QKV_INK_SECOND = 2,
    QKV_INK_THIRD = 3,
    QKV_INK_FOURTH = 4,
    QKV_INK_FIFTH = 5,
    QKV_INK_SIXTH = 6,
    QKV_INK_TEXT = 7,  /* as text */
    QKV_INK_QUIET = 8, /* as notes and axes */
} qkv_ink;

typedef enum qkv_dash {
    QKV_DASH_BY_INK = 0, /* the first series is solid, each of the others has its own pattern */
    QKV_DASH_SOLID = 1,
    QKV_DASH_LONG = 2,
    QKV_DASH_SHORT = 3,
    QKV_DASH_DOT = 4,
} qkv_dash;

typedef enum qkv_marker {
    QKV_MARKER_BY_INK = 0,
    QKV_MARKER_DISC = 1,
    QKV_MARKER_SQUARE = 2,
    QKV_MARKER_TRIANGLE = 3,
    QKV_MARKER_DIAMOND = 4,
    QKV_MARKER_CROSS = 5,
    QKV_MARKER_RING = 6,
} qkv_marker;

/* Which part of a text is at its position. */
typedef enum qkv_anchor {
    QKV_ANCHOR_MIDDLE = 0,
    QKV_ANCHOR_START = 1,
    QKV_ANCHOR_END = 2,
} qkv_anchor;

/* The look of a mark; all zero will do. A mark uses only the fields it needs. */
typedef struct qkv_style {
    const char *label; /* in the legend, once per figure for marks that look the same. None. */
    qkv_ink ink;
    qkv_dash dash;
    qkv_marker marker;
    double width;            /* of lines, in pixels: 2 */
    double size;             /* of markers and text, in pixels: 6 and 12 */
    double opacity;          /* 1 for lines, 0.35 for areas */
    qkv_anchor anchor;       /* of text */
    double shift_x, shift_y; /* shifts text from its position, in pixels to the right and down */
    double bend; /* of arrows: distance of the middle from the straight line, as a fraction of the
                    length; positive bends to the left */
} qkv_style;

/* style may be NULL in all of these. A number that is NaN, above 10^100 in magnitude, or not on its
 * axis (0 or below on a logarithmic one) is a gap. Marks are clipped at the ends of the axes. */

QKV_API void qkv_figure_line(qkv_figure *figure, const double *x, const double *y, size_t count,
                             const qkv_style *style);
QKV_API void qkv_figure_points(qkv_figure *figure, const double *x, const double *y, size_t count,
                               const qkv_style *style);

/* The area between two curves. */
QKV_API void qkv_figure_band(qkv_figure *figure, const double *x, const double *low,
                             const double *high, size_t count, const qkv_style *style);

/* `layers` stacked areas: layer l has the thickness parts[l * count + i] at x[i], and styles[l]. A
 * gap in one layer is a gap in all layers above it. */
QKV_API void qkv_figure_stack(qkv_figure *figure, const double *x, size_t count,
                              const double *parts, size_t layers, const qkv_style *styles);

/* Bars from 0 to heights[i], between edges[i] and edges[i + 1]: count heights, count + 1 edges. On
 * a logarithmic axis they start at its lower end. */
QKV_API void qkv_figure_bars(qkv_figure *figure, const double *edges, const double *heights,
                             size_t count, const qkv_style *style);

/* A line across the panel at a number of the x axis (vertical) or of the y axis, with a text along
 * it that may be NULL. */
QKV_API void qkv_figure_rule_x(qkv_figure *figure, double at, const char *text,
                               const qkv_style *style);
QKV_API void qkv_figure_rule_y(qkv_figure *figure, double at, const char *text,
                               const qkv_style *style);

QKV_API void qkv_figure_text(qkv_figure *figure, double x, double y, const char *text,
                             const qkv_style *style);
QKV_API void qkv_figure_arrow(qkv_figure *figure, double x, double y, double to_x, double to_y,
                              const qkv_style *style);

/* A box centred at (x, y), with its size in units of the axes, and lines of text in it, separated
 * by newlines. */
QKV_API void qkv_figure_box(qkv_figure *figure, double x, double y, double width, double height,
                            const char *text, const qkv_style *style);

/*
 * A heat map of rows x columns numbers: number (i, j) fills the square around x = j, y = i. Meant
 * for axes with names. Colours go from low to high, in 64 steps that get darker (lighter in the
 * dark theme), with a colour bar in the legend; NaN is crossed out.
 */
typedef struct qkv_heat {
    size_t rows, columns;
    const double *values; /* row by row */
    double low, high;     /* both 0: 0 and 1 */
    const char *label;    /* of the colours. None. */
    const double *beside; /* one number per row, as a bar to its right. None. */
    double beside_high;   /* the number that fills the bar; 0: the largest */
    const char *beside_label;
} qkv_heat;

QKV_API void qkv_figure_heat(qkv_figure *figure, const qkv_heat *heat);

/* ---- Pictures ---------------------------------------------------------------------------- */

typedef enum qkv_picture_format {
    QKV_PICTURE_SVG = 0,
    QKV_PICTURE_PNG = 1,  /* by librsvg; QKV_ERROR_UNSUPPORTED if qkv was built without it */
    QKV_PICTURE_PDF = 2,  /* the same */
    QKV_PICTURE_TEXT = 3, /* for terminals: UTF-8, options.width / 9 columns wide, in Unicode
                             blocks, shades and Braille patterns; of boxes only those around
                             a row of a heat map, as brackets */
    QKV_PICTURE_COLOURED_TEXT = 4, /* the same, with the colours of terminals (256 of them) */
} qkv_picture_format;

/* The contents of a file, followed by a '\0', so that SVG is a string. */
typedef struct qkv_picture {
    char *data;
    size_t length;
} qkv_picture;

/*
 * Draws the figure; can be called repeatedly. zoom: PNG pixels per figure pixel, from 0.1 to 20;
 * 0 means 2. The caller frees the picture.
 */
QKV_API qkv_status qkv_figure_render(const qkv_figure *figure, qkv_picture_format format,
                                     double zoom, qkv_picture *picture, qkv_error *error);

QKV_API void qkv_picture_free(qkv_picture *picture);

/*
 * Text of the claim language in mathematical signs: "beta >= 1/2" becomes "β ≥ ½". With scripts,
 * also indexes, powers and minus signs as figures take them: "v[a] - e^beta" becomes "v_{a} −
 * e^{β}". The text may be part of a formula or of a sentence; the caller frees the words as a
 * picture.
 */
QKV_API qkv_status qkv_notation(const char *text, bool scripts, qkv_picture *words,
                                qkv_error *error);

#ifdef __cplusplus
}
#endif
#endif
