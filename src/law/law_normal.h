/* The standard normal law in double precision. */
#ifndef QKV_LAW_LAW_NORMAL_H
#define QKV_LAW_LAW_NORMAL_H

double qkv__gauss_density(double x);

/* P(Z <= x), with its relative accuracy far to the left, */
double qkv__gauss_cdf(double x);

/* P(a <= Z <= b), without the loss of a difference far out, */
double qkv__gauss_between(double a, double b);

/* and the x of a chance from 0 to 1: -INFINITY and INFINITY at the ends, NaN outside. */
double qkv__gauss_quantile(double chance);

#endif
