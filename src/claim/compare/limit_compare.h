/* Comparisons in a limit. */
#ifndef QKV_CLAIM_LIMIT_COMPARE_H
#define QKV_CLAIM_LIMIT_COMPARE_H

#include "claim/premise/gap.h"
#include "exact/limit.h"

/* What is known of a number, such as a limit, being 0. */
typedef enum qkv__nullity {
    QKV__NULLITY_OPEN,
    QKV__NULLITY_ZERO,
    QKV__NULLITY_SOMEWHERE_OTHER, /* for some of what is free, it is another number */
    QKV__NULLITY_NEVER,           /* whatever is free, it is another number */
} qkv__nullity;

qkv__nullity qkv__nullity_of(qkv__situation *s, qkv__ratio ratio);

/* Whether the length of a vector changes along with a limit. */
bool qkv__limit_moves(qkv__situation *s, qkv__symbol symbol);

/* The limit in all the parameters of the situation, one after the other. */
qkv__limit qkv__limit_of(qkv__situation *s, qkv__ratio ratio);

/* What the limits of all gaps being 0 comes to: the claim x ~ y. */
qkv__nullity qkv__limits_vanish(qkv__situation *s, const qkv__gap *gaps, size_t count);

qkv__verdict qkv__decide_limit(qkv__situation *s, const qkv__value *x, const qkv__gap *gaps,
                               size_t count);

qkv__verdict qkv__decide_eventual_order(qkv__situation *s, const qkv__value *x,
                                        qkv__ratio difference, qkv__comparison comparison);

qkv__verdict qkv__compare_not_near(qkv__situation *s, const qkv__node *comparison);

#endif
