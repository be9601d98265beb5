/*
 * Boxes: for each parameter of an algebra the range that a question is asked over. The ends are
 * exact rationals or infinite; an end may be left out ("strict"). Whole parameters take the whole
 * numbers of their range alone. A parameter that stands for ln p is that number whatever the box
 * says.
 */
#ifndef QKV_BALL_BOX_H
#define QKV_BALL_BOX_H

#include "exact/form.h"

/* An end that is not known is infinite. */
typedef struct qkv__range {
    qkv__bound lower, upper;
} qkv__range;

typedef struct qkv__box {
    qkv__range range[QKV__PARAMETERS];
} qkv__box;

/* One value a parameter; lost for ln p, which is no rational. */
typedef struct qkv__point {
    qkv__rational value[QKV__PARAMETERS];
} qkv__point;

/* Sets of parameters as bits. */
typedef uint32_t qkv__parameter_set;
_Static_assert(QKV__PARAMETERS <= 32, "a set of parameters is 32 bits");

static inline bool qkv__parameter_set_has(qkv__parameter_set set, int parameter)
{
    return (set >> parameter & 1u) != 0;
}

/* The parameters that a form depends on; none for the lost form. */
qkv__parameter_set qkv__form_parameters(const qkv__algebra *algebra, const qkv__form *form);

/* The box of all that the algebra knows of its parameters. False: some range is empty. */
bool qkv__box_of_algebra(const qkv__algebra *algebra, qkv__box *box);

/* The part of a box where the parameter lies in the range too. False, and the box as it was, when
 * nothing is left, or an end is lost. */
bool qkv__box_narrow(const qkv__algebra *algebra, qkv__box *box, int parameter, qkv__range range);

/* The part of a box where the parameter is that number; false as above. */
bool qkv__box_fix(const qkv__algebra *algebra, qkv__box *box, int parameter, qkv__rational value);

/* Ends of whole parameters become whole. False: the box is empty, or an end is lost. */
bool qkv__box_tidy(const qkv__algebra *algebra, qkv__box *box);

/* Whether the parameter is one number in the box. */
bool qkv__box_is_fixed(const qkv__algebra *algebra, const qkv__box *box, int parameter);

/* Whether both ends are finite, which a number is. */
bool qkv__box_is_finite(const qkv__algebra *algebra, const qkv__box *box, int parameter);

/* Whether the parameter's range holds no negative number. */
bool qkv__box_is_nonnegative(const qkv__algebra *algebra, const qkv__box *box, int parameter);

/* Cuts a box in two closed parts that together are all of it: near the middle of a finite range,
 * at four times the finite end of an infinite one. False when no cut fits into a rational. */
bool qkv__box_split(const qkv__algebra *algebra, const qkv__box *box, int parameter, qkv__box *low,
                    qkv__box *high);

/* The parameter of the set whose range is the widest beside its distance from 0, the one to cut;
 * -1 when all are fixed. */
int qkv__box_widest(const qkv__algebra *algebra, const qkv__box *box, qkv__parameter_set among);

/* A rational with few digits strictly between two numbers, about `fraction` of the way from the
 * lower to the upper; lost when none was found. */
qkv__rational qkv__rational_between(qkv__rational lower, qkv__rational upper, double fraction);

/* The number with the smallest denominator from lower to upper, both included. */
qkv__rational qkv__rational_simplest(qkv__rational lower, qkv__rational upper);

/* The largest whole number that is not above, and the smallest that is not below. */
qkv__rational qkv__rational_floor(qkv__rational value);
qkv__rational qkv__rational_ceiling(qkv__rational value);

/* The nearest double or one beside it: for choices that no proof rests on. */
double qkv__rational_approximate(qkv__rational value);

#endif
