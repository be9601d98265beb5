/* What the files of `qkv plot` share: the words of its command line, read. */
#ifndef QKV_CLI_PLOT_H
#define QKV_CLI_PLOT_H

#include <qkv/plot.h>

#include "input.h"
#include "options.h"

#define PLOT "qkv plot"

enum {
    PLOT_KEYS,
    PLOT_BETA,
    PLOT_NOISE,
    PLOT_TOLERANCE,
    PLOT_SAMPLES,
    PLOT_SEED,
    PLOT_QUERY,
    PLOT_KEY,
    PLOT_VALUE,
    PLOT_WEIGHTS,
    PLOT_SCALE,
    PLOT_CAUSAL,
    PLOT_TOKENS,
    PLOT_AXES,
    PLOT_ORDER,
    PLOT_OUTPUT,
    PLOT_DARK,
    PLOT_TERMINAL,
    PLOT_WIDTH,
    PLOT_ZOOM,
    PLOT_TITLE,
    PLOT_OPTION_COUNT
};

extern const cli_usage plot_usage;

enum { PLOT_NUMBERS_MOST = 64 };

typedef struct plot_request {
    qkv_plot_options options;
    size_t keys[PLOT_NUMBERS_MOST];
    double betas[PLOT_NUMBERS_MOST];

    bool any; /* some attention is given: otherwise the picture's own example */
    qkv_plot_attention attention;
    qkv_attention_options how;
    cli_input inputs[4]; /* query, key, value, weights */
    size_t order[PLOT_NUMBERS_MOST];
    char *tokens, *axes; /* copies, cut into names */
    const char **token_names, **axis_names;

    qkv_picture_format format;
    const char *path; /* NULL: standard output */
    double zoom;
} plot_request;

/* Fills a request from the values of the options. CLI_PROCEED or, once that is told, CLI_FAILURE;
 * the request is to be freed in any case. */
int plot_read(const char *const *values, plot_request *request);
void plot_free(plot_request *request);

#endif
