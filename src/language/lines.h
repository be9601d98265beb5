/* The ends of the lines of a text. Knows nothing of their content. */
#ifndef QKV_LANGUAGE_LINES_H
#define QKV_LANGUAGE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The byte order mark at the beginning of a text: its bytes, or 0. */
static inline size_t qkv__mark_length(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static inline bool qkv__is_newline(char c)
{
    return c == '\n' || c == '\r';
}

/* Bytes of the line end at an offset: "\n", "\r\n", or "\r" alone, as CommonMark has it; else 0. */
static inline size_t qkv__newline_at(const char *text, size_t length, size_t at)
{
    if (at >= length || !qkv__is_newline(text[at])) return 0;
    return text[at] == '\r' && at + 1 < length && text[at + 1] == '\n' ? 2 : 1;
}

#endif
