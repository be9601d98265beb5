/* The signs of mathematics that are accepted for an ASCII spelling: β for beta, ≤ for <=. Knows
 * which token each sign is; nothing of how signs are joined into names and numbers. */
#ifndef QKV_LANGUAGE_SIGNS_H
#define QKV_LANGUAGE_SIGNS_H

#include "language/token.h"

/* NAME: a word, FRACTION: its value in `text`, EXPONENT: a raised digit or '-'. A letter may be
 * part of a longer name. */
typedef struct qkv__sign_token {
    unsigned code;
    qkv__token_kind kind;
    const char *text;
    bool letter;
} qkv__sign_token;

/* The sign with this code point; NULL if it is none. */
const qkv__sign_token *qkv__sign_find(unsigned code);

#endif
