/*
 * Results: a table for people, and a JSON array of objects for programs.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "row.h"

/* The limits on each of the thread counts, a line each. */
void report_limits(FILE *file, const int *threads, size_t thread_counts);

/* All rows that were measured, each as a fraction of its limit and a ratio to the peer. */
void report_rows(FILE *file, const row_list *list);

/*
 * {"name", "value", "unit", "limit", "fraction", "peer", "ratio"} a row: limit and peer are figures
 * in the row's unit, ratio and fraction are above 1 when we are better than them. After these
 * "limit_by", "peer_by", "kernel", and "spread", the median time over the best. Limits come first,
 * as rows with a value alone. False: the file cannot be written.
 */
bool report_json(const char *path, const row_list *list, const int *threads, size_t thread_counts,
                 const char *kernel);

#endif
