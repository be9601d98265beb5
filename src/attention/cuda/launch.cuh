/*
 * What launches share: tensor maps, the contents of the workspace, operands. All of it only queues
 * work on the caller's stream.
 */
#ifndef QKV_ATTENTION_CUDA_LAUNCH_CUH
#define QKV_ATTENTION_CUDA_LAUNCH_CUH

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstring>

extern "C" {
#include "attention/cuda/gradient_plan.h"
#include "attention/cuda/plan.h"
#include "base/error.h"
}
#include "portable.h"

namespace qkv
{

inline qkv_status fail_cuda(qkv_error *error, const char *what, cudaError_t status)
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
inline encode_function *find_encoder()
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

/* Axes (width, length, heads, batch), a box of 128 bytes of columns, or of 64 where a row has no
 * more, by `rows`. An axis of size 1 is never stepped along: its stride may be anything, and
 * becomes one that the engine accepts. */
inline bool encode(encode_function *encoder, const qkv_view *view, int rows,
                   CUtensorMapL2promotion promotion, CUtensorMap *map)
{
    const cuuint64_t bytes = qkv_type_size(view->type);
    cuuint64_t size[4], stride[3];
    for (int i = 0; i < 4; i++) size[i] = view->shape[QKV__WIDTH - i];
    for (int i = 0; i < 3; i++) {
        const ptrdiff_t elements = view->stride[QKV__LENGTH - i];
        stride[i] = (size[i + 1] > 1 ? static_cast<cuuint64_t>(elements) : size[0]) * bytes;
    }
    const bool narrow = size[0] * bytes == 64;
    const cuuint32_t across = static_cast<cuuint32_t>((narrow ? 64 : 128) / bytes);
    const cuuint32_t box[4] = {across, static_cast<cuuint32_t>(rows), 1, 1}, step[4] = {1, 1, 1, 1};
    const CUtensorMapDataType type = view->type == QKV_F16    ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                     : view->type == QKV_BF16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                                              : CU_TENSOR_MAP_DATA_TYPE_UINT8;
    return encoder(map, type, 4, view->data, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                   narrow ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B, promotion,
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
inline bool upload_piece(void *context, size_t offset, const void *bytes, size_t count)
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

/* What `contents` writes with upload_piece goes to the workspace. */
template <class Contents>
inline qkv_status fill_workspace_with(Contents contents, void *workspace, cudaStream_t stream,
                                      qkv_error *error)
{
    uploader u;
    u.workspace = static_cast<unsigned char *>(workspace);
    u.stream = stream;
    u.offset = 0;
    u.filling.count = 0;
    u.status = cudaSuccess;
    contents(&u);
    u.flush();
    return u.status == cudaSuccess ? QKV_OK : fail_cuda(error, "filling the workspace", u.status);
}

inline qkv_status fill_workspace(const qkv__cuda_plan *plan, const qkv__problem *p, void *workspace,
                                 cudaStream_t stream, qkv_error *error)
{
    return fill_workspace_with([&](uploader *u) { qkv__cuda_plan_write(plan, p, upload_piece, u); },
                               workspace, stream, error);
}

/* ---- Parameters ------------------------------------------------------------------------------ */

/* A view of four axes, or of three (without the width). */
inline qkv__cuda_operand operand(const qkv_view *view)
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

inline int32_t limited(ptrdiff_t side)
{
    return side < QKV__CUDA_POSITION_LIMIT ? static_cast<int32_t>(side) : QKV__CUDA_POSITION_LIMIT;
}

inline qkv__cuda_dropout dropout_of(const qkv__problem *p)
{
    const qkv__dropout made = qkv__dropout_make(p->options.dropout, p->options.seed, 0, 0);
    qkv__cuda_dropout result = {};
    result.on = made.on;
    result.least = made.least;
    result.seed_low = static_cast<uint32_t>(made.seed);
    result.seed_high = static_cast<uint32_t>(made.seed >> 32);
    result.factor = made.on ? made.factor : 1.0;
    return result;
}

/* What the portable kernels are told of a problem, but for results. */
inline qkv__cuda_portable portable_call(const qkv__cuda_plan *plan, const qkv__problem *p,
                                        void *workspace)
{
    const qkv_attention_options *o = &p->options;
    unsigned char *base = static_cast<unsigned char *>(workspace);
    qkv__head head = {};
    if (p->heads > 0 && p->sequences > 0) qkv__problem_head(p, 0, 0, &head);
    qkv__cuda_portable call = {};
    call.query = operand(&p->query);
    call.key = operand(&p->key);
    call.value = operand(&p->value);
    call.key_scale = operand(&o->key_scales);
    call.value_scale = operand(&o->value_scales);
    call.mask = operand(&o->mask);
    call.batch = p->query.shape[QKV__BATCH];
    call.heads = p->heads;
    call.group = p->group;
    call.length = p->query.shape[QKV__LENGTH];
    call.width = p->query.shape[QKV__WIDTH];
    call.value_width = p->value.shape[QKV__WIDTH];
    call.page_table = o->page_table;
    call.page_columns = o->page_columns;
    call.page_size = p->page_size;
    call.pages = p->pages;
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
    call.dropout = dropout_of(p);
    return call;
}

} // namespace qkv
#endif
