/* The ranks of a communicator as a team of samplers. Knows nothing of samples. */
#include <qkv/mpi.h>

#include <limits.h>

#include "base/error.h"
#include "mpi/agree.h"

static bool gather(void *parts, size_t bytes, void *context)
{
    const qkv_mpi_team *team = context;
    return bytes <= INT_MAX && MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, parts, (int)bytes,
                                             MPI_BYTE, team->comm) == MPI_SUCCESS;
}

qkv_status qkv_mpi_team_begin(MPI_Comm comm, qkv_mpi_team *team, qkv_error *error)
{
    int ranks, rank;
    MPI_Comm own;
    if (team == NULL) return qkv__fail(error, QKV_ERROR_ARGUMENT, "team is NULL");
    qkv_status status = qkv__mpi_comm(comm, &own, &ranks, &rank, error);
    if (status != QKV_OK) return status;
    *team = (qkv_mpi_team){.comm = own};
    team->team = (qkv_lab_team){
        .members = (size_t)ranks, .number = (size_t)rank, .gather = gather, .context = team};
    return QKV_OK;
}

void qkv_mpi_team_end(qkv_mpi_team *team)
{
    if (team != NULL) *team = (qkv_mpi_team){.comm = MPI_COMM_NULL};
}
