/* Lines of the claim language: what is declared as code, each claim as a card, complaints below
 * their lines. Knows lines and words; nothing of what they mean. */
#include <stdint.h>
#include <string.h>

#include "html/part.h"

bool qkv__html_next_line(qkv__html_lines *c, qkv__html_line *l)
{
    if (c->at >= c->length) return false;
    size_t end = c->at;
    while (end < c->length && c->text[end] != '\n' && c->text[end] != '\r') end++;
    *l = (qkv__html_line){c->text + c->at, end - c->at, c->number++};
    bool pair = end + 1 < c->length && c->text[end] == '\r' && c->text[end + 1] == '\n';
    c->at = end + (pair ? 2 : 1);
    return true;
}

static bool is_blank(const qkv__html_line *l)
{
    for (size_t i = 0; i < l->length; i++)
        if (l->text[i] != ' ' && l->text[i] != '\t') return false;
    return true;
}

/* ---- Code -------------------------------------------------------------------------------- */

static size_t margin_of(const qkv__html_line *l)
{
    size_t i = 0;
    while (i < l->length && (l->text[i] == ' ' || l->text[i] == '\t')) i++;
    return i;
}

static bool is_keyword(const char *word, size_t length)
{
    static const char *const words[] = {"problem", "given",  "keys",   "values",      "means",
                                        "vectors", "vector", "matrix", "permutation", "scalar",
                                        "pick",    "assume", "claim",  "find",        "law",
                                        "as",      "at",     "for"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0) return true;
    return false;
}

/* A line of code, without `margin` blanks: its first word stands out if it is one of the
 * language's, and so does a comment. */
static void put_line(qkv__text *out, const qkv__html_line *l, size_t margin)
{
    size_t start = margin_of(l), word = start;
    const char *comment = memchr(l->text, '#', l->length);
    size_t end = comment == NULL ? l->length : (size_t)(comment - l->text);
    if (margin > start) margin = start;
    while (word < end && l->text[word] >= 'a' && l->text[word] <= 'z') word++;
    bool keyword = is_keyword(l->text + start, word - start);
    qkv__text_markup(out, l->text + margin, start - margin);
    qkv__text_format(out, "%s", keyword ? "<b>" : "");
    if (word > start) qkv__text_markup(out, l->text + start, word - start);
    qkv__text_format(out, "%s", keyword ? "</b>" : "");
    if (end > word) qkv__text_markup(out, l->text + word, end - word);
    if (comment == NULL) return;
    qkv__text_format(out, "<i>");
    qkv__text_markup(out, comment, l->length - end);
    qkv__text_format(out, "</i>");
}

/* What was declared since the last claim; blank lines at its ends are left out. */
static void put_setup(qkv__html_document *d, const char *from, const char *to)
{
    qkv__text *out = &d->html->body;
    qkv__html_lines c = {from, (size_t)(to - from), 0, 0};
    qkv__html_line l;
    size_t blank = 0;
    bool any = false;
    while (qkv__html_next_line(&c, &l)) {
        if (is_blank(&l)) {
            blank++;
            continue;
        }
        qkv__text_format(out, "%s", any ? "\n" : "<pre class=\"setup\"><code>");
        for (; any && blank > 0; blank--) qkv__text_format(out, "\n");
        put_line(out, &l, 0);
        any = true;
        blank = 0;
    }
    if (any) qkv__text_format(out, "</code></pre>\n");
}

/* ---- Claims and complaints --------------------------------------------------------------- */

/* The claim that begins on a line and has no place yet; SIZE_MAX: none. */
static size_t claim_on(qkv__html_document *d, int number)
{
    size_t count = qkv_report_claim_count(d->report);
    while (d->next < count &&
           (d->placed[d->next] || qkv_report_claim(d->report, d->next)->line < number))
        d->next++;
    bool here = d->next < count && qkv_report_claim(d->report, d->next)->line == number;
    return here ? d->next : SIZE_MAX;
}

static void put_complaints(qkv__html_document *d, int first, int last)
{
    size_t claims = qkv_report_claim_count(d->report);
    for (size_t i = 0; i < qkv_report_complaint_count(d->report); i++) {
        int number = qkv_report_complaint(d->report, i)->line;
        if (!d->placed[claims + i] && number >= first && number <= last) qkv__html_complaint(d, i);
    }
}

static bool has_complaint(const qkv__html_document *d, int number)
{
    size_t claims = qkv_report_claim_count(d->report);
    for (size_t i = 0; i < qkv_report_complaint_count(d->report); i++)
        if (!d->placed[claims + i] && qkv_report_complaint(d->report, i)->line == number)
            return true;
    return false;
}

/* The lines of a claim as they stand, and its card. Where a further claim begins on the same line
 * its source is not repeated. */
static void put_claims(qkv__html_document *d, qkv__html_lines *c, const qkv__html_line *first, size_t claim)
{
    qkv__text source = {0};
    int last = qkv_report_claim(d->report, claim)->last_line;
    size_t margin = margin_of(first);
    qkv__html_line l = *first;
    put_line(&source, &l, margin);
    while (c->number <= last && qkv__html_next_line(c, &l)) {
        qkv__text_format(&source, "\n");
        put_line(&source, &l, margin);
    }
    if (source.failed) d->html->body.failed = true;
    const char *text = source.data == NULL ? "" : source.data;
    for (; claim != SIZE_MAX; claim = claim_on(d, first->number), text = "")
        qkv__html_claim(d, claim, text, strlen(text));
    qkv__text_free(&source);
    put_complaints(d, first->number, last);
}

void qkv__html_block(qkv__html_document *d, const char *text, size_t length, int first_line)
{
    qkv__html_lines c = {text, length, 0, first_line};
    const char *setup = text;
    qkv__html_line l;
    qkv__text_format(&d->html->body, "<div class=\"block\">\n");
    while (qkv__html_next_line(&c, &l)) {
        size_t claim = claim_on(d, l.number);
        if (claim != SIZE_MAX) {
            put_setup(d, setup, l.text);
            put_claims(d, &c, &l, claim);
        } else if (has_complaint(d, l.number)) {
            put_setup(d, setup, l.text + l.length);
            put_complaints(d, l.number, l.number);
        } else {
            continue;
        }
        setup = text + (c.at < length ? c.at : length);
    }
    put_setup(d, setup, text + length);
    qkv__text_format(&d->html->body, "</div>\n");
}
