/*
 * Comparisons of a function at two numbers, by its derivative: |f(x) - f(y)| <= b*|x - y| if f
 * moves by at most b everywhere between x and y, and f(y) <= f(x) for y <= x if it never falls
 * (the mean value theorem). Either side may depend on both numbers in other ways, too: what counts
 * is that the sides agree where x is y, and how their difference moves with x while y stays. What
 * is made is for a proof alone.
 */
#ifndef QKV_CLAIM_SLOPES_H
#define QKV_CLAIM_SLOPES_H

#include "claim/model/model.h"

enum { QKV__SLOPE_WAYS = 3 };

/* The proposition from which a comparison follows, in one of several ways; NULL: in none. */
const qkv__node *qkv__slope_of_comparison(qkv__model *model, const qkv__binding *locals,
                                          const qkv__node *comparison, size_t way);

#endif
