/* What the files of the words engine share: a translation under way. */
#ifndef QKV_CLAIM_WORDS_PART_H
#define QKV_CLAIM_WORDS_PART_H

#include "claim/words/words_engine.h"
#include "language/syntax.h"

/* How deep definitions lead into each other. */
enum { QKV__WORDS_DEPTH = 32 };

/* A translation under way. */
typedef struct qkv__translation {
    qkv__model *model;
    qkv__theory theory;
    const qkv__binding *arguments; /* of the function being written out */
    const char *unknown;           /* a name that is asked for and reads as I; NULL for none */
    int depth;
    const qkv__node *culprit;
    char message[QKV_ERROR_CAPACITY];        /* "" while all is well */
    const qkv__circumstances *circumstances; /* of the claim; NULL for none */
    int expected;  /* rows that a softmax of any size takes; -1: not known */
    bool confined; /* something is known of sizes that witnesses are not held to */
    bool claiming; /* what is translated is the claim: shapes that do not fit make it false */
    bool misshapen;
    bool unable; /* the text is well posed, but this engine cannot take it */
} qkv__translation;

/* Says what is wrong, or beyond the engine, once; NULL. */
const qkv__expression *qkv__words_fail(qkv__translation *t, const qkv__node *node,
                                       const char *message, const char *detail);
const qkv__expression *qkv__words_beyond(qkv__translation *t, const qkv__node *node,
                                         const char *message);

/* A tree as an expression; NULL when it is none. */
const qkv__expression *qkv__words_translate(qkv__translation *t, const qkv__node *node);

/* Parts of that: a name, a call, two parts whose sizes go together, and what the theory refused. */
const qkv__expression *qkv__words_translate_name(qkv__translation *t, const qkv__node *node);
const qkv__expression *qkv__words_translate_call(qkv__translation *t, const qkv__node *node);
bool qkv__words_translate_pair(qkv__translation *t, const qkv__node *first, const qkv__node *second,
                               bool product, const qkv__expression **x, const qkv__expression **y);
const qkv__expression *qkv__words_check(qkv__translation *t, const qkv__node *node,
                                        const qkv__expression *made);

/* Of names that equations make one the first by the alphabet, or the number that one of them is. */
const char *qkv__words_one_name(const qkv__translation *t, const char *name,
                                const qkv__parameter **known);

/* ---- words_numbers.c: theories with numbers, and functions of matrices ----------------------- */

const qkv__expression *qkv__words_translate_with_numbers(qkv__translation *t,
                                                         const qkv__node *node);
const qkv__expression *qkv__words_translate_parameter(qkv__translation *t, const qkv__node *node);
const qkv__expression *qkv__words_product(qkv__translation *t, const qkv__node *node,
                                          const qkv__expression *left,
                                          const qkv__expression *right);

/* Takes what is given of numbers made of matrices, |x| = 1 or spectral(W) <= 1, into the theory. */
void qkv__words_take_premises(qkv__translation *t);

/* Whether two expressions are of one kind: numbers, columns, rows or matrices. */
bool qkv__words_can_be_compared(qkv__translation *t, const qkv__node *node,
                                const qkv__expression *left, const qkv__expression *right);

/* ---- Comparisons ---------------------------------------------------------------------------- */

/* Both sides of an equation, with all that is assumed. */
bool qkv__words_translate_sides(qkv__translation *t, const qkv__node *comparison,
                                const qkv__expression **left, const qkv__expression **right);
bool qkv__words_assume_all(qkv__translation *t);

/* A whole number or a name as a dimension of the theory. */
int qkv__words_dimension_of(qkv__translation *t, const qkv__node *node);

/* Whether a node is the name that is asked for, and whether it is a number. */
bool qkv__words_is_unknown(const qkv__translation *t, const qkv__node *node);
bool qkv__words_is_number(qkv__translation *t, const qkv__node *node, qkv__rational *number);

/* Calls `use` for what is given in the problem and behind the claim. */
void qkv__words_each_premise(const qkv__translation *t,
                             void (*use)(const qkv__node *node, void *data), void *data);

/* A use of it: notes what is said of sizes, in the translation. */
void qkv__words_note_premise(const qkv__node *node, void *data);

#endif
