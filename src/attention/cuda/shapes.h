/*
 * The shapes of the fast forward kernels: rows of a tile and keys of a block, by width. The plan
 * and the kernels both read them; bench/kernels.md says how they were chosen.
 */
#ifndef QKV_ATTENTION_CUDA_SHAPES_H
#define QKV_ATTENTION_CUDA_SHAPES_H

/* Consumers have 64 rows each. `FULL` without positions to mask, `RANGED` with a causal mask or a
 * window, where smaller blocks waste less at the edge. `EARLY`: of the products
 * of weights and values, how many are left when the next consumer gets its turn. */
enum {
    QKV__CUDA_64_CONSUMERS = 3,
    QKV__CUDA_64_KEYS_FULL = 128,
    QKV__CUDA_64_KEYS_RANGED = 128,
    QKV__CUDA_64_EARLY = 2,

    QKV__CUDA_128_CONSUMERS = 2,
    QKV__CUDA_128_KEYS_FULL = 176,
    QKV__CUDA_128_KEYS_RANGED = 128,
    QKV__CUDA_128_EARLY = 2,

    QKV__CUDA_192_CONSUMERS = 2, /* with values of width 128 */
    QKV__CUDA_192_KEYS_FULL = 128,
    QKV__CUDA_192_KEYS_RANGED = 128,
    QKV__CUDA_192_EARLY = 2,

    QKV__CUDA_256_CONSUMERS = 2,
    QKV__CUDA_256_KEYS_FULL = 80,
    QKV__CUDA_256_KEYS_RANGED = 80,
    QKV__CUDA_256_EARLY = 2,
};

/* With dropout, widths 64 and 128: registers for the generator. */
enum {
    QKV__CUDA_DROPPED_CONSUMERS = 2,
    QKV__CUDA_DROPPED_KEYS = 128,
};

enum { QKV__CUDA_TILED_QUERIES = 64 }; /* of a tile, on any device */

/* Few queries: of a key head at most, counted for each of its query heads; keys of a split, in 16
 * bits (twice as many in fp8), and the length of a sequence from which on splits are twice as
 * large, both part of what a row's bits depend on; and keys that come in one piece at most where
 * they are in pages. */
enum {
    QKV__CUDA_DECODE_ROWS = 16,
    QKV__CUDA_DECODE_SPLIT = 1024,
    QKV__CUDA_DECODE_LONG = 32768,
    QKV__CUDA_DECODE_BOX = 128,
};

/* Of a head that one block may have alone: rows, columns of values, and splits, at most. */
enum {
    QKV__CUDA_DECODE_WHOLE_ROWS = 8,
    QKV__CUDA_DECODE_WHOLE_WIDTH = 128,
    QKV__CUDA_DECODE_WHOLE_SPLITS = 16,
    QKV__CUDA_DECODE_CLUSTER = 8, /* splits, where a cluster has it */
};

/* What a unit leaves in memory, in f32: whole lines of 128 bytes. */
enum { QKV__CUDA_DECODE_LINE = 32 };

#endif
