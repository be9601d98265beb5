/* P, E, Var and Cov as words of an expression: which calls they are. */
#ifndef QKV_LANGUAGE_CHANCE_CALL_H
#define QKV_LANGUAGE_CHANCE_CALL_H

#include "language/syntax.h"

/* P(...), E(...), E[...], Var(...), Cov(...): the arguments, and what is given. */
typedef struct qkv__chance_call {
    char kind; /* P, E, V or C; 0: it is no such call */
    size_t count;
    const qkv__node *argument[2];
    const qkv__node *given; /* NULL: nothing */
} qkv__chance_call;

qkv__chance_call qkv__chance_read(const qkv__node *node);

/* Whether an expression or proposition has P, E, Var or Cov in it. */
bool qkv__speaks_of_chance(const qkv__node *node);

/* A call of them with too many or too few arguments, and what is expected; NULL: none. */
const qkv__node *qkv__chance_miscounted(const qkv__node *node, const char **expected);

/* Whether they are all P(x ~ y), which is about limits and tends to nothing itself. */
bool qkv__chance_is_settled(const qkv__node *node);

#endif
