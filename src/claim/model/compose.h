/* Expressions that engines write, in the problem's memory, and definitions put in. NULL: out of
 * memory, or too deep; a part that is NULL makes the whole NULL. */
#ifndef QKV_CLAIM_COMPOSE_H
#define QKV_CLAIM_COMPOSE_H

#include "claim/model/model.h"

/* An operator, or the call of a function, of one argument (other: NULL) or two. */
qkv__node *qkv__compose_unary(qkv__model *model, qkv__node_kind kind, const char *text,
                              const qkv__node *one);
qkv__node *qkv__compose_binary(qkv__model *model, qkv__node_kind kind, const qkv__node *one,
                               const qkv__node *other);

const qkv__node *qkv__compose_number(qkv__model *model, qkv__rational value, qkv__place place);
const qkv__node *qkv__compose_name(qkv__model *model, const char *name, qkv__place place);
const qkv__node *qkv__compose_square(qkv__model *model, const qkv__node *x);

/* A node with other children, as many as it has. */
qkv__node *qkv__compose_like(qkv__model *model, const qkv__node *node,
                             const qkv__node *const *child);

/* A tree with another name in place of one. */
const qkv__node *qkv__compose_renamed(qkv__model *model, const qkv__node *node, const char *from,
                                      const char *to);

/* What a name or the call of a function of the document stands for, where the exact engine does not
 * hold it; the node itself where it is neither. NULL: no room, or the function binds names. */
const qkv__node *qkv__compose_unfolded(qkv__model *model, const qkv__binding *locals,
                                       const qkv__node *node);

/* Whether a name in a definition means something else by now. */
bool qkv__compose_is_outdated(const qkv__model *model, const qkv__node *node,
                              const qkv__binding *definition);

#endif
