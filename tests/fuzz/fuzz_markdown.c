/*
 * Markdown against arbitrary text: the fenced blocks in it are found, and the document becomes HTML
 * of a report without claims. The HTML has one script, its own, no handler and no link that is a
 * script; nothing is kept.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}

static size_t occurrences(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) count++;
    return count;
}

static void check_html(const char *page)
{
    expect(occurrences(page, "<script") == 1, "there is one script");
    expect(occurrences(page, "<img") == 0 && occurrences(page, "<iframe") == 0,
           "nothing is loaded");
    for (const char *at = page; (at = strstr(at, "href=\"")) != NULL; at += 6)
        expect(at[6] == '#' || strncmp(at + 6, "http://", 7) == 0 ||
                   strncmp(at + 6, "https://", 8) == 0 || strncmp(at + 6, "mailto:", 7) == 0,
               "links go to the web or into the page");
    expect(qkv__text_is_utf8(page), "the page is UTF-8");
}

static void draw_html(const char *text, size_t size)
{
    qkv_html *html = NULL;
    qkv_report *report = NULL;
    qkv_picture page;
    if (qkv_check("empty.md", "", 0, &report, NULL) == QKV_OK &&
        qkv_html_create(NULL, &html, NULL) == QKV_OK &&
        qkv_html_add(html, "a.md", text, size, report, NULL) == QKV_OK &&
        qkv_html_render(html, &page, NULL) == QKV_OK) {
        if (strlen(page.data) == page.length) check_html(page.data);
        qkv_picture_free(&page);
    }
    qkv_html_free(&html);
    qkv_report_free(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const long live = qkv__memory_live();
    const char *text = size == 0 ? "" : (const char *)data;
    qkv__document document;
    if (qkv__document_read("a.md", text, size, &document, NULL) == QKV_OK)
        qkv__document_free(&document);
    draw_html(text, size);
    expect(qkv__memory_live() == live, "nothing is kept");
    return 0;
}
