/*
 * Numbers of the table engine at a moment: balls around them, and their signs. A number that is
 * linear in the weights of one query is decided exactly: whether it is zero follows from the
 * scores (see softmax.h), and if it is not, some precision shows its sign. Knows nothing of nodes.
 */
#include <stdint.h>
#include <string.h>

#include "ball/fraction.h"
#include "base/memory.h"
#include "claim/table/table_part.h"
#include "exact/limit.h"

static bool fail_open(qkv__failure *failure, const char *why)
{
    return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "%s", why);
}

/* ---- Plain numbers ------------------------------------------------------------------------- */

/* What a ratio tends to, where a parameter grows; itself where none does. */
static bool settle(qkv__model *model, const qkv__moment *moment, qkv__ratio *ratio)
{
    if (qkv__ratio_is_lost(*ratio)) return false;
    if (moment->limit < 0 || !qkv__ratio_depends_on(*ratio, moment->limit)) return true;
    qkv__limit limit = qkv__ratio_limit(&model->algebra, *ratio, moment->limit);
    *ratio = limit.value;
    return limit.kind == QKV__LIMIT_FINITE;
}

static bool form_at(const qkv__form *form, const qkv__moment *moment, fmpq_t value)
{
    bool good = true;
    fmpq_t part, coefficient;
    fmpq_init(part);
    fmpq_init(coefficient);
    fmpq_zero(value);
    for (size_t t = 0; good && t < form->count; t++) {
        qkv__monomial monomial;
        memcpy(monomial.power, form->term[t].power, sizeof monomial.power);
        good = form->term[t].exponent == NULL && qkv__monomial_value(&monomial, moment, -1, part);
        if (!good) break;
        qkv__fmpq_set_rational(coefficient, form->term[t].coefficient);
        fmpq_addmul(value, coefficient, part);
    }
    fmpq_clear(part);
    fmpq_clear(coefficient);
    return good;
}

bool qkv__ratio_at(qkv__model *model, qkv__ratio ratio, const qkv__moment *moment, fmpq_t value)
{
    fmpq_t below;
    if (!settle(model, moment, &ratio)) return false;
    fmpq_init(below);
    bool good = form_at(ratio.numerator, moment, value) &&
                form_at(ratio.denominator, moment, below) && !fmpq_is_zero(below);
    if (good) fmpq_div(value, value, below);
    fmpq_clear(below);
    return good;
}

/* value *= p^(halves/2) */
static bool multiply_power(const qkv__parameter *parameter, qkv__rational at, int halves,
                           slong precision, arb_t value)
{
    arb_t base;
    fmpq_t number;
    if (parameter->prime == 0 && qkv__rational_is_lost(at)) return false;
    arb_init(base);
    fmpq_init(number);
    if (parameter->prime != 0) {
        qkv__arb_log_int64(base, parameter->prime, precision);
    } else {
        qkv__fmpq_set_rational(number, at);
        arb_set_fmpq(base, number, precision);
    }
    if (halves % 2 != 0) {
        arb_sqrt(base, base, precision);
        arb_pow_ui(base, base, (ulong)(halves < 0 ? -halves : halves), precision);
    } else {
        arb_pow_ui(base, base, (ulong)(halves < 0 ? -halves : halves) / 2, precision);
    }
    if (halves < 0)
        arb_div(value, value, base, precision);
    else
        arb_mul(value, value, base, precision);
    arb_clear(base);
    fmpq_clear(number);
    return true;
}

static bool form_ball(const qkv__model *model, const qkv__form *form, const qkv__moment *moment,
                      slong precision, arb_t ball)
{
    bool good = true;
    arb_t part, exponent;
    fmpq_t coefficient;
    arb_init(part);
    arb_init(exponent);
    fmpq_init(coefficient);
    arb_zero(ball);
    for (size_t t = 0; good && t < form->count; t++) {
        const qkv__term *term = &form->term[t];
        qkv__fmpq_set_rational(coefficient, term->coefficient);
        arb_set_fmpq(part, coefficient, precision);
        for (int p = 0; good && p < (int)model->algebra.parameter_count; p++)
            if (term->power[p] != 0)
                good = multiply_power(&model->algebra.parameter[p], moment->value[p],
                                      term->power[p], precision, part);
        if (good && term->exponent != NULL) {
            good = form_ball(model, term->exponent, moment, precision, exponent);
            arb_exp(exponent, exponent, precision);
            arb_mul(part, part, exponent, precision);
        }
        arb_add(ball, ball, part, precision);
    }
    arb_clear(part);
    arb_clear(exponent);
    fmpq_clear(coefficient);
    return good;
}

static bool ratio_ball(qkv__model *model, qkv__ratio ratio, const qkv__moment *moment,
                       slong precision, arb_t ball, qkv__failure *failure)
{
    qkv__rational constant;
    fmpq_t number;
    if (qkv__ratio_is_constant(ratio, &constant)) {
        fmpq_init(number);
        qkv__fmpq_set_rational(number, constant);
        arb_set_fmpq(ball, number, precision);
        fmpq_clear(number);
        return true;
    }
    if (!settle(model, moment, &ratio)) return fail_open(failure, "a number without a limit");
    arb_t below;
    arb_init(below);
    bool good = form_ball(model, ratio.numerator, moment, precision, ball) &&
                form_ball(model, ratio.denominator, moment, precision, below);
    arb_div(ball, ball, below, precision);
    arb_clear(below);
    if (!good) return fail_open(failure, "a parameter of the claim has no number here");
    return arb_is_finite(ball) || fail_open(failure, "a division by zero, or by nearly zero");
}

/* ---- Terms --------------------------------------------------------------------------------- */

/* The exact value of a score or of an entry. */
static bool exact_term(const qkv__number_term *term, const qkv__moment *moment, fmpq_t value)
{
    if (term->kind == QKV__TERM_ENTRY) {
        qkv__grid_get(term->family->grid, term->index, term->column, value);
        return true;
    }
    bool good = true;
    fmpq_t factor, entry;
    fmpq_init(factor);
    fmpq_init(entry);
    fmpq_zero(value);
    for (size_t i = 0; good && i < term->result->count; i++) {
        good = qkv__monomial_value(&term->result->monomial[i], moment, -1, factor);
        if (!good) break;
        qkv__grid_get(term->result->score[i], term->index, 0, entry);
        fmpq_addmul(value, factor, entry);
    }
    fmpq_clear(factor);
    fmpq_clear(entry);
    return good;
}

static bool is_exact(const qkv__number_term *term)
{
    return term->kind == QKV__TERM_ENTRY || term->kind == QKV__TERM_SCORE;
}

static bool term_ball(qkv__model *model, const qkv__number_term *term, const qkv__moment *moment,
                      slong precision, arb_t ball, qkv__failure *failure)
{
    if (is_exact(term)) {
        fmpq_t value;
        fmpq_init(value);
        bool good = exact_term(term, moment, value);
        arb_set_fmpq(ball, value, precision);
        fmpq_clear(value);
        return good || fail_open(failure, "a score that has no value here");
    }
    qkv__softmax *softmax = qkv__table_softmax(model, term->result, moment, failure);
    if (softmax == NULL) return false;
    if (term->kind == QKV__TERM_WEIGHT)
        arb_set(ball, qkv__softmax_weights(softmax, precision) + term->index);
    else
        qkv__table_coordinate(term->result, term->column, precision, ball);
    return true;
}

static bool linear_ball(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                        slong precision, arb_t ball, qkv__failure *failure)
{
    bool good = ratio_ball(model, number->constant, moment, precision, ball, failure);
    arb_t part;
    arb_init(part);
    for (size_t i = 0; good && i < number->count; i++) {
        const qkv__number_term *term = &number->term[i];
        good = term_ball(model, term, moment, precision, part, failure);
        qkv__arb_mul_int64(part, part, term->factor.numerator, precision);
        if (term->factor.denominator != 1)
            qkv__arb_div_int64(part, part, term->factor.denominator, precision);
        arb_add(ball, ball, part, precision);
    }
    arb_clear(part);
    return good;
}

/* ---- Trees --------------------------------------------------------------------------------- */

static bool norm_ball(qkv__model *model, const qkv__combination *vector, const qkv__moment *moment,
                      slong precision, arb_t ball, qkv__failure *failure)
{
    qkv__coordinates coordinates;
    if (!qkv__combination_coordinates(model, vector, moment, &coordinates, failure)) return false;
    if (coordinates.symbols != NULL)
        return fail_open(failure, "the norm of vectors about which nothing is known");
    bool good = true;
    arb_t part;
    arb_init(part);
    arb_zero(ball);
    for (size_t j = 0; good && j < coordinates.count; j++) {
        good = qkv__number_ball(model, coordinates.number[j], moment, precision, part, failure);
        arb_addmul(ball, part, part, precision);
    }
    arb_sqrtpos(ball, ball, precision);
    arb_clear(part);
    return good;
}

static bool binary_ball(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                        slong precision, arb_t ball, qkv__failure *failure)
{
    arb_t right;
    arb_init(right);
    bool good = qkv__number_ball(model, number->x, moment, precision, ball, failure) &&
                qkv__number_ball(model, number->y, moment, precision, right, failure);
    if (number->kind == QKV__NUMBER_ADD)
        arb_add(ball, ball, right, precision);
    else if (number->kind == QKV__NUMBER_MULTIPLY)
        arb_mul(ball, ball, right, precision);
    else
        arb_div(ball, ball, right, precision);
    arb_clear(right);
    return good;
}

bool qkv__number_ball(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                      slong precision, arb_t ball, qkv__failure *failure)
{
    if (number->kind == QKV__NUMBER_LINEAR)
        return linear_ball(model, number, moment, precision, ball, failure);
    if (number->kind == QKV__NUMBER_NORM)
        return norm_ball(model, number->vector, moment, precision, ball, failure);
    if (number->y != NULL) {
        if (!binary_ball(model, number, moment, precision, ball, failure)) return false;
    } else if (!qkv__number_ball(model, number->x, moment, precision, ball, failure)) {
        return false;
    }
    switch (number->kind) {
    case QKV__NUMBER_POWER: arb_pow_ui(ball, ball, (ulong)number->power, precision); break;
    case QKV__NUMBER_SIZE: arb_abs(ball, ball); break;
    case QKV__NUMBER_EXPONENTIAL: arb_exp(ball, ball, precision); break;
    case QKV__NUMBER_LOGARITHM: arb_log(ball, ball, precision); break;
    case QKV__NUMBER_ROOT: arb_sqrt(ball, ball, precision); break;
    default: break;
    }
    return arb_is_finite(ball) || fail_open(failure, "a number that could not be enclosed");
}

/* ---- Zero ---------------------------------------------------------------------------------- */

/* A linear number, taken apart: the exact part, and the sums of the factors of weights of equal
 * score of the one query whose weights are not all alike. */
typedef struct parts {
    fmpq_t exact;
    qkv__softmax *softmax; /* NULL: all is exact */
    const qkv__table_result *result;
    fmpq *sum; /* one a class */
} parts;

static void clear_parts(parts *p)
{
    fmpq_clear(p->exact);
    for (size_t c = 0; p->sum != NULL && c < p->softmax->class_count; c++) fmpq_clear(p->sum + c);
    qkv__free(p->sum);
}

static bool begin_sums(parts *p, qkv__softmax *softmax, const qkv__table_result *result)
{
    if (p->softmax != NULL) return p->result == result;
    p->sum = qkv__allocate(softmax->class_count * sizeof *p->sum);
    if (p->sum == NULL) return false;
    p->softmax = softmax;
    p->result = result;
    for (size_t c = 0; c < softmax->class_count; c++) fmpq_init(p->sum + c);
    return true;
}

/* factor * (weight of the key), or * weight * entry for all keys. */
static bool add_weights(parts *p, const qkv__number_term *term, qkv__softmax *softmax)
{
    bool single = term->kind == QKV__TERM_WEIGHT, alike = softmax->class_count == 1;
    if (!alike && !begin_sums(p, softmax, term->result)) return false;
    fmpq_t factor, part;
    fmpz_t active;
    fmpq_init(factor);
    fmpq_init(part);
    fmpz_init_set_ui(active, softmax->active_count);
    for (size_t i = 0; i < softmax->active_count; i++) {
        size_t key = single ? term->index : softmax->order[i];
        if (softmax->class_of[key] == SIZE_MAX) break;
        qkv__fmpq_set_rational(factor, term->factor);
        if (!single) {
            qkv__grid_get(term->result->values->grid, key, term->column, part);
            fmpq_mul(factor, factor, part);
        }
        fmpq *sum = alike ? p->exact : p->sum + softmax->class_of[key];
        if (alike) fmpq_div_fmpz(factor, factor, active);
        fmpq_add(sum, sum, factor);
        if (single) break;
    }
    fmpq_clear(factor);
    fmpq_clear(part);
    fmpz_clear(active);
    return true;
}

static bool add_term(qkv__model *model, parts *p, const qkv__number_term *term,
                     const qkv__moment *moment, qkv__failure *failure)
{
    if (!is_exact(term)) {
        qkv__softmax *softmax = qkv__table_softmax(model, term->result, moment, failure);
        return softmax != NULL && add_weights(p, term, softmax);
    }
    fmpq_t value, factor;
    fmpq_init(value);
    fmpq_init(factor);
    bool good = exact_term(term, moment, value);
    qkv__fmpq_set_rational(factor, term->factor);
    if (good) fmpq_addmul(p->exact, factor, value);
    fmpq_clear(value);
    fmpq_clear(factor);
    return good;
}

/* The exact part counts once for all weights together, which are 1: each class has it times its
 * size, and all must vanish. */
static bool sums_vanish(parts *p)
{
    bool all = true;
    if (p->softmax == NULL) return fmpq_is_zero(p->exact);
    for (size_t i = 0; i < p->softmax->active_count; i++) {
        fmpq *sum = p->sum + p->softmax->class_of[p->softmax->order[i]];
        fmpq_add(sum, sum, p->exact);
    }
    for (size_t c = 0; all && c < p->softmax->class_count; c++) all = fmpq_is_zero(p->sum + c);
    return all;
}

/* A weight as a quotient of exponentials, where few keys share. */
static qkv__ratio exact_weight(qkv__algebra *algebra, const qkv__softmax *softmax, size_t key)
{
    qkv__ratio total = qkv__ratio_whole(algebra, 0), one = total;
    fmpq_t score;
    fmpq_init(score);
    for (size_t i = 0; i < softmax->active_count; i++) {
        qkv__grid_get(softmax->score, softmax->order[i], 0, score);
        qkv__rational value = qkv__rational_of_fmpq(score);
        qkv__ratio power = {NULL, NULL};
        if (!qkv__rational_is_lost(value))
            power = qkv__ratio_exponential(algebra, qkv__ratio_constant(algebra, value));
        total = qkv__ratio_add(algebra, total, power);
        if (softmax->order[i] == key) one = power;
    }
    fmpq_clear(score);
    return qkv__ratio_divide(algebra, one, total);
}

/* The same where exponentials stand in the claim too: w = e/(e + 1). True only if it is proved. */
static bool is_zero_form(qkv__model *model, const qkv__number *number, const qkv__moment *moment)
{
    enum { FEW = 16 };
    qkv__algebra *algebra = &model->algebra;
    qkv__failure ignored;
    qkv__ratio sum = number->constant;
    if (number->kind != QKV__NUMBER_LINEAR || !settle(model, moment, &sum)) return false;
    for (int p = 0; p < (int)algebra->parameter_count; p++)
        if (!qkv__rational_is_lost(moment->value[p]) && qkv__ratio_depends_on(sum, p))
            sum = qkv__ratio_substitute(algebra, sum, p,
                                        qkv__form_constant(algebra, moment->value[p]));
    for (size_t i = 0; i < number->count; i++) {
        const qkv__number_term *term = &number->term[i];
        qkv__softmax *softmax = term->kind != QKV__TERM_WEIGHT || number->count > FEW
                                    ? NULL
                                    : qkv__table_softmax(model, term->result, moment, &ignored);
        if (softmax == NULL || softmax->active_count > FEW) return false;
        qkv__ratio part = qkv__ratio_multiply(algebra, exact_weight(algebra, softmax, term->index),
                                              qkv__ratio_constant(algebra, term->factor));
        sum = qkv__ratio_add(algebra, sum, part);
    }
    return !qkv__ratio_is_lost(sum) && qkv__ratio_is_zero(sum);
}

/* 1: exactly zero; 0: not zero; -1: not known. */
static int is_zero(qkv__model *model, const qkv__number *number, const qkv__moment *moment)
{
    if (number->kind != QKV__NUMBER_LINEAR) return -1;
    parts p = {0};
    qkv__failure ignored;
    fmpq_init(p.exact);
    bool known = qkv__ratio_at(model, number->constant, moment, p.exact);
    for (size_t i = 0; known && i < number->count; i++)
        known = add_term(model, &p, &number->term[i], moment, &ignored);
    int zero = known ? sums_vanish(&p) : -1;
    clear_parts(&p);
    return !known && is_zero_form(model, number, moment) ? 1 : zero;
}

int qkv__number_sign(qkv__model *model, const qkv__number *number, const qkv__moment *moment,
                     qkv__failure *failure)
{
    static const slong precisions[] = {96, 256, 1024, 4096};
    int sign = QKV__SIGN_OPEN;
    arb_t ball;
    arb_init(ball);
    for (size_t i = 0; i < sizeof precisions / sizeof precisions[0]; i++) {
        if (!qkv__number_ball(model, number, moment, precisions[i], ball, failure)) break;
        if (arb_is_zero(ball)) sign = 0;
        if (arb_is_positive(ball)) sign = 1;
        if (arb_is_negative(ball)) sign = -1;
        if (sign == QKV__SIGN_OPEN && i == 0 && is_zero(model, number, moment) == 1) sign = 0;
        if (sign != QKV__SIGN_OPEN) break;
        fail_open(failure, "the two sides could be neither separated nor proved equal");
    }
    arb_clear(ball);
    return sign;
}

/* ---- Vectors ------------------------------------------------------------------------------- */

/* The family that a piece's vectors are of. */
static const qkv__table_family *family_of(const qkv__piece *piece)
{
    return piece->kind == QKV__PIECE_OUTPUT ? piece->result->values : piece->family;
}

static bool factor_at(qkv__model *model, const qkv__piece *piece, const qkv__moment *moment,
                      qkv__rational *factor, qkv__failure *failure)
{
    fmpq_t value;
    fmpq_init(value);
    bool good = qkv__ratio_at(model, piece->factor, moment, value);
    *factor = qkv__rational_of_fmpq(value);
    fmpq_clear(value);
    return (good && !qkv__rational_is_lost(*factor)) ||
           fail_open(failure, "the factor of a vector has no number here");
}

static qkv__number *new_linear(qkv__model *model, size_t capacity)
{
    qkv__number *number = qkv__arena_take(&model->algebra.arena, sizeof *number);
    qkv__number_term *term = qkv__arena_array(&model->algebra.arena, capacity, sizeof *term);
    if (number == NULL || (term == NULL && capacity > 0)) return NULL;
    *number = (qkv__number){
        .kind = QKV__NUMBER_LINEAR, .constant = qkv__ratio_whole(&model->algebra, 0), .term = term};
    return number;
}

/* Coordinate `column` of all pieces together. */
static const qkv__number *coordinate(qkv__model *model, const qkv__combination *vector,
                                     const qkv__rational *factor, size_t column)
{
    qkv__number *number = new_linear(model, vector->count);
    if (number == NULL) return NULL;
    qkv__number_term *term = (qkv__number_term *)number->term;
    for (size_t i = 0; i < vector->count; i++) {
        const qkv__piece *piece = &vector->piece[i];
        bool output = piece->kind == QKV__PIECE_OUTPUT;
        if (column >= family_of(piece)->grid->columns) continue; /* a zero that is not stored */
        term[number->count++] =
            (qkv__number_term){.kind = output ? QKV__TERM_COORDINATE : QKV__TERM_ENTRY,
                               .factor = factor[i],
                               .result = piece->result,
                               .family = piece->family,
                               .index = piece->index,
                               .column = column};
    }
    return number;
}

static bool numeric_coordinates(qkv__model *model, const qkv__combination *vector,
                                const qkv__rational *factor, qkv__coordinates *coordinates,
                                qkv__failure *failure)
{
    size_t width = 0;
    for (size_t i = 0; i < vector->count; i++) {
        const qkv__table_family *family = family_of(&vector->piece[i]);
        if (family->grid->columns > width) width = family->grid->columns;
    }
    for (size_t i = 0; i < vector->count; i++) {
        const qkv__table_family *family = family_of(&vector->piece[i]);
        if (family->grid->columns != width && !family->padded)
            return qkv__fail_value(failure, QKV__TROUBLE_TEXT,
                                   "vectors of %zu and of %zu coordinates", family->grid->columns,
                                   width);
    }
    coordinates->number =
        qkv__arena_array(&model->algebra.arena, width, sizeof *coordinates->number);
    if (coordinates->number == NULL && width > 0) return fail_open(failure, "out of memory");
    for (coordinates->count = 0; coordinates->count < width; coordinates->count++) {
        const qkv__number *number = coordinate(model, vector, factor, coordinates->count);
        if (number == NULL) return fail_open(failure, "out of memory");
        coordinates->number[coordinates->count] = number;
    }
    return true;
}

/* Which symbols occur: those that are named, and those whose weight does not vanish. */
static bool mark_symbols(qkv__model *model, const qkv__combination *vector,
                         const qkv__moment *moment, unsigned char *occurs, qkv__failure *failure)
{
    for (size_t i = 0; i < vector->count; i++) {
        const qkv__piece *piece = &vector->piece[i];
        if (piece->kind == QKV__PIECE_SYMBOL) {
            occurs[piece->index] = 1;
            continue;
        }
        qkv__softmax *softmax = qkv__table_softmax(model, piece->result, moment, failure);
        if (softmax == NULL) return false;
        for (size_t k = 0; k < softmax->active_count; k++) occurs[softmax->order[k]] = 1;
    }
    return true;
}

/* The factor of one symbol. */
static const qkv__number *symbol_factor(qkv__model *model, const qkv__combination *vector,
                                        const qkv__rational *factor, size_t index)
{
    qkv__number *number = new_linear(model, vector->count);
    if (number == NULL) return NULL;
    qkv__rational constant = qkv__rational_whole(0);
    qkv__number_term *term = (qkv__number_term *)number->term;
    for (size_t i = 0; i < vector->count; i++) {
        const qkv__piece *piece = &vector->piece[i];
        if (piece->kind == QKV__PIECE_OUTPUT)
            term[number->count++] = (qkv__number_term){.kind = QKV__TERM_WEIGHT,
                                                       .factor = factor[i],
                                                       .result = piece->result,
                                                       .index = index};
        else if (piece->index == index)
            constant = qkv__rational_add(constant, factor[i]);
    }
    if (qkv__rational_is_lost(constant)) return NULL;
    number->constant = qkv__ratio_constant(&model->algebra, constant);
    return number;
}

static bool symbolic_coordinates(qkv__model *model, const qkv__combination *vector,
                                 const qkv__rational *factor, const qkv__moment *moment,
                                 qkv__coordinates *coordinates, qkv__failure *failure)
{
    const qkv__table_family *family = family_of(&vector->piece[0]);
    qkv__arena *arena = &model->algebra.arena;
    unsigned char *occurs = qkv__arena_take(arena, family->count);
    if (occurs == NULL) return fail_open(failure, "out of memory");
    if (!mark_symbols(model, vector, moment, occurs, failure)) return false;
    size_t count = 0, at = 0;
    for (size_t k = 0; k < family->count; k++) count += occurs[k];
    size_t *index = qkv__arena_array(arena, count, sizeof *index);
    coordinates->number = qkv__arena_array(arena, count, sizeof *coordinates->number);
    if (count > 0 && (index == NULL || coordinates->number == NULL))
        return fail_open(failure, "out of memory");
    for (size_t k = 0; k < family->count; k++) {
        if (!occurs[k]) continue;
        const qkv__number *number = symbol_factor(model, vector, factor, k);
        if (number == NULL) return fail_open(failure, "numbers grow beyond 64 bits");
        index[at] = k;
        coordinates->number[at++] = number;
    }
    coordinates->count = count;
    coordinates->index = index;
    coordinates->symbols = family;
    return true;
}

bool qkv__combination_coordinates(qkv__model *model, const qkv__combination *vector,
                                  const qkv__moment *moment, qkv__coordinates *coordinates,
                                  qkv__failure *failure)
{
    *coordinates = (qkv__coordinates){0};
    if (vector->count == 0) return true;
    qkv__rational *factor = qkv__arena_array(&model->algebra.arena, vector->count, sizeof *factor);
    if (factor == NULL) return fail_open(failure, "out of memory");
    const qkv__family *symbols = family_of(&vector->piece[0])->symbols;
    for (size_t i = 0; i < vector->count; i++) {
        if (!factor_at(model, &vector->piece[i], moment, &factor[i], failure)) return false;
        if (family_of(&vector->piece[i])->symbols != symbols)
            return fail_open(failure,
                             "a sum of numbers and of vectors about which nothing is known");
    }
    if (symbols == NULL) return numeric_coordinates(model, vector, factor, coordinates, failure);
    return symbolic_coordinates(model, vector, factor, moment, coordinates, failure);
}
