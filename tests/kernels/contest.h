/*
 * The contest between a kernel and a naive loop in the kernel's own precision: is the kernel at
 * least as accurate? accuracy.c holds it for attention, gradient_accuracy.c for its gradient.
 *
 * Both are compared with the same loop in a wider precision, over hundreds of shapes. The measure
 * is the root of the mean squared error of all numbers of a result, over hundreds to thousands of
 * rows of a shape (small shapes are drawn again and again): the largest error of a handful of
 * roundings is a matter of luck, their mean square is not. A shape passes if the kernel's error is
 * at most the naive one; if it is not, on sixteen times as many rows, drawn anew.
 */
#ifndef TESTS_KERNELS_CONTEST_H
#define TESTS_KERNELS_CONTEST_H

#include <stdbool.h>

#include "kernels/naive.h"
#include "support/tensors.h"

enum { RESULTS_AT_MOST = 3, KERNELS_AT_MOST = 8 };

typedef struct shape {
    size_t queries, keys, width, value_width;
    double deviation; /* of queries: the size of the scores */
    double softcap;
    bool causal;
} shape;

/* Of each result of a call. */
typedef struct errors {
    double squared[RESULTS_AT_MOST], largest[RESULTS_AT_MOST];
} errors;

/* The kernels that a draw is given to: they share the naive loop's results, which take longest. */
typedef struct contestants {
    const char *name[KERNELS_AT_MOST];
    size_t count;
} contestants;

/* Errors added up over draws. */
typedef struct standing {
    errors ours[KERNELS_AT_MOST], theirs;
} standing;

typedef struct contest {
    const char *subject;                /* "error", "error of the gradient" */
    int results;                        /* that a call has */
    const char *names[RESULTS_AT_MOST]; /* of them */
    size_t shapes;                      /* to go through, unless told otherwise */
    size_t work, least_rows, most_rows; /* work / (keys * widths) rows of a shape, within limits */
    unsigned seed;
    shape (*choose)(size_t number, random_source *source);
    bool (*judged)(const char *kernel, qkv_type type);
    /* One draw of random data of that shape; adds up all errors. */
    void (*draw)(const contestants *kernels, qkv_type type, const shape *s, random_source *source,
                 standing *e);
} contest;

/*
 * The program: arguments TYPE [SHAPES [STEP]]. SHAPES is how far to go through the shapes; STEP
 * goes through them in larger steps, for machines that are slow: one that shares no factor with the
 * lengths of the lists in `choose` still meets every entry. Prints TAP, and the table as comments;
 * returns the exit status.
 */
int contest_run(const contest *c, int argument_count, char **arguments);

/* What draws have in common. */
double *contest_doubles(qkv_view view); /* its elements, densely stored; free() them */
naive_problem contest_problem(const shape *s, const double *q, const double *kt, const double *v);
qkv_attention_options contest_options(const char *kernel, const shape *s);
void contest_add(errors *e, int result, long double difference);
void contest_require(qkv_status status, const qkv_error *error); /* or bails out */

#endif
