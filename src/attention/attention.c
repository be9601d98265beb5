/* The public operator: checks, chooses a kernel, cuts the work into tasks and runs them. */
#include "attention/attention.h"

#include <assert.h>
#include <stdint.h>

#include "attention/kernel.h"
#include "attention/pages.h"
#include "attention/problem.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"

/* Under this many multiplications a second thread costs more than it brings: starting one takes
 * tens of microseconds, in which a core does about this much. */
#define WORK_PER_THREAD 1e5

/*
 * The work of a call. A unit is one query head of one sequence, or, where queries are few, all the
 * heads that share keys, so that a kernel finds enough rows to lay side by side. Each unit's rows
 * are cut into tasks, numbered sequence by sequence, unit by unit, rows by rows. When there are
 * fewer tasks than threads can use, or a task would take long, each is cut once more into segments
 * of keys, whose parts are merged in the end.
 */
typedef struct plan {
    const qkv__problem *problem;
    const qkv__kernel *kernel;
    bool stacked;    /* a unit is a group of heads */
    size_t units;    /* of one sequence */
    size_t rows;     /* in a task, at most */
    size_t *first;   /* sequences + 1 entries: the number of each sequence's first task */
    size_t few[2];   /* where `first` lies when there is one sequence */
    size_t segments; /* parts of a task; 0: tasks are not cut */
    size_t part_bytes;
    unsigned char *parts;
    size_t workers;
    size_t heads_bytes;     /* at the front of a worker's memory: the heads of its task */
    size_t workspace_bytes; /* of one worker, in all */
    unsigned char *workspace;
} plan;

/* Problems that need no more than this have their workspace on the stack: no allocation. */
enum { STACK_BYTES = 64 * 1024 };

/* Pairs of a query and a key, which take some hundredths of a second. */
enum { LONG_TASK = 1 << 22 };

static size_t blocks(size_t rows, size_t block)
{
    return rows / block + (rows % block != 0);
}

static size_t round_up(size_t bytes)
{
    return blocks(bytes, 64) * 64;
}

static size_t unit_rows(const plan *work, size_t queries)
{
    return work->stacked ? queries * work->problem->group : queries;
}

/* Builds the heads and rows of a task in the worker's memory; returns the keys that there are. */
static size_t task_rows(const plan *work, size_t task, unsigned char *memory, qkv__rows *rows)
{
    const qkv__problem *p = work->problem;
    size_t low = 0, high = p->sequences; /* first[low] <= task < first[high] */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (work->first[middle] <= task)
            low = middle;
        else
            high = middle;
    }
    const size_t in_sequence = task - work->first[low];
    const size_t tasks = work->first[low + 1] - work->first[low];
    const size_t per_unit = tasks == work->units ? 1 : tasks / work->units;
    const size_t unit = per_unit == 1 ? in_sequence : in_sequence / per_unit,
                 group = work->stacked ? p->group : 1;
    qkv__head *heads = (qkv__head *)memory;
    for (size_t h = 0; h < group; h++) qkv__problem_head(p, low, unit * group + h, &heads[h]);
    /* The last rows first: under a causal mask they are the long ones, and come best early. */
    const size_t all = unit_rows(work, heads[0].queries);
    const size_t begin = (per_unit - 1 - (in_sequence - unit * per_unit)) * work->rows;
    *rows = (qkv__rows){
        .heads = heads, .begin = begin, .end = begin + work->rows < all ? begin + work->rows : all};
    return heads[0].keys;
}

static void run_task(size_t task, size_t worker, void *context)
{
    const plan *work = context;
    unsigned char *memory = work->workspace + worker * work->workspace_bytes;
    qkv__rows rows;
    task_rows(work, task, memory, &rows);
    work->kernel->forward(&rows, memory + work->heads_bytes);
}

static void run_part(size_t part, size_t worker, void *context)
{
    const plan *work = context;
    unsigned char *memory = work->workspace + worker * work->workspace_bytes;
    const size_t segment = part % work->segments;
    qkv__rows rows;
    const size_t keys = task_rows(work, part / work->segments, memory, &rows);
    if (segment < blocks(keys, work->kernel->segment))
        work->kernel->partial(&rows, segment, work->parts + part * work->part_bytes,
                              memory + work->heads_bytes);
}

static void run_merge(size_t task, size_t worker, void *context)
{
    const plan *work = context;
    unsigned char *memory = work->workspace + worker * work->workspace_bytes;
    qkv__rows rows;
    if (task_rows(work, task, memory, &rows) == 0) { /* no keys, no parts */
        work->kernel->forward(&rows, memory + work->heads_bytes);
        return;
    }
    work->kernel->merge(&rows, work->parts + task * work->segments * work->part_bytes,
                        work->part_bytes, memory + work->heads_bytes);
}

/* Threads worth waking: no more than asked for, than the work can feed. */
static size_t choose_workers(const qkv__problem *p)
{
    if (p->options.threads == 1) return 1;
    double pairs = 0.0; /* of a query and a key, in one head */
    for (size_t s = 0; s < p->sequences; s++) {
        size_t queries, keys;
        qkv__problem_lengths(p, s, &queries, &keys);
        pairs += (double)queries * (double)keys;
    }
    double width = (double)(p->query.shape[QKV__WIDTH] + p->value.shape[QKV__WIDTH]);
    double worthwhile = pairs * (double)p->heads * width / WORK_PER_THREAD;
    if (worthwhile < 2.0) return 1;
    size_t workers = (size_t)(p->options.threads > 0 ? p->options.threads : qkv__core_count());
    if (workers > QKV__WORKERS_AT_MOST) workers = QKV__WORKERS_AT_MOST;
    return worthwhile < (double)workers ? (size_t)worthwhile : workers;
}

/* The number of each sequence's first task; false when they cannot be counted. */
static bool count_tasks(plan *work)
{
    const qkv__problem *p = work->problem;
    work->first[0] = 0;
    for (size_t s = 0; s < p->sequences; s++) {
        size_t queries, keys, rows, tasks;
        qkv__problem_lengths(p, s, &queries, &keys);
        if (!qkv__size_multiply(queries, work->stacked ? p->group : 1, &rows) ||
            !qkv__size_multiply(work->units, blocks(rows, work->rows), &tasks) ||
            !qkv__size_add(work->first[s], tasks, &work->first[s + 1]))
            return false;
    }
    return true;
}

/* Cuts rows into tasks: as large as the kernel likes them, smaller while threads would idle. */
static bool cut_rows(plan *work)
{
    const qkv__kernel *kernel = work->kernel;
    work->stacked = work->problem->group > 1 &&
                    work->problem->query.shape[QKV__LENGTH] < kernel->grain &&
                    qkv__problem_heads_alike(work->problem);
    work->units =
        work->stacked ? work->problem->heads / work->problem->group : work->problem->heads;
    work->rows = kernel->rows;
    if (!count_tasks(work)) return false;
    while (work->workers > 1 && work->first[work->problem->sequences] < 4 * work->workers &&
           work->rows / 2 >= kernel->grain && kernel->grain > 0) {
        work->rows = blocks(work->rows / 2, kernel->grain) * kernel->grain;
        if (!count_tasks(work)) return false;
    }
    return true;
}

/* Whether a task of one thread alone would take so long that an interrupt waits for its end. */
static bool is_long(const plan *work, size_t keys)
{
    const size_t all = unit_rows(work, work->problem->query.shape[QKV__LENGTH]);
    return keys > LONG_TASK / (all < work->rows ? all : work->rows);
}

/* Cuts tasks into segments of keys where that keeps more threads busy, or lets an interrupt
 * through, and makes room for the parts. */
static qkv_status cut_keys(plan *work, qkv_error *error)
{
    const qkv__problem *p = work->problem;
    const size_t tasks = work->first[p->sequences], keys = p->key.shape[QKV__LENGTH];
    size_t bytes = SIZE_MAX, parts;
    if ((work->workers < 2 && !is_long(work, keys)) || work->kernel->segment == 0 ||
        tasks >= 4 * work->workers || keys <= work->kernel->segment || qkv__problem_wants_more(p))
        return QKV_OK;
    work->segments = blocks(keys, work->kernel->segment);
    if (!work->kernel->partial_bytes(p, work->rows, &work->part_bytes) ||
        !qkv__size_multiply(tasks, work->segments, &parts) ||
        !qkv__size_multiply(parts, work->part_bytes, &bytes) ||
        (work->parts = qkv__allocate(bytes)) == NULL)
        return qkv__fail_memory(error, bytes);
    return QKV_OK;
}

static qkv_status make_plan(plan *work, unsigned char *stack, qkv_error *error)
{
    const qkv__problem *p = work->problem;
    size_t entries, bytes = SIZE_MAX;
    work->first = work->few;
    if (p->sequences > 1 && (!qkv__size_add(p->sequences, 1, &entries) ||
                             !qkv__size_multiply(entries, sizeof *work->first, &bytes) ||
                             (work->first = qkv__allocate(bytes)) == NULL))
        return qkv__fail_memory(error, bytes);
    work->workers = choose_workers(p);
    if (!cut_rows(work))
        return qkv__fail(error, QKV_ERROR_SHAPE, "the problem has too many rows to count");
    qkv_status status = cut_keys(work, error);
    if (status != QKV_OK) return status;
    bytes = SIZE_MAX;
    work->heads_bytes = round_up(p->group * sizeof(qkv__head));
    const size_t tasks = work->first[p->sequences] * (work->segments > 0 ? work->segments : 1);
    if (tasks < work->workers) work->workers = tasks;
    bool counted = work->kernel->workspace(p, &work->workspace_bytes);
    if (counted) {
        work->workspace_bytes = work->heads_bytes + round_up(work->workspace_bytes);
        counted = qkv__size_multiply(work->workers, work->workspace_bytes, &bytes);
    }
    if (!counted) return qkv__fail_memory(error, bytes);
    work->workspace = bytes <= STACK_BYTES ? stack : qkv__scratch_take(bytes);
    return work->workspace != NULL || bytes == 0 ? QKV_OK : qkv__fail_memory(error, bytes);
}

static void run(plan *work)
{
    const size_t tasks = work->first[work->problem->sequences];
    if (work->segments == 0) {
        qkv__parallel(work->workers, tasks, run_task, work);
        return;
    }
    qkv__parallel(work->workers, tasks * work->segments, run_part, work);
    if (!qkv__interrupt_ask()) qkv__parallel(work->workers, tasks, run_merge, work);
}

static qkv_status solve(qkv__problem *problem, qkv_error *error)
{
    _Alignas(64) unsigned char stack[STACK_BYTES];
    plan work = {.problem = problem};
    void *ordered = NULL; /* what lay in pages */
    qkv_status status = qkv__kernel_find(problem->options.kernel, problem, &work.kernel, error);
    if (status != QKV_OK) return status;
    bool nothing_to_do = problem->query.shape[QKV__BATCH] == 0 || problem->heads == 0 ||
                         problem->query.shape[QKV__LENGTH] == 0;
    if (nothing_to_do) return QKV_OK;
    status = qkv__pages_gather(problem, &ordered, error);
    if (status == QKV_OK) status = make_plan(&work, stack, error);
    if (status == QKV_OK && work.workers > 0) {
        qkv__interrupt_begin();
        run(&work);
        status = qkv__interrupt_status(error);
    }
    if (work.workspace != stack) qkv__scratch_give(work.workspace);
    if (work.first != work.few) qkv__free(work.first);
    qkv__free(work.parts);
    qkv__free(ordered);
    return status;
}

qkv_status qkv_attention(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                         const qkv_view *output, const qkv_attention_options *options,
                         qkv_error *error)
{
    qkv__problem problem;
    const qkv_status status =
        qkv__problem_make(query, key, value, output, QKV__FORWARD, options, &problem, error);
    return status == QKV_OK ? solve(&problem, error) : status;
}

qkv_status qkv__attention_part(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                               const qkv_view *output, const qkv_view *level, qkv_type result,
                               const qkv_attention_options *options, qkv_error *error)
{
    qkv__problem problem;
    const qkv_status status =
        qkv__problem_make(query, key, value, output, QKV__FORWARD, options, &problem, error);
    if (status != QKV_OK) return status;
    assert(problem.options.sinks == NULL && level->rank == 4 && level->type == QKV_F64);
    problem.level = *level;
    problem.result = result;
    return solve(&problem, error);
}
