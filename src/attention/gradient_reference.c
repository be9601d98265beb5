/*
 * The gradient of attention, by its definition: plain loops, double precision. With g_i the
 * loss's gradient in c_i, raw scores r, capped scores s, weights a and everything of one row:
 *
 *     dv_j += d_j a_j g                   dp_j = d_j g . v_j
 *     ds_j  = a_j (dp_j - sum_k a_k dp_k) dr_j = ds_j (1 - tanh^2(r_j / cap))
 *     dq    = scale sum_j dr_j k_j        dk_j += scale dr_j q
 *
 * where d_j is the factor of dropout, 1 without it. A mask is added to s_j, and so its gradient is
 * ds_j; a slope is multiplied by minus the distance and added; a sink is one more score, of weight
 * a, whose dp is 0. Query heads that share a key head are summed in their order by one worker, so
 * that the bits do not depend on the number of threads.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "attention/gradient.h"
#include "attention/reference.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/threads.h"
#include "base/view.h"

typedef struct plan {
    const qkv__gradient *gradient;
    size_t workspace_bytes; /* of one worker */
    unsigned char *workspace;
} plan;

/* A worker's memory: sums over all rows that look at a key head, and one row's numbers. */
typedef struct sums {
    double *key;             /* (keys, width) */
    double *value;           /* (keys, value_width) */
    double *query;           /* (width) */
    double *weight;          /* (keys) */
    double *weight_gradient; /* (keys) */
    qkv__bias bias;          /* of the key head */
    double *sink;            /* of the key head's first query head; or NULL */
} sums;

/* Row i of query head h of the key head: ds_j, which the mask and the slope share. */
static void add_bias(const qkv__head *head, size_t h, size_t i, size_t j, double ds,
                     const qkv__bias *bias)
{
    if (bias->mask != NULL) bias->mask[h * bias->head + i * bias->query + j * bias->key] += ds;
    if (bias->slope != NULL)
        bias->slope[h] -= ds * fabs((double)((ptrdiff_t)i + head->offset - (ptrdiff_t)j));
}

/* g . c, which is the sum over all keys of a_k dp_k, where `whole` has c and its log-sum-exp. */
static double given_mean(const qkv__head *whole, const qkv__matrix *g, size_t i)
{
    double mean = 0.0;
    for (size_t t = 0; t < whole->value_width; t++)
        mean += qkv__matrix_get(g, i, t) * qkv__matrix_get(&whole->output, i, t);
    return mean;
}

/* Adds dq_i, and what row i gives to every dk_j and dv_j that it looks at. whole: NULL, or the
 * results of a call with more keys, of which head has some. */
static void add_row(const qkv__head *head, const qkv__head *whole, const qkv__matrix *g, size_t h,
                    size_t i, const sums *sum)
{
    const qkv__reference_row row = qkv__reference_weights(head, i, sum->weight);
    double mean = 0.0; /* sum_k a_k dp_k */
    const double share =
        whole == NULL ? 1.0 : exp(row.log_sum_exp - qkv__matrix_get(&whole->log_sum_exp, i, 0));
    for (size_t j = 0; j < head->keys; j++) {
        if (sum->weight[j] == -INFINITY) continue;
        const double kept = qkv__dropout_factor(&head->dropout, i, j);
        double dp = 0.0;
        sum->weight[j] *= share;
        for (size_t t = 0; t < head->value_width; t++) {
            dp += qkv__matrix_get(g, i, t) * qkv__matrix_get(&head->value, j, t);
            sum->value[j * head->value_width + t] +=
                kept * sum->weight[j] * qkv__matrix_get(g, i, t);
        }
        sum->weight_gradient[j] = kept * dp;
        mean += sum->weight[j] * sum->weight_gradient[j];
    }
    if (whole != NULL) mean = given_mean(whole, g, i);
    if (sum->sink != NULL && head->sink != -INFINITY)
        sum->sink[h] -= exp(head->sink - row.log_sum_exp) * mean;
    memset(sum->query, 0, (head->width + 1) * sizeof(double));
    for (size_t j = 0; j < head->keys; j++) {
        if (sum->weight[j] == -INFINITY) continue;
        double slope = 1.0;
        if (head->softcap > 0.0) {
            double dot = 0.0;
            for (size_t t = 0; t < head->width; t++)
                dot += qkv__matrix_get(&head->query, i, t) * qkv__matrix_get(&head->key, j, t);
            double capped = tanh(head->scale * dot / head->softcap);
            slope = 1.0 - capped * capped;
        }
        const double ds = sum->weight[j] * (sum->weight_gradient[j] - mean);
        const double dr = ds * slope * head->scale;
        add_bias(head, h, i, j, ds, &sum->bias);
        for (size_t t = 0; t < head->width; t++) {
            sum->query[t] += dr * qkv__matrix_get(&head->key, j, t);
            sum->key[j * head->width + t] += dr * qkv__matrix_get(&head->query, i, t);
        }
    }
}

/* Writes one row of a result, where that result is wanted; zeros for NULL. */
static void store(const qkv_view *view, size_t batch, size_t head, size_t row, size_t width,
                  const double *from)
{
    if (view->rank == 0) return;
    for (size_t t = 0; t < width; t++) {
        size_t index[] = {batch, head, row, t};
        qkv__store(view->type, view->data, qkv__view_offset(view, index),
                   from == NULL ? 0.0 : from[t]);
    }
}

/* Room for the longest sequence, of which this one has `keys` keys, cleared. */
static sums lay_out(const plan *work, size_t worker, size_t keys)
{
    const qkv__problem *p = &work->gradient->problem;
    size_t width = p->query.shape[QKV__WIDTH], value_width = p->value.shape[QKV__WIDTH];
    double *next = (double *)(void *)(work->workspace + worker * work->workspace_bytes);
    sums sum = {.key = next};
    sum.value = sum.key + keys * width;
    sum.query = sum.value + keys * value_width;
    sum.weight = sum.query + width + 1;
    sum.weight_gradient = sum.weight + keys;
    memset(sum.key, 0, (keys * (width + value_width) + width + 1) * sizeof(double));
    return sum;
}

/* One key head of one sequence, with all query heads that read it. */
static void run_task(size_t task, size_t worker, void *context)
{
    const plan *work = context;
    const qkv__gradient *wanted = work->gradient;
    const qkv__problem *p = &wanted->problem;
    size_t kv_heads = p->key.shape[QKV__HEADS];
    size_t sequence = task / kv_heads, kv_head = task % kv_heads, queries, keys;
    size_t batch = p->packed ? 0 : sequence;
    size_t first_query = p->packed ? p->options.query_starts[sequence] : 0;
    size_t first_key = p->packed ? p->options.key_starts[sequence] : 0;
    size_t width = p->query.shape[QKV__WIDTH], value_width = p->value.shape[QKV__WIDTH];
    qkv__problem_lengths(p, sequence, &queries, &keys);
    sums sum = lay_out(work, worker, keys);
    sum.bias = qkv__bias_of(wanted, sequence, kv_head);
    sum.sink = wanted->sink_sums == NULL ? NULL : wanted->sink_sums + kv_head * p->group;

    qkv__problem known = *p;
    known.output = wanted->output;
    known.options.log_sum_exp = wanted->log_sum_exp;
    for (size_t h = kv_head * p->group; h < (kv_head + 1) * p->group && h < p->heads; h++) {
        qkv__head head, whole;
        qkv__problem_head(p, sequence, h, &head);
        qkv__problem_head(&known, sequence, h, &whole);
        for (size_t i = 0; i < queries; i++) {
            add_row(&head, wanted->part ? &whole : NULL, &head.output, h - kv_head * p->group, i,
                    &sum);
            store(&wanted->dq, batch, h, first_query + i, width, sum.query);
        }
    }
    for (size_t j = 0; j < keys; j++) {
        store(&wanted->dk, batch, kv_head, first_key + j, width, sum.key + j * width);
        store(&wanted->dv, batch, kv_head, first_key + j, value_width, sum.value + j * value_width);
    }
    for (size_t j = keys; !p->packed && j < p->key.shape[QKV__LENGTH]; j++) {
        store(&wanted->dk, batch, kv_head, j, width, NULL);
        store(&wanted->dv, batch, kv_head, j, value_width, NULL);
    }
}

static qkv_status allocate(plan *work, size_t workers, qkv_error *error)
{
    const qkv__problem *p = &work->gradient->problem;
    size_t keys = p->key.shape[QKV__LENGTH], width = p->query.shape[QKV__WIDTH];
    size_t value_width = p->value.shape[QKV__WIDTH], row, numbers, bytes = SIZE_MAX;
    bool counted = qkv__size_add(width, value_width, &row) && qkv__size_add(row, 2, &row) &&
                   qkv__size_multiply(keys, row, &numbers) &&
                   qkv__size_add(numbers, width + 1, &numbers) &&
                   qkv__size_multiply(numbers, sizeof(double), &work->workspace_bytes) &&
                   qkv__size_multiply(work->workspace_bytes, workers, &bytes);
    if (!counted || (work->workspace = qkv__allocate(bytes)) == NULL)
        return qkv__fail_memory(error, bytes);
    return QKV_OK;
}

qkv_status qkv__gradient_reference(const qkv__gradient *gradient, qkv_error *error)
{
    plan work = {.gradient = gradient};
    const qkv__problem *p = &gradient->problem;
    size_t tasks,
        workers = (size_t)(p->options.threads > 0 ? p->options.threads : qkv__core_count());
    if (!qkv__size_multiply(p->sequences, p->key.shape[QKV__HEADS], &tasks))
        return qkv__fail(error, QKV_ERROR_SHAPE, "the problem has too many heads to count");
    if (tasks == 0) return QKV_OK;
    if (workers > QKV__WORKERS_AT_MOST) workers = QKV__WORKERS_AT_MOST;
    if (workers > tasks) workers = tasks;
    /* Sums over several key heads or sequences are added up in their order. */
    if (gradient->mask_sums != NULL || gradient->slope_sums != NULL || gradient->sink_sums != NULL)
        workers = 1;
    qkv_status status = allocate(&work, workers, error);
    if (status != QKV_OK) return status;
    qkv__interrupt_begin();
    qkv__parallel(workers, tasks, run_task, &work);
    qkv__free(work.workspace);
    return qkv__interrupt_status(error);
}
