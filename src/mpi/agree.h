/*
 * What the ranks must agree on before data moves, and how they find out: each tells its numbers,
 * and all compare them in the same way, so that all succeed or all fail with the same message.
 */
#ifndef QKV_MPI_AGREE_H
#define QKV_MPI_AGREE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include <qkv/status.h>

/* A duplicate of the communicator, for the library's messages alone, that returns errors; it stays
 * with the communicator and is freed with it. */
qkv_status qkv__mpi_comm(MPI_Comm comm, MPI_Comm *own, int *ranks, int *rank, qkv_error *error);

/* What an MPI function returned, as a status: QKV_ERROR_DEVICE with MPI's own words. */
qkv_status qkv__mpi_check(int code, const char *what, qkv_error *error);

/* All ranks fail if one does: with the status and message of the first rank that failed, which the
 * message names. */
qkv_status qkv__mpi_agree(MPI_Comm comm, int ranks, qkv_status status, qkv_error *error);

/* The same with numbers: the first of them is this rank's status, and if all succeed the table of
 * all ranks' numbers, `count` per rank, is filled in. One message each way. */
qkv_status qkv__mpi_compare(MPI_Comm comm, int ranks, const int64_t *numbers, size_t count,
                            int64_t *table, qkv_error *error);

#endif
