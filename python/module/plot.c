/* Pictures: a figure of plot.h in a capsule, and its bytes in a format. */
#include <stdio.h>
#include <string.h>

#include <qkv/plot.h>

#include "array.h"

#define FIGURE "qkv.figure" /* the name of capsules that hold one */

/* Everything that a drawing holds; all zero: nothing. Lists end with NULL or are counted. */
typedef struct request {
    qkv_plot_options options;
    qkv_plot_attention attention;
    qkv_attention_options how;
    bool any; /* an attention is given */
    size_t *keys, *order;
    double *betas;
    array arrays[4]; /* weights, query, key, value */
    const char **names[3];
    Py_ssize_t name_counts[3]; /* of queries, keys, axes */
    size_t order_count;
} request;

/* ---- Words ---------------------------------------------------------------------------------- */

/* What a dict has under a name, borrowed; NULL where there is nothing, or None. */
static PyObject *word(PyObject *words, const char *name)
{
    PyObject *object = PyDict_GetItemString(words, name);
    return object == Py_None ? NULL : object;
}

/* In the place of an exception that does not say which argument it is about. */
static bool refuse(const char *name, PyObject *object, const char *expected)
{
    PyErr_Format(PyExc_ValueError, "%s: got %R; expected %s", name, object, expected);
    return false;
}

static bool read_real(PyObject *words, const char *name, double *number)
{
    PyObject *object = word(words, name);
    if (object != NULL) *number = PyFloat_AsDouble(object);
    return PyErr_Occurred() == NULL || refuse(name, object, "a number");
}

static bool read_number(PyObject *words, const char *name, uint64_t *number)
{
    PyObject *object = word(words, name);
    if (object != NULL) *number = PyLong_AsUnsignedLongLong(object);
    return PyErr_Occurred() == NULL || refuse(name, object, "a whole number from 0 on");
}

/* A list of whole numbers; NULL for none, or with an exception. */
static size_t *read_sizes(PyObject *words, const char *name, size_t *count)
{
    PyObject *list = word(words, name);
    Py_ssize_t length = list == NULL ? 0 : PySequence_Size(list);
    if (length <= 0) return NULL;
    size_t *sizes = PyMem_Calloc((size_t)length, sizeof *sizes);
    if (sizes == NULL) return PyErr_NoMemory(), NULL;
    for (Py_ssize_t i = 0; i < length && PyErr_Occurred() == NULL; i++) {
        PyObject *item = PySequence_GetItem(list, i);
        if (item != NULL) sizes[i] = PyLong_AsSize_t(item);
        Py_XDECREF(item);
    }
    if (PyErr_Occurred() != NULL) refuse(name, list, "whole numbers from 0 on");
    *count = (size_t)length;
    return sizes;
}

static double *read_reals(PyObject *words, const char *name, size_t *count)
{
    PyObject *list = word(words, name);
    Py_ssize_t length = list == NULL ? 0 : PySequence_Size(list);
    if (length <= 0) return NULL;
    double *reals = PyMem_Calloc((size_t)length, sizeof *reals);
    if (reals == NULL) return PyErr_NoMemory(), NULL;
    for (Py_ssize_t i = 0; i < length && PyErr_Occurred() == NULL; i++) {
        PyObject *item = PySequence_GetItem(list, i);
        if (item != NULL) reals[i] = PyFloat_AsDouble(item);
        Py_XDECREF(item);
    }
    if (PyErr_Occurred() != NULL) refuse(name, list, "numbers");
    *count = (size_t)length;
    return reals;
}

/* A tuple of str, which must live as long as the names. */
static bool read_names(PyObject *words, const char *name, const char ***names, Py_ssize_t *count)
{
    PyObject *tuple = word(words, name);
    Py_ssize_t length = tuple == NULL ? 0 : PyTuple_Size(tuple);
    if (tuple == NULL || length < 0) return tuple == NULL;
    *names = PyMem_Calloc((size_t)length + 1, sizeof **names);
    if (*names == NULL) return PyErr_NoMemory(), false;
    *count = length;
    for (Py_ssize_t i = 0; i < length; i++) {
        (*names)[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, i), NULL);
        if ((*names)[i] == NULL) return false;
    }
    return true;
}

static bool read_laws(PyObject *words, request *r)
{
    qkv_plot_options *o = &r->options;
    PyObject *title = word(words, "title"), *dark = word(words, "dark");
    o->theme = dark != NULL && PyObject_IsTrue(dark) > 0 ? QKV_THEME_DARK : QKV_THEME_LIGHT;
    if (title != NULL && !PyUnicode_Check(title)) return refuse("title", title, "a text");
    if (title != NULL) o->title = PyUnicode_AsUTF8AndSize(title, NULL);
    o->keys = r->keys = read_sizes(words, "keys", &o->key_count);
    o->betas = r->betas = read_reals(words, "beta", &o->beta_count);
    return PyErr_Occurred() == NULL && read_real(words, "width", &o->width) &&
           read_real(words, "noise", &o->noise) && read_real(words, "tolerance", &o->tolerance) &&
           read_number(words, "samples", &o->samples) && read_number(words, "seed", &o->seed);
}

/* ---- Attention ------------------------------------------------------------------------------ */

static bool open_arrays(module_state *state, PyObject *words, request *r)
{
    static const char *const names[4] = {"weights", "query", "key", "value"};
    const qkv_view **const views[4] = {&r->attention.weights, &r->attention.query,
                                       &r->attention.key, &r->attention.value};
    for (int i = 0; i < 4; i++) {
        PyObject *object = word(words, names[i]);
        if (object == NULL) continue;
        if (!array_open(state, object, names[i], false, &r->arrays[i])) return false;
        *views[i] = &r->arrays[i].view;
        r->any = true;
    }
    return true;
}

static bool read_how(PyObject *words, request *r)
{
    PyObject *causal = word(words, "causal");
    r->how = qkv_attention_default();
    r->attention.attention = &r->how;
    if (!read_real(words, "scale", &r->how.scale)) return false;
    if (word(words, "scale") != NULL && r->how.scale == 0) r->how.scale = QKV_SCALE_ZERO;
    if (causal == NULL) return true;
    bool named = PyUnicode_Check(causal);
    int on = named ? 1 : PyObject_IsTrue(causal);
    r->how.causal = on > 0;
    if (named && PyUnicode_CompareWithASCIIString(causal, "top-left") == 0)
        r->how.alignment = QKV_ALIGN_TOP_LEFT;
    if (named && PyUnicode_CompareWithASCIIString(causal, "bottom-right") == 0)
        r->how.alignment = QKV_ALIGN_BOTTOM_RIGHT;
    return on >= 0;
}

static size_t size_of(const qkv_view *view, int behind)
{
    return view == NULL || view->rank < 2 ? 0 : view->shape[view->rank - 1 - behind];
}

/* The library takes names by what they belong to: there must be as many. */
static bool check_names(const request *r)
{
    static const char *const what[3] = {"query_tokens", "tokens", "axes"};
    const qkv_plot_attention *a = &r->attention;
    const size_t expected[3] = {a->weights != NULL ? size_of(a->weights, 1) : size_of(a->query, 1),
                                a->weights != NULL ? size_of(a->weights, 0) : size_of(a->key, 1),
                                size_of(a->value, 0)};
    for (int i = 0; i < 3; i++)
        if (r->names[i] != NULL && (size_t)r->name_counts[i] != expected[i]) {
            PyErr_Format(PyExc_ValueError, "%s: got %zd names; expected %zu", what[i],
                         r->name_counts[i], expected[i]);
            return false;
        }
    if (r->order == NULL || r->order_count == expected[1]) return true;
    PyErr_Format(PyExc_ValueError, "order: got %zu numbers; expected %zu", r->order_count,
                 expected[1]);
    return false;
}

/* Names and an order belong to arrays: the library's own example has those it has. */
static bool check_no_names(const request *r)
{
    static const char *const what[4] = {"query_tokens", "tokens", "axes", "order"};
    for (int i = 0; i < 4; i++)
        if (i < 3 ? r->names[i] != NULL : r->order != NULL) {
            PyErr_Format(PyExc_ValueError,
                         "%s: is given without arrays; expected weights, or query and key, too",
                         what[i]);
            return false;
        }
    return true;
}

static bool read_attention(module_state *state, PyObject *words, request *r)
{
    static const char *const names[3] = {"query_names", "tokens", "axes"};
    if (!open_arrays(state, words, r) || !read_how(words, r)) return false;
    for (int i = 0; i < 3; i++)
        if (!read_names(words, names[i], &r->names[i], &r->name_counts[i])) return false;
    r->attention.query_names = r->names[0];
    r->attention.key_names = r->names[1];
    r->attention.axis_names = r->names[2];
    r->attention.order = r->order = read_sizes(words, "order", &r->order_count);
    return PyErr_Occurred() == NULL && (r->any ? check_names(r) : check_no_names(r));
}

static void request_close(request *r)
{
    for (int i = 0; i < 4; i++) array_close(&r->arrays[i]);
    for (int i = 0; i < 3; i++) PyMem_Free(r->names[i]);
    PyMem_Free(r->keys);
    PyMem_Free(r->betas);
    PyMem_Free(r->order);
}

/* ---- Functions ------------------------------------------------------------------------------ */

static void free_figure(PyObject *capsule)
{
    qkv_figure *figure = PyCapsule_GetPointer(capsule, FIGURE);
    qkv_figure_free(&figure);
}

PyObject *figure_object(qkv_figure *figure)
{
    PyObject *capsule = PyCapsule_New(figure, FIGURE, free_figure);
    if (capsule == NULL) qkv_figure_free(&figure);
    return capsule;
}

static PyObject *draw(const qkv_plot *p, const request *r)
{
    qkv_figure *figure = NULL;
    qkv_error error;
    qkv_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = p->of_laws != NULL
                 ? p->of_laws(&r->options, &figure, &error)
                 : p->of_attention(&r->options, r->any ? &r->attention : NULL, &figure, &error);
    Py_END_ALLOW_THREADS;
    if (status != QKV_OK) return raise_error(&error);
    return figure_object(figure);
}

static PyObject *plot(PyObject *module, PyObject *arguments)
{
    const char *name;
    PyObject *words, *figure = NULL;
    const qkv_plot *p = NULL;
    request r = {.options = qkv_plot_default()};
    if (!PyArg_ParseTuple(arguments, "sO:plot", &name, &words)) return NULL;
    size_t count;
    const qkv_plot *plots = qkv_plots(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(plots[i].name, name) == 0) p = &plots[i];
    if (p == NULL || !PyDict_Check(words)) {
        PyErr_SetString(PyExc_ValueError, "plot: expected the name of a picture and a dict");
        return NULL;
    }
    if (read_laws(words, &r) && read_attention(module_state_of(module), words, &r))
        figure = draw(p, &r);
    request_close(&r);
    return figure;
}

/* The figure of the first claim of those chosen. */
static qkv_status draw_claim(const char *name, const char *text, size_t length,
                             const qkv_selection *which, const qkv_plot_options *options,
                             qkv_figure **figure, qkv_error *error)
{
    qkv_report *report = NULL;
    qkv_status status = qkv_explain(name, text, length, which, &report, error);
    if (status == QKV_OK && qkv_report_claim_count(report) == 0) {
        status = error->status = QKV_ERROR_ARGUMENT;
        snprintf(error->message, sizeof error->message, "%s: has no claim to draw", name);
    }
    if (status == QKV_OK)
        status = qkv_plot_claim(options, qkv_report_claim(report, 0), figure, error);
    qkv_report_free(&report);
    return status;
}

static PyObject *plot_claim(PyObject *module, PyObject *arguments)
{
    const char *name, *text;
    Py_ssize_t length;
    PyObject *words, *result = NULL;
    qkv_selection which = {0, NULL};
    qkv_figure *figure = NULL;
    qkv_error error;
    qkv_status status;
    request r = {.options = qkv_plot_default()};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "ss#izO:plot_claim", &name, &text, &length, &which.line,
                          &which.label, &words))
        return NULL;
    if (read_laws(words, &r)) {
        Py_BEGIN_ALLOW_THREADS;
        status = draw_claim(name, text, (size_t)length, &which, &r.options, &figure, &error);
        Py_END_ALLOW_THREADS;
        result = status == QKV_OK ? figure_object(figure) : raise_error(&error);
    }
    request_close(&r);
    return result;
}

static PyObject *render(PyObject *module, PyObject *arguments)
{
    static const char *const formats[] = {"svg", "png", "pdf", "text"};
    PyObject *capsule;
    const char *format;
    double zoom;
    int which = -1;
    qkv_picture bytes;
    qkv_error error;
    qkv_status status;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Osd:render", &capsule, &format, &zoom)) return NULL;
    const qkv_figure *figure = PyCapsule_GetPointer(capsule, FIGURE);
    if (figure == NULL) return NULL;
    for (int i = 0; i < 4; i++)
        if (strcmp(formats[i], format) == 0) which = i;
    if (which < 0)
        return PyErr_Format(PyExc_ValueError, "format: got '%s'; expected svg, png, pdf or text",
                            format);
    Py_BEGIN_ALLOW_THREADS;
    status = qkv_figure_render(figure, (qkv_picture_format)which, zoom, &bytes, &error);
    Py_END_ALLOW_THREADS;
    if (status != QKV_OK) return raise_error(&error);
    PyObject *object = PyBytes_FromStringAndSize(bytes.data, (Py_ssize_t)bytes.length);
    qkv_picture_free(&bytes);
    return object;
}

PyMethodDef plot_functions[] = {
    {"plot", plot, METH_VARARGS, "plot(name, words, /)\n--\n\nA figure, for render()."},
    {"plot_claim", plot_claim, METH_VARARGS,
     "plot_claim(name, text, line, label, words, /)\n--\n\nThe figure of a document's claim."},
    {"render", render, METH_VARARGS,
     "render(figure, format, zoom, /)\n--\n\nThe bytes of a figure: svg, png, pdf or text."},
    {NULL, NULL, 0, NULL},
};
