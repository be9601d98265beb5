/* Softmax attention in ball arithmetic. Knows nothing of forms, claims or kernels. */
#include "ball/numeric.h"

#include <math.h>

#include "ball/arb_header.h"
#include "ball/fraction.h"
#include "base/error.h"
#include "base/memory.h"

/* A product of two doubles has 106 bits; 22 more leave room for a sum of millions of them. */
enum { PRECISION = 128 };

/* ---- Checks -------------------------------------------------------------------------------- */

static qkv_status check_doubles(const char *name, const double *number, size_t count,
                                qkv_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(number[i]))
            return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s[%zu] is %g, expected a finite number",
                             name, i, number[i]);
    return QKV_OK;
}

static qkv_status check_rationals(const qkv__rational *number, size_t count, qkv_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (qkv__rational_is_lost(number[i]))
            return qkv__fail(error, QKV_ERROR_ARGUMENT,
                             "exact_scores[%zu] is lost, expected a rational number", i);
    return QKV_OK;
}

static qkv_status check_shape(const qkv__numeric_input *input, qkv_error *error)
{
    size_t size;
    bool by_keys = input->query != NULL && input->keys != NULL;
    int sources = by_keys + (input->scores != NULL) + (input->exact_scores != NULL);
    if (input->count == 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "count is 0, expected at least one key");
    if (sources != 1)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "%d sources of scores, expected one of keys, scores and exact_scores",
                         sources);
    if (input->value_dimension > 0 && input->values == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "value_dimension is %zu, but values is NULL",
                         input->value_dimension);
    if (!qkv__size_multiply(input->count, input->dimension, &size) ||
        !qkv__size_multiply(input->count, input->value_dimension, &size) ||
        input->count > PTRDIFF_MAX / sizeof(arb_struct) ||
        input->dimension > PTRDIFF_MAX / sizeof(arb_struct))
        return qkv__fail(error, QKV_ERROR_SHAPE, "%zu keys of dimension %zu, expected fewer",
                         input->count, input->dimension);
    return QKV_OK;
}

static qkv_status check(const qkv__numeric_input *input, qkv_error *error)
{
    qkv_status status = check_shape(input, error);
    if (status == QKV_OK && input->keys != NULL && input->query != NULL) {
        status = check_doubles("query", input->query, input->dimension, error);
        if (status == QKV_OK)
            status = check_doubles("keys", input->keys, input->count * input->dimension, error);
    }
    if (status == QKV_OK && input->scores != NULL)
        status = check_doubles("scores", input->scores, input->count, error);
    if (status == QKV_OK && input->exact_scores != NULL)
        status = check_rationals(input->exact_scores, input->count, error);
    if (status == QKV_OK && input->value_dimension > 0)
        status =
            check_doubles("values", input->values, input->count * input->value_dimension, error);
    return status;
}

/* ---- Scores -------------------------------------------------------------------------------- */

static void set_rational(arb_t ball, qkv__rational value)
{
    qkv__arb_set_int64(ball, value.numerator);
    qkv__arb_div_int64(ball, ball, value.denominator, PRECISION);
}

static void scores_of_keys(const qkv__numeric_input *input, arb_ptr scores)
{
    slong dimension = (slong)input->dimension;
    arb_ptr query = _arb_vec_init(dimension), key = _arb_vec_init(dimension);
    arb_t scale;
    arb_init(scale);
    bool scaled = !qkv__rational_is_lost(input->scale);
    if (scaled) set_rational(scale, input->scale);
    for (slong j = 0; j < dimension; j++) arb_set_d(query + j, input->query[j]);
    for (size_t i = 0; i < input->count; i++) {
        const double *row = input->keys + i * input->dimension;
        for (slong j = 0; j < dimension; j++) arb_set_d(key + j, row[j]);
        arb_dot(scores + i, NULL, 0, query, 1, key, 1, dimension, PRECISION);
        if (scaled) arb_mul(scores + i, scores + i, scale, PRECISION);
    }
    arb_clear(scale);
    _arb_vec_clear(query, dimension);
    _arb_vec_clear(key, dimension);
}

static void set_scores(const qkv__numeric_input *input, arb_ptr scores)
{
    if (input->scores == NULL && input->exact_scores == NULL) scores_of_keys(input, scores);
    for (size_t i = 0; i < input->count; i++) {
        if (input->scores != NULL) arb_set_d(scores + i, input->scores[i]);
        if (input->exact_scores != NULL) set_rational(scores + i, input->exact_scores[i]);
    }
}

/* ---- Weights and their sums ------------------------------------------------------------------ */

/* Scores become weights in place. Any number may be taken off all scores; the largest midpoint
 * keeps the sum near 1 whatever the scores are. */
static void softmax(arb_ptr score, size_t count)
{
    size_t largest = 0;
    arf_t shift;
    arb_t sum;
    arf_init(shift);
    arb_init(sum);
    for (size_t i = 1; i < count; i++)
        if (arf_cmp(arb_midref(score + i), arb_midref(score + largest)) > 0) largest = i;
    arf_set(shift, arb_midref(score + largest));
    for (size_t i = 0; i < count; i++) {
        arb_sub_arf(score + i, score + i, shift, PRECISION);
        arb_exp(score + i, score + i, PRECISION);
        arb_add(sum, sum, score + i, PRECISION);
    }
    for (size_t i = 0; i < count; i++) arb_div(score + i, score + i, sum, PRECISION);
    arf_clear(shift);
    arb_clear(sum);
}

static qkv__bounds bounds_of(const arb_t ball)
{
    arf_t end;
    qkv__bounds bounds = {-INFINITY, INFINITY};
    arf_init(end);
    arb_get_lbound_arf(end, ball, PRECISION);
    if (!arf_is_nan(end)) bounds.lower = arf_get_d(end, ARF_RND_FLOOR);
    arb_get_ubound_arf(end, ball, PRECISION);
    if (!arf_is_nan(end)) bounds.upper = arf_get_d(end, ARF_RND_CEIL);
    arf_clear(end);
    return bounds;
}

static void write_scores(arb_srcptr scores, size_t count, qkv__bounds *written)
{
    for (size_t i = 0; i < count; i++) written[i] = bounds_of(scores + i);
}

/* A weight is between 0 and 1 whatever rounding says. */
static void write_weights(arb_srcptr weights, size_t count, qkv__bounds *written)
{
    for (size_t i = 0; i < count; i++) {
        qkv__bounds bounds = bounds_of(weights + i);
        written[i] = (qkv__bounds){fmax(bounds.lower, 0), fmin(bounds.upper, 1)};
    }
}

/* One column of the values after the other. */
static void write_combined(const qkv__numeric_input *input, arb_srcptr weights,
                           qkv__bounds *written)
{
    slong count = (slong)input->count;
    arb_ptr column = _arb_vec_init(count);
    arb_t sum;
    arb_init(sum);
    for (size_t j = 0; j < input->value_dimension; j++) {
        for (slong i = 0; i < count; i++)
            arb_set_d(column + i, input->values[(size_t)i * input->value_dimension + j]);
        arb_dot(sum, NULL, 0, weights, 1, column, 1, count, PRECISION);
        written[j] = bounds_of(sum);
    }
    arb_clear(sum);
    _arb_vec_clear(column, count);
}

qkv_status qkv__ball_numeric(const qkv__numeric_input *input, const qkv__numeric_output *output,
                             qkv_error *error)
{
    qkv_status status = check(input, error);
    if (status != QKV_OK) return status;
    arb_ptr weights = _arb_vec_init((slong)input->count);
    set_scores(input, weights);
    if (output->scores != NULL) write_scores(weights, input->count, output->scores);
    if (output->weights != NULL || output->combined != NULL) softmax(weights, input->count);
    if (output->weights != NULL) write_weights(weights, input->count, output->weights);
    if (output->combined != NULL) write_combined(input, weights, output->combined);
    _arb_vec_clear(weights, (slong)input->count);
    return QKV_OK;
}
