/* Square roots of covariances. Knows nothing of keys and queries. */
#include "lab/factor.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- Cholesky ------------------------------------------------------------------------------- */

/* The row with the greatest share of its variance left; `size` if all are done. */
static size_t choose_pivot(size_t size, const double *left, const double *whole)
{
    double most = 8.0 * (double)(size + 1) * 0x1p-52;
    size_t pivot = size;
    for (size_t i = 0; i < size; i++)
        if (left[i] > most * whole[i]) {
            most = left[i] / whole[i];
            pivot = i;
        }
    return pivot;
}

size_t qkv__lab_cholesky(size_t size, double *matrix, double *factor, double *left, double *whole)
{
    size_t rank = 0, pivot;
    memset(factor, 0, size * size * sizeof *factor);
    for (size_t i = 0; i < size; i++) left[i] = whole[i] = matrix[i * size + i];
    while (rank < size && (pivot = choose_pivot(size, left, whole)) < size) {
        double root = sqrt(left[pivot]);
        for (size_t i = 0; i < size; i++) {
            if (!(left[i] > 0.0)) continue; /* a row that is done stays as it is */
            double rest = matrix[i * size + pivot];
            for (size_t k = 0; k < rank; k++)
                rest -= factor[i * size + k] * factor[pivot * size + k];
            factor[i * size + rank] = i == pivot ? root : rest / root;
        }
        for (size_t i = 0; i < size; i++) {
            double entry = factor[i * size + rank];
            left[i] = i == pivot ? 0.0 : left[i] - entry * entry;
            if (!(left[i] > 8.0 * (double)(size + 1) * 0x1p-52 * whole[i])) left[i] = 0.0;
        }
        rank++;
    }
    return rank;
}

/* ---- Eigenvalues ---------------------------------------------------------------------------- */

/*
 * Jacobi's method: rotations of two rows and columns, each of which makes one entry beside the
 * diagonal 0, in the order of the entries, sweep after sweep. What is left of the sum of squares
 * falls at least linearly, and by squares in the end: a dozen sweeps do for any size that fits into
 * memory. Slower than what LAPACK does to large matrices, but with the same bits everywhere.
 */
enum { SWEEPS = 60 };

/* Rotates rows (or, with a stride of `size`, columns) p and q of a matrix. */
static void rotate(size_t size, double *p, double *q, size_t stride, double cosine, double sine)
{
    for (size_t k = 0; k < size; k++) {
        const double a = p[k * stride], b = q[k * stride];
        p[k * stride] = cosine * a - sine * b;
        q[k * stride] = sine * a + cosine * b;
    }
}

/* Makes entry (p, q) 0; `vectors`, if there are any, has the eigenvectors as rows in the end. */
static void clear_entry(size_t size, double *matrix, double *vectors, size_t p, size_t q)
{
    const double entry = matrix[p * size + q];
    if (entry == 0.0) return;
    /* The smaller root of t^2 + 2 t theta - 1 = 0; hypot does not overflow. */
    const double theta = (matrix[q * size + q] - matrix[p * size + p]) / (2.0 * entry);
    const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + hypot(theta, 1.0));
    const double cosine = 1.0 / sqrt(t * t + 1.0), sine = t * cosine;
    rotate(size, matrix + p * size, matrix + q * size, 1, cosine, sine);
    rotate(size, matrix + p, matrix + q, size, cosine, sine);
    matrix[p * size + q] = matrix[q * size + p] = 0.0;
    if (vectors != NULL) rotate(size, vectors + p * size, vectors + q * size, 1, cosine, sine);
}

/* Whether what is beside the diagonal is no more than rounding of what is on it. */
static bool is_diagonal(size_t size, const double *matrix)
{
    double beside = 0.0, all = 0.0;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++) {
            const double square = matrix[i * size + j] * matrix[i * size + j];
            all += square;
            if (i != j) beside += square;
        }
    return !(beside > 0x1p-104 * all);
}

static void diagonalise(size_t size, double *matrix, double *vectors)
{
    for (size_t i = 0; vectors != NULL && i < size * size; i++)
        vectors[i] = i / size == i % size ? 1.0 : 0.0;
    for (int sweep = 0; sweep < SWEEPS && !is_diagonal(size, matrix); sweep++)
        for (size_t p = 0; p + 1 < size; p++)
            for (size_t q = p + 1; q < size; q++) clear_entry(size, matrix, vectors, p, q);
}

/* root = V' diag(sqrt(values)) V, the rows of V being eigenvectors. */
static void assemble_root(size_t size, const double *diagonal, const double *vectors, double *root)
{
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < size; k++) {
                const double value = diagonal[k * size + k];
                if (value > 0.0)
                    sum += sqrt(value) * (vectors[k * size + i] * vectors[k * size + j]);
            }
            root[i * size + j] = root[j * size + i] = sum;
        }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

qkv_status qkv__lab_eigenvalues(size_t size, const double *matrix, double *values, double *root,
                                qkv_error *error)
{
    double *copy = NULL, *vectors = NULL;
    size_t entries, bytes = SIZE_MAX;
    qkv_status status = QKV_OK;
    if (!qkv__size_multiply(size, size, &entries) ||
        !qkv__size_multiply(entries, sizeof *copy, &bytes) ||
        (copy = qkv__allocate(bytes)) == NULL ||
        (root != NULL && (vectors = qkv__allocate(bytes)) == NULL)) {
        status = qkv__fail_memory(error, bytes);
        goto done;
    }
    memcpy(copy, matrix, bytes);
    diagonalise(size, copy, vectors);
    if (root != NULL) assemble_root(size, copy, vectors, root);
    for (size_t i = 0; i < size; i++) values[i] = copy[i * size + i];
    qsort(values, size, sizeof *values, compare);
done:
    qkv__free(vectors);
    qkv__free(copy);
    return status;
}
