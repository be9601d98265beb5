/* Attention over tables: exact scores by the powers of the parameters in the query, and what they
 * come to at a moment. Knows nothing of verdicts. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "ball/fraction.h"
#include "claim/model/evaluate.h"
#include "claim/table/table_part.h"

/* ---- The query ----------------------------------------------------------------------------- */

enum { MONOMIALS = 16 };

/* A query as it is gathered: one row of numbers for each product of parameters. */
typedef struct query {
    size_t count;
    qkv__monomial monomial[MONOMIALS];
    qkv__grid *row[MONOMIALS];
} query;

static void free_query(query *q)
{
    for (size_t i = 0; i < q->count; i++) qkv__grid_free(q->row[i]);
}

static qkv__grid *row_for(query *q, const int16_t *power, size_t width)
{
    for (size_t i = 0; i < q->count; i++)
        if (memcmp(q->monomial[i].power, power, sizeof q->monomial[i].power) == 0) return q->row[i];
    if (q->count == MONOMIALS) return NULL;
    q->row[q->count] = qkv__grid_make(1, width);
    if (q->row[q->count] == NULL) return NULL;
    memcpy(q->monomial[q->count].power, power, sizeof q->monomial[0].power);
    return q->row[q->count++];
}

/* factor * row, each term of the factor to the row of its monomial. */
static bool add_piece(query *q, const qkv__piece *piece, qkv__ratio factor, size_t width)
{
    qkv__rational below;
    if (qkv__ratio_is_lost(factor) || !qkv__form_is_constant(factor.denominator, &below))
        return false;
    bool good = true;
    fmpq_t multiplier, divisor;
    fmpq_init(multiplier);
    fmpq_init(divisor);
    qkv__fmpq_set_rational(divisor, below);
    for (size_t t = 0; good && t < factor.numerator->count; t++) {
        const qkv__term *term = &factor.numerator->term[t];
        qkv__grid *row = term->exponent == NULL ? row_for(q, term->power, width) : NULL;
        good = row != NULL;
        if (!good) break;
        qkv__fmpq_set_rational(multiplier, term->coefficient);
        fmpq_div(multiplier, multiplier, divisor);
        qkv__grid_add_row(row, 0, multiplier, piece->family->grid, piece->index);
    }
    fmpq_clear(multiplier);
    fmpq_clear(divisor);
    return good;
}

/* Whether rows of the family have `width` coordinates, or can be filled up with zeros. */
static bool fits(const qkv__table_family *family, size_t width)
{
    return family->grid->columns == width || (family->padded && family->grid->columns < width);
}

static bool gather(qkv__evaluation *e, const qkv__node *node, const qkv__combination *vector,
                   qkv__ratio scale, size_t width, query *q)
{
    char message[128];
    for (size_t i = 0; i < vector->count; i++) {
        const qkv__piece *piece = &vector->piece[i];
        if (piece->kind == QKV__PIECE_OUTPUT)
            return qkv__evaluation_unable(e, node, "a query that is itself an output of attention");
        if (piece->kind == QKV__PIECE_SYMBOL)
            return qkv__evaluation_unable(e, node,
                                          "a query without numbers against keys of numbers");
        if (!fits(piece->family, width)) {
            snprintf(message, sizeof message, "the query has %zu coordinates, the keys have %zu",
                     piece->family->grid->columns, width);
            return qkv__evaluation_misread(e, node, "%s", message);
        }
        qkv__ratio factor = qkv__ratio_multiply(&e->model->algebra, piece->factor, scale);
        if (!add_piece(q, piece, factor, width))
            return qkv__evaluation_unable(e, node,
                                          "a query that is not a polynomial in its parameters");
    }
    return true;
}

/* ---- Attention ----------------------------------------------------------------------------- */

/* The scores of each monomial's row. */
static qkv__table_result *make_result(qkv__evaluation *e, const qkv__table_family *keys,
                                      const qkv__table_family *values, const query *q)
{
    qkv__arena *arena = &e->model->algebra.arena;
    qkv__table_result *result = qkv__arena_take(arena, sizeof *result);
    qkv__monomial *monomial = qkv__arena_array(arena, q->count, sizeof *monomial);
    qkv__grid **score = qkv__arena_array(arena, q->count, sizeof *score);
    if (result == NULL || ((monomial == NULL || score == NULL) && q->count > 0)) return NULL;
    *result = (qkv__table_result){
        .keys = keys, .values = values, .count = q->count, .monomial = monomial, .score = score};
    if (values->grid != NULL) {
        result->precision =
            qkv__arena_array(arena, values->grid->columns, sizeof *result->precision);
        if (result->precision == NULL) return NULL;
    }
    if (!qkv__tables_keep_result(e->model, result)) return NULL;
    for (size_t i = 0; i < q->count; i++) {
        monomial[i] = q->monomial[i];
        score[i] = qkv__grid_products(keys->grid, q->row[i]);
        if (score[i] == NULL) return NULL;
    }
    return result;
}

static bool check_families(qkv__evaluation *e, const qkv__node *node, const qkv__quantity *keys,
                           const qkv__quantity *values)
{
    char message[160];
    if (keys->kind != QKV__QUANTITY_FAMILY || values->kind != QKV__QUANTITY_FAMILY) {
        snprintf(message, sizeof message, "expected keys and values, found %s and %s",
                 qkv__quantity_name(keys->kind), qkv__quantity_name(values->kind));
        return qkv__evaluation_misread(e, node, "%s", message);
    }
    if (keys->family->count != values->family->count) {
        snprintf(message, sizeof message, "there are %zu keys and %zu values", keys->family->count,
                 values->family->count);
        return qkv__evaluation_misread(e, node, "%s", message);
    }
    if (keys->family->grid == NULL)
        return qkv__evaluation_unable(e, node, "keys without numbers beside values of numbers");
    return true;
}

bool qkv__table_attend(qkv__evaluation *e, const qkv__node *node, const qkv__quantity *argument,
                       qkv__ratio scale, qkv__quantity *quantity)
{
    assert(node->count >= 3);
    qkv__arena *arena = &e->model->algebra.arena;
    query q = {0};
    if (!check_families(e, node, &argument[1], &argument[2])) return false;
    if (argument[0].vector == NULL)
        return qkv__evaluation_misread(e, node, "expected a vector as the query, found %s",
                                       qkv__quantity_name(argument[0].kind));
    const qkv__table_family *keys = argument[1].family, *values = argument[2].family;
    bool good = gather(e, node, argument[0].vector, scale, keys->grid->columns, &q);
    qkv__table_result *result = good ? make_result(e, keys, values, &q) : NULL;
    free_query(&q);
    if (!good) return false;
    const qkv__table_result **head = qkv__arena_take(arena, sizeof *head);
    qkv__piece piece = {.kind = QKV__PIECE_OUTPUT,
                        .factor = qkv__ratio_whole(&e->model->algebra, 1),
                        .result = result};
    if (result == NULL || head == NULL) return qkv__evaluation_unable(e, node, "out of memory");
    head[0] = result;
    *quantity = (qkv__quantity){.kind = QKV__QUANTITY_RESULT,
                                .vector = qkv__combination_of(e->model, piece),
                                .head_count = 1,
                                .head = head};
    return quantity->vector != NULL || qkv__evaluation_unable(e, node, "out of memory");
}

/* ---- Scores --------------------------------------------------------------------------------- */

const qkv__number *qkv__table_score(qkv__model *model, const qkv__table_result *result,
                                    size_t index)
{
    qkv__algebra *algebra = &model->algebra;
    qkv__ratio sum = qkv__ratio_whole(algebra, 0);
    fmpq_t entry;
    fmpq_init(entry);
    for (size_t i = 0; i < result->count; i++) {
        qkv__grid_get(result->score[i], index, 0, entry);
        qkv__term term = {.coefficient = qkv__rational_of_fmpq(entry)};
        memcpy(term.power, result->monomial[i].power, sizeof term.power);
        if (qkv__rational_is_zero(term.coefficient)) continue;
        bool lost = qkv__rational_is_lost(term.coefficient);
        const qkv__form *form = lost ? NULL : qkv__form_term(algebra, &term);
        sum = qkv__ratio_add(algebra, sum, qkv__ratio_of_form(algebra, form));
    }
    fmpq_clear(entry);
    return qkv__number_constant(model, sum);
}

/* ---- At a moment --------------------------------------------------------------------------- */

bool qkv__monomial_value(const qkv__monomial *monomial, const qkv__moment *moment, int apart,
                         fmpq_t value)
{
    bool known = true;
    fmpq_t factor;
    fmpq_init(factor);
    fmpq_set_si(value, 1, 1);
    for (int p = 0; p < QKV__PARAMETERS && known; p++) {
        int power = monomial->power[p];
        if (power == 0 || p == apart) continue;
        known = power % 2 == 0 && !qkv__rational_is_lost(moment->value[p]) &&
                (power > 0 || !qkv__rational_is_zero(moment->value[p]));
        if (!known) break;
        qkv__fmpq_set_rational(factor, moment->value[p]);
        fmpq_pow_si(factor, factor, power / 2);
        fmpq_mul(value, value, factor);
    }
    fmpq_clear(factor);
    return known;
}

static bool same_moment(const qkv__moment *x, const qkv__moment *y)
{
    for (int p = 0; p < QKV__PARAMETERS; p++)
        if (x->value[p].numerator != y->value[p].numerator ||
            x->value[p].denominator != y->value[p].denominator)
            return false;
    return x->limit == y->limit;
}

/* The first parameter of the query that has no value, for the message. */
static const char *open_parameter(const qkv__model *model, const qkv__table_result *result,
                                  const qkv__moment *moment)
{
    for (size_t i = 0; i < result->count; i++)
        for (int p = 0; p < (int)model->algebra.parameter_count; p++)
            if (result->monomial[i].power[p] != 0 && p != moment->limit &&
                qkv__rational_is_lost(moment->value[p]))
                return model->algebra.parameter[p].name;
    return "a parameter";
}

/* Adds up the columns by their power of the parameter that grows: power[i] of sum[i], in falling
 * order; the column of power 0 is always there. Negative powers vanish. */
typedef struct levels {
    size_t count;
    int power[MONOMIALS + 1];
    qkv__grid *sum[MONOMIALS + 1];
} levels;

static qkv__grid *level_for(levels *l, int power, size_t rows)
{
    size_t at = 0;
    while (at < l->count && l->power[at] > power) at++;
    if (at < l->count && l->power[at] == power) return l->sum[at];
    qkv__grid *made = qkv__grid_make(rows, 1);
    if (made == NULL) return NULL;
    for (size_t i = l->count++; i > at; i--) {
        l->power[i] = l->power[i - 1];
        l->sum[i] = l->sum[i - 1];
    }
    l->power[at] = power;
    l->sum[at] = made;
    return made;
}

static bool fill_levels(const qkv__table_result *result, const qkv__moment *moment, levels *l)
{
    bool good = level_for(l, 0, result->keys->count) != NULL;
    fmpq_t value;
    fmpq_init(value);
    for (size_t i = 0; good && i < result->count; i++) {
        int power = moment->limit < 0 ? 0 : result->monomial[i].power[moment->limit];
        good = qkv__monomial_value(&result->monomial[i], moment, moment->limit, value);
        if (!good || power < 0) continue;
        qkv__grid *sum = level_for(l, power, result->keys->count);
        good = sum != NULL;
        if (good) qkv__grid_add(sum, value, result->score[i]);
    }
    fmpq_clear(value);
    return good;
}

static void forget(qkv__table_result *result)
{
    qkv__softmax_free(result->softmax);
    result->softmax = NULL;
    for (size_t j = 0; result->combined != NULL && j < result->values->grid->columns; j++)
        result->precision[j] = 0;
}

qkv__softmax *qkv__table_softmax(qkv__model *model, const qkv__table_result *result,
                                 const qkv__moment *moment, qkv__failure *failure)
{
    qkv__table_result *cache = (qkv__table_result *)result; /* only what is worked out changes */
    if (cache->softmax != NULL && same_moment(&cache->moment, moment)) return cache->softmax;
    levels l = {0};
    forget(cache);
    bool good = fill_levels(result, moment, &l);
    size_t growing = 0;
    while (good && growing < l.count && l.power[growing] > 0) growing++;
    if (good) cache->softmax = qkv__softmax_make(l.sum, growing, l.sum[growing]);
    for (size_t i = 0; i < l.count; i++)
        if (!good || i != growing) qkv__grid_free(l.sum[i]);
    cache->moment = *moment;
    if (!good)
        qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                        "%s has no number here: give one with 'at', or a limit with 'as'",
                        open_parameter(model, result, moment));
    else if (cache->softmax == NULL)
        qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "out of memory");
    return cache->softmax;
}

bool qkv__table_slopes(qkv__model *model, const qkv__table_result *result,
                       const qkv__moment *moment, int parameter, qkv__grid **slope,
                       qkv__grid **rest, qkv__failure *failure)
{
    assert(qkv__is_parameter(&model->algebra, parameter));
    levels l = {0};
    qkv__moment growing = *moment;
    growing.limit = parameter;
    bool linear = level_for(&l, 2, result->keys->count) != NULL;
    for (size_t i = 0; i < result->count; i++) {
        int power = result->monomial[i].power[parameter];
        linear = linear && (power == 0 || power == 2);
    }
    bool known = linear && fill_levels(result, &growing, &l);
    *slope = known ? l.sum[0] : NULL;
    *rest = known ? l.sum[1] : NULL;
    for (size_t i = 0; !known && i < l.count; i++) qkv__grid_free(l.sum[i]);
    if (!linear)
        return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                               "over a range, queries are linear in the parameter");
    return known || qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "%s has no number here",
                                    open_parameter(model, result, &growing));
}

void qkv__table_coordinate(const qkv__table_result *result, size_t column, slong precision,
                           arb_t ball)
{
    qkv__table_result *cache = (qkv__table_result *)result;
    if (cache->combined == NULL)
        cache->combined = _arb_vec_init((slong)result->values->grid->columns);
    if (cache->precision[column] < precision) {
        qkv__softmax_combine(cache->softmax, result->values->grid, column, precision,
                             cache->combined + column);
        cache->precision[column] = precision;
    }
    arb_set(ball, cache->combined + column);
}

/* ---- Inner products ------------------------------------------------------------------------ */

static const qkv__number *dot_rows(qkv__model *model, const qkv__piece *x, const qkv__piece *y)
{
    const qkv__grid *a = x->family->grid, *b = y->family->grid;
    size_t width = a->columns < b->columns ? a->columns : b->columns;
    fmpq_t product;
    fmpq_init(product);
    for (size_t j = 0; j < width; j++)
        fmpz_addmul(fmpq_numref(product), a->entry + x->index * a->columns + j,
                    b->entry + y->index * b->columns + j);
    fmpz_mul(fmpq_denref(product), a->denominator, b->denominator);
    fmpq_canonicalise(product);
    qkv__rational value = qkv__rational_of_fmpq(product);
    fmpq_clear(product);
    if (qkv__rational_is_lost(value)) return NULL;
    return qkv__number_constant(model, qkv__ratio_constant(&model->algebra, value));
}

/* An output and a row: the coordinates of the one with the numbers of the other. */
static const qkv__number *dot_output(qkv__model *model, const qkv__piece *output,
                                     const qkv__piece *row)
{
    const qkv__grid *grid = row->family->grid;
    qkv__number *number = qkv__arena_take(&model->algebra.arena, sizeof *number);
    qkv__number_term *term = qkv__arena_array(&model->algebra.arena, grid->columns, sizeof *term);
    if (number == NULL || term == NULL) return NULL;
    fmpq_t entry;
    fmpq_init(entry);
    bool good = true;
    for (size_t j = 0; good && j < grid->columns; j++) {
        qkv__grid_get(grid, row->index, j, entry);
        term[j] = (qkv__number_term){.kind = QKV__TERM_COORDINATE,
                                     .factor = qkv__rational_of_fmpq(entry),
                                     .result = output->result,
                                     .column = j};
        good = !qkv__rational_is_lost(term[j].factor);
    }
    fmpq_clear(entry);
    *number = (qkv__number){.kind = QKV__NUMBER_LINEAR,
                            .constant = qkv__ratio_whole(&model->algebra, 0),
                            .count = grid->columns,
                            .term = term};
    return good ? number : NULL;
}

/* How many coordinates a piece has; 0: it has none. */
static size_t width_of(const qkv__piece *piece, bool *padded)
{
    const qkv__table_family *family =
        piece->kind == QKV__PIECE_OUTPUT ? piece->result->values : piece->family;
    *padded = family->padded;
    return family->grid == NULL ? 0 : family->grid->columns;
}

static const qkv__number *dot_pieces(qkv__evaluation *e, const qkv__node *node, const qkv__piece *x,
                                     const qkv__piece *y)
{
    bool loose_x, loose_y;
    size_t a = width_of(x, &loose_x), b = width_of(y, &loose_y);
    if (a == 0 || b == 0) {
        qkv__evaluation_unable(e, node, "the inner product of vectors without numbers");
        return NULL;
    }
    if (a != b && !(a < b ? loose_x : loose_y)) {
        qkv__evaluation_misread(e, node, "the inner product of vectors of different lengths%s", "");
        return NULL;
    }
    const qkv__number *product = NULL;
    bool outputs = x->kind == QKV__PIECE_OUTPUT && y->kind == QKV__PIECE_OUTPUT;
    if (x->kind == QKV__PIECE_ROW && y->kind == QKV__PIECE_ROW)
        product = dot_rows(e->model, x, y);
    else if (!outputs && (x->kind == QKV__PIECE_OUTPUT ? a >= b : b >= a))
        product =
            x->kind == QKV__PIECE_OUTPUT ? dot_output(e->model, x, y) : dot_output(e->model, y, x);
    qkv__ratio factor = qkv__ratio_multiply(&e->model->algebra, x->factor, y->factor);
    product = qkv__number_multiply(e->model, qkv__number_constant(e->model, factor), product);
    if (product == NULL)
        qkv__evaluation_unable(e, node, "an inner product beyond 64 bits, or of outputs");
    return product;
}

const qkv__number *qkv__table_dot(qkv__evaluation *e, const qkv__node *node,
                                  const qkv__combination *x, const qkv__combination *y)
{
    const qkv__number *sum =
        qkv__number_constant(e->model, qkv__ratio_whole(&e->model->algebra, 0));
    for (size_t i = 0; i < x->count; i++)
        for (size_t j = 0; j < y->count; j++) {
            const qkv__number *part = dot_pieces(e, node, &x->piece[i], &y->piece[j]);
            if (part == NULL) return NULL;
            sum = qkv__number_add(e->model, sum, part, false);
            if (sum == NULL) {
                qkv__evaluation_unable(e, node, "an inner product beyond 64 bits");
                return NULL;
            }
        }
    return sum;
}
