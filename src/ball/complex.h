/*
 * Ratios as functions of one or two complex variables, all other parameters put to their numbers:
 * what rigorous integration asks for. A ratio of forms is meromorphic in each parameter, so that a
 * finite value over a ball is also a proof that the function is analytic there: a denominator that
 * may vanish gives a value that is not finite. Parameters that range over an interval become balls,
 * and then a value holds for all that they may be.
 *
 * A ratio is kept in several ways, both parts over the same term. They have the same value, but
 * over wide balls one is narrower than another: 1/(1 + c e^-z) knows z once, e^z/(e^z + c) twice.
 */
#ifndef QKV_BALL_COMPLEX_H
#define QKV_BALL_COMPLEX_H

#include "ball/box.h"
#include "ball/interval.h"
#include "exact/ratio.h"

#if __has_include(<flint/acb.h>)
#include <flint/acb.h>
#else
#include <acb.h>
#endif

enum { QKV__VARIABLES = 2, QKV__WAYS = 8 };

/* coefficient * product of z_i^power_i */
typedef struct qkv__complex_monomial {
    arb_t coefficient;
    int power[QKV__VARIABLES];
} qkv__complex_monomial;

/* factor * e^(the sum of `count` monomials); e^0 for none */
typedef struct qkv__complex_term {
    qkv__complex_monomial factor;
    size_t first, count; /* among the form's monomials */
} qkv__complex_term;

typedef struct qkv__complex_form {
    size_t count, monomial_count;
    qkv__complex_term *term;
    qkv__complex_monomial *monomial;
} qkv__complex_form;

typedef struct qkv__complex_ratio {
    size_t count; /* of ways */
    qkv__complex_form above[QKV__WAYS], below[QKV__WAYS];
} qkv__complex_ratio;

/* Which parameters are variables, and where the others are. */
typedef struct qkv__complex_frame {
    const qkv__algebra *algebra;
    const qkv__box *box; /* tidy; what it says of variables is not looked at */
    size_t variable_count;
    int variable[QKV__VARIABLES];
} qkv__complex_frame;

/* False for a form that is lost, that has roots of a variable, or that depends on a parameter of
 * infinite range; and when there is no memory. Then there is nothing to clear. */
bool qkv__complex_form_init(qkv__complex_form *form, const qkv__form *source,
                            const qkv__complex_frame *frame, slong precision);
void qkv__complex_form_clear(qkv__complex_form *form);
void qkv__complex_form_value(acb_t value, const qkv__complex_form *form, const acb_struct *variable,
                             slong precision);

bool qkv__complex_ratio_init(qkv__complex_ratio *ratio, qkv__ratio source,
                             const qkv__complex_frame *frame, slong precision);
void qkv__complex_ratio_clear(qkv__complex_ratio *ratio);

/* The narrowest that the ways give; not finite where none is. */
void qkv__complex_ratio_value(acb_t value, const qkv__complex_ratio *ratio,
                              const acb_struct *variable, slong precision);

/* The ratio in up to QKV__WAYS ways, the best for wide balls first; their number. The algebra gives
 * memory. Divisors are positive all over the box, so that both parts keep their signs. */
size_t qkv__ratio_ways(qkv__algebra *algebra, qkv__ratio ratio, const qkv__box *box,
                       qkv__ratio way[QKV__WAYS]);

/* The ratio with every parameter that the box fixes replaced by its number, where that fits: terms
 * such as n e^x - 2 e^x are then one, and known once. The algebra gives memory. */
qkv__ratio qkv__ratio_fix(qkv__algebra *algebra, qkv__ratio ratio, const qkv__box *box);

/* The algebra with an arena of its own, to be freed by qkv__arena_free. */
qkv__algebra qkv__algebra_scratch(const qkv__algebra *algebra);

#endif
