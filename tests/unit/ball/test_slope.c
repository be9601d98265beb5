/* Numbers that move, against difference quotients and against derivatives that are known. */
#include "support/check.h"

#include <math.h>

#include "ball/elementary.h"
#include "ball/slope.h"

typedef void function(qkv__real *z, const qkv__real *x);

static void inverse(qkv__real *z, const qkv__real *x)
{
    qkv__real one;
    qkv__real_init(&one);
    qkv__real_set_whole(&one, 1);
    qkv__real_divide(z, &one, x);
    qkv__real_clear(&one);
}

static void cube(qkv__real *z, const qkv__real *x)
{
    qkv__real three;
    qkv__real_init(&three);
    qkv__real_set_whole(&three, 3);
    qkv__real_power(z, x, &three);
    qkv__real_clear(&three);
}

/* f, f', f'' and f''' at x, by three directions at once. */
static void derivatives(function *f, qkv__rational at, double *value)
{
    qkv__real x, y, z;
    qkv__real_init(&x);
    qkv__real_init(&y);
    qkv__real_init(&z);
    qkv__real_set_rational(&x, at);
    for (int i = 0; i < QKV__DIRECTIONS; i++) qkv__slopes_start(&x, i);
    f(&y, &x);
    for (int i = 0;; i++) {
        value[i] = qkv__real_middle(&y);
        if (i == QKV__DIRECTIONS) break;
        qkv__slopes_take(&z, &y, i);
        qkv__real_set(&y, &z);
    }
    qkv__real_clear(&x);
    qkv__real_clear(&y);
    qkv__real_clear(&z);
}

static void test_functions(void **state)
{
    (void)state;
    function *const functions[] = {inverse,
                                   cube,
                                   qkv__real_exponential,
                                   qkv__real_logarithm,
                                   qkv__real_root,
                                   qkv__real_negate,
                                   qkv__real_magnitude,
                                   qkv__elementary_find("sin"),
                                   qkv__elementary_find("cos"),
                                   qkv__elementary_find("tanh"),
                                   qkv__elementary_find("erf"),
                                   qkv__elementary_find("sinh"),
                                   qkv__elementary_find("cosh")};
    const double step = 1.0 / 1024;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        double here[4], above[4], below[4];
        derivatives(functions[i], qkv__rational_make(1536, 2048), here);
        derivatives(functions[i], qkv__rational_make(1538, 2048), above);
        derivatives(functions[i], qkv__rational_make(1534, 2048), below);
        for (int order = 0; order < 3; order++) {
            double quotient = (above[order] - below[order]) / (2 * step);
            assert_true(fabs(quotient - here[order + 1]) < 1e-3);
        }
    }
}

/* x^2 y at (3, 2), by x and then by y: 2 x = 6, exactly. */
static void test_mixed(void **state)
{
    (void)state;
    qkv__real x, y, z, by_x, mixed;
    qkv__real *const all[] = {&x, &y, &z, &by_x, &mixed};
    for (int i = 0; i < 5; i++) qkv__real_init(all[i]);
    qkv__real_set_whole(&x, 3);
    qkv__real_set_whole(&y, 2);
    qkv__slopes_start(&x, 0);
    qkv__slopes_start(&y, 1);
    qkv__real_multiply(&z, &x, &x);
    qkv__real_multiply(&z, &z, &y);
    qkv__slopes_take(&by_x, &z, 0);
    qkv__slopes_take(&mixed, &by_x, 1);
    assert_true(z.exact.numerator == 18 && by_x.exact.numerator == 12);
    assert_true(mixed.exact.numerator == 6 && mixed.exact.denominator == 1);
    for (int i = 0; i < 5; i++) qkv__real_clear(all[i]);
}

/* At a kink there is a value and no slope. */
static void test_kinks(void **state)
{
    (void)state;
    static function *const functions[] = {qkv__real_magnitude, qkv__real_root};
    for (size_t i = 0; i < 2; i++) {
        qkv__real x, y, slope;
        qkv__real_init(&x);
        qkv__real_init(&y);
        qkv__real_init(&slope);
        qkv__slopes_start(&x, 0);
        functions[i](&y, &x);
        qkv__slopes_take(&slope, &y, 0);
        assert_true(qkv__real_is_zero(&y));
        assert_false(qkv__real_is_defined(&slope));
        qkv__real_larger(&y, &x, &y);
        qkv__slopes_take(&slope, &y, 0);
        assert_false(qkv__real_is_defined(&slope));
        qkv__real_clear(&x);
        qkv__real_clear(&y);
        qkv__real_clear(&slope);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_kinks),
    };
    return cmocka_run_group_tests_name("tests", tests, NULL, NULL);
}
