/* The table of file formats. To add a format, add a row here and a source file next to this one. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "io/format.h"

/* Tried in this order; the last takes whatever the others do not recognise. */
static const qkv__format *const formats[] = {&qkv__format_npy, &qkv__format_safetensors};

enum { COUNT = sizeof formats / sizeof formats[0] };

const qkv__format *qkv__format_of_bytes(const qkv__bytes *bytes)
{
    size_t i = 0;
    while (i + 1 < COUNT && !formats[i]->recognise(bytes)) i++;
    return formats[i];
}

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

const qkv__format *qkv__format_of_path(const char *path, qkv_error *error)
{
    qkv__text endings = {0};
    if (strcmp(path, "-") == 0) return &qkv__format_npy;
    for (size_t i = 0; i < COUNT; i++)
        if (ends_in(path, formats[i]->ending)) return formats[i];
    for (size_t i = 0; i < COUNT; i++)
        qkv__text_format(&endings, "%s%s", i == 0 ? "" : " nor ", formats[i]->ending);
    qkv__fail(error, QKV_ERROR_ARGUMENT, "%s: ends in neither %s", path,
              endings.data == NULL ? "known way" : endings.data);
    qkv__text_free(&endings);
    return NULL;
}
