/*
 * Evaluation with running error bounds (Wilkinson; Higham, "Accuracy and Stability", 3.3). Sums and
 * products of small whole numbers come out with bound 0, which is how assumptions are known to hold
 * exactly. Knows nothing of the search.
 */
#include "claim/words/matrix_value.h"

#include <assert.h>
#include <math.h>

/* Bounds are themselves rounded; each is a handful of operations, and this covers them amply. */
static const double CARE = 1.0 + 1e-12;

/* Half a unit in the last place of 1. */
static const double UNIT = 0x1p-53;

/* Below this an error term may be too small for a double to hold, so that it looks like zero. */
static const double TINY = 1e-250;

/* ---- Numbers ------------------------------------------------------------------------------- */

/* Knuth's two-sum: s + e is a + b exactly. */
static qkv__bounded add(qkv__bounded a, qkv__bounded b)
{
    double s = a.value + b.value, part = s - a.value;
    double e = (a.value - (s - part)) + (b.value - part);
    return (qkv__bounded){s, (a.error + b.error + fabs(e)) * CARE};
}

/* fma gives the rounding error of a product exactly, unless it is too small to be held. */
static double product_error(double a, double b, double product)
{
    if (a == 0.0 || b == 0.0) return 0.0;
    return fabs(product) < TINY ? TINY : fabs(fma(a, b, -product));
}

static qkv__bounded multiply(qkv__bounded a, qkv__bounded b)
{
    double p = a.value * b.value;
    double carried = fabs(a.value) * b.error + fabs(b.value) * a.error + a.error * b.error;
    return (qkv__bounded){p, (carried + product_error(a.value, b.value, p)) * CARE};
}

/* A 64-bit number, which need not fit a double. */
static qkv__bounded whole(int64_t number)
{
    double value = (double)number;
    bool exact = number > -(INT64_C(1) << 53) && number < INT64_C(1) << 53;
    return (qkv__bounded){value, exact ? 0.0 : fabs(value) * UNIT * 2.0};
}

/* |n/d - q| = |n - q*d|/|d|; for d = 1 nothing is divided. A denominator is not so near to zero
 * that its own error of one part in 2^52 needs more than a factor of two. */
static qkv__bounded rational(qkv__rational number)
{
    qkv__bounded n = whole(number.numerator), d = whole(number.denominator);
    if (number.denominator == 1) return n;
    double q = n.value / d.value;
    double rest = fabs(fma(q, d.value, -n.value)) / d.value;
    double carried = (n.error + fabs(q) * d.error) / d.value;
    return (qkv__bounded){q, (rest + carried) * 2.0};
}

/* ---- Softmax ------------------------------------------------------------------------------- */

static double row_maximum(const qkv__bounded *row, size_t columns)
{
    double largest = row[0].value;
    for (size_t j = 1; j < columns; j++) largest = fmax(largest, row[j].value);
    return largest;
}

/* Whether all scores are exactly the same, so that the weights are 1/columns. */
static bool is_level(const qkv__bounded *row, size_t columns)
{
    for (size_t j = 0; j < columns; j++)
        if (row[j].error != 0.0 || row[j].value != row[0].value) return false;
    return true;
}

/*
 * One row, its largest score subtracted first so that no exponential overflows. If scores are off
 * by at most e, each weight is off by a factor within e^(+-2e). Rounding adds, relatively: |s -
 * max| units for the exponent, a few for exp (4 allowed; glibc states 1), columns for the sum, 1
 * for the quotient. With d the sum of these, |weight - true| <= weight*(e^d - 1) <= 2*d*weight for
 * d <= 1.
 */
static void softmax_row(qkv__bounded *row, size_t columns)
{
    if (is_level(row, columns)) {
        for (size_t j = 0; j < columns; j++)
            row[j] = rational((qkv__rational){1, (int64_t)columns});
        return;
    }
    double largest = row_maximum(row, columns), sum = 0.0, spread = 0.0, error = 0.0;
    for (size_t j = 0; j < columns; j++) {
        spread = fmax(spread, largest - row[j].value);
        error += row[j].error; /* a sum, not a maximum: it hands on a NaN */
    }
    double relative = 2.0 * error + 2.0 * UNIT * (spread + (double)columns + 16.0);
    for (size_t j = 0; j < columns; j++) {
        row[j].value = exp(row[j].value - largest);
        sum += row[j].value;
    }
    for (size_t j = 0; j < columns; j++) {
        row[j].value /= sum;
        row[j].error = relative <= 1.0 ? 2.0 * relative * row[j].value + TINY : 1.0;
    }
}

/* ---- Matrices ------------------------------------------------------------------------------ */

typedef struct shape {
    size_t rows, columns;
} shape;

static shape shape_of(const qkv__assignment *assignment, const qkv__expression *e)
{
    return (shape){assignment->size[e->rows], assignment->size[e->columns]};
}

static void evaluate_sum(shape s, const qkv__matrix_value *a, const qkv__matrix_value *b,
                         qkv__matrix_value *result)
{
    for (size_t i = 0; i < s.rows * s.columns; i++)
        result->entry[i] = add(a->entry[i], b->entry[i]);
}

/* (rows, inner) times (inner, columns). */
static void evaluate_product(shape s, size_t inner, const qkv__matrix_value *a,
                             const qkv__matrix_value *b, qkv__matrix_value *result)
{
    for (size_t i = 0; i < s.rows; i++) {
        for (size_t j = 0; j < s.columns; j++) {
            qkv__bounded sum = {0.0, 0.0};
            for (size_t k = 0; k < inner; k++)
                sum = add(sum, multiply(a->entry[i * inner + k], b->entry[k * s.columns + j]));
            result->entry[i * s.columns + j] = sum;
        }
    }
}

static void evaluate_scale(shape s, qkv__rational factor, const qkv__matrix_value *a,
                           qkv__matrix_value *result)
{
    qkv__bounded number = rational(factor);
    for (size_t i = 0; i < s.rows * s.columns; i++)
        result->entry[i] = multiply(number, a->entry[i]);
}

/* s is the shape of the result. */
static void evaluate_transpose(shape s, const qkv__matrix_value *a, qkv__matrix_value *result)
{
    for (size_t i = 0; i < s.rows; i++)
        for (size_t j = 0; j < s.columns; j++)
            result->entry[i * s.columns + j] = a->entry[j * s.rows + i];
}

static void evaluate_softmax(shape s, const qkv__matrix_value *a, qkv__matrix_value *result)
{
    *result = *a;
    for (size_t i = 0; i < s.rows; i++) softmax_row(result->entry + i * s.columns, s.columns);
}

static void evaluate_identity(shape s, double diagonal, qkv__matrix_value *result)
{
    for (size_t i = 0; i < s.rows * s.columns; i++)
        result->entry[i] = (qkv__bounded){i % (s.columns + 1) == 0 ? diagonal : 0.0, 0.0};
}

void qkv__matrix_evaluate(const qkv__assignment *assignment, const qkv__expression *e,
                          qkv__matrix_value *result, qkv__matrix_value *scratch)
{
    qkv__matrix_value *left = scratch, *right = scratch + 1;
    shape s = shape_of(assignment, e);
    if (e->left != NULL) qkv__matrix_evaluate(assignment, e->left, left, scratch + 2);
    if (e->right != NULL) qkv__matrix_evaluate(assignment, e->right, right, scratch + 2);
    switch (e->kind) {
    case QKV__EXPRESSION_ATOM: *result = assignment->atom[e->atom]; break;
    case QKV__EXPRESSION_IDENTITY: evaluate_identity(s, 1.0, result); break;
    case QKV__EXPRESSION_ZERO: evaluate_identity(s, 0.0, result); break;
    case QKV__EXPRESSION_SUM: evaluate_sum(s, left, right, result); break;
    case QKV__EXPRESSION_PRODUCT:
        assert(e->left != NULL && e->right != NULL);
        evaluate_product(s, assignment->size[e->left->columns], left, right, result);
        break;
    case QKV__EXPRESSION_SCALE: evaluate_scale(s, e->factor, left, result); break;
    case QKV__EXPRESSION_TRANSPOSE: evaluate_transpose(s, left, result); break;
    case QKV__EXPRESSION_SOFTMAX: evaluate_softmax(s, left, result); break;
    case QKV__EXPRESSION_TIMES: /* witnesses are looked for in theories without numbers */
    case QKV__EXPRESSION_FUNCTION: assert(false); break;
    }
}
