/*
 * Random numbers of one law. Jointly normal numbers keep their law when they change places, or are
 * reflected at their means, in a way that keeps their covariances; so do functions of them. What
 * follows from it: weights of keys that may change places have one expectation, and it is 1/n if
 * all of them may; a weight that a reflection turns into 1 less it has the expectation 1/2.
 */
#ifndef QKV_CLAIM_SYMMETRY_H
#define QKV_CLAIM_SYMMETRY_H

#include "claim/premise/situation.h"
#include "exact/sign.h"

enum { QKV__ALIKE = 2 };

/* factor*f + shift, both not random */
typedef struct qkv__multiple {
    qkv__ratio factor, shift;
} qkv__multiple;

/* Whether g[i] has the law of such a multiple of f[i], all of them jointly. count: 1 to
 * QKV__ALIKE. */
bool qkv__symmetry_alike(qkv__situation *s, const qkv__ratio *f, const qkv__ratio *g, size_t count,
                         qkv__multiple *how);

/* E f where symmetry alone tells it: f + (f reflected) is one number, or f is a share and all
 * shares are alike. */
bool qkv__symmetry_mean(qkv__situation *s, qkv__ratio f, qkv__ratio *mean);

/* Whether f lies between 0 and `most`, by the sign below. */
bool qkv__symmetry_lies_below(qkv__situation *s, qkv__ratio f, int64_t most);

/* The sign of a sum of exponentials with coefficients of one sign, however many random numbers are
 * in their exponents; UNKNOWN says nothing. Never negative: ask for -sum. */
qkv__sign qkv__symmetry_sign(qkv__situation *s, const qkv__form *sum);

#endif
