/*
 * Arrays of our own, for results whose kind cannot be made otherwise: memory with the buffer
 * protocol and `__dlpack__`. Knows nothing of attention.
 */
#include <stdint.h>
#include <string.h>

#include "array.h"
#include "dlpack.h"

typedef struct tensor {
    PyObject_HEAD /**/
        qkv_view view;
    void *memory; /* view.data lies in it, at a multiple of ALIGNMENT */
    Py_ssize_t shape[QKV_MAX_RANK], strides[QKV_MAX_RANK]; /* as the buffer protocol counts */
} tensor;

enum { ALIGNMENT = 64 };

/* ---- Making -------------------------------------------------------------------------------- */

/* Bytes of so many elements with room to align them; 0: more than there can be. */
static size_t bytes_of(qkv_type type, int rank, const size_t *shape)
{
    size_t bytes = qkv_type_size(type);
    for (int i = 0; i < rank; i++) {
        if (shape[i] != 0 && bytes > (size_t)PY_SSIZE_T_MAX / 2 / shape[i]) return 0;
        bytes *= shape[i];
    }
    return bytes + ALIGNMENT;
}

PyObject *tensor_create(module_state *state, qkv_type type, int rank, const size_t *shape,
                        qkv_view *view)
{
    size_t bytes = bytes_of(type, rank, shape);
    PyTypeObject *kind = (PyTypeObject *)state->tensor_type;
    tensor *t = bytes == 0 ? NULL : (tensor *)PyType_GenericAlloc(kind, 0);
    if (t == NULL) return bytes == 0 ? PyErr_NoMemory() : NULL;
    t->memory = PyMem_Malloc(bytes);
    if (t->memory == NULL) {
        Py_DECREF(t);
        return PyErr_NoMemory();
    }
    uintptr_t place = (uintptr_t)t->memory, wanted = ALIGNMENT;
    void *data = (char *)t->memory + (wanted - place % wanted) % wanted;
    t->view = qkv_view_dense(type, data, rank, shape);
    for (int i = 0; i < rank; i++) {
        t->shape[i] = (Py_ssize_t)shape[i];
        t->strides[i] = t->view.stride[i] * (Py_ssize_t)qkv_type_size(type);
    }
    *view = t->view;
    return (PyObject *)t;
}

static void destroy(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyMem_Free(((tensor *)self)->memory);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* ---- The buffer protocol ------------------------------------------------------------------- */

static const char *format_of(qkv_type type)
{
    switch (type) {
    case QKV_F64: return "d";
    case QKV_F32: return "f";
    case QKV_F16: return "e";
    case QKV_BOOL: return "?";
    case QKV_I8: return "b";
    default: return NULL;
    }
}

static int get_buffer(PyObject *self, Py_buffer *buffer, int flags)
{
    tensor *t = (tensor *)self;
    const char *format = format_of(t->view.type);
    buffer->obj = NULL;
    if (format == NULL) {
        PyErr_SetString(PyExc_BufferError, "bf16 has no format in the buffer protocol; expected "
                                           "a reader of __dlpack__");
        return -1;
    }
    Py_ssize_t size = (Py_ssize_t)qkv_type_size(t->view.type);
    bool shaped = (flags & PyBUF_ND) == PyBUF_ND;
    buffer->obj = Py_NewRef(self);
    buffer->buf = t->view.data;
    buffer->len = (Py_ssize_t)qkv_view_count(&t->view) * size;
    buffer->itemsize = size;
    buffer->readonly = 0;
    buffer->ndim = shaped ? t->view.rank : 1;
    buffer->format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT ? (char *)(uintptr_t)format : NULL;
    buffer->shape = shaped ? t->shape : NULL;
    buffer->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? t->strides : NULL;
    buffer->suboffsets = NULL;
    buffer->internal = NULL;
    return 0;
}

/* ---- DLPack -------------------------------------------------------------------------------- */

/* One allocation for a capsule of either form: the sizes live behind the struct. */
typedef struct exported {
    union {
        dlpack_managed plain;
        dlpack_managed_versioned versioned;
    } as;
    int64_t shape[QKV_MAX_RANK], strides[QKV_MAX_RANK];
} exported;

/* May be called from any thread, by whoever took the tensor out of its capsule. */
static void release_exported(exported *e, void *owner)
{
    PyGILState_STATE held = PyGILState_Ensure();
    Py_XDECREF((PyObject *)owner);
    PyMem_Free(e);
    PyGILState_Release(held);
}

static void release_plain(dlpack_managed *self)
{
    release_exported((exported *)(void *)self, self->context);
}

static void release_versioned(dlpack_managed_versioned *self)
{
    release_exported((exported *)(void *)self, self->context);
}

/* A capsule that no one took frees what it holds; one that was taken has another name. */
static void release_capsule(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, DLPACK_CAPSULE))
        release_plain(PyCapsule_GetPointer(capsule, DLPACK_CAPSULE));
    else if (PyCapsule_IsValid(capsule, DLPACK_CAPSULE_VERSIONED))
        release_versioned(PyCapsule_GetPointer(capsule, DLPACK_CAPSULE_VERSIONED));
}

static dlpack_type dlpack_type_of(qkv_type type)
{
    uint8_t bits = (uint8_t)(8 * qkv_type_size(type));
    uint8_t kind = type == QKV_BF16   ? DLPACK_BFLOAT
                   : type == QKV_BOOL ? DLPACK_BOOL
                   : type == QKV_I8   ? DLPACK_INT
                                      : DLPACK_FLOAT;
    return (dlpack_type){kind, bits, 1};
}

static PyObject *make_capsule(tensor *t, bool versioned)
{
    exported *e = PyMem_Calloc(1, sizeof *e);
    if (e == NULL) return PyErr_NoMemory();
    dlpack_tensor tensor_ = {.data = t->view.data,
                             .device = {DLPACK_CPU, 0},
                             .rank = t->view.rank,
                             .type = dlpack_type_of(t->view.type),
                             .shape = e->shape,
                             .strides = e->strides};
    for (int i = 0; i < t->view.rank; i++) {
        e->shape[i] = (int64_t)t->view.shape[i];
        e->strides[i] = t->view.stride[i];
    }
    if (versioned)
        e->as.versioned = (dlpack_managed_versioned){
            .version = {1, 0}, .context = t, .release = release_versioned, .tensor = tensor_};
    else
        e->as.plain = (dlpack_managed){.tensor = tensor_, .context = t, .release = release_plain};
    PyObject *capsule =
        PyCapsule_New(e, versioned ? DLPACK_CAPSULE_VERSIONED : DLPACK_CAPSULE, release_capsule);
    if (capsule == NULL)
        PyMem_Free(e);
    else
        Py_INCREF((PyObject *)t);
    return capsule;
}

/* __dlpack__(*, max_version=None, ...): the rest is about devices and copies, and asks for what
 * this is anyway. */
static PyObject *to_dlpack(PyObject *self, PyObject *arguments, PyObject *words)
{
    long major = 0;
    PyObject *version = words == NULL ? NULL : PyDict_GetItemString(words, "max_version");
    (void)arguments;
    if (version != NULL && version != Py_None) {
        PyObject *first = PySequence_GetItem(version, 0);
        major = first == NULL ? -1 : PyLong_AsLong(first);
        Py_XDECREF(first);
        if (PyErr_Occurred() != NULL) return NULL;
    }
    return make_capsule((tensor *)self, major >= 1);
}

static PyObject *dlpack_device_of(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return Py_BuildValue("(ii)", DLPACK_CPU, 0);
}

/* ---- The type ------------------------------------------------------------------------------ */

static PyObject *get_shape(PyObject *self, void *unused)
{
    tensor *t = (tensor *)self;
    (void)unused;
    PyObject *sizes = PyTuple_New(t->view.rank);
    for (int i = 0; sizes != NULL && i < t->view.rank; i++) {
        PyObject *size = PyLong_FromSize_t(t->view.shape[i]);
        if (size == NULL || PyTuple_SetItem(sizes, i, size) < 0) Py_CLEAR(sizes);
    }
    return sizes;
}

static PyObject *get_type(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(qkv_type_name(((tensor *)self)->view.type));
}

static PyMethodDef methods[] = {
    {"__dlpack__", (PyCFunction)(void (*)(void))to_dlpack, METH_VARARGS | METH_KEYWORDS,
     "The tensor as a capsule of DLPack, of version 1 where max_version allows."},
    {"__dlpack_device__", dlpack_device_of, METH_NOARGS, "(1, 0): the CPU."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"shape", get_shape, NULL, "The sizes of its axes.", NULL},
    {"type", get_type, NULL, "The type of its elements: 'f64', 'f32', 'f16' or 'bf16'.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, (void *)(uintptr_t)destroy},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {Py_bf_getbuffer, (void *)(uintptr_t)get_buffer},
    {Py_tp_doc, "A result in memory of its own, with the buffer protocol and __dlpack__."},
    {0, NULL},
};

static PyType_Spec specification = {
    .name = "qkv.Tensor",
    .basicsize = sizeof(tensor),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

bool tensor_initialise(PyObject *module)
{
    module_state *state = module_state_of(module);
    state->tensor_type = PyType_FromModuleAndSpec(module, &specification, NULL);
    return state->tensor_type != NULL &&
           PyModule_AddObjectRef(module, "Tensor", state->tensor_type) == 0;
}
