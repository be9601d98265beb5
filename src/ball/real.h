/*
 * Single real numbers for concrete cases: an exact rational for as long as it is one that fits,
 * otherwise a ball that encloses it. 1/3 - 1/3 is therefore 0 and known to be 0, and e - 2 is known
 * to lie in a ball of radius 2^-126 or so. Of logarithms and powers of e it is known what they are,
 * so that ln(4) - 2*ln(2) is 0 as well.
 *
 * What has no value (1/0, ln 0, numbers beyond e^1e24), or may have none, is not defined, and
 * neither is anything made of it. FLINT takes its memory itself and aborts the process when there
 * is none.
 */
#ifndef QKV_BALL_REAL_H
#define QKV_BALL_REAL_H

#include <stddef.h>

#include "ball/arb_header.h"
#include "exact/rational.h"

/* A number that is no rational, for certain: shift + ln(power)/root, where the root is not 0, else
 * power*e^shift. Power lost: nothing is known. */
typedef struct qkv__closed {
    qkv__rational shift, power;
    int64_t root;
} qkv__closed;

typedef struct qkv__real {
    qkv__rational exact;        /* lost: see the rest */
    qkv__closed closed;         /* without a meaning while exact is not lost */
    arb_t ball;                 /* likewise */
    struct qkv__slopes *slopes; /* of a number that moves: slope.h; NULL: it stands still */
} qkv__real;

/* A sign that is not known. */
enum { QKV__SIGN_OPEN = 2 };

void qkv__real_init(qkv__real *x); /* 0 */
void qkv__real_clear(qkv__real *x);

void qkv__real_set(qkv__real *z, const qkv__real *x);
void qkv__real_set_rational(qkv__real *z, qkv__rational value); /* not defined if lost */
void qkv__real_set_whole(qkv__real *z, int64_t value);
void qkv__real_set_pi(qkv__real *z);
void qkv__real_set_fraction(qkv__real *z, const fmpq_t value);
void qkv__real_span(qkv__real *z, const qkv__real *x, const qkv__real *y); /* all from x to y */
void qkv__real_set_near(qkv__real *z, double middle, double error); /* anything as near as that */

/* In all of these z may be x or y. */
void qkv__real_add(qkv__real *z, const qkv__real *x, const qkv__real *y);
void qkv__real_subtract(qkv__real *z, const qkv__real *x, const qkv__real *y);
void qkv__real_multiply(qkv__real *z, const qkv__real *x, const qkv__real *y);
void qkv__real_divide(qkv__real *z, const qkv__real *x, const qkv__real *y);
void qkv__real_divide_whole(qkv__real *z, const qkv__real *x, int64_t divisor);
void qkv__real_negate(qkv__real *z, const qkv__real *x);
void qkv__real_magnitude(qkv__real *z, const qkv__real *x); /* |x| */
void qkv__real_larger(qkv__real *z, const qkv__real *x, const qkv__real *y);
void qkv__real_smaller(qkv__real *z, const qkv__real *x, const qkv__real *y);

void qkv__real_exponential(qkv__real *z, const qkv__real *x);
void qkv__real_logarithm(qkv__real *z, const qkv__real *x);
void qkv__real_root(qkv__real *z, const qkv__real *x);

/* A function of Arb's, at a number that stands still. */
typedef void (*qkv__ball_function)(arb_t, const arb_t, slong);
void qkv__real_apply(qkv__real *z, const qkv__real *x, qkv__ball_function function);

/* x^y: whole exponents for every x but 0^0 and 1/0, others for x > 0; 0^y is 0 for y > 0. */
void qkv__real_power(qkv__real *z, const qkv__real *x, const qkv__real *y);

/* The sum of x[i] y[i] for i < count, y in steps of `step`. z must be none of them. */
void qkv__real_dot(qkv__real *z, const qkv__real *x, const qkv__real *y, size_t count, size_t step);

/* The root of the sum of squares. z must be none of them. */
void qkv__real_norm(qkv__real *z, const qkv__real *x, size_t count);

/* Softmax of a row in place; weights of scores that are all the same are exactly 1/count. */
void qkv__real_softmax(qkv__real *row, size_t count);

bool qkv__real_is_defined(const qkv__real *x);
bool qkv__real_is_zero(const qkv__real *x);         /* certainly */
bool qkv__real_is_resting_zero(const qkv__real *x); /* certainly, and it does not move */

/* -1, 0 or 1 where that is certain, else QKV__SIGN_OPEN. */
int qkv__real_sign(const qkv__real *x);

/* Rationals not above and not below it, close together; false where it is too large for them. */
bool qkv__real_bounds(const qkv__real *x, qkv__rational *lower, qkv__rational *upper);

/* The nearest double to the middle: for showing and for guiding a search, for nothing else. */
double qkv__real_middle(const qkv__real *x);

/* How wide its enclosure is, no less. */
double qkv__real_width(const qkv__real *x);

#endif
