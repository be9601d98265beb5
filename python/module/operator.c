/* `attention`: the operator for Python's arrays. The GIL is free while it computes. */
#include "operator.h"

#include <stdint.h>
#include <string.h>

/* ---- Results -------------------------------------------------------------------------------- */

enum { OUTPUT, WEIGHTS, LOG_SUM_EXP, SCORES, RESULTS };

/* What the call gives back; NULL where it was not asked for. */
typedef struct results {
    PyObject *created[RESULTS];
    array opened[RESULTS];
    bool given; /* the output is the caller's own */
} results;

static void results_drop(results *r)
{
    for (int i = 0; i < RESULTS; i++) {
        if (r->created[i] == NULL) continue;
        array_close(&r->opened[i]);
        Py_CLEAR(r->created[i]);
    }
}

static bool check_apart(const call *c, const qkv_view *output)
{
    const qkv_view *inputs[4] = {&c->query.view, &c->key.view, &c->value.view, &c->mask.view};
    static const char *const names[4] = {"q", "k", "v", "mask"};
    for (int i = 0; i < 4; i++)
        if (inputs[i]->rank > 0 && views_meet(inputs[i], output)) {
            PyErr_Format(PyExc_ValueError,
                         "out: shares memory with %s; expected an array of its "
                         "own",
                         names[i]);
            return false;
        }
    return true;
}

/* The caller's own output, or a new one: as the query, with the width of the values. */
static bool make_output(module_state *state, const arguments *given, call *c, results *r,
                        qkv_view *output)
{
    const qkv_view *q = &c->query.view, *v = &c->value_view;
    size_t shape[QKV_MAX_RANK];
    PyObject *out = given->of[PARAMETER_OUTPUT];
    r->given = out != NULL;
    if (r->given) {
        if (!array_open(state, out, "out", true, &r->opened[OUTPUT])) return false;
        r->created[OUTPUT] = Py_NewRef(out);
        if (!check_apart(c, &r->opened[OUTPUT].view) ||
            !array_changed(state, &r->opened[OUTPUT], out))
            return false;
    } else {
        memcpy(shape, q->shape, sizeof shape);
        shape[q->rank - 1] = v->shape[v->rank - 1] * (c->heads == 0 ? 1 : c->heads);
        r->created[OUTPUT] = array_create(state, &c->query, given->of[PARAMETER_QUERY], q->type,
                                          q->rank, shape, &r->opened[OUTPUT]);
        if (r->created[OUTPUT] == NULL) return false;
    }
    *output = r->opened[OUTPUT].view;
    return call_split(c, c->heads, output);
}

/* A matrix of scores or weights, (..., queries, keys), or without its last axis. */
static bool make_scores(module_state *state, const arguments *given, call *c, bool matrix,
                        int which, qkv_type type, results *r, qkv_view *view)
{
    const qkv_view *q = &c->query_view, *k = &c->key_view;
    size_t shape[QKV_MAX_RANK];
    if (q->rank < 2 || k->rank < 2) return true; /* the library will say what is wrong */
    memcpy(shape, q->shape, sizeof shape);
    shape[q->rank - 1] = k->shape[k->rank - 2];
    r->created[which] = array_create(state, &c->query, given->of[PARAMETER_QUERY], type,
                                     matrix ? q->rank : q->rank - 1, shape, &r->opened[which]);
    if (r->created[which] == NULL) return false;
    *view = r->opened[which].view;
    return true;
}

/* The stage of scores that is asked for by name. */
static qkv_view *find_stage(PyObject *name, qkv_attention_options *o)
{
    static const char *const names[] = {"raw", "capped", "masked", "weights"};
    qkv_view *const views[] = {&o->scores_raw, &o->scores_capped, &o->scores_masked, &o->weights};
    for (int i = 0; i < 4 && PyUnicode_Check(name); i++)
        if (PyUnicode_CompareWithASCIIString(name, names[i]) == 0) return views[i];
    PyErr_Format(PyExc_ValueError,
                 "scores: got %R; expected \"raw\", \"capped\", \"masked\" or \"weights\"", name);
    return NULL;
}

/* return_lse of `operator` may also name the type: "f64", which the gradient likes best. */
static bool read_sums(PyObject *object, bool *sums, qkv_type *type)
{
    if (!read_switch(object, sums)) return false;
    if (*sums && PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "f64") == 0)
        *type = QKV_F64;
    return true;
}

static bool make_more(module_state *state, const arguments *given, call *c, results *r)
{
    bool weights, sums;
    qkv_attention_options *o = &c->options;
    PyObject *stage = given->of[PARAMETER_SCORES];
    qkv_type type = c->query.view.type, wide = type == QKV_F64 ? QKV_F64 : QKV_F32;
    if (!read_switch(given->of[PARAMETER_WEIGHTS], &weights) ||
        !read_sums(given->of[PARAMETER_LSE], &sums, &wide))
        return false;
    if (weights && !make_scores(state, given, c, true, WEIGHTS, type, r, &o->weights)) return false;
    if (sums && !make_scores(state, given, c, false, LOG_SUM_EXP, wide, r, &o->log_sum_exp))
        return false;
    if (stage == NULL) return true;
    qkv_view *view = find_stage(stage, o);
    return view != NULL && make_scores(state, given, c, true, SCORES, type, r, view);
}

/* The output, or a tuple of it and what else was asked for. */
static PyObject *results_give(const arguments *given, const call *c, results *r)
{
    PyObject *object[RESULTS] = {NULL}, *tuple = NULL;
    Py_ssize_t count = 0;
    bool good = true;
    for (int i = 0; i < RESULTS; i++) {
        PyObject *created = r->created[i], *model = given->of[PARAMETER_QUERY];
        if (created == NULL) continue;
        r->created[i] = NULL;
        if (i == OUTPUT && r->given) array_close(&r->opened[i]);
        object[count] = i == OUTPUT && r->given
                            ? created
                            : array_finish(&c->query, model, created, &r->opened[i]);
        good = good && object[count] != NULL;
        count++;
    }
    if (good && count == 1) return object[0];
    if (good) tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (tuple == NULL)
            Py_XDECREF(object[i]);
        else
            PyTuple_SetItem(tuple, i, object[i]);
    }
    return tuple;
}

/* ---- The function --------------------------------------------------------------------------- */

static bool compute(call *c, const qkv_view *output)
{
    qkv_error error;
    qkv_status status;
    Py_BEGIN_ALLOW_THREADS;
    status =
        qkv_attention(&c->query_view, &c->key_view, &c->value_view, output, &c->options, &error);
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
    qkv_view output;
    PyObject *result = NULL;
    if (!arguments_read(state, name, function, objects, count, names, &given)) return NULL;
    if (!call_open(state, &given, &c))
        result = call_fails(name, objects, count, names, &given);
    else if (make_output(state, &given, &c, &r, &output) && make_more(state, &given, &c, &r) &&
             compute(&c, &output))
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

static PyObject *operator_(PyObject *module, PyObject *const *objects, Py_ssize_t count,
                           PyObject *names)
{
    return run(module, "operator", FUNCTION_OPERATOR, objects, count, names);
}

PyMethodDef operator_functions[] = {
    {"attention", (PyCFunction)(void (*)(void))attention, METH_FASTCALL | METH_KEYWORDS,
     "attention(q, k, v, *"
#define OPTION(id, command, python) python
#define PYTHON_OPTION(id, python) python
#define PYTHON(name, otherwise, type, attention, operator, gradient, help)                         \
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
#define PYTHON(name, otherwise, type, attention, operator, gradient, help) TAKEN_##attention(help)
#include "../../src/attention/options.def"
     "\n"
     "Arrays on a CUDA device (PyTorch, CuPy, JAX) are computed there, by libqkv_cuda, on the\n"
     "current stream.\n"
     "\n"
     "Returns the output, of q's kind and type: a NumPy array for a NumPy array, a torch.Tensor\n"
     "for a torch.Tensor, a memoryview for any other buffer. With return_weights and return_lse\n"
     "it is a tuple: output, weights (..., queries, keys), logarithm of the sum of exponentials\n"
     "(..., queries), in f32, or f64 for f64. A query that may look at nothing gets zeros.\n"
     "\n"
     ">>> from array import array\n"
     ">>> one = memoryview(array('d', [1, 0, 0, 1])).cast('B').cast('d', (2, 2))\n"
     ">>> c = attention(one, one, one, scale=1.0)\n"
     ">>> [[round(number, 4) for number in row] for row in c.tolist()]\n"
     "[[0.7311, 0.2689], [0.2689, 0.7311]]\n"
     ">>> attention(one, one, one, causal=True).tolist()[0]\n"
     "[1.0, 0.0]\n"},
    {"operator", (PyCFunction)(void (*)(void))operator_, METH_FASTCALL | METH_KEYWORDS,
     "operator(q, k, v, *"
#define OPTION(id, command, python) python
#define PYTHON_OPTION(id, python) python
#define PYTHON(name, otherwise, type, attention, operator, gradient, help)                         \
    TAKEN_##operator(", " name otherwise)
#include "../../src/attention/options.def"
     ")\n--\n\n"
     "attention() with more of the C operator's options (include/qkv/attention.h), for tests and\n"
     "other packages: alignment \"top-left\" or \"bottom-right\" or an offset of the queries;\n"
     "key_lengths, one per batch; a kernel of kernels(); scores, the stage \"raw\", \"capped\",\n"
     "\"masked\" or \"weights\" to return beside the rest; return_lse=\"f64\".\n"},
    {NULL, NULL, 0, NULL},
};
