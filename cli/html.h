/* `--report`: the documents with their verdicts, derivations and figures as one HTML file. */
#ifndef QKV_CLI_HTML_H
#define QKV_CLI_HTML_H

#include <qkv/html.h>

#include "draft.h"

typedef struct cli_html {
    cli_draft draft;
    qkv_html *html;
    bool failed; /* told already; nothing will be written */
} cli_html;

/* Opens the file, so that a wrong path is known before the work; CLI_PROCEED, or CLI_FAILURE once
 * that is told. */
int cli_html_begin(const char *who, const char *path, bool brief, size_t count, char **files,
                   cli_html *page);

/* A document and its report, from qkv_explain. */
void cli_html_add(const char *who, cli_html *page, const char *document, const char *text,
                  size_t length, const qkv_report *report);

/* A document that could not be checked at all. */
void cli_html_add_failure(const char *who, cli_html *page, const char *document,
                          const char *reason);

/* Puts the file in its place; CLI_SUCCESS or CLI_FAILURE, and then nothing is there. */
int cli_html_finish(const char *who, cli_html *page);

/* Safe at any time. */
void cli_html_end(cli_html *page);

#endif
