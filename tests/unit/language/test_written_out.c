/*
 * What is written out before anyone evaluates it: growth without bound as an order, and ranges that
 * stand for numbers as their members. Expected trees are written by hand, as texts.
 */
#include "support/check.h"

#include "language/document.h"
#include "language/syntax.h"
#include "language/write.h"

static const qkv__statement *last_claim(const qkv__statement *first)
{
    const qkv__statement *last = NULL;
    for (const qkv__statement *s = first; s != NULL; s = s->next)
        if (s->kind == QKV__STATEMENT_CLAIM)
            last = s;
        else if (s->kind == QKV__STATEMENT_BLOCK)
            last = last_claim(s->inside);
    return last;
}

/* The last claim of a text, as those who evaluate it see it. */
static void check_written(const char *text, const char *expected)
{
    qkv__document document;
    qkv_error error;
    qkv__text written = {0};
    check_ok(qkv__document_read("test.qkv", text, strlen(text), &document, &error), &error);
    assert_int_equal(document.complaint_count, 0);
    const qkv__statement *last = last_claim(document.first);
    assert_non_null(last);
    qkv__node_write(last->node[0], &written);
    assert_string_equal(written.data, expected);
    qkv__text_free(&written);
    qkv__document_free(&document);
}

static void test_arrows(void **state)
{
    (void)state;
    check_written("claim: t/(1 + t) -> 1 as t -> inf\n", "t/(1 + t) ~ 1");
    check_written("claim: x -> 1 and y -> 2 as t -> inf\n", "x ~ 1 and y ~ 2");
    check_written("claim: x \\to y as t \\to \\infty\n", "x ~ y");
}

static void test_growth(void **state)
{
    (void)state;
    check_written("claim: t -> inf as t -> inf\n", "t > M");
    check_written("claim: -t ~ -inf as t -> inf\n", "-t < M");
    check_written("claim: t -> oo as t -> inf\n", "t > M");
    check_written("claim: \\lim_{t \\to \\infty} t = \\infty\n", "t > M");
    check_written("claim: t -> inf and -t -> -inf as t -> inf\n", "t > M and -t < M");
    check_written("claim: x > 0 implies x*t -> inf as t -> inf\n", "x > 0 implies x*t > M");
    check_written("as t -> inf:\n  claim: t -> inf\n", "t > M");
    check_written("as t -> inf:\n  for x > 0:\n    claim: x*t -> inf\n", "x*t > M");
}

/* "For every M" would be "for some M" there, and without a limit there is nothing to write. */
static void test_where_growth_stays(void **state)
{
    (void)state;
    check_written("claim: not (t ~ inf) as t -> inf\n", "not t ~ inf");
    check_written("claim: t ~ inf implies t > 0 as t -> inf\n", "t ~ inf implies t > 0");
    check_written("claim: t ~ inf or t > 0 as t -> inf\n", "t ~ inf or t > 0");
    check_written("claim: t ~ inf\n", "t ~ inf");
    check_written("as t -> inf:\n  claim: t > 0\nclaim: t ~ inf\n", "t ~ inf");
}

/* The letter is one that the document has nowhere, be it as a member or behind the claim. */
static void test_letters(void **state)
{
    (void)state;
    check_written("matrix M[2,2]\nclaim: t -> inf as t -> inf\n", "t > B");
    check_written("claim: t*x_M -> inf as t -> inf\n", "t*x_M > B");
    check_written("claim: t -> inf as t -> inf, given M > B\n", "t > L");
    check_written("claim: Mt*M2 -> inf as t -> inf\n", "Mt*M2 > M");
}

static void test_ranges_that_end_at_an_index(void **state)
{
    (void)state;
    check_written("claim: for all i in 1..2: sum(1 for j in 1..i) = i\n", "1 = 1 and 1 + 1 = 2");
    check_written("claim: sum(j for j in 1..i) = s for i in 2..3\n", "1 + 2 = s and 1 + 2 + 3 = s");
    check_written("claim: for all i in 1..2: i*t >= t\n", "for all i in 1..2: i*t >= t");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrows),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_where_growth_stays),
        cmocka_unit_test(test_letters),
        cmocka_unit_test(test_ranges_that_end_at_an_index),
    };
    return cmocka_run_group_tests_name("tests", tests, NULL, NULL);
}
