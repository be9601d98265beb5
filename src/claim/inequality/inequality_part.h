/* What the files of this folder share: atoms, vectors, facts. Each claim has an algebra of its own,
 * whose parameters are the atoms. */
#ifndef QKV_CLAIM_INEQUALITY_PART_H
#define QKV_CLAIM_INEQUALITY_PART_H

#include "claim/model/model.h"
#include "exact/sign.h"

enum {
    QKV__INEQUALITY_BASES = 14,
    QKV__INEQUALITY_INDEXES = 12,
    QKV__INEQUALITY_FACTS = 160,
    QKV__INEQUALITY_RULES = 24,
    QKV__INEQUALITY_DIFFERS = 4,
    QKV__INEQUALITY_WITNESSES = 8,
    QKV__INEQUALITY_VEILS = 6,
    QKV__INEQUALITY_ZEROS = 6
};

/* Vectors are combinations of bases: q, k[i], the output of an attention. Two that are written
 * alike are the same; two that are not may be the same, or any others. */
typedef struct qkv__base {
    const char *text;
    const qkv__node *node;
    qkv__ratio length; /* |base|: an atom, or what the document says */
} qkv__base;

typedef struct qkv__mixture {
    size_t count;
    struct {
        int base; /* in order */
        qkv__ratio factor;
    } part[QKV__INEQUALITY_BASES];
} qkv__mixture;

typedef enum qkv__atom_kind {
    QKV__ATOM_NUMBER,    /* a parameter of the document */
    QKV__ATOM_INDEX,     /* an index of 1..n that stands for its number */
    QKV__ATOM_LENGTH,    /* |q| of a base */
    QKV__ATOM_NORM,      /* |x - y| of a combination */
    QKV__ATOM_ROOT,      /* the root of a number, or its absolute value */
    QKV__ATOM_PRODUCT,   /* x.y of two bases */
    QKV__ATOM_WEIGHT,    /* c.weight[i] */
    QKV__ATOM_LOGARITHM, /* ln x */
    QKV__ATOM_SUM,       /* sum(f for i in S) */
    QKV__ATOM_LARGEST,   /* max(x, y, z) */
    QKV__ATOM_LIST,      /* |x| of a difference of softmax, or an entropy of one */
} qkv__atom_kind;

/* What the parameter of the same number stands for. */
typedef struct qkv__atom {
    qkv__atom_kind kind;
    bool told;               /* its facts are among the facts */
    const char *text;        /* as the language writes it, up to the names of bound indexes */
    const qkv__form *square; /* NORM, ROOT: of the atom, which is not negative; else NULL */
    struct {
        const qkv__form *most; /* NORM: it is at most that; NULL: nothing of the kind is known */
        const char *label;
    } bound;
    qkv__mixture vector;        /* LENGTH, NORM */
    int base[2];                /* PRODUCT */
    const qkv__node *attention; /* WEIGHT: attend(q, k, v) */
    const qkv__node *index;     /* WEIGHT */
    qkv__ratio argument;        /* LOGARITHM */
    const qkv__node *node;      /* LOGARITHM: its argument; SUM, LARGEST: the call */
} qkv__atom;

/* form >= 0, or > 0. */
typedef struct qkv__fact {
    const qkv__form *form;
    bool strict;
    const char *label; /* where it is from: "Cauchy-Schwarz" */
} qkv__fact;

/* An index that stands for some, or any, member of a range. */
typedef struct qkv__running {
    const char *name;
    const char *range;                            /* "1..n" */
    const char *differs[QKV__INEQUALITY_DIFFERS]; /* from these indexes for certain; else NULL */
    bool unclear; /* it may be a number between the ends, t in 1..n */
} qkv__running;

/* What holds for all indexes of a range. */
typedef struct qkv__rule {
    qkv__running of;
    const qkv__node *proposition;
    const char *label;
    size_t applied; /* to so many of the indexes */
} qkv__rule;

/* An index at which something is largest, or smallest. */
typedef struct qkv__witness {
    const char *text;
    const char *index;
} qkv__witness;

/* A query, keys or values of which nothing is known, in place of those of an attention that the
 * lemmas do not take: for any scores of n keys there are a query and keys that have them. */
typedef struct qkv__veil {
    const char *name;       /* ~0, which no document has */
    const char *text;       /* what it stands for */
    const qkv__node *range; /* of a family; NULL: one vector */
    bool unit;              /* the members have length 1 */
} qkv__veil;

typedef struct qkv__inequality {
    qkv__model *model;
    const qkv__node *claim; /* for places */
    qkv__algebra algebra;
    qkv__atom atom[QKV__PARAMETERS];
    size_t base_count;
    qkv__base base[QKV__INEQUALITY_BASES];
    size_t index_count;
    qkv__running index[QKV__INEQUALITY_INDEXES];
    size_t fact_count;
    qkv__fact fact[QKV__INEQUALITY_FACTS];
    size_t rule_count;
    qkv__rule rule[QKV__INEQUALITY_RULES];
    size_t veil_count;
    qkv__veil veil[QKV__INEQUALITY_VEILS];
    size_t witness_count;
    qkv__witness witness[QKV__INEQUALITY_WITNESSES];
    size_t zero_count;
    qkv__mixture zero[QKV__INEQUALITY_ZEROS]; /* vectors that are 0, by premises */
    size_t premise_count;
    const qkv__node *const *premise; /* of the claim and its document, as they are written */
    qkv__running any;                /* at which exponents of log-sum-exps are compared */
    unsigned fresh_names;            /* taken so far */
    bool derived;                    /* weights were differentiated */
    bool multiplied;                 /* trees are multiplied out before they are read */
    bool with_norms;                 /* inner products bring lengths and Cauchy-Schwarz along */
    bool units;                      /* x/|x| is a vector of length 1, and nothing else */
    bool numbers;                    /* an index may stand for its number */
    size_t effort;                   /* certificates tried */
    qkv__text reason;                /* the lemmas, "; " between them */
    qkv__text sum;                   /* the last certificate, if it is short */
    bool plain;  /* what is to be shown is the difference of the two sides itself */
    bool halved; /* |x| <= y is being shown, which is two inequalities */
    bool told;   /* the last certificate is of that difference */
} qkv__inequality;

/* ---- Trees: inequality_tree.c ---------------------------------------------------------------- */

const qkv__node *qkv__tree_make(qkv__inequality *q, qkv__node_kind kind, const char *text,
                                const qkv__node *first, const qkv__node *second);
const qkv__node *qkv__tree_number(qkv__inequality *q, int64_t value);
const qkv__node *qkv__tree_compare(qkv__inequality *q, const qkv__node *less,
                                   const qkv__node *more);

const qkv__node *qkv__tree_domain(qkv__inequality *q, const qkv__node *index,
                                  const qkv__node *range);

/* The same node with other children, each made by `change`; NULL where one of them is. */
typedef const qkv__node *qkv__tree_changer(qkv__inequality *q, const qkv__node *node,
                                           const void *context);
const qkv__node *qkv__tree_with_children(qkv__inequality *q, const qkv__node *node,
                                         qkv__tree_changer *change, const void *context);

/* The tree with a name in place of another; NULL where a bound name would catch it. */
const qkv__node *qkv__tree_put(qkv__inequality *q, const qkv__node *node, const char *name,
                               const char *replacement);

/* The tree with a number in place of a name, as the setting t = 0 says; NULL: it is bound there. */
const qkv__node *qkv__tree_at(qkv__inequality *q, const qkv__node *node, const qkv__node *setting);

/* Whether a name stands in a tree and is not bound there. */
bool qkv__tree_has_free(const qkv__node *node, const char *name);

/* for all i, j: p without its first bound. */
const qkv__node *qkv__tree_without_first(qkv__inequality *q, const qkv__node *for_all);

/* The tree with definitions written out; NULL where that is not possible. */
const qkv__node *qkv__tree_expand(qkv__inequality *q, const qkv__node *node);

/* The text of a tree, with bound names made alike; NULL: out of memory. */
const char *qkv__tree_text(qkv__inequality *q, const qkv__node *node);

/* Whether two indexes are picked as different ones. */
bool qkv__tree_is_distinct(qkv__inequality *q, const char *a, const char *b);

/* The range of a declared family, 1..n; NULL: no family of any number of members. */
const qkv__node *qkv__tree_family_range(qkv__inequality *q, const char *name);

/* Whether a statement stands in front of a claim. */
bool qkv__tree_precedes(const qkv__statement *statement, const qkv__node *claim);

/* The statement that declares a family or a single object before the claim; NULL: none. */
const qkv__statement *qkv__tree_declaration(qkv__inequality *q, const char *name);

/* The size of a range that some family has, as a tree; NULL: it is none. */
const qkv__node *qkv__tree_size(qkv__inequality *q, const qkv__node *range);

/* The same, of the text of a range. */
const qkv__node *qkv__tree_size_of(qkv__inequality *q, const char *range);

/* Whether a node is the weight of an attention, c.weight[i]; the attention is attend(q, k, v) of a
 * declared family k, the index is any tree. */
bool qkv__tree_is_weight(qkv__inequality *q, const qkv__node *node, const qkv__node **attention,
                         const qkv__node **index);
bool qkv__tree_is_attention(qkv__inequality *q, const qkv__node *node);

/* The same attention with other values. */
const qkv__node *qkv__tree_with_values(qkv__inequality *q, const qkv__node *attention,
                                       const qkv__node *values);

/* Whether two attentions have the same weights for certain: they differ in their values alone. */
bool qkv__tree_weighs_alike(qkv__inequality *q, const qkv__node *x, const qkv__node *y);

/* attend(query, k, v) of the same keys and values, without a scale. */
const qkv__node *qkv__tree_with_query(qkv__inequality *q, const qkv__node *attention,
                                      const qkv__node *query);

/* attend(query, k, k).weight[name] */
const qkv__node *qkv__tree_running_weight(qkv__inequality *q, const qkv__node *query,
                                          const qkv__node *keys, const char *name);

/* The length that the members of a family are declared to have; NULL: none is. */
const qkv__node *qkv__tree_declared_length(qkv__inequality *q, const qkv__node *member);

/* sum(c.weight[i]*x[i] for i in 1..n) as the attention that it is, with values x; NULL: it is
 * none. */
const qkv__node *qkv__tree_mean(qkv__inequality *q, const qkv__node *over);

/* The score of a key: scale * (key . query). */
const qkv__node *qkv__tree_score(qkv__inequality *q, const qkv__node *attention,
                                 const qkv__node *index);

/* A name that no document has, for a bound index. */
const char *qkv__tree_fresh_name(qkv__inequality *q);

/* sum(body for name in range), of a domain; NULL where one of them is. */
const qkv__node *qkv__tree_sum(qkv__inequality *q, const char *name, const qkv__node *body,
                               const qkv__node *domain);

/* ---- Families that are made, and attention by its definition: inequality_written.c -------------
 */

/* [x for i in 1..n][j]: x with j in place of i; NULL: it is nothing of the kind. */
const qkv__node *qkv__tree_made_member(qkv__inequality *q, const qkv__node *node);

/* attend(q, k, v) as sum(e^s[i]*v[i])/sum(e^s[i]) over all keys, s[i] = scale*(q.k[i]) + bias[i],
 * and its weights likewise. The tree itself where nothing of the kind is in it. */
const qkv__node *qkv__tree_written_out(qkv__inequality *q, const qkv__node *node);

/* Whether an attention is in a tree that can be written out; odd: one that the lemmas do not take.
 */
bool qkv__tree_has_attention(qkv__inequality *q, const qkv__node *node, bool odd);

/* The same with attention over keys of which nothing is known in place of such a one; NULL where
 * that is not possible. */
const qkv__node *qkv__tree_veiled(qkv__inequality *q, const qkv__node *node);

/* What a name of that kind stands for; NULL: it is none. */
const qkv__veil *qkv__tree_veil(const qkv__inequality *q, const char *name);

/* Whether a node is x/|x| of a vector x; whether one is in a tree. */
bool qkv__tree_is_unit(qkv__inequality *q, const qkv__node *node);
bool qkv__tree_has_unit(qkv__inequality *q, const qkv__node *node);

/* ---- Derivatives: inequality_derive.c --------------------------------------------------------
 */

/* d(x, t) or grad(x, q) as an expression without derivatives; NULL: it is beyond the engine. */
const qkv__node *qkv__tree_derivative(qkv__inequality *q, const qkv__node *call);

/* ---- Trees multiplied out: inequality_expand.c -------------------------------------------------
 */

/* Whether an expression is a number for certain, so that it commutes with all else. */
bool qkv__tree_is_scalar(qkv__inequality *q, const qkv__node *node);

/* y and k of a number that is y.k[name] for every index: the query of the attention of which it is
 * the score; NULL: it is something else. */
const qkv__node *qkv__tree_query(qkv__inequality *q, const qkv__node *exponent, const char *name,
                                 const qkv__node **family);

/* The same number or vector as a sum of monomials, its sums over indexes taken apart; the tree
 * itself where that is not possible. */
const qkv__node *qkv__tree_multiplied(qkv__inequality *q, const qkv__node *node);

/* ---- Atoms and vectors: inequality_vector.c ---------------------------------------------------
 */

/* The atom of that text, made when first met; -1: there is no room. */
int qkv__atom_take(qkv__inequality *q, qkv__atom_kind kind, const char *text, bool *made);

/* The atom that is not negative and has this square: a root, an absolute value or a norm. */
bool qkv__atom_take_root(qkv__inequality *q, qkv__atom_kind kind, qkv__ratio square,
                         const char *text, int *atom);
qkv__ratio qkv__atom_number(qkv__inequality *q, int atom);

/* Squares of norms and roots replaced by what they are. */
const qkv__form *qkv__inequality_reduce(qkv__inequality *q, const qkv__form *form);
bool qkv__inequality_reduced(qkv__inequality *q, qkv__ratio ratio, qkv__ratio *number);

/* A new index for a range; its name, or NULL. */
const char *qkv__inequality_index(qkv__inequality *q, const char *range, const char *differs);

/* A member that is named by its number is one that what holds for all holds for. */
void qkv__inequality_note_number(qkv__inequality *q, const qkv__node *range,
                                 const qkv__node *index);

bool qkv__inequality_is_vector(qkv__inequality *q, const qkv__node *node);
bool qkv__inequality_vector(qkv__inequality *q, const qkv__node *node, qkv__mixture *vector);

/* sum += factor * base */
bool qkv__mixture_add(qkv__inequality *q, qkv__mixture *sum, int base, qkv__ratio factor);

/* What the declaration of a family says of the length of its members; lost: nothing. */
qkv__ratio qkv__inequality_declared_length(qkv__inequality *q, const qkv__node *node);
bool qkv__inequality_product(qkv__inequality *q, const qkv__mixture *x, const qkv__mixture *y,
                             qkv__ratio *product);
bool qkv__inequality_norm(qkv__inequality *q, const qkv__mixture *x, qkv__ratio *norm);

/* Whether two indexes are known to be different ones. */
bool qkv__inequality_differ(qkv__inequality *q, const qkv__node *a, const qkv__node *b);

/* |x| of a number. */
bool qkv__inequality_size(qkv__inequality *q, qkv__ratio x, qkv__ratio *size);

/* The text of a number between two others; NULL: out of memory. */
const char *qkv__inequality_written(qkv__inequality *q, const char *before, qkv__ratio ratio,
                                    const char *after);

/* The x of f(x, y, z) or f([x, y, z]), one by one; NULL behind the last. */
const qkv__node *qkv__tree_listed(const qkv__node *call, size_t i);

/* ---- Numbers: inequality_read.c ---------------------------------------------------------------
 */

bool qkv__inequality_number(qkv__inequality *q, const qkv__node *node, qkv__ratio *number);

/* Whether a node is the weight of some attention at the running index of a sum over all its keys.
 */
bool qkv__inequality_is_weight_over(qkv__inequality *q, const qkv__node *node,
                                    const qkv__node *over);

/* ---- Lists: inequality_list.c ------------------------------------------------------------------
 */

/* Whether a node is a list of numbers, [x, y] - 2*[u, v], or softmax of one less that of another;
 * its length. */
bool qkv__inequality_is_list(qkv__inequality *q, const qkv__node *node);
bool qkv__inequality_list_size(qkv__inequality *q, const qkv__node *node, qkv__ratio *size);
bool qkv__inequality_list_entropy(qkv__inequality *q, const qkv__node *call, qkv__ratio *entropy);

/* ---- What is known: inequality_facts.c, inequality_saturate.c, inequality_lemmas.c,
 * inequality_lemmas_logsum.c, inequality_lemmas_vector.c
 * ---------------------------------------------------------------- */

void qkv__inequality_know(qkv__inequality *q, const qkv__form *form, bool strict,
                          const char *label);
void qkv__inequality_know_ratio(qkv__inequality *q, qkv__ratio number, bool strict,
                                const char *label);

/* number >= 0 without its denominator, which is not 0 where there is a value. */
const qkv__form *qkv__inequality_cleared(qkv__inequality *q, qkv__ratio number);

/* i in 1..n; i != j and i not in {j, l}, which are of the range of j; false: none of them. */
bool qkv__inequality_domain(qkv__inequality *q, const qkv__node *domain, qkv__running *made);

/* i in 1..n, i != j, of one index: the first takes in the second. False: they are of two ranges, or
 * there is no room. */
bool qkv__inequality_join(qkv__running *running, const qkv__running *other);

/* Whether a running index is known to differ from another. */
bool qkv__inequality_differs(const qkv__running *running, const char *index);

/* Takes comparisons of trees as known, also joined by `and` and for all indexes; what cannot be
 * read is passed over. */
void qkv__inequality_suppose(qkv__inequality *q, const qkv__node *comparison, const char *label);
void qkv__inequality_rule(qkv__inequality *q, qkv__running of, const qkv__node *proposition,
                          const char *label);

/* What the lemmas say of an atom; of two vectors; of two weights; of all logarithms. */
void qkv__inequality_tell(qkv__inequality *q, int atom);
void qkv__inequality_tell_vectors(qkv__inequality *q, int atom);
void qkv__inequality_know_schwarz(qkv__inequality *q, const qkv__mixture *x, const qkv__mixture *y);
void qkv__inequality_tell_weights(qkv__inequality *q, int a, int b);
void qkv__inequality_tell_logarithms(qkv__inequality *q);
void qkv__inequality_tell_log_sum(qkv__inequality *q, int atom);
void qkv__inequality_tell_log_sums(qkv__inequality *q);

/* ln w[i] as s[i] - ln(sum of e^s). */
const qkv__node *qkv__tree_log_weight(qkv__inequality *q, const qkv__node *attention,
                                      const qkv__node *index);

/* e^(...), exp(...): its exponent; NULL: it is none. */
const qkv__node *qkv__tree_exponent(const qkv__node *node);

/* Whether a sum is over all members of a family. */
bool qkv__tree_is_over_family(qkv__inequality *q, const qkv__node *over);

/* Whether a sum over the same indexes is spoken of already. */
bool qkv__inequality_has_sum(qkv__inequality *q, const qkv__node *over);

/* Adds what is known of every atom, until nothing is new. */
void qkv__inequality_saturate(qkv__inequality *q);

/* ---- Proofs: inequality_show.c, inequality_columns.c, certificate.c
 * --------------------------------------------------
 */

/* Whether right - left is not negative (strict: positive), by what is known. */
bool qkv__inequality_show(qkv__inequality *q, const qkv__node *left, const qkv__node *right,
                          bool strict);

/* Adds the name of a fact to the reason, once. */
void qkv__inequality_say(qkv__text *reason, const char *label);

/* Whether a power of e is one in a form. */
bool qkv__inequality_has_exponent(const qkv__form *form, const qkv__form *exponent);

enum { QKV__CERTIFICATES = 160 }; /* that are tried for one claim */

/* Whether the sign of a form is known at once: not negative, or positive. */
bool qkv__inequality_is_signed(qkv__inequality *q, const qkv__form *form, bool strict);

/* A form times powers of what it is divided by, none of which is negative: its sign is the same. */
const qkv__form *qkv__inequality_without_inverses(qkv__inequality *q, const qkv__form *form);

/* Adds what is known of the exponentials in a form that is to be shown not negative:
 * inequality_exponentials.c. */
void qkv__inequality_know_exponentials(qkv__inequality *q, const qkv__form *form);

/* Whether a form is not negative, by a certificate of products of so many facts. */
bool qkv__inequality_certify(qkv__inequality *q, const qkv__form *form, bool strict, int degree);

/* The form as a sum of columns with factors that are not negative, one of them a strict one if that
 * is asked for: the factors, and whether there are any. */
typedef struct qkv__column {
    const qkv__form *form;
    bool strict;
    int fact[3]; /* whose product it is; -1: none */
} qkv__column;

bool qkv__certificate_find(qkv__algebra *algebra, const qkv__form *goal, bool strict,
                           const qkv__column *column, size_t count, qkv__rational *factor);

/* ---- Vectors: inequality_same.c ------------------------------------------------------------- */

/* Whether x = sum(g*v[i] for i in 1..n)/sum(g for i in 1..n) lies in hull(v): all g are shown not
 * to be negative; where they are all 0 there is no value. */
bool qkv__inequality_show_in_hull(qkv__inequality *q, const qkv__node *x, const qkv__node *hull);

/* Whether two vectors are the same combination of bases, or two numbers the same over atoms, once
 * they are multiplied out. */
bool qkv__inequality_show_same(qkv__inequality *q, const qkv__node *left, const qkv__node *right);

#endif
