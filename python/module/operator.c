/* `attention`: the operator for Python's arrays. The GIL is free while it computes. */
#include "operator.h"

#include <stdint.h>
#include <string.h>

/* ---- The function --------------------------------------------------------------------------- */

/* The output is as the query, with the width of the values; scores have an axis of keys. */
static bool make_results(module_state *state, const arguments *given, call *c, results *r)
{
    const qkv_view *q = &c->query.view, *k = &c->key_view, *v = &c->value_view;
    size_t shape[QKV_MAX_RANK];
    memcpy(shape, q->shape, sizeof shape);
    shape[q->rank - 1] = v->shape[v->rank - 1] * (c->heads == 0 ? 1 : c->heads);
    if (!results_output(state, given, c, q->rank, shape, r)) return false;
    q = &c->query_view;
    if (q->rank < 2 || k->rank < 2) return true; /* the library will say what is wrong */
    const size_t columns = c->options.page_table == NULL ? 1 : c->options.page_columns;
    return results_more(state, given, c, q->rank - 1, q->shape, columns * k->shape[k->rank - 2], r);
}

static bool compute(call *c, const results *r)
{
    qkv_error error;
    qkv_status status;
    qkv_view output = r->opened[OUTPUT].view;
    if (!call_split(c, c->heads, &output)) return false;
    Py_BEGIN_ALLOW_THREADS;
    watch_signals(true);
    status =
        qkv_attention(&c->query_view, &c->key_view, &c->value_view, &output, &c->options, &error);
    watch_signals(false);
    Py_END_ALLOW_THREADS;
    return status == QKV_OK || (call_raise(&error), false);
}

static PyObject *run(PyObject *module, const char *name, operator_function function,
                     PyObject *const *objects, Py_ssize_t count, PyObject *names)
{
    module_state *state = module_state_of(module);
    arguments given;
    call c;
    results r = {.given = false};
    PyObject *result = NULL;
    if (!arguments_read(state, name, function, objects, count, names, &given)) return NULL;
    if (!call_open(state, &given, &c))
        result = call_fails(name, objects, count, names, &given);
    else if (make_results(state, &given, &c, &r) && compute(&c, &r))
        result = results_give(&given, &c, &r);
    results_drop(&r);
    call_close(&c);
    return result;
}

static PyObject *attention(PyObject *module, PyObject *const *objects, Py_ssize_t count,
                           PyObject *names)
{
    return run(module, "attention", FUNCTION_ATTENTION, objects, count, names);
}

PyMethodDef operator_functions[] = {
    {"attention", (PyCFunction)(void (*)(void))attention, METH_FASTCALL | METH_KEYWORDS,
     "attention(q, k, v, *"
#define OPTION(id, command, python) python
#define PYTHON_OPTION(id, python) python
#define PYTHON(name, otherwise, type, attention, self, gradient, help)                             \
    TAKEN_##attention(", " name otherwise)
#include "../../src/attention/options.def"
     ")\n--\n\n"
     "Attention, softmax(scale*q k')v, of arrays that are read where they lie.\n"
     "\n"
     "q, k, v   (length, width), (heads, length, width) or (batch, heads, length, width), of f64,\n"
     "          f32, f16 or bf16; anything with the buffer protocol or __dlpack__. There may be\n"
     "          fewer heads of k and v than of q, if their number divides that of q.\n"
#define OPTION(id, command, python) python
#define PYTHON_OPTION(id, python) python
#define PYTHON(name, otherwise, type, attention, self, gradient, help) TAKEN_##attention(help)
#include "../../src/attention/options.def"
     "\n"
     "Arrays on a CUDA device (PyTorch, CuPy, JAX) are computed there, by libqkv_cuda, on the\n"
     "current stream.\n"
     "\n"
     "Returns the output, of q's kind and type: a NumPy array for a NumPy array, a torch.Tensor\n"
     "for a torch.Tensor, a memoryview for any other buffer. With return_weights, return_lse,\n"
     "return_entropy or scores it is a tuple: output, weights (..., queries, keys), logarithm of\n"
     "the sum of exponentials and entropy (..., queries), in f32, or f64 for f64, and the stage "
     "of\n"
     "scores. return_lse=\"f64\" gives that one in f64. A query that may look at nothing gets "
     "zeros.\n"
     "\n"
     "Where torch tensors require gradients, the output has them, for q, k, v, a mask of numbers,\n"
     "alibi_slopes and sinks.\n"
     "\n"
     ">>> from array import array\n"
     ">>> one = memoryview(array('d', [1, 0, 0, 1])).cast('B').cast('d', (2, 2))\n"
     ">>> c = attention(one, one, one, scale=1.0)\n"
     ">>> [[round(number, 4) for number in row] for row in c.tolist()]\n"
     "[[0.7311, 0.2689], [0.2689, 0.7311]]\n"
     ">>> attention(one, one, one, causal=True).tolist()[0]\n"
     "[1.0, 0.0]\n"},
    {NULL, NULL, 0, NULL},
};
