/*
 * Rigorous enclosures. The judge is an independent evaluation in long double with a bound of its
 * own error: no enclosure may miss it. All forms are built by the exact room's functions; random
 * ones are seeded.
 */
#include <float.h>
#include <math.h>

#include "support/cases.h"
#include "unit/ball/ball_forms.h"

#include "ball/derivative.h"
#include "ball/evaluate.h"
#include "ball/interval.h"

/* ---- Intervals ----------------------------------------------------------------------------- */

static double random_end(random_source *source)
{
    switch (random_below(source, 6)) {
    case 0: return 0;
    case 1: return 1;
    default: return ldexp(random_bell(source), (int)random_between(source, -6, 6));
    }
}

/* An interval, half of them with an infinite end, and a number in it: roundings show at ends. */
static double random_interval(random_source *source, qkv__interval *x)
{
    double a = random_end(source), b = random_end(source);
    double lower = fmin(a, b), upper = fmax(a, b);
    double way = fmin(fmax(1.5 * random_uniform(source) - 0.25, 0), 1); /* often at an end */
    double inside = way == 1 ? upper : lower + (upper - lower) * way;
    arf_set_d(x->lower, random_below(source, 4) == 0 ? -INFINITY : lower);
    arf_set_d(x->upper, random_below(source, 4) == 0 ? INFINITY : upper);
    return fmin(fmax(inside, lower), upper);
}

/* With a unit of slack for the long double on the other side. */
static void assert_inside(const qkv__interval *x, long double value)
{
    long double slack = 8 * LDBL_EPSILON * fabsl(value) + LDBL_MIN;
    assert_false(arf_is_nan(x->lower) || arf_is_nan(x->upper));
    assert_false(arf_is_pos_inf(x->lower) || arf_is_neg_inf(x->upper));
    assert_true(arf_get_d(x->lower, ARF_RND_FLOOR) <= value + slack);
    assert_true(arf_get_d(x->upper, ARF_RND_CEIL) >= value - slack);
}

static void check_power(const qkv__interval *x, long double a, int halves, qkv__interval *z)
{
    if (a == 0 && halves < 0) return;
    if (a < 0 && halves % 2 != 0) return;
    qkv__interval_power(z, x, halves, 53);
    assert_inside(z, powl(a, halves / 2.0L));
}

static void intervals_hold_what_they_combine(void **state)
{
    (void)state;
    random_source source = {1};
    qkv__interval x, y, z;
    qkv__interval_init(&x);
    qkv__interval_init(&y);
    qkv__interval_init(&z);
    for (int i = 0; i < 100000; i++) {
        long double a = random_interval(&source, &x), b = random_interval(&source, &y);
        qkv__interval_add(&z, &x, &y, 53);
        assert_inside(&z, a + b);
        qkv__interval_multiply(&z, &x, &y, 53);
        assert_inside(&z, a * b);
        qkv__interval_divide(&z, &x, &y, 53);
        if (b != 0) assert_inside(&z, a / b);
        qkv__interval_exponential(&z, &x, 53);
        assert_inside(&z, expl(a));
        assert_true(arf_sgn(z.lower) >= 0);
        check_power(&x, a, (int)random_between(&source, -7, 7), &z);
    }
    qkv__interval_clear(&x);
    qkv__interval_clear(&y);
    qkv__interval_clear(&z);
}

/* At 12 bits, where both roundings can be seen in doubles. */
static void rationals_are_rounded_outward(void **state)
{
    (void)state;
    random_source source = {8};
    qkv__interval x;
    qkv__interval_init(&x);
    for (int i = 0; i < 1000; i++) {
        qkv__rational value =
            qkv__rational_make(random_between(&source, -999, 999), random_between(&source, 1, 999));
        qkv__interval_set_rational(&x, value, 12);
        long double lower = arf_get_d(x.lower, ARF_RND_NEAR),
                    upper = arf_get_d(x.upper, ARF_RND_NEAR);
        assert_true(lower * (long double)value.denominator <= (long double)value.numerator);
        assert_true(upper * (long double)value.denominator >= (long double)value.numerator);
        assert_true(upper - lower <= 0x1p-11L * fabsl(upper));
    }
    qkv__interval_clear(&x);
}

/* The ends that the promise turns on. */
static void infinite_ends_are_sets_of_numbers(void **state)
{
    (void)state;
    qkv__interval x, y;
    qkv__interval_init(&x);
    qkv__interval_init(&y);
    arf_set_d(x.lower, 2);
    arf_pos_inf(x.upper);
    qkv__interval_multiply(&y, &y, &x, 64); /* 0 * [2, infinity] */
    assert_true(arf_is_zero(y.lower) && arf_is_zero(y.upper));
    qkv__interval_power(&y, &x, -2, 64);
    assert_true(arf_is_zero(y.lower) && arf_get_d(y.upper, ARF_RND_NEAR) == 0.5);
    qkv__interval_power(&y, &y, -2, 64);
    assert_true(arf_get_d(y.lower, ARF_RND_NEAR) == 2 && arf_is_pos_inf(y.upper));
    qkv__interval_set_everything(&x);
    qkv__interval_power(&y, &x, 4, 64);
    assert_true(arf_is_zero(y.lower) && arf_is_pos_inf(y.upper));
    qkv__interval_exponential(&y, &x, 64);
    assert_true(arf_is_zero(y.lower) && arf_is_pos_inf(y.upper));
    qkv__interval_clear(&x);
    qkv__interval_clear(&y);
}

/* ---- Boxes --------------------------------------------------------------------------------- */

static void boxes_narrow_and_refuse(void **state)
{
    (void)state;
    qkv__box box = everywhere(), before = box;
    qkv__range open = {.lower = {.known = true, .strict = true, .value = {2, 1}},
                       .upper = {.known = true, .strict = false, .value = {11, 2}}};
    assert_true(qkv__box_narrow(&algebra, &box, N, open)); /* 2 < n <= 5.5 */
    assert_int_equal(box.range[N].lower.value.numerator, 3);
    assert_int_equal(box.range[N].upper.value.numerator, 5);
    assert_false(qkv__box_fix(&algebra, &box, N, qkv__rational_make(7, 2)));
    assert_false(qkv__box_fix(&algebra, &box, BETA, qkv__rational_whole(-1)));
    assert_false(qkv__box_fix(&algebra, &box, D, qkv__rational_whole(0)));
    assert_false(qkv__box_fix(&algebra, &box, BETA, QKV__RATIONAL_LOST));
    assert_false(qkv__box_fix(&algebra, &box, -1, qkv__rational_whole(1)));
    assert_memory_equal(&box.range[BETA], &before.range[BETA], sizeof box.range[BETA]);
}

/* Every number of a box lies in one of its halves, and whole ones in just one. */
static void halves_make_the_whole(void **state)
{
    (void)state;
    random_source source = {2};
    for (int i = 0; i < 2000; i++) {
        qkv__box box = i % 2 == 0 ? everywhere() : random_box(&source, 0), low, high;
        int p = (int)random_below(&source, 4);
        if (!qkv__box_split(&algebra, &box, p, &low, &high)) continue;
        for (int j = 0; j < 20; j++) {
            qkv__point point = random_point_in(&source, &box);
            bool below = qkv__rational_compare(point.value[p], low.range[p].upper.value) <= 0;
            bool above = qkv__rational_compare(point.value[p], high.range[p].lower.value) >= 0;
            assert_true(below || above);
            assert_false(p == N && below && above);
        }
    }
}

/* ---- Enclosures ---------------------------------------------------------------------------- */

/* Up to 25,000 quotients of random forms, each at 4 points. */
static void no_value_escapes_at_points(void **state)
{
    (void)state;
    random_source source = {3};
    size_t known = 0, asked = cases_of(25000);
    for (size_t i = 0; i < asked; i++, forget_forms_now_and_then(i)) {
        form below = i % 3 == 0 ? whole(1) : random_form(&source);
        qkv__ratio ratio = over(random_form(&source), below);
        for (int j = 0; j < 4; j++) {
            qkv__point point = random_point(&source);
            qkv__box box = box_of_point(&point);
            qkv__enclosure found;
            if (!qkv__ball_enclose(&algebra, ratio, &box, &found)) continue;
            judged truth = judge_ratio(ratio, &point);
            assert_true(is_judged_inside(truth, &found));
            assert_true(is_text_inside(truth, found.text));
            assert_true(found.upper - found.lower <= 0x1p-49 * fabs(found.upper) + DBL_MIN);
            known++;
        }
    }
    assert_true(100 * known > 99 * 4 * asked); /* the rest divides by zero */
}

static void no_value_escapes_from_boxes(void **state)
{
    (void)state;
    random_source source = {4};
    size_t known = 0, asked = cases_of(600);
    for (size_t i = 0; i < asked; i++, forget_forms_now_and_then(i)) {
        qkv__ratio ratio = over(random_form(&source), i % 2 == 0 ? whole(1) : random_form(&source));
        qkv__box box = random_box(&source, 2);
        qkv__enclosure found;
        if (!qkv__ball_enclose(&algebra, ratio, &box, &found)) continue;
        known++;
        for (int j = 0; j < 50; j++) {
            qkv__point point = random_point_in(&source, &box);
            judged truth = judge_ratio(ratio, &point);
            assert_true(is_judged_inside(truth, &found));
            assert_true(is_text_inside(truth, found.text));
        }
    }
    assert_true(3 * known > 2 * asked);
}

static qkv__enclosure enclose(qkv__ratio ratio, qkv__box box)
{
    qkv__enclosure found;
    assert_true(qkv__ball_enclose(&algebra, ratio, &box, &found));
    return found;
}

static void known_values(void **state)
{
    (void)state;
    form e_beta = e_to(parameter(BETA));
    qkv__ratio weight = over(e_beta, plus(e_beta, whole(99)));
    qkv__enclosure found = enclose(weight, fixed(everywhere(), BETA, 1, 1));
    assert_true(found.lower < found.upper && found.lower > 0.02672 && found.upper < 0.02673);
    assert_true(is_text_inside((judged){expl(1) / (expl(1) + 99), 1e-18L}, found.text));
    found = enclose(over(parameter(BETA), whole(4)), fixed(everywhere(), BETA, 2, 1));
    assert_string_equal(found.text, "0.5");
    assert_true(found.lower == 0.5 && found.upper == 0.5);
    found = enclose(qkv__ratio_whole(&algebra, 0), everywhere());
    assert_string_equal(found.text, "0");
    /* sqrt(2) by way of ln 2 */
    form root = qkv__form_root(&algebra, whole(2));
    found = enclose(qkv__ratio_of_form(&algebra, root), everywhere());
    assert_true(found.lower <= sqrt(2) && found.upper >= sqrt(2) && found.upper < 1.4142136);
}

/* e^beta/(n - 2 + 2 e^beta) at beta = 10^6, where both parts are beyond every double. */
static void large_scores_cancel(void **state)
{
    (void)state;
    form e_beta = e_to(parameter(BETA));
    qkv__ratio weight = over(e_beta, plus(minus(parameter(N), whole(2)), times(whole(2), e_beta)));
    qkv__box box = fixed(fixed(everywhere(), N, 10, 1), BETA, 1000000, 1);
    qkv__enclosure found = enclose(weight, box);
    assert_true(found.lower <= 0.5 && found.upper >= 0.5 && found.upper - found.lower < 1e-15);
    box = between(fixed(everywhere(), N, 10, 1), BETA, qkv__rational_whole(20),
                  qkv__rational_whole(1000000));
    found = enclose(weight, box);
    assert_true(found.lower > 0.4999999 && found.upper >= 0.5 && found.upper < 0.5000001);
    /* Beyond the doubles on its own, it is still a number. */
    found = enclose(qkv__ratio_of_form(&algebra, e_beta), fixed(everywhere(), BETA, 1000000, 1));
    assert_true(found.lower == DBL_MAX && isinf(found.upper));
    assert_non_null(strstr(found.text, "e+434294 +/- "));
}

static void enclosures_refuse(void **state)
{
    (void)state;
    qkv__enclosure found;
    form beta = parameter(BETA);
    qkv__box one = fixed(everywhere(), BETA, 1, 1), empty = one;
    qkv__ratio pole = over(whole(1), minus(beta, whole(1)));
    assert_false(qkv__ball_enclose(&algebra, pole, &one, &found));
    qkv__box around = between(everywhere(), BETA, qkv__rational_whole(0), qkv__rational_whole(2));
    assert_false(qkv__ball_enclose(&algebra, pole, &around, &found));
    qkv__ratio lost = {NULL, NULL};
    assert_false(qkv__ball_enclose(&algebra, lost, &one, &found));
    empty.range[BETA].upper.value = qkv__rational_whole(0);
    assert_false(qkv__ball_enclose(&algebra, pole, &empty, &found));
    qkv__box all = everywhere();
    assert_false(qkv__ball_enclose(&algebra, qkv__ratio_of_form(&algebra, beta), &all, &found));
}

/* ---- Derivatives --------------------------------------------------------------------------- */

/* (f g)' = f' g + f g', and the difference quotient of f at a point. */
static void derivatives_keep_their_rules(void **state)
{
    (void)state;
    random_source source = {5};
    for (size_t i = 0; i < 2000; i++, forget_forms_now_and_then(i)) {
        int p = (int)random_below(&source, 4);
        form f = random_form(&source), g = random_form(&source);
        form df = qkv__form_derivative(&algebra, f, p), dg = qkv__form_derivative(&algebra, g, p);
        form product = qkv__form_derivative(&algebra, times(f, g), p);
        assert_true(qkv__form_equal(product, plus(times(df, g), times(f, dg))));
    }
    form square = power(parameter(BETA), 2), e_square = e_to(square);
    assert_true(qkv__form_equal(qkv__form_derivative(&algebra, e_square, BETA),
                                times(times(whole(2), parameter(BETA)), e_square)));
    form root = qkv__form_root(&algebra, parameter(D));
    form twice = times(times(whole(2), root), qkv__form_derivative(&algebra, root, D));
    assert_true(qkv__form_equal(twice, whole(1)));
    assert_null(qkv__form_derivative(&algebra, NULL, BETA));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BALL_TEST(intervals_hold_what_they_combine),
        BALL_TEST(rationals_are_rounded_outward),
        BALL_TEST(infinite_ends_are_sets_of_numbers),
        BALL_TEST(boxes_narrow_and_refuse),
        BALL_TEST(halves_make_the_whole),
        BALL_TEST(no_value_escapes_at_points),
        BALL_TEST(no_value_escapes_from_boxes),
        BALL_TEST(known_values),
        BALL_TEST(large_scores_cancel),
        BALL_TEST(enclosures_refuse),
        BALL_TEST(derivatives_keep_their_rules),
    };
    return cmocka_run_group_tests_name("ball", tests, NULL, NULL);
}
