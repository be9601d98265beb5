/* How sampled weights are distributed, as text: a line of blocks for each, or a histogram. */
#ifndef QKV_CLI_SHAPE_H
#define QKV_CLI_SHAPE_H

#include <qkv/claim.h>

enum { CLI_SHAPE_BINS = 24 }; /* from 0 to 1 */

typedef struct cli_shapes {
    size_t rows;
    uint64_t samples; /* that were counted */
    size_t *counts;   /* rows x CLI_SHAPE_BINS */
} cli_shapes;

/* Draws samples once more and counts them, at most a few ten thousand. CLI_PROCEED, or CLI_FAILURE
 * once that is told; shapes are to be freed in any case. */
int cli_shapes_count(const char *who, qkv_samples *samples, cli_shapes *shapes);
void cli_shapes_free(cli_shapes *shapes);

enum { CLI_SPARK = 3 * (CLI_SHAPE_BINS + 2) + 1 }; /* bytes */

/* "│█▁    ▁█│" */
void cli_shapes_spark(const cli_shapes *shapes, size_t row, char spark[CLI_SPARK]);

/* A histogram for each row that is no event. */
int cli_shapes_print(const char *who, const qkv_samples *samples, const cli_shapes *shapes);

#endif
