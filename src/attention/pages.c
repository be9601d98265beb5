/* Putting pages in order. Knows the page table and memory, nothing of attention. */
#include "attention/pages.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

/* The longest sequence: no copy has room for more rows a head. */
static size_t longest_sequence(const qkv__problem *p)
{
    size_t queries, keys, longest = 0;
    for (size_t b = 0; b < p->sequences; b++) {
        qkv__problem_lengths(p, b, &queries, &keys);
        if (keys > longest) longest = keys;
    }
    return longest;
}

/* Every page that holds a key of a sequence must be there. */
static qkv_status check_table(const qkv__problem *p, qkv_error *error)
{
    const qkv_attention_options *o = &p->options;
    for (size_t b = 0; b < p->sequences; b++) {
        size_t queries, keys;
        qkv__problem_lengths(p, b, &queries, &keys);
        for (size_t i = 0; i * p->page_size < keys; i++) {
            const int32_t page = o->page_table[b * o->page_columns + i];
            if (page < 0 || (size_t)page >= p->pages)
                return qkv__fail(error, QKV_ERROR_ARGUMENT,
                                 "page_table[%zu][%zu] is %d; expected 0 to %zu, a page of the key",
                                 b, i, (int)page, p->pages - (p->pages > 0));
        }
    }
    return QKV_OK;
}

/* A view of four axes, or of three: then a row is one number. */
static size_t row_numbers(const qkv_view *pool)
{
    return pool->rank == 4 ? pool->shape[QKV__WIDTH] : 1;
}

/* Adds the bytes of the copy of a pool, up to a multiple of 64; false where they overflow. */
static bool add_bytes(const qkv__problem *p, const qkv_view *pool, size_t longest, size_t *bytes)
{
    size_t count;
    if (pool->rank == 0) return true;
    if (!qkv__size_multiply(p->sequences, p->key.shape[QKV__HEADS], &count) ||
        !qkv__size_multiply(count, longest, &count) ||
        !qkv__size_multiply(count, row_numbers(pool), &count) ||
        !qkv__size_multiply(count, qkv__type_size(pool->type), &count) ||
        !qkv__size_add(count, 63, &count))
        return false;
    return qkv__size_add(*bytes, count / 64 * 64, bytes);
}

/* One row, dense in its copy. */
static void copy_row(const qkv_view *pool, const unsigned char *from, unsigned char *to)
{
    const size_t numbers = row_numbers(pool), size = qkv__type_size(pool->type);
    const ptrdiff_t stride = pool->rank == 4 ? pool->stride[QKV__WIDTH] : 1;
    if (stride == 1) {
        memcpy(to, from, numbers * size);
        return;
    }
    for (size_t i = 0; i < numbers; i++)
        memcpy(to + i * size, from + (ptrdiff_t)i * stride * (ptrdiff_t)size, size);
}

/* The rows of one sequence and head, page after page. */
static void copy_head(const qkv__problem *p, const qkv_view *pool, size_t batch, size_t head,
                      unsigned char *to)
{
    const qkv_attention_options *o = &p->options;
    const size_t size = qkv__type_size(pool->type), bytes = row_numbers(pool) * size;
    size_t queries, keys;
    qkv__problem_lengths(p, batch, &queries, &keys);
    for (size_t j = 0; j < keys; j++) {
        const int32_t page = o->page_table[batch * o->page_columns + j / p->page_size];
        const ptrdiff_t row = (ptrdiff_t)page * pool->stride[QKV__BATCH] +
                              (ptrdiff_t)head * pool->stride[QKV__HEADS] +
                              (ptrdiff_t)(j % p->page_size) * pool->stride[QKV__LENGTH];
        copy_row(pool, (const unsigned char *)pool->data + row * (ptrdiff_t)size, to + j * bytes);
    }
}

/* Copies a pool to *to and makes the view one of the copy; moves *to behind it. */
static void copy_pool(const qkv__problem *p, qkv_view *pool, size_t longest, unsigned char **to)
{
    const size_t heads = p->key.shape[QKV__HEADS], numbers = row_numbers(pool);
    const size_t bytes = longest * numbers * qkv__type_size(pool->type);
    if (pool->rank == 0) return;
    for (size_t b = 0; b < p->sequences && bytes > 0; b++)
        for (size_t h = 0; h < heads; h++) copy_head(p, pool, b, h, *to + (b * heads + h) * bytes);
    pool->data = *to;
    pool->shape[QKV__BATCH] = p->sequences;
    pool->shape[QKV__LENGTH] = p->key.shape[QKV__LENGTH];
    pool->stride[QKV__BATCH] = (ptrdiff_t)(heads * longest * numbers);
    pool->stride[QKV__HEADS] = (ptrdiff_t)(longest * numbers);
    pool->stride[QKV__LENGTH] = (ptrdiff_t)numbers;
    if (pool->rank == 4) pool->stride[QKV__WIDTH] = 1;
    *to += (p->sequences * heads * bytes + 63) / 64 * 64;
}

qkv_status qkv__pages_gather(qkv__problem *p, void **memory, qkv_error *error)
{
    qkv_view *const pools[] = {&p->key, &p->value, &p->options.key_scales,
                               &p->options.value_scales};
    enum { POOLS = sizeof pools / sizeof pools[0] };
    *memory = NULL;
    if (p->options.page_columns == 0) return QKV_OK;
    qkv_status status = check_table(p, error);
    if (status != QKV_OK) return status;
    const size_t longest = longest_sequence(p);
    size_t bytes = 64; /* views of nothing point somewhere too */
    for (int i = 0; i < POOLS; i++)
        if (!add_bytes(p, pools[i], longest, &bytes)) return qkv__fail_memory(error, SIZE_MAX);
    if ((*memory = qkv__allocate(bytes)) == NULL) return qkv__fail_memory(error, bytes);
    unsigned char *to = *memory;
    for (int i = 0; i < POOLS; i++) copy_pool(p, pools[i], longest, &to);
    p->options.page_table = NULL;
    p->options.page_columns = 0;
    return QKV_OK;
}
