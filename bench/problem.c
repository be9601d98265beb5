/*
 * Tensors of a row: random numbers, the same in every run. A long tensor repeats a block of random
 * numbers whose length is prime, so that no two of its rows are the same.
 */
#define _DEFAULT_SOURCE /* madvise */
#include "problem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "machine.h"

enum { BLOCK = 65521, CACHES_AT_MOST = 1024, PAGE = 4096, LARGE_PAGE = 1 << 21 };

struct problem {
    row shape;
    qkv_attention_options options;
    qkv_view query, output, mask, scales;
    qkv_view gradient, query_gradient, key_gradient, value_gradient, log_sum_exp;
    qkv_view *keys, *values; /* `caches` of each, taken in turn */
    size_t caches, next;
    qkv_error error;
};

/* ---- Tensors ----------------------------------------------------------------------------- */

/* Large tensors lie in large pages if the system has them, as the memory does in which limits are
 * measured. */
static void *make_pages(size_t bytes)
{
    size_t page = bytes < LARGE_PAGE ? PAGE : LARGE_PAGE;
    size_t all = (bytes + page - 1) / page * page;
    void *data = aligned_alloc(page, all);
#ifdef MADV_HUGEPAGE
    if (data != NULL && page == LARGE_PAGE) madvise(data, all, MADV_HUGEPAGE);
#endif
    return data;
}

/* Uniform numbers in [-1, 1): scores of a few units at most, as after a normalization. Bytes are
 * 127 times that. */
static bool make_block(qkv_type type, void *block)
{
    static float numbers[BLOCK];
    unsigned state = 1;
    for (size_t i = 0; i < BLOCK; i++) {
        state = state * 1664525u + 1013904223u;
        numbers[i] = (float)(state >> 8) / 8388608.0f - 1.0f;
        if (type == QKV_I8) numbers[i] *= 127.0f;
    }
    qkv_view from = qkv_view_dense(QKV_F32, numbers, 1, (size_t[]){BLOCK});
    qkv_view to = qkv_view_dense(type, block, 1, (size_t[]){BLOCK});
    return qkv_view_copy(&from, &to, NULL) == QKV_OK;
}

/* Repeats the block, beginning `start` bytes in it. */
static void fill(char *data, size_t bytes, const char *block, size_t block_bytes, size_t start)
{
    for (size_t done = 0, count; done < bytes; done += count, start = 0) {
        count = block_bytes - start < bytes - done ? block_bytes - start : bytes - done;
        memcpy(data + done, block + start, count);
    }
}

/* A dense tensor of pages of its own, the nth of a problem; rank 0 when there is no memory. */
static qkv_view make(size_t nth, qkv_type type, int rank, const size_t *shape)
{
    qkv_view view = qkv_view_dense(type, NULL, rank, shape);
    size_t bytes = qkv_view_count(&view) * qkv_type_size(type);
    size_t block_bytes = BLOCK * qkv_type_size(type);
    char *block = malloc(block_bytes);
    view.data = make_pages(bytes);
    if (block == NULL || view.data == NULL || !make_block(type, block)) {
        free(block);
        free(view.data);
        return (qkv_view){0};
    }
    fill(view.data, bytes, block, block_bytes, nth * 7919 % BLOCK * qkv_type_size(type));
    free(block);
    return view;
}

/* ---- Sizes ------------------------------------------------------------------------------- */

size_t problem_caches(const row *r)
{
    size_t bytes = (size_t)row_cache_bytes(r), all = (size_t)256 << 20;
    if (!r->cold) return 1;
    if (all < 3 * machine_get()->l3) all = 3 * machine_get()->l3;
    size_t caches = (all + bytes - 1) / bytes; /* one that is as large as all is cold by itself */
    return caches > CACHES_AT_MOST ? CACHES_AT_MOST : caches;
}

/* Queries and output are f32 where keys and values are bytes. */
static qkv_type query_type(const row *r)
{
    return r->type == QKV_I8 ? QKV_F32 : r->type;
}

size_t problem_bytes(const row *r)
{
    size_t query = r->heads * r->queries * r->width * qkv_type_size(query_type(r));
    size_t bytes = (size_t)row_cache_bytes(r) * problem_caches(r) + 2 * query;
    if (r->form == FORM_MASK) bytes += r->queries * r->keys * qkv_type_size(r->type);
    if (r->family == ROW_BACKWARD) bytes += (size_t)row_cache_bytes(r) + query;
    return bytes;
}

/* ---- A problem --------------------------------------------------------------------------- */

static void set_options(problem *p, const char *kernel)
{
    p->options = qkv_attention_default();
    p->options.kernel = kernel;
    p->options.threads = p->shape.threads;
    p->options.causal = p->shape.form == FORM_CAUSAL || p->shape.form == FORM_WINDOW;
    if (p->shape.form == FORM_WINDOW) {
        p->options.window = true;
        p->options.window_left = ROW_WINDOW - 1;
    }
    p->options.mask = p->mask;
    p->options.key_scales = p->options.value_scales = p->scales;
}

/* One for keys and values of all caches: 1/127 everywhere. */
static bool make_scales(problem *p)
{
    p->scales = make(9, QKV_F32, 2, (size_t[]){p->shape.kv_heads, p->shape.keys});
    float *numbers = p->scales.data;
    for (size_t i = 0; numbers != NULL && i < qkv_view_count(&p->scales); i++)
        numbers[i] = 1.0f / 127.0f;
    return numbers != NULL;
}

static bool make_all(problem *p)
{
    const row *r = &p->shape;
    size_t query[] = {r->heads, r->queries, r->width}, cache[] = {r->kv_heads, r->keys, r->width};
    bool made = true;
    p->caches = problem_caches(r);
    p->keys = calloc(p->caches, sizeof *p->keys);
    p->values = calloc(p->caches, sizeof *p->values);
    if (p->keys == NULL || p->values == NULL) return false;
    made &= (p->query = make(0, query_type(r), 3, query)).rank > 0;
    made &= (p->output = make(1, query_type(r), 3, query)).rank > 0;
    if (r->type == QKV_I8) made &= make_scales(p);
    for (size_t i = 0; i < p->caches && made; i++) {
        made &= (p->keys[i] = make(7 + 2 * i, r->type, 3, cache)).rank > 0;
        made &= (p->values[i] = make(8 + 2 * i, r->type, 3, cache)).rank > 0;
    }
    if (r->form == FORM_MASK)
        made &= (p->mask = make(2, r->type, 2, (size_t[]){r->queries, r->keys})).rank > 0;
    if (r->family != ROW_BACKWARD) return made;
    made &= (p->gradient = make(3, r->type, 3, query)).rank > 0;
    made &= (p->query_gradient = make(4, r->type, 3, query)).rank > 0;
    made &= (p->key_gradient = make(5, r->type, 3, cache)).rank > 0;
    made &= (p->value_gradient = make(6, r->type, 3, cache)).rank > 0;
    made &= (p->log_sum_exp = make(1, QKV_F32, 2, query)).rank > 0;
    return made;
}

/* The gradient starts from what a forward call gave, as the peer's does. */
static void keep_forward(problem *p)
{
    p->options.log_sum_exp = p->log_sum_exp;
    if (qkv_attention(&p->query, p->keys, p->values, &p->output, &p->options, &p->error) != QKV_OK)
        return; /* the gradient will say the same */
    p->options.given_output = p->output;
    p->options.given_log_sum_exp = p->log_sum_exp;
}

problem *problem_create(const row *r, const char *kernel)
{
    problem *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    p->shape = *r;
    if (!make_all(p)) problem_free(&p);
    if (p != NULL) set_options(p, kernel);
    if (p != NULL && r->family == ROW_BACKWARD) keep_forward(p);
    return p;
}

void problem_free(problem **p)
{
    if (*p == NULL) return;
    qkv_view *alone[] = {&(*p)->query,          &(*p)->output,         &(*p)->mask,
                         &(*p)->gradient,       &(*p)->query_gradient, &(*p)->key_gradient,
                         &(*p)->value_gradient, &(*p)->scales,         &(*p)->log_sum_exp};
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) free(alone[i]->data);
    for (size_t i = 0; i < (*p)->caches; i++) {
        if ((*p)->keys != NULL) free((*p)->keys[i].data);
        if ((*p)->values != NULL) free((*p)->values[i].data);
    }
    free((*p)->keys);
    free((*p)->values);
    free(*p);
    *p = NULL;
}

bool problem_run(void *context)
{
    problem *p = context;
    const qkv_view *key = &p->keys[p->next], *value = &p->values[p->next];
    p->next = p->next + 1 == p->caches ? 0 : p->next + 1;
    if (p->shape.family == ROW_BACKWARD)
        return qkv_attention_gradient(&p->query, key, value, &p->gradient, &p->query_gradient,
                                      &p->key_gradient, &p->value_gradient, &p->options,
                                      &p->error) == QKV_OK;
    return qkv_attention(&p->query, key, value, &p->output, &p->options, &p->error) == QKV_OK;
}

const char *problem_error(const problem *p)
{
    return p->error.message;
}
