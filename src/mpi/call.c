/* From the views of one rank to a call that all ranks have checked. Knows no schedule. */
#include "mpi/call.h"

#include <math.h>
#include <string.h>

#include "attention/problem.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/view.h"
#include "mpi/agree.h"
#include "mpi/device.h"

/* ---- This rank ----------------------------------------------------------------------------- */

static qkv_status refuse_options(const qkv_attention_options *o, qkv_error *error)
{
    const struct {
        bool given;
        const char *name;
    } refused[] = {
        {o->sequences > 0, "sequences"},
        {o->page_columns > 0, "page_table"},
        {o->dropout != 0.0, "dropout"},
        {o->entropy.rank > 0, "entropy"},
        {o->scores_raw.rank > 0, "scores_raw"},
        {o->scores_capped.rank > 0, "scores_capped"},
        {o->scores_masked.rank > 0, "scores_masked"},
        {o->weights.rank > 0, "weights"},
        {o->key_scales.rank > 0, "key_scales"},
        {o->value_scales.rank > 0, "value_scales"},
        {o->mask_gradient.rank > 0, "mask_gradient"},
        {o->alibi_slopes_gradient != NULL, "alibi_slopes_gradient"},
        {o->sinks_gradient != NULL, "sinks_gradient"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (refused[i].given)
            return qkv__fail(error, QKV_ERROR_UNSUPPORTED, "%s is not supported over MPI",
                             refused[i].name);
    return QKV_OK;
}

/* Types, shapes and numbers, as the operator checks them; positions come later. */
static qkv_status check_views(const qkv_view *const views[4], qkv__mpi_call *call, qkv_error *error)
{
    qkv__problem problem;
    qkv_attention_options local = call->options;
    if (local.alignment == QKV_ALIGN_UNSET) local.alignment = QKV_ALIGN_TOP_LEFT;
    local.key_lengths = NULL; /* of the whole sequence */
    local.mask = (qkv_view){0};
    local.given_output = local.given_log_sum_exp = (qkv_view){0};
    qkv_status status = qkv__problem_make(
        views[0], views[1], views[2], views[3],
        call->kind == QKV__MPI_GRADIENT ? QKV__GRADIENT : QKV__FORWARD, &local, &problem, error);
    if (status != QKV_OK) return status;
    for (int i = 1; i < 3; i++)
        if (views[i]->type == QKV_I8 || views[i]->type == QKV_E4M3)
            return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                             "%s has type %s; over MPI expected f64, f32, f16 or bf16",
                             i == 1 ? "key" : "value", qkv_type_name(views[i]->type));
    call->compute = problem.compute;
    call->query = problem.query;
    call->key = problem.key;
    call->value = problem.value;
    call->output = problem.output;
    call->log_sum_exp = problem.options.log_sum_exp;
    return QKV_OK;
}

/* The mask of this rank's queries; its last axis, all keys, is looked at when their number is
 * known.
 */
static qkv_status check_mask(const qkv_view *mask, qkv__mpi_call *call, qkv_error *error)
{
    if (mask->rank == 0) return QKV_OK;
    qkv_status status = qkv__view_check(mask, "mask", error);
    if (status != QKV_OK) return status;
    if (mask->rank > 4 || (mask->type != QKV_BOOL && !qkv__type_is_float(mask->type)))
        return qkv__fail(
            error, QKV_ERROR_TYPE,
            "mask has %d axes and type %s; expected at most 4, and bool, f64, f32, f16 "
            "or bf16",
            mask->rank, qkv_type_name(mask->type));
    call->mask = qkv__view_promote(mask, 4);
    for (int axis = 0; axis < 3; axis++) {
        const size_t size = call->query.shape[axis];
        if (call->mask.shape[axis] != size && call->mask.shape[axis] != 1)
            return qkv__fail(
                error, QKV_ERROR_SHAPE,
                "mask has shape %s; over MPI expected it to broadcast to (batch, heads, "
                "this rank's queries, all keys), with %zu on axis %d",
                qkv__shape_format(mask->rank, mask->shape).text, size, axis);
        if (call->mask.shape[axis] == 1) call->mask.stride[axis] = 0;
        call->mask.shape[axis] = size;
    }
    return QKV_OK;
}

static qkv_status check_given(const qkv_view *view, const char *name, int rank, qkv__mpi_call *call,
                              qkv_view *taken, qkv_error *error)
{
    if (view->rank == 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s is not set; over MPI the gradient needs it",
                         name);
    const qkv_view full = qkv__view_promote(view, rank);
    if (full.rank != rank ||
        memcmp(full.shape, call->output.shape, (size_t)rank * sizeof(size_t)) != 0)
        return qkv__fail(error, QKV_ERROR_SHAPE, "%s does not have the shape of output_gradient%s",
                         name, rank == 3 ? " without the width" : "");
    *taken = full;
    return QKV_OK;
}

static qkv_status check_memory(const qkv__mpi_call *call, qkv_error *error)
{
    const struct {
        const qkv_view *view;
        const char *name;
    } all[] = {
        {&call->query, "query"},
        {&call->key, "key"},
        {&call->value, "value"},
        {&call->output, call->kind == QKV__MPI_GRADIENT ? "output_gradient" : "output"},
        {&call->mask, "mask"},
        {&call->log_sum_exp, "log_sum_exp"},
        {&call->given_output, "given_output"},
        {&call->given_log_sum_exp, "given_log_sum_exp"},
    };
    qkv_status status = QKV_OK;
    for (size_t i = 0; i < sizeof all / sizeof all[0] && status == QKV_OK; i++)
        status = qkv__mpi_check_host(all[i].view, all[i].name, error);
    return status;
}

static qkv_status check_local(const qkv_view *const views[4], qkv__mpi_call *call, qkv_error *error)
{
    qkv_attention_options *o = &call->options;
    qkv_status status = refuse_options(o, error);
    if (status == QKV_OK) status = check_views(views, call, error);
    if (status == QKV_OK) status = check_mask(&o->mask, call, error);
    if (status == QKV_OK && call->kind == QKV__MPI_GRADIENT)
        status = check_given(&o->given_output, "given_output", 4, call, &call->given_output, error);
    if (status == QKV_OK && call->kind == QKV__MPI_GRADIENT)
        status = check_given(&o->given_log_sum_exp, "given_log_sum_exp", 3, call,
                             &call->given_log_sum_exp, error);
    if (status == QKV_OK) status = check_memory(call, error);
    if (status == QKV_OK && call->kind == QKV__MPI_DECODE) {
        const size_t *shape = call->query.shape;
        const size_t width = call->value.shape[QKV__AXIS_WIDTH];
        const size_t bytes =
            (shape[0] * shape[1] * shape[2] * (width + 2) + 1) * sizeof(qkv__exact);
        call->sums = qkv__allocate(bytes);
        if (call->sums == NULL) return qkv__fail_memory(error, bytes);
    }
    if (status != QKV_OK || o->key_lengths == NULL) return status;
    const size_t bytes = call->query.shape[QKV__AXIS_BATCH] * sizeof(size_t);
    call->key_lengths = o->key_lengths;
    call->piece_lengths = qkv__allocate(bytes > 0 ? bytes : 1);
    return call->piece_lengths == NULL ? qkv__fail_memory(error, bytes) : QKV_OK;
}

/* ---- All ranks ------------------------------------------------------------------------------ */

/* What each rank tells the others. All but the lengths must be equal. */
enum {
    TELL_STATUS, /* QKV_OK, or no rank goes on */
    TELL_CALL,
    TELL_QUERY_TYPE,
    TELL_KEY_TYPE,
    TELL_VALUE_TYPE,
    TELL_OUTPUT_TYPE,
    TELL_MASK_TYPE,
    TELL_MASK_KEYS,
    TELL_BATCH,
    TELL_HEADS,
    TELL_KV_HEADS,
    TELL_WIDTH,
    TELL_VALUE_WIDTH,
    TELL_LAYOUT,
    TELL_BLOCK,
    TELL_OPTIONS,
    TELL_QUERIES,
    TELL_KEYS,
    TELL_COUNT
};

static const char *const told[TELL_COUNT] = {
    "the status",
    "the call (attention, gradient or decoding)",
    "the type of query",
    "the type of key",
    "the type of value",
    "the type of output",
    "the type of mask",
    "the last axis of mask",
    "the batch",
    "the number of heads",
    "the number of key heads",
    "the width",
    "the width of value",
    "options.layout",
    "options.block",
    "the options of attention (their digest)",
    "the rows of query",
    "the rows of key",
};

/* FNV-1a. */
static uint64_t digest(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t digest_options(const qkv__mpi_call *call)
{
    const qkv_attention_options *o = &call->options;
    const size_t heads = call->query.shape[QKV__AXIS_HEADS];
    const int64_t numbers[] = {o->causal,
                               (int64_t)o->alignment,
                               (int64_t)o->query_offset,
                               o->window,
                               (int64_t)o->window_left,
                               (int64_t)o->window_right,
                               o->alibi_slopes != NULL,
                               o->sinks != NULL,
                               o->key_lengths != NULL};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    hash = digest(hash, numbers, sizeof numbers);
    hash = digest(hash, &o->scale, sizeof o->scale);
    hash = digest(hash, &o->softcap, sizeof o->softcap);
    if (o->alibi_slopes != NULL) hash = digest(hash, o->alibi_slopes, heads * sizeof(double));
    if (o->sinks != NULL) hash = digest(hash, o->sinks, heads * sizeof(double));
    if (o->key_lengths != NULL)
        hash = digest(hash, o->key_lengths, call->query.shape[QKV__AXIS_BATCH] * sizeof(size_t));
    return hash;
}

static void tell(const qkv__mpi_call *call, const qkv_mpi_options *options, int64_t *numbers)
{
    const qkv_view *q = &call->query, *k = &call->key, *v = &call->value;
    const int64_t all[TELL_COUNT] = {
        QKV_OK,
        (int64_t)call->kind,
        (int64_t)q->type,
        (int64_t)k->type,
        (int64_t)v->type,
        (int64_t)call->output.type,
        (int64_t)call->mask.type,
        (int64_t)call->mask.shape[3],
        (int64_t)q->shape[QKV__AXIS_BATCH],
        (int64_t)q->shape[QKV__AXIS_HEADS],
        (int64_t)k->shape[QKV__AXIS_HEADS],
        (int64_t)q->shape[QKV__AXIS_WIDTH],
        (int64_t)v->shape[QKV__AXIS_WIDTH],
        options == NULL ? 0 : (int64_t)options->layout,
        options == NULL ? 0 : (int64_t)options->block,
        (int64_t)digest_options(call),
        (int64_t)q->shape[QKV__AXIS_LENGTH],
        (int64_t)k->shape[QKV__AXIS_LENGTH],
    };
    memcpy(numbers, all, sizeof all);
}

static qkv_status compare(const qkv__mpi_call *call, const int64_t *table, qkv_error *error)
{
    const size_t equal = call->kind == QKV__MPI_DECODE ? TELL_KEYS : TELL_QUERIES;
    for (size_t field = 0; field < equal; field++)
        for (size_t r = 1; r < call->ranks; r++) {
            const int64_t here = table[r * TELL_COUNT + field], first = table[field];
            const bool is_type = field >= TELL_QUERY_TYPE && field <= TELL_MASK_TYPE;
            if (here == first) continue;
            if (is_type)
                return qkv__fail(error, QKV_ERROR_TYPE, "%s is %s on rank %zu and %s on rank 0",
                                 told[field], qkv_type_name((qkv_type)here), r,
                                 qkv_type_name((qkv_type)first));
            return qkv__fail(error, QKV_ERROR_SHAPE, "%s is %lld on rank %zu and %lld on rank 0",
                             told[field], (long long)here, r, (long long)first);
        }
    return QKV_OK;
}

/* The order of a sequence whose length is the sum of its shards', which must be as it says. */
static qkv_status make_order(const qkv__mpi_call *call, const qkv_mpi_options *options,
                             const int64_t *table, size_t field, const char *name,
                             qkv__order *order, qkv_error *error)
{
    size_t length = 0;
    for (size_t r = 0; r < call->ranks; r++) length += (size_t)table[r * TELL_COUNT + field];
    qkv_status status = qkv__order_make(options, length, call->ranks, order, error);
    for (size_t r = 0; r < call->ranks && status == QKV_OK; r++) {
        const size_t rows = (size_t)table[r * TELL_COUNT + field];
        if (rows != qkv__order_rows(order, r))
            status = qkv__fail(error, QKV_ERROR_SHAPE,
                               "%s has %zu rows on rank %zu; expected %zu of %zu, with blocks of "
                               "%zu (qkv_mpi_rows tells)",
                               name, rows, r, qkv__order_rows(order, r), length, order->block);
    }
    return status;
}

static qkv_status check_mask_keys(qkv__mpi_call *call, qkv_error *error)
{
    const size_t keys = call->keys.length;
    if (call->mask.rank == 0) return QKV_OK;
    if (call->mask.shape[3] != keys && call->mask.shape[3] != 1)
        return qkv__fail(error, QKV_ERROR_SHAPE,
                         "the last axis of mask is %zu; expected 1 or the %zu keys of all ranks",
                         call->mask.shape[3], keys);
    if (call->mask.shape[3] == 1) call->mask.stride[3] = 0;
    call->mask.shape[3] = keys;
    return QKV_OK;
}

static qkv_status place_queries(qkv__mpi_call *call, size_t queries, qkv_error *error)
{
    qkv_attention_options *o = &call->options;
    const size_t keys = call->keys.length;
    const bool matters = o->causal || o->window || o->alibi_slopes != NULL;
    if (o->alignment == QKV_ALIGN_UNSET && call->kind == QKV__MPI_DECODE)
        o->alignment = QKV_ALIGN_BOTTOM_RIGHT;
    if (o->alignment == QKV_ALIGN_UNSET && matters && queries != keys)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "alignment is not set; %zu queries and %zu keys need one", queries, keys);
    if (o->key_lengths != NULL && matters && o->alignment != QKV_ALIGN_TOP_LEFT &&
        o->alignment != QKV_ALIGN_OFFSET) /* it would differ between the sequences of a batch */
        return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                         "key_lengths are set; over MPI they go with the alignments top-left and "
                         "offset alone");
    call->offset = o->alignment == QKV_ALIGN_BOTTOM_RIGHT ? (ptrdiff_t)keys - (ptrdiff_t)queries
                   : o->alignment == QKV_ALIGN_OFFSET     ? o->query_offset
                                                          : 0;
    for (size_t b = 0; o->key_lengths != NULL && b < call->query.shape[QKV__AXIS_BATCH]; b++)
        if (o->key_lengths[b] > keys)
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "key_lengths[%zu] is %zu; expected at most %zu", b, o->key_lengths[b],
                             keys);
    return QKV_OK;
}

static qkv_status check_all(qkv__mpi_call *call, const qkv_mpi_options *options,
                            const int64_t *table, qkv_error *error)
{
    qkv_status status = compare(call, table, error);
    if (status == QKV_OK && call->kind != QKV__MPI_DECODE)
        status = make_order(call, options, table, TELL_QUERIES, "query", &call->queries, error);
    if (status == QKV_OK)
        status = make_order(call, options, table, TELL_KEYS, "key", &call->keys, error);
    if (status == QKV_OK) status = check_mask_keys(call, error);
    if (status == QKV_OK && call->kind != QKV__MPI_DECODE && call->keys.layout == QKV_MPI_CYCLIC)
        status = qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                           "options.layout is cyclic; only qkv_mpi_decode takes that");
    if (status == QKV_OK)
        status = place_queries(call,
                               call->kind == QKV__MPI_DECODE ? (size_t)table[TELL_QUERIES]
                                                             : call->queries.length,
                               error);
    return status;
}

/* What a piece of the call is computed with. */
static void settle_options(qkv__mpi_call *call)
{
    qkv_attention_options *o = &call->options;
    call->sinks = o->sinks;
    if (call->kind != QKV__MPI_GRADIENT) o->sinks = NULL; /* they join at the end */
    if (o->scale == 0.0 && call->query.shape[QKV__AXIS_WIDTH] > 0)
        o->scale = 1.0 / sqrt((double)call->query.shape[QKV__AXIS_WIDTH]);
    o->mask = o->log_sum_exp = o->given_output = o->given_log_sum_exp = (qkv_view){0};
    o->key_lengths = NULL;
    o->alignment = QKV_ALIGN_OFFSET;
}

qkv_status qkv__mpi_call_make(qkv__mpi_kind kind, MPI_Comm comm, const qkv_view *query,
                              const qkv_view *key, const qkv_view *value, const qkv_view *output,
                              const qkv_attention_options *attention,
                              const qkv_mpi_options *options, qkv__mpi_call *call, qkv_error *error)
{
    const qkv_view *const views[4] = {query, key, value, output};
    int64_t numbers[TELL_COUNT] = {0}, *table = NULL;
    qkv_error own;
    int ranks, rank;
    if (error == NULL) error = &own; /* the ranks' messages need a place */
    *call = (qkv__mpi_call){.kind = kind};
    qkv_status status = qkv__mpi_comm(comm, &call->comm, &ranks, &rank, error);
    if (status != QKV_OK) return status;
    call->ranks = (size_t)ranks;
    call->rank = (size_t)rank;
    status = qkv__options_read(attention, &call->options, error);
    if (status == QKV_OK) status = check_local(views, call, error);
    if (status == QKV_OK) tell(call, options, numbers);
    numbers[TELL_STATUS] = (int64_t)status;
    table = qkv__allocate(call->ranks * sizeof numbers);
    if (table == NULL) return qkv__fail_memory(error, call->ranks * sizeof numbers);
    status = qkv__mpi_compare(call->comm, ranks, numbers, TELL_COUNT, table, error);
    if (status == QKV_OK) status = check_all(call, options, table, error);
    if (status == QKV_OK) settle_options(call);
    qkv__free(table);
    return status;
}

void qkv__mpi_call_free(qkv__mpi_call *call)
{
    qkv__free(call->piece_lengths);
    qkv__free(call->sums);
    call->piece_lengths = NULL;
    call->sums = NULL;
}

/* ---- Pieces --------------------------------------------------------------------------------- */

qkv_view qkv__mpi_rows(const qkv_view *view, size_t first, size_t rows)
{
    qkv_view part = *view;
    if (part.data != NULL)
        part.data = (unsigned char *)part.data + (ptrdiff_t)first * part.stride[QKV__AXIS_LENGTH] *
                                                     (ptrdiff_t)qkv__type_size(part.type);
    part.shape[QKV__AXIS_LENGTH] = rows;
    return part;
}

/* A distance so large that no position reaches it. */
static ptrdiff_t side(bool limited, size_t distance)
{
    const ptrdiff_t far = PTRDIFF_MAX / 4;
    return limited && distance < (size_t)far ? (ptrdiff_t)distance : far;
}

bool qkv__mpi_sees(const qkv__mpi_call *call, size_t query, size_t rows, size_t key, size_t keys,
                   size_t *begin, size_t *end)
{
    const qkv_attention_options *o = &call->options;
    const ptrdiff_t left = side(o->window, o->window_left);
    const ptrdiff_t right = o->causal ? 0 : side(o->window, o->window_right);
    /* Position p sees keys p - left to p + right: positions key - right to key + keys - 1 + left.
     */
    const ptrdiff_t first = (ptrdiff_t)key - right - ((ptrdiff_t)query + call->offset);
    const ptrdiff_t past = (ptrdiff_t)(key + keys) + left - ((ptrdiff_t)query + call->offset);
    *begin = first > 0 ? (size_t)first : 0;
    *end = past < 0 ? 0 : (size_t)past < rows ? (size_t)past : rows;
    return keys > 0 && *begin < *end;
}

/* The mask of rows from `row` on and keys from `key` on. */
static qkv_view mask_of(const qkv__mpi_call *call, size_t row, size_t rows, size_t key, size_t keys)
{
    qkv_view mask = call->mask.rank == 0 ? call->mask : qkv__mpi_rows(&call->mask, row, rows);
    if (mask.rank == 0) return mask;
    if (mask.data != NULL)
        mask.data = (unsigned char *)mask.data +
                    (ptrdiff_t)key * mask.stride[3] * (ptrdiff_t)qkv__type_size(mask.type);
    mask.shape[3] = keys;
    return mask;
}

qkv_attention_options qkv__mpi_piece(const qkv__mpi_call *call, size_t row, size_t rows,
                                     size_t query, size_t key, size_t keys)
{
    qkv_attention_options piece = call->options;
    piece.mask = mask_of(call, row, rows, key, keys);
    piece.query_offset = (ptrdiff_t)query + call->offset - (ptrdiff_t)key;
    if (call->key_lengths == NULL) return piece;
    for (size_t b = 0; b < call->query.shape[QKV__AXIS_BATCH]; b++) {
        const size_t length = call->key_lengths[b];
        const size_t left = length < key ? 0 : length - key;
        call->piece_lengths[b] = left < keys ? left : keys;
    }
    piece.key_lengths = call->piece_lengths;
    return piece;
}

bool qkv__mpi_is_local(const qkv__mpi_call *call)
{
    const qkv_attention_options *o = &call->options;
    return o->window && o->window_left < call->keys.length &&
           (o->causal || o->window_right < call->keys.length);
}
