/* Heat maps as SVG. Cells of one colour are one path, neighbours in a row one rectangle of it, in
 * units of cells: about ten bytes a cell. */
#include <math.h>
#include <string.h>

#include "figure/part.h"

static void append(qkv__canvas *canvas, const char *string)
{
    qkv__text_append(&canvas->text, string, strlen(string));
}

static double value_at(const qkv_heat *heat, size_t row, size_t column)
{
    return heat->values[row * heat->columns + column];
}

static int level_at(const qkv_heat *heat, size_t row, size_t column)
{
    return qkv__figure_heat_level(value_at(heat, row, column), heat->low, heat->high);
}

/* The levels of all cells, counted, so that a path is begun for those alone that occur. */
static void count_levels(const qkv_heat *heat, size_t counts[QKV__HEAT_LEVELS])
{
    memset(counts, 0, QKV__HEAT_LEVELS * sizeof *counts);
    for (size_t i = 0; i < heat->rows; i++)
        for (size_t j = 0; j < heat->columns; j++) {
            int level = level_at(heat, i, j);
            if (level >= 0) counts[level]++;
        }
}

static void draw_level(qkv__canvas *canvas, const qkv_heat *heat, int level)
{
    char colour[8];
    bool light;
    qkv__figure_heat_colour(canvas->figure->options.theme, level, colour, &light);
    qkv__text_format(&canvas->text, "<path fill=\"%s\" d=\"", colour);
    for (size_t i = 0; i < heat->rows; i++)
        for (size_t j = 0, end; j < heat->columns; j = end) {
            end = j + 1;
            if (level_at(heat, i, j) != level) continue;
            while (end < heat->columns && level_at(heat, i, end) == level) end++;
            qkv__text_format(&canvas->text, "M%zu %zuh%zuv1h-%zuz", j, i, end - j, end - j);
        }
    append(canvas, "\"/>\n");
}

typedef struct cells {
    double left, top, width, height; /* of the first one */
} cells;

static cells find_cells(const qkv__panel_place *place)
{
    double left = qkv__scale_map(&place->x, -0.5), right = qkv__scale_map(&place->x, 0.5);
    double top = qkv__scale_map(&place->y, -0.5), bottom = qkv__scale_map(&place->y, 0.5);
    return (cells){left, top, right - left, bottom - top};
}

static void draw_cells(qkv__canvas *canvas, const qkv_heat *heat, const cells *c)
{
    size_t counts[QKV__HEAT_LEVELS];
    const double numbers[] = {c->left, c->top, c->width, c->height};
    static const char *const between[] = {"", " ", ") scale(", " "};
    append(canvas, "<g class=\"heat\" shape-rendering=\"crispEdges\" transform=\"translate(");
    for (int i = 0; i < 4; i++) {
        append(canvas, between[i]);
        qkv__figure_number(&canvas->text, numbers[i], 5);
    }
    append(canvas, ")\">\n");
    count_levels(heat, counts);
    for (int level = 0; level < QKV__HEAT_LEVELS; level++)
        if (counts[level] > 0) draw_level(canvas, heat, level);
    append(canvas, "</g>\n");
}

static void draw_missing(qkv__canvas *canvas, const qkv_heat *heat, const cells *c)
{
    bool begun = false;
    for (size_t i = 0; i < heat->rows; i++)
        for (size_t j = 0; j < heat->columns; j++) {
            if (!isnan(value_at(heat, i, j))) continue;
            if (!begun)
                qkv__text_format(&canvas->text,
                                 "<path class=\"missing\" fill=\"none\" stroke=\"%s\" d=\"",
                                 canvas->palette->quiet);
            begun = true;
            double x = c->left + c->width * (double)j, y = c->top + c->height * (double)i;
            qkv__draw_move(canvas, 'M', (qkv__figure_point){x, y});
            qkv__draw_move(canvas, 'L', (qkv__figure_point){x + c->width, y + c->height});
        }
    if (begun) append(canvas, "\"/>\n");
}

/* Two decimals, all written, unless the number is 0 or 1 itself: what is nearly 0 is 0.00. */
static void append_cell(qkv__text *text, double value)
{
    if (value == 0 || value == 1 || !(fabs(value) < 1000)) {
        qkv__figure_label(text, value, 2);
        return;
    }
    long hundredths = lround(fabs(value) * 100);
    qkv__text_format(text, "%s%ld.%02ld", value < 0 && hundredths > 0 ? "−" : "", hundredths / 100,
                     hundredths % 100);
}

static void draw_number(qkv__canvas *canvas, qkv__word_style words, double value)
{
    qkv__text number = {0};
    append_cell(&number, value);
    if (number.failed)
        canvas->text.failed = true;
    else
        qkv__figure_words(&canvas->text, &words, NULL, number.data, number.length);
    qkv__text_free(&number);
}

/* The numbers themselves, where cells are large enough to hold them. */
static void draw_values(qkv__canvas *canvas, const qkv_heat *heat, const cells *c)
{
    char colour[8];
    bool light;
    if (c->width < 34 || fabs(c->height) < 18) return;
    for (size_t i = 0; i < heat->rows; i++)
        for (size_t j = 0; j < heat->columns; j++) {
            int level = level_at(heat, i, j);
            if (level < 0) continue;
            qkv__figure_heat_colour(canvas->figure->options.theme, level, colour, &light);
            qkv__word_style words = {.x = c->left + c->width * ((double)j + 0.5),
                                     .y = c->top + c->height * ((double)i + 0.5) + 4,
                                     .size = 11,
                                     .colour = light ? "#ffffff" : "#101418"};
            draw_number(canvas, words, value_at(heat, i, j));
        }
}

static double longest_bar(const qkv_heat *heat)
{
    double most = heat->beside_high;
    for (size_t i = 0; i < heat->rows && heat->beside_high == 0; i++)
        if (isfinite(heat->beside[i])) most = fmax(most, heat->beside[i]);
    return most > 0 && isfinite(most) ? most : 1;
}

static void draw_beside(qkv__canvas *canvas, const qkv__panel_place *place, const qkv_heat *heat,
                        const cells *c)
{
    double left = place->frame.right + 10, most = longest_bar(heat), height = fabs(c->height);
    double thick = fmin(0.7 * height, 12);
    qkv__word_style words = {
        left, place->frame.top - 5, 11, canvas->palette->quiet, QKV_ANCHOR_START, .markup = true};
    if (heat->beside_label != NULL)
        qkv__figure_words(&canvas->text, &words, NULL, heat->beside_label,
                          strlen(heat->beside_label));
    for (size_t i = 0; i < heat->rows; i++) {
        double part = heat->beside[i] / most, y = c->top + c->height * ((double)i + 0.5);
        if (!(part >= 0)) continue;
        part = fmin(part, 1);
        qkv__text_format(&canvas->text, "<path class=\"beside\" fill=\"%s\" d=\"",
                         canvas->palette->quiet);
        qkv__draw_move(canvas, 'M', (qkv__figure_point){left, y - thick / 2});
        append(canvas, "h");
        qkv__figure_place(&canvas->text, part * QKV__BESIDE_BAR);
        append(canvas, "v");
        qkv__figure_place(&canvas->text, thick);
        append(canvas, "H");
        qkv__figure_place(&canvas->text, left);
        append(canvas, "z\"/>\n");
        words.x = left + part * QKV__BESIDE_BAR + 4;
        words.y = y + 4;
        if (height >= 11) draw_number(canvas, words, heat->beside[i]);
    }
}

void qkv__draw_heat(qkv__canvas *canvas, const qkv__panel_place *place, const qkv__mark *mark)
{
    const qkv_heat *heat = &mark->heat;
    cells c = find_cells(place);
    if (heat->rows == 0 || heat->columns == 0 || !(c.width > 0) || c.height == 0) return;
    draw_cells(canvas, heat, &c);
    draw_missing(canvas, heat, &c);
    draw_values(canvas, heat, &c);
    if (heat->beside != NULL) draw_beside(canvas, place, heat, &c);
}
