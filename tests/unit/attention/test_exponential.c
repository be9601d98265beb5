/* e^x for x <= 0 against the C library in a wider precision: error in units of the last place,
 * over the whole range and at its edges; and whether every machine and compiler gives its bits. */
#include "support/check.h"

#include <math.h>

#include "attention/exponential.h"
#include "support/random.h"

enum { TRIES = 300000 };

/* Rounding to nearest costs 1/2 and the series may add a quarter; a result below the normal range,
 * where a unit is `smallest`, is rounded a second time. */
static long double allowed(long double right, int fraction_bits, long double smallest)
{
    long double unit = ldexpl(1.0L, ilogbl(right) - fraction_bits);
    return unit < smallest ? smallest : 0.75L * unit;
}

static void test_single(void **state)
{
    random_source source = {.state = 31};
    (void)state;
    for (int i = 0; i < TRIES; i++) {
        float x = (float)(-random_uniform(&source) * (i % 2 ? 104.0 : 1.0));
        long double right = expl((long double)x);
        assert_true(fabsl((long double)qkv__exp_f32(x) - right) <= allowed(right, 23, 0x1p-149L));
    }
    assert_true(qkv__exp_f32(0.0f) == 1.0f);
    assert_true(qkv__exp_f32(-INFINITY) == 0.0f);
    assert_true(qkv__exp_f32(-1e30f) == 0.0f);
    assert_true(qkv__exp_f32(-103.9f) == 0x1p-149f); /* the smallest number */
    assert_true(qkv__exp_f32(-104.0f) == 0.0f);
    assert_true(isnan(qkv__exp_f32(NAN)));
}

static void test_double(void **state)
{
    random_source source = {.state = 32};
    (void)state;
    for (int i = 0; i < TRIES; i++) {
        double x = -random_uniform(&source) * (i % 2 ? 745.0 : 1.0);
        long double right = expl((long double)x);
        assert_true(fabsl((long double)qkv__exp_f64(x) - right) <= allowed(right, 52, 0x1p-1074L));
    }
    assert_true(qkv__exp_f64(0.0) == 1.0);
    assert_true(qkv__exp_f64(-(double)INFINITY) == 0.0);
    assert_true(qkv__exp_f64(-1e300) == 0.0);
    assert_true(qkv__exp_f64(-745.1) == 0x1p-1074);
    assert_true(isnan(qkv__exp_f64((double)NAN)));
}

/* Two sums over the bits of many results, the same wherever this runs. A product that a compiler
 * fuses with a sum, which it may unless told not to, changes them. After a change of the series:
 * the new sums, once they agree on two kinds of machine. */
static void test_bits(void **state)
{
    random_source source = {.state = 33};
    uint64_t singles = 0, doubles = 0;
    (void)state;
    for (int i = 0; i < TRIES; i++) {
        double x = -random_uniform(&source) * (i % 2 ? 745.0 : 1.0);
        singles = singles * 31 + qkv__float_bits(qkv__exp_f32((float)x));
        doubles = doubles * 31 + qkv__double_bits(qkv__exp_f64(x));
    }
    assert_int_equal(singles, UINT64_C(0x7450e924963a2839));
    assert_int_equal(doubles, UINT64_C(0x3e882baad4cbd625));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single),
        cmocka_unit_test(test_double),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests_name("exponential", tests, NULL, NULL);
}
