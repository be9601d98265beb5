/*
 * The exact room: rationals, forms, quotients, signs and limits. Identities of arithmetic on random
 * forms; values in long double that must agree; signs that no point may contradict; limits that
 * values at a large parameter must approach.
 */
#include "support/check.h"

#include <math.h>

#include "base/memory.h"
#include "exact/limit.h"
#include "support/cases.h"
#include "support/forms.h"

/* beta >= 1/2, n >= 3 whole, 0 < tau < 1, and a parameter of which nothing is known. */
enum { BETA, N, TAU, FREE };

static qkv__algebra make_algebra(void)
{
    qkv__algebra algebra = {.parameter_count = 0};
    assert_int_equal(qkv__parameter_add(&algebra, "beta"), BETA);
    assert_int_equal(qkv__parameter_add(&algebra, "n"), N);
    assert_int_equal(qkv__parameter_add(&algebra, "tau"), TAU);
    assert_int_equal(qkv__parameter_add(&algebra, "x"), FREE);
    algebra.parameter[BETA].lower = (qkv__bound){true, false, qkv__rational_make(1, 2)};
    algebra.parameter[N].lower = (qkv__bound){true, false, qkv__rational_whole(3)};
    algebra.parameter[N].whole = true;
    algebra.parameter[TAU].lower = (qkv__bound){true, true, qkv__rational_whole(0)};
    algebra.parameter[TAU].upper = (qkv__bound){true, true, qkv__rational_whole(1)};
    return algebra;
}

static void random_point(random_source *source, long double *at)
{
    at[BETA] = 0.5L + 4.0L * random_uniform(source) * random_uniform(source);
    at[N] = 3.0L + (long double)random_below(source, 6);
    at[TAU] = 0.001L + 0.998L * random_uniform(source);
    at[FREE] = 4.0L * random_uniform(source) - 2.0L;
}

static void test_rational(void **state)
{
    random_source source = {.state = 91};
    (void)state;
    for (int i = 0; i < 100000; i++) {
        qkv__rational a = qkv__rational_make((int64_t)random_below(&source, 2001) - 1000,
                                             1 + (int64_t)random_below(&source, 50));
        qkv__rational b = qkv__rational_make((int64_t)random_below(&source, 2001) - 1000,
                                             1 + (int64_t)random_below(&source, 50));
        double x = (double)a.numerator / (double)a.denominator;
        double y = (double)b.numerator / (double)b.denominator;
        qkv__rational sum = qkv__rational_add(a, b), product = qkv__rational_multiply(a, b);
        assert_true(fabs((double)sum.numerator / (double)sum.denominator - (x + y)) < 1e-9);
        assert_true(fabs((double)product.numerator / (double)product.denominator - x * y) < 1e-9);
        assert_int_equal(qkv__rational_compare(a, b), (x > y) - (x < y));
        assert_true(qkv__rational_is_zero(qkv__rational_subtract(a, a)));
    }
    qkv__rational big = qkv__rational_whole(INT64_MAX);
    assert_true(qkv__rational_is_lost(qkv__rational_add(big, qkv__rational_whole(1))));
    assert_true(qkv__rational_is_lost(qkv__rational_multiply(big, big)));
    assert_true(qkv__rational_is_lost(qkv__rational_make(1, 0)));
    assert_true(qkv__rational_is_lost(qkv__rational_make(INT64_MIN, 1)));
    assert_true(qkv__rational_is_lost(qkv__rational_add(QKV__RATIONAL_LOST, big)));
    assert_int_equal(qkv__rational_power(qkv__rational_make(-2, 3), -3).numerator, -27);
    assert_int_equal(qkv__rational_power(qkv__rational_make(-2, 3), -3).denominator, 8);
}

/* a + b = b + a, (a + b) c = a c + b c, a - a = 0, and values that agree. */
static void test_ring(void **state)
{
    random_source source = {.state = 92};
    (void)state;
    for (int i = 0; i < 500; i++) {
        qkv__algebra algebra = make_algebra();
        long double at[4];
        random_point(&source, at);
        const qkv__form *a = random_form(&algebra, 4, &source);
        const qkv__form *b = random_form(&algebra, 4, &source);
        const qkv__form *c = random_form(&algebra, 4, &source);
        const qkv__form *left = qkv__form_multiply(&algebra, qkv__form_add(&algebra, a, b), c);
        const qkv__form *right = qkv__form_add(&algebra, qkv__form_multiply(&algebra, c, b),
                                               qkv__form_multiply(&algebra, a, c));
        assert_true(qkv__form_equal(left, right));
        assert_true(qkv__form_is_zero(qkv__form_subtract(&algebra, left, right)));
        long double x = form_value(&algebra, a, at), y = form_value(&algebra, b, at);
        long double z = form_value(&algebra, c, at), got = form_value(&algebra, left, at);
        long double size = (fabsl(x) + fabsl(y) + 1e4L) * (fabsl(z) + 1e4L);
        assert_true(fabsl(got - (x + y) * z) <= 1e-14L * size * size);
        qkv__arena_free(&algebra.arena);
    }
}

/* Logarithms of rationals inside exponents, roots, and substitution. */
static void test_exponentials(void **state)
{
    qkv__algebra algebra = make_algebra();
    qkv__rational value;
    (void)state;
    const qkv__form *logarithm = qkv__form_logarithm(&algebra, qkv__rational_make(40, 63));
    assert_true(qkv__form_is_constant(qkv__form_exponential(&algebra, logarithm), &value));
    assert_int_equal(value.numerator, 40);
    assert_int_equal(value.denominator, 63);
    /* sqrt(12) sqrt(3) = 6 */
    const qkv__form *root =
        qkv__form_multiply(&algebra, qkv__form_root(&algebra, qkv__form_whole(&algebra, 12)),
                           qkv__form_root(&algebra, qkv__form_whole(&algebra, 3)));
    assert_true(qkv__form_is_constant(root, &value) && value.numerator == 6);
    /* e^(beta + ln 3) = 3 e^beta, and at beta = ln 5 it is 15 */
    const qkv__form *beta = qkv__form_parameter(&algebra, BETA);
    const qkv__form *three = qkv__form_logarithm(&algebra, qkv__rational_whole(3));
    const qkv__form *e = qkv__form_exponential(&algebra, qkv__form_add(&algebra, beta, three));
    const qkv__form *plain =
        qkv__form_scale(&algebra, qkv__form_exponential(&algebra, beta), qkv__rational_whole(3));
    assert_true(qkv__form_equal(e, plain));
    e = qkv__form_substitute(&algebra, e, BETA,
                             qkv__form_logarithm(&algebra, qkv__rational_whole(5)));
    assert_true(qkv__form_is_constant(e, &value) && value.numerator == 15);
    /* sqrt(n) at n = 4 is 2; beta/sqrt(n) may stand in an exponent */
    const qkv__form *n = qkv__form_parameter(&algebra, N);
    const qkv__form *half = qkv__form_root(&algebra, n);
    const qkv__form *scaled =
        qkv__form_exponential(&algebra, qkv__form_divide_by_term(&algebra, beta, &half->term[0]));
    scaled = qkv__form_substitute(&algebra, scaled, N, qkv__form_whole(&algebra, 4));
    const qkv__form *expected =
        qkv__form_exponential(&algebra, qkv__form_scale(&algebra, beta, qkv__rational_make(1, 2)));
    assert_true(qkv__form_equal(scaled, expected));
    assert_null(qkv__form_exponential(&algebra, expected)); /* e^(e^x) is out of this theory */
    qkv__arena_free(&algebra.arena);
}

static void expect_text(const qkv__algebra *algebra, qkv__ratio ratio, const char *expected)
{
    qkv__text text = {0};
    qkv__ratio_write(algebra, ratio, &text);
    assert_string_equal(text.data, expected);
    qkv__text_free(&text);
}

/* Terms with one exponential are written as one product, and negative powers below a line. */
static void test_products(void **state)
{
    qkv__algebra algebra = make_algebra();
    (void)state;
    const qkv__form *n = qkv__form_parameter(&algebra, N);
    const qkv__form *e = qkv__form_exponential(&algebra, qkv__form_parameter(&algebra, BETA));
    const qkv__form *less = qkv__form_subtract(&algebra, n, qkv__form_whole(&algebra, 3));
    const qkv__form *product = qkv__form_multiply(&algebra, less, e);
    const qkv__form *sum = qkv__form_add(&algebra, qkv__form_whole(&algebra, 1), product);
    expect_text(&algebra, qkv__ratio_of_form(&algebra, product), "(n - 3)*e^beta");
    expect_text(&algebra, qkv__ratio_of_form(&algebra, sum), "1 + (n - 3)*e^beta");
    sum = qkv__form_subtract(&algebra, n, qkv__form_add(&algebra, product, product));
    expect_text(&algebra, qkv__ratio_of_form(&algebra, sum), "n - 2*(n - 3)*e^beta");
    expect_text(&algebra, (qkv__ratio){product, sum}, "(n - 3)*e^beta/(n - 2*(n - 3)*e^beta)");
    const qkv__form *part =
        qkv__form_divide_by_term(&algebra, qkv__form_whole(&algebra, 1), &n->term[0]);
    expect_text(&algebra, qkv__ratio_of_form(&algebra, part), "1/n");
    part = qkv__form_scale(&algebra, part, qkv__rational_make(-3, 2));
    expect_text(&algebra, qkv__ratio_of_form(&algebra, part), "-3/(2*n)");
    qkv__arena_free(&algebra.arena);
}

/* e^beta / (n - 2 + 2 e^beta): twice it and (n - 2) times the rest's weight make 1. */
static void test_weights(void **state)
{
    qkv__algebra algebra = make_algebra();
    (void)state;
    const qkv__form *e = qkv__form_exponential(&algebra, qkv__form_parameter(&algebra, BETA));
    const qkv__form *rest = qkv__form_subtract(&algebra, qkv__form_parameter(&algebra, N),
                                               qkv__form_whole(&algebra, 2));
    const qkv__form *total =
        qkv__form_add(&algebra, rest, qkv__form_scale(&algebra, e, qkv__rational_whole(2)));
    qkv__ratio weight = {e, total};
    qkv__ratio others = qkv__ratio_divide(&algebra, qkv__ratio_of_form(&algebra, rest),
                                          qkv__ratio_of_form(&algebra, total));
    qkv__ratio sum = qkv__ratio_add(&algebra, qkv__ratio_add(&algebra, weight, weight), others);
    assert_true(qkv__ratio_equal(&algebra, sum, qkv__ratio_whole(&algebra, 1)));
    expect_text(&algebra, weight, "e^beta/(n - 2 + 2*e^beta)");
    qkv__limit limit = qkv__ratio_limit(&algebra, weight, BETA);
    assert_int_equal(limit.kind, QKV__LIMIT_FINITE);
    expect_text(&algebra, limit.value, "1/2");
    limit = qkv__ratio_limit(&algebra, others, BETA);
    assert_true(limit.kind == QKV__LIMIT_FINITE && qkv__ratio_is_zero(limit.value));
    limit = qkv__ratio_limit(&algebra, weight, N); /* many keys: nothing is left for one */
    assert_true(limit.kind == QKV__LIMIT_FINITE && qkv__ratio_is_zero(limit.value));
    assert_int_equal(qkv__ratio_sign(&algebra, weight), QKV__SIGN_POSITIVE);
    qkv__ratio half = qkv__ratio_constant(&algebra, qkv__rational_make(1, 2));
    assert_int_equal(qkv__ratio_sign(&algebra, qkv__ratio_subtract(&algebra, weight, half)),
                     QKV__SIGN_NEGATIVE);
    qkv__arena_free(&algebra.arena);
}

/* No point of the domain may contradict a sign that was claimed. */
static void test_sign_soundness(void **state)
{
    random_source source = {.state = 93};
    size_t decided = 0, asked = cases_of(1200);
    (void)state;
    for (size_t i = 0; i < asked; i++) {
        qkv__algebra algebra = make_algebra();
        int parameters = 1 + (int)random_below(&source, 4);
        const qkv__form *form = random_form(&algebra, parameters, &source);
        if (i % 3 == 0) /* squares are never negative: more chances to be decided */
            form = qkv__form_add(&algebra, qkv__form_multiply(&algebra, form, form),
                                 random_polynomial(&algebra, 3, 1, &source));
        qkv__sign sign = qkv__form_sign(&algebra, form);
        decided += sign != QKV__SIGN_UNKNOWN;
        for (int k = 0; k < 20 && sign != QKV__SIGN_UNKNOWN; k++) {
            long double at[4];
            random_point(&source, at);
            if (k == 0) at[BETA] = 0.5L, at[N] = 3.0L;
            long double value = form_value(&algebra, form, at), slack = 1e-12L * expl(12.0L);
            if (sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE)
                assert_true(value >= -slack);
            if (sign == QKV__SIGN_NEGATIVE || sign == QKV__SIGN_NONPOSITIVE)
                assert_true(value <= slack);
            if (sign == QKV__SIGN_ZERO) assert_true(fabsl(value) <= slack);
        }
        qkv__arena_free(&algebra.arena);
    }
    assert_true(6 * decided > asked); /* a test that decides nothing would prove nothing */
}

/* Signs that only just hold, or just fail, at the bounds of the parameters. */
static void test_sign_edges(void **state)
{
    qkv__algebra algebra = make_algebra();
    (void)state;
    const qkv__form *beta = qkv__form_parameter(&algebra, BETA);
    const qkv__form *half = qkv__form_constant(&algebra, qkv__rational_make(1, 2));
    const qkv__form *tau = qkv__form_parameter(&algebra, TAU);
    const qkv__form *one = qkv__form_whole(&algebra, 1);
    assert_int_equal(qkv__form_sign(&algebra, qkv__form_subtract(&algebra, beta, half)),
                     QKV__SIGN_NONNEGATIVE);
    assert_int_equal(qkv__form_sign(&algebra, qkv__form_subtract(&algebra, beta, one)),
                     QKV__SIGN_UNKNOWN);
    assert_int_equal(qkv__form_sign(&algebra, tau), QKV__SIGN_POSITIVE);
    assert_int_equal(qkv__form_sign(&algebra, qkv__form_subtract(&algebra, tau, one)),
                     QKV__SIGN_NEGATIVE);
    algebra.parameter[TAU].upper.strict = false; /* now tau = 1 is allowed */
    assert_int_equal(qkv__form_sign(&algebra, qkv__form_subtract(&algebra, tau, one)),
                     QKV__SIGN_NONPOSITIVE);
    assert_int_equal(qkv__form_sign(&algebra, qkv__form_parameter(&algebra, FREE)),
                     QKV__SIGN_UNKNOWN);
    assert_int_equal(qkv__form_sign(&algebra, qkv__form_exponential(
                                                  &algebra, qkv__form_parameter(&algebra, FREE))),
                     QKV__SIGN_POSITIVE);
    assert_int_equal(qkv__form_sign(&algebra, NULL), QKV__SIGN_UNKNOWN);
    qkv__arena_free(&algebra.arena);
}

/* e^(b m) is above 1 only where no factor of the monomial can be 0. */
static void test_sign_of_products(void **state)
{
    qkv__algebra algebra = make_algebra();
    (void)state;
    const qkv__form *tau = qkv__form_parameter(&algebra, TAU);
    const qkv__form *x = qkv__form_parameter(&algebra, FREE);
    const qkv__form *one = qkv__form_whole(&algebra, 1);
    const qkv__form *grown = qkv__form_exponential(&algebra, qkv__form_multiply(&algebra, tau, x));
    const qkv__form *gain = qkv__form_subtract(&algebra, grown, one);
    assert_int_equal(qkv__form_sign(&algebra, gain), QKV__SIGN_UNKNOWN);
    algebra.parameter[FREE].lower = (qkv__bound){true, false, qkv__rational_whole(0)};
    assert_int_equal(qkv__form_sign(&algebra, gain), QKV__SIGN_NONNEGATIVE);
    algebra.parameter[FREE].lower.strict = true;
    assert_int_equal(qkv__form_sign(&algebra, gain), QKV__SIGN_POSITIVE);
    algebra.parameter[FREE].lower = (qkv__bound){true, false, qkv__rational_whole(1)};
    assert_int_equal(qkv__form_sign(&algebra, gain), QKV__SIGN_POSITIVE);
    qkv__arena_free(&algebra.arena);
}

/* Quotients at beta = 3000 and 6000 draw near to their limits. */
static void test_limit_soundness(void **state)
{
    random_source source = {.state = 94};
    int finite = 0;
    (void)state;
    for (int i = 0; i < 1200; i++) {
        qkv__algebra algebra = make_algebra();
        const qkv__form *above = random_form(&algebra, 1, &source);
        const qkv__form *below = random_form(&algebra, 1, &source);
        qkv__ratio ratio = qkv__ratio_divide(&algebra, qkv__ratio_of_form(&algebra, above),
                                             qkv__ratio_of_form(&algebra, below));
        qkv__limit limit = qkv__ratio_limit(&algebra, ratio, BETA);
        long double at[4] = {6000.0L, 3.0L + (long double)random_below(&source, 4), 0.5L, 0.0L};
        if (limit.kind == QKV__LIMIT_FINITE) {
            long double right = ratio_value(&algebra, limit.value, at);
            long double far = ratio_value(&algebra, ratio, at);
            at[BETA] /= 2.0L; /* twice as far, a limit is at least about twice as near */
            long double near = ratio_value(&algebra, ratio, at);
            if (isfinite(far) && isfinite(near))
                assert_true(fabsl(far - right) <=
                            0.6L * fabsl(near - right) + 1e-15L * (1.0L + fabsl(right)));
            assert_false(qkv__ratio_depends_on(limit.value, BETA));
            finite += isfinite(far) != 0;
        }
        if (limit.kind == QKV__LIMIT_PLUS_INFINITY || limit.kind == QKV__LIMIT_MINUS_INFINITY) {
            long double sign = limit.kind == QKV__LIMIT_PLUS_INFINITY ? 1.0L : -1.0L;
            long double far = sign * ratio_value(&algebra, ratio, at);
            at[BETA] /= 2.0L; /* half way there it is smaller by a quarter at least */
            long double near = sign * ratio_value(&algebra, ratio, at);
            if (isfinite(far) && isfinite(near)) assert_true(far > 0.0L && far > 1.3L * near);
        }
        qkv__arena_free(&algebra.arena);
    }
    assert_true(finite > 120);
}

/* Ties share in the proportion of their coefficients, also through constants ln w; and where the
 * winner depends on what is not known, nothing is said. */
static void test_limit_ties(void **state)
{
    qkv__algebra algebra = make_algebra();
    (void)state;
    const qkv__form *beta = qkv__form_parameter(&algebra, BETA);
    const qkv__form *e = qkv__form_exponential(&algebra, beta);
    const qkv__form *weighted = qkv__form_exponential(
        &algebra,
        qkv__form_add(&algebra, beta, qkv__form_logarithm(&algebra, qkv__rational_make(3, 7))));
    qkv__ratio share =
        qkv__ratio_divide(&algebra, qkv__ratio_of_form(&algebra, weighted),
                          qkv__ratio_of_form(&algebra, qkv__form_add(&algebra, e, weighted)));
    qkv__limit limit = qkv__ratio_limit(&algebra, share, BETA);
    assert_int_equal(limit.kind, QKV__LIMIT_FINITE);
    expect_text(&algebra, limit.value, "3/10");
    const qkv__form *x = qkv__form_parameter(&algebra, FREE);
    const qkv__form *either =
        qkv__form_exponential(&algebra, qkv__form_multiply(&algebra, beta, x));
    qkv__ratio open =
        qkv__ratio_divide(&algebra, qkv__ratio_of_form(&algebra, e),
                          qkv__ratio_of_form(&algebra, qkv__form_add(&algebra, e, either)));
    assert_int_equal(qkv__ratio_limit(&algebra, open, BETA).kind, QKV__LIMIT_UNKNOWN);
    qkv__arena_free(&algebra.arena);
}

/* What is said of all large beta is true at beta = 2000 and 4000, where the fastest term has won
 * over terms of these sizes. */
static void test_eventual_sign(void **state)
{
    random_source source = {.state = 96};
    int decided = 0;
    (void)state;
    for (int i = 0; i < 1200; i++) {
        qkv__algebra algebra = make_algebra();
        const qkv__form *above = random_form(&algebra, 1, &source);
        const qkv__form *below = random_form(&algebra, 1, &source);
        qkv__ratio ratio = qkv__ratio_divide(&algebra, qkv__ratio_of_form(&algebra, above),
                                             qkv__ratio_of_form(&algebra, below));
        qkv__sign sign = qkv__ratio_eventual_sign(&algebra, ratio, BETA);
        for (int k = 0; k < 10 && sign != QKV__SIGN_UNKNOWN; k++) {
            long double at[4];
            random_point(&source, at);
            at[BETA] = k % 2 == 0 ? 2000.0L : 4000.0L;
            long double value = ratio_value(&algebra, ratio, at);
            if (!isfinite(value)) continue;
            assert_true(sign == QKV__SIGN_POSITIVE ? value >= 0.0L
                        : sign == QKV__SIGN_ZERO   ? value == 0.0L
                                                   : value <= 0.0L);
            decided += k == 0;
        }
        qkv__arena_free(&algebra.arena);
    }
    assert_true(decided > 400);
}

static void test_eventual_sign_edges(void **state)
{
    qkv__algebra algebra = make_algebra();
    (void)state;
    const qkv__form *beta = qkv__form_parameter(&algebra, BETA);
    const qkv__form *n = qkv__form_parameter(&algebra, N), *x = qkv__form_parameter(&algebra, FREE);
    const qkv__form *e = qkv__form_exponential(&algebra, beta);
    const qkv__form *large = qkv__form_whole(&algebra, 1000000000);
    /* e^beta - 10^9 n beta^9, for every n: from some beta on. */
    const qkv__form *powers = qkv__form_multiply(&algebra, qkv__form_multiply(&algebra, large, n),
                                                 qkv__form_power(&algebra, beta, 9));
    qkv__ratio late = qkv__ratio_of_form(&algebra, qkv__form_subtract(&algebra, e, powers));
    assert_int_equal(qkv__ratio_eventual_sign(&algebra, late, BETA), QKV__SIGN_POSITIVE);
    assert_int_equal(qkv__ratio_eventual_sign(&algebra, qkv__ratio_negate(&algebra, late), BETA),
                     QKV__SIGN_NEGATIVE);
    /* The coefficient x decides, and may be anything; x^2 may be 0; n - 3 too. */
    qkv__ratio open = qkv__ratio_of_form(
        &algebra, qkv__form_add(&algebra, qkv__form_multiply(&algebra, x, e), beta));
    assert_int_equal(qkv__ratio_eventual_sign(&algebra, open, BETA), QKV__SIGN_UNKNOWN);
    const qkv__form *rest = qkv__form_subtract(&algebra, n, qkv__form_whole(&algebra, 3));
    qkv__ratio vanishing = qkv__ratio_of_form(
        &algebra, qkv__form_subtract(&algebra, qkv__form_multiply(&algebra, rest, e), beta));
    assert_int_equal(qkv__ratio_eventual_sign(&algebra, vanishing, BETA), QKV__SIGN_UNKNOWN);
    algebra.parameter[N].lower.value = qkv__rational_whole(4);
    assert_int_equal(qkv__ratio_eventual_sign(&algebra, vanishing, BETA), QKV__SIGN_POSITIVE);
    assert_int_equal(qkv__ratio_eventual_sign(&algebra, qkv__ratio_whole(&algebra, 0), BETA),
                     QKV__SIGN_ZERO);
    assert_int_equal(qkv__ratio_eventual_sign(&algebra, (qkv__ratio){NULL, NULL}, BETA),
                     QKV__SIGN_UNKNOWN);
    assert_int_equal(qkv__ratio_eventual_sign(&algebra, late, -1), QKV__SIGN_UNKNOWN);
    /* A parameter with an upper bound is never large. */
    qkv__ratio tau = qkv__ratio_of_form(&algebra, qkv__form_parameter(&algebra, TAU));
    assert_int_equal(qkv__ratio_eventual_sign(&algebra, tau, TAU), QKV__SIGN_UNKNOWN);
    qkv__arena_free(&algebra.arena);
}

/* Numbers that outgrow 64 bits, and memory that runs out, are lost: never wrong, never a crash. */
static void test_lost(void **state)
{
    (void)state;
    qkv__algebra algebra = make_algebra();
    const qkv__form *big = qkv__form_whole(&algebra, INT64_MAX);
    assert_null(qkv__form_add(&algebra, big, big));
    assert_null(qkv__form_multiply(&algebra, NULL, big));
    assert_null(qkv__form_power(&algebra, qkv__form_parameter(&algebra, BETA), 300));
    assert_false(qkv__form_equal(NULL, NULL));
    qkv__arena_free(&algebra.arena);
    for (long n = 0; n < 40; n++) {
        random_source source = {.state = 95};
        qkv__memory_fail_after(n);
        qkv__algebra small = {.parameter_count = 0};
        small.arena.limit = 20000 + 500 * (size_t)n;
        int beta = qkv__parameter_add(&small, "beta");
        const qkv__form *form = qkv__form_parameter(&small, beta);
        for (int i = 0; i < 20; i++)
            form = qkv__form_add(&small, form, random_form(&small, 1, &source));
        qkv__form_sign(&small, form);
        qkv__ratio_limit(&small, qkv__ratio_of_form(&small, form), 0);
        qkv__memory_fail_after(-1);
        qkv__arena_free(&small.arena);
    }
    assert_int_equal(qkv__memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rational),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_exponentials),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_sign_soundness),
        cmocka_unit_test(test_sign_edges),
        cmocka_unit_test(test_sign_of_products),
        cmocka_unit_test(test_limit_soundness),
        cmocka_unit_test(test_limit_ties),
        cmocka_unit_test(test_eventual_sign),
        cmocka_unit_test(test_eventual_sign_edges),
        cmocka_unit_test(test_lost),
    };
    return cmocka_run_group_tests_name("exact", tests, NULL, NULL);
}
