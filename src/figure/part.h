/* What the files of this room share: the figure as it was asked for, where its parts lie, and the
 * pieces of text that it becomes. Nothing here knows what is drawn, attention least of all. */
#ifndef QKV_FIGURE_PART_H
#define QKV_FIGURE_PART_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/figure.h>

#include "base/arena.h"
#include "base/text.h"
#include "figure/make.h"

/* ---- The figure as it was asked for ------------------------------------------------------ */

typedef enum qkv__mark_kind {
    QKV__MARK_LINE,
    QKV__MARK_POINTS,
    QKV__MARK_BAND,
    QKV__MARK_BARS,
    QKV__MARK_RULE_X,
    QKV__MARK_RULE_Y,
    QKV__MARK_TEXT,
    QKV__MARK_ARROW,
    QKV__MARK_BOX,
    QKV__MARK_HEAT,
} qkv__mark_kind;

typedef struct qkv__mark {
    qkv__mark_kind kind;
    qkv_style style; /* with an ink, a dash and a marker of its own */
    size_t count;
    const double *x, *y; /* bars: count + 1 edges and count heights */
    const double *high;  /* bands: y is then the lower curve */
    double at[4];        /* rules: 1 number; text: x, y; arrows: two ends; boxes: x, y and sizes */
    const char *text;    /* NULL: none */
    qkv_heat heat;
    struct qkv__mark *next;
} qkv__mark;

typedef struct qkv__panel {
    qkv_panel options;
    qkv__mark *marks, **end;
    unsigned inks; /* bit i: series i is in use */
    unsigned next_ink;
    struct qkv__panel *next;
} qkv__panel;

enum { QKV__PANELS_MOST = 64, QKV__SERIES = 6 };

struct qkv_figure {
    qkv_figure_options options;
    qkv__arena arena;
    qkv__panel *panels, **end, *last;
    size_t panel_count;
    qkv_error failure; /* the first one; QKV_OK: none */
};

/* ---- Numbers and text -------------------------------------------------------------------- */

/* A coordinate: two decimals. */
void qkv__figure_place(qkv__text *text, double value);

/* Text in XML, with and without the scripts' braces; what XML cannot hold becomes U+FFFD. */
void qkv__figure_escape(qkv__text *text, const char *string);
void qkv__figure_plain(qkv__text *text, const char *string);

typedef struct qkv__word_style {
    double x, y, size;
    const char *colour;
    qkv_anchor anchor;
    bool bold, markup;
    double turn; /* degrees; around (x, y) */
} qkv__word_style;

/* A <text>, with a halo in the background's colour unless that is NULL. */
void qkv__figure_words(qkv__text *text, const qkv__word_style *words, const char *background,
                       const char *string, size_t length);

/* Breaks at blanks so that lines fit the width, and where there is a newline. Returns how many
 * bytes the first line has; *next is where the next one starts. */
size_t qkv__figure_break(const char *string, double size, double width, const char **next);

/* How many lines that makes. */
size_t qkv__figure_lines(const char *string, double size, double width);

/* ---- Colours ----------------------------------------------------------------------------- */

typedef struct qkv__palette {
    const char *background, *text, *quiet, *grid;
    const char *series[QKV__SERIES];
} qkv__palette;

const qkv__palette *qkv__figure_palette(qkv_theme theme);

/* Of a style's ink, which is not QKV_INK_NEXT. */
const char *qkv__figure_ink(const qkv__palette *palette, qkv_ink ink);

/* "" for a solid line, or the value of stroke-dasharray. */
const char *qkv__figure_dash(qkv_dash dash, qkv_ink ink);
qkv_marker qkv__figure_marker(qkv_marker marker, qkv_ink ink);

enum { QKV__HEAT_LEVELS = 64 };

/* The colour of a level as "#rrggbb", and whether text on it has to be light. */
void qkv__figure_heat_colour(qkv_theme theme, int level, char colour[8], bool *light_text);

/* The level of a number between the ends of a heat map; -1 for NaN. */
int qkv__figure_heat_level(double value, double low, double high);

/* Blocks of a heat map's numbers, where there is no room for all. */
typedef struct qkv__heat_blocks {
    size_t high, wide;    /* numbers of a block each way, at least 1 */
    size_t rows, columns; /* of blocks; those at the ends may be smaller */
} qkv__heat_blocks;

qkv__heat_blocks qkv__heat_cut(const qkv_heat *heat, size_t high, size_t wide);

/* The largest number of a block, and NaN if there is one: a mean would hide what is sharp. */
double qkv__heat_largest(const qkv_heat *heat, const qkv__heat_blocks *b, size_t row,
                         size_t column);

/* The mean of the numbers beside a block's rows. */
double qkv__heat_beside(const qkv_heat *heat, const qkv__heat_blocks *b, size_t row);

/* ---- Axes -------------------------------------------------------------------------------- */

typedef struct qkv__scale {
    qkv_axis_kind kind;
    double low, high;  /* numbers */
    double begin, end; /* their coordinates */
} qkv__scale;

/* The coordinate of a number; NaN where it has none. */
double qkv__scale_map(const qkv__scale *scale, double value);

enum { QKV__TICKS_MOST = 32, QKV__TICK_TEXT = 48 };

typedef struct qkv__ticks {
    size_t count;
    double value[QKV__TICKS_MOST];
    char text[QKV__TICKS_MOST][QKV__TICK_TEXT];
} qkv__ticks;

/* 1, 2 or 5 times a power of ten: the least such number that is at least `least`, above 0. */
double qkv__tick_step(double least);

/* The ticks of a scale that fit when each takes `spacing` pixels. None for names and blanks. */
void qkv__ticks_find(const qkv__scale *scale, double spacing, qkv__ticks *ticks);

/* The ends of an axis of a panel with room for so many ticks: those given, or around the marks. */
void qkv__scale_range(const qkv__panel *panel, bool vertical, double room, qkv__scale *scale);

/* ---- Cutting ----------------------------------------------------------------------------- */

typedef struct qkv__frame {
    double left, top, right, bottom;
} qkv__frame;

typedef struct qkv__figure_point {
    double x, y;
} qkv__figure_point;

/* Cuts a segment to the frame; false: nothing is left. */
bool qkv__clip_segment(const qkv__frame *frame, qkv__figure_point *from, qkv__figure_point *to);

/* Cuts a polygon to the frame; `points` and `spare` have room for six times the count: a side
 * turns a run of points outside into two on it, which is half as many again at most. Returns how
 * many points are left, in `points`. */
size_t qkv__clip_polygon(const qkv__frame *frame, qkv__figure_point *points,
                         qkv__figure_point *spare, size_t count);

/* ---- Places ------------------------------------------------------------------------------ */

typedef struct qkv__panel_place {
    const qkv__panel *panel;
    qkv__frame frame; /* between the axes */
    qkv__scale x, y;
    qkv__ticks x_ticks, y_ticks;
    double left, title_y; /* where its title begins: the column's left end, a baseline */
    double labels_left;   /* where the y axis's labels begin */
    double space;         /* of its column: the width that its title may take */
    double name_width;    /* of the widest name along the x axis; 0: there are none */
    bool turned;          /* they stand at an angle */
} qkv__panel_place;

/* An entry of the legend: a mark that has a label, or a heat map with its colours. */
typedef struct qkv__entry {
    const qkv__mark *mark;
    double x, y; /* left end, baseline */
} qkv__entry;

typedef struct qkv__layout {
    double width, height, margin;
    size_t entry_count;
    qkv__entry *entries;
    size_t place_count;
    qkv__panel_place *places;
} qkv__layout;

/* Everything in it comes from the arena; false without memory. */
bool qkv__figure_layout(const qkv_figure *figure, qkv__arena *arena, qkv__layout *layout);

/* The text that stands for an entry, and the width of the sample before it. */
const char *qkv__entry_label(const qkv__mark *mark);
double qkv__entry_sample(const qkv__mark *mark);

/* How much wider bold text is than it is measured. */
#define QKV__BOLD 1.1

enum {
    QKV__SIZE_TITLE = 17,
    QKV__SIZE_TEXT = 12,
    QKV__SIZE_PANEL = 13,
    QKV__LINE_TITLE = 24, /* from baseline to baseline */
    QKV__LINE_TEXT = 17,
    QKV__BESIDE_BAR = 44,   /* bars beside a heat map: the longest, */
    QKV__BESIDE_SPACE = 96, /* and the whole room */
};

/* ---- Drawing ----------------------------------------------------------------------------- */

typedef struct qkv__canvas {
    const qkv_figure *figure;
    const qkv__palette *palette;
    qkv__arena *arena;
    qkv__text text;
} qkv__canvas;

void qkv__draw_mark(qkv__canvas *canvas, const qkv__panel_place *place, const qkv__mark *mark);
void qkv__draw_heat(qkv__canvas *canvas, const qkv__panel_place *place, const qkv__mark *mark);

/* The sample of a legend's entry; x: its left end, y: its middle. */
void qkv__draw_sample(qkv__canvas *canvas, const qkv__mark *mark, double x, double y);

/* ` fill="none" stroke=... ` of a line. */
void qkv__draw_stroke(qkv__canvas *canvas, const qkv_style *style);

/* `M x y` and `L x y` of a path. */
void qkv__draw_move(qkv__canvas *canvas, char command, qkv__figure_point point);

/* The figure as lines of text; false without memory. */
bool qkv__figure_terminal(const qkv_figure *figure, bool colour, qkv__text *text);

/* The lines of at most QKV__PANELS_MOST texts beside each other, each text in its own columns. */
void qkv__terminal_beside(qkv__text *text, const qkv__text *parts, size_t count, size_t width);

/* SVG to another format by librsvg. */
qkv_status qkv__figure_convert(const char *svg, size_t length, qkv_picture_format format,
                               double zoom, qkv_picture *picture, qkv_error *error);

#endif
