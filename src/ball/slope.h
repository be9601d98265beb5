/*
 * Numbers that move: a real together with its derivatives in up to three directions, and their
 * mixed derivatives. Arithmetic on such numbers follows the rules of calculus, so that a function
 * evaluated at x that moves at speed 1 moves at the speed of its derivative. This is automatic
 * differentiation over balls; what comes out encloses the derivative.
 *
 * Where a function has no derivative (|x| and the root at 0, max at a tie), or may have none, the
 * value is what it is and the slopes are not defined.
 *
 * Every function of real.c asks here first: the functions below return false where nothing moves,
 * and then the result stands still as well.
 */
#ifndef QKV_BALL_SLOPE_H
#define QKV_BALL_SLOPE_H

#include "ball/real.h"

enum { QKV__DIRECTIONS = 3, QKV__SLOPES = 1 << QKV__DIRECTIONS };

/* Part s is the derivative in the directions whose bits are set in s, once in each; part 0 is not
 * used. */
typedef struct qkv__slopes {
    qkv__real part[QKV__SLOPES];
} qkv__slopes;

/* From now on x moves in this direction, at speed 1 more than before. */
void qkv__slopes_start(qkv__real *x, int direction);

/* The derivative of x in a direction; it moves in the others. z must not be x. */
void qkv__slopes_take(qkv__real *z, const qkv__real *x, int direction);

void qkv__slopes_drop(qkv__real *x); /* stands still */
void qkv__slopes_copy(qkv__real *z, const qkv__real *x);

bool qkv__slopes_add(qkv__real *z, const qkv__real *x, const qkv__real *y);
bool qkv__slopes_subtract(qkv__real *z, const qkv__real *x, const qkv__real *y);
bool qkv__slopes_multiply(qkv__real *z, const qkv__real *x, const qkv__real *y);
bool qkv__slopes_divide(qkv__real *z, const qkv__real *x, const qkv__real *y);
bool qkv__slopes_choose(qkv__real *z, const qkv__real *x, const qkv__real *y, bool larger);

bool qkv__slopes_negate(qkv__real *z, const qkv__real *x);
bool qkv__slopes_magnitude(qkv__real *z, const qkv__real *x);
bool qkv__slopes_exponential(qkv__real *z, const qkv__real *x);
bool qkv__slopes_logarithm(qkv__real *z, const qkv__real *x);

/* By the first terms of Taylor's series at a number that stands still: f(x + h) = f[0] + f[1] h +
 * ..., up to f[QKV__DIRECTIONS]. */
bool qkv__slopes_by_series(qkv__real *z, const qkv__real *x,
                           void (*taylor)(qkv__real *f, const qkv__real *x));

/* `root` takes that of a number that stands still. */
bool qkv__slopes_root(qkv__real *z, const qkv__real *x,
                      void (*root)(qkv__real *z, const qkv__real *x));

#endif
