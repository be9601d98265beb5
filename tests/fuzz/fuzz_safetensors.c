/*
 * The reader of safetensors files against arbitrary headers: the length in front of the header is
 * right, and as many bytes follow it as the input's first byte says. What is accepted is read to
 * its last element, by its name and as the only one.
 */
#include "fuzz/tensors.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    const size_t follow = data[0], length = size - 1, count = 8 + length + follow;
    uint8_t *bytes = calloc(count, 1);
    if (bytes == NULL) return 0;
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)((uint64_t)length >> (8 * i));
    memcpy(bytes + 8, data + 1, length);
    parse_tensor(bytes, count, NULL);
    parse_tensor(bytes, count, "q");
    free(bytes);
    return 0;
}
