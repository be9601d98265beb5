/* The operator's lists of numbers, one per batch, head, sequence or page: see operator.h. They come
 * as sequences of any kind, or as arrays, and are copied. */
#include <stdint.h>
#include <string.h>

#include "operator.h"

/* A whole number that is not negative. */
static bool read_item(PyObject *item, const char *name, size_t *number)
{
    PyObject *whole = item == NULL ? NULL : PyNumber_Index(item);
    *number = whole == NULL ? 0 : PyLong_AsSize_t(whole);
    Py_XDECREF(whole);
    if (PyErr_Occurred() == NULL) return true;
    if (item != NULL) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s: got %R; expected whole numbers from 0", name, item);
    }
    return false;
}

/* A list of what there is in a sequence of any kind, or in an array: torch's are no sequences. What
 * is none is named. */
static PyObject *make_list(PyObject *object, const char *name)
{
    PyObject *list = PySequence_List(object);
    if (list != NULL || !PyErr_ExceptionMatches(PyExc_TypeError)) return list;
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: got %R; expected a list of numbers", name, object);
    return NULL;
}

/* Whole numbers, in memory for PyMem_Free; at least one entry of room. */
static bool read_wholes(PyObject *object, const char *name, size_t **numbers, size_t *count)
{
    PyObject *list = make_list(object, name);
    if (list == NULL) return false;
    *count = (size_t)PyList_Size(list);
    *numbers = PyMem_Calloc(*count + 1, sizeof **numbers);
    bool good = *numbers != NULL;
    if (!good) PyErr_NoMemory();
    for (size_t i = 0; good && i < *count; i++)
        good = read_item(PyList_GetItem(list, (Py_ssize_t)i), name, *numbers + i);
    Py_DECREF(list);
    return good;
}

static bool check_count(const char *name, size_t count, size_t expected, const char *each)
{
    if (count == expected) return true;
    PyErr_Format(PyExc_ValueError, "%s: got %zu numbers; expected %zu, one per %s", name, count,
                 expected, each);
    return false;
}

static bool read_key_lengths(PyObject *object, call *c)
{
    size_t batch = c->query_view.rank == 4 ? c->query_view.shape[0] : 1, count;
    if (object == NULL) return true;
    if (!read_wholes(object, "key_lengths", &c->key_lengths, &count)) return false;
    c->options.key_lengths = c->key_lengths;
    return check_count("key_lengths", count, batch, "batch");
}

/* Where packed sequences begin, and end: one more than there are sequences. */
static bool read_starts(PyObject *queries, PyObject *keys, call *c)
{
    size_t count, other;
    if (queries == NULL && keys == NULL) return true;
    if (queries == NULL || keys == NULL) {
        PyErr_Format(PyExc_ValueError, "%s: is given without %s; expected both",
                     queries == NULL ? "key_starts" : "query_starts",
                     queries == NULL ? "query_starts" : "key_starts");
        return false;
    }
    if (!read_wholes(queries, "query_starts", &c->query_starts, &count) ||
        !read_wholes(keys, "key_starts", &c->key_starts, &other))
        return false;
    if (count != other || count < 2) {
        PyErr_Format(PyExc_ValueError,
                     "key_starts: got %zu numbers beside %zu of query_starts; expected as many, "
                     "two or more",
                     other, count);
        return false;
    }
    c->options.sequences = count - 1;
    c->options.query_starts = c->query_starts;
    c->options.key_starts = c->key_starts;
    return true;
}

/* ---- Real numbers --------------------------------------------------------------------------- */

static bool read_reals(PyObject *object, const char *name, size_t count, double *numbers)
{
    for (size_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(object, (Py_ssize_t)i);
        const bool plain = item != NULL && check_no_gradient(item, name);
        numbers[i] = plain ? PyFloat_AsDouble(item) : 0.0;
        if (plain && PyErr_Occurred() != NULL)
            PyErr_Format(PyExc_TypeError, "%s: got %R; expected numbers", name, item);
        Py_XDECREF(item);
        if (PyErr_Occurred() != NULL) return false;
    }
    return true;
}

/* One number per head of the queries: a list, or an array of any float type. */
static bool read_heads(module_state *state, PyObject *object, const char *name, const call *c,
                       double **numbers)
{
    const qkv_view *q = &c->query_view;
    const size_t heads = q->rank < 3 ? 1 : q->shape[q->rank - 3];
    if (object == NULL) return true;
    *numbers = PyMem_Calloc(heads + 1, sizeof **numbers);
    if (*numbers == NULL) return PyErr_NoMemory(), false;
    if (PyList_Check(object) || PyTuple_Check(object)) {
        Py_ssize_t count = PySequence_Size(object);
        return check_count(name, (size_t)count, heads, "head of q") &&
               read_reals(object, name, heads, *numbers);
    }
    array a;
    qkv_error error;
    if (!array_open(state, object, name, false, &a)) return false;
    bool good = a.view.rank == 1 && a.view.shape[0] == heads;
    if (!good)
        PyErr_Format(PyExc_ValueError, "%s: expected one axis of %zu, a number per head of q", name,
                     heads);
    qkv_view to = qkv_view_dense(QKV_F64, *numbers, 1, &heads);
    if (good && qkv_view_copy(&a.view, &to, &error) != QKV_OK) good = (raise_error(&error), false);
    array_close(&a);
    return good;
}

/* ---- Pages ---------------------------------------------------------------------------------- */

/* Row `batch` of the table, of whole numbers. */
static bool read_pages(PyObject *row, call *c, size_t batch, size_t columns)
{
    size_t *numbers = NULL, count = 0;
    bool good = read_wholes(row, "page_table", &numbers, &count);
    if (good && count != columns) {
        PyErr_Format(PyExc_ValueError, "page_table: row %zu has %zu numbers; expected %zu", batch,
                     count, columns);
        good = false;
    }
    for (size_t i = 0; good && i < columns; i++)
        c->page_table[batch * columns + i] =
            numbers[i] > INT32_MAX ? INT32_MAX : (int32_t)numbers[i];
    PyMem_Free(numbers);
    return good;
}

/* All rows, each as long as the first. */
static bool read_rows(PyObject *rows, call *c, size_t batch)
{
    PyObject *first = batch == 0 ? NULL : make_list(PyList_GetItem(rows, 0), "page_table");
    const size_t columns = first == NULL ? 0 : (size_t)PyList_Size(first);
    Py_XDECREF(first);
    if (PyErr_Occurred() != NULL) return false;
    c->page_table = PyMem_Calloc(batch * columns + 1, sizeof *c->page_table);
    if (c->page_table == NULL) return PyErr_NoMemory(), false;
    for (size_t b = 0; b < batch; b++)
        if (!read_pages(PyList_GetItem(rows, (Py_ssize_t)b), c, b, columns)) return false;
    c->options.page_table = c->page_table;
    c->options.page_columns = columns;
    return true;
}

static bool read_page_table(PyObject *object, call *c)
{
    if (object == NULL) return true;
    const size_t batch = c->query_view.rank == 4 ? c->query_view.shape[0] : 1;
    PyObject *rows = make_list(object, "page_table");
    bool good = rows != NULL &&
                check_count("page_table", (size_t)PyList_Size(rows), batch, "batch") &&
                read_rows(rows, c, batch);
    Py_XDECREF(rows);
    return good;
}

bool lists_read(module_state *state, const arguments *given, call *c)
{
    PyObject *const *of = given->of;
    if (!read_key_lengths(of[PARAMETER_KEY_LENGTHS], c) ||
        !read_starts(of[PARAMETER_QUERY_STARTS], of[PARAMETER_KEY_STARTS], c) ||
        !read_heads(state, of[PARAMETER_ALIBI_SLOPES], "alibi_slopes", c, &c->slopes) ||
        !read_heads(state, of[PARAMETER_SINKS], "sinks", c, &c->sinks) ||
        !read_page_table(of[PARAMETER_PAGE_TABLE], c))
        return false;
    c->options.alibi_slopes = c->slopes;
    c->options.sinks = c->sinks;
    return true;
}

void lists_free(call *c)
{
    PyMem_Free(c->key_lengths);
    PyMem_Free(c->query_starts);
    PyMem_Free(c->key_starts);
    PyMem_Free(c->slopes);
    PyMem_Free(c->sinks);
    PyMem_Free(c->page_table);
}
