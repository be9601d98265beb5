/*
 * The gradient on several threads: a forward pass where its results were not given, then all
 * tiles, then all stretches of keys, and once more for what options add to the scores. Knows what
 * belongs to a key head and whose turn it is, and nothing of the arithmetic: see gradient.h.
 */
#include <assert.h>
#include <math.h>
#include <stdint.h>

#include "attention/gradient.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"

/* Under this many multiplications a second thread costs more than it brings. */
#define WORK_PER_THREAD 1e5

/*
 * Tasks are numbered sequence by sequence. Within one, stretches come in the order of keys, and
 * each is done for all key heads before the next: neighbours seldom wait for each other, and under
 * a causal mask the long ones come early.
 */
typedef struct plan {
    const qkv__gradient *gradient;
    const qkv__gradient_kernel *kernel;
    const qkv__problem *problem; /* its output is g */
    qkv__problem known;          /* its output is c, and it has log_sum_exp */
    qkv__problem results;        /* its query, key and value are dq, dk and dv */
    size_t kv_heads;
    bool stacked;                       /* heads of a group share tiles */
    size_t *first_tile, *first_stretch; /* sequences + 1 entries: of each sequence's first */
    size_t tile_bytes;
    unsigned char *tiles;
    atomic_size_t *turns; /* one a tile */
    size_t workers;
    size_t heads_bytes; /* at the front of a worker's memory: what belongs to its key head */
    size_t workspace_bytes;
    unsigned char *workspace;
    unsigned char *output; /* c, where it was not given, */
    double *log_sum_exp;   /* and this */
} plan;

static size_t blocks(size_t count, size_t block)
{
    return count / block + (count % block != 0);
}

static size_t round_up(size_t bytes)
{
    return blocks(bytes, 64) * 64;
}

/* Tiles of one key head. */
static size_t count_tiles(const plan *work, size_t queries)
{
    const size_t group = work->problem->group;
    return work->stacked ? blocks(queries * group, work->kernel->tile)
                         : group * blocks(queries, work->kernel->tile);
}

/* Stretches of one key head; one at least, because zeros are written where there are no keys. */
static size_t count_stretches(const plan *work, size_t keys)
{
    return keys == 0 ? 1 : blocks(keys, work->kernel->stretch);
}

/* The sequence of a task: first[sequence] <= task < first[sequence + 1]. */
static size_t find_sequence(const plan *work, const size_t *first, size_t task)
{
    size_t low = 0, high = work->problem->sequences;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (first[middle] <= task)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- Tasks ---------------------------------------------------------------------------------- */

/* Puts together what belongs to a key head, in the worker's memory. */
static qkv__gradient_work gather(const plan *work, size_t sequence, size_t kv_head, size_t worker)
{
    const qkv__problem *p = work->problem;
    assert(p->group > 0);
    qkv__head *heads = (qkv__head *)(work->workspace + worker * work->workspace_bytes);
    qkv__matrix *g = (qkv__matrix *)(heads + p->group), *dq = g + p->group;
    qkv__head result = {0};
    for (size_t i = 0; i < p->group; i++) {
        const size_t head = kv_head * p->group + i;
        qkv__problem_head(&work->known, sequence, head, &heads[i]);
        qkv__problem_head(p, sequence, head, &result);
        g[i] = result.output;
        qkv__problem_head(&work->results, sequence, head, &result);
        dq[i] = result.query;
    }
    const size_t queries = heads[0].queries, tiles = count_tiles(work, queries);
    const size_t first = work->first_tile[sequence] + kv_head * tiles;
    return (qkv__gradient_work){
        .heads = heads,
        .g = g,
        .dq = dq,
        .dk = result.key,
        .dv = result.value,
        .wants_dq = work->results.query.rank > 0,
        .wants_dk = work->results.key.rank > 0,
        .wants_dv = work->results.value.rank > 0,
        .part = work->gradient->part,
        .rows = queries * p->group,
        .unit = work->stacked ? queries * p->group : queries,
        .unit_tiles = work->stacked ? tiles : tiles / p->group,
        .tiles = tiles,
        .memory = work->tiles + first * work->tile_bytes,
        .tile_bytes = work->tile_bytes,
        .turn = work->turns + first,
    };
}

static unsigned char *workspace_of(const plan *work, size_t worker)
{
    return work->workspace + worker * work->workspace_bytes + work->heads_bytes;
}

static void run_tile(size_t task, size_t worker, void *context)
{
    const plan *work = context;
    const size_t sequence = find_sequence(work, work->first_tile, task);
    const size_t tiles =
        (work->first_tile[sequence + 1] - work->first_tile[sequence]) / work->kv_heads;
    const size_t in_sequence = task - work->first_tile[sequence];
    const qkv__gradient_work part = gather(work, sequence, in_sequence / tiles, worker);
    work->kernel->prepare(&part, in_sequence % tiles, workspace_of(work, worker));
}

static void run_stretch(size_t task, size_t worker, void *context)
{
    const plan *work = context;
    const size_t sequence = find_sequence(work, work->first_stretch, task);
    const size_t in_sequence = task - work->first_stretch[sequence];
    const qkv__gradient_work part = gather(work, sequence, in_sequence % work->kv_heads, worker);
    work->kernel->walk(&part, in_sequence / work->kv_heads, workspace_of(work, worker));
}

/* ---- What options add to the scores ---------------------------------------------------------- */

/*
 * Sums over several heads, sequences or queries are added up by one task, in their order. A task
 * owns some of the mask's numbers: those of a batch and of a key head, where the mask has such
 * axes, and of a stretch of the keys.
 */
typedef struct owner {
    const plan *work;
    bool slopes;      /* the sums of the slopes; or else of the mask */
    size_t batches;   /* 1: all sequences belong to one task; likewise the others */
    size_t heads;     /* key heads */
    size_t stretches; /* of keys */
} owner;

/* The part of one key head of one sequence. */
static void add_part(const owner *o, size_t sequence, size_t kv_head, size_t stretch, size_t worker)
{
    const plan *work = o->work;
    size_t queries, keys;
    qkv__problem_lengths(work->problem, sequence, &queries, &keys);
    const qkv__gradient_work part = gather(work, sequence, kv_head, worker);
    qkv__bias bias = qkv__bias_of(work->gradient, sequence, kv_head);
    if (o->slopes)
        bias.mask = NULL;
    else
        bias.slope = NULL;
    const size_t count = blocks(keys, work->kernel->stretch);
    for (size_t s = o->stretches == 1 ? 0 : stretch; s < count; s++) {
        work->kernel->bias(&part, s, &bias, workspace_of(work, worker));
        if (o->stretches > 1) return;
    }
}

static void run_bias(size_t task, size_t worker, void *context)
{
    const owner *o = context;
    const qkv__problem *p = o->work->problem;
    const size_t stretch = task % o->stretches, head = task / o->stretches % o->heads;
    const size_t batch = task / o->stretches / o->heads;
    for (size_t s = o->batches == 1 ? 0 : batch; s < p->sequences; s++) {
        for (size_t h = o->heads == 1 ? 0 : head; h < o->work->kv_heads; h++) {
            add_part(o, s, h, stretch, worker);
            if (o->heads > 1) break;
        }
        if (o->batches > 1) break;
    }
}

static void add_bias(const plan *work)
{
    const size_t *shape = work->gradient->mask_gradient.shape;
    const size_t keys = work->problem->key.shape[QKV__LENGTH];
    owner o = {.work = work, .batches = 1, .heads = work->kv_heads, .stretches = 1, .slopes = true};
    if (work->gradient->slope_sums != NULL) qkv__parallel(work->workers, o.heads, run_bias, &o);
    if (work->gradient->mask_sums == NULL) return;
    o = (owner){.work = work,
                .batches = shape[QKV__BATCH],
                .heads = shape[QKV__HEADS] > 1 ? work->kv_heads : 1,
                .stretches = shape[3] > 1 ? count_stretches(work, keys) : 1};
    qkv__parallel(work->workers, o.batches * o.heads * o.stretches, run_bias, &o);
}

/* The sink of a head is one more score, whose value is 0: ds = a (0 - g . c). */
static void run_sink(size_t h, size_t worker, void *context)
{
    (void)worker;
    const plan *work = context;
    const qkv__problem *p = work->problem;
    double sum = 0.0;
    for (size_t s = 0; s < p->sequences; s++) {
        qkv__head known, given;
        qkv__problem_head(&work->known, s, h, &known);
        qkv__problem_head(p, s, h, &given);
        for (size_t i = 0; i < known.queries && known.sink != -INFINITY; i++) {
            double mean = 0.0;
            for (size_t t = 0; t < known.value_width; t++)
                mean += qkv__matrix_get(&given.output, i, t) * qkv__matrix_get(&known.output, i, t);
            sum -= exp(known.sink - qkv__matrix_get(&known.log_sum_exp, i, 0)) * mean;
        }
    }
    work->gradient->sink_sums[h] = sum;
}

/* ---- The plan ------------------------------------------------------------------------------- */

/* Threads worth waking: no more than asked for, than the work can feed. */
static size_t choose_workers(const qkv__problem *p)
{
    double pairs = 0.0; /* of a query and a key, in one head */
    for (size_t s = 0; s < p->sequences; s++) {
        size_t queries, keys;
        qkv__problem_lengths(p, s, &queries, &keys);
        pairs += (double)queries * (double)keys;
    }
    const double width = (double)(p->query.shape[QKV__WIDTH] + p->value.shape[QKV__WIDTH]);
    const double worthwhile = pairs * (double)p->heads * width * 2.5 / WORK_PER_THREAD;
    size_t workers = (size_t)(p->options.threads > 0 ? p->options.threads : qkv__core_count());
    if (workers > QKV__WORKERS_AT_MOST) workers = QKV__WORKERS_AT_MOST;
    if (worthwhile < 2.0) return 1;
    return worthwhile < (double)workers ? (size_t)worthwhile : workers;
}

/* The numbers of each sequence's first tasks, and the longest queries; false when they cannot be
 * counted. */
static bool count_tasks(plan *work, size_t *longest)
{
    const qkv__problem *p = work->problem;
    size_t tiles, stretches, entries, bytes, rows;
    if (!qkv__size_add(p->sequences, 1, &entries) ||
        !qkv__size_multiply(entries, 2 * sizeof(size_t), &bytes) ||
        (work->first_tile = qkv__allocate_zero(bytes)) == NULL)
        return false;
    work->first_stretch = work->first_tile + entries;
    for (size_t s = 0; s < p->sequences; s++) {
        size_t queries, keys;
        qkv__problem_lengths(p, s, &queries, &keys);
        if (queries > *longest) *longest = queries;
        if (!qkv__size_multiply(queries, p->group, &rows) ||
            !qkv__size_multiply(work->kv_heads, count_tiles(work, queries), &tiles) ||
            !qkv__size_multiply(work->kv_heads, count_stretches(work, keys), &stretches) ||
            !qkv__size_add(work->first_tile[s], tiles, &work->first_tile[s + 1]) ||
            !qkv__size_add(work->first_stretch[s], stretches, &work->first_stretch[s + 1]))
            return false;
    }
    return true;
}

/* Memory for all tiles and workers. */
static bool make_room(plan *work, size_t *bytes)
{
    const qkv__problem *p = work->problem;
    size_t longest = 0, rows, all;
    *bytes = SIZE_MAX;
    if (!count_tasks(work, &longest)) return false;
    const size_t tiles = work->first_tile[p->sequences];
    const size_t stretches = work->first_stretch[p->sequences];
    if (work->workers > (tiles > stretches ? tiles : stretches))
        work->workers = tiles > stretches ? tiles : stretches;
    if (!qkv__size_multiply(longest, work->stacked ? p->group : 1, &rows)) return false;
    if (rows > work->kernel->tile) rows = work->kernel->tile;
    work->heads_bytes = round_up(p->group * (sizeof(qkv__head) + 2 * sizeof(qkv__matrix)));
    if (!work->kernel->workspace(p, &work->workspace_bytes) ||
        !qkv__size_add(work->heads_bytes, round_up(work->workspace_bytes),
                       &work->workspace_bytes) ||
        !qkv__size_multiply(work->workers, work->workspace_bytes, bytes) ||
        (*bytes > 0 && (work->workspace = qkv__allocate(*bytes)) == NULL))
        return false;
    *bytes = SIZE_MAX;
    if (tiles == 0) return true;
    if (!work->kernel->tile_bytes(p, rows, &work->tile_bytes) ||
        !qkv__size_multiply(tiles, work->tile_bytes, bytes) ||
        (work->tiles = qkv__allocate(*bytes)) == NULL)
        return false;
    if (!qkv__size_multiply(tiles, sizeof(atomic_size_t), &all)) return false;
    *bytes = all;
    return (work->turns = qkv__allocate(all)) != NULL;
}

/* ---- The forward pass ------------------------------------------------------------------------ */

/* c and the log-sum-exp, in memory of the plan's. */
static qkv_status forward(plan *work, qkv_error *error)
{
    const qkv__problem *p = work->problem;
    qkv_attention_options options = p->options;
    size_t shape[4], rows, bytes = SIZE_MAX, sums = SIZE_MAX;
    for (int axis = 0; axis < 4; axis++) shape[axis] = p->output.shape[axis];
    if (!qkv__size_multiply(shape[0], shape[1], &rows) ||
        !qkv__size_multiply(rows, shape[2], &rows) ||
        !qkv__size_multiply(rows, sizeof(double), &sums) ||
        !qkv__size_multiply(rows, qkv_type_size(p->compute), &bytes) ||
        !qkv__size_multiply(bytes, shape[3], &bytes) ||
        (sums > 0 && (work->log_sum_exp = qkv__allocate(sums)) == NULL) ||
        (bytes > 0 && (work->output = qkv__allocate(bytes)) == NULL))
        return qkv__fail_memory(error, bytes);
    work->known.output = qkv_view_dense(p->compute, work->output, 4, shape);
    options.log_sum_exp = qkv_view_dense(QKV_F64, work->log_sum_exp, 3, shape);
    options.kernel = work->kernel->forward;
    work->known.options.log_sum_exp = options.log_sum_exp;
    return qkv_attention(&p->query, &p->key, &p->value, &work->known.output, &options, error);
}

qkv_status qkv__gradient_tasks(const qkv__gradient *gradient,
                               const struct qkv__gradient_kernel *kernel, qkv_error *error)
{
    const qkv__problem *p = &gradient->problem;
    plan work = {.gradient = gradient,
                 .kernel = kernel,
                 .problem = p,
                 .known = *p,
                 .results = *p,
                 .kv_heads = p->key.shape[QKV__HEADS],
                 .stacked = p->group > 1 && p->query.shape[QKV__LENGTH] < kernel->tile &&
                            qkv__problem_heads_alike(p),
                 .workers = choose_workers(p)};
    qkv_status status = QKV_OK;
    size_t bytes;
    work.results.query = gradient->dq;
    work.results.key = gradient->dk;
    work.results.value = gradient->dv;
    work.known.output = gradient->output;
    work.known.options.log_sum_exp = gradient->log_sum_exp;
    if (!make_room(&work, &bytes)) status = qkv__fail_memory(error, bytes);
    if (status == QKV_OK && gradient->output.rank == 0) status = forward(&work, error);
    if (status == QKV_OK && work.workspace != NULL) {
        qkv__interrupt_begin();
        qkv__parallel(work.workers, work.first_tile[p->sequences], run_tile, &work);
        if (!qkv__interrupt_ask() &&
            (gradient->dq.rank > 0 || gradient->dk.rank > 0 || gradient->dv.rank > 0))
            qkv__parallel(work.workers, work.first_stretch[p->sequences], run_stretch, &work);
        if (!qkv__interrupt_ask()) add_bias(&work);
        if (gradient->sink_sums != NULL && !qkv__interrupt_ask())
            qkv__parallel(work.workers, p->heads, run_sink, &work);
        status = qkv__interrupt_status(error);
    }
    qkv__free(work.first_tile), qkv__free(work.workspace), qkv__free(work.tiles);
    qkv__free(work.turns), qkv__free(work.output), qkv__free(work.log_sum_exp);
    return status;
}
