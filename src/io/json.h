/*
 * JSON, read where it lies: no memory is taken, however deep or long the text is. First
 * qkv__json_check() sees that all of it is valid; then values are walked through as pieces of the
 * text. Numbers are whole ones, as the headers of files have them.
 */
#ifndef QKV_IO_JSON_H
#define QKV_IO_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* One value: its first character tells its kind. */
typedef struct qkv__json {
    const char *at, *end;
} qkv__json;

/*
 * Whether the text is one valid value with nothing but space around it (RFC 8259, in UTF-8, without
 * \u0000, nested at most 32 deep). If not, *trouble says what is wrong at *place, counted in bytes
 * from 0. Otherwise *value is the value without the space.
 */
bool qkv__json_check(const char *text, size_t length, qkv__json *value, const char **trouble,
                     size_t *place);

/*
 * Walks through an object or an array: set *rest to it, and call until the answer is false. Gives
 * each member's key, a string, and its value; or each element, with key NULL. A value of another
 * kind has no members.
 */
bool qkv__json_next(qkv__json *rest, qkv__json *key, qkv__json *value);

/* A whole number from 0 to SIZE_MAX. */
bool qkv__json_size(qkv__json value, size_t *size);

/* A string with its escapes resolved, cut to what fits. */
void qkv__json_copy(qkv__json string, char *text, size_t capacity);

/* The order of two strings, as strcmp gives it; and whether a string is this one. */
int qkv__json_compare(qkv__json a, qkv__json b);
bool qkv__json_is(qkv__json string, const char *text);

static inline bool qkv__json_is_string(qkv__json value)
{
    return value.at < value.end && *value.at == '"';
}

static inline bool qkv__json_is_array(qkv__json value)
{
    return value.at < value.end && *value.at == '[';
}

#endif
