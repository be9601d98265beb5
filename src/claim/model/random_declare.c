/* Declarations of random keys, and what is known of the parameters that they bring. Knows values
 * and the model; nothing of probabilities. */
#include "claim/model/listed.h"
#include "claim/model/random_declare.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/model/index_set.h"
#include "claim/model/random_number.h"
#include "claim/model/random_parameters.h"
#include "exact/sign.h"
#include "language/law.h"
#include "language/tree.h"

/* ---- Which key ----------------------------------------------------------------------- */

/* One declaration under way: keys k[i] ~ normal(mean, covariance). */
typedef struct draw {
    qkv__model *model;
    qkv__drawn law;
    const char *family, *index;
    const qkv__node *mean, *covariance;
    qkv__index_set *set;      /* NULL: a vector by itself */
    const qkv__family *noise; /* in every direction; NULL: none yet */
    qkv__failure *failure;
    const qkv__node **culprit;
} draw;

static bool fail(draw *d, const qkv__node *culprit, qkv__trouble trouble, const char *message)
{
    *d->culprit = culprit;
    return qkv__fail_value(d->failure, trouble, "%s", message);
}

/* Over which indexes: as written, as those of the means, or as all others in the problem. */
static bool find_set(draw *d, const qkv__node *target)
{
    const qkv__node *range = d->law.range;
    const qkv__node *base = d->index == NULL ? NULL : qkv__law_indexed_by(d->mean, d->index);
    const qkv__binding *means = base == NULL || base->kind != QKV__NODE_NAME
                                    ? NULL
                                    : qkv__model_find(d->model, NULL, base->text);
    const qkv__binding *old = qkv__model_find(d->model, NULL, d->family);
    bool known = means != NULL && means->value.kind == QKV__VALUE_VECTORS;
    if (base != NULL && !known)
        return fail(d, d->mean, QKV__TROUBLE_TEXT,
                    "expected a mean with the same index, such as mu[i]");
    if (range == NULL && known) return d->set = means->value.vectors->set, true;
    if (range == NULL && old != NULL && old->value.kind == QKV__VALUE_VECTORS)
        return d->set = old->value.vectors->set, true; /* k[a] ~ normal(0, I), after all others */
    if (range == NULL) range = qkv__law_common_range(d->model->statements);
    if (range == NULL)
        return fail(d, target, QKV__TROUBLE_TEXT,
                    "expected the indexes: keys k[1..n] ~ normal(0, I)");
    *d->culprit = range;
    d->set = qkv__set_of_range(d->model, range, true, d->failure);
    if (d->set != NULL && known && means->value.vectors->set != d->set)
        return fail(d, range, QKV__TROUBLE_TEXT, "the means have other indexes than the keys");
    return d->set != NULL;
}

static bool read_declaration(draw *d, const qkv__node *declaration)
{
    assert(declaration->kind == QKV__NODE_COMPARE);
    const qkv__node *target = declaration->child[0], *call = declaration->child[1];
    bool indexed =
        target->kind == QKV__NODE_INDEX && target->count >= 2 && target->count <= 3 &&
        (target->child[1]->kind == QKV__NODE_NAME || target->child[1]->kind == QKV__NODE_RANGE);
    if (!indexed && target->kind != QKV__NODE_NAME)
        return fail(d, target, QKV__TROUBLE_TEXT, "expected k[i], k[1..n] or a picked index");
    if (!qkv__law_read(declaration, &d->law) || d->law.kind != QKV__LAW_NORMAL)
        return fail(d, call, QKV__TROUBLE_TEXT, "expected normal(mean, covariance)");
    d->family = d->law.name;
    d->index = d->law.index == NULL ? NULL : d->law.index->text;
    d->mean = d->law.value[0];
    d->covariance = d->law.value[1];
    return d->law.single || find_set(d, target);
}

/* ---- One key ------------------------------------------------------------------------- */

static int add_chance(draw *d, const char *kind, int member, qkv__rational mean,
                      qkv__ratio variance)
{
    const char *mark = d->set == NULL ? d->family : d->set->mark[member];
    qkv__model *model = d->model;
    char name[96];
    snprintf(name, sizeof name, "%s[%.64s]", kind, mark);
    if (qkv__parameter_find(&model->algebra, name) >= 0) /* another family, or a second part */
        snprintf(name, sizeof name, "%s[%.64s] %zu", kind, mark, model->chance_count);
    int parameter = qkv__parameter_add(&model->algebra, name);
    if (parameter < 0 || model->chance_count == QKV__CHANCES) return -1;
    model->chance[model->chance_count++] =
        (qkv__chance){.parameter = parameter,
                      .mean = qkv__ratio_constant(&model->algebra, mean),
                      .variance = variance};
    return parameter;
}

/* x = multiple * y, for vectors that are not zero. */
static bool is_multiple(qkv__space *space, const qkv__vector *x, const qkv__vector *y,
                        qkv__ratio *multiple)
{
    if (x->count == 0 || x->count != y->count) return false;
    *multiple = qkv__ratio_divide(space->algebra, x->component[0].factor, y->component[0].factor);
    return qkv__vector_equal(space, x, qkv__vector_scale(space, y, *multiple));
}

/* Noise along a direction: eps*mean where it is that of the mean, else mean + noise*direction. */
static bool add_direction(draw *d, int member, const qkv__vector *mean, const qkv__outer *outer,
                          const qkv__vector **key)
{
    qkv__space *space = &d->model->space;
    qkv__algebra *algebra = space->algebra;
    qkv__ratio multiple;
    if (!is_multiple(space, outer->left, outer->right, &multiple))
        return fail(d, d->covariance, QKV__TROUBLE_TEXT,
                    "a covariance is a sum of alpha*I and terms s*x*x'");
    if (member == QKV__GENERIC)
        return fail(d, d->covariance, QKV__TROUBLE_UNABLE,
                    "noise of its own along the mean for every key: pick the keys");
    bool along = qkv__vector_equal(space, outer->right, mean);
    qkv__ratio variance = qkv__ratio_multiply(algebra, outer->factor, multiple);
    if (!qkv__random_is_not_negative(algebra, variance))
        return fail(d, d->covariance, QKV__TROUBLE_UNABLE,
                    "a term s*x*x' of a covariance must not be negative: given s >= 0");
    int parameter = add_chance(d, along ? "eps" : "noise", member,
                               qkv__rational_whole(along ? 1 : 0), variance);
    if (parameter < 0)
        return fail(d, d->covariance, QKV__TROUBLE_UNABLE, "too many random numbers");
    qkv__ratio number = qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, parameter));
    if (along) number = qkv__ratio_subtract(algebra, number, qkv__ratio_whole(algebra, 1));
    *key = qkv__vector_add(space, *key, qkv__vector_scale(space, outer->right, number));
    return *key != NULL;
}

/* The standard noise in every direction, one vector for each key of the family: of this declaration
 * alone, since what was said before it speaks of other keys. No document can spell its name. */
static const qkv__family *noise_family(draw *d)
{
    qkv__space *space = &d->model->space;
    if (d->noise != NULL) return d->noise;
    char name[48];
    snprintf(name, sizeof name, "noise %zu", space->family_count);
    char *kept = qkv__arena_text(&space->algebra->arena, name, strlen(name));
    qkv__family *family = kept == NULL ? NULL : qkv__family_add(space, kept, d->set);
    if (family != NULL) family->noise = true;
    return d->noise = family;
}

/* Remembers how wide noise in every direction is, and by which parameters. */
static void keep_scale(qkv__model *model, qkv__ratio scale)
{
    qkv__algebra *algebra = &model->algebra;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (qkv__ratio_depends_on(scale, p)) model->noise |= (qkv__parameter_set)1 << p;
    for (size_t i = 0; i < model->scale_count && i < QKV__CHANCES; i++)
        if (qkv__ratio_equal(algebra, model->scale[i], scale)) return;
    if (model->scale_count < QKV__CHANCES) model->scale[model->scale_count] = scale;
    model->scale_count++;
}

/* A root of the variance, of either sign: noise has the same law as its opposite. */
static qkv__ratio deviation_of(qkv__algebra *algebra, qkv__ratio variance)
{
    qkv__rational below;
    if (qkv__ratio_is_lost(variance) || variance.numerator->count != 1 ||
        !qkv__form_is_constant(variance.denominator, &below))
        return qkv__ratio_root(algebra, variance);
    qkv__term rest = variance.numerator->term[0];
    qkv__term square = {.coefficient = qkv__rational_whole(1)};
    for (int p = 0; p < (int)algebra->parameter_count; p++) {
        if (rest.power[p] <= 0 || rest.power[p] % 4 != 0) continue;
        square.power[p] = (int16_t)(rest.power[p] / 2);
        rest.power[p] = 0;
    }
    rest.coefficient = qkv__rational_divide(rest.coefficient, below);
    qkv__ratio root =
        qkv__ratio_of_form(algebra, qkv__form_root(algebra, qkv__form_term(algebra, &rest)));
    return qkv__ratio_multiply(algebra, root,
                               qkv__ratio_of_form(algebra, qkv__form_term(algebra, &square)));
}

static bool add_noise(draw *d, int member, qkv__ratio scale, const qkv__vector **key)
{
    qkv__space *space = &d->model->space;
    keep_scale(d->model, scale);
    if (d->model->still) return true;
    qkv__ratio root = deviation_of(space->algebra, scale);
    const qkv__family *family = noise_family(d);
    if (family == NULL) return fail(d, d->covariance, QKV__TROUBLE_UNABLE, "too many families");
    if (qkv__ratio_is_lost(root))
        return fail(d, d->covariance, QKV__TROUBLE_UNABLE,
                    "the factor of I must not be negative, and one product: alpha*I, s^2*I; where "
                    "its sign is open, say it: given alpha >= 0");
    *key = qkv__vector_add(
        space, *key, qkv__vector_scale(space, qkv__vector_symbol(space, family, member), root));
    return *key != NULL;
}

static bool is_zero(const qkv__node *node)
{
    return node->kind == QKV__NODE_NUMBER && qkv__rational_is_zero(node->value);
}

/* alpha*I, or alpha alone: a letter of which nothing is known is not negative here, since there
 * is no such law otherwise. */
static void give_sign(draw *d)
{
    const qkv__node *factor = d->covariance;
    if (factor->kind == QKV__NODE_MULTIPLY && qkv__node_is(factor->child[1], "I"))
        factor = factor->child[0];
    qkv__random_give_not_negative(d->model, factor);
}

/* Whether the law of a key depends on what is drawn elsewhere. */
static bool is_drawn(const qkv__model *model, const qkv__vector *mean,
                     const qkv__matrix_sum *covariance)
{
    bool drawn = qkv__random_is_noisy(mean) || qkv__random_touches(model, covariance->identity);
    for (size_t i = 0; mean != NULL && i < mean->count; i++)
        drawn = drawn || qkv__random_touches(model, mean->component[i].factor);
    for (size_t i = 0; i < covariance->count; i++)
        drawn = drawn || qkv__random_touches(model, covariance->outer[i].factor) ||
                qkv__random_is_noisy(covariance->outer[i].left) ||
                qkv__random_is_noisy(covariance->outer[i].right);
    return drawn;
}

static bool draw_key(draw *d, int member, const qkv__vector **key)
{
    assert(d->set == NULL || member == QKV__GENERIC || (size_t)member < d->set->mark_count);
    qkv__binding local = {0};
    const qkv__binding *locals = NULL;
    qkv__value mean, covariance;
    const qkv__vector *centre;
    if (d->index != NULL) {
        local = qkv__index_binding(d->index, d->set, member, NULL);
        locals = &local;
    }
    give_sign(d);
    if (!qkv__model_evaluate(d->model, d->mean, locals, &mean, d->failure, d->culprit) ||
        !qkv__model_evaluate(d->model, d->covariance, locals, &covariance, d->failure, d->culprit))
        return false;
    if (!qkv__model_as_vector(d->model, &mean, d->failure)) return false;
    if (is_zero(d->mean))
        centre = qkv__vector_zero(&d->model->space);
    else if (!qkv__value_as_vector(&mean, &centre))
        return fail(d, d->mean, QKV__TROUBLE_TEXT, "a mean is a vector, or 0");
    if (covariance.kind != QKV__VALUE_MATRIX)
        return fail(d, d->covariance, QKV__TROUBLE_TEXT,
                    "a covariance is a matrix: alpha*I, alpha*I + s*mu[i]*mu[i]'");
    const qkv__matrix_sum *matrix = covariance.matrix;
    if (is_drawn(d->model, centre, matrix))
        return fail(d, d->mean, QKV__TROUBLE_UNABLE,
                    "a law whose mean or covariance is random itself");
    *key = centre;
    for (size_t i = 0; i < matrix->count; i++)
        if (!add_direction(d, member, centre, &matrix->outer[i], key)) return false;
    return qkv__ratio_is_zero(matrix->identity) || add_noise(d, member, matrix->identity, key);
}

/* ---- The family ---------------------------------------------------------------------- */

/* Keys whose law is not understood are not those that were declared before; false. */
static bool forget(draw *d, const qkv__node *declaration)
{
    const qkv__node *target = declaration->child[0];
    while (target->kind != QKV__NODE_NAME && target->count > 0) target = target->child[0];
    if (target->kind == QKV__NODE_NAME)
        qkv__model_bind(d->model, (qkv__binding){.name = target->text,
                                                 .beyond = "keys whose law is not understood"});
    return false;
}

/* vector q ~ normal(0, I) */
static bool declare_vector(draw *d, const qkv__node *declaration)
{
    const qkv__vector *vector = NULL;
    if (!draw_key(d, 0, &vector)) return forget(d, declaration);
    return qkv__model_bind(d->model,
                           (qkv__binding){.name = d->family, .value = qkv__value_vector(vector)});
}

static bool declare_keys(draw *d, const qkv__node *declaration)
{
    assert(d->set != NULL);
    qkv__model *model = d->model;
    qkv__arena *arena = &model->algebra.arena;
    const qkv__binding *old = qkv__model_find(model, NULL, d->family);
    int only = d->index == NULL ? -1 : qkv__mark_find(d->set, d->index);
    bool known =
        old != NULL && old->value.kind == QKV__VALUE_VECTORS && old->value.vectors->set == d->set;
    if (only >= 0 && !known)
        return fail(d, declaration->child[0], QKV__TROUBLE_TEXT,
                    "declare all keys first: keys k[i] ~ normal(mu[i], ...)");
    qkv__vectors *vectors = qkv__arena_take(arena, sizeof *vectors);
    const qkv__vector **mark = qkv__arena_array(arena, d->set->mark_count, sizeof *mark);
    if (vectors == NULL || mark == NULL)
        return fail(d, declaration, QKV__TROUBLE_UNABLE, "out of memory");
    *vectors = (qkv__vectors){.set = d->set, .mark = mark};
    if (known) {
        memcpy(mark, old->value.vectors->mark, d->set->mark_count * sizeof *mark);
        vectors->generic = old->value.vectors->generic;
    }
    for (int i = 0; i < (int)d->set->mark_count; i++)
        if ((only < 0 || i == only) && !draw_key(d, i, &mark[i])) return forget(d, declaration);
    bool rest = !qkv__ratio_is_zero(qkv__rest_size(&model->algebra, d->set));
    if (only < 0 && rest && !draw_key(d, QKV__GENERIC, &vectors->generic))
        return forget(d, declaration);
    return qkv__model_bind(
        model, (qkv__binding){.name = d->family,
                              .value = {.kind = QKV__VALUE_VECTORS, .vectors = vectors}});
}

bool qkv__random_declare(qkv__model *model, const qkv__node *declaration, qkv__failure *failure,
                         const qkv__node **culprit)
{
    assert(declaration->kind == QKV__NODE_COMPARE);
    draw d = {.model = model, .failure = failure, .culprit = culprit};
    if (!read_declaration(&d, declaration)) return forget(&d, declaration);
    return d.law.single ? declare_vector(&d, declaration) : declare_keys(&d, declaration);
}

bool qkv__random_is_declared(const qkv__statement *first)
{
    for (const qkv__statement *s = first; s != NULL; s = qkv__statement_after(s)) {
        if (s->kind == QKV__STATEMENT_FAMILY && s->node[0]->kind == QKV__NODE_COMPARE &&
            s->node[0]->comparison == QKV__DISTRIBUTED)
            return true;
    }
    return false;
}
