/*
 * The sampler: cuts samples into chunks, has the kernel compute them on several threads, and merges
 * their sums in order. A chunk that is not full yet is computed anew when more samples are asked
 * for, so that the statistics never depend on how they were asked for.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "lab/model.h"
#include "lab/sample.h"
#include "lab/statistics.h"

#define DEFAULT_ERROR 1e-6
#define ROUND_SECONDS 0.05 /* of work between two calls of progress */

enum { SLOTS_AT_MOST = 1 << 12, ROOM_OF_SLOTS = 1 << 22 };

typedef struct worker {
    qkv__lab_workspace space;
    uint64_t *counts; /* of this run; map.total, or NULL */
} worker;

struct qkv_lab_sampler {
    qkv__arena arena;
    qkv__lab_plan plan;
    const qkv__lab_kernel *kernel;
    qkv_lab_progress progress;
    void *context;
    double error;

    uint64_t drawn;
    qkv__lab_totals closed;  /* of the chunks that are full */
    qkv__lab_totals current; /* and with the one that is not */
    qkv__lab_count_map map;
    uint64_t *closed_counts, *open_counts;

    const qkv_lab_team *partners; /* or NULL */
    unsigned char *parts;         /* what they tell each other */
    size_t part_chunks;           /* chunks of each in a round */

    size_t workers;
    worker *team;
    size_t slots; /* chunks of a round at most */
    double *sums; /* slots x qkv__lab_sum_count() */
};

/* ---- Life ----------------------------------------------------------------------------------- */

void qkv_lab_sampler_free(qkv_lab_sampler **sampler)
{
    if (sampler == NULL || *sampler == NULL) return;
    qkv_lab_sampler *s = *sampler;
    for (size_t w = 0; s->team != NULL && w < s->workers; w++)
        qkv__lab_workspace_free(&s->team[w].space);
    qkv__free(s->sums);
    qkv__free(s->parts);
    qkv__arena_free(&s->arena);
    qkv__free(s);
    *sampler = NULL;
}

static qkv_status make_team(qkv_lab_sampler *s, int threads, qkv_error *error)
{
    s->workers = (size_t)(threads > 0 ? threads : qkv__core_count());
    if (s->workers > QKV__WORKERS_AT_MOST) s->workers = QKV__WORKERS_AT_MOST;
    s->team = qkv__arena_array(&s->arena, s->workers, sizeof *s->team);
    if (s->team == NULL) return qkv__lab_no_memory(&s->arena, error);
    for (size_t w = 0; w < s->workers; w++) {
        qkv_status status = qkv__lab_workspace_make(&s->plan, &s->team[w].space, error);
        if (status != QKV_OK) return status;
        s->team[w].counts =
            qkv__arena_array(&s->arena, s->map.total + 1, sizeof *s->team[w].counts);
        if (s->team[w].counts == NULL) return qkv__lab_no_memory(&s->arena, error);
    }
    return QKV_OK;
}

static qkv_status make_statistics(qkv_lab_sampler *s, qkv_error *error)
{
    size_t sums = qkv__lab_sum_count(&s->plan), bytes = SIZE_MAX;
    if (!qkv__lab_totals_make(&s->plan, s->error, &s->arena, &s->closed) ||
        !qkv__lab_totals_make(&s->plan, s->error, &s->arena, &s->current) ||
        !qkv__lab_count_map_make(&s->plan, &s->arena, &s->map))
        return qkv__lab_no_memory(&s->arena, error);
    s->closed_counts = qkv__arena_array(&s->arena, s->map.total + 1, sizeof *s->closed_counts);
    s->open_counts = qkv__arena_array(&s->arena, s->map.total + 1, sizeof *s->open_counts);
    if (s->closed_counts == NULL || s->open_counts == NULL)
        return qkv__lab_no_memory(&s->arena, error);
    s->slots = ROOM_OF_SLOTS / sums;
    if (s->slots > SLOTS_AT_MOST) s->slots = SLOTS_AT_MOST;
    if (s->slots == 0) s->slots = 1;
    if (!qkv__size_multiply(s->slots * sums, sizeof *s->sums, &bytes) ||
        (s->sums = qkv__allocate(bytes)) == NULL)
        return qkv__fail_memory(error, bytes);
    return QKV_OK;
}

/* Room for a round of all partners: of each, the sums of its chunks and whether it goes on. */
static qkv_status meet_partners(qkv_lab_sampler *s, const qkv_lab_team *partners, qkv_error *error)
{
    enum { CHUNKS = 64 };
    size_t bytes = SIZE_MAX;
    if (partners->members == 0 || partners->number >= partners->members || partners->gather == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "options.team has number %zu of %zu members; expected less, and gather",
                         partners->number, partners->members);
    if (s->map.total > 0)
        return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                         "a quantity has a histogram or quantiles; with a team expected neither");
    s->partners = partners;
    s->part_chunks = s->slots < CHUNKS ? s->slots : CHUNKS;
    if (!qkv__size_multiply(s->part_chunks * qkv__lab_sum_count(&s->plan) + 1,
                            sizeof(double) * partners->members, &bytes) ||
        (s->parts = qkv__allocate_zero(bytes)) == NULL)
        return qkv__fail_memory(error, bytes);
    return QKV_OK;
}

static qkv_status set_up(qkv_lab_sampler *s, const qkv_lab_model *model,
                         const qkv_lab_options *options, qkv_error *error)
{
    qkv_status status = qkv__lab_plan_make(model, options, &s->arena, &s->plan, error);
    if (status != QKV_OK) return status;
    /* The plan has read the options: fields that an older caller does not have are not touched. */
    qkv_lab_options known = qkv_lab_options_default();
    if (options != NULL)
        memcpy(&known, options,
               options->struct_size < sizeof known ? options->struct_size : sizeof known);
    s->error = known.error != 0.0 ? known.error : DEFAULT_ERROR;
    s->progress = known.progress;
    s->context = known.context;
    if (!(s->error > 0.0 && s->error < 1.0))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "options.error is %g: expected from 0 to 1",
                         s->error);
    if (known.threads < 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "options.threads is %d: expected 0 or more",
                         known.threads);
    status = qkv__lab_kernel_find(known.kernel, &s->kernel, error);
    if (status == QKV_OK) status = make_statistics(s, error);
    if (status == QKV_OK) status = make_team(s, known.threads, error);
    if (status == QKV_OK && known.team != NULL) status = meet_partners(s, known.team, error);
    return status;
}

qkv_status qkv_lab_sampler_create(const qkv_lab_model *model, const qkv_lab_options *options,
                                  qkv_lab_sampler **sampler, qkv_error *error)
{
    qkv_lab_sampler *made = NULL;
    if (model == NULL || sampler == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s is NULL",
                         model == NULL ? "model" : "sampler");
    made = qkv__allocate_zero(sizeof *made);
    if (made == NULL) return qkv__fail_memory(error, sizeof *made);
    qkv_status status = set_up(made, model, options, error);
    if (status == QKV_OK)
        *sampler = made;
    else
        qkv_lab_sampler_free(&made);
    return status;
}

/* ---- Drawing -------------------------------------------------------------------------------- */

/* The sums of samples first ... first + count - 1, which are the beginning of a chunk. */
static void compute_chunk(qkv_lab_sampler *s, const qkv__lab_workspace *space, uint64_t first,
                          size_t count, uint64_t *counts, double *sums)
{
    const qkv__lab_plan *plan = &s->plan;
    qkv__lab_columns_clear(plan, space->columns);
    for (size_t done = 0; done < count; done += plan->block) {
        size_t part = count - done < plan->block ? count - done : plan->block;
        s->kernel->fill(plan, space, first + done, part);
        s->kernel->add(plan, space, part);
        if (s->map.total > 0) qkv__lab_count(plan, &s->map, space, part, counts);
    }
    qkv__lab_columns_close(plan, space->columns, sums);
}

typedef struct round_of_chunks {
    qkv_lab_sampler *sampler;
    uint64_t first_chunk;
} round_of_chunks;

static void run_task(size_t task, size_t number, void *context)
{
    const round_of_chunks *round = context;
    qkv_lab_sampler *s = round->sampler;
    worker *self = &s->team[number];
    compute_chunk(s, &self->space, (round->first_chunk + task) * QKV__LAB_CHUNK, QKV__LAB_CHUNK,
                  self->counts, s->sums + task * qkv__lab_sum_count(&s->plan));
}

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Full chunks from `chunk` to `end`; rounds grow until they take a while. Returns the chunk that
 * comes next: `end`, unless progress stopped it. */
static uint64_t run_chunks(qkv_lab_sampler *s, uint64_t chunk, uint64_t end, uint64_t total)
{
    const size_t sums = qkv__lab_sum_count(&s->plan);
    const uint64_t begin = s->drawn;
    size_t width = s->workers < s->slots ? s->workers : s->slots;
    while (chunk < end) {
        size_t count = end - chunk < width ? (size_t)(end - chunk) : width;
        double start = seconds_now();
        round_of_chunks round = {s, chunk};
        qkv__parallel(s->workers, count, run_task, &round);
        for (size_t t = 0; t < count; t++)
            qkv__lab_totals_merge(&s->plan, &s->closed, s->sums + t * sums);
        chunk += count;
        if (seconds_now() - start < ROUND_SECONDS && width <= s->slots / 2) width *= 2;
        uint64_t done = chunk * QKV__LAB_CHUNK - begin;
        if (s->progress != NULL && !s->progress(done, total, s->context)) break;
    }
    return chunk;
}

/*
 * The same with partners. A round has equally many chunks for each of them, but the last may have
 * fewer for some; a partner's part is the sums of its chunks and 1 where it wants to go on. False
 * if they could not be gathered.
 */
static bool run_chunks_together(qkv_lab_sampler *s, uint64_t *chunk, uint64_t end, uint64_t total)
{
    const qkv_lab_team *all = s->partners;
    const size_t sums = qkv__lab_sum_count(&s->plan), most = s->part_chunks;
    const uint64_t begin = s->drawn;
    bool go_on = true;
    while (*chunk < end && go_on) {
        const uint64_t left = (end - *chunk + all->members - 1) / all->members;
        const size_t each = left < most ? (size_t)left : most, part = each * sums + 1;
        const uint64_t first = *chunk + all->number * each;
        const size_t own = first >= end ? 0 : end - first < each ? (size_t)(end - first) : each;
        double *parts = (double *)(void *)s->parts, *mine = parts + all->number * part;
        round_of_chunks round = {s, first};
        qkv__parallel(s->workers, own, run_task, &round);
        memcpy(mine, s->sums, own * sums * sizeof *mine);
        mine[each * sums] =
            s->progress == NULL || s->progress(*chunk * QKV__LAB_CHUNK - begin, total, s->context);
        if (!all->gather(parts, part * sizeof *parts, all->context)) return false;
        for (size_t m = 0; m < all->members; m++) {
            for (size_t c = 0; c < each && *chunk < end; c++, ++*chunk)
                qkv__lab_totals_merge(&s->plan, &s->closed, parts + m * part + c * sums);
            go_on = go_on && parts[m * part + each * sums] != 0.0;
        }
    }
    return true;
}

/* Counts of the workers join those of the closed chunks. */
static void gather_counts(qkv_lab_sampler *s)
{
    for (size_t w = 0; w < s->workers; w++)
        for (size_t i = 0; i < s->map.total; i++) {
            s->closed_counts[i] += s->team[w].counts[i];
            s->team[w].counts[i] = 0;
        }
}

qkv_status qkv_lab_sampler_run(qkv_lab_sampler *s, uint64_t count, qkv_error *error)
{
    if (count > (UINT64_C(1) << 62) - s->drawn)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%llu samples are more than can be told apart",
                         (unsigned long long)count);
    uint64_t target = s->drawn + count, end = target / QKV__LAB_CHUNK;
    uint64_t chunk = s->drawn / QKV__LAB_CHUNK;
    if (s->partners == NULL)
        chunk = run_chunks(s, chunk, end, count);
    else if (!run_chunks_together(s, &chunk, end, count))
        return qkv__fail(error, QKV_ERROR_DEVICE,
                         "the team could not gather its samples: a member has failed, or has "
                         "others");
    gather_counts(s);
    size_t open = chunk == end ? (size_t)(target % QKV__LAB_CHUNK) : 0;
    memset(s->open_counts, 0, s->map.total * sizeof *s->open_counts);
    qkv__lab_totals_copy(&s->plan, &s->closed, &s->current);
    if (open > 0) {
        compute_chunk(s, &s->team[0].space, chunk * QKV__LAB_CHUNK, open, s->open_counts, s->sums);
        qkv__lab_totals_merge(&s->plan, &s->current, s->sums);
    }
    s->drawn = chunk * QKV__LAB_CHUNK + open;
    return QKV_OK;
}

qkv_status qkv_lab_sampler_draw(qkv_lab_sampler *s, uint64_t first, size_t count, double *rows,
                                qkv_error *error)
{
    const qkv__lab_plan *plan = &s->plan;
    const qkv__lab_workspace *space = &s->team[0].space;
    if (rows == NULL && count > 0) return qkv__fail(error, QKV_ERROR_ARGUMENT, "rows is NULL");
    if (count > UINT64_MAX - first)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "samples from %llu on: there are fewer than %zu",
                         (unsigned long long)first, count);
    for (size_t done = 0; done < count; done += plan->block) {
        size_t part = count - done < plan->block ? count - done : plan->block;
        s->kernel->fill(plan, space, first + done, part);
        for (size_t x = 0; x < part; x++)
            for (size_t q = 0; q < plan->quantities; q++)
                rows[(done + x) * plan->quantities + q] = space->quantity[q][x];
    }
    return QKV_OK;
}

qkv_lab_tables qkv_lab_sampler_tables(const qkv_lab_sampler *s)
{
    const qkv__lab_plan *plan = &s->plan;
    return (qkv_lab_tables){
        .struct_size = sizeof(qkv_lab_tables),
        .seed = plan->seed,
        .keys = plan->keys,
        .heads = plan->heads,
        .outputs = plan->outputs,
        .normals = plan->normals,
        .full_keys = plan->full_keys,
        .score_mean = plan->score_mean,
        .factor_start = plan->factor_start,
        .factor_normal = plan->factor_normal,
        .factor_value = plan->factor_value,
        .values = plan->values,
        .quantities = plan->quantities,
        .quantity = plan->quantity,
        .sums = qkv__lab_sum_count(plan),
        .covariance = plan->covariance,
        .counted = s->map.total > 0,
        .origin = plan->origin,
        .events = plan->events,
        .event = plan->event,
        .given = plan->given,
    };
}

qkv_status qkv_lab_sampler_add_sums(qkv_lab_sampler *s, uint64_t chunks, const double *sums,
                                    qkv_error *error)
{
    if (sums == NULL && chunks > 0) return qkv__fail(error, QKV_ERROR_ARGUMENT, "sums is NULL");
    if (s->drawn % QKV__LAB_CHUNK != 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "%llu samples are drawn; expected a multiple of %d",
                         (unsigned long long)s->drawn, QKV__LAB_CHUNK);
    if (s->map.total > 0)
        return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                         "a quantity has a histogram or quantiles; expected neither");
    if (chunks > ((UINT64_C(1) << 62) - s->drawn) / QKV__LAB_CHUNK)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "%llu chunks of samples are more than can be told apart",
                         (unsigned long long)chunks);
    for (uint64_t c = 0; c < chunks; c++)
        qkv__lab_totals_merge(&s->plan, &s->closed, sums + c * qkv__lab_sum_count(&s->plan));
    qkv__lab_totals_copy(&s->plan, &s->closed, &s->current);
    s->drawn += chunks * QKV__LAB_CHUNK;
    return QKV_OK;
}

/* ---- Results -------------------------------------------------------------------------------- */

static double total(const qkv_lab_sampler *s, size_t sum)
{
    return s->current.sum[sum] + s->current.lost[sum];
}

uint64_t qkv_lab_sampler_drawn(const qkv_lab_sampler *s)
{
    return s->drawn;
}

uint64_t qkv_lab_sampler_accepted(const qkv_lab_sampler *s)
{
    return (uint64_t)total(s, 0);
}

size_t qkv_lab_sampler_quantities(const qkv_lab_sampler *s)
{
    return s->plan.quantities;
}

size_t qkv_lab_sampler_normals(const qkv_lab_sampler *s)
{
    if (!s->plan.full_keys) return s->plan.normals;
    return s->plan.width * (s->plan.shared ? 1 : s->plan.keys);
}

const char *qkv_lab_sampler_kernel(const qkv_lab_sampler *s)
{
    return s->kernel->name;
}

uint64_t qkv_lab_sampler_event(const qkv_lab_sampler *s, size_t event)
{
    return event < s->plan.events ? (uint64_t)total(s, qkv__lab_sum_event(event)) : 0;
}

/* Of sums of centred numbers: (sum x y - sum x sum y / n) / (n - 1). */
double qkv_lab_sampler_covariance(const qkv_lab_sampler *s, size_t quantity, size_t other)
{
    const qkv__lab_plan *plan = &s->plan;
    size_t j = quantity < other ? quantity : other, k = quantity < other ? other : quantity;
    double count = total(s, 0);
    if (k >= plan->quantities || (j != k && !plan->covariance) || count < 2.0) return NAN;
    double x = total(s, qkv__lab_sum_first(plan) + j), y = total(s, qkv__lab_sum_first(plan) + k);
    double centred = total(s, qkv__lab_sum_product(plan, j, k)) - x * (y / count);
    return (j == k ? fmax(centred, 0.0) : centred) / (count - 1.0);
}

qkv_lab_summary qkv_lab_sampler_summary(const qkv_lab_sampler *s, size_t quantity)
{
    const qkv__lab_plan *plan = &s->plan;
    double count = total(s, 0);
    if (quantity >= plan->quantities)
        return (qkv_lab_summary){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    qkv_lab_interval interval = qkv_lab_sequence_interval(&s->current.sequences[quantity]);
    double sum = total(s, qkv__lab_sum_first(plan) + quantity);
    return (qkv_lab_summary){
        .count = (uint64_t)count,
        .mean = count > 0.0 ? plan->origin[quantity] + sum / count : NAN,
        .variance = qkv_lab_sampler_covariance(s, quantity, quantity),
        .least = count > 0.0 ? s->current.sum[qkv__lab_sum_least(plan) + quantity] : NAN,
        .greatest = count > 0.0 ? s->current.sum[qkv__lab_sum_greatest(plan) + quantity] : NAN,
        .low = interval.low,
        .high = interval.high,
        .range_low = plan->range_low[quantity],
        .range_high = plan->range_high[quantity]};
}

qkv_status qkv_lab_sampler_histogram(const qkv_lab_sampler *s, size_t quantity, uint64_t *counts,
                                     qkv_error *error)
{
    if (quantity >= s->plan.quantities || s->plan.quantity[quantity].bins == 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "quantity %zu has no histogram", quantity);
    size_t first = s->map.histogram[quantity];
    for (size_t b = 0; b < s->plan.quantity[quantity].bins + 2; b++)
        counts[b] = s->closed_counts[first + b] + s->open_counts[first + b];
    return QKV_OK;
}

qkv_status qkv_lab_sampler_quantile(const qkv_lab_sampler *s, size_t quantity, double level,
                                    double *value, qkv_error *error)
{
    if (quantity >= s->plan.quantities || !s->plan.quantity[quantity].quantiles)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "no quantiles were kept of quantity %zu",
                         quantity);
    if (!(level >= 0.0 && level <= 1.0))
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "the level is %g: expected from 0 to 1", level);
    qkv_lab_summary summary = qkv_lab_sampler_summary(s, quantity);
    if (summary.count == 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "there are no samples to take a quantile of");
    double rank = ceil(level * (double)summary.count);
    size_t first = s->map.quantile[quantity];
    double found = qkv__lab_quantile(s->closed_counts + first, s->open_counts + first,
                                     rank < 1.0 ? 1 : (uint64_t)rank);
    *value = fmin(fmax(found, summary.least), summary.greatest);
    return QKV_OK;
}
