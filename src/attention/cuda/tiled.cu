/* Tiles of bf16 and f16 on any device. */
#include "tiled.cuh"

namespace qkv
{

template <class Element>
static cudaError_t launch_type(const qkv__cuda_portable *p, unsigned count, cudaStream_t stream)
{
    const int64_t width = p->width > p->value_width ? p->width : p->value_width;
    return width <= 64    ? launch_tiled<Element, 64>(p, count, stream)
           : width <= 128 ? launch_tiled<Element, 128>(p, count, stream)
                          : launch_tiled<Element, 256>(p, count, stream);
}

} // namespace qkv

extern "C" cudaError_t qkv__cuda_tiled_launch(const qkv__cuda_portable *p, unsigned count,
                                              cudaStream_t stream)
{
    return p->query.type == qkv::f16 ? qkv::launch_type<__half>(p, count, stream)
                                     : qkv::launch_type<__nv_bfloat16>(p, count, stream);
}
