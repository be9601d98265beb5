/*
 * Definitions that stay syntax: functions, and names for expressions of matrices. They are written
 * out wherever they are used, so none may lead to itself, and what it comes to must stay small.
 */
#ifndef QKV_CLAIM_DEFINITION_H
#define QKV_CLAIM_DEFINITION_H

#include "claim/model/model.h"

/* Binds what a statement defines; false with a complaint where some definition would then lead to
 * itself or grow too long. */
bool qkv__definition_bind(qkv__model *model, const qkv__statement *statement);

/* What a node is tested for; the binding is that of a name or call, NULL for none. */
typedef bool (*qkv__node_test)(const qkv__model *model, const qkv__node *node,
                               const qkv__binding *binding);

/* Whether some node of an expression, its definitions written out, passes the test. A parameter of
 * a function stands for its argument, which is tested where it is given. */
bool qkv__definition_any(const qkv__model *model, const qkv__node *node, qkv__node_test test);

/* Whether the words engine must take it: some name in it stands for a symbolic matrix. */
bool qkv__model_is_symbolic(const qkv__model *model, const qkv__node *node);

/* The tree with names such as p = P(...) replaced by their definitions; the tree itself if it has
 * none. NULL if out of memory. */
const qkv__node *qkv__chance_expand(qkv__model *model, const qkv__node *node);

#endif
