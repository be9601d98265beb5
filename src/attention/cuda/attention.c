/* The public calls for CUDA devices: checks as on the CPU, a plan, a launch. */
#include <qkv/cuda.h>

#include "attention/cuda/launch.h"
#include "attention/cuda/plan.h"
#include "attention/problem.h"

static qkv_status prepare(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                          const qkv_view *output, const qkv_attention_options *options,
                          qkv__problem *problem, qkv__cuda_plan *plan, qkv_error *error)
{
    qkv__cuda_device device;
    qkv_status status =
        qkv__problem_make(query, key, value, output, QKV__FORWARD, options, problem, error);
    if (status == QKV_OK) status = qkv__cuda_device_read(&device, error);
    if (status == QKV_OK) status = qkv__cuda_plan_make(problem, &device, plan, error);
    return status;
}

qkv_status qkv_cuda_attention_workspace(const qkv_view *query, const qkv_view *key,
                                        const qkv_view *value, const qkv_view *output,
                                        const qkv_attention_options *options, size_t *bytes,
                                        const char **kernel, qkv_error *error)
{
    qkv__problem problem;
    qkv__cuda_plan plan;
    qkv_status status = prepare(query, key, value, output, options, &problem, &plan, error);
    if (status != QKV_OK) return status;
    if (bytes != NULL) *bytes = plan.bytes;
    if (kernel != NULL) *kernel = qkv__cuda_path_name(plan.path);
    return QKV_OK;
}

qkv_status qkv_cuda_attention(const qkv_view *query, const qkv_view *key, const qkv_view *value,
                              const qkv_view *output, const qkv_attention_options *options,
                              void *workspace, size_t workspace_bytes, void *stream,
                              qkv_error *error)
{
    qkv__problem problem;
    qkv__cuda_plan plan;
    qkv_status status = prepare(query, key, value, output, options, &problem, &plan, error);
    if (status == QKV_OK)
        status = qkv__cuda_workspace_check(workspace, workspace_bytes, plan.bytes,
                                           "qkv_cuda_attention_workspace", error);
    if (status != QKV_OK) return status;
    return qkv__cuda_launch(&plan, &problem, workspace, stream, error);
}
