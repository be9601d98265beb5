/* `qkv grade`: judges the answers of a class by a key, and writes reports and tables. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <qkv/grade.h>
#include <qkv/html.h>

#include "command.h"
#include "document.h"
#include "draft.h"
#include "grade_bundle.h"
#include "grade_files.h"
#include "grade_worker.h"
#include "report.h"
#include "same_file.h"
#include "target.h"
#include "value.h"

#define GRADE "qkv grade"

enum {
    OPTION_OUTPUT,
    OPTION_QUIET,
    OPTION_GRADESCOPE,
    OPTION_ZIP,
    OPTION_SECONDS,
    OPTION_JOBS,
    OPTION_COUNT
};

static const cli_option options[OPTION_COUNT] = {
    [OPTION_OUTPUT] = {"Output", "output", 'o', "FOLDER",
                       "Also write index.html (students by questions, commonest mistakes), "
                       "grades.csv, and one report and one results.json per student."},
    [OPTION_QUIET] = {NULL, "quiet", 'q', NULL, "Print only the summary."},
    [OPTION_GRADESCOPE] = {"Gradescope", "gradescope", '\0', "FILE",
                           "Write results.json for a Gradescope autograder: one test per question. "
                           "For one student only."},
    [OPTION_ZIP] =
        {NULL, "gradescope-zip", '\0', "FILE",
         "Write an autograder to upload to Gradescope: setup.sh, run_autograder, the key "
         "and this qkv with the libraries that it needs. Takes only the key."},
    [OPTION_SECONDS] = {"Limits", "seconds", '\0', "X",
                        "Time for each student's document; one that takes longer is not judged. "
                        "Default: 30."},
    [OPTION_JOBS] = {NULL, "jobs", '\0', "N",
                     "Number of documents judged at a time. Default: the number of processors."},
};

static const cli_usage usage = {
    .who = GRADE,
    .synopsis = "[option ...] KEY FILE ...",
    .introduction =
        "Judges answers by a key: a document whose labelled claims are the questions, with\n"
        "a fenced ```grade block that says what each is worth. A student's claim must say\n"
        "the same as the key's claim of that label, under the key's givens; the checker\n"
        "decides that. What it cannot decide is left for you to look at. Answer files are\n"
        "never written to. docs/guide/grading-a-class.md explains keys.\n",
    .closing = "Exit status: 0 if every document was judged; 2 if the key has errors, a\n"
               "document cannot be judged, or a file cannot be written.\n",
    .options = options,
    .option_count = OPTION_COUNT,
};

typedef struct session {
    qkv_key *key;
    size_t count; /* of students */
    char **files;
    char **names; /* of their reports, without an ending; each once */
    cli_graded *graded;
    bool quiet, incomplete;
} session;

/* ---- Names ---------------------------------------------------------------------------------- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* ada for answers/ada.md. */
static char *stem_of(const char *path, bool whole)
{
    char *stem = strdup(whole ? path : base_of(path));
    if (stem == NULL) return NULL;
    char *dot = strrchr(stem, '.');
    if (dot != NULL && dot != stem && strchr(dot, '/') == NULL) *dot = '\0';
    for (char *at = stem; *at != '\0'; at++)
        if (*at == '/') *at = '-';
    return stem;
}

/* The number of files before this one whose name is the same. */
static bool is_taken(const session *s, size_t index, const char *name)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(s->names[i], name) == 0) return true;
    return false;
}

static bool choose_names(session *s)
{
    for (size_t i = 0; i < s->count; i++) {
        s->names[i] = stem_of(s->files[i], false);
        if (s->names[i] == NULL) return false;
        if (!is_taken(s, i, s->names[i])) continue;
        free(s->names[i]);
        s->names[i] = stem_of(s->files[i], true);
        if (s->names[i] == NULL) return false;
        if (is_taken(s, i, s->names[i])) {
            size_t length = strlen(s->names[i]) + 24;
            char *numbered = malloc(length);
            if (numbered == NULL) return false;
            snprintf(numbered, length, "%s-%zu", s->names[i], i + 1);
            free(s->names[i]);
            s->names[i] = numbered;
        }
    }
    return true;
}

/* ---- The folder of results ------------------------------------------------------------------ */

/* folder/students/name.html, to be freed. */
static char *join(const char *folder, const char *middle, const char *name, const char *ending)
{
    size_t length = strlen(folder) + strlen(middle) + strlen(name) + strlen(ending) + 4;
    char *path = malloc(length);
    if (path != NULL) snprintf(path, length, "%s/%s%s%s", folder, middle, name, ending);
    return path;
}

static int check_one(const session *s, char *path, cli_target_kind kind)
{
    if (path == NULL) return cli_fail(GRADE, "out of memory");
    int status = cli_target_check(GRADE, "--output", path, kind, s->count, s->files);
    free(path);
    return status;
}

static int check_folder(const session *s, const char *folder)
{
    struct stat about;
    size_t length = strlen(folder);
    const bool named = (length > 3 && strcmp(folder + length - 3, ".md") == 0) ||
                       (length > 4 && strcmp(folder + length - 4, ".qkv") == 0);
    if (length == 0 || named)
        return cli_fail_value(GRADE, "--output", folder, "the name of a folder");
    if (stat(folder, &about) == 0 && !S_ISDIR(about.st_mode))
        return cli_fail(GRADE, "--output: %s is not a folder", folder);
    int status = check_one(s, join(folder, "", "index", ".html"), CLI_TARGET_HTML);
    if (status == CLI_PROCEED)
        status = check_one(s, join(folder, "", "grades", ".csv"), CLI_TARGET_CSV);
    for (size_t i = 0; i < s->count && status == CLI_PROCEED; i++) {
        status = check_one(s, join(folder, "students/", s->names[i], ".html"), CLI_TARGET_HTML);
        if (status == CLI_PROCEED)
            status = check_one(s, join(folder, "students/", s->names[i], ".json"), CLI_TARGET_JSON);
    }
    return status;
}

static int make_folder(const char *folder)
{
    char *inner = join(folder, "students", "", "");
    int status = CLI_PROCEED;
    if (inner == NULL) return cli_fail(GRADE, "out of memory");
    if ((mkdir(folder, 0777) != 0 && errno != EEXIST) ||
        (mkdir(inner, 0777) != 0 && errno != EEXIST))
        status =
            cli_fail(GRADE, "--output: %s: cannot make the folder: %s", folder, strerror(errno));
    free(inner);
    return status;
}

/* ---- Writing -------------------------------------------------------------------------------- */

typedef void (*writer)(FILE *stream, const session *s, size_t index);

static int write_file(char *path, writer write, const session *s, size_t index)
{
    cli_draft draft;
    if (path == NULL) return cli_fail(GRADE, "out of memory");
    int status = cli_draft_begin(GRADE, path, &draft);
    if (status == CLI_PROCEED) {
        write(draft.stream, s, index);
        status = cli_draft_commit(GRADE, &draft) == CLI_SUCCESS ? CLI_PROCEED : CLI_FAILURE;
    }
    cli_draft_end(&draft);
    free(path);
    return status;
}

static void write_page(FILE *stream, const session *s, size_t index)
{
    fwrite(s->graded[index].page, 1, s->graded[index].page_length, stream);
}

static void write_results(FILE *stream, const session *s, size_t index)
{
    cli_grade_gradescope(stream, s->key, &s->graded[index]);
}

static void write_csv(FILE *stream, const session *s, size_t index)
{
    (void)index;
    cli_grade_csv(stream, s->key, s->names, s->graded, s->count);
}

static int write_index(const session *s, const char *folder)
{
    qkv_error error;
    qkv_picture page;
    int status = CLI_FAILURE;
    qkv_class_row *rows = calloc(s->count + 1, sizeof *rows);
    char **links = calloc(s->count + 1, sizeof *links);
    for (size_t i = 0; rows != NULL && links != NULL && i < s->count; i++) {
        links[i] = join("students", "", s->names[i], ".html");
        rows[i] = (qkv_class_row){.name = s->names[i],
                                  .report = s->graded[i].page != NULL ? links[i] : NULL,
                                  .answers = s->graded[i].answers,
                                  .failure = s->graded[i].failure};
    }
    if (rows == NULL || links == NULL) {
        cli_fail(GRADE, "out of memory");
    } else if (qkv_html_class(s->key, rows, s->count, &page, &error) != QKV_OK) {
        cli_fail(GRADE, "%s", error.message);
    } else {
        session only = {.graded =
                            &(cli_graded){.page = (char *)page.data, .page_length = page.length}};
        status = write_file(join(folder, "", "index", ".html"), write_page, &only, 0);
        qkv_picture_free(&page);
    }
    for (size_t i = 0; links != NULL && i < s->count; i++) free(links[i]);
    free(links);
    free(rows);
    return status;
}

static int write_folder(const session *s, const char *folder)
{
    int status = make_folder(folder);
    for (size_t i = 0; i < s->count && status == CLI_PROCEED; i++) {
        if (s->graded[i].page != NULL)
            status = write_file(join(folder, "students/", s->names[i], ".html"), write_page, s, i);
        if (status == CLI_PROCEED)
            status =
                write_file(join(folder, "students/", s->names[i], ".json"), write_results, s, i);
    }
    if (status == CLI_PROCEED)
        status = write_file(join(folder, "", "grades", ".csv"), write_csv, s, 0);
    if (status == CLI_PROCEED) status = write_index(s, folder);
    return status;
}

/* ---- Telling -------------------------------------------------------------------------------- */

static void show_progress(size_t finished, size_t count)
{
    if (!isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r%s: %zu of %zu", GRADE, finished, count);
    if (finished == count) fprintf(stderr, "\r\033[K");
    fflush(stderr);
}

static void print_student(const session *s, size_t index)
{
    const cli_graded *g = &s->graded[index];
    double points = 0.0;
    for (size_t i = 0; g->answers != NULL && i < qkv_key_count(s->key); i++)
        points += g->answers[i].points;
    printf("%s: %.15g of %.15g\n", cli_shown(s->names[index]).text, points, qkv_key_points(s->key));
    if (g->failure != NULL) printf("  not judged: %s\n", cli_shown(g->failure).text);
    for (size_t i = 0; g->answers != NULL && i < qkv_key_count(s->key); i++) {
        const qkv_answer *a = &g->answers[i];
        printf("  %-10s %-12s %.15g/%.15g  %s", a->label, qkv_mark_name(a->mark), a->points,
               a->worth, cli_shown(a->reason).text);
        if (a->hint[0] != '\0') printf(" Hint: %s", cli_shown(a->hint).text);
        putchar('\n');
    }
    const char *note = g->notes;
    for (size_t i = 0; i < g->note_count; i++, note += strlen(note) + 1)
        printf("  note: %s\n", cli_shown(note).text);
}

static void print_summary(const session *s)
{
    size_t marks[QKV_MARK_ERROR + 1] = {0}, failed = 0;
    for (size_t i = 0; i < s->count; i++) {
        failed += s->graded[i].answers == NULL;
        for (size_t q = 0; s->graded[i].answers != NULL && q < qkv_key_count(s->key); q++)
            marks[s->graded[i].answers[q].mark]++;
    }
    printf("%zu student%s, %zu question%s:", s->count, s->count == 1 ? "" : "s",
           qkv_key_count(s->key), qkv_key_count(s->key) == 1 ? "" : "s");
    static const qkv_mark order[] = {QKV_MARK_RIGHT,   QKV_MARK_LIMIT,   QKV_MARK_WRONG,
                                     QKV_MARK_NOTHING, QKV_MARK_MISSING, QKV_MARK_ERROR,
                                     QKV_MARK_LOOK};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        printf("%s %zu %s", i == 0 ? "" : ",", marks[order[i]], qkv_mark_name(order[i]));
    printf("; %zu not judged\n", failed);
}

/* A pattern such as *.md is easily meant for answers alone. Files that are the key are left out. */
static size_t drop_key(const char *key, size_t count, char **files)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (cli_same_file(key, files[i]))
            cli_warn(GRADE, "%s is the key, and is not judged", cli_shown(files[i]).text);
        else
            files[kept++] = files[i];
    return kept;
}

/* ---- The subcommand ------------------------------------------------------------------------- */

/* A fence, perhaps a blank, and the word. */
static bool has_grade_block(const char *text, size_t length)
{
    for (size_t i = 3; i + 5 <= length; i++) {
        const char fence = text[i - 1] == ' ' ? text[i - 2] : text[i - 1];
        if ((fence == '`' || fence == '~') && memcmp(text + i, "grade", 5) == 0) return true;
    }
    return false;
}

/* Who forgets the key makes one of the first answer; that has no such block. */
static void warn_of_no_block(const char *path, const char *text, size_t length, const qkv_key *key)
{
    const size_t count = qkv_key_count(key);
    if (!has_grade_block(text, length))
        cli_warn(GRADE, "the key %s has no ```grade block: each of its %zu claims is worth a point",
                 cli_shown(path).text, count);
}

static qkv_key *read_key(const char *path, double seconds)
{
    size_t length;
    qkv_key *key = NULL;
    qkv_error error;
    char *text = cli_document_read(GRADE, path, &length);
    if (text == NULL) return NULL;
    if (qkv_key_read(path, text, length, seconds, &key, &error) != QKV_OK)
        cli_fail(GRADE, "%s: %s", path, error.message);
    if (key != NULL) warn_of_no_block(path, text, length, key);
    free(text);
    for (size_t i = 0; key != NULL && i < qkv_key_count(key); i++) {
        const qkv_question *q = qkv_key_question(key, i);
        if (q->verdict != QKV_PROVED)
            cli_warn(GRADE, "%s:%d: claim %s is %s; its answers are left for you to look at", path,
                     q->line, q->label, qkv_verdict_name(q->verdict));
    }
    return key;
}

static int read_limits(const char *const *values, double *seconds, size_t *jobs)
{
    const char *time = values[OPTION_SECONDS], *count = values[OPTION_JOBS];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *seconds = 30.0;
    *jobs = processors > 0 ? (size_t)processors : 1;
    if (time != NULL && (!cli_parse_real(time, seconds) || !isfinite(*seconds) || *seconds <= 0.0))
        return cli_fail_value(GRADE, "--seconds", time, "a positive number");
    if (count != NULL && (!cli_parse_size(count, jobs) || *jobs == 0 || *jobs > 64))
        return cli_fail_value(GRADE, "--jobs", count, "a whole number from 1 to 64");
    return CLI_PROCEED;
}

static int check_targets(const session *s, const char *const *values)
{
    const char *results = values[OPTION_GRADESCOPE], *folder = values[OPTION_OUTPUT];
    int status = CLI_PROCEED;
    if (results != NULL && s->count != 1)
        return cli_fail(GRADE, "--gradescope: got %zu documents; expected one", s->count);
    if (results != NULL)
        status =
            cli_target_check(GRADE, "--gradescope", results, CLI_TARGET_JSON, s->count, s->files);
    if (status == CLI_PROCEED && folder != NULL) status = check_folder(s, folder);
    return status;
}

static int grade(session *s, const char *const *values, double seconds, size_t jobs)
{
    const cli_grading grading = {.who = GRADE,
                                 .key = s->key,
                                 .count = s->count,
                                 .jobs = jobs,
                                 .files = s->files,
                                 .seconds = seconds,
                                 .done = show_progress};
    int status = check_targets(s, values);
    if (status == CLI_PROCEED) status = cli_grade_all(&grading, s->graded);
    if (status != CLI_PROCEED) return status;
    for (size_t i = 0; i < s->count; i++) {
        if (!s->quiet) print_student(s, i);
        s->incomplete = s->incomplete || s->graded[i].answers == NULL;
    }
    print_summary(s);
    if (values[OPTION_GRADESCOPE] != NULL)
        status = write_file(strdup(values[OPTION_GRADESCOPE]), write_results, s, 0);
    if (status == CLI_PROCEED && values[OPTION_OUTPUT] != NULL)
        status = write_folder(s, values[OPTION_OUTPUT]);
    if (status != CLI_PROCEED) return status;
    if (s->incomplete) cli_finish_output(GRADE); /* tells what could not be printed */
    return s->incomplete ? CLI_FAILURE : CLI_SUCCESS;
}

static int run(int count, char **words)
{
    const char *values[OPTION_COUNT];
    size_t operands, jobs;
    double seconds;
    int status = cli_options_parse(&usage, count, words, values, &operands);
    if (status != CLI_PROCEED) return status;
    if (operands == 0) return cli_fail(GRADE, "no key; expected KEY FILE ...");
    status = read_limits(values, &seconds, &jobs);
    if (status != CLI_PROCEED) return status;
    session s = {.count = operands - 1, .files = words + 1, .quiet = values[OPTION_QUIET] != NULL};
    if (values[OPTION_ZIP] != NULL && operands > 1)
        return cli_fail(GRADE, "--gradescope-zip: got answers; expected only the key");
    s.count = drop_key(words[0], s.count, s.files);
    if (values[OPTION_ZIP] == NULL && s.count == 0)
        return cli_fail(GRADE, "no answers; expected KEY FILE ...");
    if ((s.key = read_key(words[0], seconds / 3.0)) == NULL) return CLI_FAILURE;
    if (values[OPTION_ZIP] != NULL) {
        status = cli_grade_bundle(GRADE, words[0], values[OPTION_ZIP]);
    } else {
        s.names = calloc(s.count, sizeof *s.names);
        s.graded = calloc(s.count, sizeof *s.graded);
        status = s.names == NULL || s.graded == NULL || !choose_names(&s)
                     ? cli_fail(GRADE, "out of memory")
                     : grade(&s, values, seconds, jobs);
    }
    for (size_t i = 0; s.names != NULL && i < s.count; i++) free(s.names[i]);
    free(s.names);
    cli_graded_free(s.graded, s.count);
    qkv_key_free(&s.key);
    return status;
}

const cli_command cli_grade = {
    .name = "grade",
    .summary = "Judge the answers of a class by a key.",
    .usage = &usage,
    .run = run,
};
