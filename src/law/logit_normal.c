/*
 * Logit-normal weights. Moments by quadrature with errors far below rounding:
 *
 * Scales below 1. The trapezoidal rule over the whole line, with steps of h: the integrand is
 * analytic for |Im z| < pi/scale, so that the error falls like e^(-2 pi^2/h), below 10^-30 for
 * h = 1/4.
 *
 * Scales of 1 and more. On the line of y = location + scale*z the sigmoid is the step from 0 to 1,
 * whose expectation is known, and a difference that decays like e^-|y|. The difference is
 * integrated over panels of width 2, with 16 nodes of Gauss and Legendre on each: its poles at
 * +-i pi are outside of the ellipse with semi-axes 2.6 and 2.4 about a panel, so that the error is
 * below 5^-32 times its size there. Beyond |y| = 38 is less than 10^-16.
 *
 * Knows nothing of keys and queries.
 */
#include <math.h>

#include <qkv/law.h>

#include "law/law_normal.h"

enum { NODES = 16, PANELS = 19 };

/* ---- Sigmoids ------------------------------------------------------------------------------- */

static double sigmoid(double x)
{
    double e = exp(-fabs(x));
    return x < 0 ? e / (1 + e) : 1 / (1 + e);
}

static double logit(double weight)
{
    return log(weight) - log1p(-weight);
}

static bool is_law(qkv_logit_normal law)
{
    return !isnan(law.location) && law.scale >= 0;
}

/* ---- Quadrature ----------------------------------------------------------------------------- */

/* A root of the Legendre polynomial of degree NODES and its weight, by Newton's method. */
static void legendre_node(int i, double *node, double *weight)
{
    double x = cos(3.14159265358979323846 * (i + 0.75) / (NODES + 0.5)), slope = 1;
    for (int step = 0; step < 8; step++) {
        double before = 1, value = x;
        for (int k = 2; k <= NODES; k++) {
            double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
            before = value;
            value = next;
        }
        slope = NODES * (x * value - before) / (x * x - 1);
        x -= value / slope;
    }
    *node = x;
    *weight = 2 / ((1 - x * x) * slope * slope);
}

/* E (a - centre)^power for power 1 or 2. */
typedef struct moment {
    qkv_logit_normal law;
    int power;
    double centre;
} moment;

static double trapezoidal(const moment *m)
{
    double sum = 0, h = 0.25;
    for (int i = -36; i <= 36; i++) {
        double x = i * h;
        double value = sigmoid(m->law.location + m->law.scale * x) - m->centre;
        sum += qkv__gauss_density(x) * (m->power == 2 ? value * value : value);
    }
    return sum * h;
}

/* What (a - centre)^power differs from its limits at y and at -y, weighted with the density; q is
 * the sigmoid's distance from them. */
static double difference(const moment *m, double y)
{
    double q = sigmoid(-y), c = m->centre;
    double above = qkv__gauss_density((y - m->law.location) / m->law.scale);
    double below = qkv__gauss_density((-y - m->law.location) / m->law.scale);
    if (m->power == 1) return q * (below - above) / m->law.scale;
    return q * ((q - 2 * c) * below - (2 - 2 * c - q) * above) / m->law.scale;
}

static double by_panels(const moment *m)
{
    double sum = 0;
    for (int i = 0; i < NODES; i++) {
        double node, weight, panels = 0;
        legendre_node(i, &node, &weight);
        for (int j = PANELS - 1; j >= 0; j--) panels += difference(m, 2 * j + 1 + node);
        sum += weight * panels;
    }
    return sum;
}

static double expectation(const moment *m)
{
    if (m->law.scale < 1) return trapezoidal(m);
    double t = m->law.location / m->law.scale, c = m->centre;
    double low = m->power == 1 ? -c : c * c;
    double high = m->power == 1 ? 1 - c : (1 - c) * (1 - c);
    return high * qkv__gauss_cdf(t) + low * qkv__gauss_cdf(-t) + by_panels(m);
}

/* ---- Moments -------------------------------------------------------------------------------- */

double qkv_logit_normal_mean(qkv_logit_normal law)
{
    if (!is_law(law)) return NAN;
    if (law.scale == 0 || isinf(law.location)) return sigmoid(law.location);
    return expectation(&(moment){.law = law, .power = 1});
}

double qkv_logit_normal_variance(qkv_logit_normal law)
{
    if (!is_law(law)) return NAN;
    if (law.scale == 0 || isinf(law.location)) return 0;
    double mean = qkv_logit_normal_mean(law);
    return fmax(0, expectation(&(moment){.law = law, .power = 2, .centre = mean}));
}

/* ---- Chances -------------------------------------------------------------------------------- */

double qkv_logit_normal_density(qkv_logit_normal law, double weight)
{
    if (!is_law(law) || isnan(weight)) return NAN;
    if (weight <= 0 || weight >= 1) return 0;
    if (law.scale == 0) return weight == sigmoid(law.location) ? INFINITY : 0;
    double z = (logit(weight) - law.location) / law.scale;
    return qkv__gauss_density(z) / (law.scale * weight * (1 - weight));
}

/* The weight in deviations of the law behind it. */
static double deviations(qkv_logit_normal law, double weight)
{
    if (weight <= 0) return -INFINITY;
    if (weight >= 1) return INFINITY;
    return (logit(weight) - law.location) / law.scale;
}

double qkv_logit_normal_cdf(qkv_logit_normal law, double weight)
{
    if (!is_law(law) || isnan(weight)) return NAN;
    if (law.scale == 0) return sigmoid(law.location) <= weight;
    return qkv__gauss_cdf(deviations(law, weight));
}

double qkv_logit_normal_between(qkv_logit_normal law, double low, double high)
{
    if (!is_law(law) || isnan(low) || isnan(high)) return NAN;
    double weight = sigmoid(law.location);
    if (law.scale == 0) return low <= weight && weight <= high;
    return qkv__gauss_between(deviations(law, low), deviations(law, high));
}

double qkv_logit_normal_quantile(qkv_logit_normal law, double chance)
{
    if (!is_law(law) || !(chance >= 0 && chance <= 1)) return NAN;
    if (law.scale == 0) return sigmoid(law.location);
    return sigmoid(law.location + law.scale * qkv__gauss_quantile(chance));
}

/* ---- Modes ---------------------------------------------------------------------------------- */

/* The density's logarithm, by the logit x of the weight, is level where this is 0:
 * x - location - scale^2 tanh(x/2). */
static double level(qkv_logit_normal law, double x)
{
    return x - law.location - law.scale * law.scale * tanh(0.5 * x);
}

/* The root between a point where it is below 0 and one where it is above. */
static double bisect(qkv_logit_normal law, double below, double above)
{
    for (int i = 0; i < 200; i++) {
        double middle = below + 0.5 * (above - below);
        if (middle == below || middle == above) break;
        if (level(law, middle) < 0)
            below = middle;
        else
            above = middle;
    }
    return below + 0.5 * (above - below);
}

/* For scale^2 <= 2 it rises everywhere. Else it falls between -turn and turn, where cosh(turn/2) =
 * scale/sqrt(2), and has three roots when it is above 0 at the one and below at the other: those
 * outside are peaks, the one between is a valley. */
size_t qkv_logit_normal_modes(qkv_logit_normal law, double mode[2])
{
    if (!is_law(law)) return 0;
    double square = law.scale * law.scale, reach = fabs(law.location) + square + 1;
    if (law.scale == 0 || isinf(law.location)) {
        mode[0] = sigmoid(law.location);
        return 1;
    }
    if (isinf(square)) { /* next to the limit: all is at the ends */
        mode[0] = 0;
        mode[1] = 1;
        return 2;
    }
    double turn = square > 2 ? 2 * acosh(law.scale / sqrt(2)) : 0;
    bool left = turn > 0 && level(law, -turn) > 0, right = turn > 0 && level(law, turn) < 0;
    if (left && right) {
        mode[0] = sigmoid(bisect(law, -reach, -turn));
        mode[1] = sigmoid(bisect(law, turn, reach));
        return 2;
    }
    double from = right ? turn : -reach, to = left ? -turn : reach;
    mode[0] = sigmoid(bisect(law, from, to));
    return 1;
}
