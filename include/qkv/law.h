/*
 * Laws of attention over keys whose length is uncertain.
 *
 * n keys have orthonormal means mu_i. One of them is noisy: it is eps*mu, where eps is normal with
 * mean 1 and variance `noise` (1/2 in the attention exploration assignment). The goal is the
 * average of the values of m wanted keys; m = 1 copies one. There are three designs:
 *
 *     single   one head, q = beta * (sum of the wanted means)
 *     heads    m heads, q_j = beta * mu_j, one per wanted key; their outputs are averaged
 *     immune   one head, q = -beta * (sum of the other means): wanted keys score 0 at any length
 *
 * A head affected by the noise gives the noisy key a logit-normal weight a,
 *
 *     a = sigma(location + scale*Z),      sigma(x) = 1/(1 + e^-x),      Z standard normal,
 *
 * and the rest 1 - a to the other keys in fixed proportions. Everything else follows from a:
 *
 *     qkv_law_options options = qkv_law_default();
 *     qkv_law law;
 *     qkv_error error;
 *     options.keys = 10;
 *     options.beta = 10;
 *     if (qkv_law_compute(&options, &law, &error) != QKV_OK) ...
 *     printf("%g +/- %g\n", law.mean, sqrt(law.variance));
 *
 * Results in double precision have an absolute error below 10^-12. qkv_law_enclose gives the same
 * numbers with proved bounds.
 */
#ifndef QKV_LAW_H
#define QKV_LAW_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Logit-normal weights ------------------------------------------------------------------- */

/* The distribution of sigma(location + scale*Z). scale: at least 0; with 0 the weight is constant.
 * A scale below 0 or a NaN makes every result NaN. */
typedef struct qkv_logit_normal {
    double location, scale;
} qkv_logit_normal;

QKV_API double qkv_logit_normal_mean(qkv_logit_normal law);
QKV_API double qkv_logit_normal_variance(qkv_logit_normal law);

/* The density at a weight; 0 outside (0, 1). Infinite at the weight itself for scale 0. */
QKV_API double qkv_logit_normal_density(qkv_logit_normal law, double weight);

/* P(a <= weight), and P(low <= a <= high). */
QKV_API double qkv_logit_normal_cdf(qkv_logit_normal law, double weight);
QKV_API double qkv_logit_normal_between(qkv_logit_normal law, double low, double high);

/* The weight below which a lies with this probability, from 0 to 1. */
QKV_API double qkv_logit_normal_quantile(qkv_logit_normal law, double chance);

/* The peaks of the density, in order; returns their number, 1 or 2 (0 for NaN). There are
 * two if the noise is strong: for location 0 if scale > sqrt(2). */
QKV_API size_t qkv_logit_normal_modes(qkv_logit_normal law, double mode[2]);

/* ---- Designs -------------------------------------------------------------------------------- */

typedef enum qkv_design {
    QKV_DESIGN_SINGLE = 1,
    QKV_DESIGN_HEADS = 2,
    QKV_DESIGN_IMMUNE = 3,
} qkv_design;

/* "single", "heads", "immune"; NULL for an invalid design. */
QKV_API const char *qkv_design_name(qkv_design design);

/*
 * Take a struct from qkv_law_default() and change what you need. Here zero does not mean the
 * default: a noise of 0 is no noise. The default is given after the field.
 */
typedef struct qkv_law_options {
    size_t struct_size; /* set by qkv_law_default(): lets the struct grow */

    qkv_design design; /* QKV_DESIGN_SINGLE */
    size_t keys;       /* 2: n, at least 2 */
    size_t wanted;     /* 2: m, from 1 to n */
    double beta;       /* 1. At least 0; INFINITY takes the limit, by way of 10^300 */
    double noise;      /* 0.5. The VARIANCE of the noisy key's length, at least 0 */
    bool other_noisy;  /* false: a wanted key is noisy. true: another key is; then m < n */
    double tolerance;  /* 0.01. Above 0, below 1; for `failure` */
} qkv_law_options;

QKV_API qkv_law_options qkv_law_default(void);

typedef struct qkv_law {
    qkv_logit_normal weight; /* of the noisy key in a head affected by its noise; if none is,
                                its scale is 0 */
    double mean, variance;   /* of that weight */
    double share;            /* part of the output from that head: 1, or 1/m for heads */
    double covariance;       /* Cov(output) = covariance * (v - w)(v - w)', where v is the noisy
                                key's value and w the mean of the others in that head */
    double leak;             /* the part of the output from unwanted keys, at eps = 1 */
    double bias;             /* |E output - average| for orthonormal values */
    double error;            /* E |output - average|^2 for orthonormal values */
    double failure;          /* P(some wanted key gets less than 1 - tolerance of its intended
                                weight), which is 1/m for a single query, 1 for one of m heads */
    double query_norm;       /* |q| */
} qkv_law;

QKV_API qkv_status qkv_law_compute(const qkv_law_options *options, qkv_law *law, qkv_error *error);

/* ---- Proved bounds -------------------------------------------------------------------------- */

/* lower <= the number <= upper */
typedef struct qkv_bounds {
    double lower, upper;
    char text[96]; /* "0.195320654850187 +/- 3.2e-16", "[0.4, 0.5]", itself an enclosure */
} qkv_bounds;

typedef struct qkv_law_bounds {
    qkv_bounds mean, variance, covariance, leak, bias, error, failure;
} qkv_law_bounds;

/*
 * The numbers of qkv_law_compute by rigorous integration (FLINT/Arb), in a few milliseconds. Bounds
 * hold for every real number that rounds to the given beta, noise and tolerance, so 0.1 may be
 * meant as one tenth; beta must be at most 10^9. QKV_ERROR_UNSUPPORTED if qkv was built without
 * FLINT.
 */
QKV_API qkv_status qkv_law_enclose(const qkv_law_options *options, qkv_law_bounds *bounds,
                                   qkv_error *error);

/* ---- Choosing beta -------------------------------------------------------------------------- */

/* The least beta with at most the allowed failure probability. */
typedef struct qkv_least_beta {
    bool exists;
    double beta;          /* if it exists */
    double least_failure; /* the infimum over all beta, */
    double at;            /* and where: INFINITY if in the limit */
} qkv_least_beta;

/* options->beta is ignored. failure: above 0, below 1. In closed form if the noise affects one head
 * for one key, or none; otherwise by a search over beta, from 1/1000 to 10^6, on a grid with
 * ratio 1.04 and then between its points. */
QKV_API qkv_status qkv_law_least_beta(const qkv_law_options *options, double failure,
                                      qkv_least_beta *least, qkv_error *error);

/* The beta of least mean squared error, for orthonormal values, by the same search; 0 or
 * INFINITY if it is in the limit. law is the law at this beta. */
QKV_API qkv_status qkv_law_best_beta(const qkv_law_options *options, double *beta, qkv_law *law,
                                     qkv_error *error);

/* The values of beta where another design has the same mean squared error, in order, by the same
 * search; at most `capacity` are written, *count is their number. first_better: whether options'
 * own design is better below the first of them, or everywhere if there is none. */
QKV_API qkv_status qkv_law_crossings(const qkv_law_options *options, qkv_design other, double *beta,
                                     size_t capacity, size_t *count, bool *first_better,
                                     qkv_error *error);

#ifdef __cplusplus
}
#endif
#endif
