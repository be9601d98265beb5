/* JSON in place. Knows nothing of what the values mean. */
#include "io/json.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { DEEPEST = 32 };

/* ---- Checking -------------------------------------------------------------------------------- */

typedef struct reader {
    const char *at, *end;
    const char *trouble;
} reader;

static bool fail(reader *r, const char *trouble)
{
    r->trouble = trouble;
    return false;
}

static void skip_space(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

static bool take(reader *r, char symbol)
{
    if (r->at == r->end || *r->at != symbol) return false;
    r->at++;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The four digits at `at`, or -1. */
static int hexadecimal(const char *at, const char *end)
{
    int code = 0;
    if (end - at < 4) return -1;
    for (int i = 0; i < 4; i++) {
        const char c = at[i], *digits = "0123456789abcdef";
        const char *digit = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c);
        if (digit == NULL) return -1;
        code = code * 16 + (int)(digit - digits);
    }
    return code;
}

static size_t encode(int code, char bytes[4])
{
    const size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const int marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 1; code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(marks[length] | code);
    return length;
}

/* "\u00e9", or two of them for a character beyond 16 bits. Returns its bytes, 0 if it is none. */
static size_t escaped(const char **at, const char *end, char bytes[4])
{
    const char *s = *at;
    int code = hexadecimal(s + 2, end);
    const bool first = code >= 0xd800 && code < 0xdc00;
    if (first) {
        const bool pair = end - s >= 12 && s[6] == '\\' && s[7] == 'u';
        const int second = pair ? hexadecimal(s + 8, end) : 0;
        if (second < 0xdc00 || second >= 0xe000) return 0;
        code = 0x10000 + (code - 0xd800) * 0x400 + (second - 0xdc00);
    }
    if (code <= 0 || (code >= 0xdc00 && code < 0xe000)) return 0;
    *at = s + (first ? 12 : 6);
    return encode(code, bytes);
}

/*
 * The character of a string at *at, as UTF-8; moves behind it. Returns its bytes, 0 where none is
 * valid: a control character, a byte that is no UTF-8, an escape that JSON does not have, half a
 * pair of surrogates, \u0000.
 */
static size_t character(const char **at, const char *end, char bytes[4])
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *s = *at;
    assert(s < end);
    if ((unsigned char)*s < ' ') return 0;
    if (*s != '\\') {
        size_t length = qkv__utf8_length(s, (size_t)(end - s));
        memcpy(bytes, s, length);
        *at = s + length;
        return length;
    }
    if (end - s < 2) return 0;
    if (s[1] == 'u') return escaped(at, end, bytes);
    const char *letter = s[1] == '\0' ? NULL : strchr(letters, s[1]);
    if (letter == NULL) return 0;
    *at = s + 2;
    bytes[0] = meant[letter - letters];
    return 1;
}

/* string = '"' { character } '"' */
static bool skip_string(reader *r)
{
    char bytes[4];
    if (!take(r, '"')) return fail(r, "expected a string");
    while (!take(r, '"')) {
        if (r->at == r->end) return fail(r, "a string has no end");
        if (character(&r->at, r->end, bytes) == 0)
            return fail(r, "a string has an invalid character");
    }
    return true;
}

static bool skip_digits(reader *r)
{
    const char *start = r->at;
    while (r->at < r->end && is_digit(*r->at)) r->at++;
    return r->at > start;
}

/* number = [ "-" ] ( "0" | digits ) [ "." digits ] [ ( "e" | "E" ) [ "+" | "-" ] digits ] */
static bool skip_number(reader *r)
{
    take(r, '-');
    const bool zero = r->at < r->end && *r->at == '0';
    const char *start = r->at;
    if (!skip_digits(r)) return fail(r, "expected a value");
    if (zero && r->at - start > 1) return fail(r, "a number begins with 0");
    if (take(r, '.') && !skip_digits(r)) return fail(r, "expected digits");
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '+')) take(r, '-');
        if (!skip_digits(r)) return fail(r, "expected digits");
    }
    return true;
}

static bool skip_word(reader *r)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i]);
        if ((size_t)(r->end - r->at) < length || memcmp(r->at, words[i], length) != 0) continue;
        r->at += length;
        return true;
    }
    return fail(r, "expected a value");
}

static bool skip_value(reader *r, int depth);

/* object = "{" [ string ":" value { "," string ":" value } ] "}" ; array likewise, without keys */
static bool skip_members(reader *r, char open, char close, int depth)
{
    if (depth == DEEPEST) return fail(r, "values are nested too deep");
    take(r, open);
    skip_space(r);
    if (take(r, close)) return true;
    do {
        skip_space(r);
        if (open == '{') {
            if (!skip_string(r)) return false;
            skip_space(r);
            if (!take(r, ':')) return fail(r, "expected ':'");
        }
        if (!skip_value(r, depth + 1)) return false;
        skip_space(r);
    } while (take(r, ','));
    if (take(r, close)) return true;
    return fail(r, open == '{' ? "expected ',' or '}'" : "expected ',' or ']'");
}

/* value = object | array | string | number | "true" | "false" | "null" */
static bool skip_value(reader *r, int depth)
{
    skip_space(r);
    if (r->at == r->end) return fail(r, "expected a value");
    switch (*r->at) {
    case '{': return skip_members(r, '{', '}', depth);
    case '[': return skip_members(r, '[', ']', depth);
    case '"': return skip_string(r);
    default: return *r->at == '-' || is_digit(*r->at) ? skip_number(r) : skip_word(r);
    }
}

bool qkv__json_check(const char *text, size_t length, qkv__json *value, const char **trouble,
                     size_t *place)
{
    reader r = {.at = text, .end = text + length, .trouble = ""};
    skip_space(&r);
    value->at = r.at;
    bool good = skip_value(&r, 0);
    value->end = r.at;
    skip_space(&r);
    if (good && r.at < r.end) good = fail(&r, "text after the end");
    *trouble = r.trouble;
    *place = (size_t)(r.at - text);
    return good;
}

/* ---- Walking through what was checked ---------------------------------------------------------
 */

bool qkv__json_next(qkv__json *rest, qkv__json *key, qkv__json *value)
{
    assert(rest->at < rest->end); /* the last member leaves the bracket behind it */
    reader r = {.at = rest->at, .end = rest->end, .trouble = ""};
    if (*r.at != '{' && *r.at != '[' && *r.at != ',') return false;
    /* An object ends in '}', so its last character tells what it is at any member. */
    const bool object = r.end[-1] == '}';
    r.at++;
    skip_space(&r);
    if (r.at + 1 == r.end) return false;
    *key = (qkv__json){.at = NULL};
    if (object) {
        key->at = r.at;
        skip_string(&r);
        key->end = r.at;
        skip_space(&r);
        take(&r, ':');
        skip_space(&r);
    }
    value->at = r.at;
    skip_value(&r, 0);
    value->end = r.at;
    skip_space(&r);
    rest->at = r.at;
    return true;
}

bool qkv__json_size(qkv__json value, size_t *size)
{
    *size = 0;
    for (const char *at = value.at; at < value.end; at++)
        if (!is_digit(*at) || !qkv__size_multiply(*size, 10, size) ||
            !qkv__size_add(*size, (size_t)(*at - '0'), size))
            return false;
    return value.at < value.end;
}

void qkv__json_copy(qkv__json string, char *text, size_t capacity)
{
    char bytes[4];
    size_t length = 0, more;
    for (const char *at = string.at + 1; *at != '"'; length += more) {
        more = character(&at, string.end, bytes);
        if (length + more >= capacity) break;
        memcpy(text + length, bytes, more);
    }
    text[length] = '\0';
}

int qkv__json_compare(qkv__json a, qkv__json b)
{
    const char *x = a.at + 1, *y = b.at + 1;
    char one[4], two[4];
    while (*x != '"' && *y != '"') {
        const size_t length = character(&x, a.end, one), other = character(&y, b.end, two);
        const int order = memcmp(one, two, length < other ? length : other);
        if (order != 0) return order; /* no character of UTF-8 begins with another */
    }
    return (*x != '"') - (*y != '"');
}

bool qkv__json_is(qkv__json string, const char *text)
{
    assert(qkv__json_is_string(string));
    char bytes[4];
    const char *at = string.at + 1;
    while (*at != '"') {
        const size_t length = character(&at, string.end, bytes);
        if (strncmp(text, bytes, length) != 0) return false;
        text += length;
    }
    return *text == '\0';
}
