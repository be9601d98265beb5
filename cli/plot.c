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

/* A picture: what makes it, and which options it has beside those that all have. */
typedef struct picture {
    const char *name;
    qkv_status (*of_laws)(const qkv_plot_options *, qkv_figure **, qkv_error *);
    qkv_status (*of_attention)(const qkv_plot_options *, const qkv_plot_attention *, qkv_figure **,
                               qkv_error *);
    unsigned options; /* bits */
    unsigned single;  /* bits of those that take one number, no list */
    bool example;     /* it has one, if no attention is given */
    bool of_claim;    /* of a claim, which further operands tell */
} picture;

#define BIT(option) (1u << (option))

enum {
    EVERY = (int)(BIT(PLOT_OUTPUT) | BIT(PLOT_DARK) | BIT(PLOT_WIDTH) | BIT(PLOT_ZOOM) |
                  BIT(PLOT_TITLE)),
    SAMPLED = (int)(BIT(PLOT_SAMPLES) | BIT(PLOT_SEED)),
    SCORED = (int)(BIT(PLOT_QUERY) | BIT(PLOT_KEY) | BIT(PLOT_SCALE) | BIT(PLOT_CAUSAL) |
                   BIT(PLOT_TOKENS)),
};

static const picture pictures[] = {
    {.name = "key",
     .of_laws = qkv_plot_key,
     .options = BIT(PLOT_TERMINAL) | BIT(PLOT_NOISE) | BIT(PLOT_SEED)},
    {.name = "weights",
     .of_laws = qkv_plot_weights,
     .options = BIT(PLOT_TERMINAL) | BIT(PLOT_KEYS) | BIT(PLOT_TOLERANCE)},
    {.name = "law",
     .of_laws = qkv_plot_law,
     .options = BIT(PLOT_TERMINAL) | BIT(PLOT_KEYS) | BIT(PLOT_BETA) | BIT(PLOT_NOISE) | SAMPLED,
     .single = BIT(PLOT_KEYS)},
    {.name = "fall",
     .of_laws = qkv_plot_fall,
     .options = BIT(PLOT_TERMINAL) | BIT(PLOT_KEYS) | BIT(PLOT_BETA) | BIT(PLOT_NOISE) |
                BIT(PLOT_TOLERANCE) | SAMPLED,
     .single = BIT(PLOT_KEYS) | BIT(PLOT_BETA)},
    {.name = "error",
     .of_laws = qkv_plot_error,
     .options = BIT(PLOT_TERMINAL) | BIT(PLOT_KEYS) | BIT(PLOT_NOISE)},
    {.name = "heat",
     .of_attention = qkv_plot_heat,
     .options = BIT(PLOT_TERMINAL) | BIT(PLOT_WEIGHTS) | SCORED},
    {.name = "diagram",
     .of_attention = qkv_plot_diagram,
     .options = BIT(PLOT_WEIGHTS) | BIT(PLOT_VALUE) | BIT(PLOT_AXES) | BIT(PLOT_BETA) | SCORED,
     .single = BIT(PLOT_BETA),
     .example = true},
    {.name = "permutation",
     .of_attention = qkv_plot_permutation,
     .options = BIT(PLOT_TERMINAL) | BIT(PLOT_ORDER) | SCORED,
     .example = true},
    {.name = "claim", .of_claim = true, .options = BIT(PLOT_TERMINAL)},
};
enum { PICTURES = sizeof pictures / sizeof pictures[0] };

static int fail_unknown(const char *word)
{
    cli_suggestion suggestion = {.word = word};
    for (int i = 0; i < PICTURES; i++) cli_suggest(&suggestion, pictures[i].name);
    if (suggestion.best != NULL)
        return cli_fail(PLOT, "unknown picture \"%.64s\"; did you mean %s?", word, suggestion.best);
    return cli_fail(PLOT, "unknown picture \"%.64s\"; qkv help plot lists them", word);
}

static int find_picture(size_t count, char **words, const picture **found)
{
    if (count == 0) return cli_fail(PLOT, "no picture; expected one of those in qkv help plot");
    for (int i = 0; i < PICTURES && *found == NULL; i++)
        if (strcmp(pictures[i].name, words[0]) == 0) *found = &pictures[i];
    if (count > 1 && (*found == NULL || !(*found)->of_claim))
        return cli_fail(PLOT, "got \"%.64s\" and \"%.64s\"; expected one picture", words[0],
                        words[1]);
    return *found == NULL ? fail_unknown(words[0]) : CLI_PROCEED;
}

/* An option that a picture has no use for is refused, not ignored. */
static int check_options(const picture *p, const char *const *values)
{
    for (int i = 0; i < PLOT_OPTION_COUNT; i++)
        if (values[i] != NULL && ((p->options | EVERY) >> i & 1) == 0)
            return cli_fail(PLOT, "--%s: %s does not take it", plot_usage.options[i].name, p->name);
    for (int i = 0; i < PLOT_OPTION_COUNT; i++)
        if (values[i] != NULL && (p->single >> i & 1) != 0 && strchr(values[i], ',') != NULL)
            return cli_fail(PLOT, "--%s: got \"%.64s\"; expected one number: %s draws one",
                            plot_usage.options[i].name, values[i], p->name);
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
            return cli_fail(PLOT, "--%s: --weights is given, which leaves nothing to it",
                            plot_usage.options[made[i]].name);
    bool given = *weights != NULL || values[PLOT_QUERY] != NULL || values[PLOT_KEY] != NULL;
    if (given && values[PLOT_BETA] != NULL)
        return cli_fail(PLOT, "--beta: goes with the example alone, and attention is given");
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

static int draw(const picture *p, const plot_request *r, qkv_figure **figure)
{
    qkv_error error;
    if (p->of_attention != NULL && !r->any && !p->example)
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

static int run(int count, char **words)
{
    const char *values[PLOT_OPTION_COUNT];
    size_t operands;
    const picture *p = NULL;
    plot_request request = {.any = false};
    qkv_figure *figure = NULL;
    int status = cli_options_parse(&plot_usage, count, words, values, &operands);
    if (status == CLI_PROCEED) status = find_picture(operands, words, &p);
    if (status == CLI_PROCEED) status = check_options(p, values);
    if (status == CLI_PROCEED) status = check_together(values);
    if (status != CLI_PROCEED) return status;
    status = plot_read(values, &request);
    if (status == CLI_PROCEED) status = check_target(values, &request);
    if (status == CLI_PROCEED)
        status = p->of_claim ? draw_claim(operands - 1, words + 1, &request, &figure)
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
