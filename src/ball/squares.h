/*
 * Sums of squares: proofs that a form in several parameters is nowhere negative because it is a sum
 * of squares of polynomials, each exponential taken as a variable of its own (exact/generators.h).
 *
 *     x^2 - 2 x y + y^2 = (x - y)^2            e^s + e^t - 2 e^((s+t)/2) = (e^(s/2) - e^(t/2))^2
 *
 * A variable that is never negative may be written as a square first, and one with a bound as the
 * bound and a square. The squares are found by floating point and rounded to rationals; what is
 * said is verified exactly.
 */
#ifndef QKV_BALL_SQUARES_H
#define QKV_BALL_SQUARES_H

#include "ball/search.h"

/* sign: 1 for form >= 0, -1 for form <= 0, over all that the algebra knows of its parameters, on
 * all of which the form must be defined. FAILED says nothing. The algebra gives memory. */
qkv__outcome qkv__squares_prove(qkv__algebra *algebra, const qkv__form *form, int sign);

#endif
