/*
 * A language model's loop in miniature: tokens come one at a time, their keys and values go into
 * a cache, and each new query looks at all that came before. The rows are, bit for bit, those of
 * one causal call over all tokens.
 */
#include <stdio.h>
#include <string.h>

#include <qkv/qkv.h>

enum { HEADS = 2, TOKENS = 12, WIDTH = 8 };

/* Any numbers will do. */
static void fill(float *data, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
    }
}

/* One token of a (heads, tokens, width) array. */
static qkv_view token(qkv_view all, size_t number)
{
    all.data = (float *)all.data + number * WIDTH;
    all.shape[1] = 1;
    return all;
}

int main(void)
{
    static float q[HEADS][TOKENS][WIDTH], k[HEADS][TOKENS][WIDTH], v[HEADS][TOKENS][WIDTH];
    static float whole[HEADS][TOKENS][WIDTH], stepped[HEADS][TOKENS][WIDTH];
    static float key_room[HEADS][TOKENS][WIDTH], value_room[HEADS][TOKENS][WIDTH];
    const size_t shape[] = {HEADS, TOKENS, WIDTH};
    fill(&q[0][0][0], HEADS * TOKENS * WIDTH, 1);
    fill(&k[0][0][0], HEADS * TOKENS * WIDTH, 2);
    fill(&v[0][0][0], HEADS * TOKENS * WIDTH, 3);
    qkv_view query = qkv_view_dense(QKV_F32, q, 3, shape),
             key = qkv_view_dense(QKV_F32, k, 3, shape);
    qkv_view value = qkv_view_dense(QKV_F32, v, 3, shape);
    qkv_view result = qkv_view_dense(QKV_F32, whole, 3, shape);
    qkv_view rows = qkv_view_dense(QKV_F32, stepped, 3, shape);
    qkv_attention_options options = qkv_attention_default();
    options.causal = true;

    qkv_error error;
    qkv_status status = qkv_attention(&query, &key, &value, &result, &options, &error);
    qkv_cache cache = {.key = qkv_view_dense(QKV_F32, key_room, 3, shape),
                       .value = qkv_view_dense(QKV_F32, value_room, 3, shape)};
    for (size_t t = 0; t < TOKENS && status == QKV_OK; t++) {
        qkv_view new_key = token(key, t), new_value = token(value, t);
        qkv_view new_query = token(query, t), row = token(rows, t);
        status = qkv_cache_append(&cache, &new_key, &new_value, &error);
        if (status == QKV_OK) status = qkv_cache_attend(&cache, &new_query, &row, &options, &error);
    }
    if (status != QKV_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    int same = memcmp(whole, stepped, sizeof whole) == 0;
    printf("%d tokens one by one and all at once: %s\n", TOKENS,
           same ? "the same bits" : "DIFFERENT");
    return same ? 0 : 1;
}
