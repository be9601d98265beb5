/* A string that grows. An append that finds no memory marks the text as failed and is otherwise
 * ignored, so that only the end needs a check. */
#ifndef QKV_BASE_TEXT_H
#define QKV_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct qkv__text {
    char *data;    /* always ends in '\0' once anything was appended, even without memory; NULL
                    * before */
    size_t length; /* without the '\0' */
    size_t capacity;
    bool failed;
} qkv__text;

void qkv__text_append(qkv__text *text, const char *bytes, size_t count);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void qkv__text_format(qkv__text *text, const char *format, ...);

/* Takes out the bytes from one length of a text to another; at its beginning also the blanks and
 * semicolons that follow. */
void qkv__text_take_out(qkv__text *text, size_t from, size_t to);

/* Bytes of the well-formed UTF-8 sequence that `count` bytes begin with, or 0 (RFC 3629). */
size_t qkv__utf8_length(const char *bytes, size_t count);

/* Whether a string is well-formed UTF-8 (RFC 3629: no surrogates, no long forms). */
bool qkv__text_is_utf8(const char *string);

/* The text as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void qkv__text_json_string(qkv__text *text, const char *string);

/* Bytes as text of HTML or XML, also within quotes: < > & " ' are escaped; what is no UTF-8, or no
 * character of XML, becomes U+FFFD. */
void qkv__text_markup(qkv__text *text, const char *bytes, size_t count);

void qkv__text_free(qkv__text *text);

#endif
