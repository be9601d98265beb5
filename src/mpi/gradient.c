/*
 * The gradient over many ranks. Sums for the keys and values of a parcel go from rank to rank
 * behind the parcel; each rank adds what its blocks of queries contribute, in the order of the
 * queries, and the last sends the sums to the owner. So sums over queries, like those over keys,
 * have one order, whatever the number of ranks.
 */
#include <qkv/mpi.h>

#include <sched.h>
#include <string.h>

#include "attention/gradient.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/view.h"
#include "mpi/agree.h"
#include "mpi/device.h"
#include "mpi/travel.h"

enum { TAG_SUMS = 3, TAG_FINAL = 4, WORD_NUMBERS = 8 };

typedef struct backward {
    const qkv__mpi_call *call;
    qkv__travel *travel;
    qkv_view results[3]; /* of query, key and value, four axes; rank 0: not asked for */

    double *query_sums; /* (batch, heads, rows, width) */
    double *final_sums; /* of this rank's keys and values, parcel after parcel */
    size_t finals;      /* own parcels */
    MPI_Request *final_request;

    size_t numbers; /* of the largest parcel's sums, a multiple of WORD_NUMBERS */
    double *sums;   /* QKV__SLOTS times that */
    MPI_Request receive[QKV__SLOTS], forward[QKV__SLOTS];
    size_t posted;

    void *part[3]; /* what a block contributes, in the compute type */
} backward;

static size_t round_up(size_t numbers)
{
    return (numbers + WORD_NUMBERS - 1) / WORD_NUMBERS * WORD_NUMBERS;
}

static size_t parcel_numbers(const backward *b, const qkv__parcel *parcel)
{
    qkv__piece pieces[QKV__PIECES];
    const size_t count = qkv__travel_pieces(b->travel, parcel, pieces);
    return count == 0 ? 0 : round_up(pieces[count - 1].sums_end);
}

/* ---- Who adds after whom -------------------------------------------------------------------- */

/* The rank after `rank` that needs the parcel, or `ranks`; with rank = (size_t)-1 the first. */
static size_t next_rank(const backward *b, const qkv__parcel *parcel, size_t rank)
{
    for (rank++; rank < b->call->ranks; rank++)
        if (qkv__travel_needs(b->travel, parcel, rank)) break;
    return rank;
}

static size_t previous_rank(const backward *b, const qkv__parcel *parcel, size_t rank)
{
    while (rank-- > 0)
        if (qkv__travel_needs(b->travel, parcel, rank)) return rank;
    return b->call->ranks;
}

/* ---- Memory --------------------------------------------------------------------------------- */

static void *numbers(size_t count, size_t size)
{
    size_t bytes;
    if (!qkv__size_multiply(count, size, &bytes)) return NULL;
    return qkv__allocate_zero(bytes > 0 ? bytes : size);
}

static qkv_status make_memory(backward *b, qkv_error *error)
{
    const qkv__mpi_call *call = b->call;
    const size_t size = call->compute == QKV_F64 ? sizeof(double) : sizeof(float);
    const size_t *query = call->query.shape, *key = call->key.shape;
    const size_t heads = query[0] * query[1], kv_heads = key[0] * key[1];
    const size_t value_width = call->value.shape[QKV__AXIS_WIDTH];
    size_t own = 0;
    for (size_t p = 0; p < b->travel->parcels; p++) {
        const size_t count = parcel_numbers(b, &b->travel->parcel[p]);
        if (count > b->numbers) b->numbers = count;
        if (b->travel->parcel[p].owner != call->rank) continue;
        own += count;
        b->finals++;
    }
    b->query_sums = numbers(heads * query[2] * query[3], sizeof(double));
    b->final_sums = numbers(own, sizeof(double));
    b->final_request = numbers(b->finals, sizeof(MPI_Request));
    b->sums = numbers(b->numbers, QKV__SLOTS * sizeof(double));
    b->part[0] = numbers(heads * call->queries.block * query[3], size);
    b->part[1] = numbers(kv_heads * call->keys.block * key[3], size);
    b->part[2] = numbers(kv_heads * call->keys.block * value_width, size);
    for (size_t i = 0; i < QKV__SLOTS; i++) b->receive[i] = b->forward[i] = MPI_REQUEST_NULL;
    for (size_t i = 0; i < b->finals && b->final_request != NULL; i++)
        b->final_request[i] = MPI_REQUEST_NULL;
    if (b->query_sums == NULL || b->final_sums == NULL || b->final_request == NULL ||
        b->sums == NULL || b->part[0] == NULL || b->part[1] == NULL || b->part[2] == NULL)
        return qkv__fail_memory(error, (heads * query[2] * query[3] + own) * sizeof(double));
    return QKV_OK;
}

static void free_memory(backward *b)
{
    qkv__free(b->query_sums);
    qkv__free(b->final_sums);
    qkv__free(b->final_request);
    qkv__free(b->sums);
    for (int i = 0; i < 3; i++) qkv__free(b->part[i]);
}

/* ---- Sums on their way ----------------------------------------------------------------------- */

static void note(backward *b, int code)
{
    if (b->travel->code == MPI_SUCCESS) b->travel->code = code;
}

/* Waits for one message while all others move; false once MPI has failed. */
static bool wait_for(backward *b, MPI_Request *request)
{
    int done = *request == MPI_REQUEST_NULL;
    while (!done && b->travel->code == MPI_SUCCESS) {
        note(b, MPI_Test(request, &done, MPI_STATUS_IGNORE));
        qkv__travel_poll(b->travel);
        if (!done) sched_yield();
    }
    return done != 0;
}

static void receive_sums(backward *b, size_t from, int tag, double *to, size_t count,
                         MPI_Request *request)
{
    note(b, MPI_Irecv(to, (int)(count / WORD_NUMBERS), b->travel->word, (int)from, tag,
                      b->call->comm, request));
}

/* The finished sums of own parcels may come at any time: their receives are posted at once. */
static void post_finals(backward *b)
{
    double *to = b->final_sums;
    size_t number = 0;
    for (size_t p = 0; p < b->travel->parcels; p++) {
        const qkv__parcel *parcel = &b->travel->parcel[p];
        if (parcel->owner != b->call->rank) continue;
        const size_t last = previous_rank(b, parcel, b->call->ranks);
        const size_t count = parcel_numbers(b, parcel);
        if (last != b->call->rank && last < b->call->ranks)
            receive_sums(b, last, TAG_FINAL, to, count, &b->final_request[number]);
        to += count;
        number++;
    }
}

static double *own_finals(backward *b, size_t parcel)
{
    double *at = b->final_sums;
    for (size_t p = 0; p < parcel; p++)
        if (b->travel->parcel[p].owner == b->call->rank)
            at += parcel_numbers(b, &b->travel->parcel[p]);
    return at;
}

/* Makes the place of needed parcel `posted` ready: zeros on the first rank, or a receive. */
static void post_sums(backward *b)
{
    const size_t i = b->posted, place = i % QKV__SLOTS;
    if (i >= b->travel->needs || !wait_for(b, &b->forward[place])) return;
    const qkv__parcel *parcel = &b->travel->parcel[b->travel->need[i]];
    const size_t before = previous_rank(b, parcel, b->call->rank);
    double *sums = b->sums + place * b->numbers;
    b->posted++;
    if (before == b->call->ranks)
        memset(sums, 0, b->numbers * sizeof(double));
    else
        receive_sums(b, before, TAG_SUMS, sums, parcel_numbers(b, parcel), &b->receive[place]);
}

/* Sums of needed parcel i go on to the next rank, or to their owner. */
static void send_sums(backward *b, size_t i)
{
    const size_t place = i % QKV__SLOTS, number = b->travel->need[i];
    const qkv__parcel *parcel = &b->travel->parcel[number];
    const size_t next = next_rank(b, parcel, b->call->rank), count = parcel_numbers(b, parcel);
    const bool last = next == b->call->ranks;
    double *sums = b->sums + place * b->numbers;
    if (last && parcel->owner == b->call->rank) {
        memcpy(own_finals(b, number), sums, count * sizeof(double));
        return;
    }
    note(b, MPI_Isend(sums, (int)(count / WORD_NUMBERS), b->travel->word,
                      (int)(last ? parcel->owner : next), last ? TAG_FINAL : TAG_SUMS,
                      b->call->comm, &b->forward[place]));
}

/* ---- One block of queries and one piece of keys -----------------------------------------------
 */

static double part_number(const backward *b, int which, size_t i)
{
    return b->call->compute == QKV_F64 ? ((const double *)b->part[which])[i]
                                       : (double)((const float *)b->part[which])[i];
}

/* Adds a part of (heads, rows, width) to rows from `row` on of sums of (heads, all, width). */
static void add_part(const backward *b, int which, size_t heads, size_t rows, size_t width,
                     double *sums, size_t all, size_t row)
{
    for (size_t h = 0; h < heads; h++) {
        double *to = sums + (h * all + row) * width;
        for (size_t t = 0; t < rows * width; t++)
            to[t] += part_number(b, which, h * rows * width + t);
    }
}

/* Queries from number `query` on, which are rows from `row` on, and a piece. */
static qkv_status add_piece(backward *b, size_t row, size_t rows, size_t query,
                            const qkv__piece *piece, const unsigned char *parcel, double *sums,
                            qkv_error *error)
{
    const qkv__mpi_call *call = b->call;
    const size_t *key = call->key.shape, heads = call->query.shape[0] * call->query.shape[1];
    const size_t width = key[3], value_width = call->value.shape[QKV__AXIS_WIDTH];
    size_t begin, end;
    if (!qkv__mpi_sees(call, query, rows, piece->first, piece->rows, &begin, &end)) return QKV_OK;
    row += begin, query += begin, rows = end - begin;
    const size_t key_shape[4] = {key[0], key[1], piece->rows, width};
    const size_t value_shape[4] = {key[0], key[1], piece->rows, value_width};
    const qkv_view queries = qkv__mpi_rows(&call->query, row, rows);
    const qkv_view gradient = qkv__mpi_rows(&call->output, row, rows);
    const qkv_view keys =
        qkv_view_dense(call->key.type, (void *)(parcel + piece->key), 4, key_shape);
    const qkv_view values =
        qkv_view_dense(call->value.type, (void *)(parcel + piece->value), 4, value_shape);
    const qkv_view dq = qkv_view_dense(call->compute, b->part[0], 4, queries.shape);
    const qkv_view dk = qkv_view_dense(call->compute, b->part[1], 4, key_shape);
    const qkv_view dv = qkv_view_dense(call->compute, b->part[2], 4, value_shape);
    qkv_attention_options options =
        qkv__mpi_piece(call, row, rows, query, piece->first, piece->rows);
    options.given_output = qkv__mpi_rows(&call->given_output, row, rows);
    options.given_log_sum_exp = qkv__mpi_rows(&call->given_log_sum_exp, row, rows);
    const qkv_status status =
        qkv__gradient_part(&queries, &keys, &values, &gradient, &dq, &dk, &dv, &options, error);
    if (status != QKV_OK) return status;
    add_part(b, 0, heads, rows, width, b->query_sums, call->query.shape[2], row);
    add_part(b, 1, key[0] * key[1], piece->rows, width, sums + piece->key_sums, piece->rows, 0);
    add_part(b, 2, key[0] * key[1], piece->rows, value_width, sums + piece->value_sums, piece->rows,
             0);
    return QKV_OK;
}

static qkv_status add_parcel(backward *b, const qkv__parcel *parcel, const unsigned char *contents,
                             double *sums, qkv_error *error)
{
    qkv__piece pieces[QKV__PIECES];
    size_t begin, end, step;
    const size_t count = qkv__travel_pieces(b->travel, parcel, pieces);
    qkv__order_units(&b->call->queries, b->call->rank, &begin, &end, &step);
    for (size_t unit = begin; unit < end; unit++) {
        qkv__run runs[QKV__RUNS];
        const size_t number = qkv__order_unit_runs(&b->call->queries, unit, runs);
        for (size_t r = 0; r < number; r++)
            for (size_t p = 0; p < count; p++) {
                const qkv_status status = add_piece(b, runs[r].local, runs[r].rows, runs[r].first,
                                                    &pieces[p], contents, sums, error);
                if (status != QKV_OK) return status;
                qkv__travel_poll(b->travel);
            }
    }
    return QKV_OK;
}

/* ---- The call ------------------------------------------------------------------------------- */

static qkv_status run(backward *b, qkv_error *error)
{
    qkv__travel *travel = b->travel;
    qkv_status status = QKV_OK;
    post_finals(b);
    for (size_t i = 0; i < travel->needs && travel->code == MPI_SUCCESS; i++) {
        if (b->posted <= i) post_sums(b);
        const unsigned char *contents = qkv__travel_wait(travel, i);
        if (contents == NULL || !wait_for(b, &b->receive[i % QKV__SLOTS])) break;
        if (b->posted <= i + 1) post_sums(b);
        if (status == QKV_OK)
            status = add_parcel(b, &travel->parcel[travel->need[i]], contents,
                                b->sums + i % QKV__SLOTS * b->numbers, error);
        send_sums(b, i);
        qkv__travel_done(travel, i);
    }
    for (size_t i = 0; i < QKV__SLOTS; i++) wait_for(b, &b->forward[i]);
    for (size_t i = 0; i < b->finals; i++) wait_for(b, &b->final_request[i]);
    qkv_error moving;
    const qkv_status moved = qkv__travel_finish(travel, &moving);
    if (status != QKV_OK || moved == QKV_OK) return status;
    *error = moving;
    return moved;
}

/* Sums of the pieces of own parcels into the results for keys and values. */
static qkv_status store_finals(backward *b, qkv_error *error)
{
    qkv__piece pieces[QKV__PIECES];
    const double *sums = b->final_sums;
    qkv_status status = QKV_OK;
    for (size_t p = 0; p < b->travel->parcels && status == QKV_OK; p++) {
        const qkv__parcel *parcel = &b->travel->parcel[p];
        if (parcel->owner != b->call->rank) continue;
        const size_t count = qkv__travel_pieces(b->travel, parcel, pieces);
        for (size_t i = 0; i < count; i++)
            for (int which = 1; which < 3 && status == QKV_OK; which++) {
                if (b->results[which].rank == 0) continue;
                const qkv_view to =
                    qkv__mpi_rows(&b->results[which], pieces[i].local, pieces[i].rows);
                const size_t at = which == 1 ? pieces[i].key_sums : pieces[i].value_sums;
                const qkv_view from = qkv_view_dense(QKV_F64, (void *)(sums + at), 4, to.shape);
                status = qkv_view_copy(&from, &to, error);
            }
        sums += parcel_numbers(b, parcel);
    }
    return status;
}

static qkv_status store(backward *b, qkv_error *error)
{
    qkv_status status = QKV_OK;
    if (b->results[0].rank > 0) {
        const qkv_view from = qkv_view_dense(QKV_F64, b->query_sums, 4, b->results[0].shape);
        status = qkv_view_copy(&from, &b->results[0], error);
    }
    return status == QKV_OK ? store_finals(b, error) : status;
}

static qkv_status take_results(backward *b, const qkv_view *const views[3], qkv_error *error)
{
    static const char *const names[3] = {"query_gradient", "key_gradient", "value_gradient"};
    const qkv_view *const like[3] = {&b->call->query, &b->call->key, &b->call->value};
    for (int i = 0; i < 3; i++) {
        if (views[i] == NULL) continue;
        qkv_status status = qkv__view_check_output(views[i], names[i], error);
        if (status == QKV_OK) status = qkv__mpi_check_host(views[i], names[i], error);
        if (status != QKV_OK) return status;
        b->results[i] = qkv__view_promote(views[i], 4);
        if (memcmp(b->results[i].shape, like[i]->shape, sizeof like[i]->shape) != 0)
            return qkv__fail(error, QKV_ERROR_SHAPE, "%s has shape %s; expected that of its input",
                             names[i], qkv__shape_format(views[i]->rank, views[i]->shape).text);
    }
    return QKV_OK;
}

qkv_status qkv_mpi_attention_gradient(MPI_Comm comm, const qkv_view *query, const qkv_view *key,
                                      const qkv_view *value, const qkv_view *output_gradient,
                                      const qkv_view *query_gradient, const qkv_view *key_gradient,
                                      const qkv_view *value_gradient,
                                      const qkv_attention_options *attention,
                                      const qkv_mpi_options *options, qkv_error *error)
{
    const qkv_view *const views[3] = {query_gradient, key_gradient, value_gradient};
    qkv__mpi_call call;
    qkv__travel travel = {.word = MPI_DATATYPE_NULL};
    backward b = {.call = &call, .travel = &travel};
    qkv_error own;
    if (error == NULL) error = &own;
    qkv_status status = qkv__mpi_call_make(QKV__MPI_GRADIENT, comm, query, key, value,
                                           output_gradient, attention, options, &call, error);
    if (status == QKV_OK) {
        status = take_results(&b, views, error);
        if (status == QKV_OK) status = qkv__travel_make(&call, &travel, error);
        if (status == QKV_OK) status = make_memory(&b, error);
        status = qkv__mpi_agree(call.comm, (int)call.ranks, status, error);
    }
    if (status == QKV_OK) {
        status = run(&b, error);
        if (status == QKV_OK) status = store(&b, error);
        status = qkv__mpi_agree(call.comm, (int)call.ranks, status, error);
    }
    free_memory(&b);
    qkv__travel_free(&travel);
    qkv__mpi_call_free(&call);
    return status;
}
