/*
 * How many threads a call may use, and how a long call is ended early.
 *
 * A call that is not given a number of threads uses, of these, the first that is set:
 *
 *     qkv_set_threads(n)          for the process
 *     QKV_THREADS                 in the environment, read once
 *     OMP_NUM_THREADS             likewise: its first number
 *     one per core that this process may use: by its affinity mask, and by its cgroup's quota of
 *     processor time, rounded up
 *
 * Results do not depend on it.
 */
#ifndef QKV_THREADS_H
#define QKV_THREADS_H

#include <stdbool.h>

#include <qkv/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on, for calls that are not given a number of their own. 0: as if it was never called. */
QKV_API qkv_status qkv_set_threads(int threads, qkv_error *error);

/* The number that such a call may use now; at least 1. */
QKV_API int qkv_get_threads(void);

/*
 * `asked` is called now and then by calls of this thread that take long (attention, its gradient,
 * self-attention, qkv_tensor_write, which then leaves all files as they were), every few hundredths
 * of a second or after each piece of work, whichever is later. If it returns true the call ends
 * with QKV_ERROR_INTERRUPTED, and what it was to write is undefined. It must not call the library.
 * NULL: nothing is asked. For this thread alone.
 */
QKV_API void qkv_set_interrupt(bool (*asked)(void *context), void *context);

#ifdef __cplusplus
}
#endif
#endif
