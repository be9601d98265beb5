/*
 * Large tables of plain numbers: keys and values that are listed in full or come from a file. An
 * engine of its own beside the symbolic one: scores are exact, weights are enclosed at any
 * precision, limits are exact comparisons of scores.
 *
 *     keys   k = file("keys.npy")
 *     values v[1..10000]
 *     c = attend(beta*k[7], k, v)
 *     claim: c ~ v[7]   as beta -> inf
 *
 * Everything that mentions such a table, or a value made from one, is the business of this engine:
 * qkv__table_takes says so, and the other functions are called then and only then.
 */
#ifndef QKV_CLAIM_TABLE_H
#define QKV_CLAIM_TABLE_H

#include "ball/grid.h"
#include "claim/premise/finding.h"

/* Whether the node mentions a table, a long list of numbers or a file. */
bool qkv__table_takes(const qkv__model *model, const qkv__node *node);

/* Whether `keys k = node` makes a table: a file, or more than 64 rows or columns. */
bool qkv__table_makes(const qkv__node *node);

/* The value of an expression that it takes, of the kind QKV__VALUE_TABLE. */
bool qkv__table_evaluate(qkv__model *model, const qkv__node *node, qkv__value *value,
                         qkv__failure *failure, const qkv__node **culprit);

/* keys k = node */
bool qkv__table_declare(qkv__model *model, const char *name, const qkv__node *node,
                        qkv__failure *failure, const qkv__node **culprit);

/* One claim to one verdict. */
void qkv__table_decide(qkv__model *model, const qkv__node *proposition,
                       const qkv__circumstances *circumstances, qkv__finding *finding);

/* find least beta: p */
void qkv__table_find(qkv__model *model, const qkv__statement *statement,
                     const qkv__circumstances *circumstances, qkv__finding *finding);

/* Gives back what the tables of a problem hold outside of its arena. */
void qkv__tables_free(qkv__model *model);

/* The same for what came after `kept`, which model->tables was then. */
void qkv__tables_free_since(qkv__model *model, const struct qkv__tables *kept);

#endif
