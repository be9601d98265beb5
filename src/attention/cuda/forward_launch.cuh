/* From a call to the variant of a forward kernel that it needs: by type, mask and cap. */
#ifndef QKV_ATTENTION_CUDA_FORWARD_LAUNCH_CUH
#define QKV_ATTENTION_CUDA_FORWARD_LAUNCH_CUH

#include <cuda_runtime.h>

#include "forward.cuh"
#include "forward_call.h"

namespace qkv
{

template <int Width, int ValueWidth, int Consumers, int KeysFull, int KeysRanged, int Stages,
          int Early>
struct forward_family {
    template <class Element, bool Ranged, bool Capped, bool Dropped = false>
    static cudaError_t launch_one(const qkv__cuda_forward_call *call)
    {
        constexpr int keys = Ranged ? KeysRanged : KeysFull;
        using Shape = forward_shape<Element, Width, ValueWidth, Consumers, keys, Stages, Early,
                                    Ranged, Capped, Dropped>;
        const auto kernel = forward_kernel<Shape>;
        cudaError_t status = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::SharedBytes);
        if (status != cudaSuccess) return status;
        kernel<<<call->blocks, Shape::Threads, Shape::SharedBytes, call->stream>>>(
            call->query, call->key, call->value, call->parameters);
        return cudaGetLastError();
    }

    template <class Element> static cudaError_t launch_type(const qkv__cuda_forward_call *call)
    {
        if (call->ranged)
            return call->capped ? launch_one<Element, true, true>(call)
                                : launch_one<Element, true, false>(call);
        return call->capped ? launch_one<Element, false, true>(call)
                            : launch_one<Element, false, false>(call);
    }

    static cudaError_t launch(const qkv__cuda_forward_call *call)
    {
        return call->half ? launch_type<__half>(call) : launch_type<__nv_bfloat16>(call);
    }

    /* Kernels for positions take every call: one variant of dropout will do. */
    static cudaError_t launch_dropped(const qkv__cuda_forward_call *call)
    {
        return call->half ? launch_one<__half, true, false, true>(call)
                          : launch_one<__nv_bfloat16, true, false, true>(call);
    }
};

} // namespace qkv
#endif
