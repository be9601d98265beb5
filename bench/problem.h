/*
 * A row's tensors, and the call that is timed. Sees the public operator alone.
 */
#ifndef BENCH_PROBLEM_H
#define BENCH_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include "row.h"

typedef struct problem problem;

/* NULL when there is no memory for it. `kernel` may be NULL: the library's choice. */
problem *problem_create(const row *r, const char *kernel);
void problem_free(problem **p);

/* One call, as time_runs wants it; false when the operator refuses. */
bool problem_run(void *p);

const char *problem_error(const problem *p);

/* Bytes of all that a row needs. */
size_t problem_bytes(const row *r);

/* How many caches a cold row goes round, so that together they are far larger than L3. */
size_t problem_caches(const row *r);

#endif
