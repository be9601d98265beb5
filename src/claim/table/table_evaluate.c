/* Expressions over tables to values of the table engine. Knows syntax; nothing of verdicts. Leaves
 * that have no table in them are the symbolic engine's, whose values are taken over. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "ball/fraction.h"
#include "base/memory.h"
#include "claim/model/binding.h"
#include "claim/model/evaluate.h"
#include "claim/table/table_part.h"
#include "language/builtin.h"
#include "language/family_index.h"
#include "language/tree.h"

enum { CALL_DEPTH = 32, HEADS = 16, LONGEST_SUM = 10000000 };

static bool give_number(qkv__evaluation *e, const qkv__node *node, const qkv__number *number,
                        qkv__quantity *quantity)
{
    *quantity = (qkv__quantity){.kind = QKV__QUANTITY_NUMBER, .number = number};
    return number != NULL || qkv__evaluation_unable(e, node, "numbers grow beyond 64 bits");
}

static bool give_vector(qkv__evaluation *e, const qkv__node *node, const qkv__combination *vector,
                        qkv__quantity *quantity)
{
    *quantity = (qkv__quantity){.kind = QKV__QUANTITY_VECTOR, .vector = vector};
    return vector != NULL || qkv__evaluation_unable(e, node, "numbers grow beyond 64 bits");
}

/* ---- Lists and files ----------------------------------------------------------------------- */

bool qkv__table_family_of(qkv__evaluation *e, const qkv__node *node, qkv__grid *grid,
                          qkv__quantity *quantity)
{
    qkv__table_family *family = NULL;
    if (qkv__tables_keep_grid(e->model, grid))
        family = qkv__arena_take(&e->model->algebra.arena, sizeof *family);
    if (family == NULL)
        return qkv__evaluation_unable(e, node, "a table that takes too much memory");
    *family = (qkv__table_family){.name = "", .count = grid->rows, .grid = grid};
    *quantity = (qkv__quantity){.kind = QKV__QUANTITY_FAMILY, .family = family};
    return true;
}

/* The one row of a family as a vector. */
static bool give_row(qkv__evaluation *e, const qkv__node *node, const qkv__table_family *family,
                     size_t index, qkv__quantity *quantity)
{
    qkv__piece piece = {.kind = family->grid != NULL ? QKV__PIECE_ROW : QKV__PIECE_SYMBOL,
                        .factor = qkv__ratio_whole(&e->model->algebra, 1),
                        .family = family,
                        .index = index};
    return give_vector(e, node, qkv__combination_of(e->model, piece), quantity);
}

/* Many numbers: rows are a family, a list without rows is a vector, one row of a grid. */
static bool give_grid(qkv__evaluation *e, const qkv__node *node, qkv__grid *grid, bool flat,
                      qkv__quantity *quantity)
{
    if (grid != NULL && flat) {
        grid->columns = grid->rows * grid->columns;
        grid->rows = 1;
    }
    if (!qkv__table_family_of(e, node, grid, quantity)) return false;
    return !flat || give_row(e, node, quantity->family, 0, quantity);
}

static bool evaluate_file(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    bool flat;
    *e->culprit = node;
    qkv__grid *grid = qkv__table_read(e->model, node, &flat, e->failure);
    return grid != NULL && give_grid(e, node, grid, flat, quantity);
}

/* A short list of lists, or a long one that is not of plain numbers: [[1/3, 2], ...]. */
static bool evaluate_rows(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    size_t rows = node->count, columns = node->child[0]->count;
    for (size_t i = 0; i < rows; i++)
        if (node->child[i]->kind != QKV__NODE_LIST || node->child[i]->table != NULL ||
            node->child[i]->count != columns)
            return qkv__evaluation_misread(e, node->child[i], "expected rows of one length%s", "");
    qkv__rational *number = qkv__allocate_zero(rows * columns * sizeof *number);
    if (number == NULL) return qkv__evaluation_unable(e, node, "out of memory");
    bool good = true;
    for (size_t i = 0; good && i < rows * columns; i++) {
        const qkv__node *entry = node->child[i / columns]->child[i % columns];
        qkv__quantity value;
        qkv__ratio ratio;
        good = qkv__table_quantity(e, entry, &value);
        if (!good) break;
        good = value.kind == QKV__QUANTITY_NUMBER && qkv__number_as_ratio(value.number, &ratio) &&
               qkv__ratio_is_constant(ratio, &number[i]);
        if (!good) qkv__evaluation_misread(e, entry, "expected a plain number in a table%s", "");
    }
    qkv__grid *grid = good ? qkv__grid_of_rationals(rows, columns, number) : NULL;
    qkv__free(number);
    return good && qkv__table_family_of(e, node, grid, quantity);
}

static bool evaluate_list(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    assert(node->kind == QKV__NODE_LIST);
    const qkv__number_table *table = node->table;
    if (table != NULL)
        return give_grid(e, node, qkv__grid_of_decimals(table->rows, table->columns, table->entry),
                         table->flat, quantity);
    if (qkv__list_is_family(node))
        return qkv__evaluation_unable(e, node, "a family made of a table is beyond this version");
    if (node->child[0]->kind == QKV__NODE_LIST) return evaluate_rows(e, node, quantity);
    qkv__ratio *entry = qkv__arena_array(&e->model->algebra.arena, node->count, sizeof *entry);
    if (entry == NULL) return qkv__evaluation_unable(e, node, "out of memory");
    for (size_t i = 0; i < node->count; i++) {
        qkv__quantity value;
        if (!qkv__table_quantity(e, node->child[i], &value)) return false;
        if (value.kind != QKV__QUANTITY_NUMBER || !qkv__number_as_ratio(value.number, &entry[i]))
            return qkv__evaluation_unable(e, node->child[i],
                                          "a list of weights is not a vector here");
    }
    const qkv__combination *vector =
        qkv__combination_of_ratios(e->model, entry, node->count, false);
    if (vector == NULL)
        return qkv__evaluation_unable(e, node, "coordinates that are not polynomials");
    return give_vector(e, node, vector, quantity);
}

/* ---- Names and indices --------------------------------------------------------------------- */

static bool evaluate_leaf(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    qkv__value value;
    if (node->kind == QKV__NODE_NAME) {
        const qkv__binding *binding = qkv__model_find(e->model, e->locals, node->text);
        if (binding != NULL && binding->value.kind == QKV__VALUE_TABLE) {
            *quantity = *binding->value.table;
            if (quantity->kind != QKV__QUANTITY_INDEX) return true;
            return give_number(
                e, node,
                qkv__number_constant(
                    e->model, qkv__ratio_whole(&e->model->algebra, (int64_t)quantity->index)),
                quantity);
        }
    }
    return qkv__evaluate_in(e, node, &value) && qkv__quantity_of_value(e, node, &value, quantity);
}

bool qkv__table_index(qkv__evaluation *e, const qkv__node *node, size_t count, size_t *index)
{
    qkv__quantity value;
    qkv__ratio ratio;
    qkv__rational number;
    char range[48];
    const qkv__binding *bound =
        node->kind == QKV__NODE_NAME ? qkv__model_find(e->model, e->locals, node->text) : NULL;
    if (node->kind == QKV__NODE_NAME && bound == NULL)
        return qkv__evaluation_unable(e, node, "an index of a table must be a number");
    if (!qkv__table_quantity(e, node, &value)) return false;
    bool whole = value.kind == QKV__QUANTITY_NUMBER && qkv__number_as_ratio(value.number, &ratio) &&
                 qkv__ratio_is_constant(ratio, &number) && number.denominator == 1;
    snprintf(range, sizeof range, "1 to %zu", count);
    if (!whole || number.numerator < 1 || (uint64_t)number.numerator > count)
        return qkv__evaluation_misread(e, node, "expected an index from %s", range);
    *index = (size_t)number.numerator - 1;
    return true;
}

/* The weight or score of one key, the mean over the heads. */
static bool index_numbers(qkv__evaluation *e, const qkv__node *node, const qkv__quantity *base,
                          const qkv__node *index_node, qkv__quantity *quantity)
{
    size_t index;
    bool weights = base->kind == QKV__QUANTITY_WEIGHTS;
    const qkv__number *sum = NULL;
    if (!qkv__table_index(e, index_node, base->head[0]->keys->count, &index)) return false;
    if (!weights && base->head_count > 1)
        return qkv__evaluation_misread(e, node, "a mean of heads has no scores of its own%s", "");
    for (size_t i = 0; i < base->head_count; i++) {
        qkv__number_term term = {.kind = weights ? QKV__TERM_WEIGHT : QKV__TERM_SCORE,
                                 .factor = qkv__rational_make(1, (int64_t)base->head_count),
                                 .result = base->head[i],
                                 .index = index};
        const qkv__number *part = weights ? NULL : qkv__table_score(e->model, base->head[i], index);
        if (part == NULL) part = qkv__number_of_term(e->model, term);
        sum = sum == NULL ? part : qkv__number_add(e->model, sum, part, false);
    }
    return give_number(e, node, sum, quantity);
}

static bool apply_index(qkv__evaluation *e, const qkv__node *node, const qkv__quantity *base,
                        const qkv__node *index_node, qkv__quantity *quantity)
{
    size_t index;
    if (base->kind == QKV__QUANTITY_WEIGHTS || base->kind == QKV__QUANTITY_SCORES)
        return index_numbers(e, node, base, index_node, quantity);
    if (base->kind != QKV__QUANTITY_FAMILY)
        return qkv__evaluation_misread(e, node, "%s has no such index",
                                       qkv__quantity_name(base->kind));
    return qkv__table_index(e, index_node, base->family->count, &index) &&
           give_row(e, node, base->family, index, quantity);
}

/* c.head[1] takes its index itself; the others are left. */
static bool evaluate_member(qkv__evaluation *e, const qkv__node *node, const qkv__node *index,
                            bool *used, qkv__quantity *quantity)
{
    assert(node->kind == QKV__NODE_MEMBER);
    qkv__quantity base;
    size_t head;
    *used = false;
    if (!qkv__table_quantity(e, node->child[0], &base)) return false;
    if (base.kind != QKV__QUANTITY_RESULT)
        return qkv__evaluation_misread(e, node, "only a result of attention has .%s", node->text);
    *quantity = base;
    if (strcmp(node->text, "output") == 0) return true;
    if (strcmp(node->text, "weight") == 0) return quantity->kind = QKV__QUANTITY_WEIGHTS, true;
    if (strcmp(node->text, "score") == 0) return quantity->kind = QKV__QUANTITY_SCORES, true;
    if (index == NULL)
        return qkv__evaluation_misread(e, node, "expected .head[1] up to the number of heads%s",
                                       "");
    *used = true;
    if (!qkv__table_index(e, index, base.head_count, &head)) return false;
    qkv__piece piece = {.kind = QKV__PIECE_OUTPUT,
                        .factor = qkv__ratio_whole(&e->model->algebra, 1),
                        .result = base.head[head]};
    *quantity = (qkv__quantity){.kind = QKV__QUANTITY_RESULT,
                                .vector = qkv__combination_of(e->model, piece),
                                .head_count = 1,
                                .head = base.head + head};
    return quantity->vector != NULL || qkv__evaluation_unable(e, node, "out of memory");
}

static bool evaluate_indexed(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    const qkv__node *base = node->kind == QKV__NODE_INDEX ? node->child[0] : node;
    const qkv__node *first = node->kind == QKV__NODE_INDEX ? node->child[1] : NULL;
    bool used = false;
    qkv__quantity from;
    bool good = base->kind == QKV__NODE_MEMBER ? evaluate_member(e, base, first, &used, &from)
                                               : qkv__table_quantity(e, base, &from);
    *quantity = from;
    for (size_t i = used ? 2 : 1; good && node->kind == QKV__NODE_INDEX && i < node->count; i++) {
        from = *quantity;
        good = apply_index(e, node, &from, node->child[i], quantity);
    }
    return good;
}

/* ---- Operators ----------------------------------------------------------------------------- */

static bool fail_operands(qkv__evaluation *e, const qkv__node *node, const qkv__quantity *x,
                          const qkv__quantity *y)
{
    char names[96];
    snprintf(names, sizeof names, "%s and %s", qkv__quantity_name(x->kind),
             qkv__quantity_name(y->kind));
    return qkv__evaluation_misread(e, node, "this operation does not go with %s", names);
}

static bool multiply(qkv__evaluation *e, const qkv__node *node, const qkv__quantity *x,
                     const qkv__quantity *y, qkv__quantity *quantity)
{
    qkv__ratio factor;
    if (x->kind == QKV__QUANTITY_NUMBER && y->kind == QKV__QUANTITY_NUMBER)
        return give_number(e, node, qkv__number_multiply(e->model, x->number, y->number), quantity);
    const qkv__quantity *number = x->kind == QKV__QUANTITY_NUMBER ? x : y,
                        *vector = number == x ? y : x;
    if (number->kind != QKV__QUANTITY_NUMBER || vector->vector == NULL)
        return fail_operands(e, node, x, y);
    if (!qkv__number_as_ratio(number->number, &factor))
        return qkv__evaluation_unable(e, node, "a vector times a number that depends on weights");
    return give_vector(e, node, qkv__combination_scale(e->model, vector->vector, factor), quantity);
}

static bool divide(qkv__evaluation *e, const qkv__node *node, const qkv__quantity *x,
                   const qkv__quantity *y, qkv__quantity *quantity)
{
    qkv__ratio divisor;
    if (y->kind != QKV__QUANTITY_NUMBER) return fail_operands(e, node, x, y);
    if (x->kind == QKV__QUANTITY_NUMBER)
        return give_number(e, node, qkv__number_divide(e->model, x->number, y->number), quantity);
    if (x->vector == NULL) return fail_operands(e, node, x, y);
    if (!qkv__number_as_ratio(y->number, &divisor))
        return qkv__evaluation_unable(e, node, "a vector over a number that depends on weights");
    qkv__ratio one = qkv__ratio_whole(&e->model->algebra, 1);
    divisor = qkv__ratio_divide(&e->model->algebra, one, divisor);
    return give_vector(e, node, qkv__combination_scale(e->model, x->vector, divisor), quantity);
}

static bool evaluate_binary(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    qkv__quantity x, y;
    bool subtract = node->kind == QKV__NODE_SUBTRACT;
    if (!qkv__table_quantity(e, node->child[0], &x) || !qkv__table_quantity(e, node->child[1], &y))
        return false;
    if (node->kind == QKV__NODE_MULTIPLY) return multiply(e, node, &x, &y, quantity);
    if (node->kind == QKV__NODE_DIVIDE) return divide(e, node, &x, &y, quantity);
    if (node->kind == QKV__NODE_DOT) {
        if (x.vector == NULL || y.vector == NULL) return fail_operands(e, node, &x, &y);
        const qkv__number *product = qkv__table_dot(e, node, x.vector, y.vector);
        return product != NULL && give_number(e, node, product, quantity);
    }
    if (x.kind == QKV__QUANTITY_NUMBER && y.kind == QKV__QUANTITY_NUMBER)
        return give_number(e, node, qkv__number_add(e->model, x.number, y.number, subtract),
                           quantity);
    if (x.vector == NULL || y.vector == NULL) return fail_operands(e, node, &x, &y);
    return give_vector(e, node, qkv__combination_add(e->model, x.vector, y.vector, subtract),
                       quantity);
}

/* x^3 by a tree; powers of plain numbers are the symbolic engine's. */
static bool evaluate_power(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    qkv__quantity x, y;
    qkv__ratio power;
    qkv__rational whole;
    bool natural =
        qkv__node_is(node->child[0], "e") && qkv__model_find(e->model, e->locals, "e") == NULL;
    if (!qkv__table_quantity(e, node->child[1], &y)) return false;
    if (y.kind != QKV__QUANTITY_NUMBER)
        return qkv__evaluation_misread(e, node, "expected a number as the power%s", "");
    if (natural)
        return give_number(e, node, qkv__number_apply(e->model, QKV__NUMBER_EXPONENTIAL, y.number),
                           quantity);
    if (!qkv__table_quantity(e, node->child[0], &x)) return false;
    if (x.kind != QKV__QUANTITY_NUMBER || !qkv__number_as_ratio(y.number, &power) ||
        !qkv__ratio_is_constant(power, &whole) || whole.denominator != 1 || whole.numerator < 1 ||
        whole.numerator > 64)
        return qkv__evaluation_unable(e, node, "a power other than a small positive whole number");
    qkv__ratio base;
    if (qkv__number_as_ratio(x.number, &base))
        return give_number(e, node,
                           qkv__number_constant(e->model, qkv__ratio_power(&e->model->algebra, base,
                                                                           (int)whole.numerator)),
                           quantity);
    qkv__number *number = qkv__arena_take(&e->model->algebra.arena, sizeof *number);
    if (number != NULL)
        *number =
            (qkv__number){.kind = QKV__NUMBER_POWER, .x = x.number, .power = (int)whole.numerator};
    return give_number(e, node, number, quantity);
}

/* The norm of a vector of numbers where it is one: |[3, 4]| is 5. NULL for others. */
static const qkv__number *plain_norm(qkv__evaluation *e, const qkv__node *node,
                                     const qkv__combination *vector)
{
    qkv__failure ignored = {0};
    qkv__evaluation inner = *e;
    qkv__ratio square;
    qkv__rational value, root = QKV__RATIONAL_LOST;
    inner.failure = &ignored;
    for (size_t i = 0; i < vector->count; i++)
        if (vector->piece[i].kind != QKV__PIECE_ROW) return NULL;
    const qkv__number *product = qkv__table_dot(&inner, node, vector, vector);
    if (product == NULL || !qkv__number_as_ratio(product, &square) ||
        !qkv__ratio_is_constant(square, &value))
        return NULL;
    fmpz_t part;
    fmpz_init(part);
    qkv__fmpz_set_int64(part, value.numerator);
    if (fmpz_is_square(part)) {
        fmpz_sqrt(part, part);
        qkv__fmpz_get_int64(part, &root.numerator);
        qkv__fmpz_set_int64(part, value.denominator);
        if (fmpz_is_square(part)) {
            fmpz_sqrt(part, part);
            qkv__fmpz_get_int64(part, &root.denominator);
        }
    }
    fmpz_clear(part);
    if (qkv__rational_is_lost(root)) return NULL;
    return qkv__number_constant(e->model, qkv__ratio_constant(&e->model->algebra, root));
}

static bool give_size(qkv__evaluation *e, const qkv__node *node, const qkv__quantity *x,
                      qkv__quantity *quantity)
{
    if (x->kind == QKV__QUANTITY_NUMBER)
        return give_number(e, node, qkv__number_apply(e->model, QKV__NUMBER_SIZE, x->number),
                           quantity);
    if (x->vector == NULL)
        return qkv__evaluation_misread(e, node, "the size of %s", qkv__quantity_name(x->kind));
    const qkv__number *plain = plain_norm(e, node, x->vector);
    if (plain != NULL) return give_number(e, node, plain, quantity);
    qkv__number *norm = qkv__arena_take(&e->model->algebra.arena, sizeof *norm);
    if (norm != NULL) *norm = (qkv__number){.kind = QKV__NUMBER_NORM, .vector = x->vector};
    return give_number(e, node, norm, quantity);
}

static bool evaluate_negate(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    qkv__quantity x, minus = {.kind = QKV__QUANTITY_NUMBER};
    minus.number = qkv__number_constant(e->model, qkv__ratio_whole(&e->model->algebra, -1));
    return minus.number != NULL && qkv__table_quantity(e, node->child[0], &x) &&
           multiply(e, node, &minus, &x, quantity);
}

static bool evaluate_size(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    assert(node->kind == QKV__NODE_SIZE);
    qkv__quantity x;
    return qkv__table_quantity(e, node->child[0], &x) && give_size(e, node, &x, quantity);
}

/* ---- Calls --------------------------------------------------------------------------------- */

/* attend(q, k, v, scale = 1/8) */
static bool evaluate_attend(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__quantity argument[3], option;
    qkv__ratio scale = qkv__ratio_whole(&e->model->algebra, 1);
    size_t plain = 0;
    for (size_t i = 0; i < node->count; i++) {
        const qkv__node *child = node->child[i];
        if (child->kind != QKV__NODE_OPTION) {
            if (plain == 3)
                return qkv__evaluation_misread(e, node, "attend takes a query, keys and values%s",
                                               "");
            if (!qkv__table_quantity(e, child, &argument[plain++])) return false;
            continue;
        }
        if (strcmp(child->text, "scale") != 0)
            return qkv__evaluation_unable_to(e, child, "the option %s beside a table of numbers",
                                             child->text);
        if (!qkv__table_quantity(e, child->child[0], &option)) return false;
        if (option.kind != QKV__QUANTITY_NUMBER || !qkv__number_as_ratio(option.number, &scale))
            return qkv__evaluation_unable(e, child, "a scale that is not a plain number");
    }
    if (plain != 3)
        return qkv__evaluation_misread(e, node, "attend takes a query, keys and values%s", "");
    return qkv__table_attend(e, node, argument, scale, quantity);
}

/* Heads of one kind side by side: a result with several heads. */
static bool mean_of_results(qkv__evaluation *e, const qkv__node *node, const qkv__quantity *value,
                            qkv__quantity *quantity)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__arena *arena = &e->model->algebra.arena;
    const qkv__table_result **head = qkv__arena_array(arena, node->count, sizeof *head);
    qkv__ratio share =
        qkv__ratio_constant(&e->model->algebra, qkv__rational_make(1, (int64_t)node->count));
    const qkv__combination *sum = NULL;
    if (head == NULL) return qkv__evaluation_unable(e, node, "out of memory");
    for (size_t i = 0; i < node->count; i++) {
        head[i] = value[i].head[0];
        if (head[i]->keys->count != head[0]->keys->count || value[i].head_count != 1)
            return qkv__evaluation_misread(e, node, "heads look at different keys%s", "");
        const qkv__combination *part = qkv__combination_scale(e->model, value[i].vector, share);
        sum = sum == NULL ? part : qkv__combination_add(e->model, sum, part, false);
    }
    *quantity = (qkv__quantity){
        .kind = QKV__QUANTITY_RESULT, .vector = sum, .head_count = node->count, .head = head};
    return sum != NULL || qkv__evaluation_unable(e, node, "numbers grow beyond 64 bits");
}

static bool add_up(qkv__evaluation *e, const qkv__node *node, const qkv__quantity *x,
                   const qkv__quantity *y, qkv__quantity *sum)
{
    if (x->kind == QKV__QUANTITY_NUMBER && y->kind == QKV__QUANTITY_NUMBER)
        return give_number(e, node, qkv__number_add(e->model, x->number, y->number, false), sum);
    if (x->vector == NULL || y->vector == NULL) return fail_operands(e, node, x, y);
    return give_vector(e, node, qkv__combination_add(e->model, x->vector, y->vector, false), sum);
}

static bool evaluate_mean(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    assert(node->kind == QKV__NODE_CALL);
    qkv__quantity value[HEADS], sum, before;
    bool results = true;
    if (node->count < 1 || node->count > HEADS)
        return qkv__evaluation_misread(e, node, "mean takes 1 to 16 arguments%s", "");
    for (size_t i = 0; i < node->count; i++) {
        if (!qkv__table_quantity(e, node->child[i], &value[i])) return false;
        results = results && value[i].kind == QKV__QUANTITY_RESULT;
    }
    if (results) return mean_of_results(e, node, value, quantity);
    sum = value[0];
    for (size_t i = 1; i < node->count; i++) {
        before = sum;
        if (!add_up(e, node, &before, &value[i], &sum)) return false;
    }
    qkv__quantity count = {.kind = QKV__QUANTITY_NUMBER};
    count.number =
        qkv__number_constant(e->model, qkv__ratio_whole(&e->model->algebra, (int64_t)node->count));
    return count.number != NULL && divide(e, node, &sum, &count, quantity);
}

/* The terms or pieces of many values in one array: adding one by one would copy them each time. */
typedef struct gathering {
    size_t count, capacity;
    qkv__number_term *term;
    qkv__ratio constant;
} gathering;

static bool gather_number(qkv__evaluation *e, gathering *g, const qkv__number *number)
{
    if (number->kind != QKV__NUMBER_LINEAR) return false;
    if (g->count + number->count > g->capacity) {
        size_t capacity = 2 * (g->count + number->count) + 64;
        qkv__number_term *grown =
            qkv__arena_array(&e->model->algebra.arena, capacity, sizeof *grown);
        if (grown == NULL) return false;
        if (g->count > 0) memcpy(grown, g->term, g->count * sizeof *grown);
        g->term = grown;
        g->capacity = capacity;
    }
    if (number->count > 0)
        memcpy(g->term + g->count, number->term, number->count * sizeof *g->term);
    g->count += number->count;
    if (!qkv__ratio_is_zero(number->constant))
        g->constant = qkv__ratio_add(&e->model->algebra, g->constant, number->constant);
    return !qkv__ratio_is_lost(g->constant);
}

static const qkv__number *gathered(qkv__evaluation *e, const gathering *g)
{
    qkv__number *number = qkv__arena_take(&e->model->algebra.arena, sizeof *number);
    if (number != NULL)
        *number = (qkv__number){.kind = QKV__NUMBER_LINEAR,
                                .constant = g->constant,
                                .count = g->count,
                                .term = g->term};
    return number;
}

/* sum(body for i in l..u), over numbers alone or over vectors. */
static bool evaluate_sum(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    assert(node->kind == QKV__NODE_SUM);
    const qkv__node *domain = node->child[1], *range = domain->child[1];
    size_t first, last;
    if (domain->comparison != QKV__IN || range->kind != QKV__NODE_RANGE)
        return qkv__evaluation_unable(e, node,
                                      "a sum over a table runs over a range such as 1..100");
    if (!qkv__table_index(e, range->child[0], SIZE_MAX / 2, &first) ||
        !qkv__table_index(e, range->child[1], SIZE_MAX / 2, &last))
        return false;
    if (last > first + LONGEST_SUM)
        return qkv__evaluation_unable(e, node, "a sum of too many terms");
    gathering g = {.constant = qkv__ratio_whole(&e->model->algebra, 0)};
    qkv__quantity sum = {.kind = QKV__QUANTITY_NUMBER}, before, part;
    bool numbers = true;
    for (size_t i = first; i <= last; i++) {
        qkv__quantity index = {.kind = QKV__QUANTITY_INDEX, .index = i + 1};
        qkv__binding local = {.name = node->text,
                              .value = {.kind = QKV__VALUE_TABLE, .table = &index},
                              .next = e->locals};
        qkv__evaluation inner = *e;
        inner.locals = &local;
        if (!qkv__table_quantity(&inner, node->child[0], &part)) return false;
        if (i == first) numbers = part.kind == QKV__QUANTITY_NUMBER;
        if (numbers && part.kind == QKV__QUANTITY_NUMBER) {
            if (!gather_number(e, &g, part.number))
                return qkv__evaluation_unable(
                    e, node, "a sum of products of weights, or of too large numbers");
            continue;
        }
        before = sum;
        if (i == first)
            sum = part;
        else if (!add_up(e, node, &before, &part, &sum))
            return false;
    }
    if (numbers) return give_number(e, node, gathered(e, &g), quantity);
    *quantity = sum;
    return true;
}

static bool call_function(qkv__evaluation *e, const qkv__node *node, const qkv__statement *function,
                          qkv__quantity *quantity)
{
    assert(node->kind == QKV__NODE_CALL);
    assert(function->kind == QKV__STATEMENT_DEFINE);
    enum { MOST = 8 };
    qkv__binding argument[MOST];
    const qkv__node *target = function->node[0];
    if (target->count != node->count || node->count > MOST)
        return qkv__evaluation_misread(e, node, "%s has another number of arguments", node->text);
    if (e->depth >= CALL_DEPTH)
        return qkv__evaluation_misread(e, node, "%s calls itself", node->text);
    qkv__evaluation inner = *e;
    inner.depth++;
    inner.locals = NULL;
    for (size_t i = 0; i < node->count; i++) {
        qkv__quantity *value = qkv__arena_take(&e->model->algebra.arena, sizeof *value);
        if (value == NULL) return qkv__evaluation_unable(e, node, "out of memory");
        if (!qkv__table_quantity(e, node->child[i], value)) return false;
        argument[i] = (qkv__binding){.name = target->child[i]->text,
                                     .value = {.kind = QKV__VALUE_TABLE, .table = value},
                                     .next = inner.locals};
        inner.locals = &argument[i];
    }
    return qkv__table_quantity(&inner, function->node[1], quantity);
}

/* exp, ln, log, sqrt, abs, norm of a number that is made of weights; plain ones are the symbolic
 * engine's. */
static bool evaluate_elementary(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    qkv__quantity x;
    qkv__builtin function = qkv__builtin_of(node);
    if (node->count != 1)
        return qkv__evaluation_misread(e, node, "%s takes one argument", node->text);
    if (!qkv__table_quantity(e, node->child[0], &x)) return false;
    if (function == QKV__BUILTIN_ABS || function == QKV__BUILTIN_NORM)
        return give_size(e, node, &x, quantity);
    if (x.kind != QKV__QUANTITY_NUMBER)
        return qkv__evaluation_misread(e, node, "%s takes a number", node->text);
    if (function == QKV__BUILTIN_EXP)
        return give_number(e, node, qkv__number_exponential(e->model, x.number), quantity);
    assert(function == QKV__BUILTIN_SQRT || function == QKV__BUILTIN_LN);
    qkv__number_kind kind =
        function == QKV__BUILTIN_SQRT ? QKV__NUMBER_ROOT : QKV__NUMBER_LOGARITHM;
    return give_number(e, node, qkv__number_apply(e->model, kind, x.number), quantity);
}

static bool evaluate_hull(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    assert(node->kind == QKV__NODE_CALL);
    if (node->count != 1 || !qkv__table_quantity(e, node->child[0], quantity)) return false;
    if (quantity->kind != QKV__QUANTITY_FAMILY)
        return qkv__evaluation_misread(e, node, "expected a family of vectors, found %s",
                                       qkv__quantity_name(quantity->kind));
    quantity->kind = QKV__QUANTITY_HULL;
    return true;
}

static bool evaluate_call(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    assert(node->kind == QKV__NODE_CALL);
    const qkv__binding *binding = qkv__model_find(e->model, e->locals, node->text);
    bool over = qkv__call_is_over(node);
    if (binding != NULL && binding->function != NULL)
        return call_function(e, node, binding->function, quantity);
    switch (qkv__builtin_of(node)) {
    case QKV__BUILTIN_ABS:
    case QKV__BUILTIN_EXP:
    case QKV__BUILTIN_LN:
    case QKV__BUILTIN_NORM:
    case QKV__BUILTIN_SQRT: return evaluate_elementary(e, node, quantity);
    case QKV__BUILTIN_ATTEND: return evaluate_attend(e, node, quantity);
    case QKV__BUILTIN_FILE: return evaluate_file(e, node, quantity);
    case QKV__BUILTIN_HULL: return evaluate_hull(e, node, quantity);
    case QKV__BUILTIN_MEAN:
        if (over) break;
        return evaluate_mean(e, node, quantity);
    case QKV__BUILTIN_SUM:
        if (!over) break;
        return evaluate_sum(e, node->child[0], quantity);
    default: break;
    }
    return qkv__evaluation_unable_to(e, node, "%s of a table of numbers is beyond this version",
                                     node->text);
}

/* ---- The switch ---------------------------------------------------------------------------- */

/* Whether a bound name of this engine stands in the node, or a list, which is a vector here. */
static bool has_own(const qkv__evaluation *e, const qkv__node *node)
{
    if (node->kind == QKV__NODE_LIST) return true;
    if (node->kind == QKV__NODE_NAME)
        for (const qkv__binding *b = e->locals; b != NULL; b = b->next)
            if (b->value.kind == QKV__VALUE_TABLE && strcmp(b->name, node->text) == 0) return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_own(e, node->child[i])) return true;
    return false;
}

bool qkv__table_quantity(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    bool family = node->kind == QKV__NODE_INDEX || /* v[7], hull(v): also where v is of symbols */
                  qkv__builtin_of(node) == QKV__BUILTIN_HULL;
    if (!family && !has_own(e, node) && !qkv__table_takes(e->model, node))
        return evaluate_leaf(e, node, quantity);
    switch (node->kind) {
    case QKV__NODE_NAME: return evaluate_leaf(e, node, quantity);
    case QKV__NODE_INDEX:
    case QKV__NODE_MEMBER: return evaluate_indexed(e, node, quantity);
    case QKV__NODE_CALL: return evaluate_call(e, node, quantity);
    case QKV__NODE_NEGATE: return evaluate_negate(e, node, quantity);
    case QKV__NODE_SIZE: return evaluate_size(e, node, quantity);
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_MULTIPLY:
    case QKV__NODE_DIVIDE:
    case QKV__NODE_DOT: return evaluate_binary(e, node, quantity);
    case QKV__NODE_POWER: return evaluate_power(e, node, quantity);
    case QKV__NODE_LIST: return evaluate_list(e, node, quantity);
    default: return qkv__evaluation_unable(e, node, "tables of numbers do not support this");
    }
}
