/* The forward kernels of width 128. */
#include "forward_launch.cuh"
#include "shapes.h"

using shape = qkv::forward_family<128, 128, QKV__CUDA_128_CONSUMERS, QKV__CUDA_128_KEYS_FULL,
                                  QKV__CUDA_128_KEYS_RANGED, 2, QKV__CUDA_128_EARLY>;

extern "C" cudaError_t qkv__cuda_forward_128(const qkv__cuda_forward_call *call)
{
    return shape::launch(call);
}
