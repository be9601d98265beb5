/* Calls for the tests of plans on CUDA devices: views of memory that is never touched, two devices,
 * and an image of what a plan writes. */
#ifndef QKV_TESTS_CUDA_CALL_H
#define QKV_TESTS_CUDA_CALL_H

#include "support/check.h"

#include <string.h>

#include "attention/cuda/plan.h"

enum { KEYS = 1000, QUERIES = 700, HEADS = 6, GROUPS = 2, BATCH = 3 };
static const qkv__cuda_device hopper = {.major = 9, .multiprocessors = 132, .cache = 50u << 20};
static const qkv__cuda_device ampere = {.major = 8, .multiprocessors = 108, .cache = 40u << 20};

typedef struct call {
    qkv_view q, k, v, c;
    qkv_attention_options options;
} call;

/* Views of memory that is never touched; its address is aligned. */
static inline call make_call(qkv_type type, size_t batch, size_t width, size_t value_width)
{
    static char memory[64] __attribute__((aligned(64)));
    const size_t q[] = {batch, HEADS, QUERIES, width}, k[] = {batch, GROUPS, KEYS, width};
    const size_t v[] = {batch, GROUPS, KEYS, value_width},
                 c[] = {batch, HEADS, QUERIES, value_width};
    return (call){.q = qkv_view_dense(type, memory, 4, q),
                  .k = qkv_view_dense(type, memory, 4, k),
                  .v = qkv_view_dense(type, memory, 4, v),
                  .c = qkv_view_dense(type, memory, 4, c),
                  .options = qkv_attention_default()};
}

typedef struct image {
    unsigned char *bytes;
    size_t size;
} image;

static inline bool keep(void *context, size_t offset, const void *bytes, size_t count)
{
    image *to = context;
    assert_true(offset % 4 == 0 && count % 4 == 0 && offset + count <= to->size);
    memcpy(to->bytes + offset, bytes, count);
    return true;
}

#endif
