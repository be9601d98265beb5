/*
 * Rigorous enclosures. The judge is an independent evaluation in long double with a bound of its
 * own error: no enclosure may miss it, no verdict on a sign may contradict it at any point, and
 * thresholds must be where closed forms put them. All forms are built by the exact room's
 * functions; random ones are seeded.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/random.h"

#include "ball/derivative.h"
#include "ball/enclosure.h"
#include "ball/evaluate.h"
#include "ball/interval.h"
#include "ball/least.h"
#include "ball/numeric.h"
#include "ball/sign.h"
#include "base/memory.h"

/* ---- A workshop of forms ------------------------------------------------------------------- */

typedef const qkv__form *form;

/* beta >= 0; n whole, >= 1; d > 0; x any number. */
enum { BETA, N, D, X };

static qkv__algebra algebra;

static int set_up(void **state)
{
    (void)state;
    static const char *const name[] = {"beta", "n", "d", "x"};
    algebra = (qkv__algebra){0};
    for (int p = BETA; p <= X; p++)
        if (qkv__parameter_add(&algebra, name[p]) != p) return 1;
    algebra.parameter[BETA].lower = (qkv__bound){.known = true, .value = {0, 1}};
    algebra.parameter[N].lower = (qkv__bound){.known = true, .value = {1, 1}};
    algebra.parameter[N].whole = true;
    algebra.parameter[D].lower = (qkv__bound){.known = true, .strict = true, .value = {0, 1}};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    qkv__arena_free(&algebra.arena);
    return qkv__memory_live() == 0 ? 0 : 1;
}

static form whole(int64_t value)
{
    return qkv__form_whole(&algebra, value);
}

static form fraction(int64_t above, int64_t below)
{
    return qkv__form_constant(&algebra, qkv__rational_make(above, below));
}

static form parameter(int p)
{
    return qkv__form_parameter(&algebra, p);
}

static form plus(form a, form b)
{
    return qkv__form_add(&algebra, a, b);
}

static form minus(form a, form b)
{
    return qkv__form_subtract(&algebra, a, b);
}

static form times(form a, form b)
{
    return qkv__form_multiply(&algebra, a, b);
}

static form power(form a, int exponent)
{
    return qkv__form_power(&algebra, a, exponent);
}

static form e_to(form a)
{
    return qkv__form_exponential(&algebra, a);
}

static qkv__ratio over(form a, form b)
{
    return qkv__ratio_divide(&algebra, qkv__ratio_of_form(&algebra, a),
                             qkv__ratio_of_form(&algebra, b));
}

/* ---- Boxes --------------------------------------------------------------------------------- */

static qkv__box everywhere(void)
{
    qkv__box box;
    assert_true(qkv__box_of_algebra(&algebra, &box));
    return box;
}

static qkv__bound at(qkv__rational value)
{
    return (qkv__bound){.known = true, .value = value};
}

static qkv__box fixed(qkv__box box, int p, int64_t above, int64_t below)
{
    assert_true(qkv__box_fix(&algebra, &box, p, qkv__rational_make(above, below)));
    return box;
}

static qkv__box between(qkv__box box, int p, qkv__rational lower, qkv__rational upper)
{
    qkv__range range = {.lower = at(lower), .upper = at(upper)};
    assert_true(qkv__box_narrow(&algebra, &box, p, range));
    return box;
}

static qkv__box from(qkv__box box, int p, int64_t lower)
{
    qkv__range range = {.lower = at(qkv__rational_whole(lower))};
    assert_true(qkv__box_narrow(&algebra, &box, p, range));
    return box;
}

/* ---- The judge ----------------------------------------------------------------------------- */

/* A value and how far from the truth it may be. */
typedef struct judged {
    long double value, error;
} judged;

static long double number(qkv__rational value)
{
    return (long double)value.numerator / (long double)value.denominator;
}

static long double value_of(int p, const qkv__point *point)
{
    int64_t prime = algebra.parameter[p].prime;
    return prime != 0 ? logl((long double)prime) : number(point->value[p]);
}

/* c * the product of powers; *roundings counts operations, each good to two units (glibc's powl,
 * expl and logl are). */
static long double power_product(const qkv__term *term, const qkv__point *point,
                                 long double *roundings)
{
    long double product = number(term->coefficient);
    *roundings += 1;
    for (int p = 0; p < QKV__PARAMETERS; p++) {
        if (term->power[p] == 0) continue;
        product *= powl(value_of(p, point), term->power[p] / 2.0L);
        *roundings += 3 + fabsl(term->power[p] / 2.0L); /* the base's own rounding is raised too */
    }
    return product;
}

/* An error in the exponent is a relative error of the exponential. */
static judged judge_term(const qkv__term *term, const qkv__point *point)
{
    long double roundings = 4, exponent = 0, sizes = 0;
    for (size_t i = 0; term->exponent != NULL && i < term->exponent->count; i++) {
        long double inner = 2;
        long double part = power_product(&term->exponent->term[i], point, &inner);
        exponent += part;
        sizes += fabsl(part) * (inner + (long double)i);
    }
    long double value = power_product(term, point, &roundings) * expl(exponent);
    return (judged){value, fabsl(value) * (roundings + sizes) * 2 * LDBL_EPSILON + LDBL_MIN};
}

static judged judge(form a, const qkv__point *point)
{
    judged sum = {0, 0};
    for (size_t i = 0; i < a->count; i++) {
        judged term = judge_term(&a->term[i], point);
        sum.value += term.value;
        sum.error += term.error + (fabsl(sum.value) + fabsl(term.value)) * LDBL_EPSILON;
    }
    return sum;
}

/* |a/b - a'/b'| <= (error of a + |a/b| error of b) / (|b| - error of b), and one rounding. */
static judged judge_ratio(qkv__ratio a, const qkv__point *point)
{
    if (qkv__ratio_is_lost(a)) return (judged){0, INFINITY};
    judged above = judge(a.numerator, point), below = judge(a.denominator, point);
    long double value = above.value / below.value, room = fabsl(below.value) - below.error;
    long double error = (above.error + fabsl(value) * below.error) / room;
    if (!(room > 0)) return (judged){0, INFINITY};
    return (judged){value, error + 2 * fabsl(value) * LDBL_EPSILON + LDBL_MIN};
}

static bool is_judged_inside(judged truth, const qkv__enclosure *enclosure)
{
    if (!isfinite(truth.value) || !isfinite(truth.error)) return true;
    return enclosure->lower <= truth.value + truth.error &&
           enclosure->upper >= truth.value - truth.error;
}

/* Reads "a", "a +/- r" and "[a, b]" back. Decimals are rounded by the reading, by their size. */
static bool is_text_inside(judged truth, const char *text)
{
    char *rest;
    bool ends = text[0] == '[';
    long double lower = strtold(text + ends, &rest), upper = lower;
    if (ends) upper = strtold(rest + 2, &rest);
    if (strncmp(rest, " +/- ", 5) == 0) {
        long double radius = strtold(rest + 5, &rest);
        lower -= radius;
        upper += radius;
    }
    long double slack = truth.error + 4 * LDBL_EPSILON * (fabsl(lower) + fabsl(upper));
    if (!isfinite(truth.value) || !isfinite(slack)) return true;
    return lower <= truth.value + slack && upper >= truth.value - slack;
}

/* ---- Random forms -------------------------------------------------------------------------- */

static int64_t random_between(random_source *source, int64_t lower, int64_t upper)
{
    return lower + (int64_t)random_below(source, (size_t)(upper - lower + 1));
}

static form random_rational(random_source *source)
{
    int64_t above = random_between(source, 1, 20), below = random_between(source, 1, 6);
    return fraction(random_below(source, 2) == 0 ? above : -above, below);
}

static form random_exponent_part(random_source *source)
{
    form beta = parameter(BETA), part = beta;
    switch (random_below(source, 7)) {
    case 0: part = power(beta, 2); break;
    case 1: part = over(beta, qkv__form_root(&algebra, parameter(D))).numerator; break;
    case 2: part = parameter(X); break;
    case 3: part = qkv__form_scale(&algebra, parameter(N), qkv__rational_make(1, 50)); break;
    case 4: part = qkv__form_logarithm(&algebra, qkv__rational_make(6, 5)); break;
    default: break;
    }
    qkv__rational factor = qkv__rational_make(random_between(source, -4, 4), 2);
    return qkv__form_scale(&algebra, part, factor);
}

static form random_term(random_source *source)
{
    qkv__term powers = {.coefficient = {1, 1}};
    if (random_below(source, 3) == 0) powers.power[BETA] = (int16_t)random_between(source, 0, 6);
    if (random_below(source, 3) == 0) powers.power[N] = (int16_t)random_between(source, -2, 4);
    if (random_below(source, 4) == 0) powers.power[D] = (int16_t)random_between(source, -3, 3);
    if (random_below(source, 4) == 0) powers.power[X] = (int16_t)(2 * random_below(source, 4));
    form term = times(random_rational(source), qkv__form_term(&algebra, &powers));
    form exponent = whole(0);
    for (size_t parts = random_below(source, 4); parts > 1; parts--)
        exponent = plus(exponent, random_exponent_part(source));
    return times(term, e_to(exponent));
}

static form random_form(random_source *source)
{
    form sum = random_term(source);
    for (size_t terms = random_below(source, 4); terms > 0; terms--)
        sum = plus(sum, random_term(source));
    return sum;
}

/* Every parameter that occurs nowhere or everywhere gets a number. Sixteenths are exact doubles. */
static qkv__point random_point(random_source *source)
{
    qkv__point point = {0};
    point.value[BETA] = qkv__rational_make(random_between(source, 0, 8 * 16), 16);
    point.value[N] = qkv__rational_whole(random_between(source, 1, 100));
    point.value[D] = qkv__rational_make(random_between(source, 1, 8 * 16), 16);
    point.value[X] = qkv__rational_make(random_between(source, -4 * 16, 4 * 16), 16);
    return point;
}

static qkv__box box_of_point(const qkv__point *point)
{
    qkv__box box = everywhere();
    for (int p = BETA; p <= X; p++) assert_true(qkv__box_fix(&algebra, &box, p, point->value[p]));
    return box;
}

/* Between two random points in some parameters, at the first point in the others. */
static qkv__box random_box(random_source *source, size_t fixed_of_three)
{
    qkv__point a = random_point(source), b = random_point(source);
    qkv__box box = everywhere();
    for (int p = BETA; p <= X; p++) {
        if (random_below(source, 3) < fixed_of_three) b.value[p] = a.value[p];
        bool ordered = qkv__rational_compare(a.value[p], b.value[p]) <= 0;
        box = between(box, p, ordered ? a.value[p] : b.value[p], ordered ? b.value[p] : a.value[p]);
    }
    return box;
}

/* A number of the range: from a finite one evenly, from an infinite one at all scales. */
static qkv__rational random_in(random_source *source, const qkv__range *range, bool is_whole)
{
    qkv__rational lower = range->lower.known ? range->lower.value : qkv__rational_whole(-50);
    qkv__rational scale = qkv__rational_make(random_between(source, 0, 64), 64);
    qkv__rational width = qkv__rational_whole(INT64_C(1) << random_below(source, 7));
    if (range->upper.known) width = qkv__rational_subtract(range->upper.value, lower);
    if (range->lower.strict && scale.numerator == 0) scale = qkv__rational_make(1, 64);
    qkv__rational value = qkv__rational_add(lower, qkv__rational_multiply(width, scale));
    return is_whole ? qkv__rational_ceiling(value) : value;
}

static qkv__point random_point_in(random_source *source, const qkv__box *box)
{
    qkv__point point = {0};
    for (int p = BETA; p <= X; p++) point.value[p] = random_in(source, &box->range[p], p == N);
    return point;
}

/* A fresh algebra now and then, so that memory stays small. */
static void forget_forms_now_and_then(size_t i)
{
    void *no_state = NULL;
    if (i % 256 != 255) return;
    assert_int_equal(tear_down(&no_state), 0);
    assert_int_equal(set_up(&no_state), 0);
}

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

/* 25,000 quotients of random forms, each at 4 points. */
static void no_value_escapes_at_points(void **state)
{
    (void)state;
    random_source source = {3};
    size_t known = 0;
    for (size_t i = 0; i < 25000; i++, forget_forms_now_and_then(i)) {
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
    assert_true(known > 99000); /* the rest divides by zero */
}

static void no_value_escapes_from_boxes(void **state)
{
    (void)state;
    random_source source = {4};
    size_t known = 0;
    for (size_t i = 0; i < 600; i++, forget_forms_now_and_then(i)) {
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
    assert_true(known > 400);
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
    form valley = plus(power(minus(parameter(N), beta), 2), whole(1));
    assert_int_equal(qkv__ball_sign_form(&algebra, valley, &all, 0, &result), QKV__SIGN_UNKNOWN);
    assert_true(result.spent <= QKV__SIGN_EFFORT);
    assert_int_equal(qkv__ball_sign_form(&algebra, valley, &all, 10, &result), QKV__SIGN_UNKNOWN);
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
    size_t decided = 0, asked = 4000;
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

/* ---- Plain numbers ------------------------------------------------------------------------- */

enum { KEYS = 10000, WIDTH = 64, COLUMNS = 3 };

static double query[WIDTH], keys[KEYS * WIDTH], values[KEYS * COLUMNS];
static qkv__bounds scores[KEYS], weights[KEYS], combined[COLUMNS];

static void fill(random_source *source, double *numbers, size_t count, double scale)
{
    for (size_t i = 0; i < count; i++) numbers[i] = scale * random_bell(source);
}

static bool holds(qkv__bounds bounds, long double value, long double error)
{
    return bounds.lower <= value + error && bounds.upper >= value - error &&
           bounds.upper - bounds.lower <= 4 * DBL_EPSILON * fabsl(value) + DBL_MIN;
}

/* The roundings of a dot product of d terms are d units of the sum of sizes; those of the scores
 * carry over to the weights as relative errors. */
static void plain_numbers_are_enclosed(void **state)
{
    (void)state;
    static long double weight[KEYS];
    random_source source = {7};
    fill(&source, query, WIDTH, 1);
    fill(&source, keys, KEYS * WIDTH, 1);
    fill(&source, values, KEYS * COLUMNS, 5);
    qkv__numeric_input input = {.count = KEYS,
                                .dimension = WIDTH,
                                .query = query,
                                .keys = keys,
                                .scale = {1, 8},
                                .value_dimension = COLUMNS,
                                .values = values};
    qkv__numeric_output output = {scores, weights, combined};
    qkv_error error;
    check_ok(qkv__ball_numeric(&input, &output, &error), &error);
    long double sum = 0, sums[COLUMNS] = {0}, sizes[COLUMNS] = {0};
    const long double slack = 2000 * LDBL_EPSILON;
    for (size_t i = 0; i < KEYS; i++) {
        long double score = 0, size = 0;
        for (size_t j = 0; j < WIDTH; j++) {
            score += (long double)query[j] * keys[i * WIDTH + j];
            size += fabsl((long double)query[j] * keys[i * WIDTH + j]);
        }
        assert_true(scores[i].lower <= score / 8 + size * WIDTH * LDBL_EPSILON);
        assert_true(scores[i].upper >= score / 8 - size * WIDTH * LDBL_EPSILON);
        sum += weight[i] = expl(score / 8);
    }
    for (size_t i = 0; i < KEYS; i++) {
        assert_true(holds(weights[i], weight[i] / sum, slack * weight[i] / sum));
        for (size_t j = 0; j < COLUMNS; j++) {
            sums[j] += weight[i] / sum * values[i * COLUMNS + j];
            sizes[j] += fabsl(weight[i] / sum * values[i * COLUMNS + j]);
        }
    }
    for (size_t j = 0; j < COLUMNS; j++) {
        assert_true(combined[j].lower <= sums[j] + 8 * slack * sizes[j]);
        assert_true(combined[j].upper >= sums[j] - 8 * slack * sizes[j]);
        assert_true(combined[j].upper - combined[j].lower <= 4 * DBL_EPSILON * fabsl(sums[j]));
    }
}

/* Rationals and doubles of the same value give the same bits; a shift of all scores changes no
 * weight; far scores neither overflow nor divide by zero. */
static void scores_may_be_given(void **state)
{
    (void)state;
    qkv__rational exact[4] = {{1, 2}, {3, 1}, {-5, 4}, {0, 1}};
    double plain[4] = {0.5, 3, -1.25, 0}, far[4] = {1e300, -1e300, 1e300, 0};
    qkv__bounds of_exact[4], of_plain[4];
    qkv_error error;
    qkv__numeric_input input = {.count = 4, .exact_scores = exact};
    qkv__numeric_output output = {.weights = of_exact};
    check_ok(qkv__ball_numeric(&input, &output, &error), &error);
    input = (qkv__numeric_input){.count = 4, .scores = plain};
    output.weights = of_plain;
    check_ok(qkv__ball_numeric(&input, &output, &error), &error);
    assert_memory_equal(of_exact, of_plain, sizeof of_exact);
    for (size_t i = 0; i < 4; i++) exact[i] = qkv__rational_add(exact[i], qkv__rational_make(1, 3));
    input = (qkv__numeric_input){.count = 4, .exact_scores = exact};
    check_ok(qkv__ball_numeric(&input, &output, &error), &error);
    for (size_t i = 0; i < 4; i++)
        assert_true(of_plain[i].lower <= of_exact[i].upper &&
                    of_exact[i].lower <= of_plain[i].upper);
    input = (qkv__numeric_input){.count = 4, .scores = far};
    check_ok(qkv__ball_numeric(&input, &output, &error), &error);
    assert_true(of_plain[0].lower <= 0.5 && of_plain[0].upper >= 0.5 && of_plain[0].lower > 0.4999);
    assert_true(of_plain[1].lower == 0 && of_plain[1].upper == nextafter(0, 1));
}

static void bad_numbers_are_named(void **state)
{
    (void)state;
    double plain[2] = {1, NAN};
    qkv__rational exact[2] = {{1, 1}, {0, 0}};
    qkv__numeric_output output = {.weights = weights};
    qkv_error error;
    qkv__numeric_input input = {.count = 2, .scores = plain};
    check_error(qkv__ball_numeric(&input, &output, &error), QKV_ERROR_ARGUMENT, &error,
                "scores[1] is nan");
    input.exact_scores = exact;
    check_error(qkv__ball_numeric(&input, &output, &error), QKV_ERROR_ARGUMENT, &error,
                "2 sources");
    input.scores = NULL;
    check_error(qkv__ball_numeric(&input, &output, &error), QKV_ERROR_ARGUMENT, &error,
                "exact_scores[1] is lost");
    input.count = 0;
    check_error(qkv__ball_numeric(&input, &output, &error), QKV_ERROR_ARGUMENT, &error,
                "count is 0");
    input = (qkv__numeric_input){.count = 1, .scores = plain, .value_dimension = 1};
    check_error(qkv__ball_numeric(&input, &output, &error), QKV_ERROR_ARGUMENT, &error,
                "values is NULL");
}

/* ---- Memory -------------------------------------------------------------------------------- */

/* Whichever allocation fails, the answer is right or not known, and nothing is kept. */
static void failed_allocations_decide_nothing(void **state)
{
    (void)state;
    form beta = parameter(BETA), e_beta = e_to(beta);
    form f = plus(minus(e_beta, power(beta, 3)), plus(power(beta, 2), whole(1)));
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

#define BALL_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

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
        BALL_TEST(signs_over_infinite_boxes),
        BALL_TEST(witnesses_show_both_signs),
        BALL_TEST(edges_may_touch_zero),
        BALL_TEST(near_misses_are_not_misjudged),
        BALL_TEST(signs_refuse),
        BALL_TEST(no_point_contradicts_a_sign),
        BALL_TEST(thresholds_are_the_closed_forms),
        BALL_TEST(thresholds_of_other_shapes),
        BALL_TEST(thresholds_may_not_be),
        BALL_TEST(plain_numbers_are_enclosed),
        BALL_TEST(scores_may_be_given),
        BALL_TEST(bad_numbers_are_named),
        BALL_TEST(failed_allocations_decide_nothing),
    };
    return cmocka_run_group_tests_name("ball", tests, NULL, NULL);
}
