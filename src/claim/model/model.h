/*
 * What is known within one problem of a document: parameters and their bounds, index sets and
 * families of vectors, definitions. Statements are read in order; expressions are evaluated to
 * exact values.
 */
#ifndef QKV_CLAIM_MODEL_H
#define QKV_CLAIM_MODEL_H

#include "ball/box.h"
#include "claim/model/value.h"
#include "language/law.h"
#include "language/syntax.h"

/* What a name stands for. */
typedef struct qkv__binding {
    const char *name;
    qkv__value value;               /* NONE for functions and symbolic matrices */
    const qkv__statement *function; /* f(x) = ...: its definition */
    const qkv__node *symbolic;      /* matrix X[n,d]: its declaration, for the words engine */
    const char *symbolic_kind;      /* "matrix", "permutation", "vector" */
    const struct qkv__binding *symbolic_scope; /* of an argument: the names where it stands */
    bool number;                               /* an index that may stand for its number */
    const char *beyond;      /* why the exact engine cannot hold what is defined; NULL: it can */
    const qkv__node *body;   /* beyond: what it is defined as */
    const qkv__node *chance; /* a number with P, E, Var or Cov in it: what it is defined as */
    const struct qkv__binding *next;
} qkv__binding;

/* A parameter that is random: its law, with mean and variance. */
typedef struct qkv__chance {
    int parameter;
    qkv__law_kind law; /* of keys always normal */
    qkv__ratio mean, variance;
    bool has_low, has_high; /* what is drawn lies between these for certain */
    qkv__ratio low, high;
} qkv__chance;

enum { QKV__CHANCES = 16, QKV__FIXED = 6 };

/* An index that is one member of its set in the case at hand, see cases.h. */
typedef struct qkv__fixed_index {
    const char *name;
    const qkv__node *domain;    /* bound: where, i in 1..n; NULL: picked, or a number */
    const char *set;            /* bound, or a number: "1..n" */
    const qkv__statement *pick; /* picked: where; NULL: bound, or a number */
    const char *mark;           /* the member; if the set has no such mark, one beside all others */
} qkv__fixed_index;

/* Vectors that share a dimension: the first that is declared, and the orthogonal families, which
 * cannot have more members. */
typedef struct qkv__frames {
    const qkv__node *dimension;
    bool free;    /* some of them may point anywhere */
    size_t lists; /* families of numbers */
    size_t count; /* orthogonal families */
    const qkv__node *declared[16];
} qkv__frames;

struct qkv__model;
struct qkv__tables;

/* Who reads tables of numbers, which lie beyond the exact engine. */
typedef struct qkv__table_reader {
    /* Whether `keys k = node` makes a table, and what reads it then. */
    bool (*makes)(const qkv__node *node);
    bool (*declare)(struct qkv__model *model, const char *name, const qkv__node *node,
                    qkv__failure *failure, const qkv__node **culprit);

    /* Whether a node mentions a table, and what its value is then. */
    bool (*takes)(const struct qkv__model *model, const qkv__node *node);
    bool (*evaluate)(struct qkv__model *model, const qkv__node *node, qkv__value *value,
                     qkv__failure *failure, const qkv__node **culprit);

    /* Gives back what tables hold outside of the model's arena, down to those that were kept. */
    void (*free_since)(struct qkv__model *model, const struct qkv__tables *kept);
} qkv__table_reader;

typedef struct qkv__model {
    qkv__document *document; /* complaints go there */
    qkv__algebra algebra;
    qkv__space space;
    const qkv__binding *bindings; /* newest first */
    size_t set_count;
    qkv__index_set *sets[QKV__FAMILIES];
    const qkv__statement *assumptions[64]; /* assume statements, for the words engine */
    size_t assumption_count;
    size_t premise_count;
    const qkv__node *premise[32]; /* given statements that are more than bounds */
    size_t deferred_count;
    const qkv__node *deferred[32];    /* premises about what is declared further down */
    const qkv__statement *statements; /* of the problem, first one */
    size_t chance_count;
    qkv__chance chance[QKV__CHANCES];
    qkv__parameter_set noise; /* parameters that noise in every direction is scaled by */
    size_t scale_count;       /* different variances of that noise; past the array: too many */
    qkv__ratio scale[QKV__CHANCES];
    size_t fixed_count;
    qkv__fixed_index fixed[QKV__FIXED]; /* what indexes are in the case at hand */
    size_t steps;                       /* evaluations made for one claim */
    int64_t dimension;     /* of all vectors but values; 0: none is declared, -1: no one number */
    bool in_case;          /* one of the cases of a claim is decided: a search is for all of them */
    bool gappy;            /* a premise was not understood: what fails here may hold under it */
    qkv__frames frames[2]; /* of all vectors but values, and of values */
    const char *dimension_name; /* the dimension of orthogonal vectors, where it is a name */
    bool confined; /* some vectors lie in few dimensions, which the exact engine does not see */
    bool still;    /* that noise has vanished */
    bool noisy;    /* attention over keys with noise in every direction is being evaluated */
    bool opaque;   /* something stands for vectors of which more is true than the engine knows */
    bool mute;     /* a twin of another model complains for it */
    bool trying;   /* a candidate is being verified: nobody reads why a limit is what it is */
    const struct qkv__limits *limits;      /* of the check (limits.h); NULL: none */
    const qkv__table_reader *table_reader; /* NULL: there are no tables */
    struct qkv__tables *tables;            /* what tables of numbers hold; NULL for none */
} qkv__model;

/* A new model for the statements of one problem, from `first` up to the next problem statement.
 * Index marks are collected from all of them before anything is evaluated. */
bool qkv__model_begin(qkv__model *model, qkv__document *document, const qkv__statement *first,
                      const qkv__table_reader *table_reader);

/* The same for a case in which some indexes are known. */
bool qkv__model_begin_case(qkv__model *model, qkv__document *document, const qkv__statement *first,
                           const qkv__table_reader *table_reader, const qkv__fixed_index *fixed,
                           size_t count, bool mute);
void qkv__model_end(qkv__model *model);

/* Reads a declaration or definition; false when a complaint was made. Claims are not its business.
 */
bool qkv__model_declare(qkv__model *model, const qkv__statement *statement);

/* Whether the document defines a name (x = ...), so that it is not free. */
bool qkv__model_is_defined(const qkv__model *model, const char *name);

#endif
