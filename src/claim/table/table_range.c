/*
 * Signs over a range of one parameter. With scores that are linear in it, a number that is linear
 * in the weights of one query has the sign of a sum of exponentials (exponential_sum.h): its
 * factors are those of the weights, and what is not weight counts for every key. Knows nothing of
 * nodes.
 */
#include "ball/exponential_sum.h"

#include <assert.h>
#include "ball/fraction.h"
#include "claim/table/table_part.h"
#include "exact/sign.h"

static bool fail_open(qkv__failure *failure, const char *why)
{
    return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "%s", why);
}

/* ---- Open parameters ----------------------------------------------------------------------- */

typedef struct search {
    const qkv__model *model;
    const qkv__moment *moment;
    int found; /* -1: none; -2: several */
} search;

static void meet(search *s, int parameter)
{
    assert(parameter >= 0 && parameter < QKV__PARAMETERS);
    bool open = qkv__rational_is_lost(s->moment->value[parameter]) &&
                parameter != s->moment->limit && s->model->algebra.parameter[parameter].prime == 0;
    if (open && s->found != parameter) s->found = s->found == -1 ? parameter : -2;
}

static void meet_ratio(search *s, qkv__ratio ratio)
{
    qkv__rational constant;
    if (qkv__ratio_is_constant(ratio, &constant)) return;
    for (int p = 0; p < (int)s->model->algebra.parameter_count; p++)
        if (qkv__ratio_depends_on(ratio, p)) meet(s, p);
}

static void meet_result(search *s, const qkv__table_result *result)
{
    for (size_t i = 0; i < result->count; i++)
        for (int p = 0; p < (int)s->model->algebra.parameter_count; p++)
            if (result->monomial[i].power[p] != 0) meet(s, p);
}

static void meet_number(search *s, const qkv__number *number)
{
    if (number->kind == QKV__NUMBER_LINEAR) meet_ratio(s, number->constant);
    const qkv__table_result *before = NULL;
    for (size_t i = 0; i < number->count; i++) {
        const qkv__table_result *result = number->term[i].result;
        if (result != NULL && result != before) meet_result(s, result);
        before = result;
    }
    if (number->x != NULL) meet_number(s, number->x);
    if (number->y != NULL) meet_number(s, number->y);
    for (size_t i = 0; number->vector != NULL && i < number->vector->count; i++) {
        const qkv__piece *piece = &number->vector->piece[i];
        meet_ratio(s, piece->factor);
        if (piece->kind == QKV__PIECE_OUTPUT) meet_result(s, piece->result);
    }
}

int qkv__number_open_parameter(const qkv__model *model, const qkv__number *number,
                               const qkv__moment *moment)
{
    search s = {model, moment, -1};
    meet_number(&s, number);
    return s.found;
}

/* ---- The sum of exponentials ---------------------------------------------------------------- */

/* The result that all terms are about; NULL where there is none, or more. */
static const qkv__table_result *only_result(const qkv__number *number)
{
    const qkv__table_result *result = NULL;
    if (number->kind != QKV__NUMBER_LINEAR) return NULL;
    for (size_t i = 0; i < number->count; i++) {
        const qkv__number_term *term = &number->term[i];
        if (term->kind == QKV__TERM_SCORE) return NULL;
        if (term->kind == QKV__TERM_ENTRY) continue;
        if (result != NULL && result != term->result) return NULL;
        result = term->result;
    }
    return result;
}

/* Terms that are the same for all keys go to `all`, the others to the keys. */
static void add_term(qkv__exponential_sum *d, const qkv__number_term *term, fmpq_t all)
{
    fmpq_t factor, entry;
    fmpq_init(factor);
    fmpq_init(entry);
    qkv__fmpq_set_rational(factor, term->factor);
    if (term->kind == QKV__TERM_ENTRY) {
        qkv__grid_get(term->family->grid, term->index, term->column, entry);
        fmpq_addmul(all, factor, entry);
    } else if (term->kind == QKV__TERM_WEIGHT) {
        fmpq_add(d->factor + term->index, d->factor + term->index, factor);
    } else {
        for (size_t i = 0; i < d->count; i++) {
            qkv__grid_get(term->result->values->grid, i, term->column, entry);
            fmpq_addmul(d->factor + i, factor, entry);
        }
    }
    fmpq_clear(factor);
    fmpq_clear(entry);
}

bool qkv__number_as_sum(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                        int parameter, qkv__exponential_sum *d, qkv__failure *failure)
{
    const qkv__table_result *result = only_result(number);
    qkv__grid *slope, *rest;
    *d = (qkv__exponential_sum){0};
    if (result == NULL)
        return fail_open(
            failure,
            "over a range, tables support only expressions linear in the weights of one query");
    if (!qkv__table_slopes(model, result, moment, parameter, &slope, &rest, failure)) return false;
    if (!qkv__exponential_sum_make(d, slope, rest)) return fail_open(failure, "out of memory");
    fmpq_t all;
    fmpq_init(all);
    bool known = qkv__ratio_at(model, number->constant, moment, all);
    for (size_t i = 0; known && i < number->count; i++) add_term(d, &number->term[i], all);
    for (size_t i = 0; known && i < d->count; i++) fmpq_add(d->factor + i, d->factor + i, all);
    fmpq_clear(all);
    return known || fail_open(failure, "over a range, the rest of the claim must be numbers");
}

/* ---- The range ----------------------------------------------------------------------------- */

static int sign_at(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                   int parameter, qkv__rational value, qkv__failure *failure)
{
    assert(qkv__is_parameter(&model->algebra, parameter));
    qkv__moment there = *moment;
    there.value[parameter] = value;
    return qkv__number_sign(model, number, &there, failure);
}

static void remember(qkv__range_sign *found, int sign, qkv__rational where)
{
    if (sign == 1 && !found->has_positive) {
        found->has_positive = true;
        found->where_positive = where;
    }
    if (sign == -1 && !found->has_negative) {
        found->has_negative = true;
        found->where_negative = where;
    }
}

static bool inside(const qkv__parameter *range, qkv__rational value)
{
    if (range->whole && !qkv__rational_is_whole(value)) return false;
    if (range->lower.known) {
        int order = qkv__rational_compare(value, range->lower.value);
        if (order < 0 || (order == 0 && range->lower.strict)) return false;
    }
    if (!range->upper.known) return true;
    int order = qkv__rational_compare(value, range->upper.value);
    return order < 0 || (order == 0 && !range->upper.strict);
}

/* Points near each end and, with rising steps, into the range: the sign at each that lies in it. */
static void look_around(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                        int parameter, qkv__range_sign *found)
{
    assert(qkv__is_parameter(&model->algebra, parameter));
    const qkv__parameter *range = &model->algebra.parameter[parameter];
    const qkv__bound *ends[] = {&range->lower, &range->upper};
    static const int64_t steps[][2] = {{0, 1}, {1, 1024}, {1, 16}, {1, 2},   {1, 1},
                                       {4, 1}, {16, 1},   {64, 1}, {1024, 1}};
    for (size_t e = 0; e < 2; e++)
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            qkv__failure ignored;
            qkv__rational from = ends[e]->known ? ends[e]->value : qkv__rational_whole(0);
            qkv__rational step =
                qkv__rational_make(e == 0 ? steps[i][0] : -steps[i][0], steps[i][1]);
            qkv__rational where = qkv__rational_add(from, step);
            bool wanted = (found->positive && !found->has_positive) ||
                          (found->negative && !found->has_negative);
            if (!wanted || qkv__rational_is_lost(where) || !inside(range, where)) continue;
            remember(found, sign_at(model, number, moment, parameter, where, &ignored), where);
        }
}

/* The sign at an end of the range, or far out where there is none. */
static int end_sign(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                    int parameter, const qkv__bound *end, int far_out, qkv__failure *failure)
{
    if (!end->known) return far_out;
    return sign_at(model, number, moment, parameter, end->value, failure);
}

/* One change of sign: the ends tell what is in between. */
static bool sign_by_ends(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                         int parameter, const qkv__sum_shape *shape, qkv__range_sign *found,
                         qkv__failure *failure)
{
    assert(qkv__is_parameter(&model->algebra, parameter));
    const qkv__parameter *range = &model->algebra.parameter[parameter];
    int low = end_sign(model, number, moment, parameter, &range->lower, shape->downward, failure);
    int high = end_sign(model, number, moment, parameter, &range->upper, shape->upward, failure);
    if (low == QKV__SIGN_OPEN || high == QKV__SIGN_OPEN) return false;
    bool at_end = (low == 0 && !range->lower.strict) || (high == 0 && !range->upper.strict);
    *found = (qkv__range_sign){.positive = low > 0 || high > 0,
                               .negative = low < 0 || high < 0,
                               .zero = low * high < 0 || at_end};
    return true;
}

/* Several: by cutting the range. */
static void sign_by_cuts(const qkv__exponential_sum *d, const qkv__parameter *range,
                         qkv__range_sign *found)
{
    qkv__sum_range seen;
    qkv__exponential_sum_range(d, &(qkv__range){range->lower, range->upper}, &seen);
    if (seen.sign == 1) *found = (qkv__range_sign){.positive = true};
    if (seen.sign == -1) *found = (qkv__range_sign){.negative = true};
    if (seen.has_positive && inside(range, seen.positive)) remember(found, 1, seen.positive);
    if (seen.has_negative && inside(range, seen.negative)) remember(found, -1, seen.negative);
}

/* A number without weights in it. */
static bool plain_sign(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                       int parameter, qkv__range_sign *found)
{
    qkv__sign sign = qkv__ratio_sign(&model->algebra, number->constant);
    if (qkv__ratio_is_zero(number->constant)) sign = QKV__SIGN_ZERO;
    if (sign == QKV__SIGN_ZERO) *found = (qkv__range_sign){.zero = true};
    if (sign == QKV__SIGN_POSITIVE) *found = (qkv__range_sign){.positive = true};
    if (sign == QKV__SIGN_NEGATIVE) *found = (qkv__range_sign){.negative = true};
    if (sign == QKV__SIGN_NONNEGATIVE) found->negative = false;
    if (sign == QKV__SIGN_NONPOSITIVE) found->positive = false;
    look_around(model, number, moment, parameter, found);
    return true;
}

bool qkv__number_range_sign(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                            int parameter, qkv__range_sign *found, qkv__failure *failure)
{
    assert(qkv__is_parameter(&model->algebra, parameter));
    qkv__exponential_sum d;
    qkv__sum_shape shape;
    qkv__ratio ratio;
    *found = (qkv__range_sign){.positive = true, .negative = true, .zero = true};
    if (qkv__number_as_ratio(number, &ratio))
        return plain_sign(model, number, moment, parameter, found);
    if (!qkv__number_as_sum(model, number, moment, parameter, &d, failure)) {
        qkv__exponential_sum_free(&d);
        return false;
    }
    bool good = qkv__exponential_sum_shape(&d, &shape);
    if (!good) fail_open(failure, "a coefficient could not be told from zero");
    if (good && shape.changes == 0)
        *found = (qkv__range_sign){
            .positive = shape.upward > 0, .negative = shape.upward < 0, .zero = shape.upward == 0};
    if (good && shape.changes == 1)
        good = sign_by_ends(model, number, moment, parameter, &shape, found, failure);
    if (good && shape.changes > 1) sign_by_cuts(&d, &model->algebra.parameter[parameter], found);
    qkv__exponential_sum_free(&d);
    if (good) look_around(model, number, moment, parameter, found);
    return good;
}
