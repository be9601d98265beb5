/* A figure becomes text: the outer element, titles, legend, and each panel's axes around its marks.
 * Places come from the layout. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "figure/part.h"

static void append(qkv__canvas *canvas, const char *string)
{
    qkv__text_append(&canvas->text, string, strlen(string));
}

static void append_place(qkv__canvas *canvas, double value)
{
    qkv__figure_place(&canvas->text, value);
}

/* ---- Head and titles --------------------------------------------------------------------- */

static void draw_head(qkv__canvas *canvas, const qkv__layout *layout)
{
    append(canvas, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
    append_place(canvas, layout->width);
    append(canvas, "\" height=\"");
    append_place(canvas, ceil(layout->height));
    append(canvas, "\" viewBox=\"0 0 ");
    append_place(canvas, layout->width);
    append(canvas, " ");
    append_place(canvas, ceil(layout->height));
    qkv__text_format(&canvas->text,
                     "\" role=\"img\" xml:space=\"preserve\" font-family=\"system-ui, 'Segoe UI', "
                     "Helvetica, Arial, "
                     "'DejaVu Sans', sans-serif\" font-size=\"%d\">\n",
                     QKV__SIZE_TEXT);
}

static void draw_description(qkv__canvas *canvas)
{
    const qkv_figure_options *o = &canvas->figure->options;
    const char *description = o->description != NULL ? o->description : o->subtitle;
    if (o->title != NULL) {
        append(canvas, "<title>");
        qkv__figure_plain(&canvas->text, o->title);
        append(canvas, "</title>\n");
    }
    if (description == NULL) return;
    append(canvas, "<desc>");
    qkv__figure_plain(&canvas->text, description);
    append(canvas, "</desc>\n");
}

/* Lines of text below each other; returns the baseline that comes next. */
static double draw_lines(qkv__canvas *canvas, qkv__word_style words, const char *string,
                         double width, double line)
{
    while (string != NULL && *string != '\0') {
        const char *next;
        size_t length =
            qkv__figure_break(string, words.size, words.bold ? width / QKV__BOLD : width, &next);
        qkv__figure_words(&canvas->text, &words, NULL, string, length);
        words.y += line;
        string = next;
    }
    return words.y;
}

static void draw_titles(qkv__canvas *canvas, const qkv__layout *layout)
{
    const qkv_figure_options *o = &canvas->figure->options;
    double room = layout->width - 2 * layout->margin;
    qkv__word_style words = {layout->margin,   layout->margin + QKV__SIZE_TITLE,
                             QKV__SIZE_TITLE,  canvas->palette->text,
                             QKV_ANCHOR_START, .bold = true,
                             .markup = true};
    words.y = draw_lines(canvas, words, o->title, room, QKV__LINE_TITLE) - 5;
    if (o->title == NULL) words.y = layout->margin + QKV__SIZE_TEXT;
    words.size = QKV__SIZE_TEXT;
    words.bold = false;
    words.colour = canvas->palette->quiet;
    draw_lines(canvas, words, o->subtitle, room, QKV__LINE_TEXT);
}

static void draw_legend(qkv__canvas *canvas, const qkv__layout *layout)
{
    if (layout->entry_count == 0) return;
    append(canvas, "<g class=\"legend\">\n");
    for (size_t i = 0; i < layout->entry_count; i++) {
        const qkv__entry *entry = &layout->entries[i];
        const char *label = qkv__entry_label(entry->mark);
        qkv__draw_sample(canvas, entry->mark, entry->x, entry->y - 4);
        qkv__word_style words = {entry->x + qkv__entry_sample(entry->mark) + 6,
                                 entry->y,
                                 QKV__SIZE_TEXT,
                                 canvas->palette->text,
                                 QKV_ANCHOR_START,
                                 .markup = true};
        qkv__figure_words(&canvas->text, &words, NULL, label, strlen(label));
    }
    append(canvas, "</g>\n");
}

/* ---- Axes -------------------------------------------------------------------------------- */

static void draw_grid(qkv__canvas *canvas, const qkv__panel_place *place)
{
    const qkv__frame *f = &place->frame;
    if (place->x_ticks.count + place->y_ticks.count == 0) return;
    qkv__text_format(&canvas->text, "<path class=\"grid\" fill=\"none\" stroke=\"%s\" d=\"",
                     canvas->palette->grid);
    for (size_t i = 0; i < place->x_ticks.count; i++) {
        double x = qkv__scale_map(&place->x, place->x_ticks.value[i]);
        qkv__draw_move(canvas, 'M', (qkv__figure_point){x, f->top});
        append(canvas, "V");
        append_place(canvas, f->bottom);
    }
    for (size_t i = 0; i < place->y_ticks.count; i++) {
        double y = qkv__scale_map(&place->y, place->y_ticks.value[i]);
        qkv__draw_move(canvas, 'M', (qkv__figure_point){f->left, y});
        append(canvas, "H");
        append_place(canvas, f->right);
    }
    append(canvas, "\"/>\n");
}

static qkv__word_style tick_words(const qkv__canvas *canvas, double x, double y, qkv_anchor anchor)
{
    return (qkv__word_style){
        .x = x, .y = y, .size = QKV__SIZE_TEXT, .colour = canvas->palette->quiet, .anchor = anchor};
}

static void draw_tick_text(qkv__canvas *canvas, double x, double y, qkv_anchor anchor,
                           const char *text)
{
    qkv__word_style words = tick_words(canvas, x, y, anchor);
    qkv__figure_words(&canvas->text, &words, NULL, text, strlen(text));
}

/* The name of number i: its own, or i + 1. */
static void draw_name(qkv__canvas *canvas, const qkv_axis *axis, size_t i, qkv__word_style *words)
{
    qkv__text number = {0};
    if (axis->names != NULL && i < axis->name_count) {
        words->markup = axis->marked_up;
        qkv__figure_words(&canvas->text, words, NULL, axis->names[i], strlen(axis->names[i]));
        return;
    }
    if (axis->names != NULL) return;
    qkv__text_format(&number, "%zu", i + 1);
    if (!number.failed)
        qkv__figure_words(&canvas->text, words, NULL, number.data, number.length);
    else
        canvas->text.failed = true;
    qkv__text_free(&number);
}

/* Every how many names one is written, so that they do not run into each other: 1, 2, 5, 10, ... */
static size_t name_stride(const qkv__scale *scale, double size)
{
    double cell = fabs(scale->end - scale->begin) / (scale->high - scale->low);
    size_t stride = 1;
    for (int step = 0; (double)stride * cell < size && step < 30; step++)
        stride = step % 3 == 1 ? stride / 2 * 5 : 2 * stride;
    return stride;
}

static void draw_names_x(qkv__canvas *canvas, const qkv__panel_place *place)
{
    const qkv_axis *axis = &place->panel->options.x;
    size_t count = (size_t)(place->x.high + 0.5);
    bool turned = place->turned;
    size_t stride = name_stride(&place->x, turned ? 15 : place->name_width + 4);
    for (size_t i = 0; i < count; i += stride) {
        qkv__word_style words = tick_words(canvas, qkv__scale_map(&place->x, (double)i),
                                           place->frame.bottom + (turned ? 10 : 15),
                                           turned ? QKV_ANCHOR_END : QKV_ANCHOR_MIDDLE);
        if (turned) words.turn = -45, words.x += 4;
        draw_name(canvas, axis, i, &words);
    }
}

static void draw_names_y(qkv__canvas *canvas, const qkv__panel_place *place)
{
    size_t count = (size_t)(place->y.high + 0.5), stride = name_stride(&place->y, 13);
    for (size_t i = 0; i < count; i += stride) {
        double y = qkv__scale_map(&place->y, (double)i) + 4;
        qkv__word_style words = tick_words(canvas, place->frame.left - 6, y, QKV_ANCHOR_END);
        draw_name(canvas, &place->panel->options.y, i, &words);
    }
}

static void draw_ticks(qkv__canvas *canvas, const qkv__panel_place *place)
{
    const qkv__frame *f = &place->frame;
    for (size_t i = 0; i < place->x_ticks.count; i++)
        draw_tick_text(canvas, qkv__scale_map(&place->x, place->x_ticks.value[i]), f->bottom + 16,
                       QKV_ANCHOR_MIDDLE, place->x_ticks.text[i]);
    for (size_t i = 0; i < place->y_ticks.count; i++)
        draw_tick_text(canvas, f->left - 7, qkv__scale_map(&place->y, place->y_ticks.value[i]) + 4,
                       QKV_ANCHOR_END, place->y_ticks.text[i]);
    if (place->x.kind == QKV_AXIS_NAMES) draw_names_x(canvas, place);
    if (place->y.kind == QKV_AXIS_NAMES) draw_names_y(canvas, place);
}

static void draw_axis_labels(qkv__canvas *canvas, const qkv__panel_place *place, double bottom)
{
    const char *x = place->panel->options.x.label, *y = place->panel->options.y.label;
    const qkv__frame *f = &place->frame;
    qkv__word_style words = {(f->left + f->right) / 2, bottom,
                             QKV__SIZE_TEXT,           canvas->palette->text,
                             QKV_ANCHOR_MIDDLE,        .markup = true};
    if (x != NULL) qkv__figure_words(&canvas->text, &words, NULL, x, strlen(x));
    words.x = place->labels_left + QKV__SIZE_TEXT;
    words.y = (f->top + f->bottom) / 2;
    words.turn = -90;
    if (y != NULL) qkv__figure_words(&canvas->text, &words, NULL, y, strlen(y));
}

static void draw_frame(qkv__canvas *canvas, const qkv__panel_place *place)
{
    const qkv__frame *f = &place->frame;
    if (place->x.kind == QKV_AXIS_BLANK && place->y.kind == QKV_AXIS_BLANK) return;
    qkv__text_format(&canvas->text, "<path class=\"axes\" fill=\"none\" stroke=\"%s\" d=\"",
                     canvas->palette->quiet);
    qkv__draw_move(canvas, 'M', (qkv__figure_point){f->left, f->top});
    append(canvas, place->y.kind == QKV_AXIS_BLANK ? "M" : "V");
    if (place->y.kind == QKV_AXIS_BLANK) {
        append_place(canvas, f->left);
        append(canvas, " ");
    }
    append_place(canvas, f->bottom);
    if (place->x.kind != QKV_AXIS_BLANK) {
        append(canvas, "H");
        append_place(canvas, f->right);
    }
    append(canvas, "\"/>\n");
}

/* ---- Panels ------------------------------------------------------------------------------ */

static void append_scale(qkv__canvas *canvas, const char *name, const qkv__scale *scale)
{
    static const char *const kinds[] = {"linear", "log", "names", "blank"};
    qkv__text_format(&canvas->text, " %s=\"%s ", name, kinds[scale->kind]);
    qkv__figure_number(&canvas->text, scale->low, 12);
    append(canvas, " ");
    qkv__figure_number(&canvas->text, scale->high, 12);
    append(canvas, " ");
    append_place(canvas, scale->begin);
    append(canvas, " ");
    append_place(canvas, scale->end);
    append(canvas, "\"");
}

static void draw_panel_titles(qkv__canvas *canvas, const qkv__panel_place *place)
{
    const qkv_panel *o = &place->panel->options;
    qkv__word_style words = {place->left,           place->title_y,   QKV__SIZE_PANEL,
                             canvas->palette->text, QKV_ANCHOR_START, .bold = true,
                             .markup = true};
    words.y = draw_lines(canvas, words, o->title, place->space, QKV__LINE_TEXT);
    words.size = QKV__SIZE_TEXT;
    words.bold = false;
    words.colour = canvas->palette->quiet;
    draw_lines(canvas, words, o->note, place->space, QKV__LINE_TEXT);
}

/* The lowest baseline of what stands below a panel. */
static double label_baseline(const qkv__layout *layout, size_t index)
{
    const qkv__panel_place *place = &layout->places[index];
    const qkv_axis *axis = &place->panel->options.x;
    double y = place->frame.bottom;
    if (place->turned) return y + 12 + 0.72 * place->name_width + 14;
    return y + (axis->kind == QKV_AXIS_BLANK ? 14 : axis->kind == QKV_AXIS_NAMES ? 33 : 35);
}

static void draw_panel(qkv__canvas *canvas, const qkv__layout *layout, size_t index)
{
    const qkv__panel_place *place = &layout->places[index];
    append(canvas, "<g class=\"panel\"");
    append_scale(canvas, "data-x", &place->x);
    append_scale(canvas, "data-y", &place->y);
    append(canvas, ">\n");
    draw_panel_titles(canvas, place);
    draw_grid(canvas, place);
    for (const qkv__mark *mark = place->panel->marks; mark != NULL; mark = mark->next)
        qkv__draw_mark(canvas, place, mark);
    draw_frame(canvas, place);
    draw_ticks(canvas, place);
    draw_axis_labels(canvas, place, label_baseline(layout, index));
    append(canvas, "</g>\n");
}

static void draw_figure(qkv__canvas *canvas, const qkv__layout *layout)
{
    draw_head(canvas, layout);
    draw_description(canvas);
    qkv__text_format(&canvas->text, "<rect width=\"100%%\" height=\"100%%\" fill=\"%s\"/>\n",
                     canvas->palette->background);
    draw_titles(canvas, layout);
    draw_legend(canvas, layout);
    for (size_t i = 0; i < layout->place_count; i++) draw_panel(canvas, layout, i);
    append(canvas, "</svg>\n");
}

/* ---- Pictures ---------------------------------------------------------------------------- */

static qkv_status check_render(const qkv_figure *figure, qkv_picture_format format, double zoom,
                               qkv_error *error)
{
    if (figure->failure.status != QKV_OK)
        return qkv__fail(error, figure->failure.status, "%s", figure->failure.message);
    if ((unsigned)format > QKV_PICTURE_COLOURED_TEXT)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "format is %d; expected a format", (int)format);
    if (zoom != 0 && !(zoom >= 0.1 && zoom <= 20))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "zoom is %g; expected 0 or 0.1 to 20", zoom);
    return QKV_OK;
}

qkv_status qkv_figure_render(const qkv_figure *figure, qkv_picture_format format, double zoom,
                             qkv_picture *picture, qkv_error *error)
{
    qkv__arena arena = {0};
    qkv__layout layout;
    qkv_status status = check_render(figure, format, zoom, error);
    if (status != QKV_OK) return status;
    qkv__canvas canvas = {figure, qkv__figure_palette(figure->options.theme), &arena, {0}};
    bool made;
    bool as_text = format == QKV_PICTURE_TEXT || format == QKV_PICTURE_COLOURED_TEXT;
    if (as_text) {
        made = qkv__figure_terminal(figure, format == QKV_PICTURE_COLOURED_TEXT, &canvas.text);
    } else {
        made = qkv__figure_layout(figure, &arena, &layout);
        if (made) draw_figure(&canvas, &layout);
    }
    made = made && !canvas.text.failed && !arena.failed;
    qkv__arena_free(&arena);
    if (!made) {
        qkv__text_free(&canvas.text);
        return qkv__fail_memory(error, 0);
    }
    if (format == QKV_PICTURE_SVG || as_text) {
        *picture = (qkv_picture){canvas.text.data, canvas.text.length};
        return QKV_OK;
    }
    status = qkv__figure_convert(canvas.text.data, canvas.text.length, format, zoom == 0 ? 2 : zoom,
                                 picture, error);
    qkv__text_free(&canvas.text);
    return status;
}

void qkv_picture_free(qkv_picture *picture)
{
    if (picture == NULL) return;
    qkv__free(picture->data);
    *picture = (qkv_picture){NULL, 0};
}
