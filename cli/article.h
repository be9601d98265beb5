/* The articles that `qkv check` and `qkv explain` write: LaTeX and Markdown. */
#ifndef QKV_CLI_ARTICLE_H
#define QKV_CLI_ARTICLE_H

#include <stdbool.h>

#include <qkv/html.h>

#include "draft.h"

typedef struct cli_article {
    qkv_article kind;
    cli_draft draft;
    bool open, failed;
} cli_article;

/* CLI_PROCEED, or CLI_FAILURE once that is told. */
int cli_article_begin(const char *who, const char *path, qkv_article kind, cli_article *article);

/* The document's text stands around its claims. Does nothing where the article was not begun. */
void cli_article_add(const char *who, cli_article *article, const char *document, const char *text,
                     size_t length, const qkv_report *report);
int cli_article_finish(const char *who, cli_article *article);
void cli_article_end(cli_article *article);

/* A whole article with one section on standard output; CLI_SUCCESS, or CLI_FAILURE once told. */
int cli_article_print(const char *who, qkv_article kind, const char *document,
                      const qkv_report *report);

#endif
