/* What `exists` chooses, at one case: shared by the files that show that nothing will do. */
#ifndef QKV_REPLAY_NONE_H
#define QKV_REPLAY_NONE_H

#include "replay/replay.h"

enum {
    QKV__CHOICE_NAMES = 4,  /* that one `exists` binds */
    QKV__CHOICES = 16,      /* numbers in all that are chosen */
    QKV__NO_POLYNOMIAL = 99 /* the degree of what is none */
};

typedef struct qkv__choice {
    const qkv__scene *scene;
    const qkv__node *exists;
    size_t name_count;
    const char *name[QKV__CHOICE_NAMES];
    int unknown[QKV__CHOICE_NAMES];
    size_t slot_count;
    size_t slot[QKV__CHOICES];
} qkv__choice;

/* The degree of an expression in what is chosen, at most; definitions are not looked into. */
int qkv__choice_degree(const qkv__choice *choice, const qkv__node *node);

/* Puts numbers into the slots: all 0, or one of them another number. */
void qkv__choice_put(const qkv__choice *choice, size_t at, int64_t number);

/* The value of an expression with the numbers that were put in. */
bool qkv__choice_evaluate(const qkv__choice *choice, const qkv__node *node, qkv__case_value *value);

/* ---- Linear equations ---------------------------------------------------------------------- */

enum { QKV__EQUATIONS = 64 }; /* entries of both sides, in all */

/* One row per equation: the factors of the unknowns, then the constant. */
typedef struct qkv__equations {
    size_t rows, columns;
    size_t pivots;                  /* of a solution: rows in front that belong to a column */
    qkv__real *row[QKV__EQUATIONS]; /* columns + 1 numbers each */
} qkv__equations;

/* Brings the equations into steps; false where a number may be 0 or not. */
bool qkv__equations_reduce(qkv__bench *bench, qkv__equations *equations);

/* Whether reduced equations have no solution, for certain. */
bool qkv__equations_exclude(const qkv__equations *equations);

/* ---- none_weights.c ------------------------------------------------------------------------ */

/* Whether no choice makes a comparison true in which it enters the query of attention alone. */
bool qkv__choice_weights_fail(const qkv__choice *choice, const qkv__node *comparison);

/* Whether an expression or a comparison has one value for every choice. */
bool qkv__choice_is_idle(const qkv__choice *choice, const qkv__node *node);

#endif
