/*
 * The gradient of attention, inside: how a call is cut into tasks, and the contract with the
 * kernels that do them.
 *
 * The work of one key head of one sequence, with all query heads that read it, is cut two ways.
 * Its rows (query r % queries of head r / queries, as in kernel.h) make tiles, of which a kernel
 * keeps what every key needs of them in memory of the operator's. Its keys make stretches. A task
 * is a stretch: it goes over all tiles that look there, and its dk and dv are complete in the end.
 * The dq of a tile is a sum over stretches. They take turns at it, in the order of the keys: so no
 * sum depends on the number of threads, nothing is computed twice, and no memory is needed but one
 * dq a tile. Tasks begin in the order of stretches, so that whoever waits, waits for one that has
 * begun.
 */
#ifndef QKV_ATTENTION_GRADIENT_H
#define QKV_ATTENTION_GRADIENT_H

#include <stdatomic.h>

#include "attention/gradient_problem.h"
#include "attention/kernel.h"

/* By the definition, in double precision. */
qkv_status qkv__gradient_reference(const qkv__gradient *gradient, qkv_error *error);

/* By a kernel. */
qkv_status qkv__gradient_tasks(const qkv__gradient *gradient,
                               const struct qkv__gradient_kernel *kernel, qkv_error *error);

/*
 * As qkv_attention_gradient, for some of the keys: given_output and given_log_sum_exp are those of
 * all keys, and the gradients of the query are to be added up over calls that have the others.
 */
qkv_status qkv__gradient_part(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                              const qkv_view *output_gradient, const qkv_view *query_gradient,
                              const qkv_view *key_gradient, const qkv_view *value_gradient,
                              const qkv_attention_options *options, qkv_error *error);

/* ---- The contract with kernels ------------------------------------------------------------- */

/* One key head of one sequence. A matrix of a result that is not wanted has no data. */
typedef struct qkv__gradient_work {
    const qkv__head *heads; /* its query heads; output and log_sum_exp are the forward call's */
    const qkv__matrix *g;   /* the gradient of each head's output */
    const qkv__matrix *dq;  /* of each head */
    qkv__matrix dk, dv;
    bool wants_dq, wants_dk, wants_dv;
    bool part;         /* log_sum_exp is of more keys than there are: it cannot be found anew */
    size_t rows;       /* in all heads */
    size_t unit;       /* rows that may share tiles: one head's, or all where heads are short */
    size_t unit_tiles; /* tiles of a unit: the rows of tile t begin at t % unit_tiles * tile */
    size_t tiles;
    unsigned char *memory; /* of its first tile */
    size_t tile_bytes;
    atomic_size_t *turn; /* one a tile: the stretch that may add to its dq */
} qkv__gradient_work;

/* Where the gradients of masked scores are added up: those of the query heads of one key head, from
 * the first head, query and key of the sequence on. NULL: not wanted. */
typedef struct qkv__bias {
    double *mask;
    size_t head, query, key; /* strides of mask; 0 along an axis that it is summed over */
    double *slope;           /* one a head */
} qkv__bias;

/* Those of a key head of a sequence. */
qkv__bias qkv__bias_of(const qkv__gradient *gradient, size_t sequence, size_t kv_head);

typedef struct qkv__gradient_kernel {
    const char *forward; /* the kernel of its forward pass, whose output is in f32 or f64 */
    size_t tile;         /* rows of one, at most */
    size_t stretch;      /* keys of one */

    /* Bytes of a tile of that many rows, a multiple of 64, and of one worker; false when they
     * cannot be counted. */
    bool (*tile_bytes)(const qkv__problem *problem, size_t rows, size_t *bytes);
    bool (*workspace)(const qkv__problem *problem, size_t *bytes);

    /* Fills a tile's memory and sets its turn. Tiles that look at nothing write dq = 0. */
    void (*prepare)(const qkv__gradient_work *work, size_t tile, void *workspace);

    /* A stretch over all tiles; dk and dv of its keys are written, and dq of tiles that look at
     * no key behind it. */
    void (*walk)(const qkv__gradient_work *work, size_t stretch, void *workspace);

    /* The gradients of masked scores in a stretch, over all tiles in their order, added to the
     * sums. Tiles are prepared. */
    void (*bias)(const qkv__gradient_work *work, size_t stretch, const qkv__bias *sums,
                 void *workspace);
} qkv__gradient_kernel;

/* The rows of a tile. */
static inline qkv__rows qkv__gradient_rows(const qkv__gradient_work *work, size_t number,
                                           size_t tile_rows)
{
    const size_t first = number / work->unit_tiles * work->unit;
    const size_t begin = first + number % work->unit_tiles * tile_rows;
    const size_t end = begin + tile_rows, past = first + work->unit;
    return (qkv__rows){.heads = work->heads, .begin = begin, .end = end < past ? end : past};
}

/* Waits until it is the stretch's turn. */
void qkv__turn_await(const atomic_size_t *turn, size_t stretch);

static inline void qkv__turn_pass(atomic_size_t *turn, size_t to)
{
    atomic_store_explicit(turn, to, memory_order_release);
}

#endif
