/* Sending and receiving parcels. Knows messages, and nothing of attention. */
#include "mpi/travel.h"

#include <sched.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "mpi/agree.h"

enum { WORD = 64, TAG_FEED = 1, TAG_CHAIN = 2 };

static size_t round_up(size_t bytes)
{
    return (bytes + WORD - 1) / WORD * WORD;
}

/* ---- Parcels -------------------------------------------------------------------------------- */

/* Few enough units that every rank has some parcels, so that compute and transport overlap. */
size_t qkv__travel_group(const qkv__order *keys)
{
    const size_t share = keys->units / keys->ranks / 4;
    return share < 1 ? 1 : share < QKV__GROUP ? share : QKV__GROUP;
}

size_t qkv__travel_pieces(const qkv__travel *travel, const qkv__parcel *parcel,
                          qkv__piece pieces[QKV__PIECES])
{
    const qkv_view *key = &travel->call->key, *value = &travel->call->value;
    const size_t heads = key->shape[QKV__AXIS_BATCH] * key->shape[QKV__AXIS_HEADS];
    size_t count = 0, bytes = 0, sums = 0;
    for (size_t unit = parcel->begin; unit < parcel->end; unit++) {
        qkv__run runs[QKV__RUNS];
        const size_t number = qkv__order_unit_runs(&travel->call->keys, unit, runs);
        for (size_t r = 0; r < number; r++) {
            qkv__piece *p = &pieces[count++];
            const size_t keys = heads * runs[r].rows * key->shape[QKV__AXIS_WIDTH];
            const size_t values = heads * runs[r].rows * value->shape[QKV__AXIS_WIDTH];
            *p = (qkv__piece){.first = runs[r].first,
                              .rows = runs[r].rows,
                              .local = runs[r].local,
                              .key = bytes,
                              .key_sums = sums,
                              .value_sums = sums + keys};
            p->value = bytes + round_up(keys * qkv__type_size(key->type));
            p->payload_end = bytes = p->value + round_up(values * qkv__type_size(value->type));
            p->sums_end = sums = sums + keys + values;
        }
    }
    return count;
}

static size_t parcel_bytes(const qkv__travel *travel, const qkv__parcel *parcel)
{
    qkv__piece pieces[QKV__PIECES];
    const size_t count = qkv__travel_pieces(travel, parcel, pieces);
    return count == 0 ? 0 : pieces[count - 1].payload_end;
}

bool qkv__travel_needs(const qkv__travel *travel, const qkv__parcel *parcel, size_t rank)
{
    if (!travel->direct) return true;
    qkv__run shard[QKV__RUNS];
    qkv__piece pieces[QKV__PIECES];
    const size_t runs = qkv__order_shard_runs(&travel->call->queries, rank, shard);
    const size_t count = qkv__travel_pieces(travel, parcel, pieces);
    size_t begin, end;
    for (size_t r = 0; r < runs; r++)
        for (size_t p = 0; p < count; p++)
            if (qkv__mpi_sees(travel->call, shard[r].first, shard[r].rows, pieces[p].first,
                              pieces[p].rows, &begin, &end))
                return true;
    return false;
}

static size_t count_parcels(const qkv__order *keys, size_t group)
{
    size_t count = 0;
    for (size_t rank = 0; rank < keys->ranks; rank++) {
        size_t begin, end, step;
        qkv__order_units(keys, rank, &begin, &end, &step);
        count += (end - begin + group - 1) / group;
    }
    return count;
}

static void fill_parcels(qkv__travel *travel, size_t group)
{
    const qkv__order *keys = &travel->call->keys;
    size_t count = 0;
    for (size_t rank = 0; rank < keys->ranks; rank++) {
        size_t begin, end, step;
        qkv__order_units(keys, rank, &begin, &end, &step);
        for (; begin < end; begin += group) {
            const qkv__parcel parcel = {begin, begin + group < end ? begin + group : end, rank};
            const size_t bytes = parcel_bytes(travel, &parcel);
            travel->parcel[count] = parcel;
            if (bytes > travel->parcel_bytes) travel->parcel_bytes = bytes;
            if (qkv__travel_needs(travel, &parcel, travel->call->rank))
                travel->need[travel->needs++] = count;
            count++;
        }
    }
    travel->parcels = count;
}

qkv_status qkv__travel_make(const qkv__mpi_call *call, qkv__travel *travel, qkv_error *error)
{
    const size_t group = qkv__travel_group(&call->keys);
    const size_t count = count_parcels(&call->keys, group);
    size_t bytes = SIZE_MAX;
    *travel = (qkv__travel){.call = call, .word = MPI_DATATYPE_NULL};
    travel->direct = qkv__mpi_is_local(call) && call->keys.layout == QKV_MPI_CONTIGUOUS;
    for (size_t i = 0; i < QKV__SLOTS; i++)
        travel->receive[i] = travel->forward[i] = MPI_REQUEST_NULL;
    for (size_t i = 0; i < QKV__FEEDS; i++) travel->feed[i] = MPI_REQUEST_NULL;
    travel->parcel = qkv__allocate((count + 1) * sizeof *travel->parcel);
    travel->need = qkv__allocate((count + 1) * sizeof *travel->need);
    if (travel->parcel == NULL || travel->need == NULL)
        return qkv__fail_memory(error, (count + 1) * sizeof *travel->parcel);
    fill_parcels(travel, group);
    if (!qkv__size_multiply(travel->parcel_bytes, QKV__SLOTS + QKV__FEEDS, &bytes))
        return qkv__fail_memory(error, bytes);
    travel->memory = qkv__allocate(bytes > 0 ? bytes : WORD);
    if (travel->memory == NULL) return qkv__fail_memory(error, bytes);
    int code = MPI_Type_contiguous(WORD, MPI_BYTE, &travel->word);
    if (code == MPI_SUCCESS) code = MPI_Type_commit(&travel->word);
    return qkv__mpi_check(code, "make a type", error);
}

void qkv__travel_free(qkv__travel *travel)
{
    if (travel->word != MPI_DATATYPE_NULL) MPI_Type_free(&travel->word);
    qkv__free(travel->parcel);
    qkv__free(travel->need);
    qkv__free(travel->memory);
    *travel = (qkv__travel){.word = MPI_DATATYPE_NULL};
}

/* ---- Packing -------------------------------------------------------------------------------- */

/* Rows of a view of four axes, densely. */
static void pack_rows(const qkv_view *view, size_t first, size_t rows, unsigned char *to)
{
    qkv_view from = qkv__mpi_rows(view, first, rows);
    const size_t size = qkv__type_size(view->type), width = view->shape[QKV__AXIS_WIDTH];
    if (view->stride[QKV__AXIS_WIDTH] != 1 && width > 1) {
        const qkv_view dense = qkv_view_dense(view->type, to, 4, from.shape);
        qkv_view_copy(&from, &dense, NULL); /* of equal shapes and types: it cannot fail */
        return;
    }
    for (size_t b = 0; b < from.shape[0]; b++)
        for (size_t h = 0; h < from.shape[1]; h++)
            for (size_t row = 0; row < rows; row++, to += width * size) {
                const ptrdiff_t offset = (ptrdiff_t)b * from.stride[0] +
                                         (ptrdiff_t)h * from.stride[1] +
                                         (ptrdiff_t)row * from.stride[2];
                memcpy(to, (unsigned char *)from.data + offset * (ptrdiff_t)size, width * size);
            }
}

static void pack(const qkv__travel *travel, const qkv__parcel *parcel, unsigned char *to)
{
    qkv__piece pieces[QKV__PIECES];
    const size_t count = qkv__travel_pieces(travel, parcel, pieces);
    for (size_t p = 0; p < count; p++) {
        pack_rows(&travel->call->key, pieces[p].local, pieces[p].rows, to + pieces[p].key);
        pack_rows(&travel->call->value, pieces[p].local, pieces[p].rows, to + pieces[p].value);
    }
}

/* ---- Messages ------------------------------------------------------------------------------- */

static void note(qkv__travel *travel, int code)
{
    if (travel->code == MPI_SUCCESS) travel->code = code;
}

static unsigned char *slot(qkv__travel *travel, size_t number)
{
    return travel->memory + number * travel->parcel_bytes;
}

static bool is_complete(qkv__travel *travel, MPI_Request *request)
{
    int done = 1;
    if (*request != MPI_REQUEST_NULL) note(travel, MPI_Test(request, &done, MPI_STATUS_IGNORE));
    return done != 0;
}

static void send(qkv__travel *travel, size_t number, unsigned char *from, size_t to, int tag,
                 MPI_Request *request)
{
    const size_t words = parcel_bytes(travel, &travel->parcel[number]) / WORD;
    note(travel,
         MPI_Isend(from, (int)words, travel->word, (int)to, tag, travel->call->comm, request));
}

/* Makes ready for needed parcel `posted`: packs an own one, or posts a receive. */
static void post(qkv__travel *travel)
{
    const size_t i = travel->posted++, place = i % QKV__SLOTS, number = travel->need[i];
    const qkv__parcel *parcel = &travel->parcel[number];
    const size_t rank = travel->call->rank, bytes = parcel_bytes(travel, parcel);
    travel->here[place] = parcel->owner == rank;
    if (travel->here[place]) {
        pack(travel, parcel, slot(travel, place));
        return;
    }
    const bool fed = travel->direct || rank == 0;
    note(travel, MPI_Irecv(slot(travel, place), (int)(bytes / WORD), travel->word,
                           (int)(fed ? parcel->owner : rank - 1), fed ? TAG_FEED : TAG_CHAIN,
                           travel->call->comm, &travel->receive[place]));
}

/* Passes parcel `passed`, which is here, on to the next rank of the chain. */
static void pass(qkv__travel *travel)
{
    const size_t i = travel->passed++, place = i % QKV__SLOTS, number = travel->need[i];
    const size_t next = travel->call->rank + 1;
    if (travel->direct || next >= travel->call->ranks || travel->parcel[number].owner == next)
        return;
    send(travel, number, slot(travel, place), next, TAG_CHAIN, &travel->forward[place]);
}

/* Moves feed_parcel and feed_rank on to the next message that this rank owes, if they are not at
 * one; false if none is left. */
static bool find_feed(qkv__travel *travel)
{
    const size_t rank = travel->call->rank, ranks = travel->call->ranks;
    for (; travel->feed_parcel < travel->parcels; travel->feed_parcel++, travel->feed_rank = 0) {
        const qkv__parcel *parcel = &travel->parcel[travel->feed_parcel];
        if (parcel->owner != rank) continue;
        for (; travel->feed_rank < (travel->direct ? ranks : 1); travel->feed_rank++)
            if (travel->feed_rank != rank && qkv__travel_needs(travel, parcel, travel->feed_rank))
                return true;
    }
    return false;
}

static void feed(qkv__travel *travel)
{
    while (find_feed(travel)) {
        const size_t place = travel->sent % QKV__FEEDS;
        if (!is_complete(travel, &travel->feed[place])) return;
        unsigned char *memory = slot(travel, QKV__SLOTS + place);
        pack(travel, &travel->parcel[travel->feed_parcel], memory);
        send(travel, travel->feed_parcel, memory, travel->feed_rank, TAG_FEED,
             &travel->feed[place]);
        travel->feed_rank++;
        travel->sent++;
    }
}

/* Whether the place of parcel `posted` is free. */
static bool may_post(qkv__travel *travel)
{
    if (travel->posted >= travel->needs) return false;
    if (travel->posted < QKV__SLOTS) return true;
    const size_t before = travel->posted - QKV__SLOTS;
    return before < travel->consumed && before < travel->passed &&
           is_complete(travel, &travel->forward[before % QKV__SLOTS]);
}

void qkv__travel_poll(qkv__travel *travel)
{
    if (travel->code != MPI_SUCCESS) return;
    feed(travel);
    while (may_post(travel)) post(travel);
    for (size_t i = travel->arrived; i < travel->posted; i++) {
        const size_t place = i % QKV__SLOTS;
        if (!travel->here[place])
            travel->here[place] = is_complete(travel, &travel->receive[place]);
    }
    while (travel->arrived < travel->posted && travel->here[travel->arrived % QKV__SLOTS]) {
        travel->arrived++;
        pass(travel);
    }
    for (size_t i = 0; i < QKV__SLOTS; i++) is_complete(travel, &travel->forward[i]);
}

const unsigned char *qkv__travel_wait(qkv__travel *travel, size_t i)
{
    qkv__travel_poll(travel);
    while (travel->arrived <= i && travel->code == MPI_SUCCESS) {
        sched_yield();
        qkv__travel_poll(travel);
    }
    return travel->code == MPI_SUCCESS ? slot(travel, i % QKV__SLOTS) : NULL;
}

void qkv__travel_done(qkv__travel *travel, size_t i)
{
    travel->consumed = i + 1;
    qkv__travel_poll(travel);
}

static bool is_finished(qkv__travel *travel)
{
    bool finished = !find_feed(travel) && travel->passed == travel->needs;
    for (size_t i = 0; i < QKV__FEEDS; i++) finished &= is_complete(travel, &travel->feed[i]);
    for (size_t i = 0; i < QKV__SLOTS; i++) finished &= is_complete(travel, &travel->forward[i]);
    return finished;
}

qkv_status qkv__travel_finish(qkv__travel *travel, qkv_error *error)
{
    while (travel->code == MPI_SUCCESS && !is_finished(travel)) {
        sched_yield();
        qkv__travel_poll(travel);
    }
    return qkv__mpi_check(travel->code, "move keys and values between ranks", error);
}
