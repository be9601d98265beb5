/* The table of plots, from plots.def, read by the command, the Python package and the page. */
#include <qkv/plot.h>

/* What a row takes, and one of the two functions of a plot. */
enum {
    TERMINAL = QKV_PLOT_FITS_TERMINAL,
    EXAMPLE = QKV_PLOT_HAS_EXAMPLE,
    KEYS = QKV_PLOT_TAKES_KEYS,
    ONE_KEY_COUNT = QKV_PLOT_TAKES_ONE_KEY_COUNT,
    BETAS = QKV_PLOT_TAKES_BETAS,
    ONE_BETA = QKV_PLOT_TAKES_ONE_BETA,
    NOISE = QKV_PLOT_TAKES_NOISE,
    TOLERANCE = QKV_PLOT_TAKES_TOLERANCE,
    SAMPLES = QKV_PLOT_TAKES_SAMPLES,
    SEED = QKV_PLOT_TAKES_SEED,
    WEIGHTS = QKV_PLOT_TAKES_WEIGHTS,
    SCORES = QKV_PLOT_TAKES_SCORES,
    VALUE = QKV_PLOT_TAKES_VALUE,
    ORDER = QKV_PLOT_TAKES_ORDER
};
#define LAWS of_laws
#define ATTENTION of_attention

static const qkv_plot plots[] = {
#define FIGURE(plot, of, what, example, help, details)                                             \
    {.name = #plot, .of = qkv_plot_##plot, .takes = what},
#include "plot/plots.def"
};

const qkv_plot *qkv_plots(size_t *count)
{
    *count = sizeof plots / sizeof plots[0];
    return plots;
}
