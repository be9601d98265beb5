/*
 * A call over many ranks, checked by all of them: this rank's shards on four axes, the orders of
 * the whole sequences, and the options of its pieces.
 */
#ifndef QKV_MPI_CALL_H
#define QKV_MPI_CALL_H

#include "mpi/exact.h"
#include "mpi/order.h"

enum { QKV__AXIS_BATCH, QKV__AXIS_HEADS, QKV__AXIS_LENGTH, QKV__AXIS_WIDTH };

typedef enum qkv__mpi_kind { QKV__MPI_FORWARD, QKV__MPI_GRADIENT, QKV__MPI_DECODE } qkv__mpi_kind;

typedef struct qkv__mpi_call {
    qkv__mpi_kind kind;
    MPI_Comm comm;
    size_t ranks, rank;
    qkv_view query, key, value, output; /* shards, four axes; output: or its gradient */
    qkv_view log_sum_exp;               /* three axes, or empty */
    qkv_view given_output, given_log_sum_exp;
    qkv_attention_options options; /* of a piece: without results, with QKV_ALIGN_OFFSET */
    qkv_type compute;              /* QKV_F64 or QKV_F32: the type of partial results */
    const double *sinks;           /* of the caller, or NULL; pieces have none */
    const size_t *key_lengths;     /* of the caller, or NULL */
    qkv_view mask;                 /* (batch, heads, own queries, all keys), broadcast; or empty */
    size_t *piece_lengths;         /* batch numbers for a piece's key_lengths, or NULL */
    qkv__order queries, keys;      /* decode: queries are whole on every rank */
    qkv__exact *sums;              /* decode: value width + 2 per query of every head, and one */
    ptrdiff_t offset;              /* the position of query 0 of the whole sequence */
} qkv__mpi_call;

/* Checks the call on this rank and against the others. Collective; all fail alike. The caller frees
 * it, whether that fails or not. */
qkv_status qkv__mpi_call_make(qkv__mpi_kind kind, MPI_Comm comm, const qkv_view *query,
                              const qkv_view *key, const qkv_view *value, const qkv_view *output,
                              const qkv_attention_options *attention,
                              const qkv_mpi_options *options, qkv__mpi_call *call,
                              qkv_error *error);
void qkv__mpi_call_free(qkv__mpi_call *call);

/* Rows of a view of four axes (or three, without the width) on its length axis. */
qkv_view qkv__mpi_rows(const qkv_view *view, size_t first, size_t rows);

/*
 * Of `rows` queries from `query` on, those that may see any of the keys key to key + keys - 1, by
 * position: begin to end - 1, counted from the first of them. False if there are none. All numbers
 * are those of the whole sequence.
 */
bool qkv__mpi_sees(const qkv__mpi_call *call, size_t query, size_t rows, size_t key, size_t keys,
                   size_t *begin, size_t *end);

/* The options of a piece: rows from `row` of the shard on, which are queries from `query` on, over
 * `keys` keys from `key` on. */
qkv_attention_options qkv__mpi_piece(const qkv__mpi_call *call, size_t row, size_t rows,
                                     size_t query, size_t key, size_t keys);

/* Whether queries see only keys near them, on both sides. */
bool qkv__mpi_is_local(const qkv__mpi_call *call);

#endif
