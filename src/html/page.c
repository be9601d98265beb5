/* The page around the documents: what was found in all of them, the list of contents, and how the
 * whole is put together. Knows the public report. */
#include <string.h>

#include <qkv/version.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "html/part.h"

/* ---- Life -------------------------------------------------------------------------------- */

qkv_html_options qkv_html_default(void)
{
    return (qkv_html_options){.struct_size = sizeof(qkv_html_options)};
}

qkv_status qkv_html_create(const qkv_html_options *options, qkv_html **html, qkv_error *error)
{
    qkv_html_options o = qkv_html_default();
    if (html == NULL) return qkv__fail(error, QKV_ERROR_ARGUMENT, "html is NULL");
    if (options != NULL) {
        qkv_status status =
            qkv__options_take(&o, sizeof o, options, "options", "qkv_html_default", error);
        if (status != QKV_OK) return status;
    }
    qkv_html *made = qkv__allocate_zero(sizeof *made);
    if (made == NULL) return qkv__fail_memory(error, sizeof *made);
    made->brief = o.brief;
    qkv__text_format(&made->title, "%s", o.title == NULL ? "Claims, checked" : o.title);
    *html = made;
    return QKV_OK;
}

void qkv_html_free(qkv_html **html)
{
    if (html == NULL || *html == NULL) return;
    qkv__text *texts[] = {&(*html)->title, &(*html)->contents, &(*html)->rows, &(*html)->open,
                          &(*html)->body};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) qkv__text_free(texts[i]);
    qkv__free(*html);
    *html = NULL;
}

static bool has_failed(const qkv_html *html)
{
    return html->title.failed || html->contents.failed || html->rows.failed || html->open.failed ||
           html->body.failed;
}

/* ---- Documents --------------------------------------------------------------------------- */

typedef struct tally {
    size_t claims, passed, verdicts[4], complaints;
} tally;

static tally count(const qkv_report *report)
{
    tally t = {.claims = qkv_report_claim_count(report),
               .complaints = qkv_report_complaint_count(report)};
    for (size_t i = 0; i < t.claims; i++) {
        const qkv_claim *claim = qkv_report_claim(report, i);
        t.verdicts[(unsigned)claim->verdict % 4]++;
        t.passed += qkv_claim_passes(claim);
    }
    return t;
}

static void add_tally(qkv_html *html, const tally *t)
{
    html->claims += t->claims;
    html->passed += t->passed;
    html->complaints += t->complaints;
    for (int i = 0; i < 4; i++) html->verdicts[i] += t->verdicts[i];
}

static void open_row(qkv_html *html, size_t number, const char *name)
{
    qkv__text_format(&html->rows, "<tr><th scope=\"row\"><a href=\"#d%zu\">", number);
    qkv__html_escape(&html->rows, name);
    qkv__text_format(&html->rows, "</a></th>");
}

static void put_row(qkv_html *html, size_t number, const char *name, const tally *t)
{
    const size_t numbers[] = {t->claims,
                              t->verdicts[QKV_PROVED],
                              t->verdicts[QKV_REFUTED],
                              t->verdicts[QKV_SUPPORTED],
                              t->verdicts[QKV_UNDECIDED],
                              t->passed,
                              t->complaints};
    open_row(html, number, name);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        qkv__text_format(&html->rows, "<td%s>%zu</td>", numbers[i] == 0 ? " class=\"none\"" : "",
                         numbers[i]);
    qkv__text_format(&html->rows, "</tr>\n");
}

/* What a square stands for, as an attribute. */
static void put_name(qkv__text *out, const char *attribute, const qkv_claim *claim)
{
    qkv__text_format(out, " %s=\"", attribute);
    qkv__html_escape(out, claim->name[0] == '\0' ? "claim" : claim->name);
    qkv__text_format(out, ", line %d: %s, %s\"", claim->line, qkv_verdict_name(claim->verdict),
                     qkv__html_standing(claim));
}

/* A square for each claim, to jump to. */
static void put_map(qkv__html_document *d)
{
    qkv__text *out = &d->html->body;
    size_t claims = qkv_report_claim_count(d->report);
    if (claims == 0) return;
    qkv__text_format(out, "<nav class=\"map\" aria-label=\"Claims of document %zu\"><ul>\n",
                     d->number);
    for (size_t i = 0; i < claims; i++) {
        const qkv_claim *claim = qkv_report_claim(d->report, i);
        const char *words = qkv__html_verdict(claim->verdict);
        qkv__text_format(out, "<li class=\"%s%s\"><a href=\"#d%zu-c%zu\"",
                         qkv_verdict_name(claim->verdict), qkv_claim_passes(claim) ? "" : " amiss",
                         d->number, i + 1);
        put_name(out, "title", claim);
        put_name(out, "aria-label", claim); /* the sign alone is no name to be read aloud */
        qkv__text_format(out, ">%.*s</a></li>\n", (int)(strchr(words, ' ') - words), words);
    }
    qkv__text_format(out, "</ul></nav>\n");
}

static void open_document(qkv__html_document *d)
{
    qkv__text *out = &d->html->body;
    qkv__text_format(out,
                     "<section class=\"document\" id=\"d%zu\" aria-labelledby=\"d%zu-name\">\n"
                     "<h2 id=\"d%zu-name\">",
                     d->number, d->number, d->number);
    qkv__html_escape(out, d->name);
    qkv__text_format(out, "</h2>\n");
    qkv__text_format(&d->html->contents, "<li class=\"name\"><a href=\"#d%zu\">", d->number);
    qkv__html_escape(&d->html->contents, d->name);
    qkv__text_format(&d->html->contents, "</a></li>\n");
}

/* What has no place in the text, which a reader of Markdown may leave out, comes behind it. */
static void put_homeless(qkv__html_document *d)
{
    size_t claims = qkv_report_claim_count(d->report);
    for (size_t i = 0; i < qkv_report_complaint_count(d->report); i++)
        if (!d->placed[claims + i]) qkv__html_complaint(d, i);
    for (size_t i = 0; i < claims; i++) {
        qkv__text source = {0};
        if (d->placed[i]) continue;
        qkv__html_escape(&source, qkv_report_claim(d->report, i)->claim);
        qkv__html_claim(d, i, source.data == NULL ? "" : source.data, source.length);
        if (source.failed) d->html->body.failed = true;
        qkv__text_free(&source);
    }
}

static qkv_status put_document(qkv__html_document *d, qkv_error *error)
{
    open_document(d);
    bool whole = true;
    if (d->html->brief) {
        qkv__html_brief(d);
    } else {
        put_map(d);
        whole = qkv__html_text(d);
    }
    if (whole) put_homeless(d);
    qkv__text_format(&d->html->body, "<p class=\"back\"><a href=\"#top\">Back to the top</a></p>\n"
                                     "</section>\n");
    if (d->status != QKV_OK) {
        if (error != NULL) *error = d->error;
        return d->status;
    }
    if (!whole || has_failed(d->html)) return qkv__fail_memory(error, d->html->body.length);
    return QKV_OK;
}

qkv_status qkv_html_add(qkv_html *html, const char *name, const char *text, size_t length,
                        const qkv_report *report, qkv_error *error)
{
    enum { LARGEST = 1 << 30 }; /* md4c counts bytes in 32 bits */
    if (html == NULL || name == NULL || (text == NULL && length > 0) || report == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "html, name, text or report is NULL");
    if (length > LARGEST)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "the document is above 1 GiB");
    tally t = count(report);
    qkv__html_document d = {.html = html,
                            .number = ++html->documents,
                            .name = name,
                            .text = text,
                            .length = length,
                            .report = report};
    d.placed = qkv__allocate_zero((t.claims + t.complaints + 1) * sizeof *d.placed);
    if (d.placed == NULL) return qkv__fail_memory(error, t.claims + t.complaints);
    add_tally(html, &t);
    put_row(html, d.number, name, &t);
    qkv_status status = put_document(&d, error);
    qkv__free(d.placed);
    return status;
}

qkv_status qkv_html_add_failure(qkv_html *html, const char *name, const char *reason,
                                qkv_error *error)
{
    if (html == NULL || name == NULL || reason == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "html, name or reason is NULL");
    qkv__html_document d = {.html = html, .number = ++html->documents, .name = name};
    html->failures++;
    open_row(html, d.number, name);
    qkv__text_format(&html->rows, "<td class=\"failure\" colspan=\"7\">");
    qkv__html_escape(&html->rows, reason);
    qkv__text_format(&html->rows, "</td></tr>\n");
    open_document(&d);
    qkv__text_format(&html->body, "<aside class=\"complaint\"><p><span class=\"verdict\">! not read"
                                  "</span> ");
    qkv__html_escape(&html->body, reason);
    qkv__text_format(&html->body, "</p></aside></section>\n");
    qkv__text_format(&html->open, "<li class=\"complaint\"><a href=\"#d%zu\">", d.number);
    qkv__html_escape(&html->open, name);
    qkv__text_format(&html->open, "</a> <span class=\"verdict\">! not read</span> "
                                  "<span class=\"line\">");
    qkv__html_escape(&html->open, reason);
    qkv__text_format(&html->open, "</span></li>\n");
    html->open_count++;
    return has_failed(html) ? qkv__fail_memory(error, html->body.length) : QKV_OK;
}

/* ---- The page ---------------------------------------------------------------------------- */

static void put_text(qkv__text *out, const qkv__text *text)
{
    if (text->length > 0) qkv__text_append(out, text->data, text->length);
}

void qkv__html_head(qkv__text *out, const char *title)
{
    qkv__text_format(out,
                     "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n"
                     "<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'; script-src '%s'; base-uri 'none'; form-action "
                     "'none'\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                     "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
                     "<meta name=\"generator\" content=\"qkv %s\"/>\n<title>",
                     qkv__html_script_hash, QKV_VERSION_TEXT);
    qkv__html_escape(out, title);
    qkv__text_format(out, "</title>\n<style>\n");
    qkv__html_styles(out);
    qkv__text_format(out, "</style>\n</head>\n<body id=\"top\">\n"
                          "<a class=\"skip\" href=\"#documents\">Skip to the documents</a>\n");
}

void qkv__html_foot(qkv__text *out)
{
    qkv__text_format(out,
                     "</main>\n<footer><p>Made by qkv %s. Proved and refuted rest on exact "
                     "algebra or rigorous enclosures; supported is not a proof.</p></footer>\n"
                     "<script>%s</script>\n</body>\n</html>\n",
                     QKV_VERSION_TEXT, qkv__html_script);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* Refutations are no cause for alarm if all of them were expected. */
static const char *expected_word(const qkv_html *html, qkv_verdict verdict)
{
    return verdict == QKV_REFUTED && html->passed == html->claims ? " expected" : "";
}

/* The verdicts as a bar, parts as wide as there are claims, and the numbers as text below. */
static void put_verdicts(const qkv_html *html, qkv__text *out)
{
    static const qkv_verdict order[] = {QKV_PROVED, QKV_REFUTED, QKV_SUPPORTED, QKV_UNDECIDED};
    qkv__text_format(out, "<div class=\"bar\" aria-hidden=\"true\">");
    for (int i = 0; i < 4; i++)
        if (html->verdicts[order[i]] > 0)
            qkv__text_format(out, "<span class=\"%s%s\" style=\"flex-grow:%zu\"></span>",
                             qkv_verdict_name(order[i]), expected_word(html, order[i]),
                             html->verdicts[order[i]]);
    qkv__text_format(out, "</div>\n<ul class=\"counts\">\n");
    for (int i = 0; i < 4; i++) {
        const char *words = qkv__html_verdict(order[i]);
        int sign = (int)(strchr(words, ' ') - words);
        qkv__text_format(out,
                         "<li class=\"%s%s\"><strong>%zu</strong> <span class=\"verdict\">%.*s "
                         "%s</span></li>\n",
                         qkv_verdict_name(order[i]), expected_word(html, order[i]),
                         html->verdicts[order[i]], sign, words, qkv_verdict_name(order[i]));
    }
    qkv__text_format(out, "</ul>\n");
}

static void put_summary(const qkv_html *html, qkv__text *out)
{
    qkv__text_format(out, "<header class=\"summary\">\n<h1>");
    qkv__html_escape(out, html->title.data);
    qkv__text_format(out,
                     "</h1>\n<p class=\"lede\">%zu claim%s in %zu document%s: %zu as expected, "
                     "%zu not",
                     html->claims, plural(html->claims), html->documents, plural(html->documents),
                     html->passed, html->claims - html->passed);
    if (html->complaints > 0)
        qkv__text_format(out, "; %zu place%s in the text not understood", html->complaints,
                         plural(html->complaints));
    if (html->failures > 0)
        qkv__text_format(out, "; %zu document%s not read", html->failures, plural(html->failures));
    qkv__text_format(out, ".</p>\n");
    put_verdicts(html, out);
    qkv__text_format(out, "<div class=\"wide\"><table class=\"documents\">\n<thead><tr><th "
                          "scope=\"col\">document</th>");
    static const char *const columns[] = {"claims",    "proved",   "refuted", "supported",
                                          "undecided", "expected", "mistakes"};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        qkv__text_format(out, "<th scope=\"col\">%s</th>", columns[i]);
    qkv__text_format(out, "</tr></thead>\n<tbody>\n");
    put_text(out, &html->rows);
    qkv__text_format(out, "</tbody></table></div>\n");
}

static void put_open(const qkv_html *html, qkv__text *out)
{
    if (html->open_count == 0) {
        qkv__text_format(out, "<p class=\"clear\">%s</p>\n",
                         html->claims == 0 ? "There are no claims."
                                           : "Every claim came out as expected.");
    } else {
        qkv__text_format(out,
                         "<section class=\"open\" aria-labelledby=\"open\">\n<h2 id=\"open\">"
                         "To look at: %zu</h2>\n<ol>\n",
                         html->open_count);
        put_text(out, &html->open);
        qkv__text_format(out, "</ol></section>\n");
    }
    qkv__text_format(out, "</header>\n");
}

qkv_status qkv_html_render(const qkv_html *html, qkv_picture *page, qkv_error *error)
{
    if (html == NULL || page == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "html or page is NULL");
    if (has_failed(html)) return qkv__fail_memory(error, html->body.length);
    qkv__text out = {0};
    qkv__html_head(&out, html->title.data);
    put_summary(html, &out);
    put_open(html, &out);
    qkv__text_format(&out, "<nav class=\"contents\" aria-label=\"Contents\">\n<ul>\n");
    put_text(&out, &html->contents);
    qkv__text_format(&out, "</ul></nav>\n<main id=\"documents\">\n");
    put_text(&out, &html->body);
    qkv__html_foot(&out);
    if (out.failed) {
        qkv__text_free(&out);
        return qkv__fail_memory(error, html->body.length);
    }
    *page = (qkv_picture){out.data, out.length};
    return QKV_OK;
}
