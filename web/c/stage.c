/*
 * What the stage of the page draws beyond outputs: the steps from scores to weights, the weights
 * that every query of a map would give, and samples one at a time, with the keys that were drawn.
 * Knows nothing of where these are drawn on the screen.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/attention.h>

#include "play.h"

enum { AXES = 3, SHOWN = 8 }; /* of a drawn key: its first coordinates; of the keys: the first */

static qkv_lab_sampler *single;
static size_t single_count; /* numbers in each of its rows */

/* ---- From scores to weights ------------------------------------------------------------------ */

void play_softmax(const double *scores, size_t rows, size_t keys, double *exponentials,
                  double *weights, double *sums)
{
    for (size_t row = 0; row < rows; row++) {
        const double *score = scores + row * keys;
        double largest = -INFINITY, sum = 0;
        for (size_t i = 0; i < keys; i++) largest = fmax(largest, score[i]);
        for (size_t i = 0; i < keys; i++) sum += exp(score[i] - largest);
        for (size_t i = 0; i < keys; i++) {
            exponentials[row * keys + i] = exp(score[i]);
            weights[row * keys + i] = exp(score[i] - largest) / sum;
        }
        sums[row] = sum * exp(largest);
    }
}

/* Leaves scores, e^score and weights (heads x keys each), and the sums of e^score (heads): of the
 * mean keys. */
PAGE_EXPORT("stage_scores") bool stage_scores(void)
{
    const play_scene *s = play_current();
    size_t count = s->heads * s->keys;
    double *to = page_results(3 * count + s->heads);
    if (to == NULL || s->weights == NULL) return page_fail("there is no scene");
    for (size_t h = 0; h < s->heads; h++)
        for (size_t i = 0; i < s->keys; i++) to[h * s->keys + i] = play_score(s, h, i);
    play_softmax(to, s->heads, s->keys, to + count, to + 2 * count, to + 3 * count);
    return true;
}

/* numbers(): count x width queries. Leaves the weights that each gives to the mean keys (count x
 * keys), and the outputs (count x 2). */
PAGE_EXPORT("stage_map") bool stage_map(size_t count)
{
    const play_scene *s = play_current();
    if (s->means == NULL || count < 1 || page_number_count() < count * s->width)
        return page_fail("there are no queries");
    qkv_attention_options options = qkv_attention_default();
    qkv_error error;
    double *to = page_results(count * (s->keys + 2)), *outputs = to + count * s->keys;
    if (to == NULL) return page_fail("out of memory");
    qkv_view query = qkv_view_dense(QKV_F64, page_numbers(), 3, (size_t[]){1, count, s->width});
    qkv_view key = qkv_view_dense(QKV_F64, (double *)s->means, 3, (size_t[]){1, s->keys, s->width});
    qkv_view value = qkv_view_dense(QKV_F64, (double *)s->values, 3, (size_t[]){1, s->keys, 2});
    qkv_view output = qkv_view_dense(QKV_F64, outputs, 3, (size_t[]){1, count, 2});
    options.weights = qkv_view_dense(QKV_F64, to, 3, (size_t[]){1, count, s->keys});
    options.scale = 1;
    return qkv_attention(&query, &key, &value, &output, &options, &error) == QKV_OK ||
           page_fail(error.message);
}

/* ---- One sample at a time ---------------------------------------------------------------------
 */

void play_single_forget(void)
{
    qkv_lab_sampler_free(&single);
}

static size_t least(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* The heads' queries, and those of further heads that look along each axis: the scores of these are
 * the coordinates of the keys. */
static double *make_queries(const play_scene *s, size_t axes)
{
    double *queries = calloc((s->heads + axes) * s->width, sizeof *queries);
    if (queries == NULL) return NULL;
    memcpy(queries, s->queries, s->heads * s->width * sizeof *queries);
    for (size_t axis = 0; axis < axes; axis++) queries[(s->heads + axis) * s->width + axis] = 1;
    return queries;
}

/* Scores of all keys under the heads, then of the first keys under the axes. */
static qkv_lab_quantity *make_quantities(const play_scene *s, size_t axes, size_t *count)
{
    size_t shown = least(s->keys, SHOWN);
    *count = s->heads * s->keys + axes * shown;
    qkv_lab_quantity *quantities = calloc(*count, sizeof *quantities), *to = quantities;
    if (quantities == NULL) return NULL;
    for (size_t head = 0; head < s->heads + axes; head++)
        for (size_t i = 0; i < (head < s->heads ? s->keys : shown); i++)
            *to++ = (qkv_lab_quantity){.kind = QKV_LAB_SCORE, .index = i, .head = head};
    return quantities;
}

static bool make_single(const play_scene *s)
{
    qkv_lab_model model = qkv_lab_model_default();
    qkv_lab_options options = qkv_lab_options_default();
    qkv_error error = {0};
    size_t axes = least(s->width, AXES);
    double *queries = make_queries(s, axes);
    qkv_lab_quantity *quantities = make_quantities(s, axes, &single_count);
    model.keys = s->keys;
    model.width = s->width;
    model.means = s->orthonormal ? NULL : s->means;
    model.noises = s->noises;
    model.heads = s->heads + axes;
    model.queries = queries;
    options.seed = s->seed + 1; /* not the samples of the cloud again */
    options.quantity_count = single_count;
    options.quantities = quantities;
    options.no_covariance = true;
    bool good = queries != NULL && quantities != NULL &&
                qkv_lab_sampler_create(&model, &options, &single, &error) == QKV_OK;
    free(queries);
    free(quantities);
    return good || page_fail(error.message[0] == '\0' ? "out of memory" : error.message);
}

/* c, the mean over heads of the weighted values. */
static void mix(const play_scene *s, const double *weights, double c[2])
{
    for (size_t d = 0; d < 2; d++) {
        c[d] = 0;
        for (size_t h = 0; h < s->heads; h++)
            for (size_t i = 0; i < s->keys; i++)
                c[d] += weights[h * s->keys + i] * s->values[2 * i + d] / (double)s->heads;
    }
}

/* Draws sample `index`. Leaves scores, e^score and weights (heads x keys each), the sums of e^score
 * (heads), c, and the first three coordinates of each of the first eight keys, 0 beyond the width.
 */
PAGE_EXPORT("stage_draw") bool stage_draw(size_t index)
{
    const play_scene *s = play_current();
    qkv_error error;
    if (s->noises == NULL) return page_fail("there is no scene");
    if (single == NULL && !make_single(s)) return false;
    size_t count = s->heads * s->keys, axes = least(s->width, AXES), shown = least(s->keys, SHOWN);
    double *row = malloc(single_count * sizeof *row);
    double *to = page_results(3 * count + s->heads + 2 + AXES * SHOWN);
    if (row == NULL || to == NULL ||
        qkv_lab_sampler_draw(single, index, 1, row, &error) != QKV_OK) {
        free(row);
        return page_fail("the sample could not be drawn");
    }
    memcpy(to, row, count * sizeof *to);
    play_softmax(to, s->heads, s->keys, to + count, to + 2 * count, to + 3 * count);
    mix(s, to + 2 * count, to + 3 * count + s->heads);
    double *keys = to + 3 * count + s->heads + 2;
    memset(keys, 0, AXES * SHOWN * sizeof *keys);
    for (size_t axis = 0; axis < axes; axis++)
        for (size_t i = 0; i < shown; i++) keys[AXES * i + axis] = row[count + axis * shown + i];
    free(row);
    return true;
}
