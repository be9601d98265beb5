/* Matrix expressions in numbers, each with a bound on its own rounding error; for the search for
 * witnesses alone. */
#ifndef QKV_CLAIM_MATRIX_VALUE_H
#define QKV_CLAIM_MATRIX_VALUE_H

#include "claim/words/matrix_witness.h"

enum { QKV__WITNESS_ENTRIES = QKV__WITNESS_SIDE * QKV__WITNESS_SIDE };

/* A number of which |true - value| <= error is known; error 0: it is exact. */
typedef struct qkv__bounded {
    double value, error;
} qkv__bounded;

/* Row by row, without gaps; the shape is known from elsewhere. */
typedef struct qkv__matrix_value {
    qkv__bounded entry[QKV__WITNESS_ENTRIES];
} qkv__matrix_value;

/* What the names stand for. */
typedef struct qkv__assignment {
    size_t size[QKV__DIMENSIONS];
    qkv__matrix_value atom[QKV__ATOMS];
} qkv__assignment;

/* The value of an expression. scratch: 2 * expression->depth matrices. */
void qkv__matrix_evaluate(const qkv__assignment *assignment, const qkv__expression *expression,
                          qkv__matrix_value *result, qkv__matrix_value *scratch);

#endif
