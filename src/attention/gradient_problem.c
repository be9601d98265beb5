/* From the caller's views and options to a checked call for the gradient. Knows nothing of kernels.
 */
#include "attention/gradient_problem.h"

#include <string.h>

#include "base/error.h"
#include "base/view.h"

/* A result view of the shape of `like`, brought to four axes. */
static qkv_status take_result(const qkv_view *view, const qkv_view *like, const char *name,
                              const char *of, qkv_view *result, qkv_error *error)
{
    if (view == NULL) return QKV_OK;
    qkv_status status = qkv__view_check_output(view, name, error);
    if (status != QKV_OK) return status;
    qkv_view full = qkv__view_promote(view, 4);
    if (memcmp(full.shape, like->shape, sizeof full.shape) != 0)
        return qkv__fail(error, QKV_ERROR_SHAPE, "%s has shape %s; expected the shape of %s", name,
                         qkv__shape_format(view->rank, view->shape).text, of);
    *result = full;
    return QKV_OK;
}

/* What the forward call gave, of the shape of the first `rank` axes of output_gradient. */
static qkv_status take_given(const qkv_view *view, const char *name, const qkv_view *gradient,
                             int rank, qkv_view *result, qkv_error *error)
{
    qkv_status status = qkv__view_check(view, name, error);
    if (status != QKV_OK) return status;
    if (view->rank != rank || memcmp(view->shape, gradient->shape, (size_t)rank * sizeof(size_t)))
        return qkv__fail(error, QKV_ERROR_SHAPE, "%s has shape %s; expected %s", name,
                         qkv__shape_format(view->rank, view->shape).text,
                         qkv__shape_format(rank, gradient->shape).text);
    if (!qkv__type_is_float(view->type))
        return qkv__fail(error, QKV_ERROR_TYPE, "%s has type %s; expected f64, f32, f16 or bf16",
                         name, qkv_type_name(view->type));
    *result = qkv__view_promote(view, 4 - (gradient->rank - rank));
    return QKV_OK;
}

static qkv_status take_both(const qkv_attention_options *options, const qkv_view *gradient,
                            qkv__gradient *call, qkv_error *error)
{
    const qkv_view *output = &options->given_output, *sums = &options->given_log_sum_exp;
    if (output->rank == 0 && sums->rank == 0) return QKV_OK;
    if (output->rank == 0 || sums->rank == 0)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "given_%s is set, but not given_%s; the gradient needs both or none",
                         output->rank == 0 ? "log_sum_exp" : "output",
                         output->rank == 0 ? "output" : "log_sum_exp");
    qkv_status status =
        take_given(output, "given_output", gradient, gradient->rank, &call->output, error);
    if (status != QKV_OK) return status;
    return take_given(sums, "given_log_sum_exp", gradient, gradient->rank - 1, &call->log_sum_exp,
                      error);
}

/* Results for the mask, slopes and sinks, where there are such. */
static qkv_status take_bias(const qkv_attention_options *options, qkv__gradient *call,
                            qkv_error *error)
{
    const qkv_view *view = &options->mask_gradient, *mask = &options->mask;
    if (options->alibi_slopes_gradient != NULL && options->alibi_slopes == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "alibi_slopes_gradient is set, but alibi_slopes is NULL");
    if (options->sinks_gradient != NULL && options->sinks == NULL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "sinks_gradient is set, but sinks is NULL");
    call->slope_sums = options->alibi_slopes_gradient;
    call->sink_sums = options->sinks_gradient;
    if (view->rank == 0) return QKV_OK;
    if (mask->rank == 0 || mask->type == QKV_BOOL)
        return qkv__fail(error, QKV_ERROR_ARGUMENT,
                         "mask_gradient is set, but mask is %s; expected numbers that are added",
                         mask->rank == 0 ? "not" : "of type bool");
    qkv_status status = qkv__view_check_output(view, "mask_gradient", error);
    if (status != QKV_OK) return status;
    if (view->rank != mask->rank ||
        memcmp(view->shape, mask->shape, (size_t)mask->rank * sizeof(size_t)) != 0)
        return qkv__fail(error, QKV_ERROR_SHAPE,
                         "mask_gradient has shape %s; expected %s, the mask's",
                         qkv__shape_format(view->rank, view->shape).text,
                         qkv__shape_format(mask->rank, mask->shape).text);
    call->mask_gradient = qkv__view_promote(view, 4);
    return QKV_OK;
}

qkv_status qkv__gradient_make(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                              const qkv_view *output_gradient, const qkv_view *query_gradient,
                              const qkv_view *key_gradient, const qkv_view *value_gradient,
                              const qkv_attention_options *options, qkv__gradient *call,
                              qkv_error *error)
{
    *call = (qkv__gradient){0};
    qkv_attention_options plain;
    qkv_status status = qkv__options_read(options, &plain, error);
    if (status != QKV_OK) return status;
    plain.log_sum_exp = plain.entropy = plain.weights = (qkv_view){0};
    plain.scores_raw = plain.scores_capped = plain.scores_masked = (qkv_view){0};
    status = qkv__problem_make(query, key, value, output_gradient, QKV__GRADIENT, &plain,
                               &call->problem, error);
    const qkv__problem *p = &call->problem;
    if (status == QKV_OK)
        status =
            take_result(query_gradient, &p->query, "query_gradient", "query", &call->dq, error);
    if (status == QKV_OK)
        status = take_result(key_gradient, &p->key, "key_gradient", "key", &call->dk, error);
    if (status == QKV_OK)
        status =
            take_result(value_gradient, &p->value, "value_gradient", "value", &call->dv, error);
    if (status == QKV_OK) status = take_both(&plain, output_gradient, call, error);
    if (status == QKV_OK) status = take_bias(&plain, call, error);
    return status;
}
