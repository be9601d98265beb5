/*
 * What an expression of a document means: scalars, vectors, matrices as sums of outer products,
 * families of them over an index set, results of attention. Values are exact and live in the
 * arena of the problem's algebra.
 *
 * Operations return false and set a reason when the values do not go together (a complaint about
 * the text) or when the exact engine cannot hold the result (then the claim is undecided).
 */
#ifndef QKV_CLAIM_VALUE_H
#define QKV_CLAIM_VALUE_H

#include "exact/attend.h"

/* factor * sqrt(radicand): norms. A plain number has the radicand 1. */
typedef struct qkv__surd {
    qkv__ratio factor, radicand;
} qkv__surd;

typedef struct qkv__outer {
    qkv__ratio factor;
    const qkv__vector *left, *right; /* left right' */
} qkv__outer;

/* identity * I + a sum of outer products. */
typedef struct qkv__matrix_sum {
    qkv__ratio identity;
    size_t count;
    const qkv__outer *outer;
} qkv__matrix_sum;

/* A vector for each index of a set. */
typedef struct qkv__vectors {
    qkv__index_set *set;
    const qkv__vector **mark;          /* one a mark */
    const qkv__vector *generic;        /* of the rest; NULL where there is no rest */
    const struct qkv__vectors *within; /* outputs of attention: what they are averages of */
} qkv__vectors;

/* A number for each index of a set. */
typedef struct qkv__numbers {
    qkv__index_set *set;
    qkv__ratio *mark;
    qkv__ratio generic;
    const qkv__attention *spread; /* weights that differ among the rest: of this attention */
} qkv__numbers;

/* The result of attend, self_attend, or the mean of several. */
typedef struct qkv__result {
    qkv__index_set *keys;
    qkv__index_set *queries; /* of self-attention; NULL: a single query */
    size_t count;            /* queries */
    const qkv__attention **row;
    size_t head_count; /* 0: not a mean of heads */
    const struct qkv__result **head;
    const qkv__vectors
        *values;   /* what was averaged; NULL where heads differ in it, or with a sink */
    bool adjusted; /* by a bias, a mask, a sink or a window */
} qkv__result;

/* Attention to be evaluated: what is looked at, and how. */
typedef struct qkv__attending {
    const qkv__vectors *queries; /* of self-attention, one for each key; else NULL */
    const qkv__vectors *keys, *values;
    qkv__ratio scale;
    qkv__ratio sink;          /* a score without a value; lost: none */
    const qkv__numbers *bias; /* added to the scores; NULL: none */
    const bool *seen;         /* a flag for each mark; the rest is not seen. NULL: all are */
    bool causal;
    size_t window;              /* 0: none */
    const qkv__family *outputs; /* stand-ins for the outputs of unnamed tokens */
} qkv__attending;

typedef enum qkv__value_kind {
    QKV__VALUE_NONE,
    QKV__VALUE_SCALAR,
    QKV__VALUE_VECTOR,
    QKV__VALUE_COVECTOR, /* a transposed vector */
    QKV__VALUE_MATRIX,
    QKV__VALUE_VECTORS,
    QKV__VALUE_NUMBERS,
    QKV__VALUE_RESULT,
    QKV__VALUE_TOKENS, /* self-attention over tokens that do not all have names */
    QKV__VALUE_LIST,   /* [1, 0, 1] */
    QKV__VALUE_INDEX,  /* an index of a set: a, 2, or a bound i */
    QKV__VALUE_SET,    /* {a, b}, 1..n */
    QKV__VALUE_HULL,   /* hull(v) */
    QKV__VALUE_TABLE,  /* what the table engine made: see table.h */
} qkv__value_kind;

typedef struct qkv__value {
    qkv__value_kind kind;
    qkv__surd scalar;
    const qkv__vector *vector; /* VECTOR, COVECTOR */
    const qkv__matrix_sum *matrix;
    const qkv__vectors *vectors; /* VECTORS, HULL */
    const qkv__numbers *numbers;
    const qkv__result *result;
    const qkv__attending *tokens;
    size_t count; /* LIST, SET: its elements */
    const struct qkv__value *element;
    qkv__index_set *set; /* INDEX, SET (a whole range) */
    int member;          /* INDEX */
    const struct qkv__quantity *table;
    const qkv__attention *joined; /* VECTOR: attention over joined families; else NULL */
    const qkv__index_set *first;  /* joined: of the first of them, whose weights come first */
} qkv__value;

/* "a scalar", "a vector", for messages. */
const char *qkv__value_kind_name(qkv__value_kind kind);

/* Why an operation failed. */
typedef enum qkv__trouble {
    QKV__TROUBLE_NONE,
    QKV__TROUBLE_TEXT,   /* the document is wrong here: message */
    QKV__TROUBLE_UNABLE, /* well posed, but beyond the exact engine: message */
} qkv__trouble;

typedef struct qkv__failure {
    qkv__trouble trouble;
    char message[256];
} qkv__failure;

qkv__value qkv__value_scalar(qkv__space *space, qkv__ratio ratio);
qkv__value qkv__value_vector(const qkv__vector *vector);

bool qkv__value_add(qkv__space *space, const qkv__value *x, const qkv__value *y, bool subtract,
                    qkv__value *sum, qkv__failure *failure);
bool qkv__value_multiply(qkv__space *space, const qkv__value *x, const qkv__value *y,
                         qkv__value *product, qkv__failure *failure);
bool qkv__value_divide(qkv__space *space, const qkv__value *x, const qkv__value *y,
                       qkv__value *quotient, qkv__failure *failure);
bool qkv__value_power(qkv__space *space, const qkv__value *x, const qkv__value *y,
                      qkv__value *power, qkv__failure *failure);
bool qkv__value_dot(qkv__space *space, const qkv__value *x, const qkv__value *y,
                    qkv__value *product, qkv__failure *failure);
bool qkv__value_transpose(qkv__space *space, const qkv__value *x, qkv__value *transposed,
                          qkv__failure *failure);

/* |x|: the norm of a vector; of a scalar the absolute value, where its sign is known. */
bool qkv__value_size(qkv__space *space, const qkv__value *x, qkv__value *size,
                     qkv__failure *failure);

/* A result of one query is its output where a vector is wanted. */
bool qkv__value_as_vector(const qkv__value *x, const qkv__vector **vector);

/* A plain number; false for surds that are none and for other kinds. */
bool qkv__value_as_ratio(const qkv__value *x, qkv__ratio *ratio);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool qkv__fail_value(qkv__failure *failure, qkv__trouble trouble, const char *format, ...);

#endif
