/* The short form of a document: problem by problem, one line per claim and one figure. Knows the
 * public report. */
#include <string.h>

#include "html/part.h"

/* After the label: the claim and, if it is wrong, the correct value. */
static void put_claim(qkv__html_document *d, size_t index, const qkv_claim *claim)
{
    qkv__text *out = &d->html->body;
    const char *words = qkv__html_verdict(claim->verdict);
    d->placed[index] = true;
    qkv__text_format(
        out, "<li class=\"claim-line %s%s\" id=\"d%zu-c%zu\"><span class=\"verdict\">%.*s</span> ",
        qkv_verdict_name(claim->verdict), qkv_claim_passes(claim) ? "" : " amiss", d->number,
        index + 1, (int)(strchr(words, ' ') - words), words);
    if (claim->name[0] != '\0') {
        qkv__text_format(out, "<b>");
        qkv__html_escape(out, claim->name);
        qkv__text_format(out, "</b> ");
    }
    qkv__html_formula(out, claim->claim);
    if (claim->found[0] != '\0' && claim->verdict == QKV_REFUTED) {
        qkv__text_format(out, " <span class=\"what\">In fact</span> ");
        qkv__html_found(out, claim->found);
    }
    qkv__text_format(out, "</li>\n");
    if (!qkv_claim_passes(claim)) qkv__html_note_open(d, index, claim);
}

static void put_problem(qkv__html_document *d, size_t first, size_t end)
{
    qkv__text *out = &d->html->body;
    const char *title = qkv_report_claim(d->report, first)->problem;
    qkv__text_format(out, "<section>\n");
    if (title[0] != '\0') {
        qkv__text_format(out, "<h3>");
        qkv__html_escape(out, title);
        qkv__text_format(out, "</h3>\n");
    }
    for (size_t i = first; i < end; i++)
        if (qkv__html_draw(d, qkv_report_claim(d->report, i))) break;
    qkv__text_format(out, "<ul>\n");
    for (size_t i = first; i < end; i++) put_claim(d, i, qkv_report_claim(d->report, i));
    qkv__text_format(out, "</ul></section>\n");
}

void qkv__html_brief(qkv__html_document *d)
{
    const size_t count = qkv_report_claim_count(d->report);
    qkv__text_format(&d->html->body, "<div class=\"brief\">\n");
    for (size_t first = 0, end; first < count; first = end) {
        const char *title = qkv_report_claim(d->report, first)->problem;
        for (end = first + 1; end < count; end++)
            if (strcmp(qkv_report_claim(d->report, end)->problem, title) != 0) break;
        put_problem(d, first, end);
    }
    qkv__text_format(&d->html->body, "</div>\n");
}
