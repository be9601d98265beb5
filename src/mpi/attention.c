/* Attention over many ranks: each folds the keys that come by into the sums of its queries. */
#include <qkv/mpi.h>

#include "mpi/agree.h"
#include "mpi/fold.h"
#include "mpi/travel.h"

/* Rows of the shard, query number `query` first, that see some of a piece. */
static qkv_status fold_rows(qkv__fold *fold, size_t slice, size_t row, size_t rows, size_t query,
                            const qkv__piece *piece, const unsigned char *parcel, qkv_error *error)
{
    const qkv__mpi_call *call = fold->call;
    size_t begin, end;
    if (!qkv__mpi_sees(call, query, rows, piece->first, piece->rows, &begin, &end)) return QKV_OK;
    size_t shape[4] = {call->key.shape[0], call->key.shape[1], piece->rows, call->key.shape[3]};
    /* Read alone, although the pointer in a view is not const. */
    const qkv_view key = qkv_view_dense(call->key.type, (void *)(parcel + piece->key), 4, shape);
    shape[3] = call->value.shape[3];
    const qkv_view value =
        qkv_view_dense(call->value.type, (void *)(parcel + piece->value), 4, shape);
    return qkv__fold_keys(fold, slice, row + begin, end - begin, query + begin, &key, &value,
                          piece->first, error);
}

/* A piece over all rows of one slice of the heads, tile by tile; in between, messages move. */
static qkv_status fold_piece(qkv__fold *fold, qkv__travel *travel, size_t slice,
                             const qkv__piece *piece, const unsigned char *contents,
                             qkv_error *error)
{
    qkv__run shard[QKV__RUNS];
    const size_t runs = qkv__order_shard_runs(&fold->call->queries, fold->call->rank, shard);
    for (size_t r = 0; r < runs; r++)
        for (size_t begin = 0; begin < shard[r].rows; begin += fold->tile) {
            const size_t left = shard[r].rows - begin;
            const size_t rows = left < fold->tile ? left : fold->tile;
            const qkv_status status = fold_rows(fold, slice, shard[r].local + begin, rows,
                                                shard[r].first + begin, piece, contents, error);
            if (status != QKV_OK) return status;
            qkv__travel_poll(travel);
        }
    return QKV_OK;
}

static qkv_status fold_parcel(qkv__fold *fold, qkv__travel *travel, const qkv__parcel *parcel,
                              const unsigned char *contents, qkv_error *error)
{
    qkv__piece pieces[QKV__PIECES];
    const size_t count = qkv__travel_pieces(travel, parcel, pieces);
    qkv_status status = QKV_OK;
    for (size_t p = 0; p < count; p++)
        for (size_t slice = 0; slice < fold->slices && status == QKV_OK; slice++)
            status = fold_piece(fold, travel, slice, &pieces[p], contents, error);
    return status;
}

/* A rank that fails goes on passing parcels, so that the others come to the end and learn of it. */
static qkv_status run(qkv__fold *fold, qkv__travel *travel, qkv_error *error)
{
    qkv_status status = QKV_OK;
    for (size_t i = 0; i < travel->needs; i++) {
        const unsigned char *contents = qkv__travel_wait(travel, i);
        if (contents == NULL) break;
        if (status == QKV_OK)
            status = fold_parcel(fold, travel, &travel->parcel[travel->need[i]], contents, error);
        qkv__travel_done(travel, i);
    }
    qkv_error moving;
    const qkv_status moved = qkv__travel_finish(travel, &moving);
    if (status != QKV_OK || moved == QKV_OK) return status;
    *error = moving;
    return moved;
}

qkv_status qkv_mpi_attention(MPI_Comm comm, const qkv_view *query, const qkv_view *key,
                             const qkv_view *value, const qkv_view *output,
                             const qkv_attention_options *attention, const qkv_mpi_options *options,
                             qkv_error *error)
{
    qkv__mpi_call call;
    qkv__fold fold = {0};
    qkv__travel travel = {.word = MPI_DATATYPE_NULL};
    qkv_error own;
    if (error == NULL) error = &own;
    qkv_status status = qkv__mpi_call_make(QKV__MPI_FORWARD, comm, query, key, value, output,
                                           attention, options, &call, error);
    if (status == QKV_OK) {
        status = qkv__fold_make(&call, &fold, error);
        if (status == QKV_OK) status = qkv__travel_make(&call, &travel, error);
        status = qkv__mpi_agree(call.comm, (int)call.ranks, status, error);
    }
    if (status == QKV_OK) {
        status = run(&fold, &travel, error);
        if (status == QKV_OK) status = qkv__fold_finish(&fold, error);
        status = qkv__mpi_agree(call.comm, (int)call.ranks, status, error);
    }
    qkv__travel_free(&travel);
    qkv__fold_free(&fold);
    qkv__mpi_call_free(&call);
    return status;
}
