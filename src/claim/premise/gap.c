/* What must vanish for two values to be equal: the numbers in which they differ, one a symbol for
 * vectors, one a pair of symbols for matrices; norms by their squares. Knows no verdicts. */
#include "claim/model/listed.h"
#include "claim/premise/gap.h"

#include <assert.h>
#include <string.h>

#include "claim/model/evaluate.h"
#include "exact/sign.h"

/* ---- Signs over all that is allowed ------------------------------------------------- */

bool qkv__sign_over_box(qkv__situation *s, qkv__ratio ratio, qkv__sign_result *result)
{
    qkv__box box;
    *result = (qkv__sign_result){.sign = QKV__SIGN_UNKNOWN};
    if (!qkv__box_of_algebra(&s->model->algebra, &box)) return false;
    qkv__ball_sign(&s->model->algebra, ratio, &box, 0, result);
    return true;
}

/* ---- Differences --------------------------------------------------------------------- */

bool qkv__surd_is_plain(qkv__surd x)
{
    qkv__rational one;
    return qkv__ratio_is_constant(x.radicand, &one) && one.numerator == one.denominator;
}

bool qkv__is_not_negative(qkv__situation *s, qkv__ratio ratio)
{
    qkv__sign_result result;
    qkv__sign sign = qkv__ratio_sign(&s->model->algebra, ratio);
    if (sign == QKV__SIGN_UNKNOWN && qkv__sign_over_box(s, ratio, &result)) sign = result.sign;
    return sign == QKV__SIGN_POSITIVE || sign == QKV__SIGN_NONNEGATIVE || sign == QKV__SIGN_ZERO;
}

/* A root under the premises: parameters replaced, and taken where it comes out. Where what replaces
 * a parameter has no root itself, all of it goes under one: f sqrt(r) = sqrt(f^2 r) for f >= 0. */
qkv__surd qkv__surd_resolve(qkv__situation *s, qkv__surd x)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__surd resolved = {qkv__situation_apply(s, x.factor), qkv__situation_apply(s, x.radicand)};
    if (qkv__ratio_is_lost(resolved.factor) && qkv__is_not_negative(s, x.factor)) {
        qkv__ratio square = qkv__ratio_power(algebra, x.factor, 2);
        resolved.factor = qkv__ratio_whole(algebra, 1);
        resolved.radicand =
            qkv__situation_apply(s, qkv__ratio_multiply(algebra, square, x.radicand));
    }
    qkv__ratio root = qkv__ratio_root(algebra, resolved.radicand);
    if (qkv__ratio_is_lost(root)) return resolved;
    return (qkv__surd){qkv__ratio_multiply(algebra, resolved.factor, root),
                       qkv__ratio_whole(algebra, 1)};
}

/* Two surds as one plain difference with the same sign, where both are known not to be negative:
 * that of their squares. */
bool qkv__surd_difference(qkv__situation *s, qkv__surd x, qkv__surd y, qkv__ratio *difference)
{
    qkv__algebra *algebra = &s->model->algebra;
    x = qkv__surd_resolve(s, x);
    y = qkv__surd_resolve(s, y);
    if (qkv__surd_is_plain(x) && qkv__surd_is_plain(y)) {
        *difference = qkv__ratio_subtract(algebra, x.factor, y.factor);
        return true;
    }
    if (!qkv__is_not_negative(s, x.factor) || !qkv__is_not_negative(s, y.factor)) return false;
    qkv__ratio left =
        qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, x.factor, 2), x.radicand);
    qkv__ratio right =
        qkv__ratio_multiply(algebra, qkv__ratio_power(algebra, y.factor, 2), y.radicand);
    *difference = qkv__ratio_subtract(algebra, left, right);
    return true;
}

/*
 * A coefficient as a number that vanishes exactly where its part of the vector does. A sum over the
 * rest is zero where there is no rest: its coefficient r counts times the size. Beside one member
 * of the rest it is that member and the sum of the others, g v_i + r sum v = (g + r) v_i + r (sum
 * of the others), and there may be no others.
 */
static qkv__ratio vanishing(qkv__situation *s, const qkv__vector *difference,
                            const qkv__component *part)
{
    qkv__algebra *algebra = &s->model->algebra;
    qkv__symbol twin = part->symbol;
    if (twin.member >= 0) return part->factor;
    bool sum = twin.member == QKV__REST;
    twin.member = sum ? QKV__GENERIC : QKV__REST;
    qkv__ratio other = qkv__vector_factor(&s->model->space, difference, twin);
    if (!sum) return qkv__ratio_add(algebra, part->factor, other);
    qkv__ratio size = qkv__rest_size(algebra, part->symbol.family->set);
    if (!qkv__ratio_is_zero(other))
        size = qkv__ratio_subtract(algebra, size, qkv__ratio_whole(algebra, 1));
    return qkv__ratio_multiply(algebra, part->factor, size);
}

static bool add_vector_components(qkv__situation *s, const qkv__vector *difference, qkv__gap *gaps,
                                  size_t *count)
{
    if (difference == NULL || difference->count > QKV__GAPS) return false;
    for (size_t i = 0; i < difference->count; i++) {
        qkv__ratio factor = vanishing(s, difference, &difference->component[i]);
        if (qkv__ratio_is_lost(factor)) return false;
        gaps[(*count)++] =
            (qkv__gap){.difference = factor, .symbol = difference->component[i].symbol};
    }
    return true;
}

/* The spread whose others' average a family is; NULL: none. */
static const qkv__spread *spread_of(const qkv__situation *s, const qkv__family *family)
{
    for (const qkv__spread *spread = s->model->space.spreads; spread != NULL; spread = spread->next)
        if (spread->others->component[0].symbol.family == family) return spread;
    return NULL;
}

/* Where a premise makes all the scores of the rest one number, their weighted average is the plain
 * one: (sum of the rest - the generic one)/(number of the rest - 1). */
static const qkv__vector *settle(qkv__situation *s, const qkv__vector *x)
{
    qkv__space *space = &s->model->space;
    qkv__algebra *algebra = space->algebra;
    const qkv__vector *settled = x;
    for (size_t i = 0; x != NULL && i < x->count; i++) {
        const qkv__spread *spread = spread_of(s, x->component[i].symbol.family);
        if (spread == NULL || spread->whole || spread->value->count != 1) continue;
        qkv__ratio score = qkv__situation_apply(s, spread->score);
        qkv__ratio other = qkv__situation_apply(
            s, qkv__ratio_of_form(algebra, qkv__form_parameter(algebra, spread->parameter)));
        const qkv__symbol one = spread->value->component[0].symbol;
        if (qkv__ratio_is_generic(algebra, score) || !qkv__ratio_equal(algebra, score, other) ||
            one.member != QKV__GENERIC)
            continue;
        qkv__ratio factor = x->component[i].factor;
        qkv__ratio fewer = qkv__ratio_subtract(algebra, qkv__rest_size(algebra, one.family->set),
                                               qkv__ratio_whole(algebra, 1));
        const qkv__vector *others = qkv__vector_subtract(
            space, qkv__vector_symbol(space, one.family, QKV__REST), spread->value);
        settled = qkv__vector_add(
            space,
            qkv__vector_subtract(space, settled, qkv__vector_scale(space, spread->others, factor)),
            qkv__vector_scale(space, others, qkv__ratio_divide(algebra, factor, fewer)));
    }
    return settled;
}

/* Whether inner products were given for a symbol, so that it may depend on others. */
static bool is_given(const qkv__situation *s, qkv__symbol symbol)
{
    for (const qkv__given_product *g = s->model->space.given; g != NULL; g = g->next)
        if ((g->x.family == symbol.family && g->x.member == symbol.member) ||
            (g->y.family == symbol.family && g->y.member == symbol.member))
            return spread_of(s, g->x.family) == NULL && spread_of(s, g->y.family) == NULL;
    return false;
}

bool qkv__gaps_are_refutable(qkv__situation *s, const qkv__gap *gaps, size_t count)
{
    const qkv__spread *average = NULL;
    bool rest = false, given = false;
    for (size_t i = 0; i < count; i++) {
        if (gaps[i].symbol.family == NULL) continue;
        const qkv__spread *spread = spread_of(s, gaps[i].symbol.family);
        if (spread != NULL && average != NULL && spread != average) return false;
        if (spread != NULL) average = spread;
        rest = rest || gaps[i].symbol.member == QKV__REST;
        given = given || is_given(s, gaps[i].symbol);
    }
    return !(average != NULL && rest) && !given;
}

bool qkv__gaps_square(qkv__situation *s, const qkv__gap *gaps, size_t count, qkv__ratio *square)
{
    qkv__algebra *algebra = &s->model->algebra;
    *square = qkv__ratio_whole(algebra, 0);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            qkv__symbol x = gaps[i].symbol, y = gaps[j].symbol;
            qkv__ratio product;
            /* Gaps of sums over the rest are no coefficients. */
            if (x.family == NULL || y.family == NULL || x.member < 0 || y.member < 0 ||
                !qkv__symbol_product(&s->model->space, x, y, &product))
                return false;
            product =
                qkv__ratio_multiply(algebra, qkv__situation_apply(s, product), gaps[i].difference);
            *square = qkv__ratio_add(algebra, *square,
                                     qkv__ratio_multiply(algebra, product, gaps[j].difference));
        }
    return !qkv__ratio_is_lost(*square);
}

bool qkv__gaps_are_independent(qkv__situation *s, const qkv__gap *gaps, size_t count)
{
    const qkv__family *family = gaps[0].symbol.family;
    for (size_t i = 0; i < count; i++) {
        if (gaps[i].symbol.family != family) return false;
        if (family != NULL &&
            (family->gram != QKV__GRAM_UNIFORM || !qkv__ratio_is_zero(family->different)))
            return false;
    }
    return family == NULL ||
           qkv__ratio_sign(s->model->space.algebra, family->same) == QKV__SIGN_POSITIVE;
}

/* A family of numbers against a list, mark by mark. */
static bool add_list_components(qkv__situation *s, const qkv__value *x, const qkv__value *y,
                                qkv__gap *gaps, size_t *count)
{
    const qkv__numbers *numbers = x->numbers;
    if (y->count != numbers->set->mark_count || y->count > QKV__GAPS ||
        !qkv__ratio_is_zero(qkv__rest_size(&s->model->algebra, numbers->set)))
        return false;
    for (size_t i = 0; i < y->count; i++) {
        qkv__ratio entry;
        if (!qkv__value_as_ratio(&y->element[i], &entry)) return false;
        gaps[(*count)++] = (qkv__gap){
            .difference = qkv__ratio_subtract(&s->model->algebra, numbers->mark[i], entry),
            .symbol = {NULL, 0}};
    }
    return true;
}

/* The factor of two symbols in a sum of outer products. */
static qkv__ratio outer_factor(qkv__space *space, const qkv__matrix_sum *m, qkv__symbol left,
                               qkv__symbol right)
{
    qkv__ratio sum = qkv__ratio_whole(space->algebra, 0);
    for (size_t i = 0; i < m->count; i++) {
        qkv__ratio part = qkv__ratio_multiply(
            space->algebra, m->outer[i].factor,
            qkv__ratio_multiply(space->algebra, qkv__vector_factor(space, m->outer[i].left, left),
                                qkv__vector_factor(space, m->outer[i].right, right)));
        sum = qkv__ratio_add(space->algebra, sum, part);
    }
    return sum;
}

/* Matrices x y' + ... are equal if the factors of all pairs of symbols are; sums over the rest and
 * the identity have no place in such a table, since they are no symbols of their own. */
static bool add_matrix_components(qkv__situation *s, const qkv__value *x, const qkv__value *y,
                                  qkv__gap *gaps, size_t *count)
{
    assert(x->kind == QKV__VALUE_MATRIX && y->kind == QKV__VALUE_MATRIX);
    qkv__space *space = &s->model->space;
    qkv__value difference;
    qkv__failure failure;
    if (!qkv__value_add(space, x, y, true, &difference, &failure)) return false;
    const qkv__matrix_sum *m = difference.matrix;
    if (!qkv__ratio_is_zero(m->identity)) return false;
    for (size_t i = 0; i < m->count; i++)
        for (size_t a = 0; a < m->outer[i].left->count; a++)
            for (size_t b = 0; b < m->outer[i].right->count; b++) {
                qkv__symbol left = m->outer[i].left->component[a].symbol;
                qkv__symbol right = m->outer[i].right->component[b].symbol;
                if (*count == QKV__GAPS || left.member < 0 || right.member < 0) return false;
                gaps[(*count)++] =
                    (qkv__gap){.difference = outer_factor(space, m, left, right), .symbol = left};
            }
    return true;
}

/* What must vanish for x = y; one number for scalars, one a symbol for vectors. */
static bool raw_gaps(qkv__situation *s, const qkv__value *x, const qkv__value *y, qkv__gap *gaps,
                     size_t *count)
{
    const qkv__vector *u, *v;
    *count = 0;
    if (qkv__value_as_vector(x, &u) && qkv__value_as_vector(y, &v))
        return add_vector_components(s, settle(s, qkv__vector_subtract(&s->model->space, u, v)),
                                     gaps, count);
    if (x->kind == QKV__VALUE_MATRIX && y->kind == QKV__VALUE_MATRIX)
        return add_matrix_components(s, x, y, gaps, count);
    if (x->kind == QKV__VALUE_NUMBERS && y->kind == QKV__VALUE_LIST)
        return add_list_components(s, x, y, gaps, count);
    if (x->kind != QKV__VALUE_SCALAR || y->kind != QKV__VALUE_SCALAR) return false;
    gaps[0] = (qkv__gap){.symbol = {NULL, 0}};
    *count = 1;
    qkv__surd left = qkv__surd_resolve(s, x->scalar), right = qkv__surd_resolve(s, y->scalar);
    gaps[0].squared = !qkv__surd_is_plain(left) || !qkv__surd_is_plain(right);
    gaps[0].square = qkv__ratio_multiply(
        &s->model->algebra, qkv__ratio_power(&s->model->algebra, left.factor, 2), left.radicand);
    return qkv__surd_difference(s, x->scalar, y->scalar, &gaps[0].difference) &&
           !qkv__ratio_is_lost(gaps[0].difference);
}

bool qkv__gaps_between(qkv__situation *s, const qkv__value *x, const qkv__value *y, qkv__gap *gaps,
                       size_t *count)
{
    if (!raw_gaps(s, x, y, gaps, count)) return false;
    for (size_t i = 0; i < *count; i++) {
        gaps[i].difference = qkv__situation_apply(s, gaps[i].difference);
        if (qkv__ratio_is_lost(gaps[i].difference)) return false;
    }
    return true;
}

/* ---- Kinds ------------------------------------------------------------------------------ */

bool qkv__has_coordinates(const qkv__vector *vector)
{
    for (size_t i = 0; i < vector->count; i++)
        if (!vector->component[i].symbol.family->axis) return false;
    return true;
}

static bool has_one_coordinate(const qkv__vector *vector)
{
    return vector->count == 1 && vector->component[0].symbol.family->set->mark_count == 1;
}

/* Beside a vector 0 is the zero vector; beside a vector of coordinates a list of numbers is one,
 * and beside one of a single coordinate a number is one. */
void qkv__match_kinds(qkv__situation *s, const qkv__value *x, qkv__value *y)
{
    const qkv__vector *vector;
    qkv__failure failure = {0};
    qkv__ratio number;
    if (x->kind == QKV__VALUE_LIST && y->kind == QKV__VALUE_LIST && x->count == y->count)
        qkv__model_as_vector(s->model, y, &failure); /* and x, when it is matched with y */
    if (!qkv__value_as_vector(x, &vector)) return;
    qkv__value single = *y, list = {.kind = QKV__VALUE_LIST, .count = 1, .element = &single};
    if (qkv__value_as_ratio(y, &number) && qkv__ratio_is_zero(number))
        *y = qkv__value_vector(qkv__vector_zero(&s->model->space));
    else if (qkv__has_coordinates(vector) &&
             ((y->kind == QKV__VALUE_SCALAR && has_one_coordinate(vector)) ||
              y->kind == QKV__VALUE_LIST) &&
             qkv__model_coordinates(s->model, y->kind == QKV__VALUE_LIST ? y : &list, &vector,
                                    &failure))
        *y = qkv__value_vector(vector);
}

qkv__verdict qkv__incomparable(qkv__situation *s, const qkv__node *node, const qkv__value *x,
                               const qkv__value *y)
{
    bool scalars = x->kind == QKV__VALUE_SCALAR && y->kind == QKV__VALUE_SCALAR;
    const qkv__vector *u, *v;
    bool matrices = x->kind == QKV__VALUE_MATRIX && y->kind == QKV__VALUE_MATRIX;
    if (scalars || matrices || (qkv__value_as_vector(x, &u) && qkv__value_as_vector(y, &v)))
        return qkv__situation_undecided(s, "the difference is beyond the exact engine");
    bool families = (qkv__value_is_family(x) || qkv__value_is_joined(x)) &&
                    (qkv__value_is_family(y) || qkv__value_is_joined(y));
    if (families)
        return qkv__situation_undecided(s, "compare families member by member: for all i in 1..n");
    qkv__failure failure = {0};
    qkv__fail_value(&failure, QKV__TROUBLE_TEXT, "cannot compare %s with %s",
                    qkv__value_kind_name(x->kind), qkv__value_kind_name(y->kind));
    return qkv__situation_failed(s, &failure, node);
}
