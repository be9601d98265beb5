/* Where everything lies: title and legend at the top, below them rows of panels, whose axes are
 * lined up in columns. Measures text by estimate; draws nothing. */
#include <math.h>
#include <string.h>

#include "figure/part.h"

enum {
    MARGIN = 16,
    GAP = 18, /* between columns, and between rows */
    TICK_LENGTH = 4,
    SPACING_X = 46,        /* a tick of the x axis takes so much, */
    SPACING_Y = 34,        /* and one of the y axis */
    SHORT_NAME = 28,       /* such names are left out rather than turned */
    NAME_WIDTH_MOST = 130, /* room for names; longer ones reach into the margin */
};

/* ---- Legend ------------------------------------------------------------------------------ */

const char *qkv__entry_label(const qkv__mark *mark)
{
    return mark->kind == QKV__MARK_HEAT ? mark->heat.label : mark->style.label;
}

double qkv__entry_sample(const qkv__mark *mark)
{
    if (mark->kind == QKV__MARK_HEAT) return 150;
    return mark->kind == QKV__MARK_LINE || mark->kind == QKV__MARK_RULE_X ||
                   mark->kind == QKV__MARK_RULE_Y || mark->kind == QKV__MARK_ARROW
               ? 28
               : 14;
}

static bool same_look(const qkv__mark *a, const qkv__mark *b)
{
    if (a->kind != b->kind || strcmp(qkv__entry_label(a), qkv__entry_label(b)) != 0) return false;
    if (a->kind == QKV__MARK_HEAT)
        return a->heat.low == b->heat.low && a->heat.high == b->heat.high;
    return a->style.ink == b->style.ink && a->style.dash == b->style.dash &&
           a->style.marker == b->style.marker;
}

static bool is_listed(const qkv__layout *layout, const qkv__mark *mark)
{
    for (size_t i = 0; i < layout->entry_count; i++)
        if (same_look(layout->entries[i].mark, mark)) return true;
    return false;
}

static bool collect_entries(const qkv_figure *figure, qkv__arena *arena, qkv__layout *layout)
{
    size_t most = 0;
    for (const qkv__panel *p = figure->panels; p != NULL; p = p->next)
        for (const qkv__mark *m = p->marks; m != NULL; m = m->next)
            most += qkv__entry_label(m) != NULL;
    if (most == 0) return true;
    layout->entries = qkv__arena_array(arena, most, sizeof *layout->entries);
    if (layout->entries == NULL) return false;
    for (const qkv__panel *p = figure->panels; p != NULL; p = p->next)
        for (const qkv__mark *m = p->marks; m != NULL; m = m->next)
            if (qkv__entry_label(m) != NULL && !is_listed(layout, m))
                layout->entries[layout->entry_count++].mark = m;
    return true;
}

/* One behind the other, in as many lines as they need; returns where the legend ends. */
static double place_entries(qkv__layout *layout, double top)
{
    double x = MARGIN, y = top + QKV__SIZE_TEXT;
    if (layout->entry_count == 0) return top;
    for (size_t i = 0; i < layout->entry_count; i++) {
        qkv__entry *entry = &layout->entries[i];
        const char *label = qkv__entry_label(entry->mark);
        double width = qkv__entry_sample(entry->mark) + 6 +
                       qkv__figure_measure(label, strlen(label), QKV__SIZE_TEXT, true);
        if (x > MARGIN && x + width > layout->width - MARGIN) x = MARGIN, y += QKV__LINE_TEXT + 3;
        entry->x = x;
        entry->y = y;
        x += width + 20;
    }
    return y + 12;
}

/* ---- Panels ------------------------------------------------------------------------------ */

static double widest_name(const qkv_axis *axis, size_t count)
{
    double widest = 0;
    for (size_t i = 0; i < axis->name_count && axis->names != NULL; i++)
        widest = fmax(widest, qkv__figure_measure(axis->names[i], strlen(axis->names[i]),
                                                  QKV__SIZE_TEXT, axis->marked_up));
    if (axis->names == NULL) widest = 8 * (1 + floor(log10((double)(count == 0 ? 1 : count))));
    return fmin(widest, NAME_WIDTH_MOST);
}

static double widest_tick(const qkv__ticks *ticks)
{
    double widest = 0;
    for (size_t i = 0; i < ticks->count; i++)
        widest = fmax(widest, qkv__figure_measure(ticks->text[i], strlen(ticks->text[i]),
                                                  QKV__SIZE_TEXT, false));
    return widest;
}

/* What stands to the left of a panel's frame. */
static double left_space(const qkv__panel_place *place)
{
    const qkv_axis *axis = &place->panel->options.y;
    double space = 0;
    if (axis->kind == QKV_AXIS_NAMES)
        space = widest_name(axis, (size_t)(place->y.high + 0.5)) + 8;
    else if (axis->kind != QKV_AXIS_BLANK)
        space = widest_tick(&place->y_ticks) + TICK_LENGTH + 5;
    return space + (axis->label != NULL ? QKV__LINE_TEXT + 2 : 0);
}

static double right_space(const qkv__panel_place *place)
{
    for (const qkv__mark *m = place->panel->marks; m != NULL; m = m->next)
        if (m->kind == QKV__MARK_HEAT && m->heat.beside != NULL) return QKV__BESIDE_SPACE;
    return place->panel->options.x.kind == QKV_AXIS_BLANK ? 0 : 10;
}

/* What stands below a panel's frame. */
static double bottom_space(const qkv__panel_place *place)
{
    const qkv_axis *axis = &place->panel->options.x;
    double space = 0;
    if (axis->kind == QKV_AXIS_NAMES)
        space = place->turned ? 12 + 0.72 * place->name_width : QKV__LINE_TEXT;
    else if (axis->kind != QKV_AXIS_BLANK)
        space = TICK_LENGTH + QKV__LINE_TEXT;
    return space + (axis->label != NULL ? QKV__LINE_TEXT + 2 : 0);
}

static double title_space(const qkv__panel_place *place)
{
    const qkv_panel *o = &place->panel->options;
    double lines = (double)qkv__figure_lines(o->title, QKV__SIZE_PANEL, place->space / QKV__BOLD) +
                   (double)qkv__figure_lines(o->note, QKV__SIZE_TEXT, place->space);
    bool beside = right_space(place) == QKV__BESIDE_SPACE;
    return lines * QKV__LINE_TEXT + (lines > 0 ? 9 : 4) + (beside ? 14 : 0);
}

static void set_scale(qkv__scale *scale, double begin, double end)
{
    scale->begin = begin;
    scale->end = end;
}

/* The y axis before its place is known: its ticks take room to the left. */
static void prepare(qkv__panel_place *place, double height)
{
    qkv__scale_range(place->panel, true, floor(height / SPACING_Y), &place->y);
    set_scale(&place->y, height, 0);
    qkv__ticks_find(&place->y, SPACING_Y, &place->y_ticks);
}

/* Shrinks a frame so that units of both axes are of one length. */
static void make_square(const qkv__panel_place *place, double *width, double *height)
{
    double x_span = place->x.high - place->x.low, y_span = place->y.high - place->y.low;
    double unit = fmin(*width / x_span, *height / y_span);
    *width = unit * x_span;
    *height = unit * y_span;
}

/* A panel's width is known, and its height follows. */
static void measure_panel(qkv__panel_place *place, double left, double width, double height)
{
    qkv__scale_range(place->panel, false, floor(width / SPACING_X), &place->x);
    if (place->panel->options.square) make_square(place, &width, &height);
    place->frame = (qkv__frame){left, 0, left + width, height};
    set_scale(&place->x, left, left + width);
    qkv__ticks_find(&place->x, SPACING_X, &place->x_ticks);
    double cell = width / (place->x.high - place->x.low);
    place->name_width = place->x.kind != QKV_AXIS_NAMES
                            ? 0
                            : widest_name(&place->panel->options.x, (size_t)(place->x.high + 0.5));
    place->turned = place->name_width > SHORT_NAME && place->name_width + 4 > cell;
}

/* Moves a panel down to its place, now that the row's is known. */
static void settle(qkv__panel_place *place, double top)
{
    double height = place->frame.bottom - place->frame.top;
    place->frame.top = top;
    place->frame.bottom = top + height;
    bool downwards = place->y.kind == QKV_AXIS_NAMES;
    set_scale(&place->y, downwards ? top : top + height, downwards ? top + height : top);
    qkv__ticks_find(&place->y, SPACING_Y, &place->y_ticks);
}

static double layout_row(qkv__panel_place *row, size_t count, double top)
{
    double titles = 0, bottom = top;
    for (size_t i = 0; i < count; i++) titles = fmax(titles, title_space(&row[i]));
    for (size_t i = 0; i < count; i++) {
        settle(&row[i], top + titles);
        row[i].title_y = top + QKV__SIZE_PANEL;
        bottom = fmax(bottom, row[i].frame.bottom + bottom_space(&row[i]));
    }
    return bottom;
}

/* What a column's panels need beside their frames. */
static void column_sides(const qkv__layout *layout, size_t column, size_t columns, double *before,
                         double *behind)
{
    *before = *behind = 0;
    for (size_t i = column; i < layout->place_count; i += columns) {
        *before = fmax(*before, left_space(&layout->places[i]));
        *behind = fmax(*behind, right_space(&layout->places[i]));
    }
}

/* The frames of all columns are equally wide; within one, they begin and end alike. */
static void layout_columns(const qkv_figure *figure, qkv__layout *layout, size_t columns)
{
    double left = MARGIN, before, behind;
    double room = layout->width - 2 * MARGIN - GAP * (double)(columns - 1);
    for (size_t c = 0; c < columns; c++) {
        column_sides(layout, c, columns, &before, &behind);
        room -= before + behind;
    }
    double width = fmax(room / (double)columns, 20);
    for (size_t c = 0; c < columns; c++) {
        column_sides(layout, c, columns, &before, &behind);
        for (size_t i = c; i < layout->place_count; i += columns) {
            qkv__panel_place *place = &layout->places[i];
            measure_panel(place, left + before, width, figure->options.panel_height);
            place->space = before + width + behind;
            place->left = left;
            place->labels_left = left + before - left_space(place);
        }
        left += before + width + behind + GAP;
    }
}

double qkv__figure_room(const qkv_figure *figure)
{
    return figure->options.width - 2 * MARGIN;
}

static double layout_top(const qkv_figure *figure, qkv__layout *layout)
{
    const qkv_figure_options *o = &figure->options;
    double room = qkv__figure_room(figure);
    double y = MARGIN;
    y += (double)qkv__figure_lines(o->title, QKV__SIZE_TITLE, room / QKV__BOLD) * QKV__LINE_TITLE;
    y += (double)qkv__figure_lines(o->subtitle, QKV__SIZE_TEXT, room) * QKV__LINE_TEXT;
    if (y > MARGIN) y += 8;
    return place_entries(layout, y) + (layout->entry_count > 0 ? 6 : 0);
}

bool qkv__figure_layout(const qkv_figure *figure, qkv__arena *arena, qkv__layout *layout)
{
    size_t columns = figure->options.columns;
    if (columns > figure->panel_count && figure->panel_count > 0) columns = figure->panel_count;
    *layout = (qkv__layout){.width = figure->options.width, .margin = MARGIN};
    if (!collect_entries(figure, arena, layout)) return false;
    double y = layout_top(figure, layout);
    layout->height = y + MARGIN;
    if (figure->panel_count == 0) return true;
    layout->places = qkv__arena_array(arena, figure->panel_count, sizeof *layout->places);
    if (layout->places == NULL) return false;
    for (const qkv__panel *p = figure->panels; p != NULL; p = p->next) {
        qkv__panel_place *place = &layout->places[layout->place_count++];
        place->panel = p;
        prepare(place, figure->options.panel_height);
    }
    layout_columns(figure, layout, columns);
    for (size_t i = 0; i < layout->place_count; i += columns) {
        size_t count = layout->place_count - i < columns ? layout->place_count - i : columns;
        y = layout_row(&layout->places[i], count, y) + GAP;
    }
    layout->height = y - GAP + MARGIN;
    return true;
}
