/* Timing by the wall clock. */
#include "timing.h"

#include <stdlib.h>
#include <time.h>

enum { SAMPLES_AT_MOST = 4096, RUNS_WANTED = 5, PATIENCE = 4 };
static const double shortest = 20e-6; /* seconds: the clock itself takes some 30 ns */

double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of `count` runs, or 0. */
static double run_many(timed run, void *context, int count)
{
    double begin = now();
    for (int i = 0; i < count; i++)
        if (!run(context)) return 0.0;
    return now() - begin;
}

timing time_runs(timed run, void *context, double seconds)
{
    static double sample[SAMPLES_AT_MOST];
    int runs = 0, together = 1;
    double once = run_many(run, context, 1), spent = 0.0;
    if (once <= 0.0) return (timing){0};
    if (once >= PATIENCE * seconds) return (timing){.best = once, .median = once, .runs = 1};
    for (double taken = once; taken < shortest && together < 1 << 20; together *= 2)
        taken = run_many(run, context, 2 * together);
    while (runs < SAMPLES_AT_MOST &&
           (spent < seconds || (runs < RUNS_WANTED && spent < PATIENCE * seconds))) {
        double taken = run_many(run, context, together);
        if (taken <= 0.0) return (timing){0};
        spent += taken;
        sample[runs++] = taken / together;
    }
    qsort(sample, (size_t)runs, sizeof *sample, by_size);
    return (timing){.best = sample[0], .median = sample[runs / 2], .runs = runs * together};
}
