/* The options of `qkv plot`, and their words as numbers, names and tensors. Draws nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"
#include "report.h"
#include "terminal.h"
#include "value.h"

static const cli_option options[PLOT_OPTION_COUNT] = {
    [PLOT_KEYS] = {"Laws", "keys", '\0', "N,...",
                   "Numbers of keys: one curve, or one row, per number."},
    [PLOT_BETA] = {NULL, "beta", '\0', "X,...", "Values of beta; law draws one panel per value."},
    [PLOT_NOISE] = {NULL, "noise", '\0', "S",
                    "VARIANCE of the length of k_a, whose mean is 1. Default: 0.5."},
    [PLOT_TOLERANCE] = {NULL, "tolerance", '\0', "T",
                        "Weight that may leak to other keys. Default: 0.01; for fall, 0.1."},
    [PLOT_SAMPLES] = {NULL, "samples", 'n', "N", "Number of samples. Default: 100000."},
    [PLOT_SEED] = {NULL, "seed", '\0', "N", "Random seed. Default: 0."},
    [PLOT_QUERY] = {"Attention", "query", '\0', "INPUT", "The queries, as qkv attend takes them."},
    [PLOT_KEY] = {NULL, "key", '\0', "INPUT", "The keys."},
    [PLOT_VALUE] = {NULL, "value", '\0', "INPUT", "The values, for diagram."},
    [PLOT_WEIGHTS] = {NULL, "weights", '\0', "INPUT", "Weights, instead of queries and keys."},
    [PLOT_SCALE] = {NULL, "scale", '\0', "sqrt|X",
                    "Factor for the scores. Default: sqrt, 1/sqrt(width); the textbook's is 1."},
    [PLOT_CAUSAL] = {NULL, "causal", '\0', "top-left|bottom-right",
                     "A query sees only keys at or before its own position."},
    [PLOT_TOKENS] = {NULL, "tokens", '\0', "'A B ...'", "Names of the keys, separated by blanks."},
    [PLOT_AXES] = {NULL, "axes", '\0', "'A B ...'",
                   "Names for the entries of a value, for diagram. Default: e_1, e_2, ..."},
    [PLOT_ORDER] = {NULL, "order", '\0', "I,...",
                    "New order of the tokens, counted from 1, for permutation. Default: reversed."},
    [PLOT_OUTPUT] = {"Picture", "output", 'o', "FILE",
                     "Write to FILE, whose name ends in .svg, .png or .pdf. Default: -, SVG on "
                     "standard output."},
    [PLOT_DARK] = {NULL, "dark", '\0', NULL, "Draw light on dark."},
    [PLOT_TERMINAL] = {NULL, "terminal", '\0', NULL,
                       "Draw with characters on the terminal; not for diagram."},
    [PLOT_WIDTH] = {NULL, "width", '\0', "X",
                    "Width of the figure in pixels, 200 to 4000. Default: 720."},
    [PLOT_ZOOM] = {NULL, "zoom", '\0', "X", "PNG pixels per figure pixel. Default: 2."},
    [PLOT_TITLE] = {NULL, "title", '\0', "TEXT", "Title, instead of the default one."},
};

const cli_usage plot_usage = {
    .who = PLOT,
    .synopsis = "PICTURE [option ...]",
    .introduction =
        "Draws a PICTURE:\n"
#define FIGURE(name, of, takes, example, help, details) help
#include "../src/plot/plots.def"
        "  claim FILE[:LINE|:LABEL]  the figure of a claim in a document\n"
        "Without input, diagram and permutation draw an example. Without LINE or LABEL,\n"
        "claim draws the first claim that has a figure.\n",
    .closing = "Exit status: 0 if it was drawn, otherwise 2.\n",
    .options = options,
    .option_count = PLOT_OPTION_COUNT,
};

/* ---- Lists of numbers -------------------------------------------------------------------- */

/* The next word of a list with commas between, cut off; NULL: there is none. Copies into `word`. */
static bool next_word(const char **list, char word[40])
{
    size_t length = strcspn(*list, ",");
    if (**list == '\0' || length >= 40) return false;
    memcpy(word, *list, length);
    word[length] = '\0';
    *list += length;
    if (**list == ',') (*list)++;
    return true;
}

/* What a list of numbers may hold. */
typedef struct list_rule {
    const char *option, *expected;
    size_t most_numbers;
    double least, most;
} list_rule;

static int read_reals(const list_rule *rule, const char *text, double *numbers, size_t *count)
{
    char word[40];
    const char *rest = text;
    bool good = true;
    *count = 0;
    while (good && next_word(&rest, word)) {
        double *number = &numbers[*count];
        good = *count < rule->most_numbers && cli_parse_real(word, number) &&
               *number >= rule->least && *number <= rule->most;
        *count += good;
    }
    good = good && *rest == '\0' && *count > 0 && text[strlen(text) - 1] != ',';
    return good ? CLI_PROCEED : cli_fail_value(PLOT, rule->option, text, rule->expected);
}

/* Whole numbers, which are doubles as well as long as they are counts that one can draw. */
static int read_sizes(const list_rule *rule, const char *text, size_t *sizes, size_t *count)
{
    double numbers[PLOT_NUMBERS_MOST];
    int status = read_reals(rule, text, numbers, count);
    bool whole = strspn(text, "0123456789,") == strlen(text);
    if (status == CLI_PROCEED && !whole)
        return cli_fail_value(PLOT, rule->option, text, rule->expected);
    for (size_t i = 0; i < *count && status == CLI_PROCEED; i++) sizes[i] = (size_t)numbers[i];
    return status;
}

static int read_lists(const char *const *values, plot_request *r)
{
    static const list_rule keys = {
        "--keys", "up to 6 whole numbers from 2 to 1000000, separated by commas", 6, 2, 1000000};
    static const list_rule betas = {
        "--beta", "up to 6 numbers from 1e-6 to 1e6, separated by commas", 6, 1e-6, 1e6};
    int status = CLI_PROCEED;
    if (values[PLOT_KEYS] != NULL)
        status = read_sizes(&keys, values[PLOT_KEYS], r->keys, &r->options.key_count);
    if (status == CLI_PROCEED && values[PLOT_BETA] != NULL)
        status = read_reals(&betas, values[PLOT_BETA], r->betas, &r->options.beta_count);
    r->options.keys = r->keys;
    r->options.betas = r->betas;
    return status;
}

/* ---- Numbers ----------------------------------------------------------------------------- */

static int read_real(const char *option, const char *text, double least, double most,
                     const char *expected, double *number)
{
    if (text == NULL) return CLI_PROCEED;
    if (!cli_parse_real(text, number) || !(*number >= least && *number <= most))
        return cli_fail_value(PLOT, option, text, expected);
    return CLI_PROCEED;
}

static int read_size(const char *option, const char *text, size_t least, size_t most,
                     const char *expected, uint64_t *number)
{
    size_t size;
    if (text == NULL) return CLI_PROCEED;
    if (!cli_parse_size(text, &size) || size < least || size > most)
        return cli_fail_value(PLOT, option, text, expected);
    *number = size;
    return CLI_PROCEED;
}

static int read_numbers(const char *const *values, plot_request *r)
{
    qkv_plot_options *o = &r->options;
    int status =
        read_real("--noise", values[PLOT_NOISE], 0, 1e6, "a variance, from 0 to 1e6", &o->noise);
    if (status == CLI_PROCEED)
        status = read_real("--tolerance", values[PLOT_TOLERANCE], 1e-12, 1 - 1e-12,
                           "a number above 0 and below 1", &o->tolerance);
    if (status == CLI_PROCEED)
        status = read_size("--samples", values[PLOT_SAMPLES], 1, 100000000,
                           "a number of samples, from 1 to 100000000", &o->samples);
    if (status == CLI_PROCEED)
        status = read_size("--seed", values[PLOT_SEED], 0, SIZE_MAX, "a whole number", &o->seed);
    if (status == CLI_PROCEED)
        status =
            read_real("--width", values[PLOT_WIDTH], 200, 4000, "pixels, 200 to 4000", &o->width);
    if (status == CLI_PROCEED)
        status =
            read_real("--zoom", values[PLOT_ZOOM], 0.1, 20, "a number from 0.1 to 20", &r->zoom);
    o->theme = values[PLOT_DARK] != NULL ? QKV_THEME_DARK : QKV_THEME_LIGHT;
    o->title = values[PLOT_TITLE];
    return status;
}

/* ---- Attention --------------------------------------------------------------------------- */

static int read_scores(const char *const *values, plot_request *r)
{
    static const char *const causal[] = {"top-left", "bottom-right"};
    size_t choice;
    const char *scale = values[PLOT_SCALE];
    r->how = qkv_attention_default();
    if (scale != NULL && strcmp(scale, "sqrt") != 0) {
        if (!cli_parse_real(scale, &r->how.scale) || !isfinite(r->how.scale))
            return cli_fail_value(PLOT, "--scale", scale, "sqrt or a finite number");
        if (r->how.scale == 0) r->how.scale = QKV_SCALE_ZERO;
    }
    if (values[PLOT_CAUSAL] == NULL) return CLI_PROCEED;
    if (!cli_parse_choice(values[PLOT_CAUSAL], causal, 2, &choice))
        return cli_fail_value(PLOT, "--causal", values[PLOT_CAUSAL], "top-left or bottom-right");
    r->how.causal = true;
    r->how.alignment = choice == 0 ? QKV_ALIGN_TOP_LEFT : QKV_ALIGN_BOTTOM_RIGHT;
    return CLI_PROCEED;
}

static int read_inputs(const char *const *values, plot_request *r)
{
    static const cli_role roles[4] = {
        {"query", "q"}, {"key", "k"}, {"value", "v"}, {"weights", NULL}};
    static const int places[4] = {PLOT_QUERY, PLOT_KEY, PLOT_VALUE, PLOT_WEIGHTS};
    const qkv_view **views[4] = {&r->attention.query, &r->attention.key, &r->attention.value,
                                 &r->attention.weights};
    for (int i = 0; i < 4; i++) {
        if (values[places[i]] == NULL) continue;
        int status = cli_input_read(PLOT, &roles[i], values[places[i]], &r->inputs[i]);
        if (status != CLI_PROCEED) return status;
        *views[i] = qkv_tensor_view(r->inputs[i].tensor);
        r->any = true;
    }
    r->attention.attention = &r->how;
    return CLI_PROCEED;
}

/* Cuts a copy of the text at blanks: *names are `expected` pointers into it. */
static int read_names(const char *option, const char *text, size_t expected, char **copy,
                      const char ***names)
{
    size_t count = 0, length = strlen(text);
    *copy = malloc(length + 1);
    *names = calloc(length / 2 + 1, sizeof **names);
    if (*copy == NULL || *names == NULL) return cli_fail(PLOT, "out of memory");
    memcpy(*copy, text, length + 1);
    for (char *at = *copy; *(at += strspn(at, " \t\n")) != '\0';) {
        (*names)[count++] = at;
        at += strcspn(at, " \t\n");
        if (*at != '\0') *at++ = '\0';
    }
    if (count == expected) return CLI_PROCEED;
    return cli_fail(PLOT, "%s: got %zu names; expected %zu", option, count, expected);
}

/* The size of the last axis but `behind`; 0 for what is not there. */
static size_t length_of(const qkv_view *view, int behind)
{
    return view == NULL || view->rank < 2 ? 0 : view->shape[view->rank - 1 - behind];
}

static int read_all_names(const char *const *values, plot_request *r)
{
    const qkv_plot_attention *a = &r->attention;
    size_t keys = a->weights != NULL ? length_of(a->weights, 0) : length_of(a->key, 1);
    int status = CLI_PROCEED;
    if (values[PLOT_TOKENS] != NULL)
        status = read_names("--tokens", values[PLOT_TOKENS], keys, &r->tokens, &r->token_names);
    if (status == CLI_PROCEED && values[PLOT_AXES] != NULL)
        status = read_names("--axes", values[PLOT_AXES], length_of(a->value, 0), &r->axes,
                            &r->axis_names);
    r->attention.key_names = r->token_names;
    r->attention.axis_names = r->axis_names;
    return status;
}

static int read_order(const char *text, plot_request *r)
{
    static const list_rule rule = {"--order", "each number from 1 to that of the tokens once",
                                   PLOT_NUMBERS_MOST, 1, PLOT_NUMBERS_MOST};
    bool there[PLOT_NUMBERS_MOST] = {false}, good;
    size_t count;
    if (text == NULL) return CLI_PROCEED;
    int status = read_sizes(&rule, text, r->order, &count);
    if (status != CLI_PROCEED) return status;
    good = count == length_of(r->attention.key, 1);
    for (size_t i = 0; i < count && good; i++) {
        size_t token = --r->order[i];
        good = token < count && !there[token];
        there[token] = true;
    }
    if (!good) return cli_fail_value(PLOT, rule.option, text, rule.expected);
    r->attention.order = r->order;
    return CLI_PROCEED;
}

/* ---- The picture's file ------------------------------------------------------------------ */

static int read_output(const char *path, plot_request *r)
{
    static const char *const endings[] = {".svg", ".png", ".pdf"};
    if (path == NULL || strcmp(path, "-") == 0) return CLI_PROCEED;
    r->path = path;
    size_t length = strlen(path);
    for (int i = 0; i < 3; i++)
        if (length > 4 && strcmp(path + length - 4, endings[i]) == 0) {
            r->format = (qkv_picture_format)i;
            return CLI_PROCEED;
        }
    return cli_fail_value(PLOT, "--output", path, "a name that ends in .svg, .png or .pdf");
}

/* As wide as the terminal, or as 80 columns where there is none. */
static int read_terminal(const char *const *values, plot_request *r)
{
    int columns = cli_terminal_width();
    if (values[PLOT_TERMINAL] == NULL) return CLI_PROCEED;
    if (r->path != NULL)
        return cli_fail(PLOT, "--terminal: --output is given too; expected one of the two");
    r->format = cli_paint_end()[0] != '\0' ? QKV_PICTURE_COLOURED_TEXT : QKV_PICTURE_TEXT;
    if (values[PLOT_WIDTH] == NULL && columns > 0)
        r->options.width = 9.0 * (columns < 24 ? 24 : columns > 400 ? 400 : columns);
    return CLI_PROCEED;
}

int plot_read(const char *const *values, plot_request *request)
{
    *request = (plot_request){.options = qkv_plot_default()};
    int status = read_output(values[PLOT_OUTPUT], request);
    if (status == CLI_PROCEED) status = read_terminal(values, request);
    if (status == CLI_PROCEED) status = read_lists(values, request);
    if (status == CLI_PROCEED) status = read_numbers(values, request);
    if (status == CLI_PROCEED) status = read_scores(values, request);
    if (status == CLI_PROCEED) status = read_inputs(values, request);
    if (status == CLI_PROCEED) status = read_all_names(values, request);
    if (status == CLI_PROCEED) status = read_order(values[PLOT_ORDER], request);
    return status;
}

void plot_free(plot_request *request)
{
    for (int i = 0; i < 4; i++) cli_input_free(&request->inputs[i]);
    free(request->tokens);
    free(request->axes);
    free(request->token_names);
    free(request->axis_names);
}
