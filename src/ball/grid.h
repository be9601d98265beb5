/*
 * Grids: tables of exact numbers with one common denominator, as large as memory allows. Keys,
 * values, queries and scores of attention over plain numbers. A vector is a grid of one row, the
 * scores of all keys are a grid of one column.
 *
 * FLINT takes its memory itself and aborts the process when there is none; memory of this
 * library's own that is not there gives NULL.
 */
#ifndef QKV_BALL_GRID_H
#define QKV_BALL_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "ball/arb_header.h"
#include "exact/decimal.h"
#include "exact/rational.h"

#if __has_include(<flint/fmpq.h>)
#include <flint/fmpq.h>
#include <flint/fmpz.h>
#else
#include <fmpq.h>
#include <fmpz.h>
#endif

typedef struct qkv__grid {
    size_t rows, columns;
    fmpz *entry;        /* row by row; the number is entry / denominator */
    fmpz_t denominator; /* positive */
} qkv__grid;

/* Zeros over 1; NULL when there is no memory. */
qkv__grid *qkv__grid_make(size_t rows, size_t columns);
void qkv__grid_free(qkv__grid *grid); /* NULL is fine */

/* From numbers, row by row. None may be lost, and doubles must be finite. NULL also when exact
 * numbers of so different sizes would take more than half a gigabyte. */
qkv__grid *qkv__grid_of_decimals(size_t rows, size_t columns, const qkv__decimal *number);
qkv__grid *qkv__grid_of_doubles(size_t rows, size_t columns, const double *number);
qkv__grid *qkv__grid_of_rationals(size_t rows, size_t columns, const qkv__rational *number);

void qkv__grid_get(const qkv__grid *grid, size_t row, size_t column, fmpq_t number);

/* to[row] += factor * from[source]; both have as many columns. */
void qkv__grid_add_row(qkv__grid *to, size_t row, const fmpq_t factor, const qkv__grid *from,
                       size_t source);

/* x += factor * y, entry by entry: grids of one shape. */
void qkv__grid_add(qkv__grid *x, const fmpq_t factor, const qkv__grid *y);

/* One column: the inner product of each row with the one row of `vector`. */
qkv__grid *qkv__grid_products(const qkv__grid *grid, const qkv__grid *vector);

/* All entries as doubles, the nearest or one beside it; rows * columns of them. */
void qkv__grid_doubles(const qkv__grid *grid, double *number);

#endif
