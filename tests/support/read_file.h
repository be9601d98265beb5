/* A file as a text, for tests that go through whole folders. */
#ifndef QKV_TESTS_READ_FILE_H
#define QKV_TESTS_READ_FILE_H

#include "support/check.h"

#include <stdio.h>

#include "base/text.h"

static inline qkv__text read_file(const char *path)
{
    qkv__text text = {0};
    char buffer[4096];
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, stream)) > 0;)
        qkv__text_append(&text, buffer, got);
    fclose(stream);
    return text;
}

#endif
