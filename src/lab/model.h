/* A checked model, between the public one and the plan of the sampler; for the lab alone. */
#ifndef QKV_LAB_MODEL_H
#define QKV_LAB_MODEL_H

#include <qkv/lab.h>

#include "base/arena.h"

/* The noise of a key: its parameters, and roots where they are needed. */
typedef struct qkv__lab_noise {
    qkv_lab_noise_kind kind;
    double alpha, stretch;
    double root, along;    /* STRETCH: Sigma^(1/2) = root I + along mu mu' */
    const double *entries; /* d, or d x d: Sigma */
    const double *factor;  /* DIAGONAL: roots, d. MATRIX: d x d, the symmetric root where keys share
                              their noise, else any root; NULL where no one asked */
} qkv__lab_noise;

typedef struct qkv__lab_model {
    size_t keys, width, heads, outputs;
    const double *means; /* n x d, or NULL: mean i is axis i */
    const double *mean_norm;
    qkv__lab_noise *noise; /* n */
    bool shared;
    const double *queries; /* H x d */
    const double *values;  /* n x outputs, or NULL: the identity */
} qkv__lab_model;

/* A copy in the arena of a caller's model, checked. with_roots: keys will be drawn themselves. */
qkv_status qkv__lab_model_read(const qkv_lab_model *given, bool with_roots, qkv__arena *arena,
                               qkv__lab_model *model, qkv_error *error);

/* mu_i . vector */
double qkv__lab_mean_dot(const qkv__lab_model *model, size_t key, const double *vector);

/* The joint law of the scores: score h n + i = mean + sum of value times normal, as sparse rows. */
typedef struct qkv__lab_law {
    size_t normals;
    double *mean;  /* H n */
    size_t *start; /* H n + 1 */
    size_t *normal;
    double *value;
} qkv__lab_law;

qkv_status qkv__lab_law_make(const qkv__lab_model *model, qkv__arena *arena, qkv__lab_law *law,
                             qkv_error *error);

/* An arena that ran out of memory, as an error. */
qkv_status qkv__lab_no_memory(const qkv__arena *arena, qkv_error *error);

#endif
