/* The doors of the table engine: what is its business, and values of it for the model. */
#include "claim/table/table.h"

#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/definition.h"
#include "claim/model/evaluate.h"
#include "claim/table/table_part.h"
#include "language/builtin.h"

/* ---- Whose business ------------------------------------------------------------------------- */

/* beta*[1, 0], [1, 0] + [0, 1]: beside tables, vectors are written like that. */
static bool is_list_arithmetic(const qkv__node *node)
{
    bool list = false;
    if (node->kind < QKV__NODE_NEGATE || node->kind > QKV__NODE_DIVIDE) return false;
    for (size_t i = 0; i < node->count; i++) list = list || node->child[i]->kind == QKV__NODE_LIST;
    return list;
}

static bool is_table(const qkv__model *model, const qkv__node *node, const qkv__binding *binding)
{
    if (node->table != NULL || (model->tables != NULL && is_list_arithmetic(node))) return true;
    if (binding != NULL) return binding->value.kind == QKV__VALUE_TABLE;
    return qkv__builtin_of(node) == QKV__BUILTIN_FILE;
}

bool qkv__table_takes(const qkv__model *model, const qkv__node *node)
{
    return qkv__definition_any(model, node, is_table);
}

static bool makes(const qkv__node *node)
{
    if (node->kind == QKV__NODE_CALL) return qkv__builtin_of(node) == QKV__BUILTIN_FILE;
    if (node->kind != QKV__NODE_LIST) return false;
    return node->table != NULL || node->count > QKV__LIST_LONG ||
           (node->count > 0 && node->child[0]->kind == QKV__NODE_LIST &&
            (node->child[0]->table != NULL || node->child[0]->count > QKV__LIST_LONG));
}

/* ---- Values --------------------------------------------------------------------------------- */

static bool keep_value(qkv__model *model, const qkv__quantity *quantity, qkv__value *value,
                       qkv__failure *failure)
{
    qkv__quantity *kept = qkv__arena_take(&model->algebra.arena, sizeof *kept);
    if (kept == NULL) return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "out of memory");
    *kept = *quantity;
    *value = (qkv__value){.kind = QKV__VALUE_TABLE, .table = kept};
    return true;
}

static bool evaluate(qkv__model *model, const qkv__node *node, qkv__value *value,
                     qkv__failure *failure, const qkv__node **culprit)
{
    qkv__evaluation e = {.model = model, .failure = failure, .culprit = culprit};
    qkv__quantity quantity;
    *culprit = node;
    return qkv__table_quantity(&e, node, &quantity) && keep_value(model, &quantity, value, failure);
}

/* A list of numbers declares vectors of width 1. */
static bool as_family(qkv__evaluation *e, const qkv__node *node, qkv__quantity *quantity)
{
    if (quantity->kind == QKV__QUANTITY_FAMILY) return true;
    const qkv__combination *vector = quantity->vector;
    qkv__rational one;
    if (quantity->kind != QKV__QUANTITY_VECTOR || vector->count != 1 ||
        vector->piece[0].kind != QKV__PIECE_ROW || vector->piece[0].family->count != 1 ||
        !qkv__ratio_is_constant(vector->piece[0].factor, &one))
        return qkv__evaluation_misread(e, node, "expected a list of vectors, found %s",
                                       qkv__quantity_name(quantity->kind));
    const qkv__grid *row = vector->piece[0].family->grid;
    qkv__grid *grid = qkv__grid_make(row->columns, 1);
    if (grid == NULL) return qkv__fail_value(e->failure, QKV__TROUBLE_UNABLE, "out of memory");
    for (size_t i = 0; i < row->columns; i++) fmpz_set(grid->entry + i, row->entry + i);
    fmpz_set(grid->denominator, row->denominator);
    return qkv__table_family_of(e, node, grid, quantity);
}

static bool declare(qkv__model *model, const char *name, const qkv__node *node,
                    qkv__failure *failure, const qkv__node **culprit)
{
    qkv__evaluation e = {.model = model, .failure = failure, .culprit = culprit};
    qkv__quantity quantity;
    qkv__value value;
    *culprit = node;
    if (!qkv__table_quantity(&e, node, &quantity) || !as_family(&e, node, &quantity)) return false;
    qkv__table_family *named = qkv__arena_take(&model->algebra.arena, sizeof *named);
    if (named == NULL) return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "out of memory");
    *named = *quantity.family;
    named->name = name;
    quantity.family = named;
    return keep_value(model, &quantity, &value, failure) &&
           qkv__model_bind(model, (qkv__binding){.name = name, .value = value});
}

const qkv__table_reader qkv__reader_of_tables = {
    .makes = makes,
    .declare = declare,
    .takes = qkv__table_takes,
    .evaluate = evaluate,
    .free_since = qkv__tables_free_since,
};
