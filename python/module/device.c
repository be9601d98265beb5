/* Arrays on CUDA devices: the compiled module computes nothing there, `qkv._cuda` does. Looked at
 * only when a call failed, so that calls on the CPU pay nothing for it. */
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

/* The function of that name, with the arguments as they came. */
static PyObject *hand_on(const char *function, PyObject *const *objects, Py_ssize_t count,
                         PyObject *names)
{
    Py_ssize_t words = names == NULL ? 0 : PyTuple_Size(names);
    PyObject *module = PyImport_ImportModule("qkv._cuda"), *result = NULL;
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

PyObject *call_fails(const char *function, PyObject *const *objects, Py_ssize_t count,
                     PyObject *names, const arguments *given)
{
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    if (!is_on_cuda(given->of[PARAMETER_QUERY])) {
        PyErr_Restore(kind, value, trace);
        return NULL;
    }
    Py_XDECREF(kind);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return hand_on(function, objects, count, names);
}
