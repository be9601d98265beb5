/*
 * Values of expressions at one concrete case: numbers, vectors, matrices, families of vectors,
 * results of attention, all of them made of reals with their errors. For the search alone.
 *
 * Reals come from a bench that is cleared as a whole between cases. An operation returns false when
 * it has no result, and the bench says why.
 */
#ifndef QKV_REPLAY_VALUE_H
#define QKV_REPLAY_VALUE_H

#include "ball/real.h"
#include "base/arena.h"

typedef enum qkv__obstacle {
    QKV__OBSTACLE_NONE,
    QKV__OBSTACLE_SHAPE,     /* sizes do not go together in this case */
    QKV__OBSTACLE_UNDEFINED, /* something has no value in this case: 1/0 */
    QKV__OBSTACLE_VAGUE,     /* it may have none, or is out of the range of numbers */
    QKV__OBSTACLE_UNABLE,    /* a construct that cannot be tried at all */
    QKV__OBSTACLE_ROOM,      /* no memory, or the case is too large */
} qkv__obstacle;

enum { QKV__BENCH_BLOCKS = 64, QKV__BENCH_BLOCK = 4096, QKV__BENCH_LARGEST = 1 << 16 };

/* Reals and small structures of one case. */
typedef struct qkv__bench {
    qkv__real *block[QKV__BENCH_BLOCKS]; /* initialised */
    size_t size[QKV__BENCH_BLOCKS];
    size_t block_count;     /* that exist */
    size_t at, used;        /* the block being filled, and how far */
    qkv__arena arena;       /* for what is no real; emptied between cases */
    qkv__arena_place first; /* what it is emptied to: a block is kept */
    qkv__obstacle obstacle;
    size_t operations; /* on reals, roughly: what an evaluation costs */
} qkv__bench;

void qkv__bench_clear(qkv__bench *bench); /* keeps the reals for the next case */

/* A place to return to: all that was taken behind it is free again. */
typedef struct qkv__bench_place {
    size_t at, used;
    qkv__arena_place arena;
} qkv__bench_place;

qkv__bench_place qkv__bench_here(const qkv__bench *bench);
void qkv__bench_return(qkv__bench *bench, qkv__bench_place place);

void qkv__bench_free(qkv__bench *bench);

/* Reals with any content; NULL, and an obstacle, where there is no room. */
qkv__real *qkv__bench_take(qkv__bench *bench, size_t count);

/* Notes the first obstacle; false, so that a caller can return it. */
static inline bool qkv__bench_fail(qkv__bench *bench, qkv__obstacle obstacle)
{
    if (bench->obstacle == QKV__OBSTACLE_NONE) bench->obstacle = obstacle;
    return false;
}

typedef enum qkv__case_kind {
    QKV__CASE_SCALAR,
    QKV__CASE_VECTOR,   /* rows x 1; also a list of numbers */
    QKV__CASE_COVECTOR, /* 1 x columns */
    QKV__CASE_MATRIX,
    QKV__CASE_FAMILY,   /* rows vectors of width columns; also a list of lists */
    QKV__CASE_AXES,     /* a family of unit vectors times one number, the first of `columns` axes */
    QKV__CASE_NUMBERS,  /* rows numbers, one a member */
    QKV__CASE_IDENTITY, /* a multiple of the identity of any size */
    QKV__CASE_RESULT,   /* of attention */
} qkv__case_kind;

typedef struct qkv__case_result qkv__case_result;

typedef struct qkv__case_value {
    qkv__case_kind kind;
    size_t rows, columns;
    const qkv__real *entry;   /* row by row */
    const char *const *names; /* of the members, where they are not 1 to rows */
    const qkv__case_result *result;
} qkv__case_value;

struct qkv__case_result {
    bool single; /* one query that is a vector */
    bool matrix; /* queries are the rows of a matrix */
    size_t queries, keys, width;
    const qkv__real *score;  /* queries x keys; NULL for a mean of heads */
    const qkv__real *weight; /* queries x keys */
    const qkv__real *output; /* queries x width */
    const char *const *key_names, *const *query_names;
    size_t head_count;
    const qkv__case_value *head;
};

/* ---- Making values ----------------------------------------------------------------------- */

bool qkv__case_scalar(qkv__bench *bench, qkv__rational number, qkv__case_value *value);

/* A single query's result is its output; other results are families or matrices of outputs. */
qkv__case_value qkv__case_plain(const qkv__case_value *value);

/* The rows of a matrix, a family or a list of numbers (vectors of width 1); false for others. */
bool qkv__case_rows(const qkv__case_value *value, qkv__case_value *rows);

/* Member `row` of a family, row of a matrix (as a list), entry of a vector or of numbers. */
bool qkv__case_member(qkv__bench *bench, const qkv__case_value *value, size_t row,
                      qkv__case_value *member);

/* ---- Operations ---------------------------------------------------------------------------- */

bool qkv__case_add(qkv__bench *bench, const qkv__case_value *x, const qkv__case_value *y,
                   bool subtract, qkv__case_value *sum);
bool qkv__case_multiply(qkv__bench *bench, const qkv__case_value *x, const qkv__case_value *y,
                        qkv__case_value *product);
bool qkv__case_divide(qkv__bench *bench, const qkv__case_value *x, const qkv__case_value *y,
                      qkv__case_value *quotient);
bool qkv__case_power(qkv__bench *bench, const qkv__case_value *x, const qkv__case_value *y,
                     qkv__case_value *power);
bool qkv__case_dot(qkv__bench *bench, const qkv__case_value *x, const qkv__case_value *y,
                   qkv__case_value *product);
bool qkv__case_transpose(qkv__bench *bench, const qkv__case_value *x, qkv__case_value *transposed);
bool qkv__case_size(qkv__bench *bench, const qkv__case_value *x, qkv__case_value *size);
bool qkv__case_softmax(qkv__bench *bench, const qkv__case_value *x, qkv__case_value *weights);

/* Entry by entry, one function or the larger (smaller) of two; of scalars alone. */
bool qkv__case_apply(qkv__bench *bench, const qkv__case_value *x,
                     void (*function)(qkv__real *, const qkv__real *), qkv__case_value *value);

/* Both as arrays of one length that can be compared entry by entry; a plain 0 goes with anything
 * and I with every square matrix. */
bool qkv__case_align(qkv__bench *bench, const qkv__case_value *x, const qkv__case_value *y,
                     qkv__case_value *left, qkv__case_value *right);

/* ---- Attention ----------------------------------------------------------------------------- */

typedef struct qkv__case_options {
    const qkv__real *scale; /* NULL: 1 */
    bool causal;
    size_t window;         /* a query sees keys less than so many rows away; 0: all */
    const bool *seen;      /* the keys that any query may see; NULL: all */
    const qkv__real *bias; /* added to the scores, one a key; NULL: none */
    const qkv__real *sink; /* the score of what has no value; NULL: there is none */
} qkv__case_options;

/* Queries, keys and values by rows. A query sees keys up to its own row where causal. Where a query
 * sees no key there is no value. */
bool qkv__case_attend(qkv__bench *bench, const qkv__case_value *queries,
                      const qkv__case_value *keys, const qkv__case_value *values,
                      const qkv__case_options *options, qkv__case_result *result);

/* The mean of results of one shape, which become its heads. */
bool qkv__case_mean(qkv__bench *bench, const qkv__case_value *heads, size_t count,
                    qkv__case_value *mean);

#endif
