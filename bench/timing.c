/* Timing. */
#include "timing.h"

#include <stdlib.h>
#include <time.h>

enum { SAMPLES_AT_MOST = 4096, RUNS_WANTED = 5, PATIENCE = 4, TOO_LONG = 10 };
static const double shortest =
    100e-6; /* seconds: the clock itself takes up to half a microsecond */

static double read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double thread_time(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static double busy(int threads)
{
    return read_clock(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of `count` runs, or 0. */
static double run_many(timed run, void *context, int threads, int count)
{
    double begin = busy(threads);
    for (int i = 0; i < count; i++)
        if (!run(context)) return 0.0;
    return busy(threads) - begin;
}

timing time_runs(timed run, void *context, int threads, double seconds)
{
    static double sample[SAMPLES_AT_MOST];
    int runs = 0, together = 1;
    double once = run_many(run, context, threads, 1), spent = 0.0;
    if (once <= 0.0) return (timing){0};
    if (once >= TOO_LONG * seconds) return (timing){.best = once, .median = once, .runs = 1};
    for (double taken = once; taken < shortest && together < 1 << 20; together *= 2)
        taken = run_many(run, context, threads, 2 * together);
    while (runs < SAMPLES_AT_MOST &&
           (spent < seconds || (runs < RUNS_WANTED && spent < PATIENCE * seconds))) {
        double taken = run_many(run, context, threads, together);
        if (taken <= 0.0) return (timing){0};
        spent += taken;
        sample[runs++] = taken / together;
    }
    qsort(sample, (size_t)runs, sizeof *sample, by_size);
    return (timing){.best = sample[0], .median = sample[runs / 2], .runs = runs * together};
}
