/* Writing JSON. Knows nothing of what the values mean. */
#include "json.h"

/* Bytes that the first byte of a UTF-8 sequence promises, 0 where none may begin with it. */
static size_t promised_length(unsigned char first)
{
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first <= 0xdf) return 2;
    if (first >= 0xe0 && first <= 0xef) return 3;
    if (first >= 0xf0 && first <= 0xf4) return 4;
    return 0;
}

/* The length of the well-formed sequence at s, or 0: the byte ranges of RFC 3629. The end of the
 * string is no continuation, so nothing is read behind it. */
size_t cli_utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t length = promised_length(s[0]);
    unsigned low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
    unsigned high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
    for (size_t i = 1; i < length; i++) {
        if (s[i] < low || s[i] > high) return 0;
        low = 0x80, high = 0xbf; /* only the second byte has narrower bounds */
    }
    return length;
}

void cli_json_part(FILE *stream, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    while (*s != '\0') {
        size_t length = cli_utf8_length((const char *)s);
        if (length == 0)
            fputs("\\ufffd", stream);
        else if (*s == '"' || *s == '\\')
            fprintf(stream, "\\%c", *s);
        else if (*s < ' ' || *s == 0x7f)
            fprintf(stream, "\\u%04x", *s);
        else if (*s == 0xc2 && s[1] < 0xa0) /* a control character, too */
            fprintf(stream, "\\u%04x", s[1]);
        else
            fwrite(s, 1, length, stream);
        s += length == 0 ? 1 : length;
    }
}

void cli_json_string(FILE *stream, const char *text)
{
    fputc('"', stream);
    cli_json_part(stream, text);
    fputc('"', stream);
}

void cli_json_shape(FILE *stream, const qkv_view *view)
{
    fputc('[', stream);
    for (int axis = 0; axis < view->rank; axis++)
        fprintf(stream, "%s%zu", axis == 0 ? "" : ", ", view->shape[axis]);
    fputc(']', stream);
}
