/*
 * What a call for the gradient on a CUDA device is going to do: which kernels, and the layout of
 * the workspace. Plain C that asks no device anything, as plan.h.
 */
#ifndef QKV_ATTENTION_CUDA_GRADIENT_PLAN_H
#define QKV_ATTENTION_CUDA_GRADIENT_PLAN_H

#include "attention/cuda/plan.h"
#include "attention/gradient_problem.h"

enum { QKV__CUDA_KEPT = 4 }; /* numbers that the portable kernels keep of a row */

typedef struct qkv__cuda_gradient_plan {
    qkv__cuda_path path; /* nothing, hopper or portable */

    /* Hopper: the forward call that finds what was not given (path: nothing where it was).
     * Portable: the tables. Its workspace is the first part of this one. */
    qkv__cuda_plan call;

    /* Hopper's. */
    int width;
    bool listed;          /* sequences differ, scores are capped or weights dropped: a list in the
                             workspace */
    size_t units;         /* key heads times batches */
    size_t tiles, blocks; /* of queries in a query head, of keys in a key head; with a list, blocks
                             of all sequences */
    size_t section;       /* units whose blocks take turns */

    /* The workspace: offsets in bytes, each a multiple of 64. A part that is not there has size 0.
     */
    size_t output, log_sum_exp;     /* of the forward call */
    size_t counter, turns;          /* uint32_t: one, and one a piece of a tile of a query head */
    size_t row_log, row_mean, sums; /* f32, of all rows in tiles */
    size_t sequences;               /* a qkv__cuda_gradient_sequence each, with a list */
    size_t sinks;                   /* f32 in base 2, one a query head, for their gradient */
    size_t kept;                    /* portable: QKV__CUDA_KEPT numbers a row */
    size_t bytes;
} qkv__cuda_gradient_plan;

/* Of a checked call. Fails where options.kernel names a kernel that does not fit. */
qkv_status qkv__cuda_gradient_plan_make(const qkv__gradient *gradient,
                                        const qkv__cuda_device *device,
                                        qkv__cuda_gradient_plan *plan, qkv_error *error);

/* The list of sequences and the sinks, piece by piece, as qkv__cuda_plan_write. */
bool qkv__cuda_gradient_plan_write(const qkv__cuda_gradient_plan *plan,
                                   const qkv__gradient *gradient, qkv__cuda_write *write,
                                   void *context);

/* The forward call whose results go into the workspace: what plan->call is the plan of. */
void qkv__cuda_gradient_forward(const qkv__gradient *gradient, const qkv__cuda_gradient_plan *plan,
                                void *workspace, qkv__problem *forward);

#endif
