/*
 * Figures: numbers and ticks by their properties; what is drawn by reading it back out of the SVG,
 * through the maps that its panels state; cutting against areas and points found another way; and
 * what must not happen: markup out of text, a leak, two different drawings of one figure.
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

/* ---- Numbers and text ----------------------------------------------------------------------- */

static void numbers_are_nearest_and_short(void **state)
{
    (void)state;
    random_source source = {5};
    for (int i = 0; i < 20000; i++) {
        int decimals = (int)random_between(&source, 0, 9.99);
        double size = pow(10, random_between(&source, -6, 6));
        double value = size * random_between(&source, -1, 1);
        qkv__text text = {0};
        qkv__figure_number(&text, value, decimals);
        double back = strtod(text.data, NULL);
        /* Half a unit of the last digit, and the rounding of the product and of what was read. */
        if (!(fabs(back - value) <= 0.5 * pow(10, -decimals) + fabs(value) * 0x1p-51))
            fail_msg("%.17g with %d decimals became %s", value, decimals, text.data);
        const char *point = strchr(text.data, '.');
        assert_true(strspn(text.data, "-0123456789.") == text.length);
        assert_true(point == NULL || text.data[text.length - 1] != '0');
        assert_true(strcmp(text.data, "-0") != 0);
        qkv__text_free(&text);
    }
}

static void check_label(double value, int decimals, const char *expected)
{
    qkv__text text = {0};
    qkv__figure_label(&text, value, decimals);
    assert_string_equal(text.data, expected);
    qkv__text_free(&text);
}

static void labels_are_for_people(void **state)
{
    (void)state;
    check_label(0, 0, "0");
    check_label(-0.5, 1, "−0.5");
    check_label(-0.0, 3, "0");
    check_label(2000000, -6, "2×10⁶");
    check_label(1e12, -12, "10¹²");
    check_label(1.5e7, -6, "1.5×10⁷");
    check_label(1e-7, 7, "10⁻⁷");
    check_label(-3e-9, 9, "−3×10⁻⁹");
    check_label(999999, 0, "999999");
}

static void text_is_escaped(void **state)
{
    (void)state;
    qkv__text text = {0};
    qkv__figure_escape(&text, "<a b=\"c\">&amp; \x01\xff\xc3\xa4 _{x}");
    assert_string_equal(text.data, "&lt;a b=&quot;c&quot;&gt;&amp;amp; "
                                   "\xef\xbf\xbd\xef\xbf\xbd\xc3\xa4 _{x}");
    qkv__text_free(&text);
    qkv__figure_plain(&text, "k_{a} & _{ _{b<}");
    assert_string_equal(text.data, "k_a &amp; _ _{b&lt;");
    qkv__text_free(&text);
}

/* All words come back in order, no line is longer than it may be unless it is one word. */
static void lines_are_broken_at_blanks(void **state)
{
    (void)state;
    const char *string = "one two three_{sub} four-and-more five six seven eight", *at = string;
    for (double width = 10; width < 600; width += 7) {
        size_t lines = 0;
        for (at = string; *at != '\0'; lines++) {
            const char *next;
            size_t length = qkv__figure_break(at, 12, width, &next);
            assert_true(length > 0 && at[length] != '}' && at[0] != ' ');
            assert_true(memchr(at, ' ', length) == NULL ||
                        qkv__figure_measure(at, length, 12, true) <= width);
            at = next;
        }
        assert_true(lines == qkv__figure_lines(string, 12, width));
    }
    assert_true(qkv__figure_lines("", 12, 10) == 0 && qkv__figure_lines("a\nb", 12, 100) == 2);
}

/* ---- Axes ---------------------------------------------------------------------------------------
 */

static bool is_one_two_five(double value)
{
    double mantissa = value / pow(10, floor(log10(value) + 1e-9));
    return fabs(mantissa - 1) < 1e-6 || fabs(mantissa - 2) < 1e-6 || fabs(mantissa - 5) < 1e-6;
}

static void steps_are_the_least_nice_ones(void **state)
{
    (void)state;
    random_source source = {6};
    for (int i = 0; i < 2000; i++) {
        double least = pow(10, random_between(&source, -20, 20)), step = qkv__tick_step(least);
        assert_true(is_one_two_five(step) && step >= least * (1 - 1e-8));
        assert_true(step <= 2.5 * least * (1 + 1e-8));
        assert_true(fabs(qkv__tick_step(step) - step) <= 1e-9 * step);
    }
}

static void ticks_are_even_and_inside(void **state)
{
    (void)state;
    random_source source = {7};
    for (int i = 0; i < 2000; i++) {
        double low = random_between(&source, -1, 1) * pow(10, random_between(&source, -8, 8));
        double high = low + pow(10, random_between(&source, -3, 3)) * (fabs(low) + 1e-9);
        qkv__scale scale = {QKV_AXIS_LINEAR, low, high, 0, 400};
        qkv__ticks ticks;
        qkv__ticks_find(&scale, 50, &ticks);
        assert_in_range(ticks.count, 2, 9);
        double step = ticks.value[1] - ticks.value[0];
        assert_true(is_one_two_five(step * (1 + 1e-12)));
        for (size_t t = 0; t < ticks.count; t++) {
            assert_true(ticks.value[t] >= low - 0.002 * step &&
                        ticks.value[t] <= high + 0.002 * step);
            if (t > 0) assert_true(fabs(ticks.value[t] - ticks.value[t - 1] - step) < 1e-6 * step);
            if (t > 0) assert_string_not_equal(ticks.text[t], ticks.text[t - 1]);
        }
        assert_true(ticks.value[0] - step < low && ticks.value[ticks.count - 1] + step > high);
    }
}

static void log_ticks_are_nice(void **state)
{
    (void)state;
    random_source source = {8};
    for (int i = 0; i < 2000; i++) {
        double low = pow(10, random_between(&source, -9, 9));
        double high = low * pow(10, random_between(&source, 1, 12));
        qkv__scale scale = {QKV_AXIS_LOG, low, high, 0, 500};
        qkv__ticks ticks;
        qkv__ticks_find(&scale, 50, &ticks);
        assert_in_range(ticks.count, 1, 31);
        for (size_t t = 0; t < ticks.count; t++)
            assert_true(ticks.value[t] >= low * (1 - 1e-8) && ticks.value[t] <= high * (1 + 1e-8));
        if (ticks.count > 1 && high / low > 100)
            for (size_t t = 0; t < ticks.count; t++) assert_true(is_one_two_five(ticks.value[t]));
    }
}

static void maps_meet_their_ends(void **state)
{
    (void)state;
    random_source source = {9};
    for (int i = 0; i < 500; i++) {
        double low = pow(10, random_between(&source, -5, 5)),
               ratio = random_between(&source, 1.1, 1e6);
        qkv__scale scale = {i % 2 == 0 ? QKV_AXIS_LOG : QKV_AXIS_LINEAR, low, low * ratio,
                            random_between(&source, 0, 100), random_between(&source, 200, 900)};
        double middle = i % 2 == 0 ? low * sqrt(ratio) : low * (1 + ratio) / 2;
        assert_true(fabs(qkv__scale_map(&scale, low) - scale.begin) < 1e-7);
        assert_true(fabs(qkv__scale_map(&scale, low * ratio) - scale.end) < 1e-7);
        assert_true(fabs(qkv__scale_map(&scale, middle) - (scale.begin + scale.end) / 2) < 1e-7);
    }
    qkv__scale scale = {QKV_AXIS_LOG, 1, 10, 0, 1};
    assert_true(isnan(qkv__scale_map(&scale, 0)) && isnan(qkv__scale_map(&scale, -1)));
    assert_true(isnan(qkv__scale_map(&scale, NAN)) && isnan(qkv__scale_map(&scale, INFINITY)));
}

/* ---- Cutting
 * -------------------------------------------------------------------------------------- */

static const qkv__frame box = {0, 0, 10, 6};

static bool in_box(double x, double y)
{
    return x >= box.left - 1e-9 && x <= box.right + 1e-9 && y >= box.top - 1e-9 &&
           y <= box.bottom + 1e-9;
}

/* What is left of a segment has the length of its points that lie in the box. */
static void segments_keep_what_is_inside(void **state)
{
    (void)state;
    random_source source = {10};
    enum { STEPS = 2000 };
    for (int i = 0; i < 500; i++) {
        qkv__point from = {random_between(&source, -10, 20), random_between(&source, -8, 14)};
        qkv__point to = {random_between(&source, -10, 20), random_between(&source, -8, 14)},
                   a = from, b = to;
        double length = hypot(to.x - from.x, to.y - from.y);
        int inside = 0;
        for (int s = 0; s < STEPS; s++) {
            double t = (s + 0.5) / STEPS;
            inside += in_box(from.x + t * (to.x - from.x), from.y + t * (to.y - from.y));
        }
        bool left = qkv__clip_segment(&box, &a, &b);
        double kept = left ? hypot(b.x - a.x, b.y - a.y) : 0;
        assert_true(fabs(kept - length * inside / STEPS) <= 2 * length / STEPS);
        assert_true(!left || (in_box(a.x, a.y) && in_box(b.x, b.y)));
    }
}

static double area(const qkv__point *points, size_t count)
{
    double twice = 0;
    for (size_t i = 0; i < count; i++) {
        qkv__point a = points[i], b = points[(i + 1) % count];
        twice += a.x * b.y - a.y * b.x;
    }
    return fabs(twice) / 2;
}

static bool in_triangle(const qkv__point t[3], double x, double y)
{
    int positive = 0;
    for (int i = 0; i < 3; i++) {
        qkv__point a = t[i], b = t[(i + 1) % 3];
        positive += (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x) > 0;
    }
    return positive == 0 || positive == 3;
}

static void polygons_keep_their_area_inside(void **state)
{
    (void)state;
    random_source source = {11};
    enum { GRID = 200 };
    for (int i = 0; i < 60; i++) {
        qkv__point t[3], points[18], spare[18];
        int inside = 0;
        for (int k = 0; k < 3; k++)
            points[k] = t[k] =
                (qkv__point){random_between(&source, -6, 16), random_between(&source, -4, 10)};
        for (int g = 0; g < GRID * GRID; g++)
            inside += in_triangle(t, 10 * (g % GRID + 0.5) / GRID, 6 * (g / GRID + 0.5) / GRID);
        size_t count = qkv__clip_polygon(&box, points, spare, 3);
        assert_true(fabs(area(points, count) - 60.0 * inside / (GRID * GRID)) < 0.5);
        for (size_t k = 0; k < count; k++) assert_true(in_box(points[k].x, points[k].y));
    }
}

/* ---- Drawings read back -------------------------------------------------------------------------
 */

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
static size_t read_path(const char *d, qkv__point *points, size_t most, size_t *moves)
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
        qkv__point points[COUNT + 1];
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
    qkv__point points[20];
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
    qkv__point points[20];
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

/* ---- Colours
 * ---------------------------------------------------------------------------------------- */

/* Relative luminance (WCAG 2). */
static double luminance(const char *colour)
{
    const double parts[3] = {0.2126, 0.7152, 0.0722};
    unsigned long rgb = strtoul(colour + 1, NULL, 16);
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double c = (double)(rgb >> (16 - 8 * i) & 255) / 255;
        sum += parts[i] * (c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(const char *colour, const char *other)
{
    double a = luminance(colour) + 0.05, b = luminance(other) + 0.05;
    return a > b ? a / b : b / a;
}

static void colours_stand_out(void **state)
{
    (void)state;
    for (int theme = 0; theme < 2; theme++) {
        const qkv__palette *p = qkv__figure_palette((qkv_theme)theme);
        assert_true(contrast(p->text, p->background) >= 7);
        assert_true(contrast(p->quiet, p->background) >= 4.5);
        for (int i = 0; i < QKV__SERIES; i++) {
            if (contrast(p->series[i], p->background) < 3)
                fail_msg("theme %d: %s is too faint", theme, p->series[i]);
            for (int j = 0; j < i; j++)
                assert_string_not_equal(qkv__figure_dash(QKV_DASH_BY_INK, (qkv_ink)(i + 1)),
                                        qkv__figure_dash(QKV_DASH_BY_INK, (qkv_ink)(j + 1)));
        }
        double before = 0;
        for (int level = 0; level < QKV__HEAT_LEVELS; level++) {
            char colour[8];
            bool light;
            qkv__figure_heat_colour((qkv_theme)theme, level, colour, &light);
            double now = luminance(colour);
            if (level > 0) assert_true(theme == QKV_THEME_LIGHT ? now < before : now > before);
            assert_true(contrast(colour, light ? "#ffffff" : "#101418") >= 3);
            before = now;
        }
    }
}

/* ---- Whole figures
 * ------------------------------------------------------------------------------------ */

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

/* ---- Text ----------------------------------------------------------------------------------- */

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
        cmocka_unit_test(numbers_are_nearest_and_short),
        cmocka_unit_test(labels_are_for_people),
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(lines_are_broken_at_blanks),
        cmocka_unit_test(steps_are_the_least_nice_ones),
        cmocka_unit_test(ticks_are_even_and_inside),
        cmocka_unit_test(log_ticks_are_nice),
        cmocka_unit_test(maps_meet_their_ends),
        cmocka_unit_test(segments_keep_what_is_inside),
        cmocka_unit_test(polygons_keep_their_area_inside),
        cmocka_unit_test(lines_lie_where_the_data_are),
        cmocka_unit_test(what_is_no_number_is_a_gap),
        cmocka_unit_test(bars_and_bands_have_their_areas),
        cmocka_unit_test(stacks_lie_on_each_other),
        cmocka_unit_test(heat_maps_can_be_read),
        cmocka_unit_test(colours_stand_out),
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
