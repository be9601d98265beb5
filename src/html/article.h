/* What the files of articles share: text on its way into LaTeX or Markdown. */
#ifndef QKV_HTML_ARTICLE_H
#define QKV_HTML_ARTICLE_H

#include <qkv/claim.h>

#include "base/text.h"

typedef struct qkv__article {
    bool latex; /* otherwise Markdown */
    qkv__text out;
} qkv__article;

/* Markup as it stands; words of a document, of which nothing is taken for markup. */
void qkv__article_put(qkv__article *article, const char *markup);
void qkv__article_words(qkv__article *article, const char *words);

/* A claim with its verdict, what was found and why, and its derivation. */
void qkv__article_claim(qkv__article *article, const qkv_claim *claim);

/* The complaints about these lines. */
void qkv__article_complaints(qkv__article *article, const qkv_report *report, int first, int last);

/* A document of Markdown with its claims in their places (article_text.c). */
void qkv__article_text(qkv__article *article, const qkv_report *report, const char *text,
                       size_t length);

#endif
