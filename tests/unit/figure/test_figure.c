/*
 * Figures: what is drawn, by reading it back out of the SVG through the maps that its panels state;
 * and what must not happen: markup out of text, a leak, two different drawings of one figure.
 */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/random.h"

#include "base/memory.h"
#include "figure/part.h"

static double random_between(random_source *source, double low, double high)
{
    return low + (high - low) * random_uniform(source);
}

/* ---- Drawings read back ------------------------------------------------------------------ */

static qkv_figure *new_figure(qkv_figure_options *options)
{
    qkv_figure *figure = NULL;
    qkv_error error;
    check_ok(qkv_figure_create(options, &figure, &error), &error);
    return figure;
}

static qkv_picture render(const qkv_figure *figure)
{
    qkv_picture picture;
    qkv_error error;
    check_ok(qkv_figure_render(figure, QKV_PICTURE_SVG, 0, &picture, &error), &error);
    assert_int_equal(strlen(picture.data), picture.length);
    return picture;
}

/* The map that a panel states: "linear 0 1 60 400". */
static qkv__scale stated_scale(const char *svg, const char *attribute)
{
    qkv__scale scale = {0};
    char kind[16], pattern[32];
    snprintf(pattern, sizeof pattern, "%s=\"", attribute);
    const char *at = strstr(svg, pattern);
    assert_non_null(at);
    int read = sscanf(at + strlen(pattern), "%15s %lf %lf %lf %lf", kind, &scale.low, &scale.high,
                      &scale.begin, &scale.end);
    assert_int_equal(read, 5);
    scale.kind = strcmp(kind, "log") == 0 ? QKV_AXIS_LOG : QKV_AXIS_LINEAR;
    return scale;
}

static double unmap(const qkv__scale *scale, double place)
{
    double part = (place - scale->begin) / (scale->end - scale->begin);
    if (scale->kind == QKV_AXIS_LOG) return scale->low * pow(scale->high / scale->low, part);
    return scale->low + part * (scale->high - scale->low);
}

/* The d of the first path of a class; NULL: there is none. */
static const char *path_of(const char *svg, const char *class)
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, "<path class=\"%s\"", class);
    const char *at = strstr(svg, pattern);
    return at == NULL ? NULL : strstr(at, " d=\"") + 4;
}

/* Points of a path of M and L alone; how many moves are among them. */
static size_t read_path(const char *d, qkv__figure_point *points, size_t most, size_t *moves)
{
    size_t count = 0;
    *moves = 0;
    while (*d == 'M' || *d == 'L') {
        char *end;
        *moves += *d == 'M';
        assert_true(count < most);
        points[count].x = strtod(d + 1, &end);
        points[count++].y = strtod(end, &end);
        d = *end == 'z' ? end + 1 : end;
    }
    return count;
}

static void lines_lie_where_the_data_are(void **state)
{
    (void)state;
    random_source source = {12};
    enum { COUNT = 40 };
    for (int kind = 0; kind < 4; kind++) {
        double x[COUNT], y[COUNT];
        for (int i = 0; i < COUNT; i++) {
            x[i] = kind & 1 ? pow(10, 0.1 * i - 2) : i - 7.5;
            y[i] =
                kind & 2 ? pow(10, random_between(&source, -3, 4)) : random_between(&source, -3, 9);
        }
        qkv_figure *figure = new_figure(NULL);
        qkv_panel panel = qkv_panel_default();
        panel.x.kind = kind & 1 ? QKV_AXIS_LOG : QKV_AXIS_LINEAR;
        panel.y.kind = kind & 2 ? QKV_AXIS_LOG : QKV_AXIS_LINEAR;
        qkv_figure_panel(figure, &panel);
        qkv_figure_line(figure, x, y, COUNT, NULL);
        qkv_picture picture = render(figure);
        qkv__scale sx = stated_scale(picture.data, "data-x"),
                   sy = stated_scale(picture.data, "data-y");
        qkv__figure_point points[COUNT + 1];
        size_t moves;
        assert_int_equal(read_path(path_of(picture.data, "line"), points, COUNT + 1, &moves),
                         COUNT);
        assert_int_equal(moves, 1);
        for (int i = 0; i < COUNT; i++) {
            /* Half a hundredth of a pixel. */
            assert_true(fabs(qkv__scale_map(&sx, x[i]) - points[i].x) < 0.011);
            assert_true(fabs(qkv__scale_map(&sy, y[i]) - points[i].y) < 0.011);
            assert_true(fabs(unmap(&sy, points[i].y) - y[i]) < 0.01 * (fabs(y[i]) + 0.1));
        }
        qkv_picture_free(&picture);
        qkv_figure_free(&figure);
    }
}

static size_t moves_of_line(const double *y, size_t count, double high)
{
    double x[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    qkv_figure *figure = new_figure(NULL);
    qkv_panel panel = qkv_panel_default();
    panel.y.high = high;
    qkv_figure_panel(figure, &panel);
    qkv_figure_line(figure, x, y, count, NULL);
    qkv_picture picture = render(figure);
    qkv__figure_point points[20];
    size_t moves;
    read_path(path_of(picture.data, "line"), points, 20, &moves);
    assert_null(strstr(picture.data, "nan"));
    assert_null(strstr(picture.data, "inf"));
    qkv_picture_free(&picture);
    qkv_figure_free(&figure);
    return moves;
}

static void what_is_no_number_is_a_gap(void **state)
{
    (void)state;
    assert_int_equal(moves_of_line((double[]){1, 2, NAN, 4, 5, INFINITY, 7, 8}, 8, 0), 3);
    assert_int_equal(moves_of_line((double[]){NAN, NAN}, 2, 0), 0);
    assert_int_equal(moves_of_line((double[]){NAN, 1, NAN, 2}, 4, 0), 0);
    assert_int_equal(moves_of_line((double[]){1e300, 1, 2, -1e300, 1, 2}, 6, 0), 2);
    /* Twice out of the panel's top, and in again. */
    assert_int_equal(moves_of_line((double[]){1, 20, 20, 1, 20, 1, 1, 1}, 8, 10), 3);
}

static double area(const qkv__figure_point *points, size_t count)
{
    double twice = 0;
    for (size_t i = 0; i < count; i++) {
        qkv__figure_point a = points[i], b = points[(i + 1) % count];
        twice += a.x * b.y - a.y * b.x;
    }
    return fabs(twice) / 2;
}

static void bars_and_bands_have_their_areas(void **state)
{
    (void)state;
    const double edges[] = {0, 1, 2, 4}, heights[] = {2, 0, 3}, low[] = {0.5, 0.5, 1},
                 high[] = {1, 2, 2}, x[] = {0, 1, 3};
    qkv_figure *figure = new_figure(NULL);
    qkv_figure_panel(figure, NULL);
    qkv_figure_bars(figure, edges, heights, 3, NULL);
    qkv_figure_band(figure, x, low, high, 3, NULL);
    qkv_picture picture = render(figure);
    qkv__scale sx = stated_scale(picture.data, "data-x"), sy = stated_scale(picture.data, "data-y");
    double unit =
        fabs((sx.end - sx.begin) / (sx.high - sx.low) * (sy.end - sy.begin) / (sy.high - sy.low));
    assert_true(sy.low == 0); /* bars stand on 0 */
    qkv__figure_point points[20];
    size_t moves;
    assert_int_equal(read_path(path_of(picture.data, "bars"), points, 20, &moves), 8);
    assert_int_equal(moves, 2);
    assert_true(fabs(area(points, 4) / unit - 2) < 1e-3 &&
                fabs(area(points + 4, 4) / unit - 6) < 1e-3);
    size_t count = read_path(path_of(picture.data, "band"), points, 20, &moves);
    assert_true(fabs(area(points, count) / unit - (1 + 2.5)) < 1e-3);
    qkv_picture_free(&picture);
    qkv_figure_free(&figure);
}

static void stacks_lie_on_each_other(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2}, parts[] = {1, 1, 2, 3, 3, 3};
    qkv_figure *figure = new_figure(NULL);
    qkv_figure_panel(figure, NULL);
    qkv_figure_stack(figure, x, 3, parts, 2, NULL);
    const qkv__mark *lower = figure->panels->marks, *upper = lower->next;
    for (int i = 0; i < 3; i++) {
        assert_true(lower->y[i] == 0 && lower->high[i] == parts[i]);
        assert_true(upper->y[i] == parts[i] && upper->high[i] == parts[i] + parts[3 + i]);
    }
    assert_true(lower->style.ink != upper->style.ink);
    qkv_figure_free(&figure);
}

/* Paints what the paths of a heat map say into cells, and compares them with the numbers. */
static void heat_maps_can_be_read(void **state)
{
    (void)state;
    enum { ROWS = 9, COLUMNS = 13 };
    double values[ROWS * COLUMNS];
    int found[ROWS * COLUMNS];
    random_source source = {13};
    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i] = i % 17 == 3 ? NAN : floor(random_between(&source, 0, 6)) / 5;
    for (int i = 0; i < ROWS * COLUMNS; i++) found[i] = -1;
    for (int theme = 0; theme < 2; theme++) {
        qkv_figure_options options = qkv_figure_default();
        options.theme = (qkv_theme)theme;
        qkv_figure *figure = new_figure(&options);
        qkv_panel panel = qkv_panel_default();
        panel.x.kind = panel.y.kind = QKV_AXIS_NAMES;
        qkv_figure_panel(figure, &panel);
        qkv_figure_heat(figure, &(qkv_heat){.rows = ROWS, .columns = COLUMNS, .values = values});
        qkv_picture picture = render(figure);
        char *at = strstr(picture.data, "class=\"heat\"");
        for (int level = 0; level < QKV__HEAT_LEVELS; level++) {
            char colour[8], pattern[40];
            bool light;
            qkv__figure_heat_colour((qkv_theme)theme, level, colour, &light);
            snprintf(pattern, sizeof pattern, "<path fill=\"%s\" d=\"", colour);
            const char *d = strstr(at, pattern);
            int x, y, wide, read;
            if (d == NULL) continue;
            for (d += strlen(pattern); sscanf(d, "M%d %dh%dv1h-%*dz%n", &x, &y, &wide, &read) == 3;
                 d += read)
                for (int j = 0; j < wide; j++) found[y * COLUMNS + x + j] = level;
        }
        for (int i = 0; i < ROWS * COLUMNS; i++)
            assert_int_equal(found[i],
                             isnan(values[i]) ? -1 : lround(values[i] * (QKV__HEAT_LEVELS - 1)));
        assert_non_null(path_of(picture.data, "missing"));
        qkv_picture_free(&picture);
        qkv_figure_free(&figure);
    }
}

/* ---- Whole figures ----------------------------------------------------------------------- */

/* One of everything. */
static qkv_figure *rich_figure(qkv_theme theme)
{
    const double x[] = {0.5, 1, 2}, y[] = {1, 4, NAN}, z[] = {2, 5, 6}, cells[] = {0, 1, 0.5, NAN},
                 beside[] = {0.2, 0.7};
    const char *const names[] = {"the", "<cat> & dog"};
    qkv_figure_options options = qkv_figure_default();
    options.title = "Title <1> with k_{a}";
    options.subtitle = "a \"subtitle\" & more";
    options.columns = 2;
    options.theme = theme;
    qkv_figure *figure = NULL;
    if (qkv_figure_create(&options, &figure, NULL) != QKV_OK) return NULL;
    qkv_panel panel = qkv_panel_default();
    panel.title = "lines";
    panel.note = "and more";
    panel.x = (qkv_axis){.kind = QKV_AXIS_LOG, .label = "x"};
    panel.y.label = "y_{i}";
    qkv_figure_panel(figure, &panel);
    qkv_figure_line(figure, x, z, 3, &(qkv_style){.label = "line"});
    qkv_figure_band(figure, x, y, z, 3, &(qkv_style){.label = "band"});
    qkv_figure_bars(figure, x, z, 2, &(qkv_style){.label = "bars"});
    for (int marker = 0; marker <= QKV_MARKER_RING; marker++)
        qkv_figure_points(figure, x, z, 3,
                          &(qkv_style){.label = "p", .marker = (qkv_marker)marker});
    qkv_figure_rule_x(figure, 1, "here & there", NULL);
    qkv_figure_rule_y(figure, 3, "there", NULL);
    qkv_figure_text(figure, 1, 2, "note_{1}", NULL);
    panel = qkv_panel_default();
    panel.x = panel.y = (qkv_axis){.kind = QKV_AXIS_NAMES, .names = names, .name_count = 2};
    panel.square = true;
    qkv_figure_panel(figure, &panel);
    qkv_figure_heat(figure, &(qkv_heat){.rows = 2,
                                        .columns = 2,
                                        .values = cells,
                                        .label = "weight",
                                        .beside = beside,
                                        .beside_label = "entropy"});
    panel = qkv_panel_default();
    panel.x = panel.y = (qkv_axis){.kind = QKV_AXIS_BLANK, .low = 0, .high = 4};
    qkv_figure_panel(figure, &panel);
    qkv_figure_arrow(figure, 1, 1, 3, 3, &(qkv_style){.bend = 0.2});
    qkv_figure_box(figure, 1, 1, 1, 0.5, "two\nlines", NULL);
    return figure;
}

/* Elements are closed in order, and no text holds what it may not. */
static void check_well_formed(const char *svg)
{
    char stack[16][16];
    int depth = 0;
    for (const char *at = svg; *at != '\0';) {
        if (*at != '<') {
            assert_true(*at != '>');
            if (*at == '&')
                assert_true(strncmp(at, "&amp;", 5) == 0 || strncmp(at, "&lt;", 4) == 0 ||
                            strncmp(at, "&gt;", 4) == 0 || strncmp(at, "&quot;", 6) == 0);
            at++;
            continue;
        }
        const char *end = strchr(at, '>');
        assert_non_null(end);
        if (at[1] == '/') {
            depth--;
            assert_true(depth >= 0 && strncmp(stack[depth], at + 2, (size_t)(end - at) - 2) == 0);
        } else if (end[-1] != '/') {
            size_t length = strcspn(at + 1, " >");
            assert_true(depth < 16 && length < 16);
            memcpy(stack[depth], at + 1, length);
            stack[depth++][length] = '\0';
        }
        at = end + 1;
    }
    assert_int_equal(depth, 0);
}

static void figures_are_well_formed(void **state)
{
    (void)state;
    for (int theme = 0; theme < 2; theme++) {
        qkv_figure *figure = rich_figure((qkv_theme)theme);
        qkv_picture picture = render(figure);
        check_well_formed(picture.data);
        assert_non_null(strstr(picture.data, "<title>Title &lt;1&gt; with k_a</title>"));
        assert_non_null(strstr(picture.data, "<desc>a &quot;subtitle&quot; &amp; more</desc>"));
        assert_non_null(strstr(picture.data, "&lt;cat&gt; &amp; dog</text>"));
        assert_null(strstr(picture.data, " id="));
        qkv_picture_free(&picture);
        qkv_figure_free(&figure);
    }
}

static void the_same_figure_has_the_same_bytes(void **state)
{
    (void)state;
    qkv_figure *figure = rich_figure(QKV_THEME_LIGHT), *again = rich_figure(QKV_THEME_LIGHT);
    qkv_picture first = render(figure);
    /* A locale with a decimal comma, where the machine has one. */
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) setlocale(LC_ALL, "C.UTF-8");
    qkv_picture second = render(figure), third = render(again);
    setlocale(LC_ALL, "C");
    assert_string_equal(first.data, second.data);
    assert_string_equal(first.data, third.data);
    qkv_picture_free(&first);
    qkv_picture_free(&second);
    qkv_picture_free(&third);
    qkv_figure_free(&figure);
    qkv_figure_free(&again);
}

static void empty_figures_are_figures(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        qkv_figure *figure = new_figure(NULL);
        qkv_panel panel = qkv_panel_default();
        panel.x.kind = panel.y.kind = kind < 1 ? QKV_AXIS_LINEAR : (qkv_axis_kind)(kind - 1);
        if (kind > 0) qkv_figure_panel(figure, &panel);
        if (kind > 1) qkv_figure_line(figure, NULL, NULL, 0, NULL);
        if (kind > 1) qkv_figure_points(figure, NULL, NULL, 0, NULL);
        if (kind > 1) qkv_figure_bars(figure, NULL, NULL, 0, NULL);
        if (kind > 1) qkv_figure_heat(figure, &(qkv_heat){0});
        qkv_picture picture = render(figure);
        check_well_formed(picture.data);
        assert_null(strstr(picture.data, "nan"));
        qkv_picture_free(&picture);
        qkv_figure_free(&figure);
    }
}

static void refuse(void (*spoil)(qkv_figure *), const char *words)
{
    qkv_figure *figure = new_figure(NULL);
    qkv_picture picture;
    qkv_error error;
    spoil(figure);
    qkv_figure_panel(figure, NULL);
    check_error(qkv_figure_render(figure, QKV_PICTURE_SVG, 0, &picture, &error), QKV_ERROR_ARGUMENT,
                &error, words);
    qkv_figure_free(&figure);
}

static void mark_too_early(qkv_figure *figure)
{
    qkv_figure_text(figure, 0, 0, "x", NULL);
}

static void axis_backwards(qkv_figure *figure)
{
    qkv_panel panel = qkv_panel_default();
    panel.x.low = 2, panel.x.high = 1;
    qkv_figure_panel(figure, &panel);
}

static void log_from_zero(qkv_figure *figure)
{
    qkv_panel panel = qkv_panel_default();
    panel.y = (qkv_axis){.kind = QKV_AXIS_LOG, .low = 0, .high = 1};
    qkv_figure_panel(figure, &panel);
}

static void no_array(qkv_figure *figure)
{
    qkv_figure_panel(figure, NULL);
    qkv_figure_line(figure, NULL, (double[]){1}, 1, NULL);
}

static void no_such_ink(qkv_figure *figure)
{
    qkv_figure_panel(figure, NULL);
    qkv_figure_line(figure, (double[]){1}, (double[]){1}, 1, &(qkv_style){.ink = (qkv_ink)99});
}

static void too_many_panels(qkv_figure *figure)
{
    for (int i = 0; i < 65; i++) qkv_figure_panel(figure, NULL);
}

static void failures_are_kept_and_told(void **state)
{
    (void)state;
    qkv_figure_options options = qkv_figure_default();
    qkv_figure *figure = NULL;
    qkv_error error;
    refuse(mark_too_early, "before the first panel");
    refuse(axis_backwards, "panel.x goes from 2 to 1");
    refuse(log_from_zero, "above 0");
    refuse(no_array, "is NULL");
    refuse(no_such_ink, "ink 99");
    refuse(too_many_panels, "more than 64 panels");
    options.width = 10;
    check_error(qkv_figure_create(&options, &figure, &error), QKV_ERROR_ARGUMENT, &error,
                "width is 10");
    options.struct_size = 0;
    check_error(qkv_figure_create(&options, &figure, &error), QKV_ERROR_ARGUMENT, &error,
                "struct_size is 0");
    assert_null(figure);
}

static void without_memory_nothing_leaks(void **state)
{
    (void)state;
    qkv_figure *good = rich_figure(QKV_THEME_DARK);
    qkv_picture whole = render(good);
    long before = qkv__memory_live(), allocations = 0;
    bool done = false;
    for (; !done; allocations++) {
        qkv_picture picture = {NULL, 0};
        qkv__memory_fail_after(allocations);
        qkv_figure *figure = rich_figure(QKV_THEME_DARK);
        qkv_status status = figure == NULL
                                ? QKV_ERROR_MEMORY
                                : qkv_figure_render(figure, QKV_PICTURE_SVG, 0, &picture, NULL);
        qkv__memory_fail_after(-1);
        assert_true(status == QKV_OK || status == QKV_ERROR_MEMORY);
        done = status == QKV_OK && allocations > 40;
        assert_true((status == QKV_OK) == (picture.data != NULL));
        if (status == QKV_OK) assert_string_equal(picture.data, whole.data);
        qkv_picture_free(&picture);
        qkv_figure_free(&figure);
        assert_int_equal(qkv__memory_live(), before);
        assert_true(allocations < 5000);
    }
    qkv_picture_free(&whole);
    qkv_figure_free(&good);
}

static void pictures_have_their_formats(void **state)
{
    (void)state;
    qkv_figure *figure = rich_figure(QKV_THEME_LIGHT);
    qkv_picture png = {NULL, 0}, pdf = {NULL, 0};
    qkv_error error;
    qkv_status status = qkv_figure_render(figure, QKV_PICTURE_PNG, 0.5, &png, &error);
    if (status == QKV_ERROR_UNSUPPORTED) {
        check_error(status, QKV_ERROR_UNSUPPORTED, &error, "librsvg");
    } else {
        check_ok(status, &error);
        check_ok(qkv_figure_render(figure, QKV_PICTURE_PDF, 0, &pdf, &error), &error);
        assert_memory_equal(png.data, "\x89PNG\r\n", 6);
        assert_memory_equal(pdf.data, "%PDF", 4);
        /* The width in the PNG's header: half of 720. */
        assert_int_equal((unsigned char)png.data[18] * 256 + (unsigned char)png.data[19], 360);
    }
    check_error(qkv_figure_render(figure, QKV_PICTURE_PNG, 100, &png, &error), QKV_ERROR_ARGUMENT,
                &error, "zoom is 100");
    qkv_picture_free(&png);
    qkv_picture_free(&pdf);
    qkv_figure_free(&figure);
}

/* ---- Text -------------------------------------------------------------------------------- */

/* Eighths of blocks in a column of characters, over all rows of the panel. */
static int column_height(const char *text, size_t column)
{
    int eighths = 0;
    for (const char *line = text; (line = strstr(line, "\n")) != NULL;) {
        line++;
        const char *bar = strstr(line, "│"), *tick = strstr(line, "┤"), *end = strchr(line, '\n');
        const char *at = bar != NULL && (end == NULL || bar < end) ? bar : tick;
        if (at == NULL || end == NULL || at > end) continue;
        at += 3;
        for (size_t c = 0; at < end && c < column; c++) do
                at++;
            while (((unsigned char)*at & 0xc0) == 0x80);
        /* U+2581 to U+2588 are one to eight eighths. */
        if (at < end && memcmp(at, "\xe2\x96", 2) == 0) eighths += (unsigned char)at[2] - 0x80;
    }
    return eighths;
}

static void bars_of_text_have_their_heights(void **state)
{
    (void)state;
    const double edges[] = {0, 1, 2, 3, 4, 5}, heights[] = {0, 1, 4.5, 2.25, 8};
    qkv_figure_options options = qkv_figure_default();
    options.width = 9 * 60; /* 50 columns beside the labels */
    qkv_figure *figure = new_figure(&options);
    qkv_panel panel = qkv_panel_default();
    panel.y.high = 8;
    qkv_figure_panel(figure, &panel);
    qkv_figure_bars(figure, edges, heights, 5, &(qkv_style){.label = "bars"});
    qkv_picture picture;
    qkv_error error;
    check_ok(qkv_figure_render(figure, QKV_PICTURE_TEXT, 0, &picture, &error), &error);
    assert_true(qkv__text_is_utf8(picture.data));
    for (size_t bar = 0; bar < 5; bar++)
        for (size_t c = 0; c < 10; c++) {
            int found = column_height(picture.data, 10 * bar + c);
            /* Eleven rows of eight eighths for 8; an eighth of rounding, and one for the axis. */
            if (abs(found - (int)lround(heights[bar] * 11)) > 2)
                fail_msg("bar %zu, column %zu: %d eighths in\n%s", bar, c, found, picture.data);
        }
    qkv_picture_free(&picture);
    qkv_figure_free(&figure);
    figure = rich_figure(QKV_THEME_LIGHT);
    check_ok(qkv_figure_render(figure, QKV_PICTURE_TEXT, 0, &picture, &error), &error);
    assert_true(qkv__text_is_utf8(picture.data));
    assert_non_null(strstr(picture.data, "Title <1> with k_a\n"));
    assert_non_null(strstr(picture.data, "··██"));
    assert_non_null(strstr(picture.data, "××"));
    qkv_picture_free(&picture);
    qkv_figure_free(&figure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_lie_where_the_data_are),
        cmocka_unit_test(what_is_no_number_is_a_gap),
        cmocka_unit_test(bars_and_bands_have_their_areas),
        cmocka_unit_test(stacks_lie_on_each_other),
        cmocka_unit_test(heat_maps_can_be_read),
        cmocka_unit_test(figures_are_well_formed),
        cmocka_unit_test(the_same_figure_has_the_same_bytes),
        cmocka_unit_test(empty_figures_are_figures),
        cmocka_unit_test(failures_are_kept_and_told),
        cmocka_unit_test(without_memory_nothing_leaks),
        cmocka_unit_test(pictures_have_their_formats),
        cmocka_unit_test(bars_of_text_have_their_heights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
