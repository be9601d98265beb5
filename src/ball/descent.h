/*
 * A point of a box where a form has a given sign, by going downhill in floating point from points
 * where it has not, and rounding: for claims that are false by little, or in a small place. Finding
 * none says nothing; what is found is verified.
 */
#ifndef QKV_BALL_DESCENT_H
#define QKV_BALL_DESCENT_H

#include "ball/box.h"

/* start is a point of the box, and becomes the one that was found. */
bool qkv__descend(const qkv__algebra *algebra, const qkv__form *form, const qkv__box *box, int sign,
                  qkv__point *start);

#endif
