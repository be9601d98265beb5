/*
 * What the files of the search share. A hunt is the search for a counterexample to one claim. It
 * knows the statements in front of the claim, the unknowns that the claim depends on, and the
 * premises that a counterexample must satisfy. A case is one choice of all unknowns: exact
 * rationals in slots. search_plan.c finds the unknowns, search_choose.c chooses cases,
 * search_evaluate.c, search_call.c, search_judge.c and search_hull.c evaluate them, search_write.c
 * shows one.
 */
#ifndef QKV_CLAIM_SEARCH_PART_H
#define QKV_CLAIM_SEARCH_PART_H

#include "claim/decide.h"
#include "claim/search_value.h"

enum {
    QKV__HUNT_STATEMENTS = 512, /* in front of a claim */
    QKV__UNKNOWNS = 64,
    QKV__HUNT_PREMISES = 64,
    QKV__HUNT_SLOTS = 4096,
    QKV__HUNT_SIDE = 64,  /* of a matrix; members of a family may be more */
    QKV__HUNT_DEPTH = 32, /* of calls and definitions */
    QKV__HUNT_WIDTHS = 8,
};

typedef enum qkv__unknown_kind {
    QKV__UNKNOWN_PARAMETER,
    QKV__UNKNOWN_INDEX, /* picked, or bound by a condition: 1 to the size of its set */
    QKV__UNKNOWN_VECTOR,
    QKV__UNKNOWN_FAMILY,
    QKV__UNKNOWN_MATRIX,
    QKV__UNKNOWN_PERMUTATION,
} qkv__unknown_kind;

typedef struct qkv__unknown {
    qkv__unknown_kind kind;
    const char *name;
    const qkv__statement *statement; /* that declares it; NULL: none does */
    const qkv__node *quantifier;     /* for all permutation R[d]: the binding; else NULL */
    const qkv__node *declared;       /* NAME or INDEX, with its sizes; an index: its set */
    size_t position;                 /* statements that its sizes may refer to */

    bool whole, is_size;      /* parameters */
    qkv__bound lower, upper;  /* parameters */
    const qkv__node *outside; /* indices: what it may not be (a set or a name); NULL: nothing */
    bool distinct;            /* indices: from those of the same statement */

    bool orthogonal;       /* families: by unit vectors at right angles, times the norm */
    const qkv__node *norm; /* NULL: 1 for orthogonal families, any for others */
    const qkv__node *dimension;
    const char *const *names; /* of the members; NULL: numbers */
    bool holds_values;        /* declared as values: of a width of their own */

    bool shown; /* the claim depends on it */

    size_t rows, columns, offset; /* in this case */
} qkv__unknown;

typedef struct qkv__hunt_premise {
    const qkv__node *node;
    size_t position;
    uint64_t unknowns; /* a bit each, of those it depends on */
} qkv__hunt_premise;

/* A name bound within an expression. */
typedef struct qkv__local {
    const char *name;
    const qkv__case_value *value; /* NULL: an index */
    size_t member, count;         /* an index: which, from 0, and of how many */
    const struct qkv__local *next;
} qkv__local;

/* The comparison that a verdict rests on. */
typedef struct qkv__comparison_seen {
    const qkv__node *node; /* NULL: none yet */
    qkv__case_value left, right;
    size_t index_count;
    const char *index_name[4];
    size_t index_member[4]; /* from 0 */
} qkv__comparison_seen;

typedef struct qkv__hunt {
    qkv__model *model;
    const qkv__node *proposition;
    const qkv__node *tolerance; /* within ...; NULL: none */
    qkv__arena arena;           /* lives as long as the hunt */

    size_t statement_count;
    const qkv__statement *statement[QKV__HUNT_STATEMENTS]; /* in order, those of blocks too */
    size_t unknown_count;
    qkv__unknown unknown[QKV__UNKNOWNS];
    size_t premise_count;
    qkv__hunt_premise premise[QKV__HUNT_PREMISES];
    size_t width_count;
    size_t width[QKV__HUNT_WIDTHS]; /* of vectors that are written out */

    uint64_t seed, counter;
    size_t dimension, value_dimension; /* of vectors that say nothing of theirs */
    size_t slot_count;
    qkv__rational slot[QKV__HUNT_SLOTS];

    qkv__bench bench;
    bool known[QKV__HUNT_STATEMENTS]; /* definitions evaluated in this case */
    qkv__case_value value[QKV__HUNT_STATEMENTS];
    bool unknown_known[QKV__UNKNOWNS];
    qkv__case_value unknown_value[QKV__UNKNOWNS];
    bool vacuous; /* some premise of an implication did not hold for certain */
    qkv__comparison_seen seen;
} qkv__hunt;

/* Where an expression stands: which statements and which bound names it sees. */
typedef struct qkv__scene {
    qkv__hunt *hunt;
    const qkv__local *locals;
    size_t position;
    int depth;
} qkv__scene;

/* ---- search_plan.c ------------------------------------------------------------------------- */

/* Reads the claim and all it depends on; false when it is not of a kind that can be tried. */
bool qkv__hunt_plan(qkv__hunt *hunt, qkv__model *model, const qkv__node *proposition,
                    const qkv__circumstances *circumstances);

/* The last of the first `position` statements that declares or defines a name; -1: none does.
 * *declared is the NAME, INDEX, COMPARE or CALL node in it. */
int qkv__hunt_resolve(const qkv__hunt *hunt, const char *name, size_t position,
                      const qkv__node **declared);
int qkv__hunt_unknown(const qkv__hunt *hunt, const char *name, const qkv__statement *statement,
                      const qkv__node *quantifier);           /* -1: none */
int qkv__hunt_index(const qkv__hunt *hunt, const char *name); /* -1: none */

/* v_a: the family's name in `family`, and where the member's begins; NULL if it is no such name. */
const char *qkv__hunt_subscript(const char *name, char *family, size_t size);

/* permutation R[d], R[d] or R: the name, and "permutation" or "". */
const char *qkv__binding_name(const qkv__node *binding, const char **kind,
                              const qkv__node **declared);

/* ---- search_choose.c ----------------------------------------------------------------------- */

size_t qkv__hunt_draw(qkv__hunt *hunt, size_t limit); /* in 0 ... limit - 1 */

/* Chooses sizes and fills all unknowns, larger and wilder with the level (0 to 3), so that the
 * premises that can be met by construction hold. False when that did not succeed. */
bool qkv__hunt_choose(qkv__hunt *hunt, int level, bool one_width);

/* The slots that may be changed one by one without breaking what an unknown is. */
bool qkv__slot_is_free(const qkv__hunt *hunt, size_t slot, const qkv__unknown **owner);
bool qkv__bounds_allow(const qkv__unknown *unknown, qkv__rational value);

/* ---- search_evaluate.c, search_call.c ------------------------------------------------------ */

void qkv__hunt_begin_case(qkv__hunt *hunt); /* forgets what was evaluated */
bool qkv__hunt_evaluate(qkv__scene *scene, const qkv__node *node, qkv__case_value *value);
bool qkv__hunt_call(qkv__scene *scene, const qkv__node *node, qkv__case_value *value);
bool qkv__hunt_unknown_value(qkv__scene *scene, int unknown, qkv__case_value *value);
bool qkv__hunt_number(qkv__scene *scene, const qkv__node *node, qkv__rational *number);

/* The member, from 0, that an index expression names in a set of so many (with names, or NULL). */
bool qkv__hunt_member(qkv__scene *scene, const qkv__node *node, const char *const *names,
                      size_t count, size_t *member);

/* Members that a bound index runs over: i in 1..n, i not in {a, b}, i != j, where `body` uses it.
 * `in` holds `count` flags. */
bool qkv__hunt_domain(qkv__scene *scene, const qkv__node *domain, const qkv__node *body,
                      size_t *count, const bool **in);

/* ---- search_judge.c ------------------------------------------------------------------------ */

/* certain: 1 true, -1 false, 0 not known. margin: above 0 where it seems true, larger when more so;
 * it guides the search and decides nothing. */
typedef struct qkv__truth {
    int certain;
    double margin;
} qkv__truth;

typedef enum qkv__judgement {
    QKV__CASE_VOID,    /* the case is none: see the bench's obstacle */
    QKV__CASE_MISSED,  /* some premise does not hold for certain */
    QKV__CASE_HOLDS,   /* nothing against the claim */
    QKV__CASE_REFUTES, /* the premises hold and the claim does not, for certain */
} qkv__judgement;

/* Judges the case in the slots. */
qkv__judgement qkv__hunt_judge(qkv__hunt *hunt, double *margin);

/* Whether the premises hold for certain that depend on no other than these unknowns. */
bool qkv__hunt_premises_hold(qkv__hunt *hunt, uint64_t unknowns, uint64_t at_least_one_of);

/* Changes slots one at a time so that equations among the premises hold exactly: what enters
 * linearly can be solved for. False when some equation is left. */
bool qkv__hunt_solve(qkv__hunt *hunt);

/* ---- search_hull.c ------------------------------------------------------------------------- */

bool qkv__hunt_judge_hull(qkv__scene *scene, const qkv__case_value *x, const qkv__node *hull,
                          qkv__truth *truth);

/* ---- search_shrink.c ----------------------------------------------------------------------- */

/* A case that is kept, with two numbers of the keeper's. */
typedef struct qkv__kept_case {
    size_t slot_count, dimension, value_dimension;
    qkv__rational slot[QKV__HUNT_SLOTS];
    size_t rows[QKV__UNKNOWNS], columns[QKV__UNKNOWNS], offset[QKV__UNKNOWNS];
    double margin;
    size_t weight;
} qkv__kept_case;

void qkv__case_keep(const qkv__hunt *hunt, qkv__kept_case *kept);
void qkv__case_restore(qkv__hunt *hunt, const qkv__kept_case *kept);

/* Makes a counterexample smaller for as long as it stays one: fewer members and coordinates,
 * simpler numbers. Returns how much a reader has to take in; SIZE_MAX where the case is none. Stops
 * when the bench has done so many operations. */
size_t qkv__hunt_shrink(qkv__hunt *hunt, size_t operations);

/* ---- search_write.c ------------------------------------------------------------------------ */

/* "With n = 2, k = [1,0], q = [0]: k[1].q = 0 against k[2].q = 0." after a judgement. */
void qkv__hunt_write(const qkv__hunt *hunt, qkv__text *text);

/* Its last part: the comparison that fails. */
void qkv__hunt_write_comparison(const qkv__hunt *hunt, qkv__text *text);

/* The digits that tell the sides of the comparison apart that was seen: 4, or more where it must.
 */
int qkv__hunt_digits(const qkv__hunt *hunt);

#endif
