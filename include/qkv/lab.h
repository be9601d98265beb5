/*
 * The lab: attention over random keys.
 *
 * Keys are random, k_i ~ N(mu_i, Sigma_i) for i = 1 ... n in d dimensions; heads h = 1 ... H have
 * queries q_h; and
 *
 *     a_i^(h) = softmax over i of  k_i . q_h,      c^(h) = sum_i a_i^(h) v_i,
 *     c = (c^(1) + ... + c^(H)) / H.
 *
 * Scores are not scaled: this is the textbook's attention. Ten keys with orthonormal means, the
 * first of uncertain length, and two heads, one per key for the first two keys:
 *
 *     double queries[2][10] = {{10, 0}, {0, 10}};                     // 10 mu_1, 10 mu_2
 *     qkv_lab_noise noises[10] = {{.stretch = 0.5}};                  // Sigma_1 = mu_1 mu_1' / 2
 *     qkv_lab_model model = qkv_lab_model_default();
 *     model.keys = 10;
 *     model.heads = 2;
 *     model.coefficients = &queries[0][0];
 *     model.noises = noises;
 *
 *     qkv_lab_sampler *sampler = NULL;
 *     qkv_error error;
 *     if (qkv_lab_sampler_create(&model, NULL, &sampler, &error) != QKV_OK) ...
 *     if (qkv_lab_sampler_run(sampler, 1000000, &error) != QKV_OK) ...
 *     qkv_lab_summary first = qkv_lab_sampler_summary(sampler, 0);    // first entry of c
 *     printf("%g +- %g\n", first.mean, sqrt(first.variance));
 *     qkv_lab_sampler_free(&sampler);
 *
 * Scores are sampled, not keys: the scores of a key under H heads are jointly normal, so a sample
 * costs at most n H normal numbers, whatever d is. Sample number i is a function only of the model,
 * the seed and i: its bits do not depend on threads, on the CPU's instruction set, or on how many
 * samples are drawn at a time, and neither do the bits of the statistics.
 *
 * Sections below: the model; quantities and events; the sampler; confidence sequences.
 */
#ifndef QKV_LAB_H
#define QKV_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <qkv/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The model ---------------------------------------------------------------------------- */

typedef enum qkv_lab_noise_kind {
    QKV_LAB_NOISE_STRETCH = 0,  /* Sigma = alpha I + stretch mu mu' */
    QKV_LAB_NOISE_DIAGONAL = 1, /* Sigma = diag(entries), d numbers >= 0 */
    QKV_LAB_NOISE_MATRIX = 2,   /* Sigma = entries, d x d, symmetric and positive semidefinite */
} qkv_lab_noise_kind;

/* The covariance of a key. All zero: the key equals its mean. */
typedef struct qkv_lab_noise {
    qkv_lab_noise_kind kind;
    double alpha;          /* >= 0 */
    double stretch;        /* may be negative as long as alpha + stretch |mu|^2 >= 0 */
    const double *entries; /* for the other kinds; read only during the call */
} qkv_lab_noise;

/*
 * Take a struct from qkv_lab_model_default() and fill it in. Matrices are stored row by row. The
 * arrays are read while a sampler is created, and not kept.
 */
typedef struct qkv_lab_model {
    size_t struct_size; /* set by qkv_lab_model_default(): lets the struct grow */

    size_t keys;         /* n >= 1 */
    size_t width;        /* d; 0 means n if means is NULL */
    const double *means; /* n x d; NULL: orthonormal, mean i is axis i, which needs n <= d */

    qkv_lab_noise noise;         /* of every key, ... */
    const qkv_lab_noise *noises; /* ... unless this gives n of them. NULL */

    /*
     * false: keys are independent. true: all share one standard normal vector z of d entries,
     * k_i = mu_i + Sigma_i^(1/2) z with the symmetric root.
     */
    bool shared;

    size_t heads;               /* H; 0 means 1 */
    const double *queries;      /* H x d, or instead ... */
    const double *coefficients; /* ... H x n: q_h = sum_i coefficient_hi mu_i */

    const double *values; /* n x m; NULL: the identity, so that c is the vector of weights */
    size_t value_width;   /* m; only with values */
} qkv_lab_model;

QKV_API qkv_lab_model qkv_lab_model_default(void);

/* ---- Quantities and events ------------------------------------------------------------------ */

typedef enum qkv_lab_kind {
    QKV_LAB_OUTPUT = 0, /* entry `index` of c */
    QKV_LAB_WEIGHT = 1, /* the weight of key `index` in head `head` */
    QKV_LAB_SCORE = 2,  /* k_index . q_head */
    QKV_LAB_ERROR = 3,  /* |c - target|^2; the target is `numbers`: m of them (n without values) */
    QKV_LAB_COMBINATION = 4, /* sum of numbers[j] times quantity j, over the quantities before it */
    QKV_LAB_PRODUCT = 5,     /* quantity `index` times quantity `other`, both before it */
    QKV_LAB_KEY_NORM = 6,    /* |k_index|; needs full keys */
    QKV_LAB_KEY_COSINE = 7,  /* of the angle between k_index and its mean; needs full keys. 0 if
                                one of the two is 0 */
} qkv_lab_kind;

#define QKV_LAB_ALL_HEADS ((size_t)-1) /* as a head of QKV_LAB_WEIGHT: the mean over heads */

/* A number computed from every sample, with statistics. Indexes count from 0. */
typedef struct qkv_lab_quantity {
    qkv_lab_kind kind;
    size_t index, head, other;
    const double *numbers;

    /* A histogram: `bins` equal bins from `low` to `high`, and counts of the numbers below, and at
     * or above. 0 bins: none. */
    size_t bins;
    double low, high;

    bool quantiles; /* keep counts for qkv_lab_sampler_quantile(): half a megabyte per thread */
} qkv_lab_quantity;

typedef enum qkv_lab_relation {
    QKV_LAB_LESS = 0,
    QKV_LAB_LESS_OR_EQUAL = 1,
    QKV_LAB_GREATER = 2,
    QKV_LAB_GREATER_OR_EQUAL = 3,
} qkv_lab_relation;

/* sum_j coefficients[j] * quantity j  (relation)  bound. As many coefficients as quantities. */
typedef struct qkv_lab_inequality {
    const double *coefficients;
    qkv_lab_relation relation;
    double bound;
} qkv_lab_inequality;

/* The event that all of its inequalities hold. Without any, it always happens. */
typedef struct qkv_lab_event {
    size_t count;
    const qkv_lab_inequality *inequalities;
} qkv_lab_event;

/* ---- The sampler ---------------------------------------------------------------------------- */

/* Called between pieces of work, on the calling thread; false stops the run. */
typedef bool (*qkv_lab_progress)(uint64_t done, uint64_t total, void *context);

/*
 * Processes that draw together: all create the same sampler and make the same calls, each computes
 * its share of the samples, and all get the statistics of all of them, with the bits of one
 * process. libqkv_mpi makes teams of the ranks of MPI (mpi.h).
 */
typedef struct qkv_lab_team {
    size_t members; /* at least 1 */
    size_t number;  /* of this process, from 0 */

    /* parts: members parts of `bytes` bytes each, of which this process has filled in its own, part
     * number `number`. Fills in the others; false if that cannot be done. */
    bool (*gather)(void *parts, size_t bytes, void *context);
    void *context;
} qkv_lab_team;

/* Take a struct from qkv_lab_options_default(). Zero means the default, given after the field. */
typedef struct qkv_lab_options {
    size_t struct_size;

    uint64_t seed;  /* 0 is as good as any */
    bool full_keys; /* false. true: draw keys entry by entry, n d normal numbers per sample, for
                       quantities of keys and for checking; the samples are different ones */

    size_t quantity_count; /* 0: the entries of c, in order */
    const qkv_lab_quantity *quantities;
    bool no_covariance; /* false. true: only variances; saves time for many quantities */

    size_t event_count;
    const qkv_lab_event *events;
    const qkv_lab_event *given; /* NULL. Otherwise every statistic is conditional on this event */

    double error; /* 1e-6: failure probability of each confidence interval */

    const char *kernel;        /* NULL: the fastest; or a name from qkv_lab_kernel_name() */
    int threads;               /* 0: one per core that this process may use; at most 256 */
    qkv_lab_progress progress; /* NULL */
    void *context;             /* passed to progress */

    /* NULL: this process draws alone. Otherwise the team lives as long as the sampler; if progress
     * stops one process, all stop. No quantity may have a histogram or quantiles. */
    const qkv_lab_team *team;
} qkv_lab_options;

QKV_API qkv_lab_options qkv_lab_options_default(void);

typedef struct qkv_lab_sampler qkv_lab_sampler;

/* Checks the model and prepares; options may be NULL. The caller frees the sampler. */
QKV_API qkv_status qkv_lab_sampler_create(const qkv_lab_model *model,
                                          const qkv_lab_options *options, qkv_lab_sampler **sampler,
                                          qkv_error *error);

QKV_API void qkv_lab_sampler_free(qkv_lab_sampler **sampler);

/*
 * Draws `count` more samples into the statistics. Two runs of 500 give the same bits as one of
 * 1000. If progress stops it, the statistics cover the samples drawn so far, and the call succeeds;
 * see qkv_lab_sampler_drawn().
 */
QKV_API qkv_status qkv_lab_sampler_run(qkv_lab_sampler *sampler, uint64_t count, qkv_error *error);

/*
 * Writes samples first to first + count - 1 as rows of one number per quantity (count x quantities)
 * and changes no statistics. The condition `given` is not applied.
 */
QKV_API qkv_status qkv_lab_sampler_draw(qkv_lab_sampler *sampler, uint64_t first, size_t count,
                                        double *rows, qkv_error *error);

/* The sum of coefficient[t] times quantity number quantity[t] is below `bound`, or at most that. */
typedef struct qkv_lab_condition {
    size_t terms;
    const size_t *quantity;
    const double *coefficient;
    double bound;
    bool strict;
} qkv_lab_condition;

/* All of them hold. */
typedef struct qkv_lab_conditions {
    size_t count;
    const qkv_lab_condition *inequalities;
} qkv_lab_conditions;

/*
 * The data from which a sample is computed, for code that computes samples elsewhere, such as
 * libqkv_cuda (cuda.h). Score h keys + i of a sample is its score_mean plus, for t from
 * factor_start[h keys + i] to the next, the sum of factor_value[t] times normal number
 * factor_normal[t]. All of it belongs to the sampler and lives as long as the sampler.
 */
typedef struct qkv_lab_tables {
    size_t struct_size;
    uint64_t seed;
    size_t keys, heads, outputs;
    size_t normals; /* normal numbers per sample */
    bool full_keys; /* keys are drawn, not scores: the fields up to values do not apply */
    const double *score_mean;
    const size_t *factor_start, *factor_normal;
    const double *factor_value;
    const double *values; /* keys x outputs, or NULL for the identity */
    size_t quantities;
    const qkv_lab_quantity *quantity;

    /* For statistics. Sums of a chunk of 1,024 samples are, in this order: samples that satisfied
     * `given`; of these, how many each event has; sums of the quantities less their origins; least;
     * greatest; sums of products of quantities j <= k less their origins, row after row, or,
     * without covariances, of the squares. Sample x of a chunk goes into column x mod 8 of a sum,
     * in order, and the columns are added as ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)). */
    size_t sums;
    bool covariance;
    bool counted; /* there are histograms or quantiles, which sums do not have */
    const double *origin;
    size_t events;
    const qkv_lab_conditions *event, *given; /* given: NULL for none */
} qkv_lab_tables;

QKV_API qkv_lab_tables qkv_lab_sampler_tables(const qkv_lab_sampler *sampler);

/*
 * Takes the sums of the next `chunks` chunks of 1,024 samples into the statistics, computed
 * elsewhere from the tables: chunks x sums numbers, dense. The bits of the statistics are those of
 * qkv_lab_sampler_run. The samples drawn so far must be whole chunks, and no quantity may have a
 * histogram or quantiles.
 */
QKV_API qkv_status qkv_lab_sampler_add_sums(qkv_lab_sampler *sampler, uint64_t chunks,
                                            const double *sums, qkv_error *error);

/* Samples drawn so far, and those of them that satisfied `given`. */
QKV_API uint64_t qkv_lab_sampler_drawn(const qkv_lab_sampler *sampler);
QKV_API uint64_t qkv_lab_sampler_accepted(const qkv_lab_sampler *sampler);

/* The number of quantities; normal numbers per sample; the kernel in use. */
QKV_API size_t qkv_lab_sampler_quantities(const qkv_lab_sampler *sampler);
QKV_API size_t qkv_lab_sampler_normals(const qkv_lab_sampler *sampler);
QKV_API const char *qkv_lab_sampler_kernel(const qkv_lab_sampler *sampler);

typedef struct qkv_lab_summary {
    uint64_t count;        /* accepted samples */
    double mean, variance; /* NaN for fewer than 1 and 2 samples */
    double least, greatest;
    double low, high; /* the mean lies between: a confidence sequence, see below. Infinite
                         if the quantity has no known bounds */
    double range_low, range_high; /* the values that the quantity can take */
} qkv_lab_summary;

/* The summary of a quantity; all NaN if there is no such quantity. */
QKV_API qkv_lab_summary qkv_lab_sampler_summary(const qkv_lab_sampler *sampler, size_t quantity);

/* The sample covariance of two quantities; NaN for fewer than 2 samples, or if not kept. */
QKV_API double qkv_lab_sampler_covariance(const qkv_lab_sampler *sampler, size_t quantity,
                                          size_t other);

/* The number of accepted samples in an event; 0 if there is no such event. */
QKV_API uint64_t qkv_lab_sampler_event(const qkv_lab_sampler *sampler, size_t event);

/* counts: bins + 2 numbers: below, the bins, at or above the upper end. */
QKV_API qkv_status qkv_lab_sampler_histogram(const qkv_lab_sampler *sampler, size_t quantity,
                                             uint64_t *counts, qkv_error *error);

/*
 * The smallest x such that at least `level` (from 0 to 1) of the accepted samples are <= x, with a
 * relative error of at most 2^-10; magnitudes below 2^-40 count as 0, and those from 2^24 give the
 * greatest or least sample. Counts are whole numbers, so nothing depends on the order of samples.
 */
QKV_API qkv_status qkv_lab_sampler_quantile(const qkv_lab_sampler *sampler, size_t quantity,
                                            double level, double *value, qkv_error *error);

/* The kernels that can run on this CPU, fastest first. They give the same bits. */
QKV_API size_t qkv_lab_kernel_count(void);
QKV_API const char *qkv_lab_kernel_name(size_t index); /* NULL past the end */

/* ---- Confidence sequences ----------------------------------------------------------------- */

/*
 * If you watch an interval while samples come in, and let it decide when to stop, a textbook
 * interval is not enough. These hold for all sample sizes simultaneously: with probability at least
 * 1 - error the true value is in every one of the intervals.
 */
typedef struct qkv_lab_interval {
    double low, high;
} qkv_lab_interval;

/*
 * For a probability, from `successes` in `trials` independent trials: the p that a mixture of
 * coins, Beta(1/2, 1/2), does not beat by a factor of 1/error (Robbins 1970). [0, 1] for no trials;
 * NaN for more successes than trials or an error outside (0, 1).
 */
QKV_API qkv_lab_interval qkv_lab_probability_interval(uint64_t successes, uint64_t trials,
                                                      double error);

/*
 * For the mean of independent numbers with known bounds, given batch by batch: an empirical
 * Bernstein bound (Howard, Ramdas, McAuliffe and Sekhon 2021), mixed so that it suits any number of
 * samples. Its width follows the spread of the numbers, not their range. The fields are private.
 */
typedef struct qkv_lab_sequence {
    double range_low, range_high, error;
    double count, mean; /* of all batches */
    double scatter;     /* sum of (x - the estimated mean before x's batch)^2 */
} qkv_lab_sequence;

/* NaN bounds, low > high and an error outside (0, 1) give a sequence whose intervals are NaN. */
QKV_API qkv_lab_sequence qkv_lab_sequence_start(double range_low, double range_high, double error);

/* A batch of `count` more numbers: their mean, and spread = sum of (x - mean)^2. A batch may be a
 * single number. Large first batches cost a little width: they are compared with the range's
 * middle. */
QKV_API void qkv_lab_sequence_add(qkv_lab_sequence *sequence, uint64_t count, double mean,
                                  double spread);

/* Where the mean lies, given all batches so far; within the bounds. */
QKV_API qkv_lab_interval qkv_lab_sequence_interval(const qkv_lab_sequence *sequence);

#ifdef __cplusplus
}
#endif
#endif
