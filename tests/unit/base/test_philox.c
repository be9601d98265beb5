/* Philox4x32-10 against the known answers that its authors publish with Random123, and the kernels'
 * vector forms against the plain one by way of the normal numbers they make. */
#include "support/check.h"

#include <math.h>

#include "base/philox.h"
#include "lab/sample.h"

static void check_answer(qkv__philox_words counter, uint64_t key, qkv__philox_words right)
{
    qkv__philox_words words = qkv__philox(counter, key);
    for (int i = 0; i < 4; i++) assert_int_equal(words.word[i], right.word[i]);
}

static void test_known_answers(void **state)
{
    (void)state;
    check_answer((qkv__philox_words){{0, 0, 0, 0}}, 0,
                 (qkv__philox_words){{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
    check_answer((qkv__philox_words){{~0u, ~0u, ~0u, ~0u}}, UINT64_MAX,
                 (qkv__philox_words){{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
    check_answer((qkv__philox_words){{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
                 UINT64_C(0x299f31d0a4093822),
                 (qkv__philox_words){{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

/* Box and Muller's pair as the comment of normal_template.h has it, in long double. */
static void plain_pair(qkv__philox_words w, long double pair[2])
{
    long double u = ((long double)w.word[0] * 0x1p32L + w.word[1] + 0.5L) * 0x1p-64L;
    long double radius = sqrtl(-2.0L * logl(u));
    uint64_t angle = (uint64_t)w.word[2] << 20 | w.word[3] >> 12;
    long double t = ((long double)angle * 0x1p-52L - 0.5L) * 1.57079632679489661923132L;
    long double cosine = cosl(t) * (w.word[3] & 1 ? -1.0L : 1.0L), sine = sinl(t);
    bool exchange = w.word[3] >> 1 & 1;
    pair[0] = radius * (exchange ? sine : cosine);
    pair[1] = radius * (exchange ? cosine : sine);
}

/* Samples around 2^32, where the counter's second word changes, and far beyond. */
static void test_kernels(void **state)
{
    enum { COUNT = 64, PAIRS = 9, STRIDE = 72, START = 5, STREAM = 3 };
    static const uint64_t firsts[] = {0, 1000003, (UINT64_C(1) << 32) - 30, UINT64_C(1) << 55};
    const uint64_t seed = UINT64_C(0x0123456789abcdef);
    static double rows[2 * PAIRS * STRIDE];
    (void)state;
    for (size_t k = 0; k < qkv_lab_kernel_count(); k++)
        for (size_t f = 0; f < 4; f++) {
            const qkv__lab_kernel *kernel;
            qkv_error error;
            check_ok(qkv__lab_kernel_find(qkv_lab_kernel_name(k), &kernel, &error), &error);
            kernel->normals(seed, STREAM, START, firsts[f], COUNT, PAIRS, STRIDE, rows);
            for (size_t p = 0; p < PAIRS; p++)
                for (size_t x = 0; x < COUNT; x++) {
                    uint64_t sample = firsts[f] + x;
                    qkv__philox_words counter = {
                        {(uint32_t)sample, (uint32_t)(sample >> 32), START + (uint32_t)p, STREAM}};
                    long double right[2];
                    plain_pair(qkv__philox(counter, seed), right);
                    for (size_t i = 0; i < 2; i++) {
                        long double got = rows[(2 * p + i) * STRIDE + x];
                        assert_true(fabsl(got - right[i]) <= 1.2e-13L * fabsl(right[i]));
                    }
                }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests_name("philox", tests, NULL, NULL);
}
