/* The ranks of a communicator as a team of samplers. Knows nothing of samples. */
#include <qkv/mpi.h>

#include <limits.h>

#include "base/error.h"
#include "mpi/agree.h"

/*
 * Before every exchange, and at the end, the ranks tell what they are about to do. A rank that
 * failed goes straight to the end, and the others, who would wait for its samples, learn of it.
 */
static bool all_stay(qkv_mpi_team *team, bool leaves, size_t bytes)
{
    const long long own[3] = {leaves, (long long)bytes, -(long long)bytes};
    long long most[3];
    if (team->over || team->comm == MPI_COMM_NULL) return false;
    const bool told =
        MPI_Allreduce(own, most, 3, MPI_LONG_LONG, MPI_MAX, team->comm) == MPI_SUCCESS;
    team->over = !told || most[0] != 0 || most[1] != -most[2];
    return !team->over;
}

static bool gather(void *parts, size_t bytes, void *context)
{
    qkv_mpi_team *team = context;
    if (!all_stay(team, bytes > INT_MAX, bytes)) return false;
    return MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, parts, (int)bytes, MPI_BYTE,
                         team->comm) == MPI_SUCCESS;
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
    if (team == NULL) return;
    all_stay(team, true, 0);
    *team = (qkv_mpi_team){.comm = MPI_COMM_NULL};
}
