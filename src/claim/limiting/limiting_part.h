/* What the files of this folder share. */
#ifndef QKV_CLAIM_LIMITING_PART_H
#define QKV_CLAIM_LIMITING_PART_H

#include "claim/inequality/inequality_part.h"
#include "claim/limiting/limiting.h"

enum { QKV__LIMITING_INDEXES = 6, QKV__LIMITING_BOUNDS = 12, QKV__LIMITING_KNOWN = 6 };

/* What the weights of an attention tend to. */
typedef enum qkv__weights_kind {
    QKV__WEIGHTS_UNKNOWN,
    QKV__WEIGHTS_SHARED, /* 1/m for some keys, 0 for the others; the rest falls exponentially */
    QKV__WEIGHTS_EVEN,   /* 1/n each; 1/(n + e^sink) */
    QKV__WEIGHTS_EQUAL,  /* are 1/n each, all the way */
} qkv__weights_kind;

typedef struct qkv__weights {
    const char *text; /* of the attention */
    qkv__weights_kind kind;
    const qkv__node *sink; /* the option; NULL: there is none */
    size_t count;
    const qkv__node *key[QKV__LIMITING_INDEXES]; /* SHARED: those with a share, which may be none */
    bool sunk;                                   /* SHARED: the sink has a share as well */
} qkv__weights;

typedef struct qkv__limiting {
    qkv__inequality *q; /* trees are made in its arena */
    const qkv__limiting_deciders *deciders;
    qkv__circumstances premises; /* of the claim, without the limit */
    const char *moving;          /* the parameter of the limit; NULL: there is none */
    bool infinite;               /* it grows without bound; else it tends to 0 */
    bool positive;               /* it is positive on the way */
    const char *letter;          /* for an index; the problem does not have it */
    bool tied;                   /* the case that all scores are equal is looked at */
    size_t index_count;
    const qkv__node *index[QKV__LIMITING_INDEXES]; /* that may have the largest score */
    size_t bound_count;
    const qkv__node *bound[QKV__LIMITING_BOUNDS]; /* i in 1..n, i != j: of the claim, of sums */
    size_t own_count;                             /* the last ones, which are of sums */
    size_t known_count;
    qkv__weights known[QKV__LIMITING_KNOWN];
    bool slow;        /* a limit was put in of which no rate is known */
    bool identical;   /* nothing but identities was put in */
    bool log_sums;    /* a limit of ln(sum of e^s) was put in */
    bool total;       /* it was put in that weights beside a sink sum to 1 */
    bool most;        /* it was put in that a mean of scores tends to the largest */
    bool beaten;      /* it was put in that a key with a smaller score than another has no weight */
    size_t put_count; /* limits put in */
} qkv__limiting;

/* ---- limiting_growth.c ------------------------------------------------------------------------
 */

/* Whether the parameter of the limit does not occur. */
bool qkv__limiting_is_fixed(const qkv__limiting *l, const qkv__node *node);

/* node = coefficient * moving^degree, plus, unless `exact`, what becomes small beside that power;
 * false where no such form is known. */
typedef struct qkv__growth {
    int degree;
    const qkv__node *coefficient;
    bool exact;
} qkv__growth;

bool qkv__limiting_growth(qkv__limiting *l, const qkv__node *node, qkv__growth *growth);

/* Whether moving^degree grows without bound, or tends to 0. */
bool qkv__limiting_is_large(const qkv__limiting *l, int degree);
bool qkv__limiting_is_small(const qkv__limiting *l, int degree);

/* ---- limiting_weights.c -----------------------------------------------------------------------
 */

/* Whether a node is attend(q, k, v), with a scale, a sink, or both, and whether it is one of the
 * weights of such an attention. */
bool qkv__limiting_is_attention(qkv__limiting *l, const qkv__node *node);
bool qkv__limiting_is_weight(qkv__limiting *l, const qkv__node *node, const qkv__node **attention,
                             const qkv__node **index);

/* Whether the weights sum to 1 in the limit, exponentially fast: some score exceeds the sink. */
bool qkv__limiting_sums_to_one(qkv__limiting *l, const qkv__node *attention);

/* Whether the score of a key falls behind that of another one, or behind the sink, by a margin that
 * grows without bound: its weight tends to 0 exponentially, whatever the others do. */
bool qkv__limiting_is_beaten(qkv__limiting *l, const qkv__node *attention, const qkv__node *index);

/* What multiplies the power of the parameter in the score of a key, where that grows without bound
 * and the attention has no sink; NULL: it does not, or it is not known. */
const qkv__node *qkv__limiting_leading_score(qkv__limiting *l, const qkv__node *attention,
                                             const qkv__node *index);

/* The key that has all the weight in the limit; NULL: there is none. */
const qkv__node *qkv__limiting_winner(const qkv__weights *weights);

/* not in {a, b}; != a, where it is one key. */
const qkv__node *qkv__limiting_others(qkv__limiting *l, const qkv__node *index,
                                      const qkv__node *const *key, size_t count);

/* Whether two indexes are the same, 1, differ, -1, or either, 0. */
int qkv__limiting_same(const qkv__limiting *l, const qkv__node *a, const qkv__node *b);

/* Whether an index is one of a range: a picked one of the same range, or a number. */
bool qkv__limiting_is_of_range(qkv__limiting *l, const qkv__node *index, const qkv__node *range);

/* What a number with a running index is at the index where it is known to be largest; NULL: at none
 * that the problem names. */
const qkv__node *qkv__limiting_largest(qkv__limiting *l, const qkv__node *number, const char *index,
                                       const qkv__node *range);

/* Whether all members of a family are one vector, by a premise: for all i in 1..n: k[i] = u. */
bool qkv__limiting_is_constant(qkv__limiting *l, const char *family);

/* What the weights of an attention tend to, which qkv__limiting_is_attention takes. */
const qkv__weights *qkv__limiting_weights(qkv__limiting *l, const qkv__node *attention);

/* ---- limiting_logsum.c ------------------------------------------------------------------------
 */

/* ln(sum(e^score for index in range)); the attention whose scores they are, or NULL. */
typedef struct qkv__logsum {
    const qkv__node *attention;
    const char *index;
    const qkv__node *range, *score;
} qkv__logsum;

bool qkv__limiting_read_logsum(qkv__limiting *l, const qkv__node *node, qkv__logsum *sum);

/* ln n, where all scores vanish; NULL: they do not, or it is not known. */
const qkv__node *qkv__limiting_logsum_at_zero(qkv__limiting *l, const qkv__logsum *sum);

/* max(g[i] for i in 1..n), where scores are g[i]*moving^degree and grow; NULL likewise. */
const qkv__node *qkv__limiting_logsum_growth(qkv__limiting *l, const qkv__logsum *sum, int *degree);

/* ---- limiting_rewrite.c -----------------------------------------------------------------------
 */

/* An expression, with definitions written out, whose difference from the given one tends to 0: with
 * the limits of weights put in. NULL: none is known. */
const qkv__node *qkv__limiting_rewrite(qkv__limiting *l, const qkv__node *node);

/* ---- Squeezes: limiting_squeeze.c --------------------------------------------------------------
 */

/* Whether x ~ 0 as the number of keys grows follows from a bound of x that tends to 0. */
bool qkv__limiting_squeeze(qkv__limiting *l, const qkv__node *claim,
                           const qkv__circumstances *circumstances, qkv__finding *finding);

#endif
