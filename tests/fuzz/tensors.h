/* What the targets that read tensors share: bytes in, every element of the tensor out. */
#ifndef TESTS_FUZZ_TENSORS_H
#define TESTS_FUZZ_TENSORS_H

#include <stdint.h>
#include <stdlib.h>

#include <qkv/file.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads every element, so that a sanitizer reports any that lies outside the buffer. */
static inline void use_view(const qkv_view *view)
{
    static volatile double sink; /* keeps the compiler from leaving out the reads */
    size_t index[QKV_MAX_RANK] = {0};
    if (qkv__view_check(view, "tensor", NULL) != QKV_OK) abort();
    if (qkv_view_count(view) == 0) return;
    do sink = qkv__load(view->type, view->data, qkv__view_offset(view, index));
    while (qkv__index_next(view->rank, view->shape, index));
    (void)sink;
}

/* A failure has a message and gives nothing; a success gives a tensor; nothing is kept. */
static inline void finish_tensor(qkv_status status, qkv_tensor *tensor, const qkv_error *error)
{
    if ((status == QKV_OK) != (tensor != NULL)) abort();
    if (status != QKV_OK && (error->status != status || error->message[0] == '\0')) abort();
    if (tensor != NULL) use_view(qkv_tensor_view(tensor));
    qkv_tensor_free(&tensor);
}

static inline void parse_tensor(const uint8_t *data, size_t size, const char *name)
{
    qkv_tensor *tensor = NULL;
    qkv_error error = {.message = ""};
    const long live = qkv__memory_live();
    qkv_status status = qkv_tensor_parse(data, size, name, &tensor, &error);
    finish_tensor(status, tensor, &error);
    if (qkv__memory_live() != live) abort();
}

#endif
