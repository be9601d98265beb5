/* The operator's arguments: see operator.h. Computes nothing. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "operator.h"

/* What a parameter is called, and the bits of the functions that take it. */
typedef struct parameter_row {
    const char *name;
    int functions;
} parameter_row;

enum { NO, YES, ALL = FUNCTION_ATTENTION | FUNCTION_OPERATOR | FUNCTION_GRADIENT };

static const parameter_row parameters[PARAMETER_COUNT] = {
    [PARAMETER_QUERY] = {"q", ALL},
    [PARAMETER_KEY] = {"k", ALL},
    [PARAMETER_VALUE] = {"v", ALL},
#define OPTION(id, command, python) [PARAMETER_##id] = python,
#define PYTHON_OPTION(id, python) [PARAMETER_##id] = python,
#define PYTHON(name, otherwise, type, attention, operator, gradient, help)                         \
    {                                                                                              \
        name, FUNCTION_ATTENTION *attention | FUNCTION_OPERATOR *operator|                         \
                  FUNCTION_GRADIENT * gradient                                                     \
    }
#include "../../src/attention/options.def"
};

enum { POSITIONAL = 3 };

/* ---- Words --------------------------------------------------------------------------------- */

bool parameters_initialise(module_state *state)
{
    state->parameters = PyMem_Calloc(PARAMETER_COUNT, sizeof *state->parameters);
    for (int i = 0; i < PARAMETER_COUNT && state->parameters != NULL; i++) {
        state->parameters[i] = PyUnicode_InternFromString(parameters[i].name);
        if (state->parameters[i] == NULL) return false;
    }
    if (state->parameters == NULL) PyErr_NoMemory();
    return state->parameters != NULL;
}

void parameters_forget(module_state *state)
{
    for (int i = 0; i < PARAMETER_COUNT && state->parameters != NULL; i++)
        Py_CLEAR(state->parameters[i]);
    PyMem_Free(state->parameters);
    state->parameters = NULL;
}

/* The parameter of that name, or PARAMETER_COUNT. Words in a source text are interned. */
static int find_parameter(module_state *state, PyObject *name)
{
    for (int i = 0; i < PARAMETER_COUNT; i++)
        if (state->parameters[i] == name) return i;
    for (int i = 0; i < PARAMETER_COUNT; i++)
        if (PyUnicode_CompareWithASCIIString(name, parameters[i].name) == 0) return i;
    return PARAMETER_COUNT;
}

static bool take_word(module_state *state, const char *called, operator_function function,
                      PyObject *name, PyObject *value, arguments *read)
{
    int which = find_parameter(state, name);
    if (which == PARAMETER_COUNT || (parameters[which].functions & (int)function) == 0) {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", called, name);
        return false;
    }
    if (read->of[which] != NULL) {
        PyErr_Format(PyExc_TypeError, "%s() got '%U' twice", called, name);
        return false;
    }
    read->of[which] = value;
    return true;
}

bool arguments_read(module_state *state, const char *name, operator_function function,
                    PyObject *const *given, Py_ssize_t count, PyObject *names, arguments *read)
{
    Py_ssize_t words = names == NULL ? 0 : PyTuple_Size(names);
    memset(read, 0, sizeof *read);
    if (count > POSITIONAL) {
        PyErr_Format(PyExc_TypeError,
                     "%s() takes 3 positional arguments, q, k and v, but %zd were "
                     "given",
                     name, count);
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) read->of[i] = given[i];
    for (Py_ssize_t i = 0; i < words; i++)
        if (!take_word(state, name, function, PyTuple_GetItem(names, i), given[count + i], read))
            return false;
    for (int i = 0; i < POSITIONAL; i++)
        if (read->of[i] == NULL) {
            PyErr_Format(PyExc_TypeError, "%s() is missing the argument '%s'", name,
                         parameters[i].name);
            return false;
        }
    for (int i = POSITIONAL; i < PARAMETER_COUNT; i++)
        if (read->of[i] == Py_None) read->of[i] = NULL;
    return true;
}

/* ---- Numbers ------------------------------------------------------------------------------- */

/* A whole number, cut to what fits; names the argument where it is none. */
static bool read_whole(PyObject *object, const char *name, Py_ssize_t *number)
{
    if (!PyIndex_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s: got %R; expected a whole number", name, object);
        return false;
    }
    *number = PyNumber_AsSsize_t(object, NULL);
    return *number != -1 || PyErr_Occurred() == NULL;
}

bool read_count(PyObject *object, const char *name, size_t otherwise, size_t *count)
{
    Py_ssize_t number;
    *count = otherwise;
    if (object == NULL) return true;
    if (!read_whole(object, name, &number)) return false;
    if (number < 1) {
        PyErr_Format(PyExc_ValueError, "%s: got %zd; expected a whole number from 1", name, number);
        return false;
    }
    *count = (size_t)number;
    return true;
}

bool read_switch(PyObject *object, bool *on)
{
    int answer = object == NULL ? 0 : PyObject_IsTrue(object);
    *on = answer > 0;
    return answer >= 0;
}

static bool read_real(PyObject *object, const char *name, double *number)
{
    if (object == NULL) return true;
    *number = PyFloat_AsDouble(object);
    if (*number != -1.0 || PyErr_Occurred() == NULL) return true;
    if (PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError, "%s: got %R; expected a number", name, object);
    return false;
}

static bool read_scale(PyObject *object, qkv_attention_options *options)
{
    if (!read_real(object, "scale", &options->scale)) return false;
    if (object != NULL && options->scale == 0) options->scale = QKV_SCALE_ZERO;
    return true;
}

/* ---- Positions ------------------------------------------------------------------------------ */

static bool read_alignment(PyObject *object, const char *name, qkv_alignment *alignment)
{
    if (PyUnicode_Check(object)) {
        if (PyUnicode_CompareWithASCIIString(object, "top-left") == 0)
            return *alignment = QKV_ALIGN_TOP_LEFT, true;
        if (PyUnicode_CompareWithASCIIString(object, "bottom-right") == 0)
            return *alignment = QKV_ALIGN_BOTTOM_RIGHT, true;
    }
    PyErr_Format(PyExc_ValueError, "%s: got %R; expected \"top-left\" or \"bottom-right\"", name,
                 object);
    return false;
}

/* True, or the name of the alignment that it is meant with. */
static bool read_causal(PyObject *object, qkv_attention_options *options)
{
    if (object == NULL) return true;
    if (!PyUnicode_Check(object)) return read_switch(object, &options->causal);
    options->causal = true;
    return read_alignment(object, "causal", &options->alignment);
}

/* One side of a window; None: without an end. */
static bool read_side(PyObject *object, size_t *side)
{
    *side = QKV_UNLIMITED;
    Py_ssize_t number;
    if (object == NULL || object == Py_None) return object != NULL;
    if (!read_whole(object, "window", &number)) return false;
    if (number < 0) {
        PyErr_Format(PyExc_ValueError, "window: got a side of %zd; expected 0 or more, or None",
                     number);
        return false;
    }
    *side = (size_t)number;
    return true;
}

static bool read_sides(PyObject *object, qkv_attention_options *options)
{
    Py_ssize_t count = PyTuple_Check(object) || PyList_Check(object) ? PySequence_Size(object) : 0;
    if (count != 2 && count != 3) {
        PyErr_Format(PyExc_ValueError,
                     "window: got %R; expected a number of keys, (left, right), or "
                     "(left, right, alignment)",
                     object);
        return false;
    }
    PyObject *left = PySequence_GetItem(object, 0), *right = PySequence_GetItem(object, 1);
    bool good = read_side(left, &options->window_left) && read_side(right, &options->window_right);
    Py_XDECREF(left);
    Py_XDECREF(right);
    if (!good || count == 2) return good;
    PyObject *alignment = PySequence_GetItem(object, 2);
    good = alignment != NULL && read_alignment(alignment, "window", &options->alignment);
    Py_XDECREF(alignment);
    return good;
}

/* A number of keys to each side, or the two sides. */
static bool read_window(PyObject *object, qkv_attention_options *options)
{
    if (object == NULL) return true;
    options->window = true;
    if (!PyIndex_Check(object)) return read_sides(object, options);
    bool good = read_side(object, &options->window_left);
    options->window_right = options->window_left;
    return good;
}

static bool read_offset(PyObject *object, qkv_attention_options *options)
{
    if (object == NULL) return true;
    options->alignment = QKV_ALIGN_OFFSET;
    return read_whole(object, "offset", &options->query_offset);
}

/* ---- The rest of the options ---------------------------------------------------------------- */

static bool read_kernel(PyObject *object, qkv_attention_options *options)
{
    if (object == NULL) return true;
    options->kernel = PyUnicode_AsUTF8AndSize(object, NULL); /* lives as long as the argument */
    return options->kernel != NULL;
}

static bool read_threads(PyObject *object, qkv_attention_options *options)
{
    size_t threads;
    if (!read_count(object, "threads", 0, &threads)) return false;
    options->threads = threads > INT16_MAX ? INT16_MAX : (int)threads;
    return true;
}

/* One number per batch; as many as there are batches, or the message says. */
static bool read_key_lengths(PyObject *object, call *c)
{
    if (object == NULL) return true;
    size_t batch = c->query_view.rank == 4 ? c->query_view.shape[0] : 1;
    Py_ssize_t count = PySequence_Size(object);
    if (count < 0) return false;
    if ((size_t)count != batch) {
        PyErr_Format(PyExc_ValueError, "key_lengths: got %zd numbers; expected %zu, one per batch",
                     count, batch);
        return false;
    }
    c->key_lengths = PyMem_Calloc(batch + 1, sizeof *c->key_lengths);
    if (c->key_lengths == NULL) return PyErr_NoMemory(), false;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(object, i);
        c->key_lengths[i] = item == NULL ? 0 : PyLong_AsSize_t(item);
        Py_XDECREF(item);
        if (PyErr_Occurred() != NULL) return false;
    }
    c->options.key_lengths = c->key_lengths;
    return true;
}

static bool read_mask(module_state *state, PyObject *object, call *c)
{
    if (object == NULL) return true;
    if (!array_open(state, object, "mask", false, &c->mask)) return false;
    if (c->mask.view.type == QKV_I8) { /* more likely a bool that went astray than numbers to add */
        PyErr_SetString(PyExc_ValueError, "mask: has elements of type int8; expected bool for who "
                                          "takes part, or f64, f32, f16 or bf16 to be added");
        return false;
    }
    c->options.mask = c->mask.view;
    return true;
}

/* The options that are a number, each into the field of its name. */
static bool read_numbers(PyObject *const *of, qkv_attention_options *options)
{
#define NUMBER(id, field)                                                                          \
    if (!read_real(of[PARAMETER_##id], #field, &options->field)) return false;
#include "../../src/attention/options.def"
    return true;
}

static bool read_options(module_state *state, const arguments *given, call *c)
{
    qkv_attention_options *o = &c->options;
    PyObject *const *of = given->of, *alignment = of[PARAMETER_ALIGN];
    return read_scale(of[PARAMETER_SCALE], o) && read_numbers(of, o) &&
           read_causal(of[PARAMETER_CAUSAL], o) && read_window(of[PARAMETER_WINDOW], o) &&
           read_threads(of[PARAMETER_THREADS], o) && read_kernel(of[PARAMETER_KERNEL], o) &&
           (alignment == NULL || read_alignment(alignment, "alignment", &o->alignment)) &&
           read_offset(of[PARAMETER_OFFSET], o) && read_key_lengths(of[PARAMETER_KEY_LENGTHS], c) &&
           read_mask(state, of[PARAMETER_MASK], c);
}

/* ---- Errors --------------------------------------------------------------------------------- */

void call_raise(const qkv_error *error)
{
    static const char *const words[][2] = {
        {"query", "q"}, {"key", "k"}, {"value", "v"}, {"output", "out"}};
    qkv_error named = *error;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i][0]);
        if (strncmp(error->message, words[i][0], length) != 0 || error->message[length] != ' ')
            continue;
        snprintf(named.message, sizeof named.message, "%s%s", words[i][1], error->message + length);
    }
    raise_error(&named);
}

/* ---- The call ------------------------------------------------------------------------------ */

bool call_split(const call *c, size_t heads, qkv_view *view)
{
    qkv_view split;
    qkv_error error;
    if (c->heads == 0) return true;
    if (qkv_view_split_heads(view, heads, &split, &error) != QKV_OK)
        return call_raise(&error), false;
    *view = split;
    return true;
}

static bool read_heads(const arguments *given, call *c)
{
    size_t kv_heads;
    PyObject *heads = given->of[PARAMETER_HEADS], *fewer = given->of[PARAMETER_KV_HEADS];
    if (heads == NULL && fewer != NULL) {
        PyErr_SetString(PyExc_ValueError, "kv_heads: is given without heads; expected both, for "
                                          "heads that are packed in the width");
        return false;
    }
    if (!read_count(heads, "heads", 0, &c->heads) ||
        !read_count(fewer, "kv_heads", c->heads, &kv_heads))
        return false;
    c->query_view = c->query.view;
    c->key_view = c->key.view;
    c->value_view = c->value.view;
    return call_split(c, c->heads, &c->query_view) && call_split(c, kv_heads, &c->key_view) &&
           call_split(c, kv_heads, &c->value_view);
}

bool call_open(module_state *state, const arguments *given, call *c)
{
    *c = (call){.options = qkv_attention_default()};
    return array_open(state, given->of[PARAMETER_QUERY], "q", false, &c->query) &&
           array_open(state, given->of[PARAMETER_KEY], "k", false, &c->key) &&
           array_open(state, given->of[PARAMETER_VALUE], "v", false, &c->value) &&
           read_heads(given, c) && read_options(state, given, c);
}

void call_close(call *c)
{
    array_close(&c->query);
    array_close(&c->key);
    array_close(&c->value);
    array_close(&c->mask);
    PyMem_Free(c->key_lengths);
}
