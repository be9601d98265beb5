/* Expressions to exact values, and what the files of the evaluator share. */
#ifndef QKV_CLAIM_EVALUATE_H
#define QKV_CLAIM_EVALUATE_H

#include "claim/model/model.h"

enum { QKV__INDICES = 8 }; /* x[1][2][3]... */

/*
 * The value of an expression. `locals` are bound names (sums, functions, "for i not in ..."), the
 * innermost first; NULL for none. On failure the failure says why, and *culprit is the node.
 */
bool qkv__model_evaluate(qkv__model *model, const qkv__node *node, const qkv__binding *locals,
                         qkv__value *value, qkv__failure *failure, const qkv__node **culprit);

/* The same where nobody asks why there is none. */
bool qkv__model_value(qkv__model *model, const qkv__node *node, const qkv__binding *locals,
                      qkv__value *value);

/* The body of a sum over the rest, where weights differ from key to key: the weight of the i-th
 * key is a parameter of its own, in which the body must be linear. */
typedef struct qkv__summation {
    const qkv__attention *spread; /* whose weight; NULL: none was met */
    int parameter;
    bool mixed; /* weights of several attentions: no sum is known */
} qkv__summation;

/* An evaluation under way: the model, the bound names, and where to say what went wrong. */
typedef struct qkv__evaluation {
    qkv__model *model;
    const qkv__binding *locals;
    qkv__failure *failure;
    const qkv__node **culprit;
    int depth;                 /* of function calls */
    qkv__summation *summation; /* NULL: not within a sum over the rest */
} qkv__evaluation;

bool qkv__evaluate_in(qkv__evaluation *e, const qkv__node *node, qkv__value *value);
bool qkv__evaluate_call(qkv__evaluation *e, const qkv__node *node, qkv__value *value);
bool qkv__evaluate_with(qkv__evaluation *e, const qkv__node *node, qkv__value *value);
bool qkv__evaluate_exponential(qkv__evaluation *e, const qkv__node *node,
                               const qkv__value *exponent, qkv__value *value);
bool qkv__evaluate_index(qkv__evaluation *e, const qkv__node *node, const qkv__index_set *set,
                         int *member);

/* The set that a bound index runs over (i in 1..n, i in {a, b}, i != j, i not in {a, b}), and which
 * of its marks are left out: QKV__MARKS flags, and one more for the rest. */
bool qkv__evaluate_domain(qkv__evaluation *e, const qkv__node *domain, qkv__index_set **set,
                          bool *left_out);

/* sum(x for i in S), and mean(x, y, ...) of heads, vectors or numbers. */
bool qkv__evaluate_sum(qkv__evaluation *e, const qkv__node *call, qkv__value *value);
bool qkv__evaluate_mean(qkv__evaluation *e, const qkv__node *node, qkv__value *value);

/* mean(x for i in S): the sum divided by the number of indexes. */
bool qkv__evaluate_mean_over(qkv__evaluation *e, const qkv__node *call, qkv__value *value);

/* M*y where M is, or is made of, sum(x[i]*y[i]' for i in S): as a sum of vectors. False: it is not,
 * or that has no value here. */
bool qkv__evaluate_matrix_sum_times(qkv__evaluation *e, const qkv__node *node, qkv__value *value);

/* The same as an expression; NULL: it is none. */
const qkv__node *qkv__matrix_sum_times(qkv__model *model, const qkv__binding *locals,
                                       const qkv__node *product);

/* attend(q, k, v) and self_attend(x). */
bool qkv__evaluate_attend(qkv__evaluation *e, const qkv__node *node, qkv__value *value);
bool qkv__evaluate_self_attend(qkv__evaluation *e, const qkv__node *node, qkv__value *value);

/* The result for one token, by its mark; and the output for one that has none, which stands for
 * all of these: NULL where there is no room. */
bool qkv__evaluate_token(qkv__evaluation *e, const qkv__node *node, const qkv__attending *attending,
                         int query, qkv__value *value);
const qkv__vector *qkv__evaluate_unnamed_token(qkv__evaluation *e, const qkv__attending *attending);

/* The values that an expression is an average of, by the law of attention, whatever its weights;
 * false where it is none, or may be one of nothing. */
bool qkv__evaluate_averaged(qkv__evaluation *e, const qkv__node *node, const qkv__vectors **values);

/* [x for i in 1..n]: a vector or a number for each index of a set. */
bool qkv__evaluate_family(qkv__evaluation *e, const qkv__node *node, qkv__value *value);

/* x + y, x - y, x*y, x/y where one side or both are families: member by member. */
bool qkv__value_is_family(const qkv__value *value);
bool qkv__evaluate_members(qkv__evaluation *e, const qkv__node *node, const qkv__value *x,
                           const qkv__value *y, qkv__value *value);

/* [k, m, u], families and vectors one behind the other: a family where the members can be counted,
 * else the list that it is. */
bool qkv__value_is_joined(const qkv__value *value);
bool qkv__evaluate_join(qkv__evaluation *e, const qkv__node *node, qkv__value *list);

/* The number of an index that may stand for it, as in b[i] = i; other values stay as they are. */
bool qkv__evaluate_number(qkv__evaluation *e, const qkv__node *node, qkv__value *value);

/* The family that a value is, the outputs of self-attention included. */
bool qkv__evaluate_as_vectors(qkv__evaluation *e, const qkv__node *node, const qkv__value *value,
                              const qkv__vectors **vectors);

/* Whether an expression speaks of an unmarked index that is bound further out, other than `own`:
 * one generic member cannot tell that from its own. */
bool qkv__evaluation_is_entangled(const qkv__evaluation *e, const qkv__node *body, const char *own);

/* Say why there is no value, and return false: the text is wrong there, or it is right and beyond
 * the engine. A message beside a detail has one %s for it. */
bool qkv__evaluation_misread(qkv__evaluation *e, const qkv__node *node, const char *message,
                             const char *detail);
bool qkv__evaluation_unable(qkv__evaluation *e, const qkv__node *node, const char *message);
bool qkv__evaluation_unable_to(qkv__evaluation *e, const qkv__node *node, const char *message,
                               const char *detail);

/* Whether a vector has to do with an unmarked index: a class of keys cannot tell itself from it. */
bool qkv__vector_is_generic(const qkv__space *space, const qkv__vector *vector);

/* beta, tau, n, C, t1: names that need no declaration. A longer word is more likely a mistake. */
bool qkv__may_be_parameter(const char *name);

bool qkv__member(const qkv__vectors *vectors, int member, const qkv__vector **vector);

#endif
