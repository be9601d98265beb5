/*
 * One claim to one verdict. The exact engine is asked first, then the ball; what neither can take
 * is undecided, and says what was missing. A refutation always rests on a witness or on a limit
 * that is proved to differ.
 */
#ifndef QKV_CLAIM_DECIDE_H
#define QKV_CLAIM_DECIDE_H

#include "claim/model/model.h"

typedef enum qkv__verdict {
    QKV__UNDECIDED,
    QKV__PROVED,
    QKV__REFUTED,
    QKV__SUPPORTED,
} qkv__verdict;

typedef struct qkv__finding {
    qkv__verdict verdict;
    const char *engine;       /* "exact", "ball", "search"; "" when undecided */
    qkv__text found;          /* what is true: the limit, the formula, the enclosure */
    qkv__text reason;         /* one or two plain sentences */
    size_t replayed;          /* instances on which the second reading agrees */
    bool disputed;            /* UNDECIDED: an engine and the second reading disagree */
    bool empty;               /* UNDECIDED: nothing is left to decide */
    bool uniform;             /* REFUTED: not for one choice of what is free, but for every one */
    const qkv__node *culprit; /* where the text is wrong, if it is: then there is no verdict */
    char complaint[QKV_ERROR_CAPACITY];
} qkv__finding;

void qkv__decide(qkv__model *model, const qkv__node *proposition,
                 const qkv__circumstances *circumstances, qkv__finding *finding);
void qkv__finding_free(qkv__finding *finding);

const char *qkv__verdict_name(qkv__verdict verdict);

#endif
