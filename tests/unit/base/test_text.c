/*
 * Growing strings: what is appended is what comes out, a failed allocation is remembered, and
 * JSON strings escape what RFC 8259 demands and mend what RFC 3629 does not call UTF-8.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"

#define MENDED "\xef\xbf\xbd" /* U+FFFD */

static void assert_json(const char *string, const char *expected)
{
    qkv__text text = {0};
    qkv__text_json_string(&text, string);
    assert_false(text.failed);
    assert_string_equal(text.data, expected);
    assert_int_equal(text.length, strlen(expected));
    qkv__text_free(&text);
}

/* ---- Building ----------------------------------------------------------------------------- */

static void pieces_are_joined(void **state)
{
    (void)state;
    qkv__text text = {0};
    qkv__text_append(&text, "", 0);
    assert_string_equal(text.data, "");
    qkv__text_append(&text, "abc", 2); /* bytes, not strings */
    qkv__text_format(&text, "%d-%s", 42, "x");
    qkv__text_format(&text, "%s", "");
    assert_string_equal(text.data, "ab42-x");
    assert_int_equal(text.length, 6);
    qkv__text_free(&text);
    assert_null(text.data);
    assert_int_equal(text.length, 0);
}

/* Every length from 0 to 1000 is passed, so every edge of a capacity is. */
static void growth_keeps_what_was_there(void **state)
{
    (void)state;
    qkv__text text = {0};
    for (size_t i = 0; i < 1000; i++) {
        char symbol = (char)('a' + i % 26);
        if (i % 2 == 0)
            qkv__text_append(&text, &symbol, 1);
        else
            qkv__text_format(&text, "%c", symbol);
        assert_int_equal(text.length, i + 1);
        assert_int_equal(text.data[i + 1], '\0');
        assert_true(text.length < text.capacity);
    }
    for (size_t i = 0; i < 1000; i++) assert_int_equal(text.data[i], 'a' + i % 26);
    qkv__text_free(&text);
}

static void a_long_piece_fits_at_once(void **state)
{
    (void)state;
    qkv__text text = {0};
    qkv__text_format(&text, "%070000d", 7);
    assert_false(text.failed);
    assert_int_equal(text.length, 70000);
    assert_int_equal(text.data[0], '0');
    assert_int_equal(text.data[69999], '7');
    qkv__text_free(&text);
}

/* After one failure nothing is appended: a text with a hole would look whole. */
static void failure_is_remembered(void **state)
{
    (void)state;
    long live = qkv__memory_live();
    qkv__text text = {0};
    qkv__text_append(&text, "kept", 4);
    qkv__memory_fail_after(0);
    qkv__text_format(&text, "%0100d", 1);
    qkv__memory_fail_after(-1);
    assert_true(text.failed);
    qkv__text_append(&text, "more", 4);
    qkv__text_format(&text, "more");
    qkv__text_json_string(&text, "more");
    assert_true(text.failed);
    assert_string_equal(text.data, "kept");
    qkv__text_free(&text);
    assert_int_equal(qkv__memory_live(), live);
}

static void failure_of_the_first_piece_is_remembered(void **state)
{
    (void)state;
    qkv__text text = {0};
    qkv__memory_fail_after(0);
    qkv__text_append(&text, "a", 1);
    qkv__memory_fail_after(-1);
    assert_true(text.failed);
    assert_string_equal(text.data, ""); /* so that it can be shown */
    qkv__text_free(&text);
    assert_false(text.failed); /* freed, it can be used again */
}

static void a_length_that_overflows_fails(void **state)
{
    (void)state;
    qkv__text text = {0};
    qkv__text_append(&text, "a", SIZE_MAX);
    assert_true(text.failed);
    qkv__text_free(&text);
}

/* ---- JSON strings ------------------------------------------------------------------------- */

static void plain_text_is_quoted(void **state)
{
    (void)state;
    assert_json("", "\"\"");
    assert_json("layer.0/query weight", "\"layer.0/query weight\"");
    assert_json("%s%n", "\"%s%n\"");
}

/* RFC 8259, section 7: quotation mark, backslash and all below U+0020 must be escaped. */
static void json_escapes_what_it_must(void **state)
{
    (void)state;
    assert_json("a\"b\\c", "\"a\\\"b\\\\c\"");
    for (int code = 1; code < 0x20; code++) {
        char string[2] = {(char)code, '\0'}, expected[16];
        snprintf(expected, sizeof expected, "\"\\u%04x\"", (unsigned)code);
        assert_json(string, expected);
    }
    assert_json("\x7f", "\"\\u007f\"");                    /* a terminal would act on it */
    assert_json("\xc2\x80\xc2\x9f", "\"\\u0080\\u009f\""); /* and on these */
}

/* The first and the last character of each length, and those beside the surrogates. */
static void well_formed_utf8_passes_unchanged(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "\xc2\xa0",     "\xdf\xbf",     "\xe0\xa0\x80",     "\xed\x9f\xbf",
        "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
        "\xce\xb2 = 1", "\xe2\x88\x9e", "\xf0\x9f\x99\x82",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "\"%s\"", cases[i]);
        assert_json(cases[i], expected);
        assert_true(qkv__text_is_utf8(cases[i]));
    }
}

/* Each byte that begins no character is mended by itself, and reading goes on behind it. */
static void other_bytes_are_mended(void **state)
{
    (void)state;
    static const struct {
        const char *string, *expected;
    } cases[] = {
        {"\x80", "\"" MENDED "\""},                                  /* a tail without a head */
        {"\xc3", "\"" MENDED "\""},                                  /* a head without a tail */
        {"\xc3(", "\"" MENDED "(\""},                                /* the next byte survives */
        {"\xe2\x82", "\"" MENDED MENDED "\""},                       /* cut short */
        {"\xf0\x9f\x99", "\"" MENDED MENDED MENDED "\""},            /* cut short */
        {"\xc0\xaf", "\"" MENDED MENDED "\""},                       /* a long form of '/' */
        {"\xe0\x80\xaf", "\"" MENDED MENDED MENDED "\""},            /* a longer one */
        {"\xed\xa0\x80", "\"" MENDED MENDED MENDED "\""},            /* a surrogate */
        {"\xf4\x90\x80\x80", "\"" MENDED MENDED MENDED MENDED "\""}, /* above U+10FFFF */
        {"\xf5x\xff", "\"" MENDED "x" MENDED "\""},                  /* never in UTF-8 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_json(cases[i].string, cases[i].expected);
        assert_false(qkv__text_is_utf8(cases[i].string));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_joined),
        cmocka_unit_test(growth_keeps_what_was_there),
        cmocka_unit_test(a_long_piece_fits_at_once),
        cmocka_unit_test(failure_is_remembered),
        cmocka_unit_test(failure_of_the_first_piece_is_remembered),
        cmocka_unit_test(a_length_that_overflows_fails),
        cmocka_unit_test(plain_text_is_quoted),
        cmocka_unit_test(json_escapes_what_it_must),
        cmocka_unit_test(well_formed_utf8_passes_unchanged),
        cmocka_unit_test(other_bytes_are_mended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
