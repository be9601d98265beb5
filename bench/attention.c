/*
 * How fast the operator is: each row's figure, as a fraction of what this machine can do (limits.h)
 * and, where PyTorch is installed, as a ratio to its scaled_dot_product_attention. README.md in
 * this folder says what is counted. Sees the library through its public headers alone.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <qkv/qkv.h>

#include "limits.h"
#include "machine.h"
#include "peer.h"
#include "problem.h"
#include "report.h"
#include "row.h"
#include "timing.h"

enum { THREADS_AT_MOST = 4, FIRST_ROUNDS = 4, ROWS_BETWEEN = 16, PROBE = 8 };

typedef struct arguments {
    const char *kernel, *only, *json, *peer;
    row_grid grid;
    int threads[THREADS_AT_MOST];
    size_t thread_counts;
    double seconds; /* measured of a row at least */
    double longest; /* a row whose one run takes longer is left out */
    double within;  /* after so many seconds no row is begun */
    bool limits_alone, list, machine_alone;
} arguments;

/* ---- Arguments --------------------------------------------------------------------------- */

static void usage(void)
{
    printf("usage: bench_attention [OPTION]...\n"
           "  --quick          few rows, measured briefly\n"
           "  --full           many more rows: takes long\n"
           "  --only TEXT      rows whose name has TEXT in it\n"
           "  --kernel NAME    one kernel instead of the library's choice\n"
           "  --threads N      on N threads (may be given up to four times); else 1, 2, all\n"
           "  --seconds S      measure a row at least this long\n"
           "  --within S       begin no row after so many seconds\n"
           "  --memory G       take G GiB to be free, whatever the system says\n"
           "  --json FILE      write the results there\n"
           "  --peer FOLDER    compare with PyTorch by FOLDER/attention_peer.py, run by the\n"
           "                   Python that QKV_BENCH_PYTHON names\n"
           "  --limits         measure the limits alone\n"
           "  --machine        describe the machine alone\n"
           "  --list           name the rows\n");
}

static void refuse(const char *problem_text, const char *argument)
{
    fprintf(stderr, "bench_attention: %s %s (see --help)\n", problem_text, argument);
    exit(2);
}

static double number_argument(const char *option, const char *text)
{
    char *end;
    double number = strtod(text, &end);
    if (*text == '\0' || *end != '\0' || !(number > 0.0)) refuse("not a number above 0:", option);
    return number;
}

static const char *known_kernel(const char *name)
{
    for (size_t i = 0; i < qkv_kernel_count(); i++)
        if (strcmp(qkv_kernel_name(i), name) == 0) return name;
    refuse("no kernel of this CPU:", name);
    return NULL;
}

static void take_threads(arguments *a, const char *text)
{
    double number = number_argument(text, text);
    if (number != floor(number)) refuse("not a whole number of threads:", text);
    if (number > 256.0 || a->thread_counts == THREADS_AT_MOST) refuse("too many threads:", text);
    a->threads[a->thread_counts++] = (int)number;
}

/* An option with a value; false: there is none of that name. */
static bool take_valued(arguments *a, const char *option, const char *value)
{
    static const char *const names[] = {"--kernel",  "--only",    "--json",   "--peer",
                                        "--threads", "--seconds", "--within", "--memory"};
    size_t which = 0;
    while (which < 8 && strcmp(option, names[which]) != 0) which++;
    if (which == 8) return false;
    if (value == NULL) refuse("no value for", option);
    switch (which) {
    case 0: a->kernel = known_kernel(value); break;
    case 1: a->only = value; break;
    case 2: a->json = value; break;
    case 3: a->peer = value; break;
    case 4: take_threads(a, value); break;
    case 5: a->seconds = number_argument(option, value); break;
    case 6: a->within = number_argument(option, value); break;
    default: machine_set_free((size_t)(number_argument(option, value) * (1 << 30))); break;
    }
    return true;
}

static void set_defaults(arguments *a)
{
    int cores = machine_get()->cores;
    double seconds[] = {[GRID_QUICK] = 0.05, [GRID_USUAL] = 0.2, [GRID_FULL] = 0.5};
    double longest[] = {[GRID_QUICK] = 2.0, [GRID_USUAL] = 5.0, [GRID_FULL] = 60.0};
    if (a->seconds == 0.0) a->seconds = seconds[a->grid];
    a->longest = longest[a->grid];
    if (a->thread_counts > 0) return;
    a->threads[a->thread_counts++] = 1;
    if (cores >= 2) a->threads[a->thread_counts++] = 2;
    if (cores > 2) a->threads[a->thread_counts++] = cores;
}

static arguments read_arguments(int count, char **words)
{
    arguments a = {.grid = GRID_USUAL};
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--quick") == 0)
            a.grid = GRID_QUICK;
        else if (strcmp(words[i], "--full") == 0)
            a.grid = GRID_FULL;
        else if (strcmp(words[i], "--limits") == 0)
            a.limits_alone = true;
        else if (strcmp(words[i], "--machine") == 0)
            a.machine_alone = true;
        else if (strcmp(words[i], "--list") == 0)
            a.list = true;
        else if (strcmp(words[i], "--help") == 0) {
            usage();
            exit(0);
        } else if (take_valued(&a, words[i], words[i + 1]))
            i++;
        else
            refuse("no option", words[i]);
    }
    set_defaults(&a);
    return a;
}

/* ---- Rows -------------------------------------------------------------------------------- */

/* About how long one run takes: from one of an eighth of the length, where the row is long. */
static double predict(const row *r, const char *kernel)
{
    row shorter = *r;
    timing t = {0};
    if (r->queries < 64 * PROBE || r->queries != r->keys) return 0.0;
    shorter.queries /= PROBE;
    shorter.keys /= PROBE;
    problem *p = problem_create(&shorter, kernel);
    if (p != NULL) t = time_runs(problem_run, p, r->threads, 1e-3);
    problem_free(&p);
    return t.best * row_operations(r) / row_operations(&shorter);
}

static void keep_best(row *r, timing t)
{
    if (t.best <= 0.0 || (r->seconds > 0.0 && r->seconds <= t.best)) return;
    r->seconds = t.best;
    r->median = t.median;
}

/* Ours before the peer and after it, so that a slow moment of the machine spoils neither. */
static void measure_row(row *r, const arguments *a)
{
    double predicted = predict(r, a->kernel), share = a->seconds / 2.0;
    problem *p = NULL;
    if (predicted > a->longest) {
        snprintf(r->why, sizeof r->why, "left out: a run would take some %.0f s", predicted);
        return;
    }
    if (problem_bytes(r) < machine_get()->free / 3) p = problem_create(r, a->kernel);
    if (p == NULL) {
        snprintf(r->why, sizeof r->why, "left out: it needs %zu MiB", problem_bytes(r) >> 20);
        return;
    }
    keep_best(r, time_runs(problem_run, p, r->threads, share));
    if (r->seconds <= 0.0)
        snprintf(r->why, sizeof r->why, "%.63s", problem_error(p));
    else
        r->peer_seconds = peer_measure(r, a->seconds);
    if (r->seconds > 0.0 && r->seconds < a->longest / 2.0)
        keep_best(r, time_runs(problem_run, p, r->threads, share));
    problem_free(&p);
}

/* Limits are measured again between rows, since the machine's best moment may come late. */
static void measure_limits(const arguments *a, int rounds)
{
    for (size_t i = 0; i < a->thread_counts; i++) limits_measure(a->threads[i], rounds);
}

static void show_progress(const row *r, size_t done, size_t count)
{
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K%zu of %zu: %s", done, count, r->name);
}

typedef struct turn {
    double place; /* among the rows of its family and threads, from 0 to 1 */
    row *which;
} turn;

static int by_place(const void *a, const void *b)
{
    const turn *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return (x->which > y->which) - (x->which < y->which);
}

static double place_among_its_like(const row_list *list, const row *r)
{
    size_t before = 0, all = 0;
    for (size_t i = 0; i < list->count; i++) {
        const row *other = &list->rows[i];
        if (other->family != r->family || other->threads != r->threads) continue;
        before += other < r;
        all++;
    }
    return (double)before / (double)all;
}

/* The order of measurement. All families advance alike, on all numbers of threads, so that each has
 * rows if time runs out. */
static turn *order_rows(const row_list *list)
{
    turn *turns = calloc(list->count + 1, sizeof *turns);
    if (turns == NULL) exit(1);
    for (size_t i = 0; i < list->count; i++) {
        row *r = &list->rows[i];
        turns[i] = (turn){.place = place_among_its_like(list, r), .which = r};
    }
    qsort(turns, list->count, sizeof *turns, by_place);
    return turns;
}

static void measure_all(row_list *list, const arguments *a)
{
    double begin = now();
    turn *turns = order_rows(list);
    measure_limits(a, FIRST_ROUNDS);
    for (size_t i = 0; i < list->count; i++) {
        row *r = turns[i].which;
        show_progress(r, i, list->count);
        if (i % ROWS_BETWEEN == ROWS_BETWEEN - 1) limits_measure(r->threads, 1);
        if (a->within > 0.0 && now() - begin > a->within)
            snprintf(r->why, sizeof r->why, "left out: no time left");
        else
            measure_row(r, a);
        if (a->json != NULL) report_json(a->json, list, a->threads, a->thread_counts, a->kernel);
    }
    measure_limits(a, FIRST_ROUNDS);
    free(turns);
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
}

static row_list choose_rows(const arguments *a)
{
    row_list list = rows_of_grid(a->grid, a->threads, a->thread_counts);
    size_t kept = 0;
    for (size_t i = 0; i < list.count; i++)
        if (a->only == NULL || strstr(list.rows[i].name, a->only) != NULL)
            list.rows[kept++] = list.rows[i];
    list.count = a->limits_alone ? 0 : kept;
    return list;
}

/* ---- The program ------------------------------------------------------------------------- */

static void start_peer(const arguments *a)
{
    char script[512];
    const char *python = getenv("QKV_BENCH_PYTHON");
    if (a->peer == NULL || a->limits_alone) return;
    snprintf(script, sizeof script, "%s/attention_peer.py", a->peer);
    peer_start(python != NULL ? python : "/usr/bin/python3", script);
}

static void describe(const arguments *a)
{
    machine_describe(stdout);
    printf("library  qkv %s, kernels:", qkv_version());
    for (size_t i = 0; i < qkv_kernel_count(); i++)
        if (a->kernel == NULL || strcmp(a->kernel, qkv_kernel_name(i)) == 0)
            printf(" %s", qkv_kernel_name(i));
    printf("\npeer     %s\n", peer_name() != NULL ? peer_name() : "none");
}

int main(int count, char **words)
{
    arguments a = read_arguments(count, words);
    row_list list = choose_rows(&a);
    bool written = true;
    if (a.list)
        for (size_t i = 0; i < list.count; i++) printf("%s\n", list.rows[i].name);
    else {
        start_peer(&a);
        describe(&a);
        fflush(stdout);
    }
    if (!a.list && !a.machine_alone) {
        if (!limits_begin()) return 1;
        measure_all(&list, &a);
        report_limits(stdout, a.threads, a.thread_counts);
        report_rows(stdout, &list);
        if (a.json != NULL)
            written = report_json(a.json, &list, a.threads, a.thread_counts, a.kernel);
        if (!written) fprintf(stderr, "bench_attention: cannot write %s\n", a.json);
        limits_end();
    }
    peer_stop();
    free(list.rows);
    return written ? 0 : 1;
}
