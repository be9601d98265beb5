/*
 * Ranges of parameters, and of their powers and products, against the numbers in them: a range has
 * the numbers that it is said to have, one by one on a lattice of quarters; a power or a form of a
 * number stays in the span of the range; and a full span has no number that is no power of one.
 */
#include "support/check.h"

#include <math.h>

#include "ball/box.h"
#include "ball/span.h"
#include "support/random.h"

/* x and y are any numbers, n is whole. */
enum { X, Y, N, PARAMETERS };

static void make_algebra(qkv__algebra *algebra)
{
    *algebra = (qkv__algebra){.parameter_count = 0};
    assert_int_equal(qkv__parameter_add(algebra, "x"), X);
    assert_int_equal(qkv__parameter_add(algebra, "y"), Y);
    assert_int_equal(qkv__parameter_add(algebra, "n"), N);
    algebra->parameter[N].whole = true;
}

static qkv__bound random_bound(random_source *source)
{
    const int64_t quarters = (int64_t)random_below(source, 33) - 16;
    if (random_below(source, 4) == 0) return (qkv__bound){0};
    return (qkv__bound){true, random_below(source, 2) == 0, qkv__rational_make(quarters, 4)};
}

static qkv__range random_range(random_source *source)
{
    const qkv__bound lower = random_bound(source);
    return (qkv__range){lower, random_bound(source)};
}

static bool has(const qkv__range *range, qkv__rational x)
{
    const int below = range->lower.known ? qkv__rational_compare(range->lower.value, x) : -1;
    const int above = range->upper.known ? qkv__rational_compare(x, range->upper.value) : -1;
    return below <= 0 && above <= 0 && !(below == 0 && range->lower.strict) &&
           !(above == 0 && range->upper.strict);
}

static bool is_taken(const qkv__algebra *algebra, const qkv__box *box, int p, qkv__rational x)
{
    return has(&box->range[p], x) && (!algebra->parameter[p].whole || qkv__rational_is_whole(x));
}

enum { TRIALS = 4000, MOST = 40 };

/* Calls `look` with each number of the lattice. */
#define EACH_NUMBER(x)                                                                             \
    for (int64_t quarter = -MOST; quarter <= MOST; quarter++)                                      \
        for (qkv__rational x = qkv__rational_make(quarter, 4), *once = &x; once != NULL;           \
             once = NULL)

/* What is tidied, narrowed or cut has the same numbers. */
static void test_boxes(void **state)
{
    random_source source = {.state = 7};
    qkv__algebra algebra;
    size_t empty = 0, cut = 0;
    (void)state;
    make_algebra(&algebra);
    for (int trial = 0; trial < TRIALS; trial++) {
        const int p = random_below(&source, 2) == 0 ? X : N;
        qkv__box box = {0};
        box.range[p] = random_range(&source);
        const qkv__box before = box;
        const bool some = qkv__box_tidy(&algebra, &box);
        empty += !some;
        EACH_NUMBER(x)
        assert_int_equal(is_taken(&algebra, &before, p, x), some && is_taken(&algebra, &box, p, x));
        if (!some) continue;
        qkv__box narrowed = box, low, high;
        const qkv__range other = random_range(&source);
        const bool left = qkv__box_narrow(&algebra, &narrowed, p, other);
        EACH_NUMBER(x)
        {
            const bool both = is_taken(&algebra, &box, p, x) && has(&other, x);
            assert_int_equal(both, left && is_taken(&algebra, &narrowed, p, x));
        }
        if (!left) assert_memory_equal(&narrowed, &box, sizeof box);
        if (qkv__box_is_fixed(&algebra, &box, p)) {
            assert_false(qkv__box_split(&algebra, &box, p, &low, &high));
            continue;
        }
        if (!qkv__box_split(&algebra, &box, p, &low, &high)) continue;
        cut++;
        size_t shared = 0;
        EACH_NUMBER(x)
        {
            const bool one = is_taken(&algebra, &low, p, x), two = is_taken(&algebra, &high, p, x);
            assert_int_equal(is_taken(&algebra, &box, p, x), one || two);
            shared += one && two;
        }
        assert_true(shared <= (p == N ? 0 : 1));
    }
    assert_true(empty > TRIALS / 10 && cut > TRIALS / 10);
    qkv__arena_free(&algebra.arena);
}

/* Ends that no rational holds are lost, and then the box is as it was. */
static void test_lost_ends(void **state)
{
    qkv__algebra algebra;
    (void)state;
    make_algebra(&algebra);
    const qkv__bound lost = {true, false, QKV__RATIONAL_LOST};
    const qkv__bound last = {true, true, qkv__rational_whole(INT64_MAX)};
    qkv__box box = {0};
    const qkv__box before = box;
    assert_false(qkv__box_narrow(&algebra, &box, X, (qkv__range){.lower = lost}));
    assert_false(qkv__box_narrow(&algebra, &box, X, (qkv__range){.upper = lost}));
    assert_false(qkv__box_fix(&algebra, &box, X, QKV__RATIONAL_LOST));
    assert_false(
        qkv__box_narrow(&algebra, &box, N, (qkv__range){.lower = last})); /* n > 2^63 - 1 */
    assert_memory_equal(&box, &before, sizeof box);
    assert_true(qkv__box_narrow(&algebra, &box, X, (qkv__range){.lower = last}));
    assert_int_equal(qkv__rational_compare(qkv__rational_simplest(qkv__rational_make(-7, 2),
                                                                  qkv__rational_make(-10, 3)),
                                           qkv__rational_make(-7, 2)),
                     0);
    assert_true(qkv__rational_is_lost(qkv__rational_between(qkv__rational_whole(INT64_MAX - 1),
                                                            qkv__rational_whole(INT64_MAX), 0.5)));
    qkv__arena_free(&algebra.arena);
}

static long double value_of(qkv__rational x)
{
    return (long double)x.numerator / (long double)x.denominator;
}

/* Whether a number lies between the ends, as far as rounding tells. */
static bool is_near(const qkv__range *range, long double x)
{
    const long double slack = 1e-15L * (1 + fabsl(x));
    return (!range->lower.known || value_of(range->lower.value) <= x + slack) &&
           (!range->upper.known || x - slack <= value_of(range->upper.value));
}

static void test_powers(void **state)
{
    random_source source = {.state = 8};
    size_t full = 0;
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        const qkv__range range = random_range(&source);
        const int halves = (int)random_below(&source, 13) - 6;
        size_t numbers = 0;
        EACH_NUMBER(x) numbers += has(&range, x);
        if (halves == 0 || numbers == 0) continue;
        const qkv__span span = qkv__span_of_power(&range, halves);
        EACH_NUMBER(x)
        {
            const long double number = value_of(x);
            const bool whole = halves % 2 == 0,
                       defined = (number >= 0 || whole) && (number != 0 || halves > 0);
            if (!has(&range, x) || !defined) continue;
            const long double power = powl(number, halves / 2.0L);
            if (!is_near(&span.range, power))
                fail_msg("%Lg^(%d/2) = %Lg is outside", number, halves, power);
            if (whole && halves > 0 && span.range.lower.known)
                assert_false(span.range.lower.strict && power == value_of(span.range.lower.value));
        }
        if (!span.full || halves < 0) continue;
        full++;
        EACH_NUMBER(y) /* is a power of some number of the range */
        {
            const long double power = value_of(y);
            if (!has(&span.range, y)) continue;
            const long double root = powl(fabsl(power), 2.0L / (long double)halves);
            const bool odd = halves % 4 == 2;
            assert_true(power >= 0 || odd);
            if (!is_near(&range, power < 0 ? -root : root) && (odd || !is_near(&range, -root)))
                fail_msg("no number from %s%Lg to %s%Lg has %Lg as its power %d/2",
                         range.lower.known ? "" : "-inf ", value_of(range.lower.value),
                         range.upper.known ? "" : "inf ", value_of(range.upper.value), power,
                         halves);
        }
    }
    assert_true(full > TRIALS / 10);
}

/* Products, multiples and sums of two parameters. */
static void test_forms(void **state)
{
    random_source source = {.state = 9};
    qkv__algebra algebra;
    (void)state;
    make_algebra(&algebra);
    const qkv__form *x = qkv__form_parameter(&algebra, X), *y = qkv__form_parameter(&algebra, Y);
    for (int trial = 0; trial < TRIALS / 4; trial++) {
        qkv__box box = {0};
        box.range[X] = random_range(&source);
        box.range[Y] = random_range(&source);
        const int a = 1 + (int)random_below(&source, 2), b = 1 + (int)random_below(&source, 2);
        const int64_t factor = (int64_t)random_below(&source, 7) - 3;
        const qkv__form *product = qkv__form_multiply(&algebra, qkv__form_power(&algebra, x, a),
                                                      qkv__form_power(&algebra, y, b));
        product = qkv__form_scale(&algebra, product, qkv__rational_whole(factor));
        const qkv__form *form = qkv__form_subtract(&algebra, product, x);
        const qkv__span one = qkv__span_of_form(&algebra, product, &box);
        const qkv__span span = qkv__span_of_form(&algebra, form, &box);
        if (!qkv__box_tidy(&algebra, &box)) continue;
        EACH_NUMBER(u)
        {
            if (!has(&box.range[X], u)) continue;
            for (int64_t v = -MOST; v <= MOST; v++) {
                if (!has(&box.range[Y], qkv__rational_make(v, 4))) continue;
                const long double value =
                    (long double)factor * powl(value_of(u), a) * powl((long double)v / 4, b);
                assert_true(is_near(&one.range, value));
                assert_true(is_near(&span.range, value - value_of(u)));
            }
        }
    }
    qkv__arena_free(&algebra.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_boxes),
                                       cmocka_unit_test(test_lost_ends),
                                       cmocka_unit_test(test_powers), cmocka_unit_test(test_forms)};
    return cmocka_run_group_tests_name("ranges", tests, NULL, NULL);
}
