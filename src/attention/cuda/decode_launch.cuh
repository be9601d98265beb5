/* From a call to the variant of the kernel for few queries that it needs: by type, rows and scales.
 */
#ifndef QKV_ATTENTION_CUDA_DECODE_LAUNCH_CUH
#define QKV_ATTENTION_CUDA_DECODE_LAUNCH_CUH

#include "decode.cuh"

namespace qkv
{

constexpr int alone_bytes = 120 * 1024;

template <class Shape> static cudaError_t launch_shape(const qkv__cuda_decode_call *call)
{
    const auto kernel = decode<Shape>;
    const bool kept = call->parameters.whole > 0 || call->parameters.clustered;
    const int needed = Shape::KeptOffset + (kept ? Shape::KeptBytes : 0);
    /* More than half of what a multiprocessor has: else two blocks come to one while others have
     * none, where the kernel before is ending. */
    const int bytes = call->alone && needed < alone_bytes ? alone_bytes : needed;
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (status != cudaSuccess) return status;
    /* It may be brought to the multiprocessors while the kernel before it ends, and waits for that
     * end before it reads or writes memory. */
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim = {static_cast<unsigned>(call->parameters.splits), 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(call->blocks);
    config.blockDim = dim3(32 * (warps + 1));
    config.dynamicSmemBytes = static_cast<unsigned>(bytes);
    config.stream = call->stream;
    config.attrs = attributes;
    config.numAttrs = call->parameters.clustered ? 2 : 1;
    const cudaError_t started =
        cudaLaunchKernelEx(&config, kernel, call->key, call->value, call->parameters);
    if (started != cudaSuccess || call->parameters.splits == 1 || call->parameters.clustered)
        return started;
    using Row = typename Shape::Row;
    const bool few = call->parameters.splits <= together;
    const unsigned pieces = call->merge_rows * (Shape::Width / piece_columns);
    const unsigned wanted = few ? (pieces + merge_warps - 1) / merge_warps : pieces;
    /* Fewer blocks than multiprocessors are slower: why was not found. */
    config.gridDim = dim3((wanted > call->multiprocessors ? 2 : 1) * call->multiprocessors);
    config.blockDim = dim3(32 * merge_warps);
    config.dynamicSmemBytes = 0;
    return cudaLaunchKernelEx(&config, few ? decode_merge_few<Row> : decode_merge_many<Row>,
                              call->parameters);
}

template <class Element, class Stored, int KeyWidth, int Width, bool Scaled>
static cudaError_t launch_stored(const qkv__cuda_decode_call *call)
{
    const qkv__cuda_decode &p = call->parameters;
    if (p.queries == 1 && p.rows <= 8)
        return launch_shape<decode_shape<Element, Stored, KeyWidth, Width, 1, false, Scaled>>(call);
    if (p.rows <= 8)
        return launch_shape<decode_shape<Element, Stored, KeyWidth, Width, 1, true, Scaled>>(call);
    return launch_shape<decode_shape<Element, Stored, KeyWidth, Width, 2, true, Scaled>>(call);
}

/* fp8 with a scale for each row. */
template <int Width> static cudaError_t launch_scaled(const qkv__cuda_decode_call *call)
{
    return call->half ? launch_stored<__half, eight, Width, Width, true>(call)
                      : launch_stored<__nv_bfloat16, eight, Width, Width, true>(call);
}

template <int KeyWidth, int Width>
static cudaError_t launch_decode(const qkv__cuda_decode_call *call)
{
    if constexpr (KeyWidth == Width)
        if (call->eight)
            return call->half ? launch_stored<__half, eight, KeyWidth, Width, false>(call)
                              : launch_stored<__nv_bfloat16, eight, KeyWidth, Width, false>(call);
    return call->half ? launch_stored<__half, __half, KeyWidth, Width, false>(call)
                      : launch_stored<__nv_bfloat16, __nv_bfloat16, KeyWidth, Width, false>(call);
}

} // namespace qkv
#endif
