/*
 * The joint law of the scores. For independent keys the H scores of key i are normal with means
 * mu_i . q_h and covariance q_h' Sigma_i q_g, an H x H matrix that is factored key by key; what has
 * rank 0 needs no normal number at all. Keys that share their noise have scores
 * mu_i . q_h + (Sigma_i^(1/2) q_h) . z, jointly factored. Knows nothing of sampling.
 */
#include "lab/model.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "lab/factor.h"

/* Joint factors of more scores than this are not worth their cost: z itself is used. */
enum { JOINT_AT_MOST = 1024 };

static double dot(const double *a, const double *b, size_t width)
{
    double sum = 0.0;
    for (size_t r = 0; r < width; r++) sum += a[r] * b[r];
    return sum;
}

/* ---- Sparse rows ---------------------------------------------------------------------------- */

/* Appends the nonzero entries of a dense row as the row of score `score`. */
static void append(qkv__lab_law *law, size_t score, const double *row, size_t length, size_t first)
{
    size_t end = law->start[score];
    for (size_t k = 0; k < length; k++) {
        if (row[k] == 0.0) continue;
        law->normal[end] = first + k;
        law->value[end++] = row[k];
    }
    law->start[score + 1] = end;
}

static qkv_status make_rows(qkv__lab_law *law, size_t scores, size_t entries, qkv__arena *arena,
                            qkv_error *error)
{
    law->start = qkv__arena_array(arena, scores + 1, sizeof *law->start);
    law->normal = qkv__arena_array(arena, entries, sizeof *law->normal);
    law->value = qkv__arena_array(arena, entries, sizeof *law->value);
    if (law->start == NULL || law->normal == NULL || law->value == NULL)
        return qkv__lab_no_memory(arena, error);
    return QKV_OK;
}

/* ---- Independent keys ----------------------------------------------------------------------- */

/* q' Sigma p for the noise of key i. */
static double covariance(const qkv__lab_model *model, size_t key, const double *q, const double *p)
{
    const qkv__lab_noise *noise = &model->noise[key];
    const size_t width = model->width;
    double sum = 0.0;
    if (noise->kind == QKV_LAB_NOISE_STRETCH) {
        if (noise->alpha != 0.0) sum = noise->alpha * dot(q, p, width);
        if (noise->stretch != 0.0)
            sum += noise->stretch *
                   (qkv__lab_mean_dot(model, key, q) * qkv__lab_mean_dot(model, key, p));
        return sum;
    }
    for (size_t r = 0; r < width; r++)
        sum += q[r] * (noise->kind == QKV_LAB_NOISE_DIAGONAL
                           ? noise->entries[r] * p[r]
                           : dot(noise->entries + r * width, p, width));
    return sum;
}

static void covariances(const qkv__lab_model *model, size_t key, double *matrix)
{
    const size_t heads = model->heads, width = model->width;
    for (size_t h = 0; h < heads; h++)
        for (size_t g = 0; g <= h; g++)
            matrix[h * heads + g] = matrix[g * heads + h] =
                covariance(model, key, model->queries + h * width, model->queries + g * width);
}

static qkv_status check_finite(const qkv__lab_model *model, size_t key, size_t head, double mean,
                               double variance, qkv_error *error)
{
    if (isfinite(mean) && isfinite(variance)) return QKV_OK;
    (void)model;
    return qkv__fail(error, QKV_ERROR_ARGUMENT,
                     "the score of key %zu in head %zu is too large: mean %g, variance %g", key + 1,
                     head + 1, mean, variance);
}

/* factors: n times H x H. */
static qkv_status factor_keys(const qkv__lab_model *model, const double *mean, double *matrix,
                              double *factors, size_t *first, size_t *normals, qkv_error *error)
{
    const size_t heads = model->heads, keys = model->keys;
    double *left = matrix + heads * heads, *whole = left + heads;
    *normals = 0;
    for (size_t i = 0; i < keys; i++) {
        covariances(model, i, matrix);
        for (size_t h = 0; h < heads; h++) {
            qkv_status status =
                check_finite(model, i, h, mean[h * keys + i], matrix[h * heads + h], error);
            if (status != QKV_OK) return status;
        }
        first[i] = *normals;
        *normals += qkv__lab_cholesky(heads, matrix, factors + i * heads * heads, left, whole);
    }
    return QKV_OK;
}

static qkv_status make_independent(const qkv__lab_model *model, qkv__arena *arena,
                                   qkv__arena *scratch, qkv__lab_law *law, qkv_error *error)
{
    const size_t heads = model->heads, keys = model->keys;
    double *matrix = qkv__arena_array(scratch, heads * heads + 2 * heads, sizeof *matrix);
    double *factors = qkv__arena_array(scratch, keys * heads * heads, sizeof *factors);
    size_t *first = qkv__arena_array(scratch, keys, sizeof *first);
    if (matrix == NULL || factors == NULL || first == NULL)
        return qkv__lab_no_memory(scratch, error);
    qkv_status status = factor_keys(model, law->mean, matrix, factors, first, &law->normals, error);
    if (status == QKV_OK) status = make_rows(law, heads * keys, keys * heads * heads, arena, error);
    if (status != QKV_OK) return status;
    for (size_t h = 0; h < heads; h++)
        for (size_t i = 0; i < keys; i++)
            append(law, h * keys + i, factors + (i * heads + h) * heads, heads, first[i]);
    return QKV_OK;
}

/* ---- Keys that share their noise ------------------------------------------------------------ */

/* Sigma_i^(1/2) q */
static void root_times(const qkv__lab_model *model, size_t key, const double *q, double *result)
{
    const qkv__lab_noise *noise = &model->noise[key];
    const size_t width = model->width;
    double along = 0.0;
    if (noise->kind == QKV_LAB_NOISE_STRETCH)
        along = noise->along * qkv__lab_mean_dot(model, key, q);
    for (size_t r = 0; r < width; r++) {
        if (noise->kind == QKV_LAB_NOISE_DIAGONAL)
            result[r] = noise->factor[r] * q[r];
        else if (noise->kind == QKV_LAB_NOISE_MATRIX)
            result[r] = dot(noise->factor + r * width, q, width);
        else if (model->means == NULL)
            result[r] = noise->root * q[r] + (r == key ? along : 0.0);
        else
            result[r] = noise->root * q[r] + along * model->means[key * width + r];
    }
}

/* rows: H n x d. Replaced by a factor with the same products of rows and fewer columns. */
static qkv_status reduce(size_t scores, size_t width, double *rows, qkv__arena *scratch,
                         const double **factor, size_t *columns, qkv_error *error)
{
    double *gram = qkv__arena_array(scratch, scores * scores, sizeof *gram);
    double *root = qkv__arena_array(scratch, scores * scores, sizeof *root);
    double *left = qkv__arena_array(scratch, 2 * scores, sizeof *left);
    if (gram == NULL || root == NULL || left == NULL) return qkv__lab_no_memory(scratch, error);
    for (size_t s = 0; s < scores; s++)
        for (size_t t = 0; t <= s; t++)
            gram[s * scores + t] = gram[t * scores + s] =
                dot(rows + s * width, rows + t * width, width);
    *columns = qkv__lab_cholesky(scores, gram, root, left, left + scores);
    *factor = root;
    return QKV_OK;
}

static qkv_status make_shared(const qkv__lab_model *model, qkv__arena *arena, qkv__arena *scratch,
                              qkv__lab_law *law, qkv_error *error)
{
    const size_t width = model->width, keys = model->keys, scores = model->heads * keys;
    size_t columns = width, stride = width;
    double *rows = qkv__arena_array(scratch, scores, width * sizeof *rows);
    const double *factor = rows;
    if (rows == NULL) return qkv__lab_no_memory(scratch, error);
    for (size_t s = 0; s < scores; s++) {
        double *row = rows + s * width;
        root_times(model, s % keys, model->queries + s / keys * width, row);
        qkv_status status =
            check_finite(model, s % keys, s / keys, law->mean[s], dot(row, row, width), error);
        if (status != QKV_OK) return status;
    }
    if (scores <= JOINT_AT_MOST) {
        qkv_status status = reduce(scores, width, rows, scratch, &factor, &columns, error);
        if (status != QKV_OK) return status;
        stride = scores;
    }
    law->normals = columns;
    qkv_status status = make_rows(law, scores, scores * (columns + 1), arena, error);
    if (status != QKV_OK) return status;
    for (size_t s = 0; s < scores; s++) append(law, s, factor + s * stride, columns, 0);
    return QKV_OK;
}

qkv_status qkv__lab_law_make(const qkv__lab_model *model, qkv__arena *arena, qkv__lab_law *law,
                             qkv_error *error)
{
    const size_t keys = model->keys;
    qkv__arena scratch = {0};
    *law = (qkv__lab_law){0};
    law->mean = qkv__arena_array(arena, model->heads * keys, sizeof *law->mean);
    if (law->mean == NULL) return qkv__lab_no_memory(arena, error);
    for (size_t h = 0; h < model->heads; h++)
        for (size_t i = 0; i < keys; i++)
            law->mean[h * keys + i] =
                qkv__lab_mean_dot(model, i, model->queries + h * model->width);
    qkv_status status = model->shared ? make_shared(model, arena, &scratch, law, error)
                                      : make_independent(model, arena, &scratch, law, error);
    qkv__arena_free(&scratch);
    return status;
}
