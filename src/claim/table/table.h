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

/* What a model asks of tables while it reads a problem: `keys k = node` makes a table of a file, or
 * of more than 64 rows or columns. */
extern const qkv__table_reader qkv__reader_of_tables;

/* One claim to one verdict. */
void qkv__table_decide(qkv__model *model, const qkv__node *proposition,
                       const qkv__circumstances *circumstances, qkv__finding *finding);

/* find least beta: p */
void qkv__table_find(qkv__model *model, const qkv__statement *statement,
                     const qkv__circumstances *circumstances, qkv__finding *finding);

#endif
