/* `qkv check`: reads documents, has their claims checked, and prints one verdict per claim. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/claim.h>

#include "article.h"
#include "command.h"
#include "document.h"
#include "gradescope.h"
#include "html.h"
#include "progress.h"
#include "report.h"
#include "report_json.h"
#include "same_file.h"
#include "signs.h"
#include "target.h"
#include "terminal.h"
#include "value.h"

#define CHECK "qkv check"

/* Exit statuses of answers, which are no failures. */
enum { NOT_AS_EXPECTED = 1, DISPUTED = 3 };

enum {
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_ASCII,
    OPTION_REPORT,
    OPTION_SHORT,
    OPTION_LATEX,
    OPTION_MARKDOWN,
    OPTION_SUPPORTED,
    OPTION_GRADESCOPE,
    OPTION_POINTS,
    OPTION_WITHOUT,
    OPTION_SECONDS,
    OPTION_THREADS,
    OPTION_COUNT
};

static const cli_option options[OPTION_COUNT] = {
    [OPTION_JSON] = {"Output", "json", '\0', NULL,
                     "Print one JSON object with all claims and a summary."},
    [OPTION_QUIET] = {NULL, "quiet", 'q', NULL,
                      "Print only claims that did not come out as expected, and the summary."},
    [OPTION_ASCII] = {NULL, "ascii", '\0', NULL,
                      "Print beta and -> in a terminal that could show signs for them."},
    [OPTION_REPORT] = {NULL, "report", '\0', "FILE",
                       "Also write an HTML file: the documents with each claim's verdict, figure "
                       "and derivation."},
    [OPTION_SHORT] = {NULL, "short", '\0', NULL,
                      "Make the report short, for print: claims, verdicts and one figure per "
                      "problem, without the text and derivations."},
    [OPTION_LATEX] =
        {NULL, "latex", '\0', "FILE",
         "Also write an article in LaTeX: each claim with its verdict and derivation."},
    [OPTION_MARKDOWN] = {NULL, "markdown", '\0', "FILE",
                         "Also write the same in Markdown, with formulas between dollars."},
    [OPTION_SUPPORTED] = {"Grading", "accept-supported", '\0', NULL,
                          "Also pass claims that are supported but not proved."},
    [OPTION_GRADESCOPE] =
        {NULL, "gradescope", '\0', "FILE",
         "Also write results.json for a Gradescope autograder: one test per claim, "
         "and one failed test per error in the text."},
    [OPTION_POINTS] = {NULL, "points", '\0', "NUMBER",
                       "Points per test of --gradescope. Default: 1."},
    [OPTION_WITHOUT] = {"Engines", "without", '\0', "ball,search,sample",
                        "Engines that may not decide, one or more; a claim that needs one of them "
                        "is undecided. Exact algebra is always there."},
    [OPTION_SECONDS] = {NULL, "seconds", '\0', "X",
                        "Time for each document. After it, a claim under way is finished, and the "
                        "claims not yet begun are undecided. Default: no limit."},
    [OPTION_THREADS] = {NULL, "threads", '\0', "N",
                        "Number of threads for sampling. Default: 1. It does not change the "
                        "results."},
};

static const cli_usage usage = {
    .who = CHECK,
    .synopsis = "[option ...] FILE ...",
    .introduction =
        "Checks the claims in documents: plain .qkv text, or Markdown with fenced ```qkv\n"
        "blocks. FILE - is standard input. Each claim is proved, refuted, supported or\n"
        "undecided, and the correct value is given; qkv explain shows the derivation.\n",
    .closing = "Exit status: 0 if every claim is proved or as expected (`expect refuted`);\n"
               "1 if some are not; 2 if a document has errors or cannot be read; 3 if the two\n"
               "readings of a document disagree about a claim, which is a bug: please report\n"
               "it. The remaining documents are checked in any case.\n",
    .options = options,
    .option_count = OPTION_COUNT,
};

/* What is counted over all documents, and how it is told. */
typedef struct session {
    cli_tally tally;
    bool json, quiet, grading, reporting, accepting;
    qkv_check_options checking;
    bool incomplete; /* something could not be told: memory ran out */
    cli_gradescope results;
    cli_html page;
    cli_article latex, markdown;
} session;

/* ---- Text ---------------------------------------------------------------------------- */

enum { LABEL_WIDTH = 10, WIDEST_LABEL = 24, VERDICT_WIDTH = 9, NARROW = 80 };

static int characters(const char *text)
{
    int count = 0;
    for (; *text != '\0'; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* The column of labels is as wide as the labels of the document, within reason. */
static int label_width(const qkv_report *report)
{
    int width = LABEL_WIDTH;
    for (size_t i = 0; i < qkv_report_claim_count(report); i++) {
        int label = characters(qkv_report_claim(report, i)->name);
        if (label > width && label <= WIDEST_LABEL) width = label;
    }
    return width;
}

/* "found. reason (expected refuted)", to be freed; NULL without memory. */
static char *describe(const qkv_claim *claim)
{
    bool differs = !qkv_claim_passes(claim) && claim->has_expectation;
    const char *expected = differs ? qkv_verdict_name(claim->expected) : "";
    const char *joint = claim->found[0] != '\0' && claim->reason[0] != '\0' ? ". " : "";
    size_t length = strlen(claim->found) + strlen(claim->reason) + strlen(expected) + 32;
    char *text = malloc(length);
    if (text != NULL)
        snprintf(text, length, "%s%s%s%s%s%s", claim->found, joint, claim->reason,
                 differs ? " (expected " : "", expected, differs ? ")" : "");
    return text;
}

static void print_claim(const qkv_claim *claim, int label, session *s)
{
    char *plain = describe(claim), *text = plain == NULL ? NULL : cli_with_signs(plain);
    free(plain);
    if (text == NULL) s->incomplete = true;
    const char *sign = cli_sign_of(claim->verdict);
    const int width_of_sign = characters(sign);
    int missing = label - characters(claim->name);
    int column = 5 + 2 + (missing > 0 ? label : characters(claim->name)) + 1 + width_of_sign +
                 VERDICT_WIDTH + 2;
    int width = cli_terminal_width();
    printf("%5d  %s%*s %s%s%-*s%s", claim->line, claim->name, missing > 0 ? missing : 0, "",
           cli_paint(claim->verdict), sign, VERDICT_WIDTH, qkv_verdict_name(claim->verdict),
           cli_paint_end());
    if (text != NULL && text[0] != '\0') {
        printf("  ");
        cli_print_wrapped(text, width > 0 && width <= NARROW ? 9 : column, column);
    } else {
        putchar('\n');
    }
    free(text);
}

static void print_claims(const char *path, const qkv_report *report, session *s)
{
    int label = label_width(report);
    bool headed = !s->quiet;
    if (headed)
        printf("%s%s%s\n", cli_paint_strong(), cli_shown(cli_document_name(path)).text,
               cli_paint_end());
    for (size_t i = 0; i < qkv_report_claim_count(report); i++) {
        const qkv_claim *claim = qkv_report_claim(report, i);
        if (s->quiet && qkv_claim_passes(claim)) continue;
        if (!headed)
            printf("%s%s%s\n", cli_paint_strong(), cli_shown(cli_document_name(path)).text,
                   cli_paint_end());
        headed = true;
        print_claim(claim, label, s);
    }
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_summary(const cli_tally *s)
{
    printf("%zu claim%s: %zu proved, %zu refuted, %zu supported, %zu undecided; %zu as expected, "
           "%zu error%s in the text\n",
           s->claims, plural(s->claims), s->verdicts[QKV_PROVED], s->verdicts[QKV_REFUTED],
           s->verdicts[QKV_SUPPORTED], s->verdicts[QKV_UNDECIDED], s->passed, s->mistakes,
           plural(s->mistakes));
}

/* ---- Documents ----------------------------------------------------------------------- */

static void take_report(const char *path, const qkv_report *report, session *s)
{
    if (s->json)
        cli_json_claims(stdout, path, report, s->tally.claims == 0);
    else
        print_claims(path, report, s);
    cli_tally_add(&s->tally, report);
    if (s->grading) cli_gradescope_add(&s->results, path, report);
    fflush(stdout); /* so that mistakes stand below the claims of their own document */
    cli_document_complain(path, report);
}

static void take_failure(const char *path, const char *reason, session *s)
{
    if (s->grading) cli_gradescope_add_failure(&s->results, path, reason);
    if (s->reporting) cli_html_add_failure(CHECK, &s->page, path, reason);
    s->latex.failed = s->markdown.failed = true; /* an article without a document would look whole */
}

/* A report to be read has derivations and figures, which take a little longer. */
static bool check_text(const char *path, const char *text, size_t length, const session *s,
                       qkv_report **report, qkv_error *error)
{
    cli_progress_begin(CHECK, cli_shown(cli_document_name(path)).text);
    const qkv_check_options *o = &s->checking;
    const bool whole = s->reporting || s->latex.open || s->markdown.open;
    qkv_status status = whole ? qkv_explain_with(path, text, length, NULL, o, report, error)
                              : qkv_check_with(path, text, length, o, report, error);
    cli_progress_end();
    return status == QKV_OK;
}

static int check_file(const char *path, session *s)
{
    size_t length;
    qkv_report *report = NULL;
    qkv_error error;
    int status = CLI_PROCEED;
    char *text = cli_document_read(CHECK, path, &length);
    if (text == NULL) {
        char reason[160];
        snprintf(reason, sizeof reason, "cannot be read: %s", strerror(errno));
        take_failure(path, reason, s);
        return CLI_FAILURE;
    }
    if (check_text(path, text, length, s, &report, &error)) {
        if (s->accepting) qkv_report_accept_supported(report);
        take_report(path, report, s);
        if (s->reporting) cli_html_add(CHECK, &s->page, path, text, length, report);
        cli_article_add(CHECK, &s->latex, path, text, length, report);
        cli_article_add(CHECK, &s->markdown, path, text, length, report);
    } else {
        status = cli_fail(CHECK, "%s: %s", cli_document_name(path), error.message);
        take_failure(path, error.message, s);
    }
    qkv_report_free(&report);
    free(text);
    return status;
}

/* ---- The subcommand ------------------------------------------------------------------ */

static int begin_grading(const char *const *values, size_t count, char **files, session *s)
{
    const char *target = values[OPTION_GRADESCOPE], *worth = values[OPTION_POINTS];
    double points = 1.0;
    if (target == NULL && worth != NULL) return cli_fail(CHECK, "--points: needs --gradescope");
    if (worth != NULL && (!cli_parse_real(worth, &points) || !isfinite(points) || points < 0.0))
        return cli_fail_value(CHECK, "--points", worth, "a number, 0 or more");
    if (target == NULL) return CLI_PROCEED;
    int status = cli_target_check(CHECK, "--gradescope", target, CLI_TARGET_JSON, count, files);
    if (status == CLI_PROCEED) status = cli_gradescope_begin(CHECK, target, points, &s->results);
    s->grading = status == CLI_PROCEED;
    return status;
}

static int begin_report(const char *const *values, size_t count, char **files, session *s)
{
    const char *target = values[OPTION_REPORT], *results = values[OPTION_GRADESCOPE];
    if (target == NULL && values[OPTION_SHORT] != NULL)
        return cli_fail(CHECK, "--short: needs --report");
    if (target == NULL) return CLI_PROCEED;
    if (results != NULL && cli_same_file(target, results))
        return cli_fail(CHECK,
                        "--report: %s is the file of --gradescope; expected another "
                        "file",
                        target);
    if (strcmp(target, "-") == 0)
        return cli_fail(CHECK, "--report: standard output has the verdicts; expected a file");
    int status = cli_target_check(CHECK, "--report", target, CLI_TARGET_HTML, count, files);
    if (status == CLI_PROCEED)
        status =
            cli_html_begin(CHECK, target, values[OPTION_SHORT] != NULL, count, files, &s->page);
    s->reporting = status == CLI_PROCEED;
    return status;
}

static int begin_article(const char *option, const char *target, qkv_article kind, size_t count,
                         char **files, cli_article *article)
{
    if (target == NULL) return CLI_PROCEED;
    if (strcmp(target, "-") == 0)
        return cli_fail(CHECK, "%s: standard output has the verdicts; expected a file", option);
    int status = cli_target_check(CHECK, option, target,
                                  kind == QKV_ARTICLE_LATEX ? CLI_TARGET_TEX : CLI_TARGET_MARKDOWN,
                                  count, files);
    return status == CLI_PROCEED ? cli_article_begin(CHECK, target, kind, article) : status;
}

/* engines = engine { "," engine } */
static int parse_engines(const char *text, unsigned *engines)
{
    static const char *const names[] = {"ball", "search", "sample"};
    static const qkv_engine bits[] = {QKV_ENGINE_BALL, QKV_ENGINE_SEARCH, QKV_ENGINE_SAMPLE};
    for (const char *word = text; word != NULL;) {
        char name[16];
        size_t length = strcspn(word, ","), index;
        snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 0, word);
        if (!cli_parse_choice(name, names, 3, &index))
            return cli_fail_value(CHECK, "--without", text,
                                  "ball, search or sample, separated by commas");
        *engines |= bits[index];
        word = word[length] == ',' ? word + length + 1 : NULL;
    }
    return CLI_PROCEED;
}

static int read_checking(const char *const *values, qkv_check_options *checking)
{
    const char *seconds = values[OPTION_SECONDS], *threads = values[OPTION_THREADS];
    size_t count = 0;
    *checking = qkv_check_options_default();
    if (seconds != NULL && (!cli_parse_real(seconds, &checking->seconds) ||
                            !isfinite(checking->seconds) || checking->seconds <= 0.0))
        return cli_fail_value(CHECK, "--seconds", seconds, "a positive number");
    if (threads != NULL && (!cli_parse_size(threads, &count) || count == 0 || count > 256))
        return cli_fail_value(CHECK, "--threads", threads, "a whole number from 1 to 256");
    checking->threads = (int)count;
    return parse_engines(values[OPTION_WITHOUT], &checking->without);
}

static int check_files(size_t count, char **files, session *s)
{
    int status = CLI_PROCEED;
    if (s->json) cli_json_begin(stdout);
    for (size_t i = 0; i < count; i++)
        if (check_file(files[i], s) != CLI_PROCEED) status = CLI_FAILURE;
    if (s->json)
        cli_json_end(stdout, &s->tally);
    else
        print_summary(&s->tally);
    if (s->grading && cli_gradescope_finish(CHECK, &s->results) != CLI_SUCCESS)
        status = CLI_FAILURE;
    if (s->reporting && cli_html_finish(CHECK, &s->page) != CLI_SUCCESS) status = CLI_FAILURE;
    if (cli_article_finish(CHECK, &s->latex) != CLI_SUCCESS) status = CLI_FAILURE;
    if (cli_article_finish(CHECK, &s->markdown) != CLI_SUCCESS) status = CLI_FAILURE;
    if (cli_finish_output(CHECK) != CLI_SUCCESS) status = CLI_FAILURE;
    if (s->incomplete) status = cli_fail(CHECK, "out of memory");
    if (s->tally.disputed > 0) return DISPUTED;
    if (status == CLI_FAILURE || s->tally.mistakes > 0) return CLI_FAILURE;
    return s->tally.passed == s->tally.claims ? CLI_SUCCESS : NOT_AS_EXPECTED;
}

static int run(int count, char **words)
{
    const char *values[OPTION_COUNT];
    size_t files;
    session s = {.json = false};
    int status = cli_options_parse(&usage, count, words, values, &files);
    if (status != CLI_PROCEED) return status;
    if (files == 0) return cli_fail(CHECK, "no document; expected FILE or -");
    s.json = values[OPTION_JSON] != NULL;
    s.quiet = values[OPTION_QUIET] != NULL;
    s.accepting = values[OPTION_SUPPORTED] != NULL;
    status = read_checking(values, &s.checking);
    if (status == CLI_PROCEED) status = begin_grading(values, files, words, &s);
    if (status == CLI_PROCEED) status = begin_report(values, files, words, &s);
    if (status == CLI_PROCEED)
        status = begin_article("--latex", values[OPTION_LATEX], QKV_ARTICLE_LATEX, files, words,
                               &s.latex);
    if (status == CLI_PROCEED)
        status = begin_article("--markdown", values[OPTION_MARKDOWN], QKV_ARTICLE_MARKDOWN, files,
                               words, &s.markdown);
    if (values[OPTION_ASCII] != NULL) cli_signs_off();
    if (status == CLI_PROCEED) status = check_files(files, words, &s);
    cli_html_end(&s.page);
    cli_article_end(&s.latex);
    cli_article_end(&s.markdown);
    cli_gradescope_end(&s.results);
    return status;
}

const cli_command cli_check = {
    .name = "check",
    .summary = "Check the claims in documents.",
    .usage = &usage,
    .run = run,
};
