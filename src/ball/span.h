/*
 * Ranges of exponents: rational numbers between which a form without exponentials stays on a box,
 * with ends that are left out where the box leaves them out. Exact, no rounding; an end that 64
 * bits cannot hold is infinite.
 */
#ifndef QKV_BALL_SPAN_H
#define QKV_BALL_SPAN_H

#include "ball/box.h"

typedef struct qkv__span {
    qkv__range range;
    bool full; /* every number of the range is taken, and no number is lost at its ends */
} qkv__span;

/* p^(halves/2) over the numbers of a range where it is defined. */
qkv__span qkv__span_of_power(const qkv__range *range, int halves);

/* A form without exponentials, nor logarithms of primes (then everything). */
qkv__span qkv__span_of_form(const qkv__algebra *algebra, const qkv__form *form,
                            const qkv__box *box);

#endif
