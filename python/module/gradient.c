/* `attention_gradient`: the operator's gradient for Python's arrays. */
#include "operator.h"

/* The arrays beside those of the forward call, in the order of their parameters. */
enum {
    OUTPUT_GRADIENT,
    GIVEN_OUTPUT,
    GIVEN_LOG_SUM_EXP,
    QUERY_GRADIENT,
    KEY_GRADIENT,
    VALUE_GRADIENT,
    MASK_GRADIENT,
    SLOPES_GRADIENT,
    SINKS_GRADIENT,
    ARRAYS
};

static const char *const array_names[ARRAYS] = {
    "output_gradient", "output",        "log_sum_exp",           "query_gradient", "key_gradient",
    "value_gradient",  "mask_gradient", "alibi_slopes_gradient", "sinks_gradient"};

static bool open_arrays(module_state *state, const arguments *given, array *arrays)
{
    for (int i = 0; i < ARRAYS; i++) {
        PyObject *object = given->of[PARAMETER_OUTPUT_GRADIENT + i];
        if (object != NULL &&
            !array_open(state, object, array_names[i], i >= QUERY_GRADIENT, &arrays[i]))
            return false;
    }
    if (given->of[PARAMETER_OUTPUT_GRADIENT] != NULL) return true;
    PyErr_SetString(PyExc_TypeError, "attention_gradient() is missing the argument "
                                     "'output_gradient'");
    return false;
}

/* Numbers, one per head, that the library writes as doubles in a row. */
static bool take_numbers(const call *c, const array *a, const char *name, double **numbers)
{
    const qkv_view *view = &a->view, *q = &c->query_view;
    const size_t heads = q->rank < 3 ? 1 : q->shape[q->rank - 3];
    if (view->rank == 0) return true;
    if (view->rank != 1 || view->type != QKV_F64 || view->stride[0] != 1 ||
        view->shape[0] != heads) {
        PyErr_Format(PyExc_ValueError, "%s: expected %zu numbers of f64 in a row, one per head",
                     name, heads);
        return false;
    }
    *numbers = view->data;
    return true;
}

static const qkv_view *written(const array *a)
{
    return a->view.rank == 0 ? NULL : &a->view;
}

static bool compute(call *c, const array *arrays)
{
    qkv_error error;
    qkv_status status;
    c->options.given_output = arrays[GIVEN_OUTPUT].view;
    c->options.given_log_sum_exp = arrays[GIVEN_LOG_SUM_EXP].view;
    c->options.mask_gradient = arrays[MASK_GRADIENT].view;
    if (!take_numbers(c, &arrays[SLOPES_GRADIENT], "alibi_slopes_gradient",
                      &c->options.alibi_slopes_gradient) ||
        !take_numbers(c, &arrays[SINKS_GRADIENT], "sinks_gradient", &c->options.sinks_gradient))
        return false;
    Py_BEGIN_ALLOW_THREADS;
    watch_signals(true);
    status = qkv_attention_gradient(&c->query_view, &c->key_view, &c->value_view,
                                    &arrays[OUTPUT_GRADIENT].view, written(&arrays[QUERY_GRADIENT]),
                                    written(&arrays[KEY_GRADIENT]),
                                    written(&arrays[VALUE_GRADIENT]), &c->options, &error);
    watch_signals(false);
    Py_END_ALLOW_THREADS;
    return status == QKV_OK || (raise_error(&error), false);
}

static PyObject *attention_gradient(PyObject *module, PyObject *const *objects, Py_ssize_t count,
                                    PyObject *names)
{
    module_state *state = module_state_of(module);
    arguments given;
    call c;
    array arrays[ARRAYS] = {{.has_buffer = false}};
    if (!arguments_read(state, "attention_gradient", FUNCTION_GRADIENT, objects, count, names,
                        &given))
        return NULL;
    if (!call_open(state, &given, &c)) {
        PyObject *result = call_fails("attention_gradient", objects, count, names, &given);
        call_close(&c);
        return result;
    }
    bool good = open_arrays(state, &given, arrays) && compute(&c, arrays);
    for (int i = 0; i < ARRAYS; i++) array_close(&arrays[i]);
    call_close(&c);
    if (!good) return NULL;
    Py_RETURN_NONE;
}

PyMethodDef gradient_functions[] = {
    {"attention_gradient", (PyCFunction)(void (*)(void))attention_gradient,
     METH_FASTCALL | METH_KEYWORDS,
     "attention_gradient(q, k, v, *"
#define OPTION(id, command, python) python
#define PYTHON_OPTION(id, python) python
#define PYTHON(name, otherwise, type, attention, self, gradient, help)                             \
    TAKEN_##gradient(", " name otherwise)
#include "../../src/attention/options.def"
     ")\n--\n\n"
     "Writes the gradients of a loss with respect to q, k and v into the arrays given, from its\n"
     "gradient with respect to the output. output and log_sum_exp (best in f64) of the forward\n"
     "call save computing them again.\n"},
    {NULL, NULL, 0, NULL},
};
