/*
 * Tensors written as nested brackets: what is read, and for what is not, the message and the
 * character it points at.
 */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <qkv/file.h>

#include "base/view.h"

static qkv_tensor *read_text(const char *text)
{
    qkv_tensor *tensor = NULL;
    qkv_error error = {.message = ""};
    if (qkv_tensor_from_text(text, &tensor, &error) != QKV_OK) fail_msg("%s", error.message);
    return tensor;
}

/* The shape as a tuple and the elements in C order. */
static void assert_tensor(const char *text, const char *shape, const double *elements)
{
    qkv_tensor *tensor = read_text(text);
    const qkv_view *view = qkv_tensor_view(tensor);
    assert_int_equal(view->type, QKV_F64);
    assert_string_equal(qkv__shape_format(view->rank, view->shape).text, shape);
    assert_int_equal(qkv__view_check(view, "tensor", NULL), QKV_OK);
    assert_memory_equal(view->data, elements, qkv_view_count(view) * sizeof(double));
    qkv_tensor_free(&tensor);
}

static void assert_refused(const char *text, int character, const char *what)
{
    qkv_tensor *tensor = (qkv_tensor *)&tensor, *before = tensor;
    qkv_error error = {.message = ""};
    char expected[256];
    assert_int_equal(qkv_tensor_from_text(text, &tensor, &error), QKV_ERROR_FORMAT);
    assert_int_equal(error.status, QKV_ERROR_FORMAT);
    assert_ptr_equal(tensor, before);
    snprintf(expected, sizeof expected, "\"%.40s%s\": character %d: %s", text,
             strlen(text) > 40 ? "..." : "", character, what);
    assert_string_equal(error.message, expected);
}

/* ---- What is read ------------------------------------------------------------------------- */

static void nesting_becomes_shape(void **state)
{
    (void)state;
    const double count[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_tensor("[1]", "(1,)", count);
    assert_tensor("[1, 2, 3]", "(3,)", count);
    assert_tensor("[[1, 2, 3]]", "(1, 3)", count);
    assert_tensor("[[1], [2], [3]]", "(3, 1)", count);
    assert_tensor("[[1, 2, 3], [4, 5, 6]]", "(2, 3)", count);
    assert_tensor("[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]", "(2, 2, 2)", count);
    assert_tensor("[[[[1, 2]], [[3, 4]], [[5, 6]]]]", "(1, 3, 1, 2)", count);
}

static void space_is_free(void **state)
{
    (void)state;
    const double count[4] = {1, 2, 3, 4};
    assert_tensor("[[1,2],[3,4]]", "(2, 2)", count);
    assert_tensor(" \t[ [ 1 ,\n 2 ] ,\r\n [3\n,4] ] \n", "(2, 2)", count);
}

/* Empty lists have a shape as well, and agree with each other like all lists of a level. */
static void empty_lists_are_read(void **state)
{
    (void)state;
    assert_tensor("[]", "(0,)", NULL);
    assert_tensor("[ ]", "(0,)", NULL);
    assert_tensor("[[], [], []]", "(3, 0)", NULL);
    assert_tensor("[[[]], [[]]]", "(2, 1, 0)", NULL);
    assert_tensor("[[[[]]]]", "(1, 1, 1, 0)", NULL);
}

static void all_forms_of_numbers_are_read(void **state)
{
    (void)state;
    assert_tensor("[-1.5, +2, .5, 3., 1e3, 1E-3, 0x1p-2]", "(7,)",
                  (double[]){-1.5, 2, .5, 3., 1e3, 1E-3, 0.25});
    assert_tensor("[0.1, 1.7976931348623157e308, 4.9e-324, 1e-400]", "(4,)",
                  (double[]){0.1, DBL_MAX, 0x1p-1074, 0});
    assert_tensor("[inf, -inf, INF, Infinity]", "(4,)",
                  (double[]){HUGE_VAL, -HUGE_VAL, HUGE_VAL, HUGE_VAL});
    qkv_tensor *tensor = read_text("[nan, NaN, -0]");
    const double *elements = qkv_tensor_view(tensor)->data;
    assert_true(isnan(elements[0]) && isnan(elements[1]));
    assert_true(elements[2] == 0 && signbit(elements[2]));
    qkv_tensor_free(&tensor);
}

static void assert_booleans(const char *text, const char *shape, const unsigned char *elements)
{
    qkv_tensor *tensor = read_text(text);
    const qkv_view *view = qkv_tensor_view(tensor);
    assert_int_equal(view->type, QKV_BOOL);
    assert_string_equal(qkv__shape_format(view->rank, view->shape).text, shape);
    assert_int_equal(qkv__view_check(view, "tensor", NULL), QKV_OK);
    assert_memory_equal(view->data, elements, qkv_view_count(view));
    qkv_tensor_free(&tensor);
}

static void true_and_false_are_booleans(void **state)
{
    (void)state;
    assert_booleans("[true]", "(1,)", (unsigned char[]){1});
    assert_booleans("[false]", "(1,)", (unsigned char[]){0});
    assert_booleans("[[true,false],[false,true]]", "(2, 2)", (unsigned char[]){1, 0, 0, 1});
    assert_booleans(" [ [ false , true ,\ttrue\n] ] ", "(1, 3)", (unsigned char[]){0, 1, 1});
    assert_booleans("[[[[true], [false]]]]", "(1, 1, 2, 1)", (unsigned char[]){1, 0});
}

/* 60,000 numbers: both passes must count alike. */
static void long_texts_are_read(void **state)
{
    (void)state;
    enum { ROWS = 20000 };
    static char text[ROWS * 24 + 2] = "[";
    size_t used = 1;
    for (int i = 0; i < ROWS; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s[%d,1,2]", i == 0 ? "" : ",", i);
    text[used] = ']';
    qkv_tensor *tensor = read_text(text);
    const qkv_view *view = qkv_tensor_view(tensor);
    assert_int_equal(view->shape[0], ROWS);
    assert_int_equal(view->shape[1], 3);
    for (int i = 0; i < ROWS; i++) assert_true(((double *)view->data)[3 * i] == i);
    qkv_tensor_free(&tensor);
}

/* Where a comma is the decimal point, "[1,5]" must still be two numbers. */
static void the_locale_does_not_matter(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8",
                                        "fr_FR"};
    const char *set = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && set == NULL; i++)
        set = setlocale(LC_NUMERIC, names[i]);
    if (set == NULL) return; /* none of them is installed */
    assert_true(strtod("1,5", NULL) == 1.5);
    assert_tensor("[1,5]", "(2,)", (double[]){1, 5});
    assert_tensor("[1.5]", "(1,)", (double[]){1.5});
    assert_true(strtod("1,5", NULL) == 1.5); /* and the program has its locale back */
    setlocale(LC_NUMERIC, "C");
}

/* ---- What is refused ---------------------------------------------------------------------- */

static void texts_that_are_no_list_are_refused(void **state)
{
    (void)state;
    assert_refused("", 1, "expected '['");
    assert_refused("   ", 4, "expected '['");
    assert_refused("5", 1, "expected '['");
    assert_refused("]", 1, "expected '['");
    assert_refused("(1, 2)", 1, "expected '['");
}

static void unfinished_lists_are_refused(void **state)
{
    (void)state;
    assert_refused("[", 2, "expected a number, true, false or '['");
    assert_refused("[1", 3, "expected ',' or ']'");
    assert_refused("[1,", 4, "expected a number, true, false or '['");
    assert_refused("[[1, 2], [3", 12, "expected ',' or ']'");
    assert_refused("[[1, 2]", 8, "expected ',' or ']'");
}

static void garbage_is_refused_where_it_stands(void **state)
{
    (void)state;
    assert_refused("[1, x]", 5, "expected a number, true, false or '['");
    assert_refused("[1 2]", 4, "expected ',' or ']'");
    assert_refused("[1;2]", 3, "expected ',' or ']'");
    assert_refused("[1,]", 4, "expected a number, true, false or '['");
    assert_refused("[,1]", 2, "expected a number, true, false or '['");
    assert_refused("[1,,2]", 4, "expected a number, true, false or '['");
    assert_refused("[1.2.3]", 5, "expected ',' or ']'");
    assert_refused("[infx]", 5, "expected ',' or ']'");
    assert_refused("[--1]", 2, "expected a number, true, false or '['");
    assert_refused("[1] 2", 5, "text after the last ']'");
    assert_refused("[1]]", 4, "text after the last ']'");
    assert_refused("[1][2]", 4, "text after the last ']'");
}

/* The words are exactly these, and nothing but an element. */
static void garbled_words_are_refused(void **state)
{
    (void)state;
    assert_refused("[True]", 2, "expected a number, true, false or '['");
    assert_refused("[tru]", 2, "expected a number, true, false or '['");
    assert_refused("[true, -false]", 8, "expected a number, true, false or '['");
    assert_refused("[truest]", 6, "expected ',' or ']'");
    assert_refused("[true false]", 7, "expected ',' or ']'");
    assert_refused("true", 1, "expected '['");
    assert_refused("[true, [false]]", 9, "elements at different depths");
    assert_refused("[[true, false], [true]]", 22, "lists of one level have different lengths");
}

static void booleans_among_numbers_are_refused(void **state)
{
    (void)state;
    assert_refused("[1, true]", 5, "true or false among numbers");
    assert_refused("[[0, 1], [0, false]]", 14, "true or false among numbers");
    assert_refused("[true, 1]", 8, "a number among true and false");
    assert_refused("[[true, false], [-inf, true]]", 18, "a number among true and false");
}

/* Infinity has to be asked for: a number that only becomes infinite is a slip. */
static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    assert_refused("[1, 1e999]", 5, "a number too large for f64");
    assert_refused("[-1e309]", 2, "a number too large for f64");
}

static void ragged_lists_are_refused(void **state)
{
    (void)state;
    assert_refused("[[1, 2], [3]]", 12, "lists of one level have different lengths");
    assert_refused("[[1], [2, 3]]", 12, "lists of one level have different lengths");
    assert_refused("[[[1], [2]], [[3]]]", 18, "lists of one level have different lengths");
    assert_refused("[[1], []]", 8, "lists of one level have different lengths");
    assert_refused("[[], [1]]", 8, "lists of one level have different lengths");
}

static void mixed_depths_are_refused(void **state)
{
    (void)state;
    assert_refused("[1, [2]]", 6, "elements at different depths");
    assert_refused("[[1], 2]", 7, "elements at different depths");
    assert_refused("[[], 2]", 6, "elements at different depths");
    assert_refused("[[[1]], [2]]", 10, "elements at different depths");
    assert_refused("[1, []]", 6, "an empty list among others");
    assert_refused("[[[]], []]", 9, "an empty list among others");
    assert_refused("[[], [[]]]", 8, "an empty list among others");
}

/* Five levels, and so many that recursion would end the program. */
static void deep_lists_are_refused(void **state)
{
    (void)state;
    enum { DEPTH = 1000000 };
    assert_refused("[[[[[1]]]]]", 5, "more than 4 axes");
    char *text = malloc(DEPTH + 1);
    assert_non_null(text);
    memset(text, '[', DEPTH);
    text[DEPTH] = '\0';
    assert_refused(text, 5, "more than 4 axes");
    free(text);
}

/* The message quotes the beginning, and counts characters from the very first. */
static void long_texts_are_quoted_in_part(void **state)
{
    (void)state;
    assert_refused("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, oops]", 49,
                   "expected a number, true, false or '['");
}

static void no_text_is_refused(void **state)
{
    (void)state;
    qkv_tensor *tensor = NULL;
    assert_int_equal(qkv_tensor_from_text(NULL, &tensor, NULL), QKV_ERROR_ARGUMENT);
    assert_int_equal(qkv_tensor_from_text("x", &tensor, NULL), QKV_ERROR_FORMAT);
    assert_null(tensor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nesting_becomes_shape),
        cmocka_unit_test(space_is_free),
        cmocka_unit_test(empty_lists_are_read),
        cmocka_unit_test(all_forms_of_numbers_are_read),
        cmocka_unit_test(true_and_false_are_booleans),
        cmocka_unit_test(long_texts_are_read),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(texts_that_are_no_list_are_refused),
        cmocka_unit_test(unfinished_lists_are_refused),
        cmocka_unit_test(garbage_is_refused_where_it_stands),
        cmocka_unit_test(garbled_words_are_refused),
        cmocka_unit_test(booleans_among_numbers_are_refused),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(ragged_lists_are_refused),
        cmocka_unit_test(mixed_depths_are_refused),
        cmocka_unit_test(deep_lists_are_refused),
        cmocka_unit_test(long_texts_are_quoted_in_part),
        cmocka_unit_test(no_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
