/*
 * Self-attention over a few tokens with matrices K, Q and V that a reader has put together: k_i = K
 * x_i, q_i = Q x_i, v_i = V x_i. Knows nothing of what the reader was asked to build.
 */
#include <stdlib.h>
#include <string.h>

#include <qkv/attention.h>

#include "page.h"

/* to = rows of matrix x_i: tokens x width from width x width and tokens x width. */
static void apply(const double *matrix, const double *x, size_t tokens, size_t width, double *to)
{
    for (size_t i = 0; i < tokens; i++)
        for (size_t d = 0; d < width; d++) {
            to[i * width + d] = 0;
            for (size_t j = 0; j < width; j++)
                to[i * width + d] += matrix[d * width + j] * x[i * width + j];
        }
}

/* numbers(): tokens (tokens x width), then K, Q, V (width x width each). scale: of the scores.
 * Leaves weights (tokens x tokens) and outputs (tokens x width). */
PAGE_EXPORT("tokens_attend") bool tokens_attend(size_t tokens, size_t width, double scale)
{
    size_t count = tokens * width, square = width * width;
    if (tokens < 1 || width < 1 || page_number_count() < count + 3 * square)
        return page_fail("the matrices are not complete");
    const double *x = page_numbers();
    double *parts = malloc(3 * count * sizeof *parts);
    double *to = page_results(tokens * tokens + count);
    if (parts == NULL || to == NULL) {
        free(parts);
        return page_fail("out of memory");
    }
    for (size_t i = 0; i < 3; i++)
        apply(x + count + i * square, x, tokens, width, parts + i * count);
    qkv_attention_options options = qkv_attention_default();
    qkv_error error;
    size_t shape[3] = {1, tokens, width};
    qkv_view key = qkv_view_dense(QKV_F64, parts, 3, shape);
    qkv_view query = qkv_view_dense(QKV_F64, parts + count, 3, shape);
    qkv_view value = qkv_view_dense(QKV_F64, parts + 2 * count, 3, shape);
    qkv_view output = qkv_view_dense(QKV_F64, to + tokens * tokens, 3, shape);
    options.weights = qkv_view_dense(QKV_F64, to, 3, (size_t[]){1, tokens, tokens});
    options.scale = scale;
    bool good = qkv_attention(&query, &key, &value, &output, &options, &error) == QKV_OK;
    free(parts);
    return good || page_fail(error.message);
}
