/*
 * The syntax tree of the claim language: what a document says, before anything is known of what it
 * means. Trees live in an arena and are never changed once parsed. docs/reference/language.md has
 * the grammar; each parse function carries its production.
 */
#ifndef QKV_LANGUAGE_SYNTAX_H
#define QKV_LANGUAGE_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/status.h>

#include "base/arena.h"
#include "base/text.h"
#include "exact/decimal.h"
#include "exact/rational.h"

/* A stretch of the document. Lines and columns count from 1, columns in characters (code points);
 * in a Markdown document they are those of the whole file. */
typedef struct qkv__place {
    int line, column; /* of the first character */
    int end_column;   /* behind the last one on that line */
} qkv__place;

typedef enum qkv__node_kind {
    /* Expressions. Children in brackets. */
    QKV__NODE_NUMBER,    /* value; a decimal is an exact rational: 0.1 is 1/10 */
    QKV__NODE_INFINITY,  /* inf */
    QKV__NODE_NAME,      /* text */
    QKV__NODE_INDEX,     /* base[i, j, ...]: [base, i, j, ...] */
    QKV__NODE_MEMBER,    /* base.weight: [base], text "weight" (weight, score, head, output) */
    QKV__NODE_CALL,      /* f(x, y, scale = z): text "f", [arguments]; also P(...), E[...] */
    QKV__NODE_OPTION,    /* scale = z among arguments: text "scale", [z] */
    QKV__NODE_NEGATE,    /* -x */
    QKV__NODE_TRANSPOSE, /* x' */
    QKV__NODE_ADD,       /* [x, y], likewise the next ones */
    QKV__NODE_SUBTRACT,
    QKV__NODE_MULTIPLY, /* x*y, and x y side by side; text ".": of two vectors the inner product */
    QKV__NODE_DIVIDE,
    QKV__NODE_POWER,  /* x^y */
    QKV__NODE_DOT,    /* x.y, the inner product */
    QKV__NODE_SIZE,   /* |x|: absolute value or norm */
    QKV__NODE_LIST,   /* [x, y, z]; a long one of plain numbers has a table, see below */
    QKV__NODE_SET,    /* {a, b} */
    QKV__NODE_RANGE,  /* x .. y */
    QKV__NODE_SUM,    /* sum(x for i in S): text "i" (or "sum"/"mean" by role), see below */
    QKV__NODE_WITH,   /* x with x[2] = y: [x, x[2], y] */
    QKV__NODE_STRING, /* "keys.npy", as an argument of file: text */

    /* Propositions. */
    QKV__NODE_COMPARE, /* x = y, x <= y, x ~ y, x in y: comparison, [x, y]; chains are AND */
    QKV__NODE_AND,     /* [p, q] */
    QKV__NODE_OR,
    QKV__NODE_NOT,     /* [p] */
    QKV__NODE_IMPLIES, /* [p, q] */
    QKV__NODE_EXISTS,  /* exists q, t: p: [names..., p] */
    QKV__NODE_FOR_ALL, /* for all q: p: [names..., p] */
    QKV__NODE_GIVEN,   /* p given q: [p, q] */
} qkv__node_kind;

typedef enum qkv__comparison {
    QKV__EQUAL,
    QKV__NOT_EQUAL,
    QKV__LESS,
    QKV__LESS_OR_EQUAL,
    QKV__GREATER,
    QKV__GREATER_OR_EQUAL,
    QKV__NEAR, /* ~ */
    QKV__IN,   /* in an interval x .. y, in hull(v), in a set */
    QKV__NOT_IN,
    QKV__TENDS_TO,   /* ->; text "+" from above, "-" from below: the bound is a condition too */
    QKV__DISTRIBUTED /* ~ normal(...), in declarations of what is drawn */
} qkv__comparison;

/*
 * A long list of plain numbers, [[1, 0.5, ...], ...] or [1, 0.5, ...]: a LIST node without
 * children. A node for each number would take ten times the memory. A list is long when a level of
 * it has more than QKV__LIST_LONG items; only numbers with or without a sign, in rows of one
 * length, make a table.
 */
typedef struct qkv__number_table {
    size_t rows, columns; /* flat: [x, y, z], which has 1 column */
    bool flat;
    const qkv__decimal *entry; /* row by row */
} qkv__number_table;

enum { QKV__LIST_LONG = 64 };

typedef struct qkv__node {
    qkv__node_kind kind;
    qkv__place place;
    const char *text;           /* as said above; never NULL */
    qkv__rational value;        /* NUMBER */
    qkv__comparison comparison; /* COMPARE */
    size_t count;
    const struct qkv__node *const *child;
    const qkv__number_table *table; /* LIST of many numbers; count is then 0. Else NULL */
    int depth;                      /* 1 for a leaf, else one more than the deepest child's */
} qkv__node;

/* No tree is deeper than this, whatever the text, so that walks over trees may recurse. A long sum
 * counts as well: x + x + x is a tree of depth 3. Brackets alone have a limit of their own. */
enum { QKV__TREE_DEPTH = 1000, QKV__NESTING = 200 };

/*
 * SUM: children [body, domain]; text is the bound name; a call name stands in `text` of the
 * parent CALL ("sum", "mean", "max", "min"), whose only argument the SUM node is. The domain is a
 * COMPARE node: i IN 1..n, i NOT_IN {a, b}, i NOT_EQUAL j.
 *
 * EXISTS, FOR_ALL, the items of FIND and those of a RANGE condition after `for all`: a name may
 * come with its kind, `permutation R[d]`, which is CALL "permutation" with [R[d]] (vector, matrix,
 * scalar, permutation). EXISTS and FOR_ALL also take a bounded name, `i in 1..n`: a COMPARE.
 *
 * GIVEN stands only as an argument of P, E, Var and Cov; its first child is a proposition in P and
 * an expression in the others: E(x given y > 0). In a chain the middle child is shared by both
 * comparisons: 0 <= x <= 1 is [0 <= x, x <= 1] with the same x.
 */

typedef enum qkv__condition_kind {
    QKV__CONDITION_LIMIT,  /* as beta -> inf [then alpha -> 0]: nodes are COMPARE with TENDS_TO */
    QKV__CONDITION_RANGE,  /* for beta >= 40, n = 10; for all n >= 3; for all v: NAME */
    QKV__CONDITION_AT,     /* at n = 10, beta = 10 */
    QKV__CONDITION_WITHIN, /* within 1e-6: one node */
    QKV__CONDITION_GIVEN,  /* given a proposition: one node */
    QKV__CONDITION_EXPECT, /* expect refuted: text */
} qkv__condition_kind;

typedef struct qkv__condition {
    qkv__condition_kind kind;
    qkv__place place;
    const char *text; /* EXPECT: proved, refuted, supported, undecided; else "" */
    size_t count;
    const qkv__node *const *node;
    const struct qkv__condition *next;
} qkv__condition;

/* What holds for a claim, one thing after the other: the conditions of the blocks around it,
 * outermost first, then its own. */
enum { QKV__CIRCUMSTANCES = 96 };

typedef struct qkv__circumstance {
    qkv__condition_kind kind;
    const qkv__node *node; /* NULL: EXPECT */
    const char *text;      /* of EXPECT */
} qkv__circumstance;

typedef struct qkv__circumstances {
    size_t count;
    bool too_many; /* there are more, which had no place: nothing can be decided */
    qkv__circumstance item[QKV__CIRCUMSTANCES];
} qkv__circumstances;

typedef enum qkv__statement_kind {
    QKV__STATEMENT_PROBLEM, /* problem "title": text */
    QKV__STATEMENT_GIVEN,   /* given n >= 3, beta > 0: nodes are propositions */
    QKV__STATEMENT_FAMILY,  /* keys k[1..n] orthonormal: see below */
    QKV__STATEMENT_OBJECT,  /* vector q; matrix X[n,d], W[d,m]; permutation P[n]; scalar t */
    QKV__STATEMENT_PICK,    /* pick a, b distinct in 1..n: nodes are the names, then the set */
    QKV__STATEMENT_ASSUME,  /* assume A'*A = I, A'*B = 0: nodes are propositions */
    QKV__STATEMENT_DEFINE,  /* x = y; x[1] = y; f(x) = y: nodes [target, value] */
    QKV__STATEMENT_CLAIM,   /* claim S0.1: p: text is the label ("" for none), nodes [p] */
    QKV__STATEMENT_FIND, /* find q, K: p; find least beta: p; find largest beta: p: nodes [names...,
                            p] */
    QKV__STATEMENT_LAW,  /* law of c: nodes [c] */
    QKV__STATEMENT_BLOCK, /* as ...: / at ...: / for ...: with indented statements below */
} qkv__statement_kind;

/*
 * FAMILY: text is the role: "keys", "values", "means", "vectors". nodes are one or more of
 *     INDEX  k[1..n], u[a,b,c,d]       the declared family, with its RANGE or names
 *     COMPARE EQUAL [k, LIST]          keys k = [[1,0],[0,1]]: explicit numbers
 *     COMPARE DISTRIBUTED [k[i], call] keys k[i] ~ normal(mu[i], alpha*I), see law.h
 * "vector" and "scalar" are roles too where the one object is drawn: COMPARE DISTRIBUTED [q, call].
 * Then follow properties, in order: NAME orthonormal, NAME orthogonal, CALL norm(x), CALL
 * dimension(d). OBJECT: text is the kind: "vector", "matrix", "scalar", "permutation"; nodes NAME
 * or INDEX.
 */
typedef struct qkv__statement {
    qkv__statement_kind kind;
    qkv__place place;
    const char *text;   /* as said above; never NULL */
    const char *source; /* the statement as written, one line, trimmed, and cut where it is very
                         * long: for reports */
    bool least;         /* FIND: find least, and find largest */
    bool largest;       /* FIND: find largest */
    bool distinct;      /* PICK */
    size_t count;
    const qkv__node *const *node;
    const qkv__condition *conditions;     /* CLAIM, FIND, LAW, BLOCK; first of a list */
    const struct qkv__statement *inside;  /* BLOCK: its first statement */
    const struct qkv__statement *written; /* with the ranges that the text has, where they are
                                           * written out here (ranges.h); else NULL */
    const struct qkv__statement *next;
} qkv__statement;

/* A complaint about the text, with the line it is about. */
typedef struct qkv__complaint {
    qkv__place place;
    const char *message; /* what was found and what was expected */
    const char *line;    /* the line itself, cut to 200 characters around the place */
    int caret;           /* where the caret goes under `line`, from 1 */
} qkv__complaint;

enum { QKV__COMPLAINTS = 20 }; /* at most; then reading stops */

typedef struct qkv__document {
    qkv__arena arena;
    const char *name; /* of the file, for messages */
    const char *text; /* all of it, a copy, with a '\0' behind it */
    size_t length;
    const qkv__statement *first;
    size_t statement_count; /* those inside blocks too */
    qkv__complaint complaint[QKV__COMPLAINTS];
    size_t complaint_count;
    int lost[QKV__COMPLAINTS]; /* lines of statements besides claims that were not understood */
    size_t lost_count;
    bool all_lost; /* there were more of them */
} qkv__document;

#endif
