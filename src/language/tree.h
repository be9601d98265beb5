/*
 * Questions about trees of the language, before anything is known of what they mean: the names and
 * the numbers that they mention, the statements of a problem, comparisons the other way round.
 */
#ifndef QKV_LANGUAGE_TREE_H
#define QKV_LANGUAGE_TREE_H

#include "language/builtin.h"
#include "language/syntax.h"

/* The name of an unknown, be it `M` or `matrix M[d, d]`. */
const char *qkv__unknown_name(const qkv__node *unknown);

/* Whether the name occurs in the tree, other than as an index. */
bool qkv__node_mentions(const qkv__node *node, const char *name);

/* Whether the name occurs in the tree, wherever it stands. */
bool qkv__node_names(const qkv__node *node, const char *name);

/* Whether the name stands as an index somewhere in the tree: i in k[i]. */
bool qkv__node_indexes(const qkv__node *node, const char *name);

/* Whether the name occurs in the tree, by itself or as an index below: i in k_i. */
bool qkv__node_has_index(const qkv__node *node, const char *name);

/* What is looked for in a tree, at one of its nodes. */
typedef bool qkv__tree_test(const qkv__node *node, const void *context);

/* The first node of a tree that passes, a node before what is in it; NULL: none does. */
const qkv__node *qkv__node_find(const qkv__node *node, qkv__tree_test *test, const void *context);
bool qkv__node_has(const qkv__node *node, qkv__tree_test *test, const void *context);
bool qkv__node_has_kind(const qkv__node *node, qkv__node_kind kind);
bool qkv__node_has_comparison(const qkv__node *node, qkv__comparison comparison);
/* A call of a function; NULL: there is none. */
const qkv__node *qkv__node_find_call(const qkv__node *node, qkv__builtin function);
/* The same in the definitions of names, too, from the first statement of a problem on; true also
 * where definitions are nested too deeply. */
bool qkv__node_rests_on(const qkv__statement *first, const qkv__node *node, qkv__tree_test *test,
                        const void *context);

/* What stands for a child; NULL: nothing can. */
typedef const qkv__node *qkv__tree_change(const qkv__node *child, void *context);

/* A node with its children changed, itself where they all stay; NULL: something cannot be changed,
 * the tree became too deep, or memory ran out. */
const qkv__node *qkv__node_changed(qkv__arena *arena, const qkv__node *node,
                                   qkv__tree_change *change, void *context);

/* A node like another, of a kind and with children of its own; NULL: a child is missing, the tree
 * became too deep, or memory ran out. */
qkv__node *qkv__node_like(qkv__arena *arena, const qkv__node *like, qkv__node_kind kind,
                          const qkv__node *const *child, size_t count);
qkv__node *qkv__node_pair(qkv__arena *arena, const qkv__node *like, qkv__node_kind kind,
                          const qkv__node *first, const qkv__node *second);
const qkv__node *qkv__node_name(qkv__arena *arena, const char *name, qkv__place place);
const qkv__node *qkv__node_number(qkv__arena *arena, qkv__rational value, qkv__place place);

/* Whether the node is this name, by itself. */
bool qkv__node_is(const qkv__node *node, const char *name);
/* Whether a node is a name or a call: something that may be defined. */
bool qkv__node_is_word(const qkv__node *node);

/* Whether a tree is a number as it is written, 2, -2 or 1/2; and which. */
bool qkv__node_is_number(const qkv__node *node, qkv__rational *number);

/* The name that a quantifier binds: t, or i of i in S. */
const char *qkv__bound_name(const qkv__node *bound);
/* Whether a node binds a name anew: sum(x for i in S), for all i in S: p, exists t: p. */
bool qkv__node_binds(const qkv__node *node, const char *name);

/* Whether a node may say what an index runs over: i in S, i not in S, i != j. */
bool qkv__node_is_domain(const qkv__node *node);
/* The same with a name for the index. */
bool qkv__is_index_domain(const qkv__node *node);

/* What a statement defines or declares: x, f of f(x), k of k[i] and of k[i] ~ normal(0, I). */
const char *qkv__statement_name(const qkv__statement *statement);

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
