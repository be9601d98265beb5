/*
 * Functions of one number by the names that the language has for them: their enclosures, and their
 * derivatives where the number moves (slope.h). A function is one row of the table in elementary.c.
 */
#ifndef QKV_BALL_ELEMENTARY_H
#define QKV_BALL_ELEMENTARY_H

#include "ball/real.h"

typedef void (*qkv__elementary)(qkv__real *z, const qkv__real *x); /* z may be x */

/* NULL: there is none of this name. */
qkv__elementary qkv__elementary_find(const char *name);

#endif
