/* Checking and explaining documents: reports as tuples, for the classes of the package. */
#include "module.h"

#include <qkv/claim.h>
#include <qkv/html.h>
#include <qkv/plot.h>

/* ---- Reports as tuples ---------------------------------------------------------------------- */

static PyObject *tuple_of_lines(const qkv_step *step)
{
    PyObject *lines = PyTuple_New((Py_ssize_t)step->line_count);
    for (size_t i = 0; lines != NULL && i < step->line_count; i++) {
        PyObject *line = text_object(step->lines[i]);
        if (line == NULL || PyTuple_SetItem(lines, (Py_ssize_t)i, line) < 0) Py_CLEAR(lines);
    }
    return lines;
}

static PyObject *tuple_of_steps(const qkv_claim *claim)
{
    PyObject *steps = PyTuple_New((Py_ssize_t)claim->step_count);
    for (size_t i = 0; steps != NULL && i < claim->step_count; i++) {
        PyObject *lines = tuple_of_lines(&claim->steps[i]);
        PyObject *title = text_object(claim->steps[i].title);
        PyObject *step = lines == NULL || title == NULL ? NULL : PyTuple_Pack(2, title, lines);
        Py_XDECREF(title);
        Py_XDECREF(lines);
        if (step == NULL || PyTuple_SetItem(steps, (Py_ssize_t)i, step) < 0) Py_CLEAR(steps);
    }
    return steps;
}

static PyObject *tuple_of_texts(const char *const *texts, Py_ssize_t count)
{
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple != NULL && i < count; i++) {
        PyObject *text = text_object(texts[i]);
        if (text == NULL || PyTuple_SetItem(tuple, i, text) < 0) Py_CLEAR(tuple);
    }
    return tuple;
}

/* What the claim speaks of, as a figure for render(), or None where no picture fits. */
static PyObject *figure_of_claim(const qkv_claim *claim)
{
    qkv_plot_options options = qkv_plot_default();
    qkv_figure *figure = NULL;
    qkv_error error;
    options.title = "";
    if (claim->scene == NULL) Py_RETURN_NONE;
    if (qkv_plot_claim(&options, claim, &figure, &error) == QKV_OK) return figure_object(figure);
    if (error.status == QKV_ERROR_MEMORY) return raise_error(&error);
    Py_RETURN_NONE;
}

/* (line, (problem, name, claim, verdict, engine, found, reason), expected, passes, replayed,
 * steps, figure) */
static PyObject *tuple_of_claim(const qkv_claim *claim)
{
    const char *texts[] = {
        claim->problem, claim->name,  claim->claim, qkv_verdict_name(claim->verdict),
        claim->engine,  claim->found, claim->reason};
    const char *expected = claim->has_expectation ? qkv_verdict_name(claim->expected) : NULL;
    PyObject *words = tuple_of_texts(texts, 7), *steps = tuple_of_steps(claim);
    PyObject *figure = figure_of_claim(claim), *tuple = NULL;
    PyObject *passes = qkv_claim_passes(claim) ? Py_True : Py_False;
    if (words != NULL && steps != NULL && figure != NULL)
        tuple = Py_BuildValue("(iOzOnOO)", claim->line, words, expected, passes,
                              (Py_ssize_t)claim->replayed, steps, figure);
    Py_XDECREF(words);
    Py_XDECREF(steps);
    Py_XDECREF(figure);
    return tuple;
}

/* (line, column, message, text, caret) */
static PyObject *tuple_of_complaint(const qkv_complaint *complaint)
{
    PyObject *message = text_object(complaint->message), *text = text_object(complaint->text);
    PyObject *tuple = NULL;
    if (message != NULL && text != NULL)
        tuple = Py_BuildValue("(iiOOi)", complaint->line, complaint->column, message, text,
                              complaint->caret);
    Py_XDECREF(message);
    Py_XDECREF(text);
    return tuple;
}

static PyObject *pair_of_report(const qkv_report *report)
{
    size_t claims = qkv_report_claim_count(report), wrong = qkv_report_complaint_count(report);
    PyObject *first = PyTuple_New((Py_ssize_t)claims), *second = PyTuple_New((Py_ssize_t)wrong);
    PyObject *pair = NULL;
    for (size_t i = 0; first != NULL && i < claims; i++) {
        PyObject *claim = tuple_of_claim(qkv_report_claim(report, i));
        if (claim == NULL || PyTuple_SetItem(first, (Py_ssize_t)i, claim) < 0) Py_CLEAR(first);
    }
    for (size_t i = 0; second != NULL && i < wrong; i++) {
        PyObject *complaint = tuple_of_complaint(qkv_report_complaint(report, i));
        if (complaint == NULL || PyTuple_SetItem(second, (Py_ssize_t)i, complaint) < 0)
            Py_CLEAR(second);
    }
    if (first != NULL && second != NULL) pair = PyTuple_Pack(2, first, second);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return pair;
}

/* Steals the report. */
static PyObject *give_report(qkv_status status, qkv_report *report, const qkv_error *error)
{
    PyObject *pair = status == QKV_OK ? pair_of_report(report) : raise_error(error);
    qkv_report_free(&report);
    return pair;
}

/* ---- Functions ------------------------------------------------------------------------------ */

/* A converter of PyArg_ParseTuple: (without, seconds, threads), as the package makes it. */
static int options_of(PyObject *tuple, void *options)
{
    qkv_check_options *o = options;
    *o = qkv_check_options_default();
    return PyArg_ParseTuple(tuple, "Idi", &o->without, &o->seconds, &o->threads);
}

static PyObject *check(PyObject *module, PyObject *arguments)
{
    const char *name, *text;
    Py_ssize_t length;
    qkv_check_options options;
    qkv_report *report = NULL;
    qkv_status status;
    qkv_error error;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "ss#O&:check", &name, &text, &length, options_of, &options))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = qkv_check_with(name, text, (size_t)length, &options, &report, &error);
    Py_END_ALLOW_THREADS;
    return give_report(status, report, &error);
}

static PyObject *explain(PyObject *module, PyObject *arguments)
{
    const char *name, *text;
    Py_ssize_t length;
    qkv_selection which = {0, NULL};
    qkv_check_options options;
    qkv_report *report = NULL;
    qkv_status status;
    qkv_error error;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "ss#izO&:explain", &name, &text, &length, &which.line,
                          &which.label, options_of, &options))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = qkv_explain_with(name, text, (size_t)length, &which, &options, &report, &error);
    Py_END_ALLOW_THREADS;
    return give_report(status, report, &error);
}

static qkv_status make_page(const char *name, const char *text, size_t length,
                            const qkv_check_options *options, qkv_picture *page, qkv_error *error)
{
    qkv_report *report = NULL;
    qkv_html *html = NULL;
    qkv_status status = qkv_explain_with(name, text, length, NULL, options, &report, error);
    if (status == QKV_ERROR_ARGUMENT) /* there are no claims to explain */
        status = qkv_check_with(name, text, length, options, &report, error);
    if (status == QKV_OK) status = qkv_html_create(NULL, &html, error);
    if (status == QKV_OK) status = qkv_html_add(html, name, text, length, report, error);
    if (status == QKV_OK) status = qkv_html_render(html, page, error);
    qkv_html_free(&html);
    qkv_report_free(&report);
    return status;
}

static PyObject *page(PyObject *module, PyObject *arguments)
{
    const char *name, *text;
    Py_ssize_t length;
    qkv_check_options options;
    qkv_picture bytes;
    qkv_status status;
    qkv_error error;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "ss#O&:page", &name, &text, &length, options_of, &options))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = make_page(name, text, (size_t)length, &options, &bytes, &error);
    Py_END_ALLOW_THREADS;
    if (status != QKV_OK) return raise_error(&error);
    PyObject *object = PyUnicode_DecodeUTF8(bytes.data, (Py_ssize_t)bytes.length, "replace");
    qkv_picture_free(&bytes);
    return object;
}

PyMethodDef claim_functions[] = {
    {"page", page, METH_VARARGS,
     "page(name, text, options, /)\n--\n\nA document with verdicts, derivations and figures, as "
     "HTML."},
    {"check", check, METH_VARARGS,
     "check(name, text, options, /)\n--\n\nThe claims of a document, and what is not understood in "
     "it."},
    {"explain", explain, METH_VARARGS,
     "explain(name, text, line, label, options, /)\n--\n\nThe claims of a line (0: any) or with a "
     "label "
     "(None: any), with their derivations."},
    {NULL, NULL, 0, NULL},
};
