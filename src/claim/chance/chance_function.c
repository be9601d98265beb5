/*
 * E, Var and Cov of sines, cosines, absolute values and maxima of normal numbers, as expressions
 * without chance in them, which other engines compare. Knows syntax and laws; compares nothing.
 *
 * An expression is taken apart into a sum of products of
 *   - what is not random,
 *   - what the exact engine evaluates, polynomials and exponentials of random numbers,
 *   - sines and cosines of normal numbers, which addition theorems make one,
 *   - sizes |L| of normal numbers; max(x, y) = (x + y + |x - y|)/2.
 * With L of mean m and variance V, and M so that all are jointly normal,
 *
 *     E(cos(L) e^M) = cos(m + Cov(L, M)) e^(-V/2) E(e^M), and so for sines;
 *     E(cos(L) M) = E(M) E(cos(L)) - Cov(L, M) E(sin(L)), with a plus for sines (Stein);
 *     E|L| = sqrt(2V/pi) e^(-m^2/(2V)) + m erf(m/sqrt(2V)), which for m = 0 is true for V = 0 too;
 *     E(L^(2r)|L|) = 2^r r! V^r sqrt(2V/pi) and E(L^(2r+1)|L|) = 0 for m = 0.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/chance/chance_part.h"
#include "claim/model/compose.h"
#include "claim/chance/moment.h"
#include "claim/chance/symmetry.h"
#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/model/random_parameters.h"
#include "exact/sign.h"
#include "language/builtin.h"
#include "language/chance_call.h"

enum { TERMS = 24, FUNCTIONS = 4, POWER = 4, DEPTH = 40, NAME = 32 };

/* sin or cos of factor*sqrt(radicand). */
typedef struct wave {
    qkv__surd argument;
    bool sine;
} wave;

/* fixed * random * waves * sizes; fixed: NULL for 1. */
typedef struct product {
    const qkv__node *fixed;
    qkv__ratio random;
    size_t wave_count, size_count;
    wave wave[FUNCTIONS];
    qkv__ratio size[FUNCTIONS];
} product;

typedef struct products {
    size_t count;
    product term[TERMS];
} products;

typedef struct closing {
    qkv__situation *s;
    qkv__algebra *algebra;
    const qkv__binding *locals; /* with the moments that were met, by names */
    int names, depth;
} closing;

/* ---- Values as expressions ----------------------------------------------------------- */

static const qkv__node *write_value(closing *x, qkv__value value, qkv__place place)
{
    qkv__arena *arena = &x->algebra->arena;
    char *name = qkv__arena_array(arena, NAME, sizeof *name);
    qkv__binding *binding = qkv__arena_take(arena, sizeof *binding);
    if (name == NULL || binding == NULL) return NULL;
    snprintf(name, NAME, "moment %d", ++x->names);
    *binding = (qkv__binding){.name = name, .value = value, .next = x->locals};
    x->locals = binding;
    return qkv__compose_name(x->s->model, name, place);
}

static const qkv__node *write_ratio(closing *x, qkv__ratio ratio, qkv__place place)
{
    if (qkv__ratio_is_lost(ratio)) return NULL;
    return write_value(x, qkv__value_scalar(&x->s->model->space, ratio), place);
}

static const qkv__node *write_call(closing *x, const char *function, const qkv__node *argument)
{
    return qkv__compose_unary(x->s->model, QKV__NODE_CALL, function, argument);
}

static const qkv__node *times(closing *x, const qkv__node *one, const qkv__node *other)
{
    return qkv__compose_binary(x->s->model, QKV__NODE_MULTIPLY, one, other);
}

static const qkv__node *plus(closing *x, const qkv__node *one, const qkv__node *other)
{
    return qkv__compose_binary(x->s->model, QKV__NODE_ADD, one, other);
}

static const qkv__node *over(closing *x, const qkv__node *one, const qkv__node *other)
{
    return qkv__compose_binary(x->s->model, QKV__NODE_DIVIDE, one, other);
}

static const qkv__node *whole(closing *x, int64_t value, qkv__place place)
{
    return qkv__compose_number(x->s->model, qkv__rational_whole(value), place);
}

/* ---- What is random ------------------------------------------------------------------ */

static bool evaluate(closing *x, const qkv__node *node, qkv__value *value)
{
    const bool noisy = x->s->model->noisy;
    x->s->model->noisy = true;
    const bool good = qkv__model_value(x->s->model, node, x->locals, value);
    x->s->model->noisy = noisy;
    return good;
}

static bool is_still(const qkv__model *model, const qkv__value *value)
{
    const qkv__vector *vector;
    if (value->kind == QKV__VALUE_SCALAR)
        return !qkv__random_touches(model, value->scalar.factor) &&
               !qkv__random_touches(model, value->scalar.radicand);
    if (!qkv__value_as_vector(value, &vector) || qkv__random_is_noisy(vector)) return false;
    for (size_t i = 0; i < vector->count; i++)
        if (qkv__random_touches(model, vector->component[i].factor)) return false;
    return true;
}

/* Whether nothing random is in an expression; false also where that is not known. */
static bool is_fixed(closing *x, const qkv__node *node)
{
    qkv__value value;
    if (node->kind == QKV__NODE_NUMBER) return true;
    if (qkv__speaks_of_chance(node)) return false;
    if (evaluate(x, node, &value)) return is_still(x->s->model, &value);
    if (node->kind == QKV__NODE_NAME) {
        const qkv__binding *binding = qkv__model_find(x->s->model, x->locals, node->text);
        if (binding == NULL) return strcmp(node->text, "pi") == 0;
        return binding->body != NULL && binding->chance == NULL &&
               !qkv__compose_is_outdated(x->s->model, binding->body, binding) &&
               is_fixed(x, binding->body);
    }
    const qkv__builtin_kind kind = qkv__builtin_kind_of(qkv__builtin_of(node));
    if (node->kind == QKV__NODE_CALL &&
        (kind != QKV__OF_NUMBERS || qkv__call_is_over(node) ||
         qkv__model_find(x->s->model, x->locals, node->text) != NULL))
        return false;
    const bool known = node->kind == QKV__NODE_CALL || node->kind == QKV__NODE_NEGATE ||
                       node->kind == QKV__NODE_SIZE || node->kind == QKV__NODE_LIST ||
                       (node->kind >= QKV__NODE_ADD && node->kind <= QKV__NODE_DOT);
    for (size_t i = 0; known && i < node->count; i++)
        if (!is_fixed(x, node->child[i])) return false;
    return known && node->count > 0;
}

/* A random number, without what the premises replaced. */
static bool read_number(closing *x, const qkv__node *node, qkv__surd *number)
{
    qkv__value value;
    if (!evaluate(x, node, &value) || value.kind != QKV__VALUE_SCALAR ||
        qkv__random_touches(x->s->model, value.scalar.radicand))
        return false;
    *number = (qkv__surd){qkv__moment_apply(x->s, value.scalar.factor), value.scalar.radicand};
    return !qkv__ratio_is_lost(number->factor);
}

/* ---- Sums of products ---------------------------------------------------------------- */

static product one(closing *x)
{
    return (product){.random = qkv__ratio_whole(x->algebra, 1)};
}

static bool add_product(products *sum, const product *term)
{
    if (sum->count == TERMS) return false;
    sum->term[sum->count++] = *term;
    return true;
}

static bool multiply(closing *x, const product *a, const product *b, product *made)
{
    *made = *a;
    made->random = qkv__ratio_multiply(x->algebra, a->random, b->random);
    if (a->fixed == NULL) made->fixed = b->fixed;
    if (a->fixed != NULL && b->fixed != NULL) {
        made->fixed = times(x, a->fixed, b->fixed);
        if (made->fixed == NULL) return false;
    }
    if (a->wave_count + b->wave_count > FUNCTIONS || a->size_count + b->size_count > FUNCTIONS)
        return false;
    for (size_t i = 0; i < b->wave_count; i++) made->wave[made->wave_count++] = b->wave[i];
    for (size_t i = 0; i < b->size_count; i++) made->size[made->size_count++] = b->size[i];
    return !qkv__ratio_is_lost(made->random);
}

static bool multiply_sums(closing *x, const products *a, const products *b, products *made)
{
    made->count = 0;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            product term;
            if (!multiply(x, &a->term[i], &b->term[j], &term) || !add_product(made, &term))
                return false;
        }
    return true;
}

static void scale(closing *x, products *sum, size_t from, qkv__rational factor)
{
    for (size_t i = from; i < sum->count; i++)
        sum->term[i].random = qkv__ratio_multiply(x->algebra, sum->term[i].random,
                                                  qkv__ratio_constant(x->algebra, factor));
}

/* A root that is not random is a fixed factor. */
static bool take_root_out(closing *x, qkv__ratio radicand, qkv__place place, product *term)
{
    qkv__rational value;
    if (qkv__ratio_is_constant(radicand, &value) && value.numerator == 1 && value.denominator == 1)
        return true;
    qkv__value root = qkv__value_scalar(&x->s->model->space, qkv__ratio_whole(x->algebra, 1));
    root.scalar.radicand = radicand;
    term->fixed = write_value(x, root, place);
    return term->fixed != NULL;
}

static bool expand(closing *x, const qkv__node *node, products *sum);

static bool add_size(closing *x, const qkv__node *node, qkv__surd number, products *sum)
{
    product term = one(x);
    term.size[term.size_count++] = number.factor;
    return take_root_out(x, number.radicand, node->place, &term) && add_product(sum, &term);
}

/* (y + z +- |y - z|)/2 */
static bool expand_extreme(closing *x, const qkv__node *node, bool least, products *sum)
{
    qkv__surd apart;
    const size_t from = sum->count;
    if (node->count != 2 || qkv__call_is_over(node)) return false;
    const qkv__node *difference =
        qkv__compose_binary(x->s->model, QKV__NODE_SUBTRACT, node->child[0], node->child[1]);
    if (difference == NULL || !read_number(x, difference, &apart) || !add_size(x, node, apart, sum))
        return false;
    if (least) scale(x, sum, from, qkv__rational_whole(-1));
    if (!expand(x, node->child[0], sum) || !expand(x, node->child[1], sum)) return false;
    scale(x, sum, from, qkv__rational_make(1, 2));
    return true;
}

static bool expand_power(closing *x, const qkv__node *node, products *sum)
{
    const qkv__node *exponent = node->child[1];
    products base = {0}, power = {0}, next;
    if (exponent->kind != QKV__NODE_NUMBER || exponent->value.denominator != 1 ||
        exponent->value.numerator < 1 || exponent->value.numerator > POWER ||
        !expand(x, node->child[0], &base))
        return false;
    power = base;
    for (int64_t i = 1; i < exponent->value.numerator; i++) {
        if (!multiply_sums(x, &power, &base, &next)) return false;
        power = next;
    }
    for (size_t i = 0; i < power.count; i++)
        if (!add_product(sum, &power.term[i])) return false;
    return true;
}

static bool expand_product(closing *x, const qkv__node *first, const qkv__node *second,
                           products *sum)
{
    products a = {0}, b = {0}, made;
    if (!expand(x, first, &a) || !expand(x, second, &b) || !multiply_sums(x, &a, &b, &made))
        return false;
    for (size_t i = 0; i < made.count; i++)
        if (!add_product(sum, &made.term[i])) return false;
    return true;
}

/* [a, b].[c, d] = a c + b d */
static bool expand_dot(closing *x, const qkv__node *node, products *sum)
{
    const qkv__node *left = qkv__compose_unfolded(x->s->model, x->locals, node->child[0]),
                    *right = qkv__compose_unfolded(x->s->model, x->locals, node->child[1]);
    if (left == NULL || right == NULL || left->kind != QKV__NODE_LIST ||
        right->kind != QKV__NODE_LIST || left->count != right->count || left->count == 0)
        return false;
    for (size_t i = 0; i < left->count; i++)
        if (!expand_product(x, left->child[i], right->child[i], sum)) return false;
    return true;
}

/* ---- Expressions --------------------------------------------------------------------- */

static bool expand_call(closing *x, const qkv__node *node, products *sum)
{
    assert(node->kind == QKV__NODE_CALL);
    const qkv__builtin function = qkv__builtin_of(node);
    qkv__surd argument;
    if (function == QKV__BUILTIN_MAX || function == QKV__BUILTIN_MIN)
        return expand_extreme(x, node, function == QKV__BUILTIN_MIN, sum);
    if (node->count != 1 || !read_number(x, node->child[0], &argument)) return false;
    if (function == QKV__BUILTIN_ABS) return add_size(x, node, argument, sum);
    if (function != QKV__BUILTIN_SIN && function != QKV__BUILTIN_COS) return false;
    product term = one(x);
    term.wave[term.wave_count++] = (wave){argument, function == QKV__BUILTIN_SIN};
    return add_product(sum, &term);
}

static bool expand_parts(closing *x, const qkv__node *node, products *sum)
{
    const size_t from = sum->count;
    qkv__surd number;
    switch (node->kind) {
    case QKV__NODE_NEGATE:
        if (!expand(x, node->child[0], sum)) return false;
        return scale(x, sum, from, qkv__rational_whole(-1)), true;
    case QKV__NODE_ADD: return expand(x, node->child[0], sum) && expand(x, node->child[1], sum);
    case QKV__NODE_SUBTRACT: {
        if (!expand(x, node->child[1], sum)) return false;
        scale(x, sum, from, qkv__rational_whole(-1));
        return expand(x, node->child[0], sum);
    }
    case QKV__NODE_MULTIPLY:
        if (strcmp(node->text, ".") == 0 && expand_dot(x, node, sum)) return true;
        return expand_product(x, node->child[0], node->child[1], sum);
    case QKV__NODE_DIVIDE:
        if (!is_fixed(x, node->child[1]) || !expand(x, node->child[0], sum)) return false;
        for (size_t i = from; i < sum->count; i++) {
            const qkv__node *above = sum->term[i].fixed;
            if (above == NULL) above = whole(x, 1, node->place);
            sum->term[i].fixed = above == NULL ? NULL : over(x, above, node->child[1]);
            if (sum->term[i].fixed == NULL) return false;
        }
        return true;
    case QKV__NODE_POWER: return expand_power(x, node, sum);
    case QKV__NODE_DOT: return expand_dot(x, node, sum);
    case QKV__NODE_SIZE:
        return read_number(x, node->child[0], &number) && add_size(x, node, number, sum);
    case QKV__NODE_CALL: return expand_call(x, node, sum);
    default: return false;
    }
}

/* |x| of a number is taken apart even where the exact engine has a root for it. */
static bool is_size_of_number(closing *x, const qkv__node *node)
{
    qkv__surd number;
    const bool size = node->kind == QKV__NODE_SIZE || qkv__builtin_of(node) == QKV__BUILTIN_ABS;
    return size && node->count == 1 && read_number(x, node->child[0], &number) &&
           qkv__random_touches(x->s->model, number.factor);
}

static bool expand(closing *x, const qkv__node *node, products *sum)
{
    product term = one(x);
    qkv__surd number;
    bool good = false;
    if (++x->depth > DEPTH) return false;
    if (is_size_of_number(x, node)) {
        good = expand_parts(x, node, sum);
    } else if (read_number(x, node, &number)) {
        term.random = number.factor;
        good = take_root_out(x, number.radicand, node->place, &term) && add_product(sum, &term);
    } else if (is_fixed(x, node)) {
        term.fixed = node;
        good = add_product(sum, &term);
    } else {
        const qkv__node *what = qkv__compose_unfolded(x->s->model, x->locals, node);
        if (what != NULL) good = what != node ? expand(x, what, sum) : expand_parts(x, node, sum);
    }
    x->depth--;
    return good;
}

/* ---- Moments of products ------------------------------------------------------------- */

typedef struct normal_law {
    qkv__ratio mean, variance;
} normal_law;

static bool law_of(closing *x, qkv__ratio f, normal_law *law)
{
    if (!qkv__moment_normal(x->s, f, &law->mean, &law->variance)) return false;
    law->mean = qkv__situation_apply(x->s, law->mean);
    law->variance = qkv__situation_apply(x->s, law->variance);
    return !qkv__ratio_is_lost(law->mean) && !qkv__ratio_is_lost(law->variance);
}

/* sqrt(2V/pi) */
static const qkv__node *spread(closing *x, qkv__ratio variance, qkv__place place)
{
    const qkv__node *twice = write_ratio(
        x, qkv__ratio_multiply(x->algebra, qkv__ratio_whole(x->algebra, 2), variance), place);
    return write_call(x, "sqrt", over(x, twice, qkv__compose_name(x->s->model, "pi", place)));
}

/* E|L| */
static const qkv__node *mean_size(closing *x, qkv__ratio f, qkv__place place)
{
    normal_law law;
    if (!law_of(x, f, &law)) return NULL;
    if (qkv__ratio_is_zero(law.mean)) return spread(x, law.variance, place);
    if (qkv__ratio_sign(x->algebra, law.variance) != QKV__SIGN_POSITIVE) return NULL;
    const qkv__node *mean = write_ratio(x, law.mean, place);
    const qkv__node *twice = write_ratio(
        x, qkv__ratio_multiply(x->algebra, qkv__ratio_whole(x->algebra, 2), law.variance), place);
    const qkv__node *square = qkv__compose_square(x->s->model, mean);
    const qkv__node *bell = square == NULL
                                ? NULL
                                : write_call(x, "exp",
                                             qkv__compose_unary(x->s->model, QKV__NODE_NEGATE, "",
                                                                over(x, square, twice)));
    return plus(x, times(x, spread(x, law.variance, place), bell),
                times(x, mean, write_call(x, "erf", over(x, mean, write_call(x, "sqrt", twice)))));
}

/* E(f|L|) where f = c L^k, and the mean of L is 0 unless k = 0. */
static const qkv__node *mean_with_size(closing *x, const product *term, qkv__place place)
{
    const qkv__ratio l = term->size[0];
    normal_law law;
    qkv__ratio factor = term->random;
    if (!law_of(x, l, &law)) return NULL;
    int power = 0;
    while (qkv__random_touches(x->s->model, factor)) {
        if (++power > POWER) return NULL;
        factor = qkv__ratio_divide(x->algebra, factor, l);
        if (qkv__ratio_is_lost(factor)) return NULL;
    }
    const qkv__node *fixed = write_ratio(x, factor, place);
    if (power == 0) return times(x, fixed, mean_size(x, l, place));
    if (!qkv__ratio_is_zero(law.mean)) return NULL;
    if (power % 2 != 0) return whole(x, 0, place);
    qkv__ratio size = qkv__ratio_whole(x->algebra, 1);
    for (int r = 1; r <= power / 2; r++)
        size = qkv__ratio_multiply(
            x->algebra, size,
            qkv__ratio_multiply(x->algebra, qkv__ratio_whole(x->algebra, 2 * r), law.variance));
    return times(x, times(x, fixed, write_ratio(x, size, place)), spread(x, law.variance, place));
}

/* Independent sizes. */
static const qkv__node *mean_of_sizes(closing *x, const product *term, qkv__place place)
{
    qkv__ratio covariance;
    normal_law law[2];
    if (qkv__random_touches(x->s->model, term->random) || !law_of(x, term->size[0], &law[0]) ||
        !law_of(x, term->size[1], &law[1]) ||
        !qkv__moment_covariance(x->s, term->size[0], term->size[1], &covariance) ||
        !qkv__ratio_is_zero(qkv__situation_apply(x->s, covariance)))
        return NULL;
    return times(x, write_ratio(x, term->random, place),
                 times(x, mean_size(x, term->size[0], place), mean_size(x, term->size[1], place)));
}

/* f = c e^M: M; 0 where f is not random. */
static bool exponent_of(closing *x, qkv__ratio f, qkv__ratio *exponent)
{
    *exponent = qkv__ratio_whole(x->algebra, 0);
    if (!qkv__random_touches(x->s->model, f)) return true;
    if (f.numerator->count != 1 || f.numerator->term[0].exponent == NULL) return false;
    *exponent = qkv__ratio_of_form(x->algebra, f.numerator->term[0].exponent);
    qkv__ratio rest =
        qkv__ratio_divide(x->algebra, f, qkv__ratio_exponential(x->algebra, *exponent));
    return !qkv__ratio_is_lost(rest) && !qkv__random_touches(x->s->model, rest);
}

static const qkv__node *mean_wave(closing *x, qkv__ratio f, const wave *w, qkv__place place);

/* E(f cos(L)), E(f sin(L)) of a normal number f. */
static const qkv__node *mean_wave_times(closing *x, qkv__ratio f, const wave *w, qkv__place place)
{
    normal_law law;
    qkv__ratio covariance;
    qkv__rational root;
    const wave turned = {w->argument, !w->sine};
    const qkv__ratio one_more = qkv__ratio_whole(x->algebra, 1);
    if (!qkv__ratio_is_constant(w->argument.radicand, &root) || root.numerator != 1 ||
        root.denominator != 1 || !law_of(x, f, &law) ||
        !qkv__random_touches(x->s->model, w->argument.factor) ||
        !qkv__moment_covariance(x->s, f, w->argument.factor, &covariance))
        return NULL;
    const qkv__ratio slope = w->sine ? covariance : qkv__ratio_negate(x->algebra, covariance);
    return plus(x, times(x, write_ratio(x, law.mean, place), mean_wave(x, one_more, w, place)),
                times(x, write_ratio(x, slope, place), mean_wave(x, one_more, &turned, place)));
}

/* E(f cos(L)), E(f sin(L)); L = factor*sqrt(radicand). */
static const qkv__node *mean_wave(closing *x, qkv__ratio f, const wave *w, qkv__place place)
{
    const qkv__ratio r = w->argument.radicand;
    qkv__ratio exponent, moved, mean;
    normal_law law, other;
    if (!exponent_of(x, f, &exponent)) return mean_wave_times(x, f, w, place);
    if (!qkv__moment_mean(x->s, f, &mean)) return NULL;
    if (qkv__random_touches(x->s->model, w->argument.factor)) {
        if (!law_of(x, w->argument.factor, &law)) return NULL;
    } else {
        law = (normal_law){w->argument.factor, qkv__ratio_whole(x->algebra, 0)};
    }
    moved = qkv__ratio_whole(x->algebra, 0);
    if (!qkv__ratio_is_zero(exponent) &&
        (!law_of(x, exponent, &other) ||
         !qkv__moment_covariance(x->s, exponent, w->argument.factor, &moved)))
        return NULL;
    const qkv__ratio centre =
        qkv__situation_apply(x->s, qkv__ratio_add(x->algebra, law.mean, moved));
    const qkv__ratio half =
        qkv__ratio_divide(x->algebra, qkv__ratio_multiply(x->algebra, law.variance, r),
                          qkv__ratio_whole(x->algebra, -2));
    const qkv__node *size =
        times(x, write_ratio(x, mean, place), write_call(x, "exp", write_ratio(x, half, place)));
    if (qkv__ratio_is_zero(centre)) return w->sine ? whole(x, 0, place) : size;
    qkv__value at = qkv__value_scalar(&x->s->model->space, centre);
    at.scalar.radicand = r;
    return times(x, size, write_call(x, w->sine ? "sin" : "cos", write_value(x, at, place)));
}

static bool add_arguments(closing *x, const qkv__surd *a, const qkv__surd *b, bool subtract,
                          qkv__surd *sum)
{
    if (!qkv__ratio_equal(x->algebra, a->radicand, b->radicand)) return false;
    *sum = *a;
    sum->factor = subtract ? qkv__ratio_subtract(x->algebra, a->factor, b->factor)
                           : qkv__ratio_add(x->algebra, a->factor, b->factor);
    return !qkv__ratio_is_lost(sum->factor);
}

static const qkv__node *mean_of_waves(closing *x, const product *term, qkv__place place);

/* The last two waves as one with the sum of their arguments, or their difference:
 * 2 cos a cos b = cos(a - b) + cos(a + b), 2 sin a sin b = cos(a - b) - cos(a + b),
 * 2 sin a cos b = sin(a + b) + sin(a - b). */
static const qkv__node *mean_joined(closing *x, const product *term, bool difference,
                                    qkv__place place)
{
    product next = *term;
    const wave *a = &term->wave[term->wave_count - 2], *b = &term->wave[term->wave_count - 1];
    if (!a->sine && b->sine) {
        const wave *kept = a;
        a = b;
        b = kept;
    }
    wave *to = &next.wave[term->wave_count - 2];
    const bool minus = a->sine && b->sine && !difference;
    wave made = {.sine = a->sine != b->sine};
    if (!add_arguments(x, &a->argument, &b->argument, difference, &made.argument)) return NULL;
    *to = made;
    next.wave_count--;
    next.random =
        qkv__ratio_multiply(x->algebra, next.random,
                            qkv__ratio_constant(x->algebra, qkv__rational_make(minus ? -1 : 1, 2)));
    return mean_of_waves(x, &next, place);
}

static const qkv__node *mean_of_waves(closing *x, const product *term, qkv__place place)
{
    if (term->wave_count == 1) return mean_wave(x, term->random, &term->wave[0], place);
    return plus(x, mean_joined(x, term, false, place), mean_joined(x, term, true, place));
}

/* L|L|^2 and the like: equal sizes, or opposite ones, make a square. */
static void join_sizes(closing *x, product *term)
{
    for (size_t i = 0; i < term->size_count; i++)
        for (size_t j = i + 1; j < term->size_count; j++) {
            const qkv__ratio a = term->size[i], b = term->size[j];
            if (!qkv__ratio_equal(x->algebra, a, b) &&
                !qkv__ratio_equal(x->algebra, a, qkv__ratio_negate(x->algebra, b)))
                continue;
            term->random = qkv__ratio_multiply(x->algebra, term->random,
                                               qkv__ratio_multiply(x->algebra, a, a));
            term->size[j] = term->size[--term->size_count];
            term->size[i] = term->size[--term->size_count];
            join_sizes(x, term);
            return;
        }
}

static const qkv__node *mean_of_product(closing *x, product term, qkv__place place)
{
    qkv__ratio mean;
    const qkv__node *made = NULL;
    join_sizes(x, &term);
    if (qkv__ratio_is_lost(term.random)) return NULL;
    if (term.wave_count == 0 && term.size_count == 0) {
        if (!qkv__moment_mean(x->s, term.random, &mean) &&
            !qkv__symmetry_mean(x->s, term.random, &mean))
            return NULL;
        made = write_ratio(x, mean, place);
    } else if (term.size_count == 0) {
        made = mean_of_waves(x, &term, place);
    } else if (term.wave_count == 0 && term.size_count == 1) {
        made = mean_with_size(x, &term, place);
    } else if (term.wave_count == 0 && term.size_count == 2) {
        made = mean_of_sizes(x, &term, place);
    }
    return term.fixed == NULL ? made : times(x, term.fixed, made);
}

static const qkv__node *mean_of_sum(closing *x, const products *sum, qkv__place place)
{
    const qkv__node *made = NULL;
    for (size_t i = 0; i < sum->count; i++) {
        const qkv__node *next = mean_of_product(x, sum->term[i], place);
        made = made == NULL || next == NULL ? next : plus(x, made, next);
        if (made == NULL) return NULL;
    }
    return made;
}

/* E(y z) - E(y) E(z) */
static const qkv__node *covariance_of(closing *x, const products *y, const products *z,
                                      qkv__place place)
{
    products both;
    if (!multiply_sums(x, y, z, &both)) return NULL;
    return qkv__compose_binary(x->s->model, QKV__NODE_SUBTRACT, mean_of_sum(x, &both, place),
                               times(x, mean_of_sum(x, y, place), mean_of_sum(x, z, place)));
}

/* ---- Comparisons --------------------------------------------------------------------- */

static const qkv__node *close_call(closing *x, const qkv__node *node, const qkv__chance_call *call)
{
    products first = {0}, second = {0};
    qkv__ratio chance;
    if (call->given != NULL) return NULL;
    if (call->kind == 'P')
        return qkv__chance_of_order(x->s, call->argument[0], &chance)
                   ? write_ratio(x, chance, node->place)
                   : NULL;
    if (!expand(x, call->argument[0], &first)) return NULL;
    if (call->kind == 'E') return mean_of_sum(x, &first, node->place);
    if (call->kind == 'V') return covariance_of(x, &first, &first, node->place);
    if (call->count != 2 || !expand(x, call->argument[1], &second)) return NULL;
    return covariance_of(x, &first, &second, node->place);
}

static const qkv__node *close_tree(closing *x, const qkv__node *node)
{
    enum { MOST = 8 };
    const qkv__node *child[MOST];
    const qkv__chance_call call = qkv__chance_read(node);
    if (call.kind != 0) return close_call(x, node, &call);
    if (!qkv__speaks_of_chance(node)) return is_fixed(x, node) ? node : NULL;
    if (node->count == 0 || node->count > MOST || node->kind == QKV__NODE_SUM) return NULL;
    for (size_t i = 0; i < node->count; i++) {
        child[i] = close_tree(x, node->child[i]);
        if (child[i] == NULL) return NULL;
    }
    return qkv__compose_like(x->s->model, node, child);
}

const qkv__node *qkv__chance_without(qkv__situation *s, const qkv__node *comparison,
                                     const qkv__binding **locals)
{
    assert(comparison->kind == QKV__NODE_COMPARE && comparison->count == 2);
    closing x = {.s = s, .algebra = &s->model->algebra, .locals = s->locals};
    if (s->limit_count > 0 || s->veiled || qkv__chance_is_conditioned(s) ||
        qkv__chance_is_replaced(s))
        return NULL;
    const qkv__node *sides[2];
    for (int i = 0; i < 2; i++) {
        const qkv__node *side = comparison->child[i];
        if (side->kind == QKV__NODE_RANGE) {
            const qkv__node *ends[2] = {close_tree(&x, side->child[0]),
                                        close_tree(&x, side->child[1])};
            sides[i] = qkv__compose_like(s->model, side, ends);
        } else {
            sides[i] = close_tree(&x, side);
        }
        if (sides[i] == NULL) return NULL;
    }
    *locals = x.locals;
    return qkv__compose_like(s->model, comparison, sides);
}

bool qkv__chance_is_fixed(qkv__situation *s, const qkv__node *comparison)
{
    closing x = {.s = s, .algebra = &s->model->algebra, .locals = s->locals};
    for (size_t i = 0; i < comparison->count; i++)
        if (!is_fixed(&x, comparison->child[i])) return false;
    return true;
}
