/* Attention as numbers to look at: weights in doubles, given or computed, and their names. */
#ifndef QKV_PLOT_ATTENTION_H
#define QKV_PLOT_ATTENTION_H

#include <qkv/plot.h>

typedef struct qkv__seen {
    size_t heads, queries, keys;
    double *weights; /* heads x queries x keys; to be freed by qkv__free */
} qkv__seen;

qkv_status qkv__plot_see(const qkv_plot_attention *attention, qkv__seen *seen, qkv_error *error);

/* The elements of a view of rank 2 or 3 as dense doubles, to be freed by qkv__free. `name` is for
 * messages; size: heads (1 for rank 2), rows, columns. */
qkv_status qkv__plot_load(const qkv_view *view, const char *name, size_t size[3], double **numbers,
                          qkv_error *error);

/* "2 heads, 1 query and 2 keys", for messages. */
typedef struct qkv__counts {
    char text[96];
} qkv__counts;

qkv__counts qkv__plot_counts(const qkv__seen *seen);

/* How far the sum of a row of weights may be from 1 by rounding alone. */
#define QKV__PLOT_ROUNDED 1e-3

/* -sum a ln a of a row of weights, in nats; NaN where they do not sum to 1. */
double qkv__plot_entropy(const double *weights, size_t count);

#endif
