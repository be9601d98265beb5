/* The public operator: checks, chooses a kernel, cuts the work into tasks and runs them. */
#include <qkv/attention.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "attention/kernel.h"
#include "attention/problem.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"

/* Under this many multiplications a second thread costs more than it brings: starting one takes
 * tens of microseconds, in which a core does about this much. */
#define WORK_PER_THREAD 1e5

/* Best first. */
static const qkv__kernel *const kernels[] = {
    &qkv__kernel_portable_f32,
    &qkv__kernel_portable_f64,
    &qkv__kernel_reference,
};
enum { KERNEL_COUNT = sizeof kernels / sizeof kernels[0] };

/* Kernels of one name stand side by side in the table; a name counts once. */
static bool first_of_name(size_t index)
{
    return index == 0 || strcmp(kernels[index]->name, kernels[index - 1]->name) != 0;
}

const char *qkv_kernel_name(size_t index)
{
    for (size_t i = 0; i < KERNEL_COUNT; i++)
        if (first_of_name(i) && index-- == 0) return kernels[i]->name;
    return NULL;
}

size_t qkv_kernel_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < KERNEL_COUNT; i++) count += first_of_name(i);
    return count;
}

qkv_status qkv__kernel_find(const char *name, qkv_type compute, const qkv__kernel **kernel,
                            qkv_error *error)
{
    const char *source = "kernel";
    if (name == NULL && (name = getenv("QKV_KERNEL")) != NULL) source = "QKV_KERNEL";
    if (name != NULL && name[0] == '\0') name = NULL;
    bool known = false;
    for (size_t i = 0; i < KERNEL_COUNT; i++) {
        bool named = name == NULL || strcmp(name, kernels[i]->name) == 0;
        known = known || named;
        if (named && (kernels[i]->compute == compute || kernels[i]->compute == QKV_NONE)) {
            *kernel = kernels[i];
            return QKV_OK;
        }
    }
    if (known)
        return qkv__fail(error, QKV_ERROR_UNSUPPORTED, "%s %s does not compute in %s", source, name,
                         qkv_type_name(compute));
    char list[QKV_ERROR_CAPACITY / 2] = "";
    for (size_t i = 0; i < qkv_kernel_count(); i++) {
        strncat(list, i == 0 ? "" : ", ", sizeof list - strlen(list) - 1);
        strncat(list, qkv_kernel_name(i), sizeof list - strlen(list) - 1);
    }
    return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s \"%.64s\" is not known; expected one of %s",
                     source, name, list);
}

/* The work of a call: tasks are numbered sequence by sequence, head by head, rows by rows. */
typedef struct plan {
    const qkv__problem *problem;
    const qkv__kernel *kernel;
    size_t *first; /* sequences + 1 entries: the number of each sequence's first task */
    size_t workers;
    size_t workspace_bytes; /* of one worker */
    unsigned char *workspace;
} plan;

static size_t blocks(size_t rows, size_t block)
{
    return rows / block + (rows % block != 0);
}

static void run_task(size_t task, size_t worker, void *context)
{
    const plan *work = context;
    size_t low = 0, high = work->problem->sequences; /* first[low] <= task < first[high] */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (work->first[middle] <= task)
            low = middle;
        else
            high = middle;
    }
    size_t in_sequence = task - work->first[low];
    size_t per_head = (work->first[low + 1] - work->first[low]) / work->problem->heads;
    qkv__head head = qkv__problem_head(work->problem, low, in_sequence / per_head);
    size_t begin = in_sequence % per_head * work->kernel->rows;
    size_t end =
        begin + work->kernel->rows < head.queries ? begin + work->kernel->rows : head.queries;
    work->kernel->forward(&head, begin, end, work->workspace + worker * work->workspace_bytes);
}

/* Threads worth starting: no more than asked for, than tasks, than the work can feed. */
static size_t choose_workers(const qkv__problem *p, size_t tasks)
{
    double pairs = 0.0; /* of a query and a key, in one head */
    for (size_t s = 0; s < p->sequences; s++) {
        size_t queries, keys;
        qkv__problem_lengths(p, s, &queries, &keys);
        pairs += (double)queries * (double)keys;
    }
    double width = (double)(p->query.shape[QKV__WIDTH] + p->value.shape[QKV__WIDTH]);
    double worthwhile = pairs * (double)p->heads * width / WORK_PER_THREAD;
    size_t workers = (size_t)(p->options.threads > 0 ? p->options.threads : qkv__core_count());
    if (workers > QKV__WORKERS_AT_MOST) workers = QKV__WORKERS_AT_MOST;
    if (worthwhile < (double)workers) workers = worthwhile < 1.0 ? 1 : (size_t)worthwhile;
    return workers < tasks ? workers : tasks;
}

/* The number of each sequence's first task; false when they cannot be counted. */
static bool count_tasks(const qkv__problem *p, size_t rows_in_task, size_t *first)
{
    first[0] = 0;
    for (size_t s = 0; s < p->sequences; s++) {
        size_t queries, keys, tasks;
        qkv__problem_lengths(p, s, &queries, &keys);
        if (!qkv__size_multiply(p->heads, blocks(queries, rows_in_task), &tasks) ||
            !qkv__size_add(first[s], tasks, &first[s + 1]))
            return false;
    }
    return true;
}

static qkv_status make_plan(const qkv__problem *p, plan *work, qkv_error *error)
{
    size_t entries, bytes = SIZE_MAX;
    if (!qkv__size_add(p->sequences, 1, &entries) ||
        !qkv__size_multiply(entries, sizeof *work->first, &bytes) ||
        (work->first = qkv__allocate(bytes)) == NULL)
        return qkv__fail_memory(error, bytes);
    if (!count_tasks(p, work->kernel->rows, work->first))
        return qkv__fail(error, QKV_ERROR_SHAPE, "the problem has too many rows to count");
    work->workers = choose_workers(p, work->first[p->sequences]);
    bytes = SIZE_MAX;
    bool counted = work->kernel->workspace(p->query.shape[QKV__WIDTH], p->value.shape[QKV__WIDTH],
                                           p->key.shape[QKV__LENGTH], &work->workspace_bytes);
    if (counted) {
        work->workspace_bytes = blocks(work->workspace_bytes, 64) * 64;
        counted = qkv__size_multiply(work->workers, work->workspace_bytes, &bytes);
    }
    if (work->workers == 0) return QKV_OK;
    if (!counted || (work->workspace = qkv__allocate(bytes)) == NULL)
        return qkv__fail_memory(error, bytes);
    return QKV_OK;
}

qkv_status qkv_attention(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                         const qkv_view *output, const qkv_attention_options *options,
                         qkv_error *error)
{
    qkv__problem problem;
    plan work = {.problem = &problem};
    qkv_status status =
        qkv__problem_make(query, key, value, output, QKV__FORWARD, options, &problem, error);
    if (status != QKV_OK) return status;
    status = qkv__kernel_find(problem.options.kernel, problem.compute, &work.kernel, error);
    if (status != QKV_OK) return status;
    bool nothing_to_do = problem.query.shape[QKV__BATCH] == 0 || problem.heads == 0 ||
                         problem.query.shape[QKV__LENGTH] == 0;
    if (nothing_to_do) return QKV_OK;
    status = make_plan(&problem, &work, error);
    if (status == QKV_OK && work.workers > 0)
        qkv__parallel(work.workers, work.first[problem.sequences], run_task, &work);
    qkv__free(work.workspace);
    qkv__free(work.first);
    return status;
}
