/* Points of a box where a quotient of forms is proved to be positive or negative. Finding none
 * says nothing. */
#ifndef QKV_BALL_WITNESS_H
#define QKV_BALL_WITNESS_H

#include "ball/sign.h"

/* 1, -1, or 0 for not known: the sign of a form at a point, by rising precision. */
int qkv__form_sign_at(const qkv__algebra *algebra, const qkv__form *form, const qkv__point *point);

/* Tries points all over the box, and sets the witnesses that it finds; a denominator NULL is 1. */
void qkv__witness_search(const qkv__algebra *algebra, const qkv__form *numerator,
                         const qkv__form *denominator, const qkv__box *box,
                         qkv__sign_result *result);

/* A point in the middle of a box; false when there is none within 64 bits. */
bool qkv__box_middle(const qkv__algebra *algebra, const qkv__box *box, qkv__point *point);

#endif
