/* Text building. Knows nothing of what the text says, apart from JSON's escapes. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* What a text that never found memory shows; nobody writes anything but '\0' to it. */
static char nothing[1];

static void fail(qkv__text *text)
{
    text->failed = true;
    if (text->data == NULL) text->data = nothing;
}

static bool reserve(qkv__text *text, size_t more)
{
    size_t needed;
    if (!qkv__size_add(text->length, more, &needed) || !qkv__size_add(needed, 1, &needed))
        return false;
    if (needed <= text->capacity) return true;
    size_t capacity = text->capacity < 64 ? 64 : text->capacity;
    while (capacity < needed)
        if (!qkv__size_multiply(capacity, 2, &capacity)) return false;
    char *grown = qkv__allocate(capacity);
    if (grown == NULL) return false;
    if (text->data != NULL) memcpy(grown, text->data, text->length + 1);
    qkv__free(text->data);
    text->data = grown;
    text->capacity = capacity;
    return true;
}

void qkv__text_append(qkv__text *text, const char *bytes, size_t count)
{
    if (text->failed) return;
    if (!reserve(text, count)) {
        fail(text);
        return;
    }
    if (count > 0) memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void qkv__text_format(qkv__text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || text->failed || !reserve(text, (size_t)length)) {
        fail(text);
    } else {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

/* Bytes of the well-formed UTF-8 sequence at s, or 0 (RFC 3629's table of byte ranges). */
static size_t utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    if (s[0] >= 0xc2 && s[0] <= 0xdf) return (s[1] & 0xc0) == 0x80 ? 2 : 0;
    if (s[0] >= 0xe0 && s[0] <= 0xef) {
        unsigned low = s[0] == 0xe0 ? 0xa0 : 0x80, high = s[0] == 0xed ? 0x9f : 0xbf;
        return s[1] >= low && s[1] <= high && (s[2] & 0xc0) == 0x80 ? 3 : 0;
    }
    if (s[0] >= 0xf0 && s[0] <= 0xf4) {
        unsigned low = s[0] == 0xf0 ? 0x90 : 0x80, high = s[0] == 0xf4 ? 0x8f : 0xbf;
        return s[1] >= low && s[1] <= high && (s[2] & 0xc0) == 0x80 && (s[3] & 0xc0) == 0x80 ? 4
                                                                                             : 0;
    }
    return 0;
}

size_t qkv__utf8_length(const char *bytes, size_t count)
{
    unsigned char s[4] = {0}; /* no continuation is a 0 */
    memcpy(s, bytes, count < 4 ? count : 4);
    return count == 0 ? 0 : utf8_length(s);
}

void qkv__text_take_out(qkv__text *text, size_t from, size_t to)
{
    if (text->data == NULL || to > text->length || from >= to) return;
    while (to < text->length && (text->data[to] == ' ' || text->data[to] == ';') && from == 0) to++;
    memmove(text->data + from, text->data + to, text->length - to + 1);
    text->length -= to - from;
}

bool qkv__text_is_utf8(const char *string)
{
    const unsigned char *s = (const unsigned char *)string;
    size_t length;
    while (*s != '\0' && (length = utf8_length(s)) > 0) s += length;
    return *s == '\0';
}

void qkv__text_json_string(qkv__text *text, const char *string)
{
    const unsigned char *s = (const unsigned char *)string;
    qkv__text_append(text, "\"", 1);
    while (*s != '\0') {
        size_t length = utf8_length(s);
        if (length == 0)
            qkv__text_append(text, "\xef\xbf\xbd", 3);
        else if (*s == '"' || *s == '\\')
            qkv__text_format(text, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            qkv__text_format(text, "\\u%04x", *s);
        else if (*s == 0xc2 && s[1] < 0xa0) /* a control character, too */
            qkv__text_format(text, "\\u%04x", s[1]);
        else
            qkv__text_append(text, (const char *)s, length);
        s += length == 0 ? 1 : length;
    }
    qkv__text_append(text, "\"", 1);
}

/* What stands for a character that means something in markup; NULL: it may stay. */
static const char *markup_escape(unsigned char c)
{
    switch (c) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    case '\t':
    case '\n': return NULL;
    default: return c < 0x20 || c == 0x7f ? "\xef\xbf\xbd" : NULL;
    }
}

/* XML has no U+FFFE and U+FFFF, and browsers take U+0080 to U+009F for control characters. */
static bool is_markup_character(const unsigned char *s, size_t length)
{
    if (length == 2 && s[0] == 0xc2 && s[1] < 0xa0) return false;
    return !(length == 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe);
}

void qkv__text_markup(qkv__text *text, const char *bytes, size_t count)
{
    for (size_t i = 0, length; i < count; i += length) {
        unsigned char s[4] = {0};
        memcpy(s, bytes + i, count - i < 4 ? count - i : 4);
        length = utf8_length(s);
        const char *escape = length == 1 ? markup_escape(s[0]) : NULL;
        if (length == 0 || !is_markup_character(s, length)) escape = "\xef\xbf\xbd";
        if (escape != NULL)
            qkv__text_append(text, escape, strlen(escape));
        else
            qkv__text_append(text, bytes + i, length);
        if (length == 0) length = 1;
    }
}

void qkv__text_free(qkv__text *text)
{
    if (text->capacity > 0) qkv__free(text->data);
    *text = (qkv__text){0};
}
