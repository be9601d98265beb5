/*
 * Signs over a range of one parameter. With scores that are linear in it, a number that is linear
 * in the weights of one query has the sign of an exponential sum
 *
 *     D(b) = sum over i of A_i e^(y_i) e^(b x_i)
 *
 * with exact A_i, x_i and y_i. Put in order of x, such a sum has no more real zeros than its
 * coefficients have changes of sign, and as many up to an even number (Descartes' rule, which holds
 * for real exponents). No change: one sign everywhere. One change: one zero, and the signs at both
 * ends of a range tell everything in between.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "claim/table_part.h"

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
    bool open = qkv__rational_is_lost(s->moment->value[parameter]) &&
                parameter != s->moment->limit &&
                s->model->algebra.parameter[parameter].prime == 0;
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

/* ---- The exponential sum ------------------------------------------------------------------- */

typedef struct sum {
    size_t count;
    fmpq *factor; /* A_i */
    qkv__grid *slope, *rest;
} sum;

static void free_sum(sum *d)
{
    for (size_t i = 0; d->factor != NULL && i < d->count; i++) fmpq_clear(d->factor + i);
    qkv__free(d->factor);
    qkv__grid_free(d->slope);
    qkv__grid_free(d->rest);
}

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
static void add_term(sum *d, const qkv__number_term *term, fmpq_t all)
{
    fmpq_t factor, entry;
    fmpq_init(factor);
    fmpq_init(entry);
    qkv__fmpq_of_rational(factor, term->factor);
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

static bool make_sum(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                     int parameter, sum *d, qkv__failure *failure)
{
    const qkv__table_result *result = only_result(number);
    *d = (sum){0};
    if (result == NULL)
        return fail_open(failure, "over a range, only what is linear in the weights of one query "
                                  "is decided");
    if (!qkv__table_slopes(model, result, moment, parameter, &d->slope, &d->rest, failure))
        return false;
    d->count = result->keys->count;
    d->factor = qkv__allocate(d->count * sizeof *d->factor);
    if (d->factor == NULL) return fail_open(failure, "out of memory");
    for (size_t i = 0; i < d->count; i++) fmpq_init(d->factor + i);
    fmpq_t all;
    fmpq_init(all);
    bool known = qkv__ratio_at(model, number->constant, moment, all);
    for (size_t i = 0; known && i < number->count; i++) add_term(d, &number->term[i], all);
    for (size_t i = 0; known && i < d->count; i++) fmpq_add(d->factor + i, d->factor + i, all);
    fmpq_clear(all);
    return known || fail_open(failure, "over a range, the rest of the claim must be numbers");
}

/* ---- Changes of sign ----------------------------------------------------------------------- */

typedef struct ranked {
    const fmpz *slope, *rest;
    size_t key;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    int order = fmpz_cmp(y->slope, x->slope);
    return order != 0 ? order : fmpz_cmp(y->rest, x->rest);
}

/* The sign of a sum of e^rest over keys of one slope; QKV__SIGN_OPEN where a ball cannot tell. */
static int ball_sign(const sum *d, const ranked *rank, size_t count)
{
    enum { PRECISION = 512 };
    fmpz_t difference;
    arb_t total, part;
    fmpz_init(difference);
    arb_init(total);
    arb_init(part);
    for (size_t i = 0; i < count; i++) {
        fmpz_sub(difference, rank[i].rest, rank[0].rest);
        arb_set_fmpz(part, difference);
        arb_div_fmpz(part, part, d->rest->denominator, PRECISION);
        arb_exp(part, part, PRECISION);
        arb_mul_fmpz(part, part, fmpq_numref(d->factor + rank[i].key), PRECISION);
        arb_div_fmpz(part, part, fmpq_denref(d->factor + rank[i].key), PRECISION);
        arb_add(total, total, part, PRECISION);
    }
    int sign = arb_is_positive(total) ? 1 : arb_is_negative(total) ? -1 : QKV__SIGN_OPEN;
    fmpz_clear(difference);
    arb_clear(total);
    arb_clear(part);
    return sign;
}

/* The sign of the coefficient of one slope: exact where equal rests leave one sign. */
static int group_sign(const sum *d, const ranked *rank, size_t count)
{
    bool positive = false, negative = false;
    fmpq_t total;
    fmpq_init(total);
    for (size_t i = 0; i < count;) {
        size_t first = i;
        fmpq_zero(total);
        for (; i < count && fmpz_equal(rank[i].rest, rank[first].rest); i++)
            fmpq_add(total, total, d->factor + rank[i].key);
        positive = positive || fmpq_sgn(total) > 0;
        negative = negative || fmpq_sgn(total) < 0;
    }
    fmpq_clear(total);
    if (positive && negative) return ball_sign(d, rank, count);
    return positive - negative;
}

typedef struct shape {
    int changes;
    int upward, downward; /* the sign far up and far down the parameter; 0: zero everywhere */
} shape;

static bool find_shape(const sum *d, shape *found, qkv__failure *failure)
{
    ranked *rank = qkv__allocate(d->count * sizeof *rank);
    bool good = rank != NULL;
    *found = (shape){0};
    if (!good) return fail_open(failure, "out of memory");
    for (size_t i = 0; i < d->count; i++)
        rank[i] = (ranked){d->slope->entry + i, d->rest->entry + i, i};
    qsort(rank, d->count, sizeof *rank, compare_ranked);
    for (size_t i = 0, end; good && i < d->count; i = end) {
        for (end = i; end < d->count && fmpz_equal(rank[end].slope, rank[i].slope);) end++;
        int sign = group_sign(d, rank + i, end - i);
        good = sign != QKV__SIGN_OPEN;
        if (sign == 0) continue;
        if (found->upward == 0) found->upward = sign;
        found->changes += found->downward != 0 && found->downward != sign;
        found->downward = sign;
    }
    qkv__free(rank);
    return good || fail_open(failure, "a coefficient could not be told from zero");
}

/* ---- The range ----------------------------------------------------------------------------- */

static int sign_at(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                   int parameter, qkv__rational value, qkv__failure *failure)
{
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
    const qkv__parameter *range = &model->algebra.parameter[parameter];
    const qkv__bound *ends[] = {&range->lower, &range->upper};
    static const int64_t steps[][2] = {{0, 1}, {1, 1024}, {1, 16}, {1, 2}, {1, 1},
                                       {4, 1}, {16, 1},   {64, 1}, {1024, 1}};
    for (size_t e = 0; e < 2; e++)
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            qkv__failure ignored;
            qkv__rational from = ends[e]->known ? ends[e]->value : qkv__rational_whole(0);
            qkv__rational step = qkv__rational_make(e == 0 ? steps[i][0] : -steps[i][0], steps[i][1]);
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

bool qkv__number_range_sign(qkv__model *model, const qkv__number *number,
                            const qkv__moment *moment, int parameter, qkv__range_sign *found,
                            qkv__failure *failure)
{
    const qkv__parameter *range = &model->algebra.parameter[parameter];
    sum d;
    shape s = {0};
    *found = (qkv__range_sign){.positive = true, .negative = true, .zero = true};
    bool good = make_sum(model, number, moment, parameter, &d, failure) &&
                find_shape(&d, &s, failure);
    free_sum(&d);
    if (!good) return false;
    if (range->whole) return fail_open(failure, "a range of whole numbers");
    if (s.changes == 0) {
        *found = (qkv__range_sign){
            .positive = s.upward > 0, .negative = s.upward < 0, .zero = s.upward == 0};
    } else if (s.changes == 1) {
        int low = end_sign(model, number, moment, parameter, &range->lower, s.downward, failure);
        int high = end_sign(model, number, moment, parameter, &range->upper, s.upward, failure);
        if (low == QKV__SIGN_OPEN || high == QKV__SIGN_OPEN) return false;
        bool crossed = low * high < 0;
        bool at_end = (low == 0 && !range->lower.strict) || (high == 0 && !range->upper.strict);
        *found = (qkv__range_sign){.positive = low > 0 || high > 0,
                                   .negative = low < 0 || high < 0,
                                   .zero = crossed || at_end};
    }
    look_around(model, number, moment, parameter, found);
    return true;
}
