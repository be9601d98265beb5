/*
 * Questions about trees of the language, before anything is known of what they mean: the names and
 * the numbers that they mention, the statements of a problem, comparisons the other way round.
 */
#ifndef QKV_LANGUAGE_TREE_H
#define QKV_LANGUAGE_TREE_H

#include "language/syntax.h"

/* The name of an unknown, be it `M` or `matrix M[d, d]`. */
const char *qkv__unknown_name(const qkv__node *unknown);

/* Whether the name occurs in the tree, other than as an index. */
bool qkv__node_mentions(const qkv__node *node, const char *name);

/* Whether the name occurs in the tree, wherever it stands. */
bool qkv__node_names(const qkv__node *node, const char *name);

/* Whether the name occurs in the tree, by itself or as an index below: i in k_i. */
bool qkv__node_has_index(const qkv__node *node, const char *name);

/* Whether a node may say what an index runs over: i in S, i not in S, i != j. */
bool qkv__node_is_domain(const qkv__node *node);
/* The same with a name for the index. */
bool qkv__is_index_domain(const qkv__node *node);

/* The next statement of the same problem, at its top level; NULL: it was the last. */
const qkv__statement *qkv__statement_after(const qkv__statement *statement);

/* How many numbers a row of a written list has: 2 in [[1, 0], [0, 1]], 1 in [1, 0]; 0: it is no
 * list, or empty. */
size_t qkv__list_width(const qkv__node *list);

/* Adds the conditions of a claim or of a block. */
void qkv__circumstances_add(qkv__circumstances *circumstances, const qkv__condition *conditions);

/* Adds what is parsed already; false where there is no room. */
bool qkv__circumstances_put(qkv__circumstances *circumstances, qkv__condition_kind kind,
                            const qkv__node *node);

/* Whether something is supposed: `for`, `at` or `given`. */
bool qkv__circumstance_is_premise(const qkv__circumstance *circumstance);

/* name -> inf; NULL: out of memory. */
const qkv__node *qkv__node_grows(qkv__arena *arena, const char *name, qkv__place place);

/* Whether the statement makes an entry in a report: a claim, a question or a law. */
bool qkv__statement_is_entry(const qkv__statement *statement);

/* y > x for x < y. */
qkv__comparison qkv__comparison_mirror(qkv__comparison comparison);

/* x >= y for x < y: what holds where the comparison does not; false where there is none. */
bool qkv__comparison_opposite(qkv__comparison comparison, qkv__comparison *other);

/* The numbers that a problem mentions as indices: k[7], x[1, 2], i not in {3, 8}. In a range too
 * long to name all its members, those are the ones that need names; the rest are alike.
 * Whole numbers from 1 to `most` among the indices of a problem's statements, from `first` up to
 * the next problem, each once and in order. Returns how many there are, or something above
 * `capacity` when that is too little. */
size_t qkv__mentioned_numbers(const qkv__statement *first, int64_t most, int64_t *number,
                              size_t capacity);

#endif
