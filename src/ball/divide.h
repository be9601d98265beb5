/*
 * Which term of a form to divide by, so that what is left stays bounded: near infinity the
 * dominating one. The choice is made by floating point and may be poor, never wrong: every choice
 * leaves the sign of the form and the value of a quotient as they were.
 */
#ifndef QKV_BALL_DIVIDE_H
#define QKV_BALL_DIVIDE_H

#include "ball/box.h"

enum { QKV__DIVISORS = 8 };

/* Terms that are the largest of the form somewhere in the box; their number. */
size_t qkv__divisors_choose(const qkv__algebra *algebra, const qkv__form *form, const qkv__box *box,
                            const qkv__term *chosen[QKV__DIVISORS]);

/* The form over the divisor's positive part: its exponential and its powers of parameters that are
 * never negative in the box. Those with a positive power are put into *divided: where they are 0
 * nothing is said of the quotient. The algebra gives memory. */
const qkv__form *qkv__form_divide_positive(qkv__algebra *algebra, const qkv__form *form,
                                           const qkv__term *divisor, const qkv__box *box,
                                           qkv__parameter_set *divided);

#endif
