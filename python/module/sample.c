/* Sampling a document's random problem. An interrupt stops it: signals are looked at between
 * pieces of work. */
#include <qkv/claim.h>

#include "array.h"

#define SAMPLES "qkv.samples" /* the name of capsules that hold them */

/* Drawing writes into the samples' own room: one thread at a time. The lock is only waited for
 * without the GIL. */
typedef struct held_samples {
    qkv_samples *samples;
    PyThread_type_lock lock;
} held_samples;

static void drop_samples(held_samples *held)
{
    qkv_samples_free(&held->samples);
    if (held->lock != NULL) PyThread_free_lock(held->lock);
    PyMem_Free(held);
}

static void free_samples(PyObject *capsule)
{
    drop_samples(PyCapsule_GetPointer(capsule, SAMPLES));
}

/* Steals the samples, also in failure. */
static PyObject *hold_samples(qkv_samples *samples)
{
    held_samples *held = PyMem_Calloc(1, sizeof *held);
    if (held == NULL) return qkv_samples_free(&samples), PyErr_NoMemory();
    held->samples = samples;
    held->lock = PyThread_allocate_lock();
    PyObject *capsule =
        held->lock == NULL ? PyErr_NoMemory() : PyCapsule_New(held, SAMPLES, free_samples);
    if (capsule == NULL) drop_samples(held);
    return capsule;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* (value, low, high, None or (low, high) of the exact number) */
static PyObject *tuple_of_number(const qkv_sample_number *n)
{
    if (n->has_exact)
        return Py_BuildValue("(ddd(dd))", n->value, n->low, n->high, n->exact_low, n->exact_high);
    return Py_BuildValue("(dddO)", n->value, n->low, n->high, Py_None);
}

/* (result, quantity, mean, variance or None for an event) */
static PyObject *tuple_of_row(const qkv_sample_row *row)
{
    PyObject *result = text_object(row->result), *quantity = text_object(row->quantity);
    PyObject *mean = tuple_of_number(&row->mean), *tuple = NULL;
    PyObject *variance = row->is_event ? Py_NewRef(Py_None) : tuple_of_number(&row->variance);
    if (result != NULL && quantity != NULL && mean != NULL && variance != NULL)
        tuple = PyTuple_Pack(4, result, quantity, mean, variance);
    Py_XDECREF(result);
    Py_XDECREF(quantity);
    Py_XDECREF(mean);
    Py_XDECREF(variance);
    return tuple;
}

static PyObject *tuple_of_rows(const qkv_samples *samples)
{
    size_t count = qkv_samples_row_count(samples);
    PyObject *rows = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; rows != NULL && i < count; i++) {
        PyObject *row = tuple_of_row(qkv_samples_row(samples, i));
        if (row == NULL || PyTuple_SetItem(rows, (Py_ssize_t)i, row) < 0) Py_CLEAR(rows);
    }
    return rows;
}

/* (samples, problem, at, exact_at, drawn, rows) */
static PyObject *tuple_of_samples(PyObject *capsule, const qkv_samples *samples)
{
    PyObject *problem = text_object(qkv_samples_problem(samples));
    PyObject *at = text_object(qkv_samples_at(samples));
    PyObject *exact = text_object(qkv_samples_exact_at(samples));
    PyObject *drawn = PyLong_FromUnsignedLongLong(qkv_samples_drawn(samples));
    PyObject *rows = tuple_of_rows(samples), *tuple = NULL;
    if (problem != NULL && at != NULL && exact != NULL && drawn != NULL && rows != NULL)
        tuple = PyTuple_Pack(6, capsule, problem, at, exact, drawn, rows);
    Py_XDECREF(problem);
    Py_XDECREF(at);
    Py_XDECREF(exact);
    Py_XDECREF(drawn);
    Py_XDECREF(rows);
    return tuple;
}

/* ---- Running -------------------------------------------------------------------------------- */

typedef struct run {
    PyThreadState *thread; /* while the GIL is free */
    bool interrupted;      /* an exception is set */
} run;

/* Called by the library on the thread that called it. */
static bool look_at_signals(uint64_t done, uint64_t total, void *context)
{
    run *r = context;
    (void)done;
    (void)total;
    if (r->interrupted) return false;
    PyEval_RestoreThread(r->thread);
    r->interrupted = PyErr_CheckSignals() < 0;
    r->thread = PyEval_SaveThread();
    return !r->interrupted;
}

static PyObject *sample(PyObject *module, PyObject *arguments)
{
    const char *name, *text;
    Py_ssize_t length;
    unsigned long long count, seed;
    qkv_sample_options options = qkv_sample_options_default();
    qkv_samples *samples = NULL;
    qkv_error error;
    run r = {.interrupted = false};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "ss#zzKKid:sample", &name, &text, &length, &options.problem,
                          &options.at, &count, &seed, &options.threads, &options.error))
        return NULL;
    options.samples = count;
    options.seed = seed;
    options.progress = look_at_signals;
    options.context = &r;
    r.thread = PyEval_SaveThread();
    qkv_status status = qkv_sample(name, text, (size_t)length, &options, &samples, &error);
    PyEval_RestoreThread(r.thread);
    if (status != QKV_OK || r.interrupted) {
        qkv_samples_free(&samples);
        return r.interrupted ? NULL : raise_error(&error);
    }
    PyObject *capsule = hold_samples(samples);
    if (capsule == NULL) return NULL;
    PyObject *tuple = tuple_of_samples(capsule, samples);
    Py_DECREF(capsule);
    return tuple;
}

/* ---- The samples themselves ----------------------------------------------------------------- */

/* In pieces, so that an interrupt need not wait for all. */
static bool draw_all(held_samples *held, uint64_t first, size_t count, double *numbers)
{
    const size_t piece = 65536, rows = qkv_samples_row_count(held->samples);
    for (size_t done = 0; done < count; done += piece) {
        size_t now = count - done < piece ? count - done : piece;
        qkv_error error;
        qkv_status status;
        Py_BEGIN_ALLOW_THREADS;
        PyThread_acquire_lock(held->lock, WAIT_LOCK);
        status = qkv_samples_draw(held->samples, first + done, now, numbers + done * rows, &error);
        PyThread_release_lock(held->lock);
        Py_END_ALLOW_THREADS;
        if (status != QKV_OK) return raise_error(&error), false;
        if (PyErr_CheckSignals() < 0) return false;
    }
    return true;
}

static PyObject *sample_draw(PyObject *module, PyObject *arguments)
{
    PyObject *capsule;
    unsigned long long first;
    Py_ssize_t count;
    qkv_view view;
    if (!PyArg_ParseTuple(arguments, "OKn:sample_draw", &capsule, &first, &count)) return NULL;
    held_samples *held = PyCapsule_GetPointer(capsule, SAMPLES);
    if (held == NULL) return NULL;
    if (count < 0) {
        PyErr_Format(PyExc_ValueError, "count: got %zd; expected 0 or more", count);
        return NULL;
    }
    size_t shape[2] = {(size_t)count, qkv_samples_row_count(held->samples)};
    PyObject *tensor = tensor_create(module_state_of(module), QKV_F64, 2, shape, &view);
    if (tensor != NULL && !draw_all(held, first, shape[0], view.data)) Py_CLEAR(tensor);
    return tensor;
}

PyMethodDef sample_functions[] = {
    {"sample", sample, METH_VARARGS,
     "sample(name, text, problem, at, samples, seed, threads, error, /)\n--\n\n"
     "Runs a document's random problem."},
    {"sample_draw", sample_draw, METH_VARARGS,
     "sample_draw(samples, first, count, /)\n--\n\nSamples as count x rows numbers."},
    {NULL, NULL, 0, NULL},
};
