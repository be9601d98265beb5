/*
 * Reports: documents with their verdicts, derivations and figures in one HTML file.
 *
 *     qkv_html *html = NULL;
 *     qkv_picture page;
 *     qkv_error error;
 *     if (qkv_html_create(NULL, &html, &error) != QKV_OK) ...
 *     if (qkv_explain("answers.md", text, length, NULL, &report, &error) != QKV_OK) ...
 *     if (qkv_html_add(html, "answers.md", text, length, report, &error) != QKV_OK) ...
 *     if (qkv_html_render(html, &page, &error) != QKV_OK) ...
 *     fwrite(page.data, 1, page.length, stdout);
 *     qkv_picture_free(&page);
 *     qkv_html_free(&html);
 *
 * The file is self-contained: styles are inside, figures are inline SVG, and its content security
 * policy keeps browsers from loading anything else. The contents of a document are treated as text:
 * HTML in it is shown as source, and only links to http, https and mailto work. The same documents
 * give the same bytes, which are also well-formed XML.
 */
#ifndef QKV_HTML_H
#define QKV_HTML_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/claim.h>
#include <qkv/figure.h>
#include <qkv/grade.h>
#include <qkv/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Take a struct from qkv_html_default(). Zero, or NULL, means the default. */
typedef struct qkv_html_options {
    size_t struct_size; /* set by qkv_html_default(): lets the struct grow */
    const char *title;  /* "Claims, checked" */
    bool brief;         /* false. Only claims, verdicts and one figure per problem: to be printed */
} qkv_html_options;

QKV_API qkv_html_options qkv_html_default(void);

typedef struct qkv_html qkv_html;

/* options may be NULL. The caller frees the report. QKV_ERROR_UNSUPPORTED if qkv was built
 * without the checker. */
QKV_API qkv_status qkv_html_create(const qkv_html_options *options, qkv_html **html,
                                   qkv_error *error);

/* Adds a document after the others: its text and its report. A report from qkv_explain has
 * derivations and figures, one from qkv_check only verdicts. The arguments are not kept. */
QKV_API qkv_status qkv_html_add(qkv_html *html, const char *name, const char *text, size_t length,
                                const qkv_report *report, qkv_error *error);

/* Adds a document that could not be checked, with the reason. */
QKV_API qkv_status qkv_html_add_failure(qkv_html *html, const char *name, const char *reason,
                                        qkv_error *error);

/* The contents of the file, in UTF-8, to be freed by qkv_picture_free. */
QKV_API qkv_status qkv_html_render(const qkv_html *html, qkv_picture *page, qkv_error *error);

QKV_API void qkv_html_free(qkv_html **html);

/* ---- Articles: LaTeX and Markdown ------------------------------------------------------------ */

typedef enum qkv_article {
    QKV_ARTICLE_LATEX = 1,    /* for any LaTeX with amsmath */
    QKV_ARTICLE_MARKDOWN = 2, /* formulas between dollars */
} qkv_article;

/* What stands before and behind the sections of an article. */
QKV_API const char *qkv_article_begin(qkv_article kind);
QKV_API const char *qkv_article_end(qkv_article kind);

/* The claims of a document as a section: each with its verdict, what was found and why and, in a
 * report of qkv_explain, its derivation. If `text` is that of a Markdown document, they stand in
 * it; it may be NULL. To be freed by qkv_picture_free. */
QKV_API qkv_status qkv_article_section(qkv_article kind, const char *name, const char *text,
                                       size_t length, const qkv_report *report,
                                       qkv_picture *section, qkv_error *error);

/* ---- Grades (grade.h) ------------------------------------------------------------------------ */

/* The report of one student: points, each question with its answer, what is wrong with it and the
 * key's hint. Nothing of the key's own answers is shown. */
QKV_API qkv_status qkv_html_grade(const qkv_key *key, const char *name, const qkv_grade *grade,
                                  qkv_picture *page, qkv_error *error);

/* A student in the table of a class. */
typedef struct qkv_class_row {
    const char *name;          /* as it is shown */
    const char *report;        /* the file of the student's report, to link to; NULL: none */
    const qkv_answer *answers; /* as many as the key has questions; NULL: not judged */
    const char *failure;       /* why it was not judged; NULL: it was */
} qkv_class_row;

/* The report for the teacher: students by questions, the commonest mistakes, what is to be looked
 * at. */
QKV_API qkv_status qkv_html_class(const qkv_key *key, const qkv_class_row *rows, size_t count,
                                  qkv_picture *page, qkv_error *error);

#ifdef __cplusplus
}
#endif
#endif
