/* `qkv design`: which query, how large, for the average of some keys or the copy of one, when a key
 * has an uncertain length; three designs side by side. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <qkv/law.h>

#include "command.h"
#include "law_arguments.h"
#include "report.h"

#define DESIGN "qkv design"

enum { NO_DESIGN = 1 }; /* the exit status of an answer, which is no failure */

enum {
    OPTION_KEYS,
    OPTION_OF,
    OPTION_TOLERANCE,
    OPTION_FAILURE,
    OPTION_NOISE,
    OPTION_NOISY,
    OPTION_JSON,
    OPTION_COUNT
};

static const cli_option options[OPTION_COUNT] = {
    [OPTION_KEYS] = {"Task", "keys", '\0', "N", "Number of keys; their means are orthonormal."},
    [OPTION_OF] = {NULL, "of", '\0', "M",
                   "Number of keys to average. Default: 2. A copy takes one."},
    [OPTION_TOLERANCE] =
        {NULL, "tolerance", '\0', "T",
         "A head fails if a wanted key gets less than 1 - T of its intended weight. "
         "Default: 0.01."},
    [OPTION_FAILURE] = {NULL, "failure", '\0', "P", "Allowed failure probability. Default: 0.1."},
    [OPTION_NOISE] = {"Noise", "noise", '\0', "S", LAW_NOISE_HELP},
    [OPTION_NOISY] = {NULL, "noisy", '\0', "wanted|other",
                      "Which key is noisy: a wanted one (the default) or another."},
    [OPTION_JSON] = {"Output", "json", '\0', NULL, "Print one JSON object."},
};

static const cli_usage usage = {
    .who = DESIGN,
    .synopsis = "average|copy --keys N [option ...]",
    .introduction =
        "Chooses beta for three query designs when one key has an uncertain length (it is\n"
        "eps*mu, and eps is normal with mean 1):\n"
        "  single  one head, q = beta times the sum of the wanted means\n"
        "  heads   one head per wanted key, q = beta times its mean; outputs averaged\n"
        "  immune  one head, q = -beta times the sum of the other means\n",
    .closing = "'not met': no beta meets the allowed failure probability; the column then shows\n"
               "the beta where failures are rarest. Errors assume orthonormal values.\n"
               "Exit status: 0 if some design meets it; 1 if none does; 2 on failure.\n",
    .options = options,
    .option_count = OPTION_COUNT,
};

typedef struct candidate {
    qkv_design design;
    qkv_least_beta least;
    double beta;      /* that the laws are for: the least, or where failures are rarest */
    qkv_law law;      /* with the noise asked for */
    qkv_law wanted;   /* with noise on a wanted key, */
    qkv_law other;    /* and on another, */
    bool has_other;   /* if there is one */
    double best;      /* beta of the least error, */
    qkv_law best_law; /* and its law */
} candidate;

enum { DESIGNS = 3 };

typedef struct answer {
    const char *task;
    qkv_law_options options;
    double failure; /* allowed */
    size_t count;   /* of candidates */
    candidate candidates[DESIGNS];
} answer;

/* ---- Asking the library --------------------------------------------------------------------- */

static bool consider(const answer *a, qkv_design design, candidate *c, qkv_error *error)
{
    qkv_law_options o = a->options;
    *c = (candidate){.design = design, .has_other = o.wanted < o.keys};
    o.design = design;
    if (qkv_law_least_beta(&o, a->failure, &c->least, error) != QKV_OK) return false;
    if (qkv_law_best_beta(&o, &c->best, &c->best_law, error) != QKV_OK) return false;
    o.beta = c->beta = c->least.exists ? c->least.beta : c->least.at;
    if (qkv_law_compute(&o, &c->law, error) != QKV_OK) return false;
    o.other_noisy = false;
    if (qkv_law_compute(&o, &c->wanted, error) != QKV_OK) return false;
    o.other_noisy = true;
    return !c->has_other || qkv_law_compute(&o, &c->other, error) == QKV_OK;
}

/* Heads for one key are a single head. */
static bool consider_all(answer *a, qkv_error *error)
{
    static const qkv_design designs[DESIGNS] = {QKV_DESIGN_SINGLE, QKV_DESIGN_HEADS,
                                                QKV_DESIGN_IMMUNE};
    for (int i = 0; i < DESIGNS; i++) {
        if (designs[i] == QKV_DESIGN_HEADS && a->options.wanted == 1) continue;
        if (!consider(a, designs[i], &a->candidates[a->count], error)) return false;
        a->count++;
    }
    return true;
}

/* Which noise a candidate survives: its failures are then as rare as asked for. */
static const char *survived(const answer *a, const candidate *c)
{
    double slack = a->failure * (1 + 1e-9); /* the least beta is computed, to 10^-12 or so */
    bool wanted = c->wanted.failure <= slack, other = c->has_other && c->other.failure <= slack;
    return wanted && other ? "wanted, other" : wanted ? "wanted" : other ? "other" : "neither";
}

/* ---- Text ----------------------------------------------------------------------------------- */

enum { NAME_COLUMNS = 32, COLUMNS = 15 };

typedef double number(const candidate *c);

static double beta_of(const candidate *c)
{
    return c->beta;
}

static double rarest_of(const candidate *c)
{
    return c->least.least_failure;
}

static double rarest_at(const candidate *c)
{
    return c->least.at;
}

static double leak_of(const candidate *c)
{
    return c->law.leak;
}

static double variance_of(const candidate *c)
{
    return c->law.variance;
}

static double covariance_of(const candidate *c)
{
    return c->law.covariance;
}

static double bias_of(const candidate *c)
{
    return c->law.bias;
}

static double error_of(const candidate *c)
{
    return c->law.error;
}

static double norm_of(const candidate *c)
{
    return c->law.query_norm;
}

static double wanted_failure(const candidate *c)
{
    return c->wanted.failure;
}

static double other_failure(const candidate *c)
{
    return c->other.failure;
}

static double best_of(const candidate *c)
{
    return c->best;
}

static double best_error(const candidate *c)
{
    return c->best_law.error;
}

static void print_row(const answer *a, const char *name, number *value)
{
    printf("%-*s", NAME_COLUMNS, name);
    for (size_t i = 0; i < a->count; i++) {
        bool last = i + 1 == a->count;
        int width = printf("%.6g", value(&a->candidates[i]));
        printf("%*s", last ? 0 : COLUMNS - width, "");
    }
    putchar('\n');
}

static void print_words(const answer *a, const char *name,
                        const char *(*word)(const answer *, const candidate *))
{
    printf("%-*s", NAME_COLUMNS, name);
    for (size_t i = 0; i < a->count; i++)
        printf("%-*s", i + 1 == a->count ? 0 : COLUMNS, word(a, &a->candidates[i]));
    putchar('\n');
}

static const char *design_word(const answer *a, const candidate *c)
{
    (void)a;
    return qkv_design_name(c->design);
}

static const char *least_word(const answer *a, const candidate *c)
{
    (void)a;
    return c->least.exists ? "met" : "not met";
}

static void print_task(const answer *a)
{
    const qkv_law_options *o = &a->options;
    if (o->wanted == 1)
        printf("copy 1 of %zu keys: weight at least %g", o->keys, 1 - o->tolerance);
    else
        printf("average %zu of %zu keys: each gets at least %g of its intended weight", o->wanted,
               o->keys, 1 - o->tolerance);
    printf(", failure probability at most %g\n", a->failure);
    printf("%s key is eps*mu, eps ~ N(1, %g)\n\n", o->other_noisy ? "another" : "one wanted",
           o->noise);
}

static void print_text(const answer *a)
{
    print_task(a);
    print_words(a, "", design_word);
    print_words(a, "allowed failure probability", least_word);
    print_row(a, "  least possible", rarest_of);
    print_row(a, "  at beta", rarest_at);
    print_row(a, "beta", beta_of);
    print_row(a, "|q|", norm_of);
    print_row(a, "leak to other keys", leak_of);
    print_row(a, "variance of the weight", variance_of);
    print_row(a, "factor of Cov(c)", covariance_of);
    print_row(a, "bias |E c - average|", bias_of);
    print_row(a, "error E|c - average|^2", error_of);
    print_row(a, "failure, a wanted key noisy", wanted_failure);
    if (a->candidates[0].has_other) print_row(a, "failure, another key noisy", other_failure);
    print_words(a, "survives noise on", survived);
    print_row(a, "beta of least error", best_of);
    print_row(a, "  error there", best_error);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void print_member(const char *name, double value)
{
    printf(", \"%s\": ", name);
    if (isinf(value))
        printf("\"inf\"");
    else
        printf("%.17g", value);
}

static void print_json_candidate(const answer *a, const candidate *c)
{
    printf("\n    {\"design\": \"%s\", \"reached\": %s", qkv_design_name(c->design),
           c->least.exists ? "true" : "false");
    print_member("least_failure", c->least.least_failure);
    print_member("least_failure_beta", c->least.at);
    print_member("beta", c->beta);
    print_member("query_norm", c->law.query_norm);
    print_member("leak", c->law.leak);
    print_member("variance", c->law.variance);
    print_member("covariance", c->law.covariance);
    print_member("bias", c->law.bias);
    print_member("error", c->law.error);
    print_member("failure_wanted_noisy", c->wanted.failure);
    if (c->has_other) print_member("failure_other_noisy", c->other.failure);
    printf(", \"survives\": \"%s\"", survived(a, c));
    print_member("best_beta", c->best);
    print_member("best_error", c->best_law.error);
    putchar('}');
}

static void print_json(const answer *a)
{
    const qkv_law_options *o = &a->options;
    printf("{\n  \"task\": \"%s\", \"keys\": %zu, \"wanted\": %zu", a->task, o->keys, o->wanted);
    print_member("tolerance", o->tolerance);
    print_member("failure", a->failure);
    print_member("noise", o->noise);
    printf(", \"noisy\": \"%s\",\n  \"designs\": [", o->other_noisy ? "other" : "wanted");
    for (size_t i = 0; i < a->count; i++) {
        if (i > 0) putchar(',');
        print_json_candidate(a, &a->candidates[i]);
    }
    printf("\n  ]\n}\n");
}

/* ---- The subcommand ------------------------------------------------------------------------- */

static int read_task(size_t operands, char **words, const char *const *values, answer *a)
{
    if (operands == 0) return cli_fail(DESIGN, "no task; expected average or copy");
    if (operands > 1)
        return cli_fail(DESIGN, "got \"%.64s\" after \"%.64s\"; expected one task", words[1],
                        words[0]);
    a->task = words[0];
    if (strcmp(a->task, "average") != 0 && strcmp(a->task, "copy") != 0)
        return cli_fail_value(DESIGN, "task", words[0], "average or copy");
    if (strcmp(a->task, "copy") != 0) return CLI_PROCEED;
    if (values[OPTION_OF] != NULL && strcmp(values[OPTION_OF], "1") != 0)
        return cli_fail_value(DESIGN, "--of", values[OPTION_OF], "1, or nothing, for a copy");
    a->options.wanted = 1;
    return CLI_PROCEED;
}

static int read_options(const char *const *values, answer *a)
{
    const law_words words = {values[OPTION_KEYS], values[OPTION_OF], values[OPTION_NOISE],
                             values[OPTION_NOISY], values[OPTION_TOLERANCE]};
    int status = law_read_words(DESIGN, &words, &a->options);
    if (status != CLI_PROCEED) return status;
    a->failure = 0.1;
    return law_read_real(DESIGN, "--failure", values[OPTION_FAILURE], 0, false, 1,
                         "a probability above 0 and below 1", &a->failure);
}

static int run(int count, char **words)
{
    const char *values[OPTION_COUNT];
    size_t operands;
    answer a = {.options = qkv_law_default()};
    qkv_error error;
    int status = cli_options_parse(&usage, count, words, values, &operands);
    if (status == CLI_PROCEED) status = read_task(operands, words, values, &a);
    if (status == CLI_PROCEED) status = read_options(values, &a);
    if (status != CLI_PROCEED) return status;
    if (!consider_all(&a, &error)) return cli_fail(DESIGN, "%s", error.message);
    if (values[OPTION_JSON] != NULL)
        print_json(&a);
    else
        print_text(&a);
    status = cli_finish_output(DESIGN);
    if (status != CLI_SUCCESS) return status;
    for (size_t i = 0; i < a.count; i++)
        if (a.candidates[i].least.exists) return CLI_SUCCESS;
    return NO_DESIGN;
}

const cli_command cli_design = {
    .name = "design",
    .summary = "Choose queries for an average or a copy of noisy keys.",
    .usage = &usage,
    .run = run,
};
