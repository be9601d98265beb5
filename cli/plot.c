/* `qkv plot`: a picture of the library's, written to a file. */
#include "plot.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "document.h"
#include "draft.h"
#include "place.h"
#include "report.h"
#include "same_file.h"
#include "suggest.h"

/* Options that every plot has. */
static const int every[] = {PLOT_OUTPUT, PLOT_DARK, PLOT_WIDTH, PLOT_ZOOM, PLOT_TITLE};

/* The options for what a plot takes. */
static const struct {
    unsigned takes;
    int option;
} options_of[] = {
    {QKV_PLOT_TAKES_KEYS | QKV_PLOT_TAKES_ONE_KEY_COUNT, PLOT_KEYS},
    {QKV_PLOT_TAKES_BETAS | QKV_PLOT_TAKES_ONE_BETA, PLOT_BETA},
    {QKV_PLOT_TAKES_NOISE, PLOT_NOISE},
    {QKV_PLOT_TAKES_TOLERANCE, PLOT_TOLERANCE},
    {QKV_PLOT_TAKES_SAMPLES, PLOT_SAMPLES},
    {QKV_PLOT_TAKES_SEED, PLOT_SEED},
    {QKV_PLOT_TAKES_SCORES, PLOT_QUERY},
    {QKV_PLOT_TAKES_SCORES, PLOT_KEY},
    {QKV_PLOT_TAKES_SCORES, PLOT_SCALE},
    {QKV_PLOT_TAKES_SCORES, PLOT_CAUSAL},
    {QKV_PLOT_TAKES_SCORES, PLOT_TOKENS},
    {QKV_PLOT_TAKES_WEIGHTS, PLOT_WEIGHTS},
    {QKV_PLOT_TAKES_VALUE, PLOT_VALUE},
    {QKV_PLOT_TAKES_VALUE, PLOT_AXES},
    {QKV_PLOT_TAKES_ORDER, PLOT_ORDER},
    {QKV_PLOT_FITS_TERMINAL, PLOT_TERMINAL},
};

/* The plot of a claim, which further operands name. */
static const qkv_plot of_claim = {.name = "claim", .takes = QKV_PLOT_FITS_TERMINAL};

static int fail_unknown(const char *word)
{
    size_t count;
    const qkv_plot *plots = qkv_plots(&count);
    cli_suggestion suggestion = {.word = word};
    for (size_t i = 0; i < count; i++) cli_suggest(&suggestion, plots[i].name);
    cli_suggest(&suggestion, of_claim.name);
    if (suggestion.best != NULL)
        return cli_fail(PLOT, "unknown picture \"%.64s\"; did you mean %s?", word, suggestion.best);
    return cli_fail(PLOT, "unknown picture \"%.64s\"; qkv help plot lists them", word);
}

static int find_picture(size_t count, char **words, const qkv_plot **found)
{
    size_t plot_count;
    const qkv_plot *plots = qkv_plots(&plot_count);
    if (count == 0) return cli_fail(PLOT, "no picture; expected one of those in qkv help plot");
    for (size_t i = 0; i < plot_count && *found == NULL; i++)
        if (strcmp(plots[i].name, words[0]) == 0) *found = &plots[i];
    if (strcmp(of_claim.name, words[0]) == 0) *found = &of_claim;
    if (count > 1 && *found != &of_claim)
        return cli_fail(PLOT, "got \"%.64s\" and \"%.64s\"; expected one picture", words[0],
                        words[1]);
    return *found == NULL ? fail_unknown(words[0]) : CLI_PROCEED;
}

static bool takes_option(const qkv_plot *plot, int option)
{
    for (size_t i = 0; i < sizeof every / sizeof every[0]; i++)
        if (every[i] == option) return true;
    for (size_t i = 0; i < sizeof options_of / sizeof options_of[0]; i++)
        if (options_of[i].option == option) return (plot->takes & options_of[i].takes) != 0;
    return false;
}

/* An option that a picture has no use for is refused, not ignored. */
static int check_options(const qkv_plot *plot, const char *const *values)
{
    static const struct {
        unsigned takes;
        int option;
    } single[] = {{QKV_PLOT_TAKES_ONE_KEY_COUNT, PLOT_KEYS}, {QKV_PLOT_TAKES_ONE_BETA, PLOT_BETA}};
    for (int i = 0; i < PLOT_OPTION_COUNT; i++)
        if (values[i] != NULL && !takes_option(plot, i))
            return cli_fail(PLOT, "--%s: not an option of %s", plot_usage.options[i].name,
                            plot->name);
    for (size_t i = 0; i < sizeof single / sizeof single[0]; i++) {
        const char *value = values[single[i].option];
        if (value != NULL && (plot->takes & single[i].takes) != 0 && strchr(value, ',') != NULL)
            return cli_fail(PLOT, "--%s: got \"%.64s\"; expected one number: %s draws one",
                            plot_usage.options[single[i].option].name, value, plot->name);
    }
    return CLI_PROCEED;
}

/* Weights are what queries and keys would make, and an example's beta has no place beside either.
 */
static int check_together(const char *const *values)
{
    static const int made[] = {PLOT_QUERY, PLOT_KEY, PLOT_SCALE, PLOT_CAUSAL};
    const char *const *weights = &values[PLOT_WEIGHTS];
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        if (*weights != NULL && values[made[i]] != NULL)
            return cli_fail(PLOT, "--%s: has no effect when --weights is given",
                            plot_usage.options[made[i]].name);
    bool given = *weights != NULL || values[PLOT_QUERY] != NULL || values[PLOT_KEY] != NULL;
    if (given && values[PLOT_BETA] != NULL)
        return cli_fail(PLOT, "--beta: only the example uses it, but attention is given");
    return CLI_PROCEED;
}

/* A picture must not take the place of what it is drawn from. */
static int refuse_overwriting(const char *option, const char *source, const plot_request *r)
{
    if (source == NULL || r->path == NULL || !cli_same_file(source, r->path)) return CLI_PROCEED;
    return cli_fail(PLOT, "--output: %s is %s; expected another file", r->path, option);
}

static int check_target(const char *const *values, const plot_request *r)
{
    static const struct {
        int option;
        const char *words;
    } inputs[] = {{PLOT_QUERY, "the input of --query"},
                  {PLOT_KEY, "the input of --key"},
                  {PLOT_VALUE, "the input of --value"},
                  {PLOT_WEIGHTS, "the input of --weights"}};
    int status = CLI_PROCEED;
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0] && status == CLI_PROCEED; i++)
        status = refuse_overwriting(inputs[i].words, values[inputs[i].option], r);
    return status;
}

static int draw(const qkv_plot *p, const plot_request *r, qkv_figure **figure)
{
    qkv_error error;
    if (p->of_attention != NULL && !r->any && (p->takes & QKV_PLOT_HAS_EXAMPLE) == 0)
        return cli_fail(PLOT, "%s: no attention; expected --query and --key, or --weights",
                        p->name);
    qkv_status status =
        p->of_laws != NULL
            ? p->of_laws(&r->options, figure, &error)
            : p->of_attention(&r->options, r->any ? &r->attention : NULL, figure, &error);
    return status == QKV_OK ? CLI_PROCEED : cli_fail(PLOT, "%s", error.message);
}

/* The first claim of those that are meant that has a picture. */
static int draw_from(const char *path, const qkv_report *report, const plot_request *r,
                     qkv_figure **figure)
{
    qkv_error error;
    size_t count = qkv_report_claim_count(report), chosen = 0;
    while (chosen + 1 < count && qkv_report_claim(report, chosen)->scene == NULL) chosen++;
    if (count == 0) return cli_fail(PLOT, "%s: no claims", cli_document_name(path));
    const qkv_claim *claim = qkv_report_claim(report, chosen);
    return qkv_plot_claim(&r->options, claim, figure, &error) == QKV_OK
               ? CLI_PROCEED
               : cli_fail(PLOT, "%s: %s", cli_document_name(path), error.message);
}

static int draw_claim(size_t count, char **words, const plot_request *r, qkv_figure **figure)
{
    cli_place place = {.path = NULL};
    size_t length;
    qkv_error error;
    qkv_report *report = NULL;
    char *text = NULL;
    int status = cli_place_read(PLOT, count, words, &place);
    if (status == CLI_PROCEED) status = refuse_overwriting("the document", place.path, r);
    if (status == CLI_PROCEED) {
        text = cli_document_read(PLOT, place.path, &length);
        if (text == NULL)
            status = CLI_FAILURE;
        else if (qkv_explain(place.path, text, length, &place.which, &report, &error) != QKV_OK)
            status = cli_fail(PLOT, "%s: %s", cli_document_name(place.path), error.message);
        else
            status = draw_from(place.path, report, r, figure);
    }
    qkv_report_free(&report);
    free(text);
    free(place.path);
    return status;
}

static int write_file(const char *path, const qkv_picture *bytes)
{
    cli_draft draft;
    int status = cli_draft_begin(PLOT, path, &draft);
    if (status == CLI_PROCEED) {
        fwrite(bytes->data, 1, bytes->length, draft.stream);
        status = cli_draft_commit(PLOT, &draft);
    }
    cli_draft_end(&draft);
    return status;
}

static int write_picture(const plot_request *r, const qkv_figure *figure)
{
    qkv_picture bytes;
    qkv_error error;
    if (qkv_figure_render(figure, r->format, r->zoom, &bytes, &error) != QKV_OK)
        return cli_fail(PLOT, "%s", error.message);
    int status = CLI_SUCCESS;
    if (r->path == NULL)
        fwrite(bytes.data, 1, bytes.length, stdout);
    else
        status = write_file(r->path, &bytes);
    qkv_picture_free(&bytes);
    return status;
}

/* A screen has room for one row of panels: error has one for each number of keys. */
static void fit_screen(const qkv_plot *p, const char *const *values, plot_request *r)
{
    if (values[PLOT_TERMINAL] == NULL || values[PLOT_KEYS] != NULL) return;
    if (p == &of_claim || strcmp(p->name, "error") != 0) return;
    r->keys[0] = 10;
    r->options.key_count = 1;
}

static int run(int count, char **words)
{
    const char *values[PLOT_OPTION_COUNT];
    size_t operands;
    const qkv_plot *p = NULL;
    plot_request request = {.any = false};
    qkv_figure *figure = NULL;
    int status = cli_options_parse(&plot_usage, count, words, values, &operands);
    if (status == CLI_PROCEED) status = find_picture(operands, words, &p);
    if (status == CLI_PROCEED) status = check_options(p, values);
    if (status == CLI_PROCEED) status = check_together(values);
    if (status != CLI_PROCEED) return status;
    status = plot_read(values, &request);
    if (status == CLI_PROCEED) fit_screen(p, values, &request);
    if (status == CLI_PROCEED) status = check_target(values, &request);
    if (status == CLI_PROCEED)
        status = p == &of_claim ? draw_claim(operands - 1, words + 1, &request, &figure)
                                : draw(p, &request, &figure);
    if (status == CLI_PROCEED) status = write_picture(&request, figure);
    qkv_figure_free(&figure);
    plot_free(&request);
    return status;
}

const cli_command cli_plot = {
    .name = "plot",
    .summary = "Draw keys, weights and laws as SVG, PNG or PDF.",
    .usage = &plot_usage,
    .run = run,
};
