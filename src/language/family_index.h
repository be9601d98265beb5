/* Which indexes a family has, by syntax alone: what m[i] = k[i] + u runs over. */
#ifndef QKV_LANGUAGE_FAMILY_INDEX_H
#define QKV_LANGUAGE_FAMILY_INDEX_H

#include "language/syntax.h"

/* What was found: a range 1..n, or the set of names {a, b}; or what is wrong. */
typedef struct qkv__family_index {
    const qkv__node *range;            /* NULL: none was found, or two differ */
    const qkv__node *family, *another; /* whose range it is, and one whose range differs, or NULL */
} qkv__family_index;

/* The range that `name` runs over in a body, from the families that it is an index of there. The
 * statements are those of the document up to the one at hand. */
qkv__family_index qkv__family_index_of(qkv__arena *arena, const qkv__statement *first,
                                       const qkv__node *body, const char *name);

/* The range of the indexes of a family, an expression of families or a result of attention; NULL
 * where it is not plain from the text. */
const qkv__node *qkv__family_range(qkv__arena *arena, const qkv__statement *first,
                                   const qkv__node *family);

/* Whether a node is [x for i in 1..n]: a family, member by member. Its SUM is the only child. */
static inline bool qkv__list_is_family(const qkv__node *node)
{
    return node->kind == QKV__NODE_LIST && node->count == 1 &&
           node->child[0]->kind == QKV__NODE_SUM;
}

#endif
