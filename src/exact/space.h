/*
 * Vectors as exact combinations of symbols whose inner products are known: k[a], k[b], the sum of
 * all other keys, u[c], a coordinate axis. Nothing is known of a symbol but its inner products, so
 * a claim that holds for the combination holds for every choice of vectors with that Gram matrix.
 *
 * A family is indexed by a set. Some indices of the set are marked by name (a, b); the rest of
 * them, n - 2 in number, are alike, and are represented by one generic member and by their sum.
 * That is what lets n stay a symbol.
 */
#ifndef QKV_EXACT_SPACE_H
#define QKV_EXACT_SPACE_H

#include "exact/ratio.h"

enum { QKV__MARKS = 64, QKV__FAMILIES = 64, QKV__ALIASES = 6 };

/* An index set such as 1..n, and the indices in it that have names. */
typedef struct qkv__index_set {
    const char *name; /* "1..n", for messages */
    qkv__ratio size;  /* n */
    size_t mark_count;
    const char *mark[QKV__MARKS];
    size_t alias_count;
    struct {
        const char *name, *mark;
    } alias[QKV__ALIASES]; /* other names of marks, for the case at hand */
    bool axes;             /* the coordinate axes of listed vectors: no set of the document's */
    bool declared;         /* of a family or a pick, which says that its size is one */
} qkv__index_set;

/* What is known of inner products within a family: nothing, the number of a member with itself, or
 * that of two different members too. */
typedef enum qkv__gram {
    QKV__GRAM_UNKNOWN,
    QKV__GRAM_LENGTHS,
    QKV__GRAM_UNIFORM,
} qkv__gram;

typedef struct qkv__family {
    const char *name;
    qkv__index_set *set;
    qkv__gram gram;
    bool noise;                 /* standard normal in every direction, one for each index */
    bool axis;                  /* the coordinate axes of listed vectors */
    qkv__ratio same, different; /* k_i.k_i and, UNIFORM, k_i.k_j */
} qkv__family;

/* Which member: a mark of the set by number, the generic one, or the sum over the rest. */
enum { QKV__GENERIC = -1, QKV__REST = -2 };

typedef struct qkv__symbol {
    const qkv__family *family;
    int member;
} qkv__symbol;

static inline bool qkv__symbol_equal(qkv__symbol x, qkv__symbol y)
{
    return x.family == y.family && x.member == y.member;
}

typedef struct qkv__component {
    qkv__symbol symbol;
    qkv__ratio factor; /* not the zero form */
} qkv__component;

typedef struct qkv__vector {
    size_t count;
    qkv__component component[]; /* in order of family (by address of creation), then member */
} qkv__vector;

/* An inner product that was given: x.y = value, for two symbols of different families, or of one
 * whose own products are unknown. */
typedef struct qkv__given_product {
    qkv__symbol x, y;
    qkv__ratio value;
    struct qkv__given_product *next;
} qkv__given_product;

/* An inner product of which nothing is known, and the parameter that stands for it. */
typedef struct qkv__unknown_product {
    qkv__symbol x, y;
    int parameter;
    struct qkv__unknown_product *next;
} qkv__unknown_product;

/*
 * Scores that differ among the unmarked keys. One of these keys is represented by the generic
 * member; the others, one fewer, by the number b for which their exponentials sum to as many times
 * e^b: b lies between the least and the largest of their scores, and may be any number there. What
 * all scores have in common is left out: it adds to b as it stands, and changes no weight.
 */
typedef struct qkv__spread {
    qkv__ratio score;          /* of the generic member */
    int parameter;             /* b */
    const qkv__vector *value;  /* of the generic member */
    const qkv__vector *others; /* the others' values, averaged by their weights: one symbol */
    bool whole;                /* the others are all of the rest, of which there may be none */
    struct qkv__spread *next;
} qkv__spread;

/* The others of a class whose scores differ, or the whole of it: their common score, and their
 * average value. */
typedef struct qkv__others {
    qkv__ratio score;
    const qkv__vector *value;
} qkv__others;

typedef struct qkv__space {
    qkv__algebra *algebra;
    size_t family_count;
    qkv__family family[QKV__FAMILIES];
    qkv__given_product *given;
    qkv__unknown_product *unknown;
    qkv__spread *spreads;
} qkv__space;

/* A new family over a set; NULL when there is no room. */
qkv__family *qkv__family_add(qkv__space *space, const char *name, qkv__index_set *set);

/* The number of members of a set that are not marked. */
qkv__ratio qkv__rest_size(qkv__algebra *algebra, const qkv__index_set *set);

/* Whether the inner product was met before anything was known of it: then a parameter stands for it
 * in what was made since, and giving it comes too late. */
bool qkv__space_asked(const qkv__space *space, qkv__symbol x, qkv__symbol y);

void qkv__space_give(qkv__space *space, qkv__symbol x, qkv__symbol y, qkv__ratio value);

/* ---- Vectors; NULL is the lost vector ------------------------------------------------------ */

const qkv__vector *qkv__vector_zero(qkv__space *space);
const qkv__vector *qkv__vector_symbol(qkv__space *space, const qkv__family *family, int member);
const qkv__vector *qkv__vector_add(qkv__space *space, const qkv__vector *x, const qkv__vector *y);
const qkv__vector *qkv__vector_subtract(qkv__space *space, const qkv__vector *x,
                                        const qkv__vector *y);
const qkv__vector *qkv__vector_scale(qkv__space *space, const qkv__vector *x, qkv__ratio factor);

/* A generic member replaced by the sum over the rest: what summing over the rest makes of a vector
 * that is linear in the generic member (and leaves the others times the number of the rest). Lost
 * where a factor is not the same for all the rest. */
const qkv__vector *qkv__vector_sum_over_rest(qkv__space *space, const qkv__vector *x,
                                             const qkv__index_set *set);

/*
 * The inner product. One that is not known becomes a parameter named after it, "v[a].v[b]", free
 * to be any real number, and a generic one where a generic member takes part; lost where a sum
 * would need many of them.
 */
qkv__ratio qkv__vector_dot(qkv__space *space, const qkv__vector *x, const qkv__vector *y);

/* The same of two different members of the rest, where both vectors are generic over the set: lost
 * unless all pairs of members have one product. */
qkv__ratio qkv__vector_dot_apart(qkv__space *space, const qkv__vector *x, const qkv__vector *y,
                                 const qkv__index_set *set);

/* The inner product of two symbols, if it is known: uniform in a family, or given. */
bool qkv__symbol_product(qkv__space *space, qkv__symbol x, qkv__symbol y, qkv__ratio *product);

/* The others of the rest of a set, or the whole rest, from the score and the value of its generic
 * member; false when there is no room, or where a value is not linear in the members of families.
 */
bool qkv__space_spread(qkv__space *space, const qkv__index_set *set, qkv__ratio score,
                       const qkv__vector *value, bool whole, qkv__others *others);

/* Whether a number is another one for each of the rest: made of a generic product, or of what the
 * others come to beside it. */
bool qkv__space_differs(const qkv__space *space, qkv__ratio ratio);

/* The factor of one symbol, zero where it does not occur. */
qkv__ratio qkv__vector_factor(qkv__space *space, const qkv__vector *x, qkv__symbol symbol);

/* Whether x - y is zero, symbol by symbol. Symbols are independent of each other, so that for
 * vectors that hold for every choice this is equality. False also if lost. */
bool qkv__vector_equal(qkv__space *space, const qkv__vector *x, const qkv__vector *y);

/* The letter that stands for an unmarked index in text: i, or another if i is a mark. */
const char *qkv__index_letter(const qkv__index_set *set);

/* "v[a]"; the generic member is v[i], the rest's sum sum(v[i] for i not in {a, b}). */
void qkv__symbol_write(qkv__symbol symbol, qkv__text *text);

/* "1/2*v[a] + 1/2*v[b]"; a sum over the rest is written sum(v[i] for i not in {a, b}). */
void qkv__vector_write(const qkv__space *space, const qkv__vector *x, qkv__text *text);

#endif
