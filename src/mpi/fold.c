/* Folding partial results into sums. Knows one rank's rows. */
#include "mpi/fold.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/threads.h"

/* Rows of all heads together that one call of the operator takes: enough for many threads, few
 * enough that messages are looked after every few milliseconds. */
enum { TILE_ROWS = 16384, LEAST_TILE = 128 };

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
    fold->tile = heads == 0 ? LEAST_TILE : TILE_ROWS / heads;
    if (fold->tile < LEAST_TILE) fold->tile = LEAST_TILE;
    fold->high = numbers(rows, 1, sizeof(double));
    fold->sum = numbers(rows, 1, sizeof(double));
    fold->output = numbers(rows, fold->width, sizeof(double));
    fold->part = numbers(heads * fold->tile, fold->width, qkv__type_size(call->compute));
    fold->part_sums = numbers(heads * fold->tile, 1, sizeof(double));
    if (fold->high == NULL || fold->sum == NULL || fold->output == NULL || fold->part == NULL ||
        fold->part_sums == NULL)
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
    qkv__free(fold->part_sums);
    *fold = (qkv__fold){0};
}

/* ---- Folding -------------------------------------------------------------------------------- */

/* A tile's rows, one task per head. */
typedef struct joint {
    qkv__fold *fold;
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
    const double level = fold->part_sums[part], high = fold->high[row];
    double factor = 1.0, weight = 1.0;
    if (level == -INFINITY) return;
    if (level > high) {
        factor = exp(high - level);
        fold->high[row] = level;
    } else {
        weight = exp(level - high);
    }
    fold->sum[row] = fold->sum[row] * factor + weight;
    add_row(fold, fold->output + row * fold->width, factor, weight, part);
}

static void join_head(size_t head, size_t worker, void *context)
{
    const joint *j = context;
    (void)worker;
    for (size_t i = 0; i < j->rows; i++)
        join_row(j->fold, head * j->fold->rows + j->row + i, head * j->rows + i);
}

static size_t thread_count(const qkv__fold *fold)
{
    const int asked = fold->call->options.threads;
    return (size_t)(asked > 0 ? asked : qkv__core_count());
}

qkv_status qkv__fold_keys(qkv__fold *fold, size_t row, size_t rows, size_t query,
                          const qkv_view *key_view, const qkv_view *value_view, size_t key,
                          qkv_error *error)
{
    const qkv__mpi_call *call = fold->call;
    const qkv_view queries = qkv__mpi_rows(&call->query, row, rows);
    const size_t shape[4] = {fold->batch, fold->heads, rows, fold->width};
    const qkv_view part = qkv_view_dense(call->compute, fold->part, 4, shape);
    qkv_attention_options piece =
        qkv__mpi_piece(call, query, key, key_view->shape[QKV__AXIS_LENGTH]);
    piece.log_sum_exp = qkv_view_dense(QKV_F64, fold->part_sums, 3, shape);
    const qkv_status status = qkv_attention(&queries, key_view, value_view, &part, &piece, error);
    if (status != QKV_OK) return status;
    joint j = {fold, row, rows};
    qkv__parallel(thread_count(fold), fold->batch * fold->heads, join_head, &j);
    return QKV_OK;
}

/* ---- Results -------------------------------------------------------------------------------- */

static void finish_row(qkv__fold *fold, size_t row, double sink, double *level)
{
    double *output = fold->output + row * fold->width;
    const double high = fold->high[row], top = sink > high ? sink : high;
    double factor = 1.0, whole = fold->sum[row];
    if (sink != -INFINITY) {
        factor = exp(high - top);
        whole = whole * factor + exp(sink - top);
    }
    *level = whole == 0.0 ? -INFINITY : top + log(whole);
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
    qkv__parallel(thread_count(fold), fold->batch * fold->heads, finish_head, fold);
    qkv_status status = store(fold->output, &fold->call->output, error);
    if (status == QKV_OK && fold->call->log_sum_exp.rank > 0)
        status = store(fold->high, &fold->call->log_sum_exp, error);
    return status;
}
