/*
 * The formats of 16 and 8 bits against their definitions. A pattern's value is written down a
 * second time here, with ldexp, and rounding is judged by that alone: the neighbours of a number
 * are found by bisection over all patterns, and the number is compared with the point halfway
 * between them, which a double holds exactly. Knows nothing of how the library rounds.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/number.h"

/* A format: stored fraction bits, exponent bias, and the function under test. */
typedef struct format {
    int fraction;
    int bias;
    uint16_t (*from_double)(double);
    float (*to_float)(uint16_t);
} format;

static float f16_to_float(uint16_t bits)
{
    return qkv__f16_to_float(bits);
}

static float bf16_to_float(uint16_t bits)
{
    return qkv__bf16_to_float(bits);
}

static const format F16 = {10, 15, qkv__double_to_f16, f16_to_float};
static const format BF16 = {7, 127, qkv__double_to_bf16, bf16_to_float};

/* The pattern of infinity without its sign: all exponent bits set. Above it lie the NaNs. */
static unsigned infinity_of(const format *f)
{
    return ((1u << (15 - f->fraction)) - 1u) << f->fraction;
}

/*
 * The value of a magnitude, by IEEE 754's definition: (-1)^s 2^(e - bias) 1.f, and
 * (-1)^s 2^(1 - bias) 0.f where e = 0. For infinity's pattern it is the number that would come
 * next if the exponents went on, which is what rounding compares with.
 */
static double value_of(const format *f, unsigned magnitude)
{
    unsigned exponent = magnitude >> f->fraction, fraction = magnitude & ((1u << f->fraction) - 1u);
    if (exponent == 0) return ldexp(fraction, 1 - f->bias - f->fraction);
    return ldexp((1u << f->fraction) + fraction, (int)exponent - f->bias - f->fraction);
}

/* Nearest, ties to even, from the definition. value is finite and not negative. */
static unsigned round_by_definition(const format *f, double value)
{
    unsigned low = 0, high = infinity_of(f);
    if (value >= value_of(f, high)) return high;
    while (high - low > 1) { /* value_of(low) <= value < value_of(high) */
        unsigned middle = (low + high) / 2;
        if (value_of(f, middle) <= value)
            low = middle;
        else
            high = middle;
    }
    double halfway = (value_of(f, low) + value_of(f, high)) / 2;
    if (value == halfway) return low % 2 == 0 ? low : high;
    return value < halfway ? low : high;
}

static void check_rounding(const format *f, double magnitude)
{
    unsigned expected = round_by_definition(f, magnitude);
    unsigned positive = f->from_double(magnitude), negative = f->from_double(-magnitude);
    if (positive != expected || negative != (expected | 0x8000u))
        fail_msg("%a rounds to 0x%04x and -0x%04x; expected 0x%04x", magnitude, positive, negative,
                 expected);
}

/* splitmix64: a different number for every seed, the same on every machine. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* ---- Exact conversions -------------------------------------------------------------------- */

static void check_values(const format *f)
{
    for (unsigned bits = 0; bits < 65536; bits++) {
        unsigned magnitude = bits & 0x7fffu;
        float value = f->to_float((uint16_t)bits);
        assert_int_equal(signbit(value) != 0, bits >> 15);
        if (magnitude > infinity_of(f))
            assert_true(isnan(value));
        else if (magnitude == infinity_of(f))
            assert_true(isinf(value));
        else
            assert_true(fabs((double)value) == value_of(f, magnitude));
    }
}

static void f16_values_match_the_definition(void **state)
{
    (void)state;
    check_values(&F16);
}

static void bf16_values_match_the_definition(void **state)
{
    (void)state;
    check_values(&BF16);
}

static void check_return(const format *f)
{
    for (unsigned bits = 0; bits < 65536; bits++) {
        unsigned back = f->from_double((double)f->to_float((uint16_t)bits));
        if ((bits & 0x7fffu) <= infinity_of(f)) {
            assert_int_equal(back, bits);
            continue;
        }
        /* A NaN may lose its payload, but neither its sign nor its nature. */
        assert_true((back & 0x7fffu) > infinity_of(f));
        assert_int_equal(back & 0x8000u, bits & 0x8000u);
    }
}

static void f16_patterns_come_back(void **state)
{
    (void)state;
    check_return(&F16);
}

static void bf16_patterns_come_back(void **state)
{
    (void)state;
    check_return(&BF16);
}

/* ---- Rounding ----------------------------------------------------------------------------- */

/* Every number, every point halfway to the next, and the doubles on both sides of them. */
static void check_halfway(const format *f)
{
    for (unsigned magnitude = 0; magnitude < infinity_of(f); magnitude++) {
        double value = value_of(f, magnitude), next = value_of(f, magnitude + 1);
        double halfway = (value + next) / 2;
        check_rounding(f, value);
        check_rounding(f, nextafter(value, next));
        check_rounding(f, nextafter(halfway, value));
        check_rounding(f, halfway);
        check_rounding(f, nextafter(halfway, next));
        check_rounding(f, nextafter(next, value));
    }
}

static void f16_ties_go_to_even(void **state)
{
    (void)state;
    check_halfway(&F16);
}

static void bf16_ties_go_to_even(void **state)
{
    (void)state;
    check_halfway(&BF16);
}

/* Random mantissas, with exponents from below the smallest number to above the largest. */
static void check_random(const format *f, uint64_t seed)
{
    const int lowest = -f->bias - f->fraction - 4, highest = f->bias + 4;
    for (int i = 0; i < 300000; i++) {
        uint64_t bits = next_random(&seed);
        double fraction = 1.0 + (double)(bits >> 12) * 0x1p-52;
        int exponent = lowest + (int)(bits % 4096 * (unsigned)(highest - lowest + 1) / 4096);
        check_rounding(f, ldexp(fraction, exponent));
    }
}

static void f16_random_numbers_go_to_the_nearest(void **state)
{
    (void)state;
    check_random(&F16, 1);
}

static void bf16_random_numbers_go_to_the_nearest(void **state)
{
    (void)state;
    check_random(&BF16, 2);
}

/* Below half a step above the largest number all is finite; from there on all is infinite. */
static void check_edges(const format *f)
{
    const unsigned infinity = infinity_of(f);
    const double largest = value_of(f, infinity - 1), beyond = value_of(f, infinity);
    const double edge = (largest + beyond) / 2;
    assert_int_equal(f->from_double(largest), infinity - 1);
    assert_int_equal(f->from_double(nextafter(edge, 0)), infinity - 1);
    assert_int_equal(f->from_double(edge), infinity);
    assert_int_equal(f->from_double(beyond), infinity);
    assert_int_equal(f->from_double(0x1.fffffffffffffp1023), infinity);
    assert_int_equal(f->from_double(-HUGE_VAL), infinity | 0x8000u);
    /* At the other end: half the smallest number is a tie with zero, which is even. */
    const double smallest = value_of(f, 1);
    assert_int_equal(f->from_double(smallest / 2), 0);
    assert_int_equal(f->from_double(-smallest / 2), 0x8000);
    assert_int_equal(f->from_double(nextafter(smallest / 2, 1)), 1);
    assert_int_equal(f->from_double(0x1p-1074), 0); /* the smallest double */
    assert_int_equal(f->from_double(-0.0), 0x8000);
}

static void the_edges_of_the_ranges_hold(void **state)
{
    (void)state;
    check_edges(&F16);
    check_edges(&BF16);
}

/* 1 + 2^-11 + 2^-30 lies above the tie. By way of a float it would become the tie, and then 1. */
static void rounding_happens_once(void **state)
{
    (void)state;
    assert_int_equal(qkv__double_to_f16(1 + 0x1p-11 + 0x1p-30), 0x3c01);
    assert_int_equal(qkv__double_to_bf16(1 + 0x1p-8 + 0x1p-40), 0x3f81);
}

/* ---- Eight bits --------------------------------------------------------------------------- */

/* By OCP's definition of E4M3: 2^(e - 7) 1.f, and 2^-6 0.f where e = 0; 0x7f alone is NaN. */
static double e4m3_value(unsigned magnitude)
{
    const unsigned exponent = magnitude >> 3, fraction = magnitude & 7u;
    return exponent == 0 ? ldexp(fraction, -9) : ldexp(8 + fraction, (int)exponent - 10);
}

static void check_e4m3(double value)
{
    unsigned low = 0;
    while (low < 0x7e && e4m3_value(low + 1) <= value) low++;
    if (low < 0x7e) { /* the last number is the nearest to all beyond it */
        const double halfway = (e4m3_value(low) + e4m3_value(low + 1)) / 2;
        if (value > halfway || (value == halfway && low % 2 != 0)) low++;
    }
    assert_int_equal(qkv__double_to_e4m3(value), low);
    assert_int_equal(qkv__double_to_e4m3(-value), low | 0x80u);
}

static void e4m3_matches_the_definition(void **state)
{
    uint64_t seed = 3;
    (void)state;
    assert_true(e4m3_value(0x7e) == 448.0);
    for (unsigned bits = 0; bits < 256; bits++) {
        const double value = (double)qkv__e4m3_to_float((uint8_t)bits);
        assert_int_equal(signbit(value) != 0, bits >> 7);
        assert_int_equal(qkv__double_to_e4m3(value), bits);
        if ((bits & 0x7fu) == 0x7fu)
            assert_true(isnan(value));
        else
            assert_true(fabs(value) == e4m3_value(bits & 0x7fu));
    }
    for (unsigned magnitude = 0; magnitude < 0x7e; magnitude++) {
        const double value = e4m3_value(magnitude), next = e4m3_value(magnitude + 1);
        const double halfway = (value + next) / 2;
        check_e4m3(nextafter(value, next));
        check_e4m3(nextafter(halfway, value));
        check_e4m3(halfway);
        check_e4m3(nextafter(halfway, next));
    }
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = next_random(&seed);
        check_e4m3(ldexp(1.0 + (double)(bits >> 12) * 0x1p-52, (int)(bits % 24) - 13));
    }
    check_e4m3(0x1p-1074);
    check_e4m3(464.0), check_e4m3(1e300), check_e4m3(HUGE_VAL);
}

/* ---- Elements ----------------------------------------------------------------------------- */

/* 0.1 has no exact form in any of the types: each must give its own nearest. */
static void elements_are_stored_and_loaded(void **state)
{
    (void)state;
    static const struct {
        qkv_type type;
        double stored;
    } cases[] = {
        {QKV_F64, 0.1},        {QKV_F32, 0x1.99999ap-4}, {QKV_F16, 0x1.998p-4},
        {QKV_BF16, 0x1.9ap-4}, {QKV_E4M3, 0x1.ap-4},     {QKV_BOOL, 1.0},
        {QKV_NONE, 0.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double room[3] = {0};
        qkv__store(cases[i].type, room, 1, 0.1);
        assert_true(qkv__load(cases[i].type, room, 1) == cases[i].stored);
        assert_true(qkv__load(cases[i].type, room, 0) == 0.0); /* the neighbours are untouched */
        assert_true(qkv__load(cases[i].type, room, 2) == 0.0);
    }
}

/* A boolean byte counts as 1 whatever it holds, and every number but 0 makes it true. */
static void booleans_are_zero_or_one(void **state)
{
    (void)state;
    unsigned char bytes[4] = {0, 1, 2, 255};
    for (int i = 0; i < 4; i++) assert_true(qkv__load(QKV_BOOL, bytes, i) == (i == 0 ? 0.0 : 1.0));
    const double numbers[4] = {0.0, -0.0, 0x1p-1074, (double)NAN};
    for (int i = 0; i < 4; i++) qkv__store(QKV_BOOL, bytes, i, numbers[i]);
    assert_memory_equal(bytes, ((unsigned char[4]){0, 0, 1, 1}), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f16_values_match_the_definition),
        cmocka_unit_test(bf16_values_match_the_definition),
        cmocka_unit_test(f16_patterns_come_back),
        cmocka_unit_test(bf16_patterns_come_back),
        cmocka_unit_test(f16_ties_go_to_even),
        cmocka_unit_test(bf16_ties_go_to_even),
        cmocka_unit_test(f16_random_numbers_go_to_the_nearest),
        cmocka_unit_test(bf16_random_numbers_go_to_the_nearest),
        cmocka_unit_test(the_edges_of_the_ranges_hold),
        cmocka_unit_test(rounding_happens_once),
        cmocka_unit_test(e4m3_matches_the_definition),
        cmocka_unit_test(elements_are_stored_and_loaded),
        cmocka_unit_test(booleans_are_zero_or_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
