/* Texts for a terminal side by side. It knows nothing of what they show. */
#include <string.h>

#include "figure/part.h"

static void append_times(qkv__text *text, const char *string, size_t times)
{
    while (times-- > 0) qkv__text_append(text, string, strlen(string));
}

/* Columns of a line without what sets colours. */
static size_t line_columns(const char *line, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '\x1b')
            while (i < length && line[i] != 'm') i++;
        else
            count += ((unsigned char)line[i] & 0xc0) != 0x80;
    }
    return count;
}

void qkv__terminal_beside(qkv__text *text, const qkv__text *parts, size_t count, size_t width)
{
    const char *at[QKV__PANELS_MOST];
    bool more = false;
    for (size_t i = 0; i < count; i++) {
        at[i] = parts[i].data == NULL ? "" : parts[i].data;
        more = more || *at[i] != '\0';
    }
    while (more) {
        size_t owed = 0; /* blanks, if anything follows them */
        more = false;
        for (size_t i = 0; i < count; i++) {
            size_t length = strcspn(at[i], "\n"), columns = line_columns(at[i], length);
            if (length > 0) append_times(text, " ", owed), owed = 0;
            qkv__text_append(text, at[i], length);
            owed += width > columns ? width - columns : 1;
            at[i] += length + (at[i][length] == '\n');
            more = more || *at[i] != '\0';
        }
        qkv__text_append(text, "\n", 1);
    }
}
