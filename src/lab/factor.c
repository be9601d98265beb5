/* Square roots of covariances. Knows nothing of keys and queries. */
#include "lab/factor.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#if defined(QKV_HAVE_LAPACKE)
#include <lapacke.h>
#endif

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

#if defined(QKV_HAVE_LAPACKE)
/* root = V diag(sqrt(values)) V', the columns of V being eigenvectors. */
static void assemble_root(size_t size, const double *values, const double *vectors, double *root)
{
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < size; k++)
                if (values[k] > 0.0)
                    sum += sqrt(values[k]) * (vectors[i * size + k] * vectors[j * size + k]);
            root[i * size + j] = root[j * size + i] = sum;
        }
}

/* LAPACKE's wrappers without _work allocate behind our back; so the workspace is ours. */
static lapack_int solve(size_t size, double *vectors, double *values, char job, double *work,
                        lapack_int work_size)
{
    return LAPACKE_dsyev_work(LAPACK_COL_MAJOR, job, 'U', (lapack_int)size, vectors,
                              (lapack_int)size, values, work, work_size);
}

static void transpose(size_t size, double *matrix)
{
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < i; j++) {
            double held = matrix[i * size + j];
            matrix[i * size + j] = matrix[j * size + i];
            matrix[j * size + i] = held;
        }
}

qkv_status qkv__lab_eigenvalues(size_t size, const double *matrix, double *values, double *root,
                                qkv_error *error)
{
    double asked = 0.0, *vectors = NULL, *work = NULL;
    size_t entries, bytes = SIZE_MAX;
    char job = root == NULL ? 'N' : 'V';
    qkv_status status = QKV_OK;
    if (size > INT_MAX || !qkv__size_multiply(size, size, &entries) ||
        !qkv__size_multiply(entries, sizeof *vectors, &bytes) ||
        (vectors = qkv__allocate(bytes)) == NULL)
        return qkv__fail_memory(error, bytes);
    memcpy(vectors, matrix, bytes);
    solve(size, vectors, values, job, &asked, -1);
    size_t work_size = asked > 1.0 ? (size_t)asked : 1;
    work = qkv__allocate(work_size * sizeof *work);
    if (work == NULL) {
        status = qkv__fail_memory(error, work_size * sizeof *work);
        goto done;
    }
    if (solve(size, vectors, values, job, work, (lapack_int)work_size) != 0) {
        status = qkv__fail(error, QKV_ERROR_ARGUMENT,
                           "the eigenvalues of a %zu x %zu covariance were not found", size, size);
        goto done;
    }
    if (root != NULL) {
        transpose(size, vectors); /* LAPACK's columns are our rows */
        assemble_root(size, values, vectors, root);
    }
done:
    qkv__free(work);
    qkv__free(vectors);
    return status;
}
#else
qkv_status qkv__lab_eigenvalues(size_t size, const double *matrix, double *values, double *root,
                                qkv_error *error)
{
    (void)size, (void)matrix, (void)values, (void)root;
    return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                     "covariances given as matrices need a qkv that was built with LAPACKE");
}
#endif
