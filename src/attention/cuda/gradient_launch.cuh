/* From a call to the variant of the gradient's kernels that it needs. */
#ifndef QKV_ATTENTION_CUDA_GRADIENT_LAUNCH_CUH
#define QKV_ATTENTION_CUDA_GRADIENT_LAUNCH_CUH

#include <cuda_runtime.h>

#include "gradient.cuh"
#include "gradient_call.h"
#include "gradient_rows.cuh"

namespace qkv
{

template <int Width, int Stages, int ScoreStages> struct gradient_family {
    template <class Element, bool Grouped, gradient_kind Kind>
    static cudaError_t launch_type(const qkv__cuda_gradient_call *call)
    {
        using Shape = gradient_shape<Element, Width, Stages, ScoreStages, Grouped, Kind>;
        const qkv__cuda_gradient &p = call->parameters;
        const auto kernel = gradient_kernel<Shape>;
        cudaError_t status = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::SharedBytes);
        if (status != cudaSuccess) return status;
        const unsigned blocks = static_cast<unsigned>(Shape::Listed ? p.heads / p.group : p.units) *
                                static_cast<unsigned>(p.blocks);
        const unsigned tiles = static_cast<unsigned>(p.units) * static_cast<unsigned>(p.group) *
                               static_cast<unsigned>(p.tiles);
        prepare_rows<Element, Width>
            <<<tiles *(Shape::Queries / row_warps), 32 * row_warps, 0, call->stream>>>(p);
        kernel<<<blocks, Shape::Threads, Shape::SharedBytes, call->stream>>>(
            call->query, call->key, call->value, call->gradient, p);
        if (p.dq.data != nullptr)
            finish_queries<Element, Width><<<tiles, 128, 0, call->stream>>>(p);
        return cudaGetLastError();
    }

    template <gradient_kind Kind>
    static cudaError_t launch_kind(const qkv__cuda_gradient_call *call)
    {
        const bool grouped = call->parameters.group > 1;
        if (call->half)
            return grouped ? launch_type<__half, true, Kind>(call)
                           : launch_type<__half, false, Kind>(call);
        return grouped ? launch_type<__nv_bfloat16, true, Kind>(call)
                       : launch_type<__nv_bfloat16, false, Kind>(call);
    }

    static cudaError_t launch(const qkv__cuda_gradient_call *call)
    {
        return launch_kind<gradient_plain>(call);
    }

    static cudaError_t launch_dropped(const qkv__cuda_gradient_call *call)
    {
        return launch_kind<gradient_dropped>(call);
    }

    static cudaError_t launch_listed(const qkv__cuda_gradient_call *call)
    {
        return call->capped ? launch_kind<gradient_capped>(call)
                            : launch_kind<gradient_listed>(call);
    }
};

} // namespace qkv
#endif
