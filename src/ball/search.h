/*
 * The search for a proof that a form has one sign on a box: by cutting the box and proving each
 * part (proof.h). On its way it may come upon the opposite sign, or upon a number at which the form
 * vanishes for every value of the others: there the box should be cut, since proofs see zeros at
 * its edge alone.
 */
#ifndef QKV_BALL_SEARCH_H
#define QKV_BALL_SEARCH_H

#include "ball/proof.h"

/* What was proved about one form over a box. */
typedef enum qkv__outcome { QKV__FAILED, QKV__WEAK, QKV__STRICT } qkv__outcome;

typedef struct qkv__sign_search {
    qkv__prover *prover; /* the box is its box */
    const qkv__form *form;
    int sign;  /* that is to be proved */
    bool zero; /* it is known to be 0 somewhere: a proof need not exclude it */

    /* What was found. */
    bool opposed; /* the form has the opposite sign at: */
    qkv__point witness;
    bool has_cut; /* the form vanishes where this parameter is this number, inside the box */
    int cut_parameter;
    qkv__rational cut;

    /* The search's own. */
    qkv__sign_subject *subject;
    bool strictly; /* proofs that allow for zeros are refused */
    size_t effort; /* at the beginning */
    int trials;    /* of cuts */
} qkv__sign_search;

/* WEAK: the form has the sign or is 0. FAILED says nothing but what was found. */
qkv__outcome qkv__search_prove(qkv__sign_search *task);

#endif
