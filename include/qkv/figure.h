/*
 * Figures: arrays in, SVG out.
 *
 * A figure is a grid of panels; a panel has two axes and marks on them. Marks go into the panel
 * that was added last:
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
 * them, no memory or an argument that cannot be, is kept, and qkv_figure_render tells it.
 *
 * The same calls give the same bytes on every machine up to the last digit of what was computed
 * before, whatever the locale. Text stays text, in fonts that the reader has. There are no ids, so
 * that several figures can stand in one page. Series differ in colour (Okabe and Ito's palette,
 * which the colour-blind can tell apart) and in dashes or markers as well, for print in grey. Every
 * panel says in attributes how numbers became places:
 *
 *     <g class="panel" data-x="linear 0 12 60 470" data-y="log 0.001 1 250 40">
 *
 * that is kind, low, high, and the coordinates of low and high.
 *
 * Texts are UTF-8. In titles, labels and annotations _{...} is a subscript: "k_{a}". Names along an
 * axis are taken as they are.
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

/* Take a struct from qkv_figure_default(). Zero means the default, given behind the field. */
typedef struct qkv_figure_options {
    size_t struct_size; /* set by qkv_figure_default(): lets the struct grow */

    const char *title;       /* above the panels, also for screen readers. None. */
    const char *subtitle;    /* under the title, smaller, broken at the figure's width. None. */
    const char *description; /* what there is to see, for screen readers. The subtitle. */
    qkv_theme theme;         /* light */
    double width;            /* of the whole, in pixels at its natural size: 200 to 4000. 720. */
    double panel_height;     /* of the space between a panel's axes: 20 to 2000. 240. */
    size_t columns;          /* panels beside each other. 1. */
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
    QKV_AXIS_LOG = 1,   /* numbers of 0 and below have no place on it */
    QKV_AXIS_NAMES = 2, /* rows or columns: number i, from 0, is called names[i] */
    QKV_AXIS_BLANK = 3, /* linear, and not drawn: for diagrams */
} qkv_axis_kind;

typedef struct qkv_axis {
    qkv_axis_kind kind;
    const char *label; /* what is counted, with its unit. None. */

    /* The ends. Both 0: as the marks need it, rounded to ticks; finite, low < high, and above 0 on
     * an axis in logarithms. */
    double low, high;

    /* For QKV_AXIS_NAMES. names may be NULL: then numbers from 1. On a y axis the first is at the
     * top. Names that lie too close for their size are left out evenly. */
    const char *const *names;
    size_t name_count;
} qkv_axis;

/* Take a struct from qkv_panel_default(). */
typedef struct qkv_panel {
    size_t struct_size;
    const char *title; /* None. */
    const char *note;  /* a second line under it, broken at the panel's width. None. */
    qkv_axis x, y;
    bool square; /* false. true: one unit of x is as long as one unit of y; the panel shrinks
                    in one direction, where its ends are both given or names */
} qkv_panel;

QKV_API qkv_panel qkv_panel_default(void);

/* Adds a panel to the right of the one before, or in a new row. At most 64. */
QKV_API void qkv_figure_panel(qkv_figure *figure, const qkv_panel *panel);

/* ---- Marks ------------------------------------------------------------------------------- */

/* Colours by what they are for; series have those from QKV_INK_FIRST on, six of them. */
typedef enum qkv_ink {
    QKV_INK_NEXT = 0, /* the next series that this panel has not used */
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
    QKV_DASH_BY_INK = 0, /* the first series is solid, each other has a pattern of its own */
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

/* Which part of a text stands at its place. */
typedef enum qkv_anchor {
    QKV_ANCHOR_MIDDLE = 0,
    QKV_ANCHOR_START = 1,
    QKV_ANCHOR_END = 2,
} qkv_anchor;

/* How a mark looks; all zero will do. A mark takes from it what it needs. */
typedef struct qkv_style {
    const char *label; /* in the legend, once a figure for marks that look the same. None. */
    qkv_ink ink;
    qkv_dash dash;
    qkv_marker marker;
    double width;            /* of lines, in pixels: 2 */
    double size;             /* of markers and text, in pixels: 6 and 12 */
    double opacity;          /* 1 for lines, 0.35 for areas */
    qkv_anchor anchor;       /* of text */
    double shift_x, shift_y; /* text is moved from its place, in pixels to the right and down */
    double bend; /* of arrows: how far the middle is off the straight line, as a part of the
                    length; to the left for positive ones */
} qkv_style;

/* style may be NULL in all of these. A number that is NaN, beyond 10^100 in size, or has no place
 * on its axis, is a gap. What lies outside of the axes is cut off at their ends. */

QKV_API void qkv_figure_line(qkv_figure *figure, const double *x, const double *y, size_t count,
                             const qkv_style *style);
QKV_API void qkv_figure_points(qkv_figure *figure, const double *x, const double *y, size_t count,
                               const qkv_style *style);

/* The area between two curves. */
QKV_API void qkv_figure_band(qkv_figure *figure, const double *x, const double *low,
                             const double *high, size_t count, const qkv_style *style);

/* `layers` areas on top of each other: layer l has the thickness parts[l * count + i] at x[i], and
 * styles[l]. A gap in one layer is one in all above it. */
QKV_API void qkv_figure_stack(qkv_figure *figure, const double *x, size_t count,
                              const double *parts, size_t layers, const qkv_style *styles);

/* Bars from 0 to heights[i], between edges[i] and edges[i + 1]: count heights, count + 1 edges. On
 * an axis in logarithms they stand on its lower end. */
QKV_API void qkv_figure_bars(qkv_figure *figure, const double *edges, const double *heights,
                             size_t count, const qkv_style *style);

/* A line across the panel at a number of the x axis (upright) or of the y axis, and a text along it
 * that may be NULL. */
QKV_API void qkv_figure_rule_x(qkv_figure *figure, double at, const char *text,
                               const qkv_style *style);
QKV_API void qkv_figure_rule_y(qkv_figure *figure, double at, const char *text,
                               const qkv_style *style);

QKV_API void qkv_figure_text(qkv_figure *figure, double x, double y, const char *text,
                             const qkv_style *style);
QKV_API void qkv_figure_arrow(qkv_figure *figure, double x, double y, double to_x, double to_y,
                              const qkv_style *style);

/* A box with its middle at (x, y), its sizes in units of the axes, and lines of text in it, with
 * newlines between. */
QKV_API void qkv_figure_box(qkv_figure *figure, double x, double y, double width, double height,
                            const char *text, const qkv_style *style);

/*
 * A heat map of rows x columns numbers: number (i, j) fills the square around x = j, y = i. Meant
 * for axes with names. Colours go from low to high, in 64 steps that grow darker (lighter in the
 * dark theme), with a bar that tells them in the legend; NaN is crossed out.
 */
typedef struct qkv_heat {
    size_t rows, columns;
    const double *values; /* row after row */
    double low, high;     /* both 0: 0 and 1 */
    const char *label;    /* of the colours. None. */
    const double *beside; /* a number for each row, as a bar to its right. None. */
    double beside_high;   /* the number of the longest bar; 0: the largest */
    const char *beside_label;
} qkv_heat;

QKV_API void qkv_figure_heat(qkv_figure *figure, const qkv_heat *heat);

/* ---- Pictures ---------------------------------------------------------------------------- */

typedef enum qkv_picture_format {
    QKV_PICTURE_SVG = 0,
    QKV_PICTURE_PNG = 1,  /* by librsvg; QKV_ERROR_UNSUPPORTED where qkv was built without it */
    QKV_PICTURE_PDF = 2,  /* likewise */
    QKV_PICTURE_TEXT = 3, /* for terminals: UTF-8 of a ninth of options.width columns, in Unicode's
                             blocks, shades and Braille patterns; arrows, boxes and notes are left
                             out */
} qkv_picture_format;

/* What to write to a file. A '\0' follows it, so that SVG is a string. */
typedef struct qkv_picture {
    char *data;
    size_t length;
} qkv_picture;

/*
 * Draws the figure, as often as one likes. zoom: pixels of a PNG for a pixel of the figure, from
 * 0.1 to 20; 0 stands for 2. The caller frees the picture.
 */
QKV_API qkv_status qkv_figure_render(const qkv_figure *figure, qkv_picture_format format,
                                     double zoom, qkv_picture *picture, qkv_error *error);

QKV_API void qkv_picture_free(qkv_picture *picture);

#ifdef __cplusplus
}
#endif
#endif
