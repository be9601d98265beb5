/*
 * The second reading of a document: a claim and its premises on concrete instances, straight from
 * the definitions. It shares the parser and ball arithmetic with the engines and nothing else, so
 * that a verdict on which both readings agree rests on two translations of the text.
 *
 * A replay knows the statements in front of a claim, the unknowns that the claim depends on, and
 * the premises. An instance, or case, is one choice of all unknowns: exact rationals in slots.
 * read.c finds the premises, and by walk.c the unknowns; evaluate.c and call.c evaluate
 * expressions, judge.c and hull.c propositions, limit.c claims about limits along paths. Who
 * chooses instances does so elsewhere.
 */
#ifndef QKV_REPLAY_REPLAY_H
#define QKV_REPLAY_REPLAY_H

#include "ball/grid.h"
#include "language/syntax.h"
#include "replay/value.h"

enum {
    QKV__REPLAY_STATEMENTS = 512, /* in front of a claim */
    QKV__UNKNOWNS = 64,
    QKV__REPLAY_PREMISES = 64,
    QKV__REPLAY_SLOTS = 4096,
    QKV__REPLAY_SIDE = 64,   /* of a matrix; members of a family may be more */
    QKV__REPLAY_DEPTH = 128, /* of calls and definitions */
    QKV__REPLAY_WIDTHS = 8,
    QKV__REPLAY_LIMITS = 4,
    QKV__REPLAY_TABLES = 8,
    QKV__REPLAY_LIVE = 3, /* random numbers that are told apart; more are many */
    QKV__REPLAY_LAWS = 64,
};

typedef enum qkv__unknown_kind {
    QKV__UNKNOWN_PARAMETER,
    QKV__UNKNOWN_INDEX, /* picked, or bound by a condition: 1 to the size of its set */
    QKV__UNKNOWN_VECTOR,
    QKV__UNKNOWN_FAMILY,
    QKV__UNKNOWN_MATRIX,
    QKV__UNKNOWN_PERMUTATION,
} qkv__unknown_kind;

typedef struct qkv__edge {
    bool known, strict;
    qkv__rational value;
} qkv__edge;

typedef struct qkv__unknown {
    qkv__unknown_kind kind;
    const char *name;
    const qkv__statement *statement; /* that declares it; NULL: none does */
    const qkv__node *quantifier;     /* for all permutation R[d]: the binding; else NULL */
    const qkv__node *declared;       /* NAME or INDEX, with its sizes; an index: its set */
    size_t position;                 /* statements that its sizes may refer to */

    bool whole, is_size;      /* parameters */
    bool in_size;             /* parameters: a size is made of it */
    qkv__edge lower, upper;   /* parameters: what plain premises say, for who chooses */
    bool bound;               /* indices: by a condition of the claim, not picked */
    const qkv__node *outside; /* indices: what it may not be (a set or a name); NULL: nothing */
    const qkv__node *also_outside;
    const qkv__node *inside; /* indices: the set that it is one of; NULL: any */
    bool distinct;           /* indices: from those of the same statement */

    bool orthogonal;       /* families: by unit vectors at right angles, times the norm */
    bool spherical;        /* families: unit vectors at any angles, times the norm; see below */
    const qkv__node *norm; /* NULL: 1 for orthogonal families, any for others */
    const qkv__node *dimension;
    const char *const *names; /* of the members; NULL: numbers */
    bool holds_values;        /* declared as values: of a width of their own */

    bool shown; /* the claim depends on it */

    size_t rows, columns, offset; /* in this case */
    bool axes;                    /* a family at right angles too large for slots: unit vectors */
} qkv__unknown;

static inline size_t qkv__unknown_slots(const qkv__unknown *unknown)
{
    return unknown->axes ? 0 : unknown->rows * unknown->columns;
}

/*
 * The slots of a spherical family hold no coordinates: all but the last of a row are the point t
 * that stereographic projection takes to the unit vector (2t, +-(1 - |t|^2))/(1 + |t|^2), and the
 * last is the sign. So every choice of rationals is a unit vector, exactly, and may be changed
 * freely.
 */

typedef struct qkv__replay_premise {
    const qkv__node *node;
    size_t position;
    uint64_t unknowns; /* a bit each, of those it depends on */
} qkv__replay_premise;

/* A name bound within an expression. */
typedef struct qkv__local {
    const char *name;
    const qkv__case_value *value; /* NULL: an index */
    size_t member, count;         /* an index: which, from 0, and of how many */
    bool number;                  /* an index that may stand for its number */
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

/* as beta -> inf, as beta -> -inf, as t -> 0 */
typedef struct qkv__replay_limit {
    const qkv__node *node;
    int unknown; /* the parameter */
    bool infinite;
    bool down; /* to -inf */
    qkv__rational point;
} qkv__replay_limit;

/* A long list of numbers or a file, as it was read. */
typedef struct qkv__replay_table {
    const qkv__node *node;
    bool flat; /* one row of numbers */
    size_t rows, columns;
    qkv__real *entry;
} qkv__replay_table;

/* The draw at hand: random numbers that are a function of a seed, or the first two on a grid and
 * the others 0. */
typedef struct qkv__replay_draw {
    uint64_t seed;
    bool grid;
    double at[2];
    size_t live_count;
    uint64_t live[QKV__REPLAY_LIVE]; /* those that made a difference, in order */
    int depth;                       /* of P in P */
    bool is_first;                   /* and nothing is drawn around it: its laws are kept */
    size_t law_count;
} qkv__replay_draw;

/* Mean and spread of a key: the same in all draws of a case. The spread times independent normal
 * numbers is the noise: a number times the identity, or a triangular matrix. */
typedef struct qkv__replay_law {
    size_t statement, member;
    qkv__case_value mean, spread;
} qkv__replay_law;

/* Reads file("keys.npy"), relative to the document; NULL where that fails. */
typedef qkv__grid *qkv__replay_reader(void *files, const qkv__node *call, bool *flat);

typedef struct qkv__replay {
    qkv__replay_reader *read_file; /* given by who makes the replay; NULL: no file is read */
    void *files;
    size_t table_count;
    qkv__replay_table table[QKV__REPLAY_TABLES];

    qkv__place place; /* of the claim in the document, given as well; unset: the proposition's */
    const qkv__statement *answers; /* given: x = ..., put in for names wherever they stand */
    size_t answer_count;           /* they stand behind all other statements */
    bool existential;              /* something is said to exist */
    bool generic;                  /* given: values are in general position */
    bool near_at_all;              /* given: ~ alone means within 1e-9 */
    bool far_sizes;                /* given: cases may have thousands of keys */
    bool proves;                   /* given: a proof is tried */
    bool on_line;                  /* the vectors of the case at hand are on one line */
    bool growing;                  /* given: the limit is in a size, and families grow with it */

    const qkv__node *proposition;
    const qkv__node *tolerance; /* within ...; NULL: none */
    qkv__arena arena;           /* lives as long as the replay */

    size_t statement_count;
    const qkv__statement *statement[QKV__REPLAY_STATEMENTS]; /* in order, those of blocks too */
    size_t unknown_count;
    qkv__unknown unknown[QKV__UNKNOWNS];
    size_t premise_count;
    qkv__replay_premise premise[QKV__REPLAY_PREMISES];
    size_t limit_count;
    qkv__replay_limit limit[QKV__REPLAY_LIMITS]; /* in order */
    size_t members;                              /* that quantifiers ran over in this case */
    bool without_premises;                       /* none is taken, of the problem or of the claim */
    bool has_dimension; /* some family declares one, which all values share, or all others */
    size_t listed[2];   /* the width of all keys, or values, that are listed; 0: none, or several */
    size_t width_count;
    size_t width[QKV__REPLAY_WIDTHS]; /* of vectors that are written out */

    uint64_t seed, counter;
    size_t dimension, value_dimension; /* of vectors that say nothing of theirs */
    size_t slot_count;
    qkv__rational slot[QKV__REPLAY_SLOTS];

    qkv__bench bench;
    bool known[QKV__REPLAY_STATEMENTS]; /* definitions evaluated in this case */
    qkv__case_value value[QKV__REPLAY_STATEMENTS];
    bool unknown_known[QKV__UNKNOWNS];
    qkv__case_value unknown_value[QKV__UNKNOWNS];

    int directions; /* in which unknowns move: derivatives around the expression at hand */
    bool random;    /* the claim speaks of random keys */
    bool chance;    /* by way of P, E, Var or Cov */
    bool drawn;     /* and of the draw at hand */
    bool is_random[QKV__REPLAY_STATEMENTS]; /* its value changes from draw to draw */
    size_t condition_count;
    qkv__replay_premise condition[QKV__REPLAY_LIMITS]; /* premises that do */
    qkv__replay_draw draw;
    qkv__replay_law law[QKV__REPLAY_LAWS];
    int effort;             /* in draws: 0 the least */
    qkv__bench_place floor; /* what a new case does not take back */
    const void *path;       /* of limit.c, while one is walked; else NULL */
    size_t recalled_count;  /* probabilities of a limit, along the path at hand */
    struct {
        const qkv__node *node;
        double middle, error;
    } recalled[QKV__REPLAY_LIMITS];

    int certain;  /* of the claim that was judged last: 1 true, -1 false, 0 not known */
    double blur;  /* then: by how much numbers, which may be equal, may differ, relative to them */
    bool vacuous; /* some premise of an implication did not hold for certain */
    bool given;   /* all premises held for certain */
    qkv__comparison_seen seen;
} qkv__replay;

/* Those of the document and the answers behind them. */
static inline size_t qkv__replay_statements(const qkv__replay *replay)
{
    return replay->statement_count + replay->answer_count;
}

/* Where an expression stands: which statements and which bound names it sees. */
typedef struct qkv__scene {
    qkv__replay *replay;
    const qkv__local *locals;
    size_t position;
    int depth;
} qkv__scene;

/* ---- read.c ------------------------------------------------------------------------- */

/* Reads the claim and all it depends on; false when it is not of a kind that can be tried. */
bool qkv__replay_read(qkv__replay *replay, const qkv__statement *first,
                      const qkv__node *proposition, const qkv__circumstances *circumstances);

/* A limit more: a parameter grows without bound, once all other limits are taken. */
bool qkv__replay_grow(qkv__replay *replay, const char *name);

/* ---- evaluate.c, call.c ------------------------------------------------------ */

void qkv__replay_begin_case(qkv__replay *replay); /* forgets what was evaluated */
bool qkv__replay_evaluate(qkv__scene *scene, const qkv__node *node, qkv__case_value *value);
bool qkv__replay_call(qkv__scene *scene, const qkv__node *node, qkv__case_value *value);
bool qkv__replay_unknown_value(qkv__scene *scene, int unknown, qkv__case_value *value);
/* Entry i of an unknown, from its slots, before it is multiplied by the norm. */
void qkv__replay_entry(const qkv__replay *replay, const qkv__unknown *unknown, size_t i,
                       qkv__real *entry);
bool qkv__replay_number(qkv__scene *scene, const qkv__node *node, qkv__rational *number);

/* The member, from 0, that an index expression names in a set of so many (with names, or NULL). */
bool qkv__replay_member(qkv__scene *scene, const qkv__node *node, const char *const *names,
                        size_t count, size_t *member);

/* The number of a member that an index stands for, or a whole number as it is written; false for
 * anything else. */
bool qkv__replay_index_number(const qkv__scene *scene, const qkv__node *node, int64_t *number);

/* i < j, i != 2: whether indexes are compared, by their numbers. */
bool qkv__replay_compares_indexes(const qkv__scene *scene, const qkv__node *node, int64_t *left,
                                  int64_t *right);

/* Members that a bound index runs over: i in 1..n, i not in {a, b}, i != j, where `body` uses it.
 * `in` holds `count` flags. */
bool qkv__replay_domain(qkv__scene *scene, const qkv__node *domain, const qkv__node *body,
                        size_t *count, const bool **in);

/* ---- derivative.c ---------------------------------------------------------------------------- */

/* d(x, t) and grad(x, q). */
bool qkv__replay_derivative(qkv__scene *scene, const qkv__node *node, qkv__case_value *value);

/* ---- chance.c -------------------------------------------------------------------------------- */

/* Coordinate `at` of the standard normal noise of a member that a statement declares, in the draw
 * at hand. Which numbers matter is noted. */
double qkv__replay_noise(qkv__replay *replay, size_t statement, size_t member, size_t at);
bool qkv__replay_chance(qkv__scene *scene, const qkv__node *node, qkv__case_value *value);

/* ---- draw.c ---------------------------------------------------------------------------------- */

/* What the statements up to the last one declare as random by this name, in the draw at hand. */
bool qkv__replay_draw_value(qkv__scene *scene, const char *name, size_t last,
                            qkv__case_value *value);

/* ---- table.c --------------------------------------------------------------------------------- */

void qkv__replay_free(qkv__replay *replay);

/* How many numbers are in a row of a file; 0: that is not known. */
size_t qkv__replay_file_width(qkv__replay *replay, const qkv__node *call);

/* A list of many numbers, or a call of file. */
bool qkv__replay_table_value(qkv__scene *scene, const qkv__node *node, qkv__case_value *value);

/* ---- judge.c ------------------------------------------------------------------------ */

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
qkv__judgement qkv__replay_judge(qkv__replay *replay, double *margin);

/* Judges a claim about limits along a path, everything else as in the slots. What it says is seen,
 * not proved. */
qkv__judgement qkv__replay_judge_limit(qkv__replay *replay);

/* A premise, and the event of a P, where they stand. */
bool qkv__replay_judge_premise(qkv__scene *scene, const qkv__node *node, qkv__truth *truth);
bool qkv__replay_judge_event(qkv__scene *scene, const qkv__node *node, int *certain);
/* The same in a limit, along the path that is being walked. */
bool qkv__replay_judge_along(qkv__scene *scene, const qkv__node *node, int *certain);
/* Whether an event is one of the limit, not of the points on the way. */
bool qkv__replay_is_limit_event(const qkv__replay *replay, const qkv__node *node);

/* One proposition where it stands. */
bool qkv__replay_judge_node(qkv__scene *scene, const qkv__node *node, qkv__truth *truth);

/* 1 where all premises hold for certain, -1 where one does not, 0 where that is not known, and
 * QKV__SIGN_OPEN where one has no value. */
int qkv__replay_judge_premises(qkv__replay *replay);

/* Whether the premises hold for certain that depend on no other than these unknowns. */
bool qkv__replay_premises_hold(qkv__replay *replay, uint64_t unknowns, uint64_t at_least_one_of);

/* ---- none.c ------------------------------------------------------------------------- */

/* Whether nothing at all is such as `exists` says, for certain. */
bool qkv__replay_judge_none(const qkv__scene *scene, const qkv__node *exists);

/* ---- hull.c ------------------------------------------------------------------------- */

bool qkv__replay_judge_hull(qkv__bench *bench, const qkv__case_value *x,
                            const qkv__case_value *family, qkv__truth *truth);

#endif
