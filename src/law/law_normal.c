/* The normal law by C's erfc, and its inverse by Newton's method. Knows nothing of attention. */
#include "law/law_normal.h"

#include <math.h>

static const double root_of_half = 0.70710678118654752440;
static const double density_at_zero = 0.39894228040143267794; /* 1/sqrt(2 pi) */

double qkv__gauss_density(double x)
{
    return density_at_zero * exp(-0.5 * x * x);
}

double qkv__gauss_cdf(double x)
{
    return 0.5 * erfc(-x * root_of_half);
}

double qkv__gauss_between(double a, double b)
{
    if (a > b) return 0;
    return a + b > 0 ? qkv__gauss_cdf(-a) - qkv__gauss_cdf(-b)
                     : qkv__gauss_cdf(b) - qkv__gauss_cdf(a);
}

/* ln P(Z <= x) is concave and rises, so that Newton's steps from the left never pass the root. They
 * begin to its left, for P(Z <= -y) <= e^(-y^2/2)/2. */
static double lower_quantile(double chance)
{
    double target = log(chance), x = -sqrt(-2 * target);
    for (int i = 0; i < 64; i++) {
        double below = qkv__gauss_cdf(x);
        double step = (target - log(below)) * below / qkv__gauss_density(x);
        if (!(fabs(step) > 1e-17 * fabs(x))) break;
        x += step;
    }
    return x;
}

double qkv__gauss_quantile(double chance)
{
    if (!(chance >= 0 && chance <= 1)) return NAN;
    if (chance == 0) return -INFINITY;
    if (chance == 1) return INFINITY;
    if (chance == 0.5) return 0;
    return chance < 0.5 ? lower_quantile(chance) : -lower_quantile(1 - chance);
}
