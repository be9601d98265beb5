/*
 * The sign of a form or a ratio over a whole box, which may reach to infinity: by the real roots of
 * forms in one variable (line.h), by cutting the box and proving each part (search.h), by sums of
 * squares (squares.h), and by trying points for the opposite. What is said is proved; what could
 * not be proved within the effort is unknown. A form that takes both signs is unknown too, and then
 * has both witnesses.
 *
 *     qkv__sign_result result;
 *     qkv__ball_sign(algebra, ratio, &box, 0, &result);
 *     if (result.sign == QKV__SIGN_POSITIVE) ...
 */
#ifndef QKV_BALL_SIGN_H
#define QKV_BALL_SIGN_H

#include "ball/box.h"
#include "exact/ratio.h"
#include "exact/sign.h"

typedef struct qkv__sign_result {
    qkv__sign sign; /* ZERO is the zero form alone; NONNEGATIVE may be 0 somewhere */
    bool has_positive, has_negative;
    bool has_zero;                       /* the value is proved to be exactly 0 somewhere, */
    bool has_zero_point;                 /* and a rational point is known where it is: */
    qkv__point zero, positive, negative; /* points of the box where the sign is proved */
    size_t spent;                        /* of the effort */
} qkv__sign_result;

/* Evaluations of forms of a few terms: a few tenths of a second at the worst. */
enum { QKV__SIGN_EFFORT = 4000 };

/*
 * effort: the most to spend, 0 for the number above. A ratio has a sign only where its
 * denominator is proved to keep one all over the box. Unknown for what is lost, for an empty box,
 * and where some point of the box has no value (1/p or the root of p where p may be 0 or negative).
 * Returns result->sign.
 */
qkv__sign qkv__ball_sign(const qkv__algebra *algebra, qkv__ratio ratio, const qkv__box *box,
                         size_t effort, qkv__sign_result *result);

/* Whether both signs were found. */
static inline bool qkv__sign_is_mixed(const qkv__sign_result *result)
{
    return result->has_positive && result->has_negative;
}

/* The same for a form. */
qkv__sign qkv__ball_sign_form(const qkv__algebra *algebra, const qkv__form *form,
                              const qkv__box *box, size_t effort, qkv__sign_result *result);

#endif
