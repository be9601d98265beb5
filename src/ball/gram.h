/*
 * Gram matrices: a polynomial is a sum of squares just when it is v' Q v with Q positive
 * semidefinite and v a list of monomials. Sought with the monomials inside half the Newton
 * polytope, in blocks that the signs of the variables keep apart; verified exactly.
 */
#ifndef QKV_BALL_GRAM_H
#define QKV_BALL_GRAM_H

#include "ball/box.h"
#include "ball/search.h"

/*
 * polynomial: whole powers that are not negative, no exponentials. never_zero: variables that are
 * not 0 anywhere. STRICT where the polynomial is proved to be positive, too.
 */
qkv__outcome qkv__gram_prove(const qkv__form *polynomial, qkv__parameter_set never_zero);

#endif
