/* `qkv explain`: has claims derived step by step, and prints the steps. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <qkv/claim.h>

#include "article.h"
#include "command.h"
#include "document.h"
#include "place.h"
#include "report.h"
#include "report_json.h"
#include "signs.h"
#include "terminal.h"
#include "value.h"

#define EXPLAIN "qkv explain"

enum { OPTION_JSON, OPTION_LATEX, OPTION_ASCII, OPTION_COUNT };

static const cli_option options[OPTION_COUNT] = {
    [OPTION_JSON] = {"Output", "json", '\0', NULL,
                     "Print one JSON object with the claims and their steps."},
    [OPTION_LATEX] = {NULL, "latex", '\0', NULL, "Print an article in LaTeX."},
    [OPTION_ASCII] = {NULL, "ascii", '\0', NULL,
                      "Print beta and -> in a terminal that could show signs for them."},
};

static const cli_usage usage = {
    .who = EXPLAIN,
    .synopsis = "[option ...] FILE[:LINE | :LABEL]",
    .introduction =
        "Derives a claim step by step: the givens; the scores, weights and output of each\n"
        "attention in it; the limit or the numbers; both sides; the verdict. LINE or\n"
        "LABEL chooses the claim; the default is every claim. FILE LINE and FILE LABEL,\n"
        "as two words, also work. FILE - is standard input.\n",
    .closing = "Exit status: 0 if the claim was explained, whatever its verdict; 2 if there is\n"
               "no such claim, or the document has errors.\n",
    .options = options,
    .option_count = OPTION_COUNT,
};

/* ---- Text ---------------------------------------------------------------------------- */

/* Lines that go on are indented as far as what stands behind the first relation sign. */
static int hanging_indent(const char *line)
{
    static const char *const signs[] = {" = ", " -> ", " ~ ", " in "};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const char *at = strstr(line, signs[i]);
        if (at != NULL && at - line < 40) return (int)(at - line) + (int)strlen(signs[i]);
    }
    return 2;
}

/* A line with signs where the terminal has them. */
static void print_line(const char *line, int indent, int column)
{
    char *text = cli_with_signs(line);
    cli_print_wrapped(text == NULL ? line : text, indent, column);
    free(text);
}

static void print_claim(const char *path, const qkv_claim *claim, bool first)
{
    enum { MARGIN = 4 };
    if (!first) putchar('\n');
    int column = printf("%s:%d  ", cli_shown(path).text, claim->line);
    print_line(claim->claim, column, column);
    printf("%s%s%s%s\n", cli_paint(claim->verdict), cli_sign_of(claim->verdict),
           qkv_verdict_name(claim->verdict), cli_paint_end());
    for (size_t i = 0; i < claim->step_count; i++) {
        const qkv_step *step = &claim->steps[i];
        char number[32];
        column = snprintf(number, sizeof number, "%zu. ", i + 1);
        printf("\n%s%s", cli_paint_strong(), number);
        print_line(step->title, column, column);
        printf("%s", cli_paint_end());
        for (size_t j = 0; j < step->line_count; j++) {
            printf("%*s", MARGIN, "");
            print_line(step->lines[j], MARGIN + hanging_indent(step->lines[j]), MARGIN);
        }
    }
}

/* ---- The subcommand ------------------------------------------------------------------ */

/* How a derivation is printed. */
typedef enum output { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_LATEX } output;

static int print_report(const char *path, const qkv_report *report, output kind)
{
    if (kind == OUTPUT_LATEX)
        return cli_article_print(EXPLAIN, QKV_ARTICLE_LATEX, path, report);
    if (kind == OUTPUT_JSON) cli_json_explanation(stdout, path, report);
    for (size_t i = 0; kind == OUTPUT_TEXT && i < qkv_report_claim_count(report); i++)
        print_claim(path, qkv_report_claim(report, i), i == 0);
    return CLI_SUCCESS;
}

static int explain(const cli_place *r, output kind)
{
    size_t length;
    qkv_report *report = NULL;
    qkv_error error;
    int status = CLI_SUCCESS;
    char *text = cli_document_read(EXPLAIN, r->path, &length);
    if (text == NULL) return CLI_FAILURE;
    if (qkv_explain(r->path, text, length, &r->which, &report, &error) != QKV_OK) {
        status = cli_fail(EXPLAIN, "%s: %s", cli_document_name(r->path), error.message);
    } else {
        status = print_report(r->path, report, kind);
        fflush(stdout);
        cli_document_complain(r->path, report);
        if (qkv_report_complaint_count(report) > 0) status = CLI_FAILURE;
    }
    qkv_report_free(&report);
    free(text);
    return status;
}

static int run(int count, char **words)
{
    const char *values[OPTION_COUNT];
    size_t operands;
    cli_place r = {.path = NULL};
    int status = cli_options_parse(&usage, count, words, values, &operands);
    if (status == CLI_PROCEED) status = cli_place_read(EXPLAIN, operands, words, &r);
    if (status == CLI_PROCEED && values[OPTION_JSON] != NULL && values[OPTION_LATEX] != NULL)
        status = cli_fail(EXPLAIN, "--latex: got --json too; expected one of them");
    if (status == CLI_PROCEED && values[OPTION_ASCII] != NULL) cli_signs_off();
    if (status == CLI_PROCEED)
        status = explain(&r, values[OPTION_JSON] != NULL    ? OUTPUT_JSON
                             : values[OPTION_LATEX] != NULL ? OUTPUT_LATEX
                                                            : OUTPUT_TEXT);
    free(r.path);
    int written = cli_finish_output(EXPLAIN);
    return status == CLI_SUCCESS ? written : status;
}

const cli_command cli_explain = {
    .name = "explain",
    .summary = "Derive a claim step by step.",
    .usage = &usage,
    .run = run,
};
