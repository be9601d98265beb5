/* The parts that figures are drawn from, by their properties: numbers and text, axes and ticks,
 * cutting against areas and points found another way, colours. Random cases are seeded. */
#include <math.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/random.h"

#include "figure/part.h"

static double random_between(random_source *source, double low, double high)
{
    return low + (high - low) * random_uniform(source);
}

/* ---- Numbers and text -------------------------------------------------------------------- */

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

static void check_notation(const char *text, const char *signs, const char *scripts)
{
    qkv_picture words;
    qkv_error error;
    check_ok(qkv_notation(text, false, &words, &error), &error);
    assert_string_equal(words.data, signs);
    assert_int_equal(words.length, strlen(signs));
    qkv_picture_free(&words);
    check_ok(qkv_notation(text, true, &words, &error), &error);
    assert_string_equal(words.data, scripts);
    qkv_picture_free(&words);
}

static void language_becomes_notation(void **state)
{
    (void)state;
    check_notation("", "", "");
    check_notation("beta >= 1/2", "β ≥ ½", "β ≥ ½");
    check_notation("c -> 1/2*v[a] - 1/4*v[b]", "c → ½*v[a] - ¼*v[b]",
                   "c → ½\u2009v_{a} − ¼\u2009v_{b}");
    check_notation("e^beta/(n - 2 + 2*e^-beta)", "e^β/(n - 2 + 2*e^-β)",
                   "e^{β}/(n − 2 + 2\u2009e^{−β})");
    check_notation("e^(beta*delta) x^0.5", "e^(β*δ) x^0.5", "e^{β\u2009δ} x^{0.5}");
    check_notation("mu_a and sigma", "mu_a and σ", "μ_{a} and σ");
    check_notation("k[i].q and c.weight[a]", "k[i].q and c.weight[a]", "k_{i}·q and c.weight_{a}");
    /* Words that only begin or end like letters, fractions of longer numbers, cut brackets. */
    check_notation("betas pint infinite 11/2 1/25 1/2^n 2.1/2 v[a",
                   "betas pint infinite 11/2 1/25 1/2^n 2.1/2 v[a",
                   "betas pint infinite 11/2 1/25 1/2^{n} 2.1/2 v[a");
    check_notation("norm-immune, 1484e-7, 100e3, at 1/3.", "norm-immune, 1484e-7, 100e3, at ⅓.",
                   "norm-immune, 1.484×10^{−4}, 10^{5}, at ⅓.");
    check_notation("file(\"beta_1.npy\") <= 3*4", "file(\"beta_1.npy\") ≤ 3*4",
                   "file(\"beta_1.npy\") ≤ 3·4");
    check_notation("|x[a[1]]|^(f(2)) é", "|x[a[1]]|^(f(2)) é", "|x[a_{1}]|^(f(2)) é");
    assert_int_equal(qkv_notation(NULL, true, NULL, NULL), QKV_ERROR_ARGUMENT);
}

/* ---- Axes -------------------------------------------------------------------------------- */

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

/* ---- Cutting ----------------------------------------------------------------------------- */

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
        qkv__figure_point from = {random_between(&source, -10, 20),
                                  random_between(&source, -8, 14)};
        qkv__figure_point to = {random_between(&source, -10, 20), random_between(&source, -8, 14)},
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

static double area(const qkv__figure_point *points, size_t count)
{
    double twice = 0;
    for (size_t i = 0; i < count; i++) {
        qkv__figure_point a = points[i], b = points[(i + 1) % count];
        twice += a.x * b.y - a.y * b.x;
    }
    return fabs(twice) / 2;
}

static bool in_triangle(const qkv__figure_point t[3], double x, double y)
{
    int positive = 0;
    for (int i = 0; i < 3; i++) {
        qkv__figure_point a = t[i], b = t[(i + 1) % 3];
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
        qkv__figure_point t[3], points[18], spare[18];
        int inside = 0;
        for (int k = 0; k < 3; k++)
            points[k] = t[k] = (qkv__figure_point){random_between(&source, -6, 16),
                                                   random_between(&source, -4, 10)};
        for (int g = 0; g < GRID * GRID; g++)
            inside += in_triangle(t, 10 * (g % GRID + 0.5) / GRID, 6 * (g / GRID + 0.5) / GRID);
        size_t count = qkv__clip_polygon(&box, points, spare, 3);
        assert_true(fabs(area(points, count) - 60.0 * inside / (GRID * GRID)) < 0.5);
        for (size_t k = 0; k < count; k++) assert_true(in_box(points[k].x, points[k].y));
    }
}

/* ---- Colours ----------------------------------------------------------------------------- */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_nearest_and_short),
        cmocka_unit_test(labels_are_for_people),
        cmocka_unit_test(language_becomes_notation),
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(lines_are_broken_at_blanks),
        cmocka_unit_test(steps_are_the_least_nice_ones),
        cmocka_unit_test(ticks_are_even_and_inside),
        cmocka_unit_test(log_ticks_are_nice),
        cmocka_unit_test(maps_meet_their_ends),
        cmocka_unit_test(segments_keep_what_is_inside),
        cmocka_unit_test(polygons_keep_their_area_inside),
        cmocka_unit_test(colours_stand_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
