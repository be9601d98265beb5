/* Logarithms and powers of e that are known for what they are: identities hold exactly, and nothing
 * else does. */
#include "support/check.h"

#include <math.h>

#include "support/cases.h"
#include "support/random.h"

#include "ball/real.h"

enum { NUMBERS = 12 };

static qkv__real number[NUMBERS];

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < NUMBERS; i++) qkv__real_init(&number[i]);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < NUMBERS; i++) qkv__real_clear(&number[i]);
    return 0;
}

static void set(int i, int64_t above, int64_t below)
{
    qkv__real_set_rational(&number[i], qkv__rational_make(above, below));
}

/* Whether x is y, exactly. */
static bool same(int x, int y)
{
    qkv__real difference;
    qkv__real_init(&difference);
    qkv__real_subtract(&difference, &number[x], &number[y]);
    const bool zero = qkv__real_is_zero(&difference);
    qkv__real_clear(&difference);
    return zero;
}

static void test_logarithms(void **state)
{
    (void)state;
    for (int64_t a = 1; a <= 12; a++)
        for (int64_t b = 1; b <= 12; b++) {
            set(0, a, b);
            set(1, b, 7);
            set(2, a, 7); /* a/b * b/7 */
            for (int i = 0; i < 3; i++) qkv__real_logarithm(&number[i], &number[i]);
            qkv__real_add(&number[3], &number[0], &number[1]);
            assert_true(same(3, 2));
            qkv__real_negate(&number[4], &number[1]);
            qkv__real_subtract(&number[4], &number[2], &number[1]);
            assert_true(same(4, 0));
            /* ln(x)*r/s + ln(x)*(1 - r/s) = ln(x) */
            set(5, a, 13);
            set(6, 13 - a, 13);
            qkv__real_multiply(&number[5], &number[5], &number[2]);
            qkv__real_multiply(&number[6], &number[2], &number[6]);
            qkv__real_add(&number[5], &number[5], &number[6]);
            assert_true(same(5, 2));
            qkv__real_exponential(&number[6], &number[5]);
            set(7, a, 7);
            assert_true(same(6, 7));
        }
}

static void test_powers_of_e(void **state)
{
    (void)state;
    for (int64_t a = -6; a <= 6; a++)
        for (int64_t b = -6; b <= 6; b++) {
            set(0, a, 2);
            set(1, b, 3);
            qkv__real_add(&number[2], &number[0], &number[1]);
            for (int i = 0; i < 3; i++) qkv__real_exponential(&number[3 + i], &number[i]);
            qkv__real_multiply(&number[6], &number[3], &number[4]);
            assert_true(same(6, 5)); /* e^x e^y = e^(x + y) */
            qkv__real_divide(&number[7], &number[6], &number[4]);
            assert_true(same(7, 3));
            qkv__real_add(&number[8], &number[3], &number[3]); /* ln(2 e^x) = x + ln(2) */
            qkv__real_logarithm(&number[8], &number[8]);
            set(9, 2, 1);
            qkv__real_logarithm(&number[9], &number[9]);
            qkv__real_add(&number[9], &number[9], &number[0]);
            assert_true(same(8, 9));
            if (a != 0) assert_false(same(3, 4) && a * 3 != b * 2);
        }
}

/* A product that is too large for a rational is no multiple of e, though a factor was one. */
static void test_large_numbers(void **state)
{
    (void)state;
    const int64_t large = INT64_C(1) << 40;
    for (int i = 0; i < 2; i++) {
        set(i, 1, 1);
        qkv__real_exponential(&number[i], &number[i]);
    }
    set(2, large + 1, 1);
    qkv__real_multiply(&number[3], &number[1], &number[2]); /* e*(large + 1) */
    set(0, large + 3, 1);
    set(1, 1, large + 3);
    qkv__real_multiply(&number[4], &number[0], &number[2]);
    qkv__real_multiply(&number[5], &number[2], &number[0]);
    qkv__real_divide(&number[6], &number[0], &number[1]);
    for (int i = 4; i <= 6; i++) {
        assert_true(qkv__rational_is_lost(number[i].exact));
        assert_true(qkv__rational_is_lost(number[i].closed.power));
        assert_false(same(3, i));
    }
}

/* Sums and products at random, beside the same in long double: what is known to be a rational is
 * that one, and the ball holds the number. */
static void test_at_random(void **state)
{
    (void)state;
    random_source random = {7};
    size_t exact = 0;
    for (size_t n = 0; n < cases_of(20000); n++) {
        long double value[NUMBERS];
        for (int i = 0; i < 4; i++) {
            const int64_t above = 1 + (int64_t)random_below(&random, 9);
            const int64_t below = 1 + (int64_t)random_below(&random, 9);
            set(i, above, below);
            value[i] = (long double)above / (long double)below;
        }
        for (int i = 4; i < NUMBERS; i++) {
            const int x = (int)random_below(&random, (size_t)i);
            const int y = (int)random_below(&random, (size_t)i);
            switch (random_below(&random, 6)) {
            case 0:
                qkv__real_add(&number[i], &number[x], &number[y]);
                value[i] = value[x] + value[y];
                break;
            case 1:
                qkv__real_subtract(&number[i], &number[x], &number[y]);
                value[i] = value[x] - value[y];
                break;
            case 2:
                qkv__real_multiply(&number[i], &number[x], &number[y]);
                value[i] = value[x] * value[y];
                break;
            case 3:
                qkv__real_divide(&number[i], &number[x], &number[y]);
                value[i] = value[x] / value[y];
                break;
            case 4:
                qkv__real_logarithm(&number[i], &number[x]);
                value[i] = logl(value[x]);
                break;
            default: qkv__real_exponential(&number[i], &number[x]); value[i] = expl(value[x]);
            }
            if (!qkv__real_is_defined(&number[i]) || !(fabsl(value[i]) < 1e15L)) break;
            const double middle = qkv__real_middle(&number[i]);
            assert_true(fabsl((long double)middle - value[i]) <= 1e-6L * (1 + fabsl(value[i])));
            exact += !qkv__rational_is_lost(number[i].exact);
            if (qkv__real_is_zero(&number[i])) assert_true(fabsl(value[i]) < 1e-9L);
        }
    }
    assert_true(exact > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_logarithms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_powers_of_e, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_large_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_at_random, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
