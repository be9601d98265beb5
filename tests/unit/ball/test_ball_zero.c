/*
 * Signs of forms that touch zero: by real roots, at exact zeros, by sums of squares. Known theorems
 * must be proved; the same lowered a little must be refuted, with a point; polynomials with planted
 * roots have the sign that their factors give; and no verdict on random forms may contradict the
 * judge anywhere.
 */
#include <math.h>

#include "support/cases.h"
#include "unit/ball/ball_forms.h"

#include "ball/fraction.h"
#include "ball/cells.h"
#include "ball/descent.h"
#include "ball/sign.h"

/* Any numbers, beside those of ball_forms.h. */
enum { Y = X + 1, Z, W, S, T, U, ALL };

static int set_up_more(void **state)
{
    static const char *const name[] = {"y", "z", "w", "s", "t", "u"};
    if (set_up(state) != 0) return 1;
    for (int p = Y; p < ALL; p++)
        if (qkv__parameter_add(&algebra, name[p - Y]) != p) return 1;
    return 0;
}

#define ZERO_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_more, tear_down)

/* ---- Short names --------------------------------------------------------------------------- */

static form square(form a)
{
    return power(a, 2);
}

static form scaled(int64_t above, int64_t below, form a)
{
    return times(fraction(above, below), a);
}

/* e^(a/b p) */
static form e_to_multiple(int64_t above, int64_t below, int p)
{
    return e_to(scaled(above, below, parameter(p)));
}

static form sum_of(size_t count, const form *parts)
{
    form sum = whole(0);
    for (size_t i = 0; i < count; i++) sum = plus(sum, parts[i]);
    return sum;
}

static qkv__sign sign_over(form a, qkv__box box, qkv__sign_result *result)
{
    assert_non_null(a);
    return qkv__ball_sign_form(&algebra, a, &box, 0, result);
}

static qkv__range half_open(qkv__rational lower, bool strict)
{
    return (qkv__range){.lower = {.known = true, .strict = strict, .value = lower}};
}

static qkv__box narrowed(qkv__box box, int p, qkv__range range)
{
    assert_true(qkv__box_narrow(&algebra, &box, p, range));
    return box;
}

/* Exactly, with numbers in place of all parameters. */
static bool is_zero_at(form a, const qkv__point *point)
{
    for (int p = 0; p < ALL; p++)
        if (qkv__form_depends_on(a, p))
            a = qkv__form_substitute(&algebra, a, p, qkv__form_constant(&algebra, point->value[p]));
    return qkv__form_is_zero(a);
}

static void assert_in_box(const qkv__point *point, qkv__box box)
{
    for (int p = 0; p < ALL; p++) assert_true(qkv__box_fix(&algebra, &box, p, point->value[p]));
}

static void assert_witnesses(form a, qkv__box box, const qkv__sign_result *result)
{
    if (result->has_positive) {
        assert_in_box(&result->positive, box);
        judged truth = judge(a, &result->positive);
        assert_true(truth.value > -truth.error);
    }
    if (result->has_negative) {
        assert_in_box(&result->negative, box);
        judged truth = judge(a, &result->negative);
        assert_true(truth.value < truth.error);
    }
    if (result->has_zero_point) {
        assert_in_box(&result->zero, box);
        assert_true(is_zero_at(a, &result->zero));
    }
}

/* ---- Theorems -------------------------------------------------------------------------------- */

/* f >= 0 on the box, with a zero that is a rational point or not; and what f + and f - a little
 * must be. */
static void check_touching(form f, qkv__box box, bool rational)
{
    const form little = fraction(1, 1000000000);
    qkv__sign_result result;
    assert_int_equal(sign_over(f, box, &result), QKV__SIGN_NONNEGATIVE);
    assert_witnesses(f, box, &result);
    if (rational) assert_true(result.has_zero && result.has_zero_point);
    assert_int_equal(sign_over(minus(whole(0), f), box, &result), QKV__SIGN_NONPOSITIVE);
    sign_over(minus(f, little), box, &result);
    assert_true(qkv__sign_is_mixed(&result));
    assert_int_equal(result.sign, QKV__SIGN_UNKNOWN);
    assert_witnesses(minus(f, little), box, &result);
    qkv__sign above = sign_over(plus(f, little), box, &result);
    assert_true(above == QKV__SIGN_POSITIVE || above == QKV__SIGN_UNKNOWN ||
                above == QKV__SIGN_NONNEGATIVE);
    assert_false(result.has_zero || result.has_negative);
}

static void one_variable_touches_zero(void **state)
{
    (void)state;
    form x = parameter(X), e = e_to(x), inverse = e_to_multiple(-1, 1, X);
    form rational[] = {
        minus(plus(e, inverse), whole(2)),
        square(minus(e, whole(1))),
        square(minus(x, whole(1))),
        plus(minus(power(x, 4), times(whole(4), x)), whole(3)),
        minus(plus(e_to(square(x)), e_to(scaled(-1, 1, square(x)))), whole(2)),
        square(times(minus(x, whole(2)), minus(times(whole(3), x), whole(7)))),
        /* e^x + e^(x/2) + e^(-3x/2) >= 3, the sum of exponents being 0 */
        minus(plus(plus(e, e_to_multiple(1, 2, X)), e_to_multiple(-3, 2, X)), whole(3)),
    };
    for (size_t i = 0; i < sizeof rational / sizeof rational[0]; i++)
        check_touching(rational[i], everywhere(), true);
    form irrational[] = {
        square(minus(e, whole(2))),
        square(minus(square(x), whole(2))),
        times(square(minus(power(x, 3), plus(x, whole(1)))), inverse),
    };
    for (size_t i = 0; i < sizeof irrational / sizeof irrational[0]; i++) {
        qkv__sign_result result;
        qkv__box all = everywhere();
        check_touching(irrational[i], all, false);
        sign_over(irrational[i], all, &result);
        assert_true(result.has_zero && !result.has_zero_point);
    }
    /* 1/3 - 1/(e^-x + 1 + e^x) */
    qkv__sign_result result;
    qkv__box all = everywhere();
    qkv__ratio middle = over(whole(1), plus(plus(e, inverse), whole(1)));
    qkv__ratio gap = qkv__ratio_subtract(&algebra, over(whole(1), whole(3)), middle);
    assert_int_equal(qkv__ball_sign(&algebra, gap, &all, 0, &result), QKV__SIGN_NONNEGATIVE);
    assert_true(result.has_zero_point && result.zero.value[X].numerator == 0);
    form above = plus(minus(e_to_multiple(2, 1, X), times(whole(3), e)), whole(3));
    assert_int_equal(sign_over(above, all, &result), QKV__SIGN_POSITIVE);
}

static void mixed_forms_touch_zero(void **state)
{
    (void)state;
    form x = parameter(X), e = e_to(x), fall = e_to(scaled(-1, 1, square(x)));
    form cubic = plus(plus(whole(1), x), plus(scaled(1, 2, square(x)), scaled(1, 6, power(x, 3))));
    form touching[] = {
        minus(e, plus(whole(1), x)),
        plus(minus(times(x, e), e), whole(1)),
        minus(whole(1), times(plus(whole(1), square(x)), fall)),
        minus(e_to(minus(x, whole(1))), x),
        minus(e, cubic),
        square(minus(times(x, e), x)),
        minus(e_to(scaled(2, 3, minus(x, whole(3)))), minus(scaled(2, 3, x), whole(1))),
    };
    for (size_t i = 0; i < sizeof touching / sizeof touching[0]; i++)
        check_touching(touching[i], everywhere(), true);
    /* At an end of the range: tanh t <= t and t - t^3/3 <= tanh t from 0 on. */
    form twice = e_to_multiple(2, 1, BETA), beta = parameter(BETA);
    form tanh_below = minus(times(beta, plus(twice, whole(1))), minus(twice, whole(1)));
    form cubic_below =
        minus(minus(twice, whole(1)),
              times(minus(beta, scaled(1, 3, power(beta, 3))), plus(twice, whole(1))));
    check_touching(tanh_below, everywhere(), true);
    check_touching(cubic_below, everywhere(), true);
    qkv__box open = everywhere();
    qkv__sign_result result;
    open.range[BETA].lower.strict = true;
    assert_int_equal(sign_over(tanh_below, open, &result), QKV__SIGN_POSITIVE);
    assert_int_equal(sign_over(cubic_below, open, &result), QKV__SIGN_POSITIVE);
}

static void several_variables_touch_zero(void **state)
{
    (void)state;
    form x = parameter(X), y = parameter(Y), z = parameter(Z), w = parameter(W);
    form s = parameter(S), t = parameter(T), a = e_to(s), b = e_to(t), c = e_to_multiple(1, 1, U);
    form third = e_to(scaled(1, 3, plus(plus(s, t), parameter(U))));
    form fourth[] = {power(x, 4), power(y, 4), power(z, 4), power(w, 4),
                     scaled(-4, 1, times(times(x, y), times(z, w)))};
    form motzkin = plus(minus(plus(times(power(x, 4), square(y)), times(square(x), power(y, 4))),
                              scaled(3, 1, square(times(x, y)))),
                        whole(1));
    form cauchy = minus(times(plus(square(x), square(y)), plus(square(z), square(w))),
                        square(plus(times(x, z), times(y, w))));
    form touching[] = {
        square(minus(x, y)),
        plus(plus(square(x), times(x, y)), square(y)),
        minus(plus(a, b), times(whole(2), e_to(scaled(1, 2, plus(s, t))))),
        square(minus(a, b)),
        cauchy,
        minus(plus(plus(a, b), c), times(whole(3), third)),
        sum_of(5, fourth),
        motzkin,
        plus(square(minus(plus(square(x), square(y)), whole(1))), square(minus(x, y))),
        square(minus(times(x, a), whole(1))),
        minus(e_to(minus(s, t)), plus(whole(1), minus(s, t))),
        times(minus(s, t), minus(a, b)),
        minus(times(plus(a, b), plus(e_to_multiple(-1, 1, S), e_to_multiple(-1, 1, T))), whole(4)),
    };
    for (size_t i = 0; i < sizeof touching / sizeof touching[0]; i++)
        check_touching(touching[i], everywhere(), false);
    /* Numbers that are not negative: the means of three, and Schur. */
    qkv__box positive = from(from(from(everywhere(), X, 0), Y, 0), Z, 0);
    form cubes = plus(plus(power(x, 3), power(y, 3)), power(z, 3)), all = times(times(x, y), z);
    form schur = plus(
        times(x, times(minus(x, y), minus(x, z))),
        plus(times(y, times(minus(y, x), minus(y, z))), times(z, times(minus(z, x), minus(z, y)))));
    check_touching(minus(cubes, scaled(3, 1, all)), positive, false);
    check_touching(schur, positive, false);
    qkv__sign_result result;
    assert_int_equal(sign_over(schur, everywhere(), &result), QKV__SIGN_UNKNOWN);
    assert_true(qkv__sign_is_mixed(&result));
    /* Strictly, where something is left over. */
    qkv__box everything = everywhere();
    assert_int_equal(sign_over(plus(square(minus(x, y)), whole(1)), everything, &result),
                     QKV__SIGN_POSITIVE);
    assert_int_equal(sign_over(plus(square(minus(a, b)), times(a, b)), everything, &result),
                     QKV__SIGN_POSITIVE);
    /* A factor that vanishes, and differences of which one part is bounded. */
    form factor = times(square(x), plus(minus(plus(square(y), square(z)), times(y, z)), whole(1)));
    assert_int_equal(sign_over(factor, everything, &result), QKV__SIGN_NONNEGATIVE);
    form dip = minus(square(plus(minus(s, t), fraction(3, 10))), fraction(1, 1000));
    sign_over(dip, from(everything, S, 0), &result);
    assert_true(qkv__sign_is_mixed(&result));
    form valley = plus(square(minus(parameter(N), parameter(BETA))), whole(1));
    assert_int_equal(sign_over(valley, everything, &result), QKV__SIGN_POSITIVE);
}

/* False by little, at points that no grid holds. */
static void little_lies_are_found(void **state)
{
    (void)state;
    form x = parameter(X), y = parameter(Y), z = parameter(Z), e = e_to(y);
    form little = fraction(1, 10000000);
    form bowl = plus(square(minus(x, fraction(17, 13))), square(plus(y, fraction(5, 7))));
    form bent = plus(square(minus(y, square(x))), square(minus(x, fraction(11, 10))));
    form steep = plus(square(minus(times(x, e), whole(3))), square(minus(z, e)));
    form lies[] = {bowl, bent, steep};
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        qkv__sign_result result;
        form lie = minus(lies[i], little);
        sign_over(lie, everywhere(), &result);
        assert_true(qkv__sign_is_mixed(&result));
        assert_witnesses(lie, everywhere(), &result);
    }
}

/* ---- Ranges -------------------------------------------------------------------------------- */

static void ends_are_compared_exactly(void **state)
{
    (void)state;
    form x = parameter(X), product = times(minus(x, whole(1)), minus(x, whole(2)));
    const qkv__rational one = qkv__rational_whole(1), two = qkv__rational_whole(2);
    qkv__sign_result result;
    qkv__box all = everywhere();
    assert_int_equal(sign_over(product, narrowed(all, X, half_open(two, false)), &result),
                     QKV__SIGN_NONNEGATIVE);
    assert_true(result.has_zero_point && result.zero.value[X].numerator == 2);
    assert_int_equal(sign_over(product, narrowed(all, X, half_open(two, true)), &result),
                     QKV__SIGN_POSITIVE);
    assert_int_equal(sign_over(product, between(all, X, one, two), &result), QKV__SIGN_NONPOSITIVE);
    sign_over(product, narrowed(all, X, half_open(qkv__rational_make(199, 100), false)), &result);
    assert_true(qkv__sign_is_mixed(&result));
    /* ln 2 = 0.693147180559945309417... */
    form two_below = minus(e_to(x), whole(2));
    qkv__rational below = qkv__rational_make(693147180559945309, 1000000000000000000);
    qkv__rational above = qkv__rational_make(693147180559945310, 1000000000000000000);
    assert_int_equal(sign_over(two_below, narrowed(all, X, half_open(above, false)), &result),
                     QKV__SIGN_POSITIVE);
    assert_int_equal(sign_over(two_below, narrowed(all, X, half_open(below, false)), &result),
                     QKV__SIGN_UNKNOWN);
    qkv__range up_to = {.upper = at(below)};
    assert_int_equal(sign_over(two_below, narrowed(all, X, up_to), &result), QKV__SIGN_NEGATIVE);
    /* Below 0, where odd powers turn signs; without a search. */
    qkv__range negative = {.upper = {.known = true, .strict = true, .value = {0, 1}}};
    qkv__box below_zero = narrowed(narrowed(all, X, negative), Y, negative);
    form sum = plus(plus(x, over(whole(1), x).numerator), whole(2)); /* (x + 1)^2/x */
    assert_int_equal(sign_over(sum, below_zero, &result), QKV__SIGN_NONPOSITIVE);
    assert_true(result.has_zero && result.spent == 0);
    form turned = times(parameter(Y), square(minus(e_to(x), fraction(1, 2))));
    assert_int_equal(sign_over(turned, below_zero, &result), QKV__SIGN_NONPOSITIVE);
    assert_true(result.has_zero && result.spent == 0);
    /* Through e^0 = 1 only at 0. */
    form one_below = minus(e_to(x), whole(1));
    qkv__rational zero = qkv__rational_whole(0);
    assert_int_equal(sign_over(one_below, narrowed(all, X, half_open(zero, false)), &result),
                     QKV__SIGN_NONNEGATIVE);
    assert_int_equal(sign_over(one_below, narrowed(all, X, half_open(zero, true)), &result),
                     QKV__SIGN_POSITIVE);
}

static void whole_numbers_step_over_roots(void **state)
{
    (void)state;
    form n = parameter(N), shared = plus(minus(square(n), times(whole(7), n)), whole(12));
    qkv__sign_result result;
    qkv__box all = everywhere();
    assert_int_equal(sign_over(shared, all, &result), QKV__SIGN_NONNEGATIVE); /* (n-3)(n-4) */
    assert_true(result.has_zero && result.has_zero_point);
    assert_int_equal(sign_over(plus(shared, fraction(1, 20)), all, &result), QKV__SIGN_POSITIVE);
    assert_int_equal(sign_over(minus(shared, fraction(1, 20)), all, &result), QKV__SIGN_UNKNOWN);
    assert_true(qkv__sign_is_mixed(&result));
    /* (e^n - 5)(e^n - 7) is negative between 1.61 and 1.95 alone */
    form e = e_to(n), between_wholes = times(minus(e, whole(5)), minus(e, whole(7)));
    assert_int_equal(sign_over(between_wholes, all, &result), QKV__SIGN_POSITIVE);
    assert_false(result.has_zero);
    form holds_two = times(minus(e, whole(5)), minus(e, whole(8)));
    sign_over(holds_two, all, &result);
    assert_true(qkv__sign_is_mixed(&result) && result.negative.value[N].numerator == 2);
    /* Roots at five whole numbers in a row, from the end on. */
    form row = whole(1);
    for (int i = 1; i <= 5; i++) row = times(row, minus(n, whole(i)));
    assert_int_equal(sign_over(row, all, &result), QKV__SIGN_NONNEGATIVE);
    assert_int_equal(sign_over(row, from(all, N, 6), &result), QKV__SIGN_POSITIVE);
    /* A root of n: n - 3 sqrt(n) + 2 = (sqrt n - 1)(sqrt n - 2), negative at 2 and 3. */
    form root = qkv__form_root(&algebra, n);
    sign_over(plus(minus(n, times(whole(3), root)), whole(2)), all, &result);
    assert_true(qkv__sign_is_mixed(&result));
}

/* ---- Planted roots -----------------------------------------------------------------------------
 */

enum { ROOTS = 4 };

typedef struct planted {
    int64_t quarter[ROOTS]; /* roots of x, or e^x, in quarters */
    int multiplicity[ROOTS];
    bool exponential;
} planted;

/* The product of (x - r)^m and of a quadratic without real roots. */
static form plant(random_source *source, planted *roots)
{
    form variable = roots->exponential ? e_to(parameter(X)) : parameter(X);
    form product = plus(square(minus(variable, fraction(random_between(source, -4, 4), 3))),
                        fraction(1, random_between(source, 1, 9)));
    for (int i = 0; i < ROOTS; i++) {
        roots->quarter[i] = random_between(source, roots->exponential ? 1 : -12, 12);
        roots->multiplicity[i] = (int)random_below(source, 4);
        form factor = minus(variable, fraction(roots->quarter[i], 4));
        product = times(product, power(factor, roots->multiplicity[i]));
    }
    if (!roots->exponential) return product;
    return times(product, e_to_multiple(random_between(source, -9, 9), 2, X));
}

static int sign_of_planted(const planted *roots, long double x)
{
    long double variable = roots->exponential ? expl(x) : x;
    int sign = 1;
    for (int i = 0; i < ROOTS; i++) {
        long double gap = variable - (long double)roots->quarter[i] / 4;
        if (roots->multiplicity[i] == 0) continue;
        if (fabsl(gap) < 1e-9L) return 0;
        if (gap < 0 && roots->multiplicity[i] % 2 != 0) sign = -sign;
    }
    return sign;
}

/* What the factors say: the sign at points on both sides of every root, and at the ends. */
static void look_at_planted(const planted *roots, const qkv__range *range, bool *positive,
                            bool *negative, bool *zero)
{
    long double lower = range->lower.known ? number(range->lower.value) : -20;
    long double upper = range->upper.known ? number(range->upper.value) : 20;
    *positive = *negative = *zero = false;
    for (int i = -1; i <= ROOTS; i++) {
        long double root = i < 0 ? lower : i == ROOTS ? upper : (long double)roots->quarter[i] / 4;
        if (i >= 0 && i < ROOTS && roots->multiplicity[i] == 0) continue;
        if (roots->exponential && i >= 0 && i < ROOTS) root = logl(root);
        for (int side = -1; side <= 1; side++) {
            long double x = root + 1e-4L * side;
            bool inside = x >= lower - 1e-12L && x <= upper + 1e-12L;
            bool left_out = (range->lower.strict && x < lower + 1e-6L) ||
                            (range->upper.strict && x > upper - 1e-6L);
            if (!inside || left_out) continue;
            int sign = sign_of_planted(roots, x);
            *positive = *positive || sign > 0;
            *negative = *negative || sign < 0;
            *zero = *zero || sign == 0;
        }
    }
}

static qkv__range random_range(random_source *source)
{
    qkv__range range = {0};
    int64_t lower = random_between(source, -12, 12);
    if (random_below(source, 2) == 0)
        range.lower = (qkv__bound){.known = true,
                                   .strict = random_below(source, 2) == 0,
                                   .value = qkv__rational_make(lower, 4)};
    if (random_below(source, 2) == 0)
        range.upper =
            (qkv__bound){.known = true,
                         .strict = random_below(source, 2) == 0,
                         .value = qkv__rational_make(lower + random_between(source, 1, 12), 4)};
    return range;
}

static void planted_roots_decide(void **state)
{
    (void)state;
    random_source source = {21};
    for (size_t i = 0; i < 3000; i++) {
        planted roots = {.exponential = i % 2 == 0};
        form f = plant(&source, &roots);
        qkv__range range = random_range(&source);
        qkv__box box = narrowed(everywhere(), X, range);
        qkv__sign_result result;
        bool positive, negative, zero;
        if (f == NULL) continue; /* beyond 64 bits */
        look_at_planted(&roots, &range, &positive, &negative, &zero);
        qkv__sign sign = sign_over(f, box, &result);
        if (positive && negative) {
            assert_true(qkv__sign_is_mixed(&result));
            assert_int_equal(sign, QKV__SIGN_UNKNOWN);
        } else if (zero) {
            assert_int_equal(sign, positive ? QKV__SIGN_NONNEGATIVE : QKV__SIGN_NONPOSITIVE);
            assert_true(result.has_zero);
        } else {
            assert_int_equal(sign, positive ? QKV__SIGN_POSITIVE : QKV__SIGN_NEGATIVE);
            assert_false(result.has_zero);
        }
        assert_witnesses(f, box, &result);
        if (i % 64 == 63) {
            assert_int_equal(tear_down(state), 0);
            assert_int_equal(set_up_more(state), 0);
        }
    }
}

/* ---- Cells of whole numbers
 * ---------------------------------------------------------------------- */

/* The product of (4x - q)^m; its sign at a whole number, or at e to it, by its factors. */
static void set_planted(fmpz_poly_t polynomial, const planted *roots)
{
    fmpz_poly_t factor;
    fmpz_poly_init(factor);
    fmpz_poly_one(polynomial);
    for (int i = 0; i < ROOTS; i++) {
        fmpz_poly_zero(factor);
        fmpz_poly_set_coeff_si(factor, 1, 4);
        fmpz_poly_set_coeff_si(factor, 0, -roots->quarter[i]);
        for (int j = 0; j < roots->multiplicity[i]; j++)
            fmpz_poly_mul(polynomial, polynomial, factor);
    }
    fmpz_poly_clear(factor);
}

static qkv__range random_whole_range(random_source *source)
{
    qkv__range range = {0};
    int64_t lower = random_between(source, -4, 4);
    if (random_below(source, 2) == 0) range.lower = at(qkv__rational_whole(lower));
    if (random_below(source, 2) == 0)
        range.upper = at(qkv__rational_whole(lower + random_between(source, 1, 5)));
    return range;
}

static void assert_cell(const qkv__cell *cell, bool expected, const planted *roots,
                        const qkv__range *range, int sign)
{
    assert_int_equal(cell->known, expected);
    if (!cell->known) return;
    qkv__rational number_inside = qkv__rational_of_fmpq(cell->lower);
    assert_true(fmpq_equal(cell->lower, cell->upper) && qkv__rational_is_whole(number_inside));
    assert_int_equal(sign_of_planted(roots, number(number_inside)), sign);
    if (range->lower.known)
        assert_true(qkv__rational_compare(number_inside, range->lower.value) >= 0);
    if (range->upper.known)
        assert_true(qkv__rational_compare(number_inside, range->upper.value) <= 0);
}

static void cells_hold_whole_numbers(void **state)
{
    (void)state;
    random_source source = {24};
    for (int i = 0; i < 4000; i++) {
        planted roots = {.exponential = i % 3 == 0};
        qkv__range range = random_whole_range(&source);
        bool positive = false, negative = false, zero = false;
        for (int j = 0; j < ROOTS; j++) {
            roots.quarter[j] = random_between(&source, roots.exponential ? 1 : -20, 20);
            if (random_below(&source, 2) == 0) roots.quarter[j] = 4 * (roots.quarter[j] / 4);
            roots.multiplicity[j] = (int)random_below(&source, 3);
            if (roots.exponential && roots.quarter[j] == 0) roots.multiplicity[j] = 0;
        }
        for (int n = -30; n <= 30; n++) { /* all roots lie between */
            if (range.lower.known && n < range.lower.value.numerator) continue;
            if (range.upper.known && n > range.upper.value.numerator) continue;
            int sign = sign_of_planted(&roots, n);
            positive = positive || sign > 0;
            negative = negative || sign < 0;
            zero = zero || sign == 0;
        }
        fmpz_poly_t polynomial;
        qkv__cells cells;
        fmpz_poly_init(polynomial);
        qkv__cells_init(&cells);
        set_planted(polynomial, &roots);
        qkv__cells_question question = {.polynomial = polynomial,
                                        .exponential = roots.exponential,
                                        .whole = true,
                                        .range = range};
        assert_true(qkv__cells_survey(&question, &cells));
        assert_cell(&cells.positive, positive, &roots, &range, 1);
        assert_cell(&cells.negative, negative, &roots, &range, -1);
        assert_int_equal(cells.has_zero, zero);
        qkv__cells_clear(&cells);
        fmpz_poly_clear(polynomial);
    }
}

/* ---- Random forms ------------------------------------------------------------------------------
 */

/* A polynomial with small coefficients in two or three parameters and their exponentials. */
static form random_small(random_source *source, bool exponentials)
{
    form sum = whole(random_between(source, -2, 2));
    for (int i = 0; i < 3; i++) {
        int p = X + (int)random_below(source, 3);
        form factor = exponentials && random_below(source, 2) == 0
                          ? e_to_multiple(random_between(source, -2, 2), 2, p)
                          : parameter(p);
        if (random_below(source, 3) == 0)
            factor = times(factor, parameter(X + (int)random_below(source, 3)));
        sum = plus(sum, scaled(random_between(source, -3, 3), 1, factor));
    }
    return sum;
}

static qkv__point random_small_point(random_source *source, const qkv__box *box)
{
    qkv__point point = {0};
    for (int p = 0; p < ALL; p++) {
        const qkv__range *range = &box->range[p];
        int64_t lower = range->lower.known ? 0 : -48;
        qkv__rational offset = qkv__rational_make(random_between(source, lower, 48), 16);
        if (range->lower.known) offset = qkv__rational_add(range->lower.value, offset);
        point.value[p] =
            p == N ? qkv__rational_whole(1 + (int64_t)random_below(source, 9)) : offset;
    }
    return point;
}

static void assert_never_contradicted(random_source *source, form f, qkv__box box,
                                      const qkv__sign_result *result)
{
    for (int j = 0; j < 60; j++) {
        qkv__point point = random_small_point(source, &box);
        judged truth = judge(f, &point);
        if (!isfinite(truth.value) || !isfinite(truth.error)) continue;
        if (result->sign == QKV__SIGN_POSITIVE || result->sign == QKV__SIGN_NONNEGATIVE)
            assert_true(truth.value >= -truth.error);
        if (result->sign == QKV__SIGN_NEGATIVE || result->sign == QKV__SIGN_NONPOSITIVE)
            assert_true(truth.value <= truth.error);
    }
    assert_witnesses(f, box, result);
}

/* Sums of two squares, some of them lifted or lowered a little, some spoilt by a product. */
static void squares_are_never_misjudged(void **state)
{
    (void)state;
    random_source source = {22};
    size_t proved = 0, whole_squares = 0;
    for (size_t i = 0; i < cases_of(600); i++) {
        bool exponentials = i % 2 == 0;
        form a = random_small(&source, exponentials), b = random_small(&source, exponentials);
        form f = plus(square(a), square(b));
        int change = (int)random_below(&source, 4);
        if (change == 1) f = minus(f, fraction(1, 10000));
        if (change == 2) f = plus(f, fraction(1, 10000));
        if (change == 3) f = plus(f, scaled(random_between(&source, -3, 3), 1, times(a, b)));
        qkv__box box = everywhere();
        if (random_below(&source, 2) == 0) box = from(box, X, 0);
        qkv__sign_result result;
        qkv__ball_sign_form(&algebra, f, &box, 1000, &result);
        assert_never_contradicted(&source, f, box, &result);
        if (change == 0) {
            whole_squares++;
            proved += result.sign != QKV__SIGN_UNKNOWN;
        }
        if (i % 32 == 31) {
            assert_int_equal(tear_down(state), 0);
            assert_int_equal(set_up_more(state), 0);
        }
    }
    assert_true(10 * proved > 9 * whole_squares);
}

/* Mixed forms with a zero planted by Taylor's theorem: f minus its parabola at a rational point. */
static void planted_zeros_are_never_misjudged(void **state)
{
    (void)state;
    random_source source = {23};
    size_t decided = 0, asked = cases_of(300);
    for (size_t i = 0; i < asked; i++) {
        qkv__rational point = qkv__rational_make(random_between(&source, -6, 6), 2);
        form y = minus(parameter(X), qkv__form_constant(&algebra, point));
        int64_t k = random_between(&source, 1, 4);
        form tangent = minus(e_to(scaled(k, 2, y)), plus(whole(1), scaled(k, 2, y)));
        form f = plus(scaled(random_between(&source, -3, 3), 1, tangent),
                      times(square(y), random_small(&source, true)));
        for (int p = Y; p <= Z; p++) f = qkv__form_substitute(&algebra, f, p, parameter(X));
        qkv__box box = narrowed(everywhere(), X, random_range(&source));
        qkv__sign_result result;
        qkv__ball_sign_form(&algebra, f, &box, 2000, &result);
        decided += result.sign != QKV__SIGN_UNKNOWN || qkv__sign_is_mixed(&result);
        for (int j = 0; j < 60; j++) {
            qkv__point at_random = random_point_in(&source, &box);
            judged truth = judge(f, &at_random);
            if (!isfinite(truth.value) || !isfinite(truth.error)) continue;
            bool positive = truth.value > truth.error, negative = truth.value < -truth.error;
            assert_false(negative && (result.sign == QKV__SIGN_POSITIVE ||
                                      result.sign == QKV__SIGN_NONNEGATIVE));
            assert_false(positive && (result.sign == QKV__SIGN_NEGATIVE ||
                                      result.sign == QKV__SIGN_NONPOSITIVE));
        }
        assert_witnesses(f, box, &result);
        if (i % 32 == 31) {
            assert_int_equal(tear_down(state), 0);
            assert_int_equal(set_up_more(state), 0);
        }
    }
    assert_true(6 * decided > 5 * asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ZERO_TEST(one_variable_touches_zero),    ZERO_TEST(mixed_forms_touch_zero),
        ZERO_TEST(several_variables_touch_zero), ZERO_TEST(little_lies_are_found),
        ZERO_TEST(ends_are_compared_exactly),    ZERO_TEST(whole_numbers_step_over_roots),
        ZERO_TEST(planted_roots_decide),         ZERO_TEST(cells_hold_whole_numbers),
        ZERO_TEST(squares_are_never_misjudged),  ZERO_TEST(planted_zeros_are_never_misjudged),
    };
    return cmocka_run_group_tests_name("ball_zero", tests, NULL, NULL);
}
