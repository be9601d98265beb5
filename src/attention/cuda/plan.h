/*
 * What a call on a CUDA device is going to do: which kernel, how many tiles, in which order, and
 * the layout of the workspace. Plain C that asks no device anything, so that it can be tested
 * without one.
 */
#ifndef QKV_ATTENTION_CUDA_PLAN_H
#define QKV_ATTENTION_CUDA_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "attention/cuda/params.h"
#include "attention/problem.h"

/* The part of a device that a plan depends on. */
typedef struct qkv__cuda_device {
    int major, minor; /* compute capability */
    int multiprocessors;
    size_t cache; /* bytes of the second level */
} qkv__cuda_device;

typedef enum qkv__cuda_path {
    QKV__CUDA_NOTHING,  /* no output has elements */
    QKV__CUDA_DECODE,   /* few queries over a cache, split over keys, on sm_90a */
    QKV__CUDA_HOPPER,   /* tiles on the matrix unit of sm_90a */
    QKV__CUDA_TILED,    /* tiles on the matrix unit of any device, in 16 bits */
    QKV__CUDA_PORTABLE, /* one warp per row, every option */
    QKV__CUDA_TF32,     /* as tiled, for f32 with products in tf32; only where it is named */
} qkv__cuda_path;

typedef struct qkv__cuda_plan {
    qkv__cuda_path path;

    /* Hopper's. */
    int width, value_width;
    int rows, keys;              /* of a tile and of a block */
    bool ranged, capped;         /* which variant of the kernel */
    bool dropped;                /* the same, with dropout: ranged, and not capped */
    bool listed;                 /* tiles come from a list in the workspace */
    size_t items;                /* in that list */
    size_t tiles, blocks;        /* tiles in all (tiled: of the longest sequence), and the blocks
                                    of threads that share them */
    qkv__cuda_schedule schedule; /* without its pointers */
    bool ordered; /* of keys and values that are first copied: qkv__cuda_plan_ordered */
    size_t ordered_key, ordered_value; /* where to, in the workspace */

    /* Decode's. Splits have a number of keys that depends on the sequence's length alone, so that
     * bits do not depend on the batch. */
    int split, splits; /* keys of a split of a short sequence, and splits of one at most */
    bool scaled;       /* each row by a number of its own */
    size_t units;      /* splits of all key heads and batches */
    bool clustered;    /* blocks of a key head are a cluster, which adds their splits up */
    bool alone;        /* each block has its multiprocessor to itself */
    size_t whole;      /* key heads whose splits are one block's; elsewhere each has its own */
    int multiprocessors;

    /* The workspace: offsets in bytes, each a multiple of 64. A part that is not there has size 0,
     * and `bytes` is 0 where nothing is. */
    size_t counter, list, sinks, slopes, sequences, ranges, partial;
    size_t bytes;
} qkv__cuda_plan;

/* A sequence, as the portable kernel reads it from the workspace. */
typedef struct qkv__cuda_sequence {
    int64_t query, queries, key, keys, offset;
} qkv__cuda_sequence;

/* Of a checked problem. Fails where options.kernel names a kernel that does not fit. */
qkv_status qkv__cuda_plan_make(const qkv__problem *problem, const qkv__cuda_device *device,
                               qkv__cuda_plan *plan, qkv_error *error);

/* The problem of an ordered plan once keys and values are copied: in order, not in pages, in the
 * query's type, without scales. */
void qkv__cuda_plan_ordered(const qkv__cuda_plan *plan, const qkv__problem *problem,
                            void *workspace, qkv__problem *ordered);

/* Why the kernel "hopper" cannot take the problem as it is, or NULL. */
const char *qkv__cuda_hopper_lacks(const qkv__problem *problem, const qkv__cuda_device *device);

/* Rows of 16-bit numbers that lie side by side, all of them at multiples of 16 bytes: what the copy
 * engine and wide stores take. */
bool qkv__cuda_is_aligned(const qkv_view *view);

/* The plan of "portable", into one of path nothing: tables of sequences, sinks and slopes. */
void qkv__cuda_plan_tables(const qkv__problem *problem, qkv__cuda_plan *plan);

/* Whether the caller's workspace will do; `call` names the call that says how large it must be. */
qkv_status qkv__cuda_workspace_check(const void *workspace, size_t bytes, size_t needed,
                                     const char *call, qkv_error *error);

/* "decode", "hopper", "tiled", "portable" or "tf32"; "none" where nothing is to be done. */
const char *qkv__cuda_path_name(qkv__cuda_path path);

/*
 * The contents of the workspace before the call, piece by piece: `write` gets each piece's offset
 * and is to copy it. Stops when it returns false, and returns whether it never did.
 */
typedef bool qkv__cuda_write(void *context, size_t offset, const void *bytes, size_t count);
bool qkv__cuda_plan_write(const qkv__cuda_plan *plan, const qkv__problem *problem,
                          qkv__cuda_write *write, void *context);

#endif
