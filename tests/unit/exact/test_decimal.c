/*
 * Decimals: what is read is what the grammar of numbers says, and not a byte behind it is looked
 * at; what is written is read as the same number.
 */
#include "support/check.h"

#include <stdlib.h>

#include "exact/decimal.h"
#include "support/random.h"

/* Reads a copy of exactly these bytes, so that a sanitizer sees the first one behind them. */
static size_t scan(const char *text, qkv__decimal *decimal, bool *fits)
{
    const size_t length = strlen(text);
    char *exact = malloc(length == 0 ? 1 : length);
    assert_non_null(exact);
    memcpy(exact, text, length);
    const size_t read = qkv__decimal_scan(exact, length, decimal, fits);
    free(exact);
    return read;
}

static void check_number(const char *text, size_t bytes, int64_t digits, int32_t exponent)
{
    qkv__decimal decimal;
    bool fits = false;
    if (scan(text, &decimal, &fits) != bytes || !fits || decimal.digits != digits ||
        decimal.exponent != exponent)
        fail_msg("\"%s\": %lld e %d", text, (long long)decimal.digits, (int)decimal.exponent);
}

static void test_grammar(void **state)
{
    (void)state;
    check_number("0", 1, 0, 0);
    check_number("007", 3, 7, 0);
    check_number("12", 2, 12, 0);
    check_number("1.25", 4, 125, -2);
    check_number(".5", 2, 5, -1);
    check_number("0.000", 5, 0, 0);
    check_number("1.000", 5, 1, 0);
    check_number("1200", 4, 12, 2);
    check_number("0.0012", 6, 12, -4);
    check_number("1e3", 3, 1, 3);
    check_number("1E3", 3, 1, 3);
    check_number("1e+3", 4, 1, 3);
    check_number("1.5e-3", 6, 15, -4);
    check_number("0e5", 3, 0, 0);
    check_number("10203", 5, 10203, 0);
}

/* A point or an e that no digit follows is not the number's. */
static void test_what_stands_behind(void **state)
{
    (void)state;
    check_number("1.", 1, 1, 0);
    check_number("1..2", 1, 1, 0);
    check_number("1.x", 1, 1, 0);
    check_number("1e", 1, 1, 0);
    check_number("1e+", 1, 1, 0);
    check_number("1e-", 1, 1, 0);
    check_number("1e-x", 1, 1, 0);
    check_number("1ex", 1, 1, 0);
    check_number("1.5.5", 3, 15, -1);
    check_number("1 2", 1, 1, 0);
    check_number("2,3", 1, 2, 0);
}

static void test_no_number(void **state)
{
    (void)state;
    static const char *const texts[] = {"", ".", "..", "-1", "+1", "e5", ".e5", "x", " 1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        qkv__decimal decimal;
        bool fits;
        assert_int_equal(scan(texts[i], &decimal, &fits), 0);
    }
}

static void check_too_much(const char *text)
{
    qkv__decimal decimal;
    bool fits = true;
    assert_int_equal(scan(text, &decimal, &fits), strlen(text));
    assert_false(fits);
}

/* 18 digits fit, zeros at either end not counted, and exponents up to 400. */
static void test_limits(void **state)
{
    (void)state;
    check_number("123456789012345678", 18, INT64_C(123456789012345678), 0);
    check_number("123456789012345678000", 21, INT64_C(123456789012345678), 3);
    check_number("0.000123456789012345678", 23, INT64_C(123456789012345678), -21);
    check_number("1e400", 5, 1, 400);
    check_number("1e-400", 6, 1, -400);
    check_number("10e399", 6, 1, 400);
    check_number("0e99999999999999999999", 22, 0, 0);
    check_too_much("1234567890123456789");
    check_too_much("1000000000000000001");
    check_too_much("1.0000000000000000000000001");
    check_too_much("1e401");
    check_too_much("1e-401");
    check_too_much("10e400");
    check_too_much("1e99999999999999999999");
    check_too_much("1e-99999999999999999999");
}

static void test_there_and_back(void **state)
{
    (void)state;
    random_source source = {.state = 9};
    for (int i = 0; i < 4000; i++) {
        int64_t unit = 1;
        for (size_t n = random_below(&source, 17); n > 0; n--) unit *= 10;
        qkv__decimal number = {(int64_t)random_below(&source, (size_t)(9 * unit)) * 10 + 1,
                               (int32_t)random_below(&source, 801) - 400},
                     read;
        if (i % 2 == 0) number.digits = -number.digits;
        if (i % 3 == 0) number.exponent /= 20;
        bool fits = false, negative = number.digits < 0;
        qkv__text text = {0};
        qkv__decimal_write(number, &text);
        assert_int_equal(text.data[0] == '-', negative);
        assert_int_equal(scan(text.data + negative, &read, &fits), text.length - negative);
        assert_true(fits);
        assert_int_equal(negative ? -read.digits : read.digits, number.digits);
        assert_int_equal(read.exponent, number.exponent);
        qkv__text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grammar),        cmocka_unit_test(test_what_stands_behind),
        cmocka_unit_test(test_no_number),      cmocka_unit_test(test_limits),
        cmocka_unit_test(test_there_and_back),
    };
    return cmocka_run_group_tests_name("decimal", tests, NULL, NULL);
}
