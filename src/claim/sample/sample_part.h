/*
 * What the files of the sample engine share. A random problem at numbers is a model of the lab's
 * (qkv/lab.h): keys 0 .. n - 1 are the marks of the index set in order, then the rest, one by one.
 * What is asked of a sample is a program: steps on columns of numbers, one row per sample. What is
 * asked of the law, P, E, Var and Cov, is estimated from the steps' columns by confidence
 * sequences.
 */
#ifndef QKV_CLAIM_SAMPLE_PART_H
#define QKV_CLAIM_SAMPLE_PART_H

#include <qkv/lab.h>

#include "claim/chance/chance.h"
#include "claim/model/evaluate.h"

enum {
    QKV__SAMPLE_HEADS = 32,
    QKV__SAMPLE_STEPS = 1 << 13,
    QKV__SAMPLE_ESTIMATES = 64,
    QKV__SAMPLE_KEYS = 1024,
    QKV__SAMPLE_ROWS = 1024, /* in a batch at most */
};

/* ---- The problem --------------------------------------------------------------------------- */

/* An index of the sum or the claim around an expression: the name and which key it is. */
typedef struct qkv__sample_index {
    const char *name;
    size_t key;
    const struct qkv__sample_index *next;
} qkv__sample_index;

/* A problem under way. */
typedef struct qkv__sample {
    qkv__arena arena; /* holds what the fields below point to */
    qkv__situation *s;
    int line; /* definitions up to here count */

    const char *family;       /* of the keys */
    const qkv__vectors *keys; /* as declared */
    size_t count, width;      /* n and d */
    bool has_width;           /* the document says what d is; else n does for scores */
    const qkv__family *means; /* what keys and queries are combinations of */
    double shape[2];          /* mean i has coordinates shape[0] at i, and shape[1] everywhere */
    double *centre;           /* n x d: the keys' means */
    qkv_lab_noise *noise;     /* n */
    bool axes;                /* the keys' means are the axes */

    size_t head_count;
    double *query[QKV__SAMPLE_HEADS]; /* d coordinates each */
    bool full_keys;                   /* norms are asked for */

    size_t quantity_count, quantity_capacity;
    qkv_lab_quantity *quantity;

    size_t step_count, step_capacity;
    struct qkv__sample_step *step;

    const qkv__binding *locals;
    const qkv__sample_index *indices;
    int given; /* the event that all the claim is conditional on; -1: none */

    size_t estimate_count;
    struct qkv__sample_estimate *estimate; /* QKV__SAMPLE_ESTIMATES of them */

    char trouble[192]; /* why it cannot be sampled */
} qkv__sample;

/* Finds the random keys and what is known of them; false with the trouble. */
bool qkv__sample_begin(qkv__sample *sample, qkv__situation *s, int line);
void qkv__sample_end(qkv__sample *sample);

/* Says why, once; false, so that a caller can return it. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool qkv__sample_fail(qkv__sample *sample, const char *format, ...);

/* A ratio that is a number under the conditions. */
bool qkv__sample_number(qkv__sample *sample, qkv__ratio ratio, double *number);

/* A vector by its coefficients on a family over the keys' set; `own` is the key that the unmarked
 * index stands for, or -1. Adds to n numbers. */
bool qkv__sample_coefficients(qkv__sample *sample, const qkv__vector *vector,
                              const qkv__family *family, ptrdiff_t own, double *coefficients);

/* The head with a query that is a combination of the means, times a scale; -1 with the trouble. */
int qkv__sample_head(qkv__sample *sample, const qkv__vector *query, double scale);

/* Whether a node is one of the keys, such as k[a]. */
bool qkv__sample_key(qkv__sample *sample, const qkv__node *node, size_t *key);

/* The key that an index node stands for. */
bool qkv__sample_member(qkv__sample *sample, const qkv__node *node, size_t *key);

/* ---- Programs ------------------------------------------------------------------------------ */

typedef enum qkv__sample_operation {
    QKV__SAMPLE_CONSTANT,
    QKV__SAMPLE_QUANTITY, /* of the lab's */
    QKV__SAMPLE_ADD,
    QKV__SAMPLE_SUBTRACT,
    QKV__SAMPLE_MULTIPLY,
    QKV__SAMPLE_DIVIDE,
    QKV__SAMPLE_LEAST,
    QKV__SAMPLE_GREATEST,
    QKV__SAMPLE_SIZE,
    QKV__SAMPLE_ROOT,
    QKV__SAMPLE_EXPONENTIAL,
    QKV__SAMPLE_LOGARITHM,
    /* Events are 1 where they happen, 0 where they do not, and 1/2 where rounding leaves it open;
     * LEAST is `and`, GREATEST `or`, 1 - x `not`. */
    QKV__SAMPLE_BELOW, /* left < right, and <= : the line between has no probability, or is open */
    QKV__SAMPLE_EQUAL,
} qkv__sample_operation;

typedef struct qkv__sample_step {
    qkv__sample_operation operation;
    int left, right;
    double number;    /* CONSTANT */
    size_t quantity;  /* QUANTITY */
    double low, high; /* where the numbers lie */
} qkv__sample_step;

/* A step that does this to two others; -1 with the trouble. */
int qkv__sample_apply(qkv__sample *sample, qkv__sample_operation operation, int left, int right);
int qkv__sample_constant(qkv__sample *sample, double number);
int qkv__sample_quantity(qkv__sample *sample, qkv_lab_kind kind, size_t key, size_t head);

/* The column of a number, an event, and a vector (n steps: coefficients on orthogonal values, whose
 * square is *square); -1 or false with the trouble. */
int qkv__sample_expression(qkv__sample *sample, const qkv__node *node);
int qkv__sample_event(qkv__sample *sample, const qkv__node *node);
bool qkv__sample_vector(qkv__sample *sample, const qkv__node *node, int *steps, double *square);

/* Runs the program on rows of quantities: step i's numbers begin at
 * columns[i * QKV__SAMPLE_ROWS]. */
void qkv__sample_run(const qkv__sample *sample, const double *rows, size_t count, double *columns);

/* ---- Results of attention ------------------------------------------------------------------ */

enum { QKV__SAMPLE_PARTS = 16 };

/* A mean of heads, flat: shares that sum to 1. */
typedef struct qkv__sample_result {
    size_t count;
    struct {
        int head;
        double share;
        const qkv__vectors *values;
    } part[QKV__SAMPLE_PARTS];
} qkv__sample_result;

/* Whether an expression is a result: a call, or a name that was defined as one. */
bool qkv__sample_is_result(qkv__sample *sample, const qkv__node *node);
bool qkv__sample_result_of(qkv__sample *sample, const qkv__node *node, qkv__sample_result *result);

/* The weight of a key. */
int qkv__sample_weight(qkv__sample *sample, const qkv__sample_result *result, size_t key);

/* ---- Estimates ----------------------------------------------------------------------------- */

/* P, E, Var or Cov of steps. */
typedef struct qkv__sample_estimate {
    const qkv__node *call;
    char kind;        /* P, E, V, C; W: the variance of a vector */
    int x, y;         /* steps; y for C alone */
    int given;        /* an event, or -1 */
    size_t entries;   /* W: how many ... */
    const int *entry; /* ... steps */
    double square;    /* W: of a value */
} qkv__sample_estimate;

/* The estimate of a call of P, E, Var or Cov, made when first met; -1 with the trouble. */
int qkv__sample_estimate_of(qkv__sample *sample, const qkv__node *call);

/* The first name that is drawn otherwise than keys around means are: those are not sampled. NULL:
 * there is none. */
const char *qkv__sample_stranger(const qkv__statement *first);

/* What is drawn so far. */
typedef struct qkv__sample_tally qkv__sample_tally;

typedef struct qkv__sample_run_options {
    uint64_t seed;
    double error;     /* of all intervals together */
    size_t threads;   /* 0: all cores */
    uint64_t samples; /* at most; 0: as many as fit into about a second */
    /* Asked now and then, at the same numbers of samples whatever the threads; false stops. */
    bool (*proceed)(void *context, const qkv__sample_tally *tally, uint64_t total);
    void *context;
    const qkv_lab_team *team; /* NULL: alone */
} qkv__sample_run_options;

/* Draws, and keeps what the estimates need. NULL: no memory, or the lab refuses: the trouble. */
qkv__sample_tally *qkv__sample_draw(qkv__sample *sample, const qkv__sample_run_options *options);
void qkv__sample_tally_free(qkv__sample_tally *tally); /* NULL is fine */

/* A lab sampler of the problem's quantities; the caller frees it. NULL with the trouble. */
qkv_lab_sampler *qkv__sample_lab(qkv__sample *sample, uint64_t seed);

uint64_t qkv__sample_drawn(const qkv__sample_tally *tally);

/* Where an estimate lies, given all samples so far; the whole line when nothing is known. */
qkv_lab_interval qkv__sample_interval(const qkv__sample_tally *tally, size_t estimate);

/* The plain estimate: the mean, the share, the variance. NaN without samples. */
double qkv__sample_plain(const qkv__sample_tally *tally, size_t estimate);

#endif
