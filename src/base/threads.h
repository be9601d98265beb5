/*
 * Running independent tasks on several threads. The threads are made when they are first needed
 * and kept until the process ends; between calls they sleep.
 */
#ifndef QKV_BASE_THREADS_H
#define QKV_BASE_THREADS_H

#include <stddef.h>

enum { QKV__WORKERS_AT_MOST = 256 };

/* A task: its number, the number of the worker that runs it, and the caller's context. */
typedef void (*qkv__task)(size_t task, size_t worker, void *context);

/* The cores that this process may run on (its affinity mask), at least 1. */
int qkv__core_count(void);

/*
 * Runs tasks 0 to count - 1, each once, in any order, on at most `workers` threads (and never
 * more than QKV__WORKERS_AT_MOST) of which the caller is worker 0; returns when all are done. If
 * threads cannot be started, fewer are used. The numbers of workers are below `workers`, and no
 * two threads have the same. Tasks are begun in increasing order, each by the first that is free,
 * and run in the caller's floating-point environment.
 *
 * Any thread may call it at any time, also from inside a task: a caller works on its own tasks and
 * waits for no thread that does not. After a fork the child has no helpers and makes its own; a
 * child that was forked inside a task may make calls of its own, but not return from that task.
 * Helpers keep the affinity of the call that first needed them.
 */
void qkv__parallel(size_t workers, size_t count, qkv__task task, void *context);

/* For tests: the helping threads that there are. */
size_t qkv__helper_count(void);

#endif
