/*
 * Self-attention: X to queries, keys and values, attention, and the heads put together again.
 * Knows the operator by its public face; its own work is the products with weight matrices.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <qkv/attention.h>

#include "attention/problem.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/threads.h"
#include "base/view.h"

enum { COLUMNS = 64, ROWS_PER_TASK = 16 };

/* A dense array in the compute type that this call owns. */
typedef struct buffer {
    qkv_view view;
    void *memory;
} buffer;

static qkv_status make_buffer(qkv_type type, int rank, const size_t *shape, buffer *made,
                              qkv_error *error)
{
    size_t bytes = qkv_type_size(type);
    for (int axis = 0; axis < rank; axis++)
        if (!qkv__size_multiply(bytes, shape[axis], &bytes))
            return qkv__fail_memory(error, SIZE_MAX);
    made->memory = qkv__allocate(bytes == 0 ? 1 : bytes);
    if (made->memory == NULL) return qkv__fail_memory(error, bytes);
    made->view = qkv_view_dense(type, made->memory, rank, shape);
    return QKV_OK;
}

/* ---- y = x w + b --------------------------------------------------------------------------- */

typedef struct product {
    qkv_view x, y;  /* (batch, length, inner) and (batch, length, outer) */
    qkv_view bias;  /* (outer), or rank 0 */
    double *weight; /* (inner, outer), dense */
} product;

/* Some rows of y. Each is a sum over the inner axis in double precision, in order, rounded once:
 * the bits of a row do not depend on the others. */
static void multiply_rows(size_t task, size_t worker, void *context)
{
    const product *p = context;
    const size_t length = p->x.shape[1], inner = p->x.shape[2], outer = p->y.shape[2];
    size_t begin = task * ROWS_PER_TASK, rows = p->x.shape[0] * length;
    size_t end = begin + ROWS_PER_TASK < rows ? begin + ROWS_PER_TASK : rows;
    (void)worker;
    for (size_t r = begin; r < end; r++)
        for (size_t first = 0; first < outer; first += COLUMNS) {
            const size_t count = outer - first < COLUMNS ? outer - first : COLUMNS;
            size_t index[] = {r / length, r % length, 0};
            double sum[COLUMNS] = {0};
            for (index[2] = 0; index[2] < inner; index[2]++) {
                const double x = qkv__load(p->x.type, p->x.data, qkv__view_offset(&p->x, index));
                const double *weight = p->weight + index[2] * outer + first;
                for (size_t j = 0; j < count; j++) sum[j] += x * weight[j];
            }
            for (size_t j = 0; j < count; j++) {
                index[2] = first + j;
                if (p->bias.rank != 0)
                    sum[j] += qkv__load(p->bias.type, p->bias.data,
                                        (ptrdiff_t)index[2] * p->bias.stride[0]);
                qkv__store(p->y.type, p->y.data, qkv__view_offset(&p->y, index), sum[j]);
            }
        }
}

/* (L, D) becomes (1, L, D). */
static qkv_view with_batch(const qkv_view *view)
{
    if (view->rank == 3) return *view;
    return (qkv_view){.data = view->data,
                      .type = view->type,
                      .rank = 3,
                      .shape = {1, view->shape[0], view->shape[1]},
                      .stride = {0, view->stride[0], view->stride[1]}};
}

/* A weight matrix as dense doubles, made before anything is computed: the products cannot fail. */
static qkv_status densify(const qkv_view *weight, buffer *dense, qkv_error *error)
{
    if (weight->rank == 0) return QKV_OK;
    qkv_status status = make_buffer(QKV_F64, 2, weight->shape, dense, error);
    return status == QKV_OK ? qkv_view_copy(weight, &dense->view, error) : status;
}

static void multiply(const qkv_view *x, const buffer *weight, const qkv_view *bias,
                     const qkv_view *y, int threads)
{
    product p = {.x = with_batch(x), .y = with_batch(y), .bias = *bias, .weight = weight->memory};
    size_t rows = p.x.shape[0] * p.x.shape[1], tasks = rows / ROWS_PER_TASK;
    tasks += rows % ROWS_PER_TASK != 0;
    double work = (double)rows * (double)p.x.shape[2] * (double)p.y.shape[2];
    bool small = work < 1e5; /* not worth the start of a thread */
    size_t workers = (size_t)(threads > 0 ? threads : qkv__core_count());
    qkv__parallel(small ? 1 : workers, tasks, multiply_rows, &p);
}

/* ---- Checks --------------------------------------------------------------------------------- */

/* A weight matrix (inner, any) with its bias; an empty one stands for the identity. */
static qkv_status check_weight(const qkv_view *weight, const qkv_view *bias, const char *name,
                               size_t inner, bool is_f64, size_t *outer, qkv_error *error)
{
    *outer = inner;
    if (weight->rank != 0) {
        qkv_status status = qkv__view_check(weight, name, error);
        if (status != QKV_OK) return status;
        if (weight->rank != 2 || weight->shape[0] != inner)
            return qkv__fail(error, QKV_ERROR_SHAPE, "%s has shape %s; expected (%zu, any)", name,
                             qkv__shape_format(weight->rank, weight->shape).text, inner);
        *outer = weight->shape[1];
    } else if (bias->rank != 0) {
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s has a bias but no matrix", name);
    }
    const qkv_view *views[] = {weight, bias};
    for (int i = 0; i < 2; i++)
        if (views[i]->rank != 0 &&
            (!qkv__type_is_float(views[i]->type) || (views[i]->type == QKV_F64) != is_f64))
            return qkv__fail(error, QKV_ERROR_TYPE, "%s%s has type %s; f64 goes with f64 alone",
                             name, i == 0 ? "" : " bias", qkv_type_name(views[i]->type));
    if (bias->rank == 0) return QKV_OK;
    char bias_name[16];
    snprintf(bias_name, sizeof bias_name, "%s bias", name);
    qkv_status status = qkv__view_check(bias, bias_name, error);
    if (status == QKV_OK && (bias->rank != 1 || bias->shape[0] != *outer))
        status = qkv__fail(error, QKV_ERROR_SHAPE, "%s bias has shape %s; expected (%zu,)", name,
                           qkv__shape_format(bias->rank, bias->shape).text, *outer);
    return status;
}

typedef struct sizes {
    size_t heads, kv_heads;
    size_t query, key, value; /* columns of Q, K and V, all heads side by side */
    size_t output;            /* width of the result */
} sizes;

/* The shape of x with another width. */
static qkv_status check_output(const qkv_view *x, const qkv_view *output, size_t width,
                               qkv_error *error)
{
    for (int axis = 0; axis < x->rank; axis++) {
        size_t expected = axis == x->rank - 1 ? width : x->shape[axis];
        if (output->rank != x->rank || output->shape[axis] != expected)
            return qkv__fail(error, QKV_ERROR_SHAPE,
                             "output has shape %s; expected x's %s with width %zu",
                             qkv__shape_format(output->rank, output->shape).text,
                             qkv__shape_format(x->rank, x->shape).text, width);
    }
    return QKV_OK;
}

static qkv_status check(const qkv_view *x, const qkv_self_attention_weights *w,
                        const qkv_view *output, sizes *size, qkv_error *error)
{
    if (w == NULL) return qkv__fail(error, QKV_ERROR_ARGUMENT, "weights is NULL");
    qkv_status status = qkv__view_check(x, "x", error);
    if (status == QKV_OK) status = qkv__view_check_output(output, "output", error);
    if (status != QKV_OK) return status;
    if (x->rank != 2 && x->rank != 3)
        return qkv__fail(error, QKV_ERROR_SHAPE,
                         "x has rank %d; expected 2 (length, width) or 3 (batch, length, width)",
                         x->rank);
    if (!qkv__type_is_float(x->type))
        return qkv__fail(error, QKV_ERROR_TYPE, "x has type %s; expected f64, f32, f16 or bf16",
                         qkv_type_name(x->type));
    bool is_f64 = x->type == QKV_F64;
    if ((output->type == QKV_F64) != is_f64)
        return qkv__fail(error, QKV_ERROR_TYPE, "output has type %s and x %s; f64 goes with f64",
                         qkv_type_name(output->type), qkv_type_name(x->type));
    if ((unsigned)w->combine > QKV_COMBINE_PROJECT)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "combine is %d; expected 0 to 2",
                         (int)w->combine);
    size_t width = x->shape[x->rank - 1];
    size->heads = w->heads == 0 ? 1 : w->heads;
    size->kv_heads = w->kv_heads == 0 ? size->heads : w->kv_heads;
    status = check_weight(&w->query, &w->query_bias, "W_Q", width, is_f64, &size->query, error);
    if (status == QKV_OK)
        status = check_weight(&w->key, &w->key_bias, "W_K", width, is_f64, &size->key, error);
    if (status == QKV_OK)
        status = check_weight(&w->value, &w->value_bias, "W_V", width, is_f64, &size->value, error);
    if (status != QKV_OK) return status;
    if (size->value % size->kv_heads != 0)
        return qkv__fail(error, QKV_ERROR_SHAPE, "W_V has %zu columns; not divisible by %zu heads",
                         size->value, size->kv_heads);
    size_t head_width = size->value / size->kv_heads;
    size->output = w->combine == QKV_COMBINE_MEAN ? head_width : head_width * size->heads;
    if (w->combine == QKV_COMBINE_PROJECT) {
        if (w->output.rank == 0)
            return qkv__fail(error, QKV_ERROR_ARGUMENT, "W_O is empty; this combination needs it");
        status = check_weight(&w->output, &w->output_bias, "W_O", size->output, is_f64,
                              &size->output, error);
        if (status != QKV_OK) return status;
    } else if (w->output.rank != 0 || w->output_bias.rank != 0) {
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "W_O is given, but combine does not use it");
    }
    return check_output(x, output, size->output, error);
}
/* ---- The whole ----------------------------------------------------------------------- */

/* Q, K or V with an axis of heads: x itself where there is no matrix, else a product in a new
 * buffer. */
static qkv_status project(const qkv_view *x, const qkv_view *weight, const qkv_view *bias,
                          size_t columns, size_t heads, int threads, buffer *room, qkv_view *split,
                          qkv_error *error)
{
    if (weight->rank == 0) return qkv_view_split_heads(x, heads, split, error);
    buffer dense = {.memory = NULL};
    size_t shape[QKV_MAX_RANK];
    memcpy(shape, x->shape, sizeof shape);
    shape[x->rank - 1] = columns;
    qkv_type compute = x->type == QKV_F64 ? QKV_F64 : QKV_F32;
    qkv_status status = make_buffer(compute, x->rank, shape, room, error);
    if (status == QKV_OK) status = qkv_view_split_heads(&room->view, heads, split, error);
    if (status == QKV_OK) status = densify(weight, &dense, error);
    if (status == QKV_OK) multiply(x, &dense, bias, &room->view, threads);
    qkv__free(dense.memory);
    return status;
}

/* Attention into `output` itself where the heads stay side by side, else into a buffer first.
 * Whatever can fail comes before the operator, which writes results of its own. */
static qkv_status attend_and_combine(const qkv_view views[3], const qkv_self_attention_weights *w,
                                     const sizes *size, const qkv_view *output,
                                     const qkv_attention_options *options, buffer *room,
                                     buffer *output_weight, qkv_error *error)
{
    assert(size->kv_heads > 0);
    qkv_view side_by_side = *output, heads;
    qkv_status status = densify(&w->output, output_weight, error);
    if (status == QKV_OK && w->combine != QKV_COMBINE_CONCATENATE) {
        size_t shape[QKV_MAX_RANK];
        memcpy(shape, output->shape, sizeof shape);
        shape[output->rank - 1] = size->value / size->kv_heads * size->heads;
        qkv_type compute = output->type == QKV_F64 ? QKV_F64 : QKV_F32;
        status = make_buffer(compute, output->rank, shape, room, error);
        side_by_side = room->view;
    }
    if (status == QKV_OK) status = qkv_view_split_heads(&side_by_side, size->heads, &heads, error);
    if (status == QKV_OK)
        status = qkv_attention(&views[0], &views[1], &views[2], &heads, options, error);
    if (status != QKV_OK || w->combine == QKV_COMBINE_CONCATENATE) return status;
    if (w->combine == QKV_COMBINE_MEAN) return qkv_heads_mean(&heads, output, error);
    multiply(&side_by_side, output_weight, &w->output_bias, output, options->threads);
    return QKV_OK;
}

qkv_status qkv_self_attention(const qkv_view *x, const qkv_self_attention_weights *w,
                              const qkv_view *output, const qkv_attention_options *given,
                              qkv_error *error)
{
    sizes size = {0};
    buffer room[5] = {{.memory = NULL}};
    qkv_view views[3];
    qkv_attention_options options;
    qkv_status status = check(x, w, output, &size, error);
    if (status == QKV_OK) status = qkv__options_read(given, &options, error);
    if (status != QKV_OK) return status;
    status = project(x, &w->query, &w->query_bias, size.query, size.heads, options.threads,
                     &room[0], &views[0], error);
    if (status == QKV_OK)
        status = project(x, &w->key, &w->key_bias, size.key, size.kv_heads, options.threads,
                         &room[1], &views[1], error);
    if (status == QKV_OK)
        status = project(x, &w->value, &w->value_bias, size.value, size.kv_heads, options.threads,
                         &room[2], &views[2], error);
    if (status == QKV_OK)
        status = attend_and_combine(views, w, &size, output, &options, &room[3], &room[4], error);
    for (int i = 0; i < 5; i++) qkv__free(room[i].memory);
    return status;
}

qkv_status qkv_heads_mean(const qkv_view *heads, const qkv_view *output, qkv_error *error)
{
    qkv_status status = qkv__view_check(heads, "heads", error);
    if (status == QKV_OK) status = qkv__view_check_output(output, "output", error);
    if (status != QKV_OK) return status;
    int axis = heads->rank - 3; /* the axis of heads */
    size_t shape[QKV_MAX_RANK] = {0};
    for (int from = 0, to = 0; axis >= 0 && from < heads->rank; from++)
        if (from != axis) shape[to++] = heads->shape[from];
    if (axis < 0 || output->rank != heads->rank - 1 ||
        memcmp(shape, output->shape, (size_t)output->rank * sizeof shape[0]) != 0)
        return qkv__fail(error, QKV_ERROR_SHAPE,
                         "output has shape %s; expected that of heads, %s, without the axis of "
                         "heads",
                         qkv__shape_format(output->rank, output->shape).text,
                         qkv__shape_format(heads->rank, heads->shape).text);
    size_t count = heads->shape[axis];
    if (count == 0) return qkv__fail(error, QKV_ERROR_SHAPE, "heads has no head to average");
    if (qkv_view_count(output) == 0) return QKV_OK;
    qkv_view one = *heads; /* a single head: walked through as often as there are heads */
    one.shape[axis] = 1;
    size_t index[QKV_MAX_RANK] = {0}, place[QKV_MAX_RANK] = {0};
    do {
        ptrdiff_t first = qkv__view_offset(heads, index);
        double sum = 0.0;
        for (size_t h = 0; h < count; h++)
            sum += qkv__load(heads->type, heads->data, first + (ptrdiff_t)h * heads->stride[axis]);
        qkv__store(output->type, output->data, qkv__view_offset(output, place),
                   sum / (double)count);
        qkv__index_next(output->rank, output->shape, place);
    } while (qkv__index_next(one.rank, one.shape, index));
    return QKV_OK;
}
