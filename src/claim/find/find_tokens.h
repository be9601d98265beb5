/*
 * Linear algebra over vectors whose inner products are exact: dual vectors of a list of tokens,
 * linear systems with vectors on the right, and matrices as sums of outer products in text. A
 * division is made only by what is proved to be other than 0 for everything the parameters may be.
 */
#ifndef QKV_CLAIM_FIND_TOKENS_H
#define QKV_CLAIM_FIND_TOKENS_H

#include "exact/sign.h"
#include "exact/space.h"

enum { QKV__TOKENS = 16 }; /* at most */

typedef struct qkv__tokens {
    size_t count;
    const qkv__vector *token[QKV__TOKENS];
} qkv__tokens;

/* Whether the ratio is proved to have a value other than 0 everywhere. */
bool qkv__ratio_is_invertible(qkv__algebra *algebra, qkv__ratio ratio);

/*
 * A vector d with d.x_i = 1 and d.x_j = 0 for every other token: a multiple of one symbol or of
 * x_i where that does it, else a combination of the tokens by their Gram matrix. NULL when there is
 * none or none was found.
 */
const qkv__vector *qkv__tokens_dual(qkv__space *space, const qkv__tokens *x, size_t i);

/* sum_j row[i][j] w_j = right_i for i below `rows`, j below `columns`; columns that are not needed
 * get w_j = 0. False when it has no solution or none was found. */
typedef struct qkv__system {
    size_t rows, columns;
    qkv__ratio row[QKV__TOKENS][QKV__TOKENS];
    const qkv__vector *right[QKV__TOKENS];
} qkv__system;

bool qkv__system_solve(qkv__space *space, qkv__system *system, const qkv__vector **solution);

/* sum factor * left right' */
typedef struct qkv__outer_sum {
    size_t count;
    qkv__ratio factor[QKV__TOKENS * QKV__TOKENS];
    const qkv__vector *left[QKV__TOKENS * QKV__TOKENS], *right[QKV__TOKENS * QKV__TOKENS];
} qkv__outer_sum;

/* Adds a term; those with the same right side are put together. A zero is left out. */
void qkv__outer_sum_add(qkv__space *space, qkv__outer_sum *sum, qkv__ratio factor,
                        const qkv__vector *left, const qkv__vector *right);

/* "(u[b]*u[d]' + u[b]*u[a]')/beta^2", readable by the claim language. */
void qkv__outer_sum_write(qkv__space *space, const qkv__outer_sum *sum, qkv__text *text);

#endif
