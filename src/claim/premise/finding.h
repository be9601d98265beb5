/*
 * Findings: the verdict on a claim, with what is true and why. What all engines tell, and in which
 * form; nothing of how they found it.
 */
#ifndef QKV_CLAIM_FINDING_H
#define QKV_CLAIM_FINDING_H

#include "base/text.h"
#include "claim/model/model.h"
#include "exact/sign.h"

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
    bool alone;               /* find least: it holds there, but not from there on */
    bool for_all;             /* find least: for everything that other parameters may be */
    bool uniform;             /* REFUTED: not for one choice of what is free, but for every one */
    const qkv__node *part;    /* REFUTED: of `exists` or `find`, what fails whatever is put in */
    const qkv__node *culprit; /* where the text is wrong, if it is: then there is no verdict */
    char complaint[QKV_ERROR_CAPACITY];
} qkv__finding;

void qkv__finding_free(qkv__finding *finding);

const char *qkv__verdict_name(qkv__verdict verdict);

/* The verdict on a conjunction. */
qkv__verdict qkv__verdict_both(qkv__verdict a, qkv__verdict b);

/* Whether the sign is one that the comparison with zero allows, or proves wrong. */
qkv__verdict qkv__judge_sign(qkv__sign sign, qkv__comparison comparison);

/* Who decides a proposition under conditions. An engine that verifies its answer by asking again is
 * given one: it does not know who that is. */
typedef void qkv__decider(qkv__model *model, const qkv__node *proposition,
                          const qkv__circumstances *circumstances, qkv__finding *finding);

#endif
