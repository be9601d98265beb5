/* Index sets of a problem: what families and sums run over. */
#ifndef QKV_CLAIM_INDEX_SET_H
#define QKV_CLAIM_INDEX_SET_H

#include "claim/model/model.h"

/* The index set for a range node such as 1..n, shared by all that name it alike. */
qkv__index_set *qkv__model_set(qkv__model *model, const qkv__node *range, qkv__failure *failure);

/* The same; `declared`: a declaration says that there are so many. */
qkv__index_set *qkv__set_of_range(qkv__model *model, const qkv__node *range, bool declared,
                                  qkv__failure *failure);

/* A set by its name, NULL for none; a new one; and one more member with a name of its own. */
qkv__index_set *qkv__set_find(const qkv__model *model, const char *name);
qkv__index_set *qkv__set_new(qkv__model *model, const char *name);
int qkv__mark_find(const qkv__index_set *set, const char *name); /* -1: none */
bool qkv__set_add_mark(qkv__model *model, qkv__index_set *set, const char *name);

/* Whether there may be, and certainly are, members beside those that have names. */
bool qkv__set_may_have_rest(qkv__model *model, const qkv__index_set *set);
bool qkv__set_has_rest(qkv__model *model, const qkv__index_set *set);

/* The members that have names before anything is declared: what is picked, and what the indexes of
 * the case at hand are. */
bool qkv__model_collect_picks(qkv__model *model, const qkv__statement *first);
bool qkv__model_mark_fixed(qkv__model *model);

/* Which number a member has: 2 for the mark 2, and the place of a name in u[a, b, c]; false where
 * it may be any, as that of a picked index. */
bool qkv__mark_number(const qkv__index_set *set, int member, int64_t *number);

#endif
