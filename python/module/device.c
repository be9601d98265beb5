/* Arrays on CUDA devices, and tensors that torch differentiates: the compiled module does nothing
 * there, `qkv._cuda` and `qkv._torch` do. Looked at only when a call failed, so that others pay
 * nothing for it. */
#include <string.h>

#include "dlpack.h"
#include "operator.h"

/* Whether an array says that it lies on a CUDA device. Leaves no error. */
static bool is_on_cuda(PyObject *object)
{
    PyObject *device = PyObject_CallMethod(object, "__dlpack_device__", NULL);
    PyObject *type = device == NULL ? NULL : PySequence_GetItem(device, 0);
    long number = type == NULL ? -1 : PyLong_AsLong(type);
    Py_XDECREF(type);
    Py_XDECREF(device);
    PyErr_Clear();
    return number == DLPACK_CUDA;
}

/* The function of that name in a module, with the arguments as they came. */
static PyObject *hand_on(const char *home, const char *function, PyObject *const *objects,
                         Py_ssize_t count, PyObject *names)
{
    Py_ssize_t words = names == NULL ? 0 : PyTuple_Size(names);
    PyObject *module = PyImport_ImportModule(home), *result = NULL;
    PyObject *called = module == NULL ? NULL : PyObject_GetAttrString(module, function);
    PyObject *tuple = PyTuple_New(count), *named = PyDict_New();
    bool good = called != NULL && tuple != NULL && named != NULL;
    for (Py_ssize_t i = 0; good && i < count; i++)
        good = PyTuple_SetItem(tuple, i, Py_NewRef(objects[i])) == 0;
    for (Py_ssize_t i = 0; good && i < words; i++)
        good = PyDict_SetItem(named, PyTuple_GetItem(names, i), objects[count + i]) == 0;
    if (good) result = PyObject_Call(called, tuple, named);
    Py_XDECREF(named);
    Py_XDECREF(tuple);
    Py_XDECREF(called);
    Py_XDECREF(module);
    return result;
}

/* Whether a tensor of torch among the arguments takes part in what torch differentiates or maps.
 * Leaves no error. */
static bool is_in_graph(const arguments *given)
{
    PyObject *module = PyImport_ImportModule("qkv._torch"), *answer = NULL;
    PyObject *arrays = PyList_New(0);
    for (int i = 0; arrays != NULL && i < PARAMETER_COUNT; i++)
        if (given->of[i] != NULL && PyList_Append(arrays, given->of[i]) < 0) Py_CLEAR(arrays);
    if (module != NULL && arrays != NULL)
        answer = PyObject_CallMethod(module, "is_in_graph", "O", arrays);
    const bool yes = answer != NULL && PyObject_IsTrue(answer) > 0;
    Py_XDECREF(answer);
    Py_XDECREF(arrays);
    Py_XDECREF(module);
    PyErr_Clear();
    return yes;
}

PyObject *call_fails(const char *function, PyObject *const *objects, Py_ssize_t count,
                     PyObject *names, const arguments *given)
{
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    const bool attends = strcmp(function, "attention") == 0;
    const char *home = attends && is_in_graph(given)            ? "qkv._torch"
                       : is_on_cuda(given->of[PARAMETER_QUERY]) ? "qkv._cuda"
                                                                : NULL;
    if (home == NULL) {
        PyErr_Restore(kind, value, trace);
        return NULL;
    }
    Py_XDECREF(kind);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return hand_on(home, function, objects, count, names);
}
