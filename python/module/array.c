/* Other people's arrays as views: see array.h. */
#include "array.h"

#include <stdint.h>
#include <string.h>

#include "dlpack.h"

/* ---- Libraries that may be there ------------------------------------------------------------ */

/* A module that someone else has imported, or NULL without an exception. New reference. */
static PyObject *imported(const char *name)
{
    PyObject *text = PyUnicode_FromString(name);
    PyObject *module = text == NULL ? NULL : PyImport_GetModule(text);
    Py_XDECREF(text);
    if (module == NULL) PyErr_Clear();
    return module;
}

/* numpy.ndarray, if NumPy has been imported: who has no NumPy has no arrays of it. */
static PyObject *numpy_array(module_state *state)
{
    static const char *const names[5] = {NULL, "float64", "float32", "float16", NULL};
    if (state->array_type != NULL) return state->array_type;
    PyObject *numpy = imported("numpy");
    if (numpy == NULL) return NULL;
    PyObject *type = PyObject_GetAttrString(numpy, "ndarray");
    state->array_empty = PyObject_GetAttrString(numpy, "empty");
    for (int i = 1; i < 4; i++)
        state->array_types[i] = PyObject_CallMethod(numpy, "dtype", "s", names[i]);
    Py_DECREF(numpy);
    if (PyErr_Occurred() != NULL) { /* a module that is being imported, or something of that name */
        PyErr_Clear();
        Py_XDECREF(type);
        Py_CLEAR(state->array_empty);
        for (int i = 1; i < 4; i++) Py_CLEAR(state->array_types[i]);
        return NULL;
    }
    return state->array_type = type;
}

/* What tells autograd that a tensor was written to; NULL where torch is too old to have it. */
static PyObject *find_changed(void)
{
    PyObject *graph = imported("torch.autograd.graph");
    PyObject *found = graph == NULL ? NULL : PyObject_GetAttrString(graph, "increment_version");
    Py_XDECREF(graph);
    if (found == NULL) PyErr_Clear();
    return found;
}

/* What older versions of torch may not have; left NULL then. */
static void find_optional(PyObject *torch, module_state *state)
{
    state->torch_forward = imported("torch.autograd.forward_ad");
    state->torch_narrow = PyObject_GetAttrString(torch, "float8_e4m3fn");
    if (state->torch_narrow == NULL) PyErr_Clear();
    state->torch_bytes = PyObject_GetAttrString(torch, "int8");
}

static PyObject *torch_array(module_state *state)
{
    static const char *const names[5] = {NULL, "float64", "float32", "float16", "bfloat16"};
    if (state->torch_tensor != NULL) return state->torch_tensor;
    PyObject *torch = imported("torch");
    if (torch == NULL) return NULL;
    PyObject *changed = find_changed();
    PyObject *type = PyObject_GetAttrString(torch, "Tensor");
    PyObject *utilities = imported("torch.utils.dlpack");
    state->torch_export = utilities == NULL ? NULL : PyObject_GetAttrString(utilities, "to_dlpack");
    state->torch_grad_enabled = PyObject_GetAttrString(torch, "is_grad_enabled");
    state->torch_changed = changed;
    find_optional(torch, state);
    for (int i = 1; i < 5; i++) state->torch_types[i] = PyObject_GetAttrString(torch, names[i]);
    Py_XDECREF(utilities);
    Py_DECREF(torch);
    if (PyErr_Occurred() != NULL || state->torch_export == NULL) {
        PyErr_Clear();
        Py_XDECREF(type);
        Py_CLEAR(state->torch_export);
        Py_CLEAR(state->torch_grad_enabled);
        Py_CLEAR(state->torch_changed);
        Py_CLEAR(state->torch_forward);
        Py_CLEAR(state->torch_narrow);
        Py_CLEAR(state->torch_bytes);
        for (int i = 1; i < 5; i++) Py_CLEAR(state->torch_types[i]);
        return NULL;
    }
    return state->torch_tensor = type;
}

static bool is_instance(PyObject *object, PyObject *type)
{
    if (type == NULL) return false;
    if ((PyObject *)Py_TYPE(object) == type) return true;
    int answer = PyObject_IsInstance(object, type);
    if (answer < 0) PyErr_Clear();
    return answer > 0;
}

/* ---- Others' errors ------------------------------------------------------------------------- */

/* What an exporter complains of, with the name of the argument before it. */
static void name_error(const char *name)
{
    PyObject *const known[] = {PyExc_ValueError, PyExc_TypeError, PyExc_BufferError,
                               PyExc_RuntimeError, PyExc_NotImplementedError};
    PyObject *type, *value, *trace;
    bool plain = false;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) plain = plain || type == known[i];
    if (!plain) {
        PyErr_Restore(type, value, trace);
        return;
    }
    PyErr_Format(type, "%s: %S", name, value);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

/* ---- Layout --------------------------------------------------------------------------------- */

/* The first arrays have a length and a width; the library says so of those with one axis. */
static bool check_rank(const char *name, long long rank)
{
    if (rank >= 1 && rank <= QKV_MAX_RANK) return true;
    const bool wide = name[1] == '\0' || strcmp(name, "out") == 0;
    PyErr_Format(PyExc_ValueError, "%s: has %lld axes; expected %d to %d", name, rank, wide ? 2 : 1,
                 QKV_MAX_RANK);
    return false;
}

static bool check_place(const char *name, const qkv_view *view)
{
    if (qkv_view_count(view) == 0 || (uintptr_t)view->data % qkv_type_size(view->type) == 0)
        return true;
    PyErr_Format(PyExc_ValueError,
                 "%s: does not begin at a multiple of %zu bytes; expected an "
                 "aligned array",
                 name, qkv_type_size(view->type));
    return false;
}

/* ---- The buffer protocol --------------------------------------------------------------------- */

/* The type of a buffer's format, as the struct module writes it; QKV_NONE: none of ours. */
static qkv_type type_of_format(const char *format)
{
    const uint16_t probe = 1;
    bool little = *(const unsigned char *)&probe == 1;
    if (format == NULL) return QKV_NONE;
    bool native = strchr("@=", format[0]) != NULL || format[0] == (little ? '<' : '>');
    if (format[0] != '\0' && format[1] != '\0') {
        if (!native) return QKV_NONE;
        format++;
    }
    if (format[0] == '\0' || format[1] != '\0') return QKV_NONE;
    switch (format[0]) {
    case 'd': return QKV_F64;
    case 'f': return QKV_F32;
    case 'e': return QKV_F16;
    case '?': return QKV_BOOL;
    case 'b': return QKV_I8;
    default: return QKV_NONE;
    }
}

static bool describe_buffer(const char *name, qkv_type type, array *a)
{
    const Py_buffer *b = &a->buffer;
    qkv_view *view = &a->view;
    if (!check_rank(name, b->ndim)) return false;
    if (b->itemsize != (Py_ssize_t)qkv_type_size(type)) {
        PyErr_Format(PyExc_ValueError, "%s: has elements of %zd bytes; expected %zu for its format",
                     name, b->itemsize, qkv_type_size(type));
        return false;
    }
    size_t shape[QKV_MAX_RANK];
    for (int i = 0; i < b->ndim; i++) shape[i] = (size_t)b->shape[i];
    *view = qkv_view_dense(type, b->buf, b->ndim, shape);
    for (int i = 0; i < b->ndim && b->strides != NULL; i++) { /* NULL: dense, as ctypes has it */
        view->stride[i] = b->strides[i] / b->itemsize;
        if (b->strides[i] % b->itemsize == 0 || b->shape[i] <= 1) continue;
        PyErr_Format(PyExc_ValueError,
                     "%s: axis %d has a stride of %zd bytes; expected a multiple of the element's "
                     "%zd",
                     name, i, b->strides[i], b->itemsize);
        return false;
    }
    return check_place(name, view);
}

/* Says which argument gave no buffer, and whether it is only that it may not be written to. */
static bool refuse_buffer(PyObject *object, const char *name, bool writable)
{
    PyObject *type, *value, *trace;
    Py_buffer readable;
    PyErr_Fetch(&type, &value, &trace);
    if (writable && PyObject_GetBuffer(object, &readable, PyBUF_RECORDS_RO) == 0) {
        PyBuffer_Release(&readable);
        PyErr_Format(PyExc_ValueError, "%s: is read-only; expected an array to write to", name);
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        return false;
    }
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
    name_error(name);
    return false;
}

/* type: what the elements are if their format does not say it; QKV_NONE: the format says. */
static bool open_buffer(PyObject *object, const char *name, bool writable, qkv_type type, array *a)
{
    if (PyObject_GetBuffer(object, &a->buffer, writable ? PyBUF_RECORDS : PyBUF_RECORDS_RO) < 0)
        return refuse_buffer(object, name, writable);
    a->has_buffer = true;
    if (type == QKV_NONE) type = type_of_format(a->buffer.format);
    if (type == QKV_NONE)
        PyErr_Format(PyExc_ValueError,
                     "%s: has elements of the format '%s'; expected f64 ('d'), "
                     "f32 ('f'), f16 ('e') or bf16, or '?' for a mask",
                     name, a->buffer.format == NULL ? "B" : a->buffer.format);
    if (type != QKV_NONE && describe_buffer(name, type, a)) return true;
    array_close(a);
    return false;
}

/* Types that NumPy has not of its own, and what they are made of. */
static const struct {
    const char *name, *made_of;
    qkv_type type;
} other_types[] = {{"bfloat16", "uint16", QKV_BF16}, {"float8_e4m3fn", "uint8", QKV_E4M3}};

/* NumPy gives no buffer of types that others add to it: they are seen as what they are made of. The
 * view of the array is kept by the buffer. */
static bool open_numpy_other(PyObject *object, const char *name, bool writable, array *a)
{
    PyObject *kind = NULL, *value, *trace, *seen = NULL;
    PyErr_Fetch(&kind, &value, &trace);
    PyObject *type = PyObject_GetAttrString(object, "dtype");
    PyObject *title = type == NULL ? NULL : PyObject_GetAttrString(type, "name");
    qkv_type found = QKV_NONE;
    for (size_t i = 0; title != NULL && i < sizeof other_types / sizeof other_types[0]; i++) {
        if (PyUnicode_CompareWithASCIIString(title, other_types[i].name) != 0) continue;
        found = other_types[i].type;
        seen = PyObject_CallMethod(object, "view", "s", other_types[i].made_of);
    }
    Py_XDECREF(title);
    Py_XDECREF(type);
    if (seen == NULL) {
        PyErr_Clear();
        PyErr_Restore(kind, value, trace);
        return false;
    }
    Py_XDECREF(kind);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    bool good = open_buffer(seen, name, writable, found, a);
    Py_DECREF(seen);
    return good;
}

/* ---- DLPack --------------------------------------------------------------------------------- */

static qkv_type type_of_dlpack(dlpack_type type)
{
    if (type.lanes != 1) return QKV_NONE;
    if (type.kind == DLPACK_FLOAT && type.bits == 64) return QKV_F64;
    if (type.kind == DLPACK_FLOAT && type.bits == 32) return QKV_F32;
    if (type.kind == DLPACK_FLOAT && type.bits == 16) return QKV_F16;
    if (type.kind == DLPACK_BFLOAT && type.bits == 16) return QKV_BF16;
    if (type.kind == DLPACK_BOOL && type.bits == 8) return QKV_BOOL;
    if (type.kind == DLPACK_INT && type.bits == 8) return QKV_I8;
    return QKV_NONE;
}

static bool check_device(const char *name, dlpack_device device)
{
    if (device.type == DLPACK_CPU || device.type == DLPACK_CUDA_HOST ||
        device.type == DLPACK_ROCM_HOST)
        return true;
    bool graphics = device.type == DLPACK_CUDA || device.type == DLPACK_ROCM;
    PyErr_Format(PyExc_ValueError,
                 "%s: lies on %s (DLPack's device %d:%d), which this build does not compute on; "
                 "expected an array in the CPU's memory",
                 name, graphics ? "a GPU" : "a device", (int)device.type, (int)device.index);
    return false;
}

/* With the name that NumPy and torch have for the type, "int64". */
static bool refuse_dlpack(const char *name, dlpack_type type)
{
    static const char *const kinds[] = {"int",    "uint",    "float", "opaque",
                                        "bfloat", "complex", "bool"};
    bool known = type.kind < sizeof kinds / sizeof kinds[0];
    PyErr_Format(PyExc_ValueError,
                 "%s: has elements of type %s%d%s; expected f64, f32, f16 or bf16, or bool for a "
                 "mask",
                 name, known ? kinds[type.kind] : "other", type.bits,
                 type.lanes == 1 ? "" : " in vectors");
    return false;
}

static bool describe_dlpack(const char *name, const dlpack_tensor *t, qkv_view *view)
{
    qkv_type type = type_of_dlpack(t->type);
    ptrdiff_t dense = 1;
    if (!check_device(name, t->device) || !check_rank(name, t->rank)) return false;
    if (type == QKV_NONE) return refuse_dlpack(name, t->type);
    *view = (qkv_view){.type = type, .rank = t->rank};
    view->data = t->data == NULL ? NULL : (char *)t->data + t->byte_offset;
    for (int i = t->rank - 1; i >= 0; i--) {
        if (t->shape[i] < 0) {
            PyErr_Format(PyExc_ValueError, "%s: axis %d has a size of %lld; expected 0 or more",
                         name, i, (long long)t->shape[i]);
            return false;
        }
        view->shape[i] = (size_t)t->shape[i];
        view->stride[i] = t->strides == NULL ? dense : (ptrdiff_t)t->strides[i];
        dense *= (ptrdiff_t)t->shape[i];
    }
    return check_place(name, view);
}

/*
 * The capsule stays as it was handed out: it frees the tensor itself when we let it go. One without
 * a version cannot say that its tensor must not be written to, and so counts as read-only, unless
 * `known` says that whoever made it lets it be written to.
 */
static bool open_capsule(PyObject *capsule, const char *name, bool writable, bool known, array *a)
{
    const dlpack_tensor *tensor = NULL;
    bool read_only = !known;
    if (PyCapsule_IsValid(capsule, DLPACK_CAPSULE)) {
        tensor = &((dlpack_managed *)PyCapsule_GetPointer(capsule, DLPACK_CAPSULE))->tensor;
    } else if (PyCapsule_IsValid(capsule, DLPACK_CAPSULE_VERSIONED)) {
        dlpack_managed_versioned *m = PyCapsule_GetPointer(capsule, DLPACK_CAPSULE_VERSIONED);
        if (m->version.major == 1) tensor = &m->tensor;
        read_only = (m->flags & DLPACK_FLAG_READ_ONLY) != 0;
    }
    if (tensor == NULL) {
        PyErr_Format(PyExc_ValueError,
                     "%s: __dlpack__ gave something else than a tensor of DLPack "
                     "0 or 1",
                     name);
    } else if (writable && read_only) {
        PyErr_Format(PyExc_ValueError,
                     "%s: is read-only, or does not say otherwise by DLPack 1; expected an array "
                     "to write to",
                     name);
    } else if (describe_dlpack(name, tensor, &a->view)) {
        a->capsule = capsule;
        Py_INCREF(capsule);
        return true;
    }
    return false;
}

/* __dlpack__(max_version=(1, 1)), or, where that is not known, __dlpack__(). */
static PyObject *export_dlpack(PyObject *object)
{
    PyObject *method = PyObject_GetAttrString(object, "__dlpack__"), *capsule = NULL;
    PyObject *none = PyTuple_New(0), *version = Py_BuildValue("{s(ii)}", "max_version", 1, 1);
    if (method != NULL && none != NULL && version != NULL)
        capsule = PyObject_Call(method, none, version);
    if (capsule == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        capsule = PyObject_Call(method, none, NULL);
    }
    Py_XDECREF(version);
    Py_XDECREF(none);
    Py_XDECREF(method);
    return capsule;
}

static bool open_dlpack(PyObject *object, const char *name, bool writable, array *a)
{
    PyObject *capsule = export_dlpack(object);
    if (capsule == NULL) name_error(name);
    bool good = capsule != NULL && open_capsule(capsule, name, writable, false, a);
    Py_XDECREF(capsule);
    return good;
}

/* ---- PyTorch -------------------------------------------------------------------------------- */

/* What is written into a fresh array, or read from one that wants a gradient, is not seen by
 * autograd: better an error than a gradient that is silently missing. */
static bool check_gradient(module_state *state, PyObject *object, const char *name)
{
    PyObject *wanted = PyObject_GetAttrString(object, "requires_grad");
    int answer = wanted == NULL ? -1 : PyObject_IsTrue(wanted);
    Py_XDECREF(wanted);
    if (answer <= 0) return answer == 0;
    PyObject *enabled = PyObject_CallFunctionObjArgs(state->torch_grad_enabled, NULL);
    answer = enabled == NULL ? -1 : PyObject_IsTrue(enabled);
    Py_XDECREF(enabled);
    if (answer > 0)
        PyErr_Format(PyExc_ValueError,
                     "%s: requires a gradient, which is not kept here; expected %s.detach()", name,
                     name);
    return answer == 0;
}

/* Forward-mode differentiation hides a tangent behind a tensor, which would be lost. */
static bool check_tangent(module_state *state, PyObject *object, const char *name)
{
    if (state->torch_forward == NULL) return true;
    PyObject *level = PyObject_GetAttrString(state->torch_forward, "_current_level");
    const long depth = level == NULL ? -1 : PyLong_AsLong(level);
    Py_XDECREF(level);
    if (PyErr_Occurred() != NULL) return PyErr_Clear(), true;
    if (depth < 0) return true;
    PyObject *dual = PyObject_CallMethod(state->torch_forward, "unpack_dual", "O", object);
    PyObject *tangent = dual == NULL ? NULL : PyObject_GetAttrString(dual, "tangent");
    const bool none = tangent == Py_None;
    if (tangent != NULL && !none)
        PyErr_Format(PyExc_NotImplementedError,
                     "%s: carries a tangent; forward-mode differentiation is not offered", name);
    Py_XDECREF(tangent);
    Py_XDECREF(dual);
    return none;
}

/* torch's fp8 goes through DLPack as the bytes that it is made of. */
static PyObject *plain_narrow(module_state *state, PyObject *object, bool *narrow)
{
    if (state->torch_narrow == NULL) return Py_NewRef(object);
    PyObject *type = PyObject_GetAttrString(object, "dtype");
    *narrow = type == state->torch_narrow;
    Py_XDECREF(type);
    if (type == NULL) return NULL;
    return *narrow ? PyObject_CallMethod(object, "view", "O", state->torch_bytes)
                   : Py_NewRef(object);
}

/* Parts of conjugated tensors may be stored with the other sign, which DLPack cannot say: then a
 * copy has to do. */
static PyObject *plain_torch(PyObject *object)
{
    PyObject *negated = PyObject_CallMethod(object, "is_neg", NULL);
    int answer = negated == NULL ? -1 : PyObject_IsTrue(negated);
    Py_XDECREF(negated);
    if (answer == 0) return Py_NewRef(object);
    return answer < 0 ? NULL : PyObject_CallMethod(object, "resolve_neg", NULL);
}

static bool open_torch(module_state *state, PyObject *object, const char *name, bool writable,
                       array *a)
{
    bool narrow = false;
    if (!check_gradient(state, object, name) || !check_tangent(state, object, name)) return false;
    PyObject *seen = plain_narrow(state, object, &narrow), *capsule = NULL;
    PyObject *plain = seen == NULL ? NULL : narrow ? Py_NewRef(seen) : plain_torch(seen);
    Py_XDECREF(seen);
    if (plain != NULL && writable && plain != object)
        PyErr_Format(PyExc_ValueError, "%s: is a negated view; expected an array to write to",
                     name);
    else if (plain != NULL)
        capsule = PyObject_CallFunctionObjArgs(state->torch_export, plain, NULL);
    if (plain != NULL && (plain == object || narrow) && capsule == NULL) name_error(name);
    bool good = capsule != NULL && open_capsule(capsule, name, writable, true, a);
    if (good && narrow) a->view.type = QKV_E4M3;
    Py_XDECREF(capsule);
    Py_XDECREF(plain);
    return good;
}

/* ---- Any array ------------------------------------------------------------------------------ */

static bool open_other(PyObject *object, const char *name, bool writable, array *a)
{
    bool packs = PyObject_HasAttrString(object, "__dlpack__") != 0;
    if (PyObject_HasAttrString(object, "__array_namespace__")) a->kind = ARRAY_NAMESPACE;
    if (PyObject_CheckBuffer(object)) {
        if (open_buffer(object, name, writable, QKV_NONE, a)) return true;
        if (!packs) return false;
        PyErr_Clear();
    }
    if (packs) return open_dlpack(object, name, writable, a);
    PyObject *type = PyType_GetName(Py_TYPE(object));
    if (type != NULL)
        PyErr_Format(PyExc_TypeError,
                     "%s: is of type %U; expected an array, with the buffer "
                     "protocol or __dlpack__",
                     name, type);
    Py_XDECREF(type);
    return false;
}

/* The entries that a masked array of NumPy's hides are no numbers to compute with. */
static bool check_unmasked(module_state *state, PyObject *object, const char *name)
{
    if ((PyObject *)Py_TYPE(object) == state->array_type) return true;
    PyObject *module = imported("numpy.ma");
    PyObject *type = module == NULL ? NULL : PyObject_GetAttrString(module, "MaskedArray");
    if (type == NULL) PyErr_Clear();
    bool masked = is_instance(object, type);
    Py_XDECREF(type);
    Py_XDECREF(module);
    if (masked)
        PyErr_Format(
            PyExc_ValueError,
            "%s: is a masked array; expected what its filled() gives, with no entry hidden", name);
    return !masked;
}

bool array_open(module_state *state, PyObject *object, const char *name, bool writable, array *a)
{
    a->kind = ARRAY_MEMORY;
    a->has_buffer = false;
    a->capsule = NULL;
    if (is_instance(object, numpy_array(state))) {
        a->kind = ARRAY_NUMPY;
        if (!check_unmasked(state, object, name)) return false;
        return open_buffer(object, name, writable, QKV_NONE, a) ||
               open_numpy_other(object, name, writable, a);
    }
    if (is_instance(object, torch_array(state))) {
        a->kind = ARRAY_TORCH;
        return open_torch(state, object, name, writable, a);
    }
    return open_other(object, name, writable, a);
}

bool array_changed(const module_state *state, const array *a, PyObject *object)
{
    if (a->kind != ARRAY_TORCH || state->torch_changed == NULL) return true;
    PyObject *none = PyObject_CallFunctionObjArgs(state->torch_changed, object, NULL);
    Py_XDECREF(none);
    return none != NULL;
}

void array_close(array *a)
{
    if (a->has_buffer) PyBuffer_Release(&a->buffer);
    a->has_buffer = false;
    Py_CLEAR(a->capsule);
}

/* ---- New arrays ----------------------------------------------------------------------------- */

static PyObject *shape_tuple(int rank, const size_t *shape)
{
    PyObject *tuple = PyTuple_New(rank);
    for (int i = 0; tuple != NULL && i < rank; i++) {
        PyObject *size = PyLong_FromSize_t(shape[i]);
        if (size == NULL || PyTuple_SetItem(tuple, i, size) < 0) Py_CLEAR(tuple);
    }
    return tuple;
}

/* A bfloat16 of NumPy's is that of the model. */
static PyObject *create_numpy(module_state *state, PyObject *model, qkv_type type, PyObject *shape)
{
    PyObject *kind = type == QKV_BF16 ? PyObject_GetAttrString(model, "dtype")
                                      : Py_NewRef(state->array_types[type]);
    PyObject *made =
        kind == NULL ? NULL : PyObject_CallFunctionObjArgs(state->array_empty, shape, kind, NULL);
    Py_XDECREF(kind);
    return made;
}

static PyObject *create_torch(module_state *state, PyObject *model, bool same, qkv_type type,
                              PyObject *shape)
{
    PyObject *method = PyObject_GetAttrString(model, "new_empty"), *made = NULL;
    PyObject *words = same ? NULL : Py_BuildValue("{sO}", "dtype", state->torch_types[type]);
    PyObject *arguments = PyTuple_Pack(1, shape);
    if (method != NULL && (same || words != NULL) && arguments != NULL)
        made = PyObject_Call(method, arguments, words);
    Py_XDECREF(arguments);
    Py_XDECREF(words);
    Py_XDECREF(method);
    return made;
}

PyObject *array_create(module_state *state, const array *like, PyObject *model, qkv_type type,
                       int rank, const size_t *shape, array *opened)
{
    *opened = (array){.kind = like->kind};
    if (type < QKV_F64 || type > QKV_BF16)
        return PyErr_Format(PyExc_ValueError,
                            "q: has elements of type %s; expected f64, f32, f16 or bf16",
                            qkv_type_name(type));
    bool theirs = like->kind == ARRAY_NUMPY || like->kind == ARRAY_TORCH;
    if (!theirs) return tensor_create(state, type, rank, shape, &opened->view);
    PyObject *tuple = shape_tuple(rank, shape);
    if (tuple == NULL) return NULL;
    PyObject *made = like->kind == ARRAY_NUMPY
                         ? create_numpy(state, model, type, tuple)
                         : create_torch(state, model, type == like->view.type, type, tuple);
    Py_DECREF(tuple);
    if (made != NULL && !array_open(state, made, "result", true, opened)) Py_CLEAR(made);
    return made;
}

/* from_dlpack of the namespace that the model belongs to. */
static PyObject *give_to_namespace(PyObject *model, PyObject *created)
{
    PyObject *space = PyObject_CallMethod(model, "__array_namespace__", NULL);
    PyObject *result =
        space == NULL ? NULL : PyObject_CallMethod(space, "from_dlpack", "O", created);
    Py_XDECREF(space);
    return result;
}

PyObject *array_finish(const array *like, PyObject *model, PyObject *created, array *opened)
{
    PyObject *result = created;
    if (like->kind == ARRAY_NAMESPACE) result = give_to_namespace(model, created);
    /* There is no buffer's format for bfloat16: that result is our own array, with __dlpack__. */
    if (like->kind == ARRAY_MEMORY && opened->view.type != QKV_BF16)
        result = PyMemoryView_FromObject(created);
    array_close(opened);
    if (result != created) Py_DECREF(created);
    return result;
}
