/* Agreement between ranks. Knows nothing of attention. */
#include "mpi/agree.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

qkv_status qkv__mpi_check(int code, const char *what, qkv_error *error)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    if (code == MPI_SUCCESS) return QKV_OK;
    MPI_Error_string(code, text, &length);
    return qkv__fail(error, QKV_ERROR_DEVICE, "MPI could not %s: %s", what, text);
}

/* ---- The library's own communicator -------------------------------------------------------- */

static int attribute = MPI_KEYVAL_INVALID;

static int free_duplicate(MPI_Comm comm, int keyval, void *value, void *extra)
{
    MPI_Comm *duplicate = value;
    (void)comm, (void)keyval, (void)extra;
    int code = MPI_Comm_free(duplicate);
    qkv__free(duplicate);
    return code;
}

static qkv_status duplicate_comm(MPI_Comm comm, MPI_Comm **made, qkv_error *error)
{
    if (attribute == MPI_KEYVAL_INVALID &&
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_duplicate, &attribute, NULL))
        return qkv__fail(error, QKV_ERROR_DEVICE, "MPI could not make an attribute");
    *made = qkv__allocate(sizeof **made);
    if (*made == NULL) return qkv__fail_memory(error, sizeof **made);
    int code = MPI_Comm_dup(comm, *made);
    if (code == MPI_SUCCESS) code = MPI_Comm_set_errhandler(**made, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS) code = MPI_Comm_set_attr(comm, attribute, *made);
    return qkv__mpi_check(code, "duplicate the communicator", error);
}

qkv_status qkv__mpi_comm(MPI_Comm comm, MPI_Comm *own, int *ranks, int *rank, qkv_error *error)
{
    int begun = 0, ended = 0, found = 0;
    MPI_Comm *kept = NULL;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (!begun || ended)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "MPI is not running; call MPI_Init first");
    if (comm == MPI_COMM_NULL) return qkv__fail(error, QKV_ERROR_ARGUMENT, "comm is MPI_COMM_NULL");
    if (attribute != MPI_KEYVAL_INVALID) MPI_Comm_get_attr(comm, attribute, &kept, &found);
    if (!found) {
        const qkv_status status = duplicate_comm(comm, &kept, error);
        if (status != QKV_OK) return status;
    }
    *own = *kept;
    MPI_Comm_size(*own, ranks);
    MPI_Comm_rank(*own, rank);
    return QKV_OK;
}

/* ---- Agreement ----------------------------------------------------------------------------- */

/* Every rank gets the message of rank `from`, which all know to have failed. */
static qkv_status share_failure(MPI_Comm comm, int from, qkv_error *error)
{
    qkv_error shared = {0};
    if (error != NULL) shared = *error;
    if (MPI_Bcast(&shared, (int)sizeof shared, MPI_BYTE, from, comm) != MPI_SUCCESS)
        return qkv__fail(error, QKV_ERROR_DEVICE, "rank %d failed and could not say why", from);
    return qkv__fail(error, shared.status, "rank %d: %s", from, shared.message);
}

qkv_status qkv__mpi_agree(MPI_Comm comm, int ranks, qkv_status status, qkv_error *error)
{
    int rank, first;
    MPI_Comm_rank(comm, &rank);
    int failed = status == QKV_OK ? ranks : rank;
    const qkv_status reached = qkv__mpi_check(
        MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, comm), "reach all ranks", error);
    if (reached != QKV_OK) return reached;
    return first < ranks ? share_failure(comm, first, error) : QKV_OK;
}

qkv_status qkv__mpi_compare(MPI_Comm comm, int ranks, const int64_t *numbers, size_t count,
                            int64_t *table, qkv_error *error)
{
    const qkv_status reached = qkv__mpi_check(
        MPI_Allgather(numbers, (int)count, MPI_INT64_T, table, (int)count, MPI_INT64_T, comm),
        "gather the ranks' shapes", error);
    if (reached != QKV_OK) return reached;
    for (int r = 0; r < ranks; r++)
        if (table[(size_t)r * count] != QKV_OK) return share_failure(comm, r, error);
    return QKV_OK;
}
