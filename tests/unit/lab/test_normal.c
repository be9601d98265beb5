/* The kernels' normal numbers: the same bits from each kernel; moments, distribution function,
 * independence within a pair and tails against the normal law. And their exponential against the C
 * library's. Tolerances of statistics are five standard errors; seeds are fixed. */
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

#include "lab/sample.h"
#include "support/random.h"

enum { COUNT = 1 << 18, PAIRS = 4, NUMBERS = 2 * PAIRS * COUNT };

static const qkv__lab_kernel *find(size_t k)
{
    const qkv__lab_kernel *kernel = NULL;
    qkv_error error;
    check_ok(qkv__lab_kernel_find(qkv_lab_kernel_name(k), &kernel, &error), &error);
    return kernel;
}

static double *draw(const qkv__lab_kernel *kernel)
{
    double *rows = malloc(NUMBERS * sizeof *rows);
    assert_non_null(rows);
    kernel->normals(17, 0, 0, 0, COUNT, PAIRS, COUNT, rows);
    return rows;
}

static void test_bits(void **state)
{
    double *first = draw(find(0));
    (void)state;
    for (size_t k = 1; k < qkv_lab_kernel_count(); k++) {
        double *other = draw(find(k));
        assert_memory_equal(first, other, NUMBERS * sizeof *first);
        free(other);
    }
    free(first);
}

/* E z^p = 0, 1, 0, 3, 0, 15; the variance of z^p is E z^2p - (E z^p)^2. */
static void test_moments(void **state)
{
    static const double even[] = {1, 1, 3, 15, 105, 945, 10395};
    double *z = draw(find(0)), sums[7] = {0}, product = 0.0;
    (void)state;
    for (size_t i = 0; i < NUMBERS; i++) {
        double power = 1.0;
        for (int p = 1; p <= 6; p++) sums[p] += power *= z[i];
    }
    for (size_t i = 0; i < NUMBERS; i += 2 * COUNT)
        for (size_t x = 0; x < COUNT; x++) product += z[i + x] * z[i + COUNT + x];
    for (int p = 1; p <= 6; p++) {
        double right = p % 2 ? 0.0 : even[p / 2];
        double deviation = sqrt((even[p] - right * right) / NUMBERS);
        assert_true(fabs(sums[p] / NUMBERS - right) < 5.0 * deviation);
    }
    assert_true(fabs(product / (NUMBERS / 2)) < 5.0 / sqrt(NUMBERS / 2));
    free(z);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov and Smirnov: sqrt(n) times the largest distance exceeds 2.5 with probability 7e-6. */
static void test_distribution(void **state)
{
    double *z = draw(find(0)), largest = 0.0;
    (void)state;
    qsort(z, NUMBERS, sizeof *z, compare);
    for (size_t i = 0; i < NUMBERS; i++) {
        double right = 0.5 * erfc(-z[i] * 0.70710678118654752440);
        largest = fmax(largest, fmax(fabs(right - (double)i / NUMBERS),
                                     fabs(right - (double)(i + 1) / NUMBERS)));
    }
    assert_true(sqrt(NUMBERS) * largest < 2.5);
    /* Of 2 million numbers 132.8 are expected beyond 4, within five times its root. */
    double beyond = 0.0;
    for (size_t i = 0; i < NUMBERS; i++) beyond += fabs(z[i]) > 4.0;
    double expected = NUMBERS * erfc(4.0 * 0.70710678118654752440);
    assert_true(fabs(beyond - expected) < 5.0 * sqrt(expected));
    free(z);
}

static void test_exponential(void **state)
{
    enum { TRIES = 20000 };
    static double x[TRIES], y[TRIES];
    random_source source = {.state = 33};
    (void)state;
    for (int i = 0; i < TRIES; i++)
        x[i] = -random_uniform(&source) * (i % 3 == 0 ? 1.0 : i % 3 == 1 ? 40.0 : 700.0);
    x[0] = 0.0;
    x[1] = -1e6;
    x[2] = -700.0;
    for (size_t k = 0; k < qkv_lab_kernel_count(); k++) {
        find(k)->exponentials(TRIES, x, y);
        assert_true(y[0] == 1.0);
        assert_true(y[1] == y[2] && y[1] > 0.0 && y[1] < 1e-303);
        for (int i = 2; i < TRIES; i++) {
            long double right = expl((long double)x[i]);
            /* 4e-14; half a unit of x in its last place; and the rounding of ln 2, 4e-17. */
            long double allowed = (4e-14L - 1.6e-16L * x[i]) * right;
            assert_true(fabsl((long double)y[i] - right) <= allowed);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_distribution),
        cmocka_unit_test(test_exponential),
    };
    return cmocka_run_group_tests_name("normal", tests, NULL, NULL);
}
