/* What the files that put vectors into a problem share: the problem as it is rewritten, and the
 * equations that are put in. */
#ifndef QKV_CLAIM_SUBSTITUTE_PART_H
#define QKV_CLAIM_SUBSTITUTE_PART_H

#include "base/text.h"
#include "claim/model/model.h"

enum {
    QKV__REWRITING_MARK = '$',       /* in no name of a document */
    QKV__REWRITING_STATEMENTS = 400, /* of a problem; a longer one is left alone */
    QKV__REWRITING_EQUATIONS = 4,    /* put in, one after the other */
    QKV__REWRITING_TERMS = 8,        /* of an equation */
};

/* A problem that is being rewritten. */
typedef struct qkv__rewriting {
    const qkv__model *model;
    qkv__arena *arena;
    const qkv__statement *claim;
    size_t count;
    /* In front of the claim, and picks: copies. */
    qkv__statement *statement[QKV__REWRITING_STATEMENTS];
    const qkv__node *proposition;
    qkv__circumstances circumstances;
    size_t used_count;
    const qkv__node *used[QKV__REWRITING_EQUATIONS]; /* equations that were put in */
    /* All that their premises say; NULL: they say more. */
    const qkv__node *premise[QKV__REWRITING_EQUATIONS];
    const char *own[QKV__REWRITING_EQUATIONS];        /* names that are defined by them */
    const qkv__node *value[QKV__REWRITING_EQUATIONS]; /* as the premises have it */
    bool failed;                                      /* no memory, or no room */
} qkv__rewriting;

/* An equation that a premise states, for all members of a range or for one. */
typedef struct qkv__rewriting_equation {
    const qkv__node *premise; /* all of it */
    const qkv__node *compare;
    const qkv__node *domain; /* i in 1..n, i != a; NULL: none */
    const qkv__node *second; /* j in 1..n; NULL: none */
} qkv__rewriting_equation;

/* The left side minus the right one, as a sum of numbers times vectors. */
typedef struct qkv__rewriting_terms {
    size_t count;
    struct {
        qkv__rational factor;
        const qkv__node *vector;
    } term[QKV__REWRITING_TERMS];
} qkv__rewriting_terms;

/* Whether a name is meant somewhere in a tree: k, k[a], k_a. */
bool qkv__rewriting_has_name(const qkv__node *node, const char *name);

/* A tree with another in place of a name. */
const qkv__node *qkv__rewriting_with_name(qkv__rewriting *r, const qkv__node *node,
                                          const char *name, const qkv__node *by);

/* A statement with nodes of its own, without conditions; NULL: no memory. */
qkv__statement *qkv__rewriting_copy(qkv__rewriting *r, const qkv__statement *s);

/* Makes it number `at` of the statements. */
void qkv__rewriting_insert(qkv__rewriting *r, size_t at, qkv__statement *s);

bool qkv__rewriting_is_zero(const qkv__node *node);

/* Whether a node is a declared vector, or a member of a declared family. */
bool qkv__rewriting_is_vector(const qkv__rewriting *r, const qkv__node *node);

/* Adds the terms of a node times a factor; false: there are too many, or numbers are too long. */
bool qkv__rewriting_add_terms(qkv__rewriting_terms *sum, const qkv__node *node,
                              qkv__rational factor);

/* What a vector is by an equation: minus the other terms, divided by its factor; 0 times itself
 * where there are none. NULL: it is in none. */
const qkv__node *qkv__rewriting_solved_for(qkv__rewriting *r, const qkv__rewriting_terms *sum,
                                           size_t which);

/* The target of an equation defined as its value; false: it cannot be. Nothing is changed then,
 * unless it failed. */
bool qkv__rewriting_put_in(qkv__rewriting *r, const qkv__rewriting_equation *e,
                           const qkv__node *target, const qkv__node *value, qkv__text *told);

/* Declarations in front of the claim, and picks, which are meant for the whole problem. */
void qkv__rewriting_gather(qkv__rewriting *r);

#endif
