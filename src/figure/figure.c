/* Figures as they are asked for: options, panels and marks, checked and copied. Draws nothing. */
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "figure/part.h"

/* ---- Options ----------------------------------------------------------------------------- */

qkv_figure_options qkv_figure_default(void)
{
    return (qkv_figure_options){.struct_size = sizeof(qkv_figure_options)};
}

qkv_panel qkv_panel_default(void)
{
    return (qkv_panel){.struct_size = sizeof(qkv_panel)};
}

static qkv_status check_size(double size, double least, double most, const char *name,
                             qkv_error *error)
{
    if (size == 0 || (size >= least && size <= most)) return QKV_OK;
    return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s is %g; expected 0 or %g to %g", name, size,
                     least, most);
}

static qkv_status take_options(const qkv_figure_options *given, qkv_figure_options *options,
                               qkv_error *error)
{
    *options = qkv_figure_default();
    if (given != NULL) {
        qkv_status taken = qkv__options_take(options, sizeof *options, given, "options",
                                             "qkv_figure_default", error);
        if (taken != QKV_OK) return taken;
    }
    if (options->theme != QKV_THEME_LIGHT && options->theme != QKV_THEME_DARK)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "options.theme is %d; expected a theme",
                         (int)options->theme);
    qkv_status status = check_size(options->width, 200, 4000, "options.width", error);
    if (status == QKV_OK)
        status = check_size(options->panel_height, 20, 2000, "options.panel_height", error);
    if (options->width == 0) options->width = 720;
    if (options->panel_height == 0) options->panel_height = 240;
    if (options->columns == 0) options->columns = 1;
    return status;
}

/* ---- Failures ---------------------------------------------------------------------------- */

static void fail_memory(qkv_figure *figure)
{
    if (figure->failure.status == QKV_OK) qkv__fail_memory(&figure->failure, 0);
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
refuse(qkv_figure *figure, const char *format, ...)
{
    char message[QKV_ERROR_CAPACITY];
    va_list arguments;
    if (figure->failure.status != QKV_OK) return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    qkv__fail(&figure->failure, QKV_ERROR_ARGUMENT, "%s", message);
}

void qkv__figure_said(qkv_figure *figure, qkv__text *text)
{
    if (text->failed) fail_memory(figure);
    qkv__text_free(text);
}

/* A copy that lives as long as the figure; NULL for NULL, and without memory. */
static const char *copy_text(qkv_figure *figure, const char *text)
{
    if (text == NULL) return NULL;
    const char *copy = qkv__arena_text(&figure->arena, text, strlen(text));
    if (copy == NULL) fail_memory(figure);
    return copy;
}

static const double *copy_numbers(qkv_figure *figure, const double *numbers, size_t count)
{
    if (numbers == NULL || count == 0) return NULL;
    double *copy = qkv__arena_array(&figure->arena, count, sizeof *copy);
    if (copy == NULL)
        fail_memory(figure);
    else
        memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

/* ---- Figure and panels ------------------------------------------------------------------- */

qkv_status qkv_figure_create(const qkv_figure_options *options, qkv_figure **figure,
                             qkv_error *error)
{
    qkv_figure_options taken;
    qkv_status status = take_options(options, &taken, error);
    if (status != QKV_OK) return status;
    qkv_figure *made = qkv__allocate_zero(sizeof *made);
    if (made == NULL) return qkv__fail_memory(error, sizeof *made);
    made->end = &made->panels;
    made->options = taken;
    made->options.title = copy_text(made, taken.title);
    made->options.subtitle = copy_text(made, taken.subtitle);
    made->options.description = copy_text(made, taken.description);
    *figure = made;
    return QKV_OK;
}

void qkv_figure_free(qkv_figure **figure)
{
    if (figure == NULL || *figure == NULL) return;
    qkv__arena_free(&(*figure)->arena);
    qkv__free(*figure);
    *figure = NULL;
}

static void copy_axis(qkv_figure *figure, qkv_axis *axis)
{
    axis->label = copy_text(figure, axis->label);
    if (axis->names == NULL || axis->name_count == 0) return;
    const char **names = qkv__arena_array(&figure->arena, axis->name_count, sizeof *names);
    if (names == NULL) {
        fail_memory(figure);
        return;
    }
    for (size_t i = 0; i < axis->name_count; i++)
        names[i] = copy_text(figure, axis->names[i] == NULL ? "" : axis->names[i]);
    axis->names = names;
}

/* The limit keeps every sum and product of places finite. */
static bool usable_end(double end)
{
    return fabs(end) <= 1e100;
}

static bool check_axis(qkv_figure *figure, const qkv_axis *axis, const char *name)
{
    if ((unsigned)axis->kind > QKV_AXIS_BLANK) {
        refuse(figure, "panel.%s.kind is %d; expected a kind of axis", name, (int)axis->kind);
        return false;
    }
    if (axis->low == 0 && axis->high == 0) return true;
    if (!usable_end(axis->low) || !usable_end(axis->high) || axis->low >= axis->high ||
        (axis->kind == QKV_AXIS_LOG && axis->low <= 0)) {
        refuse(figure, "panel.%s goes from %g to %g; expected numbers up to 1e100, low < high%s",
               name, axis->low, axis->high, axis->kind == QKV_AXIS_LOG ? ", above 0" : "");
        return false;
    }
    return true;
}

void qkv_figure_panel(qkv_figure *figure, const qkv_panel *panel)
{
    qkv_panel taken = qkv_panel_default();
    qkv_error error;
    if (panel != NULL && qkv__options_take(&taken, sizeof taken, panel, "panel",
                                           "qkv_panel_default", &error) != QKV_OK) {
        refuse(figure, "%s", error.message);
        return;
    }
    if (!check_axis(figure, &taken.x, "x") || !check_axis(figure, &taken.y, "y")) return;
    if (figure->panel_count == QKV__PANELS_MOST) {
        refuse(figure, "there are more than %d panels", QKV__PANELS_MOST);
        return;
    }
    qkv__panel *made = qkv__arena_take(&figure->arena, sizeof *made);
    if (made == NULL) {
        fail_memory(figure);
        return;
    }
    taken.title = copy_text(figure, taken.title);
    taken.note = copy_text(figure, taken.note);
    copy_axis(figure, &taken.x);
    copy_axis(figure, &taken.y);
    made->options = taken;
    made->end = &made->marks;
    figure->last = *figure->end = made;
    figure->end = &made->next;
    figure->panel_count++;
}

/* ---- Marks ------------------------------------------------------------------------------- */

static qkv_ink next_ink(qkv__panel *panel)
{
    for (unsigned i = 1; i <= QKV__SERIES; i++)
        if ((panel->inks >> i & 1) == 0) return (qkv_ink)i;
    return (qkv_ink)(panel->next_ink++ % QKV__SERIES + 1);
}

static void take_style(qkv_figure *figure, const qkv_style *given, qkv_style *style)
{
    static const qkv_style plain = {0};
    *style = given == NULL ? plain : *given;
    if ((unsigned)style->ink > QKV_INK_QUIET || (unsigned)style->dash > QKV_DASH_DOT ||
        (unsigned)style->marker > QKV_MARKER_RING || (unsigned)style->anchor > QKV_ANCHOR_END) {
        refuse(figure, "a style has ink %d, dash %d, marker %d and anchor %d; expected those named",
               (int)style->ink, (int)style->dash, (int)style->marker, (int)style->anchor);
        *style = plain;
    }
    if (style->ink == QKV_INK_NEXT) style->ink = next_ink(figure->last);
    if (style->ink <= QKV_INK_SIXTH) figure->last->inks |= 1u << style->ink;
    style->label = copy_text(figure, style->label);
}

/* A new mark at the end of the last panel; NULL where there is none, or no memory. */
static qkv__mark *add_mark(qkv_figure *figure, qkv__mark_kind kind, const qkv_style *style)
{
    if (figure->last == NULL) {
        refuse(figure, "a mark came before the first panel; expected qkv_figure_panel() first");
        return NULL;
    }
    qkv__mark *mark = qkv__arena_take(&figure->arena, sizeof *mark);
    if (mark == NULL) {
        fail_memory(figure);
        return NULL;
    }
    mark->kind = kind;
    take_style(figure, style, &mark->style);
    *figure->last->end = mark;
    figure->last->end = &mark->next;
    return mark;
}

static void add_arrays(qkv_figure *figure, qkv__mark_kind kind, const double *x, size_t x_count,
                       const double *y, const double *high, size_t count, const qkv_style *style)
{
    if (count > 0 && (x == NULL || y == NULL)) {
        refuse(figure, "an array of %zu numbers is NULL", count);
        return;
    }
    qkv__mark *mark = add_mark(figure, kind, style);
    if (mark == NULL) return;
    mark->x = copy_numbers(figure, x, x_count);
    mark->y = copy_numbers(figure, y, count);
    mark->high = copy_numbers(figure, high, count);
    bool copied = mark->x != NULL && mark->y != NULL && (high == NULL || mark->high != NULL);
    mark->count = copied ? count : 0;
}

void qkv_figure_line(qkv_figure *figure, const double *x, const double *y, size_t count,
                     const qkv_style *style)
{
    add_arrays(figure, QKV__MARK_LINE, x, count, y, NULL, count, style);
}

void qkv_figure_points(qkv_figure *figure, const double *x, const double *y, size_t count,
                       const qkv_style *style)
{
    add_arrays(figure, QKV__MARK_POINTS, x, count, y, NULL, count, style);
}

void qkv_figure_band(qkv_figure *figure, const double *x, const double *low, const double *high,
                     size_t count, const qkv_style *style)
{
    if (count > 0 && high == NULL) {
        refuse(figure, "an array of %zu numbers is NULL", count);
        return;
    }
    add_arrays(figure, QKV__MARK_BAND, x, count, low, high, count, style);
}

void qkv_figure_stack(qkv_figure *figure, const double *x, size_t count, const double *parts,
                      size_t layers, const qkv_style *styles)
{
    size_t bytes;
    if (count == 0 || layers == 0) return;
    if (x == NULL || parts == NULL) {
        refuse(figure, "an array of %zu numbers is NULL", count);
        return;
    }
    double *edges = NULL;
    if (qkv__size_multiply(count, 2 * sizeof *edges, &bytes)) edges = qkv__allocate_zero(bytes);
    if (edges == NULL) {
        fail_memory(figure);
        return;
    }
    for (size_t layer = 0; layer < layers; layer++) {
        double *low = edges + layer % 2 * count, *high = edges + (layer + 1) % 2 * count;
        for (size_t i = 0; i < count; i++) high[i] = low[i] + parts[layer * count + i];
        qkv_figure_band(figure, x, low, high, count, styles == NULL ? NULL : &styles[layer]);
    }
    qkv__free(edges);
}

void qkv_figure_bars(qkv_figure *figure, const double *edges, const double *heights, size_t count,
                     const qkv_style *style)
{
    if (count == SIZE_MAX) {
        refuse(figure, "there are %zu bars", count);
        return;
    }
    add_arrays(figure, QKV__MARK_BARS, edges, count + 1, heights, NULL, count, style);
}

static qkv__mark *add_place(qkv_figure *figure, qkv__mark_kind kind, const double at[4],
                            const char *text, const qkv_style *style)
{
    qkv__mark *mark = add_mark(figure, kind, style);
    if (mark == NULL) return NULL;
    memcpy(mark->at, at, sizeof mark->at);
    mark->text = copy_text(figure, text);
    return mark;
}

/* What says something about the data rather than being data is quiet unless told otherwise. */
static qkv_style quiet(const qkv_style *style, qkv_ink ink)
{
    qkv_style taken = style == NULL ? (qkv_style){0} : *style;
    if (taken.ink == QKV_INK_NEXT) taken.ink = ink;
    return taken;
}

void qkv_figure_rule_x(qkv_figure *figure, double at, const char *text, const qkv_style *style)
{
    qkv_style taken = quiet(style, QKV_INK_QUIET);
    add_place(figure, QKV__MARK_RULE_X, (double[4]){at}, text, &taken);
}

void qkv_figure_rule_y(qkv_figure *figure, double at, const char *text, const qkv_style *style)
{
    qkv_style taken = quiet(style, QKV_INK_QUIET);
    add_place(figure, QKV__MARK_RULE_Y, (double[4]){at}, text, &taken);
}

void qkv_figure_text(qkv_figure *figure, double x, double y, const char *text,
                     const qkv_style *style)
{
    qkv_style taken = quiet(style, QKV_INK_TEXT);
    add_place(figure, QKV__MARK_TEXT, (double[4]){x, y}, text, &taken);
}

void qkv_figure_arrow(qkv_figure *figure, double x, double y, double to_x, double to_y,
                      const qkv_style *style)
{
    qkv_style taken = quiet(style, QKV_INK_TEXT);
    add_place(figure, QKV__MARK_ARROW, (double[4]){x, y, to_x, to_y}, NULL, &taken);
}

void qkv_figure_box(qkv_figure *figure, double x, double y, double width, double height,
                    const char *text, const qkv_style *style)
{
    qkv_style taken = quiet(style, QKV_INK_QUIET);
    add_place(figure, QKV__MARK_BOX, (double[4]){x, y, width, height}, text, &taken);
}

static bool check_heat(qkv_figure *figure, const qkv_heat *heat, size_t *count)
{
    if (!qkv__size_multiply(heat->rows, heat->columns, count) || heat->rows > 100000 ||
        heat->columns > 100000 || (*count > 0 && heat->values == NULL)) {
        refuse(figure, "a heat map has %zu rows, %zu columns and %s; expected up to 100000 each",
               heat->rows, heat->columns, heat->values == NULL ? "no values" : "values");
        return false;
    }
    if ((heat->low == 0 && heat->high == 0) ||
        (usable_end(heat->low) && usable_end(heat->high) && heat->low < heat->high))
        return true;
    refuse(figure, "a heat map goes from %g to %g; expected low < high", heat->low, heat->high);
    return false;
}

void qkv_figure_heat(qkv_figure *figure, const qkv_heat *heat)
{
    size_t count;
    if (!check_heat(figure, heat, &count)) return;
    qkv__mark *mark = add_mark(figure, QKV__MARK_HEAT, &(qkv_style){.ink = QKV_INK_TEXT});
    if (mark == NULL) return;
    mark->heat = *heat;
    mark->heat.values = copy_numbers(figure, heat->values, count);
    mark->heat.beside = copy_numbers(figure, heat->beside, heat->rows);
    mark->heat.label = copy_text(figure, heat->label);
    mark->heat.beside_label = copy_text(figure, heat->beside_label);
    if (heat->low == 0 && heat->high == 0) mark->heat.high = 1;
    if (mark->heat.values == NULL) mark->heat.rows = mark->heat.columns = 0;
}
