/*
 * Attention and sampling over many processes: libqkv_mpi.
 *
 * The operator of attention.h for sequences that outgrow one machine. The queries, keys and values
 * of one attention lie on the ranks of an MPI communicator, each rank has a shard of them along the
 * length, and no rank ever holds more than its shard and a few blocks of keys on their way:
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
 *     qkv_mpi_options how = qkv_mpi_default();
 *     size_t rows = qkv_mpi_rows(&how, length, ranks, rank);           // of this rank
 *     ... load row qkv_mpi_row(&how, length, ranks, rank, i) for i = 0 ... rows - 1 ...
 *     qkv_view q = qkv_view_dense(QKV_F32, q_data, 3, (size_t[]){heads, rows, width});
 *     ... k, v, c likewise ...
 *     qkv_error error;
 *     if (qkv_mpi_attention(MPI_COMM_WORLD, &q, &k, &v, &c, NULL, &how, &error) != QKV_OK) ...
 *
 * Every function that takes a communicator is collective: all its ranks make the same call. Before
 * any data moves, the ranks compare shapes, types and options; if they do not fit together, every
 * rank gets the same error, which names a rank. Communication is on a duplicate of the
 * communicator, made at the first call and kept with it.
 *
 * Bits. The result depends neither on the number of ranks nor on threads: keys are cut into blocks
 * by the length of the whole sequence alone, and what the blocks say of a query is put together in
 * one fixed order. They do depend on the layout and on `block`. They are not the bits of
 * qkv_attention, with which the result agrees to rounding.
 *
 * Any implementation of MPI 3. Calls must come from the thread that initialised MPI.
 */
#ifndef QKV_MPI_H
#define QKV_MPI_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <qkv/attention.h>
#include <qkv/lab.h>
#include <qkv/status.h>
#include <qkv/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Shards ------------------------------------------------------------------------------- */

/*
 * Which rows a rank holds. A sequence is cut into blocks of `block` rows, the last one may be
 * shorter. A rank holds whole blocks, in increasing order; ranks whose turn does not come hold
 * none.
 */
typedef enum qkv_mpi_layout {
    QKV_MPI_CONTIGUOUS = 1, /* one run of blocks per rank */
    QKV_MPI_ZIGZAG = 2,     /* two runs, as far from the beginning as from the end: under a causal
                               mask every rank has the same work */
    QKV_MPI_CYCLIC = 3,     /* block b is on rank b modulo ranks: a cache can grow. Decoding only */
} qkv_mpi_layout;

/* Take a struct from qkv_mpi_default(). Zero means the default, given after the field. */
typedef struct qkv_mpi_options {
    size_t struct_size;
    qkv_mpi_layout layout; /* QKV_MPI_CONTIGUOUS */
    size_t block;          /* 1024; unless cyclic, from 32,768 rows on 2048, and more where there
                              would be more than 65,536 blocks: a power of two */
} qkv_mpi_options;

QKV_API qkv_mpi_options qkv_mpi_default(void);

/* The number of rows of a rank's shard, of a sequence of `length`; options may be NULL. 0 for a
 * rank that does not exist and for invalid options. */
QKV_API size_t qkv_mpi_rows(const qkv_mpi_options *options, size_t length, int ranks, int rank);

/* Where row `row` of the shard lies in the sequence. Rows increase. */
QKV_API size_t qkv_mpi_row(const qkv_mpi_options *options, size_t length, int ranks, int rank,
                           size_t row);

/* ---- Attention ---------------------------------------------------------------------------- */

/*
 * Attention over all ranks. Views are this rank's shards, of 2 to 4 axes as in qkv_attention, with
 * qkv_mpi_rows() rows on the length axis; query and output are shards of one sequence, key and
 * value of another, both by the same layout. A causal mask is balanced in the layout
 * QKV_MPI_ZIGZAG.
 *
 * attention: as in qkv_attention, and the same on all ranks; may be NULL. Positions are those in
 * the whole sequence; key_lengths count keys of the whole sequence, and go with the alignments
 * top-left and offset alone where positions matter. A mask has this rank's queries and all keys,
 * (batch, heads, rows, keys of the whole sequence), any axis of which may be 1. log_sum_exp is this
 * rank's shard. Not supported: packed sequences, pages, dropout, keys and values of type i8 and
 * e4m3, and results other than log_sum_exp.
 *
 * All data is in host memory. Pointers to the memory of a CUDA device are refused.
 *
 * Keys travel from rank to rank, in the order in which they are folded in, while ranks compute.
 * With a window and the layout QKV_MPI_CONTIGUOUS, a rank gets only the keys that its queries see,
 * from the ranks that have them.
 */
QKV_API qkv_status qkv_mpi_attention(MPI_Comm comm, const qkv_view *query, const qkv_view *key,
                                     const qkv_view *value, const qkv_view *output,
                                     const qkv_attention_options *attention,
                                     const qkv_mpi_options *options, qkv_error *error);

/*
 * The gradient, as qkv_attention_gradient; all views are shards. attention must have given_output
 * and given_log_sum_exp, the results of the forward call. Results may be NULL, but then on all
 * ranks. Sums of the gradients are in f64, and travel with the keys.
 */
QKV_API qkv_status qkv_mpi_attention_gradient(
    MPI_Comm comm, const qkv_view *query, const qkv_view *key, const qkv_view *value,
    const qkv_view *output_gradient, const qkv_view *query_gradient, const qkv_view *key_gradient,
    const qkv_view *value_gradient, const qkv_attention_options *attention,
    const qkv_mpi_options *options, qkv_error *error);

/*
 * Attention of the same few queries on every rank over keys that lie in shards, of any layout:
 * decoding with a cache on many machines. query and output are whole, and the same on all ranks;
 * key and value are shards. Alignment defaults to bottom-right: the queries are the newest tokens.
 * One all-reduce of small sums, which are exact in any order: the bits do not depend on the layout
 * either.
 */
QKV_API qkv_status qkv_mpi_decode(MPI_Comm comm, const qkv_view *query, const qkv_view *key,
                                  const qkv_view *value, const qkv_view *output,
                                  const qkv_attention_options *attention,
                                  const qkv_mpi_options *options, qkv_error *error);

/* ---- Sampling ------------------------------------------------------------------------------ */

/*
 * A team for the samplers of lab.h and claim.h (options.team): the ranks of a communicator share
 * the work, and every rank gets the statistics of all samples, with the bits of a single process.
 * All ranks must create the same sampler and make the same calls. A rank on which one fails calls
 * qkv_mpi_team_end, as all do in the end; then the calls of the others fail too, and none waits for
 * samples that do not come.
 *
 *     qkv_mpi_team team;
 *     qkv_mpi_team_begin(MPI_COMM_WORLD, &team, &error);
 *     lab_options.team = &team.team;
 *     ... create a sampler, run it, free it ...
 *     qkv_mpi_team_end(&team);
 */
typedef struct qkv_mpi_team {
    qkv_lab_team team;
    MPI_Comm comm;
    bool over; /* another rank has ended it, or has other samples */
} qkv_mpi_team;

QKV_API qkv_status qkv_mpi_team_begin(MPI_Comm comm, qkv_mpi_team *team, qkv_error *error);
QKV_API void qkv_mpi_team_end(qkv_mpi_team *team);

/* ---- Planning ------------------------------------------------------------------------------ */

/* A call to qkv_mpi_attention that has not been made, and the machines for it. Zero means the
 * default, given after the field. */
typedef struct qkv_mpi_prospect {
    size_t struct_size;
    size_t ranks;              /* 1 */
    size_t length;             /* queries and keys */
    size_t batch, heads;       /* 1, 1 */
    size_t kv_heads;           /* as many as heads */
    size_t width, value_width; /* 64; as wide as width */
    qkv_type type;             /* QKV_F32 */
    bool causal;               /* false */
    size_t window;             /* keys that a query sees, itself included; 0: all */
    qkv_mpi_options options;   /* as in the call */
    double speed;              /* multiplications and additions per second and rank; required */
    double bandwidth;          /* bytes per second between two ranks; required for two or more */
    double latency;            /* seconds per message: 0 */
    size_t at_once; /* ranks that run at full speed at a time, if cores are shared: all */
} qkv_mpi_prospect;

typedef struct qkv_mpi_forecast {
    double seconds;         /* of the whole call: */
    double compute_seconds; /* of the rank with most work, */
    double wait_seconds;    /* and until the first keys are there, or while keys are late */
    double traffic_bytes;   /* into the rank that gets most */
    double memory_bytes;    /* per rank: shards, sums, and keys on their way */
    size_t block, messages; /* rows of a block, and messages into a rank */
    size_t busy_ranks;      /* ranks that have any rows */
} qkv_mpi_forecast;

QKV_API qkv_mpi_prospect qkv_mpi_prospect_default(void);
QKV_API qkv_status qkv_mpi_plan(const qkv_mpi_prospect *prospect, qkv_mpi_forecast *forecast,
                                qkv_error *error);

#ifdef __cplusplus
}
#endif
#endif
