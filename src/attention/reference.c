/*
 * The definition of attention, in plain loops and double precision. Everything else is measured
 * against this file; nothing optimises it. It is compiled without contraction of products and
 * sums, so that it does what it says.
 */
#include "attention/reference.h"

#include <math.h>

#include "attention/kernel.h"
#include "base/number.h"

static void put(const qkv__matrix *m, size_t row, size_t column, double value)
{
    if (m->data == NULL) return;
    qkv__store(m->type, m->data, (ptrdiff_t)row * m->row + (ptrdiff_t)column * m->column, value);
}

/* scale * q_i . k_j */
static double raw_score(const qkv__head *head, size_t i, size_t j)
{
    double dot = 0.0;
    for (size_t t = 0; t < head->width; t++)
        dot += qkv__matrix_get(&head->query, i, t) * qkv__head_key(head, j, t);
    return head->scale * dot;
}

/* What ALiBi and the mask add to a capped score; -infinity where query i may not look at j. */
static double bias(const qkv__head *head, size_t i, size_t j)
{
    size_t begin, end;
    qkv__head_range(head, i, &begin, &end);
    if (j < begin || j >= end) return -INFINITY;
    double distance = fabs((double)((ptrdiff_t)i + head->offset - (ptrdiff_t)j));
    double sum = -head->slope * distance;
    if (head->mask.data == NULL) return sum;
    double mask = qkv__matrix_get(&head->mask, i, j);
    if (head->mask.type == QKV_BOOL) return mask != 0.0 ? sum : -INFINITY;
    return sum + mask;
}

qkv__reference_row qkv__reference_weights(const qkv__head *head, size_t i, double *weights)
{
    double *scores = weights; /* the scores first, then the weights in their place */
    double max = head->sink;
    for (size_t j = 0; j < head->keys; j++) {
        double raw = raw_score(head, i, j);
        double capped = head->softcap > 0.0 ? head->softcap * tanh(raw / head->softcap) : raw;
        double added = bias(head, i, j);
        /* Not capped + added: a masked key may hold NaN. */
        scores[j] = added == -INFINITY ? -INFINITY : capped + added;
        if (scores[j] > max) max = scores[j];
        put(&head->scores_raw, i, j, raw);
        put(&head->scores_capped, i, j, capped);
        put(&head->scores_masked, i, j, scores[j]);
    }

    if (max == -INFINITY) max = 0.0; /* nothing to look at, or only NaN */
    double total = exp(head->sink - max);
    for (size_t j = 0; j < head->keys; j++) total += exp(scores[j] - max);

    qkv__reference_row row = {
        .log_sum_exp = max + log(total), .entropy = 0.0, .high = max, .sum = total};
    for (size_t j = 0; j < head->keys; j++) {
        if (scores[j] == -INFINITY) {
            weights[j] = -INFINITY; /* the mark of a masked key */
            continue;
        }
        double log_weight = scores[j] - row.log_sum_exp;
        weights[j] = exp(scores[j] - max) / total;
        if (weights[j] != 0.0) row.entropy -= weights[j] * log_weight;
    }
    return row;
}

/* c_i = sum_j d_ij a_ij v_j, over the keys that are not masked; d_ij is dropout's factor. */
static void forward_row(const qkv__head *head, size_t i, double *weights)
{
    qkv__reference_row row = qkv__reference_weights(head, i, weights);
    for (size_t t = 0; t < head->value_width; t++) {
        double sum = 0.0;
        for (size_t j = 0; j < head->keys; j++)
            if (weights[j] != -INFINITY)
                sum += weights[j] * qkv__dropout_factor(&head->dropout, i, j) *
                       qkv__head_value(head, j, t);
        put(&head->output, i, t, sum);
    }
    put(&head->log_sum_exp, i, 0, row.log_sum_exp);
    put(&head->level, i, 0, row.high);
    put(&head->level, i, 1, row.sum);
    put(&head->entropy, i, 0, row.entropy);
    for (size_t j = 0; j < head->keys; j++)
        put(&head->weights, i, j, weights[j] == -INFINITY ? 0.0 : weights[j]);
    for (size_t j = head->keys; j < head->keys + head->padding; j++) {
        put(&head->scores_raw, i, j, -INFINITY);
        put(&head->scores_capped, i, j, -INFINITY);
        put(&head->scores_masked, i, j, -INFINITY);
        put(&head->weights, i, j, 0.0);
    }
}

static void forward(const qkv__rows *rows, void *workspace)
{
    qkv__rows left = *rows;
    const qkv__head *head;
    size_t begin, end;
    while (qkv__rows_next(&left, &head, &begin, &end))
        for (size_t i = begin; i < end; i++) forward_row(head, i, workspace);
}

static bool workspace(const qkv__problem *problem, size_t *bytes)
{
    /* Keys were checked to be few enough. */
    *bytes = (problem->key.shape[QKV__LENGTH] + 1) * sizeof(double);
    return true;
}

const qkv__kernel qkv__kernel_reference = {
    .name = "reference",
    .compute = QKV_NONE,
    .rows = 16,
    .drops = true,
    .workspace = workspace,
    .forward = forward,
};
