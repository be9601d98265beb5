/* Theories and expressions: names, shapes, and the trees built of them. Knows nothing of rewriting
 * rules, normal forms or verdicts. */
#include "exact/words_internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* ---- Dimensions and names ------------------------------------------------------------------ */

static int fail_memory(qkv__theory *theory)
{
    qkv__fail(&theory->error, QKV_ERROR_MEMORY, "out of memory for a matrix expression");
    return -1;
}

static int add_dimension(qkv__theory *theory, const char *name, size_t size)
{
    for (size_t i = 0; i < theory->dimension_count; i++)
        if (strcmp(theory->dimension[i].name, name) == 0) return (int)i;
    if (theory->dimension_count == QKV__DIMENSIONS) {
        qkv__fail(&theory->error, QKV_ERROR_UNSUPPORTED, "%s is one dimension more than %d", name,
                  QKV__DIMENSIONS);
        return -1;
    }
    char *copy = qkv__arena_text(&theory->arena, name, strlen(name));
    if (copy == NULL) return fail_memory(theory);
    theory->dimension[theory->dimension_count] = (qkv__dimension){.name = copy, .size = size};
    return (int)theory->dimension_count++;
}

int qkv__theory_dimension(qkv__theory *theory, const char *name)
{
    if (name[0] >= '0' && name[0] <= '9')
        return qkv__theory_size(theory, (size_t)strtoull(name, NULL, 10));
    return add_dimension(theory, name, 0);
}

int qkv__theory_size(qkv__theory *theory, size_t size)
{
    char name[32];
    if (size == 0) {
        qkv__fail(&theory->error, QKV_ERROR_ARGUMENT, "0 rows or columns are not allowed");
        return -1;
    }
    snprintf(name, sizeof name, "%zu", size);
    return add_dimension(theory, name, size);
}

int qkv__theory_find(const qkv__theory *theory, const char *name)
{
    for (size_t i = 0; i < theory->atom_count; i++)
        if (strcmp(theory->atom[i].name, name) == 0) return (int)i;
    return -1;
}

static int add_atom(qkv__theory *theory, const char *name, qkv__atom atom)
{
    if (atom.rows < 0 || atom.columns < 0) return -1;
    if (qkv__theory_find(theory, name) >= 0) {
        qkv__fail(&theory->error, QKV_ERROR_ARGUMENT, "%s is declared twice", name);
        return -1;
    }
    if (theory->atom_count == QKV__ATOMS) {
        qkv__fail(&theory->error, QKV_ERROR_UNSUPPORTED, "%s is one matrix more than %d", name,
                  QKV__ATOMS);
        return -1;
    }
    atom.name = qkv__arena_text(&theory->arena, name, strlen(name));
    if (atom.name == NULL) return fail_memory(theory);
    theory->atom[theory->atom_count] = atom;
    return (int)theory->atom_count++;
}

int qkv__theory_matrix(qkv__theory *theory, const char *name, int rows, int columns)
{
    return add_atom(theory, name, (qkv__atom){.rows = rows, .columns = columns});
}

int qkv__theory_vector(qkv__theory *theory, const char *name, int rows)
{
    int atom = qkv__theory_matrix(theory, name, rows, qkv__theory_size(theory, 1));
    if (atom >= 0) theory->atom[atom].column = true;
    return atom;
}

int qkv__theory_permutation(qkv__theory *theory, const char *name, int size)
{
    int atom =
        add_atom(theory, name, (qkv__atom){.rows = size, .columns = size, .permutation = true});
    if (atom < 0) return -1;
    const qkv__expression *p = qkv__expression_atom(theory, atom);
    const qkv__expression *turned = qkv__expression_transpose(theory, p);
    const qkv__expression *identity = qkv__expression_identity(theory, size);
    const qkv__expression *before = qkv__expression_multiply(theory, turned, p);
    const qkv__expression *behind = qkv__expression_multiply(theory, p, turned);
    if (qkv__theory_add_rules(theory, before, identity) != QKV_OK ||
        qkv__theory_add_rules(theory, behind, identity) != QKV_OK)
        return -1;
    return atom;
}

/* ---- Making nodes -------------------------------------------------------------------------- */

static const qkv__expression *make(qkv__theory *theory, qkv__expression node)
{
    size_t depth = node.left == NULL ? 0 : node.left->depth;
    if (node.right != NULL && node.right->depth > depth) depth = node.right->depth;
    node.depth = depth + 1;
    node.nodes = 1 + (node.left == NULL ? 0 : node.left->nodes) +
                 (node.right == NULL ? 0 : node.right->nodes);
    if (node.depth > QKV__EXPRESSION_DEPTH || node.nodes > QKV__EXPRESSION_NODES) {
        qkv__fail(&theory->error, QKV_ERROR_UNSUPPORTED,
                  "the matrix expression is too large: more than %d levels or %d parts",
                  QKV__EXPRESSION_DEPTH, QKV__EXPRESSION_NODES);
        return NULL;
    }
    qkv__expression *made = qkv__arena_take(&theory->arena, sizeof *made);
    if (made == NULL)
        fail_memory(theory);
    else
        *made = node;
    return made;
}

const qkv__expression *qkv__expression_atom(qkv__theory *theory, int atom)
{
    if (atom < 0 || (size_t)atom >= theory->atom_count) {
        qkv__fail(&theory->error, QKV_ERROR_ARGUMENT, "%d is not the number of a matrix", atom);
        return NULL;
    }
    return make(theory, (qkv__expression){.kind = QKV__EXPRESSION_ATOM,
                                          .atom = atom,
                                          .form = theory->atom[atom].column ? QKV__FORM_COLUMN
                                                                            : QKV__FORM_MATRIX,
                                          .rows = theory->atom[atom].rows,
                                          .columns = theory->atom[atom].columns});
}

const qkv__expression *qkv__expression_identity(qkv__theory *theory, int size)
{
    assert(size == QKV__ANY_SIZE || (size >= 0 && (size_t)size < theory->dimension_count));
    return make(theory,
                (qkv__expression){.kind = QKV__EXPRESSION_IDENTITY, .rows = size, .columns = size});
}

const qkv__expression *qkv__expression_zero(qkv__theory *theory, int rows, int columns)
{
    return make(theory,
                (qkv__expression){.kind = QKV__EXPRESSION_ZERO, .rows = rows, .columns = columns});
}

/* ---- Shapes -------------------------------------------------------------------------------- */

static const char *dimension_name(const qkv__theory *theory, int dimension)
{
    assert(dimension == QKV__ANY_SIZE ||
           (dimension >= 0 && (size_t)dimension < theory->dimension_count));
    return dimension < 0 ? "?" : theory->dimension[dimension].name;
}

/* "X*P multiplies (n, d) by (n, n)". */
static const qkv__expression *fail_shape(qkv__theory *theory, const qkv__expression *left,
                                         const char *sign, const qkv__expression *right,
                                         const char *verb, const char *preposition)
{
    qkv__text text = {0};
    bool product = sign[0] == '*';
    bool braced = product && left->kind == QKV__EXPRESSION_SUM;
    qkv__text_format(&text, braced ? "(" : "");
    qkv__expression_write(theory, left, &text);
    qkv__text_format(&text, "%s%s", braced ? ")" : "", sign);
    braced = product && right->kind == QKV__EXPRESSION_SUM;
    qkv__text_format(&text, braced ? "(" : "");
    qkv__expression_write(theory, right, &text);
    qkv__text_format(&text, braced ? ")" : "");
    qkv__fail(&theory->error, QKV_ERROR_SHAPE, "%s %s (%s, %s) %s (%s, %s)",
              text.failed ? "?" : text.data, verb, dimension_name(theory, left->rows),
              dimension_name(theory, left->columns), preposition,
              dimension_name(theory, right->rows), dimension_name(theory, right->columns));
    qkv__text_free(&text);
    return NULL;
}

static bool is_sized(const qkv__expression *e)
{
    return e->rows >= 0 && e->columns >= 0;
}

/* An I of any size, or a multiple of it. */
static bool is_loose_identity(const qkv__expression *e, qkv__rational *factor)
{
    *factor = qkv__rational_whole(1);
    if (e->kind == QKV__EXPRESSION_SCALE) {
        *factor = e->factor;
        e = e->left;
    }
    return e->kind == QKV__EXPRESSION_IDENTITY && e->rows < 0;
}

/* t*I of any size. */
static bool is_loose_multiple(const qkv__expression *e)
{
    return e->kind == QKV__EXPRESSION_TIMES && e->rows < 0;
}

/* Whether a dimension of an expression can be this one; what is unknown can be anything. */
static bool can_be(int own, int wanted)
{
    return own < 0 || wanted < 0 || own == wanted;
}

/* The expression with the given shape, if it has it or can take it; NULL without a message if not.
 * An unknown part of the shape is left as it is. */
static const qkv__expression *fit(qkv__theory *theory, const qkv__expression *e, int rows,
                                  int columns)
{
    qkv__rational factor;
    if (!can_be(e->rows, rows) || !can_be(e->columns, columns)) return NULL;
    if (is_sized(e)) return e;
    if (is_loose_multiple(e)) {
        const qkv__expression *inner = fit(theory, e->right, rows, columns);
        return inner == NULL || !is_sized(inner) ? NULL
                                                 : qkv__expression_times(theory, e->left, inner);
    }
    if (is_loose_identity(e, &factor)) {
        if (!can_be(rows, columns)) return NULL;
        int size = rows < 0 ? columns : rows;
        return qkv__expression_scale(theory, factor, qkv__expression_identity(theory, size));
    }
    if (e->kind != QKV__EXPRESSION_ZERO) return NULL;
    return qkv__expression_zero(theory, e->rows < 0 ? rows : e->rows,
                                e->columns < 0 ? columns : e->columns);
}

/* Both sides in one shape. */
static bool fit_both(qkv__theory *theory, const qkv__expression **left,
                     const qkv__expression **right)
{
    const qkv__expression *a = fit(theory, *left, (*right)->rows, (*right)->columns);
    const qkv__expression *b = a == NULL ? NULL : fit(theory, *right, a->rows, a->columns);
    if (b == NULL) return false;
    *left = a;
    *right = b;
    return true;
}

bool qkv__expression_agree(qkv__theory *theory, const qkv__expression **left,
                           const qkv__expression **right)
{
    if (*left == NULL || *right == NULL) return false;
    bool fits = fit_both(theory, left, right);
    if (fits && is_sized(*left)) return true;
    if (theory->arena.failed)
        fail_memory(theory);
    else if (fits)
        qkv__fail(&theory->error, QKV_ERROR_SHAPE, "neither side of the equation has a known size");
    else
        fail_shape(theory, *left, " = ", *right, "compares", "with");
    return false;
}

/* ---- Building ------------------------------------------------------------------------------ */

const qkv__expression *qkv__expression_scale(qkv__theory *theory, qkv__rational factor,
                                             const qkv__expression *left)
{
    if (left == NULL || left->kind == QKV__EXPRESSION_ZERO) return left;
    if (is_loose_multiple(left))
        return qkv__expression_times(theory, qkv__expression_scale(theory, factor, left->left),
                                     left->right);
    if (left->kind == QKV__EXPRESSION_SCALE) {
        factor = qkv__rational_multiply(factor, left->factor);
        left = left->left;
    }
    if (qkv__rational_is_lost(factor)) {
        qkv__fail(&theory->error, QKV_ERROR_UNSUPPORTED,
                  "a factor of a matrix does not fit 64 bits");
        return NULL;
    }
    if (factor.numerator == 1 && factor.denominator == 1) return left;
    return make(theory, (qkv__expression){.kind = QKV__EXPRESSION_SCALE,
                                          .rows = left->rows,
                                          .columns = left->columns,
                                          .factor = factor,
                                          .form = left->form,
                                          .left = left});
}

const qkv__expression *qkv__expression_add(qkv__theory *theory, const qkv__expression *left,
                                           const qkv__expression *right)
{
    if (left == NULL || right == NULL) return NULL;
    qkv__rational a, b;
    if (is_loose_identity(left, &a) && is_loose_identity(right, &b))
        return qkv__expression_scale(theory, qkv__rational_add(a, b),
                                     qkv__expression_identity(theory, QKV__ANY_SIZE));
    if (is_loose_multiple(left) && !is_sized(right)) {
        qkv__fail(&theory->error, QKV_ERROR_UNSUPPORTED, "a sum without a known size");
        return NULL;
    }
    if (is_loose_multiple(right) && !is_sized(left))
        return qkv__expression_add(theory, right, left);
    if (!fit_both(theory, &left, &right))
        return theory->arena.failed ? NULL : fail_shape(theory, left, " + ", right, "adds", "and");
    if (!is_sized(left) || left->kind == QKV__EXPRESSION_ZERO)
        return left->kind == QKV__EXPRESSION_ZERO ? right : left;
    if (right->kind == QKV__EXPRESSION_ZERO) return left;
    return make(theory, (qkv__expression){.kind = QKV__EXPRESSION_SUM,
                                          .form = left->form,
                                          .rows = left->rows,
                                          .columns = left->columns,
                                          .left = left,
                                          .right = right});
}

const qkv__expression *qkv__expression_subtract(qkv__theory *theory, const qkv__expression *left,
                                                const qkv__expression *right)
{
    right = qkv__expression_scale(theory, qkv__rational_whole(-1), right);
    return qkv__expression_add(theory, left, right);
}

/* x'*y is a number, x*y' a matrix. */
static qkv__matrix_form product_form(qkv__matrix_form left, qkv__matrix_form right)
{
    if (left == QKV__FORM_NUMBER || right == QKV__FORM_NUMBER)
        return left == QKV__FORM_NUMBER ? right : left;
    bool row = left == QKV__FORM_ROW, column = right == QKV__FORM_COLUMN;
    return row && column ? QKV__FORM_NUMBER
           : row         ? QKV__FORM_ROW
           : column      ? QKV__FORM_COLUMN
                         : QKV__FORM_MATRIX;
}

const qkv__expression *qkv__expression_multiply(qkv__theory *theory, const qkv__expression *left,
                                                const qkv__expression *right)
{
    if (left == NULL || right == NULL) return NULL;
    qkv__rational factor;
    if (is_loose_identity(left, &factor)) return qkv__expression_scale(theory, factor, right);
    if (is_loose_identity(right, &factor)) return qkv__expression_scale(theory, factor, left);
    if (is_loose_multiple(left) && is_sized(right))
        return qkv__expression_times(theory, left->left,
                                     qkv__expression_multiply(theory, left->right, right));
    if (is_loose_multiple(right) && is_sized(left))
        return qkv__expression_times(theory, right->left,
                                     qkv__expression_multiply(theory, left, right->right));
    if (is_loose_multiple(left) || is_loose_multiple(right)) {
        qkv__fail(&theory->error, QKV_ERROR_UNSUPPORTED, "a product without a known size");
        return NULL;
    }
    if (!can_be(left->columns, right->rows))
        return fail_shape(theory, left, "*", right, "multiplies", "by");
    if (!is_sized(left) || !is_sized(right)) /* one of them is a 0 */
        return qkv__expression_zero(theory, left->rows, right->columns);
    return make(theory, (qkv__expression){.kind = QKV__EXPRESSION_PRODUCT,
                                          .form = product_form(left->form, right->form),
                                          .rows = left->rows,
                                          .columns = right->columns,
                                          .left = left,
                                          .right = right});
}

const qkv__expression *qkv__expression_transpose(qkv__theory *theory, const qkv__expression *left)
{
    if (left == NULL) return NULL;
    if (left->kind == QKV__EXPRESSION_ZERO)
        return qkv__expression_zero(theory, left->columns, left->rows);
    if (!is_sized(left) || left->form == QKV__FORM_NUMBER) return left;
    qkv__matrix_form form = left->form == QKV__FORM_COLUMN ? QKV__FORM_ROW
                            : left->form == QKV__FORM_ROW  ? QKV__FORM_COLUMN
                                                           : QKV__FORM_MATRIX;
    return make(theory, (qkv__expression){.kind = QKV__EXPRESSION_TRANSPOSE,
                                          .form = form,
                                          .rows = left->columns,
                                          .columns = left->rows,
                                          .left = left});
}

const qkv__expression *qkv__expression_softmax(qkv__theory *theory, const qkv__expression *left)
{
    if (left == NULL) return NULL;
    if (!is_sized(left)) {
        qkv__fail(&theory->error, QKV_ERROR_SHAPE,
                  "the argument of softmax has no known number of rows and columns");
        return NULL;
    }
    return make(theory, (qkv__expression){.kind = QKV__EXPRESSION_SOFTMAX,
                                          .rows = left->rows,
                                          .columns = left->columns,
                                          .left = left});
}

/* ---- Numbers ------------------------------------------------------------------------------- */

const qkv__expression *qkv__expression_number(qkv__theory *theory, qkv__rational number)
{
    int unit = qkv__theory_size(theory, 1);
    if (unit < 0) return NULL;
    const qkv__expression *one = make(theory, (qkv__expression){.kind = QKV__EXPRESSION_IDENTITY,
                                                                .form = QKV__FORM_NUMBER,
                                                                .rows = unit,
                                                                .columns = unit});
    if (!qkv__rational_is_zero(number)) return qkv__expression_scale(theory, number, one);
    return make(theory, (qkv__expression){.kind = QKV__EXPRESSION_ZERO,
                                          .form = QKV__FORM_NUMBER,
                                          .rows = unit,
                                          .columns = unit});
}

const qkv__expression *qkv__expression_parameter(qkv__theory *theory, const char *name,
                                                 bool nonnegative)
{
    int unit = qkv__theory_size(theory, 1);
    char *copy = qkv__arena_text(&theory->arena, name, strlen(name));
    if (unit < 0 || copy == NULL) return NULL;
    return make(theory, (qkv__expression){.kind = QKV__EXPRESSION_FUNCTION,
                                          .function = QKV__FUNCTION_PARAMETER,
                                          .form = QKV__FORM_NUMBER,
                                          .name = copy,
                                          .nonnegative = nonnegative,
                                          .rows = unit,
                                          .columns = unit});
}

const qkv__expression *qkv__expression_ones(qkv__theory *theory, int rows)
{
    int unit = qkv__theory_size(theory, 1);
    if (unit < 0 || rows < 0) return NULL;
    return make(theory, (qkv__expression){.kind = QKV__EXPRESSION_FUNCTION,
                                          .function = QKV__FUNCTION_ONES,
                                          .form = QKV__FORM_COLUMN,
                                          .rows = rows,
                                          .columns = unit});
}

const qkv__expression *qkv__expression_times(qkv__theory *theory, const qkv__expression *number,
                                             const qkv__expression *right)
{
    if (number == NULL || right == NULL) return NULL;
    assert(number->form == QKV__FORM_NUMBER);
    return make(theory, (qkv__expression){.kind = QKV__EXPRESSION_TIMES,
                                          .form = right->form,
                                          .rows = right->rows,
                                          .columns = right->columns,
                                          .left = number,
                                          .right = right});
}

const qkv__expression *qkv__expression_function(qkv__theory *theory, qkv__function function,
                                                const qkv__expression *left)
{
    if (left == NULL) return NULL;
    assert(is_sized(left));
    const bool matrix = function == QKV__FUNCTION_INVERSE || function == QKV__FUNCTION_DIAGONAL;
    const bool square =
        matrix || function == QKV__FUNCTION_TRACE || function == QKV__FUNCTION_DETERMINANT;
    int unit = qkv__theory_size(theory, 1);
    if (unit < 0) return NULL;
    if (square && function != QKV__FUNCTION_DIAGONAL && left->rows != left->columns) {
        qkv__text text = {0};
        qkv__expression_write(theory, left, &text);
        qkv__fail(&theory->error, QKV_ERROR_SHAPE, "%s is not square: (%s, %s)",
                  text.failed ? "?" : text.data, dimension_name(theory, left->rows),
                  dimension_name(theory, left->columns));
        qkv__text_free(&text);
        return NULL;
    }
    return make(theory, (qkv__expression){.kind = QKV__EXPRESSION_FUNCTION,
                                          .function = function,
                                          .form = matrix ? QKV__FORM_MATRIX : QKV__FORM_NUMBER,
                                          .rows = matrix ? left->rows : unit,
                                          .columns = matrix ? left->rows : unit,
                                          .left = left});
}
