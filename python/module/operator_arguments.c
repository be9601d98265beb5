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

enum { NO, YES, OPERATOR = FUNCTION_ATTENTION | FUNCTION_GRADIENT };

static const parameter_row parameters[PARAMETER_COUNT] = {
    [PARAMETER_QUERY] = {"q", OPERATOR},
    [PARAMETER_KEY] = {"k", OPERATOR},
    [PARAMETER_VALUE] = {"v", OPERATOR},
#define OPTION(id, command, python) [PARAMETER_##id] = python,
#define PYTHON_OPTION(id, python) [PARAMETER_##id] = python,
#define PYTHON(name, otherwise, type, attention, self, gradient, help)                             \
    {                                                                                              \
        name, FUNCTION_ATTENTION *attention | FUNCTION_SELF *self | FUNCTION_GRADIENT *gradient    \
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
    const Py_ssize_t words = names == NULL ? 0 : PyTuple_Size(names);
    const int positional = function == FUNCTION_SELF ? 1 : POSITIONAL;
    memset(read, 0, sizeof *read);
    if (count > positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes %s, but %zd were given", name,
                     positional == 1 ? "1 positional argument, x"
                                     : "3 positional arguments, q, k and v",
                     count);
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) read->of[i] = given[i];
    for (Py_ssize_t i = 0; i < words; i++)
        if (!take_word(state, name, function, PyTuple_GetItem(names, i), given[count + i], read))
            return false;
    for (int i = 0; i < positional; i++)
        if (read->of[i] == NULL) {
            PyErr_Format(PyExc_TypeError, "%s() is missing the argument '%s'", name,
                         positional == 1 ? "x" : parameters[i].name);
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

/* Whether a tensor of torch wants a gradient, and torch records. Leaves no error. */
static bool wants_gradient(PyObject *object)
{
    PyObject *wanted = PyObject_GetAttrString(object, "requires_grad"), *enabled = NULL;
    if (wanted != NULL && PyObject_IsTrue(wanted) > 0) {
        PyObject *torch = PyImport_ImportModule("torch");
        enabled = torch == NULL ? NULL : PyObject_CallMethod(torch, "is_grad_enabled", NULL);
        Py_XDECREF(torch);
    }
    const bool answer = enabled != NULL && PyObject_IsTrue(enabled) > 0;
    Py_XDECREF(wanted);
    Py_XDECREF(enabled);
    PyErr_Clear();
    return answer;
}

/* Such a tensor in place of a number would silently get no gradient. */
bool check_no_gradient(PyObject *object, const char *name)
{
    if (PyFloat_Check(object) || PyLong_Check(object) || !wants_gradient(object)) return true;
    PyErr_Format(PyExc_ValueError,
                 "%s: requires a gradient, which is not offered; expected a number", name);
    return false;
}

static bool read_real(PyObject *object, const char *name, double *number)
{
    if (object == NULL) return true;
    if (!check_no_gradient(object, name)) return false;
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

/* One alignment holds for all that compares positions: two that differ cannot both be meant. */
static bool set_alignment(qkv_attention_options *options, qkv_alignment alignment, const char *name)
{
    static const char *const words[] = {"", "\"top-left\"", "\"bottom-right\"", "an offset"};
    if (options->alignment == QKV_ALIGN_UNSET || options->alignment == alignment)
        return options->alignment = alignment, true;
    PyErr_Format(PyExc_ValueError, "%s: got %s beside %s; expected one alignment for all", name,
                 words[alignment], words[options->alignment]);
    return false;
}

static bool read_alignment(PyObject *object, const char *name, qkv_attention_options *options)
{
    if (PyUnicode_Check(object)) {
        if (PyUnicode_CompareWithASCIIString(object, "top-left") == 0)
            return set_alignment(options, QKV_ALIGN_TOP_LEFT, name);
        if (PyUnicode_CompareWithASCIIString(object, "bottom-right") == 0)
            return set_alignment(options, QKV_ALIGN_BOTTOM_RIGHT, name);
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
    return read_alignment(object, "causal", options);
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
    good = alignment != NULL && read_alignment(alignment, "window", options);
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
    if (!set_alignment(options, QKV_ALIGN_OFFSET, "offset")) return false;
    return read_whole(object, "offset", &options->query_offset);
}

/* ---- The rest of the options ---------------------------------------------------------------- */

static bool read_kernel(PyObject *object, qkv_attention_options *options)
{
    if (object == NULL) return true;
    Py_ssize_t length = 0;
    options->kernel = PyUnicode_AsUTF8AndSize(object, &length); /* lives as long as the argument */
    if (options->kernel == NULL || strlen(options->kernel) == (size_t)length)
        return options->kernel != NULL;
    PyErr_Format(PyExc_ValueError, "kernel: got %R; expected a name of kernels()", object);
    return false;
}

static bool read_threads(PyObject *object, qkv_attention_options *options)
{
    size_t threads;
    if (!read_count(object, "threads", 0, &threads)) return false;
    options->threads = threads > INT16_MAX ? INT16_MAX : (int)threads;
    return true;
}

/* A whole number of 64 bits; a negative one counts as its bits. */
static bool read_seed(PyObject *object, uint64_t *seed)
{
    if (object == NULL) return true;
    PyObject *number = PyNumber_Index(object);
    if (number != NULL) *seed = PyLong_AsUnsignedLongLongMask(number);
    Py_XDECREF(number);
    if (PyErr_Occurred() == NULL) return true;
    PyErr_Format(PyExc_TypeError, "seed: got %R; expected a whole number", object);
    return false;
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

static bool read_scales(module_state *state, PyObject *object, const char *name, array *a,
                        qkv_view *scales)
{
    if (object == NULL) return true;
    if (!array_open(state, object, name, false, a)) return false;
    *scales = a->view;
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

bool call_read_options(module_state *state, const arguments *given, call *c)
{
    qkv_attention_options *o = &c->options;
    PyObject *const *of = given->of, *alignment = of[PARAMETER_ALIGN];
    return read_scale(of[PARAMETER_SCALE], o) && read_numbers(of, o) &&
           read_causal(of[PARAMETER_CAUSAL], o) && read_window(of[PARAMETER_WINDOW], o) &&
           read_threads(of[PARAMETER_THREADS], o) && read_kernel(of[PARAMETER_KERNEL], o) &&
           (alignment == NULL || read_alignment(alignment, "alignment", o)) &&
           read_offset(of[PARAMETER_OFFSET], o) &&
           read_real(of[PARAMETER_DROPOUT], "dropout", &o->dropout) &&
           read_seed(of[PARAMETER_SEED], &o->seed) && lists_read(state, given, c) &&
           read_scales(state, of[PARAMETER_KEY_SCALES], "key_scales", &c->key_scales,
                       &o->key_scales) &&
           read_scales(state, of[PARAMETER_VALUE_SCALES], "value_scales", &c->value_scales,
                       &o->value_scales) &&
           read_mask(state, of[PARAMETER_MASK], c);
}

/* ---- Errors --------------------------------------------------------------------------------- */

/* The first of a word, where there is one, by one that is not longer. */
static void replace_word(char *text, size_t size, const char *word, const char *with)
{
    char rest[QKV_ERROR_CAPACITY], *at = strstr(text, word);
    if (at == NULL) return;
    snprintf(rest, sizeof rest, "%s", at + strlen(word));
    snprintf(at, size - (size_t)(at - text), "%s%s", with, rest);
}

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
    replace_word(named.message, sizeof named.message, " and query ", " and q ");
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
           read_heads(given, c) && call_read_options(state, given, c);
}

void call_close(call *c)
{
    array_close(&c->query);
    array_close(&c->key);
    array_close(&c->value);
    array_close(&c->mask);
    array_close(&c->key_scales);
    array_close(&c->value_scales);
    lists_free(c);
}
