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
    /* Of sums. */
    size_t inequalities, terms;
    size_t origin, coefficient, inequality, event_start, term_row, sum;
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

/* Event number `events` is the condition; without one it has no inequalities, and always holds. */
static qkv_lab_conditions event_of(const qkv_lab_tables *t, size_t event)
{
    if (event < t->events) return t->event[event];
    return t->given != NULL ? *t->given : (qkv_lab_conditions){0, NULL};
}

/* Rows of sums: whether a sample counts, events, centred quantities. */
static size_t place_sums(const qkv_lab_tables *t, size_t rows, layout *l)
{
    for (size_t e = 0; e <= t->events; e++) {
        const qkv_lab_conditions event = event_of(t, e);
        l->inequalities += event.count;
        for (size_t i = 0; i < event.count; i++) l->terms += event.inequalities[i].terms;
    }
    l->call.accepted_row = (int32_t)rows;
    l->call.event_row = (int32_t)rows + 1;
    l->call.centred_row = (int32_t)(rows + 1 + t->events);
    l->call.events = (int32_t)t->events;
    l->call.sums = (int32_t)t->sums;
    return rows + 1 + t->events + t->quantities;
}

static void take_sums(const qkv_lab_tables *t, layout *l)
{
    l->origin = take(&l->bytes, t->quantities * sizeof(double));
    l->coefficient = take(&l->bytes, l->terms * sizeof(double));
    l->inequality = take(&l->bytes, l->inequalities * sizeof(qkv__cuda_lab_inequality));
    l->event_start = take(&l->bytes, (t->events + 2) * sizeof(uint32_t));
    l->term_row = take(&l->bytes, l->terms * sizeof(uint32_t));
    l->sum = take(&l->bytes, t->sums * sizeof(qkv__cuda_lab_sum));
}

static qkv_status lay_out(const qkv_lab_tables *t, bool sums, layout *l, qkv_error *error)
{
    const qkv_status status = check(t, error);
    if (status != QKV_OK) return status;
    if (sums && t->counted)
        return qkv__fail(
            error, QKV_ERROR_UNSUPPORTED,
            "a quantity has a histogram or quantiles; on a CUDA device expected neither");
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
        l->numbers < INT_MAX && l->factors < INT_MAX && t->events < limit) {
        rows = place_rows(t, l) + derived;
        if (sums) rows = place_sums(t, rows, l);
    }
    const size_t columns = sums ? t->sums : 0; /* eight of each */
    if (rows > limit || columns > ROOM / sizeof(double) / 8 || l->terms >= INT_MAX ||
        rows * (THREADS_AT_LEAST + 1) + 8 * columns > ROOM / sizeof(double))
        return qkv__fail(
            error, QKV_ERROR_UNSUPPORTED,
            "a sample takes more than %zu numbers at a time; on a CUDA device expected "
            "fewer keys, heads or quantities",
            limit);
    int threads = THREADS_AT_MOST;
    while (threads > THREADS_AT_LEAST &&
           ((size_t)(threads + 1) * rows + 8 * columns) * sizeof(double) > ROOM_WISHED)
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
    if (sums) take_sums(t, l);
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

static void write_events(const qkv_lab_tables *t, const layout *l,
                         const qkv__cuda_lab_quantity *quantity, unsigned char *to)
{
    double *coefficient = (double *)(void *)(to + l->coefficient);
    qkv__cuda_lab_inequality *inequality = (void *)(to + l->inequality);
    uint32_t *start = (void *)(to + l->event_start), *row = (void *)(to + l->term_row);
    uint32_t used = 0, terms = 0;
    for (size_t e = 0; e <= t->events; e++) {
        const qkv_lab_conditions event = event_of(t, e);
        start[e] = used;
        for (size_t i = 0; i < event.count; i++) {
            const qkv_lab_condition *from = &event.inequalities[i];
            inequality[used++] = (qkv__cuda_lab_inequality){.bound = from->bound,
                                                            .start = (int32_t)terms,
                                                            .end = (int32_t)(terms + from->terms),
                                                            .strict = from->strict};
            for (size_t n = 0; n < from->terms; n++, terms++) {
                coefficient[terms] = from->coefficient[n];
                row[terms] = (uint32_t)quantity[from->quantity[n]].row;
            }
        }
    }
    start[t->events + 1] = used;
}

/* In the order of lab/sample.h. */
static void write_sums(const qkv_lab_tables *t, const layout *l, unsigned char *to)
{
    const qkv__cuda_lab_quantity *quantity = (const void *)(to + l->quantity);
    const int32_t centred = l->call.centred_row, count = (int32_t)t->quantities;
    qkv__cuda_lab_sum *sum = (void *)(to + l->sum);
    write_events(t, l, quantity, to);
    memcpy(to + l->origin, t->origin, t->quantities * sizeof(double));
    *sum++ = (qkv__cuda_lab_sum){QKV__CUDA_LAB_ADD, l->call.accepted_row, 0};
    for (int32_t e = 0; e < l->call.events; e++)
        *sum++ = (qkv__cuda_lab_sum){QKV__CUDA_LAB_ADD, l->call.event_row + e, 0};
    for (int32_t q = 0; q < count; q++)
        *sum++ = (qkv__cuda_lab_sum){QKV__CUDA_LAB_ADD, centred + q, 0};
    for (int32_t q = 0; q < count; q++)
        *sum++ = (qkv__cuda_lab_sum){QKV__CUDA_LAB_LEAST, quantity[q].row, 0};
    for (int32_t q = 0; q < count; q++)
        *sum++ = (qkv__cuda_lab_sum){QKV__CUDA_LAB_GREATEST, quantity[q].row, 0};
    for (int32_t j = 0; j < count; j++)
        for (int32_t k = j; k < (t->covariance ? count : j + 1); k++)
            *sum++ = (qkv__cuda_lab_sum){QKV__CUDA_LAB_PRODUCT, centred + j, centred + k};
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
    if (l->call.sums > 0) write_sums(t, l, to);
}

/* Queues tables and kernel. */
static qkv_status start(const qkv_lab_tables *tables, layout *l, void *workspace,
                        size_t workspace_bytes, const char *sizes, void *stream, qkv_error *error)
{
    if (workspace == NULL || workspace_bytes < l->bytes || (size_t)workspace % 64 != 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "workspace has %zu bytes at %p; expected %zu at a multiple of 64, see %s",
                         workspace_bytes, workspace, l->bytes, sizes);
    unsigned char *staged = qkv__allocate_zero(l->bytes), *base = workspace;
    if (staged == NULL) return qkv__fail_memory(error, l->bytes);
    write_tables(tables, l, staged);
    qkv__cuda_lab *call = &l->call;
    call->score_mean = (const double *)(void *)(base + l->score_mean);
    call->factor_value = (const double *)(void *)(base + l->factor_value);
    call->values = tables->values == NULL ? NULL : (const double *)(void *)(base + l->values);
    call->numbers = (const double *)(void *)(base + l->number);
    call->factor_start = (const uint32_t *)(void *)(base + l->factor_start);
    call->factor_normal = (const uint32_t *)(void *)(base + l->factor_normal);
    call->quantity = (const void *)(base + l->quantity);
    call->origin = (const void *)(base + l->origin);
    call->coefficient = (const void *)(base + l->coefficient);
    call->inequality = (const void *)(base + l->inequality);
    call->event_start = (const void *)(base + l->event_start);
    call->term_row = (const void *)(base + l->term_row);
    call->sum = (const void *)(base + l->sum);
    const qkv_status status =
        qkv__cuda_lab_launch(call, staged, l->bytes, workspace, stream, error);
    qkv__free(staged);
    return status;
}

qkv_status qkv_cuda_lab_draw_workspace(const qkv_lab_tables *tables, size_t *bytes,
                                       qkv_error *error)
{
    layout l;
    const qkv_status status = lay_out(tables, false, &l, error);
    if (status == QKV_OK && bytes != NULL) *bytes = l.bytes;
    return status;
}

qkv_status qkv_cuda_lab_draw(const qkv_lab_tables *tables, uint64_t first, size_t count,
                             double *rows, void *workspace, size_t workspace_bytes, void *stream,
                             qkv_error *error)
{
    layout l;
    const qkv_status status = lay_out(tables, false, &l, error);
    if (status != QKV_OK || count == 0) return status;
    if (rows == NULL) return qkv__fail(error, QKV_ERROR_ARGUMENT, "rows is NULL");
    if (count > UINT64_MAX - first || count / THREADS_AT_LEAST >= INT_MAX)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%zu samples are too many for one call", count);
    l.call.first = first;
    l.call.count = count;
    l.call.to = rows;
    return start(tables, &l, workspace, workspace_bytes, "qkv_cuda_lab_draw_workspace", stream,
                 error);
}

qkv_status qkv_cuda_lab_sums_workspace(const qkv_lab_tables *tables, size_t *bytes,
                                       qkv_error *error)
{
    layout l;
    const qkv_status status = lay_out(tables, true, &l, error);
    if (status == QKV_OK && bytes != NULL) *bytes = l.bytes;
    return status;
}

qkv_status qkv_cuda_lab_sums(const qkv_lab_tables *tables, uint64_t first, size_t chunks,
                             double *sums, void *workspace, size_t workspace_bytes, void *stream,
                             qkv_error *error)
{
    layout l;
    const qkv_status status = lay_out(tables, true, &l, error);
    if (status != QKV_OK || chunks == 0) return status;
    if (sums == NULL) return qkv__fail(error, QKV_ERROR_ARGUMENT, "sums is NULL");
    if (chunks >= INT_MAX || first > UINT64_MAX / QKV__CUDA_LAB_CHUNK - chunks)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%zu chunks are too many for one call", chunks);
    l.call.first = first * QKV__CUDA_LAB_CHUNK;
    l.call.count = chunks;
    l.call.to = sums;
    return start(tables, &l, workspace, workspace_bytes, "qkv_cuda_lab_sums_workspace", stream,
                 error);
}
