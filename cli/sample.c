/* `qkv sample`: runs a document's random problem and prints what samples say of its results. */
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <qkv/claim.h>
#include <qkv/file.h>
#include <qkv/lab.h>

#include "command.h"
#include "document.h"
#include "hold.h"
#include "json.h"
#include "report.h"
#include "same_file.h"
#include "sample.h"
#include "shape.h"
#include "terminal.h"
#include "value.h"

#ifndef SAMPLE /* qkv-mpi has this subcommand too */
#define SAMPLE "qkv sample"
#endif

enum {
    OPTION_AT,
    OPTION_SAMPLES,
    OPTION_SEED,
    OPTION_THREADS,
    OPTION_HISTOGRAM,
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTION_COUNT
};

static const cli_option options[OPTION_COUNT] = {
    [OPTION_AT] = {"Problem", "at", '\0', "NUMBERS",
                   "Numbers for the parameters, as in 'n = 10, beta = 10, alpha = 0.01'. Default: "
                   "the problem's first `at` line."},
    [OPTION_SAMPLES] = {"Sampling", "samples", 'n', "N", "Number of samples. Default: 1000000."},
    [OPTION_SEED] = {NULL, "seed", '\0', "N", "Random seed. Default: 0."},
    [OPTION_THREADS] =
        {NULL, "threads", '\0', "N",
         "Number of threads. Default: one per core. It does not change the results."},
    [OPTION_HISTOGRAM] = {"Output", "histogram", '\0', NULL,
                          "Also draw a histogram of each weight. On a terminal, a one-line "
                          "histogram is always shown."},
    [OPTION_JSON] = {NULL, "json", '\0', NULL, "Print one JSON object."},
    [OPTION_OUTPUT] = {NULL, "output", 'o', "FILE",
                       "Write the samples to a file such as x.npy: one row per sample, one "
                       "column per row of the table."},
};

const cli_usage cli_sample_usage = {
    .who = SAMPLE,
    .synopsis = "[option ...] FILE[:PROBLEM]",
    .introduction =
        "Samples attention over random keys: the problem with that title, or the first\n"
        "one with keys k[i] ~ normal(...). Prints the mean and variance of the weights of\n"
        "the picked keys, and of the others together, for every result in the problem;\n"
        "and an estimate of every probability in its claims. All confidence intervals\n"
        "hold together with probability 1 - 1e-6. The exact values are shown where they\n"
        "are known. FILE - is standard input. An interrupt prints the results so far.\n",
    .closing = "Exit status: 0 if the problem was sampled; 2 if it cannot be.\n",
    .options = options,
    .option_count = OPTION_COUNT,
};

const struct qkv_lab_team *cli_sample_team;

/* ---- Words of the command line -------------------------------------------------------------- */

typedef struct request {
    char *path;          /* to be freed */
    const char *problem; /* NULL: the first */
    const char *output;  /* NULL: none */
    qkv_sample_options how;
    bool json, histogram;
} request;

static int read_number(const char *option, const char *text, size_t least, size_t most,
                       const char *expected, size_t *number)
{
    if (text == NULL) return CLI_PROCEED;
    if (!cli_parse_size(text, number) || *number < least || *number > most)
        return cli_fail_value(SAMPLE, option, text, expected);
    return CLI_PROCEED;
}

static int read_options(const char **values, request *r)
{
    size_t samples = 0, seed = 0, threads = 0;
    int status = read_number("--samples", values[OPTION_SAMPLES], 1, (size_t)1 << 50,
                             "a number of samples, from 1", &samples);
    if (status == CLI_PROCEED)
        status = read_number("--seed", values[OPTION_SEED], 0, SIZE_MAX, "a whole number", &seed);
    if (status == CLI_PROCEED)
        status = read_number("--threads", values[OPTION_THREADS], 1, 256,
                             "a number of threads, from 1 to 256", &threads);
    r->how = qkv_sample_options_default();
    r->how.samples = samples;
    r->how.seed = seed;
    r->how.threads = (int)threads;
    r->how.at = values[OPTION_AT];
    r->json = values[OPTION_JSON] != NULL;
    r->histogram = values[OPTION_HISTOGRAM] != NULL;
    if (status == CLI_PROCEED && r->json && r->histogram)
        return cli_fail(SAMPLE, "--histogram: cannot be combined with --json");
    r->output = values[OPTION_OUTPUT];
    return status;
}

/* FILE or FILE:PROBLEM. A file whose own name has a colon is found first. */
static int read_operand(size_t count, char **words, request *r)
{
    if (count != 1)
        return count == 0 ? cli_fail(SAMPLE, "no document; expected FILE or FILE:PROBLEM")
                          : cli_fail(SAMPLE, "got %zu words; expected FILE or FILE:PROBLEM", count);
    r->path = malloc(strlen(words[0]) + 1);
    if (r->path == NULL) return cli_fail(SAMPLE, "out of memory");
    strcpy(r->path, words[0]);
    char *colon = strchr(r->path, ':');
    if (colon == NULL || access(words[0], F_OK) == 0) return CLI_PROCEED;
    *colon = '\0';
    r->problem = words[0] + (colon - r->path) + 1;
    return CLI_PROCEED;
}

/* ---- Progress ------------------------------------------------------------------------------ */

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

typedef struct progress {
    struct timespec begun;
    bool shown;
} progress;

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

/* A bar on a terminal's standard error, once a run takes longer than a second. */
static bool show_progress(uint64_t done, uint64_t total, void *context)
{
    enum { WIDTH = 40 };
    progress *p = context;
    double share = (double)done / (double)total;
    if (isatty(STDERR_FILENO) && seconds_since(&p->begun) > 1.0 && done < total) {
        char bar[WIDTH + 1];
        for (int i = 0; i < WIDTH; i++) bar[i] = i < (int)(share * WIDTH) ? '#' : '.';
        bar[WIDTH] = '\0';
        fprintf(stderr, "\r%s %3.0f %%", bar, 100.0 * share);
        p->shown = true;
    }
    return !interrupted;
}

/* ---- The table ----------------------------------------------------------------------------- */

/* As many decimals as the interval is worth, and one more. */
static int decimals_of(const qkv_sample_number *number)
{
    double width = number->high - number->low;
    if (!(width > 0.0) || !isfinite(width)) return 6;
    return (int)fmin(fmax(1.0 - floor(log10(width)), 1.0), 15.0);
}

/* "0.5312  0.5301 to 0.5323"; ends are rounded outward. */
static int format_number(const qkv_sample_number *number, char *text, size_t size)
{
    int decimals = decimals_of(number);
    double unit = pow(10.0, -decimals);
    if (!isfinite(number->low) || !isfinite(number->high))
        return snprintf(text, size, "%.6g", number->value);
    return snprintf(text, size, "%.*f  %.*f to %.*f", decimals, number->value, decimals,
                    floor(number->low / unit) * unit + 0.0, decimals,
                    ceil(number->high / unit) * unit);
}

static int format_exact(const qkv_sample_number *number, char *text, size_t size)
{
    if (!number->has_exact) return snprintf(text, size, "%s", "");
    return snprintf(text, size, "%.*f", decimals_of(number),
                    0.5 * (number->exact_low + number->exact_high));
}

enum { COLUMNS = 6, CELL = 96 };
_Static_assert((int)CELL >= (int)CLI_SPARK, "a line of blocks is a cell");

typedef struct line {
    char cell[COLUMNS][CELL]; /* name; mean, exact; variance, exact; law */
} line;

/* shapes may have no counts: then nothing is drawn. */
static line make_line(const qkv_sample_row *row, size_t index, const cli_shapes *shapes)
{
    line l = {0};
    snprintf(l.cell[0], CELL, "%s%s", row->is_event ? "" : "  ", row->quantity);
    format_number(&row->mean, l.cell[1], CELL);
    format_exact(&row->mean, l.cell[2], CELL);
    if (row->is_event) return l;
    format_number(&row->variance, l.cell[3], CELL);
    format_exact(&row->variance, l.cell[4], CELL);
    if (shapes->counts != NULL) cli_shapes_spark(shapes, index, l.cell[5]);
    return l;
}

static void print_line(const line *l, const int *width, int count)
{
    int last = 0;
    for (int i = 0; i < count; i++)
        if (l->cell[i][0] != '\0') last = i;
    for (int i = 0; i <= last; i++)
        printf("%s%-*s", i == 0 ? "" : "   ", i == last ? 0 : width[i], l->cell[i]);
    putchar('\n');
}

/* Rows of one kind, weights or events, under their heads. */
static void print_rows(const qkv_samples *samples, const cli_shapes *shapes, bool events)
{
    size_t count = qkv_samples_row_count(samples), met = 0;
    int width[COLUMNS] = {0}, columns = events ? 3 : COLUMNS;
    const char *noise = qkv_samples_exact_at(samples), *result = "";
    line head = {0};
    snprintf(head.cell[1], CELL, "%s", events ? "probability" : "mean");
    snprintf(head.cell[2], CELL, "exact%s%.60s", noise[0] == '\0' ? "" : " at ", noise);
    snprintf(head.cell[3], CELL, "%s", events ? "" : "variance");
    snprintf(head.cell[4], CELL, "%s", events ? "" : head.cell[2]);
    snprintf(head.cell[5], CELL, "%s", events || shapes->counts == NULL ? "" : "from 0 to 1");
    for (size_t i = 0; i <= count; i++) {
        const qkv_sample_row *row = i < count ? qkv_samples_row(samples, i) : NULL;
        if (row != NULL && row->is_event != events) continue;
        line l = row == NULL ? head : make_line(row, i, shapes);
        met += row != NULL;
        for (int c = 0; c < columns; c++) {
            int length = (int)strlen(l.cell[c]);
            if (length > width[c]) width[c] = length;
        }
    }
    if (met == 0) return;
    putchar('\n');
    print_line(&head, width, columns);
    for (size_t i = 0; i < count; i++) {
        const qkv_sample_row *row = qkv_samples_row(samples, i);
        if (row->is_event != events) continue;
        if (strcmp(row->result, result) != 0) printf("%s\n", row->result);
        result = row->result;
        line l = make_line(row, i, shapes);
        print_line(&l, width, columns);
    }
}

static void print_table(const char *path, const qkv_samples *samples, const cli_shapes *shapes)
{
    const char *title = qkv_samples_problem(samples), *at = qkv_samples_at(samples);
    unsigned long long drawn = (unsigned long long)qkv_samples_drawn(samples);
    printf("%s%s%s%s%s%s: %llu sample%s\n", cli_shown(path).text, title[0] == '\0' ? "" : ": \"",
           title, title[0] == '\0' ? "" : "\"", at[0] == '\0' ? "" : ", at ", at, drawn,
           drawn == 1 ? "" : "s");
    print_rows(samples, shapes, false);
    print_rows(samples, shapes, true);
}

static int print_text(const request *r, qkv_samples *samples)
{
    cli_shapes shapes = {.counts = NULL};
    int status = CLI_PROCEED;
    if (r->histogram || cli_terminal_width() > 0)
        status = cli_shapes_count(SAMPLE, samples, &shapes);
    if (status == CLI_PROCEED) print_table(r->path, samples, &shapes);
    if (status == CLI_PROCEED && r->histogram) status = cli_shapes_print(SAMPLE, samples, &shapes);
    cli_shapes_free(&shapes);
    return status == CLI_PROCEED ? CLI_SUCCESS : status;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void print_json_real(const char *name, double real)
{
    if (isfinite(real))
        printf(", \"%s\": %.17g", name, real);
    else
        printf(", \"%s\": null", name);
}

static void print_json_number(const char *name, const qkv_sample_number *number)
{
    printf(", \"%s\": {\"value\": ", name);
    if (isfinite(number->value))
        printf("%.17g", number->value);
    else
        printf("null");
    print_json_real("low", number->low);
    print_json_real("high", number->high);
    if (number->has_exact)
        printf(", \"exact\": [%.17g, %.17g]", number->exact_low, number->exact_high);
    putchar('}');
}

static void print_json(const char *path, const qkv_samples *samples)
{
    printf("{\"document\": ");
    cli_json_string(stdout, path);
    printf(", \"problem\": ");
    cli_json_string(stdout, qkv_samples_problem(samples));
    printf(", \"at\": ");
    cli_json_string(stdout, qkv_samples_at(samples));
    printf(", \"exact_at\": ");
    cli_json_string(stdout, qkv_samples_exact_at(samples));
    printf(", \"samples\": %llu, \"rows\": [", (unsigned long long)qkv_samples_drawn(samples));
    for (size_t i = 0; i < qkv_samples_row_count(samples); i++) {
        const qkv_sample_row *row = qkv_samples_row(samples, i);
        printf("%s\n  {\"result\": ", i == 0 ? "" : ",");
        cli_json_string(stdout, row->result);
        printf(", \"quantity\": ");
        cli_json_string(stdout, row->quantity);
        print_json_number(row->is_event ? "probability" : "mean", &row->mean);
        if (!row->is_event) print_json_number("variance", &row->variance);
        putchar('}');
    }
    printf("\n]}\n");
}

/* ---- The samples themselves ---------------------------------------------------------------- */

static int write_samples(const char *path, qkv_samples *samples)
{
    size_t shape[2] = {(size_t)qkv_samples_drawn(samples), qkv_samples_row_count(samples)};
    qkv_tensor *tensor = NULL;
    qkv_error error;
    qkv_status status = qkv_tensor_create(QKV_F64, 2, shape, &tensor, &error);
    if (status == QKV_OK)
        status = qkv_samples_draw(samples, 0, shape[0], qkv_tensor_view(tensor)->data, &error);
    if (status == QKV_OK) {
        qkv_tensor_output output = {path, "samples", *qkv_tensor_view(tensor)};
        status = cli_write_tensors(&output, 1, &error);
    }
    qkv_tensor_free(&tensor);
    return status == QKV_OK ? CLI_SUCCESS : cli_fail(SAMPLE, "--output: %s", error.message);
}

static int check_output(const char *path)
{
    double nothing = 0.0;
    qkv_error error;
    qkv_tensor_output output = {path, "samples",
                                qkv_view_dense(QKV_F64, &nothing, 2, (size_t[]){1, 1})};
    if (path != NULL && strcmp(path, "-") == 0)
        return cli_fail(SAMPLE, "--output: standard output has the table; expected a file");
    if (path == NULL || qkv_tensor_write_check(&output, 1, &error) == QKV_OK) return CLI_PROCEED;
    return cli_fail(SAMPLE, "--output: %s", error.message);
}

/* ---- The subcommand ------------------------------------------------------------------------ */

static qkv_status sample_text(request *r, const char *text, size_t length, qkv_samples **samples,
                              qkv_error *error)
{
    progress shown = {.shown = false};
    struct sigaction action = {.sa_handler = interrupt}, before;
    clock_gettime(CLOCK_MONOTONIC, &shown.begun);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before);
    r->how.problem = r->problem;
    r->how.team = cli_sample_team;
    r->how.progress = show_progress;
    r->how.context = &shown;
    qkv_status status = qkv_sample(r->path, text, length, &r->how, samples, error);
    sigaction(SIGINT, &before, NULL);
    if (shown.shown) fprintf(stderr, "\r\033[K");
    return status;
}

/* Whether all members of the team read the same. */
static bool is_shared(const char *text, size_t length)
{
    const struct qkv_lab_team *team = cli_sample_team;
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    if (team == NULL) return true;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    uint64_t *all = calloc(team->members, sizeof *all);
    if (all == NULL) return false;
    all[team->number] = hash;
    bool same = team->gather(all, sizeof *all, team->context);
    for (size_t i = 0; i < team->members; i++) same = same && all[i] == hash;
    free(all);
    return same;
}

static int sample(request *r)
{
    size_t length;
    qkv_samples *samples = NULL;
    qkv_error error;
    if (r->output != NULL && cli_same_file(r->path, r->output))
        return cli_fail(SAMPLE, "--output: %s is the document; expected another file", r->output);
    int status = check_output(r->output);
    if (status != CLI_PROCEED) return status;
    char *text = cli_document_read(SAMPLE, r->path, &length);
    if (text == NULL) return CLI_FAILURE;
    status = CLI_SUCCESS;
    if (!is_shared(text, length))
        status = cli_fail(SAMPLE, "%s: is another document on another rank, or was not read there",
                          cli_document_name(r->path));
    else if (sample_text(r, text, length, &samples, &error) != QKV_OK)
        status = cli_fail(SAMPLE, "%s: %s", cli_document_name(r->path), error.message);
    else if (r->json)
        print_json(r->path, samples);
    else
        status = print_text(r, samples);
    fflush(stdout); /* a second interrupt, while samples are written, takes nothing of the table */
    const bool writes = cli_sample_team == NULL || cli_sample_team->number == 0;
    if (status == CLI_SUCCESS && r->output != NULL && writes)
        status = write_samples(r->output, samples);
    qkv_samples_free(&samples);
    free(text);
    return status;
}

static int run(int count, char **words)
{
    const char *values[OPTION_COUNT];
    size_t operands;
    request r = {.path = NULL};
    int status = cli_options_parse(&cli_sample_usage, count, words, values, &operands);
    if (status == CLI_PROCEED) status = read_options(values, &r);
    if (status == CLI_PROCEED) status = read_operand(operands, words, &r);
    if (status == CLI_PROCEED) status = sample(&r);
    free(r.path);
    int written = cli_finish_output(SAMPLE);
    return status == CLI_SUCCESS ? written : status;
}

const cli_command cli_sample = {
    .name = "sample",
    .summary = "Sample attention over random keys.",
    .usage = &cli_sample_usage,
    .run = run,
};
