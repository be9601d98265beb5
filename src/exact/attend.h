/*
 * Attention over finitely many classes of keys: every marked key is a class of one; the rest of
 * the keys, all with the same score, are a class of many. Exact at every value of the parameters.
 */
#ifndef QKV_EXACT_ATTEND_H
#define QKV_EXACT_ATTEND_H

#include "exact/space.h"

typedef struct qkv__class {
    qkv__ratio count;         /* how many keys: 1, or n - 2 */
    const qkv__index_set *of; /* whose rest it is; NULL: a class of one */
    const qkv__vector *key;   /* of one of them */
    const qkv__vector *value; /* of one of them, where that is asked for */
    const qkv__vector *total; /* the sum of their values */
    bool open;                /* of many, and there may be none of them */
    bool masked;              /* not looked at: weight 0 */
    bool scored;              /* the score is given, and not that of the key */
    qkv__ratio score;         /* scored */
    qkv__ratio bias;          /* added to the score; lost: none */
} qkv__class;

/* Where the scores of a class of many differ, its place is that of the one key that stands for it,
 * and the result has a class more at its end: the others (see qkv__spread). Where there may be none
 * of them, no key stands for the class: it has one score, its own key's is not known. */
typedef struct qkv__attention {
    size_t count;
    qkv__ratio *score;  /* scale * key.query + bias, one a class */
    qkv__ratio *weight; /* of one key of the class */
    const qkv__vector *output;
    const qkv__vector *value, *others; /* of the last class whose scores differ; else NULL */
    bool whole;                        /* the others are the whole class */
    bool partial;                      /* a sink takes a part of the weight, or keys are masked */
    qkv__ratio own;                    /* whole: the score of one of them */
} qkv__attention;

/* NULL when anything is lost, such as a score with an exponential in it. Where every class is
 * masked the weights and the output are zero. A class whose scores differ must not be empty. The
 * sink is a score that takes its part of the weight and has no value; lost: none. */
const qkv__attention *qkv__attend(qkv__space *space, const qkv__vector *query,
                                  const qkv__class *keys, size_t count, qkv__ratio scale,
                                  qkv__ratio sink);

#endif
