/* Integrals against the normal density, by Arb's adaptive Gauss-Legendre integration. Knows nothing
 * of ratios. */
#include "ball/expectation_part.h"
#include "ball/fraction.h"

#if __has_include(<flint/acb_calc.h>)
#include <flint/acb_calc.h>
#include <flint/arb_hypgeom.h>
#else
#include <acb_calc.h>
#include <arb_hypgeom.h>
#endif

typedef struct integrand {
    qkv__curve *curve;
    void *context;
} integrand;

/* e^(-x^2/2), entire; the constant factor is put to the sum. */
static void multiply_density(acb_t value, const acb_t x, slong precision)
{
    acb_t density;
    acb_init(density);
    acb_mul(density, x, x, precision);
    acb_mul_2exp_si(density, density, -1);
    acb_neg(density, density);
    acb_exp(density, density, precision);
    acb_mul(value, value, density, precision);
    acb_clear(density);
}

/* A ratio is analytic wherever its value is finite, so that both orders are answered alike. */
static int evaluate(acb_ptr value, const acb_t x, void *parameter, slong order, slong precision)
{
    const integrand *task = parameter;
    (void)order;
    task->curve(value, x, task->context, precision);
    if (acb_is_finite(value)) multiply_density(value, x, precision);
    return 0;
}

static void divide_by_root_of_two_pi(acb_t sum, slong precision)
{
    arb_t root;
    arb_init(root);
    arb_const_sqrt_pi(root, precision);
    acb_div_arb(sum, sum, root, precision);
    arb_sqrt_ui(root, 2, precision);
    acb_div_arb(sum, sum, root, precision);
    arb_clear(root);
}

void qkv__normal_integrate(acb_t sum, qkv__curve *curve, void *context, const arf_t from,
                           const arf_t to, const mag_t tolerance, slong goal, slong evaluations,
                           slong precision)
{
    integrand task = {curve, context};
    acb_calc_integrate_opt_t options;
    acb_t a, b;
    acb_init(a);
    acb_init(b);
    arb_set_arf(acb_realref(a), from);
    arb_set_arf(acb_realref(b), to);
    acb_calc_integrate_opt_init(options);
    options->eval_limit = evaluations;
    acb_calc_integrate(sum, evaluate, &task, a, b, goal, tolerance, options, precision);
    divide_by_root_of_two_pi(sum, precision);
    acb_clear(a);
    acb_clear(b);
}

void qkv__arb_set_rational(arb_t x, qkv__rational value, slong precision)
{
    qkv__arb_set_int64(x, value.numerator);
    qkv__arb_div_int64(x, x, value.denominator, precision);
}

double qkv__arb_approximate(const arb_t x)
{
    return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

/* ---- The normal law itself ------------------------------------------------------------------ */

void qkv__normal_above(arb_t chance, const arb_t t, slong precision)
{
    arb_t root;
    arb_init(root);
    arb_sqrt_ui(root, 2, precision);
    arb_div(root, t, root, precision);
    arb_hypgeom_erfc(chance, root, precision);
    arb_mul_2exp_si(chance, chance, -1);
    arb_clear(root);
}

void qkv__normal_between(arb_t chance, const arb_t a, const arb_t b, slong precision)
{
    arb_t from, to;
    arb_init(from);
    arb_init(to);
    bool left = arf_sgn(arb_midref(a)) + arf_sgn(arb_midref(b)) < 0;
    if (left) {
        arb_neg(from, b);
        arb_neg(to, a);
    } else {
        arb_set(from, a);
        arb_set(to, b);
    }
    qkv__normal_above(from, from, precision);
    qkv__normal_above(to, to, precision);
    arb_sub(chance, from, to, precision);
    arb_clear(from);
    arb_clear(to);
}

void qkv__normal_ball_init(qkv__normal_ball *ball, qkv__normal normal, slong precision)
{
    arb_init(ball->mean);
    arb_init(ball->deviation);
    qkv__arb_set_rational(ball->mean, normal.mean, precision);
    qkv__arb_set_rational(ball->deviation, normal.variance, precision);
    arb_sqrt(ball->deviation, ball->deviation, precision);
}

void qkv__normal_ball_clear(qkv__normal_ball *ball)
{
    arb_clear(ball->mean);
    arb_clear(ball->deviation);
}

bool qkv__normal_is_sound(const qkv__algebra *algebra, qkv__normal normal)
{
    if (!qkv__is_parameter(algebra, normal.parameter)) return false;
    const qkv__parameter *parameter = &algebra->parameter[normal.parameter];
    if (parameter->prime != 0 || parameter->whole) return false;
    if (qkv__rational_is_lost(normal.mean) || qkv__rational_is_lost(normal.variance)) return false;
    return qkv__rational_sign(normal.variance) >= 0;
}
