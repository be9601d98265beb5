/* The gradient's kernels of width 128 for lists of sequences and for soft caps. */
#include "gradient_launch.cuh"

extern "C" cudaError_t qkv__cuda_gradient_listed_128(const qkv__cuda_gradient_call *call)
{
    return qkv::gradient_family<128, 3, 2>::launch_listed(call);
}
