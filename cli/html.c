/* Writing the HTML report of `qkv check`. Knows files; what is in the report is the library's. */
#include "html.h"

#include <string.h>

#include "document.h"
#include "report.h"

enum { TITLE_CAPACITY = 512 }; /* the name of a file has at most 255 bytes */

/* "answers.md, checked" for one document; NULL: the library's own title. */
static const char *title_of(size_t count, char **files, char *title)
{
    if (count != 1) return NULL;
    const char *name = cli_document_name(files[0]), *slash = strrchr(name, '/');
    snprintf(title, TITLE_CAPACITY, "%s, checked", slash == NULL ? name : slash + 1);
    return title;
}

int cli_html_begin(const char *who, const char *path, bool brief, size_t count, char **files,
                   cli_html *page)
{
    qkv_error error;
    qkv_html_options options = qkv_html_default();
    char title[TITLE_CAPACITY];
    options.title = title_of(count, files, title);
    options.brief = brief;
    *page = (cli_html){.html = NULL};
    qkv_status status = qkv_html_create(&options, &page->html, &error);
    if (status != QKV_OK) return cli_fail(who, "--report: %s", error.message);
    return cli_draft_begin(who, path, &page->draft);
}

static void tell(const char *who, cli_html *page, const char *document, const qkv_error *error)
{
    cli_fail(who, "--report: %s: %s", cli_document_name(document), error->message);
    page->failed = true;
}

void cli_html_add(const char *who, cli_html *page, const char *document, const char *text,
                  size_t length, const qkv_report *report)
{
    qkv_error error;
    if (qkv_html_add(page->html, document, text, length, report, &error) != QKV_OK)
        tell(who, page, document, &error);
}

void cli_html_add_failure(const char *who, cli_html *page, const char *document, const char *reason)
{
    qkv_error error;
    const char *name = cli_document_name(document);
    if (qkv_html_add_failure(page->html, name, reason, &error) != QKV_OK)
        tell(who, page, document, &error);
}

int cli_html_finish(const char *who, cli_html *page)
{
    qkv_error error;
    qkv_picture bytes;
    if (page->failed) return CLI_FAILURE;
    if (qkv_html_render(page->html, &bytes, &error) != QKV_OK)
        return cli_fail(who, "--report: %s", error.message);
    fwrite(bytes.data, 1, bytes.length, page->draft.stream);
    qkv_picture_free(&bytes);
    return cli_draft_commit(who, &page->draft);
}

void cli_html_end(cli_html *page)
{
    cli_draft_end(&page->draft);
    qkv_html_free(&page->html);
}
