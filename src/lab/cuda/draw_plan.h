/*
 * What a call of qkv_cuda_lab_draw or qkv_cuda_lab_sums is going to do: the rows of numbers that a
 * thread keeps of its sample, and the tables in the workspace. Plain C that asks no device
 * anything. C and CUDA C both read this header.
 */
#ifndef QKV_LAB_CUDA_DRAW_PLAN_H
#define QKV_LAB_CUDA_DRAW_PLAN_H

#include <stdint.h>

/* As qkv_lab_kind; those without a row of their own are rows of others. */
typedef struct qkv__cuda_lab_quantity {
    int32_t kind;
    int32_t row;            /* where it lies, or is to go */
    int32_t index, other;   /* of a product: rows of its factors */
    int32_t numbers, count; /* of a combination or an error: where in `numbers`, and how many */
} qkv__cuda_lab_quantity;

/* Terms from `start` to `end` add up to less than the bound, or to no more. */
typedef struct qkv__cuda_lab_inequality {
    double bound;
    int32_t start, end, strict, unused;
} qkv__cuda_lab_inequality;

/* How a chunk's samples make a sum: of row a, or of the products of rows a and b. */
enum { QKV__CUDA_LAB_ADD, QKV__CUDA_LAB_LEAST, QKV__CUDA_LAB_GREATEST, QKV__CUDA_LAB_PRODUCT };
enum { QKV__CUDA_LAB_CHUNK = 1024, QKV__CUDA_LAB_COLUMNS = 8 }; /* as in lab/sample.h */

typedef struct qkv__cuda_lab_sum {
    int32_t kind, a, b;
} qkv__cuda_lab_sum;

/* The kernel's parameters. Rows are numbered; each has one number per thread. */
typedef struct qkv__cuda_lab {
    uint64_t seed, first, count; /* samples first ... first + count - 1 */
    int32_t keys, heads, outputs, pairs;
    int32_t quantities;
    int32_t rows, threads;                                          /* in a block */
    int32_t score_row, weight_row, mean_row, output_row, share_row; /* normal numbers: row 0 */
    int32_t needs_mean, needs_weights, needs_output;
    uint32_t divider;              /* ceil(2^32 / quantities) */
    const double *score_mean;      /* heads x keys; this and the next in the workspace */
    const double *factor_value;    /* of factor_start[last] */
    const double *values;          /* keys x outputs, or NULL for the identity */
    const double *numbers;         /* of all quantities */
    const uint32_t *factor_start;  /* heads x keys + 1 */
    const uint32_t *factor_normal; /* of factor_start[last]: rows */
    const qkv__cuda_lab_quantity *quantity;
    double *to; /* count x quantities, or chunks x sums */

    /* Of sums; 0 where samples are drawn. `count` is then of chunks. */
    int32_t sums, events;
    int32_t accepted_row, event_row, centred_row;
    const double *origin;      /* of the quantities */
    const double *coefficient; /* of all terms */
    const qkv__cuda_lab_inequality
        *inequality;             /* of all events, and of the condition behind them */
    const uint32_t *event_start; /* events + 2 */
    const uint32_t *term_row;
    const qkv__cuda_lab_sum *sum;
} qkv__cuda_lab;

#endif
