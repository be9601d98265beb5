/* What the files share that compare two values: gap.c, tend.c, compare.c and tell.c. */
#ifndef QKV_CLAIM_COMPARE_H
#define QKV_CLAIM_COMPARE_H

#include "ball/sign.h"
#include "claim/premise/situation.h"
#include "exact/limit.h"

enum { QKV__GAPS = 128 };

/* One number that must vanish, or have a sign: a coefficient of a difference. */
typedef struct qkv__gap {
    qkv__ratio difference; /* under the premises */
    qkv__symbol symbol;    /* whose coefficient; family NULL for a plain number */
    bool squared;          /* a difference of squares: of norms, neither of them negative */
    qkv__ratio square;     /* squared: of the first */
} qkv__gap;

/* What must vanish for x = y; false when that is not known. gaps: QKV__GAPS of them. */
bool qkv__gaps_between(qkv__situation *s, const qkv__value *x, const qkv__value *y, qkv__gap *gaps,
                       size_t *count);

/* Whether one gap that is not 0 makes the values differ for certain: numbers, or coefficients of
 * orthogonal vectors. Arbitrary vectors may cancel each other, or be 0. count >= 1. */
bool qkv__gaps_are_independent(qkv__situation *s, const qkv__gap *gaps, size_t count);

/* Whether one gap that is not 0 somewhere makes the values differ for some vectors: not where sums
 * and averages over the same vectors take part together, nor where inner products were given, by
 * which vectors may depend on each other. */
bool qkv__gaps_are_refutable(qkv__situation *s, const qkv__gap *gaps, size_t count);

/* The square of the length of the difference, where all the inner products in it are known. */
bool qkv__gaps_square(qkv__situation *s, const qkv__gap *gaps, size_t count, qkv__ratio *square);

/* Makes y what it is beside x: 0 is a zero vector, a list of numbers may be coordinates. */
void qkv__match_kinds(qkv__situation *s, const qkv__value *x, qkv__value *y);
bool qkv__has_coordinates(const qkv__vector *vector);

/* No verdict: the engine cannot, or the kinds do not go together. */
qkv__verdict qkv__incomparable(qkv__situation *s, const qkv__node *node, const qkv__value *x,
                               const qkv__value *y);

/* ---- Numbers under the premises ------------------------------------------------------------ */

qkv__surd qkv__surd_resolve(qkv__situation *s, qkv__surd x);
bool qkv__surd_is_plain(qkv__surd x);
bool qkv__is_not_negative(qkv__situation *s, qkv__ratio ratio);

/* The sign by the ball, over all that the parameters may be; false: nothing is allowed. */
bool qkv__sign_over_box(qkv__situation *s, qkv__ratio ratio, qkv__sign_result *result);

/* Whether the sign is one that the comparison with zero allows, or proves wrong. */
qkv__verdict qkv__judge_sign(qkv__sign sign, qkv__comparison comparison);

/* What is known of a number, such as a limit, being 0. */
typedef enum qkv__nullity {
    QKV__NULLITY_OPEN,
    QKV__NULLITY_ZERO,
    QKV__NULLITY_SOMEWHERE_OTHER, /* for some of what is free, it is another number */
    QKV__NULLITY_NEVER,           /* whatever is free, it is another number */
} qkv__nullity;

qkv__nullity qkv__nullity_of(qkv__situation *s, qkv__ratio ratio);

/* ---- Limits -------------------------------------------------------------------------------- */

/* The limit in all the parameters of the situation, one after the other. */
/* Whether the length of a vector changes along with a limit. */
bool qkv__limit_moves(qkv__situation *s, qkv__symbol symbol);

qkv__limit qkv__limit_of(qkv__situation *s, qkv__ratio ratio);

/* What the limits of all gaps being 0 comes to: the claim x ~ y. */
qkv__nullity qkv__limits_vanish(qkv__situation *s, const qkv__gap *gaps, size_t count);

qkv__verdict qkv__decide_limit(qkv__situation *s, const qkv__value *x, const qkv__gap *gaps,
                               size_t count);
qkv__verdict qkv__decide_eventual_order(qkv__situation *s, const qkv__value *x,
                                        qkv__ratio difference, qkv__comparison comparison);

/* ---- Values ---------------------------------------------------------------------------------- */

/* The verdict on a comparison of two values; the node says which one, and where. */
qkv__verdict qkv__compare_values(qkv__situation *s, const qkv__node *node, qkv__value x,
                                 qkv__value y);

/* ---- Telling ------------------------------------------------------------------------------- */

/* The value of a side; with its number where no parameter is free. */
void qkv__tell_value(qkv__situation *s, const qkv__value *value, qkv__text *text);

/* "1/2*v[a] + 1/2*v[b]": the limit, as far as it is finite. */
void qkv__tell_limit(qkv__situation *s, const qkv__value *value, qkv__text *text);

/* The same as what is found, "-> ..."; nothing where no limit is known. */
void qkv__tell_limit_of(qkv__situation *s, const qkv__value *value);

#endif
