/*
 * Closed intervals with ends of any precision, rounded outward, on FLINT/Arb's numbers. An end may
 * be infinite: [2, infinity] is the set of all numbers from 2 on. Ends rather than balls, since
 * the questions of this room are asked over wide and infinite ranges, which balls hold badly.
 *
 * The promise: when each operand encloses the values of some expression over some set of points,
 * the result encloses the values of the combined expression over the same points. No interval is
 * [infinity, infinity], since values are real numbers; 0 * infinity is therefore 0.
 *
 * FLINT takes its memory itself and aborts the process when there is none.
 */
#ifndef QKV_BALL_INTERVAL_H
#define QKV_BALL_INTERVAL_H

#include <stdbool.h>

#include "ball/arb_header.h"
#include "exact/rational.h"

typedef struct qkv__interval {
    arf_t lower, upper;
} qkv__interval;

void qkv__interval_init(qkv__interval *x); /* [0, 0] */
void qkv__interval_clear(qkv__interval *x);

void qkv__interval_set(qkv__interval *x, const qkv__interval *y);
void qkv__interval_set_everything(qkv__interval *x);
void qkv__interval_set_rational(qkv__interval *x, qkv__rational value, slong precision);
void qkv__interval_set_logarithm(qkv__interval *x, int64_t value, slong precision);

/* [lower end of x, upper end of y] */
void qkv__interval_span(qkv__interval *z, const qkv__interval *x, const qkv__interval *y);

/* In all of these z may be x or y. */
void qkv__interval_add(qkv__interval *z, const qkv__interval *x, const qkv__interval *y,
                       slong precision);
void qkv__interval_multiply(qkv__interval *z, const qkv__interval *x, const qkv__interval *y,
                            slong precision);
void qkv__interval_exponential(qkv__interval *z, const qkv__interval *x, slong precision);

/* Everything when 0 is in y. */
void qkv__interval_divide(qkv__interval *z, const qkv__interval *x, const qkv__interval *y,
                          slong precision);

/* x^(halves/2) over the points of x where it is defined; everything when it is nowhere, or when a
 * negative power meets 0 within. An end 0 of a negative power gives an infinite end. */
void qkv__interval_power(qkv__interval *z, const qkv__interval *x, int halves, slong precision);

/* The least interval that holds both, and what they have in common (which must not be nothing). */
void qkv__interval_join(qkv__interval *z, const qkv__interval *x, const qkv__interval *y);
void qkv__interval_meet(qkv__interval *z, const qkv__interval *x, const qkv__interval *y);

/* 1: all above 0; -1: all below 0; else 0. */
int qkv__interval_sign(const qkv__interval *x);
bool qkv__interval_is_finite(const qkv__interval *x);

/* upper - lower <= 2^-bits * the smallest magnitude within, or the interval is one number. */
bool qkv__interval_is_narrow(const qkv__interval *x, slong bits);

#endif
