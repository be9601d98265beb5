/*
 * A parallel loop over a pool of POSIX threads. Knows nothing of the tasks, which must not depend
 * on the order or on the worker that runs them.
 *
 * A call is a job, which lies on its caller's stack and is listed in the pool while it has seats:
 * numbers of workers that no thread has yet, and tasks for them. The caller takes seat 0 and works.
 * A helper that is free takes a seat of the oldest job, and leaves it when no task is left. The
 * caller then takes the job off the list and waits for the helpers still in it. So a job needs no
 * helper to be done, and whoever waits, waits for threads at work on that job or on jobs that
 * these called in turn: there is no circle, however calls are nested.
 *
 * One lock guards everything but the claiming of tasks. A free helper first spins for a moment,
 * in which it costs no system call to find it, and then sleeps. Who lists or joins a job wakes at
 * most two helpers, who wake others: the caller is soon at work, and no more are woken than can
 * be seated.
 */
#include "base/threads.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum {
    CACHE_LINE = 64,
    WAKE_AT_ONCE = 2,
    SPIN_NANOSECONDS = 30000, /* a few times what it takes to fall asleep and be woken */
};

typedef struct job {
    _Alignas(CACHE_LINE) atomic_size_t next; /* the first task not claimed */

    _Alignas(CACHE_LINE) size_t count; /* from here on, what does not change */
    size_t workers;
    qkv__task task;
    void *context;
    fenv_t environment;

    _Alignas(CACHE_LINE) size_t seated; /* from here on, what the pool's lock guards */
    bool listed;
    bool awaited; /* the caller sleeps until `done` is signalled */
    struct job *earlier, *later;
    pthread_cond_t done;
    atomic_size_t helping; /* read by the caller without the lock; the last that a helper touches */
} job;

typedef struct helper {
    pthread_t thread;
    bool busy;
} helper;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool usable;         /* a child will know that it was forked */
    size_t spin_at_most; /* helpers that may spin at a time: a core is left to work */
    job *first, *last;   /* listed, oldest first */
    size_t sleeping;     /* helpers that sleep and were not called */
    size_t called;       /* calls that no helper has answered yet */
    size_t spinning;
    size_t helpers;
    helper helper[QKV__WORKERS_AT_MOST - 1];
    _Alignas(CACHE_LINE) atomic_size_t listed; /* jobs; those who spin look here */
    atomic_bool stopping;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

/* ---- Spinning ----------------------------------------------------------------------------- */

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

typedef bool (*condition)(const job *j);

static bool is_left(const job *j)
{
    return atomic_load_explicit(&j->helping, memory_order_acquire) == 0;
}

static bool is_needed(const job *j)
{
    (void)j;
    return atomic_load_explicit(&pool.listed, memory_order_relaxed) != 0 ||
           atomic_load_explicit(&pool.stopping, memory_order_relaxed);
}

/* Until the condition holds or the time is over. The clock is read between looks, not at each. */
static void spin_until(condition holds, const job *j)
{
    for (int64_t end = 0; end == 0 || now() < end;) {
        for (int i = 0; i < 16; i++) {
            if (holds(j)) return;
            pause_briefly();
        }
        if (end == 0) end = now() + SPIN_NANOSECONDS;
    }
}

/* ---- Jobs and seats; under the lock --------------------------------------------------------- */

/* Helpers that could still be of use. Once 0, it stays 0. */
static size_t seats(const job *j)
{
    size_t next = atomic_load_explicit(&j->next, memory_order_relaxed);
    size_t tasks = next < j->count ? j->count - next : 0, numbers = j->workers - j->seated;
    return tasks < numbers ? tasks : numbers;
}

static void list(job *j)
{
    j->listed = true;
    j->earlier = pool.last;
    *(pool.last == NULL ? &pool.first : &pool.last->later) = j;
    pool.last = j;
    atomic_fetch_add(&pool.listed, 1);
}

static void unlist(job *j)
{
    if (!j->listed) return;
    j->listed = false;
    *(j->earlier == NULL ? &pool.first : &j->earlier->later) = j->later;
    *(j->later == NULL ? &pool.last : &j->later->earlier) = j->earlier;
    atomic_fetch_sub(&pool.listed, 1);
}

static job *oldest_with_seats(void)
{
    while (pool.first != NULL && seats(pool.first) == 0) unlist(pool.first);
    return pool.first;
}

/* How many sleeping helpers are to be woken, after the lock is given up; they count as called. */
static size_t plan_calls(void)
{
    const size_t coming = pool.spinning + pool.called;
    size_t wanted = 0;
    for (const job *j = pool.first; j != NULL && wanted < coming + WAKE_AT_ONCE; j = j->later)
        wanted += seats(j);
    size_t calls = wanted > coming ? wanted - coming : 0;
    if (calls > WAKE_AT_ONCE) calls = WAKE_AT_ONCE;
    if (calls > pool.sleeping) calls = pool.sleeping;
    pool.sleeping -= calls;
    pool.called += calls;
    return calls;
}

static void call(size_t calls)
{
    while (calls-- > 0) pthread_cond_signal(&pool.wake);
}

/* ---- Helpers ------------------------------------------------------------------------------ */

static void run(job *j, size_t worker)
{
    size_t task;
    while ((task = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed)) < j->count) {
        j->task(task, worker, j->context);
        /* The caller's thread alone knows whom to ask. Tasks that were begun are finished: one may
         * wait for another, but for none that comes later. */
        if (worker == 0 && qkv__interrupt_ask())
            atomic_store_explicit(&j->next, j->count, memory_order_relaxed);
    }
}

/* As soon as `helping` is 0 a caller that does not sleep may return, and the job is gone. */
static void leave(job *j)
{
    bool awaited = j->awaited;
    if (atomic_fetch_sub_explicit(&j->helping, 1, memory_order_release) == 1 && awaited)
        pthread_cond_signal(&j->done);
}

/* Takes a seat and works. The lock is held before and after. */
static void help(job *j, helper *self)
{
    size_t worker = j->seated++;
    atomic_fetch_add_explicit(&j->helping, 1, memory_order_relaxed);
    self->busy = true;
    if (seats(j) == 0) unlist(j);
    size_t calls = plan_calls();
    pthread_mutex_unlock(&pool.lock);
    call(calls);
    fesetenv(&j->environment);
    run(j, worker);
    pthread_mutex_lock(&pool.lock);
    self->busy = false;
    leave(j);
}

/* Whether a job was listed meanwhile. The lock is held before and after. */
static bool spin_for_job(void)
{
    if (pool.spinning >= pool.spin_at_most) return false;
    pool.spinning++;
    pthread_mutex_unlock(&pool.lock);
    spin_until(is_needed, NULL);
    pthread_mutex_lock(&pool.lock);
    pool.spinning--;
    return pool.first != NULL;
}

static void sleep_until_called(void)
{
    pool.sleeping++;
    while (pool.called == 0 && !pool.stopping) pthread_cond_wait(&pool.wake, &pool.lock);
    if (pool.called > 0) pool.called--;
}

static void *serve(void *argument)
{
    helper *self = argument;
    pthread_mutex_lock(&pool.lock);
    while (!pool.stopping) {
        job *j = oldest_with_seats();
        if (j != NULL)
            help(j, self);
        else if (!spin_for_job() && !pool.stopping)
            sleep_until_called();
    }
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* The signals of the host are for its own threads; but a fault is the thread's that made it. */
static void block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, before);
}

/* Makes helpers until there are that many, or until the system gives no more. */
static void grow(size_t wanted)
{
    sigset_t before;
    if (pool.helpers >= wanted || pool.stopping) return;
    block_signals(&before); /* which a new thread inherits */
    for (; pool.helpers < wanted; pool.helpers++) {
        helper *next = &pool.helper[pool.helpers];
        next->busy = false;
        if (pthread_create(&next->thread, NULL, serve, next) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- Beginning, fork and end --------------------------------------------------------------- */

static void before_fork(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&pool.lock);
}

/* Of all threads only the one that forked is left. */
static void after_fork_in_child(void)
{
    pool.helpers = pool.sleeping = pool.called = pool.spinning = 0;
    pool.first = pool.last = NULL;
    atomic_store(&pool.listed, 0);
    pthread_cond_init(&pool.wake, NULL); /* some may have slept on it */
    pthread_mutex_unlock(&pool.lock);
}

static void begin(void)
{
    pool.spin_at_most = (size_t)qkv__core_count() - 1;
    pool.usable = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
}

/*
 * When the process ends or the library is unloaded, helpers are sent home. Those at work are not
 * waited for: a task may take long, may itself have called exit, or may wait for the thread that
 * did.
 */
__attribute__((destructor)) static void end(void)
{
    pthread_t idle[QKV__WORKERS_AT_MOST - 1];
    size_t count = 0;
    pthread_mutex_lock(&pool.lock);
    pool.stopping = true;
    for (size_t i = 0; i < pool.helpers; i++)
        if (pool.helper[i].busy)
            pthread_detach(pool.helper[i].thread);
        else
            idle[count++] = pool.helper[i].thread;
    pool.helpers = 0;
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
    for (size_t i = 0; i < count; i++) pthread_join(idle[i], NULL);
}

size_t qkv__helper_count(void)
{
    pthread_mutex_lock(&pool.lock);
    size_t count = pool.helpers;
    pthread_mutex_unlock(&pool.lock);
    return count;
}

/* ---- The call ----------------------------------------------------------------------------- */

static void post(job *j)
{
    fegetenv(&j->environment);
    pthread_mutex_lock(&pool.lock);
    list(j);
    grow(j->workers - 1);
    size_t calls = plan_calls();
    pthread_mutex_unlock(&pool.lock);
    call(calls);
}

static void sleep_until_left(job *j)
{
    pthread_mutex_lock(&pool.lock);
    j->awaited = true;
    while (!is_left(j)) pthread_cond_wait(&j->done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

static void finish(job *j)
{
    pthread_mutex_lock(&pool.lock);
    unlist(j);
    pthread_mutex_unlock(&pool.lock);
    if (pool.spin_at_most > 0) spin_until(is_left, j);
    if (!is_left(j)) sleep_until_left(j);
    pthread_cond_destroy(&j->done);
}

void qkv__parallel(size_t workers, size_t count, qkv__task task, void *context)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (workers > count) workers = count;
    if (workers > QKV__WORKERS_AT_MOST) workers = QKV__WORKERS_AT_MOST;
    if (workers > 1) pthread_once(&once, begin);
    if (workers <= 1 || !pool.usable) {
        for (size_t i = 0; i < count && !(i > 0 && qkv__interrupt_ask()); i++) task(i, 0, context);
        return;
    }
    job j = {.count = count,
             .workers = workers,
             .task = task,
             .context = context,
             .seated = 1,
             .done = PTHREAD_COND_INITIALIZER};
    post(&j);
    run(&j, 0);
    finish(&j);
}
