/*
 * Signs over boxes, and thresholds: no verdict may contradict the judge at any point, and
 * thresholds must be where closed forms put them.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/cases.h"
#include "unit/ball/ball_forms.h"

#include "ball/least.h"
#include "ball/sign.h"
#include "base/memory.h"

/* ---- Signs --------------------------------------------------------------------------------- */

/* Unknown, with witnesses for both signs. */
static bool is_mixed(form a, qkv__box box, qkv__sign_result *result)
{
    qkv__sign sign = qkv__ball_sign_form(&algebra, a, &box, 0, result);
    if (!qkv__sign_is_mixed(result)) return false;
    assert_int_equal(sign, QKV__SIGN_UNKNOWN);
    assert_true(judge(a, &result->positive).value > 0);
    assert_true(judge(a, &result->negative).value < 0);
    return true;
}

static qkv__sign sign_of(form a, qkv__box box)
{
    qkv__sign_result result;
    assert_non_null(a);
    return qkv__ball_sign_form(&algebra, a, &box, 0, &result);
}

static void signs_over_infinite_boxes(void **state)
{
    (void)state;
    form beta = parameter(BETA), n = parameter(N), e_beta = e_to(beta);
    qkv__box all = from(everywhere(), N, 3);
    form denominator = plus(times(whole(2), e_beta), minus(n, whole(2)));
    assert_int_equal(sign_of(denominator, all), QKV__SIGN_POSITIVE);
    assert_int_equal(sign_of(minus(whole(0), denominator), all), QKV__SIGN_NEGATIVE);
    /* Tails: e^beta against powers, e^(beta^2) against powers and against e^(3 beta). */
    form e_square = e_to(power(beta, 2)), e_three = e_to(times(whole(3), beta));
    assert_int_equal(sign_of(minus(e_square, power(beta, 5)), all), QKV__SIGN_POSITIVE);
    assert_int_equal(sign_of(minus(times(whole(10), e_square), e_three), all), QKV__SIGN_POSITIVE);
    assert_int_equal(sign_of(minus(e_beta, power(beta, 9)), from(all, BETA, 32)),
                     QKV__SIGN_POSITIVE);
    assert_int_equal(sign_of(minus(power(beta, 9), e_beta), from(all, BETA, 32)),
                     QKV__SIGN_NEGATIVE);
    /* Both parameters to infinity, with a product in the exponent. */
    form product = times(n, beta);
    assert_int_equal(sign_of(minus(e_to(product), product), all), QKV__SIGN_POSITIVE);
    form spread = minus(times(n, e_beta), plus(n, e_beta));
    assert_int_equal(sign_of(spread, from(all, BETA, 1)), QKV__SIGN_POSITIVE);
    /* Parameters of any sign. */
    assert_int_equal(sign_of(plus(power(parameter(X), 2), whole(1)), all), QKV__SIGN_POSITIVE);
    assert_int_equal(sign_of(plus(e_to(parameter(X)), whole(1)), all), QKV__SIGN_POSITIVE);
    /* Roots and inverses away from 0, logarithms. */
    form inverse = over(whole(1), parameter(D)).numerator;
    assert_int_equal(sign_of(inverse, all), QKV__SIGN_POSITIVE);
    form logarithm = minus(qkv__form_logarithm(&algebra, qkv__rational_whole(3)), fraction(11, 10));
    assert_int_equal(sign_of(logarithm, all), QKV__SIGN_NEGATIVE); /* ln 3 = 1.0986 */
}

static void assert_in_box(const qkv__point *point, const qkv__box *box)
{
    qkv__box copy = *box;
    for (int p = BETA; p <= X; p++) assert_true(qkv__box_fix(&algebra, &copy, p, point->value[p]));
}

static void witnesses_show_both_signs(void **state)
{
    (void)state;
    form beta = parameter(BETA), bulge = minus(e_to(beta), power(beta, 3));
    qkv__sign_result result;
    qkv__box all = everywhere();
    assert_true(is_mixed(bulge, all, &result));
    /* A dip that no first guess hits: (beta - 29/10)^2 - 1/10^4 < 0 on (2.89, 2.91). */
    form dip = minus(power(minus(beta, fraction(29, 10)), 2), fraction(1, 10000));
    assert_true(is_mixed(dip, all, &result));
    /* Not at ends that are left out, not even where the form is positive there alone. */
    qkv__box open = all;
    open.range[BETA].lower.strict = true;
    assert_true(is_mixed(minus(whole(1), beta), open, &result));
    assert_in_box(&result.positive, &open);
    qkv__ball_sign_form(&algebra, minus(whole(0), beta), &open, 0, &result);
    assert_false(result.has_positive || result.has_zero);
    /* A quotient that changes sign through a pole. */
    qkv__ratio pole = over(whole(1), minus(beta, whole(1)));
    assert_int_equal(qkv__ball_sign(&algebra, pole, &all, 0, &result), QKV__SIGN_UNKNOWN);
    assert_true(qkv__sign_is_mixed(&result));
    /* Whole numbers for n: n^2 - 10 n + 24 is negative at 5 alone. */
    form well = plus(minus(power(parameter(N), 2), times(whole(10), parameter(N))), whole(24));
    assert_true(is_mixed(well, all, &result));
    assert_int_equal(result.negative.value[N].numerator, 5);
    assert_int_equal(sign_of(plus(well, whole(1)), all), QKV__SIGN_NONNEGATIVE); /* (n - 5)^2 */
}

/* Zeros at the edge: seen as such, and left out where the box leaves the edge out. */
static void edges_may_touch_zero(void **state)
{
    (void)state;
    form beta = parameter(BETA), n = parameter(N), e_beta = e_to(beta);
    qkv__box closed = from(everywhere(), N, 3), open = closed;
    open.range[BETA].lower.strict = true;
    form edge[] = {
        beta,
        minus(e_beta, whole(1)),
        times(minus(n, whole(1)), minus(e_beta, whole(1))),
        minus(minus(e_beta, whole(1)), beta),
        minus(minus(minus(e_beta, whole(1)), beta), times(fraction(1, 2), power(beta, 2))),
        minus(plus(e_beta, e_to(times(whole(-1), beta))), whole(2)),
    };
    for (size_t i = 0; i < sizeof edge / sizeof edge[0]; i++) {
        assert_int_equal(sign_of(edge[i], closed), QKV__SIGN_NONNEGATIVE);
        assert_int_equal(sign_of(edge[i], open), QKV__SIGN_POSITIVE);
        assert_int_equal(sign_of(minus(whole(0), edge[i]), closed), QKV__SIGN_NONPOSITIVE);
    }
    /* From above: 1 - beta on [0, 1]. */
    qkv__box unit = between(closed, BETA, qkv__rational_whole(0), qkv__rational_whole(1));
    assert_int_equal(sign_of(minus(whole(1), beta), unit), QKV__SIGN_NONNEGATIVE);
    /* Inside, where interval arithmetic ends at 0. */
    assert_int_equal(sign_of(power(parameter(X), 2), closed), QKV__SIGN_NONNEGATIVE);
    /* In the corner of two parameters alone. */
    form x = parameter(X);
    form corner = plus(times(beta, x), plus(power(beta, 3), power(x, 2)));
    assert_int_equal(sign_of(corner, from(closed, X, 0)), QKV__SIGN_NONNEGATIVE);
    assert_int_equal(sign_of(plus(corner, whole(1)), from(closed, X, 0)), QKV__SIGN_POSITIVE);
    /* The single head leaks less than two: (n-2)/(e^beta+n-1) - (n-2)/(2e^beta+n-2). */
    form rest = minus(n, whole(2));
    qkv__ratio two = over(rest, plus(e_beta, minus(n, whole(1))));
    qkv__ratio one = over(rest, plus(times(whole(2), e_beta), rest));
    qkv__sign_result result;
    qkv__ratio gain = qkv__ratio_subtract(&algebra, two, one);
    assert_int_equal(qkv__ball_sign(&algebra, gain, &open, 0, &result), QKV__SIGN_POSITIVE);
    assert_int_equal(qkv__ball_sign(&algebra, gain, &closed, 0, &result), QKV__SIGN_NONNEGATIVE);
}

/* What nearly touches zero must not be decided wrongly, on whichever side it is. */
static void near_misses_are_not_misjudged(void **state)
{
    (void)state;
    form beta = parameter(BETA), e_beta = e_to(beta), square = power(beta, 2);
    form touching[] = {
        power(minus(square, whole(2)), 2),  /* at the root of 2 */
        power(minus(e_beta, whole(10)), 2), /* at ln 10 */
        power(minus(beta, fraction(1235, 997)), 2),
        times(power(minus(e_beta, whole(7)), 2), e_to(times(whole(-1), beta))),
        power(minus(beta, whole(1)), 2),
        power(minus(beta, fraction(3, 2)), 2),
    };
    for (size_t i = 0; i < sizeof touching / sizeof touching[0]; i++) {
        qkv__sign exact = sign_of(touching[i], everywhere());
        assert_true(exact == QKV__SIGN_UNKNOWN || exact == QKV__SIGN_NONNEGATIVE);
        qkv__sign below = sign_of(minus(touching[i], fraction(1, 1000000000000)), everywhere());
        assert_int_equal(below, QKV__SIGN_UNKNOWN);
        qkv__sign above = sign_of(plus(touching[i], fraction(1, 1000)), everywhere());
        assert_int_equal(above, QKV__SIGN_POSITIVE);
    }
    /* e^beta - 1 - beta - beta^2/2 - c beta^3 dips below 0 near 0 just when c > 1/6. */
    form taylor = minus(minus(minus(e_beta, whole(1)), beta), times(fraction(1, 2), square));
    form over_sixth = minus(taylor, times(fraction(1668, 10000), power(beta, 3)));
    form under_sixth = minus(taylor, times(fraction(1666, 10000), power(beta, 3)));
    qkv__sign dips = sign_of(over_sixth, everywhere());
    assert_int_equal(dips, QKV__SIGN_UNKNOWN);
    assert_int_equal(sign_of(under_sixth, everywhere()), QKV__SIGN_NONNEGATIVE);
}

static void signs_refuse(void **state)
{
    (void)state;
    form beta = parameter(BETA), inverse = over(whole(1), beta).numerator;
    qkv__sign_result result;
    qkv__box all = everywhere(), empty = all;
    assert_int_equal(sign_of(whole(0), all), QKV__SIGN_ZERO);
    assert_int_equal(sign_of(inverse, all), QKV__SIGN_UNKNOWN); /* beta may be 0 */
    qkv__term root_of_x = {.coefficient = {1, 1}, .power[X] = 1};
    assert_int_equal(sign_of(qkv__form_term(&algebra, &root_of_x), all), QKV__SIGN_UNKNOWN);
    assert_int_equal(qkv__ball_sign_form(&algebra, NULL, &all, 0, &result), QKV__SIGN_UNKNOWN);
    empty.range[BETA].upper = at(qkv__rational_whole(-1));
    assert_int_equal(sign_of(plus(beta, whole(1)), empty), QKV__SIGN_UNKNOWN);
    /* A denominator that touches 0 leaves the quotient without a sign. */
    qkv__ratio touching = over(whole(1), power(minus(beta, whole(1)), 2));
    assert_int_equal(qkv__ball_sign(&algebra, touching, &all, 0, &result), QKV__SIGN_UNKNOWN);
    /* No effort, no verdict; and a hard question ends. */
    form x = parameter(X), logarithm = qkv__form_logarithm(&algebra, qkv__rational_whole(2));
    form tangent =
        minus(plus(e_to(x), times(whole(2), logarithm)), plus(times(whole(2), x), whole(2)));
    all = everywhere(); /* zero at ln 2, where no rational is */
    assert_int_equal(qkv__ball_sign_form(&algebra, tangent, &all, 0, &result), QKV__SIGN_UNKNOWN);
    assert_true(result.spent <= QKV__SIGN_EFFORT && result.spent > QKV__SIGN_EFFORT / 2);
    assert_int_equal(qkv__ball_sign_form(&algebra, tangent, &all, 10, &result), QKV__SIGN_UNKNOWN);
    assert_true(result.spent <= 10);
}

static void assert_not_contradicted(qkv__sign sign, judged truth)
{
    if (!isfinite(truth.value) || !isfinite(truth.error)) return;
    bool positive = truth.value > truth.error, negative = truth.value < -truth.error;
    assert_false(negative && (sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE));
    assert_false(positive && (sign == QKV__SIGN_NEGATIVE || sign == QKV__SIGN_NONPOSITIVE));
    assert_false((positive || negative) && sign == QKV__SIGN_ZERO);
}

/* Some ranges of the box are opened to infinity. */
static qkv__box random_infinite_box(random_source *source)
{
    qkv__box box = random_box(source, 2);
    for (int p = BETA; p <= X; p++)
        if (random_below(source, 3) == 0) box.range[p].upper.known = false;
    return box;
}

static void check_sign(random_source *source, qkv__ratio ratio, const qkv__box *box,
                       size_t *decided)
{
    qkv__sign_result result;
    qkv__sign sign = qkv__ball_sign(&algebra, ratio, box, 1000, &result);
    *decided += sign != QKV__SIGN_UNKNOWN || qkv__sign_is_mixed(&result);
    for (int j = 0; j < 40; j++) {
        qkv__point point = random_point_in(source, box);
        assert_not_contradicted(sign, judge_ratio(ratio, &point));
    }
    if (result.has_positive) assert_in_box(&result.positive, box);
    if (result.has_negative) assert_in_box(&result.negative, box);
    if (result.has_positive)
        assert_not_contradicted(QKV__SIGN_POSITIVE, judge_ratio(ratio, &result.positive));
    if (result.has_negative)
        assert_not_contradicted(QKV__SIGN_NEGATIVE, judge_ratio(ratio, &result.negative));
}

static void no_point_contradicts_a_sign(void **state)
{
    (void)state;
    random_source source = {6};
    size_t decided = 0, asked = cases_of(4000);
    for (size_t i = 0; i < asked; i++, forget_forms_now_and_then(i)) {
        form above = random_form(&source), below = i % 4 == 0 ? random_form(&source) : whole(1);
        qkv__box box = random_infinite_box(&source);
        if (i % 2 == 0) { /* squares lifted or lowered a little: the hard ones */
            above = plus(power(above, 2), fraction(random_between(&source, -1, 1), 1000));
        }
        check_sign(&source, over(above, below), &box, &decided);
    }
    assert_true(decided > asked / 2);
}

/* ---- Thresholds ---------------------------------------------------------------------------- */

/* tau - (n-m)/(m e^beta + n-m), never negative from ln((n-m)(1-tau)/(m tau)) on. */
static qkv__ratio leak_within(int64_t n, int64_t m, int64_t part)
{
    form rest = whole(n - m), e_beta = e_to(parameter(BETA));
    qkv__ratio leak = over(rest, plus(times(whole(m), e_beta), rest));
    return qkv__ratio_subtract(&algebra, over(whole(1), whole(part)), leak);
}

static void assert_threshold(const qkv__least_result *result, long double expected)
{
    assert_int_equal(result->outcome, QKV__LEAST_FOUND);
    assert_true(result->narrow);
    long double slack = 16 * LDBL_EPSILON * fabsl(expected);
    assert_true(number(result->violated) <= expected + slack);
    assert_true(number(result->verified) >= expected - slack);
    assert_true(number(result->verified) - number(result->violated) <= 1e-12L * expected);
    assert_true(result->enclosure.lower <= expected + slack);
    assert_true(result->enclosure.upper >= expected - slack);
    assert_true(is_text_inside((judged){expected, slack}, result->enclosure.text));
}

static void thresholds_are_the_closed_forms(void **state)
{
    (void)state;
    static const int64_t parts[] = {2, 3, 10, 100, 1000, 100000};
    qkv__box all = everywhere();
    qkv__least_result result;
    for (int64_t n = 2; n <= 200; n += 1 + n / 8)
        for (int64_t m = 1; m < n; m += 1 + m)
            for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
                qkv__ratio f = leak_within(n, m, parts[i]);
                long double quotient = (long double)((n - m) * (parts[i] - 1)) / (long double)m;
                qkv__ball_least(&algebra, f, BETA, &all, 0, &result);
                if (quotient <= 1)
                    assert_int_equal(result.outcome, QKV__LEAST_ALWAYS);
                else
                    assert_threshold(&result, logl(quotient));
            }
    qkv__ball_least(&algebra, leak_within(10, 2, 100), BETA, &all, 0, &result);
    assert_true(result.enclosure.lower > 5.98141 && result.enclosure.upper < 5.98142);
}

static qkv__least least(form f, int p, qkv__box box, qkv__least_result *result)
{
    return qkv__ball_least(&algebra, qkv__ratio_of_form(&algebra, f), p, &box, 0, result);
}

static void thresholds_of_other_shapes(void **state)
{
    (void)state;
    form beta = parameter(BETA), e_beta = e_to(beta), n = parameter(N);
    qkv__least_result result;
    /* (e^(beta^2) + 2)/100 >= root of 5: beta = sqrt(ln(100 sqrt 5 - 2)). */
    form root = qkv__form_root(&algebra, whole(5));
    form f = minus(times(fraction(1, 100), plus(e_to(power(beta, 2)), whole(2))), root);
    least(f, BETA, everywhere(), &result);
    assert_threshold(&result, sqrtl(logl(100 * sqrtl(5) - 2)));
    /* The last of three crossings counts. */
    form crossings =
        times(times(minus(beta, whole(1)), minus(beta, whole(2))), minus(beta, fraction(31, 10)));
    least(crossings, BETA, everywhere(), &result);
    assert_threshold(&result, 3.1L);
    least(crossings, BETA,
          between(everywhere(), BETA, qkv__rational_make(3, 2), qkv__rational_whole(9)), &result);
    assert_threshold(&result, 3.1L);
    /* Whole: the least n with n^2 >= 200 is 15. For every beta in [0, 1]: n >= e^beta + 1. */
    assert_int_equal(least(minus(power(n, 2), whole(200)), N, everywhere(), &result),
                     QKV__LEAST_FOUND);
    assert_string_equal(result.enclosure.text, "15");
    qkv__box unit = between(everywhere(), BETA, qkv__rational_whole(0), qkv__rational_whole(1));
    assert_int_equal(least(minus(n, plus(e_beta, whole(1))), N, unit, &result), QKV__LEAST_FOUND);
    assert_true(result.narrow && result.verified.numerator == 4);
}

static void thresholds_may_not_be(void **state)
{
    (void)state;
    form beta = parameter(BETA), e_beta = e_to(beta);
    qkv__box all = everywhere();
    qkv__least_result result;
    assert_int_equal(least(minus(e_beta, whole(1)), BETA, all, &result), QKV__LEAST_ALWAYS);
    assert_int_equal(least(minus(fraction(1, 2), beta), BETA, all, &result), QKV__LEAST_NEVER);
    qkv__box unit = between(all, BETA, qkv__rational_whole(0), qkv__rational_whole(1));
    assert_int_equal(least(minus(e_beta, whole(4)), BETA, unit, &result), QKV__LEAST_NEVER);
    /* Touches 0 at 3 after its crossing at 1: nothing narrow can be proved to be wrong about. */
    form touching = times(minus(beta, whole(1)), power(minus(power(beta, 2), whole(3)), 2));
    if (least(touching, BETA, all, &result) == QKV__LEAST_FOUND) {
        assert_true(number(result.violated) < 1);
        assert_true(number(result.verified) >= 1);
    }
    assert_int_equal(least(beta, X, all, &result), QKV__LEAST_UNKNOWN); /* x has no lower end */
    assert_int_equal(least(beta, -1, all, &result), QKV__LEAST_UNKNOWN);
    assert_int_equal(least(NULL, BETA, all, &result), QKV__LEAST_UNKNOWN);
}

/* ---- Memory -------------------------------------------------------------------------------- */

static form square_of(form a)
{
    return power(a, 2);
}

/* Whichever allocation fails, the answer is right or not known, and nothing is kept. */
static void failed_allocations_decide_nothing(void **state)
{
    (void)state;
    form beta = parameter(BETA), e_beta = e_to(beta);
    form f = plus(minus(e_beta, power(beta, 3)), plus(power(beta, 2), whole(1)));
    /* By squares, lifted, and in pieces around a zero. */
    form x = parameter(X), both = times(square_of(x), square_of(beta));
    form motzkin = plus(
        minus(times(both, plus(square_of(x), square_of(beta))), times(whole(3), both)), whole(1));
    form tangent = minus(e_to(x), plus(whole(1), x));
    qkv__ratio leak = leak_within(10, 2, 100);
    qkv__box all = everywhere();
    long live = qkv__memory_live();
    for (long countdown = 0; countdown < 60; countdown++) {
        qkv__sign_result sign;
        qkv__least_result threshold;
        qkv__enclosure found;
        qkv__memory_fail_after(countdown);
        qkv__ball_sign_form(&algebra, f, &all, 0, &sign);
        assert_true(sign.sign == QKV__SIGN_POSITIVE || sign.sign == QKV__SIGN_UNKNOWN);
        qkv__memory_fail_after(countdown);
        qkv__ball_sign_form(&algebra, motzkin, &all, 0, &sign);
        assert_true(sign.sign == QKV__SIGN_NONNEGATIVE || sign.sign == QKV__SIGN_UNKNOWN);
        qkv__memory_fail_after(countdown);
        qkv__ball_sign_form(&algebra, tangent, &all, 0, &sign);
        assert_true(sign.sign == QKV__SIGN_NONNEGATIVE || sign.sign == QKV__SIGN_UNKNOWN);
        qkv__memory_fail_after(countdown);
        if (qkv__ball_least(&algebra, leak, BETA, &all, 0, &threshold) == QKV__LEAST_FOUND) {
            assert_true(number(threshold.violated) < 5.9814142112544L);
            assert_true(number(threshold.verified) > 5.9814142112543L);
        }
        assert_int_not_equal(threshold.outcome, QKV__LEAST_NEVER);
        assert_int_not_equal(threshold.outcome, QKV__LEAST_ALWAYS);
        qkv__memory_fail_after(countdown);
        if (qkv__ball_enclose(&algebra, leak, &all, &found))
            assert_true(found.lower <= -0.79 && found.upper >= 0.01);
        qkv__memory_fail_after(-1);
        assert_int_equal(qkv__memory_live(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BALL_TEST(signs_over_infinite_boxes),
        BALL_TEST(witnesses_show_both_signs),
        BALL_TEST(edges_may_touch_zero),
        BALL_TEST(near_misses_are_not_misjudged),
        BALL_TEST(signs_refuse),
        BALL_TEST(no_point_contradicts_a_sign),
        BALL_TEST(thresholds_are_the_closed_forms),
        BALL_TEST(thresholds_of_other_shapes),
        BALL_TEST(thresholds_may_not_be),
        BALL_TEST(failed_allocations_decide_nothing),
    };
    return cmocka_run_group_tests_name("ball_sign", tests, NULL, NULL);
}
