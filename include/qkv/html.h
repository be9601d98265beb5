/*
 * Reports to read: documents with their verdicts, derivations and figures in one HTML file.
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
 * The file needs nothing but itself: styles are inside, figures are SVG within the text, and its
 * content security policy lets no browser load anything else. Whatever came from a document is
 * text: its HTML is shown, not obeyed, and a link is one to http, https or mailto, or none. The
 * same documents give the same bytes. It is well-formed as XML too.
 */
#ifndef QKV_HTML_H
#define QKV_HTML_H

#include <stddef.h>

#include <qkv/claim.h>
#include <qkv/figure.h>
#include <qkv/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Take a struct from qkv_html_default(). Zero, or NULL, means the default. */
typedef struct qkv_html_options {
    size_t struct_size; /* set by qkv_html_default(): lets the struct grow */
    const char *title;  /* "Claims, checked" */
} qkv_html_options;

QKV_API qkv_html_options qkv_html_default(void);

typedef struct qkv_html qkv_html;

/* options may be NULL. The caller frees the report. QKV_ERROR_UNSUPPORTED where qkv was built
 * without the checker. */
QKV_API qkv_status qkv_html_create(const qkv_html_options *options, qkv_html **html,
                                   qkv_error *error);

/* Adds a document, below those before it: its text, and the report of it. From qkv_explain it has
 * derivations and figures, from qkv_check verdicts alone. Nothing is kept of the arguments. */
QKV_API qkv_status qkv_html_add(qkv_html *html, const char *name, const char *text, size_t length,
                                const qkv_report *report, qkv_error *error);

/* Adds a document of which there is nothing but the reason why. */
QKV_API qkv_status qkv_html_add_failure(qkv_html *html, const char *name, const char *reason,
                                        qkv_error *error);

/* The file as it stands: UTF-8, to be freed by qkv_picture_free. */
QKV_API qkv_status qkv_html_render(const qkv_html *html, qkv_picture *page, qkv_error *error);

QKV_API void qkv_html_free(qkv_html **html);

#ifdef __cplusplus
}
#endif
#endif
