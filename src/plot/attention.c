/* Weights to look at: copied, or computed by the operator in doubles. */
#include "plot/attention.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"

static qkv_status allocate(size_t a, size_t b, size_t c, double **numbers, qkv_error *error)
{
    size_t count, bytes;
    *numbers = NULL;
    if (!qkv__size_multiply(a, b, &count) || !qkv__size_multiply(count, c, &count) ||
        !qkv__size_multiply(count, sizeof(double), &bytes))
        return qkv__fail_memory(error, SIZE_MAX);
    *numbers = qkv__allocate_zero(bytes == 0 ? 1 : bytes);
    return *numbers == NULL ? qkv__fail_memory(error, bytes) : QKV_OK;
}

qkv_status qkv__plot_load(const qkv_view *view, const char *name, size_t size[3], double **numbers,
                          qkv_error *error)
{
    if (view->rank != 2 && view->rank != 3)
        return qkv__fail(error, QKV_ERROR_SHAPE,
                         "%s has rank %d; expected (rows, columns) or (heads, rows, columns)", name,
                         view->rank);
    int first = view->rank - 2;
    size[0] = first == 0 ? 1 : view->shape[0];
    size[1] = view->shape[first];
    size[2] = view->shape[first + 1];
    qkv_status status = allocate(size[0], size[1], size[2], numbers, error);
    if (status != QKV_OK) return status;
    qkv_view dense = qkv_view_dense(QKV_F64, *numbers, view->rank, view->shape);
    status = qkv_view_copy(view, &dense, error);
    if (status == QKV_OK) return QKV_OK;
    qkv__free(*numbers);
    *numbers = NULL;
    return status;
}

/* ---- By the operator --------------------------------------------------------------------- */

static qkv_view cube(double *numbers, size_t heads, size_t rows, size_t columns)
{
    return qkv_view_dense(QKV_F64, numbers, 3, (size_t[]){heads, rows, columns});
}

/* Values and outputs have one column of zeros: only weights are wanted. */
static qkv_status run_operator(const qkv_plot_attention *attention, double *q, const size_t qs[3],
                               double *k, const size_t ks[3], qkv__seen *seen, qkv_error *error)
{
    double *v = NULL, *c = NULL;
    qkv_attention_options options =
        attention->attention == NULL ? qkv_attention_default() : *attention->attention;
    qkv_status status = allocate(ks[0], ks[1], 1, &v, error);
    if (status == QKV_OK) status = allocate(qs[0], qs[1], 1, &c, error);
    if (status == QKV_OK) status = allocate(qs[0], qs[1], ks[1], &seen->weights, error);
    if (status == QKV_OK) {
        const qkv_view none = {.rank = 0};
        qkv_view query = cube(q, qs[0], qs[1], qs[2]), key = cube(k, ks[0], ks[1], ks[2]);
        qkv_view value = cube(v, ks[0], ks[1], 1), output = cube(c, qs[0], qs[1], 1);
        options.weights = cube(seen->weights, qs[0], qs[1], ks[1]);
        options.log_sum_exp = options.entropy = options.scores_raw = none;
        options.scores_capped = options.scores_masked = none;
        options.threads = 1;
        status = qkv_attention(&query, &key, &value, &output, &options, error);
    }
    qkv__free(v);
    qkv__free(c);
    seen->heads = qs[0], seen->queries = qs[1], seen->keys = ks[1];
    return status;
}

static qkv_status compute(const qkv_plot_attention *attention, qkv__seen *seen, qkv_error *error)
{
    size_t qs[3] = {0}, ks[3] = {0};
    double *q = NULL, *k = NULL;
    if (attention->query == NULL || attention->key == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "there are no weights, and no %s; expected "
                         "weights, or a query and a key",
                         attention->query == NULL ? "query" : "key");
    qkv_status status = qkv__plot_load(attention->query, "query", qs, &q, error);
    if (status == QKV_OK) status = qkv__plot_load(attention->key, "key", ks, &k, error);
    if (status == QKV_OK) status = run_operator(attention, q, qs, k, ks, seen, error);
    qkv__free(q);
    qkv__free(k);
    return status;
}

qkv__counts qkv__plot_counts(const qkv__seen *seen)
{
    qkv__counts counts;
    snprintf(counts.text, sizeof counts.text, "%zu head%s, %zu %s and %zu key%s", seen->heads,
             seen->heads == 1 ? "" : "s", seen->queries, seen->queries == 1 ? "query" : "queries",
             seen->keys, seen->keys == 1 ? "" : "s");
    return counts;
}

/* Weights that are given may be rounded or missing, but are numbers from 0 to 1. */
static qkv_status check_weights(const qkv__seen *seen, qkv_error *error)
{
    assert(seen->weights != NULL);
    for (size_t h = 0, at = 0; h < seen->heads; h++)
        for (size_t i = 0; i < seen->queries; i++)
            for (size_t j = 0; j < seen->keys; j++, at++) {
                double weight = seen->weights[at];
                if (isnan(weight) || (weight >= 0 && weight <= 1 + QKV__PLOT_ROUNDED)) continue;
                char head[40] = "";
                if (seen->heads > 1) snprintf(head, sizeof head, "head %zu, ", h);
                return qkv__fail(error, QKV_ERROR_ARGUMENT,
                                 "weights: %srow %zu, column %zu, counted from 0, is %g; expected "
                                 "numbers from 0 to 1",
                                 head, i, j, weight);
            }
    return QKV_OK;
}

qkv_status qkv__plot_see(const qkv_plot_attention *attention, qkv__seen *seen, qkv_error *error)
{
    size_t size[3] = {0, 0, 0};
    *seen = (qkv__seen){0};
    qkv_status status;
    if (attention->weights != NULL) {
        status = qkv__plot_load(attention->weights, "weights", size, &seen->weights, error);
        if (status == QKV_OK) {
            seen->heads = size[0], seen->queries = size[1], seen->keys = size[2];
            status = check_weights(seen, error);
        }
    } else {
        status = compute(attention, seen, error);
    }
    if (status == QKV_OK && (seen->heads == 0 || seen->queries == 0 || seen->keys == 0))
        status = qkv__fail(error, QKV_ERROR_SHAPE, "there are %s; expected some of each",
                           qkv__plot_counts(seen).text);
    if (status == QKV_OK) return QKV_OK;
    qkv__free(seen->weights);
    seen->weights = NULL;
    return status;
}

double qkv__plot_entropy(const double *weights, size_t count)
{
    double entropy = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += weights[i];
        if (weights[i] > 0) entropy -= weights[i] * log(weights[i]);
    }
    return fabs(sum - 1) <= QKV__PLOT_ROUNDED ? entropy : NAN;
}
