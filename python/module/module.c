/* `qkv._qkv` itself: its functions put together, its state, its errors. Computes nothing. */
#include "module.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <qkv/attention.h>
#include <qkv/threads.h>
#include <qkv/version.h>

module_state *module_state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

PyObject *raise_error(const qkv_error *error)
{
    PyObject *kind = PyExc_ValueError;
    if (error->status == QKV_ERROR_INTERRUPTED && PyErr_Occurred() != NULL) return NULL;
    if (error->status == QKV_ERROR_MEMORY) kind = PyExc_MemoryError;
    if (error->status == QKV_ERROR_FILE) kind = PyExc_OSError;
    PyObject *message = text_object(error->message);
    if (message != NULL) PyErr_SetObject(kind, message);
    Py_XDECREF(message);
    return NULL;
}

PyObject *text_object(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* ---- Facts --------------------------------------------------------------------------------- */

static PyObject *kernels(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    size_t count = qkv_kernel_count();
    PyObject *names = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; names != NULL && i < count; i++) {
        PyObject *name = PyUnicode_FromString(qkv_kernel_name(i));
        if (name == NULL || PyTuple_SetItem(names, (Py_ssize_t)i, name) < 0) Py_CLEAR(names);
    }
    return names;
}

/* ---- Threads -------------------------------------------------------------------------------- */

static PyObject *set_threads(PyObject *module, PyObject *number)
{
    (void)module;
    qkv_error error;
    const long threads = number == Py_None ? 0 : PyLong_AsLong(number);
    if (threads == -1 && PyErr_Occurred() != NULL) return NULL;
    const long most = INT16_MAX;
    if (qkv_set_threads((int)(threads > most    ? most
                              : threads < -most ? -most
                                                : threads),
                        &error) != QKV_OK)
        return raise_error(&error);
    Py_RETURN_NONE;
}

static PyObject *get_threads(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyLong_FromLong(qkv_get_threads());
}

/* Whether Ctrl-C was pressed: then there is an exception, which the call leaves behind. */
static bool asked_to_end(void *unused)
{
    (void)unused;
    PyGILState_STATE held = PyGILState_Ensure();
    const bool asked = PyErr_CheckSignals() != 0;
    PyGILState_Release(held);
    return asked;
}

void watch_signals(bool on)
{
    qkv_set_interrupt(on ? asked_to_end : NULL, NULL);
}

static PyMethodDef fact_functions[] = {
    {"set_threads", set_threads, METH_O,
     "set_threads(number, /)\n--\n\n"
     "How many threads calls may use that are not given a number; None: what QKV_THREADS or\n"
     "OMP_NUM_THREADS says, or one per core. Results do not depend on it.\n"},
    {"get_threads", get_threads, METH_NOARGS,
     "get_threads()\n--\n\n"
     "How many threads a call may use that is not given a number.\n\n"
     ">>> get_threads() >= 1\nTrue\n"},
    {"kernels", kernels, METH_NOARGS,
     "kernels()\n--\n\n"
     "The kernels of the operator that can run on this CPU, best first.\n\n"
     ">>> kernels()[-1]\n'reference'\n"},
    {NULL, NULL, 0, NULL},
};

/* ---- The module's life --------------------------------------------------------------------- */

static int visit_state(PyObject *module, visitproc visit, void *arg)
{
    module_state *state = module_state_of(module);
    if (state == NULL) return 0;
    Py_VISIT(state->tensor_type);
    Py_VISIT(state->array_type);
    Py_VISIT(state->array_empty);
    Py_VISIT(state->torch_tensor);
    Py_VISIT(state->torch_export);
    Py_VISIT(state->torch_grad_enabled);
    Py_VISIT(state->torch_changed);
    Py_VISIT(state->torch_forward);
    Py_VISIT(state->torch_narrow);
    Py_VISIT(state->torch_bytes);
    for (int i = 0; i < 5; i++) {
        Py_VISIT(state->array_types[i]);
        Py_VISIT(state->torch_types[i]);
    }
    return 0;
}

static int clear_state(PyObject *module)
{
    module_state *state = module_state_of(module);
    if (state == NULL) return 0;
    Py_CLEAR(state->tensor_type);
    Py_CLEAR(state->array_type);
    Py_CLEAR(state->array_empty);
    Py_CLEAR(state->torch_tensor);
    Py_CLEAR(state->torch_export);
    Py_CLEAR(state->torch_grad_enabled);
    Py_CLEAR(state->torch_changed);
    Py_CLEAR(state->torch_forward);
    Py_CLEAR(state->torch_narrow);
    Py_CLEAR(state->torch_bytes);
    for (int i = 0; i < 5; i++) {
        Py_CLEAR(state->array_types[i]);
        Py_CLEAR(state->torch_types[i]);
    }
    parameters_forget(state);
    return 0;
}

static void free_state(void *module)
{
    clear_state(module);
}

/* Options that are plain numbers, by name, with the place of each in the struct: Python code that
 * passes options on asks here, so that it need not list them. */
static bool add_numbers(PyObject *module)
{
    static const struct {
        const char *name;
        size_t offset;
    } rows[] = {
#define NUMBER(id, field) {#field, offsetof(qkv_attention_options, field)},
#include "../../src/attention/options.def"
    };
    PyObject *numbers = PyDict_New();
    bool good = numbers != NULL;
    for (size_t i = 0; good && i < sizeof rows / sizeof rows[0]; i++) {
        PyObject *offset = PyLong_FromSize_t(rows[i].offset);
        good = offset != NULL && PyDict_SetItemString(numbers, rows[i].name, offset) == 0;
        Py_XDECREF(offset);
    }
    good = good && PyModule_AddObjectRef(module, "NUMBERS", numbers) == 0 &&
           PyModule_AddIntConstant(module, "OPTIONS_SIZE", sizeof(qkv_attention_options)) == 0;
    Py_XDECREF(numbers);
    return good;
}

static int initialise(PyObject *module)
{
    PyMethodDef *const lists[] = {
        fact_functions,   operator_functions, gradient_functions, layer_functions, claim_functions,
        sample_functions, law_functions,      plot_functions,     cell_functions,  jax_functions};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (PyModule_AddFunctions(module, lists[i]) < 0) return -1;
    if (PyModule_AddStringConstant(module, "version", qkv_version()) < 0) return -1;
    if (!add_numbers(module) || !parameters_initialise(module_state_of(module))) return -1;
    return tensor_initialise(module) ? 0 : -1;
}

/* Slots hold functions in pointers to objects, which C's standard knows nothing of. */
static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)(uintptr_t)initialise},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "qkv._qkv",
    .m_doc = "libqkv for Python; the package qkv is its face.",
    .m_size = sizeof(module_state),
    .m_slots = slots,
    .m_traverse = visit_state,
    .m_clear = clear_state,
    .m_free = free_state,
};

PyMODINIT_FUNC PyInit__qkv(void);

PyMODINIT_FUNC PyInit__qkv(void)
{
    return PyModuleDef_Init(&definition);
}
