/* Arithmetic of numbers that are known up to an interval, rounded outward; rationals stay exact
 * where they can. */
#ifndef QKV_CLAIM_LIKELY_H
#define QKV_CLAIM_LIKELY_H

#include "claim/premise/finding.h"

/* A number known up to an interval; exact where it is rational and known as such. */
typedef struct qkv__likely {
    bool exact;
    qkv__rational value;
    double lower, upper; /* rounded outward */
} qkv__likely;

qkv__likely qkv__likely_rational(qkv__rational value);
qkv__likely qkv__likely_between(double lower, double upper);

qkv__likely qkv__likely_add(qkv__likely x, qkv__likely y);
qkv__likely qkv__likely_subtract(qkv__likely x, qkv__likely y);
qkv__likely qkv__likely_multiply(qkv__likely x, qkv__likely y);
qkv__likely qkv__likely_divide(qkv__likely x, qkv__likely y); /* everything, if y may be 0 */
qkv__likely qkv__likely_root(qkv__likely x);
qkv__likely qkv__likely_size(qkv__likely x);
qkv__likely qkv__likely_positive_part(qkv__likely x); /* max(0, x) */
qkv__likely qkv__likely_not_negative(qkv__likely x);  /* of a number that is known not to be */

/* "1/2", "0.325141", "0.3 to 0.4". */
void qkv__likely_write(qkv__likely x, qkv__text *text);

/* What two intervals say of a comparison: proved, refuted or undecided. */
qkv__verdict qkv__chance_judge(qkv__likely x, qkv__likely y, qkv__comparison comparison);

#endif
