/*
 * What has no value makes everything without one that is made of it; and what has a value is less
 * than one more than itself. Each frame is tried with 1/t in the place of %, at t = 0 and at t = 2.
 */
#include "unit/replay/rows.h"

#define LISTS "keys k = [[1, 0], [0, 1]]\nvalues v = [[1], [2]]\n"

static const char *const numbers[] = {
    "-%",
    "%%",
    "% + 1",
    "1 + %",
    "% - 1",
    "1 - %",
    "% * 2",
    "2 * %",
    "% / 2",
    "2 / %",
    "%^2",
    "2^%",
    "e^%",
    "|%|",
    "abs(%)",
    "exp(%)",
    "ln(%)",
    "sqrt(%)",
    "√%",
    "tanh(%)",
    "erf(%)",
    "max(%, 1)",
    "max(1, %)",
    "min(%, 1)",
    "min(1, %)",
    "mean(%, 1)",
    "mean(1, %)",
    "norm([%, 1])",
    "|[1, %]|",
    "cos([%, 1], [1, 1])",
    "cos([1, 1], [1, %])",
    "dist([%, 1], [1, 1])",
    "dist([1, 1], [1, %])",
    "[%, 1].[1, 1]",
    "[1, 1].[1, %]",
    "|% * [1, 2]|",
    "|[1, 2] * %|",
    "|[1, 2] / %|",
    "|[1, %] + [1, 2]|",
    "|[1, 2] - [%, 1]|",
    "|-[1, %]|",
    "sum(% * |k[i]| for i in 1..2)",
    "sum(|k[i]| for i in 1..2) * %",
    "max(% * |k[i]| for i in 1..2)",
    "min(|k[i]| + % for i in 1..2)",
    "mean(|k[i]| * % for i in 1..2)",
    "|sum(% * k[i] for i in 1..2)|",
    "attend(% * k[1], k, v).weight[1]",
    "attend(k[1], k, v, scale = %).weight[2]",
    "attend(k[1] + [%, 0], k, v).score[1]",
    "|attend(% * k[1], k, v)|",
    "attend(k[1], [[%, 0], [0, 1]], v).weight[1]",
    "|attend(k[1], k, [[1], [%]])|",
};

/* The frame with 1/t in its holes. */
static void fill(char *text, size_t capacity, const char *frame)
{
    size_t length = 0;
    for (; *frame != '\0' && length + 8 < capacity; frame++)
        length += (size_t)snprintf(text + length, capacity - length, "%.*s", *frame == '%' ? 5 : 1,
                                   *frame == '%' ? "(1/t)" : frame);
}

static void check_frame(const char *frame, const char *claim)
{
    char made[256], document[1024];
    fill(made, sizeof made, frame);
    snprintf(document, sizeof document, claim, made, made);
    check_row(&(row){document, "t 0", NONE});
    check_row(&(row){document, "t 2", HOLDS});
}

static void test_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        check_frame(numbers[i], LISTS "claim: %s < %s + 1");
        check_frame(numbers[i], LISTS "claim: %s != 1 + %s");
        check_frame(numbers[i], LISTS "x = %s\nclaim: x < %s + 1");
        check_frame(numbers[i], LISTS "f(t) = %s\nclaim: f(t) < %s + 1");
        check_frame(numbers[i], LISTS "claim: %s in -1000 .. 1000 and 1 < 2 + 0*(%s)");
    }
}

/* ---- What cannot be computed ---------------------------------------------------------------- */

/* Things that are no numbers, or do not fit together, in places where a number must stand. */
static void test_misfits(void **state)
{
    (void)state;
    static const char *const claims[] = {
        "cos(1, 2) = t",
        "dist([1, 2], [1]) = t",
        "[1, 2].[1, 2, 3] = t",
        "|[1, 2] + [1, 2, 3]| = t",
        "ln([1, 2]) = t",
        "sqrt([1, 2]) = t",
        "max([1, 2], 1) = t",
        "2^[1, 2] = t",
        "[1, 2] < t",
        "[1, 2] + t = 1",
        "attend([1, 2, 3], k, v).weight[1] = t",
        "attend(k[1], k, v).weight[3] = t",
        "k[3].k[1] = t",
        "sum(k[i].k[1] for i in 1..3) = t",
        "sum(|k[i]| for i in 0..2) = t",
        "sum(|k[i]| for i in 1..1/2) = t",
    };
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        char document[512];
        snprintf(document, sizeof document, LISTS "claim: %s", claims[i]);
        check_row(&(row){document, "t 1", NONE});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_misfits),
    };
    return cmocka_run_group_tests_name("undefined", tests, NULL, NULL);
}
