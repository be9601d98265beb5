/* The table of file formats, from formats.def. Knows nothing of what is in a file. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/format.h"

static const struct {
    const char *ending, *word;
    bool named;
    const qkv__format *format;
} formats[] = {
#define ONE false
#define NAMED true
#define FORMAT(name, word, tensors, help, details) {"." #name, word, tensors, &qkv__format_##name},
#include "io/formats.def"
#undef ONE
#undef NAMED
};

enum { COUNT = sizeof formats / sizeof formats[0] };

/* The words of all formats, or their endings: "a, b or c". */
typedef struct listing {
    char text[200];
} listing;

static listing list_all(bool endings, const char *last)
{
    listing all = {""};
    for (size_t i = 0; i < COUNT; i++) {
        const size_t used = strlen(all.text);
        snprintf(all.text + used, sizeof all.text - used, "%s%s",
                 i == 0          ? ""
                 : i + 1 < COUNT ? ", "
                                 : last,
                 endings ? formats[i].ending : formats[i].word);
    }
    return all;
}

const qkv__format *qkv__format_of_bytes(const qkv__bytes *bytes, const char *source,
                                        qkv_error *error)
{
    for (size_t i = 0; i < COUNT; i++)
        if (formats[i].format->recognise(bytes)) return formats[i].format;
    if (bytes->count >= 4 && memcmp(bytes->data, "PK\x03\x04", 4) == 0)
        qkv__fail(error, QKV_ERROR_FORMAT, "%s: is a zip archive (.npz, .pt); expected %s", source,
                  list_all(true, " or ").text);
    else
        qkv__fail(error, QKV_ERROR_FORMAT, "%s: is neither %s file (%zu bytes)", source,
                  list_all(false, " nor ").text, bytes->count);
    return NULL;
}

/* The row of the table that a path ends as, or COUNT. */
static size_t find(const char *path)
{
    size_t i = 0, length = strlen(path);
    for (; i < COUNT; i++) {
        size_t tail = strlen(formats[i].ending);
        if (length > tail && strcmp(path + length - tail, formats[i].ending) == 0) break;
    }
    return i;
}

bool qkv_is_tensor_file(const char *path, bool *named)
{
    size_t row = find(path);
    if (named != NULL) *named = row < COUNT && formats[row].named;
    return row < COUNT;
}

const qkv__format *qkv__format_of_path(const char *path, qkv_error *error)
{
    if (strcmp(path, "-") == 0) return &qkv__format_npy;
    size_t row = find(path);
    if (row < COUNT) return formats[row].format;
    qkv__fail(error, QKV_ERROR_ARGUMENT, "%s: ends in neither %s", path,
              list_all(true, " nor ").text);
    return NULL;
}
