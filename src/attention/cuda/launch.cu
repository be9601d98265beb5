/* Starting the forward kernels, and the device's properties. */
#include "launch.cuh"

#include "attention/cuda/launch.h"

#include "decode.h"
#include "forward_call.h"
#include "order.h"
#include "shapes.h"

using namespace qkv;

namespace
{

/* ---- Kernels ----------------------------------------------------------------------------------
 */

void fill_forward(const qkv__cuda_plan *plan, const qkv__problem *p, unsigned char *workspace,
                  qkv__cuda_forward *forward)
{
    const double log2_e = 1.4426950408889634;
    const qkv_attention_options *o = &p->options;
    qkv__head head;
    qkv__problem_head(p, 0, 0, &head);
    forward->schedule = plan->schedule;
    if (plan->listed)
        forward->schedule.items = reinterpret_cast<const qkv__cuda_item *>(workspace + plan->list);
    if (plan->listed || plan->ranged)
        forward->schedule.counter = reinterpret_cast<uint32_t *>(workspace + plan->counter);
    forward->left = limited(head.left);
    forward->right = limited(head.right);
    forward->scale = static_cast<float>((plan->capped ? o->softcap : p->scale) * log2_e);
    forward->cap_scale = plan->capped ? static_cast<float>(p->scale / o->softcap) : 0.0f;
    if (o->sinks != nullptr)
        forward->sinks = reinterpret_cast<const float *>(workspace + plan->sinks);
    forward->query = operand(&p->query);
    forward->key = operand(&p->key);
    forward->value = operand(&p->value);
    forward->output = operand(&p->output);
    forward->log_sum_exp = operand(&o->log_sum_exp);
    forward->dropout = dropout_of(p);
}

/* The kernel of a width, with or without dropout. */
cudaError_t start_forward(const qkv__cuda_plan *plan, const qkv__cuda_forward_call *call)
{
    if (plan->dropped)
        return plan->width == 64 ? qkv__cuda_forward_dropped_64(call)
                                 : qkv__cuda_forward_dropped_128(call);
    return plan->width == 64    ? qkv__cuda_forward_64(call)
           : plan->width == 128 ? qkv__cuda_forward_128(call)
           : plan->width == 192 ? qkv__cuda_forward_192(call)
                                : qkv__cuda_forward_256(call);
}

qkv_status launch_hopper(const qkv__cuda_plan *plan, const qkv__problem *p, void *workspace,
                         cudaStream_t stream, qkv_error *error)
{
    encode_function *encoder = find_encoder();
    if (encoder == nullptr)
        return qkv__fail(error, QKV_ERROR_DEVICE, "the CUDA driver has no cuTensorMapEncodeTiled");
    qkv__cuda_forward_call call = {};
    const CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
    if (!encode(encoder, &p->query, 64, promotion, &call.query) ||
        !encode(encoder, &p->key, plan->keys, promotion, &call.key) ||
        !encode(encoder, &p->value, plan->keys, promotion, &call.value))
        return qkv__fail(error, QKV_ERROR_DEVICE, "the CUDA driver refused a tensor map");
    fill_forward(plan, p, static_cast<unsigned char *>(workspace), &call.parameters);
    call.half = p->query.type == QKV_F16;
    call.ranged = plan->ranged;
    call.capped = plan->capped;
    call.blocks = static_cast<unsigned>(plan->blocks);
    call.stream = stream;
    const cudaError_t status = start_forward(plan, &call);
    return status == cudaSuccess ? QKV_OK : fail_cuda(error, "starting the forward kernel", status);
}

/* Copies keys or values, from a view as it is stored to a dense one. */
qkv_status launch_order(const qkv__problem *p, const qkv_view *from, const qkv_view *scale,
                        const qkv_view *to, cudaStream_t stream, qkv_error *error)
{
    const qkv_view pool = qkv__problem_pool(p, from);
    const size_t eight = 8 * qkv_type_size(from->type);
    qkv__cuda_order call = {};
    call.from = operand(&pool);
    call.scale = operand(scale);
    call.to = to->data;
    call.batches = static_cast<int64_t>(to->shape[QKV__BATCH]);
    call.heads = static_cast<int64_t>(to->shape[QKV__HEADS]);
    call.rows = static_cast<int64_t>(to->shape[QKV__LENGTH]);
    call.width = static_cast<int32_t>(to->shape[QKV__WIDTH]);
    call.half = to->type == QKV_F16;
    call.wide = reinterpret_cast<size_t>(from->data) % eight == 0 && call.from.column == 1;
    for (const int64_t stride : {call.from.batch, call.from.head, call.from.row})
        if (stride % 8 != 0) call.wide = false;
    if (p->options.page_columns > 0) call.page_table = p->options.page_table;
    call.page_columns = static_cast<int64_t>(p->options.page_columns);
    call.page_size = static_cast<int64_t>(p->page_size);
    call.pages = static_cast<int64_t>(p->pages);
    const cudaError_t status = qkv__cuda_order_launch(&call, stream);
    return status == cudaSuccess ? QKV_OK : fail_cuda(error, "copying keys and values", status);
}

/* "hopper" over copies of keys and values. */
qkv_status launch_ordered(const qkv__cuda_plan *plan, const qkv__problem *p, void *workspace,
                          cudaStream_t stream, qkv_error *error)
{
    qkv__problem ordered;
    qkv__cuda_plan_ordered(plan, p, workspace, &ordered);
    qkv_status status =
        launch_order(p, &p->key, &p->options.key_scales, &ordered.key, stream, error);
    if (status == QKV_OK)
        status =
            launch_order(p, &p->value, &p->options.value_scales, &ordered.value, stream, error);
    return status == QKV_OK ? launch_hopper(plan, &ordered, workspace, stream, error) : status;
}

qkv_status launch_decode(const qkv__cuda_plan *plan, const qkv__problem *p, void *workspace,
                         cudaStream_t stream, qkv_error *error)
{
    const double log2_e = 1.4426950408889634;
    const qkv_attention_options *o = &p->options;
    unsigned char *base = static_cast<unsigned char *>(workspace);
    encode_function *encoder = find_encoder();
    if (encoder == nullptr)
        return qkv__fail(error, QKV_ERROR_DEVICE, "the CUDA driver has no cuTensorMapEncodeTiled");
    qkv__cuda_decode_call call = {};
    /* Each byte is read once: lines of 128 bytes gave 3 % more than 256. */
    const CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
    const qkv_view key = qkv__problem_pool(p, &p->key), value = qkv__problem_pool(p, &p->value);
    const int row = plan->width * static_cast<int>(qkv_type_size(p->key.type));
    const int chunk = decode_chunk(row), most = decode_box(chunk);
    const int page =
        p->page_size < static_cast<size_t>(most) ? static_cast<int>(p->page_size) : most;
    const int box = o->page_columns > 0 ? page : chunk;
    if (!encode(encoder, &key, box, promotion, &call.key) ||
        !encode(encoder, &value, box, promotion, &call.value))
        return qkv__fail(error, QKV_ERROR_DEVICE, "the CUDA driver refused a tensor map");
    qkv__cuda_decode *d = &call.parameters;
    d->query = operand(&p->query);
    d->output = operand(&p->output);
    d->log_sum_exp = operand(&o->log_sum_exp);
    d->key_scale = operand(&o->key_scales);
    d->value_scale = operand(&o->value_scales);
    if (o->page_columns > 0 && !plan->scaled) /* one scale for all pages */
        d->key_scale.batch = d->value_scale.batch = 0;
    d->page_table = o->page_columns > 0 ? o->page_table : nullptr;
    d->page_columns = static_cast<int32_t>(o->page_columns);
    d->page_size = static_cast<int32_t>(p->page_size);
    d->pages = static_cast<int32_t>(o->page_columns > 0 ? p->pages : p->sequences);
    d->key_heads = static_cast<int32_t>(p->heads / p->group);
    d->group = static_cast<int32_t>(p->group);
    d->batches = static_cast<int32_t>(p->sequences);
    d->queries = static_cast<int32_t>(p->query.shape[QKV__LENGTH]);
    d->rows = d->group * d->queries;
    d->split = plan->split;
    d->splits = plan->splits;
    d->units = static_cast<int32_t>(plan->units);
    qkv__head head;
    qkv__problem_head(p, 0, 0, &head);
    d->left = limited(head.left);
    d->right = limited(head.right);
    d->range.offset = static_cast<int32_t>(head.offset);
    d->range.keys = static_cast<int32_t>(head.keys);
    if (o->key_lengths != nullptr)
        d->ranges = reinterpret_cast<const qkv__cuda_range *>(base + plan->ranges);
    d->scale = static_cast<float>((o->softcap > 0.0 ? o->softcap : p->scale) * log2_e);
    d->cap_scale = o->softcap > 0.0 ? static_cast<float>(p->scale / o->softcap) : 0.0f;
    if (o->sinks != nullptr) d->sinks = reinterpret_cast<const float *>(base + plan->sinks);
    d->partial = reinterpret_cast<float *>(base + plan->partial);
    d->first_blocks = 2 * static_cast<int32_t>(plan->multiprocessors);
    d->whole = static_cast<int32_t>(plan->whole);
    d->clustered = plan->clustered;
    /* Earlier, what the next kernel asks for is gone when it is used; later, it starts late. But
     * where all blocks begin together, those of the next kernel find their places while all of
     * these still have theirs, one or two on each multiprocessor. */
    d->let_in = plan->clustered ? 1 : plan->blocks <= static_cast<size_t>(d->first_blocks) ? 16 : 3;
    call.alone = plan->alone;
    d->apart = plan->clustered || plan->alone;
    call.merge_rows = static_cast<unsigned>((d->batches * d->key_heads - d->whole) * d->rows);
    call.multiprocessors = static_cast<unsigned>(plan->multiprocessors);
    call.half = p->query.type == QKV_F16;
    call.blocks = static_cast<unsigned>(plan->blocks);
    call.stream = stream;
    call.eight = p->key.type == QKV_E4M3;
    call.width = plan->width;
    const cudaError_t status = plan->scaled         ? qkv__cuda_decode_scaled(&call)
                               : plan->width == 64  ? qkv__cuda_decode_64(&call)
                               : plan->width == 128 ? qkv__cuda_decode_128(&call)
                               : plan->width == 192 ? qkv__cuda_decode_192(&call)
                                                    : qkv__cuda_decode_256(&call);
    return status == cudaSuccess ? QKV_OK : fail_cuda(error, "starting the decode kernel", status);
}

qkv_status launch_tiled(const qkv__cuda_plan *plan, const qkv__problem *p, void *workspace,
                        cudaStream_t stream, qkv_error *error)
{
    qkv__cuda_portable call = portable_call(plan, p, workspace);
    call.output = operand(&p->output);
    call.log_sum_exp = operand(&p->options.log_sum_exp);
    if (call.output.data == nullptr || plan->tiles == 0) return QKV_OK; /* values of width 0 */
    const unsigned tiles = static_cast<unsigned>(plan->tiles);
    const cudaError_t status = plan->path == QKV__CUDA_TF32
                                   ? qkv__cuda_tf32_launch(&call, tiles, stream)
                                   : qkv__cuda_tiled_launch(&call, tiles, stream);
    return status == cudaSuccess ? QKV_OK : fail_cuda(error, "starting the tiled kernel", status);
}

qkv_status launch_portable(const qkv__cuda_plan *plan, const qkv__problem *p, void *workspace,
                           cudaStream_t stream, qkv_error *error)
{
    const qkv_attention_options *o = &p->options;
    qkv__cuda_portable call = portable_call(plan, p, workspace);
    call.output = operand(&p->output);
    call.log_sum_exp = operand(&o->log_sum_exp);
    call.entropy = operand(&o->entropy);
    call.scores_raw = operand(&o->scores_raw);
    call.scores_capped = operand(&o->scores_capped);
    call.scores_masked = operand(&o->scores_masked);
    call.weights = operand(&o->weights);
    const cudaError_t status = qkv__cuda_portable_launch(&call, p->compute == QKV_F64, stream);
    return status == cudaSuccess ? QKV_OK
                                 : fail_cuda(error, "starting the portable kernel", status);
}

} // namespace

qkv_status qkv__cuda_device_read(qkv__cuda_device *device, qkv_error *error)
{
    int number = 0, cache = 0;
    cudaError_t status = cudaGetDevice(&number);
    const struct {
        cudaDeviceAttr attribute;
        int *to;
    } wanted[] = {
        {cudaDevAttrComputeCapabilityMajor, &device->major},
        {cudaDevAttrComputeCapabilityMinor, &device->minor},
        {cudaDevAttrMultiProcessorCount, &device->multiprocessors},
        {cudaDevAttrL2CacheSize, &cache},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && status == cudaSuccess; i++)
        status = cudaDeviceGetAttribute(wanted[i].to, wanted[i].attribute, number);
    device->cache = static_cast<size_t>(cache);
    return status == cudaSuccess ? QKV_OK : fail_cuda(error, "no CUDA device", status);
}

qkv_status qkv__cuda_launch(const qkv__cuda_plan *plan, const qkv__problem *p, void *workspace,
                            void *stream, qkv_error *error)
{
    const cudaStream_t queue = static_cast<cudaStream_t>(stream);
    if (plan->path == QKV__CUDA_NOTHING) return QKV_OK;
    const qkv_status status =
        plan->bytes > 0 ? fill_workspace(plan, p, workspace, queue, error) : QKV_OK;
    if (status != QKV_OK) return status;
    switch (plan->path) {
    case QKV__CUDA_DECODE: return launch_decode(plan, p, workspace, queue, error);
    case QKV__CUDA_HOPPER:
        return plan->ordered ? launch_ordered(plan, p, workspace, queue, error)
                             : launch_hopper(plan, p, workspace, queue, error);
    case QKV__CUDA_TILED:
    case QKV__CUDA_TF32: return launch_tiled(plan, p, workspace, queue, error);
    case QKV__CUDA_PORTABLE: return launch_portable(plan, p, workspace, queue, error);
    case QKV__CUDA_NOTHING: break;
    }
    return QKV_OK;
}
