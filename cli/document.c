/* Reading documents and telling their mistakes. Knows nothing of verdicts. */
#include "document.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

const char *cli_document_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* All that a stream holds; NULL with errno set. */
static char *read_stream(FILE *stream, size_t *length)
{
    size_t capacity = 1 << 16, count = 0, got;
    char *text = malloc(capacity);
    errno = 0;
    while (text != NULL && (got = fread(text + count, 1, capacity - count, stream)) > 0) {
        count += got;
        if (count < capacity) continue;
        char *grown = realloc(text, capacity * 2);
        if (grown == NULL) free(text);
        text = grown;
        capacity *= 2;
    }
    if (text == NULL) {
        errno = ENOMEM;
    } else if (ferror(stream)) {
        int reason = errno;
        free(text);
        text = NULL;
        errno = reason;
    }
    *length = count;
    return text;
}

char *cli_document_read(const char *who, const char *path, size_t *length)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *stream = standard ? stdin : fopen(path, "rb");
    char *text = stream == NULL ? NULL : read_stream(stream, length);
    int reason = errno;
    if (text == NULL)
        cli_fail(who, "%s: cannot read: %s", cli_document_name(path), strerror(reason));
    if (stream != NULL && !standard) fclose(stream);
    errno = reason;
    return text;
}

void cli_document_complain(const char *path, const qkv_report *report)
{
    for (size_t i = 0; i < qkv_report_complaint_count(report); i++) {
        const qkv_complaint *c = qkv_report_complaint(report, i);
        fprintf(stderr, "%s:%d:%d: %s\n  %s\n  %*s^\n", cli_shown(path).text, c->line, c->column,
                c->message, c->text, c->caret > 0 ? c->caret - 1 : 0, "");
    }
}
