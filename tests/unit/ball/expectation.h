/*
 * What the tests of expectations share: a workshop of forms with beta, n and two normal parameters,
 * the weights of the assignment, and a judge, quadrature in long double.
 */
#ifndef TESTS_UNIT_EXPECTATION_H
#define TESTS_UNIT_EXPECTATION_H

#include <math.h>
#include <stdio.h>

#include "support/check.h"
#include "support/forms.h"
#include "support/random.h"

#include "ball/expectation.h"
#include "base/memory.h"

/* ---- A workshop of forms -------------------------------------------------------------------- */

typedef const qkv__form *form;

/* beta >= 0; n whole, >= 2; e and f any numbers. */
enum { BETA, N, E, F };

static qkv__algebra algebra;

static inline int set_up(void **state)
{
    (void)state;
    static const char *const name[] = {"beta", "n", "e", "f"};
    algebra = (qkv__algebra){0};
    for (int p = BETA; p <= F; p++)
        if (qkv__parameter_add(&algebra, name[p]) != p) return 1;
    algebra.parameter[BETA].lower = (qkv__bound){.known = true, .value = {0, 1}};
    algebra.parameter[N].lower = (qkv__bound){.known = true, .value = {2, 1}};
    algebra.parameter[N].whole = true;
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    qkv__arena_free(&algebra.arena);
    return qkv__memory_live() == 0 ? 0 : 1;
}

static inline form whole(int64_t value)
{
    return qkv__form_whole(&algebra, value);
}

static inline form parameter(int p)
{
    return qkv__form_parameter(&algebra, p);
}

static inline form plus(form a, form b)
{
    return qkv__form_add(&algebra, a, b);
}

static inline form times(form a, form b)
{
    return qkv__form_multiply(&algebra, a, b);
}

static inline form e_to(form a)
{
    return qkv__form_exponential(&algebra, a);
}

static inline qkv__ratio plain(form a)
{
    return qkv__ratio_of_form(&algebra, a);
}

static inline qkv__ratio over(form a, form b)
{
    return qkv__ratio_divide(&algebra, plain(a), plain(b));
}

static inline qkv__ratio minus(qkv__ratio a, qkv__rational b)
{
    return qkv__ratio_subtract(&algebra, a, qkv__ratio_constant(&algebra, b));
}

/* e^(beta e) / (e^(beta e) + e^beta + n - 2) */
static inline qkv__ratio single_weight(void)
{
    form own = e_to(times(parameter(BETA), parameter(E)));
    return over(own, plus(plus(own, e_to(parameter(BETA))), plus(parameter(N), whole(-2))));
}

/* e^(beta e) / (e^(beta e) + n - 1) */
static inline qkv__ratio head_weight(void)
{
    form own = e_to(times(parameter(BETA), parameter(E)));
    return over(own, plus(own, plus(parameter(N), whole(-1))));
}

static inline qkv__box box_at(qkv__rational beta, int64_t n)
{
    qkv__box box;
    assert_true(qkv__box_of_algebra(&algebra, &box));
    assert_true(qkv__box_fix(&algebra, &box, BETA, beta));
    assert_true(qkv__box_fix(&algebra, &box, N, qkv__rational_whole(n)));
    return box;
}

static const qkv__normal handout = {E, {1, 1}, {1, 2}};

/* ---- The judge ------------------------------------------------------------------------------ */

static inline long double approximate(qkv__rational value)
{
    return (long double)value.numerator / (long double)value.denominator;
}

typedef long double judged(qkv__ratio f, qkv__ratio g, const long double *at);

static inline long double first_alone(qkv__ratio f, qkv__ratio g, const long double *at)
{
    (void)g;
    return ratio_value(&algebra, f, at);
}

static inline long double product(qkv__ratio f, qkv__ratio g, const long double *at)
{
    return ratio_value(&algebra, f, at) * ratio_value(&algebra, g, at);
}

/* The trapezoidal rule over +-13 deviations: for analytic functions its error falls like
 * e^(-c/step), and the step is far below the width of every sigmoid tried. */
static inline long double integral(judged *what, qkv__ratio f, qkv__ratio g, qkv__normal normal,
                                   const long double *fixed, int steps)
{
    long double at[QKV__PARAMETERS] = {0}, sum = 0, h = 26.0L / steps;
    for (int p = 0; p < 4; p++) at[p] = fixed[p];
    for (int i = 0; i <= steps; i++) {
        long double x = -13 + h * i;
        at[normal.parameter] = approximate(normal.mean) + sqrtl(approximate(normal.variance)) * x;
        sum += expl(-x * x / 2) * what(f, g, at);
    }
    return sum * h / sqrtl(2 * acosl(-1.0L));
}

static inline void check_holds(const qkv__enclosure *found, long double value, long double slack,
                               double widest, const char *what)
{
    if (!found->known) fail_msg("%s: not known, instead of %.17Lg", what, value);
    if (!(found->lower <= value + slack && value - slack <= found->upper))
        fail_msg("%s: %s misses %.17Lg", what, found->text, value);
    if (!(found->upper - found->lower <= widest))
        fail_msg("%s: %s is wider than %g", what, found->text, widest);
}

static inline long double normal_above(qkv__normal normal, long double t)
{
    long double deviation = sqrtl(approximate(normal.variance));
    return 0.5L * erfcl((t - approximate(normal.mean)) / deviation / sqrtl(2.0L));
}

static inline qkv__rational random_rational(random_source *source, int least, int most, int below)
{
    int64_t range = (int64_t)(most - least) * below;
    return qkv__rational_make(
        (int64_t)least * below + (int64_t)random_below(source, (size_t)range + 1), below);
}

#endif
