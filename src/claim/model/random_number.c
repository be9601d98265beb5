/* Declarations of random numbers. Knows values and the model; nothing of probabilities. */
#include "claim/model/random_number.h"

#include <assert.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/bound.h"
#include "claim/model/evaluate.h"
#include "exact/sign.h"

/* One declaration under way. */
typedef struct number {
    qkv__model *model;
    qkv__drawn law;
    qkv__ratio value[2]; /* the arguments of the law */
    qkv__failure *failure;
    const qkv__node **culprit;
} number;

static bool fail(number *x, const qkv__node *culprit, qkv__trouble trouble, const char *message)
{
    *x->culprit = culprit;
    return qkv__fail_value(x->failure, trouble, "%s", message);
}

const qkv__chance *qkv__random_chance(const qkv__model *model, int parameter)
{
    for (size_t i = 0; i < model->chance_count; i++)
        if (model->chance[i].parameter == parameter) return &model->chance[i];
    return NULL;
}

/* A plain letter: a parameter that nothing is known of but its name and bounds. */
static qkv__parameter *letter_of(qkv__model *model, const qkv__node *node)
{
    if (node->kind != QKV__NODE_NAME || qkv__model_find(model, NULL, node->text) != NULL)
        return NULL;
    int parameter = qkv__parameter_find(&model->algebra, node->text);
    if (parameter < 0 || qkv__random_chance(model, parameter) != NULL) return NULL;
    return &model->algebra.parameter[parameter];
}

void qkv__random_give_not_negative(qkv__model *model, const qkv__node *node)
{
    qkv__value value;
    if (node->kind == QKV__NODE_NAME) /* it may be new */
        qkv__model_value(model, node, NULL, &value);
    qkv__parameter *letter = letter_of(model, node);
    if (letter != NULL)
        qkv__parameter_narrow(letter, QKV__GREATER_OR_EQUAL, qkv__rational_whole(0));
}

/* Terms with even powers alone, each added: s^2, 2*s^2*t^4, e^s. */
static bool is_sum_of_squares(const qkv__algebra *algebra, const qkv__form *form)
{
    for (size_t i = 0; i < form->count; i++) {
        if (qkv__rational_sign(form->term[i].coefficient) < 0) return false;
        for (int p = 0; p < (int)algebra->parameter_count; p++)
            if (form->term[i].power[p] % 4 != 0) return false; /* powers are counted in halves */
    }
    return true;
}

bool qkv__random_is_not_negative(qkv__algebra *algebra, qkv__ratio value)
{
    if (qkv__ratio_is_lost(value)) return false;
    qkv__sign sign = qkv__ratio_sign(algebra, value);
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE || sign == QKV__SIGN_ZERO ||
           (is_sum_of_squares(algebra, value.numerator) &&
            is_sum_of_squares(algebra, value.denominator));
}

static bool is_not_negative(number *x, qkv__ratio value)
{
    return qkv__random_is_not_negative(&x->model->algebra, value);
}

/* ---- What a law needs ------------------------------------------------------------------------ */

/* A letter alone is within bounds that a law needs: there is no such law otherwise. */
static void narrow(number *x, const qkv__node *node, qkv__comparison comparison, int64_t bound)
{
    qkv__parameter *letter = letter_of(x->model, node);
    if (letter != NULL) qkv__parameter_narrow(letter, comparison, qkv__rational_whole(bound));
}

static bool has_variance(number *x)
{
    const size_t last = x->law.count - 1;
    narrow(x, x->law.value[last], QKV__GREATER_OR_EQUAL, 0);
    return is_not_negative(x, x->value[last]) ||
           fail(x, x->law.value[last], QKV__TROUBLE_UNABLE,
                "a variance must not be negative: say so with given, or write s^2");
}

/* Where both are known the order is checked, else it is a premise. */
static bool has_order(number *x)
{
    qkv__model *model = x->model;
    qkv__ratio width = qkv__ratio_subtract(&model->algebra, x->value[1], x->value[0]);
    qkv__rational known;
    if (qkv__ratio_sign(&model->algebra, width) == QKV__SIGN_POSITIVE) return true;
    if (qkv__ratio_is_constant(width, &known))
        return fail(x, x->law.value[0], QKV__TROUBLE_TEXT, "expected uniform(a, b) with a < b");
    return qkv__model_add_premise(
               model, qkv__model_comparison(model, x->law.value[0], QKV__LESS, x->law.value[1])) ||
           fail(x, x->law.value[0], QKV__TROUBLE_UNABLE, "too many premises");
}

static bool has_probability(number *x)
{
    qkv__algebra *algebra = &x->model->algebra;
    const size_t last = x->law.count - 1;
    narrow(x, x->law.value[last], QKV__GREATER_OR_EQUAL, 0);
    narrow(x, x->law.value[last], QKV__LESS_OR_EQUAL, 1);
    qkv__ratio rest = qkv__ratio_subtract(algebra, qkv__ratio_whole(algebra, 1), x->value[last]);
    return (is_not_negative(x, x->value[last]) && is_not_negative(x, rest)) ||
           fail(x, x->law.value[last], QKV__TROUBLE_UNABLE,
                "a probability lies between 0 and 1: say so with given");
}

static bool has_rate(number *x)
{
    const size_t last = x->law.count - 1;
    narrow(x, x->law.value[last], QKV__GREATER, 0);
    return qkv__ratio_sign(&x->model->algebra, x->value[last]) == QKV__SIGN_POSITIVE ||
           fail(x, x->law.value[last], QKV__TROUBLE_UNABLE,
                "a rate is positive: say so with given");
}

static bool (*const needs[])(number *x) = {
    [QKV__NEEDS_VARIANCE] = has_variance,
    [QKV__NEEDS_ORDER] = has_order,
    [QKV__NEEDS_PROBABILITY] = has_probability,
    [QKV__NEEDS_RATE] = has_rate,
};

/* ---- Laws ------------------------------------------------------------------------------------ */

static void make_normal(qkv__algebra *algebra, const qkv__ratio *value, qkv__chance *chance)
{
    (void)algebra;
    chance->mean = value[0];
    chance->variance = value[1];
}

static void make_uniform(qkv__algebra *algebra, const qkv__ratio *value, qkv__chance *chance)
{
    qkv__ratio width = qkv__ratio_subtract(algebra, value[1], value[0]);
    chance->has_low = chance->has_high = true;
    chance->low = value[0];
    chance->high = value[1];
    chance->mean = qkv__ratio_divide(algebra, qkv__ratio_add(algebra, value[0], value[1]),
                                     qkv__ratio_whole(algebra, 2));
    chance->variance = qkv__ratio_divide(algebra, qkv__ratio_power(algebra, width, 2),
                                         qkv__ratio_whole(algebra, 12));
}

static void make_bernoulli(qkv__algebra *algebra, const qkv__ratio *value, qkv__chance *chance)
{
    qkv__ratio rest = qkv__ratio_subtract(algebra, qkv__ratio_whole(algebra, 1), value[0]);
    chance->mean = value[0];
    chance->variance = qkv__ratio_multiply(algebra, value[0], rest);
}

static void make_exponential(qkv__algebra *algebra, const qkv__ratio *value, qkv__chance *chance)
{
    chance->has_low = true;
    chance->low = qkv__ratio_whole(algebra, 0);
    chance->mean = qkv__ratio_divide(algebra, qkv__ratio_whole(algebra, 1), value[0]);
    chance->variance = qkv__ratio_power(algebra, chance->mean, 2);
}

static void (*const make[])(qkv__algebra *algebra, const qkv__ratio *value, qkv__chance *chance) = {
    [QKV__LAW_NORMAL] = make_normal,
    [QKV__LAW_UNIFORM] = make_uniform,
    [QKV__LAW_BERNOULLI] = make_bernoulli,
    [QKV__LAW_EXPONENTIAL] = make_exponential,
};

/* ---- Declarations ---------------------------------------------------------------------------- */

static bool is_random(const qkv__model *model, qkv__ratio value)
{
    for (size_t i = 0; i < model->chance_count; i++)
        if (qkv__ratio_depends_on(value, model->chance[i].parameter)) return true;
    for (const qkv__unknown_product *u = model->space.unknown; u != NULL; u = u->next)
        if ((u->x.family->noise || u->y.family->noise) &&
            qkv__ratio_depends_on(value, u->parameter))
            return true;
    return false;
}

static bool read_values(number *x, size_t count)
{
    qkv__model *model = x->model;
    for (size_t i = 0; i < count; i++) {
        qkv__value value;
        if (!qkv__model_evaluate(model, x->law.value[i], NULL, &value, x->failure, x->culprit))
            return false;
        if (!qkv__value_as_ratio(&value, &x->value[i]) || qkv__ratio_is_lost(x->value[i]))
            return fail(x, x->law.value[i], QKV__TROUBLE_TEXT, "expected a number");
        if (is_random(model, x->value[i]))
            return fail(x, x->law.value[i], QKV__TROUBLE_UNABLE,
                        "a law whose numbers are random themselves");
    }
    return true;
}

/* A number whose law is not understood is no plain letter; false. */
static bool forget(number *x, const qkv__node *declaration)
{
    const qkv__node *target = declaration->child[0];
    if (target->kind == QKV__NODE_NAME)
        qkv__model_bind(x->model, (qkv__binding){.name = target->text,
                                                 .beyond = "a law that is not understood"});
    return false;
}

bool qkv__random_number_declare(qkv__model *model, const qkv__node *declaration,
                                qkv__failure *failure, const qkv__node **culprit)
{
    assert(declaration->kind == QKV__NODE_COMPARE);
    number x = {.model = model, .failure = failure, .culprit = culprit};
    if (!qkv__law_read(declaration, &x.law) || !x.law.single) {
        *culprit = declaration->child[1];
        qkv__fail_value(failure, QKV__TROUBLE_TEXT, "expected %s", qkv__law_forms());
        return forget(&x, declaration);
    }
    if (qkv__parameter_find(&model->algebra, x.law.name) >= 0) {
        fail(&x, declaration->child[0], QKV__TROUBLE_TEXT,
             "this was a free number above: declare it before it is used");
        return forget(&x, declaration);
    }
    qkv__chance chance = {.law = x.law.kind};
    if (!read_values(&x, x.law.count) || !needs[x.law.needs](&x)) return forget(&x, declaration);
    make[x.law.kind](&model->algebra, x.value, &chance);
    chance.parameter = qkv__parameter_add(&model->algebra, x.law.name);
    if (chance.parameter < 0 || model->chance_count == QKV__CHANCES) {
        fail(&x, declaration, QKV__TROUBLE_UNABLE, "too many random numbers");
        return forget(&x, declaration);
    }
    model->chance[model->chance_count++] = chance;
    return true;
}
