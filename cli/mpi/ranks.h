/* The ranks of qkv-mpi: who may speak, and how all of them fail together. */
#ifndef QKV_CLI_MPI_RANKS_H
#define QKV_CLI_MPI_RANKS_H

#include <qkv/status.h>

typedef struct mpi_ranks {
    int count, own;
    int voice; /* a descriptor of this rank's standard error; what others print goes nowhere */
} mpi_ranks;

extern mpi_ranks ranks;

/*
 * How all ranks fared: CLI_PROCEED if this and all others have QKV_OK; otherwise CLI_FAILURE on
 * every rank, and the first that failed has said why, unless its message is empty. Collective.
 */
int mpi_settle(const char *who, qkv_status status, const qkv_error *error);

#endif
