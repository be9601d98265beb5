/* What names stand for in front of a claim. */
#ifndef QKV_REPLAY_NAMES_H
#define QKV_REPLAY_NAMES_H

#include "replay/replay.h"

/* The last of the first `position` statements that declares or defines a name; -1: none does.
 * *declared is the NAME, INDEX, COMPARE or CALL node in it. */
int qkv__replay_resolve(const qkv__replay *replay, const char *name, size_t position,
                        const qkv__node **declared);
int qkv__replay_unknown(const qkv__replay *replay, const char *name,
                        const qkv__statement *statement,
                        const qkv__node *quantifier);               /* -1: none */
/* The unknown that a name is in front of a statement, whether something declares it or nothing does;
 * -1: it is none. */
int qkv__replay_unknown_named(const qkv__replay *replay, const char *name, size_t position);
int qkv__replay_index(const qkv__replay *replay, const char *name); /* -1: none */

/* v_a: the family's name in `family`, and where the member's begins; NULL if it is no such name. */
const char *qkv__replay_subscript(const char *name, char *family, size_t size);

/* The index that such a name ends in: a number, or a name. */
qkv__node qkv__replay_subscript_node(const char *member);

/* permutation R[d], R[d] or R: the name, and "permutation" or "". */
const char *qkv__binding_name(const qkv__node *binding, const char **kind,
                              const qkv__node **declared);

/* The name that a node of a statement declares; NULL for properties. */
const char *qkv__declared_name(const qkv__statement *statement, const qkv__node *node);

/* Whether an index is picked in front of a statement. */
bool qkv__replay_is_picked(const qkv__replay *replay, const qkv__node *index, size_t position);

#endif
