/* Reads and checks a model of random keys. Knows nothing of sampling. */
#include "lab/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "lab/factor.h"

/* No array has more entries, so that sizes in bytes never overflow. */
#define ENTRIES_AT_MOST ((uint64_t)1 << 40)

/* What rounding may take from an eigenvalue of a d x d matrix, relative to the greatest: the
 * backward error of LAPACK's solver, and the rounding of the entries themselves. */
#define ROUNDING_OF_EIGENVALUES (8.0 * 0x1p-52)

enum { LABEL = 80 }; /* characters that name an array in a message */

qkv_lab_model qkv_lab_model_default(void)
{
    return (qkv_lab_model){.struct_size = sizeof(qkv_lab_model)};
}

qkv_status qkv__lab_no_memory(const qkv__arena *arena, qkv_error *error)
{
    return qkv__fail_memory(error, arena->used);
}

double qkv__lab_mean_dot(const qkv__lab_model *model, size_t key, const double *vector)
{
    if (model->means == NULL) return vector[key];
    const double *mean = model->means + key * model->width;
    double sum = 0.0;
    for (size_t r = 0; r < model->width; r++) sum += mean[r] * vector[r];
    return sum;
}

/* ---- Sizes ---------------------------------------------------------------------------------- */

static qkv_status check_product(size_t rows, size_t columns, const char *what, qkv_error *error)
{
    size_t entries;
    if (qkv__size_multiply(rows, columns, &entries) && (uint64_t)entries <= ENTRIES_AT_MOST)
        return QKV_OK;
    return qkv__fail(error, QKV_ERROR_SHAPE, "%s: %zu x %zu entries are too many", what, rows,
                     columns);
}

static qkv_status read_sizes(const qkv_lab_model *given, qkv__lab_model *model, qkv_error *error)
{
    qkv_status status;
    if (given->keys == 0)
        return qkv__fail(error, QKV_ERROR_SHAPE, "model.keys is 0: expected at least 1");
    if (given->means != NULL && given->width == 0)
        return qkv__fail(error, QKV_ERROR_SHAPE, "model.width is 0: expected the length of a mean");
    model->keys = given->keys;
    model->width = given->width != 0 ? given->width : given->keys;
    model->heads = given->heads != 0 ? given->heads : 1;
    model->outputs = given->values != NULL ? given->value_width : given->keys;
    model->shared = given->shared;
    if (given->means == NULL && model->width < model->keys)
        return qkv__fail(error, QKV_ERROR_SHAPE,
                         "%zu orthonormal means need at least as many dimensions: model.width is "
                         "%zu",
                         model->keys, model->width);
    if ((given->queries == NULL) == (given->coefficients == NULL))
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "expected exactly one of model.queries and model.coefficients");
    if (given->values != NULL && given->value_width == 0)
        return qkv__fail(error, QKV_ERROR_SHAPE,
                         "model.value_width is 0: expected the length of a value");
    if ((status = check_product(model->keys, model->width, "means", error)) != QKV_OK ||
        (status = check_product(model->heads, model->width, "queries", error)) != QKV_OK ||
        (status = check_product(model->heads, model->keys, "scores", error)) != QKV_OK ||
        (status = check_product(model->heads * model->keys, model->heads, "covariances of scores",
                                error)) != QKV_OK)
        return status;
    return check_product(model->keys, model->outputs, "values", error);
}

/* ---- Arrays --------------------------------------------------------------------------------- */

/* A copy of rows x columns numbers, all finite. */
static qkv_status copy_finite(const double *from, size_t rows, size_t columns, const char *what,
                              qkv__arena *arena, double **to, qkv_error *error)
{
    double *copy = qkv__arena_array(arena, rows * columns, sizeof *copy);
    if (copy == NULL) return qkv__lab_no_memory(arena, error);
    for (size_t i = 0; i < rows * columns; i++) {
        if (!isfinite(from[i]))
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "%s %zu has the entry %g: expected a finite number", what,
                             i / columns + 1, from[i]);
        copy[i] = from[i];
    }
    *to = copy;
    return QKV_OK;
}

/* q_h = sum_i coefficient_hi mu_i */
static qkv_status combine_means(const qkv__lab_model *model, const double *coefficients,
                                qkv__arena *arena, double **queries, qkv_error *error)
{
    double *result = qkv__arena_array(arena, model->heads * model->width, sizeof *result);
    if (result == NULL) return qkv__lab_no_memory(arena, error);
    for (size_t h = 0; h < model->heads; h++)
        for (size_t i = 0; i < model->keys; i++) {
            double coefficient = coefficients[h * model->keys + i];
            double *query = result + h * model->width;
            if (!isfinite(coefficient))
                return qkv__fail(error, QKV_ERROR_ARGUMENT,
                                 "coefficients of head %zu have the entry %g: expected a finite "
                                 "number",
                                 h + 1, coefficient);
            if (model->means == NULL)
                query[i] = coefficient;
            else
                for (size_t r = 0; r < model->width; r++)
                    query[r] += coefficient * model->means[i * model->width + r];
        }
    *queries = result;
    return QKV_OK;
}

static qkv_status read_arrays(const qkv_lab_model *given, qkv__arena *arena, qkv__lab_model *model,
                              qkv_error *error)
{
    double *means = NULL, *queries = NULL, *values = NULL, *norms;
    qkv_status status = QKV_OK;
    if (given->means != NULL)
        status = copy_finite(given->means, model->keys, model->width, "mean", arena, &means, error);
    if (status != QKV_OK) return status;
    model->means = means;
    if (given->queries != NULL)
        status = copy_finite(given->queries, model->heads, model->width, "query", arena, &queries,
                             error);
    else
        status = combine_means(model, given->coefficients, arena, &queries, error);
    if (status == QKV_OK && given->values != NULL)
        status =
            copy_finite(given->values, model->keys, model->outputs, "value", arena, &values, error);
    if (status != QKV_OK) return status;
    model->queries = queries;
    model->values = values;
    model->mean_norm = norms = qkv__arena_array(arena, model->keys, sizeof *norms);
    if (norms == NULL) return qkv__lab_no_memory(arena, error);
    for (size_t i = 0; i < model->keys; i++)
        norms[i] =
            means == NULL ? 1.0 : sqrt(qkv__lab_mean_dot(model, i, means + i * model->width));
    return QKV_OK;
}

/* ---- Noise ---------------------------------------------------------------------------------- */

static qkv_status not_semidefinite(size_t key, double eigenvalue, qkv_error *error)
{
    return qkv__fail(
        error, QKV_ERROR_ARGUMENT,
        "the covariance of key %zu is not positive semidefinite: it has the eigenvalue "
        "%g",
        key + 1, eigenvalue);
}

/* alpha I + stretch mu mu' has the eigenvalues alpha and, along mu, alpha + stretch |mu|^2. */
static qkv_status read_stretch(const qkv__lab_model *model, size_t key, qkv__lab_noise *noise,
                               qkv_error *error)
{
    double square = model->mean_norm[key] * model->mean_norm[key];
    double along = noise->alpha + noise->stretch * square;
    if (!isfinite(noise->alpha) || !isfinite(noise->stretch) || !isfinite(along))
        return qkv__fail(
            error, QKV_ERROR_ARGUMENT,
            "the noise of key %zu has alpha %g and stretch %g: expected finite numbers", key + 1,
            noise->alpha, noise->stretch);
    if (noise->alpha < 0.0 && model->width > 1) return not_semidefinite(key, noise->alpha, error);
    if (along < -ROUNDING_OF_EIGENVALUES * fabs(noise->alpha))
        return not_semidefinite(key, along, error);
    noise->root = sqrt(fmax(noise->alpha, 0.0));
    noise->along = square > 0.0 ? (sqrt(fmax(along, 0.0)) - noise->root) / square : 0.0;
    return QKV_OK;
}

static qkv_status read_diagonal(const qkv__lab_model *model, size_t key, qkv__arena *arena,
                                qkv__lab_noise *noise, qkv_error *error)
{
    double *entries = NULL;
    char label[LABEL];
    snprintf(label, sizeof label, "the diagonal covariance of key %zu, in row", key + 1);
    qkv_status status = copy_finite(noise->entries, 1, model->width, label, arena, &entries, error);
    if (status != QKV_OK) return status;
    double *roots = qkv__arena_array(arena, model->width, sizeof *roots);
    if (roots == NULL) return qkv__lab_no_memory(arena, error);
    for (size_t r = 0; r < model->width; r++) {
        if (entries[r] < 0.0) return not_semidefinite(key, entries[r], error);
        roots[r] = sqrt(entries[r]);
    }
    noise->entries = entries;
    noise->factor = roots;
    return QKV_OK;
}

static qkv_status check_symmetric(size_t key, size_t width, const double *matrix, qkv_error *error)
{
    double largest = 0.0;
    for (size_t i = 0; i < width * width; i++) largest = fmax(largest, fabs(matrix[i]));
    for (size_t r = 0; r < width; r++)
        for (size_t c = 0; c < r; c++) {
            double a = matrix[r * width + c], b = matrix[c * width + r];
            if (fabs(a - b) > ROUNDING_OF_EIGENVALUES * largest)
                return qkv__fail(error, QKV_ERROR_ARGUMENT,
                                 "the covariance of key %zu is not symmetric: entry (%zu, %zu) is "
                                 "%g, entry (%zu, %zu) is %g",
                                 key + 1, r + 1, c + 1, a, c + 1, r + 1, b);
        }
    return QKV_OK;
}

/* Any root, by Cholesky's method; the scratch stays in the arena. */
static const double *any_root(size_t width, const double *matrix, qkv__arena *arena)
{
    double *copy = qkv__arena_array(arena, width * width, sizeof *copy);
    double *root = qkv__arena_array(arena, width * width, sizeof *root);
    double *scratch = qkv__arena_array(arena, 2 * width, sizeof *scratch);
    if (copy == NULL || root == NULL || scratch == NULL) return NULL;
    memcpy(copy, matrix, width * width * sizeof *copy);
    qkv__lab_cholesky(width, copy, root, scratch, scratch + width);
    return root;
}

static qkv_status read_matrix(const qkv__lab_model *model, size_t key, bool with_roots,
                              qkv__arena *arena, qkv__lab_noise *noise, qkv_error *error)
{
    double *entries = NULL, *root = NULL;
    const size_t width = model->width;
    char label[LABEL];
    snprintf(label, sizeof label, "the covariance of key %zu, in row", key + 1);
    qkv_status status = check_product(width, width, "covariance", error);
    if (status == QKV_OK)
        status = copy_finite(noise->entries, width, width, label, arena, &entries, error);
    if (status == QKV_OK) status = check_symmetric(key, width, entries, error);
    if (status != QKV_OK) return status;
    double *values = qkv__arena_array(arena, width, sizeof *values);
    if (model->shared) root = qkv__arena_array(arena, width * width, sizeof *root);
    if (values == NULL || (model->shared && root == NULL)) return qkv__lab_no_memory(arena, error);
    status = qkv__lab_eigenvalues(width, entries, values, root, error);
    if (status != QKV_OK) return status;
    double size = fmax(fabs(values[0]), fabs(values[width - 1]));
    if (values[0] < -ROUNDING_OF_EIGENVALUES * (double)width * size)
        return not_semidefinite(key, values[0], error);
    noise->entries = entries;
    noise->factor = root;
    if (with_roots && root == NULL && (noise->factor = any_root(width, entries, arena)) == NULL)
        return qkv__lab_no_memory(arena, error);
    return QKV_OK;
}

static qkv_status read_noise(const qkv__lab_model *model, size_t key, bool with_roots,
                             qkv__arena *arena, qkv__lab_noise *noise, qkv_error *error)
{
    switch (noise->kind) {
    case QKV_LAB_NOISE_STRETCH: return read_stretch(model, key, noise, error);
    case QKV_LAB_NOISE_DIAGONAL:
    case QKV_LAB_NOISE_MATRIX:
        if (noise->entries == NULL)
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "the noise of key %zu has no entries: expected %s", key + 1,
                             noise->kind == QKV_LAB_NOISE_MATRIX ? "a matrix" : "a diagonal");
        return noise->kind == QKV_LAB_NOISE_DIAGONAL
                   ? read_diagonal(model, key, arena, noise, error)
                   : read_matrix(model, key, with_roots, arena, noise, error);
    }
    return qkv__fail(error, QKV_ERROR_ARGUMENT, "the noise of key %zu is of unknown kind %d",
                     key + 1, (int)noise->kind);
}

/* Keys that name the same array of entries share what is made of it. */
static qkv_status read_noises(const qkv_lab_model *given, bool with_roots, qkv__arena *arena,
                              qkv__lab_model *model, qkv_error *error)
{
    model->noise = qkv__arena_array(arena, model->keys, sizeof *model->noise);
    if (model->noise == NULL) return qkv__lab_no_memory(arena, error);
    const qkv_lab_noise *last = NULL;
    for (size_t i = 0; i < model->keys; i++) {
        const qkv_lab_noise *from = given->noises != NULL ? &given->noises[i] : &given->noise;
        qkv__lab_noise *noise = &model->noise[i];
        bool same = last != NULL && from->kind != QKV_LAB_NOISE_STRETCH &&
                    from->kind == last->kind && from->entries == last->entries;
        if (same) {
            *noise = model->noise[i - 1];
            continue;
        }
        last = from;
        *noise = (qkv__lab_noise){.kind = from->kind,
                                  .alpha = from->alpha,
                                  .stretch = from->stretch,
                                  .entries = from->entries};
        qkv_status status = read_noise(model, i, with_roots, arena, noise, error);
        if (status != QKV_OK) return status;
    }
    return QKV_OK;
}

/* ---- The whole ------------------------------------------------------------------------------ */

qkv_status qkv__lab_model_read(const qkv_lab_model *given, bool with_roots, qkv__arena *arena,
                               qkv__lab_model *model, qkv_error *error)
{
    qkv_lab_model read = qkv_lab_model_default();
    qkv_status status =
        qkv__options_take(&read, sizeof read, given, "model", "qkv_lab_model_default", error);
    *model = (qkv__lab_model){0};
    if (status == QKV_OK) status = read_sizes(&read, model, error);
    if (status == QKV_OK) status = read_arrays(&read, arena, model, error);
    if (status == QKV_OK) status = read_noises(&read, with_roots, arena, model, error);
    return status;
}
