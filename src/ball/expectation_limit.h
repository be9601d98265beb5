/*
 * Laws in the limit. A ratio of exponentials e^(b (p x + q)), x normal and b growing beyond all
 * bounds, becomes a step function of x: between the crossings of the lines p x + q one exponential
 * of the numerator and one of the denominator outgrow all others. The crossings are rational, and
 * the normal law's weights of the steps are known, so that limits of probabilities and of
 * expectations come out in closed form:
 *
 *     e^(b x)/(e^(b x) + n - 1), x ~ N(1, 1/2):   0 below x = 0, 1 above; E -> 1 - 1/2*erfc(1)
 *
 * Exact: what is said holds for all that the algebra allows of the other parameters. What it says
 * of the normal parameter itself is not looked at.
 */
#ifndef QKV_BALL_EXPECTATION_LIMIT_H
#define QKV_BALL_EXPECTATION_LIMIT_H

#include "ball/expectation.h"
#include "exact/sign.h"

enum { QKV__STEPS = 24 };

/* What a ratio tends to for every x strictly between two ends. */
typedef struct qkv__step {
    bool has_lower, has_upper; /* else the ends are infinite */
    qkv__rational lower, upper;
    qkv__sign sign; /* POSITIVE, NEGATIVE or ZERO, from some b on; UNKNOWN: it could not be told */
    qkv__ratio value; /* free of b and x; lost where it is infinite */
} qkv__step;

/* In order, and together the whole line but for their ends. */
typedef struct qkv__steps {
    size_t count;
    qkv__step step[QKV__STEPS];
} qkv__steps;

/* False where an exponent is no such line, a factor depends on x, a denominator's largest term may
 * vanish, or there are too many steps. The algebra gives memory. */
bool qkv__limit_steps(qkv__algebra *algebra, qkv__ratio f, int growing, int parameter,
                      qkv__steps *steps);

/*
 * The limits of P(f > 0), of E f and of Cov(f, g) as `growing` goes to infinity. Expectations are
 * for functions that algebra or interval arithmetic sees to be bounded, which makes the limit of
 * the integral the integral of the limit, and for steps that are rational numbers. text may be
 * NULL; it gets the closed form, "1/2" or "1 - 1/2*erfc(1)". Returns out->known.
 */
bool qkv__limit_probability(qkv__algebra *algebra, qkv__ratio f, qkv__event event, int growing,
                            qkv__normal normal, qkv__enclosure *out, qkv__text *text);
bool qkv__limit_expectation(qkv__algebra *algebra, qkv__ratio f, int growing, qkv__normal normal,
                            qkv__enclosure *out, qkv__text *text);
bool qkv__limit_covariance(qkv__algebra *algebra, qkv__ratio f, qkv__ratio g, int growing,
                           qkv__normal normal, qkv__enclosure *out);

#endif
