/* What is built on the operator: self-attention with its projections, caches, and dropout's mask.
 */
#include <stdint.h>
#include <string.h>

#include "operator.h"

/* ---- Self-attention ------------------------------------------------------------------------- */

enum { MATRICES = 8 }; /* w_q, w_k, w_v, w_o, and their biases */

static const char *const matrix_names[MATRICES] = {"w_q", "w_k", "w_v", "w_o",
                                                   "b_q", "b_k", "b_v", "b_o"};

/* A call of self_attention. */
typedef struct layer {
    array matrices[MATRICES];
    qkv_self_attention_weights weights;
    size_t width; /* of the output */
} layer;

static bool open_matrices(module_state *state, const arguments *given, layer *l)
{
    qkv_self_attention_weights *w = &l->weights;
    qkv_view *const views[MATRICES] = {&w->query,      &w->key,        &w->value,
                                       &w->output,     &w->query_bias, &w->key_bias,
                                       &w->value_bias, &w->output_bias};
    for (int i = 0; i < MATRICES; i++) {
        PyObject *object = given->of[PARAMETER_W_QUERY + i];
        if (object == NULL) continue;
        if (!array_open(state, object, matrix_names[i], false, &l->matrices[i])) return false;
        *views[i] = l->matrices[i].view;
    }
    return true;
}

/* Side by side, unless there is a W_O or the mean is asked for by name. */
static bool read_combine(PyObject *object, qkv_self_attention_weights *w)
{
    const bool projected = w->output.rank > 0;
    w->combine = projected ? QKV_COMBINE_PROJECT : QKV_COMBINE_CONCATENATE;
    if (object == NULL) return true;
    const bool known = PyUnicode_Check(object);
    const bool mean = known && PyUnicode_CompareWithASCIIString(object, "mean") == 0;
    if (!mean && !(known && PyUnicode_CompareWithASCIIString(object, "concatenate") == 0)) {
        PyErr_Format(PyExc_ValueError, "combine: got %R; expected \"concatenate\" or \"mean\"",
                     object);
        return false;
    }
    if (projected) {
        PyErr_SetString(PyExc_ValueError, "combine: is given beside w_o; expected one of the two");
        return false;
    }
    if (mean) w->combine = QKV_COMBINE_MEAN;
    return true;
}

/* The width of the output; the library says what does not fit. */
static size_t find_width(const call *c, const qkv_self_attention_weights *w)
{
    const qkv_view *x = &c->query.view;
    const size_t heads = w->heads == 0 ? 1 : w->heads;
    const size_t kv_heads = w->kv_heads == 0 ? heads : w->kv_heads;
    const size_t values = w->value.rank == 2 ? w->value.shape[1] : x->shape[x->rank - 1];
    if (w->combine == QKV_COMBINE_PROJECT) return w->output.rank == 2 ? w->output.shape[1] : 0;
    const size_t each = values / kv_heads;
    return w->combine == QKV_COMBINE_MEAN ? each : each * heads;
}

/* (heads, length) or (batch, heads, length), for results and for the lists of numbers. */
static void split_shape(call *c, const qkv_self_attention_weights *w)
{
    const qkv_view *x = &c->query.view;
    qkv_view *q = &c->query_view;
    *q = (qkv_view){.type = x->type, .rank = x->rank + 1};
    if (x->rank == 3) q->shape[0] = x->shape[0];
    q->shape[x->rank - 2] = w->heads == 0 ? 1 : w->heads;
    q->shape[x->rank - 1] = x->rank < 2 ? 0 : x->shape[x->rank - 2];
}

static bool open_layer(module_state *state, const arguments *given, call *c, layer *l)
{
    *c = (call){.options = qkv_attention_default()};
    if (!array_open(state, given->of[PARAMETER_QUERY], "x", false, &c->query) ||
        !open_matrices(state, given, l) ||
        !read_count(given->of[PARAMETER_HEADS], "heads", 0, &l->weights.heads) ||
        !read_count(given->of[PARAMETER_KV_HEADS], "kv_heads", 0, &l->weights.kv_heads) ||
        !read_combine(given->of[PARAMETER_COMBINE], &l->weights))
        return false;
    const int rank = c->query.view.rank;
    if (rank != 2 && rank != 3) {
        PyErr_Format(PyExc_ValueError,
                     "x: has %d axes; expected 2, (length, width), or 3, with a "
                     "batch",
                     rank);
        return false;
    }
    split_shape(c, &l->weights);
    l->width = find_width(c, &l->weights);
    return call_read_options(state, given, c);
}

static bool make_results(module_state *state, const arguments *given, call *c, const layer *l,
                         results *r)
{
    const qkv_view *x = &c->query.view;
    size_t shape[QKV_MAX_RANK];
    memcpy(shape, x->shape, sizeof shape);
    const size_t length = shape[x->rank - 2];
    shape[x->rank - 1] = l->width;
    return results_output(state, given, c, x->rank, shape, r) &&
           results_more(state, given, c, x->rank, c->query_view.shape, length, r);
}

static bool compute(const call *c, const layer *l, const results *r)
{
    qkv_error error;
    qkv_status status;
    Py_BEGIN_ALLOW_THREADS;
    watch_signals(true);
    status = qkv_self_attention(&c->query.view, &l->weights, &r->opened[OUTPUT].view, &c->options,
                                &error);
    watch_signals(false);
    Py_END_ALLOW_THREADS;
    return status == QKV_OK || (raise_error(&error), false);
}

static PyObject *self_attention(PyObject *module, PyObject *const *objects, Py_ssize_t count,
                                PyObject *names)
{
    module_state *state = module_state_of(module);
    arguments given;
    call c;
    layer l = {.width = 0};
    results r = {.given = false};
    PyObject *result = NULL;
    if (!arguments_read(state, "self_attention", FUNCTION_SELF, objects, count, names, &given))
        return NULL;
    if (open_layer(state, &given, &c, &l) && make_results(state, &given, &c, &l, &r) &&
        compute(&c, &l, &r))
        result = results_give(&given, &c, &r);
    results_drop(&r);
    for (int i = 0; i < MATRICES; i++) array_close(&l.matrices[i]);
    call_close(&c);
    return result;
}

/* ---- Caches --------------------------------------------------------------------------------- */

/* Where new tokens go in an array of a cache; without elements where they do not fit. */
static qkv_view room_behind(qkv_view held, const qkv_view *tokens, size_t length)
{
    const int axis = held.rank - 2;
    const size_t count = tokens->rank == held.rank && axis >= 0 ? tokens->shape[axis] : 0;
    if (axis < 0 || length > held.shape[axis] || count > held.shape[axis] - length)
        return (qkv_view){.type = held.type, .rank = 1};
    held.data = (char *)held.data +
                (ptrdiff_t)length * held.stride[axis] * (ptrdiff_t)qkv_type_size(held.type);
    held.shape[axis] = count;
    return held;
}

static bool fail_shared(const char *name, const char *other)
{
    PyErr_Format(PyExc_ValueError, "%s: shares memory with %s; expected an array of its own", name,
                 other);
    return false;
}

/* What is appended to a cache must not change its other arrays, nor what is still to be read. */
static bool check_cache(const array *arrays, const char *const *names, size_t length)
{
    for (int i = 0; i < 4; i++) {
        if (arrays[i].view.rank == 0) continue;
        if (view_meets_itself(&arrays[i].view)) {
            PyErr_Format(PyExc_ValueError,
                         "%s: has elements that share memory; expected each in a place of its own",
                         names[i]);
            return false;
        }
        for (int j = i + 1; j < 4; j++)
            if (arrays[j].view.rank > 0 && views_meet(&arrays[i].view, &arrays[j].view))
                return fail_shared(names[j], names[i]);
    }
    for (int i = 0; i < 2; i++)
        for (int j = 4; j < 6; j++) { /* tokens that are held already may be appended again */
            const qkv_view room = room_behind(arrays[i].view, &arrays[j].view, length);
            if (views_meet(&room, &arrays[j].view)) return fail_shared(names[j], names[i]);
        }
    return true;
}

/* cache_append(key, value, key_scales, value_scales, length, k, v): the new length. */
static PyObject *cache_append(PyObject *module, PyObject *arguments_)
{
    static const char *const names[6] = {"key", "value", "key_scales", "value_scales", "k", "v"};
    module_state *state = module_state_of(module);
    PyObject *of[6], *result = NULL;
    Py_ssize_t length;
    array arrays[6] = {{.has_buffer = false}};
    if (!PyArg_ParseTuple(arguments_, "OOOOnOO:cache_append", &of[0], &of[1], &of[2], &of[3],
                          &length, &of[4], &of[5]))
        return NULL;
    bool good = true;
    for (int i = 0; i < 6 && good; i++)
        if (of[i] != Py_None) good = array_open(state, of[i], names[i], i < 4, &arrays[i]);
    good = good && check_cache(arrays, names, (size_t)length);
    qkv_cache cache = {.key = arrays[0].view,
                       .value = arrays[1].view,
                       .key_scales = arrays[2].view,
                       .value_scales = arrays[3].view,
                       .length = (size_t)length};
    qkv_error error;
    qkv_status status = QKV_OK;
    if (good) {
        Py_BEGIN_ALLOW_THREADS;
        status = qkv_cache_append(&cache, &arrays[4].view, &arrays[5].view, &error);
        Py_END_ALLOW_THREADS;
        if (status != QKV_OK)
            raise_error(&error);
        else
            result = PyLong_FromSize_t(cache.length);
    }
    for (int i = 0; i < 4 && result != NULL; i++)
        if (of[i] != Py_None && !array_changed(state, &arrays[i], of[i])) Py_CLEAR(result);
    for (int i = 0; i < 6; i++) array_close(&arrays[i]);
    return result;
}

/* ---- Dropout -------------------------------------------------------------------------------- */

/* dropout_mask(dropout, seed, shape): a tensor of our own, of type bool. */
static PyObject *dropout_mask(PyObject *module, PyObject *arguments_)
{
    double dropout;
    unsigned long long seed;
    PyObject *sizes;
    size_t shape[QKV_MAX_RANK];
    if (!PyArg_ParseTuple(arguments_, "dKO!:dropout_mask", &dropout, &seed, &PyTuple_Type, &sizes))
        return NULL;
    const Py_ssize_t rank = PyTuple_Size(sizes);
    if (rank < 2 || rank > QKV_MAX_RANK)
        return PyErr_Format(PyExc_ValueError, "shape: has %zd axes; expected 2 to %d", rank,
                            QKV_MAX_RANK);
    for (Py_ssize_t i = 0; i < rank; i++) {
        shape[i] = PyLong_AsSize_t(PyTuple_GetItem(sizes, i));
        if (PyErr_Occurred() != NULL) return NULL;
    }
    qkv_view view;
    qkv_error error;
    PyObject *mask = tensor_create(module_state_of(module), QKV_BOOL, (int)rank, shape, &view);
    if (mask != NULL && qkv_dropout_mask(dropout, seed, &view, &error) != QKV_OK) {
        Py_CLEAR(mask);
        raise_error(&error);
    }
    return mask;
}

PyMethodDef layer_functions[] = {
    {"self_attention", (PyCFunction)(void (*)(void))self_attention, METH_FASTCALL | METH_KEYWORDS,
     "self_attention(x, /, *"
#define OPTION(id, command, python) python
#define PYTHON_OPTION(id, python) python
#define PYTHON(name, otherwise, type, attention, self, gradient, help)                             \
    TAKEN_##self(", " name otherwise)
#include "../../src/attention/options.def"
     ")\n--\n\n"
     "Self-attention: Q = x w_q + b_q, K = x w_k + b_k, V = x w_v + b_v, attention of the heads,\n"
     "and the heads side by side, times w_o plus b_o if it is given, or, with combine=\"mean\",\n"
     "their average.\n"
     "\n"
     "x         (length, width) or (batch, length, width); a token is a row.\n"
     "w_q, w_k, w_v, w_o  (rows, columns); those that are None are the identity.\n"
     "heads     number of heads; kv_heads: of keys and values, if they are fewer.\n"
     "\n"
     "The other options are those of attention(). Scores and weights have the shape (heads,\n"
     "length, length), with the batch before it if there is one.\n"
     "\n"
     ">>> from array import array\n"
     ">>> one = memoryview(array('d', [1, 0, 0, 1])).cast('B').cast('d', (2, 2))\n"
     ">>> c = self_attention(one, scale=1.0)\n"
     ">>> [[round(number, 4) for number in row] for row in c.tolist()]\n"
     "[[0.7311, 0.2689], [0.2689, 0.7311]]\n"},
    {"cache_append", cache_append, METH_VARARGS,
     "cache_append(key, value, key_scales, value_scales, length, k, v, /)\n--\n\n"
     "Appends k and v to what a cache holds; returns its new length. See qkv.Cache.\n"},
    {"dropout_mask", dropout_mask, METH_VARARGS,
     "dropout_mask(dropout, seed, shape, /)\n--\n\n"
     "See qkv.dropout_mask.\n"},
    {NULL, NULL, 0, NULL},
};
