/* Bounds of one letter of the words engine; shared by the files that show what is not negative. */
#ifndef QKV_EXACT_WORDS_BOUND_H
#define QKV_EXACT_WORDS_BOUND_H

#include "exact/words_internal.h"

enum { QKV__BOUNDS = 96 }; /* of one letter */

typedef struct qkv__bound_of_letter {
    const qkv__words *by; /* a number */
    const char *law;
} qkv__bound_of_letter;

typedef struct qkv__bounds {
    qkv__work *work;
    size_t count;
    qkv__bound_of_letter item[QKV__BOUNDS];
} qkv__bounds;

/* Adds what a number is at most, and at least, whatever the matrices. */
void qkv__bounds_above(qkv__bounds *list, int letter);
void qkv__bounds_below(qkv__bounds *list, int letter);

/* The same from below for the product of two. */
void qkv__bounds_of_pair(qkv__bounds *list, int first, int second);

/* Whether a multiple of a sum is trace(V'*V). */
bool qkv__words_is_square(qkv__work *work, const qkv__words *sum);

#endif
