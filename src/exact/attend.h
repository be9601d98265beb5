/*
 * Attention over finitely many classes of keys: every marked key is a class of one; the rest of
 * the keys, all with the same score, are a class of many. Exact at every value of the parameters.
 */
#ifndef QKV_EXACT_ATTEND_H
#define QKV_EXACT_ATTEND_H

#include "exact/space.h"

typedef struct qkv__class {
    qkv__ratio count;         /* how many keys: 1, or n - 2 */
    const qkv__vector *key;   /* of one of them */
    const qkv__vector *value; /* of one of them, where that is asked for */
    const qkv__vector *total; /* the sum of their values */
    bool masked;              /* not looked at: weight 0 */
} qkv__class;

/* Where the scores of a class of many differ, it is the last one, and the result has a class more:
 * the one key that stands for it, then the others (see qkv__spread). */
typedef struct qkv__attention {
    size_t count;
    qkv__ratio *score;  /* scale * key.query, one a class */
    qkv__ratio *weight; /* of one key of the class */
    const qkv__vector *output;
    const qkv__vector *value, *others; /* of a class whose scores differ: qkv__spread; else NULL */
} qkv__attention;

/* NULL when anything is lost, such as a score with an exponential in it. Where every class is
 * masked the weights and the output are zero. A class whose scores differ must not be empty. */
const qkv__attention *qkv__attend(qkv__space *space, const qkv__vector *query,
                                  const qkv__class *keys, size_t count, qkv__ratio scale);

#endif
