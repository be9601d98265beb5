/*
 * The clock, and how long something takes: run again and again for some time, the best counts,
 * since a neighbour on the machine can only make it slower. What runs on one thread is timed by
 * the CPU time of this process, which others on the same core do not lengthen; several threads
 * wait for each other, and only the wall clock says how long.
 */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdbool.h>

double now(void);         /* seconds of the wall clock */
double thread_time(void); /* seconds that this thread ran */

typedef struct timing {
    double best, median; /* seconds of one run; best is 0 when a run failed */
    int runs;
} timing;

/* Runs once; false: it cannot. */
typedef bool (*timed)(void *context);

/*
 * Runs for `seconds` at least, and at least five times unless that takes four times as long. The
 * first run warms up and is not counted, unless it alone takes ten times as long: then it is all.
 * Short runs are timed many at once.
 */
timing time_runs(timed run, void *context, int threads, double seconds);

#endif
