/*
 * Running independent tasks on several threads. The threads are made when they are first needed
 * and kept until the process ends; between calls they sleep.
 */
#ifndef QKV_BASE_THREADS_H
#define QKV_BASE_THREADS_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/status.h>

enum { QKV__WORKERS_AT_MOST = 256 };

/* A task: its number, the number of the worker that runs it, and the caller's context. */
typedef void (*qkv__task)(size_t task, size_t worker, void *context);

/* The threads of a call that is not given a number: qkv_get_threads. */
int qkv__core_count(void);

/* For tests: what cgroup's file cpu.max says; what all groups do that are listed in a file like
 * /proc/self/cgroup, in the tree at `root`; and a number in the environment. 0: nothing. */
int qkv__cgroup_cores(const char *text);
int qkv__cgroup_quota(const char *membership, const char *root);
int qkv__threads_parse(const char *text);

/*
 * interrupt.c: calls that can be ended early. Between `begin` and `status` `ask` says whether the
 * caller of this thread wants that; it asks at most every few hundredths of a second, and once told
 * yes, stays with it. `status` fails then, and is QKV_OK where no one wanted it.
 */
void qkv__interrupt_begin(void);
bool qkv__interrupt_ask(void);
qkv_status qkv__interrupt_status(qkv_error *error);

/*
 * Runs tasks 0 to count - 1, each once, in any order, on at most `workers` threads (and never
 * more than QKV__WORKERS_AT_MOST) of which the caller is worker 0; returns when all are done. If
 * threads cannot be started, fewer are used. The numbers of workers are below `workers`, and no
 * two threads have the same. Tasks are begun in increasing order, each by the first that is free,
 * and run in the caller's floating-point environment. If the caller is interrupted (see below),
 * tasks that were not begun are left out.
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
