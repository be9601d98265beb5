/*
 * Tensors of which every rank has a shard: one file that each rank maps and takes its rows of, or a
 * file per rank, with the rank's number in place of %r in the name.
 */
#ifndef QKV_CLI_MPI_SHARDS_H
#define QKV_CLI_MPI_SHARDS_H

#include <qkv/file.h>
#include <qkv/mpi.h>

/* This rank's rows of a tensor of 2 to 4 axes, on its last axis but one. broadcast: a single row
 * there is that of all ranks, as in a mask. */
qkv_status shards_read(const char *path, bool broadcast, const qkv_mpi_options *how,
                       qkv_tensor **shard, qkv_error *error);

/* A tensor of random numbers in [-1, 1], of which this rank makes its rows; number `which` of a
 * set. A row's numbers do not depend on the number of ranks. */
qkv_status shards_random(qkv_type type, int axes, const size_t *shape, unsigned which,
                         const qkv_mpi_options *how, qkv_tensor **shard, qkv_error *error);

/* Fails if a result could not be written there: better before than after the work. */
qkv_status shards_try(const char *path, qkv_error *error);

/* Whether a result can be written under that name, and whether bf16 can. */
bool shards_take_name(const char *path);
bool shards_take_bf16(const char *path);

/*
 * Writes shards: a file per rank, or, without %r, one file into which every rank writes its rows of
 * `length`. That file appears under its name when it is complete. Collective; if one rank
 * fails, the others may have succeeded.
 */
qkv_status shards_write(const char *path, const qkv_view *shard, size_t length,
                        const qkv_mpi_options *how, qkv_error *error);

#endif
