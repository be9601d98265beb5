/*
 * The readers of tensors against arbitrary bytes: as a file, with a tensor's name and without, and
 * as text. What is accepted must be a view that can be read from its first element to its last.
 * The entry point is libFuzzer's; mutate.c calls the same one without libFuzzer.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/tensors.h"

static void read_text(const uint8_t *data, size_t size)
{
    qkv_tensor *tensor = NULL;
    qkv_error error = {.message = ""};
    char *text = malloc(size + 1);
    if (text == NULL) return;
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    qkv_status status = qkv_tensor_from_text(text, &tensor, &error);
    finish_tensor(status, tensor, &error);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parse_tensor(data, size, NULL);
    parse_tensor(data, size, "q");
    read_text(data, size);
    return 0;
}
