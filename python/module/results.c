/* The arrays that a call of the operator gives back: see operator.h. Computes nothing. */
#include <string.h>

#include "operator.h"

void results_drop(results *r)
{
    for (int i = 0; i < RESULTS; i++) {
        if (r->created[i] == NULL) continue;
        array_close(&r->opened[i]);
        Py_CLEAR(r->created[i]);
    }
}

/* ---- The output ----------------------------------------------------------------------------- */

static bool check_apart(const call *c, const qkv_view *output)
{
    const array *const inputs[] = {&c->query, &c->key,        &c->value,
                                   &c->mask,  &c->key_scales, &c->value_scales};
    static const char *const names[] = {"q", "k", "v", "mask", "key_scales", "value_scales"};
    if (view_meets_itself(output)) {
        PyErr_SetString(PyExc_ValueError,
                        "out: has elements that share memory; expected each in a place of its own");
        return false;
    }
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        if (inputs[i]->view.rank > 0 && views_meet(&inputs[i]->view, output)) {
            PyErr_Format(PyExc_ValueError,
                         "out: shares memory with %s; expected an array of its own", names[i]);
            return false;
        }
    return true;
}

bool results_output(module_state *state, const arguments *given, call *c, int rank,
                    const size_t *shape, results *r)
{
    PyObject *out = given->of[PARAMETER_OUTPUT], *model = given->of[PARAMETER_QUERY];
    array *opened = &r->opened[OUTPUT];
    r->given = out != NULL;
    if (!r->given) {
        r->created[OUTPUT] =
            array_create(state, &c->query, model, c->query.view.type, rank, shape, opened);
        return r->created[OUTPUT] != NULL;
    }
    if (!array_open(state, out, "out", true, opened)) return false;
    r->created[OUTPUT] = Py_NewRef(out);
    return check_apart(c, &opened->view) && array_changed(state, opened, out);
}

/* ---- The rest ------------------------------------------------------------------------------- */

/* What a result is made of: the call, its arguments, and the shape of its rows. */
typedef struct maker {
    module_state *state;
    const arguments *given;
    const call *c;
    int rank;
    size_t shape[QKV_MAX_RANK]; /* rows, then keys */
} maker;

/* One number per row, or per row and key. */
static bool make(const maker *m, bool matrix, int which, qkv_type type, results *r, qkv_view *view)
{
    r->created[which] = array_create(m->state, &m->c->query, m->given->of[PARAMETER_QUERY], type,
                                     matrix ? m->rank + 1 : m->rank, m->shape, &r->opened[which]);
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

/* return_lse may also name the type: "f64", which the gradient likes best. */
static bool read_sums(PyObject *object, bool *sums, qkv_type *type)
{
    if (!read_switch(object, sums)) return false;
    if (!*sums || !PyUnicode_Check(object)) return true;
    if (PyUnicode_CompareWithASCIIString(object, "f64") == 0) return *type = QKV_F64, true;
    PyErr_Format(PyExc_ValueError, "return_lse: got %R; expected True, False or \"f64\"", object);
    return false;
}

/* The weights are one stage of the scores: asked for twice, they are given twice, and computed
 * once. */
static bool make_stage(const maker *m, PyObject *name, call *c, results *r)
{
    qkv_view *view = name == NULL ? NULL : find_stage(name, &c->options);
    if (name == NULL || view == NULL) return name == NULL;
    if (view == &c->options.weights && r->created[WEIGHTS] != NULL) {
        PyErr_SetString(PyExc_ValueError, "scores: got \"weights\" beside return_weights; expected "
                                          "one of the two");
        return false;
    }
    return make(m, true, SCORES, c->query.view.type, r, view);
}

bool results_more(module_state *state, const arguments *given, call *c, int rank,
                  const size_t *rows, size_t keys, results *r)
{
    bool weights, sums, entropy;
    qkv_attention_options *o = &c->options;
    PyObject *const *of = given->of;
    maker m = {.state = state, .given = given, .c = c, .rank = rank};
    memcpy(m.shape, rows, (size_t)rank * sizeof rows[0]);
    m.shape[rank] = keys;
    const qkv_type type = c->query.view.type, wide = type == QKV_F64 ? QKV_F64 : QKV_F32;
    qkv_type sums_type = wide;
    return read_switch(of[PARAMETER_WEIGHTS], &weights) &&
           read_sums(of[PARAMETER_LSE], &sums, &sums_type) &&
           read_switch(of[PARAMETER_ENTROPY], &entropy) &&
           (!weights || make(&m, true, WEIGHTS, type, r, &o->weights)) &&
           (!sums || make(&m, false, LOG_SUM_EXP, sums_type, r, &o->log_sum_exp)) &&
           (!entropy || make(&m, false, ENTROPY, wide, r, &o->entropy)) &&
           make_stage(&m, of[PARAMETER_SCORES], c, r);
}

PyObject *results_give(const arguments *given, const call *c, results *r)
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
