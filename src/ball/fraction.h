/* Between the library's own rationals, of 64 bits, and those of FLINT, which have no bound. */
#ifndef QKV_BALL_FRACTION_H
#define QKV_BALL_FRACTION_H

#include <flint/fmpq.h>

#include "exact/rational.h"

void qkv__fmpq_set_rational(fmpq_t result, qkv__rational value); /* not lost */

/* Lost where numerator or denominator do not fit. */
qkv__rational qkv__rational_of_fmpq(const fmpq_t value);

#endif
