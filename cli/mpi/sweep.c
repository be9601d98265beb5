/*
 * `qkv-mpi sweep`: designs sampled over a grid of numbers, one cell at a time per rank. Rank 0
 * gives out cells, keeps the journal and works too: it looks after the others between pieces of its
 * own cell. The others ask, compute, answer.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "journal.h"
#include "ranks.h"
#include "../report.h"
#include "sweep_cell.h"
#include "../value.h"

#define SWEEP "qkv-mpi sweep"

enum {
    OPTION_DESIGN,
    OPTION_KEYS,
    OPTION_OF,
    OPTION_BETA,
    OPTION_NOISE,
    OPTION_SAMPLES,
    OPTION_SEED,
    OPTION_THREADS,
    OPTION_JOURNAL,
    OPTION_OUTPUT,
    OPTION_PROGRESS,
    OPTION_COUNT
};

static const cli_option options[OPTION_COUNT] = {
    [OPTION_DESIGN] = {"Grid", "design", '\0', "LIST",
                       "Designs, as in qkv law: single, heads, immune. Default: all three."},
    [OPTION_KEYS] = {NULL, "keys", '\0', "LIST", "Numbers of keys, as in 10,100."},
    [OPTION_OF] = {NULL, "of", '\0', "LIST", "Numbers of wanted keys. Default: 2."},
    [OPTION_BETA] = {NULL, "beta", '\0', "LIST", "Factors in the query, as in 1:20:1."},
    [OPTION_NOISE] = {NULL, "noise", '\0', "LIST",
                      "Variances of the noisy key's length, whose mean is 1. Default: 0.5."},
    [OPTION_SAMPLES] = {"Sampling", "samples", 'n', "N",
                        "Number of samples of each cell. Default: 1000000."},
    [OPTION_SEED] = {NULL, "seed", '\0', "N", "Random seed of all cells. Default: 0."},
    [OPTION_THREADS] = {NULL, "threads", '\0', "N", "Threads of each rank. Default: 1."},
    [OPTION_JOURNAL] = {"Output", "journal", '\0', "FILE",
                        "Keep finished cells in FILE, and go on from there if it exists."},
    [OPTION_OUTPUT] = {NULL, "output", 'o', "FILE",
                       "Write the table to FILE. Default: standard output."},
    [OPTION_PROGRESS] = {NULL, "progress", '\0', NULL,
                         "Print a line per finished cell on standard error. On a terminal, "
                         "progress is always shown."},
};

static const cli_usage usage = {
    .who = SWEEP,
    .synopsis = "--keys LIST --beta LIST --journal FILE [option ...]",
    .introduction =
        "Samples every design at every combination of numbers: the weight of the noisy key\n"
        "and the squared distance of the output from the wanted average, with a confidence\n"
        "interval and, beside it, the law's exact value. LIST is numbers and ranges,\n"
        "separated by commas; 1:5:0.5 goes from 1 to 5 in steps of 0.5. The journal gets a\n"
        "line when a cell is finished. A sweep that was stopped, or killed, goes on from\n"
        "it, with any number of ranks, and gives the same table.\n",
    .closing = "Exit status: 0 if all cells are finished; 2 if not.\n",
    .options = options,
    .option_count = OPTION_COUNT,
};

/* ---- The grid ------------------------------------------------------------------------------- */

enum { LIST_ROOM = 4096, CELLS_AT_MOST = 10000000 };

typedef struct list {
    double number[LIST_ROOM];
    size_t count;
} list;

typedef struct grid {
    qkv_design design[3];
    size_t designs;
    list keys, of, beta, noise;
    uint64_t samples, seed;
    int threads;
    size_t cells;
    const char *journal, *output;
    bool progress;
} grid;

/* One number, or LOW:HIGH:STEP. */
static bool add_range(list *l, const char *text)
{
    double low, high, step;
    char end;
    if (cli_parse_real(text, &low)) {
        high = low;
        step = 1.0;
    } else if (sscanf(text, "%lf:%lf:%lf%c", &low, &high, &step, &end) != 3) {
        return false;
    }
    if (!isfinite(low) || !isfinite(high) || !(step > 0.0) || high < low) return false;
    for (size_t i = 0; low + (double)i * step <= high + 1e-9 * step; i++) {
        if (l->count == LIST_ROOM) return false;
        l->number[l->count++] = low + (double)i * step;
    }
    return true;
}

static int read_list(const char *option, const char *text, double least, bool whole, list *l)
{
    char copy[LIST_ROOM], *rest = copy;
    snprintf(copy, sizeof copy, "%s", text);
    if (strlen(text) >= sizeof copy) return cli_fail(SWEEP, "%s: is too long", option);
    for (char *word; (word = strtok_r(rest, ",", &rest)) != NULL;)
        if (!add_range(l, word))
            return cli_fail_value(SWEEP, option, word, "a number, or LOW:HIGH:STEP");
    for (size_t i = 0; i < l->count; i++)
        if (!(l->number[i] >= least) || (whole && l->number[i] != floor(l->number[i])) ||
            l->number[i] > 1e9)
            return cli_fail(SWEEP, "%s: %g is out of range; expected %s from %g", option,
                            l->number[i], whole ? "whole numbers" : "numbers", least);
    if (l->count == 0) return cli_fail_value(SWEEP, option, text, "at least one number");
    return CLI_PROCEED;
}

static int read_designs(const char *text, grid *g)
{
    static const char *const names[] = {"single", "heads", "immune"};
    char copy[64], *rest = copy;
    size_t index;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word; (word = strtok_r(rest, ",", &rest)) != NULL;) {
        if (!cli_parse_choice(word, names, 3, &index) || g->designs == 3)
            return cli_fail_value(SWEEP, "--design", word, "some of single, heads, immune");
        g->design[g->designs++] = (qkv_design)(index + 1);
    }
    return g->designs > 0 ? CLI_PROCEED
                          : cli_fail_value(SWEEP, "--design", text, "at least one design");
}

static int read_count(const char *option, const char *text, size_t least, size_t most,
                      size_t *number)
{
    if (text == NULL) return CLI_PROCEED;
    if (!cli_parse_size(text, number) || *number < least || *number > most)
        return cli_fail_value(SWEEP, option, text, "a whole number in its range");
    return CLI_PROCEED;
}

static int read_grid(const char **values, grid *g)
{
    size_t samples = 1000000, seed = 0, threads = 1;
    for (int i = OPTION_KEYS; i <= OPTION_JOURNAL; i++)
        if ((i == OPTION_KEYS || i == OPTION_BETA || i == OPTION_JOURNAL) && values[i] == NULL)
            return cli_fail(SWEEP, "--%s: is missing; expected %s", options[i].name,
                            options[i].argument);
    int status = read_designs(
        values[OPTION_DESIGN] == NULL ? "single,heads,immune" : values[OPTION_DESIGN], g);
    if (status == CLI_PROCEED) status = read_list("--keys", values[OPTION_KEYS], 2, true, &g->keys);
    if (status == CLI_PROCEED)
        status =
            read_list("--of", values[OPTION_OF] == NULL ? "2" : values[OPTION_OF], 1, true, &g->of);
    if (status == CLI_PROCEED)
        status = read_list("--beta", values[OPTION_BETA], 0, false, &g->beta);
    if (status == CLI_PROCEED)
        status = read_list("--noise", values[OPTION_NOISE] == NULL ? "0.5" : values[OPTION_NOISE],
                           0, false, &g->noise);
    if (status == CLI_PROCEED)
        status = read_count("--samples", values[OPTION_SAMPLES], 2, (size_t)1 << 50, &samples);
    if (status == CLI_PROCEED)
        status = read_count("--seed", values[OPTION_SEED], 0, SIZE_MAX, &seed);
    if (status == CLI_PROCEED)
        status = read_count("--threads", values[OPTION_THREADS], 1, 256, &threads);
    g->samples = samples;
    g->seed = seed;
    g->threads = (int)threads;
    g->journal = values[OPTION_JOURNAL];
    g->output = values[OPTION_OUTPUT];
    g->progress = values[OPTION_PROGRESS] != NULL;
    if (status != CLI_PROCEED) return status;
    const double cells = (double)g->designs * (double)g->keys.count * (double)g->of.count *
                         (double)g->beta.count * (double)g->noise.count;
    if (cells > CELLS_AT_MOST)
        return cli_fail(SWEEP, "the grid has %g cells; expected at most %d", cells, CELLS_AT_MOST);
    g->cells = (size_t)cells;
    for (size_t i = 0; i < g->of.count; i++)
        for (size_t k = 0; k < g->keys.count; k++)
            if (g->of.number[i] > g->keys.number[k])
                return cli_fail(SWEEP, "--of: %g is more than the %g keys", g->of.number[i],
                                g->keys.number[k]);
    return CLI_PROCEED;
}

/* The last list varies fastest. */
static sweep_cell cell_at(const grid *g, size_t cell)
{
    sweep_cell c = {.law = qkv_law_default(), .samples = g->samples, .seed = g->seed};
    c.law.noise = g->noise.number[cell % g->noise.count];
    cell /= g->noise.count;
    c.law.beta = g->beta.number[cell % g->beta.count];
    cell /= g->beta.count;
    c.law.wanted = (size_t)g->of.number[cell % g->of.count];
    cell /= g->of.count;
    c.law.keys = (size_t)g->keys.number[cell % g->keys.count];
    c.law.design = g->design[cell / g->keys.count];
    return c;
}

/* All that a cell depends on, for the journal. */
static char *parameters_of(const grid *g)
{
    const list *const lists[] = {&g->keys, &g->of, &g->beta, &g->noise};
    size_t room = 256, used = 0;
    for (int i = 0; i < 4; i++) room += 32 * (lists[i]->count + 1);
    char *text = malloc(room);
    if (text == NULL) return NULL;
    for (size_t i = 0; i < g->designs; i++)
        used += (size_t)snprintf(text + used, room - used, "%s,", qkv_design_name(g->design[i]));
    for (int i = 0; i < 4; i++) {
        used += (size_t)snprintf(text + used, room - used, ";");
        for (size_t k = 0; k < lists[i]->count; k++)
            used += (size_t)snprintf(text + used, room - used, "%.17g,", lists[i]->number[k]);
    }
    snprintf(text + used, room - used, ";%llu;%llu", (unsigned long long)g->samples,
             (unsigned long long)g->seed);
    return text;
}

/* ---- Workers -------------------------------------------------------------------------------- */

enum { TAG_ANSWER = 1, TAG_CELL = 2 };

static const long long NONE = -1; /* no cell: a first question, or the end */

/* What a rank has found; a row, or the words of a failure. */
typedef struct answer {
    long long cell;
    int failed;
    char text[SWEEP_TEXT];
} answer;

static void compute(const grid *g, long long cell, qkv_lab_progress progress, void *context,
                    answer *a)
{
    const sweep_cell c = cell_at(g, (size_t)cell);
    qkv_error error;
    a->cell = cell;
    a->failed = sweep_compute(&c, g->threads, progress, context, a->text, &error) != QKV_OK;
    if (a->failed) snprintf(a->text, sizeof a->text, "%.500s", error.message);
}

static int work(const grid *g)
{
    answer a = {.cell = NONE};
    for (;;) {
        long long cell;
        MPI_Send(&a, (int)sizeof a, MPI_BYTE, 0, TAG_ANSWER, MPI_COMM_WORLD);
        MPI_Recv(&cell, 1, MPI_LONG_LONG, 0, TAG_CELL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (cell == NONE) return CLI_SUCCESS;
        compute(g, cell, NULL, NULL, &a);
    }
}

/* ---- Rank 0 --------------------------------------------------------------------------------- */

typedef struct chief {
    const grid *g;
    journal journal;
    size_t next; /* cells before it are given out or finished */
    int at_work; /* ranks that have not been told to stop */
    char trouble[SWEEP_TEXT + 64];
    struct timespec begun;
    size_t finished_before;
} chief;

static void show_progress(const chief *c)
{
    struct timespec now;
    const bool terminal = isatty(STDERR_FILENO) != 0;
    if (!terminal && !c->g->progress) return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double seconds =
        (double)(now.tv_sec - c->begun.tv_sec) + 1e-9 * (double)(now.tv_nsec - c->begun.tv_nsec);
    const size_t done = c->journal.finished - c->finished_before;
    const double left =
        done == 0 ? 0.0 : seconds / (double)done * (double)(c->g->cells - c->journal.finished);
    fprintf(stderr, "%s%zu of %zu cells, %.0f s left%s", terminal ? "\r\033[K" : "",
            c->journal.finished, c->g->cells, left, terminal ? "" : "\n");
}

static long long next_cell(chief *c)
{
    while (c->next < c->g->cells && c->journal.line[c->next] != NULL) c->next++;
    if (c->next == c->g->cells || c->trouble[0] != '\0') return NONE;
    return (long long)c->next++;
}

static void take_answer(chief *c, const answer *a)
{
    if (a->cell == NONE || c->trouble[0] != '\0') return;
    if (a->failed)
        snprintf(c->trouble, sizeof c->trouble, "cell %lld: %s", a->cell, a->text);
    else if (!journal_add(&c->journal, (size_t)a->cell, a->text))
        snprintf(c->trouble, sizeof c->trouble, "--journal: cannot be written");
    else
        show_progress(c);
}

/* Answers that have come are entered, and their ranks get the next cell, or the end. */
static void look_after(chief *c)
{
    int there = 1;
    while (c->at_work > 0) {
        MPI_Status from;
        answer a;
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_ANSWER, MPI_COMM_WORLD, &there, &from);
        if (!there) return;
        MPI_Recv(&a, (int)sizeof a, MPI_BYTE, from.MPI_SOURCE, TAG_ANSWER, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        take_answer(c, &a);
        const long long cell = next_cell(c);
        MPI_Send(&cell, 1, MPI_LONG_LONG, from.MPI_SOURCE, TAG_CELL, MPI_COMM_WORLD);
        c->at_work -= cell == NONE;
    }
}

static bool between_pieces(uint64_t done, uint64_t total, void *context)
{
    (void)done, (void)total;
    look_after(context);
    return true;
}

static void lead(chief *c)
{
    c->at_work = ranks.count - 1;
    for (long long cell; (cell = next_cell(c)) != NONE;) {
        answer a;
        compute(c->g, cell, between_pieces, c, &a);
        take_answer(c, &a);
    }
    while (c->at_work > 0) {
        const struct timespec pause = {0, 1000000};
        look_after(c);
        nanosleep(&pause, NULL);
    }
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
}

/* A file beside its name until it is complete. */
static int write_table(const chief *c)
{
    char draft[LIST_ROOM];
    FILE *to = stdout;
    if (c->g->output != NULL) {
        snprintf(draft, sizeof draft, "%.4000s.part", c->g->output);
        to = fopen(draft, "w");
        if (to == NULL) return cli_fail(SWEEP, "--output: %s cannot be written", c->g->output);
    }
    fprintf(to, "%s\n", sweep_heading);
    for (size_t i = 0; i < c->g->cells; i++) fprintf(to, "%s\n", c->journal.line[i]);
    if (c->g->output == NULL) return CLI_SUCCESS;
    const bool good = fflush(to) == 0 && fsync(fileno(to)) == 0;
    if (fclose(to) != 0 || !good || rename(draft, c->g->output) != 0)
        return cli_fail(SWEEP, "--output: %s cannot be written", c->g->output);
    return CLI_SUCCESS;
}

static int sweep(const grid *g)
{
    chief c = {.g = g, .journal = {.file = -1}};
    qkv_error error = {0};
    const char *wrong = NULL;
    if (ranks.own == 0) {
        char *parameters = parameters_of(g);
        wrong = parameters == NULL ? "out of memory"
                                   : journal_open(g->journal, parameters, g->cells, &c.journal);
        free(parameters);
        if (wrong != NULL)
            snprintf(error.message, sizeof error.message, "--journal: %.300s %s", g->journal,
                     wrong);
    }
    int status = mpi_settle(SWEEP, wrong == NULL ? QKV_OK : QKV_ERROR_FILE, &error);
    if (status == CLI_PROCEED && ranks.own != 0) return work(g);
    if (status == CLI_PROCEED) {
        if (c.journal.mended)
            cli_warn(SWEEP, "--journal: its last line was cut short; that cell is sampled again");
        clock_gettime(CLOCK_MONOTONIC, &c.begun);
        c.finished_before = c.journal.finished;
        lead(&c);
        status = c.trouble[0] != '\0' ? cli_fail(SWEEP, "%s", c.trouble) : write_table(&c);
    }
    journal_close(&c.journal);
    return status;
}

static int run(int count, char **words)
{
    static grid g; /* large */
    const char *values[OPTION_COUNT];
    size_t operands;
    int status = cli_options_parse(&usage, count, words, values, &operands);
    if (status == CLI_PROCEED && operands > 0)
        return cli_fail(SWEEP, "got \"%.64s\"; expected only options", words[0]);
    if (status == CLI_PROCEED) status = read_grid(values, &g);
    return status == CLI_PROCEED ? sweep(&g) : status;
}

const cli_command mpi_sweep = {
    .name = "sweep",
    .summary = "Sample designs over a grid of numbers, with a journal.",
    .usage = &usage,
    .run = run,
};
