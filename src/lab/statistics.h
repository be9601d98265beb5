/*
 * Statistics that are closed chunk by chunk and merged in order, so that their bits depend on the
 * samples alone; and counts for histograms and quantiles, which are whole numbers and may be merged
 * in any order.
 */
#ifndef QKV_LAB_STATISTICS_H
#define QKV_LAB_STATISTICS_H

#include "lab/sample.h"

/* Sums over all closed chunks, each with what rounding took from it. */
typedef struct qkv__lab_totals {
    double *sum, *lost;          /* qkv__lab_sum_count() */
    qkv_lab_sequence *sequences; /* one a quantity */
} qkv__lab_totals;

/* All in the arena; false when there is no memory. */
bool qkv__lab_totals_make(const qkv__lab_plan *plan, double error, qkv__arena *arena,
                          qkv__lab_totals *totals);
void qkv__lab_totals_copy(const qkv__lab_plan *plan, const qkv__lab_totals *from,
                          qkv__lab_totals *to);

/* The columns as they are before the first sample of a chunk. */
void qkv__lab_columns_clear(const qkv__lab_plan *plan, double *columns);

/* Adds the columns up, always in the same order. */
void qkv__lab_columns_close(const qkv__lab_plan *plan, const double *columns, double *sums);

/* Takes the sums of the next chunk in. */
void qkv__lab_totals_merge(const qkv__lab_plan *plan, qkv__lab_totals *totals, const double *sums);

/* ---- Counts --------------------------------------------------------------------------------- */

/* For each quantity: where the counts of its histogram, and those of its quantiles, begin. */
typedef struct qkv__lab_count_map {
    size_t *histogram, *quantile;
    size_t total;
} qkv__lab_count_map;

bool qkv__lab_count_map_make(const qkv__lab_plan *plan, qkv__arena *arena, qkv__lab_count_map *map);

/* Counts the accepted ones of the first `count` samples of a block. */
void qkv__lab_count(const qkv__lab_plan *plan, const qkv__lab_count_map *map,
                    const qkv__lab_workspace *space, size_t count, uint64_t *counts);

/* The rank-th smallest, counting from 1, of what two sets of counts hold together. -INFINITY and
 * INFINITY stand for what lies outside of the range. */
double qkv__lab_quantile(const uint64_t *counts, const uint64_t *more, uint64_t rank);

#endif
