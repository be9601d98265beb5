/*
 * Few queries over keys in shards. Every block of keys gives an output and a log-sum-exp, as for
 * the other calls, but here blocks are summed in whole numbers: with M the largest log-sum-exp of a
 * query over all blocks, w_b = exp(level_b - M) and w_b c_b are rounded to multiples of one small
 * power of two, the same for all ranks, and such sums are exact. So they may be added in any order,
 * by any number of ranks, and an ordinary all-reduce will do.
 */
#include <qkv/mpi.h>

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "mpi/agree.h"
#include "mpi/call.h"

/* What an element that is not finite leaves, joined by "or". */
enum { HIGH = 1, LOW = 2, UNKNOWN = 4 };

typedef struct decoding {
    qkv__mpi_call *call;
    size_t blocks, rows, width; /* own blocks; batch * heads * queries; of values */
    void *part;                 /* (blocks, rows, width), in the compute type */
    double *level;              /* (blocks, rows): log-sum-exps */
    double *largest;            /* 2 x rows: of the levels, and of the magnitudes of outputs; and of
                                   the ranks' statuses */
    int words;                  /* whole numbers per number */
    int digits;                 /* bits of each, so that none overflows when blocks are summed */
    int64_t *sums;         /* (rows, 1 + width, words): of weights, and of outputs; and how many
                              numbers were not finite */
    unsigned char *broken; /* (rows, 1 + width): of the above three, or 0 */
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
    d->words = call->compute == QKV_F64 ? 2 : 1;
    d->digits = 61;
    for (size_t n = call->keys.blocks; n > 0; n /= 2) d->digits--;
    const size_t sums = d->rows * (d->width + 1);
    d->part = qkv__allocate(d->blocks * d->rows * d->width * size + 1);
    d->level = qkv__allocate((d->blocks * d->rows + 1) * sizeof(double));
    d->largest = call->levels; /* there in any case: a rank that fails must say so */
    d->sums = qkv__allocate_zero((sums * (size_t)d->words + 1) * sizeof(int64_t));
    d->broken = qkv__allocate_zero(sums + 1);
    if (d->part == NULL || d->level == NULL || d->sums == NULL || d->broken == NULL)
        return qkv__fail_memory(error, d->blocks * d->rows * (d->width * size + sizeof(double)));
    return QKV_OK;
}

static void free_memory(decoding *d)
{
    qkv__free(d->part);
    qkv__free(d->level);
    qkv__free(d->sums);
    qkv__free(d->broken);
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
    piece.log_sum_exp = qkv_view_dense(QKV_F64, d->level + i * d->rows, 3, shape);
    return qkv_attention(&query, &key, &value, &output, &piece, error);
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

static void find_largest(const decoding *d)
{
    for (size_t row = 0; row < d->rows; row++) {
        double level = -INFINITY, size = 0.0;
        for (size_t b = 0; b < d->blocks; b++) {
            const double here = d->level[b * d->rows + row];
            if (here == -INFINITY) continue;
            level = isnan(here) ? INFINITY : fmax(level, here);
            for (size_t t = 0; t < d->width; t++) {
                const double magnitude = fabs(part_at(d, b, row, t));
                if (isfinite(magnitude)) size = fmax(size, magnitude);
            }
        }
        d->largest[row] = level;
        d->largest[d->rows + row] = size;
    }
}

/* The power of two that numbers of at most this size are multiplied by. */
static int shift_of(const decoding *d, double size)
{
    int exponent = 0;
    frexp(size, &exponent); /* size <= 2^exponent */
    return d->digits - exponent;
}

/* x as whole numbers, joined to the sums. */
static void add_number(const decoding *d, size_t number, double x, int shift)
{
    int64_t *to = d->sums + number * (size_t)d->words;
    if (!isfinite(x)) {
        d->broken[number] |= (unsigned char)(isnan(x) ? UNKNOWN : x > 0 ? HIGH : LOW);
        return;
    }
    const double scaled = ldexp(x, shift), whole = rint(scaled);
    to[0] += (int64_t)whole;
    if (d->words > 1) to[1] += (int64_t)rint(ldexp(scaled - whole, d->digits));
}

static double get_number(const decoding *d, size_t number, int shift)
{
    const int64_t *from = d->sums + number * (size_t)d->words;
    double x = ldexp((double)from[0], -shift);
    if (d->words > 1) x += ldexp((double)from[1], -shift - d->digits);
    const unsigned broken = d->broken[number];
    return broken == 0 ? x : broken == HIGH ? INFINITY : broken == LOW ? -INFINITY : NAN;
}

static void add_blocks(const decoding *d)
{
    for (size_t row = 0; row < d->rows; row++) {
        const double top = d->largest[row];
        const int shift = shift_of(d, d->largest[d->rows + row]);
        const size_t number = row * (d->width + 1);
        for (size_t b = 0; b < d->blocks; b++) {
            const double level = d->level[b * d->rows + row];
            if (level == -INFINITY) continue;
            const double weight = exp(level - top); /* NaN if top is infinite */
            add_number(d, number, weight, shift_of(d, 1.0));
            for (size_t t = 0; t < d->width; t++)
                add_number(d, number + 1 + t, weight * part_at(d, b, row, t), shift);
        }
    }
}

static void finish_row(const decoding *d, size_t row, double *output, double *level)
{
    const size_t queries = d->call->query.shape[2], heads = d->call->query.shape[1];
    const double *sinks = d->call->sinks;
    const double sink = sinks == NULL ? -INFINITY : sinks[row / queries % heads];
    const size_t number = row * (d->width + 1);
    const double high = d->largest[row], top = sink > high ? sink : high;
    const int shift = shift_of(d, d->largest[d->rows + row]);
    const double factor = sink == -INFINITY ? 1.0 : exp(high - top);
    double whole = high == -INFINITY ? 0.0 : get_number(d, number, shift_of(d, 1.0)) * factor;
    if (sink != -INFINITY) whole += exp(sink - top);
    *level = whole == 0.0 ? -INFINITY : top + log(whole);
    for (size_t t = 0; t < d->width; t++)
        output[t] = high == -INFINITY ? 0.0 : get_number(d, number + 1 + t, shift) * factor / whole;
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
    const MPI_Comm comm = d->call->comm;
    const size_t sums = d->rows * (d->width + 1), words = sums * (size_t)d->words;
    find_largest(d);
    d->largest[2 * d->rows] = (double)computed;
    int code =
        MPI_Allreduce(MPI_IN_PLACE, d->largest, (int)(2 * d->rows + 1), MPI_DOUBLE, MPI_MAX, comm);
    if (code == MPI_SUCCESS && d->largest[2 * d->rows] != 0.0)
        return qkv__mpi_agree(comm, (int)d->call->ranks, computed, error);
    if (code == MPI_SUCCESS) {
        add_blocks(d);
        for (size_t i = 0; i < sums; i++) d->sums[words] += d->broken[i] != 0;
        code = MPI_Allreduce(MPI_IN_PLACE, d->sums, (int)(words + 1), MPI_INT64_T, MPI_SUM, comm);
    }
    if (code == MPI_SUCCESS && d->sums[words] > 0)
        code = MPI_Allreduce(MPI_IN_PLACE, d->broken, (int)sums, MPI_UNSIGNED_CHAR, MPI_BOR, comm);
    return qkv__mpi_check(code, "add up over the ranks", error);
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
        status = reduce(&d, status, error);
    }
    if (status == QKV_OK) status = finish(&d, error);
    free_memory(&d);
    qkv__mpi_call_free(&call);
    return status;
}
