/* The forward kernels of width 64. */
#include "forward_launch.cuh"
#include "shapes.h"

using shape = qkv::forward_family<64, 64, QKV__CUDA_64_CONSUMERS, QKV__CUDA_64_KEYS_FULL,
                                  QKV__CUDA_64_KEYS_RANGED, 4, QKV__CUDA_64_EARLY>;

extern "C" cudaError_t qkv__cuda_forward_64(const qkv__cuda_forward_call *call)
{
    return shape::launch(call);
}
