/* Functions of matrices at one concrete case, from their definitions. For the search alone. */
#ifndef QKV_REPLAY_MATRIX_H
#define QKV_REPLAY_MATRIX_H

#include "replay/value.h"

/* All entries the same whole number. With columns 0 it is a vector. */
bool qkv__case_constant(qkv__bench *bench, size_t rows, size_t columns, int64_t number,
                        qkv__case_value *value);

/* The square matrix with a vector on its diagonal; the diagonal of a square matrix. */
bool qkv__case_diagonal(qkv__bench *bench, const qkv__case_value *x, qkv__case_value *value);

/* Of square matrices; a singular one has no inverse. */
bool qkv__case_trace(qkv__bench *bench, const qkv__case_value *x, qkv__case_value *trace);
bool qkv__case_determinant(qkv__bench *bench, const qkv__case_value *x,
                           qkv__case_value *determinant);
bool qkv__case_inverse(qkv__bench *bench, const qkv__case_value *x, qkv__case_value *inverse);

/* Of any matrix or vector. The rank is vague where a number may be 0 or not. */
bool qkv__case_rank(qkv__bench *bench, const qkv__case_value *x, qkv__case_value *rank);
bool qkv__case_spectral(qkv__bench *bench, const qkv__case_value *x, qkv__case_value *norm);

#endif
