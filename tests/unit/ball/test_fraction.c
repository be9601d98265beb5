/* Numbers of 64 bits into FLINT's and back, at the edges of words of any width. */
#include "support/check.h"

#include "ball/fraction.h"

static const int64_t edges[] = {
    0,
    1,
    -1,
    INT32_MAX,
    INT32_MIN,
    INT64_C(2147483648),
    INT64_C(-2147483649),
    UINT32_MAX,
    INT64_C(4294967296),
    INT64_C(-4294967295),
    INT64_C(-4294967297),
    INT64_MAX,
    -INT64_MAX,
    INT64_C(9007199254740993),
};
enum { EDGES = sizeof edges / sizeof edges[0] };

/* Through decimals, which know nothing of words. */
static void check_decimals(const fmpz_t number, int64_t value)
{
    char wanted[32], *got = fmpz_get_str(NULL, 10, number);
    snprintf(wanted, sizeof wanted, "%lld", (long long)value);
    assert_string_equal(got, wanted);
    flint_free(got);
}

static void test_whole_numbers(void **state)
{
    (void)state;
    fmpz_t number;
    fmpz_init(number);
    for (size_t i = 0; i < EDGES; i++) {
        int64_t back = 7;
        qkv__fmpz_set_int64(number, edges[i]);
        check_decimals(number, edges[i]);
        assert_true(qkv__fmpz_get_int64(number, &back));
        assert_true(back == edges[i]);
    }
    int64_t kept = 7;
    fmpz_set_str(number, "9223372036854775808", 10);
    assert_false(qkv__fmpz_get_int64(number, &kept));
    fmpz_set_str(number, "-18446744073709551617", 10);
    assert_false(qkv__fmpz_get_int64(number, &kept));
    assert_int_equal(kept, 7);
    fmpz_clear(number);
}

static void test_rationals(void **state)
{
    (void)state;
    fmpq_t number;
    fmpq_init(number);
    qkv__rational there = qkv__rational_make(INT64_C(-9007199254740993), INT64_C(4294967297));
    qkv__fmpq_set_rational(number, there);
    qkv__rational back = qkv__rational_of_fmpq(number);
    assert_int_equal(qkv__rational_compare(there, back), 0);
    fmpz_mul_2exp(fmpq_numref(number), fmpq_numref(number), 64);
    assert_true(qkv__rational_is_lost(qkv__rational_of_fmpq(number)));
    fmpq_clear(number);
}

/* (x * y) / y is x, and so is e^(ln x). */
static void test_balls(void **state)
{
    (void)state;
    arb_t x, z;
    arb_init(x);
    arb_init(z);
    for (size_t i = 0; i < EDGES; i++) {
        if (edges[i] == 0) continue;
        qkv__arb_set_int64(x, 3);
        qkv__arb_mul_int64(z, x, edges[i], 256);
        qkv__arb_div_int64(z, z, edges[i], 256);
        assert_true(arb_contains_si(z, 3));
        assert_true(arb_rel_accuracy_bits(z) > 200);
        if (edges[i] < 0) continue;
        qkv__arb_log_int64(z, edges[i], 256);
        arb_exp(z, z, 256);
        qkv__arb_set_int64(x, edges[i]);
        assert_true(arb_contains(z, x));
    }
    arb_clear(x);
    arb_clear(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_numbers),
        cmocka_unit_test(test_rationals),
        cmocka_unit_test(test_balls),
    };
    return cmocka_run_group_tests_name("tests", tests, NULL, NULL);
}
