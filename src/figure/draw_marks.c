/* Marks as SVG: data through the axes' maps, cut to the frame. One element a mark where that can
 * be, which keeps a figure small. */
#include <math.h>
#include <string.h>

#include "figure/part.h"

static void append(qkv__canvas *canvas, const char *string)
{
    qkv__text_append(&canvas->text, string, strlen(string));
}

static void append_number(qkv__canvas *canvas, const char *before, double value, const char *behind)
{
    append(canvas, before);
    qkv__figure_place(&canvas->text, value);
    append(canvas, behind);
}

static const char *ink_of(const qkv__canvas *canvas, const qkv_style *style)
{
    return qkv__figure_ink(canvas->palette, style->ink);
}

void qkv__draw_move(qkv__canvas *canvas, char command, qkv__figure_point point)
{
    qkv__text_append(&canvas->text, &command, 1);
    append_number(canvas, "", point.x, " ");
    append_number(canvas, "", point.y, "");
}

static qkv__figure_point map(const qkv__panel_place *place, double x, double y)
{
    return (qkv__figure_point){qkv__scale_map(&place->x, x), qkv__scale_map(&place->y, y)};
}

static bool has_place(qkv__figure_point point)
{
    return !isnan(point.x) && !isnan(point.y);
}

static bool is_inside(const qkv__frame *f, qkv__figure_point p)
{
    return p.x >= f->left - 0.5 && p.x <= f->right + 0.5 && p.y >= f->top - 0.5 &&
           p.y <= f->bottom + 0.5;
}

/* ---- Lines ------------------------------------------------------------------------------- */

void qkv__draw_stroke(qkv__canvas *canvas, const qkv_style *style)
{
    const char *dash = qkv__figure_dash(style->dash, style->ink);
    qkv__text_format(&canvas->text, " fill=\"none\" stroke=\"%s\"", ink_of(canvas, style));
    append_number(canvas, " stroke-width=\"", style->width > 0 ? style->width : 2, "\"");
    if (dash[0] != '\0') qkv__text_format(&canvas->text, " stroke-dasharray=\"%s\"", dash);
    if (style->opacity > 0 && style->opacity < 1)
        append_number(canvas, " stroke-opacity=\"", style->opacity, "\"");
    append(canvas, " stroke-linejoin=\"round\"");
}

/* A path that goes on where the last piece ended, and begins anew elsewhere. */
typedef struct pen {
    bool down;
    qkv__figure_point at;
} pen;

static void draw_segment(qkv__canvas *canvas, const qkv__frame *frame, qkv__figure_point from,
                         qkv__figure_point to, pen *p)
{
    qkv__figure_point start = from, end = to;
    if (!qkv__clip_segment(frame, &from, &to)) {
        p->down = false;
        return;
    }
    if (!p->down || from.x != p->at.x || from.y != p->at.y) qkv__draw_move(canvas, 'M', from);
    /* Steps that no one can see are left out, but not the end of a line. */
    bool cut = start.x != from.x || start.y != from.y || end.x != to.x || end.y != to.y;
    if (!cut && p->down && hypot(to.x - from.x, to.y - from.y) < 0.005) return;
    qkv__draw_move(canvas, 'L', to);
    p->down = end.x == to.x && end.y == to.y;
    p->at = to;
}

static void draw_line(qkv__canvas *canvas, const qkv__panel_place *place, const qkv__mark *mark)
{
    pen p = {false, {0, 0}};
    append(canvas, "<path class=\"line\"");
    qkv__draw_stroke(canvas, &mark->style);
    append(canvas, " d=\"");
    for (size_t i = 1; i < mark->count; i++) {
        qkv__figure_point from = map(place, mark->x[i - 1], mark->y[i - 1]);
        qkv__figure_point to = map(place, mark->x[i], mark->y[i]);
        if (has_place(from) && has_place(to))
            draw_segment(canvas, &place->frame, from, to, &p);
        else
            p.down = false;
    }
    append(canvas, "\"/>\n");
}

/* ---- Points ------------------------------------------------------------------------------ */

/* A marker around a place, as part of a path; r: half its size. */
static void draw_marker(qkv__canvas *canvas, qkv_marker marker, qkv__figure_point at, double r)
{
    static const struct {
        qkv_marker marker;
        const char *shape; /* steps in units of r, on from the start */
        double start_x, start_y;
    } shapes[] = {{QKV_MARKER_SQUARE, "h2v2h-2z", -1, -1},
                  {QKV_MARKER_TRIANGLE, "l1 2h-2z", 0, -1.1},
                  {QKV_MARKER_DIAMOND, "l1 1l-1 1l-1-1z", 0, -1},
                  {QKV_MARKER_CROSS, "l2 2m0-2l-2 2", -1, -1}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (shapes[i].marker != marker) continue;
        qkv__draw_move(
            canvas, 'M',
            (qkv__figure_point){at.x + r * shapes[i].start_x, at.y + r * shapes[i].start_y});
        for (const char *c = shapes[i].shape; *c != '\0'; c++) {
            if (*c >= '0' && *c <= '9')
                qkv__figure_place(&canvas->text, r * (*c - '0'));
            else
                qkv__text_append(&canvas->text, c, 1);
        }
        return;
    }
    qkv__draw_move(canvas, 'M', at); /* a round end of a line without length is a disc */
    append(canvas, "h0");
}

/* What goes between <path and its d for markers of that kind. */
static void draw_marker_style(qkv__canvas *canvas, const qkv_style *style, qkv_marker marker,
                              double size)
{
    const char *ink = ink_of(canvas, style);
    const char *part = marker == QKV_MARKER_DISC || marker == QKV_MARKER_CROSS ? "stroke" : "fill";
    if (marker == QKV_MARKER_DISC)
        qkv__text_format(&canvas->text, " fill=\"none\" stroke=\"%s\" stroke-linecap=\"round\"",
                         ink);
    else if (marker == QKV_MARKER_CROSS)
        qkv__text_format(&canvas->text, " fill=\"none\" stroke=\"%s\"", ink);
    else
        qkv__text_format(&canvas->text, " fill=\"%s\"", ink);
    if (marker == QKV_MARKER_DISC) append_number(canvas, " stroke-width=\"", size, "\"");
    if (marker == QKV_MARKER_CROSS) append(canvas, " stroke-width=\"2\"");
    if (style->opacity > 0 && style->opacity < 1) {
        qkv__text_format(&canvas->text, " %s-opacity=\"", part);
        append_number(canvas, "", style->opacity, "\"");
    }
}

/* Rings are discs with a hole in the background's colour. */
static void draw_markers(qkv__canvas *canvas, const qkv_style *style, const qkv__figure_point *at,
                         size_t count)
{
    qkv_marker marker = qkv__figure_marker(style->marker, style->ink);
    double size = style->size > 0 ? style->size : 6;
    qkv_marker shape = marker == QKV_MARKER_RING ? QKV_MARKER_DISC : marker;
    append(canvas, "<path class=\"points\"");
    draw_marker_style(canvas, style, shape, size);
    append(canvas, " d=\"");
    for (size_t i = 0; i < count; i++) draw_marker(canvas, shape, at[i], size / 2);
    append(canvas, "\"/>\n");
    if (marker != QKV_MARKER_RING) return;
    qkv__text_format(&canvas->text, "<path fill=\"none\" stroke=\"%s\" stroke-linecap=\"round\"",
                     canvas->palette->background);
    append_number(canvas, " stroke-width=\"", fmax(size - 3, 1), "\" d=\"");
    for (size_t i = 0; i < count; i++) draw_marker(canvas, shape, at[i], size / 2);
    append(canvas, "\"/>\n");
}

static void draw_points(qkv__canvas *canvas, const qkv__panel_place *place, const qkv__mark *mark)
{
    size_t count = 0;
    if (mark->count == 0) return;
    qkv__figure_point *at = qkv__arena_array(canvas->arena, mark->count, sizeof *at);
    if (at == NULL) return;
    for (size_t i = 0; i < mark->count; i++) {
        qkv__figure_point point = map(place, mark->x[i], mark->y[i]);
        if (has_place(point) && is_inside(&place->frame, point)) at[count++] = point;
    }
    if (count > 0) draw_markers(canvas, &mark->style, at, count);
}

/* ---- Areas ------------------------------------------------------------------------------- */

static void draw_fill(qkv__canvas *canvas, const char *class, const qkv_style *style)
{
    double opacity = style->opacity > 0 ? style->opacity : 0.35;
    qkv__text_format(&canvas->text, "<path class=\"%s\" fill=\"%s\"", class, ink_of(canvas, style));
    if (opacity < 1) append_number(canvas, " fill-opacity=\"", opacity, "\"");
    append(canvas, " d=\"");
}

static void draw_polygon(qkv__canvas *canvas, const qkv__frame *frame, qkv__figure_point *points,
                         qkv__figure_point *spare, size_t count)
{
    count = qkv__clip_polygon(frame, points, spare, count);
    for (size_t i = 0; i < count; i++) qkv__draw_move(canvas, i == 0 ? 'M' : 'L', points[i]);
    if (count > 0) append(canvas, "z");
}

static bool band_has_place(const qkv__panel_place *place, const qkv__mark *mark, size_t i)
{
    return has_place(map(place, mark->x[i], mark->y[i])) &&
           has_place(map(place, mark->x[i], mark->high[i]));
}

/* Numbers first to last - 1 all have places: there along the upper curve, back along the lower. */
static void draw_band_run(qkv__canvas *canvas, const qkv__panel_place *place, const qkv__mark *mark,
                          size_t first, size_t last, qkv__figure_point *points)
{
    size_t count = last - first;
    for (size_t i = 0; i < count; i++) {
        points[i] = map(place, mark->x[first + i], mark->high[first + i]);
        points[2 * count - 1 - i] = map(place, mark->x[first + i], mark->y[first + i]);
    }
    draw_polygon(canvas, &place->frame, points, points + 12 * mark->count, 2 * count);
}

static void draw_band(qkv__canvas *canvas, const qkv__panel_place *place, const qkv__mark *mark)
{
    if (mark->count == 0) return;
    qkv__figure_point *points = qkv__arena_array(canvas->arena, mark->count, 24 * sizeof *points);
    if (points == NULL) return;
    draw_fill(canvas, "band", &mark->style);
    for (size_t i = 0, first = 0; i <= mark->count; i++) {
        if (i < mark->count && band_has_place(place, mark, i)) continue;
        if (i > first + 1) draw_band_run(canvas, place, mark, first, i, points);
        first = i + 1;
    }
    append(canvas, "\"/>\n");
}

static void draw_bars(qkv__canvas *canvas, const qkv__panel_place *place, const qkv__mark *mark)
{
    qkv__figure_point points[24], spare[24];
    double base = place->y.kind == QKV_AXIS_LOG ? place->y.low : 0;
    draw_fill(canvas, "bars", &mark->style);
    for (size_t i = 0; i < mark->count; i++) {
        qkv__figure_point foot = map(place, mark->x[i], base);
        qkv__figure_point head = map(place, mark->x[i + 1], mark->y[i]);
        if (!has_place(foot) || !has_place(head) || foot.y == head.y) continue;
        points[0] = foot;
        points[1] = (qkv__figure_point){foot.x, head.y};
        points[2] = head;
        points[3] = (qkv__figure_point){head.x, foot.y};
        draw_polygon(canvas, &place->frame, points, spare, 4);
    }
    append(canvas, "\"/>\n");
}

/* ---- Notes ------------------------------------------------------------------------------- */

static qkv__word_style words_of(const qkv__canvas *canvas, const qkv_style *style,
                                qkv__figure_point at)
{
    return (qkv__word_style){.x = at.x + style->shift_x,
                             .y = at.y + style->shift_y,
                             .size = style->size > 0 ? style->size : QKV__SIZE_TEXT,
                             .colour = ink_of(canvas, style),
                             .anchor = style->anchor,
                             .markup = true};
}

/* On the side where there is room: to the right, or else to the left. */
static void draw_rule_text(qkv__canvas *canvas, const qkv__panel_place *place,
                           const qkv__mark *mark, qkv__figure_point at)
{
    if (mark->text == NULL) return;
    qkv__word_style words = words_of(canvas, &mark->style, at);
    double width = qkv__figure_measure(mark->text, strlen(mark->text), words.size, true);
    bool right = at.x + 5 + width <= place->frame.right || at.x - 5 - width < place->frame.left;
    if (mark->kind == QKV__MARK_RULE_X) {
        words.anchor = right ? QKV_ANCHOR_START : QKV_ANCHOR_END;
        words.x += right ? 5 : -5;
        words.y += 12;
    } else {
        words.anchor = QKV_ANCHOR_END;
        words.x = place->frame.right - 4 + mark->style.shift_x;
        words.y -= 5;
    }
    qkv__figure_words(&canvas->text, &words, canvas->palette->background, mark->text,
                      strlen(mark->text));
}

static void draw_rule(qkv__canvas *canvas, const qkv__panel_place *place, const qkv__mark *mark)
{
    const qkv__frame *f = &place->frame;
    bool upright = mark->kind == QKV__MARK_RULE_X;
    double at = qkv__scale_map(upright ? &place->x : &place->y, mark->at[0]);
    qkv__figure_point from =
        upright ? (qkv__figure_point){at, f->top} : (qkv__figure_point){f->left, at};
    qkv__figure_point to =
        upright ? (qkv__figure_point){at, f->bottom} : (qkv__figure_point){f->right, at};
    qkv_style style = mark->style;
    if (isnan(at) || !is_inside(f, from)) return;
    if (style.width == 0) style.width = 1.25;
    if (style.dash == QKV_DASH_BY_INK) style.dash = QKV_DASH_SHORT;
    append(canvas, "<path class=\"rule\"");
    qkv__draw_stroke(canvas, &style);
    append(canvas, " d=\"");
    qkv__draw_move(canvas, 'M', from);
    qkv__draw_move(canvas, 'L', to);
    append(canvas, "\"/>\n");
    draw_rule_text(canvas, place, mark, upright ? from : (qkv__figure_point){f->right, at});
}

static void draw_text(qkv__canvas *canvas, const qkv__panel_place *place, const qkv__mark *mark)
{
    qkv__figure_point at = map(place, mark->at[0], mark->at[1]);
    if (mark->text == NULL || !has_place(at) || !is_inside(&place->frame, at)) return;
    qkv__word_style words = words_of(canvas, &mark->style, at);
    qkv__figure_words(&canvas->text, &words, canvas->palette->background, mark->text,
                      strlen(mark->text));
}

/* ---- Diagrams ---------------------------------------------------------------------------- */

enum { BEND_POINTS = 24 };

/* A point of the parabola through both ends that is `bend` off in the middle. */
static qkv__figure_point bent(qkv__figure_point from, qkv__figure_point to, double bend, double t)
{
    double dx = to.x - from.x, dy = to.y - from.y, off = 4 * bend * t * (1 - t);
    return (qkv__figure_point){from.x + t * dx + off * dy, from.y + t * dy - off * dx};
}

static void draw_head(qkv__canvas *canvas, const qkv_style *style, qkv__figure_point before,
                      qkv__figure_point tip)
{
    double width = style->width > 0 ? style->width : 2,
           length = hypot(tip.x - before.x, tip.y - before.y);
    double long_side = 5 + 2 * width, short_side = 2.5 + 1.1 * width;
    if (length == 0) return;
    double ux = (tip.x - before.x) / length, uy = (tip.y - before.y) / length;
    qkv__figure_point foot = {tip.x - long_side * ux, tip.y - long_side * uy};
    qkv__text_format(&canvas->text, "<path class=\"head\" fill=\"%s\"", ink_of(canvas, style));
    if (style->opacity > 0 && style->opacity < 1)
        append_number(canvas, " fill-opacity=\"", style->opacity, "\"");
    append(canvas, " d=\"");
    qkv__draw_move(canvas, 'M', tip);
    qkv__draw_move(canvas, 'L',
                   (qkv__figure_point){foot.x - short_side * uy, foot.y + short_side * ux});
    qkv__draw_move(canvas, 'L',
                   (qkv__figure_point){foot.x + short_side * uy, foot.y - short_side * ux});
    append(canvas, "z\"/>\n");
}

/* The line ends under the head, not at its tip, which is thinner than the line. */
static void draw_arrow(qkv__canvas *canvas, const qkv__panel_place *place, const qkv__mark *mark)
{
    qkv__figure_point from = map(place, mark->at[0], mark->at[1]),
                      to = map(place, mark->at[2], mark->at[3]);
    double bend = mark->style.bend, width = mark->style.width > 0 ? mark->style.width : 2;
    if (!has_place(from) || !has_place(to)) return;
    double length = hypot(to.x - from.x, to.y - from.y);
    double end = length > 5 + 2 * width ? 1 - (4 + 2 * width) / length : 0.5;
    int pieces = bend == 0 ? 1 : BEND_POINTS;
    pen p = {false, {0, 0}};
    append(canvas, "<path class=\"arrow\"");
    qkv_style style = mark->style;
    if (style.dash == QKV_DASH_BY_INK) style.dash = QKV_DASH_SOLID;
    qkv__draw_stroke(canvas, &style);
    append(canvas, " d=\"");
    for (int i = 0; i < pieces; i++)
        draw_segment(canvas, &place->frame, bent(from, to, bend, end * i / pieces),
                     bent(from, to, bend, end * (i + 1) / pieces), &p);
    append(canvas, "\"/>\n");
    if (is_inside(&place->frame, to))
        draw_head(canvas, &mark->style, bent(from, to, bend, end), to);
}

/* Lines around the middle of a box, smaller where they would not fit. */
static void draw_box_text(qkv__canvas *canvas, const qkv__mark *mark, qkv__figure_point middle,
                          double width)
{
    double size = mark->style.size > 0 ? mark->style.size : QKV__SIZE_TEXT, widest = 0, lines = 0;
    for (const char *line = mark->text; *line != '\0'; line += *line == '\n', lines++) {
        size_t length = strcspn(line, "\n");
        widest = fmax(widest, qkv__figure_measure(line, length, size, true));
        line += length;
    }
    if (widest > width - 8) size *= fmax((width - 8) / widest, 0.4);
    double step = 1.35 * size, y = middle.y - (lines - 1) / 2 * step + 0.35 * size;
    for (const char *line = mark->text; *line != '\0'; line += *line == '\n', y += step) {
        size_t length = strcspn(line, "\n");
        qkv__word_style words = {middle.x,      y, size, canvas->palette->text, QKV_ANCHOR_MIDDLE,
                                 .markup = true};
        qkv__figure_words(&canvas->text, &words, NULL, line, length);
        line += length;
    }
}

static void draw_box(qkv__canvas *canvas, const qkv__panel_place *place, const qkv__mark *mark)
{
    double half_x = mark->at[2] / 2, half_y = mark->at[3] / 2;
    qkv__figure_point a = map(place, mark->at[0] - half_x, mark->at[1] - half_y);
    qkv__figure_point b = map(place, mark->at[0] + half_x, mark->at[1] + half_y);
    const char *ink = ink_of(canvas, &mark->style);
    if (!has_place(a) || !has_place(b)) return;
    append_number(canvas, "<rect class=\"box\" x=\"", fmin(a.x, b.x), "\"");
    append_number(canvas, " y=\"", fmin(a.y, b.y), "\"");
    append_number(canvas, " width=\"", fabs(b.x - a.x), "\"");
    append_number(canvas, " height=\"", fabs(b.y - a.y), "\" rx=\"6\"");
    double opacity = mark->style.opacity > 0 ? mark->style.opacity : 0.12;
    qkv__text_format(&canvas->text, " fill=\"%s\" stroke=\"%s\"", ink, ink);
    append_number(canvas, " fill-opacity=\"", opacity, "\" stroke-width=\"");
    append_number(canvas, "", mark->style.width > 0 ? mark->style.width : 1, "\"/>\n");
    if (mark->text == NULL) return;
    draw_box_text(canvas, mark, (qkv__figure_point){(a.x + b.x) / 2, (a.y + b.y) / 2},
                  fabs(b.x - a.x));
}

/* ---- All --------------------------------------------------------------------------------- */

void qkv__draw_mark(qkv__canvas *canvas, const qkv__panel_place *place, const qkv__mark *mark)
{
    switch (mark->kind) {
    case QKV__MARK_LINE: draw_line(canvas, place, mark); break;
    case QKV__MARK_POINTS: draw_points(canvas, place, mark); break;
    case QKV__MARK_BAND: draw_band(canvas, place, mark); break;
    case QKV__MARK_BARS: draw_bars(canvas, place, mark); break;
    case QKV__MARK_RULE_X:
    case QKV__MARK_RULE_Y: draw_rule(canvas, place, mark); break;
    case QKV__MARK_TEXT: draw_text(canvas, place, mark); break;
    case QKV__MARK_ARROW: draw_arrow(canvas, place, mark); break;
    case QKV__MARK_BOX: draw_box(canvas, place, mark); break;
    case QKV__MARK_HEAT: qkv__draw_heat(canvas, place, mark); break;
    }
}

static void draw_heat_sample(qkv__canvas *canvas, const qkv__mark *mark, double x, double y)
{
    enum { PIECES = 32, LEFT = 26, WIDTH = 96 };
    char colour[8];
    bool light;
    qkv__text low = {0}, high = {0};
    for (int i = 0; i < PIECES; i++) {
        int level = i * (QKV__HEAT_LEVELS - 1) / (PIECES - 1);
        qkv__figure_heat_colour(canvas->figure->options.theme, level, colour, &light);
        append_number(canvas, "<rect x=\"", x + LEFT + WIDTH * (double)i / PIECES, "\" y=\"");
        append_number(canvas, "", y - 6, "\" width=\"");
        append_number(canvas, "", (double)WIDTH / PIECES + 0.3, "\" height=\"12\"");
        qkv__text_format(&canvas->text, " fill=\"%s\"/>\n", colour);
    }
    qkv__figure_label(&low, mark->heat.low, 3);
    qkv__figure_label(&high, mark->heat.high, 3);
    qkv__word_style words = {.x = x + LEFT - 4,
                             .y = y + 4,
                             .size = QKV__SIZE_TEXT,
                             .colour = canvas->palette->quiet,
                             .anchor = QKV_ANCHOR_END};
    if (!low.failed) qkv__figure_words(&canvas->text, &words, NULL, low.data, low.length);
    words.x = x + LEFT + WIDTH + 4;
    words.anchor = QKV_ANCHOR_START;
    if (!high.failed) qkv__figure_words(&canvas->text, &words, NULL, high.data, high.length);
    canvas->text.failed |= low.failed || high.failed;
    qkv__text_free(&low);
    qkv__text_free(&high);
}

void qkv__draw_sample(qkv__canvas *canvas, const qkv__mark *mark, double x, double y)
{
    double width = qkv__entry_sample(mark);
    if (mark->kind == QKV__MARK_HEAT) {
        draw_heat_sample(canvas, mark, x, y);
    } else if (mark->kind == QKV__MARK_POINTS) {
        qkv_style style = mark->style;
        style.size = fmax(style.size, 6);
        draw_markers(canvas, &style, &(qkv__figure_point){x + width / 2, y}, 1);
    } else if (width > 20) {
        qkv_style style = mark->style;
        bool rule = mark->kind == QKV__MARK_RULE_X || mark->kind == QKV__MARK_RULE_Y;
        if (rule && style.dash == QKV_DASH_BY_INK) style.dash = QKV_DASH_SHORT;
        append(canvas, "<path");
        qkv__draw_stroke(canvas, &style);
        append(canvas, " d=\"");
        qkv__draw_move(canvas, 'M', (qkv__figure_point){x, y});
        append_number(canvas, "h", width, "\"/>\n");
    } else {
        draw_fill(canvas, "sample", &mark->style);
        qkv__draw_move(canvas, 'M', (qkv__figure_point){x, y - 6});
        append(canvas, "h14v12h-14z\"/>\n");
    }
}
