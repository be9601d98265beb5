/* The values of the table engine: numbers that know which weights they are made of, and linear
 * combinations of rows, symbols and outputs. Knows nothing of nodes or verdicts. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "claim/model/evaluate.h"
#include "claim/table/table_part.h"

/* What lives outside of the arena of a model, newest first. */
struct qkv__tables {
    qkv__grid *grid;
    qkv__table_result *result;
    struct qkv__tables *next;
};

const char *qkv__quantity_name(qkv__quantity_kind kind)
{
    static const char *const names[] = {
        [QKV__QUANTITY_NUMBER] = "a number",     [QKV__QUANTITY_VECTOR] = "a vector",
        [QKV__QUANTITY_FAMILY] = "a table",      [QKV__QUANTITY_RESULT] = "a result of attention",
        [QKV__QUANTITY_WEIGHTS] = "all weights", [QKV__QUANTITY_SCORES] = "all scores",
        [QKV__QUANTITY_HULL] = "a convex hull",  [QKV__QUANTITY_INDEX] = "an index",
    };
    return names[kind];
}

/* ---- Keeping ------------------------------------------------------------------------------- */

static bool keep(qkv__model *model, qkv__grid *grid, qkv__table_result *result)
{
    struct qkv__tables *kept = qkv__arena_take(&model->algebra.arena, sizeof *kept);
    if (kept == NULL) return false;
    *kept = (struct qkv__tables){grid, result, model->tables};
    model->tables = kept;
    return true;
}

bool qkv__tables_keep_grid(qkv__model *model, qkv__grid *grid)
{
    bool kept = grid != NULL && keep(model, grid, NULL);
    if (!kept) qkv__grid_free(grid);
    return kept;
}

static void free_result(qkv__table_result *result)
{
    for (size_t i = 0; i < result->count; i++) qkv__grid_free(result->score[i]);
    if (result->combined != NULL)
        _arb_vec_clear(result->combined, (slong)result->values->grid->columns);
    qkv__softmax_free(result->softmax);
}

bool qkv__tables_keep_result(qkv__model *model, qkv__table_result *result)
{
    bool kept = keep(model, NULL, result);
    if (!kept) free_result(result);
    return kept;
}

/* Results before the grids that they were made from: the newest come first. */
void qkv__tables_free_since(qkv__model *model, const struct qkv__tables *kept)
{
    for (; model->tables != kept; model->tables = model->tables->next) {
        if (model->tables->result != NULL) free_result(model->tables->result);
        qkv__grid_free(model->tables->grid);
    }
}

/* ---- Numbers ------------------------------------------------------------------------------- */

static qkv__number *new_number(qkv__model *model, qkv__number_kind kind, const qkv__number *x,
                               const qkv__number *y)
{
    qkv__number *number = qkv__arena_take(&model->algebra.arena, sizeof *number);
    if (number == NULL) return NULL;
    *number = (qkv__number){.kind = kind, .x = x, .y = y};
    return number;
}

const qkv__number *qkv__number_constant(qkv__model *model, qkv__ratio ratio)
{
    if (qkv__ratio_is_lost(ratio)) return NULL;
    qkv__number *number = new_number(model, QKV__NUMBER_LINEAR, NULL, NULL);
    if (number != NULL) number->constant = ratio;
    return number;
}

const qkv__number *qkv__number_of_term(qkv__model *model, qkv__number_term term)
{
    qkv__number *number = new_number(model, QKV__NUMBER_LINEAR, NULL, NULL);
    qkv__number_term *kept = qkv__arena_take(&model->algebra.arena, sizeof *kept);
    if (number == NULL || kept == NULL) return NULL;
    *kept = term;
    number->constant = qkv__ratio_whole(&model->algebra, 0);
    number->count = 1;
    number->term = kept;
    return number;
}

bool qkv__number_as_ratio(const qkv__number *number, qkv__ratio *ratio)
{
    if (number->kind != QKV__NUMBER_LINEAR || number->count > 0) return false;
    *ratio = number->constant;
    return true;
}

static const qkv__number *scale(qkv__model *model, const qkv__number *x, qkv__rational factor)
{
    qkv__number *scaled = new_number(model, QKV__NUMBER_LINEAR, NULL, NULL);
    qkv__number_term *term = qkv__arena_array(&model->algebra.arena, x->count, sizeof *term);
    if (scaled == NULL || term == NULL) return NULL;
    scaled->constant = qkv__ratio_multiply(&model->algebra, x->constant,
                                           qkv__ratio_constant(&model->algebra, factor));
    if (qkv__ratio_is_lost(scaled->constant)) return NULL;
    for (size_t i = 0; i < x->count; i++) {
        term[i] = x->term[i];
        term[i].factor = qkv__rational_multiply(term[i].factor, factor);
        if (qkv__rational_is_lost(term[i].factor)) return NULL;
    }
    scaled->count = x->count;
    scaled->term = term;
    return scaled;
}

static const qkv__number *negate(qkv__model *model, const qkv__number *x)
{
    if (x->kind == QKV__NUMBER_LINEAR) return scale(model, x, qkv__rational_whole(-1));
    const qkv__number *minus = qkv__number_constant(model, qkv__ratio_whole(&model->algebra, -1));
    return minus == NULL ? NULL : new_number(model, QKV__NUMBER_MULTIPLY, minus, x);
}

const qkv__number *qkv__number_add(qkv__model *model, const qkv__number *x, const qkv__number *y,
                                   bool subtract)
{
    if (y != NULL && subtract) y = negate(model, y);
    if (x == NULL || y == NULL) return NULL;
    if (x->kind != QKV__NUMBER_LINEAR || y->kind != QKV__NUMBER_LINEAR)
        return new_number(model, QKV__NUMBER_ADD, x, y);
    qkv__number *sum = new_number(model, QKV__NUMBER_LINEAR, NULL, NULL);
    qkv__number_term *term =
        qkv__arena_array(&model->algebra.arena, x->count + y->count, sizeof *term);
    if (sum == NULL || term == NULL) return NULL;
    sum->constant = qkv__ratio_add(&model->algebra, x->constant, y->constant);
    if (qkv__ratio_is_lost(sum->constant)) return NULL;
    if (x->count > 0) memcpy(term, x->term, x->count * sizeof *term);
    if (y->count > 0) memcpy(term + x->count, y->term, y->count * sizeof *term);
    sum->count = x->count + y->count;
    sum->term = term;
    return sum;
}

const qkv__number *qkv__number_multiply(qkv__model *model, const qkv__number *x,
                                        const qkv__number *y)
{
    qkv__ratio a, b;
    qkv__rational factor;
    if (x == NULL || y == NULL) return NULL;
    bool plain_x = qkv__number_as_ratio(x, &a), plain_y = qkv__number_as_ratio(y, &b);
    if (plain_x && plain_y)
        return qkv__number_constant(model, qkv__ratio_multiply(&model->algebra, a, b));
    if (plain_x && y->kind == QKV__NUMBER_LINEAR && qkv__ratio_is_constant(a, &factor))
        return scale(model, y, factor);
    if (plain_y && x->kind == QKV__NUMBER_LINEAR && qkv__ratio_is_constant(b, &factor))
        return scale(model, x, factor);
    return new_number(model, QKV__NUMBER_MULTIPLY, x, y);
}

const qkv__number *qkv__number_exponential(qkv__model *model, const qkv__number *x)
{
    qkv__ratio power;
    if (x != NULL && qkv__number_as_ratio(x, &power)) {
        power = qkv__ratio_exponential(&model->algebra, power);
        if (!qkv__ratio_is_lost(power)) return qkv__number_constant(model, power);
    }
    return qkv__number_apply(model, QKV__NUMBER_EXPONENTIAL, x);
}

static bool is_weight(const qkv__number *x)
{
    return x->kind == QKV__NUMBER_LINEAR && x->count == 1 && x->term[0].kind == QKV__TERM_WEIGHT &&
           qkv__ratio_is_zero(x->constant);
}

/* Weights of one query are to each other as the exponentials of their scores. NULL for others. */
static const qkv__number *divide_weights(qkv__model *model, const qkv__number *x,
                                         const qkv__number *y)
{
    if (!is_weight(x) || !is_weight(y) || x->term[0].result != y->term[0].result) return NULL;
    const qkv__table_result *result = x->term[0].result;
    const qkv__number *above = qkv__table_score(model, result, x->term[0].index);
    const qkv__number *below = qkv__table_score(model, result, y->term[0].index);
    const qkv__number *difference = qkv__number_add(model, above, below, true);
    qkv__rational factor = qkv__rational_divide(x->term[0].factor, y->term[0].factor);
    if (difference == NULL || qkv__rational_is_lost(factor)) return NULL;
    return qkv__number_multiply(
        model, qkv__number_constant(model, qkv__ratio_constant(&model->algebra, factor)),
        qkv__number_exponential(model, difference));
}

const qkv__number *qkv__number_divide(qkv__model *model, const qkv__number *x, const qkv__number *y)
{
    qkv__ratio a, b;
    qkv__rational factor;
    if (x == NULL || y == NULL) return NULL;
    bool plain_x = qkv__number_as_ratio(x, &a), plain_y = qkv__number_as_ratio(y, &b);
    if (plain_x && plain_y)
        return qkv__number_constant(model, qkv__ratio_divide(&model->algebra, a, b));
    if (plain_y && x->kind == QKV__NUMBER_LINEAR && qkv__ratio_is_constant(b, &factor) &&
        !qkv__rational_is_zero(factor))
        return scale(model, x, qkv__rational_divide(qkv__rational_whole(1), factor));
    const qkv__number *quotient = divide_weights(model, x, y);
    if (quotient != NULL) return quotient;
    return new_number(model, QKV__NUMBER_DIVIDE, x, y);
}

const qkv__number *qkv__number_apply(qkv__model *model, qkv__number_kind kind, const qkv__number *x)
{
    return x == NULL ? NULL : new_number(model, kind, x, NULL);
}

/* ---- Combinations -------------------------------------------------------------------------- */

static qkv__combination *new_combination(qkv__model *model, size_t count, qkv__piece **piece)
{
    qkv__combination *made = qkv__arena_take(&model->algebra.arena, sizeof *made);
    *piece = qkv__arena_array(&model->algebra.arena, count, sizeof **piece);
    if (made == NULL || (*piece == NULL && count > 0)) return NULL;
    *made = (qkv__combination){count, *piece};
    return made;
}

const qkv__combination *qkv__combination_of(qkv__model *model, qkv__piece piece)
{
    qkv__piece *kept;
    qkv__combination *made = new_combination(model, 1, &kept);
    if (made != NULL) kept[0] = piece;
    return made;
}

const qkv__combination *qkv__combination_scale(qkv__model *model, const qkv__combination *x,
                                               qkv__ratio factor)
{
    qkv__piece *piece;
    qkv__combination *scaled = x == NULL ? NULL : new_combination(model, x->count, &piece);
    if (scaled == NULL) return NULL;
    for (size_t i = 0; i < x->count; i++) {
        piece[i] = x->piece[i];
        piece[i].factor = qkv__ratio_multiply(&model->algebra, piece[i].factor, factor);
        if (qkv__ratio_is_lost(piece[i].factor)) return NULL;
    }
    return scaled;
}

static bool same_source(const qkv__piece *x, const qkv__piece *y)
{
    return x->kind == y->kind && x->family == y->family && x->index == y->index &&
           x->result == y->result;
}

const qkv__combination *qkv__combination_add(qkv__model *model, const qkv__combination *x,
                                             const qkv__combination *y, bool subtract)
{
    enum { MERGED = 64 }; /* longer ones are only put together */
    qkv__piece *piece;
    if (y != NULL && subtract)
        y = qkv__combination_scale(model, y, qkv__ratio_whole(&model->algebra, -1));
    if (x == NULL || y == NULL) return NULL;
    qkv__combination *sum = new_combination(model, x->count + y->count, &piece);
    if (sum == NULL) return NULL;
    if (x->count > 0) memcpy(piece, x->piece, x->count * sizeof *piece);
    sum->count = x->count;
    for (size_t j = 0; j < y->count; j++) {
        size_t i = x->count > MERGED ? x->count : 0;
        while (i < x->count && !same_source(&piece[i], &y->piece[j])) i++;
        if (i >= x->count) {
            piece[sum->count++] = y->piece[j];
            continue;
        }
        piece[i].factor = qkv__ratio_add(&model->algebra, piece[i].factor, y->piece[j].factor);
        if (qkv__ratio_is_lost(piece[i].factor)) return NULL;
    }
    return sum;
}

/* A row of zeros but for one term of each entry: those that have the monomial of `like`. */
static qkv__grid *row_like(const qkv__ratio *entry, size_t count, const qkv__term *like)
{
    qkv__rational *number = qkv__allocate_zero(count * sizeof *number);
    for (size_t i = 0; number != NULL && i < count; i++) {
        qkv__rational below;
        number[i] = qkv__rational_whole(0);
        qkv__form_is_constant(entry[i].denominator, &below);
        const qkv__form *above = entry[i].numerator;
        for (size_t t = 0; t < above->count; t++)
            if (memcmp(above->term[t].power, like->power, sizeof like->power) == 0)
                number[i] = qkv__rational_divide(above->term[t].coefficient, below);
    }
    qkv__grid *row = NULL;
    bool good = number != NULL;
    for (size_t i = 0; good && i < count; i++) good = !qkv__rational_is_lost(number[i]);
    if (good) row = qkv__grid_of_rationals(1, count, number);
    qkv__free(number);
    return row;
}

static const qkv__table_family *row_family(qkv__model *model, qkv__grid *grid, bool padded)
{
    if (!qkv__tables_keep_grid(model, grid)) return NULL;
    qkv__table_family *family = qkv__arena_take(&model->algebra.arena, sizeof *family);
    if (family != NULL)
        *family = (qkv__table_family){.name = "", .count = 1, .grid = grid, .padded = padded};
    return family;
}

/* Whether an entry before this one, or an earlier term of it, has the same monomial. */
static bool is_new(const qkv__ratio *entry, size_t i, size_t t)
{
    const qkv__term *term = &entry[i].numerator->term[t];
    for (size_t j = 0; j <= i; j++)
        for (size_t u = 0; u < entry[j].numerator->count && (j < i || u < t); u++)
            if (memcmp(entry[j].numerator->term[u].power, term->power, sizeof term->power) == 0)
                return false;
    return true;
}

/* One row for each monomial that occurs; a row of zeros where none does. */
const qkv__combination *qkv__combination_of_ratios(qkv__model *model, const qkv__ratio *entry,
                                                   size_t count, bool padded)
{
    qkv__term one = {.coefficient = {1, 1}};
    qkv__rational below;
    for (size_t i = 0; i < count; i++) {
        if (qkv__ratio_is_lost(entry[i]) || !qkv__form_is_constant(entry[i].denominator, &below))
            return NULL;
        for (size_t t = 0; t < entry[i].numerator->count; t++)
            if (entry[i].numerator->term[t].exponent != NULL) return NULL;
    }
    const qkv__combination *sum = NULL;
    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < entry[i].numerator->count; t++) {
            if (!is_new(entry, i, t)) continue;
            qkv__term monomial = entry[i].numerator->term[t];
            monomial.coefficient = qkv__rational_whole(1);
            qkv__ratio factor =
                qkv__ratio_of_form(&model->algebra, qkv__form_term(&model->algebra, &monomial));
            const qkv__table_family *row =
                row_family(model, row_like(entry, count, &monomial), padded);
            if (row == NULL || qkv__ratio_is_lost(factor)) return NULL;
            const qkv__combination *part = qkv__combination_of(
                model, (qkv__piece){.kind = QKV__PIECE_ROW, .factor = factor, .family = row});
            sum = sum == NULL ? part : qkv__combination_add(model, sum, part, false);
            if (sum == NULL) return NULL;
        }
    if (sum != NULL) return sum;
    const qkv__table_family *row = row_family(model, row_like(entry, count, &one), padded);
    if (row == NULL) return NULL;
    return qkv__combination_of(model, (qkv__piece){.kind = QKV__PIECE_ROW,
                                                   .factor = qkv__ratio_whole(&model->algebra, 1),
                                                   .family = row});
}

/* ---- What the symbolic engine made ---------------------------------------------------------- */

static bool is_axis(const qkv__family *family)
{
    return family->axis;
}

/* The size of a set that is a plain number; 0 for others. */
static size_t size_of_set(const qkv__index_set *set)
{
    qkv__rational size;
    if (set == NULL || !qkv__ratio_is_constant(set->size, &size) || size.denominator != 1 ||
        size.numerator < 1)
        return 0;
    return (size_t)size.numerator;
}

/* One symbol as a piece: its index must be a number, not a pick. */
static bool piece_of_symbol(qkv__model *model, const qkv__component *component, qkv__piece *piece)
{
    const qkv__family *symbols = component->symbol.family;
    int member = component->symbol.member;
    size_t count = size_of_set(symbols->set);
    if (member < 0 || symbols->set == NULL || (size_t)member >= symbols->set->mark_count)
        return false;
    char *end;
    unsigned long long number = strtoull(symbols->set->mark[member], &end, 10);
    qkv__table_family *family = qkv__arena_take(&model->algebra.arena, sizeof *family);
    if (family == NULL || *end != '\0' || number < 1 || number > count) return false;
    *family = (qkv__table_family){.name = symbols->name, .count = count, .symbols = symbols};
    *piece = (qkv__piece){.kind = QKV__PIECE_SYMBOL,
                          .factor = component->factor,
                          .family = family,
                          .index = (size_t)number - 1};
    return true;
}

static bool quantity_of_vector(qkv__evaluation *e, const qkv__node *node, const qkv__vector *vector,
                               qkv__quantity *quantity)
{
    qkv__model *model = e->model;
    qkv__ratio entry[QKV__MARKS];
    size_t width = 0;
    qkv__piece piece;
    const qkv__combination *sum = NULL;
    for (size_t i = 0; i < QKV__MARKS; i++) entry[i] = qkv__ratio_whole(&model->algebra, 0);
    for (size_t i = 0; i < vector->count; i++) {
        const qkv__component *component = &vector->component[i];
        if (is_axis(component->symbol.family) && component->symbol.member >= 0 &&
            component->symbol.member < QKV__MARKS) {
            entry[component->symbol.member] = component->factor;
            width = (size_t)component->symbol.member + 1;
            continue;
        }
        if (!piece_of_symbol(model, component, &piece))
            return qkv__evaluation_unable(e, node,
                                          "beside a table of numbers, vectors need numbers for "
                                          "indices");
        const qkv__combination *part = qkv__combination_of(model, piece);
        sum = sum == NULL ? part : qkv__combination_add(model, sum, part, false);
    }
    if (sum == NULL || width > 0) {
        const qkv__combination *row =
            qkv__combination_of_ratios(model, entry, width == 0 ? 1 : width, true);
        sum = sum == NULL ? row : qkv__combination_add(model, sum, row, false);
    }
    *quantity = (qkv__quantity){.kind = QKV__QUANTITY_VECTOR, .vector = sum};
    return sum != NULL || qkv__evaluation_unable(e, node, "coordinates beyond the exact engine");
}

/* Explicit numbers as a grid; NULL where a coordinate is no plain number. */
static qkv__grid *grid_of_vectors(const qkv__vectors *vectors, size_t count)
{
    size_t width = 1;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < vectors->mark[i]->count; j++) {
            qkv__symbol symbol = vectors->mark[i]->component[j].symbol;
            if (!is_axis(symbol.family) || symbol.member < 0) return NULL;
            if ((size_t)symbol.member >= width) width = (size_t)symbol.member + 1;
        }
    qkv__rational *number = qkv__allocate_zero(count * width * sizeof *number);
    if (number == NULL) return NULL;
    bool good = true;
    for (size_t i = 0; i < count * width; i++) number[i] = qkv__rational_whole(0);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < vectors->mark[i]->count; j++) {
            const qkv__component *component = &vectors->mark[i]->component[j];
            good = good &&
                   qkv__ratio_is_constant(component->factor,
                                          &number[i * width + (size_t)component->symbol.member]);
        }
    qkv__grid *grid = good ? qkv__grid_of_rationals(count, width, number) : NULL;
    qkv__free(number);
    return grid;
}

static bool is_symbol(const qkv__vector *vector, const qkv__family *family, int member)
{
    qkv__rational one;
    return vector != NULL && vector->count == 1 && vector->component[0].symbol.family == family &&
           vector->component[0].symbol.member == member &&
           qkv__ratio_is_constant(vector->component[0].factor, &one) && one.numerator == 1 &&
           one.denominator == 1;
}

/* The family that a set of vectors is, if each is its own symbol of it. */
static const qkv__family *symbols_of(const qkv__vectors *vectors)
{
    const qkv__vector *one = vectors->generic;
    if (one == NULL && vectors->set->mark_count > 0) one = vectors->mark[0];
    if (one == NULL || one->count != 1) return NULL;
    const qkv__family *family = one->component[0].symbol.family;
    bool all = !is_axis(family) && family->set == vectors->set &&
               (vectors->generic == NULL || is_symbol(vectors->generic, family, QKV__GENERIC));
    for (size_t i = 0; all && i < vectors->set->mark_count; i++)
        all = is_symbol(vectors->mark[i], family, (int)i);
    return all ? family : NULL;
}

static bool quantity_of_vectors(qkv__evaluation *e, const qkv__node *node,
                                const qkv__vectors *vectors, qkv__quantity *quantity)
{
    size_t count = size_of_set(vectors->set);
    const qkv__family *symbols = symbols_of(vectors);
    qkv__grid *grid = NULL;
    qkv__table_family *family = qkv__arena_take(&e->model->algebra.arena, sizeof *family);
    if (count == 0)
        return qkv__evaluation_misread(e, node,
                                       "beside a table of numbers, expected a family of a known "
                                       "number of vectors%s",
                                       "");
    if (symbols == NULL && vectors->set->mark_count == count) {
        grid = grid_of_vectors(vectors, count);
        if (grid != NULL && !qkv__tables_keep_grid(e->model, grid)) grid = NULL;
    }
    if (family == NULL || (symbols == NULL && grid == NULL))
        return qkv__evaluation_unable(e, node,
                                      "beside a table of numbers, expected plain numbers or one "
                                      "symbol for each vector");
    *family = (qkv__table_family){.name = node->kind == QKV__NODE_NAME ? node->text : "",
                                  .count = count,
                                  .grid = grid,
                                  .symbols = symbols,
                                  .origin = vectors,
                                  .padded = grid != NULL};
    *quantity = (qkv__quantity){.kind = QKV__QUANTITY_FAMILY, .family = family};
    return true;
}

bool qkv__quantity_of_value(qkv__evaluation *e, const qkv__node *node, const qkv__value *value,
                            qkv__quantity *quantity)
{
    qkv__ratio ratio;
    if (value->kind == QKV__VALUE_TABLE) return *quantity = *value->table, true;
    if (qkv__value_as_ratio(value, &ratio)) {
        *quantity = (qkv__quantity){.kind = QKV__QUANTITY_NUMBER,
                                    .number = qkv__number_constant(e->model, ratio)};
        return quantity->number != NULL ||
               qkv__evaluation_unable(e, node, "a number beyond the exact engine");
    }
    if (value->kind == QKV__VALUE_VECTOR && value->vector != NULL)
        return quantity_of_vector(e, node, value->vector, quantity);
    if (value->kind == QKV__VALUE_VECTORS)
        return quantity_of_vectors(e, node, value->vectors, quantity);
    return qkv__evaluation_unable_to(e, node, "%s beside a table of numbers is beyond this version",
                                     qkv__value_kind_name(value->kind));
}
