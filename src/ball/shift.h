/*
 * Forms that depend on differences alone, as softmax does: moving some parameters together by c
 * multiplies the form by e^(k c), which leaves its sign as it is. So one of them may be put at 0,
 * if all of them are any numbers.
 */
#ifndef QKV_BALL_SHIFT_H
#define QKV_BALL_SHIFT_H

#include "ball/box.h"

/* Fixes one more parameter of the box at 0 where that leaves the signs that the form takes on it as
 * they are, and moves the point there with the same sign. False when there is none, or the point
 * is lost. The algebra gives memory. */
bool qkv__shift_fix(qkv__algebra *algebra, const qkv__form *form, qkv__box *box, qkv__point *point);

#endif
