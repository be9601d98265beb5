/* Claims about matrices of symbolic size, handed to the words engine. */
#ifndef QKV_CLAIM_WORDS_ENGINE_H
#define QKV_CLAIM_WORDS_ENGINE_H

#include "claim/premise/finding.h"
#include "exact/words.h"

/* An equation between expressions with symbolic matrices: proved by normal forms, refuted by a
 * witness in small numbers, else supported by the tries that found none. */
void qkv__decide_words(qkv__model *model, const qkv__node *comparison,
                       const qkv__circumstances *circumstances, qkv__finding *finding);

/* left <= right and left >= right, of numbers made of symbolic matrices: proved by bounds, or left
 * undecided. */
void qkv__decide_words_order(qkv__model *model, const qkv__node *comparison,
                             const qkv__circumstances *circumstances, qkv__finding *finding);

/* What the words engine makes of an equation: both sides with definitions written out, the
 * assumptions, the normal forms and the rules. Nothing is told where the text is wrong. */
typedef void qkv__words_listener(void *data, const qkv__theory *theory, const qkv__expression *left,
                                 const qkv__expression *right, const qkv__words_proof *proof);
void qkv__derive_words(qkv__model *model, const qkv__node *comparison,
                       qkv__words_listener *listener, void *data);

/*
 * find M: M*given = wanted, or given*M = wanted, for all values of the vectors that `for all`
 * names (without it, of all vectors in the equation). PROVED with M as found; REFUTED by matrices
 * that satisfy the assumptions and a value of the vectors for which given is 0 and wanted is not.
 */
void qkv__find_words(qkv__model *model, const qkv__node *const *unknown, size_t unknown_count,
                     const qkv__node *proposition, const qkv__circumstances *circumstances,
                     qkv__finding *finding);

#endif
