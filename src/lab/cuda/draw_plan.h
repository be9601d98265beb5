/*
 * What a call of qkv_cuda_lab_draw is going to do: the rows of numbers that a thread keeps of its
 * sample, and the tables in the workspace. Plain C that asks no device anything. C and CUDA C both
 * read this header.
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
    double *to; /* count x quantities */
} qkv__cuda_lab;

#endif
