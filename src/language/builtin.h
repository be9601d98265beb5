/*
 * The functions of the language: one row each in builtin.def, which feeds the parser, the commands
 * of LaTeX and the engines; an engine has a function for those rows that it can take.
 */
#ifndef QKV_LANGUAGE_BUILTIN_H
#define QKV_LANGUAGE_BUILTIN_H

#include "language/syntax.h"

typedef enum qkv__builtin {
    QKV__BUILTIN_NONE,
#define BUILTIN(id, name, kind, values) QKV__BUILTIN_##id,
#include "language/builtin.def"
    QKV__BUILTIN_DERIVATIVE, /* d(x, t) */
    QKV__BUILTIN_GRADIENT,   /* grad(x, q) */
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
/* Its name, where it has synonyms the first one; "" of none, and of derivatives. */
const char *qkv__builtin_word(qkv__builtin function);
/* Whether it has no value for some arguments, as ln has none for 0. */
bool qkv__builtin_is_partial(qkv__builtin function);

/* The function that a CALL names, unless the document has defined one of that name. d(x, t) and
 * grad(x, q) are derivatives; with another number of arguments, d and grad are names like others.
 */
qkv__builtin qkv__builtin_of(const qkv__node *call);

/* sum(x for i in S), and mean, max and min likewise. */
bool qkv__call_is_over(const qkv__node *call);

#endif
