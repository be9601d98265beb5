/*
 * The operator's arguments, from Python's to those of attention.h. One table of parameters serves
 * the operator and its gradient.
 */
#ifndef QKV_PYTHON_OPERATOR_H
#define QKV_PYTHON_OPERATOR_H

#include <stdint.h>

#include <qkv/attention.h>

#include "array.h"

/* The three arrays, then the options in the order of the operator's table. */
typedef enum parameter {
    PARAMETER_QUERY,
    PARAMETER_KEY,
    PARAMETER_VALUE,
#define OPTION(id, command, python) PARAMETER_##id,
#define PYTHON_OPTION(id, python) PARAMETER_##id,
#include "../../src/attention/options.def"
    PARAMETER_COUNT
} parameter;

/* The functions that take them, as bits. */
typedef enum operator_function {
    FUNCTION_ATTENTION = 1,
    FUNCTION_SELF = 2,
    FUNCTION_GRADIENT = 4,
} operator_function;

/* For the table's YES and NO: the text of a row, if a function takes it. */
#define TAKEN_YES(text) text
#define TAKEN_NO(text)

/* Arguments by parameter, borrowed; NULL where none was given, or None. */
typedef struct arguments {
    PyObject *of[PARAMETER_COUNT];
} arguments;

/* Sorts the arguments of a METH_FASTCALL | METH_KEYWORDS function. The first three (of
 * self_attention the first) are positional and must be there. */
bool arguments_read(module_state *state, const char *name, operator_function function,
                    PyObject *const *given, Py_ssize_t count, PyObject *names, arguments *read);

/* Everything that a call of the operator holds; all zero: nothing. */
typedef struct call {
    array query, key, value, mask, key_scales, value_scales;
    qkv_view query_view, key_view, value_view; /* heads are an axis of their own in these */
    size_t heads;                              /* that were packed in the width; 0: none */
    size_t *key_lengths, *query_starts, *key_starts;
    double *slopes, *sinks;
    int32_t *page_table;
    qkv_attention_options options;
} call;

/* operator_lists.c: numbers, one per batch, head or sequence, into memory of the call's. */
bool lists_read(module_state *state, const arguments *given, call *c);
void lists_free(call *c);

/* Opens query, key, value and mask and reads the options. call_close in any case. */
bool call_open(module_state *state, const arguments *given, call *c);
void call_close(call *c);

/* The options alone, of a call whose query_view is set. */
bool call_read_options(module_state *state, const arguments *given, call *c);

/* Raises what the library says, which has names of its own for the first arrays, with those of the
 * parameters. */
void call_raise(const qkv_error *error);

/* Splits heads in the width of a view in place, if the call has any; else does nothing. */
bool call_split(const call *c, size_t heads, qkv_view *view);

/* ---- Results -------------------------------------------------------------------------------- */

enum { OUTPUT, WEIGHTS, LOG_SUM_EXP, ENTROPY, SCORES, RESULTS };

/* What a call gives back; NULL where it was not asked for. */
typedef struct results {
    PyObject *created[RESULTS];
    array opened[RESULTS];
    bool given; /* the output is the caller's own */
} results;

/* results.c: the caller's own output, or a new one of that shape, like the call's first array. */
bool results_output(module_state *state, const arguments *given, call *c, int rank,
                    const size_t *shape, results *r);

/* What else is asked for, of the shape rows (of `rank` axes), or rows and keys, into the call's
 * options. */
bool results_more(module_state *state, const arguments *given, call *c, int rank,
                  const size_t *rows, size_t keys, results *r);

/* The output, or a tuple of it and what else was asked for. */
PyObject *results_give(const arguments *given, const call *c, results *r);
void results_drop(results *r);

/*
 * device.c: calls whose query lies on a CUDA device go on to `qkv._cuda`, and those with tensors
 * that torch differentiates to `qkv._torch`. `call_fails` is for a call whose arrays could not be
 * opened: it clears the error and hands the call on if that is the reason, or else returns NULL
 * with the error as it was.
 */
PyObject *call_fails(const char *function, PyObject *const *objects, Py_ssize_t count,
                     PyObject *names, const arguments *given);

/* Integers and switches. `otherwise` is for what was not given. */
bool read_count(PyObject *object, const char *name, size_t otherwise, size_t *count);
bool check_no_gradient(PyObject *object, const char *name);
bool read_switch(PyObject *object, bool *on);

#endif
