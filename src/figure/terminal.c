/*
 * A figure as text, for terminals: panels below each other. Bars are blocks in eighths, areas are
 * shaded, lines and points are dots of Braille patterns, heat maps are two characters a cell. A
 * series' number stands on its line, and in the legend; its colour, where colours are wanted, is
 * only in addition.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "figure/part.h"

enum {
    ROWS = 11,        /* of characters in a panel */
    LABEL_WIDTH = 10, /* before them */
    WIDTH_MOST = 400,
};

/* What is in a character's place. */
typedef struct cell {
    unsigned char dots;  /* of a Braille pattern */
    unsigned char fill;  /* eighths, from below */
    unsigned char shade; /* 1 to 3; 0: none */
    char letter;         /* '\0': none */
    unsigned char ink;   /* a qkv_ink: of what was drawn here last; 0: none */
} cell;

typedef struct grid {
    size_t width; /* characters */
    bool colour;
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
 * figures say. Subscripts' signs are not counted. */
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
    if (column >= 2 * g->width || row >= 4 * ROWS) return;
    g->cells[row / 4][column / 2].dots |= bits[row % 4][column % 2];
    g->cells[row / 4][column / 2].ink = (unsigned char)ink;
}

static void draw_line(grid *g, const qkv__mark *mark)
{
    const qkv__frame frame = {0, 0, 2 * (double)g->width - 0.01, 4 * ROWS - 0.01};
    for (size_t i = 1; i < mark->count; i++) {
        qkv__figure_point a = {qkv__scale_map(&g->x, mark->x[i - 1]),
                               qkv__scale_map(&g->y, mark->y[i - 1])};
        qkv__figure_point b = {qkv__scale_map(&g->x, mark->x[i]),
                               qkv__scale_map(&g->y, mark->y[i])};
        if (isnan(a.x + a.y + b.x + b.y) || !qkv__clip_segment(&frame, &a, &b)) continue;
        double steps = ceil(fmax(fabs(b.x - a.x), fabs(b.y - a.y))) + 1;
        for (double s = 0; s <= steps; s++)
            set_dot(g, mark->style.ink, a.x + s / steps * (b.x - a.x),
                    a.y + s / steps * (b.y - a.y));
    }
}

/* The series' number at its middle and at both quarters, where that is inside. */
static void letter_line(grid *g, const qkv__mark *mark)
{
    for (size_t quarter = 1; quarter < 4 && mark->count > 0; quarter++) {
        size_t i = quarter * (mark->count - 1) / 4;
        double x = qkv__scale_map(&g->x, mark->x[i]) / 2, y = qkv__scale_map(&g->y, mark->y[i]) / 4;
        if (!(x >= 0 && y >= 0 && x < (double)g->width && y < ROWS)) continue;
        cell *c = &g->cells[(size_t)y][(size_t)x];
        c->letter = (char)('0' + (int)mark->style.ink);
        c->ink = (unsigned char)mark->style.ink;
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
            double eighths = 8 * (ROWS - fmax(top, 0) / 4);
            for (size_t r = 0; r < ROWS; r++) {
                double left = round(eighths) - 8 * (double)(ROWS - 1 - r);
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
            for (size_t r = 0; r < ROWS; r++)
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
    double steps = upright ? 4 * ROWS : 2 * (double)g->width;
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
    case QKV__MARK_TEXT:
    case QKV__MARK_ARROW:
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
    if (c->letter != '\0') {
        qkv__text_append(text, &c->letter, 1);
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
    return c->letter == '\0' && c->dots == 0 && c->fill == 0 && c->shade == 0;
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

/* Text without subscripts' signs: "k_a". */
static void append_plain(qkv__text *text, const char *string)
{
    for (; *string != '\0'; string++) {
        if (string[0] == '_' && string[1] == '{' && strchr(string, '}') != NULL) {
            append(text, "_");
            const char *end = strchr(++string, '}');
            append_safe(text, string + 1, (size_t)(end - string) - 1);
            string = end;
        } else {
            size_t length = 1 + strcspn(string + 1, "_");
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
        if (fmin(floor(y), ROWS - 1) == (double)row) return ticks->text[i];
    }
    return "";
}

static void append_label(qkv__text *text, const char *label, bool axis)
{
    size_t columns = columns_of(label);
    append_times(text, " ", columns < LABEL_WIDTH - 2 ? LABEL_WIDTH - 2 - columns : 0);
    append_safe(text, label, strlen(label));
    append(text, !axis ? "  " : *label != '\0' ? " ┤" : " │");
}

/* Numbers under their places, as far as they do not run into each other. */
static void append_x_ticks(qkv__text *text, const grid *g, const qkv__ticks *ticks)
{
    size_t at = 0;
    append_times(text, " ", LABEL_WIDTH);
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

static void append_grid(qkv__text *text, const qkv__panel *panel, const grid *g)
{
    qkv__ticks x_ticks, y_ticks;
    bool axis = panel->options.x.kind != QKV_AXIS_BLANK;
    qkv__ticks_find(&g->x, 20, &x_ticks);
    qkv__ticks_find(&g->y, 12, &y_ticks);
    for (size_t r = 0; r < ROWS; r++) {
        append_label(text, tick_of_row(g, &y_ticks, r), axis);
        append_row(text, g, r);
    }
    if (!axis) return;
    append_times(text, " ", LABEL_WIDTH - 1);
    append(text, "└");
    append_times(text, "─", g->width);
    append(text, "\n");
    append_x_ticks(text, g, &x_ticks);
}

static void append_curves(qkv__text *text, const qkv__panel *panel, grid *g)
{
    memset(g->cells, 0, sizeof g->cells);
    qkv__scale_range(panel, false, 8, &g->x);
    qkv__scale_range(panel, true, 4, &g->y);
    g->x.begin = 0, g->x.end = 2 * (double)g->width;
    g->y.begin = 4 * ROWS - 0.5, g->y.end = 0;
    for (const qkv__mark *m = panel->marks; m != NULL; m = m->next) draw_mark(g, m);
    for (const qkv__mark *m = panel->marks; m != NULL; m = m->next)
        if (m->kind == QKV__MARK_LINE && m->style.label != NULL) letter_line(g, m);
    append_grid(text, panel, g);
    if (panel->options.x.label == NULL) return;
    append_times(text, " ", LABEL_WIDTH + g->width / 2);
    append_line(text, panel->options.x.label, WIDTH_MOST);
}

/* ---- Heat maps --------------------------------------------------------------------------- */

static void append_heat(qkv__text *text, const qkv__panel *panel, const qkv_heat *heat,
                        const grid *g)
{
    static const char *const shades[] = {"··", "░░", "▒▒", "▓▓", "██"};
    size_t columns = heat->columns < g->width / 2 ? heat->columns : g->width / 2;
    const qkv_axis *axis = &panel->options.y;
    for (size_t i = 0; i < heat->rows; i++) {
        bool named = axis->names != NULL && i < axis->name_count;
        append_label(text, named ? axis->names[i] : "", true);
        append_ink(text, g, QKV_INK_FIRST);
        for (size_t j = 0; j < columns; j++) {
            int level =
                qkv__figure_heat_level(heat->values[i * heat->columns + j], heat->low, heat->high);
            append(text, level < 0 ? "××" : shades[level * 5 / QKV__HEAT_LEVELS]);
        }
        append_ink(text, g, 0);
        append(text, columns < heat->columns ? "…" : "");
        if (heat->beside != NULL && !isnan(heat->beside[i])) {
            append(text, "  ");
            qkv__figure_label(text, heat->beside[i], 2);
        }
        append(text, "\n");
    }
}

/* ---- All --------------------------------------------------------------------------------- */

static void append_legend(qkv__text *text, const qkv__panel *panel, const grid *g)
{
    static const char *const shades[] = {"░", "▓", "▒"};
    for (const qkv__mark *m = panel->marks; m != NULL; m = m->next) {
        if (m->style.label == NULL) continue;
        append_times(text, " ", LABEL_WIDTH);
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
}

static void append_panel(qkv__text *text, const qkv__panel *panel, grid *g)
{
    append(text, "\n");
    append_line(text, panel->options.title, g->width + LABEL_WIDTH);
    append_line(text, panel->options.note, g->width + LABEL_WIDTH);
    for (const qkv__mark *m = panel->marks; m != NULL; m = m->next)
        if (m->kind == QKV__MARK_HEAT) {
            append_heat(text, panel, &m->heat, g);
            return;
        }
    append_curves(text, panel, g);
    append_legend(text, panel, g);
}

bool qkv__figure_terminal(const qkv_figure *figure, bool colour, qkv__text *text)
{
    grid *g = qkv__allocate(sizeof *g);
    if (g == NULL) return false;
    g->colour = colour;
    double columns = floor(figure->options.width / 9) - LABEL_WIDTH;
    g->width = columns < 10 ? 10 : columns > WIDTH_MOST ? WIDTH_MOST : (size_t)columns;
    append_line(text, figure->options.title, g->width + LABEL_WIDTH);
    append_line(text, figure->options.subtitle, g->width + LABEL_WIDTH);
    for (const qkv__panel *p = figure->panels; p != NULL; p = p->next) append_panel(text, p, g);
    qkv__free(g);
    return !text->failed;
}
