/*
 * Real heads: the weights that they give, from queries and keys that were exported, and what happens
 * to them when the length of a key is uncertain, eps times what it was, eps normal with mean 1. One
 * key is noisy at a time: a given one, or for each query the one that it looks at most.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/attention.h>
#include <qkv/lab.h>
#include <qkv/law.h>

#include "page.h"

static struct {
    size_t heads, tokens;
    double *scores, *weights; /* heads x queries x keys */
} words;

static bool attend(size_t width, double scale)
{
    size_t count = words.heads * words.tokens * width;
    size_t shape[3] = {words.heads, words.tokens, width};
    size_t square[3] = {words.heads, words.tokens, words.tokens};
    double *unused = calloc(count, sizeof *unused); /* the values, all zero, and the output */
    if (unused == NULL) return page_fail("out of memory");
    qkv_attention_options options = qkv_attention_default();
    qkv_error error;
    qkv_view query = qkv_view_dense(QKV_F64, page_numbers(), 3, shape);
    qkv_view key = qkv_view_dense(QKV_F64, page_numbers() + count, 3, shape);
    double *output = page_results(count);
    qkv_view value = qkv_view_dense(QKV_F64, unused, 3, shape);
    qkv_view to = qkv_view_dense(QKV_F64, output, 3, shape);
    options.scale = scale;
    options.scores_raw = qkv_view_dense(QKV_F64, words.scores, 3, square);
    options.weights = qkv_view_dense(QKV_F64, words.weights, 3, square);
    bool good = output != NULL && qkv_attention(&query, &key, &value, &to, &options, &error) == QKV_OK;
    free(unused);
    return good || page_fail(output == NULL ? "out of memory" : error.message);
}

/* numbers(): queries, then keys (heads x tokens x width each). Leaves scores and weights (heads x
 * queries x keys each). */
PAGE_EXPORT("words_set") bool words_set(size_t heads, size_t tokens, size_t width, double scale)
{
    size_t count = heads * tokens * tokens;
    if (heads < 1 || tokens < 2 || width < 1 || page_number_count() < 2 * heads * tokens * width)
        return page_fail("queries and keys are not complete");
    free(words.scores);
    free(words.weights);
    words.heads = heads;
    words.tokens = tokens;
    words.scores = calloc(count, sizeof *words.scores);
    words.weights = calloc(count, sizeof *words.weights);
    bool good = words.scores != NULL && words.weights != NULL;
    if (!good) page_fail("out of memory");
    good = good && attend(width, scale);
    double *to = good ? page_results(2 * count) : NULL;
    if (to == NULL) {
        words.heads = 0;
        return good ? page_fail("out of memory") : false;
    }
    memcpy(to, words.scores, count * sizeof *to);
    memcpy(to + count, words.weights, count * sizeof *to);
    return true;
}

/* ---- Noise ------------------------------------------------------------------------------------ */

/* The key whose length is uncertain: `key`, or beyond the tokens the one with the largest weight. */
static size_t noisy_key(const double *weights, size_t key)
{
    if (key < words.tokens) return key;
    size_t best = 0;
    for (size_t i = 1; i < words.tokens; i++)
        if (weights[i] > weights[best]) best = i;
    return best;
}

/* ln of the sum of e^score over all keys but one. */
static double others(const double *scores, size_t key)
{
    double largest = -INFINITY, sum = 0;
    for (size_t i = 0; i < words.tokens; i++)
        if (i != key) largest = fmax(largest, scores[i]);
    for (size_t i = 0; i < words.tokens; i++)
        if (i != key) sum += exp(scores[i] - largest);
    return largest + log(sum);
}

/* Its score is s (1 + sqrt(noise) Z), all others are numbers. */
static qkv_logit_normal law_of(const double *scores, size_t key, double noise)
{
    return (qkv_logit_normal){scores[key] - others(scores, key), fabs(scores[key]) * sqrt(noise)};
}

/* Leaves, for every head and query, the probability that the weight of the noisy key is on the other
 * side of 1/2 than it is without noise (heads x tokens). */
PAGE_EXPORT("words_changes") bool words_changes(size_t key, double noise)
{
    size_t rows = words.heads * words.tokens;
    double *to = page_results(rows);
    if (rows == 0 || to == NULL) return page_fail("there are no words");
    for (size_t row = 0; row < rows; row++) {
        const double *weights = words.weights + row * words.tokens;
        size_t noisy = noisy_key(weights, key);
        qkv_logit_normal law = law_of(words.scores + row * words.tokens, noisy, noise);
        double below = qkv_logit_normal_cdf(law, 0.5);
        to[row] = noise == 0 ? 0 : weights[noisy] > 0.5 ? below : 1 - below;
    }
    return true;
}

/* Leaves of one head and query the noisy key, and of its weight mean and variance, and the 5 % and 95
 * % quantiles. */
PAGE_EXPORT("words_row") bool words_row(size_t head, size_t token, size_t key, double noise)
{
    double *to = page_results(5);
    if (head >= words.heads || token >= words.tokens || to == NULL)
        return page_fail("there are no words");
    size_t row = (head * words.tokens + token) * words.tokens;
    size_t noisy = noisy_key(words.weights + row, key);
    qkv_logit_normal law = law_of(words.scores + row, noisy, noise);
    to[0] = (double)noisy;
    to[1] = qkv_logit_normal_mean(law);
    to[2] = qkv_logit_normal_variance(law);
    to[3] = qkv_logit_normal_quantile(law, 0.05);
    to[4] = qkv_logit_normal_quantile(law, 0.95);
    return true;
}

/* A length of the noisy key, sample `index`: a key of mean 1 in one dimension, under a query of 1. */
static bool draw_length(double noise, size_t index, double *length)
{
    qkv_lab_model model = qkv_lab_model_default();
    qkv_lab_options options = qkv_lab_options_default();
    qkv_lab_quantity score = {.kind = QKV_LAB_SCORE};
    qkv_lab_sampler *sampler = NULL;
    qkv_error error;
    double one = 1;
    model.keys = model.width = model.heads = 1;
    model.noise.stretch = noise;
    model.queries = &one;
    options.quantity_count = 1;
    options.quantities = &score;
    options.no_covariance = true;
    bool good = qkv_lab_sampler_create(&model, &options, &sampler, &error) == QKV_OK &&
                qkv_lab_sampler_draw(sampler, index, 1, length, &error) == QKV_OK;
    qkv_lab_sampler_free(&sampler);
    return good || page_fail(error.message);
}

/* Leaves the weights of one head (queries x keys) in sample `index`, and the length that was drawn. */
PAGE_EXPORT("words_draw") bool words_draw(size_t head, size_t key, double noise, size_t index)
{
    size_t tokens = words.tokens, count = tokens * tokens;
    double *to = page_results(count + 1);
    if (head >= words.heads || to == NULL) return page_fail("there are no words");
    if (!draw_length(noise, index, to + count)) return false;
    for (size_t token = 0; token < tokens; token++) {
        const double *scores = words.scores + head * count + token * tokens;
        size_t noisy = noisy_key(words.weights + head * count + token * tokens, key);
        double rest = others(scores, noisy);
        double weight = 1 / (1 + exp(rest - to[count] * scores[noisy]));
        for (size_t i = 0; i < tokens; i++) /* the others keep their proportions */
            to[token * tokens + i] = i == noisy ? weight : (1 - weight) * exp(scores[i] - rest);
    }
    return true;
}
