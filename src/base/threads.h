/* Running independent tasks on several threads. */
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
 * threads cannot be started, fewer are used.
 */
void qkv__parallel(size_t workers, size_t count, qkv__task task, void *context);

#endif
