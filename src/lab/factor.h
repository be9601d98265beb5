/* Square roots of covariances: by Cholesky's method for few rows, symmetric ones by Jacobi's. */
#ifndef QKV_LAB_FACTOR_H
#define QKV_LAB_FACTOR_H

#include <stddef.h>

#include <qkv/status.h>

#include "base/arena.h"

/*
 * Factors a positive semidefinite matrix (size x size, row after row; it is overwritten) as L L',
 * L being size x rank. L is written into `factor`, whose rows are `size` long and whose columns
 * from rank on are zero; returns the rank. `size` numbers of scratch, twice.
 *
 * Rows are taken in the order of what is left of their variance, as a share of the whole. A row is
 * done when that share is under 8 (size + 1) 2^-52: by Cauchy and Schwarz no more than rounding can
 * be left of it then. Only additions, multiplications, divisions and roots in a fixed order, so
 * the same bits everywhere.
 */
size_t qkv__lab_cholesky(size_t size, double *matrix, double *factor, double *left, double *whole);

/*
 * Eigenvalues of a symmetric matrix, from the least to the greatest, into `values`; unless root is
 * NULL, also the symmetric square root (negative eigenvalues count as 0). As above, the same bits
 * everywhere.
 */
qkv_status qkv__lab_eigenvalues(size_t size, const double *matrix, double *values, double *root,
                                qkv_error *error);

#endif
