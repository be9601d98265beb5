/* The forward kernels of width 256. */
#include "forward_launch.cuh"
#include "shapes.h"

using shape = qkv::forward_family<256, 256, QKV__CUDA_256_CONSUMERS, QKV__CUDA_256_KEYS_FULL,
                                  QKV__CUDA_256_KEYS_RANGED, 2, QKV__CUDA_256_EARLY>;

extern "C" cudaError_t qkv__cuda_forward_256(const qkv__cuda_forward_call *call)
{
    return shape::launch(call);
}
