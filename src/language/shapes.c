/* Widths and counts of lists by syntax alone. Knows nothing of values: what is not plain from the
 * text is let pass. */
#include "language/shapes.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "language/builtin.h"
#include "language/family_index.h"
#include "language/tree.h"

enum { DEPTH = 24 };

/* Where a shape is looked for, and what is wrong with it. */
typedef struct look {
    const qkv__names *names;
    const qkv__statement *statement;
    qkv__slip *slip;
} look;

/* ---- Dimensions ---------------------------------------------------------------------------- */

/* `dimension d` of a family, the width of its list as a number, or a call of file. */
static bool dimension_of(const qkv__statement *statement, qkv__node *dimension, bool *is_list)
{
    *is_list = false;
    if (statement->kind != QKV__STATEMENT_FAMILY) return false;
    for (size_t i = 0; i < statement->count; i++) {
        const qkv__node *node = statement->node[i];
        bool listed = node->kind == QKV__NODE_COMPARE && node->comparison == QKV__EQUAL;
        const qkv__node *list = listed ? node->child[1] : NULL;
        if (node->kind == QKV__NODE_CALL && strcmp(node->text, "dimension") == 0)
            return *dimension = *node->child[0], true;
        if (!listed) continue;
        if (qkv__builtin_of(list) == QKV__BUILTIN_FILE) return *dimension = *list, *is_list = true;
        const size_t width = qkv__list_width(list);
        if (width == 0) continue;
        *dimension = (qkv__node){.kind = QKV__NODE_NUMBER,
                                 .text = "",
                                 .place = node->place,
                                 .value = qkv__rational_whole((int64_t)width)};
        return *is_list = true;
    }
    return false;
}

static void write_dimension(const qkv__node *dimension, char *text, size_t size)
{
    if (dimension->kind == QKV__NODE_NUMBER)
        snprintf(text, size, "dimension %lld", (long long)dimension->value.numerator);
    else if (dimension->kind == QKV__NODE_CALL)
        snprintf(text, size, "that of a file");
    else
        snprintf(text, size, "dimension %.24s", dimension->text);
}

bool qkv__dimension_slip(const qkv__names *names, const qkv__statement *statement, qkv__slip *slip)
{
    qkv__node here, there;
    char mine[40], other[40];
    bool values = strcmp(statement->text, "values") == 0, list, other_list;
    if (!dimension_of(statement, &here, &list)) return false;
    write_dimension(&here, mine, sizeof mine);
    for (size_t i = 0; i < names->count; i++) {
        const qkv__statement *before = names->item[i].statement;
        bool shared = before->kind == QKV__STATEMENT_FAMILY &&
                      (strcmp(before->text, "values") == 0) == values &&
                      qkv__stands_before(before->place, statement->place) &&
                      dimension_of(before, &there, &other_list);
        if (!shared || (list && other_list)) continue;
        write_dimension(&there, other, sizeof other);
        if (strcmp(mine, other) == 0) continue;
        slip->node = statement->node[0];
        snprintf(slip->message, sizeof slip->message,
                 "%s, but the %s in line %d have %s: %s share one dimension", mine, before->text,
                 before->place.line, other, values ? "all values" : "keys, means and vectors");
        return true;
    }
    return false;
}

/* ---- Shapes -------------------------------------------------------------------------------- */

typedef enum shape_kind { OPEN, NUMBER, VECTOR, FAMILY } shape_kind;

typedef struct shape {
    shape_kind kind;
    size_t count, width; /* FAMILY: both; VECTOR: width */
} shape;

static bool shape_of(const look *l, const qkv__node *node, int depth, shape *found);

static bool compare_widths(const look *l, const qkv__node *node, shape x, shape y)
{
    if (x.kind != VECTOR || y.kind != VECTOR || x.width == y.width) return true;
    l->slip->node = node;
    snprintf(l->slip->message, sizeof l->slip->message,
             "a vector of %zu number%s beside one of %zu", x.width, x.width == 1 ? "" : "s",
             y.width);
    return false;
}

static bool shape_of_list(const look *l, const qkv__node *node, int depth, shape *found)
{
    assert(node->kind == QKV__NODE_LIST);
    if (node->table != NULL) {
        *found = node->table->flat ? (shape){VECTOR, 0, node->table->rows}
                                   : (shape){FAMILY, node->table->rows, node->table->columns};
        return true;
    }
    if (qkv__list_is_family(node)) return shape_of(l, node->child[0], depth + 1, found);
    for (size_t i = 0; i < node->count; i++) {
        shape part;
        if (!shape_of(l, node->child[i], depth + 1, &part)) return false;
        if (i == 0)
            *found = (shape){part.kind == VECTOR ? FAMILY : VECTOR, node->count, part.width};
        if (found->kind == FAMILY && part.kind == VECTOR && part.width != found->width) {
            l->slip->node = node->child[i];
            snprintf(l->slip->message, sizeof l->slip->message,
                     "row %zu has %zu number%s; expected %zu, as in row 1", i + 1, part.width,
                     part.width == 1 ? "" : "s", found->width);
            return false;
        }
        if (found->kind == FAMILY && part.kind != VECTOR) return *found = (shape){OPEN, 0, 0}, true;
    }
    if (found->kind == VECTOR) found->width = node->count;
    return true;
}

/* What a name stands for, as far as the text lists it. */
static bool shape_of_name(const look *l, const qkv__node *node, int depth, shape *found)
{
    const qkv__known_name *known = qkv__name_find_before(l->names, node->text, l->statement);
    const qkv__known_name *family =
        known == NULL ? qkv__name_find_family(l->names, node->text) : NULL;
    if (family != NULL && depth <= DEPTH) { /* k_1 is as wide as the others */
        qkv__node name = {.kind = QKV__NODE_NAME, .text = family->name, .place = node->place};
        if (!shape_of_name(l, &name, depth + 1, found)) return false;
        *found = found->kind == FAMILY ? (shape){VECTOR, 0, found->width} : (shape){OPEN, 0, 0};
        return true;
    }
    if (known == NULL || depth > DEPTH) return true;
    qkv__slip unused; /* it was told there */
    look there = {l->names, known->statement, &unused};
    if (known->statement->kind == QKV__STATEMENT_FAMILY && known->node->kind == QKV__NODE_COMPARE &&
        known->node->child[1]->kind == QKV__NODE_LIST) {
        if (!shape_of(&there, known->node->child[1], depth + 1, found))
            *found = (shape){OPEN, 0, 0};
        if (found->kind == VECTOR) *found = (shape){FAMILY, found->width, 1};
    } else if (known->statement->kind == QKV__STATEMENT_DEFINE &&
               known->node->kind == QKV__NODE_NAME) {
        if (!shape_of(&there, known->statement->node[1], depth + 1, found))
            *found = (shape){OPEN, 0, 0};
    }
    return true;
}

/* attend(q, k, v): as many numbers in the query as in a key, and as many values as keys. */
static bool shape_of_attend(const look *l, const qkv__node *node, int depth, shape *found)
{
    assert(node->kind == QKV__NODE_CALL);
    shape part[3] = {{OPEN, 0, 0}, {OPEN, 0, 0}, {OPEN, 0, 0}};
    for (size_t i = 0; i < 3 && i < node->count; i++)
        if (!shape_of(l, node->child[i], depth + 1, &part[i])) return false;
    l->slip->node = node;
    if (part[0].kind == VECTOR && part[1].kind == FAMILY && part[0].width != part[1].width) {
        snprintf(l->slip->message, sizeof l->slip->message,
                 "the query has %zu number%s and each key %zu", part[0].width,
                 part[0].width == 1 ? "" : "s", part[1].width);
        return false;
    }
    if (part[1].kind == FAMILY && part[2].kind == FAMILY && part[1].count != part[2].count) {
        snprintf(l->slip->message, sizeof l->slip->message, "%zu keys and %zu value%s",
                 part[1].count, part[2].count, part[2].count == 1 ? "" : "s");
        return false;
    }
    if (part[2].kind == FAMILY) *found = (shape){VECTOR, 0, part[2].width};
    return true;
}

/* R(t), where R(t) = [[cos(t), -sin(t)], [sin(t), cos(t)]]: what the body shows of itself. */
static void shape_of_call(const look *l, const qkv__node *node, shape *found)
{
    assert(node->kind == QKV__NODE_CALL);
    const qkv__known_name *known = qkv__name_find_before(l->names, node->text, l->statement);
    if (known == NULL || known->statement->kind != QKV__STATEMENT_DEFINE ||
        known->node->kind != QKV__NODE_CALL)
        return;
    const qkv__node *body = known->statement->node[1];
    bool rows = body->kind == QKV__NODE_LIST && body->table == NULL && body->count > 0;
    for (size_t i = 0; rows && i < body->count; i++)
        rows = body->child[i]->kind == QKV__NODE_LIST && !qkv__list_is_family(body->child[i]) &&
               body->child[i]->count == body->child[0]->count;
    if (rows) *found = (shape){FAMILY, body->count, body->child[0]->count};
}

/* A list of lists times a vector, which is no product: they are a family of vectors. */
static bool is_no_matrix(const look *l, const qkv__node *node, shape x, shape y)
{
    assert(node->kind == QKV__NODE_MULTIPLY);
    const qkv__node *right = node->child[1];
    const qkv__known_name *known = right->kind != QKV__NODE_NAME
                                       ? NULL
                                       : qkv__name_find_before(l->names, right->text, l->statement);
    const bool listed = right->kind == QKV__NODE_LIST || right->kind == QKV__NODE_CALL;
    const bool vector = y.kind == VECTOR || (y.kind == FAMILY && listed) ||
                        (known != NULL && known->statement->kind == QKV__STATEMENT_OBJECT &&
                         strcmp(known->statement->text, "vector") == 0);
    if (x.kind != FAMILY || !vector) return false;
    l->slip->node = node;
    snprintf(l->slip->message, sizeof l->slip->message,
             "a list of lists is a family of vectors, not a matrix: write the product out as a "
             "list, [a*x + b*y, c*x + d*y]");
    return true;
}

/* False where the text puts things together that do not fit; the slip says which. */
static bool shape_of(const look *l, const qkv__node *node, int depth, shape *found)
{
    shape x = {OPEN, 0, 0}, y = {OPEN, 0, 0};
    *found = (shape){OPEN, 0, 0};
    if (depth > DEPTH) return true;
    switch (node->kind) {
    case QKV__NODE_NUMBER: *found = (shape){NUMBER, 0, 0}; return true;
    case QKV__NODE_LIST: return shape_of_list(l, node, depth, found);
    case QKV__NODE_NAME: return shape_of_name(l, node, depth, found);
    case QKV__NODE_NEGATE: return shape_of(l, node->child[0], depth + 1, found);
    case QKV__NODE_INDEX:
        if (!shape_of(l, node->child[0], depth + 1, &x)) return false;
        if (x.kind == FAMILY && node->count == 2) *found = (shape){VECTOR, 0, x.width};
        return true;
    case QKV__NODE_CALL:
        if (qkv__builtin_of(node) == QKV__BUILTIN_ATTEND)
            return shape_of_attend(l, node, depth, found);
        if (qkv__builtin_of(node) == QKV__BUILTIN_NONE) shape_of_call(l, node, found);
        break;
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT:
    case QKV__NODE_DOT:
    case QKV__NODE_COMPARE:
        if (!shape_of(l, node->child[0], depth + 1, &x) ||
            !shape_of(l, node->child[1], depth + 1, &y) || !compare_widths(l, node, x, y))
            return false;
        if (node->kind == QKV__NODE_DOT) *found = (shape){NUMBER, 0, 0};
        if (node->kind == QKV__NODE_ADD || node->kind == QKV__NODE_SUBTRACT)
            *found = x.kind == OPEN ? y : x;
        return true;
    case QKV__NODE_MULTIPLY:
    case QKV__NODE_DIVIDE:
        if (!shape_of(l, node->child[0], depth + 1, &x) ||
            !shape_of(l, node->child[1], depth + 1, &y))
            return false;
        if (node->kind == QKV__NODE_MULTIPLY && is_no_matrix(l, node, x, y)) return false;
        if (x.kind == NUMBER && node->kind == QKV__NODE_MULTIPLY) *found = y;
        if (y.kind == NUMBER) *found = x;
        return true;
    default: break;
    }
    for (size_t i = 0; i < node->count; i++)
        if (!shape_of(l, node->child[i], depth + 1, &x)) return false;
    return true;
}

bool qkv__shape_slip(const qkv__names *names, const qkv__statement *statement,
                     const qkv__node *node, qkv__slip *slip)
{
    look l = {names, statement, slip};
    shape unused;
    return !shape_of(&l, node, 0, &unused);
}
