/*
 * Other people's arrays as views, without a copy: by the buffer protocol, or else by `__dlpack__`;
 * and new arrays of the same kind. Knows nothing of attention.
 */
#ifndef QKV_PYTHON_ARRAY_H
#define QKV_PYTHON_ARRAY_H

#include "module.h"

/* What an array is, so that results can be the same. */
typedef enum array_kind {
    ARRAY_MEMORY = 0,    /* anything else with a buffer: results are memoryviews */
    ARRAY_NUMPY = 1,     /* numpy.ndarray */
    ARRAY_TORCH = 2,     /* torch.Tensor on a CPU */
    ARRAY_NAMESPACE = 3, /* has __array_namespace__, whose from_dlpack makes results */
} array_kind;

/* An array that is held open; all zero: none. */
typedef struct array {
    qkv_view view;
    array_kind kind;
    bool has_buffer;
    Py_buffer buffer;
    PyObject *capsule; /* DLPack's; keeps the memory as long as we hold it */
} array;

/*
 * Opens an array of 1 to QKV_MAX_RANK axes; `name` is what messages call it. On failure there is
 * nothing to close. The object must outlive the open array.
 */
bool array_open(module_state *state, PyObject *object, const char *name, bool writable, array *a);

void array_close(array *a);

/* Tells the library of an array that is open for writing that its numbers change. */
bool array_changed(const module_state *state, const array *a, PyObject *object);

/* overlap.c: whether two views have a byte in common. Exact for all but contrived strides. */
bool views_meet(const qkv_view *a, const qkv_view *b);

/* Whether two elements of a view lie at one place. */
bool view_meets_itself(const qkv_view *view);

/*
 * A new array of a float type, densely stored, of the kind of `like` (whose object is `model`), and
 * opened for writing. Returns what array_finish turns into the result for the caller; NULL on
 * failure.
 */
PyObject *array_create(module_state *state, const array *like, PyObject *model, qkv_type type,
                       int rank, const size_t *shape, array *opened);

/* Closes, and gives what the caller of the package gets; steals `created`. */
PyObject *array_finish(const array *like, PyObject *model, PyObject *created, array *opened);

/* tensor.c: a new array of our own, to be opened through its buffer, or by the pointer. */
PyObject *tensor_create(module_state *state, qkv_type type, int rank, const size_t *shape,
                        qkv_view *view);

#endif
