/* What the files of the designer share: the question in hand, with definitions written out, and
 * the small exact tools that its answers are made of. */
#ifndef QKV_CLAIM_DESIGN_PART_H
#define QKV_CLAIM_DESIGN_PART_H

#include "ball/sign.h"
#include "claim/design/design.h"
#include "exact/limit.h"

enum {
    QKV__DESIGN_UNKNOWNS = 6,
    QKV__DESIGN_KEYS = 24,      /* weights that a question may be about: each is a parameter */
    QKV__DESIGN_RELATIONS = 96, /* linear conditions on the weights */
    QKV__DESIGN_WIDTH = 64,     /* coordinates of explicit keys */
};

/* A question under way. */
typedef struct qkv__design_task {
    qkv__model *model;
    const qkv__design_question *question;
    qkv__finding *finding;
    size_t count; /* unknowns */
    const char *name[QKV__DESIGN_UNKNOWNS];
    bool is_vector[QKV__DESIGN_UNKNOWNS];
    const qkv__node *proposition; /* definitions that mention an unknown are written out */
    bool hidden;                  /* but for a norm, a size or a member that depends on one */
    bool has_limit;               /* as beta -> inf stands in the conditions */
    int growth;                   /* the parameter that a design may let grow; -1: none is free */
    bool has_tolerance;
    qkv__ratio tolerance;
} qkv__design_task;

/* ---- Answers (design_answer.c) ------------------------------------------------------------ */

/* Refuted; `uniform`: for every choice of what is free, not for one. */
void qkv__design_refute(qkv__design_task *task, bool uniform);

/* Sets the verdict; the reason is added by qkv__design_say. */
void qkv__design_conclude(qkv__design_task *task, qkv__verdict verdict, const char *engine);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void qkv__design_say(qkv__design_task *task, const char *format, ...);

/* An open end: says why, unless something was said before. */
void qkv__design_leave(qkv__design_task *task, const char *reason);

/* ---- Trees (design_tree.c) ---------------------------------------------------------------- */

/* Whether a tree speaks of an unknown, also by way of all that the document says. */
bool qkv__design_mentions(const qkv__design_task *task, const qkv__node *node);

/* Whether it does so otherwise than by the unknown's own name. */
bool qkv__design_hides(const qkv__design_task *task, const qkv__node *node);

/* The tree with such definitions written out, and bound indices by their marks; NULL when that
 * cannot be done. */
const qkv__node *qkv__design_expand(qkv__design_task *task, const qkv__node *node);

/*
 * The proposition decided again with the unknowns bound to values, under the question's conditions;
 * `grow`: in the limit of the growing parameter (where no limit is given); `bare`: without its
 * tolerance. The bindings of the model are as before afterwards.
 */
qkv__verdict qkv__design_verify(qkv__design_task *task, const qkv__node *proposition,
                                const qkv__value *values, bool grow, bool bare);

/* ---- Signs (design_answer.c) -------------------------------------------------------------- */

/* The sign over all that the parameters may be: by algebra, then by the ball. */
qkv__sign qkv__design_sign(qkv__design_task *task, qkv__ratio ratio);

/* Whether it is proved to be other than 0, below 0, above 0 at some admissible point; the point is
 * written to `at` (" at n = 3", or nothing) where that is not NULL. */
bool qkv__design_somewhere_nonzero(qkv__design_task *task, qkv__ratio ratio, qkv__text *at);
bool qkv__design_somewhere_negative(qkv__design_task *task, qkv__ratio ratio, qkv__text *at);

/* The norm that a family of vectors at right angles is declared with is positive: a convention, for
 * the question in hand. */
void qkv__design_bound_norms(qkv__model *model);

/* Parameters that the conditions leave one value are that number. */
qkv__ratio qkv__design_fixed(qkv__model *model, qkv__ratio ratio);
const qkv__vector *qkv__design_fixed_vector(qkv__model *model, const qkv__vector *vector);

/* Whether anything that a tree names depends on a parameter. */
bool qkv__design_depends(const qkv__model *model, const qkv__node *node, int parameter);

/* Whether more is given than bounds of parameters. */
bool qkv__design_has_premises(const qkv__design_task *task);

/* ---- Queries (design_query.c and the files below) ------------------------------------------ */

/* What is known of the keys. */
typedef enum qkv__design_keys_kind {
    QKV__KEYS_OTHER,       /* nothing that the designer can use */
    QKV__KEYS_INDEPENDENT, /* members of one family at right angles, none of them zero */
    QKV__KEYS_NUMBERS,     /* explicit coordinates */
    QKV__KEYS_ARBITRARY,   /* a family of which nothing is known, apart from the values */
} qkv__design_keys_kind;

/* An attention whose query is unknown. Classes: the marks, then the rest where there may be one. */
typedef struct qkv__design_head {
    const qkv__node *call; /* attend(q, k, v) */
    const qkv__vectors *keys, *values;
    qkv__ratio scale;
    qkv__design_keys_kind kind;
    const qkv__family *family; /* INDEPENDENT, NUMBERS: whose members the keys are made of */
    qkv__ratio square;         /* of the norm of its members */
    size_t count;              /* classes */
    bool has_rest;
    qkv__ratio size[QKV__DESIGN_KEYS]; /* keys in a class */
    int parameter[QKV__DESIGN_KEYS];   /* the weight of one key of the class */
    size_t width;                      /* NUMBERS */
    int axis[QKV__DESIGN_WIDTH];       /* which member a coordinate belongs to */
    qkv__rational *coordinate;         /* NUMBERS: count x width */
} qkv__design_head;

/* sum coefficient_i weight_i + constant, compared with 0. */
typedef struct qkv__design_relation {
    qkv__ratio coefficient[QKV__DESIGN_KEYS];
    qkv__ratio constant;
    qkv__comparison comparison; /* NEAR, EQUAL, or an order */
    qkv__ratio tolerance;       /* of a NEAR; lost: as near as one likes */
    bool alone;                 /* a number by itself, not one component of a vector */
    qkv__symbol symbol;         /* else whose component */
} qkv__design_relation;

/* What the question demands of the weights. */
typedef struct qkv__design_demand {
    qkv__design_head head;
    size_t heads; /* 1, or as many as a mean has */
    const qkv__node *query[QKV__DESIGN_UNKNOWNS];
    size_t count;
    qkv__design_relation *relation;
} qkv__design_demand;

/* Weights, one a class, that answer the demand in the limit or exactly. */
typedef struct qkv__design_weights {
    qkv__ratio weight[QKV__DESIGN_KEYS];
} qkv__design_weights;

void qkv__design_query(qkv__design_task *task);
void qkv__design_scalar(qkv__design_task *task);

/* A side of a comparison with the unknowns bound to values. */
bool qkv__design_evaluate_with(qkv__design_task *task, const qkv__node *node,
                               const qkv__value *values, qkv__value *value);

/* Whether the sides of a comparison with '~' keep away from each other for all that the parameters
 * may be, the unknowns among them; says why: design_away.c. */
bool qkv__design_keeps_away(qkv__design_task *task, const qkv__node *node,
                            const qkv__value *values);

/* "whatever t", or "for 0 <= t" in a part of its range. */
void qkv__design_write_range(const qkv__design_task *task, qkv__text *text);

/* Reads the demand off the proposition; false: it is none on the weights of one attention. */
bool qkv__design_demand_read(qkv__design_task *task, qkv__design_demand *demand);

/* The same for conditions on inner products with the query: `symbol` gets the vectors that the
 * query is a combination of, and the weights of the demand are their factors. */
bool qkv__design_scores_read(qkv__design_task *task, qkv__design_demand *demand,
                             const qkv__vector **symbol);

/* The value of a relation's left side at some weights. */
qkv__ratio qkv__design_relation_at(qkv__design_task *task, const qkv__design_demand *demand,
                                   const qkv__design_relation *relation,
                                   const qkv__design_weights *weights);

/* Independent keys and any keys, design_keys.c; explicit keys, design_numbers.c. `unique`: no other
 * weights answer the demand, and none that is left open would. The last may have no weights. */
void qkv__design_independent(qkv__design_task *task, const qkv__design_demand *demand,
                             const qkv__design_weights *weights, bool unique);
void qkv__design_numbers(qkv__design_task *task, const qkv__design_demand *demand,
                         const qkv__design_weights *weights, bool unique);
void qkv__design_arbitrary(qkv__design_task *task, const qkv__design_demand *demand,
                           const qkv__design_weights *weights);

/* Whether a family was declared with a property: norm, dimension, ...; NULL: with any. */
bool qkv__design_has_property(const qkv__model *model, const qkv__family *family,
                              const char *property);

/* Whether members can be chosen independent of all other symbols, whatever is known of them. */
bool qkv__design_is_independent(qkv__design_task *task, const qkv__family *family);

/* Whether the relations say the same for every choice of the vectors: they are about weights, or
 * about symbols at right angles. */
bool qkv__design_is_uniform(const qkv__design_demand *demand);

/* One number, f(weights) compared with 0, for keys of either kind: design_single.c. */
void qkv__design_single(qkv__design_task *task, const qkv__design_demand *demand);

/* Whether explicit keys let the weight of one key tend to 1; `ceiling` is proved to be at least
 * that weight where not (lost: no such number). 1 yes, 0 no, -1 not known. */
int qkv__design_can_copy(qkv__design_task *task, const qkv__design_head *head, size_t key,
                         const qkv__vector **query, qkv__rational *ceiling);

/* Refutes that the weight of a key of these weights, all on that key, tends to 1. */
void qkv__design_refuse_copy(qkv__design_task *task, const qkv__design_demand *demand,
                             const qkv__design_weights *weights);

/* Binds a query to every unknown, and sees whether the weights tend to (exact: are) those wanted.
 * On success *attention is what it gives. */
bool qkv__design_reaches(qkv__design_task *task, const qkv__design_demand *demand,
                         const qkv__vector *query, const qkv__design_weights *weights, bool exact,
                         const qkv__attention **attention);

/* Whether the proposition itself does not contradict the query: false when it is refuted. */
bool qkv__design_confirm(qkv__design_task *task, const qkv__vector *query, bool grow);

/* "q = " */
void qkv__design_begin_found(qkv__design_task *task);

/* "k[a]" */
void qkv__design_key_write(const qkv__design_task *task, const qkv__design_head *head, size_t key,
                           qkv__text *text);
void qkv__design_rational_write(qkv__rational value, qkv__text *text);

/* "[1, 2]" for coordinates, else a combination. */
void qkv__design_vector_write(const qkv__design_task *task, const qkv__vector *vector,
                              qkv__text *text);

/* The ratio without powers below 0 in numerator and denominator, or as the number that it is. */
qkv__ratio qkv__design_tidy(qkv__algebra *algebra, qkv__ratio ratio);

/* Says along which direction a target lies beyond all vectors of a family; false: not found. */
bool qkv__design_separate(qkv__design_task *task, const qkv__vector *target,
                          const qkv__vectors *vectors);

#endif
