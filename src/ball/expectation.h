/*
 * Expectations over a normal parameter, rigorously: keys of uncertain length make scores normal,
 * and what is asked of weights are then integrals.
 *
 *     qkv__normal epsilon = {parameter, qkv__rational_whole(1), qkv__rational_make(1, 2)};
 *     qkv__enclosure mean, variance, chance;
 *     qkv__ball_expectation(algebra, weight, epsilon, &box, &mean);
 *     qkv__ball_covariance(algebra, weight, weight, epsilon, &box, &variance);
 *     qkv__ball_probability(algebra, weight_minus_half, QKV__EVENT_ABOVE, epsilon, &box, &chance);
 *
 * Functions are ratios of forms (exact/ratio.h), any of them, with poles or growth or both; what
 * the box says of the normal parameter is not looked at. All other parameters are fixed by the box,
 * or range over finite intervals, and then the enclosure holds for each of their values.
 *
 * The integral runs between cuts some deviations from the mean, by Arb's integration with proved
 * error; beyond the cuts the function is bounded by interval arithmetic, if need be against e^(ky),
 * whose integral is known. With all numbers fixed an enclosure has about 15 digits and takes some
 * milliseconds. Each function returns out->known: false for what is lost, an infinite range, a
 * variance that is negative, or an integral that was not seen to be finite.
 */
#ifndef QKV_BALL_EXPECTATION_H
#define QKV_BALL_EXPECTATION_H

#include "ball/enclosure.h"
#include "base/text.h"

/* A parameter with a normal law. Variance 0 is allowed: then it is its mean. */
typedef struct qkv__normal {
    int parameter;
    qkv__rational mean, variance;
} qkv__normal;

/* What a value may be beside 0. */
typedef enum qkv__event {
    QKV__EVENT_ABOVE,    /* f > 0 */
    QKV__EVENT_AT_LEAST, /* f >= 0 */
    QKV__EVENT_BELOW,    /* f < 0 */
    QKV__EVENT_AT_MOST,  /* f <= 0 */
    QKV__EVENT_EQUAL,    /* f = 0 */
    QKV__EVENT_UNEQUAL,  /* f != 0 */
} qkv__event;

/* The values of the normal parameter above a threshold, or below it. The threshold is a number
 * between two others, which may be the same. */
typedef struct qkv__half_line {
    bool above;
    qkv__rational lower, upper;
} qkv__half_line;

/* E f */
bool qkv__ball_expectation(const qkv__algebra *algebra, qkv__ratio f, qkv__normal normal,
                           const qkv__box *box, qkv__enclosure *out);

/* E(fg) - (E f)(E g), from the product of deviations, so that small numbers keep their digits. The
 * variance is the covariance of f with itself, and never below 0. */
bool qkv__ball_covariance(const qkv__algebra *algebra, qkv__ratio f, qkv__ratio g,
                          qkv__normal normal, const qkv__box *box, qkv__enclosure *out);

/* E(f | the parameter lies on the half line) */
bool qkv__ball_expectation_given(const qkv__algebra *algebra, qkv__ratio f, qkv__normal normal,
                                 qkv__half_line given, const qkv__box *box, qkv__enclosure *out);

/* P(the parameter lies on the half line) */
bool qkv__ball_half_line(qkv__normal normal, qkv__half_line line, qkv__enclosure *out);

/* P(f > 0) and so on. Where f is not defined, it is none of these. */
bool qkv__ball_probability(const qkv__algebra *algebra, qkv__ratio f, qkv__event event,
                           qkv__normal normal, const qkv__box *box, qkv__enclosure *out);

/* P(f > 0 | the parameter lies on the half line) */
bool qkv__ball_probability_given(const qkv__algebra *algebra, qkv__ratio f, qkv__event event,
                                 qkv__normal normal, qkv__half_line given, const qkv__box *box,
                                 qkv__enclosure *out);

/*
 * Two independent normal parameters, of which f depends through their sum or difference alone, as
 * e^x/(e^x + e^y) does: f becomes a function of the first, which stands for that sum or difference,
 * with the law that it has. False, and all as it was, when f is no such function. The algebra gives
 * memory.
 */
bool qkv__normal_merge(qkv__algebra *algebra, qkv__ratio *f, const qkv__normal normal[2],
                       qkv__normal *merged);

/*
 * E f over two independent normal parameters: merged if possible; else for an f that interval
 * arithmetic sees to be bounded, such as a weight, to about 6 digits in about a second. Not known
 * where f is too steep for that: weights of scores with deviations above 10.
 */
bool qkv__ball_expectation_two(const qkv__algebra *algebra, qkv__ratio f,
                               const qkv__normal normal[2], const qkv__box *box,
                               qkv__enclosure *out);

/* P(the parameter > threshold) in closed form: "1/2", "1/2*erfc(1)", "1 - 1/2*erfc(sqrt(2))", "0"
 * or "1" for variance 0. False, and nothing written, when the law is lost. */
bool qkv__normal_write_above(qkv__normal normal, qkv__rational threshold, qkv__text *text);

#endif
