/* From the caller's views and options to a checked problem, and from it to single heads. Knows
 * nothing of kernels. */
#include "attention/problem.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/view.h"

/* Lengths, offsets and windows stay under this, so that sums of four of them never overflow. */
#define POSITION_LIMIT ((ptrdiff_t)(PTRDIFF_MAX / 8))

qkv_attention_options qkv_attention_default(void)
{
    return (qkv_attention_options){.struct_size = sizeof(qkv_attention_options)};
}

qkv_status qkv__options_read(const qkv_attention_options *given, qkv_attention_options *options,
                             qkv_error *error)
{
    if (given == NULL || given->struct_size < sizeof *options) *options = qkv_attention_default();
    if (given == NULL) return QKV_OK;
    return qkv__options_take(options, sizeof *options, given, "options", "qkv_attention_default",
                             error);
}

qkv_view qkv__view_promote(const qkv_view *view, int rank)
{
    qkv_view result = *view;
    int missing = rank - view->rank;
    result.rank = rank;
    for (int axis = 0; axis < rank; axis++) {
        result.shape[axis] = axis < missing ? 1 : view->shape[axis - missing];
        result.stride[axis] = axis < missing ? 0 : view->stride[axis - missing];
    }
    return result;
}

static qkv_status check_operand(const qkv_view *view, const char *name, int rank, bool stored,
                                qkv_error *error)
{
    qkv_status status = qkv__view_check(view, name, error);
    if (status != QKV_OK) return status;
    assert(view != NULL);
    if (view->rank < 2)
        return qkv__fail(error, QKV_ERROR_SHAPE,
                         "%s has rank %d; expected 2 (length, width), 3 (heads, length, width) or "
                         "4 (batch, heads, length, width)",
                         name, view->rank);
    if (view->rank != rank)
        return qkv__fail(error, QKV_ERROR_SHAPE, "%s has rank %d; expected %d, the rank of query",
                         name, view->rank, rank);
    if (stored && qkv__type_is_stored(view->type)) return QKV_OK;
    if (!qkv__type_is_float(view->type))
        return qkv__fail(error, QKV_ERROR_TYPE, "%s has type %s; expected f64, f32, f16%s", name,
                         qkv_type_name(view->type), stored ? ", bf16, i8 or e4m3" : " or bf16");
    return QKV_OK;
}

static qkv_status check_types(const qkv_view *const views[4], const char *const names[4],
                              qkv_type *compute, qkv_error *error)
{
    *compute = views[0]->type == QKV_F64 ? QKV_F64 : QKV_F32;
    for (int i = 1; i < 4; i++)
        if (!qkv__type_is_stored(views[i]->type) &&
            (views[i]->type == QKV_F64) != (*compute == QKV_F64))
            return qkv__fail(error, QKV_ERROR_TYPE,
                             "%s has type %s and query %s; f64 goes with f64 alone", names[i],
                             qkv_type_name(views[i]->type), qkv_type_name(views[0]->type));
    return QKV_OK;
}

static qkv_status expect_size(const qkv_view *view, const char *name, int axis, size_t expected,
                              const char *why, qkv_error *error)
{
    static const char *const axes[] = {"batch", "heads", "length", "width"};
    if (view->shape[axis] == expected) return QKV_OK;
    return qkv__fail(error, QKV_ERROR_SHAPE, "%s has %s %zu; expected %zu, %s", name, axes[axis],
                     view->shape[axis], expected, why);
}

/*
 * With a page table, key and value (pages, G, page size, D) get the shape of the sequences that the
 * table makes of them, (B, G, N * page size, D). Their strides stay the pool's.
 */
static qkv_status check_pages(qkv__problem *p, int rank, bool forward, qkv_error *error)
{
    const qkv_attention_options *o = &p->options;
    if (o->page_columns == 0 && o->page_table == NULL) return QKV_OK;
    if (!forward)
        return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                         "page_table is set; the gradient does not take pages");
    if (o->sequences > 0)
        return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                         "page_table is set; packed sequences do not take pages");
    if (o->page_columns == 0 || o->page_table == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "page_table is %s, but page_columns is %zu",
                         o->page_table == NULL ? "NULL" : "set", o->page_columns);
    if (rank != 4)
        return qkv__fail(error, QKV_ERROR_SHAPE, "query has rank %d; with a page_table expected 4",
                         rank);
    p->pages = p->key.shape[QKV__BATCH];
    p->page_size = p->key.shape[QKV__LENGTH];
    if (p->value.shape[QKV__BATCH] != p->pages || p->value.shape[QKV__LENGTH] != p->page_size)
        return qkv__fail(
            error, QKV_ERROR_SHAPE, "value has %zu pages of %zu; expected %zu of %zu, the key's",
            p->value.shape[QKV__BATCH], p->value.shape[QKV__LENGTH], p->pages, p->page_size);
    if (p->pages > (size_t)INT32_MAX || o->page_columns > (size_t)POSITION_LIMIT ||
        (p->page_size > 0 && o->page_columns > (size_t)POSITION_LIMIT / p->page_size))
        return qkv__fail(error, QKV_ERROR_SHAPE, "%zu of %zu pages of %zu keys are too many",
                         o->page_columns, p->pages, p->page_size);
    p->key.shape[QKV__BATCH] = p->value.shape[QKV__BATCH] = p->query.shape[QKV__BATCH];
    p->key.shape[QKV__LENGTH] = p->value.shape[QKV__LENGTH] = o->page_columns * p->page_size;
    return QKV_OK;
}

/* q (B, H, Lq, D), k (B, G, Lk, D), v (B, G, Lk, Dv), output (B, H, Lq, Dv), G divides H. */
static qkv_status check_shapes(const qkv__problem *p, const char *output, qkv_error *error)
{
    const qkv_view *q = &p->query, *k = &p->key, *v = &p->value, *c = &p->output;
    qkv_status status =
        expect_size(k, "key", QKV__BATCH, q->shape[QKV__BATCH], "the query's", error);
    if (status == QKV_OK)
        status = expect_size(v, "value", QKV__BATCH, q->shape[QKV__BATCH], "the query's", error);
    if (status == QKV_OK)
        status = expect_size(k, "key", QKV__WIDTH, q->shape[QKV__WIDTH], "the query's", error);
    if (status == QKV_OK)
        status = expect_size(v, "value", QKV__HEADS, k->shape[QKV__HEADS], "the key's", error);
    if (status == QKV_OK)
        status = expect_size(v, "value", QKV__LENGTH, k->shape[QKV__LENGTH], "the key's", error);
    if (status != QKV_OK) return status;
    size_t heads = q->shape[QKV__HEADS], kv_heads = k->shape[QKV__HEADS];
    if (heads > 0 && (kv_heads == 0 || heads % kv_heads != 0))
        return qkv__fail(error, QKV_ERROR_SHAPE,
                         "query has %zu heads and key %zu; expected a multiple of the key's", heads,
                         kv_heads);
    size_t most = (size_t)POSITION_LIMIT;
    if (q->shape[QKV__LENGTH] > most || k->shape[QKV__LENGTH] > most)
        return qkv__fail(error, QKV_ERROR_SHAPE, "%zu queries over %zu keys are too many",
                         q->shape[QKV__LENGTH], k->shape[QKV__LENGTH]);
    status = expect_size(c, output, QKV__BATCH, q->shape[QKV__BATCH], "the query's", error);
    if (status == QKV_OK) status = expect_size(c, output, QKV__HEADS, heads, "the query's", error);
    if (status == QKV_OK)
        status = expect_size(c, output, QKV__LENGTH, q->shape[QKV__LENGTH], "the query's", error);
    if (status == QKV_OK)
        status = expect_size(c, output, QKV__WIDTH, v->shape[QKV__WIDTH], "the value's", error);
    return status;
}

/* A number that is still one in the type that the kernels compute in. */
static qkv_status check_finite(const qkv__problem *p, double value, const char *name, size_t index,
                               qkv_error *error)
{
    bool fits = p->compute == QKV_F64 ? isfinite(value) : isfinite((float)value);
    if (fits) return QKV_OK;
    const char *expected = isfinite(value) ? "number that f32 can hold" : "finite number";
    if (index == SIZE_MAX)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s is %g; expected a %s", name, value,
                         expected);
    return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s[%zu] is %g; expected a %s", name, index, value,
                     expected);
}

static qkv_status check_numbers(qkv__problem *p, qkv_error *error)
{
    const qkv_attention_options *o = &p->options;
    size_t width = p->query.shape[QKV__WIDTH];
    qkv_status status = check_finite(p, o->scale, "scale", SIZE_MAX, error);
    if (status == QKV_OK) status = check_finite(p, o->softcap, "softcap", SIZE_MAX, error);
    if (status != QKV_OK) return status;
    if (o->softcap < 0.0 || (o->softcap > 0.0 && p->compute == QKV_F32 && o->softcap < FLT_MIN))
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "softcap is %g; expected a positive number%s, or 0 for none", o->softcap,
                         o->softcap > 0.0 ? " that f32 can hold" : "");
    p->scale = o->scale;
    if (o->scale == 0.0) p->scale = width == 0 ? 1.0 : 1.0 / sqrt((double)width);
    if (o->scale == QKV_SCALE_ZERO) p->scale = 0.0;
    for (size_t h = 0; h < p->heads && status == QKV_OK; h++) {
        if (o->alibi_slopes != NULL)
            status = check_finite(p, o->alibi_slopes[h], "alibi_slopes", h, error);
        if (status == QKV_OK && o->sinks != NULL && o->sinks[h] != -INFINITY)
            status = check_finite(p, o->sinks[h], "sinks", h, error);
    }
    if (status != QKV_OK) return status;
    if (!(o->dropout >= 0.0 && o->dropout <= 1.0))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "dropout is %g; expected 0 to 1", o->dropout);
    if (o->threads < 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "threads is %d; expected 1 or more, or 0 for all cores", o->threads);
    return QKV_OK;
}

static qkv_status check_starts(const size_t *starts, const char *name, size_t sequences,
                               size_t length, qkv_error *error)
{
    if (starts == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s is NULL; packed sequences need it", name);
    if (starts[0] != 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s[0] is %zu; expected 0", name, starts[0]);
    for (size_t s = 0; s < sequences; s++)
        if (starts[s + 1] < starts[s])
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "%s[%zu] is %zu; expected at least the entry before it, %zu", name,
                             s + 1, starts[s + 1], starts[s]);
    if (starts[sequences] != length)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s[%zu] is %zu; expected %zu, the length",
                         name, sequences, starts[sequences], length);
    return QKV_OK;
}

static qkv_status check_sequences(qkv__problem *p, qkv_error *error)
{
    const qkv_attention_options *o = &p->options;
    size_t batch = p->query.shape[QKV__BATCH], keys = p->key.shape[QKV__LENGTH];
    p->packed = o->sequences > 0;
    p->sequences = p->packed ? o->sequences : batch;
    if (p->packed) {
        if (batch != 1)
            return qkv__fail(error, QKV_ERROR_SHAPE, "packed sequences have batch %zu; expected 1",
                             batch);
        if (o->key_lengths != NULL)
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "key_lengths is set; packed sequences say their lengths in "
                             "key_starts");
        qkv_status status = check_starts(o->query_starts, "query_starts", o->sequences,
                                         p->query.shape[QKV__LENGTH], error);
        if (status != QKV_OK) return status;
        return check_starts(o->key_starts, "key_starts", o->sequences, keys, error);
    }
    if (o->query_starts != NULL || o->key_starts != NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "sequences is 0, but query_starts or key_starts is set");
    for (size_t b = 0; o->key_lengths != NULL && b < batch; b++)
        if (o->key_lengths[b] > keys)
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "key_lengths[%zu] is %zu; expected at most %zu, the keys", b,
                             o->key_lengths[b], keys);
    return QKV_OK;
}

void qkv__problem_lengths(const qkv__problem *p, size_t sequence, size_t *queries, size_t *keys)
{
    const qkv_attention_options *o = &p->options;
    *queries = p->query.shape[QKV__LENGTH];
    *keys = p->key.shape[QKV__LENGTH];
    if (p->packed) {
        *queries = o->query_starts[sequence + 1] - o->query_starts[sequence];
        *keys = o->key_starts[sequence + 1] - o->key_starts[sequence];
    } else if (o->key_lengths != NULL) {
        *keys = o->key_lengths[sequence];
    }
}

bool qkv__problem_heads_alike(const qkv__problem *p)
{
    const double *slopes = p->options.alibi_slopes;
    for (size_t h = 0; slopes != NULL && h < p->heads; h++)
        if ((slopes[h] == 0.0) != (slopes[h / p->group * p->group] == 0.0)) return false;
    return true;
}

static qkv_status check_positions(const qkv__problem *p, qkv_error *error)
{
    const qkv_attention_options *o = &p->options;
    if ((unsigned)o->alignment > QKV_ALIGN_OFFSET)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "alignment is %d; expected 0 to 3",
                         (int)o->alignment);
    if (o->query_offset > POSITION_LIMIT || o->query_offset < -POSITION_LIMIT)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "query_offset is %td; expected less than %td",
                         o->query_offset, POSITION_LIMIT);
    if (o->query_offset != 0 && o->alignment != QKV_ALIGN_OFFSET)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "query_offset is %td, but alignment is not QKV_ALIGN_OFFSET",
                         o->query_offset);
    if (!o->window && (o->window_left != 0 || o->window_right != 0))
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "window_left or window_right is set, but window is false");
    bool matters = o->causal || o->window || o->alibi_slopes != NULL;
    if (!matters || o->alignment != QKV_ALIGN_UNSET) return QKV_OK;
    for (size_t s = 0; s < p->sequences; s++) {
        size_t queries, keys;
        qkv__problem_lengths(p, s, &queries, &keys);
        if (queries != keys)
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "alignment is not set: with %zu queries over %zu keys a causal mask, "
                             "a window or ALiBi needs top-left or bottom-right",
                             queries, keys);
    }
    return QKV_OK;
}

/* Broadcasts the mask to (batch, heads, queries, keys): an axis of size 1 gets stride 0. */
static qkv_status check_mask(qkv__problem *p, qkv_error *error)
{
    qkv_view *mask = &p->options.mask;
    if (mask->rank == 0) return QKV_OK;
    qkv_status status = qkv__view_check(mask, "mask", error);
    if (status != QKV_OK) return status;
    if (mask->type != QKV_BOOL && !qkv__type_is_float(mask->type))
        return qkv__fail(error, QKV_ERROR_TYPE,
                         "mask has type %s; expected bool for which keys take part, or f64, f32, "
                         "f16 or bf16 to be added",
                         qkv_type_name(mask->type));
    qkv_view full = qkv__view_promote(mask, 4);
    size_t target[] = {p->query.shape[QKV__BATCH], p->heads, p->query.shape[QKV__LENGTH],
                       p->key.shape[QKV__LENGTH]};
    for (int axis = 0; axis < 4; axis++) {
        if (full.shape[axis] != target[axis] && full.shape[axis] != 1)
            return qkv__fail(error, QKV_ERROR_SHAPE,
                             "mask of shape %s does not broadcast to %s (batch, heads, queries, "
                             "keys)",
                             qkv__shape_format(mask->rank, mask->shape).text,
                             qkv__shape_format(4, target).text);
        if (full.shape[axis] == 1) full.stride[axis] = 0;
        full.shape[axis] = target[axis];
    }
    *mask = full;
    return QKV_OK;
}

/* The scales of keys or values, as their view without the width: there for i8, perhaps for e4m3,
 * and only there. Promoted in place. */
static qkv_status check_scales(const qkv_view *rows, const char *rows_name, qkv_view *scales,
                               const char *name, qkv_error *error)
{
    const int rank = rows->rank;
    if (scales->rank == 0 && rows->type != QKV_I8) return QKV_OK;
    if (scales->rank == 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s is not set; a %s of type i8 needs it", name,
                         rows_name);
    if (!qkv__type_is_stored(rows->type))
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "%s is set, but %s has type %s; expected i8 or e4m3", name, rows_name,
                         qkv_type_name(rows->type));
    qkv_status status = qkv__view_check(scales, name, error);
    if (status != QKV_OK) return status;
    if (!qkv__type_is_float(scales->type))
        return qkv__fail(error, QKV_ERROR_TYPE, "%s has type %s; expected f64, f32, f16 or bf16",
                         name, qkv_type_name(scales->type));
    const size_t *expected = rows->shape;
    if (scales->rank != rank - 1 ||
        memcmp(scales->shape, expected, (size_t)(rank - 1) * sizeof expected[0]) != 0)
        return qkv__fail(error, QKV_ERROR_SHAPE, "%s has shape %s; expected %s, one a row of %s",
                         name, qkv__shape_format(scales->rank, scales->shape).text,
                         qkv__shape_format(rank - 1, expected).text, rows_name);
    *scales = qkv__view_promote(scales, 3);
    return QKV_OK;
}

/* One of the results asked for in options: `rank` axes with `last` of size; promoted in place. */
static qkv_status check_result(const qkv__problem *p, qkv_view *view, const char *name, int rank,
                               bool matrix, qkv_error *error)
{
    if (view->rank == 0) return QKV_OK;
    qkv_status status = qkv__view_check_output(view, name, error);
    if (status != QKV_OK) return status;
    if (matrix && p->packed)
        return qkv__fail(error, QKV_ERROR_UNSUPPORTED, "%s is not offered for packed sequences",
                         name);
    size_t full[] = {p->query.shape[QKV__BATCH], p->heads, p->query.shape[QKV__LENGTH],
                     p->key.shape[QKV__LENGTH]};
    int full_rank = matrix ? 4 : 3;
    int expected_rank = matrix ? rank : rank - 1;
    const size_t *expected = full + full_rank - expected_rank;
    if (view->rank != expected_rank ||
        memcmp(view->shape, expected, (size_t)expected_rank * sizeof expected[0]) != 0)
        return qkv__fail(error, QKV_ERROR_SHAPE, "%s has shape %s; expected %s", name,
                         qkv__shape_format(view->rank, view->shape).text,
                         qkv__shape_format(expected_rank, expected).text);
    *view = qkv__view_promote(view, full_rank);
    return QKV_OK;
}

static qkv_status check_results(qkv__problem *p, int rank, qkv_error *error)
{
    qkv_attention_options *o = &p->options;
    const struct {
        qkv_view *view;
        const char *name;
        bool matrix;
    } results[] = {
        {&o->log_sum_exp, "log_sum_exp", false},    {&o->entropy, "entropy", false},
        {&o->scores_raw, "scores_raw", true},       {&o->scores_capped, "scores_capped", true},
        {&o->scores_masked, "scores_masked", true}, {&o->weights, "weights", true},
    };
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        qkv_status status =
            check_result(p, results[i].view, results[i].name, rank, results[i].matrix, error);
        if (status != QKV_OK) return status;
    }
    return QKV_OK;
}

qkv_status qkv__problem_make(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                             const qkv_view *output, qkv__purpose purpose,
                             const qkv_attention_options *options, qkv__problem *problem,
                             qkv_error *error)
{
    const bool forward = purpose == QKV__FORWARD;
    const qkv_view *const views[4] = {query, key, value, output};
    const char *const names[4] = {"query", "key", "value", forward ? "output" : "output_gradient"};
    qkv__problem *p = problem;
    qkv_status status = qkv__options_read(options, &p->options, error);
    for (int i = 0; i < 4 && status == QKV_OK; i++)
        status = check_operand(views[i], names[i], query == NULL ? 0 : query->rank,
                               forward && (i == 1 || i == 2), error);
    if (status == QKV_OK && forward) status = qkv__view_check_distinct(output, names[3], error);
    if (status == QKV_OK) status = check_types(views, names, &p->compute, error);
    if (status != QKV_OK) return status;

    p->query = qkv__view_promote(query, 4);
    p->key = qkv__view_promote(key, 4);
    p->value = qkv__view_promote(value, 4);
    p->output = qkv__view_promote(output, 4);
    p->pages = p->page_size = 0;
    p->level = (qkv_view){0};
    p->result = output->type;
    status = check_pages(p, query->rank, forward, error);
    if (status == QKV_OK) status = check_shapes(p, names[3], error);
    if (status != QKV_OK) return status;
    p->heads = p->query.shape[QKV__HEADS];
    p->group = p->heads == 0 ? 1 : p->heads / p->key.shape[QKV__HEADS];

    status = check_numbers(p, error);
    if (status == QKV_OK) status = check_sequences(p, error);
    if (status == QKV_OK) status = check_positions(p, error);
    if (status == QKV_OK) status = check_mask(p, error);
    if (status == QKV_OK)
        status = check_scales(key, "key", &p->options.key_scales, "key_scales", error);
    if (status == QKV_OK)
        status = check_scales(value, "value", &p->options.value_scales, "value_scales", error);
    if (status == QKV_OK && forward) status = check_results(p, query->rank, error);
    return status;
}

/* The matrix of a view with elements, see matrix_at. */
static qkv__matrix matrix_of(const qkv_view *view, size_t batch, size_t head, size_t row,
                             size_t column)
{
    const bool wide = view->rank == 4; /* or three axes, without the last */
    const size_t *shape = view->shape;
    if (shape[0] == 0 || shape[1] == 0 || shape[2] == 0 || (wide && shape[3] == 0))
        return (qkv__matrix){.type = view->type};
    ptrdiff_t column_stride = wide ? view->stride[QKV__WIDTH] : 0;
    ptrdiff_t offset =
        (ptrdiff_t)batch * view->stride[QKV__BATCH] + (ptrdiff_t)head * view->stride[QKV__HEADS] +
        (ptrdiff_t)row * view->stride[QKV__LENGTH] + (ptrdiff_t)column * column_stride;
    unsigned char *data =
        (unsigned char *)view->data + offset * (ptrdiff_t)qkv__type_size(view->type);
    return (qkv__matrix){.data = data,
                         .type = view->type,
                         .row = view->stride[QKV__LENGTH],
                         .column = column_stride};
}

/* The matrix of a (batch, head, rows, columns) view, from row `row` and column `column` on. */
static inline qkv__matrix matrix_at(const qkv_view *view, size_t batch, size_t head, size_t row,
                                    size_t column)
{
    return view->rank == 0 ? (qkv__matrix){.type = view->type}
                           : matrix_of(view, batch, head, row, column);
}

static ptrdiff_t window_side(bool limited, size_t side)
{
    return limited && side < (size_t)POSITION_LIMIT ? (ptrdiff_t)side : POSITION_LIMIT * 2;
}

/* The position of query 0. */
static ptrdiff_t first_position(const qkv_attention_options *o, size_t queries, size_t keys)
{
    if (o->alignment == QKV_ALIGN_BOTTOM_RIGHT) return (ptrdiff_t)keys - (ptrdiff_t)queries;
    return o->alignment == QKV_ALIGN_OFFSET ? o->query_offset : 0;
}

/* All fields have their line: clearing them first would cost a small call more than setting. */
void qkv__problem_head(const qkv__problem *p, size_t sequence, size_t head, qkv__head *result)
{
    const qkv_attention_options *o = &p->options;
    const size_t batch = p->packed ? 0 : sequence, kv_head = p->group == 1 ? head : head / p->group;
    const size_t query = p->packed ? o->query_starts[sequence] : 0;
    const size_t key = p->packed ? o->key_starts[sequence] : 0;
    size_t queries, keys;
    qkv__problem_lengths(p, sequence, &queries, &keys);
    result->queries = queries;
    result->keys = keys;
    result->width = p->query.shape[QKV__WIDTH];
    result->value_width = p->value.shape[QKV__WIDTH];
    result->padding = p->packed ? 0 : p->key.shape[QKV__LENGTH] - keys;
    result->query = matrix_at(&p->query, batch, head, query, 0);
    result->key = matrix_at(&p->key, batch, kv_head, key, 0);
    result->value = matrix_at(&p->value, batch, kv_head, key, 0);
    result->output = matrix_at(&p->output, batch, head, query, 0);
    result->mask = matrix_at(&o->mask, batch, head, query, key);
    result->key_scale = matrix_at(&o->key_scales, batch, kv_head, key, 0);
    result->value_scale = matrix_at(&o->value_scales, batch, kv_head, key, 0);
    result->scale = p->scale;
    result->softcap = o->softcap;
    result->slope = o->alibi_slopes == NULL ? 0.0 : o->alibi_slopes[head];
    result->sink = o->sinks == NULL ? -INFINITY : o->sinks[head];
    result->offset = first_position(o, queries, keys);
    result->dropout = qkv__dropout_make(o->dropout, o->seed, sequence, head);
    result->left = window_side(o->window, o->window_left);
    result->right = o->causal ? 0 : window_side(o->window, o->window_right);
    result->log_sum_exp = matrix_at(&o->log_sum_exp, batch, head, query, 0);
    result->entropy = matrix_at(&o->entropy, batch, head, query, 0);
    result->level = matrix_at(&p->level, batch, head, query, 0);
    result->scores_raw = matrix_at(&o->scores_raw, batch, head, query, 0);
    result->scores_capped = matrix_at(&o->scores_capped, batch, head, query, 0);
    result->scores_masked = matrix_at(&o->scores_masked, batch, head, query, 0);
    result->weights = matrix_at(&o->weights, batch, head, query, 0);
}
