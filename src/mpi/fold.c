/* Folding partial results into sums. Knows one rank's rows. */
#include "mpi/fold.h"

#include <math.h>

#include "attention/attention.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/threads.h"

/*
 * One call of the operator takes as many rows as make TASKS tasks of its kernels, of TASK_ROWS
 * rows, and some more per thread: messages are looked after every few milliseconds. They are rows
 * of few heads, so that a block's keys and values stay in the cache of a core (1 MiB for 2,048 of
 * width 64 in f32) while all rows of a head go over them.
 */
enum { TASK_ROWS = 192, TASKS = 8, TASKS_PER_THREAD = 4 };

static size_t thread_count(const qkv__mpi_call *call)
{
    const int asked = call->options.threads;
    return (size_t)(asked > 0 ? asked : qkv__core_count());
}

static size_t ceiling(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* A slice is some key heads of one sequence, with all query heads that read them. */
static void cut(qkv__fold *fold)
{
    const size_t threads = thread_count(fold->call);
    const size_t tasks = threads == 1 ? TASKS : TASKS + TASKS_PER_THREAD * threads;
    const size_t kv_heads = fold->call->key.shape[QKV__AXIS_HEADS];
    if (fold->heads == 0 || fold->rows == 0) return; /* no slices */
    const size_t group = fold->heads / kv_heads;
    fold->slice_heads = least(ceiling(tasks, TASKS * group), kv_heads) * group;
    fold->tile = least(ceiling(tasks, fold->slice_heads) * TASK_ROWS, fold->rows);
    fold->slices = fold->batch * ceiling(fold->heads, fold->slice_heads);
}

static double *numbers(size_t count, size_t each, size_t size)
{
    size_t bytes;
    if (!qkv__size_multiply(count, each, &bytes) || !qkv__size_multiply(bytes, size, &bytes))
        return NULL;
    return qkv__allocate_zero(bytes > 0 ? bytes : size);
}

qkv_status qkv__fold_make(const qkv__mpi_call *call, qkv__fold *fold, qkv_error *error)
{
    const size_t *shape = call->query.shape;
    *fold = (qkv__fold){.call = call,
                        .batch = shape[QKV__AXIS_BATCH],
                        .heads = shape[QKV__AXIS_HEADS],
                        .rows = shape[QKV__AXIS_LENGTH],
                        .width = call->value.shape[QKV__AXIS_WIDTH]};
    const size_t heads = fold->batch * fold->heads, rows = heads * fold->rows;
    const bool exact = call->log_sum_exp.rank > 0;
    cut(fold);
    const size_t part_rows = fold->slice_heads * fold->tile;
    fold->high = numbers(rows, 1, sizeof(double));
    fold->sum = numbers(rows, 1, sizeof(double));
    fold->output = numbers(rows, fold->width, sizeof(double));
    fold->part = numbers(part_rows, fold->width, qkv__type_size(call->compute));
    fold->part_level = numbers(part_rows, 2, sizeof(double));
    if (exact) fold->exact = numbers(rows, 1, sizeof(double));
    if (exact) fold->part_exact = numbers(part_rows, 1, sizeof(double));
    if (fold->high == NULL || fold->sum == NULL || fold->output == NULL || fold->part == NULL ||
        fold->part_level == NULL || (exact && (fold->exact == NULL || fold->part_exact == NULL)))
        return qkv__fail_memory(error, rows * (fold->width + 2) * sizeof(double));
    for (size_t i = 0; i < rows; i++) fold->high[i] = -INFINITY;
    return QKV_OK;
}

void qkv__fold_free(qkv__fold *fold)
{
    qkv__free(fold->high);
    qkv__free(fold->sum);
    qkv__free(fold->output);
    qkv__free(fold->part);
    qkv__free(fold->part_level);
    qkv__free(fold->exact);
    qkv__free(fold->part_exact);
    *fold = (qkv__fold){0};
}

/* ---- Folding -------------------------------------------------------------------------------- */

/* Rows of some heads, one task per head. */
typedef struct joint {
    qkv__fold *fold;
    size_t head; /* the first, of all sequences' */
    size_t row, rows;
} joint;

static void add_row(const qkv__fold *fold, double *output, double factor, double weight,
                    size_t part)
{
    const size_t width = fold->width;
    if (fold->call->compute == QKV_F64) {
        const double *from = (const double *)fold->part + part * width;
        for (size_t t = 0; t < width; t++) output[t] = output[t] * factor + weight * from[t];
    } else {
        const float *from = (const float *)fold->part + part * width;
        for (size_t t = 0; t < width; t++)
            output[t] = output[t] * factor + weight * (double)from[t];
    }
}

/* One row: a block that the query sees nothing of changes no bit. */
static void join_row(qkv__fold *fold, size_t row, size_t part)
{
    const double level = fold->part_level[2 * part], high = fold->high[row];
    double factor = 1.0, weight = fold->part_level[2 * part + 1], top = high;
    if (weight == 0.0) return;
    if (level > high) {
        factor = exp(high - level);
        fold->high[row] = top = level;
    } else {
        weight *= exp(level - high);
    }
    fold->sum[row] = fold->sum[row] * factor + weight;
    if (fold->exact != NULL)
        fold->exact[row] = fold->exact[row] * factor + exp(fold->part_exact[part] - top);
    add_row(fold, fold->output + row * fold->width, factor, weight, part);
}

static void join_head(size_t head, size_t worker, void *context)
{
    const joint *j = context;
    (void)worker;
    for (size_t i = 0; i < j->rows; i++)
        join_row(j->fold, (j->head + head) * j->fold->rows + j->row + i, head * j->rows + i);
}

/* One sequence's heads from `head` on. */
static qkv_view heads_of(const qkv_view *view, size_t batch, size_t head, size_t heads)
{
    qkv_view part = *view;
    if (part.data != NULL)
        part.data = (unsigned char *)part.data + ((ptrdiff_t)batch * part.stride[QKV__AXIS_BATCH] +
                                                  (ptrdiff_t)head * part.stride[QKV__AXIS_HEADS]) *
                                                     (ptrdiff_t)qkv__type_size(part.type);
    part.shape[QKV__AXIS_BATCH] = 1;
    part.shape[QKV__AXIS_HEADS] = heads;
    return part;
}

qkv_status qkv__fold_keys(qkv__fold *fold, size_t slice, size_t row, size_t rows, size_t query,
                          const qkv_view *key_view, const qkv_view *value_view, size_t key,
                          qkv_error *error)
{
    const qkv__mpi_call *call = fold->call;
    const size_t per_batch = fold->slices / fold->batch, batch = slice / per_batch;
    const size_t head = slice % per_batch * fold->slice_heads;
    const size_t heads = least(fold->slice_heads, fold->heads - head);
    const size_t group = fold->heads / call->key.shape[QKV__AXIS_HEADS];
    const qkv_view shard = qkv__mpi_rows(&call->query, row, rows);
    const qkv_view queries = heads_of(&shard, batch, head, heads);
    const qkv_view keys = heads_of(key_view, batch, head / group, heads / group);
    const qkv_view values = heads_of(value_view, batch, head / group, heads / group);
    const size_t shape[4] = {1, heads, rows, fold->width};
    const qkv_view part = qkv_view_dense(call->compute, fold->part, 4, shape);
    const size_t pair[4] = {1, heads, rows, 2};
    const qkv_view level = qkv_view_dense(QKV_F64, fold->part_level, 4, pair);
    qkv_attention_options piece =
        qkv__mpi_piece(call, row, rows, query, key, key_view->shape[QKV__AXIS_LENGTH]);
    if (piece.mask.rank > 0) piece.mask = heads_of(&piece.mask, batch, head, heads);
    if (piece.key_lengths != NULL) piece.key_lengths += batch;
    if (piece.alibi_slopes != NULL) piece.alibi_slopes += head;
    if (fold->exact != NULL)
        piece.log_sum_exp = qkv_view_dense(QKV_F64, fold->part_exact, 3, shape);
    const qkv_status status = qkv__attention_part(&queries, &keys, &values, &part, &level,
                                                  call->output.type, &piece, error);
    if (status != QKV_OK) return status;
    joint j = {fold, batch * fold->heads + head, row, rows};
    qkv__parallel(thread_count(call), heads, join_head, &j);
    return QKV_OK;
}

/* ---- Results -------------------------------------------------------------------------------- */

static void finish_row(qkv__fold *fold, size_t row, double sink, double *level)
{
    double *output = fold->output + row * fold->width;
    const double high = fold->high[row], top = sink > high ? sink : high;
    double factor = 1.0, whole = fold->sum[row], exact = 0.0;
    if (fold->exact != NULL) exact = fold->exact[row];
    if (sink != -INFINITY) {
        factor = exp(high - top);
        whole = whole * factor + exp(sink - top);
        exact = exact * factor + exp(sink - top);
    }
    *level = exact == 0.0 ? -INFINITY : top + log(exact);
    if (whole == 0.0) return; /* no key, no sink: zeros, as they are */
    for (size_t t = 0; t < fold->width; t++) output[t] = output[t] * factor / whole;
}

/* The sums become the output, and their heights the log-sum-exps. */
static void finish_head(size_t head, size_t worker, void *context)
{
    qkv__fold *fold = context;
    const double *sinks = fold->call->sinks;
    (void)worker;
    for (size_t i = 0; i < fold->rows; i++) {
        const size_t row = head * fold->rows + i;
        finish_row(fold, row, sinks == NULL ? -INFINITY : sinks[head % fold->heads],
                   &fold->high[row]);
    }
}

/* Dense doubles into a view; rows of f32 without a detour. */
static qkv_status store(const double *from, const qkv_view *to, qkv_error *error)
{
    const qkv_view dense = qkv_view_dense(QKV_F64, (void *)from, to->rank, to->shape);
    if (to->type != QKV_F32 || to->rank != 4 || to->stride[QKV__AXIS_WIDTH] != 1)
        return qkv_view_copy(&dense, to, error);
    const size_t *shape = to->shape;
    for (size_t b = 0; b < shape[0]; b++)
        for (size_t h = 0; h < shape[1]; h++)
            for (size_t row = 0; row < shape[2]; row++, from += shape[3]) {
                float *line = (float *)to->data + (ptrdiff_t)b * to->stride[0] +
                              (ptrdiff_t)h * to->stride[1] + (ptrdiff_t)row * to->stride[2];
                for (size_t t = 0; t < shape[3]; t++) line[t] = (float)from[t];
            }
    return QKV_OK;
}

qkv_status qkv__fold_finish(qkv__fold *fold, qkv_error *error)
{
    qkv__parallel(thread_count(fold->call), fold->batch * fold->heads, finish_head, fold);
    qkv_status status = store(fold->output, &fold->call->output, error);
    if (status == QKV_OK && fold->call->log_sum_exp.rank > 0)
        status = store(fold->high, &fold->call->log_sum_exp, error);
    return status;
}
