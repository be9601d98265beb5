/*
 * A row of the benchmark: a problem, how many threads it runs on, and what it costs at least. Knows
 * neither the operator nor the peer.
 */
#ifndef BENCH_ROW_H
#define BENCH_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/qkv.h>

typedef enum row_family { ROW_PREFILL, ROW_DECODE, ROW_BACKWARD, ROW_SMALL } row_family;

typedef enum row_form {
    FORM_FULL,
    FORM_CAUSAL,
    FORM_WINDOW, /* causal, the last 256 keys alone */
    FORM_GQA,    /* full, four query heads a key head */
    FORM_MASK,   /* full, a mask of the inputs' type added, (queries, keys) */
} row_form;

enum { ROW_WINDOW = 256 };

typedef struct row {
    row_family family;
    qkv_type type;
    row_form form;
    size_t heads, kv_heads, queries, keys, width;
    bool cold; /* decode: every call reads another cache, so that none of them stays in L3 */
    int threads;
    char name[80];
    /* Results. */
    double seconds, median; /* best and median of a call; 0: not measured, why says it */
    double peer_seconds;    /* 0: no peer */
    char why[64];
} row;

typedef enum row_grid { GRID_QUICK, GRID_USUAL, GRID_FULL } row_grid;

typedef struct row_list {
    row *rows;
    size_t count, room;
} row_list;

/* All rows of the grid on each of the thread counts, grouped by family. */
row_list rows_of_grid(row_grid grid, const int *threads, size_t thread_counts);

/* Pairs of query and key, of all heads, whose score is needed: half of all when causal. */
double row_pairs(const row *r);

/* Operations: 4 * pairs * width forward, 2.5 times that backward. */
double row_operations(const row *r);

/* Bytes of keys and values, once. */
double row_cache_bytes(const row *r);

/* The figure that the row reports for a time: its unit is row_unit. */
double row_value(const row *r, double seconds);
const char *row_unit(const row *r); /* "GFLOP/s", "GB/s" or "ns" */

/*
 * The least seconds by the limits measured: memory or arithmetic, whichever takes longer. In
 * vector units products and exponentials take turns, in AMX they can go on side by side. `by` gets
 * the name of what binds.
 */
double row_floor(const row *r, const char **by);

#endif
