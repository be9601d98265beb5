/*
 * Echelon forms of small matrices of rational numbers. Knows nothing of claims.
 */
#ifndef QKV_EXACT_ECHELON_H
#define QKV_EXACT_ECHELON_H

#include "exact/ratio.h"

/* Brings rows x columns rationals into reduced echelon form, in place; pivot[column] is its row,
 * or -1. Returns the rank, or -1 when a number is lost. The right side, `right`, has one ratio per
 * row and may be NULL. */
int qkv__echelon_reduce(qkv__algebra *algebra, qkv__rational *matrix, size_t rows, size_t columns,
                        int *pivot, qkv__ratio *right);

#endif
