/*
 * The playground: attention of a few heads over keys that may be random, its samples, and the exact
 * law of a weight where there is one. Knows nothing of where the keys are drawn on the screen.
 */
#include "play.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <qkv/attention.h>
#include <qkv/law.h>

enum { BINS = PLAY_BINS, QUANTITIES = 4 };

static play_scene scene;
static qkv_lab_sampler *sampler;

const play_scene *play_current(void)
{
    return &scene;
}

const qkv_lab_sampler *play_sampler(void)
{
    return sampler;
}

/* ---- The scene ------------------------------------------------------------------------------ */

/* What JavaScript writes into numbers(): alpha, radius, seed, target (2), then for each key its
 * stretch, then means (keys x width; none when they are orthonormal), queries (heads x width) and
 * values (keys x 2). */
enum { FIXED = 5 };

static size_t numbers_needed(const play_scene *s)
{
    size_t means = s->orthonormal ? 0 : s->keys * s->width;
    return FIXED + s->keys + means + s->heads * s->width + 2 * s->keys;
}

static const double *take(const double **from, size_t count)
{
    const double *taken = *from;
    *from += count;
    return taken;
}

static bool make_identity(play_scene *s)
{
    s->own_means = calloc(s->keys * s->width, sizeof *s->own_means);
    if (s->own_means == NULL) return false;
    for (size_t i = 0; i < s->keys; i++) s->own_means[i * s->width + i] = 1;
    s->means = s->own_means;
    return true;
}

static bool read_scene(play_scene *s)
{
    size_t count = numbers_needed(s);
    if (page_number_count() < count || s->keys < 1 || s->heads < 1 || s->width < 1)
        return page_fail("the scene is not complete");
    s->copy = malloc(count * sizeof *s->copy);
    if (s->copy == NULL) return page_fail("out of memory");
    memcpy(s->copy, page_numbers(), count * sizeof *s->copy);
    const double *at = s->copy;
    s->alpha = *take(&at, 1);
    s->radius = *take(&at, 1);
    s->seed = (uint64_t)*take(&at, 1);
    s->target = take(&at, 2);
    s->stretch = take(&at, s->keys);
    if (!s->orthonormal) s->means = take(&at, s->keys * s->width);
    s->queries = take(&at, s->heads * s->width);
    s->values = take(&at, 2 * s->keys);
    return !s->orthonormal || make_identity(s) || page_fail("out of memory");
}

static void free_scene(play_scene *s)
{
    free(s->copy);
    free(s->own_means);
    free(s->weights);
    free(s->noises);
    *s = (play_scene){0};
}

/* ---- Without noise: the operator ------------------------------------------------------------- */

/* weights: heads x keys; outputs: heads x 2. */
static bool attend(play_scene *s)
{
    qkv_attention_options options = qkv_attention_default();
    qkv_error error;
    s->weights = malloc((s->heads * s->keys + 2 * s->heads) * sizeof *s->weights);
    if (s->weights == NULL) return page_fail("out of memory");
    s->outputs = s->weights + s->heads * s->keys;
    qkv_view query =
        qkv_view_dense(QKV_F64, (double *)s->queries, 3, (size_t[]){s->heads, 1, s->width});
    qkv_view key = qkv_view_dense(QKV_F64, (double *)s->means, 3, (size_t[]){1, s->keys, s->width});
    qkv_view value = qkv_view_dense(QKV_F64, (double *)s->values, 3, (size_t[]){1, s->keys, 2});
    qkv_view output = qkv_view_dense(QKV_F64, s->outputs, 3, (size_t[]){s->heads, 1, 2});
    options.weights = qkv_view_dense(QKV_F64, s->weights, 3, (size_t[]){s->heads, 1, s->keys});
    options.scale = 1;
    return qkv_attention(&query, &key, &value, &output, &options, &error) == QKV_OK ||
           page_fail(error.message);
}

/* ---- With noise: the sampler ----------------------------------------------------------------- */

static bool make_sampler(play_scene *s)
{
    qkv_lab_model model = qkv_lab_model_default();
    qkv_lab_options options = qkv_lab_options_default();
    qkv_error error;
    const double watched[QUANTITIES] = {[PLAY_ERROR] = 1};
    const qkv_lab_quantity quantities[QUANTITIES] = {
        [PLAY_X] = {.kind = QKV_LAB_OUTPUT, .index = 0},
        [PLAY_Y] = {.kind = QKV_LAB_OUTPUT, .index = 1},
        [PLAY_ERROR] = {.kind = QKV_LAB_ERROR, .numbers = s->target},
        [PLAY_WEIGHT] = {.kind = QKV_LAB_WEIGHT,
                         .index = s->watched,
                         .head = s->head,
                         .bins = BINS,
                         .low = 0,
                         .high = 1},
    };
    const qkv_lab_inequality misses = {watched, QKV_LAB_GREATER, s->radius * s->radius};
    const qkv_lab_event failure = {1, &misses};
    s->noises = calloc(s->keys, sizeof *s->noises);
    if (s->noises == NULL) return page_fail("out of memory");
    for (size_t i = 0; i < s->keys; i++)
        s->noises[i] = (qkv_lab_noise){.alpha = s->alpha, .stretch = s->stretch[i]};
    model.keys = s->keys;
    model.width = s->width;
    model.means = s->orthonormal ? NULL : s->means;
    model.noises = s->noises;
    model.heads = s->heads;
    model.queries = s->queries;
    model.values = s->values;
    model.value_width = 2;
    options.seed = s->seed;
    options.quantity_count = QUANTITIES;
    options.quantities = quantities;
    options.no_covariance = true;
    options.event_count = 1;
    options.events = &failure;
    qkv_lab_sampler_free(&sampler);
    return qkv_lab_sampler_create(&model, &options, &sampler, &error) == QKV_OK ||
           page_fail(error.message);
}

/* ---- The law ------------------------------------------------------------------------------------
 */

double play_score(const play_scene *s, size_t head, size_t key)
{
    double sum = 0;
    for (size_t d = 0; d < s->width; d++)
        sum += s->queries[head * s->width + d] * s->means[key * s->width + d];
    return sum;
}

/* The number of the only key with noise; `keys` when there are none or several. */
static size_t only_noisy(const play_scene *s)
{
    size_t found = s->keys;
    for (size_t i = 0; i < s->keys; i++) {
        if (s->stretch[i] == 0) continue;
        if (found < s->keys) return s->keys;
        found = i;
    }
    return s->alpha == 0 ? found : s->keys;
}

/* ln of the sum of e^score over all keys but one. */
static double others(const play_scene *s, size_t head, size_t key)
{
    double largest = -INFINITY, sum = 0;
    for (size_t i = 0; i < s->keys; i++)
        if (i != key) largest = fmax(largest, play_score(s, head, i));
    for (size_t i = 0; i < s->keys; i++)
        if (i != key) sum += exp(play_score(s, head, i) - largest);
    return largest + log(sum);
}

/* Of the noisy key in a head: its score is s (1 + sqrt(stretch) Z), all others are numbers. */
static qkv_logit_normal weight_law(const play_scene *s, size_t head, size_t key)
{
    double mean = play_score(s, head, key);
    return (qkv_logit_normal){mean - others(s, head, key), fabs(mean) * sqrt(s->stretch[key])};
}

/* The output of a head without one key, its weights made to sum to 1. */
static void output_without(const play_scene *s, size_t head, size_t key, double output[2])
{
    double rest = others(s, head, key);
    output[0] = output[1] = 0;
    for (size_t i = 0; i < s->keys; i++) {
        double weight = i == key ? 0 : exp(play_score(s, head, i) - rest);
        for (int d = 0; d < 2; d++) output[d] += weight * s->values[2 * i + (size_t)d];
    }
}

/* Where |base + a step - target| <= radius: a closed range of a, or false for nowhere. */
static bool solve_within(const double base[2], const double step[2], const play_scene *s,
                         double range[2])
{
    double square = 0, product = 0, rest = -s->radius * s->radius;
    for (int d = 0; d < 2; d++) {
        double off = base[d] - s->target[d];
        square += step[d] * step[d];
        product += step[d] * off;
        rest += off * off;
    }
    if (square == 0) {
        range[0] = 0;
        range[1] = 1;
        return rest <= 0;
    }
    double under = product * product - square * rest;
    if (under < 0) return false;
    range[0] = fmax(0, (-product - sqrt(under)) / square);
    range[1] = fmin(1, (-product + sqrt(under)) / square);
    return range[0] <= range[1];
}

/* Exact where at most one head feels the noise, c then lies on a line: c = base + a step. */
static void find_failure(play_scene *s, size_t key)
{
    double base[2] = {0}, step[2] = {0};
    size_t feeling = s->heads, count = 0;
    for (size_t h = 0; h < s->heads; h++)
        if (play_score(s, h, key) != 0) feeling = h, count++;
    if (count > 1) return;
    for (size_t h = 0; h < s->heads; h++) {
        double without[2];
        output_without(s, h, key, without);
        for (int d = 0; d < 2; d++) {
            double own = s->outputs[2 * h + (size_t)d];
            base[d] += (h == feeling ? without[d] : own) / (double)s->heads;
            if (h == feeling)
                step[d] = (s->values[2 * key + (size_t)d] - without[d]) / (double)s->heads;
        }
    }
    bool within = solve_within(base, step, s, s->range);
    s->has_failure = true;
    s->feeling = feeling;
    if (count == 0 || !within)
        s->failure = within ? 0 : 1;
    else
        s->failure =
            1 - qkv_logit_normal_between(weight_law(s, feeling, key), s->range[0], s->range[1]);
}

/* Nothing is random: c is one point. */
static void find_certain_failure(play_scene *s)
{
    double base[2] = {0}, none[2] = {0};
    for (size_t h = 0; h < s->heads; h++)
        for (size_t d = 0; d < 2; d++) base[d] += s->outputs[2 * h + d] / (double)s->heads;
    s->has_failure = true;
    s->feeling = s->heads;
    s->failure = solve_within(base, none, s, s->range) ? 0 : 1;
}

static bool is_certain(const play_scene *s)
{
    for (size_t i = 0; i < s->keys; i++)
        if (s->stretch[i] != 0) return false;
    return s->alpha == 0;
}

static void find_law(play_scene *s)
{
    size_t noisy = only_noisy(s);
    if (is_certain(s)) find_certain_failure(s);
    if (noisy == s->keys || s->keys < 2) return;
    s->noisy = noisy;
    s->has_law = s->watched == noisy;
    s->law = weight_law(s, s->head, noisy);
    find_failure(s, noisy);
}

/* ---- What JavaScript calls
 * ------------------------------------------------------------------------ */

/* width 0: orthonormal means. watched, head: the weight whose law is kept. */
PAGE_EXPORT("play_set")
bool play_set(size_t keys, size_t width, size_t heads, size_t watched, size_t head)
{
    free_scene(&scene);
    play_single_forget();
    scene = (play_scene){.keys = keys,
                         .width = width == 0 ? keys : width,
                         .orthonormal = width == 0,
                         .heads = heads,
                         .watched = watched,
                         .head = head,
                         .noisy = keys};
    if (watched >= keys || head >= heads) return page_fail("there is no such key or head");
    if (!read_scene(&scene) || !attend(&scene) || !make_sampler(&scene)) return false;
    find_law(&scene);
    return true;
}

/* Leaves weights (heads x keys), outputs (heads x 2) and c. */
PAGE_EXPORT("play_attend") bool play_attend(void)
{
    const play_scene *s = &scene;
    size_t count = s->heads * s->keys + 2 * s->heads;
    double *to = page_results(count + 2);
    if (to == NULL || s->weights == NULL) return page_fail("there is no scene");
    memcpy(to, s->weights, count * sizeof *to);
    for (size_t d = 0; d < 2; d++) {
        to[count + d] = 0;
        for (size_t h = 0; h < s->heads; h++)
            to[count + d] += s->outputs[2 * h + d] / (double)s->heads;
    }
    return true;
}

/* Leaves: whether there is a law, location, scale, mean, variance, modes, the two modes; whether
 * there is an exact failure, it, the head that feels the noise, the range of its weight. */
PAGE_EXPORT("play_law") bool play_law(void)
{
    const play_scene *s = &scene;
    double mode[2] = {0, 0}, *to = page_results(13);
    if (to == NULL) return page_fail("out of memory");
    memset(to, 0, 13 * sizeof *to);
    to[0] = s->has_law;
    to[1] = s->law.location;
    to[2] = s->law.scale;
    if (s->has_law) {
        to[3] = qkv_logit_normal_mean(s->law);
        to[4] = qkv_logit_normal_variance(s->law);
        to[5] = (double)qkv_logit_normal_modes(s->law, mode);
        to[6] = mode[0];
        to[7] = mode[1];
    }
    to[8] = s->has_failure;
    to[9] = s->failure;
    to[10] = (double)s->feeling;
    to[11] = s->range[0];
    to[12] = s->range[1];
    return true;
}

/* Draws so many more samples into the statistics. */
PAGE_EXPORT("play_run") bool play_run(size_t count)
{
    qkv_error error;
    if (sampler == NULL) return page_fail("there is no scene");
    return qkv_lab_sampler_run(sampler, count, &error) == QKV_OK || page_fail(error.message);
}

/* Leaves samples as rows of x, y, squared error and the weight that is watched. */
PAGE_EXPORT("play_draw") bool play_draw(size_t first, size_t count)
{
    qkv_error error;
    double *to = page_results(count * QUANTITIES);
    if (to == NULL || sampler == NULL) return page_fail("there is no scene");
    return qkv_lab_sampler_draw(sampler, first, count, to, &error) == QKV_OK ||
           page_fail(error.message);
}

bool play_histogram(double counts[BINS + 2])
{
    uint64_t whole[BINS + 2];
    qkv_error error;
    if (sampler == NULL || qkv_lab_sampler_histogram(sampler, PLAY_WEIGHT, whole, &error) != QKV_OK)
        return false;
    for (int i = 0; i < BINS + 2; i++) counts[i] = (double)whole[i];
    return true;
}

/* Leaves: samples drawn; mean and variance of x, of y, and of the weight; failures; the interval of
 * their probability; the histogram of the weight. */
PAGE_EXPORT("play_summary") bool play_summary(void)
{
    enum { HEAD = 10 };
    static const int quantities[3] = {PLAY_X, PLAY_Y, PLAY_WEIGHT};
    double *to = page_results(HEAD + BINS + 2);
    if (to == NULL || sampler == NULL) return page_fail("there is no scene");
    uint64_t drawn = qkv_lab_sampler_drawn(sampler), failures = qkv_lab_sampler_event(sampler, 0);
    qkv_lab_interval interval = qkv_lab_probability_interval(failures, drawn, 1e-6);
    to[0] = (double)drawn;
    for (int i = 0; i < 3; i++) {
        qkv_lab_summary summary = qkv_lab_sampler_summary(sampler, (size_t)quantities[i]);
        to[1 + 2 * i] = summary.mean;
        to[2 + 2 * i] = summary.variance;
    }
    to[7] = (double)failures;
    to[8] = interval.low;
    to[9] = interval.high;
    return play_histogram(to + HEAD) || page_fail("there is no histogram");
}
