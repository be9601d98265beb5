/* Pictures as text: inside the width of the terminal, and the same with colours as without. */
#include <stdlib.h>

#include "support/check.h"

#include <qkv/plot.h>

/* Characters of the longest line, without what sets colours. */
static size_t longest_line(const char *text)
{
    size_t longest = 0, length = 0;
    for (; *text != '\0'; text++) {
        if (*text == '\x1b') text = strchr(text, 'm') + 1;
        if (*text == '\n') {
            longest = length > longest ? length : longest;
            length = 0;
        } else {
            length += ((unsigned char)*text & 0xc0) != 0x80;
        }
    }
    return longest;
}

/* The same text, of at most so many columns, with and without colours. */
static void text_stays_inside_its_width(void **state)
{
    (void)state;
    size_t count;
    const qkv_plot *plots = qkv_plots(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t columns = 60; columns <= 120; columns += 7) {
            qkv_plot_options options = qkv_plot_default();
            qkv_figure *figure = NULL;
            qkv_picture plain, coloured;
            qkv_error error;
            if (plots[i].of_laws == NULL) continue;
            options.width = 9 * (double)columns;
            options.samples = 2000;
            check_ok(plots[i].of_laws(&options, &figure, &error), &error);
            check_ok(qkv_figure_render(figure, QKV_PICTURE_TEXT, 0, &plain, &error), &error);
            check_ok(qkv_figure_render(figure, QKV_PICTURE_COLOURED_TEXT, 0, &coloured, &error),
                     &error);
            if (longest_line(plain.data) > columns)
                fail_msg("%s is wider than %zu:\n%s", plots[i].name, columns, plain.data);
            assert_null(strchr(plain.data, '\x1b'));
            assert_non_null(strstr(coloured.data, "\x1b[38;5;"));
            const char *c = coloured.data;
            for (const char *p = plain.data; *p != '\0'; p++, c++) {
                while (*c == '\x1b') c = strchr(c, 'm') + 1;
                assert_int_equal(*p, *c);
            }
            qkv_picture_free(&plain);
            qkv_picture_free(&coloured);
            qkv_figure_free(&figure);
        }
}

static size_t count_lines(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++) count += *text == '\n';
    return count;
}

/* For one number of keys, whatever it is, in 80 columns: little more than the 24 lines of a screen.
 */
static void text_fits_on_a_screen(void **state)
{
    (void)state;
    static const size_t keys[] = {3, 10, 30, 100};
    enum { LINES = 30 };
    size_t count;
    const qkv_plot *plots = qkv_plots(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < sizeof keys / sizeof keys[0]; j++) {
            qkv_plot_options options = qkv_plot_default();
            qkv_figure *figure = NULL;
            qkv_picture picture;
            qkv_error error;
            if (plots[i].of_laws == NULL) continue;
            options.samples = 2000;
            options.keys = &keys[j];
            options.key_count = 1;
            check_ok(plots[i].of_laws(&options, &figure, &error), &error);
            check_ok(qkv_figure_render(figure, QKV_PICTURE_TEXT, 0, &picture, &error), &error);
            if (count_lines(picture.data) > LINES)
                fail_msg("%s has %zu lines:\n%s", plots[i].name, count_lines(picture.data),
                         picture.data);
            qkv_picture_free(&picture);
            qkv_figure_free(&figure);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_fits_on_a_screen),
        cmocka_unit_test(text_stays_inside_its_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
