/*
 * Forms over boxes: an interval that holds every value that a form takes on a box. Where the
 * parameters reach to infinity each term c p^k e^(g(p)) is bounded where it is largest, found by
 * the sign of its slope: p^k e^(-m p) falls for p > k/m. Where a box has an end 0 and the form a
 * negative power, the end itself is not among the points.
 *
 * The domain is the box at some precision; one domain serves many forms.
 */
#ifndef QKV_BALL_EVALUATE_H
#define QKV_BALL_EVALUATE_H

#include "ball/box.h"
#include "ball/interval.h"

typedef struct qkv__domain {
    size_t count;    /* of parameters */
    slong precision; /* bits */
    bool point;      /* every free parameter is one number: no slopes to look for */
    bool fixed[QKV__PARAMETERS];
    qkv__interval range[QKV__PARAMETERS];
} qkv__domain;

/* The box must be tidy. */
void qkv__domain_init(qkv__domain *domain, const qkv__algebra *algebra, const qkv__box *box,
                      slong precision);
void qkv__domain_clear(qkv__domain *domain);

/* The form must not be lost, nor use a parameter that the domain's algebra does not have: then the
 * value is everything. */
void qkv__evaluate(const qkv__form *form, const qkv__domain *domain, qkv__interval *value);

#endif
