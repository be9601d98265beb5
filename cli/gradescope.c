/* Writing results.json. Knows the format; nothing of how claims are decided. */
#include "gradescope.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "report.h"

int cli_gradescope_begin(const char *who, const char *path, double points, cli_gradescope *results)
{
    *results = (cli_gradescope){.points = points};
    int status = cli_draft_begin(who, path, &results->draft);
    if (status == CLI_PROCEED) fprintf(results->draft.stream, "{\"tests\": [");
    return status;
}

/* One test; output: pieces that end in NULL, joined by line ends where they are not empty. */
static void add_test(cli_gradescope *results, const char *name, bool passed,
                     const char *const *output)
{
    FILE *stream = results->draft.stream;
    results->tests++;
    results->passed += passed;
    fprintf(stream, "%s\n    {\"name\": ", results->tests == 1 ? "" : ",");
    cli_json_string(stream, name);
    fprintf(stream, ", \"number\": \"%zu\", \"score\": %.15g, \"max_score\": %.15g, ",
            results->tests, passed ? results->points : 0.0, results->points);
    fprintf(stream, "\"status\": \"%s\", \"visibility\": \"visible\", \"output\": ",
            passed ? "passed" : "failed");
    size_t length = 1;
    for (size_t i = 0; output[i] != NULL; i++) length += strlen(output[i]) + 1;
    char *text = malloc(length), *at = text;
    for (size_t i = 0; text != NULL && output[i] != NULL; i++) {
        if (output[i][0] == '\0') continue;
        if (at != text) *at++ = '\n';
        strcpy(at, output[i]);
        at += strlen(at);
    }
    if (text != NULL) *at = '\0';
    cli_json_string(stream, text == NULL ? output[0] : text);
    fputc('}', stream);
    free(text);
}

static void add_claim(cli_gradescope *results, const char *document, const qkv_claim *claim)
{
    char place[64], expected[64] = "";
    bool passed = qkv_claim_passes(claim), labelled = claim->name[0] != '\0';
    snprintf(place, sizeof place, "%sline %d", labelled ? ", " : "", claim->line);
    if (!passed && claim->has_expectation)
        snprintf(expected, sizeof expected, "expected %s", qkv_verdict_name(claim->expected));
    size_t length = strlen(claim->name) + strlen(place) + strlen(document) + 8;
    char *name = malloc(length);
    if (name != NULL) snprintf(name, length, "%s%s (%s)", claim->name, place, document);
    const char *output[] = {claim->claim, qkv_verdict_name(claim->verdict),
                            claim->found, claim->reason,
                            expected,     NULL};
    add_test(results, name == NULL ? place : name, passed, output);
    free(name);
}

static void add_complaint(cli_gradescope *results, const char *document, const qkv_complaint *c)
{
    size_t length = strlen(document) + 80;
    char *name = malloc(length);
    if (name != NULL)
        snprintf(name, length, "mistake, line %d, column %d (%s)", c->line, c->column, document);
    const char *output[] = {c->message, c->text, NULL};
    add_test(results, name == NULL ? "mistake" : name, false, output);
    free(name);
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
    add_test(results, document, false, output);
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
