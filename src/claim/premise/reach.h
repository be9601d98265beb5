/*
 * What a tree speaks of, by way of everything that a document says: definitions, functions, members
 * x[1] and x_1, and the sizes, norms, dimensions and laws of families.
 */
#ifndef QKV_CLAIM_REACH_H
#define QKV_CLAIM_REACH_H

#include "claim/model/model.h"

enum { QKV__REACHED = 64 };

typedef struct qkv__reached {
    size_t count;
    const char *name[QKV__REACHED];
    bool all; /* more than can be listed */
} qkv__reached;

bool qkv__reached_have(const qkv__reached *reached, const char *name);
void qkv__reached_add(qkv__reached *reached, const char *name);

/* Whether a name is one that was declared, or a member of it: k, or k_a for k[a]. */
bool qkv__name_is_of(const char *name, const char *declared);

/* How far one looks. */
typedef enum qkv__reach {
    QKV__REACH_STATED, /* the sizes of families only where sums or attention are over them, and
                          their laws only in P and E */
    QKV__REACH_SIZES,  /* sizes, wherever a family is named */
    QKV__REACH_ALL     /* laws as well */
} qkv__reach;

/* Adds the names that a tree speaks of. */
void qkv__reach_collect(const qkv__model *model, const qkv__node *node, qkv__reach reach,
                        qkv__reached *names);

/* Whether a tree speaks of one of the names, but for so many that come first. */
bool qkv__reach_meets(const qkv__model *model, const qkv__node *node, qkv__reach reach,
                      const qkv__reached *names, size_t except);

/* Whether what a tree says may depend on the name in any way. */
bool qkv__reaches(const qkv__model *model, const qkv__node *node, const char *name);

#endif
