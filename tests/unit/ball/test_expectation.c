/*
 * Expectations and probabilities over normal parameters. The judge is composite quadrature in long
 * double, which knows nothing of the room's methods, and closed forms: moments of the normal law,
 * its tails between known roots, the law of total expectation. Random cases are seeded.
 */
#include "expectation.h"

#include "support/cases.h"

#include "ball/expectation_part.h"

/* ---- Expectations --------------------------------------------------------------------------- */

static void weights_agree_with_quadrature(void **state)
{
    (void)state;
    random_source source = {11};
    for (int i = 0; i < (int)cases_of(120); i++) {
        qkv__rational beta = random_rational(&source, 0, i % 4 == 0 ? 60 : 12, 7);
        int64_t n = 2 + (int64_t)random_below(&source, i % 3 == 0 ? 2000 : 12);
        qkv__normal normal = {E, random_rational(&source, -2, 2, 3),
                              qkv__rational_make(1 + (int64_t)random_below(&source, 12), 8)};
        qkv__ratio f = i % 2 == 0 ? single_weight() : head_weight(), g = head_weight();
        qkv__box box = box_at(beta, n);
        long double fixed[4] = {approximate(beta), (long double)n};
        qkv__enclosure found;
        long double mean = integral(first_alone, f, f, normal, fixed, 8000);
        qkv__ball_expectation(&algebra, f, normal, &box, &found);
        check_holds(&found, mean, 1e-15L, 1e-13, "E f");
        long double other = integral(first_alone, g, g, normal, fixed, 8000);
        long double both = integral(product, f, g, normal, fixed, 8000);
        qkv__ball_covariance(&algebra, f, g, normal, &box, &found);
        check_holds(&found, both - mean * other, 1e-15L, 1e-13, "Cov(f, g)");
        qkv__ball_covariance(&algebra, f, f, normal, &box, &found);
        check_holds(&found, integral(product, f, f, normal, fixed, 8000) - mean * mean, 1e-15L,
                    1e-13, "Var f");
        assert_true(found.lower >= 0);
    }
}

/* Ratios that no one would write: sums of exponentials and polynomials over positive sums. */
static void random_ratios_agree_with_quadrature(void **state)
{
    (void)state;
    random_source source = {12};
    long double fixed[4] = {1, 3};
    for (int i = 0; i < 60; i++) {
        form above = plus(times(parameter(E), whole((int64_t)random_below(&source, 5) - 2)),
                          whole((int64_t)random_below(&source, 7) - 3));
        form below = whole(1 + (int64_t)random_below(&source, 3));
        for (int k = 0; k < 2; k++) {
            qkv__rational slope = random_rational(&source, -3, 3, 2);
            form power = e_to(qkv__form_scale(&algebra, parameter(E), slope));
            above = plus(above, times(power, whole((int64_t)random_below(&source, 5) - 2)));
            if (k == 0 || random_below(&source, 2) == 0) below = plus(below, power);
        }
        qkv__normal normal = {E, random_rational(&source, -1, 1, 4), {1, 2}};
        qkv__box box = box_at(qkv__rational_whole(1), 3);
        qkv__ratio f = over(above, below);
        qkv__enclosure found;
        long double value = integral(first_alone, f, f, normal, fixed, 6000);
        qkv__ball_expectation(&algebra, f, normal, &box, &found);
        check_holds(&found, value, 1e-14L * (1 + fabsl(value)), 1e-10 * (1 + fabs((double)value)),
                    "random ratio");
    }
}

/* E x^k = mean E x^(k-1) + (k - 1) variance E x^(k-2), and E e^(kx) = e^(k mean + k^2 variance/2)
 */
static void moments_of_the_law_itself(void **state)
{
    (void)state;
    qkv__box box = box_at(qkv__rational_whole(1), 2);
    qkv__normal normal = {E, {-2, 3}, {5, 4}};
    long double before = 1, now = -2.0L / 3;
    qkv__enclosure found;
    for (int k = 1; k <= 8; k++) {
        qkv__ball_expectation(&algebra, plain(qkv__form_power(&algebra, parameter(E), k)), normal,
                              &box, &found);
        check_holds(&found, now, 1e-14L * fabsl(now), 1e-11 * (1 + fabs((double)now)), "E x^k");
        long double next = -2.0L / 3 * now + k * 1.25L * before;
        before = now, now = next;
    }
    for (int k = -6; k <= 6; k++) {
        form power = e_to(times(parameter(E), whole(k)));
        long double value = expl(-2.0L / 3 * k + k * k * 1.25L / 2);
        qkv__ball_expectation(&algebra, plain(power), normal, &box, &found);
        check_holds(&found, value, 1e-14L * value, 1e-10 * (double)value, "E e^(kx)");
    }
}

static void covariances_obey_algebra(void **state)
{
    (void)state;
    qkv__box box = box_at(qkv__rational_whole(10), 7);
    qkv__ratio f = single_weight(), rest = qkv__ratio_subtract(&algebra, plain(whole(1)), f);
    qkv__enclosure variance, found;
    assert_true(qkv__ball_covariance(&algebra, f, f, handout, &box, &variance));
    assert_true(qkv__ball_covariance(&algebra, f, rest, handout, &box, &found));
    check_holds(&found, -(variance.lower + variance.upper) / 2, 1e-15L, 1e-13, "Cov(f, 1 - f)");
    assert_true(qkv__ball_covariance(&algebra, f, plain(parameter(BETA)), handout, &box, &found));
    assert_true(found.lower == 0 && found.upper == 0);
    qkv__normal still = {E, {1, 1}, {0, 1}};
    assert_true(qkv__ball_covariance(&algebra, f, f, still, &box, &found));
    assert_true(found.lower == 0 && found.upper == 0);
    assert_true(qkv__ball_expectation(&algebra, f, still, &box, &found));
    check_holds(&found, 1 / (2 + 5 * expl(-10)), 1e-16L, 1e-14, "f at the mean");
}

/* The catalogue's numbers, and more digits of the first from an independent system. */
static void known_numbers(void **state)
{
    (void)state;
    qkv__enclosure found;
    qkv__ratio f = single_weight();
    qkv__box box = box_at(qkv__rational_whole(10), 2);
    assert_true(qkv__ball_covariance(&algebra, f, f, handout, &box, &found));
    check_holds(&found, 0.195320654850187L, 5e-16L, 1e-14, "beta = 10");
    box = box_at(qkv__rational_make(1, 10), 2);
    assert_true(qkv__ball_covariance(&algebra, f, f, handout, &box, &found));
    check_holds(&found, 3.1e-4L, 5e-6L, 1e-14, "beta = 1/10");
    qkv__normal narrow = {E, {1, 1}, {1, 4}}; /* 1/2 read as a deviation */
    box = box_at(qkv__rational_whole(10), 2);
    assert_true(qkv__ball_covariance(&algebra, f, f, narrow, &box, &found));
    check_holds(&found, 0.1749L, 5e-5L, 1e-14, "deviation 1/2");
}

static void ranges_hold_their_points(void **state)
{
    (void)state;
    qkv__box box;
    qkv__ratio f = single_weight();
    qkv__range range = {.lower = {true, false, {2, 1}}, .upper = {true, false, {3, 1}}};
    assert_true(qkv__box_of_algebra(&algebra, &box));
    assert_true(qkv__box_narrow(&algebra, &box, BETA, range));
    range.upper.value = qkv__rational_whole(5);
    assert_true(qkv__box_narrow(&algebra, &box, N, range));
    qkv__enclosure wide, variance, point;
    assert_true(qkv__ball_expectation(&algebra, f, handout, &box, &wide));
    assert_true(qkv__ball_covariance(&algebra, f, f, handout, &box, &variance));
    assert_true(wide.upper - wide.lower < 0.5);
    for (int64_t n = 2; n <= 5; n++)
        for (int64_t b = 8; b <= 12; b++) {
            qkv__box at = box_at(qkv__rational_make(b, 4), n);
            assert_true(qkv__ball_expectation(&algebra, f, handout, &at, &point));
            assert_true(wide.lower <= point.lower && point.upper <= wide.upper);
            assert_true(qkv__ball_covariance(&algebra, f, f, handout, &at, &point));
            assert_true(variance.lower <= point.lower && point.upper <= variance.upper);
        }
}

/* ---- Conditions ----------------------------------------------------------------------------- */

static void total_expectation(void **state)
{
    (void)state;
    random_source source = {13};
    for (int i = 0; i < 40; i++) {
        qkv__rational t = random_rational(&source, -3, 4, 5);
        qkv__box box = box_at(random_rational(&source, 0, 20, 3), 2 + i % 9);
        qkv__ratio f = head_weight();
        qkv__half_line above = {true, t, t}, below = {false, t, t};
        qkv__enclosure all, high, low, chance_high, chance_low;
        assert_true(qkv__ball_expectation(&algebra, f, handout, &box, &all));
        assert_true(qkv__ball_expectation_given(&algebra, f, handout, above, &box, &high));
        assert_true(qkv__ball_expectation_given(&algebra, f, handout, below, &box, &low));
        assert_true(qkv__ball_half_line(handout, above, &chance_high));
        assert_true(qkv__ball_half_line(handout, below, &chance_low));
        assert_true(low.lower <= high.upper); /* the weight rises with e */
        long double sum =
            (long double)high.lower * chance_high.lower + (long double)low.lower * chance_low.lower;
        check_holds(&all, sum, 1e-14L, 1e-13, "E f in two parts");
        check_holds(&chance_high, normal_above(handout, approximate(t)), 1e-17L, 1e-15, "P(e > t)");
    }
}

/* E(x | x > t) = mean + deviation phi(u)/P(x > t), also far out where P is 10^-19. */
static void truncated_means(void **state)
{
    (void)state;
    qkv__box box = box_at(qkv__rational_whole(1), 2);
    for (int64_t t = -5; t <= 7; t++) {
        long double u = (t - 1) * sqrtl(2.0L), phi = expl(-u * u / 2) / sqrtl(2 * acosl(-1.0L));
        qkv__half_line line = {true, qkv__rational_whole(t), qkv__rational_whole(t)};
        qkv__enclosure found;
        qkv__ball_expectation_given(&algebra, plain(parameter(E)), handout, line, &box, &found);
        long double value = 1 + sqrtl(0.5L) * phi / (0.5L * erfcl(u / sqrtl(2.0L)));
        check_holds(&found, value, 1e-13L, 1e-10, "E(x | x > t)");
    }
    qkv__half_line between = {true, qkv__rational_make(1, 3), qkv__rational_make(1, 2)};
    qkv__enclosure wide, point;
    assert_true(
        qkv__ball_expectation_given(&algebra, plain(parameter(E)), handout, between, &box, &wide));
    between.lower = between.upper = qkv__rational_make(2, 5);
    assert_true(
        qkv__ball_expectation_given(&algebra, plain(parameter(E)), handout, between, &box, &point));
    assert_true(wide.lower <= point.lower && point.upper <= wide.upper);
}

/* A narrow hill on a threshold that is not known exactly: e^(-100 (x - 2/5)^2). */
static void uncertain_thresholds(void **state)
{
    (void)state;
    qkv__box box = box_at(qkv__rational_whole(1), 2);
    form gap = plus(parameter(E), qkv__form_constant(&algebra, qkv__rational_make(-2, 5)));
    qkv__ratio hill = plain(e_to(times(whole(-100), times(gap, gap))));
    for (int above = 0; above < 2; above++) {
        qkv__half_line line = {above == 1, qkv__rational_make(1, 4), qkv__rational_make(1, 2)};
        qkv__enclosure wide, point;
        assert_true(qkv__ball_expectation_given(&algebra, hill, handout, line, &box, &wide));
        for (int64_t t = 10; t <= 20; t++) {
            line.lower = line.upper = qkv__rational_make(t, 40);
            assert_true(qkv__ball_expectation_given(&algebra, hill, handout, line, &box, &point));
            assert_true(wide.lower <= point.lower && point.upper <= wide.upper);
        }
    }
}

/* ---- Tails ---------------------------------------------------------------------------------- */

/* E(e^(ky); beyond the cut) by the rule of midpoints */
static long double tail_sum(qkv__normal normal, double cut, qkv__rational from, int side,
                            int64_t growth)
{
    long double sum = 0, h = 1e-4L;
    for (long double x = cut + h / 2; x < 16; x += h) {
        long double deviation = sqrtl(approximate(normal.variance));
        long double y =
            side * (approximate(normal.mean) + side * deviation * x - approximate(from));
        sum += h * expl(growth * y - x * x / 2) / sqrtl(2 * acosl(-1.0L));
    }
    return sum;
}

static void check_tail_points(qkv__ratio f, qkv__rational from, int side, int64_t growth,
                              const qkv__interval *bounds)
{
    long double at[QKV__PARAMETERS] = {2, 5};
    for (long double y = 0; y < 200; y = y * 1.1L + 0.01L) {
        at[E] = approximate(from) + side * y;
        double value = (double)(ratio_value(&algebra, f, at) * expl(-growth * y));
        if (isnan(value)) continue; /* infinity over infinity */
        assert_true(arf_cmp_d(bounds->lower, value + 1e-12 * fabs(value)) <= 0);
        assert_true(arf_cmp_d(bounds->upper, value - 1e-12 * fabs(value)) >= 0);
    }
}

/* They weigh too little to be seen in an expectation; so they are looked at alone, with cuts near
 * the mean. */
static void tails_hold(void **state)
{
    (void)state;
    random_source source = {15};
    qkv__normal normal = {E, {1, 3}, {3, 4}};
    qkv__box box = box_at(qkv__rational_whole(2), 5);
    qkv__ratio functions[] = {head_weight(), plain(times(parameter(E), parameter(E))),
                              over(plus(parameter(E), whole(-3)), e_to(parameter(E))),
                              plain(e_to(parameter(E)))};
    qkv__normal_ball ball;
    qkv__interval bounds;
    arb_t weight;
    size_t bounded = 0;
    qkv__normal_ball_init(&ball, normal, 64);
    qkv__interval_init(&bounds);
    arb_init(weight);
    for (int i = 0; i < 72; i++) {
        int side = i % 2 == 0 ? 1 : -1;
        int64_t growth = i / 2 % 3;
        double cut = 0.5 + 2 * random_uniform(&source);
        qkv__rational from = qkv__tail_start(&ball, cut, side);
        assert_true(side * (1.0L / 3 + side * cut * sqrtl(0.75L) - approximate(from)) >= 0);
        qkv__tail_weight(weight, &ball, cut, from, side, growth, 64);
        long double sum = tail_sum(normal, cut, from, side, growth);
        double found = qkv__arb_approximate(weight);
        if (!(fabsl(found - sum) <= 1e-6L * sum)) fail_msg("weight %g instead of %Lg", found, sum);
        qkv__ratio f = functions[i / 6 % 4];
        if (!qkv__tail_bound(&algebra, f, E, from, side, growth, &box, &bounds)) continue;
        check_tail_points(f, from, side, growth, &bounds);
        bounded++;
    }
    assert_true(bounded > 36);
    qkv__normal_ball_clear(&ball);
    qkv__interval_clear(&bounds);
    arb_clear(weight);
}

/* ---- Probabilities -------------------------------------------------------------------------- */

/* (x - r1)(x - r2)(x - r3): the signs between the roots are known. */
static void cubics_with_known_roots(void **state)
{
    (void)state;
    random_source source = {14};
    qkv__box box = box_at(qkv__rational_whole(1), 2);
    for (int i = 0; i < 40; i++) {
        qkv__rational root[3];
        form cubic = whole(1);
        for (int k = 0; k < 3; k++) {
            root[k] = random_rational(&source, -2, 4, 7);
            cubic = times(cubic, plus(parameter(E),
                                      qkv__form_constant(&algebra, qkv__rational_negate(root[k]))));
        }
        long double r[3] = {approximate(root[0]), approximate(root[1]), approximate(root[2])};
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < 2; j++)
                if (r[j] > r[j + 1]) {
                    long double swap = r[j];
                    r[j] = r[j + 1], r[j + 1] = swap;
                }
        long double above =
            normal_above(handout, r[2]) + normal_above(handout, r[0]) - normal_above(handout, r[1]);
        qkv__enclosure found, rest;
        qkv__ball_probability(&algebra, plain(cubic), QKV__EVENT_ABOVE, handout, &box, &found);
        check_holds(&found, above, 1e-16L, 1e-9, "P(cubic > 0)");
        qkv__ball_probability(&algebra, plain(cubic), QKV__EVENT_AT_MOST, handout, &box, &rest);
        check_holds(&rest, 1 - above, 1e-16L, 1e-9, "P(cubic <= 0)");
        qkv__ball_probability(&algebra, over(whole(1), cubic), QKV__EVENT_ABOVE, handout, &box,
                              &found);
        check_holds(&found, above, 1e-16L, 1e-9, "P(1/cubic > 0)");
        qkv__ball_probability(&algebra, plain(cubic), QKV__EVENT_EQUAL, handout, &box, &found);
        assert_true(found.known && found.lower == 0 && found.upper == 0);
    }
}

/* P(weight < 1 - tau) = 1/2 erfc(1 - L/beta), and given e > 0; to the catalogue's digits. */
static void failures_of_a_head(void **state)
{
    (void)state;
    static const struct {
        int64_t n, beta;
        long double all, given;
    } known[] = {{10, 10, 0.325L, 0.267L},
                 {10, 100, 0.094L, 0.016L},
                 {5, 10, 0.2849L, 0},
                 {5, 50, 0.1066L, 0}};
    qkv__half_line positive = {true, {0, 1}, {0, 1}};
    qkv__ratio f = minus(head_weight(), qkv__rational_make(99, 100));
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        qkv__box box = box_at(qkv__rational_whole(known[i].beta), known[i].n);
        long double margin = logl((known[i].n - 1) * 99.0L);
        qkv__enclosure found;
        qkv__ball_probability(&algebra, f, QKV__EVENT_BELOW, handout, &box, &found);
        check_holds(&found, 0.5L * erfcl(1 - margin / known[i].beta), 1e-17L, 1e-14, "P(fail)");
        check_holds(&found, known[i].all, 5e-4L, 1e-14, "P(fail), as known");
        if (known[i].given == 0) continue;
        qkv__ball_probability_given(&algebra, f, QKV__EVENT_BELOW, handout, positive, &box, &found);
        check_holds(&found, known[i].given, 5e-4L, 1e-14, "P(fail | e > 0), as known");
    }
    qkv__box box;
    qkv__enclosure found;
    assert_true(qkv__box_of_algebra(&algebra, &box));
    form square = times(parameter(E), parameter(E));
    qkv__ball_probability_given(&algebra, minus(plain(square), qkv__rational_whole(1)),
                                QKV__EVENT_ABOVE, handout, (qkv__half_line){false, {0, 1}, {0, 1}},
                                &box, &found);
    check_holds(&found, 0.5L * erfcl(2) / (0.5L * erfcl(1)), 1e-16L, 1e-14, "P(x^2 > 1 | x < 0)");
}

static void certain_and_impossible_events(void **state)
{
    (void)state;
    qkv__box box = box_at(qkv__rational_whole(3), 4);
    qkv__enclosure found;
    qkv__ratio zero = plain(whole(0)), weight = single_weight();
    qkv__ball_probability(&algebra, weight, QKV__EVENT_ABOVE, handout, &box, &found);
    assert_true(found.known && found.lower == 1 && found.upper == 1);
    qkv__ball_probability(&algebra, zero, QKV__EVENT_ABOVE, handout, &box, &found);
    assert_true(found.known && found.lower == 0 && found.upper == 0);
    qkv__ball_probability(&algebra, zero, QKV__EVENT_AT_LEAST, handout, &box, &found);
    assert_true(found.known && found.lower == 1 && found.upper == 1);
    qkv__normal still = {E, {1, 1}, {0, 1}};
    qkv__ball_probability(&algebra, minus(weight, qkv__rational_make(1, 3)), QKV__EVENT_ABOVE,
                          still, &box, &found);
    assert_true(found.known && found.lower == 1);
    /* A function that may be 0 everywhere decides nothing: (beta - 3) e at beta = 3. */
    qkv__ratio flat = plain(times(plus(parameter(BETA), whole(-3)), parameter(E)));
    qkv__ball_probability(&algebra, flat, QKV__EVENT_ABOVE, handout, &box, &found);
    assert_true(!found.known || found.lower == 0);
}

/* ---- What has no answer --------------------------------------------------------------------- */

static void no_answers(void **state)
{
    (void)state;
    qkv__box box = box_at(qkv__rational_whole(3), 4), free;
    qkv__enclosure found;
    qkv__ratio pole = over(whole(1), parameter(E));
    qkv__ratio fast = plain(e_to(times(parameter(E), parameter(E))));
    qkv__ratio lost = {NULL, NULL};
    assert_false(qkv__ball_expectation(&algebra, pole, handout, &box, &found));
    assert_false(qkv__ball_expectation(&algebra, fast, handout, &box, &found)); /* it is infinite */
    assert_false(qkv__ball_expectation(&algebra, lost, handout, &box, &found));
    assert_false(qkv__ball_probability(&algebra, lost, QKV__EVENT_ABOVE, handout, &box, &found));
    qkv__normal wrong[] = {
        {N, {1, 1}, {1, 2}}, {E, {1, 1}, {-1, 2}}, {E, {0, 0}, {1, 2}}, {9, {1, 1}, {1, 2}}};
    for (int i = 0; i < 4; i++)
        assert_false(qkv__ball_expectation(&algebra, single_weight(), wrong[i], &box, &found));
    assert_true(qkv__box_of_algebra(&algebra, &free)); /* beta and n are infinite */
    assert_false(qkv__ball_expectation(&algebra, single_weight(), handout, &free, &found));
    qkv__half_line backwards = {true, {1, 1}, {0, 1}};
    assert_false(
        qkv__ball_expectation_given(&algebra, single_weight(), handout, backwards, &box, &found));
}

static void memory_that_is_not_there(void **state)
{
    (void)state;
    qkv__box box = box_at(qkv__rational_whole(3), 4);
    qkv__ratio f = single_weight(), g = minus(f, qkv__rational_make(1, 3));
    long live = qkv__memory_live();
    qkv__enclosure first, found;
    assert_true(qkv__ball_expectation(&algebra, f, handout, &box, &first));
    for (long countdown = 0; countdown < 60; countdown++) {
        qkv__memory_fail_after(countdown);
        qkv__ball_expectation(&algebra, f, handout, &box, &found);
        qkv__memory_fail_after(-1);
        if (found.known) assert_true(found.lower <= first.upper && first.lower <= found.upper);
        qkv__memory_fail_after(countdown);
        qkv__ball_probability(&algebra, g, QKV__EVENT_ABOVE, handout, &box, &found);
        qkv__memory_fail_after(-1);
        assert_int_equal(qkv__memory_live(), live);
    }
}

/* ---- Two parameters ------------------------------------------------------------------------- */

/* e^(beta e) / (e^(beta e) + e^(beta f) + n - 2) */
static qkv__ratio both_weight(void)
{
    form own = e_to(times(parameter(BETA), parameter(E)));
    form other = e_to(times(parameter(BETA), parameter(F)));
    return over(own, plus(plus(own, other), plus(parameter(N), whole(-2))));
}

static long double double_integral(qkv__ratio f, const long double *fixed)
{
    long double at[QKV__PARAMETERS] = {0}, sum = 0, h = 0.05L;
    for (int p = 0; p < 4; p++) at[p] = fixed[p];
    for (int i = -160; i <= 160; i++)
        for (int j = -160; j <= 160; j++) {
            at[E] = 1 + sqrtl(0.5L) * h * i;
            at[F] = 1 + sqrtl(0.5L) * h * j;
            sum += expl(-h * h * (i * i + j * j) / 2) * ratio_value(&algebra, f, at);
        }
    return sum * h * h / (2 * acosl(-1.0L));
}

static void two_parameters(void **state)
{
    (void)state;
    qkv__normal pair[2] = {handout, {F, {1, 1}, {1, 2}}};
    qkv__ratio f = both_weight();
    qkv__enclosure found;
    for (int64_t beta = 1; beta <= 3; beta += 2) {
        qkv__box box = box_at(qkv__rational_whole(beta), 5);
        long double fixed[4] = {(long double)beta, 5};
        qkv__ball_expectation_two(&algebra, f, pair, &box, &found);
        check_holds(&found, double_integral(f, fixed), 1e-12L, 2e-6, "E over two");
    }
    /* n = 2: only the difference counts, whose variance is 1; the catalogue has 0.2107. */
    qkv__box box = box_at(qkv__rational_whole(10), 2);
    qkv__ratio reduced = qkv__ratio_substitute(&algebra, f, N, whole(2));
    qkv__normal merged;
    assert_true(qkv__normal_merge(&algebra, &reduced, pair, &merged));
    assert_true(merged.parameter == E && qkv__rational_is_zero(merged.mean));
    assert_true(qkv__rational_compare(merged.variance, qkv__rational_whole(1)) == 0);
    assert_true(qkv__ball_covariance(&algebra, reduced, reduced, merged, &box, &found));
    check_holds(&found, 0.2107L, 5e-5L, 1e-14, "both noisy");
    assert_true(qkv__ball_expectation_two(&algebra, f, pair, &box, &found));
    check_holds(&found, 0.5L, 0, 1e-14, "by symmetry");
    reduced = f;
    assert_false(qkv__normal_merge(&algebra, &reduced, pair, &merged)); /* n is not 2 */
    pair[1].parameter = E;
    assert_false(qkv__ball_expectation_two(&algebra, f, pair, &box, &found));
}

/* ---- Closed forms --------------------------------------------------------------------------- */

static void tails_in_words(void **state)
{
    (void)state;
    static const struct {
        qkv__rational threshold, variance;
        const char *words;
    } known[] = {
        {{1, 1}, {1, 2}, "1/2"},
        {{2, 1}, {1, 2}, "1/2*erfc(1)"},
        {{0, 1}, {1, 2}, "1 - 1/2*erfc(1)"},
        {{5, 2}, {1, 2}, "1/2*erfc(3/2)"},
        {{2, 1}, {1, 1}, "1/2*erfc(sqrt(1/2))"},
        {{2, 1}, {0, 1}, "0"},
        {{0, 1}, {0, 1}, "1"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        qkv__text text = {0};
        qkv__normal normal = {E, {1, 1}, known[i].variance};
        assert_true(qkv__normal_write_above(normal, known[i].threshold, &text));
        assert_string_equal(text.data, known[i].words);
        qkv__text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(weights_agree_with_quadrature, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_ratios_agree_with_quadrature, set_up, tear_down),
        cmocka_unit_test_setup_teardown(moments_of_the_law_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(covariances_obey_algebra, set_up, tear_down),
        cmocka_unit_test_setup_teardown(known_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ranges_hold_their_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(total_expectation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(truncated_means, set_up, tear_down),
        cmocka_unit_test_setup_teardown(uncertain_thresholds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tails_hold, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cubics_with_known_roots, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failures_of_a_head, set_up, tear_down),
        cmocka_unit_test_setup_teardown(certain_and_impossible_events, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_answers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_that_is_not_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_parameters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tails_in_words, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
