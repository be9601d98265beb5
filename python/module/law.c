/* Laws of noisy keys: the numbers of law.h as tuples and dicts, for the functions of the package.
 */
#include "module.h"

#include <stdio.h>
#include <string.h>

#include <qkv/law.h>

/* ---- Arguments ------------------------------------------------------------------------------ */

/* (design, keys, wanted, beta, noise, other_noisy, tolerance), a tuple that all functions take
 * first. */
static int read_options(PyObject *object, void *target)
{
    qkv_law_options *o = target;
    int design, other;
    Py_ssize_t keys, wanted;
    *o = qkv_law_default();
    if (!PyTuple_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "expected a tuple of a law's options");
        return 0;
    }
    if (!PyArg_ParseTuple(object, "innddpd", &design, &keys, &wanted, &o->beta, &o->noise, &other,
                          &o->tolerance))
        return 0;
    if (keys < 0 || wanted < 0) {
        PyErr_Format(PyExc_ValueError, "%s: got %zd; expected 1 or more", keys < 0 ? "keys" : "of",
                     keys < 0 ? keys : wanted);
        return 0;
    }
    o->design = (qkv_design)design;
    o->keys = (size_t)keys;
    o->wanted = (size_t)wanted;
    o->other_noisy = other != 0;
    return 1;
}

/* The library calls `wanted` what the package's functions call `of`. */
static PyObject *raise_law(const qkv_error *error)
{
    static const char theirs[] = "wanted:";
    qkv_error named = *error;
    if (strncmp(error->message, theirs, sizeof theirs - 1) == 0)
        snprintf(named.message, sizeof named.message, "of:%s", error->message + sizeof theirs - 1);
    return raise_error(&named);
}

/* ---- Laws ----------------------------------------------------------------------------------- */

static PyObject *dict_of_law(const qkv_law *law)
{
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d}", "location",
                         law->weight.location, "scale", law->weight.scale, "mean", law->mean,
                         "variance", law->variance, "share", law->share, "covariance",
                         law->covariance, "leak", law->leak, "bias", law->bias, "error", law->error,
                         "failure", law->failure, "query_norm", law->query_norm);
}

static PyObject *law_compute(PyObject *module, PyObject *arguments)
{
    qkv_law_options options;
    qkv_law law;
    qkv_error error;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O&:law_compute", read_options, &options)) return NULL;
    if (qkv_law_compute(&options, &law, &error) != QKV_OK) return raise_law(&error);
    return dict_of_law(&law);
}

/* None where this build, or this beta, has no bounds. */
static PyObject *law_enclose(PyObject *module, PyObject *arguments)
{
    qkv_law_options options;
    qkv_law_bounds b;
    qkv_error error;
    qkv_status status;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O&:law_enclose", read_options, &options)) return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = qkv_law_enclose(&options, &b, &error);
    Py_END_ALLOW_THREADS;
    if (status != QKV_OK) Py_RETURN_NONE;
    return Py_BuildValue("{s:(dd),s:(dd),s:(dd),s:(dd),s:(dd),s:(dd),s:(dd)}", "mean", b.mean.lower,
                         b.mean.upper, "variance", b.variance.lower, b.variance.upper, "covariance",
                         b.covariance.lower, b.covariance.upper, "leak", b.leak.lower, b.leak.upper,
                         "bias", b.bias.lower, b.bias.upper, "error", b.error.lower, b.error.upper,
                         "failure", b.failure.lower, b.failure.upper);
}

/* ---- Choosing beta -------------------------------------------------------------------------- */

/* (beta or None, least_failure, at) */
static PyObject *law_least_beta(PyObject *module, PyObject *arguments)
{
    qkv_law_options options;
    qkv_least_beta least;
    qkv_error error;
    double failure;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O&d:law_least_beta", read_options, &options, &failure))
        return NULL;
    if (qkv_law_least_beta(&options, failure, &least, &error) != QKV_OK) return raise_law(&error);
    if (!least.exists) return Py_BuildValue("(Odd)", Py_None, least.least_failure, least.at);
    return Py_BuildValue("(ddd)", least.beta, least.least_failure, least.at);
}

/* (beta, law) */
static PyObject *law_best_beta(PyObject *module, PyObject *arguments)
{
    qkv_law_options options;
    qkv_law law;
    qkv_error error;
    double beta;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O&:law_best_beta", read_options, &options)) return NULL;
    if (qkv_law_best_beta(&options, &beta, &law, &error) != QKV_OK) return raise_law(&error);
    PyObject *dict = dict_of_law(&law);
    PyObject *pair = dict == NULL ? NULL : Py_BuildValue("(dO)", beta, dict);
    Py_XDECREF(dict);
    return pair;
}

/* ---- Logit-normal weights -------------------------------------------------------------------- */

static PyObject *logit_normal(PyObject *module, PyObject *arguments)
{
    int what;
    qkv_logit_normal law;
    double x;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Cddd:logit_normal", &what, &law.location, &law.scale, &x))
        return NULL;
    switch (what) {
    case 'd': return PyFloat_FromDouble(qkv_logit_normal_density(law, x));
    case 'c': return PyFloat_FromDouble(qkv_logit_normal_cdf(law, x));
    case 'q': return PyFloat_FromDouble(qkv_logit_normal_quantile(law, x));
    default: PyErr_SetString(PyExc_ValueError, "expected 'd', 'c' or 'q'"); return NULL;
    }
}

static PyObject *logit_normal_modes(PyObject *module, PyObject *arguments)
{
    qkv_logit_normal law;
    double mode[2];
    (void)module;
    if (!PyArg_ParseTuple(arguments, "dd:logit_normal_modes", &law.location, &law.scale))
        return NULL;
    switch (qkv_logit_normal_modes(law, mode)) {
    case 1: return Py_BuildValue("[d]", mode[0]);
    case 2: return Py_BuildValue("[dd]", mode[0], mode[1]);
    default: return PyList_New(0);
    }
}

PyMethodDef law_functions[] = {
    {"law_compute", law_compute, METH_VARARGS, "law_compute(options, /)\n--\n\nA law's numbers."},
    {"law_enclose", law_enclose, METH_VARARGS,
     "law_enclose(options, /)\n--\n\nProved bounds of a law's numbers, or None."},
    {"law_least_beta", law_least_beta, METH_VARARGS,
     "law_least_beta(options, failure, /)\n--\n\nThe least beta that fails no oftener."},
    {"law_best_beta", law_best_beta, METH_VARARGS,
     "law_best_beta(options, /)\n--\n\nThe beta of the least mean squared error."},
    {"logit_normal", logit_normal, METH_VARARGS,
     "logit_normal(what, location, scale, x, /)\n--\n\nIts density, cdf or quantile."},
    {"logit_normal_modes", logit_normal_modes, METH_VARARGS,
     "logit_normal_modes(location, scale, /)\n--\n\nWhere its density has peaks."},
    {NULL, NULL, 0, NULL},
};
