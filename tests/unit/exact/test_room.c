/*
 * Where there is no room: tables that are full, powers and numbers that are too large, and less
 * memory than a calculation takes. What does not fit is lost, which is seen; whatever is said of a
 * sign or a limit stays true.
 */
#include "support/check.h"

#include <stdio.h>

#include "exact/limit.h"
#include "exact/space.h"
#include "exact/words.h"

/* x >= 1/2, 0 <= y <= 1, and z, of which nothing is known. */
enum { X, Y, Z };

static qkv__algebra make_algebra(void)
{
    qkv__algebra algebra = {.parameter_count = 0};
    assert_int_equal(qkv__parameter_add(&algebra, "x"), X);
    assert_int_equal(qkv__parameter_add(&algebra, "y"), Y);
    assert_int_equal(qkv__parameter_add(&algebra, "z"), Z);
    algebra.parameter[X].lower = (qkv__bound){true, false, qkv__rational_make(1, 2)};
    algebra.parameter[Y].lower = (qkv__bound){true, false, qkv__rational_whole(0)};
    algebra.parameter[Y].upper = (qkv__bound){true, false, qkv__rational_whole(1)};
    return algebra;
}

/* factor * e^(above/below * the parameter) */
static const qkv__form *wave(qkv__algebra *algebra, int64_t factor, int parameter, int64_t above,
                             int64_t below)
{
    const qkv__form *exponent = qkv__form_scale(algebra, qkv__form_parameter(algebra, parameter),
                                                qkv__rational_make(above, below));
    return qkv__form_scale(algebra, qkv__form_exponential(algebra, exponent),
                           qkv__rational_whole(factor));
}

/* ---- Tables ------------------------------------------------------------------------------------
 */

static void test_parameters(void **state)
{
    (void)state;
    qkv__algebra algebra = {.parameter_count = 0};
    char name[8];
    for (int i = 0; i < QKV__PARAMETERS - 1; i++) {
        snprintf(name, sizeof name, "p%d", i);
        assert_int_equal(qkv__parameter_add(&algebra, name), i);
    }
    /* One is left for ln 2, and none for ln 3. */
    assert_non_null(qkv__form_logarithm(&algebra, qkv__rational_whole(8)));
    assert_null(qkv__form_logarithm(&algebra, qkv__rational_whole(6)));
    assert_int_equal(qkv__parameter_add(&algebra, "more"), -1);
    assert_null(qkv__form_parameter(&algebra, -1));
    qkv__arena_free(&algebra.arena);
}

static void test_powers(void **state)
{
    (void)state;
    qkv__algebra algebra = make_algebra();
    const qkv__form *x = qkv__form_parameter(&algebra, X);
    const int most = QKV__POWER_LIMIT / 2; /* powers count halves */
    const qkv__form *high = qkv__form_power(&algebra, x, most);
    assert_non_null(high);
    assert_null(qkv__form_multiply(&algebra, high, x));
    const qkv__form *low =
        qkv__form_divide_by_term(&algebra, qkv__form_whole(&algebra, 1), &high->term[0]);
    assert_non_null(low);
    assert_null(qkv__form_divide_by_term(&algebra, low, &x->term[0]));
    assert_null(qkv__form_root(&algebra, qkv__form_root(&algebra, x))); /* a fourth root */
    assert_null(qkv__form_root(&algebra, qkv__form_parameter(&algebra, Z)));
    assert_true(qkv__rational_is_lost(qkv__rational_power(qkv__rational_whole(2), INT64_MIN)));
    assert_null(qkv__form_exponential(&algebra, wave(&algebra, 1, X, 1, 1))); /* e^(e^x) */
    qkv__arena_free(&algebra.arena);
}

/* (1 + x + ... + x^69)(1 + y + ... + y^69) has 4900 terms. */
static void test_terms(void **state)
{
    (void)state;
    qkv__algebra algebra = make_algebra();
    const qkv__form *sum[2];
    for (int p = X; p <= Y; p++) {
        sum[p] = qkv__form_whole(&algebra, 0);
        for (int i = 0; i < 70; i++)
            sum[p] = qkv__form_add(&algebra, sum[p],
                                   qkv__form_power(&algebra, qkv__form_parameter(&algebra, p), i));
        assert_int_equal(sum[p]->count, 70);
    }
    assert_null(qkv__form_multiply(&algebra, sum[X], sum[Y]));
    qkv__arena_free(&algebra.arena);
}

static void test_families(void **state)
{
    (void)state;
    qkv__algebra algebra = {.parameter_count = 0};
    qkv__space space = {.algebra = &algebra};
    for (int i = 0; i < QKV__FAMILIES; i++) assert_non_null(qkv__family_add(&space, "k", NULL));
    assert_null(qkv__family_add(&space, "k", NULL));
    qkv__arena_free(&algebra.arena);
}

static void test_theories(void **state)
{
    (void)state;
    qkv__theory theory = {.numbers = false};
    char name[16];
    assert_int_equal(qkv__theory_dimension(&theory, "0"), -1);
    assert_int_equal(theory.error.status, QKV_ERROR_ARGUMENT);
    for (int i = 0; i < QKV__DIMENSIONS; i++) {
        snprintf(name, sizeof name, "%d", i + 1);
        assert_int_equal(qkv__theory_dimension(&theory, name), i);
    }
    assert_int_equal(qkv__theory_dimension(&theory, "n"), -1);
    assert_int_equal(theory.error.status, QKV_ERROR_UNSUPPORTED);
    assert_int_equal(qkv__theory_dimension(&theory, "7"), 6); /* which is there */
    for (int i = 0; i < QKV__ATOMS; i++) {
        snprintf(name, sizeof name, "A%d", i);
        assert_int_equal(qkv__theory_matrix(&theory, name, 1, 2), i);
    }
    theory.error.status = QKV_OK;
    assert_int_equal(qkv__theory_matrix(&theory, "more", 1, 2), -1);
    assert_int_equal(theory.error.status, QKV_ERROR_UNSUPPORTED);
    qkv__arena_free(&theory.arena);
}

/* ---- Signs beyond their tables -----------------------------------------------------------------
 */

static bool may_be_positive(qkv__sign sign)
{
    return sign == QKV__SIGN_UNKNOWN || sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE;
}

/* e^x1 + ... + e^x13 - 12 > 0 for x1, ..., x13 >= 0: one exponential more than has a variable. And
 * positive sums with divisors and degrees that no variable takes. */
static void test_many_exponentials(void **state)
{
    (void)state;
    qkv__algebra algebra = {.parameter_count = 0};
    const qkv__form *sum = qkv__form_whole(&algebra, -12);
    char name[8];
    for (int i = 0; i < 13; i++) {
        snprintf(name, sizeof name, "x%d", i);
        assert_int_equal(qkv__parameter_add(&algebra, name), i);
        algebra.parameter[i].lower = (qkv__bound){true, false, qkv__rational_whole(0)};
        sum = qkv__form_add(&algebra, sum, wave(&algebra, 1, i, 1, 1));
    }
    assert_true(may_be_positive(qkv__form_sign(&algebra, sum)));
    const int64_t below[] = {1, 1021, 1021, 1}, above[] = {1, 1, 2000, 60};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            const qkv__form *one = wave(&algebra, 2, 0, above[i], below[i]);
            const qkv__form *other = wave(&algebra, 1, 0, above[j], below[j]);
            const qkv__form *both = qkv__form_add(&algebra, one, other);
            both = qkv__form_subtract(&algebra, both, qkv__form_whole(&algebra, 1));
            assert_true(may_be_positive(qkv__form_sign(&algebra, both)));
        }
    qkv__arena_free(&algebra.arena);
}

/* ---- Little memory -----------------------------------------------------------------------------
 */

/* What is asked below, and the answers. */
typedef struct answers {
    qkv__sign positive, negative, eventual;
    qkv__limit_kind finite, infinite;
    qkv__text text; /* of a form with everything in it */
} answers;

/* sqrt(4 x) e^(x + ln(9/2)) / (x y), with z put in the place of y, times (1 + 2 x)^3. */
static const qkv__form *everything(qkv__algebra *algebra)
{
    const qkv__form *x = qkv__form_parameter(algebra, X), *y = qkv__form_parameter(algebra, Y);
    const qkv__form *z = qkv__form_parameter(algebra, Z), *one = qkv__form_whole(algebra, 1);
    const qkv__form *root =
        qkv__form_root(algebra, qkv__form_scale(algebra, x, qkv__rational_whole(4)));
    const qkv__form *exponent =
        qkv__form_add(algebra, x, qkv__form_logarithm(algebra, qkv__rational_make(9, 2)));
    const qkv__form *product =
        qkv__form_multiply(algebra, root, qkv__form_exponential(algebra, exponent));
    const qkv__form *below = qkv__form_multiply(algebra, x, y);
    if (below == NULL) return NULL;
    product = qkv__form_divide_by_term(algebra, product, &below->term[0]);
    product = qkv__form_substitute(algebra, product, Y, z);
    const qkv__form *sum =
        qkv__form_add(algebra, one, qkv__form_scale(algebra, x, qkv__rational_whole(2)));
    return qkv__form_multiply(algebra, product, qkv__form_power(algebra, sum, 3));
}

static answers ask(size_t limit)
{
    qkv__algebra algebra = make_algebra();
    answers a = {.positive = QKV__SIGN_UNKNOWN};
    algebra.arena.limit = limit;
    const qkv__form *one = qkv__form_whole(&algebra, 1), *x = qkv__form_parameter(&algebra, X);
    const qkv__form *rising = qkv__form_subtract(&algebra, wave(&algebra, 1, X, 1, 1), one);
    const qkv__form *mixed = qkv__form_add(&algebra, rising, wave(&algebra, 1, Y, 1, 2));
    a.positive = qkv__form_sign(&algebra, mixed);
    a.negative = qkv__form_sign(
        &algebra, qkv__form_subtract(&algebra, one, qkv__form_add(&algebra, mixed, x)));
    qkv__ratio shrinking = qkv__ratio_divide(&algebra, qkv__ratio_of_form(&algebra, x),
                                             qkv__ratio_of_form(&algebra, rising));
    a.finite = qkv__ratio_limit(&algebra, shrinking, X).kind;
    a.infinite =
        qkv__ratio_limit(&algebra,
                         qkv__ratio_divide(&algebra, qkv__ratio_whole(&algebra, 1), shrinking), X)
            .kind;
    a.eventual = qkv__ratio_eventual_sign(
        &algebra, qkv__ratio_subtract(&algebra, qkv__ratio_whole(&algebra, 1), shrinking), X);
    qkv__form_write(&algebra, everything(&algebra), &a.text);
    qkv__arena_free(&algebra.arena);
    return a;
}

/* Each answer is that of enough memory, or none. */
static void test_little_memory(void **state)
{
    (void)state;
    answers all = ask(0);
    assert_int_equal(all.positive, QKV__SIGN_POSITIVE);
    assert_int_equal(all.negative, QKV__SIGN_NEGATIVE);
    assert_int_equal(all.eventual, QKV__SIGN_POSITIVE);
    assert_int_equal(all.finite, QKV__LIMIT_FINITE);
    assert_int_equal(all.infinite, QKV__LIMIT_PLUS_INFINITY);
    assert_true(all.text.length > 1);
    bool enough = false;
    for (size_t limit = 16; limit < 200000 && !enough; limit += 16) {
        answers a = ask(limit);
        assert_true(may_be_positive(a.positive));
        assert_true(may_be_positive(qkv__sign_negate(a.negative)));
        assert_true(may_be_positive(a.eventual));
        assert_true(a.finite == all.finite || a.finite == QKV__LIMIT_UNKNOWN);
        assert_true(a.infinite == all.infinite || a.infinite == QKV__LIMIT_UNKNOWN);
        const bool same = strcmp(a.text.data, all.text.data) == 0;
        if (!same) assert_string_equal(a.text.data, "?");
        enough = same && a.positive == all.positive && a.negative == all.negative &&
                 a.eventual == all.eventual && a.finite == all.finite && a.infinite == all.infinite;
        qkv__text_free(&a.text);
    }
    assert_true(enough);
    qkv__text_free(&all.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters),    cmocka_unit_test(test_powers),
        cmocka_unit_test(test_terms),         cmocka_unit_test(test_families),
        cmocka_unit_test(test_theories),      cmocka_unit_test(test_many_exponentials),
        cmocka_unit_test(test_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
