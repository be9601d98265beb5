/* Self-attention whose matrices are asked for: where it stands, its tokens, what is wanted of them.
 * Shared by the files that design K, Q and V. */
#ifndef QKV_CLAIM_HEAD_H
#define QKV_CLAIM_HEAD_H

#include "claim/find/find_part.h"
#include "claim/find/find_tokens.h"

enum { QKV__QUERY, QKV__KEY, QKV__VALUE, QKV__ROLES };

/* What is wanted of one token: an output, or a row of weights. */
typedef struct qkv__head_target {
    size_t token;
    const qkv__node *node;     /* the wanted side */
    const qkv__node *compared; /* the comparison */
    const qkv__vector *output; /* NULL: weights */
    size_t weight_count;
    qkv__ratio weight[QKV__TOKENS];
} qkv__head_target;

typedef struct qkv__head_task {
    qkv__question *question;
    qkv__model *model;
    const qkv__node *call;            /* self_attend(...) as it stands in the document */
    const qkv__statement *definition; /* z = self_attend(...); NULL: the call is in what is asked */
    const char *unknown[QKV__ROLES];  /* names; NULL for a matrix that is given */
    const qkv__node *changed;         /* the call with the names in their places */
    const qkv__vectors *x;
    bool causal;
    qkv__ratio scale;
    bool limit;                       /* ~ in a limit; else exact */
    bool exact;                       /* some = too */
    qkv__circumstances circumstances; /* with the limit that was chosen */
    int parameter;                    /* that grows */
    size_t target_count;
    qkv__head_target target[QKV__TOKENS];
    qkv__tokens tokens;         /* those that differ */
    size_t class[QKV__TOKENS];  /* which of them a token is */
    qkv__text text[QKV__ROLES]; /* what was found */
} qkv__head_task;

/* Finds the attention of the question, and the place of every unknown in it; false when there is
 * none, or when an unknown is no matrix of it. */
bool qkv__head_locate(qkv__head_task *d);

/* Reads the tokens, the options and what is wanted; false when the question says why not. */
bool qkv__head_read(qkv__head_task *d);

/* Definitions that rest on what was found are made again. */
bool qkv__head_define_again(qkv__head_task *d);

/* A tree with a part replaced, wherever it stands; `from` may be NULL for none. */
const qkv__node *qkv__head_replaced(qkv__head_task *d, const qkv__node *node, const qkv__node *from,
                                    const qkv__node *to);
qkv__node *qkv__head_node(qkv__head_task *d, qkv__node_kind kind, const char *text, size_t count);
bool qkv__head_evaluate(qkv__head_task *d, const qkv__node *node, qkv__value *value);

/* Of a node that nobody has seen yet. */
static inline const qkv__node **qkv__node_children(qkv__node *node)
{
    return (const qkv__node **)(uintptr_t)node->child;
}

/* Whether some family's norm is this parameter, or involves it. */
bool qkv__head_is_in_norm(const qkv__head_task *d, int parameter);

/* Writes the unknown matrices, and binds their names to what was written. */
bool qkv__head_design(qkv__head_task *d);

#endif
