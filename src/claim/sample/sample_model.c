/* A document's random keys at numbers as a model of the lab's: how many, in how many dimensions,
 * around which means, with which noise. Knows declarations and exact values; draws nothing. */
#include "claim/model/random_parameters.h"
#include "claim/sample/sample_part.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ball/enclosure.h"
#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "language/law.h"
#include "language/tree.h"

enum { ENTRIES_AT_MOST = 1 << 22 }; /* of the matrix of means, and of a covariance */

bool qkv__sample_fail(qkv__sample *sample, const char *format, ...)
{
    if (sample->trouble[0] != '\0') return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sample->trouble, sizeof sample->trouble, format, arguments);
    va_end(arguments);
    return false;
}

static bool out_of_memory(qkv__sample *sample)
{
    return qkv__sample_fail(sample, "out of memory");
}

static void *take(qkv__sample *sample, size_t count, size_t size)
{
    void *taken = qkv__arena_array(&sample->arena, count, size);
    if (taken == NULL) out_of_memory(sample);
    return taken;
}

/* ---- Numbers ------------------------------------------------------------------------------- */

/* Names the parameter that keeps a ratio from being a number. */
static bool fail_free(qkv__sample *sample, qkv__ratio ratio)
{
    const qkv__algebra *algebra = &sample->s->model->algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (algebra->parameter[p].prime == 0 && qkv__ratio_depends_on(ratio, p))
            return qkv__sample_fail(sample, "sampling needs a number for %s: at %s = ...",
                                    algebra->parameter[p].name, algebra->parameter[p].name);
    return qkv__sample_fail(sample, "a number too large to sample with");
}

bool qkv__sample_number(qkv__sample *sample, qkv__ratio ratio, double *number)
{
    qkv__model *model = sample->s->model;
    qkv__rational exact;
    qkv__box box;
    qkv__enclosure enclosure;
    if (qkv__ratio_is_lost(ratio))
        return qkv__sample_fail(sample, "a number outgrows the exact engine");
    ratio = qkv__situation_apply(sample->s, ratio);
    if (qkv__ratio_is_lost(ratio))
        return qkv__sample_fail(sample, "a number outgrows the exact engine");
    if (qkv__ratio_is_constant(ratio, &exact))
        return *number = qkv__rational_approximate(exact), true;
    if (qkv__random_touches(model, ratio))
        return qkv__sample_fail(sample, "expected a number that is not random");
    for (int p = 0; p < (int)model->algebra.parameter_count; p++)
        if (model->algebra.parameter[p].prime == 0 && qkv__ratio_depends_on(ratio, p))
            return fail_free(sample, ratio);
    if (!qkv__box_of_algebra(&model->algebra, &box) ||
        !qkv__ball_enclose(&model->algebra, ratio, &box, &enclosure) || !enclosure.known)
        return fail_free(sample, ratio);
    *number = 0.5 * (enclosure.lower + enclosure.upper);
    return enclosure.upper - enclosure.lower <= 1e-12 * (1.0 + fabs(*number)) ||
           fail_free(sample, ratio);
}

bool qkv__sample_coefficients(qkv__sample *sample, const qkv__vector *vector,
                              const qkv__family *family, ptrdiff_t own, double *coefficients)
{
    size_t marks = sample->keys->set->mark_count;
    for (size_t i = 0; vector != NULL && i < vector->count; i++) {
        qkv__symbol symbol = vector->component[i].symbol;
        double factor = 0.0;
        if (symbol.family != family)
            return qkv__sample_fail(sample, "a vector that is not a combination of %s[i]",
                                    family->name);
        if (!qkv__sample_number(sample, vector->component[i].factor, &factor)) return false;
        if (symbol.member >= 0) {
            coefficients[symbol.member] += factor;
        } else if (symbol.member == QKV__GENERIC) {
            if (own < 0) return qkv__sample_fail(sample, "a vector with an unnamed index in it");
            coefficients[own] += factor;
        } else {
            for (size_t k = marks; k < sample->count; k++) coefficients[k] += factor;
        }
    }
    return vector != NULL || qkv__sample_fail(sample, "a vector outgrows the exact engine");
}

/* ---- Sizes --------------------------------------------------------------------------------- */

const char *qkv__sample_stranger(const qkv__statement *first)
{
    qkv__drawn law;
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s))
        if (s->kind == QKV__STATEMENT_FAMILY && qkv__law_read(s->node[0], &law) &&
            (law.single || law.index == NULL ||
             qkv__law_indexed_by(law.value[0], law.index->text) == NULL))
            return law.name;
    return NULL;
}

/* The family of the keys that are random: the one that is declared so, if it is the only one. */
static bool find_family(qkv__sample *sample)
{
    const qkv__statement *first = sample->s->model->statements;
    const char *stranger = qkv__sample_stranger(first);
    if (stranger != NULL)
        return qkv__sample_fail(sample, "only keys around means are sampled, not %s", stranger);
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind != QKV__STATEMENT_FAMILY || s->node[0]->kind != QKV__NODE_COMPARE ||
            s->node[0]->comparison != QKV__DISTRIBUTED ||
            s->node[0]->child[0]->kind != QKV__NODE_INDEX) /* keys m ~ ..., a mistake by itself */
            continue;
        const char *name = s->node[0]->child[0]->child[0]->text;
        if (sample->family != NULL && strcmp(sample->family, name) != 0)
            return qkv__sample_fail(sample, "there are two families of random keys, %s and %s",
                                    sample->family, name);
        sample->family = name;
    }
    const qkv__binding *binding =
        sample->family == NULL ? NULL : qkv__model_find(sample->s->model, NULL, sample->family);
    if (binding == NULL || binding->value.kind != QKV__VALUE_VECTORS)
        return qkv__sample_fail(sample, "no keys are random");
    sample->keys = binding->value.vectors;
    return true;
}

static bool read_count(qkv__sample *sample)
{
    double count;
    if (!qkv__sample_number(sample, sample->keys->set->size, &count)) return false;
    if (count != floor(count) || count < 1.0 || count > QKV__SAMPLE_KEYS)
        return qkv__sample_fail(sample, "%g keys: expected a whole number from 1 to %d", count,
                                QKV__SAMPLE_KEYS);
    sample->count = (size_t)count;
    if (sample->count < sample->keys->set->mark_count)
        return qkv__sample_fail(sample, "%zu keys, of which %zu are picked", sample->count,
                                sample->keys->set->mark_count);
    return true;
}

/* The expression behind `dimension` where the family is declared; NULL: none. */
static const qkv__node *dimension_of(const qkv__sample *sample)
{
    const qkv__statement *first = sample->s->model->statements;
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s)) {
        bool names = false;
        for (size_t i = 0; s->kind == QKV__STATEMENT_FAMILY && i < s->count; i++) {
            const qkv__node *node = s->node[i];
            if (node->kind == QKV__NODE_INDEX && node->child[0]->kind == QKV__NODE_NAME)
                names = names || strcmp(node->child[0]->text, sample->means->name) == 0;
            if (names && node->kind == QKV__NODE_CALL && strcmp(node->text, "dimension") == 0 &&
                node->count == 1)
                return node->child[0];
        }
    }
    return NULL;
}

/* d, where the document says it and it is a number here. Scores are the same for every d, so that
 * else n does, as few dimensions as there can be. */
static bool read_width(qkv__sample *sample)
{
    const qkv__node *node = dimension_of(sample), *culprit;
    qkv__value value;
    qkv__failure failure = {0};
    qkv__ratio ratio;
    double width = (double)sample->count;
    sample->has_width =
        node != NULL &&
        qkv__model_evaluate(sample->s->model, node, NULL, &value, &failure, &culprit) &&
        qkv__value_as_ratio(&value, &ratio) && qkv__sample_number(sample, ratio, &width);
    if (!sample->has_width) {
        sample->trouble[0] = '\0';
        width = (double)sample->count;
    }
    if (width != floor(width) || width * (double)sample->count > ENTRIES_AT_MOST)
        return qkv__sample_fail(sample,
                                "%g dimensions: expected a whole number, and at most %d "
                                "entries of all keys together",
                                width, ENTRIES_AT_MOST);
    if (width < (double)sample->count)
        return qkv__sample_fail(sample, "%zu means cannot be independent in %g dimensions",
                                sample->count, width);
    sample->width = (size_t)width;
    return true;
}

/* ---- Means --------------------------------------------------------------------------------- */

static const qkv__vector *key_vector(const qkv__sample *sample, size_t key)
{
    return key < sample->keys->set->mark_count ? sample->keys->mark[key] : sample->keys->generic;
}

/* The family that keys are made of, beside their noise. */
static bool find_means(qkv__sample *sample)
{
    for (size_t key = 0; key < sample->count && sample->means == NULL; key++) {
        const qkv__vector *vector = key_vector(sample, key);
        for (size_t i = 0; vector != NULL && i < vector->count; i++)
            if (!vector->component[i].symbol.family->noise)
                sample->means = vector->component[i].symbol.family;
    }
    if (sample->means == NULL || sample->means->set != sample->keys->set ||
        sample->means->gram != QKV__GRAM_UNIFORM)
        return qkv__sample_fail(sample, "means with unknown inner products");
    return true;
}

/* Coordinates for vectors with squares `same` and products `different`: p at its own place and q
 * everywhere, p^2 = same - different and 2 p q + n q^2 = different. */
static bool read_shape(qkv__sample *sample)
{
    double same, different, n = (double)sample->count;
    if (!qkv__sample_number(sample, sample->means->same, &same) ||
        !qkv__sample_number(sample, sample->means->different, &different))
        return false;
    double p = sqrt(same - different), inside = same - different + n * different;
    if (!(same - different >= 0.0) || inside < 0.0)
        return qkv__sample_fail(sample, "means with such inner products do not exist");
    sample->shape[0] = p;
    sample->shape[1] = different == 0.0 ? 0.0 : (sqrt(inside) - p) / n;
    return true;
}

/* Coefficients on the means to coordinates. */
static void place(const qkv__sample *sample, const double *coefficients, double *coordinates)
{
    double sum = 0.0;
    for (size_t i = 0; i < sample->count; i++) sum += coefficients[i];
    for (size_t i = 0; i < sample->width; i++)
        coordinates[i] =
            i < sample->count ? sample->shape[0] * coefficients[i] + sample->shape[1] * sum : 0.0;
}

/* ---- Noise --------------------------------------------------------------------------------- */

/* A key taken apart: coefficients of its mean and of the directions of its normal numbers. */
typedef struct apart {
    double alpha;
    size_t count;
    double *direction[QKV__CHANCES]; /* d coordinates */
    double variance[QKV__CHANCES];
} apart;

/* The normal parameters of a key become their means; what they are multiplied by is kept. */
static bool split_chance(qkv__sample *sample, size_t key, const qkv__chance *chance,
                         const qkv__vector **vector, double *slopes, bool *met)
{
    qkv__space *space = &sample->s->model->space;
    qkv__algebra *algebra = space->algebra;
    const qkv__form *zero = qkv__form_whole(algebra, 0), *one = qkv__form_whole(algebra, 1);
    const qkv__vector *at_mean = qkv__vector_zero(space), *slope = at_mean;
    qkv__ratio alone = qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, chance->parameter));
    *met = false;
    for (size_t i = 0; i < (*vector)->count; i++) {
        const qkv__component *c = &(*vector)->component[i];
        bool depends = qkv__ratio_depends_on(c->factor, chance->parameter);
        qkv__ratio base = qkv__ratio_substitute(algebra, c->factor, chance->parameter, zero);
        qkv__ratio rise = qkv__ratio_subtract(
            algebra, qkv__ratio_substitute(algebra, c->factor, chance->parameter, one), base);
        qkv__ratio line = qkv__ratio_add(algebra, base, qkv__ratio_multiply(algebra, rise, alone));
        if (depends && !qkv__ratio_equal(algebra, c->factor, line))
            return qkv__sample_fail(sample, "a key that is not linear in its noise");
        const qkv__vector *symbol = qkv__vector_symbol(space, c->symbol.family, c->symbol.member);
        qkv__ratio mean = depends ? qkv__ratio_add(algebra, base,
                                                   qkv__ratio_multiply(algebra, rise, chance->mean))
                                  : c->factor;
        at_mean = qkv__vector_add(space, at_mean, qkv__vector_scale(space, symbol, mean));
        if (depends) slope = qkv__vector_add(space, slope, qkv__vector_scale(space, symbol, rise));
        *met = *met || depends;
    }
    if (*met) *vector = at_mean;
    return at_mean != NULL && (!*met || qkv__sample_coefficients(sample, slope, sample->means,
                                                                 (ptrdiff_t)key, slopes));
}

/* The noise in every direction is taken off a key; it must be the key's own. */
static bool split_noise(qkv__sample *sample, size_t key, const qkv__vector **vector, double *alpha)
{
    qkv__space *space = &sample->s->model->space;
    const qkv__vector *rest = qkv__vector_zero(space);
    int member = key < sample->keys->set->mark_count ? (int)key : QKV__GENERIC;
    *alpha = 0.0;
    for (size_t i = 0; i < (*vector)->count; i++) {
        const qkv__component *c = &(*vector)->component[i];
        double square; /* the factor itself, a root, may be no number of the exact engine's */
        if (!c->symbol.family->noise) {
            rest = qkv__vector_add(
                space, rest,
                qkv__vector_scale(space,
                                  qkv__vector_symbol(space, c->symbol.family, c->symbol.member),
                                  c->factor));
            continue;
        }
        if (c->symbol.member != member || *alpha != 0.0)
            return qkv__sample_fail(sample, "keys that share their noise");
        if (!qkv__sample_number(sample, qkv__ratio_multiply(space->algebra, c->factor, c->factor),
                                &square))
            return false;
        *alpha = square;
    }
    *vector = rest;
    return rest != NULL;
}

/* Sigma = alpha I + sum of variance * direction direction'. */
static bool set_covariance(qkv__sample *sample, const apart *a, qkv_lab_noise *noise)
{
    size_t d = sample->width;
    double *entries = d * d > ENTRIES_AT_MOST ? NULL : take(sample, d * d, sizeof *entries);
    if (entries == NULL) return qkv__sample_fail(sample, "a covariance too large to sample");
    for (size_t i = 0; i < d; i++) entries[i * d + i] = a->alpha;
    for (size_t k = 0; k < a->count; k++)
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++)
                entries[i * d + j] += a->variance[k] * a->direction[k][i] * a->direction[k][j];
    *noise = (qkv_lab_noise){.kind = QKV_LAB_NOISE_MATRIX, .entries = entries};
    return true;
}

/* Whether x = factor * y. */
static bool is_along(const double *x, const double *y, size_t count, double *factor)
{
    size_t largest = 0;
    for (size_t i = 1; i < count; i++)
        if (fabs(y[i]) > fabs(y[largest])) largest = i;
    if (y[largest] == 0.0) return false;
    *factor = x[largest] / y[largest];
    for (size_t i = 0; i < count; i++)
        if (x[i] != *factor * y[i]) return false;
    return true;
}

static bool set_noise(qkv__sample *sample, size_t key, const apart *a)
{
    qkv_lab_noise *noise = &sample->noise[key];
    double factor, stretch = 0.0;
    for (size_t i = 0; i < a->count; i++) {
        if (!is_along(a->direction[i], sample->centre + key * sample->width, sample->width,
                      &factor))
            return set_covariance(sample, a, noise);
        stretch += a->variance[i] * factor * factor;
    }
    *noise = (qkv_lab_noise){.alpha = a->alpha, .stretch = stretch};
    return true;
}

static bool read_key(qkv__sample *sample, size_t key, size_t owner[QKV__CHANCES])
{
    qkv__model *model = sample->s->model;
    const qkv__vector *vector = key_vector(sample, key);
    apart a = {.count = 0};
    double *coefficients = take(sample, sample->count, sizeof *coefficients);
    if (vector == NULL || coefficients == NULL || !split_noise(sample, key, &vector, &a.alpha))
        return qkv__sample_fail(sample, "an unknown key");
    for (size_t i = 0; i < model->chance_count; i++) {
        bool met;
        double *slopes = take(sample, sample->count, sizeof *slopes);
        double *direction = take(sample, sample->width, sizeof *direction);
        if (slopes == NULL || direction == NULL ||
            !split_chance(sample, key, &model->chance[i], &vector, slopes, &met))
            return qkv__sample_fail(sample, "an unknown key");
        if (!met) continue;
        if (model->chance[i].law != QKV__LAW_NORMAL)
            return qkv__sample_fail(sample, "a key with noise that is not normal");
        if (owner[i] != 0) return qkv__sample_fail(sample, "keys that share their noise");
        owner[i] = key + 1;
        place(sample, slopes, direction);
        a.direction[a.count] = direction;
        if (!qkv__sample_number(sample, model->chance[i].variance, &a.variance[a.count++]))
            return false;
    }
    if (!qkv__sample_coefficients(sample, vector, sample->means, (ptrdiff_t)key, coefficients))
        return false;
    double *centre = sample->centre + key * sample->width;
    place(sample, coefficients, centre);
    for (size_t i = 0; i < sample->width; i++)
        sample->axes = sample->axes && centre[i] == (i == key ? 1.0 : 0.0);
    return set_noise(sample, key, &a);
}

/* ---- The problem --------------------------------------------------------------------------- */

bool qkv__sample_begin(qkv__sample *sample, qkv__situation *s, int line)
{
    size_t owner[QKV__CHANCES] = {0};
    *sample = (qkv__sample){.s = s, .line = line, .locals = s->locals, .given = -1, .axes = true};
    if (s->limit_count > 0) return qkv__sample_fail(sample, "a limit cannot be sampled");
    if (!find_family(sample) || !read_count(sample) || !find_means(sample) || !read_width(sample) ||
        !read_shape(sample))
        return false;
    sample->centre = take(sample, sample->count * sample->width, sizeof *sample->centre);
    sample->noise = take(sample, sample->count, sizeof *sample->noise);
    sample->estimate = take(sample, QKV__SAMPLE_ESTIMATES, sizeof *sample->estimate);
    if (sample->centre == NULL || sample->noise == NULL || sample->estimate == NULL) return false;
    for (size_t key = 0; key < sample->count; key++)
        if (!read_key(sample, key, owner)) return false;
    return true;
}

void qkv__sample_end(qkv__sample *sample)
{
    qkv__arena_free(&sample->arena);
}

int qkv__sample_head(qkv__sample *sample, const qkv__vector *query, double scale)
{
    double *coefficients = take(sample, sample->count, sizeof *coefficients);
    double *coordinates = take(sample, sample->width, sizeof *coordinates);
    if (coefficients == NULL || coordinates == NULL ||
        !qkv__sample_coefficients(sample, query, sample->means, -1, coefficients))
        return -1;
    for (size_t i = 0; i < sample->count; i++) coefficients[i] *= scale;
    place(sample, coefficients, coordinates);
    for (size_t h = 0; h < sample->head_count; h++)
        if (memcmp(sample->query[h], coordinates, sample->width * sizeof *coordinates) == 0)
            return (int)h;
    if (sample->head_count == QKV__SAMPLE_HEADS)
        return qkv__sample_fail(sample, "more than %d queries", QKV__SAMPLE_HEADS), -1;
    sample->query[sample->head_count] = coordinates;
    return (int)sample->head_count++;
}

bool qkv__sample_member(qkv__sample *sample, const qkv__node *node, size_t *key)
{
    qkv__failure failure = {0};
    const qkv__node *culprit = node;
    qkv__evaluation e = {.model = sample->s->model,
                         .locals = sample->locals,
                         .failure = &failure,
                         .culprit = &culprit};
    int member;
    if (node->kind == QKV__NODE_NAME)
        for (const qkv__sample_index *i = sample->indices; i != NULL; i = i->next)
            if (strcmp(i->name, node->text) == 0) return *key = i->key, true;
    if (!qkv__evaluate_index(&e, node, sample->keys->set, &member))
        return qkv__sample_fail(sample, "%s", failure.message);
    *key = member >= 0 ? (size_t)member : sample->keys->set->mark_count; /* one of the rest */
    return *key < sample->count || qkv__sample_fail(sample, "there is no other key");
}

bool qkv__sample_key(qkv__sample *sample, const qkv__node *node, size_t *key)
{
    return node->kind == QKV__NODE_INDEX && node->count == 2 &&
           qkv__node_is(node->child[0], sample->family) &&
           qkv__sample_member(sample, node->child[1], key);
}

qkv_lab_sampler *qkv__sample_lab(qkv__sample *sample, uint64_t seed)
{
    qkv_lab_model model = qkv_lab_model_default();
    qkv_lab_options options = qkv_lab_options_default();
    qkv_lab_sampler *sampler = NULL;
    qkv_error error;
    size_t heads = sample->head_count == 0 ? 1 : sample->head_count;
    double *queries = take(sample, heads * sample->width, sizeof *queries);
    if (queries == NULL) return NULL;
    for (size_t h = 0; h < sample->head_count; h++)
        memcpy(queries + h * sample->width, sample->query[h], sample->width * sizeof *queries);
    model.keys = sample->count;
    model.width = sample->width;
    model.means = sample->axes ? NULL : sample->centre;
    model.noises = sample->noise;
    model.heads = heads;
    model.queries = queries;
    options.seed = seed;
    options.threads = 1;
    options.full_keys = sample->full_keys;
    options.quantities = sample->quantity;
    options.quantity_count = sample->quantity_count;
    options.no_covariance = true;
    if (qkv_lab_sampler_create(&model, &options, &sampler, &error) != QKV_OK)
        qkv__sample_fail(sample, "%.160s", error.message);
    return sampler;
}
