/* The gradient's kernels with dropout. */
#include "gradient_launch.cuh"

extern "C" cudaError_t qkv__cuda_gradient_dropped_64(const qkv__cuda_gradient_call *call)
{
    return qkv::gradient_family<64, 3, 3>::launch_dropped(call);
}

extern "C" cudaError_t qkv__cuda_gradient_dropped_128(const qkv__cuda_gradient_call *call)
{
    return qkv::gradient_family<128, 3, 2>::launch_dropped(call);
}
