/*
 * Sums of attention over blocks of keys: for each query, from the levels (h, l) of blocks (see
 * attention/attention.h), the highest h so far, the sum of l exp(h - highest) and the outputs
 * weighted by it, all in double precision. Blocks are folded in one at a time, in the order in
 * which they are given; with blocks in a fixed order the bits are fixed too. Knows nothing of
 * ranks.
 */
#ifndef QKV_MPI_FOLD_H
#define QKV_MPI_FOLD_H

#include "mpi/call.h"

typedef struct qkv__fold {
    const qkv__mpi_call *call;
    size_t batch, heads, rows, width; /* of the sums: (batch, heads, rows, width) */
    double *high, *sum, *output;
    double *exact;            /* the same sum with all digits, if the log-sum-exp is asked for */
    size_t slice_heads, tile; /* heads and rows of each of a partial result, at most */
    size_t slices;            /* of heads, in all */
    void *part;               /* (slice_heads, tile, width) of the call's compute type */
    double *part_level, *part_exact; /* (slice_heads, tile, 2) and log-sum-exps */
} qkv__fold;

qkv_status qkv__fold_make(const qkv__mpi_call *call, qkv__fold *fold, qkv_error *error);
void qkv__fold_free(qkv__fold *fold);

/*
 * Folds in what some keys (views of four axes, the first of them at position `key`) say of rows row
 * to row + rows - 1, at most a tile of them, in slice number `slice` of the heads; the first is
 * query number `query` of the sequence.
 */
qkv_status qkv__fold_keys(qkv__fold *fold, size_t slice, size_t row, size_t rows, size_t query,
                          const qkv_view *key_view, const qkv_view *value_view, size_t key,
                          qkv_error *error);

/* Sinks, the division, and the results into the call's views. Once, at the end. */
qkv_status qkv__fold_finish(qkv__fold *fold, qkv_error *error);

#endif
