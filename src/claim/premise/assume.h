/* Premises: what is known, put in place of parameters or into their bounds. */
#ifndef QKV_CLAIM_ASSUME_H
#define QKV_CLAIM_ASSUME_H

#include "claim/premise/situation.h"

typedef enum qkv__premise {
    QKV__PREMISE_TAKEN,
    QKV__PREMISE_NEVER,    /* it contradicts what is known: nothing is left to decide */
    QKV__PREMISE_NOT_TAKEN /* beyond what can be put in place of parameters or bounds */
} qkv__premise;

/* Takes a proposition as known. On NEVER and NOT_TAKEN the situation may have been narrowed by a
 * part of it: restore it. */
qkv__premise qkv__situation_assume(qkv__situation *s, const qkv__node *proposition);

/* Keeps a premise that could not be taken: what is claimed may be the same. Whether it is seen
 * never to hold. */
bool qkv__situation_leave_out(qkv__situation *s, const qkv__node *proposition);

/* Takes as known that ratio >= 0, > 0, = 0, <= 0 or < 0. */
qkv__premise qkv__situation_assume_sign(qkv__situation *s, qkv__ratio ratio,
                                        qkv__comparison comparison);

/* Whether what replaces a parameter lies outside of the parameter's bounds, whatever the rest is.
 */
bool qkv__situation_contradicts(qkv__situation *s, int parameter);

#endif
