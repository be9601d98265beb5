/* Draws samples batch by batch and keeps confidence sequences of what is to be estimated. Batches
 * are cut by the number of samples alone and added in order, so that nothing depends on threads.
 * Knows programs and the lab; nothing of documents. */
#include "claim/sample/sample_part.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

enum {
    GROUP = 16, /* batches between two looks, of each member of a team */
    RAMP = 5,   /* first batches are small: each is compared with the mean of those before it */
};

static const uint64_t MOST = 2000000; /* samples that a claim may take ... */
static const uint64_t LEAST = 20000;
static const double EFFORT = 2e8;                /* ... and operations: about a second */
static const uint64_t PILOT = UINT64_C(1) << 62; /* numbers of samples that choose centres alone */

/* ---- What is kept -------------------------------------------------------------------------- */

/* Count, mean and spread of numbers. */
typedef struct moments {
    double count, mean, spread;
} moments;

typedef struct counts {
    uint64_t accepted, happened, open, blurred;
} counts;

/* A worker: a sampler of its own and room for a batch. */
typedef struct worker {
    qkv_lab_sampler *sampler;
    double *rows, *columns, *numbers;
    bool *accepts;
} worker;

/* A batch: which samples, and what came of them. */
typedef struct batch {
    uint64_t first;
    size_t count;
    counts *counts;   /* one an estimate */
    moments *moments; /* one a sequence */
} batch;

struct qkv__sample_tally {
    const qkv__sample *sample;
    size_t workers;
    worker *worker;
    const qkv_lab_team *team; /* or NULL */
    batch *batch;             /* GROUP of each member */
    unsigned char *record;    /* what came of them, one behind the other, */
    size_t record_bytes;      /* so long each */
    size_t own;               /* this process's first batch of the group */
    unsigned char *votes;     /* one a member: whether it goes on */
    size_t sequence_count;
    size_t *first;  /* of an estimate's sequences */
    double *centre; /* one a sequence: what is taken off its numbers */
    qkv_lab_sequence *sequence;
    moments *total; /* one a sequence */
    counts *counts; /* one an estimate */
    double error;   /* of one interval */
    uint64_t drawn;
};

/* Plain sequences of steps come first, then the products: V x | (x-c)^2, C x, y | product, W the
 * entries | their squares. */
static size_t plain_count(const qkv__sample_estimate *e)
{
    return e->kind == 'P' ? 0 : e->kind == 'W' ? e->entries : e->kind == 'C' ? 2 : 1;
}

static size_t sequences_of(const qkv__sample_estimate *e)
{
    return plain_count(e) + (e->kind == 'V' || e->kind == 'C' || e->kind == 'W' ? 1 : 0);
}

static int plain_step(const qkv__sample_estimate *e, size_t i)
{
    return e->kind == 'W' ? e->entry[i] : i == 0 ? e->x : e->y;
}

/* ---- A batch ------------------------------------------------------------------------------- */

static moments moments_of(const double *numbers, const bool *accepts, size_t count)
{
    moments m = {0};
    double sum = 0.0;
    for (size_t r = 0; r < count; r++)
        if (accepts[r]) {
            m.count += 1.0;
            sum += numbers[r];
        }
    if (m.count == 0.0) return m;
    m.mean = sum / m.count;
    for (size_t r = 0; r < count; r++)
        if (accepts[r]) m.spread += (numbers[r] - m.mean) * (numbers[r] - m.mean);
    return m;
}

static const double *column(const worker *w, int step)
{
    return w->columns + (size_t)step * QKV__SAMPLE_ROWS;
}

static counts count_events(const qkv__sample_estimate *e, const worker *w, size_t count)
{
    counts c = {0};
    for (size_t r = 0; r < count; r++) {
        double given = e->given < 0 ? 1.0 : column(w, e->given)[r];
        double event = e->kind == 'P' ? column(w, e->x)[r] : 0.0;
        w->accepts[r] = given == 1.0;
        c.blurred += given == 0.5;
        c.accepted += given == 1.0;
        c.happened += given == 1.0 && event == 1.0;
        c.open += given == 1.0 && event == 0.5;
    }
    return c;
}

/* (x - c)^2, (x - c)(y - d), or the sum of squares of the entries. */
static void products(const qkv__sample_tally *t, const qkv__sample_estimate *e, size_t first,
                     const worker *w, size_t count)
{
    memset(w->numbers, 0, count * sizeof *w->numbers);
    for (size_t i = 0; i < (e->kind == 'W' ? e->entries : 1); i++) {
        const double *x = column(w, plain_step(e, i));
        const double *y = e->kind == 'C' ? column(w, e->y) : x;
        double c = t->centre[first + i], d = e->kind == 'C' ? t->centre[first + 1] : c;
        for (size_t r = 0; r < count; r++) w->numbers[r] += (x[r] - c) * (y[r] - d);
    }
}

static void take_estimate(const qkv__sample_tally *t, size_t estimate, const worker *w, batch *b)
{
    const qkv__sample_estimate *e = &t->sample->estimate[estimate];
    size_t first = t->first[estimate], plain = plain_count(e);
    b->counts[estimate] = count_events(e, w, b->count);
    for (size_t i = 0; i < plain; i++) {
        const double *x = column(w, plain_step(e, i));
        for (size_t r = 0; r < b->count; r++) w->numbers[r] = x[r] - t->centre[first + i];
        b->moments[first + i] = moments_of(w->numbers, w->accepts, b->count);
    }
    if (sequences_of(e) == plain) return;
    products(t, e, first, w, b->count);
    b->moments[first + plain] = moments_of(w->numbers, w->accepts, b->count);
}

static void take_batch(size_t task, size_t number, void *context)
{
    qkv__sample_tally *t = context;
    worker *w = &t->worker[number];
    batch *b = &t->batch[t->own + task];
    qkv_error error;
    if (qkv_lab_sampler_draw(w->sampler, b->first, b->count, w->rows, &error) != QKV_OK) return;
    qkv__sample_run(t->sample, w->rows, b->count, w->columns);
    for (size_t i = 0; i < t->sample->estimate_count; i++) take_estimate(t, i, w, b);
}

static size_t members(const qkv__sample_tally *t)
{
    return t->team == NULL ? 1 : t->team->members;
}

/* The batches of a group, of which each member takes its part; false if they cannot be shared. */
static bool take_group(qkv__sample_tally *t, size_t count)
{
    if (t->team == NULL) {
        qkv__parallel(t->workers, count, take_batch, t);
        return true;
    }
    const size_t each = (count + t->team->members - 1) / t->team->members;
    const size_t begin = t->team->number * each;
    t->own = begin;
    if (begin < count)
        qkv__parallel(t->workers, count - begin < each ? count - begin : each, take_batch, t);
    t->own = 0;
    return t->team->gather(t->record, each * t->record_bytes, t->team->context);
}

/* Whether all members go on. */
static bool agree(const qkv__sample_tally *t, bool go_on)
{
    if (t->team == NULL) return go_on;
    t->votes[t->team->number] = go_on;
    return t->team->gather(t->votes, 1, t->team->context) &&
           memchr(t->votes, 0, t->team->members) == NULL;
}

/* ---- All batches --------------------------------------------------------------------------- */

static void merge(moments *total, const moments *more)
{
    double count = total->count + more->count, apart = more->mean - total->mean;
    if (more->count == 0.0) return;
    total->spread += more->spread + apart * apart * total->count * more->count / count;
    total->mean += apart * more->count / count;
    total->count = count;
}

static void add_batch(qkv__sample_tally *t, const batch *b)
{
    for (size_t i = 0; i < t->sequence_count; i++) {
        const moments *m = &b->moments[i];
        if (m->count == 0.0) continue;
        merge(&t->total[i], m);
        qkv_lab_sequence_add(&t->sequence[i], (uint64_t)m->count, m->mean, m->spread);
    }
    for (size_t i = 0; i < t->sample->estimate_count; i++) {
        t->counts[i].accepted += b->counts[i].accepted;
        t->counts[i].happened += b->counts[i].happened;
        t->counts[i].open += b->counts[i].open;
        t->counts[i].blurred += b->counts[i].blurred;
    }
    t->drawn += b->count;
}

/* The next batches, up to `most` samples; how many there are. */
static size_t plan_group(qkv__sample_tally *t, uint64_t next, uint64_t most, size_t *number)
{
    size_t count = 0;
    while (count < GROUP * members(t) && next < most) {
        size_t size = *number < RAMP ? (size_t)QKV__SAMPLE_ROWS >> (RAMP - *number)
                                     : (size_t)QKV__SAMPLE_ROWS;
        if (size > most - next) size = (size_t)(most - next);
        t->batch[count].first = next;
        t->batch[count++].count = size;
        next += size;
        ++*number;
    }
    return count;
}

/* Centres near the means make products small and their intervals narrow. They are chosen from
 * samples that are not used again, so that they are fixed before the first one that is. */
static void choose_centres(qkv__sample_tally *t)
{
    t->batch[0].first = PILOT;
    t->batch[0].count = QKV__SAMPLE_ROWS;
    take_batch(0, 0, t);
    for (size_t i = 0; i < t->sample->estimate_count; i++) {
        const qkv__sample_estimate *e = &t->sample->estimate[i];
        for (size_t k = 0; k < plain_count(e); k++) {
            const moments *m = &t->batch[0].moments[t->first[i] + k];
            t->centre[t->first[i] + k] = m->count > 0.0 && isfinite(m->mean) ? m->mean : 0.0;
        }
    }
}

/* ---- Ranges -------------------------------------------------------------------------------- */

static void start_sequences(qkv__sample_tally *t)
{
    for (size_t i = 0; i < t->sample->estimate_count; i++) {
        const qkv__sample_estimate *e = &t->sample->estimate[i];
        size_t first = t->first[i], plain = plain_count(e);
        double low = 0.0, high = 0.0, size[2] = {0.0, 0.0};
        for (size_t k = 0; k < plain; k++) {
            const qkv__sample_step *step = &t->sample->step[plain_step(e, k)];
            double c = t->centre[first + k], l = step->low - c, h = step->high - c;
            double largest = fmax(fabs(l), fabs(h));
            t->sequence[first + k] = qkv_lab_sequence_start(l, h, t->error);
            high += largest * largest;
            if (k < 2) size[k] = largest;
        }
        if (e->kind == 'C') {
            high = size[0] * size[1];
            low = -high;
        }
        if (sequences_of(e) > plain)
            t->sequence[first + plain] =
                qkv_lab_sequence_start(low, high * (1.0 + 1e-12), t->error);
    }
}

/* ---- Beginning and ending ------------------------------------------------------------------ */

static void free_worker(worker *w)
{
    qkv_lab_sampler_free(&w->sampler);
    qkv__free(w->rows);
    qkv__free(w->columns);
    qkv__free(w->numbers);
    qkv__free(w->accepts);
}

void qkv__sample_tally_free(qkv__sample_tally *t)
{
    if (t == NULL) return;
    for (size_t i = 0; t->worker != NULL && i < t->workers; i++) free_worker(&t->worker[i]);
    qkv__free(t->batch);
    qkv__free(t->record);
    qkv__free(t->votes);
    qkv__free(t->worker);
    qkv__free(t->first);
    qkv__free(t->centre);
    qkv__free(t->sequence);
    qkv__free(t->total);
    qkv__free(t->counts);
    qkv__free(t);
}

static bool make_worker(qkv__sample *sample, uint64_t seed, worker *w)
{
    w->sampler = qkv__sample_lab(sample, seed);
    if (w->sampler == NULL) return false;
    w->rows = qkv__allocate(sample->quantity_count * QKV__SAMPLE_ROWS * sizeof *w->rows);
    w->columns = qkv__allocate(sample->step_count * QKV__SAMPLE_ROWS * sizeof *w->columns);
    w->numbers = qkv__allocate(QKV__SAMPLE_ROWS * sizeof *w->numbers);
    w->accepts = qkv__allocate(QKV__SAMPLE_ROWS * sizeof *w->accepts);
    return (w->rows != NULL && w->columns != NULL && w->numbers != NULL && w->accepts != NULL) ||
           qkv__sample_fail(sample, "out of memory");
}

static bool make_arrays(qkv__sample_tally *t)
{
    size_t estimates = t->sample->estimate_count;
    size_t sequences = t->sequence_count > 0 ? t->sequence_count : 1;
    t->worker = qkv__allocate_zero(t->workers * sizeof *t->worker);
    t->centre = qkv__allocate_zero(sequences * sizeof *t->centre);
    t->sequence = qkv__allocate_zero(sequences * sizeof *t->sequence);
    t->total = qkv__allocate_zero(sequences * sizeof *t->total);
    t->counts = qkv__allocate_zero(estimates * sizeof *t->counts);
    return t->worker != NULL && t->centre != NULL && t->sequence != NULL && t->total != NULL &&
           t->counts != NULL;
}

static bool make_batches(qkv__sample_tally *t)
{
    const size_t count = GROUP * members(t),
                 counts_bytes = t->sample->estimate_count * sizeof(counts);
    t->record_bytes = counts_bytes + t->sequence_count * sizeof(moments);
    t->batch = qkv__allocate_zero(count * sizeof *t->batch);
    t->record = qkv__allocate_zero(count * t->record_bytes);
    t->votes = qkv__allocate_zero(members(t));
    if (t->batch == NULL || t->record == NULL || t->votes == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        void *record = t->record + i * t->record_bytes;
        t->batch[i].counts = record;
        t->batch[i].moments = (void *)(t->record + i * t->record_bytes + counts_bytes);
    }
    return true;
}

static qkv__sample_tally *make_tally(qkv__sample *sample, const qkv__sample_run_options *options)
{
    qkv__sample_tally *t = qkv__allocate_zero(sizeof *t);
    size_t pieces = 0;
    if (t == NULL) return qkv__sample_fail(sample, "out of memory"), NULL;
    t->sample = sample;
    t->team = options->team;
    t->workers = options->threads > 0 ? options->threads : (size_t)qkv__core_count();
    if (t->workers > GROUP) t->workers = GROUP;
    t->first = qkv__allocate_zero(sample->estimate_count * sizeof *t->first);
    for (size_t i = 0; t->first != NULL && i < sample->estimate_count; i++) {
        t->first[i] = t->sequence_count;
        t->sequence_count += sequences_of(&sample->estimate[i]);
        pieces += sample->estimate[i].kind == 'P' ? 2 : sequences_of(&sample->estimate[i]);
    }
    t->error = options->error / (double)pieces;
    bool good = t->first != NULL && make_arrays(t) && make_batches(t);
    if (!good) qkv__sample_fail(sample, "out of memory");
    for (size_t i = 0; good && i < t->workers; i++)
        good = make_worker(sample, options->seed, &t->worker[i]);
    if (good) return t;
    qkv__sample_tally_free(t);
    return NULL;
}

qkv__sample_tally *qkv__sample_draw(qkv__sample *sample, const qkv__sample_run_options *options)
{
    assert(options->proceed != NULL);
    if (sample->quantity_count == 0 || sample->estimate_count == 0)
        return qkv__sample_fail(sample, "nothing in it is random"), NULL;
    qkv__sample_tally *t = make_tally(sample, options);
    if (t == NULL) return NULL;
    double effort =
        2.0 * (double)qkv_lab_sampler_normals(t->worker[0].sampler) + (double)sample->step_count;
    uint64_t fits = (uint64_t)(EFFORT / effort), most = options->samples;
    if (most == 0) most = fits < LEAST ? LEAST : fits > MOST ? MOST : fits;
    size_t number = 0, count;
    choose_centres(t);
    start_sequences(t);
    while ((count = plan_group(t, t->drawn, most, &number)) > 0) {
        if (!take_group(t, count)) {
            qkv__sample_fail(sample,
                             "the team could not gather its samples: a member has failed, or has "
                             "others");
            qkv__sample_tally_free(t);
            return NULL;
        }
        for (size_t i = 0; i < count; i++) add_batch(t, &t->batch[i]);
        if (!agree(t, options->proceed(options->context, t, most))) break;
    }
    return t;
}

uint64_t qkv__sample_drawn(const qkv__sample_tally *t)
{
    return t->drawn;
}

/* ---- Intervals ----------------------------------------------------------------------------- */

static const qkv_lab_interval LINE = {-INFINITY, INFINITY};

static qkv_lab_interval sequence_interval(const qkv__sample_tally *t, size_t sequence)
{
    const qkv_lab_sequence *s = &t->sequence[sequence];
    if (!isfinite(s->range_low) || !isfinite(s->range_high) || isnan(t->total[sequence].mean))
        return LINE;
    qkv_lab_interval i = qkv_lab_sequence_interval(s);
    return isnan(i.low) || isnan(i.high) ? LINE : i;
}

static qkv_lab_interval square(qkv_lab_interval x)
{
    double l = x.low * x.low, h = x.high * x.high;
    return (qkv_lab_interval){x.low <= 0.0 && x.high >= 0.0 ? 0.0 : fmin(l, h), fmax(l, h)};
}

static qkv_lab_interval multiply(qkv_lab_interval x, qkv_lab_interval y)
{
    double a = x.low * y.low, b = x.low * y.high, c = x.high * y.low, d = x.high * y.high;
    return (qkv_lab_interval){fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d))};
}

/* E of the products less the products of E. */
static qkv_lab_interval second_moment(const qkv__sample_tally *t, const qkv__sample_estimate *e,
                                      size_t first)
{
    size_t plain = plain_count(e);
    qkv_lab_interval m = sequence_interval(t, first + plain), off = {0.0, 0.0};
    if (e->kind == 'C')
        off = multiply(sequence_interval(t, first), sequence_interval(t, first + 1));
    for (size_t i = 0; e->kind != 'C' && i < plain; i++) {
        qkv_lab_interval part = square(sequence_interval(t, first + i));
        off.low += part.low;
        off.high += part.high;
    }
    qkv_lab_interval r = {m.low - off.high, m.high - off.low};
    if (isnan(r.low) || isnan(r.high)) return LINE;
    if (e->kind != 'C') r.low = fmax(r.low, 0.0);
    if (e->kind == 'W') return (qkv_lab_interval){r.low * e->square, r.high * e->square};
    return r;
}

/* Wider by what rounding of samples and sums may come to. */
static qkv_lab_interval widen(qkv_lab_interval x)
{
    return (qkv_lab_interval){x.low - 1e-11 * (1.0 + fabs(x.low)),
                              x.high + 1e-11 * (1.0 + fabs(x.high))};
}

qkv_lab_interval qkv__sample_interval(const qkv__sample_tally *t, size_t estimate)
{
    const qkv__sample_estimate *e = &t->sample->estimate[estimate];
    const counts *c = &t->counts[estimate];
    size_t first = t->first[estimate];
    if (c->blurred > 0) return LINE;
    if (e->kind == 'P') {
        qkv_lab_interval low = qkv_lab_probability_interval(c->happened, c->accepted, t->error);
        qkv_lab_interval high =
            qkv_lab_probability_interval(c->happened + c->open, c->accepted, t->error);
        return (qkv_lab_interval){low.low, high.high};
    }
    if (e->kind != 'E') {
        qkv_lab_interval r = widen(second_moment(t, e, first));
        if (e->kind != 'C') r.low = fmax(r.low, 0.0);
        return r;
    }
    qkv_lab_interval r = sequence_interval(t, first);
    const qkv__sample_step *step = &t->sample->step[e->x];
    r = widen((qkv_lab_interval){r.low + t->centre[first], r.high + t->centre[first]});
    return (qkv_lab_interval){fmax(r.low, step->low), fmin(r.high, step->high)};
}

double qkv__sample_plain(const qkv__sample_tally *t, size_t estimate)
{
    const qkv__sample_estimate *e = &t->sample->estimate[estimate];
    const counts *c = &t->counts[estimate];
    size_t first = t->first[estimate], plain = plain_count(e);
    if (c->accepted == 0) return NAN;
    if (e->kind == 'P') return (double)c->happened / (double)c->accepted;
    if (e->kind == 'E') return t->total[first].mean + t->centre[first];
    double moment = t->total[first + plain].mean;
    if (e->kind == 'C') return moment - t->total[first].mean * t->total[first + 1].mean;
    for (size_t i = 0; i < plain; i++)
        moment -= t->total[first + i].mean * t->total[first + i].mean;
    return e->kind == 'W' ? moment * e->square : moment;
}
