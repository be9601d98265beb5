/* Tiles of f32 on any device, with products in tf32. */
#include "tiled.cuh"

extern "C" cudaError_t qkv__cuda_tf32_launch(const qkv__cuda_portable *p, unsigned count,
                                             cudaStream_t stream)
{
    const int64_t width = p->width > p->value_width ? p->width : p->value_width;
    return width <= 64 ? qkv::launch_tiled<float, 64>(p, count, stream)
                       : qkv::launch_tiled<float, 128>(p, count, stream);
}
