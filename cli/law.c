/* `qkv law`: the law of attention weights over a key of uncertain length, printed with proved
 * bounds where the library has them. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include <qkv/law.h>

#include "command.h"
#include "law_arguments.h"
#include "report.h"
#include "value.h"

#define LAW "qkv law"

enum {
    OPTION_HEAD,
    OPTION_KEYS,
    OPTION_OF,
    OPTION_BETA,
    OPTION_NOISE,
    OPTION_NOISY,
    OPTION_TOLERANCE,
    OPTION_JSON,
    OPTION_COUNT
};

static const cli_option options[OPTION_COUNT] = {
    [OPTION_HEAD] = {"Queries", "head", '\0', "single|heads|immune",
                     "single: one query, beta times the sum of the wanted means (the default). "
                     "heads: one query per wanted key, beta times its mean; outputs are averaged. "
                     "immune: one query, -beta times the sum of the other means."},
    [OPTION_KEYS] = {NULL, "keys", '\0', "N", "Number of keys; their means are orthonormal."},
    [OPTION_OF] = {NULL, "of", '\0', "M",
                   "Number of wanted keys, whose values are averaged. Default: 2."},
    [OPTION_BETA] = {NULL, "beta", '\0', "X",
                     "Factor in the query, at least 0; inf takes the limit."},
    [OPTION_NOISE] = {"Noise", "noise", '\0', "S", LAW_NOISE_HELP},
    [OPTION_NOISY] = {NULL, "noisy", '\0', "wanted|other",
                      "Which key is noisy: a wanted one (the default) or another."},
    [OPTION_TOLERANCE] =
        {"Results", "tolerance", '\0', "T",
         "A head fails if a wanted key gets less than 1 - T of its intended weight. "
         "Default: 0.01."},
    [OPTION_JSON] = {NULL, "json", '\0', NULL, "Print one JSON object."},
};

static const cli_usage usage = {
    .who = LAW,
    .synopsis = "--keys N --beta X [option ...]",
    .introduction =
        "Prints the distribution of the weights when one key has an uncertain length: the\n"
        "key is eps*mu, and eps is normal with mean 1. Its weight is logit-normal,\n"
        "sigma(location + scale*Z) with Z standard normal, and determines the others.\n"
        "The number after +/- is a proved error bound.\n",
    .closing = "Bias and error assume orthonormal values. If beta is above 1e9, or qkv was built\n"
               "without FLINT, numbers are in double precision, with errors below 1e-12.\n",
    .options = options,
    .option_count = OPTION_COUNT,
};

static const double chances[] = {0.05, 0.25, 0.5, 0.75, 0.95};
enum { CHANCES = sizeof chances / sizeof chances[0] };

/* All that is printed. */
typedef struct answer {
    qkv_law_options options;
    qkv_law law;
    bool bounded; /* bounds are there */
    qkv_law_bounds bounds;
} answer;

/* The numbers that have bounds, in the order of print. */
typedef struct figure {
    const char *name, *text; /* in JSON, and for people */
    double value;
    const qkv_bounds *bounds;
} figure;

enum { FIGURES = 7 };

static void list_figures(const answer *a, figure list[FIGURES])
{
    const qkv_law *law = &a->law;
    const qkv_law_bounds *bounds = &a->bounds;
    const figure all[FIGURES] = {
        {"mean", "mean", law->mean, &bounds->mean},
        {"variance", "variance", law->variance, &bounds->variance},
        {"covariance", "covariance", law->covariance, &bounds->covariance},
        {"leak", "leak", law->leak, &bounds->leak},
        {"bias", "bias", law->bias, &bounds->bias},
        {"error", "error", law->error, &bounds->error},
        {"failure", "failure", law->failure, &bounds->failure},
    };
    for (int i = 0; i < FIGURES; i++) list[i] = all[i];
}

/* ---- Text ----------------------------------------------------------------------------------- */

static void print_query(const qkv_law_options *o)
{
    printf("%zu of %zu keys wanted; ", o->wanted, o->keys);
    switch (o->design) {
    case QKV_DESIGN_SINGLE: printf("one head, q = beta*(sum of the wanted mu)"); break;
    case QKV_DESIGN_HEADS:
        printf("%zu head%s, q = beta*mu of its key", o->wanted, o->wanted == 1 ? "" : "s");
        break;
    case QKV_DESIGN_IMMUNE: printf("one head, q = -beta*(sum of the other mu)"); break;
    }
    printf("; beta = %g\n", o->beta);
    printf("%s key is eps*mu, eps ~ N(1, %g)\n\n", o->other_noisy ? "another" : "one wanted",
           o->noise);
}

static void print_figure(const answer *a, const figure *f, const char *behind)
{
    printf("  %-11s ", f->text);
    if (a->bounded)
        printf("%s", f->bounds->text);
    else
        printf("%.12g", f->value);
    printf("%s\n", behind);
}

static void print_weight(const answer *a, const figure *list)
{
    const qkv_logit_normal w = a->law.weight;
    double mode[2];
    if (w.scale == 0) {
        printf("weight of the noisy key, which no head feels: fixed\n");
        print_figure(a, &list[0], "");
        return;
    }
    if (isinf(a->options.beta))
        printf("weight of the noisy key in its head: 0 or 1\n");
    else
        printf("weight of the noisy key in its head: sigma(%g + %g*Z)\n", w.location, w.scale);
    print_figure(a, &list[0], "");
    print_figure(a, &list[1], "");
    printf("  %-11s", "quantiles");
    for (int i = 0; i < CHANCES; i++)
        printf(" %g%%: %g%s", 100 * chances[i], qkv_logit_normal_quantile(w, chances[i]),
               i == CHANCES - 1 ? "\n" : " ");
    size_t modes = qkv_logit_normal_modes(w, mode);
    printf("  %-11s %g", modes == 2 ? "modes" : "mode", mode[0]);
    if (modes == 2) printf(" and %g", mode[1]);
    putchar('\n');
}

static void print_text(const answer *a)
{
    figure list[FIGURES];
    list_figures(a, list);
    print_query(&a->options);
    print_weight(a, list);
    printf("\noutput c, compared with the wanted average\n");
    print_figure(a, &list[2], "  of Cov(c) = covariance*(v - w)(v - w)'");
    print_figure(a, &list[3], "  from other keys, at eps = 1");
    print_figure(a, &list[4], "  |E c - average|");
    print_figure(a, &list[5], "  E |c - average|^2");
    print_figure(a, &list[6], "");
    printf("  %-11s P(a wanted key gets less than %g of its intended weight)\n", "",
           1 - a->options.tolerance);
    printf("  %-11s %g\n", "|q|", a->law.query_norm);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* JSON has no infinities: a string stands for one. */
static void print_number(double value)
{
    if (isinf(value))
        printf("\"%s\"", value < 0 ? "-inf" : "inf");
    else
        printf("%.17g", value);
}

static void print_json_figure(const answer *a, const figure *f)
{
    printf(",\n  \"%s\": {\"value\": ", f->name);
    print_number(f->value);
    if (a->bounded)
        printf(", \"lower\": %.17g, \"upper\": %.17g", f->bounds->lower, f->bounds->upper);
    putchar('}');
}

static void print_json(const answer *a)
{
    figure list[FIGURES];
    const qkv_law_options *o = &a->options;
    double mode[2];
    size_t modes = qkv_logit_normal_modes(a->law.weight, mode);
    list_figures(a, list);
    printf("{\n  \"head\": \"%s\", \"keys\": %zu, \"wanted\": %zu, \"beta\": ",
           qkv_design_name(o->design), o->keys, o->wanted);
    print_number(o->beta);
    printf(", \"noise\": %.17g, \"noisy\": \"%s\", \"tolerance\": %.17g", o->noise,
           o->other_noisy ? "other" : "wanted", o->tolerance);
    if (!isinf(o->beta))
        printf(",\n  \"location\": %.17g, \"scale\": %.17g", a->law.weight.location,
               a->law.weight.scale);
    for (int i = 0; i < FIGURES; i++) print_json_figure(a, &list[i]);
    printf(",\n  \"quantiles\": {");
    for (int i = 0; i < CHANCES; i++)
        printf("%s\"%g\": %.17g", i == 0 ? "" : ", ", chances[i],
               qkv_logit_normal_quantile(a->law.weight, chances[i]));
    printf("},\n  \"modes\": [");
    for (size_t i = 0; i < modes; i++) printf("%s%.17g", i == 0 ? "" : ", ", mode[i]);
    printf("],\n  \"query_norm\": ");
    print_number(a->law.query_norm);
    printf("\n}\n");
}

/* ---- The subcommand ------------------------------------------------------------------------- */

static int read_options(const char *const *values, qkv_law_options *o)
{
    static const char *const heads[] = {"single", "heads", "immune"};
    size_t head = 0;
    const law_words words = {values[OPTION_KEYS], values[OPTION_OF], values[OPTION_NOISE],
                             values[OPTION_NOISY], values[OPTION_TOLERANCE]};
    if (values[OPTION_HEAD] != NULL && !cli_parse_choice(values[OPTION_HEAD], heads, 3, &head))
        return cli_fail_value(LAW, "--head", values[OPTION_HEAD], "single, heads or immune");
    o->design = (qkv_design)(head + 1);
    int status = law_read_words(LAW, &words, o);
    if (status != CLI_PROCEED) return status;
    if (values[OPTION_BETA] == NULL)
        return cli_fail(LAW, "--beta: is missing; expected a number, at least 0");
    if (!cli_parse_real(values[OPTION_BETA], &o->beta) || !(o->beta >= 0))
        return cli_fail_value(LAW, "--beta", values[OPTION_BETA], "a number, at least 0");
    return CLI_PROCEED;
}

static int run(int count, char **words)
{
    const char *values[OPTION_COUNT];
    size_t operands;
    answer a = {.options = qkv_law_default()};
    qkv_error error;
    int status = cli_options_parse(&usage, count, words, values, &operands);
    if (status != CLI_PROCEED) return status;
    if (operands > 0) return cli_fail(LAW, "got \"%.64s\"; expected only options", words[0]);
    status = read_options(values, &a.options);
    if (status != CLI_PROCEED) return status;
    if (qkv_law_compute(&a.options, &a.law, &error) != QKV_OK)
        return cli_fail(LAW, "%s", error.message);
    a.bounded = qkv_law_enclose(&a.options, &a.bounds, &error) == QKV_OK;
    if (values[OPTION_JSON] != NULL)
        print_json(&a);
    else
        print_text(&a);
    return CLI_SUCCESS;
}

const cli_command cli_law = {
    .name = "law",
    .summary = "Print the distribution of weights over a key of uncertain length.",
    .usage = &usage,
    .run = run,
};
