/* The forward kernels with dropout. */
#include "forward_launch.cuh"
#include "shapes.h"

template <int Width>
using shape = qkv::forward_family<Width, Width, QKV__CUDA_DROPPED_CONSUMERS, QKV__CUDA_DROPPED_KEYS,
                                  QKV__CUDA_DROPPED_KEYS, 2, 2>;

extern "C" cudaError_t qkv__cuda_forward_dropped_64(const qkv__cuda_forward_call *call)
{
    return shape<64>::launch_dropped(call);
}

extern "C" cudaError_t qkv__cuda_forward_dropped_128(const qkv__cuda_forward_call *call)
{
    return shape<128>::launch_dropped(call);
}
