/* Calls: elementary functions, hulls, and functions that the document defines. Attention is in
 * evaluate_attend.c. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/derivative.h"
#include "claim/model/evaluate.h"
#include "claim/model/index_set.h"
#include "claim/model/suggest.h"
#include "exact/sign.h"
#include "language/builtin.h"
#include "language/write.h"

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

/* The call as it stands, if that is short. */
static bool unable_to_call(qkv__evaluation *e, const qkv__node *node)
{
    enum { SHORT = 60 };
    qkv__text text = {0};
    qkv__node_write(node, &text);
    const bool told = !text.failed && text.data != NULL && text.length <= SHORT;
    if (told)
        qkv__evaluation_unable_to(e, node, "%s is beyond the exact engine", text.data);
    else
        qkv__evaluation_unable_to(e, node, "this call of %s is beyond the exact engine",
                                  node->text);
    qkv__text_free(&text);
    return false;
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

/* (e^(2x) - 1)/(e^(2x) + 1) */
static bool evaluate_tangent(qkv__evaluation *e, const qkv__node *node, const qkv__value *x,
                             qkv__value *value)
{
    qkv__algebra *algebra = &e->model->algebra;
    qkv__ratio ratio, one = qkv__ratio_whole(algebra, 1);
    if (!qkv__value_as_ratio(x, &ratio)) return unable_to_call(e, node);
    qkv__ratio power = qkv__ratio_exponential(
        algebra, qkv__ratio_multiply(algebra, qkv__ratio_whole(algebra, 2), ratio));
    qkv__ratio tangent = qkv__ratio_divide(algebra, qkv__ratio_subtract(algebra, power, one),
                                           qkv__ratio_add(algebra, power, one));
    if (qkv__ratio_is_lost(tangent)) return unable_to_call(e, node);
    *value = qkv__value_scalar(&e->model->space, tangent);
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
    if (function == QKV__BUILTIN_TANH) return evaluate_tangent(e, node, &x, value);
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
    if (cosine && node->count == 1) return unable_to_call(e, node);
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
    if (node->count != 1 || node->child[0]->kind != QKV__NODE_LIST) return unable_to_call(e, node);
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

/* ---- Hulls, and families with a member changed ----------------------------------------- */

static bool evaluate_hull(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL);
    const qkv__vectors *vectors;
    if (!qkv__evaluate_in(e, node->child[0], value) ||
        !qkv__evaluate_as_vectors(e, node->child[0], value, &vectors))
        return false;
    *value = (qkv__value){.kind = QKV__VALUE_HULL, .vectors = vectors};
    return true;
}

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
    const qkv__vectors *vectors;
    if (!qkv__evaluate_as_vectors(e, node->child[0], &base, &vectors)) return false;
    if (target->kind != QKV__NODE_INDEX || target->count != 2)
        return qkv__evaluation_misread(e, target, "expected one member to change, such as x[2]%s",
                                       "");
    if (!qkv__evaluate_index(e, target->child[1], vectors->set, &member)) return false;
    if (!qkv__value_as_vector(&changed, &vector) || member < 0)
        return qkv__evaluation_misread(e, node->child[2], "expected a vector, found %s",
                                       qkv__value_kind_name(changed.kind));
    size_t marks = vectors->set->mark_count;
    qkv__vectors *copy = qkv__arena_take(&e->model->algebra.arena, sizeof *copy);
    const qkv__vector **mark = qkv__arena_array(&e->model->algebra.arena, marks, sizeof *mark);
    if (copy == NULL || mark == NULL) return qkv__evaluation_unable(e, node, "out of memory");
    memcpy(mark, vectors->mark, marks * sizeof *mark);
    mark[member] = vector;
    *copy = (qkv__vectors){.set = vectors->set, .mark = mark, .generic = vectors->generic};
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
    if (qkv__evaluate_in(&inner, function->node[1], value)) return true;
    /* cos(t) in f(t): the reader of a claim knows f(pi) */
    if (e->locals == NULL && e->failure->trouble == QKV__TROUBLE_UNABLE &&
        (*e->culprit)->kind == QKV__NODE_CALL)
        return unable_to_call(e, node);
    return false;
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
    case QKV__BUILTIN_SQRT:
    case QKV__BUILTIN_TANH: return evaluate_elementary(e, node, value);
    case QKV__BUILTIN_ATTEND: return qkv__evaluate_attend(e, node, value);
    case QKV__BUILTIN_COS:
    case QKV__BUILTIN_DISTANCE: return evaluate_pair(e, node, value);
    case QKV__BUILTIN_HULL:
        if (node->count != 1) break;
        return evaluate_hull(e, node, value);
    case QKV__BUILTIN_MEAN:
        return over ? qkv__evaluate_mean_over(e, node, value) : qkv__evaluate_mean(e, node, value);
    case QKV__BUILTIN_SOFTMAX: return evaluate_softmax(e, node, value);
    case QKV__BUILTIN_SELF_ATTEND: return qkv__evaluate_self_attend(e, node, value);
    case QKV__BUILTIN_SUM:
        if (!over) break;
        return qkv__evaluate_sum(e, node, value);
    default: break;
    }
    if (binding == NULL && qkv__builtin_kind_of(function) == QKV__OF_CHANCE)
        return qkv__evaluation_unable(e, node, "P, E, Var and Cov may only be compared, in claims");
    if (binding != NULL || function != QKV__BUILTIN_NONE) return unable_to_call(e, node);
    if (node->count == 1 && qkv__may_be_parameter(node->text)) {
        qkv__value left, right; /* beta(k[a] + k[b]): a product, as on paper */
        qkv__node name = *node;
        name.kind = QKV__NODE_NAME;
        name.count = 0;
        *e->culprit = node;
        if (!qkv__evaluate_in(e, &name, &left) || !qkv__evaluate_in(e, node->child[0], &right))
            return false;
        if (strcmp(node->text, "H") == 0 && right.kind == QKV__VALUE_RESULT)
            return qkv__evaluation_misread(
                e, node, "%s is a number here, times attention: the entropy is entropy(c)",
                node->text);
        return qkv__value_multiply(&e->model->space, &left, &right, value, e->failure);
    }
    const char *near = qkv__suggest(e->model, node->text);
    *e->culprit = node;
    return near == NULL ? qkv__evaluation_misread(e, node, "unknown function %s", node->text)
                        : qkv__fail_value(e->failure, QKV__TROUBLE_TEXT,
                                          "unknown function %s (perhaps %s)", node->text, near);
}
