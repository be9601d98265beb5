/* Complaints about a document, with the line that each is about and a caret; and what was lost for
 * them. Knows nothing of the grammar, nor of Markdown. */
#include "language/complaint.h"

#include <assert.h>
#include <string.h>

#include "language/lines.h"
#include "language/token.h"

enum { WIDEST = 200, BEFORE = 100 }; /* characters of a line that is shown, and before the caret */

/* Where the line with that number begins. There are few complaints, so a walk will do. */
static size_t find_line(const qkv__document *document, int line)
{
    size_t at = qkv__mark_length(document->text, document->length), end;
    for (int here = 1; here < line && at < document->length;) {
        end = qkv__newline_at(document->text, document->length, at);
        here += end > 0;
        at += end > 0 ? end : 1;
    }
    return at;
}

/* The next character of the text as it is shown: what a terminal could stumble over becomes a
 * blank or U+FFFD. Returns the bytes it takes up in the text; `shown` may be NULL. */
static size_t show_character(const char *text, size_t left, qkv__text *shown)
{
    unsigned code = 0;
    size_t length = qkv__decode(text, left, &code), taken = length == 0 ? 1 : length;
    bool strange = length == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0);
    if (shown == NULL) return taken;
    if (strange)
        qkv__text_format(shown, "%s", code == '\t' ? " " : "\xef\xbf\xbd");
    else
        qkv__text_append(shown, text, length);
    return taken;
}

/* The line of a place, cut to a window around it. */
static const char *show_line(qkv__document *document, qkv__place place, int *caret)
{
    const char *text = document->text;
    size_t at = find_line(document, place.line), end = document->length;
    int first = place.column <= WIDEST - BEFORE / 2 ? 1 : place.column - BEFORE;
    qkv__text shown = {0};
    qkv__text_append(&shown, "", 0);
    for (int column = 1; at < end && !qkv__is_newline(text[at]) && column < first + WIDEST;
         column++)
        at += show_character(text + at, end - at, column < first ? NULL : &shown);
    *caret = place.column - first + 1;
    const char *line =
        shown.failed ? NULL : qkv__arena_text(&document->arena, shown.data, shown.length);
    qkv__text_free(&shown);
    return line;
}

void qkv__document_complain(qkv__document *document, qkv__place place, const char *message)
{
    assert(place.line > 0);
    if (document->complaint_count == QKV__COMPLAINTS || document->arena.failed) return;
    qkv__complaint complaint = {.place = place};
    complaint.message = qkv__arena_text(&document->arena, message, strlen(message));
    complaint.line = show_line(document, place, &complaint.caret);
    if (complaint.message == NULL || complaint.line == NULL)
        document->arena.failed = true;
    else
        document->complaint[document->complaint_count++] = complaint;
}

void qkv__document_lose(qkv__document *document, int line)
{
    if (document->lost_count == QKV__COMPLAINTS) {
        document->all_lost = true;
        return;
    }
    document->lost[document->lost_count++] = line;
}

int qkv__document_lost(const qkv__document *document, int from, int to)
{
    int first = document->all_lost ? to : 0;
    for (size_t i = 0; i < document->lost_count; i++) {
        const int line = document->lost[i];
        if (line > from && line <= to && (first == 0 || line < first)) first = line;
    }
    return first;
}
