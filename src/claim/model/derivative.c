/* Derivatives of exact values. Knows values and how inner products are kept; nothing of verdicts.
 *
 * The scores of the unmarked keys are kept as that of one of them and a number b, for which the
 * exponentials of the others sum to as many times e^b. The derivative of b is the average of those
 * of the others' scores, by their weights. */
#include "claim/model/derivative.h"

#include <assert.h>
#include <string.h>

#include "ball/derivative.h"
#include "claim/model/binding.h"
#include "exact/average.h"

/* ---- By a parameter -------------------------------------------------------------------------- */

/* (n/d)' = (n' d - n d')/d^2, where nothing else depends on the parameter. */
static qkv__ratio partial(qkv__algebra *algebra, qkv__ratio x, int parameter)
{
    const qkv__form *above = qkv__form_derivative(algebra, x.numerator, parameter);
    const qkv__form *below = qkv__form_derivative(algebra, x.denominator, parameter);
    if (qkv__form_is_zero(below))
        return qkv__ratio_divide(algebra, qkv__ratio_of_form(algebra, above),
                                 qkv__ratio_of_form(algebra, x.denominator));
    const qkv__form *numerator =
        qkv__form_subtract(algebra, qkv__form_multiply(algebra, above, x.denominator),
                           qkv__form_multiply(algebra, x.numerator, below));
    return qkv__ratio_divide(
        algebra, qkv__ratio_of_form(algebra, numerator),
        qkv__ratio_of_form(algebra, qkv__form_power(algebra, x.denominator, 2)));
}

/* The spread that a parameter is the b of, the first of those that share it; NULL: it is none. */
static const qkv__spread *spread_of(const qkv__space *space, int parameter)
{
    for (const qkv__spread *s = space->spreads; s != NULL; s = s->next)
        if (s->parameter == parameter) return s;
    return NULL;
}

qkv__ratio qkv__ratio_derivative(qkv__space *space, qkv__ratio x, int parameter)
{
    qkv__algebra *algebra = space->algebra;
    if (qkv__ratio_is_lost(x)) return x;
    const int count = (int)algebra->parameter_count;
    qkv__ratio sum = partial(algebra, x, parameter);
    for (int b = 0; b < count; b++) {
        const qkv__spread *spread = spread_of(space, b);
        if (spread == NULL || b == parameter || !qkv__ratio_depends_on(x, b) ||
            !qkv__ratio_depends_on(spread->score, parameter))
            continue;
        qkv__ratio change =
            qkv__average_number(space, spread->score, partial(algebra, spread->score, parameter));
        sum = qkv__ratio_add(algebra, sum,
                             qkv__ratio_multiply(algebra, partial(algebra, x, b), change));
    }
    return sum;
}

/* Whether a parameter is the product with an average of a spread's values. */
static bool is_of_average(const qkv__space *space, const qkv__spread *spread, int parameter)
{
    const qkv__family *average = spread->others->component[0].symbol.family;
    for (const qkv__unknown_product *u = space->unknown; u != NULL; u = u->next)
        if (u->parameter == parameter && (u->x.family == average || u->y.family == average))
            return true;
    return false;
}

/* The spread by way of which x depends on a parameter that stands for something of it; NULL: none.
 */
static const qkv__spread *spread_within(const qkv__space *space, qkv__ratio x)
{
    for (const qkv__spread *s = space->spreads; s != NULL; s = s->next)
        for (int p = 0; p < (int)space->algebra->parameter_count; p++)
            if (qkv__ratio_depends_on(x, p) && (p == s->parameter || is_of_average(space, s, p)))
                return s;
    return NULL;
}

/* Whether x changes with a parameter, as far as can be told: scores that are made of other weights
 * may. */
static bool may_change(const qkv__space *space, qkv__ratio x, int parameter)
{
    return qkv__ratio_depends_on(x, parameter) || spread_within(space, x) != NULL;
}

/* Whether x is made of an average by weights that change with the parameter, or of weights whose
 * scores are made of other weights: how these change is not kept. */
static bool has_moving_average(const qkv__space *space, qkv__ratio x, int parameter)
{
    for (const qkv__spread *s = space->spreads; s != NULL; s = s->next)
        for (int p = 0; p < (int)space->algebra->parameter_count; p++) {
            if (!qkv__ratio_depends_on(x, p)) continue;
            if (p == s->parameter && spread_within(space, s->score) != NULL) return true;
            if (is_of_average(space, s, p) && may_change(space, s->score, parameter)) return true;
        }
    return false;
}

static bool is_made_of(const qkv__family *family, int parameter)
{
    return family->gram != QKV__GRAM_UNKNOWN && qkv__ratio_depends_on(family->same, parameter);
}

bool qkv__derivative_is_veiled(const qkv__space *space, qkv__ratio x, int parameter)
{
    for (const qkv__unknown_product *u = space->unknown; u != NULL; u = u->next)
        if (qkv__ratio_depends_on(x, u->parameter) &&
            (is_made_of(u->x.family, parameter) || is_made_of(u->y.family, parameter)))
            return true;
    for (const qkv__spread *s = space->spreads; s != NULL; s = s->next)
        if (qkv__ratio_depends_on(x, s->parameter))
            for (size_t f = 0; f < space->family_count; f++)
                if (is_made_of(&space->family[f], parameter)) return true;
    return has_moving_average(space, x, parameter);
}

/* Whether a number is a parameter, and nothing more. */
static int parameter_of(const qkv__algebra *algebra, const qkv__value *value, const char *name)
{
    qkv__ratio ratio;
    qkv__rational one;
    int parameter = qkv__parameter_find(algebra, name);
    bool letter = parameter >= 0 && qkv__value_as_ratio(value, &ratio) &&
                  qkv__form_is_constant(ratio.denominator, &one) && one.numerator == 1 &&
                  one.denominator == 1 && ratio.numerator->count == 1 &&
                  ratio.numerator->term[0].power[parameter] == 2 &&
                  ratio.numerator->term[0].exponent == NULL;
    return letter ? parameter : -1;
}

int qkv__derivative_parameter(qkv__evaluation *e, const qkv__node *node)
{
    qkv__model *model = e->model;
    qkv__value value;
    int parameter = -1;
    if (node->kind == QKV__NODE_NAME && qkv__model_find(model, e->locals, node->text) == NULL) {
        if (!qkv__evaluate_in(e, node, &value)) return -1;
        parameter = parameter_of(&model->algebra, &value, node->text);
    }
    if (parameter < 0) {
        qkv__evaluation_unable(e, node, "a derivative is taken by a parameter, such as beta");
        return -1;
    }
    bool whole = model->algebra.parameter[parameter].whole;
    for (size_t i = 0; i < model->set_count; i++)
        whole = whole || qkv__ratio_depends_on(model->sets[i]->size, parameter);
    bool tied = model->chance_count > 0 || model->noise != 0;
    for (const qkv__given_product *g = model->space.given; g != NULL; g = g->next)
        tied = tied || qkv__ratio_depends_on(g->value, parameter);
    if (tied || whole) {
        qkv__evaluation_unable(e, node,
                               tied ? "vectors depend on what the derivative is taken by"
                                    : "there is no derivative by a whole number");
        return -1;
    }
    return parameter;
}

/* The factors change, and the vectors stand still: not those whose length is made of the parameter,
 * nor averages by weights that depend on it. */
static const qkv__vector *vector_derivative(qkv__space *space, const qkv__vector *x, int parameter)
{
    const qkv__vector *sum = qkv__vector_zero(space);
    for (size_t i = 0; x != NULL && i < x->count; i++) {
        const qkv__symbol symbol = x->component[i].symbol;
        if (is_made_of(symbol.family, parameter) ||
            qkv__derivative_is_veiled(space, x->component[i].factor, parameter))
            return NULL;
        for (const qkv__spread *s = space->spreads; s != NULL; s = s->next)
            if (s->others->component[0].symbol.family == symbol.family &&
                may_change(space, s->score, parameter))
                return NULL;
        sum = qkv__vector_add(
            space, sum,
            qkv__vector_scale(space, qkv__vector_symbol(space, symbol.family, symbol.member),
                              qkv__ratio_derivative(space, x->component[i].factor, parameter)));
    }
    return x == NULL ? NULL : sum;
}

/* Whether an argument of a function is in sight: whether it changes is not asked of its value. */
static bool has_arguments(const qkv__evaluation *e)
{
    for (const qkv__binding *b = e->locals; b != NULL; b = b->next)
        if (b->value.kind != QKV__VALUE_INDEX) return true;
    return false;
}

static bool beyond(qkv__evaluation *e, const qkv__node *node)
{
    return qkv__evaluation_unable(e, node, "this derivative is beyond the exact engine");
}

bool qkv__evaluate_derivative(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL && node->count == 2);
    qkv__space *space = &e->model->space;
    qkv__value x;
    qkv__ratio ratio;
    const qkv__vector *vector;
    int parameter = qkv__derivative_parameter(e, node->child[1]);
    if (parameter < 0 || !qkv__evaluate_in(e, node->child[0], &x)) return false;
    if (e->summation != NULL || has_arguments(e)) return beyond(e, node);
    if (qkv__value_as_vector(&x, &vector)) {
        *value = qkv__value_vector(vector_derivative(space, vector, parameter));
        return value->vector != NULL || beyond(e, node);
    }
    if (!qkv__value_as_ratio(&x, &ratio) || qkv__derivative_is_veiled(space, ratio, parameter))
        return beyond(e, node);
    ratio = qkv__ratio_derivative(space, ratio, parameter);
    if (qkv__ratio_is_lost(ratio)) return beyond(e, node);
    *value = qkv__value_scalar(space, ratio);
    return true;
}

/* ---- By a vector ----------------------------------------------------------------------------- */

/* The sum over all products with the symbol of their other side, times the change of x by them. */
static const qkv__vector *by_products(qkv__space *space, qkv__ratio x, qkv__symbol symbol)
{
    const qkv__vector *sum = qkv__vector_zero(space);
    for (const qkv__unknown_product *u = space->unknown; u != NULL; u = u->next) {
        if (!qkv__ratio_depends_on(x, u->parameter)) continue;
        for (int side = 0; side < 2; side++) {
            qkv__symbol own = side == 0 ? u->x : u->y, other = side == 0 ? u->y : u->x;
            if (!qkv__symbol_equal(own, symbol)) continue;
            sum = qkv__vector_add(
                space, sum,
                qkv__vector_scale(space, qkv__vector_symbol(space, other.family, other.member),
                                  partial(space->algebra, x, u->parameter)));
        }
    }
    return sum;
}

/* Whether x is made of averages by weights, which change with scores. */
static bool has_averages(const qkv__space *space, qkv__ratio x)
{
    for (const qkv__spread *s = space->spreads; s != NULL; s = s->next)
        for (int p = 0; p < (int)space->algebra->parameter_count; p++)
            if (qkv__ratio_depends_on(x, p) && is_of_average(space, s, p)) return true;
    return false;
}

const qkv__vector *qkv__ratio_gradient(qkv__space *space, qkv__ratio x, qkv__symbol symbol)
{
    qkv__algebra *algebra = space->algebra;
    if (qkv__ratio_is_lost(x) || has_averages(space, x)) return NULL;
    const int count = (int)algebra->parameter_count;
    const qkv__vector *sum = by_products(space, x, symbol);
    for (int b = 0; b < count; b++) {
        const qkv__spread *spread = spread_of(space, b);
        if (spread == NULL || !qkv__ratio_depends_on(x, b)) continue;
        if (spread_within(space, spread->score) != NULL) return NULL;
        const qkv__vector *change = by_products(space, spread->score, symbol);
        if (change == NULL) return NULL;
        sum = qkv__vector_add(space, sum,
                              qkv__vector_scale(space,
                                                qkv__average_vector(space, spread->score, change),
                                                partial(algebra, x, b)));
    }
    return sum;
}

bool qkv__gradient_symbol(qkv__evaluation *e, const qkv__node *node, qkv__symbol *symbol)
{
    const qkv__space *space = &e->model->space;
    qkv__value by;
    qkv__rational one;
    if (node->kind != QKV__NODE_NAME && node->kind != QKV__NODE_INDEX)
        return qkv__evaluation_unable(e, node, "a gradient is taken by a vector, such as q");
    if (!qkv__evaluate_in(e, node, &by)) return false;
    const qkv__vector *vector = by.kind == QKV__VALUE_VECTOR ? by.vector : NULL;
    bool plain = vector != NULL && vector->count == 1 &&
                 qkv__ratio_is_constant(vector->component[0].factor, &one) && one.numerator == 1 &&
                 one.denominator == 1 && vector->component[0].symbol.member >= 0;
    const qkv__family *family = plain ? vector->component[0].symbol.family : NULL;
    const char *name = node->kind == QKV__NODE_INDEX ? node->child[0]->text : node->text;
    /* Another name of a vector is no vector of its own: the second reading refuses it too. */
    if (!plain || strcmp(family->name, name) != 0 || family->gram != QKV__GRAM_UNKNOWN ||
        family->axis || family->noise || e->model->chance_count > 0 || e->model->noise != 0)
        return qkv__evaluation_unable(e, node, "a gradient is taken by a vector that is free");
    *symbol = vector->component[0].symbol;
    for (const qkv__given_product *g = space->given; g != NULL; g = g->next)
        if (qkv__symbol_equal(g->x, *symbol) || qkv__symbol_equal(g->y, *symbol))
            return qkv__evaluation_unable(e, node, "a gradient is taken by a vector that is free");
    return true;
}

bool qkv__evaluate_gradient(qkv__evaluation *e, const qkv__node *node, qkv__value *value)
{
    assert(node->kind == QKV__NODE_CALL && node->count == 2);
    qkv__space *space = &e->model->space;
    qkv__symbol symbol = {NULL, QKV__GENERIC};
    qkv__value x;
    qkv__ratio ratio;
    if (!qkv__gradient_symbol(e, node->child[1], &symbol) ||
        !qkv__evaluate_in(e, node->child[0], &x))
        return false;
    if (e->summation != NULL || has_arguments(e) || !qkv__value_as_ratio(&x, &ratio))
        return beyond(e, node);
    *value = qkv__value_vector(qkv__ratio_gradient(space, ratio, symbol));
    return value->vector != NULL || beyond(e, node);
}
