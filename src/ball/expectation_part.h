/*
 * The parts that expectations are made of: integrals against the normal density between two cuts,
 * and bounds of what lies beyond. For the files of this room alone. All is in units of deviations:
 * the parameter is mean + deviation * x with x standard normal.
 */
#ifndef QKV_BALL_EXPECTATION_PART_H
#define QKV_BALL_EXPECTATION_PART_H

#include "ball/complex.h"
#include "ball/expectation.h"

/* The value at a ball of x; not finite where the function is not seen to be analytic. */
typedef void qkv__curve(acb_t value, const acb_t x, void *context, slong precision);

/* The integral of curve(x) * density(x) from one number to another. goal: bits of relative
 * accuracy; evaluations: at most about so many. */
void qkv__normal_integrate(acb_t sum, qkv__curve *curve, void *context, const arf_t from,
                           const arf_t to, const mag_t tolerance, slong goal, slong evaluations,
                           slong precision);

void qkv__arb_set_rational(arb_t x, qkv__rational value, slong precision);
double qkv__arb_approximate(const arb_t x); /* the midpoint, for choices that no proof rests on */

/* P(x > t), and P(a < x < b) without the loss of a difference far out. */
void qkv__normal_above(arb_t chance, const arb_t t, slong precision);
void qkv__normal_between(arb_t chance, const arb_t a, const arb_t b, slong precision);

/* mean + deviation * x, and the x of a value. */
typedef struct qkv__normal_ball {
    arb_t mean, deviation;
} qkv__normal_ball;

void qkv__normal_ball_init(qkv__normal_ball *ball, qkv__normal normal, slong precision);
void qkv__normal_ball_clear(qkv__normal_ball *ball);

/* Whether the law has a meaning here: a free parameter that is not whole, a mean and a variance
 * that are not lost, the variance not negative. */
bool qkv__normal_is_sound(const qkv__algebra *algebra, qkv__normal normal);

/* Whether its ends are numbers, in order. */
bool qkv__half_line_is_sound(qkv__half_line line);

/* P(the parameter lies on the half line) */
void qkv__line_chance(arb_t chance, const qkv__half_line *line, const qkv__normal_ball *ball,
                      slong precision);

/* The box with nothing known of the parameter, tidy. */
bool qkv__box_free(const qkv__algebra *algebra, const qkv__box *box, int parameter,
                   qkv__box *freed);

/*
 * Bounds of f(from + side*y) e^(-growth*y) for all y >= 0: by interval arithmetic, so that they
 * may be missed. growth: whole, not negative.
 */
bool qkv__tail_bound(const qkv__algebra *algebra, qkv__ratio f, int parameter, qkv__rational from,
                     int side, int64_t growth, const qkv__box *box, qkv__interval *bounds);

/* Bounds of f over the box, whatever its ends; false when they are not finite. */
bool qkv__ratio_bound(qkv__algebra *algebra, qkv__ratio f, const qkv__box *box,
                      qkv__interval *bounds);

/* Whether the event holds for values of this sign. */
bool qkv__event_holds(qkv__event event, int sign);

/* "erfc(1)", "erfc(sqrt(1/2))": of |threshold - mean|/sqrt(2 variance); "erfc(?)" when lost. */
void qkv__normal_write_erfc(qkv__normal normal, qkv__rational threshold, qkv__text *text);

/* A whole number that is not further out than mean + side*cut*deviation; lost if there is none. */
qkv__rational qkv__tail_start(const qkv__normal_ball *ball, double cut, int side);

/*
 * E(e^(growth*y); x beyond the cut), y = side*(parameter - from): the weight of what lies beyond.
 */
void qkv__tail_weight(arb_t weight, const qkv__normal_ball *ball, double cut, qkv__rational from,
                      int side, int64_t growth, slong precision);

#endif
