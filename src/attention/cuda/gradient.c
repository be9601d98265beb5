/* The public gradient for CUDA devices: checks as on the CPU, a plan, a launch. */
#include <qkv/cuda.h>

#include "attention/cuda/gradient_plan.h"
#include "attention/cuda/launch.h"
#include "base/error.h"

static qkv_status prepare(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                          const qkv_view *output_gradient, const qkv_view *query_gradient,
                          const qkv_view *key_gradient, const qkv_view *value_gradient,
                          const qkv_attention_options *options, qkv__gradient *gradient,
                          qkv__cuda_gradient_plan *plan, qkv_error *error)
{
    qkv__cuda_device device;
    qkv_status status = qkv__gradient_make(query, key, value, output_gradient, query_gradient,
                                           key_gradient, value_gradient, options, gradient, error);
    if (status == QKV_OK) status = qkv__cuda_device_read(&device, error);
    if (status == QKV_OK) status = qkv__cuda_gradient_plan_make(gradient, &device, plan, error);
    return status;
}

qkv_status qkv_cuda_attention_gradient_workspace(
    const qkv_view *query, const qkv_view *key, const qkv_view *value,
    const qkv_view *output_gradient, const qkv_view *query_gradient, const qkv_view *key_gradient,
    const qkv_view *value_gradient, const qkv_attention_options *options, size_t *bytes,
    const char **kernel, qkv_error *error)
{
    qkv__gradient gradient;
    qkv__cuda_gradient_plan plan;
    qkv_status status = prepare(query, key, value, output_gradient, query_gradient, key_gradient,
                                value_gradient, options, &gradient, &plan, error);
    if (status != QKV_OK) return status;
    if (bytes != NULL) *bytes = plan.bytes;
    if (kernel != NULL) *kernel = qkv__cuda_path_name(plan.path);
    return QKV_OK;
}

qkv_status qkv_cuda_attention_gradient(const qkv_view *query, const qkv_view *key,
                                       const qkv_view *value, const qkv_view *output_gradient,
                                       const qkv_view *query_gradient, const qkv_view *key_gradient,
                                       const qkv_view *value_gradient,
                                       const qkv_attention_options *options, void *workspace,
                                       size_t workspace_bytes, void *stream, qkv_error *error)
{
    qkv__gradient gradient;
    qkv__cuda_gradient_plan plan;
    qkv_status status = prepare(query, key, value, output_gradient, query_gradient, key_gradient,
                                value_gradient, options, &gradient, &plan, error);
    if (status == QKV_OK)
        status = qkv__cuda_workspace_check(workspace, workspace_bytes, plan.bytes,
                                           "qkv_cuda_attention_gradient_workspace", error);
    if (status != QKV_OK) return status;
    return qkv__cuda_gradient_launch(&plan, &gradient, workspace, stream, error);
}
