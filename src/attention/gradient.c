/* The public gradient: the choice between the definition and a kernel. */
#include "attention/gradient.h"

qkv_status qkv_attention_gradient(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                                  const qkv_view *output_gradient, const qkv_view *query_gradient,
                                  const qkv_view *key_gradient, const qkv_view *value_gradient,
                                  const qkv_attention_options *options, qkv_error *error)
{
    qkv__gradient call;
    const qkv__kernel *kernel = NULL;
    qkv_status status = qkv__gradient_make(query, key, value, output_gradient, query_gradient,
                                           key_gradient, value_gradient, options, &call, error);
    const qkv__problem *p = &call.problem;
    if (status == QKV_OK) status = qkv__kernel_find(p->options.kernel, p, &kernel, error);
    if (status != QKV_OK) return status;
    if (call.dq.rank == 0 && call.dk.rank == 0 && call.dv.rank == 0) return QKV_OK;
    /* Without query heads there is no row to work on, but zeros to be written. */
    if (kernel->gradient == NULL || p->heads == 0) return qkv__gradient_reference(&call, error);
    return qkv__gradient_tasks(&call, kernel->gradient, error);
}
