/*
 * The contract between the sampler and its kernels. A plan is a checked model, brought into the
 * form that a sample is computed from; a workspace holds a block of samples, a row of numbers for
 * each thing computed; a kernel fills the rows and adds them up. Kernels differ in the instructions
 * they use and agree in every bit. They never allocate and cannot fail.
 *
 * A block is up to `block` samples, a multiple of QKV__LAB_COLUMNS, lying side by side in each row.
 * Sums are kept in QKV__LAB_COLUMNS columns: the sample at place x of its chunk goes into column
 * x mod QKV__LAB_COLUMNS, whatever the number of lanes.
 */
#ifndef QKV_LAB_SAMPLE_H
#define QKV_LAB_SAMPLE_H

#include <qkv/lab.h>

#include "base/arena.h"

enum {
    QKV__LAB_COLUMNS = 8,
    QKV__LAB_CHUNK = 1024, /* samples whose sums are closed and merged in order */
    QKV__LAB_STREAM_SCORES = 0,
    QKV__LAB_STREAM_KEYS = 1,
};

/* How a full key is made from its d normal numbers z. */
typedef enum qkv__lab_key_form {
    QKV__LAB_KEY_STRETCH,  /* mu + root z + along (mu . z) mu */
    QKV__LAB_KEY_DIAGONAL, /* mu_r + factor_r z_r */
    QKV__LAB_KEY_MATRIX,   /* mu + factor z, factor being d x d */
} qkv__lab_key_form;

typedef struct qkv__lab_key {
    qkv__lab_key_form form;
    double root, along;
    const double *factor;
} qkv__lab_key;

/* An inequality with the zero coefficients left out, and turned around to < or <=. */
typedef qkv_lab_condition qkv__lab_inequality;
typedef qkv_lab_conditions qkv__lab_event;

typedef struct qkv__lab_plan {
    size_t keys, heads, width, outputs;
    uint64_t seed;

    /* Scores: score h n + i is score_mean plus, for t from factor_start[h n + i] to the next, the
     * sum of factor_value[t] times normal number factor_normal[t]. */
    size_t normals; /* a sample */
    const double *score_mean;
    const size_t *factor_start, *factor_normal;
    const double *factor_value;

    /* Full keys; used where full_keys is set. */
    bool full_keys, shared;
    bool in_place;           /* entries of a key overwrite its normal numbers */
    const double *means;     /* n x d */
    const double *queries;   /* H x d */
    const qkv__lab_key *key; /* n */
    const double *mean_norm; /* n */

    const double *values; /* n x outputs, or NULL for the identity */

    size_t quantities;
    const qkv_lab_quantity *quantity; /* with numbers of our own */
    const double *range_low, *range_high;
    const double *origin; /* sums are of (quantity - origin): its value where there is no noise */
    bool covariance;
    size_t events;
    const qkv__lab_event *event;
    const qkv__lab_event *given; /* or NULL */

    /* What must be computed. */
    bool needs_scores, needs_weights, needs_mean, needs_output;
    size_t block; /* samples a block holds */
} qkv__lab_plan;

/* Rows are `block` numbers long. */
typedef struct qkv__lab_workspace {
    double *memory;
    double *normal; /* normals; with full keys: d, of one key */
    double *entry;  /* full keys: d, of one key */
    double *score;  /* H n */
    double *
        weight; /* H n: powers, then weights; the scores' own rows where no one needs those later */
    double *share;           /* H: what makes weights of powers */
    double *mean;            /* n: weights averaged over heads; the weights' rows for one head */
    double *output;          /* outputs; the mean's rows where values are the identity */
    double *derived;         /* quantities that are no row of the above */
    double *centred;         /* quantities less their origin; 0 for samples not accepted */
    double *accepted;        /* one row of 0 and 1 */
    const double **quantity; /* where each quantity's row lies */
    double *columns;         /* the sums: qkv__lab_sum_count() x QKV__LAB_COLUMNS */
} qkv__lab_workspace;

/*
 * Sums of a chunk, in this order: accepted; events; sums of the centred quantities; least;
 * greatest; sums of products of centred quantities j <= k, row after row, or of the squares alone.
 */
static inline size_t qkv__lab_sum_event(size_t event)
{
    return 1 + event;
}

static inline size_t qkv__lab_sum_first(const qkv__lab_plan *plan)
{
    return 1 + plan->events;
}

static inline size_t qkv__lab_sum_least(const qkv__lab_plan *plan)
{
    return qkv__lab_sum_first(plan) + plan->quantities;
}

static inline size_t qkv__lab_sum_greatest(const qkv__lab_plan *plan)
{
    return qkv__lab_sum_least(plan) + plan->quantities;
}

/* Where the product of quantities j <= k is; without covariances j = k. */
static inline size_t qkv__lab_sum_product(const qkv__lab_plan *plan, size_t j, size_t k)
{
    size_t count = plan->quantities, start = qkv__lab_sum_greatest(plan) + count;
    return plan->covariance ? start + j * count - j * (j + 1) / 2 + k : start + j;
}

static inline size_t qkv__lab_sum_count(const qkv__lab_plan *plan)
{
    size_t count = plan->quantities;
    return qkv__lab_sum_greatest(plan) + count +
           (plan->covariance ? count * (count + 1) / 2 : count);
}

typedef struct qkv__lab_kernel {
    const char *name;

    /* Normal numbers 2 p and 2 p + 1 of samples first ... first + count - 1 into rows 2 p and
     * 2 p + 1 of `rows`, for p < pairs; they are those of Philox counters (sample, start + p,
     * stream). count is a multiple of QKV__LAB_COLUMNS; rows are `stride` apart. */
    void (*normals)(uint64_t seed, uint32_t stream, uint32_t start, uint64_t first, size_t count,
                    size_t pairs, size_t stride, double *rows);

    /* e^x, for x <= 0. */
    void (*exponentials)(size_t count, const double *x, double *results);

    /* Quantities of samples first ... first + count - 1, count <= block, into the rows. What lies
     * behind them up to the next multiple of QKV__LAB_COLUMNS is overwritten. */
    void (*fill)(const qkv__lab_plan *plan, const qkv__lab_workspace *space, uint64_t first,
                 size_t count);

    /* Adds the first `count` samples of the block, which begins at a multiple of QKV__LAB_COLUMNS
     * of its chunk, to the columns, and marks in `accepted` which of them counted. */
    void (*add)(const qkv__lab_plan *plan, const qkv__lab_workspace *space, size_t count);
} qkv__lab_kernel;

extern const qkv__lab_kernel qkv__lab_kernel_portable;
#if defined(QKV_HAVE_LAB_X86)
extern const qkv__lab_kernel qkv__lab_kernel_avx2;
extern const qkv__lab_kernel qkv__lab_kernel_avx512;
#endif

/* The kernel of that name, NULL for the fastest that this CPU runs. */
qkv_status qkv__lab_kernel_find(const char *name, const qkv__lab_kernel **kernel, qkv_error *error);

/* Checks model and options and makes the plan in the arena. */
qkv_status qkv__lab_plan_make(const qkv_lab_model *model, const qkv_lab_options *options,
                              qkv__arena *arena, qkv__lab_plan *plan, qkv_error *error);

qkv_status qkv__lab_workspace_make(const qkv__lab_plan *plan, qkv__lab_workspace *space,
                                   qkv_error *error);
void qkv__lab_workspace_free(qkv__lab_workspace *space);

#endif
