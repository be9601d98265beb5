/* Writing results.json. Knows the format; nothing of how claims are decided. */
#include "gradescope.h"

#include <stdbool.h>
#include <stdio.h>

#include "json.h"
#include "report.h"

int cli_gradescope_begin(const char *who, const char *path, double points, cli_gradescope *results)
{
    *results = (cli_gradescope){.points = points};
    int status = cli_draft_begin(who, path, &results->draft);
    if (status == CLI_PROCEED) fprintf(results->draft.stream, "{\"tests\": [");
    return status;
}

/* One string of pieces that end in NULL, joined by line ends where they are not empty. */
static void put_lines(FILE *stream, const char *const *pieces)
{
    bool first = true;
    fputc('"', stream);
    for (; *pieces != NULL; pieces++) {
        if ((*pieces)[0] == '\0') continue;
        cli_json_part(stream, first ? "" : "\n");
        cli_json_part(stream, *pieces);
        first = false;
    }
    fputc('"', stream);
}

/* "copy, line 7 (answers.md)"; or `what` alone, without a document. */
static void put_name(FILE *stream, const char *what, const char *place, const char *document)
{
    fputc('"', stream);
    cli_json_part(stream, what);
    cli_json_part(stream, place);
    if (document[0] != '\0') {
        cli_json_part(stream, " (");
        cli_json_part(stream, document);
        cli_json_part(stream, ")");
    }
    fputc('"', stream);
}

/* One test; its name as put_name takes it, its output as put_lines does. */
static void add_test(cli_gradescope *results, const char *what, const char *place,
                     const char *document, bool passed, const char *const *output)
{
    FILE *stream = results->draft.stream;
    results->tests++;
    results->passed += passed;
    fprintf(stream, "%s\n    {\"name\": ", results->tests == 1 ? "" : ",");
    put_name(stream, what, place, document);
    fprintf(stream, ", \"number\": \"%zu\", \"score\": %.15g, \"max_score\": %.15g, ",
            results->tests, passed ? results->points : 0.0, results->points);
    fprintf(stream, "\"status\": \"%s\", \"visibility\": \"visible\", \"output\": ",
            passed ? "passed" : "failed");
    put_lines(stream, output);
    fputc('}', stream);
}

static void add_claim(cli_gradescope *results, const char *document, const qkv_claim *claim)
{
    char place[64], expected[64] = "";
    bool passed = qkv_claim_passes(claim), labelled = claim->name[0] != '\0';
    snprintf(place, sizeof place, "%sline %d", labelled ? ", " : "", claim->line);
    if (!passed && claim->has_expectation)
        snprintf(expected, sizeof expected, "expected %s", qkv_verdict_name(claim->expected));
    const char *output[] = {claim->claim, qkv_verdict_name(claim->verdict),
                            claim->found, claim->reason,
                            expected,     NULL};
    add_test(results, claim->name, place, document, passed, output);
}

static void add_complaint(cli_gradescope *results, const char *document, const qkv_complaint *c)
{
    char place[64];
    snprintf(place, sizeof place, ", line %d, column %d", c->line, c->column);
    const char *output[] = {c->message, c->text, NULL};
    add_test(results, "mistake", place, document, false, output);
}

void cli_gradescope_add(cli_gradescope *results, const char *document, const qkv_report *report)
{
    for (size_t i = 0; i < qkv_report_claim_count(report); i++)
        add_claim(results, document, qkv_report_claim(report, i));
    for (size_t i = 0; i < qkv_report_complaint_count(report); i++)
        add_complaint(results, document, qkv_report_complaint(report, i));
}

void cli_gradescope_add_failure(cli_gradescope *results, const char *document, const char *reason)
{
    const char *output[] = {reason, NULL};
    add_test(results, document, "", "", false, output);
}

int cli_gradescope_finish(const char *who, cli_gradescope *results)
{
    FILE *stream = results->draft.stream;
    fprintf(stream, "%s], \"score\": %.15g, \"visibility\": \"visible\", \"output\": ",
            results->tests > 0 ? "\n  " : "", results->points * (double)results->passed);
    fprintf(stream, "\"%zu of %zu passed\"}\n", results->passed, results->tests);
    return cli_draft_commit(who, &results->draft);
}

void cli_gradescope_end(cli_gradescope *results)
{
    cli_draft_end(&results->draft);
}
