/* Arithmetic of values. Knows the exact engine; nothing of syntax or of verdicts. */
#include "claim/model/value.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "exact/sign.h"

bool qkv__fail_value(qkv__failure *failure, qkv__trouble trouble, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    failure->trouble = trouble;
    vsnprintf(failure->message, sizeof failure->message, format, arguments);
    va_end(arguments);
    return false;
}

const char *qkv__value_kind_name(qkv__value_kind kind)
{
    static const char *const names[] = {
        [QKV__VALUE_NONE] = "nothing",
        [QKV__VALUE_SCALAR] = "a number",
        [QKV__VALUE_VECTOR] = "a vector",
        [QKV__VALUE_COVECTOR] = "a transposed vector",
        [QKV__VALUE_MATRIX] = "a matrix",
        [QKV__VALUE_VECTORS] = "a family of vectors",
        [QKV__VALUE_NUMBERS] = "a family of numbers",
        [QKV__VALUE_RESULT] = "a result of attention",
        [QKV__VALUE_TOKENS] = "a result of attention",
        [QKV__VALUE_LIST] = "a list",
        [QKV__VALUE_INDEX] = "an index",
        [QKV__VALUE_SET] = "a set",
        [QKV__VALUE_HULL] = "a convex hull",
        [QKV__VALUE_TABLE] = "a table of numbers",
    };
    return names[kind];
}

static bool lost(qkv__failure *failure)
{
    return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                           "the exact numbers grow beyond 64 bits or outside the fragment");
}

static bool mismatch(qkv__failure *failure, const char *verb, const qkv__value *x,
                     const char *between, const qkv__value *y)
{
    return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "cannot %s %s %s %s", verb,
                           qkv__value_kind_name(x->kind), between, qkv__value_kind_name(y->kind));
}

/* ---- Making and taking apart ---------------------------------------------------------------- */

qkv__value qkv__value_scalar(qkv__space *space, qkv__ratio ratio)
{
    return (qkv__value){.kind = QKV__VALUE_SCALAR,
                        .scalar = {ratio, qkv__ratio_whole(space->algebra, 1)}};
}

qkv__value qkv__value_vector(const qkv__vector *vector)
{
    return (qkv__value){.kind = QKV__VALUE_VECTOR, .vector = vector};
}

bool qkv__value_as_vector(const qkv__value *x, const qkv__vector **vector)
{
    if (x->kind == QKV__VALUE_VECTOR) *vector = x->vector;
    if (x->kind == QKV__VALUE_RESULT && x->result->queries == NULL)
        *vector = x->result->row[0]->output;
    else if (x->kind != QKV__VALUE_VECTOR)
        return false;
    return true;
}

static bool is_plain(qkv__surd x)
{
    qkv__rational one;
    return qkv__ratio_is_constant(x.radicand, &one) && one.numerator == 1 && one.denominator == 1;
}

bool qkv__value_as_ratio(const qkv__value *x, qkv__ratio *ratio)
{
    if (x->kind != QKV__VALUE_SCALAR || !is_plain(x->scalar)) return false;
    *ratio = x->scalar.factor;
    return true;
}

/* ---- Scalars with a root --------------------------------------------------------------------- */

static bool surd_is_lost(qkv__surd x)
{
    return qkv__ratio_is_lost(x.factor) || qkv__ratio_is_lost(x.radicand);
}

/* A root that comes out is taken out. */
static qkv__surd tidy(qkv__algebra *algebra, qkv__surd x)
{
    if (surd_is_lost(x) || is_plain(x)) return x;
    qkv__ratio one = qkv__ratio_whole(algebra, 1), root = qkv__ratio_root(algebra, x.radicand);
    if (qkv__ratio_is_zero(x.radicand) || qkv__ratio_is_zero(x.factor))
        return (qkv__surd){qkv__ratio_whole(algebra, 0), one};
    if (qkv__ratio_is_lost(root)) return x;
    return (qkv__surd){qkv__ratio_multiply(algebra, x.factor, root), one};
}

static qkv__surd surd_multiply(qkv__algebra *algebra, qkv__surd x, qkv__surd y)
{
    qkv__ratio factor = qkv__ratio_multiply(algebra, x.factor, y.factor);
    /* sqrt(a) sqrt(a) = a */
    if (!is_plain(x) && qkv__ratio_equal(algebra, x.radicand, y.radicand))
        return (qkv__surd){qkv__ratio_multiply(algebra, factor, x.radicand),
                           qkv__ratio_whole(algebra, 1)};
    return tidy(algebra, (qkv__surd){factor, qkv__ratio_multiply(algebra, x.radicand, y.radicand)});
}

static bool surd_add(qkv__algebra *algebra, qkv__surd x, qkv__surd y, qkv__surd *sum)
{
    if (qkv__ratio_is_zero(x.factor)) return *sum = y, true;
    if (qkv__ratio_is_zero(y.factor)) return *sum = x, true;
    if (!qkv__ratio_equal(algebra, x.radicand, y.radicand)) return false;
    *sum = (qkv__surd){qkv__ratio_add(algebra, x.factor, y.factor), x.radicand};
    return true;
}

/* ---- Matrices ------------------------------------------------------------------------------- */

static const qkv__matrix_sum *new_matrix(qkv__space *space, qkv__ratio identity,
                                         const qkv__outer *first, size_t first_count,
                                         const qkv__outer *second, size_t second_count)
{
    qkv__arena *arena = &space->algebra->arena;
    qkv__matrix_sum *matrix = qkv__arena_take(arena, sizeof *matrix);
    qkv__outer *outer = qkv__arena_array(arena, first_count + second_count, sizeof *outer);
    if (matrix == NULL || outer == NULL) return NULL;
    if (first_count > 0) memcpy(outer, first, first_count * sizeof *outer);
    if (second_count > 0) memcpy(outer + first_count, second, second_count * sizeof *outer);
    *matrix = (qkv__matrix_sum){identity, first_count + second_count, outer};
    return matrix;
}

static bool matrix_value(const qkv__matrix_sum *matrix, qkv__value *value, qkv__failure *failure)
{
    if (matrix == NULL) return lost(failure);
    *value = (qkv__value){.kind = QKV__VALUE_MATRIX, .matrix = matrix};
    return true;
}

static const qkv__matrix_sum *matrix_scale(qkv__space *space, const qkv__matrix_sum *m,
                                           qkv__ratio factor)
{
    const qkv__matrix_sum *scaled =
        new_matrix(space, qkv__ratio_multiply(space->algebra, m->identity, factor), m->outer,
                   m->count, NULL, 0);
    for (size_t i = 0; scaled != NULL && i < scaled->count; i++) {
        qkv__outer *outer =
            (qkv__outer *)(uintptr_t)&scaled->outer[i]; /* not yet shown to anyone */
        outer->factor = qkv__ratio_multiply(space->algebra, outer->factor, factor);
    }
    return scaled;
}

/* (c I + sum f x y') v = c v + sum f (y.v) x */
static const qkv__vector *matrix_apply(qkv__space *space, const qkv__matrix_sum *m,
                                       const qkv__vector *v, bool transposed)
{
    const qkv__vector *sum = qkv__vector_scale(space, v, m->identity);
    for (size_t i = 0; i < m->count; i++) {
        const qkv__vector *x = transposed ? m->outer[i].right : m->outer[i].left;
        const qkv__vector *y = transposed ? m->outer[i].left : m->outer[i].right;
        qkv__ratio factor =
            qkv__ratio_multiply(space->algebra, m->outer[i].factor, qkv__vector_dot(space, y, v));
        sum = qkv__vector_add(space, sum, qkv__vector_scale(space, x, factor));
    }
    return sum;
}

/* a b: columns x of b's outer products become a x; what b has of the identity leaves a. */
static const qkv__matrix_sum *matrix_multiply(qkv__space *space, const qkv__matrix_sum *a,
                                              const qkv__matrix_sum *b)
{
    const qkv__matrix_sum *scaled = matrix_scale(space, a, b->identity);
    qkv__outer *outer = qkv__arena_array(&space->algebra->arena, b->count, sizeof *outer);
    if (scaled == NULL || outer == NULL) return NULL;
    for (size_t i = 0; i < b->count; i++) {
        outer[i] = b->outer[i];
        outer[i].left = matrix_apply(space, a, b->outer[i].left, false);
        if (outer[i].left == NULL) return NULL;
    }
    return new_matrix(space, scaled->identity, scaled->outer, scaled->count, outer, b->count);
}

/* ---- Operations ------------------------------------------------------------------------------ */

static bool scalar_value(qkv__surd surd, qkv__value *value, qkv__failure *failure)
{
    if (surd_is_lost(surd)) return lost(failure);
    *value = (qkv__value){.kind = QKV__VALUE_SCALAR, .scalar = surd};
    return true;
}

static bool vector_value(qkv__value_kind kind, const qkv__vector *vector, qkv__value *value,
                         qkv__failure *failure)
{
    if (vector == NULL) return lost(failure);
    *value = (qkv__value){.kind = kind, .vector = vector};
    return true;
}

bool qkv__value_add(qkv__space *space, const qkv__value *x, const qkv__value *y, bool subtract,
                    qkv__value *sum, qkv__failure *failure)
{
    qkv__algebra *algebra = space->algebra;
    const qkv__vector *u, *v;
    qkv__ratio sign = qkv__ratio_whole(algebra, subtract ? -1 : 1);
    if (qkv__value_as_vector(x, &u) && qkv__value_as_vector(y, &v))
        return vector_value(QKV__VALUE_VECTOR,
                            qkv__vector_add(space, u, qkv__vector_scale(space, v, sign)), sum,
                            failure);
    if (x->kind != y->kind) return mismatch(failure, "add", x, "and", y);
    if (x->kind == QKV__VALUE_SCALAR) {
        qkv__surd other = {qkv__ratio_multiply(algebra, y->scalar.factor, sign),
                           y->scalar.radicand};
        qkv__surd result;
        if (!surd_add(algebra, x->scalar, other, &result))
            return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                                   "a sum of different square roots is beyond the exact engine");
        return scalar_value(result, sum, failure);
    }
    if (x->kind == QKV__VALUE_MATRIX) {
        const qkv__matrix_sum *other = matrix_scale(space, y->matrix, sign);
        if (other == NULL) return lost(failure);
        return matrix_value(
            new_matrix(space, qkv__ratio_add(algebra, x->matrix->identity, other->identity),
                       x->matrix->outer, x->matrix->count, other->outer, other->count),
            sum, failure);
    }
    if (x->kind == QKV__VALUE_COVECTOR)
        return vector_value(
            x->kind, qkv__vector_add(space, x->vector, qkv__vector_scale(space, y->vector, sign)),
            sum, failure);
    return mismatch(failure, "add", x, "and", y);
}

/* A scalar times anything that can be scaled. */
static bool scale(qkv__space *space, qkv__surd factor, const qkv__value *x, qkv__value *product,
                  qkv__failure *failure)
{
    const qkv__vector *v;
    if (x->kind == QKV__VALUE_SCALAR)
        return scalar_value(surd_multiply(space->algebra, factor, x->scalar), product, failure);
    if (!is_plain(factor))
        return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                               "a vector times a norm is beyond the exact engine");
    if (qkv__value_as_vector(x, &v))
        return vector_value(QKV__VALUE_VECTOR, qkv__vector_scale(space, v, factor.factor), product,
                            failure);
    if (x->kind == QKV__VALUE_COVECTOR)
        return vector_value(x->kind, qkv__vector_scale(space, x->vector, factor.factor), product,
                            failure);
    if (x->kind == QKV__VALUE_MATRIX)
        return matrix_value(matrix_scale(space, x->matrix, factor.factor), product, failure);
    return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "cannot multiply a number and %s",
                           qkv__value_kind_name(x->kind));
}

bool qkv__value_multiply(qkv__space *space, const qkv__value *x, const qkv__value *y,
                         qkv__value *product, qkv__failure *failure)
{
    const qkv__vector *u = NULL, *v = NULL;
    bool x_vector = qkv__value_as_vector(x, &u), y_vector = qkv__value_as_vector(y, &v);
    if (x->kind == QKV__VALUE_SCALAR) return scale(space, x->scalar, y, product, failure);
    if (y->kind == QKV__VALUE_SCALAR) return scale(space, y->scalar, x, product, failure);
    if (x->kind == QKV__VALUE_MATRIX && y->kind == QKV__VALUE_MATRIX)
        return matrix_value(matrix_multiply(space, x->matrix, y->matrix), product, failure);
    if (x->kind == QKV__VALUE_MATRIX && y_vector)
        return vector_value(QKV__VALUE_VECTOR, matrix_apply(space, x->matrix, v, false), product,
                            failure);
    if (x->kind == QKV__VALUE_COVECTOR && y->kind == QKV__VALUE_MATRIX)
        return vector_value(QKV__VALUE_COVECTOR, matrix_apply(space, y->matrix, x->vector, true),
                            product, failure);
    if (x->kind == QKV__VALUE_COVECTOR && y_vector) { /* x'y */
        qkv__value left = qkv__value_vector(x->vector);
        return qkv__value_dot(space, &left, y, product, failure);
    }
    if (x_vector && y->kind == QKV__VALUE_COVECTOR) { /* x y' */
        qkv__outer outer = {qkv__ratio_whole(space->algebra, 1), u, y->vector};
        return matrix_value(
            new_matrix(space, qkv__ratio_whole(space->algebra, 0), &outer, 1, NULL, 0), product,
            failure);
    }
    if (x_vector && y_vector)
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT,
                               "cannot multiply two column vectors: x.y is their inner product, "
                               "x*y' a matrix");
    return mismatch(failure, "multiply", x, "and", y);
}

bool qkv__value_divide(qkv__space *space, const qkv__value *x, const qkv__value *y,
                       qkv__value *quotient, qkv__failure *failure)
{
    if (y->kind != QKV__VALUE_SCALAR) return mismatch(failure, "divide", x, "by", y);
    if (qkv__ratio_is_zero(y->scalar.factor))
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "division by zero");
    /* 1/(f sqrt(r)) = sqrt(r)/(f r) */
    qkv__ratio below = qkv__ratio_multiply(space->algebra, y->scalar.factor, y->scalar.radicand);
    qkv__surd inverse = {
        qkv__ratio_divide(space->algebra, qkv__ratio_whole(space->algebra, 1), below),
        y->scalar.radicand};
    if (surd_is_lost(inverse)) return lost(failure);
    return scale(space, inverse, x, quotient, failure);
}

bool qkv__value_power(qkv__space *space, const qkv__value *x, const qkv__value *y,
                      qkv__value *power, qkv__failure *failure)
{
    qkv__ratio exponent;
    qkv__rational number;
    if (x->kind != QKV__VALUE_SCALAR || !qkv__value_as_ratio(y, &exponent))
        return mismatch(failure, "raise", x, "to the power of", y);
    if (!qkv__ratio_is_constant(exponent, &number) || number.denominator > 2 ||
        number.numerator > 64 || number.numerator < -64)
        return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                               "only e may have an exponent other than a small number");
    qkv__value result = qkv__value_scalar(space, qkv__ratio_whole(space->algebra, 1)), base = *x;
    int times = (int)number.numerator;
    if (times == 0 &&
        (qkv__ratio_is_zero(x->scalar.factor) || qkv__ratio_is_zero(x->scalar.radicand)))
        return qkv__fail_value(failure, QKV__TROUBLE_UNABLE, "0^0 has no value");
    if (number.denominator == 2) { /* the root first */
        qkv__ratio plain;
        if (!qkv__value_as_ratio(x, &plain)) return lost(failure);
        qkv__sign sign = qkv__ratio_sign(space->algebra, plain);
        if (sign == QKV__SIGN_NEGATIVE)
            return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "the root of a negative number");
        if (sign == QKV__SIGN_UNKNOWN || sign == QKV__SIGN_NONPOSITIVE)
            return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                                   "the root of a number that may be negative: give a bound");
        base.scalar = tidy(space->algebra, (qkv__surd){qkv__ratio_whole(space->algebra, 1), plain});
    }
    for (int i = 0; i < (times < 0 ? -times : times); i++)
        result.scalar = surd_multiply(space->algebra, result.scalar, base.scalar);
    if (times >= 0) return scalar_value(result.scalar, power, failure);
    qkv__value one = qkv__value_scalar(space, qkv__ratio_whole(space->algebra, 1));
    return qkv__value_divide(space, &one, &result, power, failure);
}

bool qkv__value_dot(qkv__space *space, const qkv__value *x, const qkv__value *y,
                    qkv__value *product, qkv__failure *failure)
{
    const qkv__vector *u, *v;
    if (!qkv__value_as_vector(x, &u) || !qkv__value_as_vector(y, &v))
        return mismatch(failure, "take the inner product of", x, "and", y);
    qkv__ratio dot = qkv__vector_dot(space, u, v);
    if (qkv__ratio_is_lost(dot))
        return qkv__fail_value(
            failure, QKV__TROUBLE_UNABLE,
            "an inner product is unknown, or differs between the remaining indexes");
    *product = qkv__value_scalar(space, dot);
    return true;
}

bool qkv__value_transpose(qkv__space *space, const qkv__value *x, qkv__value *transposed,
                          qkv__failure *failure)
{
    const qkv__vector *v;
    if (qkv__value_as_vector(x, &v))
        return vector_value(QKV__VALUE_COVECTOR, v, transposed, failure);
    if (x->kind == QKV__VALUE_COVECTOR)
        return vector_value(QKV__VALUE_VECTOR, x->vector, transposed, failure);
    if (x->kind == QKV__VALUE_SCALAR) return *transposed = *x, true;
    if (x->kind != QKV__VALUE_MATRIX)
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "cannot transpose %s",
                               qkv__value_kind_name(x->kind));
    const qkv__matrix_sum *m = x->matrix;
    const qkv__matrix_sum *copy = new_matrix(space, m->identity, m->outer, m->count, NULL, 0);
    for (size_t i = 0; copy != NULL && i < copy->count; i++) {
        qkv__outer *outer = (qkv__outer *)(uintptr_t)&copy->outer[i];
        outer->left = m->outer[i].right;
        outer->right = m->outer[i].left;
    }
    return matrix_value(copy, transposed, failure);
}

bool qkv__value_size(qkv__space *space, const qkv__value *x, qkv__value *size,
                     qkv__failure *failure)
{
    const qkv__vector *v;
    if (qkv__value_as_vector(x, &v)) {
        qkv__surd norm = {qkv__ratio_whole(space->algebra, 1), qkv__vector_dot(space, v, v)};
        if (surd_is_lost(norm))
            return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                                   "the norm needs inner products that are not known");
        return scalar_value(tidy(space->algebra, norm), size, failure);
    }
    if (x->kind == QKV__VALUE_MATRIX)
        return qkv__fail_value(failure, QKV__TROUBLE_UNABLE,
                               "the norm of a matrix is beyond the exact engine");
    if (x->kind != QKV__VALUE_SCALAR)
        return qkv__fail_value(failure, QKV__TROUBLE_TEXT, "%s has no size",
                               qkv__value_kind_name(x->kind));
    switch (qkv__ratio_sign(space->algebra, x->scalar.factor)) {
    case QKV__SIGN_ZERO:
    case QKV__SIGN_POSITIVE:
    case QKV__SIGN_NONNEGATIVE: *size = *x; return true;
    case QKV__SIGN_NEGATIVE:
    case QKV__SIGN_NONPOSITIVE: {
        qkv__surd flipped = {qkv__ratio_negate(space->algebra, x->scalar.factor),
                             x->scalar.radicand};
        return scalar_value(flipped, size, failure);
    }
    case QKV__SIGN_UNKNOWN: break;
    }
    /* |f sqrt(r)| = sqrt(f^2 r) */
    qkv__surd root = {qkv__ratio_whole(space->algebra, 1),
                      qkv__ratio_multiply(space->algebra,
                                          qkv__ratio_power(space->algebra, x->scalar.factor, 2),
                                          x->scalar.radicand)};
    return scalar_value(root, size, failure);
}
