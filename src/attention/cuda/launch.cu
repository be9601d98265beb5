/*
 * Starting kernels: the device's properties, tensor maps, the contents of the workspace. All of it
 * only queues work on the caller's stream.
 */
#include <cuda_runtime.h>

#include <cstring>

extern "C" {
#include "attention/cuda/plan.h"
#include "base/error.h"
}
#include "attention/cuda/launch.h"

#include "decode.h"
#include "forward_call.h"
#include "portable.h"

namespace
{

qkv_status fail_cuda(qkv_error *error, const char *what, cudaError_t status)
{
    return qkv__fail(error, QKV_ERROR_DEVICE, "%s: %s", what, cudaGetErrorString(status));
}

/* ---- Tensor maps ------------------------------------------------------------------------------
 */

typedef CUresult encode_function(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                 const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                 const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/* The driver's encoder, found at run time so that nothing links with the driver. Threads that race
 * here find the same. */
encode_function *find_encoder()
{
    static encode_function *volatile found;
    if (found == nullptr) {
        void *function = nullptr;
        cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
        const cudaError_t status = cudaGetDriverEntryPointByVersion(
            "cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &result);
#else
        const cudaError_t status = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function,
                                                           cudaEnableDefault, &result);
#endif
        if (status != cudaSuccess) return nullptr;
        found = reinterpret_cast<encode_function *>(function);
    }
    return found;
}

/* Axes (width, length, heads, batch), a box of 64 columns by `rows`. An axis of size 1 is never
 * stepped along: its stride may be anything, and becomes one that the engine accepts. */
bool encode(encode_function *encoder, const qkv_view *view, int rows,
            CUtensorMapL2promotion promotion, CUtensorMap *map)
{
    cuuint64_t size[4], stride[3];
    for (int i = 0; i < 4; i++) size[i] = view->shape[QKV__WIDTH - i];
    for (int i = 0; i < 3; i++) {
        const ptrdiff_t elements = view->stride[QKV__LENGTH - i];
        stride[i] = size[i + 1] > 1 ? static_cast<cuuint64_t>(elements) * 2 : size[0] * 2;
    }
    const cuuint32_t box[4] = {64, static_cast<cuuint32_t>(rows), 1, 1}, step[4] = {1, 1, 1, 1};
    const CUtensorMapDataType type =
        view->type == QKV_F16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    return encoder(map, type, 4, view->data, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                   CU_TENSOR_MAP_SWIZZLE_128B, promotion,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/* ---- The workspace -------------------------------------------------------------------------- */

/*
 * Small tables go to the device inside the parameters of a kernel: a copy from the caller's memory
 * would wait for the stream, and could not be captured in a graph. (Parameters of up to 32,764
 * bytes since CUDA 12.1.)
 */
template <int Capacity> struct piece {
    uint32_t count; /* of words */
    uint32_t word[Capacity];
};

template <int Capacity>
__global__ void upload(uint32_t *to, const __grid_constant__ piece<Capacity> from)
{
    for (uint32_t i = threadIdx.x; i < from.count; i += blockDim.x) to[i] = from.word[i];
}

constexpr int small_piece = 255, large_piece = 4095; /* words */

struct uploader {
    unsigned char *workspace;
    cudaStream_t stream;
    size_t offset; /* of the piece being filled */
    piece<large_piece> filling;
    cudaError_t status;

    void flush()
    {
        if (filling.count == 0 || status != cudaSuccess) return;
        uint32_t *to = reinterpret_cast<uint32_t *>(workspace + offset);
        if (filling.count <= small_piece) {
            piece<small_piece> small;
            small.count = filling.count;
            memcpy(small.word, filling.word, filling.count * sizeof(uint32_t));
            upload<small_piece><<<1, 256, 0, stream>>>(to, small);
        } else {
            upload<large_piece><<<1, 1024, 0, stream>>>(to, filling);
        }
        status = cudaGetLastError();
        filling.count = 0;
    }
};

/* A qkv__cuda_write: gathers pieces that follow each other. Gaps of less than a line are filled, so
 * that parts of a small workspace travel together. */
bool upload_piece(void *context, size_t offset, const void *bytes, size_t count)
{
    uploader *u = static_cast<uploader *>(context);
    const size_t words = count / sizeof(uint32_t),
                 end = u->offset + u->filling.count * sizeof(uint32_t);
    const size_t gap = offset >= end ? (offset - end) / sizeof(uint32_t) : SIZE_MAX;
    if (u->filling.count > 0 && (gap >= 16 || u->filling.count + gap + words > large_piece))
        u->flush();
    if (u->filling.count == 0) {
        u->offset = offset;
    } else {
        memset(u->filling.word + u->filling.count, 0, gap * sizeof(uint32_t));
        u->filling.count += static_cast<uint32_t>(gap);
    }
    memcpy(u->filling.word + u->filling.count, bytes, count);
    u->filling.count += static_cast<uint32_t>(words);
    return u->status == cudaSuccess;
}

qkv_status fill_workspace(const qkv__cuda_plan *plan, const qkv__problem *p, void *workspace,
                          cudaStream_t stream, qkv_error *error)
{
    uploader u;
    u.workspace = static_cast<unsigned char *>(workspace);
    u.stream = stream;
    u.offset = 0;
    u.filling.count = 0;
    u.status = cudaSuccess;
    qkv__cuda_plan_write(plan, p, upload_piece, &u);
    u.flush();
    return u.status == cudaSuccess ? QKV_OK : fail_cuda(error, "filling the workspace", u.status);
}

/* ---- Kernels ----------------------------------------------------------------------------------
 */

/* A view of four axes, or of three (without the width). */
qkv__cuda_operand operand(const qkv_view *view)
{
    qkv__cuda_operand result = {};
    if (view->rank == 0 || qkv_view_count(view) == 0) return result;
    result.data = view->data;
    result.type = view->type;
    result.batch = view->stride[QKV__BATCH];
    result.head = view->stride[QKV__HEADS];
    result.row = view->stride[QKV__LENGTH];
    result.column = view->rank == 4 ? view->stride[QKV__WIDTH] : 0;
    return result;
}

int32_t limited(ptrdiff_t side)
{
    return side < QKV__CUDA_POSITION_LIMIT ? static_cast<int32_t>(side) : QKV__CUDA_POSITION_LIMIT;
}

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
    cudaError_t status = plan->width == 64    ? qkv__cuda_forward_64(&call)
                         : plan->width == 128 ? qkv__cuda_forward_128(&call)
                         : plan->width == 192 ? qkv__cuda_forward_192(&call)
                                              : qkv__cuda_forward_256(&call);
    return status == cudaSuccess ? QKV_OK : fail_cuda(error, "starting the forward kernel", status);
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
    if (!encode(encoder, &p->key, 128, promotion, &call.key) ||
        !encode(encoder, &p->value, 128, promotion, &call.value))
        return qkv__fail(error, QKV_ERROR_DEVICE, "the CUDA driver refused a tensor map");
    qkv__cuda_decode *d = &call.parameters;
    d->query = operand(&p->query);
    d->output = operand(&p->output);
    d->log_sum_exp = operand(&o->log_sum_exp);
    d->key_heads = static_cast<int32_t>(p->heads / p->group);
    d->group = static_cast<int32_t>(p->group);
    d->batches = static_cast<int32_t>(p->sequences);
    d->split = plan->split;
    d->splits = plan->splits;
    d->units = static_cast<int32_t>(plan->units);
    qkv__head head;
    size_t begin, end;
    qkv__problem_head(p, 0, 0, &head);
    qkv__head_range(&head, 0, &begin, &end);
    d->range.begin = static_cast<int32_t>(begin);
    d->range.end = static_cast<int32_t>(end);
    if (o->key_lengths != nullptr)
        d->ranges = reinterpret_cast<const qkv__cuda_range *>(base + plan->ranges);
    d->scale = static_cast<float>((o->softcap > 0.0 ? o->softcap : p->scale) * log2_e);
    d->cap_scale = o->softcap > 0.0 ? static_cast<float>(p->scale / o->softcap) : 0.0f;
    if (o->sinks != nullptr) d->sinks = reinterpret_cast<const float *>(base + plan->sinks);
    d->partial = reinterpret_cast<float *>(base + plan->partial);
    call.half = p->query.type == QKV_F16;
    call.blocks = static_cast<unsigned>(plan->blocks);
    call.stream = stream;
    const cudaError_t status = qkv__cuda_decode_launch(&call, plan->width);
    return status == cudaSuccess ? QKV_OK : fail_cuda(error, "starting the decode kernel", status);
}

qkv_status launch_portable(const qkv__cuda_plan *plan, const qkv__problem *p, void *workspace,
                           cudaStream_t stream, qkv_error *error)
{
    const qkv_attention_options *o = &p->options;
    unsigned char *base = static_cast<unsigned char *>(workspace);
    qkv__head head;
    qkv__problem_head(p, 0, 0, &head);
    qkv__cuda_portable call = {};
    call.query = operand(&p->query);
    call.key = operand(&p->key);
    call.value = operand(&p->value);
    call.output = operand(&p->output);
    call.key_scale = operand(&o->key_scales);
    call.value_scale = operand(&o->value_scales);
    call.mask = operand(&o->mask);
    call.log_sum_exp = operand(&o->log_sum_exp);
    call.entropy = operand(&o->entropy);
    call.scores_raw = operand(&o->scores_raw);
    call.scores_capped = operand(&o->scores_capped);
    call.scores_masked = operand(&o->scores_masked);
    call.weights = operand(&o->weights);
    call.batch = p->query.shape[QKV__BATCH];
    call.heads = p->heads;
    call.group = p->group;
    call.length = p->query.shape[QKV__LENGTH];
    call.width = p->query.shape[QKV__WIDTH];
    call.value_width = p->value.shape[QKV__WIDTH];
    call.padded = p->packed ? 0 : p->key.shape[QKV__LENGTH];
    call.left = head.left;
    call.right = head.right;
    call.sequences = p->sequences;
    call.packed = p->packed;
    call.scale = p->scale;
    call.softcap = o->softcap;
    call.table = reinterpret_cast<const qkv__cuda_sequence_table *>(base + plan->sequences);
    if (o->sinks != nullptr) call.sinks = reinterpret_cast<const double *>(base + plan->sinks);
    if (o->alibi_slopes != nullptr)
        call.slopes = reinterpret_cast<const double *>(base + plan->slopes);
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
    case QKV__CUDA_HOPPER: return launch_hopper(plan, p, workspace, queue, error);
    case QKV__CUDA_PORTABLE: return launch_portable(plan, p, workspace, queue, error);
    case QKV__CUDA_NOTHING: break;
    }
    return QKV_OK;
}
