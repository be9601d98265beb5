/* Strided views: making, checking, copying. Knows nothing of attention or of files. */
#include "base/view.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

static const char *const type_names[] = {
    [QKV_NONE] = "none", [QKV_F64] = "f64",   [QKV_F32] = "f32", [QKV_F16] = "f16",
    [QKV_BF16] = "bf16", [QKV_BOOL] = "bool", [QKV_I8] = "i8",   [QKV_E4M3] = "e4m3",
};
enum { TYPE_COUNT = sizeof type_names / sizeof type_names[0] };

size_t qkv_type_size(qkv_type type)
{
    return qkv__type_size(type);
}

const char *qkv_type_name(qkv_type type)
{
    return (size_t)type < TYPE_COUNT ? type_names[type] : "none";
}

qkv_type qkv_type_from_name(const char *name)
{
    for (size_t i = 1; i < TYPE_COUNT; i++)
        if (strcmp(name, type_names[i]) == 0) return (qkv_type)i;
    return QKV_NONE;
}

qkv_view qkv_view_dense(qkv_type type, void *data, int rank, const size_t *shape)
{
    qkv_view view = {.data = data, .type = type, .rank = rank};
    ptrdiff_t stride = 1;
    if (rank < 0 || rank > QKV_MAX_RANK) return (qkv_view){.rank = -1};
    for (int axis = rank - 1; axis >= 0; axis--) {
        view.shape[axis] = shape[axis];
        view.stride[axis] = stride;
        stride = (ptrdiff_t)((size_t)stride * shape[axis]); /* checked before any use */
    }
    return view;
}

size_t qkv_view_count(const qkv_view *view)
{
    size_t count = 1;
    for (int axis = 0; axis < view->rank; axis++) count *= view->shape[axis];
    return count;
}

qkv_view qkv_view_exchange(qkv_view view, int axis, int other)
{
    if (axis < 0 || other < 0 || axis >= view.rank || other >= view.rank) return view;
    qkv_view result = view;
    result.shape[axis] = view.shape[other];
    result.shape[other] = view.shape[axis];
    result.stride[axis] = view.stride[other];
    result.stride[other] = view.stride[axis];
    return result;
}

qkv_status qkv_view_split_heads(const qkv_view *packed, size_t heads, qkv_view *split,
                                qkv_error *error)
{
    qkv_status status = qkv__view_check(packed, "packed heads", error);
    if (status != QKV_OK) return status;
    int rank = packed->rank;
    if (rank != 2 && rank != 3)
        return qkv__fail(error, QKV_ERROR_SHAPE,
                         "packed heads have rank %d; expected 2 (length, width) or 3 (batch, "
                         "length, width)",
                         rank);
    size_t width = packed->shape[rank - 1];
    if (heads == 0 || width % heads != 0)
        return qkv__fail(error, QKV_ERROR_SHAPE, "width %zu is not divisible by %zu heads", width,
                         heads);
    qkv_view result = *packed;
    result.rank = rank + 1;
    result.shape[rank] = width / heads;
    result.stride[rank] = packed->stride[rank - 1];
    result.shape[rank - 1] = packed->shape[rank - 2];
    result.stride[rank - 1] = packed->stride[rank - 2];
    result.shape[rank - 2] = heads;
    /* Of one head or of an empty view the product may not fit: it is not used, but must not trap.
     */
    result.stride[rank - 2] = (ptrdiff_t)((size_t)packed->stride[rank - 1] * (width / heads));
    *split = result;
    return QKV_OK;
}

qkv__shape_text qkv__shape_format(int rank, const size_t *shape)
{
    qkv__shape_text result = {"("};
    size_t used = 1;
    for (int axis = 0; axis < rank && used < sizeof result.text; axis++)
        used += (size_t)snprintf(result.text + used, sizeof result.text - used, "%s%zu",
                                 axis == 0 ? "" : ", ", shape[axis]);
    if (used < sizeof result.text)
        snprintf(result.text + used, sizeof result.text - used, "%s", rank == 1 ? ",)" : ")");
    return result;
}

static size_t magnitude(ptrdiff_t stride)
{
    return stride < 0 ? (size_t)0 - (size_t)stride : (size_t)stride;
}

/* Whether sizes and strides are so small that what follows need not be asked: with 64 bits, four
 * sizes under 2^15 have a product under 2^60, and steps of up to 2^31 elements stay within 2^51
 * bytes. */
static bool is_small(const qkv_view *view)
{
    enum { BITS = 8 * sizeof(size_t) };
    size_t sizes = 0, strides = 0;
    for (int axis = 0; axis < view->rank; axis++) {
        sizes |= view->shape[axis];
        strides |= magnitude(view->stride[axis]);
    }
    return sizes >> (BITS / 4 - 1) == 0 && strides >> (BITS / 2 - 1) == 0;
}

static bool count_fits(const qkv_view *view)
{
    size_t count = 1;
    for (int axis = 0; axis < view->rank; axis++)
        if (!qkv__size_multiply(count, view->shape[axis], &count)) return false;
    return true;
}

/* Whether the bytes from the lowest to the highest element can be counted in ptrdiff_t. */
static bool extent_fits(const qkv_view *view)
{
    size_t extent = qkv__type_size(view->type);
    for (int axis = 0; axis < view->rank; axis++) {
        size_t steps;
        if (!qkv__size_multiply(view->shape[axis] - 1, magnitude(view->stride[axis]), &steps) ||
            !qkv__size_multiply(steps, qkv__type_size(view->type), &steps) ||
            !qkv__size_add(extent, steps, &extent))
            return false;
    }
    return extent <= PTRDIFF_MAX;
}

qkv_status qkv__view_check(const qkv_view *view, const char *name, qkv_error *error)
{
    if (view == NULL) return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s is NULL", name);
    if (view->rank < 1 || view->rank > QKV_MAX_RANK)
        return qkv__fail(error, QKV_ERROR_SHAPE, "%s has rank %d; expected 1 to %d", name,
                         view->rank, QKV_MAX_RANK);
    if (qkv__type_size(view->type) == 0)
        return qkv__fail(error, QKV_ERROR_TYPE, "%s has no element type (%d)", name,
                         (int)view->type);
    bool empty = false;
    for (int axis = 0; axis < view->rank; axis++) empty = empty || view->shape[axis] == 0;
    if (empty) return QKV_OK;
    if (!is_small(view) && !(count_fits(view) && extent_fits(view)))
        return qkv__fail(error, QKV_ERROR_SHAPE, "%s of shape %s is too large to address", name,
                         qkv__shape_format(view->rank, view->shape).text);
    if (view->data == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s has %zu elements but its data is NULL",
                         name, qkv_view_count(view));
    if ((uintptr_t)view->data % qkv__type_size(view->type) != 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s is not aligned to its %zu-byte elements",
                         name, qkv__type_size(view->type));
    return QKV_OK;
}

/* Dense views that are empty have such strides. */
qkv_status qkv__view_check_distinct(const qkv_view *view, const char *name, qkv_error *error)
{
    for (int axis = 0; axis < view->rank; axis++)
        if (view->shape[axis] > 1 && view->stride[axis] == 0 && qkv_view_count(view) > 0)
            return qkv__fail(error, QKV_ERROR_SHAPE,
                             "%s has stride 0 on axis %d: its %zu results would overwrite each "
                             "other",
                             name, axis, view->shape[axis]);
    return QKV_OK;
}

qkv_status qkv__view_check_output(const qkv_view *view, const char *name, qkv_error *error)
{
    qkv_status status = qkv__view_check(view, name, error);
    if (status != QKV_OK) return status;
    if (!qkv__type_is_float(view->type))
        return qkv__fail(error, QKV_ERROR_TYPE, "%s has type %s; expected f64, f32, f16 or bf16",
                         name, qkv_type_name(view->type));
    return qkv__view_check_distinct(view, name, error);
}

bool qkv__index_next(int rank, const size_t *shape, size_t *index)
{
    for (int axis = rank - 1; axis >= 0; axis--) {
        if (++index[axis] < shape[axis]) return true;
        index[axis] = 0;
    }
    return false;
}

qkv_status qkv_view_copy(const qkv_view *from, const qkv_view *to, qkv_error *error)
{
    qkv_status status = qkv__view_check(from, "source", error);
    if (status == QKV_OK) status = qkv__view_check(to, "destination", error);
    if (status == QKV_OK) status = qkv__view_check_distinct(to, "destination", error);
    if (status != QKV_OK) return status;
    if (from->rank != to->rank ||
        memcmp(from->shape, to->shape, (size_t)from->rank * sizeof from->shape[0]) != 0)
        return qkv__fail(error, QKV_ERROR_SHAPE, "source has shape %s, destination %s",
                         qkv__shape_format(from->rank, from->shape).text,
                         qkv__shape_format(to->rank, to->shape).text);
    if (qkv_view_count(from) == 0) return QKV_OK;
    size_t index[QKV_MAX_RANK] = {0};
    do {
        double value = qkv__load(from->type, from->data, qkv__view_offset(from, index));
        qkv__store(to->type, to->data, qkv__view_offset(to, index), value);
    } while (qkv__index_next(from->rank, from->shape, index));
    return QKV_OK;
}
