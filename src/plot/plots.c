/* The table of plots, read by the command, the Python package and the page. To add a plot, add a
 * row here and a source file next to this one. */
#include <qkv/plot.h>

enum {
    LAW = QKV_PLOT_FITS_TERMINAL | QKV_PLOT_TAKES_NOISE,
    SAMPLED = QKV_PLOT_TAKES_SAMPLES | QKV_PLOT_TAKES_SEED
};

static const qkv_plot plots[] = {
    {"key", qkv_plot_key, NULL, LAW | QKV_PLOT_TAKES_SEED},
    {"weights", qkv_plot_weights, NULL,
     QKV_PLOT_FITS_TERMINAL | QKV_PLOT_TAKES_KEYS | QKV_PLOT_TAKES_TOLERANCE},
    {"law", qkv_plot_law, NULL,
     LAW | SAMPLED | QKV_PLOT_TAKES_ONE_KEY_COUNT | QKV_PLOT_TAKES_BETAS},
    {"fall", qkv_plot_fall, NULL,
     LAW | SAMPLED | QKV_PLOT_TAKES_ONE_KEY_COUNT | QKV_PLOT_TAKES_ONE_BETA |
         QKV_PLOT_TAKES_TOLERANCE},
    {"error", qkv_plot_error, NULL, LAW | QKV_PLOT_TAKES_KEYS},
    {"heat", NULL, qkv_plot_heat,
     QKV_PLOT_FITS_TERMINAL | QKV_PLOT_TAKES_WEIGHTS | QKV_PLOT_TAKES_SCORES},
    {"diagram", NULL, qkv_plot_diagram,
     QKV_PLOT_TAKES_WEIGHTS | QKV_PLOT_TAKES_SCORES | QKV_PLOT_TAKES_VALUE |
         QKV_PLOT_TAKES_ONE_BETA | QKV_PLOT_HAS_EXAMPLE},
    {"permutation", NULL, qkv_plot_permutation,
     QKV_PLOT_FITS_TERMINAL | QKV_PLOT_TAKES_SCORES | QKV_PLOT_TAKES_ORDER | QKV_PLOT_HAS_EXAMPLE},
};

const qkv_plot *qkv_plots(size_t *count)
{
    *count = sizeof plots / sizeof plots[0];
    return plots;
}
