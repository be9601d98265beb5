/* The walk over expressions that finds the unknowns of a claim. */
#ifndef QKV_REPLAY_WALK_H
#define QKV_REPLAY_WALK_H

#include "replay/replay.h"

/* Names bound around a node. */
typedef struct qkv__shadow {
    const char *name;
    const struct qkv__shadow *next;
} qkv__shadow;

/* A walk over expressions under way. */
typedef struct qkv__walk {
    qkv__replay *replay;
    bool visited[QKV__REPLAY_STATEMENTS];
    uint64_t touched; /* unknowns met */
    bool shown;       /* what is met is shown in a counterexample */
    int depth;
} qkv__walk;

/* Meets everything that a node speaks of; `size`: as a size. False where it cannot be tried. */
bool qkv__walk_node(qkv__walk *w, const qkv__node *node, const qkv__shadow *shadows,
                    size_t position, bool size);

/* The same for i in S, and for the sizes in a declaration. */
bool qkv__walk_domain(qkv__walk *w, const qkv__node *domain, const qkv__shadow *shadows,
                      size_t position);
bool qkv__walk_sizes(qkv__walk *w, const qkv__node *declared, size_t position);

/* Unknowns: any; an object or a family that is declared; what a statement picks. */
bool qkv__walk_add_unknown(qkv__walk *w, qkv__unknown unknown);
bool qkv__walk_add_object(qkv__walk *w, const char *word, const qkv__statement *statement,
                          const qkv__node *quantifier, const qkv__node *declared, size_t position);
bool qkv__walk_add_family(qkv__walk *w, const qkv__statement *statement, const qkv__node *declared,
                          size_t position);
bool qkv__walk_add_picks(qkv__walk *w, const qkv__statement *pick, size_t position);

#endif
