/*
 * Keys and values on their way from rank to rank. A parcel is a few units of one rank's keys and
 * values, densely packed. Every rank meets the parcels it needs in the order of the keys, whatever
 * the number of ranks; that is what fixes the bits.
 *
 *     chain    every rank needs every parcel. Its owner sends it to rank 0, which passes it on to
 *              rank 1, and so on; the step into its owner is left out. A rank passes a parcel on
 *              when it arrives, before it computes with it.
 *     direct   for windows: the owner sends a parcel to the ranks whose queries see some of it.
 *
 * Into each rank goes every parcel once, at most, so the traffic is that of a ring. Memory is that
 * of QKV__SLOTS parcels received and two being sent. Knows nothing of what is computed.
 */
#ifndef QKV_MPI_TRAVEL_H
#define QKV_MPI_TRAVEL_H

#include <stdint.h>

#include "mpi/call.h"

enum { QKV__SLOTS = 3, QKV__FEEDS = 2, QKV__GROUP = 2, QKV__PIECES = QKV__GROUP * QKV__RUNS };

typedef struct qkv__parcel {
    size_t begin, end; /* units */
    size_t owner;
} qkv__parcel;

/* A run of keys in a parcel. */
typedef struct qkv__piece {
    size_t first, rows, local;    /* in the sequence, and in the owner's shard */
    size_t key, value;            /* bytes from the parcel's beginning to the first element */
    size_t key_sums, value_sums;  /* likewise in doubles, for sums of gradients */
    size_t payload_end, sums_end; /* where the next piece begins */
} qkv__piece;

typedef struct qkv__travel {
    const qkv__mpi_call *call;
    bool direct;
    size_t parcels;
    qkv__parcel *parcel;
    size_t needs, *need; /* numbers of the parcels that this rank needs, in order */
    size_t parcel_bytes; /* of the largest, a multiple of 64 */
    MPI_Datatype word;   /* 64 bytes: lets parcels be larger than 2 GiB */
    unsigned char *memory;

    MPI_Request receive[QKV__SLOTS], forward[QKV__SLOTS], feed[QKV__FEEDS];
    size_t posted, arrived, passed, consumed; /* counts of needs */
    bool here[QKV__SLOTS];
    size_t feed_parcel, feed_rank; /* what is to be sent next to whom */
    size_t sent;                   /* how many of those */
    int code;                      /* of the first call of MPI that failed */
} qkv__travel;

/* The parcels and memory for them; sends nothing. */
qkv_status qkv__travel_make(const qkv__mpi_call *call, qkv__travel *travel, qkv_error *error);
void qkv__travel_free(qkv__travel *travel);

/* The pieces of a parcel, in the order in which they are folded in. */
size_t qkv__travel_pieces(const qkv__travel *travel, const qkv__parcel *parcel,
                          qkv__piece pieces[QKV__PIECES]);

/* Whether a rank needs a parcel. */
bool qkv__travel_needs(const qkv__travel *travel, const qkv__parcel *parcel, size_t rank);

/* Moves whatever can be moved, and returns at once. */
void qkv__travel_poll(qkv__travel *travel);

/* The contents of needed parcel number i (from 0, in order), or NULL if MPI failed. */
const unsigned char *qkv__travel_wait(qkv__travel *travel, size_t i);

/* The rank is done with parcel i. */
void qkv__travel_done(qkv__travel *travel, size_t i);

/* Waits until everything that others need has been sent. */
qkv_status qkv__travel_finish(qkv__travel *travel, qkv_error *error);

/* How many units go into one parcel. */
size_t qkv__travel_group(const qkv__order *keys);

#endif
