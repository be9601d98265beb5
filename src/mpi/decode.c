/*
 * Few queries over keys in shards. Every block of keys gives an output c_b and a log-sum-exp y_b,
 * as for the other calls, but here e^(y_b) and e^(y_b) c_b are summed exactly, in the digits of
 * exact.h. Such sums may be put together in any order, by any number of ranks, and one all-reduce
 * with an operation of our own will do.
 */
#include <qkv/mpi.h>

#include <math.h>

#include "attention/attention.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "mpi/agree.h"
#include "mpi/call.h"
#include "mpi/exact.h"

/* The sums of a query: of weights, of weights with all digits for the log-sum-exp, of outputs. */
enum { WEIGHTS, EXACT, SUMS };

typedef struct decoding {
    qkv__mpi_call *call;
    size_t blocks, rows, width; /* own blocks; batch * heads * queries; of values */
    void *part;                 /* (blocks, rows, width), in the compute type */
    double *level;              /* (blocks, rows, 2): see attention/attention.h */
    double *exact;              /* (blocks, rows): log-sum-exps, if they are asked for */
    qkv__exact *sums; /* of the call: (rows, SUMS + width), and one more, which is broken if a rank
                         has failed */
} decoding;

static double part_at(const decoding *d, size_t block, size_t row, size_t t)
{
    const size_t i = (block * d->rows + row) * d->width + t;
    return d->call->compute == QKV_F64 ? ((const double *)d->part)[i]
                                       : (double)((const float *)d->part)[i];
}

static qkv_status make_memory(decoding *d, qkv_error *error)
{
    const qkv__mpi_call *call = d->call;
    const size_t *query = call->query.shape;
    const size_t size = qkv__type_size(call->compute);
    const size_t local = call->key.shape[QKV__AXIS_LENGTH];
    d->blocks = local / call->keys.block + (local % call->keys.block != 0);
    d->rows = query[0] * query[1] * query[2];
    d->width = call->value.shape[QKV__AXIS_WIDTH];
    d->part = qkv__allocate(d->blocks * d->rows * d->width * size + 1);
    d->level = qkv__allocate((2 * d->blocks * d->rows + 1) * sizeof(double));
    d->exact = qkv__allocate((d->blocks * d->rows + 1) * sizeof(double));
    d->sums = call->sums; /* there in any case: a rank that fails must say so */
    for (size_t i = 0; i <= d->rows * (SUMS + d->width); i++) d->sums[i] = qkv__exact_zero();
    if (d->part == NULL || d->level == NULL || d->exact == NULL)
        return qkv__fail_memory(error, d->blocks * d->rows * (d->width * size + sizeof(double)));
    return QKV_OK;
}

static void free_memory(decoding *d)
{
    qkv__free(d->part);
    qkv__free(d->level);
    qkv__free(d->exact);
}

/* ---- Blocks --------------------------------------------------------------------------------- */

/* Where own block i lies in the sequence. */
static size_t block_first(const decoding *d, size_t i)
{
    const qkv__order *keys = &d->call->keys;
    qkv__run shard[QKV__RUNS];
    if (keys->layout == QKV_MPI_CYCLIC) return (i * keys->ranks + d->call->rank) * keys->block;
    qkv__order_shard_runs(keys, d->call->rank, shard);
    const size_t local = i * keys->block;
    return local < shard[0].rows ? shard[0].first + local : shard[1].first + local - shard[0].rows;
}

static size_t block_rows(const decoding *d, size_t i)
{
    const size_t left = d->call->key.shape[QKV__AXIS_LENGTH] - i * d->call->keys.block;
    return left < d->call->keys.block ? left : d->call->keys.block;
}

/* Whether every query sees the whole of a full block, with nothing to be known of positions: such
 * blocks can be computed as one batch. */
static bool is_plain(const decoding *d, size_t i)
{
    const qkv__mpi_call *call = d->call;
    const qkv_attention_options *o = &call->options;
    const size_t block = call->keys.block, first = block_first(d, i);
    if (call->query.shape[0] != 1 || block_rows(d, i) < block || o->alibi_slopes != NULL ||
        call->key_lengths != NULL || call->mask.rank > 0 || o->window)
        return false;
    return !o->causal || (ptrdiff_t)(first + block) <= call->offset + 1;
}

/* Own blocks i to i + count - 1, which are plain, or just one. */
static qkv_status compute(const decoding *d, size_t i, size_t count, qkv_error *error)
{
    const qkv__mpi_call *call = d->call;
    const size_t block = call->keys.block, rows = block_rows(d, i), first = block_first(d, i);
    qkv_view query = call->query, key = qkv__mpi_rows(&call->key, i * block, rows),
             value = qkv__mpi_rows(&call->value, i * block, rows);
    qkv_attention_options piece = qkv__mpi_piece(call, 0, query.shape[2], 0, first, rows);
    const size_t batch = count > 1 ? count : query.shape[0];
    const size_t shape[4] = {batch, query.shape[1], query.shape[2], d->width};
    if (count > 1) { /* the batch is 1: blocks take its place */
        piece.causal = false;
        query.shape[0] = key.shape[0] = value.shape[0] = count;
        query.stride[0] = 0;
        key.stride[0] = (ptrdiff_t)block * key.stride[QKV__AXIS_LENGTH];
        value.stride[0] = (ptrdiff_t)block * value.stride[QKV__AXIS_LENGTH];
    }
    unsigned char *part =
        (unsigned char *)d->part + i * d->rows * d->width * qkv__type_size(call->compute);
    const qkv_view output = qkv_view_dense(call->compute, part, 4, shape);
    const size_t pair[4] = {batch, query.shape[1], query.shape[2], 2};
    const qkv_view level = qkv_view_dense(QKV_F64, d->level + 2 * i * d->rows, 4, pair);
    if (call->log_sum_exp.rank > 0)
        piece.log_sum_exp = qkv_view_dense(QKV_F64, d->exact + i * d->rows, 3, shape);
    return qkv__attention_part(&query, &key, &value, &output, &level, call->output.type, &piece,
                               error);
}

static qkv_status compute_blocks(const decoding *d, qkv_error *error)
{
    for (size_t i = 0; i < d->blocks;) {
        size_t count = 0;
        while (i + count < d->blocks && is_plain(d, i + count)) count++;
        if (count == 0) count = 1;
        const qkv_status status = compute(d, i, count, error);
        if (status != QKV_OK) return status;
        i += count;
    }
    return QKV_OK;
}

/* ---- Sums ----------------------------------------------------------------------------------- */

static void add_block(const decoding *d, size_t block, size_t row)
{
    const double *level = d->level + 2 * (block * d->rows + row);
    qkv__exact *sums = d->sums + row * (SUMS + d->width);
    if (level[1] == 0.0) return; /* none of its keys is seen */
    qkv__exact_weight weight = qkv__exact_exp(level[0]);
    weight.weight *= level[1];
    qkv__exact_add(&sums[WEIGHTS], weight, 1.0);
    for (size_t t = 0; t < d->width; t++)
        qkv__exact_add(&sums[SUMS + t], weight, part_at(d, block, row, t));
    if (d->call->log_sum_exp.rank > 0)
        qkv__exact_add(&sums[EXACT], qkv__exact_exp(d->exact[block * d->rows + row]), 1.0);
}

static void add_blocks(const decoding *d)
{
    for (size_t row = 0; row < d->rows; row++)
        for (size_t b = 0; b < d->blocks; b++) add_block(d, b, row);
}

static void finish_row(const decoding *d, size_t row, double *output, double *level)
{
    const size_t queries = d->call->query.shape[2], heads = d->call->query.shape[1];
    const double *sinks = d->call->sinks;
    const double sink = sinks == NULL ? -INFINITY : sinks[row / queries % heads];
    qkv__exact *sums = d->sums + row * (SUMS + d->width);
    for (int i = WEIGHTS; i <= EXACT && sink != -INFINITY; i++)
        qkv__exact_add(&sums[i], qkv__exact_exp(sink), 1.0);
    *level = qkv__exact_log(&sums[EXACT]);
    for (size_t t = 0; t < d->width; t++)
        output[t] = qkv__exact_is_zero(&sums[WEIGHTS])
                        ? 0.0
                        : qkv__exact_ratio(&sums[SUMS + t], &sums[WEIGHTS]);
}

static qkv_status finish(const decoding *d, qkv_error *error)
{
    const qkv__mpi_call *call = d->call;
    double *output = qkv__allocate((d->rows * d->width + 1) * sizeof(double));
    double *level = qkv__allocate((d->rows + 1) * sizeof(double));
    qkv_status status = QKV_OK;
    if (output == NULL || level == NULL)
        status = qkv__fail_memory(error, d->rows * d->width * sizeof(double));
    for (size_t row = 0; row < d->rows && status == QKV_OK; row++)
        finish_row(d, row, output + row * d->width, &level[row]);
    if (status == QKV_OK) {
        const qkv_view from = qkv_view_dense(QKV_F64, output, 4, call->output.shape);
        status = qkv_view_copy(&from, &call->output, error);
    }
    if (status == QKV_OK && call->log_sum_exp.rank > 0) {
        const qkv_view from = qkv_view_dense(QKV_F64, level, 3, call->log_sum_exp.shape);
        status = qkv_view_copy(&from, &call->log_sum_exp, error);
    }
    qkv__free(output);
    qkv__free(level);
    return status;
}

/* computed: how this rank's blocks went. */
static qkv_status reduce(const decoding *d, qkv_status computed, qkv_error *error)
{
    const size_t count = d->rows * (SUMS + d->width);
    if (computed != QKV_OK) qkv__exact_add(&d->sums[count], qkv__exact_exp(0.0), NAN);
    const qkv_status status = qkv__exact_reduce(d->call->comm, d->sums, count + 1, error);
    if (status != QKV_OK || !qkv__exact_is_broken(&d->sums[count])) return status;
    return qkv__mpi_agree(d->call->comm, (int)d->call->ranks, computed, error);
}

qkv_status qkv_mpi_decode(MPI_Comm comm, const qkv_view *query, const qkv_view *key,
                          const qkv_view *value, const qkv_view *output,
                          const qkv_attention_options *attention, const qkv_mpi_options *options,
                          qkv_error *error)
{
    qkv__mpi_call call;
    decoding d = {.call = &call};
    qkv_error own;
    if (error == NULL) error = &own;
    qkv_status status = qkv__mpi_call_make(QKV__MPI_DECODE, comm, query, key, value, output,
                                           attention, options, &call, error);
    if (status == QKV_OK) {
        status = make_memory(&d, error);
        if (status != QKV_OK) d.blocks = 0;
        if (status == QKV_OK) status = compute_blocks(&d, error);
        if (status == QKV_OK) add_blocks(&d);
        status = reduce(&d, status, error);
    }
    if (status == QKV_OK) status = finish(&d, error);
    free_memory(&d);
    qkv__mpi_call_free(&call);
    return status;
}
