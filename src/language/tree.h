/* The numbers that a problem mentions as indices: k[7], x[1, 2], i not in {3, 8}. In a range too
 * long to name all its members, those are the ones that need names; the rest are alike. */
#ifndef QKV_LANGUAGE_TREE_H
#define QKV_LANGUAGE_TREE_H

#include "language/syntax.h"

/* Whole numbers from 1 to `most` among the indices of a problem's statements, from `first` up to
 * the next problem, each once and in order. Returns how many there are, or something above
 * `capacity` when that is too little. */
size_t qkv__mentioned_numbers(const qkv__statement *first, int64_t most, int64_t *number,
                              size_t capacity);

#endif
