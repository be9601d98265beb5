/*
 * The readers of tensors against arbitrary bytes: as a file, with a tensor's name and without, and
 * as text. What is accepted must be a view that can be read from its first element to its last.
 * The entry point is libFuzzer's; mutate.c calls the same one without libFuzzer.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/file.h>

#include "base/number.h"
#include "base/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Keeps the compiler from leaving out the reads. */
static volatile double sink;

/* Reads every element; a sanitizer sees what lies outside. */
static void use(const qkv_view *view)
{
    size_t index[QKV_MAX_RANK] = {0};
    if (qkv__view_check(view, "tensor", NULL) != QKV_OK) abort();
    if (qkv_view_count(view) == 0) return;
    do sink = qkv__load(view->type, view->data, qkv__view_offset(view, index));
    while (qkv__index_next(view->rank, view->shape, index));
}

/* A failure has a message and gives nothing; a success gives a tensor. */
static void finish(qkv_status status, qkv_tensor *tensor, const qkv_error *error)
{
    if ((status == QKV_OK) != (tensor != NULL)) abort();
    if (status != QKV_OK && (error->status != status || error->message[0] == '\0')) abort();
    if (tensor != NULL) use(qkv_tensor_view(tensor));
    qkv_tensor_free(&tensor);
}

static void parse(const uint8_t *data, size_t size, const char *name)
{
    qkv_tensor *tensor = NULL;
    qkv_error error = {.message = ""};
    qkv_status status = qkv_tensor_parse(data, size, name, &tensor, &error);
    finish(status, tensor, &error);
}

static void read_text(const uint8_t *data, size_t size)
{
    qkv_tensor *tensor = NULL;
    qkv_error error = {.message = ""};
    char *text = malloc(size + 1);
    if (text == NULL) return;
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    qkv_status status = qkv_tensor_from_text(text, &tensor, &error);
    finish(status, tensor, &error);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parse(data, size, NULL);
    parse(data, size, "q");
    read_text(data, size);
    return 0;
}
