/*
 * The functions of the language: one row each. The parser, the engines and the manual's list are
 * fed from here; an engine has a function for those rows that it can take.
 */
#ifndef QKV_LANGUAGE_BUILTIN_H
#define QKV_LANGUAGE_BUILTIN_H

#include "language/syntax.h"

typedef enum qkv__builtin {
    QKV__BUILTIN_NONE,
    QKV__BUILTIN_ABS,
    QKV__BUILTIN_ATTEND,
    QKV__BUILTIN_COS,
    QKV__BUILTIN_COVARIANCE,
    QKV__BUILTIN_DETERMINANT,
    QKV__BUILTIN_DIAGONAL,
    QKV__BUILTIN_DERIVATIVE,
    QKV__BUILTIN_DISTANCE,
    QKV__BUILTIN_ENTROPY,
    QKV__BUILTIN_ERF,
    QKV__BUILTIN_EXP,
    QKV__BUILTIN_EXPECTATION,
    QKV__BUILTIN_FILE,
    QKV__BUILTIN_GRADIENT,
    QKV__BUILTIN_HULL,
    QKV__BUILTIN_INVERSE,
    QKV__BUILTIN_LN,
    QKV__BUILTIN_LOG_SUM_EXP,
    QKV__BUILTIN_MAX,
    QKV__BUILTIN_MEAN,
    QKV__BUILTIN_MIN,
    QKV__BUILTIN_NORM,
    QKV__BUILTIN_NORMAL,
    QKV__BUILTIN_ONES,
    QKV__BUILTIN_PROBABILITY,
    QKV__BUILTIN_RANK,
    QKV__BUILTIN_RELU,
    QKV__BUILTIN_SELF_ATTEND,
    QKV__BUILTIN_SIGMOID,
    QKV__BUILTIN_SIN,
    QKV__BUILTIN_SOFTMAX,
    QKV__BUILTIN_SPECTRAL,
    QKV__BUILTIN_SOFTPLUS,
    QKV__BUILTIN_SQRT,
    QKV__BUILTIN_SUM,
    QKV__BUILTIN_TANH,
    QKV__BUILTIN_TRACE,
    QKV__BUILTIN_VARIANCE,
    QKV__BUILTIN_ZEROS,
    QKV__BUILTINS
} qkv__builtin;

/* What a function is of. */
typedef enum qkv__builtin_kind {
    QKV__OF_NUMBERS,  /* the numbers, or vectors, that it is given, and nothing else */
    QKV__OF_MATRICES, /* matrices and their sizes, and nothing else */
    QKV__OF_FAMILY,   /* all the members of a family */
    QKV__OF_CHANCE,   /* something random: its argument may be `x given p` */
    QKV__OF_NAMES     /* a file, or the law of a key */
} qkv__builtin_kind;

/* NONE where the document is free to use the name, which has so many characters. */
qkv__builtin qkv__builtin_find(const char *name, size_t length);
/* The names in the order of the table; NULL behind the last. */
const char *qkv__builtin_name(size_t row);

qkv__builtin_kind qkv__builtin_kind_of(qkv__builtin function);

/* The function that a CALL names, unless the document has defined one of that name. d(x, t) and
 * grad(x, q) are derivatives; with another number of arguments, d and grad are names like others.
 */
qkv__builtin qkv__builtin_of(const qkv__node *call);

/* Whether a node is normal(mean, covariance), or N(mean, covariance): the law of a key. */

/* sum(x for i in S), and mean, max and min likewise. */
bool qkv__call_is_over(const qkv__node *call);

#endif
