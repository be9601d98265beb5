/* Laws in the limit of a growing beta: closed forms that are known, and random ratios whose limits
 * must be what the engine for expectations finds at a large beta. */
#include "expectation.h"

#include "ball/expectation_limit.h"

/* ---- Limits --------------------------------------------------------------------------------- */

/* e^(beta e) / (e^(beta e) + e^-beta + n - 2), or without the last for n = 2 */
static qkv__ratio repelling_weight(bool two)
{
    form own = e_to(times(parameter(BETA), parameter(E)));
    form sum = plus(own, e_to(times(whole(-1), parameter(BETA))));
    return over(own, two ? sum : plus(sum, plus(parameter(N), whole(-2))));
}

static void check_limit(bool known, qkv__enclosure *found, qkv__text *text, long double value,
                        const char *words)
{
    if (!known) fail_msg("no limit instead of %s", words);
    check_holds(found, value, 1e-17L, 1e-15, words);
    assert_string_equal(text->data, words);
    qkv__text_free(text);
}

/* Weights become steps: of a single head at 1, of one of two heads at 0, of a head that repels the
 * other key at 0 (n >= 3) or -1 (n = 2). */
static void laws_in_the_limit(void **state)
{
    (void)state;
    const long double p0 = 0.5L * erfcl(1), p = 1 - p0, far = 0.5L * erfcl(2);
    qkv__enclosure found;
    qkv__text text = {0};
    algebra.parameter[N].lower.value = qkv__rational_whole(3);
    qkv__ratio single = single_weight(), first = head_weight(), second = repelling_weight(false);
    check_limit(qkv__limit_expectation(&algebra, single, BETA, handout, &found, &text), &found,
                &text, 0.5L, "1/2");
    check_limit(qkv__limit_expectation(&algebra, first, BETA, handout, &found, &text), &found,
                &text, p, "1 - 1/2*erfc(1)");
    check_limit(qkv__limit_expectation(&algebra, second, BETA, handout, &found, &text), &found,
                &text, p, "1 - 1/2*erfc(1)");
    check_limit(
        qkv__limit_expectation(&algebra, repelling_weight(true), BETA, handout, &found, &text),
        &found, &text, 1 - far, "1 - 1/2*erfc(2)");
    /* The mean of the two: v_a with 1/2, the average with p - 1/2, neither with p0. */
    qkv__ratio mean = qkv__ratio_multiply(&algebra, qkv__ratio_add(&algebra, single, second),
                                          qkv__ratio_constant(&algebra, qkv__rational_make(1, 2)));
    check_limit(qkv__limit_expectation(&algebra, mean, BETA, handout, &found, &text), &found, &text,
                0.7107L + (0.25L + p / 2 - 0.7107L), "3/4 - 1/4*erfc(1)");
    check_limit(qkv__limit_probability(&algebra, minus(mean, qkv__rational_make(1, 4)),
                                       QKV__EVENT_BELOW, BETA, handout, &found, &text),
                &found, &text, p0, "1/2*erfc(1)");
    check_limit(qkv__limit_probability(&algebra, minus(mean, qkv__rational_make(3, 4)),
                                       QKV__EVENT_ABOVE, BETA, handout, &found, &text),
                &found, &text, 0.5L, "1/2");
    /* Covariances: p0/2 of the two heads, 1/4 and p p0 of each. */
    assert_true(qkv__limit_covariance(&algebra, single, second, BETA, handout, &found));
    check_holds(&found, p0 / 2, 1e-17L, 1e-15, "covariance of the heads");
    assert_true(qkv__limit_covariance(&algebra, single, single, BETA, handout, &found));
    check_holds(&found, 0.25L, 0, 1e-15, "a coin");
    assert_true(qkv__limit_covariance(&algebra, first, first, BETA, handout, &found));
    check_holds(&found, p * p0, 1e-17L, 1e-15, "p p0");
}

/* Limits are what expectations at a large beta come near to. */
static void limits_are_approached(void **state)
{
    (void)state;
    random_source source = {16};
    size_t known = 0;
    for (int i = 0; i < 40; i++) {
        form above = whole(0), below = whole(0);
        for (int k = 0; k < 3; k++) {
            qkv__rational p = random_rational(&source, -2, 2, 1),
                          q = random_rational(&source, -2, 2, 2);
            form line =
                plus(qkv__form_scale(&algebra, parameter(E), p), qkv__form_constant(&algebra, q));
            form power = e_to(times(parameter(BETA), line));
            int64_t factor = 1 + (int64_t)random_below(&source, 3);
            below = plus(below, times(power, whole(factor)));
            if (k != 1)
                above = plus(above, times(power, whole((int64_t)random_below(&source, 7) - 3)));
        }
        qkv__ratio f = over(above, below);
        qkv__normal normal = {E, random_rational(&source, -1, 1, 3), {1, 2}};
        qkv__enclosure limit, near;
        qkv__box box = box_at(qkv__rational_whole(2000), 2);
        if (!qkv__limit_expectation(&algebra, f, BETA, normal, &limit, NULL)) continue;
        assert_true(qkv__ball_expectation(&algebra, f, normal, &box, &near));
        if (!(fabs(limit.lower - near.lower) < 0.02))
            fail_msg("%s is not near %s", near.text, limit.text);
        known++;
        qkv__ratio shifted = minus(f, qkv__rational_make(1, 7));
        if (!qkv__limit_probability(&algebra, shifted, QKV__EVENT_ABOVE, BETA, normal, &limit,
                                    NULL))
            continue;
        assert_true(
            qkv__ball_probability(&algebra, shifted, QKV__EVENT_ABOVE, normal, &box, &near));
        if (!(fabs(limit.lower - near.lower) < 0.02))
            fail_msg("%s is not near %s", near.text, limit.text);
    }
    if (known < 10) fail_msg("only %zu limits were found", known);
}

/* n - 2 may be 0, exponents may be no lines, functions may be unbounded, beta may be bounded. */
static void no_limits(void **state)
{
    (void)state;
    qkv__enclosure found;
    form square = e_to(times(parameter(BETA), times(parameter(E), parameter(E))));
    assert_false(
        qkv__limit_expectation(&algebra, repelling_weight(false), BETA, handout, &found, NULL));
    assert_false(qkv__limit_expectation(&algebra, over(square, plus(square, whole(1))), BETA,
                                        handout, &found, NULL));
    assert_false(qkv__limit_expectation(&algebra, plain(e_to(times(parameter(BETA), parameter(E)))),
                                        BETA, handout, &found, NULL));
    assert_false(
        qkv__limit_expectation(&algebra, plain(parameter(E)), BETA, handout, &found, NULL));
    assert_false(qkv__limit_expectation(&algebra, head_weight(), E, handout, &found, NULL));
    qkv__normal still = {E, {1, 1}, {0, 1}};
    assert_false(qkv__limit_expectation(&algebra, head_weight(), BETA, still, &found, NULL));
    algebra.parameter[BETA].upper = (qkv__bound){.known = true, .value = {5, 1}};
    assert_false(qkv__limit_expectation(&algebra, head_weight(), BETA, handout, &found, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(laws_in_the_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(limits_are_approached, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_limits, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
