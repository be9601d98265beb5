/*
 * A box in pieces: cut at 0 in every parameter that takes both signs, and where the form was seen
 * to vanish; in each piece parameters that are never positive are turned around, since proofs know
 * most of numbers that are not negative.
 */
#ifndef QKV_BALL_PIECES_H
#define QKV_BALL_PIECES_H

#include "ball/search.h"

typedef struct qkv__pieces {
    const qkv__algebra *algebra;
    const qkv__form *form;
    int sign;    /* that is to be proved */
    size_t left; /* of the effort */
    bool zero;   /* in: the form is known to be 0 somewhere; out: or it was seen */

    /* What was found. */
    bool opposed;
    qkv__point witness;
    bool has_zero_point;
    qkv__point zero_point;

    int cuts; /* made so far */
} qkv__pieces;

qkv__outcome qkv__pieces_prove(qkv__pieces *work, const qkv__box *box);

#endif
