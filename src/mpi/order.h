/*
 * The order of a sequence: blocks of fixed size, grouped into units that are folded in one after
 * the other, and which rank holds which. All of it follows from the length, the block and the
 * layout; the number of ranks only says who holds what. Knows nothing of MPI.
 *
 * Contiguous: unit u is block u. Zig-zag: unit u is block u and, unless that is the same, block
 * blocks - 1 - u. A rank holds a run of units; cyclic, every ranks-th.
 */
#ifndef QKV_MPI_ORDER_H
#define QKV_MPI_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/mpi.h>

typedef struct qkv__order {
    qkv_mpi_layout layout;
    size_t length, block, blocks, units;
    size_t ranks;
} qkv__order;

/* A run of rows: where they lie in the sequence, where in their rank's shard. */
typedef struct qkv__run {
    size_t first, rows, local;
} qkv__run;

enum { QKV__RUNS = 2 }; /* of a unit, or of a shard that is not cyclic, at most */

/* Options read, checked and completed for a sequence; false with an error if invalid. */
qkv_status qkv__order_make(const qkv_mpi_options *options, size_t length, size_t ranks,
                           qkv__order *order, qkv_error *error);

/* The units of a rank: begin to end - 1, every step-th. */
void qkv__order_units(const qkv__order *order, size_t rank, size_t *begin, size_t *end,
                      size_t *step);
size_t qkv__order_owner(const qkv__order *order, size_t unit);

/* The runs of a unit in the shard of its rank, in the order in which they are folded in; their
 * number. */
size_t qkv__order_unit_runs(const qkv__order *order, size_t unit, qkv__run runs[QKV__RUNS]);

/* The runs of a rank's shard; not cyclic. */
size_t qkv__order_shard_runs(const qkv__order *order, size_t rank, qkv__run runs[QKV__RUNS]);

size_t qkv__order_rows(const qkv__order *order, size_t rank);

#endif
