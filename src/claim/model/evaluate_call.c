/* Calls: attention, elementary functions, and functions that the document defines. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/derivative.h"
#include "claim/model/evaluate.h"
#include "claim/model/family.h"
#include "claim/model/index_set.h"
#include "claim/model/random_declare.h"
#include "claim/model/suggest.h"
#include "exact/sign.h"
#include "language/builtin.h"

enum { CALL_DEPTH = 32 };

/* ---- Elementary functions -------------------------------------------------------------------- */

bool qkv__evaluate_exponential(qkv__evaluation *e, const qkv__node *node,
                               const qkv__value *exponent, qkv__value *value)
{
    qkv__ratio power;
    if (exponent->kind != QKV__VALUE_SCALAR)
        return qkv__evaluation_misread(e, node, "e to the power of %s",
                                       qkv__value_kind_name(exponent->kind));
    if (!qkv__value_as_ratio(exponent, &power))
        return qkv__evaluation_unable(e, node,
                                      "e to the power of a norm is beyond the exact engine");
    qkv__ratio result = qkv__ratio_exponential(&e->model->algebra, power);
    if (qkv__ratio_is_lost(result))
        return qkv__evaluation_unable(e, node,
                                      "an exponent with exponentials or quotients in it is beyond "
                                      "the exact engine");
    *value = qkv__value_scalar(&e->model->space, result);
    return true;
}

static bool evaluate_logarithm(qkv__evaluation *e, const qkv__node *node, const qkv__value *x,
                               qkv__value *value)
{
    qkv__ratio ratio;
    qkv__rational number;
    if (!qkv__value_as_ratio(x, &ratio) || !qkv__ratio_is_constant(ratio, &number))
        return qkv__evaluation_unable(e, node,
                                      "the exact engine takes logarithms of numbers alone");
    if (qkv__rational_sign(number) <= 0)
        return qkv__evaluation_misread(e, node, "the logarithm of a number that is not positive%s",
                                       "");
    const qkv__form *form = qkv__form_logarithm(&e->model->algebra, number);
    if (form == NULL) return qkv__evaluation_unable(e, node, "a number too large to factor");
    *value = qkv__value_scalar(&e->model->space, qkv__ratio_of_form(&e->model->algebra, form));
    return true;
}

static bool evaluate_elementary(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__value x;
    qkv__space *space = &e->model->space;
    if (node->count != 1)
        return qkv__evaluation_misread(e, node, "%s takes one argument", node->text);
    if (!qkv__evaluate_in(e, node->child[0], &x)) return false;
    *e->culprit = node;
    qkv__builtin function = qkv__builtin_of(node);
    if (function == QKV__BUILTIN_EXP) return qkv__evaluate_exponential(e, node, &x, value);
    if (function == QKV__BUILTIN_LN) return evaluate_logarithm(e, node, &x, value);
    if (function == QKV__BUILTIN_SQRT) {
        qkv__value half =
            qkv__value_scalar(space, qkv__ratio_constant(space->algebra, qkv__rational_make(1, 2)));
        return qkv__value_power(space, &x, &half, value, e->failure);
    }
    assert(function == QKV__BUILTIN_ABS || function == QKV__BUILTIN_NORM);
    return qkv__value_size(space, &x, value, e->failure);
}

/* cos(x, y), of the angle between two vectors, and dist(x, y). */
static bool evaluate_pair(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__value x, y, difference, product, x_size, y_size, sizes;
    qkv__space *space = &e->model->space;
    bool cosine = qkv__builtin_of(node) == QKV__BUILTIN_COS;
    if (cosine && node->count == 1)
        return qkv__evaluation_unable(e, node, "this call is beyond the exact engine");
    if (node->count != 2)
        return qkv__evaluation_misread(e, node, "%s takes two vectors", node->text);
    if (!qkv__evaluate_in(e, node->child[0], &x) || !qkv__evaluate_in(e, node->child[1], &y))
        return false;
    *e->culprit = node;
    if (!cosine)
        return qkv__value_add(space, &x, &y, true, &difference, e->failure) &&
               qkv__value_size(space, &difference, value, e->failure);
    return qkv__value_dot(space, &x, &y, &product, e->failure) &&
           qkv__value_size(space, &x, &x_size, e->failure) &&
           qkv__value_size(space, &y, &y_size, e->failure) &&
           qkv__value_multiply(space, &x_size, &y_size, &sizes, e->failure) &&
           qkv__value_divide(space, &product, &sizes, value, e->failure);
}

/* softmax([s, t]): of numbers that are listed. */
static bool evaluate_softmax(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__algebra *algebra = &e->model->algebra;
    qkv__value scores;
    if (node->count != 1 || node->child[0]->kind != QKV__NODE_LIST)
        return qkv__evaluation_unable(e, node, "this call is beyond the exact engine");
    if (!qkv__evaluate_in(e, node->child[0], &scores)) return false;
    qkv__value *weights = qkv__arena_array(&algebra->arena, scores.count, sizeof *weights);
    if (weights == NULL) return qkv__evaluation_unable(e, node, "out of memory");
    qkv__ratio sum = qkv__ratio_whole(algebra, 0);
    for (size_t i = 0; i < scores.count; i++) {
        if (!qkv__evaluate_exponential(e, node->child[0]->child[i], &scores.element[i],
                                       &weights[i]))
            return false;
        sum = qkv__ratio_add(algebra, sum, weights[i].scalar.factor);
    }
    for (size_t i = 0; i < scores.count; i++)
        weights[i] = qkv__value_scalar(&e->model->space,
                                       qkv__ratio_divide(algebra, weights[i].scalar.factor, sum));
    if (qkv__ratio_is_lost(sum))
        return qkv__evaluation_unable(e, node, "scores that outgrow the exact engine");
    *value = (qkv__value){.kind = QKV__VALUE_LIST, .count = scores.count, .element = weights};
    return true;
}

/* ---- Attention ----------------------------------------------------------------------- */

/* A list of lists or vectors as a family over 1..count. Numbers become coordinates. */
static bool as_vectors(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    if (value->kind == QKV__VALUE_VECTORS) return true;
    *e->culprit = node;
    if (value->kind == QKV__VALUE_LIST) return qkv__model_as_family(e->model, value, e->failure);
    return qkv__evaluation_misread(e, node, "expected a family of vectors, found %s",
                                   qkv__value_kind_name(value->kind));
}

/* The classes of keys: every mark, and the rest where there is one. */
static qkv__class *make_classes(qkv__evaluation *e, const qkv__vectors *keys,
                                const qkv__vectors *values, size_t *count)
{
    qkv__space *space = &e->model->space;
    const qkv__index_set *set = keys->set;
    qkv__class *classes =
        qkv__arena_array(&space->algebra->arena, set->mark_count + 1, sizeof *classes);
    if (classes == NULL) return NULL;
    *count = 0;
    for (size_t i = 0; i < set->mark_count; i++)
        classes[(*count)++] = (qkv__class){.count = qkv__ratio_whole(space->algebra, 1),
                                           .key = keys->mark[i],
                                           .value = values->mark[i],
                                           .total = values->mark[i]};
    if (qkv__set_may_have_rest(e->model, set))
        classes[(*count)++] =
            (qkv__class){.count = qkv__rest_size(space->algebra, set),
                         .key = keys->generic,
                         .value = values->generic,
                         .total = qkv__vector_sum_over_rest(space, values->generic, set)};
    return classes;
}

/* scale = x and causal among the arguments; the others are counted. */
typedef struct attention_options {
    qkv__ratio scale;
    bool causal;
    size_t plain; /* arguments before the options */
} attention_options;

static bool read_options(qkv__evaluation *e, const qkv__node *node, attention_options *options)
{
    assert(node->kind == QKV__NODE_CALL);
    *options = (attention_options){.scale = qkv__ratio_whole(&e->model->algebra, 1)};
    for (size_t i = 0; i < node->count; i++) {
        const qkv__node *argument = node->child[i];
        qkv__value value;
        if (argument->kind == QKV__NODE_NAME && strcmp(argument->text, "causal") == 0) {
            options->causal = true;
        } else if (argument->kind != QKV__NODE_OPTION) {
            options->plain++;
        } else if (strcmp(argument->text, "scale") == 0) {
            if (!qkv__evaluate_in(e, argument->child[0], &value)) return false;
            if (!qkv__value_as_ratio(&value, &options->scale))
                return qkv__evaluation_unable(e, argument, "a scale that is no plain number");
        } else {
            return qkv__evaluation_misread(
                e, argument, "unknown option %s; expected scale or causal", argument->text);
        }
    }
    return true;
}

static bool attention_lost(qkv__evaluation *e, const qkv__node *node)
{
    return qkv__evaluation_unable(e, node,
                                  "the scores are not the same for all the other keys, or outgrow "
                                  "the exact engine");
}

/* A query: a vector, a list of numbers, or a number beside keys that are listed as numbers. */
static bool as_query(qkv__evaluation *e, const qkv__node *node, qkv__value *value,
                     const qkv__vector **query)
{
    const qkv__value number = *value;
    if (value->kind == QKV__VALUE_SCALAR && qkv__model_list_width(e->model, false) == 1)
        *value = (qkv__value){.kind = QKV__VALUE_LIST, .count = 1, .element = &number};
    *e->culprit = node;
    if (!qkv__model_as_vector(e->model, value, e->failure)) return false;
    return qkv__value_as_vector(value, query) ||
           qkv__evaluation_misread(e, node, "expected a vector as the query, found %s",
                                   qkv__value_kind_name(value->kind));
}

/* attend(q, k, v) */
static bool evaluate_attend(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__value argument[3];
    attention_options options;
    const qkv__vector *query;
    if (!read_options(e, node, &options)) return false;
    if (options.plain != 3)
        return qkv__evaluation_misread(e, node, "attend takes a query, keys and values%s", "");
    for (int i = 0; i < 3; i++)
        if (!qkv__evaluate_in(e, node->child[i], &argument[i])) return false;
    if (!as_query(e, node->child[0], &argument[0], &query)) return false;
    if (!as_vectors(e, node->child[1], &argument[1]) ||
        !as_vectors(e, node->child[2], &argument[2]))
        return false;
    if (argument[1].vectors->set != argument[2].vectors->set)
        return qkv__evaluation_misread(e, node, "keys and values are not indexed alike%s", "");
    bool noisy = qkv__random_is_noisy(argument[1].vectors->generic);
    for (size_t i = 0; i < argument[1].vectors->set->mark_count; i++)
        noisy = noisy || qkv__random_is_noisy(argument[1].vectors->mark[i]);
    if (noisy && !e->model->noisy)
        return qkv__evaluation_unable(
            e, node, "keys with noise in every direction: say as alpha -> 0, or sample");
    if (argument[1].vectors->set->mark_count == 0 &&
        !qkv__set_has_rest(e->model, argument[1].vectors->set))
        return qkv__evaluation_unable(e, node,
                                      "there may be no keys at all: give a larger least n");
    if (qkv__vector_is_generic(&e->model->space, query))
        return qkv__evaluation_unable(e, node,
                                      "a query that is itself one of the unnamed keys: pick it");
    size_t count;
    qkv__class *classes = make_classes(e, argument[1].vectors, argument[2].vectors, &count);
    const qkv__attention *row =
        classes == NULL ? NULL
                        : qkv__attend(&e->model->space, query, classes, count, options.scale);
    qkv__result *result = qkv__arena_take(&e->model->algebra.arena, sizeof *result);
    const qkv__attention **rows = qkv__arena_take(&e->model->algebra.arena, sizeof *rows);
    if (row == NULL || result == NULL || rows == NULL) return attention_lost(e, node);
    if (row->count > count && !qkv__set_has_rest(e->model, argument[1].vectors->set))
        return qkv__evaluation_unable(
            e, node, "there may be no key beside the picked ones: give a larger least n");
    rows[0] = row;
    *result = (qkv__result){
        .keys = argument[1].vectors->set, .count = 1, .row = rows, .values = argument[2].vectors};
    *value = (qkv__value){.kind = QKV__VALUE_RESULT, .result = result};
    return true;
}

/* A matrix applied to every member of a family. */
static const qkv__vectors *project(qkv__evaluation *e, const qkv__value *matrix,
                                   const qkv__vectors *x)
{
    qkv__arena *arena = &e->model->algebra.arena;
    qkv__vectors *projected = qkv__arena_take(arena, sizeof *projected);
    if (projected == NULL || matrix->kind != QKV__VALUE_MATRIX) return NULL;
    *projected = (qkv__vectors){.set = x->set};
    projected->mark = qkv__arena_array(arena, x->set->mark_count, sizeof *projected->mark);
    if (projected->mark == NULL) return NULL;
    for (size_t i = 0; i < x->set->mark_count; i++) {
        qkv__value from = qkv__value_vector(x->mark[i]), to;
        if (!qkv__value_multiply(&e->model->space, matrix, &from, &to, e->failure)) return NULL;
        projected->mark[i] = to.vector;
    }
    return projected;
}

/* One row for each token; with `causal` a token looks at itself and those before it. */
static const qkv__result *self_attend(qkv__evaluation *e, const qkv__vectors *families[3],
                                      const attention_options *options)
{
    qkv__arena *arena = &e->model->algebra.arena;
    qkv__index_set *set = families[0]->set;
    size_t count;
    qkv__class *classes = make_classes(e, families[1], families[2], &count);
    qkv__result *result = qkv__arena_take(arena, sizeof *result);
    const qkv__attention **rows = qkv__arena_array(arena, set->mark_count, sizeof *rows);
    if (classes == NULL || result == NULL || rows == NULL) return NULL;
    for (size_t i = 0; i < set->mark_count; i++) {
        for (size_t j = 0; j < count; j++) classes[j].masked = options->causal && j > i;
        rows[i] =
            qkv__attend(&e->model->space, families[0]->mark[i], classes, count, options->scale);
        if (rows[i] == NULL) return NULL;
    }
    *result = (qkv__result){
        .keys = set, .queries = set, .count = set->mark_count, .row = rows, .values = families[2]};
    return result;
}

/* self_attend(x) or self_attend(x, Q, K, V) */
static bool evaluate_self_attend(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__value argument[4];
    attention_options options;
    if (!read_options(e, node, &options)) return false;
    if (options.plain != 1 && options.plain != 4)
        return qkv__evaluation_misread(e, node, "self_attend takes x, or x, Q, K and V%s", "");
    for (size_t i = 0; i < options.plain; i++)
        if (!qkv__evaluate_in(e, node->child[i], &argument[i])) return false;
    if (!as_vectors(e, node->child[0], &argument[0])) return false;
    const qkv__vectors *x = argument[0].vectors, *families[3] = {x, x, x};
    if (qkv__set_may_have_rest(e->model, x->set))
        return qkv__evaluation_unable(e, node, "self-attention over a symbolic number of tokens");
    for (size_t i = 1; i < options.plain; i++) {
        if (argument[i].kind != QKV__VALUE_MATRIX)
            return qkv__evaluation_misread(e, node->child[i], "expected a matrix, found %s",
                                           qkv__value_kind_name(argument[i].kind));
        families[i - 1] = project(e, &argument[i], x);
        if (families[i - 1] == NULL) return attention_lost(e, node);
    }
    const qkv__result *result = self_attend(e, families, &options);
    if (result == NULL) return attention_lost(e, node);
    *value = (qkv__value){.kind = QKV__VALUE_RESULT, .result = result};
    return true;
}

static bool evaluate_hull(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    if (!qkv__evaluate_in(e, node->child[0], value) || !as_vectors(e, node->child[0], value))
        return false;
    value->kind = QKV__VALUE_HULL;
    return true;
}

/* ---- x with x[2] = y ----------------------------------------------------------------- */

bool qkv__evaluate_with(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_WITH);
    qkv__value base, changed;
    const qkv__vector *vector;
    const qkv__node *target = node->child[1];
    int member;
    if (!qkv__evaluate_in(e, node->child[0], &base) ||
        !qkv__evaluate_in(e, node->child[2], &changed))
        return false;
    if (!as_vectors(e, node->child[0], &base)) return false;
    if (target->kind != QKV__NODE_INDEX || target->count != 2)
        return qkv__evaluation_misread(e, target, "expected one member to change, such as x[2]%s",
                                       "");
    if (!qkv__evaluate_index(e, target->child[1], base.vectors->set, &member)) return false;
    if (!qkv__value_as_vector(&changed, &vector) || member < 0)
        return qkv__evaluation_misread(e, node->child[2], "expected a vector, found %s",
                                       qkv__value_kind_name(changed.kind));
    size_t marks = base.vectors->set->mark_count;
    qkv__vectors *copy = qkv__arena_take(&e->model->algebra.arena, sizeof *copy);
    const qkv__vector **mark = qkv__arena_array(&e->model->algebra.arena, marks, sizeof *mark);
    if (copy == NULL || mark == NULL) return qkv__evaluation_unable(e, node, "out of memory");
    memcpy(mark, base.vectors->mark, marks * sizeof *mark);
    mark[member] = vector;
    *copy = (qkv__vectors){base.vectors->set, mark, base.vectors->generic};
    *value = (qkv__value){.kind = QKV__VALUE_VECTORS, .vectors = copy};
    return true;
}

/* ---- Which function ------------------------------------------------------------------ */

static bool call_function(qkv__evaluation *e, const qkv__node *node, const qkv__statement *function,
                          qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    assert(function->kind == QKV__STATEMENT_DEFINE);
    enum { MOST = 8 };
    qkv__binding arguments[MOST];
    const qkv__node *target = function->node[0];
    if (target->count != node->count || node->count > MOST)
        return qkv__evaluation_misread(e, node, "%s has another number of arguments", node->text);
    if (e->depth >= CALL_DEPTH)
        return qkv__evaluation_misread(e, node, "%s calls itself", node->text);
    qkv__evaluation inner = *e;
    inner.depth++;
    inner.locals = NULL;
    for (size_t i = 0; i < node->count; i++) {
        arguments[i] = (qkv__binding){.name = target->child[i]->text,
                                      .next = i == 0 ? NULL : &arguments[i - 1]};
        if (!qkv__evaluate_in(e, node->child[i], &arguments[i].value)) return false;
        inner.locals = &arguments[i];
    }
    return qkv__evaluate_in(&inner, function->node[1], value);
}

bool qkv__evaluate_call(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__builtin function = qkv__builtin_of(node);
    const qkv__binding *binding = qkv__model_find(e->model, e->locals, node->text);
    if (binding != NULL && binding->function != NULL)
        return call_function(e, node, binding->function, value);
    if (function == QKV__BUILTIN_DERIVATIVE) return qkv__evaluate_derivative(e, node, value);
    if (function == QKV__BUILTIN_GRADIENT) return qkv__evaluate_gradient(e, node, value);
    if (binding != NULL && binding->value.kind != QKV__VALUE_NONE && node->count == 1) {
        qkv__value right; /* M(x + y): a product */
        *e->culprit = node;
        return qkv__evaluate_in(e, node->child[0], &right) &&
               qkv__value_multiply(&e->model->space, &binding->value, &right, value, e->failure);
    }
    bool over = qkv__call_is_over(node);
    switch (function) {
    case QKV__BUILTIN_ABS:
    case QKV__BUILTIN_EXP:
    case QKV__BUILTIN_LN:
    case QKV__BUILTIN_NORM:
    case QKV__BUILTIN_SQRT: return evaluate_elementary(e, node, value);
    case QKV__BUILTIN_ATTEND: return evaluate_attend(e, node, value);
    case QKV__BUILTIN_COS:
    case QKV__BUILTIN_DISTANCE: return evaluate_pair(e, node, value);
    case QKV__BUILTIN_HULL:
        if (node->count != 1) break;
        return evaluate_hull(e, node, value);
    case QKV__BUILTIN_MEAN:
        return over ? qkv__evaluate_mean_over(e, node, value) : qkv__evaluate_mean(e, node, value);
    case QKV__BUILTIN_SOFTMAX: return evaluate_softmax(e, node, value);
    case QKV__BUILTIN_SELF_ATTEND: return evaluate_self_attend(e, node, value);
    case QKV__BUILTIN_SUM:
        if (!over) break;
        return qkv__evaluate_sum(e, node, value);
    default: break;
    }
    if (binding == NULL && qkv__builtin_kind_of(function) == QKV__OF_CHANCE)
        return qkv__evaluation_unable(
            e, node, "P, E, Var and Cov are compared in claims, and stand in nothing else");
    if (binding != NULL || function != QKV__BUILTIN_NONE)
        return qkv__evaluation_unable(e, node, "this call is beyond the exact engine");
    if (node->count == 1 && qkv__may_be_parameter(node->text)) {
        qkv__value left, right; /* beta(k[a] + k[b]): a product, as on paper */
        qkv__node name = *node;
        name.kind = QKV__NODE_NAME;
        name.count = 0;
        *e->culprit = node;
        return qkv__evaluate_in(e, &name, &left) && qkv__evaluate_in(e, node->child[0], &right) &&
               qkv__value_multiply(&e->model->space, &left, &right, value, e->failure);
    }
    const char *near = qkv__suggest(e->model, node->text);
    *e->culprit = node;
    return near == NULL ? qkv__evaluation_misread(e, node, "unknown function %s", node->text)
                        : qkv__fail_value(e->failure, QKV__TROUBLE_TEXT,
                                          "unknown function %s (perhaps %s)", node->text, near);
}
