/* Expressions to numbers with letters in them. What the exact engine can evaluate it does; the rest
 * is taken apart. Knows syntax and values; nothing of proofs. */
#include <assert.h>
#include <string.h>

#include "claim/calculus/part.h"
#include "claim/model/binding.h"
#include "claim/model/derivative.h"
#include "claim/model/evaluate.h"
#include "claim/model/index_set.h"
#include "claim/model/listed.h"
#include "exact/average.h"
#include "language/builtin.h"
#include "language/family_index.h"

static bool number(qkv__ratio ratio, qkv__curve *curve)
{
    *curve = (qkv__curve){.number = ratio};
    return !qkv__ratio_is_lost(ratio);
}

static bool vector(const qkv__vector *x, qkv__curve *curve)
{
    *curve = (qkv__curve){.vector = x};
    return x != NULL;
}

/* An evaluation of a part; what fails says so here, and nobody reads it. */
static qkv__evaluation evaluation(qkv__calculus *c, const qkv__binding *locals)
{
    c->failure = (qkv__failure){0};
    return (qkv__evaluation){
        .model = c->s->model, .locals = locals, .failure = &c->failure, .culprit = &c->culprit};
}

/* ---- What the exact engine evaluates ------------------------------------------------------------
 */

static bool from_value(qkv__calculus *c, const qkv__value *value, qkv__curve *curve)
{
    const qkv__vector *x;
    if (value->kind == QKV__VALUE_SCALAR) {
        qkv__ratio root = qkv__calculus_root(c, value->scalar.radicand);
        return number(qkv__ratio_multiply(c->algebra, value->scalar.factor, root), curve);
    }
    return qkv__value_as_vector(value, &x) && vector(x, curve);
}

static bool evaluate(qkv__calculus *c, const qkv__node *node, const qkv__binding *locals,
                     qkv__curve *curve)
{
    qkv__value value;
    qkv__evaluation e = evaluation(c, locals);
    return qkv__evaluate_in(&e, node, &value) && from_value(c, &value, curve);
}

static bool translate_number(qkv__calculus *c, const qkv__node *node, const qkv__binding *locals,
                             qkv__ratio *ratio)
{
    qkv__curve curve;
    if (!qkv__calculus_translate(c, node, locals, &curve) || curve.vector != NULL) return false;
    *ratio = curve.number;
    return true;
}

/* A definition that the exact engine could not hold, with the names that it saw. */
static bool translate_name(qkv__calculus *c, const qkv__node *node, const qkv__binding *locals,
                           qkv__curve *curve)
{
    assert(node->kind == QKV__NODE_NAME);
    qkv__model *model = c->s->model;
    const qkv__binding *binding = qkv__model_find(model, locals, node->text);
    if (binding == NULL && strcmp(node->text, "pi") == 0) return number(qkv__calculus_pi(c), curve);
    if (binding == NULL || binding->body == NULL || binding->chance != NULL) return false;
    const qkv__binding *bindings = model->bindings;
    model->bindings = binding->next;
    bool good = qkv__calculus_translate(c, binding->body, NULL, curve);
    model->bindings = bindings;
    return good;
}

/* ---- Operators ----------------------------------------------------------------------------------
 */

static bool scale(qkv__calculus *c, const qkv__curve *x, qkv__ratio factor, qkv__curve *curve)
{
    if (x->vector == NULL) return number(qkv__ratio_multiply(c->algebra, x->number, factor), curve);
    return vector(qkv__vector_scale(c->space, x->vector, factor), curve);
}

static bool add(qkv__calculus *c, const qkv__curve *x, const qkv__curve *y, bool subtract,
                qkv__curve *curve)
{
    if ((x->vector == NULL) != (y->vector == NULL)) return false;
    if (x->vector != NULL)
        return vector(subtract ? qkv__vector_subtract(c->space, x->vector, y->vector)
                               : qkv__vector_add(c->space, x->vector, y->vector),
                      curve);
    return number(subtract ? qkv__ratio_subtract(c->algebra, x->number, y->number)
                           : qkv__ratio_add(c->algebra, x->number, y->number),
                  curve);
}

static bool translate_binary(qkv__calculus *c, const qkv__node *node, const qkv__binding *locals,
                             qkv__curve *curve)
{
    qkv__curve x, y;
    if (!qkv__calculus_translate(c, node->child[0], locals, &x) ||
        !qkv__calculus_translate(c, node->child[1], locals, &y))
        return false;
    switch (node->kind) {
    case QKV__NODE_ADD: return add(c, &x, &y, false, curve);
    case QKV__NODE_SUBTRACT: return add(c, &x, &y, true, curve);
    case QKV__NODE_MULTIPLY:
        if (x.vector == NULL) return scale(c, &y, x.number, curve);
        return y.vector == NULL && scale(c, &x, y.number, curve);
    case QKV__NODE_DIVIDE:
        return y.vector == NULL && !qkv__ratio_is_zero(y.number) &&
               scale(c, &x,
                     qkv__ratio_divide(c->algebra, qkv__ratio_whole(c->algebra, 1), y.number),
                     curve);
    default:
        return x.vector != NULL && y.vector != NULL &&
               number(qkv__vector_dot(c->space, x.vector, y.vector), curve);
    }
}

static bool is_natural(const qkv__calculus *c, const qkv__node *node, const qkv__binding *locals)
{
    return node->kind == QKV__NODE_NAME && strcmp(node->text, "e") == 0 &&
           qkv__model_find(c->s->model, locals, "e") == NULL;
}

static bool keep_domain(qkv__calculus *c, qkv__domain domain)
{
    if (c->domain_count == QKV__ATOMS) return false;
    c->domain[c->domain_count++] = domain;
    return true;
}

/* A number whose logarithm stands for something that has a value at 0 as well. */
static bool keep_closed(qkv__calculus *c, qkv__ratio x)
{
    if (qkv__calculus_sign(c, x) == QKV__SIGN_POSITIVE) return true;
    return keep_domain(c, (qkv__domain){.argument = x, .closed = true});
}

static bool translate_power(qkv__calculus *c, const qkv__node *node, const qkv__binding *locals,
                            qkv__curve *curve)
{
    assert(node->kind == QKV__NODE_POWER);
    qkv__ratio x, y;
    if (!translate_number(c, node->child[1], locals, &y)) return false;
    if (is_natural(c, node->child[0], locals))
        return number(qkv__calculus_exponential(c, y), curve);
    if (!translate_number(c, node->child[0], locals, &x)) return false;
    qkv__rational exponent;
    const bool root = qkv__ratio_is_constant(y, &exponent) && exponent.denominator > 1;
    const bool divides = root && exponent.numerator < 0;
    if (divides || (root && exponent.denominator == 2))
        keep_domain(c, (qkv__domain){.argument = x, .strict = divides});
    else if (root && !keep_closed(c, x))
        return false;
    return number(qkv__calculus_power(c, x, y), curve);
}

/* ---- Sums
 * ---------------------------------------------------------------------------------------- */

/* Member by member, the unmarked ones by their number: they must be alike. */
static bool translate_sum(qkv__calculus *c, const qkv__node *call, const qkv__binding *locals,
                          bool mean, qkv__curve *curve)
{
    const qkv__node *node = call->child[0];
    qkv__model *model = c->s->model;
    qkv__index_set *set;
    bool left_out[QKV__MARKS + 1], begun = false;
    qkv__evaluation e = evaluation(c, locals);
    qkv__ratio members = qkv__ratio_whole(c->algebra, 0);
    if (!qkv__evaluate_domain(&e, node->child[1], &set, left_out)) return false;
    bool some_rest = qkv__set_may_have_rest(model, set) && !left_out[QKV__MARKS];
    if (some_rest && (!qkv__set_has_rest(model, set) ||
                      qkv__evaluation_is_entangled(&e, node->child[0], node->text)))
        return false;
    for (size_t i = 0; i < set->mark_count + some_rest; i++) {
        const bool rest = i == set->mark_count;
        if (left_out[rest ? QKV__MARKS : i]) continue;
        qkv__binding local =
            qkv__index_binding(node->text, set, rest ? QKV__GENERIC : (int)i, locals);
        qkv__ratio size = rest ? qkv__rest_size(c->algebra, set) : qkv__ratio_whole(c->algebra, 1);
        qkv__curve part, before = *curve;
        if (!qkv__calculus_translate(c, node->child[0], &local, &part) || part.vector != NULL ||
            (rest && qkv__ratio_is_generic(c->algebra, part.number)) ||
            !scale(c, &part, size, &part))
            return false;
        members = qkv__ratio_add(c->algebra, members, size);
        if (!begun) *curve = part;
        if (begun && !add(c, &before, &part, false, curve)) return false;
        begun = true;
    }
    qkv__curve sum = *curve;
    if (!begun) return !mean && number(qkv__ratio_whole(c->algebra, 0), curve);
    return !mean ||
           scale(c, &sum, qkv__ratio_divide(c->algebra, qkv__ratio_whole(c->algebra, 1), members),
                 curve);
}

/* -w ln w, times so many; 0 for a weight that is 0. */
static bool add_entropy(qkv__calculus *c, qkv__ratio weight, qkv__ratio size, qkv__ratio *sum)
{
    if (qkv__ratio_is_lost(weight)) return false;
    if (qkv__ratio_is_zero(weight)) return true;
    if (!keep_closed(c, weight)) return false;
    qkv__ratio part = qkv__ratio_multiply(c->algebra, weight, qkv__calculus_logarithm(c, weight));
    *sum = qkv__ratio_subtract(c->algebra, *sum, qkv__ratio_multiply(c->algebra, size, part));
    return !qkv__ratio_is_lost(*sum);
}

/* ln(sum of e^s) minus the mean of the scores, where those of the rest differ: -ln w = ln Z - s. */
static bool spread_entropy(qkv__calculus *c, const qkv__index_set *keys, const qkv__attention *row,
                           qkv__curve *curve)
{
    qkv__algebra *algebra = c->algebra;
    const size_t one = keys->mark_count, others = one + 1;
    if (row->score == NULL || row->partial) return false; /* a mean of heads, or a sink */
    qkv__ratio fewer =
        qkv__ratio_subtract(algebra, qkv__rest_size(algebra, keys), qkv__ratio_whole(algebra, 1));
    qkv__ratio average = qkv__average_number(c->space, row->score[one], row->score[one]);
    qkv__ratio weight = qkv__ratio_multiply(algebra, fewer, row->weight[others]);
    qkv__ratio mean = qkv__ratio_multiply(algebra, weight, average);
    for (size_t i = 0; i <= one; i++)
        mean = qkv__ratio_add(algebra, mean,
                              qkv__ratio_multiply(algebra, row->weight[i], row->score[i]));
    qkv__ratio total =
        qkv__ratio_subtract(algebra, row->score[one], qkv__calculus_logarithm(c, row->weight[one]));
    return number(qkv__ratio_subtract(algebra, total, mean), curve);
}

/* logsumexp(c.score): ln(e^s/w), whichever key it is of. */
static bool translate_log_sum(qkv__calculus *c, const qkv__node *node, const qkv__binding *locals,
                              qkv__curve *curve)
{
    qkv__value value;
    qkv__evaluation e = evaluation(c, locals);
    const qkv__node *of = node->child[0];
    if (node->count != 1 || of->kind != QKV__NODE_MEMBER || strcmp(of->text, "score") != 0 ||
        !qkv__evaluate_in(&e, of->child[0], &value) || value.kind != QKV__VALUE_RESULT ||
        value.result->queries != NULL || value.result->row[0]->score == NULL)
        return false;
    const qkv__attention *row = value.result->row[0];
    if (row->partial) return false; /* what it is divided by is more, or less */
    return number(
        qkv__ratio_subtract(c->algebra, row->score[0], qkv__calculus_logarithm(c, row->weight[0])),
        curve);
}

static bool translate_entropy(qkv__calculus *c, const qkv__node *node, const qkv__binding *locals,
                              qkv__curve *curve)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__value value;
    qkv__evaluation e = evaluation(c, locals);
    const qkv__node *of = node->child[0];
    const bool member = of->kind == QKV__NODE_MEMBER && strcmp(of->text, "weight") == 0;
    qkv__ratio sum = qkv__ratio_whole(c->algebra, 0), one = qkv__ratio_whole(c->algebra, 1);
    if (node->count != 1 || !qkv__evaluate_in(&e, member ? of->child[0] : of, &value)) return false;
    if (value.kind == QKV__VALUE_LIST) {
        for (size_t i = 0; i < value.count; i++) {
            qkv__ratio weight;
            if (!qkv__value_as_ratio(&value.element[i], &weight) ||
                !add_entropy(c, weight, one, &sum))
                return false;
        }
        return number(sum, curve);
    }
    if (value.kind != QKV__VALUE_RESULT || value.result->queries != NULL) return false;
    const qkv__index_set *keys = value.result->keys;
    const qkv__attention *row = value.result->row[0];
    if (row->whole) return false; /* weights that differ stand for each other there */
    if (row->count > keys->mark_count + 1) return spread_entropy(c, keys, row, curve);
    for (size_t i = 0; i < row->count; i++) {
        const bool rest = i == keys->mark_count;
        if (rest && qkv__ratio_is_generic(c->algebra, row->weight[i])) return false;
        if (!add_entropy(c, row->weight[i], rest ? qkv__rest_size(c->algebra, keys) : one, &sum))
            return false;
    }
    return number(sum, curve);
}

/* ---- Calls
 * ---------------------------------------------------------------------------------------- */

/* max(x, y) = (x + y + |x - y|)/2 */
static qkv__ratio larger(qkv__calculus *c, qkv__ratio x, qkv__ratio y, bool smaller)
{
    qkv__ratio size = qkv__calculus_size(c, qkv__ratio_subtract(c->algebra, x, y));
    qkv__ratio sum = qkv__ratio_add(c->algebra, x, y);
    sum = smaller ? qkv__ratio_subtract(c->algebra, sum, size)
                  : qkv__ratio_add(c->algebra, sum, size);
    return qkv__ratio_divide(c->algebra, sum, qkv__ratio_whole(c->algebra, 2));
}

static bool translate_extreme(qkv__calculus *c, const qkv__node *node, const qkv__binding *locals,
                              bool smaller, qkv__curve *curve)
{
    qkv__ratio most, next;
    if (node->count < 2 || !translate_number(c, node->child[0], locals, &most)) return false;
    for (size_t i = 1; i < node->count; i++) {
        if (!translate_number(c, node->child[i], locals, &next)) return false;
        most = larger(c, most, next, smaller);
    }
    return number(most, curve);
}

/* Whether something but indexes is bound around a place: then neither reading takes derivatives. */
static bool has_arguments(const qkv__binding *locals)
{
    for (; locals != NULL; locals = locals->next)
        if (locals->value.kind != QKV__VALUE_INDEX) return true;
    return false;
}

static bool translate_derivative(qkv__calculus *c, const qkv__node *node,
                                 const qkv__binding *locals, qkv__curve *curve)
{
    assert(node->kind == QKV__NODE_CALL && node->count == 2);
    qkv__evaluation e = evaluation(c, locals);
    qkv__ratio x;
    qkv__symbol symbol;
    if (has_arguments(locals) || !translate_number(c, node->child[0], locals, &x)) return false;
    if (qkv__builtin_of(node) == QKV__BUILTIN_GRADIENT)
        return qkv__gradient_symbol(&e, node->child[1], &symbol) &&
               vector(qkv__calculus_gradient(c, x, symbol), curve);
    int parameter = qkv__derivative_parameter(&e, node->child[1]);
    return parameter >= 0 && number(qkv__calculus_derivative(c, x, parameter), curve);
}

/* Whether a value may be another one for each unmarked member of a family; lists, results and the
 * like are not looked into. */
static bool may_be_generic(qkv__calculus *c, const qkv__value *value, const qkv__binding *locals)
{
    qkv__ratio ratio;
    const qkv__vector *vector;
    if (qkv__value_as_ratio(value, &ratio)) return qkv__ratio_is_generic(c->algebra, ratio);
    if (qkv__value_as_vector(value, &vector)) return qkv__vector_is_generic(c->space, vector);
    for (; locals != NULL; locals = locals->next)
        if (locals->value.kind != QKV__VALUE_INDEX || locals->value.member == QKV__GENERIC)
            return true;
    return value->kind == QKV__VALUE_INDEX;
}

/* An argument of a function: its exact value, or else the number or vector with letters for what
 * has none, pi and ln x. Not where it may be another one for each member of a family: an index
 * within would be taken for the function's own. */
static bool translate_argument(qkv__calculus *c, const qkv__node *node, const qkv__binding *locals,
                               qkv__value *value)
{
    qkv__curve curve;
    qkv__evaluation e = evaluation(c, locals);
    if (qkv__evaluate_in(&e, node, value)) return !may_be_generic(c, value, locals);
    for (const qkv__binding *local = locals; local != NULL; local = local->next)
        if (may_be_generic(c, &local->value, NULL)) return false;
    if (!qkv__calculus_translate(c, node, locals, &curve)) return false;
    *value = curve.vector != NULL ? qkv__value_vector(curve.vector)
                                  : qkv__value_scalar(c->space, curve.number);
    return !may_be_generic(c, value, locals);
}

/* A function of the document: its body, in which the names of its arguments stand for their values.
 */
static bool translate_function(qkv__calculus *c, const qkv__node *node,
                               const qkv__statement *function, const qkv__binding *locals,
                               qkv__curve *curve)
{
    enum { MOST = 8 };
    qkv__binding arguments[MOST];
    const qkv__node *target = function->node[0];
    if (target->count != node->count || node->count == 0 || node->count > MOST) return false;
    for (size_t i = 0; i < node->count; i++) {
        arguments[i] = (qkv__binding){.name = target->child[i]->text,
                                      .next = i == 0 ? NULL : &arguments[i - 1]};
        if (!translate_argument(c, node->child[i], locals, &arguments[i].value)) return false;
    }
    return qkv__calculus_translate(c, function->node[1], &arguments[node->count - 1], curve);
}

/* (e^x - e^-x)/2, or with a sum cosh x. */
static qkv__ratio hyperbolic(qkv__calculus *c, qkv__ratio x, bool sine)
{
    qkv__algebra *algebra = c->algebra;
    qkv__ratio up = qkv__calculus_exponential(c, x);
    qkv__ratio down = qkv__calculus_exponential(c, qkv__ratio_negate(algebra, x));
    qkv__ratio both =
        sine ? qkv__ratio_subtract(algebra, up, down) : qkv__ratio_add(algebra, up, down);
    return qkv__ratio_divide(algebra, both, qkv__ratio_whole(algebra, 2));
}

static bool translate_call(qkv__calculus *c, const qkv__node *node, const qkv__binding *locals,
                           qkv__curve *curve)
{
    assert(node->kind == QKV__NODE_CALL);
    const qkv__builtin function = qkv__builtin_of(node);
    const qkv__binding *binding = qkv__model_find(c->s->model, locals, node->text);
    const bool over = qkv__call_is_over(node);
    qkv__ratio x;
    if (binding != NULL && binding->function != NULL)
        return translate_function(c, node, binding->function, locals, curve);
    if (function == QKV__BUILTIN_DERIVATIVE || function == QKV__BUILTIN_GRADIENT)
        return translate_derivative(c, node, locals, curve);
    if (binding != NULL || node->count == 0) return false;
    if (over && (function == QKV__BUILTIN_SUM || function == QKV__BUILTIN_MEAN))
        return translate_sum(c, node, locals, function == QKV__BUILTIN_MEAN, curve);
    if (over) return false;
    if (function == QKV__BUILTIN_ENTROPY) return translate_entropy(c, node, locals, curve);
    if (function == QKV__BUILTIN_LOG_SUM_EXP) return translate_log_sum(c, node, locals, curve);
    if (function == QKV__BUILTIN_MAX || function == QKV__BUILTIN_MIN)
        return translate_extreme(c, node, locals, function == QKV__BUILTIN_MIN, curve);
    if (node->count != 1 || !translate_number(c, node->child[0], locals, &x)) return false;
    if (function == QKV__BUILTIN_LN || function == QKV__BUILTIN_SQRT)
        keep_domain(c, (qkv__domain){.argument = x, .strict = function == QKV__BUILTIN_LN});
    switch (function) {
    case QKV__BUILTIN_ABS: return number(qkv__calculus_size(c, x), curve);
    case QKV__BUILTIN_COS: return number(qkv__calculus_wave(c, x, false), curve);
    case QKV__BUILTIN_COSH: return number(hyperbolic(c, x, false), curve);
    case QKV__BUILTIN_ERF: return number(qkv__calculus_error_function(c, x), curve);
    case QKV__BUILTIN_EXP: return number(qkv__calculus_exponential(c, x), curve);
    case QKV__BUILTIN_LN: return number(qkv__calculus_logarithm(c, x), curve);
    case QKV__BUILTIN_SIN: return number(qkv__calculus_wave(c, x, true), curve);
    case QKV__BUILTIN_SINH: return number(hyperbolic(c, x, true), curve);
    case QKV__BUILTIN_SQRT: return number(qkv__calculus_root(c, x), curve);
    case QKV__BUILTIN_TANH: return number(qkv__calculus_tangent(c, x), curve);
    default: return false;
    }
}

/* ---- Lists
 * ---------------------------------------------------------------------------------------- */

/* [sin(t), cos(t)]: a vector of coordinates. */
static bool translate_list(qkv__calculus *c, const qkv__node *node, const qkv__binding *locals,
                           qkv__curve *curve)
{
    assert(node->kind == QKV__NODE_LIST);
    const qkv__vector *made;
    if (qkv__list_is_family(node) || node->table != NULL || node->count == 0 ||
        node->count > QKV__MARKS)
        return false;
    qkv__value *entry = qkv__arena_array(&c->algebra->arena, node->count, sizeof *entry);
    for (size_t i = 0; entry != NULL && i < node->count; i++) {
        qkv__ratio x;
        if (!translate_number(c, node->child[i], locals, &x)) return false;
        entry[i] = qkv__value_scalar(c->space, x);
    }
    const qkv__value list = {.kind = QKV__VALUE_LIST, .count = node->count, .element = entry};
    return entry != NULL && qkv__model_coordinates(c->s->model, &list, &made, &c->failure) &&
           vector(made, curve);
}

/* p[1] of such a list. */
static bool translate_entry(qkv__calculus *c, const qkv__node *node, const qkv__binding *locals,
                            qkv__curve *curve)
{
    assert(node->kind == QKV__NODE_INDEX);
    qkv__curve base;
    qkv__ratio entry;
    const qkv__node *index = node->child[1];
    if (node->count != 2 || index->kind != QKV__NODE_NUMBER || index->value.denominator != 1 ||
        !qkv__calculus_translate(c, node->child[0], locals, &base) || base.vector == NULL)
        return false;
    const qkv__value list = qkv__value_vector(base.vector);
    return index->value.numerator >= 1 &&
           (size_t)index->value.numerator <= qkv__value_entry_count(&list) &&
           qkv__value_entry(c->algebra, &list, (size_t)index->value.numerator - 1, &entry) &&
           number(entry, curve);
}

/* |x| of a vector: the root of x.x. */
static bool translate_norm(qkv__calculus *c, const qkv__node *node, const qkv__binding *locals,
                           qkv__curve *curve)
{
    assert(node->kind == QKV__NODE_SIZE);
    qkv__curve inner;
    if (!qkv__calculus_translate(c, node->child[0], locals, &inner) || inner.vector == NULL)
        return false;
    qkv__ratio square = qkv__vector_dot(c->space, inner.vector, inner.vector);
    return number(qkv__calculus_root(c, qkv__calculus_rewrite(c, square)), curve);
}

/* ---- Logarithms within what the exact engine evaluates ----------------------------------------
 */

enum { LETTERS = 6 };

/* Names for logarithms, bound to their letters. */
typedef struct letters {
    const qkv__binding *locals;
    size_t count;
    qkv__binding binding[LETTERS];
} letters;

/* A name in place of ln(x), where x is a number that is the same for all keys. */
static const qkv__node *name_logarithm(qkv__calculus *c, const qkv__node *node, letters *l)
{
    static const char *const names[LETTERS] = {"ln.1", "ln.2", "ln.3", "ln.4", "ln.5", "ln.6"};
    qkv__ratio x;
    if (l->count == LETTERS || !translate_number(c, node->child[0], l->locals, &x) ||
        qkv__ratio_is_generic(c->algebra, x) ||
        !keep_domain(c, (qkv__domain){.argument = x, .strict = true}))
        return NULL;
    const qkv__ratio letter = qkv__calculus_logarithm(c, x);
    qkv__node *name = qkv__arena_take(&c->algebra->arena, sizeof *name);
    if (name == NULL || qkv__ratio_is_lost(letter)) return NULL;
    *name = (qkv__node){
        .kind = QKV__NODE_NAME, .place = node->place, .text = names[l->count], .depth = 1};
    l->binding[l->count] =
        (qkv__binding){.name = names[l->count], .value = qkv__value_scalar(c->space, letter)};
    l->count++;
    return name;
}

/* A tree with names for its logarithms, and definitions that have them written out; the tree itself
 * where there are none. NULL: one of them has no letter. */
static const qkv__node *with_letters(qkv__calculus *c, const qkv__node *node, letters *l, int depth)
{
    enum { DEEPEST = 60 };
    if (depth > DEEPEST) return NULL;
    if (qkv__builtin_of(node) == QKV__BUILTIN_LN && node->count == 1)
        return name_logarithm(c, node, l);
    const qkv__binding *defined =
        node->kind == QKV__NODE_NAME ? qkv__model_find(c->s->model, l->locals, node->text) : NULL;
    if (defined != NULL && defined->body != NULL && defined->chance == NULL)
        return with_letters(c, defined->body, l, depth + 1);
    const qkv__node **child = NULL;
    for (size_t i = 0; i < node->count; i++) {
        const qkv__node *part = with_letters(c, node->child[i], l, depth + 1);
        if (part == NULL) return NULL;
        if (part == node->child[i]) continue;
        if (child == NULL) {
            child = qkv__arena_array(&c->algebra->arena, node->count, sizeof *child);
            if (child == NULL) return NULL;
            memcpy(child, node->child, node->count * sizeof *child);
        }
        child[i] = part;
    }
    if (child == NULL) return node;
    qkv__node *made = qkv__arena_take(&c->algebra->arena, sizeof *made);
    if (made == NULL) return NULL;
    *made = *node;
    made->child = child;
    return made;
}

/* attend(ln(n)*k[a], k, v) and its weights: ln(n) is a letter in the scores. */
static bool translate_by_letters(qkv__calculus *c, const qkv__node *node,
                                 const qkv__binding *locals, qkv__curve *curve)
{
    letters l = {.locals = locals};
    const size_t domains = c->domain_count;
    const qkv__node *named = with_letters(c, node, &l, 0);
    const qkv__binding *bound = locals;
    for (size_t i = 0; i < l.count; i++) {
        l.binding[i].next = bound;
        bound = &l.binding[i];
    }
    if (named != NULL && l.count > 0 && evaluate(c, named, bound, curve)) return true;
    c->domain_count = domains;
    return false;
}

static bool translate_parts(qkv__calculus *c, const qkv__node *node, const qkv__binding *locals,
                            qkv__curve *curve)
{
    qkv__ratio x;
    if (node->kind == QKV__NODE_SIZE && translate_number(c, node->child[0], locals, &x))
        return number(qkv__calculus_size(c, x), curve);
    if (evaluate(c, node, locals, curve)) return true;
    switch (node->kind) {
    case QKV__NODE_NAME: return translate_name(c, node, locals, curve);
    case QKV__NODE_CALL: return translate_call(c, node, locals, curve);
    case QKV__NODE_POWER: return translate_power(c, node, locals, curve);
    case QKV__NODE_LIST: return translate_list(c, node, locals, curve);
    case QKV__NODE_INDEX: return translate_entry(c, node, locals, curve);
    case QKV__NODE_SIZE: return translate_norm(c, node, locals, curve);
    case QKV__NODE_NEGATE: {
        qkv__curve inner;
        return qkv__calculus_translate(c, node->child[0], locals, &inner) &&
               scale(c, &inner, qkv__ratio_whole(c->algebra, -1), curve);
    }
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_MULTIPLY:
    case QKV__NODE_DIVIDE:
    case QKV__NODE_DOT: return translate_binary(c, node, locals, curve);
    default: return false;
    }
}

bool qkv__calculus_translate(qkv__calculus *c, const qkv__node *node, const qkv__binding *locals,
                             qkv__curve *curve)
{
    if (translate_parts(c, node, locals, curve)) return true;
    const bool attention =
        node->kind == QKV__NODE_INDEX || qkv__builtin_of(node) == QKV__BUILTIN_ATTEND;
    return attention && translate_by_letters(c, node, locals, curve);
}
