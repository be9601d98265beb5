/*
 * Proofs that a form is nowhere negative (or nowhere positive) on a box. Two rules, used again and
 * again on smaller questions:
 *
 *     directly    interval arithmetic, on the form or on the form over one of its own terms
 *     by slope    F >= 0 where p is least, and dF/dp >= 0, so F >= 0; the same from the other end
 *
 * The second sees zeros at the edge of the box, such as e^beta - 1 at beta = 0, when putting the
 * end into the form leaves the zero form. All forms made on the way live in the prover.
 */
#ifndef QKV_BALL_PROOF_H
#define QKV_BALL_PROOF_H

#include "ball/box.h"
#include "ball/divide.h"

/* What is known of a form on a closed part of the box. */
typedef struct qkv__proof {
    bool proved;                     /* not of the wrong sign anywhere */
    bool weak;                       /* and it may be zero anywhere; else only on these faces: */
    qkv__parameter_set lower, upper; /* where this parameter is at the part's lower, upper end */
} qkv__proof;

/* A form with what has been worked out about it so far. */
typedef struct qkv__sign_subject qkv__sign_subject;

typedef struct qkv__prover {
    qkv__algebra algebra; /* a copy with an arena of its own */
    qkv__box box;         /* tidy; every part that is asked about lies in it */
    size_t left;          /* of the effort: evaluations of forms of a few terms */
    size_t reserve;       /* what the question at hand must leave of it */
} qkv__prover;

void qkv__prover_init(qkv__prover *prover, const qkv__algebra *algebra, const qkv__box *box,
                      size_t effort);
void qkv__prover_free(qkv__prover *prover);

/* NULL when the form, or memory, is lost. */
qkv__sign_subject *qkv__subject_make(qkv__prover *prover, const qkv__form *form);

/* The form must be defined on the inside of the part. sign: 1 for >= 0, -1 for <= 0; depth: how
 * many times in a row the slope may be used; most: effort spent. */
qkv__proof qkv__prove(qkv__prover *prover, qkv__sign_subject *subject, const qkv__box *part,
                      int sign, int depth, size_t most);

#endif
