/* From syntax to the words engine, where a claim speaks of numbers too: scalars beside matrices,
 * inner products and norms, and functions of matrices. Knows what is a number, a column, a row or a
 * matrix; decides nothing. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "claim/model/binding.h"
#include "claim/model/definition.h"
#include "claim/model/evaluate.h"
#include "claim/words/words_part.h"
#include "language/builtin.h"
#include "language/tree.h"

enum { POWER_AT_MOST = 16 };

static const qkv__expression *beyond(qkv__translation *t, const qkv__node *node)
{
    return qkv__words_beyond(
        t, node,
        qkv__node_has_kind(node, QKV__NODE_INDEX)
            ? "entries of vectors and matrices of symbolic size are not supported: the softmax of "
              "the scores k[i].q, i in 1..n, is attend(q, k, k).weight"
            : "this is not supported together with matrices of symbolic size");
}

static bool is_number(const qkv__expression *e)
{
    return e->form == QKV__FORM_NUMBER;
}

/* I, t*I or 0 of any size. */
static bool is_loose(const qkv__expression *e)
{
    return e->rows < 0 || e->columns < 0;
}

bool qkv__words_can_be_compared(qkv__translation *t, const qkv__node *node,
                                const qkv__expression *left, const qkv__expression *right)
{
    bool zero = left->kind == QKV__EXPRESSION_ZERO || right->kind == QKV__EXPRESSION_ZERO;
    bool good = left->form == right->form || zero;
    if (is_loose(left) != is_loose(right) && !zero)
        good = (is_loose(left) ? right : left)->form == QKV__FORM_MATRIX;
    return good || beyond(t, node) != NULL;
}

/* ---- Scalars ------------------------------------------------------------------------------- */

/* A number that is no matrix's business, e^beta, known by what it is once evaluated. */
static const qkv__expression *translate_scalar(qkv__translation *t, const qkv__node *node)
{
    qkv__value value;
    qkv__ratio ratio;
    qkv__rational number;
    for (const qkv__binding *b = t->arguments; b != NULL; b = b->next)
        if (qkv__node_mentions(node, b->name)) return beyond(t, node);
    if (qkv__model_is_symbolic(t->model, node) || !qkv__model_value(t->model, node, NULL, &value) ||
        !qkv__value_as_ratio(&value, &ratio))
        return beyond(t, node);
    if (qkv__ratio_is_constant(ratio, &number))
        return qkv__words_check(t, node, qkv__expression_number(&t->theory, number));
    qkv__text text = {0};
    qkv__text_append(&text, "(", 1);
    qkv__ratio_write(&t->model->algebra, ratio, &text);
    qkv__text_append(&text, ")", 1);
    const qkv__expression *made =
        text.failed ? NULL : qkv__expression_parameter(&t->theory, text.data, false);
    qkv__text_free(&text);
    return qkv__words_check(t, node, made);
}

const qkv__expression *qkv__words_translate_parameter(qkv__translation *t, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_NAME);
    const qkv__parameter *known;
    if (qkv__model_find(t->model, NULL, node->text) != NULL ||
        (qkv__parameter_find(&t->model->algebra, node->text) < 0 &&
         !qkv__may_be_parameter(node->text)))
        return translate_scalar(t, node);
    const char *name = qkv__words_one_name(t, node->text, &known);
    if (known != NULL && known->lower.known && known->upper.known &&
        qkv__rational_compare(known->lower.value, known->upper.value) == 0)
        return qkv__words_check(t, node, qkv__expression_number(&t->theory, known->lower.value));
    bool nonnegative =
        known != NULL && known->lower.known && qkv__rational_sign(known->lower.value) >= 0;
    return qkv__words_check(t, node, qkv__expression_parameter(&t->theory, name, nonnegative));
}

/* ---- Operators ----------------------------------------------------------------------------- */

static const qkv__expression *apply(qkv__translation *t, const qkv__node *node,
                                    qkv__function function, const qkv__expression *x)
{
    if (x == NULL) return NULL;
    if (is_loose(x)) return qkv__words_beyond(t, node, "its size is not known");
    return qkv__words_check(t, node, qkv__expression_function(&t->theory, function, x));
}

const qkv__expression *qkv__words_product(qkv__translation *t, const qkv__node *node,
                                          const qkv__expression *left, const qkv__expression *right)
{
    if (is_number(left) || is_number(right)) {
        const qkv__expression *number = is_number(left) ? left : right;
        const qkv__expression *other = is_number(left) ? right : left;
        if (other->kind == QKV__EXPRESSION_ZERO) return other;
        if (is_loose(other) && other->kind == QKV__EXPRESSION_TIMES) {
            number = qkv__expression_times(&t->theory, number, other->left);
            other = other->right;
        }
        return qkv__words_check(t, node, qkv__expression_times(&t->theory, number, other));
    }
    const bool zero = left->kind == QKV__EXPRESSION_ZERO && left->rows < 0 && left->columns < 0;
    if (zero && !is_loose(right)) /* 0*A: a number */
        return qkv__words_product(
            t, node, qkv__expression_number(&t->theory, qkv__rational_whole(0)), right);
    bool loose = is_loose(left) || is_loose(right);
    if (!loose && ((left->form == QKV__FORM_COLUMN) != (right->form == QKV__FORM_ROW)) &&
        (left->form == QKV__FORM_COLUMN || right->form == QKV__FORM_ROW))
        return beyond(t, node);
    return qkv__words_check(t, node, qkv__expression_multiply(&t->theory, left, right));
}

static const qkv__expression *translate_product(qkv__translation *t, const qkv__node *node)
{
    const qkv__expression *left = NULL, *right = NULL;
    return qkv__words_translate_pair(t, node->child[0], node->child[1], true, &left, &right)
               ? qkv__words_product(t, node, left, right)
               : NULL;
}

static const qkv__expression *translate_sum(qkv__translation *t, const qkv__node *node)
{
    const qkv__expression *left = NULL, *right = NULL;
    if (!qkv__words_translate_pair(t, node->child[0], node->child[1], false, &left, &right) ||
        !qkv__words_can_be_compared(t, node, left, right))
        return NULL;
    return qkv__words_check(t, node,
                            node->kind == QKV__NODE_ADD
                                ? qkv__expression_add(&t->theory, left, right)
                                : qkv__expression_subtract(&t->theory, left, right));
}

static const qkv__expression *translate_quotient(qkv__translation *t, const qkv__node *node)
{
    const qkv__expression *left = qkv__words_translate(t, node->child[0]);
    const qkv__expression *right = left == NULL ? NULL : qkv__words_translate(t, node->child[1]);
    if (right == NULL) return NULL;
    if (!is_number(right)) return beyond(t, node);
    right = apply(t, node, QKV__FUNCTION_RECIPROCAL, right);
    return right == NULL ? NULL : qkv__words_product(t, node, right, left);
}

/* x'*x, a number or a matrix. */
static const qkv__expression *squared(qkv__translation *t, const qkv__node *node,
                                      const qkv__expression *x)
{
    return qkv__words_product(t, node, qkv__expression_transpose(&t->theory, x), x);
}

/* |x|: of a matrix the root of the sum of squares. */
static const qkv__expression *size_of(qkv__translation *t, const qkv__node *node,
                                      const qkv__expression *x)
{
    if (x == NULL) return NULL;
    if (is_loose(x)) return qkv__words_beyond(t, node, "its size is not known");
    if (x->form == QKV__FORM_ROW) x = qkv__expression_transpose(&t->theory, x);
    const qkv__expression *square = x == NULL ? NULL : squared(t, node, x);
    if (square != NULL && !is_number(square)) square = apply(t, node, QKV__FUNCTION_TRACE, square);
    return apply(t, node, QKV__FUNCTION_ROOT, square);
}

static const qkv__expression *dot(qkv__translation *t, const qkv__node *node,
                                  const qkv__expression *x, const qkv__expression *y)
{
    if (x == NULL || y == NULL) return NULL;
    if (x->form != QKV__FORM_COLUMN || y->form != QKV__FORM_COLUMN) return beyond(t, node);
    return qkv__words_product(t, node, qkv__expression_transpose(&t->theory, x), y);
}

/* x^3, A^2, A^-1, x^(1/2), A^T. */
static const qkv__expression *translate_power(qkv__translation *t, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_POWER);
    const qkv__node *above = node->child[1];
    qkv__rational number;
    if (!qkv__model_is_symbolic(t->model, node->child[0]) && t->arguments == NULL &&
        !qkv__words_is_number(t, above, &number))
        return translate_scalar(t, node);
    const qkv__expression *base = qkv__words_translate(t, node->child[0]);
    if (base == NULL) return NULL;
    bool turned = qkv__node_is(above, "T") && qkv__model_find(t->model, NULL, "T") == NULL &&
                  qkv__parameter_find(&t->model->algebra, "T") < 0;
    if (turned && !is_number(base))
        return qkv__words_check(t, node, qkv__expression_transpose(&t->theory, base));
    if (!qkv__words_is_number(t, above, &number)) return beyond(t, node);
    if (is_number(base) && number.numerator == 1 && number.denominator == 2)
        return apply(t, node, QKV__FUNCTION_ROOT, base);
    bool whole = qkv__rational_is_whole(number) && number.numerator != 0 &&
                 number.numerator >= -POWER_AT_MOST && number.numerator <= POWER_AT_MOST;
    if (!whole || base->form == QKV__FORM_COLUMN || base->form == QKV__FORM_ROW)
        return beyond(t, node);
    if (number.numerator < 0)
        base = apply(t, node, is_number(base) ? QKV__FUNCTION_RECIPROCAL : QKV__FUNCTION_INVERSE,
                     base);
    const qkv__expression *power = base;
    const int64_t times = number.numerator < 0 ? -number.numerator : number.numerator;
    for (int64_t i = 1; i < times && power != NULL; i++)
        power = qkv__words_product(t, node, power, base);
    return power;
}

/* ---- Calls --------------------------------------------------------------------------------- */

/* ones(n), zeros(n, m). */
static const qkv__expression *translate_constant(qkv__translation *t, const qkv__node *node,
                                                 bool ones)
{
    if (node->count != 1 && node->count != 2) return beyond(t, node);
    int size[2];
    for (size_t i = 0; i < node->count; i++) {
        bool plain = node->child[i]->kind == QKV__NODE_NUMBER ||
                     (node->child[i]->kind == QKV__NODE_NAME &&
                      qkv__model_find(t->model, NULL, node->child[i]->text) == NULL);
        for (const qkv__binding *b = t->arguments; b != NULL; b = b->next)
            if (qkv__node_mentions(node->child[i], b->name)) plain = false;
        if (!plain) return beyond(t, node);
        size[i] = qkv__words_dimension_of(t, node->child[i]);
        if (size[i] < 0) return NULL;
    }
    const qkv__expression *left = qkv__expression_ones(&t->theory, size[0]);
    if (left != NULL && node->count == 2) {
        const qkv__expression *right = qkv__expression_ones(&t->theory, size[1]);
        left = qkv__expression_multiply(&t->theory, left,
                                        qkv__expression_transpose(&t->theory, right));
    }
    if (!ones && left != NULL)
        left = qkv__words_product(t, node,
                                  qkv__expression_number(&t->theory, qkv__rational_whole(0)), left);
    return qkv__words_check(t, node, left);
}

/* cos(x, y) = x.y/(|x| |y|). */
static const qkv__expression *translate_cosine(qkv__translation *t, const qkv__node *node)
{
    const qkv__expression *x = qkv__words_translate(t, node->child[0]);
    const qkv__expression *y = x == NULL ? NULL : qkv__words_translate(t, node->child[1]);
    const qkv__expression *product = dot(t, node, x, y);
    if (product == NULL) return NULL;
    const qkv__expression *a = apply(t, node, QKV__FUNCTION_RECIPROCAL, size_of(t, node, x));
    const qkv__expression *b = apply(t, node, QKV__FUNCTION_RECIPROCAL, size_of(t, node, y));
    if (a == NULL || b == NULL) return NULL;
    product = qkv__words_product(t, node, a, product);
    return product == NULL ? NULL : qkv__words_product(t, node, b, product);
}

static const qkv__expression *translate_distance(qkv__translation *t, const qkv__node *node)
{
    const qkv__expression *x = qkv__words_translate(t, node->child[0]);
    const qkv__expression *y = x == NULL ? NULL : qkv__words_translate(t, node->child[1]);
    if (y == NULL || !qkv__words_can_be_compared(t, node, x, y)) return NULL;
    return size_of(t, node, qkv__words_check(t, node, qkv__expression_subtract(&t->theory, x, y)));
}

/* attend(X, Y, V, scale = t) of matrices: softmax(t*X*Y')*V. */
static const qkv__expression *translate_attend(qkv__translation *t, const qkv__node *node)
{
    const qkv__expression *part[4] = {NULL};
    bool scale = node->count == 4 && node->child[3]->kind == QKV__NODE_OPTION &&
                 strcmp(node->child[3]->text, "scale") == 0;
    if (node->count != 3 && !scale) return beyond(t, node);
    for (size_t i = 0; i < node->count; i++) {
        part[i] = qkv__words_translate(t, i == 3 ? node->child[i]->child[0] : node->child[i]);
        if (part[i] == NULL) return NULL;
        if (is_loose(part[i]) || part[i]->form != (i == 3 ? QKV__FORM_NUMBER : QKV__FORM_MATRIX))
            return beyond(t, node);
    }
    const qkv__expression *scores =
        qkv__words_product(t, node, part[0], qkv__expression_transpose(&t->theory, part[1]));
    if (scale && scores != NULL) scores = qkv__words_product(t, node, part[3], scores);
    const qkv__expression *weights =
        scores == NULL ? NULL
                       : qkv__words_check(t, node, qkv__expression_softmax(&t->theory, scores));
    return weights == NULL ? NULL : qkv__words_product(t, node, weights, part[2]);
}

/* Functions of one argument that the engine has under the same name. */
static const struct {
    qkv__builtin builtin;
    qkv__function function;
    bool of_number, of_matrix, of_vector;
} functions[] = {
    {QKV__BUILTIN_DETERMINANT, QKV__FUNCTION_DETERMINANT, false, true, false},
    {QKV__BUILTIN_DIAGONAL, QKV__FUNCTION_DIAGONAL, false, false, true},
    {QKV__BUILTIN_INVERSE, QKV__FUNCTION_INVERSE, false, true, false},
    {QKV__BUILTIN_RANK, QKV__FUNCTION_RANK, false, true, true},
    {QKV__BUILTIN_SPECTRAL, QKV__FUNCTION_SPECTRAL, false, true, true},
    {QKV__BUILTIN_SQRT, QKV__FUNCTION_ROOT, true, false, false},
    {QKV__BUILTIN_TRACE, QKV__FUNCTION_TRACE, false, true, false},
};

static const qkv__expression *translate_function(qkv__translation *t, const qkv__node *node,
                                                 qkv__builtin builtin)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (functions[i].builtin != builtin || node->count != 1) continue;
        const qkv__expression *x = qkv__words_translate(t, node->child[0]);
        if (x == NULL) return NULL;
        if (builtin == QKV__BUILTIN_INVERSE && is_loose(x) && x->kind == QKV__EXPRESSION_IDENTITY)
            return x;
        if (builtin == QKV__BUILTIN_DETERMINANT && is_loose(x) &&
            x->kind == QKV__EXPRESSION_IDENTITY)
            return qkv__words_check(t, node,
                                    qkv__expression_number(&t->theory, qkv__rational_whole(1)));
        bool fits = x->form == QKV__FORM_NUMBER   ? functions[i].of_number
                    : x->form == QKV__FORM_MATRIX ? functions[i].of_matrix
                                                  : functions[i].of_vector;
        if (x->form == QKV__FORM_ROW && builtin == QKV__BUILTIN_DIAGONAL) fits = false;
        return fits ? apply(t, node, functions[i].function, x) : beyond(t, node);
    }
    return translate_scalar(t, node);
}

static const qkv__expression *translate_call(qkv__translation *t, const qkv__node *node)
{
    assert(node->kind == QKV__NODE_CALL);
    const qkv__binding *binding = qkv__model_find(t->model, NULL, node->text);
    qkv__builtin builtin = binding == NULL ? qkv__builtin_of(node) : QKV__BUILTIN_NONE;
    const qkv__expression *x;
    switch (builtin) {
    case QKV__BUILTIN_NONE:
    case QKV__BUILTIN_SOFTMAX: return qkv__words_translate_call(t, node);
    case QKV__BUILTIN_ATTEND: return translate_attend(t, node);
    case QKV__BUILTIN_ONES: return translate_constant(t, node, true);
    case QKV__BUILTIN_ZEROS: return translate_constant(t, node, false);
    case QKV__BUILTIN_ABS:
    case QKV__BUILTIN_NORM:
        x = node->count == 1 ? qkv__words_translate(t, node->child[0]) : beyond(t, node);
        return size_of(t, node, x);
    case QKV__BUILTIN_COS:
        return node->count == 2 ? translate_cosine(t, node) : translate_scalar(t, node);
    case QKV__BUILTIN_DISTANCE:
        return node->count == 2 ? translate_distance(t, node) : beyond(t, node);
    default: return translate_function(t, node, builtin);
    }
}

const qkv__expression *qkv__words_translate_with_numbers(qkv__translation *t, const qkv__node *node)
{
    const qkv__expression *x, *y;
    switch (node->kind) {
    case QKV__NODE_NAME: return qkv__words_translate_name(t, node);
    case QKV__NODE_CALL: return translate_call(t, node);
    case QKV__NODE_MULTIPLY: return translate_product(t, node);
    case QKV__NODE_DIVIDE: return translate_quotient(t, node);
    case QKV__NODE_ADD:
    case QKV__NODE_SUBTRACT: return translate_sum(t, node);
    case QKV__NODE_POWER: return translate_power(t, node);
    case QKV__NODE_SIZE: return size_of(t, node, qkv__words_translate(t, node->child[0]));
    case QKV__NODE_DOT:
        x = qkv__words_translate(t, node->child[0]);
        y = x == NULL ? NULL : qkv__words_translate(t, node->child[1]);
        return dot(t, node, x, y);
    case QKV__NODE_TRANSPOSE:
        x = qkv__words_translate(t, node->child[0]);
        return x == NULL ? NULL
                         : qkv__words_check(t, node, qkv__expression_transpose(&t->theory, x));
    case QKV__NODE_NEGATE:
        x = qkv__words_translate(t, node->child[0]);
        return x == NULL
                   ? NULL
                   : qkv__words_check(
                         t, node, qkv__expression_scale(&t->theory, qkv__rational_whole(-1), x));
    case QKV__NODE_NUMBER:
        if (qkv__rational_is_zero(node->value))
            return qkv__words_check(t, node,
                                    qkv__expression_zero(&t->theory, QKV__ANY_SIZE, QKV__ANY_SIZE));
        return qkv__words_check(t, node, qkv__expression_number(&t->theory, node->value));
    default: return beyond(t, node);
    }
}

/* ---- Premises ------------------------------------------------------------------------------ */

/* |x| = 1 is x'*x = 1 as well. */
static void assume_equation(qkv__translation *t, const qkv__node *node, const qkv__expression *left,
                            const qkv__expression *right)
{
    bool root = left->kind == QKV__EXPRESSION_FUNCTION && left->function == QKV__FUNCTION_ROOT;
    const qkv__expression *square = root ? qkv__words_product(t, node, right, right) : NULL;
    if (square != NULL) qkv__theory_assume(&t->theory, left->left, square);
    qkv__theory_assume(&t->theory, left, right);
}

/* What cannot be taken is left out: a proof without it stands. */
static void take_premise(const qkv__node *node, void *data)
{
    qkv__translation *t = data, before = {.culprit = t->culprit, .unable = t->unable};
    if (node->kind != QKV__NODE_COMPARE || node->count != 2 ||
        node->comparison > QKV__GREATER_OR_EQUAL || node->comparison == QKV__NOT_EQUAL ||
        !qkv__model_is_symbolic(t->model, node))
        return;
    const qkv__expression *left = qkv__words_translate(t, node->child[0]);
    const qkv__expression *right = left == NULL ? NULL : qkv__words_translate(t, node->child[1]);
    const bool above =
        node->comparison == QKV__GREATER || node->comparison == QKV__GREATER_OR_EQUAL;
    bool good = right != NULL && qkv__words_can_be_compared(t, node, left, right);
    if (good && node->comparison == QKV__EQUAL)
        assume_equation(t, node, left, right);
    else if (good && (is_number(left) || is_number(right)))
        qkv__theory_bound(&t->theory, above ? right : left, above ? left : right);
    t->message[0] = '\0';
    t->culprit = before.culprit;
    t->unable = before.unable;
}

void qkv__words_take_premises(qkv__translation *t)
{
    qkv__words_each_premise(t, take_premise, t);
}
