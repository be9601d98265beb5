/*
 * Markdown against arbitrary text: the fenced blocks in it are found, and the document becomes HTML
 * of a report without claims. The HTML has no script but its own, no handler and no link that is a
 * script; nothing is kept. What surrounds a document in a page is the same for all, and is looked
 * at now and then.
 */
#include <string.h>

#include <qkv/claim.h>
#include <qkv/html.h>

#include "base/memory.h"
#include "base/text.h"
#include "fuzz/expect.h"
#include "html/part.h"
#include "language/document.h"

static size_t occurrences(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) count++;
    return count;
}

static void check_html(const char *html, size_t scripts)
{
    expect(occurrences(html, "<script") == scripts, "there is no script of the document's");
    expect(occurrences(html, "<img") == 0 && occurrences(html, "<iframe") == 0,
           "nothing is loaded");
    for (const char *at = html; (at = strstr(at, "href=\"")) != NULL; at += 6)
        expect(at[6] == '#' || strncmp(at + 6, "http://", 7) == 0 ||
                   strncmp(at + 6, "https://", 8) == 0 || strncmp(at + 6, "mailto:", 7) == 0,
               "links go to the web or into the page");
    expect(qkv__text_is_utf8(html), "the page is UTF-8");
}

static void check_page(const qkv_html *html)
{
    qkv_picture page;
    if (qkv_html_render(html, &page, NULL) != QKV_OK) return;
    if (strlen(page.data) == page.length) check_html(page.data, 1);
    qkv_picture_free(&page);
}

/* A report of nothing, made once. */
static const qkv_report *empty_report(void)
{
    static qkv_report *report;
    if (report == NULL)
        expect(qkv_check("empty.md", "", 0, &report, NULL) == QKV_OK, "all is well");
    return report;
}

static void draw_html(const char *text, size_t size, bool whole)
{
    qkv_html *html = NULL;
    if (qkv_html_create(NULL, &html, NULL) == QKV_OK &&
        qkv_html_add(html, "a.md", text, size, empty_report(), NULL) == QKV_OK) {
        if (strlen(html->body.data) == html->body.length) check_html(html->body.data, 0);
        if (whole) check_page(html);
    }
    qkv_html_free(&html);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void)empty_report();
    const long live = qkv__memory_live();
    const char *text = size == 0 ? "" : (const char *)data;
    qkv__document document;
    if (qkv__document_read("a.md", text, size, &document, NULL) == QKV_OK)
        qkv__document_free(&document);
    draw_html(text, size, is_drawn(data, size, 1, 64));
    expect(qkv__memory_live() == live, "nothing is kept");
    return 0;
}
