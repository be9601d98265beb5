/* `qkv check`: reads documents, has their claims checked, and prints a verdict a claim. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <qkv/claim.h>

#include "command.h"
#include "json.h"
#include "report.h"

#define CHECK "qkv check"

enum { REFUTED_OR_UNDECIDED = 1 }; /* the exit status of an answer, which is no failure */

enum { OPTION_JSON, OPTION_COUNT };

static const cli_option options[OPTION_COUNT] = {
    [OPTION_JSON] = {"Output", "json", '\0', NULL,
                     "Print one JSON object with all claims and a summary."},
};

static const cli_usage usage = {
    .who = CHECK,
    .synopsis = "[option ...] FILE ...",
    .introduction = "Checks the claims of documents: plain .qkv text, or Markdown with fenced\n"
                    "```qkv blocks. FILE - is standard input. A verdict is proved, refuted,\n"
                    "supported or undecided, with what is true beside it.\n",
    .closing = "Exit status: 0 when every claim is proved or supported, or as it was expected\n"
               "(`expect refuted`); 1 when some are not; 2 when a document has mistakes.\n",
    .options = options,
    .option_count = OPTION_COUNT,
};

/* ---- Reading ------------------------------------------------------------------------- */

/* The whole of a file in memory of its own; NULL with a message. */
static char *read_file(const char *path, size_t *length)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *stream = standard ? stdin : fopen(path, "rb");
    size_t capacity = 1 << 16, count = 0, got;
    char *text = stream == NULL ? NULL : malloc(capacity);
    while (text != NULL && (got = fread(text + count, 1, capacity - count, stream)) > 0) {
        count += got;
        if (count < capacity) continue;
        char *grown = realloc(text, capacity * 2);
        if (grown == NULL) free(text);
        text = grown;
        capacity *= 2;
    }
    bool good = text != NULL && !ferror(stream);
    if (!good)
        cli_fail(CHECK, "%s: cannot read: %s", standard ? "standard input" : path, strerror(errno));
    if (stream != NULL && !standard) fclose(stream);
    if (!good) free(text);
    *length = count;
    return good ? text : NULL;
}

/* ---- Printing ------------------------------------------------------------------------ */

/* Colours that do not rely on red and green being told apart: the word stands beside them. */
static const char *colour(qkv_verdict verdict)
{
    if (!isatty(STDOUT_FILENO) || getenv("NO_COLOR") != NULL) return "";
    switch (verdict) {
    case QKV_PROVED: return "\033[32m";
    case QKV_REFUTED: return "\033[31m";
    case QKV_SUPPORTED: return "\033[36m";
    case QKV_UNDECIDED: break;
    }
    return "\033[33m";
}

static void print_claim(const qkv_claim *claim)
{
    const char *paint = colour(claim->verdict);
    printf("%5d  %-10s %s%-9s%s", claim->line, claim->name, paint, qkv_verdict_name(claim->verdict),
           paint[0] == '\0' ? "" : "\033[0m");
    if (claim->found[0] != '\0') printf("  %s", claim->found);
    if (claim->reason[0] != '\0')
        printf("%s %s", claim->found[0] != '\0' ? "." : " ", claim->reason);
    if (!qkv_claim_passes(claim) && claim->has_expectation)
        printf(" (expected %s)", qkv_verdict_name(claim->expected));
    putchar('\n');
}

static void print_complaints(const char *path, const qkv_report *report)
{
    for (size_t i = 0; i < qkv_report_complaint_count(report); i++) {
        const qkv_complaint *c = qkv_report_complaint(report, i);
        fprintf(stderr, "%s:%d:%d: %s\n  %s\n  %*s^\n", path, c->line, c->column, c->message,
                c->text, c->caret > 0 ? c->caret - 1 : 0, "");
    }
}

static void print_json_claim(const char *path, const qkv_claim *claim, bool first)
{
    const struct {
        const char *name, *value;
    } fields[] = {{"name", claim->name},
                  {"claim", claim->claim},
                  {"verdict", qkv_verdict_name(claim->verdict)},
                  {"engine", claim->engine},
                  {"found", claim->found},
                  {"reason", claim->reason}};
    printf("%s\n    {\"document\": ", first ? "" : ",");
    cli_json_string(stdout, path);
    printf(", \"line\": %d", claim->line);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        printf(", \"%s\": ", fields[i].name);
        cli_json_string(stdout, fields[i].value);
    }
    printf(", \"expected\": ");
    if (claim->has_expectation)
        cli_json_string(stdout, qkv_verdict_name(claim->expected));
    else
        printf("null");
    putchar('}');
}

/* ---- The subcommand ------------------------------------------------------------------ */

typedef struct tally {
    size_t verdicts[4], claims, passed, mistakes;
    bool json;
} tally;

static void count_claims(const char *path, const qkv_report *report, tally *t)
{
    for (size_t i = 0; i < qkv_report_claim_count(report); i++) {
        const qkv_claim *claim = qkv_report_claim(report, i);
        if (t->json)
            print_json_claim(path, claim, t->claims == 0);
        else
            print_claim(claim);
        t->claims++;
        t->verdicts[claim->verdict]++;
        t->passed += qkv_claim_passes(claim);
    }
    t->mistakes += qkv_report_complaint_count(report);
}

static int check_file(const char *path, tally *t)
{
    size_t length;
    char *text = read_file(path, &length);
    if (text == NULL) return CLI_FAILURE;
    qkv_report *report = NULL;
    qkv_error error;
    int status = CLI_PROCEED;
    if (qkv_check(path, text, length, &report, &error) != QKV_OK) {
        status = cli_fail(CHECK, "%s: %s", path, error.message);
    } else {
        if (!t->json) printf("%s\n", path);
        count_claims(path, report, t);
        print_complaints(path, report);
    }
    qkv_report_free(&report);
    free(text);
    return status;
}

static void print_summary(const tally *t)
{
    const char *form =
        t->json ? "\n  ], \"summary\": {\"claims\": %zu, \"proved\": %zu, \"refuted\": %zu, "
                  "\"supported\": %zu, \"undecided\": %zu, \"as_expected\": %zu, \"mistakes\": "
                  "%zu}}\n"
                : "%zu claims: %zu proved, %zu refuted, %zu supported, %zu undecided; %zu as "
                  "expected, %zu mistakes in the text\n";
    printf(form, t->claims, t->verdicts[QKV_PROVED], t->verdicts[QKV_REFUTED],
           t->verdicts[QKV_SUPPORTED], t->verdicts[QKV_UNDECIDED], t->passed, t->mistakes);
}

static int run(int count, char **words)
{
    const char *values[OPTION_COUNT];
    size_t files;
    tally t = {.claims = 0};
    int status = cli_options_parse(&usage, count, words, values, &files);
    if (status != CLI_PROCEED) return status;
    if (files == 0) return cli_fail(CHECK, "no document; expected FILE or -");
    t.json = values[OPTION_JSON] != NULL;
    if (t.json) printf("{\"claims\": [");
    for (size_t i = 0; i < files; i++)
        if (check_file(words[i], &t) != CLI_PROCEED) status = CLI_FAILURE;
    print_summary(&t);
    int written = cli_finish_output(CHECK);
    if (status == CLI_FAILURE || written != CLI_SUCCESS || t.mistakes > 0) return CLI_FAILURE;
    return t.passed == t.claims ? CLI_SUCCESS : REFUTED_OR_UNDECIDED;
}

const cli_command cli_check = {
    .name = "check",
    .summary = "Check the claims of documents.",
    .usage = &usage,
    .run = run,
};
