/* Checks on views that every public function makes before it looks inside one. */
#ifndef QKV_BASE_VIEW_H
#define QKV_BASE_VIEW_H

#include <stdbool.h>

#include <qkv/tensor.h>

/* "(2, 3, 4)", for messages. */
typedef struct qkv__shape_text {
    char text[96];
} qkv__shape_text;

qkv__shape_text qkv__shape_format(int rank, const size_t *shape);

/*
 * A view that can be read: a known type, rank 1 to QKV_MAX_RANK, data where there are elements,
 * and offsets that fit in ptrdiff_t as bytes. `name` is what the message calls it.
 */
qkv_status qkv__view_check(const qkv_view *view, const char *name, qkv_error *error);

/* The same for a view to be written: also a float type, and no two indices on one element along
 * an axis of stride 0. */
qkv_status qkv__view_check_output(const qkv_view *view, const char *name, qkv_error *error);

/* No axis of stride 0, where elements are written. */
qkv_status qkv__view_check_distinct(const qkv_view *view, const char *name, qkv_error *error);

static inline bool qkv__type_is_float(qkv_type type)
{
    return type == QKV_F64 || type == QKV_F32 || type == QKV_F16 || type == QKV_BF16;
}

/* Types that only keys and values may have. */
static inline bool qkv__type_is_stored(qkv_type type)
{
    return type == QKV_I8 || type == QKV_E4M3;
}

/* Elements from the first one to (i0, i1, ...); unused indices are 0. */
static inline ptrdiff_t qkv__view_offset(const qkv_view *view, const size_t *index)
{
    ptrdiff_t offset = 0;
    for (int axis = 0; axis < view->rank; axis++)
        offset += (ptrdiff_t)index[axis] * view->stride[axis];
    return offset;
}

/* The next index in C order; false after the last. Start from all zeros, with no empty axis. */
bool qkv__index_next(int rank, const size_t *shape, size_t *index);

#endif
