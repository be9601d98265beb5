/* Claims of a text, as the command tells them: `qkv check --json` and `qkv explain --json`, with
 * the mistakes in the text beside them. Only in the module that has the whole library. */
#include <stdlib.h>

#include <qkv/claim.h>
#include <qkv/plot.h>

#include "cli/json.h"
#include "cli/report_json.h"
#include "page.h"

static const char plain[] = "answers", markdown[] = "answers.md";

static void write_complaints(FILE *stream, const qkv_report *report)
{
    fputs("[", stream);
    for (size_t i = 0; i < qkv_report_complaint_count(report); i++) {
        const qkv_complaint *c = qkv_report_complaint(report, i);
        fprintf(stream, "%s{\"line\": %d, \"column\": %d, \"message\": ", i == 0 ? "" : ", ",
                c->line, c->column);
        cli_json_string(stream, c->message);
        fputs("}", stream);
    }
    fputs("]", stream);
}

/* {"complaints": [...], "report": what the command prints} */
static bool answer(const qkv_report *report, const char *name, bool steps)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL) return page_fail("out of memory");
    fputs("{\"complaints\": ", stream);
    write_complaints(stream, report);
    fputs(", \"report\": ", stream);
    if (steps)
        cli_json_explanation(stream, name, report);
    else
        cli_json_report(stream, name, report);
    fputs("}", stream);
    if (fclose(stream) != 0) {
        free(text);
        return page_fail("out of memory");
    }
    page_answer(text, length);
    return true;
}

/* The text of input(): plain unless it has a fence, or as Markdown. */
PAGE_EXPORT("check") bool check(bool is_markdown)
{
    size_t length;
    const char *text = page_input(&length), *name = is_markdown ? markdown : plain;
    qkv_report *report = NULL;
    qkv_error error;
    if (qkv_check(name, text, length, &report, &error) != QKV_OK) return page_fail(error.message);
    bool good = answer(report, name, false);
    qkv_report_free(&report);
    return good;
}

/* The claims on a line, with their derivations. */
PAGE_EXPORT("explain") bool explain(bool is_markdown, int line)
{
    size_t length;
    const char *text = page_input(&length), *name = is_markdown ? markdown : plain;
    const qkv_selection which = {.line = line};
    qkv_report *report = NULL;
    qkv_error error;
    if (qkv_explain(name, text, length, &which, &report, &error) != QKV_OK)
        return page_fail(error.message);
    bool good = answer(report, name, true);
    qkv_report_free(&report);
    return good;
}

/* The figure of one of the claims on a line; fails where it has none. */
PAGE_EXPORT("claim_figure")
bool claim_figure(bool is_markdown, int line, size_t index, bool dark, double width)
{
    size_t length;
    const char *text = page_input(&length), *name = is_markdown ? markdown : plain;
    const qkv_selection which = {.line = line};
    qkv_plot_options options = qkv_plot_default();
    qkv_report *report = NULL;
    qkv_figure *figure = NULL;
    qkv_error error;
    options.theme = dark ? QKV_THEME_DARK : QKV_THEME_LIGHT;
    options.width = width;
    options.title = "";
    if (qkv_explain(name, text, length, &which, &report, &error) != QKV_OK)
        return page_fail(error.message);
    bool good = index < qkv_report_claim_count(report);
    if (!good) page_fail("there is no such claim");
    if (good &&
        qkv_plot_claim(&options, qkv_report_claim(report, index), &figure, &error) != QKV_OK)
        good = page_fail(error.message);
    qkv_report_free(&report);
    return good && page_answer_figure(&figure);
}
