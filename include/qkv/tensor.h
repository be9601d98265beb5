/*
 * Element types, and strided views of memory that the caller owns.
 *
 * A view describes where numbers are stored; it owns nothing and is copied by value.
 * Shapes count elements; strides also count elements (not bytes) and may be zero or
 * negative, so transposed, sliced, reversed and broadcast arrays need no copy:
 *
 *     float q[2 * 5 * 64];                               // 2 heads, 5 queries, width 64
 *     qkv_view query = qkv_view_dense(QKV_F32, q, 3, (size_t[]){2, 5, 64});
 *
 * A function that takes a view as an input never writes through it, although the
 * pointer in it is not const.
 */
#ifndef QKV_TENSOR_H
#define QKV_TENSOR_H

#include <stddef.h>

#include <qkv/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum qkv_type {
    QKV_NONE = 0, /* no type: the type of an empty view */
    QKV_F64 = 1,
    QKV_F32 = 2,
    QKV_F16 = 3,  /* IEEE binary16, stored as uint16_t */
    QKV_BF16 = 4, /* the upper half of a binary32, stored as uint16_t */
    QKV_BOOL = 5, /* one byte, 0 or not 0; only for masks */
    QKV_I8 = 6,   /* a signed byte; only for keys and values with scales */
    QKV_E4M3 = 7, /* fp8: OCP's E4M3, largest number 448, no infinity; only for keys and values */
} qkv_type;

#define QKV_MAX_RANK 4

typedef struct qkv_view {
    void *data; /* the element at index 0, 0, ... */
    qkv_type type;
    int rank;                       /* 1 to QKV_MAX_RANK; 0 means that there is no view */
    size_t shape[QKV_MAX_RANK];     /* elements along each axis; zero is allowed */
    ptrdiff_t stride[QKV_MAX_RANK]; /* elements from one index to the next */
} qkv_view;

/* Bytes of one element; 0 for QKV_NONE and for an invalid type. */
QKV_API size_t qkv_type_size(qkv_type type);

/* "f64", "f32", "f16", "bf16", "bool", "i8", "e4m3", or "none". */
QKV_API const char *qkv_type_name(qkv_type type);

/* The type with that name, or QKV_NONE. */
QKV_API qkv_type qkv_type_from_name(const char *name);

/* A view of densely stored elements, the last axis running fastest (C order). */
QKV_API qkv_view qkv_view_dense(qkv_type type, void *data, int rank, const size_t *shape);

/* The number of elements: the product of the shape (1 for rank 0). */
QKV_API size_t qkv_view_count(const qkv_view *view);

/* The same elements with two axes exchanged: axes 1 and 2 turn (B, L, H, D) into (B, H, L, D). */
QKV_API qkv_view qkv_view_exchange(qkv_view view, int axis, int other);

/*
 * Heads packed side by side in the width become a separate axis, without a copy:
 * (L, H*D) becomes (H, L, D), and (B, L, H*D) becomes (B, H, L, D).
 */
QKV_API qkv_status qkv_view_split_heads(const qkv_view *packed, size_t heads, qkv_view *split,
                                        qkv_error *error);

/*
 * Element by element conversion between views of one shape and any two types, correctly
 * rounded to nearest even. Boolean elements count as 0 and 1. Conversion to i8 clamps to -128
 * and 127, and NaN becomes 0; conversion to e4m3 clamps to -448 and 448, infinities too, and NaN
 * stays NaN. Scales are not applied.
 */
QKV_API qkv_status qkv_view_copy(const qkv_view *from, const qkv_view *to, qkv_error *error);

#ifdef __cplusplus
}
#endif
#endif
