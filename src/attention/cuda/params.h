/*
 * What the kernels for CUDA devices are told: plain structures that the host fills and a launch
 * carries. C and CUDA C both read this header; it knows no header of CUDA's.
 */
#ifndef QKV_ATTENTION_CUDA_PARAMS_H
#define QKV_ATTENTION_CUDA_PARAMS_H

#include <stdint.h>

/* Positions, lengths and offsets of the fast kernels stay under this, so that sums of four of them
 * fit in an int. A window side without an end is this large. */
#define QKV__CUDA_POSITION_LIMIT (1 << 28)

/* An operand on the device: strides in elements. */
typedef struct qkv__cuda_operand {
    void *data;
    int64_t batch, head, row, column;
    int32_t type; /* a qkv_type; QKV_NONE: it is not there */
} qkv__cuda_operand;

/* Dropout, as attention/dropout.h has it; a plain structure of zeros has none. */
typedef struct qkv__cuda_dropout {
    int32_t on;
    uint32_t least; /* the least random word of a weight that is kept */
    uint32_t seed_low, seed_high;
    double factor; /* of weights that are kept */
} qkv__cuda_dropout;

/*
 * One tile's rows in a list of work: written by the host where sequences differ in length. Rows
 * and keys count from the start of the batch; positions from the start of the sequence.
 */
typedef struct qkv__cuda_item {
    int32_t row, rows; /* first query, and how many the tile has of its sequence */
    int32_t position;  /* of the first query among the keys */
    int32_t key, keys; /* first key and number of keys of the sequence */
    int32_t batch;
    int32_t sequence, first; /* its number, and which of its queries is the tile's first */
} qkv__cuda_item;

/* Where the first query of a batch stands among its keys, and how many these are. */
typedef struct qkv__cuda_range {
    int32_t offset, keys;
} qkv__cuda_range;

/*
 * How numbers of tiles become tiles. Without a list, heads of one section (whose keys and values
 * stay in the cache together) take turns, tile by tile, the longest first; with one, all heads of
 * an item follow each other.
 */
typedef struct qkv__cuda_schedule {
    int32_t tiles;          /* in all */
    int32_t tiles_per_head; /* without a list */
    int32_t section;        /* heads (of all batches) in a section */
    int32_t units;          /* heads times batches */
    int32_t heads, group;   /* query heads, and how many of them share a key head */
    int32_t descending;     /* the last rows of a head come first */
    int32_t queries, keys;  /* of each sequence, without a list */
    int32_t offset;         /* position of query 0, without a list */
    const qkv__cuda_item *items;
    uint32_t *counter; /* the next tile to be taken, 0 at the start; NULL: blocks take turns */
} qkv__cuda_schedule;

typedef struct qkv__cuda_forward {
    qkv__cuda_schedule schedule;
    int32_t left, right; /* a query at position p looks at keys p - left to p + right */
    float scale;         /* of a score in base 2: scale * log2(e), or, with a cap, cap * log2(e) */
    float cap_scale;     /* with a cap: what a product is multiplied by before tanh; else 0 */
    const float *sinks;  /* one a query head, in base 2; NULL: none */
    qkv__cuda_operand query, key, value, output, log_sum_exp;
    qkv__cuda_dropout dropout;
} qkv__cuda_forward;

#endif
