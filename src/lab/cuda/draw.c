/* Samples of the lab on a CUDA device: checks, rows, tables. Knows no header of CUDA's. */
#include <qkv/cuda.h>

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "lab/cuda/draw.h"

enum {
    THREADS_AT_MOST = 128,
    THREADS_AT_LEAST = 32,
    ROOM = 200 * 1024, /* bytes of rows in a block; a multiprocessor has 227 KB */
    ROOM_WISHED = 48 * 1024,
};

typedef struct layout {
    qkv__cuda_lab call;
    size_t scores, factors, numbers;
    /* Offsets of the tables in bytes; doubles first. */
    size_t score_mean, factor_value, values, number, factor_start, factor_normal, quantity, bytes;
} layout;

static size_t take(size_t *bytes, size_t count)
{
    const size_t offset = *bytes;
    *bytes += (count + 7) / 8 * 8;
    return offset;
}

static bool is_derived(qkv_lab_kind kind)
{
    return kind == QKV_LAB_ERROR || kind == QKV_LAB_COMBINATION || kind == QKV_LAB_PRODUCT;
}

static size_t numbers_of(const qkv_lab_tables *t, size_t q)
{
    const qkv_lab_kind kind = t->quantity[q].kind;
    return kind == QKV_LAB_ERROR ? t->outputs : kind == QKV_LAB_COMBINATION ? q : 0;
}

/* What must be computed, as on the CPU: lab/plan.c. */
static void note_needs(const qkv_lab_tables *t, qkv__cuda_lab *call, bool *scores)
{
    for (size_t q = 0; q < t->quantities; q++) {
        const qkv_lab_quantity *quantity = &t->quantity[q];
        const bool output = quantity->kind == QKV_LAB_OUTPUT || quantity->kind == QKV_LAB_ERROR;
        const bool mean = quantity->kind == QKV_LAB_WEIGHT && quantity->head == QKV_LAB_ALL_HEADS;
        *scores |= quantity->kind == QKV_LAB_SCORE;
        call->needs_weights |= quantity->kind == QKV_LAB_WEIGHT && !mean;
        call->needs_output |= output;
        call->needs_mean |= output || mean;
    }
}

/* Rows one behind the other: normal numbers, scores, weights, mean, outputs, shares, derived. */
static size_t place_rows(const qkv_lab_tables *t, layout *l)
{
    qkv__cuda_lab *call = &l->call;
    bool scores = false;
    note_needs(t, call, &scores);
    size_t rows = (t->normals + 1) / 2 * 2;
    call->score_row = (int32_t)rows;
    rows += l->scores;
    call->weight_row = scores ? (int32_t)rows : call->score_row;
    if (scores) rows += l->scores;
    call->mean_row = call->weight_row;
    if (call->needs_mean && t->heads > 1) {
        call->mean_row = (int32_t)rows;
        rows += t->keys;
    }
    call->output_row = call->mean_row;
    if (call->needs_output && t->values != NULL) {
        call->output_row = (int32_t)rows;
        rows += t->outputs;
    }
    call->share_row = (int32_t)rows;
    return rows + t->heads;
}

static qkv_status check(const qkv_lab_tables *t, qkv_error *error)
{
    if (t == NULL) return qkv__fail(error, QKV_ERROR_ARGUMENT, "tables is NULL");
    if (t->struct_size != sizeof *t)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "tables.struct_size is %zu; expected what qkv_lab_sampler_tables() gives",
                         t->struct_size);
    if (t->full_keys)
        return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                         "full keys are not drawn on a CUDA device; expected scores alone");
    return QKV_OK;
}

static qkv_status lay_out(const qkv_lab_tables *t, layout *l, qkv_error *error)
{
    const qkv_status status = check(t, error);
    if (status != QKV_OK) return status;
    *l = (layout){.scores = t->heads * t->keys};
    qkv__cuda_lab *call = &l->call;
    l->factors = t->factor_start[l->scores];
    size_t derived = 0;
    for (size_t q = 0; q < t->quantities; q++) {
        l->numbers += numbers_of(t, q);
        derived += is_derived(t->quantity[q].kind);
    }
    const size_t limit = ROOM / THREADS_AT_LEAST / sizeof(double) - 1;
    size_t rows = limit + 1;
    if (l->scores < limit && t->normals < limit && t->outputs < limit && t->quantities < limit &&
        l->numbers < INT_MAX && l->factors < INT_MAX)
        rows = place_rows(t, l) + derived;
    if (rows > limit)
        return qkv__fail(
            error, QKV_ERROR_UNSUPPORTED,
            "a sample takes more than %zu numbers at a time; on a CUDA device expected "
            "fewer keys, heads or quantities",
            limit);
    int threads = THREADS_AT_MOST;
    while (threads > THREADS_AT_LEAST &&
           (size_t)(threads + 1) * rows * sizeof(double) > ROOM_WISHED)
        threads /= 2;
    call->seed = t->seed;
    call->keys = (int32_t)t->keys;
    call->heads = (int32_t)t->heads;
    call->outputs = (int32_t)t->outputs;
    call->pairs = (int32_t)((t->normals + 1) / 2);
    call->quantities = (int32_t)t->quantities;
    call->rows = (int32_t)rows;
    call->threads = threads;
    call->divider = (uint32_t)(((UINT64_C(1) << 32) + t->quantities - 1) / t->quantities);
    l->score_mean = take(&l->bytes, l->scores * sizeof(double));
    l->factor_value = take(&l->bytes, l->factors * sizeof(double));
    l->values = take(&l->bytes, t->values == NULL ? 0 : t->keys * t->outputs * sizeof(double));
    l->number = take(&l->bytes, l->numbers * sizeof(double));
    l->factor_start = take(&l->bytes, (l->scores + 1) * sizeof(uint32_t));
    l->factor_normal = take(&l->bytes, l->factors * sizeof(uint32_t));
    l->quantity = take(&l->bytes, t->quantities * sizeof(qkv__cuda_lab_quantity));
    return QKV_OK;
}

/* The row of a quantity that is not derived; lab/plan.c has the same for the CPU. */
static int32_t row_of(const qkv_lab_tables *t, const qkv__cuda_lab *call, size_t q)
{
    const qkv_lab_quantity *quantity = &t->quantity[q];
    const int32_t index = (int32_t)quantity->index;
    if (quantity->kind == QKV_LAB_OUTPUT) return call->output_row + index;
    if (quantity->kind == QKV_LAB_WEIGHT && quantity->head == QKV_LAB_ALL_HEADS)
        return call->mean_row + index;
    const int32_t score = (int32_t)(quantity->head * t->keys) + index;
    return (quantity->kind == QKV_LAB_WEIGHT ? call->weight_row : call->score_row) + score;
}

static void write_quantities(const qkv_lab_tables *t, const layout *l, double *numbers,
                             qkv__cuda_lab_quantity *to)
{
    int32_t derived = l->call.share_row + l->call.heads, used = 0;
    for (size_t q = 0; q < t->quantities; q++) {
        const qkv_lab_quantity *from = &t->quantity[q];
        const size_t count = numbers_of(t, q);
        to[q] = (qkv__cuda_lab_quantity){
            .kind = (int32_t)from->kind, .numbers = used, .count = (int32_t)count};
        to[q].row = is_derived(from->kind) ? derived++ : row_of(t, &l->call, q);
        if (from->kind == QKV_LAB_PRODUCT) {
            to[q].index = to[from->index].row;
            to[q].other = to[from->other].row;
        }
        memcpy(numbers + used, from->numbers, count * sizeof *numbers);
        used += (int32_t)count;
    }
}

/* The tables as they will lie in the workspace. */
static void write_tables(const qkv_lab_tables *t, const layout *l, unsigned char *to)
{
    uint32_t *start = (uint32_t *)(void *)(to + l->factor_start);
    uint32_t *normal = (uint32_t *)(void *)(to + l->factor_normal);
    memcpy(to + l->score_mean, t->score_mean, l->scores * sizeof(double));
    memcpy(to + l->factor_value, t->factor_value, l->factors * sizeof(double));
    if (t->values != NULL) memcpy(to + l->values, t->values, t->keys * t->outputs * sizeof(double));
    for (size_t s = 0; s <= l->scores; s++) start[s] = (uint32_t)t->factor_start[s];
    for (size_t f = 0; f < l->factors; f++) normal[f] = (uint32_t)t->factor_normal[f];
    write_quantities(t, l, (double *)(void *)(to + l->number),
                     (qkv__cuda_lab_quantity *)(void *)(to + l->quantity));
}

qkv_status qkv_cuda_lab_draw_workspace(const qkv_lab_tables *tables, size_t *bytes,
                                       qkv_error *error)
{
    layout l;
    const qkv_status status = lay_out(tables, &l, error);
    if (status == QKV_OK && bytes != NULL) *bytes = l.bytes;
    return status;
}

qkv_status qkv_cuda_lab_draw(const qkv_lab_tables *tables, uint64_t first, size_t count,
                             double *rows, void *workspace, size_t workspace_bytes, void *stream,
                             qkv_error *error)
{
    layout l;
    qkv_status status = lay_out(tables, &l, error);
    if (status != QKV_OK || count == 0) return status;
    if (rows == NULL) return qkv__fail(error, QKV_ERROR_ARGUMENT, "rows is NULL");
    if (count > UINT64_MAX - first || count / THREADS_AT_LEAST >= INT_MAX)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%zu samples are too many for one call", count);
    if (workspace == NULL || workspace_bytes < l.bytes || (size_t)workspace % 64 != 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "workspace has %zu bytes at %p; expected %zu at a multiple of 64, see "
                         "qkv_cuda_lab_draw_workspace",
                         workspace_bytes, workspace, l.bytes);
    unsigned char *staged = qkv__allocate_zero(l.bytes), *base = workspace;
    if (staged == NULL) return qkv__fail_memory(error, l.bytes);
    write_tables(tables, &l, staged);
    l.call.first = first;
    l.call.count = count;
    l.call.score_mean = (const double *)(void *)(base + l.score_mean);
    l.call.factor_value = (const double *)(void *)(base + l.factor_value);
    l.call.values = tables->values == NULL ? NULL : (const double *)(void *)(base + l.values);
    l.call.numbers = (const double *)(void *)(base + l.number);
    l.call.factor_start = (const uint32_t *)(void *)(base + l.factor_start);
    l.call.factor_normal = (const uint32_t *)(void *)(base + l.factor_normal);
    l.call.quantity = (const qkv__cuda_lab_quantity *)(void *)(base + l.quantity);
    l.call.to = rows;
    status = qkv__cuda_lab_launch(&l.call, staged, l.bytes, workspace, stream, error);
    qkv__free(staged);
    return status;
}
