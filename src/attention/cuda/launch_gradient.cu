/* Starting the gradient's kernels, and before them, where its results were not given, the forward
 * call. */
#include "launch.cuh"

#include "attention/cuda/launch.h"

#include "gradient_call.h"

using namespace qkv;

namespace
{

/* The forward call into the workspace, or what the caller gave. */
qkv_status find_results(const qkv__cuda_gradient_plan *plan, const qkv__gradient *g,
                        void *workspace, void *stream, qkv__cuda_gradient *to, qkv_error *error)
{
    if (g->log_sum_exp.rank > 0) {
        to->output = operand(&g->output);
        to->log_sum_exp = operand(&g->log_sum_exp);
        to->plain = g->output.type == g->problem.query.type && qkv__cuda_is_aligned(&g->output);
        return QKV_OK;
    }
    qkv__problem forward;
    qkv__cuda_gradient_forward(g, plan, workspace, &forward);
    to->output = operand(&forward.output);
    to->log_sum_exp = operand(&forward.options.log_sum_exp);
    to->plain = 1;
    return qkv__cuda_launch(&plan->call, &forward, workspace, stream, error);
}

/* The kernels of a width: with dropout, with a list, or plain. */
cudaError_t start_gradient(const qkv__cuda_gradient_plan *plan, const qkv__cuda_gradient_call *call)
{
    const bool narrow = plan->width == 64;
    if (call->parameters.dropout.on)
        return narrow ? qkv__cuda_gradient_dropped_64(call) : qkv__cuda_gradient_dropped_128(call);
    if (plan->listed)
        return narrow ? qkv__cuda_gradient_listed_64(call) : qkv__cuda_gradient_listed_128(call);
    return narrow ? qkv__cuda_gradient_64(call) : qkv__cuda_gradient_128(call);
}

qkv_status launch_hopper(const qkv__cuda_gradient_plan *plan, const qkv__gradient *g,
                         void *workspace, void *stream, qkv_error *error)
{
    const qkv__problem *p = &g->problem;
    unsigned char *base = static_cast<unsigned char *>(workspace);
    encode_function *encoder = find_encoder();
    if (encoder == nullptr)
        return qkv__fail(error, QKV_ERROR_DEVICE, "the CUDA driver has no cuTensorMapEncodeTiled");
    qkv__cuda_gradient_call call = {};
    const CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
    if (!encode(encoder, &p->query, QKV__CUDA_GRADIENT_QUERIES, promotion, &call.query) ||
        !encode(encoder, &p->key, QKV__CUDA_GRADIENT_KEYS, promotion, &call.key) ||
        !encode(encoder, &p->value, QKV__CUDA_GRADIENT_KEYS, promotion, &call.value) ||
        !encode(encoder, &p->output, QKV__CUDA_GRADIENT_QUERIES, promotion, &call.gradient))
        return qkv__fail(error, QKV_ERROR_DEVICE, "the CUDA driver refused a tensor map");
    qkv__cuda_gradient *to = &call.parameters;
    qkv_status status = find_results(plan, g, workspace, stream, to, error);
    if (status == QKV_OK && (plan->listed || g->sink_sums != nullptr))
        status = fill_workspace_with(
            [&](uploader *u) { qkv__cuda_gradient_plan_write(plan, g, upload_piece, u); },
            workspace, static_cast<cudaStream_t>(stream), error);
    if (status != QKV_OK) return status;
    qkv__head head;
    qkv__problem_head(p, 0, 0, &head);
    to->positions.queries = static_cast<int32_t>(head.queries);
    to->positions.keys = static_cast<int32_t>(head.keys);
    to->positions.offset = static_cast<int32_t>(head.offset);
    to->positions.left = limited(head.left);
    to->positions.right = limited(head.right);
    to->heads = static_cast<int32_t>(p->heads);
    to->group = static_cast<int32_t>(p->group);
    to->units = static_cast<int32_t>(plan->units);
    to->section = static_cast<int32_t>(plan->section);
    to->tiles = static_cast<int32_t>(plan->tiles);
    to->blocks = static_cast<int32_t>(plan->blocks);
    to->dropout = dropout_of(p);
    const double factor = to->dropout.factor;
    to->kept_factor = static_cast<float>(factor);
    to->mean_factor = factor == 0.0 ? 0.0f : static_cast<float>(1.0 / factor);
    to->scale = static_cast<float>(p->scale * factor);
    if (g->sink_sums != nullptr) to->sinks = reinterpret_cast<const float *>(base + plan->sinks);
    to->sink_sums = g->sink_sums;
    const double log2_e = 1.4426950408889634, cap = p->options.softcap;
    to->scale_2 = static_cast<float>((cap > 0.0 ? cap : p->scale) * log2_e);
    to->cap_twice = cap > 0.0 ? static_cast<float>(2.0 * log2_e * p->scale / cap) : 0.0f;
    to->packed = p->packed;
    if (plan->listed) {
        to->listed = static_cast<int32_t>(p->sequences);
        to->sequences =
            reinterpret_cast<const qkv__cuda_gradient_sequence *>(base + plan->sequences);
    }
    to->gradient = operand(&p->output);
    to->dq = operand(&g->dq);
    to->dk = operand(&g->dk);
    to->dv = operand(&g->dv);
    to->row_log = reinterpret_cast<float *>(base + plan->row_log);
    to->row_mean = reinterpret_cast<float *>(base + plan->row_mean);
    to->sums = reinterpret_cast<float *>(base + plan->sums);
    to->turns = reinterpret_cast<uint32_t *>(base + plan->turns);
    to->counter = reinterpret_cast<uint32_t *>(base + plan->counter);
    call.half = p->query.type == QKV_F16;
    call.stream = static_cast<cudaStream_t>(stream);
    call.capped = cap > 0.0;
    cudaError_t started = start_gradient(plan, &call);
    if (started == cudaSuccess && to->sink_sums != nullptr)
        started = qkv__cuda_gradient_sinks(to, call.stream);
    return started == cudaSuccess ? QKV_OK
                                  : fail_cuda(error, "starting the gradient's kernels", started);
}

qkv_status launch_portable(const qkv__cuda_gradient_plan *plan, const qkv__gradient *g,
                           void *workspace, cudaStream_t stream, qkv_error *error)
{
    const qkv__problem *p = &g->problem;
    const qkv_status filled = fill_workspace(&plan->call, p, workspace, stream, error);
    if (filled != QKV_OK) return filled;
    qkv__cuda_portable_gradient call = {};
    call.call = portable_call(&plan->call, p, workspace);
    call.gradient = operand(&p->output);
    call.output = operand(&g->output);
    call.log_sum_exp = operand(&g->log_sum_exp);
    call.dq = operand(&g->dq);
    call.dk = operand(&g->dk);
    call.dv = operand(&g->dv);
    call.key_heads = static_cast<int64_t>(p->key.shape[QKV__HEADS]);
    call.key_length = static_cast<int64_t>(p->key.shape[QKV__LENGTH]);
    call.kept = static_cast<unsigned char *>(workspace) + plan->kept;
    call.mask = operand(&g->mask_gradient);
    for (int axis = 0; axis < 4; axis++)
        call.mask_shape[axis] = static_cast<int64_t>(g->mask_gradient.shape[axis]);
    call.slope_sums = g->slope_sums;
    call.sink_sums = g->sink_sums;
    const cudaError_t status =
        qkv__cuda_portable_gradient_launch(&call, p->compute == QKV_F64, stream);
    return status == cudaSuccess ? QKV_OK
                                 : fail_cuda(error, "starting the gradient's kernels", status);
}

} // namespace

qkv_status qkv__cuda_gradient_launch(const qkv__cuda_gradient_plan *plan, const qkv__gradient *g,
                                     void *workspace, void *stream, qkv_error *error)
{
    if (plan->path == QKV__CUDA_NOTHING) return QKV_OK;
    if (plan->path == QKV__CUDA_HOPPER) return launch_hopper(plan, g, workspace, stream, error);
    return launch_portable(plan, g, workspace, static_cast<cudaStream_t>(stream), error);
}
