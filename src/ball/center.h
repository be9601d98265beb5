/*
 * A symmetric matrix Q + sum_k x_k N_k as positive definite as can be, where each N_k has an entry
 * (and its mirror image) and another one that pays for it. Floating point: the answer is a guess,
 * which proves nothing.
 */
#ifndef QKV_BALL_CENTER_H
#define QKV_BALL_CENTER_H

#include <stdbool.h>
#include <stddef.h>

/* x at (row, column) and factor * x at the pivot, both mirrored. */
typedef struct qkv__entry_pair {
    int row, column, pivot_row, pivot_column;
    double factor;
} qkv__entry_pair;

typedef struct qkv__pencil {
    size_t size; /* rows of the matrix */
    const double *constant;
    size_t count; /* unknowns */
    const qkv__entry_pair *unknown;
} qkv__pencil;

/* values, from which the search starts, are replaced by what was found; entries should be of the
 * size of 1. False without memory, or when the search broke down. */
bool qkv__center_find(const qkv__pencil *pencil, double *values);

#endif
