/* The public gradient: the choice between the definition and a kernel, and memory for sums of what
 * options add to the scores. */
#include "attention/gradient.h"

#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/view.h"

qkv__bias qkv__bias_of(const qkv__gradient *gradient, size_t sequence, size_t kv_head)
{
    const qkv__problem *p = &gradient->problem;
    const size_t first = kv_head * p->group;
    qkv__bias bias = {.slope = gradient->slope_sums == NULL ? NULL : gradient->slope_sums + first};
    if (gradient->mask_sums == NULL) return bias;
    const size_t *shape = gradient->mask_gradient.shape;
    const size_t batch_stride = shape[0] > 1 ? shape[1] * shape[2] * shape[3] : 0;
    bias.head = shape[1] > 1 ? shape[2] * shape[3] : 0;
    bias.query = shape[2] > 1 ? shape[3] : 0;
    bias.key = shape[3] > 1 ? 1 : 0;
    bias.mask = gradient->mask_sums + (p->packed ? 0 : sequence) * batch_stride + first * bias.head;
    if (p->packed)
        bias.mask += p->options.query_starts[sequence] * bias.query +
                     p->options.key_starts[sequence] * bias.key;
    return bias;
}

/* Zeros to add to. */
static qkv_status begin_sums(qkv__gradient *call, qkv_error *error)
{
    const size_t count = qkv_view_count(&call->mask_gradient);
    size_t bytes = SIZE_MAX;
    for (size_t h = 0; h < call->problem.heads; h++) {
        if (call->slope_sums != NULL) call->slope_sums[h] = 0.0;
        if (call->sink_sums != NULL) call->sink_sums[h] = 0.0;
    }
    if (call->mask_gradient.rank == 0 || count == 0) return QKV_OK;
    if (!qkv__size_multiply(count, sizeof(double), &bytes) ||
        (call->mask_sums = qkv__allocate_zero(bytes)) == NULL)
        return qkv__fail_memory(error, bytes);
    return QKV_OK;
}

/* The sums into the caller's view, each rounded once. */
static qkv_status end_sums(qkv__gradient *call, qkv_error *error)
{
    if (call->mask_sums == NULL) return QKV_OK;
    const qkv_view sums = qkv_view_dense(QKV_F64, call->mask_sums, 4, call->mask_gradient.shape);
    return qkv_view_copy(&sums, &call->mask_gradient, error);
}

/* part: see qkv__gradient. */
static qkv_status run(const qkv_view *const views[7], bool part,
                      const qkv_attention_options *options, qkv_error *error)
{
    qkv__gradient call;
    const qkv__kernel *kernel = NULL;
    qkv_status status = qkv__gradient_make(views[0], views[1], views[2], views[3], views[4],
                                           views[5], views[6], options, &call, error);
    const qkv__problem *p = &call.problem;
    if (status == QKV_OK) status = qkv__kernel_find(p->options.kernel, p, &kernel, error);
    if (status != QKV_OK) return status;
    call.part = part;
    if (call.dq.rank == 0 && call.dk.rank == 0 && call.dv.rank == 0 &&
        call.mask_gradient.rank == 0 && call.slope_sums == NULL && call.sink_sums == NULL)
        return QKV_OK;
    status = begin_sums(&call, error);
    /* Without query heads there is no row to work on, but zeros to be written. */
    if (status == QKV_OK)
        status = kernel->gradient == NULL || p->heads == 0
                     ? qkv__gradient_reference(&call, error)
                     : qkv__gradient_tasks(&call, kernel->gradient, error);
    if (status == QKV_OK) status = end_sums(&call, error);
    qkv__free(call.mask_sums);
    return status;
}

qkv_status qkv_attention_gradient(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                                  const qkv_view *output_gradient, const qkv_view *query_gradient,
                                  const qkv_view *key_gradient, const qkv_view *value_gradient,
                                  const qkv_attention_options *options, qkv_error *error)
{
    const qkv_view *const views[7] = {query,          key,          value,         output_gradient,
                                      query_gradient, key_gradient, value_gradient};
    return run(views, false, options, error);
}

qkv_status qkv__gradient_part(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                              const qkv_view *output_gradient, const qkv_view *query_gradient,
                              const qkv_view *key_gradient, const qkv_view *value_gradient,
                              const qkv_attention_options *options, qkv_error *error)
{
    const qkv_view *const views[7] = {query,          key,          value,         output_gradient,
                                      query_gradient, key_gradient, value_gradient};
    return run(views, true, options, error);
}
