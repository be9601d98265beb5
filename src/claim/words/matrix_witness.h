/*
 * Refuting a matrix identity by example: small matrices that satisfy every assumption of a theory
 * and make the two sides differ. All names are universally quantified, so one example is enough.
 *
 * A witness is never a rounding error: every number is carried with a bound on its own error, the
 * assumptions must hold exactly, and the sides must differ by more than their bounds and 1e-6. Not
 * finding one says nothing.
 */
#ifndef QKV_CLAIM_MATRIX_WITNESS_H
#define QKV_CLAIM_MATRIX_WITNESS_H

#include <stdint.h>

#include "base/text.h"
#include "exact/words.h"

enum { QKV__WITNESS_SIDE = 8 }; /* rows and columns at most */

/* Zero means the default. */
typedef struct qkv__witness_limits {
    size_t tries;   /* assignments looked at; default 20000 */
    size_t largest; /* sizes of a named dimension, from its least on; default 5 */
    uint64_t seed;  /* same seed, same witness */
} qkv__witness_limits;

typedef enum qkv__witness_verdict {
    QKV__WITNESS_FOUND,
    QKV__WITNESS_NONE, /* after so many tries, or a whole-number dimension is too large */
    QKV__WITNESS_LOST, /* no memory, or shapes that do not fit: see theory->error */
} qkv__witness_verdict;

typedef struct qkv__witness {
    size_t tries;                    /* made */
    size_t size[QKV__DIMENSIONS];    /* of each dimension; 0: not concerned */
    const double *entry[QKV__ATOMS]; /* row by row, in the theory's arena; NULL: not concerned */
} qkv__witness;

/*
 * Looks for a witness against left = right, smaller sizes first and then smaller numbers. If there
 * is one, appends what a reader can check by hand:
 *
 *     With n = 1, d = 2, X = [[1,0]], R = [[0,1],[1,0]]: left [[0,1]] against right [[1,0]]
 *
 * Numbers have up to four digits, more where four do not show a difference. limits may be NULL.
 */
qkv__witness_verdict qkv__matrix_witness(qkv__theory *theory, const qkv__expression *left,
                                         const qkv__expression *right,
                                         const qkv__witness_limits *limits, qkv__text *text,
                                         qkv__witness *witness);

#endif
