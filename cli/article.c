/* Writing articles. Knows files; what is in an article is the library's. */
#include "article.h"

#include <stdio.h>

#include "document.h"
#include "report.h"

static int put_section(const char *who, FILE *stream, qkv_article kind, const char *document,
                       const char *text, size_t length, const qkv_report *report)
{
    qkv_error error;
    qkv_picture section;
    const char *name = cli_document_name(document);
    if (qkv_article_section(kind, name, text, length, report, &section, &error) != QKV_OK)
        return cli_fail(who, "%s: %s", name, error.message);
    fwrite(section.data, 1, section.length, stream);
    qkv_picture_free(&section);
    return CLI_SUCCESS;
}

int cli_article_begin(const char *who, const char *path, qkv_article kind, cli_article *article)
{
    *article = (cli_article){.kind = kind};
    int status = cli_draft_begin(who, path, &article->draft);
    article->open = status == CLI_PROCEED;
    if (article->open) fputs(qkv_article_begin(kind), article->draft.stream);
    return status;
}

void cli_article_add(const char *who, cli_article *article, const char *document, const char *text,
                     size_t length, const qkv_report *report)
{
    if (article->open && put_section(who, article->draft.stream, article->kind, document, text,
                                     length, report) != CLI_SUCCESS)
        article->failed = true;
}

int cli_article_finish(const char *who, cli_article *article)
{
    if (!article->open) return CLI_SUCCESS;
    if (article->failed) return CLI_FAILURE;
    fputs(qkv_article_end(article->kind), article->draft.stream);
    return cli_draft_commit(who, &article->draft);
}

void cli_article_end(cli_article *article)
{
    if (article->open) cli_draft_end(&article->draft);
    article->open = false;
}

int cli_article_print(const char *who, qkv_article kind, const char *document,
                      const qkv_report *report)
{
    fputs(qkv_article_begin(kind), stdout);
    int status = put_section(who, stdout, kind, document, NULL, 0, report);
    fputs(qkv_article_end(kind), stdout);
    return status;
}
