/*
 * Declarations of what is drawn, by syntax alone:
 *
 *     keys k[i] ~ normal(mu[i], alpha*I)      keys k[1..n] ~ normal(0, I), dimension d
 *     keys k[i] ~ normal(0, I) for i in 1..n  vector q[d] ~ normal(0, I)
 *     scalar z ~ normal(m, s^2)               scalar u ~ uniform(0, 1)
 *
 * each a FAMILY statement whose first node is COMPARE DISTRIBUTED [target, law].
 */
#ifndef QKV_LANGUAGE_LAW_H
#define QKV_LANGUAGE_LAW_H

#include "language/syntax.h"

typedef enum qkv__law_kind {
#define LAW(id, name, values, needs, form) QKV__LAW_##id,
#include "language/law.def"
} qkv__law_kind;

/* What the arguments must satisfy, without which there is no law. */
typedef enum qkv__law_needs {
    QKV__NEEDS_VARIANCE,    /* the last is not negative */
    QKV__NEEDS_ORDER,       /* the first is below the last */
    QKV__NEEDS_PROBABILITY, /* the last is between 0 and 1 */
    QKV__NEEDS_RATE,        /* the last is positive */
} qkv__law_needs;

typedef struct qkv__drawn {
    qkv__law_kind kind;
    const char *name;              /* of the keys, the vector or the number */
    bool single;                   /* not a family */
    const qkv__node *index;        /* k[i]: i; NULL: none is written */
    const qkv__node *range;        /* k[1..n], or for i in 1..n; NULL: none is written */
    const qkv__node *const *value; /* the arguments of the law */
    size_t count;
    qkv__law_needs needs;
} qkv__drawn;

/* Whether a node declares something that is drawn, and how; false too where the law is unknown. */
bool qkv__law_read(const qkv__node *declared, qkv__drawn *law);

/* The laws of numbers: "normal(mean, variance) or uniform(a, b) or ...". */
const char *qkv__law_forms(void);

/* scalar z ~ ..., vector q ~ ..., by the statement that a law is declared in. */
bool qkv__law_is_of_number(const qkv__statement *statement);
bool qkv__law_is_of_object(const qkv__statement *statement);

/* The indexes of k[i] ~ normal(0, I) where neither a range nor the mean says them: the range that
 * the other families and picks of the problem have in common; NULL: there is no such one. */
const qkv__node *qkv__law_common_range(const qkv__statement *first);

/* The family that an expression indexes by this name: mu in mu[i]; NULL: none. */
const qkv__node *qkv__law_indexed_by(const qkv__node *node, const char *index);

/* d in `dimension d` of a statement; NULL: it has none. */
const qkv__node *qkv__law_dimension(const qkv__statement *statement);

/* Whether two dimensions are the same number or the same name. */
bool qkv__law_is_same_dimension(const qkv__node *x, const qkv__node *y);

/* Whether q[d] is declared as long as keys or vectors that are drawn say that all are, by
 * `dimension d` or by vector p[d] ~ ...: then q is a vector like the others, and else it has a size
 * of its own. */
bool qkv__law_measures(const qkv__statement *first, const qkv__node *vector);

#endif
