/* The table of functions of one number. Knows numbers; nothing of the language but the names. */
#include "ball/elementary.h"

#include <string.h>

#include "ball/arb_special.h"
#include "ball/slope.h"

/* A function that is Arb's: its value at 0, which is whole, and the first terms of its Taylor
 * series. */
typedef struct smooth {
    int64_t at_zero;
    qkv__ball_function ball;
    void (*taylor)(qkv__real *f, const qkv__real *x);
} smooth;

static void apply(const smooth *function, qkv__real *z, const qkv__real *x)
{
    if (qkv__slopes_by_series(z, x, function->taylor)) return;
    if (qkv__rational_is_zero(x->exact))
        qkv__real_set_whole(z, function->at_zero);
    else
        qkv__real_apply(z, x, function->ball);
}

static void one_minus(qkv__real *z, const qkv__real *x)
{
    qkv__real one;
    qkv__real_init(&one);
    qkv__real_set_whole(&one, 1);
    qkv__real_subtract(z, &one, x);
    qkv__real_clear(&one);
}

/* ---- tanh ---------------------------------------------------------------------------------- */

static void tangent(qkv__real *z, const qkv__real *x);

/* h, g = 1 - h^2, -h g, g (3 h^2 - 1)/3 = (2 - 3 g) g/3 */
static void tangent_series(qkv__real *f, const qkv__real *x)
{
    qkv__real two;
    qkv__real_init(&two);
    tangent(&f[0], x);
    qkv__real_multiply(&f[1], &f[0], &f[0]);
    one_minus(&f[1], &f[1]);
    qkv__real_multiply(&f[2], &f[0], &f[1]);
    qkv__real_negate(&f[2], &f[2]);
    qkv__real_set_whole(&two, 2);
    qkv__real_divide_whole(&two, &two, 3);
    qkv__real_subtract(&f[3], &two, &f[1]);
    qkv__real_multiply(&f[3], &f[3], &f[1]);
    qkv__real_clear(&two);
}

static void tangent(qkv__real *z, const qkv__real *x)
{
    static const smooth function = {0, arb_tanh, tangent_series};
    apply(&function, z, x);
}

/* ---- sin and cos --------------------------------------------------------------------------- */

static void sine(qkv__real *z, const qkv__real *x);
static void cosine(qkv__real *z, const qkv__real *x);

/* From the function and its derivative, of which it is the negative second derivative. */
static void wave_series(qkv__real *f)
{
    for (int i = 2; i <= QKV__DIRECTIONS; i++) {
        qkv__real_divide_whole(&f[i], &f[i - 2], i * (i - 1));
        qkv__real_negate(&f[i], &f[i]);
    }
}

static void cosine_series(qkv__real *f, const qkv__real *x)
{
    cosine(&f[0], x);
    sine(&f[1], x);
    qkv__real_negate(&f[1], &f[1]);
    wave_series(f);
}

static void sine_series(qkv__real *f, const qkv__real *x)
{
    sine(&f[0], x);
    cosine(&f[1], x);
    wave_series(f);
}

static void cosine(qkv__real *z, const qkv__real *x)
{
    static const smooth function = {1, arb_cos, cosine_series};
    apply(&function, z, x);
}

static void sine(qkv__real *z, const qkv__real *x)
{
    static const smooth function = {0, arb_sin, sine_series};
    apply(&function, z, x);
}

/* ---- sinh and cosh ------------------------------------------------------------------------- */

static void hyperbolic_sine(qkv__real *z, const qkv__real *x);
static void hyperbolic_cosine(qkv__real *z, const qkv__real *x);

/* From the function and its derivative, of which it is the second derivative. */
static void growth_series(qkv__real *f)
{
    for (int i = 2; i <= QKV__DIRECTIONS; i++)
        qkv__real_divide_whole(&f[i], &f[i - 2], i * (i - 1));
}

static void hyperbolic_sine_series(qkv__real *f, const qkv__real *x)
{
    hyperbolic_sine(&f[0], x);
    hyperbolic_cosine(&f[1], x);
    growth_series(f);
}

static void hyperbolic_cosine_series(qkv__real *f, const qkv__real *x)
{
    hyperbolic_cosine(&f[0], x);
    hyperbolic_sine(&f[1], x);
    growth_series(f);
}

/* Beyond e^1e24, numbers are not defined: see real.h. */
static void within_range(arb_t z, const arb_t x, qkv__ball_function function, slong precision)
{
    if (arf_cmpabs_2exp_si(arb_midref(x), 79) > 0)
        arb_indeterminate(z);
    else
        function(z, x, precision);
}

static void sinh_of_ball(arb_t z, const arb_t x, slong precision)
{
    within_range(z, x, arb_sinh, precision);
}

static void cosh_of_ball(arb_t z, const arb_t x, slong precision)
{
    within_range(z, x, arb_cosh, precision);
}

static void hyperbolic_sine(qkv__real *z, const qkv__real *x)
{
    static const smooth function = {0, sinh_of_ball, hyperbolic_sine_series};
    apply(&function, z, x);
}

static void hyperbolic_cosine(qkv__real *z, const qkv__real *x)
{
    static const smooth function = {1, cosh_of_ball, hyperbolic_cosine_series};
    apply(&function, z, x);
}

/* ---- erf ----------------------------------------------------------------------------------- */

static void error_function(qkv__real *z, const qkv__real *x);

/* erf x, g = 2/sqrt(pi) e^(-x^2), -x g, (2 x^2 - 1) g/3 */
static void error_function_series(qkv__real *f, const qkv__real *x)
{
    qkv__real square, root;
    qkv__real_init(&square);
    qkv__real_init(&root);
    error_function(&f[0], x);
    qkv__real_multiply(&square, x, x);
    qkv__real_negate(&f[1], &square);
    qkv__real_exponential(&f[1], &f[1]);
    qkv__real_add(&f[1], &f[1], &f[1]);
    qkv__real_set_pi(&root);
    qkv__real_root(&root, &root);
    qkv__real_divide(&f[1], &f[1], &root);
    qkv__real_multiply(&f[2], x, &f[1]);
    qkv__real_negate(&f[2], &f[2]);
    qkv__real_add(&square, &square, &square);
    one_minus(&square, &square);
    qkv__real_multiply(&f[3], &square, &f[1]);
    qkv__real_divide_whole(&f[3], &f[3], -3);
    qkv__real_clear(&square);
    qkv__real_clear(&root);
}

static void error_function(qkv__real *z, const qkv__real *x)
{
    static const smooth function = {0, arb_hypgeom_erf, error_function_series};
    apply(&function, z, x);
}

/* ---- The table ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    qkv__elementary function;
} rows[] = {
    {"abs", qkv__real_magnitude}, {"cos", cosine},
    {"cosh", hyperbolic_cosine},  {"sinh", hyperbolic_sine},
    {"erf", error_function},      {"exp", qkv__real_exponential},
    {"ln", qkv__real_logarithm},  {"sin", sine},
    {"sqrt", qkv__real_root},     {"tanh", tangent},
};

qkv__elementary qkv__elementary_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0) return rows[i].function;
    return NULL;
}
