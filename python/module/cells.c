/*
 * Weights as cells for the head view: (heads, queries, keys) cut into blocks that a page can hold,
 * each the largest of its weights, and the largest weights of each row; all in f32, so that every
 * digit that is shown holds. Draws nothing.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "array.h"

/* Weights, copied to f32 and dense: (heads, queries, keys). */
typedef struct weights {
    PyObject *owner;
    const float *data;
    size_t heads, queries, keys;
} weights;

static bool open_weights(module_state *state, PyObject *object, weights *w)
{
    array a = {.has_buffer = false};
    qkv_view copy;
    qkv_error error;
    if (!array_open(state, object, "weights", false, &a)) return false;
    int rank = a.view.rank;
    if (rank == 2 || rank == 3) {
        w->owner = tensor_create(state, QKV_F32, rank, a.view.shape, &copy);
        if (w->owner != NULL && qkv_view_copy(&a.view, &copy, &error) != QKV_OK) {
            raise_error(&error);
            Py_CLEAR(w->owner);
        }
    } else {
        PyErr_Format(PyExc_ValueError,
                     "weights: has %d axes; expected (queries, keys) or (heads, "
                     "queries, keys)",
                     rank);
    }
    array_close(&a);
    if (w->owner == NULL) return false;
    w->data = copy.data;
    w->heads = rank == 3 ? copy.shape[0] : 1;
    w->queries = copy.shape[rank - 2];
    w->keys = copy.shape[rank - 1];
    return true;
}

/* ---- Cells ---------------------------------------------------------------------------------- */

/* The ends of all that are numbers; 0 and 1 where weights stay between them anyway. */
static void find_range(const weights *w, double *low, double *high)
{
    size_t count = w->heads * w->queries * w->keys;
    *low = 0;
    *high = 0;
    for (size_t i = 0; i < count; i++) {
        double x = (double)w->data[i];
        if (!isfinite(x)) continue;
        if (x < *low) *low = x;
        if (x > *high) *high = x;
    }
    if (*high <= *low) *high = *low + 1;
}

/* The largest weight of a block; NaN if there is one. */
static float block_value(const float *head, size_t keys, size_t row, size_t row_end, size_t column,
                         size_t column_end)
{
    float largest = -INFINITY;
    for (size_t i = row; i < row_end; i++)
        for (size_t j = column; j < column_end; j++) {
            float x = head[i * keys + j];
            if (isnan(x)) return NAN;
            if (x > largest) largest = x;
        }
    return largest;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Little-endian, whatever this machine is. */
static void put_little(unsigned char *bytes, const void *number)
{
    uint32_t bits;
    memcpy(&bits, number, sizeof bits);
    for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(bits >> 8 * i & 0xff);
}

static void fill_cells(const weights *w, size_t side, unsigned char *bytes)
{
    for (size_t h = 0; h < w->heads; h++) {
        const float *head = w->data + h * w->queries * w->keys;
        for (size_t i = 0; i < w->queries; i += side)
            for (size_t j = 0; j < w->keys; j += side) {
                float x = block_value(head, w->keys, i, least(i + side, w->queries), j,
                                      least(j + side, w->keys));
                put_little(bytes, &x);
                bytes += 4;
            }
    }
}

/* cells(weights, block) -> (heads, queries, keys, low, high, bytes) */
static PyObject *cells(PyObject *module, PyObject *arguments)
{
    PyObject *object, *result = NULL;
    Py_ssize_t block;
    weights w = {.owner = NULL};
    double low, high;
    if (!PyArg_ParseTuple(arguments, "On:cells", &object, &block)) return NULL;
    if (block < 1)
        return PyErr_Format(PyExc_ValueError, "block: got %zd; expected 1 or more", block);
    if (!open_weights(module_state_of(module), object, &w)) return NULL;
    size_t side = (size_t)block, rows = (w.queries + side - 1) / side;
    size_t columns = (w.keys + side - 1) / side;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(4 * w.heads * rows * columns));
    if (bytes != NULL) {
        unsigned char *place = (unsigned char *)PyBytes_AsString(bytes);
        Py_BEGIN_ALLOW_THREADS;
        find_range(&w, &low, &high);
        fill_cells(&w, side, place);
        Py_END_ALLOW_THREADS;
        result = Py_BuildValue("(nnnddO)", (Py_ssize_t)w.heads, (Py_ssize_t)w.queries,
                               (Py_ssize_t)w.keys, low, high, bytes);
    }
    Py_XDECREF(bytes);
    Py_DECREF(w.owner);
    return result;
}

/* ---- Largest weights ------------------------------------------------------------------------ */

/* Puts the `count` largest of a row, in falling order, and their keys; -1 where there are fewer. */
static void find_largest(const float *row, size_t keys, size_t count, int32_t *index, float *value)
{
    for (size_t c = 0; c < count; c++) {
        index[c] = -1;
        value[c] = 0;
    }
    for (size_t j = 0; j < keys; j++) {
        size_t place = count;
        if (isnan(row[j])) continue;
        while (place > 0 && (index[place - 1] < 0 || row[j] > value[place - 1])) place--;
        if (place == count) continue;
        size_t behind = count - place - 1;
        memmove(index + place + 1, index + place, behind * sizeof *index);
        memmove(value + place + 1, value + place, behind * sizeof *value);
        index[place] = (int32_t)j;
        value[place] = row[j];
    }
}

enum { LARGEST_MOST = 64 };

/* largest(weights, count) -> bytes: for each head and query, count keys (int32, little-endian) and
 * then their weights (f32). */
static PyObject *largest(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    Py_ssize_t count;
    weights w = {.owner = NULL};
    int32_t index[LARGEST_MOST];
    float value[LARGEST_MOST];
    if (!PyArg_ParseTuple(arguments, "On:largest", &object, &count)) return NULL;
    if (count < 1 || count > LARGEST_MOST)
        return PyErr_Format(PyExc_ValueError, "count: got %zd; expected 1 to %d", count,
                            LARGEST_MOST);
    if (!open_weights(module_state_of(module), object, &w)) return NULL;
    size_t rows = w.heads * w.queries, most = (size_t)count;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(8 * rows * most));
    unsigned char *place = bytes == NULL ? NULL : (unsigned char *)PyBytes_AsString(bytes);
    for (size_t i = 0; place != NULL && i < rows; i++) {
        find_largest(w.data + i * w.keys, w.keys, most, index, value);
        for (size_t c = 0; c < most; c++, place += 4) put_little(place, &index[c]);
        for (size_t c = 0; c < most; c++, place += 4) put_little(place, &value[c]);
    }
    Py_DECREF(w.owner);
    return bytes;
}

PyMethodDef cell_functions[] = {
    {"cells", cells, METH_VARARGS,
     "cells(weights, block, /)\n--\n\nThe largest weight of each block, in f32."},
    {"largest", largest, METH_VARARGS,
     "largest(weights, count, /)\n--\n\nThe largest weights of each row, with their keys."},
    {NULL, NULL, 0, NULL},
};
