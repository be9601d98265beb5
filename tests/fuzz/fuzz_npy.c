/*
 * The reader of npy files against arbitrary bytes behind a valid beginning: version, length and
 * header are the input's. What is accepted is read to its last element, and is as large as it says.
 */
#include "fuzz/tensors.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char magic[] = "\x93NUMPY";
    const size_t count = size + sizeof magic - 1;
    uint8_t *bytes = malloc(count);
    if (bytes == NULL) return 0;
    memcpy(bytes, magic, sizeof magic - 1);
    if (size > 0) memcpy(bytes + sizeof magic - 1, data, size);
    parse_tensor(bytes, count, NULL);
    free(bytes);
    return 0;
}
