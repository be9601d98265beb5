/*
 * The compiled part of the Python package, `qkv._qkv`, against CPython's limited API (3.11): what
 * its files share. It sees libqkv's public headers alone. Everything here needs the GIL, unless it
 * says otherwise; functions that return NULL or false have set a Python exception.
 */
#ifndef QKV_PYTHON_MODULE_H
#define QKV_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

#include <qkv/figure.h>
#include <qkv/status.h>
#include <qkv/tensor.h>

/* What is looked up once a module. NULL: not yet, or not there. */
typedef struct module_state {
    PyObject *tensor_type; /* the arrays of our own, see tensor.c */

    PyObject *array_type; /* numpy.ndarray, once someone has imported NumPy */
    PyObject *array_empty;
    PyObject *array_types[5]; /* numpy.dtype by qkv_type, up to QKV_F16 */

    PyObject *torch_tensor; /* torch.Tensor, likewise */
    PyObject *torch_export;
    PyObject *torch_grad_enabled;
    PyObject *torch_changed; /* increment_version, where there is one */
    PyObject *torch_forward; /* torch.autograd.forward_ad; likewise */
    PyObject *torch_narrow;  /* torch.float8_e4m3fn, likewise, and torch.int8 */
    PyObject *torch_bytes;
    PyObject *torch_types[5]; /* torch.float64 ... by qkv_type, up to QKV_BF16 */

    PyObject **parameters; /* names of the operator's parameters, interned */
} module_state;

module_state *module_state_of(PyObject *module);

/* Raises what a failed call of the library left in `error`; returns NULL. */
PyObject *raise_error(const qkv_error *error);

/* Whether Ctrl-C ends what the library computes in this thread. Needs no GIL; python's main thread
 * alone hears signals, others are never ended. */
void watch_signals(bool on);

/* A str, also of a message that was cut in the middle of a character. */
PyObject *text_object(const char *text);

/* Functions of the module, by the file that has them; each list ends with an entry of zeros. */
extern PyMethodDef operator_functions[];
extern PyMethodDef gradient_functions[];
extern PyMethodDef jax_functions[];
extern PyMethodDef layer_functions[];
extern PyMethodDef claim_functions[];
extern PyMethodDef sample_functions[];
extern PyMethodDef law_functions[];
extern PyMethodDef plot_functions[];
extern PyMethodDef cell_functions[];

/* plot.c: a capsule for render(), which frees the figure; steals it, also in failure. */
PyObject *figure_object(qkv_figure *figure);

/* tensor.c: adds the type to the module. */
bool tensor_initialise(PyObject *module);

/* operator_arguments.c: interns names, and forgets them. */
bool parameters_initialise(module_state *state);
void parameters_forget(module_state *state);

#endif
