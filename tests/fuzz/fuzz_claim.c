/*
 * The claim language and its engines against arbitrary bytes: as a document of its own and as
 * Markdown. Whatever is said about mistakes must point into the document, every proposition that is
 * understood must survive being written down and read again, and a claim that is checked with the
 * others must not come out against what it is when explained alone. The entry point is libFuzzer's;
 * mutate_main.c calls the same one without libFuzzer.
 *
 * An engine may take seconds for a claim, and libFuzzer wants thousands of inputs in that time. There
 * one input in 4096 is treated as above, and in one in 128 exact algebra and lemmas alone decide what is
 * begun within a millisecond. Of the others, declarations, premises and definitions are taken in, and
 * all claims are left undecided for lack of time.
 */
#include <string.h>

#include <qkv/claim.h>
#include <qkv/html.h>

#include "base/memory.h"
#include "fuzz/mutate.h"
#include "fuzz/reading.h"

static void read_as(const char *name, const uint8_t *data, size_t size)
{
    qkv__document document;
    qkv_error error;
    if (qkv__document_read(name, (const char *)data, size, &document, &error) != QKV_OK) return;
    check_document(&document);
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

/* How much is done with an input. */
typedef enum care { CARE_LITTLE, CARE_SOME, CARE_ALL } care;

static care care_for(const uint8_t *data, size_t size)
{
    if (!fuzz_hurries || is_drawn(data, size, 1, 4096)) return CARE_ALL;
    return is_drawn(data, size, 2, 128) ? CARE_SOME : CARE_LITTLE;
}

static qkv_check_options options_for(care taken)
{
    static const double seconds[] = {1e-9, 0.001, 0.0};
    qkv_check_options options = qkv_check_options_default();
    options.seconds = seconds[taken];
    if (taken != CARE_ALL)
        options.without = QKV_ENGINE_BALL | QKV_ENGINE_SEARCH | QKV_ENGINE_SAMPLE;
    return options;
}

/* Files are looked for where the documents of the tests have theirs. */
static void check_as(const char *name, const uint8_t *data, size_t size, care taken)
{
    qkv_report *all = NULL;
    qkv_error error = {.message = ""};
    long live = qkv__memory_live();
    const bool whole = taken == CARE_ALL;
    const qkv_check_options options = options_for(taken);
    qkv_status status = qkv_check_with(name, (const char *)data, size, &options, &all, &error);
    expect((status == QKV_OK) == (all != NULL), "a report comes with success alone");
    expect(status == QKV_OK || error.message[0] != '\0', "a failure has a message");
    if (status == QKV_OK) {
        check_report(all);
        if (whole) explain_one(name, data, size, all);
        if (whole) render(name, data, size, all);
    }
    qkv_report_free(&all);
    expect(qkv__memory_live() == live, "all memory is given back");
}

static bool has(const uint8_t *data, size_t size, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(data + i, word, length) == 0) return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bool fenced = has(data, size, "```") || has(data, size, "~~~");
    const care taken = care_for(data, size);
    if (taken == CARE_ALL) {
        read_as("a.qkv", data, size);
        if (fenced) read_as("a.md", data, size);
        if (fenced) read_as("-", data, size);
    }
    check_as(QKV_ROOT "/tests/claims/a.qkv", data, size, taken);
    if (fenced) check_as(QKV_ROOT "/tests/claims/a.md", data, size, taken);
    return 0;
}
