/*
 * The arithmetic of AMX's products, on which the kernel in pairs stands: the emulated tiles against
 * the manual's formula, one number at a time, and the CPU's tiles, where there are any, against the
 * emulated ones, bit for bit.
 */
#include "support/check.h"

#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/number.h"
#include "kernels/tiles.h"
#include "support/random.h"

enum { SIDE = 16, PAIRS = 16, ROUNDS = 300 };

typedef struct factors {
    uint16_t left[SIDE][PAIRS][2], right[PAIRS][SIDE][2];
    float sums[SIDE][SIDE];
} factors;

/* Any sign and fraction, exponents in a range: all of them, or those near 1. */
static uint16_t random_bf16(random_source *source, bool any)
{
    const size_t exponent = any ? random_below(source, 256) : 120 + random_below(source, 12);
    return (uint16_t)(random_below(source, 2) << 15 | exponent << 7 | random_below(source, 128));
}

static void draw(factors *f, random_source *source, bool any)
{
    for (int i = 0; i < SIDE * PAIRS * 2; i++) {
        (&f->left[0][0][0])[i] = random_bf16(source, any);
        (&f->right[0][0][0])[i] = random_bf16(source, any);
    }
    for (int i = 0; i < SIDE * SIDE; i++)
        (&f->sums[0][0])[i] = qkv__bf16_to_float(random_bf16(source, any)) * 1.001f;
}

static float flush(float value)
{
    return fpclassify(value) == FP_SUBNORMAL ? copysignf(0.0f, value) : value;
}

/* sum + a b in single precision; where no operand or result is subnormal, as fmaf has it. */
static float add_product(uint16_t a, uint16_t b, float sum)
{
    return flush(fmaf(flush(qkv__bf16_to_float(a)), flush(qkv__bf16_to_float(b)), flush(sum)));
}

static float by_manual(const factors *f, int row, int column)
{
    float even = 0, odd = 0;
    for (int k = 0; k < PAIRS; k++) {
        even = add_product(f->left[row][k][0], f->right[k][column][0], even);
        odd = add_product(f->left[row][k][1], f->right[k][column][1], odd);
    }
    return flush(flush(f->sums[row][column]) + flush(even + odd));
}

static bool same(float a, float b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void test_emulated(void **state)
{
    random_source source = {.state = 61};
    (void)state;
    if (!qkv__cpu_has(QKV__CPU_AVX512)) return;
    for (int n = 0; n < ROUNDS; n++) {
        factors f, after;
        draw(&f, &source, n % 2 == 0);
        after = f;
        tiles_multiply_emulated(&f.left[0][0][0], &f.right[0][0][0], &after.sums[0][0]);
        for (int i = 0; i < SIDE * SIDE; i++)
            assert_true(same(after.sums[i / SIDE][i % SIDE], by_manual(&f, i / SIDE, i % SIDE)));
    }
}

static void test_cpu(void **state)
{
    random_source source = {.state = 62};
    (void)state;
    if (!qkv__cpu_has(QKV__CPU_AMX_BF16)) return;
    for (int n = 0; n < ROUNDS; n++) {
        factors f, g;
        draw(&f, &source, n % 2 == 0);
        g = f;
        tiles_multiply_amx(&f.left[0][0][0], &f.right[0][0][0], &f.sums[0][0]);
        tiles_multiply_emulated(&g.left[0][0][0], &g.right[0][0][0], &g.sums[0][0]);
        for (int i = 0; i < SIDE * SIDE; i++)
            assert_true(same(f.sums[i / SIDE][i % SIDE], g.sums[i / SIDE][i % SIDE]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_emulated), cmocka_unit_test(test_cpu)};
    return cmocka_run_group_tests_name("tiles", tests, NULL, NULL);
}
