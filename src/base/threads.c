/* A parallel loop over POSIX threads. Knows nothing of the tasks, which must not depend on the
 * order or on the worker that runs them. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct job {
    atomic_size_t next;
    size_t count;
    qkv__task task;
    void *context;
} job;

typedef struct worker {
    job *shared;
    size_t number;
    pthread_t thread;
} worker;

int qkv__core_count(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        int allowed = CPU_COUNT(&set);
        if (allowed > 0) return allowed;
    }
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

static void *work(void *argument)
{
    const worker *self = argument;
    job *shared = self->shared;
    size_t task;
    while ((task = atomic_fetch_add(&shared->next, 1)) < shared->count)
        shared->task(task, self->number, shared->context);
    return NULL;
}

void qkv__parallel(size_t workers, size_t count, qkv__task task, void *context)
{
    job shared = {.count = count, .task = task, .context = context};
    worker team[QKV__WORKERS_AT_MOST];
    size_t started = 1;

    if (workers > count) workers = count;
    if (workers > QKV__WORKERS_AT_MOST) workers = QKV__WORKERS_AT_MOST;
    team[0] = (worker){.shared = &shared, .number = 0};
    for (; started < workers; started++) {
        team[started] = (worker){.shared = &shared, .number = started};
        if (pthread_create(&team[started].thread, NULL, work, &team[started]) != 0) break;
    }
    work(&team[0]);
    for (size_t i = 1; i < started; i++) pthread_join(team[i].thread, NULL);
}
