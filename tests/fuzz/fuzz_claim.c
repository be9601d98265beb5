/*
 * The claim language and its engines against arbitrary bytes: as a document of its own and as
 * Markdown. Whatever is said about mistakes must point into the document, every proposition that is
 * understood must survive being written down and read again, and a claim that is checked with the
 * others must not come out against what it is when explained alone. The entry point is libFuzzer's;
 * mutate_main.c calls the same one without libFuzzer.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/claim.h>
#include <qkv/html.h>

#include "base/memory.h"
#include "base/text.h"
#include "language/document.h"
#include "language/syntax.h"
#include "language/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold of any input whatever; else the input is a find. */
static void expect(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}

/* ---- Reading ------------------------------------------------------------------------------- */

static size_t characters(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static void check_complaints(const qkv__document *document)
{
    expect(document->complaint_count <= QKV__COMPLAINTS, "complaints are few");
    for (size_t i = 0; i < document->complaint_count; i++) {
        const qkv__complaint *c = &document->complaint[i];
        size_t shown = characters(c->line);
        expect(c->place.line >= 1 && c->place.column >= 1 && c->message[0] != '\0',
               "a complaint has a place and a message");
        expect(qkv__text_is_utf8(c->line) && qkv__text_is_utf8(c->message), "complaints are UTF-8");
        expect(shown <= 200 && c->caret >= 1 && (size_t)c->caret <= shown + 1,
               "the caret stands below the line");
    }
}

/* The proposition as text, in a claim of its own. */
static qkv__text write_claim(const qkv__node *node)
{
    qkv__text text = {0};
    qkv__text_format(&text, "claim: ");
    qkv__node_write(node, &text);
    return text;
}

static void check_there_and_back(const qkv__node *node)
{
    qkv__text text = write_claim(node);
    qkv__document document;
    expect(qkv__document_read("a.qkv", text.data, text.length, &document, NULL) == QKV_OK,
           "a claim that is written down can be read");
    expect(document.complaint_count == 0 && document.statement_count == 1,
           "a claim that is written down is a claim");
    qkv__text again = write_claim(document.first->node[0]);
    expect(document.first->conditions == NULL && strcmp(text.data, again.data) == 0,
           "a claim that is written down stays the same");
    qkv__text_free(&again);
    qkv__text_free(&text);
    qkv__document_free(&document);
}

/* Returns how many there are. */
static size_t check_statements(const qkv__statement *s)
{
    size_t count = 0;
    for (; s != NULL; s = s->next) {
        expect(s->text != NULL && s->source[0] != '\0' && s->place.line >= 1,
               "a statement has a text and a place");
        for (size_t i = 0; i < s->count; i++)
            expect(s->node[i]->depth <= QKV__TREE_DEPTH, "trees are not too deep");
        /* One that is nearly too deep may be so when it is spelt out. */
        if (s->kind == QKV__STATEMENT_CLAIM && s->node[0]->depth < 100)
            check_there_and_back(s->node[0]);
        count += 1 + check_statements(s->inside);
    }
    return count;
}

static void read_as(const char *name, const uint8_t *data, size_t size)
{
    qkv__document document;
    qkv_error error;
    if (qkv__document_read(name, (const char *)data, size, &document, &error) != QKV_OK) return;
    check_complaints(&document);
    expect(check_statements(document.first) == document.statement_count, "statements are counted");
    qkv__document_free(&document);
}

/* ---- Verdicts ------------------------------------------------------------------------------ */

static void check_text(const char *text)
{
    expect(text != NULL && qkv__text_is_utf8(text), "texts are UTF-8");
}

static void check_claim(const qkv_claim *claim)
{
    bool decided = claim->verdict != QKV_UNDECIDED;
    expect(claim->line >= 1 && claim->verdict <= QKV_SUPPORTED, "a claim has a line and a verdict");
    check_text(claim->name), check_text(claim->claim), check_text(claim->found);
    check_text(claim->reason), check_text(claim->engine);
    expect(!decided || claim->engine[0] != '\0', "an engine decided it");
    expect(claim->found[0] != '\0' || claim->reason[0] != '\0', "a verdict has a reason");
    for (size_t i = 0; i < claim->step_count; i++)
        for (size_t k = 0; k < claim->steps[i].line_count; k++)
            check_text(claim->steps[i].lines[k]);
}

static void check_report(const qkv_report *report)
{
    for (size_t i = 0; i < qkv_report_claim_count(report); i++)
        check_claim(qkv_report_claim(report, i));
    for (size_t i = 0; i < qkv_report_complaint_count(report); i++)
        check_text(qkv_report_complaint(report, i)->message);
}

/* Both may be undecided if memory or time ran out, but must not contradict each other. */
static void check_agreement(const qkv_report *all, const qkv_report *one)
{
    for (size_t i = 0; i < qkv_report_claim_count(one); i++)
        for (size_t k = 0; k < qkv_report_claim_count(all); k++) {
            const qkv_claim *x = qkv_report_claim(one, i), *y = qkv_report_claim(all, k);
            bool same = x->line == y->line && strcmp(x->claim, y->claim) == 0;
            bool against = (x->verdict == QKV_PROVED && y->verdict == QKV_REFUTED) ||
                           (x->verdict == QKV_REFUTED && y->verdict == QKV_PROVED);
            expect(!same || !against, "a claim alone is not the contrary of itself");
        }
}

/* FNV-1a: which of the claims is explained depends on the document alone. */
static uint32_t hash(const uint8_t *data, size_t size)
{
    uint32_t state = 2166136261u;
    for (size_t i = 0; i < size; i++) state = (state ^ data[i]) * 16777619u;
    return state;
}

static size_t count_of(const char *text, const char *piece)
{
    size_t count = 0;
    for (; (text = strstr(text, piece)) != NULL; text += strlen(piece)) count++;
    return count;
}

/* Every claim stands in the page once, and no tag of the document's becomes one of the page's. */
static void render(const char *name, const uint8_t *data, size_t size, const qkv_report *report)
{
    qkv_html *html = NULL;
    qkv_picture page;
    qkv_error error;
    if (qkv_html_create(NULL, &html, &error) == QKV_OK &&
        qkv_html_add(html, name, (const char *)data, size, report, &error) == QKV_OK &&
        qkv_html_render(html, &page, &error) == QKV_OK) {
        expect(strlen(page.data) == page.length && qkv__text_is_utf8(page.data), "a page is UTF-8");
        expect(count_of(page.data, "<article ") == qkv_report_claim_count(report),
               "every claim stands in a page once");
        expect(count_of(page.data, "<script") == 1, "a page has one script");
        expect(count_of(page.data, "<pre") == count_of(page.data, "</pre>"), "tags are closed");
        qkv_picture_free(&page);
    }
    qkv_html_free(&html);
}

static void explain_one(const char *name, const uint8_t *data, size_t size, const qkv_report *all)
{
    qkv_report *one = NULL;
    qkv_error error;
    size_t count = qkv_report_claim_count(all);
    if (count == 0) return;
    qkv_selection which = {.line = qkv_report_claim(all, hash(data, size) % count)->line};
    qkv_status status = qkv_explain(name, (const char *)data, size, &which, &one, &error);
    expect(status == QKV_OK || status == QKV_ERROR_MEMORY, "what was checked can be explained");
    if (status != QKV_OK) return;
    check_report(one);
    check_agreement(all, one);
    render(name, data, size, one);
    qkv_report_free(&one);
}

/* Files are looked for where the documents of the tests have theirs. */
static void check_as(const char *name, const uint8_t *data, size_t size)
{
    qkv_report *all = NULL;
    qkv_error error = {.message = ""};
    long live = qkv__memory_live();
    qkv_status status = qkv_check(name, (const char *)data, size, &all, &error);
    expect((status == QKV_OK) == (all != NULL), "a report comes with success alone");
    expect(status == QKV_OK || error.message[0] != '\0', "a failure has a message");
    if (status == QKV_OK) {
        check_report(all);
        explain_one(name, data, size, all);
        render(name, data, size, all);
    }
    qkv_report_free(&all);
    expect(qkv__memory_live() == live, "all memory is given back");
}

static bool has_fence(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 3 <= size; i++)
        if (memcmp(data + i, "```", 3) == 0 || memcmp(data + i, "~~~", 3) == 0) return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_as("a.qkv", data, size);
    read_as("a.md", data, size);
    read_as("-", data, size);
    check_as(QKV_ROOT "/tests/claims/a.qkv", data, size);
    if (has_fence(data, size)) check_as(QKV_ROOT "/tests/claims/a.md", data, size);
    return 0;
}
