/* Claims about matrices of symbolic size, handed to the words engine. */
#ifndef QKV_CLAIM_DECIDE_WORDS_H
#define QKV_CLAIM_DECIDE_WORDS_H

#include "claim/decide.h"

/* An equation between expressions with symbolic matrices: proved by normal forms, refuted by a
 * witness in small numbers, else supported by the tries that found none. */
void qkv__decide_words(qkv__model *model, const qkv__node *comparison, qkv__finding *finding);

#endif
