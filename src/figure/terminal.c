/*
 * A figure as text, for terminals: panels side by side where they have room, otherwise below each
 * other. Bars are blocks in eighths, areas are shaded, lines, arrows and points are dots of Braille
 * patterns, the cells of heat maps are two characters or more. A series' number stands on its line,
 * and in the legend; its colour, where colours are wanted, is only in addition.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "figure/part.h"

enum {
    ROWS = 11,      /* of characters in a panel */
    ROWS_LEAST = 6, /* where panels stand below each other: a screen has some 24 */
    MANY_PANELS = 3,
    LABEL_WIDTH = 10, /* before them; less where panels stand side by side */
    LABEL_LEAST = 5,
    WIDTH_MOST = 400,
    PANEL_LEAST = 38,  /* characters of one of several panels side by side, labels included */
    SMALL_PANEL = 24,  /* where there are many */
    BETWEEN = 2,       /* blanks between them */
    CELL_MOST = 9,     /* characters of a heat map's cell */
    BESIDE = 8,        /* of the number beside its row */
    HEAT_COLUMNS = 16, /* of one of several maps that have two characters each */
    HEAT_ROWS = 24,    /* lines of a map: more are drawn two in one */
};

/* What is in a character's place. */
typedef struct cell {
    unsigned char dots;  /* of a Braille pattern */
    unsigned char fill;  /* eighths, from below */
    unsigned char shade; /* 1 to 3; 0: none */
    char glyph[5];       /* a character of UTF-8; "": none */
    bool worded;         /* it is part of a text */
    unsigned char ink;   /* a qkv_ink: of what was drawn here last; 0: none */
} cell;

typedef struct grid {
    size_t width, rows, label; /* characters; those of labels stand before */
    bool colour;
    bool failed; /* for want of memory */
    qkv__scale x, y;
    cell cells[ROWS][WIDTH_MOST];
} grid;

static void append(qkv__text *text, const char *string)
{
    qkv__text_append(text, string, strlen(string));
}

/* The colour of what follows; 0: the terminal's own. All are legible on white and on black. */
static void append_ink(qkv__text *text, const grid *g, unsigned ink)
{
    static const int colours[] = {0, 33, 166, 35, 169, 136, 37, 0, 245};
    if (!g->colour) return;
    if (ink >= sizeof colours / sizeof *colours || colours[ink] == 0)
        append(text, "\x1b[0m");
    else
        qkv__text_format(text, "\x1b[38;5;%dm", colours[ink]);
}

static void append_times(qkv__text *text, const char *string, size_t times)
{
    while (times-- > 0) append(text, string);
}

/* How many characters of a terminal a string takes; each code point one, which will do for what
 * figures say. */
static size_t columns_of(const char *string)
{
    size_t count = 0;
    for (; *string != '\0'; string++) count += ((unsigned char)*string & 0xc0) != 0x80;
    return count;
}

/* ---- Marks ------------------------------------------------------------------------------- */

/* Dots have places from (0, 0) at the top left; Braille numbers them by columns, the last row
 * apart. */
static void set_dot(grid *g, unsigned ink, double x, double y)
{
    static const unsigned char bits[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    if (!(x >= 0) || !(y >= 0)) return;
    size_t column = (size_t)x, row = (size_t)y;
    if (column >= 2 * g->width || row >= 4 * g->rows) return;
    g->cells[row / 4][column / 2].dots |= bits[row % 4][column % 2];
    g->cells[row / 4][column / 2].ink = (unsigned char)ink;
}

static void draw_segment(grid *g, unsigned ink, qkv__figure_point a, qkv__figure_point b)
{
    const qkv__frame frame = {0, 0, 2 * (double)g->width - 0.01, 4 * (double)g->rows - 0.01};
    if (isnan(a.x + a.y + b.x + b.y) || !qkv__clip_segment(&frame, &a, &b)) return;
    double steps = ceil(fmax(fabs(b.x - a.x), fabs(b.y - a.y))) + 1;
    for (double s = 0; s <= steps; s++)
        set_dot(g, ink, a.x + s / steps * (b.x - a.x), a.y + s / steps * (b.y - a.y));
}

static qkv__figure_point place_of(const grid *g, double x, double y)
{
    return (qkv__figure_point){qkv__scale_map(&g->x, x), qkv__scale_map(&g->y, y)};
}

static void draw_line(grid *g, const qkv__mark *mark)
{
    for (size_t i = 1; i < mark->count; i++)
        draw_segment(g, mark->style.ink, place_of(g, mark->x[i - 1], mark->y[i - 1]),
                     place_of(g, mark->x[i], mark->y[i]));
}

/* A character over whatever is there, if the place is inside. */
static void set_glyph(grid *g, unsigned ink, double column, double row, const char *glyph,
                      size_t length)
{
    if (!(column >= 0 && row >= 0 && column < (double)g->width && row < (double)g->rows)) return;
    cell *c = &g->cells[(size_t)row][(size_t)column];
    if (length >= sizeof c->glyph) return;
    memcpy(c->glyph, glyph, length);
    c->glyph[length] = '\0';
    c->ink = (unsigned char)ink;
}

/* A line, and at its end the sign of the direction that is nearest. */
static void draw_arrow(grid *g, const qkv__mark *mark)
{
    static const char *const heads[] = {"→", "↗", "↑", "↖", "←", "↙", "↓", "↘"};
    qkv__figure_point a = place_of(g, mark->at[0], mark->at[1]),
                      b = place_of(g, mark->at[2], mark->at[3]);
    if (isnan(a.x + a.y + b.x + b.y)) return;
    draw_segment(g, mark->style.ink, a, b);
    double turn = atan2(a.y - b.y, b.x - a.x) / (2 * acos(-1.0)) + 1;
    const char *head = heads[(size_t)floor(8 * turn + 0.5) % 8];
    set_glyph(g, mark->style.ink, b.x / 2, b.y / 4, head, strlen(head));
}

/* The series' number at its middle and at both quarters, where that is inside. */
static void letter_line(grid *g, const qkv__mark *mark)
{
    for (size_t quarter = 1; quarter < 4 && mark->count > 0; quarter++) {
        size_t i = quarter * (mark->count - 1) / 4;
        double x = qkv__scale_map(&g->x, mark->x[i]) / 2, y = qkv__scale_map(&g->y, mark->y[i]) / 4;
        const char number = (char)('0' + (int)mark->style.ink);
        set_glyph(g, mark->style.ink, x, y, &number, 1);
    }
}

static void draw_points(grid *g, const qkv__mark *mark)
{
    for (size_t i = 0; i < mark->count; i++)
        set_dot(g, mark->style.ink, qkv__scale_map(&g->x, mark->x[i]),
                qkv__scale_map(&g->y, mark->y[i]));
}

/* Columns whose middle lies in a bar are filled up to its height, in eighths of a character. */
static void draw_bars(grid *g, const qkv__mark *mark)
{
    for (size_t i = 0; i < mark->count; i++) {
        double from = qkv__scale_map(&g->x, mark->x[i]) / 2,
               to = qkv__scale_map(&g->x, mark->x[i + 1]) / 2;
        double top = qkv__scale_map(&g->y, mark->y[i]);
        if (isnan(from + to + top) || mark->y[i] == 0) continue;
        for (size_t c = 0; c < g->width; c++) {
            double middle = (double)c + 0.5;
            if (middle < from || middle >= to) continue;
            double eighths = 8 * ((double)g->rows - fmax(top, 0) / 4);
            for (size_t r = 0; r < g->rows; r++) {
                double left = round(eighths) - 8 * (double)(g->rows - 1 - r);
                int fill = left <= 0 ? 0 : left >= 8 ? 8 : (int)left;
                if (fill <= g->cells[r][c].fill) continue;
                g->cells[r][c].fill = (unsigned char)fill;
                g->cells[r][c].ink = (unsigned char)mark->style.ink;
            }
        }
    }
}

/* Shades what lies between two curves at the columns' middles; the data are taken to be dense. */
static void draw_band(grid *g, const qkv__mark *mark)
{
    for (size_t i = 0; i + 1 < mark->count; i++) {
        double from = qkv__scale_map(&g->x, mark->x[i]) / 2,
               to = qkv__scale_map(&g->x, mark->x[i + 1]) / 2;
        double low = qkv__scale_map(&g->y, mark->y[i]) / 4,
               high = qkv__scale_map(&g->y, mark->high[i]) / 4;
        if (isnan(from + to + low + high)) continue;
        for (size_t c = 0; c < g->width; c++) {
            if (!((double)c + 0.5 >= from && (double)c + 0.5 < to)) continue;
            for (size_t r = 0; r < g->rows; r++)
                if ((double)r + 0.5 > high && (double)r + 0.5 < low) {
                    g->cells[r][c].shade = (unsigned char)((mark->style.ink - 1) % 3 + 1);
                    g->cells[r][c].ink = (unsigned char)mark->style.ink;
                }
        }
    }
}

static void draw_rule(grid *g, const qkv__mark *mark)
{
    bool upright = mark->kind == QKV__MARK_RULE_X;
    double at = qkv__scale_map(upright ? &g->x : &g->y, mark->at[0]);
    double steps = upright ? 4 * (double)g->rows : 2 * (double)g->width;
    for (double s = 0; s < steps; s += 2)
        set_dot(g, QKV_INK_QUIET, upright ? at : s, upright ? s : at);
}

static void draw_mark(grid *g, const qkv__mark *mark)
{
    switch (mark->kind) {
    case QKV__MARK_LINE: draw_line(g, mark); break;
    case QKV__MARK_POINTS: draw_points(g, mark); break;
    case QKV__MARK_BAND: draw_band(g, mark); break;
    case QKV__MARK_BARS: draw_bars(g, mark); break;
    case QKV__MARK_RULE_X:
    case QKV__MARK_RULE_Y: draw_rule(g, mark); break;
    case QKV__MARK_ARROW: draw_arrow(g, mark); break;
    case QKV__MARK_TEXT: /* texts stand over everything, and come last */
    case QKV__MARK_BOX:
    case QKV__MARK_HEAT: break;
    }
}

/* ---- Text -------------------------------------------------------------------------------- */

/* A full block hides the line through it: the line stands out where bars end. */
static void append_cell(qkv__text *text, const cell *c)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const shades[] = {" ", "░", "▓", "▒"};
    if (c->glyph[0] != '\0') {
        append(text, c->glyph);
    } else if (c->dots != 0 && c->fill < 8) {
        const char braille[] = {(char)0xe2, (char)(0xa0 | c->dots >> 6),
                                (char)(0x80 | (c->dots & 0x3f))};
        qkv__text_append(text, braille, 3);
    } else {
        append(text, c->fill > 0 ? blocks[c->fill] : shades[c->shade]);
    }
}

static bool is_blank(const cell *c)
{
    return c->glyph[0] == '\0' && c->dots == 0 && c->fill == 0 && c->shade == 0;
}

/* A row of characters, without the blanks at its end. */
static void append_row(qkv__text *text, const grid *g, size_t row)
{
    size_t end = g->width;
    unsigned ink = 0;
    while (end > 0 && is_blank(&g->cells[row][end - 1])) end--;
    for (size_t c = 0; c < end; c++) {
        const cell *next = &g->cells[row][c];
        if (!is_blank(next) && next->ink != ink) append_ink(text, g, ink = next->ink);
        append_cell(text, next);
    }
    if (ink != 0) append_ink(text, g, 0);
    append(text, "\n");
}

/* Whatever a name holds, it must not command the terminal: controls, and what is no UTF-8, become
 * question marks. */
static void append_safe(qkv__text *text, const char *bytes, size_t length)
{
    for (size_t i = 0, taken; i < length; i += taken) {
        const unsigned char *b = (const unsigned char *)bytes + i;
        taken = qkv__utf8_length(bytes + i, length - i);
        const bool control =
            b[0] < ' ' || b[0] == 0x7f || (taken == 2 && b[0] == 0xc2 && b[1] < 0xa0);
        qkv__text_append(text, taken == 0 || control ? "?" : bytes + i,
                         taken == 0 || control ? 1 : taken);
        if (taken == 0) taken = 1;
    }
}

/* Text without the braces of scripts: "k_a". */
static void append_plain(qkv__text *text, const char *string)
{
    for (; *string != '\0'; string++) {
        if ((string[0] == '_' || string[0] == '^') && string[1] == '{' &&
            strchr(string, '}') != NULL) {
            qkv__text_append(text, string, 1);
            const char *end = strchr(++string, '}');
            append_safe(text, string + 1, (size_t)(end - string) - 1);
            string = end;
        } else {
            size_t length = 1 + strcspn(string + 1, "_^");
            append_safe(text, string, length);
            string += length - 1;
        }
    }
}

/* A word at a time, so that lines stay within the width. */
static void append_wrapped(qkv__text *text, const char *string, size_t width)
{
    size_t at = 0;
    while (*string != '\0') {
        char word[200];
        size_t length = strcspn(string, " ");
        if (length >= sizeof word) length = sizeof word - 1;
        memcpy(word, string, length);
        word[length] = '\0';
        size_t columns = columns_of(word);
        bool fits = at + 1 + columns <= width;
        if (at > 0) append(text, fits ? " " : "\n");
        at = at > 0 && fits ? at + 1 + columns : columns;
        append_plain(text, word);
        string += length;
        while (*string == ' ') string++;
    }
    append(text, "\n");
}

static void append_line(qkv__text *text, const char *string, size_t width)
{
    if (string != NULL) append_wrapped(text, string, width);
}

/* The tick of the y axis in that row of characters; "" if there is none. */
static const char *tick_of_row(const grid *g, const qkv__ticks *ticks, size_t row)
{
    for (size_t i = 0; i < ticks->count; i++) {
        double y = qkv__scale_map(&g->y, ticks->value[i]) / 4;
        if (fmin(floor(y), (double)g->rows - 1) == (double)row) return ticks->text[i];
    }
    return "";
}

static void append_label(qkv__text *text, const grid *g, const char *label, bool axis)
{
    size_t columns = columns_of(label);
    append_times(text, " ", columns < g->label - 2 ? g->label - 2 - columns : 0);
    append_safe(text, label, strlen(label));
    append(text, !axis ? "  " : *label != '\0' ? " ┤" : " │");
}

/* Numbers under their places, as far as they do not run into each other. */
static void append_x_ticks(qkv__text *text, const grid *g, const qkv__ticks *ticks)
{
    size_t at = 0;
    append_times(text, " ", g->label);
    for (size_t i = 0; i < ticks->count; i++) {
        double x = qkv__scale_map(&g->x, ticks->value[i]) / 2;
        size_t columns = columns_of(ticks->text[i]),
               start = x > (double)columns / 2 ? (size_t)(x - (double)columns / 2) : 0;
        if (start + columns > g->width) start = columns < g->width ? g->width - columns : 0;
        if (i > 0 && start < at + 1) continue;
        append_times(text, " ", start - at);
        append(text, ticks->text[i]);
        at = start + columns;
    }
    append(text, "\n");
}

/* Dots between numbers of a y axis, four to a character: a low panel needs two numbers too. */
static double y_spacing(size_t rows)
{
    return rows > ROWS_LEAST ? 12 : 7;
}

static void append_grid(qkv__text *text, const qkv__panel *panel, const grid *g)
{
    qkv__ticks x_ticks, y_ticks;
    bool axis = panel->options.x.kind != QKV_AXIS_BLANK;
    qkv__ticks_find(&g->x, 20, &x_ticks);
    qkv__ticks_find(&g->y, y_spacing(g->rows), &y_ticks);
    for (size_t r = 0; r < g->rows; r++) {
        append_label(text, g, tick_of_row(g, &y_ticks, r), axis);
        append_row(text, g, r);
    }
    if (!axis) return;
    append_times(text, " ", g->label - 1);
    append(text, "└");
    append_times(text, "─", g->width);
    append(text, "\n");
    append_x_ticks(text, g, &x_ticks);
}

/* Whether no text stands in these columns, or right beside them. */
static bool is_free(const grid *g, double column, double row, double columns)
{
    for (double c = fmax(column - 1, 0); c < fmin(column + columns + 1, (double)g->width); c++)
        if (g->cells[(size_t)row][(size_t)c].worded) return false;
    return true;
}

/* A text at its place, without scripts; left out where another one stands. Its shifts are pixels: a
 * character is about 9 by 18. */
static void draw_text(grid *g, const qkv__mark *mark)
{
    qkv__text plain = {0};
    qkv__figure_point at = place_of(g, mark->at[0], mark->at[1]);
    if (mark->text == NULL || isnan(at.x + at.y)) return;
    append(&plain, "");
    append_plain(&plain, mark->text);
    if (plain.failed) {
        g->failed = true;
        qkv__text_free(&plain);
        return;
    }
    double columns = (double)columns_of(plain.data);
    double part = mark->style.anchor == QKV_ANCHOR_START ? 0
                  : mark->style.anchor == QKV_ANCHOR_END ? 1
                                                         : 0.5;
    double column = floor(at.x / 2 + mark->style.shift_x / 9 - part * columns + 0.5);
    double row = fmin(floor(at.y / 4 + mark->style.shift_y / 18), (double)g->rows - 1);
    column = fmax(fmin(column, (double)g->width - columns), 0);
    row = fmax(row, 0);
    if (is_free(g, column, row, columns))
        for (size_t i = 0, length; i < plain.length; i += length, column++) {
            length = qkv__utf8_length(plain.data + i, plain.length - i);
            if (length == 0) length = 1;
            set_glyph(g, mark->style.ink, column, row, plain.data + i, length);
            if (column < (double)g->width) g->cells[(size_t)row][(size_t)column].worded = true;
        }
    qkv__text_free(&plain);
}

static void append_curves(qkv__text *text, const qkv__panel *panel, grid *g)
{
    memset(g->cells, 0, sizeof g->cells);
    qkv__scale_range(panel, false, 8, &g->x);
    qkv__scale_range(panel, true, 4, &g->y);
    g->x.begin = 0, g->x.end = 2 * (double)g->width;
    g->y.begin = 4 * (double)g->rows - 0.5, g->y.end = 0;
    for (const qkv__mark *m = panel->marks; m != NULL; m = m->next) draw_mark(g, m);
    for (const qkv__mark *m = panel->marks; m != NULL; m = m->next)
        if (m->kind == QKV__MARK_LINE && m->style.label != NULL) letter_line(g, m);
    for (const qkv__mark *m = panel->marks; m != NULL; m = m->next)
        if (m->kind == QKV__MARK_TEXT) draw_text(g, m);
    append_grid(text, panel, g);
    text->failed = text->failed || g->failed;
    if (panel->options.x.label == NULL) return;
    size_t own = columns_of(panel->options.x.label); /* with the braces of scripts: about right */
    append_times(text, " ", g->label + (own < g->width ? (g->width - own) / 2 : 0));
    append_line(text, panel->options.x.label, WIDTH_MOST);
}

/* ---- Heat maps --------------------------------------------------------------------------- */

/* A name of an axis, without the braces of scripts if it has any. */
static void append_marked(qkv__text *text, const qkv_axis *axis, const char *name)
{
    if (axis->marked_up)
        append_plain(text, name);
    else
        append_safe(text, name, strlen(name));
}

/* Text that is too long loses its end. */
static void shorten(qkv__text *text, size_t columns)
{
    if (columns_of(text->data) <= columns) return;
    size_t length = 0;
    for (size_t kept = 0; kept + 1 < columns; kept++) {
        size_t taken = qkv__utf8_length(text->data + length, text->length - length);
        length += taken == 0 ? 1 : taken;
    }
    text->length = length;
    append(text, "…");
}

static void append_name(qkv__text *text, const grid *g, const qkv_axis *axis, const char *name)
{
    qkv__text plain = {0};
    append(&plain, "");
    append_marked(&plain, axis, name);
    if (!plain.failed) shorten(&plain, g->label - 2);
    if (!plain.failed) append_label(text, g, plain.data, true);
    text->failed = text->failed || plain.failed;
    qkv__text_free(&plain);
}

/* Columns of a name without the braces of its scripts. */
static size_t name_columns(const qkv_axis *axis, size_t index)
{
    if (axis->names == NULL || index >= axis->name_count) return 0;
    const char *name = axis->names[index];
    size_t columns = columns_of(name);
    for (; *name != '\0'; name++)
        if ((name[0] == '_' || name[0] == '^') && name[1] == '{' && strchr(name, '}') != NULL)
            columns -= 2;
    return columns;
}

/* As wide as the names below them need it, if that leaves room for all; otherwise two. */
static size_t cell_width(const qkv_axis *axis, size_t columns, size_t room)
{
    size_t widest = 1;
    for (size_t j = 0; j < columns; j++) {
        size_t own = name_columns(axis, j);
        widest = own > widest ? own : widest;
    }
    bool fits = widest < CELL_MOST && columns * (widest + 1) <= room;
    return fits && widest + 1 > 2 ? widest + 1 : 2;
}

/* How a heat map stands in characters: one is a block of cells where there is no room for all. */
typedef struct heat_cells {
    size_t wide; /* characters of a column */
    qkv__heat_blocks blocks;
} heat_cells;

/* The numbers beside rows take room as well. A character is twice as high as wide, so that maps
 * with one to a cell, if they are long, have two rows in a line. */
static heat_cells fit_heat(const qkv_axis *axis, const qkv_heat *heat, const grid *g)
{
    const size_t room = g->width - (heat->beside != NULL && g->width > BESIDE ? BESIDE : 0);
    size_t wide = 1, high = 1, across = 1;
    if (2 * heat->columns <= room) wide = cell_width(axis, heat->columns, room);
    if (wide == 1) across = (heat->columns + room - 1) / room;
    if (wide == 1 && heat->rows > HEAT_ROWS) high = 2 * across;
    return (heat_cells){wide, qkv__heat_cut(heat, high, across)};
}

/* Names of columns where they begin: all, or as many as do not run into each other. */
static void append_column_names(qkv__text *text, const grid *g, const qkv_axis *axis,
                                const heat_cells *c)
{
    size_t widest = 0, every = 1, at = 0;
    for (size_t j = 0; j < axis->name_count; j++)
        widest = name_columns(axis, j) > widest ? name_columns(axis, j) : widest;
    every = (widest + c->wide) / c->wide; /* a blank after each */
    append_times(text, " ", g->label);
    for (size_t j = 0; j < c->blocks.columns && j * c->blocks.wide < axis->name_count; j += every) {
        const size_t index = j * c->blocks.wide, own = name_columns(axis, index);
        if (j * c->wide + own > (j > 0 ? c->blocks.columns * c->wide : g->width)) break;
        append_times(text, " ", j * c->wide - at);
        append_marked(text, axis, axis->names[index]);
        at = j * c->wide + own;
    }
    append(text, "\n");
}

static const char *const heat_shades[] = {"·", "░", "▒", "▓", "█"};
enum { HEAT_SHADES = sizeof heat_shades / sizeof *heat_shades };

/* The last sign before a row, the axis, becomes a bracket. */
static void frame_row(qkv__text *text)
{
    if (text->failed || text->length < strlen("┤")) return;
    text->length -= strlen("┤");
    append(text, "[");
}

/* Whether a box of the panel goes around this row. */
static bool is_framed(const qkv__panel *panel, double row)
{
    for (const qkv__mark *m = panel->marks; m != NULL; m = m->next)
        if (m->kind == QKV__MARK_BOX && fabs(row - m->at[1]) < m->at[3] / 2) return true;
    return false;
}

static void append_heat(qkv__text *text, const qkv__panel *panel, const qkv_heat *heat,
                        const grid *g)
{
    const heat_cells c = fit_heat(&panel->options.x, heat, g);
    const qkv_axis *axis = &panel->options.y, *below = &panel->options.x;
    for (size_t i = 0; i < c.blocks.rows; i++) {
        bool named = axis->names != NULL && i * c.blocks.high < axis->name_count;
        append_name(text, g, axis, named ? axis->names[i * c.blocks.high] : "");
        if (c.blocks.high == 1 && is_framed(panel, (double)i)) frame_row(text);
        append_ink(text, g, QKV_INK_FIRST);
        for (size_t j = 0; j < c.blocks.columns; j++) {
            int level = qkv__figure_heat_level(qkv__heat_largest(heat, &c.blocks, i, j), heat->low,
                                               heat->high);
            append_times(text,
                         level < 0 ? "×" : heat_shades[level * HEAT_SHADES / QKV__HEAT_LEVELS],
                         c.wide);
        }
        append_ink(text, g, 0);
        append(text, c.blocks.high == 1 && is_framed(panel, (double)i) ? "]" : "");
        double beside = heat->beside != NULL ? qkv__heat_beside(heat, &c.blocks, i) : NAN;
        if (!isnan(beside)) append(text, "  ");
        if (!isnan(beside)) qkv__figure_label(text, beside, 2);
        append(text, "\n");
    }
    if (below->names != NULL) append_column_names(text, g, below, &c);
}

/* What shades mean, and how many cells a character stands for; once, as all maps are alike. */
static void append_heat_legend(qkv__text *text, const qkv__panel *panel, const grid *g,
                               size_t columns)
{
    qkv__text line = {0};
    if (panel == NULL || panel->marks == NULL || panel->marks->kind != QKV__MARK_HEAT) return;
    const qkv_heat *heat = &panel->marks->heat;
    const heat_cells c = fit_heat(&panel->options.x, heat, g);
    append(&line, heat->label != NULL ? heat->label : "value");
    append(&line, ":");
    for (int i = 0; i < HEAT_SHADES; i++) {
        qkv__text_format(&line, " %s from ", heat_shades[i]);
        qkv__figure_label(&line, heat->low + (heat->high - heat->low) * i / HEAT_SHADES, 2);
        append(&line, i + 1 < HEAT_SHADES ? "," : " to ");
    }
    qkv__figure_label(&line, heat->high, 2);
    append(&line, ".");
    if (c.blocks.high > 1 || c.blocks.wide > 1)
        qkv__text_format(&line, " A character shows the largest of %zu × %zu cells.", c.blocks.high,
                         c.blocks.wide);
    append(text, "\n");
    if (!line.failed) append_line(text, line.data, columns);
    text->failed = text->failed || line.failed;
    qkv__text_free(&line);
}

/* ---- All --------------------------------------------------------------------------------- */

static void append_entry(qkv__text *text, const qkv__mark *m, const grid *g)
{
    static const char *const shades[] = {"░", "▓", "▒"};
    append_times(text, " ", g->label);
    append_ink(text, g, m->style.ink);
    if (m->kind == QKV__MARK_LINE)
        qkv__text_format(text, "%d  ", (int)m->style.ink);
    else if (m->kind == QKV__MARK_BAND)
        qkv__text_format(text, "%s  ", shades[(m->style.ink - 1) % 3]);
    else
        append(text, m->kind == QKV__MARK_BARS ? "█  " : "⠶  ");
    append_ink(text, g, 0);
    append_line(text, m->style.label, WIDTH_MOST);
}

/* Whether a mark before this one, in these panels up to its own, has the same entry: the same sign
 * and the same words. *clash: one has the same sign and other words. */
static bool is_known(const qkv__panel *from, const qkv__mark *mark, bool *clash)
{
    for (const qkv__panel *p = from; p != NULL; p = p->next)
        for (const qkv__mark *m = p->marks; m != NULL; m = m->next) {
            if (m == mark) return false;
            if (m->style.label == NULL || m->kind != mark->kind || m->style.ink != mark->style.ink)
                continue;
            if (strcmp(m->style.label, mark->style.label) == 0) return true;
            *clash = true;
        }
    return false;
}

/* One legend will do where no sign means two things. */
static bool is_common(const qkv_figure *figure)
{
    bool clash = false;
    for (const qkv__panel *p = figure->panels; p != NULL; p = p->next)
        for (const qkv__mark *m = p->marks; m != NULL; m = m->next)
            if (m->style.label != NULL) is_known(figure->panels, m, &clash);
    return !clash;
}

/* The marks of the panels from one to before another. */
static void append_legend(qkv__text *text, const qkv__panel *from, const qkv__panel *to,
                          const grid *g)
{
    bool clash;
    for (const qkv__panel *p = from; p != to; p = p->next)
        for (const qkv__mark *m = p->marks; m != NULL; m = m->next)
            if (m->style.label != NULL && !is_known(from, m, &clash)) append_entry(text, m, g);
}

static void append_body(qkv__text *text, const qkv__panel *panel, grid *g, bool legend)
{
    for (const qkv__mark *m = panel->marks; m != NULL; m = m->next)
        if (m->kind == QKV__MARK_HEAT) {
            append_heat(text, panel, &m->heat, g);
            return;
        }
    append_curves(text, panel, g);
    if (legend) append_legend(text, panel, panel->next, g);
}

/* ---- Side by side ------------------------------------------------------------------------ */

/* Panels of one row: their titles above, beginning in one line and ending in one. */
static const qkv__panel *append_panels(qkv__text *text, const qkv__panel *first, size_t count,
                                       grid *g, bool legend)
{
    qkv__text heads[QKV__PANELS_MOST] = {{0}}, bodies[QKV__PANELS_MOST] = {{0}};
    const size_t width = g->width + g->label;
    size_t made = 0;
    for (; made < count && first != NULL; made++, first = first->next) {
        append_line(&heads[made], first->options.title, width);
        append_line(&heads[made], first->options.note, width);
        append_body(&bodies[made], first, g, legend);
    }
    append(text, "\n");
    qkv__terminal_beside(text, heads, made, width + BETWEEN);
    qkv__terminal_beside(text, bodies, made, width + BETWEEN);
    for (size_t i = 0; i < made; i++) {
        text->failed = text->failed || heads[i].failed || bodies[i].failed;
        qkv__text_free(&heads[i]);
        qkv__text_free(&bodies[i]);
    }
    return first;
}

/* Characters of the widest name or number of a y axis, and the axis. */
static size_t label_width(const qkv_figure *figure, size_t rows)
{
    size_t widest = LABEL_LEAST - 2;
    for (const qkv__panel *p = figure->panels; p != NULL; p = p->next) {
        qkv__scale y;
        qkv__ticks ticks;
        for (size_t i = 0; i < p->options.y.name_count; i++) {
            size_t own = name_columns(&p->options.y, i);
            widest = own > widest ? own : widest;
        }
        if (p->options.y.kind == QKV_AXIS_NAMES) continue;
        qkv__scale_range(p, true, 4, &y);
        y.begin = 4 * (double)rows, y.end = 0;
        qkv__ticks_find(&y, y_spacing(rows), &ticks);
        for (size_t i = 0; i < ticks.count; i++) {
            size_t own = columns_of(ticks.text[i]);
            widest = own > widest ? own : widest;
        }
    }
    return widest + 2 < LABEL_WIDTH ? widest + 2 : LABEL_WIDTH;
}

/* Characters that a panel needs at least: a heat map all its columns, with their names if all of
 * the width has room for them, and one to a column if two have no room. */
static size_t least_width(const qkv_figure *figure, size_t columns)
{
    size_t least = figure->panel_count >= MANY_PANELS ? SMALL_PANEL : PANEL_LEAST;
    const size_t label = label_width(figure, ROWS);
    for (const qkv__panel *p = figure->panels; p != NULL; p = p->next)
        for (const qkv__mark *m = p->marks; m != NULL; m = m->next) {
            if (m->kind != QKV__MARK_HEAT) continue;
            size_t sides = label + (m->heat.beside != NULL ? BESIDE : 0);
            size_t room = columns > sides ? columns - sides : 0;
            bool fits = 2 * m->heat.columns <= room && m->heat.columns <= HEAT_COLUMNS;
            size_t own = sides + m->heat.columns *
                                     (fits ? cell_width(&p->options.x, m->heat.columns, room) : 1);
            least = own > least ? own : least;
        }
    return least;
}

static bool has_heat(const qkv_figure *figure)
{
    const qkv__mark *mark = figure->panels == NULL ? NULL : figure->panels->marks;
    return mark != NULL && mark->kind == QKV__MARK_HEAT;
}

/* All panels of a row side by side, if they have room: they belong together. Heat maps are alike,
 * and as many as fit. */
static size_t count_beside(const qkv_figure *figure, size_t columns)
{
    size_t most = (columns + BETWEEN) / (least_width(figure, columns) + BETWEEN);
    size_t count = figure->options.columns;
    if (count > figure->panel_count) count = figure->panel_count;
    if (count <= most && count > 0) return count;
    return has_heat(figure) && most > 0 ? most : 1;
}

bool qkv__figure_terminal(const qkv_figure *figure, bool colour, qkv__text *text)
{
    grid *g = qkv__allocate(sizeof *g);
    if (g == NULL) return false;
    double wide = floor(figure->options.width / 9);
    size_t columns = wide < LABEL_WIDTH + 10 ? LABEL_WIDTH + 10
                     : wide > WIDTH_MOST     ? WIDTH_MOST
                                             : (size_t)wide;
    const size_t beside = count_beside(figure, columns);
    const bool common = is_common(figure);
    g->colour = colour;
    g->failed = false;
    g->rows = figure->panel_count > beside ? ROWS_LEAST : ROWS;
    g->label = beside > 1 || has_heat(figure) ? label_width(figure, g->rows) : LABEL_WIDTH;
    g->width = (columns + BETWEEN) / beside - BETWEEN - g->label;
    append_line(text, figure->options.title, columns);
    append_line(text, figure->options.subtitle, columns);
    for (const qkv__panel *p = figure->panels; p != NULL;)
        p = append_panels(text, p, beside, g, !common);
    if (common) append_legend(text, figure->panels, NULL, g);
    append_heat_legend(text, figure->panels, g, columns);
    qkv__free(g);
    return !text->failed;
}
