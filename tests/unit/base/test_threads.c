/* The parallel loop: each task once, each worker's number one thread's, whoever calls it, however
 * often, from inside a task, after a fork, and at the end of the process. */
#define _GNU_SOURCE /* pthread_setattr_default_np */
#include "support/check.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/philox.h"
#include "base/threads.h"

enum { TASKS_AT_MOST = 1200, PATIENCE_SECONDS = 600 };

/* ---- A job that watches itself ------------------------------------------------------------- */

/* Tasks run on threads where cmocka's assertions cannot be used, so they only note what is wrong.
 */
typedef struct watch {
    size_t workers;                                     /* asked for */
    atomic_uint runs[TASKS_AT_MOST];                    /* of each task */
    _Atomic(const void *) holder[QKV__WORKERS_AT_MOST]; /* the thread that has the number */
    size_t last[QKV__WORKERS_AT_MOST];                  /* task of each worker, plus 1 */
    const void *caller;
    atomic_uint begun, wrong, over;
    size_t meet;  /* tasks wait until so many have begun, */
    size_t inner; /* or call for as many in turn */
} watch;

/* An address that tells threads apart. */
static const void *this_thread(void)
{
    static _Thread_local char mark;
    return &mark;
}

static void expect(watch *w, bool right)
{
    if (!right) atomic_fetch_add(&w->wrong, 1);
}

static bool wait_for(const atomic_uint *number, size_t least)
{
    const time_t end = time(NULL) + PATIENCE_SECONDS;
    while (atomic_load(number) < least) {
        if (time(NULL) > end) return false;
        sched_yield();
    }
    return true;
}

static void count_task(size_t task, size_t worker, void *context)
{
    (void)worker;
    atomic_fetch_add(&((atomic_uint *)context)[task], 1);
}

/* A call from inside a task, with tasks of its own. */
static bool call_inner(size_t count)
{
    atomic_uint runs[16] = {0};
    bool right = true;
    qkv__parallel(3, count, count_task, runs);
    for (size_t i = 0; i < 16; i++) right = right && runs[i] == (i < count ? 1 : 0);
    return right;
}

static void watch_task(size_t task, size_t worker, void *context)
{
    watch *w = context;
    const void *nobody = NULL, *self = this_thread();
    atomic_fetch_add(&w->begun, 1);
    expect(w, worker < w->workers && worker < QKV__WORKERS_AT_MOST);
    expect(w, atomic_compare_exchange_strong(&w->holder[worker], &nobody, self) || nobody == self);
    expect(w, (worker == 0) == (self == w->caller));
    expect(w, w->last[worker] < task + 1); /* a worker's tasks come in increasing order */
    w->last[worker] = task + 1;
    if (w->meet > 0) expect(w, wait_for(&w->begun, w->meet));
    if (w->inner > 0) expect(w, call_inner(w->inner));
    atomic_fetch_add(&w->runs[task], 1);
}

/* Whether such a job went well: the number of tasks, and what they do. Allocates nothing: see
 * test_fork_beside_callers. */
static bool job_is_right(size_t workers, size_t count, size_t meet, size_t inner)
{
    watch w = {.workers = workers > 0 ? workers : 1,
               .caller = this_thread(),
               .meet = meet,
               .inner = inner};
    qkv__parallel(workers, count, watch_task, &w);
    bool right = w.wrong == 0;
    for (size_t i = 0; i < TASKS_AT_MOST; i++) right = right && w.runs[i] == (i < count ? 1 : 0);
    return right;
}

/* ---- One caller ---------------------------------------------------------------------------- */

static void test_each_task_once(void **state)
{
    (void)state;
    for (size_t workers = 0; workers < 7; workers++)
        for (size_t count = 0; count < 40; count++) assert_true(job_is_right(workers, count, 0, 0));
    for (int i = 0; i < 200; i++) assert_true(job_is_right(4, 1 + (size_t)i * 6, 0, 0));
    assert_true(job_is_right(1000, TASKS_AT_MOST, 0, 0));
}

/* Tasks that wait for each other are done only if each has a thread, and so a number, of its own.
 */
static void test_workers_are_distinct(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++)
        for (size_t workers = 2; workers < 6; workers++)
            assert_true(job_is_right(workers, workers + (size_t)i % 3, workers, 0));
    assert_true(job_is_right(QKV__WORKERS_AT_MOST, QKV__WORKERS_AT_MOST, QKV__WORKERS_AT_MOST, 0));
}

static void test_nested_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < 300; i++) {
        assert_true(job_is_right(4, 1 + i % 17, 0, 1 + i % 16));
        assert_true(job_is_right(3, 3, 3, 1 + i % 16));
    }
}

static void read_rounding(size_t task, size_t worker, void *context)
{
    watch *w = context;
    (void)task;
    (void)worker;
    atomic_fetch_add(&w->begun, 1);
    expect(w, fegetround() == FE_UPWARD && wait_for(&w->begun, w->meet));
}

static void test_floating_point_environment(void **state)
{
    watch w = {.meet = 3};
    (void)state;
    assert_true(job_is_right(3, 3, 3, 0)); /* helpers that were made before */
    assert_int_equal(fesetround(FE_UPWARD), 0);
    qkv__parallel(3, 3, read_rounding, &w);
    fesetround(FE_TONEAREST);
    assert_int_equal(w.wrong, 0);
}

static void read_mask(size_t task, size_t worker, void *context)
{
    watch *w = context;
    sigset_t mask;
    (void)task;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    const bool others = sigismember(&mask, SIGTERM) && sigismember(&mask, SIGALRM) &&
                        sigismember(&mask, SIGUSR1) && sigismember(&mask, SIGCHLD);
    expect(w, others == (worker != 0) && !sigismember(&mask, SIGSEGV));
    atomic_fetch_add(&w->begun, 1);
    expect(w, wait_for(&w->begun, w->meet));
}

static void test_helpers_take_no_signals(void **state)
{
    watch w = {.meet = 4};
    (void)state;
    qkv__parallel(4, 4, read_mask, &w);
    assert_int_equal(w.wrong, 0);
}

/* ---- Several callers ----------------------------------------------------------------------- */

typedef struct caller {
    uint32_t number;
    int jobs;
    atomic_uint done;       /* of the jobs */
    atomic_bool may_finish; /* else it goes on after its jobs */
    bool right;
} caller;

/* Jobs of random size, most of them small; some call in turn. */
static void *call_often(void *argument)
{
    caller *self = argument;
    self->right = true;
    for (int i = 0; i < self->jobs || !atomic_load(&self->may_finish); i++) {
        qkv__philox_words random =
            qkv__philox((qkv__philox_words){{(uint32_t)i, self->number, 0, 0}}, 2024);
        size_t workers = random.word[0] % 7, most = random.word[1] % 8 == 0 ? 400 : 12;
        size_t count = random.word[2] % most, inner = random.word[3] % 4 == 0 ? 5 : 0;
        if (!job_is_right(workers, count, 0, inner)) self->right = false;
        atomic_fetch_add(&self->done, 1);
    }
    return NULL;
}

static void test_callers_at_once(void **state)
{
    enum { CALLERS = 4 };
    pthread_t thread[CALLERS];
    caller callers[CALLERS];
    (void)state;
    for (uint32_t i = 0; i < CALLERS; i++) {
        callers[i] = (caller){.number = i, .jobs = 2500, .may_finish = true};
        assert_int_equal(pthread_create(&thread[i], NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(thread[i], NULL);
        assert_true(callers[i].right);
    }
}

/* Two callers that each hold all their helpers must not keep a third from its work. */
static void wait_for_end(size_t task, size_t worker, void *context)
{
    watch *w = context;
    (void)task;
    (void)worker;
    atomic_fetch_add(&w->begun, 1);
    expect(w, wait_for(&w->over, 1));
}

static void *hold_helpers(void *context)
{
    qkv__parallel(3, 3, wait_for_end, context);
    return NULL;
}

static void test_no_free_helper(void **state)
{
    watch w = {0};
    pthread_t thread[2];
    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, hold_helpers, &w), 0);
    assert_true(wait_for(&w.begun, 4));
    for (size_t i = 0; i < 100; i++) assert_true(job_is_right(3, i, 0, i % 5));
    atomic_store(&w.over, 1);
    for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    assert_int_equal(w.wrong, 0);
}

/* ---- Other processes ----------------------------------------------------------------------- */

/* The exit status of a child that ends with the function's value, -1 if a signal ended it: the
 * alarm's, say, which a helper's child would not take unless told to. */
static int status_of_child(int (*function)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        sigset_t none;
        sigemptyset(&none);
        pthread_sigmask(SIG_SETMASK, &none, NULL);
        alarm(PATIENCE_SECONDS);
        _exit(function());
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A child starts without helpers, makes those it needs and no more, and keeps them. */
static int use_in_child(void)
{
    if (qkv__helper_count() != 0) return 1;
    if (!job_is_right(1, 100, 0, 0) || !job_is_right(100, 1, 0, 0)) return 2;
    if (qkv__helper_count() != 0) return 3;
    if (!job_is_right(64, 3, 3, 0) || qkv__helper_count() != 2) return 4;
    if (!job_is_right(5, 500, 5, 0) || qkv__helper_count() != 4) return 5;
    if (!job_is_right(2, 500, 2, 0) || qkv__helper_count() != 4) return 6;
    if (!job_is_right(3, 9, 3, 7)) return 7;
    return 0;
}

static void test_fork(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        assert_true(job_is_right(4, 4, 4, 0));
        assert_int_equal(status_of_child(use_in_child), 0);
    }
    assert_true(job_is_right(4, 4, 4, 0));
}

/* While others are in the pool. The address sanitizer's allocator and its list of threads have
 * locks that a fork does not take (in gcc 12 and clang 14): a child that allocates or makes a
 * thread hangs if another thread held one of them. So no job here allocates, and no thread of the
 * parent begins or ends while it forks. */
static void test_fork_beside_callers(void **state)
{
    pthread_t thread[2];
    caller callers[2];
    (void)state;
    assert_true(job_is_right(7, 7, 7, 0)); /* as many helpers as the callers will ask for */
    for (uint32_t i = 0; i < 2; i++) {
        callers[i] = (caller){.number = 10 + i, .jobs = 1000};
        assert_int_equal(pthread_create(&thread[i], NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < 2; i++) assert_true(wait_for(&callers[i].done, 1));
    size_t failed = 0;
    for (int i = 0; i < 20; i++) failed += status_of_child(use_in_child) != 0;
    for (int i = 0; i < 2; i++) {
        atomic_store(&callers[i].may_finish, true);
        pthread_join(thread[i], NULL);
        assert_true(callers[i].right);
    }
    assert_int_equal(failed, 0);
}

/* A task may fork; the child's calls then work as well. */
static void fork_in_task(size_t task, size_t worker, void *context)
{
    watch *w = context;
    (void)worker;
    if (task % 4 == 0) expect(w, status_of_child(use_in_child) == 0);
}

static void test_fork_in_task(void **state)
{
    watch w = {0};
    (void)state;
    qkv__parallel(3, 12, fork_in_task, &w);
    assert_int_equal(w.wrong, 0);
}

static int exit_after_use(void)
{
    if (!job_is_right(4, 4, 4, 0)) return 1;
    exit(17);
}

static void exit_or_hang(size_t task, size_t worker, void *context)
{
    watch *w = context;
    (void)task;
    atomic_fetch_add(&w->begun, 1);
    wait_for(&w->begun, w->meet);
    if (worker == w->workers) exit(17);
    for (;;) pause();
}

/* One of three workers ends the process from inside its task; the others never come back. */
static watch exit_watch;

static int exit_in_task_of(size_t worker)
{
    exit_watch = (watch){.workers = worker, .meet = 3};
    qkv__parallel(3, 3, exit_or_hang, &exit_watch);
    return 1;
}

static int exit_in_callers_task(void)
{
    return exit_in_task_of(0);
}

static int exit_in_helpers_task(void)
{
    return exit_in_task_of(2);
}

static void *hang(void *argument)
{
    qkv__parallel(3, 3, exit_or_hang, argument);
    return NULL;
}

/* While another thread and its helpers are at work for ever, and some helpers sleep. */
static int exit_beside_caller(void)
{
    pthread_t thread;
    if (!job_is_right(5, 5, 5, 0)) return 1;
    exit_watch = (watch){.workers = SIZE_MAX, .meet = 3};
    if (pthread_create(&thread, NULL, hang, &exit_watch) != 0) return 2;
    if (!wait_for(&exit_watch.begun, 3)) return 3;
    exit(17);
}

static void call_at_exit(void)
{
    if (!job_is_right(4, 40, 0, 3)) _exit(1);
}

static int call_while_exiting(void)
{
    if (atexit(call_at_exit) != 0 || !job_is_right(4, 4, 4, 0)) return 2;
    exit(17);
}

static void test_exit(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(status_of_child(exit_after_use), 17);
        assert_int_equal(status_of_child(exit_in_callers_task), 17);
        assert_int_equal(status_of_child(exit_in_helpers_task), 17);
        assert_int_equal(status_of_child(exit_beside_caller), 17);
        assert_int_equal(status_of_child(call_while_exiting), 17);
    }
}

/* No stack so large can be had, and so no thread. */
static int call_without_threads(void)
{
#if defined(__GLIBC__)
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, (size_t)1 << 50) != 0) return 1;
    if (pthread_setattr_default_np(&attributes) != 0) return 2;
    if (!job_is_right(4, 40, 0, 5) || !job_is_right(8, 8, 0, 0)) return 3;
    if (qkv__helper_count() != 0) return 4;
#endif
    return 0;
}

static void test_no_threads(void **state)
{
    (void)state;
    assert_int_equal(status_of_child(call_without_threads), 0);
}

int main(void)
{
    /* The first two while this process has no helpers: sanitizers take those for the child's too.
     * The last three not under qemu, which dies when the child of a process with threads starts
     * one. */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit),
        cmocka_unit_test(test_no_threads),
        cmocka_unit_test(test_each_task_once),
        cmocka_unit_test(test_workers_are_distinct),
        cmocka_unit_test(test_nested_calls),
        cmocka_unit_test(test_floating_point_environment),
        cmocka_unit_test(test_helpers_take_no_signals),
        cmocka_unit_test(test_callers_at_once),
        cmocka_unit_test(test_no_free_helper),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_fork_beside_callers),
        cmocka_unit_test(test_fork_in_task),
    };
    const size_t count = sizeof tests / sizeof tests[0] - (QKV_EMULATED ? 3 : 0);
    return _cmocka_run_group_tests("threads", tests, count, NULL, NULL);
}
