/*
 * Forms along a line: those that are, apart from a factor whose sign is plain,
 *
 *     a polynomial in one parameter (or its root), or in one exponential e^y,
 *
 * where y is any polynomial in the parameters: e^s + e^t - 2 e^((s+t)/2) is e^s times a polynomial
 * in e^((t-s)/2). Their sign is decided by the polynomial's real roots (cells.h), zeros included.
 */
#ifndef QKV_BALL_LINE_H
#define QKV_BALL_LINE_H

#include "ball/box.h"

/* What values a form takes on a box. Points, where they are known, are verified. */
typedef struct qkv__line_answer {
    bool may_be_positive, may_be_negative, may_be_zero; /* false is proved */
    bool has_zero;                                      /* it is proved to be 0 somewhere */
    bool has_positive_point, has_negative_point, has_zero_point;
    qkv__point positive, negative, zero;
} qkv__line_answer;

/*
 * False when the form is none of these, or is too large; then nothing is said. The box must be
 * tidy and the form defined on all of it; base is a point of the box, from which others are
 * sought. The algebra gives memory.
 */
bool qkv__line_decide(qkv__algebra *algebra, const qkv__form *form, const qkv__box *box,
                      const qkv__point *base, qkv__line_answer *answer);

/* The form with every parameter that is one number in the box replaced by it; NULL when that is
 * lost. */
const qkv__form *qkv__form_settle(qkv__algebra *algebra, const qkv__form *form,
                                  const qkv__box *box);

/* Whether the form is exactly 0 at a point, by substitution. */
bool qkv__form_is_zero_at(qkv__algebra *algebra, const qkv__form *form, const qkv__point *point);

#endif
